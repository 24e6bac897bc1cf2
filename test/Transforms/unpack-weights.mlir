// RUN: quant-float-opt %s -verify-diagnostics --quant-float-unpack-weights | FileCheck %s

module attributes {quant_float.opset_imports = {ai.onnx = 21 : i64, com.microsoft = 1 : i64}} {

// The first code of a byte is in its lowest bits; without zero points they are the middle.

// CHECK-LABEL: func.func @product
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<{{\[}}[1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG:     %[[Z:.+]] = quant_float.constant dense<8> : tensor<2x1xui4>
// CHECK-DAG:     %[[W:.+]] = quant_float.constant dense<{{\[}}[1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2], [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]]> : tensor<2x16xui4>
// CHECK:         %[[D:.+]] = quant_float.dequantize %[[W]], %[[S]], %[[Z]] axis 1 block_size 16 opset 21
// CHECK-SAME:      : tensor<2x16xui4>, tensor<2x1xf32>, tensor<2x1xui4> to tensor<2x16xf32>
// CHECK:         %[[T:.+]] = quant_float.node "Transpose"(%[[D]]) opset 21 attributes {perm = array<i64: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
// CHECK:         %[[Y:.+]] = quant_float.node "MatMul"(%arg0, %[[T]]) opset 21 : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<*xf32>
// CHECK:         return %[[Y]]
func.func @product(%x: tensor<?x16xf32>) -> tensor<*xf32> {
  %w = quant_float.constant dense<0x21> : tensor<2x1x8xui8>
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = quant_float.node "MatMulNBits"(%x, %w, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64}
         : (tensor<?x16xf32>, tensor<2x1x8xui8>, tensor<2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// CHECK-LABEL: func.func @left
// CHECK-COUNT-6: "MatMulNBits"
func.func @left(%x: tensor<?x16xf32>, %v: tensor<2x1x8xui8>, %u: !quant_float.unknown) {
  %w = quant_float.constant dense<0x21> : tensor<2x1x8xui8>
  %s = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %g = arith.constant dense<0> : tensor<16xi32>
  %f = arith.constant dense<8.0> : tensor<2x1xf32>
  // expected-remark @+1 {{not unpacked: its weights or scales are not constants of matching sizes}}
  %0 = quant_float.node "MatMulNBits"(%x, %v, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64}
         : (tensor<?x16xf32>, tensor<2x1x8xui8>, tensor<2xf32>) -> tensor<*xf32>
  // expected-remark @+1 {{not unpacked: its columns are permuted by g_idx}}
  %1 = quant_float.node "MatMulNBits"(%x, %w, %s, %g) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64} absent [3]
         : (tensor<?x16xf32>, tensor<2x1x8xui8>, tensor<2xf32>, tensor<16xi32>) -> tensor<*xf32>
  // expected-remark @+1 {{not unpacked: its zero points are not ui8 constants of matching sizes}}
  %2 = quant_float.node "MatMulNBits"(%x, %w, %s, %f) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, bits = 4 : i64, block_size = 16 : i64}
         : (tensor<?x16xf32>, tensor<2x1x8xui8>, tensor<2xf32>, tensor<2x1xf32>) -> tensor<*xf32>
  // expected-remark @+1 {{not unpacked: its inputs or outputs do not match the operator}}
  %3 = quant_float.node "MatMulNBits"(%x, %w) opset 1 domain "com.microsoft" : (tensor<?x16xf32>, tensor<2x1x8xui8>) -> tensor<*xf32>
  // expected-remark @+1 {{not unpacked: its attributes are not supported}}
  %4 = quant_float.node "MatMulNBits"(%x, %w, %s) opset 1 domain "com.microsoft" attributes {K = 9223372036854775807 : i64, N = 2 : i64, block_size = 16 : i64}
         : (tensor<?x16xf32>, tensor<2x1x8xui8>, tensor<2xf32>) -> tensor<*xf32>
  // expected-remark @+1 {{not unpacked: the type of its input is not known}}
  %5 = quant_float.node "MatMulNBits"(%u, %w, %s) opset 1 domain "com.microsoft" attributes {K = 16 : i64, N = 2 : i64, block_size = 16 : i64}
         : (!quant_float.unknown, tensor<2x1x8xui8>, tensor<2xf32>) -> tensor<*xf32>
  return
}

}
