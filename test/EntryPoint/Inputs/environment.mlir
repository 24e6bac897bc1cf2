// One function for each kind of conversion and quantization whose arithmetic depends on the
// floating-point environment.
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
func.func @quantize_i8(%x: tensor<?xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<?xi8> {
  %0 = quant_float.quantize %x, %s, %z opset 25 : tensor<?xf32>, tensor<f32>, tensor<i8> to tensor<?xi8>
  return %0 : tensor<?xi8>
}
func.func @quantize_each_i8(%x: tensor<?xf32>, %s: tensor<?xf32>, %z: tensor<?xi8>) -> tensor<?xi8> {
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 25 : tensor<?xf32>, tensor<?xf32>, tensor<?xi8> to tensor<?xi8>
  return %0 : tensor<?xi8>
}
func.func @quantize_blocks_ui16(%x: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?xui16> {
  %0 = quant_float.quantize %x, %s axis 0 block_size 32 opset 25 : tensor<?xf32>, tensor<?xf32> to tensor<?xui16>
  return %0 : tensor<?xui16>
}
func.func @quantize_f8e4m3fn(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xf8E4M3FN> {
  %0 = quant_float.quantize %x, %s opset 25 : tensor<?xf32>, tensor<f32> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
func.func @quantize_f16_f4(%x: tensor<?xf16>, %s: tensor<f16>, %z: tensor<f4E2M1FN>) -> tensor<?xf4E2M1FN> {
  %0 = quant_float.quantize %x, %s, %z opset 25 : tensor<?xf16>, tensor<f16>, tensor<f4E2M1FN> to tensor<?xf4E2M1FN>
  return %0 : tensor<?xf4E2M1FN>
}
func.func @quantize_i32_f64(%x: tensor<?xi32>, %s: tensor<f32>) -> tensor<?xi8> {
  %0 = quant_float.quantize %x, %s opset 25 precision f64 : tensor<?xi32>, tensor<f32> to tensor<?xi8>
  return %0 : tensor<?xi8>
}
func.func @dequantize_ui8(%x: tensor<?xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<?xf32> {
  %0 = quant_float.dequantize %x, %s, %z opset 25 : tensor<?xui8>, tensor<f32>, tensor<ui8> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @dequantize_i32_f16(%x: tensor<?xi32>, %s: tensor<f16>) -> tensor<?xf16> {
  %0 = quant_float.dequantize %x, %s opset 25 : tensor<?xi32>, tensor<f16> to tensor<?xf16>
  return %0 : tensor<?xf16>
}
func.func @dequantize_f8e5m2(%x: tensor<?xf8E5M2>, %s: tensor<f32>) -> tensor<?xf32> {
  %0 = quant_float.dequantize %x, %s opset 25 : tensor<?xf8E5M2>, tensor<f32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @qdq_i8(%x: tensor<?xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<?xf32> {
  %0 = quant_float.qdq %x, %s, %z storage i8 opset 25 : tensor<?xf32>, tensor<f32>, tensor<i8> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @qdq_bf16_f8e5m2fnuz(%x: tensor<?xbf16>, %s: tensor<bf16>) -> tensor<?xbf16> {
  %0 = quant_float.qdq %x, %s storage f8E5M2FNUZ opset 25 : tensor<?xbf16>, tensor<bf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}
func.func @fakeconvert_exact(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E5M2 opset 13 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @fakeconvert_openvino(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = arith.constant dense<1.0> : tensor<f32>
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino opset 13 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @fakeconvert_reference(%x: tensor<?xbf16>, %s: tensor<bf16>) -> tensor<?xbf16> {
  %0 = quant_float.fakeconvert %x, %s, %s to f8E4M3FN mode openvino_reference opset 13 : tensor<?xbf16>, tensor<bf16>, tensor<bf16> to tensor<?xbf16>
  return %0 : tensor<?xbf16>
}
