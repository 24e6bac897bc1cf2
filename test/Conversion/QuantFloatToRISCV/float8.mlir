// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=rv64gcv_zvfbfmin_zvfofp8min" --canonicalize --cse | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=rv64gcv" | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=rv64gcv_zvfbfmin_zvfofp8min" --remarks-filter=quant-float-conversion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=rv64gcv" --remarks-filter=quant-float-conversion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED

// NONE-NOT: llvm.

// Sixteen elements of a register group. NaNs become positive.

// REMARK: f32 to f8E4M3FN by vfncvt.sat.f.f.q
// MISSED: f32 to f8E4M3FN expanded into arith: {{.*}}vfncvt.sat.f.f.q needs experimental-zvfofp8min and zvfbfmin
// CHECK-LABEL: func.func @f32_to_e4m3(
// CHECK-SAME:      %[[X:.+]]: vector<16xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0> : vector<16xi32>
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<-128> : vector<16xi8>
// CHECK-DAG:     %[[DYNAMIC:.+]] = arith.constant 7 : i64
// CHECK-DAG:     %[[LENGTH:.+]] = arith.constant 16 : i64
// CHECK:         %[[GROUP:.+]] = vector.scalable.insert %[[X]], %{{.*}}[0] : vector<16xf32> into vector<[8]xf32>
// CHECK:         %[[MADE:.+]] = llvm.call_intrinsic "llvm.riscv.vfncvt.sat.f.f.q"(%{{.*}}, %[[GROUP]], %[[DYNAMIC]], %[[LENGTH]])
// CHECK:         %[[ENCODINGS:.+]] = vector.scalable.extract %[[MADE]][0] : vector<16xi8> from vector<[8]xi8>
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[X]]
// CHECK:         %[[NEGATIVE:.+]] = arith.cmpi slt, %[[BITS]], %[[ZERO]]
// CHECK:         %[[SIGNED:.+]] = arith.ori %[[ENCODINGS]], %[[SIGN]]
// CHECK:         arith.select %[[NEGATIVE]], %[[SIGNED]], %[[ENCODINGS]]
func.func @f32_to_e4m3(%x: vector<16xf32>) -> vector<16xf8E4M3FN> {
  %0 = quant_float.cast %x opset 28 : vector<16xf32> to vector<16xf8E4M3FN>
  return %0 : vector<16xf8E4M3FN>
}

// E5M2 leaves no state in vtype that LLVM would misinterpret. Its NaN has another encoding.

// REMARK: bf16 to f8E5M2 by vfncvtbf16.f.f.w
// CHECK-LABEL: func.func @bf16_to_e5m2(
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<126> : vector<16xi8>
// CHECK:         llvm.inline_asm {{.*}}"vsetivli zero, 16, e8alt, m1, ta, ma\0A\09vfncvtbf16.f.f.w $0, $1", "=&^vr,^vr,~{vl},~{vtype}"
// CHECK:         arith.minui %{{.*}}, %[[NAN]]
// CHECK:         arith.select
func.func @bf16_to_e5m2(%x: vector<16xbf16>) -> vector<16xf8E5M2> {
  %0 = quant_float.cast %x opset 28 saturate false : vector<16xbf16> to vector<16xf8E5M2>
  return %0 : vector<16xf8E5M2>
}

// Integers are never NaN, but values out of range lose their sign unless they saturate.

// CHECK-LABEL: func.func @i16_to_float8(
// CHECK:         llvm.call_intrinsic "llvm.riscv.vfncvt.sat.f.f.q"
// CHECK-NOT:     arith.select
// CHECK:         llvm.call_intrinsic "llvm.riscv.vfncvt.f.f.q"
// CHECK:         arith.select
// CHECK-NOT:     arith.select
// CHECK:         return
func.func @i16_to_float8(%x: vector<16xi16>) -> (vector<16xf8E4M3FN>, vector<16xf8E4M3FN>, vector<16xf8E5M2>) {
  %0 = quant_float.cast %x opset 28 : vector<16xi16> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %x opset 28 saturate false : vector<16xi16> to vector<16xf8E4M3FN>
  %2 = quant_float.cast %x opset 28 saturate false : vector<16xi16> to vector<16xf8E5M2>
  return %0, %1, %2 : vector<16xf8E4M3FN>, vector<16xf8E4M3FN>, vector<16xf8E5M2>
}

// Through bfloat16, and from there by integer arithmetic: instructions would drop signs of NaNs.

// REMARK: f8E4M3FN to f32 by vfwcvtbf16.f.f.v
// CHECK-LABEL: func.func @decode(
// CHECK:         llvm.call_intrinsic "llvm.riscv.vfwcvt.f.f.v"({{.*}}) : (vector<[8]xbf16>, vector<[8]xi8>, i64) -> vector<[8]xbf16>
// CHECK:         arith.extui
// CHECK-NOT:     arith.extf
// CHECK:         return
func.func @decode(%x: vector<16xf8E4M3FN>) -> vector<16xf32> {
  %0 = quant_float.cast %x opset 28 : vector<16xf8E4M3FN> to vector<16xf32>
  return %0 : vector<16xf32>
}
