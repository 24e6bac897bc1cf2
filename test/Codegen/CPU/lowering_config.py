# RUN: %python %s %tools_dir %t

# Executes matmuls and maxima with lowering configs other than those that the
# compiler chooses, with remainders along M, N and K. The operands are integers,
# so that the sums are exact; numpy is the oracle.

import pathlib
import subprocess
import sys

import numpy as np

tools, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(4)
M, N, K = 37, 52, 70
a = random.integers(-9, 9, (M, K)).astype(np.float32)
b = random.integers(-9, 9, (K, N)).astype(np.float32)

MATMUL = """
func.func @f(%a: tensor<{rows}x70xf32>, %b: tensor<{b}xf32>) -> tensor<{rows}x52xf32> {{
  %zero = arith.constant 0.0 : f32
  %axis = arith.constant 0 : index
  %m = tensor.dim %a, %axis : tensor<{rows}x70xf32>
  %empty = tensor.empty({size}) : tensor<{rows}x52xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{rows}x52xf32>) -> tensor<{rows}x52xf32>
  %y = linalg.generic {{
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ({indices})>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : tensor<{rows}x70xf32>, tensor<{b}xf32>) outs(%init : tensor<{rows}x52xf32>)
      attrs = {{quant_float.lowering_config = #quant_float.lowering_config<{config}>}} {{
  ^bb0(%lhs: f32, %rhs: f32, %sum: f32):
    %product = arith.mulf %lhs, %rhs : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }} -> tensor<{rows}x52xf32>
  return %y : tensor<{rows}x52xf32>
}}
"""
MAXIMUM = """
func.func @f(%x: tensor<{x}xf32>) -> tensor<{y}f32> {{
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<{y}f32>
  %init = linalg.fill ins(%low : f32) outs(%empty : tensor<{y}f32>) -> tensor<{y}f32>
  %y = linalg.generic {{
      indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ({kept})>],
      iterator_types = [{iterators}]}}
      ins(%x : tensor<{x}xf32>) outs(%init : tensor<{y}f32>)
      attrs = {{quant_float.lowering_config = #quant_float.lowering_config<{config}>}} {{
  ^bb0(%in: f32, %max: f32):
    %next = arith.maximumf %max, %in : f32
    linalg.yield %next : f32
  }} -> tensor<{y}f32>
  return %y : tensor<{y}f32>
}}
"""


def run(text, inputs, expected):
    """Whether the config is applicable. If so, the result must be as expected."""
    (folder / "model.mlir").write_text(text)
    files = []
    for index, value in enumerate(inputs):
        files.append(str(folder / f"input_{index}.npy"))
        np.save(files[-1], value)
    command = [tools / "quant-float-run", folder / "model.mlir", "--outputs", folder / "out"]
    command += ["--inputs", *files]
    process = subprocess.run(command, capture_output=True, text=True)
    if "lowering config: expected valid tile sizes" in process.stderr:
        return False
    assert process.returncode == 0, process.stderr
    np.testing.assert_array_equal(np.load(folder / "out" / "output_0.npy"), expected)
    return True


def multiply(config, rows=M, dynamic=False, transposed=False):
    text = MATMUL.format(
        config=config,
        rows="?" if dynamic else rows,
        size="%m" if dynamic else "",
        b="52x70" if transposed else "70x52",
        indices="n, k" if transposed else "k, n",
    )
    rhs = np.ascontiguousarray(b.T) if transposed else b
    return run(text, [a[:rows], rhs], a[:rows] @ b)


assert multiply("scalar")
assert multiply("vectors tiles = [[5, 8]]")
assert multiply("vectors tiles = [[1, 4]]")
assert multiply("panels tiles = [[3, 8, 16]]")
assert multiply("panels tiles = [[3, 8, 16]]", transposed=True)
for rows in (0, 1, 5, 16, 37):
    config = "panels tiles = [[5, 16, 33]] otherwise = <vectors tiles = [[3, 8]]>"
    if rows in (5, 37):
        config = config.replace("vectors tiles = [[3, 8]]", "scalar")
    assert multiply(config, rows, dynamic=True), rows


def reduce(config):
    text = MAXIMUM.format(config=config, x="70", y="", loops="k", kept="", iterators='"reduction"')
    return run(text, [a[0]], a[0].max())


def reduce_rows(config):
    text = MAXIMUM.format(
        config=config, x="37x70", y="37x", loops="m, k", kept="m",
        iterators='"parallel", "reduction"',
    )  # fmt: skip
    return run(text, [a], a.max(1))


assert reduce("folded tiles = [[16]]")
assert reduce("scalar")
# A square block has the size of a register.
assert any(reduce_rows(f"square_blocks tiles = [[1, {lanes}]]") for lanes in (4, 8, 16))
assert any(reduce_rows(f"vectors tiles = [[1, {lanes}]]") for lanes in (4, 8, 16))
assert reduce_rows("folded tiles = [[16]]")
