// RUN: not quant-float-opt --convert-onnx-to-stablehlo %s 2>&1 | FileCheck %s --check-prefix=REGISTERED
// RUN: quant-float-opt --allow-unregistered-dialect --convert-onnx-to-stablehlo %s | FileCheck %s

// REGISTERED: error: StableHLO is not registered: allow unregistered dialects (--allow-unregistered-dialect)

// CHECK-LABEL: func @casts
// CHECK: %[[CLAMPED:.*]] = "stablehlo.clamp"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: "stablehlo.convert"(%[[CLAMPED]]) : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
// CHECK: "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E5M2>
// CHECK: %[[WHOLE:.*]] = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi32>
// CHECK: "stablehlo.convert"(%[[WHOLE]]) : (tensor<4xi32>) -> tensor<4xi8>
func.func @casts(%x: tensor<4xf32>) -> (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, tensor<4xi8>) {
  %0 = quant_float.cast %x opset 28 : tensor<4xf32> to tensor<4xf8E4M3FN>
  %1 = quant_float.cast %x opset 28 saturate false : tensor<4xf32> to tensor<4xf8E5M2>
  %2 = quant_float.cast %x opset 28 : tensor<4xf32> to tensor<4xi8>
  return %0, %1, %2 : tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, tensor<4xi8>
}

// XLA would multiply by the reciprocal of a broadcast scale.
// CHECK-LABEL: func @quantize
// CHECK: %[[SCALE:.*]] = "stablehlo.broadcast_in_dim"(%arg1)
// CHECK: %[[HIDDEN:.*]] = "stablehlo.optimization_barrier"(%[[SCALE]])
// CHECK: %[[QUOTIENT:.*]] = "stablehlo.divide"(%arg0, %[[HIDDEN]])
// CHECK: "stablehlo.round_nearest_even"(%[[QUOTIENT]])
// CHECK: "stablehlo.add"
// CHECK: "stablehlo.clamp"
// CHECK: "stablehlo.convert"(%{{.*}}) : (tensor<4x8xi32>) -> tensor<4x8xi8>
func.func @quantize(%x: tensor<4x8xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x8xi8> {
  %0 = quant_float.quantize %x, %s, %z opset 28 : tensor<4x8xf32>, tensor<f32>, tensor<i8> to tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}

// CHECK-LABEL: func @nodes
// CHECK-SAME: -> (tensor<2x4xi1>, tensor<2xf32>, tensor<2x2x5xi32>, tensor<4x2xf32>)
// CHECK: %[[BIAS:.*]] = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2x4xf32>
// CHECK: %[[SUM:.*]] = "stablehlo.add"(%arg0, %[[BIAS]])
// CHECK: "stablehlo.compare"(%[[SUM]], %arg0) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}>
// CHECK: "stablehlo.reduce"(%[[SUM]], %{{.*}}) <{dimensions = array<i64: 1>}> ({
// CHECK: "stablehlo.maximum"
// CHECK: "stablehlo.return"
// CHECK: "stablehlo.dot_general"(%arg2, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x3xi8>, tensor<3x5xi8>) -> tensor<2x2x5xi32>
// CHECK: "stablehlo.transpose"(%[[SUM]]) <{permutation = array<i64: 1, 0>}>
// CHECK: "stablehlo.reverse"(%{{.*}}) <{dimensions = array<i64: 0>}>
func.func @nodes(%x: tensor<2x4xf32>, %b: tensor<4xf32>, %i: tensor<2x2x3xi8>, %j: tensor<3x5xi8>)
    -> (tensor<*xi1>, tensor<*xf32>, tensor<2x2x5xi32>, tensor<*xf32>) {
  %axes = arith.constant dense<[1]> : tensor<1xi64>
  %start = arith.constant dense<[-1]> : tensor<1xi64>
  %end = arith.constant dense<[-9223372036854775808]> : tensor<1xi64>
  %axis = arith.constant dense<[0]> : tensor<1xi64>
  %0 = quant_float.node "Add"(%x, %b) opset 28 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<*xf32>
  %1 = quant_float.node "Greater"(%0, %x) opset 28 : (tensor<*xf32>, tensor<2x4xf32>) -> tensor<*xi1>
  %2 = quant_float.node "ReduceMax"(%0, %axes) opset 28 attributes {keepdims = 0 : i64} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %3 = quant_float.node "MatMulInteger"(%i, %j) opset 28 : (tensor<2x2x3xi8>, tensor<3x5xi8>) -> tensor<2x2x5xi32>
  %4 = quant_float.node "Transpose"(%0) opset 28 : (tensor<*xf32>) -> tensor<*xf32>
  %5 = quant_float.node "Slice"(%4, %start, %end, %axis, %start) opset 28 : (tensor<*xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %1, %2, %3, %5 : tensor<*xi1>, tensor<*xf32>, tensor<2x2x5xi32>, tensor<*xf32>
}

// The pattern of JAX's argmax and argmin.
// CHECK-LABEL: func @extrema
// CHECK: %[[IOTA:.*]] = "stablehlo.iota"() {{.*}}iota_dimension = 1 : i64{{.*}} : () -> tensor<3x8xi32>
// CHECK: %[[RESULT:.*]]:2 = "stablehlo.reduce"(%arg0, %[[IOTA]], %{{.*}}, %{{.*}}) {{.*}}dimensions = array<i64: 1>
// CHECK: "stablehlo.compare"(%[[A:.*]], %[[C:.*]]) {{.*}}comparison_direction GT
// CHECK: "stablehlo.return"(%{{.*}}, %{{.*}}) : (tensor<f32>, tensor<i32>) -> ()
// CHECK: "stablehlo.convert"(%[[RESULT]]#1) : (tensor<3xi32>) -> tensor<3xi64>
// CHECK: "stablehlo.compare"(%{{.*}}, %{{.*}}) {{.*}}comparison_direction LT
// CHECK: "stablehlo.reshape"(%{{.*}}) : (tensor<8xi64>) -> tensor<1x8xi64>
func.func @extrema(%x: tensor<3x8xf32>) -> (tensor<3xi64>, tensor<1x8xi64>) {
  %0 = quant_float.node "ArgMax"(%x) opset 28 attributes {axis = -1 : i64, keepdims = 0 : i64} : (tensor<3x8xf32>) -> tensor<3xi64>
  %1 = quant_float.node "ArgMin"(%x) opset 28 attributes {axis = 0 : i64} : (tensor<3x8xf32>) -> tensor<1x8xi64>
  return %0, %1 : tensor<3xi64>, tensor<1x8xi64>
}

// CHECK-LABEL: func @indices
// CHECK: %[[NEGATIVE:.*]] = "stablehlo.compare"(%arg1, %{{.*}}) {{.*}}comparison_direction LT
// CHECK: %[[MOVED:.*]] = "stablehlo.add"(%{{.*}}, %arg1)
// CHECK: %[[INDICES:.*]] = "stablehlo.select"(%[[NEGATIVE]], %[[MOVED]], %arg1)
// CHECK: "stablehlo.gather"(%arg0, %[[INDICES]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1>}> : (tensor<4x6xf32>, tensor<3x2xi64>) -> tensor<4x3x2xf32>
// CHECK: "stablehlo.scatter"(%arg0, %{{.*}}, %arg2) <{{{.*}}scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>
// CHECK: "stablehlo.add"
// CHECK: %[[SORTED:.*]]:2 = "stablehlo.sort"(%arg0, %{{.*}}) <{dimension = 1 : i64, is_stable = true}>
// CHECK: "stablehlo.compare"(%{{.*}}, %{{.*}}) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GT>}>
// CHECK: "stablehlo.slice"(%[[SORTED]]#0)
// CHECK: "stablehlo.convert"(%{{.*}}) : (tensor<4x3xi32>) -> tensor<4x3xi64>
// CHECK: "stablehlo.dynamic_slice"(%arg0, %{{.*}}, %{{.*}}) <{slice_sizes = array<i64: 2, 6>}>
// CHECK: "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xi64>
func.func @indices(%x: tensor<4x6xf32>, %i: tensor<3x2xi64>, %u: tensor<3xf32>, %s: tensor<1xi64>)
    -> (tensor<4x3x2xf32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x3xi64>, tensor<2x6xf32>, tensor<3xi64>) {
  %k = arith.constant dense<3> : tensor<1xi64>
  %axis = arith.constant dense<0> : tensor<1xi64>
  %from = arith.constant dense<1> : tensor<i64>
  %to = arith.constant dense<6> : tensor<i64>
  %by = arith.constant dense<2> : tensor<i64>
  %0 = quant_float.node "Gather"(%x, %i) opset 28 attributes {axis = 1 : i64} : (tensor<4x6xf32>, tensor<3x2xi64>) -> tensor<4x3x2xf32>
  %1 = quant_float.node "ScatterND"(%x, %i, %u) opset 28 attributes {reduction = "add"} : (tensor<4x6xf32>, tensor<3x2xi64>, tensor<3xf32>) -> tensor<4x6xf32>
  %2:2 = quant_float.node "TopK"(%x, %k) opset 28 : (tensor<4x6xf32>, tensor<1xi64>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %e = quant_float.node "Add"(%s, %k) opset 28 : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %3 = quant_float.node "Slice"(%x, %s, %e, %axis) opset 28 : (tensor<4x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x6xf32>
  %4 = quant_float.node "Range"(%from, %to, %by) opset 28 : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3xi64>
  return %0, %1, %2#0, %2#1, %3, %4 : tensor<4x3x2xf32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x3xi64>, tensor<2x6xf32>, tensor<3xi64>
}

// CHECK-LABEL: func @control_flow
// CHECK: "stablehlo.if"(%arg1) ({
// CHECK-NEXT: %[[N:.*]] = "stablehlo.negate"(%arg0)
// CHECK-NEXT: "stablehlo.return"(%[[N]])
// CHECK: }, {
// CHECK-NEXT: "stablehlo.return"(%arg0)
// The counter, the state and the slices that the loop writes.
// CHECK: "stablehlo.while"(%{{.*}}, %arg0, %{{.*}}) ({
// CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<3x2xf32>):
// CHECK-NEXT: "stablehlo.compare"(%[[I]], %{{.*}}) {{.*}}comparison_direction LT
// CHECK: }, {
// CHECK: %[[NEXT:.*]] = "stablehlo.add"(%{{.*}}, %arg0)
// CHECK: "stablehlo.dynamic_update_slice"
// CHECK: "stablehlo.return"(%{{.*}}, %[[NEXT]], %{{.*}})
func.func @control_flow(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>) {
  %steps = arith.constant dense<3> : tensor<i64>
  %0 = quant_float.node "If"(%c) opset 28 : (tensor<i1>) -> tensor<2xf32> bodies ["then_branch", "else_branch"] {
    %n = quant_float.node "Neg"(%x) opset 28 : (tensor<2xf32>) -> tensor<2xf32>
    quant_float.yield %n : tensor<2xf32>
  }, {
    quant_float.yield %x : tensor<2xf32>
  }
  %1:2 = quant_float.node "Loop"(%steps, %x) opset 28 absent [1] : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) bodies ["body"] {
  ^bb0(%i: tensor<i64>, %b: tensor<i1>, %s: tensor<2xf32>):
    %n = quant_float.node "Add"(%s, %x) opset 28 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    quant_float.yield %b, %n, %s : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %0, %1#0, %1#1 : tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>
}
