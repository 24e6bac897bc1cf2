"""Smoke test of an installed package. With --self-contained, it must not load other libraries, and
there is no linker. With a folder, the example network in it is run as well."""

import os
import pathlib
import sys
import tempfile

import ml_dtypes
import numpy as np
import quant_float as qf

self_contained = "--self-contained" in sys.argv
folders = [pathlib.Path(argument) for argument in sys.argv[1:] if argument[0] != "-"]
if self_contained:
    os.environ["PATH"] = ""

x = np.array([[1.0, 1.1, 1e6], [-2.0, 0.3, -0.0]], np.float32)
expected = np.array([[1, 1.125, 448], [-2, 0.3125, -0.0]], np.float32)
y = qf.cast(x, "f8e4m3")
assert y.dtype == ml_dtypes.float8_e4m3fn and (y.astype(np.float32) == expected).all(), y
assert (qf.quantize(x, 0.5, 3, dtype="i8") == [[5, 5, 127], [-1, 4, 3]]).all()
assert (qf.cast(x, "f8e4m3", threads=2).astype(np.float32) == expected).all()
module = qf.parse(
    "func.func @f(%x: tensor<?x3xf32>) -> tensor<?x3xf16> {"
    "  %0 = quant_float.cast %x opset 28 : tensor<?x3xf32> to tensor<?x3xf16>"
    "  return %0 : tensor<?x3xf16> }"
)
with np.errstate(over="ignore"):
    assert (module.compile()(x) == x.astype(np.float16)).all()
assert module.check()[0].valid and module.emit("obj")[:4] == b"\x7fELF"
for cpu in ("x86-64-v4", "apple-m1", "cortex-x4", "rv64gcv"):
    assert module.emit("obj", cpu=cpu), cpu
assert b".entry" in module.emit("ptx", target="nvvm", chip="sm_90")
try:
    qf.parse("quant_float.nothing")
except qf.ModelError as error:
    assert error.diagnostics
package = pathlib.Path(qf.__file__).parent
assert sys.prefix in str(package), package

# Files: shared libraries for one and two threads, which other programs can load.
with tempfile.TemporaryDirectory() as folder:
    for threads in (1, 2):
        path = os.path.join(folder, f"f{threads}.so")
        module.compile(path=path, threads=threads)
        with np.errstate(over="ignore"):
            assert (qf.load_kernel(path)(x) == x.astype(np.float16)).all(), threads
    if self_contained:
        openmp = package / "libomp.so.5"
        aside = openmp.rename(package / "aside")
        openmp.write_text("no library")
        try:
            module.compile(path=path, threads=2)
        except OSError as error:
            assert "linking failed: ld.lld: error: " in str(error), error
        else:
            raise AssertionError("no error")
        aside.rename(openmp)
        module.compile(path=path, threads=2)

for digits in folders:
    model = str(digits / "digits-f8.onnx")
    assert all(node.valid for node in qf.check(model))
    images = np.float32(np.load(digits / "test-images.npy") / 16)
    labels = np.load(digits / "test-labels.npy")
    assert np.mean(qf.compile(model)(images).argmax(1) == labels) > 0.98

maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
mapped = {line.split()[-1] for line in maps if ".so" in line}
llvm = [path for path in mapped if any(n in path for n in ("libMLIR", "libLLVM"))]
assert any("libomp" in path for path in mapped), mapped
if self_contained:
    assert not llvm, llvm
    assert all("quant_float" in path for path in mapped if "libomp" in path or "protobuf" in path)
else:
    assert len(llvm) >= 2, llvm
print("installed", qf.__version__)
