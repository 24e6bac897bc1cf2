// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-tile-window-channels))" --split-input-file | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-tile-window-channels{parallel=true}))" --split-input-file | FileCheck %s --check-prefix=PARALLEL

// The padding, the initialization and the activation are fused. A tile is the
// largest number of channels whose images fit into half of an L1 cache.

// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME:    %[[X:.+]]: tensor<1x96x40x40xf32>, %[[W:.+]]: tensor<96x3x3xf32>, %[[BIAS:.+]]: tensor<96xf32>)
// CHECK:         %[[C2:[a-z0-9]+]] = arith.constant 2 : index
// CHECK:         scf.for %[[C:[a-z0-9]+]] = %{{.+}} to %{{.+}} step %[[C2]]
// CHECK:           %[[SLICE:.+]] = tensor.extract_slice %[[X]][0, %[[C]], 0, 0] [1, 2, 40, 40]
// CHECK:           %[[PADDED:.+]] = tensor.pad %[[SLICE]] low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK:           %[[WEIGHTS:.+]] = tensor.extract_slice %[[W]][%[[C]], 0, 0] [2, 3, 3]
// CHECK:           %[[START:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<1x2x40x40xf32>)
// CHECK:           %[[SUM:.+]] = linalg.generic {{.+}} ins(%[[PADDED]], %[[WEIGHTS]] : {{.+}}) outs(%[[START]] :
// CHECK:           %[[Y:.+]] = linalg.generic {{.+}} ins(%[[SUM]] :
// CHECK:           tensor.insert_slice %[[Y]] into %{{.+}}[0, %[[C]], 0, 0] [1, 2, 40, 40]
// PARALLEL-LABEL: func.func @depthwise(
// PARALLEL:         scf.forall (%{{.+}}) = (0) to (96) step (2)

#image = affine_map<(n, c, y, x, r, s) -> (n, c, y + r, x + s)>
#window = affine_map<(n, c, y, x, r, s) -> (c, r, s)>
#result = affine_map<(n, c, y, x, r, s) -> (n, c, y, x)>
#channel = affine_map<(n, c, y, x) -> (c)>
#id = affine_map<(n, c, y, x) -> (n, c, y, x)>

func.func @depthwise(%x: tensor<1x96x40x40xf32>, %w: tensor<96x3x3xf32>, %bias: tensor<96xf32>) -> tensor<1x96x40x40xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x96x40x40xf32> to tensor<1x96x42x42xf32>
  %empty = tensor.empty() : tensor<1x96x40x40xf32>
  %start = linalg.generic {indexing_maps = [#channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<96xf32>) outs(%empty : tensor<1x96x40x40xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x96x40x40xf32>
  %sum = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<1x96x42x42xf32>, tensor<96x3x3xf32>) outs(%start : tensor<1x96x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = math.fma %a, %b, %out : f32
    linalg.yield %r : f32
  } -> tensor<1x96x40x40xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x96x40x40xf32>) outs(%empty : tensor<1x96x40x40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x96x40x40xf32>
  return %y : tensor<1x96x40x40xf32>
}

// -----

// Pooling without padding. The image of a channel is larger than a tile, and
// the batches are tiled as well.

// CHECK-LABEL: func.func @pooling(
// CHECK:         scf.for %[[N:[a-z0-9]+]] = 
// CHECK:           scf.for %[[C:[a-z0-9]+]] = 
// CHECK:             tensor.extract_slice %{{.+}}[%[[N]], %[[C]], 0, 0] [1, 1, 111, 111]
// CHECK:             linalg.generic {{.+}} ins(%{{.+}} : tensor<1x1x111x111xf32>, tensor<3x3xf32>)

#image = affine_map<(n, c, y, x, r, s) -> (n, c, y * 2 + r, x * 2 + s)>
#window = affine_map<(n, c, y, x, r, s) -> (r, s)>
#result = affine_map<(n, c, y, x, r, s) -> (n, c, y, x)>
#id = affine_map<(n, c, y, x) -> (n, c, y, x)>

func.func @pooling(%x: tensor<2x64x112x112xf32>) -> tensor<2x64x55x55xf32> {
  %low = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<2x64x55x55xf32>
  %start = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%empty : tensor<2x64x55x55xf32>) {
  ^bb0(%out: f32):
    linalg.yield %low : f32
  } -> tensor<2x64x55x55xf32>
  %y = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : tensor<2x64x112x112xf32>, tensor<3x3xf32>) outs(%start : tensor<2x64x55x55xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.maximumf %out, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x64x55x55xf32>
  return %y : tensor<2x64x55x55xf32>
}

// -----

// All channels of the image are accumulated.

// CHECK-LABEL: func.func @convolution(
// CHECK-NOT:     scf.for

#image = affine_map<(n, f, y, x, c, r, s) -> (n, c, y + r, x + s)>
#weights = affine_map<(n, f, y, x, c, r, s) -> (f, c, r, s)>
#result = affine_map<(n, f, y, x, c, r, s) -> (n, f, y, x)>

func.func @convolution(%x: tensor<1x96x42x42xf32>, %w: tensor<8x96x3x3xf32>, %start: tensor<1x8x40x40xf32>) -> tensor<1x8x40x40xf32> {
  %y = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x96x42x42xf32>, tensor<8x96x3x3xf32>) outs(%start : tensor<1x8x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = math.fma %a, %b, %out : f32
    linalg.yield %r : f32
  } -> tensor<1x8x40x40xf32>
  return %y : tensor<1x8x40x40xf32>
}

// -----

// The images fit into a cache.

// CHECK-LABEL: func.func @small(
// CHECK-NOT:     scf.for

#image = affine_map<(n, c, y, x, r, s) -> (n, c, y + r, x + s)>
#window = affine_map<(n, c, y, x, r, s) -> (r, s)>
#result = affine_map<(n, c, y, x, r, s) -> (n, c, y, x)>

func.func @small(%x: tensor<1x64x10x10xf32>, %window: tensor<3x3xf32>, %start: tensor<1x64x8x8xf32>) -> tensor<1x64x8x8xf32> {
  %y = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : tensor<1x64x10x10xf32>, tensor<3x3xf32>) outs(%start : tensor<1x64x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.maximumf %out, %a : f32
    linalg.yield %r : f32
  } -> tensor<1x64x8x8xf32>
  return %y : tensor<1x64x8x8xf32>
}

// -----

// The sizes are not known.

// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT:     scf.for

#image = affine_map<(n, c, y, x, r, s) -> (n, c, y + r, x + s)>
#window = affine_map<(n, c, y, x, r, s) -> (r, s)>
#result = affine_map<(n, c, y, x, r, s) -> (n, c, y, x)>

func.func @dynamic(%x: tensor<1x?x112x112xf32>, %window: tensor<3x3xf32>, %start: tensor<1x?x110x110xf32>) -> tensor<1x?x110x110xf32> {
  %y = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : tensor<1x?x112x112xf32>, tensor<3x3xf32>) outs(%start : tensor<1x?x110x110xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.maximumf %out, %a : f32
    linalg.yield %r : f32
  } -> tensor<1x?x110x110xf32>
  return %y : tensor<1x?x110x110xf32>
}
