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

// XLA would multiply by the reciprocal of a scale that is broadcast.
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

// The form of JAX's argmax and argmin.
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
