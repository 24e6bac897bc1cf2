// block_dequantize becomes ONNX's dequantize if the bits are the same. Otherwise it is left, with
// the reason.
// RUN: quant-float-opt %s --quant-float-convert-block-dequantize -split-input-file -verify-diagnostics | FileCheck %s
// RUN: sed '/^\/\/ -----/,$d' %s | quant-float-opt -o %t.mlir
// RUN: quant-float-translate --export-onnx %t.mlir -o %t.onnx
// RUN: quant-float-check %t.onnx
// RUN: quant-float-opt %t.mlir --quant-float-convert-block-dequantize -o %t.converted.mlir
// RUN: quant-float-compile %t.mlir -o %t.0.so
// RUN: quant-float-compile %t.converted.mlir -o %t.1.so
// RUN: quant-float-compile %t.onnx -o %t.2.so
// RUN: %tools_dir/quant-float-exec %t.0.so --random 1 --digest --merge-nans --shapes 0=5x64 1=5x2 > %t.0
// RUN: %tools_dir/quant-float-exec %t.1.so --random 1 --digest --merge-nans --shapes 0=5x64 1=5x2 > %t.1
// RUN: %tools_dir/quant-float-exec %t.2.so --random 1 --digest --merge-nans --shapes 0=5x64 1=5x2 > %t.2
// RUN: diff %t.0 %t.1
// RUN: diff %t.0 %t.2

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[Q:.+]]: tensor<?x64xf8E4M3FN>, %[[S:.+]]: tensor<?x2xf8E8M0FNU>, %[[V:.+]]: tensor<4x32xf4E2M1FN>, %[[E:.+]]: tensor<4x2xf8E4M3FN>, %[[T:.+]]: tensor<f32>, %[[I:.+]]: tensor<4x32xi4>, %[[B:.+]]: tensor<1x32xbf16>)
// CHECK: %[[A:.+]] = quant_float.dequantize %[[Q]], %[[S]] axis 1 block_size 32 opset 28 : tensor<?x64xf8E4M3FN>, tensor<?x2xf8E8M0FNU> to tensor<?x64xbf16>
// CHECK: %[[N0:.+]] = quant_float.dequantize %[[E]], %[[T]] opset 28 : tensor<4x2xf8E4M3FN>, tensor<f32> to tensor<4x2xf32>
// CHECK: %[[N:.+]] = quant_float.dequantize %[[V]], %[[N0]] axis 1 block_size 16 opset 28 : tensor<4x32xf4E2M1FN>, tensor<4x2xf32> to tensor<4x32xf32>
// CHECK: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[G0:.+]] = quant_float.dequantize %[[E]], %[[ONE]] opset 28
// CHECK: %[[G:.+]] = quant_float.dequantize %[[V]], %[[G0]] axis 1 block_size 16 opset 28
// CHECK: %[[C:.+]] = quant_float.dequantize %[[I]], %[[B]] axis 0 block_size 4 opset 28 : tensor<4x32xi4>, tensor<1x32xbf16> to tensor<4x32xf32>
// CHECK: return %[[A]], %[[N]], %[[G]], %[[C]]
func.func @main(%q: tensor<?x64xf8E4M3FN>, %s: tensor<?x2xf8E8M0FNU>, %v: tensor<4x32xf4E2M1FN>, %e: tensor<4x2xf8E4M3FN>, %t: tensor<f32>, %i: tensor<4x32xi4>, %b: tensor<1x32xbf16>)
    -> (tensor<?x64xbf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
  %0 = quant_float.block_dequantize %q, %s block [1, 32] : tensor<?x64xf8E4M3FN>, tensor<?x2xf8E8M0FNU> to tensor<?x64xbf16>
  %1 = quant_float.block_dequantize %v, %e tensor_scale(%t : tensor<f32>) block [1, 16] order tensor_first : tensor<4x32xf4E2M1FN>, tensor<4x2xf8E4M3FN> to tensor<4x32xf32>
  %2 = quant_float.block_dequantize %v, %e block [1, 16] : tensor<4x32xf4E2M1FN>, tensor<4x2xf8E4M3FN> to tensor<4x32xf32>
  %3 = quant_float.block_dequantize %i, %b block [-1, 1] : tensor<4x32xi4>, tensor<1x32xbf16> to tensor<4x32xf32>
  return %0, %1, %2, %3 : tensor<?x64xbf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
}

// -----

func.func @unchanged(%i: tensor<4x32xi8>, %s: tensor<4x1xf8E8M0FNU>, %v: tensor<4x32xf4E2M1FN>, %e: tensor<4x2xf8E4M3FN>, %t: tensor<f32>, %u: tensor<4x1x!quant_float.f8UE5M3>, %f: tensor<2x2xf32>, %d: tensor<4x?xi8>, %g: tensor<4x1xf32>, %x: i8, %h: f32) {
  // expected-remark @+1 {{not converted to dequantize: ONNX does not have MXINT8}}
  %0 = quant_float.block_dequantize %i, %s block [1, 32] : tensor<4x32xi8>, tensor<4x1xf8E8M0FNU> to tensor<4x32xf32>
  // expected-remark @+1 {{not converted to dequantize: ONNX multiplies the scale of a block by that of the tensor first, as order tensor_first}}
  %1 = quant_float.block_dequantize %v, %e tensor_scale(%t : tensor<f32>) block [1, 16] : tensor<4x32xf4E2M1FN>, tensor<4x2xf8E4M3FN> to tensor<4x32xf32>
  // expected-remark @+1 {{not converted to dequantize: ONNX does not have scales of this type}}
  %2 = quant_float.block_dequantize %i, %u block [1, 32] : tensor<4x32xi8>, tensor<4x1x!quant_float.f8UE5M3> to tensor<4x32xf32>
  // expected-remark @+1 {{not converted to dequantize: blocks have several dimensions}}
  %3 = quant_float.block_dequantize %i, %f block [2, 16] : tensor<4x32xi8>, tensor<2x2xf32> to tensor<4x32xf32>
  // expected-remark @+1 {{not converted to dequantize: the size of blocks is not known}}
  %4 = quant_float.block_dequantize %d, %g block [1, -1] : tensor<4x?xi8>, tensor<4x1xf32> to tensor<4x?xf32>
  // expected-remark @+1 {{not converted to dequantize: it is not on tensors}}
  %5 = quant_float.block_dequantize %x, %h : i8, f32 to f32
  return
}
