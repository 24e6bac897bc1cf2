# quant-float-run --target nvvm in the simulator of a driver: the outputs are those of --target cpu,
# the chip is the device's, and errors of drivers and devices are reported.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %t
import os
import subprocess
import sys
from pathlib import Path

import cuda
import gpu_models
import numpy as np

FUNCTIONS = {
    "cast_f32_f8E4M3FN": ["x=1003"],
    "quantize_block_f32_i8_zero": ["x=37x128", "s_block=37x4", "z_block=37x4"],
    "fakeconvert_exact_f8E5M2": ["x=5x128"],
}

CLUSTERS = """
func.func @clusters(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  gpu.launch clusters(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1)
             blocks(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1)
             threads(%m, %n, %o) in (%p = %c1, %q = %c1, %r = %c1) {
    gpu.barrier
    gpu.terminator
  }
  return %x : tensor<4xf32>
}
"""


def main(tools, compiler, cuda_include, obj_root, folder):
    tools, folder = Path(tools), Path(folder)
    model = folder / "model.mlir"
    model.write_text(
        gpu_models.cast("f32", "f8E4M3FN")
        + gpu_models.quantization("quantize", "block", "i8", zero_point=True)
        + gpu_models.fakeconvert("f8E5M2", "exact")
    )
    failures = []

    def run(code, *arguments, program="quant-float-run", environment=None, stderr="", stdout=""):
        result = subprocess.run(
            [tools / program, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False, cwd=folder
        )  # fmt: skip
        if result.returncode != code or stderr not in result.stderr or stdout not in result.stdout:
            failures.append(
                f"{' '.join(map(str, arguments))}: exit code {result.returncode}, {result.stdout}{result.stderr[-500:]}"
            )

    kernels = {}
    for chip in ("sm_90", "sm_100a"):
        device, kernels[chip] = folder / f"{chip}.ll", folder / f"{chip}.so"
        run(0, model, "-o", device, "--target", "nvvm", "--chip", chip, "--emit", "llvm-ir", program="quant-float-compile")  # fmt: skip
        cuda.build_kernels(device.read_text(), kernels[chip], compiler, cuda_include)

    def simulated(chip, code="sm_90", **more):
        return cuda.simulator_environment(obj_root, [kernels[code]], chip=chip, **more)

    for name, shapes in FUNCTIONS.items():
        given = (model, "--entry", name, "--random", 3, "--shapes", *shapes)
        run(0, *given, "--outputs", "cpu")
        expected = (folder / "cpu/output_0.npy").read_bytes()
        # An unknown chip runs code for the newest known chip before it.
        for chip, code in ((90, "sm_90"), (100, "sm_100a"), (99, "sm_90")):
            (folder / "gpu/output_0.npy").unlink(missing_ok=True)
            run(
                0, *given, "--target", "nvvm", "--outputs", "gpu", environment=simulated(chip, code)
            )
            output = folder / "gpu/output_0.npy"
            if not output.exists() or output.read_bytes() != expected:
                failures.append(f"{name} on sm_{chip}: the outputs differ")
    given = (model, "--entry", "cast_f32_f8E4M3FN", "--random", 3, "--shapes", "x=4096", "--target", "nvvm")  # fmt: skip
    run(0, *given, "--chip", "sm_90", environment=simulated(90))
    run(0, *given, "--time", "--repeat", 3, environment=simulated(90), stdout="elements: 4096\n")
    run(0, *given[:-4], "--shapes", "x=0", "--target", "nvvm", environment=simulated(90), stdout="output_0: float8e4m3fn[0]")  # fmt: skip

    # A large constant is not embedded but copied to the device.
    values = np.random.default_rng(5).standard_normal(40000).astype("<f4")
    text = (
        "func.func @constant(%s: tensor<f32>) -> tensor<40000xf8E4M3FN> {\n"
        "  %x = arith.constant dense_resource<values> : tensor<40000xf32>\n"
        "  %0 = quant_float.quantize %x, %s opset 21 : tensor<40000xf32>, tensor<f32> to tensor<40000xf8E4M3FN>\n"
        "  return %0 : tensor<40000xf8E4M3FN>\n}\n"
        f'{{-# dialect_resources: {{ builtin: {{ values: "0x04000000{values.tobytes().hex()}" }} }} #-}}\n'
    )
    (folder / "constant.mlir").write_text(text)
    device, library = folder / "constant.ll", folder / "constant.so"
    # The constant becomes an argument, as in the tool.
    hoisted = gpu_models.function(
        "constant", [("s", "", "f32"), ("x", "40000x", "f32")], "quantize %x, %s opset 21", "", "40000x", "f8E4M3FN"
    ).replace("tensor<f32>, tensor<40000xf32> to", "tensor<40000xf32>, tensor<f32> to")  # fmt: skip
    (folder / "hoisted.mlir").write_text(hoisted)
    run(0, "hoisted.mlir", "-o", device, "--target", "nvvm", "--chip", "sm_90", "--emit", "llvm-ir", program="quant-float-compile")  # fmt: skip
    cuda.build_kernels(device.read_text(), library, compiler, cuda_include)
    run(0, "constant.mlir", "--random", 1, "--outputs", "cpu")
    environment = cuda.simulator_environment(obj_root, [library])
    run(0, "constant.mlir", "--random", 1, "--target", "nvvm", "--outputs", "gpu", environment=environment)  # fmt: skip
    if (folder / "cpu/output_0.npy").read_bytes() != (folder / "gpu/output_0.npy").read_bytes():
        failures.append("constant: the outputs differ")

    # The JIT compiler defines the function that launches clusters: the run ends at the kernel, for
    # which the simulator has no code.
    (folder / "clusters.mlir").write_text(CLUSTERS)
    run(1, "clusters.mlir", "--random", 1, "--target", "nvvm", environment=simulated(90), stderr="cuModuleGetFunction of 'clusters.kernel_kernel' failed: ")  # fmt: skip

    # Errors are reported, and no output is written.
    (folder / "no-driver").mkdir()
    (folder / "no-driver/libcuda.so.1").write_text("no library\n")
    nothing = dict(os.environ, LD_LIBRARY_PATH=str(folder / "no-driver"))
    bad = (*given, "--outputs", "none")
    for environment, message in (
        (nothing, "error: no NVIDIA driver: cannot load "),
        (simulated(61), "error: expected a device of sm_75 or newer, but got sm_61"),
        (simulated(90, fail="cuInit:1:100"), "error: cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"),
        (simulated(90, fail="cuDeviceGet:1:101"), "error: cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE (invalid device ordinal)"),
        (simulated(90, fail="cuMemAlloc_v2:2:2"), "error: cuMemAlloc of 4096 bytes failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"),
        (simulated(90, fail="cuModuleLoadDataEx:1:209"), "CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel image is available for execution on the device); the device is sm_90"),
        (simulated(90, fail="cuLaunchKernel:1:1"), "cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"),
        (simulated(90, fail="cuStreamSynchronize:2:700"), "cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"),
    ):  # fmt: skip
        run(1, *bad, environment=environment, stderr=message)
    run(1, *bad, "--chip", "sm_12", stderr="--chip: ")
    if (folder / "none").exists():
        failures.append("outputs of a run that failed")
    print(f"{len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
