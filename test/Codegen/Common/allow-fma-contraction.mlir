// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-allow-fma-contraction))" | FileCheck %s

// Loops that sum, and ops that do.

// CHECK-LABEL: func.func @loop(
// CHECK:         %[[PRODUCT:.+]] = arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : vector<4xf32>
// CHECK:         arith.addf %{{.+}}, %[[PRODUCT]] fastmath<contract> : vector<4xf32>
func.func @loop(%x: memref<?xvector<4xf32>>, %y: vector<4xf32>, %n: index) -> vector<4xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %sum = scf.for %i = %0 to %n step %1 iter_args(%before = %zero) -> vector<4xf32> {
    %a = memref.load %x[%i] : memref<?xvector<4xf32>>
    %product = arith.mulf %a, %y : vector<4xf32>
    %after = arith.addf %before, %product : vector<4xf32>
    scf.yield %after : vector<4xf32>
  }
  return %sum : vector<4xf32>
}

// CHECK-LABEL: func.func @reduction(
// CHECK:         arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : f32
// CHECK:         arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
func.func @reduction(%x: memref<?xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A product that something else needs has a rounding of its own, and so have those of ops without sums.

// CHECK-LABEL: func.func @rounded(
// CHECK-NOT:     contract
// CHECK:         return
func.func @rounded(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32, %b: f32) -> (f32, f32) {
  linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%0: f32, %out: f32):
    %1 = arith.mulf %0, %a : f32
    %2 = arith.addf %1, %b : f32
    linalg.yield %2 : f32
  }
  %product = arith.mulf %a, %b : f32
  %sum = arith.addf %product, %a : f32
  return %product, %sum : f32, f32
}
