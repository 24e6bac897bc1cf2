// Layers whose semantics differ from those of the most similar ONNX node.
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx -split-input-file | FileCheck %s

// Rounding up adds a window with more padding. The last window may start in the
// padding.
// CHECK-LABEL: func.func @rounded_up(
// CHECK: quant_float.node "MaxPool"({{.+}} attributes {ceil_mode = 0 : i64, kernel_shape = array<i64: 2>, pads = array<i64: 0, 2>, strides = array<i64: 3>}
func.func @rounded_up(%x: tensor<1x2x6xf32>) -> tensor<1x2x3xf32> {
  %0 = quant_float.node "MaxPool"(%x) opset 1 domain "openvino" attributes {kernel = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 1>, rounding_type = "ceil", strides = array<i64: 3>} : (tensor<1x2x6xf32>) -> tensor<1x2x3xf32>
  return %0 : tensor<1x2x3xf32>
}

// -----

// As PyTorch and ONNX round, with padding that is excluded from means.
// CHECK-LABEL: func.func @rounded_as_torch(
// CHECK: quant_float.node "AveragePool"({{.+}} attributes {ceil_mode = 1 : i64, count_include_pad = 0 : i64, kernel_shape = array<i64: 2>, pads = array<i64: 0, 1>, strides = array<i64: 3>}
func.func @rounded_as_torch(%x: tensor<1x2x?xf32>) -> tensor<1x2x?xf32> {
  %0 = quant_float.node "AvgPool"(%x) opset 14 domain "openvino" attributes {"exclude-pad" = true, kernel = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 1>, rounding_type = "ceil_torch", strides = array<i64: 3>} : (tensor<1x2x?xf32>) -> tensor<1x2x?xf32>
  return %0 : tensor<1x2x?xf32>
}

// -----

// One axis is removed, one is added, and one keeps its start.
// CHECK-LABEL: func.func @strided_slice(
// CHECK: %[[S:.+]] = quant_float.node "Slice"(
// CHECK: %[[Q:.+]] = quant_float.node "Squeeze"(%[[S]], %{{.+}})
// CHECK: quant_float.node "Unsqueeze"(%[[Q]], %{{.+}}) {{.+}} -> tensor<1x4xf32>
func.func @strided_slice(%x: tensor<3x5xf32>) -> tensor<1x4xf32> {
  %b = arith.constant dense<[1, 0, 1]> : tensor<3xi64>
  %e = arith.constant dense<[2, 0, 4]> : tensor<3xi64>
  %0 = quant_float.node "StridedSlice"(%x, %b, %e) opset 1 domain "openvino" attributes {begin_mask = array<i64: 0, 0, 1>, end_mask = array<i64>, new_axis_mask = array<i64: 0, 1, 0>, shrink_axis_mask = array<i64: 1, 0, 0>} : (tensor<3x5xf32>, tensor<3xi64>, tensor<3xi64>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

// The dimension of the groups becomes an attribute.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[W:.+]] = quant_float.node "Reshape"(
// CHECK: quant_float.node "Conv"(%{{.+}}, %[[W]]) opset 21 attributes {auto_pad = "NOTSET", group = 2 : i64}
func.func @groups(%x: tensor<1x4x8xf32>, %w: tensor<2x3x2x1xf32>) -> tensor<1x6x8xf32> {
  %0 = quant_float.node "GroupConvolution"(%x, %w) opset 1 domain "openvino" : (tensor<1x4x8xf32>, tensor<2x3x2x1xf32>) -> tensor<1x6x8xf32>
  return %0 : tensor<1x6x8xf32>
}

// -----

// Gates f, i, c, o become i, o, f, c.
// CHECK-LABEL: func.func @cell(
// CHECK: %[[G:.+]]:4 = quant_float.node "Split"(
// CHECK: quant_float.node "Concat"(%[[G]]#1, %[[G]]#3, %[[G]]#0, %[[G]]#2)
// CHECK: quant_float.node "LSTM"({{.+}} absent [3, 4]
func.func @cell(%x: tensor<2x3xf32>, %h: tensor<2x5xf32>, %w: tensor<20x3xf32>, %r: tensor<20x5xf32>) -> tensor<2x5xf32> {
  %0:2 = quant_float.node "LSTMCell"(%x, %h, %h, %w, %r) opset 4 domain "openvino" attributes {hidden_size = 5 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<20x3xf32>, tensor<20x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  return %0#0 : tensor<2x5xf32>
}
