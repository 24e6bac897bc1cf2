#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""matmuls.py [--sizes M N K] [--chip CHIP] [--repeat N]: measures matmuls, skinny matmuls and
convolutions on the first NVIDIA GPU, against cuBLASLt (in PyTorch) and a Triton kernel if they are
installed, and writes JSON. Without a GPU, or with --count, it analyzes the kernels instead: their
registers and shared memory as reported by ptxas, the loads from global memory for a product of two
elements, and the instructions of the loops."""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("QUANT_FLOAT_BUILD", ROOT / "build"))
sys.path.insert(0, str(ROOT / "test" / "helpers"))

import gpu_matmuls  # noqa: E402
from gpu_convolutions import Convolution  # noqa: E402
from gpu_skinny_matmuls import Vectors  # noqa: E402
from nvvm import ptx  # noqa: E402

TOOLS = BUILD / "bin"


def convolution(kind, weight, size=56, channels=64, window=3, **more):
    """One of a ResNet's convolutions, for eight images."""
    return Convolution(
        f"conv{window}_{kind}", kind, weight, (8, channels, size, size), (channels, channels, window, window), pads=(window // 2,) * 4, **more
    )  # fmt: skip


# Model, and the accumulation mode.
CASES = (
    (gpu_matmuls.matmul("f32"), "ordered"),
    (gpu_matmuls.matmul("f32"), "reassociate"),
    (gpu_matmuls.matmul("f16"), "ordered"),
    (gpu_matmuls.matmul("f16"), "reassociate"),
    (gpu_matmuls.matmul("bf16"), "reassociate"),
    # K-contiguous operands, which wgmma multiplies.
    (gpu_matmuls.transposed("f16", "f16"), "reassociate"),
    (gpu_matmuls.transposed("bf16", "bf16"), "reassociate"),
    (gpu_matmuls.transposed("i8", "i8"), "ordered"),
    (gpu_matmuls.dequantized("f8E4M3FN", 1), "ordered"),
    (gpu_matmuls.dequantized("f8E4M3FN", 1), "reassociate"),
    (gpu_matmuls.integer("i8", "i8"), "ordered"),
    (gpu_matmuls.integer("ui8", "i8", "one", "all"), "ordered"),
    (convolution("f32", "f32"), "ordered"),
    (convolution("f32", "f32"), "reassociate"),
    (convolution("f16", "f16"), "reassociate"),
    (convolution("ui8", "i8", points=((), None)), "ordered"),
    (convolution("ui8", "i8", 14, 256, 1, points=((), None)), "ordered"),
    (gpu_matmuls.matmul("f32", (1, 4096, 4096)), "ordered"),
    (gpu_matmuls.matmul("f32", (4096, 1, 4096)), "ordered"),
    (Vectors("vector_i8", "i8", 1, 4096, 4096), "ordered"),
    (Vectors("vector_f8E4M3FN", "f8E4M3FN", 1, 4096, 4096), "ordered"),
    (Vectors("vector_i4", "i4", 1, 4096, 4096, 32, packed=True), "ordered"),
    (Vectors("vector_f4E2M1FN", "f4E2M1FN", 1, 4096, 4096, 32, packed=True), "ordered"),
    (Vectors("vector_i8_columns", "i8", 1, 4096, 4096, along=False), "ordered"),
)
# The instructions in an iteration of a loop.
KINDS = {
    "mma": r"mma\.sync",
    "wgmma": r"wgmma\.mma_async",
    "fma": r"fma\.rn",
    "mul+add": r"(mul|add)\.rn|mad\.lo\.s32",
    "ld.shared": r"ld\.shared",
    "st.shared": r"st\.shared",
    "ld.global": r"ld\.global",
    "cp.async": r"cp\.async\.c",
    "ldmatrix": r"ldmatrix",
    "barrier": r"bar(rier)?\.",
}


def compile_to(folder, product, accumulation, chip, suffix):
    model, out = folder / "model.mlir", folder / f"model.{suffix}"
    model.write_text(product.text())
    subprocess.run(
        [TOOLS / "quant-float-compile", model, "-o", out, "--target", "nvvm", "--chip", chip, "--accumulation", accumulation],
        check=True,
    )  # fmt: skip
    return out


def loops(body):
    """The blocks of a kernel that branch to themselves or to an earlier block, with their
    instructions. Inner loops come first."""
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    labels = {line[:-1]: at for at, line in enumerate(lines) if re.fullmatch(r"\$\w+:", line)}
    found = []
    for at, line in enumerate(lines):
        target = re.search(r"bra(?:\.uni)?\s+(\$\w+)", line)
        if target and labels.get(target[1], at + 1) <= at:
            found.append(lines[labels[target[1]] : at + 1])
    return sorted(found, key=len)


def count(folder, chip):
    """The kernel with the most multiplications in its PTX."""
    rows = []
    for product, accumulation in CASES:
        code = compile_to(folder, product, accumulation, chip, "ptx")
        text = code.read_text()
        kernels = re.findall(r"\.entry (\w+)\((.*?)\n\n\}", text, re.DOTALL)
        # With several tile sizes, the largest one.
        name, body = max(
            kernels,
            key=lambda kernel: (
                "wgmma" in kernel[1],
                len(re.findall(r"\bbar(?:rier)?\.", kernel[1])),
                len(kernel[1]),
            ),
        )
        said = subprocess.run(
            [ptx.PTXAS, f"-arch={chip}", "-v", code, "-o", folder / "code.cubin"], capture_output=True, text=True, check=True
        ).stderr  # fmt: skip
        used = re.search(rf"function '{name}'.*?Used (\d+) registers.*?(\d+) bytes smem", said, re.DOTALL)  # fmt: skip
        # The main loop: the smallest one that accumulates products and loads.
        multiplies = (
            KINDS["mma"] + "|" + KINDS["wgmma"] + "|" + KINDS["fma"] + r"|add\.rn|mad\.lo\.s32"
        )
        from_memory = r"ld\.global" if isinstance(product, Vectors) and not product.along else r"ld\.shared|ldmatrix|wgmma\.mma_async"  # fmt: skip
        found = [loop for loop in loops(body) if re.search(from_memory, " ".join(loop)) and any(re.search(multiplies, line) for line in loop)]  # fmt: skip
        # Of the loops with matrix instructions and copies, the one for aligned tiles is shorter.
        found.sort(key=lambda loop: not any(re.search(r"cp\.async\.cg", line) for line in loop))
        inner = found[0] if found else []
        counts = {kind: sum(bool(re.match(rf"(@\S+ )?{pattern}", line)) for line in inner) for kind, pattern in KINDS.items()}  # fmt: skip
        rows.append(
            {
                "product": product.name,
                "accumulation": accumulation,
                "registers": int(used[1]),
                "shared_bytes": int(used[2]),
                "instructions": sum(line.endswith(";") for line in inner),
                **{kind: number for kind, number in counts.items() if number},
            }
        )
    return rows


def seconds_of(tensors, run, repeat):
    import torch

    best = float("inf")
    for turn in range(repeat + 3):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run(*tensors)
        stop.record()
        stop.synchronize()
        if turn >= 3:
            best = min(best, start.elapsed_time(stop) * 1e-3)
    return best


def triton_matmul():
    """A plain Triton kernel as in its tutorial: tiles of 128 x 128 x 64."""
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        rows = tl.program_id(0) * BM + tl.arange(0, BM)
        columns = tl.program_id(1) * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for first in range(0, k, BK):
            along = first + tl.arange(0, BK)
            left = tl.load(a + rows[:, None] * k + along[None, :], mask=(rows[:, None] < m) & (along[None, :] < k), other=0.0)  # fmt: skip
            right = tl.load(b + along[:, None] * n + columns[None, :], mask=(along[:, None] < k) & (columns[None, :] < n), other=0.0)  # fmt: skip
            total = tl.dot(left, right, total)
        inside = (rows[:, None] < m) & (columns[None, :] < n)
        tl.store(c + rows[:, None] * n + columns[None, :], total, mask=inside)

    def run(a, b):
        (m, k), n = a.shape, b.shape[1]
        c = torch.empty((m, n), dtype=torch.float32, device=a.device)
        kernel[(triton.cdiv(m, 128), triton.cdiv(n, 128))](a, b, c, m, n, k, BM=128, BN=128, BK=64, num_warps=8)  # fmt: skip
        return c

    return run


def peers(product, sizes, repeat):
    """The same matmul in other libraries: name and seconds, or the reason why there is none."""
    import torch

    torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark = False, True
    m, n, k = sizes or (0, 0, 0)
    make = lambda *shape: torch.randn(*shape, device="cuda")  # noqa: E731
    draw = lambda *shape: torch.randint(-128, 127, shape, dtype=torch.int8, device="cuda")  # noqa: E731
    dtypes = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
    kind, weight = product.factors()
    forms = {}
    if isinstance(product, Convolution):
        if kind in dtypes:
            given = tuple(make(*shape).to(dtypes[kind]) for shape in (product.x_shape, product.w_shape))  # fmt: skip
            padding = product.pads[:2]
            forms["cudnn"] = lambda x, w: torch.nn.functional.conv2d(x, w, padding=padding), given
    elif isinstance(product, Vectors):
        m, n, k = product.rows, product.channels, product.depth
        # 16-bit weights, and PyTorch's kernels for low-bit ones.
        forms["cublas_f16"] = torch.matmul, (make(m, k).half(), make(k, n).half())
        if weight == "i4":
            packed = torch._convert_weight_to_int4pack(torch.randint(0, 255, (n, k // 2), dtype=torch.uint8, device="cuda"), 8)  # fmt: skip
            scales = make(k // product.block, n, 2).bfloat16()
            forms["torch_int4"] = torch._weight_int4pack_mm, (make(m, k).bfloat16(), packed, product.block, scales)  # fmt: skip
        elif weight == "i8":
            forms["torch_int8"] = torch._weight_int8pack_mm, (make(m, k).bfloat16(), draw(n, k), make(n).bfloat16())  # fmt: skip
    elif kind == "i8":
        right = draw(n, k).t() if product.name.endswith("_t") else draw(k, n)
        forms["cublaslt"] = torch._int_mm, (draw(m, k), right)
    elif kind == "f8E4M3FN":
        a, b = make(m, k).to(torch.float8_e4m3fn), make(n, k).to(torch.float8_e4m3fn).t()
        one = torch.ones((), device="cuda")
        forms["cublaslt"] = lambda a, b: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16), (a, b)  # fmt: skip
    elif kind in dtypes:
        right = make(n, k).t() if product.name.endswith("_t") else make(k, n)
        given = make(m, k).to(dtypes[kind]), right.to(dtypes[kind])
        forms["cublaslt"] = torch.matmul, given
        if kind != "f32" and min(m, n) > 1 and not product.name.endswith("_t"):
            forms["triton"] = None, given
    for by, (run, given) in forms.items():
        try:
            yield by, seconds_of(given, run or triton_matmul(), repeat)
        except Exception as error:  # noqa: BLE001
            yield by, f"{type(error).__name__}: {str(error)[:200]}"


def peers_or_why_not(product, sizes, repeat):
    """The same if PyTorch is missing, or does not support one of them."""
    try:
        yield from peers(product, sizes, repeat)
    except Exception as error:  # noqa: BLE001
        yield "peers", f"{type(error).__name__}: {str(error)[:200]}"


def sizes_of(product, sizes):
    """M, N and K of a matmul, with the given sizes for dynamic ones."""
    (rows, depth), (other, columns) = (shape.split("x")[:2] for _, shape, _ in product.inputs[:2])
    columns = other if product.name.endswith("_t") else columns
    return tuple(open_ if own == "?" else int(own) for own, open_ in zip((rows, columns, depth), sizes, strict=True))  # fmt: skip


def measure(folder, chip, sizes, repeat):
    rows, seen = [], set()
    for product, accumulation in CASES:
        library = compile_to(folder, product, accumulation, chip, "so")
        given, own = [], None
        if isinstance(product, Convolution):
            products = math.prod(product.result_shape()) * product.k_extent()
        elif isinstance(product, Vectors):
            products = product.rows * product.channels * product.depth
        else:
            own = sizes_of(product, sizes)
            shapes = zip(product.inputs, gpu_matmuls.shapes(product, *own), strict=True)
            given = [f"{name}={'x'.join(map(str, shape))}" for (name, form, _), shape in shapes if "?" in form]  # fmt: skip
            products = math.prod(own)
        said = subprocess.run(
            [TOOLS / "quant-float-exec", library, "--random", "1", *(["--shapes", *given] if given else []), "--time", "--repeat", str(repeat)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        row = {"product": product.name, "accumulation": accumulation, "by": "quant-float"}
        if said.returncode:
            rows.append(row | {"error": said.stderr.strip()})
            continue
        seconds = float(re.search(r"^best_seconds: (\S+)$", said.stdout, re.MULTILINE)[1])
        rows.append(row | {"seconds": seconds, "products_per_second": products / seconds})
        # The others have no accumulation modes.
        if product.name in seen:
            continue
        seen.add(product.name)
        for by, found in peers_or_why_not(product, own, repeat):
            row = {"product": product.name, "by": by}
            row |= {"error": found} if isinstance(found, str) else {"seconds": found, "products_per_second": products / found}  # fmt: skip
            rows.append(row)
    return rows


def why_no_gpu():
    done = subprocess.run([TOOLS / "quant-float-exec", "--show-device"], capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        return done.stderr.strip(), None, None
    chip, name, _ = done.stdout.splitlines()
    return "", chip, name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=3, default=(4096, 4096, 4096), metavar=("M", "N", "K"))  # fmt: skip
    parser.add_argument("--chip", help="to compile for (default: the device's, sm_90a on sm_90)")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--count", action="store_true", help="analyze the kernels, measure nothing")
    arguments = parser.parse_args()
    message, chip, device = why_no_gpu()
    # With all instructions of the chip.
    chip = arguments.chip or {"sm_90": "sm_90a"}.get(chip, chip) or "sm_90a"
    report = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "chip": chip, "device": device}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        if arguments.count or message:
            if message:
                print(f"nothing is measured: {message}", file=sys.stderr)
            report["kernels"] = count(Path(folder), chip)
        else:
            driver = Path("/sys/module/nvidia/version")
            report["driver"] = driver.read_text().strip() if driver.exists() else ""
            report["sizes"] = arguments.sizes
            report["timings"] = measure(Path(folder), chip, arguments.sizes, arguments.repeat)
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
