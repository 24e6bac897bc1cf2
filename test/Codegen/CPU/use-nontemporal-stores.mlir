// Loops of kernels that write large buffers get a second version, with non-temporal stores.
// Integration/nontemporal_stores.py compares the results.
// RUN: quant-float-opt %s --quant-float-use-nontemporal-stores --canonicalize --cse | FileCheck %s

// CHECK: func.func private @__qf_get_nontemporal_threshold() -> i64

// CHECK-LABEL: func.func @cast.kernel(
// CHECK-SAME: %[[X:.+]]: memref<?xf32>, %[[Y:.+]]: memref<?xi8>, %[[N:[a-z0-9]+]]: index
// The result is narrower than the input: half of the threshold applies.
// CHECK: %[[BYTES:.+]] = arith.addi %[[SUM:.+]], %[[SUM]]
// CHECK: %[[MAYBE:.+]] = arith.cmpi uge, %[[BYTES]], %c1048576
// CHECK: %[[LARGE:.+]] = scf.if %[[MAYBE]] -> (i1) {
// CHECK: %[[CACHE:.+]] = func.call @__qf_get_nontemporal_threshold()
// CHECK: %[[INDEX:.+]] = arith.index_cast %[[CACHE]]
// CHECK: arith.cmpi ugt, %[[BYTES]], %[[INDEX]]
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: %[[STREAMS:.+]] = arith.andi %[[LARGE]], %{{.+}}
// The original loop, or the vectors at both ends.
// CHECK: %[[STEP:.+]] = arith.select %[[STREAMS]], %{{.+}}, %c64
// CHECK: %[[END:.+]] = arith.select %[[STREAMS]], %{{.+}}, %{{.+}}
// CHECK: scf.for %{{.+}} = %c0 to %[[END]] step %[[STEP]] {
// CHECK: vector.transfer_write
// CHECK: scf.if %[[STREAMS]] {
// CHECK: scf.for
// CHECK-COUNT-4: memref.prefetch %[[X]]
// CHECK: vector.transfer_read
// CHECK: vector.store {{.*}}alignment = 64{{.*}}nontemporal = true
// CHECK-NOT: vector.transfer_write
// CHECK: scf.if %[[LARGE]] {
// CHECK: llvm.fence seq_cst
func.func @cast.kernel(%x: memref<?xf32>, %y: memref<?xi8>, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = ub.poison : f32
  scf.for %i = %c0 to %n step %c64 {
    %in = memref.subview %x[%i] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i] [64] [1] : memref<?xi8> to memref<64xi8, strided<[1], offset: ?>>
    %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<64xf32, strided<[1], offset: ?>>, vector<64xf32>
    %1 = arith.fptosi %0 : vector<64xf32> to vector<64xi8>
    vector.transfer_write %1, %out[%c0] {in_bounds = [true]} : vector<64xi8>, memref<64xi8, strided<[1], offset: ?>>
  }
  return
}

// A scale for each block: iterations start at blocks. There is a second version only if the stores
// are aligned.
// CHECK-LABEL: func.func @blocks.kernel(
// CHECK: scf.for %{{.+}} = %c0 to %{{.+}} step %c32 {
// CHECK: vector.transfer_write
// CHECK: scf.if %{{.+}} {
// CHECK-NOT: vector.transfer_write
// CHECK: vector.store {{.*}} nontemporal
#block = affine_map<(d0) -> (d0 floordiv 32)>
func.func @blocks.kernel(%x: memref<?xf32>, %s: memref<?xf32>, %y: memref<?xf32>, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %p = ub.poison : f32
  scf.for %i = %c0 to %n step %c32 {
    %b = affine.apply #block(%i)
    %scale = memref.load %s[%b] : memref<?xf32>
    %in = memref.subview %x[%i] [32] [1] : memref<?xf32> to memref<32xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i] [32] [1] : memref<?xf32> to memref<32xf32, strided<[1], offset: ?>>
    %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<32xf32, strided<[1], offset: ?>>, vector<32xf32>
    %1 = vector.broadcast %scale : f32 to vector<32xf32>
    %2 = arith.mulf %0, %1 : vector<32xf32>
    vector.transfer_write %2, %out[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32, strided<[1], offset: ?>>
  }
  return
}

// The prefetched index passes the end of the row, and then it is in the next one.
// CHECK-LABEL: func.func @rows.kernel(
// CHECK-SAME: %[[X:.+]]: memref<?x1024xf32>
// CHECK: scf.for %[[ROW:.+]] = %c0
// CHECK: vector.transfer_write
// CHECK: scf.for %[[I:.+]] =
// CHECK: %[[AHEAD:.+]] = arith.addi %[[I]], %c2048
// CHECK: memref.prefetch %[[X]][%[[ROW]], %[[AHEAD]]]
// CHECK: vector.store {{.*}} nontemporal
func.func @rows.kernel(%x: memref<?x1024xf32>, %s: memref<?xf32>, %y: memref<?x1024xi8>, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %p = ub.poison : f32
  scf.for %row = %c0 to %n step %c1 {
    %scale = memref.load %s[%row] : memref<?xf32>
    scf.for %i = %c0 to %c1024 step %c64 {
      %in = memref.subview %x[%row, %i] [1, 64] [1, 1] : memref<?x1024xf32> to memref<64xf32, strided<[1], offset: ?>>
      %out = memref.subview %y[%row, %i] [1, 64] [1, 1] : memref<?x1024xi8> to memref<64xi8, strided<[1], offset: ?>>
      %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<64xf32, strided<[1], offset: ?>>, vector<64xf32>
      %1 = vector.broadcast %scale : f32 to vector<64xf32>
      %2 = arith.mulf %0, %1 : vector<64xf32>
      %3 = arith.fptosi %2 : vector<64xf32> to vector<64xi8>
      vector.transfer_write %3, %out[%c0] {in_bounds = [true]} : vector<64xi8>, memref<64xi8, strided<[1], offset: ?>>
    }
  }
  return
}

// Two packed elements are a byte: iterations start at an aligned one.
// CHECK-LABEL: func.func @packed.kernel(
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: arith.andi %{{.+}}, %c255
// CHECK: arith.divui %{{.+}}, %c4
// CHECK: vector.store {{.*}}alignment = 32{{.*}}nontemporal = true{{.*}} : memref<64xi4
func.func @packed.kernel(%x: memref<?xf32>, %y: memref<?xi4>, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = ub.poison : f32
  scf.for %i = %c0 to %n step %c64 {
    %in = memref.subview %x[%i] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i] [64] [1] : memref<?xi4> to memref<64xi4, strided<[1], offset: ?>>
    %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<64xf32, strided<[1], offset: ?>>, vector<64xf32>
    %1 = arith.fptosi %0 : vector<64xf32> to vector<64xi4>
    vector.transfer_write %1, %out[%c0] {in_bounds = [true]} : vector<64xi4>, memref<64xi4, strided<[1], offset: ?>>
  }
  return
}

// No second version for small buffers, nor for updates in place, whose cache lines are read anyway.
// CHECK-LABEL: func.func @small.kernel(
// CHECK-NOT: nontemporal
// CHECK-LABEL: func.func @in_place.kernel(
// CHECK-NOT: nontemporal
func.func @small.kernel(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 4096 : index
  %p = ub.poison : f32
  scf.for %i = %c0 to %n step %c16 {
    %in = memref.subview %x[%i] [16] [1] : memref<4096xf32> to memref<16xf32, strided<[1], offset: ?>>
    %out = memref.subview %y[%i] [16] [1] : memref<4096xf32> to memref<16xf32, strided<[1], offset: ?>>
    %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    vector.transfer_write %0, %out[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32, strided<[1], offset: ?>>
  }
  return
}
func.func @in_place.kernel(%x: memref<?xf32>, %n: index) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = ub.poison : f32
  scf.for %i = %c0 to %n step %c16 {
    %in = memref.subview %x[%i] [16] [1] : memref<?xf32> to memref<16xf32, strided<[1], offset: ?>>
    %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    %1 = arith.negf %0 : vector<16xf32>
    vector.transfer_write %1, %in[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32, strided<[1], offset: ?>>
  }
  return
}

// A tile that is written again in each iteration of a loop stays in the caches. The input of the next tile is prefetched.
// CHECK-LABEL: func.func @tile.kernel(
// CHECK-SAME: %[[X:.+]]: memref<4096x4096xf32>
// CHECK: %[[ROWS:.+]] = memref.subview %[[X]]
// CHECK: %[[ROW:.+]] = memref.subview %[[ROWS]]
// CHECK: scf.for %[[I:.+]] =
// The distance is that of 16 rows.
// CHECK: arith.addi %[[I]], %c65536
// CHECK: memref.prefetch %[[ROW]]
// CHECK-NOT: nontemporal
// CHECK: return
func.func @tile.kernel(%x: memref<4096x4096xf32>, %sum: memref<64xf32>) attributes {quant_float.entry_point = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4096 = arith.constant 4096 : index
  %p = ub.poison : f32
  %tile = memref.alloca() : memref<4096xf32>
  scf.for %i = %c0 to %c4096 step %c16 {
    %rows = memref.subview %x[%i, 0] [16, 4096] [1, 1] : memref<4096x4096xf32> to memref<16x4096xf32, strided<[4096, 1], offset: ?>>
    scf.for %j = %c0 to %c16 step %c1 {
      %row = memref.subview %rows[%j, 0] [1, 4096] [1, 1] : memref<16x4096xf32, strided<[4096, 1], offset: ?>> to memref<4096xf32, strided<[1], offset: ?>>
      scf.for %k = %c0 to %c4096 step %c16 {
        %in = memref.subview %row[%k] [16] [1] : memref<4096xf32, strided<[1], offset: ?>> to memref<16xf32, strided<[1], offset: ?>>
        %out = memref.subview %tile[%k] [16] [1] : memref<4096xf32> to memref<16xf32, strided<[1], offset: ?>>
        %0 = vector.transfer_read %in[%c0], %p {in_bounds = [true]} : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
        %1 = arith.negf %0 : vector<16xf32>
        vector.transfer_write %1, %out[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32, strided<[1], offset: ?>>
      }
      %2 = memref.load %tile[%j] : memref<4096xf32>
      memref.store %2, %sum[%j] : memref<64xf32>
    }
  }
  return
}
