// RUN: quant-float-opt %s --split-input-file --quant-float-make-entry-points --quant-float-lower-strings -verify-diagnostics

func.func private @not_an_entry_point(%x: memref<2xf32>, %init: memref<2xi64>) {
  // expected-error @+1 {{has no lowering outside of an entry point, but is in function 'not_an_entry_point'}}
  quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : memref<2xf32>, memref<2xi64>
  return
}

// -----

func.func @not_bufferized(%x: tensor<2xf32>, %init: tensor<2xi64>) -> (tensor<2xi64> {quant_float.element_type = !quant_float.string}) {
  // expected-error @+1 {{expected memrefs, but got 'tensor<2xf32>'}}
  %0 = quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : tensor<2xf32>, tensor<2xi64> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
