// The attributes that passes exchange, printed and parsed again.
// RUN: quant-float-opt --allow-unregistered-dialect %s | quant-float-opt --allow-unregistered-dialect | FileCheck %s
// RUN: quant-float-opt %s --emit-bytecode --allow-unregistered-dialect | quant-float-opt --allow-unregistered-dialect | FileCheck %s

// CHECK: #quant_float.target<nvvm "sm_90" features = "+ptx80">
module attributes {quant_float.target = #quant_float.target<nvvm "sm_90" features = "+ptx80">} {
  // CHECK: #quant_float.target<cpu "x86-64-v3" triple = "x86_64-linux-gnu">
  module attributes {quant_float.target = #quant_float.target<cpu "x86-64-v3" triple = "x86_64-linux-gnu">} {
  }
  // CHECK: #quant_float.target<cpu "x86-64" triple = "x86_64-linux-gnu" features = "+avx2">
  module attributes {quant_float.target = #quant_float.target<cpu "x86-64" triple = "x86_64-linux-gnu" features = "+avx2">} {
  }
}

// CHECK: schedules = [#quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive, x_bits = 8>,
// CHECK-SAME: #quant_float.reduction_schedule<lanes = 16, terms = 4, consecutive>,
// CHECK-SAME: #quant_float.reduction_schedule<lanes = 1, terms = 32, x_bits = 16>,
// CHECK-SAME: #quant_float.reduction_schedule<lanes = 1, terms = 32>]
"test.op"() {schedules = [#quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive, x_bits = 8>,
                          #quant_float.reduction_schedule<lanes = 16, terms = 4, consecutive>,
                          #quant_float.reduction_schedule<lanes = 1, terms = 32, x_bits = 16>,
                          #quant_float.reduction_schedule<lanes = 1, terms = 32>]} : () -> ()

// CHECK: configs = [#quant_float.lowering_config<scalar>,
// CHECK-SAME: #quant_float.lowering_config<fused_reduction tiles = {{\[\[}}1, 4, 32]]>,
// CHECK-SAME: #quant_float.lowering_config<warpgroup instruction "wgmma.mma_async.m64nNk16.f32.f16.f16" tiles = {{\[\[}}128, 256, 16, 256], [64, 64, 16, 64]] otherwise = <tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32" tiles = {{\[\[}}128, 128, 64, 64]]>>,
// CHECK-SAME: #quant_float.lowering_config<panels instruction "llvm.aarch64.neon.smmla" tiles = {{\[\[}}8, 16, 64]] otherwise = <square_blocks tiles = {{\[\[}}1, 4]]>>,
// CHECK-SAME: #quant_float.lowering_config<panels tiles = {{\[\[}}4, 16, 256]]>]
"test.op"() {configs = [#quant_float.lowering_config<scalar>,
                        #quant_float.lowering_config<fused_reduction tiles = [[1, 4, 32]]>,
                        #quant_float.lowering_config<warpgroup
                            instruction "wgmma.mma_async.m64nNk16.f32.f16.f16"
                            tiles = [[128, 256, 16, 256], [64, 64, 16, 64]]
                            otherwise = <tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32"
                                         tiles = [[128, 128, 64, 64]]>>,
                        #quant_float.lowering_config<panels instruction "llvm.aarch64.neon.smmla" tiles = [[8, 16, 64]]
                            otherwise = <square_blocks tiles = [[1, 4]]>>,
                        #quant_float.lowering_config<panels tiles = [[4, 16, 256]]>]} : () -> ()

// CHECK: func.func @kernel({{.*}}) attributes {quant_float.flushes_subnormals, quant_float.noalias}
func.func @kernel(%x: memref<4xi32>, %low: index, %high: index, %step: index) attributes {quant_float.flushes_subnormals, quant_float.noalias} {
  scf.for %i = %low to %high step %step {
  // CHECK: } {quant_float.tile_loop}
  } {quant_float.tile_loop}
  // CHECK: quant_float.lowering_config = #quant_float.lowering_config<scalar>, quant_float.packed_operands = [ui8, si8]
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
      outs(%x : memref<4xi32>) attrs = {
        quant_float.lowering_config = #quant_float.lowering_config<scalar>,
        quant_float.packed_operands = [ui8, si8]} {
  ^bb0(%out: i32):
    linalg.yield %out : i32
  }
  return
}
