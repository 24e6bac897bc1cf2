// LLVM counts only if it is built with assertions; otherwise the report is empty.
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-transpose-weights,quant-float-fuse-elementwise,quant-float-privatize-dps-inits))" --mlir-pass-statistics --mlir-pass-statistics-display=pipeline -o /dev/null 2>&1 | FileCheck %s %if asserts %{ --check-prefixes=CHECK,COUNT %}

// CHECK: Pass statistics report
// COUNT: QuantFloatTransposeWeightsPass
// COUNT-NEXT: (S) 1 num-transposed - Number of weights transposed
// COUNT: QuantFloatFuseElementwisePass
// COUNT-NEXT: (S) 1 num-fused         - Number of elementwise ops fused into a consumer
// COUNT-NEXT: (S) 0 num-gathers-fused - Number of gathers and slices that compute their elements
// COUNT: QuantFloatPrivatizeDpsInitsPass
// COUNT-NEXT: (S) 1 num-privatized - Number of inits replaced by a separate one

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @weights(%x: tensor<1x32xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<1> : tensor<32x2xi8>
  %s = arith.constant dense<0.5> : tensor<f32>
  %0 = quant_float.dequantize %w, %s opset 21 : tensor<32x2xi8>, tensor<f32> to tensor<32x2xf32>
  %1 = quant_float.node "MatMul"(%x, %0) opset 21 : (tensor<1x32xf32>, tensor<32x2xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

func.func @elementwise(%x: tensor<4x4xf32>, %empty: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %3 = arith.negf %a : f32
    linalg.yield %3 : f32
  } -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Two matmuls start from the same tensor: one of them gets a copy.
func.func @inits(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %empty = tensor.empty() : tensor<4x4xf32>
  %start = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
