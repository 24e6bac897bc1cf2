// Constants are folded by the Reference: the decomposed ops, and those that
// combine them.
// RUN: quant-float-opt %s --canonicalize --split-input-file | FileCheck %s

// 12 / 6 is 2, and 0.5 / 6 is rounded up to 0.125. The second block is partial.
// CHECK-LABEL: @quantize
// CHECK-DAG: %[[Q:.+]] = arith.constant dense<{{\[\[}}0.000000e+00, 1.000000e+00, -6.000000e+00, 4.000000e+00, 4.000000e+00, -0.000000e+00]]> : tensor<1x6xf4E2M1FN>
// CHECK-DAG: %[[S:.+]] = arith.constant dense<{{\[\[}}2.000000e+00, 1.250000e-01]]> : tensor<1x2xf8E8M0FNU>
// CHECK: return %[[Q]], %[[S]]
func.func @quantize() -> (tensor<1x6xf4E2M1FN>, tensor<1x2xf8E8M0FNU>) {
  %x = arith.constant dense<[[0.0, 2.0, -12.0, 8.0, 0.5, -0.0]]> : tensor<1x6xf32>
  %q, %s = quant_float.block_quantize %x block [1, 4] rule ceil_exact : tensor<1x6xf32> to tensor<1x6xf4E2M1FN>, tensor<1x2xf8E8M0FNU>
  return %q, %s : tensor<1x6xf4E2M1FN>, tensor<1x2xf8E8M0FNU>
}

// -----

// CHECK-LABEL: @two_levels
// CHECK-DAG: %[[T:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[S:.+]] = arith.constant dense<{{\[\[}}4.480000e+02, 1.000000e+00]]> : tensor<1x2xf8E4M3FN>
// CHECK-DAG: %[[Q:.+]] = arith.constant dense<{{\[\[}}6.000000e+00, 3.000000e+00, 6.000000e+00, -3.000000e+00]]> : tensor<1x4xf4E2M1FN>
// CHECK: return %[[Q]], %[[S]], %[[T]]
func.func @two_levels() -> (tensor<1x4xf4E2M1FN>, tensor<1x2xf8E4M3FN>, tensor<f32>) {
  %x = arith.constant dense<[[2688.0, 1344.0, 6.0, -3.0]]> : tensor<1x4xf32>
  %q, %s, %t = quant_float.block_quantize %x block [1, 2] rule torchao : tensor<1x4xf32> to tensor<1x4xf4E2M1FN>, tensor<1x2xf8E4M3FN>, tensor<f32>
  return %q, %s, %t : tensor<1x4xf4E2M1FN>, tensor<1x2xf8E4M3FN>, tensor<f32>
}

// -----

// CHECK-LABEL: @parts
// CHECK-DAG: %[[A:.+]] = arith.constant dense<{{\[\[}}1.200000e+01], [5.000000e-01]]> : tensor<2x1xf32>
// CHECK-DAG: %[[S:.+]] = arith.constant dense<{{\[\[}}2.000000e+00], [1.250000e-01]]> : tensor<2x1xf8E8M0FNU>
// CHECK-DAG: %[[Q:.+]] = arith.constant dense<{{\[\[}}1.000000e+00, -6.000000e+00], [4.000000e+00, 0.000000e+00]]> : tensor<2x2xf4E2M1FN>
// CHECK-DAG: %[[Y:.+]] = arith.constant dense<{{\[\[}}2.000000e+00, -1.200000e+01], [5.000000e-01, 0.000000e+00]]> : tensor<2x2xbf16>
// CHECK: return %[[A]], %[[S]], %[[Q]], %[[Y]]
func.func @parts() -> (tensor<2x1xf32>, tensor<2x1xf8E8M0FNU>, tensor<2x2xf4E2M1FN>, tensor<2x2xbf16>) {
  %x = arith.constant dense<[[2.0, -12.0], [0.5, 0.0]]> : tensor<2x2xf32>
  %a = quant_float.block_amax %x block [1, -1] : tensor<2x2xf32> to tensor<2x1xf32>
  %s = quant_float.block_scale %a rule floor element f4E2M1FN : tensor<2x1xf32> to tensor<2x1xf8E8M0FNU>
  %q = quant_float.block_quantize_elements %x, %s block [1, -1] rule floor : tensor<2x2xf32>, tensor<2x1xf8E8M0FNU> to tensor<2x2xf4E2M1FN>
  %y = quant_float.block_dequantize %q, %s block [1, -1] : tensor<2x2xf4E2M1FN>, tensor<2x1xf8E8M0FNU> to tensor<2x2xbf16>
  return %a, %s, %q, %y : tensor<2x1xf32>, tensor<2x1xf8E8M0FNU>, tensor<2x2xf4E2M1FN>, tensor<2x2xbf16>
}

// -----

// CHECK-LABEL: @scalars
// CHECK-DAG: arith.constant 1.000000e+00 : f32
// CHECK-DAG: arith.constant 4.000000e+00 : f8E8M0FNU
func.func @scalars() -> (f32, f8E8M0FNU) {
  %z = arith.constant 0.0 : f32
  %a = arith.constant 1792.0 : f32
  %0 = quant_float.tensor_scale %z : f32
  %1 = quant_float.block_scale %a rule rceil element f8E4M3FN : f32 to f8E8M0FNU
  return %0, %1 : f32, f8E8M0FNU
}

// -----

// CHECK-LABEL: @layouts
// CHECK-SAME: (%[[X:.+]]: tensor<3x5xf32>)
// CHECK-DAG: %[[P:.+]] = arith.constant dense<[1.000000e+00, 3.000000e+00, 5.000000e+00, 0.000000e+00, 2.000000e+00, 4.000000e+00, 6.000000e+00, 0.000000e+00]> : tensor<8xf32>
// CHECK-DAG: %[[S:.+]] = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK: return %[[P]], %[[S]], %[[X]]
func.func @layouts(%x: tensor<3x5xf32>) -> (tensor<8xf32>, tensor<3x2xf32>, tensor<3x5xf32>) {
  %s = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = quant_float.pack_scales %s layout deepgemm_f32 : tensor<3x2xf32> to tensor<8xf32>
  %p = arith.constant dense<[1.0, 3.0, 5.0, 9.0, 2.0, 4.0, 6.0, 9.0]> : tensor<8xf32>
  %1 = quant_float.unpack_scales %p layout deepgemm_f32 : tensor<8xf32> to tensor<3x2xf32>
  %2 = quant_float.pack_scales %x layout deepgemm_f32 : tensor<3x5xf32> to tensor<20xf32>
  %3 = quant_float.unpack_scales %2 layout deepgemm_f32 : tensor<20xf32> to tensor<3x5xf32>
  return %0, %1, %3 : tensor<8xf32>, tensor<3x2xf32>, tensor<3x5xf32>
}

// -----

// Infinities and NaN are ignored, and a block without other elements is NaN.
// CHECK-LABEL: @finite
// CHECK: %[[A:.+]] = arith.constant dense<{{\[\[}}1.200000e+01], [0.000000e+00], [0x7FC00000]]> : tensor<3x1xf32>
// CHECK: return %[[A]]
func.func @finite() -> tensor<3x1xf32> {
  %x = arith.constant dense<[[2.0, -12.0, 0x7F800000], [0x7FC00000, -0.0, 0.0], [0xFF800000, 0x7F800001, 0x7F800000]]> : tensor<3x3xf32>
  %a = quant_float.block_amax %x block [1, -1] finite : tensor<3x3xf32> to tensor<3x1xf32>
  return %a : tensor<3x1xf32>
}
