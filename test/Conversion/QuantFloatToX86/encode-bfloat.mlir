// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" | FileCheck %s --check-prefix=SSE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=AVX512

// A shift and a blend interleave the 16-bit results of two registers. NaNs take a branch.

// CHECK-LABEL: func.func @bf16(
// CHECK-DAG:     %[[ONE:.+]] = arith.constant dense<1> : vector<16xi16>
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<32704> : vector<16xi16>
// CHECK:         arith.shrui %{{.+}} : vector<8xi32>
// CHECK:         %[[UPPER:.+]] = vector.shuffle %{{.+}} [0, 17, 2, 19, 4,
// CHECK:         arith.shli %{{.+}} : vector<8xi32>
// CHECK:         %[[LOWER:.+]] = vector.shuffle %{{.+}} [0, 17, 2, 19, 4,
// CHECK:         %[[LAST:.+]] = arith.andi %[[UPPER]], %[[ONE]]
// CHECK:         %[[IS_EVEN:.+]] = arith.xori %[[LAST]], %[[ONE]]
// CHECK:         %[[ABOVE:.+]] = llvm.intr.usub.sat(%[[LOWER]], %[[IS_EVEN]])
// CHECK:         %[[CARRY:.+]] = arith.shrui %[[ABOVE]]
// CHECK:         %[[WORDS:.+]] = arith.addi %[[UPPER]], %[[CARRY]]
// CHECK:         %[[HAS_NAN:.+]] = llvm.intr.expect
// CHECK:         scf.if %[[HAS_NAN]]
// CHECK:           arith.ori %{{.+}}, %[[NAN]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[WORDS]],
// CHECK:         vector.shuffle %{{.+}} [0, 2, 4, 6, 8, 10, 12, 14, 1, 3,
// CHECK:         return
// SSE-LABEL:     func.func @bf16(
// SSE-COUNT-8:   llvm.x86.sse2.packssdw
// AVX512-LABEL:  func.func @bf16(
// AVX512:        vector.shuffle %{{.+}} [1, 3, 5, 7,
// AVX512:        vector.shuffle %{{.+}} [0, 2, 4, 6,
func.func @bf16(%x: vector<64xf32>) -> vector<64xbf16> {
  %0 = quant_float.cast %x opset 13 : vector<64xf32> to vector<64xbf16>
  return %0 : vector<64xbf16>
}
