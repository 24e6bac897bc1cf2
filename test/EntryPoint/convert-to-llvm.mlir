// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-convert-to-llvm,reconcile-unrealized-casts)" | FileCheck %s

// Each argument becomes one descriptor. Sizes are extracted from it directly, without memory
// accesses, even if no folding runs.

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
func.func private @callee(%i: index) -> i64 attributes {always_inline, llvm.always_inline, llvm.linkage = #llvm.linkage<internal>} {
  %0 = arith.index_cast %i : index to i64
  return %0 : i64
}

// A constant of any shape becomes one flat array, which LLVM stores as bytes. Unknown ops are left
// unchanged.

// CHECK: llvm.mlir.global {{.*}}@weights(dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>)
// CHECK-SAME: !llvm.array<4 x f32>
memref.global "private" constant @weights : memref<2x2x1xf32> = dense<[[[1.0], [2.0]], [[3.0], [4.0]]]>
// CHECK: llvm.mlir.global {{.*}}@same(dense<7> : tensor<6xi8>)
// CHECK-SAME: !llvm.array<6 x i8>
memref.global "private" constant @same : memref<2x3xi8> = dense<7>
// CHECK: llvm.mlir.global {{.*}}@resource(dense_resource<four> : tensor<4xi8>)
// CHECK-SAME: !llvm.array<4 x i8>
memref.global "private" constant @resource : memref<2x2xi8> = dense_resource<four>
// CHECK: llvm.mlir.global {{.*}}@room() {{.*}} !llvm.array<2 x array<3 x i8>>
memref.global "private" @room : memref<2x3xi8> = uninitialized

// CHECK-LABEL: llvm.func @load(
// CHECK:         llvm.mlir.addressof @weights
// CHECK:         llvm.getelementptr {{.*}}[0, 0, 0, 0]
func.func @load(%i: index) -> f32 {
  %0 = memref.get_global @weights : memref<2x2x1xf32>
  %1 = memref.load %0[%i, %i, %i] : memref<2x2x1xf32>
  return %1 : f32
}

{-#
  dialect_resources: {
    builtin: {
      four: "0x0100000001020304"
    }
  }
#-}
