"""Conversion of the caller's arrays to tensors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._types import BY_DLPACK, STRING, DType, dtype
from .typing import Array, ArrayLike

__all__: list[str] = []

# What the values of a type are viewed as: arrays of ml_dtypes' types export no buffer.
CODES: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.uint8),
    2: np.dtype(np.uint16),
    4: np.dtype(np.uint32),
    8: np.dtype(np.uint64),
}


#: In the number of an element type: QF_PACKED of quant-float-c/EntryPoint.h.
PACKED = 0x100


class PackedArray(NamedTuple):
    """Packed elements of 2, 4 or 6 bits, several per byte, as in files.

    Elements are packed from the lowest bits of the first byte on: two 4-bit elements per byte, the
    first in the low bits; four 2-bit elements per byte; four 6-bit elements in three bytes. Bits
    after the last element are ignored. Created by :func:`quant_float.pack`, or from the bytes of a
    file.

    Attributes:
        codes: the bytes, a one-dimensional array of numpy.uint8.
        dtype: the type of the elements.
        shape: the sizes.
    """

    codes: Array
    dtype: DType
    shape: tuple[int, ...]

    def unpack(self) -> Array:
        """Returns the elements, one per byte, as an array of the ml_dtypes type."""
        tensor = take_packed(self, self.dtype, "array")
        count = math.prod(tensor.shape)
        group, size = _get_group(tensor.dtype)
        padded = np.zeros((-(-count // group), 4), np.uint8)
        whole = np.zeros(len(padded) * size, np.uint8)
        whole[: tensor.codes.size] = tensor.codes
        padded[:, :size] = whole.reshape(-1, size)
        words = padded.view("<u4") >> (tensor.dtype.bits * np.arange(group, dtype=np.uint32))
        codes = (words & ((1 << tensor.dtype.bits) - 1)).astype(np.uint8).reshape(-1)[:count]
        if tensor.dtype.name in ("int4", "int2"):
            unused = 8 - tensor.dtype.bits
            codes = ((codes << unused).view(np.int8) >> unused).view(np.uint8)
        return codes.reshape(tensor.shape).view(tensor.dtype.numpy)


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
    padded[:count] = tensor.codes.reshape(-1)
    padded &= (1 << element.bits) - 1
    shifted = padded.reshape(-1, group) << (element.bits * np.arange(group, dtype=np.uint32))
    words = np.bitwise_or.reduce(shifted, axis=1).astype("<u4")
    codes = words.view(np.uint8).reshape(-1, 4)[:, :size].reshape(-1)
    return PackedArray(codes[: _count_bytes(element, count)].copy(), element, tensor.shape)


def _get_group(element: DType) -> tuple[int, int]:
    """As many elements as begin and end with a byte, and their bytes."""
    if element.bits not in (2, 4, 6):
        raise TypeError(f"packed elements must have 2, 4 or 6 bits, but got {element.name}")
    group = 8 // math.gcd(8, element.bits)
    return group, group * element.bits // 8


def _count_bytes(element: DType, count: int) -> int:
    return -(-count * element.bits // 8)


def take_packed(value: Any, element: DType, what: str) -> Tensor:
    """A packed input. Other arrays are packed."""
    if not isinstance(value, PackedArray):
        tensor = take(value, what, element=element, packed=True)
        require_dtype(tensor, element, what)
        if tensor.packed:
            return tensor
        value = pack_tensor(tensor)
    if value.dtype is not element:
        raise TypeError(f"{what} must have type {element.name}, but got {value.dtype.name}")
    return _view_packed(value, what)


def take_packed_output(out: Any, element: DType, shape: tuple[int, ...], what: str) -> Tensor:
    """``out`` as a packed output of this type and shape, or a new one where it is None."""
    if hasattr(out, "__dlpack__") and not isinstance(out, np.ndarray):
        tensor = take(out, what, writable=True, packed=True)
        if not tensor.packed:
            raise TypeError(f"{what} must have packed elements, but got {tensor.dtype.name}")
        return require_output(tensor, element, shape, what)
    if out is None:
        codes = np.empty(_count_bytes(element, math.prod(shape)), np.uint8)
        out = PackedArray(codes, element, shape)
    if not isinstance(out, PackedArray):
        raise TypeError(f"{what} must be a PackedArray, but got {type(out).__name__}")
    tensor = _view_packed(out, what)
    if not out.codes.flags.writeable:
        raise ValueError(f"{what} must be writable")
    return require_output(tensor, element, shape, what)


def _view_packed(value: PackedArray, what: str) -> Tensor:
    codes, element, shape = value
    _get_group(element)
    if (
        not isinstance(codes, np.ndarray)
        or codes.dtype != np.uint8
        or codes.ndim != 1
        or not codes.flags.c_contiguous
    ):
        raise TypeError(
            f"{what} must have its packed elements in a contiguous one-dimensional array of uint8"
        )
    wanted = _count_bytes(element, math.prod(shape))
    if codes.size != wanted:
        raise ValueError(
            f"{what} must have {wanted} bytes of packed {element.name} of shape {tuple(shape)}, "
            f"but got {codes.size}"
        )
    return Tensor(codes, element, tuple(shape), value, packed=True)


class Tensor(NamedTuple):
    """Somebody's memory as the compiled code takes it."""

    #: Or an address in a GPU's memory; a list of strings, which is empty where they come to be.
    codes: Any
    dtype: DType
    shape: tuple[int, ...]
    #: What the caller gave or gets.
    array: Any
    #: What keeps the memory, besides.
    owner: Any = None
    #: Whether the codes are those of a PackedArray.
    packed: bool = False

    @property
    def number(self) -> int:
        """The element type's, as the compiled code has it."""
        return self.dtype.number | (PACKED if self.packed else 0)


def allocate(element: DType, shape: tuple[int, ...]) -> Tensor:
    """A new array."""
    if element is STRING:
        return Tensor([], element, shape, np.empty(shape, element.numpy))
    try:
        array = np.empty(shape, element.numpy)
    except ValueError as error:
        raise ValueError(f"a result of shape {shape} cannot be allocated: {error}") from None
    return Tensor(array.view(CODES[element.itemsize]), element, shape, array)


def take(
    value: Any,
    what: str,
    *,
    element: DType | None = None,
    writable: bool = False,
    packed: bool = False,
) -> Tensor:
    """The tensor that ``value`` is.

    What compiled code can read or write in place is not copied. Of inputs everything else is: other
    strides and byte orders, numbers of Python and lists of them.

    Args:
        value: a numpy array, or anything with ``__dlpack__`` in the CPU's memory; of inputs also a
            number of numpy or Python, or a list or tuple of numbers; of strings likewise. A
            :class:`Tensor` is used as it is.
        what: its name in messages.
        element: what numbers of Python become, rounded once; without one, what numpy makes of them.
        writable: whether it is an output.
        packed: whether packed elements are accepted. Otherwise those of inputs are unpacked.
    """
    if type(value) is Tensor:
        return value
    if isinstance(value, np.ndarray):
        return _take_array(value, what, writable)
    if not writable:
        if isinstance(value, np.generic):
            return _take_array(np.asarray(value), what, writable)
        maybe_strings = element is STRING or (element is None and _holds_strings(value))
        if maybe_strings and isinstance(value, (str, list, tuple)):
            return _take_array(np.array(value, object), what, writable)
        if isinstance(value, (int, float, list, tuple)):
            return _take_array(_convert_numbers(value, what, element), what, writable)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        tensor = _take_dlpack(value, what, writable)
        return tensor if packed or not tensor.packed else _unpack(tensor, what, writable)
    wanted = "a numpy array or have __dlpack__"
    wanted += "" if writable else ", or be a number or a list of numbers"
    raise TypeError(f"{what} must be {wanted}, but got {type(value).__name__}")


def _holds_strings(value: Any) -> bool:
    """Whether a list, of lists perhaps, begins with a string."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, str)


def _convert_numbers(value: Any, what: str, element: DType | None) -> Array:
    if element is None and not isinstance(value, (list, tuple)):
        return np.asarray(value)
    # Python's numbers as they are, of any size.
    objects = np.array(value, object)
    numbers = [x.item() if isinstance(x, np.generic) else x for x in objects.ravel().tolist()]
    for number in numbers:
        if isinstance(number, (list, tuple)):
            raise ValueError(
                f"{what} must have lists of equal lengths and nesting, but got {number!r} as an element"
            )
        if not isinstance(number, (int, float)):
            raise TypeError(f"{what} must contain numbers, but got {number!r}")
    if element is None:
        return np.asarray(value)
    if element.numpy.metadata:
        raise TypeError(f"{what} must be an array of encodings for type {element.name}")
    convert = _round_numbers if element.is_float else _convert_integers
    return convert(numbers, what, element).reshape(objects.shape)


def _convert_integers(numbers: list[Any], what: str, element: DType) -> Array:
    least, most = element.range
    for number in numbers:
        if not least <= number <= most or number != int(number):
            raise ValueError(f"{what} must be a value of type {element.name}, but got {number!r}")
    wide = np.uint64 if most > 2**63 else np.int64
    return np.array([int(number) for number in numbers], wide).astype(element.numpy)


def _round_numbers(numbers: list[Any], what: str, element: DType) -> Array:
    """Each rounded once, to nearest even, where numpy and ml_dtypes go through other types."""
    wide = np.float32 if element.bits < 32 else np.float64
    try:
        near = np.array([float(number) for number in numbers], np.float64)
    except OverflowError:
        bits = max(int(number).bit_length() for number in numbers if isinstance(number, int))
        raise ValueError(
            f"{what} must be representable as a double, but got a number of {bits} bits"
        ) from None
    with np.errstate(all="ignore"):
        near = near.astype(wide)
        if element.bits < 64:
            # To odd: the next rounding is then that of the number. Python compares exactly.
            pairs = list(zip(near.tolist(), numbers, strict=True))
            beyond = np.array([abs(got) > abs(wanted) for got, wanted in pairs], bool)
            near = np.where(beyond, np.nextafter(near, wide(0)), near)
            unlike = np.array([got != wanted for got, wanted in pairs], bool)
            near.view(CODES[near.itemsize])[unlike] |= 1
        return near.astype(element.numpy)


def _take_array(array: Array, what: str, writable: bool) -> Tensor:
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} must be an array without a mask, but got a masked array")
    if not writable and not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    try:
        element = dtype(array.dtype)
    except (TypeError, ValueError) as error:
        # "dtype must be ..." is about this array's.
        raise type(error)(f"{what}: {error}") from None
    if writable and not array.flags.writeable:
        raise ValueError(f"{what} must be writable, but got a read-only array")
    if element is STRING:
        return _take_texts(array, what, writable)
    codes = _make_contiguous(np.asarray(array), what, writable).view(CODES[element.itemsize])
    return Tensor(codes, element, array.shape, array)


def _take_texts(array: Array, what: str, writable: bool) -> Tensor:
    if writable:
        # What is too long for an array of fixed width, numpy would cut off.
        if array.dtype.kind == "U":
            raise TypeError(
                f"{what} must be an array of objects or StringDType, but got {array.dtype}"
            )
        return Tensor([], STRING, array.shape, array)
    texts = array.ravel().tolist()
    if texts and not any(isinstance(text, str) for text in texts):
        raise TypeError(
            f"{what}: dtype must be an element type of ONNX tensors, but got {array.dtype!r}"
        )
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"{what} must contain strings, but got {text!r} in element {index}")
    return Tensor(texts, STRING, array.shape, array)


def store_texts(tensor: Tensor) -> None:
    """Writes the strings that a run has put into the list of an output to its array."""
    if tensor.dtype is STRING:
        texts = np.empty(len(tensor.codes), object)
        texts[:] = tensor.codes
        tensor.array[...] = texts.reshape(tensor.array.shape)


def _make_contiguous(array: Array, what: str, writable: bool) -> Array:
    if array.flags.c_contiguous:
        return array
    if writable:
        raise ValueError(f"{what} must be contiguous in row-major order")
    return array.copy(order="C")


def _take_dlpack(value: Any, what: str, writable: bool) -> Tensor:
    device = value.__dlpack_device__()[0]
    if device != 1:
        raise ValueError(f"{what} must be in the CPU's memory, but got DLPack device {int(device)}")
    try:
        codes, code, bits = _native.view_dlpack(value, writable)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        kind = "writable DLPack array" if writable else "DLPack array"
        raise ValueError(f"{what} must be a {kind}: {error}") from None
    element = BY_DLPACK.get((code, bits))
    # There are no codes of types that have several values in a byte, other than 4 bits.
    if element is None or codes is None:
        raise TypeError(
            f"{what} must have an element type of ONNX tensors, but got DLPack type {code} "
            f"of {bits} bits"
        )
    codes = _make_contiguous(codes, what, writable)
    if element.bits != 4:
        return Tensor(codes, element, codes.shape, value)
    if not codes.shape:
        raise ValueError(f"{what} must have at least one dimension, but got a packed scalar")
    shape = (*codes.shape[:-1], 2 * codes.shape[-1])
    return Tensor(codes.reshape(-1), element, shape, value, packed=True)


def _unpack(tensor: Tensor, what: str, writable: bool) -> Tensor:
    if writable:
        raise TypeError(f"{what} must have one element per byte, but got packed elements")
    array = PackedArray(tensor.codes, tensor.dtype, tensor.shape).unpack()
    return _take_array(array, what, writable)


def require_dtype(tensor: Tensor, element: DType, what: str) -> None:
    if tensor.dtype is not element:
        raise TypeError(f"{what} must have type {element.name}, but got {tensor.dtype.name}")


def take_output(
    out: Any, element: DType, shape: tuple[int, ...], what: str, *, packed: bool = False
) -> Tensor:
    """``out`` as an output of this type and shape, or a new array where it is None."""
    if out is None:
        return allocate(element, shape)
    return require_output(take(out, what, writable=True, packed=packed), element, shape, what)


def require_output(tensor: Tensor, element: DType, shape: tuple[int, ...], what: str) -> Tensor:
    require_dtype(tensor, element, what)
    if tensor.shape != shape:
        raise ValueError(f"{what} must have shape {shape}, but got {tensor.shape}")
    return tensor
