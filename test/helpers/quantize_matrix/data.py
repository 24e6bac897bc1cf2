"""Inputs of a case: quotients on and around every boundary of the result, special values, and
random encodings."""

from dataclasses import dataclass

import numpy as np
from conformance.formats import FLOAT4_AND_6, FLOAT8, FNUZ, FORMATS
from conformance.inputs import boundaries

from quantize_matrix import semantics


@dataclass
class Data:
    """Encodings, in the shapes of the case's inputs. zero_point may be None."""

    x: np.ndarray
    scale: np.ndarray
    zero_point: np.ndarray | None


def spread(case, values):
    """A scale or zero point, broadcast to the elements of x."""
    if case.axis is None:
        return np.broadcast_to(values.reshape(()), case.shape)
    if case.block:
        block = min(case.block, case.shape[case.axis])
        repeated = np.repeat(values, block, axis=case.axis)
        kept = np.arange(case.shape[case.axis])
        return np.take(repeated, kept, axis=case.axis)
    shape = [1] * len(case.shape)
    shape[case.axis] = -1
    return np.broadcast_to(values.reshape(shape), case.shape)


def values_of(name, encodings):
    """As f64, which represents every type of these ops."""
    return FORMATS[name].values(encodings).astype(np.float64).reshape(encodings.shape)


def to_encodings(name, values):
    """f64 values as encodings of a type, rounded to nearest."""
    form = FORMATS[name]
    if form.kind == "integer":
        low, high = semantics.integer_range(name)
        return semantics.encode(name, np.clip(np.rint(np.nan_to_num(values)), low, high))
    if form.kind == "scale":
        with np.errstate(all="ignore"):
            exponent = np.nan_to_num(np.clip(np.round(np.log2(np.abs(values))), -127, 127))
        return (exponent + 127).astype(np.uint8)
    return semantics.encode(name, semantics.to_wide(name, values))


def _random_encodings(rng, name, count):
    form = FORMATS[name]
    return form.encodings(rng.integers(0, 1 << 63, count, dtype=np.uint64).astype(form.slot))


_EXTREME_SCALES = (
    0.0,
    -0.0,
    -0.75,
    -3.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-45,
    1e-40,
    3e38,
    6e-8,
    6e4,
    -1e-7,
)


def _scales(case, rng, count):
    if case.scale == "i32":
        usual = rng.choice([1, 2, 3, 5, 7, 10, 49, 100, 1000, 65537, 16777217], count)
        extreme = rng.choice([0, -1, -3, 2**31 - 1, -(2**31), 33554433, 1077936129], count)
    else:
        usual = rng.uniform(1, 2, count) * np.exp2(rng.integers(-7, 8, count))
        # Powers of two have exact ties, and so do scales of few bits.
        usual = np.where(rng.random(count) < 0.4, np.exp2(np.floor(np.log2(usual))), usual)
        usual = np.where(rng.random(count) < 0.2, np.rint(usual * 4) / 4 + 0.25, usual)
        extreme = rng.choice(_EXTREME_SCALES, count)
    encodings = to_encodings(case.scale, usual.astype(np.float64))
    if not case.extreme:
        return encodings
    extreme_encodings = to_encodings(case.scale, extreme.astype(np.float64))
    if case.scale == "f8E8M0FNU":
        extreme_encodings = rng.choice(np.array([0, 1, 2, 100, 254, 255], np.uint8), count)
    else:
        random = _random_encodings(rng, case.scale, count)
        extreme_encodings = np.where(rng.random(count) < 0.3, random, extreme_encodings)
    # One extreme scale alone, or some among others.
    chosen = rng.random(count) < (1.0 if count == 1 else 0.5)
    return np.where(chosen, extreme_encodings, encodings)


def _zero_points(case, rng, count):
    name = case.quantized
    if name in FLOAT8:
        # Q7: those of an initializer are zero, others are ignored.
        if case.constants == "none" and case.number % 2:
            return _random_encodings(rng, name, count)
        minus_zero = 0 if name in FNUZ else 0x80
        return np.full(count, minus_zero if case.number % 5 == 0 else 0, np.uint8)
    if name == "i32":
        usual = rng.choice([0, 1, -7, 1000, 2**31 - 1, -(2**31)], count)
        return to_encodings(name, np.where(case.extreme, usual, 0).astype(np.float64))
    encodings = _random_encodings(rng, name, count)
    if FORMATS[name].kind == "integer":
        ends = to_encodings(name, rng.choice([-1e9, 0, 0, 1, 1e9], count))
        encodings = np.where(rng.random(count) < 0.6, ends, encodings)
    return np.where(rng.random(count) < 0.2, np.zeros_like(encodings), encodings)


def _quotients(case, rng, zero_point):
    """Values of x / scale at which the result changes."""
    y, count = case.y, zero_point.size
    if y in FLOAT8 or y in FLOAT4_AND_6:
        edges = boundaries(FORMATS[y], rng)
        chosen = rng.choice(edges, count) * rng.choice([-1.0, 1.0], count)
        return np.where(rng.random(count) < 0.1, chosen * 4, chosen)
    low, high = semantics.integer_range(y)
    span = high - low
    ties = rng.integers(-span, span + 1, count) + 0.5
    near = rng.integers(-20, 21, count) / 2
    ends = rng.choice([low, high, low, high, -span, span, 0], count)
    ends = ends + rng.choice([-1, -0.5, 0, 0.5, 1], count) - zero_point
    huge = rng.choice([-1.0, 1.0], count) * np.exp2(rng.uniform(15, 90, count))
    return np.choose(rng.choice(4, count, p=[0.4, 0.2, 0.3, 0.1]), [ties, near, ends, huge])


_SPECIAL = (
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-45,
    -1e-45,
    1e-38,
    6e-8,
    1e38,
    -3.4e38,
    65504,
    -65504,
)


def _step(name, encodings, by):
    """Moves values by some units in the last place, without changing the sign."""
    form = FORMATS[name]
    if form.kind == "integer":
        return to_encodings(name, values_of(name, encodings) + by)
    magnitude = np.int64((1 << (form.width - 1)) - 1)
    wide = encodings.astype(np.int64)
    moved = np.clip((wide & magnitude) + by, 0, magnitude)
    return ((wide & ~magnitude) | moved).astype(form.slot)


def _quantize_inputs(case, rng, scale, zero_point):
    count = scale.size
    with np.errstate(all="ignore"):
        chosen = _quotients(case, rng, zero_point) * np.where(scale == 0, 1.0, scale)
        around = _step(case.x, to_encodings(case.x, chosen), rng.integers(-1, 2, count))
        special = to_encodings(case.x, rng.choice(_SPECIAL, count))
    if case.x == "i32":
        # Next to the ties of bf16, f16 and f32, to detect double rounding.
        ties = (rng.integers(-(2**8), 2**8, count) * 2 + 1) << rng.choice(
            [1, 12, 16, 21, 22], count
        )
        special = rng.choice([0.0, 2**31 - 1, -(2.0**31), 2**24 + 1, -1], count)
        special = np.where(rng.random(count) < 0.5, ties + rng.integers(-1, 2, count), special)
        special = to_encodings(case.x, special)
    random = _random_encodings(rng, case.x, count)
    return np.choose(rng.choice(3, count, p=[0.75, 0.15, 0.1]), [around, special, random])


def _dequantize_inputs(case, rng, count):
    encodings = _random_encodings(rng, case.x, count)
    if case.x == "i32":
        # Values that f32 rounds, and small ones.
        small = to_encodings(case.x, rng.integers(-300, 300, count).astype(np.float64))
        odd = to_encodings(
            case.x, (rng.integers(-64, 64, count) * 2 + 1) * 2.0**24 + rng.integers(-1, 2, count)
        )
        encodings = np.choose(rng.choice(3, count), [encodings, small, odd])
    return encodings


def make(case):
    rng = case.rng
    scale = _scales(case, rng, int(np.prod(case.scale_shape))).reshape(case.scale_shape)
    zero_point = None
    if case.zp_shape is not None:
        zero_point = _zero_points(case, rng, scale.size).reshape(case.zp_shape)
    if case.quantizes:
        each = spread(case, values_of(case.scale, scale)).ravel()
        each_zero = np.zeros(each.size)
        if zero_point is not None:
            each_zero = spread(case, values_of(case.y, zero_point)).ravel()
        x = _quantize_inputs(case, rng, each, each_zero)
    else:
        x = _dequantize_inputs(case, rng, int(np.prod(case.shape)))
    return Data(x.reshape(case.shape), scale, zero_point)


def expected(case, data, **options):
    """The results by the rules, and where two results are right. The options change the rules."""
    x = values_of(case.x, data.x)
    scale = spread(case, values_of(case.scale, data.scale))
    zero_point = None
    if data.zero_point is not None:
        zero_point = spread(case, values_of(case.quantized, data.zero_point))
    if not case.quantizes:
        return semantics.dequantize(x, scale, zero_point, case.y, case.x in FLOAT8)
    settings = {"precision": case.division, "saturate": case.saturate, **options}
    return semantics.quantize(x, scale, zero_point, case.y, **settings)
