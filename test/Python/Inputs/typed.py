"""Calls for the type checker. Each wrong call has the expected error."""

from typing import Any, assert_type

import ml_dtypes
import numpy as np
import quant_float as qf
from quant_float.typing import Array, ArrayLike, DTypeName


class Tensor:
    """Another library's array."""

    def __dlpack__(self, *, stream: int | None = None) -> object:
        return None

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class TorchDType:
    is_floating_point = True
    is_complex = False


x = np.zeros((2, 3), np.float32)
y = np.zeros((2, 3), np.float16)

# Results: a new array, or the one passed as `out`.
assert_type(qf.cast(x, "f16"), Array)
assert_type(qf.cast(x, "f16", out=None), Array)
assert_type(qf.quantize(x, 0.5, dtype="int8"), Array)
assert_type(qf.block_dequantize(x, x, 32), Array)
tensor = Tensor()
assert_type(qf.cast(x, "f16", out=tensor), Tensor)
assert_type(qf.fakeconvert(x, 1.0, out=tensor), Tensor)
assert_type(qf.block_dequantize(x, x, (1, 32), out=tensor), Tensor)

# Inputs.
for value in (x, np.float32(1), 1.0, True, [1, 2], ((1.0,),), tensor):
    given: ArrayLike = value
    qf.cast(given, "f16")
qf.dequantize([3, -4], [0.5], np.int8(3), axis=0)
qf.cast("1.0", "f16")  # type: ignore[arg-type]
qf.cast(None, "f16")  # type: ignore[arg-type]

# Element types.
qf.cast(x, ml_dtypes.float8_e4m3fn)
qf.cast(x, np.float16)
qf.cast(x, y.dtype)
qf.cast(x, 17)
qf.cast(x, TorchDType())
qf.cast(x, qf.dtype("float8e5m2"))
name: DTypeName = "f8E4M3FN"
qf.cast(x, name)
qf.cast(x, "f8")  # type: ignore[arg-type]
qf.cast(x, None)  # type: ignore[arg-type]

# String literals.
qf.cast(x, "float8e8m0", round_mode="up", target="reference", threads=2)
qf.cast(x, "float8e8m0", round_mode="even")  # type: ignore[arg-type]
qf.cast(x, "f16", target="gpu")  # type: ignore[arg-type]
values, scales = qf.block_quantize(x, "f4e2m1fn", "f8e8m0fnu", 32, "rceil", out=(None, tensor))
qf.block_quantize(x, "f4e2m1fn", "f8e8m0fnu", 32, "up")  # type: ignore[arg-type]
qf.block_dequantize(x, x, 32, tensor_scale=1.0, order="tensor_first")
qf.block_dequantize(x, x, 32, tensor_scale=1.0, order="first")  # type: ignore[arg-type]
qf.fakeconvert(x, 1.0, mode="openvino_reference")
qf.fakeconvert(x, 1.0, mode="fast")  # type: ignore[arg-type]
qf.opsets.accepts_type("Cast", 13, "input", "string")
qf.opsets.accepts_type("Relu", 13, "input", "f32")  # type: ignore[arg-type]
qf.opsets.accepts_attribute("Cast", 13, "to")  # type: ignore[arg-type]


# Models.
def ask(stage: str, detail: str, done: int) -> bool:
    return done < 10


module = qf.load("model.onnx", fakeconvert_mode="exact", progress=ask)
assert_type(module.emit("obj"), bytes)
assert_type(module.emit("obj", cpu="znver4", progress=ask), bytes)
module.emit("shared", "model.so", threads=2)
result: bytes = module.emit("shared", "model.so")  # type: ignore[assignment]
module.emit("exe")  # type: ignore[call-overload]
module.emit("ptx", target="tpu")  # type: ignore[call-overload]
module.emit("ptx", chips="sm_90")  # type: ignore[call-overload]
module.check("all")
module.check("own")  # type: ignore[arg-type]
assert_type(module.functions[0].inputs[0].shape, tuple[int | None, ...] | None)
assert_type(module.emit("ptx", target="nvvm", chip="sm_90", function="f"), bytes)
for report in module.compare_modes(x, [1.0], target="reference"):
    assert_type(report.comparisons[0].causes, dict[str, int])
module.compare_modes(x, target="nvvm")  # type: ignore[arg-type]
assert_type(qf.compare(x, [1.0]), qf.Difference)
kernel = qf.compile("model.onnx", partition=True, target="nvvm", path="model.so")
there = qf.to_device(x)
kernel(there, tensor, out=there)
kernel = qf.load_kernel("model.so", "main")
assert_type(kernel(x, [1.0], out=(None, y)), Any)
kernel("1")  # type: ignore[arg-type]
assert qf.check(module)[0].status != "bad"  # type: ignore[comparison-overlap]
