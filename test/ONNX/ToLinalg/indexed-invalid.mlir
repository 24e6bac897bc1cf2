// Ops that move, read, write, sort and surround elements, Einsum and similar ops: errors in a node.
// RUN: quant-float-opt %s --convert-onnx-nodes-to-linalg -split-input-file -verify-diagnostics

func.func @rearranged(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %s: tensor<2x!quant_float.string>, %i: tensor<2xi64>, %o: tensor<1xi64>) {
  // expected-error @+1 {{'Trilu': the input must have rank 2 or more, but got 1}}
  %0 = quant_float.node "Trilu"(%v) opset 14 : (tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Trilu': the number of elements of input 1 must be 1, but got 2}}
  %1 = quant_float.node "Trilu"(%x, %i) opset 14 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'EyeLike': the input must have rank 2, but got 1}}
  %2 = quant_float.node "EyeLike"(%v) opset 9 : (tensor<3xf32>) -> tensor<*xf32>
  %pads = arith.constant dense<1> : tensor<2xi64>
  // expected-error @+1 {{'Pad': expected 4 pads, but got 2}}
  %3 = quant_float.node "Pad"(%x, %pads) opset 13 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Pad': expected 4 pads, but got 2}}
  %4 = quant_float.node "Pad"(%x, %pads, %i) opset 18 absent [2] : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  %all = arith.constant dense<[-2, -3]> : tensor<2xi64>
  // expected-error @+1 {{'Pad': the padded size of axis 0 must be at least 0, but got -2}}
  %5 = quant_float.node "Pad"(%v, %all) opset 13 : (tensor<3xf32>, tensor<2xi64>) -> tensor<*xf32>
  %far = arith.constant dense<[0, 4294967296]> : tensor<2xi64>
  // expected-error @+1 {{'Pad': pads must have 32 bits, but got 4294967296}}
  %6 = quant_float.node "Pad"(%v, %far) opset 13 : (tensor<3xf32>, tensor<2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'Pad': elements of type '!quant_float.string' have no zero}}
  %7 = quant_float.node "Pad"(%s, %pads) opset 13 : (tensor<2x!quant_float.string>, tensor<2xi64>) -> tensor<*x!quant_float.string>
  // expected-error @+1 {{'Tile': expected 2 repeats, but got 1}}
  %8 = quant_float.node "Tile"(%x, %o) opset 13 : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
  %outside = arith.constant dense<2> : tensor<1xi64>
  // expected-error @+1 {{'Tile': axis must be between -2 and 1, but got 2}}
  %9 = quant_float.node "Tile"(%x, %o, %outside) opset 1 : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  %less = arith.constant dense<-1> : tensor<1xi64>
  // expected-error @+1 {{'Tile': a number of repeats must be at least 0, but got -1}}
  %10 = quant_float.node "Tile"(%v, %less) opset 13 : (tensor<3xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @blocks(%x: tensor<1x3x4x5xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{'DepthToSpace': the input must have rank 4, but got 1}}
  %0 = quant_float.node "DepthToSpace"(%v) opset 13 attributes {blocksize = 2 : i64} : (tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'DepthToSpace': the number of channels in blocks must be 0, but got 3}}
  %1 = quant_float.node "DepthToSpace"(%x) opset 13 attributes {blocksize = 2 : i64} : (tensor<1x3x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'SpaceToDepth': the width in blocks must be 4, but got 5}}
  %2 = quant_float.node "SpaceToDepth"(%x) opset 13 attributes {blocksize = 2 : i64} : (tensor<1x3x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'SpaceToDepth': the height in blocks must be 3, but got 4}}
  %3 = quant_float.node "SpaceToDepth"(%x) opset 13 attributes {blocksize = 3 : i64} : (tensor<1x3x4x5xf32>) -> tensor<*xf32>
  %l = arith.constant dense<1> : tensor<1xi64>
  // expected-error @+1 {{'ReverseSequence': batch_axis and time_axis must differ}}
  %4 = quant_float.node "ReverseSequence"(%x, %l) opset 10 attributes {batch_axis = 0 : i64} : (tensor<1x3x4x5xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ReverseSequence': the number of lengths must be 3, but got 1}}
  %5 = quant_float.node "ReverseSequence"(%x, %l) opset 10 : (tensor<1x3x4x5xf32>, tensor<1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ReverseSequence': the lengths of sequences must be a vector of integers, but got 'tensor<3xf32>'}}
  %6 = quant_float.node "ReverseSequence"(%x, %v) opset 10 : (tensor<1x3x4x5xf32>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @gathers(%x: tensor<2x3xf32>, %i: tensor<4x4xi64>, %v: tensor<2xi64>, %o: tensor<2x?xi64>, %t: tensor<1x3xi64>, %f: tensor<2x2xf32>, %g: tensor<4x1xi64>, %h: tensor<3xi64>) {
  // expected-error @+1 {{'GatherElements': the size of axis 1 of the indices must be at most 3, but got 4}}
  %0 = quant_float.node "GatherElements"(%x, %i) opset 13 : (tensor<2x3xf32>, tensor<4x4xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherElements': indices must have rank 2, but got 1}}
  %1 = quant_float.node "GatherElements"(%x, %v) opset 13 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  %c = arith.constant dense<[[0, 3]]> : tensor<1x2xi64>
  // expected-error @+1 {{'GatherElements': the index 3 is outside of an axis of size 3}}
  %2 = quant_float.node "GatherElements"(%x, %c) opset 13 attributes {axis = 1 : i64} : (tensor<2x3xf32>, tensor<1x2xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherND': the number of indices of a position must be static}}
  %3 = quant_float.node "GatherND"(%x, %o) opset 13 : (tensor<2x3xf32>, tensor<2x?xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherND': a position must have at most 2 indices, but got 3}}
  %4 = quant_float.node "GatherND"(%x, %t) opset 13 : (tensor<2x3xf32>, tensor<1x3xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherND': attribute 'batch_dims' must be at least 0 and less than both ranks, but got 2}}
  %5 = quant_float.node "GatherND"(%x, %t) opset 13 attributes {batch_dims = 2 : i64} : (tensor<2x3xf32>, tensor<1x3xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherND': the size of batch axis 0 must be 2, but got 4}}
  %6 = quant_float.node "GatherND"(%x, %g) opset 13 attributes {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'GatherND': indices must be integers}}
  %7 = quant_float.node "GatherND"(%x, %f) opset 13 : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<*xf32>
  %d = arith.constant dense<-1> : tensor<i64>
  // expected-error @+1 {{'OneHot': the depth must be at least 0, but got -1}}
  %8 = quant_float.node "OneHot"(%i, %d, %v) opset 11 : (tensor<4x4xi64>, tensor<i64>, tensor<2xi64>) -> tensor<*xi64>
  %e = arith.constant dense<3> : tensor<i64>
  // expected-error @+1 {{'OneHot': input 2 must have rank 1, but got 2}}
  %9 = quant_float.node "OneHot"(%i, %e, %i) opset 11 : (tensor<4x4xi64>, tensor<i64>, tensor<4x4xi64>) -> tensor<*xi64>
  // expected-error @+1 {{'OneHot': the number of values must be 2, but got 3}}
  %10 = quant_float.node "OneHot"(%i, %e, %h) opset 11 : (tensor<4x4xi64>, tensor<i64>, tensor<3xi64>) -> tensor<*xi64>
  return
}

// -----

func.func @scatters(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>, %u: tensor<2x2xf32>, %v: tensor<3xf32>, %b: tensor<2x3xi1>) {
  // expected-error @+1 {{'ScatterElements': the size of axis 1 of the updates must be 3, but got 2}}
  %0 = quant_float.node "ScatterElements"(%x, %i, %u) opset 18 : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ScatterElements': updates must have rank 2, but got 1}}
  %1 = quant_float.node "ScatterElements"(%x, %i, %v) opset 18 : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ScatterElements': input 2 must have elements of type 'f32', but got 'i64'}}
  %2 = quant_float.node "ScatterElements"(%x, %i, %i) opset 18 : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<*xf32>
  // expected-error @+1 {{'ScatterElements': elements of type 'i1'}}
  %3 = quant_float.node "ScatterElements"(%b, %i, %b) opset 18 attributes {reduction = "add"} : (tensor<2x3xi1>, tensor<2x3xi64>, tensor<2x3xi1>) -> tensor<*xi1>
  // expected-error @+1 {{'ScatterElements': attribute 'reduction': expected 'none', 'add' or 'mul', but got 'max'}}
  %4 = quant_float.node "ScatterElements"(%x, %i, %x) opset 16 attributes {reduction = "max"} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<*xf32>
  %p = arith.constant dense<0> : tensor<2x1xi64>
  // expected-error @+1 {{'ScatterND': updates must have rank 2, but got 1}}
  %5 = quant_float.node "ScatterND"(%x, %p, %v) opset 18 : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Scatter': the op exists before opset 11 only, but the node has opset 11}}
  %6 = quant_float.node "Scatter"(%x, %i, %x) opset 11 : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @orders(%x: tensor<2x3xf32>, %a: tensor<2xi64>, %many: tensor<4294967295xi8>, %huge: tensor<144115188075855873x2xi64>) {
  // expected-error @+1 {{'CumSum': the number of elements of input 1 must be 1, but got 2}}
  %0 = quant_float.node "CumSum"(%x, %a) opset 14 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  %k = arith.constant dense<4> : tensor<1xi64>
  // expected-error @+1 {{'TopK': the number of elements must be at most 3, but got 4}}
  %1:2 = quant_float.node "TopK"(%x, %k) opset 11 : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<*xf32>, tensor<*xi64>)
  // expected-error @+1 {{'TopK': the number of elements to sort must be at most 4294967294, but got 4294967295}}
  %2:2 = quant_float.node "TopK"(%many, %k) opset 11 : (tensor<4294967295xi8>, tensor<1xi64>) -> (tensor<*xi8>, tensor<*xi64>)
  // expected-error @+1 {{'Unique': the number of elements to sort must be at most 4294967294, but got 4294967295}}
  %3:2 = quant_float.node "Unique"(%many) opset 11 : (tensor<4294967295xi8>) -> (tensor<*xi8>, tensor<*xi64>)
  // expected-error @+1 {{'Unique': the number of elements to sort must be at most 144115188075855872, but got 144115188075855873}}
  %4:2 = quant_float.node "Unique"(%huge) opset 11 attributes {axis = 0 : i64} : (tensor<144115188075855873x2xi64>) -> (tensor<*xi64>, tensor<*xi64>)
  return
}

// -----

func.func @einsums(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{'Einsum': the equation has 2 terms, but there are 1 inputs}}
  %0 = quant_float.node "Einsum"(%x) opset 12 attributes {equation = "ij,jk"} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Einsum': term 0 names 3 axes of an input of rank 2}}
  %1 = quant_float.node "Einsum"(%x) opset 12 attributes {equation = "ijk"} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Einsum': the size of axis 0 of input 1 must be 3, but got 4}}
  %2 = quant_float.node "Einsum"(%x, %y) opset 12 attributes {equation = "ij,jk"} : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Einsum': the size of axis 1 of input 0 must be 2, but got 3}}
  %diagonal = quant_float.node "Einsum"(%x) opset 12 attributes {equation = "ii"} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Einsum': expected letters and '...' in terms of the equation, but got '1'}}
  %3 = quant_float.node "Einsum"(%x) opset 12 attributes {equation = "i1->i"} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Einsum': the result of the equation has axes that no input has}}
  %4 = quant_float.node "Einsum"(%x) opset 12 attributes {equation = "ij->ik"} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Einsum': the result of the equation has an axis twice}}
  %5 = quant_float.node "Einsum"(%x) opset 12 attributes {equation = "ij->ii"} : (tensor<2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'Einsum': a term has more than one ellipsis}}
  %6 = quant_float.node "Einsum"(%x) opset 12 attributes {equation = "ij->......"} : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @windows(%x: tensor<1x4x5xf32>, %w: tensor<4x2x3xf32>, %v: tensor<3xf32>, %n: tensor<3x2x3xf32>) {
  // expected-error @+1 {{'ConvTranspose': attribute 'output_shape' must have 1 values, but got 2}}
  %0 = quant_float.node "ConvTranspose"(%x, %w) opset 11 attributes {output_shape = array<i64: 5, 5>} : (tensor<1x4x5xf32>, tensor<4x2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ConvTranspose': negative pads exceed the size}}
  %1 = quant_float.node "ConvTranspose"(%x, %w) opset 11 attributes {pads = array<i64: 5, 5>} : (tensor<1x4x5xf32>, tensor<4x2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ConvTranspose': attribute 'group' must divide the channels of the input, but got 3}}
  %2 = quant_float.node "ConvTranspose"(%x, %w) opset 11 attributes {group = 3 : i64} : (tensor<1x4x5xf32>, tensor<4x2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'ConvTranspose': the number of channels must be 3, but got 4}}
  %3 = quant_float.node "ConvTranspose"(%x, %n) opset 11 : (tensor<1x4x5xf32>, tensor<3x2x3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'LpPool': attribute 'p' must be above 0}}
  %4 = quant_float.node "LpPool"(%x) opset 11 attributes {kernel_shape = array<i64: 2>, p = 0 : i64} : (tensor<1x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'LpNormalization': attribute 'p' must be 1 or 2, but got 3}}
  %5 = quant_float.node "LpNormalization"(%x) opset 1 attributes {p = 3 : i64} : (tensor<1x4x5xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'LRN': the input must have rank 2 or more, but got 1}}
  %6 = quant_float.node "LRN"(%v) opset 13 attributes {size = 3 : i64} : (tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'InstanceNormalization': the size of input 1 must be 4, but got 3}}
  %7 = quant_float.node "InstanceNormalization"(%x, %v, %v) opset 6 : (tensor<1x4x5xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @recurrences(%x: tensor<5x2x4xf32>, %w: tensor<1x3x4xf32>, %r: tensor<1x3x3xf32>, %o: tensor<1x3x?xf32>, %v: tensor<3xf32>, %g: tensor<1x4x4xf32>) {
  // expected-error @+1 {{'RNN': attribute 'hidden_size' has 5 where the recurrent weight has 3}}
  %0:2 = quant_float.node "RNN"(%x, %w, %r) opset 14 attributes {hidden_size = 5 : i64} : (tensor<5x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'RNN': the number of hidden elements must be known}}
  %1:2 = quant_float.node "RNN"(%x, %w, %o) opset 14 : (tensor<5x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x?xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'RNN': there is no activation 'Sin'}}
  %2:2 = quant_float.node "RNN"(%x, %w, %r) opset 14 attributes {activations = ["Sin"]} : (tensor<5x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'RNN': expected 1 activations, but got 2}}
  %3:2 = quant_float.node "RNN"(%x, %w, %r) opset 14 attributes {activations = ["Tanh", "Relu"]} : (tensor<5x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'RNN': attribute 'activations' must be a list of strings}}
  %4:2 = quant_float.node "RNN"(%x, %w, %r) opset 14 attributes {activations = 1 : i64} : (tensor<5x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'RNN': the size of axis 1 of input 1 must be 3, but got 4}}
  %5:2 = quant_float.node "RNN"(%x, %g, %r) opset 14 : (tensor<5x2x4xf32>, tensor<1x4x4xf32>, tensor<1x3x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  // expected-error @+1 {{'GRU': input 1 must have rank 3, but got 1}}
  %6:2 = quant_float.node "GRU"(%x, %v, %r) opset 14 : (tensor<5x2x4xf32>, tensor<3xf32>, tensor<1x3x3xf32>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @samples(%x: tensor<1x1x4x4xf32>, %v: tensor<3xf32>, %b: tensor<2x3x3x2xf32>, %c: tensor<1x3x3x3xf32>) {
  // expected-error @+1 {{'GridSample': input and grid must have the same rank of 3 to 5, but got 4 and 1}}
  %0 = quant_float.node "GridSample"(%x, %v) opset 20 : (tensor<1x1x4x4xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GridSample': the size of the batch must be 1, but got 2}}
  %1 = quant_float.node "GridSample"(%x, %b) opset 20 : (tensor<1x1x4x4xf32>, tensor<2x3x3x2xf32>) -> tensor<*xf32>
  // expected-error @+1 {{'GridSample': the number of coordinates must be 2, but got 3}}
  %2 = quant_float.node "GridSample"(%x, %c) opset 20 : (tensor<1x1x4x4xf32>, tensor<1x3x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @selection(%s: tensor<f32>, %x: tensor<2x3xf32>, %c: tensor<4xi1>, %m: tensor<2x2xi1>, %f: tensor<2xf32>) {
  // expected-error @+1 {{'NonZero': a scalar has no axes}}
  %0 = quant_float.node "NonZero"(%s) opset 13 : (tensor<f32>) -> tensor<*xi64>
  // expected-error @+1 {{'Compress': the condition must be a vector}}
  %1 = quant_float.node "Compress"(%x, %m) opset 11 : (tensor<2x3xf32>, tensor<2x2xi1>) -> tensor<*xf32>
  // expected-error @+1 {{'Compress': the size of the condition must be at most 3, but got 4}}
  %2 = quant_float.node "Compress"(%x, %c) opset 11 attributes {axis = 1 : i64} : (tensor<2x3xf32>, tensor<4xi1>) -> tensor<*xf32>
  // expected-error @+1 {{'Compress': input 1 must have elements of type 'i1', but got 'f32'}}
  %3 = quant_float.node "Compress"(%x, %f) opset 11 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}
