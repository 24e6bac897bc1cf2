"""Passes that preserve a model's meaning: many small models in one, before and after."""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

DTYPES = {
    "i2": ml_dtypes.int2,
    "ui2": ml_dtypes.uint2,
    "i4": ml_dtypes.int4,
    "ui4": ml_dtypes.uint4,
    "i8": np.int8,
    "ui8": np.uint8,
    "i16": np.int16,
    "ui16": np.uint16,
    "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
NUMBERS = {name: helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for name, dtype in DTYPES.items()}
WIDTHS = {name: int(re.match(r"[a-z]+(\d+)", name)[1]) for name in DTYPES}
# New nodes are named after the nodes that they replace.
LOCATIONS = "--mlir-print-debuginfo"
ENCODING = r"0x([0-9a-f]+) \([^)]*\)"


def all_encodings(name, rows=1):
    """Every encoding of a type, once for each row."""
    width = WIDTHS[name]
    unsigned = np.dtype(f"u{max(width, 8) // 8}")
    encodings = np.arange(1 << width, dtype=unsigned)
    if name in ("i2", "i4"):
        # Signed encodings are sign-extended.
        encodings = np.where(
            encodings >> (width - 1), encodings | (0xFF << width) & 0xFF, encodings
        ).astype("u1")
    return np.tile(encodings, (rows, 1)).view(DTYPES[name])


def to_encodings(values, name):
    """The bits of elements."""
    width = WIDTHS[name]
    unsigned = np.dtype(f"u{max(width, 8) // 8}")
    encodings = np.ascontiguousarray(values).view(unsigned) & unsigned.type((1 << width) - 1)
    if name[0] in "fb" and "FNUZ" not in name:
        # The sign of a NaN is unspecified, and so is the payload of one that arithmetic creates
        # (D8).
        is_nan = np.isnan(encodings.view(DTYPES[name]).astype("f4"))
        sign = unsigned.type(1 << (width - 1))
        quiet = np.array(np.nan, DTYPES[name]).view(unsigned) & ~sign
        encodings[is_nan] = quiet if width > 8 else encodings[is_nan] & ~sign
    return encodings


@dataclass
class Case:
    """Nodes that compute `y` from `x` or constants. The names are local to the case."""

    name: str
    source: str
    target: str
    nodes: list
    constants: dict = field(default_factory=dict)
    # The encodings of the input, if there is one.
    inputs: np.ndarray = None


def rename(case, name):
    """The nodes with names of values of the case."""
    nodes = []
    for index, original in enumerate(case.nodes):
        node = onnx.NodeProto()
        node.CopyFrom(original)
        node.name = f"{name}_{index}_{node.op_type}"
        for values in (node.input, node.output):
            for i, value in enumerate(values):
                values[i] = value and f"{name}_{value}"
        nodes.append(node)
    return nodes


class Rewrites:
    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder
        self.failures = []
        self.counts = Counter()

    def fail(self, what):
        self.failures.append(what)

    def call(self, tool, *arguments):
        done = subprocess.run(
            [f"{self.tools}/{tool}", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{tool} {arguments[0]}: {done.returncode}: {done.stderr[-2000:]}")
        return done.stderr

    def make_model(self, cases, opset, extra=()):
        graph = onnx.GraphProto(name="cases")
        for case in cases:
            graph.node.extend(rename(case, case.name))
            for value, constant in case.constants.items():
                graph.initializer.append(
                    numpy_helper.from_array(np.asarray(constant), f"{case.name}_{value}")
                )
            if case.inputs is None:
                graph.output.append(
                    helper.make_tensor_value_info(f"{case.name}_y", NUMBERS[case.target], None)
                )
                continue
            graph.input.append(
                helper.make_tensor_value_info(
                    f"{case.name}_x", NUMBERS[case.source], case.inputs.shape
                )
            )
            graph.output.append(
                helper.make_tensor_value_info(f"{case.name}_y", NUMBERS[case.target], None)
            )
        imports = [helper.make_opsetid("", opset), *extra]
        model = helper.make_model(graph, opset_imports=imports)
        model.ir_version = helper.find_min_ir_version_for(imports, ignore_unknown=True)
        return onnx.shape_inference.infer_shapes(model, data_prop=True)

    def rewrite(self, model, *passes):
        """The model after these passes, through MLIR, and the remarks of each case."""
        before, text, after = (self.folder / name for name in ("in.onnx", "m.mlir", "out.onnx"))
        onnx.save(model, before)
        self.call(
            "quant-float-translate", "--import-onnx", "--keep-source", LOCATIONS, before, "-o", text
        )
        done = self.call("quant-float-opt", text, LOCATIONS, *passes, "-o", self.folder / "r.mlir")
        self.call("quant-float-translate", "--export-onnx", self.folder / "r.mlir", "-o", after)
        result = onnx.load(after)
        onnx.checker.check_model(result, full_check=True)
        remarks = {}
        for name, text in re.findall(r"remark: node '([a-zA-Z0-9]+)_\w+': ([^\n]*)", done):
            remarks.setdefault(name, []).append(text)
        return result, remarks

    def run_ours(self, path, cases, target):
        """The encodings of each output."""
        files = []
        for i, case in enumerate(case for case in cases if case.inputs is not None):
            files.append(self.folder / f"in{i}.npy")
            values = case.inputs
            if values.dtype.num >= 24:  # Types of ml_dtypes.
                sign = "i" if case.source in ("i2", "i4") else "u"
                values = values.view(f"{sign}{values.dtype.itemsize}")
            np.save(files[-1], values)
        out = self.folder / f"out_{target}"
        out.mkdir(exist_ok=True)
        inputs = ["--inputs", *files] if files else []
        self.call("quant-float-run", path, "--target", target, *inputs, "--outputs", out)
        return [
            to_encodings(np.load(out / f"output_{i}.npy"), case.target)
            for i, case in enumerate(cases)
        ]

    def run_onnxruntime(self, model, cases):
        """ONNX Runtime's outputs, unoptimized, or None without a kernel."""
        try:
            return self.run_session(model, cases)
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            if len(cases) == 1:
                return [None]
            half = len(cases) // 2
            return [
                one
                for part in (cases[:half], cases[half:])
                for one in self.run_onnxruntime(model, part)
            ]

    def run_session(self, model, cases):
        """Types that its Python API cannot hold are constants as inputs, and f32 as outputs."""
        prefixes = {case.name for case in cases}

        def belongs(name):
            return name.split("_")[0] in prefixes

        graph = onnx.GraphProto(name="cases")
        graph.node.extend(node for node in model.graph.node if belongs(node.output[0]))
        graph.initializer.extend(
            tensor for tensor in model.graph.initializer if belongs(tensor.name)
        )
        for case in cases:
            if case.inputs is not None:
                graph.initializer.append(numpy_helper.from_array(case.inputs, f"{case.name}_x"))
            name, type = f"{case.name}_y", NUMBERS[case.target]
            if case.target not in ("i8", "ui8", "i16", "ui16", "f16", "f32", "i32", "f64"):
                cast = helper.make_node("Cast", [name], [f"{case.name}_z"], to=TensorProto.FLOAT)
                graph.node.append(cast)
                name, type = cast.output[0], TensorProto.FLOAT
            graph.output.append(helper.make_tensor_value_info(name, type, None))
        made = helper.make_model(graph, opset_imports=model.opset_import)
        made.ir_version = model.ir_version
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            made.SerializeToString(), options, ["CPUExecutionProvider"]
        )
        return session.run(None, {})

    def run_both(self, before, after, cases, targets):
        """The encodings of each output before and after, by our tools and by ONNX Runtime."""
        paths = self.folder / "in.onnx", self.folder / "out.onnx"
        ours = (self.run_ours(path, cases, t) for path, t in zip(paths, targets, strict=True))
        theirs = (self.run_onnxruntime(model, cases) for model in (before, after))
        return list(zip(*ours, strict=True)), list(zip(*theirs, strict=True))

    def compare_ours(self, name, one, other):
        if not np.array_equal(one, other):
            self.fail(f"{name}: {(one != other).sum()} encodings differ")

    def compare_theirs(self, name, one, other):
        if one is None or other is None:
            self.counts["without a kernel of ONNX Runtime"] += 1
        elif not np.array_equal(one, other, equal_nan=True):
            self.fail(f"{name}: ONNX Runtime's differ")

    def finish(self):
        """Prints the failures and exits."""
        for kind, count in sorted(self.counts.items()):
            print(f"{kind}: {count}")
        print("\n".join(self.failures[:20]))
        print(f"{len(self.failures)} differences")
        sys.exit(bool(self.failures))


def operators_of(model, output):
    """The op types of the nodes that compute a value."""
    makers = {name: node for node in model.graph.node for name in node.output}
    found, todo = Counter(), [output]
    seen = set()
    while todo:
        node = makers.get(todo.pop())
        if node is None or node.output[0] in seen:
            continue
        seen.add(node.output[0])
        found[node.op_type] += 1
        todo.extend(node.input)
    return found
