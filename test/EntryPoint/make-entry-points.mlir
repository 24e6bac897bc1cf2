// RUN: quant-float-opt %s -split-input-file --quant-float-make-entry-points=share=false | FileCheck %s
// RUN: quant-float-opt %s --quant-float-make-entry-points=cut-branches=false --split-input-file | FileCheck %s --check-prefix=WHOLE

// Open sizes of the results are those of the arguments; nothing is computed.

// CHECK-LABEL: func.func @narrow.kernel(
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xf32> {bufferization.writable = false},
// CHECK-SAME:    %[[CODES:.+]]: tensor<3xi8> {bufferization.writable = false},
// CHECK-SAME:    %[[Y:.+]]: memref<?x4xf16>, %[[COPY:.+]]: memref<3xi8>)
// CHECK-SAME:    quant_float.entry_point = {graph_name = "my graph",
// CHECK-SAME:      inputs = [{dtype = 1 : i32, name = "x in", sizes = array<i64: -1, 4>},
// CHECK-SAME:                {dtype = 21 : i32, name = "", sizes = array<i64: 3>}],
// CHECK-SAME:      outputs = [{dtype = 10 : i32, name = "y", sizes = array<i64: -1, 4>},
// CHECK-SAME:                 {dtype = 21 : i32, name = "", sizes = array<i64: 3>}],
// CHECK-SAME:      symbol = "narrow"}
// CHECK:         %[[RESULT:.+]] = linalg.generic
// CHECK:         bufferization.materialize_in_destination %[[RESULT]] in restrict writable %[[Y]]
// CHECK:         bufferization.materialize_in_destination %[[CODES]] in restrict writable %[[COPY]]
// CHECK-NEXT:    return{{$}}

// CHECK-LABEL: func.func @narrow.sizes(
// CHECK-SAME:    %[[D0:.+]]: index, %{{.+}}: index, %{{.+}}: index) -> index {
// CHECK-NOT:     linalg
// CHECK:         return %[[D0]] : index

// CHECK-NOT:   func.func @narrow(
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @narrow(%x: tensor<?x4xf32> {quant_float.name = "x in"},
                %codes: tensor<3xi8> {quant_float.element_type = ui4})
    -> (tensor<?x4xf16> {quant_float.name = "y"},
        tensor<3xi8> {quant_float.element_type = ui4})
    attributes {quant_float.graph_name = "my graph"} {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%size) : tensor<?x4xf16>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%empty : tensor<?x4xf16>) {
  ^bb0(%in: f32, %out: f16):
    %narrow = arith.truncf %in : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<?x4xf16>
  return %y, %codes : tensor<?x4xf16>, tensor<3xi8>
}

// -----

// A function that is called from inside stays, privately.

// CHECK-LABEL: func.func @called.kernel(
// CHECK-LABEL: func.func @called.sizes(
// CHECK-LABEL: func.func private @called(
func.func @called(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// CHECK-LABEL: func.func @caller.kernel(
// CHECK:         call @called(
func.func @caller(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @called(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// No tensors: not an entry point. Private: neither.

// CHECK-LABEL: func.func @scalar(
// CHECK-LABEL: func.func private @helper(
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}
func.func private @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// A name that C has taken gets another one; the header tells both.

// CHECK-LABEL: func.func @graph_double.kernel(
// CHECK-SAME:    symbol = "graph_double"
func.func @double(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// So do the C library's functions that compiled code calls.

// CHECK-LABEL: func.func @graph_tanhf.kernel(
// CHECK-LABEL: func.func @graph_malloc.kernel(
func.func @tanhf(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @malloc(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// Where sizes depend on elements, these are read, but no more than that. What is asserted before stays.

// CHECK-LABEL: func.func @measured.kernel(
// CHECK-SAME:    %[[N:.+]]: tensor<1xi64> {{.*}}, %[[X:.+]]: tensor<?xf32> {{.*}}, %[[Y:.+]]: memref<?xf32>, %[[Z:.+]]: memref<?xf32>)
// CHECK:         %[[GIVEN:.+]] = memref.dim %[[Y]]
// CHECK:         tensor.extract %[[N]]
// CHECK-NEXT:    %[[COUNT:.+]] = arith.index_cast
// CHECK-NEXT:    %[[SAME:.+]] = arith.cmpi eq, %[[COUNT]], %[[GIVEN]]
// CHECK-NEXT:    cf.assert %[[SAME]], "output 0: the size of dimension 0 is another one than when it was measured"
// CHECK:         cf.assert
// CHECK:         %[[FILLED:.+]] = bufferization.to_buffer %{{.+}} read_only : tensor<?xf32> to memref<?xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    memref.copy %[[FILLED]], %[[Y]]
// CHECK:         memref.copy %{{.+}}, %[[Z]]
// CHECK-NEXT:    return

// CHECK-LABEL: func.func @measured.sizes(
// CHECK-SAME:    %{{.+}}: index, %[[D0:.+]]: index) -> (index, index)
// Not the number in place of a size that is not measured yet, whatever the sum overflows to.
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant -9223372036854775807 : index
// CHECK-DAG:     %[[LATER:.+]] = arith.constant -9223372036854775808 : index
// CHECK:         %[[KNOWN:.+]] = arith.maxsi %[[D0]], %[[LEAST]]
// CHECK:         return %[[LATER]], %[[KNOWN]] : index, index

// CHECK-LABEL: func.func @measured.measure(
// CHECK-SAME:    %[[N:.+]]: tensor<1xi64> {{.*}}, %[[X:.+]]: tensor<?xf32> {{.*}}, %[[OUT:.+]]: memref<2xi64>)
// CHECK-SAME:    measure, outputs = [{dtype = 7 : i32, name = "", sizes = array<i64: 2>}], symbol = "measured"
// CHECK:         tensor.extract %[[X]]
// CHECK:         cf.assert {{.*}}, "before"
// CHECK:         tensor.extract %[[N]]
// CHECK-NOT:     linalg
// CHECK-NOT:     "behind"
// CHECK:         %[[ALL:.+]] = tensor.from_elements
// CHECK:         bufferization.materialize_in_destination %[[ALL]] in restrict writable %[[OUT]]
func.func @measured(%n: tensor<1xi64>, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %first = tensor.extract %x[%c0] : tensor<?xf32>
  %isZero = arith.cmpf oeq, %first, %zero : f32
  cf.assert %isZero, "before"
  %read = tensor.extract %n[%c0] : tensor<1xi64>
  %count = arith.index_cast %read : i64 to index
  %isOne = arith.cmpf ogt, %first, %zero : f32
  cf.assert %isOne, "behind"
  %empty = tensor.empty(%count) : tensor<?xf32>
  %y = linalg.fill ins(%first : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %y, %x : tensor<?xf32>, tensor<?xf32>
}

// -----

// What branches compute is not computed for its sizes.

// WHOLE-LABEL: func.func @branches.measure(
// WHOLE:         linalg.generic
// WHOLE:         tensor.from_elements

// CHECK-LABEL: func.func @branches.measure(
// CHECK-SAME:    %[[WHICH:[a-z0-9]+]]: tensor<i8> {{.*}}, %[[X:.+]]: tensor<?xf32> {{.*}}, %{{.+}}: memref<1xi64>)
// CHECK-NOT:     linalg
// CHECK:         %[[COUNT:.+]] = tensor.dim %[[X]]
// CHECK:         %[[SIZE:.+]] = {{scf.if|arith.select}} %{{.+}}
// CHECK-NOT:     linalg
// CHECK:         tensor.from_elements
func.func @branches(%which: tensor<i8>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %byte = tensor.extract %which[] : tensor<i8>
  %first = arith.trunci %byte : i8 to i1
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %twice = arith.addi %size, %size : index
  %y = scf.if %first -> tensor<?xf32> {
    %empty = tensor.empty(%size) : tensor<?xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%twice) : tensor<?xf32>
    %0 = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// What sizes are computed from sizes by, asserts nothing there: the kernel does.

// CHECK-LABEL: func.func @computed.kernel(
// CHECK:         cf.assert
// CHECK-LABEL: func.func @computed.sizes(
// CHECK-NOT:     cf.assert
// CHECK:         linalg.generic
// CHECK:         return
func.func @computed(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %isEnough = arith.cmpi sge, %size, %c2 : index
  cf.assert %isEnough, "two or more"
  %sizes = tensor.from_elements %size : tensor<1xindex>
  %init = tensor.empty() : tensor<1xindex>
  %products = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sizes : tensor<1xindex>) outs(%init : tensor<1xindex>) {
  ^bb0(%in: index, %out: index):
    %product = arith.muli %in, %in : index
    linalg.yield %product : index
  } -> tensor<1xindex>
  %count = tensor.extract %products[%c0] : tensor<1xindex>
  %empty = tensor.empty(%count) : tensor<?xf32>
  %y = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
