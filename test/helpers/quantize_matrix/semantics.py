"""The values of D1 to D6, computed from the rules alone: NumPy's f32 and f64 arithmetic and one
rounding function."""

import numpy as np
from conformance.formats import FLOAT4_AND_6, FLOAT8, FNUZ, FORMATS


def round_to(name, values):
    """f64 values rounded once to the grid of a float format, ties to even, without an upper
    bound."""
    form = FORMATS[name]
    if name == "f64":
        return values
    finite = np.isfinite(values)
    exponent = np.frexp(np.where(finite, values, 1.0))[1] - 1
    step = np.exp2(np.maximum(exponent, form.min_exponent).astype(np.float64) - form.mantissa)
    return np.where(finite, np.copysign(np.rint(np.abs(values / step)) * step, values), values)


def to_wide(name, values):
    """C2: f64 values in f16, bf16, f32 or f64, still as f64."""
    rounded = round_to(name, values)
    if name == "f64":
        return rounded
    over = np.abs(rounded) > FORMATS[name].max_value
    return np.where(over, np.copysign(np.inf, rounded), rounded)


def integer_range(name):
    form = FORMATS[name]
    low = -(1 << (form.width - 1)) if form.signed else 0
    return low, low + (1 << form.width) - 1


def encode(name, values):
    """The encodings of f64 values that the format represents."""
    form = FORMATS[name]
    # The format functions turn a scalar into one dimension.
    shape, values = np.shape(values), np.ravel(values)
    if form.kind == "integer":
        return form.encodings(values.astype(np.int64).astype(np.uint64).astype(form.slot)).reshape(
            shape
        )
    with np.errstate(over="ignore", invalid="ignore"):
        return form.from_array(values.astype(np.float32).astype(form.dtype)).reshape(shape)


def to_float8(name, values, saturate):
    """C3 and D3: infinities overflow in every version."""
    form = FORMATS[name]
    rounded = round_to(name, values)
    if name in FNUZ:
        rounded = np.where(rounded == 0, 0.0, rounded)
    limit = np.copysign(form.max_value, rounded)
    over = np.abs(rounded) > form.max_value
    encodings = encode(name, np.where(over, limit, rounded))
    if not saturate:
        negative = np.signbit(rounded).astype(np.uint8) << 7
        beyond = {"f8E4M3FN": negative | 0x7F, "f8E5M2": negative | 0x7C}.get(name, 0x80)
        encodings = np.where(over, beyond, encodings).astype(np.uint8)
    nan = {"f8E4M3FN": 0x7F, "f8E5M2": 0x7E}.get(name, 0x80)
    return np.where(np.isnan(values), nan, encodings).astype(np.uint8)


def to_float4_or_6(name, values):
    """C8. A NaN yields +0 here, and either sign is right (D8)."""
    form = FORMATS[name]
    rounded = round_to(name, values)
    rounded = np.copysign(np.minimum(np.abs(rounded), form.max_value), rounded)
    return encode(name, np.where(np.isnan(values), 0.0, rounded))


def divide(x, scale, precision):
    """D1 and D2: both operands in the precision, one division, and its result in the precision."""
    a, b = to_wide(precision, x), to_wide(precision, scale)
    if precision == "f32":
        return (a.astype(np.float32) / b.astype(np.float32)).astype(np.float64)
    # f64 is wide enough for double rounding to f16 or bf16 to be harmless.
    return to_wide(precision, a / b)


def quantize(x, scale, zero_point, y, precision, saturate=True):
    """The encodings of y for f64 arrays of one shape (zero_point may be None), and where two
    results are right (D8)."""
    with np.errstate(all="ignore"):
        quotient = divide(x, scale, precision)
        nan = np.isnan(quotient)
        if y in FLOAT8:
            return to_float8(y, quotient, saturate), nan
        if y in FLOAT4_AND_6:
            if zero_point is not None:
                quotient = to_wide(precision, quotient + zero_point)
            return to_float4_or_6(y, quotient), nan
        low, high = integer_range(y)
        # Beyond 2^40, zero points have no effect.
        whole = np.clip(np.rint(np.where(nan, 0.0, quotient)), -(2.0**40), 2.0**40)
        if zero_point is not None:
            whole = whole + zero_point
        return encode(y, np.clip(whole, low, high)), np.zeros_like(nan)


def dequantize(x, scale, zero_point, y, ignores_zero_point=False):
    """Rule D5."""
    with np.errstate(all="ignore"):
        if zero_point is not None and not ignores_zero_point:
            x = x - zero_point
        product = x.astype(np.float32) * scale.astype(np.float32)
        values = to_wide(y, product.astype(np.float64))
        return encode(y, values), np.isnan(values)


def same(y, expected, found, loose):
    """Equal bits or, at `loose` indices, two NaNs, or two zeros of float4 and float6."""
    equal = expected == found
    if loose.any():

        def is_free(encodings):
            values = FORMATS[y].values(encodings).reshape(np.shape(encodings))
            return values == 0 if y in FLOAT4_AND_6 else np.isnan(values)

        equal |= loose & is_free(expected) & is_free(found)
    return equal
