// RUN: quant-float-opt %s -split-input-file -verify-diagnostics --quant-float-collapse-casts | FileCheck %s

// CHECK-LABEL: @widened
// CHECK-NEXT: %[[Y:.+]] = quant_float.cast %arg0 opset 21 : tensor<4xf8E5M2> to tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @widened(%x: tensor<4xf8E5M2>) -> tensor<4xf32> {
  %0 = quant_float.cast %x opset 21 : tensor<4xf8E5M2> to tensor<4xf16>
  %1 = quant_float.cast %0 opset 21 : tensor<4xf16> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @and_back
// CHECK-NEXT: return %arg0
func.func @and_back(%x: vector<4xi8>) -> vector<4xi8> {
  %0 = quant_float.cast %x opset 21 : vector<4xi8> to vector<4xi32>
  %1 = quant_float.cast %0 opset 21 : vector<4xi32> to vector<4xf32>
  %2 = quant_float.cast %1 opset 21 : vector<4xf32> to vector<4xi8>
  return %2 : vector<4xi8>
}

// The intermediate value has other users.
// CHECK-LABEL: @shared
// CHECK-NEXT: %[[V:.+]] = quant_float.cast %arg0
// CHECK-NEXT: %[[Y:.+]] = quant_float.cast %arg0 opset 21 : f16 to f64
// CHECK-NEXT: return %[[V]], %[[Y]]
func.func @shared(%x: f16) -> (f32, f64) {
  %0 = quant_float.cast %x opset 21 : f16 to f32
  %1 = quant_float.cast %0 opset 21 : f32 to f64
  return %0, %1 : f32, f64
}

// -----

func.func @two_roundings(%x: tensor<4xf32>, %b: tensor<4xf16>) {
  %0 = quant_float.cast %x opset 21 : tensor<4xf32> to tensor<4xf16>
  // expected-remark @+1 {{not collapsed: 0x3a800001 (9.7656261641532183E-4) of 'f32' becomes 0x00 (0) via 'f16', but 0x01 (0.001953125) directly}}
  %1 = quant_float.cast %0 opset 21 : tensor<4xf16> to tensor<4xf8E4M3FN>
  // expected-remark @+2 {{not collapsed: 0x7c01 (NaN) of 'f16' becomes 0x7e00 (NaN) via 'f32', but 0x7c01 (NaN) directly}}
  %2 = quant_float.cast %b opset 21 : tensor<4xf16> to tensor<4xf32>
  %3 = quant_float.cast %2 opset 21 : tensor<4xf32> to tensor<4xf16>
  return
}

// -----

func.func @scalars(%x: f64) {
  %0 = quant_float.cast %x opset 21 : f64 to f16
  // expected-remark @+1 {{not collapsed: 0x3ee0000000000001 (7.6293945312500017E-6) of 'f64' becomes 0x00 (0) via 'f16', but 0x01 (1.52587890625E-5) directly}}
  %1 = quant_float.cast %0 opset 21 saturate false : f16 to f8E5M2
  return
}
