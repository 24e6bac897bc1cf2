// After normalize-import, only calls that must not be inlined remain.
// RUN: not quant-float-opt %s --quant-float-verify-stage=stage=normalize-import 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: quant-float-opt %s --quant-float-normalize-import=verify-stages | FileCheck %s --check-prefix=NORMALIZED

// CHECK: verify-calls.mlir:[[# @LINE + 19]]:{{.*}}: error: expected no such op after the stage normalize-import, but found a call

// NORMALIZED-LABEL: func.func @main(
// NORMALIZED:         call @kept(
// NORMALIZED-NEXT:    call @inlined(
// NORMALIZED-NEXT:    quant_float.cast
// NORMALIZED-NOT:     call
func.func private @kept(%x: tensor<*xf32>) -> tensor<*xf32> attributes {no_inline} {
  return %x : tensor<*xf32>
}

func.func private @inlined(%x: tensor<*xf32>) -> tensor<*xf16> {
  %0 = quant_float.cast %x opset 25 : tensor<*xf32> to tensor<*xf16>
  return %0 : tensor<*xf16>
}

func.func @main(%x: tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf16>, tensor<*xf16>) {
  %0 = call @kept(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %1 = call @inlined(%x) {no_inline} : (tensor<*xf32>) -> tensor<*xf16>
  %2 = call @inlined(%x) : (tensor<*xf32>) -> tensor<*xf16>
  return %0, %1, %2 : tensor<*xf32>, tensor<*xf16>, tensor<*xf16>
}
