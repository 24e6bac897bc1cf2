// Ops without an equivalent are left unchanged, and a remark gives the reason.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-convert-qdq-to-fakeconvert --quant-float-convert-fakeconvert-to-qdq -o /dev/null

func.func @not_exact(%x: tensor<2xf32>) {
  %s0 = arith.constant dense<0.3> : tensor<f32>
  // expected-remark @+1 {{not converted to fakeconvert: the reciprocal of element 0 of the scale, 0.300000012, is not exact in f32}}
  %0 = quant_float.qdq %x, %s0 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  %s1 = arith.constant dense<[0.5, 448.0]> : tensor<2xf32>
  // expected-remark @+1 {{not converted to fakeconvert: the reciprocal of element 1 of the scale, 448, is not exact in f32}}
  %1 = quant_float.qdq %x, %s1 axis 0 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<2xf32> to tensor<2xf32>
  %s2 = arith.constant dense<0.0> : tensor<f32>
  // expected-remark @+1 {{not converted to fakeconvert: the reciprocal of element 0 of the scale, 0, is not exact in f32}}
  %2 = quant_float.qdq %x, %s2 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  %s3 = arith.constant dense<0x7FC00000> : tensor<f32>
  // expected-remark @+1 {{not converted to fakeconvert: the reciprocal of element 0 of the scale, NaN, is not exact in f32}}
  %3 = quant_float.qdq %x, %s3 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  return
}

// -----

func.func @not_stochastic(%x: tensor<2xf32>, %r: tensor<2xui8>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  // expected-remark @+1 {{not converted to fakeconvert: fakeconvert rounds to nearest, not stochastically}}
  %0 = quant_float.qdq %x, %s, %r storage f8E4M3FN opset 1 domain "quant_float" round_mode stochastic : tensor<2xf32>, tensor<f32>, tensor<2xui8> to tensor<2xf32>
  return
}

// -----

func.func @not_normal(%x: tensor<2xf32>, %y: tensor<2xf16>) {
  // 2^127, 2^-149, and in f16 2^15.
  %s0 = arith.constant dense<0x7F000000> : tensor<f32>
  // expected-remark @+1 {{not converted to fakeconvert: the reciprocal of element 0 of the scale, 1.70141183E+38, is not a normal number of f32}}
  %0 = quant_float.qdq %x, %s0 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  %s1 = arith.constant dense<0x00000001> : tensor<f32>
  // expected-remark @+1 {{not converted to fakeconvert: the reciprocal of element 0 of the scale, 1.40129846E-45, is not a normal number of f32}}
  %1 = quant_float.qdq %x, %s1 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  %s2 = arith.constant dense<32768.0> : tensor<f16>
  // expected-remark @+1 {{not converted to fakeconvert: the reciprocal of element 0 of the scale, 32768, is not a normal number of f16}}
  %2 = quant_float.qdq %y, %s2 storage f8E4M3FN opset 23 : tensor<2xf16>, tensor<f16> to tensor<2xf16>
  return
}

// -----

func.func @not_one_rounding(%x: tensor<2xf32>, %y: tensor<2xf16>) {
  %s0 = arith.constant dense<2.0> : tensor<f16>
  // expected-remark @+1 {{not converted to fakeconvert: the quotient is rounded to f16 before the cast to f8E5M2}}
  %0 = quant_float.qdq %y, %s0 storage f8E5M2 opset 21 : tensor<2xf16>, tensor<f16> to tensor<2xf16>
  // expected-remark @+1 {{not converted to fakeconvert: the quotient is rounded to f16 before the cast to f8E4M3FN}}
  %1 = quant_float.qdq %x, %s0 storage f8E4M3FN opset 23 : tensor<2xf32>, tensor<f16> to tensor<2xf32>
  // expected-remark @+1 {{not converted to fakeconvert: the quotient is rounded to bf16 before the cast to f8E4M3FN}}
  %2 = quant_float.qdq %y, %s0 storage f8E4M3FN opset 23 precision bf16 : tensor<2xf16>, tensor<f16> to tensor<2xf16>
  return
}

// -----

func.func @not_the_same_op(%x: tensor<4xf32>, %s: tensor<f32>, %u: tensor<*xf32>) {
  // expected-remark @+1 {{not converted to fakeconvert: the scale is not a constant}}
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : tensor<4xf32>, tensor<f32> to tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-remark @+1 {{not converted to fakeconvert: fakeconvert saturates}}
  %1 = quant_float.qdq %x, %one storage f8E4M3FN opset 23 saturate false : tensor<4xf32>, tensor<f32> to tensor<4xf32>
  // expected-remark @+1 {{not converted to fakeconvert: fakeconvert only rounds to f8E4M3FN and f8E5M2, but got f8E4M3FNUZ}}
  %2 = quant_float.qdq %x, %one storage f8E4M3FNUZ opset 23 : tensor<4xf32>, tensor<f32> to tensor<4xf32>
  %two = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // expected-remark @+1 {{not converted to fakeconvert: a scale per block does not broadcast}}
  %3 = quant_float.qdq %x, %two axis 0 block_size 2 storage f8E4M3FN opset 23 : tensor<4xf32>, tensor<2xf32> to tensor<4xf32>
  // expected-remark @+1 {{not converted to fakeconvert: the input's rank is not known}}
  %4 = quant_float.qdq %u, %two axis 0 storage f8E4M3FN opset 23 : tensor<*xf32>, tensor<2xf32> to tensor<*xf32>
  return
}

// -----

func.func @fakeconvert(%x: tensor<2x2xf32>, %s: tensor<f32>, %u: tensor<*xf32>) {
  // expected-remark @+1 {{not converted to qdq: the scale is not a constant}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<2x2xf32>, tensor<f32> to tensor<2x2xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-remark @+1 {{not converted to qdq: mode 'openvino' rounds differently}}
  %1 = quant_float.fakeconvert %x, %one to f8E4M3FN mode openvino opset 13 : tensor<2x2xf32>, tensor<f32> to tensor<2x2xf32>
  // expected-remark @+1 {{not converted to qdq: mode 'openvino_reference' rounds differently}}
  %2 = quant_float.fakeconvert %x, %one to f8E4M3FN mode openvino_reference opset 13 : tensor<2x2xf32>, tensor<f32> to tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark @+1 {{not converted to qdq: qdq has no shift, and a shift of 0 changes -0 to +0}}
  %3 = quant_float.fakeconvert %x, %one, %zero to f8E4M3FN opset 13 : tensor<2x2xf32>, tensor<f32>, tensor<f32> to tensor<2x2xf32>
  %three = arith.constant dense<3.0> : tensor<f32>
  // expected-remark @+1 {{not converted to qdq: the reciprocal of element 0 of the scale, 3, is not exact in f32}}
  %4 = quant_float.fakeconvert %x, %three to f8E4M3FN opset 13 : tensor<2x2xf32>, tensor<f32> to tensor<2x2xf32>
  %full = arith.constant dense<1.0> : tensor<2x2xf32>
  // expected-remark @+1 {{not converted to qdq: its scale must vary along at most one known axis}}
  %5 = quant_float.fakeconvert %x, %full to f8E4M3FN opset 13 : tensor<2x2xf32>, tensor<2x2xf32> to tensor<2x2xf32>
  %two = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // expected-remark @+1 {{not converted to qdq: its scale must vary along at most one known axis}}
  %6 = quant_float.fakeconvert %u, %two to f8E4M3FN opset 13 : tensor<*xf32>, tensor<2xf32> to tensor<*xf32>
  return
}

// -----

// Sizes that a qdq would not refine, and scales that are not constant.
func.func @shapes(%x: tensor<?x2xf32>, %v: vector<[4]xf32>) {
  %s = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  // expected-remark @+1 {{not converted to qdq: only the scale determines its result sizes}}
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<?x2xf32>, tensor<2x1xf32> to tensor<2x2xf32>
  %t = arith.constant dense<2.0> : vector<[4]xf32>
  // expected-remark @+1 {{not converted to qdq: its scale is a scalable vector}}
  %1 = quant_float.fakeconvert %v, %t to f8E4M3FN opset 13 : vector<[4]xf32>, vector<[4]xf32> to vector<[4]xf32>
  // expected-remark @+1 {{not converted to fakeconvert: the scale is a scalable vector}}
  %2 = quant_float.qdq %v, %t axis 0 storage f8E4M3FN opset 23 : vector<[4]xf32>, vector<[4]xf32> to vector<[4]xf32>
  return
}
