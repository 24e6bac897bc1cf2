# The operators for ONNX Runtime: bits against the package's array functions and ONNX Runtime's own
# operators, packed types, dynamic shapes, matmuls with block-quantized weights, errors.
# REQUIRES: onnxruntime-custom-ops
# RUN: %python %s %obj_root/lib/libQuantFloatOnnxRuntime.so
# RUN: %python %src_root/benchmarks/frameworks.py onnxruntime --package %obj_root/python_packages --size 4096 --repeat 1 --output %t.json
# RUN: FileCheck %s --check-prefix=BENCHMARK < %t.json
# BENCHMARK: "name": "f32 to float8e4m3fn"
# BENCHMARK: "name": "MatMulNBits 1x1024x1024 int4"
import sys

import expect
import ml_dtypes
import numpy as np
import onnxruntime as ort
import quant_float as qf
from onnx import TensorProto, helper

library = sys.argv[1]
random = np.random.default_rng(2)
FLOAT8 = ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz")
F32 = TensorProto.FLOAT
# Magnitudes that ONNX Runtime 1.31 converts wrongly without saturation.
WRONG = {"float8e4m3fn": (480, 512), "float8e5m2": (61440, 65536)}


def node(op, inputs, output="y", domain="quant_float", **attributes):
    return helper.make_node(op, inputs, [output], domain=domain, **attributes)


def make_session(nodes, inputs, output, constants=()):
    """`inputs` are names, types and shapes, `output` is a type."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info("y", output, None)],
        constants,
    )
    domains = [("", 23), ("quant_float", 1), ("com.microsoft", 1)]
    imports = [helper.make_opsetid(*each) for each in domains]
    model = helper.make_model(graph, opset_imports=imports, ir_version=11)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.register_custom_ops_library(library)
    return ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def run(nodes, inputs, output, constants=(), **arrays):
    session = make_session(nodes, inputs, output, constants)
    (made,) = session.run(None, {name: np.asarray(array) for name, array in arrays.items()})
    return made


def number(name):
    return qf.dtype(name).number


def check_casts():
    patterns = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for source, x in (("float16", patterns), ("float", patterns.astype(np.float32))):
        for to in FLOAT8:
            for saturate in (0, 1):
                given = [("x", number(source), ["n"])]
                nodes = [
                    node("Cast", ["x"], "c", to=number(to), saturate=saturate),
                    node("Cast", ["c"], to=F32),
                ]
                got = run(nodes, given, F32, x=x)
                wanted = qf.cast(qf.cast(x, to, saturate=bool(saturate)), "float")
                expect.same(f"{source} to {to}, saturate {saturate}", got, wanted)
                own = [
                    node("Cast", ["x"], "c", "", to=number(to), saturate=saturate),
                    node("Cast", ["c"], "y", "", to=F32),
                ]
                theirs = run(own, given, F32, x=x)
                # In ONNX Runtime, infinities do not saturate, and without saturation, some magnitudes
                # that overflow become the largest value (e4m3fn) or NaN (e5m2).
                compared = np.isfinite(x)
                least, most = WRONG.get(to, (0, 0))
                if not saturate:
                    wrong = (np.abs(x).astype(np.float32) >= least) & (
                        np.abs(x).astype(np.float32) < most
                    )
                    expect.true(f"{to}: still wrong", (got != theirs)[wrong].all())
                    compared &= ~wrong
                expect.same(f"{source} to {to}: ONNX Runtime", got[compared], theirs[compared])
    x = random.uniform(-9, 9, (3, 7)).astype(np.float32)
    for to in ("int4", "uint4", "float4e2m1", "int8", "uint16", "int64", "bool"):
        nodes = [node("Cast", ["x"], "c", to=number(to)), node("Cast", ["c"], to=F32)]
        got = run(nodes, [("x", F32, ["a", "b"])], F32, x=x)
        expect.same(f"float to {to}", got, qf.cast(qf.cast(x, to), "float"))


def check_quantization():
    x = (random.standard_normal((4, 6, 32)) * 20).astype(np.float32)
    shape = ["a", 6, "b"]
    for to in ("int8", "uint8", "int16", "uint16", "int4", "uint4"):
        small = 0 if to.startswith("u") else -2
        for what, scale_shape, attributes in (
            ("tensor", [], {}),
            ("one element", [1], {}),
            ("axis", [6], {"axis": 1}),
            ("negative axis", [6], {"axis": -2}),
            ("block", [4, 6, 2], {"axis": 2, "block_size": 16}),
        ):
            scale = random.uniform(0.05, 1, scale_shape).astype(np.float32)
            zero = random.integers(small, 3, scale_shape).astype(qf.dtype(to).numpy)
            raw = qf.pack(zero).bytes if to.endswith("t4") else zero
            constant = helper.make_tensor("z", number(to), scale_shape, raw.tobytes(), raw=True)
            given = [("x", F32, shape), ("s", F32, scale_shape)]
            nodes = [
                node("QuantizeLinear", ["x", "s", "z"], "q", **attributes),
                node("DequantizeLinear", ["q", "s", "z"], **attributes),
            ]
            got = run(nodes, given, F32, [constant], x=x, s=scale)
            options = attributes if len(scale_shape) and scale_shape != [1] else {}
            wanted = qf.qdq(x, scale, zero, storage=to, **options)
            expect.same(f"{to} per {what}", got, wanted)
            own = [
                node("QuantizeLinear", ["x", "s", "z"], "q", "", **attributes),
                node("DequantizeLinear", ["q", "s", "z"], "y", "", **attributes),
            ]
            try:
                theirs = run(own, given, F32, [constant], x=x, s=scale)
            except Exception as error:
                expect.true(f"{to} per {what}: {error}", "NOT_IMPLEMENTED" in str(error))
                continue
            expect.same(f"{to} per {what}: ONNX Runtime", got, theirs)
    scale = np.float32(0.25)
    for to in FLOAT8:
        nodes = [
            node("QuantizeLinear", ["x", "s"], "q", output_dtype=number(to)),
            node("DequantizeLinear", ["q", "s"], output_dtype=number("float16")),
        ]
        got = run(nodes, [("x", F32, shape), ("s", F32, [])], number("float16"), x=x, s=scale)
        wanted = qf.dequantize(qf.quantize(x, scale, dtype=to), scale, dtype="float16")
        expect.same(f"{to}", got, wanted)
    half = x.astype(np.float16)
    nodes = [node("QuantizeLinear", ["x", "s"], precision=F32)]
    given = [("x", number("float16"), shape), ("s", number("float16"), [])]
    got = run(nodes, given, number("uint8"), x=half, s=np.float16(0.3))
    expect.same("precision", got, qf.quantize(half, np.float16(0.3), precision="float"))


def check_shapes():
    session = make_session(
        [node("QuantizeLinear", ["x", "s"])], [("x", F32, ["a", "b"]), ("s", F32, [])], 2
    )
    for shape in ((3, 4), (1, 1), (0, 5), (64, 1000)):
        x = random.standard_normal(shape).astype(np.float32)
        (got,) = session.run(None, {"x": x, "s": np.array(0.5, np.float32)})
        expect.same(f"{shape}", got, qf.quantize(x, 0.5))
    expect.true("the shape", session.get_outputs()[0].shape == ["a", "b"])
    got = run([node("Cast", ["x"], to=number("float16"))], [("x", F32, [])], 10, x=np.float32(1.1))
    expect.same("a scalar", got, np.array(1.1, np.float16))


def check_matmuls():
    """8-bit and 4-bit weights in blocks of 32."""
    for bits, zeros, bias, rows in (
        (4, False, False, 1),
        (4, True, False, 5),
        (8, True, False, 3),
        (4, False, True, 2),
    ):
        depth, width = 96, 40
        b = random.integers(0, 1 << bits, (width, depth), dtype=np.uint8)
        packed = b if bits == 8 else b[:, ::2] | b[:, 1::2] << 4
        packed = packed.reshape(width, 3, -1)
        scales = random.uniform(0.01, 0.1, (width, 3)).astype(np.float32)
        zero = random.integers(0, 1 << bits, (width, 4 if bits == 4 else 3), dtype=np.uint8)
        stored = zero if bits == 8 else zero[:, ::2] | zero[:, 1::2] << 4
        a = random.standard_normal((rows, depth)).astype(np.float32)
        offset = random.standard_normal(width).astype(np.float32)
        given = [("a", F32, ["m", depth]), ("b", 2, packed.shape), ("s", F32, scales.shape)]
        arrays, names = {"a": a, "b": packed, "s": scales}, ["a", "b", "s"]
        if zeros:
            given.append(("z", 2, stored.shape))
            arrays["z"] = stored
            names.append("z")
        if bias:
            given.append(("o", F32, [width]))
            arrays["o"] = offset
            names += ["", "", "o"]
        attributes = {"K": depth, "N": width, "bits": bits, "block_size": 32}
        what = f"{bits} bits, zero points {zeros}, bias {bias}"
        got = run([node("MatMulNBits", names, **attributes)], given, F32, **arrays)
        own = run(
            [node("MatMulNBits", names, "y", "com.microsoft", **attributes)], given, F32, **arrays
        )
        least = zero[:, :3].repeat(32, 1).astype(np.float64) if zeros else 1 << (bits - 1)
        w = (b.astype(np.float64) - least) * scales.repeat(32, 1).astype(np.float64)
        exact = a.astype(np.float64) @ w.T + (offset if bias else 0)
        expect.true(f"{what}: numpy {np.abs(got - exact).max()}", np.abs(got - exact).max() < 1e-4)
        expect.true(
            f"{what}: ONNX Runtime {np.abs(got - own).max()}", np.abs(got - own).max() < 1e-4
        )


def check_errors():
    x = np.ones((3, 5), np.float32)
    given = [("x", F32, ["a", "b"])]
    for what, words, nodes, more, arrays in (
        ("to", "expected an element type of ONNX as to, but got 99", [node("Cast", ["x"], to=99)], [], {}),
        ("no type", "expected an element type of ONNX as to, but got 0", [node("Cast", ["x"])], [], {}),
        ("output_dtype", "expected an element type of ONNX as output_dtype, but got -1", [node("QuantizeLinear", ["x", "s"], output_dtype=-1)], [("s", F32, [])], {"s": np.float32(1)}),
        ("precision", "expected an element type of ONNX as precision, but got 99", [node("QuantizeLinear", ["x", "s"], precision=99)], [("s", F32, [])], {"s": np.float32(1)}),
        ("axis", "axis", [node("QuantizeLinear", ["x", "s"], axis=7)], [("s", F32, [5])], {"s": np.ones(5, np.float32)}),
        ("sizes", "input 1", [node("QuantizeLinear", ["x", "s"], axis=1)], [("s", F32, [4])], {"s": np.ones(4, np.float32)}),
        ("types", "quant_float.quantize", [node("QuantizeLinear", ["x", "s"])], [("s", 7, [])], {"s": np.int64(1)}),
        ("blocks", "block size must be positive", [node("QuantizeLinear", ["x", "s"], axis=1, block_size=-3)], [("s", F32, [3, 2])], {"s": np.ones((3, 2), np.float32)}),
    ):  # fmt: skip
        output = 2 if "Quantize" in nodes[0].op_type else 1
        try:
            run(nodes, [*given, *more], output, x=x, **arrays)
            expect.true(f"{what}: there is no error", False)
        except Exception as error:
            expect.true(f"{what}: {error}", words in str(error) and "quant_float: " in str(error))


check_casts()
check_quantization()
check_shapes()
check_matmuls()
check_errors()
expect.true("types of ml_dtypes", hasattr(ml_dtypes, "int4"))
expect.finish()
