# Matmuls and convolutions of 8-bit integers, with each dot-product instruction and without any.
# numpy computes the exact 32-bit sums in 64 bits. The values are random or extreme, and the sizes
# cover every remainder of packed operands, vectors and rows. Integer minima, maxima and sums are
# tested as well.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root %t host --cpu host -- %clang
# RUN: %python %s %tools_dir %src_root %t threads --cpu host --threads 2 -- %clang -fopenmp
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t baseline --cpu x86-64 -- %clang %}
# RUN: %if host-avx2 %{ %python %s %tools_dir %src_root %t v3 --cpu x86-64-v3 -- %clang %}
# RUN: %if host-avx512 %{ %python %s %tools_dir %src_root %t v4 --cpu x86-64-v4 -- %clang %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t aarch64 --triple aarch64-linux-gnu --cpu generic -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t dotprod --triple aarch64-linux-gnu --cpu neoverse-n1 -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t i8mm --triple aarch64-linux-gnu --cpu neoverse-v1 -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if emulator-avx10 %{ %python %s %tools_dir %src_root %t amx --triple x86_64-linux-gnu --cpu sapphirerapids -- %clang_avx10 -- %run_avx10 %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %src_root %t riscv64 --triple riscv64-linux-gnu --cpu rv64gcv -- %clang_riscv64 -static -- %run_riscv64 %}
import itertools
import re
import sys
from pathlib import Path

import numpy as np
from compiled_cases import Argument, Case, run, split_commands

tools, src_root, work, name, *rest = sys.argv[1:]
commands = split_commands(rest)
work = Path(work) / name
work.mkdir()
random = np.random.default_rng(43)
# ONNX's type numbers.
NUMBERS = {"f32": 1, "ui8": 2, "i8": 3, "i32": 6}
NAMES = {"float32": "f32", "uint8": "ui8", "int8": "i8", "int32": "i32"}
functions, cases = [], []


def get_element(array):
    return NAMES[array.dtype.name]


def describe(array):
    return Argument(NUMBERS[get_element(array)], array.shape, array.tobytes())


def get_type(array, is_dynamic=False):
    sizes = [str(size) for size in array.shape]
    if is_dynamic:
        sizes[0] = "?"
    return f"tensor<{'x'.join([*sizes, get_element(array)])}>"


def case(node, opset, inputs, constants, wanted, attributes="", is_dynamic=False):
    """`inputs` are arrays, or None for omitted inputs. Those at the indices in `constants` are
    constants of the model."""
    symbol = f"case{len(functions)}"
    parameters, lines, names, types, given = [], [], [], [], []
    for index, array in enumerate(inputs):
        if array is None:
            continue
        kind = get_type(array, is_dynamic and index == 0)
        if index in constants:
            text = str(array.tolist())
            # arith.constant accepts signless types only.
            dialect = "quant_float" if "ui" in kind else "arith"
            lines.append(f"%{index} = {dialect}.constant dense<{text}> : {kind}")
        else:
            parameters.append(f"%a{index}: {kind}")
            given.append(array)
        names.append(f"%{index}" if index in constants else f"%a{index}")
        types.append(kind)
    absent = [index for index, array in enumerate(inputs) if array is None]
    if absent:
        attributes += f" absent [{', '.join(map(str, absent))}]"
    result = get_type(wanted, is_dynamic)
    lines.append(f'%y = quant_float.node "{node}"({", ".join(names)}) opset {opset}{attributes} : ({", ".join(types)}) -> {result}')  # fmt: skip
    body = "\n".join(lines)
    functions.append(f"func.func @{symbol}({', '.join(parameters)}) -> {result} {{\n{body}\nreturn %y : {result}\n}}\n")  # fmt: skip
    shown = re.sub(r"dense<.*>", "...", body)
    cases.append(Case(symbol, shown, [*map(describe, given)], [describe(wanted)]))


def make(kind, shape, how="random"):
    limits = np.iinfo(kind)
    if how == "random":
        return random.integers(limits.min, limits.max + 1, shape).astype(kind)
    return np.full(shape, limits.min if how == "least" else limits.max, kind)


def wrap(sums):
    return (sums & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def subtract(array, point):
    return array.astype(np.int64) - (0 if point is None else point.astype(np.int64))


def matmul(kinds, sizes, constants=(), points=("", ""), how=("random", "random"), batch=(), is_dynamic=False):  # fmt: skip
    rows, depth, columns = sizes
    a = make(kinds[0], (*batch, rows, depth), how[0])
    b = make(kinds[1], (*batch, depth, columns), how[1])
    shapes = {"": None, "one": (), "each": None}
    p, q = (shapes[point] if point != "each" else (size,) for point, size in zip(points, (rows, columns), strict=True))  # fmt: skip
    p = None if p is None else make(kinds[0], p)
    q = None if q is None else make(kinds[1], q)
    left = p[:, None] if p is not None and p.ndim else p
    wanted = wrap(subtract(a, left) @ subtract(b, q))
    inputs = [a, b, p, q]
    while inputs[-1] is None:
        inputs.pop()
    case("MatMulInteger", 10, inputs, constants, wanted, is_dynamic=is_dynamic)


def conv(kinds, shape, filters, kernel, group=1, stride=1, pad=0, dilation=1, constants=(1,), points=("", ""), how=("random", "random")):  # fmt: skip
    x = make(kinds[0], shape, how[0])
    w = make(kinds[1], (filters, shape[1] // group, *kernel), how[1])
    p = make(kinds[0], ()) if points[0] else None
    q = make(kinds[1], (filters,) if points[1] == "each" else ()) if points[1] else None
    rank = len(kernel)
    padded = np.pad(subtract(x, p), [(0, 0), (0, 0), *[(pad, pad)] * rank])
    weights = subtract(w, q.reshape(-1, *[1] * (rank + 1)) if q is not None and q.ndim else q)
    sizes = [(size - dilation * (k - 1) - 1) // stride + 1 for size, k in zip(padded.shape[2:], kernel, strict=True)]  # fmt: skip
    sums = np.zeros((shape[0], filters, *sizes), np.int64)
    each = filters // group
    for tap in itertools.product(*map(range, kernel)):
        part = padded[(..., *[slice(t * dilation, t * dilation + (n - 1) * stride + 1, stride) for t, n in zip(tap, sizes, strict=True)])]  # fmt: skip
        for g in range(group):
            of_group = slice(g * w.shape[1], (g + 1) * w.shape[1])
            results = slice(g * each, (g + 1) * each)
            sums[:, results] += np.einsum("nc...,fc->nf...", part[:, of_group], weights[(results, slice(None), *tap)])  # fmt: skip
    inputs = [x, w, p, q]
    while inputs[-1] is None:
        inputs.pop()
    attributes = (
        f" attributes {{dilations = array<i64: {', '.join([str(dilation)] * rank)}>, group = {group} : i64, "
        f"pads = array<i64: {', '.join([str(pad)] * 2 * rank)}>, strides = array<i64: {', '.join([str(stride)] * rank)}>}}"
    )
    case("ConvInteger", 10, inputs, constants, wrap(sums), attributes)


U, S = np.uint8, np.int8
PAIRS = list(itertools.product((U, S), repeat=2))
# Every remainder of packed operands, rows and vectors.
for depth in (1, 2, 3, 4, 5, 7, 8, 63, 130):
    matmul(PAIRS[depth % 4], (9, depth, 37))
for columns in (1, 3, 4, 5, 15, 16, 17, 31, 33, 63, 64, 66, 127, 130):
    matmul(PAIRS[columns % 4], (6, 12, columns), points=("one", "one"))
for rows in (1, 2, 3, 4, 5, 7, 8, 33):
    matmul(PAIRS[rows % 4], (rows, 20, 48), constants=(1,))
    matmul(PAIRS[-rows % 4], (rows, 18, 19), constants=(1,), points=("one", "each"), is_dynamic=rows == 5)  # fmt: skip
# Zero points of all kinds, constant or not, with alternating signed and unsigned operands.
turns = itertools.cycle(PAIRS)
for points in itertools.product(("", "one", "each"), repeat=2):
    for constants in ((), (1,), (1, 3), (0, 1, 2, 3)):
        known = tuple(index for index in constants if index < 2 or points[index - 2])
        matmul(next(turns), (5, 10, 21), known, points)
# Convolutions of several channels, and depthwise convolutions.
for points in (("", ""), ("one", ""), ("one", "one"), ("one", "each")):
    for constants in ((1,), (1, 2, 3), ()):
        known = tuple(index for index in constants if index < 2 or points[index - 2])
        kinds = next(turns)
        conv(kinds, (2, 10, 7, 7), 6, (1, 1), constants=known, points=points)
        conv(kinds, (1, 6, 8, 11), 5, (3, 3), pad=1, constants=known, points=points)
        conv(kinds, (1, 8, 9, 10), 8, (3, 3), group=8, pad=1, constants=known, points=points)
for kinds in PAIRS:
    # The largest possible sums.
    for how in itertools.product(("least", "most"), repeat=2):
        matmul(kinds, (5, 300, 33), (), ("", ""), how)
        matmul(kinds, (40, 300, 33), (1,), ("one", "one"), how)
    matmul(kinds, (70, 530, 150), (1,), ("one", ""))
    matmul(kinds, (4, 11, 20), (), ("one", "one"), batch=(3,))
for how in itertools.product(("least", "most"), repeat=2):
    for kinds in ((U, S), next(turns)):
        conv(kinds, (1, 17, 6, 9), 5, (3, 3), pad=1, how=how, points=("one", ""))
        conv(kinds, (1, 6, 9, 9), 6, (3, 3), group=6, how=how)
# Unsigned activations, as in most models, and signed ones.
for own in (itertools.repeat((U, S)), turns):
    conv(next(own), (1, 3, 15, 16), 8, (3, 3), stride=2, pad=1, points=("one", ""))
    conv(next(own), (1, 8, 15, 16), 8, (3, 3), group=8, stride=2, pad=1, points=("one", ""))
    conv(next(own), (1, 12, 9, 9), 8, (3, 3), group=2, pad=1, points=("one", ""))
    conv(next(own), (1, 5, 40), 5, (5,), group=5, pad=2)
    conv(next(own), (1, 5, 12, 13), 5, (5, 5), group=5, pad=2, points=("one", ""))
    conv(next(own), (1, 5, 12, 13), 5, (4, 7), group=5, pad=3, points=("one", ""))
    conv(next(own), (1, 5, 12, 13), 5, (3, 2), group=5)
    conv(next(own), (1, 5, 14, 15), 5, (3, 3), group=5, dilation=2, pad=2)
    conv(next(own), (1, 9, 14, 15), 5, (3, 3), dilation=2, pad=2, stride=2, points=("one", "one"))
# Enough rows for matrix instructions, with every remainder of rows, lanes, packed operands and K
# steps.
turns = itertools.cycle(PAIRS)
depths = itertools.cycle((1, 4, 9, 13, 16, 28, 57, 60, 64, 65, 68, 71, 100, 124, 127, 132, 191, 256, 260, 277))  # fmt: skip
columns = itertools.cycle((16, 17, 31, 32, 33, 4, 46, 48, 49, 1, 63, 64, 65, 20, 70, 8, 2, 38, 35))
for rows in (16, 17, 18, 19, 21, 24, 31, 32, 33, 40, 47, 48, 49, 63, 65):
    matmul(next(turns), (rows, next(depths), next(columns)), points=("one", "") if rows % 3 == 0 else ("", ""))  # fmt: skip
    matmul(next(turns), (rows, next(depths), next(columns)), (1,), points=("each", "one") if rows % 4 == 0 else ("", ""))  # fmt: skip
for depth in (512, 530, 1023, 1024, 1030, 1300, 2059):
    matmul(next(turns), (18 if depth % 2 else 33, depth, next(columns)), (), ("one", "") if depth % 4 else ("", ""))  # fmt: skip
for kinds in PAIRS:
    conv(kinds, (1, 10, 5, 33), 18, (3, 3), pad=1, points=("one", ""))
    conv(kinds, (2, 64, 6, 19), 35, (1, 1), points=("one", "each"))
    conv(kinds, (1, 70, 7, 18), 32, (3, 3), stride=2, pad=1, points=("one", "one"))
    conv(kinds, (1, 100, 4, 18), 20, (3, 3), points=("one", ""))
    conv(kinds, (2, 62, 5, 17), 34, (1, 3), group=2, pad=1, points=("one", ""))
    conv(kinds, (1, 4, 40), 16, (5,), pad=2, dilation=2)
    matmul(kinds, (21, 77, 40), (), ("one", "one"), batch=(3,))

# Quantized tensors: the scales are powers of two, so that every step but the rounding is exact.
SCALE, RESULT_SCALE = np.float32(2**-7), np.float32(2**4)


def quantize(sums, point):
    limits = np.iinfo(point.dtype)
    scaled = np.rint(sums * (float(SCALE) ** 2 / float(RESULT_SCALE))) + point
    return np.clip(scaled, limits.min, limits.max).astype(point.dtype)


for kinds in PAIRS:
    for rows, depth, width in ((17, 68, 40), (32, 256, 32), (35, 131, 18)):
        a, b = make(kinds[0], (rows, depth)), make(kinds[1], (depth, width))
        p, q, y = make(kinds[0], ()), make(kinds[1], ()), make(kinds[0], ())
        wanted = quantize(subtract(a, p) @ subtract(b, q), y)
        case("QLinearMatMul", 10, [a, SCALE, p, b, SCALE, q, RESULT_SCALE, y], (1, 3, 4, 5, 6), wanted)  # fmt: skip
    x, w = make(kinds[0], (1, 20, 9, 17)), make(kinds[1], (24, 20, 1, 1))
    p, q, y = make(kinds[0], ()), make(kinds[1], ()), make(kinds[0], ())
    bias = random.integers(-(2**15), 2**15, 24).astype(np.int32)
    sums = np.einsum("nchw,fc->nfhw", subtract(x, p), subtract(w, q)[:, :, 0, 0])
    wanted = quantize(sums + bias[:, None, None], y)
    case("QLinearConv", 10, [x, SCALE, p, w, SCALE, q, RESULT_SCALE, y, bias], (1, 2, 3, 4, 5, 6, 7, 8), wanted)  # fmt: skip

# The loop of this reduction is not vectorized.
for size in (1, 16, 63, 130, 1000):
    floats = random.standard_normal(size).astype(np.float32)
    zeros = np.where(np.arange(size) % 3 == 0, np.float32(-0.0), np.float32(0))
    for array in (floats, zeros):
        # -0 is less than +0.
        order = np.lexsort((~np.signbit(array), array))
        case("ReduceMin", 18, [array], (), array[order[:1]])
        case("ReduceMax", 18, [array], (), array[order[-1:]])
    for kind in (np.int8, np.uint8, np.int32):
        array = make(kind, size)
        case("ReduceMin", 20, [array], (), array.min(keepdims=True))
        case("ReduceMax", 20, [array], (), array.max(keepdims=True))
    array = make(np.int32, size)
    case("ReduceSum", 13, [array], (), wrap(array.astype(np.int64).sum(keepdims=True)))
    rows = make(np.int32, (3, size))
    case("ReduceSum", 13, [rows], (), wrap(rows.astype(np.int64).sum(keepdims=True)))

sys.exit(run(tools, src_root, work, commands, "".join(functions), cases))
