// Nodes of our own domain that no conversion makes.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @type(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @+1 {{no lowering of the ONNX op 'quant_float.OpenVinoConvert': 'to' must be the number of an integer type, bfloat16, float8e8m0 or float4e2m1, but got 10}}
  %0 = quant_float.node "OpenVinoConvert"(%x) opset 1 domain "quant_float" attributes {to = 10 : i64} : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @missing(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error @+1 {{'to' must be the number of an integer type, bfloat16, float8e8m0 or float4e2m1, but got 0}}
  %0 = quant_float.node "OpenVinoConvert"(%x) opset 1 domain "quant_float" : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// The domain is part of the name.
func.func @domain(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error @+1 {{no lowering of the ONNX op 'OpenVinoConvert'}}
  %0 = quant_float.node "OpenVinoConvert"(%x) opset 1 attributes {to = 3 : i64} : (tensor<4xf32>) -> tensor<4xi8>
  // expected-error @+1 {{no lowering of the ONNX op 'quant_float.Relu'}}
  %1 = quant_float.node "Relu"(%x) opset 1 domain "quant_float" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xi8>
}
