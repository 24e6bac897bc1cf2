// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-free-on-failure

llvm.func @malloc(i64)
llvm.func @f.kernel(%n: i64) -> i64 attributes {quant_float.entry_point = {}} {
  // expected-error @+1 {{'llvm.call' op expected 'malloc' to return a pointer}}
  llvm.call @malloc(%n) : (i64) -> ()
  llvm.return %n : i64
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free()
llvm.func @f.kernel(%n: i64) -> i64 attributes {quant_float.entry_point = {}} {
  %a = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  // expected-error @+1 {{'llvm.call' op expected 'free' to take a pointer}}
  llvm.call @free() : () -> ()
  llvm.return %n : i64
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
// expected-error @+1 {{redefinition of function 'free' of different type}}
llvm.func @free(i64)
llvm.func @f.kernel(%n: i64) -> i64 attributes {quant_float.entry_point = {}} {
  %a = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return %n : i64
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
// expected-error @+1 {{redefinition of function '__qf_take_buffer' of different type}}
llvm.func @__qf_take_buffer(!llvm.ptr)
llvm.func @f.kernel(%n: i64) -> i64 attributes {quant_float.entry_point = {}} {
  %a = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return %n : i64
}
