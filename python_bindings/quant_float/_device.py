"""Memory of the first GPU: arrays of callers, and arrays that kernels create."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _native
from ._arrays import UNSIGNED, Tensor, take
from ._types import BY_DLPACK, BY_NUMPY, DTYPES
from .typing import Array, ArrayLike

__all__ = ["DeviceArray", "to_device"]

# DLPack's devices for CUDA memory and CUDA managed memory.
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
        data = np.empty(self.shape, UNSIGNED[self._element.itemsize])
        self._tensors.read(self._index, (data, self._element.number, self.shape))
        return data.view(self.dtype)

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
    """Returns a tensor in the form that the extension accepts."""
    return tensor.data, tensor.number, tensor.shape


def is_on_device(value: Any) -> bool:
    """Whether an array is in GPU memory."""
    if isinstance(value, (np.ndarray, np.generic, int, float, list, tuple, type(None))):
        return False
    if hasattr(value, "__dlpack_device__"):
        return bool(value.__dlpack_device__()[0] in (_CUDA, _MANAGED))
    return hasattr(value, "__cuda_array_interface__")


def take_on_device(value: Any, label: str, *, writable: bool = False) -> Tensor:
    """Returns an array in GPU memory as a tensor."""
    if isinstance(value, DeviceArray):
        return Tensor(value._address, value._element, value.shape, value)
    if hasattr(value, "__dlpack_device__"):
        return _take_dlpack(value, label, writable)
    return _take_interface(value, label, writable)


def _take_dlpack(value: Any, label: str, writable: bool) -> Tensor:
    device, number = (int(part) for part in value.__dlpack_device__())
    if device == _CUDA and number:
        raise ValueError(f"{label} must be in the memory of GPU 0, but got GPU {number}")
    try:
        found = _native.view_device_dlpack(value, writable)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"{label} must be a DLPack array: {error}") from None
    address, code, bits, shape, is_contiguous, owner = found
    element = BY_DLPACK.get((code, bits))
    if element is None or bits % 8:
        raise TypeError(
            f"{label} must have an element type of ONNX tensors, but got DLPack type {code} "
            f"of {bits} bits"
        )
    if not is_contiguous:
        raise ValueError(f"{label} must be contiguous in row-major order")
    return Tensor(address, element, shape, value, owner)


def _take_interface(value: Any, label: str, writable: bool) -> Tensor:
    interface = value.__cuda_array_interface__
    kind = np.dtype(interface["typestr"])
    element = BY_NUMPY.get(kind)
    if element is None:
        raise TypeError(f"{label} must have an element type of ONNX tensors, but got {kind.str}")
    shape = tuple(int(size) for size in interface["shape"])
    if interface.get("mask") is not None:
        raise TypeError(f"{label} must be an array without a mask, but got a masked array")
    strides = interface.get("strides")
    if strides is not None and not _is_contiguous(shape, strides, kind.itemsize):
        raise ValueError(f"{label} must be contiguous in row-major order")
    address, is_read_only = interface["data"]
    if writable and is_read_only:
        raise ValueError(f"{label} must be writable, but got a read-only array")
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
    """Waits for all work on the first GPU. Other libraries may still be computing inputs on streams
    that kernels do not wait for."""
    global _context
    cuda = ctypes.CDLL("libcuda.so.1")
    if _context is None:
        device, context = ctypes.c_int(), ctypes.c_void_p()
        if cuda.cuInit(0) or cuda.cuDeviceGet(ctypes.byref(device), 0):
            return  # The next call reports the reason.
        if cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device):
            return
        _context = context
    if not cuda.cuCtxPushCurrent_v2(_context):
        # A pending error belongs to the library that launched the work, and remains pending.
        cuda.cuCtxSynchronize()
        cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def put(inputs: Sequence[Tensor]) -> tuple[list[Any], _native.Tensors | None]:
    """Describes tensors in GPU memory. Host tensors are copied to the GPU; the result keeps the copies alive."""
    copies = None
    synchronize()
    given = [describe(tensor) for tensor in inputs]
    hosted = [index for index, tensor in enumerate(inputs) if not isinstance(tensor.data, int)]
    if hosted:
        copies = _native.copy_to_device([given[index] for index in hosted])
        for position, index in enumerate(hosted):
            given[index] = copies.describe(position)
    return given, copies


def run(
    kernel: _native.Kernel,
    entry: int,
    given: Sequence[Any],
    outputs: Sequence[Tensor | None],
) -> list[Any]:
    """Runs on the tensors that :func:`put` described; None means a new tensor in GPU memory."""
    # Allocate GPU memory for host outputs and new outputs.
    made: _native.Tensors | None = None
    if any(tensor is None or not isinstance(tensor.data, int) for tensor in outputs):
        made = kernel.allocate_outputs(entry, given)
    results: list[Any] = []
    described = []
    for index, tensor in enumerate(outputs):
        if tensor is not None and isinstance(tensor.data, int):
            described.append(describe(tensor))
            results.append(tensor.array)
            continue
        assert made is not None
        described.append(made.describe(index))
        results.append(DeviceArray(made, index) if tensor is None else tensor.array)
    kernel.run(entry, given, described, True)
    for index, tensor in enumerate(outputs):
        if tensor is not None and made is not None and not isinstance(tensor.data, int):
            made.read(index, describe(tensor))
    return results
