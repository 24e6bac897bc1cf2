"""Imports and exports a model: the result is the same up to the normal form, as valid as the
original, and has the same outputs."""

import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from round_trips.normal import describe_difference, normalize
from round_trips.trips import Trips


def is_valid(model):
    """Whether ONNX's checker accepts it, with shape inference."""
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception:  # noqa: BLE001
        return False
    return True


def run_model(path, inputs):
    """ONNX Runtime's outputs for the inputs, unoptimized, or None if it fails."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
        return session.run(
            None, dict(zip((i.name for i in session.get_inputs()), inputs, strict=False))
        )
    except Exception:  # noqa: BLE001
        return None


def draws_numbers(nodes):
    """Whether a node of the graphs or subgraphs is random without a seed. Running the model twice
    would not show this, as a few booleans may be equal by chance."""
    for node in nodes:
        attributes = {attribute.name: attribute for attribute in node.attribute}
        if node.op_type.startswith(RANDOM) and "seed" not in attributes:
            return True
        graphs = [g for a in node.attribute for g in (a.g, *a.graphs)]
        if any(draws_numbers(graph.node) for graph in graphs):
            return True
    return False


def same(a, b):
    """Bitwise equality, NaN and strings included."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return alike and (np.array_equal(a, b) if a.dtype == object else a.tobytes() == b.tobytes())
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a is b or a == b)


#: Prefixes of the names of random ops.
RANDOM = ("Bernoulli", "Dropout", "Multinomial", "Random")


class RoundTrips(Trips):
    def check(self, name, path, inputs=None):
        """`inputs` are passed to ONNX Runtime. Without them, it is not run."""
        self.counts["models"] += 1
        out, again = self.folder / "out.onnx", self.folder / "again.onnx"
        done = self.call("--export-onnx", path, "-o", out)
        if done.returncode:
            # A model that is not imported cannot be exported.
            if (
                done.returncode == 1
                and self.call("--import-onnx", path, "-o", "/dev/null").returncode == 1
            ):
                self.counts["not importable"] += 1
            else:
                self.wrong.append(f"{name}: not exported: {done.stderr.strip()[:300]}")
            return
        self.counts["exported"] += 1
        before, after = (
            onnx.load(path, load_external_data=False),
            onnx.load(out, load_external_data=False),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = normalize(before, path.parent)
        if found := describe_difference(expected, after):
            self.wrong.append(f"{name}: {found}")
        else:
            self.counts["same"] += 1
        if (
            self.call("--export-onnx", out, "-o", again).returncode
            or out.read_bytes() != again.read_bytes()
        ):
            self.wrong.append(f"{name}: different bytes after the second round trip")
        else:
            self.counts["stable"] += 1
        # Through MLIR's textual form.
        text = self.folder / "out.mlir"
        ways = (
            ("--import-onnx", "--keep-source", path, "-o", text),
            ("--export-onnx", text, "-o", again),
        )
        if (
            any(self.call(*way).returncode for way in ways)
            or out.read_bytes() != again.read_bytes()
        ):
            self.wrong.append(f"{name}: different bytes through MLIR")
        else:
            self.counts["the same through MLIR"] += 1
        if is_valid(str(path)):
            self.counts["valid before"] += 1
            if is_valid(str(out)):
                self.counts["valid after"] += 1
            else:
                self.wrong.append(f"{name}: ONNX's checker rejects the exported model")
        if inputs is not None:
            functions = (node for function in before.functions for node in function.node)
            is_random = draws_numbers([*before.graph.node, *functions])
            self.run(name, path, out, inputs(before), is_random)

    def run(self, name, path, out, inputs, is_random):
        one = run_model(path, inputs) if inputs is not None else None
        if one is None:
            return
        self.counts["run before"] += 1
        other = run_model(out, inputs)
        if other is not None and same(one, other):
            self.counts["same outputs"] += 1
        elif other is not None and is_random:
            self.counts["random outputs"] += 1
        else:
            self.wrong.append(f"{name}: ONNX Runtime computes different outputs")


def make_inputs(model):
    """Random tensors for the inputs of a model without initializers, or None for other types."""
    constants = {tensor.name for tensor in model.graph.initializer}
    rng = np.random.default_rng(0)
    tensors = []
    for value in model.graph.input:
        if value.name in constants:
            continue
        kind = value.type.tensor_type
        if not value.type.HasField("tensor_type") or kind.elem_type == onnx.TensorProto.UNDEFINED:
            return None
        shape = [dim.dim_value or 1 for dim in kind.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if kind.elem_type == onnx.TensorProto.STRING:
            tensors.append(np.full(shape, "text", object))
        elif np.dtype(dtype).kind in "iub":
            tensors.append(rng.integers(0, 2, shape).astype(dtype))
        else:
            tensors.append(rng.standard_normal(shape).astype(dtype))
    return tensors


def read_inputs(data_set):
    """A node test's data for ONNX Runtime, or None for values other than tensors."""
    tensors = []
    for value in data_set[0]:
        if isinstance(value, onnx.TensorProto):
            value = numpy_helper.to_array(value)
        if not isinstance(value, np.ndarray | np.generic):
            return None
        tensors.append(np.asarray(value))
    return tensors
