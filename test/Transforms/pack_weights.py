# Matmuls with block-quantized weights are rewritten to com.microsoft's MatMulNBits: K-contiguous
# and N-contiguous weights of all quantized types, with and without zero points, with MatMul,
# Transpose and Gemm. The bits of the results do not change, ONNX Runtime agrees, and unpacking
# restores the quantized values, scales and zero points. Nodes that are not rewritten have a remark
# with the reason. The inputs have many rows: with few rows, the accumulation order of MatMulNBits
# differs (R7).
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
# Bits, minimum and maximum.
ENCODINGS = {
    T.INT4: (ml_dtypes.int4, 4, -8, 7),
    T.UINT4: (ml_dtypes.uint4, 4, 0, 15),
    T.INT8: (np.int8, 8, -128, 127),
    T.UINT8: (np.uint8, 8, 0, 255),
    T.INT2: (ml_dtypes.int2, 2, -2, 1),
    T.UINT2: (ml_dtypes.uint2, 2, 0, 3),
}
FORMS = ("MatMul", "Transpose", "Gemm", "GemmB")


def make(form, element=T.INT4, rows=8, depth=64, block=16, points=True, bias=True, opset=25, kind=np.float32, other=(), **more):  # fmt: skip
    dtype, _, least, most = ENCODINGS.get(element, (ml_dtypes.float8_e4m3fn, 8, -8, 8))
    blocks = -(-depth // block)
    is_across = form in ("MatMul", "Gemm")
    encodings = random.integers(least, most + 1, (rows, depth)).astype(np.float32).astype(dtype)
    scales = (random.random((rows, blocks)) + 0.5).astype(kind)
    zeros = random.integers(least, most + 1, (rows, blocks)).astype(np.float32).astype(dtype)

    def turn(array):
        return np.ascontiguousarray(array.T) if is_across else array

    constants = {"w": turn(encodings), "s": turn(scales)} | ({"z": turn(zeros)} if points else {})
    attributes = {"axis": 0 if is_across else 1, "block_size": block} | more
    nodes = [helper.make_node("DequantizeLinear", [*constants], ["d"], "dq", **attributes)]
    if form.startswith("Gemm"):
        if bias:
            constants["b"] = random.standard_normal(rows).astype(kind)
        names = ["x", "d"] + ["b"] * bias
        extra = dict(other) | ({"transB": 1} if form == "GemmB" else {})
        nodes.append(helper.make_node("Gemm", names, ["y"], "product", **extra))
    else:
        if form == "Transpose":
            nodes.append(helper.make_node("Transpose", ["d"], ["t"], "turn", perm=[1, 0]))
        nodes.append(helper.make_node("MatMul", ["x", nodes[-1].output[0]], ["y"], "product"))
    x = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), ["n", depth])  # fmt: skip
    y = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), ["n", rows])  # fmt: skip
    initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    onnx.save(model, work / "in.onnx")
    return encodings, scales, zeros


def convert(source, rewrite, to):
    done = subprocess.run(
        [f"{tools}/quant-float-convert", work / source, "--rewrite", rewrite, "-o", work / to],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return onnx.load(work / to), done.stderr


def run(path, x):
    np.save(work / "x.npy", x)
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


def by_name(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}


for element, (_, bits, least, _) in ENCODINGS.items():
    for form in FORMS:
        for i, (rows, depth, block) in enumerate(((8, 64, 16), (3, 72, 32), (64, 1024, 64))):
            points = (i + FORMS.index(form)) % 2 == 0
            what = f"{form} {T.DataType.Name(element)} {rows}x{depth} {block} {points}"
            count += 1
            encodings, scales, zeros = make(form, element, rows, depth, block, points, bias=i != 1)
            after, remarks = convert("in.onnx", "pack-weights", "packed.onnx")
            ops = [node.op_type for node in after.graph.node]
            expect(f"{what}: {ops} {remarks}", ops == ["MatMulNBits"] and not remarks)
            expect(what, after.graph.node[0].name == "product")
            x = random.standard_normal((5, depth)).astype(np.float32)
            ours = [run(work / name, x) for name in ("in.onnx", "packed.onnx")]
            expect(f"{what}: other bits", np.array_equal(*ours))
            if bits != 2 and depth % block == 0:
                after.opset_import[0].version = 21
                session = onnxruntime.InferenceSession(after.SerializeToString())
                theirs = session.run(None, {"x": x})[0]
                expect(f"{what}: ONNX Runtime", np.allclose(ours[1], theirs, 1e-3, 1e-3 * np.abs(theirs).max()))  # fmt: skip
            if depth * bits % 8 == 0:
                back, remarks = convert("packed.onnx", "unpack-weights", "back.onnx")
                expect(f"{what}: {remarks}", not remarks)
                stored, node = by_name(back), back.graph.node[0]
                w, s, z = (stored[name] for name in node.input)
                shift = -least if least < 0 else 0
                expect(
                    f"{what}: quantized values",
                    np.array_equal(w.astype(int), encodings.astype(int) + shift),
                )
                wanted = zeros.astype(int) + shift if points else np.full(zeros.shape, shift)
                expect(f"{what}: points", np.array_equal(z.astype(int), wanted))
                expect(f"{what}: scales", np.array_equal(s, scales))

for why, form, given in (
    ("the block size must be a power of two", "MatMul", {"block": 8}),
    ("its scales and results must be f32", "MatMul", {"kind": np.float16}),
    (
        "its blocks are not along the reduction dimension",
        "Gemm",
        {"rows": 64, "bias": False, "other": {"transB": 1}},
    ),  # fmt: skip
    ("its quantized values must be integers", "Gemm", {"element": T.FLOAT8E4M3FN, "points": False}),
    ("it transposes or scales its other inputs", "Gemm", {"other": {"alpha": 0.5}}),
):
    make(form, **given)
    after, remarks = convert("in.onnx", "pack-weights", "packed.onnx")
    expect(f"{why}: {remarks}", why in remarks and "node 'product'" in remarks)
    expect(why, "MatMulNBits" not in [node.op_type for node in after.graph.node])
print(count, "models", *failures[:20], sep="\n")
sys.exit(bool(failures))
