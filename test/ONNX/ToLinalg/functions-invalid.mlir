// Nodes that ONNX defines by function bodies, but that cannot be expanded: violations of ONNX's
// schema, and errors inside.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @type(%x: tensor<2x3xi32>, %s: tensor<3xi32>) -> tensor<2x3xi32> {
  // expected-error @+1 {{no lowering of the op 'LayerNormalization' of the domain 'ai.onnx': input 0 has the type tensor(int32)}}
  %0 = quant_float.node "LayerNormalization"(%x, %s) opset 17 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @types(%x: tensor<2x3xf32>, %s: tensor<3xf16>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'LayerNormalization' of the domain 'ai.onnx': input 1 has the type tensor(float16) and another input has tensor(float)}}
  %0 = quant_float.node "LayerNormalization"(%x, %s) opset 17 : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @inputs(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{has input size 1 not in range [min=2, max=3]}}
  %0 = quant_float.node "LayerNormalization"(%x) opset 17 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @attribute(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{in its function body, node of 'output0' (LayerNormalization): unknown attribute 'axes'}}
  %0 = quant_float.node "LayerNormalization"(%x, %s) opset 17 attributes {axes = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// No op of the function body remains.
func.func @inside(%x: tensor<1x2x2x2x2xf32>) -> tensor<*xf32> {
  %size = arith.constant dense<[1, 1, 2, 2, 2]> : tensor<5xi64>
  // expected-error @+1 {{'AffineGrid' of the domain 'ai.onnx': in its function body, node of}}
  %0 = quant_float.node "AffineGrid"(%x, %size) opset 20 attributes {align_corners = 1 : i64} : (tensor<1x2x2x2x2xf32>, tensor<5xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @step(%x: tensor<i64>) -> tensor<*xi64> {
  %zero = arith.constant dense<0> : tensor<i64>
  // expected-error @+1 {{'Range': a step must be at least 1, but got 0}}
  %0 = quant_float.node "Range"(%x, %x, %zero) opset 11 : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return %0 : tensor<*xi64>
}

// -----

func.func @range_precision(%s: tensor<f16>, %l: tensor<f16>, %d: tensor<f16>) -> tensor<?xf16> {
  // expected-error @below {{no lowering of the ONNX op 'Range': attribute 'stash_type': expected the number of float}}
  %0 = quant_float.node "Range"(%s, %l, %d) opset 27 attributes {stash_type = 11 : i64} : (tensor<f16>, tensor<f16>, tensor<f16>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
