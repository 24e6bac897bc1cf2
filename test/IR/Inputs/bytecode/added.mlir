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
  func.func @stochastic_rounding(%arg0: tensor<4x?xf32>, %arg1: tensor<f32>, %arg2: tensor<i4>, %arg3: tensor<4x?xui8>, %arg4: f16, %arg5: ui2) -> (tensor<4x?xi4>, tensor<4x?xf32>, i8) {
    %0 = quant_float.quantize %arg0, %arg1, %arg2, %arg3 opset 1 domain "quant_float" round_mode stochastic : tensor<4x?xf32>, tensor<f32>, tensor<i4>, tensor<4x?xui8> to tensor<4x?xi4>
    %1 = quant_float.qdq %arg0, %arg1, %arg3 storage f8E4M3FN opset 1 domain "quant_float" saturate false round_mode stochastic : tensor<4x?xf32>, tensor<f32>, tensor<4x?xui8> to tensor<4x?xf32>
    %2 = quant_float.quantize_elements %arg4, %arg4, %arg5 round_mode stochastic : f16, f16, ui2 to i8
    return %0, %1, %2 : tensor<4x?xi4>, tensor<4x?xf32>, i8
  }
}
