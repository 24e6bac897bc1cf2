// Nodes without a lowering: all are listed, each with the reason.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg=allow-unsupported -split-input-file | FileCheck %s

// A node that only depends on a failed one is not reported.
// CHECK-LABEL: func.func @all_listed(
// CHECK: quant_float.node "Bar"
// CHECK: quant_float.node "Relu"
// CHECK: linalg.generic
func.func @all_listed(%x: tensor<4xf32>) -> (!quant_float.unknown, tensor<4xf32>) {
  // expected-error @+1 {{no lowering of the op 'Bar' of the domain 'ai.onnx'}}
  %0 = quant_float.node "Bar"(%x) opset 21 : (tensor<4xf32>) -> !quant_float.unknown
  %1 = quant_float.node "Relu"(%0) opset 21 : (!quant_float.unknown) -> !quant_float.unknown
  // expected-error @+1 {{no lowering of the op 'Foo' of the domain 'com.example'}}
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
  // expected-error @+1 {{no lowering of the ONNX op 'Add': inputs must have elements of the same type, but got 'f32' and 'f16'}}
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
  // expected-error @+1 {{node without a name (Relu): output 0: declared as 'tensor<4xf16>', but got 'tensor<4xf32>'}}
  %0 = quant_float.node "Relu"(%x) opset 21 : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @attribute_kind(%x: tensor<4xf32>) -> tensor<4x1xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Flatten': attribute 'axis': expected an int, but got a float}}
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

func.func @training(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Dropout': training mode}}
  %0 = quant_float.node "Dropout"(%x) opset 6 attributes {ratio = 0.25 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @split(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Split': expected as many splits as outputs (2), but got 9223372036854775807}}
  %0:2 = quant_float.node "Split"(%x) opset 21 attributes {num_outputs = 9223372036854775807 : i64} : (tensor<4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{num_outputs must be positive, but got 0}}
  %1:2 = quant_float.node "Split"(%x) opset 21 attributes {num_outputs = 0 : i64} : (tensor<4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{the size of a split must be at least 0, but got -1}}
  %2:2 = quant_float.node "Split"(%x) opset 2 attributes {split = array<i64: 5, -1>} : (tensor<4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{the size of a split must be at least 0, but got -1}}
  %3:4 = quant_float.node "Split"(%y) opset 21 attributes {num_outputs = 4 : i64} : (tensor<5xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return %0#0 : tensor<*xf32>
}

// -----

// Sums and products of sizes that overflow.
func.func @sizes_that_wrap(%x: tensor<4xf32>, %half: tensor<9223372036854775807x0xf32>, %huge: tensor<0x4294967296x4294967296xf32>, %one: tensor<f32>) -> tensor<*xf32> {
  %parts = arith.constant dense<[4611686018427387904, 4611686018427387904, 4611686018427387904, 4611686018427387904, 4]> : tensor<5xi64>
  %shape = arith.constant dense<1099511627776> : tensor<2xi64>
  // expected-error @+1 {{no lowering of the ONNX op 'Split': the sizes have a sum of more than 64 bits}}
  %0:5 = quant_float.node "Split"(%x, %parts) opset 21 : (tensor<4xf32>, tensor<5xi64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{no lowering of the ONNX op 'Concat': the sizes have a sum of more than 64 bits}}
  %1 = quant_float.node "Concat"(%half, %half) opset 21 attributes {axis = 0 : i64} : (tensor<9223372036854775807x0xf32>, tensor<9223372036854775807x0xf32>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Reshape': the sizes have a product of more than 64 bits}}
  %2 = quant_float.node "Reshape"(%x, %shape) opset 21 : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'ConstantOfShape': the sizes have a product of more than 64 bits}}
  %3 = quant_float.node "ConstantOfShape"(%shape) opset 21 : (tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Expand': output 0 has the type 'tensor<1099511627776x1099511627776xf32>', whose number of elements exceeds 64 bits}}
  %4 = quant_float.node "Expand"(%one, %shape) opset 21 : (tensor<f32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Flatten': input 0 has the type 'tensor<0x4294967296x4294967296xf32>', whose number of elements exceeds 64 bits}}
  %5 = quant_float.node "Flatten"(%huge) opset 21 : (tensor<0x4294967296x4294967296xf32>) -> tensor<*xf32>
  return %0#0 : tensor<*xf32>
}

// -----

func.func @negative_sizes(%x: tensor<4xf32>) -> tensor<*xf32> {
  %shape = arith.constant dense<-2> : tensor<1xi64>
  // expected-error @+1 {{no lowering of the ONNX op 'Reshape': a size of the shape must be at least 0, but got -2}}
  %0 = quant_float.node "Reshape"(%x, %shape) opset 21 : (tensor<4xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Expand': a size of the shape must be at least 0, but got -2}}
  %1 = quant_float.node "Expand"(%x, %shape) opset 21 : (tensor<4xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'ConstantOfShape': a size of the shape must be at least 0, but got -2}}
  %2 = quant_float.node "ConstantOfShape"(%shape) opset 21 : (tensor<1xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @axes_of_a_run(%x: tensor<4xf32>, %axes: tensor<2xi64>) -> tensor<*xf32> {
  // expected-error @+1 {{'Squeeze': expected at most 1 axes, but got 2}}
  %0 = quant_float.node "Squeeze"(%x, %axes) opset 21 : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Too many elements to be read one by one.
func.func @huge_lists(%x: tensor<4xf32>) -> tensor<*xf32> {
  %list = arith.constant dense<1> : tensor<100000000000xi64>
  // expected-error @+1 {{no lowering of the ONNX op 'Unsqueeze': input 1 must have a static number of elements}}
  %0 = quant_float.node "Unsqueeze"(%x, %list) opset 21 : (tensor<4xf32>, tensor<100000000000xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Reshape': input 1 must have a static number of elements}}
  %1 = quant_float.node "Reshape"(%x, %list) opset 21 : (tensor<4xf32>, tensor<100000000000xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @gather_from_nothing(%x: tensor<3x0xf32>, %i: tensor<2xi64>) -> tensor<*xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Gather': the size of axis 1 must be at least 1, but got 0}}
  %0 = quant_float.node "Gather"(%x, %i) opset 21 attributes {axis = 1 : i64} : (tensor<3x0xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @concat_of_scalars(%x: tensor<f32>) -> tensor<*xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'Concat': scalars cannot be concatenated}}
  %0 = quant_float.node "Concat"(%x, %x) opset 21 attributes {axis = 0 : i64} : (tensor<f32>, tensor<f32>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Gather': a scalar has no axis 0}}
  %1 = quant_float.node "Gather"(%x, %x) opset 21 : (tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// An error that follows from a node without a lowering is not reported. An independent one is.
func.func @behind(%x: tensor<4xf32>, %s: tensor<f32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{no lowering of the op 'StringNormalizer' of the domain 'ai.onnx'}}
  %0 = quant_float.node "StringNormalizer"(%x, %x) opset 21 : (tensor<4xf32>, tensor<4xf32>) -> tensor<*xi64>
  %1 = quant_float.cast %0 opset 21 : tensor<*xi64> to tensor<*xf32>
  %2 = quant_float.node "Relu"(%1) opset 21 : (tensor<*xf32>) -> tensor<*xf32>
  %3 = quant_float.node "Reshape"(%x, %0) opset 21 : (tensor<4xf32>, tensor<*xi64>) -> tensor<*xf32>
  %4 = quant_float.node "QuantizeLinear"(%x, %2) opset 21 : (tensor<4xf32>, tensor<*xf32>) -> tensor<*xui8>
  // expected-error @+1 {{no lowering of the op 'Foo' of the domain 'com.example'}}
  %5 = quant_float.node "Foo"(%2) opset 1 domain "com.example" : (tensor<*xf32>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Relu': input 0 has the type 'tensor<*xf32>', whose rank is not known}}
  %6 = quant_float.node "Relu"(%y) opset 21 : (tensor<*xf32>) -> tensor<*xf32>
  return %5 : tensor<*xf32>
}
