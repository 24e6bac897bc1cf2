"""What the arguments of functions may be, besides arrays."""

from __future__ import annotations

import os
from typing import Any, get_args

import numpy as np

__all__: list[str] = []


def require_integer(value: Any, what: str, least: int, most: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} must be an integer, but got {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{what} must be between {least} and {most}, but got {value}")
    return int(value)


def as_integer(value: Any, what: str, default: int | None) -> int | None:
    """An attribute of 64 bits."""
    return default if value is None else require_integer(value, what, -(2**63), 2**63 - 1)


def as_boolean(value: Any, what: str) -> str | None:
    """A boolean as MLIR spells it."""
    if value is None:
        return None
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be True, False or None, but got {value!r}")
    return "true" if value else "false"


def as_choice(value: Any, what: str, words: Any) -> str | None:
    """One of the words of this Literal."""
    if value is None:
        return None
    return require_choice(value, what, words)


def require_choice(value: Any, what: str, words: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, but got {value!r}")
    if value not in get_args(words):
        raise ValueError(f"{what} must be one of {', '.join(get_args(words))}, but got {value!r}")
    return value


def encode_path(path: Any, what: str) -> bytes:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{what} must be a string or a path, but got {type(path).__name__}")
    encoded = os.fsencode(path)
    if not encoded or b"\0" in encoded:
        raise ValueError(f"{what} must be a file name, but got {path!r}")
    return encoded


def require_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, but got {value!r}")
    if "\0" in value:
        raise ValueError(f"{what} must not contain null characters, but got {value!r}")
    return value


def find_name(names: list[tuple[str, str]], function: str | None) -> int:
    """Which of these functions, by symbol and graph name, is meant."""
    known = ", ".join(name for name, _ in names)
    if function is None:
        if len(names) != 1:
            raise ValueError(f"function must be one of {known or 'none'}, but got None")
        return 0
    for kind in (0, 1):
        for index, both in enumerate(names):
            if both[kind] == require_text(function, "function"):
                return index
    raise ValueError(f"function must be one of {known or 'none'}, but got {function!r}")
