// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" --canonicalize --cse | FileCheck %s --check-prefix=SSE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(convert-quant-float-to-arith{triple=x86_64-linux-gnu cpu=x86-64-v3}))" | FileCheck %s --check-prefix=FLUSH
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// A register of encodings from four registers of f32: two constants are added to the halves of each
// product, packs saturate, and one shuffle restores the order. NaNs take a branch.

// REMARK-DAG: [Passed] cast | {{.*}}"f32 to f8E4M3FN by vpmaddwd: vcvt2ps2phx+vcvtph2hf8s needs avx10.2, vpmaddwd needs avx512bw"
// CHECK-LABEL: func.func @c3_float8(
// The lower halves are multiplied by 16, the upper ones by one.
// CHECK-DAG:     %[[FACTORS:.+]] = arith.constant dense<[16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1]> : vector<16xi16>
// 2^20 with a correction of -1000, an odd number minus one, which is 16 in the upper half.
// CHECK-DAG:     %[[FACTOR:.+]] = arith.constant dense<{{.+}}> : vector<8xf32>
// CHECK-DAG:     %[[INFINITY:.+]] = arith.constant dense<2139095040> : vector<8xi32>
// CHECK:         %[[POWER:.+]] = arith.maxsi
// CHECK:         %[[ADDEND:.+]] = arith.mulf %{{.+}}, %[[FACTOR]]
// CHECK:         arith.addf %[[ADDEND]], %{{.+}} : vector<8xf32>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%{{.+}}, %[[FACTORS]])
// CHECK:         llvm.x86.avx2.pmadd.wd
// CHECK:         %[[WORDS1:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packssdw"
// CHECK:         %[[CODES1:.+]] = arith.shrui %[[WORDS1]]
// CHECK-COUNT-2: llvm.x86.avx2.pmadd.wd
// CHECK:         %[[WORDS2:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packssdw"
// CHECK:         %[[CODES2:.+]] = arith.shrui %[[WORDS2]]
// CHECK:         %[[ENCODINGS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packuswb"(%[[CODES1]], %[[CODES2]])
// CHECK-COUNT-4: arith.cmpi sgt, %{{.+}}, %[[INFINITY]]
// CHECK-COUNT-2: arith.cmpf uno
// CHECK:         %[[HAS_NAN:.+]] = llvm.intr.expect
// CHECK:         scf.if %[[HAS_NAN]]
// CHECK:           llvm.x86.avx2.packsswb
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[ENCODINGS]]
// CHECK:         vector.shuffle %{{.+}} [0, 4, 1, 5, 2, 6, 3, 7] : vector<8xi32>, vector<8xi32>
// CHECK-NOT:     quant_float
// CHECK:         return

// SSE2 has neither a fused multiply-add nor integer maxima.
// SSE-LABEL:     func.func @c3_float8(
// SSE:           %[[IS_LARGER:.+]] = arith.cmpf ogt, %[[POWER:.+]], %[[SMALLEST:.+]] : vector<4xf32>
// SSE:           %[[LARGER:.+]] = arith.select %[[IS_LARGER]], %[[POWER]], %[[SMALLEST]]
// SSE:           %[[PRODUCT:.+]] = arith.mulf %[[LARGER]], %{{.+}} : vector<4xf32>
// SSE:           arith.addf %[[PRODUCT]], %{{.+}} : vector<4xf32>
// SSE-COUNT-4:   "llvm.x86.sse2.pmadd.wd"
func.func @c3_float8(%x: vector<32xf32>) -> vector<32xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<32xf32> to vector<32xf8E4M3FN>
  return %0 : vector<32xf8E4M3FN>
}

// If subnormals are flushed to zero, one fused multiply-add is saved.
// FLUSH-LABEL: func.func @flushing(
// FLUSH:         arith.maxsi
// FLUSH-NOT:     arith.addf
// FLUSH:         math.fma
func.func @flushing(%x: vector<32xf32>) -> vector<32xf8E4M3FN> attributes {quant_float.flushes_subnormals} {
  %0 = quant_float.cast %x opset 19 : vector<32xf32> to vector<32xf8E4M3FN>
  return %0 : vector<32xf8E4M3FN>
}

// Without pshufb, f16 and bf16 are rounded this way, too: bf16 are f32 with lower halves of zero.
// f16 are shifted by three bits, and values other than normal ones, which all become zero, are
// masked.

// SSE-LABEL:     func.func @halves(
// SSE-SAME:        %[[X:.+]]: vector<16xf16>, %[[Y:.+]]: vector<16xbf16>
// SSE-DAG:       %[[NORMAL:.+]] = arith.constant dense<1024> : vector<8xi16>
// SSE-DAG:       %[[INFINITY:.+]] = arith.constant dense<31744> : vector<8xi16>
// SSE-DAG:       %[[BINFINITY:.+]] = arith.constant dense<32640> : vector<8xi16>
// SSE:           arith.maxsi %{{.+}}, %[[NORMAL]]
// SSE:           vector.shuffle %{{.+}} [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi16>, vector<8xi16>
// SSE:           arith.shrui
// SSE-COUNT-4:   "llvm.x86.sse2.pmadd.wd"
// SSE-COUNT-2:   arith.cmpi sgt, %{{.+}}, %[[INFINITY]] : vector<8xi16>
// SSE:           scf.if
// SSE-NOT:       arith.maxsi
// SSE:           vector.shuffle %{{.+}} [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi16>, vector<8xi16>
// SSE-COUNT-4:   "llvm.x86.sse2.pmadd.wd"
// SSE-COUNT-2:   arith.cmpi sgt, %{{.+}}, %[[BINFINITY]] : vector<8xi16>
// SSE:           scf.if
// SSE:           return
func.func @halves(%x: vector<16xf16>, %y: vector<16xbf16>) -> (vector<16xf8E4M3FN>, vector<16xf8E4M3FN>) {
  %0 = quant_float.cast %x opset 19 : vector<16xf16> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %y opset 19 : vector<16xbf16> to vector<16xf8E4M3FN>
  return %0, %1 : vector<16xf8E4M3FN>, vector<16xf8E4M3FN>
}

// Half of the quotients are divided. The others are products with corrections, computed on
// magnitudes that are clamped so that no intermediate result overflows. NaNs are handled as in
// casts.

// REMARK-DAG: [Passed] quantize | {{.*}}"f32 to f8E4M3FN by vpmaddwd: vcvt2ps2phx+vcvtph2hf8s needs avx10.2, vpmaddwd needs avx512bw"
// CHECK-LABEL: func.func @quantize(
// CHECK-SAME:      %[[X:.+]]: vector<32xf32>, %[[S:.+]]: f32)
// CHECK:         %[[IS_PLAIN:.+]] = arith.cmpi ule
// CHECK:         %[[RECIPROCAL:.+]] = arith.divf %{{.+}}, %[[S]] : f32
// CHECK:         %[[LIMIT:.+]] = arith.mulf %[[S]], %{{.+}} : f32
// CHECK:         %[[EXPECTED:.+]] = llvm.intr.expect %[[IS_PLAIN]], %true
// CHECK:         %[[QUOTIENT:.+]]:2 = scf.if %[[EXPECTED]]
// Tiny values become a zero of their sign.
// CHECK:           %[[BITS:.+]] = arith.bitcast %[[X]]
// CHECK:           %[[DOUBLED:.+]] = arith.shli %[[BITS]]
// CHECK:           %[[IS_LARGE:.+]] = arith.cmpi uge, %[[DOUBLED]]
// CHECK:           %[[KEPT:.+]] = arith.select %[[IS_LARGE]], %[[BITS]], %{{.+}} : vector<32xi1>, vector<32xi32>
// CHECK:           %[[POSITIVE:.+]] = arith.andi %[[KEPT]]
// CHECK:           %[[LIMITS:.+]] = vector.broadcast %[[LIMIT]]
// CHECK:           %[[LIMIT_BITS:.+]] = arith.bitcast %[[LIMITS]]
// CHECK:           %[[LEAST:.+]] = arith.minsi %[[POSITIVE]], %[[LIMIT_BITS]]
// CHECK:           %[[CAPPED:.+]] = arith.bitcast %[[LEAST]]
// CHECK:           %[[X0:.+]] = vector.extract_strided_slice %[[CAPPED]] {{[{]?}}offsets = [0], sizes = [16]
// CHECK:           %[[DIVISORS:.+]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK:           %[[DIVIDED:.+]] = arith.divf %[[X0]], %[[DIVISORS]]
// CHECK:           %[[X1:.+]] = vector.extract_strided_slice %[[CAPPED]] {{[{]?}}offsets = [16], sizes = [16]
// CHECK:           %[[ALL:.+]] = vector.broadcast %[[RECIPROCAL]] : f32 to vector<16xf32>
// CHECK:           %[[ESTIMATE:.+]] = arith.mulf %[[X1]], %[[ALL]]
// CHECK:           %[[REST:.+]] = math.fma
// CHECK:           %[[CORRECTED:.+]] = math.fma %[[REST]], %[[ALL]], %[[ESTIMATE]]
// CHECK:           %[[JOINED:.+]] = vector.shuffle %[[DIVIDED]], %[[CORRECTED]] [0, 1,
// CHECK:           scf.yield %[[JOINED]], %[[KEPT]]
// Other scales take a division.
// CHECK:         } else {
// CHECK:           arith.divf %[[X]], %{{.+}} : vector<32xf32>
// CHECK:         }
// CHECK-NOT:     math.absf
// CHECK:         %[[SIGNS0:.+]] = vector.extract_strided_slice %[[QUOTIENT]]#1 {{[{]?}}offsets = [0]
// CHECK-NOT:     math.absf
// CHECK-COUNT-4: llvm.x86.avx2.pmadd.wd
// A NaN is one of the input's.
// CHECK:         %[[QUARTER:.+]] = arith.bitcast %[[SIGNS0]]
// CHECK:         arith.cmpf uno, %[[QUARTER]],
// CHECK:         arith.cmpf uno
// CHECK:         %[[HAS_NAN:.+]] = llvm.intr.expect
// CHECK:         scf.if %[[HAS_NAN]]
// CHECK:         "llvm.x86.avx2.packssdw"(%[[SIGNS0]],
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @quantize(%x: vector<32xf32>, %s: f32) -> vector<32xf8E4M3FN> {
  %0 = quant_float.quantize %x, %s opset 23 : vector<32xf32>, f32 to vector<32xf8E4M3FN>
  return %0 : vector<32xf8E4M3FN>
}

// The encodings are not used: values are rounded to floats directly.

// REMARK-DAG: [Missed] round trip | {{.*}}"f32 to f8E4M3FN and back, rounded in place: vcvt2ps2phx+vcvtph2hf8s needs avx10.2"
// CHECK-LABEL: func.func @round_trip(
// CHECK-NOT:     pmadd.wd
// CHECK:         return
func.func @round_trip(%x: vector<32xf32>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 19 : vector<32xf32> to vector<32xf8E4M3FN>
  %1 = quant_float.cast %0 opset 19 : vector<32xf8E4M3FN> to vector<32xf32>
  return %1 : vector<32xf32>
}

// C8: without NaN all bits above a magnitude are set; one choice by the sign's bit leaves the others and the sign. A NaN turns it over.

// CHECK-LABEL: func.func @no_nan(
// CHECK-DAG:     %[[MAGNITUDE:.+]] = arith.constant dense<7> : vector<32xi8>
// CHECK-DAG:     %[[ALL:.+]] = arith.constant dense<15> : vector<32xi8>
// CHECK:         %[[ENCODINGS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packuswb"
// CHECK:         %[[SIGNS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packsswb"
// CHECK:         %[[BOTH:.+]]:2 = scf.if
// CHECK:           arith.xori %[[SIGNS]], %{{.+}}
// CHECK:           scf.yield %[[ENCODINGS]], %[[SIGNS]]
// CHECK:         %[[BITS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pblendvb"(%[[MAGNITUDE]], %[[ALL]], %[[BOTH]]#1)
// CHECK:         arith.andi %[[BOTH]]#0, %[[BITS]]
// CHECK:         return
func.func @no_nan(%x: vector<32xf32>) -> vector<32xf4E2M1FN> {
  %0 = quant_float.cast %x opset 23 : vector<32xf32> to vector<32xf4E2M1FN>
  return %0 : vector<32xf4E2M1FN>
}
