// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-pad-into-destination))" --split-input-file | FileCheck %s

// The padded op is computed directly into the interior of the padded tensor.

#same = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i, 0)>
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf32>, %[[S:.+]]: tensor<4x1xf32>)
// CHECK:         %[[PAD:.+]] = arith.constant 5.000000e-01
// CHECK:         %[[EMPTY:.+]] = tensor.empty() : tensor<7x7xf32>
// CHECK:         %[[PADS:.+]] = linalg.fill ins(%[[PAD]] : f32) outs(%[[EMPTY]] :
// CHECK:         %[[SLICE:.+]] = tensor.extract_slice %[[PADS]][1, 0] [4, 6] [1, 1]
// CHECK:         %[[Y:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[S]] : {{.*}} outs(%[[SLICE]] :
// CHECK:         %[[Z:.+]] = tensor.insert_slice %[[Y]] into %[[PADS]][1, 0] [4, 6] [1, 1]
// CHECK-NOT:     tensor.pad
// CHECK:         return %[[Z]]
func.func @elementwise(%x: tensor<4x6xf32>, %s: tensor<4x1xf32>) -> tensor<7x7xf32> {
  %empty = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#same, #first, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x6xf32>, tensor<4x1xf32>) outs(%empty : tensor<4x6xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  %half = arith.constant 0.5 : f32
  %z = tensor.pad %y low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<4x6xf32> to tensor<7x7xf32>
  return %z : tensor<7x7xf32>
}

// -----

// No change: results with other uses, reductions, ops with initial values, computed padding,
// dynamic sizes, no elements, or packed elements.

#row = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (i)>
#each = affine_map<(i) -> (i)>
// CHECK-LABEL:    func.func @others(
// CHECK-COUNT-8:  tensor.pad
// CHECK-NOT:      tensor.insert_slice
// CHECK:          return
func.func @others(%x: tensor<4x6xf32>, %v: tensor<4xf32>, %u: tensor<?xf32>, %p: f32, %w: tensor<4xi4>, %n: tensor<0xf32>)
    -> (tensor<2xf32>, tensor<5xi4>, tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<?xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %twice = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%v : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %0 = tensor.pad %twice low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  %summed = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%v : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %2 = tensor.pad %summed low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  %more = linalg.generic {indexing_maps = [#each], iterator_types = ["parallel"]} outs(%v : tensor<4xf32>) {
  ^bb0(%out: f32):
    %3 = arith.negf %out : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  %4 = tensor.pad %more low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  %once = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%v : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.addf %in, %in : f32
    linalg.yield %5 : f32
  } -> tensor<4xf32>
  %6 = tensor.pad %once low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %p : f32
  } : tensor<4xf32> to tensor<5xf32>
  %c0 = arith.constant 0 : index
  %size = tensor.dim %u, %c0 : tensor<?xf32>
  %unknown = tensor.empty(%size) : tensor<?xf32>
  %open = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%u : tensor<?xf32>) outs(%unknown : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.negf %in : f32
    linalg.yield %7 : f32
  } -> tensor<?xf32>
  %8 = tensor.pad %open low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %9 = tensor.pad %v low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  %packed = tensor.empty() : tensor<4xi4>
  %flipped = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%w : tensor<4xi4>) outs(%packed : tensor<4xi4>) {
  ^bb0(%in: i4, %out: i4):
    %10 = arith.addi %in, %in : i4
    linalg.yield %10 : i4
  } -> tensor<4xi4>
  %padding = arith.constant 0 : i4
  %11 = tensor.pad %flipped low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %padding : i4
  } : tensor<4xi4> to tensor<5xi4>
  %nothing = tensor.empty() : tensor<0xf32>
  %none = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%n : tensor<0xf32>) outs(%nothing : tensor<0xf32>) {
  ^bb0(%in: f32, %out: f32):
    %12 = arith.negf %in : f32
    linalg.yield %12 : f32
  } -> tensor<0xf32>
  %13 = tensor.pad %none low[0] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<0xf32> to tensor<2xf32>
  return %13, %11, %twice, %0, %2, %4, %6, %8, %9 : tensor<2xf32>, tensor<5xi4>, tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<?xf32>, tensor<5xf32>
}

// -----

// Slices are inserted into the argument that holds the result.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xf32>, %[[Y:.+]]: tensor<?x3xf32>, %[[OUT:.+]]: memref<?x7xf32>
// CHECK:         %[[DEST:.+]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK:         %[[A:.+]] = tensor.insert_slice %[[X]] into %[[DEST]]
// CHECK:         %[[B:.+]] = tensor.insert_slice %[[Y]] into %[[A]]
// CHECK:         bufferization.materialize_in_destination %[[B]] in writable %[[OUT]]
func.func @slices(%x: tensor<?x4xf32>, %y: tensor<?x3xf32>, %out: memref<?x7xf32>, %n: index) {
  %empty = tensor.empty(%n) : tensor<?x7xf32>
  %a = tensor.insert_slice %x into %empty[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x7xf32>
  %b = tensor.insert_slice %y into %a[0, 4] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x7xf32>
  bufferization.materialize_in_destination %b in restrict writable %out : (tensor<?x7xf32>, memref<?x7xf32>) -> ()
  return
}

// -----

// The slices have another use, and the destination is not an empty tensor.
// CHECK-LABEL: func.func @used(
// CHECK-NOT:     bufferization.to_tensor
// CHECK:         return
func.func @used(%x: tensor<2x4xf32>, %y: tensor<2x7xf32>, %out: memref<2x7xf32>, %other: memref<2x7xf32>) -> tensor<2x7xf32> {
  %empty = tensor.empty() : tensor<2x7xf32>
  %a = tensor.insert_slice %x into %empty[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x7xf32>
  bufferization.materialize_in_destination %a in restrict writable %out : (tensor<2x7xf32>, memref<2x7xf32>) -> ()
  %b = tensor.insert_slice %x into %y[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x7xf32>
  bufferization.materialize_in_destination %b in restrict writable %other : (tensor<2x7xf32>, memref<2x7xf32>) -> ()
  return %a : tensor<2x7xf32>
}
