// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-outline-duplicate-casts)" | FileCheck %s

// CHECK-LABEL: func.func @one(
// CHECK:         %[[LOADED:.+]] = vector.load
// CHECK:         %[[CAST:.+]] = call @cast.f32.f8E4M3FN(%[[LOADED]]) : (vector<16xf32>) -> vector<16xf8E4M3FN>
// CHECK:         vector.store %[[CAST]]
func.func @one(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>, %i: index) {
  %0 = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
  %1 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  vector.store %1, %y[%i] : memref<?xf8E4M3FN>, vector<16xf8E4M3FN>
  return
}

// CHECK-LABEL: func.func @other(
// CHECK:         call @cast.f32.f8E4M3FN(
func.func @other(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>, %i: index) {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
  %1 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  vector.transfer_write %1, %y[%i] {in_bounds = [true]} : vector<16xf8E4M3FN>, memref<?xf8E4M3FN>
  return
}

// A single cast of a kind is not outlined. Opset, mode and shape distinguish kinds.

// CHECK-LABEL: func.func @kinds(
// CHECK-COUNT-2: quant_float.cast
func.func @kinds(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>, %i: index) {
  %0 = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
  %1 = quant_float.cast %0 opset 28 saturate false : vector<16xf32> to vector<16xf8E4M3FN>
  vector.store %1, %y[%i] : memref<?xf8E4M3FN>, vector<16xf8E4M3FN>
  %2 = memref.load %x[%i] : memref<?xf32>
  %3 = quant_float.cast %2 opset 28 : f32 to f8E4M3FN
  memref.store %3, %y[%i] : memref<?xf8E4M3FN>
  return
}

// Casts that are fused with their neighbors, and casts with few ops, are not outlined.

// CHECK-LABEL: func.func @neighbors(
// CHECK-COUNT-2: quant_float.cast
// CHECK-NOT:     call
func.func @neighbors(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) {
  %0 = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
  %1 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  %2 = quant_float.cast %1 opset 28 : vector<16xf8E4M3FN> to vector<16xf32>
  vector.store %2, %y[%i] : memref<?xf32>, vector<16xf32>
  return
}

// CHECK-LABEL: func.func @short(
// CHECK-COUNT-2: quant_float.cast
// CHECK-NOT:     call
func.func @short(%x: memref<?xf32>, %y: memref<?xf16>, %i: index, %j: index) {
  %0 = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
  %1 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf16>
  vector.store %1, %y[%i] : memref<?xf16>, vector<16xf16>
  %2 = vector.load %x[%j] : memref<?xf32>, vector<16xf32>
  %3 = quant_float.cast %2 opset 28 : vector<16xf32> to vector<16xf16>
  vector.store %3, %y[%j] : memref<?xf16>, vector<16xf16>
  return
}

// CHECK-LABEL: func.func private @cast.f32.f8E4M3FN(
// CHECK-SAME:    %[[X:.+]]: vector<16xf32>) -> vector<16xf8E4M3FN> attributes {{.*}}always_inline
// CHECK:         %[[Y:.+]] = quant_float.cast %[[X]]
// CHECK:         return %[[Y]]
