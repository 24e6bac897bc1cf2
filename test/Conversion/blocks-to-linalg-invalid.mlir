// RUN: quant-float-opt %s --convert-quant-float-to-linalg --split-input-file --verify-diagnostics

func.func @values(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{has no lowering for a static result size for a dynamic input size, but got 'tensor<4x?xf32>' and 'tensor<4x64xf8E5M2>'}}
  %q, %s = quant_float.block_quantize %x block [1, 32] rule floor : tensor<4x?xf32> to tensor<4x64xf8E5M2>, tensor<4x?xf8E8M0FNU>
  return
}

// -----

func.func @scales(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{has no lowering for a static result size for a dynamic input size, but got 'tensor<4x?xf32>' and 'tensor<4x2xf32>'}}
  %a = quant_float.block_amax %x block [1, 32] : tensor<4x?xf32> to tensor<4x2xf32>
  return
}
