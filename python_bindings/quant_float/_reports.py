"""What checking a model says of its quantization nodes."""

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
    """What the opsets ``first`` to ``last`` say alike about a node."""

    first: int
    last: int
    accepted: bool
    reason: str = ""
    notes: tuple[str, ...] = ()


class NodeReport(NamedTuple):
    """What a check found of one quantization node.

    Attributes:
        op: the source standard's name of the op, e.g. ``"CastLike"``.
        status: ``"ok"``, ``"invalid"``, or ``"not verified"`` where its types are not known.
        reason: why it is not valid; empty if it is.
        notes: what is to be said about that.
        node: the model's name of the node; may be empty.
        opset: its own opset, None where the model does not tell.
        file: where it is; line and column are 0 where the file has no lines.
        inputs: the types of its operands, as MLIR spells them.
        results: those of its results.
        opsets: with ``opset="all"``, what every known opset says.
        warnings: what is doubtful, but no error.
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
        """Whether it is."""
        return self.status == "ok"


class Difference(NamedTuple):
    """How two arrays differ.

    Attributes:
        elements: how many each has.
        differing: those with other bits; NaNs are all alike.
        first: the place of the first of them, in row-major order; None where there is none.
        largest: the largest difference of two numbers; NaN where only one is a number.
    """

    elements: int
    differing: int
    first: int | None
    largest: float


def compare(one: ArrayLike, other: ArrayLike) -> Difference:
    """Compares two arrays, such as the results of two runs, bit by bit.

    Args:
        one: an array, as an input of a kernel.
        other: another one, of the same type and shape.

    Raises:
        TypeError: the types differ, or one is no array.
        ValueError: the shapes differ.
    """
    tensors = take(one, "one"), take(other, "other")
    require_dtype(tensors[1], tensors[0].dtype, "other")
    if tensors[0].shape != tensors[1].shape:
        raise ValueError(f"other must have shape {tensors[0].shape}, but got {tensors[1].shape}")
    elements, differing, first, largest = _native.compare_tensors(*map(describe, tensors))
    return Difference(elements, differing, None if first < 0 else first, largest)


class ModeComparison(NamedTuple):
    """Elements that two modes of a fakeconvert give other values.

    Attributes:
        first: one mode.
        second: the other.
        differing: how many elements.
        causes: those by the first step at which the modes part: ``"nan"``, ``"sign of zero"``,
            ``"double rounding"``, ``"subnormals"``, ``"bfloat16 rounding"``, ``"reciprocal"``.
    """

    first: FakeConvertMode
    second: FakeConvertMode
    differing: int
    causes: dict[str, int]


class FakeConvertReport(NamedTuple):
    """How the modes of one fakeconvert differ.

    Attributes:
        node: the model's name of it; may be empty.
        dtype: the float8 type that it rounds to.
        elements: how many it converts.
        is_constant: whether it converts a constant, which OpenVINO folds as its reference.
        comparisons: every pair of modes.
    """

    node: str
    dtype: DType
    elements: int
    is_constant: bool
    comparisons: tuple[ModeComparison, ...]


# In the order of the C API's.
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
    told = tuple(
        ModeComparison(
            modes[first], modes[second], differing, dict(zip(_CAUSES, causes, strict=True))
        )
        for first, second, differing, causes in comparisons
    )
    return FakeConvertReport(node, dtype(to), elements, is_constant, told)


def make_report(node: dict[str, Any]) -> NodeReport:
    """Of one object of the list that a check gives as JSON."""
    opsets = tuple(
        OpsetVerdict(**(verdict | {"notes": tuple(verdict.get("notes", ()))}))
        for verdict in node.pop("opsets", ())
    )
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in node.items()
    }
    return NodeReport(opsets=opsets, **values)
