# Models in other opsets: each node from and to all opsets is converted or rejected. Converted
# models pass ONNX's checker and compute the same bits in ONNX's reference evaluator, for every
# 8-bit value and for floats of every kind. Errors name node, opset and reason.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/Inputs:%S/../helpers %python %s %tools_dir/quant-float-convert %t
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

T = TensorProto
tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
OPSETS = [10, 11, 12, 13, 17, 18, 19, 21, 23, 24, 28]
node, U8 = helper.make_node, np.uint8(3)
FLOATS = np.concatenate(
    [
        np.float32(
            [
                0.0,
                -0.0,
                np.nan,
                np.inf,
                -np.inf,
                1e-8,
                448,
                449,
                464,
                465,
                240,
                241,
                57344,
                65520,
                3e38,
            ]
        ),
        np.linspace(-140, 140, 561, dtype=np.float32),
    ]
)[: 24 * 24].reshape(24, 24)


def make(opset, nodes, elem_in, elem_out, shape, initializers, result=None):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", elem_in, shape)],
        [helper.make_tensor_value_info("y", elem_out, result or shape)],
        [
            numpy_helper.from_array(v, k) if isinstance(v, np.ndarray) else v
            for k, v in initializers.items()
        ],
    )
    ir = helper.OP_SET_ID_VERSION_MAP.get(("ai.onnx", opset), 10)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=max(ir, 5)
    )


def quantize(attributes=None, scale=0.5, zero=U8, to=T.UINT8):
    inputs = {"s": np.array(scale, np.float32)}
    if zero is not None:
        inputs["z"] = zero if isinstance(zero, TensorProto) else np.array(zero)
    return (
        [node("QuantizeLinear", ["x", *inputs], ["y"], "n", **(attributes or {}))],
        T.FLOAT,
        to,
        FLOATS,
        inputs,
    )


def dequantize(attributes=None, scale=0.5, zero=U8):
    inputs = {"s": np.array(scale, np.float32), "z": np.array(zero)}
    encodings = np.arange(256, dtype=np.uint8).view(inputs["z"].dtype).reshape(16, 16)
    kind = helper.np_dtype_to_tensor_dtype(encodings.dtype)
    return (
        [node("DequantizeLinear", ["x", *inputs], ["y"], "n", **(attributes or {}))],
        kind,
        T.FLOAT,
        encodings,
        inputs,
    )


def cast(to, **attributes):
    return [node("Cast", ["x"], ["y"], "n", to=to, **attributes)], T.FLOAT, to, FLOATS, {}


def one(op, x=FLOATS, inputs=None, to=T.FLOAT, **attributes):
    inputs = {k: np.array(v) for k, v in (inputs or {}).items()}
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    return [node(op, ["x", *inputs], ["y"], "n", **attributes)], kind, to, x, inputs


def split(**attributes):
    """Two halves, one of which is used."""
    return [node("Split", ["x"], ["y", "other"], "n", **attributes)], T.FLOAT, T.FLOAT, FLOATS, {}


zero8 = helper.make_tensor("z", T.FLOAT8E4M3FN, [], [0.0])
SMALL = FLOATS[1:, :].copy()
CUBE = SMALL[:, :, None].copy()
AXES = np.int64([1])
IMAGE = SMALL[None, None, :7, :5].copy()
REDUCTIONS = [
    f"Reduce{kind}" for kind in ("L1", "L2", "LogSum", "LogSumExp", "Mean", "Min", "Prod", "Sum")
]
# name: (the node, the opsets that can express it, its source opsets)
since = lambda low, high=99: {o for o in OPSETS if low <= o < high}  # noqa: E731
CASES = {
    "cast_f16": (cast(T.FLOAT16), since(10)),
    "cast_i32": (cast(T.INT64), since(10)),
    "cast_f8": (cast(T.FLOAT8E4M3FN), since(19)),
    "cast_f8_inf": (cast(T.FLOAT8E5M2, saturate=0), since(19)),
    "quantize": (quantize(), since(10)),
    "quantize_axis": (
        quantize({"axis": 0}, np.linspace(0.1, 2, 24), np.arange(24).astype(np.int8), T.INT8),
        since(13),
    ),
    "quantize_f8": (quantize(zero=zero8, to=T.FLOAT8E4M3FN), since(19)),
    "quantize_f8_nan": (quantize({"saturate": 0}, zero=zero8, to=T.FLOAT8E4M3FN), since(19)),
    "quantize_u16": (quantize(zero=np.uint16(300), to=T.UINT16), since(21)),
    "dequantize": (dequantize(), since(10)),
    "dequantize_axis": (
        dequantize({"axis": 1}, np.linspace(0.1, 2, 16), np.arange(16).astype(np.int8)),
        since(13),
    ),
    "relu": (one("Relu"), since(10)),
    "reduce": (one("ReduceMax", SMALL, axes=[1], keepdims=0), since(10, 18)),
    "reduce_input": (one("ReduceMax", SMALL, {"a": AXES}, keepdims=0), since(18)),
    **{
        f"{op}_old": (
            one(op, SMALL, axes=[1], keepdims=0),
            since(10, 13 if op == "ReduceSum" else 18),
        )
        for op in REDUCTIONS
    },
    **{
        f"{op}_input": (
            one(op, SMALL, {"a": AXES}, keepdims=0),
            since(13 if op == "ReduceSum" else 18),
        )
        for op in REDUCTIONS
    },
    "average": (one("AveragePool", IMAGE, kernel_shape=[2, 2], strides=[2, 2]), since(10)),
    "average_old": (
        one("AveragePool", IMAGE, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        since(10, 19),
    ),
    "average_new": (
        one("AveragePool", IMAGE, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        since(19),
    ),
    "softmax_old": (one("Softmax", SMALL, axis=1), since(10)),
    "softmax_all": (one("Softmax", SMALL, axis=0), since(10, 13)),
    "softmax_first": (one("Softmax", SMALL, axis=0), since(13)),
    "softmax": (one("Softmax", SMALL), since(10)),
    "hardmax": (one("Hardmax", SMALL, axis=-1), since(11)),
    "split": (split(), since(10, 18)),
    "split_count": (split(num_outputs=2), since(18)),
    "normalize": (
        one(
            "BatchNormalization",
            IMAGE,
            {k: np.float32([v]) for k, v in zip("abcd", (2, 3, 4, 5), strict=True)},
        ),
        since(10),
    ),
    "gather": (one("Gather", SMALL, {"i": np.int64([2, 0])}), since(10)),
    "gather_back": (one("Gather", SMALL, {"i": np.int64([-1, 0])}), since(11)),
    "slice_back": (
        one("Slice", SMALL, {"s": np.int64([1]), "e": np.int64([5]), "a": np.int64([-1])}),
        since(11),
    ),
    "split_uneven": (
        one("Split", SMALL, num_outputs=1, axis=-1),
        since(18),
    ),
    "shape": (one("Shape", CUBE, to=T.INT64, start=1, end=-1), since(15)),
    "mod": (one("Mod", SMALL, {"b": np.float32(3)}, fmod=1), since(10)),
    "mod_floor": (one("Mod", SMALL, {"b": np.float32(3)}), since(28)),
    "resize_old": (
        one("Resize", IMAGE, {"s": np.float32([1, 1, 2, 1.5])}, mode="linear"),
        since(10, 11),
    ),
    "resize_sizes": (
        one(
            "Resize",
            IMAGE,
            {"r": np.float32([]), "s": np.float32([]), "z": np.int64([1, 1, 10, 9])},
            mode="nearest",
        ),
        since(11),
    ),
    "resize_axes": (
        one(
            "Resize",
            IMAGE,
            {"r": np.float32([]), "s": np.float32([2, 3])},
            axes=[-1, 2],
            mode="nearest",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        ),
        since(18),
    ),
    "layer": (one("LayerNormalization", SMALL, {"s": SMALL[0]}), since(17)),
    "gelu": (one("Gelu", SMALL, approximate="tanh"), since(20)),
    "swish": (one("Swish", SMALL), since(24)),
    "squeeze": (one("Squeeze", CUBE, axes=[2]), since(10, 13)),
    "unsqueeze": (one("Unsqueeze", SMALL, axes=[1]), since(10, 13)),
    "unsqueeze_input": (one("Unsqueeze", SMALL, {"a": AXES}), since(13)),
    "dropout": (one("Dropout", SMALL), since(10)),
    "dropout_ratio": (one("Dropout", SMALL, ratio=0.3), since(10, 12)),
    "clip_old": (one("Clip", FLOATS, min=-3.0, max=5.0), since(10, 11)),
    "clip_open": (one("Clip", FLOATS, max=5.0), since(10, 11)),
    "clip_nothing": (one("Clip", FLOATS), since(11)),
    "clip_half": (
        one("Clip", SMALL.astype(np.float16), to=T.FLOAT16, min=-0.3, max=5.0),
        since(10, 11),
    ),
    "clip": (one("Clip", SMALL, {"lo": np.float32(-3), "hi": np.float32(5)}), since(11)),
    "pad": (one("Pad", SMALL, {"p": np.int64([1, 0, 0, 2])}), since(11)),
    "pad_old": (one("Pad", SMALL, pads=[1, 0, 0, 2], value=0.1), since(10, 11)),
    "pad_axes": (
        one(
            "Pad",
            SMALL,
            {"p": np.int64([1, 2]), "v": np.float32(7), "a": np.int64([-1])},
            mode="constant",
        ),
        since(18),
    ),
}


def convert(path, opset, *more):
    return subprocess.run(
        [tool, path, "--opset", str(opset), "-o", work / "out.onnx", *more],
        capture_output=True,
        text=True,
    )


# The reference evaluator lacks some versions of these ops, rounds differently in others, and does
# not pass an attribute of Softmax to its function.
BY_RUNTIME = {"functions", "normalize", "softmax_all", "resize_old", "resize_sizes", "resize_axes"}
# A function body replaces them, which rounds intermediate results.
BY_FUNCTION = {"layer", "gelu", "swish", "clip_nothing"}


def evaluate(model, x, name=""):
    """In ONNX's reference evaluator, or in ONNX Runtime if the former lacks the version."""
    with np.errstate(all="ignore"):
        try:
            if name in BY_RUNTIME:
                raise RuntimeError("No implementation")
            return ReferenceEvaluator(model).run(None, {"x": x})[0]
        except RuntimeError as error:
            assert "No implementation" in str(error), error
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": x})[0]


# Arithmetic replaces ops that the opset lacks.
BY_ARITHMETIC = {"quantize_axis", "quantize_u16"}
counts, refused = {"converted": 0, "refused": 0}, set()
for name, ((nodes, elem_in, elem_out, x, inputs), written) in CASES.items():
    for old in sorted(written):
        # Each from its first and its last opset.
        if old not in (min(written), max(written)):
            continue
        if name in BY_RUNTIME and old > 26:
            continue
        made = make(old, nodes, elem_in, elem_out, x.shape, inputs)
        result = evaluate(made, x, name).shape
        made = make(old, nodes, elem_in, elem_out, x.shape, inputs, result)
        onnx.checker.check_model(made)
        path = work / f"{name}_{old}.onnx"
        onnx.save(made, path)
        expected = evaluate(made, x, name)
        for opset in OPSETS:
            before = expected
            # ONNX Runtime does not know this op.
            if name in BY_RUNTIME and opset > 26:
                continue
            done = convert(path, opset, f"--report={work / 'report.json'}")
            entry = [
                n
                for n in json.loads((work / "report.json").read_text())["nodes"]
                if n["name"] == "n"
            ]
            if done.returncode:
                assert done.returncode == 1, (name, old, opset, done.stderr)
                assert f"no exact equivalent in opset {opset}: " in done.stderr, (
                    name,
                    old,
                    opset,
                    done.stderr,
                )
                assert entry == [] or entry[0]["kind"] == "refused", entry
                counts["refused"] += 1
                refused.add((name, old, opset))
                assert opset not in written, (name, old, opset, done.stderr)
                continue
            after = onnx.load(work / "out.onnx")
            assert [o.version for o in after.opset_import] == [opset], after.opset_import
            onnx.checker.check_model(after, full_check=True)
            values = evaluate(after, x, name)
            if name in BY_ARITHMETIC and opset not in written:
                # The reference evaluator uses NumPy's casts for NaN and very large values, which
                # are not portable.
                values, before = values[np.abs(x) < 1e6], before[np.abs(x) < 1e6]
            is_same = values.tobytes() == before.tobytes() or (
                name in BY_FUNCTION and np.allclose(values, before, 1e-4, 1e-6, equal_nan=True)
            )
            assert is_same, (name, old, opset)
            counts["converted"] += 1
print(counts)
# With other spellings or attributes, these nodes are equivalent in all opsets.
everywhere = {"softmax_old", "softmax", "split", "split_count", "normalize", "gather"}
everywhere |= {
    "dropout",
    "dropout_ratio",
    "softmax_all",
    "softmax_first",
    "gather_back",
    "slice_back",
}
everywhere |= {"split_uneven", "clip", "clip_old", "clip_open", "clip_nothing", "clip_half", "pad"}
everywhere |= {"pad_old", "pad_axes", "resize_axes"} | {f"{op}_old" for op in REDUCTIONS}
everywhere |= BY_ARITHMETIC | {
    "mod",
    "layer",
    "gelu",
    "swish",
    *(f"{op}_input" for op in REDUCTIONS),
}
refused_there = sorted(case for case in refused if case[0] in everywhere)
assert not refused_there, refused_there
for case in [
    ("cast_f8", 19, 18),
    ("relu", 10, 26),
]:
    assert (case in refused) == (case[0] != "relu"), case

# --- Changed defaults -----------------------------------------------------------------------------

# From 24 on, an infinity cast to FNUZ types is not NaN: it is replaced before, except in strings.
for old, opset in [(19, 23), (23, 24), (24, 23)]:
    path = work / f"fnuz_{old}.onnx"
    onnx.save(make(old, cast(T.FLOAT8E4M3FNUZ)[0], T.FLOAT, T.FLOAT8E4M3FNUZ, [4], {}), path)
    done = convert(path, opset)
    assert done.returncode == 0, done.stderr
    kinds = [n.op_type for n in onnx.load(work / "out.onnx").graph.node]
    replaced = ["Greater", "Where", "Less", "Where", "Cast"]
    assert kinds == (replaced if (old < 24) != (opset < 24) else ["Cast"]), kinds
    onnx.save(make(old, cast(T.FLOAT8E4M3FNUZ)[0], T.STRING, T.FLOAT8E4M3FNUZ, [4], {}), path)
    done = convert(path, opset)
    assert bool(done.returncode) == ((old < 24) != (opset < 24)), done.stderr
    if done.returncode:
        assert "node 'n' (Cast): no exact equivalent in opset" in done.stderr, done.stderr
        assert "'inf' becomes" in done.stderr, done.stderr

# --- Changed semantics ----------------------------------------------------------------------------

for case, old, opset, told in (
    (one("OneHot", np.int64([[1, -1]]), {"d": np.int64(3), "v": np.float32([0, 1])}), 11, 10, "index -1 is the last class"),
    (one("AveragePool", IMAGE, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1), 11, 19, "a window that extends past the padding"),
    (one("Mod", SMALL, {"b": np.float32(1)}), 28, 13, "the remainder of -1.5 by 1 is 0.5, not -0.5"),
):  # fmt: skip
    nodes, elem_in, _, x, inputs = case
    result = None
    if nodes[0].op_type in ("OneHot", "AveragePool"):
        result = [1, 2, 3] if nodes[0].op_type == "OneHot" else [1, 1, 4, 3]
    path = work / "meaning.onnx"
    onnx.save(make(old, nodes, elem_in, T.FLOAT, x.shape, inputs, result), path)
    done = convert(path, opset)
    assert done.returncode == 1 and "node 'n'" in done.stderr and told in done.stderr, done.stderr

# --- Rewrites -------------------------------------------------------------------------------------

pair = [
    node("DequantizeLinear", ["x", "s", "z"], ["d"], "back"),
    node("Identity", ["d"], ["i"], "between"),
    node("QuantizeLinear", ["i", "s", "z"], ["y"], "again"),
]
parameters = {"s": np.array(0.5, np.float32), "z": np.array(3, np.uint8)}
encodings = np.arange(256, dtype=np.uint8)
path = work / "pair.onnx"
onnx.save(make(21, pair, T.UINT8, T.UINT8, [256], parameters), path)
out = work / "out.onnx"
for options in ((), ("--opset", "13")):
    done = subprocess.run(
        [tool, path, "-o", out, "--rewrite=eliminate-qdq", *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    after = onnx.load(out)
    onnx.checker.check_model(after, full_check=True)
    left = {n.op_type for n in after.graph.node}
    assert not left & {"QuantizeLinear", "DequantizeLinear"}, left
    assert after.opset_import[0].version == (13 if options else 21), after.opset_import
    assert evaluate(after, encodings).tobytes() == encodings.tobytes()
for option, message in (
    (
        "--rewrite=cse",
        "--rewrite: expected eliminate-qdq, collapse-casts, reencode-fnuz, widen-storage, merge-scales, fold-scales, unpack-weights, pack-weights, but got 'cse'",
    ),
    ("--rewrite=widen-storage{signed=maybe}", "--rewrite: "),
    ("--external-data", "expected --opset, --without or --rewrite"),
):
    done = subprocess.run([tool, path, "-o", out, option], capture_output=True, text=True)
    assert done.returncode == 2 and message in done.stderr, (option, done.returncode, done.stderr)

# The exporter does the same.
translate = pathlib.Path(tool).with_name("quant-float-translate")
for opset, message in ((13, None), (3, "--opset: expected 10 to 28, but got 3")):
    convert(path, opset)
    exported = work / "exported.onnx"
    exported.touch()
    before, beside = exported.read_bytes(), set(work.iterdir())
    done = subprocess.run(
        [translate, "--export-onnx", f"--opset={opset}", path, "-o", exported],
        capture_output=True,
        text=True,
    )
    if message:
        assert done.returncode == 1 and message in done.stderr, done
        # The file is unchanged, and no other files were written.
        assert exported.read_bytes() == before and set(work.iterdir()) == beside, done
    else:
        assert exported.read_bytes() == out.read_bytes(), done

# --- Functions of the model -----------------------------------------------------------------------

# Functions whose nodes are the same in both opsets are kept. Calls of others, and of their callers,
# are inlined, each with the attributes of its call.
own, opsets = "own", [helper.make_opsetid("", 18)]


def refer(made, name, reference, kind):
    made.attribute.add(name=name, ref_attr_name=reference, type=kind)
    return made


def function(name, inputs, outputs, nodes, attributes=(), domains=()):
    imports = opsets + [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_function(own, name, inputs, outputs, nodes, imports, list(attributes))


branch = {
    f"{which}_branch": helper.make_graph(
        [node("ReduceSum", ["t", "axes"], ["s"], keepdims=1, name=which), node(op, ["s"], ["b"])],
        which,
        [],
        [helper.make_tensor_value_info("b", T.FLOAT, None)],
    )
    for which, op in (("then", "Neg"), ("else", "Abs"))
}
softened = [
    refer(node("Softmax", ["t"], ["v"], "softmax"), "axis", "axis", onnx.AttributeProto.INT),
    node("Sin", ["v"], ["w"], "sine"),
]
chosen = [
    node("Constant", [], ["axes"], value_ints=[-1], name="axes"),
    node("Constant", [], ["c"], value=numpy_helper.from_array(np.array(True)), name="c"),
    node("If", ["c"], ["u"], "choose", **branch),
]
functions = [
    function("Stays", ["t"], ["u"], [node("Sin", ["t"], ["v"]), node("Cos", ["v"], ["u"])]),
    function("Softened", ["t"], ["w"], softened, ["axis"]),
    function("Chosen", ["t"], ["u"], chosen),
    function(
        "Calls",
        ["t"],
        ["u"],
        [
            node("Softened", ["t"], ["v"], "call", domain=own, axis=0),
            node("Stays", ["v"], ["u"], "stays", domain=own),
        ],
        domains=[own],
    ),
    function("Unused", ["t"], ["u"], [node("ReduceSum", ["t"], ["u"], "unused")]),
]
calls = [
    node("Calls", ["x"], ["a"], "first", domain=own),
    node("Softened", ["a"], ["b"], "second", domain=own, axis=1),
    node("Chosen", ["b"], ["c"], "third", domain=own),
    node("Stays", ["b"], ["d"], "fourth", domain=own),
    node("Add", ["c", "d"], ["y"], "add"),
]
made = make(18, calls, T.FLOAT, T.FLOAT, SMALL.shape, {})
made.opset_import.append(helper.make_opsetid(own, 1))
made.functions.extend(functions)
made.ir_version = 8
onnx.checker.check_model(made)
path = work / "functions.onnx"
onnx.save(made, path)
before = evaluate(made, SMALL, "functions")
most = {"Stays", "Softened", "Calls", "Unused"}
for opset, staying in (
    (18, most | {"Chosen"}),
    (20, most),  # If and Constant have new versions from 19 on,
    (23, {"Unused"}),  # Sin and Cos from 22 on.
    (12, {"Stays"}),
):
    done = convert(path, opset, f"--report={work / 'report.json'}")
    assert done.returncode == 0, (opset, done.stderr)
    after = onnx.load(work / "out.onnx")
    assert {f.name for f in after.functions} == staying, (opset, [f.name for f in after.functions])
    onnx.checker.check_model(after, full_check=True)
    assert {f.opset_import[0].version for f in after.functions} <= {opset}
    values = evaluate(after, SMALL, "functions")
    assert np.allclose(values, before, 1e-6, 1e-7), (opset, values, before)
    names = [n.name for n in after.graph.node if n.name]
    assert len(names) == len(set(names)), names
    assert opset != 12 or "first/call/sine" in names and "second/sine" in names, names
    nodes = json.loads((work / "report.json").read_text())["nodes"]
    kinds = {n["kind"] for n in nodes if "softmax" in n["name"]}
    assert kinds == (
        set() if "Softened" in staying else {"adapted" if opset == 12 else "unchanged"}
    )
# Types to be removed are found inside of functions, too.
hidden = [
    node("Cast", ["t"], ["v"], "narrow", to=T.FLOAT8E4M3FN),
    node("Cast", ["v"], ["u"], "widen", to=T.FLOAT),
]
opsets = [helper.make_opsetid("", 21)]
made = make(21, [node("Hidden", ["x"], ["y"], "call", domain=own)], T.FLOAT, T.FLOAT, [24, 24], {})
made.opset_import.append(helper.make_opsetid(own, 1))
made.functions.append(function("Hidden", ["t"], ["u"], hidden))
onnx.save(made, path)
done = subprocess.run(
    [tool, path, "--without=float8e4m3fn", "-o", work / "out.onnx"], capture_output=True, text=True
)
assert done.returncode == 0, done.stderr
after = onnx.load(work / "out.onnx")
assert not after.functions and "float8" not in str(after).lower()
assert not any(
    a.i == T.FLOAT8E4M3FN for n in after.graph.node for a in n.attribute if a.name == "to"
)
assert evaluate(after, FLOATS).tobytes() == evaluate(made, FLOATS).tobytes()
# Values that a malformed node moves, with an extra output of unknown type, are not rewritten.
scale, zero = np.float32(0.5), TensorProto(data_type=T.FLOAT8E4M3FN, raw_data=b"\0", name="z")
nodes = [
    node("QuantizeLinear", ["x", "s", "z"], ["q"]),
    node("Identity", ["q"], ["a", "b"], "moves"),
    node("DequantizeLinear", ["a", "s"], ["y"]),
]
made = make(21, nodes, T.FLOAT, T.FLOAT, [4], {"s": np.array(scale), "z": zero})
made.graph.value_info.append(helper.make_tensor_value_info("a", T.FLOAT8E4M3FN, [4]))
onnx.save(made, path)
done = convert(path, 18)
message = (
    "node 'moves' (Identity): no exact equivalent in opset 18: the opset has no type float8e4m3fn"
)
assert done.returncode == 1 and message in done.stderr, (done.returncode, done.stderr)
# A node is rejected if a node in its function body is. Other nodes are reported as usual.
nodes = [
    node("GreaterOrEqual", ["x", "x"], ["a"], "first"),
    node("Celu", ["x"], ["b"], "second"),
    node("Where", ["a", "b", "x"], ["y"], "third"),
]
onnx.save(make(12, nodes, T.FLOAT, T.FLOAT, [4], {}), path)
done = convert(path, 10, f"--report={work / 'report.json'}")
message = (
    "node 'first/Equal' (Equal): no exact equivalent in opset 10: 'A' does not accept tensor(float)"
)
assert done.returncode == 1 and message in done.stderr, done.stderr
defined = "expanded to its function body"
report = [tuple(n.values()) for n in json.loads((work / "report.json").read_text())["nodes"]]
assert report == [
    ("first", "GreaterOrEqual", "refused", "a node of the function that defines it is refused"),
    ("first/Equal", "Equal", "refused", "'A' does not accept tensor(float)"),
    ("second", "Celu", "adapted", defined),
    ("third", "Where", "unchanged", ""),
], report
# A call is checked against its function, which is kept.
calls = [node("Hidden", ["x"], ["y", "z"], "call", domain=own)]
made = make(21, calls, T.FLOAT, T.FLOAT, [2], {})
made.opset_import.append(helper.make_opsetid(own, 1))
made.functions.append(function("Hidden", ["t"], ["u"], [node("Abs", ["t"], ["u"])]))
onnx.save(made, path)
done = convert(path, 13)
message = "node 'call' (Hidden): expected at most 1 output(s), as the function has, but got 2"
assert done.returncode == 1 and message in done.stderr, done.stderr

# --- The tool -------------------------------------------------------------------------------------

path = work / "relu_10.onnx"
assert convert(path, 9).returncode == 2 and convert(path, 29).returncode == 2
assert "--opset: expected 10 to 28, but got 9" in convert(path, 9).stderr
assert convert(work / "none.onnx", 12).returncode == 2
assert convert(path, 13, "--report=/nonexistent/report").returncode == 2
out = work / "out.onnx"
out.write_bytes(b"as it was")
assert convert(work / "cast_f8_19.onnx", 12).returncode == 1 and out.read_bytes() == b"as it was"
printed = convert(path, 14, "--report")
assert (
    printed.stdout.splitlines()[0]
    == "opset 10 to 14: 0 unchanged, 1 restated, 0 adapted, 0 refused"
), printed.stdout
