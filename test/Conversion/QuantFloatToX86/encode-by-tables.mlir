// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=znver4" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=NOVBMI

// No lookup without byte tables.
// NOVBMI-NOT: vpermi2var

// The upper byte of an f16 selects the first encoding of its segment, and the lower bytes at which
// the encoding increases: at most two for f8E4M3FN.

// CHECK-LABEL: func.func @c3_half(
// CHECK-SAME:      %[[INPUT:.+]]: vector<64xf16>
// 2^-10 is a tie, which rounds to zero. 3 * 2^-10 is one, which rounds to 4 * 2^-10.
// CHECK-DAG:     %[[STEP1:.+]] = arith.constant dense<[-1, {{(-1, )+}}0, -1, {{(-1, )+}}0, -1, -1, -128, 127,
// CHECK-DAG:     %[[EVEN:.+]] = arith.constant dense<[0, 2, 4,
// CHECK-DAG:     %[[ONE:.+]] = arith.constant dense<1> : vector<64xi8>
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<-128> : vector<64xi8>
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[INPUT]] : vector<64xf16> to vector<64xi16>
// CHECK:         %[[BYTES:.+]] = vector.bitcast %[[BITS]] : vector<64xi16> to vector<128xi8>
// CHECK:         %[[UPPER:.+]] = vector.shuffle %[[BYTES]], %{{[^ ]+}} [1, 3, 5,
// CHECK:         %[[LOWER:.+]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%{{.+}}, %[[EVEN]], %{{.+}})
// CHECK:         %[[FIRST:.+]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%{{.+}}, %[[UPPER]], %{{.+}})
// CHECK:         %[[AFTER1:.+]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%[[STEP1]], %[[UPPER]], %{{.+}})
// CHECK:         %[[IS_ABOVE1:.+]] = arith.cmpi ugt, %[[LOWER]], %[[AFTER1]]
// CHECK:         %[[NEXT:.+]] = llvm.intr.uadd.sat(%[[FIRST]], %[[ONE]])
// CHECK:         %[[ENCODING1:.+]] = arith.select %[[IS_ABOVE1]], %[[NEXT]], %[[FIRST]]
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"
// CHECK:         %[[CODE2:.+]] = arith.select %{{.+}}, %{{.+}}, %[[ENCODING1]]
// CHECK-NOT:     vpermi2var
// CHECK:         %[[SIGNS:.+]] = arith.andi %[[UPPER]], %[[SIGN]]
// CHECK:         arith.xori %[[CODE2]], %[[SIGNS]]
// CHECK-NOT:     quant_float
// CHECK:         return
func.func @c3_half(%x: vector<64xf16>) -> vector<64xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<64xf16> to vector<64xf8E4M3FN>
  return %0 : vector<64xf8E4M3FN>
}

// Finite values have one step in a segment. NaN is the second value after infinity.

// CHECK-LABEL: func.func @c5_half_to_e5m2(
// CHECK-COUNT-4: vpermi2var
// CHECK-NOT:     vpermi2var
// CHECK:         return
func.func @c5_half_to_e5m2(%x: vector<64xf16>) -> vector<64xf8E5M2> {
  %0 = quant_float.cast %x opset 19 saturate false : vector<64xf16> to vector<64xf8E5M2>
  return %0 : vector<64xf8E5M2>
}

// bf16 is counted from 2^-10 on, in segments of 32. NaN is above infinity.

// CHECK-LABEL: func.func @c3_bfloat(
// CHECK-DAG:     %[[MAGNITUDE:.+]] = arith.constant dense<32767> : vector<64xi16>
// CHECK-DAG:     %[[ORIGIN:.+]] = arith.constant dense<14976> : vector<64xi16>
// CHECK-DAG:     %[[LAST:.+]] = arith.constant dense<4095> : vector<64xi16>
// CHECK-DAG:     %[[INFINITY:.+]] = arith.constant dense<32640> : vector<64xi16>
// CHECK:         %[[BITS:.+]] = arith.andi %{{.+}}, %[[MAGNITUDE]]
// CHECK:         %[[COUNTED:.+]] = llvm.intr.usub.sat(%[[BITS]], %[[ORIGIN]])
// CHECK:         %[[POSITION:.+]] = arith.minui %[[COUNTED]], %[[LAST]]
// CHECK:         arith.shli %[[POSITION]]
// CHECK-COUNT-4: vpermi2var
// CHECK:         arith.cmpi ugt, %[[BITS]], %[[INFINITY]]
// CHECK:         return
func.func @c3_bfloat(%x: vector<64xbf16>) -> vector<64xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<64xbf16> to vector<64xf8E4M3FN>
  return %0 : vector<64xf8E4M3FN>
}

// C6: FNUZ has no negative zero.

// CHECK-LABEL: func.func @c6_fnuz(
// CHECK:         %[[ENCODING:.+]] = arith.select
// CHECK:         %[[CODE2:.+]] = arith.select
// CHECK:         %[[IS_ZERO:.+]] = arith.cmpi eq, %[[CODE2]]
// CHECK:         %[[SIGNED:.+]] = arith.ori %[[CODE2]]
// CHECK:         arith.select %[[IS_ZERO]], %[[CODE2]], %[[SIGNED]]
// CHECK:         return
func.func @c6_fnuz(%x: vector<64xf16>) -> vector<64xf8E4M3FNUZ> {
  %0 = quant_float.cast %x opset 19 : vector<64xf16> to vector<64xf8E4M3FNUZ>
  return %0 : vector<64xf8E4M3FNUZ>
}

// Sources without a sign, and partial registers.

// CHECK-LABEL: func.func @not_by_tables(
// CHECK-NOT:     vpermi2var
// CHECK:         return
func.func @not_by_tables(%x: vector<64xf16>, %y: vector<32xf16>) -> (vector<64xf8E8M0FNU>, vector<32xf8E4M3FN>) {
  %0 = quant_float.cast %x opset 24 : vector<64xf16> to vector<64xf8E8M0FNU>
  %1 = quant_float.cast %y opset 19 : vector<32xf16> to vector<32xf8E4M3FN>
  return %0, %1 : vector<64xf8E8M0FNU>, vector<32xf8E4M3FN>
}
