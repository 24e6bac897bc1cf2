# B: block_quantize and block_dequantize by every rule, for every type of elements and scales, compiled and by the Reference, against
# an oracle in NumPy: blocks along rows, rectangles, partial blocks, rows and the whole tensor; subnormal, infinite and NaN elements.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t
import subprocess
import sys
from pathlib import Path

import numpy as np
from conformance import block_cases as cases


def main(tool, work):
    work = Path(work)
    runs = []
    for shape, block in (
        ((7, 70), (1, 32)),
        ((8, 64), (1, 16)),
        *(((9, 40), b) for b in cases.SHAPES[2:]),
    ):
        for x_type in cases.DTYPES if block == (1, 32) else ("f32",):
            dynamic = block in ((1, 32), (2, 8), (-1, -1)) and x_type == "f32"
            runs += [
                (shape, block, x_type, is_dynamic) for is_dynamic in (False, True)[: 1 + dynamic]
            ]
    failures = 0
    for index, (shape, block, x_type, is_dynamic) in enumerate(runs):
        rules = cases.RULES if index < 2 else cases.RULES[index % 5 :: 5]
        source = work / f"{index}.mlir"
        source.write_text(cases.write_model(rules, shape, block, x_type, is_dynamic))
        for kind in ("usual", "edge", "special"):
            with np.errstate(all="ignore"):
                data = cases.inputs(shape, kind).astype(cases.DTYPES[x_type])
            cases.save_input(work / "x.npy", data)
            for target in ("cpu", "reference"):
                out = work / f"{index}-{kind}-{target}"
                command = [
                    tool,
                    source,
                    "--inputs",
                    work / "x.npy",
                    "--outputs",
                    out,
                    "--target",
                    target,
                ]
                subprocess.run(command, check=True)
                name = f"{target}: {x_type} {shape} in {block}{' dynamic' if is_dynamic else ''}, {kind}"
                failures += cases.check_all(name, rules, data, block, out)
        print(f"{shape} in {block} of {x_type}: {len(rules)} rules")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
