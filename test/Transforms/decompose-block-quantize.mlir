// Decomposition of block_quantize. With two levels, the maximum magnitude of the tensor is that of
// the blocks.
// RUN: quant-float-opt %s --quant-float-decompose-block-quantize | FileCheck %s

// CHECK-LABEL: func.func @one_level
// CHECK-SAME: (%[[X:.+]]: tensor<4x?xf16>)
// CHECK-NEXT: %[[A:.+]] = quant_float.block_amax %[[X]] block [1, 32] : tensor<4x?xf16> to tensor<4x?xf16>
// CHECK-NEXT: %[[S:.+]] = quant_float.block_scale %[[A]] rule {{.*}}even element f6E2M3FN : tensor<4x?xf16> to tensor<4x?xf8E8M0FNU>
// CHECK-NEXT: %[[Q:.+]] = quant_float.block_quantize_elements %[[X]], %[[S]] block [1, 32] rule {{.*}}even :
// CHECK-NEXT: return %[[Q]], %[[S]]
func.func @one_level(%x: tensor<4x?xf16>) -> (tensor<4x?xf6E2M3FN>, tensor<4x?xf8E8M0FNU>) {
  %q, %s = quant_float.block_quantize %x block [1, 32] rule even : tensor<4x?xf16> to tensor<4x?xf6E2M3FN>, tensor<4x?xf8E8M0FNU>
  return %q, %s : tensor<4x?xf6E2M3FN>, tensor<4x?xf8E8M0FNU>
}

// CHECK-LABEL: func.func @two_levels
// CHECK-SAME: (%[[X:.+]]: tensor<4x64xbf16>)
// CHECK-NEXT: %[[A:.+]] = quant_float.block_amax %[[X]] block [1, 16]
// CHECK-NEXT: %[[M:.+]] = quant_float.block_amax %[[A]] block [-1, -1] : tensor<4x4xbf16> to tensor<1x1xbf16>
// CHECK-NEXT: %[[N:.+]] = tensor.collapse_shape %[[M]] [] : tensor<1x1xbf16> into tensor<bf16>
// CHECK-NEXT: %[[AMAX:.+]] = quant_float.cast %[[N]] opset 28 : tensor<bf16> to tensor<f32>
// CHECK-NEXT: %[[S:.+]] = quant_float.block_scale %[[A]] tensor_amax(%[[AMAX]] : tensor<f32>) rule {{.*}}torchao
// CHECK-NEXT: %[[Q:.+]] = quant_float.block_quantize_elements %[[X]], %[[S]] tensor_amax(%[[AMAX]] : tensor<f32>)
// CHECK-NEXT: %[[T:.+]] = quant_float.tensor_scale %[[AMAX]] : tensor<f32>
// CHECK-NEXT: %[[T1:.+]] = tensor.expand_shape %[[T]] [] output_shape [1] : tensor<f32> into tensor<1xf32>
// CHECK-NEXT: return %[[Q]], %[[S]], %[[T1]]
func.func @two_levels(%x: tensor<4x64xbf16>) -> (tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>, tensor<1xf32>) {
  %q, %s, %t = quant_float.block_quantize %x block [1, 16] rule torchao : tensor<4x64xbf16> to tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>, tensor<1xf32>
  return %q, %s, %t : tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>, tensor<1xf32>
}

// A given scale, and random bits.
// CHECK-LABEL: func.func @given
// CHECK-SAME: (%[[X:.+]]: tensor<4x64xf32>, %[[T:.+]]: tensor<f32>, %[[R:.+]]: tensor<4x64xui8>)
// CHECK: quant_float.block_scale %{{.+}} tensor_scale(%[[T]] : tensor<f32>) rule {{.*}}model_optimizer
// CHECK: quant_float.block_quantize_elements %{{.+}} tensor_scale(%[[T]] : tensor<f32>) block [1, 16] rule {{.*}}model_optimizer round_mode {{.*}}stochastic random(%[[R]] : tensor<4x64xui8>)
// CHECK-NOT: quant_float.tensor_scale
func.func @given(%x: tensor<4x64xf32>, %t: tensor<f32>, %r: tensor<4x64xui8>) -> (tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>) {
  %q, %s = quant_float.block_quantize %x tensor_scale(%t : tensor<f32>) block [1, 16] rule model_optimizer round_mode stochastic random(%r : tensor<4x64xui8>)
    : tensor<4x64xf32> to tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>
  return %q, %s : tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>
}
