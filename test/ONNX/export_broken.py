# Models that cannot be exported, with the exact message. An existing output is kept. Every
# diagnostic of the exporter has a case here.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/Inputs:%S/../helpers %python %s quant-float-translate %t %src_root/lib/ONNX/Common/Diagnostics.def
import pathlib
import subprocess
import sys

from cases import read_diagnostics
from models import FLOAT, model
from onnx import TensorProto, helper

translate, work = sys.argv[1], pathlib.Path(sys.argv[2])
diagnostics = read_diagnostics(pathlib.Path(sys.argv[3]), after="// Export.")
output = work / "kept.onnx"
covered = set()


def refuse(diagnostic, source, message, *arguments, place=None, suffix="mlir"):
    path = work / f"model.{suffix}"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    output.write_bytes(b"kept")
    done = subprocess.run(
        [
            translate,
            "--export-onnx",
            path,
            "-o",
            arguments[0] if arguments else output,
            *arguments[1:],
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, (diagnostic, done.returncode, done.stderr)
    assert f"error: {message}\n" in done.stderr, (diagnostic, done.stderr)
    assert str(path) in done.stderr, done.stderr
    assert diagnostics[diagnostic][1].search(message), (diagnostic, message)
    assert output.read_bytes() == b"kept"
    assert sorted(p.name for p in work.iterdir() if p.name.startswith("kept")) == ["kept.onnx"]
    covered.add(diagnostic)


def function(body, arguments="%x: tensor<2xf32>", result="%x : tensor<2xf32>"):
    return (
        f"func.func @f({arguments}) -> {result.split(' : ')[1]} {{\n{body}\nreturn {result}\n}}\n"
    )


refuse("FunctionCount", "module {}", "expected one function with a body, but got 0")
refuse(
    "FunctionCount",
    function("") + function("").replace("@f", "@g"),
    "expected one function with a body, but got 2",
)
refuse(
    "NoNode",
    function("%y = arith.addf %x, %x : tensor<2xf32>"),
    "op 'arith.addf': cannot be exported to ONNX: arith.addf",
)
refuse(
    "NoNode",
    "module { module {} }",
    "op 'builtin.module': cannot be exported to ONNX: expected a function",
)
refuse(
    "NoNode",
    "func.func @f() {\n cf.br ^a\n^a:\n return\n}",
    "op 'func.func': cannot be exported to ONNX: a function with several blocks",
)
for op, reason in (
    (
        "%y = quant_float.cast %x mode openvino opset 1 : tensor<2xf32> to tensor<2xf16>",
        "quant_float.cast': cannot be exported to ONNX: a cast of mode openvino",
    ),
    (
        '%y = quant_float.quantize %x, %x axis 0 opset 1 domain "quant_float" : tensor<2xf32>, tensor<2xf32> to tensor<2xui8>',
        "quant_float.quantize': cannot be exported to ONNX: the domain 'quant_float'",
    ),
    (
        '%y = quant_float.node "Add"(%x, %x) opset 1 domain "openvino" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
        "Add': cannot be exported to ONNX: an OpenVINO layer",
    ),
):
    refuse("NoNode", function(op), f"op '{reason}")
two = "%a = quant_float.cast %x opset 19 : tensor<2xf32> to tensor<2xf16>\n%b = quant_float.cast %x opset 21 : tensor<2xf32> to tensor<2xf16>"
refuse(
    "OpsetConflict",
    function(two),
    "op 'quant_float.cast': expected opset 19 of domain 'ai.onnx', as other nodes have it, but got 21",
)
own = "!quant_float.f8UE5M3"
refuse(
    "NoOnnxType",
    function("", f"%x: tensor<2x{own}>", f"%x : tensor<2x{own}>"),
    f"value 'value': ONNX has no type tensor<2x{own}>",
)
vector = function("%c = arith.constant dense<1.0> : vector<2xf32>")
refuse("NoOnnxType", vector, "op 'arith.constant': ONNX has no type vector<2xf32>")
attribute = function(
    '%y = quant_float.node "Foo"(%x) opset 1 attributes {a = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>'
)
refuse("NoAttributeForm", attribute, "op 'Foo': attribute 'a': not representable in ONNX: 1 : i32")
lacking = function("%c = arith.constant dense_resource<gone> : tensor<2xf32>")
refuse(
    "NoElements", lacking, "op 'arith.constant': the elements of tensor<2xf32> are not available"
)
for text in ('"\\FF"', "1"):
    source = function(
        f'%y = quant_float.node "Foo"(%x) opset 1 {{quant_float.onnx_node = {text}}} : (tensor<2xf32>) -> tensor<2xf32>'
    )
    refuse(
        "BadSource",
        source,
        "op 'Foo': attribute 'quant_float.onnx_node': expected a value that --keep-source writes",
    )

# Outputs that cannot be written.
(work / "folder.onnx.data").mkdir()
weights = helper.make_tensor("w", FLOAT, [4096], bytes(4 * 4096), raw=True)
held = model([], [], [("w", FLOAT, [4096])], initializer=[weights])
refuse(
    "ExternalWrite",
    held.SerializeToString(),
    "initializer 'w': external data: cannot write 'folder.onnx.data'",
    work / "folder.onnx",
    "--external-data",
    suffix="onnx",
)

# External references that are kept would be resolved relative to the new file.
elsewhere = TensorProto(name="t", data_type=FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
elsewhere.external_data.add(key="location", value="w.bin")
call = helper.make_node("F", ["x"], ["y"], domain="d")
inner = helper.make_function(
    "d",
    "F",
    ["a"],
    ["b"],
    [helper.make_node("Constant", [], ["b"], value=elsewhere)],
    [helper.make_opsetid("", 21)],
)
made = model(
    [call], [("x", FLOAT, [1])], [("y", FLOAT, [1])], functions=[inner], imports=[("d", 1)]
)
refuse(
    "ExternalKept",
    made.SerializeToString(),
    "external data of functions and training information cannot be moved",
    suffix="onnx",
)

# Only external data can be so large. The test uses a sparse file that is not read.
size = 2**29
with (work / "w.bin").open("wb") as file:
    file.truncate(4 * size)
large = TensorProto(name="w", data_type=FLOAT, dims=[size], data_location=TensorProto.EXTERNAL)
large.external_data.add(key="location", value="w.bin")
whole = model([], [], [("w", FLOAT, [size])], initializer=[large])
refuse(
    "TooLargeToWrite",
    whole.SerializeToString(),
    f"expected at most {2**31 - 1} bytes, the limit of protobuf, but got {2**31 + 61}; --external-data writes tensors to a separate file",
    suffix="onnx",
)

done = subprocess.run(
    [translate, "--export-onnx", "--external-data", work / "model.onnx"],
    capture_output=True,
    text=True,
)
assert (
    done.returncode == 1
    and "--external-data: expected -o OUT, next to which it is written" in done.stderr
), done
done = subprocess.run(
    [translate, "--export-onnx", "model.xml", "-o", output], capture_output=True, text=True
)
assert (done.returncode, done.stderr) == (
    1,
    "model.xml: error: expected a model in .onnx, .mlir or .mlirbc; --extract-weights extracts the weights of other models\n",
), done
missing = set(diagnostics) - covered
sys.exit(f"no case for {missing}" if missing else 0)
