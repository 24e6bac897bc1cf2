# Every row of the table of matmul tile configurations, selected by sizes that are computed
# independently here, and executed in the simulator of a driver, with M, N and K that are no
# multiples of the tile. Up to three stages are in shared memory. The bits are those of CPU code,
# and integers equal NumPy's.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import re
import sys
from pathlib import Path

import gpu_matmuls
import gpu_tiles
from gpu_runs import Comparison


def shared_bytes(code, name):
    """The shared memory for the tiles of both operands, in a kernel with other buffers."""
    return tuple(map(int, re.findall(rf"^@__wg_{name}_kernel_\d+_\d+ = .*\[(\d+) x i8\]", code, re.MULTILINE)))  # fmt: skip


def main(tools, compiler, cuda_include, obj_root, folder):
    cases = list(gpu_tiles.cases())
    text = "".join(each.text() for each, _, _ in cases)
    comparison = Comparison(
        tools, compiler, cuda_include, obj_root, folder, text, (("sm_90", "ordered", "exact"),)
    )
    failures = comparison.failures
    code = (Path(folder) / "sm_90.ordered.ll").read_text()
    for seed, (each, (matrices, m, n, k), bytes_) in enumerate(cases):
        if shared_bytes(code, each.name) != bytes_:
            failures.append(f"{each.name}: {shared_bytes(code, each.name)} for {bytes_}")
        kinds = each.factors()
        shapes = (matrices, m, k), (matrices, k, n)
        values = [gpu_matmuls.random(kind, shape, 2 * seed + i) for i, (kind, shape) in enumerate(zip(kinds, shapes, strict=True))]  # fmt: skip
        exact = [value.astype("i8" if kinds[0] == "ui8" else "f8") for value in values]
        if kinds[0] == "ui8":
            expected = (exact[0] @ exact[1]).astype("i4"), None
        else:
            expected = exact[0] @ exact[1], abs(exact[0]) @ abs(exact[1])
        comparison.compare(each.name, each.name, [(name, kind) for name, _, kind in each.inputs], values, expected, k)  # fmt: skip
    print(f"{comparison.runs} runs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
