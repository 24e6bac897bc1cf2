// Nodes may determine a function's result types more precisely than its signature, which is refined
// unless the function has callers.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg | FileCheck %s
// RUN: quant-float-opt %S/Inputs/unknown-call.mlir --convert-onnx-nodes-to-linalg -verify-diagnostics

// CHECK-LABEL: func.func @without_callers
// CHECK-SAME: -> tensor<3x2xf32>
func.func @without_callers(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %0 = quant_float.node "Transpose"(%x) opset 13 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func private @called
// CHECK-SAME: -> tensor<?x?xf32>
// CHECK: %[[T:.+]] = tensor.cast %{{.+}} : tensor<3x2xf32> to tensor<?x?xf32>
// CHECK: return %[[T]] : tensor<?x?xf32>
func.func private @called(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %0 = quant_float.node "Transpose"(%x) opset 13 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK: call @called(%{{.+}}) : (tensor<2x3xf32>) -> tensor<?x?xf32>
func.func @caller(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %0 = call @called(%x) : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @two_returns
// CHECK-SAME: -> tensor<?x?xf32>
// CHECK: tensor.cast %{{.+}} : tensor<3x2xf32> to tensor<?x?xf32>
// CHECK: tensor.cast %{{.+}} : tensor<2x3xf32> to tensor<?x?xf32>
func.func @two_returns(%x: tensor<2x3xf32>, %c: i1) -> tensor<?x?xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %0 = quant_float.node "Transpose"(%x) opset 13 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
^b:
  %1 = quant_float.node "Neg"(%x) opset 13 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
