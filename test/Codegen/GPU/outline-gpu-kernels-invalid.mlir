// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(func.func(quant-float-outline-gpu-kernels))"

func.func @host_reads(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{has no kernel: expected a linalg op on memrefs, because the host cannot access device memory}}
  %0 = memref.load %x[%c0] : memref<?xf32>
  // expected-error @+1 {{has no kernel}}
  memref.store %0, %y[%c0] : memref<?xf32>
  return
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
func.func @shared_bytes(%x: memref<?x?xi8>, %y: memref<?x?xi4>) {
  // expected-error @+1 {{has no kernel: expected an elementwise op that writes packed results in row-major order, but got 'memref<?x?xi4>', whose bytes several threads would write}}
  linalg.generic {indexing_maps = [#map, #transposed], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xi8>) outs(%y : memref<?x?xi4>) {
  ^bb0(%in: i8, %out: i4):
    %0 = arith.trunci %in : i8 to i4
    linalg.yield %0 : i4
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @another_order(%x: memref<1x256xf32>, %w: memref<64x256xi8>, %y: memref<1x64xf32>) {
  // expected-error @+1 {{has no kernel that preserves its accumulation order}}
  linalg.generic {indexing_maps = [#x, #w, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x256xf32>, memref<64x256xi8>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 8, terms = 8>} {
  ^bb0(%in: f32, %q: i8, %sum: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  }
  return
}
