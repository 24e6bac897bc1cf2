// Quantization nodes that were kept because of unknown types become ops once
// the types are known.
// REQUIRES: networks
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg | FileCheck %s

// CHECK-LABEL: @unranked_scale
// CHECK: quant_float.quantize %{{.*}}, %{{.*}} opset 21 : tensor<4x3xf32>, tensor<f32> to tensor<4x3xui8>
// CHECK: quant_float.dequantize %{{.*}}, %{{.*}} axis 1 opset 21 : tensor<4x3xui8>, tensor<3xf32> to tensor<4x3xf32>
func.func @unranked_scale(%x: tensor<4x3xf32>, %a: tensor<f32>, %b: tensor<3xf32>) -> tensor<*xf32> {
  %s = quant_float.node "Mul"(%a, %a) opset 21 : (tensor<f32>, tensor<f32>) -> tensor<*xf32>
  %q = quant_float.node "QuantizeLinear"(%x, %s) opset 21 : (tensor<4x3xf32>, tensor<*xf32>) -> tensor<*xui8>
  %t = quant_float.node "Mul"(%b, %b) opset 21 : (tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  %r = quant_float.node "DequantizeLinear"(%q, %t) opset 21 : (tensor<*xui8>, tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// CHECK-LABEL: @every_op
// CHECK: quant_float.cast %{{.*}} opset 21 saturate false : tensor<4xf32> to tensor<4xf8E4M3FN>
// CHECK: quant_float.cast %{{.*}} like opset 21 : tensor<4xf8E4M3FN> to tensor<4xf32>
// CHECK: quant_float.quantize %{{.*}}, %{{.*}} opset 1 domain "com.microsoft" : tensor<4xf32>, tensor<f32> to tensor<4xui8>
func.func @every_op(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<*xui8> {
  %0 = quant_float.node "Abs"(%x) opset 21 : (tensor<4xf32>) -> !quant_float.unknown
  %1 = quant_float.node "Cast"(%0) opset 21 attributes {saturate = 0, to = 17} : (!quant_float.unknown) -> tensor<*xf8E4M3FN>
  %2 = quant_float.node "CastLike"(%1, %0) opset 21 : (tensor<*xf8E4M3FN>, !quant_float.unknown) -> !quant_float.unknown
  %3 = quant_float.node "QuantizeLinear"(%2, %s) opset 1 domain "com.microsoft" : (!quant_float.unknown, tensor<f32>) -> tensor<*xui8>
  return %3 : tensor<*xui8>
}
