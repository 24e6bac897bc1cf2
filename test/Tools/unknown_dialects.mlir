// Ops and types of unknown dialects are errors of the tools that read models.
// RUN: split-file %s %t
// RUN: not quant-float-check %t/op.mlir 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not quant-float-compile %t/result.mlir -o %t/a.so 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not quant-float-run %t/argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not quant-float-run %t/pretty.mlir 2>&1 | FileCheck %s --check-prefix=PRETTY

// RUN: not quant-float-run %t/recursion.mlir --random 1 2>&1 | FileCheck %s --check-prefix=RECURSION
// RUN: not quant-float-check %t/location.mlir 2>&1 | FileCheck %s --check-prefix=LOCATION
// RUN: quant-float-opt %t/bytecode.mlir --allow-unregistered-dialect --emit-bytecode --mlir-print-debuginfo -o %t/a.mlirbc
// RUN: not quant-float-check %t/a.mlirbc 2>&1 | FileCheck %s --check-prefix=BYTECODE

// PRETTY: pretty.mlir:3:8: error: the dialect 'stablehlo' is read in the generic form only (--mlir-print-op-generic)
//--- pretty.mlir
// A comment: stablehlo.abs
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// OP: op.mlir:2:8: error: op 'foo.bar' is of an unknown dialect
//--- op.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RESULT: result.mlir:2:8: error: type '!foo.baz' is of an unknown dialect
//--- result.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32> to !foo.baz
  return %x : tensor<4xf32>
}

// ARGUMENT: argument.mlir:1:1: error: type '!foo.baz' is of an unknown dialect
//--- argument.mlir
func.func @main(%x: !foo.baz) {
  return
}

// RECURSION: recursion.mlir:5:1: error: function "a" calls itself: recursion is not supported
//--- recursion.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @b(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @b(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// LOCATION: model.py:7:5: error: no conversion of 'stablehlo.foo'
// LOCATION-NEXT: location.mlir: note: the model contains the op of this error
// LOCATION-NOT: bytecode
//--- location.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.foo"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("model.py":7:5)
  return %0 : tensor<4xf32>
}

// BYTECODE: bytecode.mlir:2:8: error: no conversion of 'stablehlo.reverse'
// BYTECODE-NEXT: a.mlirbc: note: the model contains the op of this error
// BYTECODE-NEXT: a.mlirbc: note: bytecode of a compiler that registers the dialect does not store attributes by name: write text in the generic form (--mlir-print-op-generic)
// BYTECODE-NEXT: bytecode.mlir:3:8: error: no conversion of 'stablehlo.reverse'
// BYTECODE-NEXT: a.mlirbc: note: the model contains the op of this error
//--- bytecode.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.reverse"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.reverse"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
