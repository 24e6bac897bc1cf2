"""What goes wrong, and where in a model."""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple

__all__ = ["CompileError", "Diagnostic", "Error", "ModelError", "RunError"]


class Diagnostic(NamedTuple):
    """One message of the compiler.

    Attributes:
        severity: ``"error"``, ``"warning"``, ``"remark"`` or ``"note"``.
        message: what it says.
        file: the model's file; empty where it is not known.
        line: counted from 1; 0 where the file has no lines.
        column: counted from 1; 0 where it is not known.
        notes: what is said further about it, with places of their own.
        node: the source model's name of the node; empty where it has none.
    """

    severity: Literal["error", "warning", "remark", "note"]
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    notes: tuple[Diagnostic, ...] = ()
    node: str = ""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = f"{place}: {self.severity}: {self.message}" if place else self.message
        return "\n".join([text, *(str(note) for note in self.notes)])


class Error(Exception):
    """What this package raises about models and their runs.

    Wrong arguments are a :class:`TypeError` or :class:`ValueError` of Python.

    Attributes:
        diagnostics: what the compiler said, in its order; empty for a run that failed.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics)


class ModelError(Error, ValueError):
    """A model that cannot be read, or that no version of the standard accepts."""


class CompileError(Error, ValueError):
    """A model that cannot be compiled."""


class RunError(Error, ValueError):
    """A compiled function refused its arguments: sizes that do not fit each other, memory that
    overlaps, a value that is none, a CPU that lacks what the code uses.

    Attributes:
        status: the number of ``qf_status``.
    """

    def __init__(
        self, message: str, diagnostics: tuple[Diagnostic, ...] = (), status: int = 0
    ) -> None:
        super().__init__(message, diagnostics)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics, self.status)


# Of QuantFloatStatus.
_MEMORY, _HANDLE, _COUNT, _FILE, _MODEL, _UNSUPPORTED, _CANCELLED, _BUSY = (
    7,
    16,
    18,
    19,
    20,
    21,
    22,
    23,
)


def make_error(
    status: int,
    message: str,
    diagnostics: tuple[Diagnostic, ...],
    what: str,
    number: int,
    path: str,
) -> Exception:
    """The exception for a call of the C API that failed on a ``"module"``, ``"compiler"`` or
    ``"kernel"``; the extension raises it. ``number`` is the system's of a file that cannot be read
    or written, 0 where there is none."""
    if status == _HANDLE:
        return ValueError(f"the {'kernel' if what == 'kernel' else 'module'} is closed")
    if status == _MEMORY:
        return MemoryError(message)
    if status == _FILE:
        return OSError(number, os.strerror(number), path) if number else OSError(message)
    if status == _COUNT:
        return TypeError(message)
    if status == _BUSY:
        return RuntimeError(message)
    if status == _CANCELLED:
        return Error(message, diagnostics)
    if what == "kernel" or status < _HANDLE:
        return RunError(message, diagnostics, status)
    if status in (_MODEL, _UNSUPPORTED):
        return (CompileError if what == "compiler" else ModelError)(message, diagnostics)
    return ValueError(message)
