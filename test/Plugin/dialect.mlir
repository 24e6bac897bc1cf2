// The dialect in upstream's mlir-opt: parsed, verified, folded and printed, also as bytecode.
//
// RUN: %stock_opt %s -split-input-file -verify-diagnostics -canonicalize | FileCheck %s
// RUN: %stock_opt %s -split-input-file -verify-diagnostics -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: %stock_opt --show-dialects | FileCheck %s --check-prefix=SHOWN

// SHOWN: quant_float

// CHECK-LABEL: func.func @cast(
// CHECK-SAME:      %[[X:.+]]: tensor<4x?xf32>
// GENERIC: "quant_float.cast"(%{{.+}}) <{opset = 19 : i64, saturate = false}> : (tensor<4x?xf32>) -> tensor<4x?xf8E4M3FN>
func.func @cast(%x: tensor<4x?xf32>) -> tensor<4x?xf8E4M3FN> {
  // CHECK: quant_float.cast %[[X]] opset 19 saturate false : tensor<4x?xf32> to tensor<4x?xf8E4M3FN>
  %0 = quant_float.cast %x opset 19 saturate false : tensor<4x?xf32> to tensor<4x?xf8E4M3FN>
  return %0 : tensor<4x?xf8E4M3FN>
}

// CHECK-LABEL: func.func @fold(
func.func @fold() -> f8E4M3FN {
  // CHECK-NEXT: %[[MAXIMUM:.+]] = arith.constant 4.480000e+02 : f8E4M3FN
  // CHECK-NEXT: return %[[MAXIMUM]]
  %0 = arith.constant 1.0e+06 : f32
  %1 = quant_float.cast %0 opset 19 : f32 to f8E4M3FN
  return %1 : f8E4M3FN
}

// -----

func.func @cast_v2_type_of_a_later_opset(%x: tensor<4xf32>) {
  // expected-error @+2 {{'quant_float.cast' op result element type 'f8E4M3FN' is not accepted by Cast-13 (opset 13)}}
  // expected-note @+1 {{Cast accepts this type from opset 19 on}}
  quant_float.cast %x opset 13 : tensor<4xf32> to tensor<4xf8E4M3FN>
  return
}

// -----

func.func @cast_unknown_keyword(%x: f32) {
  // expected-error @+1 {{custom op 'quant_float.cast' expected 'opset'}}
  quant_float.cast %x saturate false : f32 to f8E4M3FN
  return
}
