"""Reports on the quantization nodes of a model."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from . import _native
from ._arrays import require_dtype, take
from ._device import describe
from ._types import DType, dtype
from .typing import ArrayLike, FakeConvertMode

__all__ = [
    "Difference",
    "FakeConvertReport",
    "ModeComparison",
    "NodeReport",
    "OpsetVerdict",
    "compare",
]


class OpsetVerdict(NamedTuple):
    """The verdict on a node that the opsets ``first`` to ``last`` share."""

    first: int
    last: int
    accepted: bool
    reason: str = ""
    notes: tuple[str, ...] = ()


class NodeReport(NamedTuple):
    """The verification result of one quantization node.

    Attributes:
        op: the name of the op in its standard, e.g. ``"CastLike"``.
        status: ``"ok"``, ``"invalid"``, or ``"not verified"`` if its types are not known.
        reason: why it is invalid; empty if it is valid.
        notes: the notes on the reason.
        node: the name of the node in the model; may be empty.
        opset: the opset of the node; None if the model does not specify it.
        file: the file; line and column are 0 if the file has no lines.
        inputs: the types of its operands, in MLIR's syntax.
        results: the types of its results.
        opsets: with ``opset="all"``, the verdicts of every known opset.
        warnings: the warnings, which do not make it invalid.
    """

    op: str
    status: Literal["ok", "invalid", "not verified"]
    reason: str = ""
    notes: tuple[str, ...] = ()
    node: str = ""
    opset: int | None = None
    file: str = ""
    line: int = 0
    column: int = 0
    inputs: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    opsets: tuple[OpsetVerdict, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the node is valid."""
        return self.status == "ok"


class Difference(NamedTuple):
    """The difference of two arrays.

    Attributes:
        elements: the number of elements of each array.
        differing: the number of elements with different bits; all NaNs are equal.
        first: the index of the first one in row-major order; None if there is none.
        largest: the largest difference of two numbers; NaN if only one of them is a number.
    """

    elements: int
    differing: int
    first: int | None
    largest: float


def compare(one: ArrayLike, other: ArrayLike) -> Difference:
    """Compares two arrays bit by bit, such as the results of two runs.

    Args:
        one: an array, as an input of a kernel.
        other: another array, of the same type and shape.

    Raises:
        TypeError: the types differ, or one of them is not an array.
        ValueError: the shapes differ.
    """
    tensors = take(one, "one"), take(other, "other")
    require_dtype(tensors[1], tensors[0].dtype, "other")
    if tensors[0].shape != tensors[1].shape:
        raise ValueError(f"other must have shape {tensors[0].shape}, but got {tensors[1].shape}")
    elements, differing, first, largest = _native.compare_tensors(*map(describe, tensors))
    return Difference(elements, differing, None if first < 0 else first, largest)


class ModeComparison(NamedTuple):
    """The elements for which two modes of a fakeconvert give different values.

    Attributes:
        first: one mode.
        second: the other mode.
        differing: the number of elements.
        causes: the number of elements by the first step in which the modes differ: ``"nan"``,
            ``"sign of zero"``, ``"double rounding"``, ``"subnormals"``, ``"bfloat16 rounding"``,
            ``"reciprocal"``.
    """

    first: FakeConvertMode
    second: FakeConvertMode
    differing: int
    causes: dict[str, int]


class FakeConvertReport(NamedTuple):
    """The differences between the modes of one fakeconvert.

    Attributes:
        node: its name in the model; may be empty.
        dtype: the float8 type that it rounds to.
        elements: the number of elements that it converts.
        is_constant: whether its input is a constant, which OpenVINO folds with its reference
            implementation.
        comparisons: all pairs of modes.
    """

    node: str
    dtype: DType
    elements: int
    is_constant: bool
    comparisons: tuple[ModeComparison, ...]


# In the order of the enumeration of the C API.
_CAUSES = (
    "nan",
    "sign of zero",
    "double rounding",
    "subnormals",
    "bfloat16 rounding",
    "reciprocal",
)


def make_fakeconvert_report(
    node: str,
    to: Any,
    elements: int,
    is_constant: bool,
    comparisons: list[tuple[int, int, int, list[int]]],
) -> FakeConvertReport:
    modes = get_args(FakeConvertMode)
    converted = tuple(
        ModeComparison(
            modes[first], modes[second], differing, dict(zip(_CAUSES, causes, strict=True))
        )
        for first, second, differing, causes in comparisons
    )
    return FakeConvertReport(node, dtype(to), elements, is_constant, converted)


def make_report(node: dict[str, Any]) -> NodeReport:
    """Returns the report for an object of the JSON list of a check."""
    opsets = tuple(
        OpsetVerdict(**(verdict | {"notes": tuple(verdict.get("notes", ()))}))
        for verdict in node.pop("opsets", ())
    )
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in node.items()
    }
    return NodeReport(opsets=opsets, **values)
