// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-fold-scales | FileCheck %s

// The scale of scales first: for a quantized tensor, and for a cast followed by a Mul.

// CHECK-LABEL: func.func @nvfp4
// CHECK:         %[[S:.+]] = arith.constant dense<{{\[\[}}5.000000e-01, 1.000000e+00], [2.250000e+02, 0.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT:    quant_float.dequantize %arg0, %[[S]] axis 1 block_size 16 opset 23
// CHECK-NEXT:    return
func.func @nvfp4(%w: tensor<2x32xf4E2M1FN>) -> tensor<2x32xf32> {
  %s = arith.constant dense<[[1.0, 2.0], [448.0, 0.0]]> : tensor<2x2xf8E4M3FN>
  %g = arith.constant dense<[[0.5], [0.5022321343421936]]> : tensor<2x1xf32>
  %f = quant_float.cast %s opset 23 : tensor<2x2xf8E4M3FN> to tensor<2x2xf32>
  %t = quant_float.node "Mul"(%f, %g) opset 23 : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %y = quant_float.dequantize %w, %t axis 1 block_size 16 opset 23 : tensor<2x32xf4E2M1FN>, tensor<2x2xf32> to tensor<2x32xf32>
  return %y : tensor<2x32xf32>
}

// -----

// CHECK-LABEL: func.func @three_levels
// CHECK:         %[[S:.+]] = arith.constant dense<[1.250000e-01, 5.000000e-01]> : tensor<2xf32>
// CHECK-NEXT:    quant_float.dequantize %arg0, %[[S]] axis 0 opset 23
// CHECK-NEXT:    return
func.func @three_levels(%w: tensor<2x3xi8>) -> tensor<2x3xf32> {
  %s = quant_float.constant dense<[[3], [9]]> : tensor<2x1xui8>
  %g = arith.constant dense<2> : tensor<i8>
  %h = arith.constant dense<0.03125> : tensor<f32>
  %z = quant_float.constant dense<1> : tensor<ui8>
  %i = quant_float.dequantize %g, %h opset 23 : tensor<i8>, tensor<f32> to tensor<f32>
  %t = quant_float.dequantize %s, %i, %z opset 23 : tensor<2x1xui8>, tensor<f32>, tensor<ui8> to tensor<2x1xf32>
  %shape = arith.constant dense<-1> : tensor<1xi64>
  %u = quant_float.node "Reshape"(%t, %shape) opset 23 : (tensor<2x1xf32>, tensor<1xi64>) -> tensor<2xf32>
  %y = quant_float.dequantize %w, %u axis 0 opset 23 : tensor<2x3xi8>, tensor<2xf32> to tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// The factor last: a power of two, for the tensor and for an axis that has no scales yet.

// CHECK-LABEL: func.func @last
// CHECK:         %[[S:.+]] = arith.constant dense<7.500000e-01> : tensor<f32>
// CHECK:         %[[A:.+]] = quant_float.dequantize %arg0, %[[S]], %{{.+}} opset 21 : tensor<2x3xi4>
// CHECK:         %[[T:.+]] = arith.constant dense<[1.500000e+00, 5.000000e-01, 1.000000e+00]> : tensor<3xf32>
// CHECK:         %[[Z:.+]] = arith.constant dense<3> : tensor<3xi4>
// CHECK-NEXT:    %[[B:.+]] = quant_float.dequantize %arg0, %[[T]], %[[Z]] axis 1 opset 21
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @last(%w: tensor<2x3xi4>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %s = arith.constant dense<1.5> : tensor<f32>
  %z = arith.constant dense<3> : tensor<i4>
  %half = arith.constant dense<0.5> : tensor<f32>
  %0 = quant_float.dequantize %w, %s, %z opset 21 : tensor<2x3xi4>, tensor<f32>, tensor<i4> to tensor<2x3xf32>
  %a = quant_float.node "Mul"(%0, %half) opset 21 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %t = arith.constant dense<0.25> : tensor<f32>
  %columns = arith.constant dense<[6.0, 2.0, 4.0]> : tensor<3xf32>
  %1 = quant_float.dequantize %w, %t, %z opset 21 : tensor<2x3xi4>, tensor<f32>, tensor<i4> to tensor<2x3xf32>
  %b = quant_float.node "Mul"(%columns, %1) opset 21 : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Double rounding, with a quantized value that shows it. A runtime factor is not folded.

// CHECK-LABEL: func.func @not_folded
// CHECK-COUNT-4: "Mul"
func.func @not_folded(%w: tensor<2x32xi8>, %x: tensor<f32>) {
  %s = arith.constant dense<0.1> : tensor<f32>
  %g = arith.constant dense<0.3> : tensor<f32>
  %0 = quant_float.dequantize %w, %s opset 21 : tensor<2x32xi8>, tensor<f32> to tensor<2x32xf32>
  // expected-remark @+1 {{not folded: encoding 0x0d (13) times 0x3dcccccd (0.10000000149011612) becomes 0x3fa66667 (1.3000000715255737), which times 0x3e99999a (0.30000001192092896) is 0x3ec7ae16 (0.39000004529953003), but 0x3ec7ae15 (0.39000001549720764) with one scale}}
  %a = quant_float.node "Mul"(%0, %g) opset 21 : (tensor<2x32xf32>, tensor<f32>) -> tensor<2x32xf32>
  %rows = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %columns = arith.constant dense<2.0> : tensor<32xf32>
  %1 = quant_float.dequantize %w, %columns axis 1 opset 21 : tensor<2x32xi8>, tensor<32xf32> to tensor<2x32xf32>
  // expected-remark @+1 {{not folded: both scales apply to different slices of the weights}}
  %b = quant_float.node "Mul"(%1, %rows) opset 21 : (tensor<2x32xf32>, tensor<2x1xf32>) -> tensor<2x32xf32>
  %dynamic = quant_float.node "Mul"(%0, %x) opset 21 : (tensor<2x32xf32>, tensor<f32>) -> tensor<2x32xf32>
  %more = arith.constant dense<2.0> : tensor<3x2x32xf32>
  // expected-remark @+1 {{not folded: the types of both scales cannot be combined}}
  %c = quant_float.node "Mul"(%0, %more) opset 21 : (tensor<2x32xf32>, tensor<3x2x32xf32>) -> tensor<3x2x32xf32>
  return
}

// -----

// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%w: tensor<2x32xi8>, %x: tensor<f32>, %quantized: tensor<2xi8>) {
  %s = quant_float.dequantize %quantized, %x opset 21 : tensor<2xi8>, tensor<f32> to tensor<2xf32>
  // expected-remark @+1 {{not folded: the scale is not computed from constants, or has too many elements}}
  %0 = quant_float.dequantize %w, %s axis 0 opset 21 : tensor<2x32xi8>, tensor<2xf32> to tensor<2x32xf32>
  return
}

// -----

// The types are larger than the actual tensors.

// CHECK-LABEL: func.func @huge
// CHECK:         "Mul"
func.func @huge(%w: tensor<1000000x1000000xi8>) -> tensor<1000000x1000000xf32> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %c = arith.constant dense<0.25> : tensor<1000000x1000000xf32>
  %0 = quant_float.dequantize %w, %s opset 21 : tensor<1000000x1000000xi8>, tensor<f32> to tensor<1000000x1000000xf32>
  %1 = quant_float.node "Mul"(%0, %c) opset 21 : (tensor<1000000x1000000xf32>, tensor<1000000x1000000xf32>) -> tensor<1000000x1000000xf32>
  return %1 : tensor<1000000x1000000xf32>
}

// -----

// The factor becomes the scale.

// CHECK-LABEL: func.func @same
// CHECK:         %[[S:.+]] = arith.constant dense<6.250000e-02> : tensor<f32>
// CHECK-NEXT:    %[[Y:.+]] = quant_float.dequantize %arg0, %[[S]] opset 21
// CHECK-NEXT:    return %[[Y]]
func.func @same(%w: tensor<4xi8>) -> tensor<4xf32> {
  %s = arith.constant dense<0.25> : tensor<f32>
  %0 = quant_float.dequantize %w, %s opset 21 : tensor<4xi8>, tensor<f32> to tensor<4xf32>
  %1 = quant_float.node "Mul"(%0, %s) opset 21 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
