// A QDQ convolution and a cast in upstream dialects: mlir-opt reads them and knows every op and
// attribute.
// RUN: quant-float-opt %s --quant-float-lower-to-upstream | FileCheck %s --implicit-check-not=quant_float --implicit-check-not=ui8
// RUN: quant-float-opt %s --quant-float-lower-to-upstream --mlir-print-op-generic -o %t.mlir
// RUN: %llvm_bin/mlir-opt %t.mlir | FileCheck %s --implicit-check-not=quant_float --implicit-check-not=ui8
// RUN: not quant-float-opt %s --quant-float-lower-to-upstream="cpu=none triple=x86_64-linux-gnu" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The results are those of the model. Unsigned element types have become signless.
// RUN: quant-float-run %s --random 1 --outputs %t.expected && quant-float-run %t.mlir --random 1 --outputs %t.actual
// RUN: cmp %t.expected/output_0.npy %t.actual/output_0.npy && cmp %t.expected/output_1.npy %t.actual/output_1.npy

// UNKNOWN: error: unknown cpu 'none' for the triple 'x86_64-unknown-linux-gnu'

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: tensor<1x2x6x6xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x2x6x6xf8E5M2>, tensor<1x3x4x4xi8>)
// CHECK: linalg.
// CHECK: return
module attributes {quant_float.producer = "test"} {
  func.func @layer(%x: tensor<1x2x6x6xf32> {quant_float.name = "x"}) -> (tensor<1x3x4x4xf32>, tensor<1x2x6x6xf8E5M2>, tensor<1x3x4x4xui8>) {
    %s = arith.constant dense<0.02> : tensor<f32>
    %z = quant_float.constant dense<128> : tensor<ui8>
    %w = arith.constant dense<3> : tensor<3x2x3x3xi8>
    %q = quant_float.quantize %x, %s, %z opset 21 : tensor<1x2x6x6xf32>, tensor<f32>, tensor<ui8> to tensor<1x2x6x6xui8>
    %d = quant_float.dequantize %q, %s, %z opset 21 : tensor<1x2x6x6xui8>, tensor<f32>, tensor<ui8> to tensor<1x2x6x6xf32>
    %e = quant_float.dequantize %w, %s opset 21 : tensor<3x2x3x3xi8>, tensor<f32> to tensor<3x2x3x3xf32>
    %c = quant_float.node "Conv"(%d, %e) opset 21 : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
    %y = quant_float.quantize %c, %s, %z opset 21 : tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8> to tensor<1x3x4x4xui8>
    %f = quant_float.cast %x opset 19 : tensor<1x2x6x6xf32> to tensor<1x2x6x6xf8E5M2>
    %r = quant_float.dequantize %y, %s, %z opset 21 : tensor<1x3x4x4xui8>, tensor<f32>, tensor<ui8> to tensor<1x3x4x4xf32>
    return %r, %f, %y : tensor<1x3x4x4xf32>, tensor<1x2x6x6xf8E5M2>, tensor<1x3x4x4xui8>
  }
}
