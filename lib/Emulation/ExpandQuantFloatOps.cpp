//===- ExpandQuantFloatOps.cpp - Ops on scalars and vectors ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Emulation/ExpandQuantFloatOps.h"

#include "AArch64/Float8Mode.h"
#include "NVVM/Kernels.h"
#include "Patterns.h"
#include "Storage.h"
#include "X86/Instructions.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/Emulation/ElementBodies.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// In the order of apply. Empty ones are left out.
struct QuantFloatExpansion::Steps {
  Steps(MLIRContext *context, const EmulationTarget &target);

  const EmulationTarget target;
  FrozenRewritePatternSet bodies, divisions, shapes, splits, roundTrips, casts,
      rest;
};

QuantFloatExpansion::Steps::Steps(MLIRContext *context,
                                  const EmulationTarget &given)
    : target(given) {
  RewritePatternSet bodies(context), divisions(context), shapes(context),
      splits(context), roundTrips(context), casts(context), rest(context);
  populateQuantizationPatterns(bodies);
  populateFakeConvertPatterns(bodies);
  populateOpenVinoCastPatterns(bodies);
  if (target.dividesByReciprocal)
    populateDivisionByScalarPatterns(target, divisions);
  if (target.machine == Machine::Nvidia)
    populateFlatteningPatterns(shapes);
  populateCastSplitPatterns(target, splits);
  populateRoundThroughFloatsPatterns(target, roundTrips);
  populateQuantizeInPlacePatterns(target, roundTrips);
  populateCastPatterns(target, casts);
  populateQuantizeElementsPatterns(target, casts);
  populateStorageCastPatterns(rest);
  if (target.has(ConversionFeature::Avx512Vbmi))
    x86::populateNarrowByPermutesPatterns(rest);
  if (target.machine == Machine::Nvidia)
    nvvm::populateInstructionPatterns(rest);
  this->bodies = std::move(bodies);
  this->divisions = std::move(divisions);
  this->shapes = std::move(shapes);
  this->splits = std::move(splits);
  this->roundTrips = std::move(roundTrips);
  this->casts = std::move(casts);
  this->rest = std::move(rest);
}

QuantFloatExpansion::QuantFloatExpansion(MLIRContext *context,
                                         const EmulationTarget &target)
    : steps(std::make_shared<const Steps>(context, target)) {}

const EmulationTarget &QuantFloatExpansion::getTarget() const {
  return steps->target;
}

/// Nobody looks at the codes of what has been rounded, and at borders that were
/// left on both sides of nothing.
template <typename... OpTys> static void eraseUnused(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isa<OpTys...>(op) && op->use_empty())
      op->erase();
  });
}

LogicalResult QuantFloatExpansion::apply(Operation *root) const {
  bool isKernel = steps->target.machine == Machine::Nvidia;
  if (isKernel && failed(nvvm::verifyShapes(root)))
    return failure();
  // quantize_elements and casts are what is left of the dialect.
  walkAndApplyPatterns(root, steps->bodies);
  if (steps->target.dividesByReciprocal) {
    walkAndApplyPatterns(root, steps->divisions);
    groupScales(root);
  }
  if (isKernel)
    walkAndApplyPatterns(root, steps->shapes);
  if (steps->target.machine != Machine::None)
    walkAndApplyPatterns(root, steps->splits);
  // Pairs of casts before single ones.
  walkAndApplyPatterns(root, steps->roundTrips);
  eraseUnused<CastOp, QuantizeElementsOp>(root);
  walkAndApplyPatterns(root, steps->casts);
  walkAndApplyPatterns(root, steps->rest);
  eraseUnused<StorageCastOp>(root);
  if (steps->target.has(ConversionFeature::Avx2))
    x86::prepareAhead(root);
  if (isKernel)
    nvvm::lowerShapes(root);
  if (steps->target.has(ConversionFeature::Fp8))
    aarch64::hoistFloat8Modes(root);
  return success();
}

LogicalResult quant_float::expandQuantFloatOps(Operation *root,
                                               const EmulationTarget &target) {
  return QuantFloatExpansion(root->getContext(), target).apply(root);
}
