// RUN: quant-float-opt %s -split-input-file --quant-float-convert-asserts-to-status | FileCheck %s
// RUN: not quant-float-opt %S/Inputs/nested-assertion.mlir --quant-float-convert-asserts-to-status 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not quant-float-opt %S/Inputs/bad-kernel.mlir --quant-float-convert-asserts-to-status 2>&1 | FileCheck %s --check-prefix=INVALID

// NESTED: error: 'cf.assert' op has no lowering in parallel loops, but got 'too late'
// INVALID: error: 'quant_float.entry_point': expected the description of an entry point, but got 1 : i64

// The kernel returns 1 if an allocation fails.

// CHECK-LABEL: func.func @f.kernel(
// CHECK-SAME:    -> i64
// CHECK:         %[[A:.+]] = memref.alloc
// CHECK:         %[[ADDRESS:.+]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         %[[THERE:.+]] = arith.cmpi ne, %[[ADDRESS]], %{{.+}}
// CHECK:         %[[NONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    cf.cond_br %[[THERE]], ^bb1, ^[[EXIT:bb[0-9]+]](%[[NONE]] : i64)
// CHECK:       ^bb1:
// CHECK-NOT:     arith.mului_extended
// CHECK:         %[[B:.+]] = memref.alloc
// CHECK:         %[[NONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    cf.cond_br %{{.+}}, ^bb2, ^[[EXIT]](%[[NONE]] : i64)
// CHECK:       ^bb2:
// CHECK:         memref.copy
// CHECK:         %[[DONE:.+]] = arith.constant 0 : i64
// CHECK:         return %[[DONE]]
// CHECK:       ^[[EXIT]](%[[STATUS:.+]]: i64):
// CHECK-NEXT:    return %[[STATUS]]
func.func @f.kernel(%x: memref<4xf32>) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "f", inputs = [], outputs = []}} {
  %a = memref.alloc() : memref<400xf32>
  %b = memref.alloc() : memref<400xf32>
  memref.copy %a, %b : memref<400xf32> to memref<400xf32>
  memref.dealloc %a : memref<400xf32>
  memref.dealloc %b : memref<400xf32>
  return
}

// -----

// A byte count that overflows size_t counts as a failed allocation. A
// multiplication that overflows saturates, so that no further factor other than
// 0 yields a small number again.

// CHECK-LABEL: func.func @many.kernel(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: index, %[[N:[a-z0-9]+]]: index) -> i64
// CHECK:         %[[MOST:.+]] = arith.constant -1 : index
// CHECK:         %[[ROW:.+]] = arith.constant 12 : index
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK:         %[[LOW:.+]], %[[HIGH:.+]] = arith.mului_extended %[[ROW]], %[[M]] : index
// CHECK:         %[[FITS:.+]] = arith.cmpi eq, %[[HIGH]], %[[ZERO]]
// CHECK:         %[[ROWS:.+]] = arith.select %[[FITS]], %[[LOW]], %[[MOST]]
// CHECK:         arith.mului_extended %[[ROWS]], %[[N]] : index
// CHECK:         %[[BYTES:.+]] = arith.select %{{.+}}, %{{.+}}, %[[MOST]]
// CHECK:         %[[IS_SIZE:.+]] = arith.cmpi sge, %[[BYTES]], %[[ZERO]]
// CHECK:         %[[CODE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    cf.cond_br %[[IS_SIZE]], ^bb1, ^[[EXIT:bb[0-9]+]](%[[CODE]] : i64)
// CHECK:       ^bb1:
// CHECK:         memref.alloc
// CHECK:         cf.cond_br %{{.+}}, ^bb2, ^[[EXIT]](
func.func @many.kernel(%m: index, %n: index) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "many", inputs = [], outputs = []}} {
  %a = memref.alloc(%m, %n) : memref<?x3x?xf32>
  memref.dealloc %a : memref<?x3x?xf32>
  return
}

// -----

// 12 bytes more than 2^64.

// CHECK-LABEL: func.func @known.kernel(
// CHECK:         arith.constant -1 : index
// CHECK:         cf.cond_br %{{.+}}, ^bb1, ^{{.+}}
// CHECK:       ^bb1:
// CHECK:         memref.alloc
func.func @known.kernel() attributes {quant_float.entry_point = {
    graph_name = "", symbol = "known", inputs = [], outputs = []}} {
  %a = memref.alloc() : memref<1537228672809129302x3xf32>
  memref.dealloc %a : memref<1537228672809129302x3xf32>
  return
}

// -----

// An assertion becomes a message of the entry point, with a status of 4 or
// more.

// CHECK-LABEL: func.func @g.kernel(
// CHECK-SAME:    messages = ["the index is too large"]
// CHECK:         %[[CODE:.+]] = arith.constant 4 : i64
// CHECK-NEXT:    cf.cond_br %{{.+}}, ^bb1, ^bb2(%[[CODE]] : i64)
// CHECK-NOT:     cf.assert
// CHECK:       ^bb2(%[[STATUS:.+]]: i64):
// CHECK-NEXT:    return %[[STATUS]]
func.func @g.kernel(%fits: i1) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "g", inputs = [], outputs = []}} {
  cf.assert %fits, "the index is too large"
  return
}

// -----

// A function that cannot fail still returns nothing.

// CHECK-LABEL: func.func @h.kernel(
// CHECK-NOT:     i64
// CHECK:         return{{$}}
func.func @h.kernel(%x: memref<4xf32>) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "h", inputs = [], outputs = []}} {
  return
}

// -----

// Asserts in a loop and in a branch: the regions become blocks.

// CHECK-LABEL: func.func @deep.kernel(
// CHECK-SAME:    -> i64
// CHECK:         memref.alloc() : memref<400xf32>
// CHECK:         cf.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT:bb[0-9]+]](%{{.+}} : i64)
// CHECK-NOT:     scf
// CHECK:         %[[INNER:.+]] = memref.alloc() : memref<500xf32>
// CHECK:         cf.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT]](%{{.+}} : i64)
// CHECK:         cf.cond_br %arg0, ^[[THEN:bb[0-9]+]]
// CHECK:         %[[LATE:.+]] = arith.constant 4 : i64
// CHECK-NEXT:    cf.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT]](%[[LATE]] : i64)
// CHECK:         scf.parallel
// CHECK:         memref.dealloc %[[INNER]]
// CHECK:         %[[LAST:.+]] = arith.constant 5 : i64
// CHECK-NEXT:    cf.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT]](%[[LAST]] : i64)
// CHECK:       ^[[EXIT]](%[[STATUS:.+]]: i64):
// CHECK-NEXT:    return %[[STATUS]]
func.func @deep.kernel(%holds: i1, %n: index) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "deep", inputs = [], outputs = []}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %outer = memref.alloc() : memref<400xf32>
  scf.for %i = %zero to %n step %one {
    %inner = memref.alloc() : memref<500xf32>
    scf.if %holds {
      cf.assert %holds, "late"
    }
    scf.parallel (%j) = (%zero) to (%n) step (%one) {
      memref.store %f, %inner[%j] : memref<500xf32>
    }
    memref.dealloc %inner : memref<500xf32>
  }
  memref.dealloc %outer : memref<400xf32>
  cf.assert %holds, "last"
  return
}
