#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts the casts out of the digits network: casts.py FOLDER

Writes into FOLDER what the example compiles and runs:

  decode.onnx    the network's Cast nodes alone; their weights, float8
                 initializers in the network, are the graph's inputs, so that
                 compiled code does the work and not a constant folder
  encode.onnx    the way back for weights of any length: float32 to float8
  time-decode.onnx   decode of one format for any length, for timing
  inputs/*.npy   the weights' codes, in the order of decode.onnx's inputs
  encode-input.npy   the float32 weights, and values that test the edges
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

HERE = Path(__file__).resolve().parent

# Beyond what the weights hold: zeros, NaN, infinities, halfway cases around
# the largest value and in the subnormals.
EDGES = (0.0, np.nan, np.inf, 448.0, 464.0, 464.1, 480.0, 1e30, 2.0**-9, 2.0**-10, 1.5 * 2.0**-9)


def decoding_model(network: onnx.ModelProto) -> tuple[onnx.ModelProto, list[np.ndarray]]:
    """Every Cast of an initializer, and the initializers' codes."""
    initializers = {tensor.name: tensor for tensor in network.graph.initializer}
    casts = [
        node
        for node in network.graph.node
        if node.op_type == "Cast" and node.input[0] in initializers
    ]
    weights = [initializers[node.input[0]] for node in casts]
    graph = helper.make_graph(
        casts,
        "casts",
        [helper.make_tensor_value_info(w.name, w.data_type, list(w.dims)) for w in weights],
        [
            helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, list(w.dims))
            for node, w in zip(casts, weights, strict=True)
        ],
    )
    model = helper.make_model(
        graph, opset_imports=network.opset_import, ir_version=network.ir_version
    )
    codes = [np.frombuffer(w.raw_data, np.uint8).reshape(tuple(w.dims)) for w in weights]
    return model, codes


def one_cast(name: str, source: int, target: int, like: onnx.ModelProto) -> onnx.ModelProto:
    """A single Cast over any number of elements."""
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=target)],
        name,
        [helper.make_tensor_value_info("x", source, ["n"])],
        [helper.make_tensor_value_info("y", target, ["n"])],
    )
    return helper.make_model(graph, opset_imports=like.opset_import, ir_version=like.ir_version)


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "inputs").mkdir(parents=True, exist_ok=True)
    network = onnx.load(HERE / "digits-f8.onnx")

    model, codes = decoding_model(network)
    onnx.save(model, folder / "decode.onnx")
    for index, code in enumerate(codes):
        np.save(folder / "inputs" / f"{index}.npy", code)

    e4m3fn, f32 = TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT
    onnx.save(one_cast("encode", f32, e4m3fn, network), folder / "encode.onnx")
    onnx.save(one_cast("time_decode", e4m3fn, f32, network), folder / "time-decode.onnx")
    weights = np.load(HERE / "weights-f32.npy")
    edges = np.array(EDGES, np.float32)
    # 1024 times the weights reach past the format's largest value.
    values = np.concatenate([weights, 1024 * weights, edges, -edges])
    np.save(folder / "encode-input.npy", values)


if __name__ == "__main__":
    main()
