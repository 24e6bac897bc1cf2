// Random ops: the key of the generator is the bit pattern of the seed as f32, also if the seed is an f64, NaN or an infinity.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @seeds(
// CHECK: arith.constant dense<1036831949> : tensor<i64>
// CHECK: arith.constant dense<1036831949> : tensor<i64>
// CHECK: arith.constant dense<2143289344> : tensor<i64>
// CHECK: arith.constant dense<4286578688> : tensor<i64>
func.func @seeds() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = quant_float.node "RandomUniform"() opset 22 attributes {shape = array<i64: 4>, seed = 0.1 : f32} : () -> tensor<4xf32>
  %1 = quant_float.node "RandomUniform"() opset 22 attributes {shape = array<i64: 4>, seed = 0.1 : f64} : () -> tensor<4xf32>
  %2 = quant_float.node "RandomUniform"() opset 22 attributes {shape = array<i64: 4>, seed = 0x7FC00000 : f32} : () -> tensor<4xf32>
  %3 = quant_float.node "RandomUniform"() opset 22 attributes {shape = array<i64: 4>, seed = 0xFF800000 : f32} : () -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
