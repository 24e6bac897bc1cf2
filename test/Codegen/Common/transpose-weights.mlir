// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-transpose-weights))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-transpose-weights{any-rows}))" | FileCheck %s --check-prefix=ANY

// test/Python/integer_activations.py executes these.

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[X:.+]]: tensor<1x32xf32>
// CHECK-DAG:     %[[W:.+]] = arith.constant dense<{{\[}}[1, 1{{.*}}], [2, 2{{.*}}]]> : tensor<2x32xi8>
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<{{\[}}[1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK:         %[[D:.+]] = quant_float.dequantize %[[W]], %[[S]] axis 1 block_size 16 opset 21 : tensor<2x32xi8>, tensor<2x2xf32> to tensor<2x32xf32>
// CHECK:         %[[T:.+]] = quant_float.node "Transpose"(%[[D]]) opset 21 attributes {perm = array<i64: 1, 0>} : (tensor<2x32xf32>) -> tensor<32x2xf32>
// CHECK:         quant_float.node "MatMul"(%[[X]], %[[T]])
func.func @blocks(%x: tensor<1x32xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2]]> : tensor<32x2xi8>
  %s = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %d = quant_float.dequantize %w, %s axis 0 block_size 16 opset 21 : tensor<32x2xi8>, tensor<2x2xf32> to tensor<32x2xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<1x32xf32>, tensor<32x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// Packed values stay packed: 0x21 0x43 are the values 1 2 3 4.
// CHECK-LABEL: func.func @packed(
// CHECK:         dense_resource<w_{{.*}}> : tensor<2x4xi4>
// CHECK:         axis 0 opset 21 : tensor<2x4xi4>, tensor<2xf32>, tensor<2xi4> to tensor<2x4xf32>
func.func @packed(%x: tensor<4xf32>) -> tensor<2xf32> {
  %w = arith.constant dense_resource<w> : tensor<4x2xi4>
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %z = arith.constant dense<[0, 1]> : tensor<2xi4>
  %d = quant_float.dequantize %w, %s, %z axis 1 opset 21 : tensor<4x2xi4>, tensor<2xf32>, tensor<2xi4> to tensor<4x2xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Not transposed: K-contiguous weights, more rows or a dynamic number of them, a scale for each
// element of K, and weights that are not constant or have other uses.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     "Transpose"
// With any number of rows, those of the second and the third matmul are transposed.
// ANY-LABEL: func.func @others(
// ANY-COUNT-2: "Transpose"
// ANY-NOT:     "Transpose"
// ANY-LABEL: func.func @float8(
// ANY-NOT:     "Transpose"
func.func @others(%x: tensor<1x16xf32>, %many: tensor<5x16xf32>, %open: tensor<?x16xf32>, %quantized: tensor<16x2xi8>) -> (tensor<1x2xf32>, tensor<5x2xf32>, tensor<?x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<16x2xi8>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  %w0 = arith.constant dense<1> : tensor<2x16xi8>
  %d0 = quant_float.dequantize %w0, %s opset 21 : tensor<2x16xi8>, tensor<f32> to tensor<2x16xf32>
  %0 = quant_float.node "Gemm"(%x, %d0) opset 21 attributes {transB = 1 : i64} : (tensor<1x16xf32>, tensor<2x16xf32>) -> tensor<1x2xf32>
  %w1 = arith.constant dense<2> : tensor<16x2xi8>
  %d1 = quant_float.dequantize %w1, %s opset 21 : tensor<16x2xi8>, tensor<f32> to tensor<16x2xf32>
  %1 = quant_float.node "MatMul"(%many, %d1) opset 21 : (tensor<5x16xf32>, tensor<16x2xf32>) -> tensor<5x2xf32>
  %w2 = arith.constant dense<3> : tensor<16x2xi8>
  %d2 = quant_float.dequantize %w2, %s opset 21 : tensor<16x2xi8>, tensor<f32> to tensor<16x2xf32>
  %2 = quant_float.node "MatMul"(%open, %d2) opset 21 : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<?x2xf32>
  %w3 = arith.constant dense<4> : tensor<16x2xi8>
  %s3 = arith.constant dense<0.5> : tensor<16xf32>
  %d3 = quant_float.dequantize %w3, %s3 axis 0 opset 21 : tensor<16x2xi8>, tensor<16xf32> to tensor<16x2xf32>
  %3 = quant_float.node "MatMul"(%x, %d3) opset 21 : (tensor<1x16xf32>, tensor<16x2xf32>) -> tensor<1x2xf32>
  %d4 = quant_float.dequantize %quantized, %s opset 21 : tensor<16x2xi8>, tensor<f32> to tensor<16x2xf32>
  %4 = quant_float.node "MatMul"(%x, %d4) opset 21 : (tensor<1x16xf32>, tensor<16x2xf32>) -> tensor<1x2xf32>
  %w5 = arith.constant dense<5> : tensor<16x2xi8>
  %d5 = quant_float.dequantize %w5, %s opset 21 : tensor<16x2xi8>, tensor<f32> to tensor<16x2xf32>
  %5 = quant_float.node "MatMul"(%x, %d5) opset 21 : (tensor<1x16xf32>, tensor<16x2xf32>) -> tensor<1x2xf32>
  %6 = arith.addf %4, %5 : tensor<1x2xf32>
  return %0, %1, %2, %3, %6, %w5 : tensor<1x2xf32>, tensor<5x2xf32>, tensor<?x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<16x2xi8>
}

// CHECK-LABEL: func.func @float8(
func.func @float8(%x: tensor<5x16xf32>) -> tensor<5x2xf32> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %w = arith.constant dense<2.0> : tensor<16x2xf8E4M3FN>
  %d = quant_float.dequantize %w, %s opset 21 : tensor<16x2xf8E4M3FN>, tensor<f32> to tensor<16x2xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<5x16xf32>, tensor<16x2xf32>) -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      // CHECK: w_{{.*}}: "0x{{........}}31754286"
      w: "0x0100000021436587"
    }
  }
#-}
