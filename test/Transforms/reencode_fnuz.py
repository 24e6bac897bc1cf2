# float8 weights in the other encoding, with twice or half the scale, have the same values: every
# encoding that has an equivalent, per tensor, per axis and in blocks, in compiled code, the
# Reference and ONNX Runtime. ml_dtypes is the oracle for the encodings without an equivalent.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../helpers %python %s %tools_dir %t | FileCheck %s
# CHECK: re-encoded: {{[1-9]}}
# CHECK: refused: {{[1-9]}}
# CHECK: 0 differences
import pathlib
import re
import sys

import numpy as np
from onnx import helper
from rewrites import DTYPES, ENCODING, Case, Rewrites, all_encodings, to_encodings

rewrites = Rewrites(sys.argv[1], pathlib.Path(sys.argv[2]))
SIBLINGS = {"f8E4M3FNUZ": "f8E4M3FN", "f8E5M2FNUZ": "f8E5M2"}
SIBLINGS |= {other: one for one, other in SIBLINGS.items()}


def find_lost(source, any_zero):
    """The encodings without an equivalent, by ml_dtypes."""
    factor = 2 if "FNUZ" in source else 0.5
    others = all_encodings(SIBLINGS[source])[0].astype("f8")
    lost = []
    for encoding, value in enumerate(all_encodings(source)[0].astype("f8")):
        wanted = value * factor
        equal = (others == wanted) & ((np.signbit(others) == np.signbit(wanted)) | any_zero)
        if not np.isnan(wanted) and not equal.any():
            lost.append(encoding)
    return lost


def make_case(name, source, encodings, scale, type="f32", target="f32", **attributes):
    weights = np.asarray(encodings, "u1").view(DTYPES[source])
    shape = {"axis": (3, -1)} if attributes else {}
    scale = np.asarray(scale, DTYPES[type])
    if attributes:
        weights = np.tile(weights, 3).reshape(shape["axis"])
    if target != type:
        attributes["output_dtype"] = helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[target]))
    node = helper.make_node("DequantizeLinear", ["w", "s"], ["y"], **attributes)
    return Case(name, source, target, [node], {"w": weights, "s": scale})


def check(source, opset, any_zero):
    lost = find_lost(source, any_zero)
    kept = [encoding for encoding in range(256) if encoding not in lost]
    toFnuz = "FNUZ" not in source
    tiny, huge = np.float32(1e-45), np.float32(3e38)
    block = np.geomspace(1e-3, 1e3, 3 * -(-len(kept) // 16)).reshape(3, -1)
    cases = [
        make_case("tensor", source, kept, 0.1),
        make_case("ofhalf", source, kept, 0.1, "f16", "f16"),
        make_case("ofbf", source, kept, -0.3, "bf16", "bf16"),
        make_case("axis", source, kept, [0.1, 0.7, 3e-5], axis=0),
        make_case("subnormal", source, kept, 3 * 2.0**-140),
        make_case("zero", source, kept, 0.0),
        make_case("block", source, kept, block, axis=1, block_size=16),
        # Not converted.
        make_case("scale", source, kept, [1, 1, huge if toFnuz else tiny], axis=0),
        make_case("infinite", source, kept, np.inf),
    ]
    if lost:
        cases.append(make_case("all", source, range(256), 0.1))
        cases.append(make_case("few", source, [*kept, *lost[:2], lost[0]], 0.1))
    if opset >= 24:
        cases.append(make_case("powers", source, kept, [2.0**-5, 1, 8], "f8E8M0FNU", "f32", axis=0))
        cases.append(
            make_case("least", source, kept, [2.0**-127, 2.0**127, 8], "f8E8M0FNU", "f32", axis=0)
        )
    model = rewrites.make_model(cases, opset)
    options = f"={'to-fnuz' if toFnuz else ''} {'any-zero' if any_zero else ''}"
    after, remarks = rewrites.rewrite(
        model, f"--quant-float-reencode-fnuz{options if options.strip('= ') else ''}"
    )
    ours, theirs = rewrites.run_both(model, after, cases, ("reference", "cpu"))
    types = {
        tensor.name.split("_")[0]: tensor.data_type
        for tensor in after.graph.initializer
        if tensor.name.endswith("_w")
    }
    for i, case in enumerate(cases):
        isLeft = types[case.name] == helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[source]))
        said = remarks.get(case.name, [])
        what = f"{source}, {case.name}"
        rewrites.counts["cells"] += 1
        rewrites.counts["elements"] += case.constants["w"].size
        rewrites.counts["refused" if isLeft else "re-encoded"] += 1
        if isLeft != bool(said) or isLeft != (
            case.name in ("all", "few", "scale", "infinite", "least")
        ):
            rewrites.fail(f"{what}: left: {isLeft}, but {said}")
        one, other = ours[i]
        if any_zero:
            one, other = (
                np.where(v & ~v.dtype.type(1 << 8 * v.itemsize - 1), v, 0) for v in (one, other)
            )
        rewrites.compare_ours(what, one, other)
        rewrites.compare_theirs(what, *theirs[i])
        if case.name in ("all", "few"):
            encodings = to_encodings(case.constants["w"], source).ravel()
            named = {
                int(encoding, 16): int(n)
                for n, encoding in re.findall(rf"(\d+) of {ENCODING}", said[0])
            }
            counted = {
                encoding: int((encodings == encoding).sum())
                for encoding in lost
                if (encodings == encoding).any()
            }
            number = int(re.search(r"(\d+) of \d+ values have", said[0])[1])
            if named != counted or number != sum(counted.values()):
                rewrites.fail(f"{what}: expected {counted}, but got {said}")


for source in SIBLINGS:
    for any_zero in (False, True):
        check(source, 24, any_zero)
rewrites.finish()
