# Matmuls as kernels, executed in the simulator of a driver: full tiles and remainders of every
# size, dynamic and static ones, skinny matmuls, batches, transposed operands, K of 0. The bits must
# be those of CPU code. Integer matmuls, which use tensor cores, must equal NumPy's. With
# --accumulation reassociate, floats must be within the bound for other orders of additions and for
# the instructions (R7).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import sys
from pathlib import Path

import gpu_matmuls
import sharding
from gpu_matmuls import SIZES, SKINNY, expected, shapes
from gpu_runs import Comparison, save


def main(tools, compiler, cuda_include, obj_root, folder):
    folder = Path(folder)
    products = [
        *(gpu_matmuls.matmul(kind) for kind in ("f32", "f64", "f16", "bf16")),
        *(gpu_matmuls.gemm("f32", a, b) for a in (0, 1) for b in (0, 1)),
        *(gpu_matmuls.gemm("f16", 1, b) for b in (0, 1)),
        gpu_matmuls.batched("f32"),
        gpu_matmuls.shared_right("f32"),
        gpu_matmuls.scores("f32"),
        gpu_matmuls.scores("f16"),
        gpu_matmuls.blocked("i4"),
        gpu_matmuls.blocked("f8E4M3FN"),
        *(gpu_matmuls.dequantized(kind, t) for kind in ("f8E4M3FN", "f8E5M2") for t in (0, 1)),
        *(gpu_matmuls.integer(a, b) for a in ("i8", "ui8") for b in ("i8", "ui8")),
        gpu_matmuls.integer("ui8", "i8", "one", "one"),
        gpu_matmuls.integer("i8", "ui8", "all", "all"),
    ]
    fixed = {
        gpu_matmuls.matmul(kind, sizes): sizes
        for kind, all_sizes in (
            ("f32", SIZES[1:3]),
            ("f32", SKINNY[::2]),
            ("f16", [*SKINNY[::3], (96, 136, 200)]),
            ("bf16", [(40, 72, 100)]),
            ("i8", SKINNY[1::2]),
        )
        for sizes in all_sizes
    }
    # The barriers are those of one matmul.
    products = [gpu_matmuls.matmul("f16"), *sharding.take(each for each in (*products, *fixed) if each.name != "matmul_f16")]  # fmt: skip
    text = "".join(product.text() for product in products)
    comparison = Comparison(tools, compiler, cuda_include, obj_root, folder, text)
    failures = comparison.failures
    for product in products:
        for seed, (m, n, k) in enumerate([fixed[product]] if product in fixed else SIZES):
            values = [
                gpu_matmuls.random(kind, shape, 10 * seed + index)
                for index, ((_, _, kind), shape) in enumerate(
                    zip(product.inputs, shapes(product, m, n, k), strict=True)
                )
            ]
            comparison.compare(
                product.name,
                f"{product.name} of {m}x{n}x{k}",
                [(name, kind) for name, _, kind in product.inputs],
                values,
                expected(product, values),
                k,
                8 * (seed % 2),
            )
    # Without any one of its barriers, a kernel is wrong, and the simulator detects it: in loops
    # over aligned tiles, and over others.
    files = [folder / "a.npy", folder / "b.npy"]
    for sums, count, sizes, reached in (
        ("ordered", 3, (70, 50, 66), (1, 2, 3)),
        ("reassociate", 4, (72, 48, 64), (1, 2)),
        ("reassociate", 4, (70, 50, 66), (3, 4)),
    ):
        m, k, n = sizes
        for file, shape in zip(files, ((m, k), (k, n)), strict=True):
            save(file, "f16", gpu_matmuls.random("f16", shape, 1))
        comparison.need_barriers(f"sm_90.{sums}", "matmul_f16", 1, count, files, reached)
    print(f"{comparison.runs} runs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
