# Several tensors in one call: threads start once, run one loop after the next, and wait only if a
# loop depends on the last one. Each value equals that of ml_dtypes and NumPy.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import re
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import quant_float as qf
from sanitizers import tool_environment

tools, work = sys.argv[1], Path(sys.argv[2])
random = np.random.default_rng(7)
# A scale that is read between two loops, a result that the next loop reads, and independent loops.
(work / "model.mlir").write_text("""
func.func @many(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<100000xf32>, %s: tensor<f32>)
    -> (tensor<?xf8E4M3FN>, tensor<?xi8>, tensor<100000xbf16>, tensor<?xf32>, tensor<?xf16>) {
  %0 = quant_float.cast %a opset 24 : tensor<?xf32> to tensor<?xf8E4M3FN>
  %1 = quant_float.quantize %b, %s opset 21 : tensor<?xf32>, tensor<f32> to tensor<?xi8>
  %2 = quant_float.cast %c opset 24 : tensor<100000xf32> to tensor<100000xbf16>
  %3 = quant_float.dequantize %1, %s opset 21 : tensor<?xi8>, tensor<f32> to tensor<?xf32>
  %4 = quant_float.cast %b opset 24 : tensor<?xf32> to tensor<?xf16>
  return %0, %1, %2, %3, %4 : tensor<?xf8E4M3FN>, tensor<?xi8>, tensor<100000xbf16>, tensor<?xf32>, tensor<?xf16>
}
""")
path = work / "model.mlir"
ir = subprocess.run(
    [f"{tools}/quant-float-compile", path, "--emit", "llvm-ir", "--threads", "2", "-o", "-"],
    capture_output=True,
    text=True,
    check=True,
    env=tool_environment(),
).stdout
assert len(re.findall(r"call void .*@__kmpc_fork_call\(", ir)) == 1, ir
functions = [qf.compile(path, "many", threads=threads) for threads in (2, 3, 4)]
# A single thread for small sizes, several threads, the first loop much smaller than the others, and
# the reverse.
for sizes in ((10, 20), (100003, 70001), (3, 400001), (400001, 5), (0, 300000)):
    a, b = (random.normal(0, 50, size).astype(np.float32) for size in sizes)
    c = random.normal(0, 50, 100000).astype(np.float32)
    s = np.float32(0.75)
    encodings = np.clip(np.rint(b / s), -128, 127).astype(np.int8)
    expected = (
        a.astype(ml_dtypes.float8_e4m3fn),
        encodings,
        c.astype(ml_dtypes.bfloat16),
        encodings * s,
        b.astype(np.float16),
    )
    for function in functions:
        for _ in range(20):
            for got, want in zip(function(a, b, c, np.asarray(s)), expected, strict=True):
                assert np.array_equal(np.asarray(got).view(np.uint8), want.view(np.uint8)), sizes
