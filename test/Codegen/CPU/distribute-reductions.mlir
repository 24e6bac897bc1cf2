// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-distribute-reductions))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-distribute-reductions{threads=2}))" | FileCheck %s --check-prefix=TWO

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Equal numbers of rows: one part for each thread, or enough parts for any number of threads.

// CHECK-LABEL: func.func @rows(
// CHECK:         scf.forall (%{{.+}}) = (0) to (96) step (4) {
// TWO-LABEL:   func.func @rows(
// TWO:           scf.forall (%{{.+}}) = (0) to (96) step (48) {
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

// The parts are wide enough for a panel if there are enough columns.

// CHECK-LABEL: func.func @panels(
// CHECK:         scf.forall (%{{.+}}) = (0) to (128) step (16) {
func.func @panels(%a: memref<128x128xf32>, %b: memref<128x96xf32>, %c: memref<128x96xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x128xf32>, memref<128x96xf32>) outs(%c : memref<128x96xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Parts and blocks of scales start at common rows. Halves of 192 rows would not.

#block = affine_map<(m, n, k) -> (m floordiv 128, k)>
// CHECK-LABEL: func.func @blocks(
// CHECK:         scf.forall (%{{.+}}) = (0) to (384) step (16) {
// TWO-LABEL:   func.func @blocks(
// TWO:           scf.forall (%{{.+}}) = (0) to (384) step (16) {
func.func @blocks(%a: memref<384x128xf32>, %s: memref<3x128xf32>, %b: memref<128x96xf32>, %c: memref<384x96xf32>) {
  linalg.generic {indexing_maps = [#lhs, #block, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %s, %b : memref<384x128xf32>, memref<3x128xf32>, memref<128x96xf32>) outs(%c : memref<384x96xf32>) {
  ^bb0(%x: f32, %scale: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %scale : f32
    %1 = arith.mulf %0, %y : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// A loop that balances the threads is preferred to a loop with more parts.

#images = affine_map<(n, m, p, k) -> (n, k, p)>
#rows = affine_map<(n, m, p, k) -> (m, k)>
#results = affine_map<(n, m, p, k) -> (n, m, p)>
// CHECK-LABEL: func.func @images(
// CHECK:         scf.forall (%{{.+}}) = (0) to (64) step (4) {
// TWO-LABEL:   func.func @images(
// TWO:           scf.forall (%{{.+}}) = (0) to (64) step (32) {
func.func @images(%a: memref<5x64x80xf32>, %b: memref<64x64xf32>, %c: memref<5x64x80xf32>) {
  linalg.generic {indexing_maps = [#images, #rows, #results], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<5x64x80xf32>, memref<64x64xf32>) outs(%c : memref<5x64x80xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A single row is distributed by columns.

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

// Too little work.

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

// The columns are distributed, because their number is known. The dynamic size is assumed to be
// large.

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
