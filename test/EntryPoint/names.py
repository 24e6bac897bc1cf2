# Graphs with the names of functions that a program usually has: the library does not export these
# names, and it computes the same in a process that defines functions of the same names.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %clang %llvm_bin %t
import subprocess
import sys
from pathlib import Path

tools, clang, llvm, work = sys.argv[1], sys.argv[2], *map(Path, sys.argv[3:])
failures = []


def run(*words, **more):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)


FUNCTION = """func.func @{name}(%x: tensor<?xf32>) -> tensor<?xf16> {{
  %y = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf16>
  return %y : tensor<?xf16>
}}
"""
RESERVED = (
    "exit", "write", "malloc", "free", "main", "_init", "_fini", "_exit", "_start", "end", "environ", "getenv", "pthread_create",
    "abort", "signal", "sinf32", "sin", "sinl", "__libc_start_main", "qf_get_library", "mgpuMemAlloc", "quantFloatGpuTakeError",
    "omp_get_num_threads", "int", "class", "_ITM_registerTMCloneTable", "dlopen", "mmap", "stdout",
)  # fmt: skip
FREE = ("narrow", "_2", "exits", "my_write", "main_graph", "endless")
names = (*RESERVED, *FREE)
(work / "names.mlir").write_text("".join(FUNCTION.format(name=name) for name in names))
compiled = run(f"{tools}/quant-float-compile", work / "names.mlir", "-o", work / "names.so")
if compiled.returncode:
    sys.exit(compiled.stderr)
symbols = run(llvm / "llvm-nm", "-D", "--defined-only", work / "names.so").stdout.split()[2::3]
entries = [f"graph_{name}" for name in RESERVED] + list(FREE)
expected = {"qf_get_library", *entries, *(f"{name}_output_sizes" for name in entries)}
if set(symbols) != expected:
    failures.append(f"exports: {sorted(set(symbols) ^ expected)}")

# A program that defines functions with the names of the library's own. The dynamic linker finds
# some of them first.
(work / "program.c").write_text(
    """
#include <stdio.h>
#include "names.h"
__attribute__((visibility("default"))) int graph_exit(const qf_tensor *x, qf_tensor *y, char *e, size_t n) {
  return 77;
}
__attribute__((visibility("default"))) int graph_exit_output_sizes(const qf_tensor *x, int64_t *const *s, char *e, size_t n) {
  return 78;
}
int main(void) {
  const qf_library *library = qf_get_library();
  float x[3] = {1, 2, 3};
  uint16_t y[3] = {0};
  int64_t size = 3;
  qf_tensor in = {x, &size, 1, QF_FLOAT32}, out = {y, &size, 1, QF_FLOAT16};
  char error[200];
  int status = library->entries[0].run(&in, &out, error, sizeof error);
  printf("%s %d %04x\\n", library->entries[0].symbol, status, y[2]);
  return 0;
}
"""
)
built = run(
    clang, "-std=c11", "-rdynamic", work / "program.c", work / "names.so", f"-Wl,-rpath,{work}", "-o", work / "program",
)  # fmt: skip
if built.returncode:
    failures.append(f"program.c: {built.stderr}")
said = run(work / "program")
if said.returncode or said.stdout != "graph_exit 0 4200\n":
    failures.append(f"program: exit code {said.returncode}: {said.stdout}{said.stderr}")

sys.exit("\n".join(failures) if failures else 0)
