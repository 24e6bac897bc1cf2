// RUN: quant-float-opt %s --canonicalize | FileCheck %s

// A cast through a type that represents every value of the first one is folded into one cast.

// CHECK-LABEL: func.func @through_wider_float
// CHECK-SAME: (%[[X:.+]]: tensor<?xf16>)
func.func @through_wider_float(%x: tensor<?xf16>) -> tensor<?xf8E4M3FN> {
  // The attributes are those of the second cast.
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] opset 21 saturate false : tensor<?xf16> to tensor<?xf8E4M3FN>
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 19 saturate true : tensor<?xf16> to tensor<?xf32>
  %1 = quant_float.cast %0 opset 21 saturate false : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %1 : tensor<?xf8E4M3FN>
}

// CHECK-LABEL: func.func @through_a_chain
// CHECK-SAME: (%[[X:.+]]: vector<4xf8E5M2>)
func.func @through_a_chain(%x: vector<4xf8E5M2>) -> vector<4xf64> {
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] opset 19 : vector<4xf8E5M2> to vector<4xf64>
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 19 : vector<4xf8E5M2> to vector<4xf16>
  %1 = quant_float.cast %0 opset 19 : vector<4xf16> to vector<4xf32>
  %2 = quant_float.cast %1 opset 19 : vector<4xf32> to vector<4xf64>
  return %2 : vector<4xf64>
}

// CHECK-LABEL: func.func @through_subnormal_scale
// CHECK-SAME: (%[[X:.+]]: f8E8M0FNU)
func.func @through_subnormal_scale(%x: f8E8M0FNU) -> f16 {
  // 2^-127 is a subnormal of f32, and exact.
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] opset 24 : f8E8M0FNU to f16
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 24 : f8E8M0FNU to f32
  %1 = quant_float.cast %0 opset 24 : f32 to f16
  return %1 : f16
}

// CHECK-LABEL: func.func @through_wider_integer
// CHECK-SAME: (%[[X:.+]]: tensor<4xui8>)
func.func @through_wider_integer(%x: tensor<4xui8>) -> tensor<4xi8> {
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] opset 13 : tensor<4xui8> to tensor<4xi8>
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 13 : tensor<4xui8> to tensor<4xi16>
  %1 = quant_float.cast %0 opset 13 : tensor<4xi16> to tensor<4xi8>
  return %1 : tensor<4xi8>
}

// CHECK-LABEL: func.func @integer_through_float_to_float
// CHECK-SAME: (%[[X:.+]]: tensor<4xi16>)
func.func @integer_through_float_to_float(%x: tensor<4xi16>) -> tensor<4xf16> {
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] opset 13 : tensor<4xi16> to tensor<4xf16>
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 13 : tensor<4xi16> to tensor<4xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<4xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// CHECK-LABEL: func.func @float_through_float_to_integer
// CHECK-SAME: (%[[X:.+]]: f32)
func.func @float_through_float_to_integer(%x: f32) -> i8 {
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] opset 13 : f32 to i8
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 13 : f32 to f64
  %1 = quant_float.cast %0 opset 13 : f64 to i8
  return %1 : i8
}

// CHECK-LABEL: func.func @like_stays
// CHECK-SAME: (%[[X:.+]]: tensor<4xbf16>)
func.func @like_stays(%x: tensor<4xbf16>) -> tensor<4xf8E5M2> {
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] like opset 19 : tensor<4xbf16> to tensor<4xf8E5M2>
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 13 : tensor<4xbf16> to tensor<4xf32>
  %1 = quant_float.cast %0 like opset 19 : tensor<4xf32> to tensor<4xf8E5M2>
  return %1 : tensor<4xf8E5M2>
}

// CHECK-LABEL: func.func @unused
func.func @unused(%x: tensor<4xf32>) {
  // CHECK-NEXT: return
  %0 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<4xf16>
  return
}

// No folding if the intermediate type loses values, or if the results differ.

// CHECK-LABEL: func.func @not_through_narrower_float
func.func @not_through_narrower_float(%x: f32) -> f8E5M2 {
  // Two roundings differ from one.
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 19 : f32 to f16
  %1 = quant_float.cast %0 opset 19 : f16 to f8E5M2
  return %1 : f8E5M2
}

// CHECK-LABEL: func.func @not_through_fewer_mantissa_bits
func.func @not_through_fewer_mantissa_bits(%x: f16) -> f32 {
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 19 : f16 to bf16
  %1 = quant_float.cast %0 opset 19 : bf16 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @not_through_smaller_range
func.func @not_through_smaller_range(%x: f8E8M0FNU) -> f32 {
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 24 : f8E8M0FNU to f16
  %1 = quant_float.cast %0 opset 24 : f16 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @not_through_unsigned
func.func @not_through_unsigned(%x: i8) -> f32 {
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 13 : i8 to ui16
  %1 = quant_float.cast %0 opset 13 : ui16 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @not_through_bool
func.func @not_through_bool(%x: i8) -> f32 {
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 13 : i8 to i1
  %1 = quant_float.cast %0 opset 13 : i1 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @not_integer_through_inexact_float
func.func @not_integer_through_inexact_float(%x: i32) -> f16 {
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 13 : i32 to f32
  %1 = quant_float.cast %0 opset 13 : f32 to f16
  return %1 : f16
}

// CHECK-LABEL: func.func @not_integer_through_float_to_integer
func.func @not_integer_through_float_to_integer(%x: i16) -> i4 {
  // C11 and C12 may yield different bits.
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 21 : i16 to f32
  %1 = quant_float.cast %0 opset 21 : f32 to i4
  return %1 : i4
}

// CHECK-LABEL: func.func @not_there_and_back
func.func @not_there_and_back(%x: f16) -> f16 {
  // V7: the identity keeps the payload of a NaN, the way through f32 does not.
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 13 : f16 to f32
  %1 = quant_float.cast %0 opset 13 : f32 to f16
  return %1 : f16
}

// CHECK-LABEL: func.func @not_rejected_by_version
func.func @not_rejected_by_version(%x: tensor<4xf8E4M3FN>) -> tensor<4xf16> {
  // V1: Cast-13 does not take float8.
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 19 : tensor<4xf8E4M3FN> to tensor<4xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<4xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// CHECK-LABEL: func.func @not_rejected_by_castlike
func.func @not_rejected_by_castlike(%x: tensor<4xf6E2M3FN>) -> tensor<4xf16> {
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 28 : tensor<4xf6E2M3FN> to tensor<4xf32>
  %1 = quant_float.cast %0 like opset 28 : tensor<4xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// CHECK-LABEL: func.func @not_from_strings
func.func @not_from_strings(%x: tensor<4x!quant_float.string>) -> tensor<4xf16> {
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 13 : tensor<4x!quant_float.string> to tensor<4xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<4xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// CHECK-LABEL: func.func @not_with_incompatible_shapes
func.func @not_with_incompatible_shapes(%x: tensor<2xf16>) -> tensor<3xf64> {
  // No value reaches the second cast at run time, but the IR is valid (V8).
  // CHECK-COUNT-2: quant_float.cast
  %0 = quant_float.cast %x opset 13 : tensor<2xf16> to tensor<?xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<?xf32> to tensor<3xf64>
  return %1 : tensor<3xf64>
}

// CHECK-LABEL: func.func @with_compatible_shapes
// CHECK-SAME: (%[[X:.+]]: tensor<2x?xf16>)
func.func @with_compatible_shapes(%x: tensor<2x?xf16>) -> tensor<?x3xf64> {
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[X]] opset 13 : tensor<2x?xf16> to tensor<?x3xf64>
  // CHECK-NEXT: return %[[R]]
  %0 = quant_float.cast %x opset 13 : tensor<2x?xf16> to tensor<?x?xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<?x?xf32> to tensor<?x3xf64>
  return %1 : tensor<?x3xf64>
}

// OpenVINO's conversions become ONNX casts where these are equivalent. Other ones do not, and an
// exact cast is not merged with a cast of another kind.
// CHECK-LABEL: func.func @openvino
// CHECK-SAME: (%[[X:.+]]: tensor<?xf64>, %[[Y:.+]]: tensor<4xf32>, %[[H:.+]]: tensor<4xf16>)
func.func @openvino(%x: tensor<?xf64>, %y: tensor<4xf32>, %h: tensor<4xf16>) -> (tensor<?xf8E5M2>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) {
  // CHECK: %[[S:.+]] = quant_float.cast %[[X]] opset 28 : tensor<?xf64> to tensor<?xf32>
  // CHECK: %[[HALF:.+]] = quant_float.cast %[[S]] opset 28 : tensor<?xf32> to tensor<?xf16>
  // CHECK: %[[A:.+]] = quant_float.cast %[[HALF]] opset 28 saturate false : tensor<?xf16> to tensor<?xf8E5M2>
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<?xf64> to tensor<?xf8E5M2>
  // CHECK: %[[B:.+]] = quant_float.cast %[[Y]] mode openvino opset 14 : tensor<4xf32> to tensor<4xi8>
  %1 = quant_float.cast %y mode openvino opset 14 : tensor<4xf32> to tensor<4xi8>
  %2 = quant_float.cast %y mode openvino opset 1 : tensor<4xf32> to tensor<4xf32>
  // CHECK: %[[W:.+]] = quant_float.cast %[[H]] opset 28 : tensor<4xf16> to tensor<4xf32>
  // CHECK: %[[D:.+]] = quant_float.cast %[[W]] mode openvino opset 1 : tensor<4xf32> to tensor<4xi8>
  %3 = quant_float.cast %h mode openvino opset 1 : tensor<4xf16> to tensor<4xf32>
  %4 = quant_float.cast %3 mode openvino opset 1 : tensor<4xf32> to tensor<4xi8>
  // CHECK: return %[[A]], %[[B]], %[[Y]], %[[D]]
  return %0, %1, %2, %4 : tensor<?xf8E5M2>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>
}
