// REQUIRES: llvm-at-least-24
// RUN: quant-float-opt %s --quant-float-legalize-arith -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-DAG: #[[$SCALE:.+]] = affine_map<(d0, d1) -> (d0 floordiv 32, d1 floordiv 128)>
// CHECK-DAG: #[[$MK:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$NK:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$MN:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// Blocks in two dimensions, and a scale for each row.
// CHECK-LABEL: @blocks_and_rows
// CHECK-SAME: %[[A:.+]]: tensor<200x512xf8E5M2>, %[[S:.+]]: tensor<7x4xf8E8M0FNU>, %[[B:.+]]: tensor<128x512xf8E5M2>, %[[T:.+]]: tensor<128xf32>, %[[C:.+]]: tensor<200x128xf32>
func.func @blocks_and_rows(%a: tensor<200x512xf8E5M2>, %s: tensor<7x4xf8E8M0FNU>, %b: tensor<128x512xf8E5M2>, %t: tensor<128xf32>, %c: tensor<200x128xf32>) -> tensor<200x128xf32> {
  // CHECK: %[[L:.+]] = linalg.generic {indexing_maps = [#{{.+}}, #[[$SCALE]], #{{.+}}], iterator_types = ["parallel", "parallel"]} ins(%[[A]], %[[S]]
  // CHECK: %[[X:.+]] = quant_float.cast %{{.*}} : f8E5M2 to f32
  // CHECK: %[[Y:.+]] = quant_float.cast %{{.*}} : f8E8M0FNU to f32
  // CHECK: arith.mulf %[[X]], %[[Y]] : f32
  // CHECK: %[[R:.+]] = quant_float.dequantize %[[B]], %[[T]] axis 0 opset 28 : {{.*}} to tensor<128x512xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[$MK]], #[[$NK]], #[[$MN]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[L]], %[[R]] : {{.*}}) outs(%[[C]]
  // CHECK: ^bb0(%[[P:.+]]: f32, %[[Q:.+]]: f32, %[[SUM:.+]]: f32):
  // CHECK: %[[PQ:.+]] = arith.mulf %[[P]], %[[Q]] : f32
  // CHECK: arith.addf %[[SUM]], %[[PQ]] : f32
  // CHECK-NOT: linalg.scaled_contract
  %d = linalg.scaled_contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (m floordiv 32, k floordiv 128)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (n)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %s, %b, %t : tensor<200x512xf8E5M2>, tensor<7x4xf8E8M0FNU>, tensor<128x512xf8E5M2>, tensor<128xf32>)
      outs(%c : tensor<200x128xf32>) -> tensor<200x128xf32>
  return %d : tensor<200x128xf32>
}

// -----

// CHECK-LABEL: @expanded_blocks
// CHECK-SAME: %[[A:.+]]: tensor<?x2x32xf4E2M1FN>, %[[S:.+]]: tensor<?x2xf8E8M0FNU>, %[[B:.+]]: tensor<8x2x32xf4E2M1FN>, %[[T:.+]]: tensor<f32>
func.func @expanded_blocks(%a: tensor<?x2x32xf4E2M1FN>, %s: tensor<?x2xf8E8M0FNU>, %b: tensor<8x2x32xf4E2M1FN>, %t: tensor<f32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[X:.+]] = tensor.collapse_shape %[[A]] {{\[\[}}0], [1, 2]]
  // CHECK: %[[Y:.+]] = tensor.collapse_shape %[[B]] {{\[\[}}0], [1, 2]]
  // CHECK: quant_float.dequantize %[[X]], %[[S]] axis 1 block_size 32 opset 28
  // CHECK: quant_float.dequantize %[[Y]], %[[T]] opset 28
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
  %d = linalg.scaled_contract
      indexing_maps = [affine_map<(m, n, o, k) -> (m, o, k)>,
                       affine_map<(m, n, o, k) -> (m, o)>,
                       affine_map<(m, n, o, k) -> (n, o, k)>,
                       affine_map<(m, n, o, k) -> ()>,
                       affine_map<(m, n, o, k) -> (m, n)>]
      ins(%a, %s, %b, %t : tensor<?x2x32xf4E2M1FN>, tensor<?x2xf8E8M0FNU>, tensor<8x2x32xf4E2M1FN>, tensor<f32>)
      outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %d : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @promoted_to_bf16
func.func @promoted_to_bf16(%a: tensor<4x64xi8>, %s: tensor<bf16>, %b: tensor<64x8xf4E2M1FN>, %t: tensor<8x4xf8E4M3FN>, %c: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // CHECK: arith.uitofp %{{.*}} : i8 to bf16
  // CHECK: arith.mulf %{{.*}} : bf16
  // CHECK: quant_float.cast %{{.*}} : f4E2M1FN to bf16
  // CHECK: quant_float.cast %{{.*}} : f8E4M3FN to bf16
  // CHECK: arith.mulf %{{.*}} : bf16
  // CHECK: arith.addf %{{.*}} : bf16
  %d = linalg.scaled_contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> ()>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (n, k floordiv 16)>,
                       affine_map<(m, n, k) -> (m, n)>]
      {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %s, %b, %t : tensor<4x64xi8>, tensor<bf16>, tensor<64x8xf4E2M1FN>, tensor<8x4xf8E4M3FN>)
      outs(%c : tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %d : tensor<4x8xbf16>
}

// -----

func.func @memrefs(%a: memref<4x64xf8E5M2>, %s: memref<4x2xf8E8M0FNU>, %b: memref<8x64xf8E5M2>, %t: memref<8x2xf8E8M0FNU>, %c: memref<4x8xf32>) {
  // expected-remark @+1 {{not legalized: operands must be ranked tensors, but got memref<4x64xf8E5M2>}}
  linalg.scaled_contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (m, k floordiv 32)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (n, k floordiv 32)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %s, %b, %t : memref<4x64xf8E5M2>, memref<4x2xf8E8M0FNU>, memref<8x64xf8E5M2>, memref<8x2xf8E8M0FNU>)
      outs(%c : memref<4x8xf32>)
  return
}
