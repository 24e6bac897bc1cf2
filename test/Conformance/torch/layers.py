# Torch ops of pooling, windows, images, searches and views, against NumPy: PyTorch's formulas. Ops
# that move elements or count, and maxima, are compared in bits. Others are compared within a
# tolerance.
# RUN: %python %s %tools_dir %t
import itertools
import pathlib
import sys

import numpy as np
from conformance import torch_modules
from conformance.torch_modules import Module

Module.tools, Module.work = map(pathlib.Path, sys.argv[1:])
Module.work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(2)
f32, f64, i32, i64 = np.float32, np.float64, np.int32, np.int64
nan, inf = np.nan, np.inf
near = 2e-6


def floats(*shape):
    return random.standard_normal(shape).astype(f32)


def give(module, what, op, arguments, *expected, tolerance=0):
    expected = [np.asarray(e) for e in expected]
    values = module.call(op, *arguments, results=[(e.shape, e.dtype) for e in expected])
    for index, (value, result) in enumerate(zip(values, expected, strict=True)):
        module.give(f"{what}, result {index}", value, result, tolerance)


# ---- Pooling ----


def windows(size, count):
    """The windows of PyTorch's adaptive pooling."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def adaptive(x, sizes):
    """The maxima, the indices of their first occurrence in the image of a channel, and the
    means."""
    image = x.shape[2:]
    shape = (*x.shape[:2], *sizes)
    maxima, indices, means = np.empty(shape, f32), np.empty(shape, i64), np.empty(shape, f32)
    numbers = np.arange(np.prod(image)).reshape(image)
    axes = [windows(size, count) for size, count in zip(image, sizes, strict=True)]
    for place in itertools.product(*map(range, sizes)):
        window = tuple(slice(*axes[axis][i]) for axis, i in enumerate(place))
        part = x[(slice(None), slice(None), *window)].reshape(*x.shape[:2], -1)
        best = np.argmax(part, -1)
        maxima[(slice(None), slice(None), *place)] = part.max(-1)
        indices[(slice(None), slice(None), *place)] = numbers[window].reshape(-1)[best]
        means[(slice(None), slice(None), *place)] = part.astype(f64).mean(-1)
    return maxima, indices, means


image, volume = floats(2, 3, 7, 9), floats(1, 2, 5, 4, 3)
image[0, 0, 2, 3], image[0, 1, 1] = inf, image[0, 1, 1, 0]
module = Module(image, volume, floats(2, 3, 7))
for sizes in ([3, 4], [10, 4], [7, 3], [1, 1]):
    maxima, indices, means = adaptive(image, sizes)
    give(module, f"maxima {sizes}", "aten.adaptive_max_pool2d", ["%arg0", sizes], maxima, indices)
    give(module, f"means {sizes}", "aten._adaptive_avg_pool2d", ["%arg0", sizes], means, tolerance=near)  # fmt: skip
maxima, indices, means = adaptive(volume, [2, 3, 3])
give(module, "volumes", "aten.adaptive_max_pool3d", ["%arg1", [2, 3, 3]], maxima, indices)
give(module, "volumes", "aten._adaptive_avg_pool3d", ["%arg1", [2, 3, 3]], means, tolerance=near)
maxima, indices, _ = adaptive(module.arrays[2], [4])
give(module, "rows", "aten.adaptive_max_pool1d", ["%arg2", [4]], maxima, indices)
module.check("adaptive")


def pool(x, kernel, stride, pad):
    """The windows along the last axis, padded with -inf, and their indices; -1 in the padding."""
    count = len(kernel)
    low = [(0, 0), (0, 0)] + [(p, p) for p in pad]
    padded = np.pad(x, low, constant_values=-inf)
    numbers = np.pad(np.arange(np.prod(x.shape[2:])).reshape(x.shape[2:]), low[2:], constant_values=-1)  # fmt: skip
    step = (slice(None), slice(None), *(slice(None, None, s) for s in stride))
    view = np.lib.stride_tricks.sliding_window_view
    values = view(padded, kernel, tuple(range(2, 2 + count)))[step]
    places = view(numbers, kernel, tuple(range(count)))[step[2:]]
    return values.reshape(*values.shape[: 2 + count], -1), places.reshape(*places.shape[:count], -1)


def maxima(x, kernel, stride, pad):
    values, places = pool(x, kernel, stride, pad)
    best = np.argmax(values, -1)
    chosen = np.broadcast_to(places, values.shape)
    return values.max(-1), np.take_along_axis(chosen, best[..., None], -1)[..., 0].astype(i64)


module = Module(image, volume)
give(module, "maxima", "aten.max_pool2d_with_indices", ["%arg0", [3, 2], [2, 1], [1, 1]], *maxima(image, (3, 2), (2, 1), (1, 1)))  # fmt: skip
give(module, "volume", "aten.max_pool3d_with_indices", ["%arg1", [2], [], [0]], *maxima(volume, (2, 2, 2), (2, 2, 2), (0, 0, 0)))  # fmt: skip
values, _ = pool(volume, (2, 2, 1), (2, 1, 1), (0, 0, 0))
give(module, "means", "aten.avg_pool3d", ["%arg1", [2, 2, 1], [2, 1, 1]], values.astype(f64).mean(-1).astype(f32), tolerance=near)  # fmt: skip
# Columns are windows, rows are their elements.
padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (0, 0)))
columns = [padded[:, :, y : y + 7 : 2, x : x + 8 : 1] for y in (0, 2) for x in (0, 1)]
columns = np.stack(columns, 2).reshape(2, 12, -1)
give(module, "columns", "aten.im2col", ["%arg0", [2, 2], [2, 1], [1, 0], [2, 1]], columns)
module.check("windows")


# ---- Images ----


def nearest(size, count, scale, offset):
    position = (np.arange(count, dtype=f32) + f32(offset)) * f32(scale)
    return np.minimum(np.floor(position).astype(i64), size - 1)


def resample(x, sizes, filter, support, scales=None):
    """Separable interpolation with antialiasing, as PIL and PyTorch compute it."""
    for axis, count in zip((2, 3), sizes, strict=True):
        size = x.shape[axis]
        scale = size / count
        stretch = max(scale, 1)
        matrix = np.zeros((count, size))
        for i in range(count):
            center = (i + 0.5) * scale
            first = max(int(center - support * stretch + 0.5), 0)
            last = min(int(center + support * stretch + 0.5), size)
            weights = filter((np.arange(first, last) - center + 0.5) / stretch)
            matrix[i, first:last] = weights / weights.sum()
        x = np.moveaxis(np.tensordot(matrix, x.astype(f64), (1, axis)), 0, axis)
    return x.astype(f32)


def linear(x):
    return np.maximum(1 - np.abs(x), 0)


def cubic(x, a=-0.5):
    x = np.abs(x)
    inner = ((a + 2) * x - (a + 3)) * x * x + 1
    outer = (((x - 5) * x + 8) * x - 4) * a
    return np.where(x < 1, inner, np.where(x < 2, outer, 0))


module = Module(image, volume, floats(2, 3, 7))
rows, columns = nearest(7, 10, f32(7) / f32(10), 0), nearest(9, 5, f32(9) / f32(5), 0)
give(module, "nearest", "aten.upsample_nearest2d.vec", ["%arg0", [10, 5], None], image[:, :, rows][..., columns])  # fmt: skip
rows, columns = nearest(7, 10, 1 / 1.5, 0), nearest(9, 18, 1 / 2.1, 0)
give(module, "factors", "aten.upsample_nearest2d.vec", ["%arg0", None, [1.5, 2.1]], image[:, :, rows][..., columns])  # fmt: skip
rows, columns = nearest(7, 10, f32(7) / f32(10), 0.5), nearest(9, 5, f32(9) / f32(5), 0.5)
give(module, "exact", "aten._upsample_nearest_exact2d.vec", ["%arg0", [10, 5], None], image[:, :, rows][..., columns])  # fmt: skip
give(module, "row", "aten.upsample_nearest1d.vec", ["%arg2", [5], None], module.arrays[2][..., nearest(7, 5, f32(7) / f32(5), 0)])  # fmt: skip
places = [nearest(size, 2 * size, 0.5, 0) for size in volume.shape[2:]]
give(module, "volume", "aten.upsample_nearest3d.vec", ["%arg1", None, [2.0, 2.0, 2.0]], volume[:, :, places[0]][..., places[1], :][..., places[2]])  # fmt: skip
finite = floats(1, 2, 7, 9)
module.check("nearest")
module = Module(finite)
for sizes in ([10, 5], [3, 20]):
    given = ["%arg0", sizes, False]
    give(module, f"linear {sizes}", "aten._upsample_bilinear2d_aa", given, resample(finite, sizes, linear, 1), tolerance=1e-5)  # fmt: skip
    give(module, f"cubic {sizes}", "aten._upsample_bicubic2d_aa", given, resample(finite, sizes, cubic, 2), tolerance=1e-5)  # fmt: skip
module.check("antialias")


# ---- Views ----

matrix, cube = floats(5, 8), floats(2, 4, 7, 9)
module = Module(matrix, cube)
give(module, "diagonal", "aten.diagonal", ["%arg0", 1, 0, 1], np.diagonal(matrix, 1, 0, 1).copy())
give(module, "diagonals", "aten.diagonal", ["%arg1", -1, 1, -1], np.diagonal(cube, -1, 1, 3).copy())
give(module, "no diagonal", "aten.diagonal", ["%arg0", -5], np.zeros((0,), f32))
view = np.lib.stride_tricks.sliding_window_view
give(module, "unfold", "aten.unfold", ["%arg0", 1, 3, 2], view(matrix, 3, 1)[:, ::2].copy())
give(module, "unfold 2", "aten.unfold", ["%arg1", 2, 4, 3], view(cube, 4, 2)[:, :, ::3].copy())
strided = np.lib.stride_tricks.as_strided(matrix[0, 1:], (4, 3), (8, 4))
give(module, "as_strided", "aten.as_strided", ["%arg0", [4, 3], [2, 1], 1], strided.copy())
cropped = np.pad(cube[:, :, :-1, 1:], ((0, 0), (0, 0), (0, 0), (0, 2)), constant_values=1.5)
give(module, "negative pads", "aten.constant_pad_nd", ["%arg1", [-1, 2, 0, -1], 1.5], cropped)
give(module, "copy", "aten.copy", ["%arg0", np.arange(8.0), False], np.broadcast_to(np.arange(8, dtype=f32), (5, 8)).copy())  # fmt: skip
give(module, "fill", "aten.fill.Scalar", ["%arg0", 2.5], np.full((5, 8), 2.5, f32))
give(module, "tril_indices", "aten.tril_indices", [3, 4, 1, 4], np.array(np.tril_indices(3, 1, 4)))
give(module, "triu_indices", "aten.triu_indices", [4, 3, -1, 4], np.array(np.triu_indices(4, -1, 3)))  # fmt: skip
give(module, "eye", "aten.eye.m", [4, 6, 6], np.eye(4, 6, dtype=f32))
give(module, "square eye", "aten.eye", [3, 4], np.eye(3, dtype=i64))
give(module, "arange", "aten.arange.start_step", [0, 0.7, 0.1, 6], np.float64(np.arange(7) * 0.1).astype(f32))  # fmt: skip
step = (f32(2.7) - f32(-3)) / f32(7)
line = [f32(-3) + step * f32(i) if i < 4 else f32(2.7) - step * f32(7 - i) for i in range(8)]
give(module, "linspace", "aten.linspace", [-3.0, 2.7, 8, 6], f32(line))
counts = np.array([1, 0, 2, 3, 1])
give(module, "repeats", "aten.repeat_interleave.Tensor", [counts, 7], np.repeat(np.arange(5), counts))  # fmt: skip
module.check("views")


# ---- Searches and scatters ----

wide = floats(5, 8)
wide[0, 0], wide[0, 1], wide[1, 0], wide[1, 1] = nan, inf, -inf, -0.0
ordered, bounds = np.sort(matrix, 1), f32([-1, 0, 0.5, 1])
module = Module(matrix, wide, ordered, matrix > 0)
third = np.argsort(matrix, 1)[:, 2]
values = np.take_along_axis(matrix, third[:, None], 1)
give(module, "kthvalue", "aten.kthvalue", ["%arg0", 3, 1, True], values, third[:, None])
give(module, "kthvalue 0", "aten.kthvalue", ["%arg0", 1, 0], matrix.min(0), matrix.argmin(0))
for right, side in ((False, "left"), (True, "right")):
    found = [np.searchsorted(row, key, side) for row, key in zip(ordered, wide, strict=True)]
    give(module, f"searchsorted {side}", "aten.searchsorted.Tensor", ["%arg2", "%arg1", False, False, side], np.array(found))  # fmt: skip
    found = np.searchsorted(bounds, wide, side).astype(i32)
    give(
        module, f"bucketize {side}", "aten.bucketize.Tensor", ["%arg1", bounds, True, right], found
    )
places = np.array([[0, 2, 0], [1, 1, 1]])
for reduction, function, start in (("sum", np.add, 0), ("prod", np.multiply, 1), ("mean", np.add, 0), ("amax", np.maximum, -inf), ("amin", np.minimum, inf)):  # fmt: skip
    for keeps in (True, False):
        expected, number = matrix.copy(), np.ones_like(matrix) * keeps
        if not keeps:
            np.put_along_axis(expected[:2], places, f32(start), 1)
        for row, column in np.ndindex(places.shape):
            to = row, places[row, column]
            expected[to] = function(expected[to], ordered[row, column])
            number[to] += 1
        if reduction == "mean":
            expected /= np.maximum(number, 1)
        give(module, f"{reduction} {keeps}", "aten.scatter_reduce.two", ["%arg0", 1, places, "%arg2", reduction, keeps], expected)  # fmt: skip
mask = matrix > 0
written = matrix.copy()
written[mask] = wide.reshape(-1)[: mask.sum()]
give(module, "masked_scatter", "aten.masked_scatter", ["%arg0", "%arg3", "%arg1"], written)
module.check("searches")


# ---- Elementwise and norms ----

other = floats(5, 8)
zeros = f32([0, -0.0, 0, -0.0, 1, -1, inf, -inf]), f32([0, 0, -0.0, -0.0, 0, 0, -inf, inf])
lhs, rhs = np.vstack([wide, zeros[0]]), np.vstack([other, zeros[1]])
module = Module(lhs, rhs, matrix, other)
with np.errstate(all="ignore"):
    give(module, "atan2", "aten.atan2", ["%arg0", "%arg1"], np.arctan2(lhs, rhs), tolerance=near)
    sums = np.logaddexp(lhs.astype(f64), rhs).astype(f32)
    give(module, "logaddexp", "aten.logaddexp", ["%arg0", "%arg1"], sums, tolerance=near)
    equal = np.where(lhs == 0, lhs + rhs, lhs)
    highest = np.where(lhs == rhs, equal, np.fmax(lhs, rhs))
    equal = np.where(lhs == 0, -(-lhs - rhs), lhs)
    lowest = np.where(lhs == rhs, equal, np.fmin(lhs, rhs))
give(module, "fmax", "aten.fmax", ["%arg0", "%arg1"], highest)
give(module, "fmin", "aten.fmin", ["%arg0", "%arg1"], lowest)
give(module, "lerp", "aten.lerp.Scalar", ["%arg2", "%arg3", 0.3], matrix + (other - matrix) * f32(0.3))  # fmt: skip
give(module, "lerp from the end", "aten.lerp.Scalar", ["%arg2", "%arg3", 0.8], other - (other - matrix) * (1 - f32(0.8)))  # fmt: skip
cumulative = np.logaddexp.accumulate(matrix.astype(f64), 1).astype(f32)
give(module, "logcumsumexp", "aten.logcumsumexp", ["%arg2", 1], cumulative, tolerance=near)
for order in (inf, -inf, 0.0, 3.0):
    expected = np.linalg.norm(matrix.astype(f64), order, axis=1).astype(f32)
    give(module, f"norm {order}", "aten.linalg_vector_norm", ["%arg2", order, [1], False, None], expected, tolerance=near)  # fmt: skip
groups = cube.astype(f64).reshape(2, 2, -1)
mean, variance = groups.mean(2), groups.var(2)
normal = ((groups - mean[..., None]) / np.sqrt(variance + 1e-5)[..., None]).reshape(cube.shape)
module.check("elementwise")
module = Module(cube)
give(module, "groups", "aten.native_group_norm", ["%arg0", None, None, 2, 4, 63, 2, 1e-5], normal.astype(f32), mean.astype(f32), (1 / np.sqrt(variance + 1e-5)).astype(f32), tolerance=1e-5)  # fmt: skip
module.check("groups")
print(f"{torch_modules.checked} elements equal")
