// Upstream's ops on tensors, large constants of unsigned elements, and caller-provided bytes that
// are only moved.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
// CHECK: linalg.generic
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK: linalg.generic
// CHECK: math.exp %{{.+}} : f32
// CHECK-NOT: tensor<4xf32>, tensor<4xf32> -> tensor
func.func @arithmetic(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %y : tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @moved
// CHECK-SAME: (%[[X:.+]]: tensor<4x4xi8>
// CHECK: %[[ENCODINGS:.+]] = linalg.generic {{.*}} ins(%[[X]]
// CHECK: arith.andi %{{.+}}, %c15{{.*}} : i8
// CHECK: %[[SIGNED:.+]] = linalg.generic
// CHECK: arith.shli
// CHECK: arith.shrsi
// CHECK: return %[[ENCODINGS]], %[[SIGNED]]
func.func @moved(%x: tensor<4x4xui4>, %y: tensor<8xi4>) -> (tensor<4x4xui4>, tensor<3xi4>) {
  %0 = tensor.extract_slice %y[1] [3] [2] : tensor<8xi4> to tensor<3xi4>
  return %x, %0 : tensor<4x4xui4>, tensor<3xi4>
}

// Computed and constant elements and elements of whole bytes are not masked again.
// CHECK-LABEL: func.func @clean
// CHECK-NOT: arith.andi
// CHECK-NOT: arith.shli
// CHECK: return
func.func @clean(%x: tensor<4xf32>, %w: tensor<4xui8>) -> (tensor<4xui4>, tensor<2xi4>, tensor<4xui8>, tensor<2xf4E2M1FN>) {
  %0 = quant_float.cast %x opset 21 : tensor<4xf32> to tensor<4xui4>
  %c = arith.constant dense<[-1, 2]> : tensor<2xi4>
  %1 = quant_float.cast %x opset 23 : tensor<4xf32> to tensor<4xf4E2M1FN>
  %2 = tensor.extract_slice %1[0] [2] [2] : tensor<4xf4E2M1FN> to tensor<2xf4E2M1FN>
  return %0, %c, %w, %2 : tensor<4xui4>, tensor<2xi4>, tensor<4xui8>, tensor<2xf4E2M1FN>
}

// A private function's result is not visible outside.
// CHECK-LABEL: func.func private @inner
// CHECK-NEXT: return
func.func private @inner(%x: tensor<4xui4>) -> tensor<4xui4> {
  return %x : tensor<4xui4>
}

// quant_float.constant of a type that arith.constant supports as well.
// CHECK-LABEL: func.func @constant_of_floats
// CHECK: %[[C:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: return %[[C]]
func.func @constant_of_floats() -> tensor<2xf32> {
  %c = quant_float.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c : tensor<2xf32>
}
