"""OpenVINO's Convert by the formula, and the deviations of the CPU plugin and of Model.evaluate."""

import ml_dtypes
import numpy as np
from conformance.formats import FORMATS

FLOATS = ("f16", "bf16", "f32", "f64")
HALVES_AND_SINGLE = ("f16", "bf16", "f32")
FLOAT8 = ("f8E4M3FN", "f8E5M2")
INTEGERS = ("ui2", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64")
WIDE_INTEGERS = ("ui32", "i64", "ui64")


def pairs():
    """All conversions: (from, to)."""
    usual = ("i1", *INTEGERS, *FLOATS, *FLOAT8)
    yield from ((a, b) for a in usual for b in usual if a != b)
    for narrow in ("f8E8M0FNU", "f4E2M1FN"):
        yield from ((a, narrow) for a in HALVES_AND_SINGLE)
        yield from ((narrow, b) for b in FLOATS)
    yield from (("f4E2M1FN", b) for b in ("i4", "ui4", "i8", "ui8"))


def _truncate(x, width):
    """Truncates toward zero to an integer of `width` bits, or the lowest value if it does not
    fit."""
    bound = 2.0 ** (width - 1)
    whole = np.trunc(x)
    fits = (whole >= -bound) & (whole < bound)
    return np.where(fits, whole, -bound).astype(np.int64)


def _float_to_integer(x, to):
    if to.name == "i1":
        return (x != 0) & ~np.isnan(x)
    width = 64 if to.name in WIDE_INTEGERS else 32
    integers = _truncate(x, width)
    if to.name == "ui64":
        above = _truncate(x - 2.0**63, width) ^ np.int64(-(2**63))
        integers = np.where(x >= 2.0**63, above, integers)
    return integers.view(np.uint64) & np.uint64(2**64 - 1 >> (64 - to.width))


def _to_scale(x):
    """Ties are rounded to the even encoding. 2^-127 is a subnormal of f32."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.int64)
    encoding = np.minimum((bits + 0x3FFFFF + (bits >> 23 & 1)) >> 23, 254)
    encoding = np.where(bits < 0x800000, bits > 0x600000, encoding)
    encoding = np.where(bits > 0x7F800000, 255, encoding)
    return np.where(bits >= 1 << 31, 0, encoding)


def _to_float4(x):
    encoding = x.astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    return np.where(np.isnan(x), np.where(np.signbit(x), 15, 7), encoding)


def _to_bf16_oddly(x):
    bits = x.astype(np.float32).view(np.uint32)
    return np.where(np.isnan(x), 0x7FC0, bits + ((bits & 0x10000) >> 1) >> 16)


def convert(source, to, encodings):
    """The encodings that Convert yields."""
    a, b = FORMATS[source], FORMATS[to]
    with np.errstate(all="ignore"):
        x = a.array(encodings)
        if a.kind in ("integer", "bool"):
            integers = x.astype(np.uint64 if source == "ui64" else np.int64)
            if to == "i1":
                return (integers != 0).astype(np.uint8)
            if b.kind == "integer":
                return b.encodings(integers.astype(b.slot))
            x = integers.astype(np.float64 if to == "f64" else np.float32)
            odd = to == "bf16" and a.width > 8
        else:
            x = x.astype(np.float64 if source == "f64" else np.float32)
            odd = to == "bf16" and source == "f64"
            if b.kind in ("integer", "bool"):
                return _float_to_integer(x.astype(np.float64), b).astype(b.slot)
        if to == "f8E8M0FNU":
            return _to_scale(x).astype(np.uint8)
        if to == "f4E2M1FN":
            return _to_float4(x).astype(np.uint8)
        if odd:
            return _to_bf16_oddly(x).astype(np.uint16)
        if to != "f64":
            x = x.astype(np.float32)
        if to in FLOAT8:
            x = x.astype(np.float16)
        return np.ascontiguousarray(x.astype(b.dtype)).view(b.slot)


def _always(x, source):
    return np.ones(x.shape, bool)


def _outside(bound):
    return lambda x, source: ~(np.abs(x) < bound)


def _is_nan(x, source):
    return np.isnan(x)


def _is_infinite(x, source):
    return np.isinf(x)


def _is_subnormal(x, source):
    return (x != 0) & (np.abs(x) < 2.0**-126)


# Deviations that are not compared with OpenVINO: (implementation, from, to, values, reason).
QUIRKS = [
    ("plugin", ("f64",), None, _always, "the plugin has no f64: it computes in f32"),
    ("plugin", None, ("f64",), _always, "the plugin has no f64: it computes in f32"),
    ("plugin", WIDE_INTEGERS, None, _outside(2.0**31), "the plugin has no integers above 32 bits"),
    ("plugin", None, WIDE_INTEGERS, _outside(2.0**31), "the plugin has no integers above 32 bits"),
    ("plugin", ("i32",), ("i1",), _outside(2.0**31), "the plugin converts -2^31 to 0"),
    ("plugin", ("f16",), INTEGERS, _is_infinite, "the plugin converts infinities of f16 to 65504"),
    (
        "plugin",
        ("f32",),
        ("bf16",),
        _is_subnormal,
        "AVX512-BF16's instruction flushes subnormals to 0",
    ),
    (
        "reference",
        (*FLOATS, *FLOAT8),
        ("i1",),
        _is_nan,
        "the reference converts NaN to true, the plugin to false",
    ),
    (
        "reference",
        ("f16", "f32"),
        ("bf16",),
        _always,
        "the reference rounds to bf16 differently, the plugin to nearest",
    ),
    (
        "reference",
        ("f32",),
        ("ui32",),
        lambda x, source: ~((x >= -(2.0**31)) & (x < 2.0**32)),
        "the reference has other results for values out of range of ui32",
    ),
    (
        "reference",
        ("i32",),
        ("f16",),
        _outside(65504),
        "the reference saturates at the largest f16, the plugin yields infinities",
    ),
    (
        None,
        ("f32", "f64"),
        ("f16", "f8E5M2"),
        lambda x, source: np.abs(x) < 2.0**-14,
        "some of OpenVINO's conversions to f16 double subnormals just below a power of two",
    ),
    (
        None,
        ("f64",),
        ("bf16",),
        _is_nan,
        "NaNs whose payload overflows into the sign become numbers, unlike here",
    ),
    (
        None,
        HALVES_AND_SINGLE,
        ("f8E5M2",),
        _is_nan,
        "NaNs whose payload is truncated become infinities, unlike here",
    ),
]


# For a plugin that does not use the instruction of AVX512-BF16.
OWN_ROUNDING = (
    "plugin",
    ("f16", "f32"),
    ("bf16",),
    _always,
    "the plugin rounds to bf16 differently if the CPU lacks AVX512-BF16",
)


def excused(who, source, to, encodings, rounds_bf16):
    """The elements that are not compared, and the reason. `rounds_bf16` states whether the plugin
    rounds f32 to nearest."""
    with np.errstate(all="ignore"):
        x = FORMATS[source].array(encodings).astype(np.float64)
    mask, reasons = np.zeros(encodings.shape, bool), []
    for engine, sources, destinations, chosen, why in QUIRKS + [OWN_ROUNDING] * (not rounds_bf16):
        if engine not in (None, who):
            continue
        if (sources and source not in sources) or (destinations and to not in destinations):
            continue
        mask |= chosen(x, source).reshape(encodings.shape)
        reasons.append(why)
    return mask, reasons
