// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-distribute-reductions))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-distribute-reductions{triple=x86_64-linux-gnu cpu=sapphirerapids}))" | FileCheck %s --check-prefixes=CHECK,AMX
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-distribute-reductions{cpu=none}))" 2>&1 | FileCheck %s --check-prefix=CPU

// CPU: error: {{.*}}none

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Rows, in equal parts.

// CHECK-LABEL: func.func @rows(
// CHECK:         scf.forall (%{{.+}}) = (0) to (96) step (4) {
// CHECK-NOT:     memref<?
func.func @rows(%a: memref<96x128xf32>, %b: memref<128x96xf32>, %c: memref<96x96xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<96x128xf32>, memref<128x96xf32>) outs(%c : memref<96x96xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// One row has columns only.

// CHECK-LABEL: func.func @columns(
// CHECK:         scf.forall (%{{.+}}) = (0) to (1024) step (64) {
func.func @columns(%a: memref<1x2048xf32>, %b: memref<2048x1024xf32>, %c: memref<1x1024xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x2048xf32>, memref<2048x1024xf32>) outs(%c : memref<1x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Too little.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     scf.forall
func.func @others(%a: memref<8x32xf32>, %b: memref<32x16xf32>, %c: memref<8x16xf32>,
                  %d: memref<?x64xf32>, %e: memref<64x1024xf32>, %f: memref<?x1024xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x32xf32>, memref<32x16xf32>) outs(%c : memref<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %e : memref<?x64xf32>, memref<64x1024xf32>) outs(%f : memref<?x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Enough, if a size that nobody knows is one: columns, whose number is known.

// CHECK-LABEL: func.func @unknown(
// CHECK:         scf.forall (%{{.+}}) = (0) to (1024) step (64) {
func.func @unknown(%a: memref<?x2048xf32>, %b: memref<2048x1024xf32>, %c: memref<?x1024xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x2048xf32>, memref<2048x1024xf32>) outs(%c : memref<?x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Words of bytes, by as many rows as an instruction for matrices wants.

// CHECK-LABEL: func.func @words(
// AMX:           scf.forall (%{{.+}}) = (0) to (256) step (32) {
func.func @words(%a: memref<256x64xi32>, %b: memref<64x128xi32>, %c: memref<256x128xi32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<256x64xi32>, memref<64x128xi32>) outs(%c : memref<256x128xi32>)
      attrs = {quant_float.dots = [ui8, si8]} {
  ^bb0(%x: i32, %y: i32, %sum: i32):
    %0 = arith.muli %x, %y : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}
