// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-pack-weights | FileCheck %s

// Signed values are increased by 8. The first value of a byte is in its lowest bits, and the blocks
// of a row are padded with zeros.

// CHECK-LABEL: func.func @matmul
// CHECK-DAG:     %[[W:.+]] = quant_float.constant dense<{{\[}}{{\[}}[169, 169, 169, 169, 169, 169, 169, 169], [169, 0, 0, 0, 0, 0, 0, 0]]]> : tensor<1x2x8xui8>
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<{{\[}}[1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
// CHECK:         %[[Y:.+]] = quant_float.node "MatMulNBits"(%arg0, %[[W]], %[[S]]) opset 1 domain "com.microsoft"
// CHECK-SAME:      attributes {K = 18 : i64, N = 1 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<?x18xf32>, tensor<1x2x8xui8>, tensor<1x2xf32>) -> tensor<?x1xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @matmul(%x: tensor<?x18xf32>) -> tensor<?x1xf32> {
  %w = arith.constant dense<[[1], [2], [1], [2], [1], [2], [1], [2], [1], [2], [1], [2], [1], [2], [1], [2], [1], [2]]> : tensor<18x1xi4>
  %s = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %d = quant_float.dequantize %w, %s axis 0 block_size 16 opset 21 : tensor<18x1xi4>, tensor<2x1xf32> to tensor<18x1xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<?x18xf32>, tensor<18x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// -----

// A bias after absent inputs, and a zero point other than the midpoint.

// CHECK-LABEL: func.func @bias
// CHECK-DAG:     %[[Z:.+]] = quant_float.constant dense<0> : tensor<1xui8>
// CHECK:         quant_float.node "MatMulNBits"(%arg0, %{{.+}}, %{{.+}}, %[[Z]], %arg1) opset 1 domain "com.microsoft"
// CHECK-SAME:      absent [4]
// CHECK:         quant_float.node "MatMulNBits"(%arg0, %{{.+}}, %{{.+}}, %arg1) opset 1 domain "com.microsoft"
// CHECK-SAME:      absent [3, 4]
func.func @bias(%x: tensor<?x16xf32>, %b: tensor<1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %w = quant_float.constant dense<3> : tensor<1x16xui8>
  %v = arith.constant dense<3> : tensor<1x16xi8>
  %s = arith.constant dense<1.0> : tensor<1x1xf32>
  %d = quant_float.dequantize %w, %s axis 1 block_size 16 opset 21 : tensor<1x16xui8>, tensor<1x1xf32> to tensor<1x16xf32>
  %y = quant_float.node "Gemm"(%x, %d, %b) opset 21 attributes {transB = 1 : i64} : (tensor<?x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> tensor<?x1xf32>
  %e = quant_float.dequantize %v, %s axis 1 block_size 16 opset 21 : tensor<1x16xi8>, tensor<1x1xf32> to tensor<1x16xf32>
  %z = quant_float.node "Gemm"(%x, %e, %b) opset 21 attributes {transB = 1 : i64} : (tensor<?x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> tensor<?x1xf32>
  return %y, %z : tensor<?x1xf32>, tensor<?x1xf32>
}

// -----

// CHECK-LABEL: func.func @unchanged
// CHECK-NOT:     MatMulNBits
func.func @unchanged(%x: tensor<?x16xf32>, %v: tensor<16x1xi4>, %w: tensor<?x1xi4>, %b: tensor<?x1xf32>) {
  %s = arith.constant dense<1.0> : tensor<1x1xf32>
  %0 = quant_float.dequantize %v, %s axis 0 block_size 16 opset 21 : tensor<16x1xi4>, tensor<1x1xf32> to tensor<16x1xf32>
  // expected-remark @+1 {{not packed: its weights, scales or zero points are not constants}}
  %1 = quant_float.node "MatMul"(%x, %0) opset 21 : (tensor<?x16xf32>, tensor<16x1xf32>) -> tensor<?x1xf32>
  %2 = quant_float.dequantize %w, %s axis 0 block_size 16 opset 21 : tensor<?x1xi4>, tensor<1x1xf32> to tensor<?x1xf32>
  // expected-remark @+1 {{not packed: its weights are not a matrix of static size}}
  %3 = quant_float.node "MatMul"(%x, %2) opset 21 : (tensor<?x16xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  // expected-remark @+1 {{not packed: its bias does not have one element per column}}
  %4 = quant_float.node "Gemm"(%x, %0, %b) opset 21 : (tensor<?x16xf32>, tensor<16x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  // The lhs, and other nodes.
  %5 = quant_float.node "MatMul"(%0, %x) opset 21 : (tensor<16x1xf32>, tensor<?x16xf32>) -> tensor<16x16xf32>
  return
}
