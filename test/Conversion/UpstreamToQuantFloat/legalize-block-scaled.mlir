// Block-scaled ops that all supported versions of tosa have.
// RUN: quant-float-opt %s --quant-float-legalize-arith -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @cast_from_blocks
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf4E2M1FN>, %[[S:.+]]: tensor<?x2xf8E8M0FNU>
func.func @cast_from_blocks(%x: tensor<?x64xf4E2M1FN>, %s: tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16> {
  // CHECK: quant_float.dequantize %[[X]], %[[S]] axis 1 block_size 32 opset 28 : {{.*}} to tensor<?x64xbf16>
  %0 = "tosa.cast_from_block_scaled"(%x, %s) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<?x64xf4E2M1FN>, tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

// -----

// CHECK-DAG: #[[$A:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$B:.+]] = affine_map<(d0, d1, d2, d3) -> (0, d2, d3)>
// CHECK-DAG: #[[$C:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// CHECK-LABEL: @matmul
// CHECK-SAME: %[[X:.+]]: tensor<2x?x64xf8E4M3FN>, %[[S:.+]]: tensor<2x?x2xf8E8M0FNU>, %[[Y:.+]]: tensor<1x8x64xf8E4M3FN>, %[[T:.+]]: tensor<1x8x2xf8E8M0FNU>
func.func @matmul(%x: tensor<2x?x64xf8E4M3FN>, %s: tensor<2x?x2xf8E8M0FNU>, %y: tensor<1x8x64xf8E4M3FN>, %t: tensor<1x8x2xf8E8M0FNU>) -> tensor<2x4x8xf32> {
  // CHECK: %[[L:.+]] = quant_float.dequantize %[[X]], %[[S]] axis 2 block_size 32 opset 28 : {{.*}} to tensor<2x?x64xf32>
  // CHECK: %[[R:.+]] = quant_float.dequantize %[[Y]], %[[T]] axis 2 block_size 32 opset 28 : {{.*}} to tensor<1x8x64xf32>
  // CHECK: %[[ZERO:.+]] = linalg.fill
  // CHECK: linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[L]], %[[R]] : {{.*}}) outs(%[[ZERO]]
  // CHECK: ^bb0(%[[P:.+]]: f32, %[[Q:.+]]: f32, %[[SUM:.+]]: f32):
  // CHECK: %[[PQ:.+]] = arith.mulf %[[P]], %[[Q]] : f32
  // CHECK: arith.addf %[[SUM]], %[[PQ]] : f32
  // CHECK: tensor.cast %{{.*}} : tensor<2x?x8xf32> to tensor<2x4x8xf32>
  %0 = "tosa.matmul_t_block_scaled"(%x, %s, %y, %t) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<2x?x64xf8E4M3FN>, tensor<2x?x2xf8E8M0FNU>, tensor<1x8x64xf8E4M3FN>, tensor<1x8x2xf8E8M0FNU>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// -----

// CHECK-LABEL: @not_legalized
func.func @not_legalized(%x: tensor<?x4x64xf8E4M3FN>, %s: tensor<?x4x2xf8E8M0FNU>, %m: tensor<*x!tosa.mxint8>, %t: tensor<4x2xf8E8M0FNU>, %u: tensor<*xf8E5M2>, %v: tensor<4x64xf8E5M2>) -> (tensor<?x4x4xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<*xf32>, tensor<4x64xf64>) {
  // CHECK: tosa.matmul_t_block_scaled
  // expected-remark @+1 {{not legalized: the number of matrices of the second operand must be static}}
  %0 = "tosa.matmul_t_block_scaled"(%x, %s, %x, %s) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<?x4x64xf8E4M3FN>, tensor<?x4x2xf8E8M0FNU>, tensor<?x4x64xf8E4M3FN>, tensor<?x4x2xf8E8M0FNU>) -> tensor<?x4x4xf32>
  // expected-remark @+1 {{not legalized: operands must be ranked tensors, but got tensor<*x!tosa.mxint8>}}
  %1 = "tosa.cast_from_block_scaled"(%m, %t) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<*x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>) -> tensor<4x64xf32>
  // CHECK: tosa.cast
  %2 = "tosa.cast"(%v) : (tensor<4x64xf8E5M2>) -> tensor<4x64xf32>
  // expected-remark @+1 {{not legalized: operands must be ranked tensors, but got tensor<*xf8E5M2>}}
  %3 = "tosa.cast_from_block_scaled"(%u, %t) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<*xf8E5M2>, tensor<4x2xf8E8M0FNU>) -> tensor<*xf32>
  // expected-remark @+1 {{not legalized: the result must be a ranked tensor of f16, bf16 or f32, but got tensor<4x64xf64>}}
  %4 = "tosa.cast_from_block_scaled"(%v, %t) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<4x64xf8E5M2>, tensor<4x2xf8E8M0FNU>) -> tensor<4x64xf64>
  return %0, %1, %2, %3, %4 : tensor<?x4x4xf32>, tensor<4x64xf32>, tensor<4x64xf32>, tensor<*xf32>, tensor<4x64xf64>
}

// -----

// The rule for the scales is that of TOSA's specification.
// CHECK-LABEL: @cast_to_blocks
// CHECK-SAME: %[[X:.+]]: tensor<4x64xf32>, %[[Y:.+]]: tensor<2x?x?xbf16>
func.func @cast_to_blocks(%x: tensor<4x64xf32>, %y: tensor<2x?x?xbf16>) -> (tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>, tensor<2x?x?xf4E2M1FN>, tensor<2x?x4xf8E8M0FNU>) {
  // CHECK: %[[Q:.+]], %[[S:.+]] = quant_float.block_quantize %[[X]] block [1, 32] rule {{.*}}tosa : tensor<4x64xf32> to tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>
  %0:2 = "tosa.cast_to_block_scaled"(%x) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<4x64xf32>) -> (tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>)
  // CHECK: %[[P:.+]], %[[T:.+]] = quant_float.block_quantize %[[Y]] block [1, 1, 32] rule {{.*}}tosa : tensor<2x?x?xbf16> to tensor<2x?x?xf4E2M1FN>, tensor<2x?x?xf8E8M0FNU>
  // CHECK: %[[U:.+]] = tensor.cast %[[T]] : tensor<2x?x?xf8E8M0FNU> to tensor<2x?x4xf8E8M0FNU>
  %1:2 = "tosa.cast_to_block_scaled"(%y) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<2x?x?xbf16>) -> (tensor<2x?x?xf4E2M1FN>, tensor<2x?x4xf8E8M0FNU>)
  // CHECK: return %[[Q]], %[[S]], %[[P]], %[[U]]
  return %0#0, %0#1, %1#0, %1#1 : tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>, tensor<2x?x?xf4E2M1FN>, tensor<2x?x4xf8E8M0FNU>
}

// -----

// MXINT8 is i8, also in other ops and in types of functions.
// CHECK-LABEL: @cast_to_integers
// CHECK-SAME: (%[[X:.+]]: tensor<4x64xf16>) -> (tensor<256xi8>, tensor<4x2xf8E8M0FNU>)
func.func @cast_to_integers(%x: tensor<4x64xf16>) -> (tensor<256x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>) {
  // CHECK: %[[Q:.+]], %[[S:.+]] = quant_float.block_quantize %[[X]] block [1, 32] rule {{.*}}tosa : tensor<4x64xf16> to tensor<4x64xi8>, tensor<4x2xf8E8M0FNU>
  %0:2 = "tosa.cast_to_block_scaled"(%x) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<4x64xf16>) -> (tensor<4x64x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>)
  %1 = "tosa.const_shape"() <{values = dense<256> : tensor<1xindex>}> : () -> !tosa.shape<1>
  // CHECK: tosa.reshape %[[Q]], %{{.+}} : (tensor<4x64xi8>, !tosa.shape<1>) -> tensor<256xi8>
  %2 = tosa.reshape %0#0, %1 : (tensor<4x64x!tosa.mxint8>, !tosa.shape<1>) -> tensor<256x!tosa.mxint8>
  return %2, %0#1 : tensor<256x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>
}

// CHECK-LABEL: @cast_from_integers
// CHECK-SAME: %[[X:.+]]: tensor<?x64xi8>, %[[S:.+]]: tensor<?x2xf8E8M0FNU>
func.func @cast_from_integers(%x: tensor<?x64x!tosa.mxint8>, %s: tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16> {
  // CHECK: quant_float.block_dequantize %[[X]], %[[S]] block [1, 32] : tensor<?x64xi8>, tensor<?x2xf8E8M0FNU> to tensor<?x64xbf16>
  %0 = "tosa.cast_from_block_scaled"(%x, %s) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<?x64x!tosa.mxint8>, tensor<?x2xf8E8M0FNU>) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

// CHECK-LABEL: @matmul_of_integers
func.func @matmul_of_integers(%x: tensor<1x4x64x!tosa.mxint8>, %s: tensor<1x4x2xf8E8M0FNU>) -> tensor<1x4x4xf32> {
  // CHECK-COUNT-2: quant_float.block_dequantize {{.*}} block [1, 1, 32] : tensor<1x4x64xi8>, tensor<1x4x2xf8E8M0FNU> to tensor<1x4x64xf32>
  // CHECK: linalg.generic
  %0 = "tosa.matmul_t_block_scaled"(%x, %s, %x, %s) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<1x4x64x!tosa.mxint8>, tensor<1x4x2xf8E8M0FNU>, tensor<1x4x64x!tosa.mxint8>, tensor<1x4x2xf8E8M0FNU>) -> tensor<1x4x4xf32>
  return %0 : tensor<1x4x4xf32>
}

// -----

// The type stays if an op that requires it stays.
// CHECK-LABEL: @cast_to_blocks_not_legalized
func.func @cast_to_blocks_not_legalized(%x: tensor<4x64xf32>, %u: tensor<*xf32>) -> (tensor<4x64x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>, tensor<4x64x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>) {
  // CHECK: tosa.cast_to_block_scaled
  // expected-remark @+1 {{not legalized: the module has another op on !tosa.mxint8 that is not supported}}
  %0:2 = "tosa.cast_to_block_scaled"(%x) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<4x64xf32>) -> (tensor<4x64x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>)
  // expected-remark @+1 {{not legalized: the operand must be a ranked tensor of f16, bf16 or f32, but got tensor<*xf32>}}
  %1:2 = "tosa.cast_to_block_scaled"(%u) <{block_size = #tosa.block_size<BLOCK_SIZE_32>}> : (tensor<*xf32>) -> (tensor<4x64x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<4x64x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>, tensor<4x64x!tosa.mxint8>, tensor<4x2xf8E8M0FNU>
}
