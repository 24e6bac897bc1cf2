# Constants with Cast, Sub and Mul are weights like those with DequantizeLinear: matmuls and
# convolutions have the same bits, with one scale and zero point and with some for each row or
# column. Exceptions are matmuls of up to four rows, whose accumulation order differs (R7).
# RUN: %python %s
import itertools

import ml_dtypes
import numpy as np
import quant_float as qf
from onnx import TensorProto as T
from onnx import helper

DEPTH, COLUMNS = 96, 80
TYPES = {
    "i8": (T.INT8, np.int8, -128, 127),
    "u8": (T.UINT8, np.uint8, 0, 255),
    "i4": (T.INT4, ml_dtypes.int4, -8, 7),
    "e4m3fn": (T.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn, -448, 448),
}
SHAPES = {"tensor": (), "rows": (DEPTH, 1), "columns": (COLUMNS,), "channels": (COLUMNS, 1, 1, 1)}


def weights(names, constants, encodings, number, scale, point, form, axis):
    """Nodes that decode the quantized values into `names`."""

    def constant(array, kind):
        name = f"c{len(constants)}"
        constants.append(
            helper.make_tensor(name, kind, array.shape, array.astype(np.float32).ravel())
        )
        return name

    source = constant(encodings, number)
    if form == "dequantize":
        inputs = [source, constant(scale.squeeze(), T.FLOAT)]
        if point is not None:
            inputs.append(constant(point.squeeze(), number))
        return [helper.make_node("DequantizeLinear", inputs, [names], axis=axis)]
    nodes = [helper.make_node("Cast", [source], [f"{names}f"], to=T.FLOAT)]
    last = f"{names}f"
    if point is not None:
        nodes.append(helper.make_node("Sub", [last, constant(point, T.FLOAT)], [f"{names}p"]))
        last = f"{names}p"
    return [*nodes, helper.make_node("Mul", [last, constant(scale, T.FLOAT)], [names])]


def build(form):
    """One model of all cases, the same for either form."""
    state = np.random.default_rng(37)
    nodes, constants, infos, results, arrays, labels = [], [], [], [], [], []
    for kind, granularity, with_point in itertools.product(TYPES, SHAPES, (False, True)):
        if with_point and kind == "e4m3fn":
            continue
        number, dtype, low, high = TYPES[kind]
        is_conv = granularity == "channels"
        shape = (COLUMNS, 12, 3, 3) if is_conv else (DEPTH, COLUMNS)
        encodings = state.uniform(low, high, shape).astype(dtype)
        scale = state.uniform(0.01, 0.1, SHAPES[granularity]).astype(np.float32)
        point = (
            state.uniform(max(low, -7), min(high, 7), scale.shape).astype(dtype)
            if with_point
            else None
        )
        axis = 1 if granularity == "columns" else 0
        for rows in (7,) if is_conv else (1, 4, 5, 24):
            index = len(labels)
            x = state.standard_normal((1, 12, 7, 7) if is_conv else (rows, DEPTH)).astype(
                np.float32
            )
            nodes += weights(f"w{index}", constants, encodings, number, scale, point, form, axis)
            op = "Conv" if is_conv else "MatMul"
            nodes.append(helper.make_node(op, [f"x{index}", f"w{index}"], [f"y{index}"]))
            infos.append(helper.make_tensor_value_info(f"x{index}", T.FLOAT, x.shape))
            results.append(helper.make_tensor_value_info(f"y{index}", T.FLOAT, None))
            arrays.append(x)
            labels.append((kind, granularity, with_point, rows))
    graph = helper.make_graph(nodes, "g", infos, results, constants)
    return (
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10),
        arrays,
        labels,
    )


for options in ({}, {"cpu": "x86-64-v3"}, {"threads": 2}):
    models = [build(form) for form in ("dequantize", "cast")]
    one, other = (qf.compile(model, **options)(*arrays) for model, arrays, _ in models)
    for label, wanted, got in zip(models[0][2], one, other, strict=True):
        if label[-1] <= 4:
            # The quantized values of DequantizeLinear are K-contiguous (R7), with another
            # accumulation order.
            assert np.allclose(wanted, got, rtol=0, atol=1e-4 * np.abs(wanted).max()), (
                label,
                options,
            )
        else:
            assert wanted.tobytes() == got.tobytes(), (label, options, np.abs(wanted - got).max())
