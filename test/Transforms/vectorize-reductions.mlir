// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=16},canonicalize,cse))" | FileCheck %s
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=0}))" 2>&1 | FileCheck %s --check-prefix=INVALID

// INVALID: error: vector-bytes: expected 1 or more, but got 0

// Four rows and eight columns of sums in registers; what one row loads of the
// second operand serves all four, and stays in the cache for the next four.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.+]]: memref<8x32xf32>, %[[B:.+]]: memref<32x16xf32>, %[[C:.+]]: memref<8x16xf32>)
// CHECK:         scf.for %[[N:.+]] = %c0 to %c16 step %c8 {
// CHECK:           scf.for %[[M:.+]] = %c0 to %c8 step %c4 {
// CHECK-COUNT-4:     vector.load %[[C]]
// CHECK:             scf.for %[[K:.+]] = %c0 to %c32 step %c1 iter_args(
// CHECK:               memref.load %[[A]][%[[M]], %[[K]]]
// CHECK:               %[[COLUMNS:.+]] = vector.load %[[B]][%[[K]], %[[N]]] : memref<32x16xf32>, vector<8xf32>
// CHECK:               arith.mulf %{{.+}}, %[[COLUMNS]] : vector<8xf32>
// CHECK:               arith.addf
// CHECK-NOT:           vector.load
// CHECK:             vector.store
func.func @matmul(%a: memref<8x32xf32>, %b: memref<32x16xf32>, %c: memref<8x16xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x32xf32>, memref<32x16xf32>) outs(%c : memref<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Vectors run along the last dimension; the three taps are written out. With a
// stride the elements are put together.

// CHECK-LABEL: func.func @conv(
// CHECK:         vector.load %{{.+}} : memref<1x4x10xf32>, vector<8xf32>
// CHECK-NOT:     memref.load %arg0
// CHECK:         return
func.func @conv(%x: memref<1x4x10xf32>, %w: memref<6x4x3xf32>, %y: memref<1x6x8xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(n, f, o, c, k) -> (n, c, o + k)>,
                       affine_map<(n, f, o, c, k) -> (f, c, k)>,
                       affine_map<(n, f, o, c, k) -> (n, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<1x4x10xf32>, memref<6x4x3xf32>) outs(%y : memref<1x6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Seven columns are a register and a part of one, not a vector between sizes.

// CHECK-LABEL: func.func @rest(
// CHECK-NOT:     vector<7xf32>
// CHECK:         vector.store %{{.+}} : memref<4x7xf32>, vector<4xf32>
// CHECK-NOT:     vector<7xf32>
// CHECK:         vector.store %{{.+}} : memref<4x7xf32>, vector<3xf32>
// CHECK-NOT:     vector<7xf32>
// CHECK:         return
func.func @rest(%a: memref<4x4xf32>, %b: memref<4x7xf32>, %c: memref<4x7xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x4xf32>, memref<4x7xf32>) outs(%c : memref<4x7xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @strided(
// CHECK:         vector.from_elements %{{.+}} : vector<4xf32>
// CHECK:         arith.maximumf %{{.+}} : vector<4xf32>
func.func @strided(%x: memref<1x4x10xf32>, %window: memref<3xf32>, %y: memref<1x4x4xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(n, c, o, k) -> (n, c, o * 2 + k)>, affine_map<(n, c, o, k) -> (k)>,
                       affine_map<(n, c, o, k) -> (n, c, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %window : memref<1x4x10xf32>, memref<3xf32>) outs(%y : memref<1x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %max: f32):
    %0 = arith.maximumf %max, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Sums along the last dimension keep their order; rows next to each other go
// side by side.

// CHECK-LABEL: func.func @row_sums(
// CHECK:         scf.for %{{.+}} = %c0 to %{{.+}} step %c1 iter_args(%{{.+}} = %{{.+}}) -> (vector<8xf32>)
// CHECK:           vector.from_elements
// CHECK:         scf.for %{{.+}} = %c0 to %{{.+}} step %c1 iter_args(%{{.+}} = %{{.+}}) -> (f32)
func.func @row_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Two results and the position: the largest of each column. What is left of
// open sizes is scalar.

// CHECK-LABEL: func.func @arg_max(
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (vector<4xf32>, vector<4xi64>)
// CHECK:             arith.cmpf ogt, %{{.+}} : vector<4xf32>
// CHECK:             arith.select %{{.+}} : vector<4xi1>, vector<4xi64>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (f32, i64)
func.func @arg_max(%x: memref<?x?xf32>, %max: memref<?xf32>, %where: memref<?xi64>) {
  linalg.generic {
      indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>, affine_map<(k, n) -> (n)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%max, %where : memref<?xf32>, memref<?xi64>) {
  ^bb0(%a: f32, %m: f32, %w: i64):
    %k = linalg.index 0 : index
    %i = arith.index_cast %k : index to i64
    %larger = arith.cmpf ogt, %a, %m : f32
    %0 = arith.select %larger, %a, %m : f32
    %1 = arith.select %larger, %i, %w : i64
    linalg.yield %0, %1 : f32, i64
  }
  return
}
