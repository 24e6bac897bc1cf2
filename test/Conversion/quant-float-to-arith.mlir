// The structure of the expansions. Other tests execute them.
// RUN: quant-float-opt %s --convert-quant-float-to-arith=cpu=x86-64 --canonicalize | FileCheck %s --check-prefixes=CHECK,SELECT,MULADD,NOF16C
// RUN: quant-float-opt %s --convert-quant-float-to-arith=cpu=x86-64-v3 --canonicalize | FileCheck %s --check-prefixes=CHECK,SELECT,ADD,F16C
// RUN: quant-float-opt %s --convert-quant-float-to-arith --canonicalize | FileCheck %s --check-prefixes=CHECK,SELECT,MULADD,NOF16C
// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=generic triple=aarch64-linux-gnu" --canonicalize | FileCheck %s --check-prefixes=CHECK,FMA,F16C,MAXIMUM
// RUN: quant-float-opt %s --convert-quant-float-to-arith="cpu=x86-64-v3 features=-fma,-f16c" --canonicalize | FileCheck %s --check-prefixes=CHECK,SELECT,MULADD,NOF16C

// One multiplication and addition rounds. Without a fused instruction, it is two exact steps, and
// never a call.

// CHECK-LABEL: func.func @f32_to_f8
// CHECK-SAME: (%[[X:.+]]: vector<8xf32>) -> vector<8xf8E4M3FN>
func.func @f32_to_f8(%x: vector<8xf32>) -> vector<8xf8E4M3FN> {
  // CHECK-DAG: %[[MAGNITUDE_MASK:.+]] = arith.constant dense<2147483647> : vector<8xi32>
  // CHECK-DAG: %[[EXPONENT_MASK:.+]] = arith.constant dense<2139095040> : vector<8xi32>
  // CHECK-DAG: %[[MIN_NORMAL:.+]] = arith.constant dense<1.562500e-02> : vector<8xf32>
  // CHECK-DAG: %[[SIGN_MASK:.+]] = arith.constant dense<128> : vector<8xi32>
  // CHECK: %[[BITS:.+]] = arith.bitcast %[[X]] : vector<8xf32> to vector<8xi32>
  // CHECK: arith.andi %[[BITS]], %[[MAGNITUDE_MASK]]
  // The power of two of the value's binade, at least that of the smallest normal number.
  // CHECK: %[[EXPONENT:.+]] = arith.andi %{{.+}}, %[[EXPONENT_MASK]]
  // CHECK: %[[BINADE:.+]] = arith.bitcast %[[EXPONENT]] : vector<8xi32> to vector<8xf32>
  // SELECT: arith.cmpf ogt, %[[BINADE]], %[[MIN_NORMAL]]
  // MAXIMUM: arith.maximumf %[[BINADE]], %[[MIN_NORMAL]]
  // MULADD-NOT: math.fma
  // MULADD: %[[PRODUCT:.+]] = arith.mulf %[[POWER:.+]], %{{.+}} : vector<8xf32>
  // MULADD-NEXT: %[[SUM:.+]] = arith.addf %[[PRODUCT]], %{{.+}} : vector<8xf32>
  // On x86, only an addition reads a value that may be subnormal.
  // ADD-NOT: math.fma
  // ADD: %[[POWER:.+]] = arith.mulf
  // ADD: %[[SUM:.+]] = arith.addf %[[POWER]], %{{.+}} : vector<8xf32>
  // FMA-NOT: arith.mulf
  // FMA: %[[SUM:.+]] = math.fma %[[POWER:.+]], %{{.+}}, %{{.+}} : vector<8xf32>
  // The low bits of the sum are the encoding. The sign is added.
  // CHECK: arith.bitcast %[[SUM]] : vector<8xf32> to vector<8xi32>
  // CHECK: arith.andi %{{.+}}, %[[SIGN_MASK]]
  // CHECK: %[[ENCODING:.+]] = arith.trunci %{{.+}} : vector<8xi32> to vector<8xi8>
  // CHECK-NEXT: %[[Y:.+]] = arith.bitcast %[[ENCODING]] : vector<8xi8> to vector<8xf8E4M3FN>
  // CHECK-NEXT: return %[[Y]]
  %0 = quant_float.cast %x opset 19 : vector<8xf32> to vector<8xf8E4M3FN>
  return %0 : vector<8xf8E4M3FN>
}

// CHECK-LABEL: func.func @f8_to_f32
func.func @f8_to_f32(%x: vector<8xf8E5M2>) -> vector<8xf32> {
  // CHECK: arith.bitcast %{{.+}} : vector<8xf8E5M2> to vector<8xi8>
  // CHECK-NOT: f8E5M2
  // CHECK: return %{{.+}} : vector<8xf32>
  %0 = quant_float.cast %x opset 19 : vector<8xf8E5M2> to vector<8xf32>
  return %0 : vector<8xf32>
}

// The target's conversions of f16 are used if it has them.

// CHECK-LABEL: func.func @f16_to_f32
func.func @f16_to_f32(%x: vector<8xf16>) -> vector<8xf32> {
  // F16C: arith.extf %{{.+}} : vector<8xf16> to vector<8xf32>
  // NOF16C-NOT: arith.extf
  // CHECK: return %{{.+}} : vector<8xf32>
  %0 = quant_float.cast %x opset 13 : vector<8xf16> to vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @f32_to_f16
func.func @f32_to_f16(%x: f32) -> f16 {
  // F16C: arith.truncf %{{.+}} : f32 to f16
  // F16C: arith.minsi %{{.+}}, %c32256_i16
  // F16C: arith.minui %{{.+}}, %c-512_i16
  // NOF16C-NOT: arith.truncf
  // CHECK: return %{{.+}} : f16
  %0 = quant_float.cast %x opset 13 : f32 to f16
  return %0 : f16
}

// bf16 uses integer arithmetic.
// CHECK-LABEL: func.func @f32_to_bf16
func.func @f32_to_bf16(%x: vector<[4]xf32>) -> vector<[4]xbf16> {
  // CHECK-NOT: arith.truncf
  // CHECK: arith.shrui %{{.+}} : vector<[4]xi32>
  // CHECK-NOT: arith.truncf
  // CHECK: return %{{.+}} : vector<[4]xbf16>
  %0 = quant_float.cast %x opset 13 : vector<[4]xf32> to vector<[4]xbf16>
  return %0 : vector<[4]xbf16>
}

// f64 is rounded to odd first, so that double rounding is harmless.
// CHECK-LABEL: func.func @f64_to_f8
func.func @f64_to_f8(%x: f64) -> f8E4M3FNUZ {
  // CHECK: arith.truncf %{{.+}} : f64 to f32
  // CHECK: arith.extf %{{.+}} : f32 to f64
  // CHECK: arith.ori
  // CHECK: return %{{.+}} : f8E4M3FNUZ
  %0 = quant_float.cast %x opset 24 : f64 to f8E4M3FNUZ
  return %0 : f8E4M3FNUZ
}

// Unsigned and sub-byte scalars keep their type at function boundaries.

// CHECK-LABEL: func.func @unsigned_border
// CHECK-SAME: (%[[X:.+]]: ui8) -> ui16
func.func @unsigned_border(%x: ui8) -> ui16 {
  // CHECK-NEXT: %[[A:.+]] = builtin.unrealized_conversion_cast %[[X]] : ui8 to i8
  // CHECK-NEXT: %[[B:.+]] = arith.extui %[[A]] : i8 to i16
  // CHECK-NEXT: %[[C:.+]] = builtin.unrealized_conversion_cast %[[B]] : i16 to ui16
  // CHECK-NEXT: return %[[C]]
  %0 = quant_float.cast %x opset 13 : ui8 to ui16
  return %0 : ui16
}

// CHECK-LABEL: func.func @narrow_border
// CHECK-SAME: (%[[X:.+]]: vector<4xf4E2M1FN>) -> vector<4xf16>
func.func @narrow_border(%x: vector<4xf4E2M1FN>) -> vector<4xf16> {
  // CHECK: %[[A:.+]] = arith.bitcast %[[X]] : vector<4xf4E2M1FN> to vector<4xi4>
  // CHECK: arith.extui %[[A]] : vector<4xi4> to vector<4xi
  // CHECK-NOT: f4E2M1FN
  // CHECK: return
  %0 = quant_float.cast %x opset 23 : vector<4xf4E2M1FN> to vector<4xf16>
  return %0 : vector<4xf16>
}

// C12: the low bits; a signed nibble is extended by its sign.
// CHECK-LABEL: func.func @integers
func.func @integers(%x: i64, %y: i4) -> (i8, i32) {
  // CHECK-DAG: arith.trunci %{{.+}} : i64 to i8
  // CHECK-DAG: arith.extsi
  // CHECK: return
  %0 = quant_float.cast %x opset 21 : i64 to i8
  %1 = quant_float.cast %y opset 21 : i4 to i32
  return %0, %1 : i8, i32
}

// V7: bit for bit.
// CHECK-LABEL: func.func @identity
// CHECK-SAME: (%[[X:.+]]: f32)
func.func @identity(%x: f32) -> f32 {
  // CHECK-NEXT: return %[[X]]
  %0 = quant_float.cast %x opset 13 : f32 to f32
  return %0 : f32
}

// Between two casts, the narrow type is skipped.
// CHECK-LABEL: func.func @back_to_back
func.func @back_to_back(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK-NOT: vector<4xf6E3M2FN>
  // CHECK-NOT: vector<4xi6>
  // CHECK: return
  %0 = quant_float.cast %x opset 28 : vector<4xf32> to vector<4xf6E3M2FN>
  %1 = quant_float.cast %0 opset 28 : vector<4xf6E3M2FN> to vector<4xf32>
  return %1 : vector<4xf32>
}

// The conversion to linalg handles tensors. Strings are not lowered.
// CHECK-LABEL: func.func @left_alone
func.func @left_alone(%x: tensor<4xf32>, %y: f32) -> (tensor<4xf16>, !quant_float.string) {
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 13 : tensor<4xf32> to tensor<4xf16>
  // CHECK-NEXT: quant_float.cast %{{.+}} opset 13 : f32 to !quant_float.string
  %0 = quant_float.cast %x opset 13 : tensor<4xf32> to tensor<4xf16>
  %1 = quant_float.cast %y opset 13 : f32 to !quant_float.string
  return %0, %1 : tensor<4xf16>, !quant_float.string
}

// An f16 NaN is left unchanged before arithmetic, which may change it. Where it is visible, it is
// canonicalized.

// CHECK-LABEL: func.func @cast_c2_factor(
// F16C-NEXT:     %[[X:.+]] = arith.extf %{{.+}} : vector<8xf16> to vector<8xf32>
// F16C-NEXT:     %[[Y:.+]] = arith.mulf %[[X]], %[[X]]
// F16C-NEXT:     return %[[Y]]
func.func @cast_c2_factor(%x: vector<8xf16>) -> vector<8xf32> {
  %0 = quant_float.cast %x opset 25 : vector<8xf16> to vector<8xf32>
  %1 = arith.mulf %0, %0 : vector<8xf32>
  return %1 : vector<8xf32>
}
