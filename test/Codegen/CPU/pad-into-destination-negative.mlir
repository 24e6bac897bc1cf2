// MLIR 24 rejects pads that are negative constants.
// UNSUPPORTED: llvm-at-least-24
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-pad-into-destination))" | FileCheck %s

// A pad that removes elements stays as it is.

#each = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @negative(
// CHECK:       tensor.pad
// CHECK-NOT:   tensor.insert_slice
// CHECK:       return
func.func @negative(%v: tensor<4xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %squares = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%v : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %1 = tensor.pad %squares low[-1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  return %1 : tensor<5xf32>
}
