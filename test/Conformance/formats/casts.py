# Casts of the formats that ONNX lacks, in compiled code and the Reference, against exact
# arithmetic, which is compared with ml_dtypes: every value of up to 16 bits, and each midpoint with
# its neighbors for wider types.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-run %t %if full %{ full %}
import pathlib
import platform
import subprocess
import sys

import ml_dtypes
import numpy as np
from conformance.described import DESCRIBED, OWN

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
IS_FULL = len(sys.argv) > 3
# With lookup tables, with FMA, without both.
CPUS = ["host", "x86-64-v3", "x86-64"] if platform.machine() == "x86_64" else ["host"]
SAMPLE = 1 << (22 if IS_FULL else 17)
FLOATS = {
    "f16": (np.dtype(np.float16), np.uint16),
    "bf16": (np.dtype(ml_dtypes.bfloat16), np.uint16),
    "f32": (np.dtype(np.float32), np.uint32),
    "f64": (np.dtype(np.float64), np.uint64),
}
INTEGERS = {
    "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "i32": np.int32, "ui32": np.uint32, "i64": np.int64, "ui64": np.uint64,
}  # fmt: skip
random = np.random.default_rng(1)
failures = []
compared = 0


def fail_unless_equal(what, got, expected, inputs):
    global compared
    compared += got.size
    different = np.flatnonzero(got != expected)
    if different.size:
        i = different[0]
        failures.append(
            f"{what}: {different.size} differ, {inputs[i]}: expected {expected[i]:#x}, but got {got[i]:#x}"
        )


def run(name, operand, results, *options):
    """The results of casts of one array."""
    casts = "".join(
        f"  %{i} = quant_float.cast %x mode quant_float opset 1{text} : tensor<?x{name}> to tensor<?x{to}>\n"
        for i, (to, text) in enumerate(results)
    )
    types = ", ".join(f"tensor<?x{to}>" for to, _ in results)
    values = ", ".join(f"%{i}" for i in range(len(results)))
    (work / "m.mlir").write_text(
        f"func.func @main(%x: tensor<?x{name}>) -> ({types}) {{\n{casts}  return {values} : {types}\n}}\n"
    )
    np.save(work / "x.npy", operand)
    command = [program, work / "m.mlir", "--inputs", work / "x.npy", "--outputs", work, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(work / f"output_{i}.npy") for i in range(len(results))]


def near_midpoints(dtype, unsigned):
    """All midpoints and values of the formats with their neighbors, and random values."""
    numbers = np.concatenate([
        np.concatenate([DESCRIBED[name].midpoints, DESCRIBED[name].values(np.arange(128))]) for name in OWN
    ])  # fmt: skip
    encodings = np.abs(numbers).astype(dtype).view(unsigned)
    steps = [unsigned(i) for i in (0, 1, 2)]
    encodings = np.unique(
        np.concatenate([*(encodings + i for i in steps), *(encodings - i for i in steps)])
    )
    others = random.integers(0, np.iinfo(unsigned).max, SAMPLE, dtype=unsigned, endpoint=True)
    sign = unsigned(1 << (8 * dtype.itemsize - 1))
    return np.concatenate([encodings, encodings | sign, others])


def make_inputs(name):
    """Returns the array and its values."""
    with np.errstate(all="ignore"):
        if name in FLOATS:
            dtype, unsigned = FLOATS[name]
            is_small = dtype.itemsize == 2
            encodings = (
                np.arange(1 << 16, dtype=np.uint16) if is_small else near_midpoints(dtype, unsigned)
            )
            array = encodings.view(dtype)
            wide = array.astype(np.float64) if dtype.itemsize < 8 else array
            # The sign of a NaN is the sign bit of the encoding.
            numbers = np.copysign(
                wide.astype(np.longdouble),
                np.where(encodings >> (8 * dtype.itemsize - 1), -1.0, 1.0),
            )
            return (encodings if name == "bf16" else array), numbers
        dtype = np.dtype(INTEGERS[name])
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        if dtype.itemsize <= 2:
            array = np.arange(least, most + 1).astype(dtype)
        else:
            middle = np.concatenate([DESCRIBED[to].midpoints for to in OWN])
            near = np.unique(np.concatenate([middle + i for i in range(-2, 3)]).astype(np.int64))
            near = np.concatenate([near, -near])
            array = np.concatenate([
                near[(near >= least) & (near <= most)].astype(dtype), np.array([least, most, most - 1], dtype),
                random.integers(least, most, SAMPLE // 8, dtype=dtype, endpoint=True),
            ])  # fmt: skip
        return array, array.astype(np.longdouble)


def check_oracle():
    """ml_dtypes rounds once from f16 and f32, and does not saturate."""
    for name, described in DESCRIBED.items():
        if described.dtype is None:
            continue
        every = np.arange(256, dtype=np.uint8)
        with np.errstate(all="ignore"):
            theirs = every.view(described.dtype).astype(np.float64)
            ours = described.values(every).astype(np.float64)
        is_number = ~np.isnan(theirs)
        fail_unless_equal(f"{name}: NaN", np.isnan(ours) * 1, np.isnan(theirs) * 1, every)
        fail_unless_equal(
            f"{name}: values",
            ours[is_number].view(np.int64),
            theirs[is_number].view(np.int64),
            every[is_number],
        )
        for source in ("f16", "f32"):
            array, numbers = make_inputs(source)
            with np.errstate(all="ignore"):
                theirs = array.astype(described.dtype).view(np.uint8)
            ours = described.encode(numbers, saturate=False)
            if described.specials != "negative zero":
                # The payload of NaN is not compared here.
                isnan = np.isnan(numbers)
                theirs[isnan] = ours[isnan]
            fail_unless_equal(f"ml_dtypes: {source} to {name}", theirs, ours, array)


def check_encodings():
    results = [(to, f" saturate {text}") for to in OWN for text in ("true", "false")]
    for source in [*FLOATS, *INTEGERS]:
        array, numbers = make_inputs(source)
        expected = [DESCRIBED[to].encode(numbers, text.endswith("true")) for to, text in results]
        for target in [*(["--cpu", cpu] for cpu in CPUS), ["--target", "reference"]]:
            got = run(source, array, results, *target)
            for (to, text), one, wanted in zip(results, got, expected, strict=True):
                fail_unless_equal(f"{source} to {to}{text} {target}", one, wanted, array)


def widen(values, name):
    """Values as encodings of wider floats (C2, C7)."""
    dtype, unsigned = FLOATS[name]
    bits = values.astype(np.float64).astype(dtype).view(unsigned)
    quiet = np.array(np.nan, np.float64).astype(dtype).view(unsigned)
    sign = unsigned(1 << (8 * dtype.itemsize - 1))
    nan = np.where(np.signbit(values), quiet | sign, quiet & ~sign)
    return np.where(np.isnan(values), nan, bits)


def truncate(values, dtype):
    """C11"""
    bits = 64 if dtype.itemsize == 8 or dtype == np.uint32 else 32
    limit = np.ldexp(np.longdouble(1), bits - 1)
    whole = np.clip(np.trunc(np.where(np.isnan(values), 0, values)), -limit, limit - 1)
    encodings = whole.astype(np.int64).astype(f"u{dtype.itemsize}")
    # These formats convert magnitudes beyond 63 bits only if they are infinite.
    return (
        np.where(np.isposinf(values), np.iinfo(dtype).max, encodings)
        if dtype == np.uint64
        else encodings
    )


def check_decodings():
    every = np.arange(256, dtype=np.uint8)
    # Full vectors and a remainder.
    encodings = np.concatenate([every, every[::-1], random.integers(0, 256, 100, dtype=np.uint8)])
    for source in OWN:
        values = DESCRIBED[source].values(encodings)
        others = [to for to in DESCRIBED if to != source]
        results = [(to, "") for to in [*FLOATS, *INTEGERS, "i1", *others]]
        with np.errstate(all="ignore"):
            expected = [
                *(widen(values, to) for to in FLOATS),
                *(truncate(values, np.dtype(dtype)) for dtype in INTEGERS.values()),
                (values != 0).astype(np.uint8),
                *(DESCRIBED[to].encode(values) for to in others),
            ]
        for target in [*(["--cpu", cpu] for cpu in CPUS), ["--target", "reference"]]:
            got = run(source, encodings, results, *target)
            for (to, _), one, wanted in zip(results, got, expected, strict=True):
                one = one.view(f"u{one.dtype.itemsize}")
                fail_unless_equal(f"{source} to {to} {target}", one, wanted, encodings)


check_oracle()
check_encodings()
check_decodings()
print(f"{compared} compared, {len(failures)} failures")
sys.exit("\n".join(failures[:20]) if failures else 0)
