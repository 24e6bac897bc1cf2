# Casts and quantizations exported to TOSA, lowered by upstream's passes and compiled, against the
# reference evaluator.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys
from pathlib import Path

from conformance import quantization_exports as exports

tools, work = Path(sys.argv[1]), Path(sys.argv[2])
PASSES = ["--convert-quant-float-to-tosa"]
TYPES = ["f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "i1", "i8", "i16", "i32"]
REALS = ["f32", "f16", "bf16"]


def is_refused(source, to):
    if (source, to) == ("i32", "bf16"):
        return True
    return source[0] != "i" and to in ("i8", "i16", "i32")


failures = exports.casts(tools, work, PASSES, TYPES, is_refused)
stored = ["i8", "i16", "f8E4M3FN", "f8E5M2"]
failures += exports.quantizations(tools, work, PASSES, stored, REALS, powers=True)
failures += exports.dequantizations(tools, work, PASSES, [*stored, "i32"], REALS, (True, False))
sys.exit(failures != 0)
