// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-make-entry-points

// expected-error @+1 {{function 'unranked': argument 0: expected a ranked tensor, but got 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<2xf32> {
  %0 = tensor.cast %x : tensor<*xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @+1 {{function 'mixed': result 1: expected a ranked tensor, but got 'f32'}}
func.func @mixed(%x: tensor<2xf32>, %y: tensor<f32>) -> (tensor<2xf32>, f32) {
  %0 = tensor.extract %y[] : tensor<f32>
  return %x, %0 : tensor<2xf32>, f32
}

// -----

// expected-error @+1 {{function 'complex': argument 0: expected an element type with a representation in memory, but got 'complex<f32>'}}
func.func @complex(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  return %x : tensor<2xcomplex<f32>>
}

// -----

// expected-error @+1 {{function 'sequence': argument 0: expected a ranked tensor, but got '!quant_float.opaque<"seq(tensor(float))">'}}
func.func @sequence(%x: !quant_float.opaque<"seq(tensor(float))">) -> !quant_float.opaque<"seq(tensor(float))"> {
  return %x : !quant_float.opaque<"seq(tensor(float))">
}

// -----

// Narrow types must be converted to their storage types before.

// expected-error @+1 {{function 'narrow': argument 0: expected the storage type of 'i4', but got 'i4'}}
func.func @narrow(%x: tensor<2xi4>) -> tensor<2xi4> {
  return %x : tensor<2xi4>
}

// -----

// expected-error @+1 {{function 'wrong_storage': argument 0: expected the storage type of 'f4E2M1FN', but got 'i16'}}
func.func @wrong_storage(%x: tensor<2xi16> {quant_float.element_type = f4E2M1FN}) {
  return
}

// -----

// expected-error @+1 {{function 'no identifier': expected a name that is a C identifier}}
func.func @"no identifier"(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{function 'unreachable': expected the terminator 'func.return', but got 'llvm.unreachable'}}
func.func @unreachable(%x: tensor<2xf32>) -> tensor<2xf32> {
  llvm.unreachable
}

// -----

func.func @reserved(%n: tensor<i64>) -> tensor<?xf32> {
  %read = tensor.extract %n[] : tensor<i64>
  %truth = arith.cmpi eq, %read, %read : i64
  // expected-error @+1 {{'cf.assert' op message is reserved: 'only the sizes of the results are computed'}}
  cf.assert %truth, "only the sizes of the results are computed"
  %count = arith.index_cast %read : i64 to index
  %y = tensor.empty(%count) : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error @+1 {{function 'blocks': expected one block, but got 2}}
func.func @blocks(%x: tensor<2xf32>) -> tensor<2xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<2xf32>
}

// -----

// Data-dependent sizes are not supported if strings are read to compute them.

func.func @data_dependent(%x: tensor<1xi64>, %t: tensor<2xi64> {quant_float.element_type = !quant_float.string}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{function 'data_dependent': expected result sizes that depend on argument sizes only, but they depend on the values of input 0}}
  %0 = tensor.extract %x[%c0] : tensor<1xi64>
  %1 = arith.index_cast %0 : i64 to index
  %2 = tensor.empty(%1) : tensor<?xf32>
  return %2 : tensor<?xf32>
}
