func.func @matmul(%a: tensor<16x64xui8>, %b: tensor<64x16xi8>) -> tensor<16x16xi32> {
  %0 = quant_float.node "MatMulInteger"(%a, %b) opset 10 : (tensor<16x64xui8>, tensor<64x16xi8>) -> tensor<16x16xi32>
  return %0 : tensor<16x16xi32>
}
