"""The ops as custom operators of PyTorch on CPU tensors, and a backend of ``torch.compile``.

    >>> import torch, quant_float.torch as qt
    >>> qt.cast(torch.tensor([0.1, -2.0, 500.0]), torch.float8_e4m3fn)
    tensor([ 0.1016,  -2.0000, 448.0000], dtype=torch.float8_e4m3fn)

Importing this module registers ``torch.ops.quant_float.cast``, ``quantize``, ``dequantize``, ``qdq``,
``fakeconvert``, ``block_quantize`` and ``block_dequantize``, with kernels for the CPU and for fake
tensors, and the backend ``quant_float``. The functions of this module call the operators; the rules are
those of the functions of :mod:`quant_float` with the same names. Contiguous tensors are not copied.

Types are those of torch, or names. ``torch.float4_e2m1fn_x2`` is packed: the size of its last dimension
is half the number of elements. Values of types that torch lacks, such as int4, float6 and float8e3m4, are
tensors of uint8 (int8 for int4 and int2) with the encoding of one element per byte. The argument
``x_dtype`` names the type of such an input.

:func:`qdq` and :func:`fakeconvert` pass gradients to ``x`` unchanged (straight-through estimator).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    raise ImportError(f"quant_float.torch requires PyTorch: {error}") from error

from . import _functions
from ._torch_tensors import (
    TorchDTypeLike,
    allocate,
    count_blocks,
    find_storage,
    get_name,
    get_quantized_name,
    get_shape,
    get_storage,
    get_wide_name,
    make_like,
    take,
    take_optional,
)
from .typing import BlockRule, FakeConvertMode, RoundMode, ScaleOrder

__all__ = [
    "backend",
    "block_dequantize",
    "block_quantize",
    "cast",
    "dequantize",
    "fakeconvert",
    "qdq",
    "quantize",
]

TensorLike: TypeAlias = "torch.Tensor | float"

_library = torch.library.Library("quant_float", "DEF")

_SCHEMAS = (
    "cast(Tensor x, str dtype, Tensor? random=None, *, bool? saturate=None, "
    "str? round_mode=None, int? opset=None, str? x_dtype=None, int threads=1) -> Tensor",
    "quantize(Tensor x, Tensor scale, Tensor? zero_point=None, Tensor? random=None, *, "
    "str? dtype=None, int? axis=None, int? block_size=None, bool? saturate=None, "
    "str? precision=None, int? opset=None, str? scale_dtype=None, int threads=1) -> Tensor",
    "dequantize(Tensor x, Tensor scale, Tensor? zero_point=None, *, str? dtype=None, "
    "int? axis=None, int? block_size=None, int? opset=None, str? x_dtype=None, "
    "str? scale_dtype=None, int threads=1) -> Tensor",
    "qdq(Tensor x, Tensor scale, Tensor? zero_point=None, Tensor? random=None, *, str storage, "
    "int? axis=None, int? block_size=None, bool? saturate=None, str? precision=None, int? opset=None, str? scale_dtype=None, int threads=1) -> Tensor",
    "fakeconvert(Tensor x, Tensor scale, Tensor? shift=None, *, str dtype='float8e4m3fn', "
    "str mode='exact', int threads=1) -> Tensor",
    "block_quantize(Tensor x, str dtype, str scale_dtype, int[] block, str rule, "
    "Tensor? tensor_amax=None, Tensor? tensor_scale=None, Tensor? random=None, *, int threads=1) "
    "-> Tensor[]",
    "block_dequantize(Tensor x, Tensor scale, int[] block, Tensor? tensor_scale=None, *, "
    "str dtype='float', str? order=None, str? x_dtype=None, str? scale_dtype=None, "
    "int threads=1) -> Tensor",
)
for _schema in _SCHEMAS:
    _library.define(_schema, tags=(torch.Tag.pt2_compliant_tag,))

_Kernel: TypeAlias = Callable[..., Any]


def _implement(name: str) -> Callable[[_Kernel], _Kernel]:
    """The operator's kernel for CPU tensors."""

    def register(kernel: _Kernel) -> _Kernel:
        _library.impl(name, kernel, "CPU")
        return kernel

    return register


def _implement_fake(name: str) -> Callable[[_Kernel], _Kernel]:
    """The operator's shape function."""

    def register(kernel: _Kernel) -> _Kernel:
        torch.library.register_fake(f"quant_float::{name}", kernel, lib=_library)
        return kernel

    return register


@_implement("cast")
def _cast(
    x: torch.Tensor,
    dtype: str,
    random: torch.Tensor | None = None,
    *,
    x_dtype: str | None = None,
    **options: Any,
) -> torch.Tensor:
    source, storage = take(x, "x", x_dtype), get_storage(dtype)
    out = allocate(storage, source.shape)
    bits = take_optional(random, "random")
    made: torch.Tensor = _functions.cast(source, storage.element, random=bits, out=out, **options)
    return made


@_implement_fake("cast")
def _cast_fake(
    x: torch.Tensor, dtype: str, *_: Any, x_dtype: str | None = None, **__: Any
) -> torch.Tensor:
    return make_like(x, get_shape(x, "x", x_dtype), get_storage(dtype))


@_implement("quantize")
def _quantize(
    x: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor | None = None,
    random: torch.Tensor | None = None,
    *,
    dtype: str | None = None,
    scale_dtype: str | None = None,
    **options: Any,
) -> torch.Tensor:
    source, storage = take(x, "x"), get_storage(get_quantized_name(zero_point, dtype))
    out = allocate(storage, source.shape)
    made: torch.Tensor = _functions.quantize(
        source,
        take(scale, "scale", scale_dtype),
        take_optional(zero_point, "zero_point", dtype),
        dtype=storage.element,
        random=take_optional(random, "random"),
        out=out,
        **options,
    )
    return made


@_implement_fake("quantize")
def _quantize_fake(
    x: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor | None = None,
    *_: Any,
    dtype: str | None = None,
    **__: Any,
) -> torch.Tensor:
    return make_like(x, get_shape(x, "x"), get_storage(get_quantized_name(zero_point, dtype)))


@_implement("dequantize")
def _dequantize(
    x: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor | None = None,
    *,
    dtype: str | None = None,
    x_dtype: str | None = None,
    scale_dtype: str | None = None,
    **options: Any,
) -> torch.Tensor:
    source = take(x, "x", x_dtype)
    storage = get_storage(get_wide_name(scale, dtype, scale_dtype))
    out = allocate(storage, source.shape)
    made: torch.Tensor = _functions.dequantize(
        source,
        take(scale, "scale", scale_dtype),
        take_optional(zero_point, "zero_point", x_dtype),
        dtype=storage.element,
        out=out,
        **options,
    )
    return made


@_implement_fake("dequantize")
def _dequantize_fake(
    x: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor | None = None,
    *,
    dtype: str | None = None,
    x_dtype: str | None = None,
    scale_dtype: str | None = None,
    **_: Any,
) -> torch.Tensor:
    storage = get_storage(get_wide_name(scale, dtype, scale_dtype))
    return make_like(x, get_shape(x, "x", x_dtype), storage)


@_implement("qdq")
def _qdq(
    x: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor | None = None,
    random: torch.Tensor | None = None,
    *,
    storage: str,
    scale_dtype: str | None = None,
    **options: Any,
) -> torch.Tensor:
    source = take(x, "x")
    out = allocate(find_storage(x, "x"), source.shape)
    made: torch.Tensor = _functions.qdq(
        source,
        take(scale, "scale", scale_dtype),
        take_optional(zero_point, "zero_point", storage),
        storage=get_storage(storage).element,
        random=take_optional(random, "random"),
        out=out,
        **options,
    )
    return made


@_implement("fakeconvert")
def _fakeconvert(
    x: torch.Tensor,
    scale: torch.Tensor,
    shift: torch.Tensor | None = None,
    *,
    dtype: str = "float8e4m3fn",
    **options: Any,
) -> torch.Tensor:
    source = take(x, "x")
    out = allocate(find_storage(x, "x"), source.shape)
    made: torch.Tensor = _functions.fakeconvert(
        source,
        take(scale, "scale"),
        take_optional(shift, "shift"),
        dtype=get_storage(dtype).element,
        out=out,
        **options,
    )
    return made


def _same_fake(x: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


_implement_fake("qdq")(_same_fake)
_implement_fake("fakeconvert")(_same_fake)


def _pass_gradient(ctx: Any, gradient: Any) -> Any:
    return gradient, *[None] * (ctx.inputs - 1)


def _set_up(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    ctx.inputs = len(inputs)


for _differentiable in ("qdq", "fakeconvert"):
    torch.library.register_autograd(
        f"quant_float::{_differentiable}", _pass_gradient, setup_context=_set_up, lib=_library
    )


@_implement("block_quantize")
def _block_quantize(
    x: torch.Tensor,
    dtype: str,
    scale_dtype: str,
    block: Sequence[int],
    rule: Any,
    tensor_amax: torch.Tensor | None = None,
    tensor_scale: torch.Tensor | None = None,
    random: torch.Tensor | None = None,
    **options: Any,
) -> list[torch.Tensor]:
    source = take(x, "x")
    blocks, counts = count_blocks(source.shape, block)
    storage, scales = get_storage(dtype), get_storage(scale_dtype)
    out = [allocate(storage, source.shape), allocate(scales, counts)]
    if rule in _functions.TWO_LEVELS and tensor_scale is None:
        out.append(allocate(get_storage("float"), ()))
    return list(
        _functions.block_quantize(
            source,
            storage.element,
            scales.element,
            tuple(blocks),
            rule,
            tensor_amax=take_optional(tensor_amax, "tensor_amax"),
            tensor_scale=take_optional(tensor_scale, "tensor_scale"),
            random=take_optional(random, "random"),
            out=tuple(out),
            **options,
        )
    )


@_implement_fake("block_quantize")
def _block_quantize_fake(
    x: torch.Tensor,
    dtype: str,
    scale_dtype: str,
    block: Sequence[int],
    rule: str,
    tensor_amax: torch.Tensor | None = None,
    tensor_scale: torch.Tensor | None = None,
    *_: Any,
    **__: Any,
) -> list[torch.Tensor]:
    shape = get_shape(x, "x")
    counts = count_blocks(shape, block)[1]
    made = [make_like(x, shape, get_storage(dtype)), make_like(x, counts, get_storage(scale_dtype))]
    if rule in _functions.TWO_LEVELS and tensor_scale is None:
        made.append(make_like(x, [], get_storage("float")))
    return made


@_implement("block_dequantize")
def _block_dequantize(
    x: torch.Tensor,
    scale: torch.Tensor,
    block: Sequence[int],
    tensor_scale: torch.Tensor | None = None,
    *,
    dtype: str = "float",
    x_dtype: str | None = None,
    scale_dtype: str | None = None,
    **options: Any,
) -> torch.Tensor:
    source, storage = take(x, "x", x_dtype), get_storage(dtype)
    blocks, _ = count_blocks(source.shape, block)
    out = allocate(storage, source.shape)
    made: torch.Tensor = _functions.block_dequantize(
        source,
        take(scale, "scale", scale_dtype),
        tuple(blocks),
        dtype=storage.element,
        tensor_scale=take_optional(tensor_scale, "tensor_scale"),
        out=out,
        **options,
    )
    return made


@_implement_fake("block_dequantize")
def _block_dequantize_fake(
    x: torch.Tensor,
    scale: torch.Tensor,
    block: Sequence[int],
    *_: Any,
    dtype: str = "float",
    x_dtype: str | None = None,
    **__: Any,
) -> torch.Tensor:
    return make_like(x, get_shape(x, "x", x_dtype), get_storage(dtype))


_ops = torch.ops.quant_float


def _as_tensor(value: TensorLike, x: torch.Tensor) -> torch.Tensor:
    """Numbers have the type of ``x``, or float."""
    if isinstance(value, torch.Tensor):
        return value
    return torch.tensor(value, dtype=x.dtype if x.dtype.is_floating_point else torch.float32)


def _as_zero_point(value: torch.Tensor | int | None, name: str) -> torch.Tensor | None:
    if value is None or isinstance(value, torch.Tensor):
        return value
    return torch.tensor(value, dtype=get_storage(name).dtype)


def cast(
    x: torch.Tensor,
    dtype: TorchDTypeLike,
    *,
    saturate: bool | None = None,
    round_mode: RoundMode | None = None,
    random: torch.Tensor | None = None,
    opset: int | None = None,
    x_dtype: str | None = None,
    threads: int = 1,
) -> torch.Tensor:
    """Converts every element with one rounding: :func:`quant_float.cast`.

    In contrast to ``x.to(dtype)``, overflow of a float8 type gives the largest value unless
    ``saturate`` is False.
    """
    made: torch.Tensor = _ops.cast(
        x, get_name(dtype), saturate=saturate, round_mode=round_mode, random=random, opset=opset,
        x_dtype=get_name(x_dtype), threads=threads,
    )  # fmt: skip
    return made


def quantize(
    x: torch.Tensor,
    scale: TensorLike,
    zero_point: torch.Tensor | int | None = None,
    *,
    dtype: TorchDTypeLike | None = None,
    axis: int | None = None,
    block_size: int | None = None,
    saturate: bool | None = None,
    precision: TorchDTypeLike | None = None,
    random: torch.Tensor | None = None,
    opset: int | None = None,
    scale_dtype: str | None = None,
    threads: int = 1,
) -> torch.Tensor:
    """Divides by a scale, rounds to nearest even, adds a zero point, and saturates:
    :func:`quant_float.quantize`."""
    name = get_name(dtype)
    made: torch.Tensor = _ops.quantize(
        x, _as_tensor(scale, x), _as_zero_point(zero_point, name or "uint8"), dtype=name,
        axis=axis, block_size=block_size, saturate=saturate, precision=get_name(precision),
        random=random, opset=opset, scale_dtype=get_name(scale_dtype), threads=threads,
    )  # fmt: skip
    return made


def dequantize(
    x: torch.Tensor,
    scale: TensorLike,
    zero_point: torch.Tensor | int | None = None,
    *,
    dtype: TorchDTypeLike | None = None,
    axis: int | None = None,
    block_size: int | None = None,
    opset: int | None = None,
    x_dtype: str | None = None,
    scale_dtype: str | None = None,
    threads: int = 1,
) -> torch.Tensor:
    """Subtracts a zero point and multiplies by a scale: :func:`quant_float.dequantize`."""
    if not isinstance(scale, torch.Tensor):
        scale = torch.tensor(scale, dtype=get_storage(get_name(dtype) or "float").dtype)
    name = get_name(x_dtype)
    zero = _as_zero_point(zero_point, name or find_storage(x, "x").element.name)
    made: torch.Tensor = _ops.dequantize(
        x, scale, zero, dtype=get_name(dtype), axis=axis, block_size=block_size, opset=opset,
        x_dtype=name, scale_dtype=get_name(scale_dtype), threads=threads,
    )  # fmt: skip
    return made


def qdq(
    x: torch.Tensor,
    scale: TensorLike,
    zero_point: torch.Tensor | int | None = None,
    *,
    storage: TorchDTypeLike,
    axis: int | None = None,
    block_size: int | None = None,
    saturate: bool | None = None,
    precision: TorchDTypeLike | None = None,
    random: torch.Tensor | None = None,
    opset: int | None = None,
    scale_dtype: str | None = None,
    threads: int = 1,
) -> torch.Tensor:
    """Quantizes ``x`` to ``storage`` and dequantizes it: :func:`quant_float.qdq`.

    The gradient of ``x`` is that of the result; ``scale`` and ``zero_point`` have none.
    """
    name = get_name(storage)
    made: torch.Tensor = _ops.qdq(
        x, _as_tensor(scale, x), _as_zero_point(zero_point, name or ""), storage=name, axis=axis,
        block_size=block_size, saturate=saturate, precision=get_name(precision), random=random,
        opset=opset, scale_dtype=get_name(scale_dtype), threads=threads,
    )  # fmt: skip
    return made


def fakeconvert(
    x: torch.Tensor,
    scale: TensorLike,
    shift: TensorLike | None = None,
    *,
    dtype: TorchDTypeLike = "float8e4m3fn",
    mode: FakeConvertMode = "exact",
    threads: int = 1,
) -> torch.Tensor:
    """Rounds ``x * scale - shift`` to float8 and reverts both: :func:`quant_float.fakeconvert`.

    The gradient of ``x`` is that of the result; ``scale`` and ``shift`` have none.
    """
    scales = _as_tensor(scale, x)
    shifts = None
    if shift is not None:
        shifts = _as_tensor(shift, x)
        # A number is the shift for every scale.
        shifts = shifts if isinstance(shift, torch.Tensor) else shifts.expand(scales.shape)
    made: torch.Tensor = _ops.fakeconvert(
        x, scales, shifts, dtype=get_name(dtype), mode=mode, threads=threads
    )
    return made


def block_quantize(
    x: torch.Tensor,
    dtype: TorchDTypeLike,
    scale_dtype: TorchDTypeLike,
    block: int | Sequence[int],
    rule: BlockRule,
    *,
    tensor_amax: TensorLike | None = None,
    tensor_scale: TensorLike | None = None,
    random: torch.Tensor | None = None,
    threads: int = 1,
) -> tuple[torch.Tensor, ...]:
    """Derives a scale for each block of ``x`` from its largest magnitude, and quantizes with it:
    :func:`quant_float.block_quantize`."""
    one = torch.empty((), dtype=torch.float32)
    made = _ops.block_quantize(
        x, get_name(dtype), get_name(scale_dtype), [block] if isinstance(block, int) else block, rule,
        tensor_amax=None if tensor_amax is None else _as_tensor(tensor_amax, one),
        tensor_scale=None if tensor_scale is None else _as_tensor(tensor_scale, one),
        random=random, threads=threads,
    )  # fmt: skip
    return tuple(made)


def block_dequantize(
    x: torch.Tensor,
    scale: torch.Tensor,
    block: int | Sequence[int],
    *,
    dtype: TorchDTypeLike = "float",
    tensor_scale: TensorLike | None = None,
    order: ScaleOrder | None = None,
    x_dtype: str | None = None,
    scale_dtype: str | None = None,
    threads: int = 1,
) -> torch.Tensor:
    """Multiplies the elements of blocks by their scales: :func:`quant_float.block_dequantize`."""
    one = torch.empty((), dtype=torch.float32)
    made: torch.Tensor = _ops.block_dequantize(
        x, scale, [block] if isinstance(block, int) else block, dtype=get_name(dtype),
        tensor_scale=None if tensor_scale is None else _as_tensor(tensor_scale, one), order=order,
        x_dtype=get_name(x_dtype), scale_dtype=get_name(scale_dtype), threads=threads,
    )  # fmt: skip
    return made


def backend(graph: Any, inputs: Any, **options: Any) -> Any:
    """The backend of ``torch.compile``, which is registered as ``"quant_float"``.

    It compiles the subgraphs that contain an operator of this module, with the matmuls and elementwise
    ops around it. PyTorch runs the other ops. The logger ``quant_float.torch`` lists them.

    ``torch.compile(model, backend="quant_float", options={...})`` takes the options ``threads``,
    ``accumulation`` and ``activations`` of :func:`quant_float.compile`.
    """
    from . import _torch_compile

    return _torch_compile.backend(graph, inputs, **options)


# An installed package has an entry point of this name, which PyTorch may be loading.
if "quant_float" not in torch._dynamo.backends.registry._BACKENDS:
    torch._dynamo.register_backend(backend, name="quant_float")
