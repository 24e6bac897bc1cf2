// A shift of 2^40 zeros.
func.func @f(%x: tensor<1099511627776xf16>) -> tensor<1099511627776xf16> {
  %s = arith.constant dense<2.0> : tensor<1099511627776xf16>
  %z = arith.constant dense<0.0> : tensor<1099511627776xf16>
  %r = quant_float.fakeconvert %x, %s, %z to f8E4M3FN opset 13
      : tensor<1099511627776xf16>, tensor<1099511627776xf16>, tensor<1099511627776xf16> to tensor<1099511627776xf16>
  return %r : tensor<1099511627776xf16>
}
