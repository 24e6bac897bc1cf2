// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-lower-vector-transfers))" | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for
// CHECK:           vector.transfer_read {{.*}} vector<4xf32>
func.func @rows(%x: memref<?x4xf32>, %i: index) -> vector<2x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true, true]} : memref<?x4xf32>, vector<2x4xf32>
  return %0 : vector<2x4xf32>
}

// One-dimensional transfers and other ops are not lowered.

// CHECK-LABEL: func.func @others(
// CHECK:         arith.addi
// CHECK:         vector.transfer_read {{.*}} vector<4xf32>
func.func @others(%x: memref<?xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %i = arith.addi %c0, %c0 : index
  %0 = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}
