// A kernel of another compiler, lowered by upstream passes together with this
// project's.
//
// RUN: %stock_opt %s --pass-pipeline="builtin.module(gpu.module(convert-quant-float-to-nvvm{chip=sm_90},canonicalize,cse,convert-vector-to-llvm,convert-gpu-to-nvvm,reconcile-unrealized-casts))" | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @narrow(
  // CHECK:         nvvm.convert.f32x2.to.f8x2
  // CHECK-NOT:     quant_float
  // CHECK:         llvm.return
  gpu.func @narrow(%from: memref<1024xvector<4xf32>>, %to: memref<1024xvector<4xi8>>) kernel {
    %i = gpu.global_id x
    %x = memref.load %from[%i] : memref<1024xvector<4xf32>>
    %y = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E4M3FN>
    %encodings = arith.bitcast %y : vector<4xf8E4M3FN> to vector<4xi8>
    memref.store %encodings, %to[%i] : memref<1024xvector<4xi8>>
    gpu.return
  }
}
