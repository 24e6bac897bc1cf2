"""The backend ``quant_float`` of ``torch.compile``.

AOTAutograd makes a graph of ATen ops. The subgraphs that contain an operator of this package, and the ops around it that
have a conversion, become functions of MLIR, which the package compiles. PyTorch runs the other ops.
"""

from __future__ import annotations

import logging
import operator
from collections import Counter
from collections.abc import Iterable
from typing import Any

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

# The imports register the conversions of ops.
from . import (
    _native,
    _torch_aten_ops,  # noqa: F401
    _torch_own_ops,  # noqa: F401
)
from ._arrays import Tensor
from ._cache import kernel_cache
from ._errors import Error
from ._kernels import Kernel
from ._models import make_options
from ._torch_tensors import allocate, take
from ._torch_writer import HANDLERS, Function, Probe, Unsupported, Value, Writer, flatten

__all__: list[str] = []

_log = logging.getLogger("quant_float.torch")
_aten = torch.ops.aten
_OWN = "quant_float"


def _is_own(node: Any) -> bool:
    return (
        isinstance(node, torch.fx.Node)
        and node.op == "call_function"
        and getattr(node.target, "namespace", "") == _OWN
    )


class _Support(OperatorSupportBase):  # type: ignore[misc, unused-ignore]
    """The nodes that may be part of a subgraph.

    Attributes:
        reasons: the reasons of nodes that may not although their op has a conversion.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reasons: dict[Any, str] = {}
        self._found: dict[Any, bool] = {}

    def is_node_supported(self, submodules: Any, node: Any) -> bool:
        if node not in self._found:
            self._found[node] = self._is_supported(node)
        return self._found[node]

    def _is_supported(self, node: Any) -> bool:
        if node.op != "call_function":
            return False
        if node.target is operator.getitem:
            source = node.args[0]
            return isinstance(source, torch.fx.Node) and self.is_node_supported({}, source)
        if node.target not in HANDLERS:
            return False
        tensors = [
            value for value in flatten(node.meta.get("val")) if isinstance(value, torch.Tensor)
        ]
        if not tensors or any(value.device.type != "cpu" for value in tensors):
            return False
        try:
            made = Probe().check(node)
            if isinstance(made, list) and any(made[user.args[1]] is None for user in node.users):
                raise Unsupported("only its first result has a conversion")
        except (Unsupported, Error, TypeError, ValueError) as error:
            self.reasons[node] = str(error).splitlines()[0]
            return False
        return True


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
        described = [(tensor.data, tensor.number, tensor.shape) for tensor in inputs]
        shapes = self.kernel._native.get_output_shapes(0, described, False)
        outputs = [
            allocate(value.storage, shape)
            for value, shape in zip(self.function.outputs, shapes, strict=True)
        ]
        self.kernel.run(inputs, outputs)
        results = tuple(output.array for output in outputs)
        return results[0] if self._is_single else results


def _take_input(argument: Any, value: Value) -> Tensor:
    if not isinstance(argument, torch.Tensor):
        # A dynamic size.
        argument = torch.tensor([int(argument)])
    tensor = take(argument, "an input")
    return tensor._replace(dtype=value.element)


def _compile_subgraph(module: Any, options: _native.Options) -> CompiledGraph:
    function = Writer(module.graph).write()
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
    support = _Support()
    partitioner = CapabilityBasedPartitioner(graph, support, allows_single_node_partition=True)
    partitions = [
        partition
        for partition in partitioner.propose_partitions()
        if any(_is_own(node) for node in partition.nodes)
    ]
    chosen = {node for partition in partitions for node in partition.nodes}
    for node, reason in support.reasons.items():
        _log.warning("%s runs in eager PyTorch: %s", node.target, reason)
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
    options: dict[str, Any] = {"threads": 1, "accumulation": "ordered", "activations": "float"}
    if unknown := set(given or {}) - set(options):
        raise ValueError(
            f"options must be among {', '.join(options)}, but got {', '.join(sorted(unknown))}"
        )
    options |= given or {}
    return make_options(
        "host", options["threads"], 2, False, None, options["accumulation"], options["activations"]
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
