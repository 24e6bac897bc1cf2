// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=16},canonicalize,cse))" | FileCheck %s
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=0}))" 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=4611686018427387904}))" 2>&1 | FileCheck %s --check-prefix=HUGE

// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{registers=0}))" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=64 registers=32},canonicalize,cse))" | FileCheck %s --check-prefix=WIDE

// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-vectorize-reductions{vector-bytes=32 registers=16},canonicalize,cse))" | FileCheck %s --check-prefix=LONG
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{cpu=x86-64-v3},func.func(quant-float-vectorize-reductions{vector-bytes=32 registers=16},canonicalize,cse))" | FileCheck %s --check-prefix=X86

// INVALID: error: vector-bytes: expected 1 to 1024, but got 0
// NONE: error: registers: expected 1 to 1024, but got 0
// HUGE: error: vector-bytes: expected 1 to 1024, but got 4611686018427387904

// The accumulators of eight columns are in registers. All rows reuse the loads of the second
// operand, which stays in the cache for the next rows. Tiles of six rows would leave two of eight
// rows, which is too few, so there are two tiles of four rows.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.+]]: memref<8x32xf32>, %[[B:.+]]: memref<32x16xf32>, %[[C:.+]]: memref<8x16xf32>)
// CHECK:         scf.for %[[N:.+]] = %c0 to %c16 step %c8 {
// CHECK:           scf.for %[[M:.+]] = %c0 to %c8 step %c4 {
// CHECK-COUNT-4:     vector.load %[[C]]
// CHECK:             scf.for %[[K:.+]] = %c0 to %c32 step %c1 iter_args(
// CHECK:               memref.load %[[A]][%[[M]], %[[K]]]
// CHECK:               %[[COLUMNS:.+]] = vector.load %[[B]][%[[K]], %[[N]]] : memref<32x16xf32>, vector<8xf32>
// CHECK:               math.fma %{{.+}}, %[[COLUMNS]], %{{.+}} : vector<8xf32>
// CHECK-NOT:           vector.load
// CHECK:             vector.store
// CHECK-NOT:       scf.for
// CHECK:         return
func.func @matmul(%a: memref<8x32xf32>, %b: memref<32x16xf32>, %c: memref<8x16xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x32xf32>, memref<32x16xf32>) outs(%c : memref<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// The vectors that rows share are copied to a panel, here for a quarter of K at a time.

// LONG-LABEL: func.func @long_sums(
// LONG-SAME:    %[[A:.+]]: memref<22x2048xf32>, %[[B:.+]]: memref<2048x48xf32>, %[[C:.+]]: memref<22x48xf32>)
// LONG:         %[[BUFFER:.+]] = memref.alloca() {{.*}}alignment = 64{{.*}} : memref<65536xi8>
// LONG:         scf.for %[[PART:.+]] = %c0 to %c2048 step %c512 {
// LONG:           %[[END:.+]] = arith.addi %[[PART]], %c512
// LONG:           scf.for %[[N:.+]] = %c0 to %c48 step %c16 {
// LONG:             %[[PANEL:.+]] = memref.view %[[BUFFER]][%c0][] : memref<65536xi8> to memref<512x16xf32>
// LONG:             scf.for %[[K:.+]] = %[[PART]] to %[[END]] step %c1 {
// LONG:               %[[STEP:.+]] = affine.apply
// LONG:               %[[SHARED:.+]] = vector.load %[[B]][%[[K]], %[[N]]]
// LONG:               vector.store %[[SHARED]], %[[PANEL]][%[[STEP]], %c0]
// LONG:             scf.for %[[M:.+]] = %c0 to %c18 step %c6 {
// LONG-COUNT-6:       vector.load %[[C]]
// LONG:               scf.for %[[K:.+]] = {{.+}} iter_args(
// LONG:                   memref.prefetch %[[A]][%{{.+}}, %[[K]]], read, locality<2>, data
// LONG:                 vector.load %[[PANEL]][
// LONG:                 memref.load %[[A]][%[[M]], %[[K]]]
// LONG-NOT:             vector.load
// LONG-NOT:             inline_asm
// LONG:                 scf.yield
// LONG:               vector.store
// LONG:             scf.for {{.+}} iter_args({{.+}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {

// X86-LABEL: func.func @long_sums(
// X86:         %[[BUFFER:.+]] = memref.alloca() {{.*}}alignment = 64{{.*}} : memref<65536xi8>
// X86:         %[[PANEL:.+]] = memref.view %[[BUFFER]]
// X86:         scf.for {{.+}} iter_args(
// X86:           %[[LOW:.+]] = vector.load %[[PANEL]][{{.+}}, %c0]
// X86:           %[[HIGH:.+]] = vector.load %[[PANEL]][{{.+}}, %c8]
// X86:           math.fma %{{.+}}, %[[LOW]], %{{.+}} : vector<8xf32>
// X86-NEXT:      math.fma %{{.+}}, %[[HIGH]], %{{.+}} : vector<8xf32>
// X86-NOT:       inline_asm
// X86:           scf.yield
func.func @long_sums(%a: memref<22x2048xf32>, %b: memref<2048x48xf32>, %c: memref<22x48xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<22x2048xf32>, memref<2048x48xf32>) outs(%c : memref<22x48xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// Vectors run along the last dimension, and the three taps are unrolled. With a stride, the vectors
// are assembled from single elements.

// CHECK-LABEL: func.func @conv(
// CHECK:         vector.load %{{.+}} : memref<1x4x10xf32>, vector<8xf32>
// CHECK-NOT:     memref.load %arg0
// CHECK:         return
func.func @conv(%x: memref<1x4x10xf32>, %w: memref<6x4x3xf32>, %y: memref<1x6x8xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(n, f, o, c, k) -> (n, c, o + k)>,
                       affine_map<(n, f, o, c, k) -> (f, c, k)>,
                       affine_map<(n, f, o, c, k) -> (n, f, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<1x4x10xf32>, memref<6x4x3xf32>) outs(%y : memref<1x6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = math.fma %a, %b, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// Seven columns are one full vector and a partial one, not a vector of seven elements.

// CHECK-LABEL: func.func @remainder(
// CHECK-NOT:     vector<7xf32>
// CHECK:         vector.store %{{.+}} : memref<4x7xf32>, vector<4xf32>
// CHECK-NOT:     vector<7xf32>
// CHECK:         vector.store %{{.+}} : memref<4x7xf32>, vector<3xf32>
// CHECK-NOT:     vector<7xf32>
// CHECK:         return
func.func @remainder(%a: memref<4x4xf32>, %b: memref<4x7xf32>, %c: memref<4x7xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x4xf32>, memref<4x7xf32>) outs(%c : memref<4x7xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @strided(
// CHECK:         vector.from_elements %{{.+}} : vector<4xf32>
// CHECK:         arith.maximumf %{{.+}} : vector<4xf32>
func.func @strided(%x: memref<1x4x10xf32>, %window: memref<3xf32>, %y: memref<1x4x4xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(n, c, o, k) -> (n, c, o * 2 + k)>, affine_map<(n, c, o, k) -> (k)>,
                       affine_map<(n, c, o, k) -> (n, c, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %window : memref<1x4x10xf32>, memref<3xf32>) outs(%y : memref<1x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %max: f32):
    %0 = arith.maximumf %max, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Reductions along the last dimension keep their order. Neighboring rows are reduced side by side,
// four elements of each at a time.

// CHECK-LABEL: func.func @row_sums(
// CHECK:         scf.for %{{.+}} = %c0 to %{{.+}} step %c4 iter_args(%{{.+}} = %{{.+}}) -> (vector<4xf32>)
// CHECK-COUNT-4:   vector.load
// CHECK-COUNT-8:   vector.shuffle
// CHECK-COUNT-4:   arith.addf
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1 iter_args(%{{.+}} = %{{.+}}) -> (vector<4xf32>)
// CHECK:           vector.from_elements
// CHECK:         scf.for %{{.+}} = %c0 to %{{.+}} step %c1 iter_args(%{{.+}} = %{{.+}}) -> (f32)
func.func @row_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Two results: the maximum of each column and its index. The remainder of a dynamic size is scalar.

// CHECK-LABEL: func.func @arg_max(
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (vector<4xf32>, vector<4xi64>)
// CHECK:             arith.cmpf ogt, %{{.+}} : vector<4xf32>
// CHECK:             arith.select %{{.+}} : vector<4xi1>, vector<4xi64>
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (f32, i64)
func.func @arg_max(%x: memref<?x?xf32>, %max: memref<?xf32>, %where: memref<?xi64>) {
  linalg.generic {
      indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>, affine_map<(k, n) -> (n)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%max, %where : memref<?xf32>, memref<?xi64>) {
  ^bb0(%a: f32, %m: f32, %w: i64):
    %k = linalg.index 0 : index
    %i = arith.index_cast %k : index to i64
    %larger = arith.cmpf ogt, %a, %m : f32
    %0 = arith.select %larger, %a, %m : f32
    %1 = arith.select %larger, %i, %w : i64
    linalg.yield %0, %1 : f32, i64
  }
  return
}

// If masked loads are available, the last vector is masked: 32 and then 9 of 41 columns. So is the
// remainder of a dynamic size.

// WIDE-LABEL: func.func @masked(
// WIDE:         vector.store %{{.+}} : memref<4x41xf32>, vector<32xf32>
// WIDE:         %[[MASK:.+]] = vector.constant_mask [9] : vector<16xi1>
// WIDE:         vector.maskedload %{{.+}}, %[[MASK]], %{{.+}} : memref<8x41xf32>, vector<16xi1>, vector<16xf32>
// WIDE:         vector.maskedstore %{{.+}}, %[[MASK]], %{{.+}} : memref<4x41xf32>, vector<16xi1>, vector<16xf32>
func.func @masked(%a: memref<4x8xf32>, %b: memref<8x41xf32>, %c: memref<4x41xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32>, memref<8x41xf32>) outs(%c : memref<4x41xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// A remainder of one element needs no mask.

// WIDE-LABEL: func.func @one_remaining(
// WIDE-NOT:     mask
// WIDE:         memref.store %{{.+}} : memref<4x65xf32>
// WIDE-NOT:     mask
func.func @one_remaining(%a: memref<4x8xf32>, %b: memref<8x65xf32>, %c: memref<4x65xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32>, memref<8x65xf32>) outs(%c : memref<4x65xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// WIDE-LABEL: func.func @dynamic(
// WIDE:         scf.for %{{.+}} = %c0 to %{{.+}} step %c64
// WIDE:           vector.load %{{.+}} : memref<8x?xf32>, vector<64xf32>
// WIDE:         scf.for %[[N:.+]] = %{{.+}} to %[[SIZE:.+]] step %c16
// WIDE:           %[[REST:.+]] = arith.subi %[[SIZE]], %[[N]]
// WIDE:           vector.create_mask %[[REST]] : vector<16xi1>
func.func @dynamic(%a: memref<4x8xf32>, %b: memref<8x?xf32>, %c: memref<4x?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32>, memref<8x?xf32>) outs(%c : memref<4x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// The remainder of a dynamic number of rows is one tile, which repeats its last row.

// WIDE-LABEL: func.func @dynamic_rows(
// WIDE:         scf.for %{{.+}} = %c0 to %[[FULL:.+]] step %c6
// WIDE:         %[[ONE:.+]] = arith.cmpi eq, %[[REST:.+]], %c1
// WIDE:         scf.if %[[ONE]]
// WIDE:         %[[SOME:.+]] = arith.cmpi sgt, %[[REST]], %c1
// WIDE:         scf.if %[[SOME]] {
// WIDE:           %[[LAST:[a-z0-9_]+]] = arith.subi %{{[a-z0-9_]+}}, %c1 :
// WIDE-COUNT-6:   arith.minsi %{{.+}}, %[[LAST]]
// WIDE-NOT:       arith.minsi
// WIDE-COUNT-6:   math.fma
// WIDE:         return
func.func @dynamic_rows(%a: memref<?x128xf32>, %b: memref<128x64xf32>, %c: memref<?x64xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x128xf32>, memref<128x64xf32>) outs(%c : memref<?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// The remainder is scalar for integer divisions, as masked lanes would divide by zero.

// WIDE-LABEL: func.func @divided(
// WIDE-NOT:     mask
// WIDE:         return
func.func @divided(%a: memref<8x17xi32>, %b: memref<17xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<8x17xi32>) outs(%b : memref<17xi32>) {
  ^bb0(%x: i32, %y: i32):
    %0 = arith.divsi %y, %x : i32
    linalg.yield %0 : i32
  }
  return
}

// A K-contiguous matrix: sixteen elements of each of sixteen rows are loaded and transposed in four
// steps of shuffles.

// WIDE-LABEL: func.func @transposed(
// WIDE:         scf.for {{.+}} step %c16
// WIDE:           scf.for %{{.+}} = %c0 to %c32 step %c16 iter_args
// WIDE-COUNT-16:    vector.load %arg1{{.+}} : memref<48x40xf32>, vector<16xf32>
// WIDE-COUNT-64:    vector.shuffle
// WIDE-NOT:         vector.shuffle
// WIDE:             memref.load %arg0
// WIDE:           scf.for %{{.+}} = %c32 to %c40 step %c1 iter_args
func.func @transposed(%a: memref<1x40xf32>, %b: memref<48x40xf32>, %c: memref<1x48xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x40xf32>, memref<48x40xf32>) outs(%c : memref<1x48xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// The order of a maximum does not matter: four vectors, one vector, and the remainder. The order of
// a sum of floats does.

// CHECK-LABEL: func.func @maximum(
// CHECK:         %[[FOUR:.+]] = scf.for {{.*}} -> (vector<16xf32>)
// CHECK:           vector.load %{{.+}} : memref<107xf32>, vector<16xf32>
// CHECK:           arith.maximumf
// CHECK:         %[[ONE:.+]] = scf.for {{.*}} -> (vector<4xf32>)
// CHECK:           vector.load %{{.+}} : memref<107xf32>, vector<4xf32>
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:           memref.load
// CHECK:         memref.store
func.func @maximum(%x: memref<107xf32>, %y: memref<f32>) {
  linalg.generic {
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<107xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %most: f32):
    %0 = arith.maximumf %most, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     vector
// CHECK:         return
func.func @sum(%x: memref<107xf32>, %y: memref<f32>) {
  linalg.generic {
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<107xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Vectors of integer sums are reduced to a scalar at the end only: LLVM 22 matches products of
// bytes whose vectors are halved step by step to VPDPBUSD, and drops the upper half.

// CHECK-LABEL: func.func @bytes(
// CHECK-NOT:     vector.extract_strided_slice
// CHECK:         vector.reduction <add>, %{{.+}} : vector<16xi32> into i32
// CHECK-NOT:     vector.extract_strided_slice
// CHECK:         vector.reduction <add>, %{{.+}} : vector<4xi32> into i32
// CHECK-NOT:     vector.extract_strided_slice
// CHECK:         return
func.func @bytes(%x: memref<5x19xi8>, %w: memref<1x19xi8>, %y: memref<5x1xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<5x19xi8>, memref<1x19xi8>) outs(%y : memref<5x1xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %sum, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// The accumulator initialization, a bias minus a correction, is computed in the loop. It is stored
// before the loop if an op in between reads it, or if it differs between elements.

// CHECK-LABEL: func.func @initialized(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xi32>, %[[B:.+]]: memref<4x4xi32>, %[[BIAS:.+]]: memref<4xi32>, %[[C:.+]]: memref<4x8xi32>
// CHECK-NOT:     linalg.generic
// CHECK:         %[[FIRST:.+]] = memref.load %[[BIAS]][%c0]
// CHECK:         %[[START:.+]] = arith.subi %[[FIRST]], %c3_i32
// CHECK:         vector.broadcast %[[START]] : i32 to vector<8xi32>
// CHECK-NOT:     vector.load %[[C]]
// CHECK:         vector.store
func.func @initialized(%a: memref<4x8xi32>, %b: memref<4x4xi32>, %bias: memref<4xi32>, %c: memref<4x8xi32>)
    attributes {quant_float.entry_point} {
  %three = arith.constant 3 : i32
  linalg.generic {
      indexing_maps = [affine_map<(n, m) -> (n)>, affine_map<(n, m) -> (n, m)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<4xi32>) outs(%c : memref<4x8xi32>) {
  ^bb0(%x: i32, %out: i32):
    %0 = arith.subi %x, %three : i32
    linalg.yield %0 : i32
  }
  linalg.generic {
      indexing_maps = [affine_map<(n, m, k) -> (k, m)>, affine_map<(n, m, k) -> (k, n)>,
                       affine_map<(n, m, k) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xi32>, memref<4x4xi32>) outs(%c : memref<4x8xi32>) {
  ^bb0(%x: i32, %y: i32, %sum: i32):
    %0 = arith.muli %x, %y : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// CHECK-LABEL: func.func @initialization_read(
// CHECK-SAME:    %[[C:[a-z0-9]+]]: memref<4x8xi32>, %[[D:[a-z0-9]+]]: memref<4x8xi32>)
// CHECK:         linalg.generic {{.*}} outs(%[[C]]
// CHECK:         memref.copy %[[C]], %[[D]]
// CHECK:         vector.load %[[C]]
func.func @initialization_read(%a: memref<4x8xi32>, %b: memref<4x4xi32>, %c: memref<4x8xi32>, %d: memref<4x8xi32>)
    attributes {quant_float.entry_point} {
  %three = arith.constant 3 : i32
  linalg.generic {indexing_maps = [affine_map<(n, m) -> (n, m)>], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<4x8xi32>) {
  ^bb0(%out: i32):
    linalg.yield %three : i32
  }
  memref.copy %c, %d : memref<4x8xi32> to memref<4x8xi32>
  linalg.generic {
      indexing_maps = [affine_map<(n, m, k) -> (k, m)>, affine_map<(n, m, k) -> (k, n)>,
                       affine_map<(n, m, k) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xi32>, memref<4x4xi32>) outs(%c : memref<4x8xi32>) {
  ^bb0(%x: i32, %y: i32, %sum: i32):
    %0 = arith.muli %x, %y : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// If rows of the packed operand are long, each row tile prefetches some rows of the next panel. Each
// of these four tiles prefetches four rows of four cache lines after every 16 of its 64 steps.

// WIDE-LABEL: func.func @prefetched(
// WIDE-SAME:    %[[A:.+]]: memref<24x64xf32>, %[[B:.+]]: memref<64x512xf32>
// WIDE:         scf.if
// WIDE-COUNT-16:  memref.prefetch %[[B]]
// WIDE-NOT:       memref.prefetch
// WIDE:         math.fma
func.func @prefetched(%a: memref<24x64xf32>, %b: memref<64x512xf32>, %c: memref<24x512xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<24x64xf32>, memref<64x512xf32>) outs(%c : memref<24x512xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// With a dynamic number of rows, 16 and more rows use a panel: a K-contiguous matrix is copied in
// transposed squares. The remainder of the rows is one more tile. Fewer rows read squares of the
// matrix itself.

// LONG-LABEL: func.func @many_or_few_rows(
// LONG-SAME:    %[[A:.+]]: memref<?x2048xf32>, %[[B:.+]]: memref<48x2048xf32>, %[[C:.+]]: memref<?x48xf32>)
// LONG:         %[[BUFFER:.+]] = memref.alloca()
// LONG:         %[[ARE_MANY:.+]] = arith.cmpi sge, %{{.+}}, %c16
// LONG:         scf.if %[[ARE_MANY]] {
// LONG:           scf.for %[[PART:.+]] = %c0 to %c2048 step %c512 {
// LONG:             scf.for %[[N:.+]] = %c0 to %c48 step %c16 {
// LONG:               %[[PANEL:.+]] = memref.view %[[BUFFER]][%c0][] : memref<65536xi8> to memref<512x16xf32>
// LONG:               scf.for %[[K:.+]] = %[[PART]] to %{{.+}} step %c8 {
// LONG-COUNT-8:         vector.load %[[B]]
// LONG:                 vector.shuffle
// LONG-COUNT-8:         vector.store %{{.+}}, %[[PANEL]]
// LONG-COUNT-8:         vector.load %[[B]]
// LONG:                 vector.shuffle
// LONG-COUNT-8:         vector.store %{{.+}}, %[[PANEL]]
// LONG:               scf.for %[[M:.+]] = %c0 to %{{.+}} step %c6 {
// LONG:                 vector.load %[[PANEL]]
// LONG:               arith.cmpi eq
// LONG:               arith.cmpi sgt
// LONG:               arith.minsi
// LONG:         } else {
// LONG-NOT:       vector.load %[[BUFFER]]
// LONG:           vector.load %[[B]]
// LONG:         return
func.func @many_or_few_rows(%a: memref<?x2048xf32>, %b: memref<48x2048xf32>, %c: memref<?x48xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x2048xf32>, memref<48x2048xf32>) outs(%c : memref<?x48xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// A dynamic number of columns uses a panel as well, with a mask at the end.

// LONG-LABEL: func.func @dynamic_columns(
// LONG-SAME:    %[[A:.+]]: memref<22x2048xf32>, %[[B:.+]]: memref<2048x?xf32>, %[[C:.+]]: memref<22x?xf32>)
// LONG:         memref.view %{{.+}} : memref<65536xi8> to memref<512x16xf32>
// LONG:         %[[PANEL:.+]] = memref.view %{{.+}} : memref<65536xi8> to memref<512x8xf32>
// LONG:         vector.create_mask
// LONG:         vector.maskedload %[[B]]
// LONG:         vector.store %{{.+}}, %[[PANEL]]
// LONG:         vector.maskedload %[[C]]
// LONG:         vector.load %[[PANEL]]
// LONG:         vector.maskedstore %[[C]]
func.func @dynamic_columns(%a: memref<22x2048xf32>, %b: memref<2048x?xf32>, %c: memref<22x?xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<22x2048xf32>, memref<2048x?xf32>) outs(%c : memref<22x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %0 = math.fma %x, %y, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

// The order of a maximum does not matter. Each row is reduced along its
// elements, to one vector for each of eight rows. Three rounds of shuffles reduce these to one vector with an element for each row.

// LONG-LABEL: func.func @maximum_of_rows(
// LONG-SAME: %[[X:.+]]: memref<64x32xi32>
// LONG: %[[Y:.+]] = vector.load %{{.+}} : memref<64xi32>, vector<8xi32>
// LONG: vector.load %[[X]]
// LONG: vector.shuffle %{{.+}}, %{{.+}} [0, 2, 8, 10, 4, 6, 12, 14] : vector<8xi32>, vector<8xi32>
// LONG: vector.shuffle %{{.+}}, %{{.+}} [1, 3, 9, 11, 5, 7, 13, 15] : vector<8xi32>, vector<8xi32>
// LONG: arith.maxui
// LONG: vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xi32>, vector<8xi32>
// LONG: vector.shuffle %{{.+}}, %{{.+}} [4, 5, 6, 7, 12, 13, 14, 15] : vector<8xi32>, vector<8xi32>
// LONG: %[[ROWS:.+]] = arith.maxui
// LONG: arith.maxui %[[Y]], %[[ROWS]]
// CHECK-LABEL: func.func @maximum_of_rows(
// CHECK: scf.for
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c4 iter_args(
// CHECK-COUNT-4: vector.load
// CHECK: scf.yield
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [0, 2, 4, 6] : vector<4xi32>, vector<4xi32>
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [1, 3, 5, 7] : vector<4xi32>, vector<4xi32>
func.func @maximum_of_rows(%x: memref<64x32xi32>, %y: memref<64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x32xi32>) outs(%y : memref<64xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.maxui %in, %out : i32
    linalg.yield %0 : i32
  }
  return
}

// The windows of four rows of the result contain six rows of the image, each of
// which is loaded once for each column of the window.

// CHECK-LABEL: func.func @window_rows(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<4x18x18xf32>
// CHECK-COUNT-18: vector.load %[[X]]
// CHECK-NOT:      vector.load %[[X]]
// CHECK:          return
func.func @window_rows(%x: memref<4x18x18xf32>, %w: memref<4x3x3xf32>, %y: memref<4x16x16xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(c, h, w, kh, kw) -> (c, h + kh, w + kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, kh, kw)>,
                       affine_map<(c, h, w, kh, kw) -> (c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<4x18x18xf32>, memref<4x3x3xf32>) outs(%y : memref<4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = math.fma %a, %b, %sum : f32
    linalg.yield %0 : f32
  }
  return
}
