// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_90 --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm="chip=sm_89 ptx=80" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=OLD
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_100a --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=NEW

// CHECK: remark: [Passed] cast | {{.*}}"f32 to f8E4M3FN by cvt.rn.satfinite.e4m3x2.f32"
// CHECK: remark: [Passed] cast | {{.*}}"f32 to f8E4M3FNUZ by cvt.rn.satfinite.e4m3x2.f32"
// CHECK: remark: [Missed] cast | {{.*}}"f32 to f8E8M0FNU expanded into arith: cvt.rp.satfinite.ue8m0x2.f32 is not available on sm_90"
// CHECK: remark: [Missed] cast | {{.*}}"f32 to f8E8M0FNU expanded into arith: no instruction rounds f8E8M0FNU to nearest"
// CHECK: remark: [Missed] cast | {{.*}}"f32 to f16 expanded into arith: no narrow float"
// CHECK: remark: [Passed] cast | {{.*}}"f8E5M2 to f32 by cvt.rn.f16x2.e5m2x2"
// CHECK: remark: [Passed] cast | {{.*}}"f32 to f8E4M3FN by cvt.rn.satfinite.e4m3x2.f32"
// CHECK: remark: [Missed] cast | {{.*}}"f8E5M2 to i1 expanded into arith: the cast only copies or tests bits"
// CHECK: remark: [Missed] cast | {{.*}}"f8E4M3FNUZ to f16 expanded into arith: no instruction is known"
// CHECK: remark: [Passed] quantize | {{.*}}"f32 to f8E5M2 by cvt.rn.satfinite.e5m2x2.f32"
// CHECK: remark: [Missed] quantize | {{.*}}"f32 to ui8 expanded into arith: no narrow float"
// CHECK: remark: [Missed] quantize | {{.*}}"f32 to f4E2M1FN expanded into arith: cvt.rn.satfinite.e2m1x2.f32 is not available on sm_90"
// CHECK: remark: [Passed] quantize | {{.*}}"f32 to f8E4M3FN by cvt.rn.satfinite.e4m3x2.f32"
// CHECK: remark: [Passed] cast | {{.*}}"f8E4M3FN to f32 by cvt.rn.f16x2.e4m3x2"
// CHECK: remark: [Missed] quantize | {{.*}}"f32 to f8E4M3FN expanded into arith: stochastic rounding"

// OLD: "f32 to f8E4M3FN expanded into arith: cvt.rn.satfinite.e4m3x2.f32 needs PTX 8.1, but got 8.0"

// NEW: "f32 to f8E8M0FNU by cvt.rp.satfinite.ue8m0x2.f32"

func.func @casts(%x: vector<4xf32>, %y: vector<4xf8E5M2>)
    -> (vector<4xf8E4M3FN>, vector<4xf8E4M3FNUZ>, vector<4xf8E8M0FNU>, vector<4xf8E8M0FNU>, vector<4xf16>, vector<4xf8E4M3FN>, vector<4xi1>) {
  %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E4M3FN>
  %1 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E4M3FNUZ>
  %2 = quant_float.cast %x opset 24 : vector<4xf32> to vector<4xf8E8M0FNU>
  %3 = quant_float.cast %x opset 24 round_mode nearest : vector<4xf32> to vector<4xf8E8M0FNU>
  %4 = quant_float.cast %x opset 24 : vector<4xf32> to vector<4xf16>
  %5 = quant_float.cast %y opset 24 : vector<4xf8E5M2> to vector<4xf8E4M3FN>
  %6 = quant_float.cast %y opset 24 : vector<4xf8E5M2> to vector<4xi1>
  return %0, %1, %2, %3, %4, %5, %6 : vector<4xf8E4M3FN>, vector<4xf8E4M3FNUZ>, vector<4xf8E8M0FNU>, vector<4xf8E8M0FNU>, vector<4xf16>, vector<4xf8E4M3FN>, vector<4xi1>
}

func.func @fnuz(%x: vector<4xf8E4M3FNUZ>) -> vector<4xf16> {
  %0 = quant_float.cast %x opset 24 : vector<4xf8E4M3FNUZ> to vector<4xf16>
  return %0 : vector<4xf16>
}

func.func @quantizations(%x: vector<4xf32>, %s: f32)
    -> (vector<4xf8E5M2>, vector<4xui8>, vector<4xf4E2M1FN>, vector<4xf32>) {
  %0 = quant_float.quantize %x, %s opset 23 : vector<4xf32>, f32 to vector<4xf8E5M2>
  %1 = quant_float.quantize %x, %s opset 23 : vector<4xf32>, f32 to vector<4xui8>
  %2 = quant_float.quantize %x, %s opset 23 : vector<4xf32>, f32 to vector<4xf4E2M1FN>
  %3 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : vector<4xf32>, f32 to vector<4xf32>
  return %0, %1, %2, %3 : vector<4xf8E5M2>, vector<4xui8>, vector<4xf4E2M1FN>, vector<4xf32>
}

func.func @random_bits(%x: vector<4xf32>, %s: f32, %r: vector<4xui8>) -> vector<4xf8E4M3FN> {
  %0 = quant_float.quantize %x, %s, %r opset 1 domain "quant_float" round_mode stochastic : vector<4xf32>, f32, vector<4xui8> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}
