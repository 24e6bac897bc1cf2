// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-sink-quantize-through-concat))" | FileCheck %s

// Quantized values are concatenated, also those of a nested Concat.

// CHECK-LABEL: func.func @joined(
// CHECK-SAME:    %[[A:.+]]: tensor<1x2xf32>, %[[B:.+]]: tensor<1x3xf32>, %[[C:.+]]: tensor<?x1xf32>)
// CHECK:         %[[QA:.+]] = quant_float.quantize %[[A]], %{{.+}} to tensor<1x2xui8>
// CHECK:         %[[QB:.+]] = quant_float.quantize %[[B]], %{{.+}} to tensor<1x3xui8>
// CHECK:         %[[AB:.+]] = quant_float.node "Concat"(%[[QA]], %[[QB]]) opset 13 attributes {axis = 1 : si64} : (tensor<1x2xui8>, tensor<1x3xui8>) -> tensor<1x5xui8>
// CHECK:         %[[QC:.+]] = quant_float.quantize %[[C]], %{{.+}} : tensor<?x1xf32>, tensor<f32>, tensor<ui8> to tensor<?x1xui8>
// CHECK:         %[[ALL:.+]] = quant_float.node "Concat"(%[[AB]], %[[QC]]) {{.*}} -> tensor<1x6xui8>
// CHECK-NEXT:    return %[[ALL]]
func.func @joined(%a: tensor<1x2xf32>, %b: tensor<1x3xf32>, %c: tensor<?x1xf32>) -> tensor<1x6xui8> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = quant_float.constant dense<3> : tensor<ui8>
  %0 = quant_float.node "Concat"(%a, %b) opset 13 attributes {axis = 1 : si64} : (tensor<1x2xf32>, tensor<1x3xf32>) -> tensor<1x5xf32>
  %1 = quant_float.node "Concat"(%0, %c) opset 13 attributes {axis = 1 : si64} : (tensor<1x5xf32>, tensor<?x1xf32>) -> tensor<1x6xf32>
  %2 = quant_float.quantize %1, %s, %z opset 13 : tensor<1x6xf32>, tensor<f32>, tensor<ui8> to tensor<1x6xui8>
  return %2 : tensor<1x6xui8>
}

// Not matched: floats with other users, scales along an axis, 16-bit types, and a Concat that does
// not support 8-bit types.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: quant_float.quantize %{{.+}} : tensor<2x2xf32>
// CHECK-NOT:     quant_float.quantize
func.func @others(%a: tensor<1x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi16>, tensor<2x2xi8>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  %t = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %z = arith.constant dense<3> : tensor<i8>
  %0 = quant_float.node "Concat"(%a, %a) opset 13 attributes {axis = 0 : si64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %q0 = quant_float.quantize %0, %s, %z opset 13 : tensor<2x2xf32>, tensor<f32>, tensor<i8> to tensor<2x2xi8>
  %1 = quant_float.node "Concat"(%a, %a) opset 13 attributes {axis = 0 : si64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %q1 = quant_float.quantize %1, %t axis 1 opset 21 : tensor<2x2xf32>, tensor<2xf32> to tensor<2x2xi8>
  %2 = quant_float.node "Concat"(%a, %a) opset 21 attributes {axis = 0 : si64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %q2 = quant_float.quantize %2, %s opset 21 : tensor<2x2xf32>, tensor<f32> to tensor<2x2xi16>
  %3 = quant_float.node "Concat"(%a, %a) opset 3 attributes {axis = 0 : si64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %q3 = quant_float.quantize %3, %s, %z opset 13 : tensor<2x2xf32>, tensor<f32>, tensor<i8> to tensor<2x2xi8>
  return %0, %q0, %q1, %q2, %q3 : tensor<2x2xf32>, tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi16>, tensor<2x2xi8>
}
