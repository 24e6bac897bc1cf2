// RUN: quant-float-opt %s --pass-pipeline='builtin.module(func.func(quant-float-lower-linalg-to-loops,canonicalize))' | FileCheck %s

// CHECK-LABEL: func.func @reduction(
// CHECK-SAME:    %[[X:.+]]: memref<?x4xf32>, %[[Y:.+]]: memref<?xf32>
// CHECK:         %[[ROWS:.+]] = memref.dim %[[X]], %c0
// CHECK:         scf.for %[[I:.+]] = %c0{{.*}} to %[[ROWS]] step %c1
// CHECK:           scf.for %[[J:.+]] = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK-DAG:         %[[ELEMENT:.+]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK-DAG:         %[[SUM:.+]] = memref.load %[[Y]][%[[I]]]
// CHECK:             %[[NEXT:.+]] = arith.addf %[[SUM]], %[[ELEMENT]]
// CHECK:             memref.store %[[NEXT]], %[[Y]][%[[I]]]
// CHECK-NOT:     linalg.generic
func.func @reduction(%x: memref<?x4xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x4xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  return
}

// Named ops are lowered as well. Ops on tensors are not.

// CHECK-LABEL: func.func @named(
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK:         linalg.fill {{.*}} -> tensor<4xf32>
func.func @named(%x: memref<4xf32>, %f: f32, %t: tensor<4xf32>) -> tensor<4xf32> {
  linalg.fill ins(%f : f32) outs(%x : memref<4xf32>)
  %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
