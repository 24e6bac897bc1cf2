# quant-float-check on quantization nodes: errors that no other checker of ONNX models reports,
# int32 zero points, nodes of com.microsoft, TensorRT and Quark, DynamicQuantizeLinear, nodes
# without an op, and MLIR.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-check %t
import json
import pathlib
import subprocess
import sys

import onnx
from onnx import TensorProto as T
from onnx import helper

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
node = helper.make_node
failures = []


def run(code, *arguments, stdin=""):
    command = [tool, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=work, input=stdin)
    if done.returncode != code:
        failures.append(f"{arguments}: exit code {done.returncode}: {done.stderr[-300:]}")
    return done.stdout.splitlines(), done.stderr.splitlines()


def expect(what, wanted, got):
    failures.extend(f"{what}: expected '{w}', but got {got}" for w in wanted if w not in got)


def make_model(nodes, inputs, opset=21, constants=()):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [],
        initializer=constants,
    )
    domains = "com.microsoft", "trt", "com.amd.quark", "com.vai.quantize"
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def write(name, model):
    (work / name).write_bytes(model.SerializeToString())


# --- Errors that ONNX's checker does not detect
# --------------------------------------------------------

# (opset, op, shapes of x, scale and zero point, attributes, message)
FAULTS = {
    "length of a per-axis scale": (21, "QuantizeLinear", [4, 5], [4], None, {}, "scale must have 5 elements, as the input's dimension 1, but got 4"),
    "length at opset 13": (13, "DequantizeLinear", [4, 5], [5], None, {"axis": 0}, "scale must have 4 elements, as the input's dimension 0, but got 5"),
    "rank 2 without block_size": (21, "QuantizeLinear", [4, 5], [4, 1], None, {}, "a scale of rank 2 needs a block_size above 0 (blocked quantization), but got 'tensor<4x1xf32>' without one"),
    "rank without a granularity": (25, "DequantizeLinear", [4, 5, 6], [4, 5], None, {}, "scale must be a scalar (per tensor), a vector (per axis) or, with block_size, of the input's rank 3 (blocked), but got 'tensor<4x5xf32>'"),
    "axis above the rank": (21, "QuantizeLinear", [4, 5], [5], None, {"axis": 2}, "axis must be in [-2, 1] for an input of rank 2, but got 2"),
    "axis below the rank": (21, "DequantizeLinear", [4, 5], [5], None, {"axis": -3}, "axis must be in [-2, 1] for an input of rank 2, but got -3"),
    "rank 1 and the default axis": (21, "QuantizeLinear", [3], [3], None, {}, "attribute 'axis' must be 0 or -1 for an input of rank 1 with a scale of 3 elements, but is absent"),
    "zero point of another shape": (21, "QuantizeLinear", [4, 5], [5], [4], {}, "zero point must have the same shape as the scale, but got the shape [4] and the shape [5]"),
    "block_size below 0": (21, "DequantizeLinear", [4, 5], [4, 5], None, {"block_size": -1}, "attribute 'block_size': expected 0 or more, but got -1"),
    "block_size and a scalar": (21, "QuantizeLinear", [4, 5], [], None, {"block_size": 2}, "with a block size the scale must have the input's rank 2, but got the shape []"),
    "block_size and a vector": (25, "QuantizeLinear", [4, 5], [5], None, {"block_size": 2}, "with a block size the scale must have the input's rank 2, but got the shape [5]"),
    "too few blocks": (21, "DequantizeLinear", [4, 5], [4, 2], None, {"block_size": 2}, "dimension 1 of the scale must be 3, the blocks of 2 in 5, but got 2"),
    "too many blocks": (25, "DequantizeLinear", [4, 5], [4, 4], None, {"block_size": 2}, "dimension 1 of the scale must be 3, the blocks of 2 in 5, but got 4"),
    "another dimension": (21, "QuantizeLinear", [4, 5], [3, 3], None, {"block_size": 2}, "dimension 0 of the scale must be 4, as the input's, but got 3"),
    "saturate 7": (21, "QuantizeLinear", [4, 5], [], None, {"saturate": 7}, "attribute 'saturate': expected 0 or 1, but got 7"),
    "precision 99": (25, "QuantizeLinear", [4, 5], [], None, {"precision": 99}, "attribute 'precision': expected the number of an element type, but got 99"),
    "precision STRING": (23, "QuantizeLinear", [4, 5], [], None, {"precision": T.STRING}, "attribute 'precision': expected 0 or the number of float, float16, bfloat16 or double, but got 8"),
}  # fmt: skip


def make_fault(opset, op, x, scale, zero, attributes, _):
    data = T.FLOAT if op == "QuantizeLinear" else T.INT8
    names = ["x", "s"] + (["z"] if zero is not None else [])
    inputs = [("x", data, x), ("s", T.FLOAT, scale), ("z", T.UINT8, zero)][: len(names)]
    return make_model([node(op, names, ["y"], name="n", **attributes)], inputs, opset)


for what, fault in FAULTS.items():
    made = make_fault(*fault)
    onnx.checker.check_model(made, full_check=True)
    write("fault.onnx", made)
    out, err = run(1, "fault.onnx")
    expect(what, [f"fault.onnx: error: node 'n' ({fault[1]}): {fault[-1]}"], err)
    if len(out) != 1 or not out[0].endswith(f": invalid: {fault[-1]}"):
        failures.append(f"{what}: {out}")
    out, _ = run(1, "fault.onnx", "--opset", "all")
    if "accepted by no opset" not in out[0]:
        failures.append(f"{what}: {out}")
# No runtime rejects such an attribute value when it loads the model, because no schema restricts
# it.
write("to.onnx", make_model([node("Cast", ["x"], ["y"], name="n", to=0)], [("x", T.FLOAT, [2])]))
words = "attribute 'to': expected the number of an element type, but got 0"
expect("to=0", [f"to.onnx: error: node 'n' (Cast): {words}"], run(1, "to.onnx")[1])

# --- Opsets -------------------------------------------------------------------------------------------

S, X = ("s", T.FLOAT, []), ("x", T.FLOAT, [4, 5])
write(
    "opsets.onnx",
    make_model(
        [
            node("QuantizeLinear", ["x", "s"], ["a"], name="plain"),
            node("QuantizeLinear", ["x", "s"], ["b"], name="spelled", axis=1, block_size=0),
            node("QuantizeLinear", ["x", "t"], ["c"], name="axis"),
            node("QuantizeLinear", ["x", "s"], ["d"], name="type", output_dtype=T.INT4),
            node("DequantizeLinear", ["a", "s"], ["e"], name="half", output_dtype=T.FLOAT16),
            node("QuantizeLinear", ["x", "s"], ["f"], name="broken", saturate=2),
            node("QuantizeLinear", ["x", "v"], ["g"], name="blocks"),
        ],
        [X, S, ("t", T.FLOAT, [5]), ("v", T.FLOAT, [4, 3])],
        opset=23,
    ),
)
out, _ = run(1, "opsets.onnx", "--opset", "all")
QL = "QuantizeLinear, opset 23, tensor<4x5xf32>, tensor<f32> to tensor<4x5x"
expect(
    "opsets.onnx",
    [
        f"opsets.onnx: node 'plain': {QL}ui8>: ok, accepted by opsets 10-28",
        f"opsets.onnx: node 'spelled': {QL}ui8>: ok, accepted by opsets 21-28",
        "  opsets 10-12: attribute 'axis' does not exist in QuantizeLinear-10 (opset 12)",
        "  opsets 13-20: attribute 'block_size' does not exist in QuantizeLinear-19 (opset 20)",
        "opsets.onnx: node 'axis': QuantizeLinear, opset 23, tensor<4x5xf32>, tensor<5xf32> to "
        "tensor<4x5xui8>: ok, accepted by opsets 13-28",
        f"opsets.onnx: node 'type': {QL}i4>: ok, accepted by opsets 21-28",
        "opsets.onnx: node 'half': DequantizeLinear, opset 23, tensor<4x5xui8>, tensor<f32> to "
        "tensor<4x5xf16>: ok, accepted by opsets 23-28",
        "opsets.onnx: node 'broken': QuantizeLinear, opset 23, tensor<4x5xf32>, tensor<f32> to "
        "tensor<4x5xui8>: invalid: attribute 'saturate': expected 0 or 1, but got 2, accepted "
        "by no opset",
        # The reasons for each version.
        "  opsets 1-9: opset of QuantizeLinear must be between 10 and 28, but got 9",
        "  opsets 10-12: scale must have one element (per tensor) in QuantizeLinear-10 (opset 12), but "
        "got 'tensor<4x3xf32>'",
        "  opsets 13-20: scale must be a scalar (per tensor) or a vector (per axis) in "
        "QuantizeLinear-19 (opset 20), but got 'tensor<4x3xf32>'",
        "  opsets 21-28: a scale of rank 2 needs a block_size above 0 (blocked quantization), but got "
        "'tensor<4x3xf32>' without one",
    ],
    out,
)
out, err = run(1, "opsets.onnx", "--opset", "13")
expect("--opset 13", [f"opsets.onnx: node 'plain': {QL}ui8>: ok"], out)
wanted = [
    "opsets.onnx: error: node 'spelled' (QuantizeLinear): attribute 'block_size' does not exist in "
    "QuantizeLinear-13 (opset 13)",
    "opsets.onnx: note: QuantizeLinear has the attribute 'block_size' from opset 21 on",
]
expect("--opset 13", wanted, err)

# --- int32 zero points (Q7) -----------------------------------------------------------------------------

zeros = [
    helper.make_tensor("zero", T.INT32, [5], [0] * 5),
    helper.make_tensor("three", T.INT32, [5], [0, 0, 3, 0, 0]),
    helper.make_tensor("minus", T.INT32, [], [-1]),
    helper.make_tensor("many", T.INT32, [1000], [0] * 999 + [7]),
]
write(
    "int32.onnx",
    make_model(
        [
            node("DequantizeLinear", ["q", "t", "zero"], ["a"], name="zero"),
            node("DequantizeLinear", ["q", "t", "three"], ["b"], name="three"),
            node("DequantizeLinear", ["q", "s", "minus"], ["c"], name="minus"),
            node("DequantizeLinear", ["r", "u", "many"], ["d"], name="many", axis=0),
            node("DequantizeLinear", ["q", "s", "z"], ["e"], name="given"),
            node("DequantizeLinear", ["q", "s"], ["f"], name="none"),
        ],
        [
            ("q", T.INT32, [4, 5]),
            ("r", T.INT32, [1000]),
            S,
            ("t", T.FLOAT, [5]),
            ("u", T.FLOAT, [1000]),
            ("z", T.INT32, []),
        ],
        constants=zeros,
    ),
)
out, err = run(0, "int32.onnx")
SUPPOSED = "expected an int32 zero point of 0, but"
wanted = [
    f"int32.onnx: warning: node 'three' (DequantizeLinear): {SUPPOSED} element 2 is 3",
    f"int32.onnx: warning: node 'minus' (DequantizeLinear): {SUPPOSED} element 0 is -1",
    f"int32.onnx: warning: node 'many' (DequantizeLinear): {SUPPOSED} element 999 is 7",
    f"int32.onnx: warning: node 'given' (DequantizeLinear): {SUPPOSED} got a value that is not a constant",
]
if err != wanted:
    failures.append(f"int32.onnx: expected {wanted}, but got {err}")
expect("int32.onnx", [f"  warning: {SUPPOSED} got a value that is not a constant"], out)
out, _ = run(0, "int32.onnx", "--json")
found = [report.get("warnings", []) for report in json.loads("\n".join(out))]
if [len(one) for one in found] != [0, 1, 1, 1, 1, 0] or found[2] != [f"{SUPPOSED} element 0 is -1"]:
    failures.append(f"int32.onnx: JSON: {found}")

# --- Other nodes ----------------------------------------------------------------------------------------

write(
    "others.onnx",
    make_model(
        [
            node("QuantizeLinear", ["x", "s", "z"], ["a"], name="ms", domain="com.microsoft"),
            node("DequantizeLinear", ["x", "s"], ["b"], name="no", domain="com.microsoft"),
            node("DynamicQuantizeLinear", ["x"], ["c", "d", "e"], name="dynamic"),
            node("DynamicQuantizeLinear", ["h"], ["f", "g", "i"], name="half"),
            node("QuantizeLinear", ["x", "r"], ["j"], name="rank"),
            node("Strange", ["x"], ["k"], domain="com.microsoft"),
            node("DynamicQuantizeLinear", ["k"], ["l", "m", "n"], name="type"),
        ],
        [X, S, ("z", T.UINT16, []), ("h", T.FLOAT16, [2]), ("r", T.FLOAT, None)],
        opset=13,
    ),
)
out, _ = run(1, "others.onnx", "--opset", "all")
X_S = "tensor<4x5xf32>, tensor<f32>"
OUTPUTS = "tensor<f32>, tensor<ui8>"
expect(
    "others.onnx",
    [
        f"others.onnx: node 'ms': com.microsoft.QuantizeLinear, opset 1, {X_S}, tensor<ui16> to "
        "tensor<4x5xui16>: ok, accepted by opsets 1",
        f"others.onnx: node 'no': com.microsoft.DequantizeLinear, opset 1, {X_S} to tensor<4x5xf32>: "
        "invalid: input element type 'f32' is not accepted by com.microsoft.DequantizeLinear-1 "
        "(opset 1), accepted by no opset",
        "others.onnx: node 'dynamic': DynamicQuantizeLinear, opset 13, tensor<4x5xf32> to "
        f"tensor<4x5xui8>, {OUTPUTS}: ok, accepted by opsets 11-28",
        "others.onnx: node 'half': DynamicQuantizeLinear, opset 13, tensor<2xf16> to tensor<2xui8>, "
        f"{OUTPUTS}: invalid: input element type 'f16' is not accepted by "
        "DynamicQuantizeLinear-11 (opset 13), accepted by no opset",
        "others.onnx: node 'rank': QuantizeLinear, opset 13, tensor<4x5xf32>, tensor<*xf32> to "
        "tensor<4x5xui8>: not verified: the rank of input 1 is not known",
        "others.onnx: node 'type': DynamicQuantizeLinear, opset 13, !quant_float.unknown to "
        f"tensor<*xui8>, {OUTPUTS}: not verified: the type of input 0 is not known",
    ],
    out,
)
# The requested opsets are ONNX's: com.microsoft has its own.
out, _ = run(1, "others.onnx", "--opset", "19")
expect(
    "--opset 19",
    [
        f"others.onnx: node 'ms': com.microsoft.QuantizeLinear, opset 1, {X_S}, tensor<ui16> to tensor<4x5xui16>: ok"
    ],
    out,
)

# Ops that remain nodes.
QLINEAR = ["a", "s", "z", "a", "s", "z", "s", "z"]
write(
    "kept.onnx",
    make_model(
        [
            node("QLinearMatMul", QLINEAR, ["p"], name="bytes"),
            node("QLinearMatMul", ["f", *QLINEAR[1:2], "fz", *QLINEAR[3:]], ["q"], name="float8"),
            node("QLinearMatMul", [*QLINEAR[:5], "i", *QLINEAR[6:]], ["r"], name="point"),
            node("QLinearConv", QLINEAR[:7], ["t"], name="few"),
            node("QLinearConv", QLINEAR, ["u"], name="group", group=1, axis=0),
            node("MatMulInteger", ["a", "x"], ["v"], name="floats"),
            node("BitCast", ["x"], ["w"], name="bits", to=T.INT32),
            node("BitCast", ["k"], ["y"], name="type", to=T.INT32),
            node("BitCast", ["x"], ["zz"], name="to"),
            node("Strange", ["x"], ["k"], domain="com.microsoft"),
        ],
        [
            ("a", T.UINT8, [4, 4]),
            ("f", T.FLOAT8E5M2, [4, 4]),
            S,
            X,
            ("z", T.UINT8, []),
            ("fz", T.FLOAT8E5M2, []),
            ("i", T.INT8, []),
        ],
        opset=13,
    ),
)
out, _ = run(1, "kept.onnx", "--opset", "all")
A, Z = "tensor<4x4xui8>", "tensor<ui8>"
LIST = f"{A}, tensor<f32>, {Z}, {A}, tensor<f32>, {Z}, tensor<f32>, {Z}"
I8 = f"{A}, tensor<f32>, {Z}, {A}, tensor<f32>, tensor<i8>, tensor<f32>, {Z}"
F8 = LIST.replace(f"{A}, tensor<f32>, {Z}", "tensor<4x4xf8E5M2>, tensor<f32>, tensor<f8E5M2>", 1)
expect(
    "kept.onnx",
    [
        f"kept.onnx: node 'bytes': QLinearMatMul, opset 13, {LIST} to {A}: ok, accepted by opsets 10-28",
        f"kept.onnx: node 'float8': QLinearMatMul, opset 13, {F8} to {A}: invalid: input element type "
        "'f8E5M2' is not accepted by QLinearMatMul-10 (opset 13), accepted by opsets 21-28",
        f"kept.onnx: node 'point': QLinearMatMul, opset 13, {I8} to tensor<*xui8>: "
        "invalid: input 5: expected elements of type 'ui8' as input 3 has, but got 'i8', accepted by no opset",
        f"kept.onnx: node 'few': QLinearConv, opset 13, {LIST[: -len(Z) - 2]} to !quant_float.unknown: invalid: "
        "expected 8 or 9 input(s), but got 7, accepted by no opset",
        f"kept.onnx: node 'group': QLinearConv, opset 13, {LIST} to tensor<*xui8>: invalid: unknown attribute 'axis', "
        "accepted by no opset",
        f"kept.onnx: node 'floats': MatMulInteger, opset 13, {A}, tensor<4x5xf32> to tensor<4x5xi32>: invalid: "
        "input element type 'f32' is not accepted by MatMulInteger-10 (opset 13), accepted by no opset",
        "kept.onnx: node 'bits': BitCast, opset 13, tensor<4x5xf32> to tensor<4x5xi32>: invalid: opset of BitCast must "
        "be between 26 and 28, but got 13, accepted by opsets 26-28",
    ],
    out,
)

# com.microsoft's QGemm, where C is input 6.
QGEMM = ["a", "s", "z", "a", "s", "z"]
TO_BYTES = [*QGEMM, "c", "n", "z"]
write(
    "qgemm.onnx",
    make_model(
        [
            node("QGemm", inputs, [f"y{i}"], name=name, domain="com.microsoft", **attributes)
            for i, (name, inputs, attributes) in enumerate(
                [
                    ("floats", QGEMM, {"alpha": 2.0}),
                    ("bytes", TO_BYTES, {"transB": 1}),
                    ("no C", [*QGEMM, "", "n", "z"], {}),
                    ("scale", [*QGEMM[:4], "h", "z"], {}),
                    ("point", [*QGEMM[:5], "i"], {}),
                    ("C", [*QGEMM, "s"], {}),
                    ("result", [*TO_BYTES[:8], "s"], {}),
                    ("few", QGEMM[:5], {}),
                    ("beta", QGEMM, {"beta": 1.0}),
                    ("type", [*QGEMM, "k"], {}),
                ]
            )
        ]
        + [node("Strange", ["s"], ["k"], domain="com.microsoft")],
        [
            ("a", T.UINT8, [4, 4]),
            S,
            ("h", T.FLOAT16, []),
            ("z", T.UINT8, []),
            ("i", T.INT8, []),
            ("c", T.INT32, [4]),
        ],
        constants=[helper.make_tensor("n", T.FLOAT, [], [-1.0])],
    ),
)
out, _ = run(1, "qgemm.onnx", "--opset", "all")
LIST = f"{A}, tensor<f32>, {Z}, {A}, tensor<f32>, {Z}"
TO = f"com.microsoft.QGemm, opset 1, {LIST}"
NONE, NEGATIVE = (
    "accepted by no opset",
    "  warning: expected a positive normal number as a scale, but element 0 is negative (-1)",
)
expect(
    "qgemm.onnx",
    [
        f"qgemm.onnx: node 'floats': {TO} to tensor<*xf32>: ok, accepted by opsets 1",
        f"qgemm.onnx: node 'bytes': {TO}, tensor<4xi32>, tensor<f32>, {Z} to tensor<*xui8>: ok, accepted by opsets 1",
        f"qgemm.onnx: node 'no C': {TO}, tensor<f32>, {Z} to tensor<*xui8>: ok, accepted by opsets 1",
        f"qgemm.onnx: node 'C': {TO}, tensor<f32> to tensor<*xf32>: invalid: input 6: expected elements of type 'i32', "
        f"but got 'f32', {NONE}",
        f"qgemm.onnx: node 'few': {TO[: -len(Z) - 2]} to tensor<*xf32>: invalid: expected 6 to 9 input(s), but got 5, {NONE}",
        f"qgemm.onnx: node 'beta': {TO} to tensor<*xf32>: invalid: unknown attribute 'beta', {NONE}",
        f"qgemm.onnx: node 'type': {TO}, !quant_float.unknown to tensor<*xf32>: not verified: the type of input 6 is not known",
    ],
    out,
)
REASONS = {
    "scale": "scale element type 'f16' is not accepted by com.microsoft.QGemm-1 (opset 1)",
    "point": "input 5: expected elements of type 'ui8' as input 3 has, but got 'i8'",
    "result": "result element type 'f32' is not accepted by com.microsoft.QGemm-1 (opset 1)",
}
for name, reason in REASONS.items():
    if not any(
        f"'{name}': " in line and line.endswith(f": invalid: {reason}, {NONE}") for line in out
    ):
        failures.append(f"qgemm.onnx: expected '{reason}' of node '{name}', but got {out}")
# The scales of the results of three nodes.
if out.count(NEGATIVE) != 3:
    failures.append(f"qgemm.onnx: expected 3 warnings, but got {out}")

# Nodes that are defined by functions are checked by the quantization nodes of the function.
T8 = "TRT_FP8QuantizeLinear"
VENDOR = [
    ("fp8", "trt", T8, ["x", "s"], {}),
    ("stale", "trt", "TRT_FP8DequantizeLinear", ["u", "n"], {}),
    ("blocks", "trt", "TRT_INT4QuantizeLinear", ["x", "b"], {"axis": 0, "block_size": 2}),
    ("mx", "trt", "TRT_MXFP8DynamicQuantize", ["x"], {"block_size": 5}),
    ("quark", "com.amd.quark", "ExtendedQuantizeLinear", ["x", "s", "w"], {}),
    ("vitis", "com.vai.quantize", "VitisDequantizeLinear", ["u", "s"], {}),
    ("double", "trt", T8, ["d", "s"], {}),
    ("axis", "trt", T8, ["x", "v"], {"axis": 1}),
    ("zero", "trt", T8, ["x", "s", "one"], {}),
    ("divisor", "trt", "TRT_MXFP8DynamicQuantize", ["x"], {"block_size": 3}),
    ("saturate", "trt", T8, ["x", "s"], {"saturate": 1}),
    ("rank", "trt", T8, ["x", "r"], {}),
    ("type", "trt", T8, ["k", "s"], {}),
]
write(
    "vendor.onnx",
    make_model(
        [
            node(op, inputs, [f"y{i}"], name=name, domain=domain, **attributes)
            for i, (name, domain, op, inputs, attributes) in enumerate(VENDOR)
        ]
        + [node("Strange", ["x"], ["k"], domain="trt")],
        [
            X,
            S,
            ("u", T.UINT8, [4, 5]),
            ("b", T.FLOAT, [2, 5]),
            ("v", T.FLOAT, [4]),
            ("d", T.DOUBLE, [4, 5]),
            ("w", T.INT32, []),
            ("r", T.FLOAT, None),
        ],
        constants=[
            helper.make_tensor("n", T.FLOAT, [], [-1.0]),
            helper.make_tensor("one", T.FLOAT8E4M3FN, [], [1.0]),
        ],
    ),
)
out, err = run(1, "vendor.onnx")
BODY = "invalid: in its function body, "
VERDICTS = {
    "fp8": "ok",
    "stale": "ok",
    "blocks": "ok",
    "mx": "ok",
    "quark": "ok",
    "vitis": "ok",
    "double": f"{BODY}input element type 'f64' is not accepted by QuantizeLinear-23 (opset 23)",
    "axis": f"{BODY}scale must have 5 elements, as the input's dimension 1, but got 4",
    "zero": f"{BODY}a constant zero point of 'f8E4M3FN' must be 0, but element 0 is 0x38",
    "divisor": "invalid: attribute 'block_size': expected a divisor of 5, but got 3",
    "saturate": "invalid: unknown attribute 'saturate'",
    "rank": "not verified: the rank of input 1 is not known",
    "type": "not verified: the type of input 0 is not known",
}
reports = [line for line in out if line.startswith("vendor.onnx")]
for report, (name, verdict), (*_, domain, op, _, _) in zip(
    reports, VERDICTS.items(), VENDOR, strict=True
):
    if not report.startswith(f"vendor.onnx: node '{name}': {domain}.{op}, opset 1, "):
        failures.append(f"vendor.onnx: expected a report of {name}, but got {report}")
    if not report.endswith(f": {verdict}"):
        failures.append(f"vendor.onnx: {name}: expected {verdict}, but got {report}")
# For the node 'stale'.
if out.count(NEGATIVE) != 1 or out.index(NEGATIVE) != 2:
    failures.append(f"vendor.onnx: expected a warning of the scale, but got {out}")
NOTE = "vendor.onnx: note: no version of QuantizeLinear accepts this type"
expect("vendor.onnx", [NOTE], err)

# MLIR: what no importer has looked at.
text = """
func.func @f(%x: tensor<2xf32>, %s: tensor<f32>, %q: tensor<2xf8E5M2>) {
  %z = arith.constant dense<1.0> : tensor<f8E5M2>
  %0 = quant_float.quantize %x, %s, %z opset 19 : tensor<2xf32>, tensor<f32>, tensor<f8E5M2> to tensor<2xf8E5M2>
  %1 = quant_float.node "DequantizeLinear"(%q, %s, %z) opset 19 : (tensor<2xf8E5M2>, tensor<f32>, tensor<f8E5M2>) -> tensor<2xf32>
  %2 = quant_float.node "DequantizeLinear"(%q, %s) opset 18 : (tensor<2xf8E5M2>, tensor<f32>) -> tensor<2xf32>
  %3 = quant_float.qdq %x, %s storage f8E5M2 opset 23 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  %4:3 = "quant_float.node"(%x) {op_type = "QuantizeLinear", opset = -1 : i64, absent_inputs = array<i64: 7, -1>} : (tensor<2xf32>) -> (f32, f32, f32)
  "quant_float.node"(%x, %s) {op_type = "TRT_FP8QuantizeLinear", domain = "trt", opset = 1 : i64} : (tensor<2xf32>, tensor<f32>) -> ()
  return
}
"""
out, err = run(1, "-", stdin=text)
ZERO = "a constant zero point of 'f8E5M2' must be 0, but element 0 is 0x3C"
expect(
    "MLIR",
    [
        f"<stdin>:4:8: error: {ZERO}",
        f"<stdin>:5:8: error: {ZERO}",
        "<stdin>:6:8: error: input element type 'f8E5M2' is not accepted by DequantizeLinear-13 (opset 18)",
    ],
    err,
)
expect(
    "MLIR",
    ["<stdin>:9:3: error: no function defines the operator for this node"],
    err,
)
if len(out) != 6 or not out[3].endswith(": ok") or ": invalid: " not in out[4]:
    failures.append(f"MLIR: {out}")

# The declared result types of nodes in MLIR: element types and the known part of the shapes.
text = """
func.func @f(%x: tensor<4xf32>, %u: tensor<?xf32>, %s: tensor<f32>) {
  %0:3 = quant_float.node "DynamicQuantizeLinear"(%x) opset 11 : (tensor<4xf32>) -> (tensor<4xi8>, tensor<f32>, tensor<ui8>)
  %1:3 = quant_float.node "DynamicQuantizeLinear"(%x) opset 11 : (tensor<4xf32>) -> (tensor<?xui8>, tensor<f16>, tensor<ui8>)
  %2:3 = quant_float.node "DynamicQuantizeLinear"(%u) opset 11 : (tensor<?xf32>) -> (tensor<4xui8>, tensor<*xf32>, tensor<7xui8>)
  %3:3 = quant_float.node "DynamicQuantizeLinear"(%u) opset 11 : (tensor<?xf32>) -> (tensor<4xui8>, !quant_float.unknown, tensor<*xui8>)
  %4 = quant_float.node "QuantizeLinear"(%x, %s) opset 13 : (tensor<4xf32>, tensor<f32>) -> tensor<5xui8>
  %5 = quant_float.node "Cast"(%x) opset 13 attributes {to = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
"""
_, err = run(1, "-", stdin=text)
expect(
    "declared",
    [
        "<stdin>:3:10: error: output 0: declared as 'tensor<4xi8>', but got 'tensor<4xui8>'",
        "<stdin>:4:10: error: output 1: declared as 'tensor<f16>', but got 'tensor<f32>'",
        "<stdin>:5:10: warning: output 2: declared as 'tensor<7xui8>', but got 'tensor<ui8>'",
        "<stdin>:7:8: warning: output 0: declared as 'tensor<5xui8>', but got 'tensor<4xui8>'",
        "<stdin>:8:8: error: output 0: declared as 'tensor<4xf32>', but got 'tensor<4xf64>'",
    ],
    err,
)
sys.exit("\n".join(failures) if failures else 0)
