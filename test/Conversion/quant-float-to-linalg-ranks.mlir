// V8: types without a rank, where the rank is known.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<3x4xi8>
// CHECK-SAME: -> (tensor<3x4xf8E4M3FN>
// CHECK: %[[A:.+]] = linalg.generic {{.*}} ins(%[[X]],
// CHECK: %[[B:.+]] = linalg.generic {{.*}} ins(%[[A]] : tensor<3x4xf32>)
// CHECK: %[[C:.+]] = linalg.generic {{.*}} ins(%[[B]] : tensor<3x4xf16>)
// CHECK: return %[[C]] : tensor<3x4xf8E4M3FN>
func.func @chain(%x: tensor<3x4xui8>, %s: tensor<f32>) -> tensor<3x4xf8E4M3FN> {
  %0 = quant_float.dequantize %x, %s opset 13 : tensor<3x4xui8>, tensor<f32> to tensor<*xf32>
  %1 = quant_float.cast %0 opset 19 : tensor<*xf32> to tensor<*xf16>
  %2 = quant_float.cast %1 opset 19 : tensor<*xf16> to tensor<3x4xf8E4M3FN>
  return %2 : tensor<3x4xf8E4M3FN>
}

// Of the input, and of values that are computed from it.
// CHECK-LABEL: func.func @through_casts
// CHECK-SAME: -> (tensor<?x4xi8>
// CHECK-NOT: tensor<*
// CHECK-LABEL: func.func @returned
func.func @through_casts(%x: tensor<?x4xf32>, %s: tensor<4xf32>) -> tensor<?x4xui8> {
  %0 = tensor.cast %x : tensor<?x4xf32> to tensor<*xf32>
  %1 = tensor.cast %s : tensor<4xf32> to tensor<*xf32>
  %2 = quant_float.fakeconvert %0, %1 to f8E4M3FN opset 13 : tensor<*xf32>, tensor<*xf32> to tensor<*xf32>
  %3 = quant_float.quantize %2, %1 axis 1 opset 13 : tensor<*xf32>, tensor<*xf32> to tensor<?x4xui8>
  return %3 : tensor<?x4xui8>
}

// A function returns the refined type of its result, unless it has callers.
// CHECK-SAME: -> (tensor<4xi8>
func.func @returned(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<*xui8> {
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4xf32>, tensor<f32> to tensor<*xui8>
  return %0 : tensor<*xui8>
}

// CHECK-LABEL: func.func private @called
// CHECK-SAME: -> tensor<*xi8>
// CHECK: %[[R:.+]] = tensor.cast %{{.+}} : tensor<4xi8> to tensor<*xi8>
// CHECK: return %[[R]]
func.func private @called(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<*xui8> {
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4xf32>, tensor<f32> to tensor<*xui8>
  return %0 : tensor<*xui8>
}
func.func @caller(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<*xui8> {
  %0 = func.call @called(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<*xui8>
  return %0 : tensor<*xui8>
}

// Other users keep the original type.
// CHECK-LABEL: func.func @other_users
// CHECK: %[[A:.+]] = linalg.generic
// CHECK: %[[B:.+]] = tensor.cast %[[A]] : tensor<4xf32> to tensor<*xf32>
// CHECK: tensor.dim %[[B]]
func.func @other_users(%x: tensor<4xf32>, %s: tensor<f32>, %i: index) -> index {
  %0 = quant_float.qdq %x, %s storage i8 opset 21 : tensor<4xf32>, tensor<f32> to tensor<*xf32>
  %1 = tensor.dim %0, %i : tensor<*xf32>
  return %1 : index
}
