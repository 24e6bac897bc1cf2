// OpenVINO layers without a lowering: all are listed, each with the reason.
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx -split-input-file -verify-diagnostics
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx=allow-unsupported -split-input-file | FileCheck %s

// A layer that only depends on a failed one is not reported. Layers of other domains are ignored.
// CHECK-LABEL: func.func @all_listed(
// CHECK: quant_float.node "Einsum"(%{{.+}}) opset 7 domain "openvino"
// CHECK: quant_float.node "ReLU"(%{{.+}}) opset 1 domain "openvino"
// CHECK: quant_float.node "Foo"(%{{.+}}) opset 1 domain "extension"
// CHECK: quant_float.node "Where"(
func.func @all_listed(%x: tensor<4xf32>) -> (!quant_float.unknown, tensor<4xf32>) {
  // expected-error @+1 {{node 'e' (Einsum): no lowering of the OpenVINO layer 'Einsum'}}
  %0 = quant_float.node "Einsum"(%x) opset 7 domain "openvino" name "e" : (tensor<4xf32>) -> !quant_float.unknown
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
  // expected-error @+1 {{no lowering of the OpenVINO layer 'ReLU': expected 1 output(s), but got 2}}
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
  // expected-error @+1 {{'Convert': no conversion of element type 'f32' to 'nf4'}}
  %0 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = "nf4"} : (tensor<4xf32>) -> !quant_float.unknown
  // expected-error @+1 {{'Convert': no conversion of element type 'f64' to 'f4E2M1FN'}}
  %1 = quant_float.node "Convert"(%d) opset 1 domain "openvino" attributes {destination_type = f4E2M1FN} : (tensor<4xf64>) -> tensor<4xf4E2M1FN>
  // expected-error @+1 {{'Convert': no conversion of element type 'f8E8M0FNU' to 'i8'}}
  %2 = quant_float.node "Convert"(%q) opset 1 domain "openvino" attributes {destination_type = i8} : (tensor<4xf8E8M0FNU>) -> tensor<4xi8>
  // expected-error @+1 {{'ConvertLike': no conversion of element type 'f32' to 'f8E4M3FNUZ'}}
  %3 = quant_float.node "ConvertLike"(%x, %z) opset 1 domain "openvino" : (tensor<4xf32>, tensor<4xf8E4M3FNUZ>) -> tensor<4xf8E4M3FNUZ>
  // expected-error @+1 {{'Convert': no conversion of element type 'f32' to 'i128'}}
  %4 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = i128} : (tensor<4xf32>) -> tensor<4xi128>
  // expected-error @+1 {{'Convert': no conversion of element type 'f32' to 'i24'}}
  %5 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = i24} : (tensor<4xf32>) -> tensor<4xi24>
  return %x : tensor<4xf32>
}

// -----

func.func @elements(%x: tensor<4xf32>, %h: tensor<4xf16>, %i: tensor<4xi4>, %q: tensor<4xf8E4M3FN>, %n: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{'Add': inputs must have elements of the same type, but got 'f32' and 'f16'}}
  %0 = quant_float.node "Add"(%x, %h) opset 1 domain "openvino" : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  // expected-error @+1 {{'Multiply': elements of type 'f8E4M3FN'}}
  %1 = quant_float.node "Multiply"(%q, %q) opset 1 domain "openvino" : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  // expected-error @+1 {{'ReLU': elements of type 'i4'}}
  %2 = quant_float.node "ReLU"(%i) opset 1 domain "openvino" : (tensor<4xi4>) -> tensor<4xi4>
  // expected-error @+1 {{'FakeQuantize': elements of type 'i32', which are not floats}}
  %3 = quant_float.node "FakeQuantize"(%n, %n, %n, %n, %n) opset 1 domain "openvino" attributes {levels = 4 : i64} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // expected-error @+1 {{'Reshape': input 1 must have integer elements, but got elements of type 'f32'}}
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
  %a = arith.constant dense<0> : tensor<i64>
  // expected-error @+1 {{'Gather': axis 0 precedes batch_dims 1}}
  %4 = quant_float.node "Gather"(%x, %o, %a) opset 7 domain "openvino" attributes {batch_dims = 1 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2xf32>
  // expected-error @+1 {{'MatMul': input 0 has the type 'tensor<*xf32>', whose rank is not known}}
  %5 = quant_float.node "MatMul"(%u, %x) opset 1 domain "openvino" attributes {transpose_a = true} : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Convolution': attribute 'auto_pad': expected 'explicit', 'notset', 'same_upper', 'same_lower' or 'valid', but got 'same'}}
  %6 = quant_float.node "Convolution"(%q, %q) opset 1 domain "openvino" attributes {auto_pad = "same"} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x1xf32>
  // expected-error @+1 {{'Convolution': pads_begin has 1 values, but pads_end has 2}}
  %7 = quant_float.node "Convolution"(%q, %q) opset 1 domain "openvino" attributes {pads_begin = array<i64: 1>, pads_end = array<i64: 1, 1>} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x1xf32>
  return %x : tensor<4xf32>
}

// -----

// Layers that OpenVINO rejects, too.
func.func @refused(%x: tensor<4xf32>, %one: tensor<1xf32>, %m: tensor<1x3xf32>, %l: tensor<f32>, %g: tensor<4x1xf32>) -> tensor<4xf32> {
  %o = arith.constant dense<[0, -1]> : tensor<2xi64>
  // expected-error @+1 {{'Clamp': min must not be greater than max, but got 2.000000 and 1.000000}}
  %0 = quant_float.node "Clamp"(%x) opset 1 domain "openvino" attributes {min = 2.0 : f64, max = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Clamp': min must not be greater than max, but got nan and 1.000000}}
  %1 = quant_float.node "Clamp"(%x) opset 1 domain "openvino" attributes {min = 0x7FF8000000000000 : f64, max = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Transpose': the order of axes must not contain negative axes}}
  %2 = quant_float.node "Transpose"(%m, %o) opset 1 domain "openvino" : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<1x3xf32>
  // expected-error @+1 {{'SoftMax': the axis may be negative from opset 8 on, but got -1}}
  %3 = quant_float.node "SoftMax"(%x) opset 1 domain "openvino" attributes {axis = -1} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'Add': auto_broadcast none requires inputs of the same shape, but got 'tensor<4xf32>' and 'tensor<1xf32>'}}
  %4 = quant_float.node "Add"(%x, %one) opset 1 domain "openvino" attributes {auto_broadcast = "none"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'FakeQuantize': limits must broadcast to the data without changing its shape, but got 'tensor<4x1xf32>' and 'tensor<1x3xf32>'}}
  %5 = quant_float.node "FakeQuantize"(%m, %g, %l, %l, %l) opset 1 domain "openvino" attributes {levels = 4 : i64} : (tensor<1x3xf32>, tensor<4x1xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @lists(%x: tensor<2x3x4x5xf32>, %i: tensor<2xi64>, %u: tensor<?xi64>, %k: tensor<f32>, %b: tensor<2x3x4x5xi1>) {
  %one = arith.constant dense<1> : tensor<1xi64>
  %two = arith.constant dense<[1, 0]> : tensor<2xi64>
  %five = arith.constant dense<0> : tensor<5xi64>
  %n = arith.constant dense<-1> : tensor<1xi64>
  %low = arith.constant dense<-1> : tensor<4xi64>
  %far = arith.constant dense<7> : tensor<1xi64>
  %wide = arith.constant dense<[1, 2000, 1, 1]> : tensor<4xi64>
  // expected-error @+1 {{'Squeeze': input 1 must be a constant}}
  %r101 = quant_float.node "Squeeze"(%x, %i) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Squeeze': expected 1 to 2 inputs, but got 0}}
  %r102 = quant_float.node "Squeeze"() opset 15 domain "openvino" : () -> tensor<*xf32>
  // expected-error @+1 {{'Split': input 1 must be a constant of one element}}
  %r103 = quant_float.node "Split"(%x, %i) opset 15 domain "openvino" attributes {num_splits = 1 : i64} : (tensor<2x3x4x5xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Split': num_splits is 3, but the number of outputs is 1}}
  %r104 = quant_float.node "Split"(%x, %one) opset 15 domain "openvino" attributes {num_splits = 3 : i64} : (tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'VariadicSplit': axis 7 of rank 4}}
  %r105 = quant_float.node "VariadicSplit"(%x, %far, %n) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'StridedSlice': input 1 has the type 'tensor<?xi64>', which is not a list of at most 64 elements}}
  %r106 = quant_float.node "StridedSlice"(%x, %u, %u) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'StridedSlice': slices of 5 axes of a tensor of rank 4}}
  %r107 = quant_float.node "StridedSlice"(%x, %five, %five) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<5xi64>, tensor<5xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'StridedSlice': the position of a removed axis must be a constant}}
  %r108 = quant_float.node "StridedSlice"(%x, %i, %i) opset 15 domain "openvino" attributes {shrink_axis_mask = array<i64: 1>} : (tensor<2x3x4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Pad': expected 4 pads on each side, but got 1 and 1}}
  %r109 = quant_float.node "Pad"(%x, %one, %one) opset 15 domain "openvino" attributes {pad_mode = "symmetric"} : (tensor<2x3x4x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Pad': symmetric pads must not be negative}}
  %r110 = quant_float.node "Pad"(%x, %low, %low) opset 15 domain "openvino" attributes {pad_mode = "symmetric"} : (tensor<2x3x4x5xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Broadcast': mode explicit requires an axis mapping}}
  %r111 = quant_float.node "Broadcast"(%x, %i) opset 15 domain "openvino" attributes {mode = "explicit"} : (tensor<2x3x4x5xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Broadcast': the axis mapping must be sorted}}
  %r112 = quant_float.node "Broadcast"(%x, %i, %two) opset 15 domain "openvino" attributes {mode = "explicit"} : (tensor<2x3x4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ShapeOf': attribute 'output_type' must be an integer type, but got 'nf4'}}
  %r113 = quant_float.node "ShapeOf"(%x) opset 15 domain "openvino" attributes {output_type = "nf4"} : (tensor<2x3x4x5xf32>) -> !quant_float.unknown
  // expected-error @+1 {{'Range': unsupported element type 'nf4'}}
  %r114 = quant_float.node "Range"(%k, %k, %k) opset 15 domain "openvino" attributes {output_type = "nf4"} : (tensor<f32>, tensor<f32>, tensor<f32>) -> !quant_float.unknown
  // expected-error @+1 {{'LogicalNot': input 0 must have booleans, but got elements of type 'f32'}}
  %r115 = quant_float.node "LogicalNot"(%x) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>) -> tensor<*xi1>
  // expected-error @+1 {{'ReduceLogicalOr': elements of type 'f32'}}
  %r116 = quant_float.node "ReduceLogicalOr"(%x, %one) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<*xi1>
  // expected-error @+1 {{'TopK': attribute 'index_element_type' must be an integer type, but got 'nf4'}}
  %r117:2 = quant_float.node "TopK"(%x, %one) opset 15 domain "openvino" attributes {axis = 1 : i64, index_element_type = "nf4", mode = "max", sort = "value"} : (tensor<2x3x4x5xf32>, tensor<1xi64>) -> (tensor<*xf32>, !quant_float.unknown)
  // expected-error @+1 {{'LRN': the axes must be 1, the channel axis}}
  %r118 = quant_float.node "LRN"(%x, %far) opset 15 domain "openvino" attributes {size = 3 : i64} : (tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GroupNormalization': the input must have rank 2 or more, but got 0}}
  %r119 = quant_float.node "GroupNormalization"(%k, %k, %k) opset 15 domain "openvino" attributes {epsilon = 1.0, num_groups = 1 : i64} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  // expected-error @+1 {{'ScatterUpdate': axis 7 of rank 4}}
  %r120 = quant_float.node "ScatterUpdate"(%x, %i, %x, %far) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<2xi64>, tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ScatterElementsUpdate': unknown reduction mean}}
  %r121 = quant_float.node "ScatterElementsUpdate"(%x, %i, %x, %one) opset 15 domain "openvino" attributes {reduction = "mean"} : (tensor<2x3x4x5xf32>, tensor<2xi64>, tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ScatterElementsUpdate': reduction sum without the initial values}}
  %r122 = quant_float.node "ScatterElementsUpdate"(%x, %i, %x, %one) opset 15 domain "openvino" attributes {reduction = "sum", use_init_val = false} : (tensor<2x3x4x5xf32>, tensor<2xi64>, tensor<2x3x4x5xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'SpaceToDepth': the input must have rank 3 or more, but got 0}}
  %r123 = quant_float.node "SpaceToDepth"(%k) opset 15 domain "openvino" attributes {mode = "blocks_first"} : (tensor<f32>) -> tensor<*xf32>
  // expected-error @+1 {{'SpaceToDepth': block_size must be 1 to 1024, but got 0}}
  %r124 = quant_float.node "SpaceToDepth"(%x) opset 15 domain "openvino" attributes {block_size = 0 : i64, mode = "blocks_first"} : (tensor<2x3x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'SpaceToBatch': expected 4 values for the axes, but got 1}}
  %r125 = quant_float.node "SpaceToBatch"(%x, %one, %one, %one) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'SpaceToBatch': a block size must be 1 to 1024, but got 2000}}
  %r126 = quant_float.node "SpaceToBatch"(%x, %wide, %wide, %wide) opset 15 domain "openvino" : (tensor<2x3x4x5xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ShuffleChannels': axis 7 of rank 4 in 1 groups}}
  %r127 = quant_float.node "ShuffleChannels"(%x) opset 15 domain "openvino" attributes {axis = 7 : i64} : (tensor<2x3x4x5xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @windows(%x: tensor<1x2x4x5xf32>, %o: tensor<1x2x?x?xf32>, %w: tensor<2x1x3x3xf32>, %k: tensor<f32>, %s: tensor<2xf32>, %i: tensor<2xi64>, %f: tensor<3xf32>) {
  %one = arith.constant dense<1> : tensor<1xi64>
  %two = arith.constant dense<[2, 3]> : tensor<2xi64>
  %many = arith.constant dense<5000> : tensor<2xi64>
  %zero = arith.constant dense<[0.0, -1.0]> : tensor<2xf32>
  %scales = arith.constant dense<2.0> : tensor<2xf32>
  // expected-error @+1 {{'MaxPool': rounding_type ceil requires static sizes, but the input has the type 'tensor<1x2x?x?xf32>'}}
  %r128 = quant_float.node "MaxPool"(%o) opset 1 domain "openvino" attributes {kernel = array<i64: 2, 2>, rounding_type = "ceil"} : (tensor<1x2x?x?xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxPool': strides must be 1 to 2147483647, but got 0}}
  %r129 = quant_float.node "MaxPool"(%x) opset 1 domain "openvino" attributes {kernel = array<i64: 2, 2>, strides = array<i64: 0, 1>} : (tensor<1x2x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxPool': strides must have 2 values, but got 1}}
  %r90 = quant_float.node "MaxPool"(%x) opset 1 domain "openvino" attributes {kernel = array<i64: 2, 2>, strides = array<i64: 1>} : (tensor<1x2x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxPool': pads_begin and pads_end must have 2 values}}
  %r130 = quant_float.node "MaxPool"(%x) opset 1 domain "openvino" attributes {kernel = array<i64: 2, 2>, pads_begin = array<i64: 0>} : (tensor<1x2x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'AdaptiveAvgPool': expected an input of rank 4 and static sizes, but got the type 'tensor<1x2x?x?xf32>'}}
  %r131 = quant_float.node "AdaptiveAvgPool"(%o, %two) opset 15 domain "openvino" : (tensor<1x2x?x?xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'AdaptiveAvgPool': the output must have 1 to 1024 windows, but got 5000}}
  %r132 = quant_float.node "AdaptiveAvgPool"(%x, %many) opset 15 domain "openvino" : (tensor<1x2x4x5xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GroupConvolution': input 1 must be filters of static sizes with a group axis, but has the type 'tensor<3xf32>'}}
  %r133 = quant_float.node "GroupConvolution"(%x, %f) opset 15 domain "openvino" : (tensor<1x2x4x5xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ConvolutionBackpropData': an output shape with auto_pad explicit}}
  %r134 = quant_float.node "ConvolutionBackpropData"(%x, %w, %two) opset 15 domain "openvino" : (tensor<1x2x4x5xf32>, tensor<2x1x3x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Interpolate': antialias}}
  %r135 = quant_float.node "Interpolate"(%x, %scales, %two) opset 15 domain "openvino" attributes {mode = "nearest", shape_calculation_mode = "scales", antialias = true} : (tensor<1x2x4x5xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Interpolate': nearest_mode simple}}
  %r136 = quant_float.node "Interpolate"(%x, %scales, %two) opset 15 domain "openvino" attributes {mode = "nearest", shape_calculation_mode = "scales", nearest_mode = "simple"} : (tensor<1x2x4x5xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Interpolate': scales must be a constant with a value for each axis}}
  %r137 = quant_float.node "Interpolate"(%x, %s, %two) opset 15 domain "openvino" attributes {mode = "nearest", shape_calculation_mode = "scales", coordinate_transformation_mode = "align_corners"} : (tensor<1x2x4x5xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Interpolate': the size of axis 2 is not known}}
  %r138 = quant_float.node "Interpolate"(%o, %scales, %two) opset 15 domain "openvino" attributes {mode = "nearest", shape_calculation_mode = "scales", coordinate_transformation_mode = "align_corners"} : (tensor<1x2x?x?xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Interpolate': a scale gives the size -5.000000}}
  %r139 = quant_float.node "Interpolate"(%x, %zero, %two) opset 15 domain "openvino" attributes {mode = "nearest", shape_calculation_mode = "scales", coordinate_transformation_mode = "align_corners"} : (tensor<1x2x4x5xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ScaledDotProductAttention': inputs must have rank 2 or more}}
  %r140 = quant_float.node "ScaledDotProductAttention"(%f, %f, %f) opset 15 domain "openvino" : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'RNNCell': attribute 'activations_alpha'}}
  %r141 = quant_float.node "RNNCell"(%w, %w, %w, %w) opset 4 domain "openvino" attributes {activations_alpha = array<f32: 1.0>, hidden_size = 2 : i64} : (tensor<2x1x3x3xf32>, tensor<2x1x3x3xf32>, tensor<2x1x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @positions(%x: tensor<1x2x4x5xf32>) -> (tensor<*xi64>, tensor<*xi64>, tensor<*xi64>) {
  %two = arith.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error @+1 {{'AdaptiveMaxPool': the indices of the largest elements}}
  %0:2 = quant_float.node "AdaptiveMaxPool"(%x, %two) opset 15 domain "openvino" : (tensor<1x2x4x5xf32>, tensor<2xi64>) -> (tensor<*xf32>, tensor<*xi64>)
  // expected-error @+1 {{'MaxPool': axis 9 of rank 4}}
  %1:2 = quant_float.node "MaxPool"(%x) opset 15 domain "openvino" attributes {kernel = array<i64: 2, 2>, axis = 9 : i64} : (tensor<1x2x4x5xf32>) -> (tensor<*xf32>, tensor<*xi64>)
  // expected-error @+1 {{'MaxPool': attribute 'index_element_type' must be an integer type, but got 'nf4'}}
  %2:2 = quant_float.node "MaxPool"(%x) opset 15 domain "openvino" attributes {kernel = array<i64: 2, 2>, index_element_type = "nf4"} : (tensor<1x2x4x5xf32>) -> (tensor<*xf32>, tensor<*xi64>)
  return %0#1, %1#1, %2#1 : tensor<*xi64>, tensor<*xi64>, tensor<*xi64>
}

// -----

func.func @indices(%x: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<2xi64>) {
  %one = arith.constant dense<1> : tensor<i64>
  %axes = arith.constant dense<[0, 2]> : tensor<2xi64>
  // expected-error @+1 {{'Roll': expected one shift for each of 2 axes, but got 1}}
  %r0 = quant_float.node "Roll"(%x, %one, %axes) opset 7 domain "openvino" : (tensor<2x3xf32>, tensor<i64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Roll': axis 2 of rank 2}}
  %r1 = quant_float.node "Roll"(%x, %axes, %axes) opset 7 domain "openvino" : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Roll': input 2 must be a constant}}
  %r2 = quant_float.node "Roll"(%x, %i, %i) opset 7 domain "openvino" : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'NonZero': a scalar has no axes}}
  %r3 = quant_float.node "NonZero"(%s) opset 3 domain "openvino" : (tensor<f32>) -> tensor<*xi64>
  // expected-error @+1 {{'Eye': unsupported element type 'nf4'}}
  %r4 = quant_float.node "Eye"(%one, %one, %one) opset 9 domain "openvino" attributes {output_type = "nf4"} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xf32>
  return
}
