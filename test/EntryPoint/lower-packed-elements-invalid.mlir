// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-lower-packed-elements

func.func @copied(%m: memref<8xi4>, %n: memref<8xi4>) {
  // expected-error @+1 {{'memref.copy' op has no lowering for packed elements}}
  memref.copy %m, %n : memref<8xi4> to memref<8xi4>
  return
}

// -----

func.func @rank(%m: memref<8x8xi4>, %i: index) -> vector<2x2xi4> {
  %p = arith.constant 0 : i4
  // expected-error @+1 {{'vector.transfer_read' op has no lowering for packed elements}}
  %0 = vector.transfer_read %m[%i, %i], %p {in_bounds = [true, true]} : memref<8x8xi4>, vector<2x2xi4>
  return %0 : vector<2x2xi4>
}

// -----

func.func @anywhere(%m: memref<8xi4>, %v: vector<4xi4>, %i: index) {
  // expected-error @+1 {{'vector.store' op has no lowering for packed elements}}
  vector.store %v, %m[%i] : memref<8xi4>, vector<4xi4>
  return
}

// -----

// expected-error @+1 {{'memref.global' op has no lowering: expected a constant with packed elements in a dense resource}}
memref.global "private" constant @w : memref<4xi4> = dense<3>
