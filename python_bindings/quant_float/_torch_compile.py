"""The backend ``quant_float`` of ``torch.compile``.

AOTAutograd makes a graph of ATen ops. The subgraphs that contain an operator of this package, and the
matmuls and elementwise ops around it, become functions of MLIR, which the package compiles. PyTorch runs
the other ops.
"""

from __future__ import annotations

import logging
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch  # type: ignore[import-not-found, unused-ignore]
from torch._dynamo.backends.common import (  # type: ignore[import-not-found, unused-ignore]
    aot_autograd,
)
from torch.fx.passes.infra.partitioner import (  # type: ignore[import-not-found, unused-ignore]
    CapabilityBasedPartitioner,
)
from torch.fx.passes.operator_support import (  # type: ignore[import-not-found, unused-ignore]
    OperatorSupportBase,
)

from . import _functions, _native
from ._arrays import Tensor
from ._cache import kernel_cache
from ._canonical import spell_words
from ._errors import Error
from ._kernels import Kernel
from ._models import make_options
from ._torch_tensors import (
    Storage,
    allocate,
    count_blocks,
    find_storage,
    get_quantized_name,
    get_storage,
    take,
)
from ._types import DType

__all__: list[str] = []

_log = logging.getLogger("quant_float.torch")
_aten = torch.ops.aten
_OWN = "quant_float"


class Unsupported(Exception):
    """A subgraph that this package does not compile; the message states the reason."""


class _Value(NamedTuple):
    """A value of the function."""

    name: str
    element: DType
    sizes: tuple[int | None, ...]
    packed: bool = False

    @property
    def type(self) -> str:
        sizes = "".join(f"{'?' if size is None else size}x" for size in self.sizes)
        return f"tensor<{sizes}{self.element.mlir}>"

    @property
    def storage(self) -> Storage:
        return get_storage("float4_e2m1fn_x2" if self.packed else self.element.name)

    @property
    def declared(self) -> str:
        return f"{self.type} {{quant_float.packed}}" if self.packed else self.type


class Function(NamedTuple):
    """A subgraph in MLIR.

    Attributes:
        text: the module.
        inputs: the inputs of the subgraph that are arguments, with their elements.
        outputs: the results.
    """

    text: str
    inputs: list[tuple[int, _Value]]
    outputs: list[_Value]


_Handler = Callable[["_Writer", Any, Sequence[Any], dict[str, Any]], "_Value | list[_Value]"]
_HANDLERS: dict[Any, _Handler] = {}


def _handle(*ops: Any) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        _HANDLERS.update(dict.fromkeys(ops, handler))
        return handler

    return register


def _get_sizes(shape: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(size if isinstance(size, int) else None for size in shape)


class _Writer:
    """Writes the function of a subgraph."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._lines: list[str] = []
        self._values: dict[Any, _Value | list[_Value]] = {}
        self._arguments: dict[Any, int] = {}
        self._inputs: dict[Any, _Value] = {}
        self._count = 0

    def write(self) -> Function:
        outputs: list[_Value] = []
        for node in self._graph.nodes:
            if node.op == "placeholder":
                self._arguments[node] = len(self._arguments)
            elif node.op == "output":
                given = node.args[0]
                outputs = [self._take_output(value) for value in _flatten(given)]
            else:
                self._write_node(node)
        inputs = sorted((self._arguments[node], value) for node, value in self._inputs.items())
        arguments = ", ".join(f"{value.name}: {value.declared}" for _, value in inputs)
        declared = ", ".join(value.declared for value in outputs)
        types = ", ".join(value.type for value in outputs)
        names = ", ".join(value.name for value in outputs)
        body = "".join(f"  {line}\n" for line in self._lines)
        text = f"func.func @graph({arguments}) -> ({declared}) {{\n{body}  return {names} : {types}\n}}\n"
        return Function(text, inputs, outputs)

    def _write_node(self, node: Any) -> None:
        if node.op != "call_function":
            raise Unsupported(f"{node.op} {node.target}")
        if node.target is operator.getitem:
            source = self._values.get(node.args[0])
            if not isinstance(source, list):
                raise Unsupported("a list of tensors is an input")
            self._values[node] = source[node.args[1]]
            return
        handler = _HANDLERS.get(node.target)
        if handler is None:
            raise Unsupported(f"{node.target} has no conversion")
        self._values[node] = handler(self, node, node.args, node.kwargs)

    def _take_output(self, node: Any) -> _Value:
        """Its elements may have a type that torch stores as encodings."""
        value = self._values.get(node)
        if not isinstance(value, _Value) or node in self._inputs:
            raise Unsupported(f"expected results that are tensors, but got {node!r}")
        return value

    def take(self, node: Any, name: str | None = None) -> _Value:
        """The value of an operand, whose elements have the type of this name, or that of torch."""
        if not isinstance(node, torch.fx.Node):
            raise Unsupported(f"expected a tensor, but got {node!r}")
        found = self._values.get(node)
        if isinstance(found, list):
            raise Unsupported("a list of tensors is an output")
        if found is None:
            found = self._add_input(node, name)
        expected = _find_storage(_get_tensor(node), name)
        if found.element is not expected.element or found.packed != expected.packed:
            raise Unsupported(f"{node} is used as {expected.element} and as {found.element}")
        return found

    def _add_input(self, node: Any, name: str | None) -> _Value:
        tensor = _get_tensor(node)
        storage = _find_storage(tensor, name)
        sizes = _get_sizes(tensor.shape)
        if storage.packed:
            if not sizes:
                raise Unsupported("a packed tensor without dimensions")
            sizes = (*sizes[:-1], None if sizes[-1] is None else 2 * sizes[-1])
        value = _Value(f"%a{self._arguments[node]}", storage.element, sizes, storage.packed)
        self._values[node] = self._inputs[node] = value
        return value

    def add_sizes(self, sizes: Sequence[Any]) -> _Value:
        """A vector of sizes, of which the dynamic ones are inputs."""
        parts = []
        for size in sizes:
            if not isinstance(size, torch.fx.Node):
                parts.append(self.add_constant([size], _INT64))
                continue
            if size not in self._arguments:
                raise Unsupported(f"the size {size} is computed in the subgraph")
            found = self._inputs.get(size)
            if found is None:
                found = _Value(f"%a{self._arguments[size]}", _INT64, (1,))
                self._inputs[size] = found
            parts.append(found)
        return self.add_node("Concat", parts, _INT64, [len(parts)], "axis = 0 : i64")

    def emit(self, text: str, *results: tuple[DType, Sequence[Any], bool]) -> list[_Value]:
        """Adds an op with ``{types}`` for the types of its results."""
        made = []
        for element, sizes, packed in results:
            made.append(_Value(f"%{self._count}", element, _get_sizes(sizes), packed))
            self._count += 1
        names = ", ".join(value.name for value in made)
        types = ", ".join(value.type for value in made)
        self._lines.append(f"{names} = {text.replace('{types}', types)}")
        return made

    def add_node(
        self,
        op: str,
        operands: Sequence[_Value],
        element: DType,
        sizes: Sequence[Any],
        attributes: str = "",
    ) -> _Value:
        """Adds an ONNX node."""
        if any(value.packed for value in operands):
            raise Unsupported(f"{op} of packed elements")
        names = ", ".join(value.name for value in operands)
        types = ", ".join(value.type for value in operands)
        words = f" attributes {{{attributes}}}" if attributes else ""
        text = f'quant_float.node "{op}"({names}) opset {_functions.NEWEST}{words} : ({types}) -> {{types}}'
        return self.emit(text, (element, sizes, False))[0]

    def add_constant(self, values: int | float | list[int], element: DType) -> _Value:
        """Adds a constant: a number, or a list of integers."""
        if isinstance(values, list):
            return self.emit(
                f"arith.constant dense<{values}> : {{types}}", (element, [len(values)], False)
            )[0]
        spelled = f"{float(values)!r}" if element.is_float else str(int(values))
        if "inf" in spelled or "nan" in spelled:
            raise Unsupported(f"the constant {values}")
        if "e" in spelled and "." not in spelled:
            spelled = spelled.replace("e", ".0e")
        return self.emit(f"arith.constant dense<{spelled}> : {{types}}", (element, [], False))[0]


def _flatten(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [part for each in value for part in _flatten(each)]
    return [value]


def _get_tensor(node: Any) -> Any:
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        raise Unsupported(f"{node} is no tensor")
    return value


def _find_storage(tensor: Any, name: str | None = None) -> Any:

    try:
        return find_storage(tensor, "a tensor", name)
    except TypeError as error:
        raise Unsupported(str(error)) from None


def _take_result(node: Any) -> tuple[DType, tuple[int | None, ...]]:
    tensor = _get_tensor(node)
    storage = _find_storage(tensor)
    if storage.packed:
        raise Unsupported(f"{node.target} of packed elements")
    return storage.element, _get_sizes(tensor.shape)


def _bind(node: Any) -> dict[str, Any]:
    """All arguments of an op by name, with defaults."""
    schema = node.target._schema.arguments
    bound: dict[str, Any] = {
        argument.name: argument.default_value if argument.has_default_value() else None
        for argument in schema
    }
    bound |= {argument.name: value for argument, value in zip(schema, node.args, strict=False)}
    bound |= node.kwargs
    return bound


class _Ops:
    """The operators of this package."""

    @staticmethod
    def result(name: str, sizes: Sequence[Any]) -> tuple[DType, Sequence[Any], bool]:

        storage = get_storage(name)
        return storage.element, sizes, storage.packed

    @staticmethod
    def write(
        writer: _Writer,
        op: str,
        operands: Sequence[_Value | None],
        attributes: dict[str, Any],
        results: Sequence[tuple[DType, Sequence[Any], bool]],
        **keywords: _Value | None,
    ) -> list[_Value]:
        values = [value for value in operands if value is not None]
        given = {word: value for word, value in keywords.items() if value is not None}
        words = spell_words(
            op, attributes, {word: f"{value.name} : {value.type}" for word, value in given.items()}
        )
        names = ", ".join(value.name for value in values)
        types = ", ".join(value.type for value in values)
        return writer.emit(f"quant_float.{op} {names} {words} : {types} to {{types}}", *results)


def _take_if_given(writer: _Writer, node: Any, name: str | None = None) -> _Value | None:
    return None if node is None else writer.take(node, name)


def _require_one_thread(given: dict[str, Any]) -> None:
    # Threads are an option of the backend.
    if given["threads"] != 1:
        raise Unsupported("the argument threads of an operator")


def _get_granularity(given: dict[str, Any], x: _Value) -> dict[str, Any]:
    axis = given["axis"]
    if axis is None:
        return {}
    return {"axis": axis % max(len(x.sizes), 1), "block_size": given["block_size"]}


@_handle(torch.ops.quant_float.cast.default)
def _cast(writer: _Writer, node: Any, *_: Any) -> _Value:
    given = _bind(node)
    _require_one_thread(given)
    x, random = (
        writer.take(given["x"], given["x_dtype"]),
        _take_if_given(writer, given["random"]),
    )
    result = _Ops.result(given["dtype"], x.sizes)
    attributes = _functions.get_cast_rules(
        x.element, result[0], given["opset"], given["saturate"], given["round_mode"]
    )
    return _Ops.write(writer, "cast", [x, random], attributes, [result])[0]


@_handle(torch.ops.quant_float.quantize.default, torch.ops.quant_float.qdq.default)
def _quantize(writer: _Writer, node: Any, *_: Any) -> _Value:

    given = _bind(node)
    _require_one_thread(given)
    x, scale = writer.take(given["x"]), writer.take(given["scale"], given["scale_dtype"])
    is_qdq = "storage" in given
    dtype = given["storage" if is_qdq else "dtype"]
    zero_point = given["zero_point"]
    name = get_quantized_name(None if zero_point is None else _get_tensor(zero_point), dtype)
    quantized = _Ops.result(name, x.sizes)
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
    return _Ops.write(writer, "qdq" if is_qdq else "quantize", operands, attributes, [result])[0]


@_handle(torch.ops.quant_float.dequantize.default)
def _dequantize(writer: _Writer, node: Any, *_: Any) -> _Value:
    given = _bind(node)
    _require_one_thread(given)
    x = writer.take(given["x"], given["x_dtype"])
    scale = writer.take(given["scale"], given["scale_dtype"])
    zero_point = _take_if_given(writer, given["zero_point"], given["x_dtype"])
    result = _Ops.result(given["dtype"] or scale.element.name, x.sizes)
    attributes = _get_granularity(given, x) | _functions.get_dequantize_rules(
        x.element, scale.element, result[0], given["opset"]
    )
    return _Ops.write(writer, "dequantize", [x, scale, zero_point], attributes, [result])[0]


@_handle(torch.ops.quant_float.fakeconvert.default)
def _fakeconvert(writer: _Writer, node: Any, *_: Any) -> _Value:
    given = _bind(node)
    _require_one_thread(given)
    x, scale = writer.take(given["x"]), writer.take(given["scale"])
    attributes = {
        "to": _Ops.result(given["dtype"], ())[0].mlir,
        "mode": given["mode"],
        "opset": _functions.FAKECONVERT_OPSET,
    }
    operands = [x, scale, _take_if_given(writer, given["shift"])]
    result = (x.element, x.sizes, False)
    return _Ops.write(writer, "fakeconvert", operands, attributes, [result])[0]


def _get_blocks(given: dict[str, Any], x: _Value) -> tuple[list[int], list[int | None]]:

    # Dynamic sizes have dynamic numbers of blocks.
    blocks, counts = count_blocks([size or 0 for size in x.sizes], given["block"])
    return blocks, [
        None if size is None and each != -1 else count
        for size, each, count in zip(x.sizes, blocks, counts, strict=True)
    ]


@_handle(torch.ops.quant_float.block_quantize.default)
def _block_quantize(writer: _Writer, node: Any, *_: Any) -> list[_Value]:
    given = _bind(node)
    _require_one_thread(given)
    x = writer.take(given["x"])
    blocks, counts = _get_blocks(given, x)
    results = [
        _Ops.result(given["dtype"], x.sizes),
        _Ops.result(given["scale_dtype"], counts),
    ]
    if given["rule"] in _functions.TWO_LEVELS and given["tensor_scale"] is None:
        results.append(_Ops.result("float", ()))
    random = _take_if_given(writer, given["random"])
    attributes = {
        "block": str(blocks),
        "rule": given["rule"],
        "round_mode": None if random is None else "stochastic",
    }
    return _Ops.write(
        writer, "block_quantize", [x], attributes, results, random=random,
        tensor_amax=_take_if_given(writer, given["tensor_amax"]),
        tensor_scale=_take_if_given(writer, given["tensor_scale"]),
    )  # fmt: skip


@_handle(torch.ops.quant_float.block_dequantize.default)
def _block_dequantize(writer: _Writer, node: Any, *_: Any) -> _Value:
    given = _bind(node)
    _require_one_thread(given)
    x = writer.take(given["x"], given["x_dtype"])
    scale = writer.take(given["scale"], given["scale_dtype"])
    attributes = {"block": str(_get_blocks(given, x)[0]), "order": given["order"]}
    level = _take_if_given(writer, given["tensor_scale"])
    result = _Ops.result(given["dtype"], x.sizes)
    return _Ops.write(
        writer, "block_dequantize", [x, scale], attributes, [result], tensor_scale=level
    )[0]


@_handle(_aten.mm.default, _aten.bmm.default)
def _matmul(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    return writer.add_node("MatMul", [writer.take(arg) for arg in args], *_take_result(node))


@_handle(_aten.addmm.default)
def _addmm(writer: _Writer, node: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> _Value:
    if any(value != 1 for value in kwargs.values()):
        raise Unsupported(f"addmm with {kwargs}")
    bias, lhs, rhs = (writer.take(arg) for arg in args)
    result = _take_result(node)
    product = writer.add_node("MatMul", [lhs, rhs], *result)
    return writer.add_node("Add", [product, bias], *result)


_BINARY = {
    _aten.add.Tensor: "Add",
    _aten.sub.Tensor: "Sub",
    _aten.mul.Tensor: "Mul",
    _aten.div.Tensor: "Div",
}


@_handle(*_BINARY)
def _binary(writer: _Writer, node: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> _Value:
    if kwargs.get("alpha", 1) != 1:
        raise Unsupported(f"{node.target} with {kwargs}")
    element, sizes = _take_result(node)
    operands = [
        writer.add_constant(arg, element)
        if isinstance(arg, (int, float)) and not isinstance(arg, bool)
        else writer.take(arg)
        for arg in args
    ]
    if any(value.element is not element for value in operands):
        raise Unsupported(f"{node.target} of different types")
    return writer.add_node(_BINARY[node.target], operands, element, sizes)


_UNARY = {
    _aten.relu.default: "Relu",
    _aten.sigmoid.default: "Sigmoid",
    _aten.tanh.default: "Tanh",
    _aten.neg.default: "Neg",
    _aten.exp.default: "Exp",
    _aten.sqrt.default: "Sqrt",
}


@_handle(*_UNARY)
def _unary(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    return writer.add_node(_UNARY[node.target], [writer.take(args[0])], *_take_result(node))


@_handle(_aten.gelu.default)
def _gelu(writer: _Writer, node: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> _Value:
    word = f'approximate = "{kwargs.get("approximate", "none")}"'
    return writer.add_node("Gelu", [writer.take(args[0])], *_take_result(node), word)


@_handle(_aten.silu.default)
def _silu(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    x, result = writer.take(args[0]), _take_result(node)
    return writer.add_node("Mul", [x, writer.add_node("Sigmoid", [x], *result)], *result)


@_handle(_aten._softmax.default)
def _softmax(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    if args[2]:
        raise Unsupported("softmax from float16 to float")
    word = f"axis = {args[1]} : i64"
    return writer.add_node("Softmax", [writer.take(args[0])], *_take_result(node), word)


@_handle(_aten.t.default, _aten.transpose.int, _aten.permute.default)
def _transpose(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    x = _take_moved(writer, args[0])
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


def _take_moved(writer: _Writer, node: Any) -> _Value:
    """An operand whose elements are only moved, so that their type may be one that torch lacks."""
    found = writer._values.get(node)
    return found if isinstance(found, _Value) else writer.take(node)


@_handle(_aten.view.default, _aten.reshape.default, _aten._unsafe_view.default)
def _reshape(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    x, sizes = _take_moved(writer, args[0]), _get_sizes(_get_tensor(node).shape)
    if sizes.count(None) > 1 or (None in sizes and 0 in sizes):
        shape = writer.add_sizes(args[1])
    else:
        shape = writer.add_constant([-1 if size is None else size for size in sizes], _INT64)
    # A size of 0 is no copy of the input's.
    return writer.add_node("Reshape", [x, shape], x.element, sizes, "allowzero = 1 : i64")


@_handle(_aten.unsqueeze.default, _aten.squeeze.dim, _aten.squeeze.dims)
def _squeeze(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    x, sizes = _take_moved(writer, args[0]), _get_sizes(_get_tensor(node).shape)
    op, rank = "Unsqueeze", len(sizes)
    given = [args[1]] if isinstance(args[1], int) else list(args[1])
    if node.target is not _aten.unsqueeze.default:
        op, rank = "Squeeze", len(x.sizes)
        # PyTorch keeps other dimensions.
        given = [axis for axis in given if x.sizes[axis] == 1]
    axes = [axis % rank for axis in given]
    if not axes or any(x.sizes[axis] is None for axis in axes if op == "Squeeze"):
        return writer.add_node("Identity", [x], x.element, sizes)
    return writer.add_node(op, [x, writer.add_constant(axes, _INT64)], x.element, sizes)


@_handle(_aten.clone.default, _aten.detach.default, _aten.alias.default)
def _identity(writer: _Writer, node: Any, args: Sequence[Any], _: Any) -> _Value:
    x = _take_moved(writer, args[0])
    return writer.add_node("Identity", [x], x.element, x.sizes)


_WIDE = ("float", "float16", "bfloat16", "double")


@_handle(_aten._to_copy.default)
def _to_copy(writer: _Writer, node: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> _Value:
    x, (element, sizes) = writer.take(args[0]), _take_result(node)
    # PyTorch's casts to narrower floats have other rules for overflow.
    if element.name not in _WIDE or not x.element.is_float or x.packed:
        raise Unsupported(f"a cast of {x.element} to {element} by PyTorch's rules")
    attributes = _functions.get_cast_rules(x.element, element, None, None, None)
    return _Ops.write(writer, "cast", [x], attributes, [(element, sizes, False)])[0]


_INT64 = get_storage("int64").element


class _Support(OperatorSupportBase):  # type: ignore[misc, unused-ignore]
    """Which nodes may be part of a subgraph."""

    def is_node_supported(self, submodules: Any, node: Any) -> bool:
        if node.op != "call_function":
            return False
        if node.target is operator.getitem:
            return _is_own(node.args[0])
        if node.target not in _HANDLERS:
            return False
        tensors = [
            value for value in _flatten(node.meta.get("val")) if isinstance(value, torch.Tensor)
        ]
        return bool(tensors) and all(value.device.type == "cpu" for value in tensors)


def _is_own(node: Any) -> bool:
    return (
        isinstance(node, torch.fx.Node)
        and node.op == "call_function"
        and getattr(node.target, "namespace", "") == _OWN
    )


class CompiledGraph(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """A compiled subgraph.

    Attributes:
        function: the subgraph in MLIR.
        kernel: its compiled code.
    """

    def __init__(self, function: Function, kernel: Kernel, is_single: bool) -> None:
        super().__init__()
        self.function, self.kernel, self._is_single = function, kernel, is_single

    def forward(self, *arguments: Any) -> Any:

        inputs = [_take_input(arguments[index], value) for index, value in self.function.inputs]
        described = [(tensor.codes, tensor.number, tensor.shape) for tensor in inputs]
        shapes = self.kernel._native.get_output_shapes(0, described, False)
        outputs = [
            allocate(value.storage, shape)
            for value, shape in zip(self.function.outputs, shapes, strict=True)
        ]
        self.kernel.run(inputs, outputs)
        results = tuple(output.array for output in outputs)
        return results[0] if self._is_single else results


def _take_input(argument: Any, value: _Value) -> Tensor:
    if not isinstance(argument, torch.Tensor):
        # A dynamic size.
        argument = torch.tensor([int(argument)])
    tensor = take(argument, "an input")
    return tensor._replace(dtype=value.element)


def _compile_subgraph(module: Any, options: _native.Options) -> CompiledGraph:
    function = _Writer(module.graph).write()
    if not function.outputs:
        raise Unsupported("there are no outputs")
    key = ("graph", function.text, options.threads, options.accumulation, options.activations)

    def make() -> Kernel:
        text = function.text.encode()
        model = _native.Model.parse(_native.MLIR, text, "<graph>", True, -1, b"", b"", None)
        return Kernel(model.compile(options, None), 0)

    output = next(node for node in module.graph.nodes if node.op == "output")
    is_single = not isinstance(output.args[0], (list, tuple))
    return CompiledGraph(function, kernel_cache.get(key, make), is_single)


def _count_ops(nodes: Iterable[Any]) -> Counter[str]:
    # Neither computes anything: the second makes a tensor of a number in the program.
    ignored = {operator.getitem, _aten.lift_fresh_copy.default}
    return Counter(
        str(node.target)
        for node in nodes
        if node.op == "call_function"
        and node.target not in ignored
        and not isinstance(node.meta.get("val"), (int, torch.SymInt))
    )


def _compile_graph(graph: Any, options: _native.Options) -> Any:
    """Replaces the subgraphs with operators of this package by compiled ones."""
    partitioner = CapabilityBasedPartitioner(graph, _Support(), allows_single_node_partition=True)
    partitions = [
        partition
        for partition in partitioner.propose_partitions()
        if any(_is_own(node) for node in partition.nodes)
    ]
    chosen = {node for partition in partitions for node in partition.nodes}
    eager = _count_ops(node for node in graph.graph.nodes if node not in chosen)
    before = {name for name, _ in graph.named_children()}
    fused = partitioner.fuse_partitions(partitions, prefix="quant_float_")
    compiled = 0
    for name, module in list(fused.named_children()):
        if name in before:
            continue
        try:
            setattr(fused, name, _compile_subgraph(module, options))
            compiled += 1
        except (Unsupported, Error) as error:
            ops = _count_ops(module.graph.nodes)
            eager += ops
            first = str(error).splitlines()[0]
            _log.warning("a subgraph of %d ops runs in eager PyTorch: %s", ops.total(), first)
    others = ", ".join(f"{name} ({count})" for name, count in sorted(eager.items()))
    _log.info("compiled %d subgraphs; ops in eager PyTorch: %s", compiled, others or "none")
    return fused


def _make_options(given: dict[str, Any] | None) -> _native.Options:
    words: dict[str, Any] = {"threads": 1, "accumulation": "ordered", "activations": "float"}
    if unknown := set(given or {}) - set(words):
        raise ValueError(
            f"options must be among {', '.join(words)}, but got {', '.join(sorted(unknown))}"
        )
    words |= given or {}
    return make_options(
        "host", words["threads"], 2, False, None, words["accumulation"], words["activations"]
    )


def backend(graph: Any, inputs: Any, *, options: dict[str, Any] | None = None) -> Any:
    """The backend: ``torch.compile(model, backend="quant_float")``.

    Args:
        options: ``threads``, ``accumulation`` and ``activations``, as for
            :func:`quant_float.compile`.
    """
    chosen = _make_options(options)

    def compile_graph(graph: Any, _: Any) -> Any:
        from torch._functorch.aot_autograd import (  # type: ignore[import-not-found, unused-ignore]
            make_boxed_func,
        )

        return make_boxed_func(_compile_graph(graph, chosen).forward)

    return aot_autograd(fw_compiler=compile_graph)(graph, inputs)
