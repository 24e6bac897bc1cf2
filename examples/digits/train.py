#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the digits network and writes it with float8 weights.

    pip install -r scripts/requirements-train.txt
    python examples/digits/train.py

A 64-64-32-10 perceptron on scikit-learn's handwritten digits, trained by plain
numpy with a fixed seed. Its weights are then rounded to float8, each behind a
Cast node, as a quantizing exporter writes them: FLOAT8E4M3FN in the hidden
layers, FLOAT8E5M2 in the last. Writes digits-f8.onnx and, for whoever runs the
network, test-images.npy and test-labels.npy beside this file, and in
weights-f32.npy the weights before they were rounded, one layer after the other.
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
LAYERS = (64, 64, 32, 10)
EPOCHS, BATCH, RATE, DECAY = 120, 32, 2e-3, 1e-3
SAVED_IMAGES = 32

E4M3FN = (TensorProto.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn)
E5M2 = (TensorProto.FLOAT8E5M2, ml_dtypes.float8_e5m2)
FORMATS = (E4M3FN, E4M3FN, E5M2)  # of each layer's weights


def load(random: np.random.Generator):
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32)
    order = random.permutation(len(images))
    test, train = order[:360], order[360:]
    return images[train], labels[train], images[test], labels[test]


def forward(parameters, images):
    """The activations of every layer, logits last."""
    values = [images]
    for index, (weight, bias) in enumerate(parameters):
        value = values[-1] @ weight + bias
        values.append(value if index + 1 == len(parameters) else np.maximum(value, 0))
    return values


def gradients(parameters, images, labels):
    values = forward(parameters, images)
    logits = values[-1] - values[-1].max(axis=1, keepdims=True)
    slope = np.exp(logits)
    slope /= slope.sum(axis=1, keepdims=True)
    slope[np.arange(len(labels)), labels] -= 1
    slope /= len(labels)
    found = []
    for (weight, _), value in zip(reversed(parameters), reversed(values[:-1]), strict=True):
        found.append((value.T @ slope + DECAY * weight, slope.sum(axis=0)))
        slope = (slope @ weight.T) * (value > 0)
    return found[::-1]


def train(random, images, labels):
    """Adam on mini-batches."""
    parameters = [
        [
            random.normal(0, np.sqrt(2 / rows), (rows, columns)).astype(np.float32),
            np.zeros(columns, np.float32),
        ]
        for rows, columns in zip(LAYERS, LAYERS[1:], strict=False)
    ]
    first = [[np.zeros_like(value) for value in layer] for layer in parameters]
    second = [[np.zeros_like(value) for value in layer] for layer in parameters]
    step = 0
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            step += 1
            slopes = gradients(parameters, images[batch], labels[batch])
            for layer, mean, square, slope in zip(parameters, first, second, slopes, strict=True):
                for k in range(2):
                    mean[k] = 0.9 * mean[k] + 0.1 * slope[k]
                    square[k] = 0.999 * square[k] + 0.001 * slope[k] ** 2
                    unbiased = mean[k] / (1 - 0.9**step)
                    deviation = np.sqrt(square[k] / (1 - 0.999**step)) + 1e-8
                    layer[k] = (layer[k] - RATE * unbiased / deviation).astype(np.float32)
    return parameters


def accuracy(parameters, images, labels) -> float:
    return float((forward(parameters, images)[-1].argmax(axis=1) == labels).mean())


def build_model(codes, biases) -> onnx.ModelProto:
    nodes, initializers = [], []
    value = "image"
    for index, ((onnx_type, _), code, bias) in enumerate(zip(FORMATS, codes, biases, strict=True)):
        layer = f"layer{index}"
        initializers += [
            helper.make_tensor(
                f"{layer}.weight_f8", onnx_type, code.shape, code.tobytes(), raw=True
            ),
            onnx.numpy_helper.from_array(bias, f"{layer}.bias"),
        ]
        last = index + 1 == len(codes)
        total = "logits" if last else f"{layer}.sum"
        nodes += [
            helper.make_node(
                "Cast",
                [f"{layer}.weight_f8"],
                [f"{layer}.weight"],
                name=f"{layer}/Cast",
                to=TensorProto.FLOAT,
            ),
            helper.make_node(
                "MatMul", [value, f"{layer}.weight"], [f"{layer}.product"], name=f"{layer}/MatMul"
            ),
            helper.make_node(
                "Add", [f"{layer}.product", f"{layer}.bias"], [total], name=f"{layer}/Add"
            ),
        ]
        if not last:
            value = f"{layer}.relu"
            nodes.append(helper.make_node("Relu", [total], [value], name=f"{layer}/Relu"))
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", LAYERS[0]])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", LAYERS[-1]])],
        initializers,
    )
    model = helper.make_model(
        graph, producer_name="train.py", opset_imports=[helper.make_opsetid("", 19)], ir_version=9
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    random = np.random.default_rng(7)
    images, labels, test_images, test_labels = load(random)
    parameters = train(random, images, labels)
    codes = [
        weight.astype(dtype) for (weight, _), (_, dtype) in zip(parameters, FORMATS, strict=True)
    ]
    rounded = [
        (code.astype(np.float32), bias) for code, (_, bias) in zip(codes, parameters, strict=True)
    ]
    print(f"test accuracy, float32 weights: {accuracy(parameters, test_images, test_labels):.4f}")
    print(f"test accuracy, float8 weights:  {accuracy(rounded, test_images, test_labels):.4f}")

    onnx.save(build_model(codes, [bias for _, bias in parameters]), HERE / "digits-f8.onnx")
    np.save(HERE / "weights-f32.npy", np.concatenate([weight.ravel() for weight, _ in parameters]))
    np.save(HERE / "test-images.npy", test_images[:SAVED_IMAGES])
    np.save(HERE / "test-labels.npy", test_labels[:SAVED_IMAGES].astype(np.uint8))


if __name__ == "__main__":
    main()
