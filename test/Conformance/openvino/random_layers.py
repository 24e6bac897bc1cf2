# Every layer that has a lowering, with random attributes, shapes, constants and dynamic sizes,
# against OpenVINO's CPU plugin in f32. Integers, and ops that only move elements, are equal.
# Functions may differ by FUNCTION, because the plugin uses other approximations, and sums by SUM
# times the sum of magnitudes, because of the order of additions. Deviations and limits of the
# plugin are noted where the settings are selected.
# RUN: rm -rf %t && %python %s %tools_dir %t 3
import sys
import warnings
import zlib

import numpy as np
import openvino
from openvino import (
    opset1,
    opset2,
    opset3,
    opset4,
    opset5,
    opset6,
    opset7,
    opset8,
    opset9,
    opset11,
    opset12,
    opset13,
    opset14,
    opset15,
)
from openvino.utils.node_factory import NodeFactory
from openvino_layers import driver
from openvino_layers.cases import PLUGIN, REFERENCE, Case, Input, run_cases, within

warnings.simplefilter("ignore")
f32, i32, i64, u8 = np.float32, np.int32, np.int64, np.uint8
FUNCTION, SUM = 2e-5, 64 * 2.0**-23
LAYERS = {}


def layer(function):
    """`function` takes the random numbers, and returns a builder of the layer, its inputs, and the
    reference implementation."""
    LAYERS[function.__name__] = function
    return function


def constant(array, dtype=None):
    return opset13.constant(np.asarray(array, dtype))


def near(scale=1.0, relative=FUNCTION):
    return within(lambda y: relative * np.abs(y) + relative * scale)


def summed(scale):
    return within(lambda y: SUM * scale + FUNCTION * np.abs(y) + 1e-30)


class Draw:
    """The random choices of one case."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def choose(self, *options):
        return options[self.integer(0, len(options) - 1)]

    def flag(self):
        return self.choose(False, True)

    def shape(self, low=1, high=4, largest=5):
        return [self.integer(1, largest) for _ in range(self.integer(low, high))]

    def floats(self, shape, scale=2.0):
        return (scale * self.random.normal(size=shape)).astype(f32)

    def numbers(self, shape, dtype, low=-50, high=50):
        if np.dtype(dtype).kind == "f":
            return self.floats(shape).astype(dtype)
        if np.dtype(dtype).kind == "u":
            low = 0
        return self.random.integers(low, high, shape, dtype=dtype)

    def any_numbers(self, shape):
        return self.numbers(shape, self.choose(f32, f32, i32, u8))

    def make_dynamic(self, array, axes=None):
        """Makes some sizes dynamic."""
        array = np.asarray(array)
        sizes = [
            -1 if self.integer(0, 3) == 0 and (axes is None or i in axes) else n
            for i, n in enumerate(array.shape)
        ]
        return Input(array, sizes)

    def axes(self, rank, fewest=0):
        count = self.integer(fewest, rank)
        axes = self.random.permutation(rank)[:count]
        return [int(a) - rank * self.flag() for a in axes]

    def axis(self, rank):
        return self.integer(-rank, rank - 1)

    def broadcast(self, shape):
        """A shape that broadcasts to `shape`."""
        some = [1 if self.integer(0, 3) == 0 else n for n in shape]
        return some[self.integer(0, len(some)) :]

    def pair(self, dtype, low=-50, high=50):
        shape = self.shape()
        one, other = (
            self.numbers(shape, dtype, low, high),
            self.numbers(self.broadcast(shape), dtype, low, high),
        )
        # Dynamic sizes are not broadcast.
        both = [self.make_dynamic(one, [i for i, n in enumerate(shape) if n > 1]), other]
        return both if self.flag() else both[::-1]


# --- Elementwise --------------------------------------------------------------------------------------


def unary(name, op, low=None, high=None, right=None, dtypes=(f32,)):
    def make(d):
        dtype = d.choose(*dtypes)
        x = d.numbers(d.shape(), dtype)
        if low is not None:
            x = d.random.uniform(low, high, x.shape).astype(dtype)
        return op, [d.make_dynamic(x)], PLUGIN if np.dtype(dtype).kind != "f" else right or near()

    LAYERS[name] = make


unary("Abs", opset1.abs, right=PLUGIN, dtypes=(f32, i32))
unary("Negative", opset1.negative, right=PLUGIN, dtypes=(f32, i32))
unary("Sign", opset1.sign, right=PLUGIN, dtypes=(f32,))
unary("Ceiling", opset1.ceiling, right=PLUGIN)
unary("Floor", opset1.floor, right=PLUGIN)
unary("Sqrt", opset1.sqrt, 0, 9)
unary("Exp", opset1.exp)
unary("Log", opset1.log, 1e-3, 9)
unary("Erf", opset1.erf)
for _name in ("sin", "cos", "sinh", "cosh", "atan", "tanh"):
    unary(_name.capitalize(), getattr(opset1, _name))
unary("Tan", opset1.tan, -1.5, 1.5)
unary("Asin", opset1.asin, -1, 1)
unary("Acos", opset1.acos, -1, 1)
unary("Asinh", opset4.asinh)
unary("Acosh", opset4.acosh, 1, 9)
unary("Atanh", opset4.atanh, -0.99, 0.99)
unary("Sigmoid", opset1.sigmoid)
unary("Relu", opset1.relu, right=PLUGIN, dtypes=(f32, i32))
unary("SoftPlus", opset4.softplus)
unary("SoftSign", lambda x: openvino.opset9.softsign(x))
unary("Mish", opset4.mish)
unary("HSwish", opset4.hswish)
unary("HSigmoid", opset5.hsigmoid)
unary("IsNaN", lambda x: openvino.opset10.is_nan(x))
unary("IsFinite", lambda x: openvino.opset10.is_finite(x))
unary("Gelu-2", opset2.gelu)


@layer
def LogicalNot(d):
    return (
        opset1.logical_not,
        [d.make_dynamic(d.numbers(d.shape(), i32, 0, 2).astype(bool))],
        PLUGIN,
    )


@layer
def BitwiseNot(d):
    return opset13.bitwise_not, [d.make_dynamic(d.numbers(d.shape(), d.choose(i32, u8)))], PLUGIN


@layer
def IsInf(d):
    x = d.floats(d.shape())
    x[d.random.random(x.shape) < 0.3] = np.inf
    x[d.random.random(x.shape) < 0.3] = -np.inf
    flags = {"detect_negative": d.flag(), "detect_positive": d.flag()}
    return lambda p: openvino.opset10.is_inf(p, flags), [d.make_dynamic(x)], PLUGIN


@layer
def Round(d):
    x = np.concatenate([d.floats([9]), np.arange(-5, 6) / 2]).astype(f32)
    mode = d.choose("half_to_even", "half_away_from_zero")
    return lambda p: opset5.round(p, mode), [d.make_dynamic(x)], PLUGIN


@layer
def Gelu(d):
    mode = d.choose("erf", "tanh")
    return lambda p: opset7.gelu(p, mode), [d.make_dynamic(d.floats(d.shape()))], near()


@layer
def Elu(d):
    alpha = d.random.uniform(0.1, 2)
    return lambda p: opset1.elu(p, alpha), [d.make_dynamic(d.floats(d.shape()))], near()


@layer
def Clamp(d):
    low = d.random.uniform(-2, 1)
    return (
        lambda p: opset1.clamp(p, low, low + 1.5),
        [d.make_dynamic(d.any_numbers(d.shape()))],
        PLUGIN,
    )


@layer
def HardSigmoid(d):
    alpha, beta = (constant(d.random.uniform(0.1, 1), f32) for _ in range(2))
    return (
        lambda p: opset1.hard_sigmoid(p, alpha, beta),
        [d.make_dynamic(d.floats(d.shape()))],
        near(),
    )


@layer
def Selu(d):
    alpha, scale = (constant(d.random.uniform(0.5, 2), f32) for _ in range(2))
    return lambda p: opset1.selu(p, alpha, scale), [d.make_dynamic(d.floats(d.shape()))], near()


@layer
def Swish(d):
    beta = [constant(d.random.uniform(0.5, 2), f32)] * d.integer(0, 1)
    return lambda p: opset4.swish(p, *beta), [d.make_dynamic(d.floats(d.shape()))], near()


@layer
def PRelu(d):
    shape = d.shape(2)
    slope = d.floats(d.choose([shape[1]], [1]))
    return lambda p: opset1.prelu(p, constant(slope)), [d.make_dynamic(d.floats(shape))], near()


@layer
def FakeQuantize(d):
    shape, count = d.shape(2), d.integer(2, 256)
    low = -np.abs(d.floats(d.broadcast(shape)))
    high = np.abs(low) + 1
    limits = [constant(a) for a in (low, high, low, high)]
    step = (high - low).max() / (count - 1)
    # The plugin may select the other of two levels at the same distance.
    return (
        lambda p: opset1.fake_quantize(p, *limits, count),
        [d.make_dynamic(d.floats(shape))],
        within(lambda y: 1.001 * step + 1e-6),
    )


@layer
def Convert(d):
    to = d.choose("i32", "f16", "u8", "f32")
    return (
        lambda p: opset1.convert(p, to),
        [d.make_dynamic(d.numbers(d.shape(), d.choose(f32, i32), 0, 99))],
        PLUGIN if to != "u8" else REFERENCE,
    )


@layer
def ConvertLike(d):
    to = constant([0], d.choose(i32, f32, np.float16))
    return (
        lambda p: opset1.convert_like(p, to),
        [d.make_dynamic(d.numbers(d.shape(), d.choose(f32, i32)))],
        PLUGIN,
    )


def binary(name, op, right=PLUGIN, dtypes=(f32, i32), low=-50, high=50):
    def make(d):
        dtype = d.choose(*dtypes)
        return op, d.pair(dtype, low, high), right if np.dtype(dtype).kind == "f" else PLUGIN

    LAYERS[name] = make


binary("Add", opset1.add)
binary("Subtract", opset1.subtract)
binary("Multiply", opset1.multiply)
binary("Divide", opset1.divide, near(), dtypes=(f32,))
binary("Maximum", opset1.maximum)
binary("Minimum", opset1.minimum)
binary("SquaredDifference", opset1.squared_difference, near())
for _name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
    binary(
        "".join(w.capitalize() for w in _name.split("_")), getattr(opset1, _name), low=-3, high=3
    )
for _name in ("and", "or", "xor"):
    binary(f"Bitwise{_name.capitalize()}", getattr(opset13, f"bitwise_{_name}"), dtypes=(i32, u8))


def logical(name, op):
    def make(d):
        return (
            op,
            [
                Input(v.array != 0, v.sizes) if isinstance(v, Input) else v != 0
                for v in d.pair(i32, 0, 2)
            ],
            PLUGIN,
        )

    LAYERS[name] = make


for _name in ("and", "or", "xor"):
    logical(f"Logical{_name.capitalize()}", getattr(opset1, f"logical_{_name}"))


@layer
def BitwiseLeftShift(d):
    shape = d.shape()
    return opset15.bitwise_left_shift, [d.numbers(shape, i32), d.numbers(shape, i32, 0, 8)], PLUGIN


@layer
def BitwiseRightShift(d):
    shape = d.shape()
    return (
        opset15.bitwise_right_shift,
        [d.numbers(shape, i32, 0, 999), d.numbers(shape, i32, 0, 8)],
        PLUGIN,
    )


@layer
def Power(d):
    shape = d.shape()
    return (
        opset1.power,
        [
            d.random.uniform(0.1, 3, shape).astype(f32),
            d.random.uniform(-2, 2, d.broadcast(shape)).astype(f32),
        ],
        near(),
    )


def remainder(name, op):
    def make(d):
        shape = d.shape()
        divisors = np.array([-3, -2, 0.5, 2, 3, 4], f32)[
            d.random.integers(0, 6, d.broadcast(shape))
        ]
        dividends = d.numbers(shape, i32).astype(f32) / 4
        if d.flag():
            return (
                op,
                [d.numbers(shape, i32), np.where(divisors < 1, 5, divisors).astype(i32)],
                PLUGIN,
            )
        # Either zero is accepted.
        return op, [dividends, divisors], within(lambda y: 0 * y)

    LAYERS[name] = make


remainder("Mod", opset1.mod)
remainder("FloorMod", opset1.floor_mod)


@layer
def Select(d):
    shape = d.shape()
    condition = d.numbers(d.broadcast(shape), i32, 0, 2).astype(bool)
    dtype = d.choose(f32, i32)
    return (
        opset1.select,
        [condition, d.numbers(shape, dtype), d.numbers(d.broadcast(shape), dtype)],
        PLUGIN,
    )


# --- Reductions ---------------------------------------------------------------------------------------


def reduction(name, op, dtypes=(f32,), exact=False):
    def make(d):
        shape = d.shape()
        dtype = d.choose(*dtypes)
        x = d.numbers(shape, dtype, -4, 4)
        axes, keeps = d.axes(len(shape), 1), d.flag()
        right = (
            PLUGIN
            if exact or np.dtype(dtype).kind != "f"
            else summed(max(1, np.abs(x).sum(), np.abs(x).max() ** 2 * x.size))
        )
        axes = constant(axes, d.choose(i32, i64))
        return lambda p: op(p, axes, keeps), [d.make_dynamic(x)], right

    LAYERS[name] = make


reduction("ReduceSum", opset1.reduce_sum, (f32, i32))
reduction("ReduceProd", opset1.reduce_prod, (f32,))
reduction("ReduceMax", opset1.reduce_max, (f32, i32), True)
reduction("ReduceMin", opset1.reduce_min, (f32, i32), True)
reduction("ReduceMean", opset1.reduce_mean)
reduction("ReduceL1", opset4.reduce_l1)
reduction("ReduceL2", opset4.reduce_l2)


def logical_reduction(name, op):
    def make(d):
        shape = d.shape()
        axes, keeps = d.axes(len(shape), 1), d.flag()
        return (
            lambda p: op(p, constant(axes, i64), keeps),
            [d.make_dynamic(d.numbers(shape, i32, 0, 2).astype(bool))],
            PLUGIN,
        )

    LAYERS[name] = make


logical_reduction("ReduceLogicalAnd", opset1.reduce_logical_and)
logical_reduction("ReduceLogicalOr", opset1.reduce_logical_or)


@layer
def TopK(d):
    shape = d.shape()
    axis = d.axis(len(shape))
    k = d.integer(1, shape[axis])
    mode, sort = d.choose("max", "min"), d.choose("value", "index")
    # The order of equal elements is only specified for stable sorts.
    x = d.random.permutation(int(np.prod(shape))).reshape(shape).astype(d.choose(f32, i32))
    version = d.choose(1, 3, 11)
    if version == 11:
        stable = sort == "value" and d.flag()
        if stable:
            x = x // 3
        index_type = d.choose("i32", "i64")
        return (
            lambda p: opset11.topk(p, constant(k, i64), axis, mode, sort, index_type, stable),
            [d.make_dynamic(x)],
            PLUGIN,
        )
    op = opset1.topk if version == 1 else opset3.topk
    axis %= len(shape)
    return lambda p: op(p, constant(k, i32), axis, mode, sort), [d.make_dynamic(x)], PLUGIN


# --- Normalization ------------------------------------------------------------------------------------


@layer
def Softmax(d):
    shape = d.shape(2)
    axis = d.axis(len(shape))
    return lambda p: opset8.softmax(p, axis), [d.make_dynamic(d.floats(shape))], near(relative=1e-5)


@layer
def LogSoftmax(d):
    shape = d.shape(2)
    axis = d.axis(len(shape))
    return lambda p: opset5.log_softmax(p, axis), [d.make_dynamic(d.floats(shape))], near(4)


@layer
def MVN(d):
    if d.flag():
        shape = d.shape(3, 5)
        arguments = (d.flag(), d.flag(), 10 ** d.random.uniform(-4, 0))
        return lambda p: opset2.mvn(p, *arguments), [d.make_dynamic(d.floats(shape))], near(8)
    shape = d.shape(2, 5)
    axes = d.axes(len(shape), 1)
    arguments = (d.flag(), 10 ** d.random.uniform(-4, 0), d.choose("inside_sqrt", "outside_sqrt"))
    return (
        lambda p: opset6.mvn(p, constant(axes, i64), *arguments),
        [d.make_dynamic(d.floats(shape))],
        near(8),
    )


@layer
def NormalizeL2(d):
    shape = d.shape(2, 4)
    axes = sorted(a % len(shape) for a in d.axes(len(shape), 1))
    arguments = (10 ** d.random.uniform(-4, 0), d.choose("add", "max"))
    return (
        lambda p: opset1.normalize_l2(p, constant(axes, i64), *arguments),
        [d.make_dynamic(d.floats(shape))],
        near(),
    )


@layer
def GRN(d):
    bias = d.random.uniform(0.1, 2)
    return lambda p: opset1.grn(p, bias), [d.make_dynamic(d.floats(d.shape(2)))], near()


@layer
def LRN(d):
    shape = d.shape(3, 4)
    # The plugin requires biases of the full shape.
    arguments = (
        d.random.uniform(0.01, 1),
        d.random.uniform(0.3, 1),
        d.choose(1, 2),
        d.choose(1, 3, 5),
    )
    return (
        lambda p: opset1.lrn(p, constant([1], i64), *arguments),
        [d.make_dynamic(d.floats(shape))],
        near(),
    )


@layer
def BatchNormInference(d):
    shape = d.shape(2)
    lists = [d.floats(shape[1]) for _ in range(3)] + [np.abs(d.floats(shape[1])) + 0.1]
    epsilon = 10 ** d.random.uniform(-5, -1)
    return (
        lambda p: opset5.batch_norm_inference(p, *map(constant, lists), epsilon),
        [d.make_dynamic(d.floats(shape))],
        near(8),
    )


@layer
def GroupNormalization(d):
    groups = d.integer(1, 3)
    shape = [d.integer(1, 3), groups * d.integer(1, 3), *d.shape(1, 2)]
    scale, bias = (d.floats(shape[1]) for _ in range(2))
    return (
        lambda p: opset12.group_normalization(p, constant(scale), constant(bias), groups, 1e-3),
        [d.make_dynamic(d.floats(shape), [0, 2, 3])],
        near(8),
    )


# --- Shapes and parts ---------------------------------------------------------------------------------


@layer
def Reshape(d):
    shape = d.shape(1, 4)
    total = int(np.prod(shape))
    to = d.choose([-1], [1, total], [0, -1], list(reversed(shape)))
    to = constant(to, d.choose(i32, i64))
    return lambda p: opset1.reshape(p, to, True), [d.make_dynamic(d.any_numbers(shape))], PLUGIN


@layer
def Transpose(d):
    shape = d.shape(1, 5)
    order = d.random.permutation(len(shape)) if d.integer(0, 4) else []
    return (
        lambda p: opset1.transpose(p, constant(order, i64)),
        [d.make_dynamic(d.any_numbers(shape))],
        PLUGIN,
    )


@layer
def Squeeze(d):
    shape = d.shape(1, 4)
    ones = sorted(d.integer(0, len(shape)) for _ in range(d.integer(1, 2)))
    full = list(shape)
    for position in ones:
        full.insert(position, 1)
    axes = [i for i, n in enumerate(full) if n == 1 and d.flag()] or [full.index(1)]
    axes = [a - len(full) * d.flag() for a in axes]
    if d.flag():
        return lambda p: opset1.squeeze(p, constant(axes, i64)), [d.any_numbers(full)], PLUGIN
    return lambda p: opset15.squeeze(p), [d.any_numbers(full)], PLUGIN


@layer
def Unsqueeze(d):
    shape = d.shape(1, 3)
    rank = len(shape) + 2
    axes = [int(a) - rank * d.flag() for a in d.random.permutation(rank)[:2]]
    return (
        lambda p: opset1.unsqueeze(p, constant(axes, i64)),
        [d.make_dynamic(d.any_numbers(shape))],
        PLUGIN,
    )


@layer
def ShapeOf(d):
    to = d.choose("i32", "i64")
    return lambda p: opset3.shape_of(p, to), [d.make_dynamic(d.any_numbers(d.shape()))], PLUGIN


@layer
def Broadcast(d):
    shape = d.shape(1, 4)
    mode = d.choose("numpy", "explicit", "bidirectional")
    if mode == "explicit":
        axes = sorted(int(a) for a in d.random.permutation(len(shape))[: d.integer(1, len(shape))])
        data = d.any_numbers([shape[a] if d.flag() else 1 for a in axes])
        return (
            lambda p: opset3.broadcast(p, constant(shape, i64), constant(axes, i64), "explicit"),
            [data],
            PLUGIN,
        )
    data = d.any_numbers(d.broadcast(shape))
    target = (
        shape
        if mode == "numpy"
        else [n if d.flag() or i >= data.ndim else 1 for i, n in enumerate(shape)]
    )
    if mode == "bidirectional" and len(target) < data.ndim:
        target = shape
    return lambda p: opset3.broadcast(p, constant(target, i32), None, mode), [data], PLUGIN


@layer
def Tile(d):
    shape = d.shape(1, 3)
    repeats = [d.integer(1, 3) for _ in range(d.integer(1, 4))]
    return (
        lambda p: opset1.tile(p, constant(repeats, i64)),
        [d.make_dynamic(d.any_numbers(shape))],
        PLUGIN,
    )


@layer
def Concat(d):
    shape = d.shape()
    axis = d.axis(len(shape))
    dtype = d.choose(f32, i32, u8)
    parts = []
    for _ in range(d.integer(1, 3)):
        shape[axis] = d.integer(1, 4)
        parts.append(d.make_dynamic(d.numbers(shape, dtype), [axis % len(shape)]))
    return lambda *p: opset1.concat(list(p), axis), parts, PLUGIN


@layer
def Split(d):
    shape = d.shape()
    axis, count = d.axis(len(shape)), d.integer(1, 4)
    shape[axis] *= count
    return lambda p: opset1.split(p, constant(axis, i64), count), [d.any_numbers(shape)], PLUGIN


@layer
def VariadicSplit(d):
    shape = d.shape()
    axis = d.axis(len(shape))
    lengths = [d.integer(1, 3) for _ in range(d.integer(1, 3))]
    shape[axis] = sum(lengths)
    if d.flag():
        lengths[d.integer(0, len(lengths) - 1)] = -1
    return (
        lambda p: opset1.variadic_split(p, constant(axis, i64), constant(lengths, i32)),
        [d.any_numbers(shape)],
        PLUGIN,
    )


@layer
def Slice(d):
    shape = d.shape()
    axes = d.axes(len(shape), 1)
    lists = [
        [d.integer(-6, 6) for _ in axes],
        [d.integer(-9, 9) for _ in axes],
        [d.choose(1, 2, -1, -2) for _ in axes],
    ]
    # At least one element remains.
    for i, axis in enumerate(axes):
        if len(range(*slice(*(part[i] for part in lists)).indices(shape[axis]))) == 0:
            for part, value in zip(lists, (0, 9, 1), strict=True):
                part[i] = value
    extra = [constant(axes, i64)]
    if axes == list(range(len(axes))) and d.flag():
        extra = []
    return (
        lambda p: opset8.slice(p, *(constant(part, i64) for part in lists), *extra),
        [d.make_dynamic(d.any_numbers(shape))],
        PLUGIN,
    )


@layer
def StridedSlice(d):
    shape = d.shape(2, 4)
    begin, end, steps = [], [], []
    masks = {name: [] for name in ("begin", "end", "new", "shrink", "ellipsis")}
    axis, has_ellipsis = 0, False
    while axis < len(shape):
        kind = d.choose("range", "range", "range", "new", "shrink", "ellipsis")
        if kind == "ellipsis" and has_ellipsis:
            kind = "range"
        values = [0, 0, 1]
        if kind == "range":
            step = d.choose(1, 2, -1)
            values = [0, 9, step] if step > 0 else [-1, -99, step]
            if shape[axis] > 1 and step > 0 and d.flag():
                values[:2] = [d.integer(0, shape[axis] - 1), shape[axis]]
        if kind == "shrink":
            values = [d.integer(-shape[axis], shape[axis] - 1), 0, 1]
            values[1] = values[0] + 1
        for part, value in zip((begin, end, steps), values, strict=True):
            part.append(value)
        masks["begin"].append(int(kind == "range" and d.integer(0, 3) == 0))
        masks["end"].append(int(kind == "range" and d.integer(0, 3) == 0))
        for name in ("new", "shrink", "ellipsis"):
            masks[name].append(int(kind == name))
        if kind == "ellipsis":
            has_ellipsis = True
            axis += d.integer(0, len(shape) - axis)
        elif kind != "new":
            axis += 1
    listed = sum(1 for n, e in zip(masks["new"], masks["ellipsis"], strict=True) if not n and not e)
    data = d.make_dynamic(d.any_numbers(shape))
    if has_ellipsis and listed < len(shape):
        # The ranges after the ellipsis apply to other axes than above. Full ranges fit any axis.
        for i, _ in enumerate(begin):
            if not masks["new"][i] and not masks["ellipsis"][i]:
                begin[i], end[i], steps[i] = (0, 1, 1) if masks["shrink"][i] else (0, 9, 1)
    arguments = [constant(part, i64) for part in (begin, end, steps)]
    return (
        lambda p: opset1.strided_slice(
            p,
            *arguments,
            masks["begin"],
            masks["end"],
            masks["new"],
            masks["shrink"],
            masks["ellipsis"],
        ),
        [data],
        PLUGIN,
    )


@layer
def Pad(d):
    shape = [n + 2 for n in d.shape(1, 4, 4)]
    mode = d.choose("constant", "edge", "reflect", "symmetric")
    low = -1 if mode == "constant" and d.flag() else 0
    pads = [[d.integer(low, 2) for _ in shape] for _ in range(2)]
    x = d.numbers(shape, d.choose(f32, i32))
    value = [constant(d.integer(-9, 9), x.dtype)] if mode == "constant" and d.flag() else [None]
    op = opset12.pad if low else opset1.pad
    return (
        lambda p: op(p, constant(pads[0], i64), constant(pads[1], i64), mode, *value),
        [d.make_dynamic(x)],
        PLUGIN,
    )


@layer
def Range(d):
    if d.flag():
        step = d.choose(-3, -1, 1, 2, 3)
        start = d.integer(-9, 9)
        numbers = (
            start,
            start + step * d.integer(1, 6) + (d.integer(0, abs(step) - 1) if abs(step) > 1 else 0),
            step,
        )
        dtype = d.choose(i32, i64)
        return (
            lambda: opset4.range(
                *(constant(n, dtype) for n in numbers), np.dtype(dtype).name.replace("nt", "")
            ),
            [],
            PLUGIN,
        )
    numbers = (d.integer(-4, 4) / 4, d.integer(8, 30) / 4, d.choose(0.25, 0.5, 1))
    return lambda: opset4.range(*(constant(n, f32) for n in numbers), "f32"), [], near()


@layer
def Roll(d):
    shape = d.shape(1, 4)
    # An axis may occur twice.
    axes = [d.axis(len(shape)) for _ in range(d.integer(1, 3))]
    shifts = d.numbers([len(axes)], d.choose(i32, i64), -9, 10)
    if len(axes) == 1 and d.flag():
        shifts = shifts.reshape([])
    data = d.make_dynamic(d.any_numbers(shape))
    if d.flag():
        return lambda p, q: opset7.roll(p, q, constant(axes, i64)), [data, shifts], PLUGIN
    return lambda p: opset7.roll(p, constant(shifts), constant(axes, i64)), [data], PLUGIN


@layer
def Eye(d):
    sizes = [constant(d.integer(1, 5), i32) for _ in range(2)]
    diagonal = constant([d.integer(-5, 5)], d.choose(i32, i64))
    name = d.choose("f32", "i32", "i8", "u8")
    batch = [constant(d.shape(1, 2, 3), i32)] if d.flag() else []
    return lambda: opset9.eye(*sizes, diagonal, name, *batch), [], PLUGIN


# --- Gathers and updates ------------------------------------------------------------------------------


@layer
def Gather(d):
    shape = d.shape(1, 4)
    version = d.choose(1, 7, 8)
    axis = d.axis(len(shape))
    batches = d.integer(0, axis % len(shape)) if version > 1 else 0
    index_shape = shape[:batches] + d.shape(0, 2, 3)
    low = -shape[axis] if version == 8 else 0
    indices = d.numbers(index_shape, d.choose(i32, i64), low, shape[axis])
    data = d.make_dynamic(d.any_numbers(shape))
    to = constant(axis, i64)
    if version == 1:
        return lambda p, q: opset1.gather(p, q, to), [data, d.make_dynamic(indices)], PLUGIN
    op = opset7.gather if version == 7 else opset8.gather
    # The plugin crashes on some batches.
    right = REFERENCE if batches else PLUGIN
    return lambda p, q: op(p, q, to, batches), [data, d.make_dynamic(indices)], right


@layer
def GatherElements(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    to = list(shape)
    to[axis] = d.integer(1, 5)
    indices = d.numbers(to, i32, 0, shape[axis])
    return (
        lambda p, q: opset6.gather_elements(p, q, axis),
        [d.make_dynamic(d.any_numbers(shape)), indices],
        PLUGIN,
    )


@layer
def GatherND(d):
    shape = d.shape(2, 4)
    batches = d.integer(0, len(shape) - 1)
    count = d.integer(1, len(shape) - batches)
    index_shape = shape[:batches] + d.shape(1, 2, 3)
    indices = np.stack(
        [d.numbers(index_shape, i32, 0, n) for n in shape[batches : batches + count]], -1
    )
    op = opset8.gather_nd if d.flag() else opset5.gather_nd
    return lambda p, q: op(p, q, batches), [d.any_numbers(shape), indices], PLUGIN


@layer
def ScatterElementsUpdate(d):
    shape = d.shape(1, 3)
    axis = d.axis(len(shape))
    to = list(shape)
    to[axis] = d.integer(1, shape[axis])
    order = np.argsort(d.random.random(shape), axis)
    indices = np.take(order, np.arange(to[axis]), axis).astype(i32)
    dtype = d.choose(f32, i32)
    inputs = [d.numbers(shape, dtype), indices, d.numbers(to, dtype)]
    if d.flag():
        return (
            lambda p, q, r: opset3.scatter_elements_update(p, q, r, constant(axis, i64)),
            inputs,
            PLUGIN,
        )
    mode = d.choose("none", "sum", "prod", "min", "max")
    return (
        lambda p, q, r: opset12.scatter_elements_update(p, q, r, constant(axis, i64), mode),
        inputs,
        near(),
    )


@layer
def ScatterNDUpdate(d):
    shape = d.shape(1, 4)
    count = d.integer(1, len(shape))
    total = int(np.prod(shape[:count]))
    chosen = d.random.permutation(total)[: d.integer(1, total)]
    indices = np.stack(np.unravel_index(chosen, shape[:count]), -1).astype(i32)
    dtype = d.choose(f32, i32)
    inputs = [d.numbers(shape, dtype), indices, d.numbers([len(chosen), *shape[count:]], dtype)]
    if d.flag():
        return opset4.scatter_nd_update, inputs, PLUGIN
    mode = d.choose("none", "sum", "sub", "prod", "min", "max")
    return lambda p, q, r: opset15.scatter_nd_update(p, q, r, mode), inputs, near()


@layer
def ScatterUpdate(d):
    shape = d.shape(1, 4)
    axis = d.axis(len(shape))
    indices = d.random.permutation(shape[axis])[: d.integer(1, shape[axis])].astype(i32)
    updates = list(shape)
    updates[axis] = len(indices)
    if d.flag():
        indices = indices.reshape(1, -1)
        updates.insert(axis % len(shape), 1)
    dtype = d.choose(f32, i32)
    return (
        lambda p, q, r: opset3.scatter_update(p, q, r, constant(axis, i64)),
        [d.numbers(shape, dtype), indices, d.numbers(updates, dtype)],
        PLUGIN,
    )


@layer
def NonZero(d):
    data = d.numbers(d.shape(1, 4), d.choose(f32, i32, u8, i64), -1, 2)
    data = np.where(d.random.random(data.shape) < 0.4, 0, data).astype(data.dtype)
    if d.integer(0, 3) == 0:
        data = data != 0
    name = d.choose("i32", "i64")
    return lambda p: opset3.non_zero(p, name), [d.make_dynamic(data)], PLUGIN


@layer
def OneHot(d):
    shape = d.shape(1, 3)
    depth, axis = d.integer(1, 6), d.integer(-len(shape) - 1, len(shape))
    on, off = (constant(d.integer(-9, 9), f32) for _ in range(2))
    indices = d.numbers(shape, d.choose(i32, i64), 0, depth + 2)
    return (
        lambda p: opset1.one_hot(p, constant(depth, i64), on, off, axis),
        [d.make_dynamic(indices)],
        PLUGIN,
    )


# --- Rearrangement ------------------------------------------------------------------------------------


@layer
def DepthToSpace(d):
    spatial, block = d.shape(1, 3, 3), d.integer(1, 3)
    shape = [d.integer(1, 3), d.integer(1, 3) * block ** len(spatial), *spatial]
    mode = d.choose("blocks_first", "depth_first")
    return (
        lambda p: opset1.depth_to_space(p, mode, block),
        [d.make_dynamic(d.floats(shape), [0, 2])],
        PLUGIN,
    )


@layer
def SpaceToDepth(d):
    block = d.integer(1, 3)
    shape = [d.integer(1, 3), d.integer(1, 3), *(n * block for n in d.shape(1, 3, 3))]
    mode = d.choose("blocks_first", "depth_first")
    return (
        lambda p: opset1.space_to_depth(p, mode, block),
        [d.make_dynamic(d.floats(shape), [0, 2])],
        PLUGIN,
    )


@layer
def BatchToSpace(d):
    inner = [n + 1 for n in d.shape(2, 3, 3)]
    blocks = [1] + [d.integer(1, 2) for _ in inner]
    shape = [int(np.prod(blocks)) * d.integer(1, 2), *inner]
    crops = [[0] + [d.integer(0, 1) if b > 1 else 0 for b in blocks[1:]] for _ in range(2)]
    return (
        lambda p: opset2.batch_to_space(p, *(constant(a, i64) for a in (blocks, *crops))),
        [d.floats(shape)],
        PLUGIN,
    )


@layer
def SpaceToBatch(d):
    # The plugin moves some elements elsewhere if there is padding.
    inner = d.shape(2, 3, 3)
    blocks = [1] + [d.integer(1, 3) for _ in inner]
    begin = [0] + [d.integer(0, 2) for _ in inner]
    end = [0] + [-(n + b) % k for n, b, k in zip(inner, begin[1:], blocks[1:], strict=True)]
    return (
        lambda p: opset2.space_to_batch(p, *(constant(a, i64) for a in (blocks, begin, end))),
        [d.floats([d.integer(1, 2), *inner])],
        REFERENCE,
    )


@layer
def ShuffleChannels(d):
    shape = d.shape(2, 4)
    axis, groups = d.axis(len(shape)), d.integer(1, 3)
    shape[axis] *= groups
    return lambda p: opset3.shuffle_channels(p, axis, groups), [d.floats(shape)], PLUGIN


def create(kind, opset, inputs, attributes):
    """A layer without a function in OpenVINO's Python API."""
    return NodeFactory(opset).create(
        kind, [i if isinstance(i, openvino.Output) else i.output(0) for i in inputs], attributes
    )


def reverse(data, axes, mode):
    return create("Reverse", "opset1", [data, axes], {"mode": mode})


@layer
def Reverse(d):
    shape = d.shape(1, 4)
    axes = [a % len(shape) for a in d.axes(len(shape), 1)]
    if d.flag():
        return (
            lambda p: reverse(p, constant(axes, i64), "index"),
            [d.make_dynamic(d.floats(shape))],
            PLUGIN,
        )
    marks = [i in axes for i in range(len(shape))]
    return (
        lambda p: reverse(p, constant(marks, bool), "mask"),
        [d.make_dynamic(d.floats(shape))],
        PLUGIN,
    )


@layer
def ReverseSequence(d):
    shape = d.shape(2, 4)
    batch, sequence = (int(a) for a in d.random.permutation(len(shape))[:2])
    lengths = d.numbers([shape[batch]], i32, 1, shape[sequence] + 1)
    return (
        lambda p, q: opset1.reverse_sequence(p, q, batch, sequence),
        [d.floats(shape), lengths],
        PLUGIN,
    )


@layer
def CumSum(d):
    shape = d.shape()
    axis = d.axis(len(shape))
    x = d.numbers(shape, d.choose(f32, i32))
    right = summed(np.abs(x).sum()) if x.dtype == f32 else PLUGIN
    flags = (d.flag(), d.flag())
    return lambda p: opset3.cum_sum(p, constant(axis, i64), *flags), [d.make_dynamic(x)], right


# --- Contractions
# -------------------------------------------------------------------------------------


@layer
def MatMul(d):
    m, n, k = (d.integer(1, 9) for _ in range(3))
    batch = d.shape(0, 2, 3)
    flags = (d.flag(), d.flag())
    a = d.floats([*batch, *((k, m) if flags[0] else (m, k))])
    b = d.floats([*((n, k) if flags[1] else (k, n))])
    right = summed(k * np.abs(a).max() * np.abs(b).max())
    if d.flag():
        return lambda p: opset1.matmul(p, constant(b), *flags), [d.make_dynamic(a)], right
    return lambda p, q: opset1.matmul(p, q, *flags), [a, b], right


def windows(d, sizes):
    """Strides, pads and dilations of a convolution, and the kernel."""
    kernel = [d.integer(1, 3) for _ in sizes]
    dilations = [d.integer(1, 2) for _ in sizes]
    sizes = [n + (k - 1) * e for n, k, e in zip(sizes, kernel, dilations, strict=True)]
    strides = [d.integer(1, 2) for _ in sizes]
    pads = [[d.integer(0, 2) for _ in sizes] for _ in range(2)]
    return sizes, kernel, strides, *pads, dilations


def contraction_bound(x, weights):
    return summed(max(1.0, np.abs(weights).sum() * np.abs(x).max()))


@layer
def Convolution(d):
    sizes, kernel, *arguments = windows(d, d.shape(1, 3))
    channels = d.integer(1, 4)
    x, w = (
        d.floats([d.integer(1, 2), channels, *sizes]),
        d.floats([d.integer(1, 4), channels, *kernel]),
    )
    auto_pad = d.choose("explicit", "explicit", "same_upper", "same_lower", "valid")
    return (
        lambda p: opset1.convolution(p, constant(w), *arguments, auto_pad),
        [d.make_dynamic(x, [0, 2])],
        contraction_bound(x, w),
    )


@layer
def GroupConvolution(d):
    sizes, kernel, *arguments = windows(d, d.shape(1, 3))
    groups, channels = d.integer(1, 4), d.integer(1, 3)
    x, w = (
        d.floats([d.integer(1, 2), groups * channels, *sizes]),
        d.floats([groups, d.integer(1, 3), channels, *kernel]),
    )
    return (
        lambda p: opset1.group_convolution(p, constant(w), *arguments),
        [d.make_dynamic(x, [0, 2])],
        contraction_bound(x, w),
    )


def backprop(d, grouped):
    sizes, kernel, strides, begin, end, dilations = windows(d, d.shape(1, 2))
    # At least one element remains.
    begin, end = (
        [min(p, (k - 1) * e // 2) for p, k, e in zip(pads, kernel, dilations, strict=True)]
        for pads in (begin, end)
    )
    padding = [d.integer(0, s - 1) for s in strides]
    # The plugin does not support a single group.
    groups, channels = d.integer(2, 3) if grouped else 1, d.integer(1, 3)
    x, w = (
        d.floats([d.integer(1, 2), groups * channels, *sizes]),
        d.floats([channels, d.integer(1, 3), *kernel]),
    )
    if grouped:
        w = d.floats([groups, channels, d.integer(1, 3), *kernel])
    op = opset1.group_convolution_backprop_data if grouped else opset1.convolution_backprop_data
    right = contraction_bound(x, w)
    if d.integer(0, 3) == 0:
        total = [
            s * (n - 1) + (k - 1) * e + 1
            for s, n, k, e in zip(strides, sizes, kernel, dilations, strict=True)
        ]
        shape = [n - d.integer(0, min(2, n - 1)) for n in total]
        auto_pad = d.choose("same_upper", "same_lower")
        return (
            lambda p: op(
                p, constant(w), strides, constant(shape, i64), None, None, dilations, auto_pad
            ),
            [x],
            right,
        )
    return (
        lambda p: op(p, constant(w), strides, None, begin, end, dilations, "explicit", padding),
        [d.make_dynamic(x, [0])],
        right,
    )


@layer
def ConvolutionBackpropData(d):
    return backprop(d, False)


@layer
def GroupConvolutionBackpropData(d):
    return backprop(d, True)


@layer
def ScaledDotProductAttention(d):
    batch = d.shape(1, 2, 3)
    length, others, size, values = (d.integer(1, 6) for _ in range(4))
    q, k, v = (
        d.floats([*batch, length, size], 1),
        d.floats([*batch, others, size], 1),
        d.floats([*batch, others, values], 1),
    )
    causal = d.integer(0, 2) == 0
    inputs = [q, k, v]
    if d.flag() and not causal:
        if d.flag():
            inputs.append(d.floats([length, others]))
        else:
            mask = d.numbers([length, others], i32, 0, 2).astype(bool)
            mask[:, 0] = True
            inputs.append(mask)
        if d.flag():
            inputs.append(np.array(d.random.uniform(0.2, 1), f32))
    return lambda *p: opset13.scaled_dot_product_attention(*p, causal=causal), inputs, near(4)


# --- Pooling and resizing -----------------------------------------------------------------------------


def pooling(d, dilated):
    sizes, kernel, strides, begin, end, dilations = windows(d, d.shape(1, 3))
    begin, end = (
        [min(p, k // 2) for p, k in zip(pads, kernel, strict=True)] for pads in (begin, end)
    )
    if not dilated:
        dilations = [1] * len(kernel)
    x = d.floats([d.integer(1, 2), d.integer(1, 3), *sizes])
    return x, kernel, strides, begin, end, dilations


@layer
def MaxPool(d):
    version = d.choose(1, 8, 14)
    x, kernel, strides, begin, end, dilations = pooling(d, version > 1)
    rounding = d.choose("floor", "ceil", *["ceil_torch"] * (version == 14))
    auto_pad = d.choose("explicit", "explicit", "same_upper", "same_lower", "valid")
    if auto_pad != "explicit":
        rounding = "floor"
    x = d.make_dynamic(x, [0] if rounding == "ceil" else [0, 2])
    # Windows of padding alone yield -inf. The plugin yields the lowest finite value.
    right = within(lambda y: np.where(y == np.finfo(f32).min, np.inf, 0))
    if version == 1:
        return (
            lambda p: opset1.max_pool(p, strides, begin, end, kernel, rounding, auto_pad),
            [x],
            right,
        )
    axis, index_type = d.choose(0, 2, -1 if x.array.ndim == 3 else 1), d.choose("i32", "i64")
    op = opset8.max_pool if version == 8 else opset14.max_pool
    indexed = d.flag() and rounding != "ceil"

    def build(p):
        node = op(p, strides, dilations, begin, end, kernel, rounding, auto_pad, index_type, axis)
        return node if indexed else node.output(0)

    return build, [x], right


@layer
def AvgPool(d):
    x, kernel, strides, begin, end, _ = pooling(d, False)
    version = d.choose(1, 14)
    rounding = d.choose("floor", "ceil", *["ceil_torch"] * (version == 14))
    auto_pad = d.choose("explicit", "explicit", "same_upper", "same_lower", "valid")
    if auto_pad != "explicit":
        rounding = "floor"
    op, excludes = opset1.avg_pool if version == 1 else opset14.avg_pool, d.flag()
    return (
        lambda p: op(p, strides, begin, end, kernel, excludes, rounding, auto_pad),
        [d.make_dynamic(x, [0])],
        near(),
    )


@layer
def AdaptiveAvgPool(d):
    x = d.floats([d.integer(1, 2), d.integer(1, 3), *d.shape(1, 3, 7)])
    to = [d.integer(1, 4) for _ in x.shape[2:]]
    return (
        lambda p: opset8.adaptive_avg_pool(p, constant(to, i32)),
        [d.make_dynamic(x, [0, 1])],
        near(),
    )


@layer
def AdaptiveMaxPool(d):
    x = d.floats([d.integer(1, 2), d.integer(1, 3), *d.shape(1, 3, 7)])
    to = [d.integer(1, 4) for _ in x.shape[2:]]
    return (
        lambda p: opset8.adaptive_max_pool(p, constant(to, i32), "i32").output(0),
        [d.make_dynamic(x, [0, 1])],
        PLUGIN,
    )


@layer
def Interpolate(d):
    rank = d.integer(3, 4)
    x = d.floats([1, d.integer(1, 2), *(d.integer(2, 6) for _ in range(rank - 2))])
    axes = list(range(2, rank))
    mode = (
        d.choose("nearest", "linear_onnx", "linear", "cubic")
        if rank == 4
        else d.choose("nearest", "linear_onnx")
    )
    by_sizes = d.flag()
    coordinates = d.choose(
        "half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "tf_half_pixel_for_nn"
    )
    # Exact scales, so that ties do not depend on rounding errors.
    scales = [d.choose(0.5, 1.0, 2.0, 1.5) for _ in axes]
    sizes = [max(1, int(x.shape[a] * s)) for a, s in zip(axes, scales, strict=True)]
    nearest = d.choose("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    calculation = "sizes" if by_sizes else "scales"
    if d.flag():
        target = constant(sizes, i64) if by_sizes else constant(scales, f32)
        options = (
            mode,
            calculation,
            None,
            None,
            coordinates,
            nearest,
            False,
            -0.75,
            constant(axes, i64),
        )
        return lambda p: opset11.interpolate(p, target, *options), [x], near(4)
    attributes = {
        "mode": mode,
        "shape_calculation_mode": calculation,
        "coordinate_transformation_mode": coordinates,
        "nearest_mode": nearest,
        "pads_begin": [0] * rank,
        "pads_end": [0] * rank,
    }
    inputs = [constant(sizes, i64), constant(scales, f32), constant(axes, i64)]
    return lambda p: create("Interpolate", "opset4", [p, *inputs], attributes), [x], near(4)


# --- Recurrent ----------------------------------------------------------------------------------------


def recurrence(d, gates, bias_gates, states, sequence):
    batch, steps, size, hidden = d.integer(1, 3), d.integer(1, 4), d.integer(1, 4), d.integer(1, 4)
    direction = d.choose("forward", "reverse", "bidirectional")
    count = [2 if direction == "bidirectional" else 1]
    if not sequence:
        x = [d.floats([batch, size], 1)] + [d.floats([batch, hidden], 1) for _ in range(states)]
        weights = [
            d.floats(s, 1)
            for s in ([gates * hidden, size], [gates * hidden, hidden], [bias_gates * hidden])
        ]
        return x, weights, hidden, direction
    x = [d.floats([batch, steps, size], 1)] + [
        d.floats([batch, *count, hidden], 1) for _ in range(states)
    ]
    x.append(d.numbers([batch], i32, 1, steps + 1))
    weights = [
        d.floats([*count, *s], 1)
        for s in ([gates * hidden, size], [gates * hidden, hidden], [bias_gates * hidden])
    ]
    return x, weights, hidden, direction


@layer
def LSTMSequence(d):
    x, weights, hidden, direction = recurrence(d, 4, 4, 2, True)
    return (
        lambda *p: opset5.lstm_sequence(*p, *map(constant, weights), hidden, direction),
        x,
        near(2),
    )


@layer
def GRUSequence(d):
    linear = d.flag()
    x, weights, hidden, direction = recurrence(d, 3, 3 + linear, 1, True)
    return (
        lambda *p: opset5.gru_sequence(
            *p, *map(constant, weights), hidden, direction, linear_before_reset=linear
        ),
        x,
        near(2),
    )


@layer
def RNNSequence(d):
    x, weights, hidden, direction = recurrence(d, 1, 1, 1, True)
    activation = d.choose("tanh", "relu", "sigmoid")
    return (
        lambda *p: opset5.rnn_sequence(
            *p, *map(constant, weights), hidden, direction, [activation]
        ),
        x,
        near(4),
    )


@layer
def LSTMCell(d):
    x, weights, hidden, _ = recurrence(d, 4, 4, 2, False)
    return lambda *p: opset4.lstm_cell(*p, *map(constant, weights), hidden), x, near(2)


@layer
def GRUCell(d):
    linear = d.flag()
    x, weights, hidden, _ = recurrence(d, 3, 3 + linear, 1, False)
    return (
        lambda *p: opset3.gru_cell(*p, *map(constant, weights), hidden, linear_before_reset=linear),
        x,
        near(2),
    )


@layer
def RNNCell(d):
    x, weights, hidden, _ = recurrence(d, 1, 1, 1, False)
    activation = d.choose("tanh", "relu", "sigmoid")
    return (
        lambda *p: opset3.rnn_cell(*p, *map(constant, weights), hidden, [activation], [], []),
        x,
        near(4),
    )


tools, work, count, *chosen = sys.argv[1:]
run = driver.Driver(tools, work)
print(driver.describe())
cases = []
for name, function in LAYERS.items():
    if chosen and name not in chosen:
        continue
    for number in range(int(count)):
        draw = Draw([zlib.crc32(name.encode()), number])
        cases.append(Case(f"{name} {number}", *function(draw)))
problems = run_cases(run, cases)
print(len(cases), "cases of", len(LAYERS), "layers")
sys.exit("\n".join(problems) if problems else 0)
