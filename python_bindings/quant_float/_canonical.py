"""The canonical forms of calls, so that calls share compiled code.

Adjacent dimensions that an op treats in the same way are collapsed into one dimension, and
dimensions of size 1 are removed: a cast always has one dimension, and a scale per axis needs at
most three. All sizes are dynamic, so arrays of any shape run the same kernel.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._arguments import require_choice, require_integer
from ._arrays import Tensor, pack_tensor, store_strings
from ._cache import kernel_cache
from ._device import describe
from ._disk import disk_cache
from ._errors import RunError
from ._kernels import Kernel
from ._types import STRING
from .typing import Target

__all__: list[str] = []

# The value of qf_status for overlapping memory.
_OVERLAP = 5

# In the order of the ops' syntax. `to` and `storage` are types, which have no keyword.
_SYNTAX = {
    "cast": ("mode", "opset", "projection", "saturate", "round_mode"),
    "quantize": ("axis", "block_size", "opset", "domain", "saturate", "precision", "round_mode"),
    "dequantize": ("axis", "block_size", "opset", "domain"),
    "qdq": (
        *("axis", "block_size", "storage", "opset", "domain", "saturate", "precision"),
        "round_mode",
    ),
    "fakeconvert": ("to", "mode", "opset"),
    "block_quantize": ("tensor_amax", "tensor_scale", "block", "rule", "round_mode", "random"),
    "block_dequantize": ("tensor_scale", "block", "order"),
    "convert_to_block": ("block", "projection"),
    "convert_from_block": ("block", "projection"),
}


class View(NamedTuple):
    """A tensor with other sizes.

    Attributes:
        tensor: the tensor that owns the memory.
        sizes: the sizes that the kernel uses.
        spelled: the sizes in the kernel's type, e.g. ``"?x?"``.
    """

    tensor: Tensor
    sizes: tuple[int, ...]
    spelled: str

    @property
    def type(self) -> str:
        element = self.tensor.dtype.mlir
        return f"tensor<{self.spelled}x{element}>" if self.spelled else f"tensor<{element}>"

    @property
    def declared(self) -> str:
        """The type and attributes of an argument or result of the kernel's function."""
        return f"{self.type} {{quant_float.packed}}" if self.tensor.packed else self.type


class Call:
    """A target that records a call instead of executing it.

    Attributes:
        key: identifies the kernel, in all processes.
        kernel: the kernel.
        inputs: views of its inputs, whose tensors have no memory.
        results: views of its results.
    """

    key: str
    kernel: Kernel
    inputs: list[View]
    results: list[View]


def _spell(sizes: tuple[int, ...]) -> str:
    return "x".join("?" * len(sizes))


def flatten(tensor: Tensor) -> View:
    """Returns a view with one dimension."""
    return View(tensor, (math.prod(tensor.shape),), "?")


def divide(
    x: Tensor, scale: Tensor, zero_point: Tensor | None, axis: int | None, block_size: int | None
) -> tuple[list[View], dict[str, Any]]:
    """Returns views of the operands of a quantization, and its granularity as attributes (Q1 to Q4)."""
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
    """Returns views of the operands of a fakeconvert, whose scale is broadcast as in numpy (K4, K5)."""
    rank = len(x.shape)
    padded = (1,) * (rank - len(scale.shape)) + scale.shape
    fits = len(padded) == rank and all(
        given in (1, size) for given, size in zip(padded, x.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"scale must broadcast to shape {x.shape}, but got {scale.shape}")
    # Collapse dimensions along which the scale is constant, and those along which it varies.
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


def divide_blocks(
    shape: tuple[int, ...], block: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Returns the shape of the scales, and the sizes, scale sizes and block sizes of the kernel.

    Adjacent dimensions that both are one block or both have blocks of one element are collapsed.
    """
    scales = tuple(
        1 if each == -1 else -(-size // each) for size, each in zip(shape, block, strict=True)
    )
    sizes: list[int] = []
    scale_sizes: list[int] = []
    blocks: list[int] = []
    for size, scale_size, each in zip(shape, scales, block, strict=True):
        if blocks and blocks[-1] == each and each in (1, -1):
            sizes[-1] *= size
            scale_sizes[-1] *= scale_size
        else:
            sizes.append(size)
            scale_sizes.append(scale_size)
            blocks.append(each)
    return scales, tuple(sizes), tuple(scale_sizes), tuple(blocks)


def view_blocks(x: Tensor, sizes: tuple[int, ...]) -> View:
    """Returns a view with the sizes of a kernel."""
    return View(x, sizes, _spell(sizes))


def view_scales(scale: Tensor, sizes: tuple[int, ...], blocks: tuple[int, ...]) -> View:
    """Returns a view of the scales. A dimension that is one block has one scale."""
    spelled = "x".join("1" if each == -1 else "?" for each in blocks)
    return View(scale, sizes, spelled)


def view_number(tensor: Tensor) -> View:
    """Returns a view without dimensions."""
    return View(tensor, (), "")


def spell_attributes(op: str, attributes: dict[str, Any], keywords: dict[str, str]) -> str:
    """Returns the attributes and keyword operands of an op in MLIR's syntax."""
    clauses = []
    for name in _SYNTAX[op]:
        if name in keywords:
            clauses.append(f"{name}({keywords[name]})")
        elif attributes.get(name) is not None:
            clauses.append(f"{name} {attributes[name]}")
    return " ".join(clauses)


def _write_module(
    op: str,
    attributes: dict[str, Any],
    operands: list[View],
    keywords: dict[str, View],
    results: list[View],
) -> str:
    """Returns a module that calls ``op``. ``keywords`` are operands that follow a keyword."""
    types, made = [view.type for view in operands], ", ".join(view.type for view in results)
    names = [f"%{name}" for name in ("x", "scale", "other", "random")[: len(types)]]
    clauses = spell_attributes(
        op, attributes, {name: f"%{name} : {view.type}" for name, view in keywords.items()}
    )
    arguments = [f"{name}: {view.declared}" for name, view in zip(names, operands, strict=True)]
    arguments += [f"%{name}: {view.declared}" for name, view in keywords.items()]
    values = ", ".join(f"%{index}" for index in range(len(results)))
    declared = ", ".join(view.declared for view in results)
    return (
        f"func.func @{op}({', '.join(arguments)}) -> ({declared}) {{\n"
        f"  {values} = quant_float.{op} {', '.join(names)} {clauses}\n"
        f"    : {', '.join(types)} to {made}\n"
        f"  return {values} : {made}\n"
        "}\n"
    )


def run(
    op: str,
    attributes: dict[str, Any],
    operands: list[View],
    results: list[View],
    target: Target | Call,
    threads: int,
    keywords: dict[str, View] | None = None,
) -> None:
    """Computes ``op`` into ``results``. ``keywords`` are operands that follow a keyword."""
    keywords = keywords or {}
    inputs = [*operands, *keywords.values()]
    if not isinstance(target, Call):
        require_choice(target, "target", Target)
    threads = require_integer(threads, "threads", 0, 4096)

    def write() -> bytes:
        return _write_module(op, attributes, operands, keywords, results).encode()

    if target == "reference":
        model = _parse(op, write())
        _require_apart(op, inputs, results)
        _evaluate(model, inputs, results)
        return
    key = (
        op,
        tuple(attributes.values()),
        tuple(view.declared for view in operands),
        tuple((name, view.declared) for name, view in keywords.items()),
        tuple(view.declared for view in results),
        threads,
    )
    kernel = kernel_cache.get(key, lambda: compile_text(op, write(), threads))
    if isinstance(target, Call):
        target.key, target.kernel, target.inputs, target.results = str(key), kernel, inputs, results
        return
    kernel.run(
        [view.tensor._replace(shape=view.sizes) for view in inputs],
        [view.tensor._replace(shape=view.sizes) for view in results],
    )


def compile_text(op: str, text: bytes, threads: int) -> Kernel:
    options = _native.Options()
    options.cpu, options.threads = "host", threads
    native = disk_cache.get(
        lambda: text,
        options,
        lambda path: _parse(op, text).compile_to_file(path, options, None),
        lambda: _parse(op, text).compile(options, None),
    )
    return Kernel(native, 0)


def _parse(op: str, text: bytes) -> _native.Model:
    return _native.Model.parse(_native.MLIR, text, f"<{op}>", True, -1, b"", b"", None)


def _require_apart(op: str, inputs: list[View], results: list[View]) -> None:
    """Raises the error of kernels for outputs that overlap inputs or other outputs."""
    for number, result in enumerate(results):
        others = [(f"input {index}", view) for index, view in enumerate(inputs)]
        others += [(f"output {index}", view) for index, view in enumerate(results[:number])]
        for other, view in others:
            # Strings are copied. The check is exact for contiguous memory.
            if STRING in (view.tensor.dtype, result.tensor.dtype):
                continue
            if np.may_share_memory(view.tensor.data, result.tensor.data):
                raise RunError(f"{op}: output {number}: overlaps {other}", status=_OVERLAP)


def _evaluate(model: _native.Model, inputs: list[View], results: list[View]) -> None:
    tensors = [describe(view.tensor._replace(shape=view.sizes)) for view in inputs]
    for result, data in zip(results, model.evaluate(0, tensors), strict=True):
        if isinstance(data, tuple):
            result.tensor.data[:] = data[0]
            store_strings(result.tensor)
        elif result.tensor.packed:
            tensor = result.tensor._replace(data=data, packed=False)
            result.tensor.data[...] = pack_tensor(tensor).bytes
        else:
            result.tensor.data[...] = data.reshape(result.tensor.data.shape)
