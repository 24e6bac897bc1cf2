# Code for the CPUs that LLVM supports (all of them with `full`), on this machine's CPU and on basic
# emulated ones. The result is either the right bits or an error that names the missing feature, and
# never an illegal instruction.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clang %src_root %t %if full %{ all %} %else %{ some %} x86_64
#
# The second emulated CPU of each architecture has features that the first one lacks, but not the
# newest ones, such as CSSC, bit manipulation and half-precision floats.
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %clang %src_root %t %if full %{ all %} %else %{ some %} aarch64 %clang_aarch64 -- %run_aarch64 -- cortex-a72 max %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %clang %src_root %t %if full %{ all %} %else %{ some %} riscv64 %clang_riscv64 -march=rv64gc -- %run_riscv64 -- rv64,v=false rv64,v=true,vlen=128,elen=64,zba=false,zbb=false,zbc=false,zbs=false %}
import collections
import platform
import re
import subprocess
import sys
from pathlib import Path

tools, clang, src_root, work, which, machine, *rest = sys.argv[1:]
work = Path(work) / machine
work.mkdir()
compiler, machines = [clang], {"this": []}
if rest:
    first, last = rest.index("--"), len(rest) - rest[::-1].index("--")
    compiler = rest[:first]
    # The last -cpu option takes effect.
    machines = {cpu: [*rest[first + 1 : last - 1], "-cpu", cpu] for cpu in rest[last:]}
if machine == "x86_64" and platform.machine() != machine:
    sys.exit(0)
# Scalars, vectors, integer minima and maxima, dot products, and arithmetic on sizes.
MODEL = """
func.func @cast(%x: tensor<?xf32>) -> (tensor<?xf8E4M3FN>, tensor<?xf16>) {
  %0 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf8E4M3FN>
  %1 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf16>
  return %0, %1 : tensor<?xf8E4M3FN>, tensor<?xf16>
}
func.func @quantize(%x: tensor<?x32xf32>, %s: tensor<32xf32>, %z: tensor<32xi8>) -> tensor<?x32xi8> {
  %0 = quant_float.quantize %x, %s, %z axis 1 opset 13 : tensor<?x32xf32>, tensor<32xf32>, tensor<32xi8> to tensor<?x32xi8>
  return %0 : tensor<?x32xi8>
}
func.func @product(%a: tensor<8x32xui8>, %b: tensor<32x16xi8>) -> tensor<8x16xi32> {
  %0 = quant_float.node "MatMulInteger"(%a, %b) opset 10 : (tensor<8x32xui8>, tensor<32x16xi8>) -> tensor<8x16xi32>
  return %0 : tensor<8x16xi32>
}
func.func @least(%a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64> {
  %0 = quant_float.node "Max"(%a, %b) opset 13 : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %1 = quant_float.node "Abs"(%0) opset 13 : (tensor<?xi64>) -> tensor<?xi64>
  return %1 : tensor<?xi64>
}
"""
(work / "model.mlir").write_text(MODEL)
# Calls every function on the same bytes, and prints the results.
(work / "call.c").write_text(
    r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "quant-float-c/EntryPoint.h"
static unsigned char given[3][1 << 14], taken[2][1 << 14];
int main(int argc, char **argv) {
  void *object = dlopen(argv[argc - 1], RTLD_NOW);
  if (!object)
    return fprintf(stderr, "%s\n", dlerror()), 2;
  const qf_library *library = ((const qf_library *(*)(void))dlsym(object, "qf_get_library"))();
  for (int e = 0; e < library->num_entries; ++e) {
    const qf_entry *entry = &library->entries[e];
    qf_tensor inputs[3], outputs[2];
    int64_t sizes[3][2], open[2][2], *places[2] = {open[0], open[1]};
    unsigned state = 1;
    for (int i = 0; i < 3; ++i)
      for (size_t j = 0; j < sizeof given[i]; ++j)
        given[i][j] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    for (int i = 0; i < entry->num_inputs; ++i) {
      for (int j = 0; j < entry->inputs[i].rank; ++j)
        sizes[i][j] = entry->inputs[i].sizes[j] < 0 ? 77 : entry->inputs[i].sizes[j];
      inputs[i] = (qf_tensor){given[i], sizes[i], entry->inputs[i].rank, entry->inputs[i].dtype};
    }
    char error[200];
    int status = entry->output_sizes(inputs, places, error, sizeof error);
    for (int i = 0; i < entry->num_outputs; ++i)
      outputs[i] = (qf_tensor){taken[i], open[i], entry->outputs[i].rank, entry->outputs[i].dtype};
    memset(taken, 0, sizeof taken);
    if (!status)
      status = entry->run(inputs, outputs, error, sizeof error);
    unsigned long long sum = 0;
    for (int i = 0; i < 2; ++i)
      for (size_t j = 0; j < sizeof taken[i]; ++j)
        sum = (sum ^ taken[i][j]) * 1099511628211u;
    printf("%s %d %s %llx\n", entry->symbol, status, error, status ? 0 : sum);
  }
  return 0;
}
"""
)
subprocess.run(
    [*compiler, "-std=gnu11", "-O1", "-I", f"{src_root}/include", work / "call.c", "-ldl", "-o", work / "call"], check=True
)  # fmt: skip
listed = subprocess.run([clang, f"--target={machine}-linux-gnu", "-print-supported-cpus"], capture_output=True, text=True, check=True)  # fmt: skip
names = re.findall(r"^\t(\S+)$", listed.stderr, re.M)
# The CPUs with the most features that no other CPU has.
NEWEST = ("diamondrapids", "novalake", "znver5", "ampere1b", "ampere1c", "apple-m5", "sifive-p870", "sifive-x390", "mips-p8700")  # fmt: skip
if which == "some":
    names = [name for i, name in enumerate(names) if i % 6 == 0 or name in NEWEST]
failures, expected = [], {}
found = {cpu: collections.Counter() for cpu in machines}
refused = 0
triple = f"{machine}-unknown-linux-gnu"
baseline = {"x86_64": "x86-64", "aarch64": "generic", "riscv64": "generic-rv64"}[machine]
for name in (baseline, *names):
    library = work / "model.so"
    library.unlink(missing_ok=True)
    compiled = subprocess.run(
        [f"{tools}/quant-float-compile", work / "model.mlir", "-o", library, "--triple", triple, "--cpu", name, "-O1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if compiled.returncode:
        # 32-bit CPUs, or names that only Clang accepts.
        refused += 1
        if not re.search("has no 64-bit mode|unknown cpu", compiled.stderr):
            failures.append(f"{name}: {compiled.stderr}")
        continue
    for cpu, emulator in machines.items():
        ran = subprocess.run(
            [*emulator, work / "call", library], capture_output=True, text=True, check=False
        )
        said = ran.stdout
        if ran.returncode:
            failures.append(f"{name} on {cpu}: exit code {ran.returncode}: {ran.stderr}")
        elif said == expected.setdefault(cpu, said):
            found[cpu]["right"] += 1
        elif re.fullmatch(
            r"((\w+) 6 \2: expected a CPU with [\w.-]+, but this machine's CPU lacks it 0\n)+", said
        ):
            found[cpu]["lacks"] += 1
        else:
            failures.append(f"{name} on {cpu}: {said} instead of {expected[cpu]}")
for cpu, counts in found.items():
    print(machine, cpu, dict(counts), f"{refused} refused, {len(failures)} failures")
    if not counts["right"]:
        failures.append(f"{cpu}: expected right bits, but got {counts}")
sys.exit("\n".join(failures) if failures else 0)
