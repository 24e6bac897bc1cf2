// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=fujitsu-monaka" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=aarch64-linux-gnu cpu=generic" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=fujitsu-monaka" --remarks-filter=quant-float-conversion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// NONE-NOT: llvm.aarch64.{{.*}}{{fp8|fpmr}}

// FPMR (E5M2 is the first source format, E4M3 the second one): 0x8048 is E4M3, saturating. NaNs get
// the signs that the instruction drops, from the highest bytes of the sources.

// REMARK: f32 to f8E4M3FN by fcvtn
// CHECK-LABEL: func.func @f32_to_e4m3(
// CHECK-SAME:      %[[X:.+]]: vector<16xf32>
// CHECK-DAG:     %[[MODE:.+]] = arith.constant 32840 : i64
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<-128> : vector<16xi8>
// CHECK-DAG:     %[[REST:.+]] = arith.constant dense<127> : vector<16xi8>
// CHECK:         llvm.call_intrinsic "llvm.aarch64.set.fpmr"(%[[MODE]])
// CHECK-DAG:     %[[A:.+]] = vector.extract_strided_slice %[[X]] {{[{]?}}offsets = [0], sizes = [4]
// CHECK-DAG:     %[[B:.+]] = vector.extract_strided_slice %[[X]] {{[{]?}}offsets = [4], sizes = [4]
// CHECK:         %[[AB:.+]] = llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn"(%[[A]], %[[B]])
// CHECK:         %[[LOW:.+]] = vector.shuffle %[[AB]], %{{[^ ]+}} [0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1]
// CHECK-DAG:     %[[C:.+]] = vector.extract_strided_slice %[[X]] {{[{]?}}offsets = [8], sizes = [4]
// CHECK-DAG:     %[[D:.+]] = vector.extract_strided_slice %[[X]] {{[{]?}}offsets = [12], sizes = [4]
// CHECK:         %[[ENCODINGS:.+]] = llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn2"(%[[LOW]], %[[C]], %[[D]])
// CHECK:         %[[WORDS:.+]] = vector.bitcast %[[X]] : vector<16xf32> to vector<32xi16>
// CHECK:         %[[UPPER:.+]] = vector.shuffle %[[WORDS]], %{{[^ ]+}} [1, 3, 5,
// CHECK:         %[[BYTES:.+]] = vector.bitcast %[[UPPER]] : vector<16xi16> to vector<32xi8>
// CHECK:         %[[TOPS:.+]] = vector.shuffle %[[BYTES]], %{{[^ ]+}} [1, 3, 5,
// CHECK-DAG:     %[[SIGNS:.+]] = arith.andi %[[TOPS]], %[[SIGN]]
// CHECK-DAG:     %[[MAGNITUDES:.+]] = arith.andi %[[ENCODINGS]], %[[REST]]
// CHECK:         arith.ori %[[MAGNITUDES]], %[[SIGNS]]
func.func @f32_to_e4m3(%x: vector<16xf32>) -> vector<16xf8E4M3FN> {
  %0 = quant_float.cast %x opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  return %0 : vector<16xf8E4M3FN>
}

// Integers are never NaN. 0x8 is E5M2 without saturation.

// REMARK: i8 to f8E5M2 by fcvtn
// CHECK-LABEL: func.func @i8_to_e5m2(
// CHECK:         %[[MODE:.+]] = arith.constant 8 : i64
// CHECK:         llvm.call_intrinsic "llvm.aarch64.set.fpmr"(%[[MODE]])
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn2"
// CHECK-NOT:     arith.ori
// CHECK:         return
func.func @i8_to_e5m2(%x: vector<16xi8>) -> vector<16xf8E5M2> {
  %0 = quant_float.cast %x opset 28 saturate false : vector<16xi8> to vector<16xf8E5M2>
  return %0 : vector<16xf8E5M2>
}

// f16 results are two registers. For bfloat16, each SVE2 instruction converts every second element.

// REMARK: f16 to f8E4M3FN by fcvtn
// REMARK: bf16 to f8E5M2 by bfcvtn
// CHECK-LABEL: func.func @half_precision(
// CHECK:         llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn"(%{{.*}}, %{{.*}}) : (vector<8xf16>, vector<8xf16>) -> vector<16xi8>
// CHECK:         %[[EVEN:.+]] = vector.shuffle %{{.*}} [0, 2, 4, 6, 8, 10, 12, 14] : vector<16xbf16>, vector<16xbf16>
// CHECK:         vector.scalable.insert %[[EVEN]], %{{.*}}[0] : vector<8xbf16> into vector<[8]xbf16>
// CHECK:         vector.shuffle %{{.*}} [1, 3, 5, 7, 9, 11, 13, 15] : vector<16xbf16>, vector<16xbf16>
// CHECK:         llvm.call_intrinsic "llvm.aarch64.sve.fp8.cvtn"
// CHECK:         vector.scalable.extract %{{.*}}[0] : vector<16xi8> from vector<[16]xi8>
func.func @half_precision(%x: vector<16xf16>, %y: vector<16xbf16>) -> (vector<16xf8E4M3FN>, vector<16xf8E5M2>) {
  %0 = quant_float.cast %x opset 28 : vector<16xf16> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %y opset 28 : vector<16xbf16> to vector<16xf8E5M2>
  return %0, %1 : vector<16xf8E4M3FN>, vector<16xf8E5M2>
}

// The instruction selects one of the two source formats, so both need no change of FPMR in between.

// REMARK: f8E4M3FN to bf16 by bf2cvtl
// REMARK: f8E5M2 to f16 by f1cvtl
// CHECK-LABEL: func.func @decode(
// CHECK:         llvm.call_intrinsic "llvm.aarch64.set.fpmr"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.aarch64.neon.fp8.cvtl2"(%{{.*}}) : {{.*}} -> vector<8xbf16>
// CHECK-NOT:     fpmr
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.aarch64.neon.fp8.cvtl1"(%{{.*}}) : {{.*}} -> vector<8xf16>
// CHECK-NOT:     fpmr
// CHECK:         return
func.func @decode(%x: vector<16xf8E4M3FN>, %y: vector<16xf8E5M2>) -> (vector<16xbf16>, vector<16xf16>) {
  %0 = quant_float.cast %x opset 28 : vector<16xf8E4M3FN> to vector<16xbf16>
  %1 = quant_float.cast %y opset 28 : vector<16xf8E5M2> to vector<16xf16>
  return %0, %1 : vector<16xbf16>, vector<16xf16>
}

// A part of a register.

// REMARK: f32 to f8E4M3FN expanded into arith: {{.*}}fcvtn takes vectors of 16
// CHECK-LABEL: func.func @scalar(
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         return
func.func @scalar(%x: f32) -> f8E4M3FN {
  %0 = quant_float.cast %x opset 28 : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}

// One mode for the whole loop, set before it: decoding works with any mode.

// CHECK-LABEL: func.func @loop(
// CHECK:         llvm.call_intrinsic "llvm.aarch64.set.fpmr"
// CHECK:         scf.for
// CHECK-NOT:       fpmr
// CHECK:           llvm.call_intrinsic "llvm.aarch64.neon.fp8.cvtl2"
// CHECK:           scf.if
// CHECK-NOT:         fpmr
// CHECK:             llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn2"
// CHECK-NOT:     fpmr
// CHECK:         return
func.func @loop(%encodings: memref<?xvector<16xf8E4M3FN>>, %x: memref<?xvector<16xf32>>, %n: index, %c: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %0 = memref.load %encodings[%i] : memref<?xvector<16xf8E4M3FN>>
    %1 = quant_float.cast %0 opset 28 : vector<16xf8E4M3FN> to vector<16xf32>
    scf.if %c {
      %2 = quant_float.cast %1 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
      memref.store %2, %encodings[%i] : memref<?xvector<16xf8E4M3FN>>
    }
    memref.store %1, %x[%i] : memref<?xvector<16xf32>>
  }
  return
}

// Two modes in one loop, and threads, each of which has its own register.

// CHECK-LABEL: func.func @modes(
// CHECK-NOT:     fpmr
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             llvm.call_intrinsic "llvm.aarch64.set.fpmr"(%[[FIRST:.+]])
// CHECK:             llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn2"
// CHECK:             llvm.call_intrinsic "llvm.aarch64.set.fpmr"(%
// CHECK-NOT:         %[[FIRST]])
// CHECK:             llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn2"
// CHECK:         return
func.func @modes(%x: memref<?xvector<16xf32>>, %a: memref<?xvector<16xf8E4M3FN>>, %b: memref<?xvector<16xf8E5M2>>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    scf.for %j = %zero to %n step %one {
      %0 = memref.load %x[%j] : memref<?xvector<16xf32>>
      %1 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
      %2 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf8E5M2>
      memref.store %1, %a[%j] : memref<?xvector<16xf8E4M3FN>>
      memref.store %2, %b[%j] : memref<?xvector<16xf8E5M2>>
    }
  }
  return
}

// A callee may change the mode.

// CHECK-LABEL: func.func @calls(
// CHECK:         scf.for
// CHECK:           func.call @other
// CHECK:           llvm.call_intrinsic "llvm.aarch64.set.fpmr"
// CHECK:           llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn2"
func.func private @other()
func.func @calls(%x: memref<?xvector<16xf32>>, %a: memref<?xvector<16xf8E4M3FN>>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %j = %zero to %n step %one {
    func.call @other() : () -> ()
    %0 = memref.load %x[%j] : memref<?xvector<16xf32>>
    %1 = quant_float.cast %0 opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
    memref.store %1, %a[%j] : memref<?xvector<16xf8E4M3FN>>
  }
  return
}
