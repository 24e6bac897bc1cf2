"""What an installed package must do; with --self-contained, with libraries of its own alone."""

import pathlib
import sys

import ml_dtypes
import numpy as np
import quant_float as qf

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
try:
    qf.parse("quant_float.nothing")
except qf.ModelError as error:
    assert error.diagnostics
package = pathlib.Path(qf.__file__).parent
assert sys.prefix in str(package), package
maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
mapped = {line.split()[-1] for line in maps if ".so" in line}
ours = [path for path in mapped if any(n in path for n in ("libMLIR", "libLLVM", "libomp"))]
assert len(ours) >= 2, ours
if "--self-contained" in sys.argv:
    assert all("quant_float.libs" in path for path in ours), ours
print("installed", qf.__version__)
