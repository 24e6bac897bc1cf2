// Shape arithmetic, reshapes and data movement.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg --canonicalize --cse | FileCheck %s

// The usual pattern that keeps a batch dimension becomes a single collapse.
// CHECK-LABEL: func.func @flatten_by_shape(
// CHECK-SAME: -> tensor<?x12xf32>
// CHECK-NEXT: %[[R:.+]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2]] : tensor<?x3x4xf32> into tensor<?x12xf32>
// CHECK-NEXT: return %[[R]]
func.func @flatten_by_shape(%x: tensor<?x3x4xf32>) -> !quant_float.unknown {
  %zero = arith.constant dense<0> : tensor<i64>
  %axes = arith.constant dense<0> : tensor<1xi64>
  %rest = arith.constant dense<-1> : tensor<1xi64>
  %0 = quant_float.node "Shape"(%x) opset 13 : (tensor<?x3x4xf32>) -> tensor<*xi64>
  %1 = quant_float.node "Gather"(%0, %zero) opset 13 attributes {axis = 0 : i64} : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %2 = quant_float.node "Unsqueeze"(%1, %axes) opset 13 : (tensor<*xi64>, tensor<1xi64>) -> tensor<*xi64>
  %3 = quant_float.node "Concat"(%2, %rest) opset 13 attributes {axis = 0 : i64} : (tensor<*xi64>, tensor<1xi64>) -> tensor<*xi64>
  %4 = quant_float.node "Reshape"(%x, %3) opset 13 : (tensor<?x3x4xf32>, tensor<*xi64>) -> !quant_float.unknown
  return %4 : !quant_float.unknown
}

// Arithmetic on sizes, casts included: 3 * 4 / 2 = 6.
// CHECK-LABEL: func.func @arithmetic(
// CHECK-SAME: -> tensor<6xi32>
// CHECK: tensor.collapse_shape
func.func @arithmetic(%x: tensor<3x2xi32>, %y: tensor<?x3x4xf32>) -> tensor<*xi32> {
  %start = arith.constant dense<1> : tensor<1xi64>
  %end = arith.constant dense<9223372036854775807> : tensor<1xi64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %axes = arith.constant dense<0> : tensor<1xi64>
  %0 = quant_float.node "Shape"(%y) opset 13 : (tensor<?x3x4xf32>) -> tensor<*xi64>
  %1 = quant_float.node "Slice"(%0, %start, %end) opset 13 : (tensor<*xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  %2 = quant_float.node "Gather"(%1, %zero) opset 13 : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %3 = quant_float.node "Gather"(%1, %one) opset 13 : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %4 = quant_float.node "Mul"(%2, %3) opset 13 : (tensor<*xi64>, tensor<*xi64>) -> tensor<*xi64>
  %5 = quant_float.node "Div"(%4, %two) opset 13 : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %6 = quant_float.node "Cast"(%5) opset 13 attributes {to = 6 : i64} : (tensor<*xi64>) -> tensor<*xi32>
  %7 = quant_float.node "Cast"(%6) opset 13 attributes {to = 7 : i64} : (tensor<*xi32>) -> tensor<*xi64>
  %8 = quant_float.node "Unsqueeze"(%7, %axes) opset 13 : (tensor<*xi64>, tensor<1xi64>) -> tensor<*xi64>
  %9 = quant_float.node "Reshape"(%x, %8) opset 13 : (tensor<3x2xi32>, tensor<*xi64>) -> tensor<*xi32>
  return %9 : tensor<*xi32>
}

// 0 copies a size, unless allowzero makes it an actual size of zero.
// CHECK-LABEL: func.func @reshape_zero(
// CHECK-SAME: -> (tensor<?x2x3xf32>, tensor<0x7xf32>)
func.func @reshape_zero(%x: tensor<?x6xf32>, %y: tensor<3x0xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %shape = arith.constant dense<[0, 2, 3]> : tensor<3xi64>
  %empty = arith.constant dense<[0, 7]> : tensor<2xi64>
  %0 = quant_float.node "Reshape"(%x, %shape) opset 13 : (tensor<?x6xf32>, tensor<3xi64>) -> tensor<*xf32>
  %1 = quant_float.node "Reshape"(%y, %empty) opset 14 attributes {allowzero = 1 : i64} : (tensor<3x0xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %0, %1 : tensor<*xf32>, tensor<*xf32>
}

// A -1 next to a copied 0, which does not determine the other sizes.
// CHECK-LABEL: func.func @reshape_copied_zero(
// CHECK-SAME: -> (tensor<0x4xf32>, tensor<3x0x7xf32>)
func.func @reshape_copied_zero(%x: tensor<0x4xf32>, %y: tensor<3x0xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %rest = arith.constant dense<[0, -1]> : tensor<2xi64>
  %empty = arith.constant dense<[0, -1, 7]> : tensor<3xi64>
  %0 = quant_float.node "Reshape"(%x, %rest) opset 13 : (tensor<0x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  %1 = quant_float.node "Reshape"(%y, %empty) opset 13 : (tensor<3x0xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %0, %1 : tensor<*xf32>, tensor<*xf32>
}

// A static shape requires a matching number of elements, which the entry point
// checks.
// CHECK-LABEL: func.func @reshape_checked(
// CHECK: %[[FITS:.+]] = arith.cmpi eq
// CHECK: cf.assert %[[FITS]], "node 'r' (Reshape): the number of elements must match the other sizes"
func.func @reshape_checked(%x: tensor<?x6xf32>) -> tensor<*xf32> {
  %0 = quant_float.node "Reshape"(%x) opset 1 attributes {shape = array<i64: 2, 3>} name "r" : (tensor<?x6xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: func.func @squeeze(
// CHECK-SAME: -> (tensor<?x2xf32>, tensor<?x2x1xf32>, tensor<1x?x1x2x1xf32>)
func.func @squeeze(%x: tensor<?x1x2x1xf32>, %y: tensor<?x2xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %axes = arith.constant dense<[0, -1, 2]> : tensor<3xi64>
  %0 = quant_float.node "Squeeze"(%x) opset 13 : (tensor<?x1x2x1xf32>) -> tensor<*xf32>
  %1 = quant_float.node "Squeeze"(%x) opset 11 attributes {axes = array<i64: -3>} : (tensor<?x1x2x1xf32>) -> tensor<*xf32>
  %2 = quant_float.node "Unsqueeze"(%y, %axes) opset 13 : (tensor<?x2xf32>, tensor<3xi64>) -> tensor<*xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// CHECK-LABEL: func.func @slices(
// CHECK-SAME: -> (tensor<2x?xf32>, tensor<3x?xf32>)
// CHECK-DAG: tensor.extract_slice %arg0[0, 0] [2, %{{.+}}] [2, 1]
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0
func.func @slices(%x: tensor<4x?xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %start = arith.constant dense<-1> : tensor<1xi64>
  %end = arith.constant dense<0> : tensor<1xi64>
  %axes = arith.constant dense<0> : tensor<1xi64>
  %steps = arith.constant dense<-1> : tensor<1xi64>
  %from = arith.constant dense<0> : tensor<1xi32>
  %to = arith.constant dense<100> : tensor<1xi32>
  %two = arith.constant dense<2> : tensor<1xi32>
  %first = arith.constant dense<0> : tensor<1xi32>
  %0 = quant_float.node "Slice"(%x, %from, %to, %first, %two) opset 10 : (tensor<4x?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xf32>
  %1 = quant_float.node "Slice"(%x, %start, %end, %axes, %steps) opset 13 : (tensor<4x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %0, %1 : tensor<*xf32>, tensor<*xf32>
}

// The end is clamped to the end of the axis only if the size of the axis is
// dynamic.
// CHECK-LABEL: func.func @slice_ends(
// CHECK-SAME: -> (tensor<2147483647xi8>, tensor<?xi8>)
// CHECK: %[[SIZE:.+]] = tensor.dim %arg1
// CHECK: tensor.extract_slice %arg0[0] [2147483647] [1]
// CHECK: tensor.extract_slice %arg1[0] [%[[SIZE]]] [1]
func.func @slice_ends(%x: tensor<8589934592xi8>, %y: tensor<?xi8>) -> (tensor<*xi8>, tensor<*xi8>) {
  %start = arith.constant dense<0> : tensor<1xi64>
  %end = arith.constant dense<2147483647> : tensor<1xi64>
  %0 = quant_float.node "Slice"(%x, %start, %end) opset 13 : (tensor<8589934592xi8>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi8>
  %1 = quant_float.node "Slice"(%y, %start, %end) opset 13 : (tensor<?xi8>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi8>
  return %0, %1 : tensor<*xi8>, tensor<*xi8>
}

// CHECK-LABEL: func.func @concat_and_split(
// CHECK-SAME: -> (tensor<2x3xui8>, tensor<2x4xui8>)
// CHECK: tensor.insert_slice %arg0 into %{{.+}}[0, 0] [2, 2] [1, 1]
// CHECK: tensor.insert_slice %arg1 into %{{.+}}[0, 2] [2, 5] [1, 1]
// CHECK: tensor.extract_slice %{{.+}}[0, 0] [2, 3] [1, 1]
// CHECK: tensor.extract_slice %{{.+}}[0, 3] [2, 4] [1, 1]
func.func @concat_and_split(%x: tensor<2x2xui8>, %y: tensor<2x5xui8>) -> (tensor<*xui8>, tensor<*xui8>) {
  %0 = quant_float.node "Concat"(%x, %y) opset 13 attributes {axis = -1 : i64} : (tensor<2x2xui8>, tensor<2x5xui8>) -> tensor<*xui8>
  %1:2 = quant_float.node "Split"(%0) opset 11 attributes {axis = 1 : i64, split = array<i64: 3, 4>} : (tensor<*xui8>) -> (tensor<*xui8>, tensor<*xui8>)
  return %1#0, %1#1 : tensor<*xui8>, tensor<*xui8>
}

// CHECK-LABEL: func.func @gather_rows(
// CHECK-SAME: -> tensor<?x5x3xf32>
// CHECK: linalg.generic
// CHECK: arith.index_cast
// CHECK: %[[ROW:.+]] = arith.maxsi
// CHECK: tensor.extract %arg0[%[[ROW]], %{{.+}}] : tensor<7x3xf32>
func.func @gather_rows(%x: tensor<7x3xf32>, %i: tensor<?x5xi32>) -> tensor<*xf32> {
  %0 = quant_float.node "Gather"(%x, %i) opset 13 : (tensor<7x3xf32>, tensor<?x5xi32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// Nothing can be gathered from an axis without elements, unless there are no
// indices.
// CHECK-LABEL: func.func @gather_from_dynamic(
// CHECK-SAME: %[[X:.+]]: tensor<?xf32>, %[[I:.+]]: tensor<2xi64>, %[[J:.+]]: tensor<?xi64>
// CHECK: %[[SIZE:.+]] = tensor.dim %[[X]]
// CHECK: %[[HAS:.+]] = arith.cmpi sge, %[[SIZE]], %c1
// CHECK: cf.assert %[[HAS]], "Gather: the size of axis 0 must be at least 1"
// CHECK: %[[LEAST:.+]] = arith.minui
// CHECK: %[[FITS:.+]] = arith.cmpi uge, %[[SIZE]], %[[LEAST]]
// CHECK: cf.assert %[[FITS]], "Gather: the size of axis 0 must be at least 1"
func.func @gather_from_dynamic(%x: tensor<?xf32>, %i: tensor<2xi64>, %j: tensor<?xi64>, %none: tensor<0xi64>, %empty: tensor<0xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %0 = quant_float.node "Gather"(%x, %i) opset 13 : (tensor<?xf32>, tensor<2xi64>) -> tensor<*xf32>
  %1 = quant_float.node "Gather"(%x, %j) opset 13 : (tensor<?xf32>, tensor<?xi64>) -> tensor<*xf32>
  %2 = quant_float.node "Gather"(%empty, %none) opset 13 : (tensor<0xf32>, tensor<0xi64>) -> tensor<*xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// Sizes that are runtime values may be negative, which is a runtime error of
// the node.
// CHECK-LABEL: func.func @runtime_sizes(
// CHECK: cf.assert %{{.+}}, "Reshape: a size of the shape must be at least 0"
// CHECK: cf.assert %{{.+}}, "Expand: a size of the shape must be at least 0"
// CHECK: cf.assert %{{.+}}, "ConstantOfShape: a size of the shape must be at least 0"
// CHECK: cf.assert %{{.+}}, "Split: the size of a split must be at least 0"
func.func @runtime_sizes(%x: tensor<6xf32>, %p: tensor<2xi64>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %0 = quant_float.node "Reshape"(%x, %p) opset 13 : (tensor<6xf32>, tensor<2xi64>) -> tensor<*xf32>
  %1 = quant_float.node "Expand"(%x, %p) opset 13 : (tensor<6xf32>, tensor<2xi64>) -> tensor<*xf32>
  %2 = quant_float.node "ConstantOfShape"(%p) opset 13 : (tensor<2xi64>) -> tensor<*xf32>
  %3:2 = quant_float.node "Split"(%x, %p) opset 13 : (tensor<6xf32>, tensor<2xi64>) -> (tensor<*xf32>, tensor<*xf32>)
  return %0, %1, %2, %3#0 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// Many equal elements are not folded to a constant.
// CHECK-LABEL: func.func @many_equal(
// CHECK-SAME: -> (tensor<100000000000xf32>, tensor<100000000000xi8>)
// CHECK-NOT: dense<7>
// CHECK-COUNT-2: linalg.generic
func.func @many_equal(%x: tensor<1xf32>) -> (tensor<*xf32>, tensor<*xi8>) {
  %shape = arith.constant dense<100000000000> : tensor<1xi64>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %0 = quant_float.node "Expand"(%one, %shape) opset 13 : (tensor<1xf32>, tensor<1xi64>) -> tensor<*xf32>
  %1 = quant_float.node "ConstantOfShape"(%shape) opset 13 attributes {value = dense<7> : tensor<1xi8>} : (tensor<1xi64>) -> tensor<*xi8>
  return %0, %1 : tensor<*xf32>, tensor<*xi8>
}

// CHECK-LABEL: func.func @expand(
// CHECK-SAME: -> (tensor<2x?x3xf32>, tensor<2x3xi8>)
// CHECK: arith.constant dense<7> : tensor<2x3xi8>
func.func @expand(%x: tensor<?x1xf32>) -> (tensor<*xf32>, tensor<*xi8>) {
  %shape = arith.constant dense<[2, 1, 3]> : tensor<3xi64>
  %sizes = arith.constant dense<[2, 3]> : tensor<2xi64>
  %0 = quant_float.node "Expand"(%x, %shape) opset 13 : (tensor<?x1xf32>, tensor<3xi64>) -> tensor<*xf32>
  %1 = quant_float.node "ConstantOfShape"(%sizes) opset 13 attributes {value = dense<7> : tensor<1xi8>} : (tensor<2xi64>) -> tensor<*xi8>
  return %0, %1 : tensor<*xf32>, tensor<*xi8>
}

// The types of users are updated, also those of the dialect's ops.
// CHECK-LABEL: func.func @refine(
// CHECK-SAME: -> tensor<3x2xf8E4M3FN>
// CHECK: quant_float.cast %{{.+}} opset 19 : tensor<3x2xf32> to tensor<3x2xf8E4M3FN>
func.func @refine(%x: tensor<2x3xf32>) -> tensor<*xf8E4M3FN> {
  %0 = quant_float.node "Transpose"(%x) opset 19 : (tensor<2x3xf32>) -> tensor<*xf32>
  %1 = quant_float.cast %0 opset 19 : tensor<*xf32> to tensor<*xf8E4M3FN>
  return %1 : tensor<*xf8E4M3FN>
}

// Many inputs are concatenated in groups, each in its own buffer.
// CHECK-LABEL: func.func @concat_many
// CHECK: bufferization.alloc_tensor(%{{.+}}) : tensor<2x?xf32>
// CHECK-COUNT-16: tensor.insert_slice %arg0 into
// CHECK: bufferization.alloc_tensor(%{{.+}}) : tensor<2x?xf32>
// CHECK-COUNT-16: tensor.insert_slice %arg0 into
// CHECK: %[[LAST:.+]] = bufferization.alloc_tensor(%{{.+}}) : tensor<2x?xf32>
// CHECK: tensor.insert_slice %arg0 into %[[LAST]]
// CHECK: tensor.empty
// CHECK-COUNT-3: tensor.insert_slice
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @concat_many(%x: tensor<2x?xf32>) -> tensor<*xf32> {
  %0 = quant_float.node "Concat"(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) opset 13 attributes {axis = 1 : i64} : (tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// Nothing is inserted after the last element, as bufferization rejects such an
// offset.
// CHECK-LABEL: func.func @concat_nothing
// CHECK-NEXT: return %arg0
func.func @concat_nothing(%x: tensor<2x6xf32>, %e: tensor<2x0xf32>) -> tensor<*xf32> {
  %0 = quant_float.node "Concat"(%x, %e) opset 13 attributes {axis = 1 : i64} : (tensor<2x6xf32>, tensor<2x0xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// An attribute's integer has 64 bits, but the constant has 32.
// CHECK-LABEL: func.func @value_float(
// CHECK: arith.constant dense<5.000000e-01> : tensor<f32>
func.func @value_float() -> tensor<f32> {
  %0 = quant_float.node "Constant"() opset 13 attributes {value_float = 5.000000e-01 : f32} : () -> tensor<f32>
  return %0 : tensor<f32>
}

// A loop without iterations collects nothing, and no slice is out of bounds.
// CHECK-LABEL: func.func @no_steps(
// CHECK:         %[[EMPTY:.+]] = tensor.empty(%{{.+}}) : tensor<?x2xf32>
// CHECK:         return %{{.+}}, %[[EMPTY]]
func.func @no_steps(%x: tensor<2xf32>, %go: tensor<i1>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %none = arith.constant dense<0> : tensor<i64>
  %0:2 = quant_float.node "Loop"(%none, %x) opset 17 absent [1] : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>):
    %1 = quant_float.node "Add"(%v, %v) opset 17 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    quant_float.yield %go, %1, %1 : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<?x2xf32>
}
