# ONNX's node tests, each converted from its opset to every opset with another version of one of its
# operators. The converted model passes ONNX's checker and computes the same bits on the test's
# data, in ONNX's reference evaluator or ONNX Runtime. Otherwise, the error gives the reason. If an
# operator is replaced by its function body, the reference rounds in another order. With a last
# argument n, only every n-th test is run.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../../helpers %python %s %tools_dir/quant-float-convert %t 10
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import checker, defs
from onnx.reference import ReferenceEvaluator

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from onnx.backend.test.loader import load_model_tests

    TESTS = sorted(load_model_tests(kind="node"), key=lambda test: test.name)
tool, work, step = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
OPSETS = range(10, 29)
MAX_NODES = 3
# Random outputs.
RANDOM = {"Bernoulli", "Dropout", "Multinomial"}
# Deviations of the reference evaluator for old versions: another order of additions, no half
# pixels, a Loop that adds an axis to scalars, and an old meaning of ceil_mode. ONNX Runtime agrees
# with the test's own data there.
BY_RUNTIME = {"BatchNormalization", "RoiAlign", "Range"}
onnxruntime.set_default_logger_severity(4)


def get_version(op_type, opset):
    try:
        return defs.get_schema(op_type, opset, "").since_version
    except defs.SchemaError:
        return None


def evaluate(model, feeds):
    """The outputs of the model and the implementation that computed them, or None if none supports
    it."""
    session_options = onnxruntime.SessionOptions()
    session_options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        with np.errstate(all="ignore"):
            yield "reference", ReferenceEvaluator(model).run(None, feeds)
    except Exception:
        pass
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), session_options, providers=["CPUExecutionProvider"]
        )
        feeds = {name: np.asarray(value) for name, value in feeds.items()}
        yield "runtime", session.run(None, feeds)
    except Exception:
        pass


def is_same(a, b, tolerance=0.0):
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(is_same, a, b, [tolerance] * len(a)))
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype == object:
        return a.tolist() == b.tolist()
    if a.tobytes() == b.tobytes() or not tolerance:
        return a.tobytes() == b.tobytes()
    if a.dtype.itemsize == 2:
        tolerance = 2e-3
    return np.allclose(a.astype(float), b.astype(float), tolerance, tolerance, equal_nan=True)


def check(test):
    model = test.model
    own = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), None)
    if own is None or len(model.graph.node) > MAX_NODES or not test.data_sets:
        return []
    op_types = {node.op_type for node in model.graph.node if node.domain in ("", "ai.onnx")}
    path = work / f"{test.name}.onnx"
    path.write_bytes(model.SerializeToString())
    inputs, expected = test.data_sets[0]
    feeds = dict(zip((i.name for i in model.graph.input), inputs, strict=True))
    before = None
    seen, found = set(), []
    for opset in OPSETS:
        versions = tuple(get_version(op_type, opset) for op_type in sorted(op_types))
        if opset == own or versions in seen:
            continue
        seen.add(versions)
        if versions == tuple(get_version(op_type, own) for op_type in sorted(op_types)):
            continue
        out = work / f"{test.name}_{opset}.onnx"
        where = f"{test.name} to opset {opset}"
        done = subprocess.run(
            [tool, path, "--opset", str(opset), "-o", out, "--report"],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            reason = done.stderr.splitlines()[0]
            # A few of ONNX's test models have nodes that no version allows.
            if (
                f"no exact equivalent in opset {opset}: " not in reason
                and "Unsqueeze" not in reason
            ):
                found.append((f"{where}: {reason}", "wrong"))
            found.append((where, "refused"))
            continue
        after = onnx.load(out)
        out.unlink()
        try:
            checker.check_model(after, full_check=True)
        except Exception as error:
            found.append((f"{where}: {error}", "wrong"))
            continue
        if op_types & RANDOM or any("Random" in op_type for op_type in op_types):
            found.append((where, "random"))
            continue
        if before is None:
            before = dict(evaluate(model, feeds))
        results = dict(evaluate(after, feeds))
        if op_types & BY_RUNTIME:
            compared = [(results.get("runtime"), expected, 1e-3)]
        else:
            tolerance = 1e-5 if "expanded to its function body" in done.stdout else 0.0
            compared = [(results.get(who), value, tolerance) for who, value in before.items()]
        compared = [one for one in compared if one[0] is not None]
        if not compared:
            found.append((where, "not run"))
        elif not any(is_same(*one) for one in compared):
            found.append((f"{where}: other results", "wrong"))
        else:
            found.append((where, "same"))
    return found


if __name__ == "__main__":
    selected = [test for test in TESTS if test.model is not None][::step]
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        found = [one for part in pool.map(check, selected, chunksize=4) for one in part]
    counts = collections.Counter(kind for _, kind in found)
    print(dict(counts))
    wrong = [text for text, kind in found if kind == "wrong"]
    assert counts["same"] > 1800 // step, counts
    sys.exit("\n".join(wrong) if wrong else 0)
