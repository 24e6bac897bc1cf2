// RUN: quant-float-opt %s --convert-quant-float-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_80 --canonicalize --cse | FileCheck %s --check-prefix=EMULATED

// The chip is that of the module.
gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx80">] {

// The quotient by means of the reciprocal of the shared scale, its sign, and the instruction. The
// sign of NaN does not matter (D8).

// CHECK-LABEL: func.func @d3_quantize(
// CHECK:         arith.divf %{{.+}}, %{{.+}} : f32
// CHECK:         %[[CAPPED:.+]] = llvm.intr.minimum(
// CHECK:         arith.mulf %[[CAPPED]],
// CHECK:         llvm.intr.fma
// CHECK:         llvm.intr.fma
// CHECK:         arith.ori
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E4M3FN)
// CHECK-NOT:     {{math.fma|quant_float|arith.ori|arith.cmpf}}
// CHECK:         return

// EMULATED-LABEL: func.func @d3_quantize(
// EMULATED-NOT:  {{nvvm.convert|math.fma|quant_float}}
// EMULATED:      return
func.func @d3_quantize(%x: vector<4xf32>, %s: f32) -> vector<4xf8E4M3FN> {
  %0 = quant_float.quantize %x, %s opset 23 : vector<4xf32>, f32 to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// With a scale for each element, there is a division.

// CHECK-LABEL: func.func @d3_quantize_each(
// CHECK:         arith.divf %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E5M2)
// CHECK:         return
func.func @d3_quantize_each(%x: vector<4xf32>, %s: vector<4xf32>) -> vector<4xf8E5M2> {
  %0 = quant_float.quantize %x, %s axis 0 opset 23 : vector<4xf32>, vector<4xf32> to vector<4xf8E5M2>
  return %0 : vector<4xf8E5M2>
}

// CHECK-LABEL: func.func @d3_quantize_scalar(
// CHECK:         %[[QUOTIENT:.+]] = arith.divf %{{.+}}, %{{.+}} : f32
// CHECK:         vector.from_elements %[[QUOTIENT]]
// CHECK:         nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     nvvm.convert
// CHECK:         return %{{.+}} : f8E4M3FNUZ
func.func @d3_quantize_scalar(%x: f32, %s: f32) -> f8E4M3FNUZ {
  %0 = quant_float.quantize %x, %s opset 23 saturate false : f32, f32 to f8E4M3FNUZ
  return %0 : f8E4M3FNUZ
}

// A product may be any NaN (D8).

// CHECK-LABEL: func.func @d5_dequantize(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.mulf
// CHECK:         return
func.func @d5_dequantize(%x: vector<4xf8E4M3FN>, %s: f32) -> vector<4xf32> {
  %0 = quant_float.dequantize %x, %s opset 23 : vector<4xf8E4M3FN>, f32 to vector<4xf32>
  return %0 : vector<4xf32>
}

// Through encodings if instructions compute them, otherwise as rounded floats.

// CHECK-LABEL: func.func @d6_qdq(
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK:         return

// EMULATED-LABEL: func.func @d6_qdq(
// EMULATED-NOT:  {{arith.trunci|arith.shli|math.fma|quant_float}}
// EMULATED:      return
func.func @d6_qdq(%x: vector<4xf32>, %s: f32) -> vector<4xf32> {
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : vector<4xf32>, f32 to vector<4xf32>
  return %0 : vector<4xf32>
}

// Instructions clamp integers, without calls.

// CHECK-LABEL: func.func @d1_quantize_to_integers(
// CHECK:         llvm.intr.minnum
// CHECK:         llvm.intr.maxnum
// CHECK-NOT:     {{arith.minnumf|arith.maxnumf|quant_float}}
// CHECK:         return
func.func @d1_quantize_to_integers(%x: vector<4xf32>, %s: f32) -> vector<4xi8> {
  %0 = quant_float.quantize %x, %s opset 23 : vector<4xf32>, f32 to vector<4xi8>
  return %0 : vector<4xi8>
}

}
