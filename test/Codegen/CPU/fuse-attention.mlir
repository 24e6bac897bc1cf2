// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(linalg-generalize-named-ops,quant-float-fuse-attention))" | FileCheck %s
// RUN: quant-float-opt %s --quant-float-lower-to-cpu=cpu=x86-64-v3 --mlir-print-ir-after=quant-float-convert-asserts-to-status -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS

// Rows of scores are computed on demand. No buffer holds the entire matrix of scores.

// BUFFERS:     func.func @heads
// BUFFERS:       memref.alloc{{.*}} memref<1x?x1024xf32>
// BUFFERS-NOT:   alloc{{.*}} memref<4x1000x1024xf32>
// BUFFERS:     func.func @other_reader

#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
#only = affine_map<(h, q) -> (h, q)>

// The keys are scaled once before the loops, the queries row by row.

// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[Q:.+]]: tensor<4x1000x32xf32>, %[[K:.+]]: tensor<4x1024x32xf32>, %[[V:.+]]: tensor<4x1024x64xf32>,
// CHECK:         %[[KEYS:.+]] = linalg.generic {{.*}} ins(%[[K]]
// CHECK-NOT:     linalg.generic
// CHECK:         scf.for %[[H:.+]] = %{{.+}} to %c4 step %c1
// CHECK:           scf.for %[[I:.+]] = %{{.+}} to %c1000 step %c32
// CHECK:             %[[ROWS:.+]] = affine.min
// CHECK:             tensor.extract_slice %[[Q]][%[[H]], %[[I]], 0] [1, %[[ROWS]], 32]
// CHECK:             linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x?x32xf32>, tensor<1x1024x32xf32>)
// CHECK-COUNT-1:     arith.maximumf
// CHECK-COUNT-1:     math.exp
// CHECK-COUNT-1:     arith.divf
// CHECK:             tensor.extract_slice %[[V]][%[[H]], 0, 0] [1, 1024, 64]
// CHECK:             linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<1x?x1024xf32>, tensor<1x1024x64xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @heads(%q: tensor<4x1000x32xf32>, %k: tensor<4x1024x32xf32>, %v: tensor<4x1024x64xf32>,
                 %init: tensor<4x1000x64xf32>) -> tensor<4x1000x64xf32> {
  %c = arith.constant 0.25 : f32
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %ek = tensor.empty() : tensor<4x1024x32xf32>
  %keys = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<4x1024x32xf32>) outs(%ek : tensor<4x1024x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.mulf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<4x1024x32xf32>
  %es = tensor.empty() : tensor<4x1000x1024xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<4x1000x1024xf32>) -> tensor<4x1000x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>,
                                        affine_map<(h, q, k, d) -> (h, q, k)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %keys : tensor<4x1000x32xf32>, tensor<4x1024x32xf32>) outs(%s0 : tensor<4x1000x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x1000x1024xf32>
  %er = tensor.empty() : tensor<4x1000xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%er : tensor<4x1000xf32>) -> tensor<4x1000xf32>
  %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<4x1000x1024xf32>) outs(%m0 : tensor<4x1000xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %out, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x1000xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<4x1000x1024xf32>, tensor<4x1000xf32>) outs(%es : tensor<4x1000x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x1000x1024xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%er : tensor<4x1000xf32>) -> tensor<4x1000xf32>
  %t = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<4x1000x1024xf32>) outs(%t0 : tensor<4x1000xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x1000xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %t : tensor<4x1000x1024xf32>, tensor<4x1000xf32>) outs(%es : tensor<4x1000x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x1000x1024xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x1000x1024xf32>, tensor<4x1024x64xf32>)
      outs(%init : tensor<4x1000x64xf32>) -> tensor<4x1000x64xf32>
  return %y : tensor<4x1000x64xf32>
}

// A caller that receives the scores needs all of them.

// CHECK-LABEL: func.func @other_reader(
// CHECK-NOT:     scf.for
func.func @other_reader(%q: tensor<?x32xf32>, %k: tensor<32x?xf32>, %v: tensor<?x64xf32>, %scores: tensor<?x?xf32>,
                        %init: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x?xf32>) {
  %s = linalg.matmul ins(%q, %k : tensor<?x32xf32>, tensor<32x?xf32>) outs(%scores : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%s, %v : tensor<?x?xf32>, tensor<?x64xf32>) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y, %s : tensor<?x64xf32>, tensor<?x?xf32>
}

// The number of rows is unknown.

// CHECK-LABEL: func.func @any_length(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c64
// CHECK-COUNT-2:   linalg.generic
func.func @any_length(%q: tensor<?x32xf32>, %k: tensor<32x?xf32>, %v: tensor<?x64xf32>, %scores: tensor<?x?xf32>,
                      %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = linalg.matmul ins(%q, %k : tensor<?x32xf32>, tensor<32x?xf32>) outs(%scores : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%s, %v : tensor<?x?xf32>, tensor<?x64xf32>) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// The scores of one token, or few scores, need no fusion.

// CHECK-LABEL: func.func @few(
// CHECK-NOT:     scf.for
func.func @few(%q: tensor<8x32xf32>, %k: tensor<32x4096xf32>, %v: tensor<4096x64xf32>, %scores: tensor<8x4096xf32>,
               %init: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %s = linalg.matmul ins(%q, %k : tensor<8x32xf32>, tensor<32x4096xf32>) outs(%scores : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %y = linalg.matmul ins(%s, %v : tensor<8x4096xf32>, tensor<4096x64xf32>) outs(%init : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// Contractions of later layers are considered as well, equal ones among them.

// CHECK-LABEL: func.func @layers(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c64
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c64
// CHECK:           scf.yield
// CHECK:         %[[EQUAL:.+]] = linalg.generic
// CHECK:         return %{{.+}}, %[[EQUAL]], %[[EQUAL]]
func.func @layers(%q: tensor<?x32xf32>, %k: tensor<32x?xf32>, %v: tensor<?x32xf32>, %scores: tensor<?x?xf32>,
                  %init: tensor<?x32xf32>) -> (tensor<?x32xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %s = linalg.matmul ins(%q, %k : tensor<?x32xf32>, tensor<32x?xf32>) outs(%scores : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%s, %v : tensor<?x?xf32>, tensor<?x32xf32>) outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  %t = linalg.matmul ins(%y, %k : tensor<?x32xf32>, tensor<32x?xf32>) outs(%scores : tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = linalg.matmul ins(%t, %v : tensor<?x?xf32>, tensor<?x32xf32>) outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  %a = linalg.matmul ins(%z, %k : tensor<?x32xf32>, tensor<32x?xf32>) outs(%scores : tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = linalg.matmul ins(%z, %k : tensor<?x32xf32>, tensor<32x?xf32>) outs(%scores : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z, %a, %b : tensor<?x32xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// Two matmuls in a row, as in feed-forward blocks, have large weights and few rows for each: a loop
// over rows would read the weights again and again. The same holds for a dynamic number of rows if
// the matrices are constants.

// CHECK-LABEL: func.func @feed_forward(
// CHECK-NOT:     scf.for
func.func @feed_forward(%x: tensor<49x512xf32>, %v1: tensor<512x2048xf32>, %v2: tensor<2048x512xf32>, %h: tensor<49x2048xf32>,
                        %init: tensor<49x512xf32>) -> tensor<49x512xf32> {
  %s = linalg.matmul ins(%x, %v1 : tensor<49x512xf32>, tensor<512x2048xf32>) outs(%h : tensor<49x2048xf32>) -> tensor<49x2048xf32>
  %y = linalg.matmul ins(%s, %v2 : tensor<49x2048xf32>, tensor<2048x512xf32>) outs(%init : tensor<49x512xf32>) -> tensor<49x512xf32>
  return %y : tensor<49x512xf32>
}

// CHECK-LABEL: func.func @feed_forward_any_rows(
// CHECK-NOT:     scf.for
func.func @feed_forward_any_rows(%x: tensor<?x512xf32>, %h: tensor<?x2048xf32>, %init: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %v1 = arith.constant dense_resource<v1> : tensor<512x2048xf32>
  %v2 = arith.constant dense_resource<v2> : tensor<2048x512xf32>
  %s = linalg.matmul ins(%x, %v1 : tensor<?x512xf32>, tensor<512x2048xf32>) outs(%h : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %y = linalg.matmul ins(%s, %v2 : tensor<?x2048xf32>, tensor<2048x512xf32>) outs(%init : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

// Neither row-wise scales of the sums nor a maximum over a dynamic number of them are the values of
// attention: many rows are computed at a time, and each part of the input is read once.

// CHECK-LABEL: func.func @largest_of_scaled(
// CHECK-SAME:    %[[X:.+]]: tensor<?x128x?xf32>, %[[W:.+]]: tensor<1024x128xf32>, %[[SCALE:.+]]: tensor<1024xf32>,
// CHECK:         scf.for %[[N:.+]] = %{{.+}} to %{{.+}} step %c1
// CHECK:           scf.for %[[F:.+]] = %{{.+}} to %c1024 step %c64
// CHECK:             tensor.extract_slice %[[W]][%[[F]], 0] [64, 128]
// CHECK:             arith.addf
// CHECK:             tensor.extract_slice %[[SCALE]][%[[F]]] [64]
// CHECK:             arith.maximumf
func.func @largest_of_scaled(%x: tensor<?x128x?xf32>, %w: tensor<1024x128xf32>, %scale: tensor<1024xf32>,
                             %sums: tensor<?x1024x?xf32>, %init: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(n, f, p, c) -> (n, c, p)>, affine_map<(n, f, p, c) -> (f, c)>,
                                        affine_map<(n, f, p, c) -> (n, f, p)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x128x?xf32>, tensor<1024x128xf32>) outs(%sums : tensor<?x1024x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x1024x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, f, p) -> (n, f, p)>, affine_map<(n, f, p) -> (f)>,
                                        affine_map<(n, f, p) -> (n, f)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %scale : tensor<?x1024x?xf32>, tensor<1024xf32>) outs(%init : tensor<?x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %most: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.maximumf %most, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}
