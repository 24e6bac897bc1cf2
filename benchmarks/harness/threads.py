# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares one thread with two: usage: python -m harness.threads QUANT_FLOAT_COMPILE TIMING.so
REPEAT

Prints a record. This is a separate process, which may use all cores and loads no other library with
threads.
"""

import ctypes
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from . import modules
from .formats import FORMATS, aligned_empty, make_data

CASTS = (("f32", "e4m3fn"), ("e4m3fn", "f32"))
THREADS = (1, 2)
# The number of tensors, and the elements of each.
SHAPES = ((16, 1 << 16), (1, 1 << 24))
SECONDS = 5e-3


def _module(source: str, target: str, count: int) -> str:
    types = [f"tensor<?x{FORMATS[name].mlir}>" for name in (source, target)]
    numbers = range(count)
    results = ", ".join([types[1]] * count)
    casts = "\n".join(
        f"  %y{i} = quant_float.cast %x{i} opset 24 : {types[0]} to {types[1]}" for i in numbers
    )
    return (
        f"func.func @many({', '.join(f'%x{i}: {types[0]}' for i in numbers)}) -> ({results}) {{\n"
        f"{casts}\n  return {', '.join(f'%y{i}' for i in numbers)} : {results}\n}}\n"
    )


class Case:
    """A function that casts several tensors, compiled for one thread and for two."""

    def __init__(self, tool: Path, native: ctypes.CDLL, folder: Path, forms, shape):
        self.native, self.count, self.elements = native, *shape
        self.name = f"{forms[0].name}_to_{forms[1].name}"
        data = [make_data(*forms, self.elements) for _ in range(self.count)]
        empty = [aligned_empty(self.elements * forms[1].size).view(forms[1].numpy) for _ in data]
        self.arrays = data, empty
        self.inputs, self.outputs = (
            (modules.Tensor * self.count)(*(modules.tensor(a, form.onnx) for a in arrays))
            for arrays, form in zip(self.arrays, forms, strict=True)
        )
        module = folder / f"{self.name}-{self.count}.mlir"
        module.write_text(_module(forms[0].name, forms[1].name, self.count))
        self.functions = {}
        for threads in THREADS:
            library = module.with_suffix(f".{threads}.so")
            options = ["--threads", str(threads)]
            self.functions[threads] = modules.compile_module(tool, module, library, "many", options)
            self.check(threads)

    def check(self, threads: int) -> None:
        data, results = (arrays[-1] for arrays in self.arrays)
        results.view(np.uint8)[:] = 0xA5
        self.time(threads, 1)
        if (results.view(np.uint8) != data.astype(results.dtype).view(np.uint8)).any():
            sys.exit(f"{self.name}: wrong bits of {threads} threads")

    def time(self, threads: int, calls: int) -> float:
        """The seconds of a call."""
        error, status = ctypes.create_string_buffer(modules.ERROR_SIZE), ctypes.c_int()
        seconds = self.native.time_entry_point(
            self.functions[threads],
            self.inputs,
            self.outputs,
            error,
            ctypes.c_size_t(modules.ERROR_SIZE),
            ctypes.c_int64(calls),
            ctypes.byref(status),
        )
        if status.value:
            sys.exit(f"{self.name}: error {status.value}: {error.value.decode()}")
        return seconds / calls

    def measure(self, repeat: int) -> dict:
        calls = max(1, round(SECONDS / self.time(1, 1)))
        best = dict.fromkeys(THREADS, float("inf"))
        for _ in range(repeat):
            for threads in THREADS:
                best[threads] = min(best[threads], self.time(threads, calls))
        one, two = (self.count * self.elements / best[threads] / 1e9 for threads in THREADS)
        row = {"name": self.name, "tensors": self.count, "elements": self.elements}
        return {**row, "one_gelems": one, "two_gelems": two}


def main() -> None:
    tool, library, repeat = sys.argv[1:]
    native = ctypes.CDLL(library)
    native.time_entry_point.restype = ctypes.c_double
    with tempfile.TemporaryDirectory() as folder:
        cases = (
            Case(Path(tool), native, Path(folder), [FORMATS[name] for name in cast], shape)
            for cast in CASTS
            for shape in SHAPES
        )
        print(json.dumps([case.measure(int(repeat)) for case in cases]))


if __name__ == "__main__":
    main()
