"""The function of MLIR that a subgraph of PyTorch's ATen ops becomes.

Handlers, one per op, add ONNX nodes and ops of the dialect to it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch  # type: ignore[import-not-found, unused-ignore]

from . import _functions
from ._torch_tensors import Storage, find_storage, get_storage
from ._types import DType

__all__: list[str] = []


class Unsupported(Exception):
    """A subgraph that this package does not compile; the message states the reason."""


class Value(NamedTuple):
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
    inputs: list[tuple[int, Value]]
    outputs: list[Value]


_Results: TypeAlias = "Value | list[Value] | list[Value | None]"
Handler: TypeAlias = Callable[["Writer", Any, Sequence[Any], dict[str, Any]], _Results]
HANDLERS: dict[Any, Handler] = {}


def handle(*ops: Any) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(ops, handler))
        return handler

    return register


def get_sizes(shape: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(size if isinstance(size, int) else None for size in shape)


class Writer:
    """Writes the function of a subgraph."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._lines: list[str] = []
        self._values: dict[Any, _Results | None] = {}
        self._arguments: dict[Any, int] = {}
        self._inputs: dict[Any, Value] = {}
        self._count = 0

    def write(self) -> Function:
        outputs: list[Value] = []
        for node in self._graph.nodes:
            if node.op == "placeholder":
                self._arguments[node] = len(self._arguments)
            elif node.op == "output":
                given = node.args[0]
                outputs = [self._take_output(value) for value in flatten(given)]
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
        handler = HANDLERS.get(node.target)
        if handler is None:
            raise Unsupported(f"{node.target} has no conversion")
        self._values[node] = handler(self, node, node.args, node.kwargs)

    def _take_output(self, node: Any) -> Value:
        """The value of a result, whose elements may have a type that torch stores as encodings."""
        value = self._values.get(node)
        if not isinstance(value, Value) or node in self._inputs:
            raise Unsupported(f"expected results that are tensors, but got {node!r}")
        return value

    def take_moved(self, node: Any) -> Value:
        """An operand whose elements are only moved, so that their type may be one that torch lacks."""
        found = self._values.get(node)
        return found if isinstance(found, Value) else self.take(node)

    def take(self, node: Any, name: str | None = None) -> Value:
        """The value of an operand, whose elements have the type of this name, or that of torch."""
        if not isinstance(node, torch.fx.Node):
            raise Unsupported(f"expected a tensor, but got {node!r}")
        found = self._values.get(node)
        if isinstance(found, list):
            raise Unsupported("a list of tensors is an output")
        if found is None:
            found = self._add_input(node, name)
        expected = require_storage(get_tensor(node), name)
        if found.element is not expected.element or found.packed != expected.packed:
            raise Unsupported(f"{node} is used as {expected.element} and as {found.element}")
        return found

    def _add_input(self, node: Any, name: str | None) -> Value:
        tensor = get_tensor(node)
        storage = require_storage(tensor, name)
        sizes = get_sizes(tensor.shape)
        if storage.packed:
            if not sizes:
                raise Unsupported("a packed tensor without dimensions")
            sizes = (*sizes[:-1], None if sizes[-1] is None else 2 * sizes[-1])
        value = Value(f"%a{self._arguments[node]}", storage.element, sizes, storage.packed)
        self._values[node] = self._inputs[node] = value
        return value

    def add_sizes(self, sizes: Sequence[Any]) -> Value:
        """A vector of sizes, of which the dynamic ones are inputs."""
        parts = []
        for size in sizes:
            if not isinstance(size, torch.fx.Node):
                parts.append(self.add_constant([size], INT64))
                continue
            if size not in self._arguments:
                raise Unsupported(f"the size {size} is computed in the subgraph")
            found = self._inputs.get(size)
            if found is None:
                found = Value(f"%a{self._arguments[size]}", INT64, (1,))
                self._inputs[size] = found
            parts.append(found)
        return self.add_node("Concat", parts, INT64, [len(parts)], "axis = 0 : i64")

    def emit(self, text: str, *results: tuple[DType, Sequence[Any], bool]) -> list[Value]:
        """Adds an op with ``{types}`` for the types of its results."""
        made = []
        for element, sizes, packed in results:
            made.append(Value(f"%{self._count}", element, get_sizes(sizes), packed))
            self._count += 1
        names = ", ".join(value.name for value in made)
        types = ", ".join(value.type for value in made)
        self._lines.append(f"{names} = {text.replace('{types}', types)}")
        return made

    def add_node(
        self,
        op: str,
        operands: Sequence[Value],
        element: DType,
        sizes: Sequence[Any],
        attributes: str = "",
    ) -> Value:
        """Adds an ONNX node."""
        return self.add_nodes(op, operands, [(element, sizes, False)], attributes)[0]

    def add_nodes(
        self,
        op: str,
        operands: Sequence[Value],
        results: Sequence[tuple[DType, Sequence[Any], bool]],
        attributes: str = "",
    ) -> list[Value]:
        """Adds an ONNX node with several results."""
        if any(value.packed for value in operands):
            raise Unsupported(f"{op} of packed elements")
        names = ", ".join(value.name for value in operands)
        types = ", ".join(value.type for value in operands)
        clause = f" attributes {{{attributes}}}" if attributes else ""
        text = f'quant_float.node "{op}"({names}) opset {_functions.NEWEST}{clause} : ({types}) -> '
        return self.emit(text + ("({types})" if len(results) > 1 else "{types}"), *results)

    def add_constant(
        self, values: int | float | list[int], element: DType, sizes: Sequence[Any] = ()
    ) -> Value:
        """Adds a constant: a number as a tensor of these sizes, or a list of integers."""
        if isinstance(values, list):
            spelled, sizes = str(values), [len(values)]
        else:
            spelled = _spell_number(values, element)
        return self.emit(f"arith.constant dense<{spelled}> : {{types}}", (element, sizes, False))[0]


class Probe(Writer):
    """Writes a single node, whose operands are inputs, to find out whether that is possible."""

    def __init__(self) -> None:
        super().__init__(None)

    def check(self, node: Any) -> _Results | None:
        """Returns the results. Raises Unsupported if the node has no conversion."""
        for argument in flatten([node.args, list(node.kwargs.values())]):
            if isinstance(argument, torch.fx.Node):
                self._arguments.setdefault(argument, len(self._arguments))
        self._write_node(node)
        return self._values[node]


def _spell_number(value: int | float, element: DType) -> str:
    if not element.is_float:
        if value != int(value):
            raise Unsupported(f"the constant {value} of type {element}")
        return str(bool(value)).lower() if element.name == "bool" else str(int(value))
    number = float(value)
    if not math.isfinite(number):
        dtype = get_storage(element.name).dtype
        bits = torch.tensor([number], dtype=dtype).view(torch.uint8).tolist()
        return "0x" + "".join(f"{byte:02X}" for byte in reversed(bits))
    spelled = repr(number)
    return spelled.replace("e", ".0e") if "e" in spelled and "." not in spelled else spelled


def flatten(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [part for each in value for part in flatten(each)]
    return [value]


def get_tensor(node: Any) -> Any:
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        raise Unsupported(f"{node} is no tensor")
    return value


def require_storage(tensor: Any, name: str | None = None) -> Any:

    try:
        return find_storage(tensor, "a tensor", name)
    except TypeError as error:
        raise Unsupported(str(error)) from None


def get_result(node: Any, index: int | None = None) -> tuple[DType, tuple[int | None, ...]]:
    """The type of the result, or of one of several."""
    tensor = get_tensor(node) if index is None else node.meta["val"][index]
    storage = require_storage(tensor)
    if storage.packed:
        raise Unsupported(f"{node.target} of packed elements")
    return storage.element, get_sizes(tensor.shape)


def bind(node: Any) -> dict[str, Any]:
    """All arguments of an op by name, with defaults."""
    schema = node.target._schema.arguments
    bound: dict[str, Any] = {
        argument.name: argument.default_value if argument.has_default_value() else None
        for argument in schema
    }
    bound |= {argument.name: value for argument, value in zip(schema, node.args, strict=False)}
    bound |= node.kwargs
    return bound


INT64 = get_storage("int64").element
