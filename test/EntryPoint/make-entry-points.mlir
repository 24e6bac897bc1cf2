// RUN: quant-float-opt %s -split-input-file --quant-float-make-entry-points=share=false | FileCheck %s

// The dynamic sizes of the results are those of the arguments. Nothing is computed.

// CHECK-LABEL: func.func @narrow.kernel(
// CHECK-SAME:    %[[X:.+]]: tensor<?x4xf32> {bufferization.writable = false},
// CHECK-SAME:    %[[QUANTIZED:.+]]: tensor<3xi8> {bufferization.writable = false},
// CHECK-SAME:    %[[Y:.+]]: memref<?x4xf16>, %[[COPY:.+]]: memref<3xi8>)
// CHECK-SAME:    quant_float.entry_point = {graph_name = "my graph",
// CHECK-SAME:      inputs = [{dtype = 1 : i32, name = "x in", sizes = array<i64: -1, 4>},
// CHECK-SAME:                {dtype = 21 : i32, name = "", sizes = array<i64: 3>}],
// CHECK-SAME:      outputs = [{dtype = 10 : i32, name = "y", sizes = array<i64: -1, 4>},
// CHECK-SAME:                 {dtype = 21 : i32, name = "", sizes = array<i64: 3>}],
// CHECK-SAME:      symbol = "narrow"}
// CHECK:         %[[RESULT:.+]] = linalg.generic
// CHECK:         bufferization.materialize_in_destination %[[RESULT]] in restrict writable %[[Y]]
// CHECK:         bufferization.materialize_in_destination %[[QUANTIZED]] in restrict writable %[[COPY]]
// CHECK-NEXT:    return{{$}}

// CHECK-LABEL: func.func @narrow.sizes(
// CHECK-SAME:    %[[D0:.+]]: index, %{{.+}}: index, %{{.+}}: index) -> index {
// CHECK-NOT:     linalg
// CHECK:         return %[[D0]] : index

// CHECK-NOT:   func.func @narrow(
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @narrow(%x: tensor<?x4xf32> {quant_float.name = "x in"},
                %quantized: tensor<3xi8> {quant_float.element_type = ui4})
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
  return %y, %quantized : tensor<?x4xf16>, tensor<3xi8>
}

// -----

// A function with a caller is kept as a private function.

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

// Functions without tensors and private functions are not entry points.

// CHECK-LABEL: func.func @scalar(
// CHECK-LABEL: func.func private @helper(
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}
func.func private @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// A name that is reserved in C is replaced. The header mentions both names.

// CHECK-LABEL: func.func @graph_double.kernel(
// CHECK-SAME:    symbol = "graph_double"
func.func @double(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// The same holds for the C library's functions that compiled code calls.

// CHECK-LABEL: func.func @graph_tanhf.kernel(
// CHECK-LABEL: func.func @graph_malloc.kernel(
func.func @tanhf(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @malloc(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// Sizes that depend on elements are computed first, and written to a buffer. A kernel that only computes sizes then returns.

// CHECK-LABEL: func.func @data_dependent.kernel(
// CHECK-SAME:    %[[N:.+]]: tensor<1xi64> {{.*}}, %[[X:.+]]: tensor<?xf32> {{.*}}, %[[Y:.+]]: memref<?xf32>, %[[Z:.+]]: memref<?xf32>, %[[SIZES:.+]]: memref<2xi64>, %[[SIZES_ONLY:.+]]: i64)
// CHECK-SAME:    data_dependent_sizes,
// CHECK:         tensor.extract %[[X]]
// CHECK:         cf.assert {{.*}}, "before"
// CHECK:         %[[READ:.+]] = tensor.extract %[[N]]
// CHECK-NOT:     linalg
// CHECK-NOT:     "behind"
// CHECK-DAG:     %[[GIVEN:.+]] = memref.dim %[[Y]]
// CHECK-DAG:     %[[SAME:.+]] = arith.cmpi eq, %{{.+}}, %[[GIVEN]]
// CHECK-DAG:     %[[RUNS:.+]] = arith.cmpi eq, %[[SIZES_ONLY]], %{{.+}} : i64
// CHECK:         memref.store %{{.+}}, %[[SIZES]]
// CHECK-NEXT:    memref.store %{{.+}}, %[[SIZES]]
// CHECK-NEXT:    cf.assert %[[RUNS]], "only the sizes of the results are computed"
// CHECK-NEXT:    cf.assert %[[SAME]], "output 0: the size of dimension 0 differs from the result of the shape function"
// CHECK:         cf.assert {{.*}}, "behind"
// CHECK:         linalg.fill
// CHECK:         %[[FILLED:.+]] = bufferization.to_buffer %{{.+}} read_only : tensor<?xf32> to memref<?xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    memref.copy %[[FILLED]], %[[Y]]
// CHECK:         memref.copy %{{.+}}, %[[Z]]
// CHECK-NEXT:    return

// CHECK-LABEL: func.func @data_dependent.sizes(
// CHECK-SAME:    %{{.+}}: index, %[[D0:.+]]: index) -> (index, index)
// A computed size never equals the number that represents an unknown size, even if the sum overflows.
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant -9223372036854775807 : index
// CHECK-DAG:     %[[LATER:.+]] = arith.constant -9223372036854775808 : index
// CHECK:         %[[KNOWN:.+]] = arith.maxsi %[[D0]], %[[LEAST]]
// CHECK:         return %[[LATER]], %[[KNOWN]] : index, index
func.func @data_dependent(%n: tensor<1xi64>, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
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

// The kernel computes sizes that need a loop. An assertion on sizes alone becomes a check.

// CHECK-LABEL: func.func @computed.kernel(
// CHECK-NOT:     "two or more"{{$}}
// CHECK:         linalg.generic
// CHECK:         memref.store
// CHECK:         cf.assert
// CHECK-LABEL: func.func @computed.sizes(
// CHECK-NOT:     cf.assert
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

// -----

// Ops that write to tensors and to local buffers do not write to results.

// CHECK-LABEL: func.func @stores.kernel(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?xf32>, %[[SIZES:.+]]: memref<1xi64>, %{{.+}}: i64)
// CHECK:         memref.store %{{.+}}, %[[SIZES]]
// CHECK-NOT:     memref.store
// CHECK:         cf.assert %{{.+}}, "output 0: the size of dimension 0 differs from the result of the shape function"
// CHECK-NOT:     cf.assert
// CHECK:         bufferization.materialize_in_destination {{.*}} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK:         bufferization.materialize_in_destination {{.*}} in restrict writable %{{.+}} : (tensor<?xf32>, memref<?xf32>)
// CHECK:         memref.copy %{{.+}}, %[[Y]]
func.func @stores(%n: tensor<i64>) -> tensor<?xf32> {
  %read = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %read : i64 to index
  %from = tensor.empty(%count) : tensor<?xf32>
  %to = tensor.empty(%count) : tensor<?xf32>
  %y = bufferization.materialize_in_destination %from in %to : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %own = memref.alloc(%count) : memref<?xf32>
  bufferization.materialize_in_destination %y in restrict writable %own : (tensor<?xf32>, memref<?xf32>) -> ()
  return %y : tensor<?xf32>
}
