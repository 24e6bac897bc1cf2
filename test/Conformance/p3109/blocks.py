# Block conversions in compiled code and the Reference, against the draft's definitions in
# fractions: convert_to_block and convert_from_block, and ConvertToBlockMaxAbsFinite, which is three
# ops.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t %if full %{ full %}
import itertools
import pathlib
import platform
import subprocess
import sys
from fractions import Fraction

import numpy as np
from conformance.p3109 import (
    ALL,
    DETERMINISTIC,
    FORMATS,
    REQUIRED,
    SATURATIONS,
    STANDARD,
    STOCHASTIC,
)

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
IS_FULL = len(sys.argv) > 3
CPUS = ["host", "x86-64-v3", "x86-64"] if platform.machine() == "x86_64" else ["host"]
SCALES = ("f32", "f16", "binary8p1uf", "binary8p4se", "binary4p2sf", "binary8p3ue")
WIDE = ("f32", "f16", "bf16", "binary8p4se", "binary8p1uf")
random = np.random.default_rng(5)
failures = []
compared = 0
INF, NAN = float("inf"), float("nan")


def project(to, value, rounding, saturation, r, width):
    """The encoding of a projected fraction, infinity or NaN, by the definitions of 4.7."""
    if value == 0:
        return to.encodings(np.array([0.0]))[0]
    if isinstance(value, Fraction):
        size = abs(value)
        top = size.numerator.bit_length() - size.denominator.bit_length()
        top -= Fraction(2) ** top > size
        last = max(top, 1 - to.bias) - to.precision + 1
        scaled = size / Fraction(2) ** last
        below = scaled.numerator // scaled.denominator
        rest, half, limit = scaled - below, Fraction(1, 2), 2**width
        is_even = below % 2 == 0 if to.precision > 1 else below == 0 or (last + to.bias) % 2 == 0
        away = {
            "NearestTiesToEven": lambda: rest > half or (rest == half and not is_even),
            "NearestTiesToAway": lambda: rest >= half,
            "TowardPositive": lambda: rest > 0 and value > 0,
            "TowardNegative": lambda: rest > 0 and value < 0,
            "TowardZero": lambda: False,
            "ToOdd": lambda: rest > 0 and is_even,
            "StochasticA": lambda: int(rest * limit) + r >= limit,
            "StochasticB": lambda: int(rest * 2 * limit) + 2 * r + 1 >= 2 * limit,
            "StochasticC": lambda: round(rest * limit) + r >= limit,
        }[rounding]()
        value = (1 if value > 0 else -1) * (below + away) * Fraction(2) ** last
    highest, lowest = Fraction(to.highest), Fraction(to.lowest)
    is_infinite = value in (INF, -INF)
    if value != value or (not is_infinite and lowest <= value <= highest):
        return to.encodings(np.array([float(value)]))[0]
    end = to.highest if value > 0 else to.lowest
    has_infinity = to.is_extended and (value > 0 or to.is_signed)
    infinity = INF if value > 0 else -INF
    if saturation == "SatFinite":
        result = end
    elif saturation == "SatPropagate":
        result = infinity if is_infinite and has_infinity else end
    else:
        inward = ("TowardZero", "TowardNegative" if value > 0 else "TowardPositive")
        result = (
            end if not is_infinite and rounding in inward else infinity if has_infinity else NAN
        )
    return to.encodings(np.array([result]))[0]


def exact(value):
    value = float(value)
    return Fraction(value) if np.isfinite(value) else value


def sign(value):
    return (value > 0) - (value < 0)


def divide(x, s):
    """Section 5.1.2."""
    if x != x or s != s:
        return NAN
    if s == 0:
        return Fraction(0)
    if s in (INF, -INF):
        return Fraction(sign(x) * sign(s))
    return x * sign(s) if x in (INF, -INF) else x / s


def multiply(x, s):
    if x != x or s != s or (0 in (x, s) and {INF, -INF} & {x, s}):
        return NAN
    if {INF, -INF} & {x, s}:
        return INF * (sign(x) * sign(s))
    return x * s


def make_encodings(source, count):
    """Values of all kinds: the ends of the range and random ones."""
    unsigned = source.unsigned if source.name in STANDARD else np.uint8
    encodings = random.integers(0, 2**source.width, count, dtype=np.uint64)
    if source.name in STANDARD:
        # Half of them near 1, so that quotients are in range.
        one = int(source.encodings(np.array([1.0]))[0])
        near = one + random.integers(-(1 << source.width - 6), 1 << source.width - 6, count)
        encodings = np.where(random.integers(0, 2, count) == 1, near.astype(np.uint64), encodings)
    top = 1 << (source.width - 1)
    ends = [0, 1, top, top - 1, top - 2, 2 * top - 1, 2 * top - 2, top + 1]
    if source.name in STANDARD:
        infinity = int(source.encodings(np.array([INF]))[0])
        ends += [infinity, infinity + 1, infinity - 1, infinity | top]
    encodings[: len(ends)] = ends
    return random.permutation(encodings).astype(unsigned)


def save(path, source, encodings):
    kind = {"f32": np.float32, "f16": np.float16}.get(source.name, encodings.dtype)
    np.save(path, encodings.view(kind))


def check(op, source, scale, to, modes, options):
    global compared
    rows, columns, block = 8, 13, 8
    x = make_encodings(source, rows * columns).reshape(rows, columns)
    s = make_encodings(scale, rows * 2).reshape(rows, 2)
    bits = random.integers(0, 16, (rows, columns)).astype(np.uint8)
    scales = np.repeat(s, block, axis=1)[:, :columns]
    operation = divide if op == "convert_to_block" else multiply
    values = [
        operation(exact(a), exact(b))
        for a, b in zip(source.values(x).ravel(), scale.values(scales).ravel(), strict=True)
    ]
    lines, types = [], []
    for i, (rounding, saturation) in enumerate(modes):
        types.append(f"tensor<?x?x{to.mlir}>")
        extra = (", %r", ", tensor<?x?xui4>") if rounding in STOCHASTIC else ("", "")
        lines.append(
            f"  %{i} = quant_float.{op} %x, %s{extra[0]} block [1, {block}] projection <D1, {rounding}, {saturation}>"
            f" : tensor<?x?x{source.mlir}>, tensor<?x?x{scale.mlir}>{extra[1]} to {types[-1]}\n"
        )
    names = ", ".join(f"%{i}" for i in range(len(modes)))
    (work / "m.mlir").write_text(
        f"func.func @main(%x: tensor<?x?x{source.mlir}>, %s: tensor<?x?x{scale.mlir}>, %r: tensor<?x?xui4>)"
        f" -> ({', '.join(types)}) {{\n{''.join(lines)}  return {names} : {', '.join(types)}\n}}\n"
    )
    save(work / "x.npy", source, x)
    save(work / "s.npy", scale, s)
    np.save(work / "r.npy", bits)
    command = [program, work / "m.mlir", "--inputs", *(work / f"{name}.npy" for name in "xsr"), "--outputs", work, *options]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for i, (rounding, saturation) in enumerate(modes):
        found = np.load(work / f"output_{i}.npy")
        found = found.view(to.unsigned) if to.name in STANDARD else found
        width = 4 if rounding in STOCHASTIC else 0
        wanted = [
            project(to, value, rounding, saturation, int(r), width)
            for value, r in zip(values, bits.ravel(), strict=True)
        ]
        compared += len(wanted)
        different = np.flatnonzero(found.ravel() != np.array(wanted, found.dtype))
        if different.size:
            j = different[0]
            failures.append(
                f"{op} {source.name} by {scale.name} to {to.name} {rounding} {saturation} {' '.join(options)}: {different.size} differ, "
                f"{x.ravel()[j]:#x} by {scales.ravel()[j]:#x}: {found.ravel()[j]:#x}, expected {wanted[j]:#x}"
            )


def check_max_abs_finite(source, scale, to, options):
    """Scales are projections of the largest finite magnitudes."""
    global compared
    rows, columns, block = 8, 13, 8
    x = make_encodings(source, rows * columns).reshape(rows, columns)
    # Blocks of zeros, and of no finite number.
    infinity, one = source.encodings(np.array([INF, 1.0]))
    x[0, :], x[1, :block], x[1, block:] = 0, infinity, infinity + 1
    x[2, :], x[2, 3] = infinity, one
    (work / "m.mlir").write_text(
        f"func.func @main(%x: tensor<?x?x{source.mlir}>) -> (tensor<?x?x{source.mlir}>, tensor<?x?x{scale.mlir}>, tensor<?x?x{to.mlir}>) {{\n"
        f"  %a = quant_float.block_amax %x block [1, {block}] finite : tensor<?x?x{source.mlir}> to tensor<?x?x{source.mlir}>\n"
        f"  %s = quant_float.cast %a mode p3109 opset 1 projection <D1, TowardPositive, SatFinite> : tensor<?x?x{source.mlir}> to tensor<?x?x{scale.mlir}>\n"
        f"  %q = quant_float.convert_to_block %x, %s block [1, {block}] projection <D1, NearestTiesToEven, SatFinite>"
        f" : tensor<?x?x{source.mlir}>, tensor<?x?x{scale.mlir}> to tensor<?x?x{to.mlir}>\n"
        f"  return %a, %s, %q : tensor<?x?x{source.mlir}>, tensor<?x?x{scale.mlir}>, tensor<?x?x{to.mlir}>\n}}\n"
    )
    save(work / "x.npy", source, x)
    command = [program, work / "m.mlir", "--inputs", work / "x.npy", "--outputs", work, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    values = [[exact(value) for value in row] for row in source.values(x)]
    wanted = ([], [], [])
    for row in values:
        for first in range(0, columns, block):
            part = row[first : first + block]
            finite = [abs(value) for value in part if isinstance(value, Fraction)]
            amax = max(finite, default=NAN)
            wanted[0].append(source.encodings(np.array([float(amax)]))[0])
            wanted[1].append(project(scale, amax, "TowardPositive", "SatFinite", 0, 0))
            divisor = exact(scale.values(np.array([wanted[1][-1]]))[0])
            wanted[2].extend(
                project(to, divide(value, divisor), "NearestTiesToEven", "SatFinite", 0, 0)
                for value in part
            )
    for i, form in enumerate((source, scale, to)):
        found = np.load(work / f"output_{i}.npy").ravel()
        found = found.view(form.unsigned) if form.name in STANDARD else found
        expected = np.array(wanted[i], found.dtype)
        compared += found.size
        if not np.array_equal(found, expected):
            j = np.flatnonzero(found != expected)[0]
            failures.append(
                f"block_amax finite {source.name} by {scale.name} to {form.name} {' '.join(options)}: "
                f"{found[j]:#x}, expected {expected[j]:#x}"
            )


def main():
    for source, scale, to in (
        ("f32", "binary8p1uf", "binary4p2sf"),
        ("f16", "binary8p4se", "binary8p3se"),
        ("bf16", "f32", "binary8p4se"),
    ):
        for options in (["--target", "reference"], *(["--cpu", cpu] for cpu in CPUS)):
            check_max_abs_finite(FORMATS[source], FORMATS[scale], FORMATS[to], options)
    modes = list(itertools.product((*DETERMINISTIC, *STOCHASTIC), SATURATIONS))
    narrow = list(ALL) if IS_FULL else [*REQUIRED, "binary8p4sf", "binary8p8uf", "binary5p1ue"]
    pairs = list(itertools.product(SCALES, narrow))
    for i, (scale, to) in enumerate(pairs if IS_FULL else pairs[::4]):
        wide, scale, to = FORMATS[WIDE[i % len(WIDE)]], FORMATS[scale], FORMATS[to]
        # The modes in turn, because compilation dominates the time.
        some = modes if IS_FULL else [modes[(7 * i + j) % len(modes)] for j in range(3)]
        cpus = CPUS if IS_FULL else [CPUS[i % len(CPUS)]]
        reference = modes if IS_FULL else modes[i % 6 :: 6]
        for op, source, target in (
            ("convert_to_block", wide, to),
            ("convert_from_block", to, wide),
        ):
            check(op, source, scale, target, reference, ["--target", "reference"])
            if not IS_FULL and (op == "convert_to_block") != (i % 2 == 0):
                continue
            for cpu in cpus:
                check(op, source, scale, target, some, ["--cpu", cpu])
    print(f"{compared} results, {len(failures)} differences")
    sys.exit("\n".join(failures[:30]) or 0)


main()
