// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-if-present{ops=math.exp,vector pipeline=func.func(canonicalize)}))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-if-present{ops=tensor.dim pipeline=builtin.module(symbol-dce)})" | FileCheck %s --check-prefix=NONE
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(quant-float-if-present{ops=func pipeline=builtin.module(no-such-pass)})" 2>&1 | FileCheck %s --check-prefix=INVALID

// INVALID: 'no-such-pass' does not refer to a registered pass or pass pipeline

// NONE: func.func private @unused

// The op.

// CHECK-LABEL: func.func @op(
// CHECK-NOT:     arith.addi
func.func @op(%x: f32, %i: index) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %0 = arith.addi %i, %c0 : index
  %1 = math.exp %x : f32
  return %1, %0 : f32, index
}

// The dialect.

// CHECK-LABEL: func.func @dialect(
// CHECK-NOT:     arith.addi
func.func @dialect(%x: f32, %i: index) -> (vector<4xf32>, index) {
  %c0 = arith.constant 0 : index
  %0 = arith.addi %i, %c0 : index
  %1 = vector.broadcast %x : f32 to vector<4xf32>
  return %1, %0 : vector<4xf32>, index
}

// Neither.

// CHECK-LABEL: func.func @neither(
// CHECK:         arith.addi
func.func @neither(%x: f32, %i: index) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %0 = arith.addi %i, %c0 : index
  %1 = math.log %x : f32
  return %1, %0 : f32, index
}

func.func private @unused() {
  return
}
