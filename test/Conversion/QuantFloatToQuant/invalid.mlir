// Each error names the op and the reason.
// RUN: quant-float-opt %s --convert-quant-float-to-quant -split-input-file -verify-diagnostics

func.func @parameters(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @+1 {{no quant for 'quant_float.quantize': expected constant scales, which are part of the type}}
  %0 = quant_float.quantize %x, %s, %z opset 28 : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
  %c = arith.constant dense<0.5> : tensor<f32>
  // expected-error @+1 {{no quant for 'quant_float.quantize': expected constant zero points, which are part of the type}}
  %1 = quant_float.quantize %x, %c, %z opset 28 : tensor<4xf32>, tensor<f32>, tensor<i8> to tensor<4xi8>
  %n = arith.constant dense<-0.5> : tensor<f32>
  // expected-error @+1 {{no quant for 'quant_float.quantize': expected scales that are finite and positive}}
  %2 = quant_float.quantize %x, %n opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  %nan = arith.constant dense<0x7FC00000> : tensor<f32>
  // expected-error @+1 {{no quant for 'quant_float.quantize': expected scales that are finite and positive}}
  %3 = quant_float.quantize %x, %nan opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xui8>
  return
}

// -----

func.func @types(%x: tensor<4xf32>, %h: tensor<4xf16>, %q: tensor<4xi32>, %i: tensor<4xi8>) {
  %c = arith.constant dense<0.1> : tensor<f32>
  // expected-error @+1 {{no quant for 'quant_float.quantize': the quant dialect has no quantization to 'f8E4M3FN'}}
  %0 = quant_float.quantize %x, %c opset 28 : tensor<4xf32>, tensor<f32> to tensor<4xf8E4M3FN>
  // expected-error @+1 {{no quant for 'quant_float.quantize': a division in 'f32', but the quant dialect divides in the type of the input, 'f16'}}
  %1 = quant_float.quantize %h, %c opset 28 : tensor<4xf16>, tensor<f32> to tensor<4xi8>
  // expected-error @+1 {{no quant for 'quant_float.dequantize': the scale 0.100000001 of 'f32' is not a value of the expressed type 'f16'}}
  %2 = quant_float.dequantize %i, %c opset 28 : tensor<4xi8>, tensor<f32> to tensor<4xf16>
  %z = arith.constant dense<1> : tensor<i32>
  // expected-error @+1 {{no quant for 'quant_float.dequantize': the quant dialect converts 32-bit integers to floats before it subtracts the zero point: 16777217 - 1 would be 16777215}}
  %3 = quant_float.dequantize %q, %c, %z opset 28 : tensor<4xi32>, tensor<f32>, tensor<i32> to tensor<4xf32>
  return
}

// -----

func.func @many(%x: tensor<2097152x2xf32>) {
  %s = arith.constant dense<0.5> : tensor<2097152xf32>
  // expected-error @+1 {{no quant for 'quant_float.quantize': more than 1048576 scales}}
  %0 = quant_float.quantize %x, %s axis 0 opset 28 : tensor<2097152x2xf32>, tensor<2097152xf32> to tensor<2097152x2xi8>
  return
}

// -----

func.func @shapes(%x: tensor<4x10xf32>, %d: tensor<?x8xf32>, %f: f32) {
  %s = arith.constant dense<0.1> : tensor<4x2xf32>
  // expected-error @+1 {{no quant for 'quant_float.quantize': expected whole blocks of 8 along axis 1, but got 'tensor<4x10xf32>'}}
  %0 = quant_float.quantize %x, %s axis 1 block_size 8 opset 28 : tensor<4x10xf32>, tensor<4x2xf32> to tensor<4x10xi8>
  // expected-error @+1 {{no quant for 'quant_float.quantize': blocks in 'tensor<?x8xf32>', whose sizes are not known}}
  %1 = quant_float.quantize %d, %s axis 1 block_size 4 opset 28 : tensor<?x8xf32>, tensor<4x2xf32> to tensor<?x8xi8>
  %e = arith.constant dense<> : tensor<4x0xf32>
  %p = tensor.empty() : tensor<4x0xf32>
  // expected-error @+1 {{no quant for 'quant_float.quantize': blocks in 'tensor<4x0xf32>', which is empty}}
  %3 = quant_float.quantize %p, %e axis 1 block_size 4 opset 28 : tensor<4x0xf32>, tensor<4x0xf32> to tensor<4x0xi8>
  // expected-error @+1 {{no quant for 'quant_float.quantize': expected ranked tensors, but got 'f32', 'f32' and 'ui8'}}
  %2 = quant_float.quantize %f, %f opset 28 : f32, f32 to ui8
  return
}
