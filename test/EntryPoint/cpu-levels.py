# Function multiversioning: the best version that the machine supports is called, on this machine
# and on emulated ones. The test replaces the code of one version by an invalid instruction to see
# which version a call selects. It also checks the bits of the results and the error for CPUs that
# no version supports.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %llvm_bin %src_root %t x86_64 %if host-x86_64 && qemu-x86_64 %{ %clang -- %run_x86_64 -- this max Haswell Nehalem qemu64 %} %else %{ %clang -- -- this %}
# The last -cpu option takes effect.
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %llvm_bin %src_root %t aarch64 %clang_aarch64 -- %run_aarch64 -- cortex-a53 max %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %llvm_bin %src_root %t riscv64 %clang_riscv64 -march=rv64gc -- %run_riscv64 -- rv64,v=false rv64,v=true,vlen=128,elen=64 %}
import platform
import struct
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

tools, llvm, src_root, work, machine, *rest = sys.argv[1:]
if machine == "x86_64" and platform.machine() != machine:
    sys.exit(0)
work = Path(work) / machine
work.mkdir()
first = rest.index("--")
second = rest.index("--", first + 1)
compiler, emulator, machines = rest[:first], rest[first + 1 : second], rest[second + 1 :]
triple = f"{machine}-unknown-linux-gnu"
# The most demanding CPU is first. The most basic machine supports no version of the last lists.
LISTS = {
    "x86_64": [
        ["diamondrapids", "x86-64-v4", "x86-64-v3", "x86-64-v2"],
        ["x86-64-v4", "x86-64-v3"],
    ],
    "aarch64": [["fujitsu-monaka", "neoverse-v1", "generic"], ["fujitsu-monaka", "neoverse-v1"]],
    "riscv64": [["rv64gcv_zvfbfmin", "rv64gcv", "rv64gc"], ["rv64gcv_zvfbfmin", "rv64gcv"]],
}[machine]
# An invalid instruction of each architecture.
BROKEN = {"x86_64": b"\x0f\x0b", "aarch64": bytes(4), "riscv64": bytes(2)}[machine]

(work / "model.mlir").write_text("""
func.func @cast(%x: tensor<?xf32>) -> (tensor<?xf16>, tensor<?xf8E4M3FN>) {
  %0 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf16>
  %1 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %0, %1 : tensor<?xf16>, tensor<?xf8E4M3FN>
}
""")
SIZE = 1000
x = np.random.default_rng(1).normal(0, 100, SIZE).astype(np.float32)
x[::37] = np.inf
x.tofile(work / "x")
with np.errstate(over="ignore"):
    expected = x.astype(np.float16).tobytes()
# ONNX saturates, and ml_dtypes does not.
f8 = np.clip(x, -448, 448).astype(ml_dtypes.float8_e4m3fn)
expected += f8.tobytes()

# Calls the function from four threads at once. These are the first calls in the process.
(work / "call.c").write_text(r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "quant-float-c/EntryPoint.h"
enum { size = 1000, threads = 4 };
static float x[size];
static unsigned char y[threads][3 * size];
static int status[threads];
static char error[threads][200];
static const qf_entry *entry;
static void *call(void *argument) {
  long i = (long)argument;
  int64_t sizes[1] = {size};
  qf_tensor inputs[1] = {{x, sizes, 1, QF_FLOAT32}};
  qf_tensor outputs[2] = {{y[i], sizes, 1, QF_FLOAT16}, {y[i] + 2 * size, sizes, 1, QF_FLOAT8E4M3FN}};
  status[i] = entry->run(inputs, outputs, error[i], sizeof error[i]);
  return 0;
}
int main(int argc, char **argv) {
  FILE *file = fopen(argv[argc - 2], "rb");
  if (!file || fread(x, sizeof x, 1, file) != 1)
    return 100;
  void *object = dlopen(argv[argc - 1], RTLD_NOW);
  if (!object)
    return fprintf(stderr, "%s\n", dlerror()), 101;
  entry = ((const qf_library *(*)(void))dlsym(object, "qf_get_library"))()->entries;
  pthread_t ids[threads];
  for (long i = 0; i < threads; ++i)
    pthread_create(&ids[i], 0, call, (void *)i);
  for (int i = 0; i < threads; ++i)
    pthread_join(ids[i], 0);
  for (int i = 1; i < threads; ++i)
    if (status[i] != status[0] || strcmp(error[i], error[0]) || memcmp(y[i], y[0], sizeof *y))
      return 102;
  fprintf(stderr, "%s", error[0]);
  fwrite(y[0], sizeof *y, 1, stdout);
  return status[0];
}
""")
subprocess.run(
    [*compiler, "-std=gnu11", "-O1", "-pthread", "-I", f"{src_root}/include", work / "call.c", "-ldl", "-o", work / "call"], check=True
)  # fmt: skip


def build(cpus: list[str], name: str) -> Path:
    """The library for these CPUs."""
    library = work / name
    subprocess.run(
        [f"{tools}/quant-float-compile", work / "model.mlir", "-o", library, "--triple", triple, "--cpu", ",".join(cpus)],
        check=True,
    )  # fmt: skip
    return library


def run(where: str, library: Path) -> subprocess.CompletedProcess[bytes]:
    """Runs the function on this machine or on an emulated one."""
    emulated = [] if where == "this" else [*emulator, "-cpu", where]
    return subprocess.run(
        [*emulated, work / "call", work / "x", library], capture_output=True, check=False
    )


def break_level(library: Path, level: int) -> Path:
    """A copy of the library in which the function of one version begins with an invalid
    instruction."""
    symbols = subprocess.run([f"{llvm}/llvm-nm", library], capture_output=True, text=True, check=True)  # fmt: skip
    (address,) = [int(line.split()[0], 16) for line in symbols.stdout.splitlines() if line.endswith(f" cast.invoke.{level}")]  # fmt: skip
    contents = bytearray(library.read_bytes())
    (table,) = struct.unpack_from("<Q", contents, 0x20)
    entry_size, count = struct.unpack_from("<HH", contents, 0x36)
    for i in range(count):
        kind, _, offset, start, _, size = struct.unpack_from("<IIQQQQ", contents, table + i * entry_size)  # fmt: skip
        if kind == 1 and start <= address < start + size:
            place = offset + address - start
            contents[place : place + len(BROKEN)] = BROKEN
    broken = library.with_suffix(f".{level}.so")
    broken.write_bytes(contents)
    return broken


singles = {cpu: build([cpu], f"{cpu}.so") for cpu in LISTS[0]}
for number, cpus in enumerate(LISTS):
    library = build(cpus, f"{number}.so")
    other = build(cpus[::-1], f"{number}-other.so")
    assert library.read_bytes() == other.read_bytes(), f"{cpus}: the order matters"
    broken = [break_level(library, level) for level in range(len(cpus))]
    for where in machines:
        # The expected results are those of libraries for a single CPU.
        fitting = [level for level, cpu in enumerate(cpus) if run(where, singles[cpu]).returncode == 0]  # fmt: skip
        ran = run(where, library)
        if not fitting:
            assert ran.returncode == 6, (where, cpus, ran)
            assert b"expected a CPU with " in ran.stderr, ran.stderr
            print(f"{where}: none of {','.join(cpus)}")
            continue
        assert ran.returncode == 0, (where, cpus, ran)
        assert ran.stdout == expected, (where, cpus)
        taken = [level for level, copy in enumerate(broken) if run(where, copy).returncode != 0]
        assert taken == fitting[:1], (where, cpus, taken, fitting)
        print(f"{where}: {cpus[taken[0]]} of {','.join(cpus)}")
