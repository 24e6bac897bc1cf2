# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes the weights of a matmul to 4 bits and runs it in ONNX Runtime with this project's
operators."""

import sys

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

DEPTH, WIDTH, BLOCK = 256, 64, 32


def quantize(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """4-bit weights with zero point 8, two in a byte, and a scale for each block."""
    blocks = weights.reshape(WIDTH, DEPTH // BLOCK, BLOCK)
    scales = np.abs(blocks).max(axis=2) / 7
    quantized = (np.rint(blocks / scales[:, :, None]) + 8).astype(np.uint8)
    return quantized[:, :, ::2] | quantized[:, :, 1::2] << 4, scales


def make_model(quantized: np.ndarray, scales: np.ndarray) -> bytes:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale"], ["q"], domain="quant_float", output_dtype=TensorProto.FLOAT8E4M3FN),
        helper.make_node("DequantizeLinear", ["q", "scale"], ["a"], domain="quant_float"),
        helper.make_node("MatMulNBits", ["a", "quantized", "scales"], ["y"], domain="quant_float", K=DEPTH, N=WIDTH, bits=4, block_size=BLOCK),
    ]  # fmt: skip
    constants = {"quantized": quantized, "scales": scales, "scale": np.array(1 / 64, np.float32)}
    graph = helper.make_graph(
        nodes,
        "example",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", DEPTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", WIDTH])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    imports = [helper.make_opsetid("", 23), helper.make_opsetid("quant_float", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=11).SerializeToString()


def main(library: str) -> None:
    random = np.random.default_rng(0)
    weights = random.standard_normal((WIDTH, DEPTH)).astype(np.float32)
    quantized, scales = quantize(weights)
    options = ort.SessionOptions()
    options.register_custom_ops_library(library)
    session = ort.InferenceSession(make_model(quantized, scales), options, ["CPUExecutionProvider"])
    for rows in (1, 50):
        x = random.standard_normal((rows, DEPTH)).astype(np.float32)
        (y,) = session.run(None, {"x": x})
        wanted = x @ weights.T
        error = np.linalg.norm(y - wanted) / np.linalg.norm(wanted)
        print(
            f"{rows} rows: the error of the quantization is {'below' if error < 0.15 else 'above'} 15%"
        )


if __name__ == "__main__":
    main(sys.argv[1])
