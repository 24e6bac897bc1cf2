// Folding of casts. Other tests cover the values, which the Reference computes.
// This test covers the forms.
// RUN: quant-float-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @v7_identity
// CHECK-SAME: (%[[X:.+]]: tensor<?xf32>, %[[Y:.+]]: vector<4x!quant_float.string>, %[[Z:.+]]: tensor<*xf4E2M1FN>)
func.func @v7_identity(%x: tensor<?xf32>, %y: vector<4x!quant_float.string>, %z: tensor<*xf4E2M1FN>)
    -> (tensor<?xf32>, vector<4x!quant_float.string>, tensor<*xf4E2M1FN>) {
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[Z]]
  %0 = quant_float.cast %x opset 1 : tensor<?xf32> to tensor<?xf32>
  %1 = quant_float.cast %y opset 24 saturate false : vector<4x!quant_float.string> to vector<4x!quant_float.string>
  %2 = quant_float.cast %z opset 28 : tensor<*xf4E2M1FN> to tensor<*xf4E2M1FN>
  return %0, %1, %2 : tensor<?xf32>, vector<4x!quant_float.string>, tensor<*xf4E2M1FN>
}

// CHECK-LABEL: func.func @c12_same_width
// CHECK-SAME: (%[[X:.+]]: tensor<?xui8>)
func.func @c12_same_width(%x: tensor<?xui8>) -> (tensor<?xui8>, tensor<?xui8>) {
  // CHECK-NEXT: %[[W:.+]] = quant_float.cast %[[X]]
  // CHECK-NEXT: %[[N:.+]] = quant_float.cast %[[W]]
  // CHECK-NEXT: return %[[X]], %[[N]]
  %0 = quant_float.cast %x opset 28 : tensor<?xui8> to tensor<?xi8>
  %1 = quant_float.cast %0 opset 13 : tensor<?xi8> to tensor<?xui8>
  %2 = quant_float.cast %x opset 28 : tensor<?xui8> to tensor<?xi4>
  %3 = quant_float.cast %2 opset 28 : tensor<?xi4> to tensor<?xui8>
  return %1, %3 : tensor<?xui8>, tensor<?xui8>
}

// CHECK-LABEL: func.func @v7_not_where_the_shape_changes
func.func @v7_not_where_the_shape_changes(%x: tensor<?xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: quant_float.cast
  %0 = quant_float.cast %x opset 13 : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @v7_identity_of_nan
func.func @v7_identity_of_nan() -> tensor<1xf32> {
  // The payload is kept.
  // CHECK-NEXT: %[[C:.+]] = arith.constant dense<0x7F800123> : tensor<1xf32>
  // CHECK-NEXT: return %[[C]]
  %0 = arith.constant dense<0x7F800123> : tensor<1xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<1xf32> to tensor<1xf32>
  return %1 : tensor<1xf32>
}

// CHECK-LABEL: func.func @scalars
func.func @scalars() -> (f8E4M3FN, i32, i1, f64) {
  // CHECK-DAG: %[[A:.+]] = arith.constant 1.250000e+00 : f8E4M3FN
  // CHECK-DAG: %[[B:.+]] = arith.constant -1 : i32
  // CHECK-DAG: %[[C:.+]] = arith.constant true
  // CHECK-DAG: %[[D:.+]] = arith.constant -1.2{{.*}} : f64
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = arith.constant 1.3 : f32
  %1 = arith.constant -1.2 : f32
  %2 = quant_float.cast %0 opset 19 : f32 to f8E4M3FN
  %3 = quant_float.cast %1 opset 19 : f32 to i32
  %4 = quant_float.cast %1 opset 19 : f32 to i1
  %5 = quant_float.cast %1 opset 19 : f32 to f64
  return %2, %3, %4, %5 : f8E4M3FN, i32, i1, f64
}

// CHECK-LABEL: func.func @unsigned_scalars
func.func @unsigned_scalars() -> (ui8, f32) {
  // arith.constant requires signless types.
  // CHECK-DAG: %[[A:.+]] = quant_float.constant 200 : ui8
  // CHECK-DAG: %[[B:.+]] = arith.constant 2.000000e+02 : f32
  // CHECK: return %[[A]], %[[B]]
  %0 = arith.constant -56 : i8
  %1 = quant_float.cast %0 opset 13 : i8 to ui8
  %2 = quant_float.cast %1 opset 13 : ui8 to f32
  return %1, %2 : ui8, f32
}

// CHECK-LABEL: func.func @tensors
func.func @tensors() -> (tensor<2x2xf8E5M2>, tensor<3xui4>, tensor<4xf4E2M1FN>, tensor<0xi8>) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<{{\[}}[1.000000e+00, 5.734400e+04], [0x7E, -0.000000e+00]]> : tensor<2x2xf8E5M2>
  // CHECK-DAG: %[[B:.+]] = quant_float.constant dense<[15, 0, 2]> : tensor<3xui4>
  // CHECK-DAG: %[[C:.+]] = arith.constant dense<[6.000000e+00, -6.000000e+00, 5.000000e-01, 2.000000e+00]> : tensor<4xf4E2M1FN>
  // CHECK-DAG: %[[D:.+]] = arith.constant dense<> : tensor<0xi8>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = arith.constant dense<[[1.0, 1.0e9], [0x7FC00000, -0.0]]> : tensor<2x2xf32>
  %1 = quant_float.cast %0 opset 19 : tensor<2x2xf32> to tensor<2x2xf8E5M2>
  %2 = arith.constant dense<[-1, 16, 18]> : tensor<3xi64>
  %3 = quant_float.cast %2 opset 21 : tensor<3xi64> to tensor<3xui4>
  %4 = arith.constant dense<[7.0, -7.0, 0.3, 1.75]> : tensor<4xf16>
  %5 = quant_float.cast %4 opset 23 : tensor<4xf16> to tensor<4xf4E2M1FN>
  %6 = arith.constant dense<> : tensor<0xf32>
  %7 = quant_float.cast %6 opset 13 : tensor<0xf32> to tensor<0xi8>
  return %1, %3, %5, %7 : tensor<2x2xf8E5M2>, tensor<3xui4>, tensor<4xf4E2M1FN>, tensor<0xi8>
}

// CHECK-LABEL: func.func @vectors
func.func @vectors() -> vector<2xf8E8M0FNU> {
  // CHECK-NEXT: %[[C:.+]] = arith.constant dense<[4.000000e+00, 2.000000e+00]> : vector<2xf8E8M0FNU>
  // CHECK-NEXT: return %[[C]]
  %0 = arith.constant dense<[3.0, 2.0]> : vector<2xf32>
  %1 = quant_float.cast %0 opset 24 round_mode up : vector<2xf32> to vector<2xf8E8M0FNU>
  return %1 : vector<2xf8E8M0FNU>
}

// Attributes and opset affect the result.

// CHECK-LABEL: func.func @c3_saturate
func.func @c3_saturate() -> (f8E4M3FN, f8E4M3FN, f8E5M2) {
  // CHECK-DAG: %[[A:.+]] = arith.constant 4.480000e+02 : f8E4M3FN
  // CHECK-DAG: %[[B:.+]] = arith.constant 0x7F : f8E4M3FN
  // CHECK-DAG: %[[C:.+]] = arith.constant 0x7C : f8E5M2
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %0 = arith.constant 1.0e6 : f32
  %1 = quant_float.cast %0 opset 19 saturate true : f32 to f8E4M3FN
  %2 = quant_float.cast %0 opset 19 saturate false : f32 to f8E4M3FN
  %3 = quant_float.cast %0 opset 19 saturate false : f32 to f8E5M2
  return %1, %2, %3 : f8E4M3FN, f8E4M3FN, f8E5M2
}

// CHECK-LABEL: func.func @c4_opset
func.func @c4_opset() -> (f8E4M3FNUZ, f8E4M3FNUZ) {
  // CHECK-DAG: %[[A:.+]] = arith.constant 0x80 : f8E4M3FNUZ
  // CHECK-DAG: %[[B:.+]] = arith.constant 2.400000e+02 : f8E4M3FNUZ
  // CHECK: return %[[A]], %[[B]]
  %0 = arith.constant 0x7F800000 : f32
  %1 = quant_float.cast %0 opset 23 : f32 to f8E4M3FNUZ
  %2 = quant_float.cast %0 opset 24 : f32 to f8E4M3FNUZ
  return %1, %2 : f8E4M3FNUZ, f8E4M3FNUZ
}

// CHECK-LABEL: func.func @c9_round_mode
func.func @c9_round_mode() -> (f8E8M0FNU, f8E8M0FNU, f8E8M0FNU, f8E8M0FNU) {
  // CHECK-DAG: %[[TWO:.+]] = arith.constant 2.000000e+00 : f8E8M0FNU
  // CHECK-DAG: %[[FOUR:.+]] = arith.constant 4.000000e+00 : f8E8M0FNU
  // CHECK: return %[[FOUR]], %[[FOUR]], %[[TWO]], %[[TWO]]
  %0 = arith.constant 2.5 : f32
  %1 = quant_float.cast %0 opset 24 : f32 to f8E8M0FNU
  %2 = quant_float.cast %0 opset 24 round_mode up : f32 to f8E8M0FNU
  %3 = quant_float.cast %0 opset 24 round_mode down : f32 to f8E8M0FNU
  %4 = quant_float.cast %0 opset 24 round_mode nearest : f32 to f8E8M0FNU
  return %1, %2, %3, %4 : f8E8M0FNU, f8E8M0FNU, f8E8M0FNU, f8E8M0FNU
}

// Large constants are not folded, unless they are splats.

// CHECK-LABEL: func.func @large_splat
func.func @large_splat() -> tensor<1000000xbf16> {
  // CHECK-NEXT: %[[C:.+]] = arith.constant dense<1.500000e+00> : tensor<1000000xbf16>
  // CHECK-NEXT: return %[[C]]
  %0 = arith.constant dense<1.5> : tensor<1000000xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<1000000xf32> to tensor<1000000xbf16>
  return %1 : tensor<1000000xbf16>
}

// CHECK-LABEL: func.func @not_resources
func.func @not_resources() -> tensor<2xf16> {
  // CHECK: quant_float.cast
  %0 = arith.constant dense_resource<values> : tensor<2xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<2xf32> to tensor<2xf16>
  return %1 : tensor<2xf16>
}

// CHECK-LABEL: func.func @not_into_dynamic_shapes
func.func @not_into_dynamic_shapes() -> tensor<?xf16> {
  // CHECK: quant_float.cast
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<2xf32> to tensor<?xf16>
  return %1 : tensor<?xf16>
}

// CHECK-LABEL: func.func @c14_to_strings
func.func @c14_to_strings() -> (tensor<3x!quant_float.string>, tensor<2x!quant_float.string>) {
  // CHECK-DAG: dense<["0.1", "-16777216", "NaN"]> : tensor<3x!quant_float.string>
  // CHECK-DAG: dense<"450"> : tensor<2x!quant_float.string>
  // CHECK-NOT: quant_float.cast
  %0 = arith.constant dense<[0.1, -16777216.0, 0x7FC00000]> : tensor<3xf32>
  %1 = quant_float.cast %0 opset 13 : tensor<3xf32> to tensor<3x!quant_float.string>
  %2 = arith.constant dense<448.0> : tensor<2xf8E4M3FN>
  %3 = quant_float.cast %2 opset 19 : tensor<2xf8E4M3FN> to tensor<2x!quant_float.string>
  return %1, %3 : tensor<3x!quant_float.string>, tensor<2x!quant_float.string>
}

// One rounding: through f32, a value slightly above 1.0625 would be a tie.
// CHECK-LABEL: func.func @c14_from_strings
func.func @c14_from_strings() -> (tensor<3xf8E4M3FN>, tensor<2xi1>) {
  // CHECK-DAG: dense<[1.125000e+00, -4.480000e+02, 0x7F]> : tensor<3xf8E4M3FN>
  // CHECK-DAG: dense<true> : tensor<2xi1>
  // CHECK-NOT: quant_float.cast
  %0 = arith.constant dense<["1.0625000000000000000001", " -1e9 ", "nan"]> : tensor<3x!quant_float.string>
  %1 = quant_float.cast %0 opset 19 : tensor<3x!quant_float.string> to tensor<3xf8E4M3FN>
  %2 = arith.constant dense<"1e-400"> : tensor<2x!quant_float.string>
  %3 = quant_float.cast %2 opset 9 : tensor<2x!quant_float.string> to tensor<2xi1>
  return %1, %3 : tensor<3xf8E4M3FN>, tensor<2xi1>
}

// A string that is not a number is a runtime error.
// CHECK-LABEL: func.func @c14_no_number
func.func @c14_no_number() -> tensor<2xf32> {
  // CHECK: quant_float.cast
  %0 = arith.constant dense<["1", "one"]> : tensor<2x!quant_float.string>
  %1 = quant_float.cast %0 opset 13 : tensor<2x!quant_float.string> to tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Storage casts: encodings are zero-extended, i4 and i2 sign-extended.

// CHECK-LABEL: func.func @storage_constants
func.func @storage_constants() -> (vector<2xi8>, vector<2xi8>, i8, vector<2xf6E3M2FN>) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<[9, 7]> : vector<2xi8>
  // CHECK-DAG: %[[B:.+]] = arith.constant dense<[-1, 7]> : vector<2xi8>
  // CHECK-DAG: %[[C:.+]] = arith.constant 1 : i8
  // CHECK-DAG: %[[D:.+]] = arith.constant dense<[2.800000e+01, -6.250000e-02]> : vector<2xf6E3M2FN>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = arith.constant dense<[-0.5, 6.0]> : vector<2xf4E2M1FN>
  %1 = quant_float.storage_cast %0 : vector<2xf4E2M1FN> to vector<2xi8>
  %2 = arith.constant dense<[-1, 7]> : vector<2xi4>
  %3 = quant_float.storage_cast %2 : vector<2xi4> to vector<2xi8>
  %4 = arith.constant true
  %5 = quant_float.storage_cast %4 : i1 to i8
  %6 = arith.constant dense<[31, 33]> : vector<2xi8>
  %7 = quant_float.storage_cast %6 : vector<2xi8> to vector<2xf6E3M2FN>
  return %1, %3, %5, %7 : vector<2xi8>, vector<2xi8>, i8, vector<2xf6E3M2FN>
}

// CHECK-LABEL: func.func @storage_round_trip
// CHECK-SAME: (%[[X:.+]]: ui16, %[[Y:.+]]: vector<4xi8>, %[[Z:.+]]: f32)
func.func @storage_round_trip(%x: ui16, %y: vector<4xi8>, %z: f32) -> (ui16, vector<4xi8>, f32) {
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[Z]]
  %0 = quant_float.storage_cast %x : ui16 to i16
  %1 = quant_float.storage_cast %0 : i16 to ui16
  %2 = quant_float.storage_cast %y : vector<4xi8> to vector<4xui4>
  %3 = quant_float.storage_cast %2 : vector<4xui4> to vector<4xi8>
  %4 = quant_float.storage_cast %z : f32 to f32
  return %1, %3, %4 : ui16, vector<4xi8>, f32
}

// CHECK-LABEL: func.func @storage_not_between_two_types
func.func @storage_not_between_two_types(%x: ui4) -> i4 {
  // CHECK-COUNT-2: quant_float.storage_cast
  %0 = quant_float.storage_cast %x : ui4 to i8
  %1 = quant_float.storage_cast %0 : i8 to i4
  return %1 : i4
}

{-#
  dialect_resources: {
    builtin: { values: "0x040000000000803f00000040" }
  }
#-}

// CHECK-LABEL: func.func @openvino
func.func @openvino() -> (tensor<4xi8>, f8E8M0FNU, i1, f4E2M1FN) {
  // CHECK-DAG: arith.constant dense<[-56, 0, 0, -3]> : tensor<4xi8>
  %c = arith.constant dense<[200.0, 0x7FC00000, 0x7F800000, -3.5]> : tensor<4xf32>
  %0 = quant_float.cast %c mode openvino opset 1 : tensor<4xf32> to tensor<4xi8>
  // 3 is the midpoint of 2 and 4, whose encoding is even: 128, not 129.
  // CHECK-DAG: arith.constant 2.000000e+00 : f8E8M0FNU
  %s = arith.constant 3.0 : f32
  %1 = quant_float.cast %s mode openvino opset 1 : f32 to f8E8M0FNU
  // CHECK-DAG: arith.constant false
  %n = arith.constant 0xFFC00000 : f32
  %2 = quant_float.cast %n mode openvino opset 1 : f32 to i1
  // CHECK-DAG: arith.constant -6.000000e+00 : f4E2M1FN
  %3 = quant_float.cast %n mode openvino opset 1 : f32 to f4E2M1FN
  return %0, %1, %2, %3 : tensor<4xi8>, f8E8M0FNU, i1, f4E2M1FN
}
