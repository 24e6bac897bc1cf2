// Packed elements are read and written in bytes; how many there are shows in no type. What it computes, packed.py runs.
// RUN: quant-float-opt %s --quant-float-lower-packed-elements --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @loads(
// CHECK-SAME: %[[M:.+]]: memref<?x5xi8>, %[[I:.+]]: index, %[[J:.+]]: index) -> i8
// CHECK: %[[ROW:.+]] = arith.muli %[[I]], %c5
// CHECK: %[[ELEMENT:.+]] = arith.addi %[[ROW]], %[[J]]
// CHECK: %[[BIT:.+]] = arith.muli %[[ELEMENT]], %c4
// CHECK: %[[AT:.+]] = arith.shrui %[[BIT]], %c3
// CHECK: %[[BYTES:.+]] = memref.reinterpret_cast %[[M]] to offset: [0]
// CHECK: %[[BYTE:.+]] = memref.load %[[BYTES]][%[[AT]]]
// CHECK: arith.extui %[[BYTE]] : i8 to i16
// CHECK: %[[SHIFT:.+]] = arith.andi %[[BIT]], %c7
// CHECK: arith.index_cast %[[SHIFT]]
// CHECK: %[[RESULT:.+]] = arith.andi %{{.+}}, %c15_i8
// CHECK: return %[[RESULT]]
func.func @loads(%m: memref<?x5xi4>, %i: index, %j: index) -> i8 {
  %0 = memref.load %m[%i, %j] : memref<?x5xi4>
  %1 = arith.extui %0 : i4 to i8
  return %1 : i8
}

// Six bits are in one byte or two.
// CHECK-LABEL: func.func @two_bytes(
// CHECK-COUNT-2: memref.load
// CHECK: arith.andi %{{.+}}, %c63_i8
func.func @two_bytes(%m: memref<7xi6>, %i: index) -> i8 {
  %0 = memref.load %m[%i] : memref<7xi6>
  %1 = arith.extui %0 : i6 to i8
  return %1 : i8
}

// The other elements of the byte stay.
// CHECK-LABEL: func.func @stores(
// CHECK: %[[OLD:.+]] = memref.load %[[BYTES:.+]][%[[AT:.+]]]
// CHECK: %[[KEPT:.+]] = arith.andi %[[OLD]]
// CHECK: %[[NEW:.+]] = arith.ori %[[KEPT]]
// CHECK: memref.store %[[NEW]], %[[BYTES]][%[[AT]]]
func.func @stores(%m: memref<?xi2>, %i: index, %x: i8) {
  %0 = arith.trunci %x : i8 to i2
  memref.store %0, %m[%i] : memref<?xi2>
  return
}

// Vectors are whole bytes, wherever the first element is.
// CHECK-LABEL: func.func @vectors(
// CHECK: %[[FIRST:.+]] = vector.load {{.*}} vector<8xi8>
// CHECK: scf.if %{{.+}} -> (vector<8xi8>)
// CHECK: vector.load {{.*}} vector<8xi8>
// CHECK: arith.extui %{{.+}} : vector<8xi8> to vector<8xi16>
// CHECK: vector.bitcast %{{.+}} : vector<8xi16> to vector<16xi8>
// CHECK-NOT: xi4
func.func @vectors(%m: memref<?xi4>, %i: index) -> vector<16xi8> {
  %p = arith.constant 0 : i4
  %0 = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<?xi4>, vector<16xi4>
  %1 = arith.extui %0 : vector<16xi4> to vector<16xi8>
  return %1 : vector<16xi8>
}

// Constants are as many bytes as the elements take.
// CHECK: memref.global "private" constant @w : memref<8xi8> = dense_resource<w>
memref.global "private" constant @w : memref<3x5xi4> = dense_resource<w>
// CHECK-LABEL: func.func @constant(
// CHECK: memref.get_global @w : memref<8xi8>
func.func @constant(%i: index) -> i8 {
  %m = memref.get_global @w : memref<3x5xi4>
  %0 = memref.load %m[%i, %i] : memref<3x5xi4>
  %1 = arith.extui %0 : i4 to i8
  return %1 : i8
}

// What is no packed buffer stays, and the order of views.
// CHECK-LABEL: func.func @others(
// CHECK-SAME: memref<?xi1>, %{{.+}}: memref<?xi8>, %{{.+}}: memref<4x6xi8>
// CHECK: memref.subview %{{.+}} : memref<4x6xi8> to memref<2x6xi8, strided<[6, 1], offset: ?>>
func.func @others(%b: memref<?xi1>, %c: memref<?xi8>, %m: memref<4x6xi4>, %i: index) -> memref<2x6xi4, strided<[6, 1], offset: ?>> {
  %0 = memref.subview %m[%i, 0] [2, 6] [1, 1] : memref<4x6xi4> to memref<2x6xi4, strided<[6, 1], offset: ?>>
  return %0 : memref<2x6xi4, strided<[6, 1], offset: ?>>
}

{-#
  dialect_resources: { builtin: { w: "0x010000001032547698badcfe" } }
#-}
