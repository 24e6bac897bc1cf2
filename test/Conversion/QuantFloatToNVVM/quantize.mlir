// RUN: quant-float-opt %s --convert-quant-float-to-nvvm --canonicalize --cse | FileCheck %s

// The chip is that of the module.
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx80">] {

// A quotient and its code are one computation, with fused multiply-adds that are
// instructions, no calls.

// CHECK-LABEL: func.func @d3_quantize(
// CHECK:         llvm.intr.fma
// CHECK-NOT:     {{math.fma|quant_float}}
// CHECK:         return
func.func @d3_quantize(%x: vector<4xf32>, %s: f32) -> vector<4xf8E4M3FN> {
  %0 = quant_float.quantize %x, %s opset 23 : vector<4xf32>, f32 to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// A product takes any NaN (D8).

// CHECK-LABEL: func.func @d5_dequantize(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.mulf
// CHECK:         return
func.func @d5_dequantize(%x: vector<4xf8E4M3FN>, %s: f32) -> vector<4xf32> {
  %0 = quant_float.dequantize %x, %s opset 23 : vector<4xf8E4M3FN>, f32 to vector<4xf32>
  return %0 : vector<4xf32>
}

}
