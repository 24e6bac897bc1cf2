// Quantization and dequantization are one loop, without a buffer for the quantized values,
// whichever sizes are dynamic.
// RUN: quant-float-opt %s --quant-float-lower-to-cpu | FileCheck %s --implicit-check-not=malloc

// CHECK: llvm.func @per_tensor
func.func @per_tensor(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xf32> {
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : tensor<?xf32>, tensor<f32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK: llvm.func @per_axis
func.func @per_axis(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %z: tensor<?xi8>) -> tensor<?x?xf32> {
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 13 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi8> to tensor<?x?xi8>
  %1 = quant_float.dequantize %0, %s, %z axis 0 opset 13 : tensor<?x?xi8>, tensor<?xf32>, tensor<?xi8> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// CHECK: llvm.func @blocked
func.func @blocked(%x: tensor<?x100xf32>, %s: tensor<?x4xf32>, %z: tensor<?x4xui4>) -> tensor<?x100xf32> {
  %0 = quant_float.qdq %x, %s, %z axis 1 block_size 32 storage ui4 opset 21 : tensor<?x100xf32>, tensor<?x4xf32>, tensor<?x4xui4> to tensor<?x100xf32>
  return %0 : tensor<?x100xf32>
}

// CHECK: llvm.func @fakeconvert
func.func @fakeconvert(%x: tensor<?x8x?xf16>, %s: tensor<8x1xf16>, %t: tensor<8x1xf16>) -> tensor<?x8x?xf16> {
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN mode openvino_reference opset 13 : tensor<?x8x?xf16>, tensor<8x1xf16>, tensor<8x1xf16> to tensor<?x8x?xf16>
  return %0 : tensor<?x8x?xf16>
}
