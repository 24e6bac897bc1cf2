// Ops on blocks as linalg: a reduction of the bits of magnitudes, and elementwise ops whose maps select the scale of the block.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg --split-input-file | FileCheck %s

// Partial blocks are padded with zeros.
// CHECK-DAG: #[[$EXPANDED:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$REDUCED:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$BLOCKS:.+]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-LABEL: func.func @partial
// CHECK: tensor.pad %{{.+}} low[0, 0] high[0, 26]
// CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [4, 3, 32]
// CHECK: linalg.generic {indexing_maps = [#[[$EXPANDED]], #[[$REDUCED]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: %[[BITS:.+]] = arith.bitcast %{{.+}} : f32 to i32
// CHECK: %[[MAGNITUDE:.+]] = arith.andi %[[BITS]]
// CHECK: arith.maxui %[[MAGNITUDE]]
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[$BLOCKS]], #{{.+}}], iterator_types = ["parallel", "parallel"]}
// CHECK: quant_float.quantize_elements %{{.+}} : f32, f32 to f8E5M2
func.func @partial(%x: tensor<4x70xf32>) -> (tensor<4x70xf8E5M2>, tensor<4x3xf8E8M0FNU>) {
  %q, %s = quant_float.block_quantize %x block [1, 32] rule floor : tensor<4x70xf32> to tensor<4x70xf8E5M2>, tensor<4x3xf8E8M0FNU>
  return %q, %s : tensor<4x70xf8E5M2>, tensor<4x3xf8E8M0FNU>
}

// -----

// A dimension of one block is reduced as it is.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: tensor.pad
// CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [%{{.+}}, 1, %{{.+}}]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.+}} : tensor<?x1x?xf16>) outs(%{{.+}} : tensor<?x1xi16>)
func.func @whole(%x: tensor<?x?xf16>) -> tensor<?x1xf16> {
  %a = quant_float.block_amax %x block [1, -1] : tensor<?x?xf16> to tensor<?x1xf16>
  return %a : tensor<?x1xf16>
}

// -----

// Infinities, NaN and the padding have the lowest key, 0, which becomes NaN.
// CHECK-LABEL: func.func @finite
// CHECK: tensor.pad
// CHECK: tensor.yield %[[NAN:.+]] : f16
// CHECK: linalg.generic
// CHECK: %[[IS_FINITE:.+]] = arith.cmpi ult, %[[BITS:.+]], %{{.+}} : i16
// CHECK: %[[NEXT:.+]] = arith.addi %[[BITS]], %{{.+}} : i16
// CHECK: %[[KEY:.+]] = arith.select %[[IS_FINITE]], %[[NEXT]], %{{.+}} : i16
// CHECK: arith.maxui %[[KEY]], %{{.+}} : i16
// CHECK: linalg.generic
// CHECK: %[[HAS_NONE:.+]] = arith.cmpi eq, %[[MAX:.+]], %{{.+}} : i16
// CHECK: %[[PREVIOUS:.+]] = arith.subi %[[MAX]], %{{.+}} : i16
// CHECK: arith.select %[[HAS_NONE]], %{{.+}}, %[[PREVIOUS]] : i16
func.func @finite(%x: tensor<4x50xf16>) -> tensor<4x2xf16> {
  %a = quant_float.block_amax %x block [1, 32] finite : tensor<4x50xf16> to tensor<4x2xf16>
  return %a : tensor<4x2xf16>
}

// -----

// CHECK-DAG: #[[$BLOCKS:.+]] = affine_map<(d0, d1) -> (d0 floordiv 128, d1 floordiv 128)>
// CHECK-DAG: #[[$NONE:.+]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @dequantize
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[$BLOCKS]], #[[$NONE]], #{{.+}}]
// CHECK: arith.mulf
// CHECK: arith.mulf
func.func @dequantize(%q: tensor<?x?xi8>, %s: tensor<?x?xbf16>, %t: tensor<f32>) -> tensor<?x?xf32> {
  %y = quant_float.block_dequantize %q, %s tensor_scale(%t : tensor<f32>) block [128, 128] : tensor<?x?xi8>, tensor<?x?xbf16> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// A layout splits padded dimensions and permutes the parts.
// CHECK-DAG: #[[$SOURCE:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-DAG: #[[$RESULT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @layouts
// CHECK: tensor.pad %{{.+}} low[0, 0] high[2, 3]
// CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0, 1], [2, 3]] output_shape [1, 8, 2, 4]
// CHECK: linalg.generic {indexing_maps = [#[[$SOURCE]], #[[$RESULT]]]
// CHECK: tensor.collapse_shape %{{.+}} {{\[\[}}0, 1, 2, 3]] : tensor<1x2x8x4xf8E4M3FN> into tensor<64xf8E4M3FN>
// CHECK: tensor.expand_shape
// CHECK: linalg.generic
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice %{{.+}}[0, 0] [6, 5] [1, 1]
func.func @layouts(%s: tensor<6x5xf8E4M3FN>, %p: tensor<64xf8E4M3FN>) -> (tensor<64xf8E4M3FN>, tensor<6x5xf8E4M3FN>) {
  %0 = quant_float.pack_scales %s layout tile_8x4 : tensor<6x5xf8E4M3FN> to tensor<64xf8E4M3FN>
  %1 = quant_float.unpack_scales %p layout tile_8x4 : tensor<64xf8E4M3FN> to tensor<6x5xf8E4M3FN>
  return %0, %1 : tensor<64xf8E4M3FN>, tensor<6x5xf8E4M3FN>
}
