// RUN: quant-float-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{unknown cpu 'none' for the triple 'x86_64-unknown-linux-gnu'}}
module attributes {quant_float.target = #quant_float.target<cpu "none" triple = "x86_64-linux-gnu">} {}

// -----

// expected-error @+1 {{expected a little-endian triple with 64-bit pointers, but got 'aarch64_be-unknown-linux-gnu'}}
module attributes {quant_float.target = #quant_float.target<cpu "generic" triple = "aarch64_be-linux-gnu">} {}

// -----

// expected-error @+2 {{expected one of cpu, nvvm, but got 'tpu'}}
// expected-error @+1 {{failed to parse QuantFloat_TargetAttr parameter 'kind'}}
module attributes {quant_float.target = #quant_float.target<tpu "v1">} {}

// -----

// expected-error @+1 {{sm_1}}
module attributes {quant_float.target = #quant_float.target<nvvm "sm_1">} {}

// -----

// expected-error @+1 {{expected no triple for a chip, but got 'nvptx64-nvidia-cuda'}}
module attributes {quant_float.target = #quant_float.target<nvvm "sm_90" triple = "nvptx64-nvidia-cuda">} {}

// -----

// expected-error @+1 {{attribute 'quant_float.target': expected #quant_float.target on a module, but got "sm_90"}}
module attributes {quant_float.target = "sm_90"} {}

// -----

// expected-error @+1 {{attribute 'quant_float.target': expected #quant_float.target on a module}}
func.func private @f() attributes {quant_float.target = #quant_float.target<nvvm "sm_90">}

// -----

// expected-error @+1 {{expected lanes and terms from 1 to 1048576, but got 0 and 8}}
module attributes {test.schedule = #quant_float.reduction_schedule<lanes = 0, terms = 8>} {}

// -----

// expected-error @+1 {{expected x_bits to be 8 or 16, but got 40}}
module attributes {test.schedule = #quant_float.reduction_schedule<lanes = 16, terms = 4, consecutive, x_bits = 40>} {}

// -----

// expected-error @+1 {{expected 'x_bits'}}
module attributes {test.schedule = #quant_float.reduction_schedule<lanes = 16, terms = 4, adjacent>} {}

// -----

// expected-error @+1 {{attribute 'quant_float.reduction_schedule': expected #quant_float.reduction_schedule on an op with a body, but got {lanes = 16 : i64}}}
module attributes {quant_float.reduction_schedule = {lanes = 16 : i64}} {}

// -----

// expected-error @+2 {{expected one of scalar, elementwise, tensor_core, warpgroup, simt, skinny, row_matvec, column_matvec, fused_reduction, vectors, panels, matrix_tiles, square_blocks, folded, window_rows, but got 'magic'}}
// expected-error @+1 {{failed to parse QuantFloat_LoweringConfigAttr parameter 'strategy'}}
module attributes {test.config = #quant_float.lowering_config<magic>} {}

// -----

// expected-error @+1 {{expected instruction for the strategy 'tensor_core'}}
module attributes {test.config = #quant_float.lowering_config<tensor_core tiles = [[64, 64, 32, 32]]>} {}

// -----

// expected-error @+1 {{expected no instruction for the strategy 'simt'}}
module attributes {test.config = #quant_float.lowering_config<simt instruction "mma" tiles = [[64, 64, 4, 4]]>} {}

// -----

// expected-error @+1 {{expected 'otherwise' for the strategy 'warpgroup'}}
module attributes {test.config = #quant_float.lowering_config<warpgroup instruction "wgmma" tiles = [[64, 64, 16, 64]]>} {}

// -----

// expected-error @+1 {{expected no 'otherwise' for the strategy 'vectors'}}
module attributes {test.config = #quant_float.lowering_config<vectors tiles = [[4, 16]] otherwise = <scalar>>} {}

// -----

// expected-error @+1 {{expected 1 to 2 tiles for the strategy 'simt', but got 0}}
module attributes {test.config = #quant_float.lowering_config<simt>} {}

// -----

// expected-error @+1 {{expected 0 to 0 tiles for the strategy 'scalar', but got 1}}
module attributes {test.config = #quant_float.lowering_config<scalar tiles = [[1]]>} {}

// -----

// expected-error @+1 {{expected 4 sizes of a tile for the strategy 'simt', but got 2}}
module attributes {test.config = #quant_float.lowering_config<simt tiles = [[64, 64, 4, 4], [64, 64]]>} {}

// -----

// expected-error @+1 {{expected tile sizes from 1 to 1048576, but got 0}}
module attributes {test.config = #quant_float.lowering_config<fused_reduction tiles = [[4, 0]]>} {}

// -----

// expected-error @+1 {{expected tile sizes from 1 to 1048576, but got 1048577}}
module attributes {test.config = #quant_float.lowering_config<panels tiles = [[4, 16, 1048577]]>} {}

// -----

// expected-error @+1 {{attribute 'quant_float.lowering_config': expected #quant_float.lowering_config on an op with a body, but got "simt"}}
module attributes {quant_float.lowering_config = "simt"} {}

// -----

// expected-error @+1 {{attribute 'quant_float.packed_operands': expected two integer types of 8 or 16 bits on an op with a body, but got [i8, f32]}}
module attributes {quant_float.packed_operands = [i8, f32]} {}

// -----

// expected-error @+1 {{attribute 'quant_float.tile_loop': expected a unit on a loop}}
module attributes {quant_float.tile_loop} {}

// -----

// expected-error @+1 {{attribute 'quant_float.noalias': expected a unit on a function}}
module attributes {quant_float.noalias} {}

// -----

// expected-error @+1 {{attribute 'quant_float.flushes_subnormals': expected a unit on a function, but got 1 : i32}}
func.func private @f() attributes {quant_float.flushes_subnormals = 1 : i32}
