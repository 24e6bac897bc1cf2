// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-emit-c-wrappers

// expected-error @+1 {{'quant_float.entry_point': expected the description of an entry point, but got 3 : i64}}
llvm.func @f.kernel() attributes {quant_float.entry_point = 3} {
  llvm.return
}

// -----

// expected-error @+1 {{function 'f.kernel': expected a shape function 'f.sizes', but found none}}
llvm.func @f.kernel() attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = []}} {
  llvm.return
}

// -----

// expected-error @+1 {{function 'f.kernel': expected type '!llvm.func<void (ptr, ptr, i64)>' as the entry point's description implies, but got '!llvm.func<void ()>'}}
llvm.func @f.kernel() attributes {quant_float.entry_point = {graph_name = "", symbol = "f",
    inputs = [{dtype = 1 : i32, name = "x", sizes = array<i64>}], outputs = []}} {
  llvm.return
}
llvm.func @f.sizes() {
  llvm.return
}

// -----

// expected-error @+1 {{entry point 'f': the name 'f_output_sizes' is already in use}}
llvm.func @f.kernel() attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = []}} {
  llvm.return
}
llvm.func @f.sizes() {
  llvm.return
}
llvm.func @f_output_sizes() {
  llvm.return
}

// -----

// The attribute names 3 arguments, but the function has none.
// expected-error @+1 {{'quant_float.entry_point': expected the description of an entry point, but got}}
llvm.func @f.kernel() attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = [],
    sharing = [{arguments = ["a", "b", "c"], graph_name = "", position = 1 : i64, symbol = "g"}]}} {
  llvm.return
}

// -----

// expected-error @+1 {{'quant_float.entry_point': expected the description of an entry point, but got}}
llvm.func @f.kernel() attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = [],
    sharing = [{graph_name = "", position = 1 : i64, symbol = "g"}]}} {
  llvm.return
}

// -----

// expected-error @+1 {{entry point 'f': the name 'f' is already in use}}
llvm.func @f.kernel() attributes {quant_float.entry_point = {graph_name = "", symbol = "f", inputs = [], outputs = [],
    sharing = [{arguments = [], graph_name = "", position = 1 : i64, symbol = "f"}]}} {
  llvm.return
}
llvm.func @f.sizes() {
  llvm.return
}
