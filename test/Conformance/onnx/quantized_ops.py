# Quantized ops of ONNX and com.microsoft, with random attributes, shapes and types. The outputs of
# quant-float-run equal the specified ones, computed in numpy (integers exactly, floats with the
# roundings of docs/rules.md), and those of ONNX Runtime, unless a quotient is next to a tie. If the
# order of additions is not specified, each element has an error bound from the magnitudes of its
# terms. Sizes are static and dynamic.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t 5
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import ml_dtypes
import numpy as np
import onnxruntime
from conformance.node_tests import Runner
from onnx import helper, numpy_helper

F32, F16, BF16 = np.float32, np.float16, ml_dtypes.bfloat16
MICROSOFT = "com.microsoft"
ENCODINGS = [np.uint8, np.int8]
# The relative error of a rounding to f32.
UNIT = 2.0**-24


@dataclass
class Case:
    op: str
    # None is an absent input.
    inputs: list
    # The value before it is rounded, in f64. Zero points are added after the rounding.
    value: np.ndarray
    # A bound for the error of another order of additions or of approximations, for all elements or
    # for each: 0 for exact values, None if bits are compared.
    error: float | np.ndarray | None = 0
    # Scale (1 if the value is divided already), zero point and type of the result. None for floats.
    quantized: tuple = None
    attributes: dict = field(default_factory=dict)
    domain: str = MICROSOFT
    opset: int = 21
    # Indices of the inputs that are initializers.
    constants: tuple = ()
    # Whether ONNX Runtime has a kernel with the same semantics for these types.
    is_known: bool = True
    # The sum of the magnitudes of the terms, if it is larger than that of the value: ONNX Runtime
    # rounds partial results.
    magnitude: np.ndarray | None = None

    def round(self):
        if self.quantized is None:
            return self.value
        zero_point, dtype = self.quantized
        info = np.iinfo(dtype)
        return np.clip(np.rint(self.value) + zero_point, info.min, info.max).astype(dtype)

    def find_wrong(self, got, error):
        """The index of an element that is neither the rounded value nor within `error` of a tie."""
        expected = self.round()
        if got.shape != expected.shape or got.dtype != expected.dtype:
            return f"expected {expected.dtype}{expected.shape}, but got {got.dtype}{got.shape}"
        if self.quantized is None:
            wrong = ~(np.abs(got.astype(np.float64) - expected.astype(np.float64)) <= error)
        else:
            near = np.abs(self.value - np.floor(self.value) - 0.5) <= error
            off = np.abs(got.astype(int) - expected.astype(int))
            wrong = (off > 0) & ~((off == 1) & near)
        if not wrong.any():
            return None
        place = tuple(map(int, np.argwhere(wrong)[0]))
        return (
            f"{list(place)}: expected {expected[place]} ({self.value[place]}), but got {got[place]}"
        )

    def get_peer_error(self):
        """A bound for the error of ONNX Runtime, which multiplies scales and adds zero points in
        other orders."""
        magnitude = np.abs(self.value.astype(np.float64))
        if self.magnitude is not None:
            magnitude = np.maximum(magnitude, self.magnitude)
        # A quotient may be slightly on the other side of a tie.
        least = 1e-3 if self.quantized else 0
        return np.maximum(self.error, 16 * UNIT * magnitude + least)


class Random:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def choose(self, values):
        return values[self.rng.integers(len(values))]

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def shape(self, rank, most=6):
        return tuple(self.integer(1, most) for _ in range(rank))

    def quantized(self, dtype, shape):
        info = np.iinfo(dtype)
        return self.rng.integers(info.min, info.max + 1, shape).astype(dtype)

    def floats(self, shape, dtype=F32):
        return self.rng.standard_normal(shape).astype(F32).astype(dtype)

    def scale(self, shape=(), low=0.01, high=0.1):
        return np.asarray(self.rng.uniform(low, high, shape), F32)

    def maybe(self, value):
        return value if self.rng.integers(3) else None

    def whole(self, value):
        """A scale or zero point per tensor, as a scalar or as a vector."""
        return value if self.rng.integers(2) else value.reshape(1)

    def tensor(self, dtype, shape, optional=True):
        """Quantized values, scale, optional zero point, and the dequantized values in f32."""
        quantized, scale = self.quantized(dtype, shape), self.scale()
        point = self.quantized(dtype, ())
        point = self.maybe(point) if optional else point
        return [quantized, self.whole(scale), point], dequantize(quantized, scale, point)

    def result(self, dtype, low=0.01, high=0.1, optional=True):
        scale, point = self.scale(low=low, high=high), self.quantized(dtype, ())
        point = self.maybe(point) if optional else point
        return [self.whole(scale), point], scale, (0 if point is None else int(point), dtype)


def dequantize(quantized, scale, point):
    return (quantized.astype(np.int32) - (0 if point is None else point.astype(np.int32))).astype(
        F32
    ) * scale


def bound_sum(count, magnitude):
    """An error bound for the sum of this number of terms in f32, each rounded and added in any
    order. `magnitude` is the sum of the terms' magnitudes."""
    return (count + 4) * UNIT * magnitude


def span(tensor):
    """The magnitudes of quantized values and zero point, in f64."""
    quantized, scale, point = tensor
    point = 0 if point is None else int(point.reshape(()))
    return (np.abs(quantized.astype(np.float64)) + abs(point)) * scale.reshape(())


def differ(quantized, point):
    return quantized.astype(np.int64) - (0 if point is None else point.astype(np.int64))


def broadcast(random):
    """Two shapes that broadcast."""
    shape = random.shape(random.integer(1, 4))
    other = tuple(1 if random.integer(0, 2) == 0 else n for n in shape)[
        random.integer(0, len(shape)) :
    ]
    return random.choose([(shape, other), (other, shape), (shape, shape)])


# One function for each op.


def add(random):
    dtype = random.choose(ENCODINGS)
    shapes = broadcast(random)
    (a, x), (b, y) = (random.tensor(dtype, shape) for shape in shapes)
    c, scale, quantized = random.result(dtype)
    magnitude = (span(a) + span(b)) / scale
    return Case("QLinearAdd", a + b + c, (x + y) / scale, quantized=quantized, magnitude=magnitude)


def mul(random):
    dtype = random.choose(ENCODINGS)
    shapes = broadcast(random)
    (a, _), (b, _) = (random.tensor(dtype, shape) for shape in shapes)
    c, scale, quantized = random.result(dtype)
    product = differ(a[0], a[2]) * differ(b[0], b[2])
    factor = a[1].reshape(()) * b[1].reshape(()) / scale
    return Case("QLinearMul", a + b + c, product.astype(F32) * factor, quantized=quantized)


def where(random):
    dtype = random.choose(ENCODINGS)
    shapes = broadcast(random)
    (a, x), (b, y) = (random.tensor(dtype, shape, optional=False) for shape in shapes)
    condition = random.rng.integers(0, 2, np.broadcast_shapes(*shapes)).astype(bool)
    c, scale, quantized = random.result(dtype, optional=False)
    value = np.where(condition, x, y) / scale
    return Case("QLinearWhere", [condition, *a, *b, *c], value, quantized=quantized)


def unary(random, op, function, error, result, **attributes):
    dtype = random.choose(ENCODINGS)
    a, x = random.tensor(dtype, random.shape(random.integer(1, 4)))
    c, scale, quantized = random.result(dtype, *result)
    value = function(x) / scale
    return Case(op, a + c, value, error, quantized, attributes)


def sigmoid(random):
    def function(x):
        return 1 / (1 + np.exp(-x.astype(np.float64)))

    return unary(random, "QLinearSigmoid", function, 1e-4, (0.003, 0.01))


def leaky_relu(random):
    attributes = random.choose([{}, {"alpha": 0.25}, {"alpha": -0.5}])
    alpha = F32(attributes.get("alpha", 0.01))

    def function(x):
        return np.where(x < 0, x * alpha, x)

    return unary(random, "QLinearLeakyRelu", function, 0, (0.01, 0.1), **attributes)


def softmax(random):
    dtype = random.choose(ENCODINGS)
    shape = random.shape(random.integer(1, 4))
    a, x = random.tensor(dtype, shape)
    c, scale, quantized = random.result(dtype, 0.003, 0.01, optional=False)
    opset = random.choose([9, 13])
    axis = random.integer(-len(shape), len(shape) - 1)
    matrix = x.astype(np.float64)
    if opset < 13:
        matrix = matrix.reshape(int(np.prod(shape[:axis])), -1)
    along = 1 if opset < 13 else axis
    matrix = np.exp(matrix - matrix.max(along, keepdims=True))
    value = (matrix / matrix.sum(along, keepdims=True)).reshape(shape) / scale
    # ONNX Runtime multiplies by the floor of 1 / scale.
    return Case(
        "QLinearSoftmax",
        a + c,
        value,
        1e-3,
        quantized,
        {"opset": opset, "axis": axis},
        is_known=False,
    )


def reduce_mean(random):
    dtype = random.choose(ENCODINGS)
    rank = random.integer(1, 4)
    a, x = random.tensor(dtype, random.shape(rank))
    c, scale, quantized = random.result(dtype)
    axes = sorted({random.integer(0, rank - 1) for _ in range(2)})
    keep = random.integer(0, 1)
    wide = x.astype(np.float64)
    value, magnitude = (
        terms.mean(tuple(axes), keepdims=bool(keep)) / scale for terms in (wide, np.abs(wide))
    )
    error = bound_sum(x.size // max(value.size, 1), magnitude)
    attributes = {"axes": axes, "keepdims": keep}
    return Case("QLinearReduceMean", a + c, value, error, quantized, attributes, is_known=False)


def concat(random):
    dtype = random.choose(ENCODINGS)
    shape = list(random.shape(random.integer(1, 4)))
    axis = random.integer(-len(shape), len(shape) - 1)
    c, scale, quantized = random.result(dtype, optional=False)
    inputs, parts = c, []
    for _ in range(random.integer(1, 3)):
        shape[axis] = random.integer(1, 4)
        a, x = random.tensor(dtype, tuple(shape), optional=False)
        inputs = inputs + a
        parts.append(x / scale)
    value = np.concatenate(parts, axis)
    return Case("QLinearConcat", inputs, value, quantized=quantized, attributes={"axis": axis})


def global_average_pool(random):
    dtype = random.choose(ENCODINGS)
    shape = random.shape(random.integer(3, 5))
    last = random.integer(0, 1)
    a, _ = random.tensor(dtype, shape, optional=False)
    c, scale, quantized = random.result(dtype, optional=False)
    axes = tuple(range(1, len(shape) - 1) if last else range(2, len(shape)))
    sums = differ(a[0], a[2]).sum(axes, keepdims=True).astype(F32)
    count = F32(np.prod([shape[axis] for axis in axes]))
    value = sums * (a[1].reshape(()) / (scale * count))
    return Case("QLinearGlobalAveragePool", a + c, value, 0, quantized, {"channels_last": last})


def window_axes(random, sizes, kernel, auto_pad, with_dilations):
    """Strides, dilations, and the padding of each axis, as attributes and as numbers."""
    rank = len(sizes)
    strides = [random.integer(1, 2) for _ in range(rank)]
    dilations = [random.integer(1, 2) if with_dilations else 1 for _ in range(rank)]
    attributes = {"strides": strides, "auto_pad": auto_pad}
    if with_dilations:
        attributes["dilations"] = dilations
    pads = [(0, 0)] * rank
    if auto_pad == "NOTSET":
        pads = [(random.integer(0, k - 1), random.integer(0, k - 1)) for k in kernel]
        attributes["pads"] = [p[0] for p in pads] + [p[1] for p in pads]
    elif auto_pad != "VALID":
        for i, size in enumerate(sizes):
            extent = (kernel[i] - 1) * dilations[i] + 1
            total = max((-(-size // strides[i]) - 1) * strides[i] + extent - size, 0)
            less, more = total // 2, total - total // 2
            pads[i] = (less, more) if auto_pad == "SAME_UPPER" else (more, less)
    return attributes, strides, dilations, pads


def get_windows(padded, kernel, strides, dilations):
    """The elements of all windows, with the shape (batch, channel, positions..., kernel...)."""
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    axes = tuple(range(2, padded.ndim))
    views = np.lib.stride_tricks.sliding_window_view(padded, extents, axes)
    steps = tuple(slice(None, None, s) for s in strides)
    inner = tuple(slice(None, None, d) for d in dilations)
    return views[(slice(None), slice(None), *steps, *inner)]


def average_pool(random):
    dtype = random.choose(ENCODINGS)
    rank = random.integer(1, 3)
    sizes = [random.integer(4, 7) for _ in range(rank)]
    kernel = [random.integer(1, 3) for _ in range(rank)]
    auto_pad = random.choose(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    attributes, strides, dilations, pads = window_axes(random, sizes, kernel, auto_pad, False)
    a, x = random.tensor(dtype, (2, 3, *sizes))
    c, scale, quantized = random.result(dtype)
    counts_pads, last = random.integer(0, 1), random.integer(0, 1)
    rounds_up = random.integer(0, 1) if auto_pad in ("NOTSET", "VALID") else 0
    attributes |= {
        "kernel_shape": kernel,
        "ceil_mode": rounds_up,
        "count_include_pad": counts_pads,
        "channels_last": last,
    }
    around = [(0, 0), (0, 0), *pads]
    inside = np.pad(np.ones_like(x), around, constant_values=float(counts_pads))
    beyond = [(0, 0), (0, 0)]
    if rounds_up:
        # There is one more window for remaining elements, unless it starts in the trailing padding.
        # Elements beyond that padding never count.
        for size, k, stride, (before, behind) in zip(sizes, kernel, strides, pads, strict=True):
            start = -(-(size + before + behind - k) // stride) * stride
            more = start + k - (size + before + behind)
            beyond.append((0, more if start < size + before else 0))
        inside = np.pad(inside, beyond)
        around = [tuple(np.add(a, b)) for a, b in zip(around, beyond, strict=True)]
    # There, ONNX Runtime divides by the size of the entire window, as its AveragePool did before
    # opset 19.
    is_known = not (counts_pads and rounds_up and np.any(beyond))
    along = tuple(range(-rank, 0))
    windows = get_windows(np.pad(x.astype(np.float64), around), kernel, strides, dilations)
    counts = get_windows(inside, kernel, strides, dilations).sum(along)
    value = windows.sum(along) / counts / scale
    error = bound_sum(np.prod(kernel), np.abs(windows).sum(along) / counts / scale)
    if last:
        value, error = np.moveaxis(value, 1, -1), np.moveaxis(error, 1, -1)
        a[0] = np.ascontiguousarray(np.moveaxis(a[0], 1, -1))
    return Case("QLinearAveragePool", a + c, value, error, quantized, attributes, is_known=is_known)


def quantized_operand(random, dtype, shape, axis):
    """Quantized values, scale and zero point per tensor or for each index of `axis`, and the latter
    two in a shape that broadcasts. Signed values often have 7 bits only, whose products ONNX
    Runtime adds without saturation on any CPU."""
    quantized = random.quantized(dtype, shape)
    if dtype == np.int8:
        quantized = quantized >> random.integer(0, 1)
    if axis is not None and random.integer(0, 1):
        size = shape[axis]
        scale, point = random.scale(size), random.quantized(dtype, size)
        spread = [1] * len(shape)
        spread[axis] = size
        return quantized, scale, point, scale.reshape(spread), point.reshape(spread)
    scale, point = random.scale(), random.quantized(dtype, ())
    return quantized, random.whole(scale), random.whole(point), scale, point


def matrices(random):
    rank = random.integer(2, 4)
    batch = random.shape(rank - 2, 3)
    m, k, n = random.shape(3, 9)
    return (*batch, m, k), random.choose([(k, n), (*batch, k, n)])


def has_exact_sums(left, right):
    """Whether ONNX Runtime has a kernel for these types, and adds the products of these values
    without saturation on CPUs without VNNI, too."""
    if right.dtype == np.uint8:
        return left.dtype == np.uint8
    return bool(np.all((right >= -64) & (right < 64)))


def qlinear_matmul(random):
    shapes = matrices(random)
    types = random.choose(ENCODINGS), random.choose(ENCODINGS), random.choose(ENCODINGS)
    # Row-wise parameters are for matrices only.
    rows = 0 if len(shapes[0]) == 2 else None
    columns = 1 if len(shapes[1]) == 2 else None
    a, sa, za, sa_all, za_all = quantized_operand(random, types[0], shapes[0], rows)
    b, sb, zb, sb_all, zb_all = quantized_operand(random, types[1], shapes[1], columns)
    c, scale, quantized = random.result(types[2], 0.1, 1.0, optional=False)
    sums = np.matmul(differ(a, za_all), differ(b, zb_all)).astype(F32)
    value = sums * (sa_all * sb_all / scale)
    is_known = sa.size == 1 and types[0] == types[2] and has_exact_sums(a, b)
    return Case(
        "QLinearMatMul", [a, sa, za, b, sb, zb, *c], value, 0, quantized, domain="", is_known=is_known,
        opset=random.choose([10, 21]), constants=(3, 4, 5),
    )  # fmt: skip


def qlinear_matmul_21(random):
    """float8 and other scale types. The operands are small integers, so that sums in f32 are
    exact."""
    shapes = matrices(random)
    types = [random.choose([*ENCODINGS, *FLOAT_ENCODINGS[:4]]) for _ in range(3)]
    scale_type = random.choose([F32, F16, BF16])
    numbers = [random.rng.integers(0, 9, shape) for shape in shapes]
    points = [np.zeros((), dtype) for dtype in types]
    scales = [random.scale().astype(scale_type) for _ in range(3)]
    wide = [scale.astype(F32) for scale in scales]
    value = np.matmul(*numbers).astype(F32) * (wide[0] * wide[1] / wide[2])
    inputs = []
    for factor, dtype, scale, point in zip(numbers, types, scales, points, strict=False):
        inputs += [factor.astype(dtype), scale, point]
    inputs += [scales[2], points[2]]
    if types[2] in ENCODINGS:
        return Case("QLinearMatMul", inputs, value, 0, (0, types[2]), domain="", is_known=False)
    largest = ml_dtypes.finfo(types[2]).max.astype(F32)
    value = np.minimum(value, largest).astype(types[2])
    return Case("QLinearMatMul", inputs, value, None, domain="", is_known=False)


def qlinear_conv(random):
    types = random.choose(ENCODINGS), random.choose(ENCODINGS), random.choose(ENCODINGS)
    rank = random.integer(1, 3)
    sizes = [random.integer(4, 6) for _ in range(rank)]
    kernel = [random.integer(1, 3) for _ in range(rank)]
    group, per_group, filters = random.integer(1, 2), random.integer(1, 3), random.integer(1, 3)
    auto_pad = random.choose(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    attributes, strides, dilations, pads = window_axes(random, sizes, kernel, auto_pad, True)
    dilations = attributes["dilations"] = [1] * rank if auto_pad != "NOTSET" else dilations
    if auto_pad == "NOTSET" and any(
        (k - 1) * d + 1 > s + sum(p)
        for k, d, s, p in zip(kernel, dilations, sizes, pads, strict=True)
    ):
        dilations = attributes["dilations"] = [1] * rank
    if auto_pad.startswith("SAME"):
        attributes, strides, dilations, pads = window_axes(random, sizes, kernel, auto_pad, False)
    x, sx, zx, _, zx_all = quantized_operand(random, types[0], (2, group * per_group, *sizes), None)
    outputs = group * filters
    w, sw, zw, sw_all, zw_all = quantized_operand(
        random, types[1], (outputs, per_group, *kernel), 0
    )
    c, scale, quantized = random.result(types[2], 0.1, 1.0, optional=False)
    bias = random.maybe(random.rng.integers(-9999, 9999, outputs).astype(np.int32))
    padded = np.pad(differ(x, zx_all), [(0, 0), (0, 0), *pads])
    windows = get_windows(padded, kernel, strides, dilations)
    weights = differ(w, zw_all)
    parts = []
    for g in range(group):
        own = windows[:, g * per_group : (g + 1) * per_group]
        inner = list(range(-rank, 0))
        parts.append(
            np.tensordot(own, weights[g * filters : (g + 1) * filters], ([1, *inner], [1, *inner]))
        )
    sums = np.moveaxis(np.concatenate(parts, -1), -1, 1)
    along = (1, outputs) + (1,) * rank
    if bias is not None:
        sums = sums + bias.reshape(along)
    factor = sx.reshape(()) * np.broadcast_to(sw_all.reshape(-1), outputs) / scale
    value = sums.astype(F32) * factor.reshape(along)
    attributes["group"] = group
    # ONNX Runtime requires one zero point for all channels.
    is_known = zw.size == 1 and types[0] == types[2] and has_exact_sums(x, w)
    domain = random.choose(["", MICROSOFT])
    if domain and random.integer(0, 1):
        attributes["channels_last"] = 1
        x, value = (np.ascontiguousarray(np.moveaxis(array, 1, -1)) for array in (x, value))
    return Case(
        "QLinearConv", [x, sx, zx, w, sw, zw, *c, bias], value, 0, quantized, attributes, domain,
        constants=(3, 4, 5), is_known=is_known,
    )  # fmt: skip


def matmul_to_float(random):
    shapes = matrices(random)
    types = random.choose(ENCODINGS), random.choose(ENCODINGS)
    columns = 1 if len(shapes[1]) == 2 else None
    a, sa, za, sa_all, za_all = quantized_operand(random, types[0], shapes[0], None)
    b, sb, zb, sb_all, zb_all = quantized_operand(random, types[1], shapes[1], columns)
    dtype = random.choose([F32, F32, F16])
    sa, sb, sa_all, sb_all = (s.astype(dtype) for s in (sa, sb, sa_all, sb_all))
    bias = random.maybe(random.floats(shapes[1][-1], dtype))
    # Either both operands have zero points or none.
    if random.integer(0, 2) == 0:
        za = zb = None
    sums = np.matmul(
        differ(a, None if za is None else za_all), differ(b, None if zb is None else zb_all)
    )
    value = sums.astype(F32) * (sa_all.astype(F32) * sb_all.astype(F32))
    magnitude = np.abs(value)
    if bias is not None:
        value, magnitude = value + bias.astype(F32), magnitude + np.abs(bias.astype(F32))
    return Case(
        "MatMulIntegerToFloat", [a, b, sa, sb, za, zb, bias], value.astype(dtype), 0,
        constants=(1, 3, 5), is_known=dtype == F32 and has_exact_sums(a, b), magnitude=magnitude,
    )  # fmt: skip


def dynamic_matmul(random):
    shapes = matrices(random)
    columns = 1 if len(shapes[1]) == 2 else None
    x = random.floats(shapes[0])
    b, sb, zb, sb_all, zb_all = quantized_operand(
        random, random.choose(ENCODINGS), shapes[1], columns
    )
    zb = random.maybe(zb)
    bias = random.maybe(random.floats(shapes[1][-1]))
    a, scale = quantize_dynamically(x)
    sums = np.matmul(a, differ(b, None if zb is None else zb_all))
    value = sums.astype(F32) * (scale * sb_all)
    magnitude = np.abs(value)
    if bias is not None:
        value, magnitude = value + bias, magnitude + np.abs(bias)
    return Case(
        "DynamicQuantizeMatMul", [x, b, sb, zb, bias], value, 0, constants=(1, 2, 3),
        is_known=has_exact_sums(np.uint8(), b), magnitude=magnitude,
    )  # fmt: skip


def gemm(random):
    """Quantized and float results. C is broadcast and added to the sums."""
    m, k, n = random.shape(3, 9)
    types = random.choose(ENCODINGS), random.choose(ENCODINGS)
    swapped = random.integer(0, 1), random.integer(0, 1)
    a, sa, za, sa_all, za_all = quantized_operand(random, types[0], (m, k), None)
    b, sb, zb, sb_all, zb_all = quantized_operand(random, types[1], (k, n), 1)
    alpha = random.choose([{}, {"alpha": 0.5}, {"alpha": -3.25}])
    shape = random.choose([None, (), (1,), (n,), (1, n), (m, 1), (m, n)])
    c = None if shape is None else random.rng.integers(-9999, 9999, shape).astype(np.int32)
    sums = differ(a, za_all) @ differ(b, zb_all) + (0 if c is None else c)
    factor = F32(alpha.get("alpha", 1)) * sa_all * sb_all
    inputs = [
        np.ascontiguousarray(a.T) if swapped[0] else a, sa, za,
        np.ascontiguousarray(b.T) if swapped[1] else b, sb, zb, c,
    ]  # fmt: skip
    attributes = alpha | {"transA": swapped[0], "transB": swapped[1]}
    constants = random.choose([(3, 4, 5), (3, 4, 5, 6), ()])
    # ONNX Runtime requires one shape for the scale and zero point of columns, and handles a C of
    # (1, n) as (m, 1) if those are scalars.
    is_known = has_exact_sums(a, b) and zb.shape == sb.shape
    if random.integer(0, 1):
        value = sums.astype(F32) * factor
        return Case(
            "QGemm", inputs, value, 0, None, attributes, constants=constants, is_known=is_known
        )
    result_type = random.choose(ENCODINGS)
    y, scale, quantized = random.result(result_type, 0.1, 1.0, optional=False)
    value = sums.astype(F32) * (factor / scale)
    return Case(
        "QGemm", inputs + y, value, 0, quantized, attributes, constants=constants,
        is_known=is_known and result_type == types[0],
    )  # fmt: skip


def quantize_dynamically(x):
    low, high = min(F32(0), x.min()), max(F32(0), x.max())
    scale = (high - low) / F32(255) if high > low else F32(1)
    point = np.clip(np.rint(-low / scale), 0, 255).astype(np.int64)
    return np.clip(np.rint(x / scale) + point, 0, 255).astype(np.int64) - point, scale


def dynamic_lstm(random):
    """The sequence is quantized, and so are the states of the entire batch in every step."""
    steps, batch, size, hidden = (
        random.integer(1, 4), random.integer(1, 3), random.integer(1, 6), random.integer(1, 5),
    )  # fmt: skip
    direction = random.choose(["forward", "reverse", "bidirectional"])
    count = 2 if direction == "bidirectional" else 1
    x, dtype = random.floats((steps, batch, size)), random.choose(ENCODINGS)
    weights = [random.quantized(dtype, (count, k, 4 * hidden)) >> 1 for k in (size, hidden)]
    quantization = []
    for _ in weights:
        shape = (count, 4 * hidden) if random.integer(0, 1) else (count,)
        point = np.zeros(shape, dtype) if len(shape) == 2 else random.quantized(dtype, shape)
        quantization.append((random.scale(shape, 0.001, 0.01), point))
    bias = random.maybe(random.floats((count, 8 * hidden)))
    lengths = random.maybe(random.rng.integers(1, steps + 1, batch).astype(np.int32))
    if lengths is not None:
        lengths[0] = steps
    state, cell = (random.maybe(random.floats((count, batch, hidden))) for _ in range(2))
    peepholes = random.maybe(random.floats((count, 3 * hidden)))
    attributes = {"hidden_size": hidden, "direction": direction}
    if random.integer(0, 2) == 0:
        attributes["clip"] = 0.5
    if random.integer(0, 2) == 0:
        attributes["input_forget"] = 1
    clip = attributes.get("clip", np.inf)

    def sigmoid(v):
        return 1 / (1 + np.exp(-np.clip(v, -clip, clip)))

    def tanh(v):
        return np.tanh(np.clip(v, -clip, clip))

    def multiply(rows, index, d):
        quantized, scale = quantize_dynamically(rows)
        own, point = quantization[index]
        sums = quantized @ differ(weights[index][d], point[d])
        return sums.astype(F32) * (scale * own[d])

    ends = np.full(batch, steps) if lengths is None else lengths
    value = np.zeros((steps, count, batch, hidden))
    # ONNX Runtime does not clip the input of the last activation.
    is_known = True
    for d in range(count):
        is_backward = d == 1 or direction == "reverse"
        order = np.tile(np.arange(steps)[:, None], batch)
        if is_backward:
            order = np.where(order < ends, ends - 1 - order, order)
        sequence = np.take_along_axis(x, order[:, :, None], 0)
        products = multiply(sequence.reshape(-1, size), 0, d).reshape(steps, batch, -1)
        h, c = (
            np.zeros((batch, hidden), F32) if v is None else v[d].astype(F32) for v in (state, cell)
        )
        p = np.zeros((3, hidden)) if peepholes is None else peepholes[d].reshape(3, -1)
        for step in range(steps):
            sums = (products[step] + multiply(h, 1, d)).astype(np.float64)
            if bias is not None:
                sums += bias[d, : 4 * hidden] + bias[d, 4 * hidden :]
            i, o, f, g = np.split(sums, 4, axis=1)
            i = sigmoid(i + p[0] * c)
            f = 1 - i if attributes.get("input_forget") else sigmoid(f + p[2] * c)
            new = f * c + i * tanh(g)
            out = sigmoid(o + p[1] * new) * tanh(new)
            runs = (step < ends)[:, None]
            is_known = is_known and not (runs & (np.abs(new) > clip)).any()
            h, c = np.where(runs, out, h).astype(F32), np.where(runs, new, c).astype(F32)
            place = order[step], d, np.arange(batch)
            value[place] = np.where(runs, out, 0)
    inputs = [
        x,
        *weights,
        bias,
        lengths,
        state,
        cell,
        peepholes,
        *quantization[0],
        *quantization[1],
    ]
    # A state next to a tie may be quantized to either neighbor, and the weights multiply this
    # difference.
    return Case(
        "DynamicQuantizeLSTM", inputs, value.astype(F32), 0.02, None, attributes,
        constants=random.choose([(1, 2, 8, 9, 10, 11), (1, 2, 3, 8, 9, 10, 11), ()]), is_known=is_known,
    )  # fmt: skip


def pack(quantized, bits):
    """Along the last axis, lowest bits first. The last byte may be partial."""
    per_byte = 8 // bits
    missing = -quantized.shape[-1] % per_byte
    quantized = np.pad(quantized, [(0, 0)] * (quantized.ndim - 1) + [(0, missing)])
    quantized = quantized.reshape(*quantized.shape[:-1], -1, per_byte).astype(np.uint8)
    return np.bitwise_or.reduce(quantized << (np.arange(per_byte, dtype=np.uint8) * bits), -1)


def nbits(random):
    bits, block = random.choose([2, 4, 4, 8]), random.choose([16, 32, 64])
    n, k = random.integer(1, 20), random.integer(1, 100)
    blocks = -(-k // block)
    dtype = random.choose([F32, F32, F16, BF16])
    a = random.floats((*random.shape(random.integer(0, 2), 5), k), dtype)
    quantized = random.rng.integers(0, 2**bits, (n, blocks * block))
    scales = random.scale((n, blocks)).astype(dtype)
    kind = random.choose(["none", "packed", "packed", "float"])
    points, points_all = None, np.full((n, blocks), 2.0 ** (bits - 1))
    if kind == "packed":
        points_all = random.rng.integers(0, 2**bits, (n, blocks))
        points = pack(points_all, bits)
    elif kind == "float":
        points = random.rng.uniform(0, 2**bits, (n, blocks)).astype(F32).astype(dtype)
        points_all = points
    groups = np.arange(k) // block
    g_idx = None
    if random.integer(0, 3) == 0:
        g_idx = random.rng.permutation(groups).astype(np.int32)
        groups = g_idx
    bias = random.maybe(random.floats(n, dtype))
    spread = points_all.astype(F32)[:, groups]
    difference = (quantized[:, :k] - spread).astype(F32)
    weights = difference * scales.astype(F32)[:, groups]
    value = a.astype(np.float64) @ weights.T.astype(np.float64)
    # R7 subtracts zero points of less than 8 bits by means of sums of a.
    parts = np.abs(difference) if bits == 8 else quantized[:, :k] + np.abs(spread)
    parts = parts * scales.astype(F32)[:, groups]
    magnitude = np.abs(a.astype(np.float64)) @ parts.T.astype(np.float64)
    if bias is not None:
        wide = bias.astype(np.float64)
        value, magnitude = value + wide, magnitude + np.abs(wide)
    packed = pack(quantized, bits).reshape(n, blocks, -1)
    if random.integer(0, 2) == 0:
        scales = scales.reshape(-1)
        points = None if points is None else points.reshape(-1)
    attributes = {"K": k, "N": n, "bits": bits, "block_size": block}
    # Our result and the reference value are rounded to the type. n is that of R7.
    ends = 2 * {F32: UNIT, F16: 2.0**-11, BF16: 2.0**-8}[dtype] * np.abs(value)
    error = bound_sum(max(k, 2 * 16 + k // 128 + 8), magnitude) + ends
    # ONNX Runtime has no bf16 on CPUs. It requires matrices, scales of rank 2 and a padded g_idx.
    is_known = (
        dtype == F32 and g_idx is None and kind != "float" and scales.ndim == 2 and a.ndim > 1
    )
    return Case(
        "MatMulNBits", [a, packed, scales, points, g_idx, bias], value.astype(dtype), error,
        attributes=attributes, constants=random.choose([(1, 2, 3, 4, 5), ()]), is_known=is_known,
    )  # fmt: skip


FLOAT_ENCODINGS = [
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e4m3fnuz,
    ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e5m2fnuz,
    ml_dtypes.float4_e2m1fn,
]


def gather_block(random):
    kind = random.choose(["bytes", "bytes", "int4", "uint4", "float"])
    rank = random.integer(2, 3)
    sizes = [random.integer(2, 5) for _ in range(rank)]
    bits = random.choose([2, 4, 8]) if kind == "bytes" else 4
    block = random.choose([16, 32])
    if kind == "bytes":
        gather_axis, quantize_axis = 0, rank - 1
        sizes[-1] = random.integer(1, 10) * 4
    else:
        gather_axis, quantize_axis = random.integer(0, rank - 1), random.integer(0, rank - 1)
        sizes[quantize_axis] = random.integer(1, 40)
    scale_sizes = list(sizes)
    shared = kind == "float" and random.integer(0, 1)
    if kind == "float" and random.integer(0, 2) == 0:
        block = 0
    if shared:
        scale_sizes = [1] * rank
    length = block or sizes[quantize_axis]
    scale_sizes[quantize_axis] = -(-sizes[quantize_axis] // length)
    dtype = random.choose([F32, F16, BF16])
    scales = random.scale(scale_sizes).astype(dtype)
    points = None
    if kind == "float":
        element = random.choose(FLOAT_ENCODINGS)
        data = random.floats(sizes).astype(element)
        numbers = data.astype(F32)
    else:
        low = -8 if kind == "int4" else 0
        high = 2**bits - 1 + low
        numbers = random.rng.integers(low, high + 1, sizes)
        middle = random.rng.integers(low, high + 1, scale_sizes)
        default = 2 ** (bits - 1) if kind == "bytes" else 0
        element = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4}.get(kind)
        as_stored = (lambda v: pack(v, bits)) if kind == "bytes" else (lambda v: v.astype(element))
        data = as_stored(numbers)
        points = random.maybe(as_stored(middle))
        subtracted = middle if points is not None else np.full(scale_sizes, default)
    along = np.arange(sizes[quantize_axis]) // length
    spread_to = list(sizes)
    spread = np.broadcast_to(np.take(scales, along, quantize_axis), spread_to)
    if kind != "float":
        numbers = numbers - np.take(subtracted, along, quantize_axis)
    table = (numbers.astype(F32) * spread.astype(F32)).astype(dtype)
    count = sizes[gather_axis]
    index_type = random.choose([np.int32, np.int64])
    # Some indices are out of bounds and yield zeros.
    indices = random.rng.integers(-count - 1, count + 1, random.shape(random.integer(0, 2), 4))
    indices = indices.astype(index_type)
    inside = (indices >= -count) & (indices < count)
    value = np.take(table, np.where(inside, indices, 0) % count, gather_axis)
    mask = inside.reshape((1,) * gather_axis + inside.shape + (1,) * (rank - 1 - gather_axis))
    value = np.where(mask, value, np.zeros((), dtype)).astype(dtype)
    attributes = {
        "gather_axis": random.choose([gather_axis, gather_axis - rank]),
        "quantize_axis": quantize_axis,
        "block_size": block,
        "bits": bits,
    }
    return Case(
        "GatherBlockQuantized", [data, indices, scales, points], value, 0, attributes=attributes,
        constants=random.choose([(0, 2, 3), ()]), is_known=dtype != BF16,
    )  # fmt: skip


BIT_TYPES = [
    [np.uint8, np.int8, *FLOAT_ENCODINGS[:4], ml_dtypes.float8_e8m0fnu],
    [np.uint16, np.int16, F16, BF16],
    [np.uint32, np.int32, F32],
    [np.uint64, np.int64, np.float64],
]
NIBBLES = [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float4_e2m1fn]
CRUMBS = [ml_dtypes.int2, ml_dtypes.uint2]


def bit_cast(random):
    shape = random.shape(random.integer(0, 3))
    group = random.choose([*BIT_TYPES, NIBBLES, CRUMBS, [np.bool_, *BIT_TYPES[0]]])
    source, to = random.choose(group), random.choose(group)
    if source is np.bool_ or to is np.bool_:
        quantized = random.rng.integers(0, 2, shape).astype(np.uint8)
        x = quantized.astype(source) if source is np.bool_ else quantized.view(source)
        y = quantized.astype(bool) if to is np.bool_ else quantized.view(to)
    else:
        size = np.dtype(source).itemsize
        bits = {0: 8 * size, 1: 4, 2: 2}[(group is NIBBLES) + 2 * (group is CRUMBS)]
        unsigned = np.dtype(f"u{size}")
        quantized = random.rng.integers(0, 2**bits - 1, shape, np.uint64, endpoint=True)

        def read(dtype):
            values = quantized.astype(unsigned)
            if dtype in (ml_dtypes.int4, ml_dtypes.int2):
                return (values.astype(np.int8) - (1 << bits) * (values >> (bits - 1))).astype(dtype)
            return values.view(dtype)

        x, y = read(source), read(to)
    attributes = {"to": int(helper.np_dtype_to_tensor_dtype(np.dtype(to)))}
    return Case("BitCast", [x], y, None, None, attributes, domain="", opset=26, is_known=False)


MAKERS = [
    add, mul, where, sigmoid, leaky_relu, softmax, reduce_mean, concat, global_average_pool, average_pool, qlinear_matmul, qlinear_matmul_21,
    qlinear_conv, matmul_to_float, dynamic_matmul, gemm, dynamic_lstm, nbits, gather_block, bit_cast,
]  # fmt: skip


def as_bits(array):
    """For comparisons: NaNs are equal, and unused bits of narrow integers are cleared."""
    if array.dtype in (ml_dtypes.int4, ml_dtypes.int2):
        return array.astype(np.int8)
    return np.ascontiguousarray(array).view(np.uint8)


class Models:
    """All cases of one op and opset as one model."""

    def __init__(self, cases):
        self.cases = cases

    def make(self, dynamic_sizes, writes_absent=False):
        """ONNX Runtime crashes if the zero point of QLinearSigmoid's result is not even written as
        an empty name."""
        nodes, values, initializers, outputs, arrays = [], [], [], [], []
        for n, case in enumerate(self.cases):
            names = []
            for i, array in enumerate(case.inputs):
                names.append("" if array is None else f"x{n}_{i}")
                if array is None:
                    continue
                array = np.asarray(array)
                tensor = numpy_helper.from_array(array, names[-1])
                if i in case.constants:
                    initializers.append(tensor)
                    continue
                sizes = [
                    f"s{n}_{i}_{k}" if dynamic_sizes and size > 1 else size
                    for k, size in enumerate(array.shape)
                ]
                values.append(helper.make_tensor_value_info(names[-1], tensor.data_type, sizes))
                arrays.append((names[-1], array, tensor))
            while not writes_absent and names and not names[-1]:
                names.pop()
            nodes.append(
                helper.make_node(
                    case.op, names, [f"y{n}"], name=f"n{n}", domain=case.domain, **case.attributes
                )
            )
            result = helper.np_dtype_to_tensor_dtype(case.round().dtype)
            outputs.append(helper.make_tensor_value_info(f"y{n}", result, None))
        graph = helper.make_graph(nodes, "g", values, outputs, initializers)
        opsets = [
            helper.make_opsetid("", self.cases[0].opset),
            helper.make_opsetid(MICROSOFT, 1),
        ]
        return helper.make_model(graph, opset_imports=opsets, ir_version=11), arrays


def for_runtime(case):
    """The same case for ONNX Runtime: scalars instead of vectors of one element, and explicit zero
    points where the schema makes them optional."""
    narrow = (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float4_e2m1fn)
    if case.op == "GatherBlockQuantized" and case.inputs[0].dtype in narrow:
        # The Python API accepts these types in initializers only.
        return replace(case, constants=(0, 3))
    if case.op not in ("QLinearAdd", "QLinearMul", "QLinearAveragePool"):
        return case
    inputs = [case.inputs[0]]
    for i, value in enumerate(case.inputs[1:], 1):
        if value is None:
            value = np.zeros((), case.inputs[0].dtype)
        is_tensor = i == 3 and len(case.inputs) == 8
        inputs.append(value if is_tensor else value.reshape(()))
    return replace(case, inputs=inputs)


def describe(case):
    types = ["-" if x is None else f"{np.asarray(x).dtype}{list(np.shape(x))}" for x in case.inputs]
    return f"{case.op}-{case.opset} {' '.join(types)} {case.attributes}"


def load(path, dtype):
    got = np.load(path)
    return got.view(dtype) if got.dtype != dtype and got.dtype.itemsize == dtype.itemsize else got


def run_ours(runner, cases, index, dynamic_sizes):
    model, arrays = Models(cases).make(dynamic_sizes)
    folder = runner.work / f"{index}_{int(dynamic_sizes)}"
    folder.mkdir()
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    files = []
    for name, _, tensor in arrays:
        files.append(folder / f"{name}.pb")
        files[-1].write_bytes(tensor.SerializeToString())
    failures = []
    commands = [("quant-float-run", path, "-O0", "--outputs", folder, "--inputs", *files)]
    if dynamic_sizes:
        # On a GPU, no op of these runs on the host.
        target = ("--target", "nvvm", "--chip", "sm_90", "-o", folder / "model.ptx")
        commands.append(("quant-float-compile", path, *target))
    for command in commands:
        result = runner.call(*command)
        if result.returncode != 0:
            failures.append(f"{describe(cases[0])} ...: {command[0]}: {result.stderr}")
    if failures:
        return failures
    for n, case in enumerate(cases):
        expected = case.round()
        got = load(folder / f"output_{n}.npy", expected.dtype)
        if case.error is None:
            same = got.shape == expected.shape and got.dtype == expected.dtype
            same = same and np.array_equal(as_bits(got), as_bits(expected))
            wrong = None if same else "other bits"
        else:
            wrong = case.find_wrong(got, case.error)
        if wrong:
            failures.append(f"{describe(case)}{' open' if dynamic_sizes else ''}: {wrong}")
    return failures


def run_theirs(cases):
    """One after the other, to see which cases ONNX Runtime rejects."""
    failures = []
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for case in cases:
        if not case.is_known:
            continue
        model, arrays = Models([for_runtime(case)]).make(False, writes_absent=True)
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), options)
            feed = {
                name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
                    array, tensor.data_type
                )
                for name, array, tensor in arrays
            }
            got = session.run_with_ort_values(None, feed)[0].numpy()
        except Exception as error:
            failures.append(f"{describe(case)}: ONNX Runtime: {error}")
            continue
        wrong = case.find_wrong(got, case.get_peer_error())
        if wrong:
            failures.append(f"{describe(case)}: ONNX Runtime differs: {wrong}")
    return failures


def check(task):
    runner, index, cases = task
    failures = []
    for dynamic_sizes in (False, True):
        failures += run_ours(runner, cases, index, dynamic_sizes)
    return failures + run_theirs(cases)


def main(tools_dir, work, count, only=""):
    runner = Runner(tools_dir, work)
    groups = {}
    for number, make in enumerate(MAKERS):
        for seed in range(int(count)):
            case = make(Random(1000 * number + seed))
            groups.setdefault((case.op, case.opset), []).append(case)
    tasks = [
        (runner, index, cases)
        for index, ((op, _), cases) in enumerate(groups.items())
        if only in op
    ]
    with ThreadPoolExecutor(max_workers=2) as pool:
        failures = [failure for found in pool.map(check, tasks) for failure in found]
    known = sum(case.is_known for _, _, cases in tasks for case in cases)
    print(
        f"{sum(len(t[2]) for t in tasks)} cases, {known} with ONNX Runtime, {len(failures)} failures"
    )
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
