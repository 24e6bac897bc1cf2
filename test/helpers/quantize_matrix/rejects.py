"""Nodes that a rule forbids, each with the key phrase of the error and, if it depends on the
version, the note on the versions that accept it."""

from dataclasses import dataclass, field, replace

import numpy as np
from conformance.formats import FLOAT8, FORMATS
from onnx import helper

from quantize_matrix import models
from quantize_matrix.cases import (
    MICROSOFT,
    NEWEST,
    OPS,
    VERSIONS,
    schema_of,
    types_of,
)
from quantize_matrix.cases import build as build_cases
from quantize_matrix.data import make

_STRING, _STRING_NUMBER = "!quant_float.string", 8
_ROLES = ("input", "scale", "result")
_ATTRIBUTES = ("axis", "saturate", "block_size", "output_dtype", "precision")
_DTYPES = ("output_dtype", "precision")
_MICROSOFT_TYPES = {
    "QuantizeLinear": (
        ("f32", "f16"),
        ("f32", "f16"),
        ("i8", "ui8", "i16", "ui16", "i4", "ui4"),
    ),
    "DequantizeLinear": (
        ("i8", "ui8", "i16", "ui16", "i4", "ui4", "i32"),
        ("f32", "f16"),
        ("f32", "f16"),
    ),
}


def number_of(name):
    return _STRING_NUMBER if name == _STRING else FORMATS[name].onnx


@dataclass(frozen=True)
class Reject:
    rule: str
    op: str
    opset: int
    inputs: tuple  # (type, shape) or (type, encodings of an initializer)
    phrase: str  # a part of the message
    attributes: dict = field(default_factory=dict)
    note: str | None = None
    domain: str = ""
    y: tuple | None = None  # the type and shape that the model declares

    def __str__(self):
        spelled = "".join(f" {k}={v}" for k, v in self.attributes.items())
        inputs = ", ".join(
            f"{t} {s.shape if isinstance(s, np.ndarray) else s}" for t, s in self.inputs
        )
        return f"{self.rule}: {self.domain}{self.domain and '.'}{self.op}-{self.opset} {inputs}{spelled}"


class Version:
    """One version of an op: what it accepts, and a valid node that a rule's violation modifies."""

    def __init__(self, op, version, domain=""):
        self.op, self.opset, self.domain = op, version, domain
        self.quantizes = op == "QuantizeLinear"
        if domain:
            self.types = _MICROSOFT_TYPES[op]
            # V9: the shapes of opset 21.
            self.attributes = {"axis", "block_size"}
            self.name = f"{domain}.{op}-1 (opset 1)"
        else:
            schema = schema_of(op, version)
            (y,) = schema.outputs
            places = (schema.inputs[0], schema.inputs[1], y)
            self.types = tuple(types_of(schema, p) for p in places)
            self.attributes = set(schema.attributes)
            self.name = f"{op}-{version} (opset {version})"
        self.quantized = self.types[2] if self.quantizes else self.types[0]
        # Scales have the input's type before 23.
        self.scale_follows = self.quantizes and version in (19, 21)

    def reject(self, rule, inputs, phrase, **options):
        return Reject(
            rule, self.op, self.opset, tuple(inputs), phrase, domain=self.domain, **options
        )

    def inputs(self, shape=(4, 8), scale=(), zero_point=(), quantized="ui8"):
        """Inputs with valid types. With zero_point None, there is none."""
        x, y = ("f32", quantized) if self.quantizes else (quantized, "f32")
        made = [(x, shape), ("f32", scale)]
        if zero_point is not None:
            made.append((y if self.quantizes else x, zero_point))
        return made

    def note_on_type(self, role, name):
        """The first version of the standard that accepts the type."""
        shown = f"{self.domain}{self.domain and '.'}{self.op}"
        for version in () if self.domain else VERSIONS:
            if name in Version(self.op, version).types[role]:
                return f"{shown} accepts this type from opset {version} on"
        return f"no version of {shown} accepts this type"

    def note_on_attribute(self, name):
        shown = f"{self.domain}{self.domain and '.'}{self.op}"
        for version in () if self.domain else VERSIONS:
            if name in schema_of(self.op, version).attributes:
                return f"{shown} has the attribute {_quoted(name)} from opset {version} on"
        return f"no version of {shown} has the attribute {_quoted(name)}"


def _quoted(name):
    return f"'{name}'"


def _types(version):
    """V1, V2, V9: every element type that an operand does not accept."""
    every = [*FORMATS, _STRING]

    def phrase(role, name):
        return f"{_ROLES[role]} element type {_quoted(name)} is not accepted by {version.name}"

    for name in every:
        for role in range(3):
            if name in version.types[role]:
                continue
            options = {"note": version.note_on_type(role, name)}
            text = phrase(role, name)
            if role == 0 and version.quantizes:
                scale = name if version.scale_follows and name in version.types[1] else "f32"
                yield version.reject(
                    "V1", [(name, (4,)), (scale, ()), ("ui8", ())], text, **options
                )
            elif role == 0:
                yield version.reject("V1", [(name, (4,)), ("f32", ()), (name, ())], text, **options)
            elif role == 1:
                x = version.inputs()[0]
                dtype = {}
                if not version.quantizes and "output_dtype" in version.attributes:
                    dtype = {"attributes": {"output_dtype": FORMATS["f32"].onnx}}
                zero_point = version.inputs()[2]
                yield version.reject("V1", [x, (name, ()), zero_point], text, **options, **dtype)
            elif version.quantizes:
                yield version.reject(
                    "V2", [("f32", (4,)), ("f32", ()), (name, ())], text, **options
                )
            if role == 2 and "output_dtype" in version.attributes:
                inputs = version.inputs(zero_point=None)
                attributes = {"output_dtype": number_of(name)}
                yield version.reject("V2", inputs, text, attributes=attributes, **options)


def _attributes(version):
    """V3: also with the value that later versions have as the default."""
    values = {
        "saturate": (1, 0),
        "block_size": (0, 2),
        "output_dtype": (0, FORMATS["ui8" if version.quantizes else "f32"].onnx),
        "precision": (0, 1),
    }
    for name in _ATTRIBUTES:
        # An axis is interpreted as in later versions.
        if name in version.attributes or name == "axis":
            continue
        known = any(name in schema_of(version.op, v).attributes for v in VERSIONS)
        for value in values[name]:
            inputs = version.inputs()
            attributes = {name: value}
            if name == "block_size" and value:
                if "axis" not in version.attributes:
                    continue
                inputs = version.inputs(scale=(4, 4), zero_point=(4, 4))
                attributes["axis"] = 1
            if name == "output_dtype" and value and version.quantizes:
                inputs = version.inputs(zero_point=None)
            if known:
                phrase = f"attribute {_quoted(name)} does not exist in {version.name}"
                note = version.note_on_attribute(name)
            else:
                phrase, note = f"unknown attribute {_quoted(name)}", None
            yield version.reject("V3", inputs, phrase, attributes=attributes, note=note)
    for name, value in (("round_mode", "up"), ("blocksize", 2)):
        phrase = f"unknown attribute {_quoted(name)}"
        yield version.reject("V3", version.inputs(), phrase, attributes={name: value})


def _values_of_attributes(version):
    """V6, Q4, Q9 and numbers that are no type."""
    if "saturate" in version.attributes:
        for value, quantized in ((2, "f8E4M3FN"), (-1, "f8E5M2"), (7, "ui8")):
            inputs = version.inputs(quantized=quantized)
            phrase = f"attribute 'saturate': expected 0 or 1, but got {value}"
            yield version.reject("V6", inputs, phrase, attributes={"saturate": value})
    if "block_size" in version.attributes:
        for value in (-1, -32, -(2**63)):
            phrase = f"attribute 'block_size': expected 0 or more, but got {value}"
            inputs = version.inputs(scale=(4, 4), zero_point=(4, 4))
            yield version.reject("Q4", inputs, phrase, attributes={"block_size": value})
    for name in _DTYPES:
        if name not in version.attributes:
            continue
        for value in (99, -1, 29, 2**32 + 1):
            phrase = f"attribute {_quoted(name)}: expected the number of an element type, but got {value}"
            inputs = version.inputs(zero_point=None)
            yield version.reject(
                "V2" if name == "output_dtype" else "Q9", inputs, phrase, attributes={name: value}
            )
    if "precision" in version.attributes:
        for name in [*FORMATS, _STRING]:
            if name in ("f32", "f16", "bf16", "f64"):
                continue
            value = number_of(name)
            phrase = f"attribute 'precision': expected 0 or the number of float, float16, bfloat16 or double, but got {value}"
            yield version.reject("Q9", version.inputs(), phrase, attributes={"precision": value})


def _granularities(version):
    """Q1 to Q4, with alternating quantized types."""
    names = version.quantized
    turn = iter(range(1 << 30))

    def reject(rule, phrase, shape, scale, zero_point=(), attributes=None):
        quantized = names[next(turn) % len(names)]
        inputs = version.inputs(shape, scale, scale if zero_point == () else zero_point, quantized)
        return version.reject(rule, inputs, phrase, attributes=attributes or {})

    if "axis" not in version.attributes:
        for shape, scale in (((4, 8), (8,)), ((5,), (5,)), ((2, 3, 4), (3,))):
            yield reject("Q1", "scale must have one element (per tensor)", shape, scale)
        return
    for repeat in range(len(names)):
        del repeat
        # The length of a scale along an axis.
        for shape, axis, found in (
            ((4, 8), None, 5),
            ((4, 8), 0, 8),
            ((4, 8), -1, 4),
            ((2, 3, 4), 1, 2),
            ((2, 3, 4, 5), -4, 5),
            ((6,), 0, 5),
        ):
            expected = shape[1 if axis is None else axis]
            attributes = {} if axis is None else {"axis": axis}
            phrase = f"scale must have {expected} elements"
            yield reject("Q1", phrase, shape, (found,), attributes=attributes)
        # A scale of the input's rank is blocked, if the version supports blocks.
        blocked = "block_size" in version.attributes
        unblocked = "scale must be a scalar (per tensor) or a vector (per axis) in"
        for shape, scale in (((4, 8), (4, 8)), ((4, 8), (1, 1)), ((2, 3, 4), (1, 3, 1))):
            phrase = f"a scale of rank {len(scale)} needs a block_size above 0"
            yield reject("Q1", phrase if blocked else unblocked, shape, scale)
        for shape, scale in (((4, 8), (2, 3, 4)), ((2, 3, 4), (3, 4)), ((), (1, 1))):
            phrase = "scale must be a scalar (per tensor), a vector (per axis)"
            yield reject("Q1", phrase if blocked else unblocked, shape, scale)
        # The zero point's shape.
        for shape, scale, zero_point in (
            ((4, 8), (8,), (1,)),
            ((4, 8), (8,), (4,)),
            ((4, 8), (), (8,)),
            ((4, 8), (8,), (1, 8)),
            ((4, 8), (1,), (1, 1)),
        ):
            phrase = "zero point must have the same shape as the scale"
            yield reject("Q2", phrase, shape, scale, zero_point)
        for shape, axis in (((4, 8), 2), ((4, 8), -3), ((2, 3, 4), 3), ((5,), 1), ((5,), -2)):
            r = len(shape)
            phrase = f"axis must be in [{-r}, {r - 1}] for an input of rank {r}, but got {axis}"
            yield reject("Q3", phrase, shape, (shape[-1],), attributes={"axis": axis})
        yield reject("Q3", "must be 0 or -1 for an input of rank 1", (5,), (5,))
        if blocked:
            yield from _blocks(reject)


def _blocks(reject):
    for shape, scale, axis, block in (
        ((4, 8), (4, 3), 1, 4),
        ((4, 8), (4, 1), 1, 4),
        ((4, 9), (4, 2), -1, 4),
        ((9, 4), (4, 4), 0, 4),
        ((4, 8), (4, 2), 1, 8),
        ((4, 8), (4, 8), 1, 2**62),
    ):
        blocks = -(-shape[axis] // block)
        place = axis % len(shape)
        phrase = f"dimension {place} of the scale must be {blocks}, the blocks of {block} in {shape[axis]}"
        attributes = {"axis": axis, "block_size": block}
        yield reject("Q1", phrase, shape, scale, attributes=attributes)
    for shape, scale, axis, place in (
        ((4, 8), (2, 2), 1, 0),
        ((4, 8), (1, 2), 1, 0),
        ((2, 3, 8), (2, 1, 4), 2, 1),
        ((8, 3, 5), (4, 3, 1), 0, 2),
    ):
        block = -(-shape[axis] // scale[axis])
        phrase = f"dimension {place} of the scale must be {shape[place]}"
        attributes = {"axis": axis, "block_size": block}
        yield reject("Q1", phrase, shape, scale, attributes=attributes)
    for shape, scale in (((4, 8), ()), ((4, 8), (1,)), ((4, 8), (8,)), ((4, 8), (1, 4, 2))):
        phrase = f"with a block size the scale must have the input's rank {len(shape)}"
        yield reject("Q4", phrase, shape, scale, attributes={"axis": 1, "block_size": 4})
    yield reject(
        "Q4", "needs a block_size above 0", (4, 8), (4, 2), attributes={"axis": 1, "block_size": 0}
    )
    for shape, scale, axis in (((4, 8), (4, 2), 2), ((4, 8), (4, 2), -3), ((8,), (2,), None)):
        attributes = {"block_size": 4} if axis is None else {"axis": axis, "block_size": 4}
        yield reject("Q3", "axis", shape, scale, attributes=attributes)
    phrase = "zero point must have the same shape as the scale"
    for zero_point in ((4, 1), (4,), (1,), (2, 4)):
        yield reject("Q2", phrase, (4, 8), (4, 2), zero_point, {"axis": 1, "block_size": 4})


def _types_together(version):
    """Q2, Q5, Q6 and Q8: types that are legal on their own."""
    for a in version.quantized:
        for b in version.quantized:
            if a == b:
                continue
            if not version.quantizes:
                phrase = "zero point element type must be the quantized type"
                yield version.reject("Q2", [(a, (4,)), ("f32", ()), (b, ())], phrase)
            elif "output_dtype" in version.attributes:
                phrase = "attribute 'output_dtype': expected the zero point's element type"
                attributes = {"output_dtype": FORMATS[b].onnx}
                inputs = [("f32", (4,)), ("f32", ()), (a, ())]
                yield version.reject("Q5", inputs, phrase, attributes=attributes)
    if version.scale_follows or (version.domain and version.quantizes):
        for x in version.types[0]:
            for scale in version.types[1]:
                if x != scale:
                    phrase = "scale must have the input's element type"
                    yield version.reject("Q6", [(x, (4,)), (scale, ()), ("ui8", ())], phrase)
    if "f8E8M0FNU" in version.types[1] and not version.quantizes:
        for x in version.quantized:
            phrase = "attribute 'output_dtype' is missing: a scale of 'f8E8M0FNU'"
            yield version.reject("Q8", [(x, (4,)), ("f8E8M0FNU", ()), (x, ())], phrase)


def _zero_points(version):
    """Q7: every nonzero byte of a float8, alone and among zeros."""
    for name in FLOAT8:
        if name not in version.quantized:
            continue
        zeros = {0x00, 0x80} if "FNUZ" not in name else {0x00}
        encodings = [c for c in range(256) if c not in zeros]
        for encoding in encodings if version.opset == NEWEST else encodings[:: 1 + 24]:
            phrase = f"a constant zero point of {_quoted(name)} must be 0"
            inputs = version.inputs(quantized=name)
            inputs[2] = (name, np.array(encoding, np.uint8))
            yield version.reject("Q7", inputs, phrase)
        if "axis" in version.attributes:
            among = np.zeros(8, np.uint8)
            among[5] = 0x01
            inputs = version.inputs(scale=(8,), quantized=name)
            inputs[2] = (name, among)
            yield version.reject("Q7", inputs, "must be 0, but element 5 is 0x01")


def _opsets():
    """Rule V4."""
    for op in OPS:
        for opset in (1, 6, 9, NEWEST + 1, 1000):
            version = Version(op, min(max(opset, 10), NEWEST))
            phrase = f"opset of {op} must be between 10 and {NEWEST}, but got {opset}"
            made = version.reject("V4", version.inputs(), phrase)
            yield Reject("V4", op, opset, made.inputs, phrase)


def build(op, version, domain=""):
    made = Version(op, version, domain)
    for rules in (
        _types,
        _attributes,
        _values_of_attributes,
        _granularities,
        _types_together,
        _zero_points,
    ):
        yield from rules(made)


def every(ops=OPS, versions=VERSIONS):
    for op in ops:
        for version in versions:
            yield from build(op, version)
        yield from build(op, 21, MICROSOFT)
    yield from _opsets()


def declared():
    """Q5: a result with other declared elements."""
    for op in OPS:
        for number in VERSIONS:
            version = Version(op, number)
            for sizes in ((4, 8), (8, 4), ()):
                y = ("i8" if version.quantizes else "f16", sizes)
                yield version.reject("Q5", version.inputs(), "declared as", y=y)


def wrong_sizes():
    """Cases of dynamic sizes with data in which one size is wrong."""
    chosen = [c for v in (13, 21, NEWEST) for op in OPS for c in build_cases(op, v)]
    chosen = [
        c for c in chosen if c.dynamic and c.constants == "none" and c.granularity != "tensor"
    ]
    for turn, case in enumerate(chosen[::30]):
        data = make(case)
        axis = turn % len(case.scale_shape)
        scale, zero_point = data.scale, data.zero_point
        if turn % 3 == 0 and zero_point is not None:
            zero_point = np.repeat(zero_point, 2, axis=axis)
        elif turn % 3 == 1:
            scale = np.concatenate([scale, scale, scale], axis=axis)
            zero_point = None if zero_point is None else np.concatenate([zero_point] * 3, axis=axis)
        else:
            scale = np.repeat(scale, 2, axis=axis)
        if scale.shape != data.scale.shape or (
            zero_point is not None and zero_point.shape != data.zero_point.shape
        ):
            yield case, replace(data, scale=scale, zero_point=zero_point)


def model(rejects, ir_version=models.NEWEST_IR):
    """All have the same opset."""
    nodes, inputs, outputs, initializers = [], [], [], []
    for index, one in enumerate(rejects):
        names = [f"{kind}{index}" for kind in "xsz"][: len(one.inputs)]
        for name, (type_name, shape) in zip(names, one.inputs, strict=True):
            if isinstance(shape, np.ndarray):
                initializers.append(models.tensor(name, type_name, shape))
            else:
                inputs.append(helper.make_tensor_value_info(name, number_of(type_name), shape))
        node = helper.make_node(one.op, names, [f"y{index}"], name=f"n{index}", domain=one.domain)
        for name, value in one.attributes.items():
            node.attribute.append(helper.make_attribute(name, value))
        nodes.append(node)
        if one.y:
            number, shape = number_of(one.y[0]), one.y[1]
            outputs.append(helper.make_tensor_value_info(f"y{index}", number, shape))
        else:
            outputs.append(helper.make_empty_tensor_value_info(f"y{index}"))
    graph = helper.make_graph(nodes, "rejects", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", rejects[0].opset)]
    if any(one.domain for one in rejects):
        opsets.append(helper.make_opsetid(MICROSOFT, 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
