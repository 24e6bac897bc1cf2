// Ops without an equivalent in StableHLO: each error names the op and the
// reason.
// RUN: quant-float-opt --allow-unregistered-dialect --convert-onnx-to-stablehlo --split-input-file --verify-diagnostics %s

func.func @f(%a0: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Gelu': the node is not in the table of forms}}
  %r = quant_float.node "Gelu"(%a0) opset 28 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Add': an unexpected number of inputs, 1}}
  %r = quant_float.node "Add"(%a0) opset 28 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<3xf32>) {
  // expected-error @+1 {{no StableHLO for 'Add': the shapes of the inputs cannot be broadcast}}
  %r = quant_float.node "Add"(%a0, %a1) opset 28 : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<?xf32>, %a1: tensor<?xf32>) {
  // expected-error @+1 {{no StableHLO for 'Add': operand 0 has the type 'tensor<?xf32>', but must have a static shape}}
  %r = quant_float.node "Add"(%a0, %a1) opset 28 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf8E5M2>) {
  // expected-error @+1 {{no StableHLO for 'Abs': elements of type 'f8E5M2'}}
  %r = quant_float.node "Abs"(%a0) opset 28 : (tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'BitCast': attribute 'to'}}
  %r = quant_float.node "BitCast"(%a0) opset 28 attributes {to = 3 : i64} : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<1xi64>) {
  // expected-error @+1 {{no StableHLO for 'Reshape': input 1 must be a constant list of integers}}
  %r = quant_float.node "Reshape"(%a0, %a1) opset 28 : (tensor<4xf32>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>) {
  %c1 = arith.constant dense<[3]> : tensor<1xi64>
  // expected-error @+1 {{no StableHLO for 'Reshape': a shape that does not fit 'tensor<4xf32>'}}
  %r = quant_float.node "Reshape"(%a0, %c1) opset 28 : (tensor<4xf32>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<4x4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Concat': inputs of different ranks}}
  %r = quant_float.node "Concat"(%a0, %a1) opset 28 attributes {axis = 0 : i64} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Concat': expected an axis of a tensor of rank 1, but got 3}}
  %r = quant_float.node "Concat"(%a0, %a1) opset 28 attributes {axis = 3 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>) {
  %c1 = arith.constant dense<0> : tensor<1xi64>
  %c2 = arith.constant dense<1> : tensor<2xi64>
  // expected-error @+1 {{no StableHLO for 'Slice': lists of different sizes}}
  %r = quant_float.node "Slice"(%a0, %c1, %c2) opset 28 : (tensor<4xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>) {
  %c1 = arith.constant dense<0> : tensor<1xi64>
  %c2 = arith.constant dense<1> : tensor<1xi64>
  %c3 = arith.constant dense<0> : tensor<1xi64>
  %c4 = arith.constant dense<0> : tensor<1xi64>
  // expected-error @+1 {{no StableHLO for 'Slice': a step of 0}}
  %r = quant_float.node "Slice"(%a0, %c1, %c2, %c3, %c4) opset 28 : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>) {
  %c1 = arith.constant dense<0> : tensor<2xi64>
  // expected-error @+1 {{no StableHLO for 'Unsqueeze': an axis is listed twice}}
  %r = quant_float.node "Unsqueeze"(%a0, %c1) opset 28 : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Transpose': attribute 'perm'}}
  %r = quant_float.node "Transpose"(%a0) opset 28 attributes {perm = array<i64: 0, 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xi8>, %a1: tensor<3x4xi8>, %a2: tensor<i8>) {
  // expected-error @+1 {{no StableHLO for 'MatMulInteger': zero points of a matmul}}
  %r = quant_float.node "MatMulInteger"(%a0, %a1, %a2) opset 28 : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<i8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<4x4xf32>) {
  // expected-error @+1 {{no StableHLO for 'MatMul': operands of rank 1}}
  %r = quant_float.node "MatMul"(%a0, %a1) opset 28 : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x5xf32>) {
  // expected-error @+1 {{no StableHLO for 'MatMul': operands of types 'tensor<2x3xf32>' and 'tensor<4x5xf32>'}}
  %r = quant_float.node "MatMul"(%a0, %a1) opset 28 : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3x5xf16>) {
  // expected-error @+1 {{no StableHLO for 'MatMul': operands of types 'tensor<2x3xf32>' and 'tensor<3x5xf16>'}}
  %r = quant_float.node "MatMul"(%a0, %a1) opset 28 : (tensor<2x3xf32>, tensor<3x5xf16>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Add': input 0 is absent}}
  %r = quant_float.node "Add"(%x) opset 28 absent [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Clip': input 0 is absent}}
  %r = quant_float.node "Clip"(%x) opset 28 absent [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'math.absf': the op has no form in StableHLO}}
  %r = math.absf %x : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'quant_float.cast': StableHLO, as XLA implements it, has no elements of type 'f6E2M3FN'}}
  %r = quant_float.cast %x opset 28 : tensor<4xf32> to tensor<4xf6E2M3FN>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @+1 {{a cast of 'i32' to 'bf16': 16842753 would be rounded twice}}
  %r = quant_float.cast %x opset 28 : tensor<4xi32> to tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xf64>) {
  // expected-error @+1 {{a cast of 'f64' to 'bf16': values next to a midpoint, such as 1.0039062500000002, would be rounded twice}}
  %r = quant_float.cast %x opset 28 : tensor<4xf64> to tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{a cast with 'mode openvino' that is no ONNX cast: the canonicalizer converts those that are}}
  %r = quant_float.cast %x mode openvino opset 1 : tensor<4xf32> to tensor<4xi8>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'quant_float.cast': a cast with 'mode p3109'}}
  %r = quant_float.cast %x mode p3109 opset 1 projection <D1, ToOdd, SatNone> : tensor<4xf32> to tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xui8>) {
  // expected-error @+1 {{no StableHLO for 'quant_float.cast': stochastic rounding}}
  %r = quant_float.cast %x, %y mode quant_float opset 1 round_mode stochastic : tensor<4xf32>, tensor<4xui8> to tensor<4xbf16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<f4E2M1FN>) {
  // expected-error @+1 {{no StableHLO for 'quant_float.quantize': a zero point of 'f4E2M1FN'}}
  %r = quant_float.quantize %x, %s, %z opset 28 : tensor<4xf32>, tensor<f32>, tensor<f4E2M1FN> to tensor<4xf4E2M1FN>
  return
}

// -----

// expected-error @+1 {{expected a function of one block with a return}}
func.func @f() {
  cf.br ^end
^end:
  return
}

// -----

// expected-error @+1 {{expected the types of the returned values as result types, which callers use}}
func.func private @callee(%x: tensor<4xf32>) -> tensor<*xf32> {
  %r = quant_float.node "Abs"(%x) opset 28 : (tensor<4xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
func.func @f(%x: tensor<4xf32>) {
  %r = call @callee(%x) : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  %s = arith.constant dense<-9223372036854775808> : tensor<1xi64>
  // expected-error @+1 {{no StableHLO for 'Expand': a shape with a negative size}}
  %r = quant_float.node "Expand"(%x, %s) opset 28 : (tensor<4xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{no StableHLO for 'Concat': inputs of types 'tensor<4x2xf32>' and 'tensor<4x3xf32>'}}
  %r = quant_float.node "Concat"(%x, %y) opset 28 attributes {axis = 0 : i64} : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  %s = arith.constant dense<[4611686018427387904, 4, -1]> : tensor<3xi64>
  // expected-error @+1 {{no StableHLO for 'Reshape': a shape that does not fit 'tensor<4xf32>'}}
  %r = quant_float.node "Reshape"(%x, %s) opset 28 : (tensor<4xf32>, tensor<3xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'ArgMax': the last index of equal elements}}
  %r = quant_float.node "ArgMax"(%x) opset 28 attributes {select_last_index = 1 : i64} : (tensor<4xf32>) -> tensor<1xi64>
  return
}

// -----

func.func @f(%x: tensor<0xf32>) {
  // expected-error @+1 {{no StableHLO for 'ArgMin': an axis of size 0}}
  %r = quant_float.node "ArgMin"(%x) opset 28 : (tensor<0xf32>) -> tensor<1xi64>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xi8>) {
  // expected-error @+1 {{no StableHLO for 'Gather': indices of type 'i8'}}
  %r = quant_float.node "Gather"(%x, %i) opset 28 : (tensor<4x6xf32>, tensor<2xi8>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{no StableHLO for 'GatherElements': indices of type 'tensor<2xi64>' for a tensor of rank 2}}
  %r = quant_float.node "GatherElements"(%x, %i) opset 28 : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{no StableHLO for 'GatherND': indices of type 'tensor<2x3xi64>' for a tensor of rank 2}}
  %r = quant_float.node "GatherND"(%x, %i) opset 28 : (tensor<4x6xf32>, tensor<2x3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<4x1xi64>) {
  // expected-error @+1 {{no StableHLO for 'GatherND': attribute 'batch_dims'}}
  %r = quant_float.node "GatherND"(%x, %i) opset 28 attributes {batch_dims = 1 : i64} : (tensor<4x6xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3x2xi64>, %u: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'ScatterND': updates of type 'tensor<4xf32>', which must have the type 'tensor<3xf32>'}}
  %r = quant_float.node "ScatterND"(%x, %i, %u) opset 28 : (tensor<4x6xf32>, tensor<3x2xi64>, tensor<4xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xi1>, %i: tensor<3x2xi64>, %u: tensor<3xi1>) {
  // expected-error @+1 {{no StableHLO for 'ScatterND': the reduction 'add' of elements of type 'i1'}}
  %r = quant_float.node "ScatterND"(%x, %i, %u) opset 28 attributes {reduction = "add"} : (tensor<4x6xi1>, tensor<3x2xi64>, tensor<3xi1>) -> tensor<4x6xi1>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) {
  %k = arith.constant dense<7> : tensor<1xi64>
  // expected-error @+1 {{no StableHLO for 'TopK': expected a count from 0 to the size of the axis}}
  %r:2 = quant_float.node "TopK"(%x, %k) opset 28 : (tensor<4x6xf32>, tensor<1xi64>) -> (tensor<4x7xf32>, tensor<4x7xi64>)
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) {
  %k = arith.constant dense<3> : tensor<1xi64>
  // expected-error @+1 {{no StableHLO for 'TopK': an unexpected number of results}}
  %r = quant_float.node "TopK"(%x, %k) opset 28 : (tensor<4x6xf32>, tensor<1xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<1xi64>) {
  // expected-error @+1 {{no StableHLO for 'Slice': starts that are not constant, of a slice of unknown size}}
  %r = quant_float.node "Slice"(%x, %s, %s) opset 28 : (tensor<4x6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<1xi64>) {
  %k = arith.constant dense<0> : tensor<1xi64>
  %step = arith.constant dense<2> : tensor<1xi64>
  // expected-error @+1 {{no StableHLO for 'Slice': starts that are not constant, with steps}}
  %r = quant_float.node "Slice"(%x, %s, %s, %k, %step) opset 28 : (tensor<4x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x6xf32>
  return
}

// -----

func.func @f() {
  %a = arith.constant dense<0> : tensor<i64>
  %b = arith.constant dense<4> : tensor<i64>
  // expected-error @+1 {{no StableHLO for 'Range': expected bounds of at most 2^31 and a step}}
  %r = quant_float.node "Range"(%a, %b, %a) opset 28 : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<2xi1>) {
  // expected-error @+1 {{no StableHLO for 'If': the condition has the type 'tensor<2xi1>'; expected one boolean}}
  %r = quant_float.node "If"(%c) opset 28 : (tensor<2xi1>) -> tensor<4xf32> bodies ["then_branch", "else_branch"] {
    quant_float.yield %x : tensor<4xf32>
  }, {
    quant_float.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{no StableHLO for 'If': expected two branches without arguments that yield the results}}
  %r = quant_float.node "If"(%c) opset 28 : (tensor<i1>) -> tensor<4xf32> bodies ["then_branch"] {
    quant_float.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<3xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{no StableHLO for 'If': branches with results of different types}}
  %r = quant_float.node "If"(%c) opset 28 : (tensor<i1>) -> tensor<?xf32> bodies ["then_branch", "else_branch"] {
    quant_float.yield %x : tensor<4xf32>
  }, {
    quant_float.yield %y : tensor<3xf32>
  }
  return
}

// -----

// An error in a body is the only error.
func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  %r = quant_float.node "If"(%c) opset 28 : (tensor<i1>) -> tensor<4xf32> bodies ["then_branch", "else_branch"] {
    // expected-error @+1 {{no StableHLO for 'Gelu': the node is not in the table of forms}}
    %g = quant_float.node "Gelu"(%x) opset 28 : (tensor<4xf32>) -> tensor<4xf32>
    quant_float.yield %g : tensor<4xf32>
  }, {
    quant_float.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<i64>, %b: tensor<i1>) {
  // expected-error @+1 {{no StableHLO for 'Loop': expected inputs for the states}}
  quant_float.node "Loop"(%n) opset 28 : (tensor<i64>) -> () bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    quant_float.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<i64>, %b: tensor<i1>) {
  // expected-error @+1 {{no StableHLO for 'Loop': expected a body whose arguments are the step, the condition and the states}}
  %r = quant_float.node "Loop"(%n, %b, %x) opset 28 : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> bodies ["other"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    quant_float.yield %c, %s : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<2xi64>, %b: tensor<i1>) {
  // expected-error @+1 {{no StableHLO for 'Loop': expected one 'i64' as the number of steps}}
  %r = quant_float.node "Loop"(%n, %b, %x) opset 28 : (tensor<2xi64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    quant_float.yield %c, %s : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<i64>, %b: tensor<i1>) {
  // expected-error @+1 {{no StableHLO for 'Loop': the loop has no end}}
  %r = quant_float.node "Loop"(%x) opset 28 absent [0, 1] : (tensor<4xf32>) -> tensor<4xf32> bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    quant_float.yield %c, %s : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<i64>, %b: tensor<i1>) {
  // expected-error @+1 {{no StableHLO for 'Loop': results of an unknown number of steps}}
  %r:2 = quant_float.node "Loop"(%n, %b, %x) opset 28 : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    quant_float.yield %c, %s, %s : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<i64>, %b: tensor<i1>, %y: tensor<3xf32>) {
  // expected-error @+1 {{no StableHLO for 'Loop': state 0 has the types 'tensor<4xf32>' and 'tensor<3xf32>'}}
  %r = quant_float.node "Loop"(%n, %b, %x) opset 28 : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<?xf32> bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    quant_float.yield %c, %y : tensor<i1>, tensor<3xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %n: tensor<i64>, %b: tensor<i1>, %y: tensor<?xf32>) {
  // expected-error @+1 {{no StableHLO for 'Loop': the body yields a value of type 'tensor<?xf32>', which must have a static shape}}
  %r = quant_float.node "Loop"(%n, %b, %x) opset 28 : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<?xf32> bodies ["body"] {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    quant_float.yield %c, %y : tensor<i1>, tensor<?xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Scan': expected a body whose arguments are the states and slices of the inputs}}
  %r = quant_float.node "Scan"(%x) opset 28 attributes {num_scan_inputs = 2 : i64} : (tensor<4xf32>) -> tensor<?xf32> bodies ["body"] {
  ^bb0(%s: tensor<f32>):
    quant_float.yield %s : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{no StableHLO for 'Scan': expected 1 integers in 'scan_input_axes'}}
  %r = quant_float.node "Scan"(%x) opset 28 attributes {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 0, 1>} : (tensor<4xf32>) -> tensor<?xf32> bodies ["body"] {
  ^bb0(%s: tensor<f32>):
    quant_float.yield %s : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{no StableHLO for 'Scan': inputs with different numbers of steps}}
  %r = quant_float.node "Scan"(%x, %y) opset 28 attributes {num_scan_inputs = 2 : i64} : (tensor<4xf32>, tensor<3xf32>) -> tensor<?xf32> bodies ["body"] {
  ^bb0(%s: tensor<f32>, %t: tensor<f32>):
    quant_float.yield %s : tensor<f32>
  }
  return
}
