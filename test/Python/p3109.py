# IEEE P3109 in Python: the formats as element types, and casts against the draft's definitions.
# RUN: %python %s
import itertools
import sys

import ml_dtypes
import numpy as np
import quant_float as qf
from conformance.p3109 import (
    ALL,
    DETERMINISTIC,
    FORMATS,
    REQUIRED,
    SATURATIONS,
    STANDARD,
    STOCHASTIC,
    project,
)
from quant_float._types import BINARIES

failures = []


def expect(what, is_right):
    if not is_right:
        failures.append(what)


expect("120 formats", BINARIES.keys() == ALL.keys())
for name, entry in BINARIES.items():
    expect(f"{name}: {entry}", qf.dtype(name) is entry and qf.dtype(f"B{name[1:]}") is entry)
    expect(f"{name}: number", qf.dtype(entry.number) is entry)
    expect(f"{name}: mlir", qf.dtype(entry.mlir) is entry and entry.mlir == ALL[name].mlir)
    expect(
        f"{name}: bits", entry.bits == ALL[name].width and entry.is_float and entry.itemsize == 1
    )
expect("one spelling", qf.dtype("Binary8p4sf") is qf.dtype("float8e4m3fnuz"))

half = np.arange(1 << 16, dtype=np.uint16)
x = half.view(np.float16)
values = FORMATS["f16"].values(half)
for name in (*REQUIRED, "binary8p3sf", "binary5p1ue"):
    for rounding, saturation in itertools.product(DETERMINISTIC[:3], SATURATIONS):
        made = qf.cast(x, name, rounding=rounding, saturation=saturation)
        wanted = project(ALL[name], values, rounding, saturation)
        expect(f"{name} {rounding} {saturation}", np.array_equal(made.view(np.uint8), wanted))
    if ALL[name].mlir[0] == "!":
        wanted = project(ALL[name], values, "NearestTiesToEven", "SatNone")
        expect(f"{name}: defaults", np.array_equal(qf.cast(x, name), wanted))
    # And back.
    codes = np.arange(1 << ALL[name].width).astype(np.uint8)
    source = codes.view(qf.dtype(name).numpy)
    for to, kind in (("f32", np.uint32), ("bf16", np.uint16), ("f16", np.uint16)):
        made = qf.cast(source, to, rounding="TowardZero", saturation="SatPropagate")
        wanted = project(STANDARD[to], ALL[name].values(codes), "TowardZero", "SatPropagate")
        expect(f"{name} to {to}", np.array_equal(made.view(kind), wanted))
bits = (half * 40503 >> 9).astype(np.uint8)
for rounding, (k, kind) in itertools.product(STOCHASTIC, ((2, ml_dtypes.uint2), (8, np.uint8))):
    random = bits & np.uint8((1 << k) - 1)
    made = qf.cast(x, "binary8p4se", rounding=rounding, random=random.astype(kind))
    wanted = project(ALL["binary8p4se"], values, rounding, "SatNone", random, k)
    expect(f"{rounding} by {k} bits", np.array_equal(made, wanted))
made = qf.cast(x, "binary8p4se", target="reference", rounding="ToOdd")
wanted = project(ALL["binary8p4se"], values, "ToOdd", "SatNone")
expect("reference", np.array_equal(made, wanted))
sys.exit("\n".join(failures) or 0)
