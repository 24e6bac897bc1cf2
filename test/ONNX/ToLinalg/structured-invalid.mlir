// Matmuls, convolutions, pooling, reductions and Resize: errors in a node.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -verify-diagnostics

func.func @matmul_reduction_axis(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<2x5xf32> {
  // expected-error @+1 {{no lowering of the ONNX op 'MatMul': the size of the reduction axis must be 3, but got 4}}
  %0 = quant_float.node "MatMul"(%a, %b) opset 13 : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @matmul_batches(%a: tensor<2x3x4xf32>, %b: tensor<5x4x6xf32>) -> tensor<2x3x6xf32> {
  // expected-error @+1 {{the sizes 2 and 5 do not broadcast}}
  %0 = quant_float.node "MatMul"(%a, %b) opset 13 : (tensor<2x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x3x6xf32>
  return %0 : tensor<2x3x6xf32>
}

func.func @matmul_integer_zero_points(%a: tensor<2x3xi8>, %b: tensor<3x5xi8>, %z: tensor<3xi8>) -> tensor<2x5xi32> {
  // expected-error @+1 {{the number of elements of input 2 must be 2, but got 3}}
  %0 = quant_float.node "MatMulInteger"(%a, %b, %z) opset 10 : (tensor<2x3xi8>, tensor<3x5xi8>, tensor<3xi8>) -> tensor<2x5xi32>
  return %0 : tensor<2x5xi32>
}

func.func @matmul_integer_types(%a: tensor<2x3xui8>, %b: tensor<3x5xi8>, %f: tensor<3x5xf32>, %z: tensor<i8>) -> tensor<*xi32> {
  // expected-error @+1 {{input 1 must have integers of 8 bits, but got 'f32'}}
  %0 = quant_float.node "MatMulInteger"(%a, %f) opset 10 : (tensor<2x3xui8>, tensor<3x5xf32>) -> tensor<*xi32>
  // expected-error @+1 {{input 2 must have elements of type 'ui8', but got 'i8'}}
  %1 = quant_float.node "MatMulInteger"(%a, %b, %z) opset 10 : (tensor<2x3xui8>, tensor<3x5xi8>, tensor<i8>) -> tensor<*xi32>
  return %0 : tensor<*xi32>
}

func.func @gemm_rank(%a: tensor<2x3x1xf32>, %b: tensor<3x5xf32>) -> tensor<2x5xf32> {
  // expected-error @+1 {{the operands must have rank 2}}
  %0 = quant_float.node "Gemm"(%a, %b) opset 13 : (tensor<2x3x1xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @gemm_addend(%a: tensor<1x3xf32>, %b: tensor<3x5xf32>, %c: tensor<2x5xf32>) -> tensor<1x5xf32> {
  // expected-error @+1 {{input 2 is larger than the result of the matmul}}
  %0 = quant_float.node "Gemm"(%a, %b, %c) opset 13 : (tensor<1x3xf32>, tensor<3x5xf32>, tensor<2x5xf32>) -> tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
}

func.func @gemm_dynamic_addend(%a: tensor<1x3xf32>, %b: tensor<3x?xf32>, %c: tensor<2x5xf32>) -> tensor<1x?xf32> {
  // expected-error @+1 {{input 2 is larger than the result of the matmul}}
  %0 = quant_float.node "Gemm"(%a, %b, %c) opset 13 : (tensor<1x3xf32>, tensor<3x?xf32>, tensor<2x5xf32>) -> tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}

func.func @gemm_integers(%a: tensor<1x3xi32>, %b: tensor<3x5xi32>) -> tensor<1x5xi32> {
  // expected-error @+1 {{alpha and beta must have integer values for integers}}
  %0 = quant_float.node "Gemm"(%a, %b) opset 13 attributes {alpha = 0.5 : f32} : (tensor<1x3xi32>, tensor<3x5xi32>) -> tensor<1x5xi32>
  return %0 : tensor<1x5xi32>
}

func.func @conv_rank(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{input and weight must have the same rank of 3 or more, but got 3 and 4}}
  %0 = quant_float.node "Conv"(%x, %w) opset 11 : (tensor<1x3x8xf32>, tensor<4x3x3x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @conv_channels(%x: tensor<1x3x8xf32>, %w: tensor<4x2x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{the number of channels must be 4, but got 3}}
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {group = 2 : i64} : (tensor<1x3x8xf32>, tensor<4x2x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @conv_groups(%x: tensor<1x6x8xf32>, %w: tensor<4x2x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{attribute 'group' must divide the channels of the result, but got 3}}
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {group = 3 : i64} : (tensor<1x6x8xf32>, tensor<4x2x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @conv_group_range(%x: tensor<1x0x8xf32>, %w: tensor<0x0x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{values of attribute 'group' must be between 1 and 2147483647, but got 9223372036854775807}}
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {group = 9223372036854775807 : i64} : (tensor<1x0x8xf32>, tensor<0x0x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{values of attribute 'group' must be between 1 and 2147483647, but got 0}}
  %1 = quant_float.node "Conv"(%x, %w) opset 11 attributes {group = 0 : i64} : (tensor<1x0x8xf32>, tensor<0x0x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @conv_integer_types(%x: tensor<1x1x4xui8>, %w: tensor<1x1x2xi8>, %f: tensor<1x1x2xf32>, %l: tensor<1x1x4xi64>, %z: tensor<i8>, %u: tensor<ui8>) -> tensor<*xi32> {
  // expected-error @+1 {{input 0 must have integers of 8 bits, but got 'i64'}}
  %0 = quant_float.node "ConvInteger"(%l, %w) opset 10 : (tensor<1x1x4xi64>, tensor<1x1x2xi8>) -> tensor<*xi32>
  // expected-error @+1 {{input 1 must have integers of 8 bits, but got 'f32'}}
  %1 = quant_float.node "ConvInteger"(%x, %f) opset 10 : (tensor<1x1x4xui8>, tensor<1x1x2xf32>) -> tensor<*xi32>
  // expected-error @+1 {{input 2 must have elements of type 'ui8', but got 'i8'}}
  %2 = quant_float.node "ConvInteger"(%x, %w, %z) opset 10 attributes {pads = array<i64: 1, 1>} : (tensor<1x1x4xui8>, tensor<1x1x2xi8>, tensor<i8>) -> tensor<*xi32>
  // expected-error @+1 {{input 3 must have elements of type 'i8', but got 'ui8'}}
  %3 = quant_float.node "ConvInteger"(%x, %w, %u, %u) opset 10 : (tensor<1x1x4xui8>, tensor<1x1x2xi8>, tensor<ui8>, tensor<ui8>) -> tensor<*xi32>
  return %0 : tensor<*xi32>
}

func.func @conv_bias(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{the size of input 2 must be 4, but got 3}}
  %0 = quant_float.node "Conv"(%x, %w, %b) opset 11 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @conv_kernel_shape(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{attribute 'kernel_shape' has 2 where the weight has 3}}
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {kernel_shape = array<i64: 2>} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @conv_strides(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{attribute 'strides' must have 1 values, but got 2}}
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {strides = array<i64: 1, 1>} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{values of attribute 'strides' must be between 1 and 2147483647, but got 0}}
  %1 = quant_float.node "Conv"(%x, %w) opset 11 attributes {strides = array<i64: 0>} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{values of attribute 'pads' must be between 0 and 2147483647, but got 2147483648}}
  %2 = quant_float.node "Conv"(%x, %w) opset 11 attributes {pads = array<i64: 0, 2147483648>} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @conv_auto_pad(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{attribute 'auto_pad': expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID', but got 'SAME'}}
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {auto_pad = "SAME"} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @max_pool_kernel_shape(%x: tensor<1x3x8xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{attribute 'kernel_shape' is missing}}
  %0 = quant_float.node "MaxPool"(%x) opset 12 : (tensor<1x3x8xf32>) -> tensor<*xf32>
  // expected-error @+1 {{a window is larger than the padded input}}
  %1 = quant_float.node "MaxPool"(%x) opset 12 attributes {kernel_shape = array<i64: 10>} : (tensor<1x3x8xf32>) -> tensor<*xf32>
  // expected-error @+1 {{attribute 'kernel_shape' must have 1 values, but got 2}}
  %2 = quant_float.node "MaxPool"(%x) opset 12 attributes {kernel_shape = array<i64: 1, 1>} : (tensor<1x3x8xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @global_pool_rank(%x: tensor<1x3xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{the input must have rank 3 or more, but got 2}}
  %0 = quant_float.node "GlobalMaxPool"(%x) opset 1 : (tensor<1x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @reduce_axes(%x: tensor<2x3xf32>, %matrix: tensor<1x1xi64>, %open: tensor<?xi64>, %three: tensor<3xi64>) -> tensor<*xf32> {
  // expected-error @+1 {{the axes must be a vector of integers, but got 'tensor<1x1xi64>'}}
  %0 = quant_float.node "ReduceSum"(%x, %matrix) opset 13 : (tensor<2x3xf32>, tensor<1x1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{the number of axes must be static if keepdims is 0}}
  %2 = quant_float.node "ReduceSum"(%x, %open) opset 13 attributes {keepdims = 0 : i64} : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>
  // expected-error @+1 {{expected at most 2 axes, but got 3}}
  %3 = quant_float.node "ReduceSum"(%x, %three) opset 13 attributes {keepdims = 0 : i64} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<*xf32>
  // expected-error @+1 {{axis must be between -2 and 1, but got 2}}
  %1 = quant_float.node "ReduceMax"(%x) opset 13 attributes {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @reduce_integers(%x: tensor<2x3xi32>) -> tensor<*xi32> {
  // expected-error @+1 {{no lowering of the ONNX op 'ReduceL2': elements of type 'i32'}}
  %0 = quant_float.node "ReduceL2"(%x) opset 13 : (tensor<2x3xi32>) -> tensor<*xi32>
  return %0 : tensor<*xi32>
}

func.func @batch_normalization(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{training mode before opset 14}}
  %0 = quant_float.node "BatchNormalization"(%x, %c, %c, %c, %c) opset 6 : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{the size of input 2 must be 3, but got 4}}
  %1 = quant_float.node "BatchNormalization"(%x, %c, %d, %c, %c) opset 15 : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @resize(%x: tensor<1x2x5x6xf32>, %s: tensor<3xf32>) -> tensor<*xf32> {
  %scales = arith.constant dense<[1.0, 1.0, 0.0, 2.0]> : tensor<4xf32>
  %two = arith.constant dense<2.0> : tensor<4xf32>
  // expected-error @+1 {{there are neither scales nor sizes}}
  %0 = quant_float.node "Resize"(%x) opset 13 : (tensor<1x2x5x6xf32>) -> tensor<*xf32>
  // expected-error @+1 {{scales must be positive}}
  %1 = quant_float.node "Resize"(%x, %scales) opset 13 absent [1] : (tensor<1x2x5x6xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{expected 4 scales, but got 3}}
  %2 = quant_float.node "Resize"(%x, %s) opset 13 absent [1] : (tensor<1x2x5x6xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{attribute 'mode': expected 'nearest', 'linear', 'cubic' or 'bilinear', but got 'area'}}
  %3 = quant_float.node "Resize"(%x, %two) opset 13 attributes {mode = "area"} absent [1] : (tensor<1x2x5x6xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{tf_crop_and_resize requires a region of 8 numbers, but got 0}}
  %4 = quant_float.node "Resize"(%x, %two) opset 13 attributes {coordinate_transformation_mode = "tf_crop_and_resize"} absent [1] : (tensor<1x2x5x6xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{antialias is not defined for mode 'nearest'}}
  %5 = quant_float.node "Resize"(%x, %two) opset 18 attributes {antialias = 1 : i64} absent [1] : (tensor<1x2x5x6xf32>, tensor<4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

func.func @resize_nothing(%x: tensor<1x0xf32>) -> tensor<*xf32> {
  %sizes = arith.constant dense<[1, 3]> : tensor<2xi64>
  // expected-error @+1 {{the size of axis 1 must be at least 1, but got 0}}
  %0 = quant_float.node "Resize"(%x, %sizes) opset 13 absent [1, 2] : (tensor<1x0xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
