// The type !tosa.block_scaled, and quantiles in a registered quant dialect.
// REQUIRES: llvm-at-least-23
// RUN: quant-float-opt %s --quant-float-legalize-arith -split-input-file -verify-diagnostics | FileCheck %s

!scaled = !tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f4E2M1FN>

// CHECK-LABEL: @constant
func.func @constant() -> tensor<2x64xf32> {
  // CHECK: %[[X:.+]] = arith.constant dense<1.500000e+00> : tensor<2x64xf4E2M1FN>
  // CHECK: %[[S:.+]] = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [2.500000e-01, 4.000000e+00]]> : tensor<2x2xf8E8M0FNU>
  // CHECK: quant_float.dequantize %[[X]], %[[S]] axis 1 block_size 32 opset 28 : {{.*}} to tensor<2x64xf32>
  %0 = "tosa.const"() <{values = dense<tensor<2x64x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f4E2M1FN, {1.0, 2.0, 0.25, 4.0}>> : 1.5 : f4E2M1FN>}> : () -> tensor<2x64x!scaled>
  %1 = "tosa.cast"(%0) : (tensor<2x64x!scaled>) -> tensor<2x64xf32>
  return %1 : tensor<2x64xf32>
}

// -----

!scaled = !tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2>

func.func @not_legalized(%x: tensor<4x64x!scaled>) -> (tensor<4x64xf32>, tensor<4x64x!scaled>) {
  // expected-remark @+1 {{not legalized: the operand must be a tosa.const of float8, float6 or float4 whose type states its scales, because other tensors of !tosa.block_scaled have no specified layout}}
  %0 = "tosa.cast"(%x) : (tensor<4x64x!scaled>) -> tensor<4x64xf32>
  // expected-remark @+1 {{not legalized: this op on block-scaled tensors is not supported}}
  %1 = "tosa.identity"(%x) : (tensor<4x64x!scaled>) -> tensor<4x64x!scaled>
  return %0, %1 : tensor<4x64xf32>, tensor<4x64x!scaled>
}

// -----

!scaled = !tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2>

func.func @cast_to_blocks(%x: tensor<4x64xf32>) -> tensor<4x64x!scaled> {
  // expected-error @+1 {{'tosa.cast' op is not supported: tensors of !tosa.block_scaled have no specified layout}}
  %0 = "tosa.cast"(%x) : (tensor<4x64xf32>) -> tensor<4x64x!scaled>
  return %0 : tensor<4x64x!scaled>
}

// -----

!quantized = !quant.uniform<!quant.quantile<ui2:f32, {-1.0, 0.25, 0.5, 1.0}>:f32, 0.5>

// CHECK-LABEL: @quantiles
// CHECK-SAME: %[[X:.+]]: tensor<4x!quant
func.func @quantiles(%x: tensor<4x!quantized>) -> tensor<4xf32> {
  // CHECK: %[[I:.+]] = builtin.unrealized_conversion_cast %[[X]] : {{.*}} to tensor<4xui2>
  // CHECK: %[[Q:.+]] = arith.constant dense<[-1.000000e+00, 2.500000e-01, 5.000000e-01, 1.000000e+00]> : tensor<4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[I]],
  // CHECK: tensor.extract %[[Q]]
  %0 = quant.dcast %x : tensor<4x!quantized> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @float8
func.func @float8(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32, 0.5>> {
  // CHECK: %[[Q:.+]] = quant_float.quantize
  // CHECK: builtin.unrealized_conversion_cast %[[Q]] : tensor<4xf8E4M3FN> to tensor<4x!quant.uniform
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<f8E4M3FN:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<f8E4M3FN:f32, 0.5>>
}
