# Every row of the table of tiles that a product may have, chosen by its sizes as counted here once more, and executed by the simulator of
# a driver, with rows, columns and summands that are no whole tiles; of those, up to three at once are in shared memory. The bits are those of code for the CPU, integers NumPy's.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import re
import sys
from pathlib import Path

import gpu_products
from gpu_products import node
from gpu_runs import Comparison

# Matrices, rows, columns, summands, and the tile they need: by instructions of warps, and by threads.
SIZES = (
    (128, 127, 70, 140, (128, 128), None),
    (128, 100, 64, 17, (128, 64), (128, 64)),
    (128, 64, 100, 17, (64, 128), (64, 128)),
    (110, 50, 64, 160, (64, 64), None),
    (32, 97, 128, 18, (64, 64), (64, 64)),
    (128, 32, 97, 17, (32, 128), (32, 128)),
    (128, 97, 32, 17, (128, 32), (128, 32)),
    (3, 40, 70, 270, (32, 64), (32, 64)),
    (80, 64, 31, 18, (64, 32), (64, 32)),
    (100, 9, 127, 17, (16, 128), (16, 128)),
    (100, 127, 9, 17, (128, 16), (128, 16)),
)


def product(kind, other, sizes):
    matrices, m, n, k = sizes
    a, b = f"{matrices}x{m}x{k}x", f"{matrices}x{k}x{n}x"
    result = f"{matrices}x{m}x{n}x{'i32' if kind == 'ui8' else kind}"
    op = "MatMulInteger" if kind == "ui8" else "MatMul"
    name = f"{kind}_{matrices}_{m}_{n}_{k}"
    return gpu_products.Product(name, (("a", a, kind), ("b", b, other)), node(op, [("a", a + kind), ("b", b + other)], result), result)  # fmt: skip


def shared_bytes(code, name):
    """Of the tiles of both factors, in a kernel with others beside it."""
    return tuple(map(int, re.findall(rf"^@__wg_{name}_kernel_\d+_\d+ = .*\[(\d+) x i8\]", code, re.MULTILINE)))  # fmt: skip


def main(tools, compiler, cuda_include, obj_root, folder):
    cases = []
    for *sizes, by_warps, by_threads in SIZES:
        if by_warps:
            # Rows of 64 bytes of summands, and 16 behind; in as many stages as there is room and use for.
            stages = min(3, 48 * 1024 // (80 * sum(by_warps)), -(-sizes[3] // 64))
            cases.append((product("ui8", "i8", sizes), sizes, tuple(80 * stages * lines for lines in by_warps)))  # fmt: skip
        if by_threads:
            # 16 summands of so many elements, and 4 behind.
            cases.append((product("f32", "f32", sizes), sizes, tuple(64 * (lines + 4) for lines in by_threads)))  # fmt: skip
    text = "".join(each.text() for each, _, _ in cases)
    comparison = Comparison(
        tools, compiler, cuda_include, obj_root, folder, text, (("sm_90", "stated", "exact"),)
    )
    failures = comparison.failures
    code = (Path(folder) / "sm_90.stated.ll").read_text()
    for seed, (each, (matrices, m, n, k), bytes_) in enumerate(cases):
        if shared_bytes(code, each.name) != bytes_:
            failures.append(f"{each.name}: {shared_bytes(code, each.name)} for {bytes_}")
        kinds = each.factors()
        shapes = (matrices, m, k), (matrices, k, n)
        values = [gpu_products.random(kind, shape, 2 * seed + i) for i, (kind, shape) in enumerate(zip(kinds, shapes, strict=True))]  # fmt: skip
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
