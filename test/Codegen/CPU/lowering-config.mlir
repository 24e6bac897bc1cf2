// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=32 registers=16},canonicalize,cse))" | FileCheck %s

// The loops obey a config that differs from what the pass would choose.

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @panels(
// CHECK:         scf.for %{{.+}} = %c0 to %c512 step %c128 {
// CHECK:           scf.for %{{.+}} = %c0 to %c64 step %c8 {
// CHECK:             memref.view {{.+}} to memref<128x8xf32>
// CHECK:             scf.for %{{.+}} = %c0 to %c64 step %c4 {
// CHECK:               scf.for {{.+}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
func.func @panels(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels tiles = [[4, 8, 128]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @vectors(
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for %{{.+}} = %c0 to %c64 step %c8 {
// CHECK:           scf.for %{{.+}} = %c0 to %c64 step %c2 {
// CHECK:             scf.for {{.+}} -> (vector<8xf32>, vector<8xf32>) {
func.func @vectors(%a: memref<64x512xf32>, %b: memref<512x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x512xf32>, memref<512x64xf32>) outs(%c : memref<64x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<vectors tiles = [[2, 8]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @otherwise(
// CHECK:         %[[MANY:.+]] = arith.cmpi sge, %{{.+}}, %c16
// CHECK:         scf.if %[[MANY]] {
// CHECK:           memref.view {{.+}} to memref<256x16xf32>
// CHECK:         } else {
// CHECK-NOT:       vector
// CHECK:           memref.store
// CHECK:         return
func.func @otherwise(%a: memref<?x512xf32>, %b: memref<512x64xf32>, %c: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x512xf32>, memref<512x64xf32>) outs(%c : memref<?x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<panels tiles = [[6, 16, 256]] otherwise = <scalar>>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @square_blocks(
// CHECK-COUNT-8: vector.load %{{.+}} : memref<64x512xf32>, vector<8xf32>
// CHECK:         vector.shuffle
// CHECK-COUNT-24: math.fma
func.func @square_blocks(%a: memref<6x512xf32>, %b: memref<64x512xf32>, %c: memref<6x64xf32>) {
  linalg.generic {indexing_maps = [#lhs, affine_map<(m, n, k) -> (n, k)>, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<6x512xf32>, memref<64x512xf32>) outs(%c : memref<6x64xf32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<square_blocks tiles = [[3, 8]]>} {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @folded(
// CHECK-NOT:     vector<{{16|32}}xf32>
// CHECK:         arith.maximumf %{{.+}} : vector<8xf32>
// CHECK-NOT:     vector<{{16|32}}xf32>
// CHECK:         return
func.func @folded(%x: memref<512xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%y : memref<f32>)
      attrs = {quant_float.lowering_config = #quant_float.lowering_config<folded tiles = [[8]]>} {
  ^bb0(%a: f32, %max: f32):
    %0 = arith.maximumf %max, %a : f32
    linalg.yield %0 : f32
  }
  return
}
