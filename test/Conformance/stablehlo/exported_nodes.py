# Control flow, gathers, scatters and sorts exported to StableHLO, imported again and compiled,
# against NumPy: all bits are equal.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import sys
from pathlib import Path

import numpy as np
from conformance import stablehlo_exports as exports

tools, work = Path(sys.argv[1]), Path(sys.argv[2])
random = np.random.default_rng(3)
x = random.standard_normal((4, 6)).astype(np.float32)
x[0, 1], x[1, 2], x[2, 0], x[2, 1], x[3, 0] = np.nan, x[1, 3], -0.0, 0.0, -np.inf
rows, pairs = np.array([[-1, 2], [0, 0]]), np.array([[0, 5], [3, -6], [-2, 1]])
spread = np.array([[1, -1, 0], [5, 5, 2], [0, 3, -6], [4, 4, 4]])
more, few = np.array(True), np.array(False)
ARGUMENTS = [(x, "tensor<4x6xf32>"), (rows, "tensor<2x2xi64>"), (pairs, "tensor<3x2xi64>"),
             (spread, "tensor<4x3xi64>"), (more, "tensor<i1>"), (few, "tensor<i1>")]  # fmt: skip
HEAD = """
  %k = arith.constant dense<3> : tensor<1xi64>
  %steps = arith.constant dense<5> : tensor<i64>
  %true = arith.constant dense<true> : tensor<i1>
  %updates = arith.constant dense<[1.5, -2.0, 8.0]> : tensor<3xf32>
  %limit = arith.constant dense<50.0> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
"""
LOOP = """quant_float.node "Loop"(%steps, %true, %one) opset 28 : (tensor<i64>, tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<5xf32>) bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<f32>):
    %f = quant_float.cast %i opset 28 : tensor<i64> to tensor<f32>
    %d = quant_float.node "Mul"(%s, %two) opset 28 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %n = quant_float.node "Add"(%d, %f) opset 28 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    quant_float.yield %c, %n, %d : tensor<i1>, tensor<f32>, tensor<f32>
  }"""
WHILE = """quant_float.node "Loop"(%true, %one) opset 28 absent [0] : (tensor<i1>, tensor<f32>) -> tensor<f32> bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<f32>):
    %d = quant_float.node "Mul"(%s, %two) opset 28 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %m = quant_float.node "Less"(%d, %limit) opset 28 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    quant_float.yield %m, %d : tensor<i1>, tensor<f32>
  }"""
SCAN = """quant_float.node "Scan"(%one, %a0) opset 28 attributes {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 1>, scan_input_directions = array<i64: 1>, scan_output_axes = array<i64: -1>} : (tensor<f32>, tensor<4x6xf32>) -> (tensor<f32>, tensor<4x6xf32>) bodies ["body"] {
  ^bb0(%s: tensor<f32>, %v: tensor<4xf32>):
    %n = quant_float.node "Add"(%s, %two) opset 28 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %o = quant_float.node "Mul"(%v, %s) opset 28 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    quant_float.yield %n, %o : tensor<f32>, tensor<4xf32>
  }"""
BRANCH = """quant_float.node "If"({}) opset 28 : (tensor<i1>) -> tensor<4x6xf32> bodies ["then_branch", "else_branch"] {{
    %n = quant_float.node "Neg"(%a0) opset 28 : (tensor<4x6xf32>) -> tensor<4x6xf32>
    quant_float.yield %n : tensor<4x6xf32>
  }}, {{
    quant_float.yield %a0 : tensor<4x6xf32>
  }}"""


def top(values, count, axis, largest):
    key = np.where(np.isnan(values), np.inf, values) + 0.0
    ordered = (np.isnan(values), key) if not largest else (~np.isnan(values), -key)
    order = np.lexsort((ordered[1], ordered[0]), axis)
    order = np.take(order, range(count), axis)
    return np.take_along_axis(values, order, axis), order


def node(op, inputs, types, results, attributes=""):
    attributes = f" attributes {{{attributes}}}" if attributes else ""
    return f'quant_float.node "{op}"({inputs}) opset 28{attributes} : ({types}) -> {results}'


added, chosen = x.copy(), x.copy()
np.add.at(added, tuple(pairs.T), np.float32([1.5, -2, 8]))
np.minimum.at(chosen, tuple(pairs.T), np.float32([1.5, -2, 8]))
written = x.copy()
written[tuple(pairs.T)] = [1.5, -2, 8]
sums, doubled = np.float32(1), []
for i in range(5):
    doubled.append(sums * np.float32(2))
    sums = doubled[-1] + np.float32(i)
scanned = np.stack([x[:, 5 - i] * np.float32(1 + 2 * i) for i in range(6)], -1)
f32, i64 = "tensor<4x6xf32>", "tensor<4x6xi64>"
CASES = [
    (node("TopK", "%a0, %k", f"{f32}, tensor<1xi64>", "(tensor<4x3xf32>, tensor<4x3xi64>)"), top(x, 3, 1, True)),
    (node("TopK", "%a0, %k", f"{f32}, tensor<1xi64>", "(tensor<3x6xf32>, tensor<3x6xi64>)", "axis = 0 : i64, largest = 0 : i64"), top(x, 3, 0, False)),
    (node("Gather", "%a0, %a1", f"{f32}, tensor<2x2xi64>", "tensor<2x2x6xf32>"), [x[rows]]),
    (node("Gather", "%a0, %a1", f"{f32}, tensor<2x2xi64>", "tensor<4x2x2xf32>", "axis = 1 : i64"), [x[:, rows]]),
    (node("GatherElements", "%a0, %a3", f"{f32}, tensor<4x3xi64>", "tensor<4x3xf32>", "axis = -1 : i64"), [np.take_along_axis(x, spread % 6, 1)]),
    (node("GatherND", "%a0, %a2", f"{f32}, tensor<3x2xi64>", "tensor<3xf32>"), [x[tuple(pairs.T)]]),
    (node("ScatterND", "%a0, %a2, %updates", f"{f32}, tensor<3x2xi64>, tensor<3xf32>", f32), [written]),
    (node("ScatterND", "%a0, %a2, %updates", f"{f32}, tensor<3x2xi64>, tensor<3xf32>", f32, 'reduction = "add"'), [added]),
    (node("ScatterND", "%a0, %a2, %updates", f"{f32}, tensor<3x2xi64>, tensor<3xf32>", f32, 'reduction = "min"'), [chosen]),
    (LOOP, [sums, np.array(doubled)]),
    (WHILE, [np.float32(64)]),
    (SCAN, [np.float32(13), scanned]),
    (BRANCH.format("%a4"), [-x]),
    (BRANCH.format("%a5"), [x]),
]  # fmt: skip


def main():
    lines, results, types, expected = [], [], [], []
    for number, (text, values) in enumerate(CASES):
        lines.append(f"  %r{number}:{len(values)} = {text}")
        for index, value in enumerate(values):
            value = np.asarray(value)
            results.append(f"%r{number}#{index}")
            kind = "f32" if value.dtype == np.float32 else "i64"
            types.append("tensor<" + "".join(f"{size}x" for size in value.shape) + kind + ">")
            expected.append(value)
    arguments = ", ".join(f"%a{i}: {kind}" for i, (_, kind) in enumerate(ARGUMENTS))
    source = work / "nodes.mlir"
    body = "\n".join(lines)
    source.write_text(
        f"func.func @main({arguments}) -> ({', '.join(types)}) {{{HEAD}{body}\n  return {', '.join(results)} : {', '.join(types)}\n}}\n"
    )
    exported = work / "exported.mlir"
    exported.write_text(exports.export(tools, source))
    got = exports.evaluate(tools, work, exported, [array for array, _ in ARGUMENTS])
    pairs = zip(results, got, expected, strict=True)
    sys.exit(not all([exports.compare(*pair) for pair in pairs]))


main()
