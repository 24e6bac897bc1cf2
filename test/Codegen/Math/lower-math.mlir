// RUN: quant-float-opt %s --quant-float-lower-math | FileCheck %s

// Vectors stay vectors. Products and sums are rounded separately.

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

// Angles are reduced by integer multiplications, and powers are computed in
// f64.

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

// The same for f64, with exact products in two parts.

// CHECK-LABEL: func.func @wide(
// CHECK-NOT:     call
// CHECK-COUNT-3: arith.divf %{{.+}}, %{{.+}} : vector<4xf64>
// CHECK-NOT:     math.{{exp|log|pow}}
// CHECK:         return
func.func @wide(%x: vector<4xf64>, %y: vector<4xf64>) -> (vector<4xf64>, vector<4xf64>, vector<4xf64>) {
  %0 = math.exp %x : vector<4xf64>
  %1 = math.log %x : vector<4xf64>
  %2 = math.powf %x, %y : vector<4xf64>
  return %0, %1, %2 : vector<4xf64>, vector<4xf64>, vector<4xf64>
}

// Scalar calls of the C library's functions.

// CHECK-LABEL: func.func @library(
// CHECK-COUNT-2: call @log1pf(
// CHECK:         call @tan(%{{.+}}) : (f64) -> f64
func.func @library(%x: vector<2xf32>, %y: f64) -> (vector<2xf32>, f64) {
  %0 = math.log1p %x : vector<2xf32>
  %1 = math.tan %y : f64
  return %0, %1 : vector<2xf32>, f64
}

// Native instructions.

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
