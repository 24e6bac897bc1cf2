# Models are imported and exported with everything that a file can contain, and the second export
# has the same bytes. Conformance/onnx/export*.test covers all node tests and the files of packages.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/Inputs:%S/../helpers %python %s %tools_dir %t
import pathlib
import sys

import numpy as np
import onnx
from models import FLOAT, body, model
from onnx import AttributeProto, TensorProto, TypeProto, helper, numpy_helper
from round_trips.check import RoundTrips, make_inputs
from round_trips.normal import describe_difference

T = TensorProto
node, info, value = helper.make_node, helper.make_tensor_type_proto, helper.make_tensor_value_info
work = pathlib.Path(sys.argv[2])
trips = RoundTrips(sys.argv[1], work)


def check(name, made, run=True):
    path = work / f"{name}.onnx"
    path.write_bytes(made.SerializeToString())
    trips.check(name, path, make_inputs if run else None)
    return path


def add_strings(message, name):
    message.doc_string = f"about {name}"
    message.metadata_props.add(key="k", value=name)


# --- Names, strings, metadata, types ----------------------------------------------------------------

x = value("x", FLOAT, ["N", 4], "an input")
x.type.denotation = "IMAGE"
x.type.tensor_type.shape.dim[1].denotation = "DATA_FEATURE"
x.metadata_props.add(key="k", value="x")
relu = node("Relu", ["x"], ["in the middle"], "a name")
add_strings(relu, "a node")
relu.domain = "ai.onnx"
add = node("Add", ["in the middle", "weight"], ["y"])
weight = numpy_helper.from_array(np.arange(4, dtype=np.float32), "weight")
add_strings(weight, "a tensor")
strings = model(
    [relu, add],
    [x],
    [value("y", FLOAT, ["N", 4], "an output")],
    initializer=[weight],
    name="a graph",
)
strings.graph.value_info.append(value("in the middle", FLOAT, ["N", 4]))
strings.graph.value_info.append(value("nobody makes it", FLOAT, [1]))
strings.graph.quantization_annotation.add(tensor_name="y").quant_parameter_tensor_names.add(
    key="SCALE_TENSOR", value="weight"
)
for message, name in ((strings, "a model"), (strings.graph, "a graph")):
    add_strings(message, name)
strings.producer_name, strings.producer_version, strings.domain, strings.model_version = (
    "maker",
    "1.2",
    "com.example",
    7,
)
strings.opset_import.extend(
    [helper.make_opsetid("com.unused", 3), helper.make_opsetid("com.unused", 3)]
)
check("strings", strings)
training = onnx.ModelProto.FromString(strings.SerializeToString())
training.training_info.add().algorithm.CopyFrom(
    helper.make_graph([node("Neg", ["weight"], ["w2"])], "step", [], [])
)
check("training", training)
unknown = onnx.ModelProto.FromString(strings.SerializeToString() + b"\xa2\x1f\x03abc")
check("unknown-field", unknown)

# A declaration that does not match is dropped. Everything else is kept.
stale = model(
    [node("Cast", ["x"], ["h"], to=T.FLOAT16), node("Shape", ["h"], ["y"])],
    [("x", FLOAT, [2, 3])],
    [("y", T.INT64, [2])],
)
stale.graph.value_info.append(value("h", T.FLOAT16, [9]))
stale_model = onnx.ModelProto.FromString(stale.SerializeToString())
path = work / "stale.onnx"
path.write_bytes(stale.SerializeToString())
assert trips.call("--export-onnx", path, "-o", work / "fresh.onnx").returncode == 0
del stale.graph.value_info[:]
assert describe_difference(stale, onnx.load(work / "fresh.onnx")) is None

# --- Values -----------------------------------------------------------------------------------------

# An initializer that is also an input, and an output that is an input, an initializer, or the same
# as another one.
shared = model(
    [node("Identity", ["x"], ["b"]), node("Identity", ["b"], ["c"])],
    [("x", FLOAT, [2]), ("w", FLOAT, [2])],
    [(name, FLOAT, [2]) for name in ("x", "w", "b", "c")],
    initializer=[helper.make_tensor("w", FLOAT, [2], [1, 2])],
)
check("shared", shared)
unsorted = model(
    [node("Neg", ["h"], ["y"]), node("Relu", ["x"], ["h"])],
    [("x", FLOAT, [2])],
    [("y", FLOAT, [2])],
)
check("unsorted", unsorted)
absent = [
    node("Clip", ["x", "", "max"], ["h"]),
    node("Dropout", ["h", "", ""], ["y", ""]),
    node("TopK", ["y", "k"], ["", "at"]),
]
constants = [
    helper.make_tensor("max", FLOAT, [], [0.5]),
    helper.make_tensor("k", T.INT64, [1], [1]),
]
check(
    "absent",
    model(
        absent,
        [("x", FLOAT, [3])],
        [("y", FLOAT, [3]), ("at", T.INT64, [1])],
        initializer=constants,
        opset=21,
    ),
)

# --- Constants ----------------------------------------------------------------------------------------

forms = [
    dict(value=helper.make_tensor("named", T.FLOAT16, [2], [1, 2])),
    dict(value_float=0.1),
    dict(value_floats=[0.1, float("inf")]),
    dict(value_int=-(2**63)),
    dict(value_ints=[7]),
    dict(value_string="é\n"),
    dict(value_strings=["a", "a"]),
]
made = [node("Constant", [], [f"c{i}"], **form) for i, form in enumerate(forms)]
made[1].attribute[0].doc_string = "about an attribute"
made[2].attribute[0].ClearField("type")
del made[4].attribute[0].ints[:]
sparse = helper.make_sparse_tensor(
    helper.make_tensor("s", FLOAT, [2], [3, 4]),
    helper.make_tensor("", T.INT64, [2], [1, 5]),
    [2, 3],
)
made.append(node("Constant", [], ["c7"], sparse_value=sparse))
check(
    "constants",
    model(
        made,
        [],
        [helper.make_empty_tensor_value_info(f"c{i}") for i in range(8)],
        opset=21,
        ir_version=10,
    ),
    run=False,
)
stored = []
for number in (*range(1, 26), 27, 28):
    if number in (T.STRING, T.COMPLEX64, T.COMPLEX128):
        continue
    for count in (0, 1, 3, 5000):
        dtype = helper.tensor_dtype_to_np_dtype(number)
        encodings = np.arange(count) % (2 if number == T.BOOL else 3)
        stored.append(numpy_helper.from_array(encodings.astype(dtype), f"t{number}_{count}"))
stored.append(helper.make_tensor("text", T.STRING, [3], [b"a", b"", b"\xff"]))
stored.append(helper.make_tensor("complex", T.COMPLEX64, [2], [1 + 2j, 3j]))
stored.append(helper.make_tensor("int4 entries", T.INT4, [3], [-8, 7, 1]))
stored.append(helper.make_tensor("float8 entries", T.FLOAT8E4M3FN, [2], [1.5, -2]))
path = check("stored", model([], [], [("text", T.STRING, [3])], initializer=stored))

# The same with external data in the input and in the output.
outside, inside = work / "outside.onnx", work / "inside.onnx"
assert trips.call("--export-onnx", path, "-o", outside, "--external-data").returncode == 0
assert (work / "outside.onnx.data").stat().st_size > 10000
assert (
    sum(
        t.data_location == T.EXTERNAL
        for t in onnx.load(outside, load_external_data=False).graph.initializer
    )
    > 15
)
assert trips.call("--export-onnx", outside, "-o", inside).returncode == 0
assert inside.read_bytes() == (work / "out.onnx").read_bytes()
# A declaration that does not match is an error with --strict.
path = work / "strict.onnx"
path.write_bytes(stale_model.SerializeToString())
done = trips.call("--export-onnx", path, "-o", work / "strict-out.onnx", "--strict")
assert done.returncode == 1 and "strict.onnx:0:0: error: node 'h' (Cast)" in done.stderr.replace(
    "node of", "node"
), done
assert not (work / "strict-out.onnx").exists()
# Over itself, too.
assert trips.call("--export-onnx", outside, "-o", outside, "--external-data").returncode == 0
assert trips.call("--export-onnx", outside, "-o", inside).returncode == 0
assert inside.read_bytes() == (work / "out.onnx").read_bytes()
with_sparse = model([], [], [("s", FLOAT, [2, 3])], sparse_initializer=[sparse])
check("sparse", with_sparse)

# --- Attributes and bodies --------------------------------------------------------------------------------

tensor = helper.make_tensor("inner", FLOAT, [2], [1, 2])
kinds = node(
    "Any",
    ["x"],
    ["y"],
    "n",
    domain="com.example",
    f=0.1,
    i=-1,
    s=b"\xff",
    t=tensor,
    ints=[1, 2],
    floats=[0.5],
)
kinds.attribute.extend(
    [
        helper.make_attribute("strings", ["a", "b"], "with a text"),
        helper.make_attribute("none", [], attr_type=AttributeProto.STRINGS),
        helper.make_attribute("no_graphs", [], attr_type=AttributeProto.GRAPHS),
        helper.make_attribute("no_tensors", [], attr_type=AttributeProto.TENSORS),
        helper.make_attribute(
            "tp",
            TypeProto(
                tensor_type=TypeProto.Tensor(
                    elem_type=1, shape=info(FLOAT, ["N"]).tensor_type.shape
                )
            ),
        ),
        AttributeProto(name="tensors", type=AttributeProto.TENSORS, tensors=[tensor, tensor]),
        AttributeProto(name="sparse", type=AttributeProto.SPARSE_TENSOR, sparse_tensor=sparse),
        AttributeProto(
            name="graphs",
            type=AttributeProto.GRAPHS,
            graphs=[body([], [], ["x"], "first"), body([node("Neg", ["x"], ["h"])], [], ["h"])],
        ),
    ]
)
check(
    "kinds",
    model([kinds], [("x", FLOAT, [2])], [("y", FLOAT, [2])], imports=[("com.example", 1)]),
    run=False,
)
then = body(
    [node("Mul", ["x", "w"], ["h"])],
    [],
    [value("h", FLOAT, [2])],
    "then",
    [helper.make_tensor("w", FLOAT, [2], [2, 3])],
)
otherwise = body([node("Neg", ["x"], ["h"])], [], [value("h", FLOAT, [2])], "else")
add_strings(then, "a body")
branch = node("If", ["c"], ["y"], then_branch=then, else_branch=otherwise)
check(
    "bodies",
    model(
        [branch],
        [("x", FLOAT, [2]), ("c", T.BOOL, [])],
        [("y", FLOAT, [2])],
        opset=21,
        ir_version=10,
    ),
)
function = helper.make_function(
    "com.example",
    "Twice",
    ["a"],
    ["b"],
    [node("Constant", [], ["two"], value_float=2.0), node("Mul", ["a", "two"], ["b"])],
    [helper.make_opsetid("", 21)],
    overload="o",
)
function.node[0].attribute[0].ref_attr_name = "factor"
function.node[0].attribute[0].ClearField("f")
function.attribute_proto.append(helper.make_attribute("factor", 2.0))
call = node("Twice", ["x"], ["y"], domain="com.example", overload="o", factor=3.0)
check(
    "functions",
    model(
        [call],
        [("x", FLOAT, [2])],
        [("y", FLOAT, [2])],
        opset=21,
        ir_version=10,
        imports=[("com.example", 1)],
        functions=[function],
    ),
)

# --- Nodes that are ops of the dialect ------------------------------------------------------------------------

T8, U8 = T.FLOAT8E4M3FN, T.UINT8
quantized = [
    node("Cast", ["x"], ["a"], "c", to=T8, saturate=0),
    node("Cast", ["a"], ["b"], saturate=1, to=FLOAT),
    node("CastLike", ["b", "half"], ["h"]),
    node("QuantizeLinear", ["x", "s"], ["q1"]),
    node("QuantizeLinear", ["x", "s", "z"], ["q2"], axis=7, block_size=0, output_dtype=T.INT8),
    node("QuantizeLinear", ["x", "s3", ""], ["q3"]),
    node("QuantizeLinear", ["x", "s3"], ["q4"], axis=1, output_dtype=T.INT4, precision=FLOAT),
    node("DequantizeLinear", ["q2", "s", "z"], ["d"], output_dtype=T.FLOAT16),
    node("DequantizeLinear", ["q4", "s3"], ["e"], output_dtype=0),
    node("QuantizeLinear", ["x", "s", "z8"], ["m"], domain="com.microsoft", axis=0),
    node("DynamicQuantizeLinear", ["x"], ["p", "ps", "pz"]),
    node("BitCast", ["x"], ["bits"], to=T.INT32),
]
values = [
    helper.make_tensor("half", T.FLOAT16, [], [0]),
    helper.make_tensor("s", FLOAT, [], [0.5]),
    helper.make_tensor("z", T.INT8, [], [1]),
    helper.make_tensor("z8", U8, [], [1]),
    helper.make_tensor("s3", FLOAT, [3], [0.5, 0.25, 2]),
]
outputs = [
    helper.make_empty_tensor_value_info(name)
    for name in ("b", "h", "q1", "q3", "d", "e", "m", "p", "ps", "pz", "bits")
]
# com.microsoft's opset import is missing, and the normal form adds it.
path = work / "quantized.onnx"
path.write_bytes(
    model(
        quantized,
        [("x", FLOAT, [2, 3])],
        outputs,
        initializer=values,
        imports=[("com.microsoft", 1)],
    ).SerializeToString()
)
trips.check("quantized", path)
path.write_bytes(
    model(quantized, [("x", FLOAT, [2, 3])], outputs, initializer=values).SerializeToString()
)
assert trips.call("--export-onnx", path, "-o", work / "imports.onnx").returncode == 0
assert [(i.domain, i.version) for i in onnx.load(work / "imports.onnx").opset_import] == [
    ("", 28),
    ("com.microsoft", 1),
]
old = model(
    [node("Cast", ["x"], ["y"], to="FLOAT16")],
    [("x", FLOAT, [2])],
    [("y", T.FLOAT16, [2])],
    opset=1,
    ir_version=3,
)
check("old", old)

# --- Modules without a source -----------------------------------------------------------------------------------

bare = work / "bare.mlir"
for opset, kind in ((23, "tensor<2x4xf32>"), (21, "tensor<?x4xf32>")):
    bare.write_text(f"""
func.func @main(%x: {kind} {{quant_float.name = "x"}}) -> ({kind} {{quant_float.name = "y"}}, {kind} {{quant_float.name = "z"}}, {kind}) {{
  %s = arith.constant dense<[0.5, 2.0, 1.0, 0.25]> : tensor<4xf32>
  %q = quant_float.qdq %x, %s axis 1 storage f8E4M3FN opset {opset} : {kind}, tensor<4xf32> to {kind}
  %c = quant_float.cast %x like opset {opset} saturate false : {kind} to {kind.replace("f32", "f8E5M2")}
  %d = quant_float.cast %c opset {opset} : {kind.replace("f32", "f8E5M2")} to {kind}
  %e = tensor.cast %d : {kind} to tensor<*xf32>
  %f = tensor.cast %e : tensor<*xf32> to {kind}
  return %q, %f, %x : {kind}, {kind}, {kind}
}}
""")
    out = work / "bare.onnx"
    done = trips.call("--export-onnx", bare, "-o", out)
    assert done.returncode == 0, done.stderr
    made = onnx.load(out)
    onnx.checker.check_model(made, full_check=True)
    types = [n.op_type for n in made.graph.node]
    assert types == [
        "QuantizeLinear",
        "DequantizeLinear",
        "Cast",
        "Cast",
        "Identity",
        "Identity",
        "Identity",
    ], types
    assert [o.name for o in made.graph.output][:2] == ["y", "z"] and made.opset_import[
        0
    ].version == opset
    trips.check(f"bare {opset}", out, make_inputs)
    given = (np.arange(8, dtype=np.float32).reshape(2, 4) - 3) * 100
    from round_trips.check import run_model

    got = run_model(out, [given])
    scale = np.array([0.5, 2, 1, 0.25], np.float32)
    import ml_dtypes

    expected = (
        np.clip(given / scale, -448, 448).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) * scale
    )
    assert got is None or np.array_equal(got[0], expected), got

sys.exit(trips.report())
