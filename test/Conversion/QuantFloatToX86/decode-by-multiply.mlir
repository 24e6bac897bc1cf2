// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// With SSSE3, encodings are looked up.
// NONE-NOT: arith.sitofp

// An integer times a power of two, which has the sign. NaN takes a branch.

// REMARK: [Passed] cast | {{.*}}"f8E4M3FN to f32 by cvtdq2ps: {{.*}}, pshufb needs ssse3"
// CHECK-LABEL: func.func @f8E4M3FN(
// CHECK-SAME:      %[[X:.+]]: vector<16xf8E4M3FN>
// CHECK-DAG:     %[[ONE:.+]] = arith.constant dense<8> : vector<16xi8>
// CHECK-DAG:     %[[MAGNITUDES:.+]] = arith.constant dense<127> : vector<16xi8>
// CHECK-DAG:     %[[LARGEST:.+]] = arith.constant dense<126> : vector<16xi8>
// CHECK-DAG:     %[[FIELDS:.+]] = arith.constant dense<-30848> : vector<8xi16>
// CHECK:         %[[MAGNITUDE:.+]] = arith.andi %{{.+}}, %[[MAGNITUDES]]
// CHECK:         %[[EXPONENT:.+]] = arith.maxui %{{.+}}, %[[ONE]]
// CHECK:         %[[REST:.+]] = arith.subi %[[MAGNITUDE]], %[[EXPONENT]]
// CHECK:         %[[SIGNIFICAND:.+]] = arith.addi %[[REST]], %[[ONE]]
// CHECK:         arith.andi %{{.+}}, %[[FIELDS]]
// CHECK:         %[[NUMBER:.+]] = arith.sitofp %{{.+}} : vector<4xi32> to vector<4xf32>
// CHECK:         arith.mulf %[[NUMBER]], %{{.+}}
// CHECK-COUNT-3: arith.sitofp
// CHECK:         arith.cmpi sgt, %[[MAGNITUDE]], %[[LARGEST]]
// CHECK:         %[[IS_NAN:.+]] = llvm.intr.expect
// CHECK:         scf.if %[[IS_NAN]]
// CHECK:         return
func.func @f8E4M3FN(%x: vector<16xf8E4M3FN>) -> vector<16xf32> {
  %0 = quant_float.cast %x opset 23 : vector<16xf8E4M3FN> to vector<16xf32>
  return %0 : vector<16xf32>
}

// No encoding is NaN. The upper halves of f32 are bf16. They become f16 by subtracting the
// difference of the exponent biases, saturating at zero.

// CHECK-LABEL: func.func @f4E2M1FN(
// CHECK-COUNT-2: "llvm.x86.sse2.packssdw.128"
// CHECK-NOT:     scf.if
// CHECK:         llvm.intr.usub.sat
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @f4E2M1FN(%x: vector<16xf4E2M1FN>) -> (vector<16xbf16>, vector<16xf16>) {
  %0 = quant_float.cast %x opset 23 : vector<16xf4E2M1FN> to vector<16xbf16>
  %1 = quant_float.cast %x opset 23 : vector<16xf4E2M1FN> to vector<16xf16>
  return %0, %1 : vector<16xbf16>, vector<16xf16>
}

// REMARK: [Passed] cast | {{.*}}"f8E5M2 to f16 by punpcklbw: {{.*}}"
// CHECK-LABEL: func.func @f8E5M2(
// CHECK-NOT:     arith.sitofp
// CHECK:         arith.shli
// CHECK:         return
func.func @f8E5M2(%x: vector<16xf8E5M2>) -> vector<16xf16> {
  %0 = quant_float.cast %x opset 23 : vector<16xf8E5M2> to vector<16xf16>
  return %0 : vector<16xf16>
}
