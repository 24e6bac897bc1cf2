# Quantizations exported to IREE's affine quantization, imported again and compiled, against the
# reference evaluator.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys
from pathlib import Path

from conformance import quantization_exports as exports

tools, work = Path(sys.argv[1]), Path(sys.argv[2])
PASSES = ["--convert-quant-float-to-iree-linalg-ext"]
INTEGERS = ["i4", "ui4", "i8", "ui8"]
both = (True, False)
failures = exports.quantizations(tools, work, PASSES, [*INTEGERS, "i16", "ui16"], ["f32"], both)
failures += exports.quantizations(tools, work, PASSES, INTEGERS, ["f16", "bf16"], both)
failures += exports.dequantizations(
    tools, work, PASSES, [*INTEGERS, "i16", "ui16", "i32"], ["f32", "f16", "bf16"], both, True
)
sys.exit(failures != 0)
