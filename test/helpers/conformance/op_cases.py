"""Single nodes, listed with their inputs, through quant-float-run: with static and dynamic sizes,
against ONNX Runtime, the reference evaluator, or a formula."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import onnxruntime
import sharding
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from conformance.node_tests import Runner

F32, F16, F64 = np.float32, np.float16, np.float64
TOLERANCE = {"float16": (2e-3, 2e-3), "float32": (1e-4, 1e-5), "float64": (1e-6, 1e-7)}
rng = np.random.default_rng(7)


def floats(*shape, dtype=F32):
    return rng.standard_normal(shape).astype(dtype)


def integers(*shape, dtype=np.int8):
    info = np.iinfo(dtype)
    return rng.integers(max(info.min, -1000), min(info.max, 1000) + 1, shape).astype(dtype)


class Constant:
    """An input that is an initializer."""

    def __init__(self, *values, dtype=np.int64):
        self.value = np.array(values, dtype)


CASES = []


def add(
    op, opset, *inputs, outputs=1, types=(), oracle=None, refused=None, magnitude=1, **attributes
):
    """`outputs` is their number, or the indices of those that exist. `types` are their types if
    ONNX cannot infer them and they differ from that of the first input. `refused` is the error with
    dynamic sizes, which are assumed not to be broadcast. With the oracle "none", every run reports
    it. A pair has the errors with static and with dynamic sizes. `magnitude` is the magnitude of
    the terms whose sums are the elements of the first output, if it exceeds 1: the tolerance is
    relative to it."""
    # On x86-64 CPUs without VNNI, ONNX Runtime's sums of 8-bit products saturate in 16 bits.
    oracle = oracle or ("reference" if op in ("MatMulInteger", "ConvInteger") else "onnxruntime")
    CASES.append(
        (len(CASES), op, opset, inputs, outputs, types, oracle, refused, magnitude, attributes)
    )


def make_model(op, opset, inputs, outputs, attributes, dynamic_sizes, types=()):
    if op == "DynamicQuantizeLinear":
        outputs = 3
    names, values, initializers = [], [], []
    for i, value in enumerate(inputs):
        names.append("" if value is None else f"x{i}")
        if isinstance(value, Constant):
            initializers.append(numpy_helper.from_array(value.value, names[-1]))
        elif value is not None:
            sizes = [f"d{i}_{j}" for j in range(value.ndim)] if dynamic_sizes else value.shape
            element = helper.np_dtype_to_tensor_dtype(value.dtype)
            values.append(helper.make_tensor_value_info(names[-1], element, sizes))
    places = range(outputs) if isinstance(outputs, int) else outputs
    results = [f"y{i}" if i in places else "" for i in range(places[-1] + 1)]
    node = helper.make_node(op, names, results, **attributes)
    infos = [helper.make_empty_tensor_value_info(name) for name in results if name]
    graph = helper.make_graph([node], "g", values, infos, initializers)
    imports = [helper.make_opsetid("", opset)]
    if "domain" in attributes:
        imports.append(helper.make_opsetid(attributes["domain"], 1))
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    model = onnx.shape_inference.infer_shapes(model)
    known = {value.name: value for value in model.graph.output}
    for i, info in enumerate(infos):
        # Versions without shape inference: the first result has the type of the first input.
        if not known[info.name].type.tensor_type.elem_type:
            known[info.name].type.tensor_type.elem_type = (
                types[i] if types else values[0].type.tensor_type.elem_type
            )
    if dynamic_sizes:
        # Our tools must infer the ranks.
        for value in model.graph.output:
            value.type.tensor_type.ClearField("shape")
    return model


def get_expected(oracle, op, inputs, attributes, model, formula):
    given = [value for value in inputs if isinstance(value, np.ndarray)]
    if oracle == "formula":
        return formula(op, given, attributes)
    feed = {value.name: array for value, array in zip(model.graph.input, given, strict=True)}
    if oracle == "reference":
        return ReferenceEvaluator(model).run(None, feed)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, feed)


def check_case(runner, case, formula):
    index, op, opset, inputs, outputs, types, oracle, refused, magnitude, attributes = case
    words = [f"{k}={v}" for k, v in attributes.items()]
    shapes = [f"{v.dtype}{list(v.shape)}" for v in inputs if isinstance(v, np.ndarray)]
    failures = []
    for dynamic_sizes in (False, True):
        name = f"{op}-{opset} {' '.join(shapes + words)}{' open' if dynamic_sizes else ''}"
        model = make_model(op, opset, inputs, outputs, attributes, dynamic_sizes, types)
        if not dynamic_sizes and oracle != "none":
            try:
                expected = get_expected(oracle, op, inputs, attributes, model, formula)
            except Exception as error:
                return [f"{name}: {oracle}: {error}"]
        folder = runner.work / f"{index}_{int(dynamic_sizes)}"
        folder.mkdir()
        path = folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        files = []
        for i, value in enumerate(v for v in inputs if isinstance(v, np.ndarray)):
            files.append(folder / f"x{i}.npy")
            np.save(files[-1], value)
        result = runner.call(
            "quant-float-run", path, "-O0", "--outputs", folder, "--inputs", *files
        )
        if refused and (dynamic_sizes or oracle == "none"):
            why = refused if isinstance(refused, str) else refused[dynamic_sizes]
            if result.returncode != 1 or why not in result.stderr:
                failures.append(f"{name}: expected '{why}', but got {result.stderr}")
            continue
        if result.returncode != 0:
            failures.append(f"{name}: exit code {result.returncode}: {result.stderr}")
            continue
        for i, wanted in enumerate(expected):
            got = np.load(folder / f"output_{i}.npy")
            rtol, atol = TOLERANCE.get(str(wanted.dtype), (0, 0))
            atol = atol * np.broadcast_to(np.maximum(magnitude if i == 0 else 1, 1), wanted.shape)
            if got.shape != wanted.shape or got.dtype != wanted.dtype:
                failures.append(
                    f"{name}: output {i}: expected {wanted.dtype}{wanted.shape}, but got {got.dtype}{got.shape}"
                )
            elif not np.allclose(got, wanted, rtol, atol, equal_nan=True):
                place = np.unravel_index(
                    np.argmax(~np.isclose(got, wanted, rtol, atol, True)), got.shape
                )
                failures.append(
                    f"{name}: output {i}{list(map(int, place))}: expected {wanted[place]}, but got {got[place]}"
                )
    return failures


def run(tools_dir, work, only="", formula=None):
    """Exits with the failures. `only` filters by a part of the names of ops."""
    runner = Runner(tools_dir, work)
    chosen = sharding.take(case for case in CASES if only in case[1])
    with ThreadPoolExecutor(max_workers=2) as pool:
        failures = [
            failure
            for found in pool.map(lambda case: check_case(runner, case, formula), chosen)
            for failure in found
        ]
    print(f"{len(chosen)} cases, {len(failures)} failures")
    sys.exit("\n".join(failures) if failures else 0)
