// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" | FileCheck %s --check-prefix=SSE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=AVX512
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// D1: an instruction rounds, packs saturate. It makes the lowest integer of all that it has none for: quotients are capped, what is
// Values below the range saturate to the minimum anyway, and only NaN takes a
// branch, or a mask.

// REMARK-DAG: [Passed] quantize | {{.*}}"f32 to i8 by vcvtps2dq: vcvtps2dq needs avx512bw"
// CHECK-LABEL: func.func @signed(
// CHECK-SAME:      %[[X:.+]]: vector<64xf32>, %[[S:.+]]: f32, %[[Z:.+]]: i8)
// CHECK-DAG:     %[[END:.+]] = arith.constant 1.638400e+04 : f32
// CHECK:         %[[IS_PLAIN:.+]] = arith.cmpi ule
// CHECK:         %[[RECIPROCAL:.+]] = arith.divf %{{.+}}, %[[S]] : f32
// CHECK:         %[[LIMIT:.+]] = arith.mulf %[[S]], %[[END]] : f32
// CHECK:         %[[EXPECTED:.+]] = llvm.intr.expect %[[IS_PLAIN]], %true
// CHECK:         %[[QUOTIENT:.+]]:2 = scf.if %[[EXPECTED]]
// Tiny values become zero.
// CHECK:           %[[BITS:.+]] = arith.select
// CHECK:           %[[INPUT:.+]] = arith.bitcast %[[BITS]]
// CHECK:           %[[LIMITS:.+]] = vector.broadcast %[[LIMIT]]
// CHECK:           %[[LIMIT_BITS:.+]] = arith.bitcast %[[LIMITS]]
// CHECK:           arith.minsi %[[BITS]], %[[LIMIT_BITS]]
// CHECK:           %[[CORRECTED:.+]] = math.fma
// CHECK:           %[[DIVIDED:.+]] = math.fma
// CHECK:           scf.yield %[[DIVIDED]], %[[INPUT]]
// Other scales take a division.
// CHECK:         } else {
// CHECK:           arith.divf %[[X]], %{{.+}} : vector<64xf32>
// CHECK:         }
// CHECK-COUNT-4: llvm.x86.avx.cvt.ps2dq.256
// CHECK:         %[[WORDS0:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packssdw"
// CHECK:         %[[WORDS1:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packssdw"
// CHECK-COUNT-2: arith.cmpf uno
// CHECK:         %[[HAS_NAN:.+]] = llvm.intr.expect
// CHECK:         %[[NUMBERS:.+]]:2 = scf.if %[[HAS_NAN]]
// CHECK-COUNT-4:   arith.cmpf ord
// CHECK:           arith.andi %{{.+}}, %[[WORDS0]]
// CHECK:           arith.andi %{{.+}}, %[[WORDS1]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[WORDS0]], %[[WORDS1]]
// CHECK:         %[[ZERO:.+]] = arith.extsi %[[Z]] : i8 to i16
// CHECK:         %[[ZEROS:.+]] = vector.broadcast %[[ZERO]] : i16 to vector<16xi16>
// CHECK:         %[[SUM0:.+]] = llvm.intr.sadd.sat(%[[NUMBERS]]#0, %[[ZEROS]])
// CHECK:         %[[SUM1:.+]] = llvm.intr.sadd.sat(%[[NUMBERS]]#1, %[[ZEROS]])
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.packsswb"(%[[SUM0]], %[[SUM1]])
// CHECK:         vector.shuffle %{{.+}} [0, 4, 1, 5, 2, 6, 3, 7] : vector<8xi32>, vector<8xi32>
// CHECK-COUNT-4: llvm.x86.avx.cvt.ps2dq.256
// CHECK:         return
// SSE-LABEL:     func.func @signed(
// SSE:           arith.divf
// SSE-COUNT-16:  llvm.x86.sse2.cvtps2dq
// AVX512-LABEL:  func.func @signed(
// AVX512:        %[[INTEGERS:.+]] = llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// AVX512:        %[[IS_NUMBER:.+]] = arith.cmpf ord
// AVX512:        arith.select %[[IS_NUMBER]], %[[INTEGERS]], %{{.+}} : vector<16xi1>, vector<16xi32>
// AVX512-COUNT-3: llvm.x86.avx512.mask.cvtps2dq.512
// AVX512-NOT:    scf.if
// AVX512:        llvm.x86.avx512.packsswb.512
func.func @signed(%x: vector<64xf32>, %s: f32, %z: i8) -> vector<64xi8> {
  %0 = quant_float.quantize %x, %s, %z opset 21 : vector<64xf32>, f32, i8 to vector<64xi8>
  return %0 : vector<64xi8>
}

// Per-lane zero points become 16-bit elements in the order of the packed
// values.

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME:      %[[X:.+]]: vector<32xf32>, %[[S:.+]]: vector<32xf32>, %[[Z:.+]]: vector<32xui8>)
// CHECK:         arith.divf %[[X]], %[[S]]
// CHECK:         scf.if
// CHECK:         %[[HALF:.+]] = vector.extract_strided_slice %{{.+}} {{[{]?}}offsets = [0], sizes = [16]
// CHECK:         %[[WORDS:.+]] = arith.extui %[[HALF]]
// CHECK:         %[[ORDERED:.+]] = vector.shuffle %[[WORDS]], %{{[^ ]+}} [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15]
// CHECK:         llvm.intr.sadd.sat(%{{.+}}, %[[ORDERED]])
// CHECK:         llvm.x86.avx2.packuswb
// CHECK:         return
func.func @unsigned(%x: vector<32xf32>, %s: vector<32xf32>, %z: vector<32xui8>) -> vector<32xui8> {
  %0 = quant_float.quantize_elements %x, %s, %z : vector<32xf32>, vector<32xf32>, vector<32xui8> to vector<32xui8>
  return %0 : vector<32xui8>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-DAG:     %[[HIGH:.+]] = arith.constant dense<7> : vector<32xi8>
// CHECK-DAG:     %[[LOW:.+]] = arith.constant dense<-8> : vector<32xi8>
// CHECK:         %[[QUANTIZED:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packsswb"
// CHECK:         %[[CAPPED:.+]] = arith.minsi %[[QUANTIZED]], %[[HIGH]]
// CHECK:         arith.maxsi %[[CAPPED]], %[[LOW]]
// CHECK:         return
// Half a register of quantized values from two full ones of floats.
// AVX512-LABEL:  func.func @narrow(
// AVX512-COUNT-2: llvm.x86.avx512.mask.cvtps2dq.512
// AVX512:        %[[PACKED:.+]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// AVX512:        %[[SUM:.+]] = llvm.intr.sadd.sat(%[[PACKED]],
// AVX512:        llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"(%[[SUM]], %[[SUM]])
// AVX512:        vector.shuffle %{{.+}} [0, 4, 8, 12, 1, 5, 9, 13] : vector<16xi32>, vector<16xi32>
func.func @narrow(%x: vector<32xf32>, %s: f32, %z: i4) -> vector<32xi4> {
  %0 = quant_float.quantize %x, %s, %z opset 21 : vector<32xf32>, f32, i4 to vector<32xi4>
  return %0 : vector<32xi4>
}

// Not matched: quotients of f64, and 16-bit integers.

// REMARK-DAG: [Missed] quantize | {{.*}}"f64 to i8 expanded into arith: the quotient is an f64"
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     llvm.
// CHECK:         return
func.func @others(%x: vector<32xf64>, %s: vector<32xf64>, %y: vector<32xf32>, %t: f32) -> (vector<32xi8>, vector<32xi16>) {
  %0 = quant_float.quantize_elements %x, %s : vector<32xf64>, vector<32xf64> to vector<32xi8>
  %1 = quant_float.quantize %y, %t opset 21 : vector<32xf32>, f32 to vector<32xi16>
  return %0, %1 : vector<32xi8>, vector<32xi16>
}

// A constant scale in all lanes is handled like an unknown one.

// CHECK-LABEL: func.func @known(
// CHECK-NOT:     arith.divf
// CHECK:         math.fma {{.*}} : vector<64xf32>
// AVX512-LABEL:  func.func @known(
// AVX512:        math.fma {{.*}} : vector<64xf32>
func.func @known(%x: vector<64xf32>) -> vector<64xui8> {
  %s = arith.constant dense<0.3> : vector<64xf32>
  %z = quant_float.constant dense<3> : vector<64xui8>
  %0 = quant_float.quantize_elements %x, %s, %z : vector<64xf32>, vector<64xf32>, vector<64xui8> to vector<64xui8>
  return %0 : vector<64xui8>
}
