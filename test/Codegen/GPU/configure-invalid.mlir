// RUN: quant-float-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(quant-float-set-target{chip=sm_90a},func.func(quant-float-configure-gpu-kernels,quant-float-fuse-gpu-reductions,quant-float-outline-gpu-kernels))"

func.func @no_instruction(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{'linalg.generic' op has no kernel of the strategy 'tensor_core': expected an instruction of the strategy, but got 'mma.sync.m1n1k1'}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<tensor_core instruction "mma.sync.m1n1k1" tiles = [[64, 64, 32, 32]]>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %sum2 = arith.addf %sum, %2 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @not_of_warpgroups(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'warpgroup': expected an instruction of the strategy, but got 'mma.sync.m16n8k16.row.col.f32.f32'}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<warpgroup instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = [[64, 64, 16, 64]] otherwise = <simt tiles = [[64, 64, 4, 4]]>>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %sum2 = arith.addf %sum, %2 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @other_types(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{expected operands of types bf16 and bf16 for 'mma.sync.m16n8k16.row.col.bf16'}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k16.row.col.bf16" tiles = [[64, 64, 32, 32]]>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %sum2 = arith.addf %sum, %2 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @no_types(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{expected operands of types f16 and f16 for 'mma.sync.m16n8k16.row.col.f32.f32'}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = [[64, 64, 32, 32]]>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %sum2 = arith.addf %sum, %0 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @layout(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'warpgroup': wgmma.mma_async.m64nNk16.f32.f16.f16 needs K-contiguous operands}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<warpgroup instruction "wgmma.mma_async.m64nNk16.f32.f16.f16" tiles = [[64, 64, 16, 64]] otherwise = <simt tiles = [[64, 64, 4, 4]]>>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %sum2 = arith.addf %sum, %2 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @few(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %y: memref<32x32xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'warpgroup': wgmma.mma_async.m64nNk16.f32.f16.f16 needs at least 64 rows and columns}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x32xf16>, memref<32x32xf16>) outs(%y : memref<32x32xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<warpgroup instruction "wgmma.mma_async.m64nNk16.f32.f16.f16" tiles = [[64, 64, 16, 64]] otherwise = <simt tiles = [[64, 64, 4, 4]]>>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %sum2 = arith.addf %sum, %2 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @no_tile(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'simt': expected a tile of MatmulTiles.def, but got [64, 48, 4, 4]}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<simt tiles = [[64, 64, 4, 4], [64, 48, 4, 4]]>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %sum2 = arith.addf %sum, %0 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @no_otherwise(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'elementwise': expected one for matmuls}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<warpgroup instruction "wgmma.mma_async.m64nNk16.f32.f16.f16" tiles = [[64, 64, 16, 64]] otherwise = <elementwise tiles = [[4]]>>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %sum2 = arith.addf %sum, %2 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @cpu(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'panels': expected one of a single op on GPUs}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels tiles = [[4, 16, 256]]>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %sum2 = arith.addf %sum, %0 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @not_fused(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'fused_reduction': expected an elementwise op that uses reductions before it}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<fused_reduction tiles = [[1, 1, 512]]>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %sum2 = arith.addf %sum, %0 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @no_schedule(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'row_matvec': expected a reduction schedule}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<row_matvec>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %sum2 = arith.addf %sum, %0 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @not_elementwise(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'elementwise': expected an elementwise op}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = [[4]]>} {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %0 = arith.mulf %x, %w : f32
    %sum2 = arith.addf %sum, %0 : f32
    linalg.yield %sum2 : f32
  }
  return
}

// -----

func.func @not_matmul(%x: memref<64xf32>, %y: memref<64xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'simt': expected a matmul}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<simt tiles = [[64, 64, 4, 4]]>} {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @wide(%x: memref<64xf32>, %y: memref<64xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'elementwise': expected a divisor of 4, but got 8}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = [[8]]>} {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The coordinates of one element are equal.
func.func @diagonal(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'elementwise': expected an elementwise op}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<elementwise tiles = [[1]]>} {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A reduction schedule determines the kernel.
func.func @another_order(%x: memref<1x256xf32>, %w: memref<64x256xi8>, %y: memref<1x64xf32>) {
  // expected-error @+1 {{has no kernel that preserves its accumulation order}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x256xf32>, memref<64x256xi8>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<column_matvec>,
               quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8>} {
  ^bb0(%in: f32, %q: i8, %sum: f32):
    %0 = arith.sitofp %q : i8 to f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

func.func @fused_tile(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %rows: index) attributes {quant_float.noalias} {
  %zero = arith.constant 0 : i32
  %max = memref.alloc(%rows) : memref<?xi32>
  linalg.fill ins(%zero : i32) outs(%max : memref<?xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x64xf32>) outs(%max : memref<?xi32>) {
  ^bb0(%in: f32, %out: i32):
    %bits = arith.bitcast %in : f32 to i32
    %0 = arith.maxui %bits, %out : i32
    linalg.yield %0 : i32
  }
  // expected-error @+1 {{has no kernel of the strategy 'fused_reduction': expected a tile of [1, 64], but got [1, 32]}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : memref<?x64xf32>, memref<?xi32>) outs(%y : memref<?x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<fused_reduction tiles = [[1, 32]]>} {
  ^bb0(%in: f32, %largest: i32, %out: f32):
    %scale = arith.bitcast %largest : i32 to f32
    %quotient = arith.divf %in, %scale : f32
    linalg.yield %quotient : f32
  }
  memref.dealloc %max : memref<?xi32>
  return
}
