"""Arrays of callers as tensors, without copies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._types import DTYPES, DType, dtype

__all__: list[str] = []

# What the values of a type are viewed as: arrays of ml_dtypes' types export no buffer.
_CODES: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.uint8),
    2: np.dtype(np.uint16),
    4: np.dtype(np.uint32),
    8: np.dtype(np.uint64),
}

# DLPack's type codes and widths. Narrower types have several values in a byte there.
_DLPACK = {
    (code, entry.bits): entry
    for code, numbers in [
        (0, (3, 5, 6, 7)),
        (1, (2, 4, 12, 13)),
        (2, (1, 10, 11)),
        (4, (16,)),
        (10, (17,)),
        (11, (18,)),
        (12, (19,)),
        (13, (20,)),
        (14, (24,)),
    ]
    for entry in (DTYPES[number] for number in numbers)
} | {(6, 8): DTYPES[9]}


class Tensor(NamedTuple):
    """Somebody's memory as the compiled code takes it."""

    codes: np.ndarray
    dtype: DType
    shape: tuple[int, ...]
    #: What the caller gave or gets.
    array: Any


def allocate(element: DType, shape: tuple[int, ...]) -> Tensor:
    """A new array."""
    try:
        array = np.empty(shape, element.numpy)
    except ValueError as error:
        raise ValueError(f"a result of shape {shape} cannot be had: {error}") from None
    return Tensor(array.view(_CODES[element.itemsize]), element, shape, array)


def take(value: Any, what: str, *, scalar: DType | None = None, writable: bool = False) -> Tensor:
    """The tensor that ``value`` is.

    Args:
        value: a numpy array or scalar, or anything with ``__dlpack__`` in the CPU's memory; where
            ``scalar`` says of which type, a number of Python as well.
        what: its name in messages.
        writable: whether it is an output.
    """
    if isinstance(value, np.ndarray):
        return _take_array(value, what, writable)
    if isinstance(value, np.generic) and not writable:
        return _take_array(np.asarray(value), what, writable)
    if scalar is not None and isinstance(value, (bool, int, float)):
        return _take_array(_convert_scalar(value, what, scalar), what, writable)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _take_dlpack(value, what, writable)
    wanted = "a numpy array or have __dlpack__"
    raise TypeError(f"{what} must be {wanted}, but got {type(value).__name__}")


def _convert_scalar(value: float, what: str, element: DType) -> np.ndarray:
    if element.is_float:
        return _round_number(value, what, element)
    least, most = element.range
    if not least <= value <= most or value != int(value):
        raise ValueError(f"{what} must be a value of type {element.name}, but got {value!r}")
    wide = np.uint64 if most > 2**63 else np.int64
    return np.array(int(value), wide).astype(element.numpy)


def _round_number(value: float, what: str, element: DType) -> np.ndarray:
    """``value`` rounded once, to nearest even, where numpy and ml_dtypes go through other types."""
    wide = np.float32 if element.bits < 32 else np.float64
    try:
        near = np.array(float(value), np.float64)
    except OverflowError:
        raise ValueError(
            f"{what} must be a number that a double holds, but got one of "
            f"{int(value).bit_length()} bits"
        ) from None
    with np.errstate(all="ignore"):
        near = near.astype(wide)
        if element.bits < 64 and float(near) != value:
            # To odd: the next rounding is then that of the number. Python compares exactly.
            if abs(float(near)) > abs(value):
                near = np.array(np.nextafter(near, wide(0)))
            near.view(_CODES[near.itemsize])[...] |= 1
        return near.astype(element.numpy)


def _take_array(array: np.ndarray, what: str, writable: bool) -> Tensor:
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} must be an array without a mask, but got a masked one")
    try:
        element = dtype(array.dtype)
    except (TypeError, ValueError) as error:
        # "dtype must be ..." is about this array's.
        raise type(error)(f"{what}: {error}") from None
    if not array.flags.c_contiguous:
        hint = "numpy.ascontiguousarray makes a copy that is"
        raise ValueError(f"{what} must be contiguous in row-major order ({hint})")
    if writable and not array.flags.writeable:
        raise ValueError(f"{what} must be writable, but got a read-only array")
    codes = np.asarray(array).view(_CODES[element.itemsize])
    return Tensor(codes, element, array.shape, array)


def _take_dlpack(value: Any, what: str, writable: bool) -> Tensor:
    device = value.__dlpack_device__()[0]
    if device != 1:
        raise ValueError(f"{what} must be in the CPU's memory, but got DLPack device {int(device)}")
    try:
        codes, code, bits, contiguous = _native.view_dlpack(value, writable)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        kind = "writable DLPack array" if writable else "DLPack array"
        raise ValueError(f"{what} must be a {kind}: {error}") from None
    element = _DLPACK.get((code, bits))
    if element is None:
        raise TypeError(
            f"{what} must have an element type of ONNX tensors, but got DLPack type {code} "
            f"of {bits} bits"
        )
    if not contiguous or codes is None:
        raise ValueError(f"{what} must be contiguous in row-major order")
    return Tensor(codes, element, codes.shape, value)


def require_dtype(tensor: Tensor, element: DType, what: str) -> None:
    if tensor.dtype is not element:
        raise TypeError(f"{what} must have type {element.name}, but got {tensor.dtype.name}")


def take_output(out: Any, element: DType, shape: tuple[int, ...], what: str) -> Tensor:
    """``out`` as an output of this type and shape, or a new array where it is None."""
    if out is None:
        return allocate(element, shape)
    tensor = take(out, what, writable=True)
    require_dtype(tensor, element, what)
    if tensor.shape != shape:
        raise ValueError(f"{what} must have shape {shape}, but got {tensor.shape}")
    return tensor
