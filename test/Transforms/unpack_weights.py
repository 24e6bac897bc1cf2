# com.microsoft's MatMulNBits with ONNX's own operators: the quantized values, scales and zero
# points are those of the bytes. The model computes the same in ONNX Runtime and here, with the same
# bits of the sums. Nodes without an equivalent are left unchanged, with a remark that gives the
# reason.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper

tools, work = sys.argv[1], pathlib.Path(sys.argv[2])
random = np.random.default_rng(3)
failures, count = [], 0
KINDS = {T.FLOAT: np.float32, T.FLOAT16: np.float16, T.BFLOAT16: ml_dtypes.bfloat16}


def make(bits, rows, depth, block, element=T.FLOAT, points=True, bias=False, opset=25, **more):
    blocks = -(-depth // block)
    kind = KINDS[element]
    encodings = random.integers(0, 256, (rows, blocks, block * bits // 8), np.uint8)
    scales = (random.random(rows * blocks) + 0.5).astype(kind)
    constants = {"w": encodings, "s": scales}
    names = ["x", "w", "s"]
    if points:
        size = rows * -(-blocks * bits // 8)
        constants["z"] = random.integers(0, 256, size, np.uint8)
        names.append("z")
    if bias:
        constants["b"] = random.standard_normal(rows).astype(kind)
        names += [""] * (5 - len(names)) + ["b"]
    attributes = {"K": depth, "N": rows, "bits": bits, "block_size": block} | more
    node = helper.make_node("MatMulNBits", names, ["y"], "product", domain="com.microsoft", **attributes)  # fmt: skip
    x = helper.make_tensor_value_info("x", element, ["n", depth])
    y = helper.make_tensor_value_info("y", element, ["n", rows])
    initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph([node], "g", [x], [y], initializers)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10)
    onnx.save(model, work / "in.onnx")
    return model, constants, kind


def convert():
    done = subprocess.run(
        [f"{tools}/quant-float-convert", work / "in.onnx", "--rewrite", "unpack-weights", "-o", work / "out.onnx"],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return onnx.load(work / "out.onnx"), done.stderr


def run(path, x):
    np.save(work / "x.npy", x.view(np.uint16) if x.dtype == ml_dtypes.bfloat16 else x)
    done = subprocess.run(
        [f"{tools}/quant-float-run", path, "--outputs", work, "--inputs", work / "x.npy"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return np.load(work / "output_0.npy")


def expect(what, holds):
    if not holds:
        failures.append(what)


def unpack(data, rows, columns, bits):
    data = data.reshape(rows, -1).astype(np.int64)
    places = np.arange(columns) * bits
    return data[:, places // 8] >> places % 8 & ((1 << bits) - 1)


def by_name(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}


for bits in (8, 4, 2):
    for rows, depth, block in ((5, 64, 16), (3, 96, 32), (4, 72, 32), (40, 4096, 128)):
        for element in KINDS:
            for points, bias in ((True, False), (False, True)):
                what = f"{bits} {rows}x{depth} {block} {T.DataType.Name(element)} {points} {bias}"  # fmt: skip
                count += 1
                model, constants, kind = make(bits, rows, depth, block, element, points, bias)
                after, remarks = convert()
                onnx.checker.check_model(after, full_check=True)
                ops = [node.op_type for node in after.graph.node if node.op_type != "Cast"]
                expect(f"{what}: {ops}", ops == ["DequantizeLinear", "Transpose", "MatMul"] + ["Add"] * bias)  # fmt: skip
                expect(f"{what}: {remarks}", not remarks)
                # It has the name of the node that defines its result.
                expect(what, after.graph.node[-1].name == "product")
                node = after.graph.node[0]
                stored = by_name(after)
                blocks = -(-depth // block)
                w, s, z = (stored[name] for name in node.input)
                encodings = unpack(constants["w"], rows, depth, bits)
                middle = np.full((rows, blocks), 1 << (bits - 1))
                wanted = unpack(constants["z"], rows, blocks, bits) if points else middle
                expect(f"{what}: quantized values", np.array_equal(w.astype(np.int64), encodings))
                expect(f"{what}: points", np.array_equal(z.astype(np.int64), wanted))
                expect(f"{what}: scales", np.array_equal(s, constants["s"].reshape(rows, blocks)))  # fmt: skip
                x = random.standard_normal((5, depth)).astype(kind)
                ours = [run(work / name, x) for name in ("in.onnx", "out.onnx")]
                expect(f"{what}: other bits", np.array_equal(*ours))
                if element == T.FLOAT and bits == 4:
                    # A runtime that supports opset 21 only.
                    after.opset_import[0].version = 21
                    session = onnxruntime.InferenceSession(model.SerializeToString())
                    theirs = session.run(None, {"x": x})[0]
                    expect(f"{what}: ONNX Runtime", np.allclose(ours[1], theirs, 1e-3, 1e-3 * np.abs(theirs).max()))  # fmt: skip

for why, given in (
    ("DequantizeLinear supports blocks from opset 21 on", {"opset": 20}),
    ("2-bit values from opset 25 on", {"bits": 2, "opset": 24}),
    ("it dequantizes to f32", {"element": T.FLOAT16, "opset": 22}),
    ("do not end on a byte boundary", {"depth": 63}),
    ("its attributes are not supported", {"weight_prepacked": 1}),
):
    given = {"bits": 4, "rows": 4, "depth": 64, "block": 32} | given
    make(given.pop("bits"), given.pop("rows"), given.pop("depth"), given.pop("block"), **given)
    after, remarks = convert()
    expect(f"{why}: {remarks}", why in remarks and "node 'product'" in remarks)
    expect(why, [node.op_type for node in after.graph.node] == ["MatMulNBits"])
print(count, "models", *failures[:20], sep="\n")
sys.exit(bool(failures))
