// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,quant-float-tile-contractions))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,quant-float-tile-contractions{parallel}))" | FileCheck %s --check-prefix=PARALLEL
// RUN: quant-float-opt %s --quant-float-lower-to-cpu=cpu=x86-64-v3 --mlir-print-ir-after=quant-float-convert-asserts-to-status -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS

// The weights are decoded panel by panel inside the loops. No buffer holds an f32 copy of all of
// them.

// BUFFERS-NOT: memref<256x200xf32
// BUFFERS-NOT: alloc{{.*}} memref<200x256xf32
// BUFFERS-NOT: memref<64x32x3x3xf32

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>
#block = affine_map<(d0, d1) -> (d0 floordiv 96, d1)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d0)>

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[X:.+]]: tensor<?x256xf32>, %[[W:.+]]: tensor<256x200xi8>, %[[S:.+]]: tensor<200xf32>
// CHECK:         scf.for %[[N:.+]] = %{{.+}} to %{{.+}} step %c40 iter_args(
// CHECK:           %[[QUANTIZED:.+]] = tensor.extract_slice %[[W]][0, %[[N]]] [256, 40]
// CHECK:           %[[EMPTY:.+]] = tensor.empty() : tensor<256x40xf32>
// CHECK:           %[[PANEL:.+]] = linalg.generic {{.*}} ins(%[[QUANTIZED]], {{.*}} outs(%[[EMPTY]]
// CHECK:           linalg.generic {{.*}}"reduction"]} ins(%{{.+}}, %[[PANEL]] : tensor<?x256xf32>, tensor<256x40xf32>)
func.func @matmul(%x: tensor<?x256xf32>, %w: tensor<256x200xi8>, %s: tensor<200xf32>,
                  %init: tensor<?x200xf32>) -> tensor<?x200xf32> {
  %e = tensor.empty() : tensor<256x200xf32>
  %d = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x200xi8>, tensor<200xf32>) outs(%e : tensor<256x200xf32>) {
  ^bb0(%quantized: i8, %scale: f32, %out: f32):
    %0 = arith.sitofp %quantized : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<256x200xf32>
  %y = linalg.matmul ins(%x, %d : tensor<?x256xf32>, tensor<256x200xf32>)
      outs(%init : tensor<?x200xf32>) -> tensor<?x200xf32>
  return %y : tensor<?x200xf32>
}

// Transposed weights are transposed while they are decoded.

// CHECK-LABEL: func.func @transposed(
// CHECK:         scf.for
// CHECK:           %[[PANEL:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<40x256xi8>, tensor<40xf32>) outs(%{{.+}} : tensor<256x40xf32>)
// CHECK:           linalg.generic {{.*}} ins(%{{.+}}, %[[PANEL]] : tensor<8x256xf32>, tensor<256x40xf32>)
func.func @transposed(%x: tensor<8x256xf32>, %w: tensor<200x256xi8>, %s: tensor<200xf32>,
                      %init: tensor<8x200xf32>) -> tensor<8x200xf32> {
  %e = tensor.empty() : tensor<200x256xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<200x256xi8>, tensor<200xf32>) outs(%e : tensor<200x256xf32>) {
  ^bb0(%quantized: i8, %scale: f32, %out: f32):
    %0 = arith.sitofp %quantized : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<200x256xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<8x256xf32>, tensor<200x256xf32>) outs(%init : tensor<8x200xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x200xf32>
  return %y : tensor<8x200xf32>
}

// Output channels and input channels of a convolution.

// CHECK-LABEL: func.func @conv(
// CHECK:         scf.for
// CHECK-NOT:     tensor<64x32x3x3xf32>
// CHECK:           linalg.generic {{.*}} ins(%{{.+}} : tensor<{{[0-9]+}}x{{[0-9]+}}x3x3xi8>, tensor<{{[0-9]+}}xf32>)
func.func @conv(%x: tensor<1x32x16x16xf32>, %w: tensor<64x32x3x3xi8>, %s: tensor<64xf32>,
                %init: tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32> {
  %e = tensor.empty() : tensor<64x32x3x3xf32>
  %d = linalg.generic {indexing_maps = [#id4, #channel, #id4],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<64x32x3x3xi8>, tensor<64xf32>) outs(%e : tensor<64x32x3x3xf32>) {
  ^bb0(%quantized: i8, %scale: f32, %out: f32):
    %0 = arith.sitofp %quantized : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<64x32x3x3xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %d : tensor<1x32x16x16xf32>, tensor<64x32x3x3xf32>)
      outs(%init : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  return %y : tensor<1x64x14x14xf32>
}

// Small weights are tiled as well, and tiles consist of whole blocks: 192 rows in blocks of 96.

// CHECK-LABEL: func.func @blocked(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c96
func.func @blocked(%x: tensor<2x192xf32>, %w: tensor<192x16xi8>, %s: tensor<2x16xf32>,
                   %init: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %e = tensor.empty() : tensor<192x16xf32>
  %d = linalg.generic {indexing_maps = [#id, #block, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<192x16xi8>, tensor<2x16xf32>) outs(%e : tensor<192x16xf32>) {
  ^bb0(%quantized: i8, %scale: f32, %out: f32):
    %0 = arith.sitofp %quantized : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<192x16xf32>
  %y = linalg.matmul ins(%x, %d : tensor<2x192xf32>, tensor<192x16xf32>)
      outs(%init : tensor<2x16xf32>) -> tensor<2x16xf32>
  return %y : tensor<2x16xf32>
}

// Float weights are only transposed, and only if there are many rows.

// CHECK-LABEL: func.func @plain(
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} ins(%{{.+}} : tensor<40x256xf32>) outs(%{{.+}} : tensor<256x40xf32>)
// CHECK:           linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<64x256xf32>, tensor<256x40xf32>)
func.func @plain(%x: tensor<64x256xf32>, %w: tensor<200x256xf32>, %init: tensor<64x200xf32>) -> tensor<64x200xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x256xf32>, tensor<200x256xf32>) outs(%init : tensor<64x200xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x200xf32>
  return %y : tensor<64x200xf32>
}

// A constant without other users is transposed at compile time.
// CHECK-LABEL: func.func @constant(
// CHECK: %[[W:.*]] = arith.constant {{.*}} : tensor<256x200xf32>
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] :
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @constant(%x: tensor<64x256xf32>, %init: tensor<64x200xf32>) -> tensor<64x200xf32> {
  %w = arith.constant dense<1.0> : tensor<200x256xf32>
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x256xf32>, tensor<200x256xf32>) outs(%init : tensor<64x200xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64x200xf32>
  return %0 : tensor<64x200xf32>
}

// An operand that the network computes is not a weight: each panel would compute it again.

// CHECK-LABEL: func.func @activations(
// CHECK-NOT:     scf.for
func.func @activations(%x: tensor<8x16xf32>, %y: tensor<16x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %0 = linalg.matmul ins(%y, %init : tensor<16x8xf32>, tensor<8x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = linalg.map { math.exp } ins(%0 : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>)
  %2 = linalg.matmul ins(%x, %1 : tensor<8x16xf32>, tensor<16x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// There is nothing to tile without elements.

// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     scf.for
func.func @nothing(%x: tensor<4x8xf32>, %w: tensor<8x0xf32>, %init: tensor<4x0xf32>,
                   %a: tensor<40x0xf32>, %b: tensor<8x0xf32>, %sum: tensor<40x8xf32>)
    -> (tensor<4x0xf32>, tensor<40x8xf32>) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x0xf32>) outs(%init : tensor<4x0xf32>) -> tensor<4x0xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x0xf32>, tensor<8x0xf32>) outs(%sum : tensor<40x8xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %2 = arith.mulf %l, %r : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<40x8xf32>
  return %0, %1 : tensor<4x0xf32>, tensor<40x8xf32>
}

// Quantized values of a cache that grows by a row in every call: heads are handled one by one, keys
// panel by panel. Queries are not weights, even if they are quantized.

// CHECK-LABEL: func.func @cache(
// CHECK:         %[[Q:.+]] = linalg.generic
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1
// CHECK:           scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c64
// CHECK:             tensor.extract_slice %[[Q]]
// CHECK:             linalg.generic {{.*}} ins(%{{.+}} : tensor<1x64x32xi8>) outs(%{{.+}} : tensor<1x32x64xf32>)
// BUFFERS-LABEL: func.func @cache.kernel(
// BUFFERS-NOT:     memref<4x{{32x[?]|[?]x32}}xf32
// BUFFERS:         memref<1x32x64xf32>
func.func @cache(%q: tensor<4x1x32xf32>, %past: tensor<4x?x32xi8>, %new: tensor<4x1x32xi8>,
                 %init: tensor<4x1x?xf32>) -> tensor<4x1x?xf32> {
  %c = arith.constant 0.25 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %past, %c1 : tensor<4x?x32xi8>
  %eq = tensor.empty() : tensor<4x1x32xf32>
  %scaled = linalg.generic {
      indexing_maps = [affine_map<(h, m, k) -> (h, m, k)>, affine_map<(h, m, k) -> (h, m, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<4x1x32xf32>) outs(%eq : tensor<4x1x32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.mulf %i, %c : f32
    linalg.yield %p : f32
  } -> tensor<4x1x32xf32>
  %all = arith.addi %n, %c1 : index
  %e = tensor.empty(%all) : tensor<4x?x32xi8>
  %0 = tensor.insert_slice %past into %e[0, 0, 0] [4, %n, 32] [1, 1, 1] : tensor<4x?x32xi8> into tensor<4x?x32xi8>
  %1 = tensor.insert_slice %new into %0[0, %n, 0] [4, 1, 32] [1, 1, 1] : tensor<4x1x32xi8> into tensor<4x?x32xi8>
  %ek = tensor.empty(%all) : tensor<4x?x32xf32>
  %keys = linalg.generic {
      indexing_maps = [affine_map<(h, n, k) -> (h, n, k)>, affine_map<(h, n, k) -> (h, n, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1 : tensor<4x?x32xi8>) outs(%ek : tensor<4x?x32xf32>) {
  ^bb0(%i: i8, %o: f32):
    %f = arith.sitofp %i : i8 to f32
    linalg.yield %f : f32
  } -> tensor<4x?x32xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(h, m, n, k) -> (h, m, k)>, affine_map<(h, m, n, k) -> (h, n, k)>,
                       affine_map<(h, m, n, k) -> (h, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%scaled, %keys : tensor<4x1x32xf32>, tensor<4x?x32xf32>) outs(%init : tensor<4x1x?xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %2 = arith.mulf %l, %r : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x1x?xf32>
  return %y : tensor<4x1x?xf32>
}

// Reductions with a specified accumulation order are not tiled, even if their operands have to be
// computed.

// CHECK-LABEL: func.func @ordered
// CHECK-NOT: scf.for
// CHECK: quant_float.reduction_schedule
func.func @ordered(%x: tensor<1x128xf16>, %w: tensor<8x128xi8>, %init: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<1x128xf32>
  %wide = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x128xf16>) outs(%e : tensor<1x128xf32>) {
  ^bb0(%i: f16, %o: f32):
    %f = arith.extf %i : f16 to f32
    linalg.yield %f : f32
  } -> tensor<1x128xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wide, %w : tensor<1x128xf32>, tensor<8x128xi8>) outs(%init : tensor<1x8xf32>)
      attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8>} {
  ^bb0(%l: f32, %c: i8, %s: f32):
    %f = arith.sitofp %c : i8 to f32
    %p = arith.mulf %l, %f : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<1x8xf32>
  return %y : tensor<1x8xf32>
}

// The columns of a window with a stride of three are de-interleaved, and the index restarts after
// each third. So a tile does not have the indices of the whole.

// CHECK-LABEL: func.func @deinterleaved
// CHECK:         scf.for %[[N:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(
// CHECK:           tensor.extract_slice %{{.+}}[%[[N]], 0] [{{[0-9]+}}, 4]
// CHECK-NOT:       mod
// CHECK:           linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<3x15xf32>, tensor<{{[0-9]+}}x4xf32>)
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @deinterleaved(%x: tensor<3x15xf32>, %w: tensor<12x4xf16>, %init: tensor<12x10xf32>) -> tensor<12x10xf32> {
  %e = tensor.empty() : tensor<12x4xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<12x4xf16>) outs(%e : tensor<12x4xf32>) {
  ^bb0(%i: f16, %o: f32):
    %f = arith.extf %i : f16 to f32
    linalg.yield %f : f32
  } -> tensor<12x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, m, k) -> ((k * 2) mod 3, m + (k * 2) floordiv 3)>, affine_map<(n, m, k) -> (n, k)>,
                       affine_map<(n, m, k) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %wide : tensor<3x15xf32>, tensor<12x4xf32>) outs(%init : tensor<12x10xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<12x10xf32>
  return %y : tensor<12x10xf32>
}

// Floats are accumulated in the order of the reduction loops, so an inner one is not tiled. The channels are.

// CHECK-LABEL: func.func @inner_reduction(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c4 iter_args(
// CHECK-NOT:       scf.for
// CHECK:           linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<4x2x32xf32>, tensor<2x32x4xf32>)
// CHECK:         return
func.func @inner_reduction(%x: tensor<4x2x32xf32>, %w: tensor<8x2x32xf16>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<8x2x32xf32>
  %wide = linalg.generic {
      indexing_maps = [affine_map<(n, r, k) -> (n, r, k)>, affine_map<(n, r, k) -> (n, r, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<8x2x32xf16>) outs(%e : tensor<8x2x32xf32>) {
  ^bb0(%i: f16, %o: f32):
    %f = arith.extf %i : f16 to f32
    linalg.yield %f : f32
  } -> tensor<8x2x32xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, r, k) -> (m, r, k)>, affine_map<(m, n, r, k) -> (n, r, k)>,
                       affine_map<(m, n, r, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %wide : tensor<4x2x32xf32>, tensor<8x2x32xf32>) outs(%init : tensor<4x8xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Packed weights with scales of blocks are decoded in the order of memory, and
// then transposed. With threads, the channels are distributed.

// CHECK-LABEL: func.func @transposed_blocks(
// CHECK-SAME:    %[[X:.+]]: tensor<?x1024xf32>, %[[W:.+]]: tensor<512x1024xi4>, %[[S:.+]]: tensor<512x32xf32>
// CHECK:         scf.for %[[N:.+]] = %{{.+}} to %{{.+}} step %c64
// CHECK:           scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %c256
// CHECK:             %[[DECODED:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<64x256xi4>, tensor<64x8xf32>) outs(%{{.+}} : tensor<64x256xf32>)
// CHECK:             %[[PANEL:.+]] = linalg.generic {{.*}} ins(%[[DECODED]] : tensor<64x256xf32>) outs(%{{.+}} : tensor<256x64xf32>)
// CHECK:             linalg.generic {{.*}} ins(%{{.+}}, %[[PANEL]] : tensor<?x256xf32>, tensor<256x64xf32>)
// PARALLEL-LABEL: func.func @transposed_blocks(
// PARALLEL:         scf.forall (%[[N:.+]]) = (0) to (512) step (64) shared_outs(
// PARALLEL:           scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c256
// PARALLEL:             linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<64x256xi4>, tensor<64x8xf32>) outs(%{{.+}} : tensor<64x256xf32>)
// PARALLEL:             linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<?x256xf32>, tensor<256x64xf32>)
// PARALLEL:           scf.forall.in_parallel
func.func @transposed_blocks(%x: tensor<?x1024xf32>, %w: tensor<512x1024xi4>, %s: tensor<512x32xf32>,
                             %init: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %e = tensor.empty() : tensor<512x1024xf32>
  %d = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, d1 floordiv 32)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<512x1024xi4>, tensor<512x32xf32>) outs(%e : tensor<512x1024xf32>) {
  ^bb0(%quantized: i4, %scale: f32, %out: f32):
    %0 = arith.sitofp %quantized : i4 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<512x1024xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<?x1024xf32>, tensor<512x1024xf32>) outs(%init : tensor<?x512xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
