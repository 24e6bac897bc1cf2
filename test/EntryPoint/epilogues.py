# Activations, residual additions and requantization that are fused into matmuls, convolutions and
# poolings. The tensors are larger than a tile of FuseEpilogues.cpp. The values are integers and the
# scales powers of two, so that numpy computes the exact results.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root %t host --cpu host -- %clang
# RUN: %python %s %tools_dir %src_root %t threads --cpu host --threads 2 -- %clang -fopenmp
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t baseline --cpu x86-64 -- %clang %}
# RUN: %if host-avx2 %{ %python %s %tools_dir %src_root %t v3 --cpu x86-64-v3 -- %clang %}
# RUN: %if host-avx512 %{ %python %s %tools_dir %src_root %t v4 --cpu x86-64-v4 -- %clang %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t aarch64 --triple aarch64-linux-gnu --cpu neoverse-n1 -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %src_root %t riscv64 --triple riscv64-linux-gnu --cpu rv64gcv -- %clang_riscv64 -static -- %run_riscv64 %}
import itertools
import sys
from pathlib import Path

import numpy as np
from compiled_cases import Argument, Case, run, split_commands

tools, src_root, work, name, *rest = sys.argv[1:]
commands = split_commands(rest)
work = Path(work) / name
work.mkdir()
random = np.random.default_rng(47)
# ONNX's type random_floats.
NUMBERS = {"f32": 1, "ui8": 2, "i8": 3, "i32": 6, "i64": 7}
NAMES = {"float32": "f32", "uint8": "ui8", "int8": "i8", "int32": "i32", "int64": "i64"}
functions, cases = [], []


def get_type(array, is_dynamic=False):
    sizes = [
        "?" if is_dynamic and index == 0 else str(size) for index, size in enumerate(array.shape)
    ]
    return f"tensor<{'x'.join([*sizes, NAMES[array.dtype.name]])}>"


def describe(array):
    return Argument(NUMBERS[NAMES[array.dtype.name]], array.shape, array.tobytes())


class Model:
    """A function under construction, with the expected value of each SSA value."""

    def __init__(self, is_dynamic=False):
        self.is_dynamic, self.lines, self.inputs, self.values = is_dynamic, [], [], {}

    def add(self, array, text=None):
        value = f"%v{len(self.values)}"
        self.values[value] = array
        if text:
            self.lines.append(f"{value} = {text}")
        return value

    def input(self, array):
        value = self.add(array)
        self.inputs.append(value)
        return value

    def constant(self, array):
        array = np.asarray(array)
        # arith.constant accepts signless types only.
        dialect = "quant_float" if array.dtype.kind == "u" else "arith"
        return self.add(array, f"{dialect}.constant dense<{array.tolist()}> : {get_type(array)}")

    def type(self, value):
        array = self.values[value]
        return get_type(array, self.is_dynamic and array.ndim == 4 and len(array) == DYNAMIC)

    def node(self, op, opset, wanted, *operands, attributes=""):
        result = self.add(wanted)
        types = ", ".join(map(self.type, operands))
        text = f'"{op}"({", ".join(operands)}) opset {opset}{attributes} : ({types}) -> {self.type(result)}'  # fmt: skip
        self.lines.append(f"{result} = quant_float.node {text}")
        return result

    def finish(self, *results):
        symbol = f"case{len(functions)}"
        parameters = ", ".join(f"{value}: {self.type(value)}" for value in self.inputs)
        types = ", ".join(map(self.type, results))
        body = "\n".join(self.lines)
        functions.append(f"func.func @{symbol}({parameters}) -> ({types}) {{\n{body}\nreturn {', '.join(results)} : {types}\n}}\n")  # fmt: skip
        shown = "; ".join(line.split("quant_float.node ")[1][:60] for line in self.lines if "quant_float.node" in line)  # fmt: skip
        arrays = [[describe(self.values[value]) for value in values] for values in (self.inputs, results)]  # fmt: skip
        cases.append(Case(symbol, shown, *arrays))

    def conv(self, x, filters, kernel, pad=0, stride=1, group=1, bias=True, op="Conv", opset=11):
        image = self.values[x]
        small = random.integers(-3, 4, (filters, image.shape[1] // group, kernel, kernel))
        weights = small.astype(np.int8 if op == "ConvInteger" else np.float32)
        wanted = convolve(image, weights, pad, stride, group)
        operands = [x, self.constant(weights)]
        if bias and op == "Conv":
            shift = random.integers(-9, 10, filters).astype(np.float32)
            operands.append(self.constant(shift))
            wanted = wanted + shift[:, None, None]
        kind = np.int32 if op == "ConvInteger" else np.float32
        return self.node(op, opset, wanted.astype(kind), *operands, attributes=conv_attributes(pad, stride, group))  # fmt: skip

    def relu(self, x):
        return self.node("Relu", 14, np.maximum(self.values[x], np.float32(0)), x)

    def clip(self, x, low, high):
        bounds = [self.constant(np.float32(bound)) for bound in (low, high)]
        return self.node("Clip", 13, np.clip(self.values[x], np.float32(low), np.float32(high)), x, *bounds)  # fmt: skip

    def binary(self, op, x, y):
        compute = {"Add": np.add, "Mul": np.multiply}[op]
        return self.node(op, 14, compute(self.values[x], self.values[y]), x, y)


DYNAMIC = 5


def conv_attributes(pad, stride, group):
    return (
        f" attributes {{group = {group} : i64, pads = array<i64: {', '.join([str(pad)] * 4)}>, "
        f"strides = array<i64: {stride}, {stride}>}}"
    )


def convolve(image, weights, pad, stride, group):
    """Exact if the sums are integers below 2^53."""
    padded = np.pad(image.astype(np.float64), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    size = weights.shape[2]
    rows, columns = ((extent - size) // stride + 1 for extent in padded.shape[2:])
    sums = np.zeros((len(image), len(weights), rows, columns))
    each, depth = len(weights) // group, weights.shape[1]
    for i, j in itertools.product(range(size), repeat=2):
        part = padded[:, :, i : i + (rows - 1) * stride + 1 : stride, j : j + (columns - 1) * stride + 1 : stride]  # fmt: skip
        for g in range(group):
            results = slice(g * each, (g + 1) * each)
            taps = weights[results, :, i, j].astype(np.float64)
            sums[:, results] += np.einsum("nchw,fc->nfhw", part[:, g * depth : (g + 1) * depth], taps)  # fmt: skip
    return sums


def random_floats(*shape):
    return random.integers(-4, 5, shape).astype(np.float32)


def random_integers(kind, *shape):
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max + 1, shape).astype(kind)


# The convolution is a result, feeds a padded convolution, or is flattened and has elements dropped
# at the ends of its rows.
for channels, filters, height, width, kernel, pad, stride in (
    (4, 16, 64, 70, 3, 1, 1),
    (4, 18, 60, 64, 1, 0, 1),
    (2, 17, 121, 131, 3, 1, 2),
    (3, 20, 61, 62, 3, 1, 1),
    (2, 40, 48, 37, 5, 2, 1),
):
    m = Model()
    x = m.input(random_floats(1, channels, height, width))
    m.finish(m.relu(m.conv(x, filters, kernel, pad, stride)))
    m = Model()
    x = m.input(random_floats(1, channels, height, width))
    y = m.clip(m.conv(x, filters, kernel, pad, stride), -6, 7)
    m.finish(m.relu(m.conv(y, 2, 3, 1)))
    m = Model()
    x = m.input(random_floats(1, channels, height, width))
    y = m.conv(x, filters, kernel, pad, stride, bias=False)
    shift = m.constant(random.integers(-9, 10, (filters, 1, 1)).astype(np.float32))
    rest = m.input(random_floats(*m.values[y].shape))
    y = m.relu(m.binary("Add", m.binary("Mul", y, shift), rest))
    m.finish(m.conv(y, 3, 1))

# Depthwise and grouped convolutions, batches, and a dynamic batch size.
for channels, group, images, stride in ((20, 20, 1, 1), (20, 20, 1, 2), (20, 4, 1, 1), (20, 1, 3, 1), (20, 20, DYNAMIC, 1)):  # fmt: skip
    m = Model(is_dynamic=images == DYNAMIC)
    x = m.input(random_floats(images, channels, 60 * stride, 66 * stride))
    m.finish(m.clip(m.conv(x, 20, 3, 1, stride, group), -5, 8))

# The residual is also the input of the convolution, and the convolution has several uses or is a
# result.
m = Model()
x = m.relu(m.input(random_floats(1, 16, 64, 70)))
m.finish(m.relu(m.binary("Add", m.conv(x, 16, 3, 1), x)))
m = Model()
x = m.input(random_floats(1, 4, 64, 70))
y = m.conv(x, 16, 3, 1)
m.finish(m.binary("Mul", m.relu(y), m.clip(y, -3, 3)))
m = Model()
x = m.input(random_floats(1, 4, 64, 70))
y = m.conv(x, 16, 3, 1)
m.finish(m.relu(y), y)
# Equal layers that reuse the same buffers.
m = Model()
y = m.input(random_floats(1, 16, 64, 70))
for _ in range(4):
    y = m.clip(m.conv(y, 16, 3, 1), -4, 4)
m.finish(y)

# Matmuls.
for rows, depth, columns in ((40, 17, 2100), (128, 65, 1024), (3, 20, 24576), (70, 9, 2039)):
    m = Model()
    a, b = random_floats(rows, depth), random_floats(depth, columns)
    y = m.node("MatMul", 13, a @ b, m.input(a), m.input(b))
    bias = m.input(random_floats(columns))
    m.finish(m.relu(m.binary("Add", y, bias)))

# Max pooling.
x = random_floats(1, 24, 64, 66)
padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=-np.inf)
wanted = np.max([padded[:, :, i : i + 64, j : j + 66] for i in range(3) for j in range(3)], axis=0)
m = Model()
kernel = " attributes {kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}"
m.finish(m.clip(m.node("MaxPool", 12, wanted, m.input(x), attributes=kernel), -2, 3))


# Requantization with a per-tensor scale and with per-channel scales.
def requantize(sums, scales, point):
    limits = np.iinfo(point.dtype)
    scaled = np.rint(sums * scales) + float(point)
    return np.clip(scaled, limits.min, limits.max).astype(point.dtype)


for kinds, is_per_channel, (filters, height, width, kernel, pad, stride) in itertools.product(
    ((np.uint8, np.int8), (np.int8, np.int8), (np.uint8, np.uint8)),
    (False, True),
    ((24, 60, 64, 1, 0, 1), (20, 63, 65, 3, 1, 1), (18, 121, 131, 3, 1, 2)),
):
    if is_per_channel and kinds[1] is np.uint8:
        continue
    m = Model()
    x, w = (
        random_integers(kinds[0], 1, 8, height, width),
        random_integers(kinds[1], filters, 8, kernel, kernel),
    )
    p, q, r = random_integers(kinds[0]), np.zeros((), kinds[1]) if is_per_channel else random_integers(kinds[1]), random_integers(kinds[0])  # fmt: skip
    bias = random.integers(-(2**15), 2**15, filters).astype(np.int32)
    scale = np.float32(2) ** random.integers(-12, -8, filters if is_per_channel else ()).astype(
        np.float32
    )
    sums = convolve(x.astype(np.float64) - float(p), w.astype(np.float64) - float(q), pad, stride, 1)  # fmt: skip
    sums += bias[:, None, None]
    wanted = requantize(sums, scale[:, None, None] if is_per_channel else scale, r)
    one = np.float32(1)
    points = np.zeros(filters, kinds[1]) if is_per_channel else q
    operands = [m.constant(a) for a in (one, p, w, scale.astype(np.float32), points, one, r, bias)]
    y = m.node(
        "QLinearConv", 10, wanted, m.input(x), *operands, attributes=conv_attributes(pad, stride, 1)
    )
    m.finish(y)

# The same as separate ops, with an activation in between.
m = Model()
x = m.input(random_integers(np.uint8, 1, 12, 60, 64))
y = m.conv(x, 20, 3, 1, op="ConvInteger", opset=10)
y = m.node("Cast", 13, m.values[y].astype(np.float32), y, attributes=" attributes {to = 1 : i64}")
y = m.binary("Mul", y, m.constant(np.float32(2.0**-4)))
y = m.relu(y)
scale, point = np.float32(2), np.uint8(3)
wanted = requantize(m.values[y].astype(np.float64), 0.5, point)
y = m.node("QuantizeLinear", 13, wanted, y, m.constant(scale), m.constant(point))
m.finish(y)

sys.exit(run(tools, src_root, work, commands, "".join(functions), cases))
