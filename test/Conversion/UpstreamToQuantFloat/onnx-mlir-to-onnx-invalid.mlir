// Ops of onnx-mlir that are not converted: each error names the op and the reason.
// RUN: quant-float-opt --allow-unregistered-dialect --convert-onnx-mlir-to-onnx --split-input-file --verify-diagnostics %s
// RUN: echo 'module {}' | not quant-float-opt --convert-onnx-mlir-to-onnx=opset=99 2>&1 | FileCheck %s
// CHECK: expected an opset from 1 to {{[0-9]+}} as the option 'opset', but got 99

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Rely': the operator is not known}}
  %r = "onnx.Rely"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.ReluV99': the operator is not known}}
  %r = "onnx.ReluV99"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Custom': the operator is not known}}
  %r = "onnx.Custom"(%x) {domain_name = "mine"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Relu': the attribute 'alpha' is of an unknown kind, or its data is missing}}
  %r = "onnx.Relu"(%x) {alpha = {}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Cast': the attribute 'to' is of an unknown kind, or its data is missing}}
  %r = "onnx.Cast"(%x) {to = complex<f64>, saturate = 1 : si128} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @+1 {{no conversion of 'onnx.Relu': operand 0 has the type 'i32'}}
  %r = "onnx.Relu"(%x) : (i32) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Relu': result 0 has the type 'i32'}}
  %r = "onnx.Relu"(%x) : (tensor<4xf32>) -> i32
  return
}

// -----

// The bytecode of onnx-mlir.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Relu': expected a dictionary of properties, but got 4 : i64}}
  %r = "onnx.Relu"(%x) <4 : i64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Relu': expected 0 regions and no successors}}
  %r = "onnx.Relu"(%x) ({}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @+1 {{no conversion of 'onnx.If': the region 'then_branch': expected a block that ends in 'onnx.Yield'}}
  %r = "onnx.If"(%p) ({}, {}) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{no conversion of 'onnx.Constant': expected a constant of the type of the result}}
  %r = "onnx.Constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<5xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{no conversion of 'onnx.Constant': the attribute 'value' is of an unknown kind, or its data is missing}}
  %r = "onnx.Constant"() {value = dense_resource<missing> : tensor<4xf32>} : () -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{no conversion of 'onnx.Return': expected a value of type 'tensor<5xf32>', but got 'tensor<4xf32>'}}
  "onnx.Return"(%x) : (tensor<4xf32>) -> ()
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'onnx.Return': expected an operand for each result of the function}}
  "onnx.Return"(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{no conversion of 'onnx.EntryPoint': expected no regions and no results}}
"onnx.EntryPoint"() ({}) : () -> ()

// -----

func.func @f() -> none {
  // expected-error @+1 {{no conversion of 'onnx.NoValue': expected uses as an absent input only}}
  %none = "onnx.NoValue"() {value} : () -> none
  return %none : none
}
