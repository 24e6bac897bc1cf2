// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-tile-and-vectorize{tile-size=16},canonicalize))" | FileCheck %s --check-prefixes=CHECK,SCALAR
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-tile-and-vectorize{tile-size=16 masked-tail},canonicalize))" | FileCheck %s --check-prefixes=CHECK,MASKED
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-tile-and-vectorize{tile-size=16 parallel},canonicalize))" | FileCheck %s --check-prefix=PARALLEL
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-tile-and-vectorize{tile-size=0}))" 2>&1 | FileCheck %s --check-prefix=INVALID

// INVALID: error: tile-size: expected 1 or more, but got 0

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// One loop over full tiles, and one over the remainder.

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:.+]]: memref<?x3xf32>, %[[Y:.+]]: memref<?x3xi8>)
// PARALLEL-LABEL: func.func @dynamic
func.func @dynamic(%x: memref<?x3xf32>, %y: memref<?x3xi8>) {
  // Contiguous dimensions are collapsed to one.
  // CHECK-DAG: %[[TILE:.+]] = arith.constant 16 : index
  // CHECK-DAG: %[[ZERO:.+]] = arith.constant 0 : index
  // CHECK-DAG: %[[FLAT:.+]] = memref.collapse_shape %[[X]] {{\[}}[0, 1]] : memref<?x3xf32> into memref<?xf32>
  // CHECK-DAG: memref.collapse_shape %[[Y]] {{\[}}[0, 1]]
  // CHECK: %[[SIZE:.+]] = memref.dim %[[FLAT]], %[[ZERO]]
  // CHECK: %[[FULL:.+]] = affine.apply
  // CHECK: scf.for %{{.+}} = %[[ZERO]] to %[[FULL]] step %[[TILE]] {
  // CHECK-NOT: mask
  // CHECK: %[[IN:.+]] = vector.transfer_read %{{.+}} {in_bounds = [true]} : memref<16xf32, {{.*}}>, vector<16xf32>
  // CHECK: %[[OUT:.+]] = arith.fptosi %[[IN]] : vector<16xf32> to vector<16xi8>
  // CHECK: vector.transfer_write %[[OUT]], %{{.+}} {in_bounds = [true]} : vector<16xi8>
  // CHECK: scf.for %{{.+}} = %[[FULL]] to %[[SIZE]] step %[[TILE]] {
  // SCALAR: linalg.generic
  // SCALAR: arith.fptosi %{{.+}} : f32 to i8
  // MASKED: vector.create_mask %{{.+}} : vector<16xi1>
  // MASKED: vector.mask %{{.+}} { vector.transfer_read
  // MASKED: arith.fptosi %{{.+}} : vector<16xf32> to vector<16xi8>
  // MASKED: vector.mask %{{.+}} { vector.transfer_write
  // Large loops are split into large chunks for threads.
  // PARALLEL: %[[LARGE:.+]] = arith.cmpi sge
  // PARALLEL: scf.if %[[LARGE]] {
  // PARALLEL: scf.forall (%{{.+}}) = (0) to (%{{.+}}) step (32768) {
  // PARALLEL: scf.for
  // PARALLEL: vector<16xf32>
  // PARALLEL: } else {
  // PARALLEL-NOT: scf.forall
  // PARALLEL: vector<16xf32>
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x3xf32>) outs(%y : memref<?x3xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.fptosi %in : f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// A multiple of the tile has no remainder.

// CHECK-LABEL: func.func @static_multiple
// PARALLEL-LABEL: func.func @static_multiple
func.func @static_multiple(%x: memref<4x16xf32>, %y: memref<4x16xi8>) {
  // CHECK: scf.for
  // CHECK: arith.fptosi %{{.+}} : vector<16xf32>
  // CHECK-NOT: scf.for
  // CHECK-NOT: linalg.generic
  // CHECK: return
  // Too small for several threads.
  // PARALLEL-NOT: scf.forall
  // PARALLEL: return
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x16xf32>) outs(%y : memref<4x16xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.fptosi %in : f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// A size below that of a tile becomes one vector.

// CHECK-LABEL: func.func @small
func.func @small(%x: memref<10xf32>, %y: memref<10xi8>) {
  // CHECK-NOT: scf.for
  // CHECK: arith.fptosi %{{.+}} : vector<10xf32> to vector<10xi8>
  // CHECK: return
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<10xf32>) outs(%y : memref<10xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.fptosi %in : f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// Dimensions that are not contiguous are not collapsed.

// CHECK-LABEL: func.func @strided
func.func @strided(%x: memref<8x32xf32, strided<[64, 1]>>, %y: memref<8x32xi8>) {
  // CHECK-NOT: memref.collapse_shape
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: vector<16xi8>
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x32xf32, strided<[64, 1]>>) outs(%y : memref<8x32xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.fptosi %in : f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// Reductions and ops on tensors are left alone.

// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: memref<8x32xf32>, %y: memref<8xf32>) {
  // CHECK-NOT: scf.for
  // CHECK: linalg.generic
  linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x32xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @tensors
func.func @tensors(%x: tensor<64xf32>, %y: tensor<64xi8>) -> tensor<64xi8> {
  // CHECK-NOT: scf.for
  // CHECK: linalg.generic
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%y : tensor<64xi8>) {
  ^bb0(%in: f32, %out: i8):
    %1 = arith.fptosi %in : f32 to i8
    linalg.yield %1 : i8
  } -> tensor<64xi8>
  return %0 : tensor<64xi8>
}

// A value that all elements share is loaded once, and a value that a row shares is loaded before
// its loop.

#one = affine_map<(d0, d1) -> ()>
#blocks = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>

// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[X:.+]]: memref<8x32xf32>, %[[S:.+]]: memref<f32>, %[[T:.+]]: memref<8xf32>, %{{.+}}: memref<8x32xf32>)
func.func @shared(%x: memref<8x32xf32>, %s: memref<f32>, %t: memref<8xf32>, %y: memref<8x32xf32>) {
  // CHECK: memref.load %[[S]][]
  // CHECK: scf.for %[[ROW:.+]] =
  // CHECK: memref.load %[[T]][%[[ROW]]]
  // CHECK: scf.for
  // CHECK-NOT: memref.load
  // CHECK: vector.transfer_write
  linalg.generic {indexing_maps = [#id2, #one, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %t : memref<8x32xf32>, memref<f32>, memref<8xf32>) outs(%y : memref<8x32xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %in, %a : f32
    %1 = arith.addf %0, %b : f32
    linalg.yield %1 : f32
  }
  return
}

// A scale for each column is a vector. Dimensions that the scale does not depend on are collapsed.

// CHECK-LABEL: func.func @column
func.func @column(%x: memref<?x?x64xf32>, %s: memref<64xf32>, %y: memref<?x?x64xf32>) {
  // CHECK: memref.collapse_shape %{{.+}} {{\[}}[0, 1], [2]]
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-COUNT-2: vector.transfer_read %{{.+}} : memref<16xf32, {{.+}}>, vector<16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %s : memref<?x?x64xf32>, memref<64xf32>) outs(%y : memref<?x?x64xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %0 = arith.mulf %in, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// An iteration handles several blocks and loads their scales first. Single blocks follow, and then
// the remainder of a block if there is one.

// CHECK-LABEL: func.func @blocked
// CHECK-SAME: (%{{.+}}: memref<4x?xf32>, %[[S:.+]]: memref<4x?xf32>, %{{.+}}: memref<4x?xf32>)
func.func @blocked(%x: memref<4x?xf32>, %s: memref<4x?xf32>, %y: memref<4x?xf32>) {
  // CHECK-DAG: %[[ROUND:.+]] = arith.constant 256 : index
  // CHECK-DAG: %[[BLOCK:.+]] = arith.constant 32 : index
  // CHECK: scf.for
  // CHECK: scf.for %{{.+}} step %[[ROUND]]
  // CHECK-COUNT-8: memref.load %[[S]]
  // CHECK-NOT: memref.load
  // CHECK: scf.for %{{.+}} step %[[BLOCK]]
  // CHECK: memref.load %[[S]]
  // CHECK: scf.if
  // CHECK: memref.load %[[S]]
  linalg.generic {indexing_maps = [#id2, #blocks, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<4x?xf32>, memref<4x?xf32>) outs(%y : memref<4x?xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %0 = arith.mulf %in, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// An index is not vectorized.

// CHECK-LABEL: func.func @indices
func.func @indices(%y: memref<3x64xindex>) {
  // CHECK: scf.for %[[ROW:.+]] =
  // CHECK: vector.broadcast %[[ROW]] : index to vector<16xindex>
  // CHECK: arith.addi %{{.+}} : vector<16xindex>
  linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]}
      outs(%y : memref<3x64xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.addi %i, %j : index
    linalg.yield %0 : index
  }
  return
}

// Rows of whole blocks are collapsed.

// CHECK-LABEL: func.func @rows_of_blocks
func.func @rows_of_blocks(%x: memref<?x64xf32>, %s: memref<?x2xf32>, %y: memref<?x64xf32>) {
  // CHECK-DAG: memref.collapse_shape %{{.+}} {{\[}}[0, 1]] : memref<?x64xf32> into memref<?xf32>
  // CHECK-DAG: memref.collapse_shape %{{.+}} {{\[}}[0, 1]] : memref<?x2xf32> into memref<?xf32>
  // CHECK: scf.for
  // CHECK-COUNT-8: memref.load
  linalg.generic {indexing_maps = [#id2, #blocks, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x64xf32>, memref<?x2xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %0 = arith.mulf %in, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Each loop is too small for threads, but all of them together are large enough: one branch selects
// the threads for all. Ops in between move before the loops.
// PARALLEL-LABEL: func @fused_threading(
// PARALLEL-DAG: %[[N:.*]] = memref.dim %arg0
// PARALLEL-DAG: %[[M:.*]] = memref.dim %arg1
// PARALLEL: %[[SUM:.*]] = arith.addi %[[N]], %[[M]]
// PARALLEL: arith.cmpi sge, %[[SUM]], %{{.*}} : index
// PARALLEL: scf.if
// PARALLEL: scf.forall
// PARALLEL: scf.forall
// PARALLEL: scf.forall
// PARALLEL: else
// PARALLEL-NOT: scf.forall
// PARALLEL: return
func.func @fused_threading(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<65536xf32>, %scale: memref<1xf32>, %a: memref<?xbf16>, %b: memref<?xbf16>, %c: memref<65536xbf16>) attributes {quant_float.entry_point = {}} {
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%a : memref<?xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  }
  linalg.generic {indexing_maps = [#id1, affine_map<(d0) -> (0)>, #id1], iterator_types = ["parallel"]}
      ins(%y, %scale : memref<?xf32>, memref<1xf32>) outs(%b : memref<?xbf16>) {
  ^bb0(%in: f32, %s: f32, %out: bf16):
    %0 = arith.mulf %in, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  }
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%z : memref<65536xf32>) outs(%c : memref<65536xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  }
  return
}

// The remainder of a kernel's result overlaps the last full tile, so that some elements are written
// twice. Single elements are written only if no full tile exists.
// SCALAR-LABEL: func @overlapped(
// SCALAR: %[[N:.*]] = memref.dim %arg0
// SCALAR: %[[SPLIT:.*]] = affine.apply
// SCALAR: %[[HAS_TILES:.*]] = arith.cmpi sgt, %[[SPLIT]], %c0
// SCALAR: %[[HAS_REST:.*]] = arith.cmpi slt, %[[SPLIT]], %[[N]]
// SCALAR: %[[BOTH:.*]] = arith.andi %[[HAS_TILES]], %[[HAS_REST]]
// SCALAR: %[[ROUNDS:.*]] = arith.select %[[BOTH]], %c2, %c1
// SCALAR: scf.for %[[ROUND:.*]] = %c0 to %[[ROUNDS]]
// SCALAR: %[[FIRST:.*]] = arith.cmpi eq, %[[ROUND]], %c0
// SCALAR: %[[LAST:.*]] = arith.subi %[[N]], %c16
// SCALAR: %[[FROM:.*]] = arith.select %[[FIRST]], %c0, %[[LAST]]
// SCALAR: %[[TO:.*]] = arith.select %[[FIRST]], %[[SPLIT]], %[[N]]
// SCALAR: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %c16
// SCALAR: vector.transfer_write
// SCALAR: %[[REST:.*]] = arith.select %[[HAS_TILES]], %[[N]], %[[SPLIT]]
// SCALAR: scf.for %{{.*}} = %[[REST]] to %[[N]] step %c16
// SCALAR: linalg.generic
func.func @overlapped(%x: memref<?xf32>, %y: memref<?xbf16>) attributes {quant_float.entry_point = {}} {
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  }
  return
}

// An update in place must not be repeated. A constant size has an overlapping remainder as well.
// SCALAR-LABEL: func @in_place(
// SCALAR-NOT: arith.select
// SCALAR-LABEL: func @constant_size(
// SCALAR: scf.for %[[ROUND:.*]] = %c0 to %c2
// SCALAR: arith.select %{{.*}}, %c0, %c7
// SCALAR: arith.select %{{.*}}, %c16, %c23
// SCALAR-NOT: linalg.generic
func.func @in_place(%x: memref<?xf32>) attributes {quant_float.entry_point = {}} {
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%x : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %in : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @constant_size(%x: memref<23xf32>, %y: memref<23xbf16>) attributes {quant_float.entry_point = {}} {
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%x : memref<23xf32>) outs(%y : memref<23xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  }
  return
}

// If a row is no whole number of vectors, its last two tiles overlap, and the last one ends with
// the row.

// CHECK-LABEL: func.func @ragged_rows(
// CHECK:         scf.for %[[ROW:.+]] =
// CHECK:           scf.for {{.+}} = %c0 to %c2 step %c1
// CHECK:             select %{{.+}}, %c0, %c5
// CHECK:             scf.for
// CHECK-NOT:         mask
// CHECK:             vector.transfer_read {{.*}} vector<8xf32>
// CHECK:             vector.transfer_write {{.*}} vector<8xi8>
// CHECK-NOT:     vector.transfer
// CHECK:         return
func.func @ragged_rows(%x: memref<4x13xf32, strided<[15, 1]>>, %y: memref<4x13xi8>)
    attributes {quant_float.entry_point} {
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x13xf32, strided<[15, 1]>>) outs(%y : memref<4x13xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.fptosi %in : f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// Contiguous rows of a subview are collapsed.

// CHECK-LABEL: func.func @part_of_rows(
// CHECK-SAME:    %[[X:.+]]: memref<4x2x8xf32>, %[[Y:.+]]: memref<4x2x8xf32, strided<[48, 8, 1]>>)
// CHECK-DAG:     memref.collapse_shape %[[X]] {{\[}}[0], [1, 2]] : memref<4x2x8xf32> into memref<4x16xf32>
// CHECK-DAG:     memref.collapse_shape %[[Y]] {{\[}}[0], [1, 2]] : memref<4x2x8xf32, strided<[48, 8, 1]>> into memref<4x16xf32, strided<[48, 1]>>
// CHECK:         vector<16xf32>
func.func @part_of_rows(%x: memref<4x2x8xf32>, %y: memref<4x2x8xf32, strided<[48, 8, 1]>>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<4x2x8xf32>) outs(%y : memref<4x2x8xf32, strided<[48, 8, 1]>>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// Rows that a gather selects are views, and the scales that it selects are loaded once for each
// row.

// CHECK-LABEL: func.func @gather_rows(
// CHECK-SAME:    %[[X:.+]]: memref<24xi64>, %[[W:.+]]: memref<100x64xi8>, %[[S:.+]]: memref<100xf32>,
// CHECK:         scf.for %[[I:.+]] = %c0 to %c24
// CHECK:           %[[INDEX:.+]] = memref.load %[[X]][%[[I]]]
// CHECK:           %[[ROW:.+]] = arith.index_cast %[[INDEX]]
// CHECK-DAG:       memref.subview %[[W]][%[[ROW]], 0] [1, 64] [1, 1]
// CHECK-DAG:       %[[SCALE:.+]] = memref.load %[[S]][%[[ROW]]]
// CHECK:           scf.for
// CHECK:             quant_float.cast %{{.+}} : vector<16xi8> to vector<16xf32>
// CHECK:             arith.mulf %{{.+}} : vector<16xf32>
// CHECK-NOT:     memref.load
// CHECK:         return
func.func @gather_rows(%x: memref<24xi64>, %w: memref<100x64xi8>, %s: memref<100xf32>, %y: memref<24x64xf32>)
    attributes {quant_float.entry_point} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<24xi64>) outs(%y : memref<24x64xf32>) {
  ^bb0(%index: i64, %out: f32):
    %0 = arith.index_cast %index : i64 to index
    %1 = linalg.index 1 : index
    %2 = memref.load %w[%0, %1] : memref<100x64xi8>
    %3 = memref.load %s[%0] : memref<100xf32>
    %4 = quant_float.cast %2 opset 28 : i8 to f32
    %5 = arith.mulf %4, %3 : f32
    linalg.yield %5 : f32
  }
  return
}
