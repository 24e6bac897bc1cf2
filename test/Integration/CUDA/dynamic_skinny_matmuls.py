# Matmuls of a dynamic number of rows with 8-bit weights, executed in the simulator of a driver. One
# to four rows, and more, for which another kernel is launched, with weights that are K-contiguous
# or not: the bits are those of CPU code (R7).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import sys

import numpy as np
from gpu_runs import Comparison

DEPTH, CHANNELS, BLOCK = 160, 48, 32


def make_function(name, is_k_contiguous):
    weights, scales = f"{DEPTH}x{CHANNELS}", f"{DEPTH // BLOCK}x{CHANNELS}"
    node, axis = '"MatMul"(%x, %d) opset 21', 0
    if is_k_contiguous:
        weights, scales = f"{CHANNELS}x{DEPTH}", f"{CHANNELS}x{DEPTH // BLOCK}"
        node, axis = '"Gemm"(%x, %d) opset 21 attributes {transB = 1 : i64}', 1
    return f"""
func.func @{name}(%x: tensor<?x{DEPTH}xf32>, %w: tensor<{weights}xi8>, %s: tensor<{scales}xf32>) -> tensor<?x{CHANNELS}xf32> {{
  %d = quant_float.dequantize %w, %s axis {axis} block_size {BLOCK} opset 21 : tensor<{weights}xi8>, tensor<{scales}xf32> to tensor<{weights}xf32>
  %y = quant_float.node {node} : (tensor<?x{DEPTH}xf32>, tensor<{weights}xf32>) -> tensor<?x{CHANNELS}xf32>
  return %y : tensor<?x{CHANNELS}xf32>
}}
"""


def main(tools, compiler, cuda_include, obj_root, folder):
    functions = {"rows": True, "columns": False}
    text = "".join(make_function(*each) for each in functions.items())
    variants = (("sm_90", "ordered", "exact"), ("sm_75", "ordered", "exact"))
    comparison = Comparison(tools, compiler, cuda_include, obj_root, folder, text, variants)
    random = np.random.default_rng(11)
    inputs = [("x", "f32"), ("w", "i8"), ("s", "f32")]
    for name, is_k_contiguous in functions.items():
        weights = random.integers(-128, 128, (CHANNELS, DEPTH)).astype(np.int8)
        scales = random.random((CHANNELS, DEPTH // BLOCK), np.float32)
        decoded = weights * np.repeat(scales, BLOCK, 1).astype(np.float64)
        if not is_k_contiguous:
            weights, scales = np.ascontiguousarray(weights.T), np.ascontiguousarray(scales.T)
        for vectors in (0, 1, 2, 4, 5, 20):
            x = random.standard_normal((vectors, DEPTH)).astype(np.float32)
            expected = (x @ decoded.T).astype(np.float32), np.abs(x) @ np.abs(decoded.T)
            comparison.compare(
                name,
                f"{name}, {vectors} vectors",
                inputs,
                [x, weights, scales],
                expected,
                2 * DEPTH,
            )
    print(f"{comparison.runs} runs, {len(comparison.failures)} failures")
    return "\n".join(comparison.failures) if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
