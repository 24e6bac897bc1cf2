# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows as modules to compile, and the compiled entry points."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from . import blocks, fakeconvert, quantization
from .formats import FORMATS

ERROR_SIZE = 512


class Tensor(ctypes.Structure):
    """qf_tensor of include/quant-float-c/EntryPoint.h."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


PACKED = 0x100  # QF_PACKED
PACKED_ENDS = ("input", "result")


def packed_tensor(encodings: np.ndarray, array: np.ndarray, onnx_type: int) -> Tensor:
    """The elements of `array`, packed in `encodings`."""
    return Tensor(encodings.ctypes.data, tensor(array, 0).sizes, array.ndim, PACKED | onnx_type)


def tensor(array: np.ndarray, onnx_type: int) -> Tensor:
    sizes = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    return Tensor(array.ctypes.data, sizes, array.ndim, onnx_type)


def _cast(row: dict) -> str:
    source = f"tensor<?x{FORMATS[row['from']].mlir}>"
    target = f"tensor<?x{FORMATS[row['to']].mlir}>"
    marks = {end: "quant_float.packed" if row.get("packed") == end else "" for end in PACKED_ENDS}
    x = f"{source} {{{marks['input']}}}" if marks["input"] else source
    y = f"({target} {{{marks['result']}}})" if marks["result"] else target
    if "projection" in row:
        rules = f"mode p3109 opset 1 projection <D1, {', '.join(row['projection'])}>"
    else:
        rules = f"opset {row['opset']}"
    return (
        f"func.func @{row['name']}(%x: {x}) -> {y} {{\n"
        f"  %y = quant_float.cast %x {rules} : {source} to {target}\n"
        f"  return %y : {target}\n"
        "}\n"
    )


# The module for a row's `op`.
OPERATIONS = {
    "cast": _cast,
    "fakeconvert": fakeconvert.module,
    **dict.fromkeys(quantization.OPERATIONS, quantization.module),
    **dict.fromkeys(blocks.OPERATIONS, blocks.module),
}


class CompileError(Exception):
    pass


def compile_row(row: dict, tool: Path, folder: Path, cpu: str):
    """Compiles the row for a CPU and returns its entry point."""
    module = folder / f"{row['name']}.mlir"
    module.write_text(OPERATIONS[row["op"]](row))
    return compile_module(tool, module, module.with_suffix(".so"), row["name"], ["--cpu", cpu])


def compile_module(tool: Path, module: Path, library: Path, name: str, options: list[str]):
    """The entry point of a function."""
    command = [tool, module, "-o", library, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(done.stderr.strip() or f"exit status {done.returncode}")
    function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = ctypes.c_int
    return function
