# Code for other machines, under their emulators and in the simulator of a driver. Certificates
# record where the code ran and are reproduced there. Missing tools are reported.
# REQUIRES: qemu-aarch64, qemu-riscv64
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../Tools/Inputs:%S/../helpers %python %s %tools_dir/quant-float-certify %t %obj_root %clangxx %cuda_include
import json
import os
import re
import subprocess
import sys

import cuda
from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2], "--quiet")
obj_root, clangxx, cuda_include = sys.argv[3:]
ONLY = ("--only", "^cast_f8E5M2_to_(f32|f64|i8|ui8)$")


def read_origin(name):
    return json.loads((tool.work / name).read_text())["origin"]


for name, cpus in (("aarch64", ["generic", "neoverse-v1"]), ("riscv64", ["rv64gcv"])):
    summary = f"4 conversions for {', '.join(cpus)}: 1024 inputs, 0 mismatches\n"
    assert tool.run(0, "--machine", name, *ONLY, "-o", f"{name}.json") == summary
    origin = read_origin(f"{name}.json")
    assert origin["run_on"] == name and origin["sampled"] and origin["cpus"] == cpus, origin
    assert origin["machine"].startswith(f"qemu-{name} version "), origin
# Conversions of IEEE P3109, with instructions for other floats and with integers.
DRAFT = "^project_f32_to_binary8p(4se|1uf)_(NearestTiesToEven|ToOdd)_SatNone$"
for name in ("aarch64", "riscv64"):
    printed = tool.run(0, "--machine", name, "--p3109", "--only", DRAFT, "-o", f"p3109-{name}.json")
    assert re.match(r"4 conversions for .*: \d+ inputs, 0 mismatches\n", printed), printed
    assert read_origin(f"p3109-{name}.json")["run_on"] == name
# Every input if all are requested. Scales and zero points are passed as well.
fake = "^(qdq_f16_by_f32_through_i4_to_f16_in_f32_zero_point|fakeconvert_f16_by_f16_through_f8E5M2_to_f16_shifted)$"
printed = tool.run(0, "--machine", "riscv64", "--only", fake, "--all", "-o", "all.json")
assert printed.endswith("inputs, 0 mismatches\n") and not read_origin("all.json")["sampled"]
tool.run(0, "--check", "aarch64.json", stdout="4 reproduced, 0 not; 0 with other code than before")

# Missing machines.
known = "expected one of nvidia, aarch64, riscv64, x86_64, but got 'vax'"
tool.run(2, "--machine", "vax", stderr=f"--machine: {known}")
tool.run(1, "--machine", "aarch64", *ONLY, "--cpu", "nosuch", stderr="unknown cpu 'nosuch'")
tool.run(2, "--machine", "aarch64", "--mutants", stderr="--machine is only for certificates: expected no --mutants")  # fmt: skip
(tool.work / "none").mkdir()
bare = os.environ | {"PATH": str(tool.work / "none")}
missing = "machine 'aarch64': expected qemu-aarch64 or qemu-aarch64-static in PATH"
tool.run(1, "--machine", "aarch64", *ONLY, stderr=missing, environment=bare)
tool.run(1, "--check", "aarch64.json", stderr=missing, environment=bare)
emulator = tool.work / "none/qemu-aarch64"
emulator.write_text("#!/bin/sh\necho qemu-aarch64 version 0\n")
emulator.chmod(0o755)
tool.run(1, "--machine", "aarch64", *ONLY, stderr=f"expected clang-{os.environ['QF_LLVM']} or clang in PATH", environment=bare)  # fmt: skip
# A program that ends at once without running anything.
ending = os.environ | {"PATH": f"{tool.work / 'none'}:{os.environ['PATH']}"}
tool.run(1, "--machine", "aarch64", *ONLY, stderr="the emulated program terminated unexpectedly", environment=ending)  # fmt: skip
emulator.write_text("#!/bin/sh\necho it is broken\nexit 3\n")
tool.run(1, "--machine", "aarch64", *ONLY, stderr="it is broken", environment=ending)
file = json.loads((tool.work / "aarch64.json").read_text())
file["origin"]["run_on"] = "vax"
(tool.work / "vax.json").write_text(json.dumps(file))
tool.run(1, "--check", "vax.json", stderr=f"machine 'vax': {known}")

# A GPU.
tool.run(1, "--machine", "nvidia", stderr="machine 'nvidia': no NVIDIA driver: cannot load ", environment=os.environ | {"LD_LIBRARY_PATH": "/none"})  # fmt: skip
few = ("--only", "^cast_i1_to_(f32|i8|f8E5M2)")
compiler = os.path.join(os.path.dirname(sys.argv[1]), "quant-float-compile")
(tool.work / "few.mlir").write_text(tool.run(0, "--mlir", *few))
command = [compiler, "few.mlir", "--target", "nvvm", "--chip", "sm_90", "--emit", "llvm-ir", "-o"]
subprocess.run([*command, "few.ll"], check=True, cwd=tool.work)
kernels = tool.work / "few.so"
cuda.build_kernels((tool.work / "few.ll").read_text(), kernels, clangxx, cuda_include)
simulated = cuda.simulator_environment(obj_root, [kernels])
tool.run(0, "--machine", "nvidia", *few, "-o", "gpu.json", stdout=" for sm_90: ", environment=simulated)  # fmt: skip
origin = read_origin("gpu.json")
assert origin["run_on"] == "nvidia" and origin["machine"] == "sm_90", origin
failing = cuda.simulator_environment(obj_root, [kernels], fail="cuInit:1:100")
tool.run(1, "--machine", "nvidia", stderr="CUDA_ERROR_NO_DEVICE", environment=failing)
tool.finish()
