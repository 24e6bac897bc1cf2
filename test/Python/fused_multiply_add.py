# One fused multiply-add of each matmul with K = 2, whose first product is c * 1: the bits of exact arithmetic, on CPUs with FMA
# instructions and on those that emulate them by f64. The operands are random, close to ties, close to cancellation, subnormal,
# overflowing, infinite and NaN. Fractions check NumPy's helper; f64 is checked by fractions alone.
# RUN: %python %s
import platform
import sys
from fractions import Fraction

import numpy as np
import quant_float as qf
from fma import fma
from onnx import helper

LEVELS = ("x86-64", "x86-64-v3", "x86-64-v4") if platform.machine() == "x86_64" else ("host",)
random = np.random.default_rng(7)
failures = []

#: : The widths of a format's exponent and fraction.
FORMATS = {np.float32: (8, 23, np.uint32), np.float64: (11, 52, np.uint64)}


def round_fraction(exact, dtype):
    """Rounds to the nearest value, ties to even. Zero is positive."""
    exponent_bits, fraction_bits, _ = FORMATS[dtype]
    bias = (1 << (exponent_bits - 1)) - 1
    if exact == 0:
        return dtype(0)
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > magnitude
    unit = Fraction(2) ** (max(exponent, 1 - bias) - fraction_bits)
    result = round(magnitude / unit) * unit
    if result >= Fraction(2) ** (bias + 1):
        return dtype(np.inf if exact > 0 else -np.inf)
    return dtype(float(result) if exact > 0 else -float(result))


def draw(dtype, count):
    """Returns a, b and c, of `count` elements each."""
    exponent_bits, fraction_bits, integer = FORMATS[dtype]
    bias = (1 << (exponent_bits - 1)) - 1
    last = (1 << exponent_bits) - 1
    # The exponent of c is near that of the product in most cases.
    a, b = random.integers(0, last, (2, count))
    near = random.integers(0, 2, count).astype(bool)
    a, b = (np.where(near, bias + random.integers(-20, 21, count), e) for e in (a, b))
    c = np.clip(
        a + b - bias + random.integers(-fraction_bits - 4, fraction_bits + 5, count), 0, last - 1
    )
    fractions = random.integers(0, 1 << fraction_bits, (3, count))
    # Few significant bits give exact ties.
    short = (
        random.integers(0, 1 << fraction_bits, (3, count))
        >> (fraction_bits - 6)
        << (fraction_bits - 6)
    )
    fractions = np.where(random.integers(0, 2, (3, count)), fractions, short)
    signs = random.integers(0, 2, (3, count))
    bits = np.stack([a, b, c]).astype(integer) << integer(fraction_bits)
    bits |= fractions.astype(integer) | signs.astype(integer) << integer(
        exponent_bits + fraction_bits
    )
    numbers = bits.view(dtype)
    # c cancels the rounded product.
    cancels = random.integers(0, 8, count) == 0
    with np.errstate(all="ignore"):
        product = numbers[0] * numbers[1]
    numbers[2] = np.where(cancels & np.isfinite(product), -product, numbers[2])
    special = [
        0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        np.finfo(dtype).max,
        np.finfo(dtype).tiny,
        np.finfo(dtype).smallest_subnormal,
        1,
        -1,
    ]
    grid = np.array(np.meshgrid(special, special, special), dtype).reshape(3, -1)
    return np.concatenate([numbers, grid], 1)


def compute(a, b, c, cpu):
    """Matmuls of [c, a] and [[1], [b]], of 24 columns: vectors and a remainder."""
    columns = 24
    x = np.stack([c, a], 1)[:, None]
    w = np.broadcast_to(np.stack([np.ones_like(b), b], 1)[..., None], (len(a), 2, columns)).copy()
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    values = [
        helper.make_tensor_value_info(name, element, array.shape)
        for name, array in (("x", x), ("w", w))
    ]
    result = helper.make_tensor_value_info("y", element, (len(a), 1, columns))
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "fma", values, [result]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    y = qf.compile(model, cpu=cpu)(x, w)[:, 0]
    if not np.array_equal(y, np.broadcast_to(y[:, :1], y.shape), equal_nan=True):
        failures.append(f"{cpu}: the columns of one row differ")
    return y[:, 0]


def expect(what, results, wanted, operands):
    wrong = ~((results == wanted) | (np.isnan(results) & np.isnan(wanted)))
    for index in np.flatnonzero(wrong)[:3]:
        failures.append(
            f"{what}: {operands[:, index]}: expected {wanted[index]!r}, but got {results[index]!r}"
        )


for dtype, count in ((np.float32, 40000), (np.float64, 3000)):
    operands = draw(dtype, count)
    finite = np.flatnonzero(np.isfinite(operands).all(0))[: -count // 8 or None]
    finite = np.concatenate([finite[:2000], finite[-800:]])
    exact = [
        Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        for a, b, c in operands[:, finite].T
    ]
    rounded = np.array([round_fraction(value, dtype) for value in exact])
    if dtype is np.float32:
        wanted = fma(*operands)
        expect("the helper", wanted[finite], rounded, operands[:, finite])
    for cpu in LEVELS:
        results = compute(*operands, cpu)
        if dtype is np.float32:
            expect(f"f32 on {cpu}", results, wanted, operands)
        expect(f"{np.dtype(dtype)} on {cpu}", results[finite], rounded, operands[:, finite])

print("\n".join(failures) or "no failures")
sys.exit(bool(failures))
