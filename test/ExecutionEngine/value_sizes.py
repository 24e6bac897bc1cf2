# Sizes that are runtime values: negative and mismatched ones are errors that name the node. Matmuls
# without elements yield tensors without elements, or zeros.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %tools_dir %t
import pathlib
import subprocess
import sys

import numpy as np

tools_dir, work = map(pathlib.Path, sys.argv[1:])
MODEL = """
func.func @sum(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = quant_float.node "Add"(%a, %b) opset 21 name "n" : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @reshape(%x: tensor<6xf32>, %p: tensor<2xi64>) -> tensor<f32> {
  %r = quant_float.node "Reshape"(%x, %p) opset 21 : (tensor<6xf32>, tensor<2xi64>) -> tensor<*xf32>
  %s = quant_float.node "ReduceSum"(%r) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @expand(%x: tensor<1x6xf32>, %p: tensor<2xi64>) -> tensor<f32> {
  %r = quant_float.node "Expand"(%x, %p) opset 21 : (tensor<1x6xf32>, tensor<2xi64>) -> tensor<*xf32>
  %s = quant_float.node "ReduceSum"(%r) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @fill(%p: tensor<2xi64>) -> tensor<f32> {
  %r = quant_float.node "ConstantOfShape"(%p) opset 21 attributes {value = dense<1.0> : tensor<1xf32>} : (tensor<2xi64>) -> tensor<*xf32>
  %e = quant_float.node "Exp"(%r) opset 21 : (tensor<*xf32>) -> tensor<*xf32>
  %s = quant_float.node "ReduceSum"(%e) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @split(%x: tensor<6xf32>, %p: tensor<2xi64>) -> tensor<f32> {
  %r:2 = quant_float.node "Split"(%x, %p) opset 21 : (tensor<6xf32>, tensor<2xi64>) -> (tensor<*xf32>, tensor<*xf32>)
  %s = quant_float.node "ReduceSum"(%r#1) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @split_open(%x: tensor<?xf32>, %p: tensor<4xi64>) -> tensor<f32> {
  %r:4 = quant_float.node "Split"(%x, %p) opset 21 : (tensor<?xf32>, tensor<4xi64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %s = quant_float.node "ReduceSum"(%r#3) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @pad(%x: tensor<6xf32>, %p: tensor<2xi64>) -> tensor<f32> {
  %r = quant_float.node "Pad"(%x, %p) opset 21 : (tensor<6xf32>, tensor<2xi64>) -> tensor<*xf32>
  %s = quant_float.node "ReduceSum"(%r) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @unpool(%x: tensor<1x1x1xf32>, %i: tensor<1x1x1xi64>, %p: tensor<3xi64>) -> tensor<f32> {
  %r = quant_float.node "MaxUnpool"(%x, %i, %p) opset 11 attributes {kernel_shape = array<i64: 2>} : (tensor<1x1x1xf32>, tensor<1x1x1xi64>, tensor<3xi64>) -> tensor<*xf32>
  %s = quant_float.node "ReduceSum"(%r) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @one_hot(%x: tensor<2xi64>, %depth: tensor<ui8>, %v: tensor<2xf32>) -> tensor<?x?xf32> {
  %r = quant_float.node "OneHot"(%x, %depth, %v) opset 11 : (tensor<2xi64>, tensor<ui8>, tensor<2xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @shrink(%x: tensor<4xi8>) -> tensor<4xi8> {
  %r = quant_float.node "Shrink"(%x) opset 9 attributes {bias = 1.0e10 : f32} : (tensor<4xi8>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}
func.func @quarters(%x: tensor<?xf32>) -> tensor<f32> {
  %r:4 = quant_float.node "Split"(%x) opset 21 attributes {num_outputs = 4 : i64} : (tensor<?xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %s = quant_float.node "ReduceSum"(%r#3) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @resize(%x: tensor<6xf32>, %p: tensor<1xi64>) -> tensor<f32> {
  %r = quant_float.node "Resize"(%x, %p) opset 19 absent [1, 2] : (tensor<6xf32>, tensor<1xi64>) -> tensor<*xf32>
  %s = quant_float.node "ReduceSum"(%r) opset 21 attributes {keepdims = 0 : i64} : (tensor<*xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @gather(%x: tensor<?xf32>, %i: tensor<?xi64>) -> tensor<?xf32> {
  %r = quant_float.node "Gather"(%x, %i) opset 21 : (tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @no_columns(%x: tensor<?x8xf32>, %w: tensor<8x0xi8>, %s: tensor<f32>) -> tensor<?x0xf32> {
  %d = quant_float.dequantize %w, %s opset 21 : tensor<8x0xi8>, tensor<f32> to tensor<8x0xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<?x8xf32>, tensor<8x0xf32>) -> tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}
func.func @no_summands(%x: tensor<?x0xf32>, %w: tensor<4x0xi8>, %s: tensor<f32>) -> tensor<?x4xf32> {
  %d = quant_float.dequantize %w, %s opset 21 : tensor<4x0xi8>, tensor<f32> to tensor<4x0xf32>
  %y = quant_float.node "Gemm"(%x, %d) opset 21 attributes {transB = 1 : i64} : (tensor<?x0xf32>, tensor<4x0xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @no_filters(%x: tensor<1x32x4x4xf32>, %w: tensor<0x32x3x3xi8>, %s: tensor<f32>) -> tensor<1x0x2x2xf32> {
  %d = quant_float.dequantize %w, %s opset 21 : tensor<0x32x3x3xi8>, tensor<f32> to tensor<0x32x3x3xf32>
  %y = quant_float.node "Conv"(%x, %d) opset 21 : (tensor<1x32x4x4xf32>, tensor<0x32x3x3xf32>) -> tensor<1x0x2x2xf32>
  return %y : tensor<1x0x2x2xf32>
}
"""
(work / "m.mlir").write_text(MODEL)
F32, I64 = np.float32, np.int64
six = np.arange(1, 7, dtype=F32)


def run(entry, *inputs, expected=None, error=None):
    files = []
    for i, value in enumerate(inputs):
        files.append(work / f"x{i}.npy")
        np.save(files[-1], value)
    command = [tools_dir / "quant-float-run", "m.mlir", "-O0", "--entry", entry]
    command += ["--outputs", work, "--inputs", *files]
    result = subprocess.run(command, capture_output=True, check=False, cwd=work, text=True)
    what = (entry, [value.tolist() for value in inputs], result)
    if error:
        assert result.returncode == 1 and f"error: {entry}: {error}" in result.stderr, what
        return
    assert result.returncode == 0, what
    got = np.load(work / "output_0.npy")
    wanted = np.array(expected, F32)
    assert got.shape == wanted.shape and np.allclose(got, wanted), (what, got)


def sizes(*values):
    return np.array(values, I64)


negative = "a size of the shape must be at least 0"
run("reshape", six, sizes(2, 3), expected=21)
run("reshape", six, sizes(-2, -3), error=f"Reshape: {negative}")
run("reshape", six, sizes(-1, 6), expected=21)
run("reshape", six, sizes(-1, -1), error="Reshape: the shape has more than one -1")
run("reshape", six, sizes(3, 3), error="Reshape: the number of elements must match the other sizes")
run("reshape", six, sizes(3, 0), error="Reshape: the number of elements must match")
run("reshape", six, sizes(-1, 4), error="Reshape: the number of elements must match")
# Products and sums that match only after an overflow.
run(
    "reshape", six, sizes(11, (2**64 + 6) // 11), error="Reshape: the number of elements must match"
)
run("expand", six[None], sizes(4, 6), expected=84)
run("expand", six[None], sizes(-4, 6), error=f"Expand: {negative}")
run("fill", sizes(2, 3), expected=6 * np.e)
run("fill", sizes(-2, 3), error=f"ConstantOfShape: {negative}")
run("fill", sizes(-2, -3), error=f"ConstantOfShape: {negative}")
run("split", six, sizes(2, 4), expected=18)
run("split", six, sizes(9, -3), error="Split: the size of a split must be at least 0")
run("split", six, sizes(-3, 9), error="Split: the size of a split must be at least 0")
run("split", six, sizes(2, 3), error="Split: the sum of all split sizes must match the other sizes")
run("split_open", six, sizes(2, 2, 1, 1), expected=6)
overflow = sizes(2**62, 2**62, 2**62, 2**62 + 6)
large = "the size of a split must not exceed the corresponding size"
run("split_open", six, overflow, error=f"Split: {large}")
run("pad", six, sizes(1, 1), expected=21)
run("pad", six, sizes(-1, -1), expected=14)
run("pad", six, sizes(2**63 - 1, 2**63 - 1), error="Pad: a pad must be at most 2147483647")
run("pad", six, sizes(1 - 2**63, 1 - 2**63), error="Pad: a pad must be at least -2147483648")
run("pad", six, sizes(-(2**63), 0), error="Pad: a pad must be at least -2147483648")
one, index = np.ones((1, 1, 1), F32), np.zeros((1, 1, 1), I64)
run("unpool", one, index, sizes(1, 1, 3), expected=1)
run("unpool", one, index, sizes(1, 1, -(2**63)), error=f"MaxUnpool: {negative}")
values = np.array([0, 1], F32)
run("one_hot", sizes(1, -1), np.array(200, np.uint8), values, expected=np.eye(200)[[1, 199]])
# C11: beyond 32 bits, and then the low bits.
run("shrink", np.array([-128, -1, 0, 127], np.int8), expected=[-1, -1, 0, 0])
run("quarters", six[:4], expected=4)
# 2 + 2 + 2 is more than 5.
run("quarters", six[:5], error="Split: the size of a split must be at least 0")
run("resize", six, sizes(3), expected=9)
run("resize", six, sizes(-3), error="Resize: a size must be at least 0")
run("gather", six, sizes(5, -6, 1), expected=[6, 1, 2])
run("gather", six[:0], sizes(0, 1), error="Gather: the size of axis 0 must be at least 1")
run("gather", six[:0], sizes(), expected=[])
ones = np.ones((3, 4), F32)
run("sum", ones, ones, expected=2 * ones)
# The compiler cannot know which of two dynamic sizes is 1.
dynamic_size = "must have the same size, because dynamic sizes are not broadcast"
run(
    "sum",
    ones,
    ones[:, :1],
    error=f"node 'n' (Add): axis 1 of inputs 0 and 1 {dynamic_size}: expected size 4, but got 1",
)
run(
    "sum",
    ones[:1],
    ones,
    error=f"node 'n' (Add): axis 0 of inputs 0 and 1 {dynamic_size}: expected size 1, but got 3",
)
one = np.array(1, F32)
run("no_columns", np.ones((3, 8), F32), np.ones((8, 0), np.int8), one, expected=np.ones((3, 0)))
run("no_summands", np.ones((3, 0), F32), np.ones((4, 0), np.int8), one, expected=np.zeros((3, 4)))
weights = np.ones((0, 32, 3, 3), np.int8)
run("no_filters", np.ones((1, 32, 4, 4), F32), weights, one, expected=np.ones((1, 0, 2, 2)))
print("OK")
