# linalg.scaled_contract has the bits of numpy: elements and scales are multiplied in f32, and the
# products are added in the order of the reduction dimension by fused multiply-adds.
# REQUIRES: llvm-at-least-24
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
f8E5M2, f4E2M1FN = ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn


def scales(*shape):
    """Encodings of f8E8M0FNU, and their values."""
    encodings = random.integers(120, 134, shape).astype(np.uint8)
    return encodings, np.exp2(encodings.astype(np.float32) - 127)


def multiply_add(a, b, c):
    """a * b + c of f32, rounded once."""
    # The product is exact. The sum is rounded to odd, so that rounding it again is right.
    product, c = a.astype(np.float64) * b, c.astype(np.float64)
    total = product + c
    rest = total - product
    error = (product - (total - rest)) + (c - rest)
    is_even = total.view(np.int64) & 1 == 0
    odd = np.nextafter(total, np.copysign(np.inf, error))
    return np.where((error != 0) & is_even, odd, total).astype(np.float32)


def check(name, text, arrays, a, b, c):
    source = work / f"{name}.mlir"
    source.write_text(text)
    files = []
    for index, array in enumerate(arrays):
        files.append(work / f"{name}.{index}.npy")
        np.save(files[-1], array)
    command = [tools / "quant-float-run", source, "--outputs", work / name, "--inputs", *files]
    subprocess.run(command, check=True)
    got = np.load(work / name / "output_0.npy")
    for k in range(a.shape[1]):
        c = multiply_add(a[:, k, None], b[None, :, k], c)
    assert (got.view(np.int32) == c.view(np.int32)).all(), f"{name}: {(got != c).sum()} differ"


BLOCKS = """
func.func @main(%a: tensor<200x512xf8E5M2>, %s: tensor<7x4xf8E8M0FNU>, %b: tensor<128x512xf8E5M2>, %t: tensor<128xf8E8M0FNU>, %c: tensor<200x128xf32>) -> tensor<200x128xf32> {
  %d = linalg.scaled_contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (m floordiv 32, k floordiv 128)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (n)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %s, %b, %t : tensor<200x512xf8E5M2>, tensor<7x4xf8E8M0FNU>, tensor<128x512xf8E5M2>, tensor<128xf8E8M0FNU>)
      outs(%c : tensor<200x128xf32>) -> tensor<200x128xf32>
  return %d : tensor<200x128xf32>
}
"""
a, b = (random.standard_normal((n, 512)).astype(f8E5M2) for n in (200, 128))
c = random.standard_normal((200, 128)).astype(np.float32)
(s, s_values), (t, t_values) = scales(7, 4), scales(128)
s_values = np.repeat(np.repeat(s_values, 32, 0)[:200], 128, 1)
check(
    "blocks",
    BLOCKS,
    (a.view(np.uint8), s, b.view(np.uint8), t, c),
    a.astype(np.float32) * s_values,
    b.astype(np.float32) * t_values[:, None],
    c,
)

# The scale factor of b is no power of two.
EXPANDED = """
func.func @main(%a: tensor<6x2x32xf4E2M1FN>, %s: tensor<6x2xf8E8M0FNU>, %b: tensor<8x2x32xf4E2M1FN>, %t: tensor<f32>, %c: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %d = linalg.scaled_contract
      indexing_maps = [affine_map<(m, n, o, k) -> (m, o, k)>,
                       affine_map<(m, n, o, k) -> (m, o)>,
                       affine_map<(m, n, o, k) -> (n, o, k)>,
                       affine_map<(m, n, o, k) -> ()>,
                       affine_map<(m, n, o, k) -> (m, n)>]
      ins(%a, %s, %b, %t : tensor<6x2x32xf4E2M1FN>, tensor<6x2xf8E8M0FNU>, tensor<8x2x32xf4E2M1FN>, tensor<f32>)
      outs(%c : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %d : tensor<6x8xf32>
}
"""
a, b = (random.standard_normal((n, 2, 32)).astype(f4E2M1FN) for n in (6, 8))
c = random.standard_normal((6, 8)).astype(np.float32)
s, s_values = scales(6, 2)
t = np.float32(0.3)
check(
    "expanded",
    EXPANDED,
    (a.view(np.uint8), s, b.view(np.uint8), t, c),
    (a.astype(np.float32) * s_values[:, :, None]).reshape(6, 64),
    (b.astype(np.float32) * t).reshape(8, 64),
    c,
)
