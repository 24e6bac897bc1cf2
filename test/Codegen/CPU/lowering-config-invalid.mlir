// RUN: quant-float-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=32 registers=16}))"

func.func @strategy(%x: memref<512xf32>, %y: memref<f32>) {
  // expected-error @+1 {{'linalg.generic' op lowering config: expected an applicable strategy, such as 'scalar', but got 'folded'}}
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%y : memref<f32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<folded tiles = [[8]]>} {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @gpu(%x: memref<512xf32>, %y: memref<f32>) {
  // expected-error @+1 {{lowering config: expected an applicable strategy, such as 'folded', but got 'row_matvec'}}
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%y : memref<f32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<row_matvec>} {
  ^bb0(%a: f32, %max: f32):
    %0 = arith.maximumf %max, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @lanes(%x: memref<512xf32>, %y: memref<f32>) {
  // expected-error @+1 {{lowering config: expected valid tile sizes, such as [32], but got [24]}}
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%y : memref<f32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<folded tiles = [[24]]>} {
  ^bb0(%a: f32, %max: f32):
    %0 = arith.maximumf %max, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @instruction(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{lowering config: expected the instruction '', but got 'llvm.x86.tdpbusd'}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels instruction "llvm.x86.tdpbusd" tiles = [[6, 16, 512]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @tile_instruction(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{lowering config: expected an applicable strategy, such as 'panels', but got 'matrix_tiles'}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<matrix_tiles instruction "llvm.x86.tdpbusd" tiles = [[6, 16, 512]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @rows(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{lowering config: expected valid tile sizes, such as [6, 16, 512], but got [65, 16, 512]}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels tiles = [[65, 16, 512]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @columns(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{lowering config: expected valid tile sizes, such as [6, 16], but got [6, 24]}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<vectors tiles = [[6, 24]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @too_many_columns(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{lowering config: expected valid tile sizes, such as [6, 16], but got [6, 128]}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<vectors tiles = [[6, 128]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @too_large(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{lowering config: expected valid tile sizes, such as [6, 16, 512], but got [6, 16, 1025]}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels tiles = [[6, 16, 1025]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @static_rows(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{lowering config: expected no 'otherwise' for a static number of rows}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels tiles = [[6, 16, 512]] otherwise = <scalar>>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @nested(%a: memref<?x512xf32>, %b: memref<512x64xf32>, %c: memref<?x64xf32>) {
  // expected-error @+1 {{lowering config: expected valid tile sizes, such as [6, 16], but got [6, 1]}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x512xf32>, memref<512x64xf32>) outs(%c : memref<?x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels tiles = [[6, 16, 512]] otherwise = <vectors tiles = [[6, 1]]>>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}
