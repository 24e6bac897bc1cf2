# Casts and quantizations exported to StableHLO, imported again and compiled, against the reference
# evaluator: all bits are equal, except for NaN encodings.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys
from pathlib import Path

from conformance import stablehlo_exports as exports


def main():
    tools, work = Path(sys.argv[1]), Path(sys.argv[2])

    def execute(text, arguments):
        source = work / "exported.mlir"
        source.write_text(text)
        return exports.evaluate(tools, work, source, arguments)

    failures = exports.casts(execute, tools, work) + exports.quantizations(execute, tools, work)
    sys.exit(failures != 0)


main()
