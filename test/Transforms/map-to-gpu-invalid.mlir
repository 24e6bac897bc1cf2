// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(func.func(quant-float-map-to-gpu))"

func.func @host_reads(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{has no kernel: expected linalg ops on buffers, but the host would read or write the device's memory}}
  %0 = memref.load %x[%c0] : memref<?xf32>
  // expected-error @+1 {{has no kernel}}
  memref.store %0, %y[%c0] : memref<?xf32>
  return
}

// -----

#map = affine_map<(d0) -> (d0)>
func.func @shared_bytes(%x: memref<?xi8>, %y: memref<?xi4>) {
  // expected-error @+1 {{has no kernel: expected results that are not packed, but got 'i4', of which threads would share bytes}}
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<?xi8>) outs(%y : memref<?xi4>) {
  ^bb0(%in: i8, %out: i4):
    %0 = arith.trunci %in : i8 to i4
    linalg.yield %0 : i4
  }
  return
}
