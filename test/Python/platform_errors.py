# The message if the extension cannot be imported: the C library is too old, LLVM is missing, or the
# extension is for another Python.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t %clang
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import expect
import quant_float
from quant_float import _platform

folder, clang = pathlib.Path(sys.argv[1]), sys.argv[2]


def explain(text):
    return _platform.explain(ImportError(text))


got = explain(
    "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by /x/_native.so)"
)
wanted = (
    r"this build of quant_float requires glibc 2\.99 or later, but this system has glibc [\d.]+"
)
expect.true(got, re.fullmatch(wanted, got))
got = explain("/lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found")
expect.true(got, "requires a C++ library with GLIBCXX_3.4.99: /lib/libstdc++.so.6" in got)
expect.true("others are unchanged", explain("undefined symbol: x") == "undefined symbol: x")

# Copies of the package with another extension, and without one.
package = folder / "quant_float"
package.mkdir()
for file in pathlib.Path(quant_float.__file__).parent.glob("*.py"):
    shutil.copy(file, package)


def find_error():
    done = subprocess.run(
        [sys.executable, "-c", "import quant_float"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder)},
    )
    expect.true("exit code", done.returncode == 1)
    return done.stderr.strip().splitlines()[-1]


(package / "_native.cpython-39-x86_64-linux-gnu.so").touch()
got = find_error()
wanted = r"ImportError: quant_float has no extension for CPython [\d.]+ on linux \w+ in \S+, but _native.cpython-39-x86_64-linux-gnu.so"
expect.true(got, re.fullmatch(wanted, got))

# Like a wheel that uses LLVM's libraries.
extension = package / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
library = folder / "libMLIR.so.99"
empty = folder / "empty.c"
empty.touch()
build = [clang, "-shared", "-fPIC", "-Wl,--no-as-needed"]
subprocess.run([*build, "-Wl,-soname,libMLIR.so.99", "-o", library, empty], check=True)
subprocess.run([*build, "-o", extension, empty, library], check=True)
got = find_error()
wanted = (
    "ImportError: this build of quant_float uses the shared libraries of LLVM, but libMLIR.so.99 cannot be found; "
    "install LLVM's package, or a wheel that contains LLVM"
)
expect.true(got, got == wanted)
expect.finish()
