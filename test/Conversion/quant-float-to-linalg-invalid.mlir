// Ops without a lowering are reported, whatever surrounds them.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --convert-quant-float-to-linalg --verify-roundtrip=false

func.func @unranked(%x: tensor<*xf32>, %s: tensor<f32>) -> tensor<*xi8> {
  // expected-error @+1 {{'quant_float.quantize' op has no lowering for the unranked type 'tensor<*xf32>'}}
  %0 = quant_float.quantize %x, %s opset 21 : tensor<*xf32>, tensor<f32> to tensor<*xi8>
  return %0 : tensor<*xi8>
}

// -----

func.func @from_strings(%x: vector<4x!quant_float.string>) -> vector<4xf32> {
  // expected-error @+1 {{'quant_float.cast' op has no lowering for strings outside of tensors, but got 'vector<4x!quant_float.string>'}}
  %0 = quant_float.cast %x opset 13 : vector<4x!quant_float.string> to vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

func.func @to_a_string(%x: f32) -> !quant_float.string {
  // expected-error @+1 {{'quant_float.cast' op has no lowering for strings outside of tensors, but got '!quant_float.string'}}
  %0 = quant_float.cast %x opset 13 : f32 to !quant_float.string
  return %0 : !quant_float.string
}

// -----

func.func @nodes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no lowering of the op 'Relu' of the domain 'ai.onnx'}}
  %0 = quant_float.node "Relu"(%x) opset 13 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{no lowering of the op 'Gelu' of the domain 'com.microsoft'}}
  %1 = quant_float.node "Gelu"(%0) opset 1 domain "com.microsoft" : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// All ops are reported in one run, except for those inside of a rejected op.
func.func @several(%x: tensor<*xf32>, %condition: tensor<i1>) {
  // expected-error @+1 {{'quant_float.cast' op has no lowering for the unranked type 'tensor<*xf32>'}}
  %0 = quant_float.cast %x opset 13 : tensor<*xf32> to tensor<4xf16>
  // expected-error @+1 {{no lowering of the op 'If' of the domain 'ai.onnx'}}
  quant_float.node "If"(%condition) opset 13 : (tensor<i1>) -> () bodies ["then_branch"] {
    %1 = quant_float.cast %x opset 13 : tensor<*xf32> to tensor<*xf64>
    quant_float.yield
  }
  return
}

// -----

// V8: the sizes would have to be compared at run time.
func.func @learns_sizes(%x: tensor<?x3xf32>) -> tensor<2x3xf16> {
  // expected-error @+1 {{'quant_float.cast' op has no lowering for a static result size for a dynamic input size, but got 'tensor<?x3xf32>' and 'tensor<2x3xf16>'}}
  %0 = quant_float.cast %x opset 13 : tensor<?x3xf32> to tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// -----

func.func @sparse_constant() -> tensor<4xui8> {
  // expected-error @+1 {{failed to legalize operation 'quant_float.constant'}}
  %0 = quant_float.constant sparse<[[0], [2]], [1, 2]> : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// Ops that compute with narrow tensors are not lowered here.
func.func @other_ops(%condition: i1, %x: tensor<4xui4>) -> tensor<4xui4> {
  // expected-error @+1 {{failed to legalize operation 'scf.if'}}
  %0 = scf.if %condition -> tensor<4xui4> {
    scf.yield %x : tensor<4xui4>
  } else {
    scf.yield %x : tensor<4xui4>
  }
  return %0 : tensor<4xui4>
}

// -----

// V8: only that the result has a rank is not enough.
func.func @learns_rank(%x: tensor<*xf32>) -> tensor<4xf16> {
  // expected-error @+1 {{'quant_float.cast' op has no lowering for the unranked type 'tensor<*xf32>'}}
  %0 = quant_float.cast %x opset 13 : tensor<*xf32> to tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @learns_sizes_without_rank(%x: tensor<?xf32>) -> tensor<4xf16> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<*xf32>
  // expected-error @+1 {{'quant_float.cast' op has no lowering for a static result size for a dynamic input size, but got 'tensor<?xf32>' and 'tensor<4xf16>'}}
  %1 = quant_float.cast %0 opset 13 : tensor<*xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// -----

func.func @other_sizes_without_rank(%x: tensor<3xf32>) -> tensor<4xf16> {
  %0 = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
  // expected-error @+1 {{'quant_float.cast' op all non-scalar operands/results must have the same shape and base type}}
  %1 = quant_float.cast %0 opset 13 : tensor<*xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// -----

func.func @unranked_scale(%x: tensor<4xf32>, %s: tensor<*xf32>) -> tensor<4xui8> {
  // expected-error @+1 {{'quant_float.quantize' op has no lowering for the unranked type 'tensor<*xf32>'}}
  %0 = quant_float.quantize %x, %s opset 13 : tensor<4xf32>, tensor<*xf32> to tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

func.func @v8_quantize_claims_sizes(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<4xui8> {
  // expected-error @+1 {{'quant_float.quantize' op has no lowering for a static result size for a dynamic input size, but got 'tensor<?xf32>' and 'tensor<4xui8>'}}
  %0 = quant_float.quantize %x, %s opset 13 : tensor<?xf32>, tensor<f32> to tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// expected-error @+1 {{function 'packed_bytes': argument 0: expected a ranked tensor of elements of 2, 4 or 6 bits, which can be packed, but got 'tensor<4xi8>'}}
func.func @packed_bytes(%x: tensor<4xi8> {quant_float.packed}) -> tensor<4xi8> {
  return %x : tensor<4xi8>
}

// -----

// expected-error @+1 {{function 'packed_bools': result 0: expected a ranked tensor of elements of 2, 4 or 6 bits, which can be packed, but got 'tensor<4xi1>'}}
func.func @packed_bools(%x: tensor<4xi1>) -> (tensor<4xi1> {quant_float.packed}) {
  return %x : tensor<4xi1>
}

// -----

// expected-error @+1 {{function 'called': a function with packed arguments must not be called}}
func.func @called(%x: tensor<4xi4> {quant_float.packed}) -> tensor<4xi4> {
  return %x : tensor<4xi4>
}

func.func @calls(%x: tensor<4xi4>) -> tensor<4xi4> {
  %0 = call @called(%x) : (tensor<4xi4>) -> tensor<4xi4>
  return %0 : tensor<4xi4>
}
