# Sizes that are computed along very many ways, and hundreds of nodes in the way: the time to find islands does not explode.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

tools_dir, work = map(pathlib.Path, sys.argv[1:])
COUNT = 200
T = "tensor<?x4xf32>"


def write_network():
    """Each size is one and the other way the size before; each node in the way is between two quantizations."""
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


(work / "net.mlir").write_text(write_network())
command = [tools_dir / "quant-float-opt", work / "net.mlir", "--quant-float-outline-islands"]
result = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
assert result.stdout.count("func.func @net_island_") == COUNT + 1, result.stdout[:2000]
print("OK")
