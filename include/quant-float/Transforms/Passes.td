//===- Passes.td - Passes on quant_float -------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TRANSFORMS_PASSES_TD
#define QUANT_FLOAT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatRequireLoweredPass : Pass<"quant-float-require-lowered"> {
  let summary = "fail if anything is left that a lowering should have removed";
  let description = [{
    An op of the `quant_float` dialect, or an `arith.extf`, `arith.truncf` or
    other cast from or to a narrow float, that survives the lowerings would be
    passed on in silence by upstream's conversions. This pass names each, with
    its types, the target and what is missing, and fails.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "name of the target in the error">
  ];
}

#endif // QUANT_FLOAT_TRANSFORMS_PASSES_TD
