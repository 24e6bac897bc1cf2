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
    # The inverse.
    encodings = np.arange(1 << ALL[name].width).astype(np.uint8)
    source = encodings.view(qf.dtype(name).numpy)
    for to, kind in (("f32", np.uint32), ("bf16", np.uint16), ("f16", np.uint16)):
        made = qf.cast(source, to, rounding="TowardZero", saturation="SatPropagate")
        wanted = project(STANDARD[to], ALL[name].values(encodings), "TowardZero", "SatPropagate")
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
# Scales: per tensor, per axis and blocked.
matrix = x[:4096].reshape(64, 64)
scales = np.float32([0.37, 2, 0, np.inf])
for rounding, saturation in itertools.product(DETERMINISTIC[::2], SATURATIONS):
    mode = {"rounding": rounding, "saturation": saturation}
    for axis, block, given in ((None, None, scales[0]), (0, None, np.resize(scales, 64)), (1, 24, np.resize(scales, (64, 3)))):  # fmt: skip
        full = given if axis is None else given[:, None] if block is None else np.repeat(given, block, 1)[:, :64]  # fmt: skip
        number = matrix.astype(np.float64)
        with np.errstate(all="ignore"):
            quotient = np.where(np.isinf(full), np.sign(number) * np.sign(full), number / full)
            quotient = np.where(full == 0, 0, quotient)
        quotient = np.where(np.isnan(number), np.nan, quotient)
        made = qf.quantize(matrix, given, dtype="binary8p3se", axis=axis, block_size=block, **mode)
        wanted = project(ALL["binary8p3se"], quotient, rounding, saturation)
        expect(f"quantize {axis} {block} {mode}", np.array_equal(made, wanted))
        encodings = made.view(qf.dtype("binary8p3se").numpy)
        back = qf.dequantize(encodings, given, dtype="float", axis=axis, block_size=block, **mode)
        with np.errstate(all="ignore"):
            product = ALL["binary8p3se"].values(wanted) * full.astype(np.float64)
        wanted = project(STANDARD["f32"], product, rounding, saturation)
        expect(f"dequantize {axis} {block} {mode}", np.array_equal(back.view(np.uint32), wanted))
made = qf.quantize(np.float32(3), np.float32(2), dtype="binary8p4se", target="reference")
expect("scalar", made.shape == () and int(made) == 0x44)
random = np.arange(4, dtype=np.uint8).astype(ml_dtypes.uint2)
made = qf.quantize(np.full(4, 4.25, np.float32), 4.0, dtype="binary8p1uf", rounding="StochasticA", random=random)  # fmt: skip
expect("stochastic", made.tolist() == [128, 128, 128, 128])
made = qf.quantize(np.full(4, 5, np.float32), 4.0, dtype="binary8p1uf", rounding="StochasticA", random=random)  # fmt: skip
expect("stochastic", made.tolist() == [128, 128, 128, 129])
# Doubles.
values = np.array([1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-4, -0.0, 1e-300, 2.0**-10])
expect("f64", qf.cast(values, "binary8p4se").tolist() == [65, 64, 0, 0, 1])
made = qf.cast(np.uint8([65, 128, 127, 1]).view(qf.dtype("binary8p4se").numpy), "double")
expect("to f64", np.array_equal(made, [1.125, np.nan, np.inf, 2.0**-10], equal_nan=True))
for name, call in {
    "zero_point": lambda: qf.quantize(matrix, 1.0, 0.0, dtype="binary8p4se"),
    "saturate": lambda: qf.quantize(matrix, 1.0, dtype="binary8p4se", saturate=True),
    "opset": lambda: qf.dequantize(encodings, 1.0, opset=23),
}.items():
    try:
        call()
        failures.append(f"{name} is accepted")
    except ValueError as error:
        expect(str(error), str(error) == f"{name} has no meaning in a conversion of IEEE P3109")
for call, text in (
    (lambda: qf.quantize(matrix, 1.0, rounding="ToOdd"), "dtype must be a format of IEEE P3109, but got None"),
    (lambda: qf.dequantize(np.int8([1]), 1.0, random=random), "random requires a stochastic rounding of IEEE P3109"),
):  # fmt: skip
    try:
        call()
        failures.append(f"accepted: {text}")
    except ValueError as error:
        expect(str(error), str(error) == text)
try:
    qf.qdq(matrix, np.float16(1), storage="binary8p4se")
    failures.append("a qdq is accepted")
except qf.ModelError as error:
    expect(str(error), "is not accepted by" in str(error))
sys.exit("\n".join(failures) or 0)
