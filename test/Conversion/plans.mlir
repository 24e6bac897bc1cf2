// The lowering of conversions on CPUs, and the requirements of better
// alternatives.
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=diamondrapids" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=AVX10
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=znver4" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=VBMI
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v2" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=SSE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=aarch64-linux-gnu cpu=generic" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=NEON
// RUN: quant-float-opt %s --convert-quant-float-to-arith --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE

// Pairs of casts that round floats directly come first.
// VBMI: [Missed] round trip | {{.*}}"f32 to f8E4M3FN and back, rounded in place: vcvt2ps2phx+vcvtph2hf8s needs avx10.2"

// AVX10: [Passed] cast | {{.*}}"f32 to f8E5M2 by vcvt2ps2phx+vcvtph2bf8s"
// VBMI: [Passed] cast | {{.*}}"f32 to f8E5M2 by vpmaddwd: vcvt2ps2phx+vcvtph2bf8s needs avx10.2"
// SSE: [Passed] cast | {{.*}}"f32 to f8E5M2 by pmaddwd: vcvt2ps2phx+vcvtph2bf8s needs avx10.2, vpmaddwd needs avx512bw, vpmaddwd needs avx2"
// NEON: [Passed] cast | {{.*}}"f32 to f8E5M2 by usra: fcvtn needs fp8"
// NONE: [Missed] cast | {{.*}}"f32 to f8E5M2 expanded into arith: no instruction is known"
func.func @encode(%x: vector<64xf32>) -> vector<64xf8E5M2> {
  %0 = quant_float.cast %x opset 23 : vector<64xf32> to vector<64xf8E5M2>
  return %0 : vector<64xf8E5M2>
}

// The table row from f16 comes first. Neither saturates.
// AVX10: [Passed] cast | {{.*}}"f16 to f8E4M3FN by vcvtph2hf8"
// SSE: "f16 to f8E4M3FN by pshufb: vcvtph2hf8 needs avx10.2, vcvt2ps2phx+vcvtph2hf8 needs avx10.2, vpermi2b needs avx512vbmi and avx512bw, vpshufb needs avx512bw, vpshufb needs avx2"
// VBMI: "f16 to f8E4M3FN by vpermi2b: vcvtph2hf8 needs avx10.2
// NEON: [Passed] cast | {{.*}}"f16 to f8E4M3FN by tbl: fcvtn needs fp8, fcvtn needs fp8"
func.func @encode_half(%x: vector<64xf16>) -> vector<64xf8E4M3FN> {
  %0 = quant_float.cast %x opset 23 saturate false : vector<64xf16> to vector<64xf8E4M3FN>
  return %0 : vector<64xf8E4M3FN>
}

// AVX10: [Missed] cast | {{.*}}"f32 to f8E4M3FN expanded into arith: vcvt2ps2phx+vcvtph2hf8s takes vectors of 32, vpmaddwd takes vectors of 64, vpmaddwd takes vectors of 32, pmaddwd takes vectors of 16"
func.func @no_whole_register(%x: vector<8xf32>) -> vector<8xf8E4M3FN> {
  %0 = quant_float.cast %x opset 23 : vector<8xf32> to vector<8xf8E4M3FN>
  return %0 : vector<8xf8E4M3FN>
}

// AVX10: [Passed] cast | {{.*}}"f8E4M3FN to f32 by vcvthf82ph"
// VBMI: [Passed] cast | {{.*}}"f8E4M3FN to f32 by vpermi2b: vcvthf82ph needs avx10.2"
// SSE: [Passed] cast | {{.*}}"f8E4M3FN to f32 by pshufb: vcvthf82ph needs avx10.2, vpermi2b needs avx512vbmi and avx512bw, vpshufb needs avx512bw, vpshufb needs avx2"
// NEON: [Passed] cast | {{.*}}"f8E4M3FN to f32 by tbl: bf2cvtl needs fp8, f2cvtl needs fp8"
func.func @decode(%x: vector<64xf8E4M3FN>) -> vector<64xf32> {
  %0 = quant_float.cast %x opset 23 : vector<64xf8E4M3FN> to vector<64xf32>
  return %0 : vector<64xf32>
}

// arith's own conversion is one instruction, for any number of elements.
// AVX10: [Passed] cast | {{.*}}"f32 to f16 by vcvtps2ph"
// SSE: [Missed] cast | {{.*}}"f32 to f16 expanded into arith: vcvtps2ph needs f16c"
// NEON: [Passed] cast | {{.*}}"f32 to f16 by fcvtn"
// NONE: [Missed] cast | {{.*}}"f32 to f16 expanded into arith: no narrow float"
func.func @half(%x: vector<3xf32>) -> vector<3xf16> {
  %0 = quant_float.cast %x opset 23 : vector<3xf32> to vector<3xf16>
  return %0 : vector<3xf16>
}

// Two conversion instructions are faster than rounding floats directly.
// AVX10: [Passed] quantize | {{.*}}"f32 to f8E4M3FN by vcvt2ps2phx+vcvtph2hf8s"
// AVX10: [Passed] cast | {{.*}}"f8E4M3FN to f32 by vcvthf82ph"
func.func @qdq(%x: vector<64xf32>, %s: f32) -> vector<64xf32> {
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : vector<64xf32>, f32 to vector<64xf32>
  return %0 : vector<64xf32>
}

// AVX10: [Missed] cast | {{.*}}"f32 to f8E4M3FN expanded into arith: stochastic rounding"
// AVX10: [Missed] cast | {{.*}}"f8E4M3FN to i1 expanded into arith: the cast only copies or tests bits"
func.func @others(%x: vector<64xf32>, %r: vector<64xui8>, %y: vector<64xf8E4M3FN>) -> (vector<64xf8E4M3FN>, vector<64xi1>) {
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : vector<64xf32>, vector<64xui8> to vector<64xf8E4M3FN>
  %1 = quant_float.cast %y opset 23 : vector<64xf8E4M3FN> to vector<64xi1>
  return %0, %1 : vector<64xf8E4M3FN>, vector<64xi1>
}
