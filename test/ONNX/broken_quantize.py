# QuantizeLinear and DequantizeLinear nodes with one error each, with the exact message: errors of
# the importer, and of the op's verifier. No other checker of ONNX models reports these errors of
# shapes and attributes.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs %python %s %t quant-float-translate %src_root/lib/ONNX/Common/Diagnostics.def
import sys

from cases import Table
from models import FLOAT, model
from onnx import TensorProto as T
from onnx import helper

node = helper.make_node
table = Table(*sys.argv[1:4])
INT_MIN, INT_MAX = -(2**63), 2**63 - 1
QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"
NAMES = {QUANTIZE: "quantize", DEQUANTIZE: "dequantize"}


def build(op, shape, scale, zero=None, types=None, *, domain="", initializer=(), **attributes):
    """A model with one node `n` from x to y. `types` are those of x, scale and zero point."""
    more = {k: attributes.pop(k) for k in ("opset", "imports", "nodes") if k in attributes}
    is_quantize = op == QUANTIZE
    types = types or ((FLOAT, FLOAT, T.INT8) if is_quantize else (T.INT8, FLOAT, T.INT8))
    names = ["x", "s"] + (["z"] if zero is not None or initializer else [])
    made = node(op, names, ["y"], name="n", domain=domain, **attributes)
    shapes = [shape, scale, zero]
    inputs = [
        (name, data_type, dims)
        for name, data_type, dims in zip(names, types, shapes, strict=False)
        if name not in {tensor.name for tensor in initializer}
    ]
    nodes = [*more.pop("nodes", ()), made]
    return model(
        nodes, inputs, [helper.make_empty_tensor_value_info("y")], initializer=initializer, **more
    )


def refuse(message, op, *arguments, more=(), **fields):
    table.add(None, build(op, *arguments, **fields), f"node 'n' ({op}): {message}", more=more)


def refuse_op(message, op, *arguments, note=None, **fields):
    """Errors of the op's verifier."""
    more = [f"note: {note}"] if note else []
    refuse(message, op, *arguments, more=more, **fields)


def both(function, message, *arguments, **fields):
    for op in NAMES:
        function(message, op, *arguments, **fields)


# --- Inputs, outputs and kinds ----------------------------------------------------------------------

for op in NAMES:
    for names in (["x"], ["x", "x", "x", "x"]):
        made = model([node(op, names, ["y"], name="n")], [("x", FLOAT, [2])], [])
        table.add(None, made, f"node 'n' ({op}): expected 2 or 3 input(s), but got {len(names)}")
    made = model([node(op, ["x", ""], ["y"], name="n")], [("x", FLOAT, [2])], [])
    table.add(None, made, f"node 'n' ({op}): input 1 is absent")
    made = model([node(op, ["", "x"], ["y"], name="n")], [("x", FLOAT, [2])], [])
    table.add(None, made, f"node 'n' ({op}): input 0 is absent")
    made = model([node(op, ["x", "x"], ["y", "z"], name="n")], [("x", FLOAT, [2])], [])
    table.add(None, made, f"node 'n' ({op}): expected 1 output, but got 2")
    both_kinds = "attribute '{}': expected an int, but got {}".format
    for name in ("axis", "block_size", "output_dtype"):
        for value, shown in ((1.0, "a float"), ("1", "a string"), ([1], "a list of ints")):
            refuse(both_kinds(name, shown), op, [2], [], **{name: value})
    refuse("unknown attribute 'to'", op, [2], [], to=1)
    refuse("unknown attribute 'round_mode'", op, [2], [], round_mode="up")
for name in ("saturate", "precision"):
    refuse(f"unknown attribute '{name}'", DEQUANTIZE, [2], [], **{name: 1})
    refuse(both_kinds(name, "a float"), QUANTIZE, [2], [], **{name: 0.0})
sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))
made = model(
    [node(QUANTIZE, ["x", "s"], ["y"], name="n")],
    [("x", FLOAT, [2]), helper.make_value_info("s", sequence)],
    [],
)
shown = "'!quant_float.opaque<\"seq(tensor(float))\">'"
table.add(None, made, f"node 'n' ({QUANTIZE}): input 1: expected a tensor, but got {shown}")

# --- Values of attributes ---------------------------------------------------------------------------

for value in (2, -1, 7, INT_MIN):
    refuse(
        f"attribute 'saturate': expected 0 or 1, but got {value}", QUANTIZE, [2], [], saturate=value
    )
for value in (-1, INT_MIN):
    both(
        refuse,
        f"attribute 'block_size': expected 0 or more, but got {value}",
        [2, 4],
        [2, 2],
        block_size=value,
    )
for value in (99, -1, 14, 15, 2**32 + 1, INT_MIN):
    words = f"expected the number of an element type, but got {value}"
    both(refuse, f"attribute 'output_dtype': {words}", [2], [], output_dtype=value)
    refuse(f"attribute 'precision': {words}", QUANTIZE, [2], [], precision=value)
# Rule Q9.
for value in (T.STRING, T.INT32, T.FLOAT8E4M3FN, T.FLOAT8E8M0):
    words = "expected 0 or the number of float, float16, bfloat16 or double, but got"
    refuse(f"attribute 'precision': {words} {value}", QUANTIZE, [2], [], precision=value)
# Rule Q5.
words = "attribute 'output_dtype': expected the zero point's element type 'i8', but got 'ui8'"
refuse(words, QUANTIZE, [2], [], [], output_dtype=T.UINT8)
# V3: spelled out, though it has no effect.
for name, opset, first in (
    ("block_size", 19, 21),
    ("output_dtype", 19, 21),
    ("precision", 22, 23),
    ("saturate", 18, 19),
):
    since = max(n for n in (10, 13, 19, 21) if n <= opset)
    value = 1 if name == "saturate" else 0
    refuse_op(
        f"attribute '{name}' does not exist in QuantizeLinear-{since} (opset {opset})",
        QUANTIZE,
        [2],
        [],
        opset=opset,
        note=f"QuantizeLinear has the attribute '{name}' from opset {first} on",
        **{name: value},
    )
refuse_op(
    "attribute 'output_dtype' does not exist in QuantizeLinear-19 (opset 20)",
    QUANTIZE,
    [2],
    [],
    [],
    opset=20,
    output_dtype=T.INT8,
    note="QuantizeLinear has the attribute 'output_dtype' from opset 21 on",
)
refuse_op(
    "attribute 'output_dtype' does not exist in DequantizeLinear-21 (opset 22)",
    DEQUANTIZE,
    [2],
    [],
    opset=22,
    output_dtype=FLOAT,
    note="DequantizeLinear has the attribute 'output_dtype' from opset 23 on",
)

# --- Granularity ------------------------------------------------------------------------------------

# The length of a per-axis scale.
both(
    refuse_op, "scale must have 5 elements, as the input's dimension 1, but got 4", [4, 5], [4], [4]
)
both(
    refuse_op,
    "scale must have 4 elements, as the input's dimension 0, but got 5",
    [4, 5],
    [5],
    axis=-2,
)
# A scale of rank 2 or more without block_size.
for rank, shown, shape, scale in ((2, "4x1", [4, 5], [4, 1]), (3, "1x1x1", None, [1, 1, 1])):
    words = f"a scale of rank {rank} needs a block_size above 0 (blocked quantization), but got 'tensor<{shown}xf32>' without one"
    both(refuse, words, shape, scale)
    both(refuse, words, shape, scale, block_size=0)
words = (
    "scale must be a scalar (per tensor), a vector (per axis) or, with block_size, of the input's "
    "rank 3 (blocked), but got"
)
both(refuse, f"{words} 'tensor<4x1xf32>'", [4, 5, 6], [4, 1])
# Axes out of range, also with a scalar scale of blocks, and the ends of the range.
for axis in (2, -3, INT_MAX, INT_MIN):
    words = f"axis must be in [-2, 1] for an input of rank 2, but got {axis}"
    both(refuse_op, words, [4, 5], [5], axis=axis)
    both(refuse_op, words, [4, 5], [4, 5], axis=axis, block_size=1)
# Rank 1 (Q3).
words = "attribute 'axis' must be 0 or -1 for an input of rank 1 with a scale of 3 elements, but is absent"
both(refuse, words, [3], [3])
both(refuse_op, "axis must be in [-1, 0] for an input of rank 1, but got 1", [3], [3], axis=1)
# Zero points and scales of different shapes (Q2).
words = "zero point must have the same shape as the scale, but got the shape"
both(refuse_op, f"{words} [] and the shape [5]", [4, 5], [5], [])
both(refuse_op, f"{words} [4] and the shape [5]", [4, 5], [5], [4])
both(refuse_op, f"{words} [5] and the shape []", [4, 5], [], [5])
both(refuse_op, f"{words} [4] and the shape [4, 2]", [4, 5], [4, 2], [4], block_size=3)
# Blocks.
words = "with a block size the scale must have the input's rank 2, but got the shape"
both(refuse_op, f"{words} []", [4, 5], [], block_size=2)
both(refuse_op, f"{words} [1]", [4, 5], [1], block_size=2)
both(refuse_op, f"{words} [5]", [4, 5], [5], block_size=2)
both(refuse_op, f"{words} [4, 5, 1]", [4, 5], [4, 5, 1], block_size=2)
for blocks in (2, 4):
    words = f"dimension 1 of the scale must be 3, the blocks of 2 in 5, but got {blocks}"
    both(refuse_op, words, [4, 5], [4, blocks], block_size=2)
words = "dimension 0 of the scale must be 4, as the input's, but got 5"
both(refuse_op, words, [4, 5], [5, 3], block_size=2)
# Sizes near the limit of the integers.
words = f"dimension 1 of the scale must be 1, the blocks of {INT_MAX} in {INT_MAX}, but got 2"
both(refuse_op, words, [1, INT_MAX], [1, 2], block_size=INT_MAX)
words = f"dimension 1 of the scale must be {2**62}, the blocks of 2 in {INT_MAX}, but got 1"
both(refuse_op, words, [1, INT_MAX], [1, 1], block_size=2)
words = f"dimension 0 of the scale must be 0, the blocks of {INT_MAX} in 0, but got 1"
both(refuse_op, words, [0, 5], [1, 5], axis=0, block_size=INT_MAX)
# Before 13, there is no axis attribute.
refuse(
    "scale must have one element (per tensor) in QuantizeLinear-10 (opset 12), but got "
    "'tensor<5xf32>'",
    QUANTIZE,
    [4, 5],
    [5],
    opset=12,
    more=["note: QuantizeLinear has the attribute 'axis' from opset 13 on"],
)

# --- Types ------------------------------------------------------------------------------------------

# Rule Q6.
refuse_op(
    "scale must have the input's element type 'f16' in QuantizeLinear-21 (opset 22), but got 'f32'",
    QUANTIZE,
    [2],
    [],
    types=(T.FLOAT16, FLOAT),
    opset=22,
)
refuse_op(
    "zero point element type must be the quantized type 'i8', but got 'ui8'",
    DEQUANTIZE,
    [2],
    [],
    [],
    types=(T.INT8, FLOAT, T.UINT8),
)
# Rule Q8.
refuse_op(
    "attribute 'output_dtype' is missing: a scale of 'f8E8M0FNU' does not determine the type of the result, which must be f16, bf16 or f32",
    DEQUANTIZE,
    [2],
    [],
    types=(T.INT8, T.FLOAT8E8M0),
)
# Q5: without a zero point the type needs output_dtype.
refuse_op(
    "quantized type 'i8' without a zero point requires the attribute 'output_dtype', which QuantizeLinear-19 (opset 20) does not have",
    QUANTIZE,
    [2],
    [],
    opset=20,
    output_dtype=T.INT8,
    note="QuantizeLinear has the attribute 'output_dtype' from opset 21 on",
)
refuse_op(
    "result element type 'f16', which is not the scale's 'f32', requires the attribute 'output_dtype', which DequantizeLinear-21 (opset 22) does not have",
    DEQUANTIZE,
    [2],
    [],
    opset=22,
    output_dtype=T.FLOAT16,
    note="DequantizeLinear has the attribute 'output_dtype' from opset 23 on",
)
for opset in (1, 9):
    refuse_op(
        f"opset of QuantizeLinear must be between 10 and 28, but got {opset}",
        QUANTIZE,
        [2],
        [],
        opset=opset,
    )
# Rule V9.
MICROSOFT = {"domain": "com.microsoft", "imports": [("com.microsoft", 1)]}
refuse_op(
    "result element type 'f8E4M3FN' is not accepted by com.microsoft.QuantizeLinear-1 (opset 1)",
    QUANTIZE,
    [2],
    [],
    [],
    types=(FLOAT, FLOAT, T.FLOAT8E4M3FN),
    note="no version of com.microsoft.QuantizeLinear accepts this type",
    **MICROSOFT,
)
refuse_op(
    "attribute 'saturate' does not exist in com.microsoft.QuantizeLinear-1 (opset 1)",
    QUANTIZE,
    [2],
    [],
    saturate=1,
    note="no version of com.microsoft.QuantizeLinear has the attribute 'saturate'",
    **MICROSOFT,
)
refuse_op(
    "opset of com.microsoft.DequantizeLinear must be between 1 and 1, but got 2",
    DEQUANTIZE,
    [2],
    [],
    domain="com.microsoft",
    imports=[("com.microsoft", 2)],
)
refuse_op(
    "scale must have 5 elements, as the input's dimension 1, but got 4",
    QUANTIZE,
    [4, 5],
    [4],
    **MICROSOFT,
)

# --- Constant zero points (Q7) ------------------------------------------------------------------------


def zero_point(data_type, encodings, size=None):
    shape = [] if size is None else [size]
    return helper.make_tensor("z", data_type, shape, bytes(encodings), raw=True)


for data_type, name, encoding in (
    (T.FLOAT8E4M3FN, "f8E4M3FN", 0x38),
    (T.FLOAT8E4M3FNUZ, "f8E4M3FNUZ", 0x80),
    (T.FLOAT8E5M2, "f8E5M2", 0x01),
    (T.FLOAT8E5M2FNUZ, "f8E5M2FNUZ", 0x80),
):
    words = f"a constant zero point of '{name}' must be 0, but element"
    for op, types in ((QUANTIZE, (FLOAT, FLOAT)), (DEQUANTIZE, (data_type, FLOAT))):
        stored = zero_point(data_type, [encoding])
        shown = f"{words} 0 is 0x{encoding:02X}"
        refuse(shown, op, [2], [], types=types, initializer=[stored])
        # From a Constant node, with several elements, and with so many that they stay in the file.
        constant = node("Constant", [], ["z"], value=zero_point(data_type, [0, 0, encoding], 3))
        many = zero_point(data_type, [0] * 4999 + [encoding], 5000)
        made = build(op, [3], [3], [3], (*types, data_type), axis=0, nodes=[constant])
        del made.graph.input[2]
        table.add(None, made, f"node 'n' ({op}): {words} 2 is 0x{encoding:02X}")
        shown = f"{words} 4999 is 0x{encoding:02X}"
        refuse(shown, op, [5000], [5000], types=types, axis=0, initializer=[many])

# --- Several nodes, and the declared type
# ---------------------------------------------------------------

made = model(
    [
        node(QUANTIZE, ["x", "s"], ["a"], name="first", saturate=2),
        node(DEQUANTIZE, ["a", "s"], ["b"], name="second"),
        node(DEQUANTIZE, ["q", "s"], ["c"], name="third", block_size=-1),
    ],
    [("x", FLOAT, [2]), ("s", FLOAT, []), ("q", T.INT8, [2])],
    [],
)
table.add(
    None,
    made,
    f"node 'first' ({QUANTIZE}): attribute 'saturate': expected 0 or 1, but got 2",
    more=[
        f"error: node 'third' ({DEQUANTIZE}): attribute 'block_size': expected 0 or more, but got -1"
    ],
)
made = build(QUANTIZE, [2], [])
made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", T.INT8, [2]))
table.add(
    None,
    made,
    f"node 'n' ({QUANTIZE}): output 'y': declared as 'tensor<2xi8>', but got 'tensor<2xui8>'",
)

# --- DynamicQuantizeLinear ------------------------------------------------------------------------------


def dynamic(
    message,
    inputs=("x",),
    outputs=("a", "b", "c"),
    data_type=FLOAT,
    opset=28,
    more=(),
    **attributes,
):
    made = node("DynamicQuantizeLinear", inputs, outputs, name="n", **attributes)
    made = model([made], [("x", data_type, [2])], [], opset=opset)
    table.add(None, made, f"node 'n' (DynamicQuantizeLinear): {message}", more=more)


dynamic("expected 1 input(s), but got 2", inputs=("x", "x"))
dynamic("input 0 is absent", inputs=("",))
dynamic("expected 3 outputs, but got 1", outputs=("a",))
dynamic("unknown attribute 'axis'", axis=1)
dynamic(
    "input element type 'f16' is not accepted by DynamicQuantizeLinear-11 (opset 28)",
    data_type=T.FLOAT16,
    more=["note: no version of DynamicQuantizeLinear accepts this type"],
)
for output, data_type, shape, shown, right in (
    ("a", T.INT8, [2], "tensor<2xi8>", "tensor<2xui8>"),
    ("b", T.FLOAT16, [], "tensor<f16>", "tensor<f32>"),
    ("c", T.INT8, [], "tensor<i8>", "tensor<ui8>"),
):
    made = node("DynamicQuantizeLinear", ["x"], ["a", "b", "c"], name="n")
    made = model([made], [("x", FLOAT, [2])], [(output, data_type, shape)])
    message = f"output '{output}': declared as '{shown}', but got '{right}'"
    table.add(None, made, f"node 'n' (DynamicQuantizeLinear): {message}")
dynamic("opset of DynamicQuantizeLinear must be between 11 and 28, but got 10", opset=10)

problems = table.run()
print(f"{len(table.cases)} cases")
sys.exit("\n".join(problems) if problems else 0)
