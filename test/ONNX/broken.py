# Files with one error each, with the exact message. Every diagnostic of the importer has a case
# here or is listed at the end with the reason.
# RUN: rm -rf %t && env PYTHONPATH=%S/Inputs:%S/../helpers %python %s %t quant-float-translate %src_root/lib/ONNX/Common/Diagnostics.def
import os
import pathlib
import subprocess
import sys

import wire
from cases import Table, read_diagnostics
from limits import SANITIZED, bounded
from models import FLOAT, body, model
from onnx import AttributeProto, NodeProto, TensorProto, helper

T = TensorProto
node = helper.make_node
table = Table(*sys.argv[1:4])
X, Y = ("x", FLOAT, [2]), ("y", T.FLOAT16, [2])


def cast(**attributes):
    return node("Cast", ["x"], ["y"], name="c", **attributes)


def one(made, **more):
    """A model with one node from x to y."""
    return model([made], [X], [Y], **more)


def stored(**fields):
    """A model with one initializer."""
    return model([], [], [], initializer=[TensorProto(name="w", **fields)])


def refuse_node(diagnostic, made, message, **more):
    table.add(diagnostic, one(made, **more), f"node '{made.name}' ({made.op_type}): {message}")


# --- The file and the model -----------------------------------------------------------------------

whole = one(cast(to=T.FLOAT16)).SerializeToString()
ends = dict(wire.fields(whole))
IR_VERSION, GRAPH, OPSET_IMPORT = 1, 7, 8
for length in range(len(whole)):
    have = {field for end, field in ends.items() if end <= length}
    if length and length not in ends:
        table.add("Malformed", whole[:length], "not an ONNX model: malformed protobuf")
    elif IR_VERSION not in have:
        table.add("NoIrVersion", whole[:length], "not an ONNX model: no ir_version")
    elif GRAPH not in have:
        table.add("NoGraph", whole[:length], "the model has no graph")
    else:
        assert OPSET_IMPORT not in have
        message = "node 'c' (Cast): domain 'ai.onnx' is not in the opset imports"
        table.add("NoOpsetImport", whole[:length], message)
for garbage in (b"\0", b"\xff" * 40, b"module {}", b"PK\x03\x04", whole + b"\x07", whole[1:]):
    table.add("Malformed", garbage, "not an ONNX model: malformed protobuf")
for version in (0, 15, -1, 2**62):
    changed = one(cast(to=T.FLOAT16), ir_version=version)
    table.add("BadIrVersion", changed, f"ir_version: expected 1 to 14, but got {version}")
relu = node("Relu", ["x"], ["y"], name="r", domain="com.example")
refuse_node("NoOpsetImport", relu, "domain 'com.example' is not in the opset imports")
# As ONNX Runtime reads it. Reported once.
gelus = [node("Gelu", [a], [b], name=b, domain="com.microsoft") for a, b in ("xy", "yz")]
message = "node 'y' (Gelu): domain 'com.microsoft' is not in the opset imports, assuming version 1"
table.add("AssumedOpsetImport", model(gelus, [X], []), message)
for domain, imports, versions in (
    ("com.example", [("com.example", 1), ("com.example", 2)], (1, 2)),
    ("ai.onnx", [("ai.onnx", 27)], (28, 27)),
):
    message = "domain '{}' is imported as version {} and as version {}".format(domain, *versions)
    table.add("DuplicateOpsetImport", one(relu, imports=imports), message)
for version in (0, -3):
    message = f"opset import of domain '': expected a version of 1 or more, but got {version}"
    table.add("BadOpsetVersion", one(relu, opset=version), message)
training = model([], [X], [X])
training.training_info.add()
table.add("TrainingIgnored", training, "training information is not imported")

# --- Types and shapes -----------------------------------------------------------------------------

for data_type in (29, 99, -1):
    message = f"graph input 'x': unknown element type {data_type}"
    table.add("UnknownElementType", model([], [("x", data_type, [1])], []), message)
for where, fields in {
    "value_info 'v'": {"value_info": [helper.make_tensor_value_info("v", 77, None)]},
    "graph output 'o'": {},
}.items():
    made = model([], [X], [("o", 77, None)] if not fields else [], **fields)
    table.add("UnknownElementType", made, f"{where}: unknown element type 77")
for dims, at, got in (([2, -2], 1, -2), ([-(2**63)], 0, -(2**63))):
    message = f"graph input 'x': dimension {at}: expected -1, 0 or more, but got {got}"
    table.add("NegativeDim", model([], [("x", FLOAT, dims)], []), message)
HUGE = "expected at most 2^63 - 1 elements, but got the shape"
for dims in ([2**32, 2**31], [2**62, 0, 2**62], [2**62, "n", 3], [10**6] * 20):
    shown = ", ".join("?" if dim == "n" else str(dim) for dim in dims[:16])
    shown = f"[{shown}, ...]" if len(dims) > 16 else f"[{shown}]"
    made = model([], [("x", FLOAT, dims)], [])
    table.add("HugeShape", made, f"graph input 'x': {HUGE} {shown}")
RANK = "expected at most 64 dimensions, but got 65"
made = model([], [("x", FLOAT, ["n"] * 65)], [])
table.add("HighRank", made, f"graph input 'x': {RANK}")
table.add("HighRank", stored(data_type=FLOAT, dims=[1] * 65), f"initializer 'w': {RANK}")
table.add(
    "HugeShape",
    stored(data_type=T.INT4, dims=[2**33, 2**33]),
    f"initializer 'w': {HUGE} [8589934592, 8589934592]",
)
for declared, shown in (((T.INT8, [2]), "tensor<2xi8>"), ((FLOAT, [3]), "tensor<3xf32>")):
    made = model([], [("w", *declared)], [])
    made.graph.initializer.append(helper.make_tensor("w", FLOAT, [2], [1, 2]))
    message = f"initializer 'w': declared as {shown}, but got tensor<2xf32>"
    table.add("DeclaredInitializer", made, message)
# Tools/declared.py tests sizes, and nodes that are kept.
message = "node 'c' (Cast): output 'y': declared as 'tensor<2xi8>', but got 'tensor<2xf16>'"
made = model([cast(to=T.FLOAT16)], [X], [("y", T.INT8, [2])])
table.add(None, made, message)

# --- Names and values -----------------------------------------------------------------------------

table.add(
    "DuplicateValue",
    model([], [X, X], []),
    "graph input 'x': the value 'x' is defined more than once",
)
weight = helper.make_tensor("w", FLOAT, [1], [1])
table.add(
    "DuplicateValue",
    model([], [], [], initializer=[weight, weight]),
    "initializer 'w': the value 'w' is defined more than once",
)
twice = "the value 'y' is defined more than once"
again = node("Abs", ["x"], ["y"], name="again")
table.add("DuplicateValue", model([cast(to=10), again], [X], []), f"node 'again' (Abs): {twice}")
same = node("Split", ["x"], ["y", "y"], name="s", num_outputs=2)
table.add("DuplicateValue", model([same], [X], []), f"node 's' (Split): {twice}")
table.add("NoInputName", model([], [X, ("", FLOAT, [1])], []), "graph input 1 has no name")
table.add(
    "NoInitializerName",
    model([], [], [], initializer=[weight, TensorProto(data_type=FLOAT)]),
    "initializer 1 has no name",
)
refuse_node(
    "UndefinedInput",
    node("Add", ["x", "gone"], ["y"], name="a"),
    "input 1: the value 'gone' is not defined",
)
branch = body([node("Neg", ["inner"], ["z"], name="n")], [], ["z"])
table.add(
    "UndefinedInput",
    one(node("If", ["x"], ["y"], name="i", then_branch=branch, else_branch=branch)),
    "node 'n' (Neg): input 0: the value 'inner' is not defined",
)
table.add(
    "UndefinedOutput",
    model([], [X], [X, ("z", FLOAT, [1])]),
    "graph output 1: the value 'z' is not defined",
)
table.add(
    "UndefinedOutput",
    one(node("If", ["x"], ["y"], name="i", then_branch=body([], [], ["q"]))),
    "node 'i' (If): body 'then_branch': graph output 0: the value 'q' is not defined",
)
table.add(
    "Cycle",
    one(node("Add", ["x", "y"], ["y"], name="a")),
    "the nodes depend on each other: node 'a' (Add) <- node 'a' (Add)",
)
table.add(
    "Cycle",
    model(
        [
            node("Neg", ["x"], ["start"]),
            node("Add", ["start", "b"], ["a"], name="one"),
            node("Abs", ["a"], ["b"]),
            node("Log", ["b"], ["y"]),
        ],
        [X],
        [Y],
    ),
    "the nodes depend on each other: node 'one' (Add) <- node of 'b' (Abs) <- node 'one' (Add)",
)
ring = [node("Abs", [f"v{i}"], [f"v{(i + 1) % 20}"], name=f"n{i}") for i in range(20)]
chain = " <- ".join(f"node 'n{i % 20}' (Abs)" for i in range(20, 12, -1))
table.add(
    "Cycle",
    model(ring, [], []),
    f"the nodes depend on each other: {chain} <- ... <- node 'n0' (Abs)",
)
table.add(
    "Cycle",
    one(node("If", ["x"], ["y"], name="i", then_branch=body([], [], ["y"]))),
    "the nodes depend on each other: node 'i' (If) <- node 'i' (If)",
)

# --- Nodes ----------------------------------------------------------------------------------------

table.add(
    "NoOpType",
    one(NodeProto(name="n", input=["x"], output=["y"])),
    "node 'n': the node has no op_type",
)
table.add("NoOpType", one(NodeProto()), "node without a name: the node has no op_type")
for op_type, inputs, expected in (
    ("Cast", [], 1),
    ("Cast", ["x", "x"], 1),
    ("CastLike", ["x"], 2),
    ("Identity", [], 1),
    ("Constant", ["x"], 0),
):
    made = node(op_type, inputs, ["y"], name="n")
    refuse_node("InputCount", made, f"expected {expected} input(s), but got {len(inputs)}")
table.add(
    "OutputCount",
    model([node("Cast", ["x"], [], name="n", to=1)], [X], []),
    "node 'n' (Cast): expected 1 output, but got 0",
)
for made in (
    node("CastLike", ["x", "x"], ["y", "z"], name="n"),
    node("Identity", ["x"], ["y", "z"], name="n"),
    node("Constant", [], ["y", "z"], name="n", value_int=1),
):
    refuse_node("OutputCount", made, f"expected 1 output, but got {len(made.output)}")
refuse_node("AbsentInput", node("Cast", [""], ["y"], name="n", to=1), "input 0 is absent")
refuse_node("AbsentInput", node("CastLike", ["x", ""], ["y"], name="n"), "input 1 is absent")
refuse_node("AbsentInput", node("Identity", [""], ["y"], name="n"), "input 0 is absent")
sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))
for at, made in enumerate((cast(to=1), node("CastLike", ["w", "x"], ["y"], name="c"))):
    shown = '!quant_float.opaque<"seq(tensor(float))">'
    table.add(
        None,
        model([made], [helper.make_value_info("x", sequence), ("w", FLOAT, [1])], []),
        f"node 'c' ({made.op_type}): input {at}: expected a tensor, but got '{shown}'",
    )
refuse_node(None, cast(), "attribute 'to' is missing")
refuse_node(None, cast(saturate=1), "attribute 'to' is missing")
refuse_node("UnknownAttribute", cast(to=1, axis=1), "unknown attribute 'axis'")
like = node("CastLike", ["x", "x"], ["y"], name="c", to=1)
refuse_node("UnknownAttribute", like, "unknown attribute 'to'")
refuse_node(
    "UnknownAttribute",
    node("Identity", ["x"], ["y"], name="i", axis=1),
    "unknown attribute 'axis'",
)
refuse_node(
    "UnknownAttribute",
    node("Constant", [], ["y"], name="k", valu=1),
    "unknown attribute 'valu'",
)
doubled = cast(to=1)
doubled.attribute.append(helper.make_attribute("to", 10))
refuse_node("DuplicateAttribute", doubled, "attribute 'to' is given more than once")
unnamed = cast(to=1)
unnamed.attribute.append(AttributeProto(i=1))
refuse_node("NoAttributeName", unnamed, "an attribute has no name")
for made, message in (
    (cast(to="FLOAT16"), "attribute 'to': expected an int, but got a string"),
    (cast(to=1.0), "attribute 'to': expected an int, but got a float"),
    (cast(to=[1]), "attribute 'to': expected an int, but got a list of ints"),
    (cast(to=1, saturate=0.0), "attribute 'saturate': expected an int, but got a float"),
    (cast(to=1, round_mode=1), "attribute 'round_mode': expected a string, but got an int"),
    (
        node("Constant", [], ["y"], name="k", value=[1.0]),
        "attribute 'value': expected a tensor, but got a list of floats",
    ),
    (
        node("Constant", [], ["y"], name="k", value_string=1),
        "attribute 'value_string': expected a string, but got an int",
    ),
):
    refuse_node("AttributeKind", made, message)
refuse_node(
    "AttributeKind",
    cast(to=1),
    "attribute 'to': expected a string, but got an int",
    opset=5,
)


def with_attribute(**fields):
    made = node("Odd", ["x"], ["y"], name="o")
    made.attribute.add(name="a", **fields)
    return made


NO_TYPE = "attribute 'a': unknown or missing type"
refuse_node("NoAttributeType", with_attribute(), NO_TYPE)
refuse_node("NoAttributeType", with_attribute(i=1, f=1.0), NO_TYPE)
future = node("Odd", ["x"], ["y"], name="o").SerializeToString()
future += wire.chunk(5, wire.chunk(1, b"a") + wire.number(20, 99))
refuse_node("NoAttributeType", NodeProto.FromString(future), NO_TYPE)
HOLDS = "but has a value of another kind"
refuse_node(
    "AttributeFields",
    with_attribute(type=AttributeProto.INT, f=1.0),
    f"attribute 'a': declared as an int, {HOLDS}",
)
refuse_node(
    "AttributeFields",
    with_attribute(type=AttributeProto.FLOATS, floats=[1], ints=[1]),
    f"attribute 'a': declared as a list of floats, {HOLDS}",
)
for kind, shown in (
    (AttributeProto.TENSOR, "a tensor"),
    (AttributeProto.GRAPH, "a graph"),
    (AttributeProto.TYPE_PROTO, "a type"),
    (AttributeProto.SPARSE_TENSOR, "a sparse tensor"),
):
    message = f"attribute 'a': declared as {shown}, but has no value"
    refuse_node("NoAttributeValue", with_attribute(type=kind), message)
for to in (0, 14, 15, 29, -1, 2**32 + 1):
    message = f"attribute 'to': expected the number of an element type, but got {to}"
    refuse_node(None, cast(to=to), message)
for to in ("", "float", "COMPLEX64", "UNDEFINED", "\n"):
    shown = to.replace("\n", "\\0A")
    message = f"attribute 'to': expected the name of an element type, but got '{shown}'"
    refuse_node(None, cast(to=to), message, opset=1)
for value in (2, -1):
    message = f"attribute 'saturate': expected 0 or 1, but got {value}"
    refuse_node(None, cast(to=17, saturate=value), message)
for value in ("", "UP", "nearest "):
    message = f"attribute 'round_mode': expected 'up', 'down' or 'nearest', but got '{value}'"
    refuse_node(None, cast(to=24, round_mode=value), message)
FORMS = "expected exactly one value attribute, but got"
refuse_node("ConstantForms", node("Constant", [], ["y"], name="k"), f"{FORMS} 0")
made = node("Constant", [], ["y"], name="k", value_int=1, value_float=1.0)
refuse_node("ConstantForms", made, f"{FORMS} 2")
# Each graph within a node within a graph adds three levels of messages, a sequence of sequences
# two. protobuf's limit is 100, which includes unknown groups.
for levels in (40, 100_000):
    for fields in (
        wire.nest(levels, (1, 5, 6)),
        wire.chunk(11, wire.chunk(1, b"x") + wire.chunk(2, wire.nest(3 * levels, (4, 1)))),
        wire.varint(100 << 3 | 3) * (3 * levels) + wire.varint(100 << 3 | 4) * (3 * levels),
    ):
        deep = wire.number(IR_VERSION, 14) + wire.chunk(GRAPH, fields)
        message = "expected at most 100 nested messages, the limit of protobuf"
        table.add("DeepMessages", deep, message)
# Earlier errors are reported.
for broken in (
    wire.chunk(GRAPH, deep)[:-1],
    b"\0" + deep,
    b"\x0f" + deep,
    wire.varint(100 << 3 | 4) + deep,
):
    table.add("Malformed", broken, "not an ONNX model: malformed protobuf")
strange = node("Strange", ["x"], ["s"])
for index, made, which, result in (
    (
        0,
        node("Cast", ["s"], ["y"], name="n", to=10),
        "UntypedInput",
        "so the node is kept unchanged",
    ),
    (
        1,
        node("CastLike", ["x", "s"], ["y"], name="n"),
        "UntypedLike",
        "so the result's is not known either",
    ),
):
    message = f"node 'n' ({made.op_type}): the type of input {index} 's' is not known, {result}"
    table.add(which, model([strange, made], [X], [Y]), message)

# The importer accepts the file's contents, and the op's verifier rejects them: each node with its
# name.


def refuse_op(made, message, *more, x=X, **fields):
    prefix = f"node '{made.name}' ({made.op_type}): "
    table.add(None, model([made], [x], [], **fields), prefix + message, more=more)


SINCE = "note: Cast {1} from opset {0} on".format
TYPE, SATURATE = "accepts this type", "has the attribute 'saturate'"
refuse_op(
    cast(to=T.FLOAT8E4M3FN),
    "result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 18)",
    SINCE(19, TYPE),
    opset=18,
)
refuse_op(
    cast(to=T.FLOAT),
    "input element type 'f6E2M3FN' is not accepted by Cast-25 (opset 27)",
    SINCE(28, TYPE),
    x=("x", T.FLOAT6E2M3, [2]),
    opset=27,
)
refuse_op(
    cast(to=T.FLOAT16, saturate=1),
    "attribute 'saturate' does not exist in Cast-13 (opset 13)",
    SINCE(19, SATURATE),
    opset=13,
)
refuse_op(cast(to=1), "opset of Cast must be between 1 and 28, but got 29", opset=29)
refuse_op(
    node("CastLike", ["x", "x"], ["y"], name="c"),
    "opset of CastLike must be between 15 and 28, but got 14",
    opset=14,
)
refuse_op(
    cast(to=1),
    "operand #0 must be a scalar, vector or tensor of an ONNX or quant_float element type, but got "
    "'tensor<2xcomplex<f32>>'",
    x=("x", T.COMPLEX64, [2]),
)
table.add(
    None,
    model([cast(to=17), node("Cast", ["y"], ["z"], name="d", to=1)], [X], [], opset=13),
    "node 'c' (Cast): result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 13)",
    more=[
        SINCE(19, TYPE),
        "error: node 'd' (Cast): input element type 'f8E4M3FN' is not "
        "accepted by Cast-13 (opset 13)",
        SINCE(19, TYPE),
    ],
)

made = model([node("Slice", ["x"], ["y"], name="s", starts=[0], ends=[1])], [X], [], opset=14)
message = "inputs or attributes do not match opset 14, assuming opset 9"
table.add("OtherVersion", made, f"node 's' (Slice): {message}")
made = model([node("Mod", ["x", "x"], ["y"], name="m")], [X], [], opset=13)
message = "inputs or attributes do not match opset 13, assuming opset 28"
table.add("OtherVersion", made, f"node 'm' (Mod): {message}")
made = model([node("Elu", ["x"], ["y"], name="e", alpha=2)], [X], [])
message = "attribute 'alpha': expected a float, but got the int 2, converting it to float"
table.add("IntegerForFloat", made, f"node 'e' (Elu): {message}")
made = model([node("IsInf", ["x"], ["y"], name="i", detect_negative=[0])], [X], [])
message = (
    "attribute 'detect_negative': expected an int, but got a list with the int 0, using its element"
)
table.add("ListForInteger", made, f"node 'i' (IsInf): {message}")
made = model(
    [node("QLinearSigmoid", ["x"], ["y"], name="q")], [X], [], imports=[("com.microsoft", 1)]
)
message = "the domain 'ai.onnx' has no such operator, assuming domain 'com.microsoft'"
table.add("OtherDomain", made, f"node 'q' (QLinearSigmoid): {message}")
listing = {"then_branch": body([], ["x"], ["x"]), "else_branch": body([], [], ["x"])}
made = model([node("If", ["c"], ["y"], name="i", **listing)], [X, ("c", T.BOOL, [])], [])
message = "a body of If has no inputs, using the outer value of the same name"
table.add("BodyInput", made, f"node 'i' (If): body 'then_branch': graph input 'x': {message}")
made = model([node("MatMul", ["x", "x"], ["y"], name="m")], [("x", FLOAT, [2, 3])], [])
message = "node 'm' (MatMul): does not conform to ONNX's definition of the operator: [ShapeInferenceError] Incompatible dimensions"
table.add("NotAsDefined", made, f"{message} for matrix multiplication")

# --- Functions ------------------------------------------------------------------------------------


def function(name, nodes, inputs=("x",), outputs=("y",), attributes=(), **more):
    imports = [helper.make_opsetid("", 28), helper.make_opsetid("f", 1)]
    return helper.make_function("f", name, inputs, outputs, nodes, imports, attributes, **more)


def call(name, **attributes):
    return node(name, ["x"], ["y"], name="call", domain="f", **attributes)


def refuse_call(diagnostic, made, functions, message, *more):
    calling = model([made], [X], [], imports=[("f", 1)], functions=functions)
    table.add(diagnostic, calling, f"node 'call' ({made.op_type}): {message}", more=more)


simple = function("F", [node("Abs", ["x"], ["y"])])
table.add(
    "DuplicateFunction",
    one(call("F"), functions=[simple, simple]),
    "function 'f::F': the function is defined more than once",
)
refuse_call(
    "RecursiveFunction",
    call("F"),
    [function("F", [call("G")]), function("G", [call("F")])],
    "node 'call' (G): node 'call' (F): the function calls itself: f::F -> f::G -> f::F",
)
steps = [function(f"F{i}", [call(f"F{i + 1}")]) for i in range(70)]
prefix = ": ".join(f"node 'call' (F{i})" for i in range(1, 64))
refuse_call(
    "TooDeep", call("F0"), steps, f"{prefix}: graphs and functions are nested more than 64 deep"
)
# The innermost level is a body, not a call.
last = node("If", ["x"], ["y"], name="i", then_branch=body([], [], ["x"]))
steps = [function(f"F{i}", [call(f"F{i + 1}")]) for i in range(62)] + [function("F62", [last])]
prefix = ": ".join(f"node 'call' (F{i})" for i in range(1, 63))
refuse_call(
    "TooDeep",
    call("F0"),
    steps,
    f"{prefix}: node 'i' (If): body 'then_branch': graphs and functions are nested more than 64 deep",
)
fan = [
    function(
        f"F{i}",
        [
            node(f"F{i + 1}", ["x"], ["y" if j == 0 else f"y{j}"], "call", domain="f")
            for j in range(8)
        ],
    )
    for i in range(5)
]
payload = helper.make_tensor("t", T.UINT8, [2**20], bytes(2**20), raw=True)
fan.append(function("F5", [node("Constant", [], ["y"], value=payload)]))
prefix = ": ".join(f"node 'call' (F{i})" for i in range(1, 6))
refuse_call(
    "ExpansionLimit",
    call("F0"),
    fan,
    f"{prefix}: the functions expand to more than 262144 nodes",
)
refuse_call(
    "FunctionInputs",
    node("F", ["x", "x"], ["y"], name="call", domain="f"),
    [simple],
    "expected at most 1 input(s), as the function has, but got 2",
)
refuse_call(
    "FunctionOutputs",
    node("F", ["x"], ["y", "z"], name="call", domain="f"),
    [simple],
    "expected at most 1 output(s), as the function has, but got 2",
)
refuse_call(
    "FunctionOutput",
    call("F"),
    [function("F", [])],
    "the function's output 'y' is not defined",
)
refuse_call(
    None,
    call("F"),
    [helper.make_function("f", "F", ["x"], ["y"], [cast(to=17)], [helper.make_opsetid("", 13)])],
    "node 'c' (Cast): result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 13)",
    SINCE(19, TYPE),
)
refuse_call("UnknownAttribute", call("F", alpha=1), [simple], "unknown attribute 'alpha'")
with_ref = node("Cast", ["x"], ["y"], name="c")
with_ref.attribute.add(name="to", ref_attr_name="type", type=AttributeProto.INT)
refuse_node(
    "RefOutsideFunction", with_ref, "attribute 'to': refers to 'type', but is not inside a function"
)
refuse_call(
    "AttributeKind",
    call("F", type="FLOAT"),
    [function("F", [with_ref], attributes=["type"])],
    "node 'c' (Cast): attribute 'to': expected an int, but got a string",
)
refuse_call(
    None,
    call("F"),
    [function("F", [with_ref], attributes=["type"])],
    "node 'c' (Cast): attribute 'to' is missing",
)
bad_default = simple.SerializeToString() + wire.chunk(11, b"\x0a")
made = one(call("F"), imports=[("f", 1)]).SerializeToString() + wire.chunk(25, bad_default)
table.add("Malformed", made, "not an ONNX model: malformed protobuf")
deep_default = simple.SerializeToString() + wire.chunk(11, wire.chunk(14, wire.nest(100, (4, 1))))
made = one(call("F"), imports=[("f", 1)]).SerializeToString() + wire.chunk(25, deep_default)
table.add("DeepMessages", made, "expected at most 100 nested messages, the limit of protobuf")
foreign = helper.make_function("f", "F", ["x"], ["y"], [node("Abs", ["x"], ["y"], name="a")], [])
refuse_call(
    "NoOpsetImport",
    call("F"),
    [foreign],
    "node 'a' (Abs): domain 'ai.onnx' is not in the opset imports",
)

# --- Tensors --------------------------------------------------------------------------------------


def refuse_tensor(diagnostic, message, **fields):
    table.add(diagnostic, stored(**fields), f"initializer 'w': {message}")


for data_type in (0, 29, -1):
    message = f"expected the number of an element type, but got {data_type}"
    refuse_tensor("StoredElementType", message, data_type=data_type, dims=[0])
for dim in (-1, -(2**63)):
    message = f"dimension 1: expected 0 or more, but got {dim}"
    refuse_tensor("StoredDim", message, data_type=FLOAT, dims=[2, dim])
refuse_tensor(
    "SeveralPayloads",
    "expected one payload, but got raw_data and float_data",
    data_type=FLOAT,
    dims=[1],
    raw_data=b"0000",
    float_data=[1],
)
refuse_tensor(
    "SeveralPayloads",
    "expected one payload, but got external_data and int32_data",
    data_type=FLOAT,
    dims=[1],
    int32_data=[1],
    data_location=T.EXTERNAL,
)
for data_type, spelling, right, wrong in (
    (FLOAT, "f32", "float_data", "int32_data"),
    (T.INT64, "i64", "int64_data", "int32_data"),
    (T.UINT32, "ui32", "uint64_data", "int64_data"),
    (T.FLOAT8E5M2, "f8E5M2", "int32_data", "float_data"),
    (T.COMPLEX128, "complex<f64>", "double_data", "float_data"),
):
    message = f"expected the elements of {spelling} in {right}, but got {wrong}"
    refuse_tensor("WrongField", message, data_type=data_type, dims=[1], **{wrong: [1]})
refuse_tensor(
    "WrongField",
    "expected the elements of !quant_float.string in string_data, but got raw_data",
    data_type=T.STRING,
    dims=[1],
    raw_data=b"a",
)
for data_type, spelling, expected in (
    (FLOAT, "f32", 12),
    (T.FLOAT16, "f16", 6),
    (T.BOOL, "i1", 3),
    (T.INT4, "i4", 2),
    (T.UINT2, "ui2", 1),
    (T.FLOAT6E2M3, "f6E2M3FN", 3),
    (T.FLOAT4E2M1, "f4E2M1FN", 2),
    (T.FLOAT8E8M0, "f8E8M0FNU", 3),
    (T.COMPLEX64, "complex<f32>", 24),
):
    for size in (0, expected - 1, expected + 1):
        message = f"expected {expected} bytes for tensor<3x{spelling}>, but got {size}"
        refuse_tensor("PayloadBytes", message, data_type=data_type, dims=[3], raw_data=bytes(size))
refuse_tensor(
    "PayloadBytes",
    f"expected {2**62} bytes for tensor<{2**62}xui8>, but got 1",
    data_type=T.UINT8,
    dims=[2**62],
    raw_data=b"1",
)
refuse_tensor(
    "PayloadBytes",
    f"expected {2**64 - 1} bytes for tensor<{2**62}xf64>, but got 1",
    data_type=T.DOUBLE,
    dims=[2**62],
    raw_data=b"1",
)
for data_type, spelling, field, expected in (
    (FLOAT, "f32", "float_data", 3),
    (T.BFLOAT16, "bf16", "int32_data", 3),
    (T.INT4, "i4", "int32_data", 2),
    (T.INT2, "i2", "int32_data", 1),
    (T.FLOAT6E3M2, "f6E3M2FN", "int32_data", 3),
    (T.UINT64, "ui64", "uint64_data", 3),
    (T.COMPLEX64, "complex<f32>", "float_data", 6),
):
    for size in (0, expected - 1, expected + 1):
        message = f"expected {expected} entries in {field} for tensor<3x{spelling}>, but got {size}"
        fields = {"data_type": data_type, "dims": [3], field: [1] * size}
        refuse_tensor("PayloadEntries", message, **fields)
refuse_tensor(
    "PayloadEntries",
    "expected 2 entries in string_data for tensor<2x!quant_float.string>, but got 1",
    data_type=T.STRING,
    dims=[2],
    string_data=[b"a"],
)
for data_type, spelling, field, value in (
    (T.INT8, "i8", "int32_data", 256),
    (T.UINT8, "ui8", "int32_data", -129),
    (T.FLOAT16, "f16", "int32_data", 65536),
    (T.FLOAT8E4M3FN, "f8E4M3FN", "int32_data", 256),
    (T.INT4, "i4", "int32_data", 256),
    (T.FLOAT6E2M3, "f6E2M3FN", "int32_data", 64),
    (T.FLOAT6E3M2, "f6E3M2FN", "int32_data", -1),
    (T.UINT32, "ui32", "uint64_data", 2**32),
):
    message = f"entry 0 of {field}: {value} is not an encoding of {spelling}"
    fields = {"data_type": data_type, "dims": [1], field: [value]}
    refuse_tensor("EntryRange", message, **fields)
refuse_tensor(
    "Segmented",
    "segments of tensors are not supported",
    data_type=FLOAT,
    dims=[1],
    float_data=[1],
    segment=TensorProto.Segment(begin=0, end=1),
)
unknown = TensorProto(name="w", data_type=FLOAT, dims=[1], float_data=[1]).SerializeToString()
odd = TensorProto.FromString(unknown + wire.number(14, 7))
table.add(
    "UnknownDataLocation",
    model([], [], [], initializer=[odd]),
    "initializer 'w': unknown data_location 7",
)
short = TensorProto(name="t", data_type=FLOAT, dims=[1], raw_data=b"123")
message = "attribute 'value': expected 4 bytes for tensor<1xf32>, but got 3"
refuse_node("PayloadBytes", node("Constant", [], ["y"], name="k", value=short), message)
refuse_node(
    "PayloadBytes",
    node("Odd", ["x"], ["y"], name="o", a=[short]),
    "attribute 'a': expected 4 bytes for tensor<1xf32>, but got 3",
)
refuse_node(
    "UnknownElementType",
    node("Odd", ["x"], ["y"], name="o", a=helper.make_tensor_type_proto(88, None)),
    "attribute 'a': unknown element type 88",
)

# --- External data --------------------------------------------------------------------------------

inside, outside = table.folder, table.folder.parent / (table.folder.name + ".outside")
outside.mkdir(exist_ok=True)
(outside / "secret.bin").write_bytes(b"secret!!")
(inside / "data.bin").write_bytes(b"12345678")
(inside / "folder").mkdir()
for link, target in {
    "link.bin": outside / "secret.bin",
    "linked": outside,
    "dangling.bin": inside / "nothing",
    "loop.bin": inside / "loop.bin",
}.items():
    (inside / link).symlink_to(target)
os.mkfifo(inside / "pipe.bin")


def external(*keys, **more):
    made = TensorProto(name="w", data_type=FLOAT, dims=[2], data_location=T.EXTERNAL)
    for key, value in [*keys, *more.items()]:
        made.external_data.add(key=key, value=str(value))
    return model([], [], [], initializer=[made])


def refuse_external(diagnostic, message, *keys, **more):
    table.add(diagnostic, external(*keys, **more), f"initializer 'w': external data: {message}")


table.add(
    "NoFolder",
    external(location="data.bin"),
    "initializer 'w': external data: a model that is not a file has no folder of external data",
    piped=True,
)
refuse_external("NoExternalLocation", "no location")
refuse_external("NoExternalLocation", "no location", location="")
refuse_external("NoExternalLocation", "no location", offset=0, length=8)
for key in ("location", "offset", "length", "checksum"):
    message = f"the key '{key}' is given more than once"
    refuse_external("ExternalKeyTwice", message, (key, 1), (key, 1), ("location", "data.bin"))
for path in (
    outside / "secret.bin",
    inside / "data.bin",
    "/dev/zero",
    f"../{outside.name}/secret.bin",
    "../" + inside.name + "/data.bin",
    "folder/../data.bin",
    "..",
    "folder/..",
    "data.bin\0.txt",
):
    text = str(path).replace("\0", "\\00")
    text = text if len(text) <= 160 else text[:120] + "..." + text[-40:]
    message = f"expected a path inside the model's folder, but got '{text}'"
    refuse_external("ExternalPath", message, location=path)
for path in ("link.bin", "linked/secret.bin"):
    message = f"'{path}' is outside of the model's folder"
    refuse_external("ExternalEscape", message, location=path)
for path in ("folder", ".", "pipe.bin"):
    refuse_external("ExternalNotFile", f"'{path}' is not a regular file", location=path)
for path, reason in {
    "nothing.bin": "No such file or directory",
    "dangling.bin": "No such file or directory",
    "data.bin/x": "Not a directory",
    "loop.bin": "Too many levels of symbolic links",
    "n" * 300: "File name too long",
}.items():
    text = path if len(path) <= 160 else path[:120] + "..." + path[-40:]
    refuse_external("ExternalOpen", f"cannot open '{text}': {reason}", location=path)
for key in ("offset", "length"):
    for value in ("-1", "x", "0x8", "1.0", "", " 8", "8 ", "+8", "18446744073709551616"):
        message = f"{key}: expected a number of bytes, but got '{value}'"
        refuse_external("ExternalNumber", message, ("location", "data.bin"), (key, value))
for offset, length, end in (
    (0, 9, 9),
    (4, 8, 12),
    (9, 0, 9),
    (2**64 - 1, 8, 2**64 - 1),
    (8, 2**64 - 1, 2**64 - 1),
):
    message = f"bytes {offset} to {end} are outside of 'data.bin', which has 8"
    refuse_external("ExternalBounds", message, location="data.bin", offset=offset, length=length)
message = "bytes 9 to 9 are outside of 'data.bin', which has 8"
refuse_external("ExternalBounds", message, location="data.bin", offset=9)
for keys, size in (
    ({"offset": 1}, 7),
    ({"length": 7}, 7),
    ({"offset": 8}, 0),
    ({"length": 0}, 0),
):
    table.add(
        "PayloadBytes",
        external(location="data.bin", **keys),
        f"initializer 'w': expected 8 bytes for tensor<2xf32>, but got {size}",
    )
DIGEST = "7c222fb2927d828af22f592134e8932480637c0d"
for wrong in (DIGEST[:-1] + "e", "", "zz"):
    message = f"'data.bin': expected the SHA1 digest {wrong}, but got {DIGEST}"
    refuse_external("ExternalChecksum", message, location="data.bin", checksum=wrong)

# --- Sparse tensors -------------------------------------------------------------------------------


def refuse_sparse(diagnostic, message, values, indices, dims):
    sparse = helper.make_sparse_tensor(values, indices, dims)
    sparse.values.name = "s"
    made = model([], [], [], sparse_initializer=[sparse])
    table.add(diagnostic, made, f"initializer 's': {message}")


def values(count, data_type=FLOAT):
    return helper.make_tensor("s", data_type, [count], [1] * count)


def indices(*numbers, dims=None, data_type=T.INT64):
    return helper.make_tensor("i", data_type, dims or [len(numbers)], numbers)


for data_type, spelling in ((T.STRING, "!quant_float.string"), (T.FLOAT8E8M0, "f8E8M0FNU")):
    refuse_sparse(
        "SparseType",
        f"sparse tensors of {spelling} are not supported",
        TensorProto(data_type=data_type, dims=[0]),
        indices(dims=[0]),
        [4],
    )
for dims, size in (([2**20, 2**20], 2**42), ([2**62], 2**63 - 1)):
    message = f"sparse tensor: expected at most {2**28} bytes when dense, of all in the model, but got {size}"
    refuse_sparse("SparseSize", message, values(1), indices(0), dims)
# The total is limited, too: a file of 235 bytes must not need gigabytes.
zeros = model([], [], [])
for name in "abcdef":
    zeros.graph.sparse_initializer.add(
        values=helper.make_tensor(name, FLOAT, [0], []),
        indices=helper.make_tensor("", T.INT64, [0], []),
        dims=[2**26],
    )
message = f"initializer 'b': sparse tensor: expected at most {2**28} bytes when dense, of all in the model, but got {2**29}"
table.add("SparseSize", zeros, message)
refuse_sparse(
    "SparseValues",
    "sparse tensor: expected values of rank 1, but got f32",
    helper.make_tensor("s", FLOAT, [], [1]),
    indices(0),
    [4],
)
for made, shown in (
    (indices(0, 1), "tensor<2xi64>"),
    (indices(0, dims=[1, 1]), "tensor<1x1xi64>"),
    (indices(0, data_type=T.INT32), "tensor<1xi32>"),
):
    message = (
        f"sparse tensor: expected indices of type int64 and shape [1] or [1, 2], but got {shown}"
    )
    refuse_sparse("SparseIndices", message, values(1), made, [2, 2])
for made in (indices(4), indices(-1), indices(0, 2, dims=[1, 2]), indices(-1, 0, dims=[1, 2])):
    message = "sparse tensor: index 0 is outside of the shape [2, 2]"
    refuse_sparse("SparseIndexRange", message, values(1), made, [2, 2])
for made, got, after in (
    (indices(2, 1), 1, 2),
    (indices(1, 1), 1, 1),
    (indices(1, 0, 0, 1, dims=[2, 2]), 1, 2),
):
    message = f"sparse tensor: expected increasing indices, but got {got} after {after}"
    refuse_sparse("SparseOrder", message, values(2), made, [2, 2])
refuse_sparse(
    "PayloadBytes",
    "values: expected 4 bytes for tensor<1xf32>, but got 3",
    short,
    indices(0),
    [4],
)
refuse_sparse(
    "StoredDim", "dimension 0: expected 0 or more, but got -4", values(1), indices(0), [-4]
)
refuse_sparse(
    "HugeShape",
    f"{HUGE} [4611686018427387904, 4]",
    values(1),
    indices(0),
    [2**62, 4],
)

# --- The table itself -----------------------------------------------------------------------------

# Only a file of more than 2 GiB has this error: a sparse file, mapped, of which little is read.
large = table.folder / "large.onnx"
with large.open("wb") as file:
    file.truncate(2**31 + 1)

# Little is read of data that would not fit into memory once it is copied.
booleans = 3 * 2**29
with (table.folder / "booleans.bin").open("wb") as file:
    file.truncate(booleans)
mapped = TensorProto(dims=[booleans], data_type=T.BOOL, name="w")
mapped.data_location = TensorProto.EXTERNAL
mapped.external_data.add(key="location", value="booleans.bin")
copied = table.folder / "booleans.onnx"
made = helper.make_model(
    helper.make_graph(
        [], "g", [], [helper.make_tensor_value_info("w", mapped.data_type, None)], [mapped]
    )
)
copied.write_bytes(made.SerializeToString())

# Errors that a tool which opens the file itself detects before the importer.
ELSEWHERE = {"CannotOpen": "the unit test of importOnnx", "TooLarge": "below", "NoMemory": "below"}
ELSEWHERE["NoConversion"] = "convert_opset.py"
ELSEWHERE |= dict.fromkeys(
    read_diagnostics(pathlib.Path(sys.argv[3]), after="// Export."), "export_broken.py"
)

problems = table.run()
done = subprocess.run(
    [sys.argv[2], "--import-onnx", large, "-o", table.folder / "large.mlir"],
    capture_output=True,
    text=True,
)
expected = f"{large}:0:0: error: expected at most {2**31 - 1} bytes, the limit of protobuf, but got {2**31 + 1}\n"
if (done.returncode, done.stderr) != (1, expected):
    problems.append(f"large file: {done.returncode} {done.stderr!r}")
large.unlink()
if not SANITIZED:
    done = subprocess.run(
        [*bounded(2**31), sys.argv[2], "--import-onnx", copied, "-o", large],
        capture_output=True,
        text=True,
    )
    expected = f"{copied}:0:0: error: initializer 'w': no memory for the elements of tensor<{booleans}xi1>\n"
    if (done.returncode, done.stderr) != (1, expected):
        problems.append(f"mapped file: {done.returncode} {done.stderr!r}")

missing = set(table.diagnostics) - table.covered - set(ELSEWHERE)
problems += [f"no case for the diagnostic {name}" for name in sorted(missing)]
refused = len([case for case in table.cases if case[2] == "error"])
assert refused >= 60, refused
print(f"{len(table.cases)} cases")
sys.exit("\n".join(problems) if problems else 0)
