# Declared types of values against the actual types: a difference is a warning that names both, or
# an error with --strict. Different elements of an output are always an error.
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/../ONNX/Inputs %python %s %tools_dir %t
import pathlib
import subprocess
import sys

from models import FLOAT, model
from onnx import TensorProto as T
from onnx import helper

tools, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
node = helper.make_node
COMMANDS = {
    "check": ["quant-float-check"],
    "translate": ["quant-float-translate", "--import-onnx", "-o", "out.mlir"],
    "compile": ["quant-float-compile", "--emit", "llvm-dialect", "-o", "out.mlir"],
    "run": ["quant-float-run", "--random", "1"],
}
LOWERING = ("compile", "run")
failures = []


def run(name, command, *more):
    program, *arguments = COMMANDS[command]
    if command == "run" and "open_input" in name:
        arguments = [*arguments, "--shapes", "x=2x3"]
    return subprocess.run(
        [tools / program, name, *arguments, *more], capture_output=True, text=True, cwd=work
    )


def expect(name, content, *messages, tools=tuple(COMMANDS), always=False):
    """The expected messages of the tools in `words`. Other tools report nothing. `always`: an error
    even without --strict."""
    if isinstance(content, str):
        (work / name).write_text(content)
    else:
        (work / name).write_bytes(content.SerializeToString())
    for command in COMMANDS:
        if command == "translate" and not name.endswith(".onnx"):
            continue
        wanted = messages if command in tools else ()
        lenient = ((), "error", 1) if always else ((), "warning", 0)
        for more, severity, code in (lenient, (["--strict"], "error", bool(wanted))):
            done = run(name, command, *more)
            told = [line for line in done.stderr.splitlines() if ": note: " not in line]
            # A tool may stop at an error.
            shown = [f"{severity}: {text}" for text in wanted]
            found = [line[line.index(severity) :] for line in told if severity in line]
            right = found == shown if code == 0 else found and found == shown[: len(found)]
            if done.returncode != code or not right or len(told) != len(found):
                what = f"{name}, {command} {more}: exit code {done.returncode}"
                failures.append(f"{what}: expected {shown}, but got {told}")


def declare(nodes, outputs, values=(), x=(2, 3)):
    made = model(nodes, [("x", FLOAT, x)], outputs)
    made.graph.value_info.extend(helper.make_tensor_value_info(*value) for value in values)
    return made


def words(what, declared, got, element="f32"):
    return f"{what}: declared as 'tensor<{declared}x{element}>', but got 'tensor<{got}x{element}>'"


relu = node("Relu", ["x"], ["y"], name="r")
axes = node("Constant", [], ["axes"], value_ints=[0])
squeeze = node("Squeeze", ["x", "axes"], ["s"], name="q")

# Types that the importer knows.
expect(
    "relu.onnx",
    declare([relu], [("y", FLOAT, [3, 2])]),
    words("node 'r' (Relu): output 'y'", "3x2", "2x3"),
)
expect(
    "rank.onnx",
    declare([relu], [("y", FLOAT, [6])]),
    words("node 'r' (Relu): output 'y'", "6", "2x3"),
)
cast = node("Cast", ["x"], ["y"], name="c", to=T.FLOAT16)
expect(
    "cast.onnx",
    declare([cast], [("y", T.FLOAT16, [2, 4])]),
    words("node 'c' (Cast): output 'y'", "2x4", "2x3", "f16"),
)
expect(
    "identity.onnx",
    declare([node("Identity", ["x"], ["y"], name="i")], [("y", FLOAT, [2, 4])]),
    words("node 'i' (Identity): output 'y'", "2x4", "2x3"),
)
constant = node("Constant", [], ["k"], name="k", value_floats=[1.0, 2.0, 3.0])
expect(
    "constant.onnx",
    declare(
        [constant, node("Add", ["x", "k"], ["y"])], [("y", FLOAT, [2, 3])], [("k", FLOAT, [4])]
    ),
    words("node 'k' (Constant): output 'k'", "4", "3"),
)
expect("input.onnx", declare([], [("x", FLOAT, [3, 2])]), words("output 'x'", "3x2", "2x3"))

expect(
    "elements.onnx",
    declare([node("ArgMax", ["x"], ["y"], name="a", keepdims=0)], [("y", FLOAT, [3])]),
    "node 'a' (ArgMax): output 'y': declared as 'tensor<3xf32>', but got 'tensor<3xi64>'",
    always=True,
)
# value_info is not relied on.
quantize = node("QuantizeLinear", ["a", "s"], ["y"], name="q")
stale = declare(
    [node("Relu", ["x"], ["a"], name="r"), quantize],
    [("y", T.UINT8, [2, 3])],
    [("a", T.INT64, [3])],
)
stale.graph.initializer.append(helper.make_tensor("s", FLOAT, [], [0.5]))
expect(
    "stale.onnx",
    stale,
    "node 'r' (Relu): output 'a': declared as 'tensor<3xi64>', but got 'tensor<2x3xf32>'",
)
expect(
    "squeeze.onnx",
    declare(
        [axes, squeeze, node("Relu", ["s"], ["t"]), node("Neg", ["t"], ["y"], name="n")],
        [("y", FLOAT, [1, 3])],
        [("s", FLOAT, [1, 3])],
        x=(1, 3),
    ),
    words("node 'q' (Squeeze): output 's'", "1x3", "3"),
    words("node 'n' (Neg): output 'y'", "1x3", "3"),
)
# A correct declaration is not reported because of a wrong one before it.
expect(
    "behind.onnx",
    declare(
        [axes, squeeze, node("Relu", ["s"], ["y"], name="r")],
        [("y", FLOAT, [3])],
        [("s", FLOAT, [1, 3])],
        x=(1, 3),
    ),
    words("node 'q' (Squeeze): output 's'", "1x3", "3"),
)
concat = node("Concat", ["x", "x"], ["y"], name="c", axis=0)
two = [concat, node("Transpose", ["x"], ["z"], name="t")]
expect(
    "two.onnx",
    declare(two, [("y", FLOAT, [2, 3]), ("z", FLOAT, [2, 3])]),
    words("node 'c' (Concat): output 'y'", "2x3", "4x3"),
    words("node 't' (Transpose): output 'z'", "2x3", "3x2"),
)

# Dynamic sizes and ranks are compatible with everything, also if they are known later.
for index, shape in enumerate((None, ["N", 3], [None, None], [2, 3])):
    expect(f"open{index}.onnx", declare([relu], [("y", FLOAT, shape)]))
    expect(f"open_input{index}.onnx", declare([relu], [("y", FLOAT, [2, 3])], x=["A", "B"]))

# MLIR and OpenVINO's layers.
expect(
    "node.mlir",
    """func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = quant_float.node "Relu"(%x) opset 21 name "r" : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
""",
    words("node 'r' (Relu): output 0", "3x2", "2x3"),
    tools=LOWERING,
)
expect(
    "quantize.mlir",
    """func.func @main(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<5xui8> {
  %0 = quant_float.node "QuantizeLinear"(%x, %s) opset 21 name "q" : (tensor<4xf32>, tensor<f32>) -> tensor<5xui8>
  return %0 : tensor<5xui8>
}
""",
    "node 'q' (QuantizeLinear): output 0: declared as 'tensor<5xui8>', but got 'tensor<4xui8>'",
    tools=("check", *LOWERING),
)
# The ports of layers that specify their own type. Without dimensions, they do not declare a shape.
DATA = """<layer id="{0}" name="{1}" type="{2}" version="opset1"><data element_type="{3}" shape="{4}"{5}/>
<output><port id="0" precision="{6}">{7}</port></output></layer>
<layer id="1{0}" name="r{0}" type="Result" version="opset1"><input><port id="0"/></input></layer>"""
EMPTY = ' offset="0" size="0"'
layers = [
    DATA.format(0, "x", "Parameter", "f32", "2,3", "", "FP32", "<dim>3</dim><dim>2</dim>"),
    DATA.format(1, "a", "Const", "i32", "0,3", EMPTY, "FP32", "<dim>0</dim><dim>3</dim>"),
    DATA.format(2, "b", "Const", "nf4", "0", EMPTY, "NF4", "<dim>0</dim>"),
    DATA.format(3, "c", "Const", "f16", "0,3", EMPTY, "FP16", ""),
]
edges = [f'<edge from-layer="{i}" from-port="0" to-layer="1{i}" to-port="0"/>' for i in range(4)]
expect(
    "ports.xml",
    f'<net name="m" version="11"><layers>{"".join(layers)}</layers><edges>{"".join(edges)}</edges></net>',
    words("layer 'x' (Parameter, id 0): output 0", "3x2", "2x3"),
    "layer 'a' (Const, id 1): output 0: declared as 'tensor<0x3xf32>', but got 'tensor<0x3xi32>'",
    tools=("check", *LOWERING),
)

sys.exit("\n".join(failures) or 0)
