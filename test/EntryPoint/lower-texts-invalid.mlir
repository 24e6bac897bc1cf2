// RUN: quant-float-opt %s --quant-float-lower-strings -verify-diagnostics

func.func private @not_an_entry_point(%x: memref<2xf32>, %init: memref<2xi64>) {
  // expected-error @+1 {{has no lowering outside of an entry point, but is in function 'not_an_entry_point'}}
  quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : memref<2xf32>, memref<2xi64>
  return
}
