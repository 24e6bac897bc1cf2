//===- ExpandQuantFloatOps.cpp - Expansion to arith ops -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Lowering/ExpandQuantFloatOps.h"

#include "AArch64/Float8Mode.h"
#include "NVVM/Kernels.h"
#include "Patterns.h"
#include "Storage.h"
#include "X86/Instructions.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Lowering/ElementBodies.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The pattern sets in the order in which they are applied. Sets that the
/// target does not need are empty.
struct QuantFloatExpansion::Steps {
  Steps(MLIRContext *context, const LoweringTarget &target);

  const LoweringTarget target;
  FrozenRewritePatternSet bodies, divisions, shapes, splits, roundTrips, casts,
      rest;
};

QuantFloatExpansion::Steps::Steps(MLIRContext *context,
                                  const LoweringTarget &loweringTarget)
    : target(loweringTarget) {
  RewritePatternSet bodies(context), divisions(context), shapes(context),
      splits(context), roundTrips(context), casts(context), rest(context);
  populateBlockPatterns(bodies);
  populateQuantizationPatterns(bodies);
  populateFakeConvertPatterns(bodies);
  populateOpenVinoCastPatterns(bodies);
  if (target.machine == Machine::X86)
    populateBFloatArithmeticPatterns(bodies);
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
                                         const LoweringTarget &target)
    : steps(std::make_shared<const Steps>(context, target)) {}

const LoweringTarget &QuantFloatExpansion::getTarget() const {
  return steps->target;
}

/// Erases ops without uses: encodings of values that have been rounded in
/// place, and storage casts between converted ops.
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
  // Afterwards, quantize_elements and casts are the only ops of the dialect.
  walkAndApplyPatterns(root, steps->bodies);
  if (steps->target.dividesByReciprocal) {
    walkAndApplyPatterns(root, steps->divisions);
    groupScales(root);
  }
  if (isKernel)
    walkAndApplyPatterns(root, steps->shapes);
  if (steps->target.machine != Machine::None)
    walkAndApplyPatterns(root, steps->splits);
  // Round trips must be matched before their casts are expanded.
  walkAndApplyPatterns(root, steps->roundTrips);
  eraseUnused<CastOp, QuantizeElementsOp>(root);
  walkAndApplyPatterns(root, steps->casts);
  walkAndApplyPatterns(root, steps->rest);
  // MLIR 23 does not fold broadcasts of unsigned constants.
  eraseUnused<StorageCastOp, vector::BroadcastOp, ConstantOp>(root);
  if (steps->target.has(ConversionFeature::Avx2))
    x86::pipelineReciprocals(root);
  if (isKernel)
    nvvm::lowerShapes(root);
  if (steps->target.has(ConversionFeature::Fp8))
    aarch64::hoistFloat8Modes(root);
  return success();
}

LogicalResult quant_float::expandQuantFloatOps(Operation *root,
                                               const LoweringTarget &target) {
  return QuantFloatExpansion(root->getContext(), target).apply(root);
}
