// RUN: quant-float-opt %s -split-input-file --quant-float-eliminate-qdq | FileCheck %s
// RUN: quant-float-opt %s -split-input-file --quant-float-eliminate-qdq=requantize=multiply-shift | FileCheck %s --check-prefix=SHIFT
// RUN: quant-float-opt %s -split-input-file --quant-float-eliminate-qdq=any-nan | FileCheck %s --check-prefix=NAN

// CHECK-LABEL: @same
// CHECK-SAME: (%[[Q:.+]]: tensor<?x8xi8>)
// CHECK-NEXT: return %[[Q]]
func.func @same(%q: tensor<?x8xi8>) -> tensor<?x8xi8> {
  %s = arith.constant dense<0.1> : tensor<f32>
  %d = quant_float.dequantize %q, %s opset 21 : tensor<?x8xi8>, tensor<f32> to tensor<?x8xf32>
  %y = quant_float.quantize %d, %s opset 21 : tensor<?x8xf32>, tensor<f32> to tensor<?x8xi8>
  return %y : tensor<?x8xi8>
}

// -----

// The floats are kept for other users.
// CHECK-LABEL: @other_uses
// CHECK-SAME: (%[[Q:.+]]: vector<4xui8>)
// CHECK: %[[D:.+]] = quant_float.dequantize
// CHECK: return %[[D]], %[[Q]]
func.func @other_uses(%q: vector<4xui8>) -> (vector<4xf32>, vector<4xui8>) {
  %s = arith.constant 0.1 : f32
  %v = vector.broadcast %s : f32 to vector<1xf32>
  %c = arith.constant dense<0.1> : vector<1xf32>
  %d = quant_float.dequantize %q, %c opset 21 : vector<4xui8>, vector<1xf32> to vector<4xf32>
  %y = quant_float.quantize %d, %c opset 21 : vector<4xf32>, vector<1xf32> to vector<4xui8>
  return %d, %y : vector<4xf32>, vector<4xui8>
}

// -----

// CHECK-LABEL: @blocks
// CHECK-NEXT: return %arg0
func.func @blocks(%q: tensor<1x4xi4>) -> tensor<1x4xi4> {
  %s = arith.constant dense<[[0.1, 7.0]]> : tensor<1x2xf32>
  %d = quant_float.dequantize %q, %s axis 1 block_size 2 opset 21 : tensor<1x4xi4>, tensor<1x2xf32> to tensor<1x4xf32>
  %y = quant_float.quantize %d, %s axis -1 block_size 2 opset 21 : tensor<1x4xf32>, tensor<1x2xf32> to tensor<1x4xi4>
  return %y : tensor<1x4xi4>
}

// -----

// CHECK-LABEL: @moved
// CHECK-SAME: (%[[Q:.+]]: tensor<1x4x8xi8>)
// CHECK: %[[VALUE:.+]] = arith.constant dense<-5> : tensor<i8>
// CHECK: %[[P:.+]] = quant_float.node "Pad"(%[[Q]], %{{.+}}, %[[VALUE]], %{{.+}}) opset 21 : (tensor<1x4x8xi8>, tensor<2xi64>, tensor<i8>, tensor<1xi64>) -> tensor<1x4x10xi8>
// CHECK: %[[M:.+]] = quant_float.node "MaxPool"(%[[P]]) opset 21 attributes {kernel_shape = array<i64: 2>} : (tensor<1x4x10xi8>) -> tensor<1x4x9xi8>
// CHECK: return %[[M]]
func.func @moved(%q: tensor<1x4x8xi8>) -> tensor<1x4x9xi8> {
  %s = arith.constant dense<0.1> : tensor<f32>
  %z = arith.constant dense<-5> : tensor<i8>
  %pads = arith.constant dense<1> : tensor<2xi64>
  %axes = arith.constant dense<2> : tensor<1xi64>
  %d = quant_float.dequantize %q, %s, %z opset 21 : tensor<1x4x8xi8>, tensor<f32>, tensor<i8> to tensor<1x4x8xf32>
  %p = quant_float.node "Pad"(%d, %pads, %axes) opset 21 absent [2] : (tensor<1x4x8xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<1x4x10xf32>
  %m = quant_float.node "MaxPool"(%p) opset 21 attributes {kernel_shape = array<i64: 2>} : (tensor<1x4x10xf32>) -> tensor<1x4x9xf32>
  %y = quant_float.quantize %m, %s, %z opset 21 : tensor<1x4x9xf32>, tensor<f32>, tensor<i8> to tensor<1x4x9xi8>
  return %y : tensor<1x4x9xi8>
}

// -----

// CHECK-LABEL: @relu
// CHECK: %[[Y:.+]] = quant_float.node "Clip"(%arg0, %{{.+}}, %{{.+}}) opset 21
// CHECK: return %[[Y]]
func.func @relu(%q: tensor<4xui8>) -> tensor<4xui8> {
  %s = arith.constant dense<0.1> : tensor<f32>
  %z = quant_float.constant dense<128> : tensor<ui8>
  %d = quant_float.dequantize %q, %s, %z opset 21 : tensor<4xui8>, tensor<f32>, tensor<ui8> to tensor<4xf32>
  %r = quant_float.node "Relu"(%d) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  %y = quant_float.quantize %r, %s, %z opset 21 : tensor<4xf32>, tensor<f32>, tensor<ui8> to tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

// A negative value is an index from the end.
// CHECK-LABEL: @table
// CHECK: %[[TABLE:.+]] = arith.constant dense<[0, 1, 1, 2, 2, 3, 4, 4, -5, -4, -4, -3, -2, -2, -1, -1]> : tensor<16xi8>
// CHECK: %[[I:.+]] = quant_float.cast %arg0 opset 21 : tensor<4xi4> to tensor<4xi32>
// CHECK: %[[Y:.+]] = quant_float.node "Gather"(%[[TABLE]], %[[I]]) opset 21 : (tensor<16xi8>, tensor<4xi32>) -> tensor<4xi8>
// CHECK: return %[[Y]]
// SHIFT-LABEL: @table
// SHIFT: %[[X:.+]] = quant_float.cast %arg0 opset 21 : tensor<4xi4> to tensor<4xi32>
// SHIFT: %[[P:.+]] = quant_float.node "Mul"(%[[X]], %{{.+}})
// SHIFT: %[[A:.+]] = quant_float.node "Add"(%[[P]], %{{.+}})
// SHIFT: %[[D:.+]] = quant_float.node "Div"(%[[A]], %{{.+}})
// SHIFT: %[[S:.+]] = quant_float.node "Sub"(%[[D]], %{{.+}})
// SHIFT: %[[C:.+]] = quant_float.node "Clip"(%[[S]], %{{.+}}, %{{.+}})
// SHIFT: quant_float.cast %[[C]] opset 21 : tensor<4xi32> to tensor<4xi8>
func.func @table(%q: tensor<4xi4>) -> tensor<4xi8> {
  %s = arith.constant dense<0.3> : tensor<f32>
  %t = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<0> : tensor<i8>
  %d = quant_float.dequantize %q, %s opset 21 : tensor<4xi4>, tensor<f32> to tensor<4xf32>
  %y = quant_float.quantize %d, %t, %z opset 21 : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

// With the option, NaN encodings are interchangeable.
// CHECK-LABEL: @nan
// CHECK: quant_float.quantize
// NAN-LABEL: @nan
// NAN-NEXT: return %arg0
func.func @nan(%q: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  %s = arith.constant dense<0.1> : tensor<f32>
  %d = quant_float.dequantize %q, %s opset 21 : tensor<4xf8E5M2>, tensor<f32> to tensor<4xf32>
  %y = quant_float.quantize %d, %s opset 21 saturate false : tensor<4xf32>, tensor<f32> to tensor<4xf8E5M2>
  return %y : tensor<4xf8E5M2>
}
