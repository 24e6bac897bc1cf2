// RUN: quant-float-opt %s --quant-float-convert-block-quantize -split-input-file -verify-diagnostics | FileCheck %s

// Partial blocks are padded. The quotients are sliced before their conversion,
// because Slice does not support narrow floats.

// CHECK-LABEL: func.func @partial
// CHECK-SAME: %[[X:.+]]: tensor<4x70xf32>
// CHECK: %[[PADDED:.+]] = quant_float.node "Pad"(%[[X]], %{{.+}}) {{.*}} -> tensor<4x96xf32>
// CHECK: %[[BLOCKS:.+]] = quant_float.node "Reshape"(%[[PADDED]], %{{.+}}) {{.*}} -> tensor<4x3x32xf32>
// CHECK: %[[BITS:.+]] = quant_float.node "BitCast"(%[[BLOCKS]]) {{.*}} -> tensor<4x3x32xi32>
// CHECK: %[[MAGNITUDES:.+]] = quant_float.node "BitwiseAnd"(%[[BITS]], %{{.+}})
// CHECK: quant_float.node "ReduceMax"(%[[MAGNITUDES]], %{{.+}}) {{.*}} -> tensor<4x3x1xi32>
// CHECK: %[[SCALES:.+]] = quant_float.node "BitCast"(%{{.+}}) {{.*}}(tensor<4x3x1xui8>) -> tensor<4x3x1xf8E8M0FNU>
// CHECK: %[[QUOTIENTS:.+]] = quant_float.node "Mul"(%[[BLOCKS]], %{{.+}}) {{.*}} -> tensor<4x3x32xf32>
// CHECK: quant_float.node "Reshape"(%[[QUOTIENTS]], %{{.+}}) {{.*}} -> tensor<4x96xf32>
// CHECK: %[[SLICE:.+]] = quant_float.node "Slice"{{.*}} -> tensor<4x70xf32>
// CHECK: %[[VALUES:.+]] = quant_float.quantize %[[SLICE]], %{{.+}} opset 28 : tensor<4x70xf32>, tensor<f32> to tensor<4x70xf8E5M2>
// CHECK: %[[RESULT:.+]] = quant_float.node "Reshape"(%[[SCALES]], %{{.+}}) {{.*}} -> tensor<4x3xf8E8M0FNU>
// CHECK: return %[[VALUES]], %[[RESULT]]
func.func @partial(%x: tensor<4x70xf32>) -> (tensor<4x70xf8E5M2>, tensor<4x3xf8E8M0FNU>) {
  %q, %s = quant_float.block_quantize %x block [1, 32] rule floor : tensor<4x70xf32> to tensor<4x70xf8E5M2>, tensor<4x3xf8E8M0FNU>
  return %q, %s : tensor<4x70xf8E5M2>, tensor<4x3xf8E8M0FNU>
}

// -----

// CHECK-LABEL: func.func @rows
// CHECK-NOT: Pad
// CHECK: quant_float.node "Reshape"{{.*}} -> tensor<?x1x40xf32>
// CHECK-NOT: Slice
// CHECK: quant_float.quantize {{.*}} to tensor<?x40xi8>
func.func @rows(%x: tensor<?x40xbf16>) -> (tensor<?x40xi8>, tensor<?x1xf32>) {
  %q, %s = quant_float.block_quantize %x block [1, -1] rule absmax : tensor<?x40xbf16> to tensor<?x40xi8>, tensor<?x1xf32>
  return %q, %s : tensor<?x40xi8>, tensor<?x1xf32>
}

// -----

func.func @dynamic_blocks(%x: tensor<4x?xf32>) -> (tensor<4x?xf8E5M2>, tensor<4x?xf8E8M0FNU>) {
  // expected-remark@+1 {{not converted to nodes: a dimension that is divided into blocks has a dynamic size}}
  %q, %s = quant_float.block_quantize %x block [1, 32] rule floor : tensor<4x?xf32> to tensor<4x?xf8E5M2>, tensor<4x?xf8E8M0FNU>
  return %q, %s : tensor<4x?xf8E5M2>, tensor<4x?xf8E8M0FNU>
}

// -----

func.func @dynamic_sizes(%x: tensor<?x?xf32>) -> (tensor<?x?xf8E5M2>, tensor<?x1xf8E8M0FNU>) {
  // expected-remark@+1 {{not converted to nodes: it has several dynamic sizes}}
  %q, %s = quant_float.block_quantize %x block [1, -1] rule floor : tensor<?x?xf32> to tensor<?x?xf8E5M2>, tensor<?x1xf8E8M0FNU>
  return %q, %s : tensor<?x?xf8E5M2>, tensor<?x1xf8E8M0FNU>
}

// -----

func.func @empty(%x: tensor<0x32xf32>, %y: tensor<2x0xf32>) -> (tensor<0x32xf8E5M2>, tensor<0x1xf8E8M0FNU>, tensor<2x0xf8E5M2>, tensor<2x1xf8E8M0FNU>) {
  // expected-remark@+1 {{not converted to nodes: it has no elements}}
  %q, %s = quant_float.block_quantize %x block [1, 32] rule floor : tensor<0x32xf32> to tensor<0x32xf8E5M2>, tensor<0x1xf8E8M0FNU>
  // expected-remark@+1 {{not converted to nodes: it has no elements}}
  %r, %t = quant_float.block_quantize %y block [1, -1] rule floor : tensor<2x0xf32> to tensor<2x0xf8E5M2>, tensor<2x1xf8E8M0FNU>
  return %q, %s, %r, %t : tensor<0x32xf8E5M2>, tensor<0x1xf8E8M0FNU>, tensor<2x0xf8E5M2>, tensor<2x1xf8E8M0FNU>
}

// -----

func.func @stochastic(%x: tensor<32xf32>, %r: tensor<32xui8>) -> (tensor<32xf8E5M2>, tensor<1xf8E8M0FNU>) {
  // expected-remark@+1 {{not converted to nodes: ONNX does not have stochastic rounding}}
  %q, %s = quant_float.block_quantize %x block [32] rule floor round_mode stochastic random(%r : tensor<32xui8>) : tensor<32xf32> to tensor<32xf8E5M2>, tensor<1xf8E8M0FNU>
  return %q, %s : tensor<32xf8E5M2>, tensor<1xf8E8M0FNU>
}

// -----

func.func @type(%x: tensor<32xf32>) -> (tensor<32xf8E5M2>, tensor<1x!quant_float.f8UE5M3>) {
  // expected-remark@+1 {{not converted to nodes: ONNX does not have one of its types}}
  %q, %s = quant_float.block_quantize %x block [32] rule absmax : tensor<32xf32> to tensor<32xf8E5M2>, tensor<1x!quant_float.f8UE5M3>
  return %q, %s : tensor<32xf8E5M2>, tensor<1x!quant_float.f8UE5M3>
}

// -----

// A tensor of rank 0 is a block.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: ReduceMax
// CHECK: quant_float.quantize %{{.+}} : tensor<f32>, tensor<f32> to tensor<f8E5M2>
func.func @scalar(%x: tensor<f32>) -> (tensor<f8E5M2>, tensor<f8E8M0FNU>) {
  %q, %s = quant_float.block_quantize %x block [] rule floor : tensor<f32> to tensor<f8E5M2>, tensor<f8E8M0FNU>
  return %q, %s : tensor<f8E5M2>, tensor<f8E8M0FNU>
}

// -----

func.func @huge(%x: tensor<9223372036854775807xf32>) -> (tensor<9223372036854775807xf8E5M2>, tensor<3074457345618258603xf8E8M0FNU>) {
  // expected-remark@+1 {{not converted to nodes: a dimension is too large to be padded}}
  %q, %s = quant_float.block_quantize %x block [3] rule floor : tensor<9223372036854775807xf32> to tensor<9223372036854775807xf8E5M2>, tensor<3074457345618258603xf8E8M0FNU>
  return %q, %s : tensor<9223372036854775807xf8E5M2>, tensor<3074457345618258603xf8E8M0FNU>
}
