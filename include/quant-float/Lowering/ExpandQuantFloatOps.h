//===- ExpandQuantFloatOps.h - Expansion to arith ops -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LOWERING_EXPANDQUANTFLOATOPS_H
#define QUANT_FLOAT_LOWERING_EXPANDQUANTFLOATOPS_H

#include "mlir/IR/Operation.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include <memory>

namespace mlir::quant_float {

/// The patterns of expandQuantFloatOps for one context and target. Copies share
/// the patterns. `apply` is thread-safe.
class QuantFloatExpansion {
public:
  QuantFloatExpansion(MLIRContext *context, const LoweringTarget &target);
  const LoweringTarget &getTarget() const;
  LogicalResult apply(Operation *root) const;

private:
  struct Steps;
  std::shared_ptr<const Steps> steps;
};

/// Expands all ops of the dialect on scalars and vectors inside `root` to
/// arith, math and vector ops, and to conversion instructions if the target has
/// rows in Conversions.def. This is the entire lowering of these ops for CPUs
/// and GPUs. Ops on tensors remain; in GPU kernels they are an error. Emits a
/// remark of the category kConversionRemarks with the plan of each conversion.
LogicalResult expandQuantFloatOps(Operation *root,
                                  const LoweringTarget &target);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LOWERING_EXPANDQUANTFLOATOPS_H
