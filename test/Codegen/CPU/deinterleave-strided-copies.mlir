// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-deinterleave-strided-copies{vector-bytes=32}))" | FileCheck %s
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-deinterleave-strided-copies{vector-bytes=4294967296}))" 2>&1 | FileCheck %s --check-prefix=HUGE

// HUGE: error: vector-bytes: expected 1 to 1024, but got 4294967296

// Shuffles of the same vectors yield the even and the odd columns. The last vector overlaps the one
// before it and ends with the row.

#image = affine_map<(d0, d1, d2, d3) -> (d2 * 2 + d0, d3 * 2 + d1)>
#phases = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @both(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c16
// CHECK:           vector.load {{.+}} vector<16xf32>
// CHECK:           vector.shuffle {{.+}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK:           vector.store {{.+}} vector<8xf32>
// CHECK:           vector.shuffle {{.+}} [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK:           vector.store {{.+}} vector<8xf32>
// CHECK:         %[[LAST:.+]] = arith.constant 22 : index
// CHECK:         vector.load {{.+}}%[[LAST]]]{{.+}} vector<16xf32>
// CHECK-NOT:     vector.load
// CHECK-NOT:     memref.load
func.func @both(%x: memref<8x38xf32>, %y: memref<2x2x4x19xf32>) {
  linalg.generic {indexing_maps = [#image, #phases], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<8x38xf32>) outs(%y : memref<2x2x4x19xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// The row ends with the last even element, so that no element after it is read.

// CHECK-LABEL: func.func @even(
// CHECK:         vector.load {{.+}} vector<16xf32>
// CHECK:         vector.load {{.+}} vector<4xf32>
// CHECK:         memref.load
// CHECK-NOT:     vector.load
func.func @even(%x: memref<3x21xf32>, %y: memref<3x11xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1 * 2)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3x21xf32>) outs(%y : memref<3x11xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// For dynamic sizes, the remainder of a row takes narrower vectors. The last even element may have no odd neighbor.

// CHECK-LABEL: func.func @open(
// CHECK-SAME:    %[[X:.+]]: memref<?x2x?xf32>, %[[Y:.+]]: memref<?x2x?xf32>
// CHECK-DAG:     %[[COLUMNS:.+]] = memref.dim %[[Y]], %c2
// CHECK-DAG:     %[[WIDTH:.+]] = memref.dim %[[X]], %c2
// CHECK-DAG:     %[[HALF:.+]] = arith.divui %[[WIDTH]], %c2
// CHECK:         %[[SAFE:.+]] = arith.minui %[[COLUMNS]], %[[HALF]]
// CHECK:         %[[WHOLE:.+]] = arith.andi %[[SAFE]], %c-8
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[WHOLE]] step %c8
// CHECK:           %[[PAIRS:.+]] = vector.load %[[X]]{{.+}} vector<16xf32>
// CHECK:           vector.shuffle %[[PAIRS]], %[[PAIRS]] [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK:         %[[FOURS:.+]] = arith.andi %[[SAFE]], %c-4
// CHECK:         scf.for %{{.+}} = %[[WHOLE]] to %[[FOURS]] step %c4
// CHECK:         %[[TWOS:.+]] = arith.andi %[[SAFE]], %c-2
// CHECK:         scf.for %{{.+}} = %[[FOURS]] to %[[TWOS]] step %c2
// CHECK:         scf.for %{{.+}} = %[[TWOS]] to %[[COLUMNS]] step %c1
// CHECK:           memref.load %[[X]]
func.func @open(%x: memref<?x2x?xf32>, %y: memref<?x2x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2 * 2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?x2x?xf32>) outs(%y : memref<?x2x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// Strides other than two, and ops with computation, do not match.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: linalg.generic
func.func @others(%x: memref<3x33xf32>, %y: memref<3x11xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1 * 3)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3x33xf32>) outs(%y : memref<3x11xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1 * 2)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3x33xf32>) outs(%y : memref<3x11xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  }
  return
}

// Two columns: one for each parity.

// CHECK-LABEL: func.func @two_columns(
// CHECK:         linalg.generic
func.func @two_columns(%x: memref<3x4xf32>, %y: memref<3x2xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1 * 3)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<3x4xf32>) outs(%y : memref<3x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
