# The number of instructions for four elements: all of them, and conversions between floats alone.
# With a disassembler (nvdisasm, in PATH or in the package triton), machine instructions are
# counted, too.
# RUN: %python %s %tools_dir/quant-float-opt %t
import sys
from pathlib import Path

from nvvm import ptx
from nvvm.chips import CHIPS
from nvvm.kernels import Operand, cast, operation

_VECTOR, _SCALE = Operand("f32"), Operand("f32", ())

# For each chip: the computation, the maximum number of instructions, the number of conversions
# among them, and the maximum number of machine instructions if it is larger (a division has a slow
# path).
LIMITS = {
    "sm_80": [
        (cast("f32", "f8E4M3FN"), 44, 0),
        (cast("f32", "f8E4M3FN", " saturate false"), 40, 0),
        (cast("f32", "f8E5M2"), 44, 0),
        (cast("f32", "f8E4M3FNUZ"), 59, 0),
        (cast("f32", "f8E5M2FNUZ"), 59, 0),
        (cast("f32", "f4E2M1FN"), 45, 0),
        (cast("f32", "f6E2M3FN"), 45, 0),
        (cast("f32", "f6E3M2FN"), 45, 0),
        (cast("f32", "f8E8M0FNU"), 31, 0),
        (cast("f32", "f8E8M0FNU", " round_mode down"), 27, 0),
        (cast("f8E4M3FN", "f32"), 31, 0),
        (cast("f8E5M2", "f32"), 40, 4),
        (cast("f8E4M3FNUZ", "f32"), 23, 0),
        # 15 in PTX of LLVM 22 and 23, which extract a bit field, while ptxas and LLVM 24 use two
        # shifts.
        (cast("f4E2M1FN", "f32"), 16, 0),
        (cast("f8E8M0FNU", "f32"), 32, 0),
    ],
    "sm_90": [
        (cast("f32", "f8E4M3FN"), 11, 2),
        (cast("f32", "f8E4M3FN", " saturate false"), 27, 2),
        (cast("f32", "f8E5M2"), 16, 2),
        (cast("f16", "f8E4M3FN"), 15, 2, 18),
        (cast("bf16", "f8E4M3FN"), 19, 2),
        (cast("f32", "f8E4M3FNUZ"), 30, 4),
        (cast("f32", "f8E5M2FNUZ"), 34, 4),
        (cast("f8E4M3FN", "f32"), 26, 6),
        (cast("f8E4M3FN", "f16"), 25, 2, 27),
        (cast("f8E4M3FN", "bf16"), 28, 6),
        (cast("f8E4M3FNUZ", "f32"), 23, 0),
        (operation("quantize", "opset 28", [_VECTOR, _SCALE], "f8E4M3FN"), 53, 2, 88),
        (operation("dequantize", "opset 28", [Operand("f8E4M3FN"), _SCALE], "f32"), 10, 6),
        (operation("qdq", "storage f8E4M3FN opset 28", [_VECTOR, _SCALE], "f32"), 63, 8, 99),
    ],
    "sm_100a": [
        (cast("f32", "f8E8M0FNU"), 6, 2),
        (cast("f32", "f6E2M3FN"), 19, 2),
        (cast("f32", "f6E3M2FN"), 19, 2),
        # 25 with LLVM 22, which masks the nibbles of both pairs at once.
        (cast("f32", "f4E2M1FN"), 28, 2),
        (cast("f4E2M1FN", "f32"), 17, 6),
        (cast("f6E2M3FN", "f32"), 8, 6),
        (cast("f8E8M0FNU", "f32"), 14, 6, 18),
    ],
}  # fmt: skip


def check_chip(program, folder, chip, rows):
    assembly = ptx.compile_kernels(
        program, chip, CHIPS[chip], [computation for computation, *_ in rows]
    )
    path, machine_code = folder / f"{chip}.ptx", folder / f"{chip}.cubin"
    path.write_text(assembly)
    if complaint := ptx.assemble(path, chip, machine_code, "-O3"):
        return [f"{chip}: {complaint}"]
    bodies, native = ptx.instructions(assembly), ptx.disassemble(machine_code)
    failures = []
    for computation, limit, conversions, *rest in rows:
        name = computation.name
        found = len(bodies[name]), sum(map(ptx.is_conversion, bodies[name]))
        if found[0] > limit or found[1] > conversions:
            failures.append(
                f"{chip}: {name}: at most {limit} instructions and {conversions} conversions, but got {found[0]} and {found[1]}"
            )
        machine_limit = rest[0] if rest else limit
        if native and len(native[name]) > machine_limit:
            failures.append(
                f"{chip}: {name}: at most {machine_limit} machine instructions, but got {len(native[name])}"
            )
    return failures


def main(program, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    failures = [
        failure
        for chip, rows in LIMITS.items()
        for failure in check_chip(program, folder, chip, rows)
    ]
    print(f"{sum(map(len, LIMITS.values()))} limits, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
