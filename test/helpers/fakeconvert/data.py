"""Operands of a case: all inputs if there are 65,536, otherwise those next to where a result
changes, and random ones."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from conformance.formats import FORMATS
from conformance.inputs import boundaries

from fakeconvert.semantics import from_single, to_single

_CHANNELS = 3
_SPECIAL = np.array(
    [
        *(0x00000000, 0x7F800000, 0x7FC00000, 0x7F800001, 0x7FFFFFFF, 0x7F802000, 0x7FA00000),
        *(0x00000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x00400000),
        # The range in which OpenVINO's scalar conversion to f16 doubles values.
        *(0x36FFFFFC, 0x36FFFFFD, 0x36FFEFFF, 0x36FFF000, 0x377FFFFE, 0x377FEFFF, 0x337FFFFF),
        *(0x33000000, 0x33000001, 0x387FC000, 0x387FE000, 0x387FFFFF, 0x38800000, 0x477FE000),
        # 1.0625 and its neighbor, for which double rounding differs from one rounding.
        *(0x3F880000, 0x3F880001, 0x3F87FFFF, 0x3B400000, 0x43E80148, 0x43E00000, 0x47600000),
    ],
    np.uint32,
)


@dataclass
class Data:
    """Encodings. `shift` may be None."""

    x: np.ndarray
    scale: np.ndarray
    shift: np.ndarray | None


def _steps(encodings, *by):
    return np.concatenate([encodings + np.uint32(d % (1 << 32)) for d in by])


@cache
def _edges(destination, every_half):
    """f32 values next to every midpoint of float8 (by ulps of f32, and half and whole ulps of f16),
    special ones, and every f16 value."""
    middle = boundaries(FORMATS[destination], None)
    exponent = np.maximum(np.floor(np.log2(middle)), -14)
    ulp = np.exp2(exponent - 10)
    offsets = np.array([-1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5])
    near = (middle[:, None] + offsets * ulp[:, None]).astype(np.float32).ravel()
    near = _steps(near.view(np.uint32), -1, 0, 1)
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    encodings = np.concatenate([near, halves.view(np.uint32) if every_half else near, _SPECIAL])
    encodings = np.concatenate([encodings, encodings | np.uint32(0x80000000)])
    return np.unique(encodings).view(np.float32)


def _values(kind, rng, count):
    """Scales of a kind, as f32."""
    usual = rng.uniform(1, 2, count) * np.exp2(rng.integers(-7, 8, count))
    if kind == "one":
        usual = np.ones(count)
    elif kind == "power":
        usual = np.exp2(rng.integers(-7, 8, count))
    elif kind == "negative":
        usual = -usual
    elif kind == "rounding":
        # Next to powers of two and to values of few bits, where the rounding of the reciprocal
        # matters.
        usual = np.exp2(rng.integers(-4, 5, count)) * rng.choice(
            [0.99, 1.0078125, 3, 5, 1.5], count
        )
    elif kind == "zero":
        usual = rng.choice([0.0, -0.0], count)
    return usual.astype(np.float32)


def _extreme(kind, name, rng, count):
    """Encodings of the subnormal scales of a type, or of the scales with a subnormal reciprocal."""
    form = FORMATS[name]
    if kind == "huge":
        return from_single(name, (form.max_value * rng.uniform(0.26, 1, count)).astype(np.float32))
    return rng.integers(1, 1 << form.mantissa, count).astype(form.slot)


def _scales(case, rng, shape):
    count = int(np.prod(shape))
    kinds = [case.scale]
    if case.scale == "all":
        kinds = ["one", "usual", "power", "negative", "rounding", "zero", "subnormal", "huge"]
    # A small tensor has few kinds of values.
    chosen = rng.integers(0, len(kinds), count)
    encodings = np.zeros(count, FORMATS[case.type].slot)
    for index, kind in enumerate(kinds):
        if kind in ("subnormal", "huge"):
            made = _extreme(kind, case.type, rng, count)
        else:
            made = from_single(case.type, _values(kind, rng, count))
        encodings = np.where(chosen == index, made, encodings)
    return encodings.reshape(shape)


def _shifts(case, rng, shape):
    if case.shift == "none":
        return None
    count = int(np.prod(shape))
    values = rng.uniform(-300, 300, count) * np.exp2(rng.integers(-8, 1, count))
    if case.shift == "zero":
        values = np.zeros(count)
    elif case.shift == "minus zero":
        values = np.full(count, -0.0)
    elif case.shift == "both zeros":
        values = np.where(np.arange(count) % 3 == 1, -0.0, 0.0)
    elif case.shift == "mixed":
        values = np.where(rng.random(count) < 0.5, values, rng.choice([0.0, -0.0, 1, -2], count))
    return from_single(case.type, values.astype(np.float32)).reshape(shape)


def _around(case, rng, scale, shift):
    """f32 inputs that the scale and shift (of one element each, or of as many elements) map to the
    edges."""
    edges = _edges(case.destination, case.granularity == "scalar")
    if scale.size > 1:
        edges = rng.choice(edges, scale.shape)
    with np.errstate(all="ignore"):
        wanted = edges if shift is None else edges + shift
        divisor = np.where((scale == 0) | ~np.isfinite(1 / scale), np.float32(1), scale)
        encodings = (wanted / divisor).astype(np.float32).view(np.uint32)
    if scale.size > 1:
        return encodings + rng.integers(-1, 2, encodings.shape).astype(np.uint32)
    return _steps(encodings.ravel(), -1, 0, 1)


def _random(rng, count):
    """Mixed exponents: half of the values are random bits, half are near 1."""
    encodings = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    encodings[::2] = (encodings[::2] & np.uint32(0x807FFFFF)) | (
        rng.integers(107, 147, encodings[::2].size).astype(np.uint32) << np.uint32(23)
    )
    return encodings


def _row(case, rng, scale, shift):
    """All inputs of one scale and shift."""
    if case.type != "f32":
        return np.arange(1 << 16, dtype=np.uint16)
    edges = _edges(case.destination, False).view(np.uint32)
    return np.concatenate([_around(case, rng, scale, shift), edges, _random(rng, case.random)])


def _whole(case, rng):
    """A scale for each element."""
    if case.type != "f32":
        x = rng.permuted(np.tile(np.arange(1 << 16, dtype=np.uint16), 2)).reshape(2, 1 << 16)
    count = 1 << 17
    shape = (2, count // 2)
    scale, shift = _scales(case, rng, shape), _shifts(case, rng, shape)
    if case.type == "f32":
        single = None if shift is None else to_single("f32", shift)
        x = _around(case, rng, to_single("f32", scale), single)
        x[1, : case.random] = _random(rng, min(case.random, count // 2))
    return Data(x, scale, shift)


# Shapes with one element, and with one element for each channel: the axis of the channels, and the
# rank of the scale.
_SCALAR_SHAPES = ((), (1,), (1, 1))


def _channels(case, rng):
    scale = _scales(case, rng, (_CHANNELS,))
    shift = _shifts(case, rng, (_CHANNELS,))
    single = [None if part is None else to_single(case.type, part) for part in (scale, shift)]
    rows = [
        _row(case, rng, *(None if part is None else part[i : i + 1] for part in single))
        for i in range(_CHANNELS)
    ]
    x = np.stack(rows)

    def along(axis):
        shape = [1, 1, 1]
        shape[axis] = _CHANNELS
        made = x.reshape(1, _CHANNELS, -1)
        parts = [None if part is None else part.reshape(shape) for part in (scale, shift)]
        return np.ascontiguousarray(np.moveaxis(made, 1, axis)), parts

    way = case.number % 3
    made, parts = along((1, 2, 0)[way])
    if way == 1:
        # A scale of lower rank than the data.
        parts = [None if part is None else part.reshape(_CHANNELS) for part in parts]
    return Data(made, *parts)


def make(case):
    rng = case.rng
    if case.granularity == "full":
        return _whole(case, rng)
    if case.granularity == "channel":
        return _channels(case, rng)
    shape = _SCALAR_SHAPES[case.number % 3]
    scale, shift = _scales(case, rng, shape), _shifts(case, rng, shape)
    single = [None if part is None else to_single(case.type, part) for part in (scale, shift)]
    x = _row(case, rng, *single)
    return Data(x.reshape(1, -1) if len(shape) == 2 else x, scale, shift)
