// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=znver4" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=NOVBMI

// No lookup without byte tables.
// NOVBMI-NOT: vpermi2var

// The encodings are distributed to the 128-bit lanes. There is a table for each byte of the results
// that is not constant, and the sign bit is copied. The bytes are then unpacked, lane by lane, to
// elements.

// CHECK-LABEL: func.func @c7_float8_to_f32(
// CHECK-SAME:      %[[INPUT:.+]]: vector<64xf8E4M3FN>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0> : vector<32xi16>
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<-128> : vector<64xi8>
// CHECK-DAG:     %[[LOW1:.+]] = arith.constant dense<[0, 0, -128, -64, 0, 32, 64, 96, -128, -112,
// CHECK-DAG:     %[[HIGH1:.+]] = arith.constant dense<[0, 59, 59, 59, 60, 60,
// NaN is the last entry.
// CHECK-DAG:     %[[LOW2:.+]] = arith.constant dense<[0, 16, 32, {{.+}}, -64, -48, -32, -64]>
// CHECK-DAG:     %[[HIGH2:.+]] = arith.constant dense<[64, 64, {{.+}}, 67, 67, 127]>
// CHECK:         %[[BYTES:.+]] = arith.bitcast %[[INPUT]] : vector<64xf8E4M3FN> to vector<64xi8>
// CHECK:         %[[GROUPS:.+]] = vector.bitcast %[[BYTES]] : vector<64xi8> to vector<16xi32>
// CHECK:         %[[DEALT:.+]] = vector.shuffle %[[GROUPS]], %{{[^ ]+}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
// CHECK:         %[[ENCODINGS:.+]] = vector.bitcast %[[DEALT]] : vector<16xi32> to vector<64xi8>
// CHECK:         %[[LOW:.+]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%[[LOW1]], %[[ENCODINGS]], %[[LOW2]])
// CHECK:         %[[MAGNITUDE:.+]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%[[HIGH1]], %[[ENCODINGS]], %[[HIGH2]])
// CHECK:         %[[SIGNS:.+]] = arith.andi %[[ENCODINGS]], %[[SIGN]]
// CHECK:         %[[HIGH:.+]] = arith.xori %[[MAGNITUDE]], %[[SIGNS]]
// CHECK:         vector.shuffle %[[LOW]], %[[HIGH]] [0, 64, 1, 65,
// CHECK-SAME:      16, 80,
// CHECK:         vector.shuffle %[[LOW]], %[[HIGH]] [8, 72, 9, 73,
// CHECK-COUNT-4: vector.shuffle %[[ZERO]], %{{.*}} : vector<32xi16>, vector<32xi16>
// CHECK-NOT:     quant_float
// CHECK:         return %{{.*}} : vector<64xf32>
func.func @c7_float8_to_f32(%x: vector<64xf8E4M3FN>) -> vector<64xf32> {
  %0 = quant_float.cast %x opset 19 : vector<64xf8E4M3FN> to vector<64xf32>
  return %0 : vector<64xf32>
}

// The only NaN has the encoding of negative zero: 0xFE00 in f16.

// CHECK-LABEL: func.func @c7_fnuz_to_f16(
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<-2> : vector<64xi8>
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<-128> : vector<64xi8>
// CHECK:         vector.shuffle %{{.*}} [0, 4, 1, 5, 2, 6, 3, 7] : vector<8xi64>, vector<8xi64>
// CHECK-COUNT-2: vpermi2var
// CHECK:         %[[HIGH:.+]] = arith.xori
// CHECK:         %[[IS_NAN:.+]] = arith.cmpi eq, %{{.*}}, %[[SIGN]]
// CHECK:         arith.select %[[IS_NAN]], %[[NAN]], %[[HIGH]]
// CHECK-COUNT-2: vector.shuffle
// CHECK-NOT:     vector.shuffle
// CHECK:         return %{{.*}} : vector<64xf16>
func.func @c7_fnuz_to_f16(%x: vector<64xf8E4M3FNUZ>) -> vector<64xf16> {
  %0 = quant_float.cast %x opset 19 : vector<64xf8E4M3FNUZ> to vector<64xf16>
  return %0 : vector<64xf16>
}

// No sign: both halves of the encodings have their own tables.

// CHECK-LABEL: func.func @c10_scale_to_bf16(
// CHECK-COUNT-4: vpermi2var
// CHECK-NOT:     vpermi2var
// CHECK:         return %{{.*}} : vector<64xbf16>
func.func @c10_scale_to_bf16(%x: vector<64xf8E8M0FNU>) -> vector<64xbf16> {
  %0 = quant_float.cast %x opset 24 : vector<64xf8E8M0FNU> to vector<64xbf16>
  return %0 : vector<64xbf16>
}

// All six-bit encodings are in one table, signs included. Two of the eight bytes of f64 vary.

// CHECK-LABEL: func.func @float6_to_f64(
// CHECK:         vector.shuffle %{{.*}} [0, 4, 8, 12, 16, 20, 24, 28, 1, 5, {{.*}}] : vector<32xi16>, vector<32xi16>
// CHECK-COUNT-2: vpermi2var
// CHECK-NOT:     vpermi2var
// CHECK-NOT:     arith.xori
// CHECK-COUNT-8: vector.insert_strided_slice
// CHECK:         return %{{.*}} : vector<64xf64>
func.func @float6_to_f64(%x: vector<64xf6E3M2FN>) -> vector<64xf64> {
  %0 = quant_float.cast %x opset 28 : vector<64xf6E3M2FN> to vector<64xf64>
  return %0 : vector<64xf64>
}

// CHECK-LABEL: func.func @two_registers(
// CHECK-COUNT-4: vpermi2var
// CHECK-NOT:     vpermi2var
// CHECK:         return %{{.*}} : vector<128xf32>
func.func @two_registers(%x: vector<128xf4E2M1FN>) -> vector<128xf32> {
  %0 = quant_float.cast %x opset 23 : vector<128xf4E2M1FN> to vector<128xf32>
  return %0 : vector<128xf32>
}

// Other lengths and ranks use the portable expansion.

// CHECK-LABEL: func.func @half_a_register(
// CHECK-NOT:     vpermi2var
// CHECK:         return %{{.*}} : vector<32xf32>
func.func @half_a_register(%x: vector<32xf8E4M3FN>) -> vector<32xf32> {
  %0 = quant_float.cast %x opset 19 : vector<32xf8E4M3FN> to vector<32xf32>
  return %0 : vector<32xf32>
}

// CHECK-LABEL: func.func @rank_2(
// CHECK-NOT:     vpermi2var
// CHECK:         return %{{.*}} : vector<1x64xf32>
func.func @rank_2(%x: vector<1x64xf8E4M3FN>) -> vector<1x64xf32> {
  %0 = quant_float.cast %x opset 19 : vector<1x64xf8E4M3FN> to vector<1x64xf32>
  return %0 : vector<1x64xf32>
}

// Other destinations through f32.

// CHECK-LABEL: func.func @to_integer(
// CHECK-COUNT-2: vpermi2var
// CHECK:         arith.fptosi %{{.*}} : vector<64xf32> to vector<64xi32>
// CHECK:         return %{{.*}} : vector<64xi8>
func.func @to_integer(%x: vector<64xf8E4M3FN>) -> vector<64xi8> {
  %0 = quant_float.cast %x opset 19 : vector<64xf8E4M3FN> to vector<64xi8>
  return %0 : vector<64xi8>
}
