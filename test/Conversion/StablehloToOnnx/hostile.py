# Damaged or hostile modules of other compilers: the tools name the op and exit with an error, or
# accept the module.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import subprocess
import sys
from pathlib import Path

tools, work = map(Path, sys.argv[1:])
failures = 0
HUGE = 1 << 40
SHORT = '{-#\ndialect_resources: {builtin: {r: "0x040000000000803F"}}\n#-}\n'


def check(label, arguments, lines, message=None, tail=""):
    """Converts a function. `message` must be in an error. Without it, there must be no error."""
    global failures
    types = ", ".join(type for _, type in arguments)
    block = ", ".join(f"{name}: {type}" for name, type in arguments)
    source = work / f"{label.replace(' ', '_')}.mlir"
    source.write_text(
        f'"builtin.module"() ({{\n"func.func"() <{{function_type = ({types}) -> (), sym_name = "f"}}> ({{\n^bb0({block}):\n'
        f'{lines}\n"func.return"() : () -> ()\n}}) : () -> ()\n}}) : () -> ()\n{tail}'
    )
    command = [tools / "quant-float-opt", source, "--allow-unregistered-dialect", "-o", "/dev/null"]
    command += [f"--convert-{dialect}-to-onnx" for dialect in ("onnx-mlir", "stablehlo", "torch")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    expected = 0 if message is None else 1
    if done.returncode != expected or (message and message not in done.stderr):
        print(f"{label}: exit code {done.returncode}, expected {message}:\n{done.stderr[:500]}")
        failures += 1


def vtensor(shape, element="f32"):
    return f"!torch.vtensor<[{shape}],{element}>"


# Splats of 2^40 elements need no memory.
huge = f"tensor<{HUGE}xi32>"
check(
    "splat of stablehlo",
    [],
    f'%c = "stablehlo.constant"() <{{value = dense<1> : {huge}}}> : () -> {huge}\n'
    f'%d = "stablehlo.add"(%c, %c) : ({huge}, {huge}) -> {huge}\n'
    f'%r:2 = "chlo.top_k"(%c) <{{k = 3 : i64}}> : ({huge}) -> (tensor<3xi32>, tensor<3xi32>)',
)
huge = vtensor(HUGE, "si64")
check(
    "splat of torch",
    [],
    f'%c = "torch.vtensor.literal"() <{{value = dense<1> : tensor<{HUGE}xsi64>}}> : () -> {huge}\n'
    f'%l = "torch.prim.ListConstruct"(%c) : ({huge}) -> !torch.list<vtensor>\n'
    f'%i = "torch.aten.index.Tensor"(%c, %l) : ({huge}, !torch.list<vtensor>) -> {huge}',
)
check(
    "splat of onnx-mlir",
    [],
    f'%c = "onnx.Constant"() {{value = dense<1> : tensor<{HUGE}xi64>}} : () -> tensor<{HUGE}xi64>\n'
    f'%d = "onnx.Abs"(%c) : (tensor<{HUGE}xi64>) -> tensor<{HUGE}xi64>',
)
# Resources that are shorter than their types.
for name, op, result in (
    ("stablehlo.constant", '"stablehlo.constant"() <{', "tensor<4xf32>"),
    ("torch.vtensor.literal", '"torch.vtensor.literal"() <{', vtensor(4)),
    ("onnx.Constant", '"onnx.Constant"() <{', "tensor<4xf32>"),
):
    check(
        f"short resource of {name}",
        [],
        f"%c = {op}value = dense_resource<r> : tensor<4xf32>}}> : () -> {result}",
        f"no conversion of '{name}'",
        SHORT,
    )
# Sizes whose product overflows.
wide = vtensor("4611686018427387904,4")
check(
    "too many elements",
    [("%x", wide)],
    '%n = "torch.constant.none"() : () -> !torch.none\n'
    '%f = "torch.constant.bool"() <{value = false}> : () -> !torch.bool\n'
    f'%s = "torch.aten.argmax"(%x, %n, %f) : ({wide}, !torch.none, !torch.bool) -> {vtensor("", "si64")}',
    "operand 0 has too many elements",
)


def nest(depth):
    """Nested regions."""
    lines = [f'%r{i} = "stablehlo.if"(%p) ({{' for i in range(depth)]
    lines.append('"stablehlo.return"(%x) : (tensor<4xf32>) -> ()')
    for i in reversed(range(depth)):
        lines.append('}, {\n"stablehlo.return"(%x) : (tensor<4xf32>) -> ()')
        lines.append("}) : (tensor<i1>) -> tensor<4xf32>")
        if i:
            lines.append(f'"stablehlo.return"(%r{i}) : (tensor<4xf32>) -> ()')
    return "\n".join(lines)


inputs = [("%p", "tensor<i1>"), ("%x", "tensor<4xf32>")]
check("nested regions", inputs, nest(30))
check("regions that are nested too deeply", inputs, nest(3000), "is nested too deeply")


def nest_conditions(depth):
    """Loops in the conditions of loops, which are cloned."""
    if depth == 0:
        return (
            '%c = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>',
            "%c",
        )
    inner, value = nest_conditions(depth - 1)
    return (
        f'%w{depth} = "stablehlo.while"(%p) ({{\n^bb0(%a{depth}: tensor<i1>):\n{inner}\n"stablehlo.return"({value}) : (tensor<i1>) -> ()\n'
        f'}}, {{\n^bb0(%b{depth}: tensor<i1>):\n"stablehlo.return"(%b{depth}) : (tensor<i1>) -> ()\n}}) : (tensor<i1>) -> tensor<i1>'
    ), f"%w{depth}"


check(
    "conditions in conditions",
    [("%p", "tensor<i1>")],
    nest_conditions(40)[0],
    "no conversion of 'stablehlo.while': expected a condition of at most 4096 ops",
)
region = '{\n"stablehlo.return"(%x) : (tensor<4xf32>) -> ()\n}'
check(
    "many regions",
    [("%i", "tensor<i32>"), ("%x", "tensor<4xf32>")],
    f'%r = "stablehlo.case"(%i) ({", ".join([region] * 2000)}) : (tensor<i32>) -> tensor<4xf32>',
)
# A composite of an unknown version is replaced by its decomposition.
check(
    "composite without a decomposition",
    [("%x", "tensor<4xf32>")],
    '%r = "stablehlo.composite"(%x) <{name = "a.b", version = 99 : i32}> : (tensor<4xf32>) -> tensor<4xf32>',
    "no conversion of 'stablehlo.composite': expected a function as 'decomposition'",
)
check(
    "unknown schema",
    [("%x", vtensor(4))],
    f'%r = "torch.aten.relu"(%x, %x) : ({vtensor(4)}, {vtensor(4)}) -> {vtensor(4)}',
    "no conversion of 'torch.aten.relu': expected 1 operands, but got 2",
)
sys.exit(failures != 0)
