// RUN: quant-float-opt %s --quant-float-outline-duplicate-reductions=unique-threshold=16 | FileCheck %s
// RUN: quant-float-opt %s --quant-float-outline-duplicate-reductions=unique-threshold=4 | FileCheck %s --check-prefix=MANY
// RUN: quant-float-opt %s --quant-float-outline-duplicate-reductions=merge-threshold=1 | FileCheck %s --check-prefix=LENGTHS

// Reductions that differ in their buffers and offsets only share a function.

#row = affine_map<(i, k) -> (i, k)>
#sum = affine_map<(i, k) -> (i)>
#same = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @equal(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<4x8xf32>, %[[Y:[a-z0-9]+]]: memref<4x8xf32>, %[[Z:[a-z0-9]+]]: memref<8xf32>)
// CHECK-DAG:     %[[FIRST:.+]] = memref.subview %[[Z]][0]
// CHECK-DAG:     %[[SECOND:.+]] = memref.subview %[[Z]][4]
// CHECK:         %[[ONE:.+]] = memref.cast %[[FIRST]] : {{.*}} to memref<4xf32, strided<[1], offset: ?>>
// CHECK:         call @[[$SHARED:shared.reduction]](%[[X]], %[[ONE]])
// CHECK:         %[[TWO:.+]] = memref.cast %[[SECOND]] : {{.*}} to memref<4xf32, strided<[1], offset: ?>>
// CHECK:         call @[[$SHARED]](%[[Y]], %[[TWO]])
func.func @equal(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<8xf32>) {
  %least = arith.constant 0.5 : f32
  %0 = memref.subview %z[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %1 = memref.subview %z[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x8xf32>) outs(%0 : memref<4xf32, strided<[1]>>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.maximumf %in, %least : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<4x8xf32>) outs(%1 : memref<4xf32, strided<[1], offset: 4>>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.maximumf %in, %least : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// A repeated operand is passed as one argument twice. Different constants need a different
// function.
// CHECK-LABEL: func.func @twice(
// CHECK-NOT:     call
// CHECK:         linalg.generic
// CHECK:         call @[[$PRODUCTS:shared.reduction_[0-9]+]](%[[A:.+]], %[[A]], %
// CHECK:         call @[[$PRODUCTS]](%[[A]], %[[B:.+]], %
// CHECK-NOT:     linalg.generic
// Many duplicates share a function as well.
// MANY-LABEL: func.func @twice(
// MANY-NOT:     linalg.generic
// MANY-COUNT-3: call @shared.reduction
// MANY-NOT:     linalg.generic
// MANY:         return
func.func @twice(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %z: memref<4xf32>) {
  %least = arith.constant 0.25 : f32
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x8xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.maximumf %in, %least : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a, %a : memref<4x8xf32>, memref<4x8xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %2 = arith.mulf %in, %other : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32>, memref<4x8xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %2 = arith.mulf %in, %other : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// The elements may have less than a byte.
// CHECK-LABEL: func.func @packed(
// CHECK:         call @[[$PACKED:shared.reduction[_0-9]*]](%{{.+}}, %{{.+}}) : (memref<4x8xi4>, memref<4xi32>) -> ()
// CHECK:         call @[[$PACKED]](%{{.+}}, %{{.+}}) : (memref<4x8xi4>, memref<4xi32>) -> ()
func.func @packed(%y: memref<4x8xi4>, %i: memref<4xi32>) {
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<4x8xi4>) outs(%i : memref<4xi32>) {
  ^bb0(%in: i4, %out: i32):
    %2 = arith.extsi %in : i4 to i32
    %3 = arith.addi %out, %2 : i32
    linalg.yield %3 : i32
  }
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<4x8xi4>) outs(%i : memref<4xi32>) {
  ^bb0(%in: i4, %out: i32):
    %2 = arith.extsi %in : i4 to i32
    %3 = arith.addi %out, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// No outlining in loops, of reductions that capture computed values, or without a reduction.
// CHECK-LABEL: func.func @not_outlined(
// CHECK-NOT:     call
// CHECK:         return
func.func @not_outlined(%x: memref<4x8xf32>, %z: memref<4xf32>, %least: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<4x8xf32>) outs(%z : memref<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.addf %out, %in : f32
      linalg.yield %3 : f32
    }
  }
  scf.for %k = %c0 to %n step %c1 {
    linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<4x8xf32>) outs(%z : memref<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.addf %out, %in : f32
      linalg.yield %3 : f32
    }
  }
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x8xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.minimumf %in, %least : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x8xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.minimumf %in, %least : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%z : memref<4xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.negf %in : f32
    linalg.yield %2 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%z : memref<4xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.negf %in : f32
    linalg.yield %2 : f32
  }
  return
}

// Above the threshold of distinct lengths, one function handles all lengths.
#rows = affine_map<(i, j, k, l) -> (i, k, l)>
#columns = affine_map<(i, j, k, l) -> (k, j + l)>
#elements = affine_map<(i, j, k, l) -> (i, j)>
// CHECK-LABEL:   func.func @lengths(
// CHECK-NOT:     call
// CHECK:         return
// LENGTHS-LABEL: func.func @lengths(
// LENGTHS-SAME:    %[[A:.+]]: memref<4x8x3xf32>, %[[B:.+]]: memref<4x9x3xf32, strided<[54, 3, 1]>>, %[[X:.+]]: memref<8x6xf32>, %[[Y:.+]]: memref<9x6xf32>, %[[Z:.+]]: memref<4x4xf32>)
// LENGTHS-DAG:   %[[B1:.+]] = memref.cast %[[B]]
// LENGTHS-DAG:   %[[Y1:.+]] = memref.cast %[[Y]] : memref<9x6xf32> to memref<?x6xf32>
// LENGTHS:       call @[[$ANY:shared.reduction]](%[[B1]], %[[Y1]], %[[Z]])
// LENGTHS:       call @[[$ANY]](
// LENGTHS-NOT:   linalg.generic
// LENGTHS:       return
func.func @lengths(%a: memref<4x8x3xf32>, %b: memref<4x9x3xf32, strided<[54, 3, 1]>>, %x: memref<8x6xf32>, %y: memref<9x6xf32>, %z: memref<4x4xf32>) {
  %0 = memref.subview %a[0, 0, 0] [4, 8, 3] [1, 1, 1] : memref<4x8x3xf32> to memref<4x8x3xf32, strided<[24, 3, 1]>>
  linalg.generic {indexing_maps = [#rows, #columns, #elements], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%b, %y : memref<4x9x3xf32, strided<[54, 3, 1]>>, memref<9x6xf32>) outs(%z : memref<4x4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %2 = arith.mulf %in, %other : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#rows, #columns, #elements], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%0, %x : memref<4x8x3xf32, strided<[24, 3, 1]>>, memref<8x6xf32>) outs(%z : memref<4x4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %2 = arith.mulf %in, %other : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// CHECK:       func.func private @[[$SHARED]](%[[IN:.+]]: memref<4x8xf32>, %[[OUT:.+]]: memref<4xf32, strided<[1], offset: ?>>)
// CHECK-SAME:    attributes {llvm.linkage = #llvm.linkage<internal>, {{(llvm\.)?}}passthrough = ["noinline"]}
// CHECK:         arith.constant 5.000000e-01
// CHECK:         linalg.generic {{.*}} ins(%[[IN]] : {{.*}} outs(%[[OUT]] :
// CHECK:       func.func private @[[$PRODUCTS]](
// CHECK: func.func private @[[$PACKED]](%{{.+}}: memref<4x8xi4>, %{{.+}}: memref<4xi32>)
// CHECK-NOT: func.func
// LENGTHS:     func.func private @[[$ANY]](%{{.+}}: memref<4x?x3xf32, strided<[?, 3, 1], offset: ?>>, %{{.+}}: memref<?x6xf32>, %{{.+}}: memref<4x4xf32>)
