// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" | FileCheck %s --check-prefix=SSE

// An iteration over two blocks computes the reciprocals of the next iteration's scales. Those of
// the first iteration are computed before the loop, if it runs at all. In the buffer, the
// reciprocals of each iteration precede the scales and the limits.

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:      %{{.+}}: memref<?xf32>, %[[S:.+]]: memref<?xf32>, %{{.+}}: memref<?xi8>, %[[N:.+]]: index)
// CHECK:         %[[BUFFER:.+]] = memref.alloca() {{.*}}alignment = 32{{.*}} : memref<12xf32>
// CHECK:         %[[IS_SOME:.+]] = arith.cmpi sgt, %[[N]], %c0
// CHECK:         scf.if %[[IS_SOME]] {
// CHECK:           %[[FIRST:.+]] = arith.divf %{{.+}}, %{{.+}} : vector<2xf32>
// CHECK:           vector.store %[[FIRST]], %[[BUFFER]][%c0]
// CHECK:           vector.store %{{.+}}, %[[BUFFER]][%c2]
// CHECK:           vector.store %{{.+}}, %[[BUFFER]][%c4]
// CHECK:         scf.for %[[I:.+]] = %c0 to %[[N]] step %c64 iter_args(%[[PLACE:.+]] = %c0) -> (index) {
// CHECK:           %[[AHEAD:.+]] = arith.addi %[[I]], %c64
// CHECK:           %[[IS_THERE:.+]] = arith.cmpi slt, %[[AHEAD]], %[[N]]
// CHECK:           %[[NEXT:.+]] = arith.select %[[IS_THERE]], %[[AHEAD]], %[[I]]
// CHECK:           %[[OTHER:.+]] = arith.subi %c6, %[[PLACE]]
// CHECK:           %[[BLOCK:.+]] = arith.divui %[[NEXT]], %c32
// CHECK:           memref.load %[[S]][%[[BLOCK]]]
// CHECK:           arith.divf %{{.+}}, %{{.+}} : vector<2xf32>
// CHECK:           vector.store %{{.+}}, %[[BUFFER]][%[[OTHER]]]
// CHECK-NOT:       arith.divf %{{.+}}, %{{.+}} : vector<2xf32>
// CHECK:           %[[LIMIT:.+]] = arith.addi %[[PLACE]], %c4
// CHECK:           memref.load %[[BUFFER]][%[[LIMIT]]]
// CHECK:           %[[SCALE:.+]] = arith.addi %[[PLACE]], %c2
// CHECK:           memref.load %[[BUFFER]][%[[SCALE]]]
// CHECK:           memref.load %[[BUFFER]][%[[PLACE]]]
// CHECK:           %[[SECOND:.+]] = arith.addi %[[PLACE]], %c1
// CHECK:           memref.load %[[BUFFER]][%[[SECOND]]]
// CHECK:           scf.yield %[[OTHER]] : index
// SSE-NOT: memref.alloca
func.func @blocks(%x: memref<?xf32>, %s: memref<?xf32>, %y: memref<?xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c64 {
    %b = arith.divui %i, %c32 : index
    %b1 = arith.addi %b, %c1 : index
    %i1 = arith.addi %i, %c32 : index
    %s0 = memref.load %s[%b] : memref<?xf32>
    %s1 = memref.load %s[%b1] : memref<?xf32>
    %x0 = vector.load %x[%i] : memref<?xf32>, vector<32xf32>
    %q0 = quant_float.quantize %x0, %s0 opset 21 : vector<32xf32>, f32 to vector<32xi8>
    vector.store %q0, %y[%i] : memref<?xi8>, vector<32xi8>
    %x1 = vector.load %x[%i1] : memref<?xf32>, vector<32xf32>
    %q1 = quant_float.quantize %x1, %s1 opset 21 : vector<32xf32>, f32 to vector<32xi8>
    vector.store %q1, %y[%i1] : memref<?xi8>, vector<32xi8>
  }
  return
}
