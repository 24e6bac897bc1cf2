# quant-float-check warns of implausible constant scales: 0, negative, subnormal, infinite, NaN. The
# node is valid.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

tools, work = map(pathlib.Path, sys.argv[1:3])
failures = []
WORDS = "expected a positive normal number as a scale, but element "


def check(name, nodes, values, scales, message):
    info = helper.make_tensor_value_info
    constants = [numpy_helper.from_array(v, k) for k, v in values.items()]
    graph = helper.make_graph(
        nodes, "g", [info("x", T.FLOAT, [2, 4])], [info("y", T.UINT8, None)], constants
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    onnx.save(model, work / f"{name}.onnx")
    command = [tools / "quant-float-check", work / f"{name}.onnx"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = WORDS in done.stdout
    if done.returncode != 0 or ": ok" not in done.stdout:
        failures.append(f"{name}: {done.returncode} {done.stdout} {done.stderr}")
    elif found != bool(message) or (message and f"{WORDS}{message}\n" not in done.stdout):
        failures.append(f"{name}: expected '{message}', but got {done.stdout}")


CASES = [
    ("good", np.float32([1, 0.5]), None),
    ("zero", np.float32([1, 0]), "1 is 0"),
    ("minus", np.float32([-0.0, 1]), "0 is 0"),
    ("negative", np.float32([1, -1.5]), "1 is negative (-1.5)"),
    ("subnormal", np.float32([1e-40, 1]), "0 is subnormal (9.9999461E-41)"),
    ("infinite", np.float32([1, np.inf]), "1 is infinite (+Inf)"),
    ("nan", np.float32([np.nan, 1]), "0 is NaN"),
    ("half", np.float16([1, 6e-8]), "1 is subnormal (5.9605E-8)"),
    ("brain", np.array([0, 1], ml_dtypes.bfloat16), "0 is 0"),
]
for name, scale, message in CASES:
    node = helper.make_node("QuantizeLinear", ["x", "s"], ["y"], axis=0, name="q")
    check(name, [node], {"s": scale}, scale, message)
# A node without an op.
inputs = ["a", "sa", "z", "b", "sb", "z", "sy", "z"]
nodes = [
    helper.make_node("QuantizeLinear", ["x", "sa"], ["a"]),
    helper.make_node("QLinearMatMul", inputs, ["y"], name="m"),
]
values = {"sa": np.float32(1), "z": np.uint8(0), "b": np.zeros((4, 3), np.uint8)}
values |= {"sb": np.float32(-1), "sy": np.float32(2)}
check("product", nodes, values, None, "0 is negative (-1)")

sys.exit("\n".join(failures) if failures else 0)
