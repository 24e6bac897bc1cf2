// A matmul, which needs temporary buffers, and an arc tangent, which calls the C library.
func.func @network(%x: tensor<?x64xf32>, %w: tensor<64x96xi8>, %s: tensor<f32>) -> tensor<?x96xf64> {
  %d = quant_float.dequantize %w, %s opset 21 : tensor<64x96xi8>, tensor<f32> to tensor<64x96xf32>
  %0 = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
  %1 = quant_float.cast %0 opset 21 : tensor<?x96xf32> to tensor<?x96xf64>
  %2 = quant_float.node "Atan"(%1) opset 22 : (tensor<?x96xf64>) -> tensor<?x96xf64>
  return %2 : tensor<?x96xf64>
}
