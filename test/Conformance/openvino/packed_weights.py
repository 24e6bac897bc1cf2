# com.microsoft's MatMulNBits, MatMulBlockQuantizedFp4Weight, MatMulBlockQuantizedFp8Weight and
# GatherBlockQuantized, and MatMulInteger and ConvInteger, as OpenVINO's layers. The CPU plugin (in
# f32) computes the same as NumPy according to rules R5 and R9, and as ONNX Runtime if it has the
# kernel. Gathered weights have the same bits, and integer sums are exact, even of more products
# than f32 can add exactly. Imported again, the model is the same.
# RUN: rm -rf %t && mkdir %t && %python %s quant-float-translate %t
import itertools
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper, numpy_helper

translate, folder = sys.argv[1], pathlib.Path(sys.argv[2])
random = np.random.default_rng(41)
# Without the second option, the plugin rounds the activations of compressed weights.
PLUGIN = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0}
PLUGIN |= {"INFERENCE_NUM_THREADS": 1}
# With optimizations, ONNX Runtime rounds the activations of 4-bit weights.
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
counts = dict.fromkeys(("models", "elements", "runtime"), 0)


def pack(encodings, bits):
    """Rows of quantized values in whole bytes, lowest bits first."""
    single = np.unpackbits(encodings[..., None], axis=-1, bitorder="little")[..., :bits]
    rows = single.reshape(*encodings.shape[:-1], -1)
    missing = -rows.shape[-1] % 8
    rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)])
    return np.packbits(rows, axis=-1, bitorder="little")


def run(name, nodes, inputs, constants, wanted, bound=0.0, has_runtime=True):
    """A model of one node or several. `inputs` are inputs, `constants` are part of the model."""
    nodes = nodes if isinstance(nodes, tuple) else (nodes,)
    names = {given for node in nodes for given in node.input} & {*inputs, *constants}
    arrays = {given: inputs.get(given, constants.get(given)) for given in sorted(names)}
    values = [
        helper.make_tensor_value_info(
            given, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for given, array in arrays.items()
        if given in inputs
    ]
    kind = helper.np_dtype_to_tensor_dtype(wanted.dtype)
    output = helper.make_tensor_value_info("y", kind, wanted.shape)
    tensors = [
        array if isinstance(array, onnx.TensorProto) else numpy_helper.from_array(array, given)
        for given, array in constants.items()
        if given in names
    ]
    graph = helper.make_graph(nodes, "g", values, [output], tensors)
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    path = folder / f"{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=10), path)
    out, again = path.with_suffix(".xml"), folder / "again.xml"
    subprocess.run([translate, "--export-openvino", path, "-o", out], check=True)
    subprocess.run([translate, "--export-openvino", out, "-o", again], check=True)
    assert again.read_bytes() == out.read_bytes(), name
    compiled = openvino.Core().compile_model(out, "CPU", PLUGIN)
    (result,) = compiled(inputs).values()
    assert result.dtype == wanted.dtype and result.shape == wanted.shape, (name, result.shape)

    def check(found, who):
        difference = np.abs(found.astype(np.float64) - wanted)
        assert (difference <= bound).all(), (name, who, found, wanted)

    check(result, "OpenVINO")
    counts["models"] += 1
    counts["elements"] += wanted.size
    if has_runtime:
        session = onnxruntime.InferenceSession(path, OPTIONS)
        check(session.run(None, inputs)[0], "ONNX Runtime")
        counts["runtime"] += 1
    return out


# --- MatMulNBits ----------------------------------------------------------------------------------


def make_matmul(bits, block, depth, rows, points, dtype, has_bias, order, rank):
    blocks = -(-depth // block)
    encodings = random.integers(0, 1 << bits, (rows, blocks * block), np.uint8)
    scales = random.normal(size=(rows, blocks)).astype(dtype)
    zeros = random.integers(0, 1 << bits, (rows, blocks), np.uint8)
    if points == "float":
        given = (zeros + random.random((rows, blocks))).astype(dtype)
        zeros = given.astype(np.float32)
    else:
        given = pack(zeros, bits)
        zeros = zeros.astype(np.float32)
    if points == "none":
        zeros = np.full_like(zeros, 1 << (bits - 1))
    group = np.arange(depth) // block
    if order == "random":
        group = random.permutation(group)
    difference = encodings[:, :depth].astype(np.float32) - zeros[:, group]
    weights = difference * scales.astype(np.float32)[:, group]
    x = random.normal(size=(2, 3, depth)[-rank:]).astype(dtype)
    wanted = x.astype(np.float64) @ weights.T.astype(np.float64)
    bias = random.normal(size=rows).astype(dtype)
    wanted = wanted + bias if has_bias else wanted
    constants = {
        "B": pack(encodings, bits).reshape(rows, blocks, -1),
        "scales": scales,
        "zeros": given.reshape(-1) if points == "flat" else given,
        "groups": group.astype(np.int32),
        "bias": bias,
    }
    names = ["A", "B", "scales", "" if points == "none" else "zeros"]
    names += ["groups" if order else "", "bias" if has_bias else ""]
    while not names[-1]:
        names.pop()
    node = helper.make_node(
        "MatMulNBits",
        names,
        ["y"],
        "product",
        domain="com.microsoft",
        K=depth,
        N=rows,
        bits=bits,
        block_size=block,
    )
    # The error of any order of additions, and of one rounding to f16.
    bound = np.abs(x.astype(np.float64)) @ np.abs(weights.T) + np.abs(bias)
    bound = bound * depth * 2.0**-24 + np.abs(wanted) * np.finfo(dtype).eps
    return node, {"A": x}, constants, wanted.astype(dtype), bound


others = ((np.float32, False, "", 2), (np.float32, True, "random", 3), (np.float16, True, "", 1))
shapes = ((32, 96), (16, 64), (64, 128), (32, 80), (128, 40))
products = [
    (bits, block, depth, points, *other)
    for bits in (4, 8, 2)
    for points in ("none", "packed", "flat", "float")
    for at, (block, depth) in enumerate(shapes)
    for other in (others if bits == 4 and points != "flat" else others[at % 3 :][:1])
]
for bits, block, depth, points, dtype, has_bias, order, rank in products:
    for rows in (5,) if depth != 128 else (5, 24):
        parts = make_matmul(bits, block, depth, rows, points, dtype, has_bias, order, rank)
        name = f"product-{bits}-{block}-{depth}-{points}-{np.dtype(dtype)}-{order}-{rows}"
        # ONNX Runtime computes f16 matmuls less exactly, and supports neither g_idx nor vectors.
        kernel = dtype == np.float32 and not order and bits != 2 and points != "float"
        path = run(name, *parts, kernel)
        if depth == 96 and dtype == np.float32 and not order:
            # Patterns that plugins recognize as compressed weights.
            layers = openvino.Core().read_model(path).get_ops()
            kinds = {layer.get_type_name() for layer in layers}
            assert {"Constant", "Convert", "Subtract", "Multiply", "MatMul"} <= kinds, kinds
            types = {layer.get_output_element_type(0).get_type_name() for layer in layers}
            assert f"u{bits}" in types, types

# Large constants, which stay packed.
parts = make_matmul(4, 32, 256, 64, "packed", np.float32, True, "", 2)
run("product-large", *parts)

# --- MatMulBlockQuantizedFp4Weight and MatMulBlockQuantizedFp8Weight ------------------------------

for kind, (block, depth), has_bias in itertools.product(
    ("fp4", "fp8", "w8a8"), ((16, 64), (32, 80), (128, 96)), (False, True)
):
    blocks = -(-depth // block)
    x = random.normal(size=(2, 3, depth)).astype(np.float16)
    bias = random.normal(size=5).astype(np.float16)
    inputs, spread = {"A": x}, np.arange(depth) // block
    if kind == "fp4":
        encodings = random.integers(0, 16, (5, depth), np.uint8)
        scales = random.integers(0x28, 0x48, (5, blocks), np.uint8)
        constants = {"B": pack(encodings, 4), "s": scales, "t": np.float32([0.03])}
        names = ["A", "B", "s", "t", "", "bias"]
        values = encodings.view(ml_dtypes.float4_e2m1fn)
        wide = scales.view(ml_dtypes.float8_e4m3fn).astype(np.float32) * constants["t"]
    else:
        values = random.normal(size=(5, depth)).astype(ml_dtypes.float8_e4m3fn)
        wide = random.uniform(0.1, 1, (5, blocks)).astype(np.float32)
        constants = {"B": values, "s": wide, "t": np.float32(0.01)}
        names = ["A", "B", "s", "t" if kind == "w8a8" else "", "bias"]
        if kind == "w8a8":
            quantized = (x.astype(np.float32) / constants["t"]).astype(ml_dtypes.float8_e4m3fn)
            x = (quantized.astype(np.float32) * constants["t"]).astype(np.float16)
    names = names if has_bias else names[: names.index("bias")]
    while not names[-1]:
        names.pop()
    op = f"MatMulBlockQuantizedFp{4 if kind == 'fp4' else 8}Weight"
    node = helper.make_node(op, names, ["y"], "product", domain="com.microsoft", block_size=block)
    weights = (values.astype(np.float32) * wide[:, spread]).astype(np.float16).astype(np.float64)
    wanted = (x.astype(np.float64) @ weights.T).astype(np.float16)
    # In f32, the plugin rounds neither weights nor activations to f16.
    bound = np.abs(x.astype(np.float64)) @ np.abs(weights.T) * (depth * 2.0**-23 + 2.0**-10)
    bound += np.abs(wanted.astype(np.float64)) * 2.0**-10
    if has_bias:
        wanted = (wanted.astype(np.float32) + bias).astype(np.float16)
        bound += np.abs(wanted.astype(np.float64)) * 2.0**-10
    constants["bias"] = bias
    # ONNX Runtime has CUDA kernels only.
    run(f"{kind}-{block}-{depth}-{has_bias}", node, inputs, constants, wanted, bound, False)

# --- MatMul of DequantizeLinear, the last block of which is cut off -------------------------------

for kind, axis, has_points in itertools.product(("UINT4", "INT4", "UINT8"), (0, 1), (False, True)):
    shape, size = ((40, 5), (2, 5)) if axis == 0 else ((5, 40), (5, 2))
    encodings, zeros = random.integers(0, 8, shape), random.integers(0, 8, size)
    scales, where = random.normal(size=size).astype(np.float32), np.arange(40) // 32
    weights = encodings - np.take(zeros * has_points, where, axis)
    weights = weights.astype(np.float32) * np.take(scales, where, axis)
    names = ["quantized", "scales", *["zeros"] * has_points]
    dequantize = helper.make_node("DequantizeLinear", names, ["w"], axis=axis, block_size=32)
    product = helper.make_node("Gemm", ["x", "w"], ["y"], transB=axis)
    x = random.normal(size=(3, 40)).astype(np.float32)
    weights = weights.T if axis else weights
    bound = np.abs(x.astype(np.float64)) @ np.abs(weights) * 40 * 2.0**-24
    wanted = (x.astype(np.float64) @ weights).astype(np.float32)
    number = getattr(TensorProto, kind)
    constants = {
        "quantized": helper.make_tensor("quantized", number, shape, encodings.ravel()),
        "scales": scales,
        "zeros": helper.make_tensor("zeros", number, size, zeros.ravel()),
    }
    name = f"cut-{kind}-{axis}-{has_points}"
    run(name, (dequantize, product), {"x": x}, constants, wanted, bound)

# --- GatherBlockQuantized -------------------------------------------------------------------------


def make_gather(kind, bits, has_points, dtype, axis, gather_axis, block, shape):
    unsigned = kind != "int4"
    encodings = random.integers(0, 1 << bits, shape, np.uint8)
    size = [*shape]
    size[axis] = -(-shape[axis] // block)
    scales = random.normal(size=size).astype(dtype)
    zeros = random.integers(0, 1 << bits, size, np.uint8)

    def number(values):
        values = values.astype(np.float32)
        return values if unsigned else np.where(values > 7, values - 16, values)

    point = number(zeros)
    if not has_points:
        point = np.full_like(point, 1 << (bits - 1)) if kind == "uint8" else point * 0

    def store(name, values):
        if kind == "uint8":
            return pack(values, bits) if bits < 8 else values
        number_of = TensorProto.UINT4 if unsigned else TensorProto.INT4
        return helper.make_tensor(name, number_of, values.shape, number(values).astype(int).ravel())

    where = np.arange(shape[axis]) // block
    difference = number(encodings) - np.take(point, where, axis)
    table = (difference * np.take(scales.astype(np.float32), where, axis)).astype(dtype)
    constants = {"data": store("data", encodings), "scales": scales, "zeros": store("zeros", zeros)}
    names = ["data", "indices", "scales", *["zeros"] * has_points]
    node = helper.make_node(
        "GatherBlockQuantized",
        names,
        ["y"],
        "gather",
        domain="com.microsoft",
        bits=bits,
        block_size=block,
        gather_axis=gather_axis,
        quantize_axis=axis,
    )
    return node, constants, table


for (kind, bits), has_points, dtype in itertools.product(
    (("uint8", 4), ("uint8", 8), ("uint8", 2), ("int4", 4), ("uint4", 4)),
    (False, True),
    (np.float32, np.float16),
):
    places = [(1, 0, (6, 64)), (2, 0, (3, 4, 32)), (1, 0, (6, 40))]
    if kind != "uint8":
        places += [(0, 1, (32, 6)), (1, 2, (4, 32, 5))]
    for axis, gather_axis, shape in places:
        node, constants, table = make_gather(
            kind, bits, has_points, dtype, axis, gather_axis, 16, shape
        )
        indices = random.integers(-shape[gather_axis], shape[gather_axis], (2, 3))
        wanted = np.take(table, indices, gather_axis)
        name = f"gather-{kind}-{bits}-{has_points}-{np.dtype(dtype)}-{axis}-{len(shape)}-{shape[1]}"
        run(name, node, {"indices": indices}, constants, wanted, has_runtime=bits != 2)

# An index out of bounds yields zeros, as an input and as a constant.
for (kind, bits), dtype, is_constant in itertools.product(
    (("uint8", 4), ("uint8", 8), ("uint8", 2), ("int4", 4), ("uint4", 4)),
    (np.float32, np.float16),
    (False, True),
):
    places = [(1, 0, (6, 64)), (2, 0, (3, 4, 32))]
    if kind != "uint8":
        places += [(0, 1, (32, 6)), (1, 2, (4, 32, 5)), (0, 1, (32, 6, 2))]
    for axis, gather_axis, shape in places:
        node, constants, table = make_gather(kind, bits, True, dtype, axis, gather_axis, 16, shape)
        size = shape[gather_axis]
        inside = np.int64([[0, size - 1, -size], [1, -1, 2]])
        outside = [size, -size - 1, size + 1, 2**30, 2**31 - 1, -(2**31)]
        indices = np.concatenate([inside, np.int64(outside).reshape(2, 3)], 1)
        is_inside = (indices >= -size) & (indices < size)
        wanted = np.take(table, np.where(is_inside, indices, 0), gather_axis)
        is_inside = is_inside.reshape((2, 6) + (1,) * (len(shape) - gather_axis - 1))
        wanted = np.where(is_inside, wanted, 0).astype(dtype)
        name = f"outside-{kind}-{bits}-{np.dtype(dtype)}-{is_constant}-{axis}-{len(shape)}"
        for index_type in (np.int64, np.int32):
            given = {"indices": indices.astype(index_type)}
            fed, kept = ({}, constants | given) if is_constant else (given, constants)
            run(f"{name}-{index_type.__name__}", node, fed, kept, wanted, has_runtime=False)

# --- MatMulInteger and ConvInteger ----------------------------------------------------------------


def draw(dtype, shape):
    ends = np.iinfo(dtype)
    values = random.integers(ends.min, ends.max + 1, shape).astype(dtype)
    # The largest possible sums.
    if values.ndim > 1:
        values[..., -2:, :] = random.choice([ends.min, ends.max], values[..., -2:, :].shape)
    return values


def wrap(sums):
    return sums.astype(np.int64).astype(np.int32)


for left, right, depth, points in itertools.product(
    (np.uint8, np.int8),
    (np.uint8, np.int8),
    (5, 258, 300, 5000),
    ("none", "one", "each", "axes"),
):
    x, w = draw(left, (2, 3, depth)), draw(right, (2, depth, 4))
    shapes = {"one": ((), ()), "each": ((3,), (4,)), "axes": ((2, 3, 1), (2, 1, 4))}
    a_shape, b_shape = shapes.get(points, ((), ()))
    a = draw(left, (2, *a_shape))[0] if points != "none" else left(0)
    b = draw(right, (2, *b_shape))[0] if points != "none" else right(0)
    spread = a.reshape(3, 1) if points == "each" else a
    wanted = wrap((x.astype(np.int64) - spread) @ (w.astype(np.int64) - b))
    names = ["x", "w"] + (["a", "b"] if points != "none" else [])
    node = helper.make_node("MatMulInteger", names, ["y"], "product")
    # ONNX Runtime has no row-wise zero points for the first operand, and its sums of products with
    # int8 saturate at 16 bits on x86-64 CPUs without VNNI.
    constants = {"w": w, "a": np.asarray(a), "b": np.asarray(b)}
    name = f"integers-{np.dtype(left)}-{np.dtype(right)}-{depth}-{points}"
    has_runtime = points in ("none", "one") and right is np.uint8
    run(name, node, {"x": x}, constants, wanted, 0, has_runtime)
x, w = draw(np.uint8, (1, 70000)), draw(np.uint8, (70000, 1))
node = helper.make_node("MatMulInteger", ["x", "w"], ["y"], "product")
info = helper.make_tensor_value_info
graph = helper.make_graph(
    [node],
    "g",
    [info("x", TensorProto.UINT8, x.shape), info("w", TensorProto.UINT8, w.shape)],
    [info("y", TensorProto.INT32, (1, 1))],
)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), folder / "x.onnx")
done = subprocess.run(
    [translate, "--export-openvino", folder / "x.onnx", "-o", folder / "x.xml"],
    capture_output=True,
    text=True,
)
message = (
    "node 'product' (MatMulInteger): no equivalent in OpenVINO: accumulation of 70000 products"
)
assert done.returncode == 1 and message in done.stderr, done


def convolve(x, w, groups, stride, pad, dilation):
    """A single image, by definition."""
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    each = w.shape[1]
    window = [(size - 1) * dilation + 1 for size in w.shape[2:]]
    sizes = [(x.shape[2 + i] - window[i]) // stride + 1 for i in (0, 1)]
    y = np.zeros((len(x), len(w), *sizes), np.int64)
    for m, i, j in np.ndindex(len(w), *sizes):
        first = m // (len(w) // groups) * each
        rows = slice(i * stride, i * stride + window[0], dilation)
        columns = slice(j * stride, j * stride + window[1], dilation)
        y[:, m, i, j] = (x[:, first : first + each, rows, columns] * w[m]).sum((1, 2, 3))
    return y


for left, right, channels, groups, points in itertools.product(
    (np.uint8, np.int8), (np.uint8, np.int8), (4, 64), (1, 2), ("none", "one", "each")
):
    x, w = draw(left, (1, channels, 7, 6)), draw(right, (6, channels // groups, 3, 3))
    a = draw(left, (2,))[0] if points != "none" else left(0)
    b = draw(right, (2, *((6,) if points == "each" else ())))[0] if points != "none" else right(0)
    stride, pad, dilation = random.choice([1, 2]), random.choice([0, 1]), random.choice([1, 2])
    spread = b.reshape(6, 1, 1, 1) if points == "each" else b
    wide = x.astype(np.int64) - a, w.astype(np.int64) - spread
    wanted = wrap(convolve(*wide, groups, stride, pad, dilation))
    names = ["x", "w"] + (["a", "b"] if points != "none" else [])
    node = helper.make_node(
        "ConvInteger",
        names,
        ["y"],
        "conv",
        group=groups,
        strides=[stride] * 2,
        pads=[pad] * 4,
        dilations=[dilation] * 2,
    )
    name = f"conv-{np.dtype(left)}-{np.dtype(right)}-{channels}-{groups}-{points}"
    constants = {"w": w, "a": np.asarray(a), "b": np.asarray(b)}
    has_runtime = left is right is np.uint8 and points == "one"
    run(name, node, {"x": x}, constants, wanted, 0, has_runtime)

assert counts["models"] > 250, counts
print(counts)
