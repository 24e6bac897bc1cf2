// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-lower-strided-transfers))" | FileCheck %s

// CHECK-LABEL: func.func @strided(
// CHECK-COUNT-4: memref.load
// CHECK:         vector.from_elements
// CHECK-COUNT-4: memref.store
// CHECK-NOT:     vector.transfer
func.func @strided(%x: memref<8xf32, strided<[16]>>, %y: memref<8xf32, strided<[?]>>, %i: index) {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<8xf32, strided<[16]>>, vector<4xf32>
  vector.transfer_write %0, %y[%i] {in_bounds = [true]} : vector<4xf32>, memref<8xf32, strided<[?]>>
  return
}

// Contiguous transfers, and transfers that may be out of bounds, are not
// lowered.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: vector.transfer_read
func.func @others(%x: memref<8xf32>, %y: memref<8xf32, strided<[16]>>, %i: index) -> (vector<4xf32>, vector<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  %1 = vector.transfer_read %y[%i], %zero : memref<8xf32, strided<[16]>>, vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}
