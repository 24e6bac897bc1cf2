// The dialect of onnx-mlir becomes ONNX nodes.
// RUN: quant-float-opt %s --allow-unregistered-dialect --convert-onnx-mlir-to-onnx=opset=21 | FileCheck %s
// RUN: quant-float-opt %s --allow-unregistered-dialect --convert-onnx-mlir-to-onnx | FileCheck %s --check-prefix=NEWEST

// CHECK-LABEL: @network
// NEWEST-LABEL: @network
func.func @network(%x: tensor<1x3x8x8xf32> {onnx.name = "x"}, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // CHECK: %[[C:.+]] = quant_float.node "Conv"(%{{.*}}, %{{.*}}) opset 21 attributes {auto_pad = "NOTSET", dilations = array<i64: 1, 1>, group = 1 : i64, kernel_shape = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} absent [2] name "conv"
  // NEWEST: quant_float.node "Conv"(%{{.*}}, %{{.*}}) opset 28
  %0 = "onnx.Conv"(%x, %w, %none) {auto_pad = "NOTSET", dilations = [1, 1], group = 1 : si64, kernel_shape = [3, 3], onnx_node_name = "conv", pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x6x6xf32>
  // CHECK: quant_float.node "Relu"(%[[C]]) opset 21
  %1 = "onnx.Relu"(%0) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  // CHECK: quant_float.node "MaxPool"(%{{.*}}) opset 21 attributes {ceil_mode = 0 : i64, kernel_shape = array<i64: 2, 2>, storage_order = 0 : i64, strides = array<i64: 2, 2>}
  %2 = "onnx.MaxPoolSingleOut"(%1) {ceil_mode = 0 : si64, kernel_shape = [2, 2], storage_order = 0 : si64, strides = [2, 2]} : (tensor<1x4x6x6xf32>) -> tensor<1x4x3x3xf32>
  // CHECK: return
  "onnx.Return"(%2) : (tensor<1x4x3x3xf32>) -> ()
}
"onnx.EntryPoint"() {func = @network} : () -> ()

// CHECK-LABEL: @versions
func.func @versions(%x: tensor<4x6xf32>) -> (tensor<*xf32>, tensor<4x6xf16>, tensor<4x6xf32>) {
  // CHECK: quant_float.node "ReduceSum"(%{{.*}}) opset 11 attributes {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<4x6xf32>) -> tensor<4xf32>
  %0 = "onnx.ReduceSumV11"(%x) {axes = [1], keepdims = 0 : si64} : (tensor<4x6xf32>) -> tensor<4xf32>
  // CHECK: quant_float.node "Cast"(%{{.*}}) opset 21 attributes {saturate = 1 : i64, to = 10 : i64}
  %1 = "onnx.Cast"(%x) {saturate = 1 : si64, to = f16} : (tensor<4x6xf32>) -> tensor<4x6xf16>
  // CHECK: quant_float.node "FusedMatMul"(%{{.*}}, %{{.*}}) opset 1 domain "com.microsoft" attributes {alpha = 5.000000e-01 : f32}
  %2 = "onnx.Custom"(%x, %x) {alpha = 5.000000e-01 : f32, domain_name = "com.microsoft", function_name = "FusedMatMul", shape_infer_pattern = "SameAs"} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: tensor.cast
  "onnx.Return"(%0, %1, %2) : (tensor<4xf32>, tensor<4x6xf16>, tensor<4x6xf32>) -> ()
}

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<2xi8>, tensor<i64>, tensor<f32>, tensor<2xi64>, tensor<2xf32>) {
  // CHECK-DAG: arith.constant dense<[1, -2]> : tensor<2xi8>
  // CHECK-DAG: arith.constant dense<7> : tensor<i64>
  // CHECK-DAG: arith.constant dense<5.000000e-01> : tensor<f32>
  // CHECK-DAG: arith.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK-DAG: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK-NOT: onnx.
  %0 = "onnx.Constant"() {value = dense<[1, -2]> : tensor<2xi8>} : () -> tensor<2xi8>
  %1 = "onnx.Constant"() {value_int = 7 : si64} : () -> tensor<i64>
  %2 = "onnx.Constant"() {value_float = 0.5 : f32} : () -> tensor<f32>
  %3 = "onnx.Constant"() {value_ints = [1, 2]} : () -> tensor<2xi64>
  %4 = "onnx.Constant"() {value_floats = [1.0 : f32, 2.0 : f32]} : () -> tensor<2xf32>
  "onnx.Return"(%0, %1, %2, %3, %4) : (tensor<2xi8>, tensor<i64>, tensor<f32>, tensor<2xi64>, tensor<2xf32>) -> ()
}

// CHECK-LABEL: @control
func.func @control(%p: tensor<i1>, %x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) {
  // CHECK: quant_float.node "If"(%{{.*}}) opset 21
  // CHECK-SAME: bodies ["then_branch", "else_branch"] {
  // CHECK-NEXT: quant_float.node "Neg"
  // CHECK-NEXT: quant_float.yield
  %0 = "onnx.If"(%p) ({
    %3 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "onnx.Yield"(%3) : (tensor<4xf32>) -> ()
  }, {
    "onnx.Yield"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: quant_float.node "Loop"(%{{.*}}, %{{.*}}) opset 21 absent [1]
  // CHECK-SAME: bodies ["body"] {
  %none = "onnx.NoValue"() {value} : () -> none
  %1:2 = "onnx.Loop"(%n, %none, %0) ({
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<4xf32>):
    %3 = "onnx.Add"(%v, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "onnx.Yield"(%c, %3, %3) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i64>, none, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>)
  "onnx.Return"(%0, %1#0, %1#1) : (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32>) -> ()
}

// CHECK-LABEL: @absent_results
func.func @absent_results(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: quant_float.node "LayerNormalization"(%{{.*}}, %{{.*}}) opset 21 attributes {axis = -1 : i64} absent [2] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %none = "onnx.NoValue"() {value} : () -> none
  %0:3 = "onnx.LayerNormalization"(%x, %s, %none) {axis = -1 : si64} : (tensor<2x3xf32>, tensor<3xf32>, none) -> (tensor<2x3xf32>, none, none)
  "onnx.Return"(%0#0) : (tensor<2x3xf32>) -> ()
}
