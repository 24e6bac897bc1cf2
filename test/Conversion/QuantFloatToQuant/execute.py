# Quantizations exported to the quant dialect, imported again and compiled, against the reference
# evaluator.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys
from pathlib import Path

from conformance import quantization_exports as exports

tools, work = Path(sys.argv[1]), Path(sys.argv[2])
PASSES = ["--convert-quant-float-to-quant"]
INTEGERS = ["i4", "ui4", "i8", "ui8", "i16", "ui16"]
REALS = ["f32", "f16", "bf16"]
failures = exports.quantizations(tools, work, PASSES, INTEGERS, REALS)
failures += exports.dequantizations(tools, work, PASSES, [*INTEGERS, "i32"], REALS)
sys.exit(failures != 0)
