# Specialized code for float8: quotients of every value, infinities included, by a scalar, and the
# NaNs of two casts.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import platform
import subprocess
import sys

import ml_dtypes
import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
# The baseline has neither FMA nor vectors of 32 bytes.
CPUS = ["host", "x86-64"] if platform.machine() == "x86_64" else ["host"]
FORMATS = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
DIVISORS = np.float32([3.0, -0.3, 1e30, 1e-40, 0.0, -0.0, np.inf, np.nan])

QUOTIENT = """
#map = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
func.func @main(%q: tensor<256x{0}>, %s: tensor<f32>) -> tensor<256xf32> {{
  %e = tensor.empty() : tensor<256xf32>
  %0 = linalg.generic {{indexing_maps = [#map, #one, #map], iterator_types = ["parallel"]}}
      ins(%q, %s : tensor<256x{0}>, tensor<f32>) outs(%e : tensor<256xf32>) {{
  ^bb0(%a: {0}, %b: f32, %c: f32):
    %1 = quant_float.cast %a opset 19 : {0} to f32
    %2 = arith.divf %1, %b : f32
    linalg.yield %2 : f32
  }} -> tensor<256xf32>
  return %0 : tensor<256xf32>
}}
"""
CASTS = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %0 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?x{0}>
  %1 = quant_float.cast %0 opset 19 : tensor<?x{0}> to tensor<?xf32>
  return %1 : tensor<?xf32>
}}
"""


def run(source, inputs, *options):
    (work / "m.mlir").write_text(source)
    names = []
    for index, value in enumerate(inputs):
        np.save(work / f"{index}.npy", value)
        names.append(str(work / f"{index}.npy"))
    command = [tools_dir / "quant-float-run", work / "m.mlir", "--inputs", *names]
    subprocess.run([*command, "--outputs", work, *options], check=True, stdout=subprocess.PIPE)
    return np.load(work / "output_0.npy")


numbers = np.random.default_rng(1).integers(0, 1 << 32, 20000, dtype=np.uint32)
numbers[:1000] |= 0x7F800000
encodings = np.arange(256, dtype=np.uint8)
failures = 0
for name, dtype in FORMATS.items():
    values = encodings.view(dtype).astype(np.float32)
    expected = run(CASTS.format(name), [numbers.view(np.float32)], "--target", "reference")
    for cpu in CPUS:
        got = run(CASTS.format(name), [numbers.view(np.float32)], "--cpu", cpu)
        failures += np.count_nonzero(got.view(np.uint32) != expected.view(np.uint32))
        for divisor in DIVISORS:
            with np.errstate(all="ignore"):
                quotient = values / divisor
            got = run(QUOTIENT.format(name), [encodings, divisor], "--cpu", cpu)
            same = (got.view(np.uint32) == quotient.view(np.uint32)) | (
                np.isnan(got) & np.isnan(quotient)
            )
            failures += np.count_nonzero(~same)
print(f"{failures} differ")
sys.exit(1 if failures else 0)
