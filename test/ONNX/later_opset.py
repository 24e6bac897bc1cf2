# Nodes that the model's opset lacks and a later one has: an axis of QuantizeLinear and
# DequantizeLinear before 13 is a warning, and an error with --strict. quant-float-convert accepts
# other nodes of later opsets, too, and rewrites them for the requested opset. Results are NumPy's.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
path, out = work / "model.onnx", work / "out.onnx"
value = helper.make_tensor_value_info


def save(opset, nodes, x, y, constants=(), shape=(3, 4)):
    initializers = [numpy_helper.from_array(v, k) for k, v in dict(constants).items()]
    graph = helper.make_graph(
        nodes, "g", [value("x", x, shape)], [value("y", y, shape)], initializers
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    onnx.save(model, path)


def tool(name, *arguments):
    return subprocess.run(
        [tools / f"quant-float-{name}", *arguments], capture_output=True, text=True
    )


def run(model, x):
    np.save(work / "x.npy", x)
    done = tool("run", model, f"--inputs=x={work / 'x.npy'}", "--outputs", work / "outputs")
    assert done.returncode == 0, done.stderr
    return np.load(work / "outputs" / "output_0.npy"), done.stderr


def convert(opset):
    return tool("convert", path, "--opset", str(opset), "-o", out)


# --- An axis before 13 ----------------------------------------------------------------------------

scale, zero = np.float32([0.5, 2, 3]), np.int8([0, 1, -7])
encodings = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
floats = (encodings.astype(np.float32) - zero[:, None]) * scale[:, None]
warning = "inputs or attributes do not match opset {}, assuming opset 13"
for opset in (10, 11, 12):
    for op, x, y, kinds in (
        ("DequantizeLinear", encodings, floats, (T.INT8, T.FLOAT)),
        ("QuantizeLinear", floats, encodings, (T.FLOAT, T.INT8)),
    ):
        told = f"node 'n' ({op}): {warning.format(opset)}"
        for axis in (0, -2):
            node = helper.make_node(op, ["x", "s", "z"], ["y"], "n", axis=axis)
            save(opset, [node], *kinds, {"s": scale, "z": zero})
            got, text = run(path, x)
            assert np.array_equal(got, y) and f"warning: {told}" in text, (got, text)
        for name in ("run", "check", "compile"):
            done = tool(
                name, path, "--strict", *(["-o", work / "model.so"] if name == "compile" else [])
            )
            assert done.returncode == 1 and f"error: {told}" in done.stderr, done.stderr
        for target in (10, 12, 13, 21, 28):
            done = convert(target)
            assert done.returncode == 0 and f"warning: {told}" in done.stderr, done.stderr
            onnx.checker.check_model(onnx.load(out), full_check=True)
            got, text = run(out, x)
            assert np.array_equal(got, y) and not text, (target, got, text)
        # An unconverted node is written as in its file.
        done = tool("translate", "--export-onnx", path, "-o", out)
        assert done.returncode == 1 and "attribute 'axis' does not exist" in done.stderr, (
            done.stderr
        )
# Other errors of the node are reported for its own opset.
node = helper.make_node("DequantizeLinear", ["x", "s"], ["y"], "n", axis=5)
save(12, [node], T.INT8, T.FLOAT, {"s": scale})
for done in (tool("run", path, "--random=1"), convert(21)):
    assert done.returncode == 1 and "node 'n' (DequantizeLinear)" in done.stderr, done.stderr

# --- Models with raised opsets --------------------------------------------------------------------

x = np.linspace(-9, 9, 12, dtype=np.float32).reshape(3, 4)
blocks = np.float32([[0.5, 2]] * 3)
rounded = [
    helper.make_node(
        "QuantizeLinear", ["x", "s"], ["q"], "q", output_dtype=T.INT4, axis=1, block_size=2
    ),
    helper.make_node("DequantizeLinear", ["q", "s"], ["y"], "d", axis=1, block_size=2),
]
repeated = np.repeat(blocks, 2, 1)
blocked = np.clip(np.rint(x / repeated), -8, 7) * repeated
casts = [
    helper.make_node("Cast", ["x"], ["c"], "c", to=T.FLOAT8E5M2),
    helper.make_node("Cast", ["c"], ["y"], "n", to=T.FLOAT),
]
import ml_dtypes  # noqa: E402

for opset, nodes, constants, expected, shape, names in (
    (13, rounded, {"s": blocks}, blocked, (3, 4), ("q", "d")),
    (17, casts, {}, x.astype(ml_dtypes.float8_e5m2).astype(np.float32), (3, 4), ("c", "n")),
):
    save(opset, nodes, T.FLOAT, T.FLOAT, constants, shape)
    done = tool("run", path, "--random=1")
    assert done.returncode == 1 and "is not accepted by" in done.stderr, done.stderr
    for target in (10, opset, 18, 21, 28):
        done = convert(target)
        assert done.returncode == 0, done.stderr
        assert all(
            f"node '{n}'" in done.stderr and f"do not match opset {opset}, assuming" in done.stderr
            for n in names
        ), done.stderr
        onnx.checker.check_model(onnx.load(out), full_check=True)
        got, text = run(out, x)
        assert np.array_equal(got, expected) and not text, (target, got, expected)
# Ordinary nodes, in both directions.
mean = helper.make_node("ReduceMean", ["x", "a"], ["m"], "n")
old = helper.make_node("ReduceMean", ["x"], ["m"], "n", axes=[0])
for opset, node, constants in ((13, mean, {"a": np.int64([0])}), (18, old, {})):
    save(opset, [node, helper.make_node("Sub", ["x", "m"], ["y"])], T.FLOAT, T.FLOAT, constants)
    for target in (13, 18, 21):
        done = convert(target)
        assert done.returncode == 0 and ", assuming opset" in done.stderr, done.stderr
        onnx.checker.check_model(onnx.load(out), full_check=True)
        assert np.allclose(run(out, x)[0], x - x.mean(0, keepdims=True)), target
# The deprecation of a version does not change the version of a node: each group has a scale before
# 21.
groups = np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2) ** 2
centered = groups.reshape(2, 8) - groups.reshape(2, 8).mean(1, keepdims=True)
normal = (centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5)).reshape(2, 2, 2, 2)
for opset in (18, 20):
    normalize = helper.make_node("GroupNormalization", ["x", "s", "b"], ["y"], "n", num_groups=2)
    constants = {"s": np.float32([2, 3]), "b": np.float32([10, 20])}
    save(opset, [normalize], T.FLOAT, T.FLOAT, constants, groups.shape)
    expected = normal * np.float32([2, 3])[:, None, None, None] + np.float32([10, 20])[:, None, None, None]  # fmt: skip
    got, text = run(path, groups)
    assert np.allclose(got, expected.reshape(groups.shape), 1e-4, 1e-4) and not text, (got, text)
    done = convert(21)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert np.allclose(run(out, groups)[0], got, 1e-4, 1e-4)
# No opset has it.
save(13, [helper.make_node("Cast", ["x"], ["y"], "n", to=T.FLOAT, round=1)], T.FLOAT, T.FLOAT)
done = convert(21)
assert done.returncode == 1 and "unknown attribute 'round'" in done.stderr, done.stderr
