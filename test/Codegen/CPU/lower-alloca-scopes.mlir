// RUN: quant-float-opt %s --pass-pipeline='builtin.module(func.func(quant-float-lower-alloca-scopes))' | FileCheck %s

// Lowered loops have several blocks, but a scope must have a single block.
// CHECK-LABEL: func.func @scopes(
// CHECK-NEXT: %[[OUTER:.*]] = llvm.intr.stacksave : !llvm.ptr
// CHECK-NEXT: %[[A:.*]] = memref.alloca() : memref<4xf32>
// CHECK-NEXT: scf.for
// CHECK-NEXT:   %[[INNER:.*]] = llvm.intr.stacksave : !llvm.ptr
// CHECK-NEXT:   %[[B:.*]] = memref.alloca() : memref<8xf32>
// CHECK-NEXT:   %[[LOADED:.*]] = memref.load %[[B]]
// CHECK-NEXT:   llvm.intr.stackrestore %[[INNER]]
// CHECK-NEXT:   memref.store %[[LOADED]], %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: llvm.intr.stackrestore %[[OUTER]]
// CHECK-NEXT: return
func.func @scopes(%n: index, %from: index, %by: index) {
  memref.alloca_scope {
    %a = memref.alloca() : memref<4xf32>
    scf.for %i = %from to %n step %by {
      %v = memref.alloca_scope -> (f32) {
        %b = memref.alloca() : memref<8xf32>
        %u = memref.load %b[%i] : memref<8xf32>
        memref.alloca_scope.return %u : f32
      }
      memref.store %v, %a[%i] : memref<4xf32>
    }
  }
  return
}
