// Two inputs, two outputs, a dynamic and a static size, and a 4-bit type.
func.func @convert(%x: tensor<?x4xf32> {quant_float.name = "x in"},
                   %quantized: tensor<3xui4>)
    -> (tensor<?x4xf16> {quant_float.name = "y"}, tensor<3xui4>)
    attributes {quant_float.graph_name = "a */ graph"} {
  %y = quant_float.cast %x opset 19 : tensor<?x4xf32> to tensor<?x4xf16>
  return %y, %quantized : tensor<?x4xf16>, tensor<3xui4>
}
