# The lit suite of all tests except for the GoogleTest programs.
#
# Parameters:
#   --param full=1       runs the tests marked `REQUIRES: full` as well
#   --param strict=1     a missing emulator or cross compiler is an error instead of a reason to skip
#                        tests, except for emulators whose download by setup.sh has failed
#   --param strict=all   also for these emulators
#   --param roundtrip=0  disables the round trip of every file that quant-float-opt reads
#   --param avx2=1       emulates an x86-64 CPU with AVX2 and neither AVX-512 nor VNNI: Python, and the
#                        libraries that it loads, run under qemu, and our tools detect such a
#                        CPU as their host
#
# Substitutions in addition to lit's own and the tools' names:
#   %python                     the environment's Python
#   %clang %clangxx             the compilers of the build
#   %clang_M %clangxx_M %run_M  cross compilers and emulators, M one of aarch64 and riscv64 (and
#                               %run_x86_64); available with the feature qemu-M
#   %clang_M %run_M             for programs without a C library on CPUs with float8 instructions, M one
#                               of avx10, armfp8 and rvfp8; available with the feature emulator-M
#   %llvm_bin %tools_dir        the folders of LLVM's tools, and of ours
#   %src_root %obj_root         the source and the build tree
#   %cuda_include               the headers cuda_fp8.h, cuda_fp6.h and cuda_fp4.h
#   %results                    a folder; `test.sh --full` records the .json files written there
import glob
import json
import os
import platform
import shutil
import subprocess
import sys

from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

# Modules that several Python tests share, and this suite's format.
helpers = os.path.join(os.path.dirname(__file__), "helpers")
sys.path.insert(0, helpers)
import cuda  # noqa: E402
import run_lines  # noqa: E402
import sanitizers  # noqa: E402

config.name = "quant-float"
config.test_format = run_lines.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py", ".c"]
# Inputs/ contains data, and helpers/ contains modules that tests import. The other files belong to
# this suite.
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
avx2 = lit_config.params.get("avx2") == "1"
if avx2:
    # Separate from the outputs for the real CPU. The GoogleTest programs are not tools.
    config.test_exec_root = os.path.join(config.test_exec_root, "avx2")
    config.excludes.append("Unit")

llvm_config.with_system_environment(
    [
        "HOME",
        "TMPDIR",
        "TEMP",
        "TMP",
        "ASAN_OPTIONS",
        "UBSAN_OPTIONS",
        "TSAN_OPTIONS",
        "QUANT_FLOAT_MLIR_PYTHON",
        "QUANT_FLOAT_VERIFY_ROUNDTRIP",
        "QUANT_FLOAT_OTHER_LLVM",
    ]
)
llvm_config.use_default_substitutions()
llvm_config.with_environment("FILECHECK_OPTS", "-enable-var-scope --allow-unused-prefixes=false")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PYTHONDONTWRITEBYTECODE", "1")
llvm_config.with_environment("PYTHONPATH", helpers)
# Scripts use the tools of the same version.
llvm_config.with_environment("QF_LLVM", str(config.llvm_version))
# OpenVINO sends no statistics from CI. Since Python 3.14, the process that sends them runs the test
# again.
llvm_config.with_environment("CI", "true")
# Thread pools of each test would oversubscribe the cores, because lit runs several tests at once.
llvm_config.with_environment("OPENBLAS_NUM_THREADS", "1")


if cuda.has_device():
    config.available_features.add("cuda")

# scripts/test-llvm.sh sets it to the folders of systems with builds for other versions of LLVM.
if os.environ.get("QUANT_FLOAT_OTHER_LLVM"):
    config.available_features.add("other-llvm")

# Upstream's name. Without assertions, LLVM counts no statistics and has no debug output.
if config.llvm_assertions == "ON":
    config.available_features.add("asserts")

# Some types and ops exist only in newer versions.
for version in range(22, config.llvm_version + 1):
    config.available_features.add(f"llvm-at-least-{version}")

# scripts/test-configurations.sh tests a build of the component core, which has no passes for networks.
if lit_config.params.get("component") != "core":
    config.available_features.add("networks")

# It requires ONNX Runtime's headers, which are not part of its Python package.
if os.path.exists(os.path.join(config.quant_float_obj_root, "lib", "libQuantFloatOnnxRuntime.so")):
    config.available_features.add("onnxruntime-custom-ops")
else:
    lit_config.note(
        "no operators for ONNX Runtime (scripts/setup.sh --full downloads its headers, with which scripts/build.sh builds them): "
        "tests that need them are skipped"
    )

if config.quant_float_sanitizers:
    config.available_features.add("sanitizers")
    config.environment["QUANT_FLOAT_SANITIZERS"] = config.quant_float_sanitizers
    for name, options in sanitizers.OPTIONS.items():
        config.environment.setdefault(name, options)


def find(*names):
    """The first of these programs that exists, or None."""
    return next((path for path in map(shutil.which, names) if path), None)


strict = lit_config.params.get("strict") in ("1", "all")
if lit_config.params.get("full") == "1":
    config.available_features.add("full")
else:
    config.environment["QUANT_FLOAT_TEST_SHARE"] = "3"

python = config.quant_float_python
if not os.path.exists(python):
    message = f"{python} is missing (scripts/setup.sh makes it)"
    if strict:
        lit_config.fatal(message)
    lit_config.warning(f"{message}: the Python tests will fail")

results = os.path.join(config.test_exec_root, "results")
os.makedirs(results, exist_ok=True)
substitutions = [
    ("%clangxx", config.cxx_compiler),
    ("%clang", config.c_compiler),
    ("%llvm_bin", config.llvm_tools_dir),
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

# Emulated CPUs: of foreign machines, which require a cross compiler as well, and of this one (for
# CPUs other than its own; the last -cpu option of qemu takes effect).
machine = platform.machine()
EMULATED = {
    "aarch64": (["-cpu", "max"], ["--target=aarch64-linux-gnu"]),
    "riscv64": (
        ["-cpu", "rv64,v=true,vext_spec=v1.0,vlen=128,elen=64"],
        ["--target=riscv64-linux-gnu", "-march=rv64gcv", "-mabi=lp64d"],
    ),
    machine: ([], []),
}
emulators = {}
for name, (emulator_args, compiler_args) in EMULATED.items():
    root = "/" if name == machine else f"/usr/{name}-linux-gnu"
    emulator = find(f"qemu-{name}-static", f"qemu-{name}")
    if not emulator or not os.path.isdir(
        os.path.join(root, "usr" if name == machine else "include")
    ):
        message = (
            f"qemu-{name} or the C library in {root} is missing (scripts/setup.sh installs both)"
        )
        if strict:
            lit_config.fatal(message)
        lit_config.note(f"{message}: tests that need them are skipped")
        continue
    emulators[name] = emulator
    config.available_features.add(f"qemu-{name}")
    substitutions += [
        (f"%run_{name}", " ".join([emulator, "-L", root, *emulator_args])),
        (f"%clangxx_{name}", " ".join([config.cxx_compiler, *compiler_args, "-fuse-ld=lld"])),
        (f"%clang_{name}", " ".join([config.c_compiler, *compiler_args, "-fuse-ld=lld"])),
    ]

# Emulated CPUs with float8 instructions: the folder that scripts/setup.sh --emulators creates, the
# command in it, and the compiler options. Programs for them have no C library, and on spike no
# operating system.
inputs = os.path.join(config.test_source_root, "Conformance", "emulated", "Inputs")
bochs_cpu = os.path.join(config.quant_float_obj_root, "lib", "libQuantFloatBochs.so")
cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
# setup.sh creates the link if the environment's Python is too new for Bochs's module.
older_python = os.path.join(cache, "quant-float", "emulators", "bochs", "python")
bochs_python = older_python if os.path.exists(older_python) else python
FLOAT8 = {
    "avx10": (
        "bochs",
        f"{bochs_python} -B {inputs}/bochs.py {bochs_cpu} .",
        "--target=x86_64-linux-gnu",
    ),
    "armfp8": (
        "qemu",
        "./qemu-aarch64 -cpu max,sve128=on,sve-default-vector-length=16",
        "--target=aarch64-linux-gnu",
    ),
    "rvfp8": (
        "spike",
        "./spike -m64 --isa=rv64gcv_zvl256b_zvfh_zvfbfmin_zvfofp8min",
        "--target=riscv64-unknown-elf -march=rv64gcv -mabi=lp64d -mcmodel=medany "
        f"-Wl,-T,{inputs}/spike.ld",
    ),
}
downloaded, missing = {}, {}
for name, (folder, command, compiler_args) in FLOAT8.items():
    folder = os.path.join(cache, "quant-float", "emulators", folder)
    if not os.path.isdir(folder):
        message = f"no emulator for {name} in {folder} (scripts/setup.sh --emulators downloads it)"
        tried = os.path.exists(f"{folder}.missing")
        if tried:
            with open(f"{folder}.missing") as file:
                message = f"no emulator for {name}: {file.read().strip()}"
        if lit_config.params.get("strict") == "all" or (strict and not tried):
            lit_config.fatal(message)
        lit_config.note(f"{message}: tests that need it are skipped")
        missing[f"emulator-{name}"] = message
        continue
    with open(os.path.join(folder, ".version")) as file:
        downloaded[f"emulator-{name}"] = f"{os.path.basename(folder)} {file.read().strip()}"
    config.available_features.add(f"emulator-{name}")
    command = [os.path.join(folder, word) if word[0] == "." else word for word in command.split()]
    compiler = f"{config.c_compiler} {compiler_args} -ffreestanding -nostdlib -static -fuse-ld=lld"
    substitutions += [(f"%run_{name}", " ".join(command)), (f"%clang_{name}", compiler)]

# The command prefix for programs that run on the emulated CPU.
emulate = []
tools = config.quant_float_tools_dir
if avx2:
    # Debian 12's qemu computes functions of OpenVINO's plugin wrongly, and cannot fork processes
    # with threads.
    emulator = os.path.join(cache, "quant-float", "emulators", "qemu", "qemu-x86_64")
    if not os.path.exists(emulator):
        lit_config.fatal(
            f"--param avx2=1: no {emulator} (scripts/setup.sh --emulators downloads it)"
        )
    # qemu's `max` has no AVX-512.
    emulate = [emulator, "-cpu", "max"]
    preload = os.path.join(config.quant_float_obj_root, "lib", "libQuantFloatHaswell.so")
    tools = os.path.join(config.test_exec_root, "tools")
    os.makedirs(tools, exist_ok=True)
    for name in os.listdir(config.quant_float_tools_dir):
        wrapper = os.path.join(tools, name)
        program = os.path.join(config.quant_float_tools_dir, name)
        with open(wrapper, "w") as file:
            file.write(f'#!/bin/sh\nLD_PRELOAD={preload} exec {program} "$@"\n')
        os.chmod(wrapper, 0o755)
substitutions += [("%python", " ".join([*emulate, python])), ("%tools_dir", tools)]

# The features that this machine, or the emulated one, can execute itself, as the compiler detects
# them. The names follow the x86-64 levels. A machine without them cannot run such code, so their
# absence is never an error.
HOST_FEATURES = {
    "host-avx2": {"AVX2", "FMA", "F16C", "BMI2"},
    "host-avx512": {"AVX512F", "AVX512BW", "AVX512VL", "AVX512DQ", "AVX512CD"},
    "host-avx512vbmi": {"AVX512VBMI", "AVX512VBMI2"},
    "host-avx512bf16": {"AVX512BF16"},
    "host-avx512fp16": {"AVX512FP16"},
}
native = "-march=native" if machine == "x86_64" else "-mcpu=native"
macros = subprocess.run(
    [*emulate, config.c_compiler, native, "-dM", "-E", "-xc", "/dev/null"],
    capture_output=True,
    text=True,
    check=False,
).stdout.split()
host_features = [
    name
    for name, needed in HOST_FEATURES.items()
    if {f"__{feature}__" for feature in needed} <= set(macros)
]
config.available_features |= {*host_features, f"host-{machine}"}
if emulate and "host-avx512" not in host_features:
    # Linux reports the features of the real CPU instead of the emulated one, so oneDNN needs a
    # limit.
    config.environment["ONEDNN_MAX_CPU_ISA"] = "AVX2"

# Input of summarize_tests.py.
with open(os.path.join(config.test_exec_root, "environment.json"), "w") as file:
    json.dump(
        {
            "emulated_cpu": "AVX2" if avx2 else None,
            "host": host_features,
            "emulators": emulators,
            "downloaded": downloaded,
            "missing": missing,
            "cuda": "cuda" in config.available_features,
        },
        file,
    )

# Every file that quant-float-opt reads in this suite makes a round trip through text and bytecode,
# unless the RUN line disables it with --verify-roundtrip=false because it would hide the tested
# behavior.
round_trip = [] if lit_config.params.get("roundtrip") == "0" else ["--verify-roundtrip"]
llvm_config.add_tool_substitutions(
    [
        ToolSubst("quant-float-opt", extra_args=round_trip),
        "quant-float-translate",
        "quant-float-compile",
        "quant-float-run",
        "quant-float-check",
    ],
    [tools],
)

# Longer names first, so that %clang does not match in %clang_aarch64. Before lit's own
# substitutions, which include %python.
config.substitutions[:0] = sorted(substitutions, key=lambda pair: -len(pair[0]))

# A test should take seconds. A hang must not block the entire run.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    limit = 7200 if "full" in config.available_features else 1200
    # Since LLVM 23, the limit is part of the suite's configuration.
    holder = config if hasattr(config, "maxIndividualTestTime") else lit_config
    holder.maxIndividualTestTime = limit
