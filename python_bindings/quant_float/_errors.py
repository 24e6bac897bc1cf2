"""Exceptions, with the location in a model."""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple

__all__ = ["CompileError", "Diagnostic", "Error", "ModelError", "RunError"]


class Diagnostic(NamedTuple):
    """A diagnostic of the compiler.

    Attributes:
        severity: ``"error"``, ``"warning"``, ``"remark"`` or ``"note"``.
        message: the message.
        file: the model file; empty if unknown.
        line: counted from 1; 0 if the file has no lines.
        column: counted from 1; 0 if unknown.
        notes: the attached notes, with separate locations.
        node: the name of the node in the source model; empty if there is none.
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
    """The base class of the exceptions of this package.

    Wrong arguments raise :class:`TypeError` or :class:`ValueError`.

    Attributes:
        diagnostics: the diagnostics of the compiler, in order; empty if a run fails.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics)


class ModelError(Error, ValueError):
    """A model cannot be read, or no version of the standard accepts it."""


class CompileError(Error, ValueError):
    """A model cannot be compiled."""


class RunError(Error, ValueError):
    """A compiled function rejects its arguments: sizes do not match, memory overlaps, a value is
    invalid, or the CPU lacks features that the code requires.

    Attributes:
        status: the value of ``qf_status``.
    """

    def __init__(
        self, message: str, diagnostics: tuple[Diagnostic, ...] = (), status: int = 0
    ) -> None:
        super().__init__(message, diagnostics)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics, self.status)


# Values of QuantFloatStatus.
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
    stage: str,
    number: int,
    path: str,
) -> Exception:
    """Returns the exception for a failed call of the C API, which the extension raises.

    Args:
        stage: ``"module"``, ``"compiler"`` or ``"kernel"``.
        number: the ``errno`` of a file that cannot be read or written; otherwise 0.
    """
    if status == _HANDLE:
        return ValueError(f"the {'kernel' if stage == 'kernel' else 'module'} is closed")
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
    if stage == "kernel" or status < _HANDLE:
        return RunError(message, diagnostics, status)
    if status in (_MODEL, _UNSUPPORTED):
        return (CompileError if stage == "compiler" else ModelError)(message, diagnostics)
    return ValueError(message)
