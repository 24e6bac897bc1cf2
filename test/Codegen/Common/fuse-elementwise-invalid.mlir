// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-elementwise))" -verify-diagnostics

// Upstream's fusion would drop the zeros outside of the diagonal.
func.func @diagonal(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{has no lowering: expected an op that reads its init or overwrites all of its elements}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%zeros : tensor<4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
