# Ops of arith and math on tensors together with the dialect's own, unsigned constants of any size,
# and a NaN that passes through arithmetic and a narrow float: compiled code against numpy. Ordinary
# nodes at their limits: against ONNX's reference evaluator.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

tools_dir, work = map(pathlib.Path, sys.argv[1:])
COUNT = 5000
bytes_ = np.random.default_rng(2).integers(0, 256, COUNT).astype(np.uint8)


def spell(values):
    return ", ".join(map(str, values))


MODEL = f"""
func.func @scaled(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf8E4M3FN> {{
  %p = arith.mulf %x, %y : tensor<?xf32>
  %a = math.absf %p : tensor<?xf32>
  %r = math.sqrt %a : tensor<?xf32>
  %0 = quant_float.cast %r opset 19 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}}
func.func @chosen(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xi4>, tensor<4x4xi1>) {{
  %c = arith.cmpf olt, %x, %y : tensor<4x4xf32>
  %a = quant_float.cast %x opset 21 : tensor<4x4xf32> to tensor<4x4xi4>
  %b = quant_float.cast %y opset 21 : tensor<4x4xf32> to tensor<4x4xi4>
  %s = arith.select %c, %a, %b : tensor<4x4xi1>, tensor<4x4xi4>
  %t = arith.addi %s, %a : tensor<4x4xi4>
  return %t, %c : tensor<4x4xi4>, tensor<4x4xi1>
}}
func.func @bytes() -> tensor<{COUNT}xf32> {{
  %c = quant_float.constant dense<[{spell(bytes_)}]> : tensor<{COUNT}xui8>
  %0 = quant_float.cast %c opset 19 : tensor<{COUNT}xui8> to tensor<{COUNT}xf32>
  return %0 : tensor<{COUNT}xf32>
}}
func.func @nibbles() -> tensor<{COUNT}xui4> {{
  %c = quant_float.constant dense<[{spell(bytes_ & 15)}]> : tensor<{COUNT}xui4>
  return %c : tensor<{COUNT}xui4>
}}
func.func @nan(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {{
  %p = arith.mulf %x, %y : tensor<?xf32>
  %0 = quant_float.cast %p opset 24 : tensor<?xf32> to tensor<?xf8E4M3FN>
  %1 = quant_float.cast %0 opset 24 : tensor<?xf8E4M3FN> to tensor<?xf32>
  %2 = quant_float.cast %p opset 24 : tensor<?xf32> to tensor<?xf8E5M2>
  %3 = quant_float.cast %2 opset 24 : tensor<?xf8E5M2> to tensor<?xf32>
  return %1, %3 : tensor<?xf32>, tensor<?xf32>
}}
"""
(work / "m.mlir").write_text(MODEL)


def run(model, entry, *inputs):
    for i, value in enumerate(inputs):
        np.save(work / f"x{i}.npy", value)
    command = [tools_dir / "quant-float-run", model, "--outputs", "out"]
    command += ["--entry", entry] if entry else []
    command += ["--inputs", *(f"x{i}.npy" for i in range(len(inputs)))] if inputs else []
    for old in (work / "out").glob("*.npy"):
        old.unlink()
    subprocess.run(command, check=True, cwd=work)
    return [np.load(file) for file in sorted((work / "out").glob("*.npy"))]


x, y = np.random.default_rng(3).normal(0, 30, (2, 100)).astype(np.float32)
(found,) = run("m.mlir", "scaled", x, y)
wanted = np.sqrt(np.abs(x * y)).astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
assert np.array_equal(found.view(np.uint8), wanted), (found, wanted)

x, y = np.random.default_rng(4).integers(-8, 8, (2, 4, 4)).astype(np.float32)
found, smaller = run("m.mlir", "chosen", x, y)
wanted = np.where(x < y, x, y) + x
assert np.array_equal(found, (wanted + 8) % 16 - 8) and np.array_equal(smaller, x < y), found

assert np.array_equal(run("m.mlir", "bytes")[0], bytes_.astype(np.float32))
assert np.array_equal(run("m.mlir", "nibbles")[0], bytes_ & 15)

# C7: whatever NaN the product is.
payloads = np.array([0x7FC00000, 0x7F800001, 0xFFD12345, 0x7FFFFFFF, 0xFF812345], np.uint32)
for length in (1, 5, 64):
    given = np.resize(payloads, length).view(np.float32)
    for found in run("m.mlir", "nan", given, np.full(length, 2, np.float32)):
        bits = found.view(np.uint32) & 0x7FFFFFFF
        assert (bits == 0x7FC00000).all(), (length, found.view(np.uint32))


def compare(node, *inputs):
    names = [chr(ord("a") + i) for i in range(len(inputs))]
    values = [
        helper.make_tensor_value_info(n, 1, v.shape) for n, v in zip(names, inputs, strict=True)
    ]
    result = helper.make_tensor_value_info("y", 1, None)
    graph = helper.make_graph(
        [helper.make_node(*node[:1], names, ["y"], **node[1])], "g", values, [result]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    onnx.save(model, work / "n.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (wanted,) = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    (found,) = run("n.onnx", None, *inputs)
    assert found.shape == wanted.shape, (node, found.shape)
    assert np.allclose(found, wanted, rtol=1e-6, atol=1e-6, equal_nan=True), (node, found, wanted)


edges = np.array([-np.inf, -3, -0.0, 0, 2, np.inf, np.nan], np.float32)
for alpha in (0.0, -0.0, 1.0, -1.0, 1e-40, np.inf):
    compare(("Celu", {"alpha": alpha}), edges)
one = [np.array([value], np.float32) for value in (1.5, 0.25, 0.3, 2.0)]
compare(("BatchNormalization", {}), np.arange(7, dtype=np.float32), *one)
print("OK")
