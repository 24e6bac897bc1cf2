# Results that are initialized with the same tensor (zeros, a bias, other sums, a result itself) are
# still different results, in any order.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
TENSOR = "tensor<4x4xf32>"
MATMUL = f'quant_float.node "MatMul"(%x, %y) opset 13 : ({TENSOR}, {TENSOR}) -> {TENSOR}'
SWAPPED = MATMUL.replace("%x, %y", "%y, %x")
ZEROS = f'quant_float.node "ConstantOfShape"(%n) opset 13 : (tensor<2xi64>) -> {TENSOR}'
BIASED = 'quant_float.node "Conv"(%a, %b, %c) opset 11 : (tensor<1x4x4xf32>, tensor<4x4x1xf32>, tensor<4xf32>) -> tensor<1x4x4xf32>'
OUTS = f"linalg.matmul ins(%x, %y : {TENSOR}, {TENSOR}) outs(%s : {TENSOR}) -> {TENSOR}"
START = f"%s = linalg.matmul ins(%x, %x : {TENSOR}, {TENSOR}) outs(%x : {TENSOR}) -> {TENSOR}"

rng = np.random.default_rng(5)
x, y = rng.integers(-8, 8, (2, 4, 4)).astype(np.float32)
c = np.array([1, 2, 3, 4], np.float32)
start = x @ x + x
CASES = {
    "products": ([MATMUL, SWAPPED], [x @ y, y @ x]),
    "zeros_last": ([MATMUL, ZEROS], [x @ y, np.zeros((4, 4))]),
    "zeros_first": ([ZEROS, MATMUL], [np.zeros((4, 4)), x @ y]),
    "biased": (
        [BIASED, BIASED.replace("%a, %b", "%a2, %b2")],
        [[x @ y + c[:, None]], [y @ x + c[:, None]]],
    ),
    "sums": ([OUTS, OUTS.replace("%x, %y", "%y, %x")], [start + x @ y, start + y @ x]),
    "sum_and_start": ([OUTS, START.removeprefix("%s = ")], [start + x @ y, start]),
    "start_and_sum": ([START.removeprefix("%s = "), OUTS], [start, start + x @ y]),
}


def make_function(name, ops):
    results = [op.rsplit("-> ", 1)[1] for op in ops]
    lines = [f"%r{i} = {op}" for i, op in enumerate(ops)]
    return f"""
func.func @{name}(%x: {TENSOR}, %y: {TENSOR}, %c: tensor<4xf32>) -> ({", ".join(results)}) {{
  %n = arith.constant dense<4> : tensor<2xi64>
  %a = tensor.expand_shape %y [[0, 1], [2]] output_shape [1, 4, 4] : {TENSOR} into tensor<1x4x4xf32>
  %a2 = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, 4, 4] : {TENSOR} into tensor<1x4x4xf32>
  %b = tensor.expand_shape %x [[0], [1, 2]] output_shape [4, 4, 1] : {TENSOR} into tensor<4x4x1xf32>
  %b2 = tensor.expand_shape %y [[0], [1, 2]] output_shape [4, 4, 1] : {TENSOR} into tensor<4x4x1xf32>
  {START}
  {(chr(10) + "  ").join(lines)}
  return {", ".join(f"%r{i}" for i in range(len(ops)))} : {", ".join(results)}
}}"""


(work / "m.mlir").write_text("".join(make_function(name, ops) for name, (ops, _) in CASES.items()))
for name, array in (("x", x), ("y", y), ("c", c)):
    np.save(work / f"{name}.npy", array)
for name, (_, expected) in CASES.items():
    files = [work / f"{array}.npy" for array in "xyc"]
    command = [
        tools_dir / "quant-float-run",
        work / "m.mlir",
        "--entry",
        name,
        "--outputs",
        work,
        "--inputs",
        *files,
    ]
    subprocess.run(command, check=True)
    for i, wanted in enumerate(expected):
        got = np.load(work / f"output_{i}.npy")
        assert np.array_equal(got, wanted), (name, i, got, wanted)
print("OK")
