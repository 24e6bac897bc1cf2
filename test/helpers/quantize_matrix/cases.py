"""The cases: versions, types, attributes and shapes that the schemas allow, read from onnx.defs,
with the rules that the schemas do not express."""

import itertools
import math
import zlib
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import onnx
from conformance.formats import FLOAT8, FORMATS

OPS = ("QuantizeLinear", "DequantizeLinear")
VERSIONS = (10, 13, 19, 21, 23, 24, 25, 28)
NEWEST = VERSIONS[-1]
MICROSOFT = "com.microsoft"
PRECISIONS = (None, "f32", "f16", "bf16", "f64")
_NAMES = {
    onnx.helper.tensor_dtype_to_string(f.onnx).split(".")[1].lower(): f.name
    for f in FORMATS.values()
}


@dataclass(frozen=True)
class Case:
    """One node. The types have MLIR's names."""

    op: str
    opset: int  # of the standard, or 21 for com.microsoft
    x: str
    scale: str
    y: str
    shape: tuple
    scale_shape: tuple
    zp_shape: tuple | None  # None: no zero point
    axis: int | None = None  # counted from the front; None: per tensor
    block: int | None = None
    attributes: dict = field(default_factory=dict)  # as the attributes of the node
    precision: str | None = None
    saturate: bool = True
    domain: str = ""
    constants: str = "none"  # the inputs that are initializers: none, parameters, all
    dynamic: bool = False  # dynamic sizes in the model: all of x's
    extreme: bool = False  # with zeros, negatives, infinities and NaNs among the scales
    number: int = 0
    seed: int = 0

    @property
    def quantizes(self):
        return self.op == "QuantizeLinear"

    @property
    def quantized(self):
        """The element type of the quantized side, which is that of the zero point."""
        return self.y if self.quantizes else self.x

    @property
    def granularity(self):
        return "blocked" if self.block else "tensor" if self.axis is None else "axis"

    @property
    def division(self):
        """The precision of the division (D2)."""
        if self.precision:
            return self.precision
        if self.opset < 23:
            return "f64" if self.x == "i32" else self.x
        if self.scale in ("f32", "f16", "bf16"):
            return self.scale
        return "f64" if "i32" in (self.x, self.scale) else "f32"

    @property
    def rng(self):
        """The case's own random generator, with the same values in every run."""
        types = (self.x, self.scale, self.y)
        key = (self.op, self.domain, self.opset, *types, self.number, self.seed)
        return np.random.default_rng(zlib.crc32(repr(key).encode()))

    def __str__(self):
        sizes = "x".join(map(str, self.shape)) or "scalar"
        spelled = "".join(f" {k}={v}" for k, v in self.attributes.items())
        zero_point = "no zero point" if self.zp_shape is None else f"zero point {self.zp_shape}"
        return (
            f"{self.domain}{self.domain and '.'}{self.op}-{self.opset} #{self.number} {self.x} {sizes} / "
            f"{self.scale} {self.scale_shape}, {zero_point} -> {self.y}{spelled}"
        )


@dataclass(frozen=True)
class Form:
    """Shapes and a granularity."""

    shape: tuple
    axis: int | None = None
    block: int | None = None
    one_element: bool = False  # a scale of one element instead of a scalar

    @property
    def scale_shape(self):
        if self.axis is None:
            return (1,) if self.one_element else ()
        size = self.shape[self.axis]
        if not self.block:
            return (size,)
        blocks = math.ceil(size / self.block)
        return (*self.shape[: self.axis], blocks, *self.shape[self.axis + 1 :])


# A single block may hold every element along the axis.
HUGE_BLOCK = 2**62

_TENSORS = [(), (1,), (37,), (3, 67), (2, 3, 5, 9), (2, 1031), (5, 0, 3)]
TENSOR_FORMS = [Form(s, one_element=one) for one in (False, True) for s in _TENSORS]
AXIS_FORMS = [
    Form(shape, axis)
    for shape in [(33,), (7, 19), (4, 130), (3, 5, 17), (2, 3, 4, 11), (2, 1031), (2, 0, 3)]
    for axis in range(len(shape))
]
EXACT_FORMS = [
    Form((64,), 0, 16),
    Form((6, 64), 1, 32),
    Form((64, 6), 0, 32),
    Form((3, 9), 1, 1),
    Form((4, 8), 1, 8),
    Form((2, 1024), 1, 128),
    Form((2, 32, 5), 1, 8),
    Form((3, 4, 34), 1, 2),
    Form((2, 3, 4, 16), 3, 4),
    Form((6, 2, 3, 7), 0, 3),
]
PARTIAL_FORMS = [
    Form((37,), 0, 16),
    Form((6, 70), 1, 32),
    Form((70, 6), 0, 32),
    Form((4, 8), 1, 20),
    Form((4, 8), 1, HUGE_BLOCK),
    Form((2, 1030), 1, 32),
    Form((515, 3), 0, 32),
    Form((2, 13, 5), 1, 4),
    Form((3, 7, 35), 1, 2),
    Form((2, 3, 5, 19), 3, 7),
    Form((5, 2, 3, 9), 0, 3),
    Form((0, 9), 1, 4),
]


def _forms(version):
    """Interleaved, so that consecutive forms have different granularities."""
    kinds = [TENSOR_FORMS]
    if version >= 13:
        kinds.append(AXIS_FORMS)
    if version >= 21:
        kinds += [EXACT_FORMS, PARTIAL_FORMS]
    rounds = max(map(len, kinds))
    return [kind[i % len(kind)] for i in range(rounds) for kind in kinds]


def types_of(schema, parameter):
    return [
        _NAMES[t[len("tensor(") : -1]]
        for t in sorted(parameter.types)
        if t[len("tensor(") : -1] in _NAMES
    ]


def schema_of(op, opset):
    return onnx.defs.get_schema(op, opset)


def legal_types(op, version):
    """The (x, scale, y) that the schema of a version and rules Q6 and Q8 allow."""
    schema = schema_of(op, version)
    x, scale, zero_point = schema.inputs
    (y,) = schema.outputs
    for a, b, c in itertools.product(*(types_of(schema, p) for p in (x, scale, y))):
        bound = {x.type_str: a}
        if bound.setdefault(scale.type_str, b) != b or bound.setdefault(y.type_str, c) != c:
            continue
        yield a, b, c


def _spelled_axis(form, style):
    return form.axis if style % 2 == 0 else form.axis - len(form.shape)


def _attributes(case_form, version, style):
    """The axis and block_size attributes of a node, including those without effect."""
    form, attributes = case_form, {}
    if form.axis is not None:
        if not (form.axis == 1 and not form.block and style % 3 == 0):
            attributes["axis"] = _spelled_axis(form, style)
        elif form.axis != 1:
            raise AssertionError("only axis 1 can be left out")
    elif version >= 13 and style % 4 == 1:
        # Ignored, even out of range.
        attributes["axis"] = (0, -1, 7, -9)[style // 4 % 4]
    if form.block:
        attributes["block_size"] = form.block
    elif version >= 21 and style % 5 == 1:
        attributes["block_size"] = 0
    return attributes


class Builder:
    """Creates the cases of type rows, with alternating forms and attributes for each type."""

    def __init__(self, op, version, domain=""):
        self.op, self.version, self.domain = op, version, domain
        # Rule V9.
        self.attributes = (
            {"axis", "block_size"} if domain else set(schema_of(op, version).attributes)
        )
        self.forms = _forms(version)
        self.turns = {}
        self.cases = []

    def _turn(self, key, count):
        """The next of `count` values for a key. Keys start at different values."""
        start = zlib.crc32(repr((key, self.version, self.op)).encode())
        turn = self.turns[key] = self.turns.get(key, start) + 1
        return turn % count

    def add(self, x, scale, y, precision=None, saturate=None, form=None):
        quantizes = self.op == "QuantizeLinear"
        quantized = y if quantizes else x
        if form is None:
            form = self.forms[self._turn(("form", quantized), len(self.forms))]
        number = len(self.cases)
        style = self._turn("style", 2 * 3 * 4 * 5 * 7)
        attributes = _attributes(form, self.version, style)
        zp_shape = self._type_source(attributes, scale, y, form)
        if precision:
            attributes["precision"] = FORMATS[precision].onnx
        elif "precision" in self.attributes and style % 7 == 1:
            attributes["precision"] = 0
        if saturate is not None:
            attributes["saturate"] = int(saturate)
        turn = self._turn("source", 12)
        self.cases.append(
            Case(
                op=self.op, opset=self.version, x=x, scale=scale, y=y, shape=form.shape,
                scale_shape=form.scale_shape, zp_shape=zp_shape, axis=form.axis, block=form.block,
                attributes=attributes, precision=precision, saturate=saturate is not False,
                domain=self.domain, number=number, extreme=turn % 4 == 1,
                constants=("none", "parameters", "none", "all", "none", "parameters")[turn % 6],
                dynamic=turn in (2, 8, 10),
            )
        )  # fmt: skip

    def _type_source(self, attributes, scale, y, form):
        """The source of the result type (Q5), and the zero point's shape."""
        written = "output_dtype" in self.attributes
        if self.op == "QuantizeLinear":
            ways = ["zp"]
            if written:
                ways += ["zp and dtype", "dtype"]
            if y == "ui8":
                ways.append("nothing")
        else:
            # The type does not depend on whether there is a zero point.
            ways = ["zp", "nothing"]
            if written:
                implied = y == scale
                ways = ["zp and dtype", "dtype"] + (["zp", "nothing"] if implied else [])
        way = ways[self._turn(("way", y, scale), len(ways))]
        if "dtype" in way:
            attributes["output_dtype"] = FORMATS[y].onnx
        elif written and self._turn("undefined", 4) == 1:
            attributes["output_dtype"] = 0
        if "zp" not in way:
            return None
        if form.axis is None and self._turn("zp shape", 3) == 1:
            return () if form.scale_shape else (1,)
        return form.scale_shape


def _quantize_rows(builder, full):
    version = builder.version
    rows = list(legal_types(builder.op, version))
    for x, scale, y in rows:
        modes = [None]
        if "saturate" in builder.attributes:
            modes = [True, False] if y in FLOAT8 else [None]
        if "precision" not in builder.attributes:
            precisions = (None,)
        elif full or version == NEWEST:
            precisions = PRECISIONS
        else:
            # From version 23 on, the values do not depend on the version.
            precisions = (PRECISIONS[builder._turn(("precision", x, scale), len(PRECISIONS))],)
        for precision in precisions:
            for mode in (
                modes
                if full or len(precisions) == 1
                else modes[builder._turn(("mode", y), len(modes)) :][:1]
            ):
                builder.add(x, scale, y, precision, mode)
    # Every form of every quantized type.
    for y in dict.fromkeys(y for _, _, y in rows):
        for form in builder.forms if full or version in (10, 13, 19, 21, NEWEST) else []:
            choices = [row for row in rows if row[2] == y and row[0] != "i32"]
            x, scale, _ = choices[builder._turn(("row", y), len(choices))]
            builder.add(x, scale, y, form=form)
    # Only affects float8 types.
    if "saturate" in builder.attributes:
        for y in dict.fromkeys(y for _, _, y in rows if y not in FLOAT8):
            builder.add("f32", "f32", y, saturate=False)


def _dequantize_rows(builder, full):
    version = builder.version
    # Q8: ONNX leaves no result type to an f8E8M0FNU scale alone, which _type_source writes out.
    rows = list(legal_types(builder.op, version))
    for x, scale, y in rows:
        for _ in range(4 if full else 2 if version in (10, 13, 19, NEWEST) else 1):
            builder.add(x, scale, y)
    for x in dict.fromkeys(x for x, _, _ in rows):
        for form in builder.forms if full or version in (10, 13, 19, 21, NEWEST) else []:
            choices = [row for row in rows if row[0] == x]
            _, scale, y = choices[builder._turn(("row", x), len(choices))]
            builder.add(x, scale, y, form=form)


def _microsoft_rows(builder, full):
    encodings = ["i8", "ui8", "i16", "ui16", "i4", "ui4"]
    repeat = 8 if full else 2
    for value, quantized in itertools.product(["f32", "f16"], encodings + ["i32"]):
        for _ in range(repeat):
            if builder.op == "DequantizeLinear":
                builder.add(quantized, value, value)
            elif quantized != "i32":
                builder.add(value, value, quantized)


def build(op, version, full=False, domain=""):
    """The cases of one version of an op."""
    builder = Builder(op, version, domain)
    if domain:
        _microsoft_rows(builder, full)
    elif op == "QuantizeLinear":
        _quantize_rows(builder, full)
    else:
        _dequantize_rows(builder, full)
    return builder.cases


def every(full=False, ops=OPS, versions=VERSIONS, seed=0):
    """A seed other than 0 gives the same nodes other values."""
    for op in ops:
        made = [case for version in versions for case in build(op, version, full)]
        if 21 in versions:
            made += build(op, 21, full, MICROSOFT)
        yield from (replace(case, seed=seed) for case in made)


def is_accepted_by(case, version):
    """Whether a version of the op accepts the node of a case for another version."""
    if case.granularity != "tensor" and version < 13:
        return False
    types = (case.x, case.scale, case.y)
    attributes = set(schema_of(case.op, version).attributes)
    return types in _legal_types(case.op, version) and case.attributes.keys() <= attributes


def opsets_of(version):
    """The opsets that resolve to a version of the ops."""
    ends = (*VERSIONS[1:], NEWEST + 1)
    return range(version, ends[VERSIONS.index(version)])


@cache
def _legal_types(op, version):
    return frozenset(legal_types(op, version))
