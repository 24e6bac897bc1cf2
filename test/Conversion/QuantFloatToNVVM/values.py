# Casts for GPUs, executed on the CPU: each conversion instruction is a call of NVIDIA's own host function for it, and what makes NaNs
# on a GPU makes them here as it does there. Everything must be what the Reference gives, bit for bit.
# RUN: %python %s %tools_dir/quant-float-opt %llvm_bin/mlir-translate %clangxx %cuda_include %tools_dir/quant-float-reference-cast %t %if full %{ full %}
import ctypes
import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import nvidia_host
from conformance import inputs
from conformance.formats import FORMATS
from conformance.process import CastProcess

WIDE = ("f32", "f16", "bf16", "f64", "i8", "ui16", "i32", "ui64")
NARROW = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN")  # fmt: skip
CHIPS = ("sm_100a", "sm_90", "sm_80")
# Codes of a source against a destination; all of them with `full`.
MOST_CODES = 60_000
INSTRUCTIONS = 17
PASSES = (
    "canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts"
)


def storage(name):
    if name in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN"):
        return "i8"
    return {"bf16": "i16"}.get(name, name.removeprefix("u"))


def name_of(source, to, options):
    return re.sub(r"\W+", "_", f"{source} to {to}{options}")


def move(result, operand, source, to):
    if source == to:
        return f"{result} = arith.bitcast {operand} : vector<4x{source}> to vector<4x{to}>"
    return f"{result} = quant_float.storage_cast {operand} : vector<4x{source}> to vector<4x{to}>"


def loop(source, to, options):
    memory, result = storage(source), storage(to)
    lines = [
        f"func.func @{name_of(source, to, options)}(%in: memref<?x{memory}>, %out: memref<?x{result}>, %n: index) {{",
        "%c0 = arith.constant 0 : index",
        "%c4 = arith.constant 4 : index",
        "scf.for %i = %c0 to %n step %c4 {",
        f"%a = vector.load %in[%i] : memref<?x{memory}>, vector<4x{memory}>",
        move("%x", "%a", memory, source),
        f"%y = quant_float.cast %x opset 28{options} : vector<4x{source}> to vector<4x{to}>",
        move("%b", "%y", to, result),
        f"vector.store %b, %out[%i] : memref<?x{result}>, vector<4x{result}>",
        "}",
        "return",
        "}",
    ]
    return "\n".join(lines)


def cases(is_full):
    pairs = [*itertools.product(WIDE, NARROW), *itertools.product(NARROW, WIDE)]
    pairs += itertools.permutations(NARROW, 2)
    for source, to in pairs:
        yield source, to, True, "up"
        if to.startswith("f8") and (is_full or source in ("f32", "f16", "f64", "i32", "f8E5M2")):
            yield source, to, False, "up"
        if to == "f8E8M0FNU":
            yield source, to, True, "down"
            yield source, to, False, "down"
            yield source, to, True, "nearest"


def options(to, saturate, mode):
    text = "" if saturate else " saturate false"
    return text + (f" round_mode {mode}" if to == "f8E8M0FNU" else "")


def build(tools, folder, chip, loops):
    program, translate, compiler, cuda_include = tools
    pipeline = f"builtin.module(convert-quant-float-to-nvvm{{chip={chip}}},{PASSES})"
    lowered = subprocess.run(
        [program, f"--pass-pipeline={pipeline}"],
        input=loops, capture_output=True, text=True, check=True,
    )  # fmt: skip
    text = subprocess.run(
        [translate, "--mlir-to-llvmir"], input=lowered.stdout, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    text, instructions = nvidia_host.to_host(text)
    source, library = folder / f"{chip}.ll", folder / f"{chip}.so"
    source.write_text(text)
    subprocess.run(
        [compiler, "-std=c++17", "-O1", "-march=x86-64-v3", "-shared", "-fPIC", "-isystem", cuda_include,
         "-Wno-override-module", source, nvidia_host.INSTRUCTIONS, "-o", library],
        check=True,
    )  # fmt: skip
    return ctypes.CDLL(library), instructions


def run(library, name, source, to, codes):
    slots = np.ascontiguousarray(FORMATS[source].slots(codes))
    out = np.zeros(codes.size, FORMATS[to].slot)

    def memref(array):
        address = ctypes.c_void_p(array.ctypes.data)
        return [address, address, *map(ctypes.c_int64, (0, array.size, 1))]

    getattr(library, name)(*memref(slots), *memref(out), ctypes.c_int64(codes.size))
    return FORMATS[to].codes(out)


def main(program, translate, compiler, cuda_include, reference_program, folder, full=""):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tools = program, translate, compiler, cuda_include
    all_cases = list(cases(bool(full)))
    loops = "\n".join(loop(s, t, options(t, saturate, mode)) for s, t, saturate, mode in all_cases)
    libraries, instructions = {}, set()
    for chip in CHIPS:
        libraries[chip], found = build(tools, folder, chip, loops)
        instructions |= found
    elements, failures = 0, []
    with CastProcess(reference_program) as reference:
        for source, to, saturate, mode in all_cases:
            codes = inputs.codes(source, to)
            if not full and codes.size > MOST_CODES:
                codes = codes[:: -(-codes.size // MOST_CODES)]
            codes = codes[: codes.size // 4 * 4] if codes.size % 4 else codes
            expected = reference.cast(source, to, codes, saturate=saturate, round_mode=mode)
            name = name_of(source, to, options(to, saturate, mode))
            for chip, library in libraries.items():
                found = run(library, name, source, to, codes)
                elements += codes.size
                different = np.flatnonzero(found != expected)
                if different.size:
                    i = different[0]
                    failures.append(
                        f"{chip}: {name}: {different.size} of {codes.size} differ, {int(codes[i]):#x}: "
                        f"expected {int(expected[i]):#x}, but got {int(found[i]):#x}"
                    )
    print(
        f"{len(all_cases)} casts for {len(CHIPS)} chips, {elements} elements, {len(instructions)} instructions, {len(failures)} failures"
    )
    if len(instructions) != INSTRUCTIONS:
        failures.append(f"expected {INSTRUCTIONS} instructions, but got {sorted(instructions)}")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
