# Torch ops of attention, sorting, indexing and torchao's affine quantization, against NumPy: PyTorch's formulas, in the types in
# which it computes them. Softmax is compared within a tolerance, all else in bits.
# RUN: %python %s %tools_dir %t
import pathlib
import sys

import ml_dtypes
import numpy as np
from conformance import torch_modules
from conformance.torch_modules import NAMES, Module, name

Module.tools, Module.work = map(pathlib.Path, sys.argv[1:])
Module.work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(1)
f32, f64, i32, i64 = np.float32, np.float64, np.int32, np.int64
bf16 = ml_dtypes.bfloat16
nan, inf = np.nan, np.inf


def floats(*shape):
    return random.standard_normal(shape).astype(f32)


def call(module, op, *arguments, results, operator=False):
    return module.call(
        op, *arguments, results=[(r.shape, r.dtype) for r in results], operator=operator
    )


def one(what, op, arrays, arguments, *expected, tolerance=0, operator=False):
    """Checks the results of one op."""
    module = Module(*arrays)
    values = call(module, op, *arguments, results=expected, operator=operator)
    for index, (value, result) in enumerate(zip(values, expected, strict=True)):
        module.give(f"result {index}", value, result, tolerance)
    module.check(what)


# ---- Attention ----


def attend(q, k, v, mask=None, scale=None, causal=False):
    q, k, v = (x.astype(f64) for x in (q, k, v))
    if k.ndim > 2 and k.shape[-3] != q.shape[-3]:
        k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        mask = np.tril(np.ones(scores.shape[-2:], bool))
    if mask is not None:
        scores = np.where(mask, scores, -inf) if mask.dtype == bool else scores + mask
    highest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(highest), 0, highest))
    total = weights.sum(-1, keepdims=True)
    # Without a key, the result is 0.
    return np.divide(weights, total, out=np.zeros_like(weights), where=total != 0) @ v


SDPA = "aten.scaled_dot_product_attention"
FLASH = "aten._scaled_dot_product_flash_attention_for_cpu"
q, k, v = floats(2, 4, 5, 8), floats(2, 4, 7, 8), floats(2, 4, 7, 6)
mask = random.random((2, 1, 5, 7)) > 0.4
mask[0, 0, 2] = False
bias = np.where(mask, floats(2, 1, 5, 7), f32(-inf))
near = 1e-5
one(
    "attention",
    SDPA,
    (q, k, v),
    ["%arg0", "%arg1", "%arg2"],
    attend(q, k, v).astype(f32),
    tolerance=near,
)
one(
    "causal",
    SDPA,
    (q, k, v),
    ["%arg0", "%arg1", "%arg2", None, 0.0, True],
    attend(q, k, v, causal=True).astype(f32),
    tolerance=near,
)
one(
    "scale",
    SDPA,
    (q, k, v),
    ["%arg0", "%arg1", "%arg2", None, 0.0, False, 0.7],
    attend(q, k, v, scale=0.7).astype(f32),
    tolerance=near,
)
one(
    "mask",
    SDPA,
    (q, k, v, mask),
    ["%arg0", "%arg1", "%arg2", "%arg3"],
    attend(q, k, v, mask).astype(f32),
    tolerance=near,
)
one(
    "bias",
    SDPA,
    (q, k, v, bias),
    ["%arg0", "%arg1", "%arg2", "%arg3"],
    attend(q, k, v, bias).astype(f32),
    tolerance=near,
)
fewer = k[:, :2].copy(), v[:, :2].copy()
one(
    "groups",
    SDPA,
    (q, *fewer),
    ["%arg0", "%arg1", "%arg2", None, 0.0, False, None, True],
    attend(q, *fewer).astype(f32),
    tolerance=near,
)
narrow = [x.astype(bf16) for x in (q, k, v)]
one(
    "bf16",
    SDPA,
    narrow,
    ["%arg0", "%arg1", "%arg2"],
    attend(*narrow).astype(f32).astype(bf16),
    tolerance=0.01,
)
module = Module(q, k, v)
value = module.call(
    FLASH,
    "%arg0",
    "%arg1",
    "%arg2",
    0.0,
    True,
    None,
    None,
    results=[((2, 4, 5, 6), f32), ((2, 4, 5), f32)],
)[0]
module.give("flash", value, attend(q, k, v, causal=True).astype(f32), near)
module.check("flash")


# ---- Extrema and sorting ----

ties = f32(
    [
        [1, 3, 3, 2, nan, 5, 5, -1],
        [0, -0.0, 0, -1, -1, 2, 2, -0.0],
        [inf, 1, inf, 2, nan, -5, -inf, nan],
    ]
)
first = [np.argmax(ties, 1), np.argmin(ties, 1)]
one("argmax", "aten.argmax", (ties,), ["%arg0", 1, False], first[0])
one("argmin keepdim", "aten.argmin", (ties,), ["%arg0", -1, True], first[1][:, None])
one("argmax of all", "aten.argmax", (ties,), ["%arg0", None, False], np.asarray(np.argmax(ties)))
for op, index in (("aten.max.dim", first[0]), ("aten.min.dim", first[1])):
    values = np.take_along_axis(ties, index[:, None], 1)
    one(op, op, (ties,), ["%arg0", 1, True], values, index[:, None])
    one(op + " without axis", op, (ties,), ["%arg0", 1, False], values[:, 0], index)
# NaN is larger than any number. The first of equal elements comes first.
order = np.argsort(ties, 1, kind="stable")
one(
    "sort",
    "aten.sort.stable",
    (ties,),
    ["%arg0", True, 1, False],
    np.take_along_axis(ties, order, 1),
    order,
)
key = np.where(np.isnan(ties), inf, ties) + 0.0
down = np.lexsort((np.broadcast_to(np.arange(8), ties.shape), -key, ~np.isnan(ties)), 1)
one("argsort", "aten.argsort", (ties,), ["%arg0", 1, True], down)
distinct = floats(4, 10)
best = np.argsort(-distinct, 1)[:, :3]
one(
    "topk",
    "aten.topk",
    (distinct,),
    ["%arg0", 3, -1, True, True],
    np.take_along_axis(distinct, best, 1),
    best,
)
least = np.argsort(distinct, 0)[:2]
one(
    "topk smallest",
    "aten.topk",
    (distinct,),
    ["%arg0", 2, 0, False, True],
    np.take_along_axis(distinct, least, 0),
    least,
)
# f32 is accumulated in f64.
many = floats(3, 50)
one(
    "cumsum", "aten.cumsum", (many,), ["%arg0", 1, None], np.cumsum(many.astype(f64), 1).astype(f32)
)
flags = random.integers(0, 2, (3, 6))
one("cumsum of integers", "aten.cumsum", (flags,), ["%arg0", -1, None], np.cumsum(flags, 1))


# ---- Indexing ----

table, where = floats(5, 6), np.array([[1], [4]])
one(
    "index",
    "aten.index.Tensor",
    (table, np.array([1, 4, -1])),
    ["%arg0", ["%arg1"]],
    table[[1, 4, -1]],
)
one(
    "index of axis 1",
    "aten.index.Tensor",
    (table, np.array([1, 4])),
    ["%arg0", [None, "%arg1"]],
    table[:, [1, 4]],
)
columns = np.array([0, 2])
one(
    "index of both",
    "aten.index.Tensor",
    (table, where, columns),
    ["%arg0", ["%arg1", "%arg2"]],
    table[where, columns],
)
cube = floats(3, 4, 5)
one(
    "index apart",
    "aten.index.Tensor",
    (cube, columns, np.array([3, 1])),
    ["%arg0", ["%arg1", None, "%arg2"]],
    cube[columns, :, [3, 1]],
)
one(
    "index inside",
    "aten.index.Tensor",
    (cube, columns, np.array([3, 1])),
    ["%arg0", [None, "%arg1", "%arg2"]],
    cube[:, columns, [3, 1]],
)
rows = np.array([1, 4, 1])
updates = floats(3, 6)
written, summed = table.copy(), table.copy()
written[[1, 4]] = updates[:2]
np.add.at(summed, rows, updates)
one(
    "index_put",
    "aten.index_put",
    (table, np.array([1, 4]), updates[:2].copy()),
    ["%arg0", ["%arg1"], "%arg2", False],
    written,
)
one(
    "index_put sums",
    "aten.index_put",
    (table, rows, updates),
    ["%arg0", ["%arg1"], "%arg2", True],
    summed,
)
one(
    "index_add", "aten.index_add", (table, rows, updates), ["%arg0", 0, "%arg1", "%arg2", 1], summed
)
apart = cube.copy()
apart[columns, :, [3, 1]] = f32(7)
one(
    "index_put apart",
    "aten.index_put",
    (cube, columns, np.array([3, 1]), np.full((1,), 7, f32)),
    ["%arg0", ["%arg1", None, "%arg2"], "%arg3"],
    apart,
)
masked = np.where(table > 0, f32(2), table)
one(
    "index_put of a mask",
    "aten.index_put",
    (table, table > 0, f32(2)),
    ["%arg0", ["%arg1"], "%arg2"],
    masked,
)
cache, new = floats(2, 2, 9, 4), floats(2, 2, 1, 4)
filled = cache.copy()
filled[:, :, 3:4] = new
one("cache", "aten.index_copy", (cache, np.array([3]), new), ["%arg0", 2, "%arg1", "%arg2"], filled)
sliced = cache.copy()
sliced[:, :, 2:3] = new
one("slice_scatter", "aten.slice_scatter", (cache, new), ["%arg0", "%arg1", 2, 2, 3, 1], sliced)
one(
    "select_scatter",
    "aten.select_scatter",
    (cache, new[:, :, 0].copy()),
    ["%arg0", "%arg1", 2, -7],
    sliced,
)
some = np.array([[0, 2], [1, 4], [3, 0]])
part = table[:3].copy()
one(
    "gather",
    "aten.gather",
    (part, some),
    ["%arg0", 1, "%arg1", False],
    np.take_along_axis(part, some, 1),
)
source = floats(3, 4)
for op, function, extra in (
    ("aten.scatter.src", None, []),
    ("aten.scatter_add", np.add, []),
    ("aten.scatter_reduce.two", np.maximum, ["amax", True]),
):
    expected = part.copy()
    for row in range(3):
        for column in range(2):
            to = some[row, column]
            new_value = source[row, column]
            expected[row, to] = function(expected[row, to], new_value) if function else new_value
    one(op, op, (part, some, source), ["%arg0", 1, "%arg1", "%arg2", *extra], expected)
one("roll", "aten.roll", (table,), ["%arg0", [2, -1], [0, 1]], np.roll(table, (2, -1), (0, 1)))
one("roll of all", "aten.roll", (table,), ["%arg0", [7], []], np.roll(table, 7))
one("flip", "aten.flip", (table,), ["%arg0", [0, -1]], table[::-1, ::-1].copy())
one("triu", "aten.triu", (table,), ["%arg0", 1], np.triu(table, 1))
one(
    "one_hot", "aten.one_hot", (np.array([0, 5, 2]),), ["%arg0", 6], np.eye(6, dtype=i64)[[0, 5, 2]]
)


# ---- Divisions ----

x = np.concatenate([floats(200) * 10, f32([0, -0.0, 1, -1, inf, -inf, nan, 3, -3, 0.3])])
y = np.concatenate([floats(200), f32([1, 2, 0, -0.0, 2, 3, 1, -inf, inf, 0.1])])
with np.errstate(all="ignore"):
    remainder = np.fmod(x, y)
    one("fmod", "aten.fmod.Tensor", (x, y), ["%arg0", "%arg1"], remainder)
    other = (remainder != 0) & ((y < 0) != (remainder < 0))
    one(
        "remainder",
        "aten.remainder.Tensor",
        (x, y),
        ["%arg0", "%arg1"],
        np.where(other, remainder + y, remainder),
    )
    quotient = (x - remainder) / y
    quotient = np.where(other, quotient - f32(1), quotient)
    floor = np.floor(quotient)
    floor = np.where(quotient - floor > 0.5, floor + f32(1), floor)
    floor = np.where(quotient != 0, floor, np.copysign(f32(0), x / y))
    floor = np.where(y == 0, x / y, floor).astype(f32)
    one("floor", "aten.div.Tensor_mode", (x, y), ["%arg0", "%arg1", "floor"], floor)
    one("trunc", "aten.div.Tensor_mode", (x, y), ["%arg0", "%arg1", "trunc"], np.trunc(x / y))
a, b = np.arange(-9, 9), np.resize([3, -4, 5, -7], 18)
one("floor of integers", "aten.floor_divide", (a, b), ["%arg0", "%arg1"], a // b)
one("remainder of integers", "aten.remainder.Tensor", (a, b), ["%arg0", "%arg1"], a % b)


# ---- Affine quantization of torchao ----


def spread(parameters, sizes, shape):
    """Repeats the parameters of blocks."""
    for axis, size in enumerate(sizes):
        parameters = np.repeat(parameters, size, axis)
    return parameters.reshape(shape)


def to_type(x, dtype):
    if dtype == ml_dtypes.float8_e4m3fn:
        return np.clip(x, -448, 448).astype(dtype)
    return np.where(np.isnan(x), 0, x).astype(i64).astype(dtype)


values = np.concatenate([floats(250) * 8, f32([nan, inf, -inf, 0.05, 2.5, 1e9])]).reshape(4, 64)
for sizes, dtype, low, high in (
    ((1, 32), np.int8, -128, 127),
    ((1, 64), np.uint8, None, None),
    ((4, 64), np.int8, -8, 7),
    ((2, 16), np.uint8, 0, 15),
    ((1, 1), np.int16, None, None),
    ((4, 1), np.int8, None, None),
    ((1, 32), ml_dtypes.float8_e4m3fn, None, None),
):
    for source in (f32, bf16):
        counts = [a // b for a, b in zip(values.shape, sizes, strict=True)]
        data = values.astype(source)
        scales = (random.random(counts) * 0.3 + 0.02).astype(source)
        zeros = random.integers(0, 6, counts).astype(i32)
        kind = np.dtype(dtype)
        limits = (
            (low, high)
            if low is not None
            else (-448, 448)
            if kind.itemsize == 1 and kind.kind == "V"
            else None
        )
        if limits is None:
            limits = (
                (-448, 448)
                if kind.name.startswith("float8")
                else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            )

        def rounded(x, source=source):
            return x.astype(source).astype(f32)

        s, z = (spread(p.astype(f32), sizes, values.shape) for p in (scales, zeros))
        with np.errstate(all="ignore"):
            scaled = rounded(np.rint(rounded(data.astype(f32) * rounded(1 / s))))
            whole = rounded(scaled + rounded(z))
            quantized = to_type(np.clip(whole, *rounded(np.array(limits, f32))), dtype)
            number = quantized.astype(f32)
            restored = (number - z) * s
        module = Module(data, scales)
        (made,) = module.call(
            "torchao.quantize_affine",
            "%arg0",
            list(sizes),
            "%arg1",
            zeros,
            NAMES[name(dtype)][1],
            low,
            high,
            results=[(values.shape, dtype)],
            operator=True,
        )
        module.give("quantized", made, quantized)
        if source == f32:
            (back,) = module.call(
                "torchao.dequantize_affine",
                made,
                list(sizes),
                "%arg1",
                zeros,
                NAMES[name(dtype)][1],
                low,
                high,
                6,
                results=[(values.shape, f32)],
                operator=True,
            )
            module.give("restored", back, restored)
        module.check(f"affine {sizes} {kind.name} {name(source)}")
# The domain of zero points, an operand of torchao before 0.10. Zero points of FLOAT are dequantized
# values, relative to the middle of the range. With NONE, there are none.
finite = np.where(np.isfinite(values), np.clip(values, -1000, 1000), 0).astype(f32)
for source, output in ((f32, f32), (bf16, bf16), (f32, bf16)):

    def rounded(x, source=source):
        return np.asarray(x).astype(source).astype(f32)

    low, high, sizes = 0, 15, (1, 32)
    data, middle = finite.astype(source), f32(8)
    scales = (random.random((4, 2)) * 0.3 + 0.02).astype(source)
    zeros = floats(4, 2).astype(source)
    s, z = (spread(p.astype(f32), sizes, finite.shape) for p in (scales, zeros))
    lowest = rounded(z - rounded(s * middle))
    scaled = np.rint(rounded(rounded(data.astype(f32) - lowest) / s))
    for domain, whole in (
        ("FLOAT", scaled),
        ("NONE", np.rint(rounded(data.astype(f32) * rounded(1 / s)))),
    ):
        quantized = np.clip(whole, low, high).astype(np.uint8)
        module = Module(data, scales, zeros)
        arguments = [list(sizes), "%arg1", "%arg2" if domain == "FLOAT" else None]
        arguments += [NAMES["uint8"][1], low, high, domain]
        (made,) = module.call(
            "torchao.quantize_affine",
            "%arg0",
            *arguments,
            results=[(finite.shape, np.uint8)],
            operator=True,
        )
        module.give("quantized", made, quantized)

        def to_output(x, output=output):
            return np.asarray(x).astype(output).astype(f32)

        if domain == "FLOAT":
            restored = to_output(to_output(quantized.astype(f32) - middle) * s)
            restored = to_output(restored + z)
        else:
            restored = to_output(
                rounded(quantized.astype(f32) * s)
                if source == output
                else quantized.astype(f32) * s
            )
        (back,) = module.call(
            "torchao.dequantize_affine",
            made,
            *arguments,
            NAMES[name(output)][1],
            results=[(finite.shape, output)],
            operator=True,
        )
        module.give("restored", back, restored.astype(output))
        module.check(f"domain {domain} {name(source)} {name(output)}")
finite = np.where(np.isfinite(values), np.clip(values, -1000, 1000), 0).astype(f32)
blocks = finite.reshape(4, 2, 32)
low, high = np.minimum(blocks.min(2), 0), np.maximum(blocks.max(2), 0)
tiny = np.finfo(f32).tiny
scale = np.maximum(np.maximum(-low, high) / f32(127.5), tiny)
one(
    "symmetric",
    "torchao.choose_qparams_affine",
    (finite,),
    ["%arg0", "SYMMETRIC", [1, 32], 1, None, None, None, None, 3, False],
    scale,
    np.zeros((4, 2), i32),
    operator=True,
)
larger = np.where(low / f32(-8) > high / f32(7), low / f32(-8), high / f32(7))
one(
    "without clipping",
    "torchao.choose_qparams_affine",
    (finite,),
    ["%arg0", "SYMMETRIC_NO_CLIPPING_ERR", [1, 32], 1, -8, 7, None, None, 4, True],
    np.maximum(larger, tiny),
    np.zeros((4, 2), i64),
    operator=True,
)
scale = np.maximum((high - low) / f32(255), tiny)
zero = np.clip(f32(0) - np.rint(low / scale), 0, 255).astype(i32)
one(
    "asymmetric",
    "torchao.choose_qparams_affine",
    (finite,),
    ["%arg0", "ASYMMETRIC", [1, 32], 0],
    scale,
    zero,
    operator=True,
)
print(f"{torch_modules.checked} elements equal")
