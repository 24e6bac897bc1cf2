"""Casts, quantizations and the few nodes that quant-float-convert rewrites them to, as their rules
define them: values are f64 or 64-bit integers, which represent the values of all other types, and
each result is rounded once. No other implementation is called."""

import numpy as np
from onnx import TensorProto as T
from onnx import helper

# Significant bits, the exponent of the smallest normal number, the largest number, whether the
# format has infinities and NaN.
FLOATS = {
    T.DOUBLE: (53, -1022, np.finfo(np.float64).max, True, True),
    T.FLOAT: (24, -126, float(np.finfo(np.float32).max), True, True),
    T.FLOAT16: (11, -14, 65504.0, True, True),
    T.BFLOAT16: (8, -126, 255.0 * 2.0**120, True, True),
    T.FLOAT8E4M3FN: (4, -6, 448.0, False, True),
    T.FLOAT8E4M3FNUZ: (4, -7, 240.0, False, True),
    T.FLOAT8E5M2: (3, -14, 57344.0, True, True),
    T.FLOAT8E5M2FNUZ: (3, -15, 57344.0, False, True),
    T.FLOAT6E2M3: (4, 0, 7.5, False, False),
    T.FLOAT6E3M2: (3, -2, 28.0, False, False),
    T.FLOAT4E2M1: (2, 0, 6.0, False, False),
}
INTEGERS = {
    kind: (bits, kind in (T.INT2, T.INT4, T.INT8, T.INT16, T.INT32, T.INT64))
    for bits, kinds in {
        2: (T.INT2, T.UINT2),
        4: (T.INT4, T.UINT4),
        8: (T.INT8, T.UINT8),
        16: (T.INT16, T.UINT16),
        32: (T.INT32, T.UINT32),
        64: (T.INT64, T.UINT64),
    }.items()
    for kind in kinds
}
FNUZ = (T.FLOAT8E4M3FNUZ, T.FLOAT8E5M2FNUZ)
FLOAT8 = (T.FLOAT8E4M3FN, T.FLOAT8E5M2, *FNUZ)
WORDS = (T.DOUBLE, T.FLOAT, T.FLOAT16, T.BFLOAT16)


def round_to(numbers, kind, saturate=True, infinity_is_nan=False):
    """The nearest values of a float type, ties to even (C2 to C8)."""
    numbers = np.asarray(numbers, np.float64)
    bits, least, most, has_infinity, has_nan = FLOATS[kind]
    result = numbers
    if kind != T.DOUBLE:
        magnitude = np.abs(numbers)
        exponent = np.maximum(np.frexp(magnitude)[1] - 1, least) - (bits - 1)
        rounded = np.ldexp(np.rint(np.ldexp(magnitude, -exponent)), exponent)
        if kind in WORDS or (kind in FLOAT8 and not saturate):
            over = np.inf if has_infinity else np.nan
        else:
            over = most
        rounded = np.where(
            np.isnan(magnitude),
            np.nan,
            np.where((rounded > most) | np.isinf(magnitude), over, rounded),
        )
        if infinity_is_nan:
            rounded = np.where(np.isinf(magnitude), np.nan, rounded)
        result = np.copysign(rounded, numbers)
    if not has_nan:
        result = np.where(np.isnan(result), 0.0, result)
    return np.where(result == 0, 0.0, result) if kind in FNUZ else result


def to_power(numbers, saturate, mode):
    """f8E8M0FNU (C9)."""
    numbers = np.asarray(numbers, np.float64)
    fraction, exponent = np.frexp(np.abs(numbers))
    up = {"up": fraction > 0.5, "down": False, "nearest": fraction >= 0.75}[mode]
    power = np.clip(exponent - 1 + up, -127, 127)
    result = np.ldexp(1.0, power.astype(np.int64))
    low, high = numbers < 2.0**-127, numbers > 2.0**127
    result = np.where(
        low,
        2.0**-127 if saturate else np.nan,
        np.where(high, 2.0**127 if saturate else np.nan, result),
    )
    return np.where(np.isnan(numbers), np.nan, result)


def to_integer(numbers, kind):
    """The low bits of the value truncated toward zero (C11, C12)."""
    bits, is_signed = INTEGERS[kind]
    if np.asarray(numbers).dtype.kind == "f":
        wide = 64 if bits == 64 or kind == T.UINT32 else 32
        ends = np.float64(-(2.0 ** (wide - 1))), np.float64(2.0 ** (wide - 1))
        cut = np.trunc(np.nan_to_num(numbers, nan=0.0, posinf=2.0**70, neginf=-(2.0**70)))
        top = np.int64(2 ** (wide - 1) - 1)
        if kind == T.UINT64:
            # The bits of values of at least 2^63.
            most = np.nextafter(np.float64(2.0**64), 0)
            upper = np.clip(cut, ends[1], most).astype(np.uint64)
            top = np.where(cut >= 2.0**64, np.uint64(2**64 - 1), upper).view(np.int64)
        numbers = np.where(
            cut >= ends[1], top, np.clip(cut, ends[0], np.nextafter(ends[1], 0)).astype(np.int64)
        )
    numbers = np.asarray(numbers, np.int64)
    if bits == 64:
        return numbers
    low = numbers & ((1 << bits) - 1)
    return np.where(low >> (bits - 1) & 1, low - (1 << bits), low) if is_signed else low


def cast(numbers, old, kind, opset, saturate=True, mode="up"):
    if old == kind:
        return numbers
    if kind == T.BOOL:
        return numbers != 0
    if kind in INTEGERS:
        return to_integer(np.asarray(numbers, np.int64) if old == T.BOOL else numbers, kind)
    if kind == T.FLOAT8E8M0:
        return to_power(numbers, saturate, mode)
    return round_to(numbers, kind, saturate, kind in FNUZ and saturate and 19 <= opset < 24)


def spread(parameter, shape, axis, block):
    parameter = np.asarray(parameter)
    if parameter.size == 1:
        return parameter.reshape(())
    axis %= len(shape)
    if block:
        longest = min(block, shape[axis])
        return np.repeat(parameter, longest, axis).take(range(shape[axis]), axis)
    return parameter.reshape([-1 if i == axis else 1 for i in range(len(shape))])


def quantize(opset, x, x_kind, s, s_kind, kind, zero, axis, block, saturate, precision):
    """Rules D1 to D3."""
    if opset < 23:
        division = T.DOUBLE if x_kind == T.INT32 else x_kind
    elif precision:
        division = precision
    elif s_kind in WORDS:
        division = s_kind
    else:
        division = T.FLOAT if x_kind in FLOATS and s_kind == T.FLOAT8E8M0 else T.DOUBLE
    x, s = round_to(x, division), round_to(s, division)
    # f64 has more than twice as many significant bits as all other types, plus two, so that double
    # rounding is harmless.
    quotient = round_to(x / spread(s, x.shape, axis, block), division)
    if kind in INTEGERS:
        bits, is_signed = INTEGERS[kind]
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        rounded = np.clip(
            np.rint(np.nan_to_num(quotient, nan=0.0, posinf=1e9, neginf=-1e9)), -1e9, 1e9
        ).astype(np.int64)
        return np.clip(
            rounded + (0 if zero is None else spread(zero, x.shape, axis, block)), least, most
        )
    if kind not in FLOAT8 and zero is not None:
        quotient = round_to(quotient + spread(zero, x.shape, axis, block), division)
    return round_to(quotient, kind, saturate)


def dequantize(x, x_kind, s, zero, kind, axis, block):
    """Rule D5."""
    if zero is not None and x_kind not in FLOAT8:
        x = x - spread(zero, x.shape, axis, block)
    product = np.float32(x) * np.float32(spread(s, x.shape, axis, block))
    return round_to(product, kind)


def arithmetic(op, kind, a, b=None):
    """One rounding to the type."""
    functions = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Min": np.minimum, "Max": np.maximum,
                 "Round": np.rint, "Floor": np.floor, "Abs": np.abs, "Neg": np.negative}  # fmt: skip
    dtype = {T.FLOAT: np.float32, T.DOUBLE: np.float64, T.INT64: np.int64, T.INT32: np.int32}[kind]
    operands = [np.asarray(v).astype(dtype) for v in (a, b) if v is not None]
    result = functions[op](*operands)
    return result.astype(np.float64) if kind in FLOATS else result.astype(np.int64)


def unpack(tensor):
    """The values of a constant."""
    kind, shape = tensor.data_type, list(tensor.dims)
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    if not tensor.raw_data:
        from onnx import numpy_helper

        numbers = numpy_helper.to_array(tensor)
    else:
        bits = {T.FLOAT6E2M3: 6, T.FLOAT6E3M2: 6, T.FLOAT4E2M1: 4}.get(kind) or (
            INTEGERS.get(kind) or (0,)
        )[0]
        raw = np.frombuffer(tensor.raw_data, np.uint8)
        if bits and bits < 8:
            count = int(np.prod(shape, dtype=np.int64))
            each = np.unpackbits(raw, bitorder="little")[: count * bits].reshape(count, bits)
            encodings = each @ (1 << np.arange(bits))
            if kind in (T.INT4, T.INT2):
                encodings = np.where(encodings >> (bits - 1), encodings - (1 << bits), encodings)
            raw = encodings.astype(np.uint8)
        numbers = raw.view(dtype).reshape(shape)
    return to_numbers(numbers, kind)


def to_numbers(array, kind):
    if kind == T.BOOL:
        return np.asarray(array, bool)
    return np.asarray(array).astype(np.int64 if kind in INTEGERS else np.float64)


def to_array(numbers, kind):
    return np.asarray(numbers).astype(helper.tensor_dtype_to_np_dtype(kind))


def pack(array, kind):
    """An initializer's bytes (P1)."""
    bits = {T.FLOAT6E2M3: 6, T.FLOAT6E3M2: 6, T.FLOAT4E2M1: 4}.get(kind) or (
        INTEGERS.get(kind) or (0,)
    )[0]
    if not bits or bits >= 8:
        return array.tobytes()
    encodings = array.reshape(-1, 1).view(np.uint8)
    return np.packbits(
        np.unpackbits(encodings, axis=1, bitorder="little")[:, :bits].reshape(-1), bitorder="little"
    ).tobytes()


def evaluate(model, feeds):
    """(type, values) of every value of a model with such nodes."""
    opset = next(i.version for i in model.opset_import if not i.domain)
    values = {t.name: (t.data_type, unpack(t)) for t in model.graph.initializer}
    for i in model.graph.input:
        kind = i.type.tensor_type.elem_type
        values[i.name] = kind, to_numbers(feeds[i.name], kind)
    for node in model.graph.node:
        options = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        inputs = [values.get(name, (None, None)) for name in node.input]
        kind, x = inputs[0] if inputs else (None, None)
        op, axis, block = node.op_type, options.get("axis", 1), options.get("block_size", 0)
        saturate = bool(options.get("saturate", 1))
        if op == "Constant":
            result = options["value"].data_type, unpack(options["value"])
        elif op in ("Cast", "CastLike"):
            mode = options.get("round_mode", b"up").decode()
            to = options["to"] if op == "Cast" else inputs[1][0]
            result = to, cast(x, kind, to, opset, saturate, mode)
        elif op == "QuantizeLinear":
            zero_kind, zero = inputs[2] if len(inputs) > 2 else (None, None)
            to = zero_kind or options.get("output_dtype") or T.UINT8
            (s_kind, s), precision = inputs[1], options.get("precision", 0)
            result = (
                to,
                quantize(opset, x, kind, s, s_kind, to, zero, axis, block, saturate, precision),
            )
        elif op == "DequantizeLinear":
            zero = inputs[2][1] if len(inputs) > 2 else None
            to = options.get("output_dtype") or inputs[1][0]
            result = to, dequantize(x, kind, inputs[1][1], zero, to, axis, block)
        elif op in ("Greater", "Less"):
            result = T.BOOL, (x > inputs[1][1]) if op == "Greater" else (x < inputs[1][1])
        elif op == "Or":
            result = T.BOOL, x | inputs[1][1]
        elif op == "IsNaN":
            result = T.BOOL, np.isnan(x)
        elif op == "Where":
            result = inputs[1][0], np.where(x, inputs[1][1], inputs[2][1])
        elif op == "Transpose":
            result = kind, np.transpose(x, options.get("perm"))
        elif op == "Split":
            count = len(node.output)
            for name, part in zip(
                node.output, np.split(x, count, options.get("axis", 0)), strict=True
            ):
                values[name] = kind, part
            continue
        elif op == "Shape":
            result = T.INT64, np.array(x.shape, np.int64)
        elif op == "Unsqueeze":
            axes = options["axes"] if "axes" in options else inputs[1][1]
            result = kind, np.expand_dims(x, tuple(int(axis) for axis in axes))
        elif op == "Tile":
            result = kind, np.tile(x, inputs[1][1])
        elif op == "Slice":
            places = [slice(None)] * x.ndim
            for start, end, at in zip(*(v for _, v in inputs[1:4]), strict=True):
                places[at] = slice(start, end)
            result = kind, x[tuple(places)]
        elif op == "Gather":
            result = kind, np.take(x, inputs[1][1].astype(np.int64), options.get("axis", 0))
        elif op == "Reshape":
            result = (
                kind,
                np.reshape(x, [x.shape[i] if n == 0 else n for i, n in enumerate(inputs[1][1])]),
            )
        else:
            result = kind, arithmetic(op, kind, x, inputs[1][1] if len(inputs) > 1 else None)
        values[node.output[0]] = result
    return values


def same(a, b):
    """Equal, with one NaN, and zeros of the same sign."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(
        np.signbit(a) & ~np.isnan(a), np.signbit(b) & ~np.isnan(b)
    )
