// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=SSE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=WIDE

// SSE2 has no pshufb: bf16 uses multiplication.
// NONE-NOT: pshuf.b

// Segments of 32 from 2^-10 on. Subnormals are looked up in tables of 16.

// CHECK-LABEL: func.func @c3_bfloat(
// CHECK-SAME:      %[[INPUT:.+]]: vector<32xbf16>
// 2 * 16 + 103 - 127 is the encoding of 2^-6. The largest one must become 255, which is 129 more.
// CHECK-DAG:     %[[OFFSET:.+]] = arith.constant dense<105> : vector<32xi8>
// CHECK-DAG:     %[[OFFSETS:.+]] = arith.constant dense<[24, 23, 21, 19, 17, 15, 14, 12, 10, 8, 7, 6, 4, 3, 2, 1,
// CHECK-DAG:     %[[FIRST:.+]] = arith.constant dense<112> : vector<32xi8>
// CHECK-DAG:     %[[QUARTER:.+]] = arith.constant dense<8> : vector<32xi8>
// CHECK-DAG:     %[[THREE:.+]] = arith.constant dense<23> : vector<32xi8>
// CHECK-DAG:     %[[ORIGIN:.+]] = arith.constant dense<14976> : vector<16xi16>
// CHECK-COUNT-2: llvm.intr.usub.sat(%{{.+}}, %[[ORIGIN]])
// CHECK:         %[[SEGMENT:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packuswb"
// CHECK:         %[[LOWER:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packuswb"
// CHECK:         %[[INDEX:.+]] = llvm.intr.uadd.sat(%[[SEGMENT]], %[[FIRST]])
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%[[OFFSETS]], %[[INDEX]])
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%{{.+}}, %[[INDEX]])
// CHECK:         llvm.intr.ssub.sat(%[[LOWER]], %[[QUARTER]])
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%{{.+}}, %[[INDEX]])
// CHECK:         llvm.intr.ssub.sat(%[[LOWER]], %[[THREE]])
// CHECK:         %[[TWICE:.+]] = llvm.intr.uadd.sat(%[[SEGMENT]], %[[SEGMENT]])
// CHECK:         %[[ENCODING:.+]] = llvm.intr.uadd.sat(%[[TWICE]]
// NaN is one above.
// CHECK:         %[[NAN:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packsswb"
// CHECK:         arith.subi %[[ENCODING]], %[[NAN]]
// CHECK:         %[[SIGN:.+]] = llvm.call_intrinsic "llvm.x86.avx2.packsswb"
// CHECK:         vector.shuffle %{{.+}} [0, 2, 1, 3] : vector<4xi64>, vector<4xi64>
// CHECK-NOT:     quant_float
// CHECK:         return

// SSE-LABEL:     func.func @c3_bfloat(
// SSE-COUNT-2:   llvm.x86.sse2.packuswb.128
// SSE:           llvm.x86.ssse3.pshuf.b.128

// Neither 32 nor 16 elements fill a register of 64 bytes, but this target has smaller ones.
// WIDE-LABEL:    func.func @c3_bfloat(
// WIDE:          llvm.x86.avx2.pshuf.b
func.func @c3_bfloat(%x: vector<32xbf16>) -> vector<32xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<32xbf16> to vector<32xf8E4M3FN>
  return %0 : vector<32xf8E4M3FN>
}

// f16 has the subnormals of f8E5M2: all segments are equal, and nothing is looked up. They have 9
// bits. The last two segments share one entry.

// CHECK-LABEL: func.func @c3_half_to_e5m2(
// CHECK-NOT:     pshuf.b
// CHECK:         return

// NONE-LABEL:    func.func @c3_half_to_e5m2(
// NONE-NOT:      pshuf.b
// NONE-COUNT-2:  llvm.x86.sse2.packuswb.128
// NONE-NOT:      {{pshuf.b|pmadd.wd}}
// NONE:          return

// WIDE-LABEL:    func.func @c3_half_to_e5m2(
// WIDE:          llvm.x86.avx512.packuswb.512
func.func @c3_half_to_e5m2(%x: vector<64xf16>) -> vector<64xf8E5M2> {
  %0 = quant_float.cast %x opset 19 : vector<64xf16> to vector<64xf8E5M2>
  return %0 : vector<64xf8E5M2>
}

// The smallest normal numbers of f8E5M2FNUZ are subnormal in f16, so the conversion goes through
// f32.

// CHECK-LABEL: func.func @half_to_e5m2fnuz(
// CHECK-NOT:     usub.sat
// CHECK:         pmadd.wd
// CHECK-NOT:     usub.sat
// CHECK:         return
func.func @half_to_e5m2fnuz(%x: vector<32xf16>) -> vector<32xf8E5M2FNUZ> {
  %0 = quant_float.cast %x opset 19 : vector<32xf16> to vector<32xf8E5M2FNUZ>
  return %0 : vector<32xf8E5M2FNUZ>
}
