# Models of other compilers as ONNX and OpenVINO models: ONNX Runtime and OpenVINO compute NumPy's
# values, in several opsets, from text and bytecode. Ops that cannot be converted are errors.
# RUN: env PYTHONPATH=%S/Inputs:%S/../helpers %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import openvino
from tool import Tool

tools, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
convert = Tool(tools / "quant-float-convert", work)
translate = Tool(tools / "quant-float-translate", work)


def generic(body, arguments, results, more=""):
    """A module in the generic form, with the function main."""
    types, names = (
        ", ".join(arguments.values()),
        ", ".join(f"{k}: {v}" for k, v in arguments.items()),
    )
    outputs, values = ", ".join(results.values()), ", ".join(results)
    return f""""builtin.module"() ({{
  "func.func"() <{{function_type = ({types}) -> ({outputs}), sym_name = "main"}}> ({{
  ^bb0({names}):
    {body}
    "func.return"({values}) : ({outputs}) -> ()
  }}) : () -> ()
{more}}}) : () -> ()
"""


X, Q = "tensor<4x6xf32>", "tensor<4x6xi8>"
ROUND = """  "func.func"() <{function_type = (tensor<4x6xf32>) -> tensor<4x6xf32>, sym_name = "round", sym_visibility = "private"}> ({
  ^bb0(%x: tensor<4x6xf32>):
    %y = "stablehlo.round_nearest_even"(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    "func.return"(%y) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
"""
STABLEHLO = generic(
    f"""%s = "stablehlo.constant"() <{{value = dense<0.25> : {X}}}> : () -> {X}
    %d = "stablehlo.divide"(%x, %s) : ({X}, {X}) -> {X}
    %r = "func.call"(%d) <{{callee = @round}}> : ({X}) -> {X}
    %q = "stablehlo.convert"(%r) : ({X}) -> {Q}
    %f = "stablehlo.convert"(%q) : ({Q}) -> {X}
    %y = "stablehlo.multiply"(%f, %s) : ({X}, {X}) -> {X}""",
    {"%x": X},
    {"%y": X, "%q": Q},
    ROUND,
)
VX, VQ = "!torch.vtensor<[4,6],f32>", "!torch.vtensor<[4,6],si8>"
INTEGERS = {"z": 3, "l": -128, "h": 127, "t": 1}
TORCH = generic(
    "\n    ".join(
        [
            *(
                f'%{name} = "torch.constant.int"() <{{value = {value} : i64}}> : () -> !torch.int'
                for name, value in INTEGERS.items()
            ),
            '%s = "torch.constant.float"() <{value = 0.25 : f64}> : () -> !torch.float',
            f'%q = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %l, %h, %t) : ({VX}, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> {VQ}',
            '%n = "torch.constant.none"() : () -> !torch.none',
            f'%y = "torch.quantized_decomposed.dequantize_per_tensor"(%q, %s, %z, %l, %h, %t, %n) : ({VQ}, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int, !torch.none) -> {VX}',
        ]
    ),
    {"%x": VX},
    {"%y": VX, "%q": VQ},
)
IREE = f"""#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
func.func @main(%x: {X}) -> ({X}, {Q}) {{
  %s = arith.constant 0.25 : f32
  %z = arith.constant 3 : i64
  %i = tensor.empty() : {Q}
  %q = "iree_linalg_ext.quantize_affine"(%x, %s, %z, %i) <{{indexing_maps = [#id, #none, #none, #id], quant_min = -128 : i64, quant_max = 127 : i64}}> : ({X}, f32, i64, {Q}) -> {Q}
  %j = tensor.empty() : {X}
  %y = "iree_linalg_ext.dequantize_affine"(%q, %s, %z, %j) <{{indexing_maps = [#id, #none, #none, #id]}}> : ({Q}, f32, i64, {X}) -> {X}
  return %y, %q : {X}, {Q}
}}
"""
UNIFORM = "tensor<4x6x!quant.uniform<i8:f32:1, {0.25:3, 0.5:-1, 1.0, 2.0, 0.125, 0.25}>>"
QUANT = f"""func.func @main(%x: {X} loc("activations")) -> ({X}, {Q}) {{
  %u = quant.qcast %x : {X} to {UNIFORM}
  %q = quant.scast %u : {UNIFORM} to {Q}
  %y = quant.dcast %u : {UNIFORM} to {X}
  return %y, %q : {X}, {Q}
}}
"""

x = np.random.default_rng(3).normal(0, 12, (4, 6)).astype(np.float32)
x[0, :3] = [1e6, -1e6, 0.125]


def affine(scale, zero):
    scale, zero = np.float32(scale), np.float32(zero)
    q = np.clip(np.rint(x / scale) + zero, -128, 127).astype(np.int8)
    return (q.astype(np.float32) - zero) * scale, q


def check(what, outputs, expected):
    for index, (got, wanted) in enumerate(zip(outputs, expected, strict=True)):
        if not np.array_equal(got, wanted):
            convert.failures.append(f"{what}, output {index}: {got} instead of {wanted}")


AXIS = affine([0.25, 0.5, 1, 2, 0.125, 0.25], [3, -1, 0, 0, 0, 0])
MODELS = {
    "stablehlo": (STABLEHLO, affine(0.25, 0), "input_0"),
    "torch": (TORCH, affine(0.25, 3), "input_0"),
    "iree": (IREE, affine(0.25, 3), "input_0"),
    "quant": (QUANT, AXIS, "activations"),
}
for name, (text, expected, argument) in MODELS.items():
    (work / f"{name}.mlir").write_text(text)
    emit = [tools / "quant-float-opt", "--allow-unregistered-dialect", "--emit-bytecode"]
    subprocess.run([*emit, work / f"{name}.mlir", "-o", work / f"{name}.mlirbc"], check=True)
    for suffix, opset in (("mlir", 26), ("mlir", 21), ("mlir", 13), ("mlirbc", 21)):
        for tool, words in ((convert, []), (translate, ["--export-onnx"])):
            path = work / f"{name}.onnx"
            tool.run(0, *words, f"{name}.{suffix}", "--opset", opset, "-o", path)
            model = onnx.load(path)
            onnx.checker.check_model(model, full_check=True)
            session = onnxruntime.InferenceSession(path)
            names = [each.name for each in (*session.get_inputs(), *session.get_outputs())]
            what = f"{name}.{suffix}, opset {opset}"
            if names != [argument, "output_0", "output_1"]:
                convert.failures.append(f"{what}: names {names}")
            check(what, session.run(None, {argument: x}), expected)
            if model.opset_import[0].version != opset:
                convert.failures.append(f"{what}: {model.opset_import}")
    translate.run(0, "--export-openvino", f"{name}.mlir", "-o", work / f"{name}.xml")
    compiled = openvino.Core().compile_model(work / f"{name}.xml", "CPU")
    check(f"{name}, OpenVINO", [np.asarray(each) for each in compiled(x).values()], expected)

# The default is the newest opset, and --report counts the nodes.
convert.run(0, "stablehlo.mlir", "-o", "newest.onnx", "--report", stdout="opset 28 to 28:")
convert.run(0, "-", "-o", "input.onnx", "--opset", "21", stdin=QUANT)
convert.run(
    2, "quant.mlir", "-o", "quant.xml",
    stderr="-o: expected the name of an ONNX model; quant-float-translate --export-openvino writes models for OpenVINO",
)  # fmt: skip
(work / "upstream.mlir").write_text(
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf8E4M3FN> {\n"
    "  %y = arith.truncf %x : tensor<4xf32> to tensor<4xf8E4M3FN>\n  return %y : tensor<4xf8E4M3FN>\n}\n"
)
convert.run(0, "upstream.mlir", "--opset", "21", "-o", "upstream.onnx")
[node] = onnx.load(work / "upstream.onnx").graph.node
attributes = {each.name: each.i for each in node.attribute}
if node.op_type != "Cast" or attributes["saturate"] != 0:
    convert.failures.append(f"arith.truncf: {node}")

(work / "narrow.mlir").write_text(
    generic(
        f'%y = "stablehlo.convert"(%x) : ({X}) -> tensor<4x6xf8E4M3>',
        {"%x": X},
        {"%y": "tensor<4x6xf8E4M3>"},
    )
)
for tool, words in ((convert, []), (translate, ["--export-onnx"])):
    tool.run(
        1, *words, "narrow.mlir", "-o", "narrow.onnx",
        stderr="error: op 'quant_float.cast': no exact equivalent in opset 28: it does not have ONNX semantics",
    )  # fmt: skip
(work / "lowered.mlir").write_text(
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %e = tensor.empty() : tensor<4xf32>\n"
    "  %y = linalg.copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n"
)
convert.run(
    1, "lowered.mlir", "-o", "lowered.onnx", stderr="op 'tensor.empty': no exact equivalent"
)
(work / "unknown.mlir").write_text(
    generic(f'%y = "foo.bar"(%x) : ({X}) -> {X}', {"%x": X}, {"%y": X})
)
for tool, words in (
    (convert, []),
    (translate, ["--export-onnx"]),
    (translate, ["--export-openvino"]),
):
    tool.run(
        1, *words, "unknown.mlir", "-o", "unknown.out",
        stderr="unknown.mlir:4:10: error: op 'foo.bar' is of an unknown dialect",
    )  # fmt: skip
(work / "vhlo.mlirbc").write_bytes(b"ML\xefR\x0d\x53\x00\x01\x01\x05vhlo\x00")
convert.run(
    1,
    "vhlo.mlirbc",
    "-o",
    "vhlo.onnx",
    stderr="VHLO bytecode is not read: convert it to StableHLO in the generic form with stablehlo.deserialize_portable_artifact of jaxlib",
)
convert.failures += translate.failures
convert.finish()
