"""What the versions of the quantization ops accept.

Ops go by ONNX's names: ``"Cast"``, ``"CastLike"``, ``"QuantizeLinear"``, ``"DequantizeLinear"``,
``"DynamicQuantizeLinear"``, and those of ONNX Runtime's domain ``"com.microsoft.QuantizeLinear"``
and ``"com.microsoft.DequantizeLinear"``. Roles are ``"input"``, ``"scale"`` (of the quantizing ops)
and ``"result"`` (of QuantizeLinear the zero point as well).
"""

from __future__ import annotations

from . import _native
from ._arguments import require_integer
from ._types import DTYPES, DType, DTypeLike, dtype

__all__ = [
    "NEWEST",
    "OPS",
    "accepted_types",
    "accepts_attribute",
    "accepts_type",
    "first_opset_of_attribute",
    "first_opset_of_type",
    "resolve_version",
    "scale_has_input_type",
    "versions",
]

#: ONNX's newest opset that is known.
NEWEST: int = _native.get_newest_opset()

#: The names of all ops.
OPS: tuple[str, ...] = tuple(_native.get_op_names())

_ROLES = {"input": 0, "scale": 1, "result": 2}
_ATTRIBUTES = ("saturate", "round_mode", "axis", "block_size", "output_dtype", "precision")


def versions(op: str) -> tuple[int, ...]:
    """The opsets that brought a version of ``op``, oldest first."""
    return tuple(_native.get_versions(_op(op)))


def resolve_version(op: str, opset: int) -> int | None:
    """The version of ``op`` in ``opset``: the newest not above it; None where it has none."""
    return _native.resolve_version(_op(op), _opset(opset)) or None


def accepts_type(op: str, opset: int, role: str, dtype: DTypeLike) -> bool:
    """Whether the opset's version of ``op`` takes the element type for ``role``."""
    return _native.accepts_type(_op(op), _opset(opset), _role(role), _number(dtype))


def accepted_types(op: str, opset: int, role: str) -> tuple[DType, ...]:
    """All element types that it takes there."""
    return tuple(entry for entry in DTYPES.values() if accepts_type(op, opset, role, entry))


def first_opset_of_type(op: str, role: str, dtype: DTypeLike) -> int | None:
    """The first opset whose version of ``op`` takes the element type; None if none does."""
    return _native.first_opset_of_type(_op(op), _role(role), _number(dtype)) or None


def accepts_attribute(op: str, opset: int, attribute: str) -> bool:
    """Whether the opset's version of ``op`` has the attribute, by ONNX's name of it."""
    return _native.has_attribute(_op(op), _opset(opset), _attribute(attribute))


def first_opset_of_attribute(op: str, attribute: str) -> int | None:
    """The first opset whose version of ``op`` has the attribute; None if none has."""
    return _native.first_opset_of_attribute(_op(op), _attribute(attribute)) or None


def scale_has_input_type(op: str, opset: int) -> bool:
    """Whether the scale must have the input's element type there."""
    return _native.scale_has_input_type(_op(op), _opset(opset))


def _number(value: DTypeLike) -> int:
    # No array holds them, but Cast takes them.
    return 8 if isinstance(value, str) and value == "string" else dtype(value).number


def _op(name: str) -> str:
    if name not in OPS:
        raise ValueError(f"op must be one of {', '.join(OPS)}, but got {name!r}")
    return name


def _opset(number: int) -> int:
    return require_integer(number, "opset", 0, 2**63 - 1)


def _role(role: str) -> int:
    if role not in _ROLES:
        raise ValueError(f"role must be one of {', '.join(_ROLES)}, but got {role!r}")
    return _ROLES[role]


def _attribute(name: str) -> str:
    if name not in _ATTRIBUTES:
        raise ValueError(f"attribute must be one of {', '.join(_ATTRIBUTES)}, but got {name!r}")
    return name
