# com.microsoft's MatMulBlockQuantizedFp4Weight and MatMulBlockQuantizedFp8Weight (R9), for which
# ONNX Runtime has no CPU kernels: dequantized weights have the bits that NumPy and ml_dtypes
# compute for all encodings, matmuls are within their error bound, ONNX's reference evaluator
# computes the same for the rewritten models, and invalid nodes are reported.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir %t
import itertools
import sys

import ml_dtypes
import numpy as np
import onnx
from conformance.node_tests import Runner
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

F32, F16, BF16 = np.float32, np.float16, ml_dtypes.bfloat16
FP8, FP4 = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn
runner = Runner(*sys.argv[1:3])
rng = np.random.default_rng(5)
failures, count = [], itertools.count()
FP4_OP, FP8_OP = "MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight"
np.seterr(all="ignore")


def unpack(encodings):
    """The first value of a byte is in its low half."""
    return np.stack([encodings & 15, encodings >> 4], -1).reshape(len(encodings), -1).view(FP4)


def get_weights(op, inputs, block, dtype):
    encodings, scales = inputs[1], inputs[2]
    if op == FP4_OP:
        encodings = unpack(encodings)
        scales = scales.view(FP8).astype(F32) * inputs[3].reshape(())
    spread = np.repeat(scales, block, 1)[:, : encodings.shape[1]]
    return (encodings.astype(F32) * spread).astype(dtype)


def get_activations(op, inputs):
    a = inputs[0]
    scale = inputs[3] if op == FP8_OP and len(inputs) > 3 else None
    if scale is None:
        return a
    quotient = a.astype(F32) / scale.reshape(())
    return (np.clip(quotient, -448, 448).astype(FP8).astype(F32) * scale.reshape(())).astype(
        a.dtype
    )


def make_model(op, inputs, attributes, constants, dynamic_sizes, opset):
    values, initializers, names, arrays = [], [], [], []
    for i, array in enumerate(inputs):
        names.append("" if array is None else f"x{i}")
        if array is None:
            continue
        tensor = numpy_helper.from_array(array, names[-1])
        if i in constants:
            initializers.append(tensor)
            continue
        sizes = [f"s{i}_{k}" for k in range(array.ndim)] if dynamic_sizes else array.shape
        values.append(helper.make_tensor_value_info(names[-1], tensor.data_type, sizes))
        arrays.append(tensor)
    node = helper.make_node(op, names, ["y"], name="n", domain="com.microsoft", **attributes)
    kind = helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    sizes = [f"y{k}" for k in range(inputs[0].ndim)]
    result = helper.make_tensor_value_info("y", kind, sizes)
    graph = helper.make_graph([node], "g", values, [result], initializers)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=11), arrays


def run(op, inputs, attributes, constants, dynamic_sizes=False, opset=21):
    """Returns the result and the path of the model, or the error."""
    model, arrays = make_model(op, inputs, attributes, constants, dynamic_sizes, opset)
    folder = runner.work / str(next(count))
    folder.mkdir()
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    files = [folder / f"{tensor.name}.pb" for tensor in arrays]
    for file, tensor in zip(files, arrays, strict=True):
        file.write_bytes(tensor.SerializeToString())
    feed = ["--inputs", *files] if files else []
    done = runner.call("quant-float-run", path, "-O0", "--outputs", folder, *feed)
    if done.returncode != 0:
        return path, done.stderr
    return path, np.load(folder / "output_0.npy").view(inputs[0].dtype)


def check(op, inputs, exact=False, constants=None, reference=False, **attributes):
    """`exact` states that the lhs selects single weights."""
    block = attributes.get("block_size", 16 if op == FP4_OP else 128)
    dtype = inputs[0].dtype
    weights = get_weights(op, inputs, block, dtype).astype(np.float64)
    a = get_activations(op, inputs).astype(np.float64)
    bias = inputs[5 if op == FP4_OP else 4] if len(inputs) > (5 if op == FP4_OP else 4) else None
    product = (a @ weights.T).astype(dtype)
    expected = product if bias is None else (product.astype(F32) + bias.astype(F32)).astype(dtype)
    unit = {F16: 2.0**-11, BF16: 2.0**-8}[dtype.type]
    magnitude = np.abs(a) @ np.abs(weights).T
    error = weights.shape[1] * 2.0**-23 * magnitude + 2 * unit * np.abs(product.astype(np.float64))
    error += 2 * unit * np.abs(expected.astype(np.float64)) + 2.0**-23
    label = f"{op} {dtype} {[None if x is None else x.shape for x in inputs]} {attributes}"

    def compare(got, how):
        if isinstance(got, str):
            failures.append(f"{label} {how}: {got}")
            return
        if exact:
            same = got.shape == expected.shape and np.array_equal(
                got.astype(F32), expected.astype(F32), equal_nan=True
            )
        else:
            off = np.abs(got.astype(np.float64) - expected.astype(np.float64))
            same = got.shape == expected.shape and (off <= error).all()
        if not same:
            failures.append(f"{label} {how}: expected {expected}, but got {got}")

    everything = range(1, len(inputs)) if constants is None else constants
    for dynamic_sizes in (False, True):
        compare(run(op, inputs, attributes, (), dynamic_sizes)[1], f"open sizes {dynamic_sizes}")
    path, got = run(op, inputs, attributes, everything)
    compare(got, "constants")
    plain = path.with_name("plain.onnx")
    for opset in (23, 26) if op == FP4_OP else (21, 23):
        path, _ = run(op, inputs, attributes, everything, opset=opset)
        done = runner.call("quant-float-convert", path, "--rewrite", "unpack-weights", "-o", plain)
        model = onnx.load(plain) if done.returncode == 0 else None
        kinds = [node.op_type for node in model.graph.node] if model else []
        if not {"DequantizeLinear", "MatMul"} <= set(kinds) or op in kinds:
            failures.append(f"{label} rewritten: {kinds} {done.stderr}")
            continue
        onnx.checker.check_model(model, full_check=True)
        feed = {"x0": inputs[0]}
        # The reference evaluator quantizes f16 through f32 in f16.
        if reference:
            compare(ReferenceEvaluator(model).run(None, feed)[0], f"reference {opset}")
    files = sorted(path.parent.glob("x*.pb"))
    got = runner.call("quant-float-run", plain, "-O0", "--outputs", path.parent, "--inputs", *files)
    compare(np.load(path.parent / "output_0.npy").view(dtype) if not got.returncode else got.stderr, "plain")  # fmt: skip


def nibbles(rows, depth):
    return rng.integers(0, 256, (rows, depth // 2)).astype(np.uint8)


def scalar(value):
    return np.array(value, F32)


# Each row of the lhs selects one weight, so that the result has its bits: all encodings of values
# with all encodings of scales, NaN included, and per-tensor scales that overflow and underflow.
for dtype, whole in itertools.product((F16, BF16), (1.0, 0.037, 3e-7, -1.7, 1e4, np.inf)):
    ones = np.eye(16, dtype=dtype)
    values = np.tile(np.arange(16, dtype=np.uint8), (256, 1))
    packed = values[:, ::2] | values[:, 1::2] << 4
    scales = np.arange(256, dtype=np.uint8)[:, None]
    if whole != np.inf:
        # NaN and infinities times 0 would hide the selected weight.
        scales[[0x7F, 0xFF]] = 0x38
        if whole == 1e4 and dtype == F16:
            scales[(scales & 0x7F) > 0x40] = 0x38
    else:
        scales, packed, whole = scales[[0x38, 0x7F, 0xFF]], np.full((3, 8), 0x22, np.uint8), 1.0
    check(FP4_OP, [ones, packed, scales, scalar(whole)], exact=True, reference=True)
for dtype in (F16, BF16):
    encodings = np.arange(256, dtype=np.uint8)
    encodings = encodings[(encodings & 0x7F) != 0x7F].reshape(-1, 2).view(FP8)
    scales = np.exp2(rng.uniform(-20, 6, (len(encodings), 1))).astype(F32)
    check(FP8_OP, [np.eye(2, dtype=dtype), encodings, scales], exact=True, reference=True)

for dtype in (F16, BF16):
    for rows, depth, block in ((1, 2, 16), (7, 40, 16), (20, 96, 32), (3, 66, 5), (5, 64, 128)):
        blocks = -(-depth // block)
        scales = rng.integers(0x28, 0x48, (rows, blocks)).astype(np.uint8)
        bias = rng.standard_normal(rows).astype(F32).astype(dtype)
        for lead in ((), (1,), (6,), (2, 3)):
            a = rng.standard_normal((*lead, depth)).astype(F32).astype(dtype)
            inputs = [a, nibbles(rows, depth), scales, scalar(0.03)]
            check(FP4_OP, inputs, block_size=block)
        inputs[3] = inputs[3].reshape(1)
        check(FP4_OP, [*inputs, scalar([2.0]), bias], block_size=block)
        check(FP4_OP, [*inputs, None, bias], block_size=block, constants=(1, 2, 3))
        scales = rng.uniform(0.01, 0.1, (rows, blocks)).astype(F32)
        encodings = rng.standard_normal((rows, depth)).astype(FP8)
        check(FP8_OP, [a, encodings, scales], block_size=block)
        for whole in (scalar(0.02), scalar([0.001])):
            check(FP8_OP, [a, encodings, scales, whole, bias], block_size=block)
# The default attributes.
a = rng.standard_normal((2, 160)).astype(F16)
check(FP4_OP, [a, nibbles(3, 160), np.full((3, 10), 0x38, np.uint8), scalar(0.5)])
check(FP8_OP, [a, rng.standard_normal((3, 160)).astype(FP8), np.ones((3, 2), F32)])


def refuse(op, words, inputs, dynamic_words=None, **attributes):
    """With dynamic sizes, wrong sizes are runtime errors."""
    everything = range(1, len(inputs))
    for constants, dynamic_sizes in (((), False), (everything, False), ((), True)):
        if dynamic_sizes and dynamic_words is None:
            continue
        wanted = dynamic_words if dynamic_sizes else words
        _, got = run(op, inputs, attributes, constants, dynamic_sizes)
        names_node = dynamic_sizes or "'n'" in got
        if not isinstance(got, str) or wanted not in got or not names_node:
            failures.append(f"{op} {attributes}: expected '{wanted}', but got {got}")


a, b, s, t = np.ones((2, 32), F16), nibbles(4, 32), np.full((4, 2), 0x38, np.uint8), scalar(1)
bias = np.ones(4, F16)
good = [a, b, s, t, None, bias]


def change(index, value, of=good):
    return [*of[:index], value, *of[index + 1 :]]


same = "attribute 'block_size': expected 1 to 2147483647, but got "
for block in (0, -16, 2**31):
    refuse(FP4_OP, same + str(block), good, same + str(block), block_size=block)
refuse(FP4_OP, "input 2: expected size 4 of axis 1, but got 2", good, "input 2 'x2': dimension 1: expected size 4, but got 2", block_size=8)  # fmt: skip
refuse(FP4_OP, "input 2: expected size 4 of axis 0, but got 3", change(2, s[:3]), "input 2 'x2': dimension 0: expected size 4, but got 3")  # fmt: skip
refuse(FP4_OP, "input 2: expected rank 2, but got 1", change(2, s.reshape(-1)))
refuse(FP4_OP, "input 2: expected elements of type UINT8, but got FLOAT", change(2, np.ones((4, 2), F32)))  # fmt: skip
refuse(FP4_OP, "input 1: expected elements of type UINT8, but got INT8", change(1, b.view(np.int8)))
refuse(FP4_OP, "input 1: expected rank 2, but got 3", change(1, b.reshape(4, 2, 8)))
# Odd K.
refuse(FP4_OP, "input 0: expected size 32 of axis 1, but got 31", change(0, a[:, :31]), "the size of the reduction axis must match")  # fmt: skip
refuse(FP4_OP, "input 0: expected rank 1 or more, but got 0", change(0, np.ones((), F16)))
for kind in (F32, np.float64, np.int8):
    name = {F32: "FLOAT", np.float64: "DOUBLE", np.int8: "INT8"}[kind]
    message = f"input 0: expected elements of type FLOAT16 or BFLOAT16, but got {name}"
    refuse(FP4_OP, message, change(0, a.astype(kind)), message)
refuse(FP4_OP, "input 3: expected one element, but got 2 along axis 0", change(3, np.ones(2, F32)), "expected size 1, but got 2")  # fmt: skip
refuse(
    FP4_OP, "input 3: expected elements of type FLOAT, but got FLOAT16", change(3, t.astype(F16))
)
refuse(FP4_OP, "input 4: expected one element, but got 4 along axis 1", change(4, np.ones((1, 4), F32)))  # fmt: skip
refuse(FP4_OP, "input 5: expected size 4 of axis 0, but got 1", change(5, bias[:1]), "expected size 4, but got 1")  # fmt: skip
refuse(FP4_OP, "input 5: expected rank 1, but got 2", change(5, np.ones((2, 4), F16)))
refuse(FP4_OP, "input 5: expected elements of type FLOAT16, but got FLOAT", change(5, bias.astype(F32)))  # fmt: skip
refuse(FP4_OP, "input 3 is missing", [a, b, s])
refuse(FP4_OP, "expected at most 6 inputs, but got 7", [*good, t])
refuse(FP4_OP, "unknown attribute 'K'", good, K=32)
good = [a, np.ones((4, 32), FP8), np.ones((4, 1), F32), t, bias]
refuse(FP8_OP, same + "0", good, block_size=0)
refuse(FP8_OP, "input 2: expected size 2 of axis 1, but got 1", good, "input 2 'x2': dimension 1: expected size 2, but got 1", block_size=31)  # fmt: skip
refuse(FP8_OP, "input 2: expected elements of type FLOAT, but got FLOAT16", change(2, np.ones((4, 1), F16), good))  # fmt: skip
refuse(FP8_OP, "input 1: expected elements of type FLOAT8E4M3FN, but got UINT8", change(1, np.ones((4, 32), np.uint8), good))  # fmt: skip
refuse(FP8_OP, "input 3: expected one element, but got 3 along axis 0", change(3, np.ones(3, F32), good))  # fmt: skip
refuse(FP8_OP, "input 4: expected size 4 of axis 0, but got 3", change(4, bias[:3], good))
# Newer versions of ONNX Runtime may have it.
_, got = run("DynamicQuantMatMulFp8", good, {}, ())
if not isinstance(got, str) or "DynamicQuantMatMulFp8" not in got:
    failures.append(f"DynamicQuantMatMulFp8: {got}")

print(f"{next(count)} models")
sys.exit("\n".join(failures[:20]) if failures else 0)
