# quant_float.mlir registers the dialect with bindings that use the shared library of MLIR: those of
# the environment variable QUANT_FLOAT_MLIR_PYTHON, a folder with MLIR's own package, or else
# Inputs/mlir_bindings. Other or missing bindings are an ImportError.
# UNSUPPORTED: sanitizers
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t %clang %llvm_bin
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import expect
import quant_float

folder, clang = pathlib.Path(sys.argv[1]), sys.argv[2]
libraries = pathlib.Path(sys.argv[3]).parent / "lib"
inputs = pathlib.Path(__file__).parent / "Inputs"
VERSION = ".".join(quant_float.get_llvm_version().split(".")[:2])
REQUIRED = (
    f"ImportError: quant_float.mlir requires the Python bindings of MLIR {VERSION}, built with the "
    f"shared library libMLIR.so.{VERSION}"
)
# An extension that contains its own MLIR.
OTHER = """
#include <Python.h>
static char id;
void *mlirIndexTypeGetTypeID(void) { return &id; }
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_mlir"};
PyMODINIT_FUNC PyInit__mlir(void) { return PyModule_Create(&module); }
"""


def run(program, path):
    """The exit code, and the last line of the output."""
    paths = os.pathsep.join([str(path), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return done.returncode, (done.stdout or done.stderr).strip().splitlines()[-1]


def link(source, extension, *options):
    include = f"-I{sysconfig.get_path('include')}"
    command = [clang, "-shared", "-fPIC", "-fuse-ld=lld", include, "-o", extension, source]
    subprocess.run([*command, *options], check=True)


(folder / "import.py").write_text("import quant_float.mlir")
suffix = sysconfig.get_config_var("EXT_SUFFIX")
got = run(folder / "import.py", folder)
wanted = f"{REQUIRED}, but the package mlir cannot be imported: No module named 'mlir'"
expect.true(f"{got}", got == (1, wanted))

other = folder / "other" / "mlir" / "_mlir_libs"
shutil.copytree(inputs / "mlir_bindings", folder / "other")
(other.parent / "ir.py").write_text("")
(folder / "other.c").write_text(OTHER)
link(folder / "other.c", other / f"_mlir{suffix}")
got = run(folder / "import.py", folder / "other")
# A self-contained wheel has not loaded the library before.
shares = "libMLIR" in pathlib.Path("/proc/self/maps").read_text()
wanted = f"{REQUIRED}, but the bindings in {other} "
wanted += "contain another copy of MLIR" if shares else "do not use this library"
expect.true(f"{got}", got == (1, wanted))

bindings = os.environ.get("QUANT_FLOAT_MLIR_PYTHON")
if not bindings:
    bindings = folder / "bindings"
    shutil.copytree(inputs / "mlir_bindings", bindings)
    extension = bindings / "mlir" / "_mlir_libs" / f"_mlir{suffix}"
    archives = [libraries / f"libMLIRCAPI{name}.a" for name in ("IR", "RegisterEverything")]
    options = ["-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive"]
    options += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lMLIR", "-lLLVM", "-lstdc++"]
    link(inputs / "mlir_bindings" / "mlir" / "_mlir_libs" / "_mlir.c", extension, *options)
got = run(inputs / "use_mlir_bindings.py", bindings)
wanted = "target must be a Context or a DialectRegistry, but got 'context'"
expect.true(f"{got}", got == (0, wanted))
expect.finish()
