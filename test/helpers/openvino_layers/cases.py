"""Cases of single layers: a function that builds each, its inputs, and the reference
implementation. Many cases share a model."""

import numpy as np
import openvino
from conformance.formats import FORMATS
from openvino import opset13

from openvino_layers import driver

# The reference implementation, and the tolerance. An output may differ from the expected one by
# `bound(expected)`.
PLUGIN = ("plugin", None)
REFERENCE = ("reference", None)
# Many layers share a model, so that quant-float-run starts once for all.
PER_MODEL = 24


def within(bound):
    return ("plugin", bound)


class Input:
    """A parameter of the model, whose sizes may be dynamic."""

    def __init__(self, array, sizes=None):
        self.array, self.sizes = np.asarray(array), sizes

    def make_parameter(self, fixed=False):
        sizes = self.array.shape if fixed or self.sizes is None else self.sizes
        shape = openvino.PartialShape(list(sizes))
        return opset13.parameter(shape, driver.get_type(encodings_of(self.array)[0]))


class Case:
    def __init__(self, label, build, inputs, right=PLUGIN):
        self.label, self.build, self.right = label, build, right
        self.inputs = [i if isinstance(i, Input) else Input(i) for i in inputs]

    def build_outputs(self, parameters):
        """A layer has one output, or several, some of which a case may select."""
        made = self.build(*parameters)
        if isinstance(made, openvino.Node):
            return made.outputs()
        return made if isinstance(made, list) else [made]


def encodings_of(array):
    name = {np.dtype(bool): "i1"}.get(array.dtype)
    name = name or next(n for n, f in FORMATS.items() if f.dtype == array.dtype)
    return name, array.view(FORMATS[name].slot)


def check(label, right, output, expected):
    """Returns the mismatch of an output, or None."""
    name, wanted = expected
    if output.shape != wanted.shape:
        return f"{label}: expected the shape {wanted.shape}, but got {output.shape}"
    got = driver.slots_of(name, output)
    who, bound = right
    same = driver.equal(name, got, wanted)
    if bound is not None and FORMATS[name].kind == "float":
        a, b = (
            FORMATS[name].array(c).astype(np.float64).reshape(wanted.shape) for c in (got, wanted)
        )
        with np.errstate(invalid="ignore"):
            same |= np.abs(a - b) <= bound(b)
    if np.all(same):
        return None
    i = np.flatnonzero(~same.reshape(-1))[0]
    values = [FORMATS[name].array(c).reshape(-1)[i] for c in (got, wanted)]
    return f"{label}: {np.count_nonzero(~same)} of {same.size}, element {i}: {values[0]!r}, but {who} has {values[1]!r}"


def _evaluate(case, shapes):
    own = [value.make_parameter(fixed=True) for value in case.inputs]
    alone = openvino.Model(case.build_outputs(own), own, "layer")
    return driver.evaluate(alone, [encodings_of(v.array) for v in case.inputs], shapes)


def _run_plugin(cases):
    """The outputs of each case. The plugin gets static sizes: it computes some layers differently
    with dynamic ones."""
    parameters = [[value.make_parameter(fixed=True) for value in case.inputs] for case in cases]
    made = [case.build_outputs(mine) for case, mine in zip(cases, parameters, strict=True)]
    model = openvino.Model(sum(made, []), sum(parameters, []), "layers")
    outputs = iter(
        driver.plugin(model, [encodings_of(v.array) for case in cases for v in case.inputs])
    )
    return [[next(outputs) for _ in own] for own in made]


def _run_model(run, name, cases):
    parameters, outputs = [], []
    for case in cases:
        parameters.append([value.make_parameter() for value in case.inputs])
        outputs.append(case.build_outputs(parameters[-1]))
    tensors = [encodings_of(value.array) for case in cases for value in case.inputs]
    model = openvino.Model(sum(outputs, []), sum(parameters, []), "layers")
    found = run.run(name, model, tensors, ["-O0"])
    expected = None
    asked = [case for case in cases if case.right[0] == "plugin"]
    try:
        expected = iter(_run_plugin(asked) if asked else [])
    except RuntimeError as error:
        # The plugin does not support some settings of layers.
        if len(cases) == 1 and not isinstance(found, str):
            try:
                expected = iter([_evaluate(cases[0], [output.shape for output in found])])
            except RuntimeError:
                return [f"{cases[0].label}: {error}"]
    if isinstance(found, str) or expected is None:
        if len(cases) == 1:
            return [f"{cases[0].label}: {found}"]
        # Finds the layer that fails.
        return [
            problem
            for index, case in enumerate(cases)
            for problem in _run_model(run, f"{name}_{index}", [case])
        ]
    problems, results = [], iter(found)
    for case, count in zip(cases, map(len, outputs), strict=True):
        mine = [next(results) for _ in range(count)]
        if case.right[0] == "reference":
            wanted = _evaluate(case, [output.shape for output in mine])
        else:
            wanted = next(expected)
        for index, output in enumerate(wanted):
            label = case.label if len(wanted) == 1 else f"{case.label}, output {index}"
            problems.append(check(label, case.right, mine[index], output))
    return [problem for problem in problems if problem]


def run_cases(run, cases):
    """Returns the mismatches of all cases."""
    problems = []
    for start in range(0, len(cases), PER_MODEL):
        problems += _run_model(run, f"model_{start}", cases[start : start + PER_MODEL])
    return problems
