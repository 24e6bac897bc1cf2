"""ONNX's own node tests: which there are, and running one through the tools."""

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
# Of these the expected output is one of several that are right: compare as ONNX's own runner does.
RELATIVE = {"bf16": 2**-6}


def collect(part=0, parts=1):
    """The cases that every `parts`-th of ONNX's modules defines, from the one numbered `part` on."""
    prefix = f"{node_cases.__name__}."
    names = [module.name for module in pkgutil.walk_packages(node_cases.__path__, prefix)]
    with warnings.catch_warnings():
        # The test data is made on the way, overflows and all.
        warnings.simplefilter("ignore")
        for name in names[part::parts]:
            importlib.import_module(name)
    return list(node_cases._NodeTestCases)


def as_tensor(value):
    """A test's value as TensorProto; None of sequences and absent optionals."""
    if isinstance(value, onnx.TensorProto):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return numpy_helper.from_array(np.asarray(value))
    return None


def make_constant(model, positions, tensors):
    """The model with some of its inputs as initializers, as exporters write them, and the others' tensors."""
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
    """What is wrong with an output file, or None."""
    if not path.exists():
        return "missing"
    form = FORMAT_OF_NUMBER[expected.data_type]
    wanted = numpy_helper.to_array(expected)
    got = np.load(path)
    if got.shape != tuple(expected.dims):
        return f"expected the shape {tuple(expected.dims)}, but got {got.shape}"
    slots = np.ascontiguousarray(got).view(form.slot).reshape(got.shape)
    if exact or form.kind != "float" or form.width < 16:
        codes = form.slots(form.from_array(wanted))
        wrong = np.flatnonzero(slots.ravel() != codes.ravel())
        if wrong.size:
            i = wrong[0]
            return f"element {i}: expected {codes.ravel()[i]:#x}, but got {slots.ravel()[i]:#x}"
        return None
    got = form.array(form.codes(slots)).astype(np.float64)
    rtol = max(rtol, RELATIVE.get(form.name, 0))
    try:
        np.testing.assert_allclose(got, wanted.astype(np.float64), rtol=rtol, atol=atol)
    except AssertionError as error:
        return " ".join(str(error).split())
    return None


class Runner:
    """Runs cases, each in a folder of its own."""

    def __init__(self, tools_dir, work):
        self.tools_dir, self.work = Path(tools_dir), Path(work)

    def call(self, tool, *arguments):
        command = [str(self.tools_dir / tool), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def run(self, case, *, targets=("cpu",), exact=False, check=False, constants=(), level=0):
        """What went wrong, one line each: nothing if the case passes."""
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
                # Optimizing small models takes longer than all else.
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
