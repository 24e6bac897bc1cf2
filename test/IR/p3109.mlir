// Formats, casts and block conversions of IEEE P3109 (I1 to I7).
// RUN: quant-float-opt %s --verify-roundtrip | FileCheck %s
// RUN: quant-float-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: quant-float-opt %s --emit-bytecode | quant-float-opt | FileCheck %s

// Two formats are builtin types, and the first letter may have any case.
// CHECK-LABEL: func.func private @names(
// CHECK-SAME: f8E4M3FNUZ, f8E5M2FNUZ, !quant_float.binary8p4se,
// CHECK-SAME: !quant_float.binary3p1ue, tensor<2x!quant_float.binary8p8uf>
func.func private @names(!quant_float.binary8p4sf, !quant_float.Binary8p3sf, !quant_float.Binary8p4se,
                         !quant_float.binary3p1ue, tensor<2x!quant_float.binary8p8uf>)

// CHECK-LABEL: @casts(
func.func @casts(%x: tensor<4x?xf32>, %v: vector<16x!quant_float.binary8p4se>, %s: bf16, %r: tensor<4x?xui8>)
    -> (tensor<4x?x!quant_float.binary8p4se>, vector<16xf16>, f8E4M3FNUZ, tensor<4x?x!quant_float.binary4p2sf>) {
  // CHECK: quant_float.cast %{{.*}} mode p3109 opset 1 projection <D1, NearestTiesToEven, SatNone> : tensor<4x?xf32> to tensor<4x?x!quant_float.binary8p4se>
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, NearestTiesToEven, SatNone>
         : tensor<4x?xf32> to tensor<4x?x!quant_float.binary8p4se>
  // CHECK: quant_float.cast %{{.*}} mode p3109 opset 1 projection <D1, TowardZero, SatPropagate> : vector<16x!quant_float.binary8p4se> to vector<16xf16>
  %1 = quant_float.cast %v mode p3109 opset 1 projection <D1, TowardZero, SatPropagate>
         : vector<16x!quant_float.binary8p4se> to vector<16xf16>
  // CHECK: quant_float.cast %{{.*}} mode p3109 opset 1 projection <D1, ToOdd, SatFinite> : bf16 to f8E4M3FNUZ
  %2 = quant_float.cast %s mode p3109 opset 1 projection <D1, ToOdd, SatFinite> : bf16 to !quant_float.binary8p4sf
  // CHECK: quant_float.cast %{{.*}}, %{{.*}} mode p3109 opset 1 projection <D1, StochasticC, SatNone> : tensor<4x?xf32>, tensor<4x?xui8> to tensor<4x?x!quant_float.binary4p2sf>
  %3 = quant_float.cast %x, %r mode p3109 opset 1 projection <D1, StochasticC, SatNone>
         : tensor<4x?xf32>, tensor<4x?xui8> to tensor<4x?x!quant_float.binary4p2sf>
  return %0, %1, %2, %3 : tensor<4x?x!quant_float.binary8p4se>, vector<16xf16>, f8E4M3FNUZ, tensor<4x?x!quant_float.binary4p2sf>
}

// Constants of these types are integers.
// FOLD-LABEL: @constants(
// FOLD-DAG: %[[ENCODINGS:.*]] = arith.constant dense<[127, 0, -128, -1]> : tensor<4xi8>
// FOLD-DAG: %[[VALUES:.*]] = arith.constant dense<[0x7F800000, 1.000000e+00, 0x7FC00000, 0xFF800000]> : tensor<4xf32>
// FOLD: %[[STORED:.*]] = quant_float.storage_cast %[[ENCODINGS]] : tensor<4xi8> to tensor<4x!quant_float.binary8p4se>
// FOLD: return %[[STORED]], %[[VALUES]]
func.func @constants() -> (tensor<4x!quant_float.binary8p4se>, tensor<4xf32>) {
  %x = arith.constant dense<[248.0, -0.0, 0x7FC00000, -1.0e30]> : tensor<4xf32>
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, NearestTiesToEven, SatNone>
         : tensor<4xf32> to tensor<4x!quant_float.binary8p4se>
  %c = arith.constant dense<[127, 64, -128, -1]> : tensor<4xi8>
  %y = quant_float.storage_cast %c : tensor<4xi8> to tensor<4x!quant_float.binary8p4se>
  %1 = quant_float.cast %y mode p3109 opset 1 projection <D1, NearestTiesToEven, SatNone>
         : tensor<4x!quant_float.binary8p4se> to tensor<4xf32>
  return %0, %1 : tensor<4x!quant_float.binary8p4se>, tensor<4xf32>
}

// Convert removes the sign of zero and, with SatFinite, infinities.
// FOLD-LABEL: @identity(
// FOLD-SAME: %[[X:.*]]: f32, %[[Y:.*]]: !quant_float.binary8p4se, %[[Z:.*]]: !quant_float.binary8p1uf
// FOLD-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// FOLD-DAG: %[[A:.*]] = quant_float.cast %[[X]]
// FOLD-DAG: %[[B:.*]] = quant_float.cast %[[Y]] mode p3109 opset 1 projection <D1, NearestTiesToEven, SatFinite>
// FOLD: return %[[A]], %[[B]], %[[Y]], %[[Z]], %[[ZERO]]
func.func @identity(%x: f32, %y: !quant_float.binary8p4se, %z: !quant_float.binary8p1uf)
    -> (f32, !quant_float.binary8p4se, !quant_float.binary8p4se, !quant_float.binary8p1uf, f32) {
  %0 = quant_float.cast %x mode p3109 opset 1 projection <D1, NearestTiesToEven, SatNone> : f32 to f32
  %1 = quant_float.cast %y mode p3109 opset 1 projection <D1, NearestTiesToEven, SatFinite>
         : !quant_float.binary8p4se to !quant_float.binary8p4se
  %2 = quant_float.cast %y mode p3109 opset 1 projection <D1, NearestTiesToEven, SatNone>
         : !quant_float.binary8p4se to !quant_float.binary8p4se
  %3 = quant_float.cast %z mode p3109 opset 1 projection <D1, ToOdd, SatFinite>
         : !quant_float.binary8p1uf to !quant_float.binary8p1uf
  %n = arith.constant -0.0 : f32
  %4 = quant_float.cast %n mode p3109 opset 1 projection <D1, NearestTiesToEven, SatNone> : f32 to f32
  return %0, %1, %2, %3, %4 : f32, !quant_float.binary8p4se, !quant_float.binary8p4se, !quant_float.binary8p1uf, f32
}

// An exact cast by other rules is not composed with a projection.
// FOLD-LABEL: @compose(
// FOLD: quant_float.cast %{{.*}} opset 28 : bf16 to f32
// FOLD: quant_float.cast %{{.*}} mode p3109
func.func @compose(%x: bf16) -> f16 {
  %0 = quant_float.cast %x opset 28 : bf16 to f32
  %1 = quant_float.cast %0 mode p3109 opset 1 projection <D1, NearestTiesToAway, SatFinite> : f32 to f16
  return %1 : f16
}

// CHECK-LABEL: @blocks(
func.func @blocks(%x: tensor<4x?xf32>, %s: tensor<4x?x!quant_float.binary8p1uf>, %r: tensor<4x?xui8>, %a: f16, %b: bf16)
    -> (tensor<4x?x!quant_float.binary8p4se>, tensor<4x?xf64>, f8E4M3FNUZ) {
  // CHECK: quant_float.convert_to_block %{{.*}}, %{{.*}}, %{{.*}} block [1, 32] projection <D1, StochasticB, SatFinite> : tensor<4x?xf32>, tensor<4x?x!quant_float.binary8p1uf>, tensor<4x?xui8> to tensor<4x?x!quant_float.binary8p4se>
  %0 = quant_float.convert_to_block %x, %s, %r block [1, 32] projection <D1, StochasticB, SatFinite>
         : tensor<4x?xf32>, tensor<4x?x!quant_float.binary8p1uf>, tensor<4x?xui8> to tensor<4x?x!quant_float.binary8p4se>
  // CHECK: quant_float.convert_from_block %{{.*}}, %{{.*}} block [1, 32] projection <D1, NearestTiesToEven, SatNone> : tensor<4x?x!quant_float.binary8p4se>, tensor<4x?x!quant_float.binary8p1uf> to tensor<4x?xf64>
  %1 = quant_float.convert_from_block %0, %s block [1, 32] projection <D1, NearestTiesToEven, SatNone>
         : tensor<4x?x!quant_float.binary8p4se>, tensor<4x?x!quant_float.binary8p1uf> to tensor<4x?xf64>
  // CHECK: quant_float.convert_to_block %{{.*}}, %{{.*}} projection <D1, ToOdd, SatNone> : f16, bf16 to f8E4M3FNUZ
  %2 = quant_float.convert_to_block %a, %b projection <D1, ToOdd, SatNone> : f16, bf16 to !quant_float.binary8p4sf
  return %0, %1, %2 : tensor<4x?x!quant_float.binary8p4se>, tensor<4x?xf64>, f8E4M3FNUZ
}

// A scale of 0 yields 0, an infinite one keeps the signs, and NaN yields NaN.
// FOLD-LABEL: @constant_blocks(
// FOLD-DAG: %[[TO:.*]] = arith.constant dense<{{\[}}[0, -128, 0], [64, -64, -128], [65, -1, 0]]> : tensor<3x3xi8>
// FOLD-DAG: %[[FROM:.*]] = arith.constant dense<[3.000000e+00, 0x7FC00000, 0.000000e+00]> : tensor<3xf32>
// FOLD-DAG: %[[PLAIN:.*]] = arith.constant dense<[1.000000e+00, 2.400000e+02]> : tensor<2xf8E4M3FNUZ>
// FOLD: %[[STORED:.*]] = quant_float.storage_cast %[[TO]]
// FOLD: return %[[STORED]], %[[FROM]], %[[PLAIN]]
func.func @constant_blocks() -> (tensor<3x3x!quant_float.binary8p4se>, tensor<3xf32>, tensor<2xf8E4M3FNUZ>) {
  %x = arith.constant dense<[[1.0, 0x7FC00000, 0x7F800000], [2.0, -3.0, 0x7FC00000], [0x3FF00001, -1.0e30, -0.0]]> : tensor<3x3xf32>
  %s = arith.constant dense<[[0.0], [0x7C00], [1.764160e+00]]> : tensor<3x1xf16>
  %0 = quant_float.convert_to_block %x, %s block [1, 3] projection <D1, NearestTiesToEven, SatNone>
         : tensor<3x3xf32>, tensor<3x1xf16> to tensor<3x3x!quant_float.binary8p4se>
  %c = arith.constant dense<[68, 127, -55]> : tensor<3xi8>
  %q = quant_float.storage_cast %c : tensor<3xi8> to tensor<3x!quant_float.binary8p4se>
  %t = arith.constant dense<[2.0, 0.0, -0.0]> : tensor<3xf32>
  %1 = quant_float.convert_from_block %q, %t block [1] projection <D1, NearestTiesToEven, SatNone>
         : tensor<3x!quant_float.binary8p4se>, tensor<3xf32> to tensor<3xf32>
  %y = arith.constant dense<[2.0, 1000.0]> : tensor<2xf32>
  %u = arith.constant dense<2.0> : tensor<1xf32>
  %2 = quant_float.convert_to_block %y, %u block [-1] projection <D1, NearestTiesToEven, SatFinite>
         : tensor<2xf32>, tensor<1xf32> to tensor<2xf8E4M3FNUZ>
  return %0, %1, %2 : tensor<3x3x!quant_float.binary8p4se>, tensor<3xf32>, tensor<2xf8E4M3FNUZ>
}
