# Packed arguments and constants of every 2-bit, 4-bit and 6-bit type: casts, quantize, dequantize
# and qdq with every granularity, and ops that only move elements, with odd lengths and odd rows.
# The reference is numpy with a packer that uses Python's unbounded integers. Bits behind the last
# element are ignored in inputs and zero in outputs, no byte after a tensor is accessed, and the
# bits are the same on every machine and with threads. Each run takes a part of the cases, or all of
# them with `full`.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %src_root %t host %if full %{ 0/1 %} %else %{ 0/12 %} --cpu host -- %clang
# RUN: %python %s %tools_dir %src_root %t threads %if full %{ 0/1 %} %else %{ 1/36 %} --cpu host --threads 4 -- %clang -fopenmp
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t baseline %if full %{ 0/1 %} %else %{ 7/36 %} --cpu x86-64 -- %clang %}
# RUN: %if host-x86_64 %{ %python %s %tools_dir %src_root %t v3 %if full %{ 0/1 %} %else %{ 14/36 %} --cpu x86-64-v3 -- %clang %}
# RUN: %if qemu-aarch64 %{ %python %s %tools_dir %src_root %t aarch64 %if full %{ 0/1 %} %else %{ 21/36 %} --triple aarch64-linux-gnu --cpu generic -- %clang_aarch64 -static -- %run_aarch64 %}
# RUN: %if qemu-riscv64 %{ %python %s %tools_dir %src_root %t riscv64 %if full %{ 0/1 %} %else %{ 28/36 %} --triple riscv64-linux-gnu --cpu rv64gcv -- %clang_riscv64 -static -- %run_riscv64 %}
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
from compiled_cases import Argument, Case, run, split_commands

tools, src_root, work, name, share, *rest = sys.argv[1:]
share, shares = map(int, share.split("/"))
commands = split_commands(rest)
work = Path(work) / name
work.mkdir()
random = np.random.default_rng(14)
PACKED = 0x100
# MLIR's name: ONNX's type number, bits, numpy's type.
TYPES = {
    "i4": (22, 4, ml_dtypes.int4),
    "ui4": (21, 4, ml_dtypes.uint4),
    "f4E2M1FN": (23, 4, ml_dtypes.float4_e2m1fn),
    "i2": (26, 2, ml_dtypes.int2),
    "ui2": (25, 2, ml_dtypes.uint2),
    "f6E2M3FN": (27, 6, ml_dtypes.float6_e2m3fn),
    "f6E3M2FN": (28, 6, ml_dtypes.float6_e3m2fn),
}
WIDE = {"f32": (1, np.float32), "i32": (6, np.int32), "i64": (7, np.int64)}


def pack(encodings, bits, padding):
    """The bytes of the elements. The bits after the last element are set to this bit."""
    number = 0
    for at, element in enumerate(encodings.ravel().tolist()):
        number |= element << (at * bits)
    size = -(-encodings.size * bits // 8)
    if padding:
        number |= (1 << 8 * size) - (1 << encodings.size * bits)
    return number.to_bytes(size, "little")


class Packed:
    """A packed tensor with these encodings."""

    def __init__(self, element, encodings):
        self.element, self.encodings = element, encodings
        self.number, self.bits, self.dtype = TYPES[element]
        self.shape = encodings.shape

    @classmethod
    def random(cls, element, shape):
        return cls(element, random.integers(0, 1 << TYPES[element][1], shape, dtype=np.uint8))

    @classmethod
    def of_values(cls, element, values):
        """Rounded and saturated (ml_dtypes' integers wrap)."""
        number, bits, dtype = TYPES[element]
        if element[0] == "f":
            # Larger magnitudes overflow.
            largest = float(ml_dtypes.finfo(dtype).max)
            cast = np.clip(values, -largest, largest).astype(dtype)
        else:
            info = ml_dtypes.iinfo(dtype)
            cast = np.clip(np.rint(values), int(info.min), int(info.max)).astype(dtype)
        return cls(element, cast.view(np.uint8) & ((1 << bits) - 1))

    @property
    def values(self):
        encodings = self.encodings
        if self.element[0] == "i":
            return np.where(
                encodings >> (self.bits - 1), encodings.astype(int) - (1 << self.bits), encodings
            )
        if self.element[0] == "u":
            return encodings.astype(int)
        return encodings.view(self.dtype).astype(np.float32)

    def move(self, encodings):
        return Packed(self.element, np.ascontiguousarray(encodings))

    def unpacked(self):
        """One element in each byte."""
        return Bytes(self.element, self.values)

    def type(self, is_dynamic):
        return spell(self.shape, self.element, is_dynamic)

    attribute = " {quant_float.packed}"

    def describe(self, is_output):
        return PACKED | self.number, pack(self.encodings, self.bits, not is_output)


class Plain:
    """A tensor of a type of whole bytes."""

    attribute = ""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)
        self.shape = array.shape
        self.element = next(mlir for mlir, (_, dtype) in WIDE.items() if dtype == array.dtype)

    def type(self, is_dynamic):
        return spell(self.shape, self.element, is_dynamic)

    def describe(self, is_output):
        return WIDE[self.element][0], self.array.tobytes()


class Bytes:
    """A small type that is stored with one element in each byte."""

    attribute = ""

    def __init__(self, element, values):
        self.element, self.bits = element, TYPES[element][1]
        dtype = np.int8 if element[0] == "i" else TYPES[element][2]
        self.bytes = values.astype(dtype).view(np.uint8)
        self.shape = values.shape

    def type(self, is_dynamic):
        return spell(self.shape, self.element, is_dynamic)

    def describe(self, is_output):
        return TYPES[self.element][0], self.bytes.tobytes()


def spell(shape, element, is_dynamic):
    sizes = "".join("?x" if is_dynamic else f"{size}x" for size in shape)
    return f"tensor<{sizes}{element}>"


functions, cases = [], []
num_cases = 0


def case(body, inputs, outputs, is_dynamic=False, constants=""):
    """A function whose body uses %0, %1, ... as inputs, and {0}, {1}, ... as the types of inputs,
    then outputs."""
    global num_cases
    num_cases += 1
    if num_cases % shares != share:
        return
    types = [tensor.type(is_dynamic) for tensor in (*inputs, *outputs)]
    arguments = [f"%{i}: {types[i]}{tensor.attribute}" for i, tensor in enumerate(inputs)]
    results = [types[len(inputs) + i] + tensor.attribute for i, tensor in enumerate(outputs)]
    values = ", ".join(f"%r{i}" for i in range(len(outputs)))
    symbol = f"case{len(functions)}"
    functions.append(
        f"func.func @{symbol}({', '.join(arguments)}) -> ({', '.join(results)}) {{\n"
        f"{constants}{body.format(*types)}\nreturn {values} : {', '.join(types[len(inputs) :])}\n}}\n"
    )
    types = [tensor.type(False) for tensor in (*inputs, *outputs)]
    described = [
        [Argument(number, tensor.shape, data) for tensor in tensors for number, data in [tensor.describe(is_output)]]
        for is_output, tensors in enumerate((inputs, outputs))
    ]  # fmt: skip
    cases.append(Case(symbol, " ".join([body, *types]), *described))


def cast_cases(element, shape, is_dynamic):
    x = Packed.random(element, shape)
    case("%r0 = quant_float.cast %0 opset 28 : {0} to {1}", [x], [Plain(x.values.astype("f4"))], is_dynamic)  # fmt: skip
    if element[0] != "f":
        case("%r0 = quant_float.cast %0 opset 28 : {0} to {1}", [x], [Plain(x.values.astype("i4"))], is_dynamic)  # fmt: skip
    y = (random.standard_normal(shape) * 2).astype("f4")
    rounded = y if element[0] == "f" else np.clip(np.trunc(y), 0 if element[0] == "u" else -8, 8)
    if element[0] == "f":
        result = Packed.of_values(element, rounded)
    else:
        # C11 keeps the low bits.
        bits = TYPES[element][1]
        result = Packed(
            element, (np.trunc(y).astype(np.int64) & ((1 << bits) - 1)).astype(np.uint8)
        )
    case("%r0 = quant_float.cast %0 opset 28 : {0} to {1}", [Plain(y)], [result], is_dynamic)
    # From packed to unpacked and back, and without a conversion.
    case("%r0 = tensor.cast %0 : {0} to {1}", [x], [x.unpacked()], is_dynamic)
    case("%r0 = tensor.cast %0 : {0} to {1}", [x.unpacked()], [x], is_dynamic)
    case("%r0 = tensor.cast %0 : {0} to {1}", [x], [x], is_dynamic)


def parameters(element, shape, granularity):
    """Scales, zero points or None, both broadcast to the shape, and the attributes of the
    granularity."""
    axis, block = granularity
    sizes, text = (), ""
    if axis is not None and block:
        sizes = [-(-size // block) if i == axis else size for i, size in enumerate(shape)]
        text = f"axis {axis} block_size {block} "
    elif axis is not None:
        sizes, text = (shape[axis],), f"axis {axis} "
    scale = np.exp2(random.integers(-2, 3, sizes)).astype("f4")
    scale = np.asarray(scale * random.choice([1, 1.25, 3]).astype("f4"), "f4")
    zero = Packed.random(element, scale.shape) if element[0] != "f" else None

    def spread(array):
        if axis is None:
            return array
        if block:
            return np.repeat(array, block, axis)[tuple(slice(size) for size in shape)]
        return array.reshape([-1 if i == axis else 1 for i in range(len(shape))])

    return Plain(scale), zero, spread, text


def quantization_cases(element, shape, granularity, is_dynamic):
    scale, zero, spread, text = parameters(element, shape, granularity)
    s, z = spread(scale.array), spread(zero.values) if zero else 0
    operands = [scale, *([zero] if zero else [])]
    names = "%0, %1" + (", %2" if zero else "")
    types = ", ".join(f"{{{i}}}" for i in range(len(operands) + 1))
    result = f"{{{len(operands) + 1}}}"

    x = Packed.random(element, shape)
    case(
        f"%r0 = quant_float.dequantize {names} {text}opset 28 : {types} to {result}",
        [x, *operands],
        [Plain(((x.values - z).astype("f4") * s).astype("f4"))],
        is_dynamic,
    )
    y = (random.standard_normal(shape) * 4).astype("f4")
    quotient = (y / s).astype("f4")
    encodings = Packed.of_values(element, quotient if element[0] == "f" else np.rint(quotient) + z)
    case(
        f"%r0 = quant_float.quantize {names} {text}opset 28 : {types} to {result}",
        [Plain(y), *operands],
        [encodings],
        is_dynamic,
    )
    case(
        f"%r0 = quant_float.qdq {names} {text}storage {element} opset 28 : {types} to {result}",
        [Plain(y), *operands],
        [Plain(((encodings.values - z).astype("f4") * s).astype("f4"))],
        is_dynamic,
    )


NODE = '%r0 = quant_float.node "{}"({}) opset 25 attributes {{{{{}}}}} : ({}) -> {}'


def movement_cases(element, rows, columns):
    x = Packed.random(element, (rows, columns))
    y = Packed.random(element, (rows, columns))

    def both(body, inputs, encodings, constants=""):
        case(body, inputs, [x.move(encodings)], constants=constants)
        case(body, inputs, [x.move(encodings).unpacked()], constants=constants)

    both(
        NODE.format("Transpose", "%0", "perm = array<i64: 1, 0>", "{0}", "{1}"),
        [x],
        x.encodings.T,
    )
    limits = "".join(
        f"%{name} = arith.constant dense<{list(values)}> : tensor<2xi64>\n"
        for name, values in {
            "from": (1, 1),
            "to": (rows, columns),
            "axes": (0, 1),
            "by": (1, 2),
        }.items()
    )
    both(
        NODE.format(
            "Slice", "%0, %from, %to, %axes, %by", "", "{0}" + ", tensor<2xi64>" * 4, "{1}"
        ),
        [x],
        x.encodings[1:, 1::2],
        limits,
    )
    picked = random.integers(0, columns, 5)
    indices = Plain(picked.astype("i8"))
    for axis, size in enumerate((rows, columns)):
        indices = Plain(random.integers(0, size, 5).astype("i8"))
        both(
            NODE.format("Gather", "%0, %1", f"axis = {axis} : i64", "{0}, {1}", "{2}"),
            [x, indices],
            np.take(x.encodings, indices.array, axis),
        )
    shape = f"%shape = arith.constant dense<[{columns}, {rows}]> : tensor<2xi64>\n"
    both(
        NODE.format("Reshape", "%0, %shape", "", "{0}, tensor<2xi64>", "{1}"),
        [x],
        x.encodings.reshape(columns, rows),
        shape,
    )
    for axis in (0, 1):
        both(
            NODE.format("Concat", "%0, %1", f"axis = {axis} : i64", "{0}, {1}", "{2}"),
            [x, y],
            np.concatenate([x.encodings, y.encodings], axis),
        )


def constant_cases(element):
    """Constants whose bytes are packed, with two uses."""
    x = Packed.random(element, (37, 45))
    type = x.type(False)
    key = f"packed_{element}"
    resources[key] = pack(x.encodings, x.bits, True)
    constant = f"%c = arith.constant dense_resource<{key}> : {type}\n"
    case(
        f"%r0 = quant_float.cast %c opset 28 : {type} to {{0}}\n"
        f"%r1 = tensor.cast %c : {type} to {{1}}\n"
        f"%r2 = tensor.extract_slice %c[5, 3] [9, 11] [2, 3] : {type} to {{2}}",
        [],
        [Plain(x.values.astype("f4")), x, x.move(x.encodings[5:23:2, 3:36:3])],
        constants=constant,
    )
    # The weights of a matmul are decoded panel by panel. The sums are exact in any order.
    a = Plain(random.integers(-4, 5, (6, 37)).astype("f4"))
    scale = Plain(np.exp2(random.integers(-2, 2, 45)).astype("f4"))
    case(
        f"%w = quant_float.dequantize %c, %1 axis 1 opset 28 : {type}, {{1}} to tensor<37x45xf32>\n"
        + NODE.format("MatMul", "%0, %w", "", "{0}, tensor<37x45xf32>", "{2}"),
        [a, scale],
        [Plain((a.array @ (x.values * scale.array)).astype("f4"))],
        constants=constant,
    )


def product_cases(element):
    """The weights are an argument."""
    x = Packed.random(element, (65, 33))
    a = Plain(random.integers(-4, 5, (5, 33)).astype("f4"))
    scale = Plain(np.exp2(random.integers(-2, 2, 65)).astype("f4"))
    case(
        "%w = quant_float.dequantize %1, %2 axis 0 opset 28 : {1}, {2} to tensor<65x33xf32>\n"
        + '%t = quant_float.node "Transpose"(%w) opset 25 attributes {{perm = array<i64: 1, 0>}} : (tensor<65x33xf32>) -> tensor<33x65xf32>\n'
        + NODE.format("MatMul", "%0, %t", "", "{0}, tensor<33x65xf32>", "{3}"),
        [a, x, scale],
        [Plain((a.array @ (x.values * scale.array[:, None]).T).astype("f4"))],
    )


resources = {}
SHAPES = [(), (1,), (7,), (130,), (0,), (5, 3), (3, 129), (4, 64), (2, 3, 67)]
for element in TYPES:
    for shape in SHAPES:
        for is_dynamic in (False, True):
            cast_cases(element, shape, is_dynamic and len(shape) > 0)
    for is_dynamic in (False, True):
        quantization_cases(element, (131,), (None, None), is_dynamic)
        quantization_cases(element, (5, 67), (None, None), is_dynamic)
        quantization_cases(element, (5, 67), (0, None), is_dynamic)
        quantization_cases(element, (5, 67), (1, None), is_dynamic)
        quantization_cases(element, (5, 67), (1, 32), is_dynamic)
        quantization_cases(element, (3, 128), (1, 32), is_dynamic)
        quantization_cases(element, (7, 66), (1, 3), is_dynamic)
        quantization_cases(element, (7, 66), (0, 2), is_dynamic)
    quantization_cases(element, (97,), (0, 5), False)
    quantization_cases(element, (5, 96), (1, 16), False)
    movement_cases(element, 7, 13)
    movement_cases(element, 3, 132)
    constant_cases(element)
    product_cases(element)
# Enough elements for threads, in rows that end within a byte.
case(
    "%r0 = quant_float.quantize %0, %1 axis 0 opset 28 : {0}, {1} to {2}",
    [
        Plain(big := (random.standard_normal((5, 60001)) * 4).astype("f4")),
        Plain(np.ones(5, "f4")),
    ],
    [Packed.of_values("i4", big)],
)
case("%r0 = quant_float.cast %0 opset 28 : {0} to {1}", [Plain(big)], [Packed.of_values("f6E2M3FN", big)])  # fmt: skip
# Rows after a dimension of size 1.
axis = "%r0 = quant_float.quantize %0, %1 axis 1 opset 28 : {0}, {1} to {2}"
case(axis, [Plain(big[None]), Plain(np.ones(5, "f4"))], [Packed.of_values("ui2", big[None])])
# Every length of the remainder after the last full vector.
for length in range(1, 200, 3):
    few = (random.standard_normal((3, length)) * 4).astype("f4")
    ones = Plain(np.ones(3, "f4"))
    for element in ("i4", "ui2", "f6E3M2FN"):
        encodings = Packed.of_values(element, few)
        case("%r0 = quant_float.quantize %0, %1 axis 0 opset 28 : {0}, {1} to {2}", [Plain(few), ones], [encodings], True)  # fmt: skip
        case("%r0 = quant_float.dequantize %0, %1 axis 0 opset 28 : {0}, {1} to {2}", [encodings, ones], [Plain(encodings.values.astype("f4"))], True)  # fmt: skip

blobs = ",\n".join(f'      {key}: "0x01000000{data.hex()}"' for key, data in resources.items())
text = "".join(functions) + f"{{-#\n  dialect_resources: {{\n    builtin: {{\n{blobs}\n    }}\n  }}\n#-}}\n"  # fmt: skip
sys.exit(run(tools, src_root, work, commands, text, cases))
