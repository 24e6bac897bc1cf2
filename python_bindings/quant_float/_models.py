"""Models: reading, checking, compiling and evaluating."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, overload

import numpy as np

from . import _native
from ._arguments import (
    as_choice,
    encode_path,
    find_name,
    require_choice,
    require_integer,
    require_string,
)
from ._device import describe
from ._disk import disk_cache
from ._kernels import Argument, Kernel, find_function, make_arguments, take_argument
from ._reports import FakeConvertReport, NodeReport, make_fakeconvert_report, make_report
from .typing import (
    Accumulation,
    Activations,
    Array,
    ArrayLike,
    CompileTarget,
    EmitKind,
    FakeConvertMode,
    Progress,
    Target,
)

if TYPE_CHECKING:
    from typing_extensions import TypedDict, Unpack

    class _EmitOptions(TypedDict, total=False):
        function: str | None
        cpu: str
        triple: str | None
        target: CompileTarget
        chip: str | None
        threads: int
        optimization_level: int
        partition: bool
        fakeconvert_mode: FakeConvertMode | None
        accumulation: Accumulation
        activations: Activations
        progress: Progress | None


__all__ = [
    "Function",
    "Module",
    "check",
    "compile",
    "import_onnx",
    "import_openvino",
    "load",
    "parse",
]

# In the order of the enumerations of the C API.
_MODES: dict[str | None, int] = {None: -1}
_MODES |= {mode: number for number, mode in enumerate(get_args(FakeConvertMode))}
_KINDS = {kind: number for number, kind in enumerate(get_args(EmitKind))}


class Function(NamedTuple):
    """A public function of a model. Compilation creates an entry point for it.

    Attributes:
        name: the symbol of the function.
        graph_name: the name of the graph in the source model; may be empty.
        inputs: the inputs of the function.
        outputs: the outputs of the function.
    """

    name: str
    graph_name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]


class Module:
    """A model in memory, created by :func:`load`, :func:`parse` and the importers.

    Methods may be called from any thread; calls on the same module wait for each other. Methods of
    a closed module raise ValueError.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Model) -> None:
        if not isinstance(native, _native.Model):
            raise TypeError(
                "a Module is only created by load, parse, import_onnx and import_openvino"
            )
        self._native = native

    @property
    def text(self) -> str:
        """The model as MLIR."""
        return self._native.write(False).decode(errors="backslashreplace")

    @property
    def bytecode(self) -> bytes:
        """The model, which must be valid, as MLIR bytecode."""
        return self._native.write(True)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The public functions, in order."""
        return tuple(
            Function(name, graph, make_arguments(inputs), make_arguments(outputs))
            for name, graph, inputs, outputs in self._native.describe()
        )

    def verify(self) -> None:
        """Verifies every op against the rules of its opset; raises ModelError."""
        self._native.verify()

    def run_passes(self, pipeline: str) -> None:
        """Runs a pipeline on the model, e.g. ``"builtin.module(quant-float-fuse-qdq)"``.

        Raises:
            ModelError: a pass does not exist or fails; the model can then no longer be used.
        """
        self._native.run_passes(require_string(pipeline, "pipeline"))

    def bind_input(self, name: str, value: ArrayLike) -> None:
        """Replaces an input by a constant, such as the axes of a reduction or weights, in each
        function that has an input of this name.

        Args:
            name: the name of the input.
            value: an array as in :meth:`Kernel.__call__`, which is copied.

        Raises:
            TypeError, ValueError: the array has another element type or another shape, there is no
                such input, or it cannot be a constant.
        """
        require_string(name, "name")
        inputs = [one for function in self.functions for one in function.inputs if one.name == name]
        if not inputs:
            raise ValueError(f"there is no input '{name}' to bind")
        self._native.bind_input(name, describe(take_argument(value, inputs[0], name)))

    def bind_weights(self, path: str | os.PathLike[str]) -> None:
        """Replaces the inputs that have the names of weights in a file by these weights.

        Quantized weights stay quantized in the compiled code. Weights without an input are ignored.

        Args:
            path: a file in .safetensors, .safetensors.index.json or .gguf, which must not change
                while the model and kernels of it are alive.

        Raises:
            OSError: the file cannot be read.
            ModelError: the file is invalid, or has a layout that is not supported.
            ValueError: a weight has another element type or another shape than its input, or no
                weight has the name of an input.
        """
        self._native.bind_weights(encode_path(path, "path"))

    def check(self, opset: int | Literal["all"] | None = None) -> list[NodeReport]:
        """Same as :func:`quant_float.check`."""
        if opset is None or opset == "all":
            number = 0 if opset is None else -1
        else:
            number = require_integer(opset, "opset", 1, _native.get_newest_opset())
        return [make_report(node) for node in json.loads(self._native.check(number))]

    def compile(
        self,
        function: str | None = None,
        *,
        cpu: str = "host",
        threads: int = 1,
        optimization_level: int = 2,
        target: CompileTarget = "cpu",
        chip: str | None = None,
        partition: bool = False,
        fakeconvert_mode: FakeConvertMode | None = None,
        accumulation: Accumulation = "ordered",
        activations: Activations = "float",
        path: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> Kernel:
        """Same as :func:`quant_float.compile`."""
        options = make_options(
            cpu, threads, optimization_level, partition, fakeconvert_mode, accumulation, activations
        )
        _set_target(options, target, chip)
        if options.nvvm and not options.chip:
            options.chip = _native.get_device_chip()
        progress = _require_callable(progress)
        # Partitioning determines the names of the functions.
        if not partition:
            names = [(f.name, f.graph_name) for f in self.functions]
            options.entry = names[find_name(names, function)][0]
        model = self._native
        if path is not None:
            native = model.compile_to_file(encode_path(path, "path"), options, progress)
        else:
            native = disk_cache.get(
                lambda: model.write(True),
                options,
                lambda path: model.compile_to_file(path, options, progress),
                lambda: model.compile(options, progress),
            )
        # A function that is compiled alone may have another name than in the model.
        return Kernel(native, find_function(native, function if partition else None))

    def compare_modes(
        self,
        *inputs: ArrayLike,
        function: str | None = None,
        target: Target = "cpu",
        threads: int = 1,
    ) -> tuple[FakeConvertReport, ...]:
        """Evaluates every fakeconvert of a function in each mode and compares the results.

        Args:
            inputs: arrays, as in :meth:`Kernel.__call__`.
            function: the name of the function, if there are several.
            target: how the operands of the fakeconverts are computed: compiled code, or the
                reference implementation, which is slow.
            threads: the number of threads.

        Raises:
            TypeError, ValueError, RunError: as in :meth:`Kernel.__call__`.
            CompileError: the function cannot be compiled or evaluated.
        """
        require_choice(target, "target", Target)
        options = make_options("host", threads, 2, False, None)
        index, _, tensors = self._take_inputs(inputs, function)
        found = self._native.compare_modes(index, tensors, options if target == "cpu" else None)
        return tuple(make_fakeconvert_report(*node) for node in found)

    @overload
    def emit(self, kind: EmitKind, path: None = None, **options: Unpack[_EmitOptions]) -> bytes: ...
    @overload
    def emit(
        self, kind: EmitKind, path: str | os.PathLike[str], **options: Unpack[_EmitOptions]
    ) -> None: ...
    def emit(
        self,
        kind: EmitKind,
        path: str | os.PathLike[str] | None = None,
        *,
        function: str | None = None,
        cpu: str = "host",
        triple: str | None = None,
        target: CompileTarget = "cpu",
        chip: str | None = None,
        threads: int = 1,
        optimization_level: int = 2,
        partition: bool = False,
        fakeconvert_mode: FakeConvertMode | None = None,
        accumulation: Accumulation = "ordered",
        activations: Activations = "float",
        progress: Progress | None = None,
    ) -> bytes | None:
        """Compiles to a file, or to bytes.

        Args:
            kind: ``"mlir"``, ``"llvm-dialect"``, ``"llvm-ir"``, ``"asm"``, ``"obj"``, ``"header"``,
                ``"ptx"``, ``"cubin"``; with a path also ``"shared"``.
            path: the file; the C header of an object or a library is written next to it.
            function: the only function to compile, by its name or the name of its graph; None means
                all.
            cpu: a CPU name of LLVM, or ``"host"``; with several, such as ``"x86-64-v3,x86-64-v4"``,
                the code for the best one that the machine supports is selected at run time.
            triple: the target triple; by default the triple of this machine.
            target: ``"cpu"`` or ``"nvvm"``, with its ``chip``, e.g. ``"sm_90"``.
            threads, optimization_level, partition, fakeconvert_mode, accumulation, activations,
                progress: as in :func:`quant_float.compile`.

        Raises:
            CompileError: the model cannot be compiled to this kind of output.
            OSError: the file cannot be written.
        """
        require_choice(kind, "kind", EmitKind)
        options = make_options(
            cpu, threads, optimization_level, partition, fakeconvert_mode, accumulation, activations
        )
        options.triple = require_string("" if triple is None else triple, "triple")
        _set_target(options, target, chip)
        if function is not None:
            names = [(f.name, f.graph_name) for f in self.functions]
            options.entry = names[find_name(names, function)][0]
        progress = _require_callable(progress)
        if path is None:
            return self._native.emit(_KINDS[kind], options, progress)
        self._native.emit_to_file(_KINDS[kind], encode_path(path, "path"), options, progress)
        return None

    def evaluate(self, *inputs: ArrayLike, function: str | None = None) -> Any:
        """Evaluates a function with the reference implementation, without compiling it.

        Args:
            inputs: arrays, as in :meth:`Kernel.__call__`.
            function: the name of the function, if there are several.

        Returns:
            The result, or a tuple unless there is exactly one: new numpy arrays.

        Raises:
            TypeError, ValueError: as in :meth:`Kernel.__call__`.
            CompileError: the function contains other ops than casts, quantization ops and
                constants.
        """
        index, outputs, tensors = self._take_inputs(inputs, function)
        computed = self._native.evaluate(index, tensors)
        results = tuple(
            make_result(data, output) for data, output in zip(computed, outputs, strict=True)
        )
        return results[0] if len(results) == 1 else results

    def _take_inputs(
        self, inputs: tuple[ArrayLike, ...], function: str | None
    ) -> tuple[int, tuple[Argument, ...], list[Any]]:
        """Returns the function, its outputs, and the inputs as the extension expects them."""
        functions = self.functions
        index = find_name([(f.name, f.graph_name) for f in functions], function)
        name, _, wanted, outputs = functions[index]
        if len(inputs) != len(wanted):
            raise TypeError(f"{name} takes {len(wanted)} inputs, but got {len(inputs)}")
        tensors = [
            describe(take_argument(value, argument, f"input {position}"))
            for position, (value, argument) in enumerate(zip(inputs, wanted, strict=True))
        ]
        return index, outputs, tensors

    def close(self) -> None:
        """Frees the memory of the model. Its kernels stay valid."""
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether the module is closed."""
        return self._native.closed

    def __enter__(self) -> Module:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        names = "closed" if self.closed else ", ".join(f.name for f in self.functions)
        return f"<quant_float.Module {names}>"


def load(
    path: str | os.PathLike[str],
    *,
    verify: bool = True,
    fakeconvert_mode: FakeConvertMode | None = None,
    progress: Progress | None = None,
) -> Module:
    """Reads a model from a file.

    Args:
        path: an .onnx file, an OpenVINO .xml file with its .bin file next to it, .mlir or .mlirbc.
            The file must not change while the module is alive, because large constants stay in it.
        verify: if False, the ops are not verified, so that :meth:`Module.check` can report them.
        fakeconvert_mode: the mode of every fakeconvert: ``"exact"``, ``"openvino"`` or
            ``"openvino_reference"``. None means the mode in the model, and ``"openvino"`` for an
            OpenVINO model.
        progress: a function that is called with the stage, the detail and the number of completed
            steps; if it returns False, the operation is cancelled.

    Raises:
        OSError: the file cannot be read.
        ModelError: the file is not a model, or violates the rules of its opset; the diagnostics
            contain the locations.
    """
    mode = _find_mode(fakeconvert_mode)
    progress = _require_callable(progress)
    return Module(_native.Model.load(encode_path(path, "path"), bool(verify), mode, progress))


def parse(
    source: str | bytes,
    *,
    name: str = "<memory>",
    verify: bool = True,
    fakeconvert_mode: FakeConvertMode | None = None,
) -> Module:
    """Parses MLIR, textual or bytecode.

    Args:
        source: the module.
        name: the file name in diagnostics.
        verify, fakeconvert_mode: as in :func:`load`.

    Raises:
        ModelError: the source is not valid MLIR, or violates the rules of an op.
    """
    if isinstance(source, str):
        source = source.encode()
    return _parse(_native.MLIR, source, name, verify, fakeconvert_mode)


def import_onnx(
    source: Any,
    *,
    name: str = "<memory>",
    external_data: str | os.PathLike[str] | None = None,
    verify: bool = True,
    fakeconvert_mode: FakeConvertMode | None = None,
    progress: Progress | None = None,
) -> Module:
    """Imports an ONNX model.

    Args:
        source: a path; a serialized ModelProto; or an ``onnx.ModelProto``.
        name: the file name in diagnostics, for a model in memory.
        external_data: the folder of the external data, for a model in memory.
        verify, fakeconvert_mode, progress: as in :func:`load`.

    Raises:
        OSError: the file cannot be read.
        ModelError: the source is not an ONNX model, or violates the rules of its opset.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fsdecode(source)
        if path.endswith(".onnx") and external_data is None:
            return load(path, verify=verify, fakeconvert_mode=fakeconvert_mode, progress=progress)
        source, name = _read(path), path
        external_data = os.path.dirname(path) or "." if external_data is None else external_data
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    folder = b"" if external_data is None else encode_path(external_data, "external_data")
    options = (verify, fakeconvert_mode, progress)
    return _parse(_native.ONNX, source, name, *options, folder=folder)


def import_openvino(
    source: str | bytes | os.PathLike[str],
    weights: str | os.PathLike[str] | None = None,
    *,
    name: str = "<memory>",
    verify: bool = True,
    fakeconvert_mode: FakeConvertMode | None = None,
    progress: Progress | None = None,
) -> Module:
    """Imports an OpenVINO model.

    Args:
        source: the path of the .xml file, or its contents.
        weights: the .bin file; by default the one next to the .xml file.
        name: the file name in diagnostics, for a model in memory.
        verify, fakeconvert_mode, progress: as in :func:`load`.

    Raises:
        OSError: a file cannot be read.
        ModelError: the source is not an OpenVINO model, or OpenVINO rejects a node.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fsdecode(source)
        if path.endswith(".xml") and weights is None:
            return load(path, verify=verify, fakeconvert_mode=fakeconvert_mode, progress=progress)
        source, name = _read(path), path
    blobs = b"" if weights is None else encode_path(weights, "weights")
    options = (verify, fakeconvert_mode, progress)
    return _parse(_native.OPENVINO, source, name, *options, weights=blobs)


def check(
    model: Any, opset: int | Literal["all"] | None = None, *, progress: Progress | None = None
) -> list[NodeReport]:
    """Verifies every quantization node of a model.

    Args:
        model: a :class:`Module`, a path as in :func:`load`, or an ``onnx.ModelProto``. The nodes of
            files are reported even if they are invalid; a module is verified when it is created,
            unless ``verify`` is False.
        opset: None verifies each node against its opset, a number against this ONNX opset, and
            ``"all"`` against its opset and every other known opset.
        progress: as in :func:`load`.

    Raises:
        OSError, ModelError: the model cannot be read.
    """
    return _open(model, False, None, progress).check(opset)


def compile(
    model: Any,
    function: str | None = None,
    *,
    cpu: str = "host",
    threads: int = 1,
    optimization_level: int = 2,
    target: CompileTarget = "cpu",
    chip: str | None = None,
    partition: bool = False,
    fakeconvert_mode: FakeConvertMode | None = None,
    accumulation: Accumulation = "ordered",
    activations: Activations = "float",
    path: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Kernel:
    """Compiles a function of a model in this process.

    Large constants stay in the model file, which must not change while the kernel is alive.

    Args:
        model: a :class:`Module`, a path as in :func:`load`, or an ``onnx.ModelProto``.
        function: the name of the function or of its graph, if the model has several.
        cpu: a CPU name of LLVM, or ``"host"``; with several, such as ``"x86-64-v3,x86-64-v4"``, the
            code for the best one that the machine supports.
        threads: the number of threads; 0 means OpenMP's default.
        optimization_level: 0 to 3.
        target: ``"cpu"``, or ``"nvvm"`` for the first NVIDIA GPU.
        chip: the GPU, e.g. ``"sm_90"``; by default the GPU of this machine.
        partition: if nodes have no lowering, compile the supported subgraphs around quantization
            nodes, each as a separate function.
        fakeconvert_mode: as in :func:`load`.
        accumulation: the accumulation order and rounding of floating-point reductions:
            ``"ordered"``, with the same bits on every CPU and GPU, or ``"reassociate"``, which
            allows other orders: GPUs use them for matrix instructions.
        activations: the type of the activations in matmuls with weights of 8, 4 or 2 bits, on
            CPUs: ``"float"``, the type of the model, or ``"int16"`` or ``"int8"``,
            quantized dynamically with one scale per block of 32 or 16 elements.
        path: a shared library to write, with a C header next to it. It contains all constants, and
            :func:`quant_float.load_kernel` loads it without compiling.
        progress: as in :func:`load`.

    Raises:
        OSError: the model cannot be read, or the library cannot be written.
        ModelError: the model cannot be read.
        RunError: there is no GPU.
        CompileError: the model cannot be compiled; the diagnostics contain the reason.
        ValueError: there is no such function, or there are several.
    """
    return _open(model, True, fakeconvert_mode, progress).compile(
        function,
        cpu=cpu,
        threads=threads,
        optimization_level=optimization_level,
        target=target,
        chip=chip,
        partition=partition,
        accumulation=accumulation,
        activations=activations,
        path=path,
        progress=progress,
    )


def _open(
    model: Any, verify: bool, mode: FakeConvertMode | None, progress: Progress | None
) -> Module:
    if isinstance(model, Module):
        return model
    if hasattr(model, "SerializeToString"):
        return import_onnx(model, verify=verify, fakeconvert_mode=mode, progress=progress)
    if isinstance(model, (str, os.PathLike)):
        return load(model, verify=verify, fakeconvert_mode=mode, progress=progress)
    raise TypeError(
        f"model must be a Module, a path or an onnx.ModelProto, but got {type(model).__name__}"
    )


def _parse(
    form: int,
    source: Any,
    name: str,
    verify: bool,
    mode: FakeConvertMode | None,
    progress: Progress | None = None,
    *,
    folder: bytes = b"",
    weights: bytes = b"",
) -> Module:
    if not isinstance(source, (bytes, bytearray, memoryview)):
        raise TypeError(f"source must be bytes, but got {type(source).__name__}")
    native = _native.Model.parse(
        form,
        bytes(source),
        require_string(name, "name"),
        bool(verify),
        _find_mode(mode),
        folder,
        weights,
        _require_callable(progress),
    )
    return Module(native)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _require_callable(progress: Any) -> Any:
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, but got {type(progress).__name__}")
    return progress


def _find_mode(mode: FakeConvertMode | None) -> int:
    return _MODES[as_choice(mode, "fakeconvert_mode", FakeConvertMode)]


def _set_target(options: _native.Options, target: CompileTarget, chip: str | None) -> None:
    options.nvvm = require_choice(target, "target", CompileTarget) == "nvvm"
    options.chip = require_string("" if chip is None else chip, "chip")


def make_result(data: Any, output: Argument) -> Array:
    """Returns a result of an evaluation as an array."""
    if isinstance(data, tuple):
        strings, shape = data
        array: Array = np.empty(len(strings), object)
        array[:] = strings
        return array.reshape(shape)
    computed: Array = data.view(output.dtype.numpy) if output.dtype else data
    return computed


def make_options(
    cpu: str,
    threads: int,
    level: int,
    partition: bool,
    mode: FakeConvertMode | None,
    accumulation: Accumulation = "ordered",
    activations: Activations = "float",
) -> _native.Options:
    options = _native.Options()
    options.cpu = require_string(cpu, "cpu")
    options.threads = require_integer(threads, "threads", 0, 4096)
    options.level = require_integer(level, "optimization_level", 0, 3)
    options.partition = bool(partition)
    options.mode = _find_mode(mode)
    options.accumulation = get_args(Accumulation).index(
        require_choice(accumulation, "accumulation", Accumulation)
    )
    options.activations = get_args(Activations).index(
        require_choice(activations, "activations", Activations)
    )
    return options
