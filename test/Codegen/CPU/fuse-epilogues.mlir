// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-epilogues{block-bytes=8192}))" | FileCheck %s

#row = affine_map<(i, j, k) -> (i, k)>
#column = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>
#channel = affine_map<(i, j) -> (i)>

// Tiles of columns, which read all rows. The bias and the added tensor are sliced. Operands that
// are the same for all columns are not.

// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<8x32xf32>, %[[W:[a-z0-9]+]]: memref<32x512xf32>, %[[B:[a-z0-9]+]]: memref<512xf32>, %[[R:[a-z0-9]+]]: memref<8x512xf32>, %[[S:[a-z0-9]+]]: memref<8xf32>, %[[Y:[a-z0-9]+]]: memref<8x512xi8>)
// CHECK-NOT:     memref<8x512xf32>
// CHECK:         %[[BLOCK:.+]] = memref.alloc() {{.*}}alignment = 64{{.*}} : memref<8x256xf32>
// CHECK-DAG:     %[[FROM:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[TO:.+]] = arith.constant 512 : index
// CHECK-DAG:     %[[STEP:.+]] = arith.constant 256 : index
// CHECK:         scf.for %[[J:.+]] = %[[FROM]] to %[[TO]] step %[[STEP]]
// CHECK:           %[[BJ:.+]] = memref.subview %[[B]][%[[J]]] [256] [1]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[BJ]] : {{.*}} outs(%[[BLOCK]] :
// CHECK:           %[[WJ:.+]] = memref.subview %[[W]][0, %[[J]]] [32, 256] [1, 1]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[X]], %[[WJ]] : {{.*}} outs(%[[BLOCK]] :
// CHECK:           %[[RJ:.+]] = memref.subview %[[R]][0, %[[J]]] [8, 256] [1, 1]
// CHECK:           %[[YJ:.+]] = memref.subview %[[Y]][0, %[[J]]] [8, 256] [1, 1]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[BLOCK]], %[[RJ]], %[[S]] : {{.*}} outs(%[[YJ]] :
// CHECK:         } {quant_float.tile_loop}
// CHECK-NEXT:    memref.dealloc %[[BLOCK]]
// CHECK-NOT:     linalg.generic
func.func @product(%x: memref<8x32xf32>, %w: memref<32x512xf32>, %b: memref<512xf32>, %r: memref<8x512xf32>, %s: memref<8xf32>, %y: memref<8x512xi8>) attributes {quant_float.entry_point} {
  %sums = "memref.alloc"() <{alignment = 64 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8x512xf32>
  linalg.generic {indexing_maps = [#bias, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<512xf32>) outs(%sums : memref<8x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<8x32xf32>, memref<32x512xf32>) outs(%sums : memref<8x512xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#same, #same, #channel, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %r, %s : memref<8x512xf32>, memref<8x512xf32>, memref<8xf32>) outs(%y : memref<8x512xi8>) {
  ^bb0(%in: f32, %more: f32, %scale: f32, %out: i8):
    %0 = arith.addf %in, %more : f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.fptosi %1 : f32 to i8
    linalg.yield %2 : i8
  }
  memref.dealloc %sums : memref<8x512xf32>
  return
}

// Flattened rows of an image, with dropped elements at the ends: the tiles are whole rows, and each
// reads the part of the image that its images cover. Ops in between move before the loop, and the
// operands of the contraction are freed after it.

// CHECK-LABEL: func.func @images(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<16x4x3x3xf32>, %[[Y:[a-z0-9]+]]: memref<16x24x20xf32>)
// CHECK:         %[[IMAGE:.+]] = memref.alloc() : memref<4x600xf32>
// CHECK:         %[[PADDED:.+]] = memref.alloc() : memref<16x26x22xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[PADDED]] :
// CHECK:         %[[PART:.+]] = memref.subview %[[PADDED]][0, 1, 1]
// CHECK:         %[[BLOCK:.+]] = memref.alloc() : memref<16x88xf32>
// CHECK:         scf.for %[[ROW:.+]] = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK:           %[[PLACE:.+]] = affine.apply #{{.+}}(%[[ROW]])
// CHECK:           %[[ROWS:.+]] = memref.expand_shape %[[BLOCK]] {{\[}}[0], [1, 2]] output_shape [16, 4, 22]
// CHECK:           %[[SEEN:.+]] = memref.subview %[[ROWS]][0, 0, 0] [16, 4, 20] [1, 1, 1]
// CHECK:           linalg.generic {{.*}} outs(%[[BLOCK]] :
// CHECK:           %[[AT:.+]] = affine.apply #{{.+}}(%[[ROW]])
// CHECK:           %[[READ:.+]] = memref.subview %[[IMAGE]][0, %[[AT]]] [4, 160] [1, 1]
// CHECK:           linalg.generic {{.*}} ins(%[[READ]], %[[W]] : {{.*}} outs(%[[BLOCK]] :
// CHECK:           %[[WRITTEN:.+]] = memref.subview %[[PART]][0, %[[ROW]], 0] [16, 4, 20] [1, 1, 1]
// CHECK:           linalg.generic {{.*}} ins(%[[SEEN]] : {{.*}} outs(%[[WRITTEN]] :
// CHECK:         } {quant_float.tile_loop}
// CHECK:         memref.dealloc %[[BLOCK]]
// CHECK:         memref.dealloc %[[IMAGE]]
// CHECK:         memref.copy
// CHECK:         memref.dealloc %[[PADDED]]
func.func @images(%w: memref<16x4x3x3xf32>, %y: memref<16x24x20xf32>) attributes {quant_float.entry_point} {
  %zero = arith.constant 0.0 : f32
  %image = memref.alloc() : memref<4x600xf32>
  %sums = memref.alloc() : memref<16x528xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%sums : memref<16x528xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [affine_map<(c, p, k, i, j) -> (k, p + i * 22 + j)>, affine_map<(c, p, k, i, j) -> (c, k, i, j)>,
                                   affine_map<(c, p, k, i, j) -> (c, p)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%image, %w : memref<4x600xf32>, memref<16x4x3x3xf32>) outs(%sums : memref<16x528xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  memref.dealloc %image : memref<4x600xf32>
  %rows = memref.expand_shape %sums [[0], [1, 2]] output_shape [16, 24, 22] : memref<16x528xf32> into memref<16x24x22xf32>
  %seen = memref.subview %rows[0, 0, 0] [16, 24, 20] [1, 1, 1] : memref<16x24x22xf32> to memref<16x24x20xf32, strided<[528, 22, 1]>>
  %padded = memref.alloc() : memref<16x26x22xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%padded : memref<16x26x22xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  %part = memref.subview %padded[0, 1, 1] [16, 24, 20] [1, 1, 1] : memref<16x26x22xf32> to memref<16x24x20xf32, strided<[572, 22, 1], offset: 23>>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%seen : memref<16x24x20xf32, strided<[528, 22, 1]>>) outs(%part : memref<16x24x20xf32, strided<[572, 22, 1], offset: 23>>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sums : memref<16x528xf32>
  memref.copy %part, %y : memref<16x24x20xf32, strided<[572, 22, 1], offset: 23>> to memref<16x24x20xf32>
  memref.dealloc %padded : memref<16x26x22xf32>
  return
}

// Depthwise channels: tiles of channels with their weights.

// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<8x640xf32>, %[[W:[a-z0-9]+]]: memref<8x3xf32>, %[[Y:[a-z0-9]+]]: memref<8x600xf32>)
// CHECK:         %[[BLOCK:.+]] = memref.alloc() : memref<2x600xf32>
// CHECK:         scf.for %[[C:.+]] =
// CHECK:           %[[XC:.+]] = memref.subview %[[X]][%[[C]], 0] [2, 640] [1, 1]
// CHECK-NEXT:      %[[WC:.+]] = memref.subview %[[W]][%[[C]], 0] [2, 3] [1, 1]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[XC]], %[[WC]] : {{.*}} outs(%[[BLOCK]] :
// CHECK:           %[[YC:.+]] = memref.subview %[[Y]][%[[C]], 0] [2, 600] [1, 1]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[BLOCK]] : {{.*}} outs(%[[YC]] :
func.func @depthwise(%x: memref<8x640xf32>, %w: memref<8x3xf32>, %y: memref<8x600xf32>) attributes {quant_float.entry_point} {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<8x600xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%sums : memref<8x600xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [affine_map<(c, p, k) -> (c, p + k)>, affine_map<(c, p, k) -> (c, k)>, #sum],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<8x640xf32>, memref<8x3xf32>) outs(%sums : memref<8x600xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : memref<8x600xf32>) outs(%y : memref<8x600xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sums : memref<8x600xf32>
  return
}

// No fusion: contractions with two users, users that write to the input of the next tile, prime
// numbers of columns, and small sizes.

// CHECK-LABEL: func.func @stay(
// CHECK-NOT:     quant_float.tile_loop
// CHECK:         return
func.func @stay(%x: memref<8x512xf32>, %y: memref<8x512xf32>, %p: memref<8x509xf32>, %q: memref<8x128xf32>) attributes {quant_float.entry_point} {
  %zero = arith.constant 0.0 : f32
  %two = memref.alloc() : memref<8x512xf32>
  %w = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%two : memref<8x512xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : memref<8x8xf32>, memref<8x512xf32>) outs(%two : memref<8x512xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%two : memref<8x512xf32>) outs(%y : memref<8x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.copy %two, %y : memref<8x512xf32> to memref<8x512xf32>
  memref.dealloc %two : memref<8x512xf32>

  %same = memref.alloc() : memref<8x512xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%same : memref<8x512xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : memref<8x8xf32>, memref<8x512xf32>) outs(%same : memref<8x512xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%same : memref<8x512xf32>) outs(%x : memref<8x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %same : memref<8x512xf32>

  %prime = memref.alloc() : memref<8x509xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%prime : memref<8x509xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %p : memref<8x8xf32>, memref<8x509xf32>) outs(%prime : memref<8x509xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  %part = memref.subview %y[0, 0] [8, 509] [1, 1] : memref<8x512xf32> to memref<8x509xf32, strided<[512, 1]>>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%prime : memref<8x509xf32>) outs(%part : memref<8x509xf32, strided<[512, 1]>>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %prime : memref<8x509xf32>

  %few = memref.alloc() : memref<8x128xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%few : memref<8x128xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %q : memref<8x8xf32>, memref<8x128xf32>) outs(%few : memref<8x128xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  %rest = memref.subview %y[0, 0] [8, 128] [1, 1] : memref<8x512xf32> to memref<8x128xf32, strided<[512, 1]>>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%few : memref<8x128xf32>) outs(%rest : memref<8x128xf32, strided<[512, 1]>>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %few : memref<8x128xf32>
  memref.dealloc %w : memref<8x8xf32>
  return
}

// No fusion with dynamic sizes, or across a call that may write to memory.

// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT:     quant_float.tile_loop
// CHECK:         return
func.func private @anything()
func.func @dynamic(%n: index, %x: memref<8x8xf32>, %v: memref<8x?xf32>, %z: memref<8x?xf32>, %w: memref<8x512xf32>, %y: memref<8x512xf32>) attributes {quant_float.entry_point} {
  %zero = arith.constant 0.0 : f32
  %dynamic = memref.alloc(%n) : memref<8x?xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%dynamic : memref<8x?xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : memref<8x8xf32>, memref<8x?xf32>) outs(%dynamic : memref<8x?xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%dynamic : memref<8x?xf32>) outs(%z : memref<8x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %dynamic : memref<8x?xf32>

  %sums = memref.alloc() : memref<8x512xf32>
  linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%sums : memref<8x512xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<8x8xf32>, memref<8x512xf32>) outs(%sums : memref<8x512xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.mulf %in, %other : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  func.call @anything() : () -> ()
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : memref<8x512xf32>) outs(%y : memref<8x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %sums : memref<8x512xf32>
  return
}
