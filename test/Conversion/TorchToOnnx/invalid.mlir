// Torch ops that are not converted: each error names the op and the reason.
// RUN: quant-float-opt --allow-unregistered-dialect --convert-torch-to-onnx --split-input-file --verify-diagnostics %s

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of 'torch.aten.fft'}}
  %r = "torch.aten.fft"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of 'torch.aten.fft'}}
  %r = "torch.operator"(%x) <{name = "torch.aten.fft"}> : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of 'torch.operator': expected a string as 'name'}}
  %r = "torch.operator"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of 'torch.operator': the operator 'mine.op' is not known}}
  %r = "torch.operator"(%x) <{name = "mine.op"}> : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of 'torch.operator': the operator 'torch.a\22b' is not known}}
  %r = "torch.operator"(%x) <{name = "torch.a\22b"}> : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of 'torch.aten.abs': expected 1 operands, but got 2}}
  %r = "torch.aten.abs"(%x, %x) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of 'torch.aten.abs': expected 1 results, but got 2}}
  %r:2 = "torch.aten.abs"(%x) : (!torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{result 0 has the type '!torch.int'}}
  %r = "torch.aten.abs"(%x) : (!torch.vtensor<[4],f32>) -> !torch.int
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{result 0 has the type '!quant_float.unknown'}}
  %r = "torch.aten.abs"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{result 0 has the type 'tensor<5xf32>', but must have 'tensor<4xf32>'}}
  %r = "torch.aten.abs"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[5],f32>
  return
}

// -----

func.func @f() {
  %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected a tensor, but got 1}}
  %r = "torch.aten.abs"(%i) : (!torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f() -> !torch.int {
  // expected-error @+1 {{no conversion of 'torch.constant.int': its result is used by 'func.return'}}
  %r = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  return %r : !torch.int
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %i: !torch.int) {
  // expected-error @+1 {{operand 1: expected a constant integer, but got a value of type '!torch.int'}}
  %r = "torch.prims.convert_element_type"(%x, %i) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.float"() <{value = 1.5 : f64}> : () -> !torch.float
  // expected-error @+1 {{operand 1: expected a constant integer, but got 1.5}}
  %r = "torch.prims.convert_element_type"(%x, %i) : (!torch.vtensor<[4],f32>, !torch.float) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{operand 1: expected a constant integer, but got none}}
  %r = "torch.prims.convert_element_type"(%x, %i) : (!torch.vtensor<[4],f32>, !torch.none) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 99 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected the number of a supported PyTorch type, but got 99}}
  %r = "torch.prims.convert_element_type"(%x, %i) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a constant integer, but got a value of type '!torch.int'}}
  %r = "torch.prims.convert_element_type"(%x, %i) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %l: !torch.list<int>) {
  // expected-error @+1 {{operand 1: expected a list, but got a value of type '!torch.list<int>'}}
  %r = "torch.aten.permute"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %i: !torch.int) {
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected a list of constant integers, but got}}
  %r = "torch.aten.permute"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i, %i) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected 1 axes, but got}}
  %r = "torch.aten.permute"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>) {
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i, %i) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected distinct axes from 0 to 1, but got 0}}
  %r = "torch.aten.permute"(%x, %l) : (!torch.vtensor<[2,2],f32>, !torch.list<int>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %b = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error @+1 {{operand 1: expected an axis from -1 to 0, but got 3}}
  %r = "torch.aten._softmax"(%x, %i, %b) : (!torch.vtensor<[4],f32>, !torch.int, !torch.bool) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.str"() <{value = "a"}> : () -> !torch.str
  // expected-error @+1 {{operand 1: expected a tensor or a constant number, but got a value of type '!torch.str'}}
  %r = "torch.aten.mul.Tensor"(%x, %s) : (!torch.vtensor<[4],f32>, !torch.str) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.str"() <{value = "exact"}> : () -> !torch.str
  // expected-error @+1 {{operand 1: expected 'none' or 'tanh', but got 'exact'}}
  %r = "torch.aten.gelu"(%x, %s) : (!torch.vtensor<[4],f32>, !torch.str) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<*,f32>) {
  // expected-error @+1 {{operand 0: expected a tensor of known rank, but got a value of type 'tensor<*xf32>'}}
  %r = "torch.aten.amax"(%x) : (!torch.vtensor<*,f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f() {
  %b = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %s = "torch.constant.str"() <{value = "a"}> : () -> !torch.str
  // expected-error @+1 {{the assertion does not hold}}
  "torch.aten._assert_scalar"(%b, %s) : (!torch.bool, !torch.str) -> ()
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %n = "torch.constant.none"() : () -> !torch.none
  %i = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected a tensor of 'f16', but got 'tensor<4xf32>'}}
  "torch.aten._assert_tensor_metadata"(%x, %n, %n, %i) : (!torch.vtensor<[4],f32>, !torch.none, !torch.none, !torch.int) -> ()
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{expected a tensor of the asserted shape, but got 'tensor<4xf32>'}}
  "torch.aten._assert_tensor_metadata"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'value': expected a constant of type 'tensor<4xf32>', but got none}}
  %r = "torch.vtensor.literal"() : () -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'value': expected a constant of type 'tensor<4xf32>', but got dense<1>}}
  %r = "torch.vtensor.literal"() <{value = dense<1> : tensor<4xsi32>}> : () -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'value': expected a constant of type 'tensor<4xf32>', but got dense_resource<missing>}}
  %r = "torch.vtensor.literal"() <{value = dense_resource<missing> : tensor<4xf32>}> : () -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%i: !torch.int) {
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{the result has the type 'tensor<?xf32>', but must have a static shape}}
  %r = "torch.aten.ones"(%l) : (!torch.list<int>) -> !torch.vtensor<[?],f32>
  return
}

// -----

func.func @f() {
  %i = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"() : () -> !torch.list<int>
  // expected-error @+1 {{the number 300 is not a value of 'i8'}}
  %r = "torch.aten.full"(%l, %i) : (!torch.list<int>, !torch.int) -> !torch.vtensor<[],si8>
  return
}

// -----

func.func @f() {
  %i = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %l = "torch.prim.ListConstruct"() : () -> !torch.list<int>
  // expected-error @+1 {{the number 0.5 is not a value of 'i8'}}
  %r = "torch.aten.full"(%l, %i) : (!torch.list<int>, !torch.float) -> !torch.vtensor<[],si8>
  return
}

// -----

func.func @f() {
  %i = "torch.constant.int"() <{value = 1099511627776 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected integers of at most 24 bits}}
  %r = "torch.aten.arange"(%i) : (!torch.int) -> !torch.vtensor<[?],si64>
  return
}

// -----

func.func @f() {
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected a step other than 0, but got 0}}
  %r = "torch.aten.arange.start_step"(%i, %i, %i) : (!torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si64>
  return
}

// -----

func.func @f() {
  %i = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  // expected-error @+1 {{the result has the type 'tensor<4xi64>', but must have 5 elements}}
  %r = "torch.aten.arange"(%i) : (!torch.int) -> !torch.vtensor<[4],si64>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f8E4M3FN>) {
  // expected-error @+1 {{elements of type 'f8E4M3FN'}}
  %r = "torch.aten.abs"(%x) : (!torch.vtensor<[4],f8E4M3FN>) -> !torch.vtensor<[4],f8E4M3FN>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f8E4M3FN>, %y: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{elements of types 'f8E4M3FN' and 'f32'}}
  %r = "torch.aten.add.Tensor"(%x, %y) : (!torch.vtensor<[4],f8E4M3FN>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %y: !torch.vtensor<[3],f32>) {
  // expected-error @+1 {{operands with sizes 4 and 3 cannot be broadcast}}
  %r = "torch.aten.add.Tensor"(%x, %y) : (!torch.vtensor<[4],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected a power of two as factor of floats, but got 3}}
  %r = "torch.aten.add.Tensor"(%x, %x, %i) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 29 : i64}> : () -> !torch.int
  // expected-error @+1 {{conversions from floats to 'ui64'}}
  %r = "torch.prims.convert_element_type"(%x, %i) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],ui64>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],si32>) {
  %i = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected an exponent of 2 or 3 for integers, but got 4}}
  %r = "torch.aten.pow.Tensor_Scalar"(%x, %i) : (!torch.vtensor<[4],si32>, !torch.int) -> !torch.vtensor<[4],si32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected 0 decimals, but got 2}}
  %r = "torch.aten.round.decimals"(%x, %i) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],si8>) {
  %i = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected an amount from 0 to 7, but got 8}}
  %r = "torch.aten.__rshift__.Scalar"(%x, %i) : (!torch.vtensor<[4],si8>, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[?],si8>) {
  %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{shifts of a tensor of unknown size}}
  %r = "torch.aten.__rshift__.Scalar"(%x, %i) : (!torch.vtensor<[?],si8>, !torch.int) -> !torch.vtensor<[?],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{operand 0: expected a tensor of 'i1', but got a value of type 'tensor<4xf32>'}}
  %r = "torch.aten.where.self"(%x, %x, %x) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected the sizes of 'tensor<2x2xf32>', but got}}
  %r = "torch.aten.view"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{the result has the type 'tensor<5xf32>', which has not the elements of 'tensor<4xf32>'}}
  %r = "torch.aten.view"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[5],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %i: !torch.int) {
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected sizes that are constants or sizes of tensors, but got}}
  %r = "torch.aten.view"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[?],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = -2 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected sizes from 0, or -1, but got}}
  %r = "torch.aten.view"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[?],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %p = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %b = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{operand 2: expected inference, but got 1}}
  %r = "torch.aten.dropout"(%x, %p, %b) : (!torch.vtensor<[4],f32>, !torch.float, !torch.bool) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,2,3],f32>) {
  // expected-error @+1 {{operand 0: expected a tensor of at most 2 axes, but got}}
  %r = "torch.aten.t"(%x) : (!torch.vtensor<[1,2,3],f32>) -> !torch.vtensor<[3,2,1],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,4],f32>) {
  %i = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{the result has fewer axes than the operand}}
  %r = "torch.aten.expand"(%x, %l) : (!torch.vtensor<[1,4],f32>, !torch.list<int>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{the result has the type 'tensor<5xf32>', to which 'tensor<4xf32>' cannot be expanded}}
  %r = "torch.aten.expand"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[5],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %l = "torch.prim.ListConstruct"() : () -> !torch.list<vtensor>
  // expected-error @+1 {{operand 0: expected a list of tensors with axes, but got}}
  %r = "torch.aten.cat"(%l) : (!torch.list<vtensor>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>) {
  %l = "torch.prim.ListConstruct"(%x) : (!torch.vtensor<[2,2],f32>) -> !torch.list<vtensor>
  // expected-error @+1 {{expected tensors of rank 1, but got 'tensor<2x2xf32>'}}
  %r = "torch.aten.cat"(%l) : (!torch.list<vtensor>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[9223372036854775807],f32>) {
  %l = "torch.prim.ListConstruct"(%x, %x) : (!torch.vtensor<[9223372036854775807],f32>, !torch.vtensor<[9223372036854775807],f32>) -> !torch.list<vtensor>
  // expected-error @+1 {{the result has too many elements}}
  %r = "torch.aten.cat"(%l) : (!torch.list<vtensor>) -> !torch.vtensor<[?],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>) {
  %l = "torch.prim.ListConstruct"(%x) : (!torch.vtensor<[2,2],f32>) -> !torch.list<vtensor>
  // expected-error @+1 {{expected tensors of rank 1, but got 'tensor<2x2xf32>'}}
  %r = "torch.aten.stack"(%l) : (!torch.list<vtensor>) -> !torch.vtensor<[1,4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 4: expected a step of at least 1, but got 0}}
  %r = "torch.aten.slice.Tensor"(%x, %i, %i, %i, %i) : (!torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %i = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected an index into 4 elements, but got 4}}
  %r = "torch.aten.select.int"(%x, %z, %i) : (!torch.vtensor<[4],f32>, !torch.int, !torch.int) -> !torch.vtensor<[],f32>
  return
}

// -----

func.func @f(%l: !torch.list<vtensor>) {
  // expected-error @+1 {{operand 0: expected a list of tensors or of parts of a tensor, but got}}
  %r = "torch.prim.ListUnpack"(%l) : (!torch.list<vtensor>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %l = "torch.prim.ListConstruct"(%x) : (!torch.vtensor<[4],f32>) -> !torch.list<vtensor>
  // expected-error @+1 {{operand 0: expected a list of 2 tensors, but got}}
  %r:2 = "torch.prim.ListUnpack"(%l) : (!torch.list<vtensor>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[?],f32>) {
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %s = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  %l = "torch.aten.split_with_sizes"(%x, %s) : (!torch.vtensor<[?],f32>, !torch.list<int>) -> !torch.list<vtensor>
  // expected-error @+1 {{parts along an axis of unknown size}}
  %r = "torch.prim.ListUnpack"(%l) : (!torch.list<vtensor>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %s = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  %l = "torch.aten.split_with_sizes"(%x, %s) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.list<vtensor>
  // expected-error @+1 {{the parts are larger than the tensor}}
  %r = "torch.prim.ListUnpack"(%l) : (!torch.list<vtensor>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %l = "torch.aten.split.Tensor"(%x, %s) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.list<vtensor>
  // expected-error @+1 {{expected 2 results that have 4 elements along axis 0}}
  %r:3 = "torch.prim.ListUnpack"(%l) : (!torch.list<vtensor>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %s: !torch.int) {
  %l = "torch.aten.split.Tensor"(%x, %s) : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.list<vtensor>
  // expected-error @+1 {{'torch.aten.split.Tensor': operand 1: expected a constant integer, but got a value of type '!torch.int'}}
  %r:3 = "torch.prim.ListUnpack"(%l) : (!torch.list<vtensor>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected a count for each axis of the result, but got}}
  %r = "torch.aten.repeat"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[4,4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{indices of type 'tensor<4xf32>'}}
  %r = "torch.aten.index_select"(%x, %i, %x) : (!torch.vtensor<[4],f32>, !torch.int, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %y: !torch.vtensor<[],si64>) {
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected a tensor with axes, and indices of rank 1}}
  %r = "torch.aten.index_select"(%x, %i, %y) : (!torch.vtensor<[4],f32>, !torch.int, !torch.vtensor<[],si64>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %y: !torch.vtensor<[4],si64>) {
  // expected-error @+1 {{operand 0: expected a matrix, but got}}
  %r = "torch.aten.embedding"(%x, %y) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected two amounts for each of at most 1 axes, but got}}
  %r = "torch.aten.constant_pad_nd"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[9223372036854775807],f32>) {
  %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i, %i) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{the result has too many elements}}
  %r = "torch.aten.constant_pad_nd"(%x, %l) : (!torch.vtensor<[9223372036854775807],f32>, !torch.list<int>) -> !torch.vtensor<[?],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>, %y: !torch.vtensor<[2,2],si8>) {
  // expected-error @+1 {{elements of types 'f32' and 'i8' with a result of 'f32'}}
  %r = "torch.aten.mm"(%x, %y) : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],si8>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>, %y: !torch.vtensor<[],f32>) {
  // expected-error @+1 {{expected matrices, but got 'tensor<f32>'}}
  %r = "torch.aten.mm"(%x, %y) : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>, %y: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{operand 1: expected a matrix, but got}}
  %r = "torch.aten.linear"(%x, %y) : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f8E4M3FN>, %y: !torch.vtensor<[2,2],f32>, %s: !torch.vtensor<[],f32>) {
  // expected-error @+1 {{operand 1: expected a tensor of float8 elements, but got}}
  %r = "torch.aten._scaled_mm"(%x, %y, %s, %s) : (!torch.vtensor<[2,2],f8E4M3FN>, !torch.vtensor<[2,2],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f8E4M3FN>, %s: !torch.vtensor<[3],f32>) {
  // expected-error @+1 {{scales of type 'tensor<3xf32>'}}
  %r = "torch.aten._scaled_mm"(%x, %x, %s, %s) : (!torch.vtensor<[2,2],f8E4M3FN>, !torch.vtensor<[2,2],f8E4M3FN>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f8E4M3FN>, %s: !torch.vtensor<[],f32>) {
  // expected-error @+1 {{operand 5: expected no scale of the result, but got}}
  %r = "torch.aten._scaled_mm"(%x, %x, %s, %s, %s, %s) : (!torch.vtensor<[2,2],f8E4M3FN>, !torch.vtensor<[2,2],f8E4M3FN>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>) {
  // expected-error @+1 {{expected tensors with a batch, channels and 1 to 3 spatial axes, but got 'tensor<2x2xf32>' and 'tensor<2x2xf32>'}}
  %r = "torch.aten.conv2d"(%x, %x) : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[2,2],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],si8>, %w: !torch.vtensor<[4,3,3,3],si8>) {
  // expected-error @+1 {{elements of type 'i8'}}
  %r = "torch.aten.conv2d"(%x, %w) : (!torch.vtensor<[1,3,6,6],si8>, !torch.vtensor<[4,3,3,3],si8>) -> !torch.vtensor<[1,4,4,4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>, %w: !torch.vtensor<[4,3,3,3],f32>) {
  %n = "torch.constant.none"() : () -> !torch.none
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i, %i) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 3: expected integers from 1 to 2^31 - 1, but got}}
  %r = "torch.aten.conv2d"(%x, %w, %n, %l) : (!torch.vtensor<[1,3,6,6],f32>, !torch.vtensor<[4,3,3,3],f32>, !torch.none, !torch.list<int>) -> !torch.vtensor<[1,4,4,4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>, %w: !torch.vtensor<[4,3,3,3],f32>) {
  %n = "torch.constant.none"() : () -> !torch.none
  %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i, %i, %i) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 3: expected 2 integers, but got}}
  %r = "torch.aten.conv2d"(%x, %w, %n, %l) : (!torch.vtensor<[1,3,6,6],f32>, !torch.vtensor<[4,3,3,3],f32>, !torch.none, !torch.list<int>) -> !torch.vtensor<[1,4,4,4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>, %w: !torch.vtensor<[4,3,3,3],f32>) {
  %n = "torch.constant.none"() : () -> !torch.none
  %i = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected at least 1 group, but got 0}}
  %r = "torch.aten.conv2d"(%x, %w, %n, %n, %n, %n, %i) : (!torch.vtensor<[1,3,6,6],f32>, !torch.vtensor<[4,3,3,3],f32>, !torch.none, !torch.none, !torch.none, !torch.none, !torch.int) -> !torch.vtensor<[1,4,4,4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 0 has the type 'tensor<4xf32>', but must have rank 4 and elements of 'f16', 'bf16', 'f32' or 'f64'}}
  %r = "torch.aten.max_pool2d"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>) {
  %l = "torch.prim.ListConstruct"() : () -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected 2 integers, but got}}
  %r = "torch.aten.max_pool2d"(%x, %l) : (!torch.vtensor<[1,3,6,6],f32>, !torch.list<int>) -> !torch.vtensor<[1,3,6,6],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>) {
  %i = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 3: expected a padding of at most half of the kernel, but got}}
  %r = "torch.aten.max_pool2d"(%x, %l, %l, %l) : (!torch.vtensor<[1,3,6,6],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>) -> !torch.vtensor<[1,3,6,6],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>) {
  %i = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{result 1 has the type 'tensor<?xi64>', but must have a static shape}}
  %r:2 = "torch.aten.max_pool2d_with_indices"(%x, %l) : (!torch.vtensor<[1,3,6,6],f32>, !torch.list<int>) -> (!torch.vtensor<[1,3,3,3],f32>, !torch.vtensor<[?],si64>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>) {
  %n = "torch.constant.none"() : () -> !torch.none
  %d = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %i = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 6: expected no divisor, but got 3}}
  %r = "torch.aten.avg_pool2d"(%x, %l, %n, %n, %n, %n, %d) : (!torch.vtensor<[1,3,6,6],f32>, !torch.list<int>, !torch.none, !torch.none, !torch.none, !torch.none, !torch.int) -> !torch.vtensor<[1,3,3,3],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>, %c: !torch.vtensor<[3],f32>) {
  %e = "torch.constant.float"() <{value = 1.0e-05 : f64}> : () -> !torch.float
  // expected-error @+1 {{result 1 has the type 'tensor<3xf32>', but must be empty}}
  %r:3 = "torch.aten._native_batch_norm_legit_no_training"(%x, %c, %c, %c, %c, %e, %e) : (!torch.vtensor<[1,3,6,6],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.float, !torch.float) -> (!torch.vtensor<[1,3,6,6],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[1,3,6,6],f32>, %c: !torch.vtensor<[4],f32>) {
  %e = "torch.constant.float"() <{value = 1.0e-05 : f64}> : () -> !torch.float
  // expected-error @+1 {{operand 3: expected one element for each channel, but got}}
  %r:3 = "torch.aten._native_batch_norm_legit_no_training"(%x, %c, %c, %c, %c, %e, %e) : (!torch.vtensor<[1,3,6,6],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.float, !torch.float) -> (!torch.vtensor<[1,3,6,6],f32>, !torch.vtensor<[0],f32>, !torch.vtensor<[0],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %l = "torch.prim.ListConstruct"(%i) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected the last sizes of 'tensor<4xf32>', but got}}
  %r = "torch.aten.layer_norm"(%x, %l) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[?],f32>) {
  %n = "torch.constant.none"() : () -> !torch.none
  %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected no correction for an unknown size, but got 1}}
  %r = "torch.aten.var.correction"(%x, %n, %i) : (!torch.vtensor<[?],f32>, !torch.none, !torch.int) -> !torch.vtensor<[],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -129 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected a range within 'i8', but got -129 to 127}}
  %r = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected a range within 'i8', but got 5 to 4}}
  %r = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 5: expected the type of quantized values, but got 6}}
  %r = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a scale other than 0, but got 0}}
  %r = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f64>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected elements of 'f32', 'f16' or 'bf16', but got}}
  %r = "torch.quantized_decomposed.quantize_per_tensor"(%x, %s, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f64>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a tensor of one element, but got}}
  %r = "torch.quantized_decomposed.quantize_per_tensor.tensor"(%x, %x, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],si8>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected elements of type 'ui8', but got}}
  %r = "torch.quantized_decomposed.dequantize_per_tensor"(%x, %s, %z, %lo, %hi, %d) : (!torch.vtensor<[4],si8>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %c: !torch.vtensor<[3],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected one element for each element along axis 0, but got}}
  %r = "torch.quantized_decomposed.quantize_per_channel"(%x, %c, %c, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %n = "torch.constant.none"() : () -> !torch.none
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected a tensor of zero points, but got none}}
  %r = "torch.quantized_decomposed.quantize_per_channel"(%x, %x, %n, %z, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.none, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected one element for each row, but got}}
  %r = "torch.quantized_decomposed.quantize_per_token"(%x, %x, %x, %lo, %hi, %d) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,64],f32>, %s: !torch.vtensor<[2,3],f32>) {
  %lo = "torch.constant.int"() <{value = -8 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 7 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %g = "torch.constant.int"() <{value = 31 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 6: expected a divisor of 64 above 1, but got 31}}
  %r = "torch.quantized_decomposed.quantize_per_channel_group"(%x, %s, %s, %lo, %hi, %d, %g) : (!torch.vtensor<[2,64],f32>, !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,64],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,64],f32>, %s: !torch.vtensor<[2,3],f32>) {
  %lo = "torch.constant.int"() <{value = -8 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 7 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %g = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a tensor of 2 x 2 elements, but got}}
  %r = "torch.quantized_decomposed.quantize_per_channel_group"(%x, %s, %s, %lo, %hi, %d, %g) : (!torch.vtensor<[2,64],f32>, !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,64],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %e = "torch.constant.float"() <{value = 1.0e-05 : f64}> : () -> !torch.float
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected more than one quantized value, but got 3}}
  %r:2 = "torch.quantized_decomposed.choose_qparams.tensor"(%x, %i, %i, %e, %d) : (!torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.float, !torch.int) -> (!torch.vtensor<[1],f64>, !torch.vtensor<[1],si64>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[2,2],f32>) {
  %d = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected the number of int8, but got 0}}
  %r:2 = "torch.quantized_decomposed.choose_qparams_per_token"(%x, %d) : (!torch.vtensor<[2,2],f32>, !torch.int) -> (!torch.vtensor<[2,1],f32>, !torch.vtensor<[2,1],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[],f32>) {
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected a tensor of floats with axes, but got}}
  %r:2 = "torch.quantized_decomposed.choose_qparams_per_token"(%x, %d) : (!torch.vtensor<[],f32>, !torch.int) -> (!torch.vtensor<[],f32>, !torch.vtensor<[],f32>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 4294967296 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected a range within -2^23 to 2^23, but got 0 to 4294967296}}
  %r = "torch.aten.fake_quantize_per_tensor_affine"(%x, %s, %z, %lo, %hi) : (!torch.vtensor<[4],f32>, !torch.float, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 4294967296 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected a zero point within -2^23 to 2^23, but got 4294967296}}
  %r = "torch.aten.fake_quantize_per_tensor_affine"(%x, %s, %z, %lo, %hi) : (!torch.vtensor<[4],f32>, !torch.float, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %s = "torch.constant.float"() <{value = 0.5 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %lo = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected zero points of 'i32', but got}}
  %r = "torch.aten.fake_quantize_per_channel_affine"(%x, %x, %x, %z, %lo, %hi) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[1],f32>, %z: !torch.vtensor<[1],si32>, %e: !torch.vtensor<[1],si64>) {
  %lo = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %hi = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 3: expected the constant 1, but got}}
  %r:2 = "torch.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams"(%x, %s, %z, %e, %lo, %hi) : (!torch.vtensor<[4],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],si32>, !torch.vtensor<[1],si64>, !torch.int, !torch.int) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],i1>)
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %c: !torch.vtensor<[3],f32>) {
  // expected-error @+1 {{operand 1: expected scales of blocks of equal sizes, but got}}
  %r = "torch.torchao.quantize_affine_float8_non_decomposed"(%x, %c) : (!torch.vtensor<[4],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[4],f8E4M3FN>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>, %c: !torch.vtensor<[2,64],f32>) {
  // expected-error @+1 {{operand 1: expected scales of the rank of the input, but got}}
  %r = "torch.torchao.quantize_affine_float8_non_decomposed"(%x, %c) : (!torch.vtensor<[4],f32>, !torch.vtensor<[2,64],f32>) -> !torch.vtensor<[4],f8E4M3FN>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %d = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected the number of a float8 type, but got 1}}
  %r = "torch.torchao.quantize_affine_float8_non_decomposed"(%x, %x, %d) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{conversions from 'f32' to 'f32'}}
  %r = "torch.torchao.dequantize_affine_float8_non_decomposed"(%x, %x) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of the ONNX operator '': expected an operator without regions}}
  %r = "torch.operator"(%x) <{name = "onnx."}> : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) attributes {torch.onnx_meta.opset_version = "21"} {
  // expected-error @+1 {{no conversion of the ONNX operator 'Relu': expected an integer as 'torch.onnx_meta.opset_version'}}
  %r = "torch.operator"(%x) <{name = "onnx.Relu"}> : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of the ONNX operator 'Cast': the attribute 'to' is of an unknown kind, or its data is missing}}
  %r = "torch.operator"(%x) <{name = "onnx.Cast"}> {torch.onnx.to = {}} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of the ONNX operator 'Pad': the attribute 'pads' is of an unknown kind, or its data is missing}}
  %r = "torch.operator"(%x) <{name = "onnx.Pad"}> {torch.onnx.pads = [1, 2.0]} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{no conversion of the ONNX operator 'Constant': the attribute 'value' is of an unknown kind, or its data is missing}}
  %r = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense_resource<missing> : tensor<4xf32>} : () -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{no conversion of the ONNX operator 'Add': operand 1 has the type '!torch.int'}}
  %r = "torch.operator"(%x, %i) <{name = "onnx.Add"}> : (!torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%x: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{no conversion of the ONNX operator 'Split': a result has the type '!torch.list<vtensor>'}}
  %r = "torch.operator"(%x) <{name = "onnx.Split"}> : (!torch.vtensor<[4],f32>) -> !torch.list<vtensor>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{no conversion of the ONNX operator 'Constant': expected a constant of the type of the result}}
  %r = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value_int = 1 : si64} : () -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,8],f32>, %a1: !torch.vtensor<[2,4,7,8],f16>, %a2: !torch.vtensor<[2,4,7,6],f32>) {
  // expected-error @+1 {{operand 1: expected a tensor of floats with the type and the rank of operand 0, which is at least 2}}
  %r = "torch.aten.scaled_dot_product_attention"(%a0, %a1, %a2) : (!torch.vtensor<[2,4,5,8],f32>, !torch.vtensor<[2,4,7,8],f16>, !torch.vtensor<[2,4,7,6],f32>) -> (!torch.vtensor<[2,4,5,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,8],f32>, %a1: !torch.vtensor<[2,4,7,8],f32>, %a2: !torch.vtensor<[2,4,7,6],f32>) {
  %c0 = "torch.constant.none"() : () -> !torch.none
  %c1 = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error @+1 {{operand 4: expected no dropout, but got 0.5}}
  %r = "torch.aten.scaled_dot_product_attention"(%a0, %a1, %a2, %c0, %c1) : (!torch.vtensor<[2,4,5,8],f32>, !torch.vtensor<[2,4,7,8],f32>, !torch.vtensor<[2,4,7,6],f32>, !torch.none, !torch.float) -> (!torch.vtensor<[2,4,5,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,?],f32>, %a1: !torch.vtensor<[2,4,7,8],f32>, %a2: !torch.vtensor<[2,4,7,6],f32>) {
  // expected-error @+1 {{operand 0: expected a known size of the last axis}}
  %r = "torch.aten.scaled_dot_product_attention"(%a0, %a1, %a2) : (!torch.vtensor<[2,4,5,?],f32>, !torch.vtensor<[2,4,7,8],f32>, !torch.vtensor<[2,4,7,6],f32>) -> (!torch.vtensor<[2,4,5,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,8],f32>, %a1: !torch.vtensor<[2,3,7,8],f32>, %a2: !torch.vtensor<[2,3,7,6],f32>) {
  %c0 = "torch.constant.none"() : () -> !torch.none
  %c1 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
  %c2 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %c3 = "torch.constant.none"() : () -> !torch.none
  %c4 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{operand 1: expected heads whose number divides that of operand 0}}
  %r = "torch.aten.scaled_dot_product_attention"(%a0, %a1, %a2, %c0, %c1, %c2, %c3, %c4) : (!torch.vtensor<[2,4,5,8],f32>, !torch.vtensor<[2,3,7,8],f32>, !torch.vtensor<[2,3,7,6],f32>, !torch.none, !torch.float, !torch.bool, !torch.none, !torch.bool) -> (!torch.vtensor<[2,4,5,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,8],f32>, %a1: !torch.vtensor<[2,4,7,8],f32>, %a2: !torch.vtensor<[2,4,7,6],f32>) {
  // expected-error @+1 {{the result has the type 'tensor<4x5x6xf32>', but must have rank 4}}
  %r = "torch.aten.scaled_dot_product_attention"(%a0, %a1, %a2) : (!torch.vtensor<[2,4,5,8],f32>, !torch.vtensor<[2,4,7,8],f32>, !torch.vtensor<[2,4,7,6],f32>) -> (!torch.vtensor<[4,5,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,8],f32>, %a1: !torch.vtensor<[2,4,7,8],f32>, %a2: !torch.vtensor<[2,4,7,6],f32>, %a3: !torch.vtensor<[5,7],f32>) {
  %c0 = "torch.constant.float"() <{value = 0.000000e+00 : f64}> : () -> !torch.float
  %c1 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{operand 3: expected no mask of causal attention}}
  %r = "torch.aten.scaled_dot_product_attention"(%a0, %a1, %a2, %a3, %c0, %c1) : (!torch.vtensor<[2,4,5,8],f32>, !torch.vtensor<[2,4,7,8],f32>, !torch.vtensor<[2,4,7,6],f32>, !torch.vtensor<[5,7],f32>, !torch.float, !torch.bool) -> (!torch.vtensor<[2,4,5,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,8],f32>, %a1: !torch.vtensor<[2,4,7,8],f32>, %a2: !torch.vtensor<[2,4,7,6],f32>, %a3: !torch.vtensor<[5,7],si64>) {
  // expected-error @+1 {{operand 3: expected a mask of booleans or floats}}
  %r = "torch.aten.scaled_dot_product_attention"(%a0, %a1, %a2, %a3) : (!torch.vtensor<[2,4,5,8],f32>, !torch.vtensor<[2,4,7,8],f32>, !torch.vtensor<[2,4,7,6],f32>, !torch.vtensor<[5,7],si64>) -> (!torch.vtensor<[2,4,5,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5,8],f32>, %a1: !torch.vtensor<[2,4,7,8],f32>, %a2: !torch.vtensor<[2,4,7,6],f32>) {
  // expected-error @+1 {{the logarithms of the sums are used}}
  %r:2 = "torch.aten._scaled_dot_product_flash_attention_for_cpu"(%a0, %a1, %a2) : (!torch.vtensor<[2,4,5,8],f32>, !torch.vtensor<[2,4,7,8],f32>, !torch.vtensor<[2,4,7,6],f32>) -> (!torch.vtensor<[2,4,5,6],f32>, !torch.vtensor<[2,4,5],f32>)
  %u = "torch.aten.abs"(%r#1) : (!torch.vtensor<[2,4,5],f32>) -> !torch.vtensor<[2,4,5],f32>
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,3],i1>) {
  %c0 = "torch.constant.none"() : () -> !torch.none
  %c1 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error @+1 {{elements of type 'i1'}}
  %r = "torch.aten.argmax"(%a0, %c0, %c1) : (!torch.vtensor<[2,3],i1>, !torch.none, !torch.bool) -> (!torch.vtensor<[],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,0],f32>) {
  %c0 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c1 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  // expected-error @+1 {{operand 0: expected at least one element along the axis}}
  %r = "torch.aten.argmax"(%a0, %c0, %c1) : (!torch.vtensor<[2,0],f32>, !torch.int, !torch.bool) -> (!torch.vtensor<[2],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c0 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c2 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %c3 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{operand 1: expected a count from 0 to the size of the axis, but got 5}}
  %r:2 = "torch.aten.topk"(%a0, %c0, %c1, %c2, %c3) : (!torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool) -> (!torch.vtensor<[5],f32>, !torch.vtensor<[5],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f8E4M3FN>) {
  %c0 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c2 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  %c3 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{elements of type 'f8E4M3FN'}}
  %r:2 = "torch.aten.topk"(%a0, %c0, %c1, %c2, %c3) : (!torch.vtensor<[4],f8E4M3FN>, !torch.int, !torch.int, !torch.bool, !torch.bool) -> (!torch.vtensor<[2],f8E4M3FN>, !torch.vtensor<[2],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],i1>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{elements of type 'i1'}}
  %r = "torch.aten.cumsum"(%a0, %c0, %c1) : (!torch.vtensor<[4],i1>, !torch.int, !torch.none) -> (!torch.vtensor<[4],i1>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>, %a1: !torch.vtensor<[4],f32>) {
  %c0 = "torch.constant.str"() <{value = "up"}> : () -> !torch.str
  // expected-error @+1 {{operand 2: expected 'floor' or 'trunc', but got 'up'}}
  %r = "torch.aten.div.Tensor_mode"(%a0, %a1, %c0) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.str) -> (!torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<*,f32>, %a1: !torch.vtensor<*,f32>) {
  %c0 = "torch.constant.str"() <{value = "trunc"}> : () -> !torch.str
  // expected-error @+1 {{a tensor of unknown rank}}
  %r = "torch.aten.div.Tensor_mode"(%a0, %a1, %c0) : (!torch.vtensor<*,f32>, !torch.vtensor<*,f32>, !torch.str) -> (!torch.vtensor<*,f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,5,5],f32>, %a1: !torch.vtensor<[3,2,3,3],f32>) {
  %c0 = "torch.constant.none"() : () -> !torch.none
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c3 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c4 = "torch.prim.ListConstruct"(%c2, %c3) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.str"() <{value = "half"}> : () -> !torch.str
  // expected-error @+1 {{operand 4: expected 'valid' or 'same', but got 'half'}}
  %r = "torch.aten.conv2d.padding"(%a0, %a1, %c0, %c4, %c5) : (!torch.vtensor<[1,2,5,5],f32>, !torch.vtensor<[3,2,3,3],f32>, !torch.none, !torch.list<int>, !torch.str) -> (!torch.vtensor<[1,3,5,5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,5,5],f32>, %a1: !torch.vtensor<[3,2,3,3],f32>) {
  %c0 = "torch.constant.none"() : () -> !torch.none
  %c2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c3 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c4 = "torch.prim.ListConstruct"(%c2, %c3) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.str"() <{value = "same"}> : () -> !torch.str
  // expected-error @+1 {{operand 3: expected strides of 1 with the padding 'same'}}
  %r = "torch.aten.conv2d.padding"(%a0, %a1, %c0, %c4, %c5) : (!torch.vtensor<[1,2,5,5],f32>, !torch.vtensor<[3,2,3,3],f32>, !torch.none, !torch.list<int>, !torch.str) -> (!torch.vtensor<[1,3,3,3],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5,3],f16>, %a1: !torch.vtensor<[2],si64>, %a2: !torch.vtensor<[2,3],f16>) {
  %c1 = "torch.prim.ListConstruct"(%a1) : (!torch.vtensor<[2],si64>) -> !torch.list<vtensor>
  %c2 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{sums of elements of type 'f16'}}
  %r = "torch.aten.index_put"(%a0, %c1, %a2, %c2) : (!torch.vtensor<[5,3],f16>, !torch.list<vtensor>, !torch.vtensor<[2,3],f16>, !torch.bool) -> (!torch.vtensor<[5,3],f16>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[?,3],f32>, %a1: !torch.vtensor<[?],si64>, %a2: !torch.vtensor<[3],f32>) {
  %c1 = "torch.prim.ListConstruct"(%a1) : (!torch.vtensor<[?],si64>) -> !torch.list<vtensor>
  // expected-error @+1 {{updates of type 'tensor<3xf32>' for elements of type 'tensor<?x3xf32>'}}
  %r = "torch.aten.index_put"(%a0, %c1, %a2) : (!torch.vtensor<[?,3],f32>, !torch.list<vtensor>, !torch.vtensor<[3],f32>) -> (!torch.vtensor<[?,3],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5,3],f32>, %a1: !torch.vtensor<[?],si64>, %a2: !torch.vtensor<[?],si64>) {
  %c1 = "torch.prim.ListConstruct"(%a1, %a2) : (!torch.vtensor<[?],si64>, !torch.vtensor<[?],si64>) -> !torch.list<vtensor>
  // expected-error @+1 {{several indices of unknown shapes}}
  %r = "torch.aten.index.Tensor"(%a0, %c1) : (!torch.vtensor<[5,3],f32>, !torch.list<vtensor>) -> (!torch.vtensor<[?],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5,3],f32>, %a1: !torch.vtensor<[5],i1>) {
  %c1 = "torch.prim.ListConstruct"(%a1) : (!torch.vtensor<[5],i1>) -> !torch.list<vtensor>
  // expected-error @+1 {{indices of type 'tensor<5xi1>'}}
  %r = "torch.aten.index.Tensor"(%a0, %c1) : (!torch.vtensor<[5,3],f32>, !torch.list<vtensor>) -> (!torch.vtensor<[?,3],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5],f32>, %a1: !torch.vtensor<[2],si64>, %a2: !torch.vtensor<[2],si64>) {
  %c1 = "torch.prim.ListConstruct"(%a1, %a2) : (!torch.vtensor<[2],si64>, !torch.vtensor<[2],si64>) -> !torch.list<vtensor>
  // expected-error @+1 {{operand 1: expected at most one index for each axis}}
  %r = "torch.aten.index.Tensor"(%a0, %c1) : (!torch.vtensor<[5],f32>, !torch.list<vtensor>) -> (!torch.vtensor<[2],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5,3],f32>, %a1: !torch.vtensor<[5],i1>, %a2: !torch.vtensor<[2,3],f32>) {
  %c1 = "torch.prim.ListConstruct"(%a1) : (!torch.vtensor<[5],i1>) -> !torch.list<vtensor>
  // expected-error @+1 {{a mask as index of other writes than of one element of the same type}}
  %r = "torch.aten.index_put"(%a0, %c1, %a2) : (!torch.vtensor<[5,3],f32>, !torch.list<vtensor>, !torch.vtensor<[2,3],f32>) -> (!torch.vtensor<[5,3],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5,3],f32>, %a1: !torch.vtensor<[2],si64>, %a2: !torch.vtensor<[2,3],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.float"() <{value = 2.000000e+00 : f64}> : () -> !torch.float
  // expected-error @+1 {{operand 4: expected the factor 1, but got 2}}
  %r = "torch.aten.index_add"(%a0, %c0, %a1, %a2, %c1) : (!torch.vtensor<[5,3],f32>, !torch.int, !torch.vtensor<[2],si64>, !torch.vtensor<[2,3],f32>, !torch.float) -> (!torch.vtensor<[5,3],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5],f32>, %a1: !torch.vtensor<[?],si64>, %a2: !torch.vtensor<[2],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{indices of unknown shape}}
  %r = "torch.aten.scatter.src"(%a0, %c0, %a1, %a2) : (!torch.vtensor<[5],f32>, !torch.int, !torch.vtensor<[?],si64>, !torch.vtensor<[2],f32>) -> (!torch.vtensor<[5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5],f32>, %a1: !torch.vtensor<[2],si64>, %a2: !torch.vtensor<[2],f16>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 3: expected a tensor of the type and rank of operand 0}}
  %r = "torch.aten.scatter.src"(%a0, %c0, %a1, %a2) : (!torch.vtensor<[5],f32>, !torch.int, !torch.vtensor<[2],si64>, !torch.vtensor<[2],f16>) -> (!torch.vtensor<[5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5],f32>, %a1: !torch.vtensor<[3],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %c3 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1 has the type 'tensor<3xf32>', but must have 'tensor<2xf32>'}}
  %r = "torch.aten.slice_scatter"(%a0, %a1, %c0, %c1, %c2, %c3) : (!torch.vtensor<[5],f32>, !torch.vtensor<[3],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5],f32>, %a1: !torch.vtensor<[2],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %c3 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 5: expected the step 1, but got 2}}
  %r = "torch.aten.slice_scatter"(%a0, %a1, %c0, %c1, %c2, %c3) : (!torch.vtensor<[5],f32>, !torch.vtensor<[2],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5,3],f32>, %a1: !torch.vtensor<[3],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 3: expected an index into 5 elements, but got 5}}
  %r = "torch.aten.select_scatter"(%a0, %a1, %c0, %c1) : (!torch.vtensor<[5,3],f32>, !torch.vtensor<[3],f32>, !torch.int, !torch.int) -> (!torch.vtensor<[5,3],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[?],f32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.prim.ListConstruct"(%c1) : (!torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c5 = "torch.prim.ListConstruct"(%c4) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 0: expected a tensor of static shape}}
  %r = "torch.aten.roll"(%a0, %c2, %c5) : (!torch.vtensor<[?],f32>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[?],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c6 = "torch.prim.ListConstruct"(%c5) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected a shift for each axis}}
  %r = "torch.aten.roll"(%a0, %c3, %c6) : (!torch.vtensor<[4],f32>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],si64>) {
  %c0 = "torch.constant.int"() <{value = -1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a number of classes from 1 to 2^24, but got -1}}
  %r = "torch.aten.one_hot"(%a0, %c0) : (!torch.vtensor<[4],si64>, !torch.int) -> (!torch.vtensor<[4,?],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c0 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c1 = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{operand 2: expected an axis, but got none}}
  %r = "torch.aten.repeat_interleave.self_int"(%a0, %c0, %c1) : (!torch.vtensor<[4],f32>, !torch.int, !torch.none) -> (!torch.vtensor<[8],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected a tensor of at least 2 axes}}
  %r = "torch.aten.tril"(%a0, %c0) : (!torch.vtensor<[4],f32>, !torch.int) -> (!torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,4,4],f32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.str"() <{value = "mirror"}> : () -> !torch.str
  %c5 = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{operand 2: expected 'constant', 'reflect', 'replicate' or 'circular', but got 'mirror'}}
  %r = "torch.aten.pad"(%a0, %c3, %c4, %c5) : (!torch.vtensor<[1,2,4,4],f32>, !torch.list<int>, !torch.str, !torch.none) -> (!torch.vtensor<[1,2,4,6],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,4,4],f32>) {
  %c1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.str"() <{value = "reflect"}> : () -> !torch.str
  %c5 = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{operand 1: expected amounts that the sizes of the axes allow}}
  %r = "torch.aten.pad"(%a0, %c3, %c4, %c5) : (!torch.vtensor<[1,2,4,4],f32>, !torch.list<int>, !torch.str, !torch.none) -> (!torch.vtensor<[1,2,4,9],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,6,4,4],f32>) {
  %c0 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a factor that divides the sizes, but got 2}}
  %r = "torch.aten.pixel_shuffle"(%a0, %c0) : (!torch.vtensor<[1,6,4,4],f32>, !torch.int) -> (!torch.vtensor<[1,1,8,8],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,?,4],f32>) {
  %c1 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{images of type 'tensor<1x2x?x4xf32>' and 'tensor<1x2x8x8xf32>'; expected static shapes of 4 axes}}
  %r = "torch.aten.upsample_nearest2d.vec"(%a0, %c3, %c4) : (!torch.vtensor<[1,2,?,4],f32>, !torch.list<int>, !torch.none) -> (!torch.vtensor<[1,2,8,8],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[2,4,5],f32>) {
  %c0 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %c1 = "torch.constant.none"() : () -> !torch.none
  %c2 = "torch.constant.none"() : () -> !torch.none
  %c3 = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
  %c4 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{operand 1: expected a divisor of the number of channels, but got 3}}
  %r = "torch.aten.group_norm"(%a0, %c0, %c1, %c2, %c3, %c4) : (!torch.vtensor<[2,4,5],f32>, !torch.int, !torch.none, !torch.none, !torch.float, !torch.bool) -> (!torch.vtensor<[2,4,5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4,2],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 30 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected divisors of the sizes of operand 0}}
  %r = "torch.torchao.quantize_affine"(%a0, %c3, %a1, %a2, %c4) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>, !torch.int) -> (!torch.vtensor<[4,64],si8>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4,2],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c2 = "torch.prim.ListConstruct"(%c1) : (!torch.int) -> !torch.list<int>
  %c3 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a size for each axis of operand 0}}
  %r = "torch.torchao.quantize_affine"(%a0, %c2, %a1, %a2, %c3) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>, !torch.int) -> (!torch.vtensor<[4,64],si8>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected one element for each block}}
  %r = "torch.torchao.quantize_affine"(%a0, %c3, %a1, %a2, %c4) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4],f32>, !torch.vtensor<[4,2],si32>, !torch.int) -> (!torch.vtensor<[4,64],si8>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4,2],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 4: expected the type of quantized values, but got 6}}
  %r = "torch.torchao.quantize_affine"(%a0, %c3, %a1, %a2, %c4) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>, !torch.int) -> (!torch.vtensor<[4,64],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4,2],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c5 = "torch.constant.int"() <{value = -200 : i64}> : () -> !torch.int
  %c6 = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 5: expected an integer in the range of 'i8', but got -200}}
  %r = "torch.torchao.quantize_affine"(%a0, %c3, %a1, %a2, %c4, %c5, %c6) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>, !torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[4,64],si8>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4,2],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c5 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %c6 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  // expected-error @+1 {{expected a range within 'i8', but got 5 to 3}}
  %r = "torch.torchao.quantize_affine"(%a0, %c3, %a1, %a2, %c4, %c5, %c6) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>, !torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[4,64],si8>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4,2],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c5 = "torch.constant.none"() : () -> !torch.none
  %c6 = "torch.constant.none"() : () -> !torch.none
  %c7 = "torch.constant.str"() <{value = "AFFINE"}> : () -> !torch.str
  // expected-error @+1 {{operand 7: expected 'INT', 'FLOAT' or 'NONE', but got 'AFFINE'}}
  %r = "torch.torchao.quantize_affine"(%a0, %c3, %a1, %a2, %c4, %c5, %c6, %c7) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>, !torch.int, !torch.none, !torch.none, !torch.str) -> (!torch.vtensor<[4,64],si8>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>, %a1: !torch.vtensor<[4,2],f32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.none"() : () -> !torch.none
  %c5 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 3: expected a tensor of known rank, but got none}}
  %r = "torch.torchao.quantize_affine"(%a0, %c3, %a1, %c4, %c5) : (!torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.none, !torch.int) -> (!torch.vtensor<[4,64],si8>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],ui8>, %a1: !torch.vtensor<[4,2],f32>, %a2: !torch.vtensor<[4,2],si32>) {
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected elements of type 'i8'}}
  %r = "torch.torchao.dequantize_affine"(%a0, %c3, %a1, %a2, %c4) : (!torch.vtensor<[4,64],ui8>, !torch.list<int>, !torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>, !torch.int) -> (!torch.vtensor<[4,64],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>) {
  %c0 = "torch.constant.str"() <{value = "CIRCULAR"}> : () -> !torch.str
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c3 = "torch.constant.int"() <{value = 32 : i64}> : () -> !torch.int
  %c4 = "torch.prim.ListConstruct"(%c2, %c3) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a mapping of torchao, but got 'CIRCULAR'}}
  %r:2 = "torch.torchao.choose_qparams_affine"(%a0, %c0, %c4, %c5) : (!torch.vtensor<[4,64],f32>, !torch.str, !torch.list<int>, !torch.int) -> (!torch.vtensor<[4,2],f32>, !torch.vtensor<[4,2],si32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,64],f32>) {
  %c0 = "torch.constant.str"() <{value = "SYMMETRIC"}> : () -> !torch.str
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c3 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c4 = "torch.prim.ListConstruct"(%c2, %c3) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected blocks of several elements}}
  %r:2 = "torch.torchao.choose_qparams_affine"(%a0, %c0, %c4, %c5) : (!torch.vtensor<[4,64],f32>, !torch.str, !torch.list<int>, !torch.int) -> (!torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],si32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c1 = "torch.constant.int"() <{value = -3 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = -2 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected to remove at most the elements of an axis}}
  %r = "torch.aten.constant_pad_nd"(%a0, %c3) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> (!torch.vtensor<[1],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c1 = "torch.constant.int"() <{value = -9223372036854775808 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected amounts of at most 2^31 - 1, but got}}
  %r = "torch.aten.constant_pad_nd"(%a0, %c3) : (!torch.vtensor<[4],f32>, !torch.list<int>) -> (!torch.vtensor<[1],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,3,?,6],f32>) -> !torch.vtensor<[1,3,?,3],si64> {
  %c1 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c2 = "torch.prim.ListConstruct"(%c1) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{indices of maxima in images of unknown size}}
  %r:2 = "torch.aten.max_pool2d_with_indices"(%a0, %c2) : (!torch.vtensor<[1,3,?,6],f32>, !torch.list<int>) -> (!torch.vtensor<[1,3,?,3],f32>, !torch.vtensor<[1,3,?,3],si64>)
  return %r#1 : !torch.vtensor<[1,3,?,3],si64>
}

// -----

func.func @f(%a0: !torch.vtensor<[5],f32>, %a1: !torch.vtensor<[2],si64>, %a2: !torch.vtensor<[2],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.str"() <{value = "median"}> : () -> !torch.str
  %c2 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{the reduction 'median'; expected sum, prod, mean, amax or amin}}
  %r = "torch.aten.scatter_reduce.two"(%a0, %c0, %a1, %a2, %c1, %c2) : (!torch.vtensor<[5],f32>, !torch.int, !torch.vtensor<[2],si64>, !torch.vtensor<[2],f32>, !torch.str, !torch.bool) -> (!torch.vtensor<[5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5],si64>, %a1: !torch.vtensor<[2],si64>, %a2: !torch.vtensor<[2],si64>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.str"() <{value = "mean"}> : () -> !torch.str
  %c2 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
  // expected-error @+1 {{means of elements of type 'i64'}}
  %r = "torch.aten.scatter_reduce.two"(%a0, %c0, %a1, %a2, %c1, %c2) : (!torch.vtensor<[5],si64>, !torch.int, !torch.vtensor<[2],si64>, !torch.vtensor<[2],si64>, !torch.str, !torch.bool) -> (!torch.vtensor<[5],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[5],f32>, %a1: !torch.vtensor<[5],i1>, %a2: !torch.vtensor<[?],f32>) {
  // expected-error @+1 {{expected tensors of static shape and the same type, and a mask}}
  %r = "torch.aten.masked_scatter"(%a0, %a1, %a2) : (!torch.vtensor<[5],f32>, !torch.vtensor<[5],i1>, !torch.vtensor<[?],f32>) -> (!torch.vtensor<[5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,3,?,6],f32>) {
  %c1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{adaptive pooling of 'tensor<1x3x?x6xf32>'; expected known sizes of at most 2^24 elements}}
  %r:2 = "torch.aten.adaptive_max_pool2d"(%a0, %c3) : (!torch.vtensor<[1,3,?,6],f32>, !torch.list<int>) -> (!torch.vtensor<[1,3,4,4],f32>, !torch.vtensor<[1,3,4,4],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c0 = "torch.constant.float"() <{value = 0x7FF8000000000000 : f64}> : () -> !torch.float
  %c1 = "torch.constant.none"() : () -> !torch.none
  %c2 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %c3 = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{operand 1: expected an order}}
  %r = "torch.aten.linalg_vector_norm"(%a0, %c0, %c1, %c2, %c3) : (!torch.vtensor<[4],f32>, !torch.float, !torch.none, !torch.bool, !torch.none) -> (!torch.vtensor<[],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>, %a1: !torch.vtensor<[2,3],f32>) {
  // expected-error @+1 {{bounds of type 'tensor<2x3xf32>' for values of type 'tensor<4xf32>'}}
  %r = "torch.aten.bucketize.Tensor"(%a0, %a1) : (!torch.vtensor<[4],f32>, !torch.vtensor<[2,3],f32>) -> (!torch.vtensor<[4],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[3],f32>, %a1: !torch.vtensor<[4],f32>, %a2: !torch.vtensor<[3],si64>) {
  %c0 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %c1 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %c2 = "torch.constant.none"() : () -> !torch.none
  // expected-error @+1 {{operand 5: expected no sorter}}
  %r = "torch.aten.searchsorted.Tensor"(%a0, %a1, %c0, %c1, %c2, %a2) : (!torch.vtensor<[3],f32>, !torch.vtensor<[4],f32>, !torch.bool, !torch.bool, !torch.none, !torch.vtensor<[3],si64>) -> (!torch.vtensor<[4],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c0 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected a position from 1 to the size of the axis, but got 5}}
  %r:2 = "torch.aten.kthvalue"(%a0, %c0) : (!torch.vtensor<[4],f32>, !torch.int) -> (!torch.vtensor<[],f32>, !torch.vtensor<[],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4097],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected an axis of at most 4096 elements}}
  %r = "torch.aten.logcumsumexp"(%a0, %c0) : (!torch.vtensor<[4097],f32>, !torch.int) -> (!torch.vtensor<[4097],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{operand 0: expected two axes of known sizes}}
  %r = "torch.aten.diagonal"(%a0) : (!torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,?],f32>) {
  // expected-error @+1 {{operand 0: expected two axes of known sizes}}
  %r = "torch.aten.diagonal"(%a0) : (!torch.vtensor<[4,?],f32>) -> (!torch.vtensor<[?],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,4],f32>) {
  %c0 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 1: expected an offset in the matrix, but got 5}}
  %r = "torch.aten.diagonal"(%a0, %c0) : (!torch.vtensor<[4,4],f32>, !torch.int) -> (!torch.vtensor<[0],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4,?],f32>) {
  %c0 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 0: expected a known size of axis 1}}
  %r = "torch.aten.unfold"(%a0, %c0, %c1, %c2) : (!torch.vtensor<[4,?],f32>, !torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[4,?,2],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected a window in 4 elements, but got 5}}
  %r = "torch.aten.unfold"(%a0, %c0, %c1, %c2) : (!torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[0,5],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1000000000],f32>) {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 100000000 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error @+1 {{the result has too many elements}}
  %r = "torch.aten.unfold"(%a0, %c0, %c1, %c2) : (!torch.vtensor<[1000000000],f32>, !torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[900000001,100000000],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[?],f32>) {
  %c1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c2 = "torch.prim.ListConstruct"(%c1) : (!torch.int) -> !torch.list<int>
  %c4 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c5 = "torch.prim.ListConstruct"(%c4) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 0: expected a tensor of static shape}}
  %r = "torch.aten.as_strided"(%a0, %c2, %c5) : (!torch.vtensor<[?],f32>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[8],f32>) {
  %c1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c6 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c7 = "torch.prim.ListConstruct"(%c5, %c6) : (!torch.int, !torch.int) -> !torch.list<int>
  %c8 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected sizes and strides in the tensor}}
  %r = "torch.aten.as_strided"(%a0, %c3, %c7, %c8) : (!torch.vtensor<[8],f32>, !torch.list<int>, !torch.list<int>, !torch.int) -> (!torch.vtensor<[4,4],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[8],f32>) {
  %c1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 9223372036854775807 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c6 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c7 = "torch.prim.ListConstruct"(%c5, %c6) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{the result has too many elements}}
  %r = "torch.aten.as_strided"(%a0, %c3, %c7) : (!torch.vtensor<[8],f32>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[4,4],f32>)
  return
}

// -----

func.func @f() {
  %c0 = "torch.constant.int"() <{value = 100000000 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 100000000 : i64}> : () -> !torch.int
  // expected-error @+1 {{the result has too many elements}}
  %r = "torch.aten.tril_indices"(%c0, %c1) : (!torch.int, !torch.int) -> (!torch.vtensor<[2,1],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,?,4],f32>) {
  %c1 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c6 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c7 = "torch.prim.ListConstruct"(%c5, %c6) : (!torch.int, !torch.int) -> !torch.list<int>
  %c9 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c10 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c11 = "torch.prim.ListConstruct"(%c9, %c10) : (!torch.int, !torch.int) -> !torch.list<int>
  %c13 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c14 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c15 = "torch.prim.ListConstruct"(%c13, %c14) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 0: expected images of static shape}}
  %r = "torch.aten.im2col"(%a0, %c3, %c7, %c11, %c15) : (!torch.vtensor<[1,2,?,4],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[1,8,9],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,3,3],f32>) {
  %c1 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c6 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c7 = "torch.prim.ListConstruct"(%c5, %c6) : (!torch.int, !torch.int) -> !torch.list<int>
  %c9 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c10 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c11 = "torch.prim.ListConstruct"(%c9, %c10) : (!torch.int, !torch.int) -> !torch.list<int>
  %c13 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c14 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c15 = "torch.prim.ListConstruct"(%c13, %c14) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 1: expected a window in the image}}
  %r = "torch.aten.im2col"(%a0, %c3, %c7, %c11, %c15) : (!torch.vtensor<[1,2,3,3],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[1,16,9],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[?],f32>, %a1: !torch.vtensor<[4],f32>) {
  // expected-error @+1 {{operand 0: expected a tensor of static shape}}
  %r = "torch.aten.copy"(%a0, %a1) : (!torch.vtensor<[?],f32>, !torch.vtensor<[4],f32>) -> (!torch.vtensor<[?],f32>)
  return
}

// -----

func.func @f() {
  %c0 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  // expected-error @+1 {{the result has the type 'tensor<?x4xf32>', but must have a static shape}}
  %r = "torch.aten.eye"(%c0) : (!torch.int) -> (!torch.vtensor<[?,4],f32>)
  return
}

// -----

func.func @f() {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = -1 : i64}> : () -> !torch.int
  // expected-error @+1 {{operand 2: expected at most 2^24 elements, but got -1}}
  %r = "torch.aten.linspace"(%c0, %c1, %c2) : (!torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f() {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  // expected-error @+1 {{the result has the type 'tensor<5xf32>', but must have 4 elements}}
  %r = "torch.aten.linspace"(%c0, %c1, %c2) : (!torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[5],f32>)
  return
}

// -----

func.func @f() {
  %c0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %c1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  // expected-error @+1 {{elements of type 'f64'}}
  %r = "torch.aten.linspace"(%c0, %c1, %c2) : (!torch.int, !torch.int, !torch.int) -> (!torch.vtensor<[4],f64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],si64>) {
  // expected-error @+1 {{operand 0: expected a constant list of counts}}
  %r = "torch.aten.repeat_interleave.Tensor"(%a0) : (!torch.vtensor<[4],si64>) -> (!torch.vtensor<[9],si64>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>, %a1: !torch.vtensor<[4],f32>, %a2: !torch.vtensor<[4],f64>) {
  // expected-error @+1 {{elements of type 'f32'}}
  %r = "torch.aten.lerp.Tensor"(%a0, %a1, %a2) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f64>) -> (!torch.vtensor<[4],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,4,4],f32>) {
  %c1 = "torch.constant.int"() <{value = 7 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 7 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c5 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %c6 = "torch.prim.ListConstruct"(%c5) : (!torch.int) -> !torch.list<int>
  // expected-error @+1 {{operand 2: expected positive factors of all axes}}
  %r = "torch.aten.upsample_nearest2d.vec"(%a0, %c3, %c6) : (!torch.vtensor<[1,2,4,4],f32>, !torch.list<int>, !torch.list<int>) -> (!torch.vtensor<[1,2,7,7],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,4,4],f32>) {
  %c1 = "torch.constant.int"() <{value = 7 : i64}> : () -> !torch.int
  %c2 = "torch.constant.int"() <{value = 7 : i64}> : () -> !torch.int
  %c3 = "torch.prim.ListConstruct"(%c1, %c2) : (!torch.int, !torch.int) -> !torch.list<int>
  %c4 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %c5 = "torch.constant.float"() <{value = 2.000000e+00 : f64}> : () -> !torch.float
  // expected-error @+1 {{operand 3: expected no factor, but got 2}}
  %r = "torch.aten._upsample_bilinear2d_aa"(%a0, %c3, %c4, %c5) : (!torch.vtensor<[1,2,4,4],f32>, !torch.list<int>, !torch.bool, !torch.float) -> (!torch.vtensor<[1,2,7,7],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[1,2,4,4],f32>) {
  %c0 = "torch.constant.none"() : () -> !torch.none
  %c1 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
  %c2 = "torch.constant.float"() <{value = 1.750000e+00 : f64}> : () -> !torch.float
  %c3 = "torch.prim.ListConstruct"(%c2, %c2) : (!torch.float, !torch.float) -> !torch.list<float>
  // expected-error @+1 {{the size 7 is no multiple of the size 4}}
  %r = "torch.aten.upsample_bilinear2d.vec"(%a0, %c0, %c1, %c3) : (!torch.vtensor<[1,2,4,4],f32>, !torch.none, !torch.bool, !torch.list<float>) -> (!torch.vtensor<[1,2,7,7],f32>)
  return
}

// -----

func.func @f(%a0: !torch.vtensor<[4],f32>, %a1: !torch.vtensor<[2,4],f32>) {
  // expected-error @+1 {{operand 1: expected a tensor of at most the rank of operand 0}}
  %r = "torch.aten.copy"(%a0, %a1) : (!torch.vtensor<[4],f32>, !torch.vtensor<[2,4],f32>) -> (!torch.vtensor<[4],f32>)
  return
}
