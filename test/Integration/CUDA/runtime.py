# gpu.launch_func with MLIR's own lowering, linked with this project's runtime, in the simulator of
# a driver: values, several devices, threads, every kind of error, and no driver at all.
# RUN: %python %s %llvm_bin %clangxx %clang %cuda_include %src_root %obj_root %t %if cuda %{ device %}
import os
import re
import subprocess
import sys
from pathlib import Path

import cuda

PASSES = (
    "nvvm-attach-target{chip=sm_90 features=+ptx80 O=3},gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm,convert-vector-to-llvm,"
    "convert-arith-to-llvm,convert-index-to-llvm,reconcile-unrealized-casts),func.func(gpu-async-region),"
    "gpu-to-llvm,convert-arith-to-llvm,gpu-module-to-binary{format=%s},reconcile-unrealized-casts"
)
# Each case: the settings of the simulator, and a pattern of the program's output.
CASES = {
    "values": ({}, r"scale: 4096 equal\nconstant: 1024 encodings of 126\n"),
    "threads": ({}, r"threads: 4 without errors\nmodules loaded: 1\n"),
    "devices": ({}, r"device 0: 4096 equal\ndevice 1: 4096 equal\ndevice 7: cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE \(invalid device ordinal\)\ndevice 64: expected a device from 0 to 63, but got 64\n"),
    "context": ({}, r"in the caller's context: 4096 equal\n"),
    "empty": ({}, r"no blocks: None\n"),
    "grid": ({}, r"grid: expected a launch of at most 2147483647x65535x65535 blocks of at most 1024 threads, but got 2147483648x1x1 blocks of 256x1x1\n"),
    "cluster": ({}, r"cluster: 4096 equal\n"),
    "misaligned": ({}, r"misaligned: cuStreamSynchronize failed: CUDA_ERROR_MISALIGNED_ADDRESS \(misaligned address\)\n"),
    "bounds": ({}, r"bounds: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS \(an illegal memory access was encountered\)\n"),
    "name": ({}, r"name: cuModuleGetFunction of 'nothing' failed: CUDA_ERROR_NOT_FOUND \(named symbol not found\)\nnone: the kernels are not loaded: the constructors of their library have not run\n"),
    "memref": ({}, r"contiguous: None\nstrided: expected a contiguous memref to register\n"),
    # The first error is kept, and later calls do nothing.
    "first": (
        {"fail": "cuStreamCreate:1:999"},
        r"first: cuStreamCreate failed: 999\nagain: None\n4096 bytes untouched\nthen: 4096 equal\n",
    ),
    "allocation": (
        {"fail": "cuMemAlloc_v2:1:2"},
        r"allocation: cuMemAlloc of 4096 bytes failed: CUDA_ERROR_OUT_OF_MEMORY \(out of memory\)\n",
    ),
    # Code for another chip than the device, and PTX of a newer one.
    "binary": (
        {"fail": "cuModuleLoadDataEx:1:209"},
        r"scale: cuModuleLoadDataEx failed: CUDA_ERROR_NO_BINARY_FOR_GPU \(no kernel image is available for execution on the device\); the device is sm_90\n",
    ),
    "ptx": (
        {"chip": 80},
        r"scale: cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX \(a PTX JIT compilation failed\): ptxas fatal: sm_90 is not supported\n",
    ),
    "init": (
        {"fail": "cuInit:1:100"},
        r"scale: cuInit failed: CUDA_ERROR_NO_DEVICE \(no CUDA-capable device is detected\)\n",
    ),
    # A thread that never queries the error.
    "without_query": (
        {"fail": "cuStreamCreate:1:999"},
        r"without_query\nquant-float: error: cuStreamCreate failed: 999\n",
    ),
}  # fmt: skip
# The cases that are the same with a device of sm_90 or newer.
ON_DEVICE = ("values", "empty", "grid", "name")
NO_DRIVER = r"scale: no NVIDIA driver: cannot load .*libcuda\.so\.1: .+\n"


def lower(llvm_bin, source, form):
    return subprocess.run(
        [llvm_bin / "mlir-opt", f"--pass-pipeline=builtin.module({PASSES % form})", source],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def main(llvm_bin, clangxx, clang, cuda_include, src_root, obj_root, folder, device=""):
    llvm_bin, folder = Path(llvm_bin), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    inputs = Path(__file__).resolve().parent / "Inputs"
    code = cuda.device_code_of_binary(lower(llvm_bin, inputs / "scale.mlir", "llvm"), llvm_bin)
    kernels = folder / "kernels.so"
    cuda.build_kernels(code, kernels, clangxx, cuda_include)

    host = subprocess.run(
        [llvm_bin / "mlir-translate", "--mlir-to-llvmir"],
        input=lower(llvm_bin, inputs / "scale.mlir", "isa"), capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (folder / "host.ll").write_text(host)
    library = folder / "libscale.so"
    subprocess.run(
        [clang, "-shared", "-fPIC", "-O1", "-Wno-override-module", folder / "host.ll", "-o", library,
         f"-L{obj_root}/lib", "-lQuantFloatCudaRuntime", f"-Wl,-rpath,{obj_root}/lib"],
        check=True,
    )  # fmt: skip

    failures = []

    def expect(name, environment, pattern):
        result = subprocess.run(
            [sys.executable, inputs / "runtime_cases.py", name, library, f"{obj_root}/lib/libQuantFloatCudaRuntime.so"],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = result.stdout + re.sub(r"^simulator: .*\n", "", result.stderr, flags=re.MULTILINE)
        if result.returncode or not re.fullmatch(pattern, said):
            failures.append(f"{name}: exit code {result.returncode}, {said!r} for {pattern!r}")

    for name, (settings, pattern) in CASES.items():
        log = folder / f"{name}.log"
        log.unlink(missing_ok=True)
        environment = cuda.simulator_environment(obj_root, [kernels], log=log, **settings)
        expect(name, environment, pattern)
    for name in ON_DEVICE if device else ():
        expect(name, None, CASES[name][1])
    # Loading the library, whose constructor loads the module, requires no driver.
    nothing = folder / "no-driver"
    nothing.mkdir(exist_ok=True)
    (nothing / "libcuda.so.1").write_text("no library\n")
    expect("no_driver", dict(os.environ, LD_LIBRARY_PATH=str(nothing)), NO_DRIVER)
    # A driver that lacks a function.
    old = folder / "old-driver"
    old.mkdir(exist_ok=True)
    subprocess.run(
        [clang, "-shared", "-fPIC", "-x", "c", "-", "-o", old / "libcuda.so.1"],
        input="int cuInit(unsigned flags) { return 0; }", text=True, check=True,
    )  # fmt: skip
    expect(
        "no_driver",
        dict(os.environ, LD_LIBRARY_PATH=str(old)),
        r"scale: the NVIDIA driver is too old: libcuda\.so\.1 has no cuDriverGetVersion\n",
    )

    # The declarations match NVIDIA's header.
    table = (
        f'#include <cuda.h>\n#include "{src_root}/lib/Runtime/Cuda/CudaDriver.h"\n'
        + (inputs / "driver-table.cpp").read_text()
    )
    subprocess.run(
        [clangxx, "-std=c++17", "-fsyntax-only", "-isystem", cuda_include, f"-I{src_root}/lib/Runtime/Cuda", "-x", "c++", "-"],
        input=table, text=True, check=True,
    )  # fmt: skip
    print(f"{len(CASES) + 2} cases, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
