// The kernels that flush subnormals to zero, and the conditions that they check for their
// parameters. test/EntryPoint/subnormals.py checks that the bits do not change and that no other
// instruction has a subnormal operand.
// RUN: quant-float-opt %s --quant-float-flush-subnormals --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --quant-float-flush-subnormals="preserve-f16-subnormals" | FileCheck %s --check-prefix=HALF

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
#block = affine_map<(d0) -> (d0 floordiv 32)>

// CHECK: func.func private @__qf_keep_subnormals()

// CHECK-LABEL: func.func @cast.kernel(
// CHECK-SAME: quant_float.flushes_subnormals
// CHECK-NOT: scf.if
func.func @cast.kernel(%x: memref<?xf32>, %y: memref<?xf8E4M3FN>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}], outputs = [{dtype = 17 : i32, name = "", sizes = array<i64: -1>}], symbol = "cast"}} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf8E4M3FN>) {
  ^bb0(%in: f32, %out: f8E4M3FN):
    %0 = quant_float.cast %in opset 25 : f32 to f8E4M3FN
    linalg.yield %0 : f8E4M3FN
  }
  return
}

// Subnormals of f32 are normal in f64.
// CHECK-LABEL: func.func @narrow.kernel(
// CHECK-NOT: quant_float.flushes_subnormals
func.func @narrow.kernel(%x: memref<?xf64>, %y: memref<?xf32>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 11 : i32, name = "", sizes = array<i64: -1>}], outputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}], symbol = "narrow"}} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf64>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f64, %out: f32):
    %0 = quant_float.cast %in opset 25 : f64 to f32
    linalg.yield %0 : f32
  }
  return
}

// The scale is compared as an integer, before any float arithmetic.
// CHECK-LABEL: func.func @quantize.kernel(
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<f32>
// CHECK-SAME: quant_float.flushes_subnormals
// CHECK: %[[SCALE:.+]] = memref.load %[[S]][] : memref<f32>
// CHECK-NEXT: %[[BITS:.+]] = arith.bitcast %[[SCALE]] : f32 to i32
// CHECK-NEXT: %[[MAGNITUDE:.+]] = arith.andi %[[BITS]], %c2147483647_i32
// 2^-30
// CHECK-NEXT: %[[DISTANCE:.+]] = arith.{{subi|addi}} %[[MAGNITUDE]], %{{.+}}
// CHECK-NEXT: %[[OTHER:.+]] = arith.cmpi ugt, %[[DISTANCE]], %{{.+}}
// CHECK-NEXT: scf.if %[[OTHER]] {
// CHECK-NEXT: func.call @__qf_keep_subnormals()
// CHECK: linalg.generic
func.func @quantize.kernel(%x: memref<?xf32>, %s: memref<f32>, %y: memref<?xi8>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "", sizes = array<i64>}], outputs = [{dtype = 3 : i32, name = "", sizes = array<i64: -1>}], symbol = "quantize"}} {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<?xf32>, memref<f32>) outs(%y : memref<?xi8>) {
  ^bb0(%in: f32, %scale: f32, %out: i8):
    %0 = quant_float.quantize_elements %in, %scale : f32, f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// Many scales are compared in vectors.
// CHECK-LABEL: func.func @blocks.kernel(
// CHECK-SAME: quant_float.flushes_subnormals
// CHECK: scf.for
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK: arith.maxui {{.*}} : vector<16xi32>
// CHECK: vector.reduction <maxui>
// CHECK: scf.for
// CHECK: func.call @__qf_keep_subnormals()
func.func @blocks.kernel(%x: memref<?xf32>, %s: memref<?xf32>, %y: memref<?xi8>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "", sizes = array<i64: -1>}], outputs = [{dtype = 3 : i32, name = "", sizes = array<i64: -1>}], symbol = "blocks"}} {
  linalg.generic {indexing_maps = [#id, #block, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xi8>) {
  ^bb0(%in: f32, %scale: f32, %out: i8):
    %0 = quant_float.quantize_elements %in, %scale : f32, f32 to i8
    linalg.yield %0 : i8
  }
  return
}

// Flushing a shift is right, but flushing a product is not: 1 / 0 would result from a quotient.
// CHECK-LABEL: func.func @fakeconvert.kernel(
// CHECK-SAME: quant_float.flushes_subnormals
// CHECK: scf.if
func.func @fakeconvert.kernel(%x: memref<?xf32>, %s: memref<f32>, %t: memref<f32>, %y: memref<?xf32>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "", sizes = array<i64>}, {dtype = 1 : i32, name = "", sizes = array<i64>}], outputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}], symbol = "fakeconvert"}} {
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%x, %s, %t : memref<?xf32>, memref<f32>, memref<f32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %scale: f32, %shift: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    %1 = arith.subf %0, %shift : f32
    %2 = quant_float.cast %1 opset 25 : f32 to f8E5M2
    %3 = quant_float.cast %2 opset 25 : f8E5M2 to f32
    %4 = arith.divf %3, %scale : f32
    linalg.yield %4 : f32
  }
  return
}

// Products are stored unchanged.
// CHECK-LABEL: func.func @scale.kernel(
// CHECK-NOT: quant_float.flushes_subnormals
// CHECK: return
func.func @scale.kernel(%x: memref<?xf32>, %s: memref<f32>, %y: memref<?xf32>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "", sizes = array<i64>}], outputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}], symbol = "scale"}} {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<?xf32>, memref<f32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  }
  return
}

// -0 plus a zero point of +0 is +0, as for a flushed subnormal.
// CHECK-LABEL: func.func @zero_point.kernel(
// CHECK-NOT: quant_float.flushes_subnormals
// CHECK: return
func.func @zero_point.kernel(%x: memref<?xf32>, %s: memref<f32>, %z: memref<i8>, %y: memref<?xi8>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "", sizes = array<i64>}, {dtype = 23 : i32, name = "", sizes = array<i64>}], outputs = [{dtype = 23 : i32, name = "", sizes = array<i64: -1>}], symbol = "zero_point"}} {
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%x, %s, %z : memref<?xf32>, memref<f32>, memref<i8>) outs(%y : memref<?xi8>) {
  ^bb0(%in: f32, %scale: f32, %zero: i8, %out: i8):
    %0 = quant_float.storage_cast %zero : i8 to f4E2M1FN
    %1 = quant_float.quantize_elements %in, %scale, %0 : f32, f32, f4E2M1FN to f4E2M1FN
    %2 = quant_float.storage_cast %1 : f4E2M1FN to i8
    linalg.yield %2 : i8
  }
  return
}

// With f16 arithmetic, kernels with f16 values do not flush.
// CHECK-LABEL: func.func @half.kernel(
// CHECK-SAME: quant_float.flushes_subnormals
// HALF-LABEL: func.func @half.kernel(
// HALF-NOT: quant_float.flushes_subnormals
func.func @half.kernel(%x: memref<?xf32>, %y: memref<?xf8E5M2>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}], outputs = [{dtype = 19 : i32, name = "", sizes = array<i64: -1>}], symbol = "half"}} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf8E5M2>) {
  ^bb0(%in: f32, %out: f8E5M2):
    %0 = quant_float.cast %in opset 25 : f32 to f16
    %1 = quant_float.cast %0 opset 25 : f16 to f8E5M2
    linalg.yield %1 : f8E5M2
  }
  return
}

// Here, a shift of +0 acts as -0, for which a flushed subnormal would yield +0. So the kernel
// checks whether the shift is 0.
// HALF-LABEL: func.func @negated.kernel(
// CHECK-LABEL: func.func @negated.kernel(
// CHECK-SAME: quant_float.flushes_subnormals
// CHECK-NOT: arith.cmpi eq
// CHECK: scf.if
func.func @negated.kernel(%x: memref<?xf32>, %p: memref<f32>, %y: memref<?xf8E5M2>) attributes {quant_float.entry_point = {graph_name = "", inputs = [{dtype = 1 : i32, name = "", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "", sizes = array<i64>}], outputs = [{dtype = 19 : i32, name = "", sizes = array<i64: -1>}], symbol = "negated"}} {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %p : memref<?xf32>, memref<f32>) outs(%y : memref<?xf8E5M2>) {
  ^bb0(%in: f32, %shift: f32, %out: f8E5M2):
    %0 = arith.negf %shift : f32
    %1 = arith.subf %in, %0 : f32
    %2 = quant_float.cast %1 opset 25 : f32 to f8E5M2
    linalg.yield %2 : f8E5M2
  }
  return
}
