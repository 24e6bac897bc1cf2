"""The rules of blocks (docs/rules.md, B) on NumPy arrays, written from the rules and from the
implementations that they name. No code is shared with the compiler: exponents come from integers
and `frexp`, and elements are looked up in tables of all values."""

import ml_dtypes
import numpy as np

F32 = np.float32
FLT_MAX = np.finfo(F32).max

# The elements: all values of the magnitudes in the order of their encodings, and the number of bits.
FLOATS = {
    "f8E4M3FN": (ml_dtypes.float8_e4m3fn, 0x7E, 8),
    "f8E5M2": (ml_dtypes.float8_e5m2, 0x7B, 8),
    "f6E2M3FN": (ml_dtypes.float6_e2m3fn, 0x1F, 6),
    "f6E3M2FN": (ml_dtypes.float6_e3m2fn, 0x1F, 6),
    "f4E2M1FN": (ml_dtypes.float4_e2m1fn, 0x07, 4),
}
MANTISSA = {"f8E4M3FN": 3, "f8E5M2": 2, "f6E2M3FN": 3, "f6E3M2FN": 2, "f4E2M1FN": 1}
INTEGERS = {"i8": 127, "i4": 7}
POWERS = ("floor", "ceil", "even", "rceil", "ceil_exact", "nearest", "tosa")
TWO_LEVELS = ("transformer_engine", "torchao", "model_optimizer", "compressed_tensors")


def magnitudes(element):
    dtype, largest, _ = FLOATS[element]
    encodings = np.arange(largest + 1, dtype=np.uint8)
    return encodings.view(dtype).astype(np.float64)


def is_mx_integer(element, scale):
    return element == "i8" and scale == "f8E8M0FNU"


def largest(element, scale):
    if element in INTEGERS:
        return INTEGERS[element] / (64 if is_mx_integer(element, scale) else 1)
    return magnitudes(element)[-1]


def floor_log2(values):
    """Of positive f64."""
    return np.frexp(values)[1] - 1


def power_of_two(rule, element, amax):
    """The encodings of f8E8M0FNU."""
    m = largest(element, "f8E8M0FNU")
    emax = int(floor_log2(m))
    exact = amax.astype(np.float64)
    usual = np.isfinite(exact) & (exact > 0)
    a = np.where(usual, exact, 1.0)
    k = floor_log2(a)
    nan = np.zeros(a.shape, bool)
    if rule in ("floor", "ggml"):
        e = k - emax
    elif rule == "ceil":
        e = k + (a != np.exp2(k)) - emax
    elif rule == "even":
        mantissa = MANTISSA.get(element, {"i8": 6, "i4": 2}.get(element))
        bits = a.astype(F32).view(np.uint32).astype(np.int64) + (1 << (22 - mantissa))
        nan = (bits >> 23) == 255
        e = (bits >> 23) - 127 - emax
    elif rule == "rceil":
        q = (a.astype(F32) * (F32(1) / F32(m))).astype(np.float64)
        e = np.where(q <= 2.0**-127, -127, np.frexp(np.maximum(q, 2.0**-140))[1] - 1)
        e = e + (q > np.exp2(e.astype(np.float64)))
    elif rule == "ceil_exact" or (rule == "tosa" and element == "f8E4M3FN"):
        e = k - emax
        e = e + (a > m * np.exp2(e.astype(np.float64)))
    elif rule == "tosa":
        e = k - emax
        e = e - (a < m * np.exp2(e.astype(np.float64))) + 1
    elif rule == "nearest":
        q = (a.astype(F32) / F32(m)).astype(np.float64)
        e = np.frexp(np.maximum(q, 2.0**-140))[1] - 1
        e = np.where(q < 2.0**-127, -127, e + (q >= 1.5 * np.exp2(e.astype(np.float64))))
    encoding = np.clip(e + 127, 0, 254)
    encoding = np.where(exact == 0, 0, encoding)
    return np.where(nan | ~np.isfinite(exact), 255, encoding).astype(np.uint8)


def decode_power(encodings):
    values = np.exp2(encodings.astype(np.float64) - 127)
    return np.where(encodings == 255, np.nan, values)


E4M3 = np.append(magnitudes("f8E4M3FN"), np.nan)
UE5M3 = np.array(
    [
        (m / 8 if e == 0 else 1 + m / 8) * 2.0 ** (max(e, 1) - 15)
        for e in range(32)
        for m in range(8)
    ]
)
UE5M3[255] = np.nan


def to_table(values, table):
    """Rounds to the nearest even entry of a table of magnitudes, whose last entry is NaN, and
    saturates."""
    finite = table[:-1]
    v = np.clip(np.nan_to_num(values.astype(np.float64), nan=0, posinf=finite[-1]), 0, finite[-1])
    high = np.minimum(np.searchsorted(finite, v), finite.size - 1)
    low = np.maximum(high - 1, 0)
    to_low, to_high = v - finite[low], finite[high] - v
    encoding = np.where((to_low < to_high) | ((to_low == to_high) & (low % 2 == 0)), low, high)
    return np.where(np.isnan(values), finite.size, encoding).astype(np.uint8)


def decode_scale(encodings, scale):
    if scale == "f8E8M0FNU":
        return decode_power(encodings).astype(F32)
    if scale == "f8E4M3FN":
        return encodings.astype(np.uint8).view(ml_dtypes.float8_e4m3fn).astype(F32)
    if scale == "f8UE5M3":
        return UE5M3[encodings].astype(F32)
    return encodings.astype(F32)


def to_scale(values, scale):
    if scale == "f8E4M3FN":
        return to_table(values, E4M3)
    if scale == "f8UE5M3":
        return to_table(values, UE5M3)
    dtype = {"f32": F32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[scale]
    top = F32(ml_dtypes.finfo(dtype).max)
    return np.where(np.isfinite(values), np.minimum(values, top), values).astype(dtype)


def ggml_ue4m3(values):
    encodings = np.zeros(values.shape, np.uint8)
    for i, x in np.ndenumerate(values):
        if not x > 0:
            continue
        bits = int(min(x, F32(448)).view(np.uint32))
        exponent, mantissa = (bits >> 23) - 127 + 7, bits >> 20 & 7
        if exponent <= 0:
            encodings[i] = min(int(F32(x * F32(512)) + F32(0.5)), 7)
            continue
        mantissa += bits >> 19 & 1
        exponent, mantissa = exponent + mantissa // 8, mantissa % 8
        encodings[i] = 0x7E if exponent >= 15 else exponent * 8 + mantissa
    return encodings


def tensor_scale(amax):
    quotient = np.abs(F32(amax)) / F32(2688)
    return F32(1) if quotient == 0 else quotient


class Level:
    """The scale of the tensor, from its largest magnitude or given."""

    def __init__(self, amax=None, scale=None):
        self.amax = None if amax is None else np.abs(amax)
        self.scale = None if scale is None else np.abs(scale)

    def factor(self):
        if self.scale is None:
            return tensor_scale(self.amax)
        return F32(1) if self.scale == 0 else F32(self.scale)

    def reciprocal(self, rule):
        origin = self.amax if self.scale is None else self.scale
        if origin == 0:
            return F32(1)
        if self.scale is not None:
            result = F32(1) / F32(self.scale)
        elif rule == "transformer_engine":
            result = F32(2688) / F32(self.amax)
        else:
            result = F32(2688) * (F32(1) / F32(self.amax))
        if rule == "transformer_engine":
            result = np.minimum(result, FLT_MAX)
            return F32(1) if result == 0 else result
        return result


def scales(rule, element, scale, amax, level=None):
    """The encodings of scales, or their values if they have a NumPy type. `amax` is f32."""
    m = F32(largest(element, scale))
    amax = np.abs(amax)
    if rule in POWERS or (rule == "ggml" and scale == "f8E8M0FNU"):
        return power_of_two(rule, element, amax)
    if rule == "ggml":
        return ggml_ue4m3(amax / F32(6))
    if rule == "absmax":
        found = to_scale(amax / m, scale)
        return np.where(decode_scale(found, scale) == 0, to_scale(F32([1]), scale), found)
    if rule == "deepgemm":
        found = np.maximum(amax, F32(1e-4)) / m
        if scale == "f32":
            return found
        bits = found.view(np.uint32).astype(np.int64)
        encoding = np.clip((bits >> 23) + (bits & 0x7FFFFF != 0), 1, 254)
        return np.where(np.isfinite(found), encoding, 255).astype(np.uint8)
    if rule == "transformer_engine":
        return to_scale(amax * F32(level.reciprocal(rule) * (F32(1) / F32(6))), scale)
    if rule == "compressed_tensors":
        found = to_scale(F32(level.reciprocal(rule)) * (amax / F32(6)), scale)
        return np.where(found == 0, 0x20, found).astype(np.uint8)
    if rule == "torchao":
        quotient = amax / F32(6) / level.factor()
        return to_scale(np.clip(quotient, F32(2**-6), F32(448)), scale)
    assert rule == "model_optimizer"
    quotient = amax / F32(F32(6) * level.factor())
    quotient = np.where(quotient == 0, F32(1), quotient)
    return to_scale(np.clip(quotient, F32(2**-9), F32(448)), scale)


def divide(rule, scale, x, decoded, level):
    """In f32."""
    if scale == "f8E8M0FNU":
        return (x.astype(np.float64) / decoded.astype(np.float64)).astype(F32)
    if rule == "deepgemm":
        return x * (F32(1) / decoded)
    if rule == "transformer_engine":
        factor = F32(1) / (decoded * (F32(1) / level.reciprocal(rule)))
        return x * np.minimum(factor, FLT_MAX)
    if rule == "torchao":
        return x * ((F32(1) / level.factor()) / decoded)
    if rule == "model_optimizer":
        return x / (decoded * level.factor())
    if rule == "compressed_tensors":
        return x / (decoded / level.reciprocal(rule))
    return x / decoded


def elements(rule, element, scale, x, encodings, level=None):
    """The encodings of elements, in the shape of x. `encodings` are those of the scales. An element
    that is NaN is `None`: -1 in the result."""
    decoded = decode_scale(encodings, scale)
    if rule == "ggml":
        values = magnitudes(element).astype(F32)
        distances = np.abs(values * decoded[..., None] - np.abs(x)[..., None])
        distances = np.where(np.isnan(distances), np.inf, distances)
        encoding = np.argmin(distances, axis=-1)
        encoding = np.where(
            np.isnan(decoded), 0, encoding | np.where((x < 0) & (encoding != 0), 8, 0)
        )
        return encoding.astype(np.int16)
    q = divide(rule, scale, x, decoded, level)
    nan = np.isnan(q)
    if element in INTEGERS:
        top = INTEGERS[element]
        units = (
            np.nan_to_num(q * F32(64), nan=0)
            if is_mx_integer(element, scale)
            else np.nan_to_num(q, nan=0)
        )
        return np.clip(np.rint(units.astype(np.float64)), -top, top).astype(np.int16)
    table = np.append(magnitudes(element), np.nan)
    encoding = to_table(np.abs(np.where(nan, 0, q)), table).astype(np.int16)
    width = FLOATS[element][2]
    encoding |= np.where(np.signbit(q), 1 << (width - 1), 0)
    return np.where(nan, -1, encoding)


def decode_elements(encodings, element, scale):
    if element in INTEGERS:
        values = encodings.astype(F32)
        return values / F32(64) if is_mx_integer(element, scale) else values
    dtype, _, width = FLOATS[element]
    return encodings.astype(np.uint8).view(dtype).astype(F32)


def dequantize(encodings, element, scales_, scale, factor=None, tensor_first=False):
    values, decoded = decode_elements(encodings, element, scale), decode_scale(scales_, scale)
    if factor is None:
        return values * decoded
    if tensor_first:
        return values * (decoded * F32(factor))
    return (values * decoded) * F32(factor)


# The multiples to which rows and columns of scales are padded.
LAYOUTS = {
    "tile_128x4": (128, 4),
    "tile_8x4": (8, 4),
    "deepgemm_f32": (4, 1),
    "deepgemm_e8m0": (4, 4),
    "gfx950": (256, 8),
    "gfx1250_n32k4": (32, 4),
}


def pack_scales(layout, s):
    """The layouts as views, from the documentation of cuBLAS, DeepGEMM and aiter."""
    rows, columns = LAYOUTS[layout]
    m, k = -(-s.shape[0] // rows) * rows, -(-s.shape[1] // columns) * columns
    padded = np.zeros((m, k), s.dtype)
    padded[: s.shape[0], : s.shape[1]] = s
    if layout == "tile_128x4":
        tiles = padded.reshape(m // 128, 128, k // 4, 4).transpose(0, 2, 1, 3)
        return tiles.reshape(-1, 4, 32, 4).transpose(0, 2, 1, 3).reshape(-1)
    if layout == "tile_8x4":
        return padded.reshape(m // 8, 8, k // 4, 4).transpose(0, 2, 1, 3).reshape(-1)
    if layout == "deepgemm_f32":
        return padded.T.reshape(-1)
    if layout == "deepgemm_e8m0":
        # Groups of four scales, column-major.
        return padded.reshape(m, k // 4, 4).transpose(1, 0, 2).reshape(-1)
    if layout == "gfx950":
        view = padded.reshape(m // 32, 2, 16, k // 8, 2, 4)
        return view.transpose(0, 3, 5, 2, 4, 1).reshape(-1)
    return padded.reshape(m // 32, 32, k // 4, 4).transpose(0, 2, 1, 3).reshape(-1)
