# A float8 qdq and the fakeconvert that the passes convert it to yield equal bits: all f16 and bf16
# inputs, and f32 inputs dense around every rounding boundary, for powers of two up to the limits of
# the conversion. For ops that are not converted, an input exists for which the two differ. With the
# Reference and compiled code.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

tools, work = map(pathlib.Path, sys.argv[1:3])
failures = []

DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
FLOAT8 = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}


def run(tool, *arguments):
    command = [str(tools / tool), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: exit code {result.returncode}: {result.stderr[-500:]}")
    return result.stderr


def bits_of(values):
    return values.view(f"u{values.itemsize}")


def evaluate(file, entry, values, target):
    """The function's result as bit patterns, with a canonical NaN (D8)."""
    np.save(work / "x.npy", values.view("u2") if values.dtype == DTYPES["bf16"] else values)
    on = ("--entry", entry, "--target", target, "--inputs", work / "x.npy", "--outputs", work)
    run("quant-float-run", file, *on)
    result = np.load(work / "output_0.npy").view(values.dtype)
    bits = bits_of(result).copy()
    bits[np.isnan(result.astype("f4"))] = np.iinfo(bits.dtype).max
    return bits


def compare(one, other, entry, values, target):
    """The inputs whose results differ."""
    differs = evaluate(one, entry, values, target) != evaluate(other, entry, values, target)
    return values[differs]


def write(name, functions):
    file = work / f"{name}.mlir"
    file.write_text("".join(functions))
    return file


def constant(values, shape, type):
    shape = "".join(f"{size}x" for size in shape)
    return f'arith.constant dense<"0x{values.tobytes().hex()}"> : tensor<{shape}{type}>'


# --- Converted ------------------------------------------------------------------------------------


def make_inputs(type, scales):
    """A row for each scale, with the same values for each: all 16-bit values, or for f32 samples of
    the entire range and all values near the rounding boundaries of the float8 types."""
    if type != "f32":
        row = np.arange(1 << 16, dtype="u2")
        return np.tile(row, (len(scales), 1)).view(DTYPES[type])
    net = np.arange(0, 1 << 32, 1 << 17, dtype="u4")
    net = np.concatenate([net + low for low in (0, 1, 0xFFFF, 0x10000, 0x1FFFF)]).view("f4")
    rows = []
    for scale in scales:
        near = []
        for float8 in FLOAT8.values():
            encodings = np.arange(256, dtype="u1").view(float8).astype("f8")
            encodings = np.unique(encodings[np.isfinite(encodings)])
            edges = np.concatenate(
                [encodings, (encodings[1:] + encodings[:-1]) / 2, [464, 61440, -464, -61440]]
            )
            with np.errstate(over="ignore", under="ignore"):
                near.append((edges * float(scale)).astype("f4"))
        near = bits_of(np.concatenate(near))
        with np.errstate(over="ignore"):
            steps = np.concatenate([near + np.uint32(step & 0xFFFFFFFF) for step in range(-3, 4)])
        rows.append(np.concatenate([net, steps.view("f4")]))
    return np.stack(rows)


# The reciprocals must be normal numbers of the type. Beyond that, a scale is subnormal, which only
# the first pass accepts.
WIDE, NARROW = [-126, -64, -9, -1, 0, 3, 125, 126], [-14, -7, -1, 0, 1, 6, 13, 14]
CASES = [
    # Type, float8, opset, precision, exponents of the scales.
    ("f32", "f8E4M3FN", 21, "", WIDE),
    ("f32", "f8E5M2", 23, "", WIDE),
    ("f32", "f8E5M2", 23, "precision f64", WIDE),
    ("f16", "f8E4M3FN", 21, "", NARROW),
    ("f16", "f8E5M2", 21, "", [k for k in NARROW if k <= 0]),
    ("f16", "f8E4M3FN", 23, "precision f32", NARROW),
    ("f16", "f8E5M2", 23, "precision f32", NARROW),
    ("bf16", "f8E4M3FN", 21, "", WIDE),
    ("bf16", "f8E5M2", 23, "", WIDE),
    ("bf16", "f8E5M2", 23, "precision f32", WIDE),
    ("f32", "f8E5M2", 21, "", [-127]),
    ("f16", "f8E4M3FN", 21, "", [-15]),
]
NUM_ONE_WAY = 2
functions, inputs = [], {}
for index, (type, storage, opset, precision, exponents) in enumerate(CASES):
    scales = np.ldexp(np.float32(1), exponents)
    # Some scales are negative.
    scales[1::3] *= -1
    inputs[f"case{index}"] = make_inputs(type, scales)
    rows, size = inputs[f"case{index}"].shape
    tensor = f"tensor<{rows}x{size}x{type}>"
    functions.append(f"""
func.func @case{index}(%x: {tensor}) -> {tensor} {{
  %s = {constant(scales.astype(DTYPES[type]), [rows], type)}
  %y = quant_float.qdq %x, %s axis 0 storage {storage} opset {opset} {precision}
      : {tensor}, tensor<{rows}x{type}> to {tensor}
  return %y : {tensor}
}}
""")
qdq = write("qdq", functions)
there, back = work / "there.mlir", work / "back.mlir"
for source, destination, one, other, left in (
    (qdq, there, "qdq", "fakeconvert", 0),
    (there, back, "fakeconvert", "qdq", NUM_ONE_WAY),
):
    option = f"--quant-float-convert-{one}-to-{other}"
    remarks = run("quant-float-opt", source, option, "-o", destination)
    found = destination.read_text().count(f"quant_float.{other} ")
    if remarks.count("remark: ") != left or found != len(CASES) - left:
        failures.append(f"{one} to {other}: {found} of {len(CASES)}: {remarks}")
elements = 0
for target in ("reference", "cpu"):
    for entry, values in inputs.items():
        # The Reference is slow.
        for other in (there,) if target == "reference" else (there, back):
            differing = compare(qdq, other, entry, values, target)
            elements += values.size
            if differing.size:
                what = f"{other.name}, {entry} by {target}"
                failures.append(f"{what}: {differing.size} differ: {differing[:3]}")

# --- Not converted --------------------------------------------------------------------------------

# Ops that the passes leave, and the fakeconvert that each would have become: the results must
# differ.
LEFT = [
    # Type, qdq, the scale, the reciprocal.
    ("f32", "storage f8E4M3FN opset 21", 0.3, 1 / 0.3),
    ("f32", "storage f8E5M2 opset 21", 448, 1 / 448),
    ("f32", "storage f8E4M3FN opset 21 saturate false", 1, 1),
    ("f16", "storage f8E5M2 opset 21", 2, 0.5),
    ("f16", "storage f8E4M3FN opset 23 precision bf16", 2, 0.5),
    ("bf16", "storage f8E5M2 opset 23 precision f16", 2, 0.5),
]
one, other = [], []
for index, (type, attributes, scale, reciprocal) in enumerate(LEFT):
    values = make_inputs(type, np.float32([scale]))[0]
    inputs[f"left{index}"] = values
    tensor = f"tensor<{values.size}x{type}>"
    head = f"func.func @left{index}(%x: {tensor}) -> {tensor} {{"
    tail = f"return %y : {tensor}\n}}"
    destination = attributes.split()[1]
    of = {
        what: np.array([value], "f4").astype(DTYPES[type])
        for what, value in (("s", scale), ("r", reciprocal))
    }
    one.append(f"""{head}
  %s = {constant(of["s"], [], type)}
  %y = quant_float.qdq %x, %s {attributes} : {tensor}, tensor<{type}> to {tensor}
  {tail}
""")
    other.append(f"""{head}
  %r = {constant(of["r"], [], type)}
  %y = quant_float.fakeconvert %x, %r to {destination} opset 13 : {tensor}, tensor<{type}> to {tensor}
  {tail}
""")
one, other = write("left", one), write("left_other", other)
remarks = run("quant-float-opt", one, "--quant-float-convert-qdq-to-fakeconvert", "-o", os.devnull)
if remarks.count("remark: not converted to fakeconvert") != len(LEFT):
    failures.append(f"expected {len(LEFT)} remarks, but got {remarks}")
for index, case in enumerate(LEFT):
    if not compare(one, other, f"left{index}", inputs[f"left{index}"], "reference").size:
        failures.append(f"{case}: no input shows a difference")

print(f"{elements} elements compared")
print("\n".join(failures) or "ok")
sys.exit(bool(failures))
