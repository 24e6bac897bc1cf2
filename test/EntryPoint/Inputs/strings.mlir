func.func @write_numbers(%x: tensor<?xf64> {quant_float.name = "x"})
    -> (tensor<?x!quant_float.string> {quant_float.name = "y"}, tensor<?xi8>) {
  %0 = quant_float.cast %x opset 24 : tensor<?xf64> to tensor<?x!quant_float.string>
  %1 = quant_float.cast %x opset 24 : tensor<?xf64> to tensor<?xi8>
  return %0, %1 : tensor<?x!quant_float.string>, tensor<?xi8>
}

func.func @read_numbers(%x: tensor<2x?x!quant_float.string> {quant_float.name = "x"})
    -> (tensor<2x?xf8E4M3FN>, tensor<2x?x!quant_float.string>) {
  %0 = quant_float.cast %x opset 19 : tensor<2x?x!quant_float.string> to tensor<2x?xf8E4M3FN> loc("c1")
  return %0, %x : tensor<2x?xf8E4M3FN>, tensor<2x?x!quant_float.string>
}
