// RUN: quant-float-opt %s --quant-float-lower-to-cpu=cpu=x86-64-v3 --mlir-print-ir-after=quant-float-convert-asserts-to-status -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not='memref<512x256xf{{16|32}}' --implicit-check-not='memref<256x512xf{{16|32}}' --implicit-check-not='memref<64x32x3x3xf32'

// Weights that dequantize decodes for a MatMul, Gemm or Conv, per axis or in
// blocks, transposed or cast, are never in memory as floats: no buffer has
// their sizes.

func.func @matmul(%x: tensor<?x512xf32>, %w: tensor<512x256xi8>, %s: tensor<256xf32>) -> tensor<?x256xf32> {
  %d = quant_float.dequantize %w, %s axis 1 opset 21 : tensor<512x256xi8>, tensor<256xf32> to tensor<512x256xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<?x512xf32>, tensor<512x256xf32>) -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

func.func @float8(%x: tensor<4x512xf32>, %w: tensor<512x256xf8E4M3FN>) -> tensor<4x256xf32> {
  %s = arith.constant dense<0.25> : tensor<f32>
  %d = quant_float.dequantize %w, %s opset 21 : tensor<512x256xf8E4M3FN>, tensor<f32> to tensor<512x256xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<4x512xf32>, tensor<512x256xf32>) -> tensor<4x256xf32>
  return %y : tensor<4x256xf32>
}

func.func @blocked(%x: tensor<4x512xf32>, %w: tensor<512x256xi4>, %s: tensor<16x256xf16>, %z: tensor<16x256xi4>) -> tensor<4x256xf32> {
  %d = quant_float.dequantize %w, %s, %z axis 0 block_size 32 opset 21
      : tensor<512x256xi4>, tensor<16x256xf16>, tensor<16x256xi4> to tensor<512x256xf16>
  %c = quant_float.cast %d opset 21 : tensor<512x256xf16> to tensor<512x256xf32>
  %y = quant_float.node "MatMul"(%x, %c) opset 21 : (tensor<4x512xf32>, tensor<512x256xf32>) -> tensor<4x256xf32>
  return %y : tensor<4x256xf32>
}

func.func @gemm(%x: tensor<4x512xf32>, %w: tensor<256x512xui8>, %s: tensor<256xf32>, %z: tensor<256xui8>, %b: tensor<256xf32>) -> tensor<4x256xf32> {
  %d = quant_float.dequantize %w, %s, %z axis 0 opset 21
      : tensor<256x512xui8>, tensor<256xf32>, tensor<256xui8> to tensor<256x512xf32>
  %y = quant_float.node "Gemm"(%x, %d, %b) opset 21 attributes {transB = 1 : i64}
      : (tensor<4x512xf32>, tensor<256x512xf32>, tensor<256xf32>) -> tensor<4x256xf32>
  return %y : tensor<4x256xf32>
}

func.func @transposed(%x: tensor<4x512xf32>, %w: tensor<256x512xi8>, %s: tensor<256xf32>) -> tensor<4x256xf32> {
  %d = quant_float.dequantize %w, %s axis 0 opset 21 : tensor<256x512xi8>, tensor<256xf32> to tensor<256x512xf32>
  %t = quant_float.node "Transpose"(%d) opset 21 attributes {perm = array<i64: 1, 0>} : (tensor<256x512xf32>) -> tensor<512x256xf32>
  %y = quant_float.node "MatMul"(%x, %t) opset 21 : (tensor<4x512xf32>, tensor<512x256xf32>) -> tensor<4x256xf32>
  return %y : tensor<4x256xf32>
}

func.func @conv(%x: tensor<1x32x20x20xf32>, %w: tensor<64x32x3x3xi8>, %s: tensor<64xf32>) -> tensor<1x64x10x10xf32> {
  %d = quant_float.dequantize %w, %s axis 0 opset 21 : tensor<64x32x3x3xi8>, tensor<64xf32> to tensor<64x32x3x3xf32>
  %y = quant_float.node "Conv"(%x, %d) opset 21 attributes {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
      : (tensor<1x32x20x20xf32>, tensor<64x32x3x3xf32>) -> tensor<1x64x10x10xf32>
  return %y : tensor<1x64x10x10xf32>
}

// Packed quantized values, with packed zero points.
func.func @nbits(%x: tensor<4x512xf16>, %w: tensor<256x16x16xui8>, %s: tensor<256x16xf16>, %z: tensor<256x8xui8>) -> tensor<4x256xf16> {
  %0 = quant_float.node "MatMulNBits"(%x, %w, %s, %z) opset 1 domain "com.microsoft" attributes {K = 512 : i64, N = 256 : i64, block_size = 32 : i64}
      : (tensor<4x512xf16>, tensor<256x16x16xui8>, tensor<256x16xf16>, tensor<256x8xui8>) -> tensor<4x256xf16>
  return %0 : tensor<4x256xf16>
}

// Panels are.
// CHECK: func.func @matmul.kernel(
// CHECK: memref.alloc() {{.*}} : memref<256x64xf32>
// CHECK: func.func @conv.kernel(
