# quant-float-check, in addition to cli.py's checks of every tool: one line for each node with its
# location and name, all invalid nodes, other opsets, the opset ranges that accept a node, JSON,
# nodes that cannot be verified, and errors outside of nodes.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir/quant-float-check %t
import json
import pathlib
import subprocess
import sys

from onnx import TensorProto as T
from onnx import helper

tool, work = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def check(code, *arguments, stdout=None, stderr=None, stdin=""):
    """Runs the tool in the work folder, and compares both outputs line by line if they are
    given."""
    command = [tool, *map(str, arguments)]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=work, input=stdin
    )
    what = " ".join(map(str, arguments))
    if result.returncode != code:
        failures.append(f"{what}: exit code {result.returncode}: {result.stderr[-300:]}")
    for expected, got, name in (
        (stdout, result.stdout, "stdout"),
        (stderr, result.stderr, "stderr"),
    ):
        if expected is not None and got.splitlines() != expected:
            failures.append(f"{what}: {name}: expected {expected}, but got {got.splitlines()}")
    return result.stdout


def write_mlir(name, text):
    (work / name).write_text(text)


def write_onnx(name, nodes, inputs, outputs, opset, functions=(), domains=()):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
    )
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    model = helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=10)
    (work / name).write_bytes(model.SerializeToString())


# --- nodes against the model's opset
# -----------------------------------------------------------------

write_mlir(
    "bad.mlir",
    """func.func @f(%x: tensor<4xf32>, %y: tensor<4xf6E2M3FN>) {
  %0 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<4xf8E4M3FN>
  %1 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<4xf16>
  %2 = quant_float.cast %y like opset 28 : tensor<4xf6E2M3FN> to tensor<4xf32>
  %3 = quant_float.cast %x opset 29 : tensor<4xf32> to tensor<4xf16>
  %4 = quant_float.cast %x opset 23 round_mode up : tensor<4xf32> to tensor<4xf16>
  %5 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<5xf16>
  %6 = "quant_float.cast"(%x) : (tensor<4xf32>) -> tensor<4xf16>
  return
}
""",
)
F32 = "tensor<4xf32>"
check(
    1,
    "bad.mlir",
    stdout=[
        f"bad.mlir:2:8: Cast, opset 13, {F32} to tensor<4xf8E4M3FN>: invalid: result element type "
        "'f8E4M3FN' is not accepted by Cast-13 (opset 13)",
        f"bad.mlir:3:8: Cast, opset 13, {F32} to tensor<4xf16>: ok",
        f"bad.mlir:4:8: CastLike, opset 28, tensor<4xf6E2M3FN> to {F32}: invalid: input element "
        "type 'f6E2M3FN' is not accepted by CastLike-25 (opset 28)",
        f"bad.mlir:5:8: Cast, opset 29, {F32} to tensor<4xf16>: invalid: opset of Cast must be "
        "between 1 and 28, but got 29",
        f"bad.mlir:6:8: Cast, opset 23, {F32} to tensor<4xf16>: invalid: attribute 'round_mode' "
        "does not exist in Cast-23 (opset 23)",
        f"bad.mlir:7:8: Cast, opset 13, {F32} to tensor<5xf16>: invalid: all non-scalar "
        "operands/results must have the same shape and base type",
        f"bad.mlir:8:8: Cast, {F32} to tensor<4xf16>: invalid: requires attribute 'opset'",
    ],
    stderr=[
        "bad.mlir:2:8: error: result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 13)",
        "bad.mlir:2:8: note: Cast accepts this type from opset 19 on",
        "bad.mlir:4:8: error: input element type 'f6E2M3FN' is not accepted by CastLike-25 (opset 28)",
        "bad.mlir:4:8: note: no version of CastLike accepts this type",
        "bad.mlir:5:8: error: opset of Cast must be between 1 and 28, but got 29",
        "bad.mlir:6:8: error: attribute 'round_mode' does not exist in Cast-23 (opset 23)",
        "bad.mlir:6:8: note: Cast has the attribute 'round_mode' from opset 24 on",
        "bad.mlir:7:8: error: all non-scalar operands/results must have the same shape and base type",
        "bad.mlir:8:8: error: requires attribute 'opset'",
    ],
)

# --- other opsets ------------------------------------------------------------------------------------

write_mlir(
    "good.mlir",
    """func.func @f(%x: tensor<4xf32>) {
  %0 = quant_float.cast %x opset 19 : tensor<4xf32> to tensor<4xf8E4M3FN>
  %1 = quant_float.cast %x like opset 24 round_mode up : tensor<4xf32> to tensor<4xi4>
  return
}
""",
)
FIRST = f"good.mlir:2:8: Cast, opset 19, {F32} to tensor<4xf8E4M3FN>"
SECOND = f"good.mlir:3:8: CastLike, opset 24, {F32} to tensor<4xi4>"
check(0, "good.mlir", stdout=[f"{FIRST}: ok", f"{SECOND}: ok"], stderr=[])
check(0, "good.mlir", "--opset", "28", stdout=[f"{FIRST}: ok", f"{SECOND}: ok"], stderr=[])
check(
    1,
    "--opset=23",
    "good.mlir",
    stdout=[
        f"{FIRST}: ok",
        f"{SECOND}: invalid: attribute 'round_mode' does not exist in CastLike-23 (opset 23)",
    ],
)
check(
    0,
    "good.mlir",
    "--opset",
    "all",
    stdout=[
        f"{FIRST}: ok, accepted by opsets 19-28",
        "  opsets 1-18: result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 18)",
        f"{SECOND}: ok, accepted by opsets 24-28",
        "  opsets 1-14: opset of CastLike must be between 15 and 28, but got 14",
        "  opsets 15-20: result element type 'i4' is not accepted by CastLike-19 (opset 20)",
        "  opsets 21-23: attribute 'round_mode' does not exist in CastLike-23 (opset 23)",
    ],
    stderr=[],
)
# A node that its own opset rejects is invalid, even if other opsets accept it.
never = "func.func @f(%x: f6E2M3FN) {\n%0 = quant_float.cast %x like opset 28 : f6E2M3FN to f32\nreturn\n}"
out = check(1, "-", "--opset", "all", stdin=never)
if "accepted by no opset" not in out:
    failures.append(f"never: {out}")
check(0, "-", "--opset", "19", stdin=(work / "bad.mlir").read_text().split("  %1")[0] + "return\n}")

# --- JSON --------------------------------------------------------------------------------------------

reports = json.loads(check(0, "good.mlir", "--json", "--opset", "all"))
expected = [
    {
        "file": "good.mlir",
        "line": 2,
        "column": 8,
        "op": "Cast",
        "opset": 19,
        "inputs": [F32],
        "results": ["tensor<4xf8E4M3FN>"],
        "status": "ok",
        "opsets": [
            {
                "first": 1,
                "last": 18,
                "accepted": False,
                "reason": "result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 18)",
                "notes": ["Cast accepts this type from opset 19 on"],
            },
            {"first": 19, "last": 28, "accepted": True},
        ],
    },
]
if reports[:1] != expected or len(reports) != 2:
    failures.append(f"good.mlir: JSON: {reports}")
reports = json.loads(check(1, "bad.mlir", "--json"))
if [r["status"] for r in reports].count("invalid") != 6 or "opset" in reports[6]:
    failures.append(f"bad.mlir: JSON: {reports}")
check(0, "-", "--json", stdin="func.func @f() {\n  return\n}", stdout=["[]"], stderr=[])
check(0, "-", stdin="func.func @f() {\n  return\n}", stdout=[], stderr=[])

# --- obstacles to compilation
# ------------------------------------------------------------------------

COSINE = """func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = quant_float.node "Acosh"(%x) opset 21 : (tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}"""
STRANGE = (
    COSINE.replace("f64", "f32")
    .replace("Acosh", "Strange")
    .replace(
        "  return",
        """  %1 = quant_float.node "Relu"(%0) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = quant_float.node "Odd"(%x) opset 21 name "n" : (tensor<4xf32>) -> tensor<4xf32>
  return""",
    )
)
write_mlir("cosine.mlir", COSINE)
write_mlir("strange.mlir", STRANGE)
check(0, "cosine.mlir", "--target=cpu", stdout=[], stderr=[])
check(
    1,
    "cosine.mlir",
    "--target=nvvm",
    "--chip=sm_89",
    stdout=[],
    stderr=[
        "cosine.mlir:2:8: error: 'math.acosh' op has no lowering for this target: "
        f"expected a function that expands to arithmetic, because libm is not available, but got '{element}'"
        for element in ("vector<2xf64>", "f64")
    ],
)
for target in ("cpu", "nvvm"):
    check(
        1,
        "strange.mlir",
        f"--target={target}",
        stdout=[],
        stderr=[
            "strange.mlir:2:8: error: node without a name (Strange): "
            "no lowering of the op 'Strange' of the domain 'ai.onnx'",
            "strange.mlir:4:8: error: node 'n' (Odd): "
            "no lowering of the op 'Odd' of the domain 'ai.onnx'",
        ],
    )
check(0, "strange.mlir", stdout=[], stderr=[])
check(
    2,
    "cosine.mlir",
    "--target=gpu",
    stdout=[],
    stderr=["quant-float-check: error: --target: expected cpu or nvvm, but got 'gpu'"],
)

# --- ONNX --------------------------------------------------------------------------------------------

body = helper.make_graph(
    [helper.make_node("Cast", ["x"], ["b"], name="in body", to=T.FLOAT8E5M2)],
    "body",
    [],
    [helper.make_tensor_value_info("b", T.FLOAT8E5M2, None)],
)
function = helper.make_function(
    "local",
    "Narrow",
    ["p"],
    ["q"],
    [helper.make_node("Cast", ["p"], ["q"], name="inside", to=T.FLOAT16)],
    [helper.make_opsetid("", 18)],
)
write_onnx(
    "nodes.onnx",
    [
        helper.make_node("Cast", ["x"], ["y"], name="blocks.0/cast", to=T.FLOAT8E4M3FN),
        helper.make_node("Cast", ["x"], ["z"], to=T.FLOAT16),
        helper.make_node("Mystery", ["x"], ["m"], domain="local"),
        helper.make_node("Cast", ["m"], ["n"], name="untyped", to=T.FLOAT16),
        helper.make_node("If", ["c"], ["i"], name="branch", then_branch=body, else_branch=body),
        helper.make_node("Narrow", ["x"], ["l"], domain="local"),
        helper.make_node("QuantizeLinear", ["x", "s"], ["k"], name="quantize"),
    ],
    [("x", T.FLOAT, [2]), ("c", T.BOOL, []), ("s", T.FLOAT, [])],
    [("y", T.FLOAT8E4M3FN, [2]), ("z", T.FLOAT16, [2]), ("k", T.UINT8, [2])],
    opset=18,
    functions=[function],
    domains=["local"],
)
out = check(1, "nodes.onnx", "--opset", "all").splitlines()
lines = [line for line in out if not line.startswith("  ")]
WANTED = [
    "nodes.onnx: node 'blocks.0/cast': Cast, opset 18, tensor<2xf32> to tensor<2xf8E4M3FN>: invalid: "
    "result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 18), accepted by opsets 19-28",
    "nodes.onnx: node 'z': Cast, opset 18, tensor<2xf32> to tensor<2xf16>: ok, accepted by opsets 1-28",
    "nodes.onnx: node 'untyped': Cast, opset 18, !quant_float.unknown to tensor<*xf16>: not verified: "
    "the type of input 0 is not known",
    "nodes.onnx: node 'in body': Cast, opset 18, tensor<2xf32> to tensor<2xf8E5M2>: invalid: result "
    "element type 'f8E5M2' is not accepted by Cast-13 (opset 18), accepted by opsets 19-28",
    "nodes.onnx: node 'inside': Cast, opset 18, tensor<2xf32> to tensor<2xf16>: ok, accepted by opsets "
    "1-28",
    "nodes.onnx: node 'quantize': QuantizeLinear, opset 18, tensor<2xf32>, tensor<f32> to "
    "tensor<2xui8>: ok, accepted by opsets 10-28",
]
for line in WANTED:
    if line not in lines:
        failures.append(f"nodes.onnx: expected '{line}', but got {lines}")
if len(lines) != 1 + len(WANTED):  # both branches of the If
    failures.append(f"nodes.onnx: expected {1 + len(WANTED)} lines, but got {lines}")
check(0, "nodes.onnx", "--opset", "19")

# --- outside of nodes
# --------------------------------------------------------------------------------

check(
    1,
    "-",
    stdin="func.func @f(%x: f32) -> f16 {\n  %0 = quant_float.cast %x opset 13 : f32 to f16\n}",
    stdout=["<stdin>:2:8: Cast, opset 13, f32 to f16: ok"],
)
check(
    1,
    "-",
    stdin="func.func @f(%x: f32) -> f16 {\n  return %x : f32\n}",
    stdout=[],
    stderr=[
        "<stdin>:2:3: error: type of return operand 0 ('f32') doesn't match function result type "
        "('f16') in function @f"
    ],
)
sys.exit("\n".join(failures) if failures else 0)
