// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-elementwise))" | FileCheck %s

// Weights of a file have a dimension for the elements of a block. The matrix is
// decoded without it.

// CHECK-DAG:   #[[$MATRIX:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[$BLOCK:.+]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-DAG:   #[[$GROUP:.+]] = affine_map<(d0, d1) -> (d0, d1 floordiv 256)>
// CHECK-LABEL: func.func @decode_matrix(
// CHECK-SAME:    %[[WEIGHTS:.+]]: tensor<16x16x32xi4>, %[[SCALES:.+]]: tensor<16x16x1xf32>, %[[FACTOR:.+]]: tensor<16x2x1xf16>
// CHECK-DAG:     %[[Q:.+]] = tensor.collapse_shape %[[WEIGHTS]] {{\[}}[0], [1, 2]] : tensor<16x16x32xi4> into tensor<16x512xi4>
// CHECK-DAG:     %[[S:.+]] = tensor.collapse_shape %[[SCALES]] {{\[}}[0], [1, 2]] : tensor<16x16x1xf32> into tensor<16x16xf32>
// CHECK-DAG:     %[[F:.+]] = tensor.collapse_shape %[[FACTOR]] {{\[}}[0], [1, 2]] : tensor<16x2x1xf16> into tensor<16x2xf16>
// CHECK:         %[[Y:.+]] = linalg.generic {indexing_maps = [#[[$MATRIX]], #[[$BLOCK]], #[[$GROUP]], #[[$MATRIX]]]
// CHECK-SAME:      ins(%[[Q]], %[[S]], %[[F]]
// CHECK:         return %[[Y]] : tensor<16x512xf32>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#groups = affine_map<(d0, d1, d2) -> (d0, d1 floordiv 8, 0)>
func.func @decode_matrix(%q: tensor<16x16x32xi4>, %s: tensor<16x16x1xf32>, %factor: tensor<16x2x1xf16>) -> tensor<16x512xf32> {
  %e = tensor.empty() : tensor<16x16x32xf32>
  %d = linalg.generic {indexing_maps = [#all, #blocks, #groups, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %s, %factor : tensor<16x16x32xi4>, tensor<16x16x1xf32>, tensor<16x2x1xf16>) outs(%e : tensor<16x16x32xf32>) {
  ^bb0(%code: i4, %scale: f32, %f: f16, %out: f32):
    %0 = arith.sitofp %code : i4 to f32
    %1 = quant_float.cast %f opset 28 : f16 to f32
    %2 = arith.mulf %scale, %1 : f32
    %3 = arith.mulf %0, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<16x16x32xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2]] : tensor<16x16x32xf32> into tensor<16x512xf32>
  return %y : tensor<16x512xf32>
}

// An operand that varies in a block, and activations, keep the reshape.
// CHECK-LABEL: func.func @varies_in_block(
// CHECK:         tensor.collapse_shape {{.*}} : tensor<16x16x32xf32> into tensor<16x512xf32>
#elements = affine_map<(d0, d1, d2) -> (d2)>
func.func @varies_in_block(%q: tensor<16x16x32xi4>, %s: tensor<32xf32>) -> tensor<16x512xf32> {
  %e = tensor.empty() : tensor<16x16x32xf32>
  %d = linalg.generic {indexing_maps = [#all, #elements, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %s : tensor<16x16x32xi4>, tensor<32xf32>) outs(%e : tensor<16x16x32xf32>) {
  ^bb0(%code: i4, %scale: f32, %out: f32):
    %0 = arith.sitofp %code : i4 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<16x16x32xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2]] : tensor<16x16x32xf32> into tensor<16x512xf32>
  return %y : tensor<16x512xf32>
}

// CHECK-LABEL: func.func @activations(
// CHECK:         tensor.collapse_shape {{.*}} : tensor<16x16x32xf32> into tensor<16x512xf32>
func.func @activations(%x: tensor<16x16x32xf32>) -> tensor<16x512xf32> {
  %e = tensor.empty() : tensor<16x16x32xf32>
  %d = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<16x16x32xf32>) outs(%e : tensor<16x16x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<16x16x32xf32>
  %y = tensor.collapse_shape %d [[0], [1, 2]] : tensor<16x16x32xf32> into tensor<16x512xf32>
  return %y : tensor<16x512xf32>
}
