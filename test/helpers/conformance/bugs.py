"""Buggy rules of libraries (vectors/bugs.toml), each next to the rule without the bug.

A function takes a table and a flag that enables the bug, and returns the results. Most call the
tests' oracle for everything but the bug.
"""

import ml_dtypes
import numpy as np
import quant_float_vectors as vectors

from . import blocks, p3109, vector_tables

F32 = np.float32


def get_amax(table):
    return np.abs(table.input)


def get_element(table):
    return table.attributes.get("element", table.target)


def get_emax(table):
    return int(np.log2(blocks.largest(get_element(table), "f8E8M0FNU")))


def replace(table, rows, encodings):
    """The correct results with some rows replaced."""
    made = vectors.get_encodings(vector_tables.convert(table)).copy()
    made[rows] = np.broadcast_to(encodings, made.shape)[rows]
    return made


def to_scale(exponents, amax):
    """Clamps exponents and encodes them, with the scales of zero and NaN."""
    encodings = np.clip(np.nan_to_num(exponents, posinf=300, neginf=-300) + 127, 0, 254)
    return np.where(amax == 0, 0, np.where(np.isfinite(amax), encodings, 255)).astype(np.uint8)


def requantize(table, factors):
    """The elements of the products with factors, saturated, to nearest even."""
    products = (table.input * factors).astype(F32)
    made = blocks.elements("absmax", table.target, "f32", products, np.ones_like(products))
    return np.where(made == -1, vector_tables.NANS.get(table.target, 0), made).astype(np.uint8)


def log2_floor(table, faulty):
    amax = get_amax(table)
    logarithm = np.log2(amax) if faulty else np.frexp(amax)[1] - 1.0
    return to_scale(np.floor(logarithm) - get_emax(table), amax)


def log2_ceil(table, faulty):
    amax = get_amax(table)
    largest = blocks.largest(get_element(table), "f8E8M0FNU")
    if faulty:
        return to_scale(np.ceil(np.log2(amax / F32(largest))), amax)
    mantissa, exponent = np.frexp(amax.astype(np.float64) / largest)
    return to_scale(exponent - (mantissa == 0.5), amax)


def scale_code_0(table, value):
    """Multiplies by reciprocals of scales. The reciprocal for the encoding 0 is given."""
    exponents = 127 - table.scale.astype(np.float64)
    factors = np.where(table.scale == 0, 1 / value, np.exp2(exponents))
    with np.errstate(all="ignore"):
        made = requantize(table, factors)
    return replace(table, table.scale == 0, made)


def scale_through_bf16(table, faulty):
    amax = get_amax(table)
    with np.errstate(all="ignore"):
        quotient = amax * (F32(1) / F32(blocks.largest(get_element(table), "f8E8M0FNU")))
        if faulty:
            quotient = quotient.astype(ml_dtypes.bfloat16).astype(F32)
    mantissa, exponent = np.frexp(quotient)
    exponents = np.where(quotient <= 2.0**-127, -127.0, exponent - (mantissa == 0.5))
    return to_scale(exponents, amax)


def code_0_is_smallest_normal(table, faulty):
    return scale_code_0(table, 2.0**-126 if faulty else 2.0**-127)


def code_0_is_one(table, faulty):
    return scale_code_0(table, 1.0 if faulty else 2.0**-127)


def code_0_is_zero(table, faulty):
    bits = vectors.get_encodings(table.input).astype(np.uint32) << 23
    nan = bits == 255 << 23
    if not faulty:
        bits[bits == 0] = 1 << 22
    return np.where(nan, np.uint32(0x7FC00000), bits)


def cast_to_scale(table, faulty, round_up):
    """Casts to f8E8M0FNU via the bits of f32, saturating. `round_up` decides for exponents and
    mantissas."""
    bits = table.input.view(np.uint32).astype(np.int64)
    magnitude = bits & 0x7FFFFFFF
    exponent, mantissa = magnitude >> 23, magnitude & 0x7FFFFF
    encoding = np.where(round_up(exponent, mantissa), exponent + 1, exponent)
    # 2^-127 is a subnormal of f32 itself, whose encoding is 0.
    encoding = np.where((magnitude <= 0x400000) | (bits >> 31 == 1), 0, encoding)
    encoding = np.minimum(encoding, 254)
    return np.where(magnitude > 0x7F800000, 255, encoding).astype(np.uint8)


def round_to_nearest(exponent, mantissa):
    tie = np.where(exponent == 0, 0x600000, 0x400000)
    return mantissa >= tie


def truncated_scale(table, faulty):
    truncate = lambda exponent, mantissa: np.zeros(mantissa.shape, bool)  # noqa: E731
    return cast_to_scale(table, faulty, truncate if faulty else round_to_nearest)


def masked_fraction(table, faulty):
    mask = 0x4FFFFF if faulty else 0x7FFFFF
    return cast_to_scale(table, faulty, lambda exponent, mantissa: (mantissa & mask) > 0)


def subnormal_rounds_up(table, faulty):
    def round_up(exponent, mantissa):
        return mantissa >= np.where((exponent == 0) & (not faulty), 0x600000, 0x400000)

    return cast_to_scale(table, faulty, round_up)


def truncated_quotient(table, faulty):
    amax = get_amax(table)
    with np.errstate(all="ignore"):
        encodings = (amax / F32(6)).view(np.uint32) >> 23
    return replace(table, np.isfinite(amax) & faulty, encodings)


def nearest(table, faulty):
    rule = "nearest" if faulty else table.attributes["rule"]
    return blocks.scales(rule, get_element(table), "f8E8M0FNU", table.input)


def even(table, mantissa_bits, has_nan):
    amax = get_amax(table)
    bits = amax.view(np.uint32).astype(np.int64) + (1 << (22 - mantissa_bits))
    exponents = (bits >> 23) - 127.0
    encodings = to_scale(exponents - get_emax(table), amax)
    return np.where((exponents == 128) & has_nan, 255, encodings).astype(np.uint8)


def even_without_overflow(table, faulty):
    return even(table, blocks.MANTISSA[get_element(table)], not faulty)


def even_of_float4(table, faulty):
    return even(table, 1 if faulty else blocks.MANTISSA[get_element(table)], True)


def subnormal_quotient_is_one_code(table, faulty):
    amax = get_amax(table)
    with np.errstate(all="ignore"):
        small = (amax > 0) & (amax / F32(448) < F32(2.0**-126))
    return replace(table, small & faulty, 1)


def divided_in_f32(table, faulty):
    amax = get_amax(table)
    exact = amax / (F32(4) if faulty else 4.0 * np.ones(amax.shape))
    exponents = np.where(exact < 2.0**-126, -127.0, np.frexp(exact)[1] - 1.0)
    return to_scale(exponents, amax)


def flushed_factor(table, faulty):
    factors = np.exp2(127 - table.scale.astype(np.float64))
    factors[table.scale == 254] = 0 if faulty else 2.0**-127
    rows = (table.scale == 254) & np.isfinite(table.input)
    with np.errstate(all="ignore"):
        return replace(table, rows, requantize(table, factors))


def overflow_is_nan(table, faulty):
    with np.errstate(all="ignore"):
        clipped = table.input if faulty else np.clip(table.input, -448, 448)
        return clipped.astype(ml_dtypes.float8_e4m3fn)


def sign_of_comparison(table, faulty):
    made = vector_tables.convert(table)
    lost = (table.input == 0) & np.signbit(table.input) & ((made & 7) == 0)
    return np.where(lost & faulty, 0, made).astype(np.uint8)


def round_ties(table, rows, choose):
    """Replaces ties of f4E2M1FN. `choose` returns the encoding of the magnitude that replaces a tie
    from that of its smaller neighbor."""
    values = blocks.magnitudes("f4E2M1FN")
    with np.errstate(all="ignore"):
        quotients = np.abs(table.input.astype(np.float64) * np.exp2(127.0 - table.scale))
    made = vector_tables.convert(table)
    for low in range(7):
        tie = quotients == (values[low] + values[low + 1]) / 2
        made[tie & rows] = (made[tie & rows] & 8) | choose(low)
    return made


def ties_away(table, faulty):
    rows = (table.scale != 255) & faulty
    return round_ties(table, rows, lambda low: low + 1)


def ties_toward_zero(table, faulty):
    rows = (table.scale != 255) & faulty
    return round_ties(table, rows, lambda low: low)


def negative_zeros(table, faulty):
    made = vector_tables.convert(table)
    return np.where(((made & 7) == 0) & faulty & (table.scale != 255), 8, made).astype(np.uint8)


def lowest_integer(table, faulty):
    made = vector_tables.convert(table)
    return np.where((made.view(np.int8) == -127) & faulty, np.uint8(128), made.view(np.uint8))


def writes_zeros(table, faulty):
    made = vector_tables.convert(table)
    return np.zeros_like(made) if faulty else made


def largest_from_248(table, faulty):
    made = vector_tables.convert(table)
    # 248 is a tie, which rounds to 256, the encoding 0x78.
    return np.where((made >= 0x78) & (made < 0x7E) & faulty, 0x7E, made).astype(np.uint8)


def smallest_scale(table, faulty):
    return replace(table, (table.input == 0) & np.isfinite(table.tensor_amax) & faulty, 8)


def reciprocal_of_reciprocal(table, faulty):
    if not faulty:
        return vector_tables.convert(table)
    with np.errstate(all="ignore"):
        made = F32(1) / (F32(2688) / np.abs(table.input))
    return np.where(made == 0, F32(1), made)


def reciprocal_overflows(table, faulty):
    with np.errstate(all="ignore"):
        reciprocal = F32(2688) / np.abs(table.tensor_amax)
        reciprocal = np.where(table.tensor_amax == 0, F32(1), reciprocal)
        if not faulty:
            return vector_tables.convert(table)
        scale = np.abs(table.input) * (reciprocal * (F32(1) / F32(6)))
        made = np.minimum(scale, F32(448)).astype(ml_dtypes.float8_e4m3fn)
    return replace(table, np.isinf(reciprocal), made.view(np.uint8))


def dequantize(table, multiply):
    values = blocks.decode_elements(table.input, table.source, table.scale_type)
    scales = blocks.decode_scale(table.scale, table.scale_type)
    with np.errstate(all="ignore"):
        return multiply(values, scales, table.tensor_scale).astype(F32)


def other_order(table, faulty):
    if faulty:
        return dequantize(table, lambda values, scales, tensor: values * (scales * tensor))
    return dequantize(table, lambda values, scales, tensor: (values * scales) * tensor)


def scale_in_f16(table, faulty):
    kind = np.float16 if faulty else F32

    def multiply(values, scales, tensor):
        return values * (scales * tensor).astype(kind).astype(F32)

    return dequantize(table, multiply)


def padded_columns_survive(table, faulty):
    made = vector_tables.convert(table)
    rows, columns = table.attributes["rows"], table.attributes["columns"]
    padded = table.attributes["padded_columns"]
    if not faulty:
        return made
    # The scale i is read at index i of the padded rows, which may be padding.
    grid = np.full((rows, padded), 0xFFFFFFFF, np.uint32)
    grid[:, :columns] = made.reshape(rows, columns)
    return grid.reshape(-1)[: made.size]


def padding_not_written(table, faulty):
    """The scales in the layout, by their indices from 1 on, and the contents of the padding."""
    padded = table.attributes["padded_rows"] * table.attributes["padded_columns"]
    packed = np.full(padded, 0xAAAAAAAA if faulty else 0, np.uint32)
    packed[vector_tables.convert(table)] = table.input + 1
    return packed


def truncated_f32(table, faulty):
    scales = np.maximum(get_amax(table), F32(1e-4)) / F32(448)
    return replace(table, np.isfinite(scales) & faulty, scales.view(np.uint32) >> 23)


def tosa_as_ceil(table, faulty):
    rule = "ceil_exact" if faulty else table.attributes["rule"]
    return blocks.scales(rule, get_element(table), "f8E8M0FNU", table.input)


def project(table, values=None, saturation=None):
    target = p3109.BY_MLIR[table.target]
    values = table.input.astype(np.float64) if values is None else values
    saturation = saturation or table.attributes["saturation"]
    return p3109.project(target, values, table.attributes["rounding"], saturation)


def sign_ignored(table, faulty):
    return project(table, np.abs(table.input.astype(np.float64)) if faulty else None)


def negative_is_zero(table, faulty):
    values = table.input.astype(np.float64)
    return project(table, np.where(values < 0, 0, values) if faulty else None)


def finite_saturates(table, faulty):
    return project(table, saturation="SatFinite" if faulty else None)


def get_expected(rule, table):
    """The expected results."""
    if rule is not padding_not_written:
        return None
    expected = np.zeros(table.attributes["padded_rows"] * table.attributes["padded_columns"])
    expected[table.output] = table.input + 1
    return expected
