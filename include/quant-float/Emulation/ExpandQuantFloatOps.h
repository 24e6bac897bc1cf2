//===- ExpandQuantFloatOps.h - Expansion to arith ops -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EMULATION_EXPANDQUANTFLOATOPS_H
#define QUANT_FLOAT_EMULATION_EXPANDQUANTFLOATOPS_H

#include "mlir/IR/Operation.h"
#include "quant-float/Emulation/EmulationTarget.h"
#include <memory>

namespace mlir::quant_float {

/// What expandQuantFloatOps does, prepared for one context and target. Copies
/// share it; any number of threads may apply it at once.
class QuantFloatExpansion {
public:
  QuantFloatExpansion(MLIRContext *context, const EmulationTarget &target);
  const EmulationTarget &getTarget() const;
  LogicalResult apply(Operation *root) const;

private:
  struct Steps;
  std::shared_ptr<const Steps> steps;
};

/// Makes arith, math and vector ops, and conversion instructions where the
/// target has rows of Conversions.def, of all ops of quant_float on scalars and
/// vectors inside `root`: all that the lowerings to a CPU or a GPU do for them.
/// Ops on tensors stay; inside of kernels they are an error. Each conversion
/// has a remark of the category kConversionRemarks that tells its plan.
LogicalResult expandQuantFloatOps(Operation *root,
                                  const EmulationTarget &target);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EMULATION_EXPANDQUANTFLOATOPS_H
