# Executes transpositions of all element sizes and of extents around the size of
# a block, static and dynamic, alone and fused with elementwise ops, in one
# thread and in two. numpy is the oracle.
# RUN: %python %s host
# RUN: %if host-x86_64 %{ %python %s x86-64 %}
# RUN: %if host-avx2 %{ %python %s x86-64-v3 %}
# RUN: %if host-avx512 %{ %python %s x86-64-v4 %}
import itertools
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import quant_float as qf
from onnx import TensorProto, helper

(cpu,) = sys.argv[1:]
random = np.random.default_rng(5)
folder = pathlib.Path(tempfile.mkdtemp())
CASES = [
    ((33, 47), (1, 0)),
    ((16, 3), (1, 0)),
    ((5, 4), (1, 0)),
    ((2, 15, 31), (0, 2, 1)),
    ((3, 4, 9, 18), (0, 2, 3, 1)),
    ((1, 8, 8, 20), (0, 3, 1, 2)),
    ((4, 6, 7, 9), (3, 1, 0, 2)),
    ((300, 257), (1, 0)),
]
TYPES = (np.float32, np.float64, np.float16, np.int8, np.uint8, np.int16, np.int64, np.bool_)


def compile_graph(nodes, x, result_type, shape, is_dynamic, threads):
    def info(name, element, sizes):
        sizes = [f"{name}{i}" for i in range(len(sizes))] if is_dynamic else sizes
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(np.dtype(element)), sizes
        )

    graph = helper.make_graph(
        nodes, "g", [info("x", x.dtype, x.shape)], [info("y", result_type, shape)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, folder / "model.onnx")
    return qf.compile(folder / "model.onnx", cpu=cpu, threads=threads)


def check(nodes, x, expected, is_dynamic=False, threads=1):
    kernel = compile_graph(nodes, x, expected.dtype, expected.shape, is_dynamic, threads)
    result = np.asarray(kernel(x))
    what = [node.op_type for node in nodes], x.dtype, x.shape, is_dynamic, threads
    np.testing.assert_array_equal(result, expected, err_msg=str(what))


for (shape, order), element in itertools.product(CASES, TYPES):
    x = random.integers(-100, 100, shape).astype(element)
    transpose = helper.make_node("Transpose", ["x"], ["y"], perm=order)
    expected = np.ascontiguousarray(x.transpose(order))
    # Dynamic extents use the same blocks, so a few element sizes suffice.
    choices = (False, True) if element in (np.float32, np.int8) else (False,)
    for is_dynamic in choices:
        check([transpose], x, expected, is_dynamic)
    if element in (np.float32, np.uint8) and x.size > 70000:
        check([transpose], np.tile(x, (2, 2)), np.tile(expected, (2, 2)), threads=2)

for shape, order in CASES:
    x = random.integers(-100, 100, shape).astype(np.float32)
    transpose = helper.make_node("Transpose", ["x"], ["t"], perm=order)
    expected = np.ascontiguousarray(x.transpose(order))
    for is_dynamic in (False, True):
        relu = helper.make_node("Relu", ["t"], ["y"])
        check([transpose, relu], x, np.maximum(expected, 0), is_dynamic)
        cast = helper.make_node("Cast", ["t"], ["y"], to=TensorProto.INT8)
        check([transpose, cast], x, expected.astype(np.int8), is_dynamic)

# One operand is transposed, and the other one is not.
x = random.integers(-100, 100, (40, 40)).astype(np.float32)
transpose = helper.make_node("Transpose", ["x"], ["t"], perm=(1, 0))
check([transpose, helper.make_node("Add", ["t", "x"], ["y"])], x, x.T + x)
