# Activations that are quantized dynamically for matmuls with low-bit weights (R8): weights of all
# types and small sizes, K-contiguous or N-contiguous, for every supported CPU level of this
# machine. No rounding occurs for these activations, so that numpy's results are exact, too. Also
# blocks with NaN, infinities and values that are too small.
# RUN: %python %s
import platform
import sys

import ml_dtypes
import numpy as np
import quant_float as qf
from onnx import TensorProto as T
from onnx import helper, numpy_helper

LEVELS = ("x86-64", "x86-64-v3", "x86-64-v4", "host") if platform.machine() == "x86_64" else ("host",)  # fmt: skip
# ONNX's type number: numpy's type, minimum and maximum.
TYPES = {
    T.INT4: (ml_dtypes.int4, -8, 7),
    T.UINT4: (ml_dtypes.uint4, 0, 15),
    T.INT2: (ml_dtypes.int2, -2, 1),
    T.FLOAT4E2M1: (ml_dtypes.float4_e2m1fn, -6, 6),
    T.INT8: (np.int8, -128, 127),
    T.UINT8: (np.uint8, 0, 255),
    T.FLOAT8E4M3FN: (ml_dtypes.float8_e4m3fn, -8, 8),
}
rng = np.random.default_rng(7)
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)


class Matmul:
    """x times weights with a power-of-two scale for each channel, or for blocks."""

    def __init__(self, number, element, depth, channels, vectors, block, is_across, most, zero):
        kind, least, greatest = TYPES[element]
        bits = 16 if most == 32767 else 8
        bounds = (max(least, -8), min(greatest, 7)) if bits == 16 else (least, greatest)
        encodings = rng.integers(bounds[0], bounds[1] + 1, (channels, depth)).astype(np.float32)
        encodings = encodings.astype(kind).astype(np.float32)
        self.x = rng.integers(-most // 16, most // 16 + 1, (vectors, depth)).astype(np.float32)
        self.x[:, ::16] = most
        shape = (channels, -(-depth // block)) if block else (channels,)
        scales = rng.choice([0.5, 1, 2], shape).astype(np.float32)
        points = np.full(shape, 3 if least == 0 else -2).astype(np.float32)
        spread = [np.repeat(a, block, 1)[:, :depth] if block else a[:, None] for a in (scales, points)]  # fmt: skip
        self.expected = self.x @ ((encodings - (spread[1] if zero else 0)) * spread[0]).T
        self.text = f"{T.DataType.Name(element)} {depth}x{channels} by {vectors}, block {block}, across {is_across}, zero {zero}"  # fmt: skip

        def turn(array):
            return array.T if is_across and array.ndim == 2 else array

        def make(name, array, element=T.FLOAT):
            array = turn(array)
            if element == T.FLOAT:
                return numpy_helper.from_array(np.ascontiguousarray(array), name)
            return helper.make_tensor(name, element, array.shape, array.flatten().tolist())

        names = [f"{part}{number}" for part in "wsz"][: 3 if zero else 2]
        self.constants = [make(names[0], encodings, element), make(names[1], scales)]
        if zero:
            self.constants.append(make(names[2], points, element))
        axis = (0 if is_across else 1) if block else (1 if is_across else 0)
        size = {"block_size": block} if block else {}
        self.nodes = [
            helper.make_node("DequantizeLinear", names, [f"d{number}"], axis=axis, **size),
            helper.make_node(
                "Gemm", [f"x{number}", f"d{number}"], [f"y{number}"], transB=int(not is_across)
            ),
        ]
        self.input = helper.make_tensor_value_info(f"x{number}", T.FLOAT, self.x.shape)
        self.output = helper.make_tensor_value_info(f"y{number}", T.FLOAT, self.expected.shape)


def make_matmuls(most):
    for element in TYPES:
        for depth in (1, 16, 31, 65, 130):
            # Rows of quantized values fill whole bytes.
            size = -(-depth // 4) * 4
            for block in (0, 16, 32) if depth > 64 else (0,):
                for is_across in (False, True):
                    zero = (depth + is_across) % 2 == 1 and element < T.FLOAT4E2M1 and element != T.FLOAT8E4M3FN  # fmt: skip
                    yield (element, size, depth % 9 + 1, depth % 4 + 1, block, is_across, most, zero)  # fmt: skip
        # Large sub-byte constants stay packed.
        for is_across in (False, True):
            yield element, 288, 512 if element in (T.INT8, T.UINT8) else 1100, 1, 32, is_across, most, False  # fmt: skip


def make_model(products):
    graph = helper.make_graph(
        [node for product in products for node in product.nodes],
        "g",
        [product.input for product in products],
        [product.output for product in products],
        [constant for product in products for constant in product.constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)


count = 0
for activations, most in (("int16", 32767), ("int8", 127)):
    products = [Matmul(i, *given) for i, given in enumerate(make_matmuls(most))]
    count += len(products)
    model = make_model(products)
    arrays = [product.x for product in products]
    random = [rng.standard_normal(x.shape).astype(np.float32) for x in arrays]
    exact = None
    for level in LEVELS if activations == "int8" else LEVELS[-1:]:
        kernel = qf.compile(model, cpu=level, activations=activations)
        try:
            results = kernel(*arrays)
        except qf.RunError as error:
            if "CPU" in str(error):
                continue
            raise
        for product, result in zip(products, results, strict=True):
            expect(f"{activations} {level}: {product.text}", np.array_equal(result, product.expected))  # fmt: skip
        # The same bits everywhere.
        rounded = b"".join(result.tobytes() for result in kernel(*random))
        exact = exact or rounded
        expect(f"{activations} {level}: other bits", rounded == exact)

# One element of a block affects the quantization of the others.
product = Matmul(0, T.INT4, 288, 1100, 1, 32, False, 127, False)
kernel = qf.compile(make_model([product]), activations="int8")
for special, kind in ((np.nan, "nan"), (np.inf, "nan"), (-np.inf, "nan"), (2e-38, "zero")):
    x = product.x.copy()
    x[0, 3] = special
    if kind == "zero":
        x[0, :32] = special
    result = kernel(x)
    x[0, :32] = 0
    expect(f"{special}", np.isnan(result).all() == (kind == "nan"))
    if kind == "zero":
        expect("small numbers count", np.array_equal(result, kernel(x)))
# More rows than four, with the same special values.
product = Matmul(0, T.INT4, 288, 40, 7, 32, False, 127, False)
kernel = qf.compile(make_model([product]), activations="int8")
for special in (np.nan, np.inf, 2e-38):
    x = product.x.copy()
    before = kernel(x)
    x[2, 3 if special == np.inf else slice(32)] = special
    result = kernel(x)
    expect(f"{special} in another row", np.array_equal(np.delete(before, 2, 0), np.delete(result, 2, 0)))  # fmt: skip
    expect(f"{special} in a row", np.isnan(result[2]).all() == (special != 2e-38))
    x[2, :32] = 0
    expect(f"{special}: no zeros", special != 2e-38 or np.array_equal(result, kernel(x)))

# Convolutions keep their activations.
image = rng.standard_normal((1, 32, 8, 8)).astype(np.float32)
filters = rng.integers(-128, 128, (16, 32, 1, 1)).astype(np.int8)
graph = helper.make_graph(
    [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=0),
        helper.make_node("Conv", ["x", "d"], ["y"]),
    ],
    "g",
    [helper.make_tensor_value_info("x", T.FLOAT, image.shape)],
    [helper.make_tensor_value_info("y", T.FLOAT, (1, 16, 8, 8))],
    [
        numpy_helper.from_array(filters, "w"),
        numpy_helper.from_array(np.full(16, 0.01, np.float32), "s"),
    ],  # fmt: skip
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
results = [qf.compile(model, activations=kind)(image) for kind in ("float", "int8")]
expect("a convolution is quantized", np.array_equal(*results))
print(count, "matmuls", *failures[:20], sep="\n")
sys.exit(bool(failures))
