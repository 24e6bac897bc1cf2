// Types and attributes that LLVM 22 cannot encode are text in the file, and upstream's reader
// accepts it.
// RUN: quant-float-translate --mlir-to-portable-bytecode %s -o %t.mlirbc
// RUN: %llvm_bin/mlir-opt %t.mlirbc | FileCheck %s
// RUN: grep -aq f8E4M3FN %t.mlirbc
// RUN: grep -aq tf32 %t.mlirbc
// RUN: grep -aq 'affine_map<(d0) -> (d0 floordiv 2)>' %t.mlirbc
// RUN: grep -aq 'affine_set<' %t.mlirbc
// RUN: grep -aq 'strided<' %t.mlirbc

// Every op of the dialect is read, with its version.
// RUN: quant-float-opt %S/Inputs/bytecode/model.mlir -o %t.model.mlir
// RUN: quant-float-translate --mlir-to-portable-bytecode %S/Inputs/bytecode/model.mlir | quant-float-opt | diff %t.model.mlir -
// RUN: quant-float-opt %S/Inputs/bytecode/added.mlir -o %t.added.mlir
// RUN: quant-float-translate --mlir-to-portable-bytecode %S/Inputs/bytecode/added.mlir | quant-float-opt | diff %t.added.mlir -

// RUN: not quant-float-translate --mlir-to-portable-bytecode %S/invalid.mlir -o %t.invalid.mlirbc

// CHECK-DAG: #[[$MAP:.+]] = affine_map<(d0) -> (d0 floordiv 2)>
// CHECK-DAG: #[[$SET:.+]] = affine_set<(d0) : (d0 - 3 >= 0)>
// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<8xf8E4M3FN, strided<[2], offset: ?>>, %{{.*}}: tensor<4xtf32>
func.func @f(%x: memref<8xf8E4M3FN, strided<[2], offset: ?>>, %y: tensor<4xtf32>, %i: index) -> (tensor<9xi1>, tensor<3xf8E4M3FN>) {
  // CHECK: affine.apply #[[$MAP]](
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
  // CHECK: affine.if #[[$SET]](
  affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%0) {
    %1 = affine.load %x[%i] : memref<8xf8E4M3FN, strided<[2], offset: ?>>
  }
  // CHECK: dense<[true, false, true, true, false, false, true, true, false]> : tensor<9xi1>
  %b = arith.constant dense<[true, false, true, true, false, false, true, true, false]> : tensor<9xi1>
  // CHECK: dense_resource<weights> : tensor<3xf8E4M3FN>
  %r = arith.constant dense_resource<weights> : tensor<3xf8E4M3FN>
  return %b, %r : tensor<9xi1>, tensor<3xf8E4M3FN>
}

// CHECK: weights: "0x01000000
{-#
  dialect_resources: {
    builtin: {
      weights: "0x01000000102030"
    }
  }
#-}
