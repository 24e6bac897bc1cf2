// LLVM counts only if it is built with assertions; otherwise the report is empty.
// RUN: quant-float-opt %s --quant-float-fuse-qdq --quant-float-decompose-qdq --quant-float-collapse-casts --quant-float-merge-scales --quant-float-eliminate-qdq="requantize=none remarks=false" --mlir-pass-statistics --mlir-pass-statistics-display=pipeline -o /dev/null 2>&1 | FileCheck %s %if asserts %{ --check-prefixes=CHECK,COUNT %}

// CHECK: Pass statistics report
// COUNT: QuantFloatFuseQdqPass
// COUNT-NEXT: (S) 1 num-fused - Number of pairs of quantize and dequantize fused
// COUNT: QuantFloatDecomposeQdqPass
// COUNT-NEXT: (S) 2 num-decomposed - Number of qdq ops decomposed
// COUNT: QuantFloatCollapseCastsPass
// COUNT-NEXT: (S) 1 num-collapsed - Number of chains of two casts collapsed
// COUNT: QuantFloatMergeScalesPass
// COUNT-NEXT: (S) 1 num-merged - Number of quantization ops whose scales are merged
// COUNT: QuantFloatEliminateQdqPass
// COUNT-NEXT: (S) 1 num-eliminated - Number of quantize ops of dequantized values eliminated
// COUNT-NEXT: (S) 1 num-kept       - Number of quantize ops of dequantized values that stay
func.func @pairs(%x: tensor<8xf32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %q = quant_float.quantize %x, %s opset 23 : tensor<8xf32>, tensor<f32> to tensor<8xi8>
  %0 = quant_float.dequantize %q, %s opset 23 : tensor<8xi8>, tensor<f32> to tensor<8xf32>
  %1 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : tensor<8xf32>, tensor<f32> to tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func @casts(%x: tensor<4xf8E5M2>) -> tensor<4xf32> {
  %0 = quant_float.cast %x opset 21 : tensor<4xf8E5M2> to tensor<4xf16>
  %1 = quant_float.cast %0 opset 21 : tensor<4xf16> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @scales(%w: tensor<2x32xi4>) -> tensor<2x32xf32> {
  %s = arith.constant dense<[[0.5, 0.5], [0.25, 0.25]]> : tensor<2x2xf32>
  %0 = quant_float.dequantize %w, %s axis 1 block_size 16 opset 21 : tensor<2x32xi4>, tensor<2x2xf32> to tensor<2x32xf32>
  return %0 : tensor<2x32xf32>
}

func.func @requantization(%q: tensor<8xi8>) -> (tensor<8xi8>, tensor<8xi8>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  %t = arith.constant dense<0.25> : tensor<f32>
  %0 = quant_float.dequantize %q, %s opset 21 : tensor<8xi8>, tensor<f32> to tensor<8xf32>
  %1 = quant_float.quantize %0, %s opset 21 : tensor<8xf32>, tensor<f32> to tensor<8xi8>
  %2 = quant_float.quantize %0, %t opset 21 : tensor<8xf32>, tensor<f32> to tensor<8xi8>
  return %1, %2 : tensor<8xi8>, tensor<8xi8>
}
