"""Element types of ONNX and others, with their names in MLIR, numpy and ml_dtypes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import ml_dtypes
import numpy as np

from . import _native

if TYPE_CHECKING:
    from .typing import DTypeLike

__all__ = ["BINARIES", "BY_DLPACK", "BY_NUMPY", "DTYPES", "ELEMENTS", "STRING", "DType", "dtype"]

# The first number of a type that ONNX lacks.
_FIRST_OWN = 64
# The first number of a format of IEEE P3109.
_FIRST_BINARY = 0x1000
# The prefix of types that MLIR lacks.
_PREFIX = "!quant_float."


class DType(NamedTuple):
    """An element type.

    Attributes:
        name: the name in ONNX, e.g. ``"float8e4m3fn"``, or in ONNX's style.
        number: the value of ONNX's ``TensorProto.DataType``, e.g. 17; 64 and above for types that
            ONNX lacks.
        mlir: the name in MLIR, e.g. ``"f8E4M3FN"``; unsigned integers are ``"ui8"``.
        bits: the width of a value. In memory every element has a whole number of bytes.
        numpy: the type of arrays with such elements. For float8ue5m3, which ml_dtypes lacks, it is
            uint8 with metadata: ``encodings.view(dtype.numpy)``. For strings it is ``object``; numpy's
            ``StringDType`` and ``str_`` are accepted, too.
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
        """The size of an element in memory in bytes; narrower elements have one byte."""
        return self.numpy.itemsize

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self.mlir.removeprefix(_PREFIX).startswith(("f", "bf", "binary"))

    @property
    def is_onnx(self) -> bool:
        """Whether ONNX tensors can have such elements."""
        return self.number < _FIRST_OWN

    @property
    def is_binary(self) -> bool:
        """Whether this is a format of IEEE P3109 that is no other type."""
        return self.number >= _FIRST_BINARY

    @property
    def range(self) -> tuple[int, int]:
        """The minimum and the maximum of an integer type or bool."""
        if self.name == "bool" or self.name.startswith("u"):
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1


def _get_numpy(name: str, numpy: str) -> np.dtype[Any]:
    # numpy's stubs do not declare metadata.
    make: Any = np.dtype
    found: np.dtype[Any] = (
        make(getattr(ml_dtypes, numpy, numpy))
        if numpy
        else make(np.uint8, metadata={"quant_float": name})
    )
    return found


_NUMBERS = [info for info in _native.get_elements() if info["bits"]]

#: The type of strings, which Cast and CastLike support.
STRING = DType("string", 8, "!quant_float.string", 0, np.dtype(object))

_ALL = {
    info["number"]: DType(
        info["onnx"],
        info["number"],
        info["mlir"],
        info["bits"],
        _get_numpy(info["onnx"], info["numpy"]),
    )
    for info in _NUMBERS
}

#: All numeric element types except the formats of IEEE P3109, by their number in ONNX.
DTYPES: dict[int, DType] = {number: entry for number, entry in _ALL.items() if not entry.is_binary}

#: The formats of IEEE P3109 with at most 8 bits, by name. Binary8p4sf and Binary8p3sf are
#: float8e4m3fnuz and float8e5m2fnuz.
BINARIES: dict[str, DType] = {entry.name: entry for entry in _ALL.values() if entry.is_binary} | {
    "binary8p4sf": DTYPES[18],
    "binary8p3sf": DTYPES[20],
}

#: Numeric types and strings, by their number in ONNX.
ELEMENTS: dict[int, DType] = _ALL | {STRING.number: STRING}

#: Numeric types, by DLPack's type code and bits.
BY_DLPACK = {
    (info["dlpack_code"], info["dlpack_bits"]): DTYPES[info["number"]]
    for info in _NUMBERS
    if info["dlpack_code"] >= 0
}

# numpy treats types with metadata as equal to those without.
BY_NUMPY = {entry.numpy: entry for entry in DTYPES.values() if not entry.numpy.metadata}


def _spell(entry: DType) -> tuple[str, ...]:
    bare = entry.mlir.removeprefix(_PREFIX)
    return entry.name, entry.mlir, bare, entry.name if entry.numpy.metadata else entry.numpy.name


_BY_MLIR = {entry.mlir: entry for entry in ELEMENTS.values()}
_BY_NAME = {"half": DTYPES[10], STRING.name: STRING} | {
    name.lower(): entry for entry in DTYPES.values() if entry.is_onnx for name in _spell(entry)
}
# OpenVINO's names that do not denote another type in ONNX; its "f8e4m3" is ONNX's float8e4m3fn.
for info in _NUMBERS:
    if info["openvino"]:
        _BY_NAME.setdefault(info["openvino"], DTYPES[info["number"]])
for entry in DTYPES.values():
    for name in _spell(entry):
        _BY_NAME.setdefault(name.lower(), entry)


def dtype(value: DTypeLike) -> DType:
    """Returns the element type that ``value`` denotes.

    Args:
        value: a :class:`DType`; a numpy or ml_dtypes type (``np.float16``,
            ``ml_dtypes.float8_e4m3fn``, ``array.dtype``, also of an array of strings), or ``str``;
            a name in ONNX, MLIR, numpy, ml_dtypes, OpenVINO or IEEE P3109, in upper or lower case
            (``"float8e4m3fn"``, ``"f8E4M3FN"``, ``"float8_e4m3fn"``, ``"f8e4m3"``, ``"string"``,
            ``"Binary8p4se"``), except that ``"f8E4M3"`` is the IEEE-like type of MLIR; its number;
            or a torch type.

    Raises:
        TypeError: the value is none of these, or denotes a type without tensors.
        ValueError: an array type has another byte order.
    """
    if type(value) is DType:
        return value
    if isinstance(value, np.dtype):
        metadata: Mapping[str, Any] = value.metadata or {}
        coded = metadata.get("quant_float")
        found = _find_name(str(coded)) if coded else BY_NUMPY.get(value)
        if value.kind in "OTU":
            found = STRING
        if found is None and not coded and value.newbyteorder("=") in BY_NUMPY:
            raise ValueError(f"dtype must be in the machine's byte order, but got {value.str}")
    elif isinstance(value, str):
        found = _BY_MLIR.get(value) or _find_name(value.lower())
    elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        found = ELEMENTS.get(int(value))
    elif isinstance(value, type):
        found = _find_class(value)
    else:
        # str(torch.float8_e4m3fn) is the name.
        found = _BY_NAME.get(str(value).removeprefix("torch."))
    if found is None:
        raise TypeError(f"dtype must be an element type of ONNX tensors, but got {value!r}")
    return found


def _find_name(name: str) -> DType | None:
    return _BY_NAME.get(name) or BINARIES.get(name.removeprefix(_PREFIX))


def _find_class(value: type) -> DType | None:
    if value is str:
        return STRING
    try:
        return BY_NUMPY.get(np.dtype(value))
    except TypeError:
        return None
