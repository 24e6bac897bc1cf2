// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-lower-min-max{vector-bytes=64 range}))" | FileCheck %s --check-prefixes=CHECK,RANGE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-lower-min-max))" | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-lower-min-max{vector-bytes=24}))" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: vector-bytes: expected 16, 32 or 64, but got 24

// A window of five elements: three comparisons and one selection.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: arith.maximumf
// RANGE-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"
// AVX2: llvm.call_intrinsic "llvm.x86.avx.max.ps.256"
// AVX2: arith.andi %{{.*}} : vector<16xi32>
// CHECK-COUNT-3: arith.cmpf ord
// CHECK-NOT: arith.cmpf
// CHECK: arith.select
func.func @chain(%a: vector<16xf32>, %b: vector<16xf32>, %c: vector<16xf32>, %d: vector<16xf32>, %e: vector<16xf32>) -> vector<16xf32> {
  %0 = arith.maximumf %a, %b : vector<16xf32>
  %1 = arith.maximumf %0, %c : vector<16xf32>
  %2 = arith.maximumf %1, %d : vector<16xf32>
  %3 = arith.maximumf %2, %e : vector<16xf32>
  return %3 : vector<16xf32>
}

// The first minimum has two users, so it ends a chain.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: arith.select
func.func @shared(%a: vector<8xf64>, %b: vector<8xf64>, %c: vector<8xf64>) -> (vector<8xf64>, vector<8xf64>) {
  %0 = arith.minimumf %a, %b : vector<8xf64>
  %1 = arith.minimumf %0, %c : vector<8xf64>
  return %0, %1 : vector<8xf64>, vector<8xf64>
}

// CHECK-LABEL: func.func @relu
// CHECK-SAME: %[[X:.*]]: vector<32xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: arith.addf %[[X]], %[[ZERO]]
// RANGE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.max.ps.512"
// AVX2-COUNT-4: llvm.call_intrinsic "llvm.x86.avx.max.ps.256"
// CHECK-NOT: arith.select
func.func @relu(%x: vector<32xf32>) -> vector<32xf32> {
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %0 = arith.maximumf %x, %zero : vector<32xf32>
  return %0 : vector<32xf32>
}

// LLVM selects one instruction for constants other than zero, and a constant in
// a chain is not compared.
// CHECK-LABEL: func.func @constants
// CHECK-SAME: %[[X:.*]]: vector<8xf32>, %[[Y:.*]]: vector<8xf32>
// CHECK: arith.minimumf
// CHECK: arith.cmpf ord, %[[X]], %[[Y]]
// CHECK-NOT: arith.cmpf
func.func @constants(%x: vector<8xf32>, %y: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %six = arith.constant dense<6.0> : vector<8xf32>
  %0 = arith.minimumf %x, %six : vector<8xf32>
  %1 = arith.maximumf %x, %six : vector<8xf32>
  %2 = arith.maximumf %1, %y : vector<8xf32>
  return %0, %2 : vector<8xf32>, vector<8xf32>
}

// No instruction exists for these vector types.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: arith.maximumf
func.func @others(%a: vector<5xf32>, %b: vector<5xf32>, %c: vector<16xf16>, %d: vector<16xf16>, %e: f32, %f: f32) -> (vector<5xf32>, vector<16xf16>, f32) {
  %0 = arith.maximumf %a, %b : vector<5xf32>
  %1 = arith.maximumf %c, %d : vector<16xf16>
  %2 = arith.maximumf %e, %f : f32
  return %0, %1, %2 : vector<5xf32>, vector<16xf16>, f32
}
