# ONNX's own node tests of Cast and CastLike, those that spell CastLike out included: the outputs of
# quant-float-run, compiled and by the Reference, have the bits of the test data, NaN payloads too.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from conformance.formats import FORMATS
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

tools_dir, work = map(pathlib.Path, sys.argv[1:])
# Of onnx 1.23.2.
EXPECTED = {"cast": 60, "castlike": 112}
FORMAT_OF_NUMBER = {f.onnx: f for f in FORMATS.values()}


def collect():
    with warnings.catch_warnings():
        # The test data of all ops is made on the way, overflows and all.
        warnings.simplefilter("ignore")
        cases = {case.name: case for case in collect_testcases(None)}
    return {
        kind: [case for name, case in cases.items() if name.startswith(f"test_{kind}_")]
        for kind in EXPECTED
    }


def run(tool, *arguments):
    command = [str(tools_dir / tool), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_output(path, expected):
    """What is wrong with an output, or None."""
    if not path.exists():
        return "missing"
    form = FORMAT_OF_NUMBER[expected.data_type]
    wanted = form.slots(form.from_array(numpy_helper.to_array(expected)))
    got = np.load(path)
    if got.shape != tuple(expected.dims):
        return f"expected the shape {tuple(expected.dims)}, but got {got.shape}"
    got = np.ascontiguousarray(got).view(form.slot)
    wrong = np.flatnonzero(got.ravel() != wanted.ravel())
    if wrong.size:
        i = wrong[0]
        return f"element {i}: expected {wanted.ravel()[i]:#x}, but got {got.ravel()[i]:#x}"
    return None


def check_case(case):
    folder = work / case.name
    folder.mkdir()
    model = folder / "model.onnx"
    model.write_bytes(case.model.SerializeToString())
    failures = []
    result = run("quant-float-check", model)
    if result.returncode != 0:
        failures.append(f"quant-float-check: {result.stdout}{result.stderr}")
    for index, (inputs, outputs) in enumerate(case.data_sets):
        files = []
        for i, tensor in enumerate(inputs):
            files.append(folder / f"input_{index}_{i}.pb")
            files[-1].write_bytes(tensor.SerializeToString())
        for target in ("cpu", "reference"):
            out = folder / f"{target}_{index}"
            result = run(
                "quant-float-run", model, "--target", target, "--outputs", out, "--inputs", *files
            )
            if result.returncode != 0:
                failures.append(f"{target}: exit code {result.returncode}: {result.stderr}")
                continue
            for i, expected in enumerate(outputs):
                wrong = check_output(out / f"output_{i}.npy", expected)
                if wrong:
                    failures.append(f"{target}: output {i}: {wrong}")
    return [f"{case.name}: {failure}" for failure in failures]


cases = collect()
failures = [
    f"expected {count} node tests of {kind}, but got {len(cases[kind])}"
    for kind, count in EXPECTED.items()
    if len(cases[kind]) != count
]
with ThreadPoolExecutor(max_workers=2) as pool:
    for found in pool.map(check_case, [case for kind in EXPECTED for case in cases[kind]]):
        failures += found
sys.exit("\n".join(failures) if failures else 0)
