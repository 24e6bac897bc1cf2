// RUN: quant-float-opt %s -split-input-file -verify-diagnostics

func.func @numbers(%x: tensor<2xf32>, %init: tensor<2xf16>) {
  // expected-error @+1 {{expected a numeric type and !quant_float.string, but got 'f32' and 'f16'}}
  %0 = quant_float.cast_strings %x to %init from f32 to f16
    : tensor<2xf32>, tensor<2xf16> -> tensor<2xf16>
  return
}

// -----

func.func @storage(%x: tensor<2xi8>, %init: tensor<2xi32>) {
  // expected-error @+1 {{expected elements of the storage type 'i64' of '!quant_float.string', but got 'tensor<2xi32>'}}
  %0 = quant_float.cast_strings %x to %init from ui8 to !quant_float.string
    : tensor<2xi8>, tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @sizes(%x: tensor<2xf32>, %init: tensor<3xi64>) {
  // expected-error @+1 {{expected the same sizes, but got 'tensor<2xf32>' and 'tensor<3xi64>'}}
  %0 = quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : tensor<2xf32>, tensor<3xi64> -> tensor<3xi64>
  return
}

// -----

func.func @both_forms(%x: memref<2xf32>, %init: tensor<2xi64>) {
  // expected-error @+1 {{expected only tensors or only memrefs, but got both, 'memref<2xf32>' and 'tensor<2xi64>'}}
  %0 = quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : memref<2xf32>, tensor<2xi64> -> tensor<2xi64>
  return
}

// -----

func.func @result_of_buffers(%x: memref<2xf32>, %init: memref<2xi64>) {
  // expected-error @+1 {{expected no result for the memref 'memref<2xi64>', but got one}}
  %0 = quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : memref<2xf32>, memref<2xi64> -> tensor<2xi64>
  return
}

// -----

func.func @no_result(%x: tensor<2xf32>, %init: tensor<2xi64>) {
  // expected-error @+1 {{expected a result for the tensor 'tensor<2xi64>', but got none}}
  quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : tensor<2xf32>, tensor<2xi64>
  return
}

// -----

func.func @other_result(%x: tensor<2xf32>, %init: tensor<2xi64>) {
  // expected-error @+1 {{expected a result with the type of init, 'tensor<2xi64>', but got 'tensor<?xi64>'}}
  %0 = quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : tensor<2xf32>, tensor<2xi64> -> tensor<?xi64>
  return
}

// -----

func.func @offsets(%offsets: tensor<2xi64>, %bytes: tensor<9xi8>, %init: tensor<2xi64>) {
  // expected-error @+1 {{expected one more offset than elements of 'i64', but got 'tensor<2xi64>' and 'tensor<2xi64>'}}
  %0 = quant_float.load_strings %offsets, %bytes to %init
    : tensor<2xi64>, tensor<9xi8>, tensor<2xi64> -> tensor<2xi64>
  return
}
