"""Quantized variants of a network: those of onnxruntime.quantization, and 8-bit weights alone."""

import contextlib
import io
import logging
import pathlib
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization
from onnxruntime.quantization import QuantFormat, QuantType


class Once(quantization.CalibrationDataReader):
    """The inputs as the only calibration batch."""

    def __init__(self, inputs):
        self._left = iter([inputs])

    def get_next(self):
        return next(self._left, None)


def static(form, activations="QUInt8", weights="QInt8"):
    def quantize(source, target, inputs):
        quantization.quantize_static(
            source,
            target,
            Once(inputs),
            quant_format=form,
            activation_type=QuantType[activations],
            weight_type=QuantType[weights],
            per_channel=form == QuantFormat.QDQ,
        )

    return quantize


def dynamic(source, target, inputs):
    # It transposes weights without updating their listed shapes.
    model = onnx.load(source)
    del model.graph.value_info[:]
    onnx.save(model, source)
    # ONNX Runtime's ConvInteger supports unsigned weights only, its DynamicQuantizeLSTM both.
    quantization.quantize_dynamic(source, target, weight_type=QuantType.QUInt8)


def weights_only(node_of):
    """Matrices that MatMul, Gemm and Gather use, in int8 with a scale for each column (each row of
    a table)."""

    def quantize(source, target, inputs):
        model = onnx.load(source)
        graph = model.graph
        axes = {}
        for node in graph.node:
            position = {"MatMul": 1, "Gemm": 1, "Gather": 0}.get(node.op_type)
            if position is not None:
                axes.setdefault(node.input[position], 0 if node.op_type == "Gather" else 1)
        nodes = []
        for tensor in [t for t in graph.initializer if t.name in axes]:
            if tensor.data_type != TensorProto.FLOAT or len(tensor.dims) != 2:
                continue
            weight, axis = numpy_helper.to_array(tensor), axes[tensor.name]
            scale = np.abs(weight).max(axis=1 - axis, keepdims=True) / np.float32(127)
            scale = np.where(scale == 0, np.float32(1), scale).astype(np.float32)
            encodings = np.clip(np.rint(weight / scale), -127, 127).astype(np.int8)
            name = tensor.name
            graph.initializer.remove(tensor)
            parts = {"int8": encodings, "scale": node_of(name, axis, nodes, scale)}
            graph.initializer.extend(
                numpy_helper.from_array(v, f"{name}.{k}") for k, v in parts.items()
            )
        if not nodes:
            raise ValueError("no weight matrix")
        kept = [*nodes, *graph.node]
        del graph.node[:]
        graph.node.extend(kept)
        onnx.save(model, target)

    return quantize


def after_dequantize(name, axis, nodes, scale):
    inputs = [f"{name}.int8", f"{name}.scale"]
    nodes.append(helper.make_node("DequantizeLinear", inputs, [name], axis=axis))
    return scale.flatten()


def after_cast(name, axis, nodes, scale):
    nodes.append(helper.make_node("Cast", [f"{name}.int8"], [f"{name}.f32"], to=TensorProto.FLOAT))
    nodes.append(helper.make_node("Mul", [f"{name}.f32", f"{name}.scale"], [name]))
    return scale


FORMS = {
    "qdq": static(QuantFormat.QDQ),
    "qdq16": static(QuantFormat.QDQ, "QUInt16", "QInt8"),
    "qoperator": static(QuantFormat.QOperator),
    "dynamic": dynamic,
    "dequantize": weights_only(after_dequantize),
    "cast": weights_only(after_cast),
}


def write(form, model, target, inputs):
    """Writes this variant of the model to a file."""
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):  # fmt: skip
        source = pathlib.Path(folder) / "source.onnx"
        onnx.save(model, source)
        FORMS[form](source, target, inputs)
