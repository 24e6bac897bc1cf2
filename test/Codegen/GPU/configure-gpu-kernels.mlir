// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-configure-gpu-kernels))" | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_75},func.func(quant-float-configure-gpu-kernels{reassociate}))" | FileCheck %s --check-prefixes=CHECK,TURING
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_80},func.func(quant-float-configure-gpu-kernels))" | FileCheck %s --check-prefixes=CHECK,ORDERED
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_89},func.func(quant-float-configure-gpu-kernels{reassociate}))" | FileCheck %s --check-prefixes=CHECK,ADA
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a},func.func(quant-float-configure-gpu-kernels{reassociate}))" | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a ptx=80},func.func(quant-float-configure-gpu-kernels{reassociate}))" | FileCheck %s --check-prefix=OLD
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a},func.func(quant-float-configure-gpu-kernels{reassociate}))" --remarks-filter=quant-float-conversion --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#line = affine_map<(i, j) -> (i)>
#channel = affine_map<(m, n, k) -> (n)>
#columns = affine_map<(m, n, k) -> (k, n)>

// The second tile is for small sizes.
// CHECK-LABEL: func.func @halves
// NONE:        #quant_float.lowering_config<simt tiles = {{\[\[}}128, 64, 8, 4], [32, 64, 4, 4]]>
// TURING:      #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k8.row.col.f32.f32" tiles = {{\[\[}}128, 128, 64, 64], [
// ORDERED:     #quant_float.lowering_config<simt tiles
// ADA:         #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = {{\[\[}}128, 128, 64, 64], [
// HOPPER:      #quant_float.lowering_config<warpgroup instruction "wgmma.mma_async.m64nNk16.f32.f16.f16" tiles = {{\[\[}}128, 256, 16, 256], [64, 64, 16, 64]] otherwise = <tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = {{\[\[}}128, 128, 64, 64], [
// REMARK:      remark: [Passed] product | {{.*}}"matmul of f16 and f16 by wgmma.mma_async.m64nNk16.f32.f16.f16 if TMA can load the operands, else by mma.sync.m16n8k16.row.col.f32.f32"
func.func @halves(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %y: memref<?x?xf32>) {
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

// PTX 8.0 has wgmma of float8, but not mma.sync.
// CHECK-LABEL: func.func @bytes_of_floats
// NONE:        #quant_float.lowering_config<simt tiles = {{\[\[}}128, 64, 8, 4]]>
// TURING:      #quant_float.lowering_config<simt tiles
// ADA:         #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k32.row.col.f32.e4m3.e5m2.f32" tiles = {{\[\[}}128, 128, 64, 64]]>
// HOPPER:      #quant_float.lowering_config<warpgroup instruction "wgmma.mma_async.m64nNk32.f32.e4m3.e5m2" tiles = {{\[\[}}128, 256, 16, 256]] otherwise = <tensor_core
// OLD-LABEL:   func.func @bytes_of_floats
// OLD:         #quant_float.lowering_config<warpgroup instruction "wgmma.mma_async.m64nNk32.f32.e4m3.e5m2" tiles = {{\[\[}}128, 256, 16, 256]] otherwise = <simt tiles = {{\[\[}}128, 64, 8, 4]]>>
func.func @bytes_of_floats(%a: memref<4096x4096xf8E4M3FN>, %b: memref<4096x4096xf8E5M2>, %y: memref<4096x4096xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4096x4096xf8E4M3FN>, memref<4096x4096xf8E5M2>) outs(%y : memref<4096x4096xf32>) {
  ^bb0(%x: f8E4M3FN, %w: f8E5M2, %sum: f32):
    %0 = quant_float.cast %x opset 19 : f8E4M3FN to f32
    %1 = quant_float.cast %w opset 19 : f8E5M2 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// Integers do not depend on the order.
// CHECK-LABEL: func.func @integers
// NONE:        #quant_float.lowering_config<simt tiles
// TURING:      #quant_float.lowering_config<tensor_core instruction "mma.sync.m8n8k16.row.col.s8.u8" tiles = {{\[\[}}32, 64, 32, 16]]>
// ORDERED:     #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k32.row.col.s8.u8" tiles = {{\[\[}}32, 64, 32, 16]]>
// HOPPER:      #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k32.row.col.s8.u8" tiles = {{\[\[}}32, 64, 32, 16]]>
// REMARK:      "matmul of i8 and ui8 by mma.sync.m16n8k32.row.col.s8.u8: wgmma.mma_async.m64nNk32.s32.s8.u8 needs at least 64 rows and columns"
func.func @integers(%a: memref<64x512xi8>, %b: memref<32x512xui8>, %y: memref<64x32xi32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xi8>, memref<32x512xui8>) outs(%y : memref<64x32xi32>) {
  ^bb0(%x: i8, %w: ui8, %sum: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = quant_float.cast %w opset 19 : ui8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// CHECK-LABEL: func.func @few_rows
// CHECK:       #quant_float.lowering_config<skinny tiles = {{\[\[}}1, 32, 1, 1]]>
// REMARK:      remark: [Missed] product | {{.*}}"matmul in f32 by tiles, multiplied and accumulated in f32: no instruction supports the operands"
func.func @few_rows(%a: memref<3x512xf32>, %b: memref<512x512xf32>, %y: memref<3x512xf32>) {
  linalg.generic {indexing_maps = [#left, #columns, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<3x512xf32>, memref<512x512xf32>) outs(%y : memref<3x512xf32>) {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @too_small
// CHECK:       #quant_float.lowering_config<scalar>
func.func @too_small(%a: memref<3x16xf32>, %b: memref<16x4xf32>, %y: memref<3x4xf32>) {
  linalg.generic {indexing_maps = [#left, #columns, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<3x16xf32>, memref<16x4xf32>) outs(%y : memref<3x4xf32>) {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @rows
// CHECK:       quant_float.lowering_config = #quant_float.lowering_config<row_matvec>
// REMARK:      "matvec with 8-bit weights by lanes of each channel, in the accumulation order of CPU code"
func.func @rows(%x: memref<1x256xf32>, %w: memref<64x256xi8>, %s: memref<64xf32>, %y: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #channel, #out], iterator_types = ["parallel", "parallel", "reduction"]}
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

// CHECK-LABEL: func.func @columns
// CHECK:       quant_float.lowering_config = #quant_float.lowering_config<column_matvec>
// REMARK:      "matvec with 8-bit weights by blocks of all channels, in the accumulation order of CPU code"
func.func @columns(%x: memref<1x512xf32>, %w: memref<512x256xi8>, %s: memref<256xf32>, %y: memref<1x256xf32>) {
  linalg.generic {indexing_maps = [#left, #columns, #channel, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : memref<1x512xf32>, memref<512x256xi8>, memref<256xf32>) outs(%y : memref<1x256xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 1, terms = 32, consecutive>} {
  ^bb0(%in: f32, %q: i8, %by: f32, %sum: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %by : f32
    %2 = arith.mulf %in, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// No kernel preserves the order, which the next pass reports.
// CHECK-LABEL: func.func @another_order
// CHECK-NOT:   lowering_config
func.func @another_order(%x: memref<1x256xf32>, %w: memref<64x256xi8>, %y: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x256xf32>, memref<64x256xi8>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 8, terms = 8>} {
  ^bb0(%in: f32, %q: i8, %sum: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// The loops are collapsed to count elements, but the op stays.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT:   collapse_shape
// CHECK:       iterator_types = ["parallel", "parallel"]
// CHECK-SAME:  quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = {{\[\[}}16]]>
func.func @elementwise(%x: memref<?x3xf32>, %y: memref<?x3xi8>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x3xf32>) outs(%y : memref<?x3xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.fptosi %in : f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// CHECK-LABEL: func.func @copy
// CHECK-NOT:   memref.copy
// CHECK:       linalg.generic
// CHECK-SAME:  quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = {{\[\[}}4]]>
// CHECK-NOT:   linalg.generic
func.func @copy(%x: memref<64xf32>, %y: memref<64xf32>) {
  memref.copy %x, %y : memref<64xf32> to memref<64xf32>
  memref.copy %x, %x : memref<64xf32> to memref<64xf32>
  return
}

// The reductions are parts of the kernel of the last op.
// CHECK-LABEL: func.func @fused
// CHECK:       linalg.fill
// CHECK-NOT:   lowering_config
// CHECK:       iterator_types = ["parallel", "reduction"]
// CHECK-NOT:   lowering_config
// CHECK:       iterator_types = ["parallel", "parallel"]
// CHECK-SAME:  quant_float.lowering_config = #quant_float.lowering_config<fused_reduction tiles = {{\[\[}}1, 64]]>
func.func @fused(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %rows: index) attributes {quant_float.noalias} {
  %zero = arith.constant 0 : i32
  %mask = arith.constant 2147483647 : i32
  %amax = memref.alloc(%rows) : memref<?xi32>
  linalg.fill ins(%zero : i32) outs(%amax : memref<?xi32>)
  linalg.generic {indexing_maps = [#id, #line], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x64xf32>) outs(%amax : memref<?xi32>) {
  ^bb0(%in: f32, %out: i32):
    %bits = arith.bitcast %in : f32 to i32
    %magnitude = arith.andi %bits, %mask : i32
    %max = arith.maxui %magnitude, %out : i32
    linalg.yield %max : i32
  }
  linalg.generic {indexing_maps = [#id, #line, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %amax : memref<?x64xf32>, memref<?xi32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%in: f32, %largest: i32, %out: f32):
    %scale = arith.bitcast %largest : i32 to f32
    %quotient = arith.divf %in, %scale : f32
    linalg.yield %quotient : f32
  }
  memref.dealloc %amax : memref<?xi32>
  return
}

// Ops that have a config keep it, and are not fused.
// CHECK-LABEL: func.func @by_hand
// CHECK:       iterator_types = ["parallel", "reduction"]
// CHECK-SAME:  quant_float.lowering_config = #quant_float.lowering_config<scalar>
// CHECK:       iterator_types = ["parallel", "parallel"]
// CHECK-SAME:  quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = {{\[\[}}4]]>
// CHECK:       quant_float.lowering_config = #quant_float.lowering_config<simt tiles = {{\[\[}}64, 32, 4, 4]]>
// REMARK-NOT:  product
func.func @by_hand(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %sum: memref<?xf32>, %b: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#id, #line], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x64xf32>) outs(%sum : memref<?xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<scalar>} {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #line, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x64xf32>, memref<?xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%in: f32, %all: f32, %out: f32):
    %0 = arith.divf %in, %all : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#left, #columns, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %b : memref<?x64xf32>, memref<64x64xf32>) outs(%y : memref<?x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<simt tiles = [[64, 32, 4, 4]]>} {
  ^bb0(%in: f32, %w: f32, %out: f32):
    %0 = arith.mulf %in, %w : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
