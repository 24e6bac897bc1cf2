# QLinearMatMul of every float8, with up to four rows and more, and with matrices that are
# constants, arguments, casts or quantized: the sums in f32, accumulated in the order of K as in
# numpy, and rule D3.
# RUN: %python %s
import itertools

import ml_dtypes
import numpy as np
import quant_float as qf
from onnx import TensorProto, helper, numpy_helper

TYPES = {
    TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
    TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2,
    TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
}
SCALE = np.float32(0.25)
random = np.random.default_rng(71)


def operand(name, origin, shape, number):
    """The encodings, the nodes that compute them, the argument or the constant, and the argument's
    values."""
    values = random.uniform(-2, 2, shape).astype(np.float32)
    kind = TYPES[number]
    encodings = (values / SCALE if origin == "quantize" else values).astype(kind)
    if origin == "constant":
        tensor = helper.make_tensor(name, number, shape, encodings.tobytes(), raw=True)
        return encodings, [], [], [tensor], []
    if origin == "argument":
        info = helper.make_tensor_value_info(name, number, shape)
        return encodings, [], [info], [], [encodings]
    node = {
        "cast": helper.make_node("Cast", [name + "0"], [name], to=number),
        "quantize": helper.make_node("QuantizeLinear", [name + "0", "s", "z"], [name]),
    }[origin]
    info = helper.make_tensor_value_info(name + "0", TensorProto.FLOAT, shape)
    return encodings, [node], [info], [], [values]


def compute(a, b, kind):
    x, w = a.astype(np.float32), b.astype(np.float32)
    sums = np.zeros((len(x), w.shape[1]), np.float32)
    for k in range(len(w)):
        sums += x[:, k, None] * w[None, k]
    limit = float(ml_dtypes.finfo(kind).max)
    return np.clip(sums * (SCALE * SCALE / SCALE), -limit, limit).astype(kind)


def check(number, shape):
    """One model has the matmuls of all pairs of origins."""
    rows, depth, columns = shape
    zero = helper.make_tensor("z", number, [], b"\0", raw=True)
    nodes, infos, results, arrays, expected = [], [], [], [], []
    constants = [numpy_helper.from_array(SCALE, "s"), zero]
    origins = ("constant", "argument", "cast", "quantize")
    for index, pair in enumerate(itertools.product(origins, repeat=2)):
        names = [f"{letter}{index}" for letter in "aby"]
        operands = [
            operand(names[0], pair[0], (rows, depth), number),
            operand(names[1], pair[1], (depth, columns), number),
        ]
        for _, own_nodes, own_infos, own_constants, own_arrays in operands:
            nodes += own_nodes
            infos += own_infos
            constants += own_constants
            arrays += own_arrays
        inputs = [names[0], "s", "z", names[1], "s", "z", "s", "z"]
        nodes.append(helper.make_node("QLinearMatMul", inputs, [names[2]]))
        results.append(helper.make_tensor_value_info(names[2], number, None))
        expected.append((pair, compute(operands[0][0], operands[1][0], TYPES[number])))
    graph = helper.make_graph(nodes, "g", infos, results, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    for (pair, wanted), got in zip(expected, qf.compile(model)(*arrays), strict=True):
        same = np.asarray(got).view(TYPES[number]).astype(float) == wanted.astype(float)
        assert same.all(), (number, shape, pair)


shapes = ((4, 64, 16), (1, 64, 16), (4, 64, 3), (3, 32, 1), (5, 64, 16))
for number, shape in itertools.product(TYPES, shapes):
    if number == TensorProto.FLOAT8E4M3FN or shape == (4, 64, 16):
        check(number, shape)
