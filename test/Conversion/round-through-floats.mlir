// Casts to float8 and back are replaced by a rounding of floats. The results are divided by a
// scalar by means of its reciprocal.
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefixes=CHECK,APART

// CHECK-LABEL: func.func @round
// CHECK-SAME: (%[[X:.+]]: vector<16xf32>)
// CHECK-DAG: %[[HIGH:.+]] = arith.constant dense<4.480000e+02> : vector<16xf32>
// CHECK-DAG: %[[LOW:.+]] = arith.constant dense<-4.480000e+02> : vector<16xf32>
// CHECK: %[[ABOVE:.+]] = arith.cmpf olt, %[[HIGH]], %[[X]] : vector<16xf32>
// CHECK: %[[A:.+]] = arith.select %[[ABOVE]], %[[HIGH]], %[[X]]
// CHECK: %[[BELOW:.+]] = arith.cmpf ogt, %[[LOW]], %[[A]] : vector<16xf32>
// CHECK: %[[B:.+]] = arith.select %[[BELOW]], %[[LOW]], %[[A]]
// CHECK: %[[BITS:.+]] = arith.bitcast %[[B]] : vector<16xf32> to vector<16xi32>
// CHECK: %[[EXPONENT:.+]] = arith.andi %[[BITS]], %{{.+}} : vector<16xi32>
// CHECK: %[[POWER:.+]] = arith.select
// An addition alone, for values that may be subnormal.
// FMA: %[[SCALED:.+]] = arith.mulf %[[POWER]]
// FMA: %[[SUM:.+]] = arith.addf %[[SCALED]], %[[B]] : vector<16xf32>
// FMA: math.fma %[[POWER]], %{{.+}}, %[[SUM]] : vector<16xf32>
// APART: %[[C:.+]] = arith.mulf %[[POWER]]
// APART: %[[SUM:.+]] = arith.addf %[[C]], %[[B]] : vector<16xf32>
// APART: arith.addf %{{.+}}, %[[SUM]] : vector<16xf32>
// CHECK: arith.andi %[[BITS]]
// CHECK: arith.ori
// CHECK-NOT: trunci
func.func @round(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = quant_float.cast %x opset 24 : vector<16xf32> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %0 opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  return %1 : vector<16xf32>
}

// Values in range are not clamped again. Two roundings.
// CHECK-LABEL: func.func @by_half
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf olt
// CHECK: %[[B:.+]] = arith.select
// CHECK-NEXT: arith.bitcast %[[B]]
// FMA-COUNT-2: math.fma
// FMA-NOT: math.fma
// APART-COUNT-4: arith.mulf
// CHECK-NOT: f16
// CHECK: return
func.func @by_half(%x: vector<16xf32>) -> vector<16xf32> {
  %low = arith.constant dense<-448.0> : vector<16xf32>
  %high = arith.constant dense<448.0> : vector<16xf32>
  %above = arith.cmpf ogt, %x, %low : vector<16xf32>
  %a = arith.select %above, %x, %low : vector<16xi1>, vector<16xf32>
  %below = arith.cmpf olt, %a, %high : vector<16xf32>
  %b = arith.select %below, %a, %high : vector<16xi1>, vector<16xf32>
  %h = quant_float.cast %b opset 24 : vector<16xf32> to vector<16xf16>
  %0 = quant_float.cast %h opset 24 : vector<16xf16> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %0 opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  return %1 : vector<16xf32>
}

// A range beyond that of the type is no clamp.
// CHECK-LABEL: func.func @wide_range
// CHECK-COUNT-2: arith.cmpf olt
func.func @wide_range(%x: vector<16xf32>) -> vector<16xf32> {
  %low = arith.constant dense<-448.0> : vector<16xf32>
  %high = arith.constant dense<449.0> : vector<16xf32>
  %above = arith.cmpf ogt, %x, %low : vector<16xf32>
  %a = arith.select %above, %x, %low : vector<16xi1>, vector<16xf32>
  %below = arith.cmpf olt, %a, %high : vector<16xf32>
  %b = arith.select %below, %a, %high : vector<16xi1>, vector<16xf32>
  %0 = quant_float.cast %b opset 24 : vector<16xf32> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %0 opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  return %1 : vector<16xf32>
}

// Nor is one whose bounds are swapped.
// CHECK-LABEL: func.func @no_range
// CHECK-COUNT-2: arith.cmpf olt
func.func @no_range(%x: vector<16xf32>) -> vector<16xf32> {
  %low = arith.constant dense<0.0> : vector<16xf32>
  %high = arith.constant dense<-1.0e6> : vector<16xf32>
  %above = arith.cmpf ogt, %x, %low : vector<16xf32>
  %a = arith.select %above, %x, %low : vector<16xi1>, vector<16xf32>
  %below = arith.cmpf olt, %a, %high : vector<16xf32>
  %b = arith.select %below, %a, %high : vector<16xi1>, vector<16xf32>
  %0 = quant_float.cast %b opset 24 : vector<16xf32> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %0 opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  return %1 : vector<16xf32>
}

// The NaN of two casts has no payload. Between arithmetic ops, it may be any NaN (D8).
// CHECK-LABEL: func.func @payload
// CHECK: arith.cmpf uno
// CHECK: return
func.func @payload(%x: f32) -> f32 {
  %0 = quant_float.cast %x opset 24 : f32 to f8E5M2
  %1 = quant_float.cast %0 opset 24 : f8E5M2 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @computed
// CHECK-NOT: arith.cmpf uno
// CHECK: return
func.func @computed(%x: f32, %s: f32) -> f32 {
  %p = arith.mulf %x, %s : f32
  %0 = quant_float.cast %p opset 24 : f32 to f8E5M2
  %1 = quant_float.cast %0 opset 24 : f8E5M2 to f32
  %2 = arith.addf %1, %s : f32
  return %2 : f32
}

// A result is the cast's own NaN, whatever the input was.
// CHECK-LABEL: func.func @computed_only
// CHECK: arith.cmpf uno
// CHECK: return
func.func @computed_only(%x: f32, %s: f32) -> f32 {
  %p = arith.mulf %x, %s : f32
  %0 = quant_float.cast %p opset 24 : f32 to f8E5M2
  %1 = quant_float.cast %0 opset 24 : f8E5M2 to f32
  return %1 : f32
}

// Encodings with other users are still computed.
// CHECK-LABEL: func.func @encodings
// CHECK: arith.trunci
func.func @encodings(%x: f32) -> (f8E5M2, f32) {
  %0 = quant_float.cast %x opset 24 : f32 to f8E5M2
  %1 = quant_float.cast %0 opset 24 : f8E5M2 to f32
  return %0, %1 : f8E5M2, f32
}

// Types that overflow to NaN, or have no negative zero, do not match.
// CHECK-LABEL: func.func @not_saturating
// CHECK: arith.trunci
func.func @not_saturating(%x: f32) -> f32 {
  %0 = quant_float.cast %x opset 24 saturate false : f32 to f8E4M3FN
  %1 = quant_float.cast %0 opset 24 : f8E4M3FN to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @no_negative_zero
// CHECK: arith.trunci
func.func @no_negative_zero(%x: f32) -> f32 {
  %0 = quant_float.cast %x opset 24 : f32 to f8E4M3FNUZ
  %1 = quant_float.cast %0 opset 24 : f8E4M3FNUZ to f32
  return %1 : f32
}

// Quantized elements are rounded as floats, too.
// CHECK-LABEL: func.func @quantized
// CHECK-NOT: trunci
// CHECK: return
func.func @quantized(%x: vector<16xf32>, %s: f32) -> vector<16xf32> {
  %sv = vector.broadcast %s : f32 to vector<16xf32>
  %0 = quant_float.quantize_elements %x, %sv : vector<16xf32>, vector<16xf32> to vector<16xf8E4M3FN>
  %1 = quant_float.cast %0 opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  return %1 : vector<16xf32>
}

// CHECK-LABEL: func.func @divided
// CHECK-SAME: (%{{.+}}: vector<16xf8E4M3FN>, %[[T:.+]]: f32, %[[S:.+]]: f32)
// FMA: %[[B:.+]] = arith.addf
// FMA: %[[R:.+]] = arith.divf %{{.+}}, %[[S]] : f32
// FMA: scf.if %{{.+}} -> (vector<16xf32>) {
// FMA: %[[RV:.+]] = vector.broadcast %[[R]]
// FMA: %[[Q:.+]] = arith.mulf %[[B]], %[[RV]] : vector<16xf32>
// FMA: %[[REST:.+]] = math.fma %{{.+}}, %{{.+}}, %[[B]] : vector<16xf32>
// FMA: math.fma %[[REST]], %[[RV]], %[[Q]] : vector<16xf32>
// FMA: } else {
// FMA: arith.divf %[[B]], %{{.+}} : vector<16xf32>
// APART-NOT: scf.if
// APART: arith.divf
func.func @divided(%x: vector<16xf8E4M3FN>, %t: f32, %s: f32) -> vector<16xf32> {
  %0 = quant_float.cast %x opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  %tv = vector.broadcast %t : f32 to vector<16xf32>
  %sv = vector.broadcast %s : f32 to vector<16xf32>
  %1 = arith.addf %0, %tv : vector<16xf32>
  %2 = arith.divf %1, %sv : vector<16xf32>
  return %2 : vector<16xf32>
}

// An infinity would become a NaN. A saturating cast never yields infinities.
// CHECK-LABEL: func.func @infinite
// CHECK-NOT: scf.if
// CHECK: return
func.func @infinite(%x: vector<16xf8E5M2>, %s: f32) -> vector<16xf32> {
  %0 = quant_float.cast %x opset 24 : vector<16xf8E5M2> to vector<16xf32>
  %sv = vector.broadcast %s : f32 to vector<16xf32>
  %1 = arith.divf %0, %sv : vector<16xf32>
  return %1 : vector<16xf32>
}

// CHECK-LABEL: func.func @saturated
// FMA: scf.if
// CHECK: return
func.func @saturated(%x: vector<16xf32>, %s: f32) -> vector<16xf32> {
  %0 = quant_float.cast %x opset 24 : vector<16xf32> to vector<16xf8E5M2>
  %1 = quant_float.cast %0 opset 24 : vector<16xf8E5M2> to vector<16xf32>
  %sv = vector.broadcast %s : f32 to vector<16xf32>
  %2 = arith.divf %1, %sv : vector<16xf32>
  return %2 : vector<16xf32>
}

// Other quotients do not match.
// CHECK-LABEL: func.func @other_quotients
// CHECK-NOT: scf.if
// CHECK-COUNT-3: arith.divf
func.func @other_quotients(%x: vector<16xf32>, %q: vector<16xf8E4M3FN>, %v: vector<16xf32>, %s: f32) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %0 = quant_float.cast %q opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  %sv = vector.broadcast %s : f32 to vector<16xf32>
  %1 = arith.divf %x, %sv : vector<16xf32>
  %2 = arith.divf %0, %v : vector<16xf32>
  %3 = arith.addf %0, %v : vector<16xf32>
  %4 = arith.divf %3, %sv : vector<16xf32>
  return %1, %2, %4 : vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// Magnitudes are rounded and divided if the sign is known: x * s / s has the sign of x.

// CHECK-LABEL: func.func @scaled_back
// CHECK-SAME: (%[[X:.+]]: vector<16xf32>, %[[S:.+]]: f32)
// FMA: %[[XS:.+]] = arith.mulf %[[X]],
// FMA: %[[M:.+]] = math.absf %[[XS]] : vector<16xf32>
// FMA: arith.select %{{.+}}, %{{.+}}, %[[M]]
// FMA-NOT: arith.ori
// FMA: arith.addf
// FMA: math.fma
// FMA-NOT: arith.ori
// FMA: %[[SIGNS:.+]] = arith.bitcast %[[X]]
// FMA: math.absf %[[S]] : f32
// FMA: scf.if
// FMA: arith.mulf %{{.+}}, %{{.+}} : vector<16xf32>
// FMA: %[[SIGN:.+]] = arith.andi %[[SIGNS]],
// FMA: arith.ori %{{.+}}, %[[SIGN]]
func.func @scaled_back(%x: vector<16xf32>, %s: f32) -> vector<16xf32> {
  %sv = vector.broadcast %s : f32 to vector<16xf32>
  %0 = arith.mulf %x, %sv : vector<16xf32>
  %1 = quant_float.cast %0 opset 24 : vector<16xf32> to vector<16xf8E4M3FN>
  %2 = quant_float.cast %1 opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  %3 = arith.divf %2, %sv : vector<16xf32>
  return %3 : vector<16xf32>
}

// +0 is added to a zero at the end, so that its sign does not matter.

// CHECK-LABEL: func.func @positive_zero
// CHECK-NOT: arith.ori
// CHECK: arith.addf
// CHECK: return
func.func @positive_zero(%x: vector<16xf32>, %s: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %0 = arith.mulf %x, %s : vector<16xf32>
  %1 = quant_float.cast %0 opset 24 : vector<16xf32> to vector<16xf8E4M3FN>
  %2 = quant_float.cast %1 opset 24 : vector<16xf8E4M3FN> to vector<16xf32>
  %3 = arith.mulf %2, %s : vector<16xf32>
  %4 = arith.addf %3, %zero : vector<16xf32>
  return %4 : vector<16xf32>
}
