# fakeconvert in quant-float-run: broadcast scales, dynamic sizes, and runtime errors of sizes that
# do not match (K5).
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs %python %s %tools_dir/quant-float-run %t
import sys

import numpy as np
from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2])
run, work, failures = tool.run, tool.work, tool.failures


def save(name, values):
    np.save(work / f"{name}.npy", np.array(values, "f4"))
    return f"{name}.npy"


(work / "ops.mlir").write_text("""
func.func @rows(%x: tensor<?x?xf32>, %s: tensor<?x1xf32>, %t: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN opset 13
      : tensor<?x?xf32>, tensor<?x1xf32>, tensor<?x1xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @columns(%x: tensor<?x?xf32>, %s: tensor<3xf32>) -> tensor<?x3xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E5M2 mode openvino opset 13
      : tensor<?x?xf32>, tensor<3xf32> to tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
""")
x = save("x", [[1.0, -2.55, 3.7], [100, -np.inf, 1.0625]])
wide = save("wide", np.zeros((2, 4)))
scales, shifts = save("scales", [[2], [1]]), save("shifts", [[0.5], [0]])
three, row = save("three", [[1], [2], [3]]), save("row", [1, 2, 0.5])
one = save("one", [[1]])

for entry, inputs, expected in (
    ("rows", (x, scales, shifts), [[1, -2.5, 3.75], [96, -448, 1]]),
    ("columns", (x, row), [[1, -2.5, 3.5], [96, -28672, 1]]),
):
    run(0, "ops.mlir", "--entry", entry, "--inputs", *inputs, "--outputs", entry)
    path = work / entry / "output_0.npy"
    found = np.load(path) if path.exists() else None
    if found is None or not np.array_equal(found, np.array(expected, "f4")):
        failures.append(f"{entry}: expected {expected}, but got {found}")

# Compiled code assumes that a dynamic size equals the input's, and checks it before it computes
# anything.
for entry, inputs, message in (
    ("rows", (x, three, three), "rows: input 1: dimension 0: expected size 2, but got 3"),
    ("rows", (x, scales, three), "rows: input 2: dimension 0: expected size 2, but got 3"),
    ("rows", (x, one, one), "rows: input 1: dimension 0: expected size 2, but got 1"),
    ("columns", (wide, row), "columns: input 0: dimension 1: expected size 3, but got 4"),
):
    run(1, "ops.mlir", "--entry", entry, "--inputs", *inputs, "--outputs", "none", stderr=message)

tool.finish()
