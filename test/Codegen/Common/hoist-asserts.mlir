// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-hoist-asserts))" | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// The inits determine the number of iterations, too.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %{{.*}}: tensor<10x4xf32>, %[[I:.+]]: tensor<3xi64>
// CHECK: %[[E:.+]] = tensor.empty
// CHECK: %[[TRUE:.+]] = arith.constant dense<true> : tensor<i1>
// CHECK: %[[ALL:.+]] = linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "reduction"]} ins(%[[I]], %[[E]] : tensor<3xi64>, tensor<3x4xf32>) outs(%[[TRUE]] : tensor<i1>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: i64, %{{.*}}: f32, %[[ACC:.+]]: i1):
// CHECK-NEXT: %[[IN:.+]] = arith.cmpi ult, %[[X]], %{{.*}} : i64
// CHECK-NEXT: %[[AND:.+]] = arith.andi %[[IN]], %[[ACC]] : i1
// CHECK-NEXT: linalg.yield %[[AND]] : i1
// CHECK: %[[HOLDS:.+]] = tensor.extract %[[ALL]][] : tensor<i1>
// CHECK: cf.assert %[[HOLDS]], "index out of range"
// CHECK: linalg.generic
// CHECK-NOT: cf.assert
// CHECK: return
func.func @gather(%w: tensor<10x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %c10 = arith.constant 10 : i64
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%x: i64, %o: f32):
    %j = linalg.index 1 : index
    %in = arith.cmpi ult, %x, %c10 : i64
    cf.assert %in, "index out of range"
    %k = arith.index_cast %x : i64 to index
    %v = tensor.extract %w[%k, %j] : tensor<10x4xf32>
    linalg.yield %v : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A condition of the function, which holds if there are no iterations.
// CHECK-LABEL: func.func @invariant
// CHECK-SAME: %[[C:[^:]+]]: i1
// CHECK: linalg.generic
// CHECK: arith.andi %[[C]], %{{.*}} : i1
// CHECK: cf.assert
// CHECK: linalg.generic
// CHECK-NOT: cf.assert
// CHECK: return
func.func @invariant(%c: i1, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x4xf32>) {
  ^bb0(%o: f32):
    cf.assert %c, "condition"
    linalg.yield %o : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Partial sums are not known before the op.
// CHECK-LABEL: func.func @partial
// CHECK-COUNT-1: linalg.generic
// CHECK: cf.assert %{{.*}}, "sum"
func.func @partial(%x: tensor<4xi32>, %init: tensor<i32>) -> tensor<i32> {
  %c9 = arith.constant 9 : i32
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xi32>) outs(%init : tensor<i32>) {
  ^bb0(%a: i32, %sum: i32):
    %next = arith.addi %a, %sum : i32
    %small = arith.cmpi slt, %next, %c9 : i32
    cf.assert %small, "sum"
    linalg.yield %next : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// Asserts under a condition stay.
// CHECK-LABEL: func.func @nested
// CHECK-COUNT-1: linalg.generic
// CHECK: scf.if
// CHECK: cf.assert %{{.*}}, "nested"
func.func @nested(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c9 = arith.constant 9 : i32
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : tensor<4xi32>) {
  ^bb0(%a: i32):
    %small = arith.cmpi slt, %a, %c9 : i32
    scf.if %small {
      cf.assert %small, "nested"
    }
    linalg.yield %a : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
