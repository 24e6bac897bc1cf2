// qdq and the equivalent pair, in both directions.
// RUN: quant-float-opt %s --quant-float-fuse-qdq | FileCheck %s --check-prefix=FUSE
// RUN: quant-float-opt %s --quant-float-fuse-qdq --quant-float-decompose-qdq | FileCheck %s --check-prefix=BACK

// FUSE-LABEL: func.func @pair
// FUSE-SAME: (%[[X:.+]]: tensor<?x8xf32>, %[[S:.+]]: tensor<?x4xf32>, %[[Z:.+]]: tensor<?x4xui4>)
// FUSE-NEXT: %[[Y:.+]] = quant_float.qdq %[[X]], %[[S]], %[[Z]] axis 1 block_size 2 storage ui4 opset 23 precision f16 : tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x4xui4> to tensor<?x8xf32>
// FUSE-NEXT: return %[[Y]]
// BACK-LABEL: func.func @pair
// BACK-SAME: (%[[X:.+]]: tensor<?x8xf32>, %[[S:.+]]: tensor<?x4xf32>, %[[Z:.+]]: tensor<?x4xui4>)
// BACK-NEXT: %[[Q:.+]] = quant_float.quantize %[[X]], %[[S]], %[[Z]] axis 1 block_size 2 opset 23 precision f16 : tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x4xui4> to tensor<?x8xui4>
// BACK-NEXT: %[[Y:.+]] = quant_float.dequantize %[[Q]], %[[S]], %[[Z]] axis 1 block_size 2 opset 23 : tensor<?x8xui4>, tensor<?x4xf32>, tensor<?x4xui4> to tensor<?x8xf32>
// BACK-NEXT: return %[[Y]]
func.func @pair(%x: tensor<?x8xf32>, %s: tensor<?x4xf32>, %z: tensor<?x4xui4>) -> tensor<?x8xf32> {
  %0 = quant_float.quantize %x, %s, %z axis 1 block_size 2 opset 23 precision f16 : tensor<?x8xf32>, tensor<?x4xf32>, tensor<?x4xui4> to tensor<?x8xui4>
  // The same axis with the other sign.
  %1 = quant_float.dequantize %0, %s, %z axis -1 block_size 2 opset 23 : tensor<?x8xui4>, tensor<?x4xf32>, tensor<?x4xui4> to tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// FUSE-LABEL: func.func @equal_constants
// FUSE: quant_float.qdq %{{.+}}, %{{.+}} storage f8E5M2 opset 21 saturate false
func.func @equal_constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %t = arith.constant dense<0.5> : tensor<f32>
  %0 = quant_float.quantize %x, %s opset 21 saturate false : tensor<4xf32>, tensor<f32> to tensor<4xf8E5M2>
  %1 = quant_float.dequantize %0, %t opset 21 : tensor<4xf8E5M2>, tensor<f32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// FUSE-LABEL: func.func @random_bits
// FUSE-SAME: (%[[X:.+]]: tensor<4xf32>, %[[S:.+]]: tensor<f32>, %[[Z:.+]]: tensor<i8>, %[[R:.+]]: tensor<4xui4>)
// FUSE-NEXT: quant_float.qdq %[[X]], %[[S]], %[[Z]], %[[R]] storage i8 opset 1 domain "quant_float" round_mode stochastic :
// BACK-LABEL: func.func @random_bits
// BACK-SAME: (%[[X:.+]]: tensor<4xf32>, %[[S:.+]]: tensor<f32>, %[[Z:.+]]: tensor<i8>, %[[R:.+]]: tensor<4xui4>)
// BACK-NEXT: %[[Q:.+]] = quant_float.quantize %[[X]], %[[S]], %[[Z]], %[[R]] opset 1 domain "quant_float" round_mode stochastic :
// BACK-NEXT: quant_float.dequantize %[[Q]], %[[S]], %[[Z]] opset 1 domain "quant_float" :
func.func @random_bits(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>, %r: tensor<4xui4>) -> tensor<4xf32> {
  %0 = quant_float.quantize %x, %s, %z, %r opset 1 domain "quant_float" round_mode stochastic
         : tensor<4xf32>, tensor<f32>, tensor<i8>, tensor<4xui4> to tensor<4xi8>
  %1 = quant_float.dequantize %0, %s, %z opset 1 domain "quant_float" : tensor<4xi8>, tensor<f32>, tensor<i8> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// FUSE-LABEL: func.func @not_with_other_users
// FUSE: quant_float.quantize
// FUSE: quant_float.dequantize
func.func @not_with_other_users(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xui8>, tensor<4xf32>) {
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  %1 = quant_float.dequantize %0, %s opset 13 : tensor<4xui8>, tensor<f32> to tensor<4xf32>
  return %0, %1 : tensor<4xui8>, tensor<4xf32>
}

// FUSE-LABEL: func.func @not_other_parameters
// FUSE-NOT: quant_float.qdq
func.func @not_other_parameters(%x: tensor<4x4xf32>, %s: tensor<f32>, %t: tensor<f32>, %a: tensor<4xf32>) {
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4x4xf32>, tensor<f32> to tensor<4x4xui8>
  %1 = quant_float.dequantize %0, %t opset 13 : tensor<4x4xui8>, tensor<f32> to tensor<4x4xf32>
  %2 = quant_float.quantize %x, %a axis 0 opset 13 : tensor<4x4xf32>, tensor<4xf32> to tensor<4x4xui8>
  %3 = quant_float.dequantize %2, %a axis 1 opset 13 : tensor<4x4xui8>, tensor<4xf32> to tensor<4x4xf32>
  // Another opset, another precision of the division.
  %4 = quant_float.quantize %x, %s opset 21 : tensor<4x4xf32>, tensor<f32> to tensor<4x4xui8>
  %5 = quant_float.dequantize %4, %s opset 23 : tensor<4x4xui8>, tensor<f32> to tensor<4x4xf32>
  // Another type than the input's.
  %6 = quant_float.quantize %x, %s opset 23 : tensor<4x4xf32>, tensor<f32> to tensor<4x4xui8>
  %7 = quant_float.dequantize %6, %s opset 23 : tensor<4x4xui8>, tensor<f32> to tensor<4x4xf16>
  return
}
