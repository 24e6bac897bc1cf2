# A network with quantization and control flow in the dialect of onnx-mlir, compiled, against ONNX Runtime on the same model.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

tools, work = map(Path, sys.argv[1:])
random = np.random.default_rng(7)
f32 = np.float32


def floats(*shape):
    return random.standard_normal(shape).astype(f32)


weights = {
    "w": floats(4, 3, 3, 3),
    "b": floats(4),
    "gain": floats(4),
    "bias": floats(4),
    "mean": floats(4),
    "variance": np.abs(floats(4)) + f32(0.5),
    "scale": np.asarray(f32(0.05)),
    "zero": np.asarray(np.uint8(128)),
    "shape": np.array([1, -1], np.int64),
    "dense": floats(36, 5),
    "offset": floats(5),
    "steps": np.asarray(np.int64(3)),
    "half": np.asarray(f32(0.5)),
    "limit": np.asarray(f32(0)),
}
ELEMENTS = {"float32": "f32", "uint8": "ui8", "int64": "i64", "bool": "i1"}


def type_of(array):
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{ELEMENTS[array.dtype.name]}>"


def constant(name):
    value = weights[name]
    return f'%{name} = "onnx.Constant"() {{value = dense<"0x{value.tobytes().hex()}"> : {type_of(value)}}} : () -> {type_of(value)}'


source = work / "network.mlir"
w = {name: type_of(value) for name, value in weights.items()}
M, Q, V = "tensor<1x4x6x6xf32>", "tensor<1x4x6x6xui8>", "tensor<1x5xf32>"
source.write_text(
    '"builtin.module"() ({\n"func.func"() <{arg_attrs = [{onnx.name = "x"}], function_type = '
    f'(tensor<1x3x8x8xf32>) -> ({V}, tensor<?x1x5xf32>), sym_name = "main_graph"}}> ({{\n^bb0(%x: tensor<1x3x8x8xf32>):\n'
    + "\n".join(map(constant, weights))
    + f"""
%none = "onnx.NoValue"() {{value}} : () -> none
%0 = "onnx.Conv"(%x, %w, %b) {{auto_pad = "NOTSET", dilations = [1, 1], group = 1 : si64, kernel_shape = [3, 3], onnx_node_name = "conv", pads = [0, 0, 0, 0], strides = [1, 1]}} : (tensor<1x3x8x8xf32>, {w["w"]}, {w["b"]}) -> {M}
%1 = "onnx.BatchNormalizationInferenceMode"(%0, %gain, %bias, %mean, %variance) {{epsilon = 9.99999974E-6 : f32, momentum = 0.899999976 : f32}} : ({M}, {w["gain"]}, {w["bias"]}, {w["mean"]}, {w["variance"]}) -> {M}
%2 = "onnx.QuantizeLinear"(%1, %scale, %zero) {{axis = 1 : si64, block_size = 0 : si64, output_dtype = 0 : si64, saturate = 1 : si64}} : ({M}, {w["scale"]}, {w["zero"]}) -> {Q}
%3 = "onnx.DequantizeLinear"(%2, %scale, %zero) {{axis = 1 : si64, block_size = 0 : si64}} : ({Q}, {w["scale"]}, {w["zero"]}) -> {M}
%4 = "onnx.Relu"(%3) : ({M}) -> {M}
%5 = "onnx.MaxPoolSingleOut"(%4) {{auto_pad = "NOTSET", ceil_mode = 0 : si64, kernel_shape = [2, 2], pads = [0, 0, 0, 0], storage_order = 0 : si64, strides = [2, 2]}} : ({M}) -> tensor<1x4x3x3xf32>
%6 = "onnx.Reshape"(%5, %shape) {{allowzero = 0 : si64}} : (tensor<1x4x3x3xf32>, {w["shape"]}) -> tensor<1x36xf32>
%7 = "onnx.Gemm"(%6, %dense, %offset) {{alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32, transA = 0 : si64, transB = 0 : si64}} : (tensor<1x36xf32>, {w["dense"]}, {w["offset"]}) -> {V}
%8 = "onnx.ReduceSumV11"(%7) {{axes = [0, 1], keepdims = 0 : si64}} : ({V}) -> tensor<f32>
%9 = "onnx.Greater"(%8, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
%10 = "onnx.If"(%9) ({{
  %a = "onnx.Softmax"(%7) {{axis = -1 : si64}} : ({V}) -> {V}
  "onnx.Yield"(%a) : ({V}) -> ()
}}, {{
  %a = "onnx.Neg"(%7) : ({V}) -> {V}
  "onnx.Yield"(%a) : ({V}) -> ()
}}) : (tensor<i1>) -> {V}
%11:2 = "onnx.Loop"(%steps, %none, %10) ({{
^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: {V}):
  %a = "onnx.Mul"(%v, %half) : ({V}, tensor<f32>) -> {V}
  "onnx.Yield"(%c, %a, %a) : (tensor<i1>, {V}, {V}) -> ()
}}) : ({w["steps"]}, none, {V}) -> ({V}, tensor<?x1x5xf32>)
"onnx.Return"(%11#0, %11#1) : ({V}, tensor<?x1x5xf32>) -> ()
}}) : () -> ()
"onnx.EntryPoint"() {{func = @main_graph}} : () -> ()
}}) : () -> ()
"""
)


def graph(name, nodes, inputs, outputs):
    return helper.make_graph(nodes, name, inputs, outputs)


def value(name, element=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, element, shape)


node = helper.make_node
softmax = graph("then", [node("Softmax", ["7"], ["then"], axis=-1)], [], [value("then")])
negated = graph("else", [node("Neg", ["7"], ["else"])], [], [value("else")])
body = graph(
    "body",
    [
        node("Identity", ["c"], ["again"]),
        node("Mul", ["v", "half"], ["next"]),
        node("Identity", ["next"], ["kept"]),
    ],
    [value("i", TensorProto.INT64, []), value("c", TensorProto.BOOL, []), value("v")],
    [value("again", TensorProto.BOOL, []), value("next"), value("kept")],
)
nodes = [
    node("Conv", ["x", "w", "b"], ["0"]),
    node("BatchNormalization", ["0", "gain", "bias", "mean", "variance"], ["1"]),
    node("QuantizeLinear", ["1", "scale", "zero"], ["2"]),
    node("DequantizeLinear", ["2", "scale", "zero"], ["3"]),
    node("Relu", ["3"], ["4"]),
    node("MaxPool", ["4"], ["5"], kernel_shape=[2, 2], strides=[2, 2]),
    node("Reshape", ["5", "shape"], ["6"]),
    node("Gemm", ["6", "dense", "offset"], ["7"]),
    node("ReduceSum", ["7"], ["8"], keepdims=0),
    node("Greater", ["8", "limit"], ["9"]),
    node("If", ["9"], ["10"], then_branch=softmax, else_branch=negated),
    node("Loop", ["steps", "", "10"], ["y", "all"], body=body),
]
model = helper.make_model(
    helper.make_graph(
        nodes,
        "network",
        [value("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [value("y"), value("all")],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    ),
    opset_imports=[helper.make_opsetid("", 21)],
    ir_version=10,
)
session = onnxruntime.InferenceSession(
    model.SerializeToString(), providers=["CPUExecutionProvider"]
)
for seed in range(4):
    x = np.random.default_rng(seed).standard_normal((1, 3, 8, 8)).astype(f32)
    np.save(work / "x.npy", x)
    command = [tools / "quant-float-run", source, "--inputs", work / "x.npy", "--outputs", work]
    subprocess.run(command, check=True)
    for index, expected in enumerate(session.run(None, {"x": x})):
        got = np.load(work / f"output_{index}.npy")
        assert np.allclose(got, expected, 1e-5, 1e-5), f"{seed}: {got}, expected {expected}"
