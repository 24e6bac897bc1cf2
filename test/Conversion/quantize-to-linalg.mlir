// quantize, dequantize, qdq as loops over elements, each with its scale.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg --canonicalize | FileCheck %s

// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ONE:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$FIRST:.+]] = affine_map<(d0, d1) -> (0)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$BLOCK:.+]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-DAG: #[[$ONE_BLOCK:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$VECTOR:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$VECTOR_BLOCK:.+]] = affine_map<(d0) -> (d0 floordiv 64)>
// CHECK-DAG: #[[$VECTOR_ONE:.+]] = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @quantize_per_tensor
func.func @quantize_per_tensor(%x: tensor<?x64xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<?x64xui8> {
  // CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$ONE]], #[[$ONE]], #[[$ALL]]], iterator_types = ["parallel", "parallel"]}
  // CHECK-SAME: ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x64xf32>, tensor<f32>, tensor<i8>)
  // CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[S:.+]]: f32, %[[Z:.+]]: i8, %{{.+}}: i8):
  // CHECK-NEXT: %[[ZP:.+]] = quant_float.storage_cast %[[Z]] : i8 to ui8
  // CHECK-NEXT: %[[Q:.+]] = quant_float.quantize_elements %[[X]], %[[S]], %[[ZP]] : f32, f32, ui8 to ui8
  // CHECK-NEXT: %[[R:.+]] = quant_float.storage_cast %[[Q]] : ui8 to i8
  // CHECK-NEXT: linalg.yield %[[R]] : i8
  %0 = quant_float.quantize %x, %s, %z opset 13 : tensor<?x64xf32>, tensor<f32>, tensor<ui8> to tensor<?x64xui8>
  return %0 : tensor<?x64xui8>
}

// D2: both operands are brought to the precision. D3: float8 adds no zero point.
// CHECK-LABEL: func.func @d2_precision
func.func @d2_precision(%x: tensor<4x8xi32>, %s: tensor<1xf8E8M0FNU>, %z: tensor<1xf8E4M3FN>) -> tensor<4x8xf8E4M3FN> {
  // CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$FIRST]], #[[$FIRST]], #[[$ALL]]]
  // CHECK-NEXT: ^bb0(%[[X:.+]]: i32, %[[S:.+]]: f8E8M0FNU,
  // CHECK-NEXT: %[[A:.+]] = quant_float.cast %[[X]] opset 28 : i32 to f16
  // CHECK-NEXT: %[[B:.+]] = quant_float.cast %[[S]] opset 28 : f8E8M0FNU to f16
  // CHECK-NEXT: quant_float.quantize_elements %[[A]], %[[B]] saturate false : f16, f16 to f8E4M3FN
  %0 = quant_float.quantize %x, %s, %z opset 24 saturate false precision f16 : tensor<4x8xi32>, tensor<1xf8E8M0FNU>, tensor<1xf8E4M3FN> to tensor<4x8xf8E4M3FN>
  return %0 : tensor<4x8xf8E4M3FN>
}

// D5: the difference in integers, wide enough for it.
// CHECK-LABEL: func.func @d5_dequantize_per_axis
func.func @d5_dequantize_per_axis(%x: tensor<4x70xi8>, %s: tensor<70xf16>, %z: tensor<70xi8>) -> tensor<4x70xf16> {
  // CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$COLUMN]], #[[$COLUMN]], #[[$ALL]]]
  // CHECK-NEXT: ^bb0(%[[X:.+]]: i8, %[[S:.+]]: f16, %[[Z:.+]]: i8,
  // CHECK-NEXT: %[[A:.+]] = quant_float.cast %[[X]] opset 28 : i8 to i32
  // CHECK-NEXT: %[[B:.+]] = quant_float.cast %[[Z]] opset 28 : i8 to i32
  // CHECK-NEXT: %[[D:.+]] = arith.subi %[[A]], %[[B]] : i32
  // CHECK-DAG: %[[E:.+]] = quant_float.cast %[[D]] opset 28 : i32 to f32
  // CHECK-DAG: %[[F:.+]] = quant_float.cast %[[S]] opset 28 : f16 to f32
  // CHECK: %[[P:.+]] = arith.mulf %[[E]], %[[F]] : f32
  // CHECK-NEXT: quant_float.cast %[[P]] opset 28 : f32 to f16
  %0 = quant_float.dequantize %x, %s, %z axis -1 opset 21 : tensor<4x70xi8>, tensor<70xf16>, tensor<70xi8> to tensor<4x70xf16>
  return %0 : tensor<4x70xf16>
}

// CHECK-LABEL: func.func @d5_dequantize_i32
func.func @d5_dequantize_i32(%x: tensor<4x7xi32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4x7xf32> {
  // CHECK: arith.subi %{{.+}}, %{{.+}} : i64
  // CHECK: quant_float.cast %{{.+}} opset 28 : i64 to f32
  %0 = quant_float.dequantize %x, %s, %z opset 13 : tensor<4x7xi32>, tensor<f32>, tensor<i32> to tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// Four bits minus their lowest value: bytes are wide enough.
// CHECK-LABEL: func.func @d5_dequantize_i4
func.func @d5_dequantize_i4(%x: tensor<4x7xi4>, %s: tensor<f32>, %z: tensor<i4>) -> tensor<4x7xf32> {
  // CHECK-DAG: %[[MASK:.+]] = arith.constant 15 : i8
  // CHECK-DAG: %[[SIGN:.+]] = arith.constant 8 : i8
  // CHECK: ^bb0(%[[X:.+]]: i8, %{{.+}}: f32, %[[Z:.+]]: i8,
  // CHECK-NEXT: %[[A:.+]] = arith.andi %[[X]], %[[MASK]] : i8
  // CHECK-NEXT: %[[B:.+]] = arith.xori %[[A]], %[[SIGN]] : i8
  // CHECK-NEXT: %[[C:.+]] = arith.andi %[[Z]], %[[MASK]] : i8
  // CHECK-NEXT: %[[D:.+]] = arith.xori %[[C]], %[[SIGN]] : i8
  // CHECK-NEXT: arith.subi %[[B]], %[[D]] : i8
  %0 = quant_float.dequantize %x, %s, %z opset 21 : tensor<4x7xi4>, tensor<f32>, tensor<i4> to tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// Q1: the last block may be partial; where there can be no other one, nothing is divided.
// CHECK-LABEL: func.func @q1_blocked
func.func @q1_blocked(%x: tensor<4x70xf32>, %s: tensor<4x3xf32>, %y: tensor<?x7xf32>, %t: tensor<?x1xf32>) -> (tensor<4x70xf8E4M3FN>, tensor<?x7xui8>) {
  // CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$BLOCK]], #[[$ALL]]]
  // CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$ONE_BLOCK]], #[[$ALL]]]
  %0 = quant_float.quantize %x, %s axis 1 block_size 32 opset 23 : tensor<4x70xf32>, tensor<4x3xf32> to tensor<4x70xf8E4M3FN>
  %1 = quant_float.quantize %y, %t axis 1 block_size 32 opset 23 : tensor<?x7xf32>, tensor<?x1xf32> to tensor<?x7xui8>
  return %0, %1 : tensor<4x70xf8E4M3FN>, tensor<?x7xui8>
}

// Q2: a scalar zero point beside a scale of one element, per axis and in blocks.
// CHECK-LABEL: func.func @q2_one_element
func.func @q2_one_element(%x: tensor<1x?xf32>, %y: tensor<?xf32>, %s: tensor<1xf32>, %z: tensor<i8>) -> (tensor<1x?xi8>, tensor<?xi8>) {
  // CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$ROW]], #[[$ONE]], #[[$ALL]]]
  // CHECK: linalg.generic {indexing_maps = [#[[$VECTOR]], #[[$VECTOR_BLOCK]], #[[$VECTOR_ONE]], #[[$VECTOR]]]
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 13 : tensor<1x?xf32>, tensor<1xf32>, tensor<i8> to tensor<1x?xi8>
  %1 = quant_float.quantize %y, %s, %z axis 0 block_size 64 opset 21 : tensor<?xf32>, tensor<1xf32>, tensor<i8> to tensor<?xi8>
  return %0, %1 : tensor<1x?xi8>, tensor<?xi8>
}

// Rule D6.
// CHECK-LABEL: func.func @d6_qdq
func.func @d6_qdq(%x: tensor<0x70xf32>, %s: tensor<f32>) -> tensor<0x70xf32> {
  // CHECK: ^bb0(%[[X:.+]]: f32, %[[S:.+]]: f32,
  // CHECK-NEXT: %[[Q:.+]] = quant_float.quantize_elements %[[X]], %[[S]] : f32, f32 to f8E4M3FN
  // CHECK-NEXT: %[[D:.+]] = quant_float.cast %[[Q]] opset 28 : f8E4M3FN to f32
  // CHECK-NEXT: arith.mulf %[[D]], %[[S]] : f32
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : tensor<0x70xf32>, tensor<f32> to tensor<0x70xf32>
  return %0 : tensor<0x70xf32>
}
