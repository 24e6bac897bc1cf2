# Casting 2^28 elements from f32 to float8 needs no more memory than inputs, outputs and 256 MiB.
# REQUIRES: full
# RUN: %python %s %tools_dir/quant-float-run %t.mlir %results/memory.json
import json
import pathlib
import resource
import subprocess
import sys

tool, module, results = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
COUNT = 1 << 28
MEBIBYTE = 1 << 20

module.write_text(
    """func.func @cast(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
"""
)
subprocess.run([tool, module, "--random", "1", "--shapes", f"0={COUNT}", "--time"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
allowed = COUNT * (4 + 1) + 256 * MEBIBYTE
print(f"{peak // MEBIBYTE} MiB of {allowed // MEBIBYTE}")
results.write_text(json.dumps({"elements": COUNT, "peak_bytes": peak, "allowed_bytes": allowed}))
sys.exit(0 if peak <= allowed else f"{peak} bytes, expected at most {allowed}")
