// The generic form that a newer MLIR prints, read without a registered quant
// dialect.
// RUN: %tools_dir/quant-float-opt-without-quant %s \
// RUN:   --allow-unregistered-dialect --quant-float-legalize-arith -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @per_tensor
// CHECK-SAME: %[[X:.+]]: tensor<?x3xf32>
func.func @per_tensor(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // CHECK: %[[S:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
  // CHECK: %[[Q:.+]] = quant_float.quantize %[[X]], %[[S]] opset 28 : tensor<?x3xf32>, tensor<f32> to tensor<?x3xf8E4M3FN>
  // CHECK-NOT: quant.
  // CHECK: quant_float.dequantize %[[Q]], %{{.*}} opset 28 : tensor<?x3xf8E4M3FN>, tensor<f32> to tensor<?x3xf32>
  %0 = "quant.qcast"(%x) : (tensor<?x3xf32>) -> tensor<?x3x!quant.uniform<f8E4M3FN:f32, 5.000000e-01>>
  %1 = "quant.dcast"(%0) : (tensor<?x3x!quant.uniform<f8E4M3FN:f32, 5.000000e-01>>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// CHECK-LABEL: @per_axis
func.func @per_axis(%x: tensor<4x3xf16>) -> tensor<4x3x!quant.uniform<f8E5M2:f16:1, {1.0, 2.0:0, 0.25}>> {
  // CHECK: %[[S:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 2.500000e-01]> : tensor<3xf16>
  // CHECK: %[[Q:.+]] = quant_float.quantize %{{.*}}, %[[S]] axis 1 opset 28
  // CHECK: "quant.scast"(%[[Q]]) : (tensor<4x3xf8E5M2>) -> tensor<4x3x!quant.uniform
  %0 = "quant.qcast"(%x) : (tensor<4x3xf16>) -> tensor<4x3x!quant.uniform<f8E5M2:f16:1, {1.0, 2.0:0, 0.25}>>
  return %0 : tensor<4x3x!quant.uniform<f8E5M2:f16:1, {1.0, 2.0:0, 0.25}>>
}

// CHECK-LABEL: @storage_argument
// CHECK-SAME: %[[C:.+]]: tensor<4xf8E4M3FN>, %[[Q:.+]]: !quant
func.func @storage_argument(%c: tensor<4xf8E4M3FN>, %q: !quant.uniform<f8E4M3FN:bf16, 2.0>) -> (tensor<4xf32>, bf16) {
  // CHECK: quant_float.dequantize %[[C]]
  // CHECK: %[[S:.+]] = arith.constant 2.000000e+00 : bf16
  // CHECK: %[[QUANTIZED:.+]] = "quant.scast"(%[[Q]]) : (!quant.uniform<f8E4M3FN:bf16, 2.0>) -> f8E4M3FN
  // CHECK: quant_float.dequantize %[[QUANTIZED]], %[[S]] opset 28 : f8E4M3FN, bf16 to bf16
  %0 = "quant.scast"(%c) : (tensor<4xf8E4M3FN>) -> tensor<4x!quant.uniform<f8E4M3FN:f32, 5.000000e-01>>
  %1 = "quant.dcast"(%0) : (tensor<4x!quant.uniform<f8E4M3FN:f32, 5.000000e-01>>) -> tensor<4xf32>
  %2 = "quant.dcast"(%q) : (!quant.uniform<f8E4M3FN:bf16, 2.0>) -> bf16
  return %1, %2 : tensor<4xf32>, bf16
}

// Upstream's own passes lower these.
// CHECK-LABEL: @integers
func.func @integers(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<u8:f32, 0.5:128>> {
  // CHECK: "quant.qcast"
  %0 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<u8:f32, 0.5:128>>
  return %0 : tensor<4x!quant.uniform<u8:f32, 0.5:128>>
}

// -----

func.func @types(%x: tensor<4xf32>, %d: tensor<4xf64>, %u: tensor<*xf32>) {
  // expected-remark @+1 {{not legalized: f8E4M3 is not a float8 type of ONNX}}
  %0 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3:f32, 0.5>>
  // expected-remark @+1 {{not legalized: the zero point of f8E4M3FN must be 0, but got 3}}
  %1 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32, 0.5:3>>
  // expected-remark @+1 {{not legalized: the storage range must be the full range of the storage type}}
  %2 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN<-200:200>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: the expressed type must be f16, bf16 or f32}}
  %3 = "quant.qcast"(%d) : (tensor<4xf64>) -> tensor<4x!quant.uniform<f8E4M3FN:f64, 0.5>>
  // expected-remark @+1 {{not legalized: scales must be per tensor or per axis, but are per block}}
  %4 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32:{0:2}, {0.5, 1.0}>>
  // expected-remark @+1 {{not legalized: a scale must be a positive number, but got 'half'}}
  %5 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32, half>>
  // expected-remark @+1 {{not legalized: the expressed type must be the tensor's element type f32, but got bf16}}
  %6 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:bf16, 0.5>>
  // expected-remark @+1 {{not legalized: expected a scale for each element along axis 0, but got 3}}
  %7 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32:0, {0.5, 1.0, 2.0}>>
  // expected-remark @+1 {{not legalized: values must be scalars or ranked tensors}}
  %8 = "quant.qcast"(%u) : (tensor<*xf32>) -> tensor<*x!quant.uniform<f8E4M3FN:f32, 0.5>>
  // expected-remark @+1 {{not legalized: input and result must have the same shape}}
  %9 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<5x!quant.uniform<f8E4M3FN:f32, 0.5>>
  // expected-remark @+1 {{not legalized: the axis must be a number}}
  %10 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32:a, {0.5}>>
  // expected-remark @+1 {{not legalized: a scale must be a positive number, but got '-1.0'}}
  %11 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32, -1.0>>
  // expected-remark @+1 {{not legalized: expected one scale for the tensor, but got 2}}
  %12 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32, {1.0, 2.0}>>
  // expected-remark @+1 {{not legalized: expected the end of the type after the scales, but got ', 2.0'}}
  %13 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<f8E4M3FN:f32, 1.0, 2.0>>
  return
}

// -----

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$AXIS:.+]] = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: @quantiles_per_axis
// CHECK-SAME: %[[C:.+]]: tensor<?x2xui2>
func.func @quantiles_per_axis(%c: tensor<?x2xui2>) -> tensor<?x2xbf16> {
  // CHECK: %[[Q:.+]] = arith.constant dense<[-1.000000e+00, 2.500000e-01, 5.000000e-01, 1.000000e+00]> : tensor<4xf32>
  // CHECK: %[[S:.+]] = arith.constant dense<[5.000000e-01, 4.000000e+00]> : tensor<2xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$AXIS]], #[[$ID]]]{{.*}} ins(%[[C]], %[[S]] : tensor<?x2xui2>, tensor<2xf32>)
  // CHECK: ^bb0(%[[IN:.+]]: ui2, %[[SCALE:.+]]: f32,
  // CHECK: %[[BYTE:.+]] = quant_float.storage_cast %[[IN]] : ui2 to i8
  // CHECK: %[[MASK:.+]] = arith.constant 3 : i8
  // CHECK: %[[BITS:.+]] = arith.andi %[[BYTE]], %[[MASK]] : i8
  // CHECK: %[[INDEX:.+]] = arith.index_castui %[[BITS]] : i8 to index
  // CHECK: %[[V:.+]] = tensor.extract %[[Q]][%[[INDEX]]]
  // CHECK: %[[P:.+]] = arith.mulf %[[V]], %[[SCALE]] : f32
  // CHECK: arith.truncf %[[P]] : f32 to bf16
  %q = builtin.unrealized_conversion_cast %c : tensor<?x2xui2> to tensor<?x2x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0}>:bf16:1, {0.5:0, 4.0}>>
  %0 = "quant.dcast"(%q) : (tensor<?x2x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0}>:bf16:1, {0.5:0, 4.0}>>) -> tensor<?x2xbf16>
  return %0 : tensor<?x2xbf16>
}

// Values are rounded to the type of the quantiles. Indices above the range have
// the last value.
// CHECK-LABEL: @quantiles_of_scalars
// CHECK-SAME: %[[X:.+]]: !quant
func.func @quantiles_of_scalars(%q: !quant.uniform<!quant.quantile<ui2:f8E4M3FN, {-1.0, 0.26}, <0:1>>:f32, 0.5>) -> f32 {
  // CHECK: %[[I:.+]] = "quant.scast"(%[[X]]) : ({{.*}}) -> ui2
  // CHECK: %[[Q:.+]] = arith.constant dense<[-1.000000e+00, 2.500000e-01, 2.500000e-01, 2.500000e-01]> : tensor<4xf32>
  // CHECK: tensor.extract %[[Q]]
  // CHECK: arith.mulf
  %0 = "quant.dcast"(%q) : (!quant.uniform<!quant.quantile<ui2:f8E4M3FN, {-1.0, 0.26}, <0:1>>:f32, 0.5>) -> f32
  return %0 : f32
}

// CHECK-LABEL: @integer_quantiles
// CHECK-SAME: %[[C:.+]]: tensor<3xi2>
func.func @integer_quantiles(%c: tensor<3xi2>) -> tensor<3xf32> {
  // CHECK: arith.constant dense<[-1.000000e+00, 0.000000e+00, 2.000000e+00, 9.000000e+00]> : tensor<4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[C]],
  // CHECK: arith.index_castui %{{.*}} : i2 to index
  %q = "quant.scast"(%c) : (tensor<3xi2>) -> tensor<3x!quant.uniform<!quant.quantile<ui2:si8, {-1.0, 0.0, 2.0, 9.0}>:f32, 0.5>>
  %0 = "quant.dcast"(%q) : (tensor<3x!quant.uniform<!quant.quantile<ui2:si8, {-1.0, 0.0, 2.0, 9.0}>:f32, 0.5>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @quantiles_not_legalized(%x: tensor<4xf32>) {
  // expected-remark @+1 {{not legalized: the quant dialect does not define the rounding to quantiles}}
  %0 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0}>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: the storage type of quantiles must be ui2, ui4, ui8 or ui16, but got si2}}
  %1 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<si2:f16, {-1.0, 0.25, 0.5, 1.0}>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: the type of quantiles must be a float of at most 32 bits or a signed or unsigned integer of at most 16 bits}}
  %2 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<ui2:f64, {-1.0, 0.25, 0.5, 1.0}>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: a quantile must be a number, but got 'x'}}
  %3 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, x, 0.5, 1.0}>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: the storage range of quantiles must start at 0}}
  %4 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5}, <1:3>>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: expected at most 4 quantiles, but got 5}}
  %5 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0, 2.0}>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: a quantile of type ui8 must be an integer of this type, but got -1.000000}}
  %6 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<ui2:ui8, {-1.0, 1.0, 2.0, 3.0}>:f32, 0.5>>
  // expected-remark @+1 {{not legalized: the zero point of quantiles must be 0, but got 1}}
  %7 = "quant.qcast"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.25, 0.5, 1.0}>:f32, 0.5:1>>
  return
}
