// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-qdq-to-integer-matmul,canonicalize))" | FileCheck %s

// Scales multiply the sums of each channel.

// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[X:.+]]: tensor<8x4xui8>
// CHECK-DAG:     %[[SCALES:.+]] = arith.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK:         %[[SUMS:.+]] = quant_float.node "MatMulInteger"(%[[X]],
// CHECK:         %[[FLOATS:.+]] = quant_float.cast %[[SUMS]]
// CHECK:         quant_float.node "Mul"(%[[FLOATS]], %[[SCALES]])
func.func @product(%x: tensor<8x4xui8>) -> tensor<8x2xf32> {
  %sx = arith.constant dense<2.0> : tensor<f32>
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %sw = arith.constant dense<[0.25, 0.5]> : tensor<2xf32>
  %0 = quant_float.dequantize %x, %sx opset 13 : tensor<8x4xui8>, tensor<f32> to tensor<8x4xf32>
  %1 = quant_float.dequantize %w, %sw axis 1 opset 13 : tensor<4x2xi8>, tensor<2xf32> to tensor<4x2xf32>
  %2 = quant_float.node "MatMul"(%0, %1) opset 13 : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// Skinny matmuls have their own accumulation order, and scales along K cannot be applied to
// results.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: quant_float.node "MatMul"(
func.func @others(%x: tensor<4x4xui8>, %y: tensor<8x2xui8>) -> (tensor<4x2xf32>, tensor<8x2xf32>) {
  %sx = arith.constant dense<2.0> : tensor<f32>
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %v = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %sw = arith.constant dense<[0.25, 0.5]> : tensor<2xf32>
  %0 = quant_float.dequantize %x, %sx opset 13 : tensor<4x4xui8>, tensor<f32> to tensor<4x4xf32>
  %1 = quant_float.dequantize %w, %sw axis 1 opset 13 : tensor<4x2xi8>, tensor<2xf32> to tensor<4x2xf32>
  %2 = quant_float.node "MatMul"(%0, %1) opset 13 : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = quant_float.dequantize %y, %sx opset 13 : tensor<8x2xui8>, tensor<f32> to tensor<8x2xf32>
  %4 = quant_float.dequantize %v, %sw axis 0 opset 13 : tensor<2x2xi8>, tensor<2xf32> to tensor<2x2xf32>
  %5 = quant_float.node "MatMul"(%3, %4) opset 13 : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
  return %2, %5 : tensor<4x2xf32>, tensor<8x2xf32>
}

// A bias of dynamic size.

// CHECK-LABEL: func.func @bias(
// CHECK:         %[[SIZES:.+]] = arith.constant dense<[1, -1, 1, 1]> : tensor<4xi64>
// CHECK:         quant_float.node "Reshape"(%{{.+}}, %[[SIZES]]) {{.*}} -> tensor<1x?x1x1xf32>
func.func @bias(%x: tensor<1x1x8x8xui8>, %b: tensor<?xf32>) -> tensor<1x2x8x8xf32> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %sw = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %w = arith.constant dense<3> : tensor<2x1x1x1xi8>
  %0 = quant_float.dequantize %x, %s opset 21 : tensor<1x1x8x8xui8>, tensor<f32> to tensor<1x1x8x8xf32>
  %1 = quant_float.dequantize %w, %sw axis 0 opset 21 : tensor<2x1x1x1xi8>, tensor<2xf32> to tensor<2x1x1x1xf32>
  %2 = quant_float.node "Conv"(%0, %1, %b) opset 21
      : (tensor<1x1x8x8xf32>, tensor<2x1x1x1xf32>, tensor<?xf32>) -> tensor<1x2x8x8xf32>
  return %2 : tensor<1x2x8x8xf32>
}

// Invalid nodes are left unchanged: weights, a bias and results without dimensions, a Gemm of rank
// three.

// CHECK-LABEL: func.func @invalid(
// CHECK-NOT:     Integer
func.func @invalid(%x: tensor<1x1x8x8xui8>, %y: tensor<2x8x1xui8>, %b: tensor<f32>)
    -> (tensor<f32>, tensor<1x1x8x8xf32>, tensor<2x8x1xf32>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  %w = arith.constant dense<3> : tensor<i8>
  %v = arith.constant dense<3> : tensor<1x1x1x1xi8>
  %u = arith.constant dense<3> : tensor<1x1xi8>
  %0 = quant_float.dequantize %x, %s opset 21 : tensor<1x1x8x8xui8>, tensor<f32> to tensor<1x1x8x8xf32>
  %1 = quant_float.dequantize %w, %s opset 21 : tensor<i8>, tensor<f32> to tensor<f32>
  %2 = quant_float.dequantize %v, %s opset 21 : tensor<1x1x1x1xi8>, tensor<f32> to tensor<1x1x1x1xf32>
  %3 = quant_float.dequantize %u, %s opset 21 : tensor<1x1xi8>, tensor<f32> to tensor<1x1xf32>
  %4 = quant_float.dequantize %y, %s opset 21 : tensor<2x8x1xui8>, tensor<f32> to tensor<2x8x1xf32>
  %5 = quant_float.node "Conv"(%0, %1) opset 21 : (tensor<1x1x8x8xf32>, tensor<f32>) -> tensor<f32>
  %6 = quant_float.node "Conv"(%0, %2, %b) opset 21
      : (tensor<1x1x8x8xf32>, tensor<1x1x1x1xf32>, tensor<f32>) -> tensor<1x1x8x8xf32>
  %7 = quant_float.node "Gemm"(%4, %3) opset 21 : (tensor<2x8x1xf32>, tensor<1x1xf32>) -> tensor<2x8x1xf32>
  return %5, %6, %7 : tensor<f32>, tensor<1x1x8x8xf32>, tensor<2x8x1xf32>
}
