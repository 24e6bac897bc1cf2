# --bind NAME=FILE of quant-float-compile and quant-float-run: the input becomes a constant of the
# model, its sizes become static, and runtime axes become constant. --bind-weights FILE does the
# same for the weights in a file. Errors name the input.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import gguf
import ml_dtypes
import numpy as np
import safetensors.numpy
from onnx import TensorProto as T
from onnx import helper, numpy_helper

tools_dir, work = map(pathlib.Path, sys.argv[1:])
failures = []


def call(tool, code, *arguments, stderr=""):
    command = [tools_dir / tool, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, check=False, cwd=work, text=True)
    what = " ".join(map(str, [tool, *arguments]))
    if result.returncode != code or stderr not in result.stderr:
        failures.append(
            f"{what}: expected {code} and '{stderr}', but got {result.returncode}: {result.stderr}"
        )


def save_model(name, nodes, inputs, outputs):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    (work / name).write_bytes(model.SerializeToString())


def expect(name, found, wanted):
    if found.shape != wanted.shape or found.tobytes() != wanted.tobytes():
        failures.append(f"{name}: expected {wanted}, but got {found}")


# --- ops that require constants
# ------------------------------------------------------------------------

save_model(
    "sum.onnx",
    [helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)],
    [("x", T.FLOAT, [2, 3]), ("axes", T.INT64, [None])],
    [("y", T.FLOAT, None)],
)
x = np.arange(6, dtype=np.float32).reshape(2, 3)
np.save(work / "x.npy", x)
np.save(work / "axes.npy", np.array([1]))
(work / "axes.pb").write_bytes(numpy_helper.from_array(np.array([0])).SerializeToString())
call("quant-float-compile", 1, "sum.onnx", "-o", "sum.so")
for file, axis in (("axes.npy", 1), ("axes.pb", 0)):
    call("quant-float-compile", 0, "sum.onnx", "-o", "sum.so", "--bind", f"axes={file}")
    call("quant-float-exec", 0, "sum.so", "--inputs", "x.npy", "--outputs", ".")
    expect(f"compile {file}", np.load(work / "output_0.npy"), x.sum(axis))
    arguments = ["sum.onnx", "--bind", f"axes={file}", "--inputs", "x.npy", "--outputs", "."]
    call("quant-float-run", 0, *arguments)
    expect(f"run {file}", np.load(work / "output_0.npy"), x.sum(axis))

# Names and paths may contain '='.
(work / "axis=1").mkdir(exist_ok=True)
np.save(work / "axis=1/axes.npy", np.array([1]))
call("quant-float-run", 0, "sum.onnx", "--bind", "axes=axis=1/axes.npy", "--inputs", "x.npy", "--outputs", ".")  # fmt: skip
expect("a path with =", np.load(work / "output_0.npy"), x.sum(1))

# --- large and narrow inputs, and all inputs
# -----------------------------------------------------------

(work / "cast.mlir").write_text(
    """func.func @cast(%x: tensor<?xf8E4M3FN> {quant_float.name = "x=y"}, %s: tensor<f32> {quant_float.name = "s"}) -> tensor<?xf32> {
  %0 = quant_float.node "Cast"(%x) opset 21 attributes {to = 1 : i64} : (tensor<?xf8E4M3FN>) -> tensor<?xf32>
  %1 = quant_float.node "Mul"(%0, %s) opset 21 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""
)
for count in (3, 5000):
    encodings = (np.arange(count) % 100).astype(np.uint8).view(ml_dtypes.float8_e4m3fn)
    (work / "encodings.bin").write_bytes(encodings.tobytes())
    np.save(work / "s.npy", np.float32(3))
    arguments = ["--bind", "x=y=encodings.bin", "--bind", "s=s.npy", "--outputs", "."]
    call("quant-float-run", 0, "cast.mlir", *arguments)
    expect(f"{count} of float8", np.load(work / "output_0.npy"), encodings.astype(np.float32) * 3)

# --- weights ------------------------------------------------------------------------------------------

(work / "layer.mlir").write_text(
    """func.func @layer(%x: tensor<2x32xf32>, %w: tensor<?x?xf32> {quant_float.name = "a.weight"}, %b: tensor<*xf32> {quant_float.name = "a.bias"}, %v: tensor<3x32xf32> {quant_float.name = "b.weight"}) -> tensor<?x?xf32> {
  %0 = quant_float.node "Gemm"(%x, %w, %b) opset 21 attributes {transB = 1 : i64} : (tensor<2x32xf32>, tensor<?x?xf32>, tensor<*xf32>) -> tensor<?x?xf32>
  %1 = quant_float.node "Gemm"(%x, %v) opset 21 attributes {transB = 1 : i64} : (tensor<2x32xf32>, tensor<3x32xf32>) -> tensor<2x3xf32>
  %2 = quant_float.node "Add"(%0, %1) opset 21 : (tensor<?x?xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
"""
)
x = np.arange(64, dtype=np.float32).reshape(2, 32)
np.save(work / "x2.npy", x)
a, b = (np.roll(np.arange(96, dtype=np.int8).reshape(3, 32), shift) for shift in (1, 2))
stored = {"a.weight": a, "a.weight_scale": np.float32([[0.5], [1], [2]]), "a.bias": np.float32([1, 2, 3])}  # fmt: skip
# A tensor without an input of its name is not read.
stored |= {"b.weight": b.astype(np.float32), "c.weight": np.zeros((1, 2), np.float32)}
safetensors.numpy.save_file(stored, work / "layer.safetensors")
wanted = x @ (a * stored["a.weight_scale"]).T + stored["a.bias"] + x @ b.astype(np.float32).T
arguments = ["layer.mlir", "--inputs", "x2.npy", "--outputs", "."]
call("quant-float-run", 0, *arguments, "--bind-weights", "layer.safetensors")
expect("weights", np.load(work / "output_0.npy"), wanted)
call("quant-float-compile", 0, "layer.mlir", "-o", "l.so", "--bind-weights", "layer.safetensors")
call("quant-float-exec", 0, "l.so", "--inputs", "x2.npy", "--outputs", ".")
expect("compiled weights", np.load(work / "output_0.npy"), wanted)

# From two files, one of which is GGUF, and with another input as a constant.
kind = gguf.GGMLQuantizationType.Q8_0
writer = gguf.GGUFWriter(work / "b.gguf", "test")
writer.add_tensor("b.weight", gguf.quants.quantize(b.astype(np.float32), kind), raw_dtype=kind)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
safetensors.numpy.save_file({key: stored[key] for key in stored if key[:2] == "a."} | {"a.bias": np.float32([0] * 3)}, work / "a.safetensors")  # fmt: skip
values = gguf.quants.dequantize(gguf.quants.quantize(b.astype(np.float32), kind), kind)
wanted = x @ (a * stored["a.weight_scale"]).T + x @ values.T
call("quant-float-run", 0, *arguments, "--bind-weights", "a.safetensors", "--bind-weights", "b.gguf")  # fmt: skip
found = np.load(work / "output_0.npy")
if not np.allclose(found, wanted, rtol=1e-5):
    failures.append(f"two files: expected {wanted}, but got {found}")

# --- errors
# ---------------------------------------------------------------------------------------------

np.save(work / "ints.npy", np.arange(6).reshape(2, 3))
np.save(work / "wide.npy", np.zeros((2, 4), np.float32))
(work / "called.mlir").write_text(
    """func.func @f(%x: tensor<2xf32> {quant_float.name = "x"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @g(%y: tensor<*xf32> {quant_float.name = "y"}, %z: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @f(%z) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
)
for code, model, given, words in (
    (2, "sum.onnx", "axes", "--bind: expected NAME=FILE, but got 'axes'"),
    (2, "sum.onnx", "z=x.npy", "there is no input 'z' to bind"),
    (2, "sum.onnx", "x=none.npy", "none.npy: error: cannot be read: "),
    (1, "sum.onnx", "x=ints.npy", "input 'x': ints.npy: expected "),
    (1, "sum.onnx", "x=wide.npy", "expected float[2x3], but got float[2x4]"),
    (
        1,
        "sum.onnx",
        "x=x.txt",
        "input 'x': x.txt: expected a file ending in .npy, .pb, .bin or .raw",
    ),
    (
        2,
        "called.mlir",
        "x=x.npy",
        "input 'x' cannot be bound: function 'f' is called within the model",
    ),
    (
        2,
        "called.mlir",
        "y=x.npy",
        "input 'y' cannot be bound: expected a ranked tensor of numbers, but got",
    ),
):
    (work / "x.txt").write_text("0")
    (work / "kept.so").write_text("kept")
    call("quant-float-compile", code, model, "-o", "kept.so", "--bind", given, stderr=words)
    if (work / "kept.so").read_text() != "kept":
        failures.append(f"{given}: the output is gone")
for name, tensors in (
    ("halves", {"b.weight": b.astype(np.float16)}),
    ("wide", {"b.weight": np.zeros((3, 64), np.float32)}),
    ("flat", {"a.weight": np.zeros(96, np.float32)}),
    ("others", {"d.weight": np.zeros(3, np.float32)}),
    ("called", {"x": np.zeros(2, np.float32)}),
    ("broken", {"b.weight": b, "b.weight_scale": np.zeros((5, 7), np.float32)}),
):
    safetensors.numpy.save_file(tensors, work / f"{name}.safetensors")
for code, model, file, words in (
    (2, "layer.mlir", "none.safetensors", "none.safetensors: error: cannot open the file: "),
    (
        2,
        "layer.mlir",
        "x.npy",
        "x.npy: error: expected weights in .safetensors, .safetensors.index.json or .gguf",
    ),
    (
        2,
        "layer.mlir",
        "halves.safetensors",
        "input 'b.weight': halves.safetensors: expected tensor<3x32xf32>, but got tensor<3x32xf16>",
    ),
    (
        2,
        "layer.mlir",
        "wide.safetensors",
        "input 'b.weight': wide.safetensors: expected tensor<3x32xf32>, but got tensor<3x64xf32>",
    ),
    (
        2,
        "layer.mlir",
        "flat.safetensors",
        "input 'a.weight': flat.safetensors: expected tensor<?x?xf32>, but got tensor<96xf32>",
    ),
    (
        2,
        "layer.mlir",
        "others.safetensors",
        "others.safetensors: no weight has the name of an input",
    ),
    (
        2,
        "called.mlir",
        "called.safetensors",
        "input 'x' cannot be bound: function 'f' is called within the model",
    ),
    (
        2,
        "layer.mlir",
        "broken.safetensors",
        "broken.safetensors: error: tensor 'b.weight_scale': the shape [5, 7] does not match a weight of [3, 32]",
    ),
):
    (work / "kept.so").write_text("kept")
    call("quant-float-compile", code, model, "-o", "kept.so", "--bind-weights", file, stderr=words)
    if (work / "kept.so").read_text() != "kept":
        failures.append(f"{file}: the output is gone")
sys.exit("\n".join(failures) if failures else 0)
