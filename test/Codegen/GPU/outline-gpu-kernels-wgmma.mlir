// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a},func.func(quant-float-configure-gpu-kernels{reassociate},quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a},func.func(quant-float-configure-gpu-kernels,quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90},func.func(quant-float-configure-gpu-kernels{reassociate},quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s --check-prefix=NONE

// NONE-NOT: nvgpu.tma
// NONE-NOT: wgmma

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// The host selects the kernel with TMA or the one with mma.sync.

// CHECK-LABEL: func.func @halves
// CHECK-SAME: (%[[A:.+]]: memref<?x?xf16>, %[[B:.+]]: memref<?x?xf16>, %[[Y:.+]]: memref<?x?xf32>)
func.func @halves(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %y: memref<?x?xf32>) {
  // CHECK: memref.extract_aligned_pointer_as_index %[[A]]
  // CHECK: scf.if
  // Two tile sizes, for large and small results.
  // CHECK: scf.if
  // CHECK: memref.reinterpret_cast %[[A]] to offset: [0]
  // CHECK: %[[MAP_A:.+]] = nvgpu.tma.create.descriptor %{{.+}} box[%{{.+}}, %{{.+}}] : memref<*xf16> -> {{.*}}<tensor = memref<128x64xi16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b
  // CHECK: %[[ARRAY_A:.+]] = builtin.unrealized_conversion_cast %[[MAP_A]] : {{.+}} to !llvm.array<16 x i64>
  // CHECK: nvgpu.tma.create.descriptor {{.+}}memref<256x64xi16
  // CHECK: gpu.launch {{.+}}dynamic_shared_memory_size
  // CHECK: %[[FULL:.+]] = nvgpu.mbarrier.create
  // CHECK: %[[EMPTY:.+]] = nvgpu.mbarrier.create
  // CHECK-COUNT-8: nvgpu.mbarrier.init
  // CHECK: nvvm.fence.proxy
  // CHECK: gpu.barrier
  // The producer warps.
  // CHECK: scf.for
  // CHECK: nvgpu.mbarrier.try_wait.parity %[[EMPTY]]
  // CHECK: nvgpu.mbarrier.arrive.expect_tx %[[FULL]]
  // CHECK-COUNT-2: nvgpu.tma.async.load
  // The consumer warps.
  // CHECK: scf.for
  // CHECK: nvgpu.mbarrier.try_wait.parity %[[FULL]]
  // CHECK: llvm.inline_asm {{.+}}"wgmma.fence.sync.aligned;"
  // CHECK-COUNT-4: nvvm.wgmma.mma_async {{.+}}<m = 64, n = 256, k = 16>{{.+}}<f16>
  // CHECK: nvvm.wgmma.commit.group
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK: nvgpu.mbarrier.arrive %[[EMPTY]]
  // CHECK: llvm.inline_asm {{.+}}"wgmma.wait_group.sync.aligned 0;"
  // CHECK: memref.store %{{.+}}, %[[Y]]
  // CHECK: gpu.launch
  // CHECK: nvvm.wgmma.mma_async {{.+}}<m = 64, n = 64, k = 16>
  // CHECK: gpu.launch
  // CHECK: llvm.nvvm.mma.m16n8k16.row.col.f32.f32
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%y : memref<?x?xf32>) {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
