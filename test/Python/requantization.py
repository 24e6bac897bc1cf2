# Quantized values that are pooled, concatenated and requantized between integer convolutions: a
# MaxPool and a Concat of dequantized values, convolutions with zero points and a bias, in rows of
# any length, against NumPy's floats, for every supported CPU level of this machine and with
# threads.
# RUN: %python %s
import sys

import numpy as np
import quant_float as qf
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(3)
f32 = np.float32
ONE, THREE, TWO = f32(0.0371), f32(0.02), f32(0.0813)
failures = 0


def quantize(x, scale, zero):
    return np.clip(np.rint(x / scale) + f32(zero), 0, 255).astype(np.uint8)


def dequantize(q, scale, zero):
    return (q.astype(np.int32) - zero).astype(f32) * scale


def convolve(x, w):
    """Sums over windows of 3 by 3, in integers."""
    _, _, height, width = x.shape
    sums = np.zeros((1, w.shape[0], height - 2, width - 2), np.int64)
    for row in range(3):
        for column in range(3):
            part = x[:, :, row : row + height - 2, column : column + width - 2]
            sums += np.einsum("nchw,fc->nfhw", part.astype(np.int64), w[:, :, row, column])
    return sums


def pool(q):
    height, width = (q.shape[2] - 3) // 2 + 1, (q.shape[3] - 3) // 2 + 1
    parts = [
        q[:, :, r : r + 2 * height - 1 : 2, c : c + 2 * width - 1 : 2]
        for r in range(3)
        for c in range(3)
    ]
    return np.maximum.reduce(parts)


def check(height, width, channels=8):
    global failures
    x = random.integers(0, 256, (1, channels, height, width), dtype=np.uint8)
    w = random.integers(-127, 128, (16, channels, 3, 3)).astype(np.int8)
    sw = random.uniform(0.001, 0.003, 16).astype(f32)
    bias = random.standard_normal(16).astype(f32)
    constants = {"w": w, "sw": sw, "bias": bias, "zw": np.zeros(16, np.int8)}
    for name, scale, zero in (("1", ONE, 7), ("2", TWO, 0), ("3", THREE, 121)):
        constants |= {f"s{name}": scale, f"z{name}": np.uint8(zero)}
    node = helper.make_node
    nodes = [
        node("DequantizeLinear", ["x", "s1", "z1"], ["xf"]),
        node("DequantizeLinear", ["w", "sw", "zw"], ["wf"], axis=0),
        node("Conv", ["xf", "wf", "bias"], ["c"]),
        node("QuantizeLinear", ["c", "s2", "z2"], ["cq"]),
        node("DequantizeLinear", ["cq", "s2", "z2"], ["cf"]),
        node("MaxPool", ["cf"], ["m"], kernel_shape=[3, 3], strides=[2, 2]),
        node("QuantizeLinear", ["m", "s2", "z2"], ["pooled"]),
        node("Slice", ["xf", "from", "to"], ["xs"]),
        node("Concat", ["cf", "xs"], ["j"], axis=1),
        node("QuantizeLinear", ["j", "s3", "z3"], ["joined"]),
    ]
    constants |= {
        "from": np.array([0, 0, 1, 1]),
        "to": np.array([1, channels, height - 1, width - 1]),
    }
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, x.shape)],
        [helper.make_tensor_value_info(n, TensorProto.UINT8, None) for n in ("pooled", "joined")],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)

    sums = convolve(x.astype(np.int32) - 7, w.astype(np.int64))
    c = sums.astype(f32) * (ONE * sw)[:, None, None] + bias[:, None, None]
    cq = quantize(c, TWO, 0)
    inner = dequantize(x, ONE, 7)[:, :, 1:-1, 1:-1]
    joined = np.concatenate([dequantize(cq, TWO, 0), inner], 1)
    wanted = pool(cq), quantize(joined, THREE, 121)
    for cpu, threads in (("host", 1), ("x86-64", 1), ("x86-64-v3", 1), ("host", 2)):
        kernel = qf.compile(model, cpu=cpu, threads=threads)
        for name, result, expected in zip(("pooled", "joined"), kernel(x), wanted, strict=True):
            if not np.array_equal(np.asarray(result), expected):
                failures += 1
                print(f"{height} x {width}, {cpu}, {threads} threads: {name} differs")


for size in ((9, 9), (15, 15), (21, 29), (12, 57), (7, 71), (5, 113)):
    check(*size)
# A long reduction is split. Of 7 by 7 output positions, the last one is alone.
check(9, 9, channels=600)
sys.exit(failures)
