# RUN: %python %s %tools_dir %t

# Executes depthwise convolutions and pooling of images that are tiled by
# channels, in one thread and in two. The operands are integers, so that the
# sums are exact in any order; numpy is the oracle.

import itertools
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

tools, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(3)


def windows(x, size, stride, pad, fill):
    """The elements of the windows, in the last dimension."""
    padded = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)], constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(2, 3))
    view = view[:, :, ::stride, ::stride]
    return view.reshape(*view.shape[:4], size * size)


def run(name, node, x, expected, weights=(), activation=True):
    nodes = [node]
    if activation:
        nodes.append(helper.make_node("Relu", ["y"], ["z"]))
        expected = np.maximum(expected, 0)
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, expected.shape)],
        [numpy_helper.from_array(value, key) for key, value in weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, folder / f"{name}.onnx")
    np.save(folder / "x.npy", x)
    for threads in (1, 2):
        subprocess.run(
            [tools / "quant-float-run", folder / f"{name}.onnx", "--inputs", folder / "x.npy"]
            + ["--outputs", folder / name, f"--threads={threads}"],
            check=True,
        )
        result = np.load(folder / name / "output_0.npy")
        np.testing.assert_array_equal(result, expected, err_msg=f"{name}, {threads} threads")


def integers(*shape):
    return random.integers(-8, 9, shape).astype(np.float32)


# The second shape has more channels in a tile than one, the last a prime number of them.
shapes = [(1, 5, 90, 77), (2, 12, 40, 40), (1, 37, 31, 33)]
for (index, shape), stride in itertools.product(enumerate(shapes), (1, 2)):
    x = integers(*shape)
    channels = shape[1]
    w, b = integers(channels, 1, 3, 3), integers(channels)
    taps = windows(x, 3, stride, 1, 0)
    sums = (taps * w.reshape(channels, 1, 1, 9)).sum(-1) + b.reshape(channels, 1, 1)
    options = {"strides": [stride] * 2, "pads": [1] * 4}
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], group=channels, **options)
    for activation in (False, True):
        run(f"conv_{index}_{stride}", node, x, sums, [("w", w), ("b", b)], activation)

    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], **options)
    run(f"max_{index}_{stride}", node, x, windows(x, 3, stride, 1, -np.inf).max(-1))
    # NaN, infinities and zeros of both signs.
    special = random.choice(np.float32([np.nan, np.inf, -np.inf, 0.0, -0.0, 1]), shape)
    run(f"special_{index}_{stride}", node, special, windows(special, 3, stride, 1, -np.inf).max(-1), activation=False)  # fmt: skip

    # A window of 4 elements, so that the mean is exact.
    node = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2], strides=[stride] * 2)
    run(f"mean_{index}_{stride}", node, x, windows(x, 2, stride, 0, 0).mean(-1))

# Windows and strides that differ between rows and columns: too few columns to
# flatten, and one element of the window.
for index, (size, stride, pads, shape) in enumerate(
    [((1, 7), (1, 2), (0, 3, 0, 1), (1, 4, 20, 8)), ((1, 1), (1, 3), (0, 0, 0, 0), (1, 6, 5, 6))]
):
    x, w = integers(*shape), integers(33, shape[1], *size)
    padded = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    view = np.lib.stride_tricks.sliding_window_view(padded, size, axis=(2, 3))
    view = view[:, :, :: stride[0], :: stride[1]]
    sums = np.einsum("ncyxrs,fcrs->nfyx", view, w)
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=stride, pads=pads)
    run(f"strided_{index}", node, x, sums, [("w", w)])

print("ok")
