"""Shared by the peers: the names of types, and arrays of their values."""

import ml_dtypes
import numpy as np

# By MLIR's names: numpy's type, ONNX's number, OpenVINO's name, NumKong's number, gfloat's.
NAMES = {
    "f64": ("float64", 11, "f64", None, "binary64"),
    "f32": ("float32", 1, "f32", 1 << 11, "binary32"),
    "f16": ("float16", 10, "f16", 1 << 12, "binary16"),
    "bf16": ("bfloat16", 16, "bf16", 1 << 13, "bfloat16"),
    "f8E4M3FN": ("float8_e4m3fn", 17, "f8e4m3", 1 << 14, "ocp_e4m3"),
    "f8E4M3FNUZ": ("float8_e4m3fnuz", 18, None, None, None),
    "f8E5M2": ("float8_e5m2", 19, "f8e5m2", 1 << 15, "ocp_e5m2"),
    "f8E5M2FNUZ": ("float8_e5m2fnuz", 20, None, None, None),
    "f8E8M0FNU": ("float8_e8m0fnu", 24, "f8e8m0", None, "ocp_e8m0"),
    "f6E2M3FN": ("float6_e2m3fn", 27, None, None, "ocp_e2m3"),
    "f6E3M2FN": ("float6_e3m2fn", 28, None, None, "ocp_e3m2"),
    "f4E2M1FN": ("float4_e2m1fn", 23, None, None, "ocp_e2m1"),
    "i32": ("int32", 6, "i32", None, None),
    "ui32": ("uint32", 12, "u32", None, None),
    "i16": ("int16", 5, None, None, None),
    "ui16": ("uint16", 4, None, None, None),
    "i8": ("int8", 3, "i8", None, None),
    "ui8": ("uint8", 2, "u8", None, None),
    "i1": ("bool", 9, None, None, None),
}
FLOATS = [name for name in NAMES if name[0] in "fb"]
# The types whose values are exact in the type.
BYTES = [name for name in NAMES if not name.startswith("f4")]


def get_dtype(name):
    return np.dtype(getattr(ml_dtypes, NAMES[name][0], None) or NAMES[name][0])


def get_input(table, role="input", kind=None):
    array = getattr(table, role)
    return array.view(get_dtype(kind or table.source))


def knows(table, names):
    kinds = [table.source, table.target, table.scale_type, table.entry.get("zero_point")]
    return all(kind is None or kind in names for kind in kinds)


def is_plain_cast(table, saturate=False):
    """A cast of libraries without attributes, which do not saturate to float8."""
    attributes = table.attributes
    return (
        table.operation == "cast"
        and attributes.get("opset") == 28
        and attributes.get("saturate", saturate) == saturate
        and attributes.get("round_mode", "nearest") == "nearest"
    )
