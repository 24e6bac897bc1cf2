"""The results of casts between strings and numbers (C14), in exact fractions.

Numbers are rounded once from the exact decimal number. The string of a float is the shortest one
that is nearer to it than to its neighbors. Strings that Python and numpy can write are compared
with theirs."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Float(NamedTuple):
    """A format: exponents from 1 - bias. `kind` describes the encodings other than finite
    values."""

    bits: int
    mantissa: int
    bias: int
    kind: str

    @property
    def sign(self):
        return 0 if self.kind == "unsigned" else 1 << (self.bits - 1)

    @property
    def end(self):
        """The first magnitude beyond the finite values."""
        ends = {"ieee": self.sign - (1 << self.mantissa), "nan": self.sign - 1, "unsigned": 255}
        return ends.get(self.kind, self.sign)

    def value(self, magnitude):
        """Also of magnitudes beyond the range, as if the format continued."""
        field, mantissa = divmod(magnitude, 1 << self.mantissa)
        if field:
            mantissa |= 1 << self.mantissa
        return mantissa * Fraction(2) ** (max(field, 1) - self.bias - self.mantissa)


FLOATS = {
    "f64": Float(64, 52, 1023, "ieee"),
    "f32": Float(32, 23, 127, "ieee"),
    "f16": Float(16, 10, 15, "ieee"),
    "bf16": Float(16, 7, 127, "ieee"),
    "f8E4M3FN": Float(8, 3, 7, "nan"),
    "f8E4M3FNUZ": Float(8, 3, 8, "fnuz"),
    "f8E5M2": Float(8, 2, 15, "ieee"),
    "f8E5M2FNUZ": Float(8, 2, 16, "fnuz"),
    "f6E2M3FN": Float(6, 3, 1, "finite"),
    "f6E3M2FN": Float(6, 2, 3, "finite"),
    "f4E2M1FN": Float(4, 1, 1, "finite"),
    "f8E3M4": Float(8, 4, 3, "ieee"),
    "f8E4M3": Float(8, 3, 7, "ieee"),
    "f8E4M3B11FNUZ": Float(8, 3, 11, "fnuz"),
    "!quant_float.f8UE5M3": Float(8, 3, 15, "unsigned"),
}
# Types that no opset of ONNX has.
OWN = ["f8E3M4", "f8E4M3", "f8E4M3B11FNUZ", "!quant_float.f8UE5M3"]
INTEGERS = [f"{sign}{bits}" for bits in (2, 4, 8, 16, 32, 64) for sign in ("i", "ui")]
SCALE = "f8E8M0FNU"
TYPES = [*FLOATS, SCALE, *INTEGERS, "i1"]


def slot_type(name):
    """The type in the tools' .npy files."""
    if name == "i1":
        return np.dtype(bool)
    if name in FLOATS and FLOATS[name].bits <= 8:
        return np.dtype(np.uint8)
    bits = int("".join(c for c in name.split("E")[0].lstrip("bfui") if c.isdigit()))
    kind = {"i": "i", "f": "u", "b": "u", "u": "u"}[name[0]]
    if name in ("f64", "f32", "f16"):
        kind = "f"
    return np.dtype(f"{kind}{max(bits, 8) // 8}")


def floor_log2(value):
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent - 1 if Fraction(2) ** exponent > value else exponent


def read(text):
    """(negative, exact magnitude). The magnitude of INF and NaN is their name."""
    text = text.strip(" \t\n\v\f\r").lower()
    if text.lstrip("+-") in ("inf", "nan"):
        return text[0] == "-", text.lstrip("+-")
    number, _, exponent = text.partition("e")
    # All values beyond these limits have the same result.
    power = min(max(int(exponent or 0), -5000), 5000)
    return text[0] == "-", abs(Fraction(number)) * Fraction(10) ** power


def round_float(form, text, saturate=True, infinity_is_nan=False):
    negative, value = read(text)
    sign = form.sign if negative else 0
    fnuz = form.kind == "fnuz"
    if value == "nan":
        quiet = 1 << (form.mantissa - 1)
        encodings = {"ieee": form.end | quiet, "nan": form.end, "unsigned": form.end}
        return encodings.get(form.kind, form.sign)
    if value == "inf":
        if fnuz and saturate and infinity_is_nan:
            return form.sign
        magnitude = form.end
    elif not value:
        magnitude = 0
    else:
        exponent = max(floor_log2(value), 1 - form.bias)
        steps = value / Fraction(2) ** (exponent - form.mantissa)
        # Python rounds halves to even.
        magnitude = round(steps) + ((exponent - 1 + form.bias) << form.mantissa)
    if form.kind == "unsigned" and negative:
        return 0 if saturate or not magnitude else form.end
    if magnitude >= form.end:
        if form.kind == "finite" or (form.bits <= 8 and saturate):
            return sign | (form.end - 1)
        return form.sign if fnuz else sign | form.end
    return 0 if fnuz and not magnitude else sign | magnitude


def round_scale(text, mode="up", saturate=True):
    negative, value = read(text)
    if value == "nan":
        return 0xFF
    least, most = Fraction(2) ** -127, Fraction(2) ** 127
    if negative or (value != "inf" and value < least):
        return 0 if saturate else 0xFF
    if value == "inf" or value > most:
        return 0xFE if saturate else 0xFF
    exponent = floor_log2(value)
    fraction = value / Fraction(2) ** exponent
    is_next = {"up": fraction > 1, "down": False, "nearest": fraction >= Fraction(3, 2)}[mode]
    return exponent + 127 + is_next


def round_integer(name, text):
    negative, value = read(text)
    bits, signed = int(name.lstrip("ui")), name[0] == "i"
    if value == "nan":
        return 0
    number = 2**80 if value == "inf" else int(value)
    number = -number if negative else number
    wide = 63 if bits == 64 or (bits == 32 and not signed) else 31
    most = 2**64 - 1 if bits == 64 and not signed and number > 0 else 2**wide - 1
    number = min(max(number, -(2**wide)), most) % 2**bits
    return number - 2**bits if signed and number >> (bits - 1) else number


def convert(name, text, **attributes):
    """The encoding of the element."""
    if name == "i1":
        return int(read(text)[1] != 0)
    if name == SCALE:
        return round_scale(text, **attributes)
    if name in FLOATS:
        return round_float(FLOATS[name], text, **attributes)
    return round_integer(name, text)


def spell(digits, power):
    """digits * 10^power without an exponent."""
    text = str(digits).rstrip("0")
    power += len(str(digits)) - len(text)
    if power >= 0:
        return text + "0" * power
    text = text.rjust(1 - power, "0")
    return f"{text[:power]}.{text[power:]}"


def shortest(low, value, high, closed):
    """Of the numbers in the interval, the one with the fewest digits, and of these the nearest
    one."""

    def inside(x):
        return low <= x <= high if closed else low < x < high

    power = len(str(value.numerator)) - len(str(value.denominator)) + 1
    while True:
        step = Fraction(10) ** power
        below = value // step
        found = [n for n in (below, below + 1) if below and inside(n * step)]
        if found:
            best = min(found, key=lambda n: (abs(n * step - value), n % 2))
            return spell(best, power)
        power -= 1


def write_float(form, encoding):
    sign, magnitude = encoding & form.sign, encoding & ~form.sign
    if form.kind == "fnuz" and sign and not magnitude:
        return "NaN"
    if magnitude >= form.end:
        infinite = form.kind == "ieee" and magnitude == form.end
        return ("-INF" if sign else "INF") if infinite else "NaN"
    value = form.value(magnitude)
    if not value:
        return "-0" if sign else "0"
    low = (form.value(magnitude - 1) + value) / 2
    high = (form.value(magnitude + 1) + value) / 2
    return "-" * bool(sign) + shortest(low, value, high, magnitude % 2 == 0)


def write(name, slot):
    """The string of an encoding."""
    if name == SCALE:
        if slot == 0xFF:
            return "NaN"
        exponent = int(slot) - 127
        return spell(5**-exponent, exponent) if exponent < 0 else str(2**exponent)
    if name not in FLOATS:
        return str(int(slot))
    return write_float(FLOATS[name], int(slot))


def write_by_library(name, slots):
    """The strings of an array of f64, f32 or f16 as Python and numpy write them."""
    values = slots.view(slot_type(name))
    strings = []
    for value in values:
        if np.isnan(value):
            strings.append("NaN")
        elif np.isinf(value):
            strings.append("-INF" if value < 0 else "INF")
        else:
            strings.append(np.format_float_positional(value, unique=True, trim="-"))
    return strings
