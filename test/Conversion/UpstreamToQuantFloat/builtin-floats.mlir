// f8E5M3FNU has the format of !quant_float.f8UE5M3.
// REQUIRES: llvm-at-least-24
// RUN: quant-float-opt %s --quant-float-legalize-arith | FileCheck %s

// CHECK-LABEL: @casts
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>) -> (tensor<4x!quant_float.f8UE5M3>, tensor<4xf32>)
func.func @casts(%x: tensor<4xf32>) -> (tensor<4xf8E5M3FNU>, tensor<4xf32>) {
  // CHECK: %[[Y:.+]] = quant_float.cast %[[X]] mode{{ +}}quant_float opset 1 saturate false : tensor<4xf32> to tensor<4x!quant_float.f8UE5M3>
  // CHECK: quant_float.cast %[[Y]] {{.*}} to tensor<4xf32>
  %0 = arith.truncf %x : tensor<4xf32> to tensor<4xf8E5M3FNU>
  %1 = arith.extf %0 : tensor<4xf8E5M3FNU> to tensor<4xf32>
  return %0, %1 : tensor<4xf8E5M3FNU>, tensor<4xf32>
}

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<3xf8E5M3FNU>, f8E5M3FNU) {
  // CHECK: %[[D:.+]] = arith.constant dense<[120, -128, -2]> : tensor<3xi8>
  // CHECK: quant_float.storage_cast %[[D]] : tensor<3xi8> to tensor<3x!quant_float.f8UE5M3>
  // CHECK: %[[C:.+]] = arith.constant 120 : i8
  // CHECK: quant_float.storage_cast %[[C]] : i8 to !quant_float.f8UE5M3
  %0 = arith.constant dense<[1.0, 2.0, 114688.0]> : tensor<3xf8E5M3FNU>
  %1 = arith.constant 1.0 : f8E5M3FNU
  return %0, %1 : tensor<3xf8E5M3FNU>, f8E5M3FNU
}

// CHECK-LABEL: @bitcasts
// CHECK-SAME: %[[V:.+]]: vector<4x!quant_float.f8UE5M3>, %[[I:.+]]: i8, %[[E:.+]]: f8E4M3FN
func.func @bitcasts(%v: vector<4xf8E5M3FNU>, %i: i8, %e: f8E4M3FN) -> (vector<4xf8E4M3FN>, f8E5M3FNU, f8E5M3FNU) {
  // CHECK: %[[B:.+]] = quant_float.storage_cast %[[V]] : vector<4x!quant_float.f8UE5M3> to vector<4xi8>
  // CHECK: arith.bitcast %[[B]] : vector<4xi8> to vector<4xf8E4M3FN>
  %0 = arith.bitcast %v : vector<4xf8E5M3FNU> to vector<4xf8E4M3FN>
  // CHECK: quant_float.storage_cast %[[I]] : i8 to !quant_float.f8UE5M3
  %1 = arith.bitcast %i : i8 to f8E5M3FNU
  // CHECK: %[[J:.+]] = arith.bitcast %[[E]] : f8E4M3FN to i8
  // CHECK: quant_float.storage_cast %[[J]] : i8 to !quant_float.f8UE5M3
  %2 = arith.bitcast %e : f8E4M3FN to f8E5M3FNU
  return %0, %1, %2 : vector<4xf8E4M3FN>, f8E5M3FNU, f8E5M3FNU
}

// The dialect's types are not element types of memrefs.
// CHECK-LABEL: @memrefs
// CHECK-SAME: memref<4xf8E5M3FNU>
func.func @memrefs(%m: memref<4xf8E5M3FNU>) {
  return
}
