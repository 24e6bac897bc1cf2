// OpenVINO layers without a lowering: all are listed, each with the reason.
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx -split-input-file -verify-diagnostics
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx=allow-unsupported -split-input-file | FileCheck %s

// What only depends on another layer is not its fault; layers of other domains are not looked at.
// CHECK-LABEL: func.func @all_listed(
// CHECK: quant_float.node "Einsum"(%{{.+}}) opset 7 domain "openvino"
// CHECK: quant_float.node "ReLU"(%{{.+}}) opset 1 domain "openvino"
// CHECK: quant_float.node "Foo"(%{{.+}}) opset 1 domain "extension"
// CHECK: quant_float.node "Where"(
func.func @all_listed(%x: tensor<4xf32>) -> (!quant_float.unknown, tensor<4xf32>) {
  // expected-error @+1 {{node 'e' (Einsum): no lowering of the OpenVINO layer 'Einsum'}}
  %0 = quant_float.node "Einsum"(%x) opset 7 domain "openvino" {node_name = "e"} : (tensor<4xf32>) -> !quant_float.unknown
  %1 = quant_float.node "ReLU"(%0) opset 1 domain "openvino" : (!quant_float.unknown) -> !quant_float.unknown
  %2 = quant_float.node "Foo"(%x) opset 1 domain "extension" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{no lowering of the OpenVINO layer 'TopK'}}
  %3 = quant_float.node "TopK"(%2) opset 11 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  %4 = quant_float.node "ReLU"(%3) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %4 : !quant_float.unknown, tensor<4xf32>
}

// -----

func.func @before_its_first_opset(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the OpenVINO layer 'Sigmoid'}}
  %0 = quant_float.node "Sigmoid"(%x) opset 0 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @input_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the OpenVINO layer 'Add': expected 2 inputs, but got 1}}
  %0 = quant_float.node "Add"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{no lowering of the OpenVINO layer 'Concat': expected at least 1 inputs, but got 0}}
  %1 = quant_float.node "Concat"() opset 1 domain "openvino" attributes {axis = 0} : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @input_type(%x: !quant_float.unknown, %i: i32) -> !quant_float.unknown {
  // expected-error @+1 {{no lowering of the OpenVINO layer 'ReLU': input 0 has the type '!quant_float.unknown'}}
  %0 = quant_float.node "ReLU"(%x) opset 1 domain "openvino" : (!quant_float.unknown) -> !quant_float.unknown
  return %0 : !quant_float.unknown
}

// -----

func.func @output_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the OpenVINO layer 'ReLU': expected 1 output, but got 2}}
  %0:2 = quant_float.node "ReLU"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<4xf32>
}

// -----

func.func @output_type(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @+1 {{no lowering of the OpenVINO layer 'ReLU': output 0 is declared as 'tensor<4xf16>', but has elements of type 'f32'}}
  %0 = quant_float.node "ReLU"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @attribute_kinds(%x: tensor<4xf32>, %q: tensor<1x1x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'MatMul': attribute 'transpose_a': expected a boolean, but got a string}}
  %0 = quant_float.node "MatMul"(%x, %x) opset 1 domain "openvino" attributes {transpose_a = "maybe"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // expected-error @+1 {{'Clamp': attribute 'min': expected a float, but got an int}}
  %1 = quant_float.node "Clamp"(%x) opset 1 domain "openvino" attributes {min = 1 : i64, max = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Add': attribute 'auto_broadcast': expected a string, but got an int}}
  %2 = quant_float.node "Add"(%x, %x) opset 1 domain "openvino" attributes {auto_broadcast = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'SoftMax': attribute 'axis': expected an int, but got a string}}
  %3 = quant_float.node "SoftMax"(%x) opset 1 domain "openvino" attributes {axis = "0"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Convolution': attribute 'strides': expected a list of ints, but got a string}}
  %4 = quant_float.node "Convolution"(%q, %q) opset 1 domain "openvino" attributes {strides = "1"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x1xf32>
  // expected-error @+1 {{'Convert': attribute 'destination_type': expected an element type, but got an int}}
  %5 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @missing_attributes(%x: tensor<4xf32>, %l: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+1 {{'Convert': attribute 'destination_type' is missing}}
  %0 = quant_float.node "Convert"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Clamp': attribute 'min' is missing}}
  %1 = quant_float.node "Clamp"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Concat': attribute 'axis' is missing}}
  %2 = quant_float.node "Concat"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'FakeQuantize': attribute 'levels' is missing}}
  %3 = quant_float.node "FakeQuantize"(%x, %l, %l, %l, %l) opset 1 domain "openvino" : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @conversions(%x: tensor<4xf32>, %d: tensor<4xf64>, %q: tensor<4xf8E8M0FNU>, %z: tensor<4xf8E4M3FNUZ>) -> tensor<4xf32> {
  // expected-error @+1 {{'Convert': no conversion of elements of type 'f32' to 'nf4'}}
  %0 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = "nf4"} : (tensor<4xf32>) -> !quant_float.unknown
  // expected-error @+1 {{'Convert': no conversion of elements of type 'f64' to 'f4E2M1FN'}}
  %1 = quant_float.node "Convert"(%d) opset 1 domain "openvino" attributes {destination_type = f4E2M1FN} : (tensor<4xf64>) -> tensor<4xf4E2M1FN>
  // expected-error @+1 {{'Convert': no conversion of elements of type 'f8E8M0FNU' to 'i8'}}
  %2 = quant_float.node "Convert"(%q) opset 1 domain "openvino" attributes {destination_type = i8} : (tensor<4xf8E8M0FNU>) -> tensor<4xi8>
  // expected-error @+1 {{'ConvertLike': no conversion of elements of type 'f32' to 'f8E4M3FNUZ'}}
  %3 = quant_float.node "ConvertLike"(%x, %z) opset 1 domain "openvino" : (tensor<4xf32>, tensor<4xf8E4M3FNUZ>) -> tensor<4xf8E4M3FNUZ>
  // expected-error @+1 {{'Convert': no conversion of elements of type 'f32' to 'i128'}}
  %4 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = i128} : (tensor<4xf32>) -> tensor<4xi128>
  // expected-error @+1 {{'Convert': no conversion of elements of type 'f32' to 'i24'}}
  %5 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = i24} : (tensor<4xf32>) -> tensor<4xi24>
  return %x : tensor<4xf32>
}

// -----

func.func @elements(%x: tensor<4xf32>, %h: tensor<4xf16>, %i: tensor<4xi4>, %q: tensor<4xf8E4M3FN>, %n: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{'Add': inputs must have elements of one type, but got 'f32' and 'f16'}}
  %0 = quant_float.node "Add"(%x, %h) opset 1 domain "openvino" : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  // expected-error @+1 {{'Multiply': elements of type 'f8E4M3FN'}}
  %1 = quant_float.node "Multiply"(%q, %q) opset 1 domain "openvino" : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  // expected-error @+1 {{'ReLU': elements of type 'i4'}}
  %2 = quant_float.node "ReLU"(%i) opset 1 domain "openvino" : (tensor<4xi4>) -> tensor<4xi4>
  // expected-error @+1 {{'FakeQuantize': elements of type 'i32', which are no floats}}
  %3 = quant_float.node "FakeQuantize"(%n, %n, %n, %n, %n) opset 1 domain "openvino" attributes {levels = 4 : i64} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // expected-error @+1 {{'Reshape': input 1 must have integers, but got elements of type 'f32'}}
  %4 = quant_float.node "Reshape"(%x, %x) opset 1 domain "openvino" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @values(%x: tensor<4xf32>, %u: tensor<*xf32>, %o: tensor<2xi64>, %l: tensor<f32>, %q: tensor<1x1x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'Add': attribute 'auto_broadcast': expected 'numpy', 'none' or 'explicit', but got 'pdpd'}}
  %0 = quant_float.node "Add"(%x, %x) opset 1 domain "openvino" attributes {auto_broadcast = "pdpd"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'FakeQuantize': levels must be at least 2, but got 1}}
  %1 = quant_float.node "FakeQuantize"(%x, %l, %l, %l, %l) opset 1 domain "openvino" attributes {levels = 1 : i64} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  // expected-error @+1 {{'Transpose': the order of axes must be a constant}}
  %2 = quant_float.node "Transpose"(%u, %o) opset 1 domain "openvino" : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Gather': the axis must be a constant of one element}}
  %3 = quant_float.node "Gather"(%x, %o, %o) opset 8 domain "openvino" : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  // expected-error @+1 {{'Gather': batch_dims must be 0, but got 1}}
  %4 = quant_float.node "Gather"(%x, %o, %o) opset 7 domain "openvino" attributes {batch_dims = 1 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  // expected-error @+1 {{'MatMul': input 0 has the type 'tensor<*xf32>', whose rank is not known}}
  %5 = quant_float.node "MatMul"(%u, %x) opset 1 domain "openvino" attributes {transpose_a = true} : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Convolution': attribute 'auto_pad': expected 'explicit', 'notset', 'same_upper', 'same_lower' or 'valid', but got 'same'}}
  %6 = quant_float.node "Convolution"(%q, %q) opset 1 domain "openvino" attributes {auto_pad = "same"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x1xf32>
  // expected-error @+1 {{'Convolution': pads_begin has 1 values, but pads_end 2}}
  %7 = quant_float.node "Convolution"(%q, %q) opset 1 domain "openvino" attributes {pads_begin = array<i64: 1>, pads_end = array<i64: 1, 1>} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x1xf32>
  return %x : tensor<4xf32>
}

// -----

// What OpenVINO refuses, too.
func.func @refused(%x: tensor<4xf32>, %one: tensor<1xf32>, %m: tensor<1x3xf32>, %l: tensor<f32>, %g: tensor<4x1xf32>) -> tensor<4xf32> {
  %o = arith.constant dense<[0, -1]> : tensor<2xi64>
  // expected-error @+1 {{'Clamp': min must not be above max, but got 2.000000 and 1.000000}}
  %0 = quant_float.node "Clamp"(%x) opset 1 domain "openvino" attributes {min = 2.0 : f64, max = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Clamp': min must not be above max, but got nan and 1.000000}}
  %1 = quant_float.node "Clamp"(%x) opset 1 domain "openvino" attributes {min = 0x7FF8000000000000 : f64, max = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Transpose': the order of axes must have no negative ones}}
  %2 = quant_float.node "Transpose"(%m, %o) opset 1 domain "openvino" : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<1x3xf32>
  // expected-error @+1 {{'SoftMax': the axis may be negative from opset 8 on, but got -1}}
  %3 = quant_float.node "SoftMax"(%x) opset 1 domain "openvino" attributes {axis = -1} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Add': auto_broadcast none needs inputs of one shape, but got 'tensor<4xf32>' and 'tensor<1xf32>'}}
  %4 = quant_float.node "Add"(%x, %one) opset 1 domain "openvino" attributes {auto_broadcast = "none"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'FakeQuantize': limits must broadcast to the data, which does not grow, but got 'tensor<4x1xf32>' and 'tensor<1x3xf32>'}}
  %5 = quant_float.node "FakeQuantize"(%m, %g, %l, %l, %l) opset 1 domain "openvino" attributes {levels = 4 : i64} : (tensor<1x3xf32>, tensor<4x1xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
  return %x : tensor<4xf32>
}
