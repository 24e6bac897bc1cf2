# Windows with a stride of two, over rows of all lengths with any offset in vectors. The values are
# integers, so that any order of additions is exact.
# RUN: %python %s
import itertools

import numpy as np
import onnx
import quant_float as qf
from onnx import helper, numpy_helper

random = np.random.default_rng(17)
CPUS = ("host", "x86-64-v3")


def take_windows(x, kernel, pad, fill):
    """Every second window of an image (channels, rows, columns): (channels, rows, columns, kernel,
    kernel)."""
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (1, 2))[:, ::2, ::2]


class Graph:
    def __init__(self):
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.arrays, self.wanted = [], []

    def add(self, op, x, wanted, weight=None, **attributes):
        index = len(self.nodes)
        names = [f"x{index}"]
        if weight is not None:
            names.append(f"w{index}")
            self.weights.append(numpy_helper.from_array(weight, names[1]))
        self.nodes.append(helper.make_node(op, names, [f"y{index}"], **attributes))
        for values, name, array in ((self.inputs, f"x{index}", x[None]), (self.outputs, f"y{index}", wanted[None])):  # fmt: skip
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            values.append(helper.make_tensor_value_info(name, kind, array.shape))
        self.arrays.append(x[None])
        self.wanted.append(wanted[None])

    def check(self):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.weights)
        opsets = [helper.make_opsetid("", 13)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        onnx.checker.check_model(model)
        for cpu in CPUS:
            results = qf.compile(model, cpu=cpu)(*self.arrays)
            for node, result, wanted in zip(self.nodes, results, self.wanted, strict=True):
                assert np.array_equal(result, wanted), (cpu, node, wanted.shape)


def make_image(dtype, *shape):
    return random.integers(0, 8, shape).astype(dtype)


graph = Graph()
for columns in (*range(3, 20), 33, 64, 65, 130):
    x = make_image(np.float32, 2, 4, columns)
    for kernel, pad in ((1, 0), (3, 0), (3, 1)):
        weight = make_image(np.float32, 3, 2, kernel, kernel)
        windows = take_windows(x, kernel, pad, 0)
        wanted = np.einsum("crwij,fcij->frw", windows, weight)
        graph.add("Conv", x, wanted, weight, strides=[2, 2], pads=[pad] * 4)
    each = make_image(np.float32, 2, 1, 3, 3)
    wanted = np.einsum("crwij,cij->crw", take_windows(x, 3, 1, 0), each[:, 0])
    graph.add("Conv", x, wanted, each, strides=[2, 2], pads=[1] * 4, group=2)
graph.check()

graph = Graph()
for dtype, columns in itertools.product((np.float32, np.uint8, np.int8), (*range(3, 20), 33, 63, 65, 129, 131)):  # fmt: skip
    x = make_image(dtype, 2, 5, columns)
    least = np.finfo(dtype).min if dtype == np.float32 else np.iinfo(dtype).min
    wanted = take_windows(x, 3, 1, least).max((3, 4))
    graph.add("MaxPool", x, wanted, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
graph.check()

graph = Graph()
for columns in (*range(3, 20), 33, 63, 65, 129, 131):
    x = make_image(np.uint8, 2, 5, columns)
    weight = make_image(np.int8, 3, 2, 3, 3)
    wanted = np.einsum("crwij,fcij->frw", take_windows(x, 3, 1, 0).astype(np.int32), weight)
    graph.add("ConvInteger", x, wanted.astype(np.int32), weight, strides=[2, 2], pads=[1] * 4)
graph.check()
