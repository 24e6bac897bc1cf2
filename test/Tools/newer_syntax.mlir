// Names that exist in newer versions of MLIR only are reported as such, after the errors of the
// parser.
// UNSUPPORTED: llvm-at-least-23
// RUN: not quant-float-opt %s -split-input-file 2>&1 | FileCheck %s
// RUN: not quant-float-compile %s -o %t.so 2>&1 | FileCheck %s --check-prefix=COMPILE
// RUN: not quant-float-translate --mlir-to-portable-bytecode %s -o %t.mlirbc 2>&1 | FileCheck %s --check-prefix=COMPILE

// CHECK-DAG: newer_syntax.mlir:[[@LINE+2]]:{{[0-9]+}}: error: f8E5M3FNU requires LLVM 24, but this build uses LLVM 22
// COMPILE: newer_syntax.mlir:[[@LINE+1]]:{{[0-9]+}}: error: f8E5M3FNU requires LLVM 24, but this build uses LLVM 22
func.func @builtin(%x: f8E5M3FNU) {
  return
}

// -----

// CHECK-DAG: newer_syntax.mlir:[[@LINE+1]]:{{[0-9]+}}: error: !tosa.block_scaled requires LLVM 23, but this build uses LLVM 22
func.func @tosa(%x: tensor<64x!tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f8E5M2>>) {
  return
}

// -----

// CHECK-DAG: newer_syntax.mlir:[[@LINE+1]]:{{[0-9]+}}: error: !quant.quantile requires LLVM 23, but this build uses LLVM 22
func.func @quant(%x: !quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0}>:f32, 0.5>) {
  return
}

// -----

func.func @linalg(%a: tensor<4x64xf8E5M2>, %s: tensor<f32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-DAG: newer_syntax.mlir:[[@LINE+1]]:{{[0-9]+}}: error: linalg.scaled_contract requires LLVM 24, but this build uses LLVM 22
  %d = linalg.scaled_contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ()>,
                       affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %s, %a, %s : tensor<4x64xf8E5M2>, tensor<f32>, tensor<4x64xf8E5M2>, tensor<f32>)
      outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// -----

// CHECK-DAG: newer_syntax.mlir:[[@LINE+1]]:{{[0-9]+}}: error: !quant.uniform of floats requires LLVM 23, but this build uses LLVM 22
func.func @floats(%x: tensor<4x!quant.uniform<f8E4M3FN:f32, 2.0>>) {
  return
}

// -----

func.func @generic(%x: tensor<4xf32>) {
  // CHECK-DAG: newer_syntax.mlir:[[@LINE+1]]:{{[0-9]+}}: error: tosa.reshape_block_scaled requires LLVM 23, but this build uses LLVM 22
  "tosa.reshape_block_scaled"(%x) : (tensor<4xf32>) -> ()
  return
}
