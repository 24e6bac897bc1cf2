"""The ops of this package in the function of a subgraph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from . import _functions
from ._canonical import spell_attributes
from ._torch_tensors import count_blocks, get_quantized_name, get_storage
from ._torch_writer import Unsupported, Value, Writer, bind, get_tensor, handle
from ._types import DType

__all__: list[str] = []


class OwnOps:
    """The operators of this package."""

    @staticmethod
    def result(name: str, sizes: Sequence[Any]) -> tuple[DType, Sequence[Any], bool]:

        storage = get_storage(name)
        return storage.element, sizes, storage.packed

    @staticmethod
    def write(
        writer: Writer,
        op: str,
        operands: Sequence[Value | None],
        attributes: dict[str, Any],
        results: Sequence[tuple[DType, Sequence[Any], bool]],
        **keywords: Value | None,
    ) -> list[Value]:
        values = [value for value in operands if value is not None]
        given = {name: value for name, value in keywords.items() if value is not None}
        spelled = spell_attributes(
            op, attributes, {name: f"{value.name} : {value.type}" for name, value in given.items()}
        )
        names = ", ".join(value.name for value in values)
        types = ", ".join(value.type for value in values)
        return writer.emit(f"quant_float.{op} {names} {spelled} : {types} to {{types}}", *results)


def _take_if_given(writer: Writer, node: Any, name: str | None = None) -> Value | None:
    return None if node is None else writer.take(node, name)


def _require_one_thread(given: dict[str, Any]) -> None:
    # Threads are an option of the backend.
    if given["threads"] != 1:
        raise Unsupported("the argument threads of an operator")


def _get_granularity(given: dict[str, Any], x: Value) -> dict[str, Any]:
    axis = given["axis"]
    if axis is None:
        return {}
    return {"axis": axis % max(len(x.sizes), 1), "block_size": given["block_size"]}


@handle(torch.ops.quant_float.cast.default)
def _cast(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    _require_one_thread(given)
    x, random = (
        writer.take(given["x"], given["x_dtype"]),
        _take_if_given(writer, given["random"]),
    )
    result = OwnOps.result(given["dtype"], x.sizes)
    attributes = _functions.get_cast_rules(
        x.element, result[0], given["opset"], given["saturate"], given["round_mode"]
    )
    return OwnOps.write(writer, "cast", [x, random], attributes, [result])[0]


@handle(torch.ops.quant_float.quantize.default, torch.ops.quant_float.qdq.default)
def _quantize(writer: Writer, node: Any, *_: Any) -> Value:

    given = bind(node)
    _require_one_thread(given)
    x, scale = writer.take(given["x"]), writer.take(given["scale"], given["scale_dtype"])
    is_qdq = "storage" in given
    dtype = given["storage" if is_qdq else "dtype"]
    zero_point = given["zero_point"]
    name = get_quantized_name(None if zero_point is None else get_tensor(zero_point), dtype)
    quantized = OwnOps.result(name, x.sizes)
    random = _take_if_given(writer, given["random"])
    attributes = _get_granularity(given, x) | _functions.get_quantize_rules(
        x.element,
        scale.element,
        quantized[0],
        given["opset"],
        given["saturate"],
        given["precision"],
        random is not None,
    )
    if is_qdq:
        attributes["storage"] = quantized[0].mlir
    operands = [x, scale, _take_if_given(writer, zero_point, dtype), random]
    result = (x.element, x.sizes, False) if is_qdq else quantized
    return OwnOps.write(writer, "qdq" if is_qdq else "quantize", operands, attributes, [result])[0]


@handle(torch.ops.quant_float.dequantize.default)
def _dequantize(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    _require_one_thread(given)
    x = writer.take(given["x"], given["x_dtype"])
    scale = writer.take(given["scale"], given["scale_dtype"])
    zero_point = _take_if_given(writer, given["zero_point"], given["x_dtype"])
    result = OwnOps.result(given["dtype"] or scale.element.name, x.sizes)
    attributes = _get_granularity(given, x) | _functions.get_dequantize_rules(
        x.element, scale.element, result[0], given["opset"]
    )
    return OwnOps.write(writer, "dequantize", [x, scale, zero_point], attributes, [result])[0]


@handle(torch.ops.quant_float.fakeconvert.default)
def _fakeconvert(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    _require_one_thread(given)
    x, scale = writer.take(given["x"]), writer.take(given["scale"])
    attributes = {
        "to": OwnOps.result(given["dtype"], ())[0].mlir,
        "mode": given["mode"],
        "opset": _functions.FAKECONVERT_OPSET,
    }
    operands = [x, scale, _take_if_given(writer, given["shift"])]
    result = (x.element, x.sizes, False)
    return OwnOps.write(writer, "fakeconvert", operands, attributes, [result])[0]


def _get_blocks(given: dict[str, Any], x: Value) -> tuple[list[int], list[int | None]]:

    # Dynamic sizes have dynamic numbers of blocks.
    blocks, counts = count_blocks([size or 0 for size in x.sizes], given["block"])
    return blocks, [
        None if size is None and each != -1 else count
        for size, each, count in zip(x.sizes, blocks, counts, strict=True)
    ]


@handle(torch.ops.quant_float.block_quantize.default)
def _block_quantize(writer: Writer, node: Any, *_: Any) -> list[Value]:
    given = bind(node)
    _require_one_thread(given)
    x = writer.take(given["x"])
    blocks, counts = _get_blocks(given, x)
    results = [
        OwnOps.result(given["dtype"], x.sizes),
        OwnOps.result(given["scale_dtype"], counts),
    ]
    if given["rule"] in _functions.TWO_LEVELS and given["tensor_scale"] is None:
        results.append(OwnOps.result("float", ()))
    random = _take_if_given(writer, given["random"])
    attributes = {
        "block": str(blocks),
        "rule": given["rule"],
        "round_mode": None if random is None else "stochastic",
    }
    return OwnOps.write(
        writer, "block_quantize", [x], attributes, results, random=random,
        tensor_amax=_take_if_given(writer, given["tensor_amax"]),
        tensor_scale=_take_if_given(writer, given["tensor_scale"]),
    )  # fmt: skip


@handle(torch.ops.quant_float.block_dequantize.default)
def _block_dequantize(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    _require_one_thread(given)
    x = writer.take(given["x"], given["x_dtype"])
    scale = writer.take(given["scale"], given["scale_dtype"])
    attributes = {"block": str(_get_blocks(given, x)[0]), "order": given["order"]}
    level = _take_if_given(writer, given["tensor_scale"])
    result = OwnOps.result(given["dtype"], x.sizes)
    return OwnOps.write(
        writer, "block_dequantize", [x, scale], attributes, [result], tensor_scale=level
    )[0]
