# Operators of other domains that are defined by ONNX operators: QONNX's quantizers against their
# formulas in NumPy, and ai.onnx.ml's linear models and trees against ONNX Runtime and the reference
# evaluator.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import itertools
import sys

import numpy as np
import onnxruntime
from conformance.node_tests import Runner
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

F32, F64 = np.float32, np.float64
QONNX = ("qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general")
ML = "ai.onnx.ml"
runner = Runner(*sys.argv[1:3])
rng = np.random.default_rng(3)
failures, count = [], itertools.count()


def make_model(node, given, outputs, constants=(), imports=()):
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), sizes)
        for name, value, sizes in given
    ]
    results = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs]
    initializers = [numpy_helper.from_array(value, name) for name, value in constants]
    graph = helper.make_graph([node], "g", infos, results, initializers)
    opsets = [helper.make_opsetid(*row) for row in (("", 17), *imports)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def run(model, inputs):
    folder = runner.work / str(next(count))
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    files = []
    for index, value in enumerate(inputs):
        files.append(folder / f"x{index}.npy")
        np.save(files[-1], value)
    result = runner.call(
        "quant-float-run", folder / "model.onnx", "-O0", "--outputs", folder, "--inputs", *files
    )
    if result.returncode != 0:
        return result.stderr
    paths = [folder / f"output_{i}" for i in range(len(model.graph.output))]
    return [
        np.load(p.with_suffix(".npy")) if p.with_suffix(".npy").exists() else None for p in paths
    ]


def compare(name, got, expected, tolerance=0):
    if isinstance(got, str):
        failures.append(f"{name}: {got}")
        return
    for i, (mine, wanted) in enumerate(zip(got, expected, strict=True)):
        if wanted is None or mine is None:
            continue
        same = mine.shape == wanted.shape and np.allclose(
            mine, wanted, tolerance, tolerance, equal_nan=True
        )
        if not same:
            failures.append(
                f"{name}: output {i}: expected {wanted.ravel()}, but got {mine.ravel()}"
            )


def refuse(name, model, why, inputs):
    got = run(model, inputs)
    if not isinstance(got, str) or why not in got:
        failures.append(f"{name}: expected '{why}', but got {got}")


# --- QONNX ----------------------------------------------------------------------------------------

ROUNDINGS = {
    "ROUND": np.round,
    "HALF_EVEN": np.round,
    "CEIL": np.ceil,
    "floor": np.floor,
    "UP": lambda x: np.copysign(np.ceil(np.abs(x)), x),
    "DOWN": np.trunc,
    "HALF_UP": lambda x: np.sign(x) * np.floor(np.abs(x) + F32(0.5)),
    "HALF_DOWN": lambda x: np.sign(x) * np.ceil(np.abs(x) - F32(0.5)),
}


def get_range(bits, signed, narrow):
    if signed:
        return -(2 ** (bits - 1)) + narrow, 2 ** (bits - 1) - 1
    return 0, 2**bits - 1 - narrow


def quantize(op, x, *parameters, domain=QONNX[0], imported=True, **attributes):
    """Returns the model's output, or its error."""
    names = ["x", *(f"p{i}" for i in range(len(parameters)))]
    node = helper.make_node(op, names, ["y"], domain=domain, **attributes)
    constants = [(n, np.asarray(p, F32)) for n, p in zip(names[1:], parameters, strict=True)]
    imports = [(domain, 1)] if imported else []
    return make_model(node, [("x", x, x.shape)], [("y", T.FLOAT)], constants, imports)


specials = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -3e38, 0.5, 1.5, -2.5], F32)
values = np.concatenate([specials, rng.standard_normal(230) * 9, np.arange(-30, 30) / 4])
values = values.astype(F32).reshape(3, 100)
for bits, signed, narrow, (mode, rounding), point in itertools.product(
    (1, 2, 4, 8), (0, 1), (0, 1), ROUNDINGS.items(), (0, 3)
):
    scale = F32(0.25) if bits != 4 else np.array([[0.1], [0.7], [2]], F32)
    y = values / scale + F32(point)
    least, most = get_range(bits, signed, narrow)
    encodings = rounding(np.clip(y, least, most))
    if bits == 1 and signed:
        encodings = np.where(y >= 0, F32(1), F32(-1))
    expected = (encodings - F32(point)) * scale
    op, domain = ("Quant", QONNX[narrow]) if point else ("IntQuant", QONNX[0])
    model = quantize(
        op, values, scale, point, bits, domain=domain, signed=signed, narrow=narrow,
        rounding_mode=mode,
    )  # fmt: skip
    compare(f"{op} {bits} {signed} {narrow} {mode} {point}", run(model, [values]), [expected])
# Without an opset import of the domain, as QONNX's tools write it.
model = quantize("Quant", values, 0.5, 0, 4, imported=False, signed=1, narrow=0)
compare("no import", run(model, [values]), [np.round(np.clip(values / F32(0.5), -8, 7)) * F32(0.5)])
compare(
    "BipolarQuant",
    run(quantize("BipolarQuant", values, 0.3), [values]),
    [np.where(values >= 0, F32(0.3), F32(-0.3))],
)
refuse("mode", quantize("Quant", values, 1, 0, 4, rounding_mode="odd"), "but got 'ODD'", [values])

sums = (rng.integers(-500, 500, (2, 50)) * F32(0.125)).astype(F32)
for (mode, rounding), dropped in itertools.product(ROUNDINGS.items(), (0, 3)):
    expected = rounding(np.round(sums / F32(0.125) + 2) / F32(2**dropped))
    old = quantize("Trunc", sums, 0.125, 2, 10, 10 - dropped, rounding_mode=mode)
    compare(f"Trunc {mode} {dropped}", run(old, [sums]), [(expected - F32(2)) * F32(0.125)])
    shifted = np.round(sums / F32(0.125) + 2) / F32(2**dropped)
    expected = rounding(np.clip(shifted, -32, 31)) - F32(2 / 2**dropped)
    scale = F32(0.125 * 2**dropped)
    new = quantize("Trunc", sums, 0.125, 2, 10, scale, 6, rounding_mode=mode, signed=1, narrow=0)
    compare(f"Trunc-2 {mode} {dropped}", run(new, [sums]), [expected * scale])


def round_to_float(x, exponent, fraction, bias, most, rounding):
    """Values with the exponents of double: the neighbors of a number are multiples of a power of
    two."""
    wide = x.astype(F64)
    _, power = np.frexp(np.where(wide == 0, 1, wide))
    step = np.ldexp(1.0, np.maximum(power - 1 - fraction, 1 - bias - fraction))
    with np.errstate(invalid="ignore"):
        near = np.where(np.isfinite(wide), rounding(wide / step) * step, wide)
    largest = (2 - 2.0**-fraction) * 2.0 ** (2**exponent - 1 - bias)
    return near, min(largest, most)


dense = np.concatenate([specials, np.ldexp(rng.uniform(-2, 2, 2000), rng.integers(-20, 12, 2000))])
dense = dense.astype(F32)
for (exponent, fraction, bias, most), (mode, rounding) in itertools.product(
    (
        (4, 3, 7, 448),
        (5, 2, 15, 57344),
        (2, 1, 1, 6),
        (3, 2, 3, 28),
        (2, 3, 1, 99),
        (8, 7, 127, 3e38),
    ),
    (("ROUND", np.round), ("CEIL", np.ceil), ("FLOOR", np.floor)),
):
    for scale, saturation, infinity in ((1, 1, 0), (0.5, 0, 1), (1, 0, 0)):
        near, limit = round_to_float(dense / F32(scale), exponent, fraction, bias, most, rounding)
        expected = np.clip(near, -limit, limit)
        if not saturation:
            beyond = np.inf if infinity else np.nan
            expected = np.where(np.abs(near) > limit, np.copysign(beyond, near), expected)
        model = quantize(
            "FloatQuant", dense, scale, exponent, fraction, bias, most, has_inf=infinity, has_nan=1,
            has_subnormal=1, saturation=saturation, rounding_mode=mode,
        )  # fmt: skip
        case = f"FloatQuant {exponent} {fraction} {mode} {scale} {saturation} {infinity}"
        compare(case, run(model, [dense]), [(expected * scale).astype(F32)])
neither = quantize(
    "FloatQuant", dense, 1, 4, 3, 7, 448, saturation=0, has_inf=0, has_nan=0, has_subnormal=1
)
refuse("neither", neither, "neither an infinity nor a NaN", [dense])

# --- ai.onnx.ml -----------------------------------------------------------------------------------


def check(op, x, outputs, oracle="onnxruntime", version=3, tolerance=1e-5, **attributes):
    node = helper.make_node(op, ["X"], [name for name, _ in outputs], domain=ML, **attributes)
    for sizes in (x.shape, ["n", *x.shape[1:]]):
        model = make_model(node, [("X", x, sizes)], outputs, imports=[(ML, version)])
        if oracle == "reference":
            expected = ReferenceEvaluator(model).run(None, {"X": x})
        else:
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4
            session = onnxruntime.InferenceSession(model.SerializeToString(), options)
            expected = session.run(None, {"X": x})
        expected = [None if e.dtype.kind in "OU" else e for e in map(np.asarray, expected)]
        words = [f"{k}={v}" for k, v in attributes.items() if isinstance(v, (str, int))]
        compare(f"{op} {x.dtype} {words}", run(model, [x]), expected, tolerance)


TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
rows = rng.uniform(-1, 1, (7, 5)).astype(F32)
result, labelled = [("Y", T.FLOAT)], [("Y", T.INT64), ("Z", T.FLOAT)]
factors = rng.uniform(-0.2, 0.2, 15)
check("LinearRegressor", rows, result, coefficients=factors[:5], intercepts=[0.5], targets=1)
for transform in TRANSFORMS:
    terms = [0.5, 0.4, 0.6]
    numbers = dict(coefficients=factors, intercepts=terms, post_transform=transform)
    # The inverse error function is an approximation, with the domain 0 to 1.
    if transform != "PROBIT":
        check("LinearRegressor", rows, result, targets=3, **numbers)
    check("LinearClassifier", rows, labelled, version=1, classlabels_ints=[7, 8, 9], **numbers)
check(
    "LinearClassifier", rows, labelled, version=1, classlabels_ints=[1, 0], oracle="reference",
    coefficients=factors[:5], intercepts=[0.1], post_transform="LOGISTIC",
)  # fmt: skip
check("LinearClassifier", rows, [("Y", T.STRING), ("Z", T.FLOAT)], version=1,
      classlabels_strings=["a", "b", "c"], coefficients=factors, intercepts=[0.0, 0.1, 0.2])  # fmt: skip
positive = np.abs(rows)
positive[2] = 0
for norm in ("MAX", "L1", "L2"):
    check("Normalizer", positive, result, norm=norm)
check("Normalizer", rows.astype(F64), result, norm="L1")
check("Scaler", rows, result, offset=[0.5], scale=[2.0])
check("Scaler", rows.astype(np.int64), result, offset=factors[:5], scale=factors[5:10])
check("Binarizer", rows, result, threshold=0.25)

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def grow(trees, targets, modes, missing):
    """Trees of random shapes, as attributes. The weights are a function of the leaf."""
    fields = {
        name: [] for name in ("tree", "node", "feature", "mode", "value", "yes", "no", "miss")
    }
    leaves = []

    def add(tree, depth):
        node = fields["tree"].count(tree)
        place = len(fields["node"])
        is_leaf = depth == 0 or rng.random() < 0.2
        for name, value in (
            ("tree", tree), ("node", node), ("feature", 0 if is_leaf else int(rng.integers(5))),
            ("mode", "LEAF" if is_leaf else str(rng.choice(modes))),
            ("value", 0.0 if is_leaf else float(F32(rng.integers(-4, 5) / 4))), ("yes", 0), ("no", 0),
            ("miss", 0 if is_leaf or not missing else int(rng.integers(2))),
        ):  # fmt: skip
            fields[name].append(value)
        if is_leaf:
            leaves.append((tree, node))
        else:
            fields["yes"][place] = add(tree, depth - 1)
            fields["no"][place] = add(tree, depth - 1)
        return node

    for tree in range(trees):
        add(tree, 5)
    rest = [(tree, node, target) for tree, node in leaves for target in range(targets)]
    weights = [float(F32(rng.uniform(-1, 1))) for _ in rest]
    return fields, [list(column) for column in zip(*rest, strict=True)], weights


def describe(fields, rest, weights, what):
    names = dict(
        tree="treeids", node="nodeids", feature="featureids", mode="modes", value="values",
        yes="truenodeids", no="falsenodeids", miss="missing_value_tracks_true",
    )  # fmt: skip
    attributes = {f"nodes_{names[name]}": column for name, column in fields.items()}
    for name, column in zip(("treeids", "nodeids", "ids"), rest, strict=True):
        attributes[f"{what}_{name}"] = column
    return attributes | {f"{what}_weights": weights}


steps = (rng.integers(-5, 6, (40, 5)) / 4).astype(F32)
for modes, missing in ((MODES[:1], 0), (MODES[1:2], 1), (MODES, 0)):
    x = steps.copy()
    if missing:
        x[rng.random(x.shape) < 0.2] = np.nan
    # The reference evaluator has no post-transforms. ONNX Runtime has all modes.
    for targets, aggregate in itertools.product((1, 3), ("SUM", "AVERAGE", "MIN", "MAX")):
        forest = describe(*grow(6, targets, modes, missing), "target")
        forest |= dict(n_targets=targets, aggregate_function=aggregate)
        check("TreeEnsembleRegressor", x, result, **forest)
        forest["base_values"] = [0.5] * targets
        check("TreeEnsembleRegressor", x, result, post_transform="NONE", **forest)
    for transform in TRANSFORMS[:3]:
        forest = describe(*grow(5, 3, modes, missing), "class")
        forest |= dict(classlabels_int64s=[4, 5, 6], post_transform=transform)
        check("TreeEnsembleClassifier", x, labelled, **forest)
        check("TreeEnsembleClassifier", x.astype(F64), labelled, oracle="reference", **forest)


def break_forest(why, **changes):
    forest = describe(*grow(1, 1, MODES[:1], 0), "target") | dict(n_targets=1) | changes
    node = helper.make_node("TreeEnsembleRegressor", ["X"], ["Y"], domain=ML, **forest)
    model = make_model(node, [("X", steps, steps.shape)], result, imports=[(ML, 3)])
    refuse(why, model, why, [steps])


small = dict(
    nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0],
    nodes_modes=["BRANCH_LT", "LEAF", "LEAF"], nodes_values=[0.5, 0.0, 0.0],
    nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], target_treeids=[0], target_nodeids=[1],
    target_ids=[0], target_weights=[1.0], nodes_missing_value_tracks_true=[0, 0, 0],
)  # fmt: skip
for why, changes in (
    ("a tree has a cycle", dict(nodes_truenodeids=[0, 0, 0])),
    ("tree 0 has no node 9", dict(nodes_falsenodeids=[9, 0, 0])),
    ("node 1 of tree 0 is defined twice", dict(nodes_nodeids=[0, 1, 1])),
    ("a node has feature 5 of 5", dict(nodes_featureids=[5, 0, 0])),
    ("a leaf has target 3 of 1", dict(target_ids=[3])),
    ("'nodes_values': expected 3 values, but got 2", dict(nodes_values=[0.5, 0.0])),
    ("'nodes_modes': unknown value 'MAYBE'", dict(nodes_modes=["MAYBE", "LEAF", "LEAF"])),
    ("but got 0 and 3 nodes", dict(n_targets=0)),
):
    break_forest(why, **(small | changes))
print(f"{next(count)} models, {len(failures)} failures")
sys.exit("\n".join(failures) if failures else 0)
