// RUN: quant-float-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(quant-float-commute-pad-and-dequantize))" | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @columns
// CHECK-SAME: (%[[X:.+]]: tensor<4x?xf8E4M3FN>, %[[S:.+]]: tensor<4xf32>
func.func @columns(%x: tensor<4x?xf8E4M3FN>, %s: tensor<4xf32>, %n: index) -> tensor<4x?xf32> {
  // CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f8E4M3FN
  // CHECK: %[[PADDED:.+]] = tensor.pad %[[X]] low[0, 1] high[0, 2]
  // CHECK: tensor.yield %[[ZERO]]
  // CHECK: } : tensor<4x?xf8E4M3FN> to tensor<4x?xf8E4M3FN>
  // CHECK: %[[SIZE:.+]] = tensor.dim %[[PADDED]]
  // CHECK: %[[EMPTY:.+]] = tensor.empty(%[[SIZE]]) : tensor<4x?xf32>
  // CHECK: %[[VALUES:.+]] = linalg.generic
  // CHECK-SAME: ins(%[[PADDED]], %[[S]] : {{.*}}) outs(%[[EMPTY]] :
  // CHECK: return %[[VALUES]]
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<4x?xf32>
  %values = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x?xf8E4M3FN>, tensor<4xf32>) outs(%empty : tensor<4x?xf32>) {
  ^bb0(%q: f8E4M3FN, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 19 : f8E4M3FN to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<4x?xf32>
  %padded = tensor.pad %values low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x?xf32> to tensor<4x?xf32>
  return %padded : tensor<4x?xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Not commuted: scales that vary along the padded dimension, padding values
// other than zero, and types that cannot represent zero.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: tensor.pad {{.*}} low
// CHECK-NOT: to tensor<{{.*}}f8
// CHECK: return
func.func @others(%x: tensor<4x5xf8E5M2>, %s: tensor<4xf32>, %one: f32) -> (tensor<6x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x5xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x5xf8E5M2>, tensor<4xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%q: f8E5M2, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 19 : f8E5M2 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  %rows = tensor.pad %scaled low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x5xf32> to tensor<6x5xf32>
  %values = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf8E5M2>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%q: f8E5M2, %out: f32):
    %0 = quant_float.cast %q opset 19 : f8E5M2 to f32
    linalg.yield %0 : f32
  } -> tensor<4x5xf32>
  %ones = tensor.pad %values low[0, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<4x5xf32> to tensor<4x6xf32>
  %shifted = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x5xf8E5M2>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%q: f8E5M2, %out: f32):
    %0 = quant_float.cast %q opset 19 : f8E5M2 to f32
    %1 = arith.addf %0, %one : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  %zeros = tensor.pad %shifted low[0, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x5xf32> to tensor<4x6xf32>
  return %rows, %ones, %zeros : tensor<6x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
