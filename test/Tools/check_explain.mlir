// The rules of other compilers' ops.
// RUN: quant-float-check --explain %s | FileCheck %s

// CHECK: check_explain.mlir:[[#@LINE+8]]:8: stablehlo.convert: cast with saturate false (C3) (ONNX Cast saturates by default, and PyTorch 2.12 saturates f8E4M3FN: 1000 gives 448 there)
// CHECK: check_explain.mlir:[[#@LINE+8]]:8: stablehlo.convert: cast that saturates to the range of the type; NaN gives 0
// CHECK: check_explain.mlir:[[#@LINE+8]]:8: stablehlo.convert: cast to nearest, ties up; zeros, negative values and overflow give NaN
// CHECK: check_explain.mlir:[[#@LINE+8]]:8: stablehlo.convert: cast (C8), but every NaN gives -0 (in ONNX Cast, -NaN gives +0)
// CHECK-NOT: stablehlo.convert:
// CHECK: check_explain.mlir:[[#@LINE+9]]:8: stablehlo.uniform_quantize: quantize (D1)
// CHECK-NEXT: check_explain.mlir:[[#@LINE+2]]:8: Cast, opset 28, tensor<4xf32> to tensor<4xf8E4M3FN>: ok
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %1 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xi8>
  %2 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  %3 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
  %4 = "stablehlo.convert"(%x) : (tensor<4xf32>) -> tensor<4xi1>
  %5 = "stablehlo.convert"(%1) : (tensor<4xi8>) -> tensor<4xf32>
  %6 = "stablehlo.uniform_quantize"(%x) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %5 : tensor<4xf32>
}
