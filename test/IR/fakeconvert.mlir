// Every form of fakeconvert, printed and parsed again.
// RUN: quant-float-opt %s | quant-float-opt | FileCheck %s
// RUN: quant-float-opt %s --mlir-print-op-generic | quant-float-opt | FileCheck %s

// CHECK-LABEL: func @scalars
// CHECK: quant_float.fakeconvert %{{.*}}, %{{.*}} to f8E4M3FN opset 13 : f32, f32 to f32
// CHECK: quant_float.fakeconvert %{{.*}}, %{{.*}}, %{{.*}} to f8E5M2 mode exact opset 14 : f32, f32, f32 to f32
func.func @scalars(%x: f32, %s: f32, %t: f32) -> (f32, f32) {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : f32, f32 to f32
  %1 = quant_float.fakeconvert %x, %s, %t to f8E5M2 mode exact opset 14 : f32, f32, f32 to f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func @vectors
// CHECK: : vector<4x8xbf16>, bf16 to vector<4x8xbf16>
// CHECK: mode openvino_reference opset 15 : vector<4x8xf16>, vector<8xf16>, vector<8xf16> to vector<4x8xf16>
// CHECK: : vector<[4]xf32>, f32 to vector<[4]xf32>
func.func @vectors(%x: vector<4x8xbf16>, %s: bf16, %y: vector<4x8xf16>, %t: vector<8xf16>, %z: vector<[4]xf32>, %u: f32)
    -> (vector<4x8xbf16>, vector<4x8xf16>, vector<[4]xf32>) {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<4x8xbf16>, bf16 to vector<4x8xbf16>
  %1 = quant_float.fakeconvert %y, %t, %t to f8E5M2 mode openvino_reference opset 15 : vector<4x8xf16>, vector<8xf16>, vector<8xf16> to vector<4x8xf16>
  %2 = quant_float.fakeconvert %z, %u to f8E5M2 opset 13 : vector<[4]xf32>, f32 to vector<[4]xf32>
  return %0, %1, %2 : vector<4x8xbf16>, vector<4x8xf16>, vector<[4]xf32>
}

// CHECK-LABEL: func @tensors
// CHECK: mode openvino reciprocal nearest positive_zero neutral_shift opset 13 : tensor<2x3x8xf16>, tensor<1x3x1xf16>, tensor<1x3x1xf16> to tensor<2x3x8xf16>
// CHECK: : tensor<4x?x6xf32>, tensor<4x3x1xf32> to tensor<4x3x6xf32>
// CHECK: : tensor<*xf32>, tensor<3xf32> to tensor<*xf32>
// CHECK: : tensor<?xf32>, tensor<*xf32> to tensor<?xf32>
func.func @tensors(%x: tensor<2x3x8xf16>, %s: tensor<1x3x1xf16>, %y: tensor<4x?x6xf32>, %t: tensor<4x3x1xf32>,
                   %z: tensor<*xf32>, %u: tensor<3xf32>, %w: tensor<?xf32>)
    -> (tensor<2x3x8xf16>, tensor<4x3x6xf32>, tensor<*xf32>, tensor<?xf32>) {
  %0 = quant_float.fakeconvert %x, %s, %s to f8E5M2 mode openvino reciprocal nearest positive_zero neutral_shift opset 13 : tensor<2x3x8xf16>, tensor<1x3x1xf16>, tensor<1x3x1xf16> to tensor<2x3x8xf16>
  %1 = quant_float.fakeconvert %y, %t to f8E4M3FN opset 13 : tensor<4x?x6xf32>, tensor<4x3x1xf32> to tensor<4x3x6xf32>
  %2 = quant_float.fakeconvert %z, %u to f8E4M3FN opset 13 : tensor<*xf32>, tensor<3xf32> to tensor<*xf32>
  %3 = quant_float.fakeconvert %w, %z to f8E4M3FN opset 13 : tensor<?xf32>, tensor<*xf32> to tensor<?xf32>
  return %0, %1, %2, %3 : tensor<2x3x8xf16>, tensor<4x3x6xf32>, tensor<*xf32>, tensor<?xf32>
}
