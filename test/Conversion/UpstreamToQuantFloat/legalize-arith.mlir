// RUN: quant-float-opt %s --quant-float-legalize-arith | FileCheck %s

// CHECK-LABEL: @floats
func.func @floats(%a: f32, %b: vector<4xf64>, %c: tensor<?x3xbf16>, %d: tensor<f16>) -> (f8E4M3FN, vector<4xf8E5M2FNUZ>, tensor<?x3xf6E3M2FN>, tensor<f4E2M1FN>) {
  // C3: what is too large is NaN; the smaller formats have no choice (C8).
  // CHECK: quant_float.cast %{{.*}} opset 28 saturate false : f32 to f8E4M3FN
  // CHECK: quant_float.cast %{{.*}} opset 28 saturate false : vector<4xf64> to vector<4xf8E5M2FNUZ>
  // CHECK: quant_float.cast %{{.*}} opset 28 : tensor<?x3xbf16> to tensor<?x3xf6E3M2FN>
  // CHECK: quant_float.cast %{{.*}} opset 28 : tensor<f16> to tensor<f4E2M1FN>
  %0 = arith.truncf %a fastmath<nnan,contract> : f32 to f8E4M3FN
  %1 = arith.truncf %b to_nearest_even : vector<4xf64> to vector<4xf8E5M2FNUZ>
  %2 = arith.truncf %c : tensor<?x3xbf16> to tensor<?x3xf6E3M2FN>
  %3 = arith.truncf %d : tensor<f16> to tensor<f4E2M1FN>
  return %0, %1, %2, %3 : f8E4M3FN, vector<4xf8E5M2FNUZ>, tensor<?x3xf6E3M2FN>, tensor<f4E2M1FN>
}

// CHECK-LABEL: @wider
func.func @wider(%a: f8E8M0FNU, %b: vector<[4]xf4E2M1FN>, %c: tensor<4xf8E4M3FN>) -> (f16, vector<[4]xf8E4M3FNUZ>, tensor<4xf64>) {
  // CHECK: quant_float.cast %{{.*}} opset 28 : f8E8M0FNU to f16
  // CHECK: quant_float.cast %{{.*}} opset 28 saturate false : vector<[4]xf4E2M1FN> to vector<[4]xf8E4M3FNUZ>
  // CHECK: quant_float.cast %{{.*}} opset 28 : tensor<4xf8E4M3FN> to tensor<4xf64>
  %0 = arith.extf %a : f8E8M0FNU to f16
  %1 = arith.extf %b : vector<[4]xf4E2M1FN> to vector<[4]xf8E4M3FNUZ>
  %2 = arith.extf %c : tensor<4xf8E4M3FN> to tensor<4xf64>
  return %0, %1, %2 : f16, vector<[4]xf8E4M3FNUZ>, tensor<4xf64>
}

// CHECK-LABEL: @wide_floats_stay
func.func @wide_floats_stay(%a: f32, %i: i8) -> (f16, bf16, i4) {
  // CHECK: arith.truncf
  // CHECK: arith.sitofp
  // CHECK: arith.fptosi
  %0 = arith.truncf %a : f32 to f16
  %1 = arith.sitofp %i : i8 to bf16
  %2 = arith.fptosi %a : f32 to i4
  return %0, %1, %2 : f16, bf16, i4
}

// C9: zero and what is too small is 2^-127, what is negative or too large NaN.
// CHECK-LABEL: @to_scale
// CHECK-SAME: %[[X:.+]]: f32
func.func @to_scale(%x: f32) -> (f8E8M0FNU, f8E8M0FNU, f8E8M0FNU) {
  // CHECK: %[[CAST:.+]] = quant_float.cast %[[X]] opset 28 round_mode nearest : f32 to f8E8M0FNU
  // CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
  // CHECK: %[[NEGATIVE:.+]] = arith.cmpf olt, %[[X]], %[[ZERO]]
  // CHECK: %[[BOUND:.+]] = arith.constant 2.55211775E+38 : f32
  // CHECK: %[[LARGE:.+]] = arith.cmpf oge, %[[X]], %[[BOUND]]
  // CHECK: %[[BAD:.+]] = arith.ori %[[NEGATIVE]], %[[LARGE]]
  // CHECK: %[[NAN:.+]] = arith.constant 0xFF : f8E8M0FNU
  // CHECK: arith.select %[[BAD]], %[[NAN]], %[[CAST]]
  %0 = arith.truncf %x : f32 to f8E8M0FNU
  // CHECK: round_mode up
  // CHECK: arith.constant 1.70141204E+38 : f32
  %1 = arith.truncf %x upward : f32 to f8E8M0FNU
  // CHECK: round_mode down
  // CHECK: arith.constant 0x7F800000 : f32
  %2 = arith.truncf %x toward_zero : f32 to f8E8M0FNU
  return %0, %1, %2 : f8E8M0FNU, f8E8M0FNU, f8E8M0FNU
}

// CHECK-LABEL: @to_scale_on_tensors
func.func @to_scale_on_tensors(%x: tensor<?x3xf32>, %y: tensor<?x3xf6E2M3FN>) -> (tensor<?x3xf8E8M0FNU>, tensor<?x3xf8E8M0FNU>) {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x3xf32>) outs(%{{.*}} : tensor<?x3xf8E8M0FNU>)
  // CHECK: quant_float.cast %{{.*}} opset 28 round_mode nearest : f32 to f8E8M0FNU
  %0 = arith.truncf %x : tensor<?x3xf32> to tensor<?x3xf8E8M0FNU>
  // CHECK: quant_float.cast %{{.*}} opset 28 : f6E2M3FN to f32
  // CHECK: quant_float.cast %{{.*}} opset 28 round_mode nearest : f32 to f8E8M0FNU
  %1 = arith.extf %y : tensor<?x3xf6E2M3FN> to tensor<?x3xf8E8M0FNU>
  return %0, %1 : tensor<?x3xf8E8M0FNU>, tensor<?x3xf8E8M0FNU>
}

// CHECK-LABEL: @from_integers
func.func @from_integers(%a: i8, %b: i1, %c: i13, %d: i64, %t: tensor<4xi4>) -> (f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>) {
  // CHECK: quant_float.cast %{{.*}} opset 28 saturate false : i8 to f8E5M2
  %0 = arith.sitofp %a : i8 to f8E5M2
  // CHECK: %[[A:.+]] = arith.extui %{{.*}} : i8 to i16
  // CHECK: quant_float.cast %[[A]] opset 28 saturate false : i16 to f8E5M2
  %1 = arith.uitofp %a : i8 to f8E5M2
  // A signed bit is 0 or -1.
  // CHECK: %[[B:.+]] = arith.extsi %{{.*}} : i1 to i8
  // CHECK: quant_float.cast %[[B]] opset 28 saturate false : i8 to f8E5M2
  %2 = arith.sitofp %b : i1 to f8E5M2
  // CHECK: %[[C:.+]] = arith.extsi %{{.*}} : i13 to i16
  // CHECK: quant_float.cast %[[C]] opset 28 saturate false : i16 to f8E5M2
  %3 = arith.sitofp %c : i13 to f8E5M2
  // CHECK: quant_float.cast %{{.*}} opset 28 saturate false : i64 to f8E5M2
  %4 = arith.sitofp %d : i64 to f8E5M2
  // CHECK: %[[D:.+]] = quant_float.storage_cast %{{.*}} : i64 to ui64
  // CHECK: quant_float.cast %[[D]] opset 28 saturate false : ui64 to f8E5M2
  %5 = arith.uitofp %d : i64 to f8E5M2
  // CHECK: quant_float.cast %{{.*}} opset 28 : tensor<4xi4> to tensor<4xf4E2M1FN>
  %6 = arith.sitofp %t : tensor<4xi4> to tensor<4xf4E2M1FN>
  // CHECK: linalg.generic
  // CHECK: arith.extui %{{.*}} : i4 to i8
  // CHECK: quant_float.cast %{{.*}} opset 28 : i8 to f4E2M1FN
  %7 = arith.uitofp %t : tensor<4xi4> to tensor<4xf4E2M1FN>
  return %0, %1, %2, %3, %4, %5, %6, %7 : f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>
}

// CHECK-LABEL: @integers_to_scale
func.func @integers_to_scale(%a: vector<4xi32>) -> (vector<4xf8E8M0FNU>, vector<4xf8E8M0FNU>) {
  // CHECK: %[[CAST:.+]] = quant_float.cast %{{.*}} opset 28 round_mode nearest : vector<4xi32> to vector<4xf8E8M0FNU>
  // CHECK: %[[NEGATIVE:.+]] = arith.cmpi slt
  // CHECK: %[[NAN:.+]] = arith.constant dense<0xFF> : vector<4xf8E8M0FNU>
  // CHECK: arith.select %[[NEGATIVE]], %[[NAN]], %[[CAST]]
  %0 = arith.sitofp %a : vector<4xi32> to vector<4xf8E8M0FNU>
  // CHECK: arith.extui
  // CHECK-NOT: arith.select
  %1 = arith.uitofp %a : vector<4xi32> to vector<4xf8E8M0FNU>
  return %0, %1 : vector<4xf8E8M0FNU>, vector<4xf8E8M0FNU>
}

// CHECK-LABEL: @to_integers
func.func @to_integers(%a: f8E4M3FN, %b: f8E8M0FNU, %t: tensor<?xf8E4M3FN>) -> (i4, i1, i8, i13, i32, i64, tensor<?xi16>, tensor<?xi16>) {
  // CHECK: quant_float.cast %{{.*}} opset 28 : f8E4M3FN to i4
  %0 = arith.fptosi %a : f8E4M3FN to i4
  // ONNX's booleans differ from i1.
  // CHECK: %[[A:.+]] = quant_float.cast %{{.*}} opset 28 : f8E4M3FN to i8
  // CHECK: arith.trunci %[[A]] : i8 to i1
  %1 = arith.fptoui %a : f8E4M3FN to i1
  // CHECK: %[[B:.+]] = quant_float.cast %{{.*}} opset 28 : f8E4M3FN to i16
  // CHECK: arith.trunci %[[B]] : i16 to i8
  %2 = arith.fptoui %a : f8E4M3FN to i8
  // CHECK: %[[C:.+]] = quant_float.cast %{{.*}} opset 28 : f8E4M3FN to i16
  // CHECK: arith.trunci %[[C]] : i16 to i13
  %3 = arith.fptosi %a : f8E4M3FN to i13
  // CHECK: %[[D:.+]] = quant_float.cast %{{.*}} opset 28 : f8E8M0FNU to i64
  // CHECK: arith.trunci %[[D]] : i64 to i32
  %4 = arith.fptoui %b : f8E8M0FNU to i32
  // CHECK: %[[E:.+]] = quant_float.cast %{{.*}} opset 28 : f8E8M0FNU to ui64
  // CHECK: quant_float.storage_cast %[[E]] : ui64 to i64
  %5 = arith.fptoui %b : f8E8M0FNU to i64
  // CHECK: quant_float.cast %{{.*}} opset 28 : tensor<?xf8E4M3FN> to tensor<?xi16>
  %6 = arith.fptosi %t : tensor<?xf8E4M3FN> to tensor<?xi16>
  // CHECK: linalg.generic
  // CHECK: quant_float.cast %{{.*}} opset 28 : f8E4M3FN to i32
  // CHECK: arith.trunci %{{.*}} : i32 to i16
  %7 = arith.fptoui %t : tensor<?xf8E4M3FN> to tensor<?xi16>
  return %0, %1, %2, %3, %4, %5, %6, %7 : i4, i1, i8, i13, i32, i64, tensor<?xi16>, tensor<?xi16>
}

// CHECK-LABEL: @scaling
// CHECK-SAME: %[[X:.+]]: vector<4xbf16>, %[[S:.+]]: vector<4xf8E8M0FNU>
func.func @scaling(%x: vector<4xbf16>, %s: vector<4xf8E8M0FNU>, %t: tensor<?xf4E2M1FN>, %f: tensor<?xf32>) -> (vector<4xf4E2M1FN>, tensor<?xf16>) {
  // CHECK: %[[SCALE:.+]] = quant_float.cast %[[S]] opset 28 : vector<4xf8E8M0FNU> to vector<4xbf16>
  // CHECK: %[[Q:.+]] = arith.divf %[[X]], %[[SCALE]] : vector<4xbf16>
  // CHECK: quant_float.cast %[[Q]] opset 28 : vector<4xbf16> to vector<4xf4E2M1FN>
  %0 = arith.scaling_truncf %x, %s : vector<4xbf16>, vector<4xf8E8M0FNU> to vector<4xf4E2M1FN>
  // CHECK: linalg.generic
  // CHECK: ^bb0(%[[IN:.+]]: f4E2M1FN, %[[F:.+]]: f32, %{{.*}}: f16):
  // CHECK: quant_float.cast %[[F]] opset 28 round_mode nearest : f32 to f8E8M0FNU
  // CHECK: %[[BYTE:.+]] = arith.select
  // CHECK: %[[SCALE:.+]] = quant_float.cast %[[BYTE]] opset 28 : f8E8M0FNU to f16
  // CHECK: %[[WIDE:.+]] = quant_float.cast %[[IN]] opset 28 : f4E2M1FN to f16
  // CHECK: arith.mulf %[[WIDE]], %[[SCALE]] : f16
  %1 = arith.scaling_extf %t, %f : tensor<?xf4E2M1FN>, tensor<?xf32> to tensor<?xf16>
  return %0, %1 : vector<4xf4E2M1FN>, tensor<?xf16>
}

// CHECK-LABEL: @scaling_of_wide_floats
func.func @scaling_of_wide_floats(%x: f32, %s: f8E8M0FNU, %h: f16) -> (f16, f32) {
  // CHECK: arith.divf
  // CHECK: arith.truncf %{{.*}} upward : f32 to f16
  %0 = arith.scaling_truncf %x, %s upward : f32, f8E8M0FNU to f16
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.mulf
  %1 = arith.scaling_extf %h, %s : f16, f8E8M0FNU to f32
  return %0, %1 : f16, f32
}

// One scale for all elements.
// CHECK-LABEL: @scaling_of_vectors_by_scalars
// CHECK-SAME: %[[X:.+]]: vector<4x[2]xf32>, %[[S:.+]]: f8E8M0FNU, %[[Y:.+]]: vector<8xf4E2M1FN>, %[[T:.+]]: f32
func.func @scaling_of_vectors_by_scalars(%x: vector<4x[2]xf32>, %s: f8E8M0FNU, %y: vector<8xf4E2M1FN>, %t: f32) -> (vector<4x[2]xf4E2M1FN>, vector<8xf16>) {
  // CHECK: %[[SCALE:.+]] = quant_float.cast %[[S]] opset 28 : f8E8M0FNU to f32
  // CHECK: %[[ALL:.+]] = vector.broadcast %[[SCALE]] : f32 to vector<4x[2]xf32>
  // CHECK: arith.divf %[[X]], %[[ALL]] : vector<4x[2]xf32>
  %0 = arith.scaling_truncf %x, %s : vector<4x[2]xf32>, f8E8M0FNU to vector<4x[2]xf4E2M1FN>
  // CHECK: quant_float.cast %[[T]] opset 28 round_mode nearest : f32 to f8E8M0FNU
  // CHECK: %[[ALL:.+]] = vector.broadcast %{{.*}} : f16 to vector<8xf16>
  // CHECK: arith.mulf %{{.*}}, %[[ALL]] : vector<8xf16>
  %1 = arith.scaling_extf %y, %t : vector<8xf4E2M1FN>, f32 to vector<8xf16>
  return %0, %1 : vector<4x[2]xf4E2M1FN>, vector<8xf16>
}

// CHECK-LABEL: @scaling_of_tensors_by_scalars
// CHECK-SAME: %[[X:.+]]: tensor<?x4xf32>, %[[S:.+]]: f8E8M0FNU, %[[Y:.+]]: tensor<f4E2M1FN>
func.func @scaling_of_tensors_by_scalars(%x: tensor<?x4xf32>, %s: f8E8M0FNU, %y: tensor<f4E2M1FN>) -> (tensor<?x4xf4E2M1FN>, tensor<f32>) {
  // CHECK: linalg.generic {indexing_maps = [#[[ALL:.+]], #[[NONE:.+]], #[[ALL]]], {{.*}}} ins(%[[X]], %[[S]] : tensor<?x4xf32>, f8E8M0FNU)
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  %0 = arith.scaling_truncf %x, %s : tensor<?x4xf32>, f8E8M0FNU to tensor<?x4xf4E2M1FN>
  // CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[S]] : tensor<f4E2M1FN>, f8E8M0FNU)
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
  %1 = arith.scaling_extf %y, %s : tensor<f4E2M1FN>, f8E8M0FNU to tensor<f32>
  return %0, %1 : tensor<?x4xf4E2M1FN>, tensor<f32>
}

// Formats that no opset of ONNX has.
// CHECK-LABEL: @own_formats
func.func @own_formats(%x: vector<4xf32>) -> (vector<4xf8E4M3>, vector<4xf8E3M4>, vector<4xf8E4M3B11FNUZ>, vector<4xf32>) {
  // CHECK: quant_float.cast %{{.*}} mode quant_float opset 1 saturate false : vector<4xf32> to vector<4xf8E4M3>
  %0 = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3>
  // CHECK: quant_float.cast %{{.*}} mode quant_float opset 1 saturate false : vector<4xf32> to vector<4xf8E3M4>
  %1 = arith.truncf %x : vector<4xf32> to vector<4xf8E3M4>
  // CHECK: quant_float.cast %{{.*}} mode quant_float opset 1 saturate false : vector<4xf32> to vector<4xf8E4M3B11FNUZ>
  %2 = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3B11FNUZ>
  // CHECK: quant_float.cast %{{.*}} mode quant_float opset 1 : vector<4xf8E4M3> to vector<4xf32>
  %3 = arith.extf %0 : vector<4xf8E4M3> to vector<4xf32>
  return %0, %1, %2, %3 : vector<4xf8E4M3>, vector<4xf8E3M4>, vector<4xf8E4M3B11FNUZ>, vector<4xf32>
}
