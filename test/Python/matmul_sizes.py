# Matmuls and convolutions of all small sizes, static and dynamic, with all layouts of the matrices,
# for every supported CPU level of this machine and with either accumulation mode. Integer sums are
# not rounded: numpy's results are exact, too. With enough rows for a panel, the values need
# rounding as well, and numpy accumulates them by fused multiply-adds.
# RUN: %python %s
import platform
import sys

import numpy as np
import onnx
import quant_float as qf
from fma import fma
from onnx import TensorProto as T
from onnx import helper

LEVELS = ("x86-64", "x86-64-v3", "x86-64-v4") if platform.machine() == "x86_64" else ("host",)
SIZES = [*range(1, 10), *range(15, 19), *range(31, 36), 65]
rng = np.random.default_rng(3)
failures = []


def draw(*shape):
    return rng.integers(-8, 9, shape).astype(np.float32)


def convolve(x, w, stride, pad):
    """Of one image, by definition."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("nchwrs,ocrs->nohw", windows[:, :, ::stride, ::stride], w)


def matmuls(is_dynamic):
    """Inputs, nodes and expected outputs of one model."""
    for rows, size in [(1, n) for n in SIZES] + [(n % 11 + 2, n) for n in SIZES[::4]]:
        for transposed in (0, 1):
            depth = (size * 7 + rows) % 41 + 1
            x, w = draw(rows, depth), draw(*((size, depth) if transposed else (depth, size)))
            shapes = (
                [["m", "k"], ["n", "k"] if transposed else ["k", "n"]] if is_dynamic else [x, w]
            )
            yield "Gemm", (x, w), shapes, {"transB": transposed}, x @ (w.T if transposed else w)


def convolutions():
    for size in SIZES[::2]:
        for kernel, stride in ((1, 1), (1, 2), (3, 1), (3, 2), (5, 3)):
            pad = kernel // 2
            x = draw(1, 3, size % 5 + kernel, size + kernel - 1)
            w = draw(size % 4 + 1, 3, kernel, kernel)
            attributes = {"pads": [pad] * 4, "strides": [stride] * 2}
            yield "Conv", (x, w), (x, w), attributes, convolve(x, w, stride, pad)


def sum_in_order(x, w):
    """x @ w, with a fused multiply-add for each product."""
    total = np.zeros((*x.shape[:-1], w.shape[-1]), np.float32)
    for step in range(x.shape[-1]):
        total = fma(x[..., step : step + 1], w[..., step : step + 1, :], total)
    return total


def convolve_in_order(x, w, stride, pad, group):
    """Of one image."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], (2, 3))
    columns = windows[0, :, ::stride, ::stride].transpose(0, 3, 4, 1, 2)
    sizes = columns.shape[3:]
    filters = w.reshape(group, len(w) // group, -1)
    expected = sum_in_order(filters, columns.reshape(group, -1, sizes[0] * sizes[1]))
    return expected.reshape(1, len(w), *sizes)


def panels(make):
    """Elements that many rows share are copied to a panel, for a part of K at a time."""
    for rows, depth, size in ((16, 1, 65), (17, 300, 1), (21, 600, 49), (25, 40, 33), (50, 257, 7)):
        x, w = make(rows, depth), make(depth, size)
        yield "Gemm", (x, w), (x, w), {}, sum_in_order(x, w)
    for filters, channels, size, kernel, stride, group in (
        (16, 3, 30, 7, 2, 1),
        (19, 40, 7, 3, 1, 1),
        (64, 64, 14, 3, 2, 2),
        (23, 300, 7, 1, 1, 1),
        (32, 5, 12, 11, 1, 1),
    ):
        pad = kernel // 2
        x, w = make(1, channels, size, size), make(filters, channels // group, kernel, kernel)
        attributes = {"pads": [pad] * 4, "strides": [stride] * 2, "group": group}
        yield "Conv", (x, w), (x, w), attributes, convolve_in_order(x, w, stride, pad, group)


def dynamic_panels(make):
    """The same with a dynamic number of rows, few or many, or with dynamic lengths of rows."""
    for index, rows in enumerate((0, 1, 3, 8, 15, 16, 17, 21, 25, 50)):
        for depth, size in ((1, 65), (40, 33), (600, 49), (257, 7), (64, 130))[index % 2 :: 2]:
            for transposed in (0, 1):
                x, w = make(rows, depth), make(*((size, depth) if transposed else (depth, size)))
                result = sum_in_order(x, w.T if transposed else w)
                sizes = ["n", "k"] if transposed else ["k", "n"]
                yield "Gemm", (x, w), (["m", depth], w), {"transB": transposed}, result
                yield "Gemm", (x, w), (["m", "k"], sizes), {"transB": transposed}, result
    for index, width in enumerate((*range(1, 20, 3), 31, 48, 64, 70, 97)):
        for filters, channels, kernel, stride, group in (
            (16, 3, 3, 1, 1),
            (19, 40, 3, 2, 1),
            (34, 70, 1, 1, 1),
            (64, 64, 3, 1, 2),
            (40, 9, 1, 2, 1),
            (17, 300, 5, 1, 1),
        )[index % 2 :: 2]:
            pad = kernel // 2
            x, w = (
                make(1, channels, width % 4 + 3, width),
                make(filters, channels // group, kernel, kernel),
            )
            attributes = {"pads": [pad] * 4, "strides": [stride] * 2, "group": group}
            result = convolve_in_order(x, w, stride, pad, group)
            yield "Conv", (x, w), (["b", channels, "h", "w"], w), attributes, result


def lengths(make):
    """Reductions that differ in their lengths only, which are compiled once."""
    for depth in (0, 1, 2, 63, 128, 129, 500):
        x, w = make(20, depth), make(depth, 33)
        yield "Gemm", (x, w), (x, w), {}, sum_in_order(x, w)
        w = make(33, depth)
        yield "Gemm", (x, w), (x, w), {"transB": 1}, sum_in_order(x, w.T)
        x, w = make(3, depth), make(depth, 33)
        yield "Gemm", (x, w), (x, w), {}, sum_in_order(x, w)
    for channels in (1, 2, 9, 64, 100, 130):
        x, w = make(1, channels, 6, 8), make(20, channels, 3, 3)
        windows = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), (1, 2))
        columns = windows.transpose(0, 3, 4, 1, 2).reshape(channels * 9, -1)
        expected = sum_in_order(w.reshape(20, -1), columns)
        yield "Conv", (x, w), (x, w), {}, expected.reshape(1, 20, 4, 6)


def draw_any(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def run(name, cases, kinds=("ordered", "reassociate")):
    cases, nodes, inputs, outputs, arrays = list(cases), [], [], [], []
    for index, (op, given, shapes, attributes, _) in enumerate(cases):
        names = [f"{part}{index}" for part in "xwy"]
        nodes.append(helper.make_node(op, names[:2], names[2:], **attributes))
        for part, array, shape in zip(names, given, shapes, strict=False):
            sizes = (
                array.shape
                if shape is array
                else [f"{s}{index}" if isinstance(s, str) else s for s in shape]
            )
            inputs.append(helper.make_tensor_value_info(part, T.FLOAT, sizes))
            arrays.append(array)
        outputs.append(helper.make_tensor_value_info(names[2], T.FLOAT, None))
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    model = onnx.shape_inference.infer_shapes(model)
    for level in LEVELS:
        for sums in kinds if level == LEVELS[-1] else ("ordered",):
            try:
                results = qf.compile(model, cpu=level, accumulation=sums)(*arrays)
            except qf.RunError as error:
                if "CPU" in str(error):
                    continue
                raise
            for (op, given, _, attributes, expected), result in zip(cases, results, strict=True):
                if not np.array_equal(result, expected):
                    shapes = [array.shape for array in given]
                    failures.append(f"{name} {level} {sums}: {op} {attributes} {shapes}")
    return len(cases)


def check_shares():
    """Threads share rows, some of which have a common scale."""
    for block, rows in ((3, 48), (128, 384)):
        encodings = rng.integers(-8, 9, (rows, 64, 256)).astype(np.int8)
        scales = np.exp2(rng.integers(-2, 3, (rows // block, 64, 256))).astype(np.float32)
        vector = draw(256)
        names = ["quantized", "scales", "vector", "values", "y"]
        graph = helper.make_graph(
            [
                helper.make_node(
                    "DequantizeLinear", names[:2], names[3:4], axis=0, block_size=block
                ),
                helper.make_node("MatMul", ["values", "vector"], ["y"]),
            ],
            "g",
            [
                helper.make_tensor_value_info("quantized", T.INT8, encodings.shape),
                helper.make_tensor_value_info("scales", T.FLOAT, scales.shape),
                helper.make_tensor_value_info("vector", T.FLOAT, vector.shape),
            ],
            [helper.make_tensor_value_info("y", T.FLOAT, (rows, 64))],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        expected = encodings * np.repeat(scales, block, axis=0) @ vector
        for threads in (1, 2, 3, 6):
            result = qf.compile(model, threads=threads)(encodings, scales, vector)
            if not np.array_equal(result, expected):
                failures.append(f"shares of {threads} threads, blocks of {block}")
    return 8


counts = [
    run("static", matmuls(False)),
    run("dynamic", matmuls(True)),
    run("windows", convolutions()),
    run("panels", panels(draw)),
    run("panels, rounded", panels(draw_any), kinds=("ordered",)),
    run("dynamic panels", dynamic_panels(draw)),
    run("dynamic panels, rounded", dynamic_panels(draw_any), kinds=("ordered",)),
    run("lengths", lengths(draw)),
    run("lengths, rounded", lengths(draw_any), kinds=("ordered",)),
    check_shares(),
]
print(counts, *failures[:20], sep="\n")
sys.exit(bool(failures))
