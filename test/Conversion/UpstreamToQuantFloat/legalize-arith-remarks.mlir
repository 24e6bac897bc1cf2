// Ops without an equivalent in the dialect are left unchanged, with a remark
// that gives the reason.
// RUN: quant-float-opt %s --quant-float-legalize-arith -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @rounding
func.func @rounding(%x: f32, %s: f8E8M0FNU) -> (f8E4M3FN, f4E2M1FN) {
  // CHECK: arith.truncf %{{.*}} toward_zero
  // expected-remark @+1 {{not legalized: the rounding mode to f8E4M3FN must be to_nearest_even, but got toward_zero}}
  %0 = arith.truncf %x toward_zero : f32 to f8E4M3FN
  // CHECK: arith.scaling_truncf
  // expected-remark @+1 {{not legalized: the rounding mode to f4E2M1FN must be to_nearest_even, but got upward}}
  %1 = arith.scaling_truncf %x, %s upward : f32, f8E8M0FNU to f4E2M1FN
  return %0, %1 : f8E4M3FN, f4E2M1FN
}

// -----

func.func @types(%y: f128, %i: i128) -> (f8E5M2, f8E5M2) {
  // expected-remark @+1 {{not legalized: no cast supports f128}}
  %2 = arith.truncf %y : f128 to f8E5M2
  // expected-remark @+1 {{not legalized: integers must have at most 64 bits, but got i128}}
  %3 = arith.sitofp %i : i128 to f8E5M2
  return %2, %3 : f8E5M2, f8E5M2
}

// -----

func.func @scaling(%x: f32, %s: f8E5M2, %n: f8E4M3FN, %e: f8E8M0FNU) -> (f4E2M1FN, f4E2M1FN) {
  // expected-remark @+1 {{not legalized: the scale must have type f8E8M0FNU, f16, bf16, f32 or f64, but got f8E5M2}}
  %0 = arith.scaling_truncf %x, %s : f32, f8E5M2 to f4E2M1FN
  // expected-remark @+1 {{not legalized: the wide type must be f16, bf16, f32 or f64, but got f8E4M3FN}}
  %1 = arith.scaling_truncf %n, %e : f8E4M3FN, f8E8M0FNU to f4E2M1FN
  return %0, %1 : f4E2M1FN, f4E2M1FN
}
