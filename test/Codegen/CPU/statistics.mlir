// LLVM counts only if it is built with assertions; otherwise the report is empty.
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-plan-buffers,quant-float-vectorize-reductions,quant-float-tile-and-vectorize),quant-float-outline-duplicate-casts)" --mlir-pass-statistics --mlir-pass-statistics-display=pipeline -o /dev/null 2>&1 | FileCheck %s %if asserts %{ --check-prefixes=CHECK,COUNT %}

// CHECK: Pass statistics report
// COUNT: QuantFloatPlanBuffersPass
// COUNT-NEXT: (S) 2 num-merged - Number of allocations replaced by views of a merged one
// COUNT: QuantFloatVectorizeReductionsPass
// COUNT-NEXT: (S) 1 num-scalar     - Number of reductions lowered to scalar loops
// COUNT-NEXT: (S) 1 num-vectorized - Number of reductions lowered to vector loops
// COUNT: QuantFloatTileAndVectorizePass
// COUNT-NEXT: (S) 0 num-distributed - Number of elementwise ops distributed among threads
// COUNT-NEXT: (S) 1 num-vectorized  - Number of tiles vectorized
// COUNT: QuantFloatOutlineDuplicateCastsPass
// COUNT-NEXT: (S) 1 num-functions - Number of functions created
// COUNT-NEXT: (S) 2 num-outlined  - Number of casts replaced by calls

#row = affine_map<(m, k) -> (m)>
#columns = affine_map<(m, k) -> (k, m)>
#one = affine_map<(k) -> ()>
#id = affine_map<(i) -> (i)>

func.func @buffers() {
  %0 = memref.alloc() : memref<65536xf32>
  %1 = memref.alloc() : memref<65536xf32>
  memref.dealloc %0 : memref<65536xf32>
  memref.dealloc %1 : memref<65536xf32>
  return
}

// Vectors run along the columns of the first reduction. The order of the second one is fixed.
func.func @sums(%x: memref<32x16xf32>, %y: memref<16xf32>, %z: memref<f32>) {
  linalg.generic {indexing_maps = [#columns, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<32x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]}
      ins(%y : memref<16xf32>) outs(%z : memref<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @elementwise(%x: memref<128xf32>, %y: memref<128xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<128xf32>) outs(%y : memref<128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}

func.func @casts(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>, %i: index, %j: index) {
  %0 = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
  %1 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  vector.store %1, %y[%i] : memref<?xf8E4M3FN>, vector<16xf8E4M3FN>
  %2 = vector.load %x[%j] : memref<?xf32>, vector<16xf32>
  %3 = quant_float.cast %2 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  vector.store %3, %y[%j] : memref<?xf8E4M3FN>, vector<16xf8E4M3FN>
  return
}
