// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-convert-to-llvm,reconcile-unrealized-casts)" | FileCheck %s

// An argument becomes a descriptor once. Sizes are taken from it without a way through memory, though nothing is
// folded.

// CHECK-LABEL: llvm.func @kernel(
// CHECK-COUNT-5: llvm.insertvalue
// CHECK-NOT:     llvm.insertvalue
// CHECK-NOT:     llvm.alloca
// CHECK:         llvm.extractvalue {{.*}}[3, 0]
// CHECK:         llvm.add
// CHECK-NOT:     llvm.insertvalue
// CHECK:         llvm.call @callee(
// CHECK:         llvm.load
func.func @kernel(%x: memref<?xf32>, %i: index) -> (f32, i64) {
  %c0 = arith.constant 0 : index
  %0 = memref.dim %x, %c0 : memref<?xf32>
  %1 = arith.addi %0, %c0 : index
  %2 = func.call @callee(%1) : (index) -> i64
  %3 = memref.load %x[%i] : memref<?xf32>
  return %3, %2 : f32, i64
}

// CHECK-LABEL: llvm.func internal @callee(
// CHECK-SAME:    attributes {always_inline
func.func private @callee(%i: index) -> i64 attributes {always_inline, llvm.linkage = #llvm.linkage<internal>} {
  %0 = arith.index_cast %i : index to i64
  return %0 : i64
}
