// RUN: quant-float-opt %s -split-input-file -verify-diagnostics

func.func @cast_f1_onnx_lacks_the_type(%x: tensor<2xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type '!quant_float.f8UE5M3' is not accepted by Cast-28 (opset 28)}}
  // expected-note @+1 {{no version of Cast accepts this type}}
  %0 = quant_float.cast %x opset 28 : tensor<2xf32> to tensor<2x!quant_float.f8UE5M3>
  return
}

// -----

func.func @cast_f1_like(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op with mode quant_float must not have the attribute 'like'}}
  %0 = quant_float.cast %x like mode quant_float opset 1 : tensor<2xf32> to tensor<2xf8E4M3>
  return
}

// -----

func.func @cast_f1_opset(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op opset of quant_float.Cast must be between 1 and 1, but got 28}}
  %0 = quant_float.cast %x mode quant_float opset 28 : tensor<2xf32> to tensor<2xf8E4M3>
  return
}

// -----

func.func @cast_f1_openvino(%x: tensor<2xf32>) {
  // expected-error @+1 {{'quant_float.cast' op is not a conversion that OpenVINO supports: from 'f32' to 'f8E4M3'}}
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<2xf32> to tensor<2xf8E4M3>
  return
}

// -----

func.func @quantize_f1_onnx_lacks_the_type(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<f8E3M4>) {
  // expected-error @+2 {{'quant_float.quantize' op result element type 'f8E3M4' is not accepted by QuantizeLinear-28 (opset 28)}}
  // expected-note @+1 {{no version of QuantizeLinear accepts this type}}
  %0 = quant_float.quantize %x, %s, %z opset 28 : tensor<2xf32>, tensor<f32>, tensor<f8E3M4> to tensor<2xf8E3M4>
  return
}

// -----

func.func @dequantize_f1_result(%x: tensor<2xi8>, %s: tensor<!quant_float.f8UE5M3>) {
  // expected-error @+2 {{'quant_float.dequantize' op result element type '!quant_float.f8UE5M3' is not accepted by quant_float.DequantizeLinear-1 (opset 1)}}
  // expected-note @+1 {{no version of quant_float.DequantizeLinear accepts this type}}
  %0 = quant_float.dequantize %x, %s opset 1 domain "quant_float"
         : tensor<2xi8>, tensor<!quant_float.f8UE5M3> to tensor<2x!quant_float.f8UE5M3>
  return
}

// -----

func.func @constant_of_a_type_without_semantics() -> tensor<2x!quant_float.f8UE5M3> {
  // expected-error @+1 {{expected string token, got 1.0}}
  %0 = arith.constant dense<1.0> : tensor<2x!quant_float.f8UE5M3>
  return %0 : tensor<2x!quant_float.f8UE5M3>
}
