// RUN: not quant-float-opt %s --convert-quant-float-to-iree-linalg-ext 2>&1 | FileCheck %s --check-prefix=REGISTERED
// RUN: quant-float-opt %s --allow-unregistered-dialect --convert-quant-float-to-iree-linalg-ext | FileCheck %s

// REGISTERED: error: iree_linalg_ext is not registered: allow unregistered dialects (--allow-unregistered-dialect)

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$AXIS:.+]] = affine_map<(d0, d1) -> (d1)>

// NaN becomes 0 before the op.
// CHECK-LABEL: @per_tensor
// CHECK-SAME: %[[X:.+]]: tensor<?x8xf32>
// CHECK-DAG: %[[S:.+]] = arith.constant dense<1.000000e-01> : tensor<f32>
// CHECK-DAG: %[[Z:.+]] = arith.constant dense<-56> : tensor<i8>
// CHECK: %[[N:.+]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]]]
// CHECK: %[[U:.+]] = arith.cmpf uno, %[[IN:.+]], %[[IN]] : f32
// CHECK: arith.select %[[U]], %{{.+}}, %[[IN]] : f32
// CHECK: %[[D:.+]] = tensor.dim %[[N]]
// CHECK: %[[E:.+]] = tensor.empty(%[[D]]) : tensor<?x8xi8>
// CHECK: %[[Q:.+]] = "iree_linalg_ext.quantize_affine"(%[[N]], %[[S]], %[[Z]], %[[E]]) <{indexing_maps = [#[[$ID]], affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, #[[$ID]]], quant_max = 255 : i64, quant_min = 0 : i64, storage_unsigned, zp_unsigned}> : (tensor<?x8xf32>, tensor<f32>, tensor<i8>, tensor<?x8xi8>) -> tensor<?x8xi8>
// CHECK: quant_float.cast %[[Q]] opset 28 : tensor<?x8xi8> to tensor<?x8xui8>
func.func @per_tensor(%x: tensor<?x8xf32>) -> tensor<?x8xui8> {
  %s = arith.constant dense<0.1> : tensor<1xf32>
  %z = quant_float.constant dense<200> : tensor<1xui8>
  %0 = quant_float.quantize %x, %s, %z opset 21 : tensor<?x8xf32>, tensor<1xf32>, tensor<1xui8> to tensor<?x8xui8>
  return %0 : tensor<?x8xui8>
}

// IREE quantizes NaN to 0, too.
// CHECK-LABEL: @lowest
// CHECK-NOT: linalg.generic
// CHECK: "iree_linalg_ext.quantize_affine"(%arg0, %arg1, %{{.+}}) <{indexing_maps = [{{.+}}], quant_max = 15 : i64, quant_min = 0 : i64, storage_unsigned}> : (tensor<4xf32>, tensor<f32>, tensor<4xi4>) -> tensor<4xi4>
func.func @lowest(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xui4> {
  %0 = quant_float.quantize %x, %s opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xui4>
  return %0 : tensor<4xui4>
}

// Quotients of unknown scales may be NaN. IREE extends the input.
// CHECK-LABEL: @per_axis
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf16>, %[[S:.+]]: tensor<8xf32>, %[[Z:.+]]: tensor<8xi8>
// CHECK: %[[Q:.+]] = "iree_linalg_ext.quantize_affine"(%[[X]], %[[S]], %[[Z]], %{{.+}}) <{indexing_maps = [#[[$ID]], #[[$AXIS]], #[[$AXIS]], #[[$ID]]], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4x8xf16>, tensor<8xf32>, tensor<8xi8>, tensor<4x8xi8>) -> tensor<4x8xi8>
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]], #[[$AXIS]], #[[$AXIS]], #[[$ID]]], {{.+}}} ins(%[[Q]], %[[X]], %[[S]], %[[Z]] :
// CHECK: ^bb0(%[[C:.+]]: i8, %[[IN:.+]]: f16, %[[SIN:.+]]: f32, %[[ZIN:.+]]: i8, %{{.+}}: i8):
// CHECK: %[[W:.+]] = arith.extf %[[IN]] : f16 to f32
// CHECK: %[[D:.+]] = arith.divf %[[W]], %[[SIN]] : f32
// CHECK: %[[U:.+]] = arith.cmpf uno, %[[D]], %[[D]] : f32
// CHECK: arith.select %[[U]], %[[ZIN]], %[[C]] : i8
func.func @per_axis(%x: tensor<4x8xf16>, %s: tensor<8xf32>, %z: tensor<8xi8>) -> tensor<4x8xi8> {
  %0 = quant_float.quantize %x, %s, %z axis -1 opset 28 : tensor<4x8xf16>, tensor<8xf32>, tensor<8xi8> to tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}

// CHECK-LABEL: @blocks
// CHECK-SAME: %[[Q:.+]]: tensor<?x64xui8>, %[[S:.+]]: tensor<?x2xbf16>, %[[Z:.+]]: tensor<?x2xui8>
// CHECK-DAG: %[[C:.+]] = quant_float.cast %[[Q]] opset 28 : tensor<?x64xui8> to tensor<?x64xi8>
// CHECK-DAG: %[[F:.+]] = quant_float.cast %[[S]] opset 28 : tensor<?x2xbf16> to tensor<?x2xf32>
// CHECK-DAG: %[[P:.+]] = quant_float.cast %[[Z]] opset 28 : tensor<?x2xui8> to tensor<?x2xi8>
// CHECK: %[[B:.+]] = tensor.expand_shape %[[C]] {{\[\[}}0], [1, 2]] output_shape [%{{.+}}, 2, 32]
// CHECK: %[[R:.+]] = "iree_linalg_ext.dequantize_affine"(%[[B]], %[[F]], %[[P]], %{{.+}}) <{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], input_unsigned, zp_unsigned}> : (tensor<?x2x32xi8>, tensor<?x2xf32>, tensor<?x2xi8>, tensor<?x2x32xbf16>) -> tensor<?x2x32xbf16>
// CHECK: tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]]
func.func @blocks(%q: tensor<?x64xui8>, %s: tensor<?x2xbf16>, %z: tensor<?x2xui8>) -> tensor<?x64xbf16> {
  %0 = quant_float.dequantize %q, %s, %z axis 1 block_size 32 opset 28 : tensor<?x64xui8>, tensor<?x2xbf16>, tensor<?x2xui8> to tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

// Casts are not converted. The static shape is kept.
// CHECK-LABEL: @others
// CHECK: quant_float.cast
// CHECK: "iree_linalg_ext.dequantize_affine"
// CHECK: tensor.cast %{{.+}} : tensor<?xf32> to tensor<4xf32>
func.func @others(%q: tensor<?xi32>, %s: tensor<?xf32>) -> (tensor<?xi8>, tensor<4xf32>) {
  %0 = quant_float.cast %q opset 28 : tensor<?xi32> to tensor<?xi8>
  %1 = quant_float.dequantize %q, %s axis 0 opset 28 : tensor<?xi32>, tensor<?xf32> to tensor<4xf32>
  return %0, %1 : tensor<?xi8>, tensor<4xf32>
}
