# Scales of two levels become one: every encoding of every type, with scales that are dequantized,
# cast and multiplied before, and with factors after, in compiled code and ONNX Runtime. If a factor
# is not folded, the remark names a quantized value and two results, which NumPy's products confirm.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../helpers %python %s %tools_dir %t | FileCheck %s
# CHECK: folded: {{[1-9]}}
# CHECK: replayed: {{[1-9]}}
# CHECK: 0 differences
import pathlib
import re
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import helper
from rewrites import ENCODING, Case, Rewrites, all_encodings, operators_of, to_encodings

rewrites = Rewrites(sys.argv[1], pathlib.Path(sys.argv[2]))
SOURCES = ("i8", "ui8", "i4", "ui4", "i2", "ui2", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f4E2M1FN")  # fmt: skip
random = np.random.default_rng(5)
node = helper.make_node


def first(source, encodings):
    """The scale of scales first: always the same."""
    half = encodings.shape[1] // 2
    block = {"axis": 1, "block_size": half}
    narrow = random.integers(1, 0x7E, (3, 2)).astype("u1").view(ml_dtypes.float8_e4m3fn)
    whole = random.random(()).astype("f4")
    last = node("DequantizeLinear", ["w", "t"], ["y"], **block)
    inner = node("DequantizeLinear", ["s", "g"], ["t"])
    yield "nvfp", [inner, last], {"s": narrow, "g": whole}
    steps = [
        node("Cast", ["s"], ["f"], to=onnx.TensorProto.FLOAT),
        node("Mul", ["f", "g"], ["t"]),
    ]
    yield "product", [*steps, last], {"s": narrow, "g": random.random((3, 1)).astype("f4")}
    rows = node("DequantizeLinear", ["s", "g"], ["t"], axis=0)
    yield "rows", [rows, last], {"s": narrow, "g": random.random(3).astype("f4")}


def behind(source, encodings):
    """The factor last: the same if no product is rounded twice."""
    half = encodings.shape[1] // 2
    block = {"axis": 1, "block_size": half}
    grid, rows = random.random((3, 2)).astype("f4"), random.random(3).astype("f4")
    powers = np.float32([[0.5], [4], [1]])
    short = np.float32([[0.75, 1.5], [3, 1.25], [0.5, 1]])
    for name, attributes, scale, factor in (
        ("two", {}, np.float32(0.1), np.float32(0.25)),
        ("blockstwo", block, grid, powers),
        ("axistwo", {"axis": 0}, rows, powers),
        ("grow", {}, np.float32(0.7), powers),
        ("short", block, short, np.float32(1.5)),
        ("halves", {"axis": 0}, np.float16([0.5, 1.5, 3]), np.float16(2)),
        ("tenth", {}, np.float32(0.1), np.float32(0.3)),
        ("blocks", block, grid, random.random((3, 1)).astype("f4")),
        ("tiny", {"axis": 0}, rows, np.float32(2.0**-145)),
        ("huge", {}, np.float32(2.0**100), np.float32(2.0**100)),
        ("other", {"axis": 0}, rows, random.random(encodings.shape[1]).astype("f4")),
    ):
        nodes = [
            node("DequantizeLinear", ["w", "s"], ["d"], **attributes),
            node("Mul", ["d", "g"] if len(name) % 2 else ["g", "d"], ["y"]),
        ]
        yield name, nodes, {"s": scale, "g": factor}


def make_cases(source):
    encodings = np.tile(all_encodings(source)[0], (3, 2))
    for kind in (first, behind):
        for name, nodes, constants in kind(source, encodings):
            zeros = [None] if source[0] == "f" or kind == first else [None, encodings[0, 1]]
            for i, zero in enumerate(zeros):
                used = {"w": encodings, **constants}
                if zero is not None:
                    used["z"] = np.full(constants["s"].shape, zero, encodings.dtype)
                    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
                    nodes[0].input.append("z")
                target = "f16" if constants["g"].dtype == np.float16 else "f32"
                yield Case(f"{name}{source}z{i}", source, target, nodes, used)


cases = [case for source in SOURCES for case in make_cases(source)]
model = rewrites.make_model(cases, 25)
after, remarks = rewrites.rewrite(model, "--quant-float-fold-scales")
ours, theirs = rewrites.run_both(model, after, cases, ("cpu", "cpu"))
for i, case in enumerate(cases):
    rewrites.counts["cells"] += 1
    rewrites.counts["elements"] += case.constants["w"].size
    left = operators_of(after, f"{case.name}_y")
    is_folded = left == {"DequantizeLinear": 1}
    rewrites.counts["folded"] += is_folded
    if is_folded == (case.name in remarks):
        rewrites.fail(f"{case.name}: {left}, {remarks.get(case.name)}")
    rewrites.compare_ours(case.name, *ours[i])
    rewrites.compare_theirs(case.name, *theirs[i])
    for remark in remarks.get(case.name, ()):
        numbers = (
            rf"encoding {ENCODING} times {ENCODING} becomes {ENCODING}, "
            rf"which times {ENCODING} is {ENCODING}, but {ENCODING}"
        )
        found = re.search(numbers, remark)
        if not found:
            if not case.name.startswith("other") or "different slices" not in remark:
                rewrites.fail(f"{case.name}: {remark}")
            continue
        encoding, *floats = (int(text, 16) for text in found.groups())
        kind = np.float16 if case.target == "f16" else np.float32
        unsigned = np.uint16 if case.target == "f16" else np.uint32
        scale, value, factor, twice, once = np.array(floats, unsigned).view(kind)
        flat = to_encodings(case.constants["w"], case.source) == encoding
        zero = case.constants.get("z")
        number = case.constants["w"][flat][0].astype(np.float64)
        number -= 0 if zero is None else zero.flat[0].astype(np.float64)
        with np.errstate(all="ignore"):
            same = kind(number * scale), kind(number * (scale * factor)), value * factor
        rewrites.counts["replayed"] += 1
        if not np.array_equal(same, (value, once, twice), equal_nan=True) or once == twice:
            rewrites.fail(f"{case.name}: {remark}: {same}")
onnx.checker.check_model(after, full_check=True)
rewrites.finish()
