// What the verifiers of ops on blocks reject.
// RUN: quant-float-opt %s --split-input-file --verify-diagnostics

func.func @input(%x: tensor<4x64xf64>) {
  // expected-error @+1 {{input must have elements of f32, f16 or bf16, but got 'f64'}}
  %0 = quant_float.block_amax %x block [1, 32] : tensor<4x64xf64> to tensor<4x2xf64>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{blocks require ranked tensors, but got 'tensor<*xf32>'}}
  %0 = quant_float.block_amax %x block [1, 32] : tensor<*xf32> to tensor<4x2xf32>
  return
}

// -----

func.func @rank(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{block must have one size for each of the 2 dimensions of the input, but has 1}}
  %0 = quant_float.block_amax %x block [32] : tensor<4x64xf32> to tensor<4x2xf32>
  return
}

// -----

func.func @size(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{block sizes must be at least 1, or -1 for the whole dimension, but got 0}}
  %0 = quant_float.block_amax %x block [1, 0] : tensor<4x64xf32> to tensor<4x2xf32>
  return
}

// -----

func.func @large(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{a block must have at most 16777216 elements, apart from whole dimensions}}
  %0 = quant_float.block_amax %x block [9223372036854775807, 4611686018427387904] : tensor<4x64xf32> to tensor<1x1xf32>
  return
}

// -----

func.func @scales(%x: tensor<4x70xf32>) {
  // expected-error @+1 {{result must have the shape of the blocks, the shape [4, 3], but got the shape [4, 2]}}
  %0 = quant_float.block_amax %x block [1, 32] : tensor<4x70xf32> to tensor<4x2xf32>
  return
}

// -----

func.func @amax_type(%x: tensor<4x64xf16>) {
  // expected-error @+1 {{result must have the input's element type 'f16', but got 'f32'}}
  %0 = quant_float.block_amax %x block [1, 32] : tensor<4x64xf16> to tensor<4x2xf32>
  return
}

// -----

func.func @tensor_scale_type(%x: tensor<f16>) {
  // expected-error @+1 {{operand must be an f32, or a vector or ranked tensor of f32, but got 'tensor<f16>'}}
  %0 = quant_float.tensor_scale %x : tensor<f16>
  return
}

// -----

func.func @element(%a: tensor<4xf32>) {
  // expected-error @+1 {{elements must be f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN, f4E2M1FN, i8 or i4, but got 'f8E4M3FNUZ'}}
  %0 = quant_float.block_scale %a rule floor element f8E4M3FNUZ : tensor<4xf32> to tensor<4xf8E8M0FNU>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @+1 {{rule floor does not define scales of 'f32' for elements of 'f8E4M3FN'}}
  %0 = quant_float.block_scale %a rule floor element f8E4M3FN : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @rule_element(%a: tensor<4xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{rule torchao does not define scales of 'f8E4M3FN' for elements of 'f8E4M3FN'}}
  %0 = quant_float.block_scale %a tensor_scale(%t : tensor<f32>) rule torchao element f8E4M3FN : tensor<4xf32> to tensor<4xf8E4M3FN>
  return
}

// -----

func.func @shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{amax and result must have the same shape, but got 'tensor<4xf32>' and 'tensor<5xf8E8M0FNU>'}}
  %0 = quant_float.block_scale %a rule floor element f8E4M3FN : tensor<4xf32> to tensor<5xf8E8M0FNU>
  return
}

// -----

func.func @two_levels(%a: tensor<4xf32>) {
  // expected-error @+1 {{rule torchao requires tensor_amax or tensor_scale}}
  %0 = quant_float.block_scale %a rule torchao element f4E2M1FN : tensor<4xf32> to tensor<4xf8E4M3FN>
  return
}

// -----

func.func @one_level(%a: tensor<4xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{rule floor has no scale of the tensor}}
  %0 = quant_float.block_scale %a tensor_scale(%t : tensor<f32>) rule floor element f4E2M1FN : tensor<4xf32> to tensor<4xf8E8M0FNU>
  return
}

// -----

func.func @both(%a: tensor<4xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{tensor_amax and tensor_scale exclude each other}}
  %0 = quant_float.block_scale %a tensor_amax(%t : tensor<f32>) tensor_scale(%t : tensor<f32>) rule torchao element f4E2M1FN : tensor<4xf32> to tensor<4xf8E4M3FN>
  return
}

// -----

func.func @level(%a: tensor<4xf32>, %t: tensor<4xf32>) {
  // expected-error @+1 {{tensor_amax must be one f32, in a tensor if the other operands are tensors, but got 'tensor<4xf32>'}}
  %0 = quant_float.block_scale %a tensor_amax(%t : tensor<4xf32>) rule torchao element f4E2M1FN : tensor<4xf32> to tensor<4xf8E4M3FN>
  return
}

// -----

func.func @level_of_scalar(%a: f32, %t: tensor<f32>) {
  // expected-error @+1 {{tensor_scale must be one f32, in a tensor if the other operands are tensors, but got 'tensor<f32>'}}
  %0 = quant_float.block_scale %a tensor_scale(%t : tensor<f32>) rule torchao element f4E2M1FN : f32 to f8E4M3FN
  return
}

// -----

func.func @random(%x: tensor<4x64xf32>, %r: tensor<4x64xi8>) {
  // expected-error @+1 {{random bits must have elements of ui2, ui4, ui8 or ui16, but got 'i8'}}
  %0:2 = quant_float.block_quantize %x block [1, 32] rule floor round_mode stochastic random(%r : tensor<4x64xi8>) : tensor<4x64xf32> to tensor<4x64xf8E5M2>, tensor<4x2xf8E8M0FNU>
  return
}

// -----

func.func @random_shape(%x: tensor<4x64xf32>, %r: tensor<4x32xui8>) {
  // expected-error @+1 {{input and random bits must have the same shape, but got 'tensor<4x64xf32>' and 'tensor<4x32xui8>'}}
  %0:2 = quant_float.block_quantize %x block [1, 32] rule floor round_mode stochastic random(%r : tensor<4x32xui8>) : tensor<4x64xf32> to tensor<4x64xf8E5M2>, tensor<4x2xf8E8M0FNU>
  return
}

// -----

func.func @round_mode(%x: tensor<4x64xf32>, %r: tensor<4x64xui8>) {
  // expected-error @+1 {{round_mode must be stochastic, but got up}}
  %0:2 = quant_float.block_quantize %x block [1, 32] rule floor round_mode up random(%r : tensor<4x64xui8>) : tensor<4x64xf32> to tensor<4x64xf8E5M2>, tensor<4x2xf8E8M0FNU>
  return
}

// -----

func.func @no_random(%x: tensor<4x64xf32>, %s: tensor<4x2xf8E8M0FNU>) {
  // expected-error @+1 {{round_mode stochastic requires random bits, and vice versa}}
  %0 = "quant_float.block_quantize_elements"(%x, %s) <{block = array<i64: 1, 32>, rule = #quant_float<block_scale_rule floor>, round_mode = #quant_float<round_mode stochastic>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<4x64xf32>, tensor<4x2xf8E8M0FNU>) -> tensor<4x64xf8E5M2>
  return
}

// -----

func.func @third(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{rule torchao requires a third result, the scale of the tensor}}
  %0:2 = quant_float.block_quantize %x block [1, 16] rule torchao : tensor<4x64xf32> to tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>
  return
}

// -----

func.func @no_third(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{a third result requires a rule with two levels and no tensor_scale}}
  %0:3 = quant_float.block_quantize %x block [1, 16] rule floor : tensor<4x64xf32> to tensor<4x64xf4E2M1FN>, tensor<4x4xf8E8M0FNU>, tensor<f32>
  return
}

// -----

func.func @third_type(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{the third result must be one f32, in a tensor if the other operands are tensors, but got 'tensor<f16>'}}
  %0:3 = quant_float.block_quantize %x block [1, 16] rule torchao : tensor<4x64xf32> to tensor<4x64xf4E2M1FN>, tensor<4x4xf8E4M3FN>, tensor<f16>
  return
}

// -----

func.func @vectors(%x: vector<64xf32>, %s: vector<64xf8E8M0FNU>) {
  // expected-error @+1 {{blocks require ranked tensors, but got 'vector<64xf32>'}}
  %0 = quant_float.block_quantize_elements %x, %s block [32] rule floor : vector<64xf32>, vector<64xf8E8M0FNU> to vector<64xf8E5M2>
  return
}

// -----

func.func @dequantize_elements(%x: tensor<4x64xf16>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{elements must be f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN, f4E2M1FN, i8 or i4, but got 'f16'}}
  %0 = quant_float.block_dequantize %x, %s block [1, 32] : tensor<4x64xf16>, tensor<4x2xf32> to tensor<4x64xf32>
  return
}

// -----

func.func @dequantize_scales(%x: tensor<4x64xi8>, %s: tensor<4x2xf8E5M2>) {
  // expected-error @+1 {{scales must be f8E8M0FNU, f32, f16, bf16, f8E4M3FN or !quant_float.f8UE5M3, but got 'f8E5M2'}}
  %0 = quant_float.block_dequantize %x, %s block [1, 32] : tensor<4x64xi8>, tensor<4x2xf8E5M2> to tensor<4x64xf32>
  return
}

// -----

func.func @order(%x: tensor<4x64xi8>, %s: tensor<4x2xf32>) {
  // expected-error @+1 {{order requires tensor_scale}}
  %0 = quant_float.block_dequantize %x, %s block [1, 32] order block_first : tensor<4x64xi8>, tensor<4x2xf32> to tensor<4x64xf32>
  return
}

// -----

func.func @layout_rank(%s: tensor<5xf8E8M0FNU>) {
  // expected-error @+1 {{layouts require a ranked tensor of at least two dimensions and one with a dimension less, but got 'tensor<5xf8E8M0FNU>' and 'tensor<8xf8E8M0FNU>'}}
  %0 = quant_float.pack_scales %s layout tile_8x4 : tensor<5xf8E8M0FNU> to tensor<8xf8E8M0FNU>
  return
}

// -----

func.func @layout_type(%s: tensor<4x5xf32>) {
  // expected-error @+1 {{layout tile_8x4 does not have scales of 'f32' and 'f32'}}
  %0 = quant_float.pack_scales %s layout tile_8x4 : tensor<4x5xf32> to tensor<64xf32>
  return
}

// -----

func.func @layout_e8m0(%s: tensor<4x5xf8E4M3FN>) {
  // expected-error @+1 {{layout deepgemm_e8m0 does not have scales of 'f8E4M3FN' and 'f8E4M3FN'}}
  %0 = quant_float.pack_scales %s layout deepgemm_e8m0 : tensor<4x5xf8E4M3FN> to tensor<32xf8E4M3FN>
  return
}

// -----

func.func @layout_size(%s: tensor<130x5xf8E8M0FNU>) {
  // expected-error @+1 {{scales in the layout must have the shape [2048], but got the shape [650]}}
  %0 = quant_float.pack_scales %s layout tile_128x4 : tensor<130x5xf8E8M0FNU> to tensor<650xf8E8M0FNU>
  return
}

// -----

func.func @unpack_dynamic(%s: tensor<?xf8E8M0FNU>) {
  // expected-error @+1 {{the last two sizes of the result must be static, but got 'tensor<?x5xf8E8M0FNU>'}}
  %0 = quant_float.unpack_scales %s layout tile_128x4 : tensor<?xf8E8M0FNU> to tensor<?x5xf8E8M0FNU>
  return
}

// -----

func.func @layout_overflow(%s: tensor<9223372036854775807x1xf8E8M0FNU>) {
  // expected-error @+1 {{the number of scales of 'tensor<9223372036854775807x1xf8E8M0FNU>' in the layout overflows}}
  %0 = quant_float.pack_scales %s layout tile_128x4 : tensor<9223372036854775807x1xf8E8M0FNU> to tensor<?xf8E8M0FNU>
  return
}

// -----

func.func @unranked_elements(%a: tensor<*xf32>) {
  // expected-error @+1 {{expected scalars, vectors or ranked tensors, but got 'tensor<*xf32>'}}
  %0 = quant_float.block_scale %a rule floor element f8E4M3FN : tensor<*xf32> to tensor<*xf8E8M0FNU>
  return
}
