# Weights of fewer bits, or unsigned ones, have the same values as signed 8-bit ones: every
# encoding, per tensor, per axis and in blocks, with every zero point, in compiled code, the
# Reference and ONNX Runtime.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../helpers %python %s %tools_dir %t | FileCheck %s
# CHECK: widened: {{[1-9]}}
# CHECK: 0 differences
import pathlib
import sys

import numpy as np
from onnx import helper
from rewrites import DTYPES, Case, Rewrites, all_encodings

rewrites = Rewrites(sys.argv[1], pathlib.Path(sys.argv[2]))
TO = {"i4": "i8", "ui4": "ui8", "i2": "i8", "ui2": "ui8", "f4E2M1FN": "f8E4M3FN", "ui8": "ui8"}
SIGNED = TO | {"ui4": "i8", "ui2": "i8", "ui8": "i8"}


def make_cases(source):
    encodings = all_encodings(source)[0]
    zeros = (
        [None]
        if source[0] == "f"
        else [None, *encodings[:: max(1, len(encodings) // 16)], encodings[-1]]
    )
    cases = []
    for i, zero in enumerate(zeros):
        rows = np.stack([encodings] * 3)
        wide = np.float32([0.1, 3, 1e-40])
        block = np.geomspace(0.1, 9, 3 * len(encodings) // 2, dtype="f4").reshape(3, -1)
        ways = (
            ("tensor", encodings, np.float32(0.3), {}),
            ("half", encodings, np.float16(0.3), {}),
            ("axis", rows, wide, {"axis": 0}),
            ("block", rows, block, {"axis": 1, "block_size": 2}),
        )
        for way, weights, scale, attributes in ways:
            constants = {"w": weights, "s": scale}
            if zero is not None:
                constants["z"] = np.full(scale.shape, zero, DTYPES[source])
            node = helper.make_node("DequantizeLinear", [*constants], ["y"], **attributes)
            target = "f16" if way == "half" else "f32"
            cases.append(Case(f"{way}{source}n{i}", source, target, [node], constants))
    # Enough elements to stay packed.
    many, columns = (
        np.tile(encodings, (64, 1024 // len(encodings))),
        np.linspace(0.1, 9, 64, dtype="f4"),
    )
    node = helper.make_node("DequantizeLinear", ["w", "s"], ["y"], axis=0)
    cases.append(Case(f"large{source}", source, "f32", [node], {"w": many, "s": columns}))
    return cases


for types, option in ((TO, ""), (SIGNED, "=signed")):
    cases = [case for source in types for case in make_cases(source)]
    model = rewrites.make_model(cases, 25)
    after, remarks = rewrites.rewrite(model, f"--quant-float-widen-storage{option}")
    ours, theirs = rewrites.run_both(model, after, cases, ("reference", "cpu"))
    found = {tensor.name: tensor.data_type for tensor in after.graph.initializer}
    if remarks:
        rewrites.fail(f"unexpected: {remarks}")
    for i, case in enumerate(cases):
        rewrites.counts["cells"] += 1
        rewrites.counts["elements"] += case.constants["w"].size
        wanted = helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[types[case.source]]))
        rewrites.counts["widened"] += types[case.source] != case.source
        if found[f"{case.name}_w"] != wanted:
            rewrites.fail(f"{case.name}: expected {types[case.source]}")
        rewrites.compare_ours(case.name, *ours[i])
        rewrites.compare_theirs(case.name, *theirs[i])
rewrites.finish()
