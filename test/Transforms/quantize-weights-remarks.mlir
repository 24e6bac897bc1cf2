// Weights that are not quantized, with the reason.
// RUN: quant-float-opt %s --quant-float-quantize-weights="format=mxint8 rule=floor" --verify-diagnostics -o /dev/null
// RUN: sed "/expected-remark/d" %s | quant-float-opt --quant-float-quantize-weights="format=mxfp4 rule=even" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVEN
// RUN: sed "/expected-remark/d" %s | quant-float-opt --quant-float-quantize-weights="format=nvfp4 rule=torchao" -o /dev/null 2>&1 | FileCheck %s

// EVEN: remark: {{.*}}not quantized: a scale is not finite

// CHECK-COUNT-2: remark: {{.*}}not quantized: it has an infinite element or NaN
// CHECK-COUNT-2: remark: {{.*}}not quantized: its elements are too small for a scale of the tensor
// CHECK-NOT: remark

func.func @infinity(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-remark @+1 {{not quantized: it has an infinite element or NaN}}
  %w = arith.constant dense<[[1.0, 0x7F800000], [2.0, 3.0]]> : tensor<2x2xf32>
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

func.func @nan(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-remark @+1 {{not quantized: it has an infinite element or NaN}}
  %w = arith.constant dense<[[1.0, 0x7FC00000], [2.0, 3.0]]> : tensor<2x2xf32>
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// 2^-125 has the encoding 2, and its product with 1/64 has none.
func.func @small(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-remark @+1 {{not quantized: its scales are too small for MXINT8}}
  %w = arith.constant dense<2.350988701644575e-38> : tensor<2x2xf32>
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// 1e-39 has the encoding 0, which is that of a block of zeros as well. Two matmuls that share a
// weight count once.
func.func @clamped(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  // expected-remark @+1 {{not quantized: its scales are too small for MXINT8}}
  %w = arith.constant dense<1.0e-39> : tensor<2x2xf32>
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %z = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %y, %z : tensor<?x2xf32>, tensor<?x2xf32>
}

// The rule even rounds the maximum magnitude to 2^128.
func.func @largest(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %w = arith.constant dense<3.4e38> : tensor<2x2xf32>
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
