// Matmuls, convolutions, pooling, reductions: the loops and their indexing maps.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg --canonicalize --split-input-file | FileCheck %s

// CHECK-DAG: #[[$LHS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, 0, d2, d4)>
// CHECK-DAG: #[[$RHS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d3)>
// CHECK-DAG: #[[$SUM:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @matmul_broadcasts_batches(
// CHECK: linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHS]], #[[$SUM]]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME: outs(%{{.+}} : tensor<2x7x?x5xf32>)
func.func @matmul_broadcasts_batches(%a: tensor<2x1x?x8xf32>, %b: tensor<7x8x5xf32>) -> tensor<2x7x?x5xf32> {
  %0 = quant_float.node "MatMul"(%a, %b) opset 13 : (tensor<2x1x?x8xf32>, tensor<7x8x5xf32>) -> tensor<2x7x?x5xf32>
  return %0 : tensor<2x7x?x5xf32>
}

// -----

// CHECK-DAG: #[[$LHS:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$RHS:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>

// A transposed operand is read with a permuted map.
// CHECK-LABEL: func.func @gemm(
// CHECK: %[[ALPHA:.+]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[PRODUCT:.+]] = linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHS]],
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[PRODUCT]], %{{.+}} : tensor<3x5xf32>, tensor<5xf16>)
// CHECK-NEXT: ^bb0(%[[IN:.+]]: f32, %[[C:.+]]: f16,
// CHECK-NEXT: %[[SCALED:.+]] = arith.mulf %[[IN]], %[[ALPHA]]
// CHECK-NEXT: %[[WIDE:.+]] = quant_float.cast %[[C]] {{.*}} f16 to f32
// CHECK-NEXT: arith.addf %[[SCALED]], %[[WIDE]]
// CHECK-NEXT: quant_float.cast {{.*}} f32 to f16
func.func @gemm(%a: tensor<8x3xf16>, %b: tensor<5x8xf16>, %c: tensor<5xf16>) -> tensor<3x5xf16> {
  %0 = quant_float.node "Gemm"(%a, %b, %c) opset 13 attributes {alpha = 0.5 : f32, transA = 1 : i64, transB = 1 : i64} : (tensor<8x3xf16>, tensor<5x8xf16>, tensor<5xf16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

// -----

// A dynamic size of a matmul must equal that of the addend, which is checked at run time.
// CHECK-LABEL: func.func @gemm_dynamic(
// CHECK: %[[N:.+]] = tensor.dim %arg1, %c1
// CHECK: %[[EQUAL:.+]] = arith.cmpi eq, %[[N]], %c5
// CHECK: cf.assert %[[EQUAL]], "Gemm: axis 1 of inputs 0 and 2 must have the same size, because dynamic sizes are not broadcast"
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.+}}, %{{.+}} : tensor<?x?xf32>, tensor<1x5xf32>)
func.func @gemm_dynamic(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %c: tensor<1x5xf32>) -> tensor<?x?xf32> {
  %0 = quant_float.node "Gemm"(%a, %b, %c) opset 13 attributes {alpha = 0.5 : f32} : (tensor<?x8xf32>, tensor<8x?xf32>, tensor<1x5xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Dynamic sizes that must be equal are checked at run time.
// CHECK-LABEL: func.func @matmul_sizes(
// CHECK: %[[EQUAL:.+]] = arith.cmpi eq
// CHECK: cf.assert %[[EQUAL]], "MatMul: the size of the reduction axis must match the other sizes"
func.func @matmul_sizes(%a: tensor<2x?xf32>, %b: tensor<?x5xf32>) -> tensor<2x5xf32> {
  %0 = quant_float.node "MatMul"(%a, %b) opset 13 : (tensor<2x?xf32>, tensor<?x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

// CHECK-DAG: #[[$X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6)>
// CHECK-DAG: #[[$W:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[$Y:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>

// The accumulators are initialized with the bias. There is one loop over the output channels.
// CHECK-LABEL: func.func @conv(
// CHECK-SAME: %[[X:.+]]: tensor<?x3x8x?xf32>, %[[W:.+]]: tensor<4x3x3x3xf32>, %[[B:.+]]: tensor<4xf32>)
// CHECK: %[[INIT:.+]] = linalg.generic
// CHECK-SAME: ins(%[[B]] : tensor<4xf32>)
// CHECK: %[[PADDED:.+]] = tensor.pad %[[X]] low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$W]], #[[$Y]]]
// CHECK-SAME: ins(%[[PADDED]], %[[W]]
// CHECK-SAME: outs(%[[INIT]] : tensor<?x4x4x?xf32>)
func.func @conv(%x: tensor<?x3x8x?xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<?x4x4x?xf32> {
  %0 = quant_float.node "Conv"(%x, %w, %b) opset 22 attributes {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<?x3x8x?xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<?x4x4x?xf32>
  return %0 : tensor<?x4x4x?xf32>
}

// -----

// CHECK-DAG: #[[$X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3 + d5)>
// CHECK-DAG: #[[$W:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>

// CHECK-LABEL: func.func @conv_groups(
// CHECK: %[[X:.+]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2], [3]] output_shape [1, 2, 2, 6]
// CHECK: %[[W:.+]] = tensor.expand_shape %arg1 {{\[\[}}0, 1], [2], [3]] output_shape [2, 3, 2, 3]
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$W]],
// CHECK-SAME: ins(%[[X]], %[[W]]
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x2x3x4xf32> into tensor<1x6x4xf32>
func.func @conv_groups(%x: tensor<1x4x6xf32>, %w: tensor<6x2x3xf32>) -> tensor<1x6x4xf32> {
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {group = 2 : i64} : (tensor<1x4x6xf32>, tensor<6x2x3xf32>) -> tensor<1x6x4xf32>
  return %0 : tensor<1x6x4xf32>
}

// -----

// CHECK-DAG: #[[$X:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + d3)>
// CHECK-DAG: #[[$W:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, 0, d3)>

// A depthwise convolution has no loop over the channels of a group, and none along the window axis
// of size 1.
// CHECK-LABEL: func.func @conv_depthwise(
// CHECK: tensor.collapse_shape %arg0 {{.*}} : tensor<1x4x6x1xf32> into tensor<1x4x6xf32>
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$W]],
// CHECK: tensor.expand_shape {{.*}} into tensor<1x4x4x1xf32>
func.func @conv_depthwise(%x: tensor<1x4x6x1xf32>, %w: tensor<4x1x3x1xf32>) -> tensor<1x4x4x1xf32> {
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {group = 4 : i64} : (tensor<1x4x6x1xf32>, tensor<4x1x3x1xf32>) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}

// -----

// The input is padded with its zero point, which kernels read.
// CHECK-LABEL: func.func @conv_integer(
// CHECK: %[[FILLED:.+]] = linalg.generic {{.*}} ins(%arg2 : tensor<ui8>) outs({{.*}} : tensor<1x4x8xui8>)
// CHECK: tensor.insert_slice %arg0 into %[[FILLED]][0, 0, 1] [1, 4, 6] [1, 1, 1]
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.+]]: ui8, %[[W:.+]]: i8, %[[XZ:.+]]: ui8, %[[WZ:.+]]: i8, %[[SUM:.+]]: i32):
// CHECK: arith.subi
// CHECK: arith.subi
// CHECK: %[[PRODUCT:.+]] = arith.muli
// CHECK: arith.addi %[[SUM]], %[[PRODUCT]] : i32
func.func @conv_integer(%x: tensor<1x4x6xui8>, %w: tensor<4x4x3xi8>, %xz: tensor<ui8>, %wz: tensor<4xi8>) -> tensor<1x4x6xi32> {
  %0 = quant_float.node "ConvInteger"(%x, %w, %xz, %wz) opset 10 attributes {auto_pad = "SAME_UPPER"} : (tensor<1x4x6xui8>, tensor<4x4x3xi8>, tensor<ui8>, tensor<4xi8>) -> tensor<1x4x6xi32>
  return %0 : tensor<1x4x6xi32>
}

// -----

// The last windows exceed the input, so there is padding.
// CHECK-LABEL: func.func @max_pool(
// CHECK: %[[LEAST:.+]] = quant_float.constant 0 : ui8
// CHECK: tensor.pad %arg0 low[0, 0, 0, 0] high[0, 0, 1, 1]
// CHECK: tensor.yield %[[LEAST]]
// CHECK: linalg.generic
// CHECK: arith.maxui
func.func @max_pool(%x: tensor<1x4x7x7xui8>) -> tensor<1x4x4x4xui8> {
  %0 = quant_float.node "MaxPool"(%x) opset 12 attributes {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, ceil_mode = 1 : i64} : (tensor<1x4x7x7xui8>) -> tensor<1x4x4x4xui8>
  return %0 : tensor<1x4x4x4xui8>
}

// -----

// CHECK-DAG: #[[$FIRST:.+]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[$TWO:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// Before opset 13, the axis splits the input into a matrix, and defaults to 1.
// CHECK-LABEL: func.func @softmax(
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[$FIRST]]], iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[$FIRST]]], iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[$TWO]]], iterator_types = ["parallel", "parallel", "reduction"]}
func.func @softmax(%x: tensor<2x?x5xf32>) -> (tensor<2x?x5xf32>, tensor<2x?x5xf32>) {
  %0 = quant_float.node "Softmax"(%x) opset 11 : (tensor<2x?x5xf32>) -> tensor<2x?x5xf32>
  %1 = quant_float.node "Softmax"(%x) opset 13 : (tensor<2x?x5xf32>) -> tensor<2x?x5xf32>
  return %0, %1 : tensor<2x?x5xf32>, tensor<2x?x5xf32>
}

// -----

// D9: the zero point is what quantizing -lo gives.
// CHECK-LABEL: func.func @dynamic_quantize(
// CHECK: %[[SCALE:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<f32>, tensor<f32>)
// CHECK: arith.divf
// CHECK: %[[OFFSET:.+]] = linalg.generic
// CHECK: arith.negf
// CHECK: %[[ZERO:.+]] = quant_float.quantize %[[OFFSET]], %[[SCALE]] opset 11
// CHECK: %[[QUANTIZED:.+]] = quant_float.quantize %arg0, %[[SCALE]], %[[ZERO]] opset 11
// CHECK: return %[[QUANTIZED]], %[[SCALE]], %[[ZERO]]
func.func @dynamic_quantize(%x: tensor<?x4xf32>) -> (tensor<?x4xui8>, tensor<f32>, tensor<ui8>) {
  %0:3 = quant_float.node "DynamicQuantizeLinear"(%x) opset 11 : (tensor<?x4xf32>) -> (tensor<?x4xui8>, tensor<f32>, tensor<ui8>)
  return %0#0, %0#1, %0#2 : tensor<?x4xui8>, tensor<f32>, tensor<ui8>
}

// -----

// Without axes, nothing is resized, and no aspect ratio is kept.
// CHECK-LABEL: func.func @resize_no_axes(
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>
// CHECK: return %[[X]]
func.func @resize_no_axes(%x: tensor<4xf32>) -> tensor<*xf32> {
  %scales = arith.constant dense<> : tensor<0xf32>
  %sizes = arith.constant dense<> : tensor<0xi64>
  %0 = quant_float.node "Resize"(%x, %scales, %sizes) opset 18 attributes {axes = array<i64>, keep_aspect_ratio_policy = "not_larger"} absent [1] : (tensor<4xf32>, tensor<0xf32>, tensor<0xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Constants and slices of them are concatenated at compile time: gates of recurrent weights in
// another order.
// CHECK-LABEL: func.func @join_slices(
// CHECK-NOT: tensor.
// CHECK{LITERAL}: arith.constant dense<[[5, 6], [7, 8], [1, 2], [3, 4]]> : tensor<4x2xi8>
// CHECK-NOT: tensor.
// CHECK: return
func.func @join_slices() -> tensor<*xi8> {
  %weights = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %begin = arith.constant dense<0> : tensor<1xi64>
  %middle = arith.constant dense<2> : tensor<1xi64>
  %end = arith.constant dense<4> : tensor<1xi64>
  %0 = quant_float.node "Slice"(%weights, %begin, %middle) opset 13 : (tensor<4x2xi8>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi8>
  %1 = quant_float.node "Slice"(%weights, %middle, %end) opset 13 : (tensor<4x2xi8>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi8>
  %2 = quant_float.node "Concat"(%1, %0) opset 13 attributes {axis = 0 : i64} : (tensor<*xi8>, tensor<*xi8>) -> tensor<*xi8>
  return %2 : tensor<*xi8>
}

// -----

// Not if the result would be larger than its sources.
// CHECK-LABEL: func.func @join_twice(
// CHECK: tensor.insert_slice
func.func @join_twice() -> tensor<*xi8> {
  %weights = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %0 = quant_float.node "Concat"(%weights, %weights) opset 13 attributes {axis = 1 : i64} : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<*xi8>
  return %0 : tensor<*xi8>
}

// -----

// A window of one element slides along one collapsed axis instead of several dynamic ones.
// CHECK-LABEL: func.func @pointwise(
// CHECK-SAME: %[[X:.+]]: tensor<1x8x?x?xf32>
// CHECK: %[[FLAT:.+]] = tensor.collapse_shape %[[X]] {{\[\[0\], \[1\], \[2, 3\]\]}} : tensor<1x8x?x?xf32> into tensor<1x8x?xf32>
// CHECK: %[[SUMS:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[FLAT]], %{{.+}} : tensor<1x8x?xf32>, tensor<16x8x1xf32>)
// CHECK: tensor.expand_shape %[[SUMS]] {{.*}} : tensor<1x16x?xf32> into tensor<1x16x?x?xf32>
func.func @pointwise(%x: tensor<1x8x?x?xf32>, %w: tensor<16x8x1x1xf32>) -> tensor<*xf32> {
  %0 = quant_float.node "Conv"(%x, %w) opset 11 : (tensor<1x8x?x?xf32>, tensor<16x8x1x1xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// A strided convolution with a window of one element gathers the elements that it reads.
// CHECK-DAG: #[[$STRIDED:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 2, d3)>
// CHECK-LABEL: func.func @strided_pointwise(
// CHECK-SAME: %[[X:.+]]: tensor<1x8x?x?xf32>
// CHECK: %[[GATHERED:.+]] = linalg.generic {indexing_maps = [#[[$STRIDED]], {{.*}} ins(%[[X]] : tensor<1x8x?x?xf32>)
// CHECK: %[[FLAT:.+]] = tensor.collapse_shape %[[GATHERED]] {{\[\[0\], \[1\], \[2, 3\]\]}} : tensor<1x8x?x?xf32> into tensor<1x8x?xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[FLAT]], %{{.+}} : tensor<1x8x?xf32>, tensor<16x8x1xf32>)
func.func @strided_pointwise(%x: tensor<1x8x?x?xf32>, %w: tensor<16x8x1x1xf32>) -> tensor<*xf32> {
  %0 = quant_float.node "Conv"(%x, %w) opset 11 attributes {strides = array<i64: 2, 1>} : (tensor<1x8x?x?xf32>, tensor<16x8x1x1xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// The number of elements may exceed 32 bits.
// CHECK-LABEL: func.func @mean_of_integers(
// CHECK: arith.extsi %{{.+}} : i32 to i64
// CHECK: arith.divsi %{{.+}}, %{{.+}} : i64
// CHECK: arith.trunci %{{.+}} : i64 to i32
// CHECK: arith.extui %{{.+}} : i32 to i64
// CHECK: arith.divui %{{.+}}, %{{.+}} : i64
// CHECK: arith.trunci %{{.+}} : i64 to i32
func.func @mean_of_integers(%x: tensor<?xi32>, %y: tensor<?xui32>) -> (tensor<*xi32>, tensor<*xui32>) {
  %0 = quant_float.node "ReduceMean"(%x) opset 18 : (tensor<?xi32>) -> tensor<*xi32>
  %1 = quant_float.node "ReduceMean"(%y) opset 18 : (tensor<?xui32>) -> tensor<*xui32>
  return %0, %1 : tensor<*xi32>, tensor<*xui32>
}
