// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-merge-scales | FileCheck %s

// Equal blocks along an axis, with zero points.

// CHECK-LABEL: func.func @blocks
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK-DAG:     %[[Z:.+]] = arith.constant dense<[1, -2]> : tensor<2xi4>
// CHECK:         quant_float.dequantize %arg0, %[[S]], %[[Z]] axis 0 opset 21 : tensor<2x32xi4>, tensor<2xf32>, tensor<2xi4> to tensor<2x32xf32>
func.func @blocks(%w: tensor<2x32xi4>) -> tensor<2x32xf32> {
  %s = arith.constant dense<[[0.5, 0.5], [0.25, 0.25]]> : tensor<2x2xf32>
  %z = arith.constant dense<[[1, 1], [-2, -2]]> : tensor<2x2xi4>
  %y = quant_float.dequantize %w, %s, %z axis 1 block_size 16 opset 21
         : tensor<2x32xi4>, tensor<2x2xf32>, tensor<2x2xi4> to tensor<2x32xf32>
  return %y : tensor<2x32xf32>
}

// -----

// Along the first axis. Quantize as well.

// CHECK-LABEL: func.func @rows
// CHECK:         %[[S:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK:         quant_float.quantize %arg0, %[[S]] axis 1 opset 21
// CHECK-SAME:      : tensor<4x3xf32>, tensor<3xf32> to tensor<4x3xui8>
func.func @rows(%x: tensor<4x3xf32>) -> tensor<4x3xui8> {
  %s = arith.constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  %y = quant_float.quantize %x, %s axis 0 block_size 2 opset 21 : tensor<4x3xf32>, tensor<2x3xf32> to tensor<4x3xui8>
  return %y : tensor<4x3xui8>
}

// -----

// All scales are equal: of blocks, of an axis.

// CHECK-LABEL: func.func @whole
// CHECK:         %[[A:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         quant_float.dequantize %arg0, %[[A]] opset 23
// CHECK:         %[[B:.+]] = arith.constant dense<2.000000e+00> : tensor<f16>
// CHECK:         quant_float.dequantize %arg0, %[[B]] opset 23
func.func @whole(%w: tensor<2x32xi8>) -> (tensor<2x32xf32>, tensor<2x32xf16>) {
  %s = arith.constant dense<0.5> : tensor<2x2xf32>
  %y = quant_float.dequantize %w, %s axis 1 block_size 16 opset 23 : tensor<2x32xi8>, tensor<2x2xf32> to tensor<2x32xf32>
  %t = arith.constant dense<[2.0, 2.0]> : tensor<2xf16>
  %z = quant_float.dequantize %w, %t axis 0 opset 23 : tensor<2x32xi8>, tensor<2xf16> to tensor<2x32xf16>
  return %y, %z : tensor<2x32xf32>, tensor<2x32xf16>
}

// -----

// Differences along two dimensions.

// CHECK-LABEL: func.func @cube
// CHECK:         axis 2 block_size 2
func.func @cube(%w: tensor<2x2x4xi8>) -> tensor<2x2x4xf32> {
  %s = arith.constant dense<[[[0.5, 0.5], [1.0, 1.0]], [[2.0, 2.0], [4.0, 4.0]]]> : tensor<2x2x2xf32>
  // expected-remark @+1 {{not merged: elements 0 and 2 of the scale or zero point differ: encoding 0x01 (1) becomes 0x3f000000 (0.5) and 0x3f800000 (1)}}
  %y = quant_float.dequantize %w, %s axis 2 block_size 2 opset 21 : tensor<2x2x4xi8>, tensor<2x2x2xf32> to tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @unlike
// CHECK:         axis 1 block_size 16
// CHECK:         axis 0
// CHECK:         axis 0
// CHECK:         axis 0
func.func @unlike(%w: tensor<2x32xi8>, %x: tensor<2x32xf32>, %open: tensor<2xf32>) {
  %s = arith.constant dense<[[0.5, 0.5], [0.25, 1.0]]> : tensor<2x2xf32>
  // expected-remark @+1 {{not merged: elements 2 and 3 of the scale or zero point differ: encoding 0x01 (1) becomes 0x3e800000 (0.25) and 0x3f800000 (1)}}
  %0 = quant_float.dequantize %w, %s axis 1 block_size 16 opset 21 : tensor<2x32xi8>, tensor<2x2xf32> to tensor<2x32xf32>
  %t = arith.constant dense<0.5> : tensor<2xf32>
  %z = arith.constant dense<[0, 3]> : tensor<2xi8>
  // expected-remark @+1 {{not merged: elements 0 and 1 of the scale or zero point differ: encoding 0x00 (0) becomes 0x00000000 (0) and 0xbfc00000 (-1.5)}}
  %1 = quant_float.dequantize %w, %t, %z axis 0 opset 21 : tensor<2x32xi8>, tensor<2xf32>, tensor<2xi8> to tensor<2x32xf32>
  // expected-remark @+1 {{not merged: elements 0 and 1 of the scale or zero point differ}}
  %2 = quant_float.quantize %x, %t, %z axis 0 opset 21 : tensor<2x32xf32>, tensor<2xf32>, tensor<2xi8> to tensor<2x32xi8>
  // expected-remark @+1 {{not merged: the scale or the zero point is not a constant}}
  %3 = quant_float.dequantize %w, %open axis 0 opset 21 : tensor<2x32xi8>, tensor<2xf32> to tensor<2x32xf32>
  return
}

// -----

// A scale of f8E8M0FNU.

// CHECK-LABEL: func.func @power
// CHECK:         quant_float.dequantize %arg0, %{{.+}} opset 24 : tensor<2x4xf4E2M1FN>, tensor<f8E8M0FNU> to tensor<2x4xf32>
func.func @power(%w: tensor<2x4xf4E2M1FN>) -> tensor<2x4xf32> {
  %s = arith.constant dense<1.0> : tensor<2x2xf8E8M0FNU>
  %y = quant_float.dequantize %w, %s axis 1 block_size 2 opset 24 : tensor<2x4xf4E2M1FN>, tensor<2x2xf8E8M0FNU> to tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
