# Skinny matmuls with low-bit weights as kernels, executed in the simulator of a driver:
# K-contiguous and N-contiguous weights, bytes and packed elements, blocks, zero points, and
# remainders of all of them. The bits must be those of CPU code, or within the bound of R7 with
# --accumulation reassociate.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import sys

from gpu_runs import Comparison, save
from gpu_skinny_matmuls import VECTORS

VARIANTS = (
    ("sm_90", "ordered", "exact"),
    ("sm_75", "ordered", "exact"),
    ("sm_90", "reassociate", "exact"),
)


def main(tools, compiler, cuda_include, obj_root, folder):
    text = "".join(product.text() for product in VECTORS)
    comparison = Comparison(tools, compiler, cuda_include, obj_root, folder, text, VARIANTS)
    on = ("--target", "nvvm", "--chip", "sm_90", "--explain")
    said = comparison.run("quant-float-compile", comparison.folder / "model.mlir", *on).stdout
    if said.count("in the accumulation order of CPU code") != len(VECTORS):
        comparison.failures.append(f"--explain says\n{said}")
    for seed, product in enumerate(VECTORS):
        values = product.values(0 if product.constant else seed)
        comparison.compare(
            product.name,
            product.name,
            [(name, kind) for name, kind, _ in product.inputs()],
            [values[name] for name, _, _ in product.inputs()],
            product.expected(values),
            max(product.depth, 40),
            8 * (seed % 2),
            "f32",
        )
    # Several parts of x, several iterations over blocks.
    for name, count in (("bytes_long", 3), ("columns", 2)):
        product = next(each for each in VECTORS if each.name == name)
        files = [comparison.folder / f"{name}.npy" for name, _, _ in product.inputs()]
        for file, (kept, kind, _) in zip(files, product.inputs(), strict=True):
            save(file, kind, product.values()[kept])
        comparison.need_barriers("sm_90.ordered", name, 1, count, files)
    print(f"{comparison.runs} runs, {len(comparison.failures)} failures")
    return "\n".join(comparison.failures) if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
