# The opset rules of QuantizeLinear and DequantizeLinear against ONNX's own checker and type
# inference: at every version, every pair of types of x and scale, every zero point with every
# output_dtype, and every attribute. The verifiers' verdict on other opsets equals that of an import
# with that opset.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-check %t
import collections
import json
import pathlib
import subprocess
import sys

import onnx
from onnx import TensorProto as T
from onnx import defs, helper

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
NEWEST = defs.onnx_opset_version()
TYPES = [n for n in T.DataType.values() if n != T.UNDEFINED]
INT8, FLOAT, UNKNOWN = T.INT8, T.FLOAT, 99
failures = []

# Errors that schemas do not express (Q9, V6, Q4): the values of these attributes are not restricted
# there.
BEYOND = {
    ("precision", T.STRING),
    ("precision", T.FLOAT8E8M0),
    ("precision", UNKNOWN),
    ("saturate", 2),
    ("block_size", -1),
}


def make_cases(op):
    """(x, scale, zero point or None, attributes): pairs of types first, then the other dimensions
    with common types."""
    is_quantize = op == "QuantizeLinear"
    for x in TYPES:
        for scale in TYPES:
            yield x, scale, None, {}
            # If the result has the scale's type, e8m0 is an error (Q8).
            yield x, scale, None, {"output_dtype": INT8 if is_quantize else FLOAT}
    inputs = (FLOAT, T.FLOAT16, T.INT32) if is_quantize else (INT8, T.FLOAT8E5M2, T.INT32)
    for x in inputs:
        for zero in (None, *TYPES):
            for scale in (FLOAT, T.FLOAT16, T.BFLOAT16, T.INT32, T.FLOAT8E8M0):
                yield x, scale, zero, {}
        for zero in (None, *TYPES) if x == inputs[0] else (None, INT8, x):
            for output in (0, UNKNOWN, *TYPES):
                yield x, FLOAT, zero, {"output_dtype": output}
    for name, values in {
        "axis": (0, 1, -1),
        "block_size": (0, -1),
        "saturate": (0, 1, 2),
        "precision": (0, FLOAT, T.FLOAT16, T.BFLOAT16, T.DOUBLE, T.STRING, T.FLOAT8E8M0, UNKNOWN),
        "round_mode": ("up",),
        "to": (INT8,),
    }.items():
        for value in values:
            for zero in (None, INT8):
                yield (
                    inputs[0] if zero is None else (FLOAT if is_quantize else INT8),
                    FLOAT,
                    zero,
                    {name: value},
                )


CASES = [(op, *case) for op in ("QuantizeLinear", "DequantizeLinear") for case in make_cases(op)]
PREFIXES = "xsz"


def make_node(index, op, x, scale, zero, attributes):
    names = [f"{p}{t}" for p, t in zip(PREFIXES, (x, scale, zero), strict=True) if t is not None]
    return helper.make_node(op, names, [f"y{index}"], name=f"n{index}", **attributes)


def make_model(nodes, opset):
    used = sorted({name for node in nodes for name in node.input})
    inputs = [
        helper.make_tensor_value_info(name, int(name[1:]), [2, 3] if name[0] == "x" else [])
        for name in used
    ]
    graph = helper.make_graph(nodes, "g", inputs, [])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def is_accepted_by_onnx(node, opset):
    model = make_model([node], opset)
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError):
        return False
    return True


def check(name, opset, *arguments):
    path = work / f"{name}.onnx"
    nodes = [make_node(index, *case) for index, case in enumerate(CASES)]
    path.write_bytes(make_model(nodes, opset).SerializeToString())
    result = subprocess.run(
        [tool, path, "--json", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    reports = json.loads(result.stdout)
    if [r["node"] for r in reports] != [f"n{index}" for index in range(len(CASES))]:
        sys.exit(f"opset {opset}: some nodes were not reported on")
    return reports


count = collections.Counter()
verdicts = {}
versions = sorted(
    {
        s.since_version
        for s in defs.get_all_schemas_with_history()
        if s.name == "QuantizeLinear" and not s.domain
    }
)
for opset in [versions[0] - 1, *versions]:
    reports = check(f"opset{opset}", opset)
    for index, (case, report) in enumerate(zip(CASES, reports, strict=True)):
        # An axis that the opset lacks is interpreted as in opset 13.
        ours = report["status"] == "ok" and report["opset"] == opset
        verdicts[opset, index] = ours
        theirs = is_accepted_by_onnx(make_node(index, *case), opset)
        theirs &= not any(attribute in BEYOND for attribute in case[4].items())
        count[ours] += 1
        if ours != theirs or report["status"] == "not verified":
            failures.append(f"opset {opset}: {case}: ONNX: {theirs}, but got {report}")
for index, report in enumerate(check("all", NEWEST, "--opset", "all")):
    # A node without an op may be valid in earlier opsets: the attributes of an op are those of its
    # own opset.
    if not verdicts[versions[-1], index]:
        continue
    for opset in versions:
        (found,) = (g["accepted"] for g in report["opsets"] if g["first"] <= opset <= g["last"])
        if found != verdicts[opset, index]:
            failures.append(f"opset {opset} of {NEWEST}: {CASES[index]}: {report['opsets']}")

print(
    f"{len(CASES)} nodes at {len(versions)} versions: {count[True]} accepted, {count[False]} refused"
)
if min(count.values()) < 1000 or NEWEST != 28:
    failures.append(f"too few comparisons: {count}, opset {NEWEST}")
if failures:
    sys.exit("\n".join([*failures[:30], f"{len(failures)} disagreements"]))
