// RUN: quant-float-opt %s -split-input-file --pass-pipeline="builtin.module(func.func(quant-float-outline-scalar-gpu-kernels))" | FileCheck %s

// Ops that the host does not need stay on the device, in program order: later updates overwrite
// earlier ones.

// CHECK-LABEL: func.func @scatter
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch blocks({{.*}}) in (%{{.+}} = %[[ONE:.+]], %{{.+}} = %[[ONE]], %{{.+}} = %[[ONE]]) threads({{.*}}) in (%{{.+}} = %[[ONE]]
// CHECK-SAME: module(@quant_float_kernels) function(@scatter_scalars_0)
// CHECK-NEXT: scf.for
// CHECK: memref.store
// CHECK: gpu.terminator
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @scatter(%x: memref<8xf32>, %indices: memref<5xi64>, %updates: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %0 = memref.load %indices[%i] : memref<5xi64>
    %1 = arith.index_cast %0 : i64 to index
    %2 = memref.load %updates[%i] : memref<5xf32>
    memref.store %2, %x[%1] : memref<8xf32>
  }
  return
}

// -----

// A condition is computed on the device and read by the host, which branches.

// CHECK-LABEL: func.func @branch
// CHECK-DAG: %[[DEVICE:.+]] = memref.alloc() : memref<2xi64>
// CHECK-DAG: %[[HOST:.+]] = memref.alloca() : memref<2xi64>
// CHECK: gpu.launch
// CHECK: %[[LOADED:.+]] = memref.load %arg0[]
// CHECK: %[[IS:.+]] = arith.cmpf ogt, %[[LOADED]]
// CHECK: %[[WORD:.+]] = arith.extui %[[IS]] : i1 to i64
// CHECK: memref.store %[[WORD]], %[[DEVICE]]
// CHECK: gpu.memcpy %[[HOST]], %[[DEVICE]]
// CHECK: %[[READ:.+]] = memref.load %[[HOST]]
// CHECK: %[[CONDITION:.+]] = arith.trunci %[[READ]] : i64 to i1
// CHECK: scf.if %[[CONDITION]]
// CHECK: memref.dealloc %[[DEVICE]]
func.func @branch(%x: memref<f32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = memref.load %x[] : memref<f32>
  %1 = arith.cmpf ogt, %0, %zero : f32
  scf.if %1 {
    linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  }
  return
}

// -----

// Sizes are copied to the host once, and views stay there. No op that may be undefined moves before
// its assertion.

// CHECK-LABEL: func.func @sizes
// CHECK: gpu.launch
// CHECK-COUNT-2: memref.load %arg0
// CHECK-NOT: arith.divsi
// CHECK: gpu.memcpy
// CHECK: memref.subview
// CHECK: cf.assert
// CHECK: arith.divsi
// CHECK: memref.alloc(%{{.+}}) : memref<?xf32>
// CHECK-NOT: gpu.launch
func.func @sizes(%x: memref<2xindex>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = memref.load %x[%c0] : memref<2xindex>
  %view = memref.subview %y[0] [%0] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %1 = memref.load %x[%c1] : memref<2xindex>
  %2 = arith.cmpi ne, %1, %c0 : index
  cf.assert %2, "expected a divisor"
  %3 = arith.divsi %0, %1 : index
  %4 = memref.alloc(%3) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%4 : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%view : memref<?xf32, strided<[1]>>)
  memref.dealloc %4 : memref<?xf32>
  return
}

// -----

// The host passes a device copy of a constant, as kernels cannot read the host's memory.

memref.global "private" constant @c : memref<4xf32> = dense<1.0>

// CHECK-LABEL: func.func @constants
// CHECK: %[[CONSTANT:.+]] = memref.get_global @c
// CHECK: %[[COPY:.+]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %[[CONSTANT]], %[[COPY]]
// CHECK: arith.select %{{.+}}, %[[COPY]], %{{.+}} : memref<4xf32>
// CHECK: memref.dealloc %[[COPY]]
func.func @constants(%p: i1, %x: memref<4xf32>, %y: memref<4xf32>) {
  %c = memref.get_global @c : memref<4xf32>
  %0 = arith.select %p, %c, %x : memref<4xf32>
  linalg.map { arith.addf } ins(%0, %x : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
