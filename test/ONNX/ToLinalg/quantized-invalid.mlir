// Quantized ops of ONNX and com.microsoft, and BitCast: errors in a node.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @matmul(%a: tensor<2x4xui8>, %b: tensor<4x3xi8>, %f: tensor<4x3xf8E4M3FN>, %s: tensor<f32>, %h: tensor<f16>, %k: tensor<2x4xf32>, %az: tensor<ui8>, %bz: tensor<i8>, %fz: tensor<f8E4M3FN>, %z4: tensor<4xui8>, %w: tensor<i32>) {
  // expected-error @+1 {{no lowering of the ONNX op 'QLinearMatMul': input 3 must have integers of 8 bits, but got 'f8E4M3FN'}}
  %0 = quant_float.node "QLinearMatMul"(%a, %s, %az, %f, %s, %fz, %s, %az) opset 10 : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xf8E4M3FN>, tensor<f32>, tensor<f8E4M3FN>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearMatMul': input 3 must have integers of 8 bits or float8, but got 'f32'}}
  %1 = quant_float.node "QLinearMatMul"(%a, %s, %az, %k, %s, %s, %s, %az) opset 21 : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearMatMul': input 1 must have one element along the reduction axis}}
  %2 = quant_float.node "QLinearMatMul"(%a, %k, %az, %b, %s, %bz, %s, %az) opset 21 : (tensor<2x4xui8>, tensor<2x4xf32>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearMatMul': the number of elements of input 2 must be 2, but got 4}}
  %3 = quant_float.node "QLinearMatMul"(%a, %s, %z4, %b, %s, %bz, %s, %az) opset 21 : (tensor<2x4xui8>, tensor<f32>, tensor<4xui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearMatMul': the number of elements of input 7 must be 1, but got 4}}
  %4 = quant_float.node "QLinearMatMul"(%a, %s, %az, %b, %s, %bz, %s, %z4) opset 21 : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<4xui8>) -> tensor<*xui8>
  // All scales have one type, which must be f32 before opset 21.
  // expected-error @+1 {{'QLinearMatMul': input 4 must have elements of type 'f32', but got 'f16'}}
  %5 = quant_float.node "QLinearMatMul"(%a, %s, %az, %b, %h, %bz, %s, %az) opset 21 : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xi8>, tensor<f16>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearMatMul': input 1 must have elements of type 'f32', but got 'f16'}}
  %6 = quant_float.node "QLinearMatMul"(%a, %h, %az, %b, %h, %bz, %h, %az) opset 13 : (tensor<2x4xui8>, tensor<f16>, tensor<ui8>, tensor<4x3xi8>, tensor<f16>, tensor<i8>, tensor<f16>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearMatMul': input 7 has elements of type 'i32'}}
  %7 = quant_float.node "QLinearMatMul"(%a, %s, %az, %b, %s, %bz, %s, %w) opset 21 : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i32>) -> tensor<*xi32>
  %one = arith.constant dense<1.0> : tensor<f8E4M3FN>
  // expected-error @+1 {{'QLinearMatMul': a constant zero point of 'f8E4M3FN' must be 0, but element 0 is 0x38}}
  %8 = quant_float.node "QLinearMatMul"(%a, %s, %az, %f, %s, %one, %s, %az) opset 21 : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xf8E4M3FN>, tensor<f32>, tensor<f8E4M3FN>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  return
}

// -----

func.func @conv(%x: tensor<1x2x5xui8>, %w: tensor<3x2x2xi8>, %s: tensor<f32>, %s2: tensor<2xf32>, %xz: tensor<ui8>, %wz: tensor<i8>, %bias: tensor<3xf32>, %short: tensor<2xi32>) {
  // expected-error @+1 {{'QLinearConv': the number of elements of input 1 must be 1, but got 2}}
  %0 = quant_float.node "QLinearConv"(%x, %s2, %xz, %w, %s, %wz, %s, %xz) opset 10 : (tensor<1x2x5xui8>, tensor<2xf32>, tensor<ui8>, tensor<3x2x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearConv': the size of input 4 must be 3, but got 2}}
  %1 = quant_float.node "QLinearConv"(%x, %s, %xz, %w, %s2, %wz, %s, %xz) opset 10 : (tensor<1x2x5xui8>, tensor<f32>, tensor<ui8>, tensor<3x2x2xi8>, tensor<2xf32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearConv': input 8 must have elements of type 'i32', but got 'f32'}}
  %2 = quant_float.node "QLinearConv"(%x, %s, %xz, %w, %s, %wz, %s, %xz, %bias) opset 10 : (tensor<1x2x5xui8>, tensor<f32>, tensor<ui8>, tensor<3x2x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>, tensor<3xf32>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearConv': the size of input 8 must be 3, but got 2}}
  %3 = quant_float.node "QLinearConv"(%x, %s, %xz, %w, %s, %wz, %s, %xz, %short) opset 10 : (tensor<1x2x5xui8>, tensor<f32>, tensor<ui8>, tensor<3x2x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>, tensor<2xi32>) -> tensor<*xui8>
  return
}

// -----

func.func @bit_cast(%x: tensor<4xf32>, %s: tensor<4xf6E2M3FN>, %n: tensor<4xi4>) {
  // expected-error @+1 {{'BitCast': elements of type 'f32' cannot be bit-cast to 'i64'}}
  %0 = quant_float.node "BitCast"(%x) opset 26 attributes {to = 7 : i64} : (tensor<4xf32>) -> tensor<*xi64>
  // Each byte contains one element, but the type has 4 bits.
  // expected-error @+1 {{'BitCast': elements of type 'i4' cannot be bit-cast to 'ui8'}}
  %1 = quant_float.node "BitCast"(%n) opset 26 attributes {to = 2 : i64} : (tensor<4xi4>) -> tensor<*xui8>
  // expected-error @+1 {{'BitCast': elements of type 'f6E2M3FN' cannot be bit-cast to 'f6E3M2FN'}}
  %2 = quant_float.node "BitCast"(%s) opset 28 attributes {to = 28 : i64} : (tensor<4xf6E2M3FN>) -> tensor<*xf6E3M2FN>
  // expected-error @+1 {{'BitCast': elements of type 'f32' cannot be bit-cast to '!quant_float.string'}}
  %3 = quant_float.node "BitCast"(%x) opset 26 attributes {to = 8 : i64} : (tensor<4xf32>) -> tensor<*x!quant_float.string>
  // expected-error @+1 {{'BitCast': attribute 'to': expected the number of an element type, but got 14}}
  %4 = quant_float.node "BitCast"(%x) opset 26 attributes {to = 14 : i64} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @qlinear(%a: tensor<2x4xui8>, %b: tensor<2x4xi8>, %f: tensor<2x4xf32>, %s: tensor<f32>, %s2: tensor<2xf32>, %z: tensor<ui8>, %i: tensor<i8>, %v: tensor<3xui8>) {
  // expected-error @+1 {{'QLinearAdd': input 3 must have elements of type 'ui8', but got 'i8'}}
  %0 = quant_float.node "QLinearAdd"(%a, %s, %z, %b, %s, %i, %s, %z) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<2x4xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearMul': the sizes 4 and 3 do not broadcast}}
  %1 = quant_float.node "QLinearMul"(%a, %s, %z, %v, %s, %z, %s, %z) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<3xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearSigmoid': input 3 is absent}}
  %2 = quant_float.node "QLinearSigmoid"(%a, %s, %z) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearLeakyRelu': the number of elements of input 1 must be 1, but got 2}}
  %3 = quant_float.node "QLinearLeakyRelu"(%a, %s2, %z, %s, %z) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<2xf32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearLeakyRelu': input 4 must have elements of type 'ui8', but got 'i8'}}
  %4 = quant_float.node "QLinearLeakyRelu"(%a, %s, %z, %s, %i) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<i8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearSoftmax': attribute 'opset' is missing}}
  %5 = quant_float.node "QLinearSoftmax"(%a, %s, %z, %s, %z) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearSoftmax': axis must be between -2 and 1, but got 2}}
  %6 = quant_float.node "QLinearSoftmax"(%a, %s, %z, %s, %z) opset 1 domain "com.microsoft" attributes {opset = 13 : i64, axis = 2 : i64} : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearConcat': expected two inputs and three for each tensor, but got 6}}
  %7 = quant_float.node "QLinearConcat"(%s, %z, %a, %s, %z, %a) opset 1 domain "com.microsoft" attributes {axis = 0 : i64} : (tensor<f32>, tensor<ui8>, tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<2x4xui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearConcat': input 2 has elements of type 'f32'}}
  %8 = quant_float.node "QLinearConcat"(%s, %z, %f, %s, %z) opset 1 domain "com.microsoft" attributes {axis = 0 : i64} : (tensor<f32>, tensor<ui8>, tensor<2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{'QLinearGlobalAveragePool': the input must have rank 3 or more, but got 2}}
  %9 = quant_float.node "QLinearGlobalAveragePool"(%a, %s, %z, %s, %z) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // expected-error @+1 {{no lowering of the op 'QLinearAveragePool': elements of type 'f32'}}
  %10 = quant_float.node "QLinearAveragePool"(%f, %s, %z, %s, %z) opset 1 domain "com.microsoft" attributes {kernel_shape = array<i64: 1>} : (tensor<2x4xf32>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<*xui8>
  // An op without a lowering is reported with its domain.
  // expected-error @+1 {{no lowering of the op 'QAttention' of the domain 'com.microsoft'}}
  %11 = quant_float.node "QAttention"(%a) opset 1 domain "com.microsoft" : (tensor<2x4xui8>) -> tensor<*xui8>
  // expected-error @+1 {{no lowering of the op 'Relu' of the domain 'com.microsoft'}}
  %12 = quant_float.node "Relu"(%f) opset 1 domain "com.microsoft" : (tensor<2x4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @nbits(%a: tensor<2x40xf32>, %b: tensor<5x3x8xui8>, %s: tensor<5x3xf32>, %h: tensor<5x3xf16>, %g: tensor<1x40xi32>, %short: tensor<39xi32>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'MatMulNBits': attribute 'bits' must be 2, 4 or 8, but got 3}}
  %0 = quant_float.node "MatMulNBits"(%a, %b, %s) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 5 : i64, block_size = 16 : i64, bits = 3 : i64} : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': attribute 'block_size' must be a power of two from 16 on, but got 24}}
  %1 = quant_float.node "MatMulNBits"(%a, %b, %s) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 5 : i64, block_size = 24 : i64} : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': attribute 'weight_prepacked' must be 0, but got 1}}
  %2 = quant_float.node "MatMulNBits"(%a, %b, %s) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 5 : i64, block_size = 16 : i64, weight_prepacked = 1 : i64} : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': values of attribute 'K' must be between 1 and 2147483647, but got 0}}
  %3 = quant_float.node "MatMulNBits"(%a, %b, %s) opset 1 domain "com.microsoft" attributes {K = 0 : i64, N = 5 : i64, block_size = 16 : i64} : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': the first size of input 1 must be 6, but got 5}}
  %4 = quant_float.node "MatMulNBits"(%a, %b, %s) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 6 : i64, block_size = 16 : i64} : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': the number of elements of input 1 must be 80, but got 120}}
  %5 = quant_float.node "MatMulNBits"(%a, %b, %s) opset 1 domain "com.microsoft" attributes {K = 32 : i64, N = 5 : i64, block_size = 16 : i64} : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': input 2 must have elements of type 'f32', but got 'f16'}}
  %6 = quant_float.node "MatMulNBits"(%a, %b, %h) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 5 : i64, block_size = 16 : i64} : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf16>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': input 4 must have rank 1, but got 2}}
  %7 = quant_float.node "MatMulNBits"(%a, %b, %s, %g) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 5 : i64, block_size = 16 : i64} absent [3] : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>, tensor<1x40xi32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': the size of input 4 must be at least 40, but got 39}}
  %8 = quant_float.node "MatMulNBits"(%a, %b, %s, %short) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 5 : i64, block_size = 16 : i64} absent [3] : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>, tensor<39xi32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulNBits': the size of input 5 must be 5, but got 4}}
  %9 = quant_float.node "MatMulNBits"(%a, %b, %s, %v) opset 1 domain "com.microsoft" attributes {K = 40 : i64, N = 5 : i64, block_size = 16 : i64} absent [3, 4] : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<5x3xf32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'MatMulIntegerToFloat': elements of type 'f32'}}
  %10 = quant_float.node "MatMulIntegerToFloat"(%a, %b, %v, %v) opset 1 domain "com.microsoft" : (tensor<2x40xf32>, tensor<5x3x8xui8>, tensor<4xf32>, tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @gather(%d: tensor<4x16xui8>, %n: tensor<4x32xi4>, %f: tensor<4x32xf8E4M3FN>, %w: tensor<4x32xf32>, %i: tensor<2xi32>, %k: tensor<2xui8>, %s: tensor<4x1xf32>, %v: tensor<4xf32>, %z: tensor<4x2xui8>, %fz: tensor<4x1xf8E4M3FN>) {
  // expected-error @+1 {{'GatherBlockQuantized': elements of type 'f32'}}
  %0 = quant_float.node "GatherBlockQuantized"(%w, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64} : (tensor<4x32xf32>, tensor<2xi32>, tensor<4x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': input 1 must have elements of type 'i32' or 'i64', but got 'ui8'}}
  %1 = quant_float.node "GatherBlockQuantized"(%d, %k, %s) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64} : (tensor<4x16xui8>, tensor<2xui8>, tensor<4x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': quantized floats have no zero points}}
  %2 = quant_float.node "GatherBlockQuantized"(%f, %i, %s, %fz) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64} : (tensor<4x32xf8E4M3FN>, tensor<2xi32>, tensor<4x1xf32>, tensor<4x1xf8E4M3FN>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': attribute 'bits' must be 4 for elements of type 'i4', but got 8}}
  %3 = quant_float.node "GatherBlockQuantized"(%n, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64, bits = 8 : i64} : (tensor<4x32xi4>, tensor<2xi32>, tensor<4x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': packed quantized values must be gathered along axis 0 and quantized along another axis}}
  %4 = quant_float.node "GatherBlockQuantized"(%d, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64, gather_axis = 1 : i64} : (tensor<4x16xui8>, tensor<2xi32>, tensor<4x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': input 2 must have rank 2, but got 1}}
  %5 = quant_float.node "GatherBlockQuantized"(%d, %i, %v) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64} : (tensor<4x16xui8>, tensor<2xi32>, tensor<4xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': size 1 of input 2 must be 2, but got 1}}
  %6 = quant_float.node "GatherBlockQuantized"(%d, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 16 : i64} : (tensor<4x16xui8>, tensor<2xi32>, tensor<4x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': size 1 of input 3 must be 1, but got 2}}
  %7 = quant_float.node "GatherBlockQuantized"(%d, %i, %s, %z) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64} : (tensor<4x16xui8>, tensor<2xi32>, tensor<4x1xf32>, tensor<4x2xui8>) -> tensor<*xf32>
  // Only float scales may span an entire axis.
  // expected-error @+1 {{'GatherBlockQuantized': attribute 'block_size' must be a power of two from 16 on, but got 0}}
  %8 = quant_float.node "GatherBlockQuantized"(%n, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 0 : i64} : (tensor<4x32xi4>, tensor<2xi32>, tensor<4x1xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherBlockQuantized': axis must be between -2 and 1, but got 2}}
  %9 = quant_float.node "GatherBlockQuantized"(%n, %i, %s) opset 1 domain "com.microsoft" attributes {block_size = 32 : i64, quantize_axis = 2 : i64} : (tensor<4x32xi4>, tensor<2xi32>, tensor<4x1xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @qgemm(%a: tensor<2x4xui8>, %b: tensor<4x3xi8>, %s: tensor<f32>, %h: tensor<f16>, %z: tensor<ui8>, %y: tensor<i8>, %c: tensor<3xf32>, %d: tensor<2x2x3xi32>, %v: tensor<4xui8>) {
  // expected-error @+1 {{'QGemm': expected inputs 7 and 8 together}}
  %0 = quant_float.node "QGemm"(%a, %s, %z, %b, %s, %y, %s) opset 1 domain "com.microsoft" absent [6] : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>) -> tensor<*xf32>
  // expected-error @+1 {{'QGemm': input 1 must have elements of type 'f32', but got 'f16'}}
  %1 = quant_float.node "QGemm"(%a, %h, %z, %b, %s, %y) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f16>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>) -> tensor<*xf32>
  // expected-error @+1 {{'QGemm': input 6 must have elements of type 'i32', but got 'f32'}}
  %2 = quant_float.node "QGemm"(%a, %s, %z, %b, %s, %y, %c) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'QGemm': input 6 is larger than the result of the matmul}}
  %3 = quant_float.node "QGemm"(%a, %s, %z, %b, %s, %y, %d) opset 1 domain "com.microsoft" : (tensor<2x4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<2x2x3xi32>) -> tensor<*xf32>
  // expected-error @+1 {{'QGemm': the operands must have rank 2}}
  %4 = quant_float.node "QGemm"(%v, %s, %z, %b, %s, %y) opset 1 domain "com.microsoft" : (tensor<4xui8>, tensor<f32>, tensor<ui8>, tensor<4x3xi8>, tensor<f32>, tensor<i8>) -> tensor<*xf32>
  return
}

// -----

func.func @short_integers(%a: tensor<2x4xi16>, %b: tensor<4x3xi32>) {
  // expected-error @+1 {{'MatMulInteger16': input 1 must have integers of 16 bits, but got 'i32'}}
  %0 = quant_float.node "MatMulInteger16"(%a, %b) opset 1 domain "com.microsoft" : (tensor<2x4xi16>, tensor<4x3xi32>) -> tensor<*xi32>
  return
}

// -----

func.func @lstm(%x: tensor<5x1x8xf32>, %w: tensor<1x8x64xi8>, %r: tensor<1x16x64xi8>, %s: tensor<1xf32>, %z: tensor<1xi8>, %u: tensor<1xui8>, %c: tensor<1x1x64xf32>, %n: tensor<1x9xf32>) {
  // expected-error @+1 {{'DynamicQuantizeLSTM': input 8 must have rank 1 or 2, but got 3}}
  %0 = quant_float.node "DynamicQuantizeLSTM"(%x, %w, %r, %c, %z, %s, %z) opset 1 domain "com.microsoft" absent [3, 4, 5, 6, 7] : (tensor<5x1x8xf32>, tensor<1x8x64xi8>, tensor<1x16x64xi8>, tensor<1x1x64xf32>, tensor<1xi8>, tensor<1xf32>, tensor<1xi8>) -> tensor<*xf32>
  // expected-error @+1 {{'DynamicQuantizeLSTM': input 9 must have elements of type 'i8', but got 'ui8'}}
  %1 = quant_float.node "DynamicQuantizeLSTM"(%x, %w, %r, %s, %u, %s, %z) opset 1 domain "com.microsoft" absent [3, 4, 5, 6, 7] : (tensor<5x1x8xf32>, tensor<1x8x64xi8>, tensor<1x16x64xi8>, tensor<1xf32>, tensor<1xui8>, tensor<1xf32>, tensor<1xi8>) -> tensor<*xf32>
  // expected-error @+1 {{'DynamicQuantizeLSTM': the size of axis 1 of input 8 must be 64, but got 9}}
  %2 = quant_float.node "DynamicQuantizeLSTM"(%x, %w, %r, %n, %z, %s, %z) opset 1 domain "com.microsoft" absent [3, 4, 5, 6, 7] : (tensor<5x1x8xf32>, tensor<1x8x64xi8>, tensor<1x16x64xi8>, tensor<1x9xf32>, tensor<1xi8>, tensor<1xf32>, tensor<1xi8>) -> tensor<*xf32>
  return
}
