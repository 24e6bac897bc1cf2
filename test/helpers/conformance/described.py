"""Floats defined by their description alone, in exact arithmetic: the oracle for formats that ONNX
lacks and for stochastic rounding."""

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
    # The encodings that are not numbers: "ieee", "all ones", "negative zero" or "none".
    specials: str
    dtype: np.dtype | None = None  # ml_dtypes' type

    @property
    def bits(self):
        return self.signed + self.exponent + self.mantissa

    @property
    def sign(self):
        return 1 << (self.bits - 1) if self.signed else 0

    @property
    def largest(self):
        """The magnitude bits of the largest finite value."""
        magnitudes = (1 << (self.exponent + self.mantissa)) - 1
        if self.specials == "ieee":
            return ((1 << self.exponent) - 1 << self.mantissa) - 1
        return magnitudes - (self.specials == "all ones")

    def nan(self, negative):
        if self.specials == "negative zero":
            return np.full(negative.shape, self.sign)
        if self.specials == "none":
            return np.where(negative, 0, self.sign)
        first = self.largest + 1
        if self.specials == "ieee":
            first |= 1 << (self.mantissa - 1)
        return np.where(negative, self.sign, 0) | first

    def _ordinary(self, magnitudes):
        """The values of magnitude bits if all were finite, including those beyond the width."""
        field, rest = magnitudes >> self.mantissa, magnitudes & ((1 << self.mantissa) - 1)
        steps = np.where(field > 0, rest + (1 << self.mantissa), rest)
        return np.ldexp(
            steps.astype(np.longdouble), np.maximum(field, 1) - self.bias - self.mantissa
        )

    def values(self, encodings):
        """The values of encodings, as long doubles. NaN has the sign of its encoding."""
        encodings = np.asarray(encodings).astype(np.int64)
        negative = (encodings & self.sign) != 0
        magnitude = encodings & ~self.sign
        found = self._ordinary(magnitude)
        isnan = magnitude > self.largest
        if self.specials == "negative zero":
            isnan = encodings == self.sign
        if self.specials == "ieee":
            infinite = magnitude == self.largest + 1
            found[infinite] = np.inf
            isnan &= ~infinite
        found[isnan] = np.nan
        return np.copysign(found, np.where(negative, -1.0, 1.0))

    @property
    def midpoints(self):
        """The midpoints of neighbors. The last one is where overflow starts."""
        encodings = np.arange(self.largest + 2)
        numbers = self._ordinary(encodings)
        return (numbers[1:] + numbers[:-1]) / 2

    def finish(self, values, magnitude, saturate):
        """The encodings. `magnitude` contains the rounded magnitude bits."""
        negative = np.signbit(values)
        over = (magnitude > self.largest) | np.isinf(values)
        # 16-bit floats always overflow to infinity (C2).
        saturate = saturate and self.bits <= 8
        beyond = self.largest + 1
        if self.specials == "negative zero":
            beyond = self.sign
        if saturate or self.specials == "none":
            beyond = self.largest
        encodings = np.where(over, beyond, magnitude)
        if not self.signed:
            encodings = np.where(
                negative & (encodings != 0), 0 if saturate else self.nan(~negative), encodings
            )
        elif self.specials == "negative zero":
            encodings = np.where((encodings != 0) & negative, encodings | self.sign, encodings)
        else:
            encodings = np.where(negative, encodings | self.sign, encodings)
        encodings = np.where(np.isnan(values), self.nan(negative), encodings)
        return encodings.astype(np.uint8 if self.bits <= 8 else np.uint16)

    def count_ups(self, values, width):
        """The lower of the two neighboring encodings, and how many of the 2^width random values
        round up to the upper one."""
        numbers = self._ordinary(np.arange(self.largest + 2))
        size = np.abs(values)
        size = np.where(np.isfinite(size), np.minimum(size, numbers[-1]), 0)
        lower = np.minimum(np.searchsorted(numbers, size, side="right") - 1, self.largest)
        fraction = (size - numbers[lower]) / (numbers[lower + 1] - numbers[lower])
        return lower, np.floor(np.ldexp(fraction, width)).astype(np.int64)

    def encode_by_bits(self, values, random, width, saturate=True):
        """The encodings of long doubles, rounded by random values of `width` bits."""
        lower, ups = self.count_ups(values, width)
        return self.finish(
            values, lower + (random.astype(np.int64) >= (1 << width) - ups), saturate
        )

    def encode(self, values, saturate=True):
        """The encodings of long doubles, rounded to nearest even."""
        size = np.abs(values)
        middle = self.midpoints
        magnitude = np.searchsorted(middle, np.where(np.isnan(size), 0, size), side="left")
        # A tie selects the even one of the two.
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
        # ONNX's formats, to validate this oracle, and for stochastic rounding.
        Described("f8E4M3FN", True, 4, 3, 7, "all ones", np.dtype(ml_dtypes.float8_e4m3fn)),
        Described("f8E5M2", True, 5, 2, 15, "ieee", np.dtype(ml_dtypes.float8_e5m2)),
    )
}  # fmt: skip
OWN = tuple(DESCRIBED)[:4]
# Further destinations of stochastic rounding.
MORE = {
    described.name: described
    for described in (
        Described("f16", True, 5, 10, 15, "ieee"),
        Described("bf16", True, 8, 7, 127, "ieee"),
        Described("f8E4M3FNUZ", True, 4, 3, 8, "negative zero"),
        Described("f8E5M2FNUZ", True, 5, 2, 16, "negative zero"),
        Described("f6E2M3FN", True, 2, 3, 1, "none"),
        Described("f6E3M2FN", True, 3, 2, 3, "none"),
        Described("f4E2M1FN", True, 2, 1, 1, "none"),
    )
}
