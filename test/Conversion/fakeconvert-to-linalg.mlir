// One loop nest with broadcasting maps. bf16 is stored as bits here, and is left to the other pass.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg | FileCheck %s --check-prefixes=CHECK,STORAGE
// RUN: quant-float-opt %s --quant-float-decompose-fakeconvert | FileCheck %s --check-prefixes=CHECK,VALUES

// CHECK-DAG: #[[$ALL3:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$MIDDLE:.+]] = affine_map<(d0, d1, d2) -> (d1, 0)>
// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$LAST:.+]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-DAG: #[[$ONE:.+]] = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic
// CHECK-SAME: indexing_maps = [#[[$ALL3]], #[[$MIDDLE]], #[[$MIDDLE]], #[[$ALL3]]]
// STORAGE-SAME: ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x3x?xi16>, tensor<3x1xi16>, tensor<3x1xi16>) outs(%{{.+}} : tensor<?x3x?xi16>)
// VALUES-SAME: ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x3x?xbf16>, tensor<3x1xbf16>, tensor<3x1xbf16>) outs(%{{.+}} : tensor<?x3x?xbf16>)
// CHECK: arith.mulf
// CHECK: arith.subf
// CHECK: quant_float.cast %{{.+}} opset 28 : f32 to f8E4M3FN
// CHECK: quant_float.cast %{{.+}} opset 28 : f8E4M3FN to f32
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: quant_float.cast %{{.+}} opset 28 : f32 to bf16
// CHECK-NOT: linalg.generic
func.func @broadcast(%x: tensor<?x3x?xbf16>, %s: tensor<3x1xbf16>, %t: tensor<3x1xbf16>) -> tensor<?x3x?xbf16> {
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN opset 13 : tensor<?x3x?xbf16>, tensor<3x1xbf16>, tensor<3x1xbf16> to tensor<?x3x?xbf16>
  return %0 : tensor<?x3x?xbf16>
}

// K6: the scale knows what the input does not.
// CHECK-LABEL: func.func @learns_sizes
// CHECK: tensor.empty(%{{[^,]+}}) : tensor<?x40xf32>
// CHECK: linalg.generic
// CHECK-SAME: indexing_maps = [#[[$ALL]], #[[$LAST]], #[[$ALL]]]
// CHECK-SAME: outs(%{{.+}} : tensor<?x40xf32>)
func.func @learns_sizes(%x: tensor<?x?xf32>, %s: tensor<1x40xf32>) -> tensor<?x40xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<?x?xf32>, tensor<1x40xf32> to tensor<?x40xf32>
  return %0 : tensor<?x40xf32>
}

// CHECK-LABEL: func.func @forgets_sizes
// CHECK: %[[Y:.+]] = linalg.generic
// CHECK-SAME: indexing_maps = [#[[$ALL]], #[[$ONE]], #[[$ALL]]]
// CHECK: tensor.cast %[[Y]] : tensor<2x40xf32> to tensor<2x?xf32>
func.func @forgets_sizes(%x: tensor<2x40xf32>, %s: tensor<f32>) -> tensor<2x?xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<2x40xf32>, tensor<f32> to tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// A dynamic size is assumed to be that of the input.
// CHECK-LABEL: func.func @dynamic_sizes
// CHECK: linalg.generic
// CHECK-SAME: indexing_maps = [#[[$ALL]], #[[$ALL]], #[[$ALL]]]
func.func @dynamic_sizes(%x: tensor<?x?xf32>, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<?x?xf32>, tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
