func.func private @called(%x: tensor<2x3xf32>) -> !quant_float.unknown {
  %0 = quant_float.node "Neg"(%x) opset 13 : (tensor<2x3xf32>) -> !quant_float.unknown
  // expected-error @+1 {{function 'called': expected result 0 of type '!quant_float.unknown', which callers use, but got 'tensor<2x3xf32>'}}
  return %0 : !quant_float.unknown
}
func.func @caller(%x: tensor<2x3xf32>) -> !quant_float.unknown {
  %0 = call @called(%x) : (tensor<2x3xf32>) -> !quant_float.unknown
  return %0 : !quant_float.unknown
}
