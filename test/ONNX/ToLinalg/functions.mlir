// Ops that ONNX defines by function bodies are expanded and lowered. Range is folded if its
// operands are constant.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg --canonicalize --mlir-print-debuginfo | FileCheck %s

// Ops of a body have the location of their node.
// CHECK: loc(callsite({{.+}} at

// CHECK-LABEL: func.func @layer_norm(
// CHECK-NOT: quant_float.node
// CHECK: linalg.generic
// CHECK: math.sqrt
// CHECK: return
func.func @layer_norm(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = quant_float.node "LayerNormalization"(%x, %s, %b) opset 17 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The reduced axes are a Range of constants.
// CHECK-LABEL: func.func @rms_norm(
// CHECK-NOT: quant_float.node
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: return
func.func @rms_norm(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = quant_float.node "RMSNormalization"(%x, %s) opset 23 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @known_range(
// CHECK-NEXT: %[[RANGE:.+]] = arith.constant dense<[7, 4, 1, -2]> : tensor<4xi64>
// CHECK-NEXT: return %[[RANGE]]
func.func @known_range() -> tensor<4xi64> {
  %start = arith.constant dense<7> : tensor<i64>
  %limit = arith.constant dense<-3> : tensor<i64>
  %delta = arith.constant dense<-3> : tensor<i64>
  %0 = quant_float.node "Range"(%start, %limit, %delta) opset 11 : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
