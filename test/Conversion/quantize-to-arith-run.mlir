// Q1, K5: the scale of each element of a vector. All inputs are 1, so that the results are the
// scales.
// RUN: quant-float-opt %s --convert-quant-float-to-arith --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts | \
// RUN:   %llvm_bin/mlir-runner -e main -entry-point-result=void \
// RUN:   --shared-libs=%llvm_bin/../lib/libmlir_c_runner_utils.so | FileCheck %s

func.func @blocks(%x: vector<2x5xi8>, %s: vector<2x3xf32>) -> vector<2x5xf32> {
  %0 = quant_float.dequantize %x, %s axis 1 block_size 2 opset 21 : vector<2x5xi8>, vector<2x3xf32> to vector<2x5xf32>
  return %0 : vector<2x5xf32>
}
func.func @blocks_of_rows(%x: vector<5x2xi8>, %s: vector<2x2xf32>) -> vector<5x2xf32> {
  %0 = quant_float.dequantize %x, %s axis -2 block_size 3 opset 21 : vector<5x2xi8>, vector<2x2xf32> to vector<5x2xf32>
  return %0 : vector<5x2xf32>
}
func.func @one_block(%x: vector<2x5xi8>, %s: vector<2x1xf32>) -> vector<2x5xf32> {
  %0 = quant_float.dequantize %x, %s axis 1 block_size 100 opset 21 : vector<2x5xi8>, vector<2x1xf32> to vector<2x5xf32>
  return %0 : vector<2x5xf32>
}
func.func @rows(%x: vector<2x5xi8>, %s: vector<2xf32>) -> vector<2x5xf32> {
  %0 = quant_float.dequantize %x, %s axis 0 opset 21 : vector<2x5xi8>, vector<2xf32> to vector<2x5xf32>
  return %0 : vector<2x5xf32>
}
func.func @columns(%x: vector<2x5xi8>, %s: vector<5xf32>) -> vector<2x5xf32> {
  %0 = quant_float.dequantize %x, %s axis 1 opset 21 : vector<2x5xi8>, vector<5xf32> to vector<2x5xf32>
  return %0 : vector<2x5xf32>
}
func.func @one(%x: vector<2x5xi8>, %s: vector<1xf32>) -> vector<2x5xf32> {
  %0 = quant_float.dequantize %x, %s opset 21 : vector<2x5xi8>, vector<1xf32> to vector<2x5xf32>
  return %0 : vector<2x5xf32>
}
func.func @broadcast(%x: vector<2x3x2xf32>, %s: vector<3x1xf32>, %t: vector<3x1xf32>) -> vector<2x3x2xf32> {
  %0 = quant_float.fakeconvert %x, %s, %t to f8E5M2 opset 13 : vector<2x3x2xf32>, vector<3x1xf32>, vector<3x1xf32> to vector<2x3x2xf32>
  return %0 : vector<2x3x2xf32>
}

// S5: 1 and a quarter of what has scale 1, and of what has scale 2 the half of it.
func.func @random_bits(%x: vector<2x4xf32>, %s: vector<2x2xf32>) -> vector<2x4xf32> {
  %r = quant_float.constant dense<[[0, 192, 0, 97], [191, 192, 96, 95]]> : vector<2x4xui8>
  %0 = quant_float.qdq %x, %s, %r axis 1 block_size 2 storage i4 opset 1 domain "quant_float" round_mode stochastic
         : vector<2x4xf32>, vector<2x2xf32>, vector<2x4xui8> to vector<2x4xf32>
  return %0 : vector<2x4xf32>
}

func.func @main() {
  %x = arith.constant dense<1> : vector<2x5xi8>
  %y = arith.constant dense<1> : vector<5x2xi8>
  %six = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : vector<2x3xf32>
  %four = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
  %column = arith.constant dense<[[1.0], [2.0]]> : vector<2x1xf32>
  %two = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %five = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : vector<5xf32>
  %quarters = arith.constant dense<1.25> : vector<2x4xf32>
  %ones_and_twos = arith.constant dense<[[1.0, 2.0], [1.0, 2.0]]> : vector<2x2xf32>
  // CHECK: ( ( 1, 2, 0, 2 ), ( 1, 2, 2, 0 ) )
  %random = call @random_bits(%quarters, %ones_and_twos) : (vector<2x4xf32>, vector<2x2xf32>) -> vector<2x4xf32>
  vector.print %random : vector<2x4xf32>
  %single = arith.constant dense<7.0> : vector<1xf32>
  // CHECK: ( ( 1, 1, 2, 2, 3 ), ( 4, 4, 5, 5, 6 ) )
  %0 = call @blocks(%x, %six) : (vector<2x5xi8>, vector<2x3xf32>) -> vector<2x5xf32>
  vector.print %0 : vector<2x5xf32>
  // CHECK: ( ( 1, 2 ), ( 1, 2 ), ( 1, 2 ), ( 3, 4 ), ( 3, 4 ) )
  %1 = call @blocks_of_rows(%y, %four) : (vector<5x2xi8>, vector<2x2xf32>) -> vector<5x2xf32>
  vector.print %1 : vector<5x2xf32>
  // CHECK: ( ( 1, 1, 1, 1, 1 ), ( 2, 2, 2, 2, 2 ) )
  %2 = call @one_block(%x, %column) : (vector<2x5xi8>, vector<2x1xf32>) -> vector<2x5xf32>
  vector.print %2 : vector<2x5xf32>
  // CHECK: ( ( 1, 1, 1, 1, 1 ), ( 2, 2, 2, 2, 2 ) )
  %3 = call @rows(%x, %two) : (vector<2x5xi8>, vector<2xf32>) -> vector<2x5xf32>
  vector.print %3 : vector<2x5xf32>
  // CHECK: ( ( 1, 2, 3, 4, 5 ), ( 1, 2, 3, 4, 5 ) )
  %4 = call @columns(%x, %five) : (vector<2x5xi8>, vector<5xf32>) -> vector<2x5xf32>
  vector.print %4 : vector<2x5xf32>
  // CHECK: ( ( 7, 7, 7, 7, 7 ), ( 7, 7, 7, 7, 7 ) )
  %5 = call @one(%x, %single) : (vector<2x5xi8>, vector<1xf32>) -> vector<2x5xf32>
  vector.print %5 : vector<2x5xf32>
  // (min(s - t, 57344) + t) / s, where 57344 is the largest f8E5M2.
  %z = arith.constant dense<1.0> : vector<2x3x2xf32>
  %scales = arith.constant dense<[[1.0], [131072.0], [114688.0]]> : vector<3x1xf32>
  %shifts = arith.constant dense<[[1.0], [0.0], [57344.0]]> : vector<3x1xf32>
  // CHECK: ( ( ( 1, 1 ), ( 0.4375, 0.4375 ), ( 1, 1 ) ), ( ( 1, 1 ), ( 0.4375, 0.4375 ), ( 1, 1 ) ) )
  %6 = call @broadcast(%z, %scales, %shifts) : (vector<2x3x2xf32>, vector<3x1xf32>, vector<3x1xf32>) -> vector<2x3x2xf32>
  vector.print %6 : vector<2x3x2xf32>
  return
}
