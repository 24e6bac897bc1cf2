// Ops of StableHLO that are not converted: each error names the op and the reason.
// RUN: quant-float-opt --allow-unregistered-dialect --convert-stablehlo-to-onnx --split-input-file --verify-diagnostics %s

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.fft'}}
  "stablehlo.fft"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.add': expected 2 operands, but got 1}}
  "stablehlo.add"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.abs': expected 1 results, but got 2}}
  %r:2 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{result 0 has the type 'f32'}}
  %r = "stablehlo.abs"(%x) : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{result 0 has the type 'tensor<5xf32>', but must have 'tensor<4xf32>'}}
  %r = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{operands have elements of type 'f32' and 'f16'}}
  %r = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{elements of type 'complex<f32>'}}
  %r = "stablehlo.abs"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{elements of type 'f32'}}
  %r = "stablehlo.and"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'comparison_direction': expected a keyword, but got none}}
  %r = "stablehlo.compare"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'comparison_direction': expected EQ, NE, GE, GT, LE or LT, but got #stablehlo<comparison_direction XX>}}
  %r = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction XX>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{comparison_type TOTALORDER}}
  %r = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a condition of type 'i1' and two operands with elements of the same type}}
  %r = "stablehlo.select"(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types of different widths, 'f32' and 'i8'}}
  %r = "stablehlo.bitcast_convert"(%x) : (tensor<4xf32>) -> tensor<4x4xi8>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'exponent_bits': expected at least 1, but got 0}}
  %r = "stablehlo.reduce_precision"(%x) <{exponent_bits = 0 : i32, mantissa_bits = 3 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'mantissa_bits': expected an integer, but got "3"}}
  %r = "stablehlo.reduce_precision"(%x) <{exponent_bits = 4 : i32, mantissa_bits = "3"}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'permutation': expected a list of integers, but got 0}}
  %r = "stablehlo.transpose"(%x) <{permutation = 0}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{permutation: expected distinct axes from 0 to 1, but got 1}}
  %r = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 1>}> : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{attribute 'permutation': expected 2 axes, but got array<i64: 1>}}
  %r = "stablehlo.transpose"(%x) <{permutation = array<i64: 1>}> : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @f(%x: tensor<*xf32>) {
  // expected-error @+1 {{operand 0 has the type 'tensor<*xf32>', but must be a ranked tensor}}
  %r = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<*xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{result 0 has the type 'tensor<*xf32>', but must be a ranked tensor}}
  %r = "stablehlo.reshape"(%x) : (tensor<4x5xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{the result has the type 'tensor<?x?xf32>', but must have a static shape}}
  %r = "stablehlo.reshape"(%x) : (tensor<4x5xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{broadcast_dimensions: expected 1 axes, but got 2}}
  %r = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{the result has fewer axes than the operand}}
  %r = "stablehlo.broadcast"(%x) : (tensor<4x5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<1xf32>) {
  // expected-error @+1 {{operand 1 must have integer elements, but got 'tensor<1xf32>'}}
  %r = "stablehlo.dynamic_reshape"(%x, %n) : (tensor<4xf32>, tensor<1xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{operand 1 has the type 'tensor<4xf16>'}}
  %r = "stablehlo.concatenate"(%x, %y) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<4xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'value': expected a constant of type 'tensor<3xf32>', but got dense<1.000000e+00>}}
  %r = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'value': expected a constant of type 'tensor<12xf32>', but got dense<0>}}
  %r = "stablehlo.constant"() <{value = dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<12xi32>}> : () -> tensor<12xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %p: tensor<f32>) {
  // expected-error @+1 {{low padding: expected 1 integers, but got 2}}
  %r = "stablehlo.pad"(%x, %p) <{edge_padding_low = array<i64: 1, 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %p: tensor<f32>) {
  // expected-error @+1 {{interior padding: expected integers from 0 to 2147483648, but got -1}}
  %r = "stablehlo.pad"(%x, %p) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: -1>}> : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>, %p: tensor<f32>) {
  // expected-error @+1 {{interior padding of an axis of unknown size}}
  %r = "stablehlo.pad"(%x, %p) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 1>}> : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{start_indices and limit_indices: expected indices of an axis of size 4, but got 3 and 6}}
  %r = "stablehlo.slice"(%x) <{start_indices = array<i64: 3>, limit_indices = array<i64: 6>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) {
  // expected-error @+1 {{attribute 'dot_dimension_numbers': expected #stablehlo.dot<...>, but got none}}
  %r = "stablehlo.dot_general"(%x, %y) : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) {
  // expected-error @+1 {{attribute 'dot_dimension_numbers': expected lists of integers}}
  %r = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [x]>}> : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) {
  // expected-error @+1 {{dot_dimension_numbers: expected as many axes of both operands}}
  %r = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1]>}> : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %y: tensor<6x4xf32>) {
  // expected-error @+1 {{dot_dimension_numbers: axes of sizes 5 and 6}}
  %r = "stablehlo.dot"(%x, %y) : (tensor<4x5xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %y: tensor<5x4xi8>) {
  // expected-error @+1 {{elements of types 'f32' and 'i8' with a result of 'f32'}}
  %r = "stablehlo.dot"(%x, %y) : (tensor<4x5xf32>, tensor<5x4xi8>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>) {
  // expected-error @+1 {{attribute 'algorithm': expected no algorithm}}
  %r = "stablehlo.dot"(%x, %y) {algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32>} : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{attribute 'dimension_numbers': expected #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 0]x[o, i, 0, 1]->[b, f, 0, 1]>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{dimension_numbers: expected tensors of rank 3}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4xf32>, %k: tensor<4x4xf32>) {
  // expected-error @+1 {{convolutions with 0 spatial axes; expected 1 to 3}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f]x[o, i]->[b, f]>}> : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xi16>, %k: tensor<4x4x2x2xi16>) {
  // expected-error @+1 {{convolutions of integers of more than 8 bits}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>}> : (tensor<1x4x5x6xi16>, tensor<4x4x2x2xi16>) -> tensor<1x4x4x5xi16>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{attribute 'batch_group_count': expected 1, but got 2}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 2 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{attribute 'feature_group_count': expected at least 1, but got 0}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 0 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{attribute 'window_strides': expected 2 integers}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, window_strides = array<i64: 1>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{attribute 'window_strides': expected integers from 1 to 2^31 - 1}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, window_strides = array<i64: 1, 0>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{attribute 'padding': expected 4 integers}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, padding = dense<1> : tensor<3xi64>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5x6xf32>, %k: tensor<4x4x2x2xf32>) {
  // expected-error @+1 {{attribute 'padding': expected integers of 32 bits}}
  %r = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, padding = dense<4294967296> : tensor<2x2xi64>}> : (tensor<1x4x5x6xf32>, tensor<4x4x2x2xf32>) -> tensor<1x4x4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{expected a region with one op that combines both arguments, such as 'stablehlo.add', and a 'stablehlo.return' of its result}}
  %r = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
"stablehlo.return"(%a) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{the region contains 'stablehlo.power'}}
  %r = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.power"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf8E5M2>, %i: tensor<f8E5M2>) {
  // expected-error @+1 {{'stablehlo.add' of elements of type 'f8E5M2'}}
  %r = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
%z = "stablehlo.add"(%a, %b) : (tensor<f8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
"stablehlo.return"(%z) : (tensor<f8E5M2>) -> ()
}) : (tensor<4xf8E5M2>, tensor<f8E5M2>) -> tensor<f8E5M2>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<1xf32>) {
  // expected-error @+1 {{operand 1 has the type 'tensor<1xf32>', but must be an initial value of type 'tensor<f32>'}}
  %r = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf16>, %i: tensor<f16>) {
  // expected-error @+1 {{the region computes in the type 'tensor<f32>'}}
  %r = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%c) : (tensor<f32>) -> ()
}) : (tensor<4xf16>, tensor<f16>) -> tensor<f16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{attribute 'window_dimensions': expected 1 integers, but got array<i64: 1, 2>}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 2>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{attribute 'window_dimensions': expected integers from 1, but got array<i64: 0>}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 0>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{attribute 'window_strides': expected 1 integers}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1, 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{attribute 'window_strides': expected integers from 1}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{attribute 'padding': expected integers from 0}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>, padding = dense<-1> : tensor<1x2xi64>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{attribute 'base_dilations': expected 1 for all axes}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{windows along 0 axes; expected 1 to 3}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{windows of 'stablehlo.multiply' of elements of type 'f32'}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.multiply"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{operand 1 must be the neutral element of 'stablehlo.add'}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{operand 0 has the type 'tensor<?xf32>', but must have a static shape}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.composite': expected a function as 'decomposition'}}
  %r = "stablehlo.composite"(%x) <{name = "a.b", decomposition = @missing}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @other(%x: tensor<5xf32>) -> tensor<5xf32> {
  return %x : tensor<5xf32>
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.composite': expected the types of 'other'}}
  %r = "stablehlo.composite"(%x) <{name = "a.b", decomposition = @other}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.custom_call': the call target 'magic' is not known}}
  %r = "stablehlo.custom_call"(%x) <{call_target_name = "magic"}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @+1 {{no conversion of 'stablehlo.uniform_quantize': a conversion of 'tensor<4xf64>' to 'tensor<4xf32>'}}
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<4xf64>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{a quantized result without a rank}}
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<*x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.uniform_quantize': expected 1 operand and 1 result}}
  %r = "stablehlo.uniform_quantize"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @f(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{regions with quantized operands}}
  %r = "stablehlo.reduce"(%x) ({
^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>):
"stablehlo.return"(%a) : (tensor<!quant.uniform<i8:f32, 0.5>>) -> ()
}) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @f(%x: tensor<*x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{quantization of 'tensor<*xi8>', which is not a ranked tensor}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<*x!quant.uniform<i8:f32, 0.5>>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4x!quant.uniform<i8:f64, 0.5>>) {
  // expected-error @+1 {{'!quant.uniform<i8:f64, 5.000000e-01>': expected the expressed type f16, bf16 or f32}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<i8:f64, 0.5>>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  // expected-error @+1 {{the scales of '!quant.uniform<i8:f32:0, {5.000000e-01,1.000000e+00}>' do not fit 'tensor<4xi8>'}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>>) {
  // expected-error @+1 {{blocks in 'tensor<?xi8>', whose sizes are not known}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<?x!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<6x!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>>) {
  // expected-error @+1 {{blocks of '!quant.uniform<i8:f32:{0:2}, {5.000000e-01, 1.000000e+00}>' do not fit 'tensor<6xi8>'}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<6x!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>>) -> tensor<6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x!quant.uniform<i8:f32, 0.5:200>>) {
  // expected-error @+1 {{the zero point 200 of '!quant.uniform<i8:f32, 5.000000e-01:200>' is not a value of the storage type}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:200>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x!quant.uniform<i12:f32, 0.5>>) {
  // expected-error @+1 {{'!quant.uniform<i12:f32, 5.000000e-01>': expected a storage type of 2, 4, 8, 16 or 32 bits}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<i12:f32, 0.5>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x!quant.uniform<u32:f32, 0.5>>) {
  // expected-error @+1 {{'!quant.uniform<u32:f32, 5.000000e-01>': unsigned storage of 32 bits}}
  %r = "stablehlo.uniform_dequantize"(%x) : (tensor<4x!quant.uniform<u32:f32, 0.5>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{quantization to '!quant.uniform<i32:f32:0, {5.000000e-01,1.000000e+00}>': several scales and 32 bits}}
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i32:f32:0, {0.5, 1.0}>>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{'!quant.uniform<i12:f32, 5.000000e-01>': expected a storage type of 2, 4, 8, 16 or 32 bits}}
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i12:f32, 0.5>>
  return
}

// -----

func.func @f(%x: tensor<2097152x2xf32>) {
  // expected-error @+1 {{more than 1048576 scales of}}
  %r = "stablehlo.uniform_quantize"(%x) : (tensor<2097152x2xf32>) -> tensor<2097152x2x!quant.uniform<i8:f32:{0:1048576, 1:1}, {{0.5, 1.0}, {0.5, 1.0}}>>
  return
}

// -----

func.func @f(%x: tensor<?x?x1x1x1x1x1x1x1x1x1x1x1x1xf32>, %y: tensor<?x?x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error @+1 {{operands with more than 26 axes}}
  %r = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>}> : (tensor<?x?x1x1x1x1x1x1x1x1x1x1x1x1xf32>, tensor<?x?x1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4x4611686018427387904x4611686018427387904x2xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{operand 0 has too many elements}}
  %r = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 1, 1, 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%z = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
"stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<4x4611686018427387904x4611686018427387904x2xf32>, tensor<f32>) -> tensor<3x4611686018427387904x4611686018427387904x2xf32>
  return
}

// -----

func.func @f(%x: tensor<5x4xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{attribute 'dimension_numbers': expected #stablehlo.gather<...>}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = 1, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<5x4xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{a window of size 2 along axis 1 of 'tensor<5x4xf32>'}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<5x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<5x4xf32>, %i: tensor<3xf32>) {
  // expected-error @+1 {{operand 1 has the type 'tensor<3xf32>'}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<5x4xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{index_vector_dim: expected an axis of one element}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<5x4xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{offset_dims: expected 1 axes of a result of rank 2}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<5x4xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{expected a start and a size for each axis}}
  %r = "stablehlo.dynamic_slice"(%x, %i) <{slice_sizes = array<i64: 1, 1>}> : (tensor<5x4xf32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @f(%x: tensor<5xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{operand 1 has the type 'tensor<f32>'}}
  %r = "stablehlo.dynamic_slice"(%x, %i) <{slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{slice_sizes: expected at most the sizes of 'tensor<5xf32>'}}
  %r = "stablehlo.dynamic_slice"(%x, %i) <{slice_sizes = array<i64: 6>}> : (tensor<5xf32>, tensor<i32>) -> tensor<6xf32>
  return
}

// -----

// The bytecode of a compiler that registers the dialect.
func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.sort': expected a dictionary of properties, but got array<i64: 0>}}
  %r = "stablehlo.sort"(%x) <array<i64: 0>> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.abs': expected no successors}}
  %r = "stablehlo.abs"(%x)[^end] : (tensor<4xf32>) -> tensor<4xf32>
^end:
  return
}

// -----

func.func @f(%x: tensor<9223372036854775807xf32>, %p: tensor<f32>) {
  // expected-error @+1 {{padding of 'tensor<9223372036854775807xf32>': expected sizes of at most 2147483648}}
  %r = "stablehlo.pad"(%x, %p) <{edge_padding_low = array<i64: 2>, edge_padding_high = array<i64: 2>, interior_padding = array<i64: 0>}> : (tensor<9223372036854775807xf32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x?xi32>) {
  // expected-error @+1 {{operand 1 has the type 'tensor<3x?xi32>', but must be integers of a static shape}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<3x?xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x3xi32>) {
  // expected-error @+1 {{index_vector_dim: expected an axis with a start for each indexed axis}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<3x3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{the indexed axes: expected distinct axes from 0 to 1, but got 0}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{a window of size 2 along axis 0 of 'tensor<5x6xf32>'}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3x1xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{expected 0 axes of windows and rank 1}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3x1xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{attribute 'slice_sizes': expected 2 integers}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x0xi32>) {
  // expected-error @+1 {{expected an indexed axis}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 5, 6>}> : (tensor<5x6xf32>, tensor<3x0xi32>) -> tensor<3x5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<70000x2xf32>, %i: tensor<1x1xi32>) {
  // expected-error @+1 {{windows of more than 65536 positions along the indexed axes}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 66000, 2>}> : (tensor<70000x2xf32>, tensor<1x1xi32>) -> tensor<1x66000x2xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2x1xi32>) {
  // expected-error @+1 {{batch axes of sizes 3 and 5}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<3x2x1xi32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{attribute 'scatter_dimension_numbers': expected #stablehlo.scatter<...>}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{update_window_dims: expected an axis for each axis of windows}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<?x3xf32>) {
  // expected-error @+1 {{operand 2 has the type 'tensor<?x3xf32>', but must have a static shape}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<?x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<6x3xf32>) {
  // expected-error @+1 {{operand 2 has the type 'tensor<6x3xf32>', which has not the shape of the windows}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<6x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf16>) {
  // expected-error @+1 {{elements of types 'f32' and 'f16'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf16>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf16>, %i: tensor<4x1xi32>, %u: tensor<4x3xf16>) {
  // expected-error @+1 {{'stablehlo.add' of elements of type 'f16'}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %0 = "stablehlo.add"(%a, %b) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    "stablehlo.return"(%0) : (tensor<f16>) -> ()
  }) : (tensor<5x3xf16>, tensor<4x1xi32>, tensor<4x3xf16>) -> tensor<5x3xf16>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %u: tensor<2x3xf16>, %s: tensor<i32>) {
  // expected-error @+1 {{expected an update of the type and rank of operand 0, and a start for each axis}}
  %r = "stablehlo.dynamic_update_slice"(%x, %u, %s, %s) : (tensor<5x3xf32>, tensor<2x3xf16>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %u: tensor<?x3xf32>, %s: tensor<i32>) {
  // expected-error @+1 {{operand 1 has the type 'tensor<?x3xf32>', but must have a static shape}}
  %r = "stablehlo.dynamic_update_slice"(%x, %u, %s, %s) : (tensor<5x3xf32>, tensor<?x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<5x3xf32>, %u: tensor<2x3xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{operand 2 has the type 'tensor<f32>'}}
  %r = "stablehlo.dynamic_update_slice"(%x, %u, %s, %s) : (tensor<5x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%x: tensor<?x3xf32>, %u: tensor<2x3xf32>, %s: tensor<i32>) {
  // expected-error @+1 {{operand 0 has the type 'tensor<?x3xf32>', but must have a static shape}}
  %r = "stablehlo.dynamic_update_slice"(%x, %u, %s, %s) : (tensor<?x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'dimension': expected an axis of 'tensor<4xf32>'}}
  %r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%0) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a region that compares the elements of the first operands, with 'stablehlo.compare' or as JAX writes it}}
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%0) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{the total order of elements of type 'f8E4M3FN'}}
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
    %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<i1>
    "stablehlo.return"(%0) : (tensor<i1>) -> ()
  }) : (tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a result for each operand}}
  %r = "stablehlo.sort"(%x, %x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%0) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{operand 1 has the type 'tensor<5xf32>'; expected operands and results of one shape}}
  %r:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%0) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'k': expected an integer from 0 to the last size, but got 5}}
  %r:2 = "chlo.top_k"(%x) <{k = 5 : i64}> : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %v: tensor<f32>, %w: tensor<i32>) {
  // expected-error @+1 {{expected the reduction of a tensor and of its indices along the axis by a region that selects the maximum or minimum, as JAX writes it}}
  %r:2 = "stablehlo.reduce"(%x, %i, %v, %w) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    "stablehlo.return"(%a, %b) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.if': expected 2 regions, but got 1}}
  %r = "stablehlo.if"(%p) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.if': region 1: expected a block with the arguments () and a 'stablehlo.return' of ('tensor<4xf32>')}}
  %r = "stablehlo.if"(%p) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%y) : (tensor<5xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{expected one operand of type 'tensor<i1>'}}
  %r = "stablehlo.if"(%p) ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<i32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.case': expected a region}}
  %r = "stablehlo.case"(%p) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<i32>, %x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{no conversion of 'stablehlo.case': result 0: expected a ranked tensor of numbers, but got 'tensor<4xcomplex<f32>>'}}
  %r = "stablehlo.case"(%p) ({
    "stablehlo.return"(%x) : (tensor<4xcomplex<f32>>) -> ()
  }) : (tensor<i32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<i32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.while': region 0: expected a block with the arguments ('tensor<i32>') and a 'stablehlo.return' of ('tensor<i1>')}}
  %r = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    "stablehlo.return"(%a) : (tensor<i32>) -> ()
  }, {
  ^bb0(%a: tensor<i32>):
    "stablehlo.return"(%a) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @f(%x: tensor<i32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.while': expected 2 regions, but got 0}}
  %r = "stablehlo.while"(%x) : (tensor<i32>) -> tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<i32>) {
  // expected-error @+1 {{expected results of the types of the operands}}
  %r = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    "stablehlo.return"(%a) : (tensor<i32>) -> ()
  }, {
  ^bb0(%a: tensor<i32>):
    "stablehlo.return"(%a) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<2xui64>) {
  // expected-error @+1 {{no conversion of 'stablehlo.rng_bit_generator': random bits depend on the algorithm of the backend; pass them as an argument of the function}}
  %r:2 = "stablehlo.rng_bit_generator"(%x) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.exponential': the attribute 'new_mode' is not known}}
  %r = "stablehlo.exponential"(%x) <{new_mode = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.if': the attribute 'new_mode' is not known}}
  %r = "stablehlo.if"(%p) <{new_mode = 1 : i64}> ({
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// A resource without data.
func.func @f() -> tensor<4xf32> {
  // expected-error @+1 {{no conversion of 'stablehlo.constant': attribute 'value': expected a constant of type 'tensor<4xf32>'}}
  %r = "stablehlo.constant"() <{value = dense_resource<missing> : tensor<4xf32>}> : () -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<2147483648x2147483648x4xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.gather': operand 0 has too many elements}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2147483648x2147483648x4xf32>, tensor<3x2xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.gather': attribute 'dimension_numbers': expected #stablehlo.gather<...>}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [99999999999999999999], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @+1 {{no conversion of 'chlo.erf_inv': elements of type 'f64'}}
  %r = "chlo.erf_inv"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'stablehlo.popcnt': elements of type 'f32'}}
  %r = "stablehlo.popcnt"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  // expected-error @+1 {{no conversion of 'chlo.next_after': operands of types 'tensor<4xf32>' and 'tensor<?xf32>'}}
  %r = "chlo.next_after"(%x, %y) : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @+1 {{no conversion of 'chlo.is_inf': elements of type 'i32'}}
  %r = "chlo.is_inf"(%x) : (tensor<4xi32>) -> tensor<4xi1>
  return
}
