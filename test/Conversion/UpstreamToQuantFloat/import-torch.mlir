// Ops as torch-mlir's ONNX importer generates them, in generic form.
// RUN: quant-float-opt %s --allow-unregistered-dialect --quant-float-import-onnx-ops | FileCheck %s

// No torch op or type remains if all ops are converted.
// CHECK-LABEL: func.func @all_converted(
// CHECK-SAME: %[[X:.+]]: tensor<3x?xf32>, %[[S:.+]]: tensor<3xf32>, %[[Z:.+]]: tensor<3xui4>) -> (tensor<3x?xui4>, tensor<3x?xf8E4M3FN>)
func.func @all_converted(%x: !torch.vtensor<[3,?],f32>, %s: !torch.vtensor<[3],f32>, %z: !torch.vtensor<[3],ui4>) -> (!torch.vtensor<[3,?],ui4>, !torch.vtensor<[3,?],f8E4M3FN>) attributes {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 21 : si64} {
  // CHECK-NEXT: %[[Q:.+]] = quant_float.quantize %[[X]], %[[S]], %[[Z]] axis 0 opset 21 : tensor<3x?xf32>, tensor<3xf32>, tensor<3xui4> to tensor<3x?xui4>
  %0 = "torch.operator"(%x, %s, %z) <{name = "onnx.QuantizeLinear"}> {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[3,?],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],ui4>) -> !torch.vtensor<[3,?],ui4>
  // CHECK-NEXT: %[[D:.+]] = quant_float.dequantize %[[Q]], %[[S]], %[[Z]] axis 0 opset 21
  %1 = "torch.operator"(%0, %s, %z) {name = "onnx.DequantizeLinear", torch.onnx.axis = 0 : si64} : (!torch.vtensor<[3,?],ui4>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],ui4>) -> !torch.vtensor<[3,?],f32>
  // CHECK-NEXT: %[[C:.+]] = quant_float.cast %[[D]] opset 21 saturate false : tensor<3x?xf32> to tensor<3x?xf8E4M3FN>
  %2 = "torch.operator"(%1) <{name = "onnx.Cast"}> {torch.onnx.saturate = 0 : si64, torch.onnx.to = 17 : si64} : (!torch.vtensor<[3,?],f32>) -> !torch.vtensor<[3,?],f8E4M3FN>
  // CHECK-NEXT: return %[[Q]], %[[C]]
  func.return %0, %2 : !torch.vtensor<[3,?],ui4>, !torch.vtensor<[3,?],f8E4M3FN>
}

// The opset of the module, constants, and omitted inputs.
// CHECK-LABEL: module @scope
module @scope attributes {torch.onnx_meta.opset_version = 19 : si64} {
  // CHECK-LABEL: func.func @constants(
  // CHECK-SAME: %[[Q:.+]]: tensor<2xi8>, %[[E:.+]]: tensor<2xf32>) -> tensor<2xf32>
  func.func @constants(%q: !torch.vtensor<[2],si8>, %unused: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
    // CHECK-DAG: %[[S:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
    // CHECK-DAG: %[[Z:.+]] = arith.constant dense<-3> : tensor<i8>
    // CHECK-NOT: torch.
    // CHECK: quant_float.dequantize %[[Q]], %[[S]], %[[Z]] opset 19
    // CHECK: quant_float.quantize %{{.*}}, %[[S]] opset 19 : tensor<2xf32>, tensor<f32> to tensor<2xui8>
    // CHECK: quant_float.cast %{{.*}} like opset 19 : tensor<2xui8> to tensor<2xf32>
    %s = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense<0.5> : tensor<f32>} : () -> !torch.vtensor<[],f32>
    %z = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense<-3> : tensor<si8>} : () -> !torch.vtensor<[],si8>
    %none = "torch.constant.none"() : () -> !torch.none
    %0 = "torch.operator"(%q, %s, %z) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[2],si8>, !torch.vtensor<[],f32>, !torch.vtensor<[],si8>) -> !torch.vtensor<[2],f32>
    %1 = "torch.operator"(%0, %s, %none) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[2],f32>, !torch.vtensor<[],f32>, !torch.none) -> !torch.vtensor<[2],ui8>
    %2 = "torch.operator"(%1, %0) <{name = "onnx.CastLike"}> : (!torch.vtensor<[2],ui8>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    func.return %2 : !torch.vtensor<[2],f32>
  }
}

// Next to other ops of torch-mlir, there are its own casts, which are signless.
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: %[[X:.+]]: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],ui8>
func.func @mixed(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],ui8> {
  // CHECK: %[[R:.+]] = "torch.operator"(%[[X]])
  // CHECK: %[[T:.+]] = "torch_c.to_builtin_tensor"(%[[R]]) : (!torch.vtensor<[4],f32>) -> tensor<4xf32>
  // CHECK: %[[C:.+]] = quant_float.cast %[[T]] opset 28 : tensor<4xf32> to tensor<4xui8>
  // CHECK: %[[I:.+]] = quant_float.cast %[[C]] opset 28 : tensor<4xui8> to tensor<4xi8>
  // CHECK: %[[F:.+]] = "torch_c.from_builtin_tensor"(%[[I]]) : (tensor<4xi8>) -> !torch.vtensor<[4],ui8>
  // CHECK: "torch.operator"(%[[F]])
  %0 = "torch.operator"(%x) <{name = "onnx.Relu"}> : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  %1 = "torch.operator"(%0) <{name = "onnx.Cast"}> {torch.onnx.to = 2 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],ui8>
  %2 = "torch.operator"(%1) <{name = "onnx.Identity"}> : (!torch.vtensor<[4],ui8>) -> !torch.vtensor<[4],ui8>
  func.return %2 : !torch.vtensor<[4],ui8>
}

// CHECK-LABEL: func.func @declared_less(
// CHECK-SAME: tensor<4xf16>) -> (tensor<?xf32>, tensor<*xf32>)
func.func @declared_less(%x: !torch.vtensor<[4],f16>) -> (!torch.vtensor<[?],f32>, !torch.vtensor<*,f32>) {
  // CHECK: tensor.cast %{{.*}} : tensor<4xf32> to tensor<?xf32>
  // CHECK: tensor.cast %{{.*}} : tensor<4xf32> to tensor<*xf32>
  %0 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 1 : si64} : (!torch.vtensor<[4],f16>) -> !torch.vtensor<[?],f32>
  %1 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 1 : si64} : (!torch.vtensor<[4],f16>) -> !torch.vtensor<*,f32>
  func.return %0, %1 : !torch.vtensor<[?],f32>, !torch.vtensor<*,f32>
}

// Callers have torch types.
// CHECK-LABEL: func.func private @called(
// CHECK-SAME: !torch.vtensor<[4],f16>) -> !torch.vtensor<[4],f32>
func.func private @called(%x: !torch.vtensor<[4],f16>) -> !torch.vtensor<[4],f32> {
  // CHECK: torch_c.to_builtin_tensor
  // CHECK: torch_c.from_builtin_tensor
  %0 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 1 : si64} : (!torch.vtensor<[4],f16>) -> !torch.vtensor<[4],f32>
  func.return %0 : !torch.vtensor<[4],f32>
}
func.func @caller(%x: !torch.vtensor<[4],f16>) -> !torch.vtensor<[4],f32> {
  %0 = func.call @called(%x) : (!torch.vtensor<[4],f16>) -> !torch.vtensor<[4],f32>
  func.return %0 : !torch.vtensor<[4],f32>
}

// Values that an unknown op or no op returns keep their type.
// CHECK-LABEL: func.func @never_returned() -> !torch.vtensor<[2],unk>
func.func @never_returned() -> !torch.vtensor<[2],unk> {
  "x.unreachable"() : () -> ()
}
// CHECK-LABEL: func.func @in_a_loop() -> !torch.vtensor<[2],unk>
func.func @in_a_loop() -> !torch.vtensor<[2],unk> {
  cf.br ^loop
^loop:
  cf.br ^loop
}
// CHECK-LABEL: func.func @unknown_return(
// CHECK-SAME: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f16>
func.func @unknown_return(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f16> {
  // CHECK: %[[R:.+]] = "torch_c.from_builtin_tensor"
  // CHECK: "x.return"(%[[R]]) : (!torch.vtensor<[2],f16>) -> ()
  %0 = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = 10 : si64} : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f16>
  "x.return"(%0) : (!torch.vtensor<[2],f16>) -> ()
}
