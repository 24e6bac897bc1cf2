module {
  func.func @random_bits(%arg0: tensor<i64>, %arg1: tensor<4x?xf32>) -> tensor<4x?xf8E4M3FN> {
    %0 = quant_float.philox %arg0, %arg0 like %arg1 : tensor<i64>, tensor<i64>, tensor<4x?xf32> to tensor<4x?xui8>
    %1 = quant_float.cast %arg1, %0 mode quant_float opset 1 saturate false round_mode stochastic : tensor<4x?xf32>, tensor<4x?xui8> to tensor<4x?xf8E4M3FN>
    return %1 : tensor<4x?xf8E4M3FN>
  }
  func.func @formats(%arg0: tensor<4xf32>, %arg1: tensor<!quant_float.f8UE5M3>) -> tensor<4xf8E3M4> {
    %0 = quant_float.quantize %arg0, %arg1 opset 1 domain "quant_float" : tensor<4xf32>, tensor<!quant_float.f8UE5M3> to tensor<4xf8E3M4>
    return %0 : tensor<4xf8E3M4>
  }
}
