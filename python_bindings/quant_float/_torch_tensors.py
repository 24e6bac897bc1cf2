"""Tensors of PyTorch as operands, and how they store elements of each type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch  # type: ignore[import-not-found, unused-ignore]

from ._arrays import Tensor
from ._types import DTYPES, DType
from ._types import dtype as _parse_dtype

__all__: list[str] = []

#: A type of torch, or a name as in :func:`quant_float.dtype`.
TorchDTypeLike: TypeAlias = "torch.dtype | str"

_PACKED = "float4_e2m1fn_x2"


class Storage(NamedTuple):
    """How tensors store elements of a type."""

    element: DType
    dtype: torch.dtype
    packed: bool = False

    def get_shape(self, shape: Sequence[Any]) -> list[Any]:
        """The sizes of a tensor with elements of this shape."""
        if not self.packed:
            return list(shape)
        if not shape:
            raise ValueError(f"a tensor of {_PACKED} must have at least one dimension")
        torch._check(
            shape[-1] % 2 == 0,
            lambda: f"the last dimension must be even for {_PACKED}, but got {shape[-1]}",
        )
        return [*shape[:-1], shape[-1] // 2]


def _make_storage(entry: DType) -> Storage:
    found = getattr(torch, entry.numpy.name, None)
    if entry.name != "bool" and entry.bits < 8 or not isinstance(found, torch.dtype):
        found = torch.int8 if entry.name in ("int4", "int2") else torch.uint8
    return Storage(entry, found)


def _as_dtype(name: str) -> DType:
    parse: Callable[[Any], DType] = _parse_dtype
    return parse(name)


_STORAGE = {entry.name: _make_storage(entry) for entry in DTYPES.values()}
_BY_TORCH = {
    storage.dtype: storage
    for storage in _STORAGE.values()
    if getattr(torch, storage.element.numpy.name, None) is storage.dtype
    and (storage.element.bits >= 8 or storage.element.name == "bool")
    and not storage.element.numpy.metadata
}
if hasattr(torch, _PACKED):
    _packed = Storage(_as_dtype("float4e2m1"), getattr(torch, _PACKED), packed=True)
    _STORAGE[_PACKED] = _BY_TORCH[_packed.dtype] = _packed


def get_name(dtype: TorchDTypeLike | None) -> str | None:
    """The name of a type in the schemas of the operators."""
    if dtype is None:
        return None
    name = str(dtype).removeprefix("torch.")
    return name if name in _STORAGE else _as_dtype(name).name


def get_storage(name: str) -> Storage:
    return _STORAGE[name] if name in _STORAGE else _STORAGE[_as_dtype(name).name]


def find_storage(x: torch.Tensor, label: str, name: str | None = None) -> Storage:
    """The storage of a tensor, whose elements have the type of this name."""
    if name is None:
        found = _BY_TORCH.get(x.dtype)
        if found is None:
            raise TypeError(f"{label} must have an element type of ONNX tensors, but got {x.dtype}")
        return found
    found = get_storage(name)
    if x.dtype is not found.dtype:
        raise TypeError(
            f"{label} must be a tensor of {found.dtype} for type {name}, but got {x.dtype}"
        )
    return found


def take(x: torch.Tensor, label: str, name: str | None = None) -> Tensor:
    """A tensor as an operand; it is copied only if it is not contiguous."""
    if x.device.type != "cpu":
        raise ValueError(f"{label} must be in the CPU's memory, but got device {x.device}")
    element, _, packed = find_storage(x, label, name)
    x = x.contiguous()
    shape = tuple(x.shape)
    if packed:
        if not shape:
            raise ValueError(f"{label} of {_PACKED} must have at least one dimension")
        shape = (*shape[:-1], 2 * shape[-1])
    return Tensor(x.data_ptr(), element, shape, x, packed=packed)


def take_optional(x: torch.Tensor | None, label: str, name: str | None = None) -> Tensor | None:
    return None if x is None else take(x, label, name)


def allocate(storage: Storage, shape: Sequence[int]) -> Any:
    """A new tensor for elements of this shape, as an output."""
    made = torch.empty(storage.get_shape(shape), dtype=storage.dtype)
    return Tensor(made.data_ptr(), storage.element, tuple(shape), made, packed=storage.packed)


def get_shape(x: torch.Tensor, label: str, name: str | None = None) -> list[Any]:
    """The sizes in elements, which may be symbolic."""
    shape = list(x.shape)
    if find_storage(x, label, name).packed:
        shape[-1] = 2 * shape[-1]
    return shape


def make_like(x: torch.Tensor, shape: list[Any], storage: Storage) -> torch.Tensor:
    """A tensor of the kind of ``x``, which is fake, with other elements."""
    return x.new_empty(storage.get_shape(shape), dtype=storage.dtype)


def get_quantized_name(zero_point: torch.Tensor | None, dtype: str | None) -> str:
    if dtype is not None:
        return dtype
    if zero_point is None:
        return "uint8"
    return find_storage(zero_point, "zero_point").element.name


def get_wide_name(scale: torch.Tensor, dtype: str | None, scale_dtype: str | None) -> str:
    return dtype if dtype is not None else find_storage(scale, "scale", scale_dtype).element.name


def count_blocks(shape: Sequence[Any], block: Sequence[int]) -> tuple[list[int], list[Any]]:
    """A size of blocks for each dimension, and the number of blocks along it."""
    rank = len(shape)
    blocks: list[int] = [*[1] * (rank - 1), *block] if len(block) == 1 else list(block)
    if rank < 1 or len(blocks) != rank or any(size == 0 or size < -1 for size in blocks):
        raise ValueError(
            f"block must be a size, or one for each dimension, of at least 1 or -1, but got {block}"
        )
    counts = [
        1 if each == -1 else (size + each - 1) // each
        for size, each in zip(shape, blocks, strict=True)
    ]
    return blocks, counts
