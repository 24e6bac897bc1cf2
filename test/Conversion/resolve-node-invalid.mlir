// REQUIRES: networks
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

// The verifier's message, prefixed with the node's name.
func.func @q1_length(%x: tensor<4x3xf32>, %b: tensor<2xf32>) -> tensor<*xui8> {
  %t = quant_float.node "Mul"(%b, %b) opset 21 : (tensor<2xf32>, tensor<2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{node 'q' (QuantizeLinear): scale must have 3 elements, as the input's dimension 1, but got 2}}
  %q = quant_float.node "QuantizeLinear"(%x, %t) opset 21 name "q" : (tensor<4x3xf32>, tensor<*xf32>) -> tensor<*xui8>
  return %q : tensor<*xui8>
}

// -----

// An error that no op's verifier reports.
func.func @q1_rank(%x: tensor<4x3xf32>, %b: tensor<4x1xf32>) -> tensor<*xui8> {
  %t = quant_float.node "Mul"(%b, %b) opset 21 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{node without a name (QuantizeLinear): a scale of rank 2 needs a block_size above 0 (blocked quantization), but got 'tensor<4x1xf32>' without one}}
  %q = quant_float.node "QuantizeLinear"(%x, %t) opset 21 : (tensor<4x3xf32>, tensor<*xf32>) -> tensor<*xui8>
  return %q : tensor<*xui8>
}

// -----

func.func @v2_type(%x: tensor<4xf32>) -> tensor<*xf8E4M3FN> {
  // expected-error @unknown {{node of 'y' (Cast): result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 18)}}
  // expected-note @unknown {{Cast accepts this type from opset 19 on}}
  %y = quant_float.node "Cast"(%x) opset 18 attributes {to = 17} : (tensor<4xf32>) -> tensor<*xf8E4M3FN> loc("y")
  return %y : tensor<*xf8E4M3FN>
}
