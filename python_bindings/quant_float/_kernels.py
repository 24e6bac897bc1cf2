"""Compiled functions and their calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from . import _native
from ._arguments import encode_path, find_name
from ._arrays import (
    PACKED,
    PackedArray,
    Tensor,
    require_dtype,
    require_output,
    store_strings,
    take,
    take_output,
    take_packed,
    take_packed_output,
)
from ._device import describe, is_on_device, take_on_device
from ._device import put as put_on_device
from ._device import run as run_on_device
from ._plain import PlainCalls
from ._types import ELEMENTS, STRING, DType
from .typing import Array, ArrayLike, CompileTarget, SupportsCuda, SupportsDLPack

__all__ = ["Argument", "Kernel", "load_kernel"]

Output: TypeAlias = "Array | SupportsDLPack | SupportsCuda"


class Argument(NamedTuple):
    """An input or output of a function.

    Attributes:
        name: its name in the model; may be empty.
        dtype: its element type; None for types without arrays, which kernels do not have.
        shape: its sizes, None for dynamic sizes; None if it is unranked, which arguments of kernels
            are not.
        packed: whether its elements are packed, see :class:`quant_float.PackedArray`.
    """

    name: str
    dtype: DType | None
    shape: tuple[int | None, ...] | None
    packed: bool = False

    def __str__(self) -> str:
        name = self.dtype.name if self.dtype else "?"
        name = f"packed {name}" if self.packed else name
        return f"{self.name or '_'}: {name}[{spell_shape(self.shape)}]"


class Kernel:
    """A function that is compiled in this process.

    Created by :func:`quant_float.compile` and :meth:`quant_float.Module.compile`. Calls may come
    from any number of threads. They hold no lock and release Python's global interpreter lock.

    Attributes:
        name: the symbol of the function.
        graph_name: the name of the graph in the source model; may be empty.
        inputs: the inputs of the function.
        outputs: the outputs of the function.
        target: ``"cpu"``, or ``"nvvm"`` for the first NVIDIA GPU.
    """

    __slots__ = (
        "_entry",
        "_native",
        "_plain",
        "_result_types",
        "graph_name",
        "inputs",
        "name",
        "outputs",
        "target",
    )

    def __init__(self, native: _native.Kernel, entry: int) -> None:
        if not isinstance(native, _native.Kernel):
            raise TypeError("a Kernel is only created by compile")
        self._native = native
        self._entry = entry
        self.target: CompileTarget = "nvvm" if native.for_device else "cpu"
        self.name, self.graph_name, inputs, outputs = native.describe(entry)
        self.inputs = make_arguments(inputs)
        self.outputs = make_arguments(outputs)
        self._result_types = [ELEMENTS[number & ~PACKED] for _, number, _ in outputs]
        self._plain = PlainCalls.make(native, entry, self.inputs, self.outputs)

    def __call__(
        self,
        *inputs: ArrayLike | SupportsCuda,
        out: Output | Sequence[Output | None] | None = None,
    ) -> Any:
        """Runs the function.

        Args:
            inputs: an array for each of :attr:`inputs`: a numpy array, also with a type of
                ml_dtypes, or an object with ``__dlpack__`` in CPU memory. It is copied only if it
                is not contiguous in row-major order or has another byte order. Numbers and lists of
                numbers are rounded once to the type of the input. Packed inputs accept a
                :class:`quant_float.PackedArray`; other arrays are packed. A kernel for a GPU also
                accepts contiguous arrays in GPU memory, with ``__dlpack__`` or
                ``__cuda_array_interface__``. Strings are arrays of objects, ``StringDType`` or
                ``str_``, or ``str`` and lists of them.
            out: the array for the result, or a sequence of arrays if there are several outputs, in
                which None means a new array. The arrays must be writable and contiguous, and must
                not overlap each other or an input. Strings are written to arrays of objects or
                ``StringDType``; new arrays have objects.

        Returns:
            The result, or a tuple unless there is exactly one: ``out``, or new numpy arrays
            (:class:`quant_float.PackedArray` for packed outputs), or, if an input or ``out`` is in
            GPU memory, new :class:`quant_float.DeviceArray`. The results are complete when the call
            returns.

        Raises:
            TypeError: the number of arguments or an element type is wrong, or an argument is not an
                array.
            ValueError: a shape or a layout is wrong, ``out`` is read-only, or the kernel is closed.
            RunError: sizes do not match, arrays overlap, a value is invalid, or the GPU or its
                driver reports an error.
            MemoryError: there is not enough memory for intermediate values.
        """
        if len(inputs) != len(self.inputs):
            raise TypeError(f"{self.name} takes {len(self.inputs)} inputs, but got {len(inputs)}")
        given = self._split_outputs(out)
        if self._plain is not None:
            arrays = self._plain.run(inputs, given)
            if arrays is not None:
                return arrays[0] if len(arrays) == 1 else arrays
        on_device = self.target == "nvvm" and any(map(is_on_device, (*inputs, *given)))
        tensors = []
        for index, (value, argument) in enumerate(zip(inputs, self.inputs, strict=True)):
            label = f"input {index} '{argument.name}'" if argument.name else f"input {index}"
            tensors.append(take_argument(value, argument, label, on_device))
        if on_device:
            described, copies = put_on_device(tensors)
        else:
            described = list(map(_describe_for_shapes, tensors))
        shapes = self._native.get_output_shapes(self._entry, described, on_device)
        wanted = [
            (value, element, shape, f"output {index}")
            for index, (value, element, shape) in enumerate(
                zip(given, self._result_types, shapes, strict=True)
            )
        ]
        if on_device:
            destinations = [_take_device_output(*output) for output in wanted]
            arrays = tuple(run_on_device(self._native, self._entry, described, destinations))
            del copies
        else:
            results = [
                (take_packed_output if output.packed else take_output)(*request)
                for output, request in zip(self.outputs, wanted, strict=True)
            ]
            self.run(tensors, results)
            arrays = tuple(result.array for result in results)
        return arrays[0] if len(arrays) == 1 else arrays

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        """Runs on checked tensors in host memory."""
        inputs_, outputs_ = list(map(describe, inputs)), list(map(describe, outputs))
        self._native.run(self._entry, inputs_, outputs_, False)
        for output in outputs:
            store_strings(output)

    def _split_outputs(self, out: Any) -> Sequence[Any]:
        if out is None:
            return [None] * len(self.outputs)
        if len(self.outputs) == 1 and not isinstance(out, (tuple, list)):
            return [out]
        if not isinstance(out, (tuple, list)):
            raise TypeError(
                f"out must be a sequence of {len(self.outputs)} arrays, but got "
                f"{type(out).__name__}"
            )
        if len(out) != len(self.outputs):
            raise TypeError(
                f"{self.name} has {len(self.outputs)} outputs, but out has {len(out)} arrays"
            )
        return out

    def close(self) -> None:
        """Frees the code as soon as no thread runs it; later calls raise ValueError.

        Otherwise the code is freed with the last reference to the kernel.
        """
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether the kernel is closed."""
        return self._native.closed

    def __enter__(self) -> Kernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        inputs = ", ".join(map(str, self.inputs))
        outputs = ", ".join(map(str, self.outputs))
        return f"<quant_float.Kernel {self.name}({inputs}) -> ({outputs})>"


def load_kernel(path: str | os.PathLike[str], function: str | None = None) -> Kernel:
    """Loads a function of a shared library that :func:`quant_float.compile` or
    :meth:`quant_float.Module.emit` wrote, without compiling.

    The code of the library runs in this process, so the library must come from a trusted source.

    Args:
        path: the file, which must not change while the kernel is alive.
        function: the name of the function or of its graph, if the library has several.

    Raises:
        OSError: the file cannot be read.
        ModelError: the file is not such a library, or has another version.
        ValueError: there is no such function, or there are several.
    """
    native = _native.Kernel.load(encode_path(path, "path"))
    return Kernel(native, find_function(native, function))


def find_function(native: _native.Kernel, function: str | None) -> int:
    """Returns the index of a function of a kernel."""
    return find_name([native.describe(index)[:2] for index in range(native.num_entries)], function)


def make_arguments(
    described: Sequence[tuple[str, int, tuple[int, ...] | None]],
) -> tuple[Argument, ...]:
    return tuple(
        Argument(
            name,
            ELEMENTS.get(number & ~PACKED),
            None if sizes is None else tuple(None if size < 0 else size for size in sizes),
            bool(number & PACKED),
        )
        for name, number, sizes in described
    )


def spell_shape(shape: tuple[int | None, ...] | None) -> str:
    """Returns a shape such as ``"2, ?"``; ``"*"`` if it is unranked."""
    if shape is None:
        return "*"
    return ", ".join("?" if size is None else str(size) for size in shape)


def _describe_for_shapes(tensor: Tensor) -> Any:
    """Describes a tensor with its elements, on which shapes may depend; without them for strings."""
    data = None if tensor.number == STRING.number else tensor.data
    return data, tensor.number, tensor.shape


def _take_device_output(
    value: Any, element: DType, shape: tuple[int, ...], label: str
) -> Tensor | None:
    """Returns an output of a run on a device; None means a new array in GPU memory."""
    if value is None:
        return None
    on_device = is_on_device(value)
    tensor = (take_on_device if on_device else take)(value, label, writable=True)
    return require_output(tensor, element, shape, label)


def take_argument(
    value: Any, argument: Argument, label: str, may_be_on_device: bool = False
) -> Tensor:
    """Returns ``value`` as a tensor that matches the argument."""
    if may_be_on_device and is_on_device(value):
        tensor = take_on_device(value, label)
        if argument.packed:
            raise TypeError(f"{label} is packed and must be in the CPU's memory")
    elif argument.packed and argument.dtype is not None:
        tensor = take_packed(value, argument.dtype, label)
    elif isinstance(value, PackedArray):
        raise TypeError(f"{label} must not be packed")
    else:
        tensor = take(value, label, element=argument.dtype)
    if argument.dtype is not None:
        require_dtype(tensor, argument.dtype, label)
    if argument.shape is not None:
        fits = len(tensor.shape) == len(argument.shape) and all(
            size in (None, given) for size, given in zip(argument.shape, tensor.shape, strict=True)
        )
        if not fits:
            wanted = spell_shape(argument.shape)
            raise ValueError(f"{label} must have shape ({wanted}), but got {tensor.shape}")
    return tensor
