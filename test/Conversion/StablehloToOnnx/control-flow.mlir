// Control flow, sorts and scatters of StableHLO become ONNX nodes.
// RUN: quant-float-opt --allow-unregistered-dialect --convert-stablehlo-to-onnx %s | FileCheck %s

// CHECK-LABEL: @branches
func.func @branches(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: quant_float.node "If"(%{{.*}})
  // CHECK-SAME: bodies ["then_branch", "else_branch"] {
  // CHECK-NEXT: quant_float.node "Neg"
  // CHECK-NEXT: quant_float.yield
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%1) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  // A binary search selects one of three regions. The last one also handles indices out of range.
  // CHECK: quant_float.node "Less"
  // CHECK: quant_float.node "Where"
  // CHECK: quant_float.node "Less"
  // CHECK: quant_float.node "If"
  // CHECK: quant_float.node "Abs"
  // CHECK: quant_float.node "Less"
  // CHECK: quant_float.node "If"
  // CHECK: quant_float.node "Neg"
  %1 = "stablehlo.case"(%i) ({
    %2 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%2) : (tensor<4xf32>) -> ()
  }, {
    %2 = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%2) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%0) : (tensor<4xf32>) -> ()
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// One region: the index does not matter.
// CHECK-LABEL: @one_region
// CHECK-SAME: %{{.*}}: tensor<i32>, %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.+]] = quant_float.node "Abs"(%[[X]])
// CHECK-NEXT: return %[[Y]]
func.func @one_region(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%1) : (tensor<4xf32>) -> ()
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The condition is evaluated before the first iteration, and at the end of each.
// CHECK-LABEL: @loop
// CHECK: %[[FIRST:.+]] = quant_float.node "Less"(%[[N:.+]], %[[LIMIT:.+]]) opset
// CHECK: quant_float.node "Loop"(%[[FIRST]], %[[N]]) opset {{[0-9]+}} absent [0]
// CHECK-SAME: bodies ["body"] {
// CHECK-NEXT: ^{{.*}}(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %[[V:.*]]: tensor<i32>):
// CHECK: %[[NEXT:.+]] = quant_float.node "Add"(%[[V]], %[[V]])
// CHECK: %[[AGAIN:.+]] = quant_float.node "Less"(%[[NEXT]], %[[LIMIT]])
// CHECK: quant_float.yield %[[AGAIN]], %[[NEXT]]
func.func @loop(%n: tensor<i32>, %limit: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.while"(%n) ({
  ^bb0(%v: tensor<i32>):
    %1 = "stablehlo.compare"(%v, %limit) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%v: tensor<i32>):
    %1 = "stablehlo.add"(%v, %v) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%1) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: @sort
// CHECK: %[[SORTED:.+]]:2 = quant_float.node "TopK"(%[[X:.+]], %{{.*}}) opset {{[0-9]+}} attributes {axis = 0 : i64, largest = 1 : i64, sorted = 1 : i64}
// CHECK: quant_float.node "GatherElements"(%[[X]], %[[SORTED]]#1)
func.func @sort(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @scatter
// CHECK: quant_float.node "Concat"
// CHECK: quant_float.node "ScatterND"(%{{.*}}, %{{.*}}, %{{.*}}) opset {{[0-9]+}} attributes {reduction = "add"}
// CHECK: quant_float.node "Slice"
func.func @scatter(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) -> tensor<5x3xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
