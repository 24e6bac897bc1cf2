// RUN: quant-float-opt %s --quant-float-recover-dequantize | FileCheck %s

// Groups, as many zero points as scales, and a product in f16 that becomes one of f32.

// CHECK-LABEL: func.func @groups
// CHECK-DAG:     %[[W:.+]] = quant_float.constant dense<{{.+}}> : tensor<2x4xui4>
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<{{\[\[}}5.000000e-01, 2.500000e-01], [1.000000e+00, 2.000000e+00]]> : tensor<2x2xf16>
// CHECK-DAG:     %[[Z:.+]] = quant_float.constant dense<{{\[\[}}8, 7], [6, 5]]> : tensor<2x2xui4>
// CHECK:         %[[Y:.+]] = quant_float.dequantize %[[W]], %[[S]], %[[Z]] axis 1 block_size 2 opset 28
// CHECK-SAME:      : tensor<2x4xui4>, tensor<2x2xf16>, tensor<2x2xui4> to tensor<2x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @groups() -> tensor<2x4xf32> {
  %w = quant_float.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 15]]]> : tensor<2x2x2xui4>
  %z = quant_float.constant dense<[[[8], [7]], [[6], [5]]]> : tensor<2x2x1xui4>
  %s = arith.constant dense<[[[0.5], [0.25]], [[1.0], [2.0]]]> : tensor<2x2x1xf16>
  %0 = quant_float.node "Convert"(%w) opset 13 domain "openvino" attributes {destination_type = f16} : (tensor<2x2x2xui4>) -> tensor<2x2x2xf16>
  %1 = quant_float.node "Convert"(%z) opset 13 domain "openvino" attributes {destination_type = f16} : (tensor<2x2x1xui4>) -> tensor<2x2x1xf16>
  %2 = quant_float.node "Subtract"(%0, %1) opset 13 domain "openvino" : (tensor<2x2x2xf16>, tensor<2x2x1xf16>) -> tensor<2x2x2xf16>
  %3 = quant_float.node "Multiply"(%2, %s) opset 13 domain "openvino" : (tensor<2x2x2xf16>, tensor<2x2x1xf16>) -> tensor<2x2x2xf16>
  %shape = arith.constant dense<[2, 4]> : tensor<2xi64>
  %4 = quant_float.node "Reshape"(%3, %shape) opset 13 domain "openvino" : (tensor<2x2x2xf16>, tensor<2xi64>) -> tensor<2x4xf16>
  %5 = quant_float.node "Convert"(%4) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<2x4xf16>) -> tensor<2x4xf32>
  return %5 : tensor<2x4xf32>
}

// One scale for each row. The scale comes first, and there is a single zero point.

// CHECK-LABEL: func.func @rows
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK-DAG:     %[[Z:.+]] = quant_float.constant dense<3> : tensor<2xui8>
// CHECK:         quant_float.dequantize %{{.+}}, %[[S]], %[[Z]] axis 0 opset 28 : tensor<2x3xui8>
func.func @rows() -> tensor<2x3xf32> {
  %w = quant_float.constant dense<[[1, 2, 3], [4, 5, 255]]> : tensor<2x3xui8>
  %z = quant_float.constant dense<3> : tensor<ui8>
  %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %0 = quant_float.node "Convert"(%w) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<2x3xui8>) -> tensor<2x3xf32>
  %1 = quant_float.node "Convert"(%z) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<ui8>) -> tensor<f32>
  %2 = quant_float.node "Subtract"(%0, %1) opset 13 domain "openvino" : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = quant_float.node "Multiply"(%s, %2) opset 13 domain "openvino" : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// A scale of scales, and powers of two in their storage type.

// CHECK-LABEL: func.func @levels
// CHECK:         %[[T:.+]] = quant_float.dequantize %{{.+}}, %{{.+}} opset 28 : tensor<2x1xf8E4M3FN>, tensor<f32> to tensor<2x1xf32>
// CHECK:         quant_float.dequantize %{{.+}}, %[[T]] axis 1 block_size 2 opset 28 : tensor<2x2xf4E2M1FN>, tensor<2x1xf32> to tensor<2x2xf32>
// CHECK:         quant_float.dequantize %{{.+}}, %{{.+}} axis 1 block_size 2 opset 28 : tensor<2x2xf4E2M1FN>, tensor<2x1xf8E8M0FNU> to tensor<2x2xf32>
func.func @levels() -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = arith.constant dense<[[[1.0, 2.0]], [[3.0, 6.0]]]> : tensor<2x1x2xf4E2M1FN>
  %shape = arith.constant dense<[2, 2]> : tensor<2xi64>
  %s = arith.constant dense<[[1.5], [448.0]]> : tensor<2x1xf8E4M3FN>
  %g = arith.constant dense<0.25> : tensor<f32>
  %0 = quant_float.node "Convert"(%s) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<2x1xf8E4M3FN>) -> tensor<2x1xf32>
  %1 = quant_float.node "Multiply"(%0, %g) opset 13 domain "openvino" : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %groups = arith.constant dense<[2, 1, 1]> : tensor<3xi64>
  %2 = quant_float.node "Reshape"(%1, %groups) opset 13 domain "openvino" : (tensor<2x1xf32>, tensor<3xi64>) -> tensor<2x1x1xf32>
  %3 = quant_float.node "Convert"(%w) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<2x1x2xf4E2M1FN>) -> tensor<2x1x2xf32>
  %4 = quant_float.node "Multiply"(%3, %2) opset 13 domain "openvino" : (tensor<2x1x2xf32>, tensor<2x1x1xf32>) -> tensor<2x1x2xf32>
  %5 = quant_float.node "Reshape"(%4, %shape) opset 13 domain "openvino" : (tensor<2x1x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %e = arith.constant dense<[[[2.0]], [[0.5]]]> : tensor<2x1x1xf8E8M0FNU>
  %6 = quant_float.node "Convert"(%e) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<2x1x1xf8E8M0FNU>) -> tensor<2x1x1xf32>
  %7 = quant_float.node "Multiply"(%3, %6) opset 13 domain "openvino" : (tensor<2x1x2xf32>, tensor<2x1x1xf32>) -> tensor<2x1x2xf32>
  %8 = quant_float.node "Reshape"(%7, %shape) opset 13 domain "openvino" : (tensor<2x1x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %5, %8 : tensor<2x2xf32>, tensor<2x2xf32>
}

// i1 and f64 scales are types that dequantize does not support.

// CHECK-LABEL: func.func @types
// CHECK-NOT:     quant_float.dequantize
// CHECK:         return
func.func @types() -> (tensor<3xf32>, tensor<2xf64>) {
  %m = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %s = arith.constant dense<2.0> : tensor<f32>
  %0 = quant_float.node "Convert"(%m) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<3xi1>) -> tensor<3xf32>
  %1 = quant_float.node "Multiply"(%0, %s) opset 13 domain "openvino" : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %w = arith.constant dense<[1, 2]> : tensor<2xi8>
  %t = arith.constant dense<2.0> : tensor<f64>
  %2 = quant_float.node "Convert"(%w) opset 13 domain "openvino" attributes {destination_type = f64} : (tensor<2xi8>) -> tensor<2xf64>
  %3 = quant_float.node "Multiply"(%2, %t) opset 13 domain "openvino" : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %1, %3 : tensor<3xf32>, tensor<2xf64>
}

// Not recovered: differences of bytes that bf16 does not represent, scales for two of three
// dimensions, and a product with a runtime value.

// CHECK-LABEL: func.func @others
// CHECK-NOT:     quant_float.dequantize
// CHECK:         return
func.func @others(%x: tensor<2x3xf32>) -> (tensor<2x3xbf16>, tensor<2x3x2xf32>, tensor<2x3xf32>) {
  %w = quant_float.constant dense<[[1, 2, 3], [4, 5, 255]]> : tensor<2x3xui8>
  %z = quant_float.constant dense<3> : tensor<ui8>
  %s = arith.constant dense<0.5> : tensor<bf16>
  %0 = quant_float.node "Convert"(%w) opset 13 domain "openvino" attributes {destination_type = bf16} : (tensor<2x3xui8>) -> tensor<2x3xbf16>
  %1 = quant_float.node "Convert"(%z) opset 13 domain "openvino" attributes {destination_type = bf16} : (tensor<ui8>) -> tensor<bf16>
  %2 = quant_float.node "Subtract"(%0, %1) opset 13 domain "openvino" : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
  %3 = quant_float.node "Multiply"(%2, %s) opset 13 domain "openvino" : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
  %c = arith.constant dense<[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]> : tensor<2x3x2xi8>
  %t = arith.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %u = arith.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %4 = quant_float.node "Convert"(%c) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<2x3x2xi8>) -> tensor<2x3x2xf32>
  %5 = quant_float.node "Add"(%4, %u) opset 13 domain "openvino" : (tensor<2x3x2xf32>, tensor<1x3x1xf32>) -> tensor<2x3x2xf32>
  %6 = quant_float.node "Multiply"(%5, %t) opset 13 domain "openvino" : (tensor<2x3x2xf32>, tensor<2x1x2xf32>) -> tensor<2x3x2xf32>
  %7 = quant_float.node "Convert"(%w) opset 13 domain "openvino" attributes {destination_type = f32} : (tensor<2x3xui8>) -> tensor<2x3xf32>
  %8 = quant_float.node "Multiply"(%7, %x) opset 13 domain "openvino" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3, %6, %8 : tensor<2x3xbf16>, tensor<2x3x2xf32>, tensor<2x3xf32>
}
