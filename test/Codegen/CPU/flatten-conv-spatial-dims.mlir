// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,quant-float-flatten-conv-spatial-dims,canonicalize,cse))" --split-input-file | FileCheck %s

// The padded rows of 8 elements form one flat row, with one more row that the last window reads
// beyond the image. Six of eight elements of each row are kept.

// CHECK-DAG:   #[[$IMAGE:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2 + d4 * 8 + d5)>
// CHECK-DAG:   #[[$WEIGHTS:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d3, d4, d5)>
// CHECK-DAG:   #[[$PLACES:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @conv(
// CHECK:         %[[PADDED:.+]] = tensor.pad %{{.+}} low[0, 0, 1, 1] high[0, 0, 2, 1]
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[PADDED]] {{.+}} : tensor<?x3x9x8xf32> into tensor<?x3x72xf32>
// CHECK:         %[[START:.+]] = linalg.generic {{.+}} ins(%arg2 : tensor<4xf32>) outs(%{{.+}} : tensor<?x4x48xf32>)
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[$IMAGE]], #[[$WEIGHTS]], #[[$PLACES]]],
// CHECK-SAME:      ins(%[[FLAT]], %arg1 : tensor<?x3x72xf32>, tensor<4x3x3x3xf32>) outs(%[[START]] : tensor<?x4x48xf32>)
// CHECK:         %[[ROWS:.+]] = tensor.expand_shape %[[SUMS]] {{.+}} into tensor<?x4x6x8xf32>
// CHECK:         tensor.extract_slice %[[ROWS]][0, 0, 0, 0] [%{{.+}}, 4, 6, 6] [1, 1, 1, 1] : tensor<?x4x6x8xf32> to tensor<?x4x6x6xf32>
func.func @conv(%x: tensor<?x3x6x6xf32>, %w: tensor<4x3x3x3xf32>, %bias: tensor<4xf32>) -> tensor<?x4x6x6xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3x6x6xf32>
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x3x6x6xf32> to tensor<?x3x8x8xf32>
  %empty = tensor.empty(%n) : tensor<?x4x6x6xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(n, m, y, x) -> (m)>, affine_map<(n, m, y, x) -> (n, m, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<4xf32>) outs(%empty : tensor<?x4x6x6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x4x6x6xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, m, y, x, c, r, s) -> (n, c, y + r, x + s)>,
                       affine_map<(n, m, y, x, c, r, s) -> (m, c, r, s)>,
                       affine_map<(n, m, y, x, c, r, s) -> (n, m, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%padded, %w : tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%start : tensor<?x4x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x4x6x6xf32>
  return %y : tensor<?x4x6x6xf32>
}

// -----

// With a stride of two, the even and the odd rows and columns are separate images. The last row and the last column are
// even and have no odd neighbor.

// CHECK-DAG:   #[[$SPLIT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3 * 2 + d1, d4 * 2 + d2)>
// CHECK-DAG:   #[[$COLUMN:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3 * 2 + d1, d4 * 2)>
// CHECK-DAG:   #[[$ROW:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3 * 2, d4 * 2 + d2)>
// CHECK-DAG:   #[[$IMAGE:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2 mod 2, d3 mod 2, d1 + (d2 floordiv 2) * 5 + d3 floordiv 2)>
// CHECK-LABEL: func.func @pool(
// CHECK:         %[[FILLED:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<3x2x2x6x5xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[$SPLIT]], {{.+}} ins(%{{.+}} : tensor<3x8x8xf32>)
// CHECK:         tensor.insert_slice %{{.+}} into %[[FILLED]][0, 0, 0, 0, 0] [3, 2, 2, 4, 4]
// CHECK:         linalg.generic {indexing_maps = [#[[$COLUMN]], {{.+}} ins(%{{.+}} : tensor<3x8x1xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[$ROW]], {{.+}} ins(%{{.+}} : tensor<3x1x8xf32>)
// CHECK:         %[[PHASES:.+]] = tensor.insert_slice %{{.+}} into %{{.+}}[0, 0, 0, 4, 4] [3, 1, 1, 1, 1]
// CHECK:         %[[FLAT:.+]] = tensor.collapse_shape %[[PHASES]] {{.+}} into tensor<3x2x2x30xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[$IMAGE]],
// CHECK-SAME:      ins(%[[FLAT]], %{{.+}} : tensor<3x2x2x30xf32>, tensor<3x3xf32>) outs(%{{.+}} : tensor<3x20xf32>)
// CHECK:         tensor.extract_slice %{{.+}} : tensor<3x4x5xf32> to tensor<3x4x4xf32>
func.func @pool(%x: tensor<3x9x9xf32>) -> tensor<3x4x4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<3x4x4xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(c, y, x) -> (c, y, x)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%empty : tensor<3x4x4xf32>) {
  ^bb0(%a: f32):
    linalg.yield %least : f32
  } -> tensor<3x4x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(c, y, x, r, s) -> (c, 2 * y + r, 2 * x + s)>,
                       affine_map<(c, y, x, r, s) -> (r, s)>, affine_map<(c, y, x, r, s) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : tensor<3x9x9xf32>, tensor<3x3xf32>) outs(%start : tensor<3x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %most: f32):
    %0 = arith.maximumf %a, %most : f32
    linalg.yield %0 : f32
  } -> tensor<3x4x4xf32>
  return %y : tensor<3x4x4xf32>
}

// -----

// Padding is added to the residues of the image. One row and one column of padding shift the residues of the window.

// CHECK-DAG:   #[[$SPLIT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3 * 2 + d1, d4 * 2 + d2)>
// CHECK-DAG:   #[[$IMAGE:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2 - ((d2 + 1) floordiv 2) * 2 + 1, d3 - ((d3 + 1) floordiv 2) * 2 + 1, d1 + ((d2 + 1) floordiv 2) * 5 + (d3 + 1) floordiv 2)>
// CHECK-LABEL: func.func @padded_pool(
// CHECK-NOT:     tensor.pad
// CHECK:         %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[FILLED:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<3x2x2x6x5xf32>)
// CHECK:           linalg.yield %[[LEAST]]
// CHECK:         %[[PART:.+]] = tensor.extract_slice %[[FILLED]][0, 0, 0, 1, 1] [3, 2, 2, 4, 4]
// CHECK:         linalg.generic {indexing_maps = [#[[$SPLIT]], {{.+}} ins(%arg0 : tensor<3x8x8xf32>) outs(%[[PART]] :
// CHECK:         linalg.generic {indexing_maps = [#[[$IMAGE]],
func.func @padded_pool(%x: tensor<3x8x8xf32>) -> tensor<3x4x4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %least : f32
  } : tensor<3x8x8xf32> to tensor<3x10x10xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %empty = tensor.empty() : tensor<3x4x4xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(c, y, x) -> (c, y, x)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%empty : tensor<3x4x4xf32>) {
  ^bb0(%a: f32):
    linalg.yield %least : f32
  } -> tensor<3x4x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(c, y, x, r, s) -> (c, 2 * y + r, 2 * x + s)>,
                       affine_map<(c, y, x, r, s) -> (r, s)>, affine_map<(c, y, x, r, s) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %window : tensor<3x10x10xf32>, tensor<3x3xf32>) outs(%start : tensor<3x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %most: f32):
    %0 = arith.maximumf %a, %most : f32
    linalg.yield %0 : f32
  } -> tensor<3x4x4xf32>
  return %y : tensor<3x4x4xf32>
}

// -----

// One residue suffices for windows of one element with a stride.

// CHECK-LABEL: func.func @every_other(
// CHECK-NOT:     tensor.pad
// CHECK:         tensor.collapse_shape %{{.+}} : tensor<8x1x1x3x3xf32> into tensor<8x1x1x9xf32>
// CHECK:         linalg.generic {{.+}} outs(%{{.+}} : tensor<4x9xf32>)
func.func @every_other(%x: tensor<8x6x6xf32>, %w: tensor<4x8x1x1xf32>) -> tensor<4x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x3x3xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(m, y, x) -> (m, y, x)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%empty : tensor<4x3x3xf32>) {
  ^bb0(%a: f32):
    linalg.yield %zero : f32
  } -> tensor<4x3x3xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, y, x, c, r, s) -> (c, 2 * y + r, 2 * x + s)>,
                       affine_map<(m, y, x, c, r, s) -> (m, c, r, s)>, affine_map<(m, y, x, c, r, s) -> (m, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x6x6xf32>, tensor<4x8x1x1xf32>) outs(%start : tensor<4x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x3x3xf32>
  return %y : tensor<4x3x3xf32>
}

// -----

// No flattening: windows that would waste half of a row, dynamic sizes, and a single row.

// CHECK-LABEL: func.func @unchanged(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @unchanged(%short: tensor<3x11x9xf32>, %open: tensor<3x?x?xf32>, %single: tensor<3x3x9xf32>,
                     %window: tensor<3x6xf32>, %any: tensor<3x3xf32>)
    -> (tensor<3x9x4xf32>, tensor<3x?x?xf32>, tensor<3x1x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = tensor.dim %open, %c1 : tensor<3x?x?xf32>
  %w = tensor.dim %open, %c2 : tensor<3x?x?xf32>
  %e0 = tensor.empty() : tensor<3x9x4xf32>
  %e1 = tensor.empty(%h, %w) : tensor<3x?x?xf32>
  %e2 = tensor.empty() : tensor<3x1x7xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<3x9x4xf32>) -> tensor<3x9x4xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
  %s2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x1x7xf32>) -> tensor<3x1x7xf32>
  %y0 = linalg.generic {
      indexing_maps = [affine_map<(c, y, x, r, s) -> (c, y + r, x + s)>, affine_map<(c, y, x, r, s) -> (r, s)>,
                       affine_map<(c, y, x, r, s) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%short, %window : tensor<3x11x9xf32>, tensor<3x6xf32>) outs(%s0 : tensor<3x9x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.addf %a, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<3x9x4xf32>
  %y1 = linalg.generic {
      indexing_maps = [affine_map<(c, y, x, r, s) -> (c, y + r, x + s)>, affine_map<(c, y, x, r, s) -> (r, s)>,
                       affine_map<(c, y, x, r, s) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%open, %any : tensor<3x?x?xf32>, tensor<3x3xf32>) outs(%s1 : tensor<3x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.addf %a, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<3x?x?xf32>
  %y2 = linalg.generic {
      indexing_maps = [affine_map<(c, y, x, r, s) -> (c, y + r, x + s)>, affine_map<(c, y, x, r, s) -> (r, s)>,
                       affine_map<(c, y, x, r, s) -> (c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%single, %any : tensor<3x3x9xf32>, tensor<3x3xf32>) outs(%s2 : tensor<3x1x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.addf %a, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<3x1x7xf32>
  return %y0, %y1, %y2 : tensor<3x9x4xf32>, tensor<3x?x?xf32>, tensor<3x1x7xf32>
}

// -----

// With dynamic sizes, only the residues of the strides are split.

// CHECK-DAG:   #[[$HALF:.+]] = affine_map<()[s0] -> (s0 ceildiv 2)>
// CHECK-DAG:   #[[$SPLIT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3 * 2 + d1, d4 * 2 + d2)>
// CHECK-DAG:   #[[$WINDOW:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4 mod 2, d5 mod 2, d1 + d4 floordiv 2, d2 + d5 floordiv 2)>
// CHECK-LABEL: func.func @residues_of_dynamic_sizes(
// CHECK:         %[[ROWS:.+]] = affine.apply #[[$HALF]]()[%{{.+}}]
// CHECK:         %[[COLUMNS:.+]] = affine.apply #[[$HALF]]()[%{{.+}}]
// CHECK:         %[[LARGER:.+]] = tensor.pad %arg0 low[0, 0, 0] high[0, 1, 1]
// CHECK:         %[[EMPTY:.+]] = tensor.empty(%[[ROWS]], %[[COLUMNS]]) : tensor<3x2x2x?x?xf32>
// CHECK:         %[[PHASES:.+]] = linalg.generic {indexing_maps = [#[[$SPLIT]], {{.+}} ins(%[[LARGER]] : {{.+}}) outs(%[[EMPTY]]
// CHECK:         linalg.generic {indexing_maps = [#[[$WINDOW]], {{.+}} ins(%[[PHASES]], %arg1
func.func @residues_of_dynamic_sizes(%x: tensor<3x?x?xf32>, %w: tensor<8x3x3x3xf32>, %h: index, %v: index) -> tensor<8x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%h, %v) : tensor<8x?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(o, r, c, i, y, x) -> (i, r * 2 + y, c * 2 + x)>,
                       affine_map<(o, r, c, i, y, x) -> (o, i, y, x)>,
                       affine_map<(o, r, c, i, y, x) -> (o, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<3x?x?xf32>, tensor<8x3x3x3xf32>) outs(%init : tensor<8x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x?x?xf32>
  return %sum : tensor<8x?x?xf32>
}
