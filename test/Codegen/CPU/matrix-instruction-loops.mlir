// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=aarch64-linux-gnu cpu=neoverse-v1},func.func(quant-float-vectorize-reductions{vector-bytes=16 registers=32},canonicalize,cse))" | FileCheck %s --check-prefix=I8MM
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=sapphirerapids},func.func(quant-float-vectorize-reductions{vector-bytes=64 registers=32},canonicalize,cse))" | FileCheck %s --check-prefix=AMX
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=aarch64-linux-gnu cpu=neoverse-n1},func.func(quant-float-vectorize-reductions{vector-bytes=16 registers=32},canonicalize,cse))" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-pc-windows-msvc cpu=sapphirerapids},func.func(quant-float-vectorize-reductions{vector-bytes=64 registers=32},canonicalize,cse))" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(quant-float-set-target{triple=aarch64-linux-gnu cpu=neoverse-v1},func.func(quant-float-vectorize-reductions{vector-bytes=32 registers=32},canonicalize,cse))" | FileCheck %s --check-prefix=NONE

// Matrix instructions multiply tiles of a panel. 70 is no multiple of the instruction's K: the
// panel is padded with zeros before its last elements, and the last tile of the rows starts
// earlier. For Arm, two K steps of the panel are interleaved. For x86, the tile sizes are
// configured once for each column of vectors, here for two tiles of 16 rows by 16 and 4 lanes, and
// again for the last of 36 rows. The accumulators stay in named tile registers.

// I8MM-LABEL: func.func @matmul(
// I8MM-SAME:    %[[A:.+]]: memref<36x70xi32>, %[[B:.+]]: memref<70x52xi32>, %[[C:.+]]: memref<36x52xi32>)
// I8MM:         %[[BUFFER:.+]] = memref.alloca() {{.*}}alignment = 64{{.*}} : memref<65536xi8>
// I8MM:         scf.for %[[N:.+]] = %c0 to %c48 step %c16 {
// I8MM:           %[[PANEL:.+]] = memref.view %[[BUFFER]][%c0][] : memref<65536xi8> to memref<72x16xi32>
// I8MM:           scf.for {{.+}} to %c70 step %c1 {
// I8MM:           scf.for {{.+}} to %c2 step %c1 {
// I8MM-COUNT-4:     vector.store %{{.+}}, %[[PANEL]]
// I8MM:           scf.for {{.+}} to %c2 step %c1 {
// I8MM:             vector.store %cst{{.*}}, %[[PANEL]]
// I8MM:           scf.for %[[STEP:.+]] = %c0 to %c72 step %c2 {
// I8MM:             %[[LOW:.+]] = vector.load %[[PANEL]][%[[STEP]], %c0]
// I8MM:             %[[HIGH:.+]] = vector.load
// I8MM:             vector.shuffle %[[LOW]], %[[HIGH]] [0, 4, 1, 5]
// I8MM:             vector.shuffle %[[LOW]], %[[HIGH]] [2, 6, 3, 7]
// I8MM:           scf.for %[[M:.+]] = %c0 to %c32 step %c8 {
// I8MM:             %[[SUMS:.+]]:16 = scf.for %{{.+}} = %c0 to %c18 step %c1 iter_args({{.+}}) -> (vector<4xi32>, {{.+}}) {
// I8MM:               %[[FIRST:.+]] = arith.minui %{{.+}}, %c66
// I8MM-COUNT-8:       vector.load %[[A]][{{.+}}, %[[FIRST]]] : memref<36x70xi32>, vector<4xi32>
// I8MM-COUNT-32:      llvm.call_intrinsic "llvm.aarch64.neon.usmmla"({{.+}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// I8MM-NOT:           usmmla
// I8MM:               scf.yield
// I8MM:             vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [0, 1, 4, 5]
// I8MM:             vector.load %[[C]]
// I8MM:             arith.addi
// I8MM:             vector.store %{{.+}}, %[[C]]

// AMX-LABEL: func.func @matmul(
// AMX-SAME:    %[[A:.+]]: memref<36x70xi32>, %[[B:.+]]: memref<70x52xi32>, %[[C:.+]]: memref<36x52xi32>)
// AMX-DAG:     %[[SIZES:.+]] = arith.constant dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0]>
// AMX-DAG:     %[[REST:.+]] = arith.constant dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 16, 0, 64, 0, 16, 0, 64, 0, 64, 0, 64, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0]>
// AMX:         %[[BUFFER:.+]] = memref.alloca() {{.*}}alignment = 64{{.*}} : memref<65600xi8>
// AMX:         memref.view %[[BUFFER]][%c0][] : memref<65600xi8> to memref<80x32xi32>
// AMX:         vector.store %[[SIZES]], %[[BUFFER]][%c65536]
// AMX:         llvm.call_intrinsic "llvm.x86.ldtilecfg"
// AMX-COUNT-4: llvm.call_intrinsic "llvm.x86.tileloadd64"
// AMX:         scf.for %{{.+}} = %c0 to %c5 step %c1 {
// AMX-NOT:       ldtilecfg
// AMX:           arith.minui %{{.+}}, %c54
// AMX-COUNT-4:   llvm.call_intrinsic "llvm.x86.tdpbusd"
// AMX-NOT:       tdpbusd
// AMX-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// AMX:         llvm.call_intrinsic "llvm.x86.ldtilecfg"
// AMX-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbusd"
// AMX-NOT:     tdpbusd
// AMX:         llvm.call_intrinsic "llvm.x86.tilerelease"
// AMX:         vector.store %[[REST]], %[[BUFFER]][%c65536]

// NONE-LABEL: func.func @matmul(
// NONE-NOT:   tdp
// NONE-NOT:   mmla
// NONE:       return
func.func @matmul(%a: memref<36x70xi32>, %b: memref<70x52xi32>, %c: memref<36x52xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<36x70xi32>, memref<70x52xi32>) outs(%c : memref<36x52xi32>)
      attrs = {quant_float.packed_operands = [ui8, si8]} {
  ^bb0(%x: i32, %w: i32, %sum: i32):
    %0 = arith.muli %x, %w : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// The rows are signed bytes, and those of the panel are unsigned. Arm's instruction expects the
// opposite, so the operands are swapped, and the result is transposed. K is smaller than that of a
// tile on x86.

// I8MM-LABEL: func.func @swapped_operands(
// I8MM:         %[[SUMS:.+]]:16 = scf.for
// I8MM:           %[[ROWS:.+]] = vector.bitcast %{{.+}} : vector<4xi32> to vector<16xi8>
// I8MM:           %[[LANES:.+]] = vector.bitcast
// I8MM:           llvm.call_intrinsic "llvm.aarch64.neon.usmmla"(%{{.+}}, %{{.+}}, %[[ROWS]])
// I8MM:         vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [0, 2, 4, 6]

// AMX-LABEL: func.func @swapped_operands(
// AMX:         arith.constant dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 16, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0]>
// AMX:         memref.view {{.+}} to memref<7x16xi32>
// AMX:         llvm.call_intrinsic "llvm.x86.tdpbsud"
func.func @swapped_operands(%a: memref<16x7xi32>, %b: memref<7x16xi32>, %c: memref<16x16xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x7xi32>, memref<7x16xi32>) outs(%c : memref<16x16xi32>)
      attrs = {quant_float.packed_operands = [si8, ui8]} {
  ^bb0(%x: i32, %w: i32, %sum: i32):
    %0 = arith.muli %x, %w : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// The K extent is too large for the configuration's integers. Other attribute values are not taken
// for packed operands.

// AMX-LABEL: func.func @many_steps(
// AMX:         llvm.call_intrinsic "llvm.x86.tdpbusd"
// AMX:         return
func.func @many_steps(%a: memref<16x1152921504606846976x16xi32>, %b: memref<1152921504606846976x16x16xi32>, %c: memref<16x16xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>,
                       affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<16x1152921504606846976x16xi32>, memref<1152921504606846976x16x16xi32>) outs(%c : memref<16x16xi32>)
      attrs = {quant_float.packed_operands = [ui8, si8]} {
  ^bb0(%x: i32, %w: i32, %sum: i32):
    %0 = arith.muli %x, %w : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// AMX-LABEL: func.func @other_widths(
// AMX-NOT:     call_intrinsic
// AMX:         return
func.func @other_widths(%a: memref<16x4x16xi32>, %b: memref<4x16x16xi32>, %c: memref<16x16xi32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, l, n)>,
                       affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<16x4x16xi32>, memref<4x16x16xi32>) outs(%c : memref<16x16xi32>)
      attrs = {quant_float.packed_operands = [ui8, si16]} {
  ^bb0(%x: i32, %w: i32, %sum: i32):
    %0 = arith.muli %x, %w : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}
