# Every layer that has a lowering, with several settings of its attributes and versions, against
# OpenVINO: the bits of the CPU plugin (in f32), unless a case names another reference. Sums and
# functions have error bounds.
# RUN: rm -rf %t && %python %s %tools_dir %t
import sys
import warnings

import numpy as np
from openvino import opset1, opset7, opset8, opset13
from openvino_layers import driver
from openvino_layers.cases import PLUGIN, REFERENCE, Case, Input, run_cases, within

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
f16, f32, i64 = np.float16, np.float32, np.int64
inf, nan = np.inf, np.nan
EPSILON = 2.0**-23


def normal(*shape, dtype=f32):
    return random.normal(size=shape).astype(dtype)


def integers(dtype, low, high, *shape):
    return random.integers(low, high, shape, dtype=dtype)


def constant(array, dtype=None):
    return opset13.constant(np.asarray(array, dtype))


def summed(*magnitudes):
    """The bound for a contraction, from the magnitudes of the terms in `magnitudes`."""
    return within(lambda expected: 64 * EPSILON * magnitudes[0] + 1e-30)


special = np.array(
    [0.0, -0.0, 1, -1, 0.5, -1.5, 2.5, 6, -6, 6.25, 1e-40, -1e-40, 3e38, -3e38, inf, -inf, nan], f32
)
numbers = np.concatenate([special, normal(200) * 4])
pairs = [np.repeat(special, special.size), np.tile(special, special.size)]
x = normal(2, 3, 4)
levels = [np.arange(-20, 20) / 8, normal(400) * 2]
levels = np.concatenate([np.concatenate(levels).astype(f32), special])

CASES = []


def case(build, *inputs, right=PLUGIN):
    CASES.append(Case(f"case {len(CASES)}", build, inputs, right))


# Arithmetic.
ARITHMETIC = (opset1.add, opset1.subtract, opset1.multiply)
other = normal(3, 1)
for op in ARITHMETIC:
    case(op, *pairs)
    case(op, x, normal(4))
    case(op, normal(3, 1), Input(x, [-1, 3, -1]))
    case(lambda p, op=op: op(p, constant(3.1, f32)), numbers)
    case(lambda p, op=op: op(constant(other), p), x)
    case(lambda p, q, op=op: op(p, q, "none"), x, normal(2, 3, 4))
    case(op, normal(5, 7, dtype=f16), normal(7, dtype=f16))
    case(op, integers(np.int32, -(2**31), 2**31 - 1, 50), integers(np.int32, -99, 99, 50))
    case(op, integers(i64, -9999, 9999, 50), integers(i64, -9999, 9999, 50))
    case(
        op, integers(i64, -(2**62), 2**62, 50), integers(i64, -(2**62), 2**62, 50), right=REFERENCE
    )
case(
    opset1.add, integers(np.int8, -128, 127, 50), integers(np.int8, -128, 127, 50), right=REFERENCE
)
case(opset1.add, integers(np.uint8, 0, 99, 50), integers(np.uint8, 0, 99, 50))

# The plugin multiplies by the reciprocal.
near = within(lambda expected: 2 * EPSILON * np.abs(expected) + 1e-45)
case(opset1.divide, *pairs, right=REFERENCE)
case(opset1.divide, x, Input(normal(4), [-1]), right=REFERENCE)
case(opset1.divide, x, normal(2, 3, 4), right=near)
case(lambda p: opset1.divide(p, constant(3.1, f32)), x, right=near)
case(lambda p: opset1.divide(p, constant(0.25, f32)), x)
dividends = np.repeat(np.array([7, -7, 6, -6, 0, 2**31 - 1, -(2**31) + 1], np.int32), 6)
divisors = np.tile(np.array([2, -2, 3, -3, 7, -1], np.int32), 7)


def divide_integers(p, q, down):
    node = opset1.divide(p, q)
    node.set_attribute("m_pythondiv", down)
    return node


for down in (True, False):
    case(lambda p, q, d=down: divide_integers(p, q, d), dividends, divisors, right=REFERENCE)
case(
    opset1.divide,
    integers(np.uint32, 0, 2**32 - 1, 50),
    integers(np.uint32, 1, 99, 50),
    right=REFERENCE,
)

# Activations.
for low, high in ((-1.5, 6.25), (0, 6), (-1e-3, 0), (-inf, 1), (-1, inf)):
    case(lambda p, a=low, b=high: opset1.clamp(p, a, b), numbers)
case(lambda p: opset1.clamp(p, -1.5, 2), normal(30, dtype=f16))
for dtype in (np.int8, np.uint8, np.int32, i64):
    case(lambda p: opset1.clamp(p, -3.5, 99.7), integers(dtype, 0, 127, 50))
case(lambda p: opset1.clamp(p, -3.5, 99.7), integers(np.int32, -127, 127, 50))
case(opset1.relu, numbers)
case(opset1.relu, Input(x, [-1, 3, 4]))
case(opset1.relu, integers(np.int32, -999, 999, 50))
case(opset1.relu, normal(30, dtype=f16))
case(opset1.sigmoid, normal(500) * 8, right=within(lambda y: 8 * EPSILON * np.abs(y)))
case(
    opset1.sigmoid,
    special[np.abs(special) != 1e-40],
    right=within(lambda y: 8 * EPSILON * np.abs(y) + 1e-37),
)
case(opset1.sigmoid, normal(50, dtype=f16), right=within(lambda y: 2.0**-10 * np.abs(y)))

# Softmax.
for axis in (0, 1, 2):
    case(lambda p, a=axis: opset1.softmax(p, a), x, right=within(lambda y: 16 * EPSILON * y))
for axis in (-1, -3, 1):
    case(
        lambda p, a=axis: opset8.softmax(p, a),
        Input(4 * x, [2, -1, 4]),
        right=within(lambda y: 16 * EPSILON * y),
    )

# FakeQuantize: the bits of the reference. The plugin may select the other of two levels at the same
# distance.
RANGES = [
    (-1, 1, -1, 1, 255),
    (0, 2.55, 0, 2.55, 256),
    (-1.3, 2.7, -0.3, 5.1, 16),
    (1, -1, 0, 10, 256),
]
RANGES += [
    (0, 1, 1, 0, 256),
    (-128, 127, -128, 127, 256),
    (-3.14, 3.1, -3.14, 3.1, 2),
    (1, 1, 0, 5, 256),
]
for *bounds, count in RANGES:

    def quantize(p, bounds=bounds, count=count):
        return opset1.fake_quantize(p, *[constant(b, f32) for b in bounds], count)

    step = abs(bounds[3] - bounds[2]) / (count - 1)
    case(quantize, levels, right=REFERENCE)
    if bounds[0] != bounds[1]:
        finite = levels[np.isfinite(levels)]
        case(quantize, finite, right=within(lambda y, s=step: 1.0001 * s + 4 * EPSILON * np.abs(y)))
low, high = -np.abs(normal(3, 1)), np.abs(normal(3, 1)) + 0.1
case(
    lambda p: opset1.fake_quantize(p, *[constant(b) for b in (low, high, low, high)], 255),
    Input(x, [-1, 3, -1]),
    right=REFERENCE,
)
case(lambda p, a, b: opset1.fake_quantize(p, a, b, a, b, 16), x, low, high, right=REFERENCE)
case(
    lambda p: opset1.fake_quantize(p, *[constant(b, f16) for b in (-1, 1, -2, 2)], 255),
    normal(99, dtype=f16),
    right=REFERENCE,
)

# Shapes.
for shape, special_zero in (
    ([2, 12], False),
    ([-1, 4], False),
    ([0, -1], True),
    ([4, 0, 2], True),
    ([24], True),
):
    case(lambda p, s=shape, z=special_zero: opset1.reshape(p, constant(s, i64), z), x)
    case(
        lambda p, s=shape, z=special_zero: opset1.reshape(p, constant(s, np.int32), z),
        x.astype(np.int8),
    )
case(lambda p: opset1.reshape(p, constant([0, -1], i64), True), Input(x, [-1, -1, 4]))
case(lambda p: opset1.reshape(p, constant([], i64), False), normal(1, 1))
for order in ([2, 0, 1], [0, 2, 1], [0, 1, 2], []):
    case(lambda p, o=order: opset1.transpose(p, constant(o, i64)), x)
case(
    lambda p: opset1.transpose(p, constant([1, 2, 0], np.int32)),
    Input(x.astype(np.uint8), [-1, 3, -1]),
)
for op in (opset1.gather, opset7.gather, opset8.gather):
    for axis, indices in ((0, [1, 0, 1]), (1, [[2, 0], [1, 1]]), (-1, 3)):
        case(lambda p, q, op=op, a=axis: op(p, q, constant(a, i64)), x, np.array(indices, np.int32))
        case(
            lambda p, op=op, a=axis, i=indices: op(p, constant(i, i64), constant([a], np.int32)), x
        )
case(lambda p, q: opset8.gather(p, q, constant(1, i64)), x, np.array([-1, -3, 2], i64))
case(lambda p, q: opset8.gather(p, q, constant(0, i64), -1), x, np.array([1], i64))
# Zeros outside of the axis.
outside = np.array([[-7, 0, 2], [1, -2, 5]], np.int32)
for axis in (0, 1, -1):
    for array in (x, Input(x.astype(f16), [-1, -1, -1]), x.astype(np.int8)):
        case(lambda p, q, a=axis: opset8.gather(p, q, constant(a, i64)), array, outside)
case(lambda p: opset8.gather(p, constant([9, 1], i64), constant(1, i64)), x)
# A -1 next to a copied 0.
for sizes, shape in (((0, 4), [0, -1]), ((4, 0), [0, -1, 8]), ((4, 0), [-1, 0])):
    case(lambda p, s=shape: opset1.reshape(p, constant(s, i64), True), np.zeros(sizes, f32))
for axis in (0, 1, -1):
    shape = list(x.shape)
    shape[axis] += 2
    case(lambda p, q, a=axis: opset1.concat([p, q, p], a), x, normal(*shape))
case(lambda p, q: opset1.concat([p, constant(x[:, :1]), q], 1), Input(x, [2, -1, 4]), x)
case(lambda p: opset1.concat([p], 0), x.astype(np.uint8))


# Matmuls.
def multiply(a, b, first, second, sizes=None):
    wide = [np.abs(m.astype(np.float64)) for m in (a, b)]
    wide = [
        m.swapaxes(-1, -2) if t and m.ndim > 1 else m
        for m, t in zip(wide, (first, second), strict=True)
    ]
    scale = np.matmul(*wide)
    rounding = 2.0**-10 if a.dtype == f16 else 0
    bound = within(lambda y, s=scale: 64 * EPSILON * s + rounding * np.abs(y) + 1e-30)
    case(lambda p, q: opset1.matmul(p, q, first, second), Input(a, sizes), b, right=bound)
    case(lambda p: opset1.matmul(p, constant(b), first, second), Input(a, sizes), right=bound)


for first in (False, True):
    for second in (False, True):
        a, b = ((8, 5) if first else (5, 8)), ((6, 8) if second else (8, 6))
        multiply(normal(*a), normal(*b), first, second)
        multiply(normal(2, 1, *a), normal(3, *b), first, second, [-1, 1, *a])
        multiply(normal(2, *a), normal(*b), first, second, [2, -1, -1])
        multiply(normal(8), normal(*b), first, second)
        multiply(normal(*a), normal(8), first, second)
        multiply(normal(8), normal(8), first, second)
multiply(normal(4, 16, dtype=f16), normal(8, 16, dtype=f16), False, True)


def convolve(shape, filters, strides, begin, end, dilations, auto_pad="explicit", sizes=None):
    data, weights = normal(*shape), normal(*filters)
    count = np.prod(filters[1:])
    scale = count * np.abs(data).max() * np.abs(weights).max()
    arguments = (strides, begin, end, dilations, auto_pad)
    bound = within(lambda y: 64 * EPSILON * scale)
    case(
        lambda p: opset1.convolution(p, constant(weights), *arguments),
        Input(data, sizes),
        right=bound,
    )
    case(lambda p, q: opset1.convolution(p, q, *arguments), data, weights, right=bound)


convolve((1, 2, 9), (3, 2, 3), [1], [0], [0], [1])
convolve((2, 3, 8, 9), (4, 3, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], sizes=[-1, 3, 8, 9])
convolve((1, 3, 8, 9), (4, 3, 3, 2), [2, 1], [0, 1], [2, 0], [1, 2], sizes=[1, 3, -1, -1])
for auto_pad in ("same_upper", "same_lower", "valid"):
    convolve((1, 2, 7, 8), (3, 2, 2, 3), [2, 2], [9, 9], [9, 9], [1, 1], auto_pad)
convolve((1, 2, 4, 5, 6), (2, 2, 2, 2, 2), [1, 2, 1], [0, 0, 1], [1, 0, 0], [1, 1, 1])

# Conversions in between: computed in one type and stored in another.
case(lambda p: opset1.convert(opset1.convert(opset1.clamp(p, -500, 500), "f8e4m3"), "f32"), numbers)
case(lambda p: opset1.convert_like(p, constant([0.5], f16)), normal(2, 30))
case(
    lambda p: opset1.multiply(opset1.convert(p, "f32"), constant(0.1, f32)),
    integers(np.uint8, 0, 255, 50),
)
case(lambda p: opset1.convert(opset1.relu(p), "i32"), Input(4 * x, [-1, 3, -1]))

run = driver.Driver(*sys.argv[1:])
print(driver.describe())


failures = run_cases(run, CASES)
print(len(CASES), "cases")
sys.exit("\n".join(failures) if failures else 0)
