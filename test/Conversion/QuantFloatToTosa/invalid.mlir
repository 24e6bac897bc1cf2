// Each error names the op and an input for which TOSA has another result.
// RUN: quant-float-opt %s --convert-quant-float-to-tosa -split-input-file -verify-diagnostics

func.func @casts(%x: tensor<4xf32>, %i: tensor<4xi32>, %d: tensor<4xf64>, %f: f32) {
  // expected-error @+1 {{no tosa for 'quant_float.cast': tosa.cast rounds to nearest and saturates: 1.5 would be 2, and 300 would be 127}}
  %0 = quant_float.cast %x opset 28 : tensor<4xf32> to tensor<4xi8>
  // expected-error @+1 {{no tosa for 'quant_float.cast': tosa.cast rounds to nearest and saturates: 1.5 would be 2, and 65537 would be 32767}}
  %1 = quant_float.cast %x opset 28 : tensor<4xf32> to tensor<4xi16>
  // expected-error @+1 {{no tosa for 'quant_float.cast': tosa.cast rounds to nearest and saturates: 1.5 would be 2}}
  %2 = quant_float.cast %x opset 28 : tensor<4xf32> to tensor<4xi32>
  // expected-error @+1 {{no tosa for 'quant_float.cast': a cast of 'i32' to 'bf16': compilers may round 16842753 twice}}
  %3 = quant_float.cast %i opset 28 : tensor<4xi32> to tensor<4xbf16>
  // expected-error @+1 {{no tosa for 'quant_float.cast': tosa.cast has no elements of type 'f64'}}
  %4 = quant_float.cast %d opset 28 : tensor<4xf64> to tensor<4xf32>
  // expected-error @+1 {{no tosa for 'quant_float.cast': tosa.cast has no elements of type 'f8E8M0FNU'}}
  %5 = quant_float.cast %x opset 28 : tensor<4xf32> to tensor<4xf8E8M0FNU>
  // expected-error @+1 {{no tosa for 'quant_float.cast': a cast with 'mode openvino'}}
  %6 = quant_float.cast %x mode openvino opset 1 : tensor<4xf32> to tensor<4xi8>
  // expected-error @+1 {{no tosa for 'quant_float.cast': a cast with 'mode p3109'}}
  %8 = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, SatNone> : tensor<4xf32> to tensor<4xf16>
  // expected-error @+1 {{no tosa for 'quant_float.cast': expected ranked tensors, but got 'f32' and 'f16'}}
  %7 = quant_float.cast %f opset 28 : f32 to f16
  return
}

// -----

func.func @stochastic(%x: tensor<4xf32>, %r: tensor<4xui16>) {
  // expected-error @+1 {{no tosa for 'quant_float.cast': stochastic rounding}}
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<4xf32>, tensor<4xui16> to tensor<4xbf16>
  return
}

// -----

func.func @quantize(%x: tensor<4xf32>, %s: tensor<f32>, %i: tensor<4xi32>) {
  %c = arith.constant dense<0.1> : tensor<f32>
  // expected-error @+1 {{no tosa for 'quant_float.quantize': TOSA has no division, and scales that are not constant powers of two have no exact reciprocals: -12.149999618530273 times 1 / 0.1 is -122 instead of -121}}
  %0 = quant_float.quantize %x, %c opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xi8>
  // expected-error @+1 {{no tosa for 'quant_float.quantize': TOSA has no division}}
  %1 = quant_float.quantize %x, %s opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xi8>
  %p = arith.constant dense<2.0> : tensor<f32>
  // expected-error @+1 {{no tosa for 'quant_float.quantize': TOSA has no unsigned integers: 200 would be -56}}
  %2 = quant_float.quantize %x, %p opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  %z = arith.constant dense<1> : tensor<i32>
  // expected-error @+1 {{no tosa for 'quant_float.dequantize': a zero point of 32 bits: -2147483648 - 1 would overflow}}
  %3 = quant_float.dequantize %i, %p, %z opset 28 : tensor<4xi32>, tensor<f32>, tensor<i32> to tensor<4xf32>
  return
}

// -----

func.func @shapes(%q: tensor<4x10xi8>, %s: tensor<4x2xf32>, %d: tensor<?x8xi8>, %n: tensor<?xf32>) {
  // expected-error @+1 {{no tosa for 'quant_float.dequantize': expected whole blocks of 8 along axis 1, but got 'tensor<4x10xi8>'}}
  %0 = quant_float.dequantize %q, %s axis 1 block_size 8 opset 28 : tensor<4x10xi8>, tensor<4x2xf32> to tensor<4x10xf32>
  // expected-error @+1 {{no tosa for 'quant_float.dequantize': blocks in 'tensor<?x8xi8>', whose sizes are not known}}
  %1 = quant_float.dequantize %d, %s axis 1 block_size 4 opset 28 : tensor<?x8xi8>, tensor<4x2xf32> to tensor<?x8xf32>
  // expected-error @+1 {{no tosa for 'quant_float.dequantize': scales of unknown number, 'tensor<?xf32>'}}
  %2 = quant_float.dequantize %q, %n axis 0 opset 28 : tensor<4x10xi8>, tensor<?xf32> to tensor<4x10xf32>
  return
}
