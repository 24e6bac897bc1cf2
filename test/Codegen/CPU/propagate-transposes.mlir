// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-propagate-transposes,canonicalize))" | FileCheck %s

// The keys are scaled in their original layout, and the matmul reads them transposed.

// CHECK-DAG:   #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG:   #[[$ROWS:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:   #[[$KEYS:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @scores(
// CHECK-SAME:    %[[X:.+]]: tensor<1x64xf32>, %[[K:.+]]: tensor<?x64xf32>, %[[SCALE:.+]]: tensor<f32>,
// CHECK:         %[[N:.+]] = tensor.dim %[[K]], %c0
// CHECK:         %[[INIT:.+]] = tensor.empty(%[[N]]) : tensor<?x64xf32>
// CHECK:         %[[SCALED:.+]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$NONE]], #[[$ID]]]
// CHECK-SAME:      ins(%[[K]], %[[SCALE]] : {{.+}}) outs(%[[INIT]] : tensor<?x64xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[$ROWS]], #[[$KEYS]], #{{.+}}],
// CHECK-SAME:      ins(%[[X]], %[[SCALED]] : tensor<1x64xf32>, tensor<?x64xf32>)
#matrix = affine_map<(m, n, k) -> (m, k)>
#across = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(a, b) -> (a, b)>
#turned = affine_map<(a, b) -> (b, a)>
#none = affine_map<(a, b) -> ()>
func.func @scores(%x: tensor<1x64xf32>, %k: tensor<?x64xf32>, %scale: tensor<f32>, %zero: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %0 = arith.constant 0 : index
  %n = tensor.dim %k, %0 : tensor<?x64xf32>
  %empty = tensor.empty(%n) : tensor<64x?xf32>
  %t = linalg.generic {indexing_maps = [#turned, #none, #id], iterator_types = ["parallel", "parallel"]}
      ins(%k, %scale : tensor<?x64xf32>, tensor<f32>) outs(%empty : tensor<64x?xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %1 = arith.mulf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<64x?xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #across, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %t : tensor<1x64xf32>, tensor<64x?xf32>) outs(%zero : tensor<1x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

// A lone transpose is not propagated.

// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[X:.+]]: tensor<2x8xf32>, %[[W:.+]]: tensor<5x8xf32>
// CHECK-NOT:     tensor.empty
// CHECK:         linalg.generic {indexing_maps = [#[[$ROWS]], #[[$KEYS]], #{{.+}}],
// CHECK-SAME:      ins(%[[X]], %[[W]] : tensor<2x8xf32>, tensor<5x8xf32>)
func.func @transposed(%x: tensor<2x8xf32>, %w: tensor<5x8xf32>, %zero: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %empty = tensor.empty() : tensor<8x5xf32>
  %t = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<5x8xf32>) outs(%empty : tensor<8x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8x5xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #across, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %t : tensor<2x8xf32>, tensor<8x5xf32>) outs(%zero : tensor<2x5xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// A transpose with other users is kept, and so is one after which the rows would be strided in the
// reduction.

// CHECK-LABEL: func.func @kept(
// CHECK:         %[[T:.+]] = linalg.generic
// CHECK:         %[[U:.+]] = linalg.generic
// CHECK:         linalg.generic {{.+}} ins(%{{.+}}, %[[T]] :
// CHECK:         linalg.generic {{.+}} ins(%[[U]], %{{.+}} :
func.func @kept(%x: tensor<2x8xf32>, %w: tensor<5x8xf32>, %v: tensor<8x2xf32>, %r: tensor<8x5xf32>,
                %zero: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<8x5xf32>, tensor<2x5xf32>) {
  %empty = tensor.empty() : tensor<8x5xf32>
  %t = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<5x8xf32>) outs(%empty : tensor<8x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8x5xf32>
  %other = tensor.empty() : tensor<2x8xf32>
  %u = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<8x2xf32>) outs(%other : tensor<2x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<2x8xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #across, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %t : tensor<2x8xf32>, tensor<8x5xf32>) outs(%zero : tensor<2x5xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x5xf32>
  %z = linalg.generic {indexing_maps = [#matrix, #across, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%u, %r : tensor<2x8xf32>, tensor<8x5xf32>) outs(%zero : tensor<2x5xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x5xf32>
  return %y, %t, %z : tensor<2x5xf32>, tensor<8x5xf32>, tensor<2x5xf32>
}
