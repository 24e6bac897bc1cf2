// RUN: quant-float-opt %s -split-input-file --quant-float-outline-kernels=kernel-threshold=2 | FileCheck %s
// RUN: quant-float-opt %s -split-input-file --quant-float-outline-kernels | FileCheck %s --check-prefix=FEW
// RUN: quant-float-opt %s -split-input-file --quant-float-outline-kernels="kernel-threshold=2 min-duplicates=2" | FileCheck %s --check-prefix=LEAST

// Equal loops call one function, whatever the offsets of their buffers are. Constants are inside of
// the function. Noalias buffers stay noalias.

// CHECK-LABEL: func.func @f.kernel(
// CHECK:         %[[A:.+]] = memref.cast %{{.+}} : memref<8xf32, strided<[4]>> to memref<8xf32, strided<[4], offset: ?>>
// CHECK:         call @[[LOOP:shared.kernel[_0-9]*]](%[[A]], %{{.+}})
// CHECK:         call @[[LOOP]](%{{.+}}, %{{.+}})
// CHECK:         %[[SUM:.+]] = call @[[OTHER:shared.kernel[_0-9]+]](%{{.+}}) : {{.+}} -> f32
// CHECK:         call @shared.kernel{{.*}}(%[[SUM]], %{{.+}}) : (f32, memref<8xf32>) -> ()
// CHECK-NOT:     scf.for
// CHECK:         memref.store %[[SUM]]
// CHECK:         linalg.generic
// CHECK:       func.func private @[[LOOP]](%{{.+}}: memref<8xf32, strided<[4], offset: ?>>, %{{.+}}: memref<8xf32>)
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>, {{(llvm\.)?}}passthrough = ["noinline"], quant_float.noalias
// CHECK:         arith.constant 8 : index
// CHECK:         scf.for
// CHECK:       func.func private @[[OTHER]](%{{.+}}: memref<8xf32>) -> f32

// FEW-NOT: call
// LEAST:         call @[[LOOP:shared.kernel[_0-9]*]](
// LEAST:         call @[[LOOP]](
// LEAST-NOT:     call
// LEAST:         scf.for
func.func @f.kernel(%x: memref<8x4xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %total: memref<1xf32>)
    attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.subview %x[0, 0] [8, 1] [1, 1] : memref<8x4xf32> to memref<8xf32, strided<[4]>>
  %b = memref.subview %x[0, 2] [8, 1] [1, 1] : memref<8x4xf32> to memref<8xf32, strided<[4], offset: 2>>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %a[%i] : memref<8xf32, strided<[4]>>
    memref.store %0, %y[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %b[%i] : memref<8xf32, strided<[4], offset: 2>>
    memref.store %0, %z[%i] : memref<8xf32>
  }
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (f32) {
    %0 = memref.load %y[%i] : memref<8xf32>
    %1 = arith.addf %s, %0 : f32
    scf.yield %1 : f32
  }
  // A result may be an argument.
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %sum, %y[%i] : memref<8xf32>
  }
  memref.store %sum, %total[%c0] : memref<1xf32>
  // A call is slower than a single element.
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%total : memref<1xf32>) {
  ^bb0(%out: f32):
    %0 = arith.negf %out : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The type of a subview that a loop takes follows from the type of the buffer, which is kept. A
// buffer that is read and written is not noalias. Functions other than entry points are not outlined.

// CHECK-LABEL: func.func @g.kernel(
// CHECK:         call @[[SHIFT:shared.kernel[_0-9]*]](%{{.+}}, %{{.+}}) : (memref<4xf32, strided<[1], offset: 4>>, memref<7xf32, strided<[1], offset: ?>>) -> ()
// CHECK:         call @shared.kernel
// CHECK:         call @[[BITS:shared.kernel[_0-9]*]](%{{.+}}) : (memref<8xi4>) -> ()
// CHECK:       func.func private @[[SHIFT]](
// CHECK-NOT:     quant_float.noalias
// CHECK-SAME:    {
// CHECK:         memref.subview
// CHECK:       func.func private @[[BITS]](%{{.+}}: memref<8xi4>)
func.func @g.kernel(%x: memref<8xf32>, %bits: memref<8xi4>, %y: memref<8xf32>)
    attributes {quant_float.entry_point = {graph_name = "", symbol = "g", inputs = [], outputs = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i4
  %true = arith.constant true
  %cst = arith.constant 1.0 : f32
  %a = memref.subview %x[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %b = memref.subview %x[1] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1], offset: 1>>
  scf.for %i = %c0 to %c4 step %c1 {
    %part = memref.subview %a[2] [2] [1] : memref<4xf32, strided<[1], offset: 4>> to memref<2xf32, strided<[1], offset: 6>>
    %0 = memref.load %part[%c0] : memref<2xf32, strided<[1], offset: 6>>
    memref.store %0, %b[%i] : memref<7xf32, strided<[1], offset: 1>>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = memref.load %x[%i] : memref<8xf32>
    memref.store %0, %y[%i] : memref<8xf32>
  }
  scf.if %true {
    memref.store %cst, %y[%c0] : memref<8xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %zero, %bits[%i] : memref<8xi4>
  }
  return
}
