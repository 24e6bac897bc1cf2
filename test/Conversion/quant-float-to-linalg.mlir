// RUN: quant-float-opt %s --convert-quant-float-to-linalg | FileCheck %s

// CHECK-DAG: #[[$MAP0:.+]] = affine_map<() -> ()>
// CHECK-DAG: #[[$MAP1:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$MAP2:.+]] = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:.+]]: tensor<?x3xf32> {quant_float.element_type = f32, quant_float.name = "x"})
// CHECK-SAME: -> (tensor<?x3xf8E4M3FN> {quant_float.element_type = f8E4M3FN, quant_float.name = "y"})
func.func @dynamic(%x: tensor<?x3xf32> {quant_float.name = "x"})
    -> (tensor<?x3xf8E4M3FN> {quant_float.name = "y"}) {
  // CHECK: %[[ZERO:.+]] = arith.constant 0 : index
  // CHECK: %[[SIZE:.+]] = tensor.dim %[[X]], %[[ZERO]]
  // CHECK: %[[EMPTY:.+]] = tensor.empty(%[[SIZE]]) : tensor<?x3xf8E4M3FN>
  // CHECK: %[[Y:.+]] = linalg.generic {indexing_maps = [#[[$MAP2]], #[[$MAP2]]], iterator_types = ["parallel", "parallel"]}
  // CHECK-SAME: ins(%[[X]] : tensor<?x3xf32>) outs(%[[EMPTY]] : tensor<?x3xf8E4M3FN>)
  // CHECK-NEXT: ^bb0(%[[IN:.+]]: f32, %{{.+}}: f8E4M3FN):
  // CHECK-NEXT: %[[OUT:.+]] = quant_float.cast %[[IN]] opset 19 saturate false : f32 to f8E4M3FN
  // CHECK-NEXT: linalg.yield %[[OUT]] : f8E4M3FN
  // CHECK: return %[[Y]]
  %0 = quant_float.cast %x opset 19 saturate false : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
  return %0 : tensor<?x3xf8E4M3FN>
}

// CHECK-LABEL: func.func @static
func.func @static(%x: tensor<2x3xf16>) -> tensor<2x3xf8E8M0FNU> {
  // CHECK: tensor.empty() : tensor<2x3xf8E8M0FNU>
  // CHECK: quant_float.cast %{{.+}} like opset 24 saturate true round_mode nearest : f16 to f8E8M0FNU
  %0 = quant_float.cast %x like opset 24 saturate true round_mode nearest : tensor<2x3xf16> to tensor<2x3xf8E8M0FNU>
  return %0 : tensor<2x3xf8E8M0FNU>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f32>) -> tensor<f16> {
  // CHECK: linalg.generic {indexing_maps = [#[[$MAP0]], #[[$MAP0]]], iterator_types = []}
  // CHECK: quant_float.cast %{{.+}} opset 13 : f32 to f16
  %0 = quant_float.cast %x opset 13 : tensor<f32> to tensor<f16>
  return %0 : tensor<f16>
}

// CHECK-LABEL: func.func @zero_sized
func.func @zero_sized(%x: tensor<0x?xf32>) -> tensor<0x?xf16> {
  // CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<0x?xf32>)
  %0 = quant_float.cast %x opset 13 : tensor<0x?xf32> to tensor<0x?xf16>
  return %0 : tensor<0x?xf16>
}

// Unsigned and sub-byte elements change to their storage type, on whole tensors. The signature
// records the original types.

// CHECK-LABEL: func.func @storage
// CHECK-SAME: (%[[X:.+]]: tensor<?xi8> {quant_float.element_type = ui4})
// CHECK-SAME: -> (tensor<?xi8> {quant_float.element_type = f4E2M1FN})
func.func @storage(%x: tensor<?xui4>) -> tensor<?xf4E2M1FN> {
  // CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<?xi8>) outs(%{{.+}} : tensor<?xi8>)
  // CHECK-NEXT: ^bb0(%[[IN:.+]]: i8, %{{.+}}: i8):
  // CHECK-NEXT: %[[A:.+]] = quant_float.storage_cast %[[IN]] : i8 to ui4
  // CHECK-NEXT: %[[B:.+]] = quant_float.cast %[[A]] opset 23 : ui4 to f4E2M1FN
  // CHECK-NEXT: %[[C:.+]] = quant_float.storage_cast %[[B]] : f4E2M1FN to i8
  // CHECK-NEXT: linalg.yield %[[C]] : i8
  %0 = quant_float.cast %x opset 23 : tensor<?xui4> to tensor<?xf4E2M1FN>
  return %0 : tensor<?xf4E2M1FN>
}

// CHECK-LABEL: func.func @storage_types
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = i1}
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = i2}
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = i4}
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = i8}
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = ui2}
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = ui8}
// CHECK-SAME: tensor<1xi16> {quant_float.element_type = ui16}
// CHECK-SAME: tensor<1xi32> {quant_float.element_type = ui32}
// CHECK-SAME: tensor<1xi64> {quant_float.element_type = ui64}
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = f6E2M3FN}
// CHECK-SAME: tensor<1xi8> {quant_float.element_type = f6E3M2FN}
// CHECK-SAME: tensor<1xf8E5M2> {quant_float.element_type = f8E5M2}
// CHECK-SAME: tensor<1xi16> {quant_float.element_type = bf16}
func.func @storage_types(%a: tensor<1xi1>, %b: tensor<1xi2>, %c: tensor<1xi4>, %d: tensor<1xi8>,
                         %e: tensor<1xui2>, %f: tensor<1xui8>, %g: tensor<1xui16>,
                         %h: tensor<1xui32>, %i: tensor<1xui64>, %j: tensor<1xf6E2M3FN>,
                         %k: tensor<1xf6E3M2FN>, %l: tensor<1xf8E5M2>, %m: tensor<1xbf16>) {
  return
}

// The element type is recorded for functions that are visible to external callers.
// CHECK-LABEL: func.func private @private
// CHECK-SAME: (%{{.+}}: tensor<4xi8>) -> tensor<4xi8>
func.func private @private(%x: tensor<4xui8>) -> tensor<4xui8> {
  return %x : tensor<4xui8>
}

// CHECK-LABEL: func.func @elements_are_moved
func.func @elements_are_moved(%x: tensor<?xui8>, %n: index, %one: ui8) -> (tensor<?xui8>, ui8, tensor<2xui8>) {
  // CHECK: %[[A:.+]] = call @private(%{{.+}}) : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: %[[B:.+]] = tensor.extract_slice %[[A]][0] [%{{.+}}] [1] : tensor<4xi8> to tensor<?xi8>
  // CHECK: %[[C:.+]] = tensor.extract %[[A]][%{{.+}}] : tensor<4xi8>
  // CHECK: %[[D:.+]] = quant_float.storage_cast %[[C]] : i8 to ui8
  // CHECK: %[[E:.+]] = quant_float.storage_cast %{{.+}} : ui8 to i8
  // CHECK: %[[F:.+]] = quant_float.storage_cast %{{.+}} : ui8 to i8
  // CHECK: %[[G:.+]] = tensor.from_elements %[[E]], %[[F]] : tensor<2xi8>
  // CHECK: return %[[B]], %[[D]], %[[G]]
  %0 = tensor.cast %x : tensor<?xui8> to tensor<4xui8>
  %1 = call @private(%0) : (tensor<4xui8>) -> tensor<4xui8>
  %2 = tensor.extract_slice %1[0] [%n] [1] : tensor<4xui8> to tensor<?xui8>
  %3 = tensor.extract %1[%n] : tensor<4xui8>
  %4 = tensor.from_elements %one, %one : tensor<2xui8>
  return %2, %3, %4 : tensor<?xui8>, ui8, tensor<2xui8>
}

// A dynamic result with a static input.
// CHECK-LABEL: func.func @v8_forgets_sizes
func.func @v8_forgets_sizes(%x: tensor<4xf32>) -> tensor<?xf16> {
  // CHECK: %[[Y:.+]] = linalg.generic
  // CHECK: tensor.cast %[[Y]] : tensor<4xf16> to tensor<?xf16>
  %0 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<?xf16>
  return %0 : tensor<?xf16>
}

// Constants: one value for each element of the storage type, with i4 and i2 sign-extended.

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<3xui8>, tensor<3xi4>, tensor<2xf6E2M3FN>, tensor<2x2xi1>, tensor<2xf8E4M3FN>, tensor<9xui2>) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<[1, -56, -1]> : tensor<3xi8>
  // CHECK-DAG: %[[B:.+]] = arith.constant dense<[-8, 7, -1]> : tensor<3xi8>
  // CHECK-DAG: %[[C:.+]] = arith.constant dense<[31, 33]> : tensor<2xi8>
  // CHECK-DAG: %[[D:.+]] = arith.constant dense<{{\[}}[1, 0], [0, 1]]> : tensor<2x2xi8>
  // CHECK-DAG: %[[E:.+]] = arith.constant dense<[7.500000e+00, -1.250000e-01]> : tensor<2xf8E4M3FN>
  // CHECK-DAG: %[[F:.+]] = arith.constant dense<3> : tensor<9xi8>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]]
  %0 = quant_float.constant dense<[1, 200, 255]> : tensor<3xui8>
  %1 = arith.constant dense<[-8, 7, -1]> : tensor<3xi4>
  %2 = arith.constant dense<[7.5, -0.125]> : tensor<2xf6E2M3FN>
  %3 = arith.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %4 = arith.constant dense<[7.5, -0.125]> : tensor<2xf8E4M3FN>
  %5 = quant_float.constant dense<3> : tensor<9xui2>
  return %0, %1, %2, %3, %4, %5 : tensor<3xui8>, tensor<3xi4>, tensor<2xf6E2M3FN>, tensor<2x2xi1>, tensor<2xf8E4M3FN>, tensor<9xui2>
}

// Resources are stored in whole bytes already: the same bytes with another type.
// CHECK-LABEL: func.func @resources
func.func @resources() -> (tensor<4xui4>, tensor<2xui16>, tensor<2xf32>) {
  // CHECK-DAG: arith.constant dense_resource<nibbles> : tensor<4xi8>
  // CHECK-DAG: arith.constant dense_resource<words> : tensor<2xi16>
  // CHECK-DAG: arith.constant dense_resource<floats> : tensor<2xf32>
  %0 = quant_float.constant dense_resource<nibbles> : tensor<4xui4>
  %1 = quant_float.constant dense_resource<words> : tensor<2xui16>
  %2 = arith.constant dense_resource<floats> : tensor<2xf32>
  return %0, %1, %2 : tensor<4xui4>, tensor<2xui16>, tensor<2xf32>
}

// The next conversion handles scalars and vectors.
// CHECK-LABEL: func.func @scalars_and_vectors
// CHECK-SAME: (%{{.+}}: f32, %{{.+}}: vector<4xf32>) -> (ui8, vector<4xui4>)
func.func @scalars_and_vectors(%x: f32, %y: vector<4xf32>) -> (ui8, vector<4xui4>) {
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : f32 to ui8
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 21 : vector<4xf32> to vector<4xui4>
  %0 = quant_float.cast %x opset 21 : f32 to ui8
  %1 = quant_float.cast %y opset 21 : vector<4xf32> to vector<4xui4>
  return %0, %1 : ui8, vector<4xui4>
}

{-#
  dialect_resources: {
    builtin: {
      nibbles: "0x01000000000f0102",
      words: "0x0200000001000200",
      floats: "0x040000000000803f00000040"
    }
  }
#-}
