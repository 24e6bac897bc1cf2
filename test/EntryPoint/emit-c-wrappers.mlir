// RUN: quant-float-opt %s -split-input-file --quant-float-emit-c-wrappers | FileCheck %s

// CHECK-DAG: llvm.func @__qf_run_entry_point(
// CHECK-DAG: llvm.func @__qf_compute_output_sizes(

// The kernel is internal, and its outputs are noalias.
// CHECK: llvm.func internal @f.kernel(%{{[0-9a-z]+}}: !llvm.ptr, %{{[0-9a-z]+}}: !llvm.ptr, %{{[0-9a-z]+}}: i64, %{{[0-9a-z]+}}: i64, %{{[0-9a-z]+}}: i64,
// CHECK-SAME: %{{[0-9a-z]+}}: !llvm.ptr, %{{[0-9a-z]+}}: !llvm.ptr {llvm.noalias},

// CHECK: llvm.func @f_output_sizes(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64) -> i32
// CHECK: llvm.func @f(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64) -> i32
// 1 input, 1 output, no checks, no strings, 1 output size, which entry 18 describes. Input: name 2,
// float, 32 bits, rank 1, sizes from entry 16. Output: name 4, float16, 16 bits, rank 1, sizes from
// entry 17. Both sizes are dynamic. The output's size is that of dimension 0 of input 0.
// CHECK: llvm.mlir.global internal constant @f.table(dense<[1, 1, 0, 0, 0, 1, 19, 2, 1, 32, 1, 17, 4, 10, 16, 1, 18, -1, -1, -1]>
// CHECK: llvm.mlir.global internal constant @f.names("f\00x\00\00")
// CHECK-NOT: @f.infer
// CHECK: llvm.func internal @f.invoke({{.*}}) -> i64 attributes {no_inline}
// CHECK:   llvm.call @f.kernel(
// CHECK-NOT: @f.sizes
llvm.func @f.kernel(%0: !llvm.ptr, %1: !llvm.ptr, %2: i64, %3: i64, %4: i64,
                    %5: !llvm.ptr, %6: !llvm.ptr, %7: i64, %8: i64, %9: i64)
    attributes {quant_float.entry_point = {
      graph_name = "", symbol = "f",
      inputs = [{dtype = 1 : i32, name = "x", sizes = array<i64: -1>}],
      outputs = [{dtype = 10 : i32, name = "", sizes = array<i64: -1>}]}} {
  llvm.return
}
llvm.func @f.sizes(%0: i64) -> i64 {
  llvm.return %0 : i64
}

// -----

// A computed size: one function checks the sizes and computes the sizes of the outputs.

// CHECK: llvm.mlir.global internal constant @p.table(dense<[2, 1, 1, 0, 0, 1, 29,
// CHECK: llvm.func internal @p.infer({{.*}}) attributes {no_inline}
// CHECK:   llvm.call @p.sizes(
// CHECK: llvm.func internal @p.sizes(
llvm.func @p.kernel(%0: !llvm.ptr, %1: !llvm.ptr, %2: i64, %3: i64, %4: i64,
                    %5: !llvm.ptr, %6: !llvm.ptr, %7: i64, %8: i64, %9: i64,
                    %10: !llvm.ptr, %11: !llvm.ptr, %12: i64, %13: i64, %14: i64)
    attributes {quant_float.entry_point = {
      graph_name = "", symbol = "p",
      checks = [{assertion = false, dimension = array<i64: 1, 0>, message = ""}],
      inputs = [{dtype = 1 : i32, name = "x", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "y", sizes = array<i64: -1>}],
      outputs = [{dtype = 10 : i32, name = "", sizes = array<i64: -1>}]}} {
  llvm.return
}
llvm.func @p.sizes(%0: i64, %1: i64) -> !llvm.struct<(i64, i64, i64)> {
  %2 = llvm.add %0, %0 : i64
  %3 = llvm.mlir.poison : !llvm.struct<(i64, i64, i64)>
  %4 = llvm.insertvalue %2, %3[0] : !llvm.struct<(i64, i64, i64)>
  %5 = llvm.insertvalue %0, %4[1] : !llvm.struct<(i64, i64, i64)>
  %6 = llvm.insertvalue %1, %5[2] : !llvm.struct<(i64, i64, i64)>
  llvm.return %6 : !llvm.struct<(i64, i64, i64)>
}

// -----

// The function takes the size of the first input. The second input must have the size 7 as well.

// CHECK: llvm.mlir.global internal constant @c.table(dense<[2, 1, 1, 0, 0, 2,
// CHECK-SAME: -1, -1, -1, 7, -1, 7, 7, -4294967297]>
// CHECK-NOT: @c.infer
llvm.func @c.kernel(%0: !llvm.ptr, %1: !llvm.ptr, %2: i64, %3: i64, %4: i64,
                    %5: !llvm.ptr, %6: !llvm.ptr, %7: i64, %8: i64, %9: i64,
                    %10: !llvm.ptr, %11: !llvm.ptr, %12: i64, %13: i64, %14: i64, %15: i64, %16: i64)
    attributes {quant_float.entry_point = {
      graph_name = "", symbol = "c",
      checks = [{assertion = false, dimension = array<i64: 1, 0>, message = ""}],
      inputs = [{dtype = 1 : i32, name = "x", sizes = array<i64: -1>}, {dtype = 1 : i32, name = "y", sizes = array<i64: -1>}],
      outputs = [{dtype = 10 : i32, name = "", sizes = array<i64: -1, 7>}]}} {
  llvm.return
}
llvm.func @c.sizes(%0: i64, %1: i64) -> !llvm.struct<(i64, i64, i64)> {
  %2 = llvm.mlir.constant(7 : i64) : i64
  %3 = llvm.mlir.poison : !llvm.struct<(i64, i64, i64)>
  %4 = llvm.insertvalue %0, %3[0] : !llvm.struct<(i64, i64, i64)>
  %5 = llvm.insertvalue %2, %4[1] : !llvm.struct<(i64, i64, i64)>
  %6 = llvm.insertvalue %1, %5[2] : !llvm.struct<(i64, i64, i64)>
  llvm.return %6 : !llvm.struct<(i64, i64, i64)>
}

// -----

// For the shape function, the kernel computes only the sizes: it gets no results, and writes the dynamic sizes.

// CHECK: llvm.mlir.global internal constant @m.names("m\00x\00\00of the kernel\00")
// CHECK: llvm.func internal @m.data_sizes(%[[IN:.+]]: !llvm.ptr, %[[SIZES:.+]]: !llvm.ptr) -> i64 attributes {no_inline}
// CHECK:   %[[STATUS:.+]] = llvm.call @m.kernel(
// CHECK:   %[[SIZE:.+]] = llvm.load
// CHECK:   %[[PLACE:.+]] = llvm.getelementptr %[[SIZES]][1]
// CHECK:   llvm.store %[[SIZE]], %[[PLACE]]
// CHECK:   %[[COMPUTED:.+]] = llvm.icmp "eq" %[[STATUS]], %{{.+}} : i64
// CHECK:   llvm.select %[[COMPUTED]], %{{.+}}, %[[STATUS]]
// CHECK: llvm.func internal @m.invoke(
// CHECK:   llvm.call @m.kernel(
llvm.func @m.kernel(%0: !llvm.ptr, %1: !llvm.ptr, %2: i64,
                    %3: !llvm.ptr, %4: !llvm.ptr, %5: i64, %6: i64, %7: i64, %8: i64, %9: i64,
                    %10: !llvm.ptr, %11: !llvm.ptr, %12: i64, %13: i64, %14: i64, %15: i64) -> i64
    attributes {quant_float.entry_point = {
      graph_name = "", symbol = "m", messages = ["of the kernel"], data_dependent_sizes,
      inputs = [{dtype = 1 : i32, name = "x", sizes = array<i64>}],
      outputs = [{dtype = 10 : i32, name = "", sizes = array<i64: 2, -1>}]}} {
  llvm.return %2 : i64
}
llvm.func @m.sizes() -> i64 {
  %0 = llvm.mlir.constant(0 : i64) : i64
  llvm.return %0 : i64
}

// -----

// A shape function that does not return computes no sizes.

// CHECK: llvm.func internal @u.infer(
// CHECK:   llvm.call @u.sizes(
llvm.func @u.kernel(%0: !llvm.ptr, %1: !llvm.ptr, %2: i64, %3: i64, %4: i64)
    attributes {quant_float.entry_point = {
      graph_name = "", symbol = "u", inputs = [], outputs = [{dtype = 10 : i32, name = "", sizes = array<i64: -1>}]}} {
  llvm.return
}
llvm.func @u.sizes() -> i64 {
  llvm.unreachable
}
