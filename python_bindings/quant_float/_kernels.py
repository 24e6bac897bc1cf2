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
    store_texts,
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
        name: the model's name of it; may be empty.
        dtype: the type of its elements; None for those that no array has. A kernel has no such
            argument.
        shape: its sizes, None where the model leaves one open; None where it leaves the rank open,
            which no kernel does.
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
    """A function, compiled into this process.

    Calls may come from any number of threads; they hold no lock, and Python runs other threads
    meanwhile. Made by :func:`quant_float.compile` and :meth:`quant_float.Module.compile`.

    Attributes:
        name: the function's symbol.
        graph_name: the graph's name in the source model; may be empty.
        inputs: what it takes.
        outputs: what it gives.
        target: what it runs on, ``"cpu"`` or ``"nvvm"``, the first NVIDIA GPU.
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
            inputs: an array for each of :attr:`inputs`: of numpy, with ml_dtypes' types too, or
                anything with ``__dlpack__`` in the CPU's memory. One that is not contiguous in
                row-major order or not in the machine's byte order is copied, no other is. Or
                numbers and lists of them, which become of the input's type, rounded once. Packed
                inputs take a :class:`quant_float.PackedArray`, and pack other arrays. A kernel
                for a GPU also takes arrays in its memory, by ``__dlpack__`` or
                ``__cuda_array_interface__``, which must be contiguous. Strings are arrays of
                objects, ``StringDType`` or ``str_``, or ``str`` and lists of them.
            out: where results go: an array, or a sequence of them where there are several
                outputs; None in their place stands for a new array. They must be writable,
                contiguous, and overlap neither each other nor an input; of strings, arrays of
                objects or ``StringDType``. New ones are of objects.

        Returns:
            The result, or a tuple of them where there are not just one: what ``out`` gives, else
            new numpy arrays (:class:`quant_float.PackedArray` of packed outputs), or, where an input or ``out`` is in a GPU's memory, new
            :class:`quant_float.DeviceArray`. All of it is there when the call returns.

        Raises:
            TypeError: the number of arguments, something that is no array, an element type.
            ValueError: a shape, a layout, a read-only ``out``, a closed kernel.
            RunError: sizes that do not fit each other, overlapping memory, an impossible value,
                what a GPU or its driver refuses.
            MemoryError: no memory for what is computed on the way.
        """
        if len(inputs) != len(self.inputs):
            raise TypeError(f"{self.name} takes {len(self.inputs)} inputs, but got {len(inputs)}")
        if out is None and self._plain is not None:
            arrays = self._plain.run(inputs)
            if arrays is not None:
                return arrays[0] if len(arrays) == 1 else arrays
        given = self._split_outputs(out)
        on_device = self.target == "nvvm" and any(map(is_on_device, (*inputs, *given)))
        tensors = []
        for index, (value, argument) in enumerate(zip(inputs, self.inputs, strict=True)):
            what = f"input {index} '{argument.name}'" if argument.name else f"input {index}"
            tensors.append(take_argument(value, argument, what, on_device))
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
            places = [_take_place(*output) for output in wanted]
            arrays = tuple(run_on_device(self._native, self._entry, described, places))
            del copies
        else:
            results = [
                (take_packed_output if output.packed else take_output)(*place)
                for output, place in zip(self.outputs, wanted, strict=True)
            ]
            self.run(tensors, results)
            arrays = tuple(result.array for result in results)
        return arrays[0] if len(arrays) == 1 else arrays

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        """Runs on tensors of the host's memory that were checked before."""
        inputs_, outputs_ = list(map(describe, inputs)), list(map(describe, outputs))
        self._native.run(self._entry, inputs_, outputs_, False)
        for output in outputs:
            store_texts(output)

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
        """Gives the code's memory back as soon as no thread runs it; later calls raise ValueError.

        Without this, it is given back when nothing refers to the kernel any more.
        """
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
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

    The library is code, and it runs in this process: it must be from somebody who is trusted.

    Args:
        path: the file. It must stay as it is while the kernel lives.
        function: its name or its graph's, where the library has several.

    Raises:
        OSError: the file cannot be read.
        ModelError: it is no such library, or of another version.
        ValueError: there is no such function, or there are several.
    """
    native = _native.Kernel.load(encode_path(path, "path"))
    return Kernel(native, find_function(native, function))


def find_function(native: _native.Kernel, function: str | None) -> int:
    """Which function of a kernel is meant."""
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
    """``"2, ?"``, and ``"*"`` for any rank."""
    if shape is None:
        return "*"
    return ", ".join("?" if size is None else str(size) for size in shape)


def _describe_for_shapes(tensor: Tensor) -> Any:
    """With elements, where shapes may depend on them: never on those of texts."""
    codes = None if tensor.number == STRING.number else tensor.codes
    return codes, tensor.number, tensor.shape


def _take_place(value: Any, element: DType, shape: tuple[int, ...], what: str) -> Tensor | None:
    """An output of a run on a device; None for a new array there."""
    if value is None:
        return None
    on_device = is_on_device(value)
    tensor = (take_on_device if on_device else take)(value, what, writable=True)
    return require_output(tensor, element, shape, what)


def take_argument(
    value: Any, argument: Argument, what: str, may_be_on_device: bool = False
) -> Tensor:
    """The tensor that ``value`` is, where it fits the argument."""
    if may_be_on_device and is_on_device(value):
        tensor = take_on_device(value, what)
        if argument.packed:
            raise TypeError(f"{what} is packed and must be in the CPU's memory")
    elif argument.packed and argument.dtype is not None:
        tensor = take_packed(value, argument.dtype, what)
    elif isinstance(value, PackedArray):
        raise TypeError(f"{what} must not be packed")
    else:
        tensor = take(value, what, element=argument.dtype)
    if argument.dtype is not None:
        require_dtype(tensor, argument.dtype, what)
    if argument.shape is not None:
        fits = len(tensor.shape) == len(argument.shape) and all(
            size in (None, given) for size, given in zip(argument.shape, tensor.shape, strict=True)
        )
        if not fits:
            wanted = spell_shape(argument.shape)
            raise ValueError(f"{what} must have shape ({wanted}), but got {tensor.shape}")
    return tensor
