// quantize, dequantize, qdq of scalars and vectors.
// REQUIRES: networks
// RUN: quant-float-opt %s --convert-quant-float-to-arith=cpu=x86-64-v3 --cse | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: quant-float-opt %s --convert-quant-float-to-arith=cpu=x86-64 --cse | FileCheck %s --check-prefixes=CHECK,NOFMA
// RUN: quant-float-opt %s --convert-quant-float-to-arith=cpu=x86-64-v4 --quant-float-require-lowered --cse | FileCheck %s

// One division, for the scale. The quotient is corrected by the remainder.

// CHECK-LABEL: func.func @one_scale
// CHECK-SAME: (%[[X:.+]]: vector<8xf32>, %[[S:.+]]: f32)
func.func @one_scale(%x: vector<8xf32>, %s: f32) -> vector<8xi8> {
  // FMA: %[[R:.+]] = arith.divf %{{.+}}, %[[NEAR:.+]] : f32
  // FMA-NOT: arith.divf
  // FMA: %[[CLAMPED:.+]] = arith.select %{{.+}} : vector<8xi1>, vector<8xf32>
  // FMA: %[[RS:.+]] = vector.broadcast %{{.+}} : f32 to vector<8xf32>
  // FMA: %[[Q:.+]] = arith.mulf %[[CLAMPED]], %[[RS]] : vector<8xf32>
  // FMA: %[[N:.+]] = arith.negf %[[Q]]
  // FMA: %[[E:.+]] = math.fma %[[N]], %{{.+}}, %[[CLAMPED]] : vector<8xf32>
  // FMA: math.fma %[[E]], %[[RS]], %[[Q]] : vector<8xf32>
  // NOFMA: %[[SS:.+]] = vector.broadcast %[[S]] : f32 to vector<8xf32>
  // NOFMA: arith.divf %[[X]], %[[SS]] : vector<8xf32>
  // NOFMA-NOT: math.fma
  // CHECK: arith.trunci %{{.+}} : vector<8xi32> to vector<8xi8>
  %z = arith.constant 3 : i8
  %0 = quant_float.quantize %x, %s, %z opset 13 : vector<8xf32>, f32, i8 to vector<8xi8>
  return %0 : vector<8xi8>
}

// D3: the quotient must not underflow where a zero is added, which takes the sign of -0. An unlikely branch replaces inputs
// close to zero, so that the division has no subnormal operand or result.

// CHECK-LABEL: func.func @d3_zero_point_of_float4
// CHECK-SAME: (%[[X:.+]]: vector<16xf32>, %[[S:.+]]: f32,
func.func @d3_zero_point_of_float4(%x: vector<16xf32>, %s: f32, %z: f4E2M1FN) -> vector<16xf4E2M1FN> {
  // CHECK: %[[TINY:.+]] = arith.cmpi ult, %{{.+}} : vector<16xi32>
  // CHECK: %[[RARE:.+]] = vector.reduction <or>, %[[TINY]] : vector<16xi1> into i1
  // CHECK: llvm.intr.expect %[[RARE]], %false
  // CHECK: %[[DIVIDEND:.+]] = scf.if
  // CHECK: arith.fptosi
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[X]] : vector<16xf32>
  // CHECK: %[[SS:.+]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
  // CHECK: %[[Q:.+]] = arith.divf %[[DIVIDEND]], %[[SS]] : vector<16xf32>
  // CHECK: arith.addf %[[Q]],
  %0 = quant_float.quantize %x, %s, %z opset 23 : vector<16xf32>, f32, f4E2M1FN to vector<16xf4E2M1FN>
  return %0 : vector<16xf4E2M1FN>
}

// With a scale for each element, the reciprocal has no advantage.

// CHECK-LABEL: func.func @q1_per_axis
// CHECK-SAME: (%[[X:.+]]: vector<4x8xf32>, %[[S:.+]]: vector<4xf32>)
func.func @q1_per_axis(%x: vector<4x8xf32>, %s: vector<4xf32>) -> vector<4x8xf8E4M3FN> {
  // CHECK: %[[LINE:.+]] = vector.shape_cast %[[S]] : vector<4xf32> to vector<4x1xf32>
  // CHECK: %[[ALL:.+]] = vector.broadcast %[[LINE]] : vector<4x1xf32> to vector<4x8xf32>
  // CHECK: arith.divf %[[X]], %[[ALL]] : vector<4x8xf32>
  %0 = quant_float.quantize %x, %s axis 0 opset 23 : vector<4x8xf32>, vector<4xf32> to vector<4x8xf8E4M3FN>
  return %0 : vector<4x8xf8E4M3FN>
}

// CHECK-LABEL: func.func @q1_blocked
// CHECK-SAME: (%{{.+}}: vector<10xi8>, %[[S:.+]]: vector<3xf32>)
func.func @q1_blocked(%x: vector<10xi8>, %s: vector<3xf32>) -> vector<10xf32> {
  // CHECK: %[[A:.+]] = vector.shape_cast %[[S]] : vector<3xf32> to vector<3x1xf32>
  // CHECK: %[[B:.+]] = vector.broadcast %[[A]] : vector<3x1xf32> to vector<3x4xf32>
  // CHECK: %[[C:.+]] = vector.shape_cast %[[B]] : vector<3x4xf32> to vector<12xf32>
  // CHECK: %[[D:.+]] = vector.extract_strided_slice %[[C]] {{[{]?}}offsets = [0], sizes = [10], strides = [1]
  // CHECK: arith.mulf %{{.+}}, %[[D]] : vector<10xf32>
  %0 = quant_float.dequantize %x, %s axis 0 block_size 4 opset 21 : vector<10xi8>, vector<3xf32> to vector<10xf32>
  return %0 : vector<10xf32>
}

// A block that is longer than the axis is the only one.
// CHECK-LABEL: func.func @q1_long_block
// CHECK-SAME: (%{{.+}}: vector<2x10xi8>, %[[S:.+]]: vector<2x1xf32>)
func.func @q1_long_block(%x: vector<2x10xi8>, %s: vector<2x1xf32>) -> vector<2x10xf32> {
  // CHECK: %[[A:.+]] = vector.broadcast %[[S]] : vector<2x1xf32> to vector<2x10xf32>
  // CHECK: arith.mulf %{{.+}}, %[[A]] : vector<2x10xf32>
  %0 = quant_float.dequantize %x, %s axis 1 block_size 9223372036854775807 opset 21 : vector<2x10xi8>, vector<2x1xf32> to vector<2x10xf32>
  return %0 : vector<2x10xf32>
}

// Q2: vectors of rank 0 are scalars, beside a scale per axis too.
// CHECK-LABEL: func.func @q2_rank_0
// CHECK-SAME: (%{{.+}}: vector<1x8xf32>, %{{.+}}: vector<1xf32>, %[[Z:.+]]: vector<i8>, %[[T:.+]]: vector<f32>)
func.func @q2_rank_0(%x: vector<1x8xf32>, %s: vector<1xf32>, %z: vector<i8>, %t: vector<f32>) -> (vector<1x8xi8>, vector<1x8xi8>) {
  // CHECK: vector.extract %[[Z]][] : i8 from vector<i8>
  // CHECK: vector.extract %[[T]][] : f32 from vector<f32>
  %0 = quant_float.quantize %x, %s, %z axis 0 opset 13 : vector<1x8xf32>, vector<1xf32>, vector<i8> to vector<1x8xi8>
  %1 = quant_float.quantize %x, %t, %z opset 13 : vector<1x8xf32>, vector<f32>, vector<i8> to vector<1x8xi8>
  return %0, %1 : vector<1x8xi8>, vector<1x8xi8>
}

// CHECK-LABEL: func.func @scalars
func.func @scalars(%x: f32, %s: f32) -> (f32, f64) {
  // CHECK: arith.divf %{{.+}}, %{{.+}} : f32
  // CHECK: arith.mulf %{{.+}}, %{{.+}} : f32
  // CHECK-NOT: quant_float
  %0 = quant_float.qdq %x, %s storage f4E2M1FN opset 23 : f32, f32 to f32
  %1 = arith.extf %0 : f32 to f64
  return %0, %1 : f32, f64
}

// The scales of neighbors are prepared together.

// CHECK-LABEL: func.func @neighbors
func.func @neighbors(%x: vector<8xf32>, %s: f32, %t: f32) -> (vector<8xi8>, vector<8xi8>) {
  // FMA: %[[G:.+]] = vector.from_elements %{{.+}}, %{{.+}} : vector<2xf32>
  // FMA: arith.divf %{{.+}}, %{{.+}} : vector<2xf32>
  // FMA-NOT: arith.divf
  // FMA: return
  %a = vector.broadcast %s : f32 to vector<8xf32>
  %b = vector.broadcast %t : f32 to vector<8xf32>
  %0 = quant_float.quantize_elements %x, %a : vector<8xf32>, vector<8xf32> to vector<8xi8>
  %1 = quant_float.quantize_elements %x, %b : vector<8xf32>, vector<8xf32> to vector<8xi8>
  return %0, %1 : vector<8xi8>, vector<8xi8>
}

// Scalable vectors: scales per element, per column and per block.
// CHECK-LABEL: func.func @scalable
// CHECK-SAME: (%[[X:.+]]: vector<[4]xf32>, %[[S:.+]]: vector<[4]xf32>
func.func @scalable(%x: vector<[4]xf32>, %s: vector<[4]xf32>, %y: vector<2x[4]xf32>, %t: vector<[2]xf32>) -> (vector<[4]xi8>, vector<2x[4]xi8>, vector<[4]xi8>) {
  // CHECK: arith.divf %[[X]], %{{.+}} : vector<[4]xf32>
  %0 = quant_float.quantize %x, %s axis 0 opset 21 : vector<[4]xf32>, vector<[4]xf32> to vector<[4]xi8>
  // CHECK: vector.broadcast %[[S]] : vector<[4]xf32> to vector<2x[4]xf32>
  %1 = quant_float.quantize %y, %s axis 1 opset 21 : vector<2x[4]xf32>, vector<[4]xf32> to vector<2x[4]xi8>
  // CHECK: vector.shape_cast %{{.+}} : vector<[2]xf32> to vector<[2]x1xf32>
  // CHECK: vector.broadcast %{{.+}} : vector<[2]x1xf32> to vector<[2]x2xf32>
  // CHECK: vector.shape_cast %{{.+}} : vector<[2]x2xf32> to vector<[4]xf32>
  // CHECK-NOT: quant_float
  %2 = quant_float.quantize %x, %t axis 0 block_size 2 opset 21 : vector<[4]xf32>, vector<[2]xf32> to vector<[4]xi8>
  return %0, %1, %2 : vector<[4]xi8>, vector<2x[4]xi8>, vector<[4]xi8>
}

// vscale blocks, each with its own scale, and a partial block next to a scalable dimension.
// CHECK-LABEL: func.func @scalable_one
// CHECK-SAME: (%{{.+}}: vector<[4]xi8>, %[[S:.+]]: vector<[1]xf32>, %{{.+}}: vector<[2]x3xi8>, %[[T:.+]]: vector<[2]x2xf32>)
func.func @scalable_one(%x: vector<[4]xi8>, %s: vector<[1]xf32>, %y: vector<[2]x3xi8>, %t: vector<[2]x2xf32>) -> (vector<[4]xf32>, vector<[2]x3xf32>) {
  // CHECK: vector.shape_cast %[[S]] : vector<[1]xf32> to vector<[1]x1xf32>
  // CHECK: vector.broadcast %{{.+}} : vector<[1]x1xf32> to vector<[1]x4xf32>
  // CHECK: vector.shape_cast %{{.+}} : vector<[1]x4xf32> to vector<[4]xf32>
  %0 = quant_float.dequantize %x, %s axis 0 block_size 4 opset 21 : vector<[4]xi8>, vector<[1]xf32> to vector<[4]xf32>
  // CHECK: vector.shape_cast %[[T]] : vector<[2]x2xf32> to vector<[2]x2x1xf32>
  // CHECK: vector.broadcast %{{.+}} : vector<[2]x2x1xf32> to vector<[2]x2x2xf32>
  // CHECK: vector.shape_cast %{{.+}} : vector<[2]x2x2xf32> to vector<[2]x4xf32>
  // CHECK: vector.extract_strided_slice %{{.+}} {{[{]?}}offsets = [0, 0], sizes = [2, 3], strides = [1, 1]
  %1 = quant_float.dequantize %y, %t axis 1 block_size 2 opset 21 : vector<[2]x3xi8>, vector<[2]x2xf32> to vector<[2]x3xf32>
  return %0, %1 : vector<[4]xf32>, vector<[2]x3xf32>
}

// A broadcast of an unsigned constant becomes one of a signless constant.
//
// CHECK-LABEL: func.func @constant_zero_point(
// CHECK-NOT: quant_float
// CHECK: return
func.func @constant_zero_point(%x: vector<32xf32>, %scale: vector<32xf32>) -> vector<32xui8> {
  %c = quant_float.constant 1 : ui8
  %zp = vector.broadcast %c : ui8 to vector<32xui8>
  %0 = quant_float.quantize_elements %x, %scale, %zp : vector<32xf32>, vector<32xf32>, vector<32xui8> to vector<32xui8>
  return %0 : vector<32xui8>
}
