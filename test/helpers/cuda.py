"""Drivers for tests: the simulator, the environment that selects it instead of NVIDIA's driver, and
NVIDIA's driver if there is a GPU."""

import ctypes
import functools
import os
import re
import subprocess
from pathlib import Path

import nvidia_host

ESCAPES = {b'"': b'"', b"\\": b"\\", b"t": b"\t", b"n": b"\n"}


def simulator_environment(build_folder, kernels=(), **more):
    """The environment of a process that loads the simulator. `chip=90, fail=..., log=...` are its
    settings."""
    environment = dict(os.environ)
    environment["LD_LIBRARY_PATH"] = str(Path(build_folder) / "lib" / "cuda-simulator")
    environment["QUANT_FLOAT_SIMULATOR_KERNELS"] = ":".join(map(str, kernels))
    environment |= {f"QUANT_FLOAT_SIMULATOR_{name.upper()}": str(v) for name, v in more.items()}
    return environment


# CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
CAPABILITY = (75, 76)


@functools.cache
def device_number():
    """90 for a GPU of sm_90, 0 without a GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    parts = []
    for attribute in CAPABILITY:
        part = ctypes.c_int()
        if driver.cuInit(0) or driver.cuDeviceGetAttribute(ctypes.byref(part), attribute, 0):
            return 0
        parts.append(part.value)
    return 10 * parts[0] + parts[1]


def has_device(chip="sm_75"):
    """Whether there is a driver and a GPU that runs code for a chip. If the name of the chip ends
    in `a`, the GPU must be of exactly that chip."""
    number = int(re.match(r"sm_(\d+)", chip)[1])
    return device_number() == number if chip.endswith("a") else device_number() >= number


def device_code_of_binary(text, llvm_bin):
    """The device code as LLVM IR, from a module whose gpu.binary contains it as bitcode
    (gpu-module-to-binary=format=llvm)."""
    bitcode = re.sub(
        rb'\\([0-9A-F]{2}|["\\tn])',
        lambda m: ESCAPES.get(m[1]) or bytes([int(m[1], 16)]),
        re.search(r'offload = "((?:[^"\\]|\\.)*)"', text, re.DOTALL)[1].encode(),
    )
    return subprocess.run(
        [Path(llvm_bin) / "llvm-dis", "-", "-o", "-"], input=bitcode, capture_output=True, check=True
    ).stdout.decode()  # fmt: skip


def build_kernels(text, library, compiler, cuda_include):
    """Builds a library of kernels for the simulator from device code as LLVM IR. Returns the
    kernels' names."""
    return nvidia_host.build_kernels(text, library, compiler, cuda_include)
