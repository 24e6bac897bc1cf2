// Upstream ops to upstream ops, all in upstream's mlir-opt: ops without an upstream lowering can be
// executed.
// RUN: %stock_opt %s --pass-pipeline="builtin.module(quant-float-legalize-arith,convert-quant-float-to-arith,convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts)" | \
// RUN:   %llvm_bin/mlir-runner -e main -entry-point-result=void \
// RUN:   --shared-libs=%llvm_bin/../lib/libmlir_c_runner_utils.so | FileCheck %s

func.func @encode(%x: vector<8xf16>) -> vector<8xf8E4M3FN> {
  %0 = arith.truncf %x : vector<8xf16> to vector<8xf8E4M3FN>
  return %0 : vector<8xf8E4M3FN>
}

func.func @decode(%x: vector<8xf8E4M3FN>) -> vector<8xf32> {
  %0 = arith.extf %x : vector<8xf8E4M3FN> to vector<8xf32>
  return %0 : vector<8xf32>
}

func.func @main() {
  // 464 is a tie, which rounds to the even 448. 465 is too large.
  %x = arith.constant dense<[1.0, -0.0, 464.0, 465.0, 0.015617, 0.0009765625, 0.00097752, -3.2]> : vector<8xf16>
  %encodings = call @encode(%x) : (vector<8xf16>) -> vector<8xf8E4M3FN>
  %bytes = arith.bitcast %encodings : vector<8xf8E4M3FN> to vector<8xi8>
  // CHECK: ( 56, -128, 126, 127, 8, 0, 1, -59 )
  vector.print %bytes : vector<8xi8>
  %y = call @decode(%encodings) : (vector<8xf8E4M3FN>) -> vector<8xf32>
  // CHECK: ( 1, -0, 448, nan, 0.015625, 0, 0.00195312, -3.25 )
  vector.print %y : vector<8xf32>
  return
}
