// RUN: quant-float-opt %s --allow-unregistered-dialect --quant-float-legalize-arith=require-quant -split-input-file -verify-diagnostics

func.func @types(%d: tensor<4xf64>, %x: f32, %h: tensor<4xf16>) {
  // expected-error @+1 {{no conversion of 'quant.qcast': '!quant.uniform<i8:f64, 5.000000e-01>': expected the expressed type f16, bf16 or f32}}
  %0 = quant.qcast %d : tensor<4xf64> to tensor<4x!quant.uniform<i8:f64, 0.5>>
  // expected-error @+1 {{no conversion of 'quant.dcast': '!quant.uniform<i8:f64, 5.000000e-01>': expected the expressed type f16, bf16 or f32}}
  %1 = quant.dcast %0 : tensor<4x!quant.uniform<i8:f64, 0.5>> to tensor<4xf64>
  // expected-error @+1 {{no conversion of 'quant.qcast': quantization of 'f32', which is not a ranked tensor}}
  %2 = quant.qcast %x : f32 to !quant.uniform<i8:f32, 0.5>
  return
}

// -----

func.func @blocks(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{no conversion of 'quant.qcast': blocks in 'tensor<?x8xf32>', whose sizes are not known}}
  %0 = quant.qcast %x : tensor<?x8xf32> to tensor<?x8x!quant.uniform<i8:f32:{0:2, 1:4}, {{0.5, 0.25:1}, {0.125:-1, 1.0}}>>
  return
}

// -----

func.func @others(%q: tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{no conversion of 'test.op': an op on quantized values}}
  "test.op"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> ()
  return
}

// -----

func.func @storage(%x: tensor<4xf32>, %q: tensor<4x!quant.uniform<u32:f32, 0.5>>) {
  // expected-error @+1 {{no conversion of 'quant.qcast': '!quant.uniform<i3:f32, 5.000000e-01>': expected a storage type of 2, 4, 8, 16 or 32 bits}}
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i3:f32, 0.5>>
  // expected-error @+1 {{no conversion of 'quant.dcast': '!quant.uniform<i3:f32, 5.000000e-01>': expected a storage type of 2, 4, 8, 16 or 32 bits}}
  %1 = quant.dcast %0 : tensor<4x!quant.uniform<i3:f32, 0.5>> to tensor<4xf32>
  // expected-error @+1 {{no conversion of 'quant.qcast': quantization to '!quant.uniform<i32:f32:0, {5.000000e-01,5.000000e-01,5.000000e-01,2.500000e-01}>': several scales and 32 bits}}
  %2 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i32:f32:0, {0.5, 0.5, 0.5, 0.25}>>
  // expected-error @+1 {{no conversion of 'quant.dcast': '!quant.uniform<u32:f32, 5.000000e-01>': unsigned storage of 32 bits}}
  %3 = quant.dcast %q : tensor<4x!quant.uniform<u32:f32, 0.5>> to tensor<4xf32>
  // expected-error @+1 {{no conversion of 'quant.qcast': the zero point 300 of '!quant.uniform<i8:f32, 5.000000e-01:300>' is not a value of the storage type}}
  %4 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5:300>>
  return
}

// -----

func.func @many(%x: tensor<1048576x4xf32>) {
  // expected-error @+1 {{no conversion of 'quant.qcast': more than 1048576 scales of 'tensor<1048576x4xf32>'}}
  %0 = quant.qcast %x : tensor<1048576x4xf32> to tensor<1048576x4x!quant.uniform<i8:f32:{0:524288, 1:2}, {{0.5, 0.25}, {0.125, 1.0}}>>
  return
}
