// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-hoist-fills))" | FileCheck %s

#same = affine_map<(i) -> (i)>

// The interior is the same in each iteration, and is read after it is written.
// CHECK-LABEL: func.func @hoisted
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK-NOT: linalg.fill
// CHECK: memref.copy
// CHECK: linalg.generic
func.func @hoisted(%x: memref<4x8xf32>, %y: memref<4x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %padded = memref.alloc() : memref<10xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.fill ins(%zero : f32) outs(%padded : memref<10xf32>)
    %image = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %interior = memref.subview %padded[1] [8] [1] : memref<10xf32> to memref<8xf32, strided<[1], offset: 1>>
    memref.copy %image, %interior : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: 1>>
    %row = memref.subview %y[%i, 0] [1, 10] [1, 1] : memref<4x10xf32> to memref<10xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
        ins(%padded : memref<10xf32>) outs(%row : memref<10xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    }
  }
  memref.dealloc %padded : memref<10xf32>
  return
}

// A part that moves leaves old elements behind.
// CHECK-LABEL: func.func @moving
// CHECK: scf.for
// CHECK: linalg.fill
func.func @moving(%x: memref<8xf32>, %y: memref<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %padded = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.fill ins(%zero : f32) outs(%padded : memref<16xf32>)
    %part = memref.subview %padded[%i] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %x, %part : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %row = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    memref.copy %padded, %row : memref<16xf32> to memref<16xf32, strided<[1], offset: ?>>
  }
  memref.dealloc %padded : memref<16xf32>
  return
}

// The op reads what the previous iteration would leave.
// CHECK-LABEL: func.func @in_place
// CHECK: scf.for
// CHECK: linalg.fill
func.func @in_place(%y: memref<4x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %buffer = memref.alloc() : memref<10xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.fill ins(%one : f32) outs(%buffer : memref<10xf32>)
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
        ins(%buffer : memref<10xf32>) outs(%buffer : memref<10xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %a : f32
      linalg.yield %0 : f32
    }
    %row = memref.subview %y[%i, 0] [1, 10] [1, 1] : memref<4x10xf32> to memref<10xf32, strided<[1], offset: ?>>
    memref.copy %buffer, %row : memref<10xf32> to memref<10xf32, strided<[1], offset: ?>>
  }
  memref.dealloc %buffer : memref<10xf32>
  return
}

// Accumulation reads the fill.
// CHECK-LABEL: func.func @accumulated
// CHECK: scf.for
// CHECK: linalg.fill
func.func @accumulated(%x: memref<4x10xf32>, %y: memref<4x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %buffer = memref.alloc() : memref<10xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.fill ins(%zero : f32) outs(%buffer : memref<10xf32>)
    %image = memref.subview %x[%i, 0] [1, 10] [1, 1] : memref<4x10xf32> to memref<10xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
        ins(%image : memref<10xf32, strided<[1], offset: ?>>) outs(%buffer : memref<10xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
    %row = memref.subview %y[%i, 0] [1, 10] [1, 1] : memref<4x10xf32> to memref<10xf32, strided<[1], offset: ?>>
    memref.copy %buffer, %row : memref<10xf32> to memref<10xf32, strided<[1], offset: ?>>
  }
  memref.dealloc %buffer : memref<10xf32>
  return
}

// The interior is read before it is written, written under a condition, or
// filled with a value of the iteration; the last buffer is read after the loop.
// CHECK-LABEL: func.func @others
// CHECK: scf.for
// CHECK-COUNT-4: linalg.fill
func.func @others(%x: memref<8xf32>, %y: memref<10xf32>, %z: memref<4xf32>, %condition: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %early = memref.alloc() : memref<10xf32>
  %conditional = memref.alloc() : memref<10xf32>
  %varying = memref.alloc() : memref<10xf32>
  %escaping = memref.alloc() : memref<10xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.fill ins(%zero : f32) outs(%early : memref<10xf32>)
    memref.copy %early, %y : memref<10xf32> to memref<10xf32>
    %0 = memref.subview %early[1] [8] [1] : memref<10xf32> to memref<8xf32, strided<[1], offset: 1>>
    memref.copy %x, %0 : memref<8xf32> to memref<8xf32, strided<[1], offset: 1>>
    linalg.fill ins(%zero : f32) outs(%conditional : memref<10xf32>)
    scf.if %condition {
      %1 = memref.subview %conditional[1] [8] [1] : memref<10xf32> to memref<8xf32, strided<[1], offset: 1>>
      memref.copy %x, %1 : memref<8xf32> to memref<8xf32, strided<[1], offset: 1>>
    }
    memref.copy %conditional, %y : memref<10xf32> to memref<10xf32>
    %value = memref.load %z[%i] : memref<4xf32>
    linalg.fill ins(%value : f32) outs(%varying : memref<10xf32>)
    memref.copy %varying, %y : memref<10xf32> to memref<10xf32>
    linalg.fill ins(%zero : f32) outs(%escaping : memref<10xf32>)
  }
  memref.copy %escaping, %y : memref<10xf32> to memref<10xf32>
  memref.dealloc %early : memref<10xf32>
  memref.dealloc %conditional : memref<10xf32>
  memref.dealloc %varying : memref<10xf32>
  memref.dealloc %escaping : memref<10xf32>
  return
}
