// RUN: quant-float-opt %s -split-input-file --pass-pipeline="builtin.module(func.func(quant-float-configure-gpu-kernels,quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s
// RUN: quant-float-opt %s -split-input-file --pass-pipeline="builtin.module(func.func(quant-float-configure-gpu-kernels,quant-float-outline-gpu-kernels{module=mine}))" | FileCheck %s --check-prefix=MODULE
// RUN: quant-float-opt %s -split-input-file --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_75},func.func(quant-float-configure-gpu-kernels,quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s --check-prefix=TURING
// RUN: quant-float-opt %s -split-input-file --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_80},func.func(quant-float-configure-gpu-kernels,quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s --check-prefix=AMPERE

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Sixteen bytes of the narrowest operand for each thread, limited by the size of the stored
// elements. Vector accesses are used if the tile is full and every address is aligned.

// MODULE: gpu.launch {{.*}} module(@mine) function(@flat_kernel_0)
// CHECK-LABEL: func.func @flat.kernel
// CHECK-SAME: (%[[X:.+]]: memref<?x3xf32>, %[[Y:.+]]: memref<?x3xi8>)
func.func @flat.kernel(%x: memref<?x3xf32>, %y: memref<?x3xi8>) {
  // CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : index
  // CHECK-DAG: %[[WIDTH:.+]] = arith.constant 16 : index
  // CHECK-DAG: %[[THREADS:.+]] = arith.constant 256 : index
  // CHECK: %[[TO:.+]] = memref.collapse_shape %[[Y]] {{\[}}[0, 1]] : memref<?x3xi8> into memref<?xi8>
  // CHECK: %[[SIZE:.+]] = memref.dim %[[TO]]
  // CHECK: %[[COUNT:.+]] = arith.ceildivui %[[SIZE]], %[[WIDTH]]
  // CHECK: %[[BLOCKS:.+]] = arith.ceildivui %[[COUNT]], %[[THREADS]]
  // CHECK: %[[GRID:.+]] = arith.maxui %[[BLOCKS]], %[[ONE]]
  // CHECK: gpu.launch blocks(%[[BLOCK:[^,]+]], {{[^)]+}}) in ({{[^,]+}} = %[[GRID]], {{[^,]+}} = %[[ONE]], {{[^,]+}} = %[[ONE]])
  // CHECK-SAME: threads(%[[THREAD:[^,]+]], {{[^)]+}}) in ({{[^,]+}} = %[[THREADS]],
  // CHECK-SAME: module(@quant_float_kernels) function(@flat_kernel_0)
  // CHECK: %[[FIRST:.+]] = arith.muli %[[BLOCK]], %[[THREADS]]
  // CHECK: %[[NUMBER:.+]] = arith.addi %[[FIRST]], %[[THREAD]]
  // CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[NUMBER]], %[[COUNT]]
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK: %[[OFFSET:.+]] = arith.muli %[[NUMBER]], %[[WIDTH]]
  // CHECK: %[[ADDRESSES:.+]] = arith.ori
  // CHECK: %[[ALIGNED:.+]] = arith.cmpi eq, %[[ADDRESSES]]
  // CHECK: %[[LEFT:.+]] = arith.subi %[[SIZE]], %[[OFFSET]]
  // CHECK: %[[WHOLE:.+]] = arith.cmpi uge, %[[LEFT]], %[[WIDTH]]
  // CHECK: %[[WIDE:.+]] = arith.andi %[[WHOLE]], %[[ALIGNED]]
  // CHECK: scf.if %[[WIDE]] {
  // CHECK: vector.load %{{.*}}alignment = 16{{.*}} : memref<16xf32, {{.*}}>, vector<16xf32>
  // CHECK: arith.fptosi %{{.+}} : vector<16xf32> to vector<16xi8>
  // CHECK: vector.store %{{.*}}alignment = 16{{.*}} : memref<16xi8, {{.*}}>, vector<16xi8>
  // CHECK: } else {
  // CHECK: scf.for %{{.+}} = %[[OFFSET]] to %{{.+}} step %[[ONE]] {
  // CHECK: linalg.generic
  // CHECK: arith.fptosi %{{.+}} : f32 to i8
  linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x3xf32>) outs(%y : memref<?x3xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.fptosi %in : f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// -----

#row = affine_map<(d0, d1) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

// Values that are invariant along a row are loaded once. Neighbors in a row are neighbors among the
// elements of a thread and among threads.

// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%{{.+}}: memref<?x?xf32>, %[[S:.+]]: memref<?xf32>,
func.func @rows(%x: memref<?x?xf32>, %s: memref<?xf32>, %y: memref<?x?xf32>) {
  // CHECK: gpu.launch
  // CHECK: %[[FIRST:.+]] = arith.muli %{{.+}}, %c4
  // CHECK: %[[COLUMN:.+]] = arith.remui %[[FIRST]], %[[EXTENT:.+]] : index
  // CHECK: %[[ROW:.+]] = arith.divui %[[FIRST]], %[[EXTENT]] : index
  // CHECK: %[[SCALE:.+]] = memref.load %[[S]][%[[ROW]]]
  // CHECK: scf.if
  // CHECK: vector.load %{{.*}}alignment = 16{{.*}} : memref<4xf32, {{.*}}>, vector<4xf32>
  // CHECK: %[[ALL:.+]] = vector.broadcast %[[SCALE]] : f32 to vector<4xf32>
  // CHECK: arith.divf %{{.+}}, %[[ALL]] : vector<4xf32>
  linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %0 = arith.divf %in, %scale : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#blocks = affine_map<(d0, d1) -> (d0, d1 floordiv 24)>

// A thread's elements are in one block: 8 of 16.

// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: memref<?x240xf32>, %s: memref<?x10xf32>, %y: memref<?x240xi8>) {
  // CHECK: vector.load %{{.*}}alignment = 16{{.*}} : memref<8xf32, {{.*}}>, vector<8xf32>
  // CHECK: vector.store %{{.*}}alignment = 8{{.*}} : memref<8xi8, {{.*}}>, vector<8xi8>
  linalg.generic {indexing_maps = [#id2, #blocks, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x240xf32>, memref<?x10xf32>) outs(%y : memref<?x240xi8>) {
  ^bb0(%in: f32, %scale: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = arith.fptosi %0 : f32 to i8
    linalg.yield %1 : i8
  }
  return
}

// -----

#row = affine_map<(d0, d1) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

// The offsets of the rows are unaligned: vectors end within a row.

// CHECK-LABEL: func.func @odd
func.func @odd(%x: memref<?x49xf32>, %s: memref<?xf32>, %y: memref<?x49xi8>) {
  // CHECK-DAG: %[[WIDTH:.+]] = arith.constant 16 : index
  // CHECK-DAG: %[[EXTENT:.+]] = arith.constant 49 : index
  // CHECK: gpu.launch
  // CHECK: %[[COLUMN:.+]] = arith.remui %{{.+}}, %[[EXTENT]]
  // CHECK: %[[LEFT:.+]] = arith.subi %[[EXTENT]], %[[COLUMN]]
  // CHECK: %[[FITS:.+]] = arith.cmpi uge, %[[LEFT]], %[[WIDTH]]
  // CHECK: %[[WIDE:.+]] = arith.andi %[[FITS]]
  // CHECK: scf.if %[[WIDE]] {
  // CHECK: vector.store %{{.*}}alignment = 16{{.*}}
  // CHECK: } else {
  // CHECK: scf.for %[[ELEMENT:.+]] = %{{.+}} to
  // CHECK: arith.remui %[[ELEMENT]], %[[EXTENT]]
  linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x49xf32>, memref<?xf32>) outs(%y : memref<?x49xi8>) {
  ^bb0(%in: f32, %scale: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = arith.fptosi %0 : f32 to i8
    linalg.yield %1 : i8
  }
  return
}

// -----

// One element for one thread.

// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: memref<f32>, %y: memref<f32>) {
  // CHECK: gpu.launch
  // CHECK: linalg.generic
  // CHECK: gpu.terminator
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%x : memref<f32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Copies become kernels, each reduction runs in a single thread, buffers are in device memory, and
// constants are copied to it.

memref.global "private" constant @weights : memref<4x8xf32> = dense<2.0>

// CHECK-LABEL: func.func @network
// CHECK-SAME: (%[[X:.+]]: memref<?x4xf32>, %[[Y:.+]]: memref<?x8xf32>)
// MODULE-LABEL: func.func @network
func.func @network(%x: memref<?x4xf32>, %y: memref<?x8xf32>) {
  // CHECK-NOT: memref.get_global
  // CHECK: %[[SUM:.+]] = gpu.alloc (%{{.+}}) : memref<?x8xf32>
  // CHECK: gpu.launch
  // CHECK: gpu.launch
  // CHECK: %[[W:.+]] = memref.get_global @weights
  // CHECK: linalg.matmul ins(%{{.+}}, %{{.+}} : memref<1x4xf32, {{.*}}>, memref<4x1xf32, {{.*}}>) outs(%{{.+}} : memref<1x1xf32, {{.*}}>)
  // CHECK: gpu.launch
  // CHECK: vector.load
  // CHECK: gpu.dealloc %[[SUM]]
  // MODULE: function(@network_kernel_0)
  // MODULE: function(@network_kernel_1)
  // MODULE: function(@network_kernel_2)
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %w = memref.get_global @weights : memref<4x8xf32>
  %sum = memref.alloc(%n) : memref<?x8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x8xf32>)
  linalg.matmul ins(%x, %w : memref<?x4xf32>, memref<4x8xf32>) outs(%sum : memref<?x8xf32>)
  memref.copy %sum, %y : memref<?x8xf32> to memref<?x8xf32>
  memref.dealloc %sum : memref<?x8xf32>
  return
}

// -----

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#scale = affine_map<(d0, d1, d2) -> (d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// Matmuls: decoded tiles in shared memory, accumulated in the order of K. The host selects the tile
// size for dynamic sizes.

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: (%[[A:.+]]: memref<?x?xf32>, %[[B:.+]]: memref<?x?xi8>, %[[S:.+]]: memref<?xf32>, %[[Y:.+]]: memref<?x?xf32>)
func.func @matmul(%a: memref<?x?xf32>, %b: memref<?x?xi8>, %s: memref<?xf32>, %y: memref<?x?xf32>) {
  // CHECK-DAG: %[[THREADS:.+]] = arith.constant 256 : index
  // CHECK-DAG: %[[LARGE:.+]] = arith.constant 128 : index
  // CHECK-DAG: %[[MEDIUM:.+]] = arith.constant 64 : index
  // CHECK-DAG: %[[SMALL:.+]] = arith.constant 32 : index
  // CHECK-DAG: %[[WORK:.+]] = arith.constant 14336 : index
  // CHECK-DAG: %[[LITTLE:.+]] = arith.constant 5120 : index
  // CHECK-DAG: %[[DEPTH:.+]] = arith.constant 16 : index
  // CHECK: %[[ROWS:.+]] = arith.ceildivui %{{.+}}, %[[LARGE]]
  // CHECK: %[[COLUMNS:.+]] = arith.ceildivui %{{.+}}, %[[MEDIUM]]
  // CHECK: %[[BLOCKS:.+]] = arith.muli %[[ROWS]], %[[COLUMNS]]
  // CHECK: %[[BUSY:.+]] = arith.maxui %[[BLOCKS]], %[[LARGE]]
  // CHECK: %[[FIRST:.+]] = arith.muli %[[BUSY]], %[[WORK]]
  // CHECK: arith.ceildivui %{{.+}}, %[[SMALL]]
  // CHECK: %[[SECOND:.+]] = arith.muli %{{.+}}, %[[LITTLE]]
  // CHECK: %[[IS_LARGE:.+]] = arith.cmpi ult, %[[FIRST]], %[[SECOND]]
  // CHECK: scf.if %[[IS_LARGE]] {
  // CHECK: gpu.launch
  // CHECK-SAME: = %[[THREADS]],
  // CHECK-SAME: workgroup(%[[LEFT:.+]] : memref<8448xi8, #gpu.address_space<workgroup>>, %[[RIGHT:.+]] : memref<4352xi8, #gpu.address_space<workgroup>>)
  // CHECK-DAG: memref.view %[[LEFT]]{{.*}} to memref<16x132xf32, #gpu.address_space<workgroup>>
  // CHECK-DAG: memref.view %[[LEFT]]{{.*}} to memref<16x33xvector<4xf32>, #gpu.address_space<workgroup>>
  // CHECK: memref.load %[[A]]
  // CHECK: %[[Q:.+]] = memref.load %[[B]]
  // CHECK: %[[VALUE:.+]] = arith.sitofp %[[Q]]
  // CHECK: %[[SCALE:.+]] = memref.load %[[S]]
  // CHECK: arith.mulf %[[VALUE]], %[[SCALE]]
  // The iteration arguments are the accumulators and the elements that the previous iteration
  // loaded.
  // CHECK: %[[SUMS:.+]]:20 = scf.for %{{.+}} = %{{.+}} to %{{.+}} step %[[DEPTH]]
  // CHECK: memref.store
  // CHECK: gpu.barrier
  // CHECK: memref.load %[[A]]
  // CHECK: scf.for
  // CHECK: %[[TERM:.+]] = arith.mulf %{{.+}}, %{{.+}} : vector<4xf32>
  // CHECK: arith.addf %{{.+}}, %[[TERM]] : vector<4xf32>
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK: memref.store %{{.+}}, %[[Y]]
  // CHECK: } else {
  // CHECK: gpu.launch
  // CHECK-SAME: workgroup(%{{.+}} : memref<2304xi8, {{.*}}>, %{{.+}} : memref<4352xi8,
  linalg.generic {indexing_maps = [#left, #right, #scale, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %s : memref<?x?xf32>, memref<?x?xi8>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%x: f32, %q: i8, %scale: f32, %sum: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.mulf %x, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// -----

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d1, d2)>
#zero = affine_map<(d0, d1, d2) -> (d0)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// Integers use mma.sync if the chip is known. A zero point is subtracted at the end, by means of
// the sums of the other operand.

// CHECK-LABEL: func.func @integers
// CHECK-NOT: llvm.call_intrinsic
// TURING-LABEL: func.func @integers
// TURING: "llvm.nvvm.mma.m8n8k16.row.col.s8.u8"
// AMPERE-LABEL: func.func @integers
func.func @integers(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %p: memref<?xi8>, %y: memref<?x?xi32>) {
  // AMPERE-DAG: %[[ONES:.+]] = arith.constant 16843009 : i32
  // AMPERE: gpu.launch
  // AMPERE: scf.for
  // AMPERE: gpu.barrier
  // AMPERE: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8.u8"
  // AMPERE: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8.u8"(%[[ONES]], %[[ONES]], %[[ONES]], %[[ONES]],
  // AMPERE: gpu.barrier
  // AMPERE: %[[OFF:.+]] = arith.muli %{{.+}}, %{{.+}} : i32
  // AMPERE: arith.subi %{{.+}}, %[[OFF]] : i32
  linalg.generic {indexing_maps = [#left, #right, #zero, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %p : memref<?x?xi8>, memref<?x?xi8>, memref<?xi8>) outs(%y : memref<?x?xi32>) {
  ^bb0(%left: i8, %right: i8, %zero: i8, %sum: i32):
    %0 = arith.extsi %left : i8 to i32
    %1 = arith.extui %right : i8 to i32
    %2 = arith.extsi %zero : i8 to i32
    %3 = arith.subi %0, %2 : i32
    %4 = arith.muli %3, %1 : i32
    %5 = arith.addi %sum, %4 : i32
    linalg.yield %5 : i32
  }
  return
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// Few rows and a large K: 128 threads load, and 32 of them accumulate eight elements of K at a
// time.

// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: (%[[X:.+]]: memref<2x?xf32>, %[[W:.+]]: memref<?x?xf32>, %[[Y:.+]]: memref<2x?xf32>)
func.func @few_rows(%x: memref<2x?xf32>, %w: memref<?x?xf32>, %y: memref<2x?xf32>) {
  // CHECK-DAG: %[[THREADS:.+]] = arith.constant 128 : index
  // CHECK-DAG: %[[LINES:.+]] = arith.constant 32 : index
  // CHECK-DAG: %[[DEPTH:.+]] = arith.constant 64 : index
  // CHECK-DAG: %[[STEPS:.+]] = arith.constant 8 : index
  // CHECK: gpu.launch
  // CHECK-SAME: threads(%[[THREAD:[^,]+]], {{.*}} in (%{{.+}} = %[[THREADS]],
  // CHECK-DAG: memref.view %{{.+}} to memref<64x2xvector<2xf32>, #gpu.address_space<workgroup>>
  // CHECK-DAG: memref.view %{{.+}} to memref<64x33xvector<1xf32>, #gpu.address_space<workgroup>>
  // CHECK: %[[ADDS:.+]] = arith.cmpi ult, %[[THREAD]], %[[LINES]]
  // CHECK: scf.for %{{.+}} step %[[DEPTH]]
  // CHECK: gpu.barrier
  // CHECK: memref.load %[[W]]
  // CHECK: scf.if %[[ADDS]]
  // CHECK: scf.for %{{.+}} = %{{.+}} to %[[DEPTH]] step %[[STEPS]]
  // CHECK-COUNT-16: arith.mulf %{{.+}}, %{{.+}} : vector<1xf32>
  // CHECK-NOT: arith.mulf
  // CHECK: gpu.barrier
  // CHECK: memref.store %{{.+}}, %[[Y]]
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<2x?xf32>, memref<?x?xf32>) outs(%y : memref<2x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

#image = affine_map<(n, o, y, x, c, i, j) -> (n, c, y * 2 + i, x * 2 + j)>
#weight = affine_map<(n, o, y, x, c, i, j) -> (o, c, i, j)>
#out = affine_map<(n, o, y, x, c, i, j) -> (n, o, y, x)>

// Convolutions are implicit matmuls: output channels by output positions of all images, with K
// along the window. If the chip has asynchronous copies, two of three tiles are in flight while one
// is multiplied.

// AMPERE-LABEL: func.func @convolution
// AMPERE-SAME: (%[[X:.+]]: memref<3x15x13x15xi8>, %[[W:.+]]: memref<16x15x3x3xi8>, %[[Y:.+]]: memref<3x16x6x7xi32>)
func.func @convolution(%x: memref<3x15x13x15xi8>, %w: memref<16x15x3x3xi8>, %y: memref<3x16x6x7xi32>) {
  // AMPERE-DAG: %[[BLOCKS:.+]] = arith.constant 2 : index
  // AMPERE-DAG: %[[DEPTH:.+]] = arith.constant 135 : index
  // AMPERE-DAG: %[[PLACES:.+]] = arith.constant 126 : index
  // AMPERE-DAG: %[[WIDTH:.+]] = arith.constant 7 : i32
  // AMPERE: gpu.launch blocks(%[[BLOCK:[^,]+]], {{.*}} = %[[BLOCKS]],
  // Weights of consecutive K indices are contiguous. If all pieces of them are aligned and full,
  // they are copied or filled with zeros. The elements of the image are loaded before the
  // multiplications and stored after them.
  // AMPERE: scf.if
  // AMPERE: %[[COUNT:.+]] = arith.select %{{.+}}, %c16, %c0
  // AMPERE: nvgpu.device_async_copy %[[W]]{{.*}}, 16, %[[COUNT]] {{.*}}bypassL1{{.*}} : memref<16x15x3x3xi8> to memref<3x32x64xi8, #gpu.address_space<workgroup>>
  // AMPERE: nvvm.cp.async.commit.group
  // AMPERE: nvgpu.device_async_copy %[[W]]
  // AMPERE: nvvm.cp.async.commit.group
  // AMPERE: scf.for %{{.+}} to %[[DEPTH]] step
  // AMPERE: nvvm.cp.async.wait.group 1
  // AMPERE: gpu.barrier
  // AMPERE: nvgpu.ldmatrix
  // AMPERE: nvgpu.device_async_copy %[[W]]
  // AMPERE: arith.cmpi ult, %{{.+}}, %[[PLACES]]
  // AMPERE: arith.remui %{{.+}}, %[[WIDTH]] : i32
  // AMPERE: affine.apply
  // AMPERE: memref.load %[[X]]
  // AMPERE: nvvm.cp.async.commit.group
  // AMPERE: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8"
  // AMPERE: memref.store %{{.+}} : memref<3x64x16xvector<4xi8>, #gpu.address_space<workgroup>>
  // AMPERE: } else {
  // AMPERE: scf.for %{{.+}} to %[[DEPTH]] step
  // AMPERE: nvvm.cp.async.wait.group 1
  // AMPERE: nvgpu.device_async_copy %[[W]]{{.*}}, 16 {{.*}}bypassL1
  // AMPERE: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8"
  // AMPERE-NOT: gpu.barrier
  // AMPERE: memref.store %{{.+}}, %[[Y]]
  // TURING-LABEL: func.func @convolution
  // TURING-SAME: (%{{.+}}: memref<3x15x13x15xi8>, %[[W:.+]]: memref<16x15x3x3xi8>,
  // TURING-NOT: nvvm
  // TURING: vector.load %[[W]]{{.*}}alignment = 16{{.*}} : memref<16x15x3x3xi8>, vector<16xi8>
  // TURING-COUNT-2: gpu.barrier
  linalg.generic {indexing_maps = [#image, #weight, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<3x15x13x15xi8>, memref<16x15x3x3xi8>) outs(%y : memref<3x16x6x7xi32>) {
  ^bb0(%q: i8, %weight: i8, %sum: i32):
    %0 = arith.extsi %q : i8 to i32
    %1 = arith.extsi %weight : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// -----

#image = affine_map<(n, y, i) -> (n, y + i)>
#window = affine_map<(n, y, i) -> (i)>
#out = affine_map<(n, y, i) -> (n, y)>

// The accumulator of a thread stays in a register until the end.

// CHECK-LABEL: func.func @reduction
// CHECK-SAME: (%[[X:.+]]: memref<3x9xf32>, %[[W:.+]]: memref<3xi32>, %[[Y:.+]]: memref<3x7xf32>)
func.func @reduction(%x: memref<3x9xf32>, %w: memref<3xi32>, %y: memref<3x7xf32>) {
  // CHECK-DAG: %[[SIZE:.+]] = arith.constant 3 : index
  // CHECK: scf.if
  // CHECK: %[[START:.+]] = memref.load %[[Y]]
  // CHECK: %[[ALL:.+]] = scf.for %[[I:.+]] = %{{.+}} to %[[SIZE]] step %{{.+}} iter_args(%[[BEFORE:.+]] = %[[START]]) -> (f32) {
  // CHECK: %[[AT:.+]] = affine.apply
  // CHECK: %[[ELEMENT:.+]] = memref.load %[[X]][%{{.+}}, %[[AT]]]
  // CHECK: %[[WEIGHT:.+]] = memref.load %[[W]][%[[I]]]
  // CHECK: %[[NUMBER:.+]] = arith.index_cast %[[I]]
  // CHECK: %[[FACTOR:.+]] = arith.addi %[[WEIGHT]], %[[NUMBER]]
  // CHECK: %[[FLOAT:.+]] = arith.uitofp %[[FACTOR]]
  // CHECK: %[[TERM:.+]] = arith.mulf %[[ELEMENT]], %[[FLOAT]]
  // CHECK: %[[SUM:.+]] = arith.addf %[[BEFORE]], %[[TERM]]
  // CHECK: scf.yield %[[SUM]]
  // CHECK: memref.store %[[ALL]], %[[Y]]
  linalg.generic {indexing_maps = [#image, #window, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<3x9xf32>, memref<3xi32>) outs(%y : memref<3x7xf32>) {
  ^bb0(%in: f32, %weight: i32, %sum: f32):
    %0 = linalg.index 2 : index
    %number = arith.index_cast %0 : index to i32
    %1 = arith.addi %weight, %number : i32
    %2 = arith.uitofp %1 : i32 to f32
    %3 = arith.mulf %in, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    linalg.yield %4 : f32
  }
  return
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#scale = affine_map<(m, n, k) -> (n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The lanes of a reduction schedule are distributed to threads, four for each.

// CHECK-LABEL: func.func @lanes
// CHECK-SAME: (%[[X:.+]]: memref<1x256xf32>, %[[W:.+]]: memref<64x256xi8>, %[[S:.+]]: memref<64xf32>, %[[Y:.+]]: memref<1x64xf32>)
func.func @lanes(%x: memref<1x256xf32>, %w: memref<64x256xi8>, %s: memref<64xf32>, %y: memref<1x64xf32>) {
  // CHECK-DAG: %[[THREADS:.+]] = arith.constant 128 : index
  // CHECK-DAG: %[[BLOCKS:.+]] = arith.constant 2 : index
  // CHECK: gpu.launch blocks({{.*}} = %[[BLOCKS]],
  // CHECK-SAME: = %[[THREADS]],
  // CHECK-SAME: workgroup(%[[PACKED:.+]] : memref<1024xi8, #gpu.address_space<workgroup>>, %[[LANES:.+]] : memref<2048xi8, #gpu.address_space<workgroup>>)
  // CHECK: memref.load %[[X]]
  // CHECK: memref.store
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK: vector.load %[[W]]{{.*}}alignment = 4{{.*}} : memref<64x256xi8>, vector<4xi8>
  // CHECK: arith.sitofp %{{.+}} : vector<4xi8> to vector<4xf32>
  // CHECK: arith.mulf %{{.+}} : vector<4xf32>
  // CHECK: arith.addf %{{.+}} : vector<4xf32>
  // CHECK: gpu.barrier
  // CHECK: %[[SCALE:.+]] = memref.load %[[S]]
  // CHECK: %[[SUM:.+]] = arith.mulf %[[SCALE]], %{{.+}} : f32
  // CHECK: %[[BEFORE:.+]] = memref.load %[[Y]]
  // CHECK: %[[ALL:.+]] = arith.addf %[[BEFORE]], %[[SUM]] : f32
  // CHECK: memref.store %[[ALL]], %[[Y]]
  linalg.generic {indexing_maps = [#x, #w, #scale, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : memref<1x256xf32>, memref<64x256xi8>, memref<64xf32>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8>} {
  ^bb0(%in: f32, %q: i8, %by: f32, %sum: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %0, %by : f32
    %2 = arith.mulf %in, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The fill of an accumulated buffer becomes the initialization of registers.

// CHECK-LABEL: func.func @initialized
// CHECK-SAME: %[[Y:[^:]+]]: memref<64x64xf32>)
func.func @initialized(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %c7 = arith.constant 7.0 : f32
  // CHECK: %[[START:.+]] = arith.constant dense<7.000000e+00> : vector<4xf32>
  // CHECK-COUNT-1: gpu.launch
  // CHECK-NOT: gpu.launch
  // CHECK-NOT: memref.load %[[Y]]
  // CHECK: scf.for {{.*}}iter_args(%{{.+}} = %[[START]],
  // CHECK-NOT: memref.load %[[Y]]
  // CHECK: memref.store %{{.+}}, %[[Y]]
  linalg.fill ins(%c7 : f32) outs(%y : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

#in = affine_map<(m, k) -> (m, k)>
#out = affine_map<(m, k) -> (m)>

// No such initialization if another op uses the buffer in between.

// CHECK-LABEL: func.func @used_in_between
func.func @used_in_between(%a: memref<64x64xf32>, %b: memref<64xf32>, %y: memref<64xf32>) {
  %c7 = arith.constant 7.0 : f32
  // CHECK-COUNT-3: gpu.launch
  linalg.fill ins(%c7 : f32) outs(%y : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%y : memref<64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<64x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %0 = arith.addf %sum, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#in = affine_map<(m, k) -> (m, k)>
#out = affine_map<(m, k) -> (m)>

// Ops that do not use a local buffer may be in between.

// CHECK-LABEL: func.func @unrelated_in_between
func.func @unrelated_in_between(%a: memref<64x64xf32>, %b: memref<64xf32>, %z: memref<64xf32>) {
  %c7 = arith.constant 7.0 : f32
  %y = memref.alloc() : memref<64xf32>
  // CHECK-COUNT-3: gpu.launch
  // CHECK-NOT: gpu.launch
  linalg.fill ins(%c7 : f32) outs(%y : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%b : memref<64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<64x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %0 = arith.addf %sum, %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%y : memref<64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  }
  memref.dealloc %y : memref<64xf32>
  return
}

// -----

// No such initialization if the reduction writes a part of the buffer only.

// CHECK-LABEL: func.func @partial_write
func.func @partial_write(%a: memref<64x64xf32>, %y: memref<64x4xf32>) {
  %c7 = arith.constant 7.0 : f32
  // CHECK-COUNT-2: gpu.launch
  linalg.fill ins(%c7 : f32) outs(%y : memref<64x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<64x64xf32>) outs(%y : memref<64x4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %0 = arith.addf %sum, %x : f32
    linalg.yield %0 : f32
  }
  return
}
