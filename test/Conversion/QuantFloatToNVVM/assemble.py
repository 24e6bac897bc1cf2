# Kernels of one cast each for each chip: NVIDIA's assembler accepts the PTX. It contains the chip's
# conversion instruction, once for two elements, if the chip has one. Kernels of quantizations and
# of other shapes are assembled, too.
# RUN: %python %s %tools_dir/quant-float-opt %t %if full %{ full %}
import itertools
import os
import re
import sys
from pathlib import Path

from nvvm import ptx
from nvvm.chips import CHIPS, COUNTERPARTS, INSTRUCTION_TYPES, MORE_CHIPS, has
from nvvm.kernels import NARROW, OWN, WIDE, Operand, cast, operation

# One chip of each kind.
DIFFERENT_CHIPS = ("sm_75", "sm_80", "sm_90", "sm_100a")
# Without further modifiers, such as relu, pzo and scaled.
INSTRUCTION = re.compile(
    r"cvt\.(r[nzp]\.satfinite\.\w+x2\.(f32|f16x2|bf16x2)|rn\.b?f16x2\.\w+x2)\s"
)


def casts(is_full):
    """Casts, each with the narrow floats of its instructions and their number for two elements."""
    pairs = [*itertools.product(WIDE, NARROW), *itertools.product(NARROW, WIDE)]
    if is_full:
        pairs += itertools.permutations(NARROW, 2)
    for source, to in pairs:
        options = [""]
        if is_full and to.startswith("f8"):
            options.append(" saturate false")
        if is_full and to == "f8E8M0FNU":
            options += [
                " round_mode down",
                " saturate false round_mode down",
                " round_mode nearest",
            ]
        for option in options:
            to_types = [] if "nearest" in option else [to]
            # FNUZ encodings take two conversions of the other format.
            if to in COUNTERPARTS:
                to_types = 2 * [COUNTERPARTS[to]]
            yield cast(source, to, option), [source, *to_types]


def others():
    """Other shapes and ops use the same instructions as their casts."""
    for shape in ((), (1,), (3,), (5,), (6,), (2, 4), (3, 5), (2, 2, 2)):
        yield cast("f32", "f8E4M3FN", shape=shape)
        yield cast("f8E5M2", "f16", shape=shape)
        yield cast("f32", "f8E5M2FNUZ", shape=shape)
        yield cast("f32", "f8E8M0FNU", shape=shape)
        yield cast("f4E2M1FN", "f32", shape=shape)
        yield cast("i32", "f6E2M3FN", shape=shape)
    for own in OWN:
        for wide in ("f32", "bf16", "i32", "f8E5M2"):
            yield operation("cast", "mode quant_float opset 1", [Operand(wide)], own)
            yield operation("cast", "mode quant_float opset 1", [Operand(own)], wide)
        scale = Operand(own, ())
        options = 'opset 1 domain "quant_float"'
        yield operation("quantize", options, [Operand("f32"), scale], own)
        yield operation("dequantize", options, [Operand("f4E2M1FN"), scale], "f32")
    for integer in ("i8", "ui8", "i16", "ui32", "i64", "ui64", "i4", "ui2"):
        for wide in ("f32", "f16", "f64", "f8E4M3FN"):
            yield cast(wide, integer)
            yield cast(integer, wide)
    for shape in ((), (4,), (3,), (2, 4)):
        x, scale = Operand("f32", shape), Operand("f32", ())
        for storage in (*NARROW, "ui8", "i4", "i16"):
            if storage == "f8E8M0FNU":
                continue
            yield operation("quantize", "opset 28", [x, scale], storage)
            yield operation("dequantize", "opset 28", [Operand(storage, shape), scale], "f32")
            yield operation("qdq", f"storage {storage} opset 28", [x, scale], "f32")
        for to in ("f8E4M3FN", "f8E5M2"):
            for mode in ("exact", "openvino", "openvino_reference"):
                yield operation(
                    "fakeconvert",
                    f"to {to} mode {mode} opset 13",
                    [x, scale],
                    "f32",
                    f"fakeconvert {to} {mode} of {shape}",
                )
    x = Operand("f32", (4, 2))
    for storage in ("f8E4M3FN", "f4E2M1FN", "i8"):
        yield operation("quantize", "axis 0 opset 28", [x, Operand("f32", (4,))], storage)
        yield operation(
            "quantize", "axis 0 block_size 2 opset 28", [x, Operand("f32", (2, 2))], storage
        )


def main(program, folder, full=""):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    expected = {computation.name: (computation, names) for computation, names in casts(bool(full))}
    more = list(others())
    failures, kernels = [], 0
    chips = {**CHIPS, **(MORE_CHIPS if full else {})}
    for chip, version in chips.items():
        all_casts = [computation for computation, _ in expected.values()]
        rest = more if full or chip in DIFFERENT_CHIPS else []
        assembly = ptx.compile_kernels(program, chip, version, [*all_casts, *rest])
        path = folder / f"{chip}.ptx"
        path.write_text(assembly)
        if complaint := ptx.assemble(path, chip, os.devnull):
            failures.append(f"{chip}: {complaint}")
        bodies = ptx.instructions(assembly)
        kernels += len(bodies)
        for name, (_, narrow) in expected.items():
            wanted = sorted(2 * [INSTRUCTION_TYPES[n] for n in narrow if has(chip, n)])
            found = ptx.conversions(bodies[name])
            if found != wanted:
                failures.append(f"{chip}: {name}: expected {wanted}, but got {found}")
            failures += [
                f"{chip}: {name}: unexpected modifiers: {line}"
                for line in bodies[name]
                if ptx.CONVERSION.match(line) and not INSTRUCTION.match(line)
            ]
    print(f"{kernels} kernels for {len(chips)} chips, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
