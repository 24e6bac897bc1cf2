// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --pass-pipeline="builtin.module(func.func(quant-float-map-to-gpu))"

func.func @host_reads(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{has no kernel: expected linalg ops on buffers, but the host would read or write the device's memory}}
  %0 = memref.load %x[%c0] : memref<?xf32>
  // expected-error @+1 {{has no kernel}}
  memref.store %0, %y[%c0] : memref<?xf32>
  return
}
