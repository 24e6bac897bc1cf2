"""Results as arrays of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._arrays import UNSIGNED, PackedArray, take, take_packed
from ._types import BY_DLPACK
from .typing import Array

__all__ = ["DLPackArray", "as_dlpack"]

_DLPACK = {entry: key for key, entry in BY_DLPACK.items()}


class DLPackArray:
    """An array with ``__dlpack__`` for all element types that DLPack has, created by
    :func:`as_dlpack`.

    Attributes:
        array: the array that owns the memory.
    """

    __slots__ = ("_exported", "array")

    def __init__(self, array: Array | PackedArray, exported: Any) -> None:
        self.array, self._exported = array, exported

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **options: Any) -> Any:
        return self._exported.__dlpack__(**options)

    def __repr__(self) -> str:
        return f"<quant_float.DLPackArray {self.array!r}>"


def as_dlpack(array: Array | PackedArray) -> DLPackArray:
    """Returns an object with ``__dlpack__`` for the memory of an array.

    numpy exports only arrays of its own types. Other libraries import this object without a copy, such
    as by ``torch.from_dlpack`` and ``jax.dlpack.from_dlpack``, also with the types of ml_dtypes. Packed
    elements of 4 bits become a type with two elements, such as ``torch.float4_e2m1fn_x2``.

    Args:
        array: a contiguous array, or a :class:`quant_float.PackedArray` of 4-bit elements with an even
            size of the last dimension.

    Raises:
        TypeError: DLPack has no type for the elements.
        ValueError: the array is not contiguous, or the last dimension is odd.

    >>> import numpy as np, quant_float as qf
    >>> x = qf.as_dlpack(qf.cast(np.float32([1, 500]), "float8e4m3fn"))
    >>> qf.cast(x, "float").tolist()
    [1.0, 448.0]
    """
    if isinstance(array, PackedArray):
        tensor = take_packed(array, array.dtype, "array")
        if tensor.dtype.bits != 4:
            raise TypeError(f"array must not be packed for type {tensor.dtype.name}")
        if not tensor.shape or tensor.shape[-1] % 2:
            raise ValueError(f"array must have an even last dimension, but got {tensor.shape}")
        data = tensor.data.reshape(*tensor.shape[:-1], tensor.shape[-1] // 2)
        lanes = 2
    else:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"array must be a numpy array, but got {type(array).__name__}")
        if not array.flags.c_contiguous:
            raise ValueError("array must be contiguous in row-major order")
        tensor = take(array, "array")
        data, lanes = array.view(UNSIGNED[array.itemsize]), 1
    key = _DLPACK.get(tensor.dtype)
    if key is None or (tensor.dtype.bits < 8 and lanes == 1 and tensor.dtype.name != "bool"):
        raise TypeError(
            f"array must have an element type of DLPack, but got {tensor.dtype.name}"
            + (" with one element per byte" if key else "")
        )
    return DLPackArray(array, _native.export_dlpack(data, *key, lanes))
