# Ops of upstream's arith and math with bf16 results, compiled for this CPU, have the bits of a
# single rounding: subnormals are not flushed to zero, although x86's vcvtneps2bf16 flushes them,
# and integers and f64 are not rounded twice. The sizes are no multiples of vectors, so that scalar
# code is tested, too.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:])
rng = np.random.default_rng(40)
COUNT = 40007
BF16 = ml_dtypes.bfloat16


def random_floats(kind, count=COUNT):
    """All exponents. Half of them are subnormal in bf16."""
    bits = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    bits[::2] &= 0x807FFFFF
    floats = bits.view(np.float32)
    floats[np.isnan(floats)] = 0
    if kind is np.float64:
        floats = floats.astype(np.float64)
        # Next to the midpoints of bf16, where double rounding through f32 is wrong.
        middle = (bits & 0xFFFF0000 | 0x8000).view(np.float32)
        middle[np.isnan(middle)] = 0
        middle = middle.astype(np.float64)
        floats[1::3] = np.nextafter(middle, rng.choice([-np.inf, np.inf], count))[1::3]
    return floats


def round_once(x, kind=BF16):
    """The float nearest to each f64, ties to even."""
    with np.errstate(over="ignore"):
        near = x.astype(np.float32)
    bits = near.view(np.uint32).copy()
    away = np.abs(near.astype(np.float64)) > np.abs(x)
    bits[away] -= 1
    inexact = bits.view(np.float32).astype(np.float64) != x
    bits[inexact] |= 1
    return bits.view(np.float32).astype(kind)


def run(name, types, result, body, inputs):
    """Compiles a linalg.generic with the body, and returns its results as bits."""
    arguments = [f"%a{i}" for i in range(len(types))]
    tensors = [f"tensor<?x{type}>" for type in types]
    elements = [f"%x{i}: {type}" for i, type in enumerate(types)]
    out = f"tensor<?x{result}>"
    same = ", ".join(["affine_map<(d0) -> (d0)>"] * (len(types) + 1))
    signature = ", ".join(map("{}: {}".format, arguments, tensors))
    (work / f"{name}.mlir").write_text(f"""
func.func @main({signature}) -> {out} {{
  %zero = arith.constant 0 : index
  %size = tensor.dim %a0, %zero : {tensors[0]}
  %empty = tensor.empty(%size) : {out}
  %r = linalg.generic {{indexing_maps = [{same}], iterator_types = ["parallel"]}}
      ins({", ".join(arguments)} : {", ".join(tensors)}) outs(%empty : {out}) {{
  ^bb0({", ".join(elements)}, %init: {result}):
    {body}
    linalg.yield %y : {result}
  }} -> {out}
  return %r : {out}
}}
""")
    command = [tools / "quant-float-run", work / f"{name}.mlir", "--inputs"]
    for i, values in enumerate(inputs):
        is_bfloat = values.dtype == BF16
        np.save(work / f"{name}{i}.npy", values.view(np.uint16) if is_bfloat else values)
        command.append(work / f"{name}{i}.npy")
    subprocess.run([*command, "--outputs", work / name], check=True)
    return np.load(work / name / "output_0.npy").view(np.uint16)


def check(name, got, expected):
    expected = expected.view(np.uint16)
    wrong = np.flatnonzero(got != expected)
    if wrong.size:
        first = wrong[0]
        sys.exit(f"{name}: {wrong.size} differ, the first: {got[first]:#x}, {expected[first]:#x}")


x = random_floats(np.float32)
check(
    "f32", run("f32", ["f32"], "bf16", "%y = arith.truncf %x0 : f32 to bf16", [x]), x.astype(BF16)
)
x = random_floats(np.float64)
for to, kind in ("bf16", BF16), ("f16", np.float16):
    body = f"%y = arith.truncf %x0 : f64 to {to}"
    with np.errstate(over="ignore"):
        check(to, run(to, ["f64"], to, body, [x]), round_once(x, kind))
back = "%n = arith.truncf %x0 : f32 to bf16\n %y = arith.extf %n : bf16 to f32"
body = f"{back.replace('%y', '%w')}\n %y = arith.truncf %w : f32 to bf16"
x = random_floats(np.float32)
check("back", run("back", ["f32"], "bf16", body, [x]), x.astype(BF16))

for type, kind in ("i32", np.int32), ("i64", np.int64):
    integers = rng.integers(-(1 << 31), 1 << 31, COUNT).astype(kind)
    # Next to the midpoints of bf16.
    integers[::2] = (integers[::2] & ~0xFFFFFF) + 0x800000 + rng.integers(-1, 2, integers[::2].size)
    for op, unsigned in ("sitofp", False), ("uitofp", True):
        values = integers.astype(np.float64)
        if unsigned and type == "i64":
            integers = np.abs(integers)
            values = integers.astype(np.float64)
        elif unsigned:
            values = integers.view(np.uint32).astype(np.float64)
        got = run(
            f"{op}_{type}", [type], "bf16", f"%y = arith.{op} %x0 : {type} to bf16", [integers]
        )
        check(f"{op} {type}", got, round_once(values))

# Results around the smallest normal number.
a, b = (
    (rng.standard_normal(COUNT) * np.exp2(rng.integers(-70, -55, COUNT))).astype(BF16)
    for _ in range(2)
)
tiny = [a.astype(np.float32), b.astype(np.float32)]
small = [(v * np.float32(2.0**-65)).astype(BF16) for v in tiny]
for op, one, other in (
    (np.multiply, a, b),
    (np.add, *small),
    (np.subtract, *small),
    (np.divide, small[0], (np.float32(2.0**70) * tiny[1]).astype(BF16)),
):
    name = {"multiply": "mulf", "add": "addf", "subtract": "subf", "divide": "divf"}[op.__name__]
    with np.errstate(all="ignore"):
        expected = op(one.astype(np.float32), other.astype(np.float32)).astype(BF16)
    keep = ~np.isnan(expected.astype(np.float32))
    inputs = [np.ascontiguousarray(v[keep]) for v in (one, other)]
    got = run(name, ["bf16", "bf16"], "bf16", f"%y = arith.{name} %x0, %x1 : bf16", inputs)
    check(name, got, expected[keep])
negated = run("negf", ["bf16"], "bf16", "%y = arith.negf %x0 : bf16", [small[0]])
check("negf", negated, -small[0])
# Which zero is larger is not specified.
small = [np.where(v == 0, BF16(1), v).astype(BF16) for v in small]
larger = run("maximumf", ["bf16"] * 2, "bf16", "%y = arith.maximumf %x0, %x1 : bf16", small)
check("maximumf", larger, np.maximum(*small))
