// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-unpack-weights | FileCheck %s

module attributes {quant_float.opset_imports = {ai.onnx = 21 : i64, com.microsoft = 1 : i64}} {

// The first value of a byte is in its lowest bits. Without zero points, they are the midpoint.

// CHECK-LABEL: func.func @matmul
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<{{\[}}[1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG:     %[[Z:.+]] = quant_float.constant dense<8> : tensor<2x1xui4>
// CHECK-DAG:     %[[W:.+]] = quant_float.constant dense<{{\[}}[1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2], [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]]> : tensor<2x16xui4>
// CHECK:         %[[D:.+]] = quant_float.dequantize %[[W]], %[[S]], %[[Z]] axis 1 block_size 16 opset 21
// CHECK-SAME:      : tensor<2x16xui4>, tensor<2x1xf32>, tensor<2x1xui4> to tensor<2x16xf32>
// CHECK:         %[[T:.+]] = quant_float.node "Transpose"(%[[D]]) opset 21 attributes {perm = array<i64: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
// CHECK:         %[[Y:.+]] = quant_float.node "MatMul"(%arg0, %[[T]]) opset 21 : (tensor<?x16xf32>, tensor<16x2xf32>) -> tensor<*xf32>
// CHECK:         return %[[Y]]
func.func @matmul(%x: tensor<?x16xf32>) -> tensor<*xf32> {
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

// -----

module attributes {quant_float.opset_imports = {ai.onnx = 23 : i64, com.microsoft = 1 : i64}} {

// Bytes of a constant become f4E2M1FN, those of the scales f8E4M3FN.

// CHECK-LABEL: func.func @float4
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<{{\[}}[1.000000e+00], [2.000000e+00]]> : tensor<2x1xf8E4M3FN>
// CHECK-DAG:     %[[T:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         %[[P:.+]] = quant_float.dequantize %[[S]], %[[T]] opset 23 : tensor<2x1xf8E4M3FN>, tensor<f32> to tensor<2x1xf32>
// CHECK:         %[[W:.+]] = arith.constant dense<{{\[}}[5.000000e-01, 1.000000e+00, 5.000000e-01, 1.000000e+00], [5.000000e-01, 1.000000e+00, 5.000000e-01, 1.000000e+00]]> : tensor<2x4xf4E2M1FN>
// CHECK:         %[[D:.+]] = quant_float.dequantize %[[W]], %[[P]] axis 1 block_size 16 opset 23 : tensor<2x4xf4E2M1FN>, tensor<2x1xf32> to tensor<2x4xf16>
// CHECK:         %[[C:.+]] = quant_float.node "Transpose"(%[[D]]) opset 23
// CHECK:         %[[M:.+]] = quant_float.node "MatMul"(%arg0, %[[C]]) opset 23 : (tensor<?x4xf16>, tensor<4x2xf16>) -> tensor<?x2xf16>
// CHECK:         %[[Y:.+]] = quant_float.node "Add"(%[[M]], %arg1)
// CHECK:         return %[[Y]]
func.func @float4(%x: tensor<?x4xf16>, %b: tensor<2xf16>) -> tensor<?x2xf16> {
  %w = quant_float.constant dense<0x21> : tensor<2x2xui8>
  %s = quant_float.constant dense<[[0x38], [0x40]]> : tensor<2x1xui8>
  %t = arith.constant dense<0.5> : tensor<1xf32>
  %y = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %t, %b) opset 1 domain "com.microsoft" absent [4]
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<1xf32>, tensor<2xf16>) -> tensor<?x2xf16>
  return %y : tensor<?x2xf16>
}

// CHECK-LABEL: func.func @float8
// CHECK:         quant_float.quantize %arg0, %[[A:.+]] opset 23 : tensor<?x4xbf16>, tensor<f32> to tensor<?x4xf8E4M3FN>
// CHECK:         quant_float.dequantize %{{.+}}, %[[A]] opset 23 : tensor<?x4xf8E4M3FN>, tensor<f32> to tensor<?x4xbf16>
// CHECK-NOT:     MatMulBlockQuantizedFp8Weight
func.func @float8(%x: tensor<?x4xbf16>) -> tensor<?x2xbf16> {
  %w = arith.constant dense<0.5> : tensor<2x4xf8E4M3FN>
  %s = arith.constant dense<0.25> : tensor<2x2xf32>
  %a = arith.constant dense<0.5> : tensor<f32>
  %y = quant_float.node "MatMulBlockQuantizedFp8Weight"(%x, %w, %s, %a) opset 1 domain "com.microsoft" attributes {block_size = 3 : i64}
         : (tensor<?x4xbf16>, tensor<2x4xf8E4M3FN>, tensor<2x2xf32>, tensor<f32>) -> tensor<?x2xbf16>
  return %y : tensor<?x2xbf16>
}

// CHECK-LABEL: func.func @left
// CHECK-COUNT-9: "MatMulBlockQuantizedFp
func.func @left(%x: tensor<?x4xf16>, %u: tensor<2x2xui8>, %v: tensor<f32>, %f: tensor<?x4xf32>) {
  %w = quant_float.constant dense<0x21> : tensor<2x2xui8>
  %s = quant_float.constant dense<[[0x38], [0x40]]> : tensor<2x1xui8>
  %t = arith.constant dense<0.5> : tensor<f32>
  %b = arith.constant dense<0.5> : tensor<1xf16>
  // expected-remark @+1 {{not unpacked: its weights or scales are not constants of matching sizes}}
  %0 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %u, %s, %t) opset 1 domain "com.microsoft"
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf16>
  // expected-remark @+1 {{not unpacked: its weights or scales are not constants of matching sizes}}
  %1 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %t) opset 1 domain "com.microsoft" attributes {block_size = 2 : i64}
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf16>
  // expected-remark @+1 {{not unpacked: its attributes are not supported}}
  %2 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %t) opset 1 domain "com.microsoft" attributes {block_size = 0 : i64}
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf16>
  // expected-remark @+1 {{not unpacked: its attributes are not supported}}
  %3 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%f, %w, %s, %t) opset 1 domain "com.microsoft"
         : (tensor<?x4xf32>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf32>
  // expected-remark @+1 {{not unpacked: its scale of a tensor is not a constant f32 with one element}}
  %4 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %v) opset 1 domain "com.microsoft"
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf16>
  // expected-remark @+1 {{not unpacked: its inputs or outputs do not match the operator}}
  %5 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %t, %b) opset 1 domain "com.microsoft" absent [4]
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>, tensor<1xf16>) -> tensor<?x2xf16>
  // expected-remark @+1 {{not unpacked: its inputs or outputs do not match the operator}}
  %6 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s) opset 1 domain "com.microsoft"
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>) -> tensor<?x2xf16>
  // expected-remark @+1 {{not unpacked: its attributes are not supported}}
  %7 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %t) opset 1 domain "com.microsoft" attributes {block_size = "16"}
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf16>
  // expected-remark @+1 {{not unpacked: its attributes are not supported}}
  %8 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %t) opset 1 domain "com.microsoft" attributes {K = 4 : i64}
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf16>
  return
}

}

// -----

module attributes {quant_float.opset_imports = {ai.onnx = 22 : i64, com.microsoft = 1 : i64}} {

// CHECK-LABEL: func.func @opset_22
// CHECK:         quant_float.dequantize {{.*}} axis 1 block_size 128 opset 22 : tensor<2x4xf8E4M3FN>, tensor<2x1xf32> to tensor<2x4xf32>
// CHECK:         quant_float.cast {{.*}} : tensor<2x4xf32> to tensor<2x4xf16>
func.func @opset_22(%x: tensor<?x4xf16>) -> (tensor<?x2xf16>, tensor<?x2xf16>) {
  %w = quant_float.constant dense<0x21> : tensor<2x2xui8>
  %s = quant_float.constant dense<[[0x38], [0x40]]> : tensor<2x1xui8>
  %t = arith.constant dense<0.5> : tensor<f32>
  %e = arith.constant dense<0.5> : tensor<2x4xf8E4M3FN>
  %p = arith.constant dense<0.25> : tensor<2x1xf32>
  // expected-remark @+1 {{not unpacked: DequantizeLinear supports f4E2M1FN from opset 23 on}}
  %0 = quant_float.node "MatMulBlockQuantizedFp4Weight"(%x, %w, %s, %t) opset 1 domain "com.microsoft"
         : (tensor<?x4xf16>, tensor<2x2xui8>, tensor<2x1xui8>, tensor<f32>) -> tensor<?x2xf16>
  %1 = quant_float.node "MatMulBlockQuantizedFp8Weight"(%x, %e, %p) opset 1 domain "com.microsoft"
         : (tensor<?x4xf16>, tensor<2x4xf8E4M3FN>, tensor<2x1xf32>) -> tensor<?x2xf16>
  return %0, %1 : tensor<?x2xf16>, tensor<?x2xf16>
}

}

// -----

module attributes {quant_float.opset_imports = {ai.onnx = 20 : i64, com.microsoft = 1 : i64}} {

// CHECK-LABEL: func.func @opset_20
func.func @opset_20(%x: tensor<?x4xf16>) -> tensor<?x2xf16> {
  %e = arith.constant dense<0.5> : tensor<2x4xf8E4M3FN>
  %p = arith.constant dense<0.25> : tensor<2x1xf32>
  // expected-remark @+1 {{not unpacked: DequantizeLinear supports blocks from opset 21 on}}
  %0 = quant_float.node "MatMulBlockQuantizedFp8Weight"(%x, %e, %p) opset 1 domain "com.microsoft"
         : (tensor<?x4xf16>, tensor<2x4xf8E4M3FN>, tensor<2x1xf32>) -> tensor<?x2xf16>
  return %0 : tensor<?x2xf16>
}

}
