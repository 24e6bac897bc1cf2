// RUN: quant-float-opt %s --quant-float-outline-duplicate-reductions=merge-threshold=1 | FileCheck %s

// Reductions whose lengths stay static: those of packed operands, and those whose length is part of
// an index.

#sum = affine_map<(i, k) -> (i)>
#packed = affine_map<(i, k) -> (i, k)>
#window = affine_map<(i, k) -> (i + k)>
// CHECK-LABEL:   func.func @known_lengths(
// CHECK-COUNT-4:   linalg.generic
// CHECK-NOT:       call
// CHECK:           return
func.func @known_lengths(%a: memref<4x8xi32>, %b: memref<4x9xi32>, %y: memref<4xi32>, %u: memref<11xi32>, %v: memref<12xi32>) {
  linalg.generic {indexing_maps = [#packed, #packed, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a, %a : memref<4x8xi32>, memref<4x8xi32>) outs(%y : memref<4xi32>) attrs = {quant_float.packed_operands = [ui8, si8]} {
  ^bb0(%in: i32, %other: i32, %out: i32):
    %0 = arith.muli %in, %other : i32
    %1 = arith.addi %out, %0 : i32
    linalg.yield %1 : i32
  }
  linalg.generic {indexing_maps = [#packed, #packed, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%b, %b : memref<4x9xi32>, memref<4x9xi32>) outs(%y : memref<4xi32>) attrs = {quant_float.packed_operands = [ui8, si8]} {
  ^bb0(%in: i32, %other: i32, %out: i32):
    %0 = arith.muli %in, %other : i32
    %1 = arith.addi %out, %0 : i32
    linalg.yield %1 : i32
  }
  linalg.generic {indexing_maps = [#packed, #window, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a, %u : memref<4x8xi32>, memref<11xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%in: i32, %other: i32, %out: i32):
    %0 = arith.muli %in, %other : i32
    %1 = arith.addi %out, %0 : i32
    linalg.yield %1 : i32
  }
  linalg.generic {indexing_maps = [#packed, #window, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%b, %v : memref<4x9xi32>, memref<12xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%in: i32, %other: i32, %out: i32):
    %0 = arith.muli %in, %other : i32
    %1 = arith.addi %out, %0 : i32
    linalg.yield %1 : i32
  }
  return
}
