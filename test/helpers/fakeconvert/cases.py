"""The nodes: every type, destination, kind of shift, granularity and origin of the parameters, with
alternating values."""

import itertools
import zlib
from dataclasses import dataclass, replace

import numpy as np

from fakeconvert.semantics import DESTINATIONS, TYPES, Origin

SCALES = ("one", "usual", "power", "negative", "rounding", "zero", "subnormal", "huge")
SHIFTS = ("none", "zero", "minus zero", "usual", "mixed", "both zeros")
GRANULARITIES = ("scalar", "channel", "full")
ORIGINS = tuple(Origin(*pair) for pair in itertools.product((True, False), repeat=2))


@dataclass(frozen=True)
class Case:
    type: str
    destination: str
    granularity: str
    scale: str  # of SCALES; "all" mixes them, with several elements
    shift: str
    origin: Origin
    number: int = 0
    seed: int = 0
    random: int = 20_000  # f32 values, for each scale
    is_folded: bool = False  # the data are constant, too

    @property
    def rng(self):
        """The case's own random generator, with the same values in every run."""
        return np.random.default_rng(zlib.crc32(repr(self).encode()))

    def arithmetic(self, mode):
        """The CPU plugin folds constants with its reference implementation."""
        return "openvino_reference" if self.is_folded and mode == "openvino" else mode

    def __str__(self):
        where = {True: "constant", False: "input"}
        shift = "no shift"
        if self.shift != "none":
            shift = f"{where[self.origin.shift]} shift '{self.shift}'"
        return (
            f"#{self.number} {self.type} to {self.destination}, {self.granularity} {where[self.origin.scale]} "
            f"scale '{self.scale}', {shift}{', constant data' if self.is_folded else ''}"
        )


def _origins(shift):
    return ORIGINS if shift != "none" else [o for o in ORIGINS if o.shift]


def every(full=False, seed=0):
    """Every combination. Without `full`, the values of scales and the sign of a zero shift
    alternate."""
    made = []
    turns = itertools.count(seed)
    for name, destination, granularity in itertools.product(TYPES, DESTINATIONS, GRANULARITIES):
        shifts = SHIFTS if granularity != "scalar" else SHIFTS[:-2]
        for shift in shifts:
            for origin in _origins(shift):
                scales = SCALES if granularity == "scalar" else ("all", "usual")
                if not full:
                    scales = (scales[next(turns) % len(scales)],)
                # One case of each destination has all of them.
                plain = (granularity, shift, origin.scale) == ("scalar", "none", True)
                for scale in scales:
                    case = Case(name, destination, granularity, scale, shift, origin)
                    made.append(replace(case, random=1_000_000) if plain else case)
        for shift in ("none", "usual"):
            case = Case(name, destination, granularity, "usual", shift, ORIGINS[0])
            made.append(replace(case, is_folded=True))
    return [replace(case, number=i, seed=seed) for i, case in enumerate(made)]
