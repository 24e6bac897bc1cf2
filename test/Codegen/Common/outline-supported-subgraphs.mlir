// RUN: quant-float-opt %s -split-input-file --quant-float-outline-supported-subgraphs | FileCheck %s
// RUN: not quant-float-opt %S/Inputs/no-subgraph.mlir --quant-float-outline-supported-subgraphs 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: no subgraph to outline: expected at least one supported quantization op

// Two subgraphs around an unknown node. The dequantization of %w belongs to the second one, where
// its result is used. Constants are repeated.

// CHECK-LABEL: func.func @net_subgraph_0(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32> {quant_float.name = "x"})
// CHECK-SAME:    -> (tensor<4xf8E4M3FN> {quant_float.name = "q0"})
// CHECK-SAME:    quant_float.graph_name = "net"
// CHECK:         %[[SCALE:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         %[[Q:.+]] = quant_float.quantize %[[X]], %[[SCALE]]
// CHECK:         return %[[Q]]

// CHECK-LABEL: func.func @net_subgraph_1(
// CHECK-SAME:    %[[W:.+]]: tensor<4xf8E4M3FN> {quant_float.name = "w"},
// CHECK-SAME:    %[[SORTED:.+]]: tensor<4xf8E4M3FN> {quant_float.name = "sort"})
// CHECK-SAME:    -> (tensor<4xf32> {quant_float.name = "y"})
// CHECK:         %[[SCALE:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         quant_float.dequantize %[[W]], %[[SCALE]]
// CHECK:         quant_float.dequantize %[[SORTED]], %[[SCALE]]
// CHECK:         linalg.map
// CHECK-NOT:     func.func @net(
func.func @net(%x: tensor<4xf32> {quant_float.name = "x"}, %w: tensor<4xf8E4M3FN> {quant_float.name = "w"})
    -> (tensor<4xf32> {quant_float.name = "y"}) attributes {quant_float.graph_name = "net"} {
  %s = arith.constant dense<0.5> : tensor<f32>
  %q = quant_float.quantize %x, %s opset 21 : tensor<4xf32>, tensor<f32> to tensor<4xf8E4M3FN> loc("q0")
  %d = quant_float.dequantize %w, %s opset 19 : tensor<4xf8E4M3FN>, tensor<f32> to tensor<4xf32>
  %u = quant_float.node "Sort"(%q) opset 19 : (tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> loc("sort")
  %v = quant_float.dequantize %u, %s opset 19 : tensor<4xf8E4M3FN>, tensor<f32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map { arith.addf } ins(%v, %d : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  return %y : tensor<4xf32>
}

// -----

// Subgraphs are convex: %a reaches the last op directly and through the node, so there are two
// subgraphs. Groups without a quantization op and unranked values are not outlined.

// CHECK-LABEL: func.func @around_subgraph_0(
// CHECK:         quant_float.cast
// CHECK-NOT:     linalg
// CHECK:         return
// CHECK-NOT:   func.func @around
func.func @around(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<*xf16>) {
  %a = quant_float.cast %x opset 19 : tensor<4xf32> to tensor<4xf16>
  %u = quant_float.node "Sort"(%a) opset 19 : (tensor<4xf16>) -> tensor<4xf16>
  %e = tensor.empty() : tensor<4xf16>
  %y = linalg.map { arith.addf } ins(%u, %a : tensor<4xf16>, tensor<4xf16>) outs(%e : tensor<4xf16>)
  %n = quant_float.node "NonZero"(%y) opset 19 : (tensor<4xf16>) -> tensor<*xi64>
  %z = quant_float.cast %n opset 19 : tensor<*xi64> to tensor<*xf16>
  return %y, %z : tensor<4xf16>, tensor<*xf16>
}

// -----

// A fakeconvert alone makes a subgraph.

// CHECK-LABEL: func.func @fake_subgraph_0(
// CHECK:         quant_float.fakeconvert
// CHECK-NOT:     quant_float.node
func.func @fake(%x: tensor<4xf32> {quant_float.name = "x"}, %s: tensor<1xf32> {quant_float.name = "s"})
    -> (tensor<4xf32> {quant_float.name = "y"}) attributes {quant_float.graph_name = "fake"} {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<4xf32>, tensor<1xf32> to tensor<4xf32>
  %1 = quant_float.node "Sort"(%0) opset 19 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
