# The lit suite of everything under test/ that is not a GoogleTest program.
#
# Parameters:
#   --param full=1       runs the tests marked `REQUIRES: full` as well
#   --param strict=1     a missing emulator or cross compiler is an error, no reason to skip tests
#   --param roundtrip=0  leaves out the round trip of every file that quant-float-opt reads
#
# Substitutions beside lit's own and the tools' names:
#   %python                     the environment's Python
#   %clang %clangxx             the compilers of the build
#   %clang_M %clangxx_M %run_M  cross compilers and emulators, M one of aarch64 and riscv64; the
#                               feature qemu-M says that they are there
#   %llvm_bin %tools_dir        where LLVM's tools are, and ours
#   %src_root %obj_root         the source and the build tree
#   %cuda_include               the headers cuda_fp8.h, cuda_fp6.h and cuda_fp4.h
#   %results                    a folder; `test.sh --full` records the .json files written there
import ctypes
import glob
import os
import platform
import shutil

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "quant-float"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py", ".c"]
# Inputs/ holds data and helpers/ modules that tests import; the rest is this suite's own machinery.
config.excludes = [
    "Inputs",
    "helpers",
    "results",
    "CMakeLists.txt",
    "lit.cfg.py",
    "lit.site.cfg.py",
    "__pycache__",
]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.quant_float_obj_root, "test")

llvm_config.with_system_environment(
    [
        "HOME",
        "TMPDIR",
        "TEMP",
        "TMP",
        "ASAN_OPTIONS",
        "UBSAN_OPTIONS",
        "QUANT_FLOAT_VERIFY_ROUNDTRIP",
    ]
)
llvm_config.use_default_substitutions()
llvm_config.with_environment("FILECHECK_OPTS", "-enable-var-scope --allow-unused-prefixes=false")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PYTHONDONTWRITEBYTECODE", "1")
# Modules that several Python tests share.
llvm_config.with_environment("PYTHONPATH", os.path.join(config.test_source_root, "helpers"))
# A worker pool per test beside lit's own would only fight for the cores.
llvm_config.with_environment("OPENBLAS_NUM_THREADS", "1")


def has_nvidia_gpu():
    """Whether there is a driver with a device."""
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


if has_nvidia_gpu():
    config.available_features.add("cuda")

if config.quant_float_sanitizers:
    config.available_features.add("sanitizers")
    # What libMLIR.so keeps for the life of the process is not this project's leak, and it does not
    # mark the spare room of containers and allocators as instrumented code does.
    config.environment.setdefault(
        "ASAN_OPTIONS", "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0"
    )
    config.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

# Every file that quant-float-opt reads in this suite goes through text and bytecode and back on the
# way, except where that would hide what a test looks at (its line says --verify-roundtrip=false).
round_trip = [] if lit_config.params.get("roundtrip") == "0" else ["--verify-roundtrip"]
llvm_config.add_tool_substitutions(
    [
        ToolSubst("quant-float-opt", extra_args=round_trip),
        "quant-float-translate",
        "quant-float-compile",
        "quant-float-run",
        "quant-float-check",
    ],
    [config.quant_float_tools_dir],
)


def find(*names):
    """The first of these programs that exists, or None."""
    return next((path for path in map(shutil.which, names) if path), None)


python = config.quant_float_python
if not os.path.exists(python):
    lit_config.warning(
        f"{python} is missing (scripts/setup.sh makes it): the Python tests will fail"
    )

results = os.path.join(config.test_exec_root, "results")
os.makedirs(results, exist_ok=True)
substitutions = [
    ("%python", python),
    ("%clangxx", config.cxx_compiler),
    ("%clang", config.c_compiler),
    ("%llvm_bin", config.llvm_tools_dir),
    ("%tools_dir", config.quant_float_tools_dir),
    ("%src_root", config.quant_float_src_root),
    ("%obj_root", config.quant_float_obj_root),
    ("%results", results),
]
cuda_headers = glob.glob(
    os.path.join(
        os.path.dirname(python), "../lib/python*/site-packages/nvidia/cu*/include/cuda_fp8.h"
    )
)
if cuda_headers:
    substitutions.append(("%cuda_include", os.path.dirname(os.path.normpath(cuda_headers[0]))))

strict = lit_config.params.get("strict") == "1"
if lit_config.params.get("full") == "1":
    config.available_features.add("full")


def host_flags():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
            return set(
                next(
                    (line.split(":")[1] for line in info if line.startswith(("flags", "Features"))),
                    "",
                ).split()
            )
    except OSError:
        return set()


# What this machine can execute itself. The names follow the x86-64 levels; a machine without them
# cannot run such code, so their absence is never an error.
HOST_FEATURES = {
    "host-avx2": {"avx2", "fma", "f16c", "bmi2"},
    "host-avx512": {"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512cd"},
    "host-avx512vbmi": {"avx512vbmi", "avx512_vbmi2"},
    "host-avx512bf16": {"avx512_bf16"},
    "host-avx512fp16": {"avx512_fp16"},
}
flags = host_flags()
config.available_features.add(f"host-{platform.machine()}")
config.available_features |= {name for name, needed in HOST_FEATURES.items() if needed <= flags}

# Foreign targets: an emulator and a cross compiler each, named alike: %run_aarch64 PROGRAM,
# %clang_aarch64.
FOREIGN = {
    "aarch64": (["-cpu", "max"], ["--target=aarch64-linux-gnu"]),
    "riscv64": (
        ["-cpu", "rv64,v=true,vext_spec=v1.0,vlen=128,elen=64"],
        ["--target=riscv64-linux-gnu", "-march=rv64gcv", "-mabi=lp64d"],
    ),
}
for machine, (emulator_args, compiler_args) in FOREIGN.items():
    root = f"/usr/{machine}-linux-gnu"
    emulator = find(f"qemu-{machine}-static", f"qemu-{machine}")
    if not emulator or not os.path.isdir(os.path.join(root, "include")):
        message = (
            f"qemu-{machine} or the C library in {root} is missing (scripts/setup.sh installs both)"
        )
        if strict:
            lit_config.fatal(message)
        lit_config.note(f"{message}: tests for {machine} are skipped")
        continue
    config.available_features.add(f"qemu-{machine}")
    substitutions += [
        (f"%run_{machine}", " ".join([emulator, "-L", root, *emulator_args])),
        (f"%clangxx_{machine}", " ".join([config.cxx_compiler, *compiler_args, "-fuse-ld=lld"])),
        (f"%clang_{machine}", " ".join([config.c_compiler, *compiler_args, "-fuse-ld=lld"])),
    ]
if strict and not os.path.exists(python):
    lit_config.fatal(f"{python} is missing")

# A longer name first, so that %clang leaves %clang_aarch64 alone; ahead of lit's own, which has a
# %python too.
config.substitutions[:0] = sorted(substitutions, key=lambda pair: -len(pair[0]))

# One test should take seconds; a hang must not take the whole run with it.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 7200 if "full" in config.available_features else 1200
