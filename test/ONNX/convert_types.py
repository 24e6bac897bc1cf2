# Types that an opset lacks: weights of every type, granularity and scale become values of other
# types or entries of a lookup table, and values that are only rounded to float8 are rounded in f32.
# ONNX Runtime, or ONNX's reference evaluator if it has no kernel, computes the same values before
# and after: weights of all encodings; all f16 and bf16 values, all midpoints of encodings and the
# floats around them, random bits. Quantized values with other users are errors. The same is tested
# for types that the opset has but the target runtime lacks. Nodes that move quantized values move
# floats afterward. Weights become f16 and bf16 on request, and com.microsoft's operators replace
# ONNX's where the opset lacks a type.
# RUN: rm -rf %t && mkdir %t && %python %s %tools_dir/quant-float-convert %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
random = np.random.default_rng(2)
failures, counts = [], {}
ENCODINGS = {T.FLOAT8E4M3FN: 8, T.FLOAT8E4M3FNUZ: 8, T.FLOAT8E5M2: 8, T.FLOAT8E5M2FNUZ: 8, T.FLOAT4E2M1: 4}  # fmt: skip
ENCODINGS |= {T.INT4: 4, T.UINT4: 4, T.INT2: 2, T.UINT2: 2, T.INT8: 8, T.UINT8: 8, T.INT16: 16, T.UINT16: 16}  # fmt: skip
FLOAT8 = {
    T.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
    T.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    T.FLOAT8E5M2: ml_dtypes.float8_e5m2,
    T.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
}


def count(what, holds, text):
    counts[what] = counts.get(what, 0) + 1
    if not holds:
        failures.append(text)


def save(name, opset, nodes, x, y, constants):
    graph = helper.make_graph(nodes, "g", x, y, constants)
    version = 9 if opset < 21 else 10 if opset < 23 else 11 if opset < 25 else 13
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=version)  # fmt: skip
    onnx.save(model, work / f"{name}.onnx")
    return model


def convert(name, opset, *without, more=()):
    """To an opset, or without some types."""
    options = (
        ["--without", ",".join(map(get_name, without))] if without else ["--opset", str(opset)]
    )
    return subprocess.run(
        [tool, work / f"{name}.onnx", *options, *more, "-o", work / "out.onnx"],
        capture_output=True,
        text=True,
    )


def get_name(element):
    return T.DataType.Name(element).lower()


def has_type(model, element):
    """Whether a constant or a value has the type."""
    model = onnx.shape_inference.infer_shapes(model)
    values = [*model.graph.value_info, *model.graph.input, *model.graph.output]
    types = [v.type.tensor_type.elem_type for v in values]
    return element in types + [t.data_type for t in model.graph.initializer]


def run(model, inputs, saturate=True):
    """The first output, with a canonical NaN."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        if not saturate:
            # ONNX Runtime rounds values to the largest number up to half a step more than ONNX, or
            # to NaN where that overflows to an infinity.
            raise NotImplementedError
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        result = session.run(None, inputs)[0]
    except Exception:
        result = ReferenceEvaluator(model).run(None, inputs)[0]
    result = np.asarray(result)
    bits = result.view(f"u{result.itemsize}")
    return np.where(np.isnan(result.astype(np.float32)), 1, bits)


def weights():
    for element, bits in ENCODINGS.items():
        for granularity in ("tensor", "axis", "block"):
            for scale in (T.FLOAT, T.FLOAT16) + ((T.FLOAT8E8M0,) if granularity == "block" else ()):
                for zero in (False, True):
                    is_float = element in FLOAT8 or element == T.FLOAT4E2M1
                    if (zero and is_float) or (scale == T.FLOAT8E8M0 and not is_float):
                        continue
                    yield element, bits, granularity, scale, zero


for element, bits, granularity, scale, zero in weights():
    # All 8-bit encodings, and 64 elements along another axis.
    shape = (12, 64)
    each = {"tensor": (), "axis": (12,), "block": (12, 4)}[granularity]
    size = 768 * bits // 8
    data = np.resize(np.arange(256, dtype=np.uint8), size)
    if bits == 16:
        data = random.integers(0, 256, size, dtype=np.uint8)
    factors = (random.random(each) + 0.5).astype(np.float32)
    factors = (factors * 4).astype(ml_dtypes.float8_e8m0fnu) if scale == T.FLOAT8E8M0 else factors
    factors = factors.astype(np.float16) if scale == T.FLOAT16 else factors
    constants = [
        T(name="w", data_type=element, dims=shape, raw_data=data.tobytes()),
        T(name="s", data_type=scale, dims=each, raw_data=factors.tobytes()),
    ]
    if zero:
        points = helper.make_tensor("z", element, each, [1] * max(1, int(np.prod(each))))
        constants.append(points)
    attributes = {"tensor": {}, "axis": {"axis": 0}, "block": {"axis": 1, "block_size": 16}}[granularity]  # fmt: skip
    result = T.FLOAT16 if scale == T.FLOAT16 else T.FLOAT
    if scale == T.FLOAT8E8M0:
        attributes |= {"output_dtype": T.FLOAT}
    node = helper.make_node("DequantizeLinear", ["w", "s", "z"][: 2 + zero], ["y"], "n", **attributes)  # fmt: skip
    output = helper.make_tensor_value_info("y", result, shape)
    model = save("weights", 25, [node], [], [output], constants)
    expected = run(model, {})
    lacks = element not in (T.INT8, T.UINT8, T.INT16, T.UINT16)
    for opset in (10, 13, 18, 21, 23, 25) if lacks else (10, 13, 18, 21, 23):
        text = f"{T.DataType.Name(element)} {granularity} {T.DataType.Name(scale)} {zero} to {opset}"  # fmt: skip
        without = [element, T.FLOAT8E8M0] if opset == 25 else []
        process = convert("weights", opset, *without)
        if process.returncode:
            count("weights", False, f"{text}: {process.stderr}")
            continue
        converted = onnx.load(work / "out.onnx")
        onnx.checker.check_model(converted, full_check=True)
        count("weights", np.array_equal(run(converted, {}), expected), text)
        for kind in without:
            count("without", not has_type(converted, kind), text)
    # As wider floats: f8E5M2 and f4E2M1 values are exact in these types as well as in f32.
    wide = ("float16", "bfloat16") if element in FLOAT8 or element == T.FLOAT4E2M1 else ()
    for wide_name in wide:
        text = f"{T.DataType.Name(element)} {granularity} {T.DataType.Name(scale)} as {wide_name}"
        process = convert("weights", 18, more=("--wide-float", wide_name))
        count("wide", process.returncode == 0, f"{text}: {process.stderr}")
        converted = onnx.load(work / "out.onnx")
        onnx.checker.check_model(converted, full_check=True)
        kinds = {t.data_type for t in converted.graph.initializer} | {
            a.t.data_type
            for n in converted.graph.node
            for a in n.attribute
            if n.op_type == "Constant"  # fmt: skip
        }
        has_table = "Gather from a table" in process.stdout or T.UINT8 in kinds
        # Scales are f32 then, so that f8E8M0FNU, whose range exceeds that of f16, needs no table.
        count("wide", not has_table, f"{text}: {kinds}")
        count("wide", np.array_equal(run(converted, {}), expected), text)

bits = np.arange(65536, dtype=np.uint16)
parts = [bits.view(np.float16).astype(np.float32), (bits.astype(np.uint32) << 16).view(np.float32)]
for kind in FLOAT8.values():
    encodings = np.arange(256, dtype=np.uint8).view(kind).astype(np.float32)
    encodings = np.unique(encodings[np.isfinite(encodings)])
    middle = ((encodings[1:].astype(float) + encodings[:-1]) / 2).astype(np.float32)
    for step in range(-2, 3):
        parts += [(floats.view(np.int32) + step).view(np.float32) for floats in (encodings, middle)]
parts.append(random.integers(0, 1 << 32, 1 << 19, dtype=np.uint64).astype(np.uint32).view(np.float32))  # fmt: skip
x = np.concatenate(parts)
inputs = [helper.make_tensor_value_info("x", T.FLOAT, ["n"])]
outputs = [helper.make_tensor_value_info("y", T.FLOAT, ["n"])]
for element in FLOAT8:
    for is_quantized in (True, False):
        for saturate in (1, 0):
            for opset in (19, 24):
                if is_quantized:
                    nodes = [
                        helper.make_node(
                            "QuantizeLinear", ["x", "s", "z"], ["q"], "q", saturate=saturate
                        ),  # fmt: skip
                        helper.make_node("DequantizeLinear", ["q", "t"], ["y"], "d"),
                    ]
                    zero = T(name="z", data_type=element, raw_data=b"\0")
                    scales = [numpy_helper.from_array(np.float32(s), n) for s, n in ((0.5, "s"), (0.25, "t"))]  # fmt: skip
                    constants = [*scales, zero]
                else:
                    nodes = [
                        helper.make_node("Cast", ["x"], ["q"], "q", to=element, saturate=saturate),
                        helper.make_node("Cast", ["q"], ["y"], "d", to=T.FLOAT),
                    ]
                    constants = []
                model = save("rounded", opset, nodes, inputs, outputs, constants)
                given = x
                # ONNX Runtime converts infinities to NaN in FNUZ types in every opset, and
                # quantizes them the same way.
                if element in (T.FLOAT8E4M3FNUZ, T.FLOAT8E5M2FNUZ):
                    given = x[~np.isinf(x)]
                expected = run(model, {"x": given}, saturate)
                for target in (10, 13, 18, opset):
                    text = f"{T.DataType.Name(element)} {is_quantized} {saturate} {opset} to {target}"  # fmt: skip
                    without = [element] if target == opset else []
                    process = convert("rounded", target, *without)
                    if process.returncode:
                        count("rounded", False, f"{text}: {process.stderr}")
                        continue
                    converted = onnx.load(work / "out.onnx")
                    onnx.checker.check_model(converted, full_check=True)
                    count("rounded", np.array_equal(run(converted, {"x": given}), expected), text)
                    for kind in without:
                        count("without", not has_type(converted, kind), text)

# Intermediate nodes that move quantized values, with several users that move them again.
for element in FLOAT8:
    zero = T(name="z", data_type=element, raw_data=b"\0")
    constants = [numpy_helper.from_array(np.float32(v), n) for n, v in (("s", 0.5), ("t", 0.25), ("u", 3))]  # fmt: skip
    constants += [zero, numpy_helper.from_array(np.int64([2, 3, -1]), "shape")]
    constants += [numpy_helper.from_array(np.int64([1]), "axes")]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "q"),
        helper.make_node("Reshape", ["q", "shape"], ["a"], "reshape"),
        helper.make_node("Unsqueeze", ["a", "axes"], ["b"], "unsqueeze"),
        helper.make_node("Transpose", ["b"], ["c"], "transpose", perm=[3, 1, 0, 2]),
        helper.make_node("Squeeze", ["c", "axes"], ["d"], "squeeze"),
        helper.make_node("Flatten", ["d"], ["e"], "flatten"),
        helper.make_node("Identity", ["e"], ["f"], "identity"),
        helper.make_node("DequantizeLinear", ["f", "t"], ["g"], "once"),
        helper.make_node("DequantizeLinear", ["f", "u"], ["h"], "again"),
        helper.make_node("Add", ["g", "h"], ["y"], "add"),
    ]
    x = numpy_helper.to_array(helper.make_tensor("x", T.FLOAT, [96], random.normal(0, 200, 96)))
    moved_inputs = [helper.make_tensor_value_info("x", T.FLOAT, [96])]
    moved_outputs = [helper.make_tensor_value_info("y", T.FLOAT, [16, 6])]
    model = save("moved", 21, nodes, moved_inputs, moved_outputs, constants)
    expected = run(model, {"x": x})
    for target in (10, 13, 18, 21):
        text = f"moved {T.DataType.Name(element)} to {target}"
        process = convert("moved", target, *([element] if target == 21 else []))
        if process.returncode:
            count("moved", False, f"{text}: {process.stderr}")
            continue
        converted = onnx.load(work / "out.onnx")
        onnx.checker.check_model(converted, full_check=True)
        names = {n.op_type for n in converted.graph.node}
        count("moved", {"Transpose", "Squeeze", "Reshape"} <= names and "y" == converted.graph.output[0].name, f"{text}: {names}")  # fmt: skip
        count("moved", np.array_equal(run(converted, {"x": x}), expected), text)

# com.microsoft's operators: 16 bits, and axes before 13. Without blocks.
for element, scale, attributes in (
    (T.UINT16, [], {}), (T.INT16, [], {}), (T.INT16, [6], {"axis": 1}), (T.UINT8, [6], {"axis": -1}),
    (T.INT8, [4, 3], {"axis": 1, "block_size": 2}),
):  # fmt: skip
    has_blocks = "block_size" in attributes
    values = (random.random(scale) + 0.01).astype(np.float32)
    zero = helper.make_tensor("z", element, scale, [3] * max(1, values.size))
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "q", **attributes),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], "d", **attributes),
    ]
    x = random.normal(0, 50, (4, 6)).astype(np.float32)
    ends = [helper.make_tensor_value_info(n, T.FLOAT, [4, 6]) for n in "xy"]
    model = save("contrib", 21, nodes, ends[:1], ends[1:], [numpy_helper.from_array(values, "s"), zero])  # fmt: skip
    expected = run(model, {"x": x})
    for target in (10, 13, 18):
        text = f"com.microsoft {T.DataType.Name(element)} {attributes} to {target}"
        process = convert("contrib", target)
        count("contrib", process.returncode == 0, f"{text}: {process.stderr}")
        converted = onnx.load(work / "out.onnx")
        count(
            "contrib", np.array_equal(run(converted, {"x": x}), expected), f"{text} by arithmetic"
        )
        if (element == T.UINT8 and target >= 13) or has_blocks:
            continue
        process = convert("contrib", target, more=("--domain", "com.microsoft"))
        if process.returncode:
            count("contrib", False, f"{text}: {process.stderr}")
            continue
        converted = onnx.load(work / "out.onnx")
        domains = [n.domain for n in converted.graph.node]
        imports = {entry.domain: entry.version for entry in converted.opset_import}
        count("contrib", domains == ["com.microsoft"] * 2 and imports == {"": target, "com.microsoft": 1}, f"{text}: {domains}, {imports}")  # fmt: skip
        count("contrib", np.array_equal(run(converted, {"x": x}), expected), text)
# Nodes that the opset supports stay in ONNX's domain.
process = convert("contrib", 21, more=("--domain", "com.microsoft"))
count("contrib", process.returncode == 0 and not any(n.domain for n in onnx.load(work / "out.onnx").graph.node), process.stderr)  # fmt: skip
for option, value, wanted in (("--domain", "ai.onnx", "expected com.microsoft"), ("--wide-float", "float32", "expected float16 or bfloat16")):  # fmt: skip
    process = convert("contrib", 21, more=(option, value))
    count("refused", process.returncode == 2 and f"{option}: {wanted}, but got '{value}'" in process.stderr, process.stderr)  # fmt: skip

# Quantized values that are an output or an input.
encodings = [helper.make_tensor_value_info("q", T.FLOAT8E5M2, ["n"])]
cast = helper.make_node("Cast", ["x"], ["q"], "q", to=T.FLOAT8E5M2)
save("seen", 19, [cast], inputs, encodings, [])
process = convert("seen", 18)
count("refused", process.returncode == 1 and "the opset has no type float8e5m2" in process.stderr or "not accepted by Cast-13" in process.stderr, process.stderr)  # fmt: skip
process = convert("seen", 19, T.FLOAT8E5M2)
count("refused", process.returncode == 1 and "the model must not use type float8e5m2" in process.stderr, process.stderr)  # fmt: skip
save("input", 21, [helper.make_node("Cast", ["q"], ["y"], to=T.FLOAT)], encodings, outputs, [])
process = convert("input", 21, T.INT4, T.FLOAT8E5M2)
count("refused", process.returncode == 1 and "graph input 'q'" in process.stderr and "must not use" in process.stderr, process.stderr)  # fmt: skip
process = subprocess.run([tool, work / "input.onnx", "--without", "fp8", "-o", work / "out.onnx"], capture_output=True, text=True)  # fmt: skip
count("refused", process.returncode == 2 and "expected ONNX names of element types" in process.stderr, process.stderr)  # fmt: skip
print(counts, *failures[:20], sep="\n")
sys.exit(bool(failures))
