#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the digits networks and writes them in float32.

    pip install -r scripts/requirements-train.txt
    python examples/digits/train.py

Two networks for scikit-learn's handwritten digits, trained by plain numpy with a fixed seed: a
64-64-32-10 perceptron (MatMul, Add, Relu) in digits-f32.onnx and a convolutional network (Conv,
Relu, MaxPool, Conv, Relu, Flatten, Gemm) in conv-f32.onnx. Also writes the 360 test images with
their labels and 256 of the training images next to this file. quantize.py computes the ranges of
the activations from the latter. Pixels are 0 to 16, and are divided by 16 for the networks.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
EPOCHS, BATCH, RATE, DECAY = 120, 32, 2e-3, 1e-3
CALIBRATION_IMAGES = 256


class Dense:
    """Gemm or, for the perceptron, MatMul and Add."""

    def __init__(self, random, rows, columns):
        weight = random.normal(0, np.sqrt(2 / rows), (rows, columns)).astype(np.float32)
        self.parameters = [weight, np.zeros(columns, np.float32)]

    def forward(self, values):
        self.input = values
        return values.reshape(len(values), -1) @ self.parameters[0] + self.parameters[1]

    def backward(self, slope):
        rows = self.input.reshape(len(self.input), -1)
        self.slopes = [rows.T @ slope + DECAY * self.parameters[0], slope.sum(axis=0)]
        return (slope @ self.parameters[0].T).reshape(self.input.shape)


class Conv:
    """3x3, with one pixel of padding."""

    def __init__(self, random, channels, filters):
        shape = (filters, channels, 3, 3)
        weight = random.normal(0, np.sqrt(2 / (9 * channels)), shape).astype(np.float32)
        self.parameters = [weight, np.zeros(filters, np.float32)]

    def forward(self, values):
        padded = np.pad(values, ((0, 0), (0, 0), (1, 1), (1, 1)))
        self.windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        weight, bias = self.parameters
        return (
            np.einsum("nchwij,fcij->nfhw", self.windows, weight, optimize=True)
            + bias[:, None, None]
        )

    def backward(self, slope):
        weight = self.parameters[0]
        found = np.einsum("nfhw,nchwij->fcij", slope, self.windows, optimize=True)
        self.slopes = [found + DECAY * weight, slope.sum(axis=(0, 2, 3))]
        padded = np.pad(slope, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        return np.einsum("nfhwij,fcij->nchw", windows, weight[:, :, ::-1, ::-1], optimize=True)


class Relu:
    parameters = slopes = ()

    def forward(self, values):
        self.positive = values > 0
        return np.maximum(values, 0)

    def backward(self, slope):
        return slope * self.positive


class MaxPool:
    """2x2 without overlap."""

    parameters = slopes = ()

    def forward(self, values):
        n, c, h, w = values.shape
        tiles = values.reshape(n, c, h // 2, 2, w // 2, 2)
        largest = tiles.max(axis=(3, 5), keepdims=True)
        self.chosen = tiles == largest
        return largest[:, :, :, 0, :, 0]

    def backward(self, slope):
        n, c, h, w = slope.shape
        tiles = self.chosen * slope[:, :, :, None, :, None]
        return tiles.reshape(n, c, 2 * h, 2 * w)


def forward(layers, values):
    for layer in layers:
        values = layer.forward(values)
    return values


def train(random, layers, images, labels):
    """Adam on mini-batches."""
    parameters = [(layer, index) for layer in layers for index in range(len(layer.parameters))]
    first = [np.zeros_like(layer.parameters[k]) for layer, k in parameters]
    second = [np.zeros_like(layer.parameters[k]) for layer, k in parameters]
    step = 0
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            step += 1
            logits = forward(layers, images[batch])
            slope = np.exp(logits - logits.max(axis=1, keepdims=True))
            slope /= slope.sum(axis=1, keepdims=True)
            slope[np.arange(len(batch)), labels[batch]] -= 1
            slope /= len(batch)
            for layer in reversed(layers):
                slope = layer.backward(slope)
            for (layer, k), mean, square in zip(parameters, first, second, strict=True):
                mean[:] = 0.9 * mean + 0.1 * layer.slopes[k]
                square[:] = 0.999 * square + 0.001 * layer.slopes[k] ** 2
                unbiased = mean / (1 - 0.9**step)
                deviation = np.sqrt(square / (1 - 0.999**step)) + 1e-8
                layer.parameters[k] -= (RATE * unbiased / deviation).astype(np.float32)


class Graph:
    """A sequence of nodes, each named after its type and number."""

    def __init__(self, name, shape):
        self.name, self.shape, self.value = name, shape, "image"
        self.nodes, self.initializers = [], []

    def add(self, op_type, name, constants=None, **attributes):
        inputs = [self.value]
        for suffix, array in (constants or {}).items():
            inputs.append(f"{name.split('/')[0]}.{suffix}")
            self.initializers.append(numpy_helper.from_array(array, inputs[-1]))
        self.value = name.replace("/", ".").lower()
        self.nodes.append(helper.make_node(op_type, inputs, [self.value], name, **attributes))

    def model(self):
        self.nodes[-1].output[0] = "logits"
        f32 = TensorProto.FLOAT
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [helper.make_tensor_value_info("image", f32, ["batch", *self.shape])],
            [helper.make_tensor_value_info("logits", f32, ["batch", 10])],
            self.initializers,
        )
        opsets = [helper.make_opsetid("", 21)]
        model = helper.make_model(
            graph, producer_name="train.py", opset_imports=opsets, ir_version=10
        )
        onnx.checker.check_model(model, full_check=True)
        return model


def perceptron_model(layers):
    graph = Graph("digits", [64])
    dense = [layer for layer in layers if isinstance(layer, Dense)]
    for index, layer in enumerate(dense):
        weight, bias = layer.parameters
        graph.add("MatMul", f"layer{index}/MatMul", {"weight": weight})
        graph.add("Add", f"layer{index}/Add", {"bias": bias})
        if index + 1 < len(dense):
            graph.add("Relu", f"layer{index}/Relu")
    return graph.model()


def conv_model(layers):
    graph = Graph("conv", [1, 8, 8])
    first, second, dense = (
        dict(zip(("weight", "bias"), layer.parameters, strict=True))
        for layer in layers
        if layer.parameters
    )
    graph.add("Conv", "conv0/Conv", first, pads=[1, 1, 1, 1])
    graph.add("Relu", "conv0/Relu")
    graph.add("MaxPool", "pool/MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    graph.add("Conv", "conv1/Conv", second, pads=[1, 1, 1, 1])
    graph.add("Relu", "conv1/Relu")
    graph.add("Flatten", "flat/Flatten")
    # In the layout of frameworks: a row for each output.
    dense["weight"] = np.ascontiguousarray(dense["weight"].T)
    graph.add("Gemm", "dense/Gemm", dense, transB=1)
    return graph.model()


def perceptron(random):
    return [Dense(random, 64, 64), Relu(), Dense(random, 64, 32), Relu(), Dense(random, 32, 10)]


def convolutional(random):
    first = [Conv(random, 1, 8), Relu(), MaxPool()]
    return [*first, Conv(random, 8, 16), Relu(), Dense(random, 256, 10)]


def main() -> None:
    random = np.random.default_rng(7)
    pixels, labels = load_digits(return_X_y=True)
    pixels = pixels.astype(np.uint8)
    order = random.permutation(len(pixels))
    test, rest = order[:360], order[360:]

    for name, seed, build, export in (
        ("digits", 7, perceptron, perceptron_model),
        ("conv", 11, convolutional, conv_model),
    ):
        random = np.random.default_rng(seed)
        images = (pixels / 16).astype(np.float32)
        images = images.reshape((-1, 64) if name == "digits" else (-1, 1, 8, 8))
        layers = build(random)
        train(random, layers, images[rest], labels[rest])
        decisions = forward(layers, images[test]).argmax(axis=1)
        print(f"{name}: test accuracy {(decisions == labels[test]).mean():.4f}")
        onnx.save(export(layers), HERE / f"{name}-f32.onnx")

    np.save(HERE / "test-images.npy", pixels[test])
    np.save(HERE / "test-labels.npy", labels[test].astype(np.uint8))
    np.save(HERE / "calibration-images.npy", pixels[rest][:CALIBRATION_IMAGES])


if __name__ == "__main__":
    main()
