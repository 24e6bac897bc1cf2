# Values that are quantized or cast to a type which the opset lacks, and then only dequantized or
# cast, in any combination and through nodes that move elements, become arithmetic. ONNX Runtime
# computes the same for the result as the rules' definition for the original model, for values that
# it casts by the rules. The definition is compared for all values. Names of nodes are unique,
# unused constants are removed, and nodes without an exact equivalent are errors.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../Conformance/onnx/Inputs %python %s %tools_dir %t
import itertools
import pathlib
import subprocess
import sys

import definition
import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from definition import FLOATS, INTEGERS
from onnx import TensorProto as T
from onnx import helper

tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
np.seterr(all="ignore")
generator = np.random.default_rng(3)
settings = onnxruntime.SessionOptions()
settings.log_severity_level = 4
# Its optimizer removes the addition of zero, which turns a negative zero into a positive one.
settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
failures, counts = [], {}
SIZE = (4, 600)
# Types that NumPy can pass to ONNX Runtime.
RUNS = {T.FLOAT, T.DOUBLE, T.FLOAT16, T.BOOL, T.INT8, T.UINT8, T.INT32, T.INT64, T.UINT64}


def get_name(kind):
    return T.DataType.Name(kind).lower()


def count(what, holds, text):
    counts[what] = counts.get(what, 0) + 1
    if not holds:
        failures.append(text)


def make_inputs(kind, narrow):
    """Values of the input for which the casts of ONNX Runtime follow the rules."""
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    total = SIZE[0] * SIZE[1]
    if kind == T.BOOL:
        return [generator.integers(0, 2, SIZE).astype(bool)] * 2
    if kind in INTEGERS:
        bits, is_signed = INTEGERS[kind]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        near = generator.integers(max(low, -600), min(high, 600), total, endpoint=True)
        wild = near.astype(object)
        wild[::3] = [int(v) for v in generator.integers(low, high, len(wild[::3]), dtype=np.uint64 if kind == T.UINT64 else np.int64, endpoint=True)]  # fmt: skip
        wild[:2] = low, high
        wild[2:40] = [min(high, (1 << min(bits - 2, i)) + (1 << max(0, min(bits - 2, i) - 9)) + 1) for i in range(38)]  # fmt: skip
        return [np.array(list(v), dtype=dtype).reshape(SIZE) for v in (wild, near)]
    if np.dtype(dtype).itemsize == 1:
        encodings = np.resize(np.arange(256, dtype=np.uint8), SIZE).view(dtype)
        return [
            encodings,
            np.where(np.isfinite(encodings.astype(np.float32)), encodings, np.ones((), dtype)),
        ]
    wild = generator.normal(0, 1, total) * np.exp2(generator.integers(-150, 140, total))
    tame = generator.normal(0, 1, total) * np.exp2(generator.integers(-20, 9, total))
    if narrow in FLOATS and narrow != T.BFLOAT16:
        # All midpoints and their neighbors.
        eighth = ml_dtypes.float8_e5m2 if narrow in (T.FLOAT8E5M2, T.FLOAT8E5M2FNUZ) else ml_dtypes.float8_e4m3fn  # fmt: skip
        encodings = np.arange(256, dtype=np.uint8).view(eighth).astype(np.float64)
        encodings = np.unique(encodings[np.isfinite(encodings)])
        for array in (wild, tame):
            array[: len(encodings)] = encodings
            middle = (encodings[1:] + encodings[:-1]) / 2
            array[300 : 300 + len(middle)] = middle
            array[600 : 600 + len(middle)] = middle * (1 + 2.0**-40)
    if narrow in (T.FLOAT8E8M0, T.BFLOAT16):
        powers = np.exp2(np.arange(-140.0, 128))
        for at, factor in enumerate((1, 1.5, 1.5 + 2.0**-23, 1.5 - 2.0**-23, 1 + 2.0**-23, 2 - 2.0**-22, 1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-30)):  # fmt: skip
            wild[at * 290 : at * 290 + 268] = powers * factor
    wild[-8:] = np.inf, -np.inf, np.nan, 0.0, -0.0, 1e38, -1e38, 3e-45
    return [v.astype(dtype).reshape(SIZE) for v in (wild, tame)]


def make_model(nodes, kind, outputs, opset, constants=()):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", kind, SIZE)],
        [helper.make_tensor_value_info(name, to, shape) for name, to, shape in outputs],
        list(constants),
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=max(8, helper.find_min_ir_version_for(imports)))  # fmt: skip


def convert(model, options):
    onnx.save(model, work / "model.onnx")
    return subprocess.run(
        [tools / "quant-float-convert", work / "model.onnx", *options, "-o", work / "out.onnx"],
        capture_output=True,
        text=True,
    )


def check(what, text, model, kind, narrow, options):
    done = convert(model, options)
    if done.returncode:
        return count(what, False, f"{text}: {done.stderr[-300:]}")
    converted = onnx.load(work / "out.onnx")
    onnx.checker.check_model(converted, full_check=True)
    names = [node.name for node in converted.graph.node if node.name]
    count("names", len(names) == len(set(names)), f"{text}: {names}")
    for array, runs in zip(make_inputs(kind, narrow), (False, True), strict=True):
        before = definition.evaluate(model, {"x": array})
        after = definition.evaluate(converted, {"x": array})
        for output in model.graph.output:
            old, new = before[output.name][1], after[output.name][1]
            # The sign of a zero that replaces NaN is not specified (D8).
            lost = np.isnan(before["x"][1]) if before["x"][0] in FLOATS and old.shape == SIZE else False  # fmt: skip
            old, new = (np.where(lost & (v == 0), 0, v) for v in (old, new))
            differs = f"{text}: {output.name} by the definition"
            count(what, definition.same(old, new), differs)
        kinds = {kind, *(output.type.tensor_type.elem_type for output in model.graph.output)}
        if runs and converted.opset_import[0].version <= 21 and kinds <= RUNS:
            session = onnxruntime.InferenceSession(converted.SerializeToString(), settings)
            results = session.run(None, {"x": array})
            for output, result in zip(model.graph.output, results, strict=True):
                element = output.type.tensor_type.elem_type
                got = definition.to_numbers(result, element)
                number = before[output.name][1]
                if element in INTEGERS and (not INTEGERS[element][1] or "'saturate': 0" in text):
                    # Its casts of negative values, and of NaN, depend on the CPU.
                    continue
                count("runtime", definition.same(number, got), f"{text}: {output.name} in ONNX Runtime")  # fmt: skip


FLOAT8 = definition.FLOAT8
TRIPS = [
    (T.DOUBLE, T.FLOAT8E4M3FN, T.DOUBLE, 18), (T.INT32, T.FLOAT8E5M2, T.FLOAT, 18), (T.FLOAT, T.FLOAT8E4M3FNUZ, T.INT32, 18),
    (T.FLOAT, T.FLOAT8E5M2FNUZ, T.BOOL, 18), (T.FLOAT, T.FLOAT4E2M1, T.FLOAT, 21), (T.FLOAT, T.FLOAT8E8M0, T.FLOAT, 21),
    (T.DOUBLE, T.FLOAT8E8M0, T.FLOAT, 21), (T.INT32, T.FLOAT8E8M0, T.FLOAT, 21), (T.FLOAT, T.BFLOAT16, T.FLOAT, 12),
    (T.DOUBLE, T.BFLOAT16, T.FLOAT, 12), (T.INT32, T.BFLOAT16, T.DOUBLE, 12), (T.FLOAT, T.INT4, T.FLOAT, 18), (T.INT8, T.INT4, T.INT8, 18),
    (T.DOUBLE, T.UINT4, T.INT32, 18), (T.INT64, T.INT2, T.FLOAT, 23), (T.INT64, T.UINT2, T.INT8, 18), (T.BOOL, T.INT4, T.FLOAT, 18),
    (T.BOOL, T.FLOAT8E4M3FN, T.FLOAT, 18), (T.INT64, T.FLOAT8E4M3FN, T.INT64, 18), (T.UINT64, T.FLOAT8E5M2, T.FLOAT, 18),
    (T.FLOAT16, T.FLOAT8E5M2, T.BFLOAT16, 18), (T.BFLOAT16, T.FLOAT4E2M1, T.FLOAT16, 18), (T.INT64, T.FLOAT4E2M1, T.INT8, 21),
    (T.FLOAT8E5M2, T.FLOAT4E2M1, T.FLOAT8E5M2, 21), (T.FLOAT, T.INT4, T.BOOL, 10), (T.FLOAT, T.INT4, T.UINT8, 10),
    (T.FLOAT16, T.FLOAT8E8M0, T.FLOAT16, 18), (T.FLOAT, T.UINT4, T.FLOAT8E5M2, 19),
]  # fmt: skip
for (x, narrow, to, target), opset in itertools.product(TRIPS, (23, 28)):
    if opset < 25 and narrow in (T.INT2, T.UINT2) or opset < 24 and narrow == T.FLOAT8E8M0:
        continue
    variants = [{}]
    if narrow in FLOAT8 or narrow == T.FLOAT8E8M0:
        variants.append({"saturate": 0})
    if narrow == T.FLOAT8E8M0:
        variants += [{"round_mode": "down"}, {"round_mode": "nearest"}]
    for attributes in variants:
        nodes = [
            helper.make_node("Cast", ["x"], ["q"], "narrow", to=narrow, **attributes),
            helper.make_node("Cast", ["q"], ["y"], "wide", to=to),
        ]
        model = make_model(nodes, x, [("y", to, SIZE)], opset)
        text = f"{get_name(x)} to {get_name(narrow)} to {get_name(to)} {attributes} {opset}"
        check("casts", text, model, x, narrow, ["--opset", str(target)])
for x, narrow, to in ((T.FLOAT, T.FLOAT16, T.FLOAT), (T.DOUBLE, T.FLOAT16, T.FLOAT), (T.FLOAT, T.INT16, T.FLOAT), (T.INT64, T.UINT16, T.INT64),
                      (T.FLOAT, T.INT8, T.FLOAT), (T.FLOAT, T.BFLOAT16, T.DOUBLE), (T.INT32, T.FLOAT16, T.FLOAT)):  # fmt: skip
    nodes = [helper.make_node("Cast", ["x"], ["q"], "narrow", to=narrow), helper.make_node("Cast", ["q"], ["y"], "wide", to=to)]  # fmt: skip
    text = f"{get_name(x)} to {get_name(to)} without {get_name(narrow)}"
    check("without", text, make_model(nodes, x, [("y", to, SIZE)], 21), x, narrow, ["--without", get_name(narrow)])  # fmt: skip

# In any combination, also through ops that move elements.
for narrow, casts, moves in itertools.product((*FLOAT8, T.INT4, T.UINT4, T.FLOAT4E2M1), (False, True), ("", "Transpose", "Split")):  # fmt: skip
    scale = T(name="s", data_type=T.FLOAT, raw_data=np.float32(0.375).tobytes())
    zero = T(name="z", data_type=narrow, raw_data=b"\0" if narrow not in INTEGERS else b"\1")
    if casts:
        first = helper.make_node("CastLike", ["x", "z"], ["q"], "n")
    else:
        first = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "n")
    nodes, parts, shape = [first], ["q"], SIZE
    if moves == "Transpose":
        nodes.append(helper.make_node("Transpose", ["q"], ["t"], "n/Div", perm=[1, 0]))
        parts, shape = ["t"], SIZE[::-1]
    elif moves == "Split":
        parts, shape = ["t0", "t1"], (SIZE[0] // 2, SIZE[1])
        nodes.append(helper.make_node("Split", ["q"], parts, "n/Div", axis=0, num_outputs=2))
    else:
        # A name that is derived from that of the first.
        nodes.append(helper.make_node("Abs", ["x"], ["other"], "n/Div"))
    outputs = []
    for at, part in enumerate(parts):
        for what, to in (("d", T.FLOAT), ("c", T.FLOAT), ("e", T.FLOAT16))[: 3 - at]:
            name = f"{what}{at}"
            outputs.append((name, to, shape))
            if what == "d":
                nodes.append(helper.make_node("DequantizeLinear", [part, "s", "z"], [name], f"n{name}"))  # fmt: skip
            else:
                nodes.append(helper.make_node("Cast", [part], [name], f"n{name}", to=to))
    model = make_model(nodes, T.FLOAT, outputs, 23, [scale, zero])
    for target in (10, 13, 18):
        text = f"{get_name(narrow)} {'CastLike' if casts else 'QuantizeLinear'} {moves} to {target}"
        check("mixed", text, model, T.FLOAT, narrow, ["--opset", str(target)])
# One kind of user only.
for casts, reads in itertools.product((False, True), repeat=2):
    constants = [T(name="s", data_type=T.FLOAT, raw_data=np.float32(0.375).tobytes())]
    constants.append(T(name="z", data_type=T.FLOAT8E4M3FN, raw_data=b"\0"))
    nodes = [
        helper.make_node("Cast", ["x"], ["q"], "n", to=T.FLOAT8E4M3FN)
        if casts
        else helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "n"),
        helper.make_node("Cast", ["q"], ["y"], "r", to=T.FLOAT)
        if reads
        else helper.make_node("DequantizeLinear", ["q", "s"], ["y"], "r"),
    ]
    model = make_model(nodes, T.FLOAT, [("y", T.FLOAT, SIZE)], 21, constants)
    check("alone", f"alone {casts} {reads}", model, T.FLOAT, T.FLOAT8E4M3FN, ["--opset", "18"])

# A quotient of integers is computed in f64.
for kind in (T.FLOAT8E4M3FN, T.FLOAT8E5M2FNUZ):
    constants = [T(name="s", data_type=T.INT32, raw_data=np.int32(7).tobytes())]
    constants.append(T(name="z", data_type=kind, raw_data=b"\0"))
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "n"), helper.make_node("Cast", ["q"], ["y"], "r", to=T.FLOAT)]  # fmt: skip
    model = make_model(nodes, T.INT32, [("y", T.FLOAT, SIZE)], 21, constants)
    check("alone", f"int32 by {get_name(kind)}", model, T.INT32, kind, ["--opset", "18"])

# Runtime scales, one for each element.
for narrow, mode, kind in itertools.product((T.FLOAT4E2M1, T.FLOAT8E4M3FN, T.INT8), ("up", "down"), (T.FLOAT, T.FLOAT16, T.INT32)):  # fmt: skip
    blocks = {"axis": 1, "block_size": 1}
    nodes = [
        helper.make_node("Cast", ["x"], ["s"], "s", to=T.FLOAT8E8M0, round_mode=mode),
        helper.make_node("QuantizeLinear", ["x", "s"], ["q"], "q", output_dtype=narrow, **blocks),
        helper.make_node("DequantizeLinear", ["q", "s"], ["y"], "y", output_dtype=T.FLOAT, **blocks),
    ]  # fmt: skip
    model = make_model(nodes, kind, [("y", T.FLOAT, SIZE)], 25)
    for target in (13, 18, 23):
        text = f"scales {get_name(kind)} {get_name(narrow)} {mode} to {target}"
        check("scales", text, model, kind, narrow, ["--opset", str(target)])

# A result without users, and one with two kinds of users.
nodes = [
    helper.make_node("Cast", ["x"], ["q"], "n", to=T.FLOAT8E5M2),
    helper.make_node("Split", ["q"], ["t0", "t1"], "split", axis=0, num_outputs=2),
]
for reads in (((0, T.FLOAT), (0, T.FLOAT16)), ((1, T.FLOAT),)):
    casts = [helper.make_node("Cast", [f"t{at}"], [f"y{i}"], f"r{i}", to=to) for i, (at, to) in enumerate(reads)]  # fmt: skip
    outputs = [(f"y{i}", to, (SIZE[0] // 2, SIZE[1])) for i, (_, to) in enumerate(reads)]
    model = make_model(nodes + casts, T.FLOAT, outputs, 21)
    check("mixed", f"Split {reads}", model, T.FLOAT, T.FLOAT8E5M2, ["--opset", "18"])

# CastLike's second input only determines the type. It may be an initializer, a Constant or a value
# without other users.
for made_by in ("", "Constant", "Cast"):
    kind = T(name="t", data_type=T.FLOAT8E5M2, dims=[1], raw_data=b"\0")
    nodes = {
        "": [],
        "Constant": [helper.make_node("Constant", [], ["t"], "t", value=kind)],
        "Cast": [helper.make_node("Cast", ["x"], ["t"], "t", to=T.FLOAT8E5M2)],
    }[made_by]
    nodes += [helper.make_node("CastLike", ["x", "t"], ["q"], "like"), helper.make_node("Cast", ["q"], ["y"], "wide", to=T.FLOAT)]  # fmt: skip
    model = make_model(nodes, T.FLOAT, [("y", T.FLOAT, SIZE)], 19, [] if made_by else [kind])
    check("like", f"CastLike {made_by}", model, T.FLOAT, T.FLOAT8E5M2, ["--opset", "18"])
    graph = onnx.load(work / "out.onnx").graph
    left = [v.name for v in (*graph.initializer, *graph.node) if v.name == "t"]
    count("like", not left, f"{made_by}: {left}")

# Nodes without an exact equivalent, and quantized values with other users. Nodes before
# initializers.
for kind, narrow, opset, mode, shown in (
    (T.INT64, T.BFLOAT16, 12, None, (1 << 62) + (1 << 54) + 1),
    (T.UINT64, T.BFLOAT16, 12, None, (1 << 62) + (1 << 54) + 1),
    (T.INT64, T.FLOAT8E8M0, 23, None, (1 << 62) + 1),
    (T.INT64, T.FLOAT8E8M0, 23, "down", (1 << 63) - 1),
    (T.INT64, T.FLOAT8E8M0, 23, "nearest", (3 << 61) - 1),
):
    attributes = {"round_mode": mode} if mode else {}
    nodes = [helper.make_node("Cast", ["x"], ["q"], "narrow", to=narrow, **attributes), helper.make_node("Cast", ["q"], ["y"], "wide", to=T.FLOAT)]  # fmt: skip
    # Through double, it becomes what its own neighbor becomes.
    assert float(shown) != shown
    done = convert(make_model(nodes, kind, [("y", T.FLOAT, SIZE)], 24), ["--opset", str(opset)])
    wanted = f"node 'narrow' (Cast): no exact equivalent in opset {opset}: the opset has no type {get_name(narrow)}, and arithmetic in double would round integers such as {shown} twice"
    count("refused", done.returncode == 1 and wanted in done.stderr, done.stderr)
nodes = [helper.make_node("Cast", ["x"], ["q"], "narrow", to=T.FLOAT8E5M2), helper.make_node("Cast", ["q"], ["y"], "text", to=T.STRING)]  # fmt: skip
done = convert(make_model(nodes, T.FLOAT, [("y", T.STRING, SIZE)], 21), ["--opset", "18"])
count("refused", done.returncode == 1 and "node 'narrow' (Cast): no exact equivalent" in done.stderr, done.stderr)  # fmt: skip
nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], "seen")]
done = convert(make_model(nodes, T.FLOAT, [("y", T.FLOAT8E5M2, SIZE)], 21, [scale, T(name="z", data_type=T.FLOAT8E5M2, raw_data=b"\0")]), ["--opset", "18"])  # fmt: skip
lines = [line for line in done.stderr.splitlines() if "error:" in line]
count("refused", done.returncode == 1 and "node 'seen'" in lines[0] and "'z' (initializer)" in lines[-1], done.stderr)  # fmt: skip
print(counts, len(failures), *failures[:30], sep="\n")
sys.exit(bool(failures))
