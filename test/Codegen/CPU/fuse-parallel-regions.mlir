// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-parallel-regions))" | FileCheck %s

// The outputs of a kernel do not alias, so there is no barrier between the
// loops. Ops between the loops move before them.
// CHECK-LABEL: func @independent(
// CHECK: memref.dim %arg1
// CHECK: memref.load %arg4
// CHECK: omp.parallel num_threads(%{{.*}} : i32) {
// CHECK-NEXT: omp.wsloop nowait {
// CHECK: omp.wsloop {
// CHECK-NOT: omp.parallel
func.func @independent(%x: memref<?xf32>, %y: memref<?xf32>, %a: memref<?xf32>, %b: memref<?xf32>, %scale: memref<f32>, %threads: i32, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %a[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  %m = memref.dim %y, %c0 : memref<?xf32>
  %s = memref.load %scale[] : memref<f32>
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%m) step (%c1) {
        memref.store %s, %b[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The second loop reads the results of the first one, and the third does not.
// The third loop needs no barrier of its own, but it follows the barrier
// between the first two.
// CHECK-LABEL: func @dependent(
// CHECK: omp.parallel
// CHECK-NEXT: omp.wsloop {
// CHECK: omp.wsloop nowait {
// CHECK: omp.wsloop {
// CHECK-NOT: omp.parallel
func.func @dependent(%x: memref<?xf32>, %a: memref<?xf32>, %b: memref<?xf32>, %threads: i32, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %between = memref.alloc(%n) : memref<?xf32>
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %between[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %part = memref.subview %between[%i] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
        %v = memref.load %part[%c0] : memref<1xf32, strided<[1], offset: ?>>
        memref.store %v, %a[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %b[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The op between the loops reads the results of the first one, so the regions
// are not fused.
// CHECK-LABEL: func @result_between(
// CHECK: omp.parallel
// CHECK: memref.load %arg1
// CHECK: omp.parallel
func.func @result_between(%x: memref<?xf32>, %a: memref<?xf32>, %b: memref<?xf32>, %threads: i32, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %a[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  %s = memref.load %a[%c0] : memref<?xf32>
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %s, %b[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Nothing is known of functions other than kernels, so a barrier remains.
// Regions with different numbers of threads are not fused.
// CHECK-LABEL: func @unknown(
// CHECK: omp.parallel num_threads(%arg2 : i32)
// CHECK-NEXT: omp.wsloop {
// CHECK: omp.wsloop {
// CHECK: omp.parallel num_threads(%arg3 : i32)
func.func @unknown(%a: memref<?xf32>, %b: memref<?xf32>, %threads: i32, %others: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %zero, %a[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %zero, %b[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  omp.parallel num_threads(%others : i32) {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %zero, %b[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
