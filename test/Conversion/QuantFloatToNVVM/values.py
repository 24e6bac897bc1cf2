# Casts for GPUs, executed on the CPU by NVIDIA's own host functions. Everything must be what the Reference gives, bit for bit.
# RUN: %python %s %tools_dir/quant-float-opt %llvm_bin/mlir-translate %clangxx %cuda_include %tools_dir/quant-float-reference-cast %t %if full %{ full %}
import itertools
import sys
from pathlib import Path

import numpy as np
from conformance import inputs
from conformance.formats import FNUZ
from conformance.process import CastProcess
from nvvm import host
from nvvm.kernels import NARROW, WIDE, cast

SOURCES = (*WIDE, "i8", "ui16", "i32", "ui64")
CHIPS = ("sm_100a", "sm_90", "sm_80", "sm_75")
# Codes of a source against a destination; all of them with `full`.
MOST_CODES = 40_000
INSTRUCTIONS = 17


def cases(is_full):
    """Source, destination, opset, saturate, rounding mode."""
    pairs = [*itertools.product(SOURCES, NARROW), *itertools.product(NARROW, SOURCES)]
    pairs += itertools.permutations(NARROW, 2)
    for source, to in pairs:
        yield source, to, 28, True, "up"
        if to.startswith("f8") and (is_full or source in ("f32", "f16", "f64", "i32", "f8E5M2")):
            yield source, to, 28, False, "up"
        if to in FNUZ and source in ("f32", "f16", "bf16", "f64", "f8E5M2"):
            # C4: infinity is NaN here.
            yield source, to, 19, True, "up"
        if to == "f8E8M0FNU":
            yield source, to, 28, True, "down"
            yield source, to, 28, False, "down"
            yield source, to, 28, True, "nearest"


def computation(source, to, opset, saturate, mode):
    options = f" opset {opset}" + ("" if saturate else " saturate false")
    return cast(source, to, options + (f" round_mode {mode}" if to == "f8E8M0FNU" else ""))


def main(program, translate, compiler, cuda_include, reference_program, folder, full=""):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tools = host.Tools(program, translate, compiler, cuda_include)
    all_cases = list(cases(bool(full)))
    libraries, instructions = {}, set()
    for chip in CHIPS:
        libraries[chip], found = host.build(
            tools, folder, chip, [computation(*case) for case in all_cases]
        )
        instructions |= found
    elements, failures = 0, []
    with CastProcess(reference_program) as reference:
        for source, to, opset, saturate, mode in all_cases:
            codes = inputs.codes(source, to)
            if not full and codes.size > MOST_CODES:
                codes = codes[:: -(-codes.size // MOST_CODES)]
            codes = codes[: codes.size // 4 * 4]
            expected = reference.cast(
                source, to, codes, opset=opset, saturate=saturate, round_mode=mode
            )
            one = computation(source, to, opset, saturate, mode)
            for chip, library in libraries.items():
                found = host.run(library, one, codes)
                elements += codes.size
                different = np.flatnonzero(found != expected)
                if different.size:
                    i = different[0]
                    failures.append(
                        f"{chip}: {one.name}: {different.size} of {codes.size} differ, {int(codes[i]):#x}: "
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
