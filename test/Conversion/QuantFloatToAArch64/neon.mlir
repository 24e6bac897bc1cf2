// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=aarch64-linux-gnu cpu=generic" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=aarch64-linux-gnu cpu=neoverse-v2" | FileCheck %s --check-prefix=BF16
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=aarch64-linux-gnu cpu=generic" --remarks-filter=quant-float-conversion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Like pmaddwd on x86, but shuffles (UZP1 and UZP2) separate the halves of the sums, which are
// added afterwards. NaNs need no branch: the upper half of a sum shows them, and TBX looks up their
// encoding.

// CHECK-LABEL: func.func @f32_to_e4m3(
// CHECK-SAME:      %[[X:.+]]: vector<16xf32>
// CHECK-DAG:     %[[SHIFT:.+]] = arith.constant dense<4> : vector<8xi16>
// CHECK-DAG:     %[[INFINITY:.+]] = arith.constant dense<32640> : vector<8xi16>
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<0> : vector<16xi8>
// CHECK-DAG:     %[[EXCESS:.+]] = arith.constant dense<127> : vector<16xi8>
// CHECK-COUNT-4: math.fma %{{.+}}, %{{.+}}, %{{.+}} : vector<4xf32>
// CHECK:         %[[LOWER:.+]] = vector.shuffle %{{.+}}, %{{.+}} [0, 2, 4, 6, 8, 10, 12, 14] : vector<8xi16>, vector<8xi16>
// CHECK:         %[[UPPER:.+]] = vector.shuffle %{{.+}}, %{{.+}} [1, 3, 5, 7, 9, 11, 13, 15] : vector<8xi16>, vector<8xi16>
// CHECK:         %[[EXPONENTS:.+]] = arith.shrui %[[UPPER]], %[[SHIFT]]
// CHECK:         arith.addi %[[LOWER]], %[[EXPONENTS]]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.aarch64.neon.uqxtn"
// CHECK:         %[[ENCODINGS:.+]] = vector.shuffle
// CHECK-COUNT-2: arith.cmpi sle, %{{.+}}, %[[INFINITY]] : vector<8xi16>
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.tbx1"(%[[ENCODINGS]], %[[NAN]], %{{.+}})
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @f32_to_e4m3(%x: vector<16xf32>) -> vector<16xf8E4M3FN> {
  %0 = quant_float.cast %x opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  return %0 : vector<16xf8E4M3FN>
}

// TBL yields zero for indices out of range, so segments are used as indices directly.

// CHECK-LABEL: func.func @f16_to_e4m3(
// CHECK:         %[[SEGMENT:.+]] = vector.shuffle %{{.+}}, %{{.+}} [1, 3, 5, {{.+}} : vector<16xi8>
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 2, 4, {{.+}} : vector<16xi8>
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.tbl1"(%{{.+}}, %[[SEGMENT]])
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.tbl1"(%{{.+}}, %[[SEGMENT]])
// CHECK:         arith.cmpi ugt
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.tbl1"(%{{.+}}, %[[SEGMENT]])
// CHECK:         return
func.func @f16_to_e4m3(%x: vector<16xf16>) -> vector<16xf8E4M3FN> {
  %0 = quant_float.cast %x opset 28 : vector<16xf16> to vector<16xf8E4M3FN>
  return %0 : vector<16xf8E4M3FN>
}

// SSHLL sign-extends and shifts.

// CHECK-LABEL: func.func @e4m3_to_f32(
// CHECK-SAME:      %[[X:.+]]: vector<16xf8E4M3FN>
// CHECK:         %[[ENCODINGS:.+]] = arith.bitcast %[[X]]
// CHECK:         arith.extsi %{{.+}} : vector<8xi8> to vector<8xi16>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.aarch64.neon.tbl1"
// CHECK:         vector.shuffle %{{.+}} [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi16>
// CHECK:         return
func.func @e4m3_to_f32(%x: vector<16xf8E4M3FN>) -> vector<16xf32> {
  %0 = quant_float.cast %x opset 28 : vector<16xf8E4M3FN> to vector<16xf32>
  return %0 : vector<16xf32>
}

// The upper halves of f16, which FCVTL widens. It quiets NaNs. If payloads matter, they are dropped
// before.

// CHECK-LABEL: func.func @e5m2_to_f32(
// CHECK-DAG:     %[[INFINITY:.+]] = arith.constant dense<124> : vector<16xi8>
// CHECK:         %[[IS_NAN:.+]] = arith.cmpi ugt, %{{.+}}, %[[INFINITY]]
// CHECK:         arith.select %[[IS_NAN]]
// CHECK:         arith.extui
// CHECK:         arith.extf %{{.+}} : vector<16xf16> to vector<16xf32>
// CHECK-NOT:     cmpi
// CHECK:         arith.extf %{{.+}} : vector<16xf16> to vector<16xf32>
// CHECK:         return
func.func @e5m2_to_f32(%x: vector<16xf8E5M2>, %y: vector<16xf8E5M2>) -> (vector<16xf32>, vector<16xf32>) {
  %0 = quant_float.cast %x opset 28 : vector<16xf8E5M2> to vector<16xf32>
  %1 = quant_float.cast %y opset 28 : vector<16xf8E5M2> to vector<16xf32>
  %2 = arith.addf %1, %1 : vector<16xf32>
  return %0, %2 : vector<16xf32>, vector<16xf32>
}

// The maximum of all values is NaN if one is NaN, which takes a branch. BFCVTN keeps payloads,
// which are dropped.

// REMARK: f32 to bf16 by uqsub: bfcvtn needs bf16
// BF16-LABEL:  func.func @f32_to_bf16(
// BF16:          arith.truncf %{{.+}} : vector<16xf32> to vector<16xbf16>
// BF16:          arith.minsi
// BF16:          arith.minui
// BF16-NOT:      arith.maximumf
// BF16:          return
// CHECK-LABEL: func.func @f32_to_bf16(
// CHECK-COUNT-2: llvm.intr.usub.sat(%{{.+}}, %{{.+}}) : (vector<8xi16>, vector<8xi16>)
// CHECK-COUNT-3: arith.maximumf
// CHECK:         %[[LARGEST:.+]] = vector.reduction <maximumf>
// CHECK:         arith.cmpf uno, %[[LARGEST]], %[[LARGEST]] : f32
// CHECK:         scf.if
// CHECK:         return
func.func @f32_to_bf16(%x: vector<16xf32>) -> vector<16xbf16> {
  %0 = quant_float.cast %x opset 28 : vector<16xf32> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// FCVTNS rounds to nearest even, and NaN to 0, so quotients are clamped in a way that keeps NaNs.
// It handles one register.

// CHECK-LABEL: func.func @quantize(
// CHECK:         arith.minimumf
// CHECK:         arith.maximumf
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.aarch64.neon.fcvtns"(%{{.+}}) : (vector<4xf32>) -> vector<4xi32>
// CHECK-NOT:     arith.cmpf ord
// CHECK:         return
func.func @quantize(%x: vector<16xf32>, %s: f32) -> vector<16xi8> {
  %0 = quant_float.quantize %x, %s opset 23 : vector<16xf32>, f32 to vector<16xi8>
  return %0 : vector<16xi8>
}

// CHECK-LABEL: func.func @quantize_scalar(
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.fcvtns"(%{{.+}}) : (f32) -> i32
// CHECK:         return
func.func @quantize_scalar(%x: f32, %s: f32) -> i8 {
  %0 = quant_float.quantize %x, %s opset 23 : f32, f32 to i8
  return %0 : i8
}
