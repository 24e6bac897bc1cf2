# Matmuls of a few rows with 8-bit, 4-bit and 2-bit weights. The results have the bits of the
# specified accumulation order (R7), which numpy computes one rounded operation after the other, on
# every machine and with threads. They are also within the error bound of R7. The same is tested for
# activations that are quantized to 16 and 8 bits (R8), with each dot-product instruction and
# without any, also for more rows.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root %t host --cpu host -- %clang
# RUN: %python %s %tools_dir %src_root %t threads --cpu host --threads 2 -- %clang -fopenmp
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t baseline --cpu x86-64 -- %clang %}
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t v2 --cpu x86-64-v2 -- %clang %}
# RUN: %if host-avx2 %{ %python %s %tools_dir %src_root %t v3 --cpu x86-64-v3 -- %clang %}
# RUN: %if host-avx512 %{ %python %s %tools_dir %src_root %t v4 --cpu x86-64-v4 -- %clang %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t aarch64 --triple aarch64-linux-gnu --cpu generic -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %src_root %t riscv64 --triple riscv64-linux-gnu --cpu rv64gcv -- %clang_riscv64 -static -- %run_riscv64 %}
# RUN: %python %s %tools_dir %src_root %t host16 --cpu host --activations int16 -- %clang
# RUN: %python %s %tools_dir %src_root %t host8 --cpu host --activations int8 -- %clang
# RUN: %python %s %tools_dir %src_root %t threads8 --cpu host --threads 2 --activations int8 -- %clang -fopenmp
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t baseline16 --cpu x86-64 --activations int16 -- %clang %}
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t baseline8 --cpu x86-64 --activations int8 -- %clang %}
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t v2i8 --cpu x86-64-v2 --activations int8 -- %clang %}
# RUN: %if host-avx2 %{ %python %s %tools_dir %src_root %t v3i16 --cpu x86-64-v3 --activations int16 -- %clang %}
# RUN: %if host-avx2 %{ %python %s %tools_dir %src_root %t v3i8 --cpu x86-64-v3 --activations int8 -- %clang %}
# RUN: %if host-avx512 %{ %python %s %tools_dir %src_root %t v4i16 --cpu x86-64-v4 --activations int16 -- %clang %}
# RUN: %if host-avx512 %{ %python %s %tools_dir %src_root %t v4i8 --cpu x86-64-v4 --activations int8 -- %clang %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t aarch64i16 --triple aarch64-linux-gnu --cpu generic --activations int16 -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t aarch64i8 --triple aarch64-linux-gnu --cpu neoverse-n1 --activations int8 -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %src_root %t riscv64i8 --triple riscv64-linux-gnu --cpu rv64gcv --activations int8 -- %clang_riscv64 -static -- %run_riscv64 %}
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
from compiled_cases import Argument, Case, run, split_commands
from fma import accumulate, fma

tools, src_root, work, name, *rest = sys.argv[1:]
options, *_ = commands = split_commands(rest)
X_BITS = 0
if "--activations" in options:
    X_BITS = int(options[options.index("--activations") + 1][len("int") :])
work = Path(work) / name
work.mkdir()
random = np.random.default_rng(41)
F32 = np.float32
PACKED = 0x100
LANES = 16
# MLIR's name: ONNX's type number, bits.
TYPES = {"f32": (1, 32), "f16": (10, 16), "ui8": (2, 8), "i8": (3, 8), "f8E4M3FN": (17, 8), "f8E5M2": (19, 8)}  # fmt: skip
TYPES |= {"ui4": (21, 4), "i4": (22, 4), "f4E2M1FN": (23, 4), "ui2": (25, 2), "i2": (26, 2), "f8E8M0FNU": (24, 8)}  # fmt: skip
FLOATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}


def pack(encodings, bits):
    """The packed bytes of the encodings, lowest bits first. The bits must fill whole bytes."""
    groups = encodings.reshape(-1, 8 // bits).astype(int)
    return (groups << (bits * np.arange(8 // bits))).sum(1).astype(np.uint8).tobytes()


class Tensor:
    def __init__(self, element, shape, data):
        self.element, self.shape, self.data = element, shape, data
        self.number, self.bits = TYPES[element]
        self.number |= PACKED if self.bits < 8 else 0
        self.type = f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"
        self.attribute = " {quant_float.packed}" if self.bits < 8 else ""

    @classmethod
    def of_floats(cls, array):
        return cls("f16" if array.dtype == np.float16 else "f32", array.shape, array.tobytes())


def make_encodings(element, shape):
    """Random encodings and the values that they represent."""
    bits = TYPES[element][1]
    encodings = random.integers(0, 1 << bits, shape, dtype=np.uint8)
    if element in FLOATS:
        if element == "f8E8M0FNU":
            encodings = random.integers(118, 132, shape, dtype=np.uint8)
        values = encodings.view(FLOATS[element]).astype(F32)
        encodings = np.where(np.isfinite(values), encodings, 0)
        values = np.where(np.isfinite(values), values, 0)
    else:
        values = encodings.astype(int)
        if element[0] == "i":
            values = np.where(values >> (bits - 1), values - (1 << bits), values)
    return Tensor(element, shape, pack(encodings, bits)), np.asarray(values, F32)


def add_along(terms):
    """Adds sequentially along the first axis."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def sum_rows(x, numbers, correction, scale, block, bits, minimum=None):
    """K-contiguous weights: x has shape (M, K), the other operands (N, K). Returns y (M, N) and the
    number of rounded operations for one element."""
    depth = x.shape[1]
    terms = 32 // bits if bits < 8 else 8 if block is None else min(block // LANES, 8)
    chunk = LANES * terms
    lane, term = np.meshgrid(np.arange(LANES), np.arange(terms))
    places = lane * terms + term if bits < 8 else lane + term * LANES
    padding = [(0, 0), (0, -depth % chunk)]
    x, numbers, scale = (np.pad(array, padding) for array in (x, numbers, scale))
    lanes = np.zeros((x.shape[0], numbers.shape[0], LANES), F32)
    for start in range(0, depth, chunk):
        at = start + places
        ours, theirs = x[:, at].transpose(1, 0, 2)[:, :, None], numbers[:, at].transpose(1, 0, 2)[:, None]  # fmt: skip
        products = list(zip(theirs, ours, strict=True))
        if correction is not None:
            padded = np.pad(correction, padding)
            products.insert(0, (padded[:, at[0]][None], add_along(list(ours))))
        total = accumulate(products)
        lanes = lanes + total if block is None else fma(scale[:, at[0]][None], total, lanes)
        if minimum is not None:
            lanes = fma(-np.pad(minimum, padding)[:, at[0]][None], add_along(list(ours)), lanes)
    sums = 1 + (correction is not None) + (minimum is not None)
    chunks = (1 if minimum is None else 2) * (depth // chunk)
    return finish_rows(lanes, scale, block), sums * terms + chunks + 8


def finish_rows(lanes, scale, block):
    while lanes.shape[2] > 1:
        half = lanes.shape[2] // 2
        lanes = lanes[:, :, :half] + lanes[:, :, half:]
    total = lanes[:, :, 0]
    if block is None:
        total = scale[None, :, 0] * total
    return F32(0) + total


def round_to_integers(x, block):
    """Quantized activations, and a scale for each block of x."""
    size = 32 if block is None or block % 32 == 0 else 16
    limit = F32((1 << (X_BITS - 1)) - 1)
    blocks = x.reshape(x.shape[0], -1, size)
    most = np.abs(blocks).max(2)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(most < 2.0**-100, F32(0), limit / most)
        numbers = np.rint(blocks * factors[:, :, None])
        scales = np.where(most < 2.0**-100, F32(0), most / limit)
    scales = np.where(np.isfinite(most), scales, F32(np.nan))
    return numbers.reshape(x.shape), np.repeat(scales, size, 1)


def sum_integer_rows(x, values, scale, block, bits, minimum=None):
    """Like sum_rows with quantized x. The values have neither offset nor zero points."""
    depth = x.shape[1]
    terms = 32 // bits
    chunk = LANES * terms
    padding = [(0, 0), (0, -depth % chunk)]
    x, values, scale = (np.pad(array, padding) for array in (x, values, scale))
    numbers, scales = round_to_integers(x, block)
    lanes = np.zeros((x.shape[0], values.shape[0], LANES), F32)
    for start in range(0, x.shape[1], chunk):
        at = start + np.arange(chunk).reshape(LANES, terms)
        exact = (numbers[:, None, at].astype(float) * values[None, :, at]).sum(3)
        # f4 values are multiples of 0.5.
        total = (2 * exact).astype(F32) * (scales[:, None, at[:, 0]] / 2)
        lanes = lanes + (total if block is None else scale[None, :, at[:, 0]] * total)
        if minimum is not None:
            whole = numbers[:, at].sum(2).astype(F32) * scales[:, at[:, 0]]
            lanes = fma(-np.pad(minimum, padding)[None, :, at[:, 0]], whole[:, None], lanes)
    rounding = np.where(np.isfinite(scales), scales, 0)[:, :depth].astype(float) / 2
    chunks = (1 if minimum is None else 2) * (depth // chunk)
    return finish_rows(lanes, scale, block), chunks + 16, rounding


def sum_panels(x, values, scale, block, minimum=None):
    """Like sum_integer_rows for more than four rows of x."""
    depth = x.shape[1]
    size = 32 if block is None or block % 32 == 0 else 16
    padding = [(0, 0), (0, -depth % size)]
    x, values, scale = (np.pad(array, padding) for array in (x, values, scale))
    numbers, scales = round_to_integers(x, block)
    result = np.zeros((x.shape[0], values.shape[0]), F32)
    for start in range(0, depth, size):
        at = slice(start, start + size)
        # f4 values are multiples of 0.5.
        exact = (2 * numbers[:, at].astype(float) @ values[:, at].T.astype(float)).astype(F32)
        factor = scales[:, start, None] / 2
        if block is not None:
            factor = factor * scale[None, :, start]
        result = fma(exact, np.broadcast_to(factor, exact.shape), result)
        if minimum is not None:
            whole = numbers[:, at].sum(1).astype(F32) * scales[:, start]
            result = fma(-np.pad(minimum, padding)[None, :, start], whole[:, None], result)
    if block is None:
        result = scale[None, :, 0] * result
    rounding = np.where(np.isfinite(scales), scales, 0)[:, :depth].astype(float) / 2
    blocks = (1 if minimum is None else 2) * -(-depth // size)
    return F32(0) + result, blocks + 4, rounding


def sum_columns(x, numbers, correction, scale, block):
    """N-contiguous weights, with the same arguments."""
    depth = x.shape[1]
    block = block or min(depth, 32)
    result = np.zeros((x.shape[0], numbers.shape[0]), F32)
    for start in range(0, depth, block):
        part = range(start, min(start + block, depth))
        total = accumulate([(x[:, k, None], numbers[None, :, k]) for k in part], result * 0)
        if correction is not None:
            whole = add_along([x[:, :1] * 0] + [x[:, k, None] for k in part])
            total = fma(correction[None, :, start], whole, total)
        result = result + scale[None, :, start] * total
    return result, block + depth // block + 4


functions, cases = [], []


def case(body, inputs, x, numbers, offset, points, scale, block, bits, is_rows, is_integer, round_to=F32, minimum=None):  # fmt: skip
    """`numbers` (N, K) are the weights before the offset and the zero points are subtracted, and
    `minimum` (N, K) is subtracted from the scaled ones."""
    correction = None
    # With one block, the scale is per channel.
    block = None if block in (0, x.shape[1]) else block
    if bits < 8:
        numbers = numbers + F32(offset)
        if points is not None or offset:
            taken = np.broadcast_to(0 if points is None else points, numbers.shape)
            correction = -(F32(offset) + taken.astype(F32))
    elif points is not None:
        numbers = numbers - points.astype(F32)
    spread = np.broadcast_to(scale, numbers.shape).astype(F32)
    ours = x.astype(F32)
    arguments = (ours, numbers, correction, spread, block)
    rounding = np.zeros(x.shape)
    if X_BITS and is_rows and is_integer:
        values = numbers if correction is None else numbers + correction
        if len(x) <= 4:
            found = sum_integer_rows(ours, values, spread, block, bits, minimum)
        else:
            found = sum_panels(ours, values, spread, block, minimum)
        wanted, operations, rounding = found
    elif is_rows:
        wanted, operations = sum_rows(*arguments, bits, minimum)
    else:
        wanted, operations = sum_columns(*arguments)
    exact = [array.astype(float) for array in (ours, numbers, spread)]
    taken = 0 if correction is None else correction.astype(float)
    less = np.zeros(numbers.shape) if minimum is None else minimum.astype(float)
    sums = exact[0] @ ((exact[1] + taken) * exact[2] - less).T
    most = np.abs(exact[0]) @ ((np.abs(exact[1]) + np.abs(taken)) * exact[2] + np.abs(less)).T
    bound = operations * 2.0**-24 * most
    bound += rounding @ (np.abs(exact[1] + taken) * exact[2] + np.abs(less)).T
    assert (np.abs(wanted - sums) <= bound).all(), body
    output = Tensor.of_floats(wanted.astype(round_to))
    symbol = f"case{len(functions)}"
    names = ", ".join(f"%{i}: {tensor.type}{tensor.attribute}" for i, tensor in enumerate(inputs))
    functions.append(f"func.func @{symbol}({names}) -> {output.type} {{\n{body}\nreturn %y : {output.type}\n}}\n")  # fmt: skip
    tensors = [Argument(tensor.number, tensor.shape, tensor.data) for tensor in (*inputs, output)]
    cases.append(Case(symbol, body, tensors[:-1], tensors[-1:]))


def dequantize_case(element, is_rows, depth, channels, vectors, block, has_points, scale_type="f32"):  # fmt: skip
    """block None is a scale for each channel, block 0 a per-tensor scale."""
    bits = TYPES[element][1]
    axis = 1 if is_rows else 0

    def turn(array):
        return array if is_rows else array.T

    weights, values = make_encodings(element, (channels, depth) if is_rows else (depth, channels))
    blocks = -(-depth // block) if block else 1
    sizes = (channels, blocks) if is_rows else (blocks, channels)
    kind, text = sizes, f"axis {axis} block_size {block} "
    if not block:
        kind, text = ((), "") if block == 0 else ((channels,), f"axis {1 - axis} ")
    if scale_type == "f32":
        scales = ((random.random(kind) + 0.5) / 64).astype(F32)
        scale = Tensor.of_floats(scales)
    else:
        scale, scales = make_encodings(scale_type, kind)

    def spread(array):
        if array.ndim < 2:
            return array.reshape(-1, 1)
        return np.repeat(turn(array), block, 1)[:, :depth]

    inputs, points = [None, weights, scale], None
    if has_points:
        zero, points = make_encodings(element, kind)
        inputs.append(zero)
        points = spread(points)
    x = random.standard_normal((vectors, depth)).astype(F32)
    inputs[0] = Tensor.of_floats(x)
    names = ", ".join(f"%{i}" for i in range(1, len(inputs)))
    types = ", ".join(tensor.type for tensor in inputs[1:])
    decoded = weights.type.replace(element, "f32")
    result = f"tensor<{vectors}x{channels}xf32>"
    node = '"Gemm"(%0, %w) opset 21 attributes {transB = 1 : i64}' if is_rows else '"MatMul"(%0, %w) opset 21'  # fmt: skip
    body = (
        f"%w = quant_float.dequantize {names} {text}opset 28 : {types} to {decoded}\n"
        f"%y = quant_float.node {node} : ({inputs[0].type}, {decoded}) -> {result}"
    )
    offset = 1 << (bits - 1) if element[0] == "i" else 6 if element[0] == "f" else 0
    case(body, inputs, x, turn(values), offset, points, spread(scales), block, bits, is_rows, element[:2] != "f8")  # fmt: skip


def packed_case(bits, depth, channels, vectors, block, has_points, element=F32):
    """MatMulNBits."""
    blocks = -(-depth // block)
    encodings = random.integers(0, 1 << bits, (channels, blocks * block), dtype=np.uint8)
    weights = Tensor("ui8", (channels, blocks, block * bits // 8), pack(encodings, bits))
    scales = ((random.random((channels, blocks)) + 0.5) / 64).astype(element)
    inputs = [None, weights, Tensor.of_floats(scales)]
    offset, points = 1 << (bits - 1), None
    if has_points:
        length = -(-blocks * bits // 8)
        points = random.integers(0, 1 << bits, (channels, length * 8 // bits), dtype=np.uint8)
        inputs.append(Tensor("ui8", (channels, length), pack(points, bits)))
        points = np.repeat(points[:, :blocks], block, 1)[:, :depth]
        offset = 0
    elif bits == 8:
        points = np.full((channels, depth), offset)
    x = random.standard_normal((vectors, depth)).astype(element)
    inputs[0] = Tensor.of_floats(x)
    names = ", ".join(f"%{i}" for i in range(len(inputs)))
    types = ", ".join(tensor.type for tensor in inputs)
    result = f"tensor<{vectors}x{channels}x{inputs[0].element}>"
    body = (
        f'%y = quant_float.node "MatMulNBits"({names}) opset 1 domain "com.microsoft" attributes '
        f"{{K = {depth} : i64, N = {channels} : i64, bits = {bits} : i64, block_size = {block} : i64}} : ({types}) -> {result}"
    )
    scale = np.repeat(scales.astype(F32), block, 1)[:, :depth]
    offset = offset if points is None else 0
    case(body, inputs, x, encodings[:, :depth].astype(F32) - F32(offset), offset, points, scale, block, bits, True, True, element)  # fmt: skip


def minimum_case(element, depth, channels, vectors, block, node="Sub", quantized_scales=False):
    """Weights with a minimum, as the formats of GGUF have them: blocks are a dimension of their own."""
    bits, blocks = TYPES[element][1], depth // block
    weights, values = make_encodings(element, (channels, blocks, block))
    inputs, lines = [None, weights], []
    parameters, names = [], []
    for name, unit in (("%s", 1 / 64), ("%m", 1 / 16)):
        shape = (channels, blocks, 1)
        if quantized_scales:  # Groups of four scales share an f16 scale.
            tensor, numbers = make_encodings("ui8", shape)
            factor = ((random.random((channels, blocks // 4, 1)) + 0.5) * unit / 256).astype(np.float16)  # fmt: skip
            inputs += [tensor, Tensor.of_floats(factor)]
            types = f"{tensor.type}, {inputs[-1].type}"
            lines.append(
                f"{name} = quant_float.dequantize %{len(inputs) - 2}, %{len(inputs) - 1} axis 1 block_size 4 "
                f"opset 28 : {types} to {tensor.type.replace('ui8', 'f32')}"
            )
            parameters.append(numbers * np.repeat(factor.astype(F32), 4, 1))
        else:
            parameters.append(((random.random(shape) + 0.5) * unit).astype(F32))
            inputs.append(Tensor.of_floats(parameters[-1]))
            name = f"%{len(inputs) - 1}"
        names.append(name)
    x = random.standard_normal((vectors, depth)).astype(F32)
    inputs[0] = Tensor.of_floats(x)
    parameter = f"tensor<{channels}x{blocks}x1xf32>"
    decoded = f"tensor<{channels}x{blocks}x{block}xf32>"
    matrix, result = f"tensor<{channels}x{depth}xf32>", f"tensor<{vectors}x{channels}xf32>"
    lines += [
        f"%q = quant_float.dequantize %1, {names[0]} axis 2 block_size {block} opset 28 : {weights.type}, {parameter} to {decoded}",
        f'%d = quant_float.node "{node}"(%q, {names[1]}) opset 21 : ({decoded}, {parameter}) -> {decoded}',
        f"%shape = arith.constant dense<[{channels}, {depth}]> : tensor<2xi64>",
        f'%w = quant_float.node "Reshape"(%d, %shape) opset 21 : ({decoded}, tensor<2xi64>) -> {matrix}',
        f'%y = quant_float.node "Gemm"(%0, %w) opset 21 attributes {{transB = 1 : i64}} : ({inputs[0].type}, {matrix}) -> {result}',
    ]
    scale, minimum = (np.repeat(each[..., 0], block, 1) for each in parameters)
    minimum = minimum if node == "Sub" else -minimum
    values = values.reshape(channels, depth)
    offset = 1 << (bits - 1) if element[0] == "i" else 0
    case("\n".join(lines), inputs, x, values, offset, None, scale, block, bits, True, True, minimum=minimum)  # fmt: skip


# f4 values are expressed as integer multiples of 0.5: encodings and offset are doubled, and the
# scale is halved. Exact results do not change.
for is_rows in (True, False):
    for element in ("i4", "ui4", "i2", "f4E2M1FN"):
        dequantize_case(element, is_rows, 256, 36, 1, 32, False)
        dequantize_case(element, is_rows, 352, 76, 2, 16, element[0] != "f")
        dequantize_case(element, is_rows, 288, 8, 1, None, element == "ui4")
        dequantize_case(element, is_rows, 128, 140, 3, 128, False)
        dequantize_case(element, is_rows, 72, 4, 1, 0, False)
    for element in ("i8", "ui8", "f8E4M3FN", "f8E5M2"):
        dequantize_case(element, is_rows, 256, 36, 1, 32, False)
        dequantize_case(element, is_rows, 333, 77, 2, None, element == "ui8")
        dequantize_case(element, is_rows, 200, 9, 4, 0, False)
        dequantize_case(element, is_rows, 160, 5, 1, 16, element == "i8")
    dequantize_case("f4E2M1FN", is_rows, 256, 36, 1, 32, False, "f8E8M0FNU")
    # Enough elements for threads.
    dequantize_case("i4", is_rows, 512, 1080, 1, 32, False)
    dequantize_case("i8", is_rows, 512, 1080, 1, None, False)
for bits in (2, 4, 8):
    packed_case(bits, 256, 36, 1, 32, False)
    packed_case(bits, 352, 9, 2, 16, True)
    packed_case(bits, 300, 5, 1, 64, False)
    packed_case(bits, 512, 6, 1, 256, True)
    packed_case(bits, 256, 12, 1, 32, False, np.float16)

for element in ("ui4", "i4", "ui2", "ui8"):
    minimum_case(element, 256, 36, 1, 32)
    minimum_case(element, 352, 9, 2, 16, "Add")
    minimum_case(element, 512, 20, 3, 32, quantized_scales=True)

# More rows than four, and channels that do not fill a register.
if X_BITS:
    for element in ("i4", "ui4", "i2", "f4E2M1FN", "i8", "ui8"):
        has_points = element[0] != "f"
        dequantize_case(element, True, 256, 36, 5, 32, False)
        dequantize_case(element, True, 352, 76, 13, 16, has_points)
        dequantize_case(element, True, 328, 12, 6, None, has_points)
        dequantize_case(element, True, 128, 65, 64, 128, False)
        dequantize_case(element, True, 72, 3, 8, 0, False)
    dequantize_case("f4E2M1FN", True, 256, 36, 7, 32, False, "f8E8M0FNU")
    dequantize_case("i8", True, 333, 16, 5, None, False)
    dequantize_case("i4", True, 512, 1080, 5, 32, False)
    for bits in (2, 4, 8):
        packed_case(bits, 352, 9, 5, 16, True)
        packed_case(bits, 300, 33, 11, 64, False)
        packed_case(bits, 256, 12, 6, 32, False, np.float16)
    for element in ("ui4", "i4", "ui2", "ui8"):
        minimum_case(element, 352, 9, 5, 16, "Add")
        minimum_case(element, 512, 40, 7, 32, quantized_scales=True)

sys.exit(run(tools, src_root, work, commands, "".join(functions), cases))
