// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --convert-quant-float-to-linalg --verify-roundtrip=false

func.func @unranked(%x: tensor<*xf32>, %s: tensor<f32>) -> tensor<*xf32> {
  // expected-error @+1 {{'quant_float.fakeconvert' op has no lowering for the unranked type 'tensor<*xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<*xf32>, tensor<f32> to tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @unranked_scale(%x: tensor<4xf32>, %s: tensor<*xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'quant_float.fakeconvert' op has no lowering for the unranked type 'tensor<*xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<4xf32>, tensor<*xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// K6: neither the input nor the scale says so.
func.func @k6_claims_sizes(%x: tensor<?x?xf32>, %s: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{'quant_float.fakeconvert' op has no lowering for a static result size for a dynamic input size, but got 'tensor<?x?xf32>' and 'tensor<2x4xf32>'}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<?x?xf32>, tensor<4xf32> to tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
