"""The ops as functions of arrays, compiled on the first use."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._arguments import as_boolean, as_choice, as_integer, require_choice, require_integer
from ._arrays import Tensor, require_dtype, take, take_output
from ._canonical import (
    View,
    divide,
    divide_blocks,
    flatten,
    group_broadcast,
    run,
    view_blocks,
    view_number,
    view_scales,
)
from ._device import describe
from ._types import DType
from ._types import dtype as _as_dtype
from .typing import (
    Array,
    ArrayLike,
    BlockRule,
    Draft,
    DTypeLike,
    FakeConvertMode,
    Out,
    Rounding,
    RoundMode,
    Saturation,
    ScaleOrder,
    SupportsDLPack,
    Target,
)

__all__ = [
    "block_dequantize",
    "block_quantize",
    "cast",
    "dequantize",
    "fakeconvert",
    "philox",
    "qdq",
    "quantize",
]

_FLOAT, _UINT8, _INT32 = _as_dtype("float"), _as_dtype("uint8"), _as_dtype("int32")
NEWEST = _native.get_newest_opset()
FAKECONVERT_OPSET = 13
# The rules that also derive a scale of the tensor.
TWO_LEVELS = ("transformer_engine", "torchao", "model_optimizer", "compressed_tensors")
_RANDOM = ("uint2", "uint4", "uint8", "uint16", "uint32")


def cast(
    x: ArrayLike,
    dtype: DTypeLike,
    *,
    saturate: bool | None = None,
    round_mode: RoundMode | None = None,
    random: ArrayLike | None = None,
    opset: int | None = None,
    rounding: Rounding | None = None,
    saturation: Saturation | None = None,
    draft: Draft | None = None,
    out: Out | None = None,
    target: Target = "cpu",
    threads: int = 1,
) -> Out:
    """Converts every element of ``x`` with one rounding.

    Rounds to nearest, ties to even. On overflow of a float8 type, ``saturate`` selects the largest
    value, or NaN or infinity; float6 and float4 always saturate; f16 and wider types overflow to
    infinity. Floats are truncated to integers.

    Args:
        x: an array of any shape and element type: a numpy array, or an object with ``__dlpack__``
            in CPU memory. It is copied only if it is not contiguous in row-major order or has
            another byte order. Numbers and lists of numbers have the type that numpy infers.
        dtype: the type of the result, see :func:`quant_float.dtype`.
        saturate: if False, overflow gives NaN or infinity instead of the largest value. None means
            True, and has no effect if the opset lacks the attribute.
        round_mode: to float8e8m0: ``"up"`` (the default), ``"down"`` or ``"nearest"``; from float,
            float16 and bfloat16 to any other narrower float: ``"stochastic"``.
        random: for ``"stochastic"``, random bits with the shape of ``x`` and the type uint2, uint4,
            uint8 or uint16. A number is rounded away from zero if
            ``floor(fraction * 2**k) + r >= 2**k`` for its k random bits r.
        opset: the ONNX opset; by default the newest. Types that ONNX lacks (float8e3m4, float8e4m3,
            float8e4m3b11fnuz, float8ue5m3) follow rules of this package, which have no opset.
        rounding: the rounding mode of IEEE P3109, by default ``"NearestTiesToEven"``. The cast is
            the operation Convert of IEEE P3109 if ``rounding``, ``saturation`` or ``draft`` is
            specified, or if a type is a format of the draft, such as ``"binary8p4se"``. The other
            type is float, float16, bfloat16, double or also such a format. The stochastic modes
            require ``random``.
        saturation: the saturation mode of IEEE P3109, by default ``"SatNone"``.
        draft: the draft of IEEE P3109 that defines the modes: ``"D1"``, the default.
        out: the array for the result, with the type of the result and the shape of ``x``.
        target: ``"cpu"``, or ``"reference"`` for the reference implementation, which is slow.
        threads: the number of threads; 0 means OpenMP's default.

    Returns:
        ``out``, or a new array with the shape of ``x``.

    Raises:
        TypeError: ``x`` or ``out`` is not an array of such elements, or an argument has a wrong
            type.
        ValueError: a layout, a shape or a target is invalid, or ``out`` is read-only.
        ModelError: no version of the op at this opset accepts the types or attributes.
        RunError: ``out`` and ``x`` overlap.

    Source: ONNX Cast 1, 6, 9, 13, 19, 21, 23, 24, 25, 28.
    """
    source, to = take(x, "x", packed=True), _as_dtype(dtype)
    views = [flatten(source), *_take_random(random, source, flatten(source))]
    attributes = get_cast_rules(
        source.dtype, to, opset, saturate, round_mode, rounding, saturation, draft
    )
    return _finish("cast", attributes, views, out, to, source, target, threads)


def quantize(
    x: ArrayLike,
    scale: ArrayLike,
    zero_point: ArrayLike | None = None,
    *,
    dtype: DTypeLike | None = None,
    axis: int | None = None,
    block_size: int | None = None,
    saturate: bool | None = None,
    precision: DTypeLike | None = None,
    random: ArrayLike | None = None,
    opset: int | None = None,
    rounding: Rounding | None = None,
    saturation: Saturation | None = None,
    draft: Draft | None = None,
    out: Out | None = None,
    target: Target = "cpu",
    threads: int = 1,
) -> Out:
    """Divides by a scale, rounds to nearest even, adds a zero point, and saturates.

    ``x / scale`` is one division in ``precision``. For float8, the quotient is then cast, and the
    zero point has no effect.

    Args:
        x: an array of float, float16, bfloat16 or int32. Numbers and lists are converted to float.
        scale: per tensor, a number or an array of one element; per axis, with ``axis``, a vector
            with the size of ``x`` along the axis; blocked, with ``axis`` and ``block_size``, an
            array with the shape of ``x``, except ``ceil(size / block_size)`` along the axis.
            Numbers and lists are rounded once to the type of ``x``.
        zero_point: an array with the type of the result and the shape of ``scale``. Numbers and
            lists are converted to that type.
        dtype: the type of the result: integers of 2 to 16 bits, float8, float6, float4. By default
            the type of the zero point, or uint8 without a zero point.
        axis: the dimension of ``x`` along which the scale varies; negative values count from the
            end.
        block_size: the number of adjacent elements along the axis that share a scale.
        saturate: for float8, as in :func:`cast`.
        precision: the type of the division: float, float16, bfloat16 or double. By default, the
            opset determines it.
        random: random bits for stochastic rounding, with the shape of ``x`` and the type uint2,
            uint4, uint8 or uint16. A quotient is rounded away from zero if
            ``floor(fraction * 2**k) + r >= 2**k`` for its k random bits r. Stochastic rounding has
            no opset.
        rounding, saturation, draft: as in :func:`cast`. The function is the operation
            ConvertToBlock of IEEE P3109 if one of them is specified, or if a type is a format of
            the draft: it rounds the exact quotient once. The result is such a format, and x and the
            scale are float, float16, bfloat16 or such a format. There is no zero point.
        opset, out, target, threads: as in :func:`cast`.

    Returns:
        ``out``, or a new array with the shape of ``x``.

    Raises:
        TypeError, ValueError, ModelError, RunError: as in :func:`cast`.

    Source: ONNX QuantizeLinear 10, 13, 19, 21, 23, 24, 25, 28.
    """
    source = take(x, "x", packed=True, element=_FLOAT)
    scales = take(scale, "scale", element=source.dtype if source.dtype.is_float else _FLOAT)
    element = _as_dtype(dtype) if dtype is not None else None
    names = (rounding, saturation, draft)
    if _is_of_draft(names, source.dtype, scales.dtype, element):
        _require_none(zero_point=zero_point, saturate=saturate, precision=precision, opset=opset)
        if element is None:
            raise ValueError("dtype must be a format of IEEE P3109, but got None")
        return _convert_block(
            "convert_to_block", source, scales, element, axis, block_size, names, random, out,
            target, threads,
        )  # fmt: skip
    zeros = _take_zero_point(zero_point, element or _UINT8)
    element = element or (zeros.dtype if zeros else _UINT8)
    if zeros:
        require_dtype(zeros, element, "zero_point")
    views, granularity = _divide(source, scales, zeros, axis, block_size)
    views += _take_random(random, source, views[0])
    attributes = granularity | get_quantize_rules(
        source.dtype, scales.dtype, element, opset, saturate, precision, random is not None
    )
    return _finish("quantize", attributes, views, out, element, source, target, threads)


def dequantize(
    x: ArrayLike,
    scale: ArrayLike,
    zero_point: ArrayLike | None = None,
    *,
    dtype: DTypeLike | None = None,
    axis: int | None = None,
    block_size: int | None = None,
    random: ArrayLike | None = None,
    opset: int | None = None,
    rounding: Rounding | None = None,
    saturation: Saturation | None = None,
    draft: Draft | None = None,
    out: Out | None = None,
    target: Target = "cpu",
    threads: int = 1,
) -> Out:
    """Subtracts a zero point and multiplies by a scale.

    The difference is exact, the product is one float multiplication, and the result is rounded once
    more to its type. The zero point has no effect on float8.

    Args:
        x: an array of integers of 2 to 16 bits, int32, float8, float6 or float4. Numbers and lists
            are converted to int32.
        scale: as in :func:`quantize`; numbers and lists are converted to ``dtype``, or to float.
        zero_point: an array with the type of ``x`` and the shape of ``scale``. Numbers and lists
            are converted to that type.
        dtype: the type of the result: float, float16 or bfloat16. By default the type of the scale.
        axis, block_size: as in :func:`quantize`.
        rounding, saturation, draft: as in :func:`cast`. The function is the operation
            ConvertFromBlock of IEEE P3109 if one of them is specified, or if a type is a format of
            the draft: it rounds the exact product once. There is no zero point.
        random: the random bits of the stochastic modes of IEEE P3109.
        opset, out, target, threads: as in :func:`cast`.

    Returns:
        ``out``, or a new array with the shape of ``x``.

    Raises:
        TypeError, ValueError, ModelError, RunError: as in :func:`cast`.

    Source: ONNX DequantizeLinear 10, 13, 19, 21, 23, 24, 25, 28.
    """
    source = take(x, "x", packed=True, element=_INT32)
    element = _as_dtype(dtype) if dtype is not None else None
    scales = take(scale, "scale", element=element or _FLOAT)
    names = (rounding, saturation, draft)
    if _is_of_draft(names, source.dtype, scales.dtype, element):
        _require_none(zero_point=zero_point, opset=opset)
        return _convert_block(
            "convert_from_block", source, scales, element or _FLOAT, axis, block_size, names,
            random, out, target, threads,
        )  # fmt: skip
    if random is not None:
        raise ValueError("random requires a stochastic rounding of IEEE P3109")
    zeros = _take_zero_point(zero_point, source.dtype)
    if zeros:
        require_dtype(zeros, source.dtype, "zero_point")
    views, granularity = _divide(source, scales, zeros, axis, block_size)
    element = element or scales.dtype
    attributes = granularity | get_dequantize_rules(source.dtype, scales.dtype, element, opset)
    return _finish("dequantize", attributes, views, out, element, source, target, threads)


def qdq(
    x: ArrayLike,
    scale: ArrayLike,
    zero_point: ArrayLike | None = None,
    *,
    storage: DTypeLike,
    axis: int | None = None,
    block_size: int | None = None,
    saturate: bool | None = None,
    precision: DTypeLike | None = None,
    random: ArrayLike | None = None,
    opset: int | None = None,
    out: Out | None = None,
    target: Target = "cpu",
    threads: int = 1,
) -> Out:
    """Quantizes ``x`` to ``storage`` and dequantizes it, with the same bits as the two functions.

    Args:
        x: an array of float, float16 or bfloat16. Numbers and lists are converted to float.
        scale, zero_point, axis, block_size, saturate, precision, random: as in :func:`quantize`.
        storage: the type of the quantized values and of the zero point.
        opset, out, target, threads: as in :func:`cast`.

    Returns:
        ``out``, or a new array with the shape and type of ``x``.

    Raises:
        TypeError, ValueError, ModelError, RunError: as in :func:`cast`.

    Source: ONNX QuantizeLinear and DequantizeLinear with the same scale and zero point.
    """
    source, element = take(x, "x", packed=True, element=_FLOAT), _as_dtype(storage)
    scales = take(scale, "scale", element=source.dtype if source.dtype.is_float else _FLOAT)
    zeros = _take_zero_point(zero_point, element)
    if zeros:
        require_dtype(zeros, element, "zero_point")
    views, granularity = _divide(source, scales, zeros, axis, block_size)
    views += _take_random(random, source, views[0])
    attributes = granularity | get_quantize_rules(
        source.dtype, scales.dtype, element, opset, saturate, precision, random is not None
    )
    attributes["storage"] = element.mlir
    return _finish("qdq", attributes, views, out, source.dtype, source, target, threads)


def fakeconvert(
    x: ArrayLike,
    scale: ArrayLike,
    shift: ArrayLike | None = None,
    *,
    dtype: DTypeLike = "f8E4M3FN",
    mode: FakeConvertMode = "exact",
    opset: int | None = None,
    out: Out | None = None,
    target: Target = "cpu",
    threads: int = 1,
) -> Out:
    """Rounds ``x * scale - shift`` to float8 and reverts both: ``(rounded + shift) / scale``.

    Args:
        x: an array of float, float16 or bfloat16. Numbers and lists are converted to float.
        scale: an array with the type of ``x``, broadcast to ``x`` as in numpy. Numbers and lists
            are converted to that type.
        shift: an array with the type and shape of ``scale``, or a number; by default no shift.
        dtype: the float8 type, float8e4m3fn or float8e5m2.
        mode: ``"exact"``; ``"openvino"`` for the bits of OpenVINO's CPU plugin if scale and shift
            are inputs of the model; ``"openvino_reference"`` for the bits of OpenVINO's reference
            implementation.
        opset: the OpenVINO opset, 13 to 15, all of which have FakeConvert-13.
        out, target, threads: as in :func:`cast`.

    Returns:
        ``out``, or a new array with the shape and type of ``x``.

    Raises:
        TypeError, ValueError, ModelError, RunError: as in :func:`cast`.

    Source: OpenVINO FakeConvert-13.
    """
    source = take(x, "x", packed=True, element=_FLOAT)
    scales = take(scale, "scale", element=source.dtype)
    shifts = None if shift is None else take(shift, "shift", element=source.dtype)
    if shifts is not None and isinstance(shift, (bool, int, float)) and scales.shape:
        # One number for every scale.
        full = np.full(scales.shape, shifts.array, source.dtype.numpy)
        shifts = take(full, "shift")
    if shifts is not None:
        require_dtype(shifts, source.dtype, "shift")
        if shifts.shape != scales.shape:
            raise ValueError(
                f"shift must have the shape of scale, {scales.shape}, but got {shifts.shape}"
            )
    require_dtype(scales, source.dtype, "scale")
    attributes = {
        "to": _as_dtype(dtype).mlir,
        "mode": as_choice(mode, "mode", FakeConvertMode),
        "opset": as_integer(opset, "opset", FAKECONVERT_OPSET),
    }
    views = group_broadcast(source, scales, shifts)
    return _finish("fakeconvert", attributes, views, out, source.dtype, source, target, threads)


def block_quantize(
    x: ArrayLike,
    dtype: DTypeLike,
    scale_dtype: DTypeLike,
    block: int | tuple[int, ...],
    rule: BlockRule,
    *,
    tensor_amax: ArrayLike | None = None,
    tensor_scale: ArrayLike | None = None,
    random: ArrayLike | None = None,
    out: tuple[Array | SupportsDLPack | None, ...] | None = None,
    target: Target = "cpu",
    threads: int = 1,
) -> tuple[Any, ...]:
    """Derives a scale for each block of ``x`` from its largest magnitude, and quantizes with it.

    Args:
        x: an array of float, float16 or bfloat16 with at least one dimension. Lists are converted
            to float.
        dtype: the type of the quantized values, such as float8e4m3fn, float6e2m3, float4e2m1 or
            int8.
        scale_dtype: the type of the scales, such as float8e8m0, float8e4m3fn or float.
        block: the number of adjacent elements of a row, along the last dimension, that share a
            scale; or a size for each dimension. -1 is the whole dimension. The last block of a
            dimension may be smaller.
        rule: the rule for the scales, which defines every bit: see :obj:`quant_float.typing.BlockRule`
            and docs/block-formats.md.
        tensor_amax: for rules with two levels (transformer_engine, torchao, model_optimizer,
            compressed_tensors): the largest magnitude from which the scale of the tensor is
            derived, a number or an array of one float. By default it is that of ``x``.
        tensor_scale: for the same rules, the scale of the tensor.
        random: random bits for stochastic rounding, as in :func:`quantize`.
        out: the arrays for the results, in which None means a new array.
        target, threads: as in :func:`cast`.

    Returns:
        The values, with the shape of ``x``, and the scales, of which there are
        ``ceil(size / block)`` along each dimension. For rules with two levels without
        ``tensor_scale`` also the scale of the tensor, an array without dimensions.

    Raises:
        TypeError, ValueError, ModelError, RunError: as in :func:`cast`. ModelError: the rule
            does not define such scales for such elements.

    Source: OCP Microscaling Formats 1.0, and the implementations that the rules are named after.
    """
    source = take(x, "x", packed=True, element=_FLOAT)
    values, scales = _as_dtype(dtype), _as_dtype(scale_dtype)
    rule_name = require_choice(rule, "rule", BlockRule)
    blocks = take_block(block, source.shape)
    shape, sizes, scale_sizes, kernel_blocks = divide_blocks(source.shape, blocks)
    view = view_blocks(source, sizes)
    keywords = _take_numbers(tensor_amax=tensor_amax, tensor_scale=tensor_scale)
    if keywords and rule_name not in TWO_LEVELS:
        raise ValueError(
            f"{next(iter(keywords))} requires a rule with two levels, but got {rule!r}"
        )
    if len(keywords) == 2:
        raise ValueError("tensor_amax and tensor_scale exclude each other")
    if random is not None:
        (keywords["random"],) = _take_random(random, source, view)
    results = [(values, source.shape), (scales, shape)]
    if rule_name in TWO_LEVELS and "tensor_scale" not in keywords:
        results.append((_FLOAT, ()))
    given = [None] * len(results) if out is None else out
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"out must be a tuple of {len(results)} arrays, but got {type(out).__name__}"
        )
    if len(given) != len(results):
        raise TypeError(f"out must have {len(results)} arrays, but got {len(given)}")
    outputs = [
        take_output(each, *result, f"out[{index}]", packed=True)
        for index, (each, result) in enumerate(zip(given, results, strict=True))
    ]
    views = [
        view_blocks(outputs[0], sizes),
        view_scales(outputs[1], scale_sizes, kernel_blocks),
        *map(view_number, outputs[2:]),
    ]
    attributes = {
        "block": str(list(kernel_blocks)),
        "rule": rule_name,
        "round_mode": None if random is None else "stochastic",
    }
    run("block_quantize", attributes, [view], views, target, threads, keywords)
    return tuple(output.array for output in outputs)


def block_dequantize(
    x: ArrayLike,
    scale: ArrayLike,
    block: int | tuple[int, ...],
    *,
    dtype: DTypeLike = "float",
    tensor_scale: ArrayLike | None = None,
    order: ScaleOrder | None = None,
    out: Out | None = None,
    target: Target = "cpu",
    threads: int = 1,
) -> Out:
    """Multiplies the elements of blocks by their scales.

    Each multiplication is in float, and the result is rounded once more to its type. int8 with scales
    of float8e8m0 is MXINT8: multiples of 1/64.

    Args:
        x: the quantized values of :func:`block_quantize`.
        scale: the scales, of which there are ``ceil(size / block)`` along each dimension.
        block: as in :func:`block_quantize`.
        dtype: the type of the result: float, float16 or bfloat16.
        tensor_scale: the scale of the tensor, a number or an array of one float.
        order: with ``tensor_scale``: ``"block_first"``, the default, multiplies by the scale of the
            block first; ``"tensor_first"`` multiplies the two scales first. The last bit differs.
        out, target, threads: as in :func:`cast`.

    Returns:
        ``out``, or a new array with the shape of ``x``.

    Raises:
        TypeError, ValueError, ModelError, RunError: as in :func:`cast`.

    Source: OCP Microscaling Formats 1.0.

    >>> import numpy as np, quant_float as qf
    >>> x = np.arange(64, dtype=np.float32).reshape(2, 32)
    >>> values, scales = qf.block_quantize(x, "float4e2m1", "float8e8m0", 32, "rceil")
    >>> scales
    array([[8],
           [16]], dtype='float8_e8m0fnu')
    >>> float(qf.block_dequantize(values, scales, 32)[1, 31])
    64.0
    """
    source, element = take(x, "x", packed=True), _as_dtype(dtype)
    scales = take(scale, "scale", element=_FLOAT)
    blocks = take_block(block, source.shape)
    shape, sizes, scale_sizes, kernel_blocks = divide_blocks(source.shape, blocks)
    if scales.shape != shape:
        raise ValueError(f"scale must have shape {shape}, but got {scales.shape}")
    keywords = _take_numbers(tensor_scale=tensor_scale)
    if order is not None and not keywords:
        raise ValueError("order requires a tensor_scale")
    attributes = {
        "block": str(list(kernel_blocks)),
        "order": as_choice(order, "order", ScaleOrder),
    }
    result = take_output(out, element, source.shape, "out", packed=True)
    views = [view_blocks(source, sizes), view_scales(scales, scale_sizes, kernel_blocks)]
    to = [view_blocks(result, sizes)]
    run("block_dequantize", attributes, views, to, target, threads, keywords)
    array: Out = result.array
    return array


def take_block(block: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the size of blocks along each dimension."""
    if not shape:
        raise ValueError("x must have at least one dimension")
    sizes = (*(1,) * (len(shape) - 1), block) if isinstance(block, (int, np.integer)) else block
    if not isinstance(sizes, (tuple, list)):
        raise TypeError(f"block must be an integer or a tuple of integers, but got {block!r}")
    if len(sizes) != len(shape):
        raise ValueError(
            f"block must have {len(shape)} sizes, one for each dimension of x, but got {block!r}"
        )
    sizes = tuple(require_integer(size, "a size of block", -1, 2**63 - 1) for size in sizes)
    if 0 in sizes:
        raise ValueError(f"a size of block must be at least 1, or -1, but got {block!r}")
    return sizes


def _take_numbers(**values: ArrayLike | None) -> dict[str, View]:
    """Returns views of the values that are not None, each an array of one float."""
    views = {}
    for label, value in values.items():
        if value is None:
            continue
        tensor = take(value, label, element=_FLOAT)
        require_dtype(tensor, _FLOAT, label)
        if tensor.shape not in ((), (1,)):
            raise ValueError(f"{label} must be one value, but got shape {tensor.shape}")
        views[label] = view_number(tensor)
    return views


def philox(
    shape: int | tuple[int, ...],
    seed: int,
    offset: int = 0,
    *,
    dtype: DTypeLike = "uint8",
    out: Out | None = None,
) -> Out:
    """Generates random bits that depend only on ``seed``, ``offset`` and the index of an element.

    They are the bits of the op ``quant_float.philox`` on every CPU and GPU: Philox 4x32-10 with the
    key ``seed`` and a counter that starts at ``offset``. Elements are numbered in row-major order;
    each block of four shares a counter, and each element is the upper bits of one 32-bit word. A
    call that continues the sequence of another one has an ``offset`` that is larger by
    ``ceil(elements / 4)``.

    Args:
        shape: the shape of the result, or its only size.
        seed, offset: nonnegative 64-bit integers.
        dtype: uint2, uint4, uint8, uint16 or uint32.
        out: the array for the result, with this type and shape.

    Returns:
        ``out``, or a new array.

    Raises:
        TypeError, ValueError: an argument has a wrong type, or is out of range.

    >>> import quant_float as qf
    >>> qf.philox((2, 3), seed=0)
    array([[102, 225, 188],
           [155,  56, 129]], dtype=uint8)
    """
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    sizes = tuple(require_integer(size, "a size of shape", 0, 2**63 - 1) for size in sizes)
    element = _as_dtype(dtype)
    if element.name not in _RANDOM:
        raise TypeError(f"dtype must be one of {', '.join(_RANDOM)}, but got {element.name}")
    result = take_output(out, element, sizes, "out")
    max_value = 2**64 - 1
    _native.make_random_bits(
        require_integer(seed, "seed", 0, max_value),
        require_integer(offset, "offset", 0, max_value),
        describe(result),
    )
    array: Out = result.array
    return array


def _finish(
    op: str,
    attributes: dict[str, Any],
    views: list[View],
    out: Out | None,
    element: DType,
    source: Tensor,
    target: Target,
    threads: int,
) -> Out:
    """Computes an op whose result has the sizes of the first view."""
    result = take_output(out, element, source.shape, "out", packed=True)
    view = View(result, views[0].sizes, views[0].spelled)
    run(op, attributes, views, [view], target, threads)
    array: Out = result.array
    return array


def get_cast_rules(
    source: DType,
    to: DType,
    opset: int | None,
    saturate: bool | None,
    round_mode: str | None,
    rounding: str | None = None,
    saturation: str | None = None,
    draft: str | None = None,
) -> dict[str, Any]:
    """Returns the attributes of a cast."""
    names = (rounding, saturation, draft)
    if _is_of_draft(names, source, to):
        _require_none(opset=opset, saturate=saturate, round_mode=round_mode)
        return {"mode": "p3109", "opset": 1, "projection": _spell_projection(*names)}
    is_own = round_mode == "stochastic"
    return _get_rules(opset, "mode", "quant_float", source, to, is_own=is_own) | {
        "saturate": as_boolean(saturate, "saturate"),
        "round_mode": as_choice(round_mode, "round_mode", RoundMode),
    }


def _is_of_draft(names: tuple[str | None, ...], *elements: DType | None) -> bool:
    """Whether a conversion is one of IEEE P3109."""
    return any(name is not None for name in names) or any(
        element is not None and element.is_binary for element in elements
    )


def _require_none(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"{name} has no meaning in a conversion of IEEE P3109")


def _spell_projection(rounding: str | None, saturation: str | None, draft: str | None) -> str:
    chosen = (
        as_choice(draft or "D1", "draft", Draft),
        as_choice(rounding or "NearestTiesToEven", "rounding", Rounding),
        as_choice(saturation or "SatNone", "saturation", Saturation),
    )
    return f"<{', '.join(map(str, chosen))}>"


def _convert_block(
    op: str,
    source: Tensor,
    scales: Tensor,
    element: DType,
    axis: int | None,
    block_size: int | None,
    names: tuple[str | None, str | None, str | None],
    random: ArrayLike | None,
    out: Out | None,
    target: Target,
    threads: int,
) -> Out:
    """Computes a block conversion of IEEE P3109."""
    _divide(source, scales, None, axis, block_size)
    shape = source.shape or (1,)
    blocks = [-1] * len(shape) if block_size is None else [1] * len(shape)
    if axis is not None:
        blocks[axis] = 1 if block_size is None else block_size
    _, sizes, scale_sizes, kernel_blocks = divide_blocks(shape, tuple(blocks))
    view = view_blocks(source, sizes)
    views = [view, view_scales(scales, scale_sizes, kernel_blocks)]
    views += _take_random(random, source, view)
    attributes = {
        "block": str(list(kernel_blocks)),
        "projection": _spell_projection(*names),
    }
    return _finish(op, attributes, views, out, element, source, target, threads)


def get_quantize_rules(
    source: DType,
    scale: DType,
    element: DType,
    opset: int | None,
    saturate: bool | None,
    precision: DTypeLike | None,
    is_stochastic: bool,
) -> dict[str, Any]:
    """Returns the attributes of a quantize or qdq, except those of its granularity."""
    return _get_domain(opset, scale, source, element, is_own=is_stochastic) | {
        "saturate": as_boolean(saturate, "saturate"),
        "precision": None if precision is None else _as_dtype(precision).mlir,
        "round_mode": "stochastic" if is_stochastic else None,
    }


def get_dequantize_rules(
    source: DType, scale: DType, element: DType, opset: int | None
) -> dict[str, Any]:
    """Returns the attributes of a dequantize, except those of its granularity."""
    return _get_domain(opset, scale, source, element)


def _get_rules(
    opset: int | None, name: str, value: str, *elements: DType, is_own: bool = False
) -> dict[str, Any]:
    """Returns the opset, or the mode or domain of this package if ONNX lacks a type or feature."""
    if opset is None and (is_own or not all(element.is_onnx for element in elements)):
        return {name: value, "opset": 1}
    return {"opset": as_integer(opset, "opset", NEWEST)}


def _get_domain(
    opset: int | None, scale: DType, *elements: DType, is_own: bool = False
) -> dict[str, Any]:
    # ONNX's scales have 16 bits or more, or are powers of two.
    is_own |= scale.is_float and scale.bits == 8 and scale.name != "float8e8m0"
    return _get_rules(opset, "domain", '"quant_float"', scale, *elements, is_own=is_own)


def _divide(
    x: Tensor, scale: Tensor, zero_point: Tensor | None, axis: int | None, block_size: int | None
) -> tuple[list[View], dict[str, Any]]:
    axis = as_integer(axis, "axis", None)
    block_size = as_integer(block_size, "block_size", None)
    return divide(x, scale, zero_point, axis, block_size)


def _take_random(random: ArrayLike | None, x: Tensor, like: View) -> list[View]:
    """Returns the random bits, if there are any, with the view of ``x``."""
    if random is None:
        return []
    bits = take(random, "random")
    if bits.shape != x.shape:
        raise ValueError(f"random must have the shape of x, {x.shape}, but got {bits.shape}")
    return [View(bits, like.sizes, like.spelled)]


def _take_zero_point(value: ArrayLike | None, element: DType) -> Tensor | None:
    return None if value is None else take(value, "zero_point", packed=True, element=element)
