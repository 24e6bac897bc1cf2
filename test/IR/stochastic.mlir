// Stochastic rounding and its random bits (S1 to S3).
// RUN: quant-float-opt %s --verify-roundtrip | FileCheck %s
// RUN: quant-float-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @casts(
func.func @casts(%x: tensor<4x?xf32>, %r: tensor<4x?xui16>, %y: f16, %q: ui4, %z: vector<16xbf16>, %p: vector<16xui8>)
    -> (tensor<4x?xbf16>, f8E4M3FN, vector<16x!quant_float.f8UE5M3>) {
  // CHECK: quant_float.cast %{{.*}}, %{{.*}} mode quant_float opset 1 round_mode stochastic : tensor<4x?xf32>, tensor<4x?xui16> to tensor<4x?xbf16>
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<4x?xf32>, tensor<4x?xui16> to tensor<4x?xbf16>
  // CHECK: quant_float.cast %{{.*}}, %{{.*}} mode quant_float opset 1 saturate false round_mode stochastic : f16, ui4 to f8E4M3FN
  %1 = quant_float.cast %y, %q mode quant_float opset 1 saturate false round_mode stochastic : f16, ui4 to f8E4M3FN
  %2 = quant_float.cast %z, %p mode quant_float opset 1 round_mode stochastic
         : vector<16xbf16>, vector<16xui8> to vector<16x!quant_float.f8UE5M3>
  return %0, %1, %2 : tensor<4x?xbf16>, f8E4M3FN, vector<16x!quant_float.f8UE5M3>
}

// CHECK-LABEL: @philox(
func.func @philox(%seed: tensor<i64>, %offset: tensor<i64>, %x: tensor<4x?xf32>) -> tensor<4x?xui16> {
  // CHECK: quant_float.philox %{{.*}}, %{{.*}} like %{{.*}} : tensor<i64>, tensor<i64>, tensor<4x?xf32> to tensor<4x?xui16>
  %0 = quant_float.philox %seed, %offset like %x : tensor<i64>, tensor<i64>, tensor<4x?xf32> to tensor<4x?xui16>
  return %0 : tensor<4x?xui16>
}

// From 1 to 1.125 in f8E4M3FN, a quarter of the way: of four values one rounds up.
// FOLD-LABEL: @fold(
func.func @fold() -> (tensor<4xf8E4M3FN>, tensor<2xf8E4M3FN>, bf16) {
  // FOLD-DAG: dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.125000e+00]> : tensor<4xf8E4M3FN>
  %x = arith.constant dense<1.03125> : tensor<4xf32>
  %y = arith.constant dense<[1.03125, 1.03125, 1.03125, 1.03125]> : tensor<4xf32>
  %r = quant_float.constant dense<[0, 1, 2, 3]> : tensor<4xui2>
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<4xf32>, tensor<4xui2> to tensor<4xf8E4M3FN>
  // FOLD-DAG: dense<[-1.125000e+00, 4.480000e+02]> : tensor<2xf8E4M3FN>
  %z = arith.constant dense<[-1.03125, 500.0]> : tensor<2xf32>
  %s = quant_float.constant dense<3> : tensor<2xui2>
  %1 = quant_float.cast %z, %s mode quant_float opset 1 round_mode stochastic : tensor<2xf32>, tensor<2xui2> to tensor<2xf8E4M3FN>
  // FOLD-DAG: arith.constant 0x7F80 : bf16
  %m = arith.constant 0x7F7FFFFF : f32
  %t = quant_float.constant 1 : ui16
  %2 = quant_float.cast %m, %t mode quant_float opset 1 round_mode stochastic : f32, ui16 to bf16
  return %0, %1, %2 : tensor<4xf8E4M3FN>, tensor<2xf8E4M3FN>, bf16
}

// What is rounded by random bits is no cast to be left out, nor one to begin from another type with.
// FOLD-LABEL: @not_composed(
func.func @not_composed(%x: tensor<3xbf16>, %r: tensor<3xui8>) -> (tensor<3xf8E5M2>, tensor<3xf32>) {
  // FOLD: quant_float.cast {{.*}} : tensor<3xbf16> to tensor<3xf32>
  // FOLD: quant_float.cast {{.*}} round_mode stochastic : tensor<3xf32>, tensor<3xui8> to tensor<3xf8E5M2>
  %0 = quant_float.cast %x opset 28 : tensor<3xbf16> to tensor<3xf32>
  %1 = quant_float.cast %0, %r mode quant_float opset 1 round_mode stochastic : tensor<3xf32>, tensor<3xui8> to tensor<3xf8E5M2>
  // FOLD: quant_float.cast {{.*}} round_mode stochastic : tensor<3xbf16>, tensor<3xui8> to tensor<3xf16>
  // FOLD: quant_float.cast {{.*}} : tensor<3xf16> to tensor<3xf32>
  %2 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : tensor<3xbf16>, tensor<3xui8> to tensor<3xf16>
  %3 = quant_float.cast %2 opset 28 : tensor<3xf16> to tensor<3xf32>
  return %1, %3 : tensor<3xf8E5M2>, tensor<3xf32>
}
