# quant-float-run --compare-modes: the totals are those of a model of all three modes, the causes
# add up to them, and elements with a single known cause report it.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs:%S/../helpers:%S/../OpenVINO/Inputs:%S/../ONNX/Inputs %python %s %tools_dir/quant-float-run %t
import itertools
import re
import sys

import numpy as np
from fakeconvert.semantics import DESTINATIONS, MODES, TYPES, Origin, evaluate, same
from pairs import MODEL
from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2], "--compare-modes")
run, work, failures = tool.run, tool.work, tool.failures
PAIRS = list(itertools.combinations(MODES, 2))


def read(text):
    """The printed totals and causes: [{pair: (differing, elements, {cause: count})}]."""
    nodes = []
    for line in text.splitlines():
        if not line.startswith("  "):
            nodes.append({})
            continue
        found = re.fullmatch(r"  (\w+) and (\w+): (\d+) of (\d+) differ(?:: (.*))?", line)
        causes = {}
        for cause in (found[5] or "").split(", ") if found[5] else []:
            count, name = cause.split(" ", 1)
            causes[name] = int(count)
        nodes[-1][found[1], found[2]] = (int(found[3]), int(found[4]), causes)
    return nodes


def write(name, text):
    (work / name).write_text(text)
    return name


def save(name, array):
    np.save(work / name, array)
    return name


# --- The totals -----------------------------------------------------------------------------------

rng = np.random.default_rng(5)
compared = 0
for type, destination, has_shift in itertools.product(TYPES, DESTINATIONS, (False, True)):
    if type == "f32":
        encodings = rng.integers(0, 2**32, 8192, dtype=np.uint32)
        near = rng.normal(0, 4, 8192).astype(np.float32).view(np.uint32)
        # Between neighbors in f16, for double rounding.
        near[::2] = (
            (near[::2] & np.uint32(0xFFF80000))
            + np.uint32(0x80000)
            + rng.integers(0, 3, 4096, dtype=np.uint32)
        )
        encodings = np.concatenate([encodings, near])
    else:
        encodings = np.arange(0, 1 << 16, 4, dtype=np.uint16) + rng.integers(
            0, 4, 1 << 14, dtype=np.uint16
        )
    x = encodings.reshape(8, -1)
    as_encodings = {"f32": lambda v: v.view("u4"), "f16": lambda v: v.astype("f2").view("u2")}.get(
        type, lambda v: (v.view("u4") >> 16).astype("u2")
    )
    scale = as_encodings(np.array([1, 3, 0.7, -2, 0.001, 77, 1000, 0.5], "f4")).reshape(8, 1)
    shift = as_encodings(np.array([0.25, -5, 0, 0.3, 1, -0.125, 100, 0.01], "f4")).reshape(8, 1)
    # The form of an importer if the parameters are inputs.
    attributes = " neutral_shift" if has_shift else ""
    if type == "bf16" and has_shift:
        attributes = " reciprocal nearest neutral_shift"
    wide, narrow = f"tensor<8x?x{type}>", f"tensor<8x1x{type}>"
    t = ", %t" if has_shift else ""
    types = ", ".join([wide, narrow] + [narrow] * has_shift)
    model = write(
        "total.mlir",
        f"""
func.func @f(%x: {wide}, %s: {narrow}, %t: {narrow}) -> {wide} {{
  %y = quant_float.fakeconvert %x, %s{t} to {destination} mode openvino{attributes} opset 13 : {types} to {wide}
  return %y : {wide}
}}
""",
    )

    stored = {"f32": "f4", "f16": "f2", "bf16": "u2"}[type]
    files = [
        save(name, encodings.view(stored))
        for name, encodings in (("x.npy", x), ("s.npy", scale), ("t.npy", shift))
    ]
    printed = run(0, model, "--inputs", *files)
    results = {
        mode: evaluate(
            mode, type, destination, x, scale, shift if has_shift else None, Origin(False, False)
        )
        for mode in MODES
    }
    (node,) = read(printed) or [{}]
    for pair in PAIRS:
        differing = int((~same(type, results[pair[0]], results[pair[1]])).sum())
        total, elements, causes = node.get(pair, (None, None, {}))
        compared += x.size
        if total != differing or elements != x.size or sum(causes.values()) != total:
            failures.append(
                f"{type} {destination} {has_shift} {pair}: expected {differing} of {x.size}, but got {node.get(pair)}"
            )

# --- The causes -----------------------------------------------------------------------------------

EXACT_PLUGIN, EXACT_REFERENCE, PLUGIN_REFERENCE = PAIRS


def as_float(bits):
    return float(np.array(bits, "u4").view("f4"))


for type, destination, x, scale, shift, expected in (
    # A NaN stays NaN, or becomes -448 or 448.
    ("f32", "f8E4M3FN", np.nan, 1, None, ("NaN", "NaN", "NaN")),
    ("f32", "f8E5M2", np.nan, 1, None, ("NaN", None, "NaN")),
    # The reference subtracts and adds a zero.
    ("f32", "f8E4M3FN", -0.0, 1, None, (None, "sign of zero", "sign of zero")),
    ("f32", "f8E4M3FN", -(2.0**-12), 1, None, (None, "sign of zero", "sign of zero")),
    # Just above the midpoint of 1 and 1.125, which is the same value in f16.
    (
        "f32",
        "f8E4M3FN",
        as_float(0x3F880001),
        1,
        None,
        ("double rounding", "double rounding", None),
    ),
    ("f32", "f8E5M2", as_float(0x3F900001), 1, None, ("double rounding", "double rounding", None)),
    # The product is rounded to the type first: to the midpoint here, which the reference's rule
    # rounds differently.
    ("bf16", "f8E4M3FN", 1.0546875, 1.0078125, None, ("double rounding", "double rounding", None)),
    ("bf16", "f8E4M3FN", 1.0703125, 1.0078125, None, (None, "bf16 rounding", "bf16 rounding")),
    # 1.5 times the smallest number, and between the smallest two.
    ("f32", "f8E4M3FN", 1.5 * 2.0**-10, 1, None, (None, "subnormals", "subnormals")),
    ("f32", "f8E4M3FN", 0.0029296875, 1, None, (None, "subnormals", "subnormals")),
    # Just below a power of two in f16's subnormal range.
    ("f32", "f8E5M2", as_float(0x377FFFFE), 1, None, (None, "subnormals", "subnormals")),
    # 1 / 3 is not exact.
    ("f32", "f8E4M3FN", 1, 5, None, (None, None, None)),
    ("f32", "f8E4M3FN", 5 / 3, 3, None, ("reciprocal", None, "reciprocal")),
    # 1 / scale is infinite, and 0 times infinity is NaN.
    ("f32", "f8E4M3FN", 448, 1e-39, None, ("reciprocal", None, "reciprocal")),
    # No difference.
    ("f32", "f8E4M3FN", 1e10, 1, None, (None, None, None)),
    ("f32", "f8E5M2", -np.inf, 2, None, (None, None, None)),
    ("f16", "f8E4M3FN", 0.3, 0.25, 0.5, (None, None, None)),
):
    tensor = f"tensor<1x{type}>"
    t, more = ("", "") if shift is None else (", %t", f", {tensor}")
    constants = f"%s = arith.constant dense<{float(scale):e}> : {tensor}\n"
    if shift is not None:
        constants += f"  %t = arith.constant dense<{shift}> : {tensor}\n"
    model = write(
        "cause.mlir",
        f"""
func.func @f(%x: {tensor}) -> {tensor} {{
  {constants}
  %y = quant_float.fakeconvert %x, %s{t} to {destination} mode openvino opset 13 : {tensor}, {tensor}{more} to {tensor}
  return %y : {tensor}
}}
""",
    )
    value = np.array([x], "f4")
    if type != "f32":
        value = value.astype("f2") if type == "f16" else (value.view("u4") >> 16).astype("u2")
    (node,) = read(run(0, model, "--inputs", save("one.npy", value))) or [{}]
    found = tuple(next(iter(node[pair][2]), None) if pair in node else "nothing" for pair in PAIRS)
    if found != expected:
        failures.append(
            f"{type} {destination} {x} {scale} {shift}: expected {expected}, but got {found}"
        )
# --- Models ---------------------------------------------------------------------------------------

# A ReLU feeds the conversion. The weights are 1, 2 and 4, and the scale has three elements.
(work / "m.xml").write_text(MODEL)
(work / "m.bin").write_bytes(np.array([1, 2, 4], "f4").tobytes())
values = [[-1, as_float(0x3F880001), np.inf], [as_float(0x3F880001) * 64, 1.5 * 2.0**-11, 2.0**-13]]
text = run(0, "m.xml", "--inputs", save("m.npy", np.array(values, "f4")))
if (
    text
    != """\
fakeconvert 0 'fc', float[2x3] to f8E4M3FN
  exact and openvino: 2 of 6 differ: 2 double rounding
  exact and openvino_reference: 3 of 6 differ: 2 double rounding, 1 subnormals
  openvino and openvino_reference: 1 of 6 differ: 1 subnormals
"""
):
    failures.append(f"m.xml: got {text}")
# The same numbers for every run, and several conversions, one of which converts the result of
# another.
chain = write(
    "chain.mlir",
    """
func.func @f(%x: tensor<64x64xf32> {quant_float.name = "x"}) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %s = arith.constant dense<3.0> : tensor<f32>
  %y = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino positive_zero opset 13 : tensor<64x64xf32>, tensor<f32> to tensor<64x64xf32> loc("first")
  %z = quant_float.fakeconvert %y, %s to f8E5M2 opset 13 : tensor<64x64xf32>, tensor<f32> to tensor<64x64xf32> loc("second")
  return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}
""",
)
printed = [run(0, chain, "--random", 7, "--target", target) for target in ("cpu", "reference")]
if printed[0] != printed[1] or len(read(printed[0])) != 2 or "1 'second'" not in printed[0]:
    failures.append(f"chain.mlir: {printed[0]} and {printed[1]}")

# OpenVINO folds constants with its reference implementation.
constant = write(
    "constant.mlir",
    """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[1.0, 0.0029296875]> : tensor<2xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %y = quant_float.fakeconvert %c, %s to f8E4M3FN mode openvino_reference opset 13 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  return %y : tensor<2xf32>
}
""",
)
text = run(0, constant, "--random", 1)
head = (
    "fakeconvert 0, float[2] to f8E4M3FN, a constant, which OpenVINO folds as openvino_reference\n"
)
if not text.startswith(
    head
    + "  exact and openvino: 0 of 2 differ\n  exact and openvino_reference: 1 of 2 differ: 1 subnormals\n"
):
    failures.append(f"constant.mlir: got {text}")

# --- Errors
# -----------------------------------------------------------------------------------------

X = "tensor<2xf32>"
for body, message in (
    ("return %x : tensor<2xf32>", "expected a fakeconvert in 'f' to compare its modes"),
    (
        f"""%u = tensor.cast %x : {X} to tensor<*xf32>
  %y = quant_float.fakeconvert %u, %u to f8E5M2 opset 13 : tensor<*xf32>, tensor<*xf32> to tensor<*xf32>
  return %x : {X}""",
        "expected fakeconvert ops on ranked tensors to compare their modes",
    ),
    (
        f"""%y = quant_float.node "If"(%x) opset 21 : ({X}) -> {X} bodies ["then_branch"] {{
    %z = quant_float.fakeconvert %x, %x to f8E5M2 opset 13 : {X}, {X} to {X}
    quant_float.yield %z : {X}
  }}
  return %y : {X}""",
        "expected fakeconvert ops outside of the regions of other ops to compare their modes",
    ),
    (
        f"""%n = quant_float.node "Mystery"(%x) opset 1 domain "openvino" : ({X}) -> {X}
  %z = quant_float.fakeconvert %n, %x to f8E5M2 opset 13 : {X}, {X} to {X}
  return %z : {X}""",
        "Mystery",
    ),
):
    model = write("refused.mlir", f"func.func @f(%x: {X}) -> {X} {{\n  {body}\n}}\n")
    run(1, model, "--random", 1, stderr=message)
dynamic_sizes = write(
    "open.mlir",
    """
func.func @f(%x: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %y = quant_float.fakeconvert %x, %s to f8E5M2 opset 13 : tensor<?xf32>, tensor<?xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}
""",
)
message = "scale must broadcast to the input float[4] without changing its shape, but got float[3]"
run(1, dynamic_sizes, "--random", 1, "--shapes", "0=4", "1=3", stderr=message)
run(0, dynamic_sizes, "--random", 1, "--shapes", "0=4", "1=1")
for more in (("--outputs", "out"), ("--time",)):
    run(2, dynamic_sizes, *more, stderr="--compare-modes: expected neither --time nor --outputs")

print(f"{compared} elements compared")
tool.finish()
