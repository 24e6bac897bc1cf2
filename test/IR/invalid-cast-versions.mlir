// Casts that the version of the op at their opset does not accept (V1 to V4).
// opset_rules.py tries all of them. This test checks the exact messages.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --verify-roundtrip=false

// V1: the version does not take the input's type. One case for each type that
// came after opset 1, at the last opset without it.

func.func @cast_v1_string_opset_8(%x: tensor<?x!quant_float.string>) {
  // expected-error @+2 {{'quant_float.cast' op input element type '!quant_float.string' is not accepted by Cast-6 (opset 8)}}
  // expected-note @+1 {{Cast accepts this type from opset 9 on}}
  %0 = quant_float.cast %x opset 8 : tensor<?x!quant_float.string> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_bf16_opset_12(%x: tensor<?xbf16>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'bf16' is not accepted by Cast-9 (opset 12)}}
  // expected-note @+1 {{Cast accepts this type from opset 13 on}}
  %0 = quant_float.cast %x opset 12 : tensor<?xbf16> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f8e4m3fn_opset_18(%x: tensor<?xf8E4M3FN>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E4M3FN' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<?xf8E4M3FN> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f8e4m3fnuz_opset_18(%x: tensor<?xf8E4M3FNUZ>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E4M3FNUZ' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<?xf8E4M3FNUZ> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f8e5m2_opset_18(%x: tensor<?xf8E5M2>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E5M2' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<?xf8E5M2> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f8e5m2fnuz_opset_18(%x: tensor<?xf8E5M2FNUZ>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E5M2FNUZ' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<?xf8E5M2FNUZ> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_i4_opset_20(%x: tensor<?xi4>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'i4' is not accepted by Cast-19 (opset 20)}}
  // expected-note @+1 {{Cast accepts this type from opset 21 on}}
  %0 = quant_float.cast %x opset 20 : tensor<?xi4> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_ui4_opset_20(%x: tensor<?xui4>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'ui4' is not accepted by Cast-19 (opset 20)}}
  // expected-note @+1 {{Cast accepts this type from opset 21 on}}
  %0 = quant_float.cast %x opset 20 : tensor<?xui4> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f4e2m1_opset_22(%x: tensor<?xf4E2M1FN>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f4E2M1FN' is not accepted by Cast-21 (opset 22)}}
  // expected-note @+1 {{Cast accepts this type from opset 23 on}}
  %0 = quant_float.cast %x opset 22 : tensor<?xf4E2M1FN> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f8e8m0_opset_23(%x: tensor<?xf8E8M0FNU>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E8M0FNU' is not accepted by Cast-23 (opset 23)}}
  // expected-note @+1 {{Cast accepts this type from opset 24 on}}
  %0 = quant_float.cast %x opset 23 : tensor<?xf8E8M0FNU> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_i2_opset_24(%x: tensor<?xi2>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'i2' is not accepted by Cast-24 (opset 24)}}
  // expected-note @+1 {{Cast accepts this type from opset 25 on}}
  %0 = quant_float.cast %x opset 24 : tensor<?xi2> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_ui2_opset_24(%x: tensor<?xui2>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'ui2' is not accepted by Cast-24 (opset 24)}}
  // expected-note @+1 {{Cast accepts this type from opset 25 on}}
  %0 = quant_float.cast %x opset 24 : tensor<?xui2> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f6e2m3_opset_27(%x: tensor<?xf6E2M3FN>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f6E2M3FN' is not accepted by Cast-25 (opset 27)}}
  // expected-note @+1 {{Cast accepts this type from opset 28 on}}
  %0 = quant_float.cast %x opset 27 : tensor<?xf6E2M3FN> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_f6e3m2_opset_27(%x: tensor<?xf6E3M2FN>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f6E3M2FN' is not accepted by Cast-25 (opset 27)}}
  // expected-note @+1 {{Cast accepts this type from opset 28 on}}
  %0 = quant_float.cast %x opset 27 : tensor<?xf6E3M2FN> to tensor<?xf32>
  return
}

// -----

func.func @cast_v1_scalar(%x: f8E5M2) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E5M2' is not accepted by Cast-1 (opset 1)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 1 : f8E5M2 to f32
  return
}

// -----

func.func @cast_v1_vector(%x: vector<4xi4>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'i4' is not accepted by Cast-19 (opset 19)}}
  // expected-note @+1 {{Cast accepts this type from opset 21 on}}
  %0 = quant_float.cast %x opset 19 : vector<4xi4> to vector<4xf32>
  return
}

// -----

func.func @cast_v1_unranked(%x: tensor<*xbf16>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'bf16' is not accepted by Cast-6 (opset 6)}}
  // expected-note @+1 {{Cast accepts this type from opset 13 on}}
  %0 = quant_float.cast %x opset 6 : tensor<*xbf16> to tensor<*xf32>
  return
}

// -----

func.func @cast_v1_identity(%x: tensor<2xbf16>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'bf16' is not accepted by Cast-9 (opset 9)}}
  // expected-note @+1 {{Cast accepts this type from opset 13 on}}
  %0 = quant_float.cast %x opset 9 : tensor<2xbf16> to tensor<2xbf16>
  return
}

// -----

func.func @cast_v1_before_v2(%x: tensor<2xi4>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'i4' is not accepted by Cast-19 (opset 19)}}
  // expected-note @+1 {{Cast accepts this type from opset 21 on}}
  %0 = quant_float.cast %x opset 19 : tensor<2xi4> to tensor<2xf4E2M1FN>
  return
}

// -----

func.func @cast_v1_like_f8_opset_18(%x: tensor<2xf8E4M3FN>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f8E4M3FN' is not accepted by CastLike-15 (opset 18)}}
  // expected-note @+1 {{CastLike accepts this type from opset 19 on}}
  %0 = quant_float.cast %x like opset 18 : tensor<2xf8E4M3FN> to tensor<2xf32>
  return
}

// -----

func.func @cast_v1_like_f6_opset_28(%x: tensor<2xf6E2M3FN>) {
  // expected-error @+2 {{'quant_float.cast' op input element type 'f6E2M3FN' is not accepted by CastLike-25 (opset 28)}}
  // expected-note @+1 {{no version of CastLike accepts this type}}
  %0 = quant_float.cast %x like opset 28 : tensor<2xf6E2M3FN> to tensor<2xf32>
  return
}

// -----

// V2: nor the result's.

func.func @cast_v2_string_opset_8(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type '!quant_float.string' is not accepted by Cast-6 (opset 8)}}
  // expected-note @+1 {{Cast accepts this type from opset 9 on}}
  %0 = quant_float.cast %x opset 8 : tensor<2x3xf32> to tensor<2x3x!quant_float.string>
  return
}

// -----

func.func @cast_v2_bf16_opset_12(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'bf16' is not accepted by Cast-9 (opset 12)}}
  // expected-note @+1 {{Cast accepts this type from opset 13 on}}
  %0 = quant_float.cast %x opset 12 : tensor<2x3xf32> to tensor<2x3xbf16>
  return
}

// -----

func.func @cast_v2_f8e4m3fn_opset_18(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<2x3xf32> to tensor<2x3xf8E4M3FN>
  return
}

// -----

func.func @cast_v2_f8e4m3fnuz_opset_18(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E4M3FNUZ' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<2x3xf32> to tensor<2x3xf8E4M3FNUZ>
  return
}

// -----

func.func @cast_v2_f8e5m2_opset_18(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E5M2' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<2x3xf32> to tensor<2x3xf8E5M2>
  return
}

// -----

func.func @cast_v2_f8e5m2fnuz_opset_18(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E5M2FNUZ' is not accepted by Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = quant_float.cast %x opset 18 : tensor<2x3xf32> to tensor<2x3xf8E5M2FNUZ>
  return
}

// -----

func.func @cast_v2_i4_opset_20(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'i4' is not accepted by Cast-19 (opset 20)}}
  // expected-note @+1 {{Cast accepts this type from opset 21 on}}
  %0 = quant_float.cast %x opset 20 : tensor<2x3xf32> to tensor<2x3xi4>
  return
}

// -----

func.func @cast_v2_ui4_opset_20(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'ui4' is not accepted by Cast-19 (opset 20)}}
  // expected-note @+1 {{Cast accepts this type from opset 21 on}}
  %0 = quant_float.cast %x opset 20 : tensor<2x3xf32> to tensor<2x3xui4>
  return
}

// -----

func.func @cast_v2_f4e2m1_opset_22(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f4E2M1FN' is not accepted by Cast-21 (opset 22)}}
  // expected-note @+1 {{Cast accepts this type from opset 23 on}}
  %0 = quant_float.cast %x opset 22 : tensor<2x3xf32> to tensor<2x3xf4E2M1FN>
  return
}

// -----

func.func @cast_v2_f8e8m0_opset_23(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E8M0FNU' is not accepted by Cast-23 (opset 23)}}
  // expected-note @+1 {{Cast accepts this type from opset 24 on}}
  %0 = quant_float.cast %x opset 23 : tensor<2x3xf32> to tensor<2x3xf8E8M0FNU>
  return
}

// -----

func.func @cast_v2_i2_opset_24(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'i2' is not accepted by Cast-24 (opset 24)}}
  // expected-note @+1 {{Cast accepts this type from opset 25 on}}
  %0 = quant_float.cast %x opset 24 : tensor<2x3xf32> to tensor<2x3xi2>
  return
}

// -----

func.func @cast_v2_ui2_opset_24(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'ui2' is not accepted by Cast-24 (opset 24)}}
  // expected-note @+1 {{Cast accepts this type from opset 25 on}}
  %0 = quant_float.cast %x opset 24 : tensor<2x3xf32> to tensor<2x3xui2>
  return
}

// -----

func.func @cast_v2_f6e2m3_opset_27(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f6E2M3FN' is not accepted by Cast-25 (opset 27)}}
  // expected-note @+1 {{Cast accepts this type from opset 28 on}}
  %0 = quant_float.cast %x opset 27 : tensor<2x3xf32> to tensor<2x3xf6E2M3FN>
  return
}

// -----

func.func @cast_v2_f6e3m2_opset_27(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f6E3M2FN' is not accepted by Cast-25 (opset 27)}}
  // expected-note @+1 {{Cast accepts this type from opset 28 on}}
  %0 = quant_float.cast %x opset 27 : tensor<2x3xf32> to tensor<2x3xf6E3M2FN>
  return
}

// -----

func.func @cast_v2_scalar(%x: f32) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E8M0FNU' is not accepted by Cast-21 (opset 21)}}
  // expected-note @+1 {{Cast accepts this type from opset 24 on}}
  %0 = quant_float.cast %x opset 21 : f32 to f8E8M0FNU
  return
}

// -----

func.func @cast_v2_vector(%x: vector<[4]xf16>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'ui2' is not accepted by Cast-24 (opset 24)}}
  // expected-note @+1 {{Cast accepts this type from opset 25 on}}
  %0 = quant_float.cast %x opset 24 : vector<[4]xf16> to vector<[4]xui2>
  return
}

// -----

func.func @cast_v2_like_i4_opset_19(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'i4' is not accepted by CastLike-19 (opset 19)}}
  // expected-note @+1 {{CastLike accepts this type from opset 21 on}}
  %0 = quant_float.cast %x like opset 19 : tensor<2xf32> to tensor<2xi4>
  return
}

// -----

func.func @cast_v2_like_e8m0_opset_23(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E8M0FNU' is not accepted by CastLike-23 (opset 23)}}
  // expected-note @+1 {{CastLike accepts this type from opset 24 on}}
  %0 = quant_float.cast %x like opset 23 : tensor<2xf32> to tensor<2xf8E8M0FNU>
  return
}

// -----

func.func @cast_v2_like_f6_opset_28(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f6E3M2FN' is not accepted by CastLike-25 (opset 28)}}
  // expected-note @+1 {{no version of CastLike accepts this type}}
  %0 = quant_float.cast %x like opset 28 : tensor<2xf32> to tensor<2xf6E3M2FN>
  return
}

// -----

// V3: the version does not have the attribute, whatever its value.

func.func @cast_v3_saturate_true_opset_18(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op attribute 'saturate' does not exist in Cast-13 (opset 18)}}
  // expected-note @+1 {{Cast has the attribute 'saturate' from opset 19 on}}
  %0 = quant_float.cast %x opset 18 saturate true : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v3_saturate_false_opset_1(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op attribute 'saturate' does not exist in Cast-1 (opset 1)}}
  // expected-note @+1 {{Cast has the attribute 'saturate' from opset 19 on}}
  %0 = quant_float.cast %x opset 1 saturate false : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v3_round_mode_up_opset_23(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op attribute 'round_mode' does not exist in Cast-23 (opset 23)}}
  // expected-note @+1 {{Cast has the attribute 'round_mode' from opset 24 on}}
  %0 = quant_float.cast %x opset 23 round_mode up : tensor<2xf32> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @cast_v3_round_mode_nearest_opset_19(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op attribute 'round_mode' does not exist in Cast-19 (opset 19)}}
  // expected-note @+1 {{Cast has the attribute 'round_mode' from opset 24 on}}
  %0 = quant_float.cast %x opset 19 saturate true round_mode nearest : tensor<2xf32> to tensor<2xf8E4M3FN>
  return
}

// -----

func.func @cast_v3_saturate_before_round_mode(%x: f32) {
  // expected-error @+2 {{'quant_float.cast' op attribute 'saturate' does not exist in Cast-13 (opset 13)}}
  // expected-note @+1 {{Cast has the attribute 'saturate' from opset 19 on}}
  %0 = quant_float.cast %x opset 13 saturate true round_mode down : f32 to f16
  return
}

// -----

func.func @cast_v3_like_saturate_opset_15(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op attribute 'saturate' does not exist in CastLike-15 (opset 15)}}
  // expected-note @+1 {{CastLike has the attribute 'saturate' from opset 19 on}}
  %0 = quant_float.cast %x like opset 15 saturate true : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v3_like_round_mode_opset_21(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op attribute 'round_mode' does not exist in CastLike-21 (opset 21)}}
  // expected-note @+1 {{CastLike has the attribute 'round_mode' from opset 24 on}}
  %0 = quant_float.cast %x like opset 21 round_mode down : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

// V4: the op has no version at the opset.

func.func @cast_v4_zero(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of Cast must be between 1 and 28, but got 0}}
  %0 = quant_float.cast %x opset 0 : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_negative(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of Cast must be between 1 and 28, but got -3}}
  %0 = quant_float.cast %x opset -3 : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_newest_plus_1(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of Cast must be between 1 and 28, but got 29}}
  %0 = quant_float.cast %x opset 29 : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_largest(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of Cast must be between 1 and 28, but got 9223372036854775807}}
  %0 = quant_float.cast %x opset 9223372036854775807 : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_smallest(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of Cast must be between 1 and 28, but got -9223372036854775808}}
  %0 = quant_float.cast %x opset -9223372036854775808 : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_like_14(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of CastLike must be between 15 and 28, but got 14}}
  %0 = quant_float.cast %x like opset 14 : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_like_29(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of CastLike must be between 15 and 28, but got 29}}
  %0 = quant_float.cast %x like opset 29 : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_missing(%x: tensor<2xf32>) {
  // expected-error @+1 {{custom op 'quant_float.cast' expected 'opset'}}
  %0 = quant_float.cast %x : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_missing_generic(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op requires attribute 'opset'}}
  %0 = "quant_float.cast"(%x) : (tensor<2xf32>) -> tensor<2xf16>
  return
}

// -----

func.func @cast_v4_of_32_bits(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op attribute 'opset' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "quant_float.cast"(%x) {opset = 19 : i32} : (tensor<2xf32>) -> tensor<2xf16>
  return
}

// -----

func.func @cast_v4_not_a_number(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected attribute value}}
  %0 = quant_float.cast %x opset newest : tensor<2xf32> to tensor<2xf16>
  return
}

// -----

func.func @cast_v4_too_large(%x: tensor<2xf32>) {
  // expected-error @+1 {{integer constant out of range for attribute}}
  %0 = quant_float.cast %x opset 18446744073709551616 : tensor<2xf32> to tensor<2xf16>
  return
}
