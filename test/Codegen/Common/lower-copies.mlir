// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-lower-copies,quant-float-lower-reshapes))" | FileCheck %s

// A strided copy would call a function of MLIR's runner library.

// CHECK-LABEL: func.func @strided(
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
func.func @strided(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// CHECK-LABEL: func.func @fill(
// CHECK-NOT:     linalg.map
// CHECK:         linalg.generic
func.func @fill(%y: memref<4x8xf32>, %c: f32) {
  linalg.map outs(%y : memref<4x8xf32>) (%out: f32) {
    linalg.yield %c : f32
  }
  return
}

// CHECK-LABEL: func.func @contiguous(
// CHECK:         memref.copy
func.func @contiguous(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
  return
}

// Several dynamic sizes in one group.

// CHECK-LABEL: func.func @expanded(
// CHECK-SAME:    %[[X:.+]]: memref<?xf32>, %[[M:.+]]: index, %[[N:.+]]: index)
// CHECK:         %[[STRIDE:.+]] = affine.apply #{{.+}}()[%[[N]]]
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[M]], 4, %[[N]]], strides: [%[[STRIDE]], %[[N]], 1] : memref<?xf32> to memref<?x4x?xf32>
func.func @expanded(%x: memref<?xf32>, %m: index, %n: index) -> memref<?x4x?xf32> {
  %0 = memref.expand_shape %x [[0, 1, 2]] output_shape [%m, 4, %n] : memref<?xf32> into memref<?x4x?xf32>
  return %0 : memref<?x4x?xf32>
}
