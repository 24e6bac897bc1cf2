// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-reencode-fnuz | FileCheck %s
// RUN: quant-float-opt %s -split-input-file --quant-float-reencode-fnuz="to-fnuz any-zero" | FileCheck %s --check-prefix=BACK

// CHECK-LABEL: @weights
// CHECK-DAG: %[[W:.+]] = arith.constant dense<[2.000000e+00, -1.000000e+00]> : tensor<2xf8E4M3FN>
// CHECK-DAG: %[[S:.+]] = arith.constant dense<2.500000e-01> : tensor<f32>
// CHECK-DAG: %[[Z:.+]] = arith.constant dense<0.000000e+00> : tensor<f8E4M3FN>
// CHECK: quant_float.dequantize %[[W]], %[[S]], %[[Z]] opset 19 : tensor<2xf8E4M3FN>, tensor<f32>, tensor<f8E4M3FN> to tensor<2xf32>
func.func @weights() -> tensor<2xf32> {
  %w = arith.constant dense<[1.0, -0.5]> : tensor<2xf8E4M3FNUZ>
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<0.0> : tensor<f8E4M3FNUZ>
  %y = quant_float.dequantize %w, %s, %z opset 19 : tensor<2xf8E4M3FNUZ>, tensor<f32>, tensor<f8E4M3FNUZ> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// BACK-LABEL: @back
// BACK-DAG: %[[W:.+]] = arith.constant dense<[5.000000e-01, 0.000000e+00]> : tensor<2xf8E5M2FNUZ>
// BACK-DAG: %[[S:.+]] = arith.constant dense<1.000000e+00> : tensor<f16>
// BACK: quant_float.dequantize %[[W]], %[[S]] opset 19
func.func @back() -> tensor<2xf16> {
  %w = arith.constant dense<[1.0, -0.0]> : tensor<2xf8E5M2>
  %s = arith.constant dense<0.5> : tensor<f16>
  %y = quant_float.dequantize %w, %s opset 19 : tensor<2xf8E5M2>, tensor<f16> to tensor<2xf16>
  return %y : tensor<2xf16>
}

// -----

func.func @unchanged(%x: tensor<3xf8E4M3FNUZ>, %t: tensor<f32>) {
  %s = arith.constant dense<1.0> : tensor<f32>
  %w0 = arith.constant dense<[1.0, 240.0, -240.0, 240.0]> : tensor<4xf8E4M3FNUZ>
  // expected-remark @+1 {{not re-encoded: 3 of 4 values have no counterpart in 'f8E4M3FN', the first is element 1: 2 of 0x7f (240), 1 of 0xff (-240)}}
  %0 = quant_float.dequantize %w0, %s opset 19 : tensor<4xf8E4M3FNUZ>, tensor<f32> to tensor<4xf32>
  %w1 = arith.constant dense<57344.0> : tensor<8xf8E5M2FNUZ>
  // expected-remark @+1 {{not re-encoded: 8 of 8 values have no counterpart in 'f8E5M2', the first is element 0: 8 of 0x7f (57344)}}
  %1 = quant_float.dequantize %w1, %s opset 19 : tensor<8xf8E5M2FNUZ>, tensor<f32> to tensor<8xf32>
  // expected-remark @+1 {{not re-encoded: the quantized values are not constant: an input of 240 times the scale becomes 240 times the scale, but with 'f8E4M3FN' 224}}
  %2 = quant_float.dequantize %x, %s opset 19 : tensor<3xf8E4M3FNUZ>, tensor<f32> to tensor<3xf32>
  %w3 = arith.constant dense<1.0> : tensor<3xf8E4M3FNUZ>
  // expected-remark @+1 {{not re-encoded: the scale is not a constant, and half its value may not be representable}}
  %3 = quant_float.dequantize %w3, %t opset 19 : tensor<3xf8E4M3FNUZ>, tensor<f32> to tensor<3xf32>
  %s4 = arith.constant dense<[1.0, 5.9604644775390625e-08, 2.0]> : tensor<3xf16>
  // expected-remark @+1 {{not re-encoded: element 1 of the scale, 0x0001 (5.9604644775390625E-8), has no half in 'f16'}}
  %4 = quant_float.dequantize %w3, %s4 axis 0 opset 19 : tensor<3xf8E4M3FNUZ>, tensor<3xf16> to tensor<3xf16>
  return
}
