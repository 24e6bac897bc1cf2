# quant_float.mlir registers the dialect with MLIR's own Python bindings where test/helpers/build_mlir_python.sh has built them, in
# the folder ~/.cache/quant-float/mlir-python or that of the environment variable QUANT_FLOAT_MLIR_PYTHON. Other bindings, and
# none, are an ImportError.
# UNSUPPORTED: sanitizers
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t %clang
import os
import pathlib
import subprocess
import sys
import sysconfig

import expect
import quant_float

folder, clang = pathlib.Path(sys.argv[1]), sys.argv[2]
VERSION = ".".join(quant_float.get_llvm_version().split(".")[:2])
REQUIRED = (
    f"ImportError: quant_float.mlir requires the Python bindings of MLIR {VERSION}, built with the "
    f"shared library libMLIR.so.{VERSION}"
)
USE = """
from mlir.ir import Context, DialectRegistry, Module
from mlir.passmanager import PassManager
import quant_float.mlir

text = '''func.func @f(%x: vector<4xf32>) -> vector<4xf8E5M2> {
  %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E5M2>
  return %0 : vector<4xf8E5M2>
}'''
registry = DialectRegistry()
quant_float.mlir.register_dialects(registry)
for target in (None, registry):
    with Context() as context:
        if target:
            context.append_dialect_registry(target)
        else:
            quant_float.mlir.register_dialects(context)
        module = Module.parse(text)
        assert module.operation.verify() and "quant_float.cast" in str(module)
        try:
            Module.parse(text.replace("opset 19", "opset 18"))
        except Exception as error:
            assert "Cast accepts this type from opset 19 on" in str(error), error
        pipeline = "builtin.module(func.func(convert-quant-float-to-arith{cpu=x86-64-v3}))"
        PassManager.parse(pipeline).run(module.operation)
        assert "quant_float" not in str(module) and "arith." in str(module), module
# The package's own models are of another context.
import numpy as np
assert quant_float.cast(np.float32([1.1]), "f8e5m2").astype(float) == 1
try:
    quant_float.mlir.register_dialects("context")
except TypeError as error:
    print(error)
"""
# An extension with an MLIR of its own.
OTHER = """
#include <Python.h>
static char id;
void *mlirIndexTypeGetTypeID(void) { return &id; }
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_mlir"};
PyMODINIT_FUNC PyInit__mlir(void) { return PyModule_Create(&module); }
"""


def run(code, path):
    """The exit code, and the last line of the output."""
    paths = os.pathsep.join([str(path), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1]


got = run("import quant_float.mlir", folder)
wanted = f"{REQUIRED}, but the package mlir cannot be imported: No module named 'mlir'"
expect.true(f"{got}", got == (1, wanted))

other = folder / "mlir" / "_mlir_libs"
other.mkdir(parents=True)
for file in ("__init__.py", "ir.py", "_mlir_libs/__init__.py"):
    (folder / "mlir" / file).touch()
(folder / "other.c").write_text(OTHER)
extension = other / f"_mlir{sysconfig.get_config_var('EXT_SUFFIX')}"
include = f"-I{sysconfig.get_path('include')}"
command = [clang, "-shared", "-fPIC", include, "-o", extension, folder / "other.c"]
subprocess.run(command, check=True)
got = run("import quant_float.mlir", folder)
wanted = f"{REQUIRED}, but the bindings in {other} contain another copy of MLIR"
expect.true(f"{got}", got == (1, wanted))

cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "quant-float"
bindings = pathlib.Path(os.environ.get("QUANT_FLOAT_MLIR_PYTHON") or cache / "mlir-python")
if (bindings / "mlir").exists():
    got = run(USE, bindings)
    wanted = "target must be a Context or a DialectRegistry, but got 'context'"
    expect.true(f"{got}", got == (0, wanted))
expect.finish()
