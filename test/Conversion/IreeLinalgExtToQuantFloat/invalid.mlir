// RUN: quant-float-opt %s --allow-unregistered-dialect --convert-iree-linalg-ext-to-quant-float -split-input-file -verify-diagnostics

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

func.func @unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{no conversion of 'iree_linalg_ext.topk'}}
  %0 = "iree_linalg_ext.topk"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{no conversion of 'iree_linalg_ext.quantize_affine': expected 3 to 4 operands, but got 1}}
  %1 = "iree_linalg_ext.quantize_affine"(%x) : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

func.func @types(%x: tensor<4xf32>, %h: tensor<4xf16>, %s: f32, %q: tensor<4xi8>, %o: tensor<4xi6>, %z: i64, %w: i128, %i: tensor<4xi32>, %v: vector<4xf32>) {
  // expected-error @+1 {{the init has the type 'tensor<4xf16>', but must have 'tensor<4xi8>'}}
  %0 = "iree_linalg_ext.quantize_affine"(%x, %s, %h) <{indexing_maps = [#id, #none, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, tensor<4xf16>) -> tensor<4xi8>
  // expected-error @+1 {{expected signless integers of 2, 4, 8, 16 or 32 bits, but got 'tensor<4xi6>'}}
  %1 = "iree_linalg_ext.quantize_affine"(%x, %s, %o) <{indexing_maps = [#id, #none, #id], quant_max = 31 : i64, quant_min = -32 : i64}> : (tensor<4xf32>, f32, tensor<4xi6>) -> tensor<4xi6>
  // expected-error @+1 {{expected elements of type f16, bf16, f32 or f64, but got 'tensor<4xi8>'}}
  %2 = "iree_linalg_ext.quantize_affine"(%q, %s, %q) <{indexing_maps = [#id, #none, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xi8>, f32, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{expected scalars or ranked tensors, but got 'vector<4xf32>'}}
  %3 = "iree_linalg_ext.quantize_affine"(%x, %v, %q) <{indexing_maps = [#id, #none, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, vector<4xf32>, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{expected scales of type f16, bf16, f32 or f64 that are not narrower than the input, but got 'tensor<4xf16>'}}
  %4 = "iree_linalg_ext.quantize_affine"(%x, %h, %q) <{indexing_maps = [#id, #id, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, tensor<4xf16>, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{expected zero points of signless integers of at most 64 bits, but got 'i128'}}
  %5 = "iree_linalg_ext.quantize_affine"(%x, %s, %w, %q) <{indexing_maps = [#id, #none, #none, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, i128, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

func.func @attributes(%x: tensor<4xf32>, %s: f32, %q: tensor<4xi8>, %i: tensor<4xi32>) {
  // expected-error @+1 {{attribute 'indexing_maps': expected an affine map for each operand, but got none}}
  %0 = "iree_linalg_ext.quantize_affine"(%x, %s, %q) <{quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{attribute 'indexing_maps': expected an affine map for each operand, but got [}}
  %1 = "iree_linalg_ext.quantize_affine"(%x, %s, %q) <{indexing_maps = [#id, #id, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{attribute 'indexing_maps': expected permutations of the dimensions for input and result, but got [}}
  %2 = "iree_linalg_ext.quantize_affine"(%x, %s, %q) <{indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d1)>], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{attribute 'quant_min': expected an integer, but got none}}
  %3 = "iree_linalg_ext.quantize_affine"(%x, %s, %q) <{indexing_maps = [#id, #none, #id], quant_max = 127 : i64}> : (tensor<4xf32>, f32, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{expected a range in [-128, 127], but got [-128, 128]}}
  %4 = "iree_linalg_ext.quantize_affine"(%x, %s, %q) <{indexing_maps = [#id, #none, #id], quant_max = 128 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{the bound 2147483647 is not representable in 'f32'}}
  %5 = "iree_linalg_ext.quantize_affine"(%x, %s, %i) <{indexing_maps = [#id, #none, #id], quant_max = 2147483647 : i64, quant_min = -2147483648 : i64}> : (tensor<4xf32>, f32, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// expected-error @+1 {{no conversion of 'util.func': expected a function with a name and a type}}
"util.func"() <{sym_name = "f"}> ({
^bb0(%x: tensor<4xf32>):
  "util.return"(%x) : (tensor<4xf32>) -> ()
}) : () -> ()

// -----

// expected-error @+1 {{no conversion of 'util.func': expected arguments of the function's type}}
"util.func"() <{function_type = () -> (), sym_name = "f"}> ({
^bb0(%x: tensor<4xf32>):
  "util.return"(%x) : (tensor<4xf32>) -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (!hal.fence) -> (), sym_name = "f"}> ({
^bb0(%f: !hal.fence):
  // expected-error @+1 {{no conversion of 'util.call': expected a function that passes its arguments to an asynchronous function and returns its results}}
  "util.call"(%f) <{callee = @g}> : (!hal.fence) -> ()
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (!hal.fence) -> (), sym_name = "g"}> ({
^bb0(%f: !hal.fence):
  "util.return"() : () -> ()
}) : () -> ()
"util.func"() <{function_type = () -> (), sym_name = "f"}> ({
  %f = "util.null"() : () -> !hal.fence
  "util.call"(%f) <{callee = @g}> : (!hal.fence) -> ()
  "util.return"() : () -> ()
}) : () -> ()
"util.func"() <{function_type = () -> (), sym_name = "h"}> ({
  %f = "util.null"() : () -> !hal.fence
  // expected-error @+1 {{no conversion of 'util.call': another function calls 'g'}}
  "util.call"(%f) <{callee = @g}> : (!hal.fence) -> ()
  "util.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{no conversion of 'util.func': a chain of asynchronous calls}}
"util.func"() <{function_type = () -> (), sym_name = "f"}> ({
  %f = "util.null"() : () -> !hal.fence
  "util.call"(%f) <{callee = @f}> : (!hal.fence) -> ()
  "util.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{no conversion of argument 0: expected an import of the buffer}}
"util.func"() <{function_type = (!hal.buffer_view) -> (), sym_name = "f"}> ({
^bb0(%b: !hal.buffer_view):
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (!hal.buffer_view) -> (), sym_name = "f"}> ({
^bb0(%b: !hal.buffer_view):
  // expected-error @+1 {{no conversion of 'hal.tensor.import': expected a buffer and a ranked tensor}}
  %0 = "hal.tensor.import"(%b) : (!hal.buffer_view) -> tensor<*xf32>
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (!hal.buffer_view) -> (), sym_name = "f"}> ({
^bb0(%b: !hal.buffer_view):
  // expected-error-re @+1 {{no conversion of 'hal.tensor.import': the same buffer has the types 'tensor<{{[45]}}xf32>' and 'tensor<{{[45]}}xf32>'}}
  %0 = "hal.tensor.import"(%b) : (!hal.buffer_view) -> tensor<4xf32>
  %1 = "hal.tensor.import"(%b) : (!hal.buffer_view) -> tensor<5xf32>
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (!hal.fence) -> (), sym_name = "f"}> ({
^bb0(%f: !hal.fence):
  // expected-error @+1 {{no conversion of 'hal.fence.signal': a use of a fence}}
  "hal.fence.signal"(%f) : (!hal.fence) -> ()
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (!hal.buffer_view) -> (), sym_name = "f"}> ({
^bb0(%b: !hal.buffer_view):
  %0 = "hal.tensor.import"(%b) : (!hal.buffer_view) -> tensor<4xf32>
  %1 = "test.buffer"() : () -> !hal.buffer_view
  // expected-error @+1 {{no conversion of 'hal.tensor.import': expected an argument of the function}}
  %2 = "hal.tensor.import"(%1) : (!hal.buffer_view) -> tensor<4xf32>
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "f"}> ({
^bb0(%x: tensor<4xf32>):
  // expected-error @+1 {{no conversion of 'hal.tensor.barrier': expected tensors and a fence}}
  %0 = "hal.tensor.barrier"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = (!hal.buffer_view) -> (), sym_name = "f"}> ({
^bb0(%b: !hal.buffer_view):
  %0 = "hal.tensor.import"(%b) : (!hal.buffer_view) -> tensor<4xf32>
  // expected-error @+1 {{no conversion of 'hal.buffer_view.dim': expected a dimension of an argument}}
  %1 = "hal.buffer_view.dim"(%b) <{index = 1 : index}> : (!hal.buffer_view) -> index
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = () -> (), sym_name = "f"}> ({
  // expected-error @+1 {{no conversion of 'util.call': expected a function}}
  "util.call"() : () -> ()
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = () -> (), sym_name = "f"}> ({
  // expected-error @+1 {{no conversion of 'util.global.load': expected a global of this module}}
  %0 = "util.global.load"() <{global = @w}> : () -> tensor<2xf32>
  "util.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{no conversion of 'util.global': expected a constant tensor}}
"util.global"() <{is_mutable, initial_value = dense<[1.0, 2.0]> : tensor<2xf32>, sym_name = "w", type = tensor<2xf32>}> : () -> ()
"util.func"() <{function_type = () -> (), sym_name = "f"}> ({
  %0 = "util.global.load"() <{global = @w}> : () -> tensor<2xf32>
  "util.return"() : () -> ()
}) : () -> ()

// -----

"util.func"() <{function_type = () -> (), sym_name = "f"}> ({
  // expected-error @+1 {{no conversion of 'util.optimization_barrier'}}
  "util.optimization_barrier"() : () -> ()
  "util.return"() : () -> ()
}) : () -> ()

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

func.func @importer(%x: tensor<4xf32>, %u: tensor<*xf32>, %s: f32, %q: tensor<4xi8>, %p: tensor<5xi8>, %v: tensor<*xi8>) {
  // expected-error @+1 {{operand 0 has the type 'tensor<*xf32>', but must be a ranked tensor}}
  %0 = "iree_linalg_ext.quantize_affine"(%u, %s, %q) <{indexing_maps = [#id, #none, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<*xf32>, f32, tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{result 0 has the type 'tensor<*xi8>', but must be a ranked tensor}}
  %1 = "iree_linalg_ext.quantize_affine"(%x, %s, %q) <{indexing_maps = [#id, #none, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, tensor<4xi8>) -> tensor<*xi8>
  %c = arith.constant 0.5 : f32
  // expected-error @+1 {{result 0 has the type 'tensor<5xi8>', but must have 'tensor<4xi8>'}}
  %2 = "iree_linalg_ext.quantize_affine"(%x, %c, %p) <{indexing_maps = [#id, #none, #id], quant_max = 127 : i64, quant_min = -128 : i64}> : (tensor<4xf32>, f32, tensor<5xi8>) -> tensor<5xi8>
  // expected-error @+1 {{expected 1 results, but got 2}}
  %3:2 = "iree_linalg_ext.quantize_affine"(%x, %s, %q) : (tensor<4xf32>, f32, tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>)
  return
}

// -----

func.func @successors(%x: tensor<4xf32>, %s: f32, %q: tensor<4xi8>) {
  // expected-error @+1 {{no conversion of 'iree_linalg_ext.quantize_affine': expected no successors}}
  %0 = "iree_linalg_ext.quantize_affine"(%x, %s, %q)[^bb1] : (tensor<4xf32>, f32, tensor<4xi8>) -> tensor<4xi8>
^bb1:
  return
}
