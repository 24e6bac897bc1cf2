# Products of matrices as kernels, executed by the simulator of a driver: whole tiles and tails of every size, open and known ones,
# batches, transposed factors, no summands. The bits must be those of code for the CPU; integers, which are instructions of a warp,
# are NumPy's, floats within the bound of every order of additions, and of the instructions' with --sums fast (R7).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import re
import subprocess
import sys
from pathlib import Path

import cuda
import gpu_products
import numpy as np
from gpu_products import SIZES, expected, shapes

# Chip, sums, and how the simulator's instructions round.
VARIANTS = (("sm_90", "stated", "exact"), ("sm_75", "stated", "exact"), ("sm_90", "fast", "exact"), ("sm_90", "fast", "cut"), ("sm_75", "fast", "cut"))  # fmt: skip


def bound(product, k, magnitude, fast):
    """How far a result may be from the exact one."""
    kind = product.inputs[0][2]
    unit = 2.0**-53 if kind == "f64" else 2.0**-24
    if not fast or kind in ("f32", "f64"):
        return (k + 4) * unit * magnitude
    # At least 8 summands at once.
    return (k + k // 4 + 8) * 2.0 ** (-12 if kind.startswith("f8") else -23) * magnitude


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    failures, runs = [], 0
    products = [
        *(gpu_products.matmul(kind) for kind in ("f32", "f64", "f16", "bf16")),
        *(gpu_products.gemm("f32", a, b) for a in (0, 1) for b in (0, 1)),
        gpu_products.batched("f32"),
        gpu_products.shared_right("f32"),
        gpu_products.scores("f32"),
        gpu_products.scores("f16"),
        gpu_products.blocked("i4"),
        gpu_products.blocked("f8E4M3FN"),
        *(gpu_products.dequantized(kind, t) for kind in ("f8E4M3FN", "f8E5M2") for t in (0, 1)),
        *(gpu_products.integer(a, b) for a in ("i8", "ui8") for b in ("i8", "ui8")),
        gpu_products.integer("ui8", "i8", "one", "one"),
        gpu_products.integer("i8", "ui8", "all", "all"),
    ]
    fixed = [gpu_products.matmul("f32", sizes) for sizes in SIZES if 0 not in sizes]
    model = folder / "model.mlir"
    model.write_text("".join(product.text() for product in products + fixed))

    def run(program, *arguments, environment=None):
        result = subprocess.run(
            [tools / program, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        if result.returncode:
            failures.append(f"{program} {' '.join(map(str, arguments))}: {result.stderr[-500:]}")
        return result

    run("quant-float-compile", model, "-o", folder / "cpu.so")
    for chip, sums, _ in VARIANTS:
        name = f"{chip}.{sums}"
        on = ("--target", "nvvm", "--chip", chip, "--sums", sums)
        run("quant-float-compile", model, "-o", folder / f"{name}.so", *on)
        run("quant-float-compile", model, "-o", folder / f"{name}.ll", *on, "--emit", "llvm-ir")
        text = (folder / f"{name}.ll").read_text()
        cuda.build_kernels(text, folder / f"{name}.kernels.so", compiler, cuda_include)

    def compute(library, product, files, environment=None, offset=0):
        output = folder / "out/output_0.npy"
        output.unlink(missing_ok=True)
        given = ("--entry", product.name, "--inputs", *files, "--outputs", output.parent)
        given += ("--offset-bytes", offset)
        run("quant-float-exec", library, *given, environment=environment)
        return np.load(output) if output.exists() else None

    for product in products + fixed:
        for seed, (m, n, k) in enumerate(SIZES):
            if product in fixed and product.name != f"matmul_f32_{m}_{n}_{k}":
                continue
            values = [
                gpu_products.random(kind, shape, 10 * seed + index)
                for index, ((_, _, kind), shape) in enumerate(
                    zip(product.inputs, shapes(product, m, n, k), strict=True)
                )
            ]
            files = []
            for (name, _, kind), value in zip(product.inputs, values, strict=True):
                files.append(folder / f"{name}.npy")
                narrow = kind.startswith("f8")
                np.save(files[-1], value.view("u1") if narrow else value.view("u2") if kind == "bf16" else value.astype("i1") if kind == "i4" else value)  # fmt: skip
            result, magnitude = expected(product, values)
            cpu = compute(folder / "cpu.so", product, files)
            if cpu is None:
                continue
            for chip, sums, rounding in VARIANTS:
                runs += 1
                environment = cuda.simulator_environment(
                    obj_root, [folder / f"{chip}.{sums}.kernels.so"], chip=chip[3:], sums=rounding
                )
                gpu = compute(
                    folder / f"{chip}.{sums}.so", product, files, environment, 8 * (seed % 2)
                )
                where = f"{product.name} of {m}x{n}x{k} on {chip}, {sums}, {rounding}"
                if gpu is None:
                    continue
                if gpu.shape != result.shape or gpu.dtype != cpu.dtype:
                    failures.append(f"{where}: another shape or type")
                    continue
                if sums == "stated" and gpu.tobytes() != cpu.tobytes():
                    failures.append(f"{where}: other bits than on a CPU")
                if magnitude is None:
                    if (gpu != result).any():
                        failures.append(f"{where}: other integers than NumPy's")
                    continue
                kind = product.inputs[0][2]
                if kind == "bf16":
                    gpu = gpu.view(gpu_products.TYPES["bf16"])
                last = {"f16": 2**-11, "bf16": 2**-8}.get(kind, 0)
                most = bound(product, k, magnitude, sums == "fast") + last * np.abs(result)
                if not (np.abs(gpu.astype(np.float64) - result) <= most).all():
                    failures.append(f"{where}: not within the bound")
    # Without any one of its barriers a kernel is not right, which the simulator sees.
    values = [gpu_products.random("f16", shape, 1) for shape in ((70, 50), (50, 66))]
    files = [folder / "a.npy", folder / "b.npy"]
    for file, value in zip(files, values, strict=True):
        np.save(file, value)
    for sums, count in (("stated", 3), ("fast", 2)):
        text = (folder / f"sm_90.{sums}.ll").read_text()
        start = text.index("ptx_kernel void @matmul_f16_kernel_1(")
        text = (
            text[:start]
            + text[start : text.index("\n}\n", start)].replace(
                "call void @llvm.nvvm.barrier", "call void @BARRIER"
            )
            + text[text.index("\n}\n", start) :]
        )
        parts = re.split(r"^.*call void @BARRIER.*$", text, flags=re.MULTILINE)
        if len(parts) != count + 1:
            failures.append(f"{sums}: expected {count} barriers, but got {len(parts) - 1}")
        call = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"
        for left_out in range(1, len(parts)):
            kept = parts[0] + "".join(
                ("" if i == left_out else call) + part for i, part in enumerate(parts[1:], 1)
            )
            library = folder / "without.kernels.so"
            cuda.build_kernels(kept, library, compiler, cuda_include)
            done = subprocess.run(
                [tools / "quant-float-exec", folder / f"sm_90.{sums}.so", "--entry", "matmul_f16", "--inputs", *files],
                env=cuda.simulator_environment(obj_root, [library]), capture_output=True, text=True, check=False,
            )  # fmt: skip
            if not re.search("a race|nobody wrote", done.stderr):
                failures.append(
                    f"{sums}: nothing is said without barrier {left_out}: {done.stderr}"
                )
    print(f"{runs} runs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
