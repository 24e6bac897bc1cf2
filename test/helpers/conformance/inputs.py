"""The encodings of a source type to test with a destination: all of them up to 16 bits, otherwise
special values, powers of two, every rounding boundary of the destination with its neighbors, and
seeded random patterns."""

import numpy as np

from conformance.formats import FORMATS

RANDOM_ENCODINGS = 200_000
_SAMPLED_MIDPOINTS = 50_000


def _narrow_grid(to):
    """Every value of a narrow float from zero up, and the value that would follow the largest
    one."""
    step = 2.0 ** (to.min_exponent - to.mantissa)
    one = 1 << to.mantissa
    values, unit, significand = [], step, 0
    while significand * unit <= to.max_value:
        values.append(significand * unit)
        significand += 1
        if significand == 2 * one:
            significand, unit = one, 2 * unit
    return np.array([*values, significand * unit])


def _float_midpoints(to, rng):
    """Midpoints of neighbors of a float of up to 32 bits (each is exact in f64)."""
    if to.width <= 8:
        grid = _narrow_grid(to)
        return (grid[1:] + grid[:-1]) / 2
    unsigned = to.slot.type
    top = 0x7F800000 if to.width == 32 else (0x7F80 if to.name == "bf16" else 0x7C00)
    if to.width == 32:
        encodings = np.concatenate(
            [rng.integers(0, top, _SAMPLED_MIDPOINTS), np.arange(2000), top - 1 - np.arange(2000)]
        )
    else:
        encodings = np.arange(top)
    below = to.values(encodings.astype(unsigned)).astype(np.float64)
    # The successor of the largest finite value would have the encoding of infinity.
    step = np.maximum(np.exp2(np.floor(np.log2(np.maximum(below, 2.0**to.min_exponent)))), 0)
    return below + np.ldexp(step, -to.mantissa - 1)


def boundaries(to, rng):
    """Positive values at which the result of a cast to `to` changes."""
    if to.kind == "scale":
        powers = np.exp2(np.arange(-151, 131, dtype=np.float64))
        return np.concatenate([powers, 1.5 * powers])
    if to.kind == "float" and to.width <= 32:
        return np.concatenate([[to.max_value], _float_midpoints(to, rng)])
    if to.kind == "integer":
        powers = np.exp2(np.arange(0, 66, dtype=np.float64))
        offsets = np.array([-1.5, -1, -0.5, 0, 0.5, 1, 1.5])
        return np.abs(
            np.concatenate([np.add.outer(powers, offsets).ravel(), np.arange(0, 300, 0.5)])
        )
    return np.array([0.0])


def _neighbors(encodings, mask):
    return np.concatenate(
        [(encodings + np.uint64(d % (1 << 64))) & mask for d in (-2, -1, 0, 1, 2)]
    )


def _float_encodings(source, to, rng):
    sign = np.uint64(1 << (source.width - 1))
    mask = np.uint64(sign - np.uint64(1))
    mantissa = np.uint64(source.mantissa)
    infinity = np.uint64(int(mask) >> source.mantissa << source.mantissa)
    one = np.uint64(1)
    # Encodings around zero, the smallest normal, infinity, the quiet bit and the last NaN.
    marks = [0, 1 << source.mantissa, int(infinity), int(infinity) | (1 << (source.mantissa - 1))]
    specials = _neighbors(np.array([*marks, int(mask)], np.uint64), mask)
    powers = np.arange(0, int(infinity), 1 << source.mantissa, dtype=np.uint64)
    subnormal_powers = one << np.arange(source.mantissa, dtype=np.uint64)
    with np.errstate(over="ignore"):
        edges = boundaries(to, rng).astype(source.dtype).view(source.slot).astype(np.uint64)
    chosen = _neighbors(np.concatenate([powers, subnormal_powers, edges]), mask)
    chosen = np.concatenate([specials, chosen])

    # Uniform patterns are rarely in the range of a narrow destination, so half of them get an
    # exponent near it.
    random = rng.integers(0, 1 << 64, RANDOM_ENCODINGS, dtype=np.uint64) >> np.uint64(
        64 - source.width
    )
    low, high = to.min_exponent - to.mantissa - 3, int(np.log2(to.max_value or 2.0**64)) + 3
    bias = int(infinity >> mantissa) // 2
    low, high = max(low + bias, 0), min(high + bias, 2 * bias)
    near = rng.integers(low, high + 1, RANDOM_ENCODINGS // 2, dtype=np.uint64) << mantissa
    random[: RANDOM_ENCODINGS // 2] &= ~infinity
    random[: RANDOM_ENCODINGS // 2] |= near
    return np.concatenate([chosen, chosen | sign, random])


def _integer_encodings(source, to, rng):
    mask = np.uint64((1 << source.width) - 1)
    edges = boundaries(to, rng)
    edges = edges[edges < 2.0**63].astype(np.int64).astype(np.uint64)
    powers = np.uint64(1) << np.arange(source.width, dtype=np.uint64)
    chosen = [np.arange(300, dtype=np.uint64), edges, powers, powers + (powers >> np.uint64(1))]
    if to.kind == "float":
        # Ties of the destination's precision at any bit of the source: an odd significand, shifted.
        bits = min(to.mantissa + 2, source.width - 1)
        odd = rng.integers(
            1 << (bits - 1), 1 << bits, _SAMPLED_MIDPOINTS, dtype=np.uint64
        ) | np.uint64(1)
        chosen.append(odd << rng.integers(0, source.width - bits + 1, odd.size, dtype=np.uint64))
    chosen = _neighbors(np.concatenate(chosen), mask)
    random = rng.integers(0, 1 << 64, RANDOM_ENCODINGS, dtype=np.uint64)
    random[::2] >>= rng.integers(0, 64, RANDOM_ENCODINGS // 2, dtype=np.uint64)
    return np.concatenate([chosen, (~chosen + np.uint64(1)), random]) & mask


def encodings(source_name, to_name, seed=20240229):
    """The encodings of `source_name` to cast to `to_name`, without duplicates."""
    source, to = FORMATS[source_name], FORMATS[to_name]
    if source.width <= 16:
        return np.arange(1 << source.width, dtype=np.uint32).astype(source.slot)
    rng = np.random.default_rng(seed)
    make = _float_encodings if source.kind == "float" else _integer_encodings
    return np.unique(make(source, to, rng).astype(source.slot))
