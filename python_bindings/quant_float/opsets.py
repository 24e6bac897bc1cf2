"""The types and attributes that the versions of the quantization ops accept.

Ops have ONNX's names: ``"Cast"``, ``"CastLike"``, ``"QuantizeLinear"``, ``"DequantizeLinear"``,
``"DynamicQuantizeLinear"``, ``"BitCast"``, ``"ConvInteger"``, ``"MatMulInteger"``,
``"QLinearConv"``, ``"QLinearMatMul"``; the ops of ONNX Runtime's domain are
``"com.microsoft.QuantizeLinear"``, ``"com.microsoft.DequantizeLinear"`` and
``"com.microsoft.QGemm"``; and ``"quant_float.Cast"``, ``"quant_float.QuantizeLinear"`` and
``"quant_float.DequantizeLinear"`` have types that ONNX lacks. Roles are ``"input"``, ``"scale"``
(of the quantization ops) and ``"result"`` (for QuantizeLinear also the zero point).
"""

from __future__ import annotations

from typing import get_args

from . import _native
from ._arguments import require_choice, require_integer
from ._types import DTYPES, DType, dtype
from .typing import AttributeName, DTypeLike, OpName, RoleName

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

#: The newest supported ONNX opset.
NEWEST: int = _native.get_newest_opset()

#: The names of all ops.
OPS: tuple[OpName, ...] = get_args(OpName)

# In the order of the enumeration of the C API.
_ROLES: dict[str, int] = {role: number for number, role in enumerate(get_args(RoleName))}


def versions(op: OpName) -> tuple[int, ...]:
    """Returns the opsets that introduced a version of ``op``, in increasing order."""
    return tuple(_native.get_versions(_op(op)))


def resolve_version(op: OpName, opset: int) -> int | None:
    """Returns the newest version of ``op`` up to ``opset``, or None if there is none."""
    return _native.resolve_version(_op(op), _opset(opset)) or None


def accepts_type(op: OpName, opset: int, role: RoleName, dtype: DTypeLike) -> bool:
    """Returns whether ``op`` accepts the element type for ``role`` at the opset."""
    return _native.accepts_type(_op(op), _opset(opset), _role(role), _number(dtype))


def accepted_types(op: OpName, opset: int, role: RoleName) -> tuple[DType, ...]:
    """Returns all element types that ``op`` accepts for ``role`` at the opset."""
    return tuple(entry for entry in DTYPES.values() if accepts_type(op, opset, role, entry))


def first_opset_of_type(op: OpName, role: RoleName, dtype: DTypeLike) -> int | None:
    """Returns the first opset at which ``op`` accepts the element type, or None."""
    return _native.first_opset_of_type(_op(op), _role(role), _number(dtype)) or None


def accepts_attribute(op: OpName, opset: int, attribute: AttributeName) -> bool:
    """Returns whether ``op`` has the attribute, by its name in ONNX, at the opset."""
    return _native.has_attribute(_op(op), _opset(opset), _attribute(attribute))


def first_opset_of_attribute(op: OpName, attribute: AttributeName) -> int | None:
    """Returns the first opset at which ``op`` has the attribute, or None."""
    return _native.first_opset_of_attribute(_op(op), _attribute(attribute)) or None


def scale_has_input_type(op: OpName, opset: int) -> bool:
    """Returns whether the scale must have the element type of the input at this opset."""
    return _native.scale_has_input_type(_op(op), _opset(opset))


def _number(value: DTypeLike) -> int:
    return dtype(value).number


def _op(name: str) -> str:
    return require_choice(name, "op", OpName)


def _opset(number: int) -> int:
    return require_integer(number, "opset", 0, 2**63 - 1)


def _role(role: RoleName) -> int:
    return _ROLES[require_choice(role, "role", RoleName)]


def _attribute(name: str) -> str:
    return require_choice(name, "attribute", AttributeName)
