"""The element types of Cast in MLIR, ONNX and NumPy. Values are passed as encodings: unsigned
integers of the type's width."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Format:
    name: str  # MLIR's
    kind: str  # "float", "scale", "integer" or "bool"
    width: int
    onnx: int  # DataType number
    dtype: np.dtype  # NumPy's or ml_dtypes' type
    # Floats: one unit in the last place of 1.0 is 2^-mantissa; smallest normal and largest value.
    mantissa: int = 0
    min_exponent: int = 0
    max_value: float = 0.0

    @property
    def slot(self):
        """The unsigned type of the smallest whole number of bytes."""
        return np.dtype(f"u{(self.width + 7) // 8}")

    @property
    def signed(self):
        return self.kind == "float" or (self.kind == "integer" and self.name[0] == "i")

    def encodings(self, slots):
        """The encodings, without the bits beyond the element's width."""
        return slots & self.slot.type((1 << self.width) - 1)

    def slots(self, encodings):
        """The encodings in memory: i4 and i2 are sign-extended to a byte."""
        encodings = encodings.astype(self.slot)
        if self.kind == "integer" and self.signed and self.width < 8:
            sign = 1 << (self.width - 1)
            return (((encodings ^ sign).astype(np.int8)) - sign).astype(np.int8).view(np.uint8)
        return encodings

    def array(self, encodings):
        """The encodings as an array of NumPy's type."""
        slots = np.ascontiguousarray(self.slots(encodings))
        if self.kind == "integer" and self.width < 8:
            return slots.view(np.int8 if self.signed else np.uint8).astype(self.dtype)
        return slots.view(self.dtype)

    def from_array(self, array):
        """The inverse."""
        if self.kind == "integer" and self.width < 8:
            array = array.astype(np.int8 if self.signed else np.uint8)
        return self.encodings(np.ascontiguousarray(array).view(self.slot))

    def values(self, encodings):
        """The exact values, as long doubles (64 significant bits, enough for every type here)."""
        with np.errstate(invalid="ignore"):
            array = self.array(encodings)
            if self.kind in ("integer", "bool") and self.width >= 8:
                return array.astype(np.longdouble)
            return array.astype(np.float64).astype(np.longdouble)


def _floats(*rows):
    return [Format(n, "float", w, o, np.dtype(d), m, e, v) for n, w, o, d, m, e, v in rows]


FORMATS = {
    f.name: f
    for f in [
        *_floats(
            ("f32", 32, 1, np.float32, 23, -126, 3.4028234663852886e38),
            ("f16", 16, 10, np.float16, 10, -14, 65504.0),
            ("bf16", 16, 16, ml_dtypes.bfloat16, 7, -126, 3.3895313892515355e38),
            ("f64", 64, 11, np.float64, 52, -1022, 1.7976931348623157e308),
            ("f8E4M3FN", 8, 17, ml_dtypes.float8_e4m3fn, 3, -6, 448.0),
            ("f8E4M3FNUZ", 8, 18, ml_dtypes.float8_e4m3fnuz, 3, -7, 240.0),
            ("f8E5M2", 8, 19, ml_dtypes.float8_e5m2, 2, -14, 57344.0),
            ("f8E5M2FNUZ", 8, 20, ml_dtypes.float8_e5m2fnuz, 2, -15, 57344.0),
            ("f4E2M1FN", 4, 23, ml_dtypes.float4_e2m1fn, 1, 0, 6.0),
            ("f6E2M3FN", 6, 27, ml_dtypes.float6_e2m3fn, 3, 0, 7.5),
            ("f6E3M2FN", 6, 28, ml_dtypes.float6_e3m2fn, 2, -2, 28.0),
        ),
        Format("f8E8M0FNU", "scale", 8, 24, np.dtype(ml_dtypes.float8_e8m0fnu)),
        Format("i8", "integer", 8, 3, np.dtype(np.int8)),
        Format("i16", "integer", 16, 5, np.dtype(np.int16)),
        Format("i32", "integer", 32, 6, np.dtype(np.int32)),
        Format("i64", "integer", 64, 7, np.dtype(np.int64)),
        Format("ui8", "integer", 8, 2, np.dtype(np.uint8)),
        Format("ui16", "integer", 16, 4, np.dtype(np.uint16)),
        Format("ui32", "integer", 32, 12, np.dtype(np.uint32)),
        Format("ui64", "integer", 64, 13, np.dtype(np.uint64)),
        Format("i4", "integer", 4, 22, np.dtype(ml_dtypes.int4)),
        Format("ui4", "integer", 4, 21, np.dtype(ml_dtypes.uint4)),
        Format("i2", "integer", 2, 26, np.dtype(ml_dtypes.int2)),
        Format("ui2", "integer", 2, 25, np.dtype(ml_dtypes.uint2)),
        Format("i1", "bool", 1, 9, np.dtype(np.bool_)),
    ]
}
# The formats that ONNX lacks, with this project's type numbers.
OWN_FORMATS = {
    f.name: f
    for f in [
        *_floats(
            ("f8E3M4", 8, 64, ml_dtypes.float8_e3m4, 4, -2, 15.5),
            ("f8E4M3", 8, 65, ml_dtypes.float8_e4m3, 3, -6, 240.0),
            ("f8E4M3B11FNUZ", 8, 66, ml_dtypes.float8_e4m3b11fnuz, 3, -10, 30.0),
        ),
        Format("!quant_float.f8UE5M3", "code", 8, 67, np.dtype(np.uint8)),
    ]
}
FLOAT8 = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ")
FNUZ = ("f8E4M3FNUZ", "f8E5M2FNUZ")
FLOAT4_AND_6 = ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN")
