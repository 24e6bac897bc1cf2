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
