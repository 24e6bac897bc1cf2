"""Types of the arguments and results of this package, for annotations.

>>> import quant_float as qf
>>> from quant_float.typing import Array, ArrayLike, DTypeName
>>> def narrow(x: ArrayLike, to: DTypeName = "float8e4m3fn") -> Array:
...     return qf.cast(x, to)
>>> narrow([1.1, 500])
array([1.125, 448], dtype='float8_e4m3fn')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from ._types import DType
else:
    from typing import TypeVar

__all__ = [
    "Activations",
    "Array",
    "ArrayLike",
    "AttributeName",
    "BinaryName",
    "BlockRule",
    "CompileTarget",
    "DTypeLike",
    "DTypeName",
    "Draft",
    "EmitKind",
    "FakeConvertMode",
    "OpName",
    "Out",
    "Progress",
    "RoleName",
    "RoundMode",
    "Rounding",
    "Saturation",
    "ScaleOrder",
    "Accumulation",
    "SupportsCuda",
    "SupportsDLPack",
    "Target",
    "TorchDType",
]

# The names of element types in ONNX, in MLIR, and in numpy or ml_dtypes, and then the names that only
# OpenVINO or numpy's aliases have. Any case is accepted.
DTypeName: TypeAlias = Literal[
    "float", "f32", "float32",
    "uint8", "ui8",
    "int8", "i8",
    "uint16", "ui16",
    "int16", "i16",
    "int32", "i32",
    "int64", "i64",
    "bool", "i1",
    "float16", "f16",
    "double", "f64", "float64",
    "uint32", "ui32",
    "uint64", "ui64",
    "bfloat16", "bf16",
    "float8e4m3fn", "f8E4M3FN", "f8e4m3fn", "float8_e4m3fn",
    "float8e4m3fnuz", "f8E4M3FNUZ", "f8e4m3fnuz", "float8_e4m3fnuz",
    "float8e5m2", "f8E5M2", "f8e5m2", "float8_e5m2",
    "float8e5m2fnuz", "f8E5M2FNUZ", "f8e5m2fnuz", "float8_e5m2fnuz",
    "uint4", "ui4",
    "int4", "i4",
    "float4e2m1", "f4E2M1FN", "f4e2m1fn", "float4_e2m1fn",
    "float8e8m0", "f8E8M0FNU", "f8e8m0fnu", "float8_e8m0fnu",
    "uint2", "ui2",
    "int2", "i2",
    "float6e2m3", "f6E2M3FN", "f6e2m3fn", "float6_e2m3fn",
    "float6e3m2", "f6E3M2FN", "f6e3m2fn", "float6_e3m2fn",
    "float8e3m4", "f8E3M4", "f8e3m4", "float8_e3m4",
    "float8e4m3", "f8E4M3", "float8_e4m3",
    "float8e4m3b11fnuz", "f8E4M3B11FNUZ", "f8e4m3b11fnuz", "float8_e4m3b11fnuz",
    "float8ue5m3", "!quant_float.f8UE5M3", "!quant_float.f8ue5m3", "f8UE5M3", "f8ue5m3",
    "string",
    "half", "boolean", "u2", "u4", "u8", "u16", "u32", "u64", "f8e4m3", "f8e8m0", "f4e2m1",
]  # fmt: skip

#: The formats of IEEE P3109 with at most 8 bits.
BinaryName: TypeAlias = Literal[
    "binary3p1se", "binary3p1sf", "binary3p1ue", "binary3p1uf", "binary3p2se", "binary3p2sf",
    "binary3p2ue", "binary3p2uf", "binary3p3ue", "binary3p3uf",
    "binary4p1se", "binary4p1sf", "binary4p1ue", "binary4p1uf", "binary4p2se", "binary4p2sf",
    "binary4p2ue", "binary4p2uf", "binary4p3se", "binary4p3sf", "binary4p3ue", "binary4p3uf",
    "binary4p4ue", "binary4p4uf",
    "binary5p1se", "binary5p1sf", "binary5p1ue", "binary5p1uf", "binary5p2se", "binary5p2sf",
    "binary5p2ue", "binary5p2uf", "binary5p3se", "binary5p3sf", "binary5p3ue", "binary5p3uf",
    "binary5p4se", "binary5p4sf", "binary5p4ue", "binary5p4uf", "binary5p5ue", "binary5p5uf",
    "binary6p1se", "binary6p1sf", "binary6p1ue", "binary6p1uf", "binary6p2se", "binary6p2sf",
    "binary6p2ue", "binary6p2uf", "binary6p3se", "binary6p3sf", "binary6p3ue", "binary6p3uf",
    "binary6p4se", "binary6p4sf", "binary6p4ue", "binary6p4uf", "binary6p5se", "binary6p5sf",
    "binary6p5ue", "binary6p5uf", "binary6p6ue", "binary6p6uf",
    "binary7p1se", "binary7p1sf", "binary7p1ue", "binary7p1uf", "binary7p2se", "binary7p2sf",
    "binary7p2ue", "binary7p2uf", "binary7p3se", "binary7p3sf", "binary7p3ue", "binary7p3uf",
    "binary7p4se", "binary7p4sf", "binary7p4ue", "binary7p4uf", "binary7p5se", "binary7p5sf",
    "binary7p5ue", "binary7p5uf", "binary7p6se", "binary7p6sf", "binary7p6ue", "binary7p6uf",
    "binary7p7ue", "binary7p7uf",
    "binary8p1se", "binary8p1sf", "binary8p1ue", "binary8p1uf", "binary8p2se", "binary8p2sf",
    "binary8p2ue", "binary8p2uf", "binary8p3se", "binary8p3sf", "binary8p3ue", "binary8p3uf",
    "binary8p4se", "binary8p4sf", "binary8p4ue", "binary8p4uf", "binary8p5se", "binary8p5sf",
    "binary8p5ue", "binary8p5uf", "binary8p6se", "binary8p6sf", "binary8p6ue", "binary8p6uf",
    "binary8p7se", "binary8p7sf", "binary8p7ue", "binary8p7uf", "binary8p8ue", "binary8p8uf",
]  # fmt: skip

#: The target of a function of arrays.
Target: TypeAlias = Literal["cpu", "reference"]
#: The target of a compiled model.
CompileTarget: TypeAlias = Literal["cpu", "nvvm"]
RoundMode: TypeAlias = Literal["up", "down", "nearest", "stochastic"]
#: A draft of IEEE P3109.
Draft: TypeAlias = Literal["D1"]
#: A rounding mode of IEEE P3109.
Rounding: TypeAlias = Literal[
    "NearestTiesToEven",
    "NearestTiesToAway",
    "TowardPositive",
    "TowardNegative",
    "TowardZero",
    "ToOdd",
    "StochasticA",
    "StochasticB",
    "StochasticC",
]
#: A saturation mode of IEEE P3109.
Saturation: TypeAlias = Literal["SatFinite", "SatPropagate", "SatNone"]
#: A rule that derives the scale of a block from its largest magnitude.
BlockRule: TypeAlias = Literal[
    "floor",
    "ceil",
    "even",
    "rceil",
    "ceil_exact",
    "nearest",
    "tosa",
    "absmax",
    "deepgemm",
    "ggml",
    "transformer_engine",
    "torchao",
    "model_optimizer",
    "compressed_tensors",
]
#: Which of two scales :func:`quant_float.block_dequantize` multiplies by first.
ScaleOrder: TypeAlias = Literal["block_first", "tensor_first"]
FakeConvertMode: TypeAlias = Literal["exact", "openvino", "openvino_reference"]
Accumulation: TypeAlias = Literal["ordered", "reassociate"]
Activations: TypeAlias = Literal["float", "int16", "int8"]
EmitKind: TypeAlias = Literal[
    "mlir", "llvm-dialect", "llvm-ir", "asm", "obj", "shared", "header", "ptx", "cubin"
]
OpName: TypeAlias = Literal[
    "Cast",
    "CastLike",
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "BitCast",
    "ConvInteger",
    "MatMulInteger",
    "QLinearConv",
    "QLinearMatMul",
    "com.microsoft.QuantizeLinear",
    "com.microsoft.DequantizeLinear",
    "com.microsoft.QGemm",
    "quant_float.Cast",
    "quant_float.QuantizeLinear",
    "quant_float.DequantizeLinear",
]
RoleName: TypeAlias = Literal["input", "scale", "result"]
AttributeName: TypeAlias = Literal[
    "saturate", "round_mode", "axis", "block_size", "output_dtype", "precision"
]

#: A callback that is called with the stage, the detail and the number of completed steps of the
#: stage. If it returns False, the operation is cancelled with :class:`quant_float.Error`. Its
#: exceptions propagate to the caller.
Progress: TypeAlias = Callable[[Literal["read", "lower", "generate"], str, int], "bool | None"]


class SupportsDLPack(Protocol):
    """An array of another library, such as torch, jax or cupy."""

    def __dlpack__(self) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, Any]: ...


class SupportsCuda(Protocol):
    """An array in GPU memory, of cupy, numba or torch."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class TorchDType(Protocol):
    """A ``torch.dtype``."""

    @property
    def is_floating_point(self) -> bool: ...
    @property
    def is_complex(self) -> bool: ...


#: An array of any of numpy's or ml_dtypes' element types.
Array: TypeAlias = np.ndarray[Any, Any]
#: An input.
ArrayLike: TypeAlias = "Array | np.generic | SupportsDLPack | float | list[Any] | tuple[Any, ...]"
#: An output.
if TYPE_CHECKING:
    Out = TypeVar("Out", bound="Array | SupportsDLPack", default=Array)
else:
    Out = TypeVar("Out", bound="Array | SupportsDLPack")
#: Anything that denotes an element type, see :func:`quant_float.dtype`.
DTypeLike: TypeAlias = (
    "DType | DTypeName | BinaryName | np.dtype[Any] | type[Any] | int | TorchDType"
)
