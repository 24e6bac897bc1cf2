// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-hoist-operand-upcasts))" | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Each element is cast once: both operands have many rows and columns.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.+]]: tensor<16x?xf16>, %[[B:.+]]: tensor<?x32xf16>, %[[C:.+]]: tensor<16x32xf32>)
// CHECK:         %[[WIDE_A:.+]] = linalg.generic {{.*}} ins(%[[A]] : tensor<16x?xf16>) outs(%{{.+}} : tensor<16x?xf32>)
// CHECK:           quant_float.cast
// CHECK:         %[[WIDE_B:.+]] = linalg.generic {{.*}} ins(%[[B]] : tensor<?x32xf16>) outs(%{{.+}} : tensor<?x32xf32>)
// CHECK:           quant_float.cast
// CHECK:         linalg.generic {{.*}} ins(%[[WIDE_A]], %[[WIDE_B]] : tensor<16x?xf32>, tensor<?x32xf32>) outs(%[[C]]
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %[[SUM:.+]]: f32):
// CHECK-NEXT:      %[[PRODUCT:.+]] = arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT:      arith.addf %[[SUM]], %[[PRODUCT]]
func.func @matmul(%a: tensor<16x?xf16>, %b: tensor<?x32xf16>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x?xf16>, tensor<?x32xf16>) outs(%c : tensor<16x32xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %1 = quant_float.cast %x opset 28 : f16 to f32
    %2 = quant_float.cast %y opset 28 : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// Operands that few vectors read are cast in the contraction, and so are operands that vectors read
// along a dynamic dimension, and addends.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @others(%a: tensor<?x8xf16>, %b: tensor<8x4xf16>, %c: tensor<?x4xf32>, %s: tensor<8x16xf16>, %t: tensor<16xf32>)
    -> (tensor<?x4xf32>, tensor<16xf32>) {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x8xf16>, tensor<8x4xf16>) outs(%c : tensor<?x4xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %1 = quant_float.cast %x opset 28 : f16 to f32
    %2 = quant_float.cast %y opset 28 : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<8x16xf16>) outs(%t : tensor<16xf32>) {
  ^bb0(%x: f16, %sum: f32):
    %6 = quant_float.cast %x opset 28 : f16 to f32
    %7 = arith.addf %sum, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<16xf32>
  return %0, %5 : tensor<?x4xf32>, tensor<16xf32>
}

// With vectors along a dynamic dimension, all lanes share one element of the weights. A separate op
// casts the weights, even though there may be only one column at run time.

#w = affine_map<(f, x, k) -> (f, k)>
#i = affine_map<(f, x, k) -> (k, x)>
#o = affine_map<(f, x, k) -> (f, x)>

// CHECK-LABEL: func.func @dynamic_columns(
// CHECK-SAME:    %[[W:.+]]: tensor<2x8xf16>, %[[X:.+]]: tensor<8x?xf16>,
// CHECK:         %[[WIDE:.+]] = linalg.generic {{.*}} ins(%[[W]] : tensor<2x8xf16>) outs(%{{.+}} : tensor<2x8xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[WIDE]], %[[X]] : tensor<2x8xf32>, tensor<8x?xf16>)
func.func @dynamic_columns(%w: tensor<2x8xf16>, %x: tensor<8x?xf16>, %c: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = linalg.generic {indexing_maps = [#w, #i, #o], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<2x8xf16>, tensor<8x?xf16>) outs(%c : tensor<2x?xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %1 = quant_float.cast %a opset 28 : f16 to f32
    %2 = quant_float.cast %b opset 28 : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
