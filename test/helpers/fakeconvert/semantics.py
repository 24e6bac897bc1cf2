"""The results of FakeConvert in each mode, from the rules alone: NumPy's f32 arithmetic, and
ml_dtypes or integers for the float8 step."""

import ctypes
from dataclasses import dataclass

import numpy as np
from conformance.formats import FORMATS

MODES = ("exact", "openvino", "openvino_reference")
TYPES = ("f32", "f16", "bf16")
DESTINATIONS = ("f8E4M3FN", "f8E5M2")

# The dependence of the CPU plugin's bits on the machine, and its deviations from this project's
# mode openvino.
IN_F32 = "f16 without AVX512-FP16 and bf16 without AVX-512 are computed in f32, with an unrounded reciprocal"
DOUBLED = "values just below a power of two are doubled in conversions to f16's subnormals"
FLUSHED = "subnormal elements of f32 constants are flushed to zero"
TINY = "the CPU's instruction that rounds f32 to bf16 flushes subnormals to zero"
POWER = "the reciprocal of a constant is the C library's powf(scale, -1), which is not correctly rounded"
INVALID = "the NaN of an invalid operation is negative on x86"
QUIRKS = (IN_F32, DOUBLED, FLUSHED, TINY, POWER, INVALID)


@dataclass(frozen=True)
class Origin:
    """The parameters that are constants of the model."""

    scale: bool
    shift: bool


def to_single(name, encodings):
    """Encodings of f32, f16 or bf16 as f32, exactly."""
    if name == "f32":
        return encodings.view(np.float32)
    if name == "f16":
        return encodings.view(np.float16).astype(np.float32)
    return (encodings.astype(np.uint32) << 16).view(np.float32)


def from_single(name, values):
    """C2: f32 values rounded once to a data type, as encodings."""
    if name == "f32":
        return values.view(np.uint32)
    return values.astype(FORMATS[name].dtype).view(np.uint16)


def _round_once(name, values):
    return to_single(name, from_single(name, values))


def same(name, expected, found):
    """Where two arrays of encodings are equal. Any two NaNs are equal."""
    nan = np.isnan(to_single(name, expected)) & np.isnan(to_single(name, found))
    return (expected == found) | nan


def _clip(destination, values):
    largest = np.float32(FORMATS[destination].max_value)
    return np.clip(values, -largest, largest)


def _through(destination, values):
    """Rounded to float8, ties to even. The values must be in range."""
    return values.astype(FORMATS[destination].dtype).astype(np.float32)


def _exact(name, destination, x, scale, shift):
    scaled = x * scale
    if shift is not None:
        scaled = scaled - shift
    result = _through(destination, _clip(destination, scaled))
    if shift is not None:
        result = result + shift
    return from_single(name, result / scale)


def _bf16_by_openvino(values):
    """Half a unit is added if the last kept bit is 1."""
    bits = values.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    bits = bits + np.where(np.isnan(values), np.uint32(0), odd << np.uint32(15))
    return bits & np.uint32(0xFFFF0000)


def _half_by_openvino(values):
    """OpenVINO's scalar conversion to f16, as encodings."""
    bits = values.view(np.uint32)
    magnitude = bits & np.uint32(0x7FFFFFFF)
    # Below 2^-15, values that round up to a power of two at 11 bits are doubled.
    exponent = magnitude >> np.uint32(23)
    rounds_up = (magnitude & np.uint32(0x7FFFFF)) >= np.uint32(0x7FF000)
    doubled = (exponent < 112) & (exponent > 0) & rounds_up
    taken = magnitude + np.where(doubled, np.uint32(1 << 23), np.uint32(0))
    halves = taken.view(np.float32).astype(np.float16).view(np.uint16)
    payload = ((magnitude >> np.uint32(13)) & np.uint32(0x3FF)).astype(np.uint16)
    payload = np.where(payload == 0, np.uint16(1), payload)
    halves = np.where(magnitude > 0x7F800000, payload | np.uint16(0x7C00), halves)
    return halves | ((bits >> np.uint32(16)).astype(np.uint16) & np.uint16(0x8000))


def _flush(values):
    """Subnormals as zeros of their signs."""
    subnormal = np.abs(values) < np.finfo(np.float32).smallest_normal
    return np.where(subnormal, np.copysign(np.float32(0), values), values)


def _power(scale):
    """1 / scale as the C library computes it. The difference does not matter for constants that are
    computed in bf16."""
    powf = ctypes.CDLL("libm.so.6").powf
    powf.restype, powf.argtypes = ctypes.c_float, (ctypes.c_float, ctypes.c_float)
    distinct, places = np.unique(scale.view(np.uint32), return_inverse=True)
    made = [powf(float(value), -1.0) for value in distinct.view(np.float32)]
    return np.array(made, np.float32)[places].reshape(scale.shape)


def _plugin(name, destination, x, scale, shift, origin, quirks):
    # The type of the plugin's nodes, and whether there is an addition.
    own = "f32" if IN_F32 in quirks else name
    added = shift is not None
    bits = None if shift is None else shift.view(np.uint32)
    if added and origin.shift and not shift.any() and (bits == bits.flat[0]).all():
        # There is no addition of a constant that is the same zero in all elements. In bf16, there
        # is none for a single zero.
        added = own == "bf16"
        shift = shift if added and shift.size > 1 else None

    def round_own(values):
        return _round_once(own, _flush(values) if own == "bf16" and TINY in quirks else values)

    reciprocal = np.float32(1) / scale
    if POWER in quirks and origin.scale:
        reciprocal = _power(scale)
    if own == "bf16" and origin.scale:
        reciprocal = _bf16_by_openvino(reciprocal).view(np.float32)
    elif own == "f16" and origin.scale or own == "bf16" and added:
        # Without an addition, the reciprocal of an input is not a separate tensor.
        reciprocal = round_own(reciprocal)
    if FLUSHED in quirks and origin.scale and scale.size > 1:
        scale, reciprocal = _flush(scale), _flush(reciprocal)
    if FLUSHED in quirks and origin.shift and shift is not None and shift.size > 1:
        shift = _flush(shift)
    scaled = x * scale
    if shift is not None:
        scaled = scaled - shift
    scaled = _clip(destination, round_own(scaled))
    # A NaN is clamped to the lower bound.
    scaled = np.where(np.isnan(scaled), -np.float32(FORMATS[destination].max_value), scaled)
    if DOUBLED in quirks:
        half = _half_by_openvino(scaled).view(np.float16)
    else:
        half = scaled.astype(np.float16)
    result = _through(destination, half)
    if shift is not None:
        # Either zero input is negated to +0.
        negative = -shift if origin.shift else -shift + np.float32(0)
        result = result - negative
    result = result * reciprocal
    if origin.scale and scale.size == 1 and scale.ravel()[0] != 1:
        result = result + np.float32(0)
    if name == "bf16" and own == "f32":
        return (_bf16_by_openvino(result) >> np.uint32(16)).astype(np.uint16)
    return from_single(name, round_own(result))


def _reference_e4m3(half):
    values = (half & np.uint16(0x7FFF)).view(np.float16).astype(np.float64)
    exponent = np.frexp(np.where(np.isfinite(values), values, 1.0))[1] - 1
    step = np.exp2(exponent.astype(np.float64) - 3)
    rounded = np.rint(values / step) * step
    # Subnormals are rounded to three bits before they are truncated.
    rounded = np.where(exponent < -6, np.floor(rounded * 512) / 512, rounded)
    rounded = np.where((values > 448) | np.isnan(values), 448.0, rounded)
    signed = np.where(half & np.uint16(0x8000), -rounded, rounded)
    return np.where(values < 2.0**-9, 0.0, signed).astype(np.float32)


def _reference_e5m2(half):
    wide = half.astype(np.uint32)
    rounded = (wide + 0x7F + ((wide >> 8) & 1)) >> 8
    encoding = np.where((wide & 0x7FFF) > 0x7C00, wide >> 8, rounded)
    encoding = np.where((encoding & 0x7F) == 0x7C, (encoding & 0x80) | 0x7B, encoding)
    return (encoding << 8).astype(np.uint16).view(np.float16).astype(np.float32)


_ROUND_BY_OPENVINO = {
    "f32": lambda values: values,
    "f16": lambda values: to_single("f16", _half_by_openvino(values)),
    "bf16": lambda values: _bf16_by_openvino(values).view(np.float32),
}


def _reference(name, destination, x, scale, shift, quirks):
    round_own = _ROUND_BY_OPENVINO[name]
    shift = np.float32(0) if shift is None else shift
    step = _reference_e4m3 if destination == "f8E4M3FN" else _reference_e5m2

    def signed(result, *operands):
        """The sign of NumPy's NaNs depends on the machine."""
        given = np.isnan(operands[0]) | np.isnan(operands[1])
        made = np.where(np.isnan(result) & ~given, np.float32(np.nan), result)
        return result if INVALID in quirks else made

    product = round_own(signed(x * scale, x, scale))
    scaled = round_own(signed(product - shift, product, shift))
    result = round_own(step(_half_by_openvino(scaled)) + shift)
    # Exact, as the value is rounded already.
    return from_single(name, round_own(result / scale))


def evaluate(mode, name, destination, x, scale, shift, origin, quirks=frozenset()):
    """The encodings of the result from those of the operands (`shift` may be None)."""
    x, scale = to_single(name, x), to_single(name, scale)
    shift = None if shift is None else to_single(name, shift)
    with np.errstate(all="ignore"):
        if mode == "exact":
            return _exact(name, destination, x, scale, shift)
        if mode == "openvino":
            return _plugin(name, destination, x, scale, shift, origin, quirks)
        return _reference(name, destination, x, scale, shift, quirks)
