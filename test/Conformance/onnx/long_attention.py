# Attention with many keys, which is computed by rows of scores: the outputs are those of ONNX
# Runtime, and each row has the same bits as with few rows, which use no loop over rows.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys

import ml_dtypes
import numpy as np
import onnxruntime
from conformance.node_tests import Runner
from onnx import helper

QUERIES, KEYS, HEADS, WIDTH = 300, 333, 4, 16
FEW = slice(40, 56)
runner = Runner(*sys.argv[1:3])
rng = np.random.default_rng(5)
failures = []


def floats(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def make_model(nodes, feed, outputs, dynamic_sizes, opset):
    def info(name, value):
        sizes = [f"{name}{i}" for i in range(value.ndim)] if dynamic_sizes else value.shape
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), sizes
        )

    element = helper.np_dtype_to_tensor_dtype(feed["q"].dtype)
    results = [helper.make_tensor_value_info(name, element, None) for name in outputs.split()]
    graph = helper.make_graph(nodes, "g", [info(*item) for item in feed.items()], results)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def run(name, model, feed, *options):
    folder = runner.work / name
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    files = []
    for key, value in feed.items():
        files.append(folder / f"{key}.npy")
        np.save(files[-1], value)
    result = runner.call(
        "quant-float-run", folder / "model.onnx", "--outputs", folder, *options, "--inputs", *files
    )
    if result.returncode != 0:
        failures.append(f"{name}: {result.stderr}")
        return None
    return [np.load(folder / f"output_{i}.npy") for i in range(len(model.graph.output))]


def check(name, nodes, outputs="y", opset=23, few=None, tolerance=1e-5, same=None, **feed):
    """`few` are the inputs of the same attention for some of the queries, `same` are nodes and
    inputs with the same outputs."""
    for dynamic_sizes in (False, True):
        model = make_model(nodes, feed, outputs, dynamic_sizes, opset)
        oracle = make_model(*same, outputs, dynamic_sizes, opset) if same else model
        session = onnxruntime.InferenceSession(oracle.SerializeToString())
        expected = session.run(None, same[1] if same else feed)
        case = f"{name}_{int(dynamic_sizes)}"
        got = run(case, model, feed)
        for i, wanted in enumerate(expected):
            if got and not np.allclose(got[i], wanted, tolerance, tolerance, equal_nan=True):
                failures.append(f"{case}: output {i}: {np.nanmax(np.abs(got[i] - wanted))} off")
        threads = run(f"{case}_threads", model, feed, "--threads", "2")
        if got and threads and got[0].tobytes() != threads[0].tobytes():
            failures.append(f"{case}: different bits with two threads")
        if not few or not got:
            continue
        rows = run(f"{case}_few", make_model(nodes, few, outputs, False, opset), few)
        if rows and rows[0].tobytes() != np.ascontiguousarray(got[0][..., FEW, :]).tobytes():
            failures.append(f"{case}: different bits from those of a subset of the rows")


q, k = floats(1, HEADS, QUERIES, WIDTH), floats(1, HEADS, KEYS, WIDTH)
v, mask = floats(1, HEADS, KEYS, 24), floats(QUERIES, KEYS)
# Some queries see no key at all.
mask[rng.random(mask.shape) < 0.3], mask[45] = -np.inf, -np.inf
few = dict(q=q[..., FEW, :], k=k, v=v)
attention = [node("Attention", "q k v", "y")]
check("plain", attention, q=q, k=k, v=v, few=few)
check("causal", [node("Attention", "q k v", "y", is_causal=1)], q=q, k=k, v=v)
masked = [node("Attention", "q k v m", "y", softcap=3.0, scale=0.3)]
check("masked", masked, q=q, k=k, v=v, m=mask, few=dict(few, m=mask[FEW]))
half = {name: value.astype(np.float16) for name, value in (("q", q), ("k", k), ("v", v))}
check("half", attention, tolerance=4e-3, **half)
grouped = dict(q=q, k=k[:, ::2], v=v[:, ::2])
check("grouped", attention, few=dict(grouped, q=few["q"]), **grouped)
# The scores are a result.
check("scores", [node("Attention", "q k v", "y   s")], "y s", q=q, k=k, v=v)

# The subgraph that exporters write.
chain = [
    node("Transpose", "k", "kt", perm=[0, 1, 3, 2]),
    node("MatMul", "q kt", "s"),
    node("Div", "s c", "d"),
    node("Add", "d m", "a"),
    node("Softmax", "a", "p", axis=-1),
    node("MatMul", "p v", "y"),
]
mask[45] = 0
several = dict(q=floats(2, 3, QUERIES, WIDTH), k=floats(2, 3, KEYS, WIDTH), v=floats(2, 3, KEYS, 8))
several.update(c=np.array(4, np.float32), m=np.broadcast_to(mask, (2, 1, QUERIES, KEYS)))
some = dict(several, q=several["q"][..., FEW, :], m=several["m"][..., FEW, :])
# Dynamic sizes are not broadcast, so the mask has all heads there.
several["m"] = np.repeat(several["m"], 3, 1)
check("exported", chain, opset=17, few=some, **several)

joined = dict(q=floats(2, QUERIES, 32), k=floats(2, KEYS, 32), v=floats(2, KEYS, 32))
multi = [node("MultiHeadAttention", "q k v", "y", domain="com.microsoft", num_heads=2)]
check("multi_head", multi, opset=17, **joined)

# Quantized caches that the call appends to, in particular for one query.
cached = [
    node("QuantizeLinear", "nk ks kz", "nkc"),
    node("QuantizeLinear", "nv vs vz", "nvc"),
    node("Concat", "pk nkc", "k", axis=2),
    node("Concat", "pv nvc", "v", axis=2),
    node("DequantizeLinear", "k ks kz", "kf"),
    node("DequantizeLinear", "v vs vz", "vf"),
    node("Attention", "q kf vf", "y"),
]
for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.int8, np.uint8):
    for queries in (1, QUERIES):
        feed, floating = {}, {}
        feed["q"] = floating["q"] = floats(1, HEADS, queries, WIDTH)
        is_float = dtype not in (np.int8, np.uint8)
        limits = ml_dtypes.finfo(dtype) if is_float else np.iinfo(dtype)
        for name, size, scale in (("k", WIDTH, 0.05), ("v", 24, 0.125)):
            new = floats(1, HEADS, queries, size)
            encodings = np.clip(new / np.float32(scale), float(limits.min), float(limits.max))
            past = np.abs(floats(1, HEADS, KEYS, size) * 16).astype(dtype)
            encodings = (encodings if is_float else np.rint(encodings)).astype(dtype)
            feed[f"p{name}"], feed[f"n{name}"] = past, new
            feed[f"{name}s"] = np.array(scale, np.float32)
            feed[f"{name}z"] = np.zeros((), dtype)
            joined = np.concatenate([past, encodings], 2).astype(np.float32)
            floating[name] = joined * np.float32(scale)
        name = f"cached_{np.dtype(dtype).name}_{queries}"
        check(name, cached, same=(attention, floating), **feed)
print(f"{len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
