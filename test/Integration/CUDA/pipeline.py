# The pipeline's kernels, executed in the simulator of a driver: every kind of function, sizes with
# and without a remainder, aligned or not, for chips with native conversions, with those of all
# narrow floats and with none. The bits must be those of CPU code.
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t %if full %{ full %}
import subprocess
import sys
from pathlib import Path

import cuda
import gpu_models

# The smallest offset at which every element type is still aligned, and some of the accesses of 16
# bytes.
OFFSETS = (0, 8, 24)
SIZES = (0, 1, 5, 37)
CHIPS = ("sm_90", "sm_100a", "sm_80")


def shapes(name, size):
    if name == "dense":
        return [f"x={size}x128", f"s_block={size}x4", f"z_block={size}x4"]
    return [f"x={41 * size}"]


def main(tools, compiler, cuda_include, obj_root, folder, full=""):
    tools, folder = Path(tools), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    failures, runs = [], 0

    def run(program, *arguments, environment=None):
        result = subprocess.run(
            [tools / program, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        if result.returncode:
            failures.append(f"{program} {' '.join(map(str, arguments))}: {result.stderr[-500:]}")
        return result.stdout

    def compare(library, code, environment, *options):
        nonlocal runs
        given = ("--all", *options, "--digest")
        expected = run("quant-float-exec", library, *given)
        for offset in OFFSETS:
            runs += 1
            found = run(
                "quant-float-exec", code, *given, "--offset-bytes", offset, environment=environment
            )
            if not expected or found != expected:
                failures.append(f"{code} {' '.join(map(str, options))}: other bits at {offset}")

    models = {
        "dense": gpu_models.dense(),
        "casts": gpu_models.casts(),
        "sweep": gpu_models.sweep_casts(),
    }
    for name, text in models.items():
        model, library = folder / f"{name}.mlir", folder / f"{name}.cpu.so"
        model.write_text(text)
        run("quant-float-compile", model, "-o", library)
        for chip in CHIPS if full else CHIPS[: 1 + (name == "casts")]:
            code, kernels = folder / f"{name}.{chip}.so", folder / f"{name}.{chip}.kernels.so"
            device = folder / f"{name}.{chip}.device.ll"
            on = ("--target", "nvvm", "--chip", chip)
            run("quant-float-compile", model, "-o", code, *on)
            run("quant-float-compile", model, "-o", device, *on, "--emit", "llvm-ir")
            cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
            environment = cuda.simulator_environment(obj_root, [kernels], chip=chip[3:].rstrip("a"))
            if name == "sweep":
                # Values around one, subnormals, infinities and NaN.
                for first in (0x3F7FFF00, 0, 0xFF7FFF00):
                    count = 0x4000 if not full else 0x200000
                    compare(
                        library, code, environment, "--sweep", f"{first},{count}", "--chunk", 0x1501
                    )
                continue
            for size in SIZES:
                # D8: what arithmetic makes of a NaN has no specified sign.
                merge = ["--merge-nans"] * (name == "dense")
                compare(
                    library,
                    code,
                    environment,
                    "--random",
                    size,
                    "--shapes",
                    *shapes(name, size),
                    *merge,
                )
    print(f"{runs} runs, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
