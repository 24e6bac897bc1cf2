// RUN: quant-float-opt %s --allow-unregistered-dialect --quant-float-import-onnx-ops -split-input-file -verify-diagnostics

// V1: the rules are those of the opset.
func.func @opset(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f8E4M3FN> attributes {torch.onnx_meta.opset_version = 13 : si64} {
  // expected-error @+2 {{node without a name (Cast): result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 13)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  %0 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 17 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f8E4M3FN>
  func.return %0 : !torch.vtensor<[4],f8E4M3FN>
}

// -----

// expected-error @+1 {{attribute 'torch.onnx_meta.opset_version': expected an integer, but got "21"}}
func.func @opset_kind(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f16> attributes {torch.onnx_meta.opset_version = "21"} {
  %0 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 10 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f16>
  func.return %0 : !torch.vtensor<[4],f16>
}

// -----

func.func @attributes(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{node 'c1' (Cast): unknown attribute 'too'}}
  %0 = "onnx.Cast"(%x) {onnx_node_name = "c1", to = f16, too = 1 : si64} : (tensor<4xf32>) -> tensor<4xf16>
  // expected-error @+1 {{attribute 'to': expected an ONNX element type, but got 'f8E4M3'}}
  %1 = "onnx.Cast"(%x) {to = f8E4M3} : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  // expected-error @+1 {{node without a name (Cast): attribute 'to' is missing}}
  %2 = "onnx.Cast"(%x) {} : (tensor<4xf32>) -> tensor<4xf16>
  // Rule V6.
  // expected-error @+1 {{attribute 'saturate': expected 0 or 1, but got 2}}
  %3 = "onnx.Cast"(%x) {to = f8E4M3FN, saturate = 2 : si64} : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  return %2, %3 : tensor<4xf16>, tensor<4xf8E4M3FN>
}

// -----

func.func @values(%x: tensor<4xf32>, %i: i32, %t: !torch.vtensor<[4],unk>, %s: tensor<*xf32>) {
  // expected-error @+1 {{node without a name (Cast): output 0: declared as 'tensor<4xf32>', but got 'tensor<4xf16>'}}
  %0 = "onnx.Cast"(%x) {to = f16} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{input 0: expected a tensor, but got 'i32'}}
  %1 = "onnx.Cast"(%i) {to = f16} : (i32) -> tensor<4xf32>
  // expected-error @+1 {{input 0: expected a tensor, but got '!torch.vtensor<[4],unk>'}}
  %2 = "torch.operator"(%t) <{name = "onnx.Cast"}> {torch.onnx.to = 10 : si64} : (!torch.vtensor<[4],unk>) -> !torch.vtensor<[4],f16>
  // expected-error @+1 {{input 1: expected a tensor of known rank, but got 'tensor<*xf32>'}}
  %3 = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<*xf32>) -> tensor<4xui8>
  // expected-error @+1 {{expected 1 output, but got 2}}
  %4:2 = "onnx.Cast"(%x) {to = f16} : (tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf16>)
  return
}

// -----

// The bytecode of onnx-mlir.
func.func @properties(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @+1 {{expected a dictionary of properties, but got 4 : i64}}
  %0 = "onnx.Cast"(%x) <4 : i64> : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @regions(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @+1 {{expected an op without regions or successors}}
  %0 = "onnx.Cast"(%x) ({
    %1 = "onnx.Cast"(%x) {to = f16} : (tensor<4xf32>) -> tensor<4xf16>
    "onnx.Yield"(%1) : (tensor<4xf16>) -> ()
  }) {to = f16} : (tensor<4xf32>) -> tensor<4xf16>
  // expected-error @+2 {{input 0: expected a tensor, but got '!torch.vtensor<[-4],f32>'}}
  %2 = "torch.operator"() <{name = "onnx.Constant"}> : () -> !torch.vtensor<[-4],f32>
  %3 = "torch.operator"(%2) <{name = "onnx.Cast"}> {torch.onnx.to = 10 : si64} : (!torch.vtensor<[-4],f32>) -> !torch.vtensor<[4],f16>
  return %0 : tensor<4xf16>
}

// -----

// Rule Q7, for constants of either form.
func.func @zero_point(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf8E4M3FN> {
  %z = "onnx.Constant"() {value = dense<1.0> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
  // expected-error @+1 {{node without a name (QuantizeLinear): a constant zero point of 'f8E4M3FN' must be 0, but element 0 is 0x38}}
  %0 = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<f8E4M3FN>) -> tensor<4xf8E4M3FN>
  return %0 : tensor<4xf8E4M3FN>
}

// -----

func.func @opset_zero(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f16> attributes {torch.onnx_meta.opset_version = 0 : si64} {
  // expected-error @+1 {{node without a name (Cast): opset of Cast must be between 1 and 28, but got 0}}
  %0 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 10 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f16>
  func.return %0 : !torch.vtensor<[4],f16>
}

// -----

func.func @opset_99(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f16> attributes {torch.onnx_meta.opset_version = 99 : si64} {
  // expected-error @+1 {{node without a name (Cast): opset of Cast must be between 1 and 28, but got 99}}
  %0 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 10 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f16>
  func.return %0 : !torch.vtensor<[4],f16>
}

// -----

func.func @many_bits(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xui8> {
  // expected-error @+1 {{attribute 'axis': expected an int of at most 64 bits, but got 1267650600228229401496703205376 : i200}}
  %0 = "onnx.QuantizeLinear"(%x, %s) {axis = 1267650600228229401496703205376 : i200} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
