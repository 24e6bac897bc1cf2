"""PyTorch's ATen ops as ONNX nodes, for the function of a subgraph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]
from torch.fx.experimental.symbolic_shapes import (  # type: ignore[import-not-found, unused-ignore]
    statically_known_true,
)

from . import _functions
from ._torch_own_ops import OwnOps
from ._torch_writer import (
    INT64,
    Unsupported,
    Value,
    Writer,
    bind,
    get_result,
    get_sizes,
    get_tensor,
    handle,
)
from ._types import DType

__all__: list[str] = []

_aten = torch.ops.aten


def _spell_integers(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def _require(condition: bool, node: Any, what: str) -> None:
    if not condition:
        raise Unsupported(f"{node.target} with {what}")


def _require_integers(node: Any, values: Sequence[Any]) -> list[int]:
    """Arguments that must not be dynamic sizes."""
    if not all(isinstance(value, int) for value in values):
        raise Unsupported(f"{node.target} with dynamic arguments")
    return [int(value) for value in values]


# Matmuls and convolutions


@handle(_aten.mm.default, _aten.bmm.default)
def _matmul(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    return writer.add_node("MatMul", [writer.take(arg) for arg in args], *get_result(node))


@handle(_aten.addmm.default)
def _addmm(writer: Writer, node: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Value:
    if any(value != 1 for value in kwargs.values()):
        raise Unsupported(f"addmm with {kwargs}")
    bias, lhs, rhs = (writer.take(arg) for arg in args)
    result = get_result(node)
    product = writer.add_node("MatMul", [lhs, rhs], *result)
    return writer.add_node("Add", [product, bias], *result)


@handle(_aten.convolution.default)
def _convolution(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    attributes = []
    spatial = len(get_tensor(given["input"]).shape) - 2
    padding, kinds = list(given["padding"]), ["stride", "dilation"]
    transposed = given["transposed"]
    if transposed:
        kinds.append("output_padding")
    for kind, attribute in zip(kinds, ("strides", "dilations", "output_padding"), strict=False):
        values = _require_integers(node, given[kind])
        attributes.append(f"{attribute} = {_spell_integers(_repeat(values, spatial))}")
    padding = _repeat(_require_integers(node, padding), spatial)
    attributes.append(f"pads = {_spell_integers([*padding, *padding])}")
    attributes.append(f"group = {given['groups']} : i64")
    operands = [writer.take(given["input"]), writer.take(given["weight"])]
    if given["bias"] is not None:
        operands.append(writer.take(given["bias"]))
    op = "ConvTranspose" if transposed else "Conv"
    return writer.add_node(op, operands, *get_result(node), ", ".join(attributes))


def _repeat(values: Sequence[int], count: int) -> list[int]:
    return [values[0]] * count if len(values) == 1 else list(values)


@handle(_aten._scaled_dot_product_flash_attention_for_cpu.default)
def _attention(writer: Writer, node: Any, *_: Any) -> list[Value | None]:
    given = bind(node)
    query, key, value = (writer.take(given[name]) for name in ("query", "key", "value"))
    _require(given["dropout_p"] == 0, node, "dropout")
    shapes = [get_tensor(given[name]).shape for name in ("query", "key")]
    _require(statically_known_true(shapes[0][1] == shapes[1][1]), node, "groups of heads")
    attributes = []
    if given["is_causal"]:
        # ONNX's mask begins at the end of the keys, and PyTorch's at their beginning.
        _require(
            statically_known_true(shapes[0][2] == shapes[1][2]),
            node,
            "a causal mask and another number of keys than of queries",
        )
        attributes.append("is_causal = 1 : i64")
    if given["scale"] is not None:
        attributes.append(f"scale = {_spell_float(given['scale'])}")
    operands = [query, key, value]
    if given["attn_mask"] is not None:
        operands.append(writer.take(given["attn_mask"]))
    result = get_result(node, 0)
    return [writer.add_node("Attention", operands, *result, ", ".join(attributes)), None]


@handle(_aten.embedding.default)
def _embedding(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    weight, indices = writer.take_moved(args[0]), writer.take(args[1])
    sizes = get_result(node)[1]
    return writer.add_node("Gather", [weight, indices], weight.element, sizes, "axis = 0 : i64")


# Elementwise ops


_BINARY = {
    _aten.add.Tensor: "Add",
    _aten.add.Scalar: "Add",
    _aten.sub.Tensor: "Sub",
    _aten.sub.Scalar: "Sub",
    _aten.mul.Tensor: "Mul",
    _aten.mul.Scalar: "Mul",
    _aten.div.Tensor: "Div",
    _aten.div.Scalar: "Div",
    _aten.maximum.default: "Max",
    _aten.minimum.default: "Min",
}


def _take_operands(
    writer: Writer, node: Any, operands: Sequence[Any], element: DType
) -> list[Value]:
    """Tensors, and numbers as constants, of this type."""
    values = [
        writer.add_constant(value, element)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else writer.take(value)
        for value in operands
    ]
    _require(all(value.element is element for value in values), node, "different types")
    return values


@handle(*_BINARY)
def _binary(writer: Writer, node: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Value:
    _require(kwargs.get("alpha", 1) == 1 and len(args) == 2, node, "alpha")
    element, sizes = get_result(node)
    op = _BINARY[node.target]
    _require(op != "Div" or element.is_float, node, "integers")
    operands = _take_operands(writer, node, args, element)
    return writer.add_node(op, operands, element, sizes)


# The op, and whether its result is inverted.
_COMPARISONS = {
    "eq": ("Equal", False),
    "ne": ("Equal", True),
    "gt": ("Greater", False),
    "ge": ("GreaterOrEqual", False),
    "lt": ("Less", False),
    "le": ("LessOrEqual", False),
}


@handle(
    *(getattr(getattr(_aten, name), kind) for name in _COMPARISONS for kind in ("Tensor", "Scalar"))
)
def _compare(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    result = get_result(node)
    operands = _take_operands(writer, node, args, writer.take(args[0]).element)
    op, inverts = _COMPARISONS[node.target._schema.name.removeprefix("aten::")]
    made = writer.add_node(op, operands, *result)
    return writer.add_node("Not", [made], *result) if inverts else made


_UNARY = {
    _aten.abs.default: "Abs",
    _aten.ceil.default: "Ceil",
    _aten.cos.default: "Cos",
    _aten.erf.default: "Erf",
    _aten.exp.default: "Exp",
    _aten.floor.default: "Floor",
    _aten.hardswish.default: "HardSwish",
    _aten.log.default: "Log",
    _aten.mish.default: "Mish",
    _aten.neg.default: "Neg",
    _aten.reciprocal.default: "Reciprocal",
    _aten.relu.default: "Relu",
    _aten.round.default: "Round",
    _aten.sigmoid.default: "Sigmoid",
    _aten.sin.default: "Sin",
    _aten.sqrt.default: "Sqrt",
    _aten.tanh.default: "Tanh",
}


@handle(*_UNARY)
def _unary(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, (element, sizes) = writer.take(args[0]), get_result(node)
    _require(x.element is element, node, f"elements of {x.element}")
    return writer.add_node(_UNARY[node.target], [x], element, sizes)


@handle(_aten.logical_not.default, _aten.bitwise_not.default)
def _not(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x = writer.take(args[0])
    _require(x.element.name == "bool", node, f"elements of {x.element}")
    return writer.add_node("Not", [x], *get_result(node))


@handle(_aten.rsqrt.default)
def _rsqrt(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    result = get_result(node)
    root = writer.add_node("Sqrt", [writer.take(args[0])], *result)
    return writer.add_node("Reciprocal", [root], *result)


def _spell_float(value: float) -> str:
    spelled = repr(float(value))
    if "e" in spelled and "." not in spelled:
        spelled = spelled.replace("e", ".0e")
    return f"{spelled} : f32"


@handle(_aten.gelu.default)
def _gelu(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    attribute = f'approximate = "{given["approximate"]}"'
    return writer.add_node("Gelu", [writer.take(given["self"])], *get_result(node), attribute)


@handle(_aten.silu.default)
def _silu(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, result = writer.take(args[0]), get_result(node)
    return writer.add_node("Mul", [x, writer.add_node("Sigmoid", [x], *result)], *result)


@handle(_aten.leaky_relu.default)
def _leaky_relu(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    attribute = f"alpha = {_spell_float(given['negative_slope'])}"
    return writer.add_node("LeakyRelu", [writer.take(given["self"])], *get_result(node), attribute)


@handle(_aten.elu.default)
def _elu(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    _require(given["scale"] == given["input_scale"] == 1, node, "scales")
    attribute = f"alpha = {_spell_float(given['alpha'])}"
    return writer.add_node("Elu", [writer.take(given["self"])], *get_result(node), attribute)


@handle(_aten.hardsigmoid.default)
def _hardsigmoid(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    attribute = f"alpha = {_spell_float(1 / 6)}, beta = 0.5 : f32"
    return writer.add_node("HardSigmoid", [writer.take(args[0])], *get_result(node), attribute)


@handle(_aten.clamp.default, _aten.hardtanh.default)
def _clamp(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    element, sizes = get_result(node)
    made = writer.take(given["self"])
    _require(made.element is element, node, f"elements of {made.element}")
    for op, names in (("Max", ("min", "min_val")), ("Min", ("max", "max_val"))):
        bound = next((given[name] for name in names if given.get(name) is not None), None)
        if bound is not None:
            made = writer.add_node(op, [made, writer.add_constant(bound, element)], element, sizes)
    return made


@handle(_aten.pow.Tensor_Scalar)
def _pow(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, result = writer.take(args[0]), get_result(node)
    _require(x.element is result[0], node, f"elements of {x.element}")
    # PyTorch has these special cases, too.
    if args[1] == 2:
        return writer.add_node("Mul", [x, x], *result)
    if args[1] == 0.5:
        return writer.add_node("Sqrt", [x], *result)
    _require(x.element.is_float, node, "integers")
    return writer.add_node("Pow", [x, writer.add_constant(args[1], x.element)], *result)


@handle(_aten.where.self)
def _where(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    element, sizes = get_result(node)
    condition = writer.take(args[0])
    operands = _take_operands(writer, node, args[1:], element)
    return writer.add_node("Where", [condition, *operands], element, sizes)


@handle(_aten.masked_fill.Scalar)
def _masked_fill(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    element, sizes = get_result(node)
    x, filled = _take_operands(writer, node, [args[0], args[2]], element)
    return writer.add_node("Where", [writer.take(args[1]), filled, x], element, sizes)


@handle(_aten.scalar_tensor.default, _aten.full.default)
def _full(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    element, sizes = get_result(node)
    _require(None not in sizes, node, "dynamic sizes")
    return writer.add_constant(args[-1], element, sizes)


# Softmax, normalization and reductions


@handle(_aten._softmax.default, _aten._log_softmax.default)
def _softmax(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    if args[2]:
        raise Unsupported("softmax from float16 to float")
    op = "Softmax" if node.target is _aten._softmax.default else "LogSoftmax"
    attribute = f"axis = {args[1]} : i64"
    return writer.add_node(op, [writer.take(args[0])], *get_result(node), attribute)


def _take_affine(
    writer: Writer, given: dict[str, Any], element: DType, sizes: Sequence[Any]
) -> list[Value]:
    """The weight and the bias of a normalization, which PyTorch may omit."""
    return [
        writer.add_constant(default, element, sizes)
        if given[name] is None
        else writer.take(given[name])
        for name, default in (("weight", 1.0), ("bias", 0.0))
    ]


@handle(_aten.native_layer_norm.default)
def _layer_norm(writer: Writer, node: Any, *_: Any) -> list[Value | None]:
    given = bind(node)
    x, shape = writer.take(given["input"]), _require_integers(node, given["normalized_shape"])
    affine = _take_affine(writer, given, x.element, shape)
    attributes = f"axis = {-len(shape)} : i64, epsilon = {_spell_float(given['eps'])}"
    result = get_result(node, 0)
    return [writer.add_node("LayerNormalization", [x, *affine], *result, attributes), None, None]


@handle(_aten.native_group_norm.default)
def _group_norm(writer: Writer, node: Any, *_: Any) -> list[Value | None]:
    given = bind(node)
    x, (channels,) = writer.take(given["input"]), _require_integers(node, [given["C"]])
    affine = _take_affine(writer, given, x.element, [channels])
    attributes = f"num_groups = {given['group']} : i64, epsilon = {_spell_float(given['eps'])}"
    result = get_result(node, 0)
    return [writer.add_node("GroupNormalization", [x, *affine], *result, attributes), None, None]


@handle(_aten._native_batch_norm_legit_no_training.default)
def _batch_norm(writer: Writer, node: Any, *_: Any) -> list[Value | None]:
    given = bind(node)
    x, mean, variance = (
        writer.take(given[name]) for name in ("input", "running_mean", "running_var")
    )
    affine = _take_affine(writer, given, mean.element, mean.sizes)
    attribute = f"epsilon = {_spell_float(given['eps'])}"
    operands = [x, *affine, mean, variance]
    result = get_result(node, 0)
    return [writer.add_node("BatchNormalization", operands, *result, attribute), None, None]


_REDUCTIONS = {
    _aten.mean.default: "ReduceMean",
    _aten.mean.dim: "ReduceMean",
    _aten.sum.default: "ReduceSum",
    _aten.sum.dim_IntList: "ReduceSum",
    _aten.amax.default: "ReduceMax",
    _aten.amin.default: "ReduceMin",
}


@handle(*_REDUCTIONS)
def _reduce(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    x, (element, sizes) = writer.take(given["self"]), get_result(node)
    # PyTorch adds integers as int64.
    _require(x.element is element, node, f"elements of {x.element}")
    axes = [axis % max(len(x.sizes), 1) for axis in given.get("dim") or range(len(x.sizes))]
    operands = [x, writer.add_constant(axes, INT64)] if axes else [x]
    attribute = f"keepdims = {int(bool(given.get('keepdim')))} : i64"
    return writer.add_node(_REDUCTIONS[node.target], operands, element, sizes, attribute)


_POOLS = {
    _aten.max_pool2d_with_indices.default: ("MaxPool", 2),
    _aten.avg_pool2d.default: ("AveragePool", 2),
    _aten.avg_pool1d.default: ("AveragePool", 1),
    _aten.avg_pool3d.default: ("AveragePool", 3),
    _aten.max_pool3d_with_indices.default: ("MaxPool", 3),
}


@handle(*_POOLS)
def _pool(writer: Writer, node: Any, *_: Any) -> Value | list[Value | None]:
    given, (op, spatial) = bind(node), _POOLS[node.target]
    x = writer.take(given["self"])
    _require(len(x.sizes) == spatial + 2, node, "an input without batches")
    _require(not given["ceil_mode"], node, "ceil_mode")
    _require(given.get("divisor_override") is None, node, "divisor_override")
    kernel = _repeat(_require_integers(node, given["kernel_size"]), spatial)
    stride = (
        _repeat(_require_integers(node, given["stride"]), spatial) if given["stride"] else kernel
    )
    padding = _repeat(_require_integers(node, given["padding"]), spatial)
    attributes = [
        f"kernel_shape = {_spell_integers(kernel)}",
        f"strides = {_spell_integers(stride)}",
        f"pads = {_spell_integers([*padding, *padding])}",
    ]
    if op == "MaxPool":
        dilation = _repeat(_require_integers(node, given["dilation"]), spatial)
        attributes.append(f"dilations = {_spell_integers(dilation)}")
        return [writer.add_node(op, [x], *get_result(node, 0), ", ".join(attributes)), None]
    attributes.append(f"count_include_pad = {int(given['count_include_pad'])} : i64")
    return writer.add_node(op, [x], *get_result(node), ", ".join(attributes))


# Movement


@handle(_aten.cat.default)
def _cat(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    parts = [writer.take_moved(part) for part in args[0]]
    element, rank = parts[0].element, len(parts[0].sizes)
    _require(
        all(part.element is element and len(part.sizes) == rank for part in parts),
        node,
        "tensors of different types or ranks",
    )
    axis = args[1] if len(args) > 1 else 0
    sizes = get_sizes(get_tensor(node).shape)
    return writer.add_node("Concat", parts, element, sizes, f"axis = {axis} : i64")


@handle(_aten.stack.default)
def _stack(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    sizes = get_sizes(get_tensor(node).shape)
    axis = (args[1] if len(args) > 1 else 0) % len(sizes)
    axes = writer.add_constant([axis], INT64)
    part_sizes = [*sizes[:axis], 1, *sizes[axis + 1 :]]
    parts = [writer.take_moved(part) for part in args[0]]
    element = parts[0].element
    _require(all(part.element is element for part in parts), node, "different types")
    parts = [writer.add_node("Unsqueeze", [part, axes], element, part_sizes) for part in parts]
    return writer.add_node("Concat", parts, element, sizes, f"axis = {axis} : i64")


@handle(_aten.split.Tensor, _aten.split_with_sizes.default)
def _split(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> list[Value | None]:
    x = writer.take_moved(args[0])
    axis = (args[2] if len(args) > 2 else 0) % len(x.sizes)
    shapes = [get_sizes(part.shape) for part in node.meta["val"]]
    lengths = writer.add_constant(_require_integers(node, [s[axis] for s in shapes]), INT64)
    results = [(x.element, sizes, False) for sizes in shapes]
    attribute = f"axis = {axis} : i64"
    return list(writer.add_nodes("Split", [x, lengths], results, attribute))


@handle(_aten.slice.Tensor)
def _slice(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    x, axis = writer.take_moved(given["self"]), given["dim"]
    start, end = given["start"], given["end"]
    bounds = [0 if start is None else start, 2**63 - 1 if end is None else end, axis, given["step"]]
    operands = [writer.add_constant([value], INT64) for value in _require_integers(node, bounds)]
    sizes = get_sizes(get_tensor(node).shape)
    return writer.add_node("Slice", [x, *operands], x.element, sizes)


@handle(_aten.select.int)
def _select(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, (axis, index) = writer.take_moved(args[0]), _require_integers(node, args[1:])
    chosen = writer.add_constant(index, INT64)
    sizes = get_sizes(get_tensor(node).shape)
    return writer.add_node("Gather", [x, chosen], x.element, sizes, f"axis = {axis} : i64")


@handle(_aten.index_select.default)
def _index_select(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, indices = writer.take_moved(args[0]), writer.take(args[2])
    sizes = get_sizes(get_tensor(node).shape)
    return writer.add_node("Gather", [x, indices], x.element, sizes, f"axis = {args[1]} : i64")


@handle(_aten.expand.default)
def _expand(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, sizes = writer.take_moved(args[0]), get_sizes(get_tensor(node).shape)
    # A size of 1 keeps that of the input.
    wanted = [1 if size == -1 else size for size in args[1]]
    shape = writer.add_sizes(wanted if None in sizes else list(sizes))
    return writer.add_node("Expand", [x, shape], x.element, sizes)


@handle(_aten.constant_pad_nd.default)
def _pad(writer: Writer, node: Any, *_: Any) -> Value:
    given = bind(node)
    element, sizes = get_result(node)
    # From the last dimension to the first, in pairs.
    pads = _require_integers(node, given["pad"])
    rank = len(sizes)
    begin, end = [0] * rank, [0] * rank
    for i in range(len(pads) // 2):
        begin[rank - 1 - i], end[rank - 1 - i] = pads[2 * i : 2 * i + 2]
    operands = [
        writer.take(given["self"]),
        writer.add_constant([*begin, *end], INT64),
        writer.add_constant(given["value"], element),
    ]
    return writer.add_node("Pad", operands, element, sizes, 'mode = "constant"')


@handle(_aten.t.default, _aten.transpose.int, _aten.permute.default)
def _transpose(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x = writer.take_moved(args[0])
    rank = len(x.sizes)
    order = list(range(rank))
    if node.target is _aten.permute.default:
        order = [axis % rank for axis in args[1]]
    elif rank > 1:
        one, other = (axis % rank for axis in args[1:]) if len(args) > 1 else (0, 1)
        order[one], order[other] = other, one
    if not rank:
        return x
    sizes = [x.sizes[axis] for axis in order]
    return writer.add_node(
        "Transpose", [x], x.element, sizes, f"perm = array<i64: {', '.join(map(str, order))}>"
    )


@handle(_aten.view.default, _aten.reshape.default, _aten._unsafe_view.default)
def _reshape(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, sizes = writer.take_moved(args[0]), get_sizes(get_tensor(node).shape)
    if sizes.count(None) > 1 or (None in sizes and 0 in sizes):
        shape = writer.add_sizes(args[1])
    else:
        shape = writer.add_constant([-1 if size is None else size for size in sizes], INT64)
    # A size of 0 is no copy of the input's.
    return writer.add_node("Reshape", [x, shape], x.element, sizes, "allowzero = 1 : i64")


@handle(_aten.unsqueeze.default, _aten.squeeze.dim, _aten.squeeze.dims)
def _squeeze(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x, sizes = writer.take_moved(args[0]), get_sizes(get_tensor(node).shape)
    op, rank = "Unsqueeze", len(sizes)
    given = [args[1]] if isinstance(args[1], int) else list(args[1])
    if node.target is not _aten.unsqueeze.default:
        op, rank = "Squeeze", len(x.sizes)
        # PyTorch keeps other dimensions.
        given = [axis for axis in given if x.sizes[axis] == 1]
    axes = [axis % rank for axis in given]
    if not axes or any(x.sizes[axis] is None for axis in axes if op == "Squeeze"):
        return writer.add_node("Identity", [x], x.element, sizes)
    return writer.add_node(op, [x, writer.add_constant(axes, INT64)], x.element, sizes)


@handle(_aten.clone.default, _aten.detach.default, _aten.alias.default)
def _identity(writer: Writer, node: Any, args: Sequence[Any], _: Any) -> Value:
    x = writer.take_moved(args[0])
    return writer.add_node("Identity", [x], x.element, x.sizes)


# Casts


_WIDE = ("float", "float16", "bfloat16", "double")


@handle(_aten._to_copy.default)
def _to_copy(writer: Writer, node: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Value:
    x, (element, sizes) = writer.take(args[0]), get_result(node)
    # PyTorch's casts to narrower floats have other rules for overflow.
    if element.name not in _WIDE or x.packed:
        raise Unsupported(f"a cast of {x.element} to {element} by PyTorch's rules")
    attributes = _functions.get_cast_rules(x.element, element, None, None, None)
    return OwnOps.write(writer, "cast", [x], attributes, [(element, sizes, False)])[0]
