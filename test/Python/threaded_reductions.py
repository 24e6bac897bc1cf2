# Reductions that several threads share, of matmuls, convolutions and windows, have the bits of a
# single thread.
# RUN: %python %s
import numpy as np
import quant_float as qf
from onnx import helper, numpy_helper

random = np.random.default_rng(23)
nodes, inputs, outputs, weights, arrays = [], [], [], [], []


def make_array(dtype, shape):
    if np.issubdtype(dtype, np.floating):
        return random.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max + 1, shape).astype(dtype)


def add(op, x, *constants, result=np.float32, **attributes):
    """A node of one input. Each constant is an array, and follows the input."""
    index = len(nodes)
    names = [f"x{index}"]
    for constant in constants:
        names.append(f"w{len(weights)}")
        weights.append(numpy_helper.from_array(constant, names[-1]))
    nodes.append(helper.make_node(op, names, [f"y{index}"], **attributes))
    kinds = [helper.np_dtype_to_tensor_dtype(np.dtype(kind)) for kind in (x.dtype, result)]
    inputs.append(helper.make_tensor_value_info(f"x{index}", kinds[0], x.shape))
    outputs.append(helper.make_tensor_value_info(f"y{index}", kinds[1], None))
    arrays.append(x)


f32, u8, s8 = np.float32, np.uint8, np.int8
scale = np.float32(0.02)
for channels, filters, kernel, size, group, stride in (
    (32, 64, 3, 28, 1, 1),
    (64, 50, 1, 28, 1, 2),
    (96, 96, 3, 40, 96, 1),
    (3, 7, 5, 96, 1, 1),
):
    shape = (filters, channels // group, kernel, kernel)
    options = {"pads": [kernel // 2] * 4, "group": group, "strides": [stride] * 2}
    image = (1, channels, size, size)
    add("Conv", make_array(f32, image), make_array(f32, shape), make_array(f32, filters), **options)
    encodings = make_array(s8, shape)
    add("ConvInteger", make_array(u8, image), encodings, np.uint8(7), result=np.int32, **options)
    quantization = (
        scale,
        np.uint8(120),
        encodings,
        scale,
        np.int8(0),
        np.float32(4),
        np.uint8(128),
    )
    add("QLinearConv", make_array(u8, image), *quantization, result=u8, **options)
add("MaxPool", make_array(f32, (2, 64, 60, 60)), kernel_shape=[3, 3], strides=[2, 2])
for rows, depth, columns in ((96, 128, 96), (1, 2048, 1024), (37, 300, 130), (3, 700, 512)):
    add("MatMul", make_array(f32, (rows, depth)), make_array(f32, (depth, columns)))
    encodings = make_array(s8, (depth, columns))
    add("MatMulInteger", make_array(u8, (rows, depth)), encodings, np.uint8(3), result=np.int32)
    quantization = (
        scale,
        np.uint8(120),
        encodings,
        scale,
        np.int8(0),
        np.float32(4),
        np.uint8(128),
    )
    add("QLinearMatMul", make_array(u8, (rows, depth)), *quantization, result=u8)
add("MatMul", make_array(f32, (6, 40, 64)), make_array(f32, (6, 64, 80)))
add("ReduceMax", make_array(f32, (16, 300, 200)), axes=[1])

graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)

for cpu in ("host", "x86-64-v3"):
    expected = qf.compile(model, cpu=cpu)(*arrays)
    for threads in (2, 4):
        results = qf.compile(model, cpu=cpu, threads=threads)(*arrays)
        for node, result, one in zip(nodes, results, expected, strict=True):
            assert result.tobytes() == one.tobytes(), (cpu, threads, node, result.shape)
