// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-privatize-dps-inits))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-privatize-dps-inits{empty}))" | FileCheck %s --check-prefix=OWN

#id = affine_map<(d0, d1) -> (d0, d1)>

// Two reductions share a zero-filled init. The fill is duplicated: each
// reduction gets its own filled empty tensor, right before it.

// CHECK-LABEL: func.func @sums(
// CHECK:         %[[EMPTY:.+]] = tensor.empty()
// CHECK-NEXT:    %[[ZEROS:.+]] = linalg.generic {{.*}} outs(%[[EMPTY]]
// CHECK:         linalg.matmul {{.*}} outs(%[[ZEROS]]
// CHECK-NEXT:    %[[OTHERS:.+]] = linalg.generic {{.*}} outs(%[[EMPTY]]
// CHECK:         linalg.matmul {{.*}} outs(%[[OTHERS]]

// Or each gets its own empty tensor.
// OWN-LABEL: func.func @sums(
// OWN:         %[[ONE:.+]] = tensor.empty()
// OWN-NOT:     tensor.empty()
// OWN:         linalg.generic {{.*}} outs(%[[ONE]]
// OWN:         linalg.matmul
// OWN:         %[[OTHER:.+]] = tensor.empty()
// OWN-NEXT:    linalg.generic {{.*}} outs(%[[OTHER]]
func.func @sums(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %zeros = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zeros : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zeros : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// An init other than a fill is copied rather than recomputed.

// CHECK-LABEL: func.func @matmuls(
// CHECK:         %[[START:.+]] = linalg.matmul
// CHECK:         %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[START]])
// CHECK:         linalg.matmul {{.*}} outs(%[[COPY]]
// CHECK:         linalg.matmul {{.*}} outs(%[[START]]
func.func @matmuls(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %empty = tensor.empty() : tensor<4x4xf32>
  %start = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A result that another op overwrites.

// CHECK-LABEL: func.func @result(
// CHECK:         %[[ONES:.+]] = linalg.fill
// CHECK:         %[[OTHERS:.+]] = linalg.fill
// CHECK:         linalg.matmul {{.*}} outs(%[[OTHERS]]
// CHECK:         materialize_in_destination %[[ONES]]
func.func @result(%x: tensor<4x4xf32>, %to: memref<4x4xf32>) -> tensor<4x4xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%ones : tensor<4x4xf32>) -> tensor<4x4xf32>
  bufferization.materialize_in_destination %ones in restrict writable %to : (tensor<4x4xf32>, memref<4x4xf32>) -> ()
  return %0 : tensor<4x4xf32>
}

// One op writes and another one reads: no change.

// CHECK-LABEL: func.func @read(
// CHECK:         linalg.fill
// CHECK-NOT:     linalg.fill
// CHECK-NOT:     alloc_tensor
// CHECK:         return
func.func @read(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%ones : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%x, %ones : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Dynamic sizes share one init.

// OWN-LABEL: func.func @dynamic(
// OWN:         tensor.empty(
// OWN-NOT:     tensor.empty(
// OWN:         return
func.func @dynamic(%n: index, %one: f32, %two: f32) -> (tensor<4x?xf32>, tensor<4x?xf32>) {
  %empty = tensor.empty(%n) : tensor<4x?xf32>
  %0 = linalg.fill ins(%one : f32) outs(%empty : tensor<4x?xf32>) -> tensor<4x?xf32>
  %1 = linalg.fill ins(%two : f32) outs(%empty : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0, %1 : tensor<4x?xf32>, tensor<4x?xf32>
}
