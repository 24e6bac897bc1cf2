"""Checks of arguments that are not arrays."""

from __future__ import annotations

import os
from typing import Any, get_args

import numpy as np

__all__: list[str] = []


def require_integer(value: Any, label: str, low: int, high: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{label} must be an integer, but got {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{label} must be between {low} and {high}, but got {value}")
    return int(value)


def as_integer(value: Any, label: str, default: int | None) -> int | None:
    """Returns a 64-bit integer attribute."""
    return default if value is None else require_integer(value, label, -(2**63), 2**63 - 1)


def as_boolean(value: Any, label: str) -> str | None:
    """Returns a boolean in MLIR's syntax."""
    if value is None:
        return None
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{label} must be True, False or None, but got {value!r}")
    return "true" if value else "false"


def as_choice(value: Any, label: str, choices: Any) -> str | None:
    """Returns one of the strings of this Literal."""
    if value is None:
        return None
    return require_choice(value, label, choices)


def require_choice(value: Any, label: str, choices: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{label} must be a string, but got {value!r}")
    if value not in get_args(choices):
        raise ValueError(
            f"{label} must be one of {', '.join(get_args(choices))}, but got {value!r}"
        )
    return value


def encode_path(path: Any, label: str) -> bytes:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{label} must be a string or a path, but got {type(path).__name__}")
    encoded = os.fsencode(path)
    if not encoded or b"\0" in encoded:
        raise ValueError(f"{label} must be a file name, but got {path!r}")
    return encoded


def require_string(value: Any, label: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{label} must be a string, but got {value!r}")
    if "\0" in value:
        raise ValueError(f"{label} must not contain null characters, but got {value!r}")
    return value


def find_name(names: list[tuple[str, str]], function: str | None) -> int:
    """Returns the index of the function with this symbol or graph name."""
    known = ", ".join(name for name, _ in names)
    if function is None:
        if len(names) != 1:
            raise ValueError(f"function must be one of {known or 'none'}, but got None")
        return 0
    for kind in (0, 1):
        for index, both in enumerate(names):
            if both[kind] == require_string(function, "function"):
                return index
    raise ValueError(f"function must be one of {known or 'none'}, but got {function!r}")
