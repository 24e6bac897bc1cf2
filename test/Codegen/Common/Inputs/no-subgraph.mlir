func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant_float.node "Sort"(%x) opset 19 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
