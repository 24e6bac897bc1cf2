"""Computations for GPUs executed on the CPU with NVIDIA's host functions."""

import ctypes
import subprocess
from dataclasses import dataclass

import numpy as np
import nvidia_host
from conformance.formats import FORMATS, OWN_FORMATS

from nvvm.kernels import loop

_ALL = FORMATS | OWN_FORMATS
_PASSES = (
    "canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts"
)


@dataclass(frozen=True)
class Tools:
    optimizer: str
    translate: str
    compiler: str
    cuda_include: str


def build(tools, folder, chip, computations):
    """Builds a library of the computations. Also returns the instructions that they use."""
    pipeline = f"builtin.module(convert-quant-float-to-nvvm{{chip={chip}}},{_PASSES})"
    lowered = subprocess.run(
        [tools.optimizer, f"--pass-pipeline={pipeline}"],
        input="\n".join(map(loop, computations)), capture_output=True, text=True, check=True,
    )  # fmt: skip
    text = subprocess.run(
        [tools.translate, "--mlir-to-llvmir"],
        input=lowered.stdout, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    text, instructions = nvidia_host.to_host(text)
    source, library = folder / f"{chip}.ll", folder / f"{chip}.so"
    source.write_text(text)
    subprocess.run(
        [tools.compiler, "-std=c++17", "-O1", "-march=x86-64-v3", "-shared", "-fPIC", "-isystem", tools.cuda_include,
         "-Wno-override-module", source, nvidia_host.INSTRUCTIONS, "-o", library],
        check=True,
    )  # fmt: skip
    return ctypes.CDLL(library), instructions


def run(library, computation, *operands):
    """The encodings of the result, for the encodings of the operands of any number of
    computations."""
    times = operands[0].size // computation.operands[0].count
    slots = [
        np.ascontiguousarray(_ALL[operand.element].slots(encodings.ravel()))
        for operand, encodings in zip(computation.operands, operands, strict=True)
    ]
    result = computation.result
    out = np.zeros(times * result.count, _ALL[result.element].slot)

    def memref(array):
        address = ctypes.c_void_p(array.ctypes.data)
        return [address, address, *map(ctypes.c_int64, (0, array.size, 1))]

    arguments = [field for array in (*slots, out) for field in memref(array)]
    getattr(library, computation.name)(*arguments, ctypes.c_int64(times))
    return _ALL[result.element].encodings(out)
