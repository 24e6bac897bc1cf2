// The analysis that all code generation asks. Upstream's analyses give the same where they accept the op.
// RUN: %tools_dir/quant-float-print-contractions %s --pass-pipeline="builtin.module(func.func(print-contractions))" --mlir-disable-threading -o /dev/null | FileCheck %s

// CHECK-LABEL: @matmul{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [4, 8, 16]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d1
func.func @matmul(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x16xf32>, tensor<16x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The right operand of the op is the left one of the product: N is the
// innermost dimension of the result.
// CHECK-LABEL: @swapped{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [4, 8, 16]
// CHECK-NEXT:    lhs: input 1 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 0 (matrix), f32, weight, contiguous along d1
func.func @swapped(%a: tensor<16x8xf32>, %b: tensor<4x16xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x8xf32>, tensor<4x16xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = math.fma %x, %y, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @batch_matmul{{$}}
// CHECK-NEXT:    contraction of f32{{$}}
// CHECK-NEXT:    batch: [0], M: [1], N: [2], K: [3], sizes: [2, 4, 8, ?]
// CHECK-NEXT:    lhs: input 0 (matrix), f16, weight, contiguous along d3, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f16, weight, contiguous along d2
func.func @batch_matmul(%a: memref<2x4x?xf16>, %b: memref<2x?x8xf16>, %c: memref<2x4x8xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<2x4x?xf16>, memref<2x?x8xf16>) outs(%c : memref<2x4x8xf32>)
  return
}

// The result is transposed, and so are the operands.
// CHECK-LABEL: @transposed{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [1], N: [0], K: [2], sizes: [4, 8, 16]
// CHECK-NEXT:    lhs: input 1 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 0 (matrix), f32, weight, contiguous along d0
func.func @transposed(%a: tensor<16x4xf32>, %b: tensor<8x16xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x4xf32>, tensor<8x16xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = math.fma %x, %y, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Two loops of each kind, in the order of the result's dimensions.
// CHECK-LABEL: @several{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [1, 0], N: [4, 5], K: [2, 3], sizes: [2, 3, 5, 7, 11, 13]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d3, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d5
func.func @several(%a: tensor<2x3x5x7xf32>, %b: tensor<5x7x11x13xf32>, %c: tensor<3x2x11x13xf32>) -> tensor<3x2x11x13xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>,
                       affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3, d4, d5)>,
                       affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d4, d5)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "parallel", "parallel"]}
      ins(%a, %b : tensor<2x3x5x7xf32>, tensor<5x7x11x13xf32>) outs(%c : tensor<3x2x11x13xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = math.fma %x, %y, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<3x2x11x13xf32>
  return %0 : tensor<3x2x11x13xf32>
}

// CHECK-LABEL: @matvec{{$}}
// CHECK-NEXT:    contraction of i32{{$}}
// CHECK-NEXT:    batch: [], M: [], N: [0], K: [1], sizes: [4, 16]
// CHECK-NEXT:    lhs: input 1 (matrix), i8, weight, contiguous along d1, K-contiguous
// CHECK-NEXT:    lhs decoding: input 1 of 8 bits, block of 16
// CHECK-NEXT:    rhs: input 0 (matrix), i8, weight, contiguous along d1, K-contiguous
// CHECK-NEXT:    rhs decoding: input 0 of 8 bits, block of 16
func.func @matvec(%a: tensor<4x16xi8>, %x: tensor<16xi8>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.matvec ins(%a, %x : tensor<4x16xi8>, tensor<16xi8>) outs(%y : tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @vecmat{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [], N: [0], K: [1], sizes: [4, 16]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d1, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d0
func.func @vecmat(%x: tensor<16xf32>, %a: tensor<16x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.vecmat ins(%x, %a : tensor<16xf32>, tensor<16x4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @dot{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [], N: [], K: [0], sizes: [?]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d0, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d0, K-contiguous
func.func @dot(%x: tensor<?xf32>, %y: tensor<?xf32>, %r: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%r : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The weights are constants, and the result has an activation.
// CHECK-LABEL: @weights{{$}}
// CHECK-NEXT:    contraction of f32, plain, elementwise user{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [?, 8, 16]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, computed, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d1
func.func @weights(%a: tensor<?x16xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %w = arith.constant dense<1.0> : tensor<2x8x8xf32>
  %b = tensor.collapse_shape %w [[0, 1], [2]] : tensor<2x8x8xf32> into tensor<16x8xf32>
  %e = math.exp %a : tensor<?x16xf32>
  %0 = linalg.matmul ins(%e, %b : tensor<?x16xf32>, tensor<16x8xf32>) outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x8xf32>) outs(%c : tensor<?x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %2 = math.absf %x : f32
    linalg.yield %2 : f32
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK-LABEL: @empty{{$}}
// CHECK-NEXT:    contraction of f32, plain, empty{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [4, 8, 0]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d1
func.func @empty(%a: tensor<4x0xf32>, %b: tensor<0x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x0xf32>, tensor<0x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @conv_1d{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [0, 1], N: [2], K: [3, 4], sizes: [1, 8, 8, 3, 3]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d4, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d2
// CHECK-NEXT:    convolution: batch: [0], output image: [1], output channel: [2], filter loop: [3], input channel: [4], depth: [], strides: [1], dilations: [1]
func.func @conv_1d(%i: tensor<1x10x3xf32>, %f: tensor<3x3x8xf32>, %o: tensor<1x8x8xf32>) -> tensor<1x8x8xf32> {
  %0 = linalg.conv_1d_nwc_wcf ins(%i, %f : tensor<1x10x3xf32>, tensor<3x3x8xf32>) outs(%o : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  return %0 : tensor<1x8x8xf32>
}

// CHECK-LABEL: @conv_2d{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [], M: [1], N: [0, 2, 3], K: [4, 5, 6], sizes: [1, 8, 6, 5, 3, 3, 3]
// CHECK-NEXT:    lhs: input 1 (matrix), f32, weight, contiguous along d6, K-contiguous
// CHECK-NEXT:    rhs: input 0 (matrix), f32, weight
// CHECK-NEXT:    convolution: batch: [0], output image: [2, 3], output channel: [1], filter loop: [5, 6], input channel: [4], depth: [], strides: [2, 3], dilations: [2, 1]
func.func @conv_2d(%i: tensor<1x3x15x17xf32>, %f: tensor<8x3x3x3xf32>, %o: tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[2, 1]> : tensor<2xi64>}
      ins(%i, %f : tensor<1x3x15x17xf32>, tensor<8x3x3x3xf32>) outs(%o : tensor<1x8x6x5xf32>) -> tensor<1x8x6x5xf32>
  return %0 : tensor<1x8x6x5xf32>
}

// CHECK-LABEL: @depthwise{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [3], M: [0, 1, 2], N: [], K: [4, 5], sizes: [1, 8, 8, 4, 3, 3]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d3
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d3
// CHECK-NEXT:    convolution: batch: [0], output image: [1, 2], output channel: [], filter loop: [4, 5], input channel: [], depth: [3], strides: [1, 1], dilations: [1, 1]
func.func @depthwise(%i: tensor<1x10x10x4xf32>, %f: tensor<3x3x4xf32>, %o: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%i, %f : tensor<1x10x10x4xf32>, tensor<3x3x4xf32>) outs(%o : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// The filter is the left operand.
// CHECK-LABEL: @grouped{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [1], M: [2], N: [0, 3, 4], K: [5, 6, 7], sizes: [1, 2, 8, ?, ?, 3, 3, 3]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d7, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight
// CHECK-NEXT:    convolution: batch: [0], output image: [3, 4], output channel: [2], filter loop: [6, 7], input channel: [5], depth: [1], strides: [1, 2], dilations: [1, 1]
func.func @grouped(%f: tensor<2x8x3x3x3xf32>, %i: tensor<1x2x3x?x?xf32>, %o: tensor<1x2x8x?x?xf32>) -> tensor<1x2x8x?x?xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(b, g, f, y, x, c, ky, kx) -> (g, f, c, ky, kx)>,
                       affine_map<(b, g, f, y, x, c, ky, kx) -> (b, g, c, y + ky, x * 2 + kx)>,
                       affine_map<(b, g, f, y, x, c, ky, kx) -> (b, g, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%f, %i : tensor<2x8x3x3x3xf32>, tensor<1x2x3x?x?xf32>) outs(%o : tensor<1x2x8x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x2x8x?x?xf32>
  return %0 : tensor<1x2x8x?x?xf32>
}

// 4-bit weights with a scale and a packed zero point for each 32 elements of K.
// CHECK-LABEL: @blocks{{$}}
// CHECK-NEXT:    contraction of f32{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [1, 8, 128]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 1 (matrix) input 2 input 3, ui4, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs decoding: input 1 of 4 bits, scale, zero point, block of 32
func.func @blocks(%a: tensor<1x128xf32>, %w: tensor<8x128xui4>, %s: tensor<8x4xf32>, %z: tensor<8x4xui4>, %c: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (n, k floordiv 32)>, affine_map<(m, n, k) -> (n, k floordiv 32)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w, %s, %z : tensor<1x128xf32>, tensor<8x128xui4>, tensor<8x4xf32>, tensor<8x4xui4>) outs(%c : tensor<1x8xf32>) {
  ^bb0(%x: f32, %q: ui4, %scale: f32, %zero: ui4, %acc: f32):
    %1 = quant_float.dequantize %q, %scale, %zero opset 21 : ui4, f32, ui4 to f32
    %2 = math.fma %x, %1, %acc : f32
    linalg.yield %2 : f32
  } -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// Two weights in each byte, with one scale for each column of a memref.
// CHECK-LABEL: @packed{{$}}
// CHECK-NEXT:    contraction of f32{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [1, 8, 128]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 2 input 1 (matrix), i8, weight, K-contiguous
// CHECK-NEXT:    rhs decoding: input 1 of 4 bits, scale, block of 128
func.func @packed(%a: memref<1x128xf32>, %w: memref<8x64xi8>, %s: memref<8xf32>, %c: memref<1x8xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k floordiv 2)>,
                       affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w, %s : memref<1x128xf32>, memref<8x64xi8>, memref<8xf32>) outs(%c : memref<1x8xf32>) {
  ^bb0(%x: f32, %byte: i8, %scale: f32, %acc: f32):
    %k = linalg.index 2 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : i8
    %odd = arith.andi %k, %c1 : index
    %part = arith.index_cast %odd : index to i8
    %shift = arith.muli %part, %c4 : i8
    %shifted = arith.shrui %byte, %shift : i8
    %c15 = arith.constant 15 : i8
    %q = arith.andi %shifted, %c15 : i8
    %f = arith.uitofp %q : i8 to f32
    %v = arith.mulf %f, %scale : f32
    %1 = math.fma %x, %v, %acc : f32
    linalg.yield %1 : f32
  }
  return
}

// Two weights in each byte, with a scale and a packed zero point for each 32
// elements of K. The quantized values are the largest of these.
// CHECK-LABEL: @packed_blocks{{$}}
// CHECK-NEXT:    contraction of f32{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [1, 8, 128]
// CHECK-NEXT:    lhs: input 3 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 2 (matrix) input 1 input 0, ui8, weight, K-contiguous
// CHECK-NEXT:    rhs decoding: input 2 of 4 bits, scale, zero point, block of 32
func.func @packed_blocks(%a: tensor<1x128xf32>, %w: tensor<8x64xui8>, %s: tensor<8x4xf32>, %z: tensor<8x2xui8>, %c: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (n, k floordiv 64)>, affine_map<(m, n, k) -> (n, k floordiv 32)>,
                       affine_map<(m, n, k) -> (n, k floordiv 2)>, affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%z, %s, %w, %a : tensor<8x2xui8>, tensor<8x4xf32>, tensor<8x64xui8>, tensor<1x128xf32>) outs(%c : tensor<1x8xf32>) {
  ^bb0(%zero: ui8, %scale: f32, %q: ui8, %x: f32, %acc: f32):
    %1 = quant_float.dequantize %q, %scale, %zero opset 21 : ui8, f32, ui8 to f32
    %2 = math.fma %1, %x, %acc : f32
    linalg.yield %2 : f32
  } -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// One zero point for each row of a matrix of dynamic size.
// CHECK-LABEL: @zero_points{{$}}
// CHECK-NEXT:    contraction of i32{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [8, 4, ?]
// CHECK-NEXT:    lhs: input 0 (matrix) input 2, i8, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    lhs decoding: input 0 of 8 bits, zero point, block of K
// CHECK-NEXT:    rhs: input 1 (matrix), i8, weight, contiguous along d1
// CHECK-NEXT:    rhs decoding: input 1 of 8 bits, block of K
func.func @zero_points(%a: tensor<8x?xi8>, %b: tensor<?x4xi8>, %p: tensor<8xi8>, %c: tensor<8x4xi32>) -> tensor<8x4xi32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %p : tensor<8x?xi8>, tensor<?x4xi8>, tensor<8xi8>) outs(%c : tensor<8x4xi32>) {
  ^bb0(%x: i8, %y: i8, %zero: i8, %acc: i32):
    %1 = arith.extsi %x : i8 to i32
    %2 = arith.extsi %zero : i8 to i32
    %3 = arith.subi %1, %2 : i32
    %4 = arith.extsi %y : i8 to i32
    %5 = arith.muli %3, %4 : i32
    %6 = arith.addi %5, %acc : i32
    linalg.yield %6 : i32
  } -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

// Zero points of both operands.
// CHECK-LABEL: @bytes{{$}}
// CHECK-NEXT:    contraction of i32{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [?, 8, ?]
// CHECK-NEXT:    lhs: input 0 (matrix) input 2, i8, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    lhs decoding: input 0 of 8 bits, zero point, block of K
// CHECK-NEXT:    rhs: input 1 (matrix), i8, weight, contiguous along d1
// CHECK-NEXT:    rhs decoding: input 1 of 8 bits, zero point, block of K
func.func @bytes(%a: tensor<?x?xi8>, %b: tensor<?x8xi8>, %p: tensor<i8>, %c: tensor<?x8xi32>) -> tensor<?x8xi32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b, %p : tensor<?x?xi8>, tensor<?x8xi8>, tensor<i8>) outs(%c : tensor<?x8xi32>) {
  ^bb0(%x: i8, %y: i8, %zero: i8, %acc: i32):
    %c3 = arith.constant 3 : i32
    %1 = arith.extui %x : i8 to i32
    %2 = arith.extsi %zero : i8 to i32
    %3 = arith.subi %1, %2 : i32
    %4 = arith.extsi %y : i8 to i32
    %5 = arith.subi %4, %c3 : i32
    %6 = arith.muli %3, %5 : i32
    %7 = arith.addi %acc, %6 : i32
    linalg.yield %7 : i32
  } -> tensor<?x8xi32>
  return %0 : tensor<?x8xi32>
}

// The weights' scale varies along each element of K.
// CHECK-LABEL: @scales{{$}}
// CHECK-NEXT:    contraction of f32{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [4, 8, 16]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d2, K-contiguous
// CHECK-NEXT:    rhs: input 2 input 1 (matrix), i8, weight, contiguous along d1
// CHECK-NEXT:    rhs decoding: input 1 of 8 bits, scale, block of unknown size
func.func @scales(%a: tensor<4x16xf32>, %w: tensor<16x8xi8>, %s: tensor<16xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w, %s : tensor<4x16xf32>, tensor<16x8xi8>, tensor<16xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %q: i8, %scale: f32, %acc: f32):
    %1 = arith.sitofp %q : i8 to f32
    %2 = arith.mulf %1, %scale : f32
    %3 = math.fma %x, %2, %acc : f32
    linalg.yield %3 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Only one operand varies along d3.
// CHECK-LABEL: @other_reductions{{$}}
// CHECK-NEXT:    contraction of f32, plain, other reductions{{$}}
// CHECK-NEXT:    batch: [], M: [0], N: [1], K: [2], sizes: [4, 8, 16, 3]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d3
// CHECK-NEXT:    rhs: input 1 (matrix), f32, weight, contiguous along d1
func.func @other_reductions(%a: tensor<4x16x3xf32>, %b: tensor<16x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<4x16x3xf32>, tensor<16x8xf32>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = math.fma %x, %y, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @sum{{$}}
// CHECK-NEXT:    not a contraction{{$}}
func.func @sum(%a: tensor<4x16xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce ins(%a : tensor<4x16xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
    (%x: f32, %acc: f32) {
      %1 = arith.addf %x, %acc : f32
      linalg.yield %1 : f32
    }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @pooling{{$}}
// CHECK-NEXT:    not a contraction{{$}}
func.func @pooling(%i: tensor<1x10x10x4xf32>, %w: tensor<3x3xf32>, %o: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %0 = linalg.pooling_nhwc_max ins(%i, %w : tensor<1x10x10x4xf32>, tensor<3x3xf32>) outs(%o : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// A factor depends on the accumulator.
// CHECK-LABEL: @recurrence{{$}}
// CHECK-NEXT:    not a contraction{{$}}
func.func @recurrence(%a: tensor<4x16xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x16xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %1 = math.fma %x, %acc, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The index of the result is no loop.
// CHECK-LABEL: @reversed{{$}}
// CHECK-NEXT:    not a contraction{{$}}
func.func @reversed(%a: tensor<4x16xf32>, %b: tensor<16xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (3 - m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x16xf32>, tensor<16xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %1 = math.fma %x, %y, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The sum of squares: both factors are the same input.
// CHECK-LABEL: @squares{{$}}
// CHECK-NEXT:    contraction of f32, plain{{$}}
// CHECK-NEXT:    batch: [0], M: [], N: [], K: [1], sizes: [4, 16]
// CHECK-NEXT:    lhs: input 0 (matrix), f32, weight, contiguous along d1, K-contiguous
// CHECK-NEXT:    rhs: input 0 (matrix), f32, weight, contiguous along d1, K-contiguous
func.func @squares(%a: tensor<4x16xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x16xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %1 = math.fma %x, %x, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
