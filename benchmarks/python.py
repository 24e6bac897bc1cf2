#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the overhead of the Python package: import, first call, call, threads.

    benchmarks/python.py [--package build/python_packages] [--repeat N] [--output FILE.json |
    --record]

Each import and first call is measured in a new process, with cached files: minimum and median. The
cast of 16 M floats is timed in turns with the C entry point of a shared library that the package
compiles from the same module, called through ctypes on the same buffers. The last lines are two
kernels, run in sequence and in a thread each.
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from harness.cpu import describe_cpu
from harness.environment import BUILD, use_build_environment

use_build_environment()

from harness.modules import Tensor  # noqa: E402
from harness.records import add_output, choose_output, write_record  # noqa: E402

COUNT = 1 << 24

FIRST_CALLS = {
    "cast": "qf.cast(x, 'f8e4m3')",
    "quantize": "qf.quantize(x, 0.5, 3, dtype='i8')",
    "quantize per axis": "qf.quantize(x, s, axis=1)",
    "dequantize": "qf.dequantize(q, 0.5, 3)",
    "qdq": "qf.qdq(x, s, storage='f8e4m3', axis=1)",
    "fakeconvert": "qf.fakeconvert(x, s, mode='openvino')",
}
PROGRAM = """
import time, sys
start = time.perf_counter()
import numpy as np
middle = time.perf_counter()
import quant_float as qf
imported = time.perf_counter()
x = np.ones((64, 64), np.float32)
s = np.ones(64, np.float32)
q = np.ones((64, 64), np.uint8)
begin = time.perf_counter()
{call}
first = time.perf_counter() - begin
begin = time.perf_counter()
for _ in range(1000):
    {call}
print(imported - start, middle - start, first, (time.perf_counter() - begin) / 1000)
"""


def summarize(seconds, unit=1e3, digits=2):
    return {
        "best": round(unit * min(seconds), digits),
        "median": round(unit * statistics.median(seconds), digits),
    }


def measure_starts(environment, repeat):
    """Import and first calls, in milliseconds, and later calls, in microseconds."""
    imports, numpy_imports, rows = [], [], {}
    for name, call in FIRST_CALLS.items():
        runs = []
        for _ in range(repeat):
            result = subprocess.run(
                [sys.executable, "-c", PROGRAM.format(call=call)],
                capture_output=True,
                text=True,
                check=True,
                env=environment,
            )
            runs.append([float(number) for number in result.stdout.split()])
        imports += [run[0] for run in runs]
        numpy_imports += [run[1] for run in runs]
        rows[name] = {
            "first_call_ms": summarize([run[2] for run in runs]),
            "later_call_us": summarize([run[3] for run in runs], 1e6),
        }
    return {
        "import_ms": summarize(imports),
        "of_which_numpy_ms": summarize(numpy_imports),
        "calls_on_64x64": rows,
    }


MODULE = """
func.func @cast(%x: tensor<?xf32>) -> tensor<?x{to}> {{
  %0 = quant_float.cast %x opset 28 : tensor<?xf32> to tensor<?x{to}>
  return %0 : tensor<?x{to}>
}}
"""


def load_entry_point(qf, folder, x, y, number):
    path = pathlib.Path(folder) / "cast.so"
    qf.parse(MODULE.format(to="f8E4M3FN")).emit("shared", path)
    library = ctypes.CDLL(str(path))
    sizes = (ctypes.c_int64 * 1)(x.size)
    source = Tensor(x.ctypes.data, sizes, 1, 1)
    target = Tensor(y.ctypes.data, sizes, 1, number)

    def call():
        if library.cast(ctypes.byref(source), ctypes.byref(target), None, ctypes.c_size_t(0)):
            raise RuntimeError("the entry point failed")

    return call


def take_turns(contenders, repeat):
    seconds = {name: [] for name in contenders}
    turns = list(contenders.items())
    for _, call in turns:
        call()
    order = random.Random(1)
    for _ in range(repeat):
        order.shuffle(turns)
        for name, call in turns:
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def measure_cast(qf, np, repeat):
    x = np.random.default_rng(1).standard_normal(COUNT, np.float32)
    y = np.empty(COUNT, qf.dtype("f8e4m3").numpy)
    with tempfile.TemporaryDirectory() as folder:
        seconds = take_turns(
            {
                "entry_point": load_entry_point(qf, folder, x, y, 17),
                "python_out": lambda: qf.cast(x, "f8e4m3", out=y),
                "python_new_array": lambda: qf.cast(x, "f8e4m3"),
            },
            repeat,
        )
    # Ratios are those of minima, because other processes can only add time.
    result = {f"{name}_ms": summarize(times, 1e3, 3) for name, times in seconds.items()}
    for name in ("python_out", "python_new_array"):
        ratio = min(seconds[name]) / min(seconds["entry_point"])
        result[f"{name}_by_entry_point"] = round(ratio, 4)
    return result


def measure_threads(qf, np, repeat):
    x = np.random.default_rng(1).standard_normal(1 << 18, np.float32)
    jobs = []
    for to in ("f8E4M3FN", "f8E5M2"):
        kernel = qf.parse(MODULE.format(to=to)).compile()
        jobs.append((kernel, np.empty(x.shape, qf.dtype(to).numpy)))

    def work(kernel, y):
        for _ in range(1000):
            kernel(x, out=y)

    def run_in_threads():
        threads = [threading.Thread(target=work, args=job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    seconds = take_turns(
        {"alone": lambda: [work(*job) for job in jobs], "threads": run_in_threads}, repeat
    )
    return {
        "one_after_the_other_ms": summarize(seconds["alone"]),
        "in_two_threads_ms": summarize(seconds["threads"]),
        "speedup_of_bests": round(min(seconds["alone"]) / min(seconds["threads"]), 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", type=pathlib.Path, default=BUILD / "python_packages")
    parser.add_argument("--repeat", type=int, default=9)
    add_output(parser)
    arguments = parser.parse_args()

    path = str(arguments.package.resolve())
    sys.path.insert(0, path)
    import numpy as np
    import quant_float as qf

    record = {
        "cpu": describe_cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "version": qf.__version__,
        **measure_starts(os.environ | {"PYTHONPATH": path}, arguments.repeat),
        "cast_of_16M_f32": measure_cast(qf, np, 20 * arguments.repeat),
        "two_kernels_of_256K_1000_times": measure_threads(qf, np, arguments.repeat),
    }
    print(json.dumps(record, indent=2))
    if output := choose_output(arguments, "python"):
        write_record(output, record)


if __name__ == "__main__":
    main()
