// Constant weights of matmuls in blocks along the reduction dimension.
// RUN: quant-float-opt %s --quant-float-quantize-weights="format=mxfp4 rule=rceil" | FileCheck %s
// RUN: quant-float-opt %s --quant-float-quantize-weights="format=nvfp4 rule=torchao" | FileCheck %s --check-prefix=NVFP4
// RUN: quant-float-opt %s --quant-float-quantize-weights="format=fp8-128x128 rule=deepgemm exclude=gemm" | FileCheck %s --check-prefix=FP8
// RUN: quant-float-opt %s --quant-float-quantize-weights="format=int8-channel rule=absmax" | FileCheck %s --check-prefix=CHANNEL
// RUN: quant-float-opt %s --quant-float-quantize-weights="format=mxfp4 rule=rceil exclude=^" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: echo 'module {}' | quant-float-opt --quant-float-quantize-weights="format=mxfp4 rule=rceil" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not quant-float-opt %s --quant-float-quantize-weights="format=mxfp5 rule=rceil" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not quant-float-opt %s --quant-float-quantize-weights="format=mxfp4 rule=up" 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not quant-float-opt %s --quant-float-quantize-weights="format=nvfp4 rule=floor" 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: quant-float-opt %s --quant-float-quantize-weights="format=nvfp4 rule=ggml" | FileCheck %s --check-prefix=GGML
// RUN: not quant-float-opt %s --quant-float-quantize-weights="format=mxfp4 rule=floor exclude=(" 2>&1 | FileCheck %s --check-prefix=REGEX

// NONE: warning: no weights to quantize: 'exclude' matches all names
// EMPTY: warning: no weights to quantize: expected MatMul or Gemm with a constant matrix of floats, or matrices of a checkpoint
// FORMAT: error: format must be one of mxfp8-e4m3, {{.*}}, but got 'mxfp5'
// RULE: error: rule must be one of floor, ceil, {{.*}}, compressed_tensors, but got 'up'
// TYPES: error: rule floor does not define scales of 'f8E4M3FN' for elements of 'f4E2M1FN', which format nvfp4 has
// REGEX: error: exclude must be a regular expression, but got '(':

// CHECK-LABEL: func.func @matmul
// CHECK-DAG: %[[Q:.+]] = arith.constant dense<6.000000e+00> : tensor<48x8xf4E2M1FN>
// CHECK-DAG: %[[S:.+]] = arith.constant dense<5.000000e-01> : tensor<2x8xf8E8M0FNU>
// CHECK: %[[W:.+]] = quant_float.dequantize %[[Q]], %[[S]] axis 0 block_size 32 opset 28 : tensor<48x8xf4E2M1FN>, tensor<2x8xf8E8M0FNU> to tensor<48x8xf32>
// CHECK: quant_float.node "MatMul"(%{{.+}}, %[[W]])

// NVFP4-LABEL: func.func @matmul
// NVFP4: %[[S:.+]] = quant_float.dequantize %{{.+}}, %{{.+}} opset 28 : tensor<3x8xf8E4M3FN>, tensor<f32> to tensor<3x8xf32>
// NVFP4: quant_float.dequantize %{{.+}}, %[[S]] axis 0 block_size 16 opset 28 : tensor<48x8xf4E2M1FN>, tensor<3x8xf32> to tensor<48x8xf32>

// GGML-LABEL: func.func @matmul
// GGML: %[[T:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
// GGML: quant_float.dequantize %{{.+}}, %[[T]] opset 28 : tensor<3x8xf8E4M3FN>, tensor<f32> to tensor<3x8xf32>

// FP8-LABEL: func.func @matmul
// FP8: quant_float.dequantize %{{.+}}, %{{.+}} axis 0 block_size 128 opset 28 : tensor<48x8xf8E4M3FN>, tensor<1x8xf32> to tensor<48x8xf32>

// CHANNEL-LABEL: func.func @matmul
// CHANNEL: quant_float.dequantize %{{.+}}, %{{.+}} axis 1 opset 28 : tensor<48x8xi8>, tensor<8xf32> to tensor<48x8xf32>
func.func @matmul(%x: tensor<?x48xf32>) -> tensor<?x8xf32> {
  %w = arith.constant dense<3.0> : tensor<48x8xf32>
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<?x48xf32>, tensor<48x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Gemm reduces along the rows of a transposed matrix, and so does MatMul of a Transpose. An
// excluded weight is left unchanged.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[V:.+]] = quant_float.dequantize %{{.+}}, %{{.+}} axis 1 block_size 32 opset 28 : tensor<8x64xf4E2M1FN>, tensor<8x2xf8E8M0FNU> to tensor<8x64xf16>
// CHECK: quant_float.node "Gemm"(%{{.+}}, %[[V]])
// CHECK: %[[U:.+]] = quant_float.dequantize %{{.+}}, %{{.+}} axis 1 block_size 32 opset 28 : tensor<8x64xf4E2M1FN>, tensor<8x2xf8E8M0FNU> to tensor<8x64xf16>
// CHECK: %[[T:.+]] = quant_float.node "Transpose"(%[[U]])
// CHECK: quant_float.node "MatMul"(%{{.+}}, %[[T]])
// FP8-LABEL: func.func @transposed
// FP8: %[[V:.+]] = arith.constant dense<1.000000e+00> : tensor<8x64xf16>
// FP8: quant_float.node "Gemm"(%{{.+}}, %[[V]])
func.func @transposed(%x: tensor<?x64xf16>) -> (tensor<?x8xf16>, tensor<?x8xf16>) {
  %v = arith.constant dense<1.0> : tensor<8x64xf16> loc("gemm.weight")
  %0 = quant_float.node "Gemm"(%x, %v) opset 21 attributes {transB = 1 : i64} : (tensor<?x64xf16>, tensor<8x64xf16>) -> tensor<?x8xf16>
  %u = arith.constant dense<2.0> : tensor<8x64xf16> loc("matmul.weight")
  %t = quant_float.node "Transpose"(%u) opset 21 attributes {perm = array<i64: 1, 0>} : (tensor<8x64xf16>) -> tensor<64x8xf16>
  %1 = quant_float.node "MatMul"(%x, %t) opset 21 : (tensor<?x64xf16>, tensor<64x8xf16>) -> tensor<?x8xf16>
  return %0, %1 : tensor<?x8xf16>, tensor<?x8xf16>
}

// A checkpoint: matrices whose names end with "weight".
// CHECK-LABEL: func.func @weights
// CHECK: %[[W:.+]] = quant_float.dequantize
// CHECK: return %[[W]], %{{cst.*}}, %{{cst.*}}
func.func @weights() -> (tensor<4x64xf32> {quant_float.name = "fc.weight"}, tensor<64xf32> {quant_float.name = "norm.weight"}, tensor<2x2xf32> {quant_float.name = "table"}) {
  %0 = arith.constant dense<1.0> : tensor<4x64xf32>
  %1 = arith.constant dense<1.0> : tensor<64xf32>
  %2 = arith.constant dense<1.0> : tensor<2x2xf32>
  return %0, %1, %2 : tensor<4x64xf32>, tensor<64xf32>, tensor<2x2xf32>
}

// By default, Transpose reverses the dimensions. Other users of the Transpose get the original
// weight.
// CHECK-LABEL: func.func @shared
// CHECK: %[[W:.+]] = arith.constant dense<3.000000e+00> : tensor<4x4xf32>
// CHECK: %[[R:.+]] = quant_float.dequantize %{{.+}}, %{{.+}} axis 0
// CHECK: %[[Q:.+]] = quant_float.dequantize %{{.+}}, %{{.+}} axis 1
// CHECK: %[[T:.+]] = quant_float.node "Transpose"(%[[W]])
// CHECK: %[[U:.+]] = quant_float.node "Transpose"(%[[Q]])
// CHECK: quant_float.node "MatMul"(%{{.+}}, %[[U]])
// CHECK: %[[V:.+]] = quant_float.node "Transpose"(%[[R]])
// CHECK: quant_float.node "Gemm"(%{{.+}}, %[[V]])
// CHECK: quant_float.node "Add"(%{{.+}}, %[[T]])
func.func @shared(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %w = arith.constant dense<3.0> : tensor<4x4xf32>
  %t = quant_float.node "Transpose"(%w) opset 21 name "t" : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = quant_float.node "MatMul"(%x, %t) opset 21 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = quant_float.node "Gemm"(%x, %t) opset 21 attributes {transB = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = quant_float.node "Add"(%x, %t) opset 21 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Branches are not results, and a large splat is kept as a splat.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: dequantize
// CHECK: cf.br
// CHECK-LABEL: func.func @large
// CHECK: arith.constant dense<3.000000e+00> : tensor<200000x200000xf4E2M1FN>
// CHECK: arith.constant dense<3.125000e-02> : tensor<6250x200000xf8E8M0FNU>
func.func @blocks() -> (tensor<2x2xf32> {quant_float.name = "a.weight"}) {
  %w = arith.constant dense<0.1> : tensor<2x2xf32>
  cf.br ^end(%w, %w : tensor<2x2xf32>, tensor<2x2xf32>)
^end(%p: tensor<2x2xf32>, %q: tensor<2x2xf32>):
  return %p : tensor<2x2xf32>
}
func.func @large(%x: tensor<1x200000xf32>) -> tensor<1x200000xf32> {
  %w = arith.constant dense<0.1> : tensor<200000x200000xf32>
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<1x200000xf32>, tensor<200000x200000xf32>) -> tensor<1x200000xf32>
  return %y : tensor<1x200000xf32>
}
