# Matmuls of K-contiguous operands for sm_90a, executed in the simulator of a driver: f16, bf16,
# float8 with scales and integers, full and partial tiles of M, N and K, batches, empty matrices.
# wgmma multiplies operands that TMA can load: at least 64 rows and columns, with addresses and row
# strides of multiples of 16 bytes. mma.sync multiplies the others. Integers equal NumPy's, and
# floats are within the bound of R7.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import re
import subprocess
import sys
from pathlib import Path

import cuda
import gpu_matmuls
import sharding
from gpu_matmuls import expected, shapes
from gpu_runs import Comparison

FLOAT8 = ("f8E4M3FN", "f8E5M2")
PRODUCTS = [
    gpu_matmuls.gemm("f16", 0, 1),
    gpu_matmuls.gemm("bf16", 0, 1),
    gpu_matmuls.scores("f16"),
    gpu_matmuls.transposed("f8E4M3FN", "f8E4M3FN", scales=True),
    *(gpu_matmuls.dequantized(kind, 1) for kind in FLOAT8),
    gpu_matmuls.transposed("f8E4M3FN", "f8E5M2", scales=True),
    gpu_matmuls.transposed("f8E5M2", "f8E4M3FN", scales=True),
    *(gpu_matmuls.transposed(a, b) for a in ("i8", "ui8") for b in ("i8", "ui8")),
]
# Rows, columns and bytes of K, and whether TMA can load them.
SIZES = (
    ((64, 64, 128), True),
    ((130, 70, 48), True),
    ((65, 130, 912), True),
    ((63, 64, 64), False),
    ((64, 9, 64), False),
    ((70, 80, 40), False),
    ((64, 64, 0), False),
    ((0, 64, 32), False),
)
# Each row of the table of tiles: rows, columns and bytes of K.
TILES = {
    (128, 256): (1023, 4090, 32),
    (128, 128): (1024, 2000, 16),
    (128, 64): (20000, 64, 16),
    (64, 256): (64, 32768, 16),
    (64, 128): (64, 16380, 16),
    (64, 64): (70, 80, 144),
}


def tile_matmul(sizes):
    """A matmul of static sizes, with a unique name."""
    m, n, k = sizes
    product = gpu_matmuls.transposed("i8", "i8")
    inputs = tuple(
        (name, f"{rows}x{k}x", kind)
        for (name, _, kind), rows in zip(product.inputs, (m, n), strict=True)
    )
    lines = product.node.split("\n")
    lines[0] = lines[0].replace(
        "(tensor<?x?xi8>) -> tensor<?x?xi8>", f"(tensor<{n}x{k}xi8>) -> tensor<{k}x{n}xi8>"
    )
    lines[1] = lines[1].replace(
        "(tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32>",
        f"(tensor<{m}x{k}xi8>, tensor<{k}x{n}xi8>) -> tensor<{m}x{n}xi32>",
    )
    return gpu_matmuls.Matmul(f"integer_{m}_{n}_{k}_t", inputs, "\n".join(lines), f"{m}x{n}xi32")


def main(tools, compiler, cuda_include, obj_root, folder):
    folder = Path(folder)
    products = [PRODUCTS[0], *sharding.take(PRODUCTS[1:])]
    tiles = {
        tile_matmul(sizes): (tile, sizes) for tile, sizes in sharding.take(TILES.items(), "tiles")
    }
    text = "".join(product.text() for product in (*products, *tiles))
    variants = (("sm_90a", "reassociate", "exact"), ("sm_90a", "reassociate", "cut"))
    comparison = Comparison(tools, compiler, cuda_include, obj_root, folder, text, variants)
    failures = comparison.failures
    for product in products:
        for seed, ((m, n, bytes_), is_loaded) in enumerate(SIZES):
            item = 2 if "16" in product.inputs[0][2] else 1
            k = bytes_ // item
            values = [
                gpu_matmuls.random(kind, shape, 10 * seed + index)
                for index, ((_, _, kind), shape) in enumerate(zip(product.inputs, shapes(product, m, n, k), strict=True))
            ]  # fmt: skip
            log = folder / "log.txt"
            log.unlink(missing_ok=True)
            # An address that is no multiple of 16.
            offset = 8 * (seed == 1 and product is products[0])
            comparison.log = log
            # Other tests compare the rounding of mma.sync.
            comparison.variants = variants if is_loaded else variants[:1]
            comparison.compare(
                product.name, f"{product.name} of {m}x{n}x{k}", [(name, kind) for name, _, kind in product.inputs],
                values, expected(product, values), k, offset,
            )  # fmt: skip
            calls = log.read_text().count("cuTensorMapEncodeTiled") if log.exists() else 0
            if calls != (4 if is_loaded and not offset else 0):
                failures.append(f"{product.name} of {m}x{n}x{k}: {calls} tensor maps")
            if seed or product is not products[0]:
                continue
            for call in ("cuTensorMapEncodeTiled", "cuFuncSetAttribute"):
                files = [folder / f"{name}.npy" for name, _, _ in product.inputs]
                done = subprocess.run(
                    [Path(tools) / "quant-float-exec", folder / "sm_90a.reassociate.so", "--entry", product.name, "--inputs", *files],
                    env=cuda.simulator_environment(obj_root, [folder / "sm_90a.reassociate.kernels.so"], chip=90, fail=f"{call}:1:1"),
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                if f"{call} failed: CUDA_ERROR_INVALID_VALUE" not in done.stderr:
                    failures.append(f"{call} fails: {done.stderr}")
    code = (folder / "sm_90a.reassociate.ll").read_text()
    comparison.variants = variants[:1]
    for product, (tile, (m, n, k)) in tiles.items():
        body = re.search(rf"@{product.name}_kernel_0\([^\n]* #(\d+) \{{(.*?)\n\}}", code, re.DOTALL)
        threads = re.search(rf'^attributes #{body[1]} = .*maxntid"="(\d+),', code, re.MULTILINE)[1]
        # One or two warpgroups, and a warp.
        if f"m64n{tile[1]}k32" not in body[2] or int(threads) != 2 * tile[0] + 32:
            failures.append(f"{product.name}: expected tiles of {tile}, but got {threads} threads")
        values = [gpu_matmuls.random("i8", shape, i) for i, shape in enumerate(((m, k), (n, k)))]
        inputs = [(name, kind) for name, _, kind in product.inputs]
        comparison.compare(product.name, product.name, inputs, values, expected(product, values), k)
    print(f"{comparison.runs} runs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
