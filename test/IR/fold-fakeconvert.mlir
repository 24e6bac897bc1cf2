// Folding of fakeconvert. Other tests cover the values, which the Reference computes. This test
// covers the scalars_and_splats.
// RUN: quant-float-opt %s --canonicalize | FileCheck %s

// The result of each mode for values where they differ.

// CHECK-LABEL: func.func @modes
func.func @modes() -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  // CHECK-DAG: %[[E:.+]] = arith.constant dense<[-0.000000e+00, 0.001953125, 3.906250e-03, 1.125000e+00, 4.480000e+02]> : tensor<5xf32>
  // CHECK-DAG: %[[O:.+]] = arith.constant dense<[-0.000000e+00, 0.001953125, 3.906250e-03, 1.000000e+00, 4.480000e+02]> : tensor<5xf32>
  // CHECK-DAG: %[[R:.+]] = arith.constant dense<[0.000000e+00, 0.000000e+00, 0.001953125, 1.000000e+00, 4.480000e+02]> : tensor<5xf32>
  // CHECK: return %[[E]], %[[O]], %[[R]]
  %x = arith.constant dense<[-0.0, 0.00146484375, 0.0029296875, 0x3F880001, 1.0e10]> : tensor<5xf32>
  %s = arith.constant dense<1.0> : tensor<f32>
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<5xf32>, tensor<f32> to tensor<5xf32>
  %1 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino opset 13 : tensor<5xf32>, tensor<f32> to tensor<5xf32>
  %2 = quant_float.fakeconvert %x, %s to f8E4M3FN mode openvino_reference opset 13 : tensor<5xf32>, tensor<f32> to tensor<5xf32>
  return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

// Scale and shift broadcast along any dimension.

// CHECK-LABEL: func.func @broadcast
func.func @broadcast() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<{{\[}}[4.480000e+02, 2.240000e+02, 1.120000e+02], [4.480000e+02, 2.240000e+02, 1.120000e+02]]> : tensor<2x3xf32>
  // CHECK-DAG: %[[B:.+]] = arith.constant dense<{{\[}}[4.490000e+02, 4.490000e+02, 4.490000e+02], [2.250000e+02, 2.250000e+02, 2.250000e+02]]> : tensor<2x3xf32>
  // CHECK: return %[[A]], %[[B]]
  %x = arith.constant dense<1000.0> : tensor<2x3xf32>
  %s = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %t = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %u = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<2x3xf32>, tensor<3xf32> to tensor<2x3xf32>
  %1 = quant_float.fakeconvert %x, %t, %u to f8E4M3FN opset 13 : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32> to tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// Scalars, vectors and splats, which are folded at any size. The result is +0 where the op
// specifies it.

// CHECK-LABEL: func.func @scalars_and_splats
func.func @scalars_and_splats() -> (bf16, vector<4xf16>, tensor<1000000xf32>, f32) {
  // CHECK-DAG: %[[A:.+]] = arith.constant 5.734400e+04 : bf16
  // CHECK-DAG: %[[B:.+]] = arith.constant dense<1.000000e+00> : vector<4xf16>
  // CHECK-DAG: %[[C:.+]] = arith.constant dense<1.750000e+00> : tensor<1000000xf32>
  // CHECK-DAG: %[[D:.+]] = arith.constant 0.000000e+00 : f32
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %x = arith.constant 1.0e30 : bf16
  %s = arith.constant 1.0 : bf16
  %0 = quant_float.fakeconvert %x, %s to f8E5M2 opset 13 : bf16, bf16 to bf16
  %y = arith.constant dense<1.1> : vector<4xf16>
  %t = arith.constant 1.0 : f16
  %1 = quant_float.fakeconvert %y, %t to f8E5M2 opset 13 : vector<4xf16>, f16 to vector<4xf16>
  %z = arith.constant dense<1.7> : tensor<1000000xf32>
  %u = arith.constant dense<1.0> : tensor<1xf32>
  %2 = quant_float.fakeconvert %z, %u to f8E4M3FN opset 13 : tensor<1000000xf32>, tensor<1xf32> to tensor<1000000xf32>
  %n = arith.constant -0.0 : f32
  %v = arith.constant 2.0 : f32
  %3 = quant_float.fakeconvert %n, %v to f8E4M3FN mode openvino positive_zero opset 13 : f32, f32 to f32
  return %0, %1, %2, %3 : bf16, vector<4xf16>, tensor<1000000xf32>, f32
}

// No folding: unknown operands, and results that are too large.

// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: quant_float.fakeconvert
func.func @kept(%s: tensor<f32>, %w: tensor<5000xf32>) -> (tensor<2xf32>, tensor<5000xf32>) {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %o = arith.constant dense<1.0> : tensor<f32>
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : tensor<2xf32>, tensor<f32> to tensor<2xf32>
  %1 = quant_float.fakeconvert %w, %o to f8E4M3FN opset 13 : tensor<5000xf32>, tensor<f32> to tensor<5000xf32>
  return %0, %1 : tensor<2xf32>, tensor<5000xf32>
}

// Constants of scalable vectors must be splats.

// CHECK-LABEL: func.func @scalable
// CHECK-DAG: %[[A:.+]] = arith.constant dense<1.750000e+00> : vector<2x[4]xf32>
// CHECK-DAG: %[[B:.+]] = quant_float.fakeconvert
// CHECK: return %[[A]], %[[B]]
func.func @scalable() -> (vector<2x[4]xf32>, vector<2x[4]xf32>) {
  %x = arith.constant dense<1.7> : vector<2x[4]xf32>
  %s = arith.constant 1.0 : f32
  %t = arith.constant dense<[[1.0], [3.0]]> : vector<2x1xf32>
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13 : vector<2x[4]xf32>, f32 to vector<2x[4]xf32>
  %1 = quant_float.fakeconvert %x, %t to f8E4M3FN opset 13 : vector<2x[4]xf32>, vector<2x1xf32> to vector<2x[4]xf32>
  return %0, %1 : vector<2x[4]xf32>, vector<2x[4]xf32>
}

// The other sizes of an empty tensor do not matter, and 2^64 elements overflow the count.

// CHECK-LABEL: func.func @sizes
// CHECK-DAG: %[[NONE:.+]] = arith.constant dense<> : tensor<0x4611686018427387904x4xf32>
// CHECK-DAG: %[[MANY:.+]] = quant_float.fakeconvert
// CHECK: return %[[NONE]], %[[MANY]]
func.func @sizes() -> (tensor<0x4611686018427387904x4xf32>, tensor<4611686018427387904x4xf32>) {
  %s = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %x = arith.constant dense<> : tensor<0x4611686018427387904x4xf32>
  %0 = quant_float.fakeconvert %x, %s to f8E4M3FN opset 13
      : tensor<0x4611686018427387904x4xf32>, tensor<4xf32> to tensor<0x4611686018427387904x4xf32>
  %y = arith.constant dense<1.0> : tensor<4611686018427387904x4xf32>
  %1 = quant_float.fakeconvert %y, %s to f8E4M3FN opset 13
      : tensor<4611686018427387904x4xf32>, tensor<4xf32> to tensor<4611686018427387904x4xf32>
  return %0, %1 : tensor<0x4611686018427387904x4xf32>, tensor<4611686018427387904x4xf32>
}
