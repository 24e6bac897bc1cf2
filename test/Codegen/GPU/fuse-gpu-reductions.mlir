// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-configure-gpu-kernels,quant-float-fuse-gpu-reductions))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-configure-gpu-kernels{reassociate},quant-float-fuse-gpu-reductions{reassociate}))" | FileCheck %s --check-prefix=FREE

#row = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i)>
#block = affine_map<(i, j) -> (i, j floordiv 32)>
#all = affine_map<(i, b, j) -> (i, b, j)>
#blocks = affine_map<(i, b, j) -> (i, b)>

// Two threads reduce a block of 32 elements, of which each keeps 16. The
// magnitudes are not stored.
// CHECK-LABEL: func @blocks(
// CHECK-SAME:      %[[X:.+]]: memref<8x64xf32>, %[[Y:.+]]: memref<8x64xi8>)
// CHECK-NOT:     memref.alloc
// CHECK:         gpu.launch {{.*}} module(@quant_float_kernels) function(@{{"?}}blocks_reduction_0{{"?}})
// CHECK:           scf.if
// CHECK:             vector.load {{.+}}alignment = 16{{.*}} : memref<8x64xf32>, vector<16xf32>
// CHECK:           else
// CHECK-COUNT-16:    memref.load
// CHECK:           gpu.shuffle xor
// CHECK-NOT:       gpu.shuffle
// CHECK-NOT:       gpu.barrier
// CHECK-NOT:       memref.load
// CHECK:           vector.store {{.+}}alignment = 16{{.*}} : memref<8x64xi8>, vector<16xi8>
// CHECK-NOT:     linalg.generic
func.func @blocks(%x: memref<8x64xf32>, %y: memref<8x64xi8>) attributes {quant_float.noalias} {
  %zero = arith.constant 0 : i32
  %mask = arith.constant 2147483647 : i32
  %amax = memref.alloc() : memref<8x2xi32>
  linalg.fill ins(%zero : i32) outs(%amax : memref<8x2xi32>)
  %expanded = memref.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 32] : memref<8x64xf32> into memref<8x2x32xf32>
  linalg.generic {indexing_maps = [#all, #blocks], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%expanded : memref<8x2x32xf32>) outs(%amax : memref<8x2xi32>) {
  ^bb0(%in: f32, %out: i32):
    %bits = arith.bitcast %in : f32 to i32
    %magnitude = arith.andi %bits, %mask : i32
    %max = arith.maxui %magnitude, %out : i32
    linalg.yield %max : i32
  }
  linalg.generic {indexing_maps = [#row, #block, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %amax : memref<8x64xf32>, memref<8x2xi32>) outs(%y : memref<8x64xi8>) {
  ^bb0(%in: f32, %largest: i32, %out: i8):
    %scale = arith.bitcast %largest : i32 to f32
    %quotient = arith.divf %in, %scale : f32
    %q = arith.fptosi %quotient : f32 to i8
    linalg.yield %q : i8
  }
  memref.dealloc %amax : memref<8x2xi32>
  return
}

// The order of a sum of floats is that of one thread, which reads the row from
// workgroup memory. With reassociate, threads exchange their sums.
// CHECK-LABEL: func @ordered(
// CHECK:         gpu.launch {{.*}} workgroup(
// CHECK:           vector.load {{.+}} : memref<?x1024xf32>, vector<4xf32>
// CHECK:           memref.store {{.+}} #gpu.address_space<workgroup>
// CHECK:           gpu.barrier
// CHECK:           scf.for
// CHECK-NEXT:        memref.load {{.+}} #gpu.address_space<workgroup>
// CHECK-NEXT:        arith.addf
// CHECK:           gpu.barrier
// CHECK-NOT:       gpu.shuffle
// CHECK:           arith.divf {{.+}} : vector<4xf32>
// CHECK-NOT:     linalg.generic
// FREE-LABEL:  func @ordered(
// FREE-NOT:      workgroup(
// FREE-NOT:      scf.for
// FREE-COUNT-5:  gpu.shuffle xor
// FREE-NOT:      gpu.shuffle
// FREE-NOT:      linalg.generic
func.func @ordered(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) attributes {quant_float.noalias} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x1024xf32>
  %sum = memref.alloc(%rows) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x1024xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x1024xf32>, memref<?xf32>) outs(%y : memref<?x1024xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %0 = arith.divf %in, %total : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sum : memref<?xf32>
  return
}

// The rows of the reduction may be longer than those of the consumer.
// CHECK-LABEL: func @other_rows(
// FREE-LABEL:  func @other_rows(
// CHECK-NOT:     gpu.launch
// CHECK-COUNT-2: linalg.generic
func.func @other_rows(%x: memref<8x64xf32>, %z: memref<8x32xf32>, %sum: memref<8xf32>, %y: memref<8x32xf32>) attributes {quant_float.noalias} {
  linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]}
      ins(%z, %sum : memref<8x32xf32>, memref<8xf32>) outs(%y : memref<8x32xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %0 = arith.divf %in, %total : f32
    linalg.yield %0 : f32
  }
  return
}

// The size of a row is dynamic.
// CHECK-LABEL: func @dynamic_rows(
// CHECK-NOT:     gpu.launch
// CHECK-COUNT-2: linalg.generic
func.func @dynamic_rows(%x: memref<8x?xf32>, %sum: memref<8xf32>, %y: memref<8x?xf32>) attributes {quant_float.noalias} {
  linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x?xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<8x?xf32>, memref<8xf32>) outs(%y : memref<8x?xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %0 = arith.divf %in, %total : f32
    linalg.yield %0 : f32
  }
  return
}

// Buffers that may alias, and a matmul, whose loops do not match those of the
// consumer.
// CHECK-LABEL: func @aliased(
// CHECK-NOT:     gpu.launch
// CHECK-COUNT-2: linalg.generic
func.func @aliased(%x: memref<8x64xf32>, %sum: memref<8xf32>, %y: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<8x64xf32>, memref<8xf32>) outs(%y : memref<8x64xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %0 = arith.divf %in, %total : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func @matmul(
// CHECK-NOT:     gpu.launch
// CHECK:         linalg.matmul
func.func @matmul(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %bias: memref<8xf32>, %c: memref<8x8xf32>, %y: memref<8x8xf32>) attributes {quant_float.noalias} {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : memref<8x8xf32>, memref<8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%in: f32, %add: f32, %out: f32):
    %0 = arith.addf %in, %add : f32
    linalg.yield %0 : f32
  }
  return
}
