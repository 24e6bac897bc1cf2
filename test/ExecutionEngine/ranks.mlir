// V8: a rank that only some types tell changes no bit.
// RUN: rm -rf %t
// RUN: quant-float-run %s --entry some --random 1 --shapes 0=3x40 --outputs %t/some
// RUN: quant-float-run %s --entry all --random 1 --shapes 0=3x40 --outputs %t/all
// RUN: diff -r %t/some %t/all

func.func @some(%x: tensor<?x40xf32>, %s: tensor<f32>) -> tensor<*xf32> {
  %0 = quant_float.quantize %x, %s opset 19 : tensor<?x40xf32>, tensor<f32> to tensor<*xui8>
  %1 = quant_float.cast %0 opset 19 : tensor<*xui8> to tensor<?x40xf16>
  %2 = tensor.cast %1 : tensor<?x40xf16> to tensor<*xf16>
  %3 = quant_float.cast %2 opset 19 : tensor<*xf16> to tensor<*xf32>
  return %3 : tensor<*xf32>
}

func.func @all(%x: tensor<?x40xf32>, %s: tensor<f32>) -> tensor<?x40xf32> {
  %0 = quant_float.quantize %x, %s opset 19 : tensor<?x40xf32>, tensor<f32> to tensor<?x40xui8>
  %1 = quant_float.cast %0 opset 19 : tensor<?x40xui8> to tensor<?x40xf16>
  %2 = quant_float.cast %1 opset 19 : tensor<?x40xf16> to tensor<?x40xf32>
  return %2 : tensor<?x40xf32>
}
