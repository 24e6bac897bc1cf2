# Intermediate buffers whose byte counts overflow 64 bits: the entry point reports that it is out of
# memory, even if the wrapped product is small.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

tools_dir, work = map(pathlib.Path, sys.argv[1:])
MODEL = """
func.func @f(%x: tensor<1x{columns}xf32> {{quant_float.name = "x"}}) -> tensor<f32> {{
  %n = arith.constant dense<[{rows}, 1]> : tensor<2xi64>
  %a = arith.constant dense<[0, 1]> : tensor<2xi64>
  %e = quant_float.node "Expand"(%x, %n) opset 21 : (tensor<1x{columns}xf32>, tensor<2xi64>) -> tensor<{rows}x{columns}xf32>
  %t = quant_float.node "Softmax"(%e) opset 21 : (tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
  %y = quant_float.node "ReduceMax"(%t, %a) opset 21 attributes {{keepdims = 0 : i64}}
      : (tensor<{rows}x{columns}xf32>, tensor<2xi64>) -> tensor<f32>
  return %y : tensor<f32>
}}
"""


def run(rows, columns, shape, error=None):
    (work / "f.mlir").write_text(MODEL.format(rows=rows, columns=columns))
    command = [tools_dir / "quant-float-run", "f.mlir", "--random", "1", "--shapes", f"x=1x{shape}"]
    result = subprocess.run(command, capture_output=True, check=False, cwd=work, text=True)
    if error is None:
        assert result.returncode == 0, (rows, columns, shape, result)
    else:
        assert result.returncode == 1 and error in result.stderr, (rows, columns, shape, result)


MEMORY = "error: f: out of memory"
# The number of rows, 2^60, fits, but 16 times as many bytes wrap around to 0.
for size in (1, 16, 17):
    run(1 << 60, "?", size, MEMORY)
# 24 bytes more than 2^64, a static size: small enough for the stack if it wrapped around.
run(1537228672809129303, 3, 3, MEMORY)
run(64, "?", 3)
run(64, 3, 3)
print("OK")
