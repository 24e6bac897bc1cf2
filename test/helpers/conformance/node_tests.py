"""ONNX's own node tests: collects them and runs them through the tools."""

import importlib
import pkgutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnx.backend.test.case.node as node_cases
from onnx import numpy_helper

from conformance.formats import FORMATS

FORMAT_OF_NUMBER = {f.onnx: f for f in FORMATS.values()}
# Several outputs are right for these ops, so they are compared as ONNX's own runner does.
RELATIVE = {"bf16": 2**-6}


def collect(part=0, parts=1):
    """The cases of every `parts`-th of ONNX's modules, starting with number `part`."""
    prefix = f"{node_cases.__name__}."
    names = [module.name for module in pkgutil.walk_packages(node_cases.__path__, prefix)]
    with warnings.catch_warnings():
        # ONNX generates the test data here, including values that overflow.
        warnings.simplefilter("ignore")
        for name in names[part::parts]:
            importlib.import_module(name)
    return list(node_cases._NodeTestCases)


def as_tensor(value):
    """A test's value as TensorProto, or None for sequences and absent optionals."""
    if isinstance(value, onnx.TensorProto):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return numpy_helper.from_array(np.asarray(value))
    return None


def make_constant(model, positions, tensors):
    """The model with some of its inputs as initializers, as exporters write them, and the tensors
    of the other inputs."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    inputs = list(model.graph.input)
    kept = []
    del model.graph.input[:]
    for i, (value, tensor) in enumerate(zip(inputs, tensors, strict=True)):
        if i in positions:
            initializer = model.graph.initializer.add()
            initializer.CopyFrom(tensor)
            initializer.name = value.name
        else:
            model.graph.input.add().CopyFrom(value)
            kept.append(tensor)
    return model, kept


def compare(path, expected, exact, rtol, atol):
    """Returns the mismatch of an output file, or None."""
    if not path.exists():
        return "missing"
    form = FORMAT_OF_NUMBER[expected.data_type]
    wanted = numpy_helper.to_array(expected)
    got = np.load(path)
    if got.shape != tuple(expected.dims):
        return f"expected the shape {tuple(expected.dims)}, but got {got.shape}"
    slots = np.ascontiguousarray(got).view(form.slot).reshape(got.shape)
    if exact or form.kind != "float" or form.width < 16:
        encodings = form.slots(form.from_array(wanted))
        wrong = np.flatnonzero(slots.ravel() != encodings.ravel())
        if wrong.size:
            i = wrong[0]
            return f"element {i}: expected {encodings.ravel()[i]:#x}, but got {slots.ravel()[i]:#x}"
        return None
    got = form.array(form.encodings(slots)).astype(np.float64)
    rtol = max(rtol, RELATIVE.get(form.name, 0))
    try:
        np.testing.assert_allclose(got, wanted.astype(np.float64), rtol=rtol, atol=atol)
    except AssertionError as error:
        return " ".join(str(error).split())
    return None


class Runner:
    """Runs cases, each in its own folder."""

    def __init__(self, tools_dir, work):
        self.tools_dir, self.work = Path(tools_dir), Path(work)

    def call(self, tool, *arguments):
        command = [str(self.tools_dir / tool), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def run(self, case, *, targets=("cpu",), exact=False, check=False, constants=(), level=0):
        """Returns the failures of a case, one for each line. The list is empty if the case
        passes."""
        failures = []
        for index, (inputs, outputs) in enumerate(case.data_sets):
            folder = self.work / case.name / str(index)
            folder.mkdir(parents=True)
            tensors = [as_tensor(value) for value in inputs]
            model, tensors = make_constant(case.model, constants, tensors)
            path = folder / "model.onnx"
            path.write_bytes(model.SerializeToString())
            files = []
            for i, tensor in enumerate(tensors):
                if tensor is not None:
                    files.append(folder / f"input_{i}.pb")
                    files[-1].write_bytes(tensor.SerializeToString())
            if check:
                result = self.call("quant-float-check", path)
                if result.returncode != 0:
                    failures.append(f"quant-float-check: {result.stdout}{result.stderr}")
            for target in targets:
                out = folder / target
                # For small models, optimization dominates the time.
                options = ["--target", target, f"-O{level}", "--outputs", out]
                if files:
                    options += ["--inputs", *files]
                result = self.call("quant-float-run", path, *options)
                if result.returncode != 0:
                    failures.append(f"{target}: exit code {result.returncode}: {result.stderr}")
                    continue
                for i, value in enumerate(outputs):
                    wrong = compare(
                        out / f"output_{i}.npy", as_tensor(value), exact, case.rtol, case.atol
                    )
                    if wrong:
                        failures.append(f"{target}: output {i}: {wrong}")
        return [f"{case.name}: {failure}" for failure in failures]
