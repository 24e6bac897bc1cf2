// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-lower-math{fma=false})" | FileCheck %s
// RUN: quant-float-opt %s --quant-float-lower-math | FileCheck %s --check-prefix=KEPT

// Without FMA instructions, the product is exact in f64 and the sum is rounded to odd. test/Python/fused_multiply_add.py executes this.

// KEPT-LABEL: func.func @single(
// KEPT:         math.fma %{{.+}} : vector<8xf32>

// CHECK-LABEL: func.func @single(
// CHECK-SAME:    %[[A:.+]]: vector<8xf32>, %[[B:.+]]: vector<8xf32>, %[[C:.+]]: vector<8xf32>)
// CHECK-NOT:     math.fma
// CHECK-DAG:     %[[WIDE_A:.+]] = arith.extf %[[A]] : vector<8xf32> to vector<8xf64>
// CHECK-DAG:     %[[WIDE_B:.+]] = arith.extf %[[B]]
// CHECK-DAG:     %[[PRODUCT:.+]] = arith.mulf %[[WIDE_A]], %[[WIDE_B]]
// CHECK-DAG:     %[[WIDE_C:.+]] = arith.extf %[[C]]
// CHECK:         arith.addf %[[PRODUCT]], %[[WIDE_C]]
// CHECK:         %[[RESULT:.+]] = arith.truncf %{{.+}} : vector<8xf64> to vector<8xf32>
// CHECK:         return %[[RESULT]]
func.func @single(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
  %0 = math.fma %a, %b, %c : vector<8xf32>
  return %0 : vector<8xf32>
}

// LLVM calls the C library for f64.

// CHECK-LABEL: func.func @double(
// CHECK:         math.fma %{{.+}} : f64
func.func @double(%a: f64, %b: f64, %c: f64) -> f64 {
  %0 = math.fma %a, %b, %c : f64
  return %0 : f64
}
