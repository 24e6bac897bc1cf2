# The weights of entire models in weight files: DequantizeLinear with K-contiguous and N-contiguous
# weights, per channel and in blocks, MatMulNBits, scales of two levels, and plain constants.
# Weights read back from GGUF and safetensors have the bits that the model multiplies with, outputs
# by inputs. The rest of the network is omitted.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

tools, work = sys.argv[1], pathlib.Path(sys.argv[2])
random = np.random.default_rng(9)
failures = []
INPUTS, OUTPUTS, BLOCK = 64, 32, 32


def expect(what, holds):
    if not holds:
        failures.append(what)


def call(*arguments, status=0):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, cwd=work)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stderr


class Layer:
    """A matmul with weights of a kind, whose rows are outputs or inputs."""

    def __init__(self, name, kind, across, gemm=False, scale=np.float16):
        self.name = name
        encodings = random.integers(-7, 8, (OUTPUTS, INPUTS)).astype(np.float32)
        shape = {"tensor": (), "channel": (OUTPUTS,), "block": (OUTPUTS, INPUTS // BLOCK)}[kind]
        # So that products are exact in every precision.
        scales = random.choice([0.25, 0.5, 1.0, 3.0], shape).astype(scale)
        spread = np.repeat(scales, BLOCK, 1) if kind == "block" else scales[..., None] if shape else scales  # fmt: skip
        self.values = encodings * spread.astype(np.float32)

        def turn(array):
            return np.ascontiguousarray(array.T) if across and array.ndim == 2 else array

        self.constants = [
            numpy_helper.from_array(turn(encodings).astype(ml_dtypes.int4), f"{name}.weight"),
            numpy_helper.from_array(turn(scales), f"{name}.scale"),
        ]
        axis = (0 if across else 1) if kind == "block" else (1 if across else 0)
        attributes = {"axis": axis, "output_dtype": T.FLOAT}
        if kind == "block":
            attributes["block_size"] = BLOCK
        self.nodes = [
            helper.make_node(
                "DequantizeLinear", [f"{name}.weight", f"{name}.scale"], [f"{name}.d"], **attributes
            )  # fmt: skip
        ]
        if gemm:
            self.nodes.append(helper.make_node("Gemm", ["x", f"{name}.d"], [f"{name}.y"], transB=int(not across)))  # fmt: skip
        elif across:
            self.nodes.append(helper.make_node("MatMul", ["x", f"{name}.d"], [f"{name}.y"]))
        else:
            self.nodes += [
                helper.make_node("Transpose", [f"{name}.d"], [f"{name}.t"], perm=[1, 0]),
                helper.make_node("MatMul", ["x", f"{name}.t"], [f"{name}.y"]),
            ]


class Packed:
    def __init__(self, name):
        self.name = name
        encodings = random.integers(0, 16, (OUTPUTS, INPUTS), np.uint8)
        scales = random.choice([0.5, 2.0], (OUTPUTS, INPUTS // BLOCK)).astype(np.float32)
        self.values = (encodings.astype(np.float32) - 8) * np.repeat(scales, BLOCK, 1)
        packed = (encodings[:, ::2] | encodings[:, 1::2] << 4).reshape(OUTPUTS, -1, BLOCK // 2)
        self.constants = [
            numpy_helper.from_array(packed, f"{name}.weight"),
            numpy_helper.from_array(scales.ravel(), f"{name}.scale"),
        ]
        attributes = {"K": INPUTS, "N": OUTPUTS, "bits": 4, "block_size": BLOCK}
        self.nodes = [
            helper.make_node(
                "MatMulNBits",
                ["x", f"{name}.weight", f"{name}.scale"],
                [f"{name}.y"],
                domain="com.microsoft",
                **attributes,
            )  # fmt: skip
        ]


layers = [
    Layer("along", "block", False),
    Layer("across", "block", True),
    Layer("gemm", "block", True, gemm=True),
    Layer("turned", "block", False, gemm=True),
    Layer("channels", "channel", False, scale=np.float32),
    Layer("columns", "channel", True, scale=np.float32),
    Layer("whole", "tensor", True, scale=np.float32),
    Packed("packed"),
]
bias = random.standard_normal(OUTPUTS).astype(np.float32)
total = [layer.nodes[-1].output[0] for layer in layers]
nodes = [node for layer in layers for node in layer.nodes]
nodes += [
    helper.make_node("Sum", total, ["sum"]),
    helper.make_node("Add", ["sum", "bias"], ["biased"]),
    helper.make_node("QuantizeLinear", ["biased", "activation"], ["q"]),
    helper.make_node("Reshape", ["q", "shape"], ["y"]),
]
constants = [constant for layer in layers for constant in layer.constants]
constants += [
    numpy_helper.from_array(bias, "bias"),
    numpy_helper.from_array(np.array([2.0] * 1, np.float32), "activation"),
    numpy_helper.from_array(np.array([-1]), "shape"),
]
graph = helper.make_graph(
    nodes,
    "g",
    [helper.make_tensor_value_info("x", T.FLOAT, ["n", INPUTS])],
    [helper.make_tensor_value_info("y", T.UINT8, None)],
    constants,
)
imports = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=11), work / "model.onnx")
expected = {f"{layer.name}.weight": layer.values for layer in layers} | {"bias": bias}

for suffix in ("safetensors", "gguf"):
    path = f"weights.{suffix}"
    # ggml's scales are f16 for blocks of 32.
    call(f"{tools}/quant-float-translate", f"--export-{suffix}", "--extract-weights", "model.onnx", "-o", path)  # fmt: skip
    call(f"{tools}/quant-float-translate", "--export-onnx", path, "-o", "back.onnx")
    back = onnx.load(work / "back.onnx")
    results = ReferenceEvaluator(back).run(None, {})
    found = {o.name: np.asarray(r) for o, r in zip(back.graph.output, results, strict=True)}
    expect(f"{suffix}: {sorted(found)}", sorted(found) == sorted(expected))
    for name, values in expected.items():
        got = found.get(name)
        expect(f"{suffix}: {name}", got is not None and got.dtype == np.float32 and np.array_equal(got, values))  # fmt: skip

# Without the option, a model is not converted.
error = call(f"{tools}/quant-float-translate", "--export-gguf", "model.onnx", "-o", "weights.gguf", status=1)  # fmt: skip
expect(error, "expected one function without arguments" in error)
print(*failures[:20], sep="\n")
sys.exit(bool(failures))
