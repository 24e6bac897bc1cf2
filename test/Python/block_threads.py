# Blocks with threads: the chunks of threads start at blocks, or threads take rows. Each value
# equals NumPy's.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import numpy as np
import quant_float as qf
from sanitizers import tool_environment

tools, work = sys.argv[1], Path(sys.argv[2])
random = np.random.default_rng(5)
# More than one thread computes, if the code uses threads.
for size, block, rows in (
    (4096, 32, 67),
    (96, 32, 3001),
    (4096, 4096, 67),
    (72, 24, 4001),
    (64, 2, 4099),
):
    count = size // block
    (work / "model.mlir").write_text(f"""
func.func @quantize(%x: tensor<?x{size}xf32>, %s: tensor<?x{count}xf32>) -> tensor<?x{size}xi8> {{
  %0 = quant_float.quantize %x, %s axis 1 block_size {block} opset 21 : tensor<?x{size}xf32>, tensor<?x{count}xf32> to tensor<?x{size}xi8>
  return %0 : tensor<?x{size}xi8>
}}
func.func @dequantize(%x: tensor<?x{size}xi8>, %s: tensor<?x{count}xf32>) -> tensor<?x{size}xf32> {{
  %0 = quant_float.dequantize %x, %s axis 1 block_size {block} opset 21 : tensor<?x{size}xi8>, tensor<?x{count}xf32> to tensor<?x{size}xf32>
  return %0 : tensor<?x{size}xf32>
}}
""")  # fmt: skip
    ir = subprocess.run([f"{tools}/quant-float-compile", work / "model.mlir", "--emit", "llvm-ir", "--threads", "2", "-o", "-"], capture_output=True, text=True, check=True, env=tool_environment())  # fmt: skip
    assert ir.stdout.count("call void (ptr, i32, ptr, ...) @__kmpc_fork_call") >= 2, (size, block)
    x = random.normal(0, 50, (rows, size)).astype(np.float32)
    scale = random.uniform(0.3, 3, (rows, count)).astype(np.float32)
    wide = np.repeat(scale, block, axis=1)
    encodings = np.clip(np.rint(x / wide), -128, 127).astype(np.int8)
    path = work / "model.mlir"
    for threads in (2, 3):
        for name, given, expected in (
            ("quantize", x, encodings),
            ("dequantize", encodings, encodings * wide),
        ):
            function = qf.compile(path, name, threads=threads)
            got = np.asarray(function(given, scale))
            assert np.array_equal(got, expected), (name, size, block, rows, threads)
