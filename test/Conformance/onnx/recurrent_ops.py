# RNN, GRU and LSTM with random inputs and attributes: the outputs of quant-float-run equal those of
# ONNX Runtime, with static and dynamic sizes. ONNX Runtime does not support layout 1, which ONNX's
# node tests cover. Where ONNX Runtime deviates from the specification, the specification counts: it
# does not clip the input of the last activation of an LSTM, uses another default threshold for
# ThresholdedRelu, and clips some other activations differently. Its Elu overflows.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys

import numpy as np
from conformance.op_cases import Constant, add, floats, rng, run

STEPS, BATCH, INPUTS, HIDDEN = 5, 3, 4, 6
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
# The number of activations of a direction. Those of RNN all have the same role.
ACTIVATIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}
NAMES = ["Sigmoid", "Tanh", "Relu", "HardSigmoid", "Softsign", "Affine", "LeakyRelu"]
NAMES += ["ScaledTanh", "Softplus"]


def scaled(*shape):
    return floats(*shape) * np.float32(0.5)


def weight(*shape):
    """A constant of the model."""
    constant = Constant()
    constant.value = scaled(*shape)
    return constant


def add_case(op, index):
    direction = ("forward", "reverse", "bidirectional")[index % 3]
    count = 2 if direction == "bidirectional" else 1
    gates = GATES[op]
    inputs = [
        scaled(STEPS, BATCH, INPUTS),
        weight(count, gates * HIDDEN, INPUTS),
        weight(count, gates * HIDDEN, HIDDEN),
        weight(count, 2 * gates * HIDDEN) if rng.random() < 0.7 else None,
        rng.integers(1, STEPS + 1, BATCH).astype(np.int32) if index % 2 else None,
        scaled(count, BATCH, HIDDEN) if rng.random() < 0.6 else None,
    ]
    attributes = {"direction": direction, "hidden_size": HIDDEN}
    if op == "LSTM":
        inputs.append(scaled(count, BATCH, HIDDEN) if rng.random() < 0.6 else None)
        inputs.append(weight(count, 3 * HIDDEN) if rng.random() < 0.5 else None)
        if rng.random() < 0.3:
            attributes["input_forget"] = 1
    if op == "GRU" and rng.random() < 0.5:
        attributes["linear_before_reset"] = 1
    if rng.random() < 0.5:
        attributes["activations"] = list(rng.choice(NAMES, ACTIVATIONS[op])) * count
        if set(attributes["activations"]) & {"Affine", "ScaledTanh"}:
            # These activations have no parameters.
            attributes["activations"] = ["Tanh"] * len(attributes["activations"])
    if rng.random() < 0.6 and op != "LSTM" and "activations" not in attributes:
        attributes["clip"] = 0.4
    while inputs[-1] is None:
        inputs.pop()
    outputs = 3 if op == "LSTM" else 2
    add(op, (7, 14)[index % 4 // 2], *inputs, outputs=outputs, **attributes)


for op in GATES:
    for index in range(24):
        add_case(op, index)
numbers = {"activation_alpha": [0.7, 1.5], "activation_beta": [0.3, 0.8]}
sequence, rows = scaled(STEPS, BATCH, INPUTS), weight(1, 3 * HIDDEN, INPUTS)
functions = ["Affine", "ScaledTanh"]
add(
    "GRU",
    14,
    sequence,
    rows,
    weight(1, 3 * HIDDEN, HIDDEN),
    outputs=2,
    hidden_size=HIDDEN,
    activations=functions,
    **numbers,
)
# The default in the schema of RNN has two activations. With one direction, the first one applies.
sequence, rows = scaled(STEPS, BATCH, INPUTS), weight(1, HIDDEN, INPUTS)
default = {"activations": ["Tanh", "Tanh"], "hidden_size": HIDDEN}
add("RNN", 14, sequence, rows, weight(1, HIDDEN, HIDDEN), outputs=2, **default)
run(*sys.argv[1:4])
