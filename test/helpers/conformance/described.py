"""Floats of a byte from their description alone, in exact arithmetic: what the formats that ONNX lacks are compared with."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Described:
    name: str  # MLIR's
    signed: bool
    exponent: int  # bits of the field
    mantissa: int
    bias: int
    # Which codes are no numbers: "ieee", "all ones" or "negative zero".
    specials: str
    dtype: np.dtype | None = None  # of ml_dtypes

    @property
    def sign(self):
        return 0x80 if self.signed else 0

    @property
    def largest(self):
        """The magnitude code of the largest number."""
        magnitudes = 0x7F if self.signed else 0xFF
        if self.specials == "ieee":
            return ((1 << self.exponent) - 1 << self.mantissa) - 1
        return magnitudes - (self.specials == "all ones")

    def nan(self, negative):
        if self.specials == "negative zero":
            return np.full(negative.shape, 0x80)
        first = self.largest + 1
        if self.specials == "ieee":
            first |= 1 << (self.mantissa - 1)
        return np.where(negative, self.sign, 0) | first

    def _ordinary(self, magnitudes):
        """What magnitude codes would be if all were numbers, those beyond a byte, too."""
        field, rest = magnitudes >> self.mantissa, magnitudes & ((1 << self.mantissa) - 1)
        steps = np.where(field > 0, rest + (1 << self.mantissa), rest)
        return np.ldexp(
            steps.astype(np.longdouble), np.maximum(field, 1) - self.bias - self.mantissa
        )

    def values(self, codes):
        """The numbers of codes, as long doubles; NaN has the sign of its code."""
        codes = np.asarray(codes).astype(np.int64)
        negative = (codes & self.sign) != 0
        magnitude = codes & ~self.sign
        found = self._ordinary(magnitude)
        isnan = magnitude > self.largest
        if self.specials == "negative zero":
            isnan = codes == 0x80
        if self.specials == "ieee":
            infinite = magnitude == self.largest + 1
            found[infinite] = np.inf
            isnan &= ~infinite
        found[isnan] = np.nan
        return np.copysign(found, np.where(negative, -1.0, 1.0))

    @property
    def midpoints(self):
        """Between each number and the next, the last of them where overflow begins."""
        codes = np.arange(self.largest + 2)
        numbers = self._ordinary(codes)
        return (numbers[1:] + numbers[:-1]) / 2

    def finish(self, values, magnitude, saturate):
        """The codes, where `magnitude` is what the numbers' are rounded to."""
        negative = np.signbit(values)
        over = (magnitude > self.largest) | np.isinf(values)
        overflow = {"ieee": self.largest + 1, "all ones": self.largest + 1, "negative zero": 0x80}
        beyond = self.largest if saturate else overflow[self.specials]
        codes = np.where(over, beyond, magnitude)
        if not self.signed:
            codes = np.where(negative & (codes != 0), 0 if saturate else self.nan(~negative), codes)
        elif self.specials == "negative zero":
            codes = np.where((codes != 0) & negative, codes | 0x80, codes)
        else:
            codes = np.where(negative, codes | 0x80, codes)
        return np.where(np.isnan(values), self.nan(negative), codes).astype(np.uint8)

    def encode(self, values, saturate=True):
        """Codes of long doubles, rounded to nearest even."""
        size = np.abs(values)
        middle = self.midpoints
        magnitude = np.searchsorted(middle, np.where(np.isnan(size), 0, size), side="left")
        # On a tie to the even one of the two.
        tie = np.isin(size, middle)
        magnitude = np.where(tie & (magnitude % 2 == 1), magnitude + 1, magnitude)
        return self.finish(values, magnitude, saturate)


DESCRIBED = {
    described.name: described
    for described in (
        Described("f8E3M4", True, 3, 4, 3, "ieee", np.dtype(ml_dtypes.float8_e3m4)),
        Described("f8E4M3", True, 4, 3, 7, "ieee", np.dtype(ml_dtypes.float8_e4m3)),
        Described("f8E4M3B11FNUZ", True, 4, 3, 11, "negative zero", np.dtype(ml_dtypes.float8_e4m3b11fnuz)),
        Described("!quant_float.f8UE5M3", False, 5, 3, 15, "all ones"),
        # ONNX's, to show that this is right.
        Described("f8E4M3FN", True, 4, 3, 7, "all ones", np.dtype(ml_dtypes.float8_e4m3fn)),
        Described("f8E5M2", True, 5, 2, 15, "ieee", np.dtype(ml_dtypes.float8_e5m2)),
    )
}  # fmt: skip
OWN = tuple(DESCRIBED)[:4]
