// Sequences of tensors: errors in a node.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @sequences(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %i: tensor<2x3xi8>, %p: tensor<i64>, %o: tensor<?x3xf32>, %s: !quant_float.unknown) {
  %three = arith.constant dense<3> : tensor<i64>
  %below = arith.constant dense<-3> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %sizes = arith.constant dense<[1, 2]> : tensor<2xi64>
  // expected-error @+1 {{'SequenceConstruct': tensors of a sequence must have elements of the same type, but got 'tensor<2x3xf32>' and 'tensor<2x3xi8>'}}
  %0 = quant_float.node "SequenceConstruct"(%x, %i) opset 21 : (tensor<2x3xf32>, tensor<2x3xi8>) -> !quant_float.unknown
  %1 = quant_float.node "SequenceConstruct"(%x, %y) opset 21 : (tensor<2x3xf32>, tensor<3xf32>) -> !quant_float.unknown
  // expected-error @+1 {{'SequenceAt': the position must be at most 1, but got 3}}
  %2 = quant_float.node "SequenceAt"(%1, %three) opset 21 : (!quant_float.unknown, tensor<i64>) -> tensor<*xf32>
  // expected-error @+1 {{'SequenceErase': the position must be at least -2, but got -3}}
  %3 = quant_float.node "SequenceErase"(%1, %below) opset 21 : (!quant_float.unknown, tensor<i64>) -> !quant_float.unknown
  // expected-error @+1 {{'SequenceInsert': the position must be at most 2, but got 3}}
  %4 = quant_float.node "SequenceInsert"(%1, %x, %three) opset 21 : (!quant_float.unknown, tensor<2x3xf32>, tensor<i64>) -> !quant_float.unknown
  // expected-error @+1 {{'SequenceAt': tensors of a sequence have ranks 2 and 1, but the position is not a constant}}
  %5 = quant_float.node "SequenceAt"(%1, %p) opset 21 : (!quant_float.unknown, tensor<i64>) -> tensor<*xf32>
  %6 = quant_float.node "SequenceEmpty"() opset 21 : () -> !quant_float.unknown
  // expected-error @+1 {{'SequenceAt': the sequence is empty}}
  %7 = quant_float.node "SequenceAt"(%6, %p) opset 21 : (!quant_float.unknown, tensor<i64>) -> tensor<*xf32>
  // expected-error @+1 {{'SequenceErase': the sequence is empty}}
  %8 = quant_float.node "SequenceErase"(%6) opset 21 : (!quant_float.unknown) -> !quant_float.unknown
  // expected-error @+1 {{'ConcatFromSequence': the sequence is empty}}
  %9 = quant_float.node "ConcatFromSequence"(%6) opset 21 attributes {axis = 0 : i64} : (!quant_float.unknown) -> tensor<*xf32>
  // expected-error @+1 {{'SequenceLength': input 0 is not a sequence of known tensors}}
  %10 = quant_float.node "SequenceLength"(%s) opset 21 : (!quant_float.unknown) -> tensor<*xi64>
  // expected-error @+1 {{'SequenceLength': input 0 is not a sequence of known tensors}}
  %11 = quant_float.node "SequenceLength"(%x) opset 21 : (tensor<2x3xf32>) -> tensor<*xi64>
  // expected-error @+1 {{'Identity': input 0 is a sequence}}
  %12 = quant_float.node "Identity"(%1) opset 21 : (!quant_float.unknown) -> !quant_float.unknown
  // expected-error @+1 {{'SplitToSequence': the number of parts is not known}}
  %13 = quant_float.node "SplitToSequence"(%o) opset 21 : (tensor<?x3xf32>) -> !quant_float.unknown
  // expected-error @+1 {{'SplitToSequence': the number of parts is not known}}
  %14 = quant_float.node "SplitToSequence"(%x, %p) opset 21 : (tensor<2x3xf32>, tensor<i64>) -> !quant_float.unknown
  // expected-error @+1 {{'SplitToSequence': the size of a split must be at least 1, but got 0}}
  %15 = quant_float.node "SplitToSequence"(%x, %zero) opset 21 : (tensor<2x3xf32>, tensor<i64>) -> !quant_float.unknown
  // expected-error @+1 {{'SplitToSequence': the sum of all split sizes must be 2, but got 3}}
  %16 = quant_float.node "SplitToSequence"(%x, %sizes) opset 21 : (tensor<2x3xf32>, tensor<2xi64>) -> !quant_float.unknown
  return
}

// -----

func.func @long(%x: tensor<1025xf32>) {
  // expected-error @+1 {{'SplitToSequence': a sequence may have at most 1024 tensors}}
  %0 = quant_float.node "SplitToSequence"(%x) opset 21 : (tensor<1025xf32>) -> !quant_float.unknown
  return
}
