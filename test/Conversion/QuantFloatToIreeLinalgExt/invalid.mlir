// Each error names the op and the reason.
// RUN: quant-float-opt %s --allow-unregistered-dialect --convert-quant-float-to-iree-linalg-ext -split-input-file -verify-diagnostics

func.func @storage(%x: tensor<4xf32>, %s: tensor<f32>, %q: tensor<4xf4E2M1FN>) {
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.quantize': IREE's affine quantization has no quantization to 'f8E4M3FN'}}
  %0 = quant_float.quantize %x, %s opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xf8E4M3FN>
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.dequantize': IREE's affine quantization has no quantization to 'f4E2M1FN'}}
  %1 = quant_float.dequantize %q, %s opset 28 : tensor<4xf4E2M1FN>, tensor<f32> to tensor<4xf32>
  return
}

// -----

func.func @stochastic(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>, %r: tensor<4xui8>) {
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.quantize': stochastic rounding}}
  %0 = quant_float.quantize %x, %s, %z, %r opset 1 domain "quant_float" round_mode stochastic : tensor<4xf32>, tensor<f32>, tensor<i8>, tensor<4xui8> to tensor<4xi8>
  return
}

// -----

func.func @scalars(%x: f32, %s: f32, %v: vector<4xi8>) {
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.quantize': expected ranked tensors, but got 'f32', 'f32' and 'ui8'}}
  %0 = quant_float.quantize %x, %s opset 28 : f32, f32 to ui8
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.dequantize': expected ranked tensors, but got 'vector<4xi8>', 'f32' and 'vector<4xf32>'}}
  %1 = quant_float.dequantize %v, %s opset 28 : vector<4xi8>, f32 to vector<4xf32>
  return
}

// -----

func.func @unranked(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<*xi8>) {
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.quantize': a zero point of the type 'tensor<*xi8>'}}
  %0 = quant_float.quantize %x, %s, %z opset 28 : tensor<4xf32>, tensor<f32>, tensor<*xi8> to tensor<4xi8>
  return
}

// -----

func.func @blocks(%x: tensor<4x10xf32>, %s: tensor<4x2xf32>, %q: tensor<4x?xi8>, %t: tensor<4x?xf32>) {
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.quantize': expected whole blocks of 8 along axis 1, but got 'tensor<4x10xf32>'}}
  %0 = quant_float.quantize %x, %s axis 1 block_size 8 opset 28 : tensor<4x10xf32>, tensor<4x2xf32> to tensor<4x10xi8>
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.dequantize': expected whole blocks of 8 along axis 1, but got 'tensor<4x?xi8>'}}
  %1 = quant_float.dequantize %q, %t axis 1 block_size 8 opset 28 : tensor<4x?xi8>, tensor<4x?xf32> to tensor<4x?xf32>
  return
}

// -----

func.func @precision(%x: tensor<4xf16>, %s: tensor<f16>) {
  // expected-error @+1 {{no iree_linalg_ext for 'quant_float.quantize': IREE adds the zero point in 'f16', which does not represent all values of 'i16': 2048 + 1 would be 2048}}
  %0 = quant_float.quantize %x, %s opset 28 : tensor<4xf16>, tensor<f16> to tensor<4xi16>
  return
}
