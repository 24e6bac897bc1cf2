// Decomposition of fakeconvert into arith ops and casts, in each mode.
// RUN: quant-float-opt %s --quant-float-decompose-fakeconvert | FileCheck %s

// CHECK-LABEL: func.func @exact
// CHECK-SAME: (%[[X:.+]]: f32, %[[S:.+]]: f32, %[[T:.+]]: f32)
// CHECK-NEXT: %[[SCALED:.+]] = arith.mulf %[[X]], %[[S]] : f32
// CHECK-NEXT: %[[SHIFTED:.+]] = arith.subf %[[SCALED]], %[[T]] : f32
// CHECK-NEXT: %[[Q:.+]] = quant_float.cast %[[SHIFTED]] opset 28 : f32 to f8E4M3FN
// CHECK-NEXT: %[[ROUNDED:.+]] = quant_float.cast %[[Q]] opset 28 : f8E4M3FN to f32
// CHECK-NEXT: %[[BACK:.+]] = arith.addf %[[ROUNDED]], %[[T]] : f32
// CHECK-NEXT: %[[Y:.+]] = arith.divf %[[BACK]], %[[S]] : f32
// CHECK-NEXT: return %[[Y]]
func.func @exact(%x: f32, %s: f32, %t: f32) -> f32 {
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN opset 13 : f32, f32, f32 to f32
  return %0 : f32
}

// Vectors broadcast like tensors. Only the final result is rounded to f16.
// CHECK-LABEL: func.func @vectors
// CHECK-SAME: (%[[X:.+]]: vector<4x8xf16>, %[[S:.+]]: vector<4x1xf16>)
// CHECK-NEXT: %[[ALL:.+]] = vector.broadcast %[[S]] : vector<4x1xf16> to vector<4x8xf16>
// CHECK-NEXT: %[[A:.+]] = quant_float.cast %[[X]] opset 28 : vector<4x8xf16> to vector<4x8xf32>
// CHECK-NEXT: %[[B:.+]] = quant_float.cast %[[ALL]] opset 28 : vector<4x8xf16> to vector<4x8xf32>
// CHECK-NEXT: %[[SCALED:.+]] = arith.mulf %[[A]], %[[B]] : vector<4x8xf32>
// CHECK-NEXT: %[[Q:.+]] = quant_float.cast %[[SCALED]] opset 28 : vector<4x8xf32> to vector<4x8xf8E5M2>
// CHECK-NEXT: %[[ROUNDED:.+]] = quant_float.cast %[[Q]] opset 28 : vector<4x8xf8E5M2> to vector<4x8xf32>
// CHECK-NEXT: %[[Y:.+]] = arith.divf %[[ROUNDED]], %[[B]] : vector<4x8xf32>
// CHECK-NEXT: quant_float.cast %[[Y]] opset 28 : vector<4x8xf32> to vector<4x8xf16>
func.func @vectors(%x: vector<4x8xf16>, %s: vector<4x1xf16>) -> vector<4x8xf16> {
  %0 = quant_float.fakeconvert %x, %s to f8E5M2 opset 13 : vector<4x8xf16>, vector<4x1xf16> to vector<4x8xf16>
  return %0 : vector<4x8xf16>
}

// A single scale stays a scalar, so that values computed from it are recognized as uniform.
// CHECK-LABEL: func.func @one_scale
// CHECK: %[[S:.+]] = vector.extract %{{.+}}[0] : f32 from vector<1xf32>
// CHECK-NEXT: vector.broadcast %[[S]] : f32 to vector<8xf32>
func.func @one_scale(%x: vector<8xf32>, %s: vector<1xf32>) -> vector<8xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<8xf32>, vector<1xf32> to vector<8xf32>
  return %0 : vector<8xf32>
}

// A NaN becomes the lower bound. Two roundings, a reciprocal, and no negative zero.
// CHECK-LABEL: func.func @openvino
// CHECK-SAME: (%[[X:.+]]: f32, %[[S:.+]]: f32)
// CHECK-DAG: %[[LOW:.+]] = arith.constant -4.480000e+02 : f32
// CHECK-DAG: %[[HIGH:.+]] = arith.constant 4.480000e+02 : f32
// CHECK: %[[ABOVE:.+]] = arith.cmpf ogt, %[[T:.+]], %[[LOW]] : f32
// CHECK: %[[A:.+]] = arith.select %[[ABOVE]], %[[T]], %[[LOW]] : f32
// CHECK: %[[BELOW:.+]] = arith.cmpf olt, %[[A]], %[[HIGH]] : f32
// CHECK: %[[B:.+]] = arith.select %[[BELOW]], %[[A]], %[[HIGH]] : f32
// CHECK: %[[HALF:.+]] = quant_float.cast %[[B]] opset 28 : f32 to f16
// CHECK: %[[Q:.+]] = quant_float.cast %[[HALF]] opset 28 : f16 to f8E4M3FN
// CHECK: %[[ROUNDED:.+]] = quant_float.cast %[[Q]] opset 28 : f8E4M3FN to f32
// CHECK: %[[R:.+]] = arith.divf %{{.+}}, %[[S]] : f32
// CHECK: %[[Y:.+]] = arith.mulf %[[ROUNDED]], %[[R]] : f32
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: arith.addf %[[Y]], %[[ZERO]] : f32
func.func @openvino(%x: f32, %s: f32) -> f32 {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino positive_zero opset 13 : f32, f32 to f32
  return %0 : f32
}

// The reciprocal is rounded to f16, and so is the operand of the float8 conversion. The result
// needs no further rounding to f16.
// CHECK-LABEL: func.func @openvino_f16
// CHECK: %[[T:.+]] = quant_float.cast %{{.+}} opset 28 : f32 to f16
// CHECK: %[[WIDE:.+]] = quant_float.cast %[[T]] opset 28 : f16 to f32
// CHECK: %[[A:.+]] = arith.select %{{.+}}, %[[WIDE]]
// CHECK: %[[B:.+]] = arith.select %{{.+}}, %[[A]]
// CHECK: quant_float.cast %[[B]] opset 28 : f32 to f8E5M2
// CHECK: %[[R:.+]] = arith.divf
// CHECK: %[[S:.+]] = quant_float.cast %[[R]] opset 28 : f32 to f16
// CHECK: quant_float.cast %[[S]] opset 28 : f16 to f32
func.func @openvino_f16(%x: f16, %s: f16) -> f16 {
  %0 = quant_float.fakeconvert %x, %s to f8E5M2 mode openvino reciprocal nearest opset 13 : f16, f16 to f16
  return %0 : f16
}

// Half a unit is added if the last bit is 1. A shift of zero is subtracted as -0.
// CHECK-LABEL: func.func @openvino_bf16
// CHECK: %[[T:.+]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[BACK:.+]] = arith.select %{{.+}}, %[[T]], %{{.+}} : f32
// CHECK: arith.addf %{{.+}}, %[[BACK]] : f32
// CHECK: %[[BITS:.+]] = arith.bitcast %{{.+}} : f32 to i32
// CHECK: %[[LAST:.+]] = arith.andi %[[BITS]], %{{.+}} : i32
// CHECK: %[[UNIT:.+]] = arith.shrui %[[LAST]], %{{.+}} : i32
// CHECK: arith.addi %[[BITS]], %[[UNIT]] : i32
func.func @openvino_bf16(%x: bf16, %s: bf16, %t: bf16) -> bf16 {
  %0 = quant_float.fakeconvert %x, %s, %t to f8E5M2 mode openvino reciprocal openvino neutral_shift opset 13 : bf16, bf16, bf16 to bf16
  return %0 : bf16
}

// Values below 2^-15 that round up to a power of two are doubled. A zero is added.
// CHECK-LABEL: func.func @reference_e5m2
// CHECK: %[[MANTISSA:.+]] = arith.constant 8384512 : i32
// CHECK: %[[CARRIES:.+]] = arith.cmpi uge, %{{.+}}, %[[MANTISSA]] : i32
// CHECK: %[[LIMIT:.+]] = arith.constant 939524096 : i32
// CHECK: %[[SMALL:.+]] = arith.cmpi ult, %{{.+}}, %[[LIMIT]] : i32
// CHECK: arith.andi %[[CARRIES]], %[[SMALL]] : i1
// CHECK: quant_float.cast %{{.+}} opset 28 : f32 to f16
// CHECK: quant_float.cast %{{.+}} opset 28 : f16 to f8E5M2
// CHECK: arith.addf
// CHECK: arith.divf
func.func @reference_e5m2(%x: f32, %s: f32) -> f32 {
  %0 = quant_float.fakeconvert %x, %s to f8E5M2 mode openvino_reference opset 13 : f32, f32 to f32
  return %0 : f32
}

// Subnormals are truncated, which no cast to f8E4M3FN does.
// CHECK-LABEL: func.func @reference_e4m3
// CHECK-NOT: f8E4M3FN
// CHECK: arith.fptosi %{{.+}} : f32 to i32
// CHECK: arith.sitofp %{{.+}} : i32 to f32
func.func @reference_e4m3(%x: f32, %s: f32) -> f32 {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino_reference opset 13 : f32, f32 to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @unranked
// CHECK-NEXT: quant_float.fakeconvert
func.func @unranked(%x: tensor<*xf32>, %s: tensor<f32>) -> tensor<*xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<*xf32>, tensor<f32> to tensor<*xf32>
  return %0 : tensor<*xf32>
}

// One scalable element is not a single element.
// CHECK-LABEL: func.func @scalable
// CHECK-NOT: vector.extract
// CHECK: vector.broadcast %{{.+}} : vector<[1]xf32> to vector<2x[1]xf32>
func.func @scalable(%x: vector<2x[1]xf32>, %s: vector<[1]xf32>) -> vector<2x[1]xf32> {
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<2x[1]xf32>, vector<[1]xf32> to vector<2x[1]xf32>
  return %0 : vector<2x[1]xf32>
}

// A shift that cannot broadcast, which only the dynamic size of the scale allows.
// CHECK-LABEL: func.func @shift_too_large
// CHECK-COUNT-2: quant_float.fakeconvert
func.func @shift_too_large(%x: tensor<3xf32>, %y: tensor<?xf32>, %s: tensor<?xf32>, %t: tensor<5xf32>) -> (tensor<3xf32>, tensor<4xf32>) {
  %0 = quant_float.fakeconvert %x, %s, %t to f8E4M3FN opset 13 : tensor<3xf32>, tensor<?xf32>, tensor<5xf32> to tensor<3xf32>
  %1 = quant_float.fakeconvert %y, %s, %t to f8E4M3FN opset 13 : tensor<?xf32>, tensor<?xf32>, tensor<5xf32> to tensor<4xf32>
  return %0, %1 : tensor<3xf32>, tensor<4xf32>
}
