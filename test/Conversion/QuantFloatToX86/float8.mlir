// AVX10.2's instructions for float8, with the corrections that the rules require.
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=diamondrapids" --canonicalize --cse | FileCheck %s

// Two f16 results, rounded to odd by a sticky bit. The second operand is the low half of the
// result.
// CHECK-LABEL: func.func @c3_float_to_e4m3(
// CHECK-SAME:      %[[X:.+]]: vector<32xf32>
// CHECK-DAG:     %[[STICKY:.+]] = arith.constant dense<262144> : vector<16xi32>
// CHECK-DAG:     %[[LOST:.+]] = arith.constant dense<262143> : vector<16xi32>
// CHECK-DAG:     %[[TOWARD_ZERO:.+]] = arith.constant 11 : i32
// CHECK:         %[[LOW:.+]] = vector.extract_strided_slice %[[X]] {{[{]?}}offsets = [0]
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[LOW]]
// CHECK:         %[[REST:.+]] = arith.andi %[[BITS]], %[[LOST]]
// CHECK:         %[[INEXACT:.+]] = arith.cmpi ne, %[[REST]]
// CHECK:         %[[MARKED:.+]] = arith.ori %[[BITS]], %[[STICKY]]
// CHECK:         %[[ODD:.+]] = arith.select %[[INEXACT]], %[[MARKED]], %[[BITS]]
// CHECK:         %[[A:.+]] = arith.bitcast %[[ODD]]
// CHECK:         %[[B:.+]] = arith.bitcast
// CHECK:         %[[B:.+]] = arith.bitcast
// CHECK:         %[[HALF:.+]] = llvm.call_intrinsic "llvm.x86.avx10.mask.vcvt2ps2phx.512"(%[[B]], %[[A]], %{{.+}}, %[[TOWARD_ZERO]])
// CHECK:         llvm.call_intrinsic "llvm.x86.avx10.mask.vcvtph2hf8s512"(%[[HALF]],
// CHECK-NOT:     arith.min
// CHECK:         return
func.func @c3_float_to_e4m3(%x: vector<32xf32>) -> vector<32xf8E4M3FN> {
  %0 = quant_float.cast %x opset 23 : vector<32xf32> to vector<32xf8E4M3FN>
  return %0 : vector<32xf8E4M3FN>
}

// A bit of a NaN's payload would remain.
// CHECK-LABEL: func.func @c5_half_to_e5m2(
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<126> : vector<64xi8>
// CHECK-DAG:     %[[MINUS_NAN:.+]] = arith.constant dense<-2> : vector<64xi8>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx10.mask.vcvtph2bf8512"
// CHECK:         %[[ENCODINGS:.+]] = vector.insert_strided_slice
// CHECK:         %[[A:.+]] = arith.minsi %[[ENCODINGS]], %[[NAN]]
// CHECK:         arith.minui %[[A]], %[[MINUS_NAN]]
func.func @c5_half_to_e5m2(%x: vector<64xf16>) -> vector<64xf8E5M2> {
  %0 = quant_float.cast %x opset 23 saturate false : vector<64xf16> to vector<64xf8E5M2>
  return %0 : vector<64xf8E5M2>
}

// f16 represents bf16 precisely enough for float8, and arithmetic may yield any NaN.
// CHECK-LABEL: func.func @c1_bfloat_to_e5m2(
// CHECK-NOT:     arith.select
// CHECK:         vcvt2ps2phx
// CHECK:         vcvtph2bf8s
// CHECK:         arith.minsi
func.func @c1_bfloat_to_e5m2(%x: vector<32xbf16>) -> vector<32xf8E5M2> {
  %0 = quant_float.cast %x opset 23 : vector<32xbf16> to vector<32xf8E5M2>
  return %0 : vector<32xf8E5M2>
}

// CHECK-LABEL: func.func @d8_quotient_to_e5m2(
// CHECK:         vcvtph2bf8s
// CHECK-NOT:     arith.minsi
// CHECK:         return
func.func @d8_quotient_to_e5m2(%x: vector<32xf32>, %s: f32) -> vector<32xf8E5M2> {
  %0 = quant_float.quantize %x, %s opset 23 : vector<32xf32>, f32 to vector<32xf8E5M2>
  return %0 : vector<32xf8E5M2>
}

// The instruction's NaN has all bits of the encoding set. A product may be any NaN.
// CHECK-LABEL: func.func @c7_e4m3_to_float(
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<32256> : vector<32xi16>
// CHECK-DAG:     %[[MINUS_NAN:.+]] = arith.constant dense<-512> : vector<32xi16>
// CHECK:         %[[HALF:.+]] = llvm.call_intrinsic "llvm.x86.avx10.mask.vcvthf82ph512"
// CHECK:         arith.minsi %{{.+}}, %[[NAN]]
// CHECK:         arith.minui %{{.+}}, %[[MINUS_NAN]]
// CHECK:         arith.extf %{{.+}} : vector<32xf16> to vector<32xf32>
func.func @c7_e4m3_to_float(%x: vector<32xf8E4M3FN>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 23 : vector<32xf8E4M3FN> to vector<32xf32>
  return %0 : vector<32xf32>
}

// CHECK-LABEL: func.func @dequantize(
// CHECK:         vcvthf82ph
// CHECK-NOT:     arith.min
// CHECK:         arith.mulf
func.func @dequantize(%x: vector<32xf8E4M3FN>, %s: f32) -> vector<32xf32> {
  %0 = quant_float.dequantize %x, %s opset 23 : vector<32xf8E4M3FN>, f32 to vector<32xf32>
  return %0 : vector<32xf32>
}

// Both directions use instructions.
// CHECK-LABEL: func.func @fakeconvert(
// CHECK:         vcvtph2hf8s
// CHECK:         vcvthf82ph
func.func @fakeconvert(%x: vector<32xf32>, %s: f32) -> vector<32xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<32xf32>, f32 to vector<32xf32>
  return %0 : vector<32xf32>
}
