// RUN: quant-float-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(quant-float-set-target{triple=x86_64-linux-gnu cpu=x86-64-v3},func.func(quant-float-lower-weight-contractions))" | FileCheck %s

// test/EntryPoint/low_bit_weight_matmuls.py executes these.

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d1, d2)>
#column = affine_map<(d0, d1, d2) -> (d2, d1)>
#channel = affine_map<(d0, d1, d2) -> (d1)>
#block = affine_map<(d0, d1, d2) -> (d1, d2 floordiv 32)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Two rows at once, and each chunk in two vectors of eight 32-bit integers. The
// activations are rearranged. Their sums replace the subtraction of 8 from each
// weight.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.+]]: memref<1x256xf32>, %[[W:.+]]: memref<64x256xi4>, %[[S:.+]]: memref<64x8xf32>
// CHECK-DAG:     %[[PACKED:.+]] = memref.alloc() {{.*}} : memref<1x2x8x16xf32>
// CHECK-DAG:     %[[SUMS:.+]] = memref.alloc() {{.*}} : memref<1x2x16xf32>
// CHECK:         scf.for %[[N:.+]] =
// CHECK:           scf.for %[[CHUNK:.+]] = {{.*}} iter_args(
// CHECK-COUNT-2:     memref.prefetch %[[W]]
// CHECK:             %[[QUANTIZED:.+]] = vector.load %[[W]]{{.*}} vector<64xi4>
// CHECK:             vector.bitcast
// CHECK:             %[[FLIP:.+]] = arith.constant dense<-2004318072> : vector<8xi32>
// CHECK:             arith.xori {{.*}}, %[[FLIP]] : vector<8xi32>
// CHECK:             arith.andi {{.*}} : vector<8xi32>
// CHECK:             arith.sitofp {{.*}} : vector<8xi32> to vector<8xf32>
// CHECK:             vector.load %[[SUMS]]
// CHECK:             vector.load %[[PACKED]]
// CHECK:             vector.load %[[S]]{{.*}} vector<2xf32>
// CHECK:             vector.shuffle {{.*}}[0, 0, 0, 0, 1, 1, 1, 1]
// CHECK:         memref.dealloc %[[PACKED]]
// CHECK-NOT:     linalg.generic
func.func @rows(%x: memref<1x256xf32>, %w: memref<64x256xi4>, %s: memref<64x8xf32>, %y: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#x, #row, #block, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : memref<1x256xf32>, memref<64x256xi4>, memref<64x8xf32>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive>} {
  ^bb0(%a: f32, %q: i4, %scale: f32, %sum: f32):
    %0 = arith.extui %q : i4 to i8
    %1 = quant_float.storage_cast %0 : i8 to i4
    %2 = quant_float.cast %1 opset 28 : i4 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = arith.mulf %a, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    linalg.yield %5 : f32
  }
  return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d1, d2 floordiv 32)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Activations quantized to bytes, in the order of the nibbles of the weights,
// with a scale and an accumulator initialization for each lane.
// CHECK-LABEL: func.func @integers(
// CHECK-SAME:    %[[X:.+]]: memref<1x256xf32>, %[[W:.+]]: memref<64x256xi4>, %[[S:.+]]: memref<64x8xf32>
// CHECK-DAG:     %[[PACKED:.+]] = memref.alloc() {{.*}} : memref<1x2x2x64xi8>
// CHECK-DAG:     %[[SCALES:.+]] = memref.alloc() {{.*}} : memref<1x2x16xf32>
// CHECK-DAG:     %[[SUMS:.+]] = memref.alloc() {{.*}} : memref<1x2x16xi32>
// CHECK:         vector.reduction <maxui>
// CHECK:         vector.store {{.*}}, %[[SUMS]]
// CHECK:         vector.store {{.*}}, %[[SCALES]]
// CHECK-COUNT-2: vector.store {{.*}}, %[[PACKED]]
// CHECK:         vector.load %[[W]]{{.*}} vector<64xi4>
// CHECK:         %[[ONE:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK:         %[[OTHER:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK:         arith.addi %[[ONE]], %[[OTHER]] : vector<16xi16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK:         arith.sitofp {{.*}} : vector<8xi32> to vector<8xf32>
// CHECK:         vector.load %[[S]]{{.*}} vector<2xf32>
// CHECK-NOT:     linalg.generic
func.func @integers(%x: memref<1x256xf32>, %w: memref<64x256xi4>, %s: memref<64x8xf32>, %y: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#x, #row, #block, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : memref<1x256xf32>, memref<64x256xi4>, memref<64x8xf32>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive, x_bits = 8>} {
  ^bb0(%a: f32, %q: i4, %scale: f32, %sum: f32):
    %0 = arith.extui %q : i4 to i8
    %1 = quant_float.storage_cast %0 : i8 to i4
    %2 = quant_float.cast %1 opset 28 : i4 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = arith.mulf %a, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    linalg.yield %5 : f32
  }
  return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d1, d2)>
#block = affine_map<(d0, d1, d2) -> (d1, d2 floordiv 32)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// A dynamic number of rows, in tiles of three rows by two registers. The panel has the weights of
// 16 channels. Rows that fill the last tile are not stored.
// CHECK-LABEL: func.func @many_integers(
// CHECK-SAME:    %[[X:.+]]: memref<?x256xf32>, %[[W:.+]]: memref<64x256xi4>, %[[S:.+]]: memref<64x8xf32>, %[[Y:.+]]: memref<?x64xf32>
// CHECK:         %[[PACKED:.+]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x8x2x16xi8>
// CHECK:         %[[SCALES:.+]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x8x1xf32>
// CHECK:         %[[PANEL:.+]] = memref.alloc() {alignment = 64 : i64} : memref<1x8x2x4x2x32xi8>
// CHECK-NOT:     memref.alloc() {{.*}}xi8>
// CHECK:         scf.for
// CHECK:           vector.load %[[W]]
// CHECK:           vector.store %{{.+}}, %[[PANEL]]
// CHECK:           memref.load %[[S]]
// CHECK:           %[[ACC:.+]]:6 = scf.for {{.*}} iter_args(
// CHECK:             memref.prefetch %[[W]]
// CHECK:             vector.load %[[PANEL]]{{.*}} vector<32xi8>
// CHECK:             vector.load %[[PACKED]]{{.*}} vector<4xi8>
// CHECK:             llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK:             math.fma
// CHECK:           scf.if
// CHECK:             arith.addf %{{.+}}, %[[ACC]]#0
// CHECK:             vector.store %{{.+}}, %[[Y]]
func.func @many_integers(%x: memref<?x256xf32>, %w: memref<64x256xi4>, %s: memref<64x8xf32>, %y: memref<?x64xf32>) {
  linalg.generic {indexing_maps = [#x, #row, #block, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : memref<?x256xf32>, memref<64x256xi4>, memref<64x8xf32>) outs(%y : memref<?x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 1, terms = 32, consecutive, x_bits = 8>} {
  ^bb0(%a: f32, %q: i4, %scale: f32, %sum: f32):
    %0 = arith.extui %q : i4 to i8
    %1 = quant_float.storage_cast %0 : i8 to i4
    %2 = quant_float.cast %1 opset 28 : i4 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = arith.mulf %a, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    linalg.yield %5 : f32
  }
  return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#column = affine_map<(d0, d1, d2) -> (d2, d1)>
#channel = affine_map<(d0, d1, d2) -> (d1)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// Eight accumulator vectors for 32 elements of K. The result is loaded and
// stored once for these.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.+]]: memref<1x256xf32>, %[[W:.+]]: memref<256x64xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK:           %[[SUM:.+]]:8 = scf.for {{.*}} iter_args(
// CHECK:             vector.load %[[W]]{{.*}} vector<8xi8>
// CHECK:             memref.load %[[X]]
// CHECK:           arith.mulf {{.*}}, %[[SUM]]#0
func.func @columns(%x: memref<1x256xf32>, %w: memref<256x64xi8>, %s: memref<64xf32>, %y: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#x, #column, #channel, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %s : memref<1x256xf32>, memref<256x64xi8>, memref<64xf32>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 1, terms = 32, consecutive>} {
  ^bb0(%a: f32, %q: i8, %scale: f32, %sum: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#sum = affine_map<(d0) -> ()>

func.func @no_multiplication(%x: memref<256xf32>, %y: memref<f32>) {
  // expected-error @+1 {{'linalg.generic' op has no lowering that preserves its accumulation order}}
  linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["reduction"]}
      ins(%x : memref<256xf32>) outs(%y : memref<f32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive>} {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#column = affine_map<(d0, d1, d2) -> (d2, d1)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>

// The accumulation order differs from that of the loops.
func.func @other_order(%x: memref<1x256xf32>, %w: memref<256x64xi8>, %y: memref<1x64xf32>) {
  // expected-error @+1 {{'linalg.generic' op has no lowering that preserves its accumulation order}}
  linalg.generic {indexing_maps = [#x, #column, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x256xf32>, memref<256x64xi8>) outs(%y : memref<1x64xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive>} {
  ^bb0(%a: f32, %q: i8, %sum: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  }
  return
}
