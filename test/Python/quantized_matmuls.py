# With accumulation="reassociate", convolutions and matmuls of dequantized 8-bit values have the
# bits of exact sums times both scales, on every CPU and with threads. Matmuls that are not
# legalizable this way, such as skinny ones, 16-bit values and long reductions, do not.
# RUN: %python %s
import numpy as np
import quant_float as qf
from onnx import helper, numpy_helper

random = np.random.default_rng(29)
f32 = np.float32


def make_quantized(dtype, shape):
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max + 1, shape).astype(dtype)


class Case:
    """A node between dequantizations, and its result from exact sums."""

    def __init__(self, op, x, w, axis, exact, points=(120, 3), per_channel=True, bias=True, **attributes):  # fmt: skip
        count = w.shape[axis]
        scales = [f32(0.03), (random.random(count if per_channel else ()) / 50 + 0.001).astype(f32)]
        zeros = [np.array(points[0], x.dtype), np.full(scales[1].shape, points[1], w.dtype)]
        constants = {"sx": scales[0], "zx": zeros[0], "w": w, "sw": scales[1], "zw": zeros[1]}
        options = {"axis": axis} if per_channel else {}
        nodes = [
            helper.make_node("DequantizeLinear", ["x", "sx", "zx"], ["dx"]),
            helper.make_node("DequantizeLinear", ["w", "sw", "zw"], ["dw"], **options),
        ]
        names = ["dx", "dw"]
        if bias:
            constants["b"] = random.standard_normal(count).astype(f32)
            names.append("b")
        nodes.append(helper.make_node(op, names, ["y"], **attributes))
        weights = [numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()]
        kind = helper.np_dtype_to_tensor_dtype(x.dtype)
        graph = helper.make_graph(
            nodes, "g", [helper.make_tensor_value_info("x", kind, x.shape)], [helper.make_tensor_value_info("y", 1, None)], weights
        )  # fmt: skip
        opsets = [helper.make_opsetid("", 21)]
        self.model, self.x = helper.make_model(graph, opset_imports=opsets, ir_version=10), x
        sums = exact(x.astype(np.int64) - points[0], w.astype(np.int64) - points[1])
        shape = (-1, 1, 1) if op == "Conv" else (-1,)
        self.wanted = sums.astype(f32) * (scales[0] * scales[1]).reshape(shape if per_channel else ())  # fmt: skip
        if bias:
            self.wanted = self.wanted + constants["b"].reshape(shape)


def convolve(x, w, pad=1, stride=1):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("ncrsij,fcij->nfrs", windows[:, :, ::stride, ::stride], w)


def check(case, is_exact=True):
    results = [qf.compile(case.model, cpu=cpu, accumulation="reassociate", threads=threads)(case.x) for cpu, threads in (("host", 1), ("x86-64-v3", 1), ("x86-64", 1), ("host", 2))]  # fmt: skip
    for result in results:
        assert (result.tobytes() == case.wanted.tobytes()) == is_exact, case.model.graph.node
        assert np.allclose(result, case.wanted, rtol=1e-4, atol=1e-3)


u8, s8 = np.uint8, np.int8
image = (1, 12, 9, 11)
for kinds in ((u8, s8), (s8, s8), (u8, u8), (s8, u8)):
    x, w = make_quantized(kinds[0], image), make_quantized(kinds[1], (7, 12, 3, 3))
    points = (120 if kinds[0] == u8 else -5, 3)
    check(Case("Conv", x, w, 0, convolve, points, pads=[1] * 4))
x = make_quantized(u8, image)
stride = Case("Conv", x, make_quantized(s8, (5, 12, 1, 1)), 0, lambda x, w: convolve(x, w, 0, 2), per_channel=False, bias=False, strides=[2, 2])  # fmt: skip
check(stride)
# Many channels, whose scales are stored outside of the model.
check(Case("Conv", x, make_quantized(s8, (600, 12, 1, 1)), 0, lambda x, w: convolve(x, w, 0)))
rows = make_quantized(u8, (6, 40))
check(Case("MatMul", rows, make_quantized(s8, (40, 24)), 1, np.matmul, bias=False))
check(Case("Gemm", rows, make_quantized(s8, (24, 40)), 0, lambda x, w: x @ w.T, transB=1))

check(Case("MatMul", make_quantized(u8, (2, 40)), make_quantized(s8, (40, 24)), 1, np.matmul, bias=False), is_exact=False)  # fmt: skip
check(Case("MatMul", make_quantized(np.uint16, (6, 40)), make_quantized(s8, (40, 24)), 1, np.matmul, bias=False), is_exact=False)  # fmt: skip
