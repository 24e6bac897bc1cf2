# Stochastic quantization in compiled code and the Reference, against exact arithmetic: each value
# with all values of 2, 4 and 8 random bits, of which the fraction determines how many round up, per
# tensor, per axis and in blocks. Other widths, source types and precisions are sampled.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t %if full %{ full %}
import pathlib
import platform
import subprocess
import sys
from dataclasses import dataclass, replace

import ml_dtypes
import numpy as np
from conformance.described import DESCRIBED, MORE
from conformance.stochastic import get_range, round_to_integer

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
IS_FULL = len(sys.argv) > 3
# With AVX-512 instructions, with FMA, without both.
CPUS = ["host", "x86-64-v3", "x86-64"] if platform.machine() == "x86_64" else ["host"]
TARGETS = [*(["--cpu", cpu] for cpu in CPUS), ["--target", "reference"]]
NUMBERS = 60 if IS_FULL else 24
BLOCK = 3
SOURCES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64}
generator = np.random.default_rng(7)
failures = []
compared = 0


@dataclass(frozen=True)
class Case:
    """One op: its result type, operands and attributes."""

    to: str
    granularity: str = "tensor"  # "tensor", "axis", "block"
    zero_point: bool = False
    saturate: bool = True
    precision: str | None = None
    op: str = "quantize"


def is_integer(to):
    return to.lstrip("u").startswith("i")


def decode(to, encodings):
    """Values of the storage type, exact."""
    if is_integer(to):
        return encodings.astype(np.longdouble)
    return (DESCRIBED | MORE)[to].values(encodings)


def make_zero_points(to, shape):
    if is_integer(to):
        low, high = get_range(to)
        width = 8 if high - low < 256 else 16
        found = generator.integers(low, high, shape, endpoint=True)
        return found.astype(f"{'u' if low == 0 else 'i'}{width // 8}")
    # Zero points of float8 have no effect.
    described = (DESCRIBED | MORE)[to]
    return generator.integers(0, described.largest // 2, shape).astype(np.uint8)


def divide(x, scales, precision):
    """The quotient in the precision. f16 and bf16 are rounded from f32, which gives the same
    result."""
    dtype = SOURCES[precision]
    with np.errstate(all="ignore"):
        return (x.astype(dtype) / scales.astype(dtype)).astype(dtype)


def expect(case, x, scales, zero_points, random, width, source, scale_type):
    """Quantized values, or dequantized ones."""
    precision = case.precision or (scale_type if scale_type in SOURCES else "f32")
    q = divide(x, scales, precision)
    zeros = zero_points if case.zero_point else np.zeros_like(zero_points)
    if is_integer(case.to):
        encodings = round_to_integer(q, random, width, case.to, zeros.astype(np.int64))
    else:
        if case.zero_point and case.to.startswith(("f6", "f4")):
            with np.errstate(all="ignore"):
                q = (q + decode(case.to, zeros).astype(SOURCES[precision])).astype(
                    SOURCES[precision]
                )
        described = (DESCRIBED | MORE)[case.to]
        with np.errstate(invalid="ignore"):
            wide = q.astype(np.float64).astype(np.longdouble)
        encodings = described.encode_by_bits(
            wide.ravel(), np.broadcast_to(random, q.shape).ravel(), width, case.saturate
        )
        encodings = encodings.reshape(q.shape)
    if case.op == "quantize":
        return encodings
    difference = decode(case.to, encodings)
    if case.zero_point and not case.to.startswith(("f8", "!")):
        difference = difference - decode(case.to, zeros)
    with np.errstate(all="ignore"):
        return (difference.astype(np.float32) * scales.astype(np.float32)).astype(SOURCES[source])


def spread(values, granularity, shape):
    if granularity == "tensor":
        return np.broadcast_to(values, shape)
    if granularity == "axis":
        return np.broadcast_to(values[:, None], shape)
    return np.repeat(values, BLOCK, axis=1)[:, : shape[1]]


def write(cases, source, scale_type, width):
    """A model of all cases: the source, the random bits, and a scale and optionally a zero point
    for each case."""
    sizes = {"tensor": "", "axis": "?x", "block": "?x?x"}
    arguments, lines, names, types = (
        [f"%x: tensor<?x?x{source}>", f"%r: tensor<?x?xui{width}>"],
        [],
        [],
        [],
    )
    for i, case in enumerate(cases):
        size = sizes[case.granularity]
        operands, operand_types = (
            ["%x", f"%s{i}"],
            [f"tensor<?x?x{source}>", f"tensor<{size}{scale_type}>"],
        )
        if case.zero_point:
            operands.append(f"%z{i}")
            operand_types.append(f"tensor<{size}{case.to}>")
        arguments += [
            f"{name}: {type}" for name, type in zip(operands[1:], operand_types[1:], strict=True)
        ]
        result = f"tensor<?x?x{case.to if case.op == 'quantize' else source}>"
        words = {"tensor": "", "axis": " axis 0", "block": f" axis 1 block_size {BLOCK}"}[
            case.granularity
        ]
        if case.op == "qdq":
            words += f" storage {case.to}"
        words += ' opset 1 domain "quant_float"'
        words += "" if case.saturate else " saturate false"
        words += f" precision {case.precision}" if case.precision else ""
        lines.append(
            f"  %{i} = quant_float.{case.op} {', '.join([*operands, '%r'])}{words} round_mode stochastic\n"
            f"    : {', '.join([*operand_types, f'tensor<?x?xui{width}>'])} to {result}\n"
        )
        names.append(f"%{i}")
        types.append(result)
    return (
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{''.join(lines)}"
        f"  return {', '.join(names)} : {', '.join(types)}\n}}\n"
    )


def make_scales(scale_type, shape):
    """Ordinary values of both signs, and the ends of the range."""
    if scale_type == "f8E8M0FNU":
        encodings = generator.integers(118, 134, shape).astype(np.uint8)
        flat = encodings.reshape(-1)
        flat[: min(3, flat.size)] = [255, 0, 254][: min(3, flat.size)] if flat.size > 1 else [124]
        return encodings, np.where(
            encodings == 255, np.float32(np.nan), np.ldexp(1.0, encodings.astype(np.int64) - 127)
        ).astype(np.float32)
    found = (2.0 ** generator.uniform(-4, 3, shape) * generator.choice([-1, 1], shape)).astype(
        SOURCES[scale_type]
    )
    flat = found.reshape(-1)
    special = np.array([0, np.inf, np.nan, 1e-42, 3e38, 1, -0.5])
    if flat.size > special.size:
        with np.errstate(over="ignore"):
            flat[1 : 1 + special.size] = special.astype(found.dtype)
    return found, found


def make_numbers(source):
    if source == "i32":
        few = generator.integers(-40, 40, NUMBERS)
        return np.concatenate([few, [0, 2**31 - 1, -(2**31), 2**24 + 1]]).astype(np.int32)
    ordinary = generator.choice([-1, 1], NUMBERS) * 2.0 ** generator.uniform(-12, 10, NUMBERS)
    quarters = generator.integers(-40, 40, NUMBERS) / 4
    ends = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1e-40,
        -3e38,
        1e-9,
        448,
        449,
        479,
        480,
        6.5,
        7.5,
        28,
        31,
    ]
    with np.errstate(over="ignore"):
        return np.concatenate([ordinary, quarters, ends]).astype(SOURCES[source])


def check(source, scale_type, width, cases, targets):
    global compared
    numbers = make_numbers(source)
    count = min(1 << width, 256)
    x = np.repeat(numbers[:, None], count, axis=1)
    random = np.arange(count) if width <= 8 else generator.integers(0, 1 << width, count)
    r = np.broadcast_to(random, x.shape).astype(np.uint8 if width <= 8 else np.uint16)
    shapes = {"tensor": (), "axis": (x.shape[0],), "block": (x.shape[0], -(-count // BLOCK))}
    inputs, expected = [x, r], []
    for case in cases:
        shape = shapes[case.granularity]
        stored, scales = make_scales(scale_type, shape)
        zeros = make_zero_points(case.to, shape)
        inputs += [stored, zeros] if case.zero_point else [stored]
        expected.append(
            expect(case, x, spread(scales, case.granularity, x.shape), spread(zeros, case.granularity, x.shape),
                   r, width, source, scale_type)
        )  # fmt: skip
    (work / "m.mlir").write_text(write(cases, source, scale_type, width))
    paths = [work / f"{i}.npy" for i in range(len(inputs))]
    for path, value in zip(paths, inputs, strict=True):
        np.save(path, value.view(np.uint16) if value.dtype == ml_dtypes.bfloat16 else value)
    for target in targets:
        command = [program, work / "m.mlir", "--inputs", *paths, "--outputs", work, *target]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for i, (case, wanted) in enumerate(zip(cases, expected, strict=True)):
            found = np.load(work / f"output_{i}.npy")
            if case.op == "qdq":
                found = found.view(wanted.dtype)
                same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
            else:
                wanted = wanted.astype(found.dtype)
                same = found == wanted
                if not is_integer(case.to):
                    # D8: the sign of a NaN is open.
                    described = (DESCRIBED | MORE)[case.to]
                    q = np.isnan(described.values(wanted.ravel())).reshape(same.shape)
                    same |= q & np.isnan(described.values(found.ravel())).reshape(same.shape)
                    if described.specials == "none":
                        same |= (found | wanted) == described.sign
            compared += same.size
            if not same.all():
                at = tuple(np.argwhere(~same)[0])
                failures.append(
                    f"{case} from {source} by {scale_type}, {width} bits, {target}: {(~same).sum()} differ, at {at} "
                    f"x {x[at]}, r {r[at]}: expected {wanted[at]}, but got {found[at]}"
                )


INTEGERS = ("i8", "ui8", "i4", "ui4", "i2", "ui2", "i16", "ui16")
FLOATS = (
    "f8E4M3FN",
    "f8E5M2",
    "f6E2M3FN",
    "f6E3M2FN",
    "f4E2M1FN",
    "!quant_float.f8UE5M3",
    "f8E4M3FNUZ",
    "f8E5M2FNUZ",
)
CASES = (
    [Case("i8"), Case("f8E4M3FN"), Case("f8E5M2", "axis", saturate=False), Case("f8E4M3FN", "block", saturate=False)]
    + [Case("i8", "axis", True), Case("i4", "block", True), Case("ui4", "tensor", True), Case("f4E2M1FN", "block")]
    + [Case("f4E2M1FN", "axis", True), Case("f6E2M3FN", "block", True), Case("f6E3M2FN", "axis")]
    + [Case("i8", "block", True, op="qdq"), Case("f8E5M2", "axis", op="qdq"), Case("f8E4M3FN", saturate=False, op="qdq")]
)  # fmt: skip
MANY = [
    Case(to, granularity, zero_point, saturate)
    for to in (*INTEGERS, *FLOATS)
    for granularity in ("tensor", "axis", "block")
    for zero_point in (False, True)
    for saturate in (True, False)
    if saturate or (not is_integer(to) and not to.startswith(("f4", "f6")))
]


def with_precision(cases, precision):
    return [replace(case, precision=precision) for case in cases]


FEW = [TARGETS[0], TARGETS[-1]]
check("f32", "f32", 8, CASES, TARGETS)
for at, width in enumerate((2, 4, 16)):
    check("f32", "f32", width, CASES[at % 2 :: 2], FEW)
SIXTEEN = [Case("i16", "axis", True), Case("ui16", "axis"), *CASES[:3], CASES[5], CASES[8]]
check("f16", "f16", 2, SIXTEEN, FEW)
check("bf16", "f32", 4, with_precision(SIXTEEN, "bf16"), FEW)
check("f32", "f8E8M0FNU", 4, with_precision(SIXTEEN, "f64"), FEW)
check("i32", "f32", 16, [case for case in SIXTEEN if case.op != "qdq"], FEW)
if IS_FULL:
    check("f32", "f32", 8, MANY, TARGETS)
    check("f32", "f32", 16, MANY, FEW)
    for width in (2, 4, 16):
        check("f32", "f32", width, CASES, TARGETS)
    for source in ("f16", "bf16", "f32"):
        for precision in SOURCES:
            check(source, "f32", 8, with_precision(CASES, precision), FEW)
print(f"{compared} compared, {len(failures)} failures")
sys.exit("\n".join(failures[:20]) if failures else 0)
