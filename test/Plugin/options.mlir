// A preloaded plugin: its passes are options of mlir-opt, and other programs are not affected.
// RUN: env LD_PRELOAD=%plugin %stock_opt %s --quant-float-decompose-qdq --canonicalize | FileCheck %s
// RUN: env LD_PRELOAD=%plugin %stock_opt %s --pass-pipeline="builtin.module(quant-float-decompose-qdq)" | FileCheck %s
// RUN: not %stock_opt %s --quant-float-decompose-qdq 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: env LD_PRELOAD=%plugin cat %s | FileCheck %s --check-prefix=OTHER

// UNKNOWN: Unknown command line argument '--quant-float-decompose-qdq'
// OTHER: A preloaded plugin

// CHECK: quant_float.quantize
// CHECK: quant_float.dequantize
func.func @pair(%x: tensor<4xf32>, %scale: tensor<f32>) -> tensor<4xf32> {
  %0 = quant_float.qdq %x, %scale storage i8 opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
