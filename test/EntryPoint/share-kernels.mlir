// RUN: quant-float-opt %s --quant-float-make-entry-points | FileCheck %s
// RUN: quant-float-opt %s --quant-float-make-entry-points=share=false | FileCheck %s --check-prefix=APART
// RUN: quant-float-opt %s --quant-float-lower-to-cpu | FileCheck %s --check-prefix=LLVM

// Functions that differ in names only share the kernel of the first one.

// CHECK:      func.func @first.kernel
// CHECK-SAME:   quant_float.entry_point = {graph_name = "one",
// CHECK-SAME:   inputs = [{dtype = 1 : i32, name = "x", sizes = array<i64: 8>}],
// CHECK-SAME:   sharing = [{arguments = ["other x", "other y"], graph_name = "two",
// CHECK-SAME:     position = 2 : i64, symbol = "third"}],
// CHECK-SAME:   symbol = "first"}
// CHECK:      func.func @first.sizes
// CHECK:      func.func @second.kernel
// CHECK-SAME:   position = 1 : i64
// CHECK-NOT:    sharing
// CHECK-NOT:  @third
// CHECK:      func.func @fourth.kernel
// CHECK-SAME:   position = 3 : i64
// CHECK-NOT:  sharing
// CHECK:      func.func @fifth.kernel
// CHECK-SAME:   position = 4 : i64
// CHECK-NOT:  sharing
// A function of the module still calls the function itself.
// CHECK:      func.func @sixth.kernel
// CHECK:        call @second(

// APART-NOT:     sharing
// APART-NOT:     position
// APART:         func.func @third.kernel
// APART-NOT:     sharing

// LLVM:      llvm.func @third(
// LLVM:        addressof @third.table
// LLVM:        addressof @third.names
// LLVM:        addressof @first.invoke
// LLVM:      @third.names("third\00other x\00other y\00")
// LLVM:      @first.names("first\00x\00y\00")
// LLVM:      llvm.func internal @first.invoke
// LLVM-NOT:  llvm.func internal @third
#map = affine_map<(d0) -> (d0)>
func.func @first(%x: tensor<8xf32> {quant_float.name = "x"}) -> (tensor<8xf32> {quant_float.name = "y"})
    attributes {quant_float.graph_name = "one"} {
  %0 = arith.negf %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Different ops.
func.func @second(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.absf %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @third(%x: tensor<8xf32> {quant_float.name = "other x"})
    -> (tensor<8xf32> {quant_float.name = "other y"}) attributes {quant_float.graph_name = "two"} {
  %0 = arith.negf %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Different sizes.
func.func @fourth(%x: tensor<9xf32> {quant_float.name = "x"}) -> (tensor<9xf32> {quant_float.name = "y"})
    attributes {quant_float.graph_name = "one"} {
  %0 = arith.negf %x : tensor<9xf32>
  return %0 : tensor<9xf32>
}

// A different element type with the same storage type.
func.func @fifth(%x: tensor<8xi8> {quant_float.element_type = ui8}) -> tensor<8xi8> {
  return %x : tensor<8xi8>
}

func.func @sixth(%x: tensor<8xi8>) -> (tensor<8xi8>, tensor<8xf32>) {
  %c = arith.constant dense<1.0> : tensor<8xf32>
  %0 = call @second(%c) : (tensor<8xf32>) -> tensor<8xf32>
  return %x, %0 : tensor<8xi8>, tensor<8xf32>
}
