//===- Passes.td - Math functions --------------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CODEGEN_MATH_PASSES_TD
#define QUANT_FLOAT_CODEGEN_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatLowerMathPass
    : Pass<"quant-float-lower-math", "mlir::ModuleOp"> {
  let summary = "Expand math functions or call libm";
  let description = [{
    Expands exponentials, logarithms, powers, trigonometric and hyperbolic
    functions and their inverses on f32, scalars and vectors, to arithmetic. The
    error is at most a few units in the last place (`exp`, `log` and `pow`: one;
    `tan`: four), including subnormal results and arguments of any magnitude,
    and the bits are the same on every target. `exp`, `log`, `pow`, `sin`,
    `cos`, `sinh`, `cosh` and `tanh` on f64 are expanded likewise, with an error
    of less than two units. Other functions become calls of the C library,
    element by element, or are errors if `libm` is not set. Roots and roundings,
    for which there are instructions, stay.

    Without `fma`, `math.fma` on f32 is expanded to arithmetic on f64 that is
    rounded to odd, which gives the same bits; on f64, LLVM calls the C library.
  }];
  let options = [
    Option<"libm", "libm", "bool", /*default=*/"true",
           "allow calls of the C library">,
    Option<"fma", "fma", "bool", /*default=*/"true",
           "the target has fused multiply-add instructions">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::math::MathDialect", "mlir::vector::VectorDialect"
  ];
}

#endif // QUANT_FLOAT_CODEGEN_MATH_PASSES_TD
