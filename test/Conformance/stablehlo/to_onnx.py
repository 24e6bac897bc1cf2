# A network in StableHLO, converted to an ONNX model: ONNX Runtime computes the values that NumPy does.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime

NETWORK = """
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x16xf32>, tensor<16x8xi8>) -> (tensor<4x8xf32>, tensor<4x16xi8>), sym_name = "main"}> ({
  ^bb0(%x: tensor<4x16xf32>, %w: tensor<16x8xi8>):
    %magnitude = "stablehlo.abs"(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %init = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %amax = "stablehlo.reduce"(%magnitude, %init) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%m) : (tensor<f32>) -> ()
    }) : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %eighth = "stablehlo.constant"() <{value = dense<7.812500e-03> : tensor<4xf32>}> : () -> tensor<4xf32>
    %scale = "stablehlo.multiply"(%amax, %eighth) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %s = "stablehlo.broadcast_in_dim"(%scale) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x16xf32>
    %barrier = "stablehlo.optimization_barrier"(%s) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %quotient = "stablehlo.divide"(%x, %barrier) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %rounded = "stablehlo.round_nearest_even"(%quotient) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %q = "stablehlo.convert"(%rounded) : (tensor<4x16xf32>) -> tensor<4x16xi8>
    %sums = "stablehlo.dot_general"(%q, %w) <{dot_dimension_numbers = #stablehlo.dot<
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}>
        : (tensor<4x16xi8>, tensor<16x8xi8>) -> tensor<4x8xi32>
    %wide = "stablehlo.convert"(%sums) : (tensor<4x8xi32>) -> tensor<4x8xf32>
    %t = "stablehlo.broadcast_in_dim"(%scale) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x8xf32>
    %y = "stablehlo.multiply"(%wide, %t) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "func.return"(%y, %q) : (tensor<4x8xf32>, tensor<4x16xi8>) -> ()
  }) : () -> ()
}) : () -> ()
"""


def main():
    tools, work = Path(sys.argv[1]), Path(sys.argv[2])
    (work / "network.mlir").write_text(NETWORK)
    passes = ["--convert-stablehlo-to-onnx", "--inline", "--symbol-dce", "--canonicalize"]
    command = [tools / "quant-float-opt", "--allow-unregistered-dialect", work / "network.mlir"]
    subprocess.run([*command, *passes, "-o", work / "nodes.mlir"], check=True)
    command = [tools / "quant-float-translate", "--export-onnx", work / "nodes.mlir"]
    subprocess.run([*command, "-o", work / "network.onnx", "--opset", "21"], check=True)

    random = np.random.default_rng(7)
    x = random.normal(size=(4, 16)).astype(np.float32)
    w = random.integers(-128, 128, (16, 8)).astype(np.int8)
    scale = np.abs(x).max(1, keepdims=True) * np.float32(1 / 128)
    # The largest element of a row becomes 128, which saturates.
    q = np.clip(np.rint(x / scale), -128, 127).astype(np.int8)
    expected = (q.astype(np.int32) @ w.astype(np.int32)).astype(np.float32) * scale

    session = onnxruntime.InferenceSession(work / "network.onnx")
    names = [argument.name for argument in session.get_inputs()]
    y, encodings = session.run(None, dict(zip(names, [x, w], strict=True)))
    assert np.array_equal(encodings, q), np.count_nonzero(encodings != q)
    assert np.array_equal(y, expected), np.abs(y - expected).max()
    assert (q == 127).any()


main()
