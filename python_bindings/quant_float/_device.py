"""Memory of the first GPU: arrays of callers, and arrays that kernels create."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _native
from ._arrays import CODES, Tensor, take
from ._types import BY_DLPACK, BY_NUMPY, DTYPES
from .typing import Array, ArrayLike

__all__ = ["DeviceArray", "to_device"]

# Of DLPack's devices: CUDA's memory, and what it manages.
_CUDA, _MANAGED = 2, 13
_DLPACK = {entry: key for key, entry in BY_DLPACK.items()}


class DeviceArray:
    """An array in the memory of the first GPU, created by kernels and :func:`to_device`.

    Other libraries can use it without a copy, by ``__dlpack__`` or, for types that numpy has, by
    ``__cuda_array_interface__``. The memory is freed with the last reference to it.

    Attributes:
        shape: the sizes.
        dtype: the numpy or ml_dtypes type of the elements.
    """

    __slots__ = ("_address", "_element", "_index", "_tensors", "dtype", "shape")

    def __init__(self, tensors: _native.Tensors, index: int) -> None:
        if not isinstance(tensors, _native.Tensors):
            raise TypeError("a DeviceArray is only created by kernels and to_device")
        self._tensors, self._index = tensors, index
        self._address, number, self.shape = tensors.describe(index)
        self._element = DTYPES[number]
        self.dtype = self._element.numpy

    def numpy(self) -> Array:
        """Returns a copy in host memory."""
        codes = np.empty(self.shape, CODES[self._element.itemsize])
        self._tensors.read(self._index, (codes, self._element.number, self.shape))
        return codes.view(self.dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("an array in GPU memory requires a copy")
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.dtype.kind not in "biuf":
            raise AttributeError(f"__cuda_array_interface__ has no type {self._element.name}")
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._address, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, 0

    def __dlpack__(self, **_: Any) -> Any:
        """Results are complete when the kernel returns, so that no stream has to wait."""
        if self._element not in _DLPACK:
            raise BufferError(f"DLPack has no type {self._element.name}")
        code, bits = _DLPACK[self._element]
        if bits % 8:
            raise BufferError(
                f"DLPack packs elements of type {self._element.name}, which is not supported"
            )
        return self._tensors.make_capsule(self._index, code, bits, self._tensors)

    def __repr__(self) -> str:
        return f"<quant_float.DeviceArray {self._element.name}{list(self.shape)}>"


def to_device(array: ArrayLike) -> DeviceArray:
    """Copies an array to the memory of the first GPU.

    Args:
        array: an array, as an input of a kernel.

    Raises:
        TypeError, ValueError: as in :meth:`quant_float.Kernel.__call__`.
        RunError: there is no GPU, no driver, or not enough GPU memory.
    """
    tensor = take(array, "array")
    return DeviceArray(_native.copy_to_device([describe(tensor)]), 0)


def describe(tensor: Tensor) -> tuple[Array | int, int, tuple[int, ...]]:
    """A tensor as the extension takes it."""
    return tensor.codes, tensor.number, tensor.shape


def is_on_device(value: Any) -> bool:
    """Whether somebody's array is in a GPU's memory."""
    if isinstance(value, (np.ndarray, np.generic, int, float, list, tuple, type(None))):
        return False
    if hasattr(value, "__dlpack_device__"):
        return bool(value.__dlpack_device__()[0] in (_CUDA, _MANAGED))
    return hasattr(value, "__cuda_array_interface__")


def take_on_device(value: Any, what: str, *, writable: bool = False) -> Tensor:
    """The tensor that an array of a GPU is."""
    if isinstance(value, DeviceArray):
        return Tensor(value._address, value._element, value.shape, value)
    if hasattr(value, "__dlpack_device__"):
        return _take_dlpack(value, what, writable)
    return _take_interface(value, what, writable)


def _take_dlpack(value: Any, what: str, writable: bool) -> Tensor:
    device, number = (int(part) for part in value.__dlpack_device__())
    if device == _CUDA and number:
        raise ValueError(f"{what} must be in the memory of GPU 0, but got GPU {number}")
    try:
        found = _native.view_device_dlpack(value, writable)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"{what} must be a DLPack array: {error}") from None
    address, code, bits, shape, is_contiguous, owner = found
    element = BY_DLPACK.get((code, bits))
    if element is None or bits % 8:
        raise TypeError(
            f"{what} must have an element type of ONNX tensors, but got DLPack type {code} "
            f"of {bits} bits"
        )
    if not is_contiguous:
        raise ValueError(f"{what} must be contiguous in row-major order")
    return Tensor(address, element, shape, value, owner)


def _take_interface(value: Any, what: str, writable: bool) -> Tensor:
    interface = value.__cuda_array_interface__
    kind = np.dtype(interface["typestr"])
    element = BY_NUMPY.get(kind)
    if element is None:
        raise TypeError(f"{what} must have an element type of ONNX tensors, but got {kind.str}")
    shape = tuple(int(size) for size in interface["shape"])
    if interface.get("mask") is not None:
        raise TypeError(f"{what} must be an array without a mask, but got a masked array")
    strides = interface.get("strides")
    if strides is not None and not _is_contiguous(shape, strides, kind.itemsize):
        raise ValueError(f"{what} must be contiguous in row-major order")
    address, is_read_only = interface["data"]
    if writable and is_read_only:
        raise ValueError(f"{what} must be writable, but got a read-only array")
    return Tensor(int(address or 0), element, shape, value)


def _is_contiguous(shape: tuple[int, ...], strides: Sequence[int], step: int) -> bool:
    if 0 in shape:
        return True
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


_context: ctypes.c_void_p | None = None


def synchronize() -> None:
    """Waits for all that anybody has put on the first GPU: what makes inputs may be under way, on
    streams that kernels do not wait for."""
    global _context
    cuda = ctypes.CDLL("libcuda.so.1")
    if _context is None:
        device, context = ctypes.c_int(), ctypes.c_void_p()
        if cuda.cuInit(0) or cuda.cuDeviceGet(ctypes.byref(device), 0):
            return  # What comes next says why.
        if cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device):
            return
        _context = context
    if not cuda.cuCtxPushCurrent_v2(_context):
        # An error that is waiting there is of those whose work it was, and stays.
        cuda.cuCtxSynchronize()
        cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def put(inputs: Sequence[Tensor]) -> tuple[list[Any], _native.Tensors | None]:
    """Describes tensors in the GPU's memory. Those of the host are copied there, and live as long as the copies."""
    copies = None
    synchronize()
    given = [describe(tensor) for tensor in inputs]
    hosted = [index for index, tensor in enumerate(inputs) if not isinstance(tensor.codes, int)]
    if hosted:
        copies = _native.copy_to_device([given[index] for index in hosted])
        for place, index in enumerate(hosted):
            given[index] = copies.describe(place)
    return given, copies


def run(
    kernel: _native.Kernel,
    entry: int,
    given: Sequence[Any],
    outputs: Sequence[Tensor | None],
) -> list[Any]:
    """Runs on what :func:`put` has described; None stands for new tensors there."""
    # In place of those of the host, and of those that nobody has given.
    made: _native.Tensors | None = None
    if any(tensor is None or not isinstance(tensor.codes, int) for tensor in outputs):
        made = kernel.allocate_outputs(entry, given)
    results: list[Any] = []
    places = []
    for index, tensor in enumerate(outputs):
        if tensor is not None and isinstance(tensor.codes, int):
            places.append(describe(tensor))
            results.append(tensor.array)
            continue
        assert made is not None
        places.append(made.describe(index))
        results.append(DeviceArray(made, index) if tensor is None else tensor.array)
    kernel.run(entry, given, places, True)
    for index, tensor in enumerate(outputs):
        if tensor is not None and made is not None and not isinstance(tensor.codes, int):
            made.read(index, describe(tensor))
    return results
