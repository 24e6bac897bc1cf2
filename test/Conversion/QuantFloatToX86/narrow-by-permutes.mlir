// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=znver4" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=NOVBMI

// NOVBMI-NOT: vector.shuffle {{.*}} [0, 4, 8, 12, 16

// The encodings are selected, and the sign is set, in bytes.

// CHECK-LABEL: func.func @signs_of_bytes(
// CHECK-SAME:      %[[X:.+]]: vector<64xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0> : vector<64xi8>
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<-128> : vector<64xi8>
// CHECK:         %[[IS_NEGATIVE:.+]] = arith.cmpi slt
// CHECK:         %[[ENCODING:.+]] = arith.select %{{.+}} : vector<64xi1>, vector<64xi32>
// CHECK:         %[[ENCODING0:.+]] = vector.extract_strided_slice %[[ENCODING]] {{[{]?}}offsets = [0], sizes = [16]
// CHECK:         %[[CODE0_BYTES:.+]] = vector.bitcast %[[ENCODING0]] : vector<16xi32> to vector<64xi8>
// CHECK:         %[[ENCODING1:.+]] = vector.extract_strided_slice %[[ENCODING]] {{[{]?}}offsets = [16], sizes = [16]
// CHECK:         %[[CODE1_BYTES:.+]] = vector.bitcast %[[ENCODING1]] : vector<16xi32> to vector<64xi8>
// CHECK:         vector.shuffle %[[CODE0_BYTES]], %[[CODE1_BYTES]] [0, 4, 8, 12, 16
// CHECK-SAME:      120, 124] : vector<64xi8>, vector<64xi8>
// CHECK:         vector.shuffle %{{.*}} [0, 4, 8, 12, 16
// CHECK:         vector.insert_strided_slice
// CHECK:         arith.select %{{.+}} : vector<64xi1>, vector<64xi8>
// CHECK:         %[[ENCODINGS:.+]] = arith.select %{{.+}} : vector<64xi1>, vector<64xi8>
// CHECK:         %[[SIGNS:.+]] = arith.select %[[IS_NEGATIVE]], %[[SIGN]], %[[ZERO]]
// CHECK:         arith.xori %[[ENCODINGS]], %[[SIGNS]] : vector<64xi8>
// CHECK-NOT:     arith.trunci
// CHECK:         return
func.func @signs_of_bytes(%x: vector<64xf32>, %r: vector<64xui8>) -> vector<64xf8E4M3FN> {
  %0 = quant_float.cast %x, %r mode quant_float opset 1 round_mode stochastic : vector<64xf32>, vector<64xui8> to vector<64xf8E4M3FN>
  return %0 : vector<64xf8E4M3FN>
}

// The upper 16 bits of the rounded value, or those of the operand as a quiet NaN.

// CHECK-LABEL: func.func @words(
// CHECK:         %[[IS_NAN:.+]] = arith.cmpf uno
// CHECK:         %[[TOPS:.+]] = vector.shuffle %{{.*}} [1, 3, 5, 7,
// CHECK-SAME:      : vector<32xi16>, vector<32xi16>
// CHECK:         %[[SIGNS:.+]] = arith.andi %[[TOPS]], %{{.*}} : vector<32xi16>
// CHECK:         %[[NAN:.+]] = arith.ori %[[SIGNS]], %{{.*}} : vector<32xi16>
// CHECK:         %[[ROUNDED:.+]] = vector.shuffle %{{.*}} [1, 3, 5, 7,
// CHECK:         arith.select %[[IS_NAN]], %[[NAN]], %[[ROUNDED]] : vector<32xi1>, vector<32xi16>
// CHECK-NOT:     arith.trunci
// CHECK:         return
func.func @words(%x: vector<32xf64>) -> vector<32xbf16> {
  %0 = quant_float.cast %x opset 13 : vector<32xf64> to vector<32xbf16>
  return %0 : vector<32xbf16>
}

// Not matched: half a pair of registers, and wider sources.

// CHECK-LABEL: func.func @one_register(
// CHECK-NOT:     vector.shuffle
// CHECK:         arith.trunci %{{.*}} : vector<16xi32> to vector<16xi8>
func.func @one_register(%x: vector<16xi32>) -> vector<16xi8> {
  %0 = quant_float.cast %x opset 13 : vector<16xi32> to vector<16xi8>
  return %0 : vector<16xi8>
}

// CHECK-LABEL: func.func @wide(
// CHECK-NOT:     vector.shuffle
// CHECK:         arith.trunci %{{.*}} : vector<64xi64> to vector<64xi8>
func.func @wide(%x: vector<64xi64>) -> vector<64xi8> {
  %0 = quant_float.cast %x opset 13 : vector<64xi64> to vector<64xi8>
  return %0 : vector<64xi8>
}
