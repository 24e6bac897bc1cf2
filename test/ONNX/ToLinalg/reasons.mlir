// Further reasons why a node has no lowering.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @elementwise(%x: tensor<2x3xf32>, %s: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'Add': axis must be between 0 and 1 for an input 1 of rank 1, but got 2}}
  %0 = quant_float.node "Add"(%x, %s) opset 6 attributes {axis = 2 : i64, broadcast = 1 : i64} : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Add': axis must be between 0 and 1 for an input 1 of rank 1, but got 9223372036854775807}}
  %far = quant_float.node "Add"(%x, %s) opset 6 attributes {axis = 9223372036854775807 : i64, broadcast = 1 : i64} : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Mod': fmod must be 1 for floats}}
  %1 = quant_float.node "Mod"(%s, %s) opset 13 : (tensor<4xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'BitShift': attribute 'direction': expected 'LEFT' or 'RIGHT', but got 'UP'}}
  %2 = quant_float.node "BitShift"(%i, %i) opset 13 attributes {direction = "UP"} : (tensor<4xi32>, tensor<4xi32>) -> tensor<*xi32>
  // expected-error @+1 {{'Where': expected 3 inputs, but got 1}}
  %3 = quant_float.node "Where"(%x) opset 13 : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Gather': expected 2 inputs, but got 1}}
  %4 = quant_float.node "Gather"(%x) opset 13 : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Clip': expected 1 to 3 inputs, but got 4}}
  %5 = quant_float.node "Clip"(%x, %x, %x, %x) opset 13 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Concat': expected at least 1 inputs, but got 0}}
  %6 = quant_float.node "Concat"() opset 13 attributes {axis = 0 : i64} : () -> tensor<*xf32>
  return
}

// -----

func.func @movement(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %p: tensor<?xi64>, %z: tensor<2xf32>) {
  // expected-error @+1 {{'Transpose': perm must have 2 axes, but got 1}}
  %0 = quant_float.node "Transpose"(%x) opset 13 attributes {perm = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Transpose': axis -1 is specified twice}}
  %1 = quant_float.node "Transpose"(%x) opset 13 attributes {perm = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Concat': the inputs must have the same rank and type of elements}}
  %2 = quant_float.node "Concat"(%x, %y) opset 13 attributes {axis = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Split': the number of parts is not known}}
  %3:2 = quant_float.node "Split"(%y, %p) opset 13 : (tensor<3xf32>, tensor<?xi64>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'Split': the size 3 is not divisible into 2 equal parts}}
  %4:2 = quant_float.node "Split"(%y) opset 13 : (tensor<3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'Gather': indices must be integers}}
  %5 = quant_float.node "Gather"(%x, %z) opset 13 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @slices(%x: tensor<2x3xf32>, %p: tensor<?xi64>, %q: tensor<1xi64>) {
  %one = arith.constant dense<1> : tensor<1xi64>
  %zero = arith.constant dense<0> : tensor<1xi64>
  %two = arith.constant dense<[1, 2]> : tensor<2xi64>
  // expected-error @+1 {{'Slice': starts, ends, axes and steps must have the same number of elements}}
  %0 = quant_float.node "Slice"(%x, %zero, %two) opset 13 : (tensor<2x3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Slice': a step must not be 0 or -2^63, but got 0}}
  %1 = quant_float.node "Slice"(%x, %zero, %one, %zero, %zero) opset 13 : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Slice': the number of elements of starts and ends must be known}}
  %2 = quant_float.node "Slice"(%x, %p, %one) opset 13 : (tensor<2x3xf32>, tensor<?xi64>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Slice': the number of elements of axes and steps must be known}}
  %3 = quant_float.node "Slice"(%x, %zero, %one, %p) opset 13 : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Slice': starts, ends, axes and steps must have the same number of elements}}
  %4 = quant_float.node "Slice"(%x, %two, %two, %q) opset 13 : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @shapes(%x: tensor<2x3xf32>, %e: tensor<0x3xf32>) {
  %nothing = arith.constant dense<[-1, 0]> : tensor<2xi64>
  // expected-error @+1 {{'Reshape': a size of -1 is ambiguous if another size is 0}}
  %0 = quant_float.node "Reshape"(%e, %nothing) opset 14 attributes {allowzero = 1 : i64} : (tensor<0x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  %fours = arith.constant dense<[-1, 4]> : tensor<2xi64>
  // expected-error @+1 {{'Reshape': 6 elements cannot be reshaped to a multiple of 4}}
  %1 = quant_float.node "Reshape"(%x, %fours) opset 14 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  %copied = arith.constant dense<[2, 3, 0]> : tensor<3xi64>
  // expected-error @+1 {{'Reshape': the shape copies size 2 of an input of rank 2}}
  %2 = quant_float.node "Reshape"(%x, %copied) opset 14 : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<*xf32>
  %open = arith.constant dense<[-1, -1]> : tensor<2xi64>
  // expected-error @+1 {{'Reshape': the shape has more than one -1}}
  %3 = quant_float.node "Reshape"(%x, %open) opset 14 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Unsqueeze': attribute 'axes' is missing}}
  %4 = quant_float.node "Unsqueeze"(%x) opset 11 : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ConstantOfShape': attribute 'value' must be a tensor of one element}}
  %5 = quant_float.node "ConstantOfShape"(%copied) opset 14 attributes {value = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<3xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Constant': it has none of the attributes value, value_float, value_floats, value_int and value_ints}}
  %6 = quant_float.node "Constant"() opset 14 : () -> tensor<*xf32>
  return
}

// -----

func.func @matmuls(%x: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<1x4x4xi8>, %w: tensor<4x4x1xi8>, %z: tensor<4x4xi8>, %z4: tensor<4xi8>, %r: tensor<1x2x4xi8>) {
  // expected-error @+1 {{'MatMul': an operand must have rank 1 or more, but got a scalar}}
  %0 = quant_float.node "MatMul"(%x, %s) opset 13 : (tensor<2x3xf32>, tensor<f32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulInteger': input 2 has rank 2, but its operand has rank 3}}
  %1 = quant_float.node "MatMulInteger"(%r, %i, %z) opset 13 : (tensor<1x2x4xi8>, tensor<1x4x4xi8>, tensor<4x4xi8>) -> tensor<*xi32>
  // expected-error @+1 {{'ConvInteger': the number of elements of input 2 must be 1, but got 4}}
  %2 = quant_float.node "ConvInteger"(%i, %w, %z4) opset 13 : (tensor<1x4x4xi8>, tensor<4x4x1xi8>, tensor<4xi8>) -> tensor<*xi32>
  // expected-error @+1 {{'ConvInteger': input 3 must have rank 1, but got 2}}
  %3 = quant_float.node "ConvInteger"(%i, %w, %z) opset 13 absent [2] : (tensor<1x4x4xi8>, tensor<4x4x1xi8>, tensor<4x4xi8>) -> tensor<*xi32>
  return
}

// -----

func.func @others(%x: tensor<1x1x4x4xf32>, %r: tensor<f32>, %v: tensor<4xf32>, %s: tensor<5xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'BatchNormalization': the input must not be a scalar}}
  %0 = quant_float.node "BatchNormalization"(%r, %v, %v, %v, %v) opset 15 : (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<*xf32>
  %sizes = arith.constant dense<[1, 1, 2, -2]> : tensor<4xi64>
  // expected-error @+1 {{'Resize': a size must be at least 0, but got -2}}
  %1 = quant_float.node "Resize"(%x, %sizes) opset 19 absent [1, 2] : (tensor<1x1x4x4xf32>, tensor<4xi64>) -> tensor<*xf32>
  %scales = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @+1 {{'Resize': attribute 'coordinate_transformation_mode': expected 'half_pixel', 'half_pixel_symmetric', 'pytorch_half_pixel', 'align_corners', 'asymmetric', 'tf_half_pixel_for_nn' or 'tf_crop_and_resize', but got 'round'}}
  %2 = quant_float.node "Resize"(%x, %scales) opset 19 attributes {coordinate_transformation_mode = "round"} absent [1] : (tensor<1x1x4x4xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Resize': attribute 'nearest_mode': expected 'round_prefer_floor', 'round_prefer_ceil', 'floor' or 'ceil', but got 'next'}}
  %3 = quant_float.node "Resize"(%x, %scales) opset 19 attributes {nearest_mode = "next"} absent [1] : (tensor<1x1x4x4xf32>, tensor<4xf32>) -> tensor<*xf32>
  %good = arith.constant dense<[1, 1, 2, 2]> : tensor<4xi64>
  // expected-error @+1 {{'Resize': attribute 'keep_aspect_ratio_policy': expected 'stretch', 'not_larger' or 'not_smaller', but got 'smaller'}}
  %4 = quant_float.node "Resize"(%x, %good) opset 19 attributes {keep_aspect_ratio_policy = "smaller"} absent [1, 2] : (tensor<1x1x4x4xf32>, tensor<4xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Resize': the scales must have at most 8 floating-point elements}}
  %5 = quant_float.node "Resize"(%x, %i) opset 19 absent [1] : (tensor<1x1x4x4xf32>, tensor<4xi32>) -> tensor<*xf32>
  return
}

// -----

func.func @no_tensors(%q: !quant_float.opaque<"seq(tensor(float))">, %o: !quant_float.opaque<"optional(tensor(float))">) {
  // expected-error @+1 {{'Relu': input 0 has the type '!quant_float.opaque<"seq(tensor(float))">', which is not a tensor}}
  %0 = quant_float.node "Relu"(%q) opset 14 : (!quant_float.opaque<"seq(tensor(float))">) -> tensor<*xf32>
  // expected-error @+1 {{'Identity': input 0 has the type '!quant_float.opaque<"optional(tensor(float))">', which is not a tensor}}
  %1 = quant_float.node "Identity"(%o) opset 16 : (!quant_float.opaque<"optional(tensor(float))">) -> !quant_float.opaque<"optional(tensor(float))">
  return
}

// -----

func.func @values(%x: tensor<2x3xf32>, %h: tensor<4xf16>) -> (tensor<*xf32>, tensor<*xui8>) {
  // expected-error @+1 {{'Neg': output 1 is not supported}}
  %0:2 = quant_float.node "Neg"(%x) opset 13 : (tensor<2x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'Sum': input 1 is absent}}
  %1 = quant_float.node "Sum"(%x, %x) opset 13 absent [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Concat': input 1 is absent}}
  %2 = quant_float.node "Concat"(%x, %x) opset 13 attributes {axis = 0 : i64} absent [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DynamicQuantizeLinear': the input must have elements of f32, but got 'f16'}}
  %3:3 = quant_float.node "DynamicQuantizeLinear"(%h) opset 11 : (tensor<4xf16>) -> (tensor<*xui8>, tensor<f32>, tensor<ui8>)
  return %0#1, %3#0 : tensor<*xf32>, tensor<*xui8>
}

// -----

func.func @values_of_attributes(%x: tensor<2x3xf32>, %b: tensor<2xf32>, %i: tensor<1x1x2x2xf32>) {
  // expected-error @+1 {{'Gelu': attribute 'approximate': expected 'none' or 'tanh', but got 'foo'}}
  %0 = quant_float.node "Gelu"(%x) opset 20 attributes {approximate = "foo"} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ReduceMax': attribute 'keepdims': expected 0 or 1, but got 2}}
  %1 = quant_float.node "ReduceMax"(%x) opset 13 attributes {keepdims = 2 : i64} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ReduceSum': attribute 'noop_with_empty_axes': expected 0 or 1, but got -1}}
  %2 = quant_float.node "ReduceSum"(%x) opset 13 attributes {noop_with_empty_axes = -1 : i64} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Gemm': attribute 'transB': expected 0 or 1, but got 3}}
  %3 = quant_float.node "Gemm"(%x, %x) opset 13 attributes {transB = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Mod': attribute 'fmod': expected 0 or 1, but got 2}}
  %4 = quant_float.node "Mod"(%x, %x) opset 13 attributes {fmod = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'IsInf': attribute 'detect_negative': expected 0 or 1, but got 2}}
  %5 = quant_float.node "IsInf"(%x) opset 13 attributes {detect_negative = 2 : i64} : (tensor<2x3xf32>) -> tensor<*xi1>
  // expected-error @+1 {{'AveragePool': attribute 'count_include_pad': expected 0 or 1, but got 2}}
  %6 = quant_float.node "AveragePool"(%i) opset 13 attributes {kernel_shape = array<i64: 1, 1>, count_include_pad = 2 : i64} : (tensor<1x1x2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxPool': attribute 'ceil_mode': expected 0 or 1, but got 2}}
  %7 = quant_float.node "MaxPool"(%i) opset 13 attributes {kernel_shape = array<i64: 1, 1>, ceil_mode = 2 : i64} : (tensor<1x1x2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MaxPool': attribute 'auto_pad': expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID', but got 'SAME'}}
  %8 = quant_float.node "MaxPool"(%i) opset 13 attributes {kernel_shape = array<i64: 1, 1>, auto_pad = "SAME"} : (tensor<1x1x2x2xf32>) -> tensor<*xf32>
  return
}

// -----

// Attributes and ops of other opsets.
func.func @opsets(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %s: tensor<2xf32>, %a: tensor<1xi64>) {
  // expected-error @+1 {{no lowering of the ONNX op 'BatchNormalization': attribute 'training_mode' exists from opset 14 on, but the node has opset 9}}
  %0 = quant_float.node "BatchNormalization"(%x, %v, %v, %v, %v) opset 9 attributes {training_mode = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Dropout': attribute 'ratio' exists before opset 12 only, but the node has opset 13}}
  %1 = quant_float.node "Dropout"(%x) opset 13 attributes {ratio = 0.5 : f32} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'ReduceSum': attribute 'axes' exists before opset 13 only, but the node has opset 13}}
  %2 = quant_float.node "ReduceSum"(%x, %a) opset 13 attributes {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
  // An attribute that only earlier versions have.
  // expected-error @+1 {{no lowering of the ONNX op 'Unsqueeze': attribute 'axes' exists before opset 13 only, but the node has opset 21}}
  %3 = quant_float.node "Unsqueeze"(%x, %a) opset 21 attributes {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{no lowering of the ONNX op 'Upsample': the op exists before opset 10 only, but the node has opset 10}}
  %4 = quant_float.node "Upsample"(%x, %s) opset 10 attributes {mode = "nearest"} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Relu': unknown attribute 'consumed_inputs'}}
  %5 = quant_float.node "Relu"(%x) opset 6 attributes {consumed_inputs = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

// Each op has its own attributes. Meaningless attributes that ONNX exporters add are ignored.
func.func @other_attributes(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{'Relu': unknown attribute 'alpha'}}
  %0 = quant_float.node "Relu"(%x) opset 14 attributes {alpha = 1.0 : f32} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Concat': attribute 'axis' is missing}}
  %1 = quant_float.node "Concat"(%x, %x) opset 4 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  %2 = quant_float.node "Concat"(%x, %x) opset 3 attributes {consumed_inputs = array<i64: 0, 0>, __note__ = "a"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Transpose': attribute 'perm': expected a list of ints, but got an int}}
  %3 = quant_float.node "Transpose"(%x) opset 13 attributes {perm = 1 : i64} : (tensor<2x3xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// A file of a few bytes can request any number of sizes.
func.func @dimensions(%x: tensor<1xf32>) {
  %shape = arith.constant dense<1> : tensor<65xi64>
  // expected-error @+1 {{'Expand': a shape must have at most 64 sizes, but got 65}}
  %0 = quant_float.node "Expand"(%x, %shape) opset 13 : (tensor<1xf32>, tensor<65xi64>) -> tensor<*xf32>
  %axes = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64]> : tensor<64xi64>
  %1 = quant_float.node "Unsqueeze"(%x, %axes) opset 13 : (tensor<1xf32>, tensor<64xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Relu': input 0 must have at most 64 dimensions, but got 65}}
  %2 = quant_float.node "Relu"(%1) opset 13 : (tensor<*xf32>) -> tensor<*xf32>
  return
}
