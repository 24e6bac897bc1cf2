// RUN: quant-float-opt %s -split-input-file --quant-float-guard-kernels | FileCheck %s
// RUN: not quant-float-opt %S/Inputs/nested-assertion.mlir --quant-float-guard-kernels 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not quant-float-opt %S/Inputs/bad-kernel.mlir --quant-float-guard-kernels 2>&1 | FileCheck %s --check-prefix=INVALID

// NESTED: error: 'cf.assert' op has no lowering inside of parallel loops, but got 'too late'
// INVALID: error: 'quant_float.entry_point': expected the description of an entry point, but got 1 : i64

// No memory: what there is already is freed, and 1 returned.

// CHECK-LABEL: func.func @f.kernel(
// CHECK-SAME:    -> i64
// CHECK:         %[[A:.+]] = memref.alloc
// CHECK:         %[[ADDRESS:.+]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         %[[THERE:.+]] = arith.cmpi ne, %[[ADDRESS]], %{{.+}}
// CHECK:         cf.cond_br %[[THERE]], ^bb1, ^[[FIRST:.+]]
// CHECK:       ^bb1:
// CHECK-NOT:     arith.mului_extended
// CHECK:         %[[B:.+]] = memref.alloc
// CHECK:         cf.cond_br %{{.+}}, ^bb2, ^[[SECOND:.+]]
// CHECK:       ^bb2:
// CHECK:         memref.copy
// CHECK:         %[[DONE:.+]] = arith.constant 0 : i64
// CHECK:         return %[[DONE]]
// CHECK:       ^[[FIRST]]:
// CHECK-NEXT:    %[[NONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    return %[[NONE]]
// CHECK:       ^[[SECOND]]:
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    arith.constant 1 : i64
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

// More bytes than a size_t holds are no memory either. A product that does not
// fit is the largest number, so that no other size makes it small again but 0.

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
// CHECK:         cf.cond_br %[[IS_SIZE]], ^bb1, ^[[TOO_MANY:.+]]
// CHECK:       ^bb1:
// CHECK:         memref.alloc
// CHECK:         cf.cond_br %{{.+}}, ^bb2, ^[[NONE:.+]]
// CHECK:       ^[[TOO_MANY]]:
// CHECK-NEXT:    %[[CODE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    return %[[CODE]]
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

// An assertion is a message of the entry point, and a number from 4 on.

// CHECK-LABEL: func.func @g.kernel(
// CHECK-SAME:    messages = ["the index is too large"]
// CHECK:         cf.cond_br %{{.+}}, ^bb1, ^bb2
// CHECK-NOT:     cf.assert
// CHECK:       ^bb2:
// CHECK-NEXT:    %[[CODE:.+]] = arith.constant 4 : i64
// CHECK-NEXT:    return %[[CODE]]
func.func @g.kernel(%fits: i1) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "g", inputs = [], outputs = []}} {
  cf.assert %fits, "the index is too large"
  return
}

// -----

// What cannot fail returns nothing, as before.

// CHECK-LABEL: func.func @h.kernel(
// CHECK-NOT:     i64
// CHECK:         return{{$}}
func.func @h.kernel(%x: memref<4xf32>) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "h", inputs = [], outputs = []}} {
  return
}

// -----

// Out of a loop and a branch: they become blocks. What is freed is what there is at that place, in every step: the buffer that
// the step before has freed is not.

// CHECK-LABEL: func.func @deep.kernel(
// CHECK-SAME:    -> i64
// CHECK:         %[[OUTER:.+]] = memref.alloc() : memref<400xf32>
// CHECK:         cf.cond_br %{{.+}}, ^{{.+}}, ^[[NONE:bb[0-9]+]]
// CHECK-NOT:     scf
// CHECK:         %[[INNER:.+]] = memref.alloc() : memref<500xf32>
// CHECK:         cf.cond_br %{{.+}}, ^{{.+}}, ^[[LESS:bb[0-9]+]]
// CHECK:         cf.cond_br %arg0, ^[[THEN:bb[0-9]+]]
// CHECK:         cf.cond_br %{{.+}}, ^{{.+}}, ^[[LATE:bb[0-9]+]]
// CHECK:         scf.parallel
// CHECK:         memref.dealloc %[[INNER]]
// CHECK:         memref.dealloc %[[OUTER]]
// CHECK:         cf.cond_br %{{.+}}, ^{{.+}}, ^[[LAST:bb[0-9]+]]
// CHECK:       ^[[NONE]]:
// CHECK-NEXT:    arith.constant 1 : i64
// CHECK:       ^[[LESS]]:
// CHECK-NEXT:    memref.dealloc %[[OUTER]]
// CHECK-NEXT:    arith.constant 1 : i64
// CHECK:       ^[[LATE]]:
// CHECK-NEXT:    memref.dealloc %[[OUTER]]
// CHECK-NEXT:    memref.dealloc %[[INNER]]
// CHECK-NEXT:    arith.constant 4 : i64
// CHECK:       ^[[LAST]]:
// CHECK-NEXT:    arith.constant 5 : i64
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

// -----

// A buffer that only some ways free, or that a name of which nothing is known frees, is left alone.

// CHECK-LABEL: func.func @maybe.kernel(
// CHECK:         memref.alloc() : memref<400xf32>
// CHECK:         scf.if
// CHECK:         cf.cond_br %{{.+}}, ^{{.+}}, ^[[EXIT:bb[0-9]+]]
// CHECK:       ^[[EXIT]]:
// CHECK-NEXT:    arith.constant 4 : i64
func.func @maybe.kernel(%holds: i1) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "maybe", inputs = [], outputs = []}} {
  %a = memref.alloc() : memref<400xf32>
  scf.if %holds {
    %base, %offset, %size, %stride = memref.extract_strided_metadata %a
      : memref<400xf32> -> memref<f32>, index, index, index
    memref.dealloc %base : memref<f32>
  }
  cf.assert %holds, "after"
  return
}

// -----

// Of more than two buffers each has a block that frees it, which checks share.

// CHECK-LABEL: func.func @chain.kernel(
// CHECK:         %[[A:.+]] = memref.alloc() : memref<1xf32>
// CHECK:         %[[B:.+]] = memref.alloc() : memref<2xf32>
// CHECK:         %[[C:.+]] = memref.alloc() : memref<3xf32>
// CHECK:         %[[D:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         %[[NONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT:    cf.cond_br %{{.+}}, ^{{.+}}, ^[[THIRD:bb[0-9]+]](%[[NONE]] : i64)
// CHECK:         %[[FIRST_MESSAGE:.+]] = arith.constant 4 : i64
// CHECK-NEXT:    cf.cond_br %{{.+}}, ^{{.+}}, ^[[FOURTH:bb[0-9]+]](%[[FIRST_MESSAGE]] : i64)
// CHECK:         memref.dealloc %[[D]]
// CHECK:         %[[SECOND_MESSAGE:.+]] = arith.constant 5 : i64
// CHECK-NEXT:    cf.cond_br %{{.+}}, ^{{.+}}, ^[[THIRD]](%[[SECOND_MESSAGE]] : i64)
// CHECK:       ^[[FIRST:bb[0-9]+]](%[[STATUS:.+]]: i64):
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    return %[[STATUS]]
// CHECK:       ^[[SECOND:bb[0-9]+]](%[[STATUS:.+]]: i64):
// CHECK-NEXT:    memref.dealloc %[[B]]
// CHECK-NEXT:    cf.br ^[[FIRST]](%[[STATUS]] : i64)
// CHECK:       ^[[THIRD]](%[[STATUS:.+]]: i64):
// CHECK-NEXT:    memref.dealloc %[[C]]
// CHECK-NEXT:    cf.br ^[[SECOND]](%[[STATUS]] : i64)
// CHECK:       ^[[FOURTH]](%[[STATUS:.+]]: i64):
// CHECK-NEXT:    memref.dealloc %[[D]]
// CHECK-NEXT:    cf.br ^[[THIRD]](%[[STATUS]] : i64)
func.func @chain.kernel(%one: i1, %other: i1) attributes {quant_float.entry_point = {
    graph_name = "", symbol = "chain", inputs = [], outputs = []}} {
  %a = memref.alloc() : memref<1xf32>
  %b = memref.alloc() : memref<2xf32>
  %c = memref.alloc() : memref<3xf32>
  %d = memref.alloc() : memref<4xf32>
  cf.assert %one, "one"
  memref.dealloc %d : memref<4xf32>
  cf.assert %other, "other"
  memref.dealloc %a : memref<1xf32>
  memref.dealloc %b : memref<2xf32>
  memref.dealloc %c : memref<3xf32>
  return
}
