// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-transposes{vector-bytes=32}))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-transposes{vector-bytes=64 parallel}))" | FileCheck %s --check-prefix=PARALLEL
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-transposes{vector-bytes=0}))" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: vector-bytes: expected 1 or more, but got 0

#same = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#column = affine_map<(i, j) -> (i)>

// The number of rows is not a multiple of 8, so that the last blocks overlap.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: %[[X:.*]]: memref<64x36xf32>, %[[Y:.*]]: memref<36x64xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for %[[I:.*]] = %{{.*}} to
// CHECK: %[[LAST:.*]] = arith.constant 28
// CHECK: %[[COLUMN:.*]] = arith.minsi %[[I]], %[[LAST]]
// CHECK: scf.for %[[J:.*]] = %{{.*}} to
// CHECK: vector.load %[[X]][%[[J]], %[[COLUMN]]] : memref<64x36xf32>, vector<8xf32>
// CHECK-COUNT-7: vector.load %[[X]]
// CHECK-COUNT-24: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: vector.store %{{.*}}, %[[Y]][%[[COLUMN]], %[[J]]] : memref<36x64xf32>, vector<8xf32>
// CHECK-COUNT-7: vector.store
// CHECK-NOT: vector.store
// PARALLEL-LABEL: func.func @copy
// PARALLEL-NOT: scf.forall
// PARALLEL-COUNT-64: vector.shuffle
func.func @copy(%x: memref<64x36xf32>, %y: memref<36x64xf32>) attributes {quant_float.noalias} {
  linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x36xf32>) outs(%y : memref<36x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Inputs that do not vary along the rows stay scalars. Bytes are processed in
// blocks of 16.
// CHECK-LABEL: func.func @scaled
// CHECK-COUNT-16: vector.load %{{.*}} vector<16xi8>
// CHECK: memref.load
// CHECK: arith.muli %{{.*}} : vector<16xi8>
// CHECK: vector.store
func.func @scaled(%x: memref<64x64xi8>, %scale: memref<64xi8>, %y: memref<64x64xi8>) attributes {quant_float.noalias} {
  linalg.generic {indexing_maps = [#transposed, #column, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale : memref<64x64xi8>, memref<64xi8>) outs(%y : memref<64x64xi8>) {
  ^bb0(%a: i8, %s: i8, %b: i8):
    %0 = arith.muli %a, %s : i8
    linalg.yield %0 : i8
  }
  return
}

// CHECK-LABEL: func.func @dynamic
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi sge
// CHECK: scf.if
// CHECK: vector.shuffle
// CHECK: } else {
// CHECK: linalg.generic
// PARALLEL-LABEL: func.func @dynamic
// PARALLEL: scf.if
// PARALLEL: scf.forall
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) attributes {quant_float.noalias} {
  linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Too few columns; bits, whose vectors have another layout; a column that no
// input is contiguous along.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: vector.shuffle
func.func @others(%a: memref<64x3xf32>, %b: memref<3x64xf32>, %c: memref<64x64xi1>, %d: memref<64x64xi1>, %e: memref<64x64xf32, strided<[128, 2]>>, %f: memref<64x64xf32>) attributes {quant_float.noalias} {
  linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<64x3xf32>) outs(%b : memref<3x64xf32>) {
  ^bb0(%0: f32, %1: f32):
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<64x64xi1>) outs(%d : memref<64x64xi1>) {
  ^bb0(%0: i1, %1: i1):
    linalg.yield %0 : i1
  }
  linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
      ins(%e : memref<64x64xf32, strided<[128, 2]>>) outs(%f : memref<64x64xf32>) {
  ^bb0(%0: f32, %1: f32):
    linalg.yield %0 : f32
  }
  return
}
