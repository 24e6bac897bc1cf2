// RUN: quant-float-opt %s -verify-diagnostics --quant-float-lower-math=libm=false

func.func @functions(%x: f32, %y: f64) -> (f32, f32, f64) {
  %0 = math.exp %x : f32
  // expected-error @+1 {{has no lowering for this target: expected a function that expands to arithmetic, because libm is not available, but got 'f32'}}
  %1 = math.log1p %x : f32
  // expected-error @+1 {{has no lowering for this target: expected a function that expands to arithmetic, because libm is not available, but got 'f64'}}
  %2 = math.tan %y : f64
  return %0, %1, %2 : f32, f32, f64
}
