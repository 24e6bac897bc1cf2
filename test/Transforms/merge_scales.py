# Equal scales are merged: every encoding of every type, with scales that are equal in blocks, along
# axes and for the tensor, in compiled code, the Reference and ONNX Runtime. If they differ, the
# remark names a quantized value with its results.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../helpers %python %s %tools_dir %t | FileCheck %s
# CHECK: merged: {{[1-9]}}
# CHECK: replayed: {{[1-9]}}
# CHECK: 0 differences
import pathlib
import re
import sys

import numpy as np
import onnx
from onnx import helper
from rewrites import DTYPES, ENCODING, Case, Rewrites, all_encodings, to_encodings

rewrites = Rewrites(sys.argv[1], pathlib.Path(sys.argv[2]))
SOURCES = ("i8", "ui8", "i4", "ui4", "i2", "ui2", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f4E2M1FN")  # fmt: skip
random = np.random.default_rng(5)


def make_cases(source):
    """Rows of all encodings, twice. The remaining shape of the scales, and its axis."""
    encodings = np.tile(all_encodings(source)[0], (3, 2))
    rows = np.float32([0.1, 3, 1e-40])
    half = encodings.shape[1] // 2
    columns = np.geomspace(0.1, 9, encodings.shape[1], dtype="f4")
    blocks = random.random((3, 2)).astype("f4")
    ways = (
        ("rows", np.stack([rows, rows], 1), {"axis": 1, "block_size": half}, (3,)),
        ("columns", np.stack([columns]), {"axis": 0, "block_size": 3}, columns.shape),
        ("all", np.full((3, 2), 0.3, "f4"), {"axis": -1, "block_size": half}, ()),
        ("allhalf", np.full((3,), 0.3, "f2"), {"axis": 0}, ()),
        ("axis", rows, {"axis": 0}, None),
        ("blocks", blocks, {"axis": 1, "block_size": half}, None),
    )
    for way, scale, attributes, shape in ways:
        zeros = [None] if source[0] == "f" else [None, encodings[0, 1]]
        for i, zero in enumerate(zeros):
            constants = {"w": encodings, "s": scale}
            if zero is not None:
                constants["z"] = np.full(scale.shape, zero, DTYPES[source])
            node = helper.make_node("DequantizeLinear", [*constants], ["y"], **attributes)
            target = "f16" if scale.dtype == np.float16 else "f32"
            yield Case(f"{way}{source}z{i}", source, target, [node], constants), shape


cases, shapes = zip(*(pair for source in SOURCES for pair in make_cases(source)), strict=True)
model = rewrites.make_model(cases, 25)
after, remarks = rewrites.rewrite(model, "--quant-float-merge-scales")
ours, theirs = rewrites.run_both(model, after, cases, ("reference", "cpu"))
found = {tensor.name: tuple(tensor.dims) for tensor in after.graph.initializer}
for i, (case, shape) in enumerate(zip(cases, shapes, strict=True)):
    rewrites.counts["cells"] += 1
    rewrites.counts["elements"] += case.constants["w"].size
    given = case.constants["s"].shape
    if found[f"{case.name}_s"] != (given if shape is None else shape):
        rewrites.fail(f"{case.name}: {found[f'{case.name}_s']} instead of {shape}")
    if (case.name in remarks) != (shape is None):
        rewrites.fail(f"{case.name}: {remarks.get(case.name)}")
    rewrites.counts["merged"] += shape is not None
    rewrites.compare_ours(case.name, *ours[i])
    rewrites.compare_theirs(case.name, *theirs[i])
    for remark in remarks.get(case.name, ()):
        pattern = rf"elements (\d+) and (\d+) of .*: encoding {ENCODING} becomes {ENCODING} and {ENCODING}"
        first, second, encoding, one, other = (int(n, 16 if k > 1 else 10) for k, n in enumerate(re.search(pattern, remark).groups()))  # fmt: skip
        columns = given[1] if len(given) == 2 else 1
        size = case.constants["w"].shape[1] // columns
        rows = to_encodings(case.constants["w"], case.source)
        for place, wanted in ((first, one), (second, other)):
            row, block = divmod(place, columns)
            part = slice(block * size, (block + 1) * size)
            results = ours[i][0][row, part][rows[row, part] == encoding]
            rewrites.counts["replayed"] += 1
            if not len(results) or (results != wanted).any():
                rewrites.fail(f"{case.name}: {remark}: {results}")
onnx.checker.check_model(after, full_check=True)
rewrites.finish()
