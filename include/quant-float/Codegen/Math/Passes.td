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
    Expands math functions on scalars and vectors to arithmetic with the same
    bits on every target:

    | functions | type | error in units in the last place |
    |---|---|---|
    | exponentials, logarithms, powers, trigonometric and hyperbolic functions, and their inverses | f32 | a few at most: one for `exp`, `log` and `pow`, four for `tan` |
    | `exp`, `log`, `pow`, `sin`, `cos`, `sinh`, `cosh`, `tanh` | f64 | less than two |

    The bounds include subnormal results, and arguments of any magnitude. All
    other functions become calls of the C library, element by element. If `libm`
    is not set, they are errors. Roots and roundings, for which targets have
    instructions, are not expanded.

    Without `fma`, `math.fma` on f32 is expanded to arithmetic on f64 that is
    rounded to odd, which gives the same bits:

    ```
    %0 = math.fma %a, %b, %c : vector<8xf32>
    // becomes, without fma
    %x = arith.extf %a : vector<8xf32> to vector<8xf64>
    %y = arith.extf %b : vector<8xf32> to vector<8xf64>
    %z = arith.extf %c : vector<8xf32> to vector<8xf64>
    %product = arith.mulf %x, %y : vector<8xf64>
    %sum = arith.addf %product, %z : vector<8xf64>
    %odd = ... // %sum, rounded to odd
    %0 = arith.truncf %odd : vector<8xf64> to vector<8xf32>
    ```

    `math.fma` on f64 is not expanded: LLVM calls the C library.

    Runs on scalars and vectors, after linalg ops are lowered to loops or
    kernels.
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
