// The interfaces of casts, tested with the upstream passes that use them.
// RUN: quant-float-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=DIMS
// RUN: quant-float-opt %s --convert-elementwise-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: quant-float-opt %s --cse | FileCheck %s --check-prefix=CSE

// The sizes are those of the input, and no computation is needed.
// DIMS-LABEL: func.func @reify_result_shapes
// DIMS-SAME: (%[[X:.+]]: tensor<?x3xf32>)
func.func @reify_result_shapes(%x: tensor<?x3xf32>) -> (index, index) {
  // DIMS-DAG: %[[THREE:.+]] = arith.constant 3 : index
  // DIMS-DAG: %[[ZERO:.+]] = arith.constant 0 : index
  // DIMS: %[[DIM:.+]] = tensor.dim %[[X]], %[[ZERO]]
  // DIMS-NEXT: return %[[DIM]], %[[THREE]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = quant_float.cast %x opset 19 : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
  %1 = tensor.dim %0, %c0 : tensor<?x3xf8E4M3FN>
  %2 = tensor.dim %0, %c1 : tensor<?x3xf8E4M3FN>
  return %1, %2 : index, index
}

// ElementwiseMappable: upstream maps the op on scalars.
// LINALG-LABEL: func.func @elementwise_mappable
// LINALG-SAME: (%[[X:.+]]: tensor<?xf32>)
func.func @elementwise_mappable(%x: tensor<?xf32>) -> tensor<?xf8E5M2> {
  // LINALG: linalg.generic {{.*}} ins(%[[X]] : tensor<?xf32>)
  // LINALG-NEXT: ^bb0(%[[IN:.+]]: f32, %{{.+}}: f8E5M2):
  // LINALG-NEXT: %[[OUT:.+]] = quant_float.cast %[[IN]] opset 19 saturate false : f32 to f8E5M2
  // LINALG-NEXT: linalg.yield %[[OUT]]
  %0 = quant_float.cast %x opset 19 saturate false : tensor<?xf32> to tensor<?xf8E5M2>
  return %0 : tensor<?xf8E5M2>
}

// Pure: equal casts are merged, and casts that differ in an attribute are not.
// CSE-LABEL: func.func @pure
func.func @pure(%x: f32) -> (f8E5M2, f8E5M2, f8E5M2, f8E5M2) {
  // CSE-NEXT: %[[A:.+]] = quant_float.cast %{{.+}} opset 19 :
  // CSE-NEXT: %[[B:.+]] = quant_float.cast %{{.+}} opset 19 saturate true :
  // CSE-NEXT: %[[C:.+]] = quant_float.cast %{{.+}} opset 24 :
  // CSE-NEXT: return %[[A]], %[[A]], %[[B]], %[[C]]
  %0 = quant_float.cast %x opset 19 : f32 to f8E5M2
  %1 = quant_float.cast %x opset 19 : f32 to f8E5M2
  %2 = quant_float.cast %x opset 19 saturate true : f32 to f8E5M2
  %3 = quant_float.cast %x opset 24 : f32 to f8E5M2
  return %0, %1, %2, %3 : f8E5M2, f8E5M2, f8E5M2, f8E5M2
}

// A node may have any effects: it is kept, used or not.
// CSE-LABEL: func.func @node_is_not_pure
func.func @node_is_not_pure(%x: tensor<f32>) {
  // CSE-COUNT-2: quant_float.node "RandomNormalLike"
  %0 = quant_float.node "RandomNormalLike"(%x) opset 1 : (tensor<f32>) -> tensor<f32>
  %1 = quant_float.node "RandomNormalLike"(%x) opset 1 : (tensor<f32>) -> tensor<f32>
  return
}

// K6: sizes that the scale tells are constants.
// DIMS-LABEL: func.func @reify_fakeconvert
// DIMS-SAME: (%[[X:.+]]: tensor<?x?xf32>
func.func @reify_fakeconvert(%x: tensor<?x?xf32>, %s: tensor<3x1xf32>) -> (index, index) {
  // DIMS-DAG: %[[THREE:.+]] = arith.constant 3 : index
  // DIMS-DAG: %[[ONE:.+]] = arith.constant 1 : index
  // DIMS: %[[DIM:.+]] = tensor.dim %[[X]], %[[ONE]]
  // DIMS-NEXT: return %[[THREE]], %[[DIM]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<?x?xf32>, tensor<3x1xf32> to tensor<3x?xf32>
  %1 = tensor.dim %0, %c0 : tensor<3x?xf32>
  %2 = tensor.dim %0, %c1 : tensor<3x?xf32>
  return %1, %2 : index, index
}
