# Blocks along dynamic axes, which opsets before 21 lack: each element of the scale and the zero
# point is repeated, whether they are constants or inputs. ONNX Runtime computes the same for the
# converted model as the rules' definition for the original one, with a partial block at the end, or
# one block that is much longer than the axis.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../Conformance/onnx/Inputs %python %s %tools_dir/quant-float-convert %t
import itertools
import pathlib
import subprocess
import sys

import definition
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
value = helper.make_tensor_value_info
random = np.random.default_rng(0)
options = onnxruntime.SessionOptions()
options.log_severity_level = 4


def make_model(op, kind, axis, block, scale, points, is_constant):
    sizes = ["a", "b"]
    sizes[axis] = "c"
    attributes = {"axis": axis, "block_size": block}
    ends = {
        "QuantizeLinear": (T.FLOAT, kind),
        "DequantizeLinear": (kind, T.FLOAT),
        "": (T.FLOAT, T.FLOAT),
    }[op]
    if op:
        nodes = [helper.make_node(op, ["x", "s", "z"], ["y"], "n", **attributes)]
    else:
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "q", **attributes),
            helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], "d", **attributes),
        ]
    inputs, constants = [value("x", ends[0], ["a", "b"])], []
    for name, element, array in (("s", T.FLOAT, scale), ("z", kind, points)):
        if is_constant:
            data = definition.pack(array, element)
            constants.append(T(name=name, data_type=element, dims=array.shape, raw_data=data))
        else:
            inputs.append(value(name, element, sizes))
    graph = helper.make_graph(nodes, "g", inputs, [value("y", ends[1], ["a", "b"])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


path, out = work / "model.onnx", work / "out.onnx"
for (axis, sizes, block), op, kind, is_constant in itertools.product(
    (
        (1, (3, 10), 4),
        (0, (10, 3), 4),
        (-1, (2, 8), 4),
        (0, (10, 3), 1 << 34),
        (-1, (2, 8), 1 << 62),
    ),
    ("QuantizeLinear", "DequantizeLinear", ""),
    (T.INT8, T.INT4),
    (True, False),
):
    # 4-bit values have no other users.
    if kind == T.INT4 and (op or not is_constant):
        continue
    blocks = list(sizes)
    blocks[axis] = -(-sizes[axis] // block)
    scale = (random.random(blocks) + 0.25).astype(np.float32)
    points = random.integers(-7, 7, blocks).astype(helper.tensor_dtype_to_np_dtype(kind))
    feeds = {"x": random.normal(0, 5, sizes).astype(np.float32)}
    if op == "DequantizeLinear":
        feeds = {"x": random.integers(-128, 127, sizes).astype(np.int8)}
    if not is_constant:
        feeds |= {"s": scale, "z": points}
    model = make_model(op, kind, axis, block, scale, points, is_constant)
    onnx.save(model, path)
    result, expected = definition.evaluate(model, feeds)["y"]
    for opset in (10, 12, 13, 18, 19):
        text = f"{op} {T.DataType.Name(kind)} {axis} {block} {is_constant} to {opset}"
        done = subprocess.run(
            [tool, path, "--opset", str(opset), "-o", out], capture_output=True, text=True
        )
        assert done.returncode == 0, f"{text}: {done.stderr}"
        onnx.checker.check_model(onnx.load(out), full_check=True)
        session = onnxruntime.InferenceSession(out, options, providers=["CPUExecutionProvider"])
        got = definition.to_numbers(session.run(None, feeds)[0], result)
        assert definition.same(got, expected), text

# A vector has no default axis 1, so a scale of dynamic size must have one element.
vector = helper.make_graph(
    [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["y"], "n")],
    "g",
    [value("x", T.INT16, [3]), value("s", T.FLOAT, ["k"]), value("z", T.INT16, ["k"])],
    [value("y", T.FLOAT, [3])],
)
onnx.save(
    helper.make_model(vector, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path
)
feeds = {"x": np.int16([-300, 0, 300]), "s": np.float32([0.5]), "z": np.int16([-4])}
for opset in (10, 13, 19):
    subprocess.run([tool, path, "--opset", str(opset), "-o", out], check=True)
    session = onnxruntime.InferenceSession(out, options, providers=["CPUExecutionProvider"])
    assert session.run(None, feeds)[0].tolist() == [-148, 2, 152], opset
