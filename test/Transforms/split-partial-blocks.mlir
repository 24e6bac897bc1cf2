// RUN: quant-float-opt %s --quant-float-split-partial-blocks --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @static(
// CHECK-SAME:    %[[X:.+]]: tensor<4x70xf32>
// CHECK:         %[[A:.+]] = tensor.extract_slice %[[X]][0, 0] [4, 64] [1, 1]
// CHECK:         %[[QA:.+]], %[[SA:.+]] = quant_float.block_quantize %[[A]] block [1, 32] rule {{.*}}floor : tensor<4x64xf32> to tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU>
// CHECK:         %[[B:.+]] = tensor.extract_slice %[[X]][0, 64] [4, 6] [1, 1]
// CHECK:         %[[QB:.+]], %[[SB:.+]] = quant_float.block_quantize %[[B]] block [1, 32] rule {{.*}}floor : tensor<4x6xf32> to tensor<4x6xf8E4M3FN>, tensor<4x1xf8E8M0FNU>
// CHECK:         tensor.insert_slice %[[QA]] into %{{.+}}[0, 0] [4, 64] [1, 1]
// CHECK:         %[[Q:.+]] = tensor.insert_slice %[[QB]] into %{{.+}}[0, 64] [4, 6] [1, 1]
// CHECK:         tensor.insert_slice %[[SA]] into %{{.+}}[0, 0] [4, 2] [1, 1]
// CHECK:         %[[S:.+]] = tensor.insert_slice %[[SB]] into %{{.+}}[0, 2] [4, 1] [1, 1]
// CHECK:         return %[[Q]], %[[S]]
func.func @static(%x: tensor<4x70xf32>) -> (tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU>) {
  %q, %s = quant_float.block_quantize %x block [1, 32] rule floor : tensor<4x70xf32> to tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU>
  return %q, %s : tensor<4x70xf8E4M3FN>, tensor<4x3xf8E8M0FNU>
}

// The random bits are split in the same way.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?xf32>, %[[T:.+]]: tensor<f32>, %[[R:.+]]: tensor<?x?xui8>
// CHECK:         affine.apply {{.*}}()[%[[SIZE:.+]]]
// CHECK:         %[[FULL:.+]] = affine.apply {{.*}}()[%[[SIZE]]]
// CHECK:         tensor.extract_slice %[[X]][0, 0] [%{{.+}}, %[[FULL]]] [1, 1]
// CHECK:         tensor.extract_slice %[[R]][0, 0] [%{{.+}}, %[[FULL]]] [1, 1]
// CHECK:         quant_float.block_quantize %{{.+}} tensor_scale(%[[T]] : tensor<f32>) block [1, 16] rule {{.*}}model_optimizer round_mode {{.*}}stochastic random(
// CHECK:         quant_float.block_quantize %{{.+}} tensor_scale(%[[T]] : tensor<f32>) block [1, 16] rule {{.*}}model_optimizer round_mode {{.*}}stochastic random(
func.func @dynamic(%x: tensor<?x?xf32>, %t: tensor<f32>, %r: tensor<?x?xui8>) -> (tensor<?x?xf4E2M1FN>, tensor<?x?xf8E4M3FN>) {
  %q, %s = quant_float.block_quantize %x tensor_scale(%t : tensor<f32>) block [1, 16] rule model_optimizer round_mode stochastic random(%r : tensor<?x?xui8>)
    : tensor<?x?xf32> to tensor<?x?xf4E2M1FN>, tensor<?x?xf8E4M3FN>
  return %q, %s : tensor<?x?xf4E2M1FN>, tensor<?x?xf8E4M3FN>
}

// Four parts.
// CHECK-LABEL: func.func @two_dims(
// CHECK-COUNT-4: quant_float.block_quantize
// CHECK-NOT:     quant_float.block_quantize
func.func @two_dims(%x: tensor<200x300xf32>) -> (tensor<200x300xf8E4M3FN>, tensor<2x3xf32>) {
  %q, %s = quant_float.block_quantize %x block [128, 128] rule deepgemm : tensor<200x300xf32> to tensor<200x300xf8E4M3FN>, tensor<2x3xf32>
  return %q, %s : tensor<200x300xf8E4M3FN>, tensor<2x3xf32>
}

// One partial block, full blocks, entire rows, and a computed scale of the tensor.
// CHECK-LABEL: func.func @unchanged(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
func.func @unchanged(%x: tensor<4x20xf32>, %y: tensor<?x64xf32>, %z: tensor<4x?xf32>, %w: tensor<4x70xf32>)
    -> (tensor<4x20xi8>, tensor<4x1xf8E8M0FNU>, tensor<?x64xi8>, tensor<?x2xf8E8M0FNU>,
        tensor<4x?xi8>, tensor<4x1xf32>, tensor<4x70xf4E2M1FN>, tensor<4x5xf8E4M3FN>, tensor<f32>) {
  %a:2 = quant_float.block_quantize %x block [1, 32] rule floor : tensor<4x20xf32> to tensor<4x20xi8>, tensor<4x1xf8E8M0FNU>
  %b:2 = quant_float.block_quantize %y block [1, 32] rule floor : tensor<?x64xf32> to tensor<?x64xi8>, tensor<?x2xf8E8M0FNU>
  %c:2 = quant_float.block_quantize %z block [1, -1] rule absmax : tensor<4x?xf32> to tensor<4x?xi8>, tensor<4x1xf32>
  %d:3 = quant_float.block_quantize %w block [1, 16] rule torchao : tensor<4x70xf32> to tensor<4x70xf4E2M1FN>, tensor<4x5xf8E4M3FN>, tensor<f32>
  return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1, %d#0, %d#1, %d#2
    : tensor<4x20xi8>, tensor<4x1xf8E8M0FNU>, tensor<?x64xi8>, tensor<?x2xf8E8M0FNU>,
      tensor<4x?xi8>, tensor<4x1xf32>, tensor<4x70xf4E2M1FN>, tensor<4x5xf8E4M3FN>, tensor<f32>
}
