"""Known differences between the rules and an oracle: the [[quantize_matrix]] entries of
test/Conformance/waivers.toml.

An entry names a deviation of the oracle from the rules. It explains an element if the rules with
that deviation yield the oracle's bits. If several entries cover a case, the rules with any
selection of them may explain it."""

import fnmatch
import itertools
import tomllib

import numpy as np
from conformance.formats import FLOAT4_AND_6, FLOAT8
from conformance.waivers import check_fields

from quantize_matrix import data as inputs
from quantize_matrix import semantics


class Steps:
    """The rules as steps that a deviation may replace."""

    def __init__(self, case, data):
        self.case = case
        self.x = inputs.values_of(case.x, data.x)
        self.scale = inputs.spread(case, inputs.values_of(case.scale, data.scale))
        self.zero_point = None
        if data.zero_point is not None:
            zero_point = inputs.values_of(case.quantized, data.zero_point)
            self.zero_point = inputs.spread(case, zero_point)
        self.precision = case.division
        # Intermediate float formats.
        self.operands_through = self.quotient_through = None
        self.sum_precision = None
        self.finish_integer = self._finish_integer
        self.finish_float8 = semantics.to_float8
        self.product = self._product

    def _finish_integer(self, y, quotient, zero_point):
        low, high = semantics.integer_range(y)
        whole = np.rint(np.where(np.isnan(quotient), 0.0, quotient))
        return np.clip(np.clip(whole, -(2.0**40), 2.0**40) + zero_point, low, high)

    def quantize(self):
        y = self.case.y
        x, scale = self.x, self.scale
        if self.operands_through:
            x = semantics.to_wide(self.operands_through, x)
            scale = semantics.to_wide(self.operands_through, scale)
        quotient = semantics.divide(x, scale, self.precision)
        zero_point = 0.0 if self.zero_point is None else self.zero_point
        if y not in FLOAT8 and y not in FLOAT4_AND_6:
            return semantics.encode(y, self.finish_integer(y, quotient, zero_point))
        if y in FLOAT4_AND_6 and self.zero_point is not None:
            quotient = semantics.to_wide(
                self.sum_precision or self.precision, quotient + zero_point
            )
        if self.quotient_through:
            quotient = semantics.to_wide(self.quotient_through, quotient)
        if y in FLOAT8:
            return self.finish_float8(y, quotient, self.case.saturate)
        return semantics.to_float4_or_6(y, quotient)

    def _product(self, x, zero_point, scale):
        return ((x - zero_point).astype(np.float32) * scale.astype(np.float32)).astype(np.float64)

    def dequantize(self):
        zero_point = self.zero_point
        if zero_point is None or self.case.x in FLOAT8:
            zero_point = np.zeros_like(self.x)
        product = self.product(self.x, zero_point, self.scale)
        return semantics.encode(self.case.y, semantics.to_wide(self.case.y, product))

    def run(self):
        with np.errstate(all="ignore"):
            return self.quantize() if self.case.quantizes else self.dequantize()


def _f32_division(steps):
    """x and the scale as f32, and an f32 quotient."""
    steps.precision = "f32"


_RANK = {"f16": 0, "bf16": 0, "f32": 1, "i32": 2}


def _promoted_division(steps):
    """NumPy's common type of x and the scale, regardless of the precision."""
    types = {steps.case.x, steps.case.scale}
    if types <= {"f16"} or types <= {"bf16"}:
        steps.precision = types.pop()
    else:
        steps.precision = "f64" if "i32" in types else "f32"


def _through_int32(steps):
    """The quotient as an int32 of the machine: NaN and values out of range become its smallest
    value. The zero point is added modulo 2^32."""

    def finish(y, quotient, zero_point):
        low, high = semantics.integer_range(y)
        whole = np.rint(quotient)
        fits = np.abs(whole + 0.5) <= 2.0**31
        total = np.where(fits, whole, -(2.0**31)) + zero_point
        wrapped = np.mod(total + 2.0**31, 2.0**32) - 2.0**31
        return np.clip(wrapped, low, high)

    steps.finish_integer = finish


def _nan_is_lowest(steps):
    """A NaN quotient yields the smallest integer."""
    ordinary = steps.finish_integer

    def finish(y, quotient, zero_point):
        low, _ = semantics.integer_range(y)
        return np.where(np.isnan(quotient), low, ordinary(y, quotient, zero_point))

    steps.finish_integer = finish


def _operands_through_f32(steps):
    """x and the scale are converted to the precision through f32."""
    steps.operands_through = "f32"


def _quotient_through_f32(steps):
    """The quotient is converted to a narrower float through f32."""
    steps.quotient_through = "f32"


def _f32_sum(steps):
    """A float4 or float6 zero point is added in f32."""
    steps.sum_precision = "f32"


def _overflow_of_last_binade(steps):
    """Without saturation, f8E4M3FN yields 448 up to 496, and f8E5M2 yields NaN up to 65536."""
    ordinary = steps.finish_float8

    def finish(y, quotient, saturate):
        encodings = ordinary(y, quotient, saturate)
        magnitude = np.abs(quotient)
        sign = np.signbit(quotient).astype(np.uint8) << 7
        if y == "f8E4M3FN" and not saturate:
            encodings = np.where((magnitude >= 464) & (magnitude < 496), sign | 0x7E, encodings)
        if y == "f8E5M2" and not saturate:
            encodings = np.where((magnitude >= 61440) & (magnitude < 65536), sign | 0x7F, encodings)
        return encodings

    steps.finish_float8 = finish


def _difference_wraps(steps):
    """x - zero point modulo 2^32."""

    def product(x, zero_point, scale):
        wrapped = np.mod(x - zero_point + 2.0**31, 2.0**32) - 2.0**31
        return (wrapped.astype(np.float32) * scale.astype(np.float32)).astype(np.float64)

    steps.product = product


def _f64_product(steps):
    """x as f32. The difference and the product in f64."""

    def product(x, zero_point, scale):
        return (x.astype(np.float32).astype(np.float64) - zero_point) * scale

    steps.product = product


def _zero_point_ignored(steps):
    steps.zero_point = None


DEVIATIONS = {
    "f32_division": _f32_division,
    "promoted_division": _promoted_division,
    "through_int32": _through_int32,
    "nan_is_lowest": _nan_is_lowest,
    "operands_through_f32": _operands_through_f32,
    "quotient_through_f32": _quotient_through_f32,
    "f32_sum": _f32_sum,
    "overflow_of_last_binade": _overflow_of_last_binade,
    "difference_wraps": _difference_wraps,
    "f64_product": _f64_product,
    "zero_point_ignored": _zero_point_ignored,
}


class Waiver:
    FIELDS = {"oracle", "op", "deviation", "rule", "reason"}
    TYPES = {"x", "scale", "y", "precision", "granularity"}
    CONDITIONS = TYPES | {"saturate", "min_opset", "max_opset", "domain"}

    def __init__(self, entry):
        check_fields(entry, self.FIELDS, self.CONDITIONS)
        self.entry = entry
        self.deviate = DEVIATIONS[entry["deviation"]]
        self.hits = 0

    def __str__(self):
        e = self.entry
        types = " ".join(f"{k}={','.join(e[k])}" for k in sorted(self.TYPES & e.keys()))
        return f"{e['oracle']}: {e['op']} {types} {e['deviation']} ({e['rule']})"

    def covers(self, case):
        e = self.entry

        def matches(field):
            value = str(getattr(case, field) or "none")
            return any(fnmatch.fnmatchcase(value, p) for p in e.get(field, ["*"]))

        return (
            e["op"] == case.op
            and all(map(matches, self.TYPES))
            and e.get("saturate", case.saturate) == case.saturate
            and e.get("min_opset", 1) <= case.opset <= e.get("max_opset", 1000)
            and e.get("domain", case.domain) == case.domain
        )


def load(path, oracle):
    with open(path, "rb") as file:
        entries = tomllib.load(file)["quantize_matrix"]
    return [w for w in map(Waiver, entries) if w.entry["oracle"] == oracle]


def explain(waivers, case, data, found, loose, wrong):
    """Returns the wrong elements that some entries explain, and counts the hits of the necessary
    ones."""

    def gives(chosen):
        steps = Steps(case, data)
        for waiver in chosen:
            waiver.deviate(steps)
        given = np.asarray(steps.run()).reshape(found.shape)
        return semantics.same(case.y, given, found, loose)

    covering = [w for w in waivers if w.covers(case)]
    explained = np.zeros_like(wrong)
    if not covering:
        return explained
    # If the oracle follows the rules, the expected result is wrong.
    wrong = wrong & ~gives(())
    for count in range(1, len(covering) + 1):
        for chosen in itertools.combinations(covering, count):
            hits = wrong & ~explained & gives(chosen)
            for waiver in chosen:
                waiver.hits += np.count_nonzero(hits)
            explained |= hits
    return explained
