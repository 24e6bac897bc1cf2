# Matmuls and convolutions of f16 and bf16: products and sums are computed in f32, in the order of
# K, and the result is rounded once. The bits are the same for every supported CPU level of this
# machine and with threads.
# RUN: %python %s
import sys

import ml_dtypes
import numpy as np
import quant_float as qf
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(3)
failures = 0


def add_up(terms):
    total = np.float32(0)
    for term in terms:
        total = total + term
    return total


def multiply(a, b):
    a, b = a.astype(np.float32), b.astype(np.float32)
    return add_up(a[:, k, None] * b[None, k] for k in range(a.shape[1]))


def convolve(x, w):
    x, w = x.astype(np.float32), w.astype(np.float32)
    height, width = x.shape[2] - 2, x.shape[3] - 2
    return add_up(
        x[:, c, r : r + height, s : s + width][:, None] * w[None, :, c, r, s, None, None]
        for c in range(x.shape[1])
        for r in range(3)
        for s in range(3)
    )


def check(op, kind, dtype, x, w, oracle):
    """With static input sizes, and with dynamic ones where the weight allows them."""
    x, w = x.astype(dtype), w.astype(dtype)
    wanted = oracle(x, w).astype(dtype).view(np.uint16)
    dynamic_sizes = {"MatMul": ("m", x.shape[1]), "Conv": ("n", x.shape[1], "h", "w")}[op]
    check_sizes(op, kind, x.shape, x, w, wanted)
    check_sizes(op, kind, dynamic_sizes, x, w, wanted)


def check_sizes(op, kind, sizes, x, w, wanted):
    global failures
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", kind, sizes)],
        [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(w, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    for cpu, threads in (("host", 1), ("x86-64", 1), ("x86-64-v3", 1), ("host", 2)):
        result = qf.compile(model, cpu=cpu, threads=threads)(x)
        if not np.array_equal(np.asarray(result).view(np.uint16), wanted):
            failures += 1
            print(f"{op} of {x.dtype}, {sizes} and {w.shape}, {cpu}, {threads} threads: other bits")


for kind, dtype in ((TensorProto.FLOAT16, np.float16), (TensorProto.BFLOAT16, ml_dtypes.bfloat16)):
    for m, k, n in ((1, 64, 24), (8, 33, 40), (37, 300, 70)):
        shapes = (m, k), (k, n)
        check("MatMul", kind, dtype, *map(random.standard_normal, shapes), multiply)
    for channels, filters, height, width in ((3, 8, 9, 13), (40, 24, 11, 30)):
        shapes = (1, channels, height, width), (filters, channels, 3, 3)
        check("Conv", kind, dtype, *map(random.standard_normal, shapes), convolve)
sys.exit(failures)
