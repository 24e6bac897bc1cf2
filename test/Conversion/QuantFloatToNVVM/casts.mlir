// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_100a --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_90 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,FLOAT8
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_89 | FileCheck %s --check-prefix=CONVERT
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_120 | FileCheck %s --check-prefix=CONVERT
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm=chip=sm_80 | FileCheck %s --check-prefix=NONE
// RUN: quant-float-opt %s --convert-quant-float-to-nvvm="chip=sm_89 ptx=80" | FileCheck %s --check-prefix=NONE

// NONE-NOT: nvvm.convert

// CONVERT:     nvvm.convert.f32x2.to.f8x2
// CONVERT-NOT: {{f4x2|f6x2|bf16x2}}

gpu.module @kernels {

// The first operand is the high byte. Then NaN gets its sign back.

// CHECK-LABEL: func.func @c5_f32_to_e4m3(
// CHECK-SAME:      %[[INPUT:.+]]: vector<4xf32>
// CHECK-DAG:     %[[SIGN:.+]] = arith.constant dense<-128> : vector<4xi8>
// CHECK-DAG:     %[[COUNT:.+]] = arith.constant dense<24> : vector<4xi32>
// CHECK:         %[[PAIRS:.+]] = vector.bitcast %[[INPUT]] : vector<4xf32> to vector<2xi64>
// CHECK:         %[[FIRST:.+]] = llvm.bitcast %{{.+}} : i64 to vector<2xf32>
// CHECK:         %[[X1:.+]] = vector.extract %[[FIRST]][1]
// CHECK:         %[[X0:.+]] = vector.extract %[[FIRST]][0]
// CHECK:         %[[LOW:.+]] = nvvm.convert.f32x2.to.f8x2 %[[X1]], %[[X0]] {{.*}}rn{{.*}}satfinite{{.*}} : i16(f8E4M3FN)
// CHECK:         %[[HIGH:.+]] = nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     nvvm.convert
// CHECK:         %[[BOTH:.+]] = vector.from_elements %[[LOW]], %[[HIGH]] : vector<2xi16>
// CHECK:         %[[ENCODINGS:.+]] = vector.bitcast %[[BOTH]] : vector<2xi16> to vector<4xi8>
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[INPUT]] : vector<4xf32> to vector<4xi32>
// CHECK:         %[[TOP:.+]] = arith.shrui %[[BITS]], %[[COUNT]]
// CHECK:         %[[BYTES:.+]] = arith.trunci %[[TOP]]
// CHECK:         %[[SIGNS:.+]] = arith.andi %[[BYTES]], %[[SIGN]]
// CHECK:         arith.ori %[[ENCODINGS]], %[[SIGNS]]
// CHECK-NOT:     arith.cmpf
// CHECK:         return
func.func @c5_f32_to_e4m3(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// 464 is the tie between 448 and the next value, 480: it does not overflow.

// CHECK-LABEL: func.func @c3_e4m3_without_saturation(
// CHECK-DAG:     %[[LIMIT:.+]] = arith.constant dense<4.640000e+02> : vector<4xf32>
// CHECK-DAG:     %[[ONE:.+]] = arith.constant dense<1> : vector<4xi8>
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK:         %[[OVER:.+]] = arith.cmpf ogt, %{{.+}}, %[[LIMIT]]
// CHECK:         arith.select %[[OVER]], %[[ONE]],
// CHECK:         arith.xori
// CHECK:         return
func.func @c3_e4m3_without_saturation(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 saturate false : vector<4xf32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// 61440 overflows, because it is a tie between an odd encoding and infinity. NaN is 0x7E: adding 1
// to 0x7F carries into the sign bit.

// CHECK-LABEL: func.func @c3_e5m2_without_saturation(
// CHECK-DAG:     %[[LIMIT:.+]] = arith.constant dense<6.144000e+04> : vector<4xf32>
// CHECK-DAG:     %[[CHANGE:.+]] = arith.constant dense<7> : vector<4xi8>
// CHECK-DAG:     %[[ONES:.+]] = arith.constant dense<16843009> : vector<1xi32>
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E5M2)
// CHECK:         %[[OVER:.+]] = arith.cmpf oge, %{{.+}}, %[[LIMIT]]
// CHECK:         arith.select %[[OVER]], %[[CHANGE]],
// CHECK:         arith.xori
// CHECK:         %[[ENCODINGS:.+]] = vector.bitcast %{{.+}} : vector<4xi8> to vector<1xi32>
// CHECK:         %[[CARRY:.+]] = arith.addi %{{.+}}, %[[ONES]]
// CHECK:         %[[BIT:.+]] = arith.shrui %[[CARRY]]
// CHECK:         %[[IS_NAN:.+]] = arith.andi %[[BIT]], %[[ONES]]
// CHECK:         arith.xori %[[ENCODINGS]], %[[IS_NAN]]
// CHECK:         return
func.func @c3_e5m2_without_saturation(%x: vector<4xf32>) -> vector<4xf8E5M2> {
  %0 = quant_float.cast %x opset 19 saturate false : vector<4xf32> to vector<4xf8E5M2>
  return %0 : vector<4xf8E5M2>
}

// CHECK-LABEL: func.func @f16_to_e4m3(
// CHECK-COUNT-2: nvvm.convert.f16x2.to.f8x2 %{{.+}} : vector<2xf16> -> i16(f8E4M3FN)
// CHECK-NOT:     nvvm.convert
// CHECK:         return
func.func @f16_to_e4m3(%x: vector<4xf16>) -> vector<4xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<4xf16> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// Via f32, exactly.

// CHECK-LABEL: func.func @c1_bf16_to_e5m2(
// CHECK:         arith.shli
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK:         return
func.func @c1_bf16_to_e5m2(%x: vector<4xbf16>) -> vector<4xf8E5M2> {
  %0 = quant_float.cast %x opset 19 : vector<4xbf16> to vector<4xf8E5M2>
  return %0 : vector<4xf8E5M2>
}

// Via f32, rounded to odd.

// CHECK-LABEL: func.func @c1_f64_to_e4m3(
// CHECK:         arith.truncf {{.*}} : vector<2xf64> to vector<2xf32>
// CHECK:         arith.cmpf one
// CHECK:         nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     nvvm.convert
// CHECK:         return
func.func @c1_f64_to_e4m3(%x: vector<2xf64>) -> vector<2xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<2xf64> to vector<2xf8E4M3FN>
  return %0 : vector<2xf8E4M3FN>
}

// Integers are never NaN.

// CHECK-LABEL: func.func @c12_i32_to_e4m3(
// CHECK:         arith.sitofp
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     arith.ori
// CHECK:         return
func.func @c12_i32_to_e4m3(%x: vector<4xi32>) -> vector<4xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<4xi32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// D8: the NaN of an arithmetic has no sign to keep.

// CHECK-LABEL: func.func @d8_product_to_e4m3(
// CHECK:         arith.mulf
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     arith.ori
// CHECK:         return
func.func @d8_product_to_e4m3(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
  %y = arith.mulf %x, %x : vector<4xf32>
  %0 = quant_float.cast %y opset 19 : vector<4xf32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// One element and three elements are padded with a zero.

// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:      %[[INPUT:.+]]: f32
// CHECK:         nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     nvvm.convert
// CHECK:         return %{{.+}} : f8E4M3FN
func.func @scalar(%x: f32) -> f8E4M3FN {
  %0 = quant_float.cast %x opset 19 : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}

// CHECK-LABEL: func.func @three(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK-NOT:     nvvm.convert
// CHECK:         return %{{.+}} : vector<3xf16>
func.func @three(%x: vector<3xf8E5M2>) -> vector<3xf16> {
  %0 = quant_float.cast %x opset 19 : vector<3xf8E5M2> to vector<3xf16>
  return %0 : vector<3xf16>
}

// Upstream's GPU pipeline does not lower vector.shape_cast.

// CHECK-LABEL: func.func @matrix(
// CHECK-COUNT-4: nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     vector.shape_cast
// CHECK:         return %{{.+}} : vector<2x4xf8E4M3FN>
func.func @matrix(%x: vector<2x4xf32>) -> vector<2x4xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : vector<2x4xf32> to vector<2x4xf8E4M3FN>
  return %0 : vector<2x4xf8E4M3FN>
}

// Nor slices: three elements are extracted one by one. Two inverse shape casts are folded.

// CHECK-LABEL: func.func @shapes_there_and_back(
// CHECK-NOT:     {{vector.insert|vector.shuffle|vector.shape_cast}}
// CHECK-COUNT-4: nvvm.convert.f32x2.to.f8x2
// CHECK-NOT:     {{vector.insert|vector.shuffle|vector.shape_cast}}
// CHECK:         return
func.func @shapes_there_and_back(%x: vector<8xf32>) -> vector<8xf8E4M3FN> {
  %0 = vector.shape_cast %x : vector<8xf32> to vector<2x4xf32>
  %1 = quant_float.cast %0 opset 19 : vector<2x4xf32> to vector<2x4xf8E4M3FN>
  %2 = vector.shape_cast %1 : vector<2x4xf8E4M3FN> to vector<8xf8E4M3FN>
  return %2 : vector<8xf8E4M3FN>
}

// Matrix multiplications and minima use instructions, too.

// CHECK-LABEL: func.func @matrix_of_integers(
// CHECK:         llvm.intr.{{minnum|maxnum}}
// CHECK-NOT:     {{math.fma|arith.minnumf|arith.maxnumf|quant_float}}
// CHECK:         return
func.func @matrix_of_integers(%x: vector<2x3xf32>, %s: vector<2xf32>) -> vector<2x3xi8> {
  %0 = quant_float.quantize %x, %s axis 0 opset 23 : vector<2x3xf32>, vector<2xf32> to vector<2x3xi8>
  return %0 : vector<2x3xi8>
}

// Encodings are extracted from a register by truncation and shift. NaN is 0x7FC00000 with the sign
// of its encoding.

// CHECK-LABEL: func.func @c7_e4m3_to_f32(
// CHECK-DAG:     %[[SIXTEEN:.+]] = arith.constant 16 : i32
// CHECK-DAG:     %[[NAN:.+]] = arith.constant dense<2143289344> : vector<4xi32>
// CHECK:         %[[REGISTER:.+]] = vector.extract %{{.+}}[0] : i32 from vector<1xi32>
// CHECK:         %[[LOW:.+]] = arith.trunci %[[REGISTER]] : i32 to i16
// CHECK:         %[[SHIFTED:.+]] = arith.shrui %[[REGISTER]], %[[SIXTEEN]]
// CHECK:         %[[HIGH:.+]] = arith.trunci %[[SHIFTED]] : i32 to i16
// CHECK:         %[[BYTES:.+]] = llvm.bitcast %[[LOW]] : i16 to vector<2xi8>
// CHECK:         nvvm.convert.f8x2.to.f16x2 %[[BYTES]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK:         nvvm.convert.f8x2.to.f16x2
// CHECK:         arith.extf {{.*}} : vector<4xf16> to vector<4xf32>
// CHECK:         %[[IS_NAN:.+]] = arith.cmpf uno
// CHECK:         arith.select %[[IS_NAN]], %[[NAN]]
// CHECK:         arith.ori
// CHECK:         return
func.func @c7_e4m3_to_f32(%x: vector<4xf8E4M3FN>) -> vector<4xf32> {
  %0 = quant_float.cast %x opset 19 : vector<4xf8E4M3FN> to vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func.func @c7_e5m2_to_bf16(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK:         arith.extf {{.*}} : vector<4xf16> to vector<4xf32>
// CHECK:         arith.shrui
// CHECK:         arith.trunci {{.*}} : vector<4xi32> to vector<4xi16>
func.func @c7_e5m2_to_bf16(%x: vector<4xf8E5M2>) -> vector<4xbf16> {
  %0 = quant_float.cast %x opset 19 : vector<4xf8E5M2> to vector<4xbf16>
  return %0 : vector<4xbf16>
}

// D8: a product takes any NaN.

// CHECK-LABEL: func.func @d8_product_of_e4m3(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.mulf
func.func @d8_product_of_e4m3(%x: vector<4xf8E4M3FN>) -> vector<4xf32> {
  %0 = quant_float.cast %x opset 19 : vector<4xf8E4M3FN> to vector<4xf32>
  %1 = arith.mulf %0, %0 : vector<4xf32>
  return %1 : vector<4xf32>
}

// Two steps of two instructions each.

// CHECK-LABEL: func.func @e4m3_to_e5m2(
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK:         return
func.func @e4m3_to_e5m2(%x: vector<4xf8E4M3FN>) -> vector<4xf8E5M2> {
  %0 = quant_float.cast %x opset 19 : vector<4xf8E4M3FN> to vector<4xf8E5M2>
  return %0 : vector<4xf8E5M2>
}

// Converts twice the value, and the value plus 8: the second one from encoding 0x40 on. Results
// with the sign bit are out of range. NaN was the largest encoding.

// CHECK-LABEL: func.func @c5_f32_to_e4m3fnuz(
// CHECK-SAME:      %[[INPUT:.+]]: vector<4xf32>
// CHECK:         %[[TWICE:.+]] = arith.mulf %[[INPUT]], %{{.+}} : vector<4xf32>
// CHECK:         vector.bitcast %[[TWICE]] : vector<4xf32> to vector<2xi64>
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E4M3FN)
// CHECK:         vector.bitcast %[[INPUT]] : vector<4xf32> to vector<2xi64>
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E4M3FN)
// CHECK-NOT:     {{arith.cmp|quant_float}}
// CHECK:         return
func.func @c5_f32_to_e4m3fnuz(%x: vector<4xf32>) -> vector<4xf8E4M3FNUZ> {
  %0 = quant_float.cast %x opset 24 : vector<4xf32> to vector<4xf8E4M3FNUZ>
  return %0 : vector<4xf8E4M3FNUZ>
}

// Infinity times zero plus infinity is NaN.

// CHECK-LABEL: func.func @c4_f32_to_e5m2fnuz(
// CHECK-SAME:      %[[INPUT:.+]]: vector<4xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-DAG:     %[[HALF:.+]] = arith.constant dense<5.000000e-01> : vector<4xf32>
// CHECK:         %[[FINITE:.+]] = llvm.intr.fma(%[[INPUT]], %[[ZERO]], %[[INPUT]])
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E5M2)
// CHECK:         arith.mulf %[[FINITE]], %[[HALF]]
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E5M2)
// CHECK:         return
func.func @c4_f32_to_e5m2fnuz(%x: vector<4xf32>) -> vector<4xf8E5M2FNUZ> {
  %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E5M2FNUZ>
  return %0 : vector<4xf8E5M2FNUZ>
}

// No instruction has this rounding.

// CHECK-LABEL: func.func @c9_f32_to_scale_nearest(
// CHECK-NOT:     {{nvvm.convert|quant_float.cast}}
// CHECK:         return
func.func @c9_f32_to_scale_nearest(%x: vector<4xf32>) -> vector<4xf8E8M0FNU> {
  %0 = quant_float.cast %x opset 24 round_mode nearest : vector<4xf32> to vector<4xf8E8M0FNU>
  return %0 : vector<4xf8E8M0FNU>
}

// Negative values have encoding 0.

// CHECK-LABEL: func.func @c9_f32_to_scale_up(
// FLOAT8-NOT:    nvvm.convert
// NARROW:        llvm.intr.maximum(%{{.+}}, %{{.+}}) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// NARROW-COUNT-2: nvvm.convert.f32x2.to.f8x2 {{.*}}rnd = {{[^,]*}}rp{{.*}}satfinite{{.*}} : i16(f8E8M0FNU)
// CHECK:         return
func.func @c9_f32_to_scale_up(%x: vector<4xf32>) -> vector<4xf8E8M0FNU> {
  %0 = quant_float.cast %x opset 24 : vector<4xf32> to vector<4xf8E8M0FNU>
  return %0 : vector<4xf8E8M0FNU>
}

// Without saturation, values outside of 2^-127 to 2^127 become NaN.

// CHECK-LABEL: func.func @c9_bf16_to_scale_down(
// FLOAT8-NOT:    nvvm.convert
// NARROW-COUNT-2: nvvm.convert.bf16x2.to.f8x2 {{.*}}rnd = {{[^,]*}}rz{{.*}}satfinite{{.*}} : vector<2xbf16> -> i16(f8E8M0FNU)
// NARROW:        arith.cmpf oge
// NARROW:        arith.cmpf ole
// CHECK:         return
func.func @c9_bf16_to_scale_down(%x: vector<4xbf16>) -> vector<4xf8E8M0FNU> {
  %0 = quant_float.cast %x opset 24 saturate false round_mode down : vector<4xbf16> to vector<4xf8E8M0FNU>
  return %0 : vector<4xf8E8M0FNU>
}

// CHECK-LABEL: func.func @c10_scale_to_f32(
// FLOAT8-NOT:    nvvm.convert
// NARROW-COUNT-2: nvvm.convert.f8x2.to.bf16x2
// CHECK:         return
func.func @c10_scale_to_f32(%x: vector<4xf8E8M0FNU>) -> vector<4xf32> {
  %0 = quant_float.cast %x opset 24 : vector<4xf8E8M0FNU> to vector<4xf32>
  return %0 : vector<4xf32>
}

// NaN is the encoding of negative zero. The byte of two encodings is split.

// CHECK-LABEL: func.func @c8_f32_to_f4(
// FLOAT8-NOT:    nvvm.convert
// NARROW:        %[[IS_NAN:.+]] = arith.cmpf uno
// NARROW:        arith.select %[[IS_NAN]]
// NARROW:        %[[PACKED:.+]] = nvvm.convert.f32x2.to.f4x2 %{{.+}}, %{{.+}} : i8(f4E2M1FN)
// NARROW:        arith.extui %[[PACKED]] : i8 to i16
// NARROW:        nvvm.convert.f32x2.to.f4x2
// CHECK:         return
func.func @c8_f32_to_f4(%x: vector<4xf32>) -> vector<4xi8> {
  %0 = quant_float.cast %x opset 23 : vector<4xf32> to vector<4xf4E2M1FN>
  %1 = quant_float.storage_cast %0 : vector<4xf4E2M1FN> to vector<4xi8>
  return %1 : vector<4xi8>
}

// CHECK-LABEL: func.func @f4_to_f16(
// FLOAT8-NOT:    nvvm.convert
// NARROW-COUNT-2: nvvm.convert.f4x2.to.f16x2 %{{.+}} : i8(f4E2M1FN) -> vector<2xf16>
// CHECK-NOT:     arith.cmpf uno
// CHECK:         return
func.func @f4_to_f16(%x: vector<4xi8>) -> vector<4xf16> {
  %0 = quant_float.storage_cast %x : vector<4xi8> to vector<4xf4E2M1FN>
  %1 = quant_float.cast %0 opset 23 : vector<4xf4E2M1FN> to vector<4xf16>
  return %1 : vector<4xf16>
}

// CHECK-LABEL: func.func @c8_f32_to_f6(
// NARROW-COUNT-2: nvvm.convert.f32x2.to.f6x2 {{.*}} : i16(f6E2M3FN)
// NARROW-COUNT-2: nvvm.convert.f6x2.to.f16x2 {{.*}} : vector<2xi8>(f6E2M3FN) -> vector<2xf16>
// FLOAT8-NOT:    nvvm.convert
// CHECK:         return
func.func @c8_f32_to_f6(%x: vector<4xf32>) -> vector<4xf16> {
  %0 = quant_float.cast %x opset 28 : vector<4xf32> to vector<4xf6E2M3FN>
  %1 = quant_float.cast %0 opset 28 : vector<4xf6E2M3FN> to vector<4xf16>
  return %1 : vector<4xf16>
}

}

// Host functions are not changed in modules with GPU modules.

// CHECK-LABEL: func.func @host(
// CHECK:         quant_float.cast
func.func private @sink(f8E4M3FN)
func.func @host(%x: f32) {
  %0 = quant_float.cast %x opset 19 : f32 to f8E4M3FN
  call @sink(%0) : (f8E4M3FN) -> ()
  return
}
