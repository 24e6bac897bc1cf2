// Folding of quantize, dequantize and qdq. Other tests cover the values, which the Reference
// computes. This test covers the forms.
// RUN: quant-float-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @constants_per_tensor
func.func @constants_per_tensor() -> (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[Q:.+]] = arith.constant dense<[5, -3, 127, -128]> : tensor<4xi8>
  // CHECK-DAG: %[[D:.+]] = arith.constant dense<[1.000000e+00, -3.000000e+00, 6.200000e+01, -6.550000e+01]> : tensor<4xf32>
  // CHECK-DAG: %[[R:.+]] = arith.constant dense<[1.000000e+00, 0.000000e+00, 4.480000e+02, -4.480000e+02]> : tensor<4xf32>
  // CHECK: return %[[Q]], %[[D]], %[[R]]
  %x = arith.constant dense<[1.01, -2.9, 1.0e30, -1.0e30]> : tensor<4xf32>
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<3> : tensor<i8>
  %0 = quant_float.quantize %x, %s, %z opset 13 : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
  %1 = quant_float.dequantize %0, %s, %z opset 13 : tensor<4xi8>, tensor<f32>, tensor<i8> to tensor<4xf32>
  %o = arith.constant dense<1.0> : tensor<1xf32>
  %y = arith.constant dense<[1.01, 0.0, 1.0e30, -1.0e30]> : tensor<4xf32>
  %2 = quant_float.qdq %y, %o storage f8E4M3FN opset 23 : tensor<4xf32>, tensor<1xf32> to tensor<4xf32>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @constants_per_axis
func.func @constants_per_axis() -> (tensor<2x3xi8>, tensor<2x3xi8>) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<{{\[}}[4, 4, 4], [1, 1, 1]]> : tensor<2x3xi8>
  // CHECK-DAG: %[[B:.+]] = arith.constant dense<{{\[}}[4, 2, 1], [4, 2, 1]]> : tensor<2x3xi8>
  // CHECK: return %[[A]], %[[B]]
  %x = arith.constant dense<1.0> : tensor<2x3xf32>
  %s = arith.constant dense<[0.25, 1.0]> : tensor<2xf32>
  %t = arith.constant dense<[0.25, 0.5, 1.0]> : tensor<3xf32>
  %z = arith.constant dense<0> : tensor<2xi8>
  %y = arith.constant dense<0> : tensor<3xi8>
  %0 = quant_float.quantize %x, %s, %z axis -2 opset 13 : tensor<2x3xf32>, tensor<2xf32>, tensor<2xi8> to tensor<2x3xi8>
  %1 = quant_float.quantize %x, %t, %y axis 1 opset 13 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xi8> to tensor<2x3xi8>
  return %0, %1 : tensor<2x3xi8>, tensor<2x3xi8>
}

// A partial last block, along the first and the last dimension.
// CHECK-LABEL: func.func @constants_blocked
func.func @constants_blocked() -> (tensor<2x5xui8>, tensor<3x2xui8>) {
  // CHECK-DAG: %[[A:.+]] = quant_float.constant dense<{{\[}}[1, 1, 2, 2, 4], [8, 8, 16, 16, 32]]> : tensor<2x5xui8>
  // CHECK-DAG: %[[B:.+]] = quant_float.constant dense<{{\[}}[1, 2], [1, 2], [4, 8]]> : tensor<3x2xui8>
  // CHECK: return %[[A]], %[[B]]
  %x = arith.constant dense<1.0> : tensor<2x5xf32>
  %s = arith.constant dense<[[1.0, 0.5, 0.25], [0.125, 0.0625, 0.03125]]> : tensor<2x3xf32>
  %0 = quant_float.quantize %x, %s axis 1 block_size 2 opset 21 : tensor<2x5xf32>, tensor<2x3xf32> to tensor<2x5xui8>
  %y = arith.constant dense<1.0> : tensor<3x2xf32>
  %t = arith.constant dense<[[1.0, 0.5], [0.25, 0.125]]> : tensor<2x2xf32>
  %1 = quant_float.quantize %y, %t axis 0 block_size 2 opset 21 : tensor<3x2xf32>, tensor<2x2xf32> to tensor<3x2xui8>
  return %0, %1 : tensor<2x5xui8>, tensor<3x2xui8>
}

// CHECK-LABEL: func.func @constants_splat
func.func @constants_splat() -> (tensor<1000x1000xi4>, ui8) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<7> : tensor<1000x1000xi4>
  // CHECK-DAG: %[[B:.+]] = quant_float.constant 2 : ui8
  // CHECK: return %[[A]], %[[B]]
  %x = arith.constant dense<1.0e3> : tensor<1000x1000xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %z = arith.constant dense<0> : tensor<i4>
  %0 = quant_float.quantize %x, %s, %z opset 21 : tensor<1000x1000xf32>, tensor<f32>, tensor<i4> to tensor<1000x1000xi4>
  %y = arith.constant 2.5 : f32
  %o = arith.constant 1.0 : f32
  %1 = quant_float.quantize %y, %o opset 21 : f32, f32 to ui8
  return %0, %1 : tensor<1000x1000xi4>, ui8
}

// There is no division by a size of 0, and the sizes after it are not multiplied.
// CHECK-LABEL: func.func @constants_without_elements
func.func @constants_without_elements() -> (tensor<0x3xui8>, tensor<3x0xui8>, tensor<0x4611686018427387904x4xui8>) {
  // CHECK-DAG: %[[A:.+]] = quant_float.constant dense<> : tensor<0x3xui8>
  // CHECK-DAG: %[[B:.+]] = quant_float.constant dense<> : tensor<3x0xui8>
  // CHECK-DAG: %[[C:.+]] = quant_float.constant dense<> : tensor<0x4611686018427387904x4xui8>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %x = arith.constant dense<> : tensor<0x3xf32>
  %s = arith.constant dense<> : tensor<0xf32>
  %0 = quant_float.quantize %x, %s axis 0 opset 13 : tensor<0x3xf32>, tensor<0xf32> to tensor<0x3xui8>
  %y = arith.constant dense<> : tensor<3x0xf32>
  %1 = quant_float.quantize %y, %y axis 1 block_size 2 opset 21 : tensor<3x0xf32>, tensor<3x0xf32> to tensor<3x0xui8>
  %z = arith.constant dense<> : tensor<0x4611686018427387904x4xf32>
  %2 = quant_float.quantize %z, %s axis 0 opset 13 : tensor<0x4611686018427387904x4xf32>, tensor<0xf32> to tensor<0x4611686018427387904x4xui8>
  return %0, %1, %2 : tensor<0x3xui8>, tensor<3x0xui8>, tensor<0x4611686018427387904x4xui8>
}

// CHECK-LABEL: func.func @no_fold_of_large_constants
func.func @no_fold_of_large_constants() -> tensor<2x2049xf32> {
  // CHECK: quant_float.dequantize
  %q = arith.constant dense<1> : tensor<2x2049xi8>
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = quant_float.dequantize %q, %s axis 0 opset 13 : tensor<2x2049xi8>, tensor<2xf32> to tensor<2x2049xf32>
  return %0 : tensor<2x2049xf32>
}

// 2^81 elements overflow the count.
// CHECK-LABEL: func.func @no_fold_of_sizes_that_overflow
func.func @no_fold_of_sizes_that_overflow() -> tensor<1099511627776x1099511627776x2xui8> {
  // CHECK: quant_float.quantize
  %x = arith.constant dense<1.0> : tensor<1099511627776x1099511627776x2xf32>
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = quant_float.quantize %x, %s axis 2 opset 13 : tensor<1099511627776x1099511627776x2xf32>, tensor<2xf32> to tensor<1099511627776x1099511627776x2xui8>
  return %0 : tensor<1099511627776x1099511627776x2xui8>
}

// Quantized constants are smaller than their values.
// CHECK-LABEL: func.func @no_fold_of_quantized_constants
func.func @no_fold_of_quantized_constants() -> tensor<65xf32> {
  // CHECK: quant_float.dequantize
  %q = arith.constant dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F4041"> : tensor<65xi8>
  %s = arith.constant dense<1.0> : tensor<f32>
  %0 = quant_float.dequantize %q, %s opset 21 : tensor<65xi8>, tensor<f32> to tensor<65xf32>
  return %0 : tensor<65xf32>
}

// Splats of any size are folded.
// CHECK-LABEL: func.func @fold_splat
func.func @fold_splat() -> tensor<1000x1000xf32> {
  // CHECK: arith.constant dense<1.500000e+00> : tensor<1000x1000xf32>
  // CHECK-NOT: quant_float.dequantize
  %q = arith.constant dense<3> : tensor<1000x1000xi8>
  %s = arith.constant dense<0.5> : tensor<f32>
  %0 = quant_float.dequantize %q, %s opset 21 : tensor<1000x1000xi8>, tensor<f32> to tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}

// The scales are not a splat.
// CHECK-LABEL: func.func @no_fold_of_quantized_splats
func.func @no_fold_of_quantized_splats() -> tensor<2x64xf32> {
  // CHECK: quant_float.dequantize
  %q = arith.constant dense<3> : tensor<2x64xi8>
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = quant_float.dequantize %q, %s axis 0 opset 21 : tensor<2x64xi8>, tensor<2xf32> to tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}

// Quantizing dequantized integers yields the same integers.
// CHECK-LABEL: func.func @round_trip
// CHECK-SAME: (%[[Q:.+]]: tensor<2x?xi8>
func.func @round_trip(%q: tensor<2x?xi8>, %z: tensor<2xi8>) -> tensor<2x?xi8> {
  // CHECK: return %[[Q]]
  %s = arith.constant dense<[0.1, -3.0e5]> : tensor<2xf32>
  %0 = quant_float.dequantize %q, %s, %z axis 0 opset 13 : tensor<2x?xi8>, tensor<2xf32>, tensor<2xi8> to tensor<2x?xf32>
  %1 = quant_float.quantize %0, %s, %z axis -2 opset 21 : tensor<2x?xf32>, tensor<2xf32>, tensor<2xi8> to tensor<2x?xi8>
  return %1 : tensor<2x?xi8>
}

// CHECK-LABEL: func.func @no_round_trip_unknown_scale
func.func @no_round_trip_unknown_scale(%q: tensor<?xui8>, %s: tensor<f32>) -> tensor<?xui8> {
  // CHECK: quant_float.quantize
  %0 = quant_float.dequantize %q, %s opset 13 : tensor<?xui8>, tensor<f32> to tensor<?xf32>
  %1 = quant_float.quantize %0, %s opset 13 : tensor<?xf32>, tensor<f32> to tensor<?xui8>
  return %1 : tensor<?xui8>
}

// CHECK-LABEL: func.func @no_round_trip_extreme_scale
func.func @no_round_trip_extreme_scale(%q: tensor<?xui8>, %r: tensor<?xui8>) -> (tensor<?xui8>, tensor<?xui8>) {
  // CHECK-COUNT-2: quant_float.quantize
  %s = arith.constant dense<1.0e37> : tensor<f32>
  %0 = quant_float.dequantize %q, %s opset 13 : tensor<?xui8>, tensor<f32> to tensor<?xf32>
  %1 = quant_float.quantize %0, %s opset 13 : tensor<?xf32>, tensor<f32> to tensor<?xui8>
  %t = arith.constant dense<0.0> : tensor<f32>
  %2 = quant_float.dequantize %r, %t opset 13 : tensor<?xui8>, tensor<f32> to tensor<?xf32>
  %3 = quant_float.quantize %2, %t opset 13 : tensor<?xf32>, tensor<f32> to tensor<?xui8>
  return %1, %3 : tensor<?xui8>, tensor<?xui8>
}

// bf16 has too few bits for this: with the scale 0.1, 255 is not preserved.
// CHECK-LABEL: func.func @no_round_trip_bf16
func.func @no_round_trip_bf16(%q: tensor<?xui8>) -> tensor<?xui8> {
  // CHECK: quant_float.quantize
  %s = arith.constant dense<0.1> : tensor<bf16>
  %0 = quant_float.dequantize %q, %s opset 21 : tensor<?xui8>, tensor<bf16> to tensor<?xbf16>
  %1 = quant_float.quantize %0, %s opset 21 : tensor<?xbf16>, tensor<bf16> to tensor<?xui8>
  return %1 : tensor<?xui8>
}

// A float8 infinity or NaN payload would not be preserved.
// CHECK-LABEL: func.func @no_round_trip_float8
func.func @no_round_trip_float8(%q: tensor<?xf8E5M2>) -> tensor<?xf8E5M2> {
  // CHECK: quant_float.quantize
  %s = arith.constant dense<0.5> : tensor<f32>
  %0 = quant_float.dequantize %q, %s opset 21 : tensor<?xf8E5M2>, tensor<f32> to tensor<?xf32>
  %1 = quant_float.quantize %0, %s opset 21 : tensor<?xf32>, tensor<f32> to tensor<?xf8E5M2>
  return %1 : tensor<?xf8E5M2>
}

// CHECK-LABEL: func.func @qdq_twice
func.func @qdq_twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[Y:.+]] = quant_float.qdq
  // CHECK-NEXT: return %[[Y]]
  %s = arith.constant dense<0.3> : tensor<f32>
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
  %1 = quant_float.qdq %0, %s storage f8E4M3FN opset 23 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @qdq_twice_not_of_other_storage
func.func @qdq_twice_not_of_other_storage(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-COUNT-2: quant_float.qdq
  %s = arith.constant dense<0.3> : tensor<f32>
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
  %1 = quant_float.qdq %0, %s storage f8E5M2 opset 23 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Constants of scalable vectors must be splats.
// CHECK-LABEL: func.func @no_fold_scalable
// CHECK: quant_float.quantize
func.func @no_fold_scalable() -> vector<2x[4]xui8> {
  %x = arith.constant dense<1.5> : vector<2x[4]xf32>
  %s = arith.constant dense<[0.5, 0.25]> : vector<2xf32>
  %0 = quant_float.quantize %x, %s axis 0 opset 13 : vector<2x[4]xf32>, vector<2xf32> to vector<2x[4]xui8>
  return %0 : vector<2x[4]xui8>
}
