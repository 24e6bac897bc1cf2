# quantize, dequantize and qdq in quant-float-run: every granularity, dynamic sizes, and runtime
# errors of sizes that do not match (Q1, Q2).
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%S/Inputs %python %s %tools_dir/quant-float-run %t
import sys

import numpy as np
from tool import Tool

tool = Tool(sys.argv[1], sys.argv[2])
run, work, failures = tool.run, tool.work, tool.failures


def expect(folder, index, expected):
    path = work / folder / f"output_{index}.npy"
    found = np.load(path) if path.exists() else None
    if found is None or found.dtype != expected.dtype or not np.array_equal(found, expected):
        failures.append(f"{folder}, output {index}: expected {expected}, but got {found}")


def save(name, values, dtype):
    np.save(work / f"{name}.npy", np.array(values, dtype))
    return f"{name}.npy"


(work / "ops.mlir").write_text("""
func.func @tensor(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %z: tensor<ui8>)
    -> (tensor<?x?xui8>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = quant_float.quantize %x, %s, %z opset 13
      : tensor<?x?xf32>, tensor<?xf32>, tensor<ui8> to tensor<?x?xui8>
  %1 = quant_float.dequantize %0, %s, %z opset 13
      : tensor<?x?xui8>, tensor<?xf32>, tensor<ui8> to tensor<?x?xf32>
  %2 = quant_float.qdq %x, %s, %z storage ui8 opset 13
      : tensor<?x?xf32>, tensor<?xf32>, tensor<ui8> to tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xui8>, tensor<?x?xf32>, tensor<?x?xf32>
}
func.func @axis(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %z: tensor<?xi4>)
    -> (tensor<?x?xi4>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = quant_float.quantize %x, %s, %z axis -1 opset 21
      : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi4> to tensor<?x?xi4>
  %1 = quant_float.dequantize %0, %s, %z axis 1 opset 21
      : tensor<?x?xi4>, tensor<?xf32>, tensor<?xi4> to tensor<?x?xf32>
  %2 = quant_float.qdq %x, %s, %z axis 1 storage i4 opset 21
      : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi4> to tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xi4>, tensor<?x?xf32>, tensor<?x?xf32>
}
func.func @blocked(%x: tensor<?x?xf32>, %s: tensor<?x?xf32>)
    -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = quant_float.quantize %x, %s axis 1 block_size 2 opset 21 saturate false
      : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf8E4M3FN>
  %1 = quant_float.dequantize %0, %s axis 1 block_size 2 opset 21
      : tensor<?x?xf8E4M3FN>, tensor<?x?xf32> to tensor<?x?xf32>
  %2 = quant_float.qdq %x, %s axis 1 block_size 2 storage f8E4M3FN opset 21 saturate false
      : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf8E4M3FN>, tensor<?x?xf32>, tensor<?x?xf32>
}
""")
x = save("x", [[1, -2.5, 3.5], [100, -100, 0.25]], "f4")
empty = save("empty", np.zeros((2, 0)), "f4")
one = save("one", [0.5], "f4")
two = save("two", [0.5, 2], "f4")
three = save("three", [1, 0.5, 0.25], "f4")
none = save("none", [], "f4")
z, z1, z3 = save("z", 10, "u1"), save("z1", [1], "i1"), save("z3", [0, 1, -1], "i1")
z0 = save("z0", [], "i1")
blocks = save("blocks", [[1, 0.5], [0.25, 2]], "f4")
tall = save("tall", [[1, 2], [3, 4], [5, 6]], "f4")
no_blocks = save("no_blocks", np.zeros((2, 0)), "f4")

for target in ("reference", "cpu"):
    on = ("--target", target, "ops.mlir", "--entry")
    folder = f"{target}_tensor"
    run(0, *on, "tensor", "--inputs", x, one, z, "--outputs", folder)
    expect(folder, 0, np.array([[12, 5, 17], [210, 0, 10]], "u1"))  # 0.25 / 0.5 is a tie.
    for index in (1, 2):
        expect(folder, index, np.array([[1, -2.5, 3.5], [100, -5, 0]], "f4"))
    folder = f"{target}_axis"
    run(0, *on, "axis", "--inputs", x, three, z3, "--outputs", folder)
    expect(folder, 0, np.array([[1, -4, 7], [7, -8, 0]], "i1"))
    for index in (1, 2):
        expect(folder, index, np.array([[1, -2.5, 2], [7, -4.5, 0.25]], "f4"))
    folder = f"{target}_blocked"
    run(0, *on, "blocked", "--inputs", x, blocks, "--outputs", folder)
    expect(folder, 0, np.array([[0x38, 0xC2, 0x4E], [0x7C, 0xFC, 0x20]], "u1"))
    for index in (1, 2):
        expect(folder, index, np.array([[1, -2.5, 3.5], [96, -96, 0.25]], "f4"))

    # ceil(0 / 2) = 0 blocks.
    folder = f"{target}_empty"
    run(0, *on, "tensor", "--inputs", empty, one, z, "--outputs", folder)
    expect(folder, 0, np.zeros((2, 0), "u1"))
    run(0, *on, "axis", "--inputs", empty, none, z0, "--outputs", folder)
    run(0, *on, "blocked", "--inputs", empty, no_blocks, "--outputs", folder)
    expect(folder, 0, np.zeros((2, 0), "u1"))

# Compiled code detects these errors before it computes anything, the Reference when it reaches the
# op.
for entry, inputs, reference, cpu in (
    (
        "tensor",
        (x, two, z),
        "quantize: scale must have one element, but got float[2]",
        "tensor: input 1: dimension 0: expected size 1, but got 2",
    ),
    (
        "tensor",
        (x, none, z),
        "quantize: scale must have one element, but got float[0]",
        "tensor: input 1: dimension 0: expected size 1, but got 0",
    ),
    (
        "axis",
        (x, two, z3),
        "quantize: scale must be float[3] for axis 1 of an input float[2x3], but got float[2]",
        "axis: input 1: dimension 0: expected size 3, but got 2",
    ),
    (
        "axis",
        (x, three, z1),
        "quantize: zero point must be int4[3] for a scale float[3], but got int4[1]",
        "axis: input 2: dimension 0: expected size 3, but got 1",
    ),
    (
        "blocked",
        (x, tall),
        "quantize: scale must be float[2x2] for blocks of 2 along axis 1 of an input float[2x3], but got float[3x2]",
        "blocked: input 1: dimension 0: expected size 2, but got 3",
    ),
):
    for target, message in (("reference", reference), ("cpu", cpu)):
        on = ("--target", target, "ops.mlir", "--entry", entry)
        run(1, *on, "--inputs", *inputs, stderr=f"ops.mlir: error: {message}")

tool.finish()
