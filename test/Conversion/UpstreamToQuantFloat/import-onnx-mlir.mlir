// Ops as onnx-mlir prints them.
// RUN: quant-float-opt %s --allow-unregistered-dialect --quant-float-import-onnx-ops=opset=21 | FileCheck %s
// RUN: quant-float-opt %s --allow-unregistered-dialect --quant-float-import-onnx-ops | FileCheck %s --check-prefix=NEWEST

// CHECK-LABEL: @casts
// NEWEST-LABEL: @casts
func.func @casts(%x: tensor<?x3xf32>, %y: tensor<4xf16>) -> (tensor<?x3xf8E4M3FN>, tensor<?x3xf32>, tensor<*xf16>) {
  // CHECK: %[[C:.+]] = quant_float.cast %{{.*}} opset 21 saturate false : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
  // NEWEST: quant_float.cast %{{.*}} opset 28 saturate false : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
  %0 = "onnx.Cast"(%x) {onnx_node_name = "c1", saturate = 0 : si64, to = f8E4M3FN} : (tensor<?x3xf32>) -> tensor<?x3xf8E4M3FN>
  // CHECK: quant_float.cast %[[C]] like opset 21 saturate true : tensor<?x3xf8E4M3FN> to tensor<?x3xf32>
  // A default that the version lacks is dropped.
  // NEWEST: quant_float.cast %{{.*}} like opset 28 saturate true round_mode up
  %1 = "onnx.CastLike"(%0, %x) {saturate = 1 : si64, round_mode = "up"} : (tensor<?x3xf8E4M3FN>, tensor<?x3xf32>) -> tensor<?x3xf32>
  // The declared type may be less precise.
  // CHECK: %[[H:.+]] = quant_float.cast %{{.*}} opset 21 : tensor<4xf16> to tensor<4xf16>
  // CHECK: tensor.cast %[[H]] : tensor<4xf16> to tensor<*xf16>
  %2 = "onnx.Cast"(%y) {to = f16} : (tensor<4xf16>) -> tensor<*xf16>
  // CHECK: return
  "onnx.Return"(%0, %1, %2) : (tensor<?x3xf8E4M3FN>, tensor<?x3xf32>, tensor<*xf16>) -> ()
}

// CHECK-LABEL: @quantize
func.func @quantize(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-DAG: %[[S:.+]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
  // CHECK-DAG: %[[Z:.+]] = quant_float.constant dense<[128, 3]> : tensor<2xui8>
  // CHECK-NOT: onnx.
  %s = "onnx.Constant"() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %z = "onnx.Constant"() {value = dense<[128, 3]> : tensor<2xui8>} : () -> tensor<2xui8>
  %none = "onnx.NoValue"() {value} : () -> none
  // CHECK: quant_float.quantize %{{.*}}, %[[S]], %[[Z]] axis 0 opset 21 saturate true ignored_attributes ["block_size", "output_dtype"] : tensor<2x4xf32>, tensor<2xf32>, tensor<2xui8> to tensor<2x4xui8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z) {axis = 0 : si64, block_size = 0 : si64, output_dtype = 0 : si64, precision = 0 : si64, saturate = 1 : si64} : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x4xui8>
  // CHECK: quant_float.dequantize %{{.*}}, %[[S]] axis 0 opset 21 ignored_attributes ["block_size"]
  %r = "onnx.DequantizeLinear"(%q, %s, %none) {axis = 0 : si64, block_size = 0 : si64} : (tensor<2x4xui8>, tensor<2xf32>, none) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Other ops are not converted.
// CHECK-LABEL: @others
func.func @others(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "onnx.Relu"
  %0 = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The op that defines an absent value may have effects, and is kept.
// CHECK-LABEL: @absent_of_a_call
func.func private @log() -> none
func.func @absent_of_a_call(%x: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xui8> {
  // CHECK: call @log() : () -> none
  // CHECK-NEXT: quant_float.quantize %{{.*}}, %{{.*}} opset 21
  %none = func.call @log() : () -> none
  %0 = "onnx.QuantizeLinear"(%x, %s, %none) : (tensor<2xf32>, tensor<f32>, none) -> tensor<2xui8>
  return %0 : tensor<2xui8>
}

// Constants have no regions, but a region is read nevertheless.
// CHECK-LABEL: @constant_with_a_region
func.func @constant_with_a_region() -> tensor<2xf16> {
  // CHECK-NEXT: %[[O:.+]] = "onnx.Constant"() ({
  // CHECK-NEXT: %[[I:.+]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK-NEXT: quant_float.cast %[[I]] opset 21 : tensor<2xf32> to tensor<2xf16>
  // CHECK-NEXT: "x.y"() : () -> ()
  // CHECK-NEXT: }) {value = dense<1.000000e+00> : tensor<2xf32>} : () -> tensor<2xf32>
  // CHECK-NEXT: %[[R:.+]] = quant_float.cast %[[O]] opset 21 : tensor<2xf32> to tensor<2xf16>
  // CHECK-NEXT: return %[[R]]
  %o = "onnx.Constant"() ({
    %i = "onnx.Constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = "onnx.Cast"(%i) {to = f16} : (tensor<2xf32>) -> tensor<2xf16>
    "x.y"() : () -> ()
  }) {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = "onnx.Cast"(%o) {to = f16} : (tensor<2xf32>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
