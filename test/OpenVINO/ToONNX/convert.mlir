// OpenVINO's Convert is a cast in the mode openvino. It is canonicalized: float8 is converted
// through f16 without saturation, and conversions that are equivalent to ONNX casts become such.
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @to_float8(
// CHECK-SAME: %[[X:.+]]: tensor<?x8xf32>, %[[H:.+]]: tensor<8xf16>, %[[I:.+]]: tensor<8xi32>, %[[D:.+]]: tensor<8xf64>
func.func @to_float8(%x: tensor<?x8xf32>, %h: tensor<8xf16>, %i: tensor<8xi32>, %d: tensor<8xf64>) -> (tensor<?x8xf8E4M3FN>, tensor<8xf8E5M2>, tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN>) {
  // CHECK: %[[HALF:.+]] = quant_float.cast %[[X]] opset 28 : tensor<?x8xf32> to tensor<?x8xf16>
  // CHECK: %[[A:.+]] = quant_float.cast %[[HALF]] opset 28 saturate false : tensor<?x8xf16> to tensor<?x8xf8E4M3FN>
  %0 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = f8E4M3FN} name "c" : (tensor<?x8xf32>) -> tensor<?x8xf8E4M3FN>
  // CHECK: %[[B:.+]] = quant_float.cast %[[H]] opset 28 saturate false : tensor<8xf16> to tensor<8xf8E5M2>
  %1 = quant_float.node "Convert"(%h) opset 1 domain "openvino" attributes {destination_type = f8E5M2} : (tensor<8xf16>) -> tensor<8xf8E5M2>
  // CHECK: %[[OF_INTEGER:.+]] = quant_float.cast %[[I]] opset 28 : tensor<8xi32> to tensor<8xf16>
  // CHECK: %[[C:.+]] = quant_float.cast %[[OF_INTEGER]] opset 28 saturate false
  %2 = quant_float.node "ConvertLike"(%i, %0) opset 1 domain "openvino" : (tensor<8xi32>, tensor<?x8xf8E4M3FN>) -> tensor<8xf8E4M3FN>
  // CHECK: %[[SINGLE:.+]] = quant_float.cast %[[D]] opset 28 : tensor<8xf64> to tensor<8xf32>
  // CHECK: %[[OF_SINGLE:.+]] = quant_float.cast %[[SINGLE]] opset 28 : tensor<8xf32> to tensor<8xf16>
  // CHECK: %[[E:.+]] = quant_float.cast %[[OF_SINGLE]] opset 28 saturate false
  %3 = quant_float.node "Convert"(%d) opset 14 domain "openvino" attributes {destination_type = f8E4M3FN} : (tensor<8xf64>) -> tensor<8xf8E4M3FN>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[E]]
  return %0, %1, %2, %3 : tensor<?x8xf8E4M3FN>, tensor<8xf8E5M2>, tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN>
}

// CHECK-LABEL: func.func @same_as_onnx(
func.func @same_as_onnx(%q: tensor<4xf8E4M3FN>, %e: tensor<4xf8E8M0FNU>, %f: tensor<4xf4E2M1FN>, %u: tensor<4xui4>, %b: tensor<4xi1>, %i: tensor<4xi64>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi8>, tensor<4xi1>) {
  // CHECK: quant_float.cast %{{.+}} : tensor<4xf8E4M3FN> to tensor<4xf16>
  %0 = quant_float.node "Convert"(%q) opset 1 domain "openvino" attributes {destination_type = f16} : (tensor<4xf8E4M3FN>) -> tensor<4xf16>
  // CHECK: quant_float.cast %{{.+}} : tensor<4xf8E8M0FNU> to tensor<4xf16>
  %1 = quant_float.node "Convert"(%e) opset 1 domain "openvino" attributes {destination_type = f16} : (tensor<4xf8E8M0FNU>) -> tensor<4xf16>
  // CHECK: quant_float.cast %{{.+}} : tensor<4xf4E2M1FN> to tensor<4xf32>
  %2 = quant_float.node "Convert"(%f) opset 1 domain "openvino" attributes {destination_type = f32} : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  // CHECK: quant_float.cast %{{.+}} : tensor<4xui4> to tensor<4xbf16>
  %3 = quant_float.node "Convert"(%u) opset 1 domain "openvino" attributes {destination_type = bf16} : (tensor<4xui4>) -> tensor<4xbf16>
  // CHECK: quant_float.cast %{{.+}} : tensor<4xi1> to tensor<4xf32>
  %4 = quant_float.node "Convert"(%b) opset 1 domain "openvino" attributes {destination_type = f32} : (tensor<4xi1>) -> tensor<4xf32>
  // CHECK: quant_float.cast %{{.+}} : tensor<4xi64> to tensor<4xi8>
  %5 = quant_float.node "Convert"(%i) opset 1 domain "openvino" attributes {destination_type = i8} : (tensor<4xi64>) -> tensor<4xi8>
  // CHECK: quant_float.cast %{{.+}} : tensor<4xi64> to tensor<4xi1>
  %6 = quant_float.node "Convert"(%i) opset 1 domain "openvino" attributes {destination_type = i1} : (tensor<4xi64>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi8>, tensor<4xi1>
}

// CHECK-LABEL: func.func @not_as_onnx(
func.func @not_as_onnx(%x: tensor<4xf32>, %i: tensor<4xi16>, %f: tensor<4xf4E2M1FN>) -> (tensor<4xi8>, tensor<4xi1>, tensor<4xf8E8M0FNU>, tensor<4xf4E2M1FN>, tensor<4xbf16>, tensor<4xi4>) {
  // CHECK: quant_float.cast %{{.+}} mode openvino opset 1 : tensor<4x{{.+}}> to tensor<4xi8>
  %0 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = i8} name "i" : (tensor<4xf32>) -> tensor<4xi8>
  // CHECK: quant_float.cast %{{.+}} mode openvino opset 1 : tensor<4x{{.+}}> to tensor<4xi1>
  %1 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = i1} : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: quant_float.cast %{{.+}} mode openvino opset 1 : tensor<4x{{.+}}> to tensor<4xf8E8M0FNU>
  %2 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = f8E8M0FNU} : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  // CHECK: quant_float.cast %{{.+}} mode openvino opset 1 : tensor<4x{{.+}}> to tensor<4xf4E2M1FN>
  %3 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = f4E2M1FN} : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
  // CHECK: quant_float.cast %{{.+}} mode openvino opset 1 : tensor<4x{{.+}}> to tensor<4xbf16>
  %4 = quant_float.node "Convert"(%i) opset 1 domain "openvino" attributes {destination_type = bf16} : (tensor<4xi16>) -> tensor<4xbf16>
  // CHECK: quant_float.cast %{{.+}} mode openvino opset 1 : tensor<4x{{.+}}> to tensor<4xi4>
  %5 = quant_float.node "Convert"(%f) opset 1 domain "openvino" attributes {destination_type = i4} : (tensor<4xf4E2M1FN>) -> tensor<4xi4>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi8>, tensor<4xi1>, tensor<4xf8E8M0FNU>, tensor<4xf4E2M1FN>, tensor<4xbf16>, tensor<4xi4>
}

// A conversion to the same type is removed.
// CHECK-LABEL: func.func @same_type(
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @same_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Constants are folded, such as those that save_model stores in f16 before a Convert.
// CHECK-LABEL: func.func @constant(
// CHECK: %[[C:.+]] = arith.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK: return %[[C]]
func.func @constant() -> tensor<2xf32> {
  %0 = arith.constant dense<[0.5, 2.0]> : tensor<2xf16>
  %1 = quant_float.node "Convert"(%0) opset 1 domain "openvino" attributes {destination_type = f32} : (tensor<2xf16>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The file's shape is used if it may be right, and is an error if it cannot be.
// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: -> (tensor<4x?xf16>, tensor<?x?xf16>)
func.func @shapes(%x: tensor<?x?xf32>) -> (tensor<4x?xf16>, tensor<4xf16>) {
  // CHECK: quant_float.cast %{{.+}} : tensor<?x?xf32> to tensor<4x?xf16>
  %0 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = f16} : (tensor<?x?xf32>) -> tensor<4x?xf16>
  // CHECK: quant_float.cast %{{.+}} : tensor<?x?xf32> to tensor<?x?xf16>
  %1 = quant_float.node "Convert"(%x) opset 1 domain "openvino" attributes {destination_type = f16} : (tensor<?x?xf32>) -> tensor<4xf16>
  return %0, %1 : tensor<4x?xf16>, tensor<4xf16>
}
