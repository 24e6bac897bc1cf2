// RUN: quant-float-opt --allow-unregistered-dialect --convert-stablehlo-to-onnx --split-input-file %s | FileCheck %s
// RUN: quant-float-opt --allow-unregistered-dialect --convert-stablehlo-to-onnx=division=exact --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=EXACT

// Floats of at most 8 bits are computed in f32.
// CHECK-LABEL: func @elementwise
// CHECK: %[[SUM:.*]] = quant_float.node "Add"(%{{.*}}, %{{.*}}) opset 28 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[WIDE:.*]] = quant_float.cast %{{.*}} opset 28 : tensor<4xf8E4M3FN> to tensor<4xf32>
// CHECK: %[[PRODUCT:.*]] = quant_float.node "Mul"(%[[WIDE]], %{{.*}}) opset 28
// CHECK: quant_float.cast %[[PRODUCT]] opset 28 saturate false : tensor<4xf32> to tensor<4xf8E4M3FN>
// CHECK: quant_float.node "Or"
func.func @elementwise(%x: tensor<4xf32>, %f: tensor<4xf8E4M3FN>, %b: tensor<4xi1>)
    -> (tensor<4xf32>, tensor<4xf8E4M3FN>, tensor<4xi1>) {
  %0 = "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.multiply"(%f, %f) : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  %2 = "stablehlo.add"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf8E4M3FN>, tensor<4xi1>
}

// -----

// Conversions to integers saturate, those to float8 do not.
// CHECK-LABEL: func @convert
// CHECK: quant_float.cast %{{.*}} opset 28 saturate false : tensor<4xf32> to tensor<4xf8E5M2>
// CHECK: quant_float.cast %{{.*}} mode quant_float opset 1 saturate false : tensor<4xf32> to tensor<4xf8E4M3>
// CHECK: %[[SCALE:.*]] = quant_float.cast %{{.*}} opset 28 round_mode nearest : tensor<4xf32> to tensor<4xf8E8M0FNU>
// CHECK: quant_float.node "LessOrEqual"
// CHECK: quant_float.node "Where"
// CHECK: %[[Q:.*]] = quant_float.cast %{{.*}} opset 28 : tensor<4xf32> to tensor<4xi4>
// CHECK: %[[HIGH:.*]] = arith.constant dense<7> : tensor<i4>
// CHECK: quant_float.node "Where"(%{{.*}}, %[[HIGH]], %[[Q]])
func.func @convert(%x: tensor<4xf32>)
    -> (tensor<4xf8E5M2>, tensor<4xf8E4M3>, tensor<4xf8E8M0FNU>, tensor<4xi4>) {
  %0 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xf8E5M2>
  %1 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xf8E4M3>
  %2 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  %3 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xi4>
  return %0, %1, %2, %3 : tensor<4xf8E5M2>, tensor<4xf8E4M3>, tensor<4xf8E8M0FNU>, tensor<4xi4>
}

// -----

// XLA multiplies by the reciprocals of constants and of broadcast values.
// CHECK-LABEL: func @division
// CHECK: %[[RECIPROCAL:.*]] = quant_float.node "Div"(%{{.*}}, %{{.*}}) opset 28 : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK: %[[UNSQUEEZED:.*]] = quant_float.node "Unsqueeze"(%[[RECIPROCAL]]
// CHECK: %[[EXPANDED:.*]] = quant_float.node "Expand"(%[[UNSQUEEZED]]
// CHECK: quant_float.node "Mul"(%{{.*}}, %[[EXPANDED]])
// CHECK: quant_float.node "Div"(%{{.*}}, %{{.*}}) opset 28 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// EXACT-LABEL: func @division
// EXACT: arith.constant dense<1.270000e+02> : tensor<f32>
// EXACT-NOT: "Mul"
// EXACT-COUNT-2: quant_float.node "Div"
func.func @division(%x: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = "stablehlo.constant"() <{value = dense<127.0> : tensor<f32>}> : () -> tensor<f32>
  %d = "stablehlo.broadcast_in_dim"(%c) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
  %0 = "stablehlo.divide"(%x, %d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.divide"(%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @contractions
// CHECK: quant_float.node "MatMulInteger"(%{{.*}}, %{{.*}}) opset 28 : (tensor<2x4x3xi8>, tensor<2x3x5xi8>) -> tensor<2x4x5xi32>
// CHECK: %[[WIDE:.*]] = quant_float.cast %{{.*}} opset 28 : tensor<?x?x3xf8E4M3FN> to tensor<?x?x3xf32>
// CHECK: quant_float.node "Einsum"(%[[WIDE]], %{{.*}}) opset 28 attributes {equation = "bca,ad->bcd"}
// CHECK: %[[INPUT:.*]] = quant_float.node "Transpose"(%{{.*}}) opset 28 attributes {perm = array<i64: 0, 3, 1, 2>}
// CHECK: %[[KERNEL:.*]] = quant_float.node "Transpose"(%{{.*}}) opset 28 attributes {perm = array<i64: 3, 2, 0, 1>}
// CHECK: %[[CONV:.*]] = quant_float.node "ConvInteger"(%[[INPUT]], %[[KERNEL]])
// CHECK-SAME: pads = array<i64: 1, 1, 1, 1>
// CHECK: quant_float.node "Transpose"(%[[CONV]]) opset 28 attributes {perm = array<i64: 0, 2, 3, 1>}
func.func @contractions(%a: tensor<2x3x4xi8>, %b: tensor<2x3x5xi8>, %c: tensor<?x?x3xf8E4M3FN>,
                        %d: tensor<3x5xf8E4M3FN>, %x: tensor<1x8x8x4xi8>, %k: tensor<3x3x4x8xi8>)
    -> (tensor<2x4x5xi32>, tensor<?x?x5xf32>, tensor<1x8x8x8xi32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}>
      : (tensor<2x3x4xi8>, tensor<2x3x5xi8>) -> tensor<2x4x5xi32>
  %1 = "stablehlo.dot_general"(%c, %d) <{dot_dimension_numbers = #stablehlo.dot<
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}>
      : (tensor<?x?x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<?x?x5xf32>
  %2 = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
      padding = dense<1> : tensor<2x2xi64>}>
      : (tensor<1x8x8x4xi8>, tensor<3x3x4x8xi8>) -> tensor<1x8x8x8xi32>
  return %0, %1, %2 : tensor<2x4x5xi32>, tensor<?x?x5xf32>, tensor<1x8x8x8xi32>
}

// -----

// CHECK-LABEL: func @reduce
// CHECK: quant_float.node "ReduceMax"(%{{.*}}, %{{.*}}) opset 28 attributes {keepdims = 0 : i64, noop_with_empty_axes = 1 : i64} : (tensor<4x8xf32>, tensor<1xi64>) -> tensor<4xf32>
// CHECK-NOT: "Max"
// CHECK: return
func.func @reduce(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %init = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Quantized values are dequantized for every op, as the specification defines.
!q = !quant.uniform<i8:f32, 0.5:3>
!w = !quant.uniform<u4<1:15>:f32:1, {0.5, 0.25}>
// CHECK-LABEL: func @quantized
// CHECK-SAME: %[[X:.*]]: tensor<4x3xi8>, %[[W:.*]]: tensor<3x2xui4>) -> (tensor<4x2xi32>, tensor<4x3xi8>, tensor<3x2xui4>)
// CHECK: %[[A:.*]] = quant_float.dequantize %[[X]]
// CHECK: %[[B:.*]] = quant_float.dequantize %[[W]], %{{.*}}, %{{.*}} axis 1 opset 28
// CHECK: %[[PRODUCT:.*]] = quant_float.node "MatMul"(%[[A]], %[[B]])
// CHECK: quant_float.node "Div"(%[[PRODUCT]]
// CHECK: quant_float.node "Round"
// CHECK: %[[C:.*]] = quant_float.dequantize %[[W]]
// CHECK: quant_float.quantize %[[C]], %{{.*}}, %{{.*}} axis 1 opset 28
// CHECK: quant_float.node "Max"
// CHECK: quant_float.node "Min"
func.func @quantized(%x: tensor<4x3x!q>, %w: tensor<3x2x!w>)
    -> (tensor<4x2x!quant.uniform<i32:f32, 0.125>>, tensor<4x3xi8>, tensor<3x2x!w>) {
  %0 = "stablehlo.dot"(%x, %w) : (tensor<4x3x!q>, tensor<3x2x!w>) -> tensor<4x2x!quant.uniform<i32:f32, 0.125>>
  %1 = "stablehlo.bitcast_convert"(%x) : (tensor<4x3x!q>) -> tensor<4x3xi8>
  %2 = "stablehlo.uniform_dequantize"(%w) : (tensor<3x2x!w>) -> tensor<3x2xf32>
  %3 = "stablehlo.uniform_quantize"(%2) : (tensor<3x2xf32>) -> tensor<3x2x!w>
  return %0, %1, %3 : tensor<4x2x!quant.uniform<i32:f32, 0.125>>, tensor<4x3xi8>, tensor<3x2x!w>
}

// -----

// CHECK-LABEL: func @calls
// CHECK: %[[CONDITION:.*]] = tensor.extract
// CHECK: cf.assert %[[CONDITION]], "too small"
// CHECK: call @body
func.func @calls(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  "stablehlo.custom_call"(%c) <{call_target_name = "shape_assertion", has_side_effect = true}>
      {error_message = "too small"} : (tensor<i1>) -> ()
  %0 = "stablehlo.composite"(%x) <{name = "a.b", decomposition = @body}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.custom_call"(%0) <{call_target_name = "Sharding"}> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.optimization_barrier"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Annotations of Shardy are erased.
"sdy.mesh"() <{mesh = #sdy.mesh<["d"=2]>, sym_name = "mesh"}> : () -> ()

// CHECK-NOT: sdy.mesh
// CHECK-LABEL: func @sharded(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = quant_float.node "Abs"(%[[X]])
// CHECK-NEXT: return %[[Y]]
func.func @sharded(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"d"}]>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
