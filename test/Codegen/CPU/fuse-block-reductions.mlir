// RUN: quant-float-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(quant-float-fuse-block-reductions))" | FileCheck %s
// RUN: quant-float-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(quant-float-fuse-block-reductions{parallel}))" | FileCheck %s --check-prefix=PARALLEL

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
#scale = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>

// The reduction, the scale and the factor of a tile are computed in the loop
// that quantizes the tile. The scales are results of the loop.

// CHECK-LABEL: func.func @quantize(
// CHECK-SAME: %[[X:.+]]: tensor<8x4096xf32>
// CHECK: %[[BLOCKS:.+]] = tensor.expand_shape %[[X]]
// CHECK: %[[LOOPS:.+]]:2 = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %c1024
// CHECK-DAG: %[[TILE:.+]] = tensor.extract_slice %[[X]][%[[I]], %[[J]]] [1, 1024]
// CHECK-DAG: %[[TILE_BLOCKS:.+]] = tensor.extract_slice %[[BLOCKS]][%[[I]], %{{.+}}, 0] [1, 32, 32]
// CHECK: %[[AMAX:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[TILE_BLOCKS]]
// CHECK: %[[SCALES:.+]] = linalg.generic {{.*}} ins(%[[AMAX]] : tensor<1x32xi32>)
// CHECK: %[[FACTORS:.+]] = linalg.generic {{.*}} ins(%[[SCALES]] : tensor<1x32xi32>)
// CHECK: arith.addi
// CHECK: linalg.generic {{.*}} ins(%[[TILE]], %[[FACTORS]] : tensor<1x1024xf32>, tensor<1x32xi32>)
// CHECK: %[[BITS:.+]] = arith.bitcast
// CHECK-NEXT: arith.muli
// CHECK: return %[[LOOPS]]#0, %[[LOOPS]]#1

// Two threads are not worth starting for so few elements.
// PARALLEL-LABEL: func.func @quantize(
// PARALLEL-NOT: scf.forall
func.func @quantize(%x: tensor<8x4096xf32>) -> (tensor<8x4096xi32>, tensor<8x128xi32>) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %blocks = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 128, 32] : tensor<8x4096xf32> into tensor<8x128x32xf32>
  %empty = tensor.empty() : tensor<8x128xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<8x128xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<8x128xi32>
  %amax = linalg.generic {indexing_maps = [#blocks, #block], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<8x128x32xf32>) outs(%zero : tensor<8x128xi32>) {
  ^bb0(%in: f32, %out: i32):
    %0 = arith.bitcast %in : f32 to i32
    %1 = arith.maxui %0, %out : i32
    linalg.yield %1 : i32
  } -> tensor<8x128xi32>
  %scales = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%amax : tensor<8x128xi32>) outs(%empty : tensor<8x128xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.andi %in, %c7 : i32
    linalg.yield %0 : i32
  } -> tensor<8x128xi32>
  %init = tensor.empty() : tensor<8x4096xi32>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scales : tensor<8x4096xf32>, tensor<8x128xi32>) outs(%init : tensor<8x4096xi32>) {
  ^bb0(%in: f32, %scale: i32, %out: i32):
    %0 = arith.addi %scale, %c7 : i32
    %1 = arith.bitcast %in : f32 to i32
    %2 = arith.muli %0, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<8x4096xi32>
  return %values, %scales : tensor<8x4096xi32>, tensor<8x128xi32>
}

// -----

// The scale of each row depends on the maximum of all rows, which is known
// only after the entire reduction. Only the factor of a block moves.

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#scale = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>

// CHECK-LABEL: func.func @tensor_scale(
// CHECK-NOT: scf.for
// CHECK: %[[SCALES:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<8x128xi32>, tensor<i32>)
// CHECK: %[[FACTORS:.+]] = linalg.generic {{.*}} ins(%[[SCALES]] : tensor<8x128xi32>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[FACTORS]] : tensor<8x4096xf32>, tensor<8x128xi32>)
func.func @tensor_scale(%x: tensor<8x4096xf32>) -> tensor<8x4096xi32> {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %blocks = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 128, 32] : tensor<8x4096xf32> into tensor<8x128x32xf32>
  %empty = tensor.empty() : tensor<8x128xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<8x128xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<8x128xi32>
  %amax = linalg.generic {indexing_maps = [#blocks, #block], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<8x128x32xf32>) outs(%zero : tensor<8x128xi32>) {
  ^bb0(%in: f32, %out: i32):
    %0 = arith.bitcast %in : f32 to i32
    %1 = arith.maxui %0, %out : i32
    linalg.yield %1 : i32
  } -> tensor<8x128xi32>
  %one = tensor.from_elements %c0 : tensor<i32>
  %all = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%amax : tensor<8x128xi32>) outs(%one : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<i32>
  %scales = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%amax, %all : tensor<8x128xi32>, tensor<i32>) outs(%empty : tensor<8x128xi32>) {
  ^bb0(%in: i32, %most: i32, %out: i32):
    %0 = arith.andi %in, %most : i32
    linalg.yield %0 : i32
  } -> tensor<8x128xi32>
  %init = tensor.empty() : tensor<8x4096xi32>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scales : tensor<8x4096xf32>, tensor<8x128xi32>) outs(%init : tensor<8x4096xi32>) {
  ^bb0(%in: f32, %scale: i32, %out: i32):
    %0 = arith.addi %scale, %c7 : i32
    %1 = arith.bitcast %in : f32 to i32
    %2 = arith.muli %0, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<8x4096xi32>
  return %values : tensor<8x4096xi32>
}

// -----

// Rows of dynamic number, each reduced as a whole. A comparison of the scale is
// not stored, because buffers have no elements of one bit.

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#scale = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%{{.+}} : tensor<1x1x512xi32>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x512xi32>, tensor<1x1xi32>)
// CHECK: arith.cmpi
// PARALLEL-LABEL: func.func @rows(
// PARALLEL-NOT: scf.for
func.func @rows(%x: tensor<?x512xi32>, %rows: index) -> tensor<?x512xi32> {
  %c0 = arith.constant 0 : i32
  %blocks = tensor.expand_shape %x [[0], [1, 2]] output_shape [%rows, 1, 512] : tensor<?x512xi32> into tensor<?x1x512xi32>
  %empty = tensor.empty(%rows) : tensor<?x1xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x1xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<?x1xi32>
  %amax = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<?x1x512xi32>) outs(%zero : tensor<?x1xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<?x1xi32>
  %init = tensor.empty(%rows) : tensor<?x512xi32>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %amax : tensor<?x512xi32>, tensor<?x1xi32>) outs(%init : tensor<?x512xi32>) {
  ^bb0(%in: i32, %scale: i32, %out: i32):
    %0 = arith.cmpi ne, %scale, %c0 : i32
    %1 = arith.select %0, %in, %scale : i32
    linalg.yield %1 : i32
  } -> tensor<?x512xi32>
  return %values : tensor<?x512xi32>
}

// -----

// PARALLEL-LABEL: func.func @large(
// PARALLEL: scf.forall (%{{.+}}) = (0) to (1024) step (32) shared_outs

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d2)>
#scale = affine_map<(d0, d1) -> (d0 floordiv 32, d1)>
func.func @large(%x: tensor<1024x1024xi32>) -> tensor<1024x1024xi32> {
  %c0 = arith.constant 0 : i32
  %blocks = tensor.expand_shape %x [[0, 1], [2]] output_shape [32, 32, 1024] : tensor<1024x1024xi32> into tensor<32x32x1024xi32>
  %empty = tensor.empty() : tensor<32x1024xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<32x1024xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<32x1024xi32>
  %amax = linalg.generic {indexing_maps = [#blocks, #block], iterator_types = ["parallel", "reduction", "parallel"]} ins(%blocks : tensor<32x32x1024xi32>) outs(%zero : tensor<32x1024xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<32x1024xi32>
  %init = tensor.empty() : tensor<1024x1024xi32>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %amax : tensor<1024x1024xi32>, tensor<32x1024xi32>) outs(%init : tensor<1024x1024xi32>) {
  ^bb0(%in: i32, %scale: i32, %out: i32):
    %0 = arith.andi %in, %scale : i32
    linalg.yield %0 : i32
  } -> tensor<1024x1024xi32>
  return %values : tensor<1024x1024xi32>
}

// -----

// The sizes of the factors are not read from the scales, which would be a use
// before the loop.

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
#scale = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>

// CHECK-LABEL: func.func @dynamic_rows(
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%{{.+}} : tensor<1x16x32xi32>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x512xi32>, tensor<1x16xi32>)
func.func @dynamic_rows(%x: tensor<?x512xi32>) -> tensor<?x512xi32> {
  %c0 = arith.constant 0 : i32
  %i0 = arith.constant 0 : index
  %rows = tensor.dim %x, %i0 : tensor<?x512xi32>
  %blocks = tensor.expand_shape %x [[0], [1, 2]] output_shape [%rows, 16, 32] : tensor<?x512xi32> into tensor<?x16x32xi32>
  %empty = tensor.empty(%rows) : tensor<?x16xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x16xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<?x16xi32>
  %amax = linalg.generic {indexing_maps = [#blocks, #block], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<?x16x32xi32>) outs(%zero : tensor<?x16xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<?x16xi32>
  %init = tensor.empty(%rows) : tensor<?x512xi32>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %amax : tensor<?x512xi32>, tensor<?x16xi32>) outs(%init : tensor<?x512xi32>) {
  ^bb0(%in: i32, %scale: i32, %out: i32):
    %0 = arith.addi %scale, %scale : i32
    %1 = arith.andi %in, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<?x512xi32>
  return %values : tensor<?x512xi32>
}

// -----

// Blocks of rows of unknown length stay.

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
#scale = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>

// CHECK-LABEL: func.func @dynamic_columns(
// CHECK-NOT: scf.for
// CHECK: return
func.func @dynamic_columns(%x: tensor<?x?xi32>, %rows: index, %count: index) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : i32
  %columns = affine.apply affine_map<()[s0] -> (s0 * 32)>()[%count]
  %blocks = tensor.expand_shape %x [[0], [1, 2]] output_shape [%rows, %count, 32] : tensor<?x?xi32> into tensor<?x?x32xi32>
  %empty = tensor.empty(%rows, %count) : tensor<?x?xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x?xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<?x?xi32>
  %amax = linalg.generic {indexing_maps = [#blocks, #block], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<?x?x32xi32>) outs(%zero : tensor<?x?xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<?x?xi32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xi32>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %amax : tensor<?x?xi32>, tensor<?x?xi32>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%in: i32, %scale: i32, %out: i32):
    %0 = arith.andi %in, %scale : i32
    linalg.yield %0 : i32
  } -> tensor<?x?xi32>
  return %values : tensor<?x?xi32>
}

// -----

// Entire rows of unknown length.

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#scale = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @long_rows(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%{{.+}} : tensor<1x1x?xi32>)
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x?xi32>, tensor<1x1xi32>)
func.func @long_rows(%x: tensor<?x?xi32>, %rows: index, %columns: index) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : i32
  %blocks = tensor.expand_shape %x [[0], [1, 2]] output_shape [%rows, 1, %columns] : tensor<?x?xi32> into tensor<?x1x?xi32>
  %empty = tensor.empty(%rows) : tensor<?x1xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x1xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<?x1xi32>
  %amax = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<?x1x?xi32>) outs(%zero : tensor<?x1xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<?x1xi32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xi32>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %amax : tensor<?x?xi32>, tensor<?x1xi32>) outs(%init : tensor<?x?xi32>) {
  ^bb0(%in: i32, %scale: i32, %out: i32):
    %0 = arith.andi %in, %scale : i32
    linalg.yield %0 : i32
  } -> tensor<?x?xi32>
  return %values : tensor<?x?xi32>
}

// -----

// A norm and the quantization of its rows. Some rows are summed
// together. Then each is normalized, reduced and quantized while it is in the L1 cache, and
// the normalized tensor exists only as a tile. The preparation of the weights
// is not repeated.

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#one = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @norm(
// CHECK-SAME: %[[X:.+]]: tensor<256x512xf32>
// CHECK: %[[WEIGHTS:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<512xf32>)
// CHECK: scf.for %{{.+}} = %c0 to %c256 step %c64
// CHECK: %[[ROWS:.+]] = tensor.extract_slice %[[X]]{{.*}} to tensor<64x512xf32>
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%{{.+}} : tensor<64x512xf32>)
// CHECK: scf.for %{{.+}} = %c0 to %c64 step %c2
// CHECK: %[[TILE:.+]] = tensor.extract_slice %[[ROWS]]{{.*}} to tensor<2x512xf32>
// CHECK: %[[NORM:.+]] = linalg.generic {{.*}} ins(%[[TILE]], %{{.+}}, %[[WEIGHTS]] :
// CHECK: %[[AMAX:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[NORM]] : tensor<2x512xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[NORM]], %{{.+}} : tensor<2x512xf32>
// CHECK-NOT: tensor<256x512xf32>
// CHECK: return
func.func @norm(%x: tensor<256x512xf32>, %w: tensor<512xf32>) -> tensor<256x512xi8> {
  %c0 = arith.constant 0.0 : f32
  %c1 = arith.constant 1.0 : f32
  %empty_w = tensor.empty() : tensor<512xf32>
  %weights = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%w : tensor<512xf32>) outs(%empty_w : tensor<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %c1 : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  %empty = tensor.empty() : tensor<256xf32>
  %zero = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%empty : tensor<256xf32>) {
  ^bb0(%out: f32):
    linalg.yield %c0 : f32
  } -> tensor<256xf32>
  %sums = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x512xf32>) outs(%zero : tensor<256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  %column = tensor.expand_shape %sums [[0, 1]] output_shape [256, 1] : tensor<256xf32> into tensor<256x1xf32>
  %init = tensor.empty() : tensor<256x512xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row, #columns, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %column, %weights : tensor<256x512xf32>, tensor<256x1xf32>, tensor<512xf32>) outs(%init : tensor<256x512xf32>) {
  ^bb0(%in: f32, %sum: f32, %weight: f32, %out: f32):
    %0 = arith.divf %in, %sum : f32
    %1 = arith.mulf %0, %weight : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %amax = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%norm : tensor<256x512xf32>) outs(%zero : tensor<256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<256xf32>
  %scales = tensor.expand_shape %amax [[0, 1]] output_shape [256, 1] : tensor<256xf32> into tensor<256x1xf32>
  %bytes = tensor.empty() : tensor<256x512xi8>
  %values = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%norm, %scales : tensor<256x512xf32>, tensor<256x1xf32>) outs(%bytes : tensor<256x512xi8>) {
  ^bb0(%in: f32, %scale: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = arith.fptosi %0 : f32 to i8
    linalg.yield %1 : i8
  } -> tensor<256x512xi8>
  return %values : tensor<256x512xi8>
}

// -----

// The sum of two tensors is computed in tiles, of which the entire tensor is a
// result, because it is returned.

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
#scale = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>

// CHECK-LABEL: func.func @residual(
// CHECK: scf.for %{{.+}} = %c0 to %c8 step %c1
// CHECK: scf.for %{{.+}} = %c0 to %c4096 step %c1024
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x1024xf32>, tensor<1x1024xf32>)
// CHECK: %[[BLOCKS:.+]] = tensor.expand_shape %[[SUM]] {{.*}} output_shape [1, 32, 32]
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%[[BLOCKS]]
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %{{.+}} : tensor<1x1024xf32>
// CHECK: tensor.insert_slice %[[SUM]] into
func.func @residual(%x: tensor<8x4096xf32>, %r: tensor<8x4096xf32>) -> (tensor<8x4096xf32>, tensor<8x4096xi8>) {
  %c0 = arith.constant 0 : i32
  %init = tensor.empty() : tensor<8x4096xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x4096xf32>, tensor<8x4096xf32>) outs(%init : tensor<8x4096xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.addf %in, %other : f32
    linalg.yield %0 : f32
  } -> tensor<8x4096xf32>
  %blocks = tensor.expand_shape %sum [[0], [1, 2]] output_shape [8, 128, 32] : tensor<8x4096xf32> into tensor<8x128x32xf32>
  %empty = tensor.empty() : tensor<8x128xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<8x128xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<8x128xi32>
  %amax = linalg.generic {indexing_maps = [#blocks, #block], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<8x128x32xf32>) outs(%zero : tensor<8x128xi32>) {
  ^bb0(%in: f32, %out: i32):
    %0 = arith.bitcast %in : f32 to i32
    %1 = arith.maxui %0, %out : i32
    linalg.yield %1 : i32
  } -> tensor<8x128xi32>
  %bytes = tensor.empty() : tensor<8x4096xi8>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%sum, %amax : tensor<8x4096xf32>, tensor<8x128xi32>) outs(%bytes : tensor<8x4096xi8>) {
  ^bb0(%in: f32, %scale: i32, %out: i8):
    %0 = arith.bitcast %in : f32 to i32
    %1 = arith.muli %0, %scale : i32
    %2 = arith.trunci %1 : i32 to i8
    linalg.yield %2 : i8
  } -> tensor<8x4096xi8>
  return %sum, %values : tensor<8x4096xf32>, tensor<8x4096xi8>
}

// -----

// Tiles of a transposed tensor have 16 rows, a cache line of the input.

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#rows = affine_map<(d0, d1) -> (d0)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#one = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @transpose(
// CHECK: scf.for %{{.+}} = %c0 to %c64 step %c16
// CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<2048x16xf32>) outs(%{{.+}} : tensor<16x2048xf32>)
func.func @transpose(%x: tensor<2048x64xf32>) -> tensor<64x2048xi8> {
  %c0 = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64x2048xf32>
  %turned = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2048x64xf32>) outs(%init : tensor<64x2048xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<64x2048xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %zero = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%empty : tensor<64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %c0 : f32
  } -> tensor<64xf32>
  %amax = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%turned : tensor<64x2048xf32>) outs(%zero : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %scales = tensor.expand_shape %amax [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
  %bytes = tensor.empty() : tensor<64x2048xi8>
  %values = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%turned, %scales : tensor<64x2048xf32>, tensor<64x1xf32>) outs(%bytes : tensor<64x2048xi8>) {
  ^bb0(%in: f32, %scale: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = arith.fptosi %0 : f32 to i8
    linalg.yield %1 : i8
  } -> tensor<64x2048xi8>
  return %values : tensor<64x2048xi8>
}

// -----

// Both reductions of a tensor are one op. The addition is repeated, because its
// result is larger than its cost.

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#flat = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @whole_tensor(
// CHECK-SAME: %[[X:.+]]: tensor<8x4096xf32>, %[[R:.+]]: tensor<8x4096xf32>
// CHECK-DAG: %[[FLAT_X:.+]] = tensor.collapse_shape %[[X]]
// CHECK-DAG: %[[FLAT_R:.+]] = tensor.collapse_shape %[[R]]
// CHECK: %[[ENDS:.+]]:2 = linalg.generic {{.*}} ins(%[[FLAT_X]], %[[FLAT_R]] :
// CHECK: arith.addf
// CHECK-DAG: arith.minimumf
// CHECK-DAG: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[R]], %[[ENDS]]#0, %[[ENDS]]#1 :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @whole_tensor(%x: tensor<8x4096xf32>, %r: tensor<8x4096xf32>) -> tensor<8x4096xi8> {
  %c0 = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<8x4096xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<8x4096xf32>, tensor<8x4096xf32>) outs(%init : tensor<8x4096xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.addf %in, %other : f32
    linalg.yield %0 : f32
  } -> tensor<8x4096xf32>
  %flat = tensor.collapse_shape %sum [[0, 1]] : tensor<8x4096xf32> into tensor<32768xf32>
  %one = tensor.from_elements %c0 : tensor<f32>
  %least = linalg.generic {indexing_maps = [#flat, #scalar], iterator_types = ["reduction"]} ins(%flat : tensor<32768xf32>) outs(%one : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.minimumf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %most = linalg.generic {indexing_maps = [#flat, #scalar], iterator_types = ["reduction"]} ins(%flat : tensor<32768xf32>) outs(%one : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %bytes = tensor.empty() : tensor<8x4096xi8>
  %values = linalg.generic {indexing_maps = [#id, #none, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%sum, %least, %most : tensor<8x4096xf32>, tensor<f32>, tensor<f32>) outs(%bytes : tensor<8x4096xi8>) {
  ^bb0(%in: f32, %low: f32, %high: f32, %out: i8):
    %0 = arith.subf %in, %low : f32
    %1 = arith.divf %0, %high : f32
    %2 = arith.fptosi %1 : f32 to i8
    linalg.yield %2 : i8
  } -> tensor<8x4096xi8>
  return %values : tensor<8x4096xi8>
}

// -----

// A reduction is not moved after a user that precedes the quantization.

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @needed(
// CHECK-NOT: scf.for
// CHECK: return
func.func @needed(%x: tensor<64x512xf32>, %i: index) -> tensor<64x512xi8> {
  %c0 = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %zero = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%empty : tensor<64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %c0 : f32
  } -> tensor<64xf32>
  %amax = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x512xf32>) outs(%zero : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %some = tensor.extract %amax[%i] : tensor<64xf32>
  %bytes = tensor.empty() : tensor<64x512xi8>
  %values = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %amax : tensor<64x512xf32>, tensor<64xf32>) outs(%bytes : tensor<64x512xi8>) {
  ^bb0(%in: f32, %scale: f32, %out: i8):
    %0 = arith.divf %in, %some : f32
    %1 = arith.divf %0, %scale : f32
    %2 = arith.fptosi %1 : f32 to i8
    linalg.yield %2 : i8
  } -> tensor<64x512xi8>
  return %values : tensor<64x512xi8>
}

// -----

// Rows of an unknown number of blocks: tiles of 1024 elements, then of 16
// blocks and of one. All have a static size.

#id = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d0, d1)>
#scale = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>

// CHECK-LABEL: func.func @unknown_blocks(
// CHECK: scf.for %{{.+}} = %c0 to %{{.+}} step %c1
// CHECK: scf.for %{{.+}} = %c0 to %{{.+}} step %c1024
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<1x1024xi8>)
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1024
// CHECK: scf.for %{{.+}} = %c0 to %{{.+}} step %c512
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<1x512xi8>)
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c512
// CHECK: scf.for %{{.+}} = %c0 to %{{.+}} step %c32
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<1x32xi8>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @unknown_blocks(%x: tensor<?x?xi32>, %rows: index, %count: index) -> tensor<?x?xi8> {
  %c0 = arith.constant 0 : i32
  %columns = affine.apply affine_map<()[s0] -> (s0 * 32)>()[%count]
  %blocks = tensor.expand_shape %x [[0], [1, 2]] output_shape [%rows, %count, 32] : tensor<?x?xi32> into tensor<?x?x32xi32>
  %empty = tensor.empty(%rows, %count) : tensor<?x?xi32>
  %zero = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x?xi32>) {
  ^bb0(%out: i32):
    linalg.yield %c0 : i32
  } -> tensor<?x?xi32>
  %amax = linalg.generic {indexing_maps = [#blocks, #block], iterator_types = ["parallel", "parallel", "reduction"]} ins(%blocks : tensor<?x?x32xi32>) outs(%zero : tensor<?x?xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<?x?xi32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xi8>
  %values = linalg.generic {indexing_maps = [#id, #scale, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %amax : tensor<?x?xi32>, tensor<?x?xi32>) outs(%init : tensor<?x?xi8>) {
  ^bb0(%in: i32, %scale: i32, %out: i8):
    %0 = arith.andi %in, %scale : i32
    %1 = arith.trunci %0 : i32 to i8
    linalg.yield %1 : i8
  } -> tensor<?x?xi8>
  return %values : tensor<?x?xi8>
}
