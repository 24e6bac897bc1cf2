// RUN: quant-float-opt %s --allow-unregistered-dialect --convert-iree-linalg-ext-to-quant-float | FileCheck %s

// An asynchronous function gets the name of the function that waits for it.
// CHECK-NOT: util.
// CHECK: func.func private @inner(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[W:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: func.func @net(%[[B:[^:]+]]: tensor<?x4xf32>, %[[I:[^:]+]]: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK: %[[C0:.+]] = arith.constant 0 : index
// CHECK: tensor.dim %[[B]], %[[C0]] : tensor<?x4xf32>
// CHECK: %[[Y:.+]] = call @inner(%[[I]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: return %[[B]], %[[Y]], %[[I]]
// CHECK-NOT: hal.
"builtin.module"() ({
  "util.global"() <{initial_value = dense<[1.0, 2.0]> : tensor<2xf32>, sym_name = "w", sym_visibility = "private", type = tensor<2xf32>}> : () -> ()
  "util.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "inner", sym_visibility = "private", tied_operands = [-1 : index]}> ({
  ^bb0(%x: tensor<4xf32>):
    %w = "util.global.load"() <{global = @w}> : () -> tensor<2xf32>
    "test.use"(%w) : (tensor<2xf32>) -> ()
    "util.return"(%x) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "util.func"() <{function_type = (!hal.buffer_view, !hal.buffer_view, !hal.fence, !hal.fence) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view), sym_name = "net$async", sym_visibility = "public", tied_operands = [-1 : index]}> ({
  ^bb0(%b: !hal.buffer_view, %i: !hal.buffer_view, %wait: !hal.fence, %signal: !hal.fence):
    %n = "hal.buffer_view.dim"(%b) <{index = 0 : index}> : (!hal.buffer_view) -> index
    "test.use"(%n) : (index) -> ()
    %x = "hal.tensor.import"(%b, %n, %wait) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, target_encoding = tensor<?x4xf32>}> : (!hal.buffer_view, index, !hal.fence) -> tensor<?x4xf32>
    %y = "hal.tensor.import"(%i, %wait) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, target_encoding = tensor<4xf32>}> : (!hal.buffer_view, !hal.fence) -> tensor<4xf32>
    %z = "util.call"(%y) <{callee = @inner}> : (tensor<4xf32>) -> tensor<4xf32>
    %r:2 = "hal.tensor.barrier"(%x, %z, %signal) : (tensor<?x4xf32>, tensor<4xf32>, !hal.fence) -> (tensor<?x4xf32>, tensor<4xf32>)
    %e = "hal.tensor.export"(%r#0, %n) <{source_encoding = tensor<?x4xf32>}> : (tensor<?x4xf32>, index) -> !hal.buffer_view
    %f = "hal.tensor.export"(%r#1) <{source_encoding = tensor<4xf32>}> : (tensor<4xf32>) -> !hal.buffer_view
    "util.return"(%e, %f, %i) : (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) -> ()
  }) : () -> ()
  "util.func"() <{function_type = (!hal.buffer_view, !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view), sym_name = "net", sym_visibility = "public", tied_operands = [-1 : index]}> ({
  ^bb0(%b: !hal.buffer_view, %i: !hal.buffer_view):
    %null = "util.null"() : () -> !hal.fence
    %c0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %forever = "arith.constant"() <{value = -1 : i32}> : () -> i32
    %device = "hal.devices.get"(%c0) : (index) -> !hal.device
    %fence = "hal.fence.create"(%device) <{flags = 0 : i64}> : (!hal.device) -> !hal.fence
    %r:3 = "util.call"(%b, %i, %null, %fence) <{callee = @net$async}> : (!hal.buffer_view, !hal.buffer_view, !hal.fence, !hal.fence) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view)
    %status = "hal.fence.await"(%forever, %fence) <{flags = 0 : i64}> : (i32, !hal.fence) -> i32
    "util.return"(%r#0, %r#1, %r#2) : (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) -> ()
  }) : () -> ()
}) : () -> ()
