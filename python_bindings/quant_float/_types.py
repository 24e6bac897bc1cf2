"""Element types: ONNX's, with their names in MLIR, numpy and ml_dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import ml_dtypes
import numpy as np

if TYPE_CHECKING:
    from .typing import DTypeLike

__all__ = ["DTYPES", "DType", "dtype"]


class DType(NamedTuple):
    """An element type.

    Attributes:
        name: ONNX's name, e.g. ``"float8e4m3fn"``.
        number: ONNX's ``TensorProto.DataType``, e.g. 17.
        mlir: MLIR's name, e.g. ``"f8E4M3FN"``; unsigned integers are ``"ui8"``.
        bits: the width of a value. In memory every element takes whole bytes.
        numpy: the type of arrays that hold such elements.
    """

    name: str
    number: int
    mlir: str
    bits: int
    numpy: np.dtype[Any]

    def __str__(self) -> str:
        return self.name

    @property
    def itemsize(self) -> int:
        """Bytes of an element in memory; values narrower than a byte have one of their own."""
        return self.numpy.itemsize

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type, of whatever width."""
        return self.mlir.startswith(("f", "bf"))

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type or bool."""
        if self.name == "bool" or self.name.startswith("u"):
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1


#: Every element type, by ONNX's number.
DTYPES: dict[int, DType] = {
    number: DType(name, number, mlir, bits, np.dtype(scalar))
    for number, name, mlir, bits, scalar in [
        (1, "float", "f32", 32, np.float32),
        (2, "uint8", "ui8", 8, np.uint8),
        (3, "int8", "i8", 8, np.int8),
        (4, "uint16", "ui16", 16, np.uint16),
        (5, "int16", "i16", 16, np.int16),
        (6, "int32", "i32", 32, np.int32),
        (7, "int64", "i64", 64, np.int64),
        (9, "bool", "i1", 1, np.bool_),
        (10, "float16", "f16", 16, np.float16),
        (11, "double", "f64", 64, np.float64),
        (12, "uint32", "ui32", 32, np.uint32),
        (13, "uint64", "ui64", 64, np.uint64),
        (16, "bfloat16", "bf16", 16, ml_dtypes.bfloat16),
        (17, "float8e4m3fn", "f8E4M3FN", 8, ml_dtypes.float8_e4m3fn),
        (18, "float8e4m3fnuz", "f8E4M3FNUZ", 8, ml_dtypes.float8_e4m3fnuz),
        (19, "float8e5m2", "f8E5M2", 8, ml_dtypes.float8_e5m2),
        (20, "float8e5m2fnuz", "f8E5M2FNUZ", 8, ml_dtypes.float8_e5m2fnuz),
        (21, "uint4", "ui4", 4, ml_dtypes.uint4),
        (22, "int4", "i4", 4, ml_dtypes.int4),
        (23, "float4e2m1", "f4E2M1FN", 4, ml_dtypes.float4_e2m1fn),
        (24, "float8e8m0", "f8E8M0FNU", 8, ml_dtypes.float8_e8m0fnu),
        (25, "uint2", "ui2", 2, ml_dtypes.uint2),
        (26, "int2", "i2", 2, ml_dtypes.int2),
        (27, "float6e2m3", "f6E2M3FN", 6, ml_dtypes.float6_e2m3fn),
        (28, "float6e3m2", "f6E3M2FN", 6, ml_dtypes.float6_e3m2fn),
    ]
}

_BY_NUMPY = {entry.numpy: entry for entry in DTYPES.values()}
_BY_NAME = {
    name.lower(): entry
    for entry in DTYPES.values()
    for name in (entry.name, entry.mlir, entry.numpy.name)
}
# OpenVINO's names, where they are nobody else's, and what remains of MLIR's signed ones.
_BY_NAME |= {
    other: _BY_NAME[name]
    for other, name in [
        ("float", "f32"),
        ("half", "f16"),
        ("boolean", "i1"),
        ("u2", "ui2"),
        ("u4", "ui4"),
        ("u8", "ui8"),
        ("u16", "ui16"),
        ("u32", "ui32"),
        ("u64", "ui64"),
        ("f8e4m3", "f8e4m3fn"),
        ("f8e8m0", "f8e8m0fnu"),
        ("f4e2m1", "f4e2m1fn"),
    ]
}


def dtype(value: DTypeLike) -> DType:
    """The element type that ``value`` means.

    Args:
        value: a :class:`DType`; a numpy or ml_dtypes type (``np.float16``,
            ``ml_dtypes.float8_e4m3fn``, ``array.dtype``); a name as ONNX, MLIR, numpy, ml_dtypes
            or OpenVINO spell it, in any case (``"float8e4m3fn"``, ``"f8E4M3FN"``,
            ``"float8_e4m3fn"``, ``"f8e4m3"``); ONNX's number; or a torch type.

    Raises:
        TypeError: it is none of these, or a type that ONNX's tensors of numbers do not have.
        ValueError: an array type in the other byte order.
    """
    if type(value) is DType:
        return value
    if isinstance(value, np.dtype):
        found = _BY_NUMPY.get(value)
        if found is None and value.newbyteorder("=") in _BY_NUMPY:
            raise ValueError(f"dtype must be in the machine's byte order, but got {value.str}")
    elif isinstance(value, str):
        found = _BY_NAME.get(value.lower())
    elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        found = DTYPES.get(int(value))
    elif isinstance(value, type):
        found = _find_class(value)
    else:
        # torch.float8_e4m3fn prints as that.
        found = _BY_NAME.get(str(value).removeprefix("torch."))
    if found is None:
        raise TypeError(f"dtype must be an element type of ONNX tensors, but got {value!r}")
    return found


def _find_class(value: type) -> DType | None:
    try:
        return _BY_NUMPY.get(np.dtype(value))
    except TypeError:
        return None
