// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-lower-vector-ops))" | FileCheck %s

// CHECK-LABEL: func.func @transfers(
// CHECK:         %[[LOADED:.+]] = vector.load
// CHECK:         vector.store %[[LOADED]]
func.func @transfers(%x: memref<8xf32>, %y: memref<8xf32>, %i: index) {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  vector.transfer_write %0, %y[%i] {in_bounds = [true]} : vector<4xf32>, memref<8xf32>
  return
}

// CHECK-LABEL: func.func @mask(
// CHECK-NOT:     vector.create_mask
// CHECK:         arith.cmpi
func.func @mask(%n: index) -> vector<4xi1> {
  %0 = vector.create_mask %n : vector<4xi1>
  return %0 : vector<4xi1>
}

// CHECK-LABEL: func.func @transpose(
// CHECK-NOT:     vector.transpose
// CHECK:         vector.extract
func.func @transpose(%x: vector<2x4xf32>) -> vector<4x2xf32> {
  %0 = vector.transpose %x, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  return %0 : vector<4x2xf32>
}

// CHECK-LABEL: func.func @elements(
// CHECK:         vector.from_elements {{.*}} : vector<2xf32>
// CHECK-NOT:     vector.from_elements {{.*}} : vector<2x2xf32>
func.func @elements(%a: f32, %b: f32) -> vector<2x2xf32> {
  %0 = vector.from_elements %a, %b, %b, %a : vector<2x2xf32>
  return %0 : vector<2x2xf32>
}

// Ops of other dialects are not changed, even if they could be folded.

// CHECK-LABEL: func.func @others(
// CHECK:         arith.addi
func.func @others() -> index {
  %one = arith.constant 1 : index
  %0 = arith.addi %one, %one : index
  return %0 : index
}
