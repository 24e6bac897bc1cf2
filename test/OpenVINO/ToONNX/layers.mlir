// The lowering of OpenVINO's layers.
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @arithmetic(
// CHECK-SAME: %[[X:.+]]: tensor<2x?xf32>, %[[Y:.+]]: tensor<1xf32>
func.func @arithmetic(%x: tensor<2x?xf32>, %y: tensor<1xf32>) -> tensor<2x?xf32> {
  // CHECK-NEXT: %[[A:.+]] = quant_float.node "Add"(%[[X]], %[[Y]]) opset 21 name "a" : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  %0 = quant_float.node "Add"(%x, %y) opset 1 domain "openvino" attributes {auto_broadcast = "numpy"} name "a" : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %[[S:.+]] = quant_float.node "Sub"(%[[A]], %[[Y]])
  %1 = quant_float.node "Subtract"(%0, %y) opset 14 domain "openvino" : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %[[M:.+]] = quant_float.node "Mul"(%[[S]], %[[S]])
  %2 = quant_float.node "Multiply"(%1, %1) opset 1 domain "openvino" attributes {auto_broadcast = "none"} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: %[[D:.+]] = quant_float.node "Div"(%[[M]], %[[Y]])
  %3 = quant_float.node "Divide"(%2, %y) opset 1 domain "openvino" attributes {m_pythondiv = true} : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: return %[[D]]
  return %3 : tensor<2x?xf32>
}

// -----

// Only signed integers have a remainder that needs a correction.
// CHECK-LABEL: func.func @divide_integers(
// CHECK-SAME: %[[X:.+]]: tensor<4xi32>, %[[Y:.+]]: tensor<4xi32>
func.func @divide_integers(%x: tensor<4xi32>, %y: tensor<4xi32>, %u: tensor<4xui8>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xui8>) {
  // CHECK: %[[Q:.+]] = quant_float.node "Div"(%[[X]], %[[Y]])
  // CHECK: %[[P:.+]] = quant_float.node "Mul"(%[[Q]], %[[Y]])
  // CHECK: %[[E:.+]] = quant_float.node "Equal"(%[[P]], %[[X]])
  // CHECK: %[[R:.+]] = quant_float.node "Not"(%[[E]])
  // CHECK: %[[NX:.+]] = quant_float.node "Less"(%[[X]], %{{.+}})
  // CHECK: %[[NY:.+]] = quant_float.node "Less"(%[[Y]], %{{.+}})
  // CHECK: %[[N:.+]] = quant_float.node "Xor"(%[[NX]], %[[NY]])
  // CHECK: %[[B:.+]] = quant_float.node "And"(%[[R]], %[[N]])
  // CHECK: %[[ONE:.+]] = quant_float.cast %[[B]]
  // CHECK: %[[DOWN:.+]] = quant_float.node "Sub"(%[[Q]], %[[ONE]])
  %0 = quant_float.node "Divide"(%x, %y) opset 1 domain "openvino" : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: %[[CUT:.+]] = quant_float.node "Div"(%[[X]], %[[Y]])
  // CHECK-NEXT: %[[U:.+]] = quant_float.node "Div"(
  %1 = quant_float.node "Divide"(%x, %y) opset 1 domain "openvino" attributes {m_pythondiv = false} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = quant_float.node "Divide"(%u, %u) opset 1 domain "openvino" : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  // CHECK-NEXT: return %[[DOWN]], %[[CUT]], %[[U]]
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xui8>
}

// -----

// Types are case-insensitive.
// CHECK-LABEL: func.func @activations(
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>, %[[U:.+]]: tensor<4xui8>
func.func @activations(%x: tensor<4xf32>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xui8>, tensor<4xf32>) {
  // CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: %[[P:.+]] = quant_float.node "Greater"(%[[X]], %[[ZERO]])
  // CHECK: %[[R:.+]] = quant_float.node "Where"(%[[P]], %[[X]], %[[ZERO]])
  %0 = quant_float.node "ReLU"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[LOW:.+]] = arith.constant dense<-1.500000e+00> : tensor<f32>
  // CHECK: %[[GREATER:.+]] = quant_float.node "Greater"(%[[R]], %[[LOW]])
  // CHECK: %[[ABOVE:.+]] = quant_float.node "Where"(%[[GREATER]], %[[R]], %[[LOW]])
  // CHECK: %[[HIGH:.+]] = arith.constant dense<6.000000e+00> : tensor<f32>
  // CHECK: %[[LESS:.+]] = quant_float.node "Less"(%[[ABOVE]], %[[HIGH]])
  // CHECK: %[[C:.+]] = quant_float.node "Where"(%[[LESS]], %[[ABOVE]], %[[HIGH]])
  %1 = quant_float.node "Clamp"(%0) opset 1 domain "openvino" attributes {min = -1.5 : f64, max = 6.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // The integer bounds inside of the given ones, clamped to the range of the
  // type.
  // CHECK: quant_float.constant dense<0> : tensor<ui8>
  // CHECK: quant_float.constant dense<6> : tensor<ui8>
  // CHECK: %[[I:.+]] = quant_float.node "Where"(
  %2 = quant_float.node "Clamp"(%u) opset 1 domain "openvino" attributes {min = -1.5 : f64, max = 6.5 : f64} : (tensor<4xui8>) -> tensor<4xui8>
  // CHECK: %[[S:.+]] = quant_float.node "Sigmoid"(%[[X]])
  %3 = quant_float.node "sigmoid"(%x) opset 1 domain "openvino" : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[R]], %[[C]], %[[I]], %[[S]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xui8>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @fake_quantize(
// CHECK-SAME: %[[X:.+]]: tensor<2x?xf32>, %[[IL:.+]]: tensor<f32>, %[[IH:.+]]: tensor<f32>, %[[OL:.+]]: tensor<2x1xf32>, %[[OH:.+]]: tensor<2x1xf32>
func.func @fake_quantize(%x: tensor<2x?xf32>, %il: tensor<f32>, %ih: tensor<f32>, %ol: tensor<2x1xf32>, %oh: tensor<2x1xf32>) -> tensor<2x?xf32> {
  // CHECK: %[[L:.+]] = arith.constant dense<2.550000e+02> : tensor<f32>
  // CHECK: %[[IR:.+]] = quant_float.node "Sub"(%[[IH]], %[[IL]])
  // CHECK: %[[OR:.+]] = quant_float.node "Sub"(%[[OH]], %[[OL]])
  // CHECK: %[[D:.+]] = quant_float.node "Sub"(%[[X]], %[[IL]])
  // CHECK: %[[RATIO:.+]] = quant_float.node "Div"(%[[D]], %[[IR]])
  // CHECK: %[[M:.+]] = quant_float.node "Mul"(%[[RATIO]], %[[L]])
  // CHECK: %[[LEVEL:.+]] = quant_float.node "Round"(%[[M]])
  // CHECK: %[[PART:.+]] = quant_float.node "Div"(%[[LEVEL]], %[[L]])
  // CHECK: %[[PRODUCT:.+]] = quant_float.node "Mul"(%[[PART]], %[[OR]])
  // CHECK: %[[INSIDE:.+]] = quant_float.node "Add"(%[[PRODUCT]], %[[OL]])
  // CHECK: %[[LEAST:.+]] = quant_float.node "Min"(%[[IL]], %[[IH]])
  // CHECK: %[[MOST:.+]] = quant_float.node "Max"(%[[IL]], %[[IH]])
  // CHECK: %[[BELOW:.+]] = quant_float.node "LessOrEqual"(%[[X]], %[[LEAST]])
  // CHECK: %[[ABOVE:.+]] = quant_float.node "Greater"(%[[X]], %[[MOST]])
  // CHECK: %[[UPPER:.+]] = quant_float.node "Where"(%[[ABOVE]], %[[OH]], %[[INSIDE]])
  // CHECK: %[[R:.+]] = quant_float.node "Where"(%[[BELOW]], %[[OL]], %[[UPPER]]) {{.+}} -> tensor<2x?xf32>
  // CHECK: return %[[R]]
  %0 = quant_float.node "FakeQuantize"(%x, %il, %ih, %ol, %oh) opset 1 domain "openvino" attributes {levels = 256 : i64, auto_broadcast = "numpy"} : (tensor<2x?xf32>, tensor<f32>, tensor<f32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// CHECK-LABEL: func.func @fake_quantize_half(
// CHECK: quant_float.cast %{{.+}} : tensor<4xf16> to tensor<4xf32>
// CHECK: quant_float.cast %{{.+}} : tensor<*xf32> to tensor<*xf16>
func.func @fake_quantize_half(%x: tensor<4xf16>, %l: tensor<f16>, %h: tensor<f16>) -> tensor<4xf16> {
  %0 = quant_float.node "FakeQuantize"(%x, %l, %h, %l, %h) opset 1 domain "openvino" attributes {levels = 256 : i64} : (tensor<4xf16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// CHECK-LABEL: func.func @movement(
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>, %[[I:.+]]: tensor<2xi32>
func.func @movement(%x: tensor<2x3x4xf32>, %i: tensor<2xi32>) -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<4x3x2xf32>, tensor<2x3x2xf32>, tensor<2x6x4xf32>) {
  %s = arith.constant dense<[-1, 4]> : tensor<2xi64>
  // CHECK: quant_float.node "Reshape"(%[[X]], %{{.+}}) opset 21 attributes {allowzero = 1 : i64}
  %0 = quant_float.node "Reshape"(%x, %s) opset 1 domain "openvino" attributes {special_zero = false} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  // CHECK: quant_float.node "Reshape"(%[[X]], %{{.+}}) opset 21 attributes {allowzero = 0 : i64}
  %1 = quant_float.node "Reshape"(%x, %s) opset 1 domain "openvino" attributes {special_zero = true} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  %o = arith.constant dense<[2, 0, 1]> : tensor<3xi64>
  // CHECK: quant_float.node "Transpose"(%[[X]]) opset 21 attributes {perm = array<i64: 2, 0, 1>}
  %2 = quant_float.node "Transpose"(%x, %o) opset 1 domain "openvino" : (tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<4x2x3xf32>
  %e = arith.constant dense<> : tensor<0xi64>
  // CHECK: quant_float.node "Transpose"(%[[X]]) opset 21 :
  %3 = quant_float.node "Transpose"(%x, %e) opset 1 domain "openvino" : (tensor<2x3x4xf32>, tensor<0xi64>) -> tensor<4x3x2xf32>
  %a = arith.constant dense<-1> : tensor<i32>
  // CHECK: %[[WIDE:.+]] = quant_float.cast %[[I]] opset 28 : tensor<2xi32> to tensor<2xi64>
  // From version 8 on, elements out of bounds are zeros.
  // CHECK: %[[SIZES:.+]] = quant_float.node "Shape"(%[[X]])
  // CHECK: %[[SIZE:.+]] = quant_float.node "Gather"(%[[SIZES]], %{{.+}}) opset 21 attributes {axis = 0 : i64}
  // CHECK: %[[FOUND:.+]] = quant_float.node "And"
  // CHECK: %[[SAFE:.+]] = quant_float.node "Where"(%[[FOUND]], %[[WIDE]], %{{.+}})
  // CHECK: %[[G:.+]] = quant_float.node "Gather"(%[[X]], %[[SAFE]]) opset 21 attributes {axis = -1 : i64}
  // CHECK: quant_float.node "Where"(%[[FOUND]], %[[G]], %{{.+}}) opset 21
  %4 = quant_float.node "Gather"(%x, %i, %a) opset 8 domain "openvino" attributes {batch_dims = 0 : i64} : (tensor<2x3x4xf32>, tensor<2xi32>, tensor<i32>) -> tensor<2x3x2xf32>
  // CHECK: quant_float.node "Concat"(%[[X]], %[[X]]) opset 21 attributes {axis = 1 : i64}
  %5 = quant_float.node "Concat"(%x, %x) opset 1 domain "openvino" attributes {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<4x3x2xf32>, tensor<2x3x2xf32>, tensor<2x6x4xf32>
}

// -----

// Constant indices in bounds need no zeros.
// CHECK-LABEL: func.func @gather_constant(
// CHECK-NOT: "Where"
// CHECK: quant_float.node "Gather"(
func.func @gather_constant(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = arith.constant dense<[-4, 3]> : tensor<2xi64>
  %a = arith.constant dense<0> : tensor<1xi64>
  %0 = quant_float.node "Gather"(%x, %i, %a) opset 8 domain "openvino" : (tensor<4xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// The batch dimensions of Gather-7, counted from the last axis of the indices,
// may be none.
// CHECK-LABEL: func.func @gather_scalar(
// CHECK: quant_float.node "Gather"(
func.func @gather_scalar(%x: tensor<4xf32>, %i: tensor<1xi64>) -> tensor<1xf32> {
  %a = arith.constant dense<0> : tensor<1xi64>
  %0 = quant_float.node "Gather"(%x, %i, %a) opset 7 domain "openvino" attributes {batch_dims = -1 : i64} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// CHECK-LABEL: func.func @matmuls(
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>, %[[W:.+]]: tensor<5x4xf32>, %[[V:.+]]: tensor<3xf32>
func.func @matmuls(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %v: tensor<3xf32>) -> (tensor<2x3x5xf32>, tensor<2x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK: %[[T:.+]] = quant_float.node "Transpose"(%[[W]]) opset 21 attributes {perm = array<i64: 1, 0>}
  // CHECK: quant_float.node "MatMul"(%[[X]], %[[T]]) opset 21 : {{.+}} -> tensor<2x3x5xf32>
  %0 = quant_float.node "MatMul"(%x, %w) opset 1 domain "openvino" attributes {transpose_a = false, transpose_b = true} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  // A vector is not transposed.
  // CHECK: quant_float.node "MatMul"(%[[V]], %[[X]])
  %1 = quant_float.node "MatMul"(%v, %x) opset 1 domain "openvino" attributes {transpose_a = true} : (tensor<3xf32>, tensor<2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK: quant_float.node "Softmax"(%[[X]]) opset 21 attributes {axis = 1 : i64}
  %2 = quant_float.node "SoftMax"(%x) opset 1 domain "openvino" : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: quant_float.node "Softmax"(%[[X]]) opset 21 attributes {axis = -1 : i64}
  %3 = quant_float.node "Softmax"(%x) opset 8 domain "openvino" attributes {axis = -1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0, %1, %2, %3 : tensor<2x3x5xf32>, tensor<2x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @convolution(
func.func @convolution(%x: tensor<1x2x8xf32>, %w: tensor<3x2x3xf32>) -> (tensor<1x3x5xf32>, tensor<1x3x4xf32>) {
  // CHECK: quant_float.node "Conv"(%{{.+}}) opset 21 attributes {auto_pad = "NOTSET", dilations = array<i64: 1>, pads = array<i64: 1, 3>, strides = array<i64: 2>}
  %0 = quant_float.node "Convolution"(%x, %w) opset 1 domain "openvino" attributes {auto_pad = "explicit", dilations = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 3>, strides = array<i64: 2>} : (tensor<1x2x8xf32>, tensor<3x2x3xf32>) -> tensor<1x3x5xf32>
  // Names are case-insensitive, and unknown ones are ignored, as in OpenVINO.
  // CHECK: quant_float.node "Conv"(%{{.+}}) opset 21 attributes {auto_pad = "SAME_LOWER", strides = array<i64: 2>}
  %1 = quant_float.node "Convolution"(%x, %w) opset 1 domain "openvino" attributes {auto_pad = "Same_Lower", output = "3", pads_begin = array<i64: 9>, pads_end = array<i64: 9>, strides = array<i64: 2>} : (tensor<1x2x8xf32>, tensor<3x2x3xf32>) -> tensor<1x3x4xf32>
  return %0, %1 : tensor<1x3x5xf32>, tensor<1x3x4xf32>
}

// -----

// Too large to be transposed.
// CHECK-LABEL: func.func @huge_weights(
// CHECK: quant_float.node "Transpose"(
func.func @huge_weights(%x: tensor<1x4294967296xf32>) -> tensor<*xf32> {
  %w = arith.constant dense<7.0> : tensor<4294967296x4294967296xf32>
  %0 = quant_float.node "MatMul"(%x, %w) opset 1 domain "openvino" attributes {transpose_b = true} : (tensor<1x4294967296xf32>, tensor<4294967296x4294967296xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// A splat may represent more elements than fit into memory.
// CHECK-LABEL: func.func @huge_splat(
// CHECK: quant_float.node "Where"
func.func @huge_splat(%x: tensor<4xf32>) -> tensor<1000000000000xf32> {
  %i = arith.constant dense<0> : tensor<1000000000000xi64>
  %a = arith.constant dense<0> : tensor<i64>
  %0 = quant_float.node "Gather"(%x, %i, %a) opset 8 domain "openvino" : (tensor<4xf32>, tensor<1000000000000xi64>, tensor<i64>) -> tensor<1000000000000xf32>
  return %0 : tensor<1000000000000xf32>
}

// Constants are transposed. Loops handle the ops before them.
// CHECK-LABEL: func.func @weights(
// CHECK-SAME: %[[X:.+]]: tensor<1x3xf32>
// CHECK: %[[W:.+]] = arith.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK: quant_float.node "MatMul"(%[[X]], %[[W]])
// CHECK: %[[R:.+]] = arith.constant dense_resource<{{.+}}> : tensor<3x2xf32>
// CHECK: quant_float.node "MatMul"(%[[X]], %[[R]])
// CHECK: %[[S:.+]] = arith.constant dense<7.000000e+00> : tensor<3x2xf32>
// CHECK: quant_float.node "MatMul"(%[[X]], %[[S]])
// CHECK: %[[D:.+]] = quant_float.node "Transpose"(
// CHECK: quant_float.node "MatMul"(%[[X]], %[[D]])
// CHECK: weights_1: "0x040000000000803F00008040000000400000A040000040400000C040"
func.func @weights(%x: tensor<1x3xf32>, %d: tensor<2x3xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = quant_float.node "MatMul"(%x, %w) opset 1 domain "openvino" attributes {transpose_b = true} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  %r = arith.constant dense_resource<weights> : tensor<2x3xf32>
  %1 = quant_float.node "MatMul"(%x, %r) opset 1 domain "openvino" attributes {transpose_b = true} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  %s = arith.constant dense<7.0> : tensor<2x3xf32>
  %2 = quant_float.node "MatMul"(%x, %s) opset 1 domain "openvino" attributes {transpose_b = true} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  %3 = quant_float.node "MatMul"(%x, %d) opset 1 domain "openvino" attributes {transpose_b = true} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  return %0, %1, %2, %3 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F0000004000004040000080400000A0400000C040"
    }
  }
#-}
