// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-elementwise))" | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#vector = affine_map<(d0) -> (d0)>

// A chain becomes one op. One of its ops is a named op, and another one reads a
// transposed operand.

// CHECK-LABEL: func.func @chain(
// CHECK:         linalg.generic
// CHECK:           arith.negf
// CHECK:           math.exp
// CHECK:           arith.negf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @chain(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.map { arith.negf } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %1 = linalg.map { math.exp } ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %f = tensor.empty() : tensor<8x4xf32>
  %2 = linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// A reduction that reads each element once is fused with its producer.

// CHECK-LABEL: func.func @reduced(
// CHECK-NOT:     linalg.map
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           math.exp
// CHECK:           arith.addf
func.func @reduced(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.map { math.exp } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// No fusion: a broadcast would compute its operand again for each row, and a
// matmul for each element of its other operand.

// CHECK-LABEL: func.func @broadcast(
// CHECK-COUNT-2: linalg.generic
func.func @broadcast(%x: tensor<4x8xf32>, %bias: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.map { math.exp } ins(%bias : tensor<4xf32>) outs(%e : tensor<4xf32>)
  %f = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x8xf32>, tensor<4xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @matmul(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
func.func @matmul(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<8x2xf32>
  %0 = linalg.map { math.exp } ins(%w : tensor<8x2xf32>) outs(%e : tensor<8x2xf32>)
  %1 = linalg.matmul ins(%x, %0 : tensor<4x8xf32>, tensor<8x2xf32>) outs(%init : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// Bufferization does not support tensor.concat.

// CHECK-LABEL: func.func @concat(
// CHECK-COUNT-2: tensor.insert_slice
// CHECK-NOT:     tensor.concat
func.func @concat(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>) -> tensor<4x10xf32> {
  %0 = tensor.concat dim(1) %x, %y : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// Nested blocks become one loop over the smaller ones. Blocks of 32 and 12
// would need a loop over pieces of 4 elements.

// CHECK-LABEL: func.func @blocks(
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @blocks(%x: tensor<96xf32>, %s: tensor<3xf32>, %t: tensor<6xf32>) -> tensor<96xf32> {
  %e = tensor.empty() : tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [#vector, affine_map<(d0) -> (d0 floordiv 32)>, #vector], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<96xf32>, tensor<3xf32>) outs(%e : tensor<96xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<96xf32>
  %1 = linalg.generic {indexing_maps = [#vector, affine_map<(d0) -> (d0 floordiv 16)>, #vector], iterator_types = ["parallel"]}
      ins(%0, %t : tensor<96xf32>, tensor<6xf32>) outs(%e : tensor<96xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<96xf32>
  return %1 : tensor<96xf32>
}

// CHECK-LABEL: func.func @crossing_blocks(
// CHECK-COUNT-2: linalg.generic
func.func @crossing_blocks(%x: tensor<4x96xf32>, %s: tensor<4x3xf32>, %t: tensor<8x4xf32>) -> tensor<96x4xf32> {
  %e = tensor.empty() : tensor<4x96xf32>
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, d1 floordiv 32)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x96xf32>, tensor<4x3xf32>) outs(%e : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x96xf32>
  %f = tensor.empty() : tensor<96x4xf32>
  %1 = linalg.generic {indexing_maps = [#transposed, affine_map<(d0, d1) -> (d0 floordiv 12, d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %t : tensor<4x96xf32>, tensor<8x4xf32>) outs(%f : tensor<96x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<96x4xf32>
  return %1 : tensor<96x4xf32>
}

// Blocks along different dimensions do not conflict.

// CHECK-LABEL: func.func @blocks_of_two_axes(
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @blocks_of_two_axes(%x: tensor<12x96xf32>, %s: tensor<12x3xf32>, %t: tensor<1x96xf32>) -> tensor<12x96xf32> {
  %e = tensor.empty() : tensor<12x96xf32>
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, d1 floordiv 32)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<12x96xf32>, tensor<12x3xf32>) outs(%e : tensor<12x96xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<12x96xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0 floordiv 12, d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %t : tensor<12x96xf32>, tensor<1x96xf32>) outs(%e : tensor<12x96xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<12x96xf32>
  return %1 : tensor<12x96xf32>
}

// A size that folds to a constant: the rewriting terminates.

// CHECK-LABEL: func.func @constant_size(
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
func.func @constant_size() -> tensor<?xf32> {
  %size = arith.constant 10 : index
  %e = tensor.empty(%size) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#vector], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A gather decodes the rows that it reads. No buffer holds the entire decoded
// table.

// CHECK-LABEL: func.func @gather_rows(
// CHECK-SAME:    %[[X:.+]]: tensor<24xi64>, %[[W:.+]]: tensor<1000x64xi8>, %[[S:.+]]: tensor<1000x2xf32>)
// CHECK-NOT:     outs(%{{.+}} : tensor<1000x64xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<24xi64>)
// CHECK:           %[[ROW:.+]] = arith.index_cast
// CHECK:           %[[COLUMN:.+]] = linalg.index 1
// CHECK-DAG:       %[[Q:.+]] = tensor.extract %[[W]][%[[ROW]], %[[COLUMN]]]
// CHECK-DAG:       %[[BLOCK:.+]] = arith.divui %[[COLUMN]], %c32
// CHECK-DAG:       %[[SCALE:.+]] = tensor.extract %[[S]][%[[ROW]], %[[BLOCK]]]
// CHECK:           %[[FLOAT:.+]] = quant_float.cast %[[Q]]
// CHECK:           arith.mulf %[[FLOAT]], %[[SCALE]]
// CHECK-LABEL: func.func @gather_many(
// CHECK:         linalg.generic {{.*}} ins(%{{.+}} : tensor<10x64xi8>)
// CHECK:         linalg.generic {{.*}} ins(%{{.+}} : tensor<24xi64>)
#rows = affine_map<(d0, d1) -> (d0, d1)>
func.func @gather_rows(%x: tensor<24xi64>, %w: tensor<1000x64xi8>, %s: tensor<1000x2xf32>) -> tensor<24x64xf32> {
  %e = tensor.empty() : tensor<1000x64xf32>
  %t = linalg.generic {indexing_maps = [#rows, affine_map<(d0, d1) -> (d0, d1 floordiv 32)>, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<1000x64xi8>, tensor<1000x2xf32>) outs(%e : tensor<1000x64xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<1000x64xf32>
  %ey = tensor.empty() : tensor<24x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<24xi64>) outs(%ey : tensor<24x64xf32>) {
  ^bb0(%index: i64, %out: f32):
    %0 = arith.index_cast %index : i64 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %t[%0, %1] : tensor<1000x64xf32>
    linalg.yield %2 : f32
  } -> tensor<24x64xf32>
  return %y : tensor<24x64xf32>
}

// More elements are read than the table has.
func.func @gather_many(%x: tensor<24xi64>, %w: tensor<10x64xi8>) -> tensor<24x64xf32> {
  %e = tensor.empty() : tensor<10x64xf32>
  %t = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<10x64xi8>) outs(%e : tensor<10x64xf32>) {
  ^bb0(%q: i8, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<10x64xf32>
  %ey = tensor.empty() : tensor<24x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<24xi64>) outs(%ey : tensor<24x64xf32>) {
  ^bb0(%index: i64, %out: f32):
    %0 = arith.index_cast %index : i64 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %t[%0, %1] : tensor<10x64xf32>
    linalg.yield %2 : f32
  } -> tensor<24x64xf32>
  return %y : tensor<24x64xf32>
}
