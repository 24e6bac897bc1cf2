// Bodies of OpenVINO layers without an equivalent in ONNX, each with the reason. The importer
// creates only complete ones.
// RUN: quant-float-opt %s --convert-openvino-nodes-to-onnx -verify-diagnostics

func.func @conditions(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{no lowering of the OpenVINO layer 'If': 'then_body' is missing}}
  %0 = quant_float.node "If"(%c, %x) opset 8 domain "openvino" : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'If': attribute 'else_inputs' does not match the body}}
  %1 = quant_float.node "If"(%c, %x) opset 8 domain "openvino" attributes {else_inputs = array<i64: 2>, else_outputs = array<i64: 0>, then_inputs = array<i64: 1>, then_outputs = array<i64: 0>} : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> bodies ["then_body", "else_body"] {
  ^bb0(%a: tensor<2xf32>):
    quant_float.yield %a : tensor<2xf32>
  }, {
  ^bb0(%a: tensor<2xf32>):
    quant_float.yield %a : tensor<2xf32>
  }
  return
}

func.func @loops(%x: tensor<2x4xf32>, %open: tensor<?x?xf32>, %any: tensor<*xf32>) {
  // expected-error @+1 {{'TensorIterator': the number of iterations is not specified}}
  %0 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: -1>, input_ends = array<i64: -1>, input_parts = array<i64: -1>, input_starts = array<i64: -1>, input_strides = array<i64: -1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x4xf32>):
    quant_float.yield %a : tensor<2x4xf32>
  }
  // expected-error @+1 {{a sliced tensor has the type 'tensor<*xf32>', whose rank is not known}}
  %1 = quant_float.node "TensorIterator"(%any) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 1>, input_starts = array<i64: 0>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<*xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x4xf32>):
    quant_float.yield %a : tensor<2x4xf32>
  }
  // expected-error @+1 {{expected consecutive slices of one of 2 axes, but got axis 2, part_size 1 and stride 1}}
  %2 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 2>, input_ends = array<i64: -1>, input_parts = array<i64: 1>, input_starts = array<i64: 0>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x4xf32>):
    quant_float.yield %a : tensor<2x4xf32>
  }
  // expected-error @+1 {{expected consecutive slices of one of 2 axes, but got axis 1, part_size 2 and stride 1}}
  %3 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 2>, input_starts = array<i64: 0>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x4xf32>):
    quant_float.yield %a : tensor<2x4xf32>
  }
  // expected-error @+1 {{expected slices of the whole axis, but got start 1, end -1 and part_size 1}}
  %4 = quant_float.node "TensorIterator"(%open) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 1>, input_starts = array<i64: 1>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<?x1xf32>):
    quant_float.yield %a : tensor<?x1xf32>
  }
  // expected-error @+1 {{the last value of a body output without a back edge has the type 'tensor<?x1xf32>'}}
  %5 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 1>, input_starts = array<i64: 0>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<?x1xf32>):
    quant_float.yield %a : tensor<?x1xf32>
  }
  // expected-error @+1 {{expected slices of the whole axis, but got start 1, end -1 and part_size 1}}
  %6 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 1>, input_starts = array<i64: 0>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: 1>, output_ends = array<i64: -1>, output_parts = array<i64: 1>, output_starts = array<i64: 1>, output_strides = array<i64: 1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x1xf32>):
    quant_float.yield %a : tensor<2x1xf32>
  }
  // expected-error @+1 {{an output without a result}}
  %7 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 1>, input_starts = array<i64: 0>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: -1>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x1xf32>):
    quant_float.yield %a : tensor<2x1xf32>
  }
  // expected-error @+1 {{a back edge leads to the iteration counter}}
  %8 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1, 1>, condition = -1 : i64, input_axes = array<i64: 1, -1>, input_ends = array<i64: -1, -1>, input_parts = array<i64: 1, -1>, input_starts = array<i64: 0, -1>, input_strides = array<i64: 1, -1>, inputs = array<i64: 0, -1>, iteration = 1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x1xf32>, %i: tensor<i64>):
    quant_float.yield %a, %i : tensor<2x1xf32>, tensor<i64>
  }
  // expected-error @+1 {{its inputs have 4 and 2 slices}}
  %9 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1, -1>, condition = -1 : i64, input_axes = array<i64: 1, 1>, input_ends = array<i64: -1, 0>, input_parts = array<i64: 1, 2>, input_starts = array<i64: 0, -1>, input_strides = array<i64: 1, -2>, inputs = array<i64: 0, 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x1xf32>, %d: tensor<2x2xf32>):
    quant_float.yield %a : tensor<2x1xf32>
  }
  // expected-error @+1 {{expected slices of the whole axis, but got start 0, end -1 and part_size 3}}
  %10 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 3>, input_starts = array<i64: 0>, input_strides = array<i64: 3>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x3xf32>):
    quant_float.yield %a : tensor<2x3xf32>
  }
  // expected-error @+1 {{slices of more than 1048576 elements: part_size 2147483647}}
  %11 = quant_float.node "TensorIterator"(%open) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 2147483647>, input_starts = array<i64: 0>, input_strides = array<i64: 2147483647>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<?x?xf32>):
    quant_float.yield %a : tensor<?x?xf32>
  }
  // The output of a layer may have an unknown type.
  // expected-error @+1 {{the last value of a body output without a back edge has the type '!quant_float.unknown'}}
  %12 = quant_float.node "TensorIterator"(%x) opset 1 domain "openvino" attributes {back_edges = array<i64: -1>, condition = -1 : i64, input_axes = array<i64: 1>, input_ends = array<i64: -1>, input_parts = array<i64: 1>, input_starts = array<i64: 0>, input_strides = array<i64: 1>, inputs = array<i64: 0>, iteration = -1 : i64, output_axes = array<i64: -1>, output_ends = array<i64: -1>, output_parts = array<i64: -1>, output_starts = array<i64: -1>, output_strides = array<i64: -1>, outputs = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<*xf32> bodies ["body"] {
  ^bb0(%a: tensor<2x1xf32>):
    // expected-error @+1 {{no lowering of the OpenVINO layer 'Odd'}}
    %u = quant_float.node "Odd"(%a) opset 1 domain "openvino" : (tensor<2x1xf32>) -> !quant_float.unknown
    quant_float.yield %u : !quant_float.unknown
  }
  return
}
