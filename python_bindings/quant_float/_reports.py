"""What checking a model says of its quantization nodes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

__all__ = ["NodeReport", "OpsetVerdict", "make_report"]


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
