// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-lower-tosa | FileCheck %s
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-lower-tosa --quant-float-legalize-arith | FileCheck %s --check-prefix=CAST

// CHECK-LABEL: func.func @casts
// CHECK: linalg.generic
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
// CHECK: linalg.generic
// CHECK: arith.extf %{{.*}} : f8E4M3FN to bf16
// CAST-LABEL: func.func @casts
// CAST: quant_float.cast %{{.*}} opset 28 saturate false : f32 to f8E4M3FN
// CAST: quant_float.cast %{{.*}} opset 28 : f8E4M3FN to bf16
func.func @casts(%x: tensor<4xf32>) -> tensor<4xbf16> {
  %0 = tosa.cast %x : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %1 = tosa.cast %0 : (tensor<4xf8E4M3FN>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @rescale
// CHECK: linalg.quantized_batch_matmul
// CHECK-NOT: tosa.
func.func @rescale(%x: tensor<1x4x16xi8>, %w: tensor<1x16x8xi8>) -> tensor<1x4x8xi8> {
  %azp = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %bzp = "tosa.const"() <{values = dense<-2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %w, %azp, %bzp : (tensor<1x4x16xi8>, tensor<1x16x8xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x8xi32>
  %mul = "tosa.const"() <{values = dense<1374389535> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shift = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %izp = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %ozp = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = "tosa.rescale"(%0, %mul, %shift, %izp, %ozp) <{scale32 = true, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, per_channel = false, input_unsigned = false, output_unsigned = false}> : (tensor<1x4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x8xi8>
  return %1 : tensor<1x4x8xi8>
}

// CHECK-LABEL: func.func @branches
// CHECK: scf.if
func.func @branches(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = tosa.cond_if %c : tensor<i1> -> tensor<4xf32> {
    %1 = tosa.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %1 : tensor<4xf32>
  } else {
    tosa.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @unsupported(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{failed to legalize operation 'tosa.custom'}}
  %0 = "tosa.custom"(%x) <{operator_name = "a", domain_name = "b", implementation_attrs = ""}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
