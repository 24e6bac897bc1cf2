// The target reference names the node that it does not support.
// RUN: not quant-float-run %s --target reference --random 1 2>&1 | FileCheck %s
// CHECK: error: target 'reference': expected only casts, quantizations, fakeconverts and constants, but got the node 'act' (Relu)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf8E5M2> {
  %0 = quant_float.node "Relu"(%x) opset 21 name "act" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = quant_float.cast %0 opset 21 : tensor<4xf32> to tensor<4xf8E5M2>
  return %1 : tensor<4xf8E5M2>
}
