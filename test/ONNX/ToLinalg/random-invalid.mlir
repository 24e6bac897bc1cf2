// Random ops: errors in a node.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @numbers(%x: tensor<3xf32>, %i: tensor<3xi8>) {
  // expected-error @+1 {{'RandomUniform': attribute 'shape' must not have sizes below 0, but has -1}}
  %0 = quant_float.node "RandomUniform"() opset 22 attributes {shape = array<i64: 2, -1>} : () -> tensor<*xf32>
  // expected-error @+1 {{'RandomNormal': attribute 'shape' must have at most 64 sizes, but has 65}}
  %1 = quant_float.node "RandomNormal"() opset 22 attributes {shape = array<i64: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>} : () -> tensor<*xf32>
  // expected-error @+1 {{'RandomUniform': attribute 'low' must be finite}}
  %2 = quant_float.node "RandomUniform"() opset 22 attributes {shape = array<i64: 2>, low = 0xFF800000 : f32} : () -> tensor<*xf32>
  // expected-error @+1 {{'RandomNormal': attribute 'scale' must be finite}}
  %3 = quant_float.node "RandomNormal"() opset 22 attributes {shape = array<i64: 2>, scale = 0x7FC00000 : f32} : () -> tensor<*xf32>
  // expected-error @+1 {{'RandomUniformLike': attribute 'high' must not be below attribute 'low', and their difference must be finite}}
  %4 = quant_float.node "RandomUniformLike"(%x) opset 22 attributes {low = 2.0 : f32} : (tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'RandomUniformLike': attribute 'high' must not be below attribute 'low', and their difference must be finite}}
  %5 = quant_float.node "RandomUniformLike"(%x) opset 22 attributes {low = -3.0e38 : f32, high = 3.0e38 : f32} : (tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'RandomNormalLike': random numbers must have type f16, bf16, f32 or f64, but got 'i8'}}
  %6 = quant_float.node "RandomNormalLike"(%i) opset 22 : (tensor<3xi8>) -> tensor<*xi8>
  // expected-error @+1 {{'RandomNormalLike': random numbers must have type f16, bf16, f32 or f64, but got 'f8E5M2'}}
  %7 = quant_float.node "RandomNormalLike"(%i) opset 22 attributes {dtype = 19 : i64} : (tensor<3xi8>) -> tensor<*xf8E5M2>
  // expected-error @+1 {{'Bernoulli': unsupported element type 'f8E4M3FN'}}
  %8 = quant_float.node "Bernoulli"(%x) opset 22 attributes {dtype = 17 : i64} : (tensor<3xf32>) -> tensor<*xf8E4M3FN>
  // expected-error @+1 {{'Multinomial': the input must have rank 2, but got 1}}
  %9 = quant_float.node "Multinomial"(%x) opset 22 : (tensor<3xf32>) -> tensor<*xi32>
  return
}

// -----

func.func @classes(%x: tensor<2x3xf32>, %none: tensor<2x0xf32>) {
  // expected-error @+1 {{'Multinomial': attribute 'dtype' must be int32 or int64}}
  %0 = quant_float.node "Multinomial"(%x) opset 22 attributes {dtype = 1 : i64} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Multinomial': values of attribute 'sample_size' must be between 1 and 2147483647, but got 0}}
  %1 = quant_float.node "Multinomial"(%x) opset 22 attributes {sample_size = 0 : i64} : (tensor<2x3xf32>) -> tensor<*xi32>
  // expected-error @+1 {{'Multinomial': the number of classes must be at least 1, but got 0}}
  %2 = quant_float.node "Multinomial"(%none) opset 22 : (tensor<2x0xf32>) -> tensor<*xi32>
  return
}

// -----

func.func @step(%n: tensor<i64>, %x: tensor<2xf32>) {
  %0 = quant_float.node "Loop"(%n, %x) opset 22 absent [1] : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> bodies ["body"] {
  ^bb0(%k: tensor<i64>, %b: tensor<i1>, %v: tensor<2xf32>):
    // expected-error @+1 {{'RandomUniformLike': in a loop body, every iteration would get the same random numbers}}
    %1 = quant_float.node "RandomUniformLike"(%v) opset 22 : (tensor<2xf32>) -> tensor<2xf32>
    quant_float.yield %b, %1 : tensor<i1>, tensor<2xf32>
  }
  return
}
