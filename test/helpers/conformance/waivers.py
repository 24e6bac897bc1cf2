"""Known differences between casts and their oracles: test/Conformance/waivers.toml, and the
predicates of its entries."""

import fnmatch
import tomllib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from conformance.formats import FORMATS


@dataclass
class Case:
    """One cast of many elements, with the results of the Reference and of an oracle."""

    source: str
    to: str
    opset: int
    saturate: bool
    round_mode: str
    encodings: np.ndarray
    expected: np.ndarray
    found: np.ndarray
    # Casts encodings of a type to another with this case's options, in the Reference.
    cast: object = None

    @cached_property
    def values(self):
        return FORMATS[self.source].values(self.encodings)

    @cached_property
    def expected_values(self):
        return FORMATS[self.to].values(self.expected)

    @cached_property
    def found_values(self):
        return FORMATS[self.to].values(self.found)

    @cached_property
    def negative(self):
        """The sign bit, also of NaN."""
        source = FORMATS[self.source]
        if not source.signed:
            return np.zeros(self.encodings.shape, bool)
        return (self.encodings >> source.slot.type(source.width - 1)).astype(bool)


def _nan(case):
    return np.isnan(case.values)


def _infinity(case):
    return np.isinf(case.values)


def _nan_payload(case):
    """Both are NaN and agree in sign; only the payload differs."""
    shift = FORMATS[case.to].slot.type(FORMATS[case.to].width - 1)
    same_sign = (case.expected >> shift) == (case.found >> shift)
    return np.isnan(case.expected_values) & np.isnan(case.found_values) & same_sign


def _nan_sign(case):
    """Both are NaN."""
    return np.isnan(case.expected_values) & np.isnan(case.found_values)


def _through_f32(case):
    """The Reference's result for the source rounded to f32 first."""
    return case.found == case.cast("f32", case.to, case.cast(case.source, "f32", case.encodings))


def _beyond_integer(case):
    """NaN, or values that C11's intermediate integer cannot hold after truncation."""
    whole = np.trunc(case.values)
    if case.to == "ui64":
        low, high = -(np.longdouble(2) ** 63), np.longdouble(2) ** 64
    elif case.to in ("i64", "ui32"):
        low, high = -(np.longdouble(2) ** 63), np.longdouble(2) ** 63
    else:
        low, high = -(np.longdouble(2) ** 31), np.longdouble(2) ** 31
    return ~((whole >= low) & (whole < high))


def _outside_destination(case):
    """NaN, or values that the destination cannot hold after truncation."""
    whole, form = np.trunc(case.values), FORMATS[case.to]
    high = np.longdouble(2) ** (form.width - form.signed)
    return ~((whole >= (-high if form.signed else 0)) & (whole < high))


def _rounds_half_away(case):
    """A value with a fraction, rounded half away from zero before its low bits are taken."""
    values = case.values
    fraction = np.isfinite(values) & (values != np.trunc(values))
    with np.errstate(invalid="ignore"):
        rounded = np.copysign(np.floor(np.abs(values) + np.longdouble(0.5)), values)
        bits = np.where(fraction, rounded, 0).astype(np.int64).astype(np.uint64)
    mask = np.uint64((1 << FORMATS[case.to].width) - 1)
    return fraction & ((bits & mask) == case.found.astype(np.uint64))


def _magnitude_between(low, high):
    """A magnitude in [low, high) after rounding to f32."""

    def predicate(case):
        with np.errstate(over="ignore"):
            magnitude = np.abs(case.values).astype(np.float32)
        return (magnitude >= low) & (magnitude < high)

    return predicate


_MIN_SCALE, _MAX_SCALE = np.longdouble(2) ** -127, np.longdouble(2) ** 127


def _zero(case):
    return case.values == 0


def _negative(case):
    return case.negative & ~np.isnan(case.values)


def _below_scale(case):
    """A positive value below f8E8M0FNU's smallest."""
    return (case.values > 0) & (case.values < _MIN_SCALE)


def _above_scale(case):
    """A finite value above f8E8M0FNU's largest."""
    return (case.values > _MAX_SCALE) & np.isfinite(case.values)


def _next_to_smallest_scale(case):
    """Between 2^-127 and the midpoint to the next power."""
    return (case.values > _MIN_SCALE) & (case.values < 1.5 * _MIN_SCALE)


def _smallest_scale(case):
    """2^-127 itself."""
    return case.values == _MIN_SCALE


PREDICATES = {
    "nan": _nan,
    "infinity": _infinity,
    "nan_payload": _nan_payload,
    "nan_sign": _nan_sign,
    "through_f32": _through_f32,
    "beyond_integer": _beyond_integer,
    "outside_destination": _outside_destination,
    "rounds_half_away": _rounds_half_away,
    "magnitude_480_to_496": _magnitude_between(480, 496),
    "magnitude_61440_to_65536": _magnitude_between(61440, 65536),
    "zero": _zero,
    "negative": _negative,
    "below_scale": _below_scale,
    "above_scale": _above_scale,
    "next_to_smallest_scale": _next_to_smallest_scale,
    "smallest_scale": _smallest_scale,
}


def check_fields(entry, fields, conditions):
    """An entry of the table has all required fields, and some of the optional conditions."""
    missing, unknown = fields - entry.keys(), entry.keys() - fields - conditions
    if missing or unknown:
        raise ValueError(f"waiver {entry}: missing {sorted(missing)}, unknown {sorted(unknown)}")


class Waiver:
    FIELDS = {"oracle", "from", "to", "when", "rule", "reason"}
    CONDITIONS = {"saturate", "min_opset", "max_opset", "round_mode"}

    def __init__(self, entry):
        check_fields(entry, self.FIELDS, self.CONDITIONS)
        self.entry = entry
        self.predicate = PREDICATES[entry["when"]]
        self.hits = 0

    def __str__(self):
        e = self.entry
        return f"{e['oracle']}: {','.join(e['from'])} -> {','.join(e['to'])} when {e['when']} ({e['rule']})"

    def covers(self, case):
        e = self.entry
        return (
            any(fnmatch.fnmatchcase(case.source, p) for p in e["from"])
            and any(fnmatch.fnmatchcase(case.to, p) for p in e["to"])
            and e.get("saturate", case.saturate) == case.saturate
            and e.get("min_opset", 1) <= case.opset <= e.get("max_opset", 1000)
            and case.round_mode in e.get("round_mode", [case.round_mode])
        )


def load(path, oracle):
    """The entries of one oracle."""
    with open(path, "rb") as file:
        entries = tomllib.load(file)["waiver"]
    return [waiver for waiver in map(Waiver, entries) if waiver.entry["oracle"] == oracle]
