// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v4" --canonicalize --cse | FileCheck %s --check-prefix=AVX512
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64" | FileCheck %s --check-prefix=SSE
// SSE-NOT: dense<19200>

// Small integers become mantissas of floats near 2^23 (0x4B000000) when bytes are unpacked. The
// broadcast scalar is masked.

// CHECK-LABEL: func.func @bytes(
// CHECK-SAME:      %[[X:.+]]: vector<32xi8>, %[[Z:.+]]: i8, %[[S:.+]]: f32)
// CHECK-DAG:     %[[UPPER:.+]] = arith.constant dense<19200> : vector<16xi16>
// CHECK-DAG:     %[[ORIGIN:.+]] = arith.constant dense<1258291200> : vector<8xi32>
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<8> : vector<8xi32>
// CHECK-DAG:     %[[MASK:.+]] = arith.constant dense<15> : vector<8xi32>
// CHECK-DAG:     %[[BYTES:.+]] = vector.broadcast %[[Z]] : i8 to vector<32xi8>
// CHECK-DAG:     %[[LANES:.+]] = vector.bitcast %[[BYTES]] : vector<32xi8> to vector<8xi32>
// CHECK-DAG:     %[[LOW:.+]] = arith.andi %[[LANES]], %[[MASK]]
// CHECK-DAG:     %[[NUMBER:.+]] = arith.xori %[[LOW]], %[[SIGN]]
// CHECK-DAG:     %[[BITS:.+]] = arith.xori %[[NUMBER]], %[[ORIGIN]]
// CHECK-DAG:     arith.bitcast %[[BITS]] : vector<8xi32> to vector<8xf32>
// CHECK-DAG:     vector.shuffle %{{.+}}, %[[UPPER]] [0, 16, 1, 17,
// CHECK-NOT:     arith.sitofp
// CHECK:         %[[DIFFERENCE:.+]] = arith.subf
// CHECK:         arith.mulf %[[DIFFERENCE]]
// AVX-512 looks up 16 products.
// AVX512-LABEL: func.func @bytes(
// AVX512-SAME:      %[[X:.+]]: vector<32xi8>, %[[Z:.+]]: i8, %[[S:.+]]: f32)
// AVX512:         %[[DIFFERENCES:.+]] = arith.subf
// AVX512:         %[[SCALE:.+]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
// AVX512:         %[[PRODUCTS:.+]] = arith.mulf %[[DIFFERENCES]], %[[SCALE]] : vector<16xf32>
// AVX512:         %[[TABLE:.+]] = arith.bitcast %[[PRODUCTS]]
// AVX512:         %[[INDICES:.+]] = arith.extui %[[X]] : vector<32xi8> to vector<32xi32>
// AVX512-COUNT-2: "llvm.x86.avx512.permvar.si.512"(%[[TABLE]],
// AVX512-NOT:     arith.mulf
// AVX512:         return
func.func @bytes(%x: vector<32xi8>, %z: i8, %s: f32) -> vector<32xf32> {
  %low = arith.constant dense<15> : vector<32xi8>
  %sign = arith.constant dense<8> : vector<32xi8>
  %c15 = arith.constant 15 : i8
  %c8 = arith.constant 8 : i8
  %0 = arith.andi %x, %low : vector<32xi8>
  %1 = arith.xori %0, %sign : vector<32xi8>
  %2 = arith.andi %z, %c15 : i8
  %3 = arith.xori %2, %c8 : i8
  %4 = vector.broadcast %3 : i8 to vector<32xi8>
  %5 = arith.subi %1, %4 : vector<32xi8>
  %6 = quant_float.cast %5 opset 23 : vector<32xi8> to vector<32xf32>
  %7 = vector.broadcast %s : f32 to vector<32xf32>
  %8 = arith.mulf %6, %7 : vector<32xf32>
  return %8 : vector<32xf32>
}

// The upper value of a byte stays in its bits, near 2^19 (0x49000000).

// CHECK-LABEL: func.func @packed(
// CHECK-SAME:      %[[X:.+]]: vector<16xi8>, %[[Z:.+]]: i8)
// CHECK-DAG:     %[[UPPER:.+]] = arith.constant dense<[19200, 18688, {{.*}}]> : vector<16xi16>
// CHECK-DAG:     %[[HALVES:.+]] = arith.constant dense<[15, -16, {{.*}}]> : vector<32xi8>
// CHECK-DAG:     %[[FLIPS:.+]] = arith.constant dense<[8, -128, {{.*}}]> : vector<32xi8>
// CHECK-DAG:     %[[DEALT:.+]] = vector.shuffle %[[X]], %{{[^ ]+}} [0, 0, 1, 1, 4, 4, 5, 5, 8, 8, 9, 9, 12, 12, 13, 13, 2, 2, 3, 3,
// CHECK-DAG:     %[[ELEMENTS:.+]] = arith.andi %[[DEALT]], %[[HALVES]]
// CHECK-DAG:     arith.xori %[[ELEMENTS]], %[[FLIPS]]
// CHECK-DAG:     vector.shuffle %{{.+}}, %[[UPPER]] [0, 16, 1, 17,
// CHECK-NOT:     arith.sitofp
// CHECK:         arith.subf
// CHECK:         return
func.func @packed(%x: vector<16xi8>, %z: i8) -> vector<32xf32> {
  %sign = arith.constant dense<8> : vector<32xi8>
  %both = arith.constant dense<0x0F0F> : vector<16xi16>
  %four = arith.constant dense<4> : vector<16xi16>
  %c15 = arith.constant 15 : i8
  %c8 = arith.constant 8 : i8
  %0 = arith.extui %x : vector<16xi8> to vector<16xi16>
  %1 = arith.shli %0, %four : vector<16xi16>
  %2 = arith.ori %0, %1 : vector<16xi16>
  %3 = arith.andi %2, %both : vector<16xi16>
  %4 = vector.bitcast %3 : vector<16xi16> to vector<32xi8>
  %5 = arith.xori %4, %sign : vector<32xi8>
  %6 = arith.andi %z, %c15 : i8
  %7 = arith.xori %6, %c8 : i8
  %8 = vector.broadcast %7 : i8 to vector<32xi8>
  %9 = arith.subi %5, %8 : vector<32xi8>
  %10 = quant_float.cast %9 opset 23 : vector<32xi8> to vector<32xf32>
  return %10 : vector<32xf32>
}

// The difference of whole bytes may be any value.

// CHECK-LABEL: func.func @whole(
// CHECK:         arith.sitofp
// AVX512-LABEL: func.func @whole(
// AVX512:         arith.sitofp
func.func @whole(%x: vector<32xi8>, %z: i8) -> vector<32xf32> {
  %0 = vector.broadcast %z : i8 to vector<32xi8>
  %1 = arith.subi %x, %0 : vector<32xi8>
  %2 = quant_float.cast %1 opset 23 : vector<32xi8> to vector<32xf32>
  return %2 : vector<32xf32>
}
