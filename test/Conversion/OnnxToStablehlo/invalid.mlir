// Ops that have no form in StableHLO: each error names the op and the reason.
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

func.func @f(%x: tensor<4xf32>) {
  %k = arith.constant dense<2> : tensor<1xi64>
  // expected-error @+1 {{no StableHLO for 'TopK'}}
  %r:2 = quant_float.node "TopK"(%x, %k) opset 28 : (tensor<4xf32>, tensor<1xi64>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}
