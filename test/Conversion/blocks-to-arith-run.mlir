// Executes ops on blocks of vectors and scalars, lowered to arith. Constants are passed through
// functions to prevent folding.
// RUN: quant-float-opt %s --convert-quant-float-to-arith --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts | \
// RUN:   %llvm_bin/mlir-runner -e main -entry-point-result=void \
// RUN:   --shared-libs=%llvm_bin/../lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=x86-64-v3" --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts | \
// RUN:   %llvm_bin/mlir-runner -e main -entry-point-result=void \
// RUN:   --shared-libs=%llvm_bin/../lib/libmlir_c_runner_utils.so | FileCheck %s

// The encodings of powers of two for 12, 13, NaN and 0, with a largest element value of 6.
func.func @scales(%a: vector<4xf32>) -> vector<4xi8> {
  %s = quant_float.block_scale %a rule ceil_exact element f4E2M1FN : vector<4xf32> to vector<4xf8E8M0FNU>
  %b = arith.bitcast %s : vector<4xf8E8M0FNU> to vector<4xi8>
  return %b : vector<4xi8>
}
// 2.5 and 3.5 are ties, and 100 saturates.
func.func @elements(%x: vector<4xf32>, %s: vector<4xi8>) -> vector<4xf32> {
  %e = arith.bitcast %s : vector<4xi8> to vector<4xf8E8M0FNU>
  %q = quant_float.block_quantize_elements %x, %e rule ceil_exact : vector<4xf32>, vector<4xf8E8M0FNU> to vector<4xf4E2M1FN>
  %y = quant_float.block_dequantize %q, %e : vector<4xf4E2M1FN>, vector<4xf8E8M0FNU> to vector<4xf32>
  return %y : vector<4xf32>
}
// A scalar scale of the tensor with vectors.
func.func @two_levels(%a: vector<4xf32>, %t: f32) -> vector<4xf32> {
  %s = quant_float.block_scale %a tensor_scale(%t : f32) rule model_optimizer element f4E2M1FN : vector<4xf32> to vector<4xf8E4M3FN>
  %q = quant_float.block_quantize_elements %a, %s tensor_scale(%t : f32) rule model_optimizer : vector<4xf32>, vector<4xf8E4M3FN> to vector<4xf4E2M1FN>
  %y = quant_float.block_dequantize %q, %s tensor_scale(%t : f32) order tensor_first : vector<4xf4E2M1FN>, vector<4xf8E4M3FN> to vector<4xf32>
  return %y : vector<4xf32>
}
func.func @scalar(%a: f32, %x: f16) -> f32 {
  %t = quant_float.tensor_scale %a : f32
  %s = quant_float.block_scale %a rule absmax element i8 : f32 to f32
  %q = quant_float.block_quantize_elements %x, %s rule absmax : f16, f32 to i8
  %y = quant_float.block_dequantize %q, %s : i8, f32 to f32
  %z = arith.addf %y, %t : f32
  return %z : f32
}

func.func @main() {
  %a = arith.constant dense<[12.0, 13.0, 0x7FC00000, 0.0]> : vector<4xf32>
  %0 = func.call @scales(%a) : (vector<4xf32>) -> vector<4xi8>
  %1 = arith.extui %0 : vector<4xi8> to vector<4xi32>
  vector.print %1 : vector<4xi32>
  // CHECK: ( 128, 129, 255, 0 )
  %x = arith.constant dense<[2.5, -3.5, 100.0, -0.0]> : vector<4xf32>
  %e = arith.constant dense<[127, 127, 127, 127]> : vector<4xi8>
  %2 = func.call @elements(%x, %e) : (vector<4xf32>, vector<4xi8>) -> vector<4xf32>
  vector.print %2 : vector<4xf32>
  // CHECK: ( 2, -4, 6, -0 )
  %b = arith.constant dense<[6.0, 3.0, 12.0, 0.0]> : vector<4xf32>
  %t = arith.constant 0.5 : f32
  %3 = func.call @two_levels(%b, %t) : (vector<4xf32>, f32) -> vector<4xf32>
  vector.print %3 : vector<4xf32>
  // CHECK: ( 6, 3, 12, 0 )
  %c = arith.constant 254.0 : f32
  %h = arith.constant 5.0 : f16
  %4 = func.call @scalar(%c, %h) : (f32, f16) -> f32
  vector.print %4 : f32
  // CHECK: 4.09449
  return
}
