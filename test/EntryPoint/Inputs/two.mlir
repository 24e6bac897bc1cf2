// Two entry points. One of them takes scalars.
func.func @first(%x: tensor<f32>) -> tensor<bf16> {
  %y = quant_float.cast %x opset 19 : tensor<f32> to tensor<bf16>
  return %y : tensor<bf16>
}
func.func @second(%x: tensor<?xf32>) -> tensor<?xf16> {
  %y = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf16>
  return %y : tensor<?xf16>
}
