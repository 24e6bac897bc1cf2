"""Conversion of the caller's arrays to tensors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._types import BY_DLPACK, STRING, DType, dtype
from .typing import Array, ArrayLike

__all__: list[str] = []

# Arrays of ml_dtypes' types export no buffer, so they are viewed as these types.
UNSIGNED: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.uint8),
    2: np.dtype(np.uint16),
    4: np.dtype(np.uint32),
    8: np.dtype(np.uint64),
}


#: The flag QF_PACKED of quant-float-c/EntryPoint.h in the number of an element type.
PACKED = 0x100


class PackedArray(NamedTuple):
    """Packed elements of 2, 4 or 6 bits, several per byte, as in files.

    Elements are packed from the lowest bits of the first byte on: two 4-bit elements per byte, the
    first in the low bits; four 2-bit elements per byte; four 6-bit elements in three bytes. Bits
    after the last element are ignored. Created by :func:`quant_float.pack`, or from the bytes of a
    file.

    Attributes:
        bytes: the packed elements, a one-dimensional array of numpy.uint8.
        dtype: the type of the elements.
        shape: the sizes.
    """

    bytes: Array
    dtype: DType
    shape: tuple[int, ...]

    def unpack(self) -> Array:
        """Returns the elements, one per byte, as an array of the ml_dtypes type."""
        tensor = take_packed(self, self.dtype, "array")
        count = math.prod(tensor.shape)
        group, size = _get_group(tensor.dtype)
        padded = np.zeros((-(-count // group), 4), np.uint8)
        whole = np.zeros(len(padded) * size, np.uint8)
        whole[: tensor.data.size] = tensor.data
        padded[:, :size] = whole.reshape(-1, size)
        words = padded.view("<u4") >> (tensor.dtype.bits * np.arange(group, dtype=np.uint32))
        elements = (words & ((1 << tensor.dtype.bits) - 1)).astype(np.uint8).reshape(-1)[:count]
        if tensor.dtype.name in ("int4", "int2"):
            unused = 8 - tensor.dtype.bits
            elements = ((elements << unused).view(np.int8) >> unused).view(np.uint8)
        return elements.reshape(tensor.shape).view(tensor.dtype.numpy)


def pack(array: ArrayLike) -> PackedArray:
    """Packs an array of 2-, 4- or 6-bit elements, which have one byte each.

    Raises:
        TypeError: the elements have another type.
    """
    return pack_tensor(take(array, "array"))


def pack_tensor(tensor: Tensor) -> PackedArray:
    element = tensor.dtype
    group, size = _get_group(element)
    count = math.prod(tensor.shape)
    padded = np.zeros(-(-count // group) * group, np.uint32)
    padded[:count] = tensor.data.reshape(-1)
    padded &= (1 << element.bits) - 1
    shifted = padded.reshape(-1, group) << (element.bits * np.arange(group, dtype=np.uint32))
    words = np.bitwise_or.reduce(shifted, axis=1).astype("<u4")
    packed = words.view(np.uint8).reshape(-1, 4)[:, :size].reshape(-1)
    return PackedArray(packed[: _count_bytes(element, count)].copy(), element, tensor.shape)


def _get_group(element: DType) -> tuple[int, int]:
    """Returns the number of elements of the smallest group of whole bytes, and its bytes."""
    if element.bits not in (2, 4, 6):
        raise TypeError(f"packed elements must have 2, 4 or 6 bits, but got {element.name}")
    group = 8 // math.gcd(8, element.bits)
    return group, group * element.bits // 8


def _count_bytes(element: DType, count: int) -> int:
    return -(-count * element.bits // 8)


def take_packed(value: Any, element: DType, label: str) -> Tensor:
    """Returns a packed input. Other arrays are packed."""
    if not isinstance(value, PackedArray):
        tensor = take(value, label, element=element, packed=True)
        require_dtype(tensor, element, label)
        if tensor.packed:
            return tensor
        value = pack_tensor(tensor)
    if value.dtype is not element:
        raise TypeError(f"{label} must have type {element.name}, but got {value.dtype.name}")
    return _view_packed(value, label)


def take_packed_output(out: Any, element: DType, shape: tuple[int, ...], label: str) -> Tensor:
    """Returns ``out`` as a packed output of this type and shape, or a new one if it is None."""
    if hasattr(out, "__dlpack__") and not isinstance(out, np.ndarray):
        tensor = take(out, label, writable=True, packed=True)
        if not tensor.packed:
            raise TypeError(f"{label} must have packed elements, but got {tensor.dtype.name}")
        return require_output(tensor, element, shape, label)
    if out is None:
        packed = np.empty(_count_bytes(element, math.prod(shape)), np.uint8)
        out = PackedArray(packed, element, shape)
    if not isinstance(out, PackedArray):
        raise TypeError(f"{label} must be a PackedArray, but got {type(out).__name__}")
    tensor = _view_packed(out, label)
    if not out.bytes.flags.writeable:
        raise ValueError(f"{label} must be writable")
    return require_output(tensor, element, shape, label)


def _view_packed(value: PackedArray, label: str) -> Tensor:
    packed, element, shape = value
    _get_group(element)
    if (
        not isinstance(packed, np.ndarray)
        or packed.dtype != np.uint8
        or packed.ndim != 1
        or not packed.flags.c_contiguous
    ):
        raise TypeError(
            f"{label} must have its packed elements in a contiguous one-dimensional array of uint8"
        )
    wanted = _count_bytes(element, math.prod(shape))
    if packed.size != wanted:
        raise ValueError(
            f"{label} must have {wanted} bytes of packed {element.name} of shape {tuple(shape)}, "
            f"but got {packed.size}"
        )
    return Tensor(packed, element, tuple(shape), value, packed=True)


class Tensor(NamedTuple):
    """An array in the form that compiled code accepts."""

    #: The elements; or an address in GPU memory; or a list of strings, which is empty for outputs.
    data: Any
    dtype: DType
    shape: tuple[int, ...]
    #: The array of the caller, or the array that the caller receives.
    array: Any
    #: Another object that keeps the memory alive.
    owner: Any = None
    #: Whether the elements are packed.
    packed: bool = False

    @property
    def number(self) -> int:
        """The number of the element type in compiled code."""
        return self.dtype.number | (PACKED if self.packed else 0)


def allocate(element: DType, shape: tuple[int, ...]) -> Tensor:
    """Allocates a new array."""
    if element is STRING:
        return Tensor([], element, shape, np.empty(shape, element.numpy))
    try:
        array = np.empty(shape, element.numpy)
    except ValueError as error:
        raise ValueError(f"a result of shape {shape} cannot be allocated: {error}") from None
    return Tensor(array.view(UNSIGNED[element.itemsize]), element, shape, array)


def take(
    value: Any,
    label: str,
    *,
    element: DType | None = None,
    writable: bool = False,
    packed: bool = False,
) -> Tensor:
    """Returns ``value`` as a tensor.

    Arrays that compiled code can read or write in place are not copied. Other inputs are copied:
    arrays with other strides or byte orders, Python numbers and lists of them.

    Args:
        value: a numpy array, or an object with ``__dlpack__`` in CPU memory. Inputs may also be a
            number of numpy or Python, a string, or a list or tuple of numbers or strings. A
            :class:`Tensor` is returned unchanged.
        label: the name of the value in messages.
        element: the type to which Python numbers are rounded once; by default the type that numpy
            infers.
        writable: whether the value is an output.
        packed: whether packed elements are accepted. Otherwise packed inputs are unpacked.
    """
    if type(value) is Tensor:
        return value
    if isinstance(value, np.ndarray):
        return _take_array(value, label, writable)
    if not writable:
        if isinstance(value, np.generic):
            return _take_array(np.asarray(value), label, writable)
        maybe_strings = element is STRING or (element is None and _holds_strings(value))
        if maybe_strings and isinstance(value, (str, list, tuple)):
            return _take_array(np.array(value, object), label, writable)
        if isinstance(value, (int, float, list, tuple)):
            return _take_array(_convert_numbers(value, label, element), label, writable)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        tensor = _take_dlpack(value, label, writable)
        return tensor if packed or not tensor.packed else _unpack(tensor, label, writable)
    wanted = "a numpy array or have __dlpack__"
    wanted += "" if writable else ", or be a number or a list of numbers"
    raise TypeError(f"{label} must be {wanted}, but got {type(value).__name__}")


def _holds_strings(value: Any) -> bool:
    """Whether a string, or a possibly nested list, begins with a string."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, str)


def _convert_numbers(value: Any, label: str, element: DType | None) -> Array:
    if element is None and not isinstance(value, (list, tuple)):
        return np.asarray(value)
    # Objects keep Python numbers of any size.
    objects = np.array(value, object)
    numbers = [x.item() if isinstance(x, np.generic) else x for x in objects.ravel().tolist()]
    for number in numbers:
        if isinstance(number, (list, tuple)):
            raise ValueError(
                f"{label} must have lists of equal lengths and nesting, but got {number!r} as an element"
            )
        if not isinstance(number, (int, float)):
            raise TypeError(f"{label} must contain numbers, but got {number!r}")
    if element is None:
        return np.asarray(value)
    if element.numpy.metadata:
        raise TypeError(f"{label} must be an array of encodings for type {element.name}")
    convert = _round_numbers if element.is_float else _convert_integers
    return convert(numbers, label, element).reshape(objects.shape)


def _convert_integers(numbers: list[Any], label: str, element: DType) -> Array:
    low, high = element.range
    for number in numbers:
        if not low <= number <= high or number != int(number):
            raise ValueError(f"{label} must be a value of type {element.name}, but got {number!r}")
    wide = np.uint64 if high > 2**63 else np.int64
    return np.array([int(number) for number in numbers], wide).astype(element.numpy)


def _round_numbers(numbers: list[Any], label: str, element: DType) -> Array:
    """Rounds each number once, to nearest even. numpy and ml_dtypes round via other types."""
    wide = np.float32 if element.bits < 32 else np.float64
    try:
        near = np.array([float(number) for number in numbers], np.float64)
    except OverflowError:
        bits = max(int(number).bit_length() for number in numbers if isinstance(number, int))
        raise ValueError(
            f"{label} must be representable as a double, but got a number of {bits} bits"
        ) from None
    with np.errstate(all="ignore"):
        near = near.astype(wide)
        if element.bits < 64:
            # Round to odd, so that the next rounding gives the result of a single one. Python
            # compares exactly.
            pairs = list(zip(near.tolist(), numbers, strict=True))
            beyond = np.array([abs(got) > abs(wanted) for got, wanted in pairs], bool)
            near = np.where(beyond, np.nextafter(near, wide(0)), near)
            unlike = np.array([got != wanted for got, wanted in pairs], bool)
            near.view(UNSIGNED[near.itemsize])[unlike] |= 1
        return near.astype(element.numpy)


def _take_array(array: Array, label: str, writable: bool) -> Tensor:
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{label} must be an array without a mask, but got a masked array")
    if not writable and not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    try:
        element = dtype(array.dtype)
    except (TypeError, ValueError) as error:
        # Add the name of the array to the message "dtype must be ...".
        raise type(error)(f"{label}: {error}") from None
    if writable and not array.flags.writeable:
        raise ValueError(f"{label} must be writable, but got a read-only array")
    if element is STRING:
        return _take_strings(array, label, writable)
    data = _make_contiguous(np.asarray(array), label, writable).view(UNSIGNED[element.itemsize])
    return Tensor(data, element, array.shape, array)


def _take_strings(array: Array, label: str, writable: bool) -> Tensor:
    if writable:
        # numpy truncates strings that are too long for an array of fixed width.
        if array.dtype.kind == "U":
            raise TypeError(
                f"{label} must be an array of objects or StringDType, but got {array.dtype}"
            )
        return Tensor([], STRING, array.shape, array)
    strings = array.ravel().tolist()
    if strings and not any(isinstance(string, str) for string in strings):
        raise TypeError(
            f"{label}: dtype must be an element type of ONNX tensors, but got {array.dtype!r}"
        )
    for index, string in enumerate(strings):
        if not isinstance(string, str):
            raise TypeError(f"{label} must contain strings, but got {string!r} in element {index}")
    return Tensor(strings, STRING, array.shape, array)


def store_strings(tensor: Tensor) -> None:
    """Copies the strings of an output from the list that a run filled to the array."""
    if tensor.dtype is STRING:
        strings = np.empty(len(tensor.data), object)
        strings[:] = tensor.data
        tensor.array[...] = strings.reshape(tensor.array.shape)


def _make_contiguous(array: Array, label: str, writable: bool) -> Array:
    if array.flags.c_contiguous:
        return array
    if writable:
        raise ValueError(f"{label} must be contiguous in row-major order")
    return array.copy(order="C")


def _take_dlpack(value: Any, label: str, writable: bool) -> Tensor:
    device = value.__dlpack_device__()[0]
    if device != 1:
        raise ValueError(
            f"{label} must be in the CPU's memory, but got DLPack device {int(device)}"
        )
    try:
        data, code, bits = _native.view_dlpack(value, writable)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        kind = "writable DLPack array" if writable else "DLPack array"
        raise ValueError(f"{label} must be a {kind}: {error}") from None
    element = BY_DLPACK.get((code, bits))
    # The extension does not view packed types other than those of 4 bits.
    if element is None or data is None:
        raise TypeError(
            f"{label} must have an element type of ONNX tensors, but got DLPack type {code} "
            f"of {bits} bits"
        )
    data = _make_contiguous(data, label, writable)
    if element.bits != 4:
        return Tensor(data, element, data.shape, value)
    if not data.shape:
        raise ValueError(f"{label} must have at least one dimension, but got a packed scalar")
    shape = (*data.shape[:-1], 2 * data.shape[-1])
    return Tensor(data.reshape(-1), element, shape, value, packed=True)


def _unpack(tensor: Tensor, label: str, writable: bool) -> Tensor:
    if writable:
        raise TypeError(f"{label} must have one element per byte, but got packed elements")
    array = PackedArray(tensor.data, tensor.dtype, tensor.shape).unpack()
    return _take_array(array, label, writable)


def require_dtype(tensor: Tensor, element: DType, label: str) -> None:
    if tensor.dtype is not element:
        raise TypeError(f"{label} must have type {element.name}, but got {tensor.dtype.name}")


def take_output(
    out: Any, element: DType, shape: tuple[int, ...], label: str, *, packed: bool = False
) -> Tensor:
    """Returns ``out`` as an output of this type and shape, or a new array if it is None."""
    if out is None:
        return allocate(element, shape)
    return require_output(take(out, label, writable=True, packed=packed), element, shape, label)


def require_output(tensor: Tensor, element: DType, shape: tuple[int, ...], label: str) -> Tensor:
    require_dtype(tensor, element, label)
    if tensor.shape != shape:
        raise ValueError(f"{label} must have shape {shape}, but got {tensor.shape}")
    return tensor
