// Invalid quantizations, one for each rule. The matrix in Conformance tries them in every version.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --verify-roundtrip=false

// V1: the input's type.

func.func @quantize_v1_f64(%x: tensor<4xf64>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.quantize' op input element type 'f64' is not accepted by QuantizeLinear-28 (opset 28)}}
  // expected-note @+1 {{no version of QuantizeLinear accepts this type}}
  %0 = quant_float.quantize %x, %s opset 28 : tensor<4xf64>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @quantize_v1_f16_opset_18(%x: tensor<4xf16>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.quantize' op input element type 'f16' is not accepted by QuantizeLinear-13 (opset 18)}}
  // expected-note @+1 {{QuantizeLinear accepts this type from opset 19 on}}
  %0 = quant_float.quantize %x, %s opset 18 : tensor<4xf16>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @dequantize_v1_f6_opset_27(%x: tensor<4xf6E2M3FN>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.dequantize' op input element type 'f6E2M3FN' is not accepted by DequantizeLinear-25 (opset 27)}}
  // expected-note @+1 {{DequantizeLinear accepts this type from opset 28 on}}
  %0 = quant_float.dequantize %x, %s opset 27 : tensor<4xf6E2M3FN>, tensor<f32> to tensor<4xf32>
  return
}

// -----

// V2: the scale's and the result's type.

func.func @quantize_v2_scale_opset_23(%x: tensor<4xf32>, %s: tensor<f8E8M0FNU>) {
  // expected-error @+2 {{'quant_float.quantize' op scale element type 'f8E8M0FNU' is not accepted by QuantizeLinear-23 (opset 23)}}
  // expected-note @+1 {{QuantizeLinear accepts this type from opset 24 on}}
  %0 = quant_float.quantize %x, %s opset 23 : tensor<4xf32>, tensor<f8E8M0FNU> to tensor<4xui8>
  return
}

// -----

func.func @quantize_v2_result_opset_20(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i4>) {
  // expected-error @+2 {{'quant_float.quantize' op result element type 'i4' is not accepted by QuantizeLinear-19 (opset 20)}}
  // expected-note @+1 {{QuantizeLinear accepts this type from opset 21 on}}
  %0 = quant_float.quantize %x, %s, %z opset 20 : tensor<4xf32>, tensor<f32>, tensor<i4> to tensor<4xi4>
  return
}

// -----

func.func @dequantize_v2_int32_scale(%x: tensor<4xi8>, %s: tensor<i32>) {
  // expected-error @+2 {{'quant_float.dequantize' op scale element type 'i32' is not accepted by DequantizeLinear-28 (opset 28)}}
  // expected-note @+1 {{no version of DequantizeLinear accepts this type}}
  %0 = quant_float.dequantize %x, %s opset 28 : tensor<4xi8>, tensor<i32> to tensor<4xf32>
  return
}

// -----

// V3: attributes that the version does not have.

func.func @quantize_v3_axis(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @+2 {{'quant_float.quantize' op attribute 'axis' does not exist in QuantizeLinear-10 (opset 12)}}
  // expected-note @+1 {{QuantizeLinear has the attribute 'axis' from opset 13 on}}
  %0 = quant_float.quantize %x, %s axis 1 opset 12 : tensor<4x6xf32>, tensor<6xf32> to tensor<4x6xui8>
  return
}

// -----

func.func @dequantize_v3_block_size(%x: tensor<4x6xi8>, %s: tensor<4x2xf32>) {
  // expected-error @+2 {{'quant_float.dequantize' op attribute 'block_size' does not exist in DequantizeLinear-19 (opset 20)}}
  // expected-note @+1 {{DequantizeLinear has the attribute 'block_size' from opset 21 on}}
  %0 = quant_float.dequantize %x, %s axis 1 block_size 3 opset 20 : tensor<4x6xi8>, tensor<4x2xf32> to tensor<4x6xf32>
  return
}

// -----

func.func @quantize_v3_saturate(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.quantize' op attribute 'saturate' does not exist in QuantizeLinear-13 (opset 18)}}
  // expected-note @+1 {{QuantizeLinear has the attribute 'saturate' from opset 19 on}}
  %0 = quant_float.quantize %x, %s opset 18 saturate true : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @qdq_v3_precision(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.qdq' op attribute 'precision' does not exist in QuantizeLinear-21 (opset 22)}}
  // expected-note @+1 {{QuantizeLinear has the attribute 'precision' from opset 23 on}}
  %0 = quant_float.qdq %x, %s storage ui8 opset 22 precision f32 : tensor<4xf32>, tensor<f32> to tensor<4xf32>
  return
}

// -----

func.func @quantize_v3_ignored_attribute(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.quantize' op attribute 'block_size' does not exist in QuantizeLinear-19 (opset 20)}}
  // expected-note @+1 {{QuantizeLinear has the attribute 'block_size' from opset 21 on}}
  %0 = quant_float.quantize %x, %s opset 20 ignored_attributes ["axis", "block_size"] : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @dequantize_v3_ignored_attribute(%x: tensor<4xi8>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.dequantize' op attribute 'saturate' does not exist in DequantizeLinear-28 (opset 28)}}
  // expected-note @+1 {{no version of DequantizeLinear has the attribute 'saturate'}}
  %0 = quant_float.dequantize %x, %s opset 28 ignored_attributes ["saturate"] : tensor<4xi8>, tensor<f32> to tensor<4xf32>
  return
}

// -----

func.func @quantize_v3_unknown_attribute(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op ignored_attributes contains the unknown attribute 'zero'}}
  %0 = quant_float.quantize %x, %s opset 20 ignored_attributes ["zero"] : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

// V4, V9: opsets and domains.

func.func @quantize_v4_opset_9(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op opset of QuantizeLinear must be between 10 and 28, but got 9}}
  %0 = quant_float.quantize %x, %s opset 9 : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @dequantize_v4_opset_29(%x: tensor<4xui8>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.dequantize' op opset of DequantizeLinear must be between 10 and 28, but got 29}}
  %0 = quant_float.dequantize %x, %s opset 29 : tensor<4xui8>, tensor<f32> to tensor<4xf32>
  return
}

// -----

func.func @quantize_v4_domain(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op domain must be absent, 'com.microsoft' or 'quant_float', but got 'ai.example'}}
  %0 = quant_float.quantize %x, %s opset 1 domain "ai.example" : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @quantize_v9_opset(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op opset of com.microsoft.QuantizeLinear must be between 1 and 1, but got 13}}
  %0 = quant_float.quantize %x, %s opset 13 domain "com.microsoft" : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @dequantize_v9_float8(%x: tensor<4xf8E4M3FN>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.dequantize' op input element type 'f8E4M3FN' is not accepted by com.microsoft.DequantizeLinear-1 (opset 1)}}
  // expected-note @+1 {{no version of com.microsoft.DequantizeLinear accepts this type}}
  %0 = quant_float.dequantize %x, %s opset 1 domain "com.microsoft" : tensor<4xf8E4M3FN>, tensor<f32> to tensor<4xf32>
  return
}

// -----

// V8: shapes.

func.func @quantize_v8_result_shape(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op result must have the input's shape, but got 'tensor<4xf32>' and 'tensor<5xui8>'}}
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4xf32>, tensor<f32> to tensor<5xui8>
  return
}

// -----

func.func @quantize_v8_result_kind(%x: vector<4xf32>, %s: f32) {
  // expected-error @+1 {{'quant_float.quantize' op result must have the input's shape, but got 'vector<4xf32>' and 'ui8'}}
  %0 = quant_float.quantize %x, %s opset 13 : vector<4xf32>, f32 to ui8
  return
}

// -----

func.func @quantize_v8_scalable_size(%x: vector<[4]xf32>, %s: f32) {
  // expected-error @+1 {{'quant_float.quantize' op result must have the input's shape, but got 'vector<[4]xf32>' and 'vector<4xui8>'}}
  %0 = quant_float.quantize %x, %s opset 13 : vector<[4]xf32>, f32 to vector<4xui8>
  return
}

// -----

func.func @quantize_v8_scalable_dimension(%x: vector<2x[4]xf32>, %s: f32) {
  // expected-error @+1 {{'quant_float.quantize' op result must have the input's shape, but got 'vector<2x[4]xf32>' and 'vector<[2]x4xui8>'}}
  %0 = quant_float.quantize %x, %s opset 13 : vector<2x[4]xf32>, f32 to vector<[2]x4xui8>
  return
}

// -----

func.func @dequantize_v8_scale_kind(%x: vector<4xi8>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.dequantize' op scale must be a tensor if and only if the input is one, but got 'tensor<f32>' with 'vector<4xi8>'}}
  %0 = quant_float.dequantize %x, %s opset 13 : vector<4xi8>, tensor<f32> to vector<4xf32>
  return
}

// -----

func.func @dequantize_v8_zero_point_kind(%x: tensor<4xi8>, %s: tensor<f32>, %z: i8) {
  // expected-error @+1 {{'quant_float.dequantize' op zero point must be a tensor if and only if the input is one, but got 'i8' with 'tensor<4xi8>'}}
  %0 = quant_float.dequantize %x, %s, %z opset 13 : tensor<4xi8>, tensor<f32>, i8 to tensor<4xf32>
  return
}

// -----

// Q1: what the granularity asks of the scale.

func.func @quantize_q1_per_tensor(%x: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op without an axis the scale must have one element, but got the shape [4]}}
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4xf32>, tensor<4xf32> to tensor<4xui8>
  return
}

// -----

func.func @quantize_q1_per_tensor_rank(%x: tensor<4xf32>, %s: tensor<1x?xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op without an axis the scale must have one element, but got the shape [1, ?]}}
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4xf32>, tensor<1x?xf32> to tensor<4xui8>
  return
}

// -----

func.func @dequantize_q1_per_axis_length(%x: tensor<4x6xi8>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'quant_float.dequantize' op scale must have 6 elements, as the input's dimension 1, but got 4}}
  %0 = quant_float.dequantize %x, %s axis 1 opset 13 : tensor<4x6xi8>, tensor<4xf32> to tensor<4x6xf32>
  return
}

// -----

func.func @dequantize_q1_per_axis_rank(%x: tensor<4x6xi8>, %s: tensor<4x6xf32>) {
  // expected-error @+1 {{'quant_float.dequantize' op with an axis the scale must have rank 1, but got the shape [4, 6]}}
  %0 = quant_float.dequantize %x, %s axis 1 opset 13 : tensor<4x6xi8>, tensor<4x6xf32> to tensor<4x6xf32>
  return
}

// -----

func.func @qdq_q1_per_axis_scalar(%x: vector<4xf32>, %s: f32) {
  // expected-error @+1 {{'quant_float.qdq' op with an axis the scale must have rank 1, but got a scalar}}
  %0 = quant_float.qdq %x, %s axis 0 storage ui8 opset 13 : vector<4xf32>, f32 to vector<4xf32>
  return
}

// -----

func.func @quantize_q1_blocked_rank(%x: tensor<4x6xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op with a block size the scale must have the input's rank 2, but got the shape [2]}}
  %0 = quant_float.quantize %x, %s axis 1 block_size 3 opset 21 : tensor<4x6xf32>, tensor<2xf32> to tensor<4x6xui8>
  return
}

// -----

func.func @quantize_q1_blocked_partial(%x: tensor<4x7xf32>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op dimension 1 of the scale must be 3, the blocks of 3 in 7, but got 2}}
  %0 = quant_float.quantize %x, %s axis -1 block_size 3 opset 21 : tensor<4x7xf32>, tensor<4x2xf32> to tensor<4x7xui8>
  return
}

// -----

func.func @quantize_q1_blocked_other_dimension(%x: tensor<4x6xf32>, %s: tensor<3x2xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op dimension 0 of the scale must be 4, as the input's, but got 3}}
  %0 = quant_float.quantize %x, %s axis 1 block_size 3 opset 21 : tensor<4x6xf32>, tensor<3x2xf32> to tensor<4x6xui8>
  return
}

// -----

func.func @quantize_q1_blocked_no_overflow(%x: tensor<4x9223372036854775807xf32>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op dimension 1 of the scale must be 1, the blocks of 9223372036854775807 in 9223372036854775807, but got 2}}
  %0 = quant_float.quantize %x, %s axis 1 block_size 9223372036854775807 opset 21 : tensor<4x9223372036854775807xf32>, tensor<4x2xf32> to tensor<4x9223372036854775807xui8>
  return
}

// -----

// Q2: the zero point.

func.func @quantize_q2_type(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @+1 {{'quant_float.quantize' op zero point element type must be the quantized type 'ui8', but got 'i8'}}
  %0 = quant_float.quantize %x, %s, %z opset 21 : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xui8>
  return
}

// -----

func.func @dequantize_q2_shape(%x: tensor<4x6xi8>, %s: tensor<4xf32>, %z: tensor<1xi8>) {
  // expected-error @+1 {{'quant_float.dequantize' op zero point must have the same shape as the scale, but got the shape [1] and the shape [4]}}
  %0 = quant_float.dequantize %x, %s, %z axis 0 opset 13 : tensor<4x6xi8>, tensor<4xf32>, tensor<1xi8> to tensor<4x6xf32>
  return
}

// -----

// A dynamic size may be one at run time only if there is no axis.
func.func @quantize_q2_unknown_length(%x: tensor<?x6xf32>, %s: tensor<?xf32>, %z: tensor<i8>) {
  // expected-error @+1 {{'quant_float.quantize' op zero point must have the same shape as the scale, but got the shape [] and the shape [?]}}
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 13 : tensor<?x6xf32>, tensor<?xf32>, tensor<i8> to tensor<?x6xi8>
  return
}

// -----

func.func @quantize_q2_unknown_zero_point(%x: tensor<?xf32>, %s: tensor<f32>, %z: tensor<?x?xi8>) {
  // expected-error @+1 {{'quant_float.quantize' op zero point must have the same shape as the scale, but got the shape [?, ?] and the shape []}}
  %0 = quant_float.quantize %x, %s, %z opset 13 : tensor<?xf32>, tensor<f32>, tensor<?x?xi8> to tensor<?xi8>
  return
}

// -----

func.func @quantize_q2_blocked_row(%x: tensor<1x6xf32>, %s: tensor<1x1xf32>, %z: tensor<i8>) {
  // expected-error @+1 {{'quant_float.quantize' op zero point must have the same shape as the scale, but got the shape [] and the shape [1, 1]}}
  %0 = quant_float.quantize %x, %s, %z axis 1 block_size 6 opset 21 : tensor<1x6xf32>, tensor<1x1xf32>, tensor<i8> to tensor<1x6xi8>
  return
}

// -----

// Q3: the axis.

func.func @quantize_q3_above(%x: tensor<4x6xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op axis must be in [-2, 1] for an input of rank 2, but got 2}}
  %0 = quant_float.quantize %x, %s axis 2 opset 13 : tensor<4x6xf32>, tensor<4xf32> to tensor<4x6xui8>
  return
}

// -----

func.func @dequantize_q3_below(%x: tensor<4x6xi8>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'quant_float.dequantize' op axis must be in [-2, 1] for an input of rank 2, but got -3}}
  %0 = quant_float.dequantize %x, %s axis -3 opset 13 : tensor<4x6xi8>, tensor<4xf32> to tensor<4x6xf32>
  return
}

// -----

func.func @quantize_q3_scalar(%x: f32, %s: f32) {
  // expected-error @+1 {{'quant_float.quantize' op a scalar has no axis, but got axis 0}}
  %0 = quant_float.quantize %x, %s axis 0 opset 13 : f32, f32 to ui8
  return
}

// -----

// Q4: the block size.

func.func @quantize_q4_zero(%x: tensor<4x6xf32>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op block size must be positive, but got 0}}
  %0 = quant_float.quantize %x, %s axis 1 block_size 0 opset 21 : tensor<4x6xf32>, tensor<4x2xf32> to tensor<4x6xui8>
  return
}

// -----

func.func @dequantize_q4_negative(%x: tensor<4x6xi8>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{'quant_float.dequantize' op block size must be positive, but got -3}}
  %0 = quant_float.dequantize %x, %s axis 1 block_size -3 opset 21 : tensor<4x6xi8>, tensor<4x2xf32> to tensor<4x6xf32>
  return
}

// -----

func.func @quantize_q4_no_axis(%x: tensor<4x6xf32>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op a block size requires an axis}}
  %0 = quant_float.quantize %x, %s block_size 3 opset 21 : tensor<4x6xf32>, tensor<4x2xf32> to tensor<4x6xui8>
  return
}

// -----

// Q5: the result's type.

func.func @quantize_q5_float8_opset_19(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.quantize' op quantized type 'f8E4M3FN' without a zero point requires the attribute 'output_dtype', which QuantizeLinear-19 (opset 19) does not have}}
  // expected-note @+1 {{QuantizeLinear has the attribute 'output_dtype' from opset 21 on}}
  %0 = quant_float.quantize %x, %s opset 19 : tensor<4xf32>, tensor<f32> to tensor<4xf8E4M3FN>
  return
}

// -----

func.func @dequantize_q5_opset_22(%x: tensor<4xi8>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.dequantize' op result element type 'f16', which is not the scale's 'f32', requires the attribute 'output_dtype', which DequantizeLinear-21 (opset 22) does not have}}
  // expected-note @+1 {{DequantizeLinear has the attribute 'output_dtype' from opset 23 on}}
  %0 = quant_float.dequantize %x, %s opset 22 : tensor<4xi8>, tensor<f32> to tensor<4xf16>
  return
}

// -----

// Q5b: qdq has the types of quantize and dequantize.

func.func @qdq_q5b_result(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.qdq' op result element type must be the input's 'f32', but got 'f16'}}
  %0 = quant_float.qdq %x, %s storage ui8 opset 23 : tensor<4xf32>, tensor<f32> to tensor<4xf16>
  return
}

// -----

func.func @qdq_q5b_int32(%x: tensor<4xi32>, %s: tensor<f32>) {
  // expected-error @+2 {{'quant_float.qdq' op result element type 'i32' is not accepted by DequantizeLinear-23 (opset 23)}}
  // expected-note @+1 {{no version of DequantizeLinear accepts this type}}
  %0 = quant_float.qdq %x, %s storage ui8 opset 23 : tensor<4xi32>, tensor<f32> to tensor<4xi32>
  return
}

// -----

// Q6: the scale's type at opsets 19 to 22.

func.func @quantize_q6_opset_21(%x: tensor<4xi32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op scale must have the input's element type 'i32' in QuantizeLinear-21 (opset 21), but got 'f32'}}
  %0 = quant_float.quantize %x, %s opset 21 : tensor<4xi32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @qdq_q6_microsoft(%x: tensor<4xf16>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.qdq' op scale must have the input's element type 'f16' in com.microsoft.QuantizeLinear-1 (opset 1), but got 'f32'}}
  %0 = quant_float.qdq %x, %s storage ui8 opset 1 domain "com.microsoft" : tensor<4xf16>, tensor<f32> to tensor<4xf16>
  return
}

// -----

// Q8: an f8E8M0FNU scale needs another result type.

func.func @dequantize_q8(%x: tensor<4xi8>, %s: tensor<f8E8M0FNU>) {
  // expected-error @+2 {{'quant_float.dequantize' op result element type 'f8E8M0FNU' is not accepted by DequantizeLinear-24 (opset 24)}}
  // expected-note @+1 {{no version of DequantizeLinear accepts this type}}
  %0 = quant_float.dequantize %x, %s opset 24 : tensor<4xi8>, tensor<f8E8M0FNU> to tensor<4xf8E8M0FNU>
  return
}

// -----

// Q9: the precision.

func.func @quantize_q9(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'quant_float.quantize' op precision must be f32, f16, bf16 or f64, but got 'i32'}}
  %0 = quant_float.quantize %x, %s opset 23 precision i32 : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @quantize_q1_scalable_axis(%x: vector<[4]xf32>, %s: vector<4xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op dimension 0 of the scale must be scalable if and only if dimension 0 of the input is scalable, but got 'vector<4xf32>' with 'vector<[4]xf32>'}}
  %0 = quant_float.quantize %x, %s axis 0 opset 21 : vector<[4]xf32>, vector<4xf32> to vector<[4]xi8>
  return
}

// -----

func.func @quantize_q1_scalable_other(%x: vector<2x[4]xf32>, %s: vector<1x4xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op dimension 1 of the scale must be scalable if and only if dimension 1 of the input is scalable, but got 'vector<1x4xf32>' with 'vector<2x[4]xf32>'}}
  %0 = quant_float.quantize %x, %s axis 0 block_size 2 opset 21 : vector<2x[4]xf32>, vector<1x4xf32> to vector<2x[4]xi8>
  return
}

// -----

func.func @quantize_q1_scalable_blocks(%x: vector<[4]xf32>, %s: vector<[2]xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op block size must divide the scalable dimension 0 of 'vector<[4]xf32>', but got 3}}
  %0 = quant_float.quantize %x, %s axis 0 block_size 3 opset 21 : vector<[4]xf32>, vector<[2]xf32> to vector<[4]xi8>
  return
}

// -----

func.func @quantize_q2_scalable_zero_point(%x: vector<[4]xf32>, %s: vector<[4]xf32>, %z: vector<4xi8>) {
  // expected-error @+1 {{'quant_float.quantize' op zero point must have the same shape as the scale, but got the shape [4] and the shape [[4]]}}
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 13 : vector<[4]xf32>, vector<[4]xf32>, vector<4xi8> to vector<[4]xi8>
  return
}

// -----

// A scalable vector is not known to have one element.

func.func @quantize_q1_scalable_one(%x: vector<[4]xf32>, %s: vector<[1]xf32>) {
  // expected-error @+1 {{'quant_float.quantize' op without an axis the scale must have one element, but got the shape [[1]]}}
  %0 = quant_float.quantize %x, %s opset 21 : vector<[4]xf32>, vector<[1]xf32> to vector<[4]xui8>
  return
}

// -----

func.func @quantize_q2_scalable_one(%x: vector<4xf32>, %s: vector<1xf32>, %z: vector<[1]xi8>) {
  // expected-error @+1 {{'quant_float.quantize' op zero point must have the same shape as the scale, but got the shape [[1]] and the shape [1]}}
  %0 = quant_float.quantize %x, %s, %z opset 13 : vector<4xf32>, vector<1xf32>, vector<[1]xi8> to vector<4xi8>
  return
}

// -----

func.func @quantize_q2_scalable_one_per_axis(%x: vector<[1]xf32>, %s: vector<[1]xf32>, %z: i8) {
  // expected-error @+1 {{'quant_float.quantize' op zero point must have the same shape as the scale, but got a scalar and the shape [[1]]}}
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 13 : vector<[1]xf32>, vector<[1]xf32>, i8 to vector<[1]xi8>
  return
}
