// ONNX nodes that become several layers, layers with other attributes, or arithmetic.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-openvino -split-input-file | FileCheck %s

// One layer with the same inputs. The names of the model are kept.
// CHECK-LABEL: func.func @same(
// CHECK: quant_float.node "Negative"(%{{.+}}) opset 13 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: quant_float.node "Subtract"(%{{.+}}, %{{.+}}) opset 13 domain "openvino" attributes {auto_broadcast = "numpy"}
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant_float.node "Neg"(%x) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = quant_float.node "Sub"(%x, %0) opset 21 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Filters of grouped convolutions have a dimension for the groups, and biases are added.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[SHAPE:.+]] = arith.constant dense<[2, 2, 2, 3, 3]> : tensor<5xi64>
// CHECK: %[[W:.+]] = quant_float.node "Reshape"(%{{.+}}, %[[SHAPE]])
// CHECK: %[[Y:.+]] = quant_float.node "GroupConvolution"(%{{.+}}, %[[W]]) opset 13 domain "openvino" attributes {auto_pad = "explicit", dilations = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 1, 1>}
// CHECK: %[[B:.+]] = quant_float.node "Reshape"(
// CHECK: quant_float.node "Add"(%[[Y]], %[[B]]) {{.+}} -> tensor<1x4x5x5xf32>
func.func @groups(%x: tensor<1x4x5x5xf32>, %w: tensor<4x2x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x5x5xf32> {
  %0 = quant_float.node "Conv"(%x, %w, %b) opset 21 attributes {group = 2 : i64, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x5x5xf32>, tensor<4x2x3x3xf32>, tensor<4xf32>) -> tensor<1x4x5x5xf32>
  return %0 : tensor<1x4x5x5xf32>
}

// -----

// Sizes are rounded up as in ONNX from opset 14 on.
// CHECK-LABEL: func.func @rounded_up(
// CHECK: quant_float.node "AvgPool"({{.+}} opset 14 domain "openvino" attributes {auto_pad = "explicit", "exclude-pad" = true, kernel = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, rounding_type = "ceil_torch", strides = array<i64: 2>}
func.func @rounded_up(%x: tensor<1x2x5xf32>) -> tensor<1x2x3xf32> {
  %0 = quant_float.node "AveragePool"(%x) opset 21 attributes {ceil_mode = 1 : i64, kernel_shape = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x2x5xf32>) -> tensor<1x2x3xf32>
  return %0 : tensor<1x2x3xf32>
}

// -----

// Gates i, o, f and c become f, i, c and o. The batch is the first dimension, and absent initial
// states are zeros.
// CHECK-LABEL: func.func @lstm(
// CHECK: %[[X:.+]] = quant_float.node "Transpose"(
// CHECK: %[[W:.+]]:4 = quant_float.node "Split"(
// CHECK: quant_float.node "Concat"(%[[W]]#2, %[[W]]#0, %[[W]]#3, %[[W]]#1)
// CHECK: quant_float.node "LSTMSequence"(%[[X]], {{.+}} attributes {activations = "sigmoid,tanh,tanh", clip = 0.000000e+00 : f64, direction = "forward", hidden_size = 3 : i64}
func.func @lstm(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>) -> tensor<5x1x1x3xf32> {
  %0 = quant_float.node "LSTM"(%x, %w, %r) opset 21 attributes {hidden_size = 3 : i64} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>) -> tensor<5x1x1x3xf32>
  return %0 : tensor<5x1x1x3xf32>
}

// -----

// The patterns of compressed weights that OpenVINO's plugins recognize: full blocks have a separate
// dimension.
// CHECK-LABEL: func.func @weights(
// CHECK: %[[W:.+]] = quant_float.constant dense<{{\[\[\[}}1, 2], [3, 4]], {{\[\[}}5, 6], [7, 8]]]> : tensor<2x2x2xui4>
// CHECK: %[[V:.+]] = quant_float.node "Convert"(%[[W]]) {{.+}} {destination_type = f32} : (tensor<2x2x2xui4>) -> tensor<2x2x2xf32>
// CHECK: %[[F:.+]] = quant_float.node "Convert"(%arg1) {{.+}} : (tensor<2x2xui4>) -> tensor<2x2xf32>
// CHECK: %[[Z:.+]] = quant_float.node "Reshape"(%[[F]], %{{.+}}) {{.+}} -> tensor<2x2x1xf32>
// CHECK: %[[D:.+]] = quant_float.node "Subtract"(%[[V]], %[[Z]])
// CHECK: %[[S:.+]] = quant_float.node "Reshape"(%arg0, %{{.+}}) {{.+}} -> tensor<2x2x1xf32>
// CHECK: %[[P:.+]] = quant_float.node "Multiply"(%[[D]], %[[S]])
// CHECK: quant_float.node "Reshape"(%[[P]], %{{.+}}) {{.+}} -> tensor<2x4xf32>
func.func @weights(%s: tensor<2x2xf32>, %z: tensor<2x2xui4>) -> tensor<2x4xf32> {
  %w = quant_float.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xui4>
  %0 = quant_float.dequantize %w, %s, %z axis 1 block_size 2 opset 21 : tensor<2x4xui4>, tensor<2x2xf32>, tensor<2x2xui4> to tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A partial last block is padded, and the result is sliced.
// CHECK-LABEL: func.func @cut(
// CHECK: %[[V:.+]] = quant_float.node "Convert"(%{{.+}}) {{.+}} : (tensor<2x3xui4>) -> tensor<2x3xf32>
// CHECK: %[[P:.+]] = quant_float.node "Pad"(%[[V]], %{{.+}}) {{.+}} {pad_mode = "constant"} : {{.+}} -> tensor<2x4xf32>
// CHECK: %[[B:.+]] = quant_float.node "Reshape"(%[[P]], %{{.+}}) {{.+}} -> tensor<2x2x2xf32>
// CHECK: %[[D:.+]] = quant_float.node "Subtract"(%[[B]], %{{.+}})
// CHECK: %[[M:.+]] = quant_float.node "Multiply"(%[[D]], %{{.+}}) {{.+}} -> tensor<2x2x2xf32>
// CHECK: %[[W:.+]] = quant_float.node "Reshape"(%[[M]], %{{.+}}) {{.+}} -> tensor<2x4xf32>
// CHECK: quant_float.node "Slice"(%[[W]], {{.+}} -> tensor<2x3xf32>
func.func @cut(%x: tensor<2x3xui4>, %s: tensor<2x2xf32>, %z: tensor<2x2xui4>) -> tensor<2x3xf32> {
  %0 = quant_float.dequantize %x, %s, %z axis 1 block_size 2 opset 21 : tensor<2x3xui4>, tensor<2x2xf32>, tensor<2x2xui4> to tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// The difference of i32 may need 33 bits, so halves are subtracted.
// CHECK-LABEL: func.func @wide_zero_point(
// CHECK: %[[L:.+]] = quant_float.node "BitwiseAnd"(%arg0, %{{.+}}) {{.+}} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK: %[[H:.+]] = quant_float.node "Subtract"(%arg0, %[[L]])
// CHECK: quant_float.node "Convert"(%[[H]]) {{.+}} -> tensor<4xf32>
// CHECK: %[[D:.+]] = quant_float.node "Add"(
// CHECK: quant_float.node "Multiply"(%[[D]], %arg1)
func.func @wide_zero_point(%x: tensor<4xi32>, %s: tensor<f32>) -> tensor<4xf32> {
  %z = arith.constant dense<3> : tensor<i32>
  %0 = quant_float.dequantize %x, %s, %z opset 21 : tensor<4xi32>, tensor<f32>, tensor<i32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Packed weights in the plugins' pattern: sub-byte quantized values in blocks.
// CHECK-LABEL: func.func @packed(
// CHECK: %[[B:.+]] = quant_float.constant dense<{{.+}}> : tensor<2x1x16xui4>
// CHECK: %[[C:.+]] = quant_float.node "Convert"(%[[B]]) {{.+}} {destination_type = f32}
// CHECK: %[[D:.+]] = quant_float.node "Subtract"(%[[C]], %{{.+}})
// CHECK: %[[M:.+]] = quant_float.node "Multiply"(%[[D]], %{{.+}})
// CHECK: %[[W:.+]] = quant_float.node "Reshape"(%[[M]], %{{.+}})
// CHECK: quant_float.node "MatMul"(%arg0, %[[W]]) {{.+}} {transpose_a = false, transpose_b = true} : {{.+}} -> tensor<3x2xf32>
func.func @packed(%x: tensor<3x16xf32>) -> tensor<3x2xf32> {
  %b = quant_float.constant dense<33> : tensor<2x1x8xui8>
  %s = arith.constant dense<0.5> : tensor<2x1xf32>
  %0 = quant_float.node "MatMulNBits"(%x, %b, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} : (tensor<3x16xf32>, tensor<2x1x8xui8>, tensor<2x1xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Sums of integers are exact in f32 up to 2^24. Longer sums are split into digits.
// CHECK-LABEL: func.func @integers(
// CHECK-COUNT-1: quant_float.node "MatMul"
// CHECK-NOT: quant_float.node "MatMul"
// CHECK-LABEL: func.func @long_sums(
// CHECK: quant_float.node "BitwiseAnd"(
// CHECK-COUNT-2: quant_float.node "MatMul"
// CHECK: quant_float.node "Add"({{.+}} -> tensor<2x3xi32>
func.func @integers(%x: tensor<2x256xui8>, %y: tensor<256x3xui8>) -> tensor<2x3xi32> {
  %0 = quant_float.node "MatMulInteger"(%x, %y) opset 21 : (tensor<2x256xui8>, tensor<256x3xui8>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
func.func @long_sums(%x: tensor<2x4096xui8>, %y: tensor<4096x3xui8>) -> tensor<2x3xi32> {
  %0 = quant_float.node "MatMulInteger"(%x, %y) opset 21 : (tensor<2x4096xui8>, tensor<4096x3xui8>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: func.func @quantize(
// CHECK: %[[Q:.+]] = quant_float.node "Divide"(
// CHECK: %[[R:.+]] = quant_float.node "Round"(%[[Q]]) {{.+}} {mode = "half_to_even"}
// CHECK: %[[P:.+]] = quant_float.node "Add"(%[[R]],
// CHECK: %[[C:.+]] = quant_float.node "Clamp"(%[[P]]) {{.+}} {max = 1.270000e+02 : f64, min = -1.280000e+02 : f64}
// CHECK: quant_float.node "Convert"(%[[C]]) {{.+}} : (tensor<4xf32>) -> tensor<4xi8>
func.func @quantize(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xi8> {
  %0 = quant_float.quantize %x, %s, %z opset 21 : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// A vector has no axis 1, so the scale of dynamic size has one element.
// CHECK-LABEL: func.func @scale_of_dynamic_size(
// CHECK: %[[SHAPE:.+]] = arith.constant dense<> : tensor<0xi64>
// CHECK: quant_float.node "Reshape"(%{{.+}}, %[[SHAPE]]) {{.+}} -> tensor<f32>
func.func @scale_of_dynamic_size(%x: tensor<3xf32>, %s: tensor<?xf32>) -> tensor<3xui8> {
  %0 = quant_float.quantize %x, %s opset 28 : tensor<3xf32>, tensor<?xf32> to tensor<3xui8>
  return %0 : tensor<3xui8>
}
