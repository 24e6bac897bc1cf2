// The module's target lacks the instructions of configs, or there is no target.
// RUN: quant-float-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(quant-float-outline-gpu-kernels))"

func.func @no_target(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'tensor_core': expected a module with a GPU as quant_float.target}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = [[64, 64, 32, 32]]>} {
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

module attributes {quant_float.target = #quant_float.target<nvvm "sm_75">} {
func.func @old_chip(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'tensor_core': mma.sync.m16n8k16.row.col.f32.f32 is not available on sm_75}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = [[64, 64, 32, 32]]>} {
  ^bb0(%x: f16, %w: f16, %sum: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %w : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %sum2 = arith.addf %sum, %2 : f32
    linalg.yield %sum2 : f32
  }
  return
}
}

// -----

module attributes {quant_float.target = #quant_float.target<nvvm "sm_89" features = "+ptx80">} {
func.func @old_ptx(%a: memref<512x512xf8E5M2>, %b: memref<512x512xf8E5M2>, %y: memref<512x512xf32>) {
  // expected-error @+1 {{has no kernel of the strategy 'tensor_core': mma.sync.m16n8k32.row.col.f32.e5m2.e5m2.f32 needs PTX 8.4, but got 8.0}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<512x512xf8E5M2>, memref<512x512xf8E5M2>) outs(%y : memref<512x512xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<tensor_core instruction "mma.sync.m16n8k32.row.col.f32.e5m2.e5m2.f32" tiles = [[64, 64, 32, 32]]>} {
  ^bb0(%x: f8E5M2, %w: f8E5M2, %sum: f32):
    %0 = quant_float.cast %x opset 19 : f8E5M2 to f32
    %1 = quant_float.cast %w opset 19 : f8E5M2 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
}
