# Networks written in linalg, compiled and run: matmuls and convolutions with weights decoded panel
# by panel against numpy, and the same bits for each number of rows and each CPU. Sizes that do not
# match, failed allocations and failed assertions are errors.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import shutil
import subprocess
import sys

import numpy as np
from fma import fma

tools_dir, work = map(pathlib.Path, sys.argv[1:])
rng = np.random.default_rng(4)

MATMUL = """
#id = affine_map<(k, n) -> (k, n)>
#column = affine_map<(k, n) -> (n)>
func.func @net(%x: tensor<?x100xf32> {quant_float.name = "x"}, %w: tensor<100x70xi8> {quant_float.name = "w"},
               %s: tensor<?xf32> {quant_float.name = "s"}) -> tensor<?x70xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x100xf32>
  %e = tensor.empty() : tensor<100x70xf32>
  %d = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<100x70xi8>, tensor<?xf32>) outs(%e : tensor<100x70xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<100x70xf32>
  %f = tensor.empty(%m) : tensor<?x70xf32>
  %init = linalg.fill ins(%zero : f32) outs(%f : tensor<?x70xf32>) -> tensor<?x70xf32>
  %y = linalg.matmul ins(%x, %d : tensor<?x100xf32>, tensor<100x70xf32>) outs(%init : tensor<?x70xf32>) -> tensor<?x70xf32>
  return %y : tensor<?x70xf32>
}
"""
CONV = """
func.func @net(%x: tensor<2x5x11x13xf32>, %w: tensor<9x5x3x3xi8>) -> (tensor<2x9x9x11xf32>, tensor<2x9x5x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x5x3x3xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<9x5x3x3xi8>) outs(%e : tensor<9x5x3x3xf32>) {
  ^bb0(%q: i8, %out: f32):
    %0 = arith.sitofp %q : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<9x5x3x3xf32>
  %f = tensor.empty() : tensor<2x9x9x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%f : tensor<2x9x9x11xf32>) -> tensor<2x9x9x11xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %d : tensor<2x5x11x13xf32>, tensor<9x5x3x3xf32>)
      outs(%init : tensor<2x9x9x11xf32>) -> tensor<2x9x9x11xf32>
  %g = tensor.empty() : tensor<2x9x5x6xf32>
  %other = linalg.fill ins(%zero : f32) outs(%g : tensor<2x9x5x6xf32>) -> tensor<2x9x5x6xf32>
  %z = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
      ins(%x, %d : tensor<2x5x11x13xf32>, tensor<9x5x3x3xf32>) outs(%other : tensor<2x9x5x6xf32>) -> tensor<2x9x5x6xf32>
  return %y, %z : tensor<2x9x9x11xf32>, tensor<2x9x5x6xf32>
}
"""
# n elements need temporary buffers of n * n * n * 4 bytes.
LARGE = """
#cube = affine_map<(a, b, c) -> (a, b, c)>
func.func @net(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n, %n, %n) : tensor<?x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a)>, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?x?x?xf32>
  %1 = linalg.generic {indexing_maps = [#cube, affine_map<(a, b, c) -> (b, c, a)>, #cube],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %0 : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#cube, affine_map<(a, b, c) -> (c)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%1 : tensor<?x?x?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
"""
ASSERTED = """
func.func @net(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %rest = arith.remui %n, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  cf.assert %even, "the size must be even"
  %first = tensor.extract %x[%c0] : tensor<?xi32>
  %positive = arith.cmpi sge, %first, %zero : i32
  cf.assert %positive, "the first element must not be negative"
  return %x : tensor<?xi32>
}
"""


def run(code, *inputs, cpu="host", error=None):
    """The outputs, in one array each. With `error`, the expected error."""
    (work / "net.mlir").write_text(code)
    shutil.rmtree(work / "out", ignore_errors=True)
    for index, array in enumerate(inputs):
        np.save(work / f"in_{index}.npy", array)
    files = [f"in_{index}.npy" for index in range(len(inputs))]
    command = [
        tools_dir / "quant-float-run",
        "net.mlir",
        "--cpu",
        cpu,
        "--outputs",
        "out",
        "--inputs",
        *files,
    ]
    result = subprocess.run(command, capture_output=True, check=False, cwd=work, text=True)
    if error:
        assert result.returncode == 1 and error in result.stderr, (error, result)
        return None
    assert result.returncode == 0, result.stderr
    return [np.load(path) for path in sorted((work / "out").glob("*.npy"))]


# --- matmuls
# -------------------------------------------------------------------------------------------
encodings = rng.integers(-128, 128, (100, 70)).astype(np.int8)
scales = rng.random(70).astype(np.float32)
weights = encodings.astype(np.float32) * scales
whole = rng.standard_normal((9, 100)).astype(np.float32)
first = None
for rows in (0, 1, 3, 4, 9):
    for cpu in ("x86-64", "x86-64-v3", "host") if rows == 9 else ("host",):
        (y,) = run(MATMUL, whole[:rows], encodings, scales, cpu=cpu)
        expected = np.zeros((rows, 70), np.float32)
        if rows > 4:
            # In the order of the rows of the weights.
            for k in range(100):
                expected = fma(whole[:rows, k : k + 1], weights[k], expected)
        else:
            # R7: blocks of 32 rows of quantized values, which the scales multiply.
            for start in range(0, 100, 32):
                total = np.zeros_like(expected)
                for k in range(start, min(start + 32, 100)):
                    total = fma(whole[:rows, k : k + 1], np.float32(encodings[k]), total)
                expected += scales * total
        assert y.shape == (rows, 70) and (y == expected).all(), (
            rows,
            cpu,
            np.abs(y - expected).max(),
        )

run(
    MATMUL,
    whole,
    encodings,
    scales[:69],
    error="net: input 2 's': dimension 0: expected size 70, but got 69",
)

# --- convolutions ----------------------------------------------------------------------------------------
x = rng.standard_normal((2, 5, 11, 13)).astype(np.float32)
encodings = rng.integers(-128, 128, (9, 5, 3, 3)).astype(np.int8)
for stride, y in zip((1, 2), run(CONV, x, encodings), strict=True):
    expected = np.zeros(y.shape, np.float32)
    for c in range(5):
        for i in range(3):
            for j in range(3):
                window = x[:, c, i : i + 9 : stride, j : j + 11 : stride]
                expected = fma(window[:, None], encodings[None, :, c, i, j, None, None], expected)
    assert (y == expected).all(), (stride, np.abs(y - expected).max())

# --- errors ----------------------------------------------------------------------------------------------
(y,) = run(LARGE, np.arange(3, dtype=np.float32))
assert y.shape == (3,)
run(LARGE, np.zeros(1 << 18, np.float32), error="net: out of memory")
(y,) = run(ASSERTED, np.array([0, 1], np.int32))
assert (y == [0, 1]).all()
run(ASSERTED, np.array([0, 1, 2], np.int32), error="net: the size must be even")
run(ASSERTED, np.array([-1, 1], np.int32), error="net: the first element must not be negative")
print("OK")
