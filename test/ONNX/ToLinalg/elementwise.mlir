// Ops on one element at a time: broadcasting, element types, old and new versions.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg | FileCheck %s

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[$CHANNEL:.+]] = affine_map<(d0, d1, d2) -> (d1, 0)>

// A static size is more precise than a dynamic one.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[A:.+]]: tensor<?x4xf32>, %[[B:.+]]: tensor<?xf32>, %[[C:.+]]: tensor<3x1xf32>) -> tensor<3x4xf32>
// CHECK: %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]]]
// CHECK-SAME: ins(%[[A]], %[[B]]
// CHECK: arith.addf
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$COLUMN]], #[[$ID]]]
// CHECK-SAME: ins(%[[SUM]], %[[C]]
// CHECK: arith.mulf
func.func @broadcast(%a: tensor<?x4xf32>, %b: tensor<?xf32>, %c: tensor<3x1xf32>) -> tensor<*xf32> {
  %0 = quant_float.node "Add"(%a, %b) opset 21 : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<*xf32>
  %1 = quant_float.node "Mul"(%0, %c) opset 21 : (tensor<*xf32>, tensor<3x1xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// Before opset 7, the axes of the second operand start at `axis`.
// CHECK-LABEL: func.func @broadcast_by_axis(
// CHECK: %[[B:.+]] = tensor.expand_shape %arg1 {{\[\[}}0, 1]] output_shape [3, 1]
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[$CHANNEL]], #{{.+}}]
// CHECK-SAME: ins(%arg0, %[[B]]
func.func @broadcast_by_axis(%a: tensor<2x3x4xf32>, %b: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = quant_float.node "Add"(%a, %b) opset 6 attributes {axis = 1 : i64, broadcast = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// f16 and bf16 are computed in f32 and rounded once for each op.
// CHECK-LABEL: func.func @half(
// CHECK: ^bb0(%[[X:.+]]: bf16, %[[Y:.+]]: bf16, %{{.+}}: bf16):
// CHECK: %[[A:.+]] = quant_float.cast %[[X]] opset 28 : bf16 to f32
// CHECK: %[[B:.+]] = quant_float.cast %[[Y]] opset 28 : bf16 to f32
// CHECK: %[[C:.+]] = arith.divf %[[A]], %[[B]] : f32
// CHECK: %[[R:.+]] = quant_float.cast %[[C]] opset 28 : f32 to bf16
// CHECK: linalg.yield %[[R]]
func.func @half(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = quant_float.node "Div"(%x, %y) opset 21 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @unsigned(
// CHECK: %[[A:.+]] = quant_float.storage_cast %{{.+}} : ui8 to i8
// CHECK: %[[M:.+]] = arith.maxui %[[A]], %{{.+}} : i8
// CHECK: quant_float.storage_cast %[[M]] : i8 to ui8
func.func @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %0 = quant_float.node "Max"(%x, %y) opset 21 : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// No divisor that makes the instruction trap.
// CHECK-LABEL: func.func @divide_integers(
// CHECK: %[[Z:.+]] = arith.cmpi eq, %[[Y:.+]], %{{.+}} : i32
// CHECK: %[[M:.+]] = arith.cmpi eq, %[[Y]], %{{.+}} : i32
// CHECK: %[[NONZERO:.+]] = arith.select %[[Z]], %{{.+}}, %[[Y]] : i32
// CHECK: %[[SAFE:.+]] = arith.select %[[M]], %{{.+}}, %[[NONZERO]] : i32
// CHECK: arith.divsi %{{.+}}, %[[SAFE]] : i32
func.func @divide_integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = quant_float.node "Div"(%x, %y) opset 21 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @compare(
// CHECK-SAME: -> tensor<4xi1>
// CHECK: arith.cmpf oeq
func.func @compare(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %0 = quant_float.node "Equal"(%x, %y) opset 21 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// Elements are selected in their storage type.
// CHECK-LABEL: func.func @where(
// CHECK: %[[A:.+]] = quant_float.storage_cast %{{.+}} : bf16 to i16
// CHECK: %[[B:.+]] = quant_float.storage_cast %{{.+}} : bf16 to i16
// CHECK: arith.select %{{.+}}, %[[A]], %[[B]] : i16
func.func @where(%c: tensor<2x1xi1>, %x: tensor<3xbf16>, %y: tensor<bf16>) -> tensor<2x3xbf16> {
  %0 = quant_float.node "Where"(%c, %x, %y) opset 21 : (tensor<2x1xi1>, tensor<3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}

// Bounds are attributes before version 11. Versions from 6 on have defaults.
// CHECK-LABEL: func.func @clip_6(
// CHECK: %[[LOW:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[A:.+]] = arith.maximumf %{{.+}}, %[[LOW]] : f32
// CHECK: %[[HIGH:.+]] = arith.constant 3.40282347E+38 : f32
// CHECK: arith.minimumf %[[A]], %[[HIGH]] : f32
func.func @clip_6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant_float.node "Clip"(%x) opset 6 attributes {min = 0.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @clip_without_low(
// CHECK-NOT: arith.maxsi
// CHECK: arith.minsi
func.func @clip_without_low(%x: tensor<4xi8>, %high: tensor<i8>) -> tensor<4xi8> {
  %0 = quant_float.node "Clip"(%x, %high) opset 21 absent [1] : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// Different types are converted to f64.
// CHECK-LABEL: func.func @pow_of_two_types(
// CHECK: %[[P:.+]] = math.powf %{{.+}}, %{{.+}} : f64
// CHECK: quant_float.cast %[[P]] opset 28 : f64 to i32
func.func @pow_of_two_types(%x: tensor<4xi32>, %y: tensor<4xf32>) -> tensor<4xi32> {
  %0 = quant_float.node "Pow"(%x, %y) opset 21 : (tensor<4xi32>, tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @square(
// CHECK-NOT: math.powf
// CHECK: arith.mulf %[[X:.+]], %[[X]] : f32
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %0 = quant_float.node "Pow"(%x, %two) opset 21 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @erf(
// CHECK-NOT: math.erf
func.func @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant_float.node "Erf"(%x) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The result of Shrink on integers is a cast, which is defined if it is out of range.
// CHECK-LABEL: func.func @shrink_integers(
// CHECK-NOT: arith.fpto
// CHECK: quant_float.cast %{{.+}} opset 28 : f64 to i8
// CHECK: quant_float.cast %{{.+}} opset 28 : f64 to ui16
// CHECK-NOT: arith.fpto
// CHECK: return
func.func @shrink_integers(%x: tensor<4xi8>, %y: tensor<4xui16>) -> (tensor<4xi8>, tensor<4xui16>) {
  %0 = quant_float.node "Shrink"(%x) opset 9 attributes {bias = 1.0e10 : f32} : (tensor<4xi8>) -> tensor<4xi8>
  %1 = quant_float.node "Shrink"(%y) opset 9 attributes {bias = 1.0e10 : f32} : (tensor<4xui16>) -> tensor<4xui16>
  return %0, %1 : tensor<4xi8>, tensor<4xui16>
}
