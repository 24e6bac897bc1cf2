// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-require-lowered=target=znver4

// All remaining ops are reported, not only the first one.
func.func @remaining(%x: f32, %y: vector<4xf8E5M2>, %z: tensor<2xf4E2M1FN>) {
  // expected-error @+2 {{'arith.truncf' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts ('f32') to ('f8E4M3FN')}}
  %0 = arith.truncf %x : f32 to f8E4M3FN
  // expected-error @+2 {{'arith.extf' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts ('vector<4xf8E5M2>') to ('vector<4xf32>')}}
  %1 = arith.extf %y : vector<4xf8E5M2> to vector<4xf32>
  // expected-error @+2 {{'arith.fptosi' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts ('tensor<2xf4E2M1FN>') to ('tensor<2xi8>')}}
  %2 = arith.fptosi %z : tensor<2xf4E2M1FN> to tensor<2xi8>
  // expected-error @+2 {{'arith.addf' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts ('f8E4M3FN', 'f8E4M3FN') to ('f8E4M3FN')}}
  %3 = arith.addf %0, %0 : f8E4M3FN
  // expected-error @+2 {{'quant_float.cast' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts ('f32') to ('f16')}}
  %4 = quant_float.cast %x opset 19 : f32 to f16
  // expected-error @+2 {{'quant_float.storage_cast' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts ('f32') to ('f32')}}
  %5 = quant_float.storage_cast %x : f32 to f32
  // expected-error @+2 {{'quant_float.constant' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts () to ('ui8')}}
  %6 = quant_float.constant 3 : ui8
  return
}

// -----

func.func @node(%x: !quant_float.unknown) {
  // expected-error @+2 {{'quant_float.node' op is not lowered for the target 'znver4'}}
  // expected-note @+1 {{no lowering converts ('!quant_float.unknown') to ()}}
  quant_float.node "Print"(%x) opset 1 : (!quant_float.unknown) -> ()
  return
}

// -----

// Every target supports wide floats. Narrow ones are only moved as bits.
func.func @lowered(%x: f32, %y: f8E4M3FN, %b: i1, %buffer: memref<4xf8E5M2>, %i: index) -> (f16, bf16, f8E4M3FN, i8) {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.truncf %x : f32 to bf16
  %2 = arith.constant 1.0 : f8E4M3FN
  %3 = arith.select %b, %y, %2 : f8E4M3FN
  %4 = arith.bitcast %3 : f8E4M3FN to i8
  %5 = memref.load %buffer[%i] : memref<4xf8E5M2>
  return %0, %1, %3, %4 : f16, bf16, f8E4M3FN, i8
}
