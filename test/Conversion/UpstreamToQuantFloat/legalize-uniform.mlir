// RUN: quant-float-opt %s --allow-unregistered-dialect --quant-float-legalize-arith -split-input-file -verify-diagnostics | FileCheck %s
// Upstream's canonicalization folds dcast(qcast(x)) to x. The legalization leaves no such pair.
// RUN: quant-float-opt %s --allow-unregistered-dialect --quant-float-legalize-arith --canonicalize -split-input-file 2> %t | FileCheck %s --check-prefix=KEEP

// The signature has the storage type.
// CHECK-LABEL: func.func @signature
// CHECK-SAME: %[[Q:[^:]+]]: tensor<4x3xui8>) -> tensor<4x3xi8>
// CHECK: %[[S:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[Z:.+]] = quant_float.constant dense<128> : tensor<ui8>
// CHECK: %[[X:.+]] = quant_float.dequantize %[[Q]], %[[S]], %[[Z]] opset 28
// CHECK: %[[R:.+]] = quant_float.quantize %[[X]], %{{.*}}, %{{.*}} axis 1 opset 28 : tensor<4x3xf32>, tensor<3xf32>, tensor<3xi8> to tensor<4x3xi8>
// CHECK: return %[[R]]
func.func @signature(%q: tensor<4x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<4x3x!quant.uniform<i8:f32:1, {0.5, 0.25:3, 2.0}>> {
  %x = quant.dcast %q : tensor<4x3x!quant.uniform<u8:f32, 0.5:128>> to tensor<4x3xf32>
  %r = quant.qcast %x : tensor<4x3xf32> to tensor<4x3x!quant.uniform<i8:f32:1, {0.5, 0.25:3, 2.0}>>
  return %r : tensor<4x3x!quant.uniform<i8:f32:1, {0.5, 0.25:3, 2.0}>>
}

// KEEP-LABEL: func.func @pair
// KEEP: quant_float.quantize
// KEEP: quant_float.dequantize
// CHECK-LABEL: func.func @pair
// CHECK: %[[Q:.+]] = quant_float.quantize %{{.*}} opset 28 : tensor<?xf16>, tensor<f16>, tensor<i4> to tensor<?xi4>
// CHECK: quant_float.dequantize %[[Q]]
// CHECK-NOT: quant.
func.func @pair(%x: tensor<?xf16>) -> tensor<?xf16> {
  %q = quant.qcast %x : tensor<?xf16> to tensor<?x!quant.uniform<i4:f16, 0.5:-1>>
  %r = quant.dcast %q : tensor<?x!quant.uniform<i4:f16, 0.5:-1>> to tensor<?xf16>
  return %r : tensor<?xf16>
}

// CHECK-LABEL: func.func @storage
// CHECK-SAME: %[[C:[^:]+]]: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>)
// CHECK: %[[U:.+]] = quant_float.cast %[[C]] opset 28 : tensor<4xi8> to tensor<4xui8>
// CHECK: quant_float.dequantize %[[U]]
// CHECK: %[[Q:.+]] = quant_float.quantize
// CHECK: quant_float.cast %{{.*}} opset 28 : tensor<4xui8> to tensor<4xi8>
func.func @storage(%c: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>) {
  %q = quant.scast %c : tensor<4xi8> to tensor<4x!quant.uniform<u8:f32, 0.5:128>>
  %x = quant.dcast %q : tensor<4x!quant.uniform<u8:f32, 0.5:128>> to tensor<4xf32>
  %r = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.25:128>>
  %s = quant.scast %r : tensor<4x!quant.uniform<u8:f32, 0.25:128>> to tensor<4xi8>
  return %x, %s : tensor<4xf32>, tensor<4xi8>
}

// A narrow range is clamped.
// CHECK-LABEL: func.func @range
// CHECK: quant_float.quantize
// CHECK: quant_float.node "Max"
// CHECK: quant_float.node "Min"
func.func @range(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8<-127:127>:f32, 0.5>> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8<-127:127>:f32, 0.5>>
  return %q : tensor<4x!quant.uniform<i8<-127:127>:f32, 0.5>>
}

// CHECK-LABEL: func.func @blocks
// CHECK: quant_float.quantize %{{.*}} axis 1 block_size 4 opset 28 : tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xi8> to tensor<4x8xi8>
func.func @blocks(%x: tensor<4x8xf32>) -> tensor<4x8x!quant.uniform<i8:f32:{0:2, 1:4}, {{0.5, 0.25:1}, {0.125:-1, 1.0}}>> {
  %q = quant.qcast %x : tensor<4x8xf32> to tensor<4x8x!quant.uniform<i8:f32:{0:2, 1:4}, {{0.5, 0.25:1}, {0.125:-1, 1.0}}>>
  return %q : tensor<4x8x!quant.uniform<i8:f32:{0:2, 1:4}, {{0.5, 0.25:1}, {0.125:-1, 1.0}}>>
}

// Upstream reads 200 as an element of i8, which it prints as -56.
// CHECK-LABEL: func.func @unsigned_blocks
// CHECK: quant_float.constant dense<{{\[\[}}200, 1], [254, 0]]> : tensor<2x2xui8>
func.func @unsigned_blocks(%x: tensor<2x8xf32>) -> tensor<2x8x!quant.uniform<u8:f32:{0:1, 1:4}, {{0.5:200, 0.25:1}, {0.125:254, 1.0}}>> {
  %q = quant.qcast %x : tensor<2x8xf32> to tensor<2x8x!quant.uniform<u8:f32:{0:1, 1:4}, {{0.5:200, 0.25:1}, {0.125:254, 1.0}}>>
  return %q : tensor<2x8x!quant.uniform<u8:f32:{0:1, 1:4}, {{0.5:200, 0.25:1}, {0.125:254, 1.0}}>>
}

// Values move through control flow, calls and slices.
// CHECK-LABEL: func.func @movement
// CHECK-NOT: !quant
func.func @movement(%x: tensor<8xf32>, %c: i1) -> tensor<4xf32> {
  %q = quant.qcast %x : tensor<8xf32> to tensor<8x!quant.uniform<i8:f32, 0.5>>
  %r = scf.if %c -> tensor<8x!quant.uniform<i8:f32, 0.5>> {
    %t = func.call @callee(%q) : (tensor<8x!quant.uniform<i8:f32, 0.5>>) -> tensor<8x!quant.uniform<i8:f32, 0.5>>
    scf.yield %t : tensor<8x!quant.uniform<i8:f32, 0.5>>
  } else {
    scf.yield %q : tensor<8x!quant.uniform<i8:f32, 0.5>>
  }
  %s = tensor.extract_slice %r[0] [4] [2] : tensor<8x!quant.uniform<i8:f32, 0.5>> to tensor<4x!quant.uniform<i8:f32, 0.5>>
  %d = quant.dcast %s : tensor<4x!quant.uniform<i8:f32, 0.5>> to tensor<4xf32>
  return %d : tensor<4xf32>
}
func.func private @callee(tensor<8x!quant.uniform<i8:f32, 0.5>>) -> tensor<8x!quant.uniform<i8:f32, 0.5>>

// -----

// CHECK-LABEL: func.func @types
func.func @types(%d: tensor<4xf64>, %x: f32, %u: tensor<*xf32>) {
  // expected-remark @+1 {{not legalized: '!quant.uniform<i8:f64, 5.000000e-01>': expected the expressed type f16, bf16 or f32}}
  %0 = quant.qcast %d : tensor<4xf64> to tensor<4x!quant.uniform<i8:f64, 0.5>>
  // expected-remark @+1 {{not legalized: quantization of 'f32', which is not a ranked tensor}}
  %1 = quant.qcast %x : f32 to !quant.uniform<i8:f32, 0.5>
  // expected-remark @+1 {{not legalized: quantization of 'tensor<*xf32>', which is not a ranked tensor}}
  %2 = quant.qcast %u : tensor<*xf32> to tensor<*x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// CHECK-LABEL: func.func @others
// CHECK-SAME: !quant.uniform
func.func @others(%q: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32> {
  // expected-remark @+1 {{not legalized: an op on quantized values}}
  %0 = "test.op"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  // CHECK: builtin.unrealized_conversion_cast
  // CHECK: quant_float.dequantize
  %1 = quant.dcast %0 : tensor<4x!quant.uniform<i8:f32, 0.5>> to tensor<4xf32>
  return %1 : tensor<4xf32>
}
