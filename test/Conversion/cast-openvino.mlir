// Casts in the mode openvino without an equivalent in ONNX.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg -split-input-file | FileCheck %s

// Converted to 32 bits, with the smallest integer for values out of range, and then truncated to
// the low bits.
// CHECK-LABEL: func.func @to_i8(
// CHECK: ^bb0(%[[X:.+]]: f32, %{{.+}}: i8):
// CHECK: %[[LOW:.+]] = arith.constant -2.14748365E+9 : f32
// CHECK: %[[ABOVE:.+]] = arith.cmpf ogt, %[[X]], %[[LOW]] : f32
// CHECK: %[[HIGH:.+]] = arith.constant 2.14748365E+9 : f32
// CHECK: %[[BELOW:.+]] = arith.cmpf olt, %[[X]], %[[HIGH]] : f32
// CHECK: %[[INSIDE:.+]] = arith.andi %[[ABOVE]], %[[BELOW]] : i1
// CHECK-DAG: %[[LOWEST:.+]] = arith.constant -2147483648 : i32
// CHECK-DAG: %[[CUT:.+]] = arith.fptosi %[[X]] : f32 to i32
// CHECK: %[[N:.+]] = arith.select %[[INSIDE]], %[[CUT]], %[[LOWEST]] : i32
// CHECK: %[[R:.+]] = quant_float.cast %[[N]] opset 28 : i32 to i8
// CHECK: linalg.yield %[[R]] : i8
func.func @to_i8(%x: tensor<?x8xf32>) -> tensor<?x8xi8> {
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<?x8xf32> to tensor<?x8xi8>
  return %0 : tensor<?x8xi8>
}

// -----

// f64 is not rounded in conversions to integers.
// CHECK-LABEL: func.func @to_ui64(
// CHECK: ^bb0(%[[X:.+]]: f64, %{{.+}}: i64):
// CHECK: arith.subf %[[X]], %{{.+}} : f64
// CHECK: arith.xori
// CHECK: arith.cmpf oge, %[[X]], %{{.+}} : f64
// CHECK: quant_float.cast %{{.+}} opset 28 : i64 to ui64
func.func @to_ui64(%x: tensor<4xf64>) -> tensor<4xui64> {
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<4xf64> to tensor<4xui64>
  return %0 : tensor<4xui64>
}

// -----

// NaN converts to false.
// CHECK-LABEL: func.func @to_bool(
// CHECK: %[[X:.+]] = quant_float.cast %{{.+}} opset 28 : f16 to f32
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[R:.+]] = arith.cmpf one, %[[X]], %[[ZERO]] : f32
// CHECK: quant_float.storage_cast %[[R]] : i1 to i8
func.func @to_bool(%x: tensor<4xf16>) -> tensor<4xi1> {
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<4xf16> to tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @to_scale(
// CHECK: %[[BITS:.+]] = arith.bitcast %{{.+}} : f32 to i32
// CHECK: arith.minui
// CHECK: arith.trunci %{{.+}} : i32 to i8
// CHECK: arith.bitcast %{{.+}} : i8 to f8E8M0FNU
func.func @to_scale(%x: tensor<4xf32>) -> tensor<4xf8E8M0FNU> {
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<4xf32> to tensor<4xf8E8M0FNU>
  return %0 : tensor<4xf8E8M0FNU>
}

// -----

// CHECK-LABEL: func.func @to_float4(
// CHECK: %[[ENCODING:.+]] = quant_float.storage_cast %{{.+}} : f4E2M1FN to i8
// CHECK: %[[NAN:.+]] = arith.cmpf uno, %[[X:.+]], %[[X]] : f32
// CHECK: %[[R:.+]] = arith.select %[[NAN]], %{{.+}}, %[[ENCODING]] : i8
// CHECK: linalg.yield %[[R]] : i8
func.func @to_float4(%x: tensor<4xf32>) -> tensor<4xf4E2M1FN> {
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<4xf32> to tensor<4xf4E2M1FN>
  return %0 : tensor<4xf4E2M1FN>
}

// -----

// CHECK-LABEL: func.func @to_bf16(
// CHECK: %[[X:.+]] = quant_float.cast %{{.+}} opset 28 : i32 to f32
// CHECK: %[[BITS:.+]] = arith.bitcast %[[X]] : f32 to i32
// CHECK: arith.trunci %{{.+}} : i32 to i16
// CHECK: arith.bitcast %{{.+}} : i16 to bf16
func.func @to_bf16(%x: tensor<4xi32>) -> tensor<4xbf16> {
  %0 = quant_float.cast %x mode openvino opset 1 : tensor<4xi32> to tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
