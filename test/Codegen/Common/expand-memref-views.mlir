// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-expand-memref-views))" | FileCheck %s

// An access of a subview becomes an access of its source with the same attributes.

// CHECK-LABEL: func.func @accesses(
// CHECK-SAME:    %[[X:.+]]: memref<?xf32>, %[[Y:.+]]: memref<?xf32>, %[[I:.+]]: index, %[[J:.+]]: index
// CHECK-NOT:     memref.
// CHECK:         %[[READ:.+]] = vector.transfer_read %[[X]][%[[I]]]
// CHECK:         %[[SUM:.+]] = arith.addi %[[I]], %[[J]]
// CHECK:         vector.store %[[READ]], %[[Y]][%[[SUM]]] {{.*}}alignment = 64{{.*}}nontemporal = true
// CHECK-NOT:     memref.
func.func @accesses(%x: memref<?xf32>, %y: memref<?xf32>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = memref.subview %x[%i] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
  %1 = memref.subview %y[%i] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
  %2 = vector.transfer_read %0[%c0], %zero {in_bounds = [true]} : memref<64xf32, strided<[1], offset: ?>>, vector<16xf32>
  "vector.store"(%2, %1, %j) <{alignment = 64 : i64, nontemporal = true}> : (vector<16xf32>, memref<64xf32, strided<[1], offset: ?>>, index) -> ()
  return
}

// A subview of a subview.

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[X:.+]]: memref<8x?xf32>, %[[I:.+]]: index
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[SUM:.+]] = arith.addi %[[I]], %[[I]]
// CHECK:         memref.load %[[X]][%[[TWO]], %[[SUM]]]
func.func @nested(%x: memref<8x?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = memref.subview %x[2, %i] [4, 64] [1, 1] : memref<8x?xf32> to memref<4x64xf32, strided<[?, 1], offset: ?>>
  %1 = memref.subview %0[0, %i] [4, 8] [1, 1] : memref<4x64xf32, strided<[?, 1], offset: ?>> to memref<4x8xf32, strided<[?, 1], offset: ?>>
  %2 = memref.load %1[%c0, %c0] : memref<4x8xf32, strided<[?, 1], offset: ?>>
  return %2 : f32
}

// Not folded: strided or rank-reduced views, and reads beyond the end of the view.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: memref.reinterpret_cast
// CHECK-NOT:     memref.subview
func.func @others(%x: memref<?xf32>, %m: memref<8x8xf32>, %i: index) -> (f32, f32, vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = memref.subview %x[%i] [4] [2] : memref<?xf32> to memref<4xf32, strided<[2], offset: ?>>
  %1 = memref.load %0[%i] : memref<4xf32, strided<[2], offset: ?>>
  %2 = memref.subview %m[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<8xf32, strided<[1], offset: ?>>
  %3 = memref.load %2[%i] : memref<8xf32, strided<[1], offset: ?>>
  %4 = memref.subview %x[%i] [20] [1] : memref<?xf32> to memref<20xf32, strided<[1], offset: ?>>
  %5 = vector.transfer_read %4[%i], %zero : memref<20xf32, strided<[1], offset: ?>>, vector<16xf32>
  return %1, %3, %5 : f32, f32, vector<16xf32>
}
