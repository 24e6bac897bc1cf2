// RUN: quant-float-opt %s -split-input-file -verify-diagnostics

func.func @cast_s1_no_random_bits(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op round_mode stochastic requires random bits}}
  %0 = quant_float.cast %x mode quant_float opset 1 round_mode stochastic : tensor<2xf32> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @cast_s1_no_round_mode(%x: tensor<2xf32>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.cast' op random bits require round_mode stochastic}}
  %0 = quant_float.cast %x, %r mode quant_float opset 1 : tensor<2xf32>, tensor<2xui8> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @cast_s1_mode(%x: tensor<2xf32>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.cast' op round_mode stochastic requires mode quant_float}}
  %0 = quant_float.cast %x, %r opset 28 round_mode stochastic : tensor<2xf32>, tensor<2xui8> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @cast_s1_scale(%x: tensor<2xf32>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.cast' op round_mode stochastic supports casts from f32, f16 or bf16 by ui2, ui4, ui8 or ui16 to f16, bf16, float8 with a mantissa, float6 or float4, but got 'f32' by 'ui8' to 'f8E8M0FNU'}}
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<2xf32>, tensor<2xui8> to tensor<2xf8E8M0FNU>
  return
}

// -----

func.func @cast_s1_wide_random_bits(%x: tensor<2xf32>, %r: tensor<2xui32>) {
  // expected-error @+1 {{to f16, bf16, float8 with a mantissa, float6 or float4, but got 'f32' by 'ui32' to 'f8E4M3FN'}}
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<2xf32>, tensor<2xui32> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @cast_s1_shapes_without_a_rank(%x: tensor<*xf32>, %r: tensor<3xui8>) {
  // expected-error @+1 {{'quant_float.cast' op random bits must have the result's shape, but got 'tensor<3xui8>' and 'tensor<2xf8E4M3FN>'}}
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<*xf32>, tensor<3xui8> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @cast_s1_shapes(%x: tensor<2xf32>, %r: tensor<3xui8>) {
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<2xf32>, tensor<3xui8> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @philox_s3_seed(%s: tensor<1xi64>, %o: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.philox' op seed must be a tensor<i64>, but got 'tensor<1xi64>'}}
  %0 = quant_float.philox %s, %o like %x : tensor<1xi64>, tensor<i64>, tensor<2xf32> to tensor<2xui8>
  return
}

// -----

func.func @philox_s3_offset(%s: tensor<i64>, %o: tensor<i32>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.philox' op offset must be a tensor<i64>, but got 'tensor<i32>'}}
  %0 = quant_float.philox %s, %o like %x : tensor<i64>, tensor<i32>, tensor<2xf32> to tensor<2xui8>
  return
}

// -----

func.func @philox_s3_result(%s: tensor<i64>, %o: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.philox' op result must have elements of ui2, ui4, ui8, ui16 or ui32, but got 'i8'}}
  %0 = quant_float.philox %s, %o like %x : tensor<i64>, tensor<i64>, tensor<2xf32> to tensor<2xi8>
  return
}

// -----

func.func @philox_v8_shape(%s: tensor<i64>, %o: tensor<i64>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.philox' op result must be a tensor with the shape of 'tensor<2xf32>', but got 'tensor<3xui8>'}}
  %0 = quant_float.philox %s, %o like %x : tensor<i64>, tensor<i64>, tensor<2xf32> to tensor<3xui8>
  return
}

// -----

func.func @quantize_s4_no_random_bits(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op round_mode stochastic requires random bits}}
  %0 = quant_float.quantize %x, %s opset 1 domain "quant_float" round_mode stochastic : tensor<2xf32>, tensor<f32> to tensor<2xi8>
  return
}

// -----

func.func @quantize_s4_no_round_mode(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<i8>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.quantize' op random bits require round_mode stochastic}}
  %0 = quant_float.quantize %x, %s, %z, %r opset 1 domain "quant_float" : tensor<2xf32>, tensor<f32>, tensor<i8>, tensor<2xui8> to tensor<2xi8>
  return
}

// -----

func.func @qdq_s4_operands(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<i8>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.qdq' op expected no operands but input, scale, zero point and random bits, but got 5}}
  %0 = quant_float.qdq %x, %s, %z, %r, %r storage i8 opset 1 domain "quant_float" round_mode stochastic : tensor<2xf32>, tensor<f32>, tensor<i8>, tensor<2xui8>, tensor<2xui8> to tensor<2xf32>
  return
}

// -----

func.func @quantize_s4_round_mode(%x: tensor<2xf32>, %s: tensor<f32>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.quantize' op round_mode must be stochastic, but got up}}
  %0 = quant_float.quantize %x, %s, %r opset 1 domain "quant_float" round_mode up : tensor<2xf32>, tensor<f32>, tensor<2xui8> to tensor<2xi8>
  return
}

// -----

func.func @qdq_s4_domain(%x: tensor<2xf32>, %s: tensor<f32>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.qdq' op round_mode stochastic requires domain 'quant_float'}}
  %0 = quant_float.qdq %x, %s, %r storage i8 opset 28 round_mode stochastic : tensor<2xf32>, tensor<f32>, tensor<2xui8> to tensor<2xf32>
  return
}

// -----

func.func @quantize_s4_wide_random_bits(%x: tensor<2xf32>, %s: tensor<f32>, %r: tensor<2xui32>) {
  // expected-error @+1 {{'quant_float.quantize' op random bits must have elements of ui2, ui4, ui8 or ui16, but got 'ui32'}}
  %0 = quant_float.quantize %x, %s, %r opset 1 domain "quant_float" round_mode stochastic : tensor<2xf32>, tensor<f32>, tensor<2xui32> to tensor<2xi8>
  return
}

// -----

// The last operand is not a zero point.
func.func @quantize_s4_zero_point_alone(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @+1 {{'quant_float.quantize' op random bits must have elements of ui2, ui4, ui8 or ui16, but got 'i8'}}
  %0 = quant_float.quantize %x, %s, %z opset 1 domain "quant_float" round_mode stochastic : tensor<2xf32>, tensor<f32>, tensor<i8> to tensor<2xi8>
  return
}

// -----

func.func @quantize_s4_shape(%x: tensor<2x?xf32>, %s: tensor<f32>, %r: tensor<2xui8>) {
  // expected-error @+1 {{'quant_float.quantize' op random bits must have the input's shape, but got 'tensor<2xui8>' and 'tensor<2x?xf32>'}}
  %0 = quant_float.quantize %x, %s, %r opset 1 domain "quant_float" round_mode stochastic : tensor<2x?xf32>, tensor<f32>, tensor<2xui8> to tensor<2x?xi8>
  return
}

// -----

func.func @quantize_s4_scalar(%x: vector<2xf32>, %s: f32, %r: ui8) {
  // expected-error @+1 {{'quant_float.quantize' op random bits must have the input's shape, but got 'ui8' and 'vector<2xf32>'}}
  %0 = quant_float.quantize %x, %s, %r opset 1 domain "quant_float" round_mode stochastic : vector<2xf32>, f32, ui8 to vector<2xi8>
  return
}

// -----

func.func @quantize_s4_shapes_without_a_rank(%x: tensor<*xf32>, %s: tensor<f32>, %r: tensor<3xui8>) {
  // expected-error @+1 {{'quant_float.quantize' op random bits must have the input's shape, but got 'tensor<3xui8>' and 'tensor<2xi8>'}}
  %0 = quant_float.quantize %x, %s, %r opset 1 domain "quant_float" round_mode stochastic : tensor<*xf32>, tensor<f32>, tensor<3xui8> to tensor<2xi8>
  return
}

// -----

func.func @quantize_elements_s4(%x: f32, %r: i8) {
  // expected-error @+1 {{'quant_float.quantize_elements' op random bits must have elements of ui2, ui4, ui8 or ui16, but got 'i8'}}
  %0 = quant_float.quantize_elements %x, %x, %r round_mode stochastic : f32, f32, i8 to i8
  return
}
