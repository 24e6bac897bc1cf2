# Models rewritten by quant-float-eliminate-qdq yield the same quantized values for all quantized
# inputs, in the Reference, in compiled code and in ONNX Runtime, and ONNX's checker accepts them.
# For pairs that are not eliminated, the remark names a quantized value that shows the reason.
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%S/../helpers %python %s %tools_dir %t | FileCheck %s
# CHECK: identity: {{[1-9]}}
# CHECK: refused: {{[1-9]}}
# CHECK: 0 differences
import pathlib
import re
import sys

import numpy as np
import onnx
from onnx import helper
from rewrites import (
    DTYPES,
    ENCODING,
    WIDTHS,
    Case,
    Rewrites,
    all_encodings,
    operators_of,
    to_encodings,
)

node = helper.make_node
rewrites = Rewrites(sys.argv[1], pathlib.Path(sys.argv[2]))
PASS = "--quant-float-eliminate-qdq"
FLOATS8 = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ")


def pair(name, source, target, scales, zeros, between=(), **options):
    """DequantizeLinear, `between` from d to e, QuantizeLinear."""
    type = options.pop("type", "f32")
    shape = options.pop("shape", None)
    constants = options.pop("constants", {})
    attributes = options.pop("attributes", [{}, {}])
    saturate = options.pop("saturate", None)
    rows = max(np.size(scales[0]), np.size(scales[1]))
    inputs = all_encodings(source, rows)
    if shape:
        inputs = inputs.reshape(shape)
    nodes = [
        node("DequantizeLinear", ["x", "s1", "z1"], ["d"], **attributes[0]),
        *between,
        node("QuantizeLinear", ["e" if between else "d", "s2", "z2"], ["y"], **attributes[1]),
    ]
    if saturate is not None:
        nodes[-1].attribute.append(helper.make_attribute("saturate", saturate))
    constants = constants | {
        "s1": np.asarray(scales[0], dtype=DTYPES[type]),
        "z1": np.asarray(zeros[0]).astype(DTYPES[source]),
        "s2": np.asarray(scales[1], dtype=DTYPES[type]),
        "z2": np.asarray(zeros[1]).astype(DTYPES[target]),
    }
    assert not options
    return Case(name, source, target, nodes, constants, inputs)


def at_end(values, *nodes):
    """The nodes, the last one of which computes e."""
    return [
        node(op, inputs, ["e" if i == len(nodes) - 1 else f"t{i}"], **attributes)
        for i, (op, inputs, attributes) in enumerate(nodes)
    ]


def make_direct():
    """No node in between."""
    cases = []
    tiny, huge = 1e-45, 3e38
    for source in ("i8", "ui8", "i4", "ui4", "i16", "ui16", *FLOATS8):
        zero = {"i8": -3, "ui8": 131, "i4": 2, "ui4": 9, "i16": -300, "ui16": 40000}.get(source, 0)
        for i, scale in enumerate(
            (0.1, 0.0078125, 1.7e-38, 3e-41, tiny, -0.3, 0.0, huge, np.inf, np.nan)
        ):
            cases.append(pair(f"same{source}n{i}", source, source, (scale, scale), (zero, zero)))
        if not source.startswith("f8"):
            # With an f16 scale, the zero point affects the rounding, too.
            cases.append(
                pair(f"half{source}", source, source, (0.1, 0.1), (zero, zero), type="f16")
            )
        cases.append(
            pair(
                f"other{source}", source, source, (0.1, 0.3), (zero, 0 if source in FLOATS8 else 1)
            )
        )
    for source in FLOATS8:
        cases.append(pair(f"sat{source}", source, source, (0.1, 0.1), (0, 0), saturate=0))
    # Along an axis, and in blocks.
    for source in ("i8", "ui4", "f8E4M3FN"):
        size = 1 << WIDTHS[source]
        row = {"axis": 0}
        for i, scales in enumerate(([0.1, 0.3, 5], [0.1, 0, 5], [0.1, 0.1, 1e-45])):
            cases.append(
                pair(
                    f"axis{source}n{i}",
                    source,
                    source,
                    (scales, scales),
                    ([0, 0, 0], [0, 0, 0]),
                    attributes=[row, {"axis": -2}],
                )
            )
        blocks = np.linspace(0.1, 4, 3 * size // 4).reshape(3, -1)
        block = {"axis": 1, "block_size": 4}
        case = pair(
            f"block{source}",
            source,
            source,
            (blocks, blocks),
            (blocks * 0, blocks * 0),
            attributes=[block, block],
        )
        case.inputs = all_encodings(source, 3)
        cases.append(case)
        cases.append(
            pair(
                f"onlyone{source}",
                source,
                source,
                ([0.1, 0.1], 0.1),
                ([0, 0], 0),
                attributes=[row, {}],
            )
        )
    # To other types.
    for source, target in (
        ("i8", "ui8"),
        ("ui8", "i8"),
        ("i8", "i4"),
        ("ui4", "i8"),
        ("i16", "i8"),
        ("ui8", "ui16"),
        ("i4", "ui4"),
        ("f8E4M3FN", "i8"),
        ("i8", "f8E5M2"),
        ("i16", "i16"),
    ):
        for i, (one, other) in enumerate(
            ((0.1, 0.1), (0.1, 0.17), (0.003, 0.1), (0.5, 1.0), (1.0, 1.0), (0.1, -0.2))
        ):
            zeros = [3 if t not in FLOATS8 and i % 2 else 0 for t in (source, target)]
            cases.append(pair(f"to{source}v{target}n{i}", source, target, (one, other), zeros))
    return cases


def make_between():
    """Nodes in between."""
    ints = {
        "shape4": np.array([1, 4, -1], "i8"),
        "axes": np.array([0], "i8"),
        "one": np.array([1], "i8"),
        "starts": np.array([3], "i8"),
        "ends": np.array([7], "i8"),
        "at": np.array([[2, 0], [-1, 1]], "i8"),
        "two": np.array([1, 1, 2], "i8"),
        "more": np.array([3, 8, 1], "i8"),
        "pads": np.array([0, 1, 0, 2, 0, 1], "i8"),
        "pads4": np.array([0, 0, 0, 1, 0, 0, 0, 0], "i8"),
        "shape2": np.array([1, 4, 2, -1], "i8"),
        "fill": np.array(0.7, "f4"),
        "lo": np.array(-0.75, "f4"),
        "hi": np.array(3.3, "f4"),
    }
    ways = {
        "identity": at_end("d", ("Identity", ["d"], {})),
        "reshape": at_end("d", ("Reshape", ["d", "shape4"], {})),
        "flatten": at_end("d", ("Flatten", ["d"], {"axis": 2})),
        "squeeze": at_end("d", ("Unsqueeze", ["d", "axes"], {}), ("Squeeze", ["t0", "axes"], {})),
        "transpose": at_end("d", ("Transpose", ["d"], {"perm": [2, 0, 1]})),
        "slice": at_end("d", ("Slice", ["d", "starts", "ends", "one"], {})),
        "gather": at_end("d", ("Gather", ["d", "at"], {"axis": 1})),
        "tile": at_end("d", ("Tile", ["d", "two"], {})),
        "expand": at_end("d", ("Expand", ["d", "more"], {})),
        "depth": at_end(
            "d", ("Reshape", ["d", "shape2"], {}), ("DepthToSpace", ["t0"], {"blocksize": 2})
        ),
        "space": at_end(
            "d", ("Reshape", ["d", "shape2"], {}), ("SpaceToDepth", ["t0"], {"blocksize": 2})
        ),
        "concat": at_end("d", ("Relu", ["d"], {}), ("Concat", ["d", "t0", "d"], {"axis": 1})),
        "pad": at_end("d", ("Pad", ["d", "pads"], {})),
        "padvalue": at_end("d", ("Pad", ["d", "pads", "fill"], {})),
        "padedge": at_end("d", ("Pad", ["d", "pads"], {"mode": "edge"})),
        "maxpool": at_end("d", ("MaxPool", ["d"], {"kernel_shape": [3], "pads": [1, 1]})),
        "maxpad": at_end(
            "d",
            ("Pad", ["d", "pads", "fill"], {}),
            ("Relu", ["t0"], {}),
            ("MaxPool", ["t1"], {"kernel_shape": [2], "strides": [2]}),
            ("Relu", ["t2"], {}),
        ),
        "maxceil": at_end(
            "d", ("MaxPool", ["d"], {"kernel_shape": [3], "strides": [2], "ceil_mode": 1})
        ),
        "relu": at_end("d", ("Relu", ["d"], {})),
        "clip": at_end("d", ("Clip", ["d", "lo", "hi"], {})),
        "clipup": at_end("d", ("Clip", ["d", "", "hi"], {})),
        "cast": at_end(
            "d",
            ("Cast", ["d"], {"to": onnx.TensorProto.FLOAT16}),
            ("Cast", ["t0"], {"to": onnx.TensorProto.FLOAT}),
        ),
        "long": at_end(
            "d",
            ("Relu", ["d"], {}),
            ("Transpose", ["t0"], {"perm": [0, 2, 1]}),
            ("Reshape", ["t1", "shape4"], {}),
            ("Clip", ["t2", "", "hi"], {}),
        ),
    }
    cases = []
    for way, between in ways.items():
        used = {name for one in between for name in one.input}
        constants = {name: value for name, value in ints.items() if name in used}
        for source, target in (
            ("i8", "i8"),
            ("ui8", "ui8"),
            ("i4", "i4"),
            ("i16", "i16"),
            ("f8E4M3FN", "f8E4M3FN"),
        ):
            zero = {"ui8": 100}.get(source, 0), {"ui8": 100}.get(target, 0)
            # ONNX Runtime has no kernels for other types.
            if source in ("i4", "i16") and way in (
                "maxpool",
                "maxpad",
                "maxceil",
                "depth",
                "space",
            ):
                continue
            rows = 16 if source == "i4" else 1
            pairs = ((0.1, 0.1), (0.1, 0.17), (0.1, -0.1))
            for i, scales in enumerate(pairs if source == target == "i8" else pairs[:2]):
                case = pair(
                    f"{way}{source}v{target}n{i}",
                    source,
                    target,
                    scales,
                    zero,
                    between,
                    constants=dict(constants),
                )
                case.inputs = all_encodings(source, rows).reshape(1, 8, -1)
                cases.append(case)
    return cases


def replay(case, remark, before):
    """Whether the value that the remark names yields the stated result, and another one without the
    pair."""
    if found := re.search(
        rf"encoding {ENCODING}(?: with element \d+ of the scale)? becomes {ENCODING}", remark
    ):
        encoding, becomes = (int(digits, 16) for digits in found.groups())
        inputs = to_encodings(case.inputs, case.source)
        at = inputs == encoding
        if inputs.shape != before.shape:
            return becomes in before
        attempt = re.search(r"\) >> \d+ is (-?\d+):", remark)
        if case.target == case.source and encoding == becomes and not attempt:
            return False
        if attempt and int(attempt[1]) % (1 << WIDTHS[case.target]) == becomes:
            return False
        return becomes in before[at]
    return None


def check(cases, opset, target, *passes, extra=()):
    model = rewrites.make_model(cases, opset, extra)
    after, remarks = rewrites.rewrite(model, *passes)
    # The Reference does not support other nodes.
    ours, theirs = rewrites.run_both(model, after, cases, (target, "cpu"))
    for i, case in enumerate(cases):
        one, other = ours[i]
        rewrites.counts["cells"] += 1
        rewrites.counts["inputs"] += case.inputs.size
        operators = operators_of(after, f"{case.name}_y")
        left = operators["QuantizeLinear"] + operators["DequantizeLinear"]
        said = remarks.get(case.name, [])
        if bool(left) != bool(said):
            rewrites.fail(f"{case.name}: {operators} are left, and {said} is said")
        kind = (
            "refused"
            if left
            else next((k for k in ("Mul", "Gather", "Clip") if operators[k]), "identity")
        )
        if kind == "Gather" and not operators["Cast"]:
            kind = "identity"
        rewrites.counts[kind] += 1
        rewrites.compare_ours(case.name, one, other)
        scale = np.float32(np.ravel(case.constants["s2"])[0])
        if not (np.isfinite(scale) and scale) and case.source[0] in "iu":
            # The integer result for NaN is this project's definition (D1).
            rewrites.counts["of NaN"] += 1
        else:
            rewrites.compare_theirs(case.name, *theirs[i])
        if said and left:
            replayed = replay(case, said[0], one)
            rewrites.counts[f"replayed {replayed}"] += 1
            if replayed is False:
                rewrites.fail(f"{case.name}: not so: {said}")


check(make_direct(), 21, "reference", PASS)
check(make_between(), 21, "cpu", PASS)
check([case for case in make_direct() if case.source != "i4"][:9], 19, "reference", PASS)
# Integer arithmetic instead of lookup tables, or no op at all.
requantized = [case for case in make_direct() if case.name.startswith(("to", "other"))]
for form in ("multiply-shift", "none"):
    check(requantized, 21, "reference", f"{PASS}=requantize={form}")
rewrites.finish()
