// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-widen-storage | FileCheck %s
// RUN: quant-float-opt %s -split-input-file --quant-float-widen-storage=signed | FileCheck %s --check-prefix=SIGNED

// CHECK-LABEL: @int4
// CHECK-DAG: %[[W:.+]] = arith.constant dense<[-8, 7]> : tensor<2xi8>
// CHECK-DAG: %[[Z:.+]] = arith.constant dense<-1> : tensor<i8>
// CHECK: quant_float.dequantize %[[W]], %{{.+}}, %[[Z]] opset 21 : tensor<2xi8>, tensor<f32>, tensor<i8> to tensor<2xf32>
func.func @int4() -> tensor<2xf32> {
  %w = arith.constant dense<[-8, 7]> : tensor<2xi4>
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<-1> : tensor<i4>
  %y = quant_float.dequantize %w, %s, %z opset 21 : tensor<2xi4>, tensor<f32>, tensor<i4> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// CHECK-LABEL: @float4
// CHECK: arith.constant dense<[6.000000e+00, -0.000000e+00]> : tensor<2xf8E4M3FN>
func.func @float4() -> tensor<2xf32> {
  %w = arith.constant dense<[6.0, -0.0]> : tensor<2xf4E2M1FN>
  %s = arith.constant dense<0.5> : tensor<f32>
  %y = quant_float.dequantize %w, %s opset 23 : tensor<2xf4E2M1FN>, tensor<f32> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// CHECK-LABEL: @uint8
// CHECK: quant_float.constant dense<[128, 255]> : tensor<2xui8>
// SIGNED-LABEL: @uint8
// SIGNED-DAG: %[[W:.+]] = arith.constant dense<[0, 127]> : tensor<2xi8>
// SIGNED-DAG: %[[Z:.+]] = arith.constant dense<0> : tensor<i8>
// SIGNED: quant_float.dequantize %[[W]], %{{.+}}, %[[Z]] opset 13
// SIGNED: %[[ZERO:.+]] = arith.constant dense<-128> : tensor<i8>
func.func @uint8() -> (tensor<2xf32>, tensor<2xf32>) {
  %w = quant_float.constant dense<[128, 255]> : tensor<2xui8>
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = quant_float.constant dense<128> : tensor<ui8>
  %y = quant_float.dequantize %w, %s, %z opset 13 : tensor<2xui8>, tensor<f32>, tensor<ui8> to tensor<2xf32>
  %v = quant_float.dequantize %w, %s opset 13 : tensor<2xui8>, tensor<f32> to tensor<2xf32>
  return %y, %v : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func @unchanged(%x: tensor<2xi4>, %z: tensor<ui4>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  // expected-remark @+1 {{not widened: the quantized values are not constant: an input of 8 times the scale without a zero point becomes encoding 0x7 (7), but with 'i8' 0x08 (8)}}
  %0 = quant_float.dequantize %x, %s opset 21 : tensor<2xi4>, tensor<f32> to tensor<2xf32>
  %w = quant_float.constant dense<[1, 2]> : tensor<2xui4>
  // expected-remark @+1 {{not widened: the zero point is not a constant}}
  %1 = quant_float.dequantize %w, %s, %z opset 21 : tensor<2xui4>, tensor<f32>, tensor<ui4> to tensor<2xf32>
  return
}
