// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v2" --canonicalize --cse | FileCheck %s --check-prefix=SSE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=skylake-avx512" --canonicalize --cse | FileCheck %s --check-prefix=AVX512
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" | FileCheck %s --check-prefix=OLD
// OLD-NOT: pshuf

// NaN has the first index, followed by eight subnormals and all other values. The table holds the
// differences between the results and the shifted encodings.

// CHECK-LABEL: func.func @f8E4M3FN(
// CHECK-DAG:     %[[LAST:.+]] = arith.constant dense<15> : vector<32xi8>
// CHECK-DAG:     %[[SEVEN:.+]] = arith.constant dense<127> : vector<32xi8>
// CHECK-DAG:     %[[SHIFT:.+]] = arith.constant dense<4> : vector<16xi16>
// CHECK-DAG:     %[[MASK:.+]] = arith.constant dense<-30736> : vector<16xi16>
// CHECK:         vector.shuffle {{.*}} [0, 2, 4, 6, 1, 3, 5, 7] : vector<8xi32>, vector<8xi32>
// CHECK:         %[[ENCODINGS:.+]] = vector.bitcast {{.*}} to vector<32xi8>
// CHECK:         %[[NEXT:.+]] = arith.addi %[[ENCODINGS]], %{{.*}}
// CHECK:         %[[INDEX:.+]] = arith.andi %[[NEXT]], %[[SEVEN]]
// CHECK:         arith.minui %[[INDEX]], %[[LAST]]
// CHECK-COUNT-2: "llvm.x86.avx2.pshuf.b"
// CHECK-COUNT-2: arith.addi %{{.*}}, %{{.*}} : vector<16xi16>
// CHECK:         return %{{.*}} : vector<32xf32>
// SSE-LABEL: func.func @f8E4M3FN(
// SSE-COUNT-4: "llvm.x86.ssse3.pshuf.b.128"
// SSE-NOT:     pshuf.b
// SSE:         return
// AVX512-LABEL: func.func @f8E4M3FN(
// AVX512-COUNT-2: "llvm.x86.avx2.pshuf.b"
func.func @f8E4M3FN(%x: vector<32xf8E4M3FN>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 23 : vector<32xf8E4M3FN> to vector<32xf32>
  return %0 : vector<32xf32>
}

// AVX512-LABEL: func.func @sixty_four(
// AVX512-COUNT-2: "llvm.x86.avx512.pshuf.b.512"
// AVX512-NOT:     pshuf.b
// AVX512:         return
func.func @sixty_four(%x: vector<64xf8E5M2>) -> vector<64xbf16> {
  %0 = quant_float.cast %x opset 23 : vector<64xf8E5M2> to vector<64xbf16>
  return %0 : vector<64xbf16>
}

// f16 has the exponents of f8E5M2, so nothing is shifted.

// CHECK-LABEL: func.func @half(
// CHECK-NOT:     arith.shrsi
// CHECK:         "llvm.x86.avx2.pshuf.b"
// CHECK-NOT:     arith.shrsi
// CHECK:         return
func.func @half(%x: vector<32xf8E5M2>) -> vector<32xf16> {
  %0 = quant_float.cast %x opset 23 : vector<32xf8E5M2> to vector<32xf16>
  return %0 : vector<32xf16>
}

// The encoding of -0 is NaN, and has its own entry.

// CHECK-LABEL: func.func @fnuz(
// CHECK:         %[[INDEX:.+]] = arith.minui %{{.*}}, %{{.*}} : vector<32xi8>
// CHECK:         %[[IS_NAN:.+]] = arith.cmpi eq
// CHECK:         arith.select %[[IS_NAN]], %{{.*}}, %[[INDEX]]
// CHECK:         return
func.func @fnuz(%x: vector<32xf8E4M3FNUZ>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 23 : vector<32xf8E4M3FNUZ> to vector<32xf32>
  return %0 : vector<32xf32>
}

// Four-bit values are looked up directly.

// CHECK-LABEL: func.func @f4(
// CHECK-NOT:     arith.addi
// CHECK:         arith.andi
// CHECK-COUNT-2: "llvm.x86.avx2.pshuf.b"
// CHECK-NOT:     arith.addi
// CHECK:         return
func.func @f4(%x: vector<32xf4E2M1FN>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 23 : vector<32xf4E2M1FN> to vector<32xf32>
  return %0 : vector<32xf32>
}

// Sixteen subnormals are too many, and so are scales.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     pshuf.b
// CHECK:         return
func.func @others(%x: vector<32xf8E3M4>, %y: vector<32xf8E8M0FNU>) -> (vector<32xf32>, vector<32xf32>) {
  %0 = quant_float.cast %x mode quant_float opset 1 : vector<32xf8E3M4> to vector<32xf32>
  %1 = quant_float.cast %y opset 24 : vector<32xf8E8M0FNU> to vector<32xf32>
  return %0, %1 : vector<32xf32>, vector<32xf32>
}

// f8E5M2 encodings are upper halves of f16, which instructions widen. Only the difference for NaNs
// is looked up.

// CHECK-LABEL: func.func @halves(
// CHECK-COUNT-1: "llvm.x86.avx2.pshuf.b"
// CHECK-NOT:     pshuf.b
// CHECK-COUNT-4: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:         return
func.func @halves(%x: vector<32xf8E5M2>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 23 : vector<32xf8E5M2> to vector<32xf32>
  return %0 : vector<32xf32>
}

// D8: arithmetic accepts any NaN.

// CHECK-LABEL: func.func @halves_in_arithmetic(
// CHECK-NOT:     pshuf.b
// CHECK-COUNT-4: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:         return
func.func @halves_in_arithmetic(%x: vector<32xf8E5M2>, %y: vector<32xf32>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 23 : vector<32xf8E5M2> to vector<32xf32>
  %1 = arith.mulf %0, %y : vector<32xf32>
  return %1 : vector<32xf32>
}
