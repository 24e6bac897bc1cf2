# Sizes that are computed along exponentially many paths, or in very many steps, and hundreds of
# unsupported nodes: the partitioning needs no exponential time and does not overflow the stack.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import resource
import subprocess
import sys

tools_dir, work = map(pathlib.Path, sys.argv[1:])
COUNT = 200
STEPS = 100_000
# The stack size of a thread.
STACK_BYTES = 1 << 20
T = "tensor<?x4xf32>"


def write_network():
    """Each size depends on the size before in two ways. Each unsupported node is between two
    quantizations."""
    lines = [
        f"func.func @net(%x: {T}) -> {T} {{",
        "%s = arith.constant dense<0.5> : tensor<f32>",
        "%c0 = arith.constant 0 : index",
        f"%n0 = tensor.dim %x, %c0 : {T}",
        f"%y0 = quant_float.qdq %x, %s storage i8 opset 21 : {T}, tensor<f32> to {T}",
    ]
    for i in range(COUNT):
        lines += [
            f"%a{i} = arith.maxsi %n{i}, %c0 : index",
            f"%n{i + 1} = arith.minsi %n{i}, %a{i} : index",
            f"%p{i} = tensor.extract_slice %y{i}[0, 0] [%n{i + 1}, 4] [1, 1] : {T} to {T}",
            f'%m{i} = quant_float.node "Mystery"(%p{i}) opset 21 : ({T}) -> {T}',
            f"%y{i + 1} = quant_float.qdq %m{i}, %s storage i8 opset 21 : {T}, tensor<f32> to {T}",
        ]
    return "\n".join([*lines, f"return %y{COUNT} : {T}", "}"])


def write_chain():
    """A size that depends on another one through 100,000 steps."""
    lines = [
        f"func.func @net(%x: {T}) -> {T} {{",
        "%s = arith.constant dense<0.5> : tensor<f32>",
        "%c0 = arith.constant 0 : index",
        f"%n0 = tensor.dim %x, %c0 : {T}",
    ]
    lines += [f"%n{i + 1} = arith.shrui %n{i}, %n0 : index" for i in range(STEPS)]
    lines += [
        f"%p = tensor.extract_slice %x[0, 0] [%n{STEPS}, 4] [1, 1] : {T} to {T}",
        f"%y = quant_float.qdq %p, %s storage i8 opset 21 : {T}, tensor<f32> to {T}",
        f"return %y : {T}",
        "}",
    ]
    return "\n".join(lines)


def outline(text):
    (work / "net.mlir").write_text(text)
    command = [
        tools_dir / "quant-float-opt",
        work / "net.mlir",
        "--quant-float-outline-supported-subgraphs",
    ]
    return subprocess.run(
        command,
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES)),
    ).stdout


result = outline(write_network())
assert result.count("func.func @net_subgraph_") == COUNT + 1, result[:2000]
result = outline(write_chain())
assert result.count("arith.shrui") == STEPS, result[:2000]
print("OK")
