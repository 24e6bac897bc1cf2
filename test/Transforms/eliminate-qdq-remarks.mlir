// A pair that is not eliminated has an encoding that shows the reason.
// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-eliminate-qdq -o /dev/null
// RUN: sed '/expected-remark/d' %s | quant-float-opt -split-input-file --quant-float-eliminate-qdq=remarks=false -o /dev/null 2>&1 | count 0

func.func @parameters(%q: tensor<2x4xi8>, %s: tensor<f32>, %r: tensor<2x4xui8>) {
  %d0 = quant_float.dequantize %q, %s opset 21 : tensor<2x4xi8>, tensor<f32> to tensor<2x4xf32>
  // expected-remark @+1 {{not removed: the scale or the zero point is not a constant: encoding 0x02 (2) with a scale of 0x7f7fffff (3.4028234663852886E+38) becomes 0x7f (127)}}
  %0 = quant_float.quantize %d0, %s opset 21 : tensor<2x4xf32>, tensor<f32> to tensor<2x4xi8>
  %s1 = arith.constant dense<[0.1, 0.0]> : tensor<2xf32>
  %d1 = quant_float.dequantize %q, %s1 axis 0 opset 21 : tensor<2x4xi8>, tensor<2xf32> to tensor<2x4xf32>
  // expected-remark @+1 {{not removed: only the identity is removed here: encoding 0x01 (1) with element 1 of the scale becomes 0x00 (0)}}
  %1 = quant_float.quantize %d1, %s1 axis 0 opset 21 : tensor<2x4xf32>, tensor<2xf32> to tensor<2x4xi8>
  %s2 = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  // expected-remark @+1 {{not removed: their parameters belong to different slices of the values}}
  %2 = quant_float.quantize %d1, %s2 axis 1 opset 21 : tensor<2x4xf32>, tensor<4xf32> to tensor<2x4xi8>
  %one = arith.constant dense<1.0> : tensor<f32>
  %d3 = quant_float.dequantize %q, %one opset 1 domain "quant_float" : tensor<2x4xi8>, tensor<f32> to tensor<2x4xf32>
  // expected-remark @+1 {{not removed: it rounds stochastically}}
  %3 = quant_float.quantize %d3, %one, %r opset 1 domain "quant_float" round_mode stochastic : tensor<2x4xf32>, tensor<f32>, tensor<2x4xui8> to tensor<2x4xi8>
  return
}

// -----

func.func @encodings(%q: tensor<4xi8>, %e: tensor<4xf8E5M2>, %i: tensor<4xi32>, %h: tensor<4xi16>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  %t = arith.constant dense<1.0> : tensor<f32>
  %tiny = arith.constant dense<1.0e-41> : tensor<f32>
  %d0 = quant_float.dequantize %e, %tiny opset 21 : tensor<4xf8E5M2>, tensor<f32> to tensor<4xf32>
  // expected-remark @+1 {{not removed: only integers are mapped by tables or arithmetic: encoding 0x01 (1.52587890625E-5) becomes 0x00 (0)}}
  %0 = quant_float.quantize %d0, %tiny opset 21 : tensor<4xf32>, tensor<f32> to tensor<4xf8E5M2>
  %d1 = quant_float.dequantize %h, %s opset 21 : tensor<4xi16>, tensor<f32> to tensor<4xf32>
  // expected-remark @+1 {{not removed: no multiplication and shift gives these values, }}
  %1 = quant_float.quantize %d1, %t opset 21 : tensor<4xf32>, tensor<f32> to tensor<4xi16>
  %d2 = quant_float.dequantize %i, %s opset 21 : tensor<4xi32>, tensor<f32> to tensor<4xf32>
  // expected-remark @+1 {{not removed: encodings of more than 16 bits are not enumerated}}
  %2 = quant_float.quantize %d2, %t opset 21 : tensor<4xf32>, tensor<f32> to tensor<4xi16>
  return
}

// -----

func.func @old(%q: tensor<4xi8>, %u: tensor<4xui8>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  %t = arith.constant dense<0.3> : tensor<f32>
  %z = arith.constant dense<0> : tensor<i8>
  %d0 = quant_float.dequantize %q, %s, %z opset 10 : tensor<4xi8>, tensor<f32>, tensor<i8> to tensor<4xf32>
  // expected-remark @+1 {{not removed: Gather of opset 10 does not support negative indices: encoding 0x01 (1) becomes 0x02 (2)}}
  %0 = quant_float.quantize %d0, %t, %z opset 10 : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
  return
}

// -----

func.func @between(%q: tensor<1x1x4xi8>, %x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  %s = arith.constant dense<0.1> : tensor<f32>
  %n = arith.constant dense<-0.1> : tensor<f32>
  %d = quant_float.dequantize %q, %s opset 21 : tensor<1x1x4xi8>, tensor<f32> to tensor<1x1x4xf32>
  %a = quant_float.node "Relu"(%d) opset 21 : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  // expected-remark @+1 {{not removed: the result of Relu has other uses}}
  %0 = quant_float.quantize %a, %s opset 21 : tensor<1x1x4xf32>, tensor<f32> to tensor<1x1x4xi8>
  %b = quant_float.node "Concat"(%d, %x) opset 21 attributes {axis = 0 : i64} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<2x1x4xf32>
  // expected-remark @+1 {{not removed: it also depends on floats that are not dequantized}}
  %1 = quant_float.quantize %b, %s opset 21 : tensor<2x1x4xf32>, tensor<f32> to tensor<2x1x4xi8>
  %c = quant_float.node "MaxPool"(%d) opset 21 attributes {kernel_shape = array<i64: 2>} : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  // expected-remark @+1 {{not removed: greater values do not have greater encodings, which MaxPool requires: -12.}}
  %2 = quant_float.quantize %c, %n opset 21 : tensor<1x1x3xf32>, tensor<f32> to tensor<1x1x3xi8>
  %e = quant_float.node "Clip"(%d, %a) opset 21 : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  // expected-remark @+1 {{not removed: Clip has non-constant bounds or unsupported types}}
  %3 = quant_float.quantize %e, %s opset 21 : tensor<1x1x4xf32>, tensor<f32> to tensor<1x1x4xi8>
  %f = quant_float.node "Reshape"(%d) opset 1 attributes {shape = array<i64: 4>} : (tensor<1x1x4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{not removed: Reshape of opset 1 does not accept i8}}
  %4 = quant_float.quantize %f, %s opset 21 : tensor<4xf32>, tensor<f32> to tensor<4xi8>
  %g = quant_float.node "Identity"(%d) opset 21 : (tensor<1x1x4xf32>) -> tensor<1x1x4xf16>
  %h = arith.constant dense<0.5> : tensor<f16>
  // expected-remark @+1 {{not removed: Identity changes the type}}
  %5 = quant_float.quantize %g, %h opset 21 : tensor<1x1x4xf16>, tensor<f16> to tensor<1x1x4xi8>
  return %a : tensor<1x1x4xf32>
}
