# Stochastic rounding in compiled code and the Reference, against exact arithmetic: each value with
# all 256 values of 8 random bits, of which the fraction determines how many round up. Other widths
# use Philox, which is compared with its known answers.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t %if full %{ full %}
import itertools
import pathlib
import platform
import subprocess
import sys

import ml_dtypes
import numpy as np
from conformance.described import DESCRIBED, MORE
from conformance.philox import random_bits

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
IS_FULL = len(sys.argv) > 3
CPUS = ["host", "x86-64-v3", "x86-64"] if platform.machine() == "x86_64" else ["host"]
TARGETS = [*(["--cpu", cpu] for cpu in CPUS), ["--target", "reference"]]
FORMATS = DESCRIBED | MORE
generator = np.random.default_rng(1)
failures = []
compared = 0


def compare(what, got, expected):
    global compared
    compared += got.size
    different = np.flatnonzero(got.ravel() != expected.ravel())
    if different.size:
        i = different[0]
        failures.append(
            f"{what}: {different.size} differ, {i}: expected {expected.ravel()[i]:#x}, but got {got.ravel()[i]:#x}"
        )


def run(text, inputs, count, *options):
    (work / "m.mlir").write_text(text)
    paths = [work / f"{i}.npy" for i in range(len(inputs))]
    for path, value in zip(paths, inputs, strict=True):
        np.save(path, value)
    command = [program, work / "m.mlir", "--inputs", *paths, "--outputs", work, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(work / f"output_{i}.npy") for i in range(count)]


def write_casts(source, width, cases):
    types = ", ".join(f"tensor<?x{to}>" for to, _ in cases)
    lines = "".join(
        f"  %{i} = quant_float.cast %x, %r mode quant_float opset 1 saturate {saturate} round_mode stochastic\n"
        f"    : tensor<?x{source}>, tensor<?xui{width}> to tensor<?x{to}>\n"
        for i, (to, saturate) in enumerate(cases)
    )
    results = ", ".join(f"%{i}" for i in range(len(cases)))
    return (
        f"func.func @main(%x: tensor<?x{source}>, %r: tensor<?xui{width}>) -> ({types}) {{\n{lines}"
        f"  return {results} : {types}\n}}\n"
    )


def signed(numbers):
    return np.concatenate([numbers, -numbers])


def check_casts(source, numbers, width, random, cases, targets=TARGETS):
    """The values of the array, each with the random bits of one row."""
    x = np.repeat(numbers, random.shape[1]) if random.ndim == 2 else numbers
    r = np.ravel(random).astype(np.uint8 if width <= 8 else np.uint16)
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float64 if source == "bf16" else np.longdouble).astype(np.longdouble)
    operand = x.view(np.uint16) if source == "bf16" else x
    expected = [
        FORMATS[to].encode_by_bits(wide, r, width, saturate == "true") for to, saturate in cases
    ]
    for target in targets:
        found = run(write_casts(source, width, cases), [operand, r], len(cases), *target)
        for (to, saturate), one, wanted in zip(cases, found, expected, strict=True):
            one = one.view(wanted.dtype)
            compare(f"{source} to {to} by {width} bits, saturate {saturate} {target}", one, wanted)


def choose_numbers(name):
    """Values of the format and values between two of them, with fractions of few and of many bits,
    and the ends of the range."""
    described = FORMATS[name]
    encodings = np.unique(generator.integers(0, described.largest + 1, 12))
    encodings = np.unique(
        np.append(
            encodings,
            [0, 1, (1 << described.mantissa) - 1, 1 << described.mantissa, described.largest],
        )
    )
    numbers = described._ordinary(np.arange(described.largest + 2))
    low, step = numbers[encodings], numbers[encodings + 1] - numbers[encodings]
    fractions = [0, 1 / 512, 1 / 256, 0.25, 0.5, 255 / 256, 511 / 512, *generator.random(3)]
    inside = np.concatenate([low + step * np.longdouble(fraction) for fraction in fractions])
    return inside.astype(np.float32)


def check_all_values():
    """S2: the 8-bit fraction is the number of the 256 random values that round up."""
    cases = [(to, "true") for to in FORMATS] + [
        (to, "false") for to in DESCRIBED if to != "f4E2M1FN"
    ]
    specials = np.float32([np.inf, np.nan, 1e-40, 3.4e38, 2.0**-30, 1e30])
    every = np.concatenate([choose_numbers(to) for to in FORMATS] + [specials])
    every = np.unique(every.view(np.uint32)).view(np.float32)
    every = every[:: max(1, every.size // (150 if IS_FULL else 60))]
    numbers = signed(np.concatenate([every, specials]))
    random = np.broadcast_to(np.arange(256), (numbers.size, 256))
    check_casts("f32", numbers, 8, random, cases)
    # The oracle itself: its count of values that round up equals the fraction.
    for to in FORMATS:
        described = FORMATS[to]
        wide = np.abs(numbers.astype(np.longdouble))
        known = described._ordinary(np.arange(described.largest + 1))
        inside = wide[wide < known[-1]]
        lower, ups = described.count_ups(inside, 8)
        up = known[lower + 1] - known[lower]
        exact = (inside - known[lower]) / up * 256
        assert ((ups <= exact) & (exact < ups + 1)).all(), to


def check_widths():
    """Values of other types and random bits of other widths. The tests above cover how each CPU
    computes with f32."""
    cases = [(to, "true") for to in FORMATS]
    targets = TARGETS if IS_FULL else [TARGETS[0], TARGETS[-1]]
    for number, (source, dtype) in enumerate(
        [("f32", np.float32), ("f16", np.float16), ("bf16", ml_dtypes.bfloat16)]
    ):
        for width in (2, 4, 16):
            if source == "f32":
                x = signed(np.concatenate([choose_numbers(to) for to in FORMATS]))
            else:
                x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
            if not IS_FULL:
                x = generator.choice(x, 1 << 11, replace=False)
            kept = [(to, saturate) for to, saturate in cases if to != source]
            bits = random_bits(x.size, width, 99 + number, width)
            check_casts(source, x, width, bits, kept, targets)


def check_philox():
    """Shapes of every rank up to 3, every width, and counters that wrap around and carry into the
    second 32-bit element."""
    shapes = [(3, 5, 7), (257,), (0, 4), ()]
    seeds = [(0, 0), (0xDEADBEEFCAFEF00D, 5), (1, 2**64 - 2), (2**63, 2**32 - 1)]
    widths = (2, 4, 8, 16, 32)
    # A loop has a fixed rank and width, and takes any seed.
    cases = [(shape, width, at) for shape in shapes[:2] for at, width in enumerate(widths)]
    cases += [(shape, width, 1) for shape in shapes[2:] for width in (4, 16)]
    if IS_FULL:
        cases = list(itertools.product(shapes, widths, range(len(seeds))))
    arguments, inputs = [], []
    for i, (seed, offset) in enumerate(seeds):
        arguments += [f"%s{i}: tensor<i64>", f"%o{i}: tensor<i64>"]
        inputs += [np.array(number, np.uint64).view(np.int64) for number in (seed, offset)]
    sizes = ["".join("?x" for _ in shape) for shape in shapes]
    for i, shape in enumerate(shapes):
        arguments.append(f"%x{i}: tensor<{sizes[i]}f16>")
        inputs.append(np.zeros(shape, np.float16))
    lines, types = [], []
    for i, (shape, width, at) in enumerate(cases):
        at %= len(seeds)
        like, size = shapes.index(shape), sizes[shapes.index(shape)]
        types.append(f"tensor<{size}ui{width}>")
        lines.append(
            f"  %{i} = quant_float.philox %s{at}, %o{at} like %x{like} : tensor<i64>, tensor<i64>, tensor<{size}f16> "
            f"to {types[-1]}\n"
        )
    names = ", ".join(f"%{i}" for i in range(len(cases)))
    text = (
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{''.join(lines)}"
        f"  return {names} : {', '.join(types)}\n}}\n"
    )
    for target in TARGETS:
        found = run(text, inputs, len(cases), *target)
        for (shape, width, at), one in zip(cases, found, strict=True):
            seed, offset = seeds[at % len(seeds)]
            wanted = random_bits(int(np.prod(shape)), width, seed, offset).astype(one.dtype)
            compare(f"{width} bits of {shape}, seed {seed}, offset {offset} {target}", one, wanted)


check_all_values()
check_widths()
check_philox()
print(f"{compared} compared, {len(failures)} failures")
sys.exit("\n".join(failures[:20]) if failures else 0)
