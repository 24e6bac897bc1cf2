// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-multiply-add))" | FileCheck %s

#read = affine_map<(k) -> (k)>
#all = affine_map<(k) -> ()>

// CHECK-LABEL: func.func @dot(
// CHECK:       ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %[[ACCUMULATOR:.+]]: f32):
// CHECK-NEXT:    %[[SUM:.+]] = math.fma %[[A]], %[[B]], %[[ACCUMULATOR]] : f32
// CHECK-NEXT:    linalg.yield %[[SUM]] : f32
func.func @dot(%x: tensor<?xf32>, %y: tensor<?xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#read, #read, #all], iterator_types = ["reduction"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %accumulator: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %accumulator, %product : f32
    linalg.yield %sum : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// Either operand of the addition may be the product, and the op may have several results.

// CHECK-LABEL: func.func @squares(
// CHECK:       ^bb0(%[[A:.+]]: f64, %[[SUM:.+]]: f64, %[[SQUARES:.+]]: f64):
// CHECK-DAG:     %[[FIRST:.+]] = arith.addf %[[SUM]], %[[A]] : f64
// CHECK-DAG:     %[[SECOND:.+]] = math.fma %[[A]], %[[A]], %[[SQUARES]] : f64
// CHECK:         linalg.yield %[[FIRST]], %[[SECOND]]
func.func @squares(%x: tensor<?xf64>, %init: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0:2 = linalg.generic {indexing_maps = [#read, #all, #all], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf64>) outs(%init, %init : tensor<f64>, tensor<f64>) {
  ^bb0(%a: f64, %sum: f64, %squares: f64):
    %next = arith.addf %sum, %a : f64
    %square = arith.mulf %a, %a : f64
    %all = arith.addf %square, %squares : f64
    linalg.yield %next, %all : f64, f64
  } -> (tensor<f64>, tensor<f64>)
  return %0#0, %0#1 : tensor<f64>, tensor<f64>
}

// A product with two uses is still rounded. So are additions to values other than accumulators,
// f16, and elementwise ops.

// CHECK-LABEL: func.func @rounded(
// CHECK-NOT:     math.fma
// CHECK:         return
func.func @rounded(%x: tensor<?xf32>, %y: tensor<f32>, %z: tensor<?xf16>, %w: tensor<f16>, %f: f32) -> (tensor<f32>, tensor<f32>, tensor<f16>, tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [#read, #all], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<f32>) {
  ^bb0(%a: f32, %accumulator: f32):
    %product = arith.mulf %a, %f : f32
    %sum = arith.addf %accumulator, %product : f32
    %scaled = arith.divf %sum, %product : f32
    linalg.yield %scaled : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#read, #all], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<f32>) {
  ^bb0(%a: f32, %accumulator: f32):
    %product = arith.mulf %a, %f : f32
    %shifted = arith.addf %product, %a : f32
    %sum = arith.addf %accumulator, %shifted : f32
    linalg.yield %sum : f32
  } -> tensor<f32>
  %2 = linalg.generic {indexing_maps = [#read, #all], iterator_types = ["reduction"]}
      ins(%z : tensor<?xf16>) outs(%w : tensor<f16>) {
  ^bb0(%a: f16, %accumulator: f16):
    %product = arith.mulf %a, %a : f16
    %sum = arith.addf %accumulator, %product : f16
    linalg.yield %sum : f16
  } -> tensor<f16>
  %3 = linalg.generic {indexing_maps = [#read, #read], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %product = arith.mulf %a, %f : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f16>, tensor<?xf32>
}

// Named ops are generalized. Those on integers do not match.

// CHECK-LABEL: func.func @named(
// CHECK:         linalg.generic
// CHECK:           math.fma
// CHECK:         linalg.matmul {{.*}} tensor<4x4xi32>
func.func @named(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>, %d: tensor<4x8xi32>, %e: tensor<8x4xi32>, %f: tensor<4x4xi32>) -> (tensor<4x4xf32>, tensor<4x4xi32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%d, %e : tensor<4x8xi32>, tensor<8x4xi32>) outs(%f : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xi32>
}
