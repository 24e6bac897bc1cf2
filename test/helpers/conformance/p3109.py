"""IEEE P3109/D1's Convert in exact arithmetic, by the draft's definitions: formats are lists of
values, and encodings are indices into them."""

import itertools
import re

import ml_dtypes
import numpy as np

DETERMINISTIC = (
    "NearestTiesToEven", "NearestTiesToAway", "TowardPositive", "TowardNegative", "TowardZero", "ToOdd",
)  # fmt: skip
STOCHASTIC = ("StochasticA", "StochasticB", "StochasticC")
SATURATIONS = ("SatFinite", "SatPropagate", "SatNone")
# The two that are MLIR's own types.
BUILTIN = {"binary8p4sf": "f8E4M3FNUZ", "binary8p3sf": "f8E5M2FNUZ"}


class Binary:
    """Binary{K, P, signedness, domain}."""

    def __init__(self, name):
        width, precision, sign, domain = re.fullmatch(
            r"binary(\d+)p(\d+)([su])([ef])", name
        ).groups()
        self.name, self.mlir = name, BUILTIN.get(name, f"!quant_float.{name}")
        self.width, self.precision = int(width), int(precision)
        self.is_signed, self.is_extended = sign == "s", domain == "e"
        self.bias = 2 ** (self.width - self.precision - (1 if self.is_signed else 0))
        # The values of the encodings of one sign, without NaN: T * 2^(1-P) * 2^(1-B), or (1 + T *
        # 2^(1-P)) * 2^(E-B).
        count = 2 ** (self.width - 1) if self.is_signed else 2**self.width - 1
        size = 2 ** (self.precision - 1)
        encodings = np.arange(count)
        trailing, exponent = encodings % size, encodings // size
        self.magnitudes = np.where(
            exponent == 0,
            np.ldexp(trailing / size, 1 - self.bias),
            np.ldexp(1 + trailing / size, exponent - self.bias),
        )
        self.nan = count if self.is_signed else 2**self.width - 1
        if self.is_extended:
            self.magnitudes[-1] = np.inf
        self.highest = self.magnitudes[np.isfinite(self.magnitudes)][-1]
        self.lowest = -self.highest if self.is_signed else 0.0
        self.dtype = np.dtype(np.uint8)

    def values(self, encodings):
        encodings = np.asarray(encodings) & (2**self.width - 1)
        table = np.concatenate(
            [self.magnitudes, [np.nan], -self.magnitudes[1:]]
            if self.is_signed
            else [self.magnitudes, [np.nan]]
        )
        return table[encodings]

    def encodings(self, values):
        """The encodings of values of this format."""
        size = np.abs(values)
        found = np.searchsorted(self.magnitudes, np.where(np.isnan(size), 0, size))
        assert np.all((self.magnitudes[found] == size) | np.isnan(size)), (
            "not a value of the format"
        )
        found = np.where((values < 0), found + 2 ** (self.width - 1), found)
        return np.where(np.isnan(values), self.nan, found).astype(np.uint8)


class Standard:
    """f32, f16 or bf16."""

    is_signed = is_extended = True

    def __init__(self, name, dtype, unsigned, precision, bias):
        self.name = self.mlir = name
        self.dtype, self.unsigned = np.dtype(dtype), unsigned
        self.precision, self.bias = precision, bias
        self.width = 8 * self.dtype.itemsize
        self.highest = float(ml_dtypes.finfo(dtype).max)
        self.lowest = -self.highest

    def values(self, encodings):
        with np.errstate(all="ignore"):
            return np.asarray(encodings, self.unsigned).view(self.dtype).astype(np.float64)

    def encodings(self, values):
        """Zero and NaN have no sign."""
        with np.errstate(all="ignore"):
            encodings = np.where(values == 0, 0.0, values).astype(self.dtype).view(self.unsigned)
        quiet = {"f64": 0x7FF8 << 48, "f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0}[self.name]
        return np.where(np.isnan(values), self.unsigned(quiet), encodings)


STANDARD = {
    "f32": Standard("f32", np.float32, np.uint32, 24, 127),
    "f16": Standard("f16", np.float16, np.uint16, 11, 15),
    "bf16": Standard("bf16", ml_dtypes.bfloat16, np.uint16, 8, 127),
}
DOUBLE = Standard("f64", np.float64, np.uint64, 53, 1023)
ALL = {
    name: Binary(name)
    for k in range(3, 9)
    for p, s, d in itertools.product(range(1, k + 1), "su", "ef")
    if not (s == "s" and p == k)
    for name in [f"binary{k}p{p}{s}{d}"]
}
FORMATS = STANDARD | ALL | {"f64": DOUBLE}
BY_MLIR = {each.mlir: each for each in FORMATS.values()}
# The formats that the draft requires.
REQUIRED = ("binary8p4se", "binary8p3se", "binary4p2sf", "binary8p1uf")


def round_to_precision(to, values, rounding, random, width):
    """For finite values other than 0."""
    size = np.abs(values)
    with np.errstate(all="ignore"):
        top = np.frexp(size)[1] - 1
    last = np.maximum(top, 1 - to.bias) - to.precision + 1
    scaled = np.ldexp(size, -last)
    below = np.floor(scaled)
    rest = scaled - below
    is_even = below % 2 == 0 if to.precision > 1 else (below == 0) | ((last + to.bias) % 2 == 0)
    limit = 2.0**width
    away = {
        "NearestTiesToEven": lambda: (rest > 0.5) | ((rest == 0.5) & ~is_even),
        "NearestTiesToAway": lambda: rest >= 0.5,
        "TowardPositive": lambda: (rest > 0) & (values > 0),
        "TowardNegative": lambda: (rest > 0) & (values < 0),
        "TowardZero": lambda: np.zeros_like(rest, bool),
        "ToOdd": lambda: (rest > 0) & is_even,
        "StochasticA": lambda: np.floor(rest * limit) + random >= limit,
        "StochasticB": lambda: np.floor(rest * 2 * limit) + 2.0 * random + 1 >= 2 * limit,
        "StochasticC": lambda: np.rint(rest * limit) + random >= limit,
    }[rounding]()
    return np.sign(values) * np.ldexp(below + away, last)


def project(to, values, rounding, saturation, random=0, width=0):
    """Returns the encodings of Project(values), which are float64."""
    values = np.asarray(values, np.float64)
    is_finite = np.isfinite(values) & (values != 0)
    rounded = values.copy()
    bits = np.broadcast_to(np.asarray(random, np.float64), values.shape)
    rounded[is_finite] = round_to_precision(to, values[is_finite], rounding, bits[is_finite], width)
    above, below = rounded > to.highest, rounded < to.lowest
    is_infinite = np.isinf(rounded)
    ends = np.where(above, to.highest, to.lowest)
    has_infinity = to.is_extended & (above | to.is_signed)
    if saturation == "SatFinite":
        outside = ends
    elif saturation == "SatPropagate":
        outside = np.where(is_infinite & has_infinity, rounded, ends)
    else:
        stays = {"TowardZero": above | below, "TowardNegative": above, "TowardPositive": below}
        stays = stays.get(rounding, np.zeros_like(above)) & ~is_infinite
        outside = np.where(
            stays, ends, np.where(has_infinity, np.copysign(np.inf, rounded), np.nan)
        )
    return to.encodings(np.where(above | below, outside, rounded))
