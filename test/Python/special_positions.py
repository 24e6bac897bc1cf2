# Positions that are NaN or infinite, and an empty update, cause no out-of-bounds reads.
# RUN: %python %s
import numpy as np
import quant_float as qf
from onnx import TensorProto as T
from onnx import helper


def compile_node(node, inputs, output, opset):
    values = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs]
    result = helper.make_tensor_value_info("y", *output)
    graph = helper.make_graph([node], "g", values, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return qf.compile(model)


x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
grid = np.float32([[[[np.nan, 0], [-np.inf, 0]], [[1e30, 0], [0, np.inf]]]])
for mode in ("linear", "nearest", "cubic"):
    for padding in ("zeros", "border", "reflection"):
        node = helper.make_node("GridSample", ["x", "grid"], ["y"], mode=mode, padding_mode=padding)
        inputs = [("x", T.FLOAT, [1, 1, 4, 4]), ("grid", T.FLOAT, [1, 2, 2, 2])]
        y = compile_node(node, inputs, (T.FLOAT, [1, 1, 2, 2]), 20)(x, grid)
        # Values other than those of x and NaN would come from other memory.
        assert np.all(np.isnan(y) | (np.abs(y) <= 2 * x.max())), (mode, padding, y)

cache = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
starts = np.int64([0, 1])
for length in (0, "n"):
    node = helper.make_node("TensorScatter", ["x", "update", "starts"], ["y"], axis=1)
    inputs = [
        ("x", T.FLOAT, [2, 4, 3]),
        ("update", T.FLOAT, [2, length, 3]),
        ("starts", T.INT64, [2]),
    ]
    kernel = compile_node(node, inputs, (T.FLOAT, [2, 4, 3]), 24)
    assert np.array_equal(kernel(cache, np.zeros((2, 0, 3), np.float32), starts), cache), length
    if length:
        wanted = cache.copy()
        wanted[0, :2], wanted[1, 1:3] = -1, -1
        assert np.array_equal(kernel(cache, np.full((2, 2, 3), -1, np.float32), starts), wanted)
