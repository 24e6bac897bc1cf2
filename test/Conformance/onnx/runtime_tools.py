# The output of ONNX Runtime's own tools: its quantizer (dynamic, static as QOperators and as QDQ)
# and its optimizer, for small networks of every kind that they handle. Weights have 7 bits, whose
# products ONNX Runtime adds exactly on any CPU. Each file compiles without a warning and computes
# the same as ONNX Runtime, also after quant-float-convert.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import logging
import sys

import numpy as np
import onnx
import onnxruntime as ort
from conformance.node_tests import Runner
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)

logging.disable()
runner = Runner(*sys.argv[1:3])
rng = np.random.default_rng(5)
failures, seen = [], set()
MICROSOFT = h.make_opsetid("com.microsoft", 1)


def floats(*shape):
    return (rng.standard_normal(shape) / 4).astype(np.float32)


def make(nodes, constants, x, values=()):
    """The quantizer requires the types of values. `values` are those that ONNX cannot infer."""
    info = h.make_tensor_value_info("x", h.np_dtype_to_tensor_dtype(x.dtype), x.shape)
    y = h.make_tensor_value_info("y", T.FLOAT, None)
    initializers = [nh.from_array(v, k) for k, v in constants.items()]
    graph = h.make_graph(nodes, "g", [info], [y], initializers)
    for name, shape in values:
        graph.value_info.append(h.make_tensor_value_info(name, T.FLOAT, shape))
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17), MICROSOFT], ir_version=8)
    return onnx.shape_inference.infer_shapes(model)


def recurrent(op, gates, direction="forward"):
    count = 2 if direction == "bidirectional" else 1
    x, hidden = floats(5, 2, 8), 16
    constants = {
        "w": floats(count, gates * hidden, 8),
        "r": floats(count, gates * hidden, hidden),
        "b": floats(count, 2 * gates * hidden),
        "shape": np.array([0, 0, -1]),
        "k": floats(count * hidden, 4),
    }
    nodes = [
        h.make_node(op, ["x", "w", "r", "b"], ["s"], hidden_size=hidden, direction=direction),
        h.make_node("Transpose", ["s"], ["t"], perm=[0, 2, 1, 3]),
        h.make_node("Reshape", ["t", "shape"], ["f"]),
        h.make_node("MatMul", ["f", "k"], ["y"]),
    ]
    return make(nodes, constants, x), x


def gemms():
    x = floats(4, 16)
    constants = {"w": floats(24, 16), "b": floats(24), "v": floats(24, 5), "c": floats(5)}
    nodes = [
        h.make_node("Gemm", ["x", "w", "b"], ["g"], transB=1),
        h.make_node("Relu", ["g"], ["r"]),
        h.make_node("Gemm", ["r", "v", "c"], ["y"]),
    ]
    return make(nodes, constants, x), x


def attention():
    x = floats(2, 6, 16)
    constants = {"w": floats(16, 48), "b": floats(48), "k": floats(16, 4)}
    inputs = ["x", "w", "b"]
    nodes = [
        h.make_node("Attention", inputs, ["a"], domain="com.microsoft", num_heads=4),
        h.make_node("MatMul", ["a", "k"], ["y"]),
    ]
    return make(nodes, constants, x, [("a", [2, 6, 16])]), x


def embeddings():
    x = rng.integers(0, 20, (2, 6)).astype(np.int32)
    constants = {name: floats(20, 8) for name in ("word", "position", "segment")}
    constants |= {"g": floats(8) + 1, "b": floats(8)}
    inputs = ["x", "x", "word", "position", "segment", "g", "b"]
    node = h.make_node("EmbedLayerNormalization", inputs, ["y", "m"], domain="com.microsoft")
    return make([node], constants, x), x


def convolutions():
    x = floats(1, 3, 12, 12)
    constants = {
        "w": floats(8, 3, 3, 3),
        "b": floats(8),
        "v": floats(8, 8, 3, 3),
        "k": floats(8, 4),
    }
    nodes = [
        h.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        h.make_node("LeakyRelu", ["c"], ["r"]),
        h.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        h.make_node("Conv", ["p", "v"], ["d"], pads=[1, 1, 1, 1]),
        h.make_node("Sigmoid", ["d"], ["s"]),
        h.make_node("Mul", ["d", "s"], ["m"]),
        h.make_node("Add", ["m", "p"], ["a"]),
        h.make_node("Concat", ["a", "p"], ["q"], axis=1),
        h.make_node("AveragePool", ["q"], ["o"], kernel_shape=[2, 2]),
        h.make_node("GlobalAveragePool", ["o"], ["e"]),
        h.make_node("Flatten", ["e"], ["f"]),
        h.make_node("Slice", ["f", "zero", "eight", "one"], ["l"]),
        h.make_node("MatMul", ["l", "k"], ["n"]),
        h.make_node("Softmax", ["n"], ["y"]),
    ]
    constants |= {"zero": np.array([0]), "eight": np.array([8]), "one": np.array([1])}
    return make(nodes, constants, x), x


NETWORKS = {
    "lstm": recurrent("LSTM", 4),
    "lstm2": recurrent("LSTM", 4, "bidirectional"),
    "gru": recurrent("GRU", 3),
    "gemm": gemms(),
    "attention": attention(),
    "embeddings": embeddings(),
    "conv": convolutions(),
}


class Reader(CalibrationDataReader):
    def __init__(self, x):
        self.left = [{"x": x}]

    def get_next(self):
        return self.left.pop() if self.left else None


def session(path, level=ort.GraphOptimizationLevel.ORT_DISABLE_ALL, saved=None):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    if saved:
        options.optimized_model_filepath = str(saved)
    return ort.InferenceSession(str(path), options)


def check(path, x, tolerance):
    seen.update(node.op_type for node in onnx.load(path).graph.node)
    expected = session(path).run(["y"], {"x": x})[0]
    folder = path.with_suffix("")
    folder.mkdir()
    np.save(folder / "x.npy", x)
    converted = folder / "converted.onnx"
    convert = runner.call("quant-float-convert", path, "--opset", "21", "-o", converted)
    if convert.returncode != 0 or convert.stderr:
        failures.append(f"{path.name}: quant-float-convert: {convert.stderr}")
    for model in (path, converted):
        if not model.exists():
            continue
        result = runner.call(
            "quant-float-run", model, "--outputs", folder, "--inputs", folder / "x.npy"
        )
        if result.returncode != 0 or "warning" in result.stderr:
            failures.append(f"{path.name}: {result.stderr}")
            continue
        got = np.load(folder / "output_0.npy")
        if got.shape != expected.shape or got.dtype != expected.dtype:
            failures.append(f"{path.name}: {got.dtype}{got.shape}")
            continue
        off = np.abs(got.astype(np.float64) - expected.astype(np.float64)).max()
        if off > tolerance:
            failures.append(f"{path.name}: largest difference {off}, expected at most {tolerance}")


for name, (model, x) in NETWORKS.items():
    plain = runner.work / f"{name}.onnx"
    onnx.save(model, plain)
    check(plain, x, 1e-5)
    for kind in (QuantType.QInt8, QuantType.QUInt8):
        for per_channel in (False, True):
            if per_channel and (name == "embeddings" or kind == QuantType.QUInt8):
                continue
            path = runner.work / f"{name}.dynamic.{kind.name}.{per_channel}.onnx"
            quantize_dynamic(
                plain, path, weight_type=kind, per_channel=per_channel, reduce_range=True
            )
            # A value next to a tie may change the next quantization by one step.
            check(path, x, 0.02)
    for form in QuantFormat:
        for per_channel in (False, True) if name in ("gemm", "conv") else (False,):
            path = runner.work / f"{name}.{form.name}.{per_channel}.onnx"
            quantize_static(
                plain, path, Reader(x), quant_format=form, per_channel=per_channel,
                activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, reduce_range=True,
            )  # fmt: skip
            check(path, x, 0.05)
    for level in ("BASIC", "EXTENDED"):
        path = runner.work / f"{name}.{level}.onnx"
        session(plain, getattr(ort.GraphOptimizationLevel, f"ORT_ENABLE_{level}"), path)
        check(path, x, 1e-5)
        for form in QuantFormat:
            path = runner.work / f"{name}.{form.name}.{level}.onnx"
            source = runner.work / f"{name}.{form.name}.False.onnx"
            session(source, getattr(ort.GraphOptimizationLevel, f"ORT_ENABLE_{level}"), path)
            check(path, x, 0.05)

EXPECTED = {
    "DynamicQuantizeLSTM", "QGemm", "QAttention", "QEmbedLayerNormalization", "FusedConv", "QLinearConv", "QLinearAdd", "QLinearMul",
    "QLinearSigmoid", "QLinearLeakyRelu", "QLinearConcat", "QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearSoftmax",
    "QLinearMatMul", "MatMulInteger", "DynamicQuantizeLinear",
}  # fmt: skip
if EXPECTED - seen:
    failures.append(f"no file has {sorted(EXPECTED - seen)}")
print(sorted(seen))
sys.exit("\n".join(failures) if failures else 0)
