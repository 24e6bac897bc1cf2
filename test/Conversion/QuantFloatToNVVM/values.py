# Casts for GPUs, executed on the CPU with NVIDIA's host functions. All bits must be those of the
# Reference.
# RUN: %python %s %tools_dir/quant-float-opt %llvm_bin/mlir-translate %clangxx %cuda_include %tools_dir/quant-float-reference-cast %t %if full %{ full %}
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from conformance import inputs
from conformance.formats import FNUZ
from conformance.process import CastProcess
from nvvm import host
from nvvm.kernels import NARROW, WIDE, cast

SOURCES = (*WIDE, "i32", "ui64")
# With `full`.
MORE_SOURCES = ("i8", "ui16")
CHIPS = ("sm_100a", "sm_90", "sm_80")
# Without an instruction for minima: with `full`.
OLD_CHIPS = ("sm_75",)
# The encodings of a source for a destination, all of them with `full`.
MAX_ENCODINGS = 20_000
INSTRUCTIONS = 17


# Besides vectors of four: scalars, incomplete pairs, matrices.
SHAPES = ((), (1,), (2,), (3,), (6,), (2, 3))


@dataclass(frozen=True)
class Case:
    source: str
    to: str
    saturate: bool = True
    mode: str = "up"
    opset: int = 28
    shape: tuple = (4,)

    def computation(self):
        options = f" opset {self.opset}" + ("" if self.saturate else " saturate false")
        if self.to == "f8E8M0FNU":
            options += f" round_mode {self.mode}"
        return cast(self.source, self.to, options, self.shape)

    def encodings(self, is_full):
        encodings = inputs.encodings(self.source, self.to)
        most = MAX_ENCODINGS if self.shape == (4,) else MAX_ENCODINGS // 10
        if not is_full and encodings.size > most:
            encodings = encodings[:: -(-encodings.size // most)]
        return encodings[: encodings.size // 12 * 12]


def cases(is_full):
    sources = (*SOURCES, *(MORE_SOURCES if is_full else ()))
    pairs = [*itertools.product(sources, NARROW), *itertools.product(NARROW, sources)]
    pairs += itertools.permutations(NARROW, 2)
    for source, to in pairs:
        yield Case(source, to)
        if to.startswith("f8") and (is_full or source in ("f32", "f16", "f64", "i32", "f8E5M2")):
            yield Case(source, to, saturate=False)
        if to in FNUZ and source in ("f32", "f16", "bf16", "f64", "f8E5M2"):
            # C4: infinity is NaN here.
            yield Case(source, to, opset=19)
        if to == "f8E8M0FNU":
            yield Case(source, to, mode="down")
            yield Case(source, to, saturate=False, mode="down")
            yield Case(source, to, mode="nearest")
    for narrow, shape in itertools.product(NARROW, SHAPES):
        yield Case("f32", narrow, shape=shape)
        yield Case("f32", narrow, saturate=False, shape=shape)
        yield Case(narrow, "f16", shape=shape)


def main(program, translate, compiler, cuda_include, reference_program, folder, full=""):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tools = host.Tools(program, translate, compiler, cuda_include)
    all_cases = list(cases(bool(full)))
    libraries, instructions = {}, set()
    chips = (*CHIPS, *(OLD_CHIPS if full else ()))
    for chip in chips:
        libraries[chip], found = host.build(
            tools, folder, chip, [case.computation() for case in all_cases]
        )
        instructions |= found
    elements, failures = 0, []
    with CastProcess(reference_program) as reference:
        for case in all_cases:
            encodings = case.encodings(bool(full))
            expected = reference.cast(
                case.source, case.to, encodings, opset=case.opset, saturate=case.saturate, round_mode=case.mode
            )  # fmt: skip
            one = case.computation()
            for chip, library in libraries.items():
                found = host.run(library, one, encodings)
                elements += encodings.size
                different = np.flatnonzero(found != expected)
                if different.size:
                    i = different[0]
                    failures.append(
                        f"{chip}: {one.name}: {different.size} of {encodings.size} differ, {int(encodings[i]):#x}: "
                        f"expected {int(expected[i]):#x}, but got {int(found[i]):#x}"
                    )
    print(
        f"{len(all_cases)} casts for {len(chips)} chips, {elements} elements, {len(instructions)} instructions, {len(failures)} failures"
    )
    if len(instructions) != INSTRUCTIONS:
        failures.append(f"expected {INSTRUCTIONS} instructions, but got {sorted(instructions)}")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
