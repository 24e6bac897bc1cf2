// Invalid fakeconverts, for each rule.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --verify-roundtrip=false

// Rule K1.

func.func @opset_12(%x: f32, %s: f32) {
  // expected-error @+1 {{'quant_float.fakeconvert' op opset of FakeConvert must be between 13 and 15, but got 12}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 12 : f32, f32 to f32
  return
}

// -----

func.func @opset_16(%x: f32, %s: f32) {
  // expected-error @+1 {{opset of FakeConvert must be between 13 and 15, but got 16}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 16 : f32, f32 to f32
  return
}

// -----

// Rule K2.

func.func @input_f64(%x: f64, %s: f64) {
  // expected-error @+1 {{input must have elements of f32, f16 or bf16, but got 'f64'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : f64, f64 to f64
  return
}

// -----

func.func @input_i32(%x: tensor<4xi32>, %s: tensor<i32>) {
  // expected-error @+1 {{input must have elements of f32, f16 or bf16, but got 'i32'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<4xi32>, tensor<i32> to tensor<4xi32>
  return
}

// -----

func.func @scale_f16(%x: tensor<4xf32>, %s: tensor<f16>) {
  // expected-error @+1 {{scale must have the input's element type 'f32', but got 'f16'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<4xf32>, tensor<f16> to tensor<4xf32>
  return
}

// -----

func.func @shift_bf16(%x: tensor<4xf32>, %s: tensor<f32>, %t: tensor<bf16>) {
  // expected-error @+1 {{shift must have the input's element type 'f32', but got 'bf16'}}
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN opset 13 : tensor<4xf32>, tensor<f32>, tensor<bf16> to tensor<4xf32>
  return
}

// -----

func.func @result_f16(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{result must have the input's element type 'f32', but got 'f16'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<4xf32>, tensor<f32> to tensor<4xf16>
  return
}

// -----

func.func @scalar_scale(%x: tensor<4xf32>, %s: f32) {
  // expected-error @+1 {{scale must be a tensor if and only if the input is one, but got 'f32' with 'tensor<4xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<4xf32>, f32 to tensor<4xf32>
  return
}

// -----

func.func @tensor_scale(%x: vector<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{scale must be a tensor if and only if the input is one, but got 'tensor<4xf32>' with 'vector<4xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<4xf32>, tensor<4xf32> to vector<4xf32>
  return
}

// -----

// Rule K3.

func.func @destination_fnuz(%x: f32, %s: f32) {
  // expected-error @+1 {{destination must be f8E4M3FN or f8E5M2, but got 'f8E4M3FNUZ'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FNUZ opset 13 : f32, f32 to f32
  return
}

// -----

// Rule K4.

func.func @shift_rank(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %t: tensor<1x4xf32>) {
  // expected-error @+1 {{shift must have the same shape as the scale, but got the shape [1, 4] and the shape [4]}}
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN opset 13 : tensor<2x4xf32>, tensor<4xf32>, tensor<1x4xf32> to tensor<2x4xf32>
  return
}

// -----

func.func @shift_size(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %t: tensor<1xf32>) {
  // expected-error @+1 {{shift must have the same shape as the scale, but got the shape [1] and the shape [4]}}
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN opset 13 : tensor<2x4xf32>, tensor<4xf32>, tensor<1xf32> to tensor<2x4xf32>
  return
}

// -----

// Rule K5.

func.func @scale_rank(%x: tensor<f32>, %s: tensor<1xf32>) {
  // expected-error @+1 {{scale must broadcast to the input without changing its shape, but got the shape [1] and the shape []}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<f32>, tensor<1xf32> to tensor<f32>
  return
}

// -----

func.func @scale_grows(%x: tensor<2x1xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{scale must broadcast to the input without changing its shape, but got the shape [3] and the shape [2, 1]}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<2x1xf32>, tensor<3xf32> to tensor<2x1xf32>
  return
}

// -----

func.func @scale_of_scalar(%x: f32, %s: vector<1xf32>) {
  // expected-error @+1 {{scale must broadcast to the input without changing its shape, but got the shape [1] and a scalar}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : f32, vector<1xf32> to f32
  return
}

// -----

func.func @scalable_scale(%x: vector<4xf32>, %s: vector<[4]xf32>) {
  // expected-error @+1 {{scale must broadcast to the input without changing its shape}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<4xf32>, vector<[4]xf32> to vector<4xf32>
  return
}

// -----

// The input is unranked, and the result is ranked.
func.func @scale_of_result(%x: tensor<*xf32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{scale must broadcast to the input without changing its shape, but got the shape [5] and the shape [7]}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<*xf32>, tensor<5xf32> to tensor<7xf32>
  return
}

// -----

// Rule K6.

func.func @result_size(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{result must have the input's shape, but got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<4xf32>, tensor<f32> to tensor<5xf32>
  return
}

// -----

func.func @result_of_scale(%x: tensor<?xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{result must have the input's shape, but got 'tensor<?xf32>' and 'tensor<5xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<?xf32>, tensor<3xf32> to tensor<5xf32>
  return
}

// -----

func.func @result_scalable(%x: vector<4xf32>, %s: f32) {
  // expected-error @+1 {{result must have the input's shape, but got 'vector<4xf32>' and 'vector<[4]xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<4xf32>, f32 to vector<[4]xf32>
  return
}

// -----

func.func @result_scalar(%x: vector<1xf32>, %s: f32) {
  // expected-error @+1 {{result must have the input's shape, but got 'vector<1xf32>' and 'f32'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<1xf32>, f32 to f32
  return
}

// -----

// Rule K7.

func.func @reciprocal_exact(%x: f32, %s: f32) {
  // expected-error @+1 {{'reciprocal' requires mode 'openvino', but got 'exact'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN reciprocal single opset 13 : f32, f32 to f32
  return
}

// -----

func.func @zero_reference(%x: f32, %s: f32) {
  // expected-error @+1 {{'positive_zero' requires mode 'openvino', but got 'openvino_reference'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino_reference positive_zero opset 13 : f32, f32 to f32
  return
}

// -----

func.func @neutral_exact(%x: f32, %s: f32) {
  // expected-error @+1 {{'neutral_shift' requires mode 'openvino', but got 'exact'}}
  %0 = quant_float.fakeconvert %x, %s, %s to f8E4M3FN mode exact neutral_shift opset 13 : f32, f32, f32 to f32
  return
}

// -----

func.func @neutral_nothing(%x: f32, %s: f32) {
  // expected-error @+1 {{'neutral_shift' requires a shift}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino neutral_shift opset 13 : f32, f32 to f32
  return
}

// -----

func.func @reciprocal_f16(%x: f16, %s: f16) {
  // expected-error @+1 {{reciprocal 'openvino' requires elements of bf16, but got 'f16'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino reciprocal openvino opset 13 : f16, f16 to f16
  return
}
