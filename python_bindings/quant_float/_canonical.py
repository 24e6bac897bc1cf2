"""The few forms that calls are brought into, so that they share compiled code.

Neighbouring dimensions that an op treats alike are one dimension, and those of one element are
left out: a cast is always of one dimension, a scale per axis makes three at most. All sizes are
open, so arrays of any shape run the same kernel.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._arguments import require_choice, require_integer
from ._arrays import Tensor, store_texts
from ._cache import kernel_cache
from ._device import describe
from ._disk import disk_cache
from ._errors import RunError
from ._kernels import Kernel
from ._types import STRING
from .typing import Target

__all__: list[str] = []

# Of qf_status.
_OVERLAP = 5

# In the order of the ops' syntax; `to` and `storage` are types without a keyword of their own name.
_SYNTAX = {
    "cast": ("mode", "opset", "saturate", "round_mode"),
    "quantize": ("axis", "block_size", "opset", "domain", "saturate", "precision", "round_mode"),
    "dequantize": ("axis", "block_size", "opset", "domain"),
    "qdq": (
        *("axis", "block_size", "storage", "opset", "domain", "saturate", "precision"),
        "round_mode",
    ),
    "fakeconvert": ("to", "mode", "opset"),
}


class View(NamedTuple):
    """A tensor under other sizes.

    Attributes:
        tensor: whose memory it is.
        sizes: the sizes it has for the kernel.
        spelled: as the kernel's type has them, ``"?x?"``.
    """

    tensor: Tensor
    sizes: tuple[int, ...]
    spelled: str

    @property
    def type(self) -> str:
        element = self.tensor.dtype.mlir
        return f"tensor<{self.spelled}x{element}>" if self.spelled else f"tensor<{element}>"


def _spell(sizes: tuple[int, ...]) -> str:
    return "x".join("?" * len(sizes))


def flatten(tensor: Tensor) -> View:
    """One dimension."""
    return View(tensor, (math.prod(tensor.shape),), "?")


def divide(
    x: Tensor, scale: Tensor, zero_point: Tensor | None, axis: int | None, block_size: int | None
) -> tuple[list[View], dict[str, Any]]:
    """Views of the operands of a quantization, and its granularity as attributes (Q1 to Q4)."""
    if zero_point is not None and not _have_same_shape(zero_point, scale):
        raise ValueError(
            f"zero_point must have the shape of scale, {scale.shape}, but got {zero_point.shape}"
        )
    operands = [scale] if zero_point is None else [scale, zero_point]
    if axis is None:
        if block_size is not None:
            raise ValueError("block_size requires an axis")
        if math.prod(scale.shape) != 1 or len(scale.shape) > 1:
            raise ValueError(
                f"scale must be one value if there is no axis, but got shape {scale.shape}"
            )
        return [flatten(x), *(View(operand, (), "") for operand in operands)], {}
    rank = len(x.shape)
    if not -rank <= axis < rank:
        raise ValueError(f"axis must be in [{-rank}, {rank - 1}], but got {axis}")
    axis %= rank
    size = x.shape[axis]
    if block_size is None:
        wanted: tuple[int, ...] = (size,)
    elif block_size < 1:
        raise ValueError(f"block_size must be 1 or more, but got {block_size}")
    else:
        wanted = (*x.shape[:axis], -(-size // block_size), *x.shape[axis + 1 :])
    if scale.shape != wanted:
        raise ValueError(f"scale must have shape {wanted}, but got {scale.shape}")
    return _divide_along(x, operands, axis, block_size)


def _have_same_shape(zero_point: Tensor, scale: Tensor) -> bool:
    one = {(), (1,)}
    return zero_point.shape == scale.shape or {zero_point.shape, scale.shape} <= one


def _divide_along(
    x: Tensor, operands: list[Tensor], axis: int, block_size: int | None
) -> tuple[list[View], dict[str, Any]]:
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    before, after = (outer,) if outer != 1 else (), (inner,) if inner != 1 else ()
    sizes = (*before, x.shape[axis], *after)
    attributes = {"axis": len(before)}
    if block_size is None:
        scale_sizes = (x.shape[axis],)
    else:
        attributes["block_size"] = block_size
        scale_sizes = (*before, -(-x.shape[axis] // block_size), *after)
    views = [View(operand, scale_sizes, _spell(scale_sizes)) for operand in operands]
    return [View(x, sizes, _spell(sizes)), *views], attributes


def group_broadcast(x: Tensor, scale: Tensor, shift: Tensor | None) -> list[View]:
    """Views of the operands of a fakeconvert, whose scale is broadcast as numpy does (K4, K5)."""
    rank = len(x.shape)
    padded = (1,) * (rank - len(scale.shape)) + scale.shape
    fits = len(padded) == rank and all(
        given in (1, size) for given, size in zip(padded, x.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"scale must broadcast to shape {x.shape}, but got {scale.shape}")
    # Runs of dimensions along which there is one scale, or one for each index.
    sizes: list[int] = []
    varies: list[bool] = []
    for given, size in zip(padded, x.shape, strict=True):
        if size == 1:
            continue
        if varies and varies[-1] == (given == size):
            sizes[-1] *= size
        else:
            sizes.append(size)
            varies.append(given == size)
    if not any(varies):
        sizes, varies = [math.prod(sizes)], []
    scale_sizes = tuple(size if each else 1 for size, each in zip(sizes, varies, strict=False))
    spelled = "x".join("?" if each else "1" for each in varies)
    operands = [scale] if shift is None else [scale, shift]
    views = [View(operand, scale_sizes, spelled) for operand in operands]
    return [View(x, tuple(sizes), _spell(tuple(sizes))), *views]


def _write_module(op: str, attributes: dict[str, Any], types: tuple[str, ...], result: str) -> str:
    names = [f"%{name}" for name in ("x", "scale", "other", "random")[: len(types)]]
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in zip(names, types, strict=True))
    words = [
        f"{word} {attributes[word]}" for word in _SYNTAX[op] if attributes.get(word) is not None
    ]
    return (
        f"func.func @{op}({arguments}) -> {result} {{\n"
        f"  %0 = quant_float.{op} {', '.join(names)} {' '.join(words)}\n"
        f"    : {', '.join(types)} to {result}\n"
        f"  return %0 : {result}\n"
        "}\n"
    )


def run(
    op: str,
    attributes: dict[str, Any],
    inputs: list[View],
    result: View,
    target: Target,
    threads: int,
) -> None:
    """Computes ``op`` from ``inputs`` into ``result``."""
    types = tuple(view.type for view in inputs)
    require_choice(target, "target", Target)
    threads = require_integer(threads, "threads", 0, 4096)
    if target == "reference":
        model = _parse(op, _write_module(op, attributes, types, result.type).encode())
        _require_apart(op, inputs, result)
        _evaluate(model, inputs, result)
        return
    key = (op, tuple(attributes.values()), types, result.type, threads)

    def make() -> Kernel:
        options = _native.Options()
        options.cpu, options.threads = "host", threads
        text = _write_module(op, attributes, types, result.type).encode()
        native = disk_cache.get(
            lambda: text,
            options,
            lambda path: _parse(op, text).compile_to_file(path, options, None),
            lambda: _parse(op, text).compile(options, None),
        )
        return Kernel(native, 0)

    kernel_cache.get(key, make).run(
        [view.tensor._replace(shape=view.sizes) for view in inputs],
        [result.tensor._replace(shape=result.sizes)],
    )


def _parse(op: str, text: bytes) -> _native.Model:
    return _native.Model.parse(_native.MLIR, text, f"<{op}>", True, -1, b"", b"", None)


def _require_apart(op: str, inputs: list[View], result: View) -> None:
    """As kernels refuse it."""
    for index, view in enumerate(inputs):
        # Strings are copied. Exact for contiguous memory.
        if STRING in (view.tensor.dtype, result.tensor.dtype):
            continue
        if np.may_share_memory(view.tensor.codes, result.tensor.codes):
            raise RunError(f"{op}: output 0: overlaps input {index}", status=_OVERLAP)


def _evaluate(model: _native.Model, inputs: list[View], result: View) -> None:
    tensors = [describe(view.tensor._replace(shape=view.sizes)) for view in inputs]
    (codes,) = model.evaluate(0, tensors)
    if isinstance(codes, tuple):
        result.tensor.codes[:] = codes[0]
        store_texts(result.tensor)
        return
    result.tensor.codes[...] = codes.reshape(result.tensor.codes.shape)
