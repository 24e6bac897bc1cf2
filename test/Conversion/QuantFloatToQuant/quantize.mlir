// RUN: quant-float-opt %s --convert-quant-float-to-quant | FileCheck %s
// The import restores the ops.
// RUN: quant-float-opt %s --canonicalize -o %t.mlir
// RUN: quant-float-opt %t.mlir --convert-quant-float-to-quant --quant-float-legalize-arith --canonicalize -o %t.back.mlir
// RUN: diff %t.mlir %t.back.mlir

// CHECK-LABEL: @per_tensor
// CHECK: %[[Q:.+]] = quant.qcast %arg0 : tensor<?x8xf32> to tensor<?x8x!quant.uniform<i8:f32, 0.10000000149011612:3>>
// CHECK: %[[C:.+]] = quant.scast %[[Q]] : tensor<?x8x!quant.uniform<i8:f32, 0.10000000149011612:3>> to tensor<?x8xi8>
// CHECK: return %[[C]]
func.func @per_tensor(%x: tensor<?x8xf32>) -> tensor<?x8xi8> {
  %s = arith.constant dense<0.1> : tensor<f32>
  %z = arith.constant dense<3> : tensor<i8>
  %0 = quant_float.quantize %x, %s, %z opset 28 : tensor<?x8xf32>, tensor<f32>, tensor<i8> to tensor<?x8xi8>
  return %0 : tensor<?x8xi8>
}

// CHECK-LABEL: @per_axis
// CHECK: %[[C:.+]] = quant_float.cast %arg0 opset 28 : tensor<2x3xui8> to tensor<2x3xi8>
// CHECK: %[[Q:.+]] = quant.scast %[[C]] : tensor<2x3xi8> to tensor<2x3x!quant.uniform<u8:f16:1, {5.000000e-01:200,2.500000e-01,2.000000e+00:1}>>
// CHECK: quant.dcast %[[Q]] : tensor<2x3x!quant.uniform<u8:f16:1, {5.000000e-01:200,2.500000e-01,2.000000e+00:1}>> to tensor<2x3xf16>
func.func @per_axis(%q: tensor<2x3xui8>) -> tensor<2x3xf16> {
  %s = arith.constant dense<[0.5, 0.25, 2.0]> : tensor<3xf16>
  %z = quant_float.constant dense<[200, 0, 1]> : tensor<3xui8>
  %0 = quant_float.dequantize %q, %s, %z axis 1 opset 28 : tensor<2x3xui8>, tensor<3xf16>, tensor<3xui8> to tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: @blocks
// CHECK: quant.qcast %arg0 : tensor<2x8xbf16> to tensor<2x8x!quant.uniform<i4:bf16:{0:1, 1:4}, {{\{}}{5.000000e-01, 2.500000e-01:1}, {2.000000e+00:-1, 4.000000e+00:7}}>>
func.func @blocks(%x: tensor<2x8xbf16>) -> tensor<2x8xi4> {
  %s = arith.constant dense<[[0.5, 0.25], [2.0, 4.0]]> : tensor<2x2xbf16>
  %z = arith.constant dense<[[0, 1], [-1, 7]]> : tensor<2x2xi4>
  %0 = quant_float.quantize %x, %s, %z axis 1 block_size 4 opset 28 : tensor<2x8xbf16>, tensor<2x2xbf16>, tensor<2x2xi4> to tensor<2x8xi4>
  return %0 : tensor<2x8xi4>
}

// CHECK-LABEL: @wide
// CHECK: quant.dcast %{{.+}} : tensor<4x!quant.uniform<i32:f32, 5.000000e-01>> to tensor<4xf32>
func.func @wide(%q: tensor<4xi32>) -> tensor<4xf32> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<0> : tensor<i32>
  %0 = quant_float.dequantize %q, %s, %z opset 28 : tensor<4xi32>, tensor<f32>, tensor<i32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
