# ONNX's own node tests of Cast and CastLike (with their expanded forms), through quant-float-run:
# every output bit, those of NaNs included.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

with warnings.catch_warnings():
    # Making all cases of all ops divides by zero here and there.
    warnings.simplefilter("ignore")
    from onnx.backend.test.loader import load_model_tests

    np.random.seed(0)
    CASES = [
        case
        for case in load_model_tests(kind="node")
        if re.match(r"test_(cast|castlike)_", case.name)
    ]

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
# A change of this number means that the onnx package has other tests than the ones known.
EXPECTED_CASES = 172


def to_proto(value):
    return value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(value)


def to_codes(value):
    """The array as quant-float-run writes it: one unsigned code per element (P3)."""
    array = numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    array = np.ascontiguousarray(array)
    codes = array.view(f"u{array.dtype.itemsize}")
    bits = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2}.get(array.dtype.name)
    return codes if bits is None else codes & ((1 << bits) - 1), bits


def check(case):
    """What is wrong with a case, or nothing."""
    problems = []
    for number, (inputs, outputs) in enumerate(case.data_sets):
        folder = work / f"{case.name}_{number}"
        folder.mkdir()
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        files = []
        for index, value in enumerate(inputs):
            files.append(folder / f"input_{index}.pb")
            files[-1].write_bytes(to_proto(value).SerializeToString())
        command = [tool, folder / "model.onnx", "--inputs", *files, "--outputs", folder]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            problems.append(f"{case.name}: exit code {run.returncode}: {run.stderr}")
            continue
        for index, value in enumerate(outputs):
            given = np.load(folder / f"output_{index}.npy")
            expected, bits = to_codes(value)
            codes = given.view(f"u{given.dtype.itemsize}")
            if bits is not None:
                codes = codes & ((1 << bits) - 1)
            if codes.shape != expected.shape or not np.array_equal(codes, expected):
                problems.append(f"{case.name}: expected {expected}, but got {codes}")
    return problems


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    failures = [problem for problems in pool.map(check, CASES) for problem in problems]
print(f"{len(CASES)} cases, {len(failures)} failures")
if len(CASES) != EXPECTED_CASES:
    failures.append(f"expected {EXPECTED_CASES} cases, but onnx has {len(CASES)}")
sys.exit("\n".join(failures) if failures else 0)
