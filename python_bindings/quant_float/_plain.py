"""The fast path for calls with contiguous numpy arrays of the types and sizes of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _native
from ._arrays import UNSIGNED
from ._types import STRING, DType
from .typing import Array

if TYPE_CHECKING:
    from ._kernels import Argument

__all__: list[str] = []


class _Plain(NamedTuple):
    """The requirements on arrays of an argument."""

    dtype: np.dtype[Any]
    number: int
    rank: int
    #: The static dimensions, and their sizes.
    sizes: tuple[tuple[int, int], ...]
    #: The type as which arrays are viewed if numpy does not export a buffer of their type.
    view: np.dtype[Any] | None

    def accepts(self, value: Any) -> bool:
        """Whether the value is a contiguous array of this type and rank."""
        return (
            type(value) is np.ndarray
            and value.dtype == self.dtype
            and value.ndim == self.rank
            and value.flags.c_contiguous
        )

    def describe(self, array: Array) -> tuple[Array, int, tuple[int, ...]]:
        """Returns an array in the form that the extension accepts."""
        data = array if self.view is None else array.view(self.view)
        return data, self.number, array.shape


class PlainCalls:
    """Calls of one function that runs on the host."""

    __slots__ = ("_entry", "_inputs", "_native", "_outputs")

    def __init__(
        self, native: _native.Kernel, entry: int, inputs: list[_Plain], outputs: list[_Plain]
    ) -> None:
        self._native, self._entry, self._inputs, self._outputs = native, entry, inputs, outputs

    @classmethod
    def make(
        cls,
        native: _native.Kernel,
        entry: int,
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
    ) -> PlainCalls | None:
        """Returns None if an argument has strings or packed elements, or the function runs on a device."""
        if native.for_device:
            return None
        arguments = [_make_plain(argument) for argument in (*inputs, *outputs)]
        plain = [argument for argument in arguments if argument is not None]
        if len(plain) != len(arguments):
            return None
        return cls(native, entry, plain[: len(inputs)], plain[len(inputs) :])

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[Array, ...] | None:
        """Returns the arrays with the results, a new one for each output that is None. Returns None
        if an argument requires the general path."""
        given = []
        for value, plain in zip(inputs, self._inputs, strict=True):
            if not plain.accepts(value):
                return None
            shape = value.shape
            for axis, size in plain.sizes:
                if shape[axis] != size:
                    return None
            given.append(plain.describe(value))
        shapes = self._native.get_output_shapes(self._entry, given, False)
        for value, shape, plain in zip(outputs, shapes, self._outputs, strict=True):
            if value is not None and not (
                plain.accepts(value) and value.shape == shape and value.flags.writeable
            ):
                return None
        try:
            results = tuple(
                np.empty(shape, plain.dtype) if value is None else value
                for value, shape, plain in zip(outputs, shapes, self._outputs, strict=True)
            )
        except ValueError:
            return None
        described = [
            plain.describe(array) for array, plain in zip(results, self._outputs, strict=True)
        ]
        self._native.run(self._entry, given, described, False)
        return results


def _make_plain(argument: Argument) -> _Plain | None:
    element: DType | None = argument.dtype
    if element is None or element is STRING or argument.packed or argument.shape is None:
        return None
    kind = np.dtype(element.numpy)
    sizes = tuple((axis, size) for axis, size in enumerate(argument.shape) if size is not None)
    view = None if kind.isbuiltin == 1 else UNSIGNED[element.itemsize]
    return _Plain(kind, element.number, len(argument.shape), sizes, view)
