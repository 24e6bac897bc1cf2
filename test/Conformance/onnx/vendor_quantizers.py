# Quantizers of TensorRT (domain trt) and Quark, against their definitions in NumPy and ml_dtypes:
# the outputs of quant-float-run have the same bits. An outdated type of a value is reported as a
# warning.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import ml_dtypes
import numpy as np
from conformance.node_tests import Runner
from onnx import TensorProto as T
from onnx import helper, numpy_helper

F32, F16, BF16 = np.float32, np.float16, ml_dtypes.bfloat16
FP8, FP4, E8M0 = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e8m0fnu
runner = Runner(*sys.argv[1:3])
rng = np.random.default_rng(4)
failures, count = [], itertools.count()


def kind(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def check(op, domain, inputs, expected, stale=None, refused=None, **attributes):
    """All inputs but the first one are initializers. None is an absent input."""
    names = ["" if value is None else f"x{i}" for i, value in enumerate(inputs)]
    outputs = [f"y{i}" for i in range(len(expected))]
    node = helper.make_node(op, names, outputs, name="n", domain=domain, **attributes)
    first = helper.make_tensor_value_info("x0", kind(inputs[0]), inputs[0].shape)
    constants = [
        numpy_helper.from_array(v, n)
        for n, v in zip(names[1:], inputs[1:], strict=True)
        if v is not None
    ]
    # With an Identity after it, an output of the node is an intermediate value.
    nodes = [node] + [helper.make_node("Identity", [y], [f"z{y}"]) for y in outputs]
    results = [
        helper.make_tensor_value_info(f"z{y}", kind(v), None)
        for y, v in zip(outputs, expected, strict=True)
    ]
    graph = helper.make_graph(nodes, "g", [first], results, constants)
    if stale:
        graph.value_info.append(helper.make_tensor_value_info("y0", *stale))
    imports = [helper.make_opsetid("", 23), helper.make_opsetid(domain, 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=11)
    folder = runner.work / str(next(count))
    folder.mkdir()
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    (folder / "x.pb").write_bytes(numpy_helper.from_array(inputs[0]).SerializeToString())
    result = runner.call(
        "quant-float-run",
        folder / "m.onnx",
        "-O0",
        "--outputs",
        folder,
        "--inputs",
        folder / "x.pb",
    )
    label = f"{op} {[None if v is None else (v.dtype.name, v.shape) for v in inputs]} {attributes}"
    if refused:
        if result.returncode != 1 or refused not in result.stderr:
            failures.append(f"{label}: expected '{refused}', but got {result.stderr}")
        return
    if result.returncode != 0 or ("declared as" in result.stderr) != bool(stale):
        failures.append(f"{label}: {result.returncode} {result.stderr}")
        return
    for i, wanted in enumerate(expected):
        got = np.load(folder / f"output_{i}.npy")
        width = wanted.dtype.itemsize
        narrow = wanted.dtype in (ml_dtypes.int4, ml_dtypes.uint4)
        same = got.shape == wanted.shape and got.dtype.itemsize == width
        if same and narrow:
            same = np.array_equal(got.astype(int), wanted.astype(int))
        elif same:
            same = got.tobytes() == np.ascontiguousarray(wanted).tobytes()
        if not same:
            failures.append(f"{label}: output {i}: expected {wanted}, but got {got}")


def saturate(x, dtype):
    most = F32(ml_dtypes.finfo(dtype).max)
    return np.clip(x.astype(F32), -most, most).astype(dtype)


def scalar(value, dtype=F32):
    return np.array(value, dtype)


x = (rng.standard_normal((4, 64)) * 100).astype(F32)
x[1, 3], x[2, :32] = 1e9, 0

# --- TensorRT -------------------------------------------------------------------------------------

for dtype in (F32, F16, BF16):
    scale = scalar(0.37, dtype)
    wide = np.clip(x, -6e4, 6e4).astype(dtype)
    encodings = saturate((wide / scale).astype(dtype), FP8)
    check("TRT_FP8QuantizeLinear", "trt", [wide, scale], [encodings])
    # Model Optimizer declares uint8, which TensorRT's plugin had.
    check("TRT_FP8QuantizeLinear", "trt", [wide, scale], [encodings], stale=(T.UINT8, [4, 64]))
    values = (encodings.astype(dtype) * scale).astype(dtype)
    check("TRT_FP8DequantizeLinear", "trt", [encodings, scale], [values])
    check("TRT_FP8DequantizeLinear", "trt", [encodings.view(np.uint8), scale], [values])
rows = rng.uniform(0.5, 2, 4).astype(F32)
check("TRT_FP8QuantizeLinear", "trt", [x, rows], [saturate(x / rows[:, None], FP8)])

blocks = rng.uniform(5, 20, (2, 64)).astype(F32)
spread = np.repeat(blocks, 2, 0)
low = np.clip(np.rint(x / spread), -8, 7).astype(ml_dtypes.int4)
for attributes in ({"axis": 0, "block_size": 2}, {}):
    check("TRT_INT4QuantizeLinear", "trt", [x, blocks], [low], **attributes)
    values = low.astype(F32) * spread
    check("TRT_INT4DequantizeLinear", "trt", [low, blocks], [values], **attributes)
check("DequantizeLinear", "trt", [low, blocks], [values], axis=0, block_size=2)
wrong = "input 1: expected blocks along one axis of input 0"
check("TRT_INT4DequantizeLinear", "trt", [low, blocks[:, :32]], [values], refused=wrong)

most = np.abs(x).reshape(4, 2, 32).max(2)
powers = np.zeros(most.shape, np.uint8)
filled = most > 0
exponents = np.ceil(np.log2((most[filled] / F32(448)).astype(np.float64)))
powers[filled] = (exponents + 127).astype(np.uint8)
factors = np.repeat(np.exp2(powers.astype(np.float64) - 127), 32, 1).astype(F32)
encodings = saturate(x / factors, FP8)
check("TRT_MXFP8DynamicQuantize", "trt", [x], [encodings, powers], block_size=32, axis=-1)
values = encodings.astype(F32) * factors
attributes = {"block_size": 32, "axis": -1, "output_dtype": T.FLOAT}
for given in (powers, powers.view(E8M0)):
    check("TRT_MXFP8DequantizeLinear", "trt", [encodings, given], [values], **attributes)
wrong = "attribute 'block_size': expected a divisor of 64, but got 48"
check("TRT_MXFP8DynamicQuantize", "trt", [x], [encodings, powers], block_size=48, refused=wrong)

whole = scalar(most[:, :].max() / 6 / 448)
shares = np.abs(x).reshape(4, 4, 16).max(2) / F32(6)
scales = saturate(shares / whole, FP8)
meant = scales.astype(F32) * whole
divisors = np.repeat(np.where(meant == 0, F32(1), meant), 16, 1)
encodings = saturate(x / divisors, FP4)
check("TRT_FP4DynamicQuantize", "trt", [x, whole], [encodings, scales], axis=-1, block_size=16)

# --- Quark ----------------------------------------------------------------------------------------

QUARK = ("com.amd.quark", "Extended"), ("com.vai.quantize", "Vitis")
for domain, prefix in QUARK:
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
        info = np.iinfo(dtype)
        scale, point = scalar(0.25), scalar(min(info.max, 7), dtype)
        wide = np.rint(x / scale).astype(np.float64) + float(point)
        encodings = np.clip(wide, info.min, info.max).astype(dtype)
        check(f"{prefix}QuantizeLinear", domain, [x, scale, point], [encodings])
        values = (encodings.astype(np.float64) - float(point)).astype(F32) * scale
        check(f"{prefix}DequantizeLinear", domain, [encodings, scale, point], [values])
    for dtype in (F16, BF16):
        scale, point = scalar(1), scalar(0, dtype)
        encodings = saturate(x, dtype)
        check(f"{prefix}QuantizeLinear", domain, [x, scale, point], [encodings])
        check(
            f"{prefix}DequantizeLinear", domain, [encodings, scale, point], [encodings.astype(F32)]
        )
columns = rng.uniform(0.5, 2, 64).astype(F32)
points = rng.integers(-9, 9, 64).astype(np.int32)
encodings = np.clip(np.rint(x / columns).astype(np.float64) + points, -(2.0**31), 2.0**31 - 1)
inputs = [x, columns, points]
check("ExtendedQuantizeLinear", QUARK[0][0], inputs, [encodings.astype(np.int32)], axis=-1)
wrong = "input 2: expected integers of 4 to 32 bits, float16 or bfloat16"
inputs = [x, scalar(1), scalar(0)]
check("ExtendedQuantizeLinear", QUARK[0][0], inputs, [x], refused=wrong)

print(f"{next(count)} models, {len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
