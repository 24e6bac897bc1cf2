// Packed elements are loaded and stored as bytes, in every order of elements. packed.py executes
// this.
// RUN: quant-float-opt %s --quant-float-lower-packed-elements --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --quant-float-lower-packed-elements=permutes=true | FileCheck %s --check-prefix=PERMUTES
// RUN: quant-float-opt %s --quant-float-lower-packed-elements=register-bytes=32 | FileCheck %s --check-prefix=AVX2
// RUN: quant-float-opt %s --quant-float-lower-packed-elements=in-order=true --canonicalize --cse | FileCheck %s --check-prefix=ORDER

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

// A 6-bit element is in one byte or two.
// CHECK-LABEL: func.func @two_bytes(
// CHECK-COUNT-2: memref.load
// CHECK: arith.andi %{{.+}}, %c63_i8
func.func @two_bytes(%m: memref<7xi6>, %i: index) -> i8 {
  %0 = memref.load %m[%i] : memref<7xi6>
  %1 = arith.extui %0 : i6 to i8
  return %1 : i8
}

// The other elements of the byte are kept.
// CHECK-LABEL: func.func @stores(
// CHECK: %[[OLD:.+]] = memref.load %[[BYTES:.+]][%[[AT:.+]]]
// CHECK: %[[KEPT:.+]] = arith.andi %[[OLD]]
// CHECK: %[[NEW:.+]] = arith.ori %[[KEPT]]
// CHECK: memref.store %[[NEW]], %[[BYTES]][%[[AT]]]
// The bits after the element become zero.
// ORDER-LABEL: func.func @stores(
// ORDER: %[[REPLACED:.+]] = arith.trunci
// ORDER: %[[NEGATIVE:.+]] = arith.subi %c0_i8, %[[REPLACED]]
// ORDER: arith.ori %[[REPLACED]], %[[NEGATIVE]]
func.func @stores(%m: memref<?xi2>, %i: index, %x: i8) {
  %0 = arith.trunci %x : i8 to i2
  memref.store %0, %m[%i] : memref<?xi2>
  return
}

// Aligned loads start at the beginning of a byte.
// CHECK-LABEL: func.func @aligned_load(
// CHECK-NOT: scf.if
// CHECK: %[[WORD:.+]] = vector.load {{.*}}alignment = 4{{.*}} vector<4xi8>
// CHECK: vector.bitcast %[[WORD]] : vector<4xi8> to vector<1xi32>
func.func @aligned_load(%m: memref<4x64xi4>, %i: index, %j: index) -> vector<1xi32> {
  %0 = "vector.load"(%m, %i, %j) <{alignment = 4 : i64}> : (memref<4x64xi4>, index, index) -> vector<8xi4>
  %1 = vector.bitcast %0 : vector<8xi4> to vector<1xi32>
  return %1 : vector<1xi32>
}

// Vectors of whole bytes, at any first element.
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

// The remainder of a row: no byte after that of the last element is accessed.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME: %[[X:.+]]: memref<?xi8>, %[[Y:.+]]: memref<?xi8>, %[[N:.+]]: index)
// CHECK: %[[BITS:.+]] = arith.muli %[[N]], %c4
// CHECK: %[[BYTES:.+]] = arith.shrui %{{.+}}, %c3
// CHECK: %[[MASK:.+]] = vector.create_mask %[[BYTES]] : vector<8xi1>
// CHECK: vector.maskedload {{.*}}, %[[MASK]]
// CHECK: vector.maskedload {{.*}} vector<16xi8>
// CHECK: vector.maskedstore {{.*}} vector<16xi8>
func.func @masked(%x: memref<?xi4>, %y: memref<?xi4>, %n: index) {
  %p = ub.poison : i4
  %c0 = arith.constant 0 : index
  %mask = vector.create_mask %n : vector<16xi1>
  %0 = vector.transfer_read %x[%c0], %p, %mask {in_bounds = [true]} : memref<?xi4>, vector<16xi4>
  vector.transfer_write %0, %y[%c0], %mask {in_bounds = [true]} : vector<16xi4>, memref<?xi4>
  return
}

// Vectors that are not whole bytes are stored element by element.
// CHECK-LABEL: func.func @odd(
// CHECK: vector.load {{.*}} vector<2xi8>
// CHECK: vector.insert {{.*}} [4] : i8 into vector<5xi8>
// CHECK: vector.store {{.*}} vector<2xi8>
// CHECK: memref.store
func.func @odd(%x: memref<?xi4>, %y: memref<?xi4>) {
  %p = ub.poison : i4
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<?xi4>, vector<5xi4>
  vector.transfer_write %0, %y[%c0] {in_bounds = [true]} : vector<5xi4>, memref<?xi4>
  return
}

// An aligned store remains one store and keeps its attributes. On AVX2, multiply-adds pack a vector
// of encodings.
// AVX2-LABEL: func.func @aligned(
// AVX2: %[[LOW:.+]] = arith.andi
// AVX2: %[[WORDS:.+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"(%[[LOW]], %{{.+}})
// AVX2: arith.trunci %[[WORDS]] : vector<16xi16> to vector<16xi8>
// CHECK-LABEL: func.func @aligned(
// CHECK: vector.store {{.*}}alignment = 16{{.*}}nontemporal = true{{.*}} vector<16xi8>
// CHECK-NOT: scf.if
// CHECK: return
func.func @aligned(%x: vector<32xi4>, %y: memref<?xi4>, %n: index) {
  "vector.store"(%x, %y, %n) <{alignment = 16 : i64, nontemporal = true}> : (vector<32xi4>, memref<?xi4>, index) -> ()
  return
}

// Vectors start at the beginning of a byte.
// ORDER-LABEL: func.func @odd(
// ORDER: vector.store {{.*}} vector<2xi8>
// ORDER-NOT: scf.if
// ORDER: return

// Decoded values come from a lookup table, which is a constant if the decoding depends on nothing
// but the encoding.
// PERMUTES-LABEL: func.func @table(
// PERMUTES: %[[TABLE:.+]] = arith.constant dense<[0.000000e+00, 5.000000e-01, 1.000000e+00, {{.*}}, -6.000000e+00]> : vector<16xf32>
// PERMUTES: %[[ENTRIES:.+]] = arith.bitcast %[[TABLE]]
// PERMUTES: %[[INDICES:.+]] = llvm.call_intrinsic "llvm.x86.avx512.pmultishift.qb.512"
// PERMUTES: %[[INDEX:.+]] = vector.bitcast %[[INDICES]]
// PERMUTES: llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%[[ENTRIES]], %[[INDEX]])
// On AVX2, bytes that are equal in all entries of a constant table need no lookup.
// AVX2-LABEL: func.func @table(
// AVX2: %[[WORDS:.+]] = vector.bitcast %{{.+}} : vector<32xi8> to vector<16xi16>
// AVX2: %[[MOVED:.+]] = arith.shli %[[WORDS]]
// AVX2: %[[BOTH:.+]] = arith.ori %[[WORDS]], %[[MOVED]]
// AVX2: arith.andi %[[BOTH]]
// AVX2-COUNT-2: "llvm.x86.avx2.pshuf.b"
// AVX2-NOT: pshuf.b
// AVX2: return
func.func @table(%m: memref<?xi4>, %i: index) -> vector<32xf32> {
  %p = ub.poison : i4
  %0 = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<?xi4>, vector<32xi4>
  %1 = arith.extui %0 : vector<32xi4> to vector<32xi8>
  %2 = quant_float.storage_cast %1 : vector<32xi8> to vector<32xf4E2M1FN>
  %3 = quant_float.cast %2 opset 25 : vector<32xf4E2M1FN> to vector<32xf32>
  return %3 : vector<32xf32>
}

// The scale and the zero point of a block are part of the table. 2-bit types repeat their entries
// in the table. For f16, two tables hold the two bytes of the entries.
// PERMUTES-LABEL: func.func @table_per_block(
// PERMUTES-SAME: %[[S:[a-z0-9]+]]: f32)
// PERMUTES: %[[VALUES:.+]] = arith.constant dense<[0.000000e+00, 1.000000e+00, -2.000000e+00, -1.000000e+00, 0.000000e+00,
// PERMUTES: %[[SCALE:.+]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
// PERMUTES: %[[TABLE:.+]] = arith.mulf %[[SCALE]], %[[VALUES]] : vector<16xf32>
// PERMUTES: %[[HALVES:.+]] = quant_float.cast %[[TABLE]]
// PERMUTES: arith.bitcast %[[HALVES]] : vector<16xf16> to vector<16xi16>
// PERMUTES: vector.shuffle {{.*}} : vector<16xi16>, vector<16xi16>
// PERMUTES: "llvm.x86.avx512.permvar.hi.512"
// AVX2-LABEL: func.func @table_per_block(
// AVX2-NOT: llvm.call_intrinsic
// AVX2: return
func.func @table_per_block(%m: memref<?xi2>, %i: index, %s: f32) -> vector<32xf16> {
  %p = ub.poison : i2
  %0 = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<?xi2>, vector<32xi2>
  %1 = arith.extui %0 : vector<32xi2> to vector<32xi8>
  %2 = quant_float.storage_cast %1 : vector<32xi8> to vector<32xi2>
  %3 = quant_float.cast %2 opset 25 : vector<32xi2> to vector<32xf32>
  %4 = vector.broadcast %s : f32 to vector<32xf32>
  %5 = arith.mulf %4, %3 : vector<32xf32>
  %6 = quant_float.cast %5 opset 25 : vector<32xf32> to vector<32xf16>
  return %6 : vector<32xf16>
}

// A scale for each element is not part of the table. The value that it multiplies is.
// PERMUTES-LABEL: func.func @table_and_scales(
// PERMUTES-SAME: %[[S:[a-z0-9]+]]: vector<32xf32>)
// PERMUTES: "llvm.x86.avx512.permvar.si.512"
// PERMUTES: %[[FOUND:.+]] = arith.bitcast %{{.+}} : vector<32xi32> to vector<32xf32>
// PERMUTES: arith.mulf %[[FOUND]], %[[S]]
func.func @table_and_scales(%m: memref<?xi4>, %i: index, %s: vector<32xf32>) -> vector<32xf32> {
  %p = ub.poison : i4
  %0 = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<?xi4>, vector<32xi4>
  %1 = arith.extui %0 : vector<32xi4> to vector<32xi8>
  %2 = quant_float.storage_cast %1 : vector<32xi8> to vector<32xi4>
  %3 = quant_float.cast %2 opset 25 : vector<32xi4> to vector<32xf32>
  %4 = arith.mulf %3, %s : vector<32xf32>
  return %4 : vector<32xf32>
}

// Integer arithmetic on the encodings is as fast as a lookup.
// PERMUTES-LABEL: func.func @no_table(
// PERMUTES-NOT: llvm.call_intrinsic
// PERMUTES: return
func.func @no_table(%m: memref<?xi4>, %i: index) -> vector<32xi8> {
  %p = ub.poison : i4
  %c = arith.constant dense<8> : vector<32xi8>
  %0 = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<?xi4>, vector<32xi4>
  %1 = arith.extui %0 : vector<32xi4> to vector<32xi8>
  %2 = arith.xori %1, %c : vector<32xi8>
  return %2 : vector<32xi8>
}

// The global of a packed constant has the size of its packed bytes.
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

// Buffers of other element types are left unchanged, and so is the order of views.
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
