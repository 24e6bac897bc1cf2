// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-copy-shapes-to-host

// expected-error @+1 {{function 'none.kernel': expected a body, and a buffer for data-dependent sizes before the last argument}}
func.func @none.kernel()
    attributes {quant_float.entry_point = {data_dependent_sizes, graph_name = "", inputs = [], outputs = [], symbol = "none"}} {
  return
}

// -----

// expected-error @+1 {{function 'dynamic.kernel': expected a body, and a buffer}}
func.func @dynamic.kernel(%sizes: memref<?xi64>, %sizes_only: i64)
    attributes {quant_float.entry_point = {data_dependent_sizes, graph_name = "", inputs = [], outputs = [], symbol = "dynamic"}} {
  return
}

// -----

// expected-error @+1 {{function 'external.kernel': expected a body, and a buffer}}
func.func private @external.kernel(memref<1xi64>, i64)
    attributes {quant_float.entry_point = {data_dependent_sizes, graph_name = "", inputs = [], outputs = [], symbol = "external"}}
