# Kernels of one cast each, of four elements, for each chip: NVIDIA's assembler takes the PTX, and there is the chip's conversion
# instruction, once for two elements, where there should be, and none where not.
# RUN: %python %s %tools_dir/quant-float-opt %t %if full %{ full %}
import itertools
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

WIDE = {"f32": "f32", "f16": "f16", "bf16": "i16", "f64": "f64"}
# Each narrow float's name in PTX; there is none for those that no instruction knows.
NARROW = {
    "f8E4M3FN": "e4m3x2",
    "f8E5M2": "e5m2x2",
    "f8E4M3FNUZ": None,
    "f8E5M2FNUZ": None,
    "f8E8M0FNU": "ue8m0x2",
    "f4E2M1FN": "e2m1x2",
    "f6E2M3FN": "e2m3x2",
    "f6E3M2FN": "e3m2x2",
}
COUNTERPARTS = {"f8E4M3FNUZ": "f8E4M3FN", "f8E5M2FNUZ": "f8E5M2"}
# Chips, and the first version of PTX with all of a chip's instructions.
CHIPS = {
    "sm_75": 63, "sm_80": 70, "sm_86": 71, "sm_89": 81, "sm_90": 78, "sm_90a": 80, "sm_100a": 86, "sm_100f": 88, "sm_103a": 88,
    "sm_120a": 87, "sm_121a": 88,
}  # fmt: skip
MORE_CHIPS = {
    "sm_87": 74, "sm_88": 90, "sm_100": 86, "sm_103": 88, "sm_103f": 88, "sm_110": 90, "sm_110a": 90, "sm_110f": 90, "sm_120": 87,
    "sm_120f": 88, "sm_121": 88, "sm_121f": 88,
}  # fmt: skip
PASSES = (
    "convert-gpu-to-nvvm,convert-vector-to-llvm,convert-arith-to-llvm,convert-math-to-llvm,convert-index-to-llvm,"
    "reconcile-unrealized-casts)"
)
CONVERSION = re.compile(r"cvt\.\S*\b(e4m3x2|e5m2x2|ue8m0x2|e2m1x2|e2m3x2|e3m2x2)\b")
# What only brings values in and out.
TRANSPORT = re.compile(r"^(\.|//|[{}()]|mov|ld|st|ret|cvta)")

# How many instructions four elements take, all corrections included.
LIMITS = {
    "sm_80": {
        "f32_to_f8E4M3FN": 44,
        "f32_to_f8E5M2": 44,
        "f32_to_f4E2M1FN": 45,
        "f32_to_f8E8M0FNU": 31,
        "f8E4M3FN_to_f32": 31,
    },
    "sm_90": {
        "f32_to_f8E4M3FN": 11,
        "f32_to_f8E5M2": 16,
        "f32_to_f8E4M3FNUZ": 30,
        "f32_to_f8E5M2FNUZ": 34,
        "f16_to_f8E4M3FN": 15,
        "f8E4M3FN_to_f32": 26,
        "f8E4M3FN_to_f16": 25,
    },
    "sm_100a": {
        "f32_to_f8E8M0FNU": 17,
        "f32_to_f6E2M3FN": 31,
        "f32_to_f4E2M1FN": 37,
        "f4E2M1FN_to_f32": 17,
        "f6E2M3FN_to_f32": 8,
        "f8E8M0FNU_to_f32": 14,
    },
}


def storage(name):
    return WIDE.get(name) or ("i8" if name[1] in "46" else name)


def move(result, operand, source, to):
    if source == to:
        return f"{result} = arith.bitcast {operand} : vector<4x{source}> to vector<4x{to}>"
    return f"{result} = quant_float.storage_cast {operand} : vector<4x{source}> to vector<4x{to}>"


def kernel(source, to, options):
    from_type, to_type = storage(source), storage(to)
    lines = [
        f"gpu.func @{name_of(source, to, options)}(%in: memref<?x{from_type}>, %out: memref<?x{to_type}>) kernel {{",
        "%c0 = arith.constant 0 : index",
        f"%a = vector.load %in[%c0] {{alignment = 16 : i64}} : memref<?x{from_type}>, vector<4x{from_type}>",
        move("%x", "%a", from_type, source),
        f"%y = quant_float.cast %x opset 28{options} : vector<4x{source}> to vector<4x{to}>",
        move("%b", "%y", to, to_type),
        f"vector.store %b, %out[%c0] {{alignment = 16 : i64}} : memref<?x{to_type}>, vector<4x{to_type}>",
        "gpu.return",
        "}",
    ]
    return "\n".join(lines)


def name_of(source, to, options):
    return re.sub(r"\W+", "_", f"{source} to {to}{options}")


def cases(is_full):
    pairs = [*itertools.product(WIDE, NARROW), *itertools.product(NARROW, WIDE)]
    if is_full:
        pairs += itertools.permutations(NARROW, 2)
    for source, to in pairs:
        yield source, to, ""
        if is_full and to.startswith("f8"):
            yield source, to, " saturate false"
        if is_full and to == "f8E8M0FNU":
            yield source, to, " round_mode down"
            yield source, to, " saturate false round_mode down"
            yield source, to, " round_mode nearest"


def has(chip, name):
    """Whether there are instructions for this narrow float."""
    number, suffix = re.fullmatch(r"sm_(\d+)(\w?)", chip).groups()
    if name in ("f8E4M3FN", "f8E5M2"):
        return int(number) >= 89
    return name in NARROW and NARROW[name] is not None and int(number) >= 100 and suffix != ""


def expected(chip, source, to, options):
    names = [name for name in (source, to) if has(chip, name)]
    if to in names and "nearest" in options:
        names.remove(to)
    # FNUZ codes are made of two conversions of the other kind.
    if to in COUNTERPARTS and has(chip, COUNTERPARTS[to]):
        names += 2 * [COUNTERPARTS[to]]
    return sorted(2 * [NARROW[name] for name in names])


def compile_chip(program, folder, chip, ptx, is_full):
    kernels = "\n".join(kernel(*case) for case in cases(is_full))
    pipeline = (
        f"builtin.module(gpu.module(convert-quant-float-to-nvvm{{chip={chip}}},canonicalize,cse),"
        f"nvvm-attach-target{{chip={chip} features=+ptx{ptx} O=3}},gpu.module({PASSES},gpu-module-to-binary{{format=isa}})"
    )
    done = subprocess.run(
        [program, f"--pass-pipeline={pipeline}", "-"],
        input=f"gpu.module @kernels {{\n{kernels}\n}}\n",
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{chip}: {done.stderr[:2000]}")
    escaped = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', done.stdout)[1]
    text = re.sub(r"\\([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), escaped).rstrip("\0")
    path = folder / f"{chip}.ptx"
    path.write_text(text)
    return path, dict(re.findall(r"\.entry (\w+)\((.*?)\n\}", text, re.DOTALL))


def check_chip(program, ptxas, folder, chip, ptx, is_full):
    failures = []
    path, bodies = compile_chip(program, folder, chip, ptx, is_full)
    done = subprocess.run(
        [ptxas, f"-arch={chip}", "-O0", path, "-o", os.devnull], capture_output=True, text=True
    )
    if done.returncode:
        failures.append(f"{chip}: {done.stderr[:2000]}")
    counts = {}
    for case in cases(is_full):
        name = name_of(*case)
        lines = [line.strip() for line in bodies[name].splitlines()]
        found = sorted(match[1] for line in lines if (match := CONVERSION.match(line)))
        if found != expected(chip, *case):
            failures.append(f"{chip}: {name}: expected {expected(chip, *case)}, but got {found}")
        counts[name] = sum(bool(line) and not TRANSPORT.match(line) for line in lines)
    for name, limit in LIMITS.get(chip, {}).items():
        if counts[name] > limit:
            failures.append(f"{chip}: {name}: at most {limit} instructions, but got {counts[name]}")
    return failures, counts


def main(program, folder, full=""):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    ptxas = Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13" / "bin" / "ptxas"
    chips = {**CHIPS, **(MORE_CHIPS if full else {})}
    failures = []
    kernels = 0
    for chip, ptx in chips.items():
        found, counts = check_chip(program, ptxas, folder, chip, ptx, bool(full))
        failures += found
        kernels += len(counts)
    print(f"{kernels} kernels for {len(chips)} chips, {len(failures)} failures")
    return "\n".join(failures) if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
