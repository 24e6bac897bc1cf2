// Ops and types of unknown dialects are errors of the tools that read models.
// RUN: split-file %s %t
// RUN: not quant-float-check %t/op.mlir 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not quant-float-compile %t/result.mlir -o %t/a.so 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not quant-float-run %t/argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not quant-float-run %t/pretty.mlir 2>&1 | FileCheck %s --check-prefix=PRETTY

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
