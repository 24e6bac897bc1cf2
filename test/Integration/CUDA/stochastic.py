# Random bits and what is rounded by them on a GPU, executed by the simulator of a driver: the bits of the generator and of code for the CPU.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import subprocess
import sys
from pathlib import Path

import cuda
import numpy as np
from conformance.described import DESCRIBED, MORE
from conformance.philox import random_bits

SEED, OFFSET, SHAPE = 0xDEADBEEFCAFEF00D, 2**32 - 2, (37, 129)
WIDTHS = (4, 8, 16, 32)
CASTS = (("f8E4M3FN", 8), ("!quant_float.f8UE5M3", 8), ("bf16", 16), ("f16", 16), ("f4E2M1FN", 4))


def write_model():
    sizes = "?x?x"
    types = [f"tensor<{sizes}ui{width}>" for width in WIDTHS]
    lines = [
        f"%r{width} = quant_float.philox %s, %o like %x : tensor<i64>, tensor<i64>, tensor<{sizes}f32> to {type}"
        for width, type in zip(WIDTHS, types, strict=True)
    ]
    names = [f"%r{width}" for width in WIDTHS]
    for i, (to, width) in enumerate(CASTS):
        types.append(f"tensor<{sizes}{to}>")
        names.append(f"%y{i}")
        lines.append(
            f"%y{i} = quant_float.cast %x, %r{width} mode quant_float opset 1 round_mode stochastic\n"
            f"    : tensor<{sizes}f32>, tensor<{sizes}ui{width}> to {types[-1]}"
        )
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%s: tensor<i64>, %o: tensor<i64>, %x: tensor<{sizes}f32>) -> ({', '.join(types)}) {{\n"
        f"  {body}\n  return {', '.join(names)} : {', '.join(types)}\n}}\n"
    )


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    model = folder / "m.mlir"
    model.write_text(write_model())
    x = np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32) * 50
    x[0, :4] = [np.inf, -np.inf, np.nan, -0.0]
    for name, value in (("s", SEED), ("o", OFFSET)):
        np.save(folder / f"{name}.npy", np.array(value, np.uint64).view(np.int64))
    np.save(folder / "x.npy", x)
    inputs = [folder / f"{name}.npy" for name in "sox"]
    expected = [random_bits(x.size, width, SEED, OFFSET).reshape(SHAPE) for width in WIDTHS]
    for to, width in CASTS:
        wide = x.ravel().astype(np.longdouble)
        bits = expected[WIDTHS.index(width)].ravel()
        codes = (DESCRIBED | MORE)[to].encode_by_bits(wide, bits, width)
        expected.append(codes.reshape(SHAPE))
    failures = []
    for chip in ("sm_90", "sm_100a"):
        device, kernels = folder / f"{chip}.ll", folder / f"{chip}.so"
        command = [
            tools / "quant-float-compile",
            model,
            "-o",
            device,
            "--target",
            "nvvm",
            "--chip",
            chip,
        ]
        subprocess.run([*command, "--emit", "llvm-ir"], check=True)
        # NVIDIA's assembler takes the code.
        subprocess.run(
            [*command[:3], folder / f"{chip}.cubin", *command[4:], "--emit", "cubin"], check=True
        )
        cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
        environment = cuda.simulator_environment(obj_root, [kernels], chip=chip[3:].rstrip("a"))
        command = [tools / "quant-float-run", model, "--inputs", *inputs, "--outputs", folder]
        subprocess.run(
            [*command, "--target", "nvvm"], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        for i, wanted in enumerate(expected):
            found = np.load(folder / f"output_{i}.npy")
            found = found.view(f"u{found.dtype.itemsize}")
            different = np.flatnonzero(found.ravel() != wanted.ravel())
            if different.size:
                failures.append(f"{chip}: output {i}: {different.size} of {found.size} differ")
    print(f"{2 * len(expected)} outputs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
