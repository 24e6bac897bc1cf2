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

// A quarter of the distance from 1 to 1.125 in f8E4M3FN: one of four random values rounds up.
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

// Stochastic casts are not removed, and not merged with a preceding cast.
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

// CHECK-LABEL: @quantizations(
func.func @quantizations(%x: tensor<4x?xf32>, %s: tensor<f32>, %z: tensor<i4>, %r: tensor<4x?xui8>, %y: f16, %t: f16, %q: ui4,
                         %v: vector<8xbf16>, %u: vector<2xbf16>, %p: vector<8xui2>, %w: tensor<*xf32>, %k: tensor<*xui16>)
    -> (tensor<4x?xi4>, tensor<4x?xf32>, f8E4M3FN, vector<8xui8>, tensor<*xf8E5M2>, i8) {
  // CHECK: quant_float.quantize %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} opset 1 domain "quant_float" round_mode stochastic : tensor<4x?xf32>, tensor<f32>, tensor<i4>, tensor<4x?xui8> to tensor<4x?xi4>
  %0 = quant_float.quantize %x, %s, %z, %r opset 1 domain "quant_float" round_mode stochastic
         : tensor<4x?xf32>, tensor<f32>, tensor<i4>, tensor<4x?xui8> to tensor<4x?xi4>
  // CHECK: quant_float.qdq %{{.*}}, %{{.*}}, %{{.*}} storage f8E5M2 opset 1 domain "quant_float" saturate false precision f16 round_mode stochastic : tensor<4x?xf32>, tensor<f32>, tensor<4x?xui8> to tensor<4x?xf32>
  %1 = quant_float.qdq %x, %s, %r storage f8E5M2 opset 1 domain "quant_float" saturate false precision f16 round_mode stochastic
         : tensor<4x?xf32>, tensor<f32>, tensor<4x?xui8> to tensor<4x?xf32>
  %2 = quant_float.quantize %y, %t, %q opset 1 domain "quant_float" round_mode stochastic : f16, f16, ui4 to f8E4M3FN
  %3 = quant_float.quantize %v, %u, %p axis 0 block_size 4 opset 1 domain "quant_float" round_mode stochastic
         : vector<8xbf16>, vector<2xbf16>, vector<8xui2> to vector<8xui8>
  %4 = quant_float.quantize %w, %s, %k opset 1 domain "quant_float" round_mode stochastic
         : tensor<*xf32>, tensor<f32>, tensor<*xui16> to tensor<*xf8E5M2>
  // CHECK: quant_float.quantize_elements %{{.*}}, %{{.*}}, %{{.*}} round_mode stochastic : f16, f16, ui4 to i8
  %5 = quant_float.quantize_elements %y, %t, %q round_mode stochastic : f16, f16, ui4 to i8
  return %0, %1, %2, %3, %4, %5 : tensor<4x?xi4>, tensor<4x?xf32>, f8E4M3FN, vector<8xui8>, tensor<*xf8E5M2>, i8
}

// 1.25 and -1.25: a quarter of the distance, so that one of four random values rounds away from
// zero. Then the zero point, and the end of the range.
// FOLD-LABEL: @fold_quantize(
func.func @fold_quantize() -> (tensor<2x4xi8>, tensor<2x2xf32>, ui4) {
  %x = arith.constant dense<[[1.25, 1.25, 1.25, 1.25], [-1.25, -1.25, -1.25, -200.0]]> : tensor<2x4xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %z = arith.constant dense<10> : tensor<i8>
  %r = quant_float.constant dense<[[0, 1, 2, 3], [0, 2, 3, 0]]> : tensor<2x4xui2>
  // FOLD-DAG: dense<{{\[\[}}11, 11, 11, 12], [9, 9, 8, -128]]> : tensor<2x4xi8>
  %0 = quant_float.quantize %x, %s, %z, %r opset 1 domain "quant_float" round_mode stochastic
         : tensor<2x4xf32>, tensor<f32>, tensor<i8>, tensor<2x4xui2> to tensor<2x4xi8>
  // A scale for each row: 9/16 of the distance from 1 to 1.25 in f8E5M2, and twice that.
  // FOLD-DAG: dense<{{\[\[}}1.000000e+00, 1.250000e+00], [2.000000e+00, 2.500000e+00]]> : tensor<2x2xf32>
  %y = arith.constant dense<[[1.140625, 1.140625], [2.28125, 2.28125]]> : tensor<2x2xf32>
  %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = quant_float.constant dense<[[6, 7], [6, 7]]> : tensor<2x2xui4>
  %1 = quant_float.qdq %y, %t, %q axis 0 storage f8E5M2 opset 1 domain "quant_float" round_mode stochastic
         : tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xui4> to tensor<2x2xf32>
  // FOLD-DAG: quant_float.constant 3 : ui4
  %a = arith.constant 2.5 : f32
  %b = arith.constant 1.0 : f32
  %c = quant_float.constant 128 : ui8
  %2 = quant_float.quantize %a, %b, %c opset 1 domain "quant_float" round_mode stochastic : f32, f32, ui8 to ui4
  return %0, %1, %2 : tensor<2x4xi8>, tensor<2x2xf32>, ui4
}

// The quotient of a dequantized value may be slightly less than the original integer.
// FOLD-LABEL: @no_round_trip(
func.func @no_round_trip(%x: tensor<3xi8>, %y: tensor<3xf32>, %r: tensor<3xui8>) -> (tensor<3xi8>, tensor<3xf32>) {
  // FOLD: quant_float.quantize {{.*}} round_mode stochastic
  // FOLD: quant_float.qdq {{.*}}storage i8 opset 1 domain "quant_float" :
  // FOLD: quant_float.qdq {{.*}} round_mode stochastic
  %s = arith.constant dense<0.1> : tensor<f32>
  %0 = quant_float.dequantize %x, %s opset 1 domain "quant_float" : tensor<3xi8>, tensor<f32> to tensor<3xf32>
  %1 = quant_float.quantize %0, %s, %r opset 1 domain "quant_float" round_mode stochastic
         : tensor<3xf32>, tensor<f32>, tensor<3xui8> to tensor<3xi8>
  %2 = quant_float.qdq %y, %s storage i8 opset 1 domain "quant_float" : tensor<3xf32>, tensor<f32> to tensor<3xf32>
  %3 = quant_float.qdq %2, %s, %r storage i8 opset 1 domain "quant_float" round_mode stochastic
         : tensor<3xf32>, tensor<f32>, tensor<3xui8> to tensor<3xf32>
  return %1, %3 : tensor<3xi8>, tensor<3xf32>
}

// Random123's known answer for a key and a counter of zeros, and its upper bits. An unknown counter
// is not folded.
// FOLD-LABEL: @fold_philox(
func.func @fold_philox(%o: tensor<i64>, %x: tensor<2x2xf32>, %y: tensor<3x?xf32>) -> (tensor<2x2xui32>, tensor<2x2xui2>, tensor<2x2xui8>, tensor<3x?xui8>) {
  %zero = arith.constant dense<0> : tensor<i64>
  // FOLD-DAG: dense<{{\[\[}}1713891541, 3781805453], [3159862348, 2600524760]]> : tensor<2x2xui32>
  %0 = quant_float.philox %zero, %zero like %x : tensor<i64>, tensor<i64>, tensor<2x2xf32> to tensor<2x2xui32>
  // FOLD-DAG: dense<{{\[\[}}1, 3], [2, 2]]> : tensor<2x2xui2>
  %1 = quant_float.philox %zero, %zero like %x : tensor<i64>, tensor<i64>, tensor<2x2xf32> to tensor<2x2xui2>
  // FOLD-DAG: quant_float.philox {{.*}} to tensor<2x2xui8>
  %2 = quant_float.philox %zero, %o like %x : tensor<i64>, tensor<i64>, tensor<2x2xf32> to tensor<2x2xui8>
  // FOLD-DAG: quant_float.philox {{.*}} to tensor<3x?xui8>
  %3 = quant_float.philox %zero, %zero like %y : tensor<i64>, tensor<i64>, tensor<3x?xf32> to tensor<3x?xui8>
  return %0, %1, %2, %3 : tensor<2x2xui32>, tensor<2x2xui2>, tensor<2x2xui8>, tensor<3x?xui8>
}
