// RUN: quant-float-opt %s -split-input-file --quant-float-make-entry-points | FileCheck %s

// The scale must have as many elements as the axis. The message names the
// input.

// CHECK-LABEL: func.func @per_axis.kernel(
// CHECK-SAME:    checks = [{assertion = false, dimension = array<i64: 1, 0>, message = "node 'dq'"}]
// CHECK-LABEL: func.func @per_axis.sizes(
// CHECK-SAME:    %[[M:.+]]: index, %[[N:.+]]: index, %[[SCALES:.+]]: index)
// CHECK:         return %[[M]], %[[N]], %[[N]], %[[SCALES]] : index, index, index, index
#id = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
func.func @per_axis(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32> loc("dq")
  return %0 : tensor<?x?xf32>
}

// -----

// One scale for each block of 32 elements, the last block being partial. A
// scale of one element is allowed, too.

// CHECK-LABEL: func.func @blocked.kernel(
// CHECK-SAME:    dimension = array<i64: 1, 0>
// CHECK-SAME:    dimension = array<i64: 2, 0>
// CHECK-LABEL: func.func @blocked.sizes(
// CHECK-SAME:    %[[N:.+]]: index, %[[BLOCKS:.+]]: index, %[[ONE:.+]]: index)
// CHECK:         %[[EXPECTED:.+]] = arith.ceildivsi %[[N]], %c32
// CHECK:         return %[[N]], %[[EXPECTED]], %[[BLOCKS]], %c1, %[[ONE]]
func.func @blocked(%x: tensor<?xf32>, %s: tensor<?xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n floordiv 32)>,
                       affine_map<(n) -> (0)>, affine_map<(n) -> (n)>],
      iterator_types = ["parallel"]}
      ins(%x, %s, %t : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.mulf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Assertions on sizes are checked before the kernel, assertions on data inside
// the kernel.

// CHECK-LABEL: func.func @asserted.kernel(
// CHECK-SAME:    checks = [{assertion = true, dimension = array<i64: -1, -1>, message = "the size must be even"}]
// CHECK-NOT:     the size must be even
// CHECK:         cf.assert %{{.+}}, "the first element must not be negative"
// CHECK-LABEL: func.func @asserted.sizes(
// CHECK-NOT:     cf.assert
func.func @asserted(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %rest = arith.remui %n, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  cf.assert %even, "the size must be even"
  %first = tensor.extract %x[%c0] : tensor<?xi32>
  %positive = arith.cmpi sge, %first, %zero : i32
  cf.assert %positive, "the first element must not be negative"
  return %x : tensor<?xi32>
}

// -----

// A size that tensor.cast asserts.

// CHECK-LABEL: func.func @claimed.sizes(
// CHECK-SAME:    %[[N:.+]]: index)
// CHECK:         return %c8, %[[N]]
func.func @claimed(%x: tensor<?xf32>) -> tensor<8xf32> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
  return %0 : tensor<8xf32>
}
