// RUN: quant-float-opt %s --allow-unregistered-dialect --convert-iree-linalg-ext-to-quant-float -split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>

// NaN is quantized to the minimum.
// CHECK-LABEL: @per_tensor
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>
func.func @per_tensor(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = arith.constant 0.1 : f32
  %z = arith.constant 200 : i64
  %e = tensor.empty() : tensor<4x8xi8>
  %d = tensor.empty() : tensor<4x8xf32>
  // CHECK-DAG: %[[Z:.+]] = quant_float.constant dense<200> : tensor<ui8>
  // CHECK-DAG: %[[NAN:.+]] = quant_float.node "IsNaN"(%[[X]])
  // CHECK-DAG: %[[LOW:.+]] = arith.constant dense<0xFF800000> : tensor<f32>
  // CHECK-DAG: %[[Y:.+]] = quant_float.node "Where"(%[[NAN]], %[[LOW]], %[[X]])
  // CHECK-DAG: %[[S:.+]] = arith.constant dense<1.000000e-01> : tensor<f32>
  // CHECK: %[[Q:.+]] = quant_float.quantize %[[Y]], %[[S]], %[[Z]] opset 28 : tensor<4x8xf32>, tensor<f32>, tensor<ui8> to tensor<4x8xui8>
  // CHECK: %[[C:.+]] = quant_float.cast %[[Q]] opset 28 : tensor<4x8xui8> to tensor<4x8xi8>
  %q = "iree_linalg_ext.quantize_affine"(%x, %s, %z, %e) <{indexing_maps = [#id, #scalar, #scalar, #id], quant_max = 255 : i64, quant_min = 0 : i64, storage_unsigned}> : (tensor<4x8xf32>, f32, i64, tensor<4x8xi8>) -> tensor<4x8xi8>
  // CHECK: %[[U:.+]] = quant_float.cast %[[C]] opset 28 : tensor<4x8xi8> to tensor<4x8xui8>
  // CHECK: quant_float.dequantize %[[U]], %{{.*}}, %{{.*}} opset 28 : tensor<4x8xui8>, tensor<f32>, tensor<ui8> to tensor<4x8xf32>
  %r = "iree_linalg_ext.dequantize_affine"(%q, %s, %z, %d) <{indexing_maps = [#id, #scalar, #scalar, #id], input_unsigned}> : (tensor<4x8xi8>, f32, i64, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: @narrow_range
func.func @narrow_range(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  %s = arith.constant dense<[0.5, 1.0, 2.0, 4.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xi8>
  // CHECK: quant_float.quantize %{{.*}}, %{{.*}} axis 0 opset 28 : tensor<4x8xf32>, tensor<4xf32> to tensor<4x8xi8>
  // CHECK: arith.constant dense<-127> : tensor<i8>
  // CHECK: quant_float.node "Max"
  // CHECK: arith.constant dense<127> : tensor<i8>
  // CHECK: quant_float.node "Min"
  %q = "iree_linalg_ext.quantize_affine"(%x, %s, %e) <{indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, #id], quant_max = 127 : i64, quant_min = -127 : i64}> : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xi8>) -> tensor<4x8xi8>
  return %q : tensor<4x8xi8>
}

// CHECK-LABEL: @blocks
// CHECK-SAME: %[[Q:[^:]+]]: tensor<4x2x32xi4>, %[[S:[^:]+]]: tensor<4x2xf32>
func.func @blocks(%q: tensor<4x2x32xi4>, %s: tensor<4x2xf32>) -> tensor<4x2x32xf32> {
  %d = tensor.empty() : tensor<4x2x32xf32>
  // CHECK: %[[E:.+]] = tensor.expand_shape %[[S]] {{\[\[}}0], [1, 2]] output_shape [4, 2, 1]
  // CHECK: quant_float.dequantize %[[Q]], %[[E]] axis 2 block_size 32 opset 28
  %r = "iree_linalg_ext.dequantize_affine"(%q, %s, %d) <{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]}> : (tensor<4x2x32xi4>, tensor<4x2xf32>, tensor<4x2x32xf32>) -> tensor<4x2x32xf32>
  return %r : tensor<4x2x32xf32>
}

// Scales of unknown sign, which may cause NaN.
// CHECK-LABEL: @computed_scale
func.func @computed_scale(%x: tensor<4x8xf16>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x8xi8> {
  %e = tensor.empty() : tensor<4x8xi8>
  // CHECK: linalg.generic
  // CHECK-NEXT: ^bb0(%[[X:.+]]: f16, %[[S:.+]]: f32, %[[Z:.+]]: i8, %{{.*}}: i8):
  // CHECK-DAG: %[[W:.+]] = arith.extf %[[X]] : f16 to f32
  // CHECK: %[[D:.+]] = arith.divf %[[W]], %[[S]] : f32
  // CHECK: %[[R:.+]] = math.roundeven %[[D]] : f32
  // CHECK: %[[ZF:.+]] = arith.uitofp %[[Z]] : i8 to f32
  // CHECK: %[[A:.+]] = arith.addf %[[R]], %[[ZF]] : f32
  // CHECK: %[[L:.+]] = arith.maxnumf %[[A]], %{{.*}} : f32
  // CHECK: %[[H:.+]] = arith.minnumf %[[L]], %{{.*}} : f32
  // CHECK: arith.fptoui %[[H]] : f32 to i8
  %q = "iree_linalg_ext.quantize_affine"(%x, %s, %z, %e) <{indexing_maps = [#id, #scalar, #scalar, #id], quant_max = 200 : i64, quant_min = 10 : i64, storage_unsigned, zp_unsigned}> : (tensor<4x8xf16>, tensor<f32>, tensor<i8>, tensor<4x8xi8>) -> tensor<4x8xi8>
  return %q : tensor<4x8xi8>
}

// CHECK-LABEL: @transposed
func.func @transposed(%q: tensor<4x8xi8>, %s: tensor<4xf32>, %z: tensor<4xi32>) -> tensor<8x4xf16> {
  %d = tensor.empty() : tensor<8x4xf16>
  // CHECK: linalg.generic
  // CHECK-NEXT: ^bb0(%[[Q:.+]]: i8, %[[S:.+]]: f32, %[[Z:.+]]: i32, %{{.*}}: f16):
  // CHECK: %[[W:.+]] = arith.extsi %[[Q]] : i8 to i16
  // CHECK: %[[N:.+]] = arith.trunci %[[Z]] : i32 to i16
  // CHECK: %[[D:.+]] = arith.subi %[[W]], %[[N]] : i16
  // CHECK: %[[F:.+]] = arith.sitofp %[[D]] : i16 to f32
  // CHECK: %[[M:.+]] = arith.mulf %[[F]], %[[S]] : f32
  // CHECK: arith.truncf %[[M]] : f32 to f16
  %r = "iree_linalg_ext.dequantize_affine"(%q, %s, %z, %d) <{indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1, d0)>]}> : (tensor<4x8xi8>, tensor<4xf32>, tensor<4xi32>, tensor<8x4xf16>) -> tensor<8x4xf16>
  return %r : tensor<8x4xf16>
}

// CHECK-LABEL: @argument_scale
// CHECK-SAME: %[[Q:[^:]+]]: tensor<4x8xi8>, %[[S:[^:]+]]: f16
func.func @argument_scale(%q: tensor<4x8xi8>, %s: f16) -> tensor<4x8xf16> {
  %d = tensor.empty() : tensor<4x8xf16>
  // CHECK: %[[T:.+]] = tensor.from_elements %[[S]] : tensor<f16>
  // CHECK: quant_float.dequantize %[[Q]], %[[T]] opset 28
  %r = "iree_linalg_ext.dequantize_affine"(%q, %s, %d) <{indexing_maps = [#id, #scalar, #id]}> : (tensor<4x8xi8>, f16, tensor<4x8xf16>) -> tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}
