// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-configure-reductions{vector-bytes=32 registers=16}))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=sapphirerapids},func.func(quant-float-configure-reductions{vector-bytes=64 registers=32}))" | FileCheck %s --check-prefix=AMX
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=cascadelake},func.func(quant-float-configure-reductions{vector-bytes=64 registers=32}))" | FileCheck %s --check-prefix=VNNI
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=aarch64-linux-gnu cpu=neoverse-v1},func.func(quant-float-configure-reductions{vector-bytes=16 registers=32}))" | FileCheck %s --check-prefix=I8MM
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-configure-reductions{registers=0}))" 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: registers: expected 1 to 1024, but got 0

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#transposed = affine_map<(m, n, k) -> (n, k)>

// At least 16 rows share a panel.

// CHECK-LABEL: func.func @panels(
// CHECK:         #quant_float.lowering_config<panels tiles = {{\[\[}}6, 16, 512]]>
// AMX-LABEL:   func.func @panels(
// AMX:           #quant_float.lowering_config<panels tiles = {{\[\[}}6, 64, 128]]>
func.func @panels(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @dynamic_rows(
// CHECK:         #quant_float.lowering_config<panels tiles = {{\[\[}}6, 16, 512]] otherwise = <square_blocks tiles = {{\[\[}}8, 8]]>>
func.func @dynamic_rows(%a: memref<?x512xf32>, %b: memref<64x512xf32>, %c: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#lhs, #transposed, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x512xf32>, memref<64x512xf32>) outs(%c : memref<?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @vectors(
// CHECK:         #quant_float.lowering_config<vectors tiles = {{\[\[}}6, 16]]>
func.func @vectors(%a: memref<8x512xf32>, %b: memref<512x64xf32>, %c: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x512xf32>, memref<512x64xf32>) outs(%c : memref<8x64xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @square_blocks(
// CHECK:         #quant_float.lowering_config<square_blocks tiles = {{\[\[}}1, 8]]>
func.func @square_blocks(%x: memref<64x512xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x512xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// A maximum does not depend on the order of its operands. A sum of floats does.

// CHECK-LABEL: func.func @folded(
// CHECK:         #quant_float.lowering_config<folded tiles = {{\[\[}}32]]>
// CHECK:         #quant_float.lowering_config<scalar>
func.func @folded(%x: memref<512xf32>, %y: memref<f32>, %z: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %max: f32):
    %0 = arith.maximumf %max, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%z : memref<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Four rows of a depthwise convolution share the rows of the image. With stride
// two, or a window whose rows are not adjacent, they do not.

// CHECK-LABEL: func.func @windows(
// CHECK:         #quant_float.lowering_config<window_rows tiles = {{\[\[}}4, 8]]>
// CHECK:         #quant_float.lowering_config<vectors
// CHECK:         #quant_float.lowering_config<vectors
func.func @windows(%x: memref<4x40x40xf32>, %w: memref<4x3x3xf32>, %y: memref<4x16x16xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(c, h, w, kh, kw) -> (c, h + kh, w + kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, kh, kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<4x40x40xf32>, memref<4x3x3xf32>) outs(%y : memref<4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = math.fma %a, %b, %sum : f32
    linalg.yield %0 : f32
  }
  linalg.generic {
      indexing_maps = [affine_map<(c, h, w, kh, kw) -> (c, 2 * h + kh, w + kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, kh, kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<4x40x40xf32>, memref<4x3x3xf32>) outs(%y : memref<4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = math.fma %a, %b, %sum : f32
    linalg.yield %0 : f32
  }
  linalg.generic {
      indexing_maps = [affine_map<(c, h, w, kh, kw) -> (c, h + 2 * kh, w + kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, kh, kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<4x40x40xf32>, memref<4x3x3xf32>) outs(%y : memref<4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = math.fma %a, %b, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// An op keeps its config. Elementwise ops get none.

// CHECK-LABEL: func.func @kept(
// CHECK:         #quant_float.lowering_config<scalar>
// CHECK-NOT:     lowering_config
// CHECK:         return
func.func @kept(%x: memref<512xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%y : memref<f32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<scalar>} {
  ^bb0(%a: f32, %max: f32):
    %0 = arith.maximumf %max, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<512xf32>) {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}

// AMX-LABEL:  func.func @packed(
// AMX:          #quant_float.lowering_config<matrix_tiles instruction "llvm.x86.tdpbusd" tiles = {{\[\[}}32, 32, 70]]>
// VNNI-LABEL: func.func @packed(
// VNNI:         #quant_float.lowering_config<panels instruction "llvm.x86.avx512.vpdpbusd.512" tiles = {{\[\[}}4, 52, 70]]>
// I8MM-LABEL: func.func @packed(
// I8MM:         #quant_float.lowering_config<panels instruction "llvm.aarch64.neon.usmmla" tiles = {{\[\[}}8, 16, 70]]>
func.func @packed(%a: memref<36x70xi32>, %b: memref<70x52xi32>, %c: memref<36x52xi32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<36x70xi32>, memref<70x52xi32>) outs(%c : memref<36x52xi32>)
      attrs = {quant_float.packed_operands = [ui8, si8]} {
  ^bb0(%x: i32, %y: i32, %sum: i32):
    %0 = arith.muli %x, %y : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}
