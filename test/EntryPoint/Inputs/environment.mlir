// One function per kind of conversion whose arithmetic depends on the floating-point environment.
func.func @f32_f8e4m3fn(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
func.func @f32_f8e5m2fnuz(%x: tensor<?xf32>) -> tensor<?xf8E5M2FNUZ> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xf8E5M2FNUZ>
  return %0 : tensor<?xf8E5M2FNUZ>
}
func.func @f32_f4(%x: tensor<?xf32>) -> tensor<?xf4E2M1FN> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xf4E2M1FN>
  return %0 : tensor<?xf4E2M1FN>
}
func.func @f32_f16(%x: tensor<?xf32>) -> tensor<?xf16> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xf16>
  return %0 : tensor<?xf16>
}
func.func @f32_bf16(%x: tensor<?xf32>) -> tensor<?xbf16> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}
func.func @f64_f32(%x: tensor<?xf64>) -> tensor<?xf32> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf64> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @f64_f8e4m3fn(%x: tensor<?xf64>) -> tensor<?xf8E4M3FN> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf64> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
func.func @f8e5m2_f32(%x: tensor<?xf8E5M2>) -> tensor<?xf32> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf8E5M2> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @e8m0_f32(%x: tensor<?xf8E8M0FNU>) -> tensor<?xf32> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf8E8M0FNU> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @i64_f32(%x: tensor<?xi64>) -> tensor<?xf32> {
  %0 = quant_float.cast %x opset 25 : tensor<?xi64> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @f32_i32(%x: tensor<?xf32>) -> tensor<?xi32> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xi32>
  return %0 : tensor<?xi32>
}
func.func @f32_bool(%x: tensor<?xf32>) -> tensor<?xi1> {
  %0 = quant_float.cast %x opset 25 : tensor<?xf32> to tensor<?xi1>
  return %0 : tensor<?xi1>
}
