// Kernels are those of the configs in the IR, in place of what the configuration
// pass chooses.
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a},func.func(quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a},func.func(quant-float-configure-gpu-kernels,quant-float-fuse-gpu-reductions,quant-float-outline-gpu-kernels,canonicalize,cse))" | FileCheck %s

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i) -> (i)>

// The attribute allows what the accumulation option does not.
// CHECK-LABEL: func.func @tensor_core
// CHECK-NOT:   scf.if
// CHECK:       gpu.launch
// CHECK:       llvm.nvvm.mma.m16n8k16.row.col.f32.f32
// CHECK-NOT:   gpu.launch
func.func @tensor_core(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%y : memref<?x?xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<
          tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = [[32, 64, 32, 16]]>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// The host tests whether TMA can load the operands; if not, it compares the costs
// of two tiles.
// CHECK-LABEL: func.func @warpgroup
// CHECK:       scf.if
// CHECK:       nvgpu.tma.create.descriptor {{.+}}memref<64x64xi16
// CHECK:       nvgpu.tma.create.descriptor {{.+}}memref<128x64xi16
// CHECK:       gpu.launch
// CHECK:       nvvm.wgmma.mma_async {{.+}}<m = 64, n = 128, k = 16>
// CHECK:       } else {
// CHECK:       scf.if
// CHECK:       gpu.launch
// CHECK:       gpu.launch
// CHECK-NOT:   gpu.launch
func.func @warpgroup(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%y : memref<?x?xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<
          warpgroup instruction "wgmma.mma_async.m64nNk16.f32.f16.f16" tiles = [[64, 128, 16, 128]]
          otherwise = <simt tiles = [[128, 64, 8, 4], [32, 64, 4, 4]]>>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// A matmul with many rows by the kernel for few: 64 elements of K of two rows and
// 32 columns.
// CHECK-LABEL: func.func @skinny
// CHECK:       gpu.launch {{.+}} threads({{.+}}) in ({{.+}} = %c128,
// CHECK-SAME:  workgroup({{.+}}memref<{{.+}}#gpu.address_space<workgroup>>
// CHECK-NOT:   gpu.launch
func.func @skinny(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<skinny tiles = [[2, 32, 2, 1]]>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// One thread for each element, without workgroup memory.
// CHECK-LABEL: func.func @scalar
// CHECK:       gpu.launch
// CHECK-NOT:   workgroup
// CHECK:       scf.for
// CHECK:       memref.load
// CHECK-NOT:   gpu.barrier
// CHECK:       return
func.func @scalar(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<scalar>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @narrow
// CHECK:       vector.load {{.+}}vector<2xf32>
// CHECK:       vector.store {{.+}}vector<2xf32>
// CHECK-NOT:   lowering_config
func.func @narrow(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = [[2]]>} {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}
