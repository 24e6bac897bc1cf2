// RUN: quant-float-opt %s --quant-float-lower-math | FileCheck %s

// Vectors stay vectors; products and sums are rounded apart.

// CHECK-LABEL: func.func @exponential(
// CHECK-NOT:     math.
// CHECK-NOT:     call
// CHECK:         arith.mulf %{{.+}} : vector<16xf32>
// CHECK:         return
func.func @exponential(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func @logarithm(
// CHECK-NOT:     math.
// CHECK-NOT:     call
// CHECK:         arith.shrsi %{{.+}} : vector<16xi32>
// CHECK:         return
func.func @logarithm(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.log %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func @hyperbolic(
// CHECK-NOT:     call
// CHECK:         math.copysign %{{.+}} : f32
func.func @hyperbolic(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  return %0 : f32
}

// Angles are reduced by products of integers, powers by f64.

// CHECK-LABEL: func.func @circular(
// CHECK-NOT:     math.sin
// CHECK-NOT:     call
// CHECK:         arith.muli %{{.+}} : vector<16xi64>
// CHECK:         return
func.func @circular(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sin %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func @power(
// CHECK-NOT:     math.powf
// CHECK-NOT:     call
// CHECK:         arith.mulf %{{.+}} : vector<16xf64>
// CHECK:         arith.truncf
// CHECK:         return
func.func @power(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %0 = math.powf %x, %y : vector<16xf32>
  return %0 : vector<16xf32>
}

// The C library's functions, element by element.

// CHECK-LABEL: func.func @library(
// CHECK-COUNT-2: call @log1pf(
// CHECK:         call @exp(%{{.+}}) : (f64) -> f64
func.func @library(%x: vector<2xf32>, %y: f64) -> (vector<2xf32>, f64) {
  %0 = math.log1p %x : vector<2xf32>
  %1 = math.exp %y : f64
  return %0, %1 : vector<2xf32>, f64
}

// Instructions.

// CHECK-LABEL: func.func @instructions(
// CHECK:         math.sqrt
// CHECK:         math.roundeven
// CHECK:         math.fma
func.func @instructions(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sqrt %x : vector<16xf32>
  %1 = math.roundeven %0 : vector<16xf32>
  %2 = math.fma %0, %1, %x : vector<16xf32>
  return %2 : vector<16xf32>
}
