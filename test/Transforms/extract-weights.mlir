// RUN: quant-float-opt %s --split-input-file --mlir-print-debuginfo --quant-float-extract-weights | FileCheck %s

// The rows are outputs. The ops that compute scales are extracted as well. Quantized activations,
// scalars and indices are not weights.

// CHECK:       func.func @weights() -> (tensor<3x4xf32> {quant_float.name = "a.weight"},
// CHECK-SAME:    tensor<4x3xf32> {quant_float.name = "b.weight"}, tensor<4x3xf32> {quant_float.name = "b.1.weight"}, tensor<3xf32> {quant_float.name = "unnamed"})
// CHECK-DAG:     %[[A:.+]] = arith.constant dense<{{\[}}[1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]]> : tensor<3x4xi8>
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<{{\[}}[1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK:         %[[D:.+]] = quant_float.dequantize %[[A]], %[[S]] axis 1 block_size 2 opset 21 : tensor<3x4xi8>, tensor<3x2xf32> to tensor<3x4xf32>
// CHECK-NOT:     quantize
// CHECK-NOT:     MatMul
// CHECK:         return %[[D]], %{{.+}}, %{{.+}}, %{{.+}}
// CHECK-NOT:     func
func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x3xf32>, tensor<1x4xi8>, tensor<1x3xf32>, tensor<4x3xf32>) {
  %a = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi8> loc("a")
  %s = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %d = quant_float.dequantize %a, %s axis 0 block_size 2 opset 21 : tensor<4x3xi8>, tensor<2x3xf32> to tensor<4x3xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
  %one = arith.constant dense<2.0> : tensor<f32>
  %q = quant_float.quantize %x, %one opset 21 : tensor<1x4xf32>, tensor<f32> to tensor<1x4xi8>
  // With two users, and with two levels.
  %b = arith.constant dense<3> : tensor<4x3xi8> loc("b.weight_Q4G2")
  %e = quant_float.dequantize %b, %one opset 21 : tensor<4x3xi8>, tensor<f32> to tensor<4x3xf32>
  %z = quant_float.node "MatMul"(%x, %e) opset 21 : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
  %t = arith.constant dense<2> : tensor<4xi8>
  %u = quant_float.dequantize %t, %one opset 21 : tensor<4xi8>, tensor<f32> to tensor<4xf32>
  %f = quant_float.dequantize %b, %u axis 0 opset 21 : tensor<4x3xi8>, tensor<4xf32> to tensor<4x3xf32>
  %v = arith.constant dense<1.0> : tensor<3xf32>
  %w = quant_float.node "Mul"(%z, %v) opset 21 : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  %g = quant_float.node "Neg"(%f) opset 21 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %h = quant_float.node "Neg"(%e) opset 21 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y, %q, %w, %g : tensor<1x3xf32>, tensor<1x4xi8>, tensor<1x3xf32>, tensor<4x3xf32>
}

// -----

// A scale of one element has no axis.

// CHECK:       func.func @weights() -> (tensor<3x4xf32> {quant_float.name = "c.weight"})
// CHECK:         quant_float.dequantize %{{.+}}, %{{.+}} opset 21 : tensor<3x4xi8>, tensor<1xf32> to tensor<3x4xf32>
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x3xf32> {
  %c = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]> : tensor<4x3xi8> loc("c")
  %s = arith.constant dense<2.0> : tensor<1xf32>
  %d = quant_float.dequantize %c, %s opset 21 : tensor<4x3xi8>, tensor<1xf32> to tensor<4x3xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
