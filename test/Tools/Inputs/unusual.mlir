func.func private @ext(%x: tensor<?xf32>, %m: memref<?xf32>) -> tensor<?xf32>
func.func private @extentry(%x: memref<?xf32>) attributes {quant_float.entry_point = {data_dependent_sizes, graph_name = "", inputs = [], outputs = [], symbol = "extentry"}}

// -----

func.func @unranked(%x: tensor<*xf32>, %m: memref<*xf32>) -> tensor<*xf32> {
  %0 = quant_float.cast %x opset 19 : tensor<*xf32> to tensor<*xf8E4M3FN>
  %1 = quant_float.cast %0 opset 19 : tensor<*xf8E4M3FN> to tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @huge(%x: tensor<4611686018427387904x8xf32>) -> tensor<4611686018427387904x8xf32> {
  %0 = tensor.empty() : tensor<4611686018427387904x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel","parallel"]} ins(%x : tensor<4611686018427387904x8xf32>) outs(%0 : tensor<4611686018427387904x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  } -> tensor<4611686018427387904x8xf32>
  return %1 : tensor<4611686018427387904x8xf32>
}

// -----

func.func @hugemem(%x: memref<4611686018427387904x8xf32>, %y: memref<4611686018427387904x8xf32>) {
  %a = memref.alloc() : memref<4611686018427387904x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel","parallel"]} ins(%x : memref<4611686018427387904x8xf32>) outs(%a : memref<4611686018427387904x8xf32>) {
  ^bb0(%p: f32, %b: f32):
    %c = arith.addf %p, %p : f32
    linalg.yield %c : f32
  }
  memref.copy %a, %y : memref<4611686018427387904x8xf32> to memref<4611686018427387904x8xf32>
  memref.dealloc %a : memref<4611686018427387904x8xf32>
  return
}

// -----

func.func @zero(%x: memref<0x4xf32>, %y: memref<0x4xf32>, %s: memref<4x?xf32, strided<[?, ?], offset: ?>>, %sp: memref<4xf32, 3>) {
  linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel","reduction"]} ins(%x : memref<0x4xf32>) outs(%y : memref<0x4xf32>) {
  ^bb0(%p: f32, %b: f32):
    %c = arith.addf %p, %b : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel","parallel"]} outs(%s : memref<4x?xf32, strided<[?, ?], offset: ?>>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%sp : memref<4xf32, 3>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  }
  return
}

// -----

func.func @scalars(%m: memref<f32>, %t: tensor<f32>) -> tensor<f32> {
  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%m : memref<f32>) {
  ^bb0(%b: f32):
    %c = quant_float.cast %b opset 19 : f32 to f8E4M3FN
    %d = quant_float.cast %c opset 19 : f8E4M3FN to f32
    linalg.yield %d : f32
  }
  %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%t : tensor<f32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @memelem(%m: memref<4xvector<4xf32>>, %n: memref<4xmemref<2xf32>>, %t: tensor<4xindex>, %c: tensor<2xcomplex<f32>>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%m : memref<4xvector<4xf32>>) {
  ^bb0(%b: vector<4xf32>):
    linalg.yield %b : vector<4xf32>
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%n : memref<4xmemref<2xf32>>) {
  ^bb0(%b: memref<2xf32>):
    linalg.yield %b : memref<2xf32>
  }
  return
}

// -----

func.func @vecs(%a: vector<f32>, %b: vector<[4]xf32>, %c: vector<1xf32>, %d: vector<3x5xf32>, %e: vector<4xi3>, %m: memref<?x?xf32, strided<[?,?], offset: ?>>, %i: index) -> vector<[4]xf8E5M2> {
  %0 = quant_float.cast %b opset 19 : vector<[4]xf32> to vector<[4]xf8E5M2>
  %1 = quant_float.cast %a opset 19 : vector<f32> to vector<f8E5M2>
  %2 = quant_float.cast %d opset 25 : vector<3x5xf32> to vector<3x5xf4E2M1FN>
  %p = arith.constant 0.0 : f32
  %3 = vector.transfer_read %m[%i, %i], %p : memref<?x?xf32, strided<[?,?], offset: ?>>, vector<[4]xf32>
  %4 = vector.transfer_read %m[%i, %i], %p : memref<?x?xf32, strided<[?,?], offset: ?>>, vector<f32>
  vector.transfer_write %d, %m[%i, %i] : vector<3x5xf32>, memref<?x?xf32, strided<[?,?], offset: ?>>
  return %0 : vector<[4]xf8E5M2>
}

// -----

func.func @nested(%x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %t = arith.constant true
    cf.assert %t, "x"
    %m = memref.alloc(%i) : memref<?xf4E2M1FN>
    %al = memref.alloca(%i) : memref<?xi4>
    scf.reduce
  }
  scf.for %i = %c0 to %c1 step %c0 {
    scf.for %j = %c0 to %i step %c1 {
      %m = memref.alloc(%j) : memref<?xf32>
      memref.dealloc %m : memref<?xf32>
    }
  }
  return
}

// -----

func.func @linalgnamed(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>, %d: memref<4x5xf32>, %e: memref<5x6xf32>, %f: memref<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  linalg.matmul ins(%d, %e : memref<4x5xf32>, memref<5x6xf32>) outs(%f : memref<4x6xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d2)>, affine_map<(d0,d1,d2) -> (d2,d1)>, affine_map<(d0,d1,d2) -> (d0,d1)>], iterator_types = ["parallel","parallel","reduction"]} ins(%d, %e : memref<4x5xf32>, memref<5x6xf32>) outs(%f : memref<4x6xf32>) attrs = {a = 3} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %m, %z : f32
    linalg.yield %s : f32
  }
  return %0 : tensor<4x6xf32>
}

// -----

module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f(%m: memref<4xf32>, %w: memref<?xf8E4M3FN, 3>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %m[%i] : memref<4xf32>
      %c = quant_float.cast %v opset 19 : f32 to f8E4M3FN
      memref.store %c, %w[%i] : memref<?xf8E4M3FN, 3>
      gpu.return
    }
    func.func @g() { return }
    memref.global "private" @gl : memref<3xf32, 3>
  }
  func.func @h(%m: memref<4xf32>) {
    %c = arith.constant 1 : index
    gpu.launch blocks(%a,%b,%d) in (%x=%c,%y=%c,%z=%c) threads(%e,%f,%g) in (%p=%c,%q=%c,%r=%c) {
      %s = memref.alloc() : memref<4xf32>
      gpu.terminator
    }
    return
  }
}

// -----

llvm.func @f.kernel(%0: !llvm.ptr) -> i64 attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = []}} {
  llvm.unreachable
}
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @x(%n: i64) {
  %0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  omp.parallel { omp.terminator }
  llvm.return
}

// -----

func.func @strided(%x: memref<8x8xf32>, %y: memref<8x8xi4>, %z: memref<1x1x1x1x1x1x1xf32>) {
  %0 = memref.subview %x[1, 1][3, 3][2, 2] : memref<8x8xf32> to memref<3x3xf32, strided<[16, 2], offset: 9>>
  %1 = memref.collapse_shape %x [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  %2 = memref.subview %y[1, 1][3, 3][2, 2] : memref<8x8xi4> to memref<3x3xi4, strided<[16, 2], offset: 9>>
  %c = arith.constant 2 : i4
  linalg.fill ins(%c : i4) outs(%2 : memref<3x3xi4, strided<[16, 2], offset: 9>>)
  memref.copy %0, %0 : memref<3x3xf32, strided<[16, 2], offset: 9>> to memref<3x3xf32, strided<[16, 2], offset: 9>>
  %e = memref.reinterpret_cast %x to offset: [0], sizes: [4, 4], strides: [0, 0] : memref<8x8xf32> to memref<4x4xf32, strided<[0, 0]>>
  memref.copy %e, %e : memref<4x4xf32, strided<[0, 0]>> to memref<4x4xf32, strided<[0, 0]>>
  return
}

// -----

func.func @math(%x: vector<4xf64>, %y: f16, %z: tensor<4xf32>, %w: f128, %q: vector<2x2xf80>) {
  %0 = math.exp %x : vector<4xf64>
  %1 = math.tanh %y : f16
  %2 = math.sin %z : tensor<4xf32>
  %3 = math.powf %w, %w : f128
  %4 = math.log %q : vector<2x2xf80>
  %5 = math.erf %y : f16
  return
}

// -----

func.func @qtypes(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>, %s: tensor<3x!quant_float.string>, %o: !quant_float.opaque<"seq(tensor(float))">) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  return %x : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @nodes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = quant_float.node "Loop"(%x) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = quant_float.node "If"(%0) opset 21 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = quant_float.node "RNN"(%1) opset 21 {direction = 3, hidden_size = "a", activations = 4} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = quant_float.node "MatMulNBits"(%2) opset 1 {K = -1, N = 0, bits = 99, block_size = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = quant_float.node "Concat"(%3) opset 21 {axis = 9223372036854775807} : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
