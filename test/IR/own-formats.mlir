// Types that ONNX lacks, by the rules of quant_float (F1).
// RUN: quant-float-opt %s --verify-roundtrip | FileCheck %s
// RUN: quant-float-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @cast(
func.func @cast(%x: tensor<4x?xf32>, %y: f8E3M4, %z: vector<16x!quant_float.f8UE5M3>)
    -> (tensor<4x?x!quant_float.f8UE5M3>, f8E4M3, vector<16xf8E4M3B11FNUZ>) {
  // CHECK: quant_float.cast %{{.*}} mode quant_float opset 1 saturate false : tensor<4x?xf32> to tensor<4x?x!quant_float.f8UE5M3>
  %0 = quant_float.cast %x mode quant_float opset 1 saturate false : tensor<4x?xf32> to tensor<4x?x!quant_float.f8UE5M3>
  // CHECK: quant_float.cast %{{.*}} mode quant_float opset 1 : f8E3M4 to f8E4M3
  %1 = quant_float.cast %y mode quant_float opset 1 : f8E3M4 to f8E4M3
  %2 = quant_float.cast %z mode quant_float opset 1 : vector<16x!quant_float.f8UE5M3> to vector<16xf8E4M3B11FNUZ>
  return %0, %1, %2 : tensor<4x?x!quant_float.f8UE5M3>, f8E4M3, vector<16xf8E4M3B11FNUZ>
}

// CHECK-LABEL: @quantizations(
func.func @quantizations(%x: tensor<?x64xf32>, %s: tensor<?x2x!quant_float.f8UE5M3>, %t: tensor<f32>)
    -> (tensor<?x64xf4E2M1FN>, tensor<?x64xbf16>, tensor<?x64xf32>) {
  // CHECK: quant_float.quantize {{.*}} opset 1 domain "quant_float" : tensor<?x64xf32>, tensor<?x2x!quant_float.f8UE5M3> to tensor<?x64xf4E2M1FN>
  %0 = quant_float.quantize %x, %s axis 1 block_size 32 opset 1 domain "quant_float"
         : tensor<?x64xf32>, tensor<?x2x!quant_float.f8UE5M3> to tensor<?x64xf4E2M1FN>
  %1 = quant_float.dequantize %0, %s axis 1 block_size 32 opset 1 domain "quant_float"
         : tensor<?x64xf4E2M1FN>, tensor<?x2x!quant_float.f8UE5M3> to tensor<?x64xbf16>
  %2 = quant_float.qdq %x, %t storage f8E3M4 opset 1 domain "quant_float"
         : tensor<?x64xf32>, tensor<f32> to tensor<?x64xf32>
  return %0, %1, %2 : tensor<?x64xf4E2M1FN>, tensor<?x64xbf16>, tensor<?x64xf32>
}

// FOLD-LABEL: @fold_constants(
func.func @fold_constants() -> (tensor<4xf8E4M3>, tensor<4xf32>, f8E4M3B11FNUZ) {
  // FOLD-DAG: dense<[0x78, 2.400000e+02, -0.000000e+00, 0x7C]> : tensor<4xf8E4M3>
  %x = arith.constant dense<[0x7F800000, 247.0, -1.0e-9, 0x7FC00000]> : tensor<4xf32>
  %0 = quant_float.cast %x mode quant_float opset 1 saturate false : tensor<4xf32> to tensor<4xf8E4M3>
  // FOLD-DAG: dense<[1.550000e+01, -1.562500e-02, 1.000000e+00, 0xFF800000]> : tensor<4xf32>
  %y = arith.constant dense<[15.5, -0.015625, 1.0, 0xF0]> : tensor<4xf8E3M4>
  %1 = quant_float.cast %y mode quant_float opset 1 : tensor<4xf8E3M4> to tensor<4xf32>
  // C4 only holds for ONNX's opsets.
  // FOLD-DAG: arith.constant 3.000000e+01 : f8E4M3B11FNUZ
  %i = arith.constant 0x7F800000 : f32
  %2 = quant_float.cast %i mode quant_float opset 1 : f32 to f8E4M3B11FNUZ
  return %0, %1, %2 : tensor<4xf8E4M3>, tensor<4xf32>, f8E4M3B11FNUZ
}

// There are no constants of types that only this dialect has.
// FOLD-LABEL: @no_constants_of_own_types(
func.func @no_constants_of_own_types() -> (!quant_float.f8UE5M3, tensor<2xf32>) {
  // FOLD: quant_float.cast
  %x = arith.constant 3.0 : f32
  %0 = quant_float.cast %x mode quant_float opset 1 : f32 to !quant_float.f8UE5M3
  // FOLD: quant_float.storage_cast
  // FOLD: quant_float.cast
  %c = arith.constant dense<[1, -1]> : tensor<2xi8>
  %1 = quant_float.storage_cast %c : tensor<2xi8> to tensor<2x!quant_float.f8UE5M3>
  %2 = quant_float.cast %1 mode quant_float opset 1 : tensor<2x!quant_float.f8UE5M3> to tensor<2xf32>
  return %0, %2 : !quant_float.f8UE5M3, tensor<2xf32>
}

// FOLD-LABEL: @identity(
// FOLD-SAME: %[[X:.+]]: tensor<3x!quant_float.f8UE5M3>
func.func @identity(%x: tensor<3x!quant_float.f8UE5M3>) -> tensor<3x!quant_float.f8UE5M3> {
  // FOLD: return %[[X]]
  %0 = quant_float.cast %x mode quant_float opset 1 : tensor<3x!quant_float.f8UE5M3> to tensor<3x!quant_float.f8UE5M3>
  return %0 : tensor<3x!quant_float.f8UE5M3>
}

// FOLD-LABEL: @compose_exact(
func.func @compose_exact(%x: tensor<3xf8E3M4>, %y: tensor<3x!quant_float.f8UE5M3>) -> (tensor<3xf8E5M2>, tensor<3xf32>) {
  // FOLD: quant_float.cast %{{.*}} mode quant_float opset 1 : tensor<3xf8E3M4> to tensor<3xf8E5M2>
  %0 = quant_float.cast %x mode quant_float opset 1 : tensor<3xf8E3M4> to tensor<3xf32>
  %1 = quant_float.cast %0 mode quant_float opset 1 : tensor<3xf32> to tensor<3xf8E5M2>
  // The range of f8UE5M3 exceeds that of f16.
  // FOLD: quant_float.cast {{.*}} to tensor<3xf16>
  // FOLD: quant_float.cast {{.*}} to tensor<3xf32>
  %2 = quant_float.cast %y mode quant_float opset 1 : tensor<3x!quant_float.f8UE5M3> to tensor<3xf16>
  %3 = quant_float.cast %2 opset 28 : tensor<3xf16> to tensor<3xf32>
  return %1, %3 : tensor<3xf8E5M2>, tensor<3xf32>
}
