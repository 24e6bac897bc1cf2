#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes the digits networks: quantize.py [FOLDER]

Writes digits-f8.onnx, digits-i8.onnx, conv-f8.onnx and conv-i8.onnx into FOLDER (by default, next
to this file), the same bytes on every machine. Around each MatMul, Conv and Gemm of the float32
networks:

  activations  QuantizeLinear and DequantizeLinear, one scale per tensor, from
               the values for the calibration images: float8 E4M3FN by their
               maximum magnitude, uint8 by their range without outliers
  weights      DequantizeLinear of constants, a scale for each output channel:
               float8 E4M3FN, or int8 with zero point 0
  biases       float32, or with uint8 activations, if the node supports it,
               int32 with the product of the two scales, as integer kernels expect it
"""

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
E4M3FN_MAX = 448.0
# The fraction of an activation's values outside of the range, which count as outliers.
PERCENTILE = 99.99


class Float8:
    suffix = "f8"
    quantized_biases = False

    def activation(self, values):
        """Scale and zero point."""
        return short(np.abs(values).max() / E4M3FN_MAX), 0, TensorProto.FLOAT8E4M3FN

    def weight(self, values, scales):
        return TensorProto.FLOAT8E4M3FN, (values / scales).astype(ml_dtypes.float8_e4m3fn)

    weight_max = E4M3FN_MAX


class Int8:
    suffix = "i8"
    quantized_biases = True

    def activation(self, values):
        low, high = np.percentile(values, (100 - PERCENTILE, PERCENTILE))
        low, high = min(low, 0.0), max(high, 0.0)
        scale = short((high - low) / 255)
        return scale, int(np.clip(np.rint(-low / scale), 0, 255)), TensorProto.UINT8

    def weight(self, values, scales):
        return TensorProto.INT8, np.rint(values / scales).astype(np.int8)

    weight_max = 127.0


def short(scale):
    """Rounded up to eight significant bits, so that the machine's accumulation order does not show.

    A channel that training has switched off has only zeros.
    """
    fraction, exponent = np.frexp(max(np.float64(scale), 2.0**-24))
    return np.float32(np.ldexp(np.ceil(fraction * 256 - 1e-3) / 256, exponent))


def run(network, images):
    """Every value of the float32 network, by name."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in network.graph.initializer}
    values["image"] = images
    for node in network.graph.node:
        inputs = [values[name] for name in node.input]
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = OPERATIONS[node.op_type](*inputs, **attributes)
    return values


def conv(x, weight, bias, pads):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], (2, 3))
    return np.einsum("nchwij,fcij->nfhw", windows, weight, optimize=True) + bias[:, None, None]


def max_pool(x, kernel_shape, strides):
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel_shape, (2, 3))
    return windows[:, :, :: strides[0], :: strides[1]].max(axis=(4, 5))


OPERATIONS = {
    "MatMul": np.matmul,
    "Add": np.add,
    "Relu": lambda x: np.maximum(x, 0),
    "Conv": conv,
    "MaxPool": max_pool,
    "Flatten": lambda x: x.reshape(len(x), -1),
    "Gemm": lambda x, weight, bias, transB: x @ weight.T + bias,
}


class Quantizer:
    def __init__(self, scheme, network, values):
        self.scheme, self.values = scheme, values
        self.constants = {
            tensor.name: numpy_helper.to_array(tensor) for tensor in network.graph.initializer
        }
        self.nodes, self.initializers = [], []
        for node in network.graph.node:
            self.add(node)
        graph = helper.make_graph(
            self.nodes,
            network.graph.name,
            network.graph.input,
            network.graph.output,
            self.initializers,
        )
        self.model = helper.make_model(
            graph,
            producer_name="quantize.py",
            opset_imports=network.opset_import,
            ir_version=network.ir_version,
        )
        onnx.checker.check_model(self.model, full_check=True)

    def constant(self, name, onnx_type, values):
        values = np.asarray(values)
        raw = values.tobytes()
        self.initializers.append(helper.make_tensor(name, onnx_type, values.shape, raw, raw=True))
        return name

    def add(self, node):
        inputs = list(node.input)
        if node.op_type in ("MatMul", "Conv", "Gemm"):
            inputs[0], scale = self.activation(inputs[0])
            # MatMul's output channels are the last dimension, those of Conv and of the transposed
            # Gemm the first.
            inputs[1], scales = self.weight(inputs[1], 1 if node.op_type == "MatMul" else 0)
            if len(inputs) > 2 and self.scheme.quantized_biases:
                inputs[2] = self.bias(inputs[2], scale * scales)
        for name in inputs:
            if name in self.constants:
                self.initializers.append(numpy_helper.from_array(self.constants[name], name))
        self.nodes.append(onnx.NodeProto())
        self.nodes[-1].CopyFrom(node)
        self.nodes[-1].input[:] = inputs

    def activation(self, name):
        scale, zero_point, onnx_type = self.scheme.activation(self.values[name])
        parameters = [
            self.constant(f"{name}.scale", TensorProto.FLOAT, np.float32(scale)),
            self.constant(f"{name}.zero_point", onnx_type, np.uint8(zero_point)),
        ]
        quantized, result = f"{name}.quantized", f"{name}.dequantized"
        self.nodes += [
            helper.make_node(
                "QuantizeLinear", [name, *parameters], [quantized], f"{name}/QuantizeLinear"
            ),
            helper.make_node(
                "DequantizeLinear", [quantized, *parameters], [result], f"{name}/DequantizeLinear"
            ),
        ]
        return result, scale

    def weight(self, name, axis):
        values = self.constants[name]
        others = tuple(k for k in range(values.ndim) if k != axis)
        scales = np.array(
            [short(m / self.scheme.weight_max) for m in np.abs(values).max(axis=others)]
        )
        shape = [-1 if k == axis else 1 for k in range(values.ndim)]
        onnx_type, elements = self.scheme.weight(values, scales.reshape(shape))
        return self.dequantize(name, onnx_type, elements, scales, axis), scales

    def bias(self, name, scales):
        elements = np.rint(self.constants[name].astype(np.float64) / scales).astype(np.int32)
        return self.dequantize(name, TensorProto.INT32, elements, scales, 0)

    def dequantize(self, name, onnx_type, elements, scales, axis):
        inputs = [
            self.constant(f"{name}.quantized", onnx_type, elements),
            self.constant(f"{name}.scale", TensorProto.FLOAT, scales.astype(np.float32)),
            self.constant(f"{name}.zero_point", onnx_type, np.zeros(scales.shape, elements.dtype)),
        ]
        result = f"{name}.dequantized"
        self.nodes.append(
            helper.make_node(
                "DequantizeLinear", inputs, [result], f"{name}/DequantizeLinear", axis=axis
            )
        )
        return result


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    pixels = np.load(HERE / "calibration-images.npy")
    for name in ("digits", "conv"):
        network = onnx.load(HERE / f"{name}-f32.onnx")
        sizes = [d.dim_value for d in network.graph.input[0].type.tensor_type.shape.dim[1:]]
        values = run(network, (pixels / 16).astype(np.float32).reshape(-1, *sizes))
        for scheme in (Float8(), Int8()):
            model = Quantizer(scheme, network, values).model
            onnx.save(model, folder / f"{name}-{scheme.suffix}.onnx")


if __name__ == "__main__":
    main()
