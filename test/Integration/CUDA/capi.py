# The C API with kernels for a GPU, in the simulator of a driver: compiled in the process, saved and
# loaded, on host arrays and on device memory.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clangxx %cuda_include %obj_root %src_root %t
import subprocess
import sys
from pathlib import Path

import cuda
import gpu_models

tools, compiler, cuda_include, obj_root, src_root, folder = sys.argv[1:]
folder = Path(folder)
model, device, kernels, program = (
    folder / name for name in ("model.mlir", "device.ll", "kernels.so", "program")
)
model.write_text(gpu_models.cast("f32", "f8E4M3FN"))
arguments = [model, "-o", device, "--target", "nvvm", "--chip", "sm_90", "--emit", "llvm-ir"]
subprocess.run([f"{tools}/quant-float-compile", *arguments], check=True)
cuda.build_kernels(device.read_text(), kernels, compiler, cuda_include)
source = f"{src_root}/test/Integration/CUDA/Inputs/capi.c"
subprocess.run(
    [compiler, "-x", "c", "-std=c11", source, f"-I{src_root}/include", f"-I{obj_root}/include", f"-L{obj_root}/lib",
     f"-Wl,-rpath,{obj_root}/lib", "-lQuantFloatC", "-o", program],
    check=True,
)  # fmt: skip
environment = cuda.simulator_environment(obj_root, [kernels], chip=90)
answer = subprocess.run(
    [program, model, folder / "saved.so"],
    env=environment,
    capture_output=True,
    text=True,
    check=False,
)
expected = "chip: sm_90\ncompiled: right\nto a file: right\nloaded: right\nalive: 0\n"
if answer.returncode or answer.stdout != expected:
    sys.exit(f"exit code {answer.returncode}: {answer.stdout}{answer.stderr}")
