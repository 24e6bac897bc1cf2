// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_80},func.func(quant-float-configure-gpu-kernels{reassociate},quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// f16 operands are copied in their memory layout: K-contiguous rows, or rows of one K index, which
// ldmatrix transposes.

// CHECK-LABEL: func.func @halves
// CHECK-SAME: (%[[A:.+]]: memref<64x256xf16>, %[[B:.+]]: memref<256x64xf16>, %[[Y:.+]]: memref<64x64xf32>)
func.func @halves(%a: memref<64x256xf16>, %b: memref<256x64xf16>, %y: memref<64x64xf32>) {
  // CHECK: gpu.launch
  // CHECK: nvgpu.device_async_copy %[[A]]{{.*}}, 8 {{.*}}bypassL1{{.*}} : memref<64x256xf16> to memref<3x32x32xf16, #gpu.address_space<workgroup>>
  // CHECK: nvgpu.device_async_copy %[[B]]{{.*}}, 8 {{.*}}bypassL1{{.*}} : memref<256x64xf16> to memref<3x32x64xf16, #gpu.address_space<workgroup>>
  // CHECK: nvvm.cp.async.commit.group
  // CHECK: scf.for
  // CHECK: nvvm.cp.async.wait.group 1
  // CHECK: gpu.barrier
  // Each lane has the address of eight f16 elements. The position in the row is swizzled by the
  // number of the row.
  // CHECK: arith.xori
  // CHECK: nvgpu.ldmatrix %{{.+}}numTiles = 4{{.+}}transpose = false{{.*}} : memref<3x32x32xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
  // Two columns of the instruction at once.
  // CHECK: %[[TURNED:.+]] = nvgpu.ldmatrix %{{.+}}numTiles = 4{{.+}}transpose = true{{.*}} : memref<3x32x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
  // CHECK: %[[FIRST:.+]] = vector.extract %[[TURNED]][0]
  // CHECK: %[[SECOND:.+]] = vector.extract %[[TURNED]][1]
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[FIRST]], %[[SECOND]],
  // CHECK: memref.store %{{.+}}, %[[Y]]
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x256xf16>, memref<256x64xf16>) outs(%y : memref<64x64xf32>) {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
