// LLVM counts only if it is built with assertions; otherwise the report is empty.
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_80},func.func(quant-float-commute-pad-and-dequantize,quant-float-outline-scalar-gpu-kernels,quant-float-configure-gpu-kernels{reassociate},quant-float-outline-gpu-kernels))" --mlir-pass-statistics --mlir-pass-statistics-display=pipeline -o /dev/null 2>&1 | FileCheck %s %if asserts %{ --check-prefixes=CHECK,COUNT %}

// CHECK: Pass statistics report
// COUNT: QuantFloatCommutePadAndDequantizePass
// COUNT-NEXT: (S) 1 num-commuted - Number of pads moved before a dequantization
// COUNT: QuantFloatOutlineScalarGpuKernelsPass
// COUNT-NEXT: (S) 1 num-kernels - Number of single-thread kernels created
// COUNT: QuantFloatOutlineGpuKernelsPass
// COUNT-NEXT: (S) 2 num-outlined            - Number of linalg ops outlined to kernels or folded into them
// COUNT-NEXT: (S) 1 num-tensor-core-matmuls - Number of matmuls that use tensor-core instructions

#id = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

func.func @pad(%x: tensor<4x?xf8E4M3FN>, %n: index) -> tensor<4x?xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<4x?xf32>
  %values = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x?xf8E4M3FN>) outs(%empty : tensor<4x?xf32>) {
  ^bb0(%q: f8E4M3FN, %out: f32):
    %0 = quant_float.cast %q opset 19 : f8E4M3FN to f32
    linalg.yield %0 : f32
  } -> tensor<4x?xf32>
  %padded = tensor.pad %values low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x?xf32> to tensor<4x?xf32>
  return %padded : tensor<4x?xf32>
}

func.func @scalar(%x: memref<4xi32>, %y: memref<4xi32>, %i: index) {
  %0 = memref.load %x[%i] : memref<4xi32>
  memref.store %0, %y[%i] : memref<4xi32>
  return
}

// The kernel of the matmul fills the result with zeros.
func.func @matmul(%a: memref<64x256xf16>, %b: memref<256x64xf16>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x256xf16>, memref<256x64xf16>) outs(%y : memref<64x64xf32>) {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
