// Nodes without a lowering: all are listed, each with the reason.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg=allow-unsupported -split-input-file | FileCheck %s

// What only depends on another node is not its fault.
// CHECK-LABEL: func.func @all_listed(
// CHECK: quant_float.node "Einsum"
// CHECK: quant_float.node "Relu"
// CHECK: linalg.generic
func.func @all_listed(%x: tensor<4xf32>) -> (!quant_float.unknown, tensor<4xf32>) {
  // expected-error @+1 {{no lowering of the ONNX op 'Einsum'}}
  %0 = quant_float.node "Einsum"(%x) opset 21 : (tensor<4xf32>) -> !quant_float.unknown
  %1 = quant_float.node "Relu"(%0) opset 21 : (!quant_float.unknown) -> !quant_float.unknown
  // expected-error @+1 {{no lowering of the ONNX op 'com.example.Foo'}}
  %2 = quant_float.node "Foo"(%x) opset 1 domain "com.example" : (tensor<4xf32>) -> tensor<4xf32>
  %3 = quant_float.node "Relu"(%2) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : !quant_float.unknown, tensor<4xf32>
}

// -----

func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Relu': input 0 has the type 'tensor<*xf32>', whose rank is not known}}
  %0 = quant_float.node "Relu"(%x) opset 21 : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @input_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Add': expected 2 inputs, but got 1}}
  %0 = quant_float.node "Add"(%x) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @different_types(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Add': inputs must have elements of one type, but got 'f32' and 'f16'}}
  %0 = quant_float.node "Add"(%x, %y) opset 21 : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @sizes(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Add': the sizes 4 and 3 do not broadcast}}
  %0 = quant_float.node "Add"(%x, %y) opset 21 : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @element_type(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Exp': elements of type 'i32'}}
  %0 = quant_float.node "Exp"(%x) opset 21 : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @declared_type(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @+1 {{no lowering of the ONNX op 'Relu': output 0 is declared as 'tensor<4xf16>', but has elements of type 'f32'}}
  %0 = quant_float.node "Relu"(%x) opset 21 : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @attribute_kind(%x: tensor<4xf32>) -> tensor<4x1xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Flatten': attribute 'axis' must be an int}}
  %0 = quant_float.node "Flatten"(%x) opset 21 attributes {axis = 1.0 : f32} : (tensor<4xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

func.func @reshape_elements(%x: tensor<4xf32>) -> tensor<*xf32> {
  %shape = arith.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error @+1 {{no lowering of the ONNX op 'Reshape': the number of elements must be 4, but got 6}}
  %0 = quant_float.node "Reshape"(%x, %shape) opset 21 : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @axis(%x: tensor<4x5xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Concat': axis must be between -2 and 1, but got 2}}
  %0 = quant_float.node "Concat"(%x, %x) opset 21 attributes {axis = 2 : i64} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @gather_outside(%x: tensor<4xf32>) -> tensor<*xf32> {
  %i = arith.constant dense<[0, 4]> : tensor<2xi64>
  // expected-error @+1 {{no lowering of the ONNX op 'Gather': the index 4 is outside of an axis of size 4}}
  %0 = quant_float.node "Gather"(%x, %i) opset 21 : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @training(%x: tensor<4xf32>, %ratio: tensor<f32>) -> tensor<4xf32> {
  %mode = arith.constant dense<true> : tensor<i1>
  // expected-error @+1 {{no lowering of the ONNX op 'Dropout': training mode}}
  %0 = quant_float.node "Dropout"(%x, %ratio, %mode) opset 21 : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
