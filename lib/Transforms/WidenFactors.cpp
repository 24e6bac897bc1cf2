//===- WidenFactors.cpp - Factors of products as f32 ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATWIDENFACTORSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Elements that are read fewer times are converted where they are read.
static constexpr int64_t kFewestUses = 8;

/// The cast to f32 that is all that the body does with an element of 8 or 16
/// bits, which is a factor.
static CastOp findCast(GenericOp op, OpOperand *input) {
  BlockArgument argument = op.getMatchingBlockArgument(input);
  auto type = dyn_cast<FloatType>(argument.getType());
  if (!type || (type.getWidth() != 8 && type.getWidth() != 16) ||
      !isa<RankedTensorType>(input->get().getType()) || !argument.hasOneUse())
    return {};
  auto cast = dyn_cast<CastOp>(*argument.user_begin());
  return cast && !cast.getRandom() && cast.getType().isF32() &&
                 cast->hasOneUse() && isa<arith::MulFOp>(*cast->user_begin())
             ? cast
             : CastOp();
}

/// How often each element is read, at least. Along the output's innermost loop
/// vectors have one element of the input for all of their lanes, whose cast is
/// a scalar's and takes longer than those that an op of its own does: there a
/// size that only the run tells counts as many.
static int64_t countUses(GenericOp op, OpOperand *input) {
  AffineMap map = op.getMatchingIndexingMap(input);
  AffineMap output = op.getIndexingMapsArray().back();
  int64_t uses = 1;
  if (output.getNumResults())
    if (std::optional<unsigned> inner = getLoop(output.getResults().back());
        inner && !map.isFunctionOfDim(*inner) &&
        ShapedType::isDynamic(op.getStaticLoopRanges()[*inner]))
      return kFewestUses;
  for (auto [loop, range, iterator] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel &&
        !map.isFunctionOfDim(loop) && !ShapedType::isDynamic(range))
      // Enough is enough: sizes of models may be anything.
      uses = std::min(uses * std::min(range, kFewestUses), kFewestUses);
  return uses;
}

static void widen(RewriterBase &rewriter, GenericOp op, OpOperand *input,
                  CastOp cast) {
  Value factor = input->get();
  auto type = mlir::cast<RankedTensorType>(factor.getType());
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, factor),
      rewriter.getF32Type());
  SmallVector<AffineMap> maps(2,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto wide = GenericOp::create(
      rewriter, loc, empty.getType(), factor, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(cast.getInput(), arguments.front());
        Operation *copy = builder.clone(*cast, mapping);
        linalg::YieldOp::create(builder, loc, copy->getResults());
      });
  rewriter.modifyOpInPlace(op, [&] {
    input->set(wide->getResult(0));
    BlockArgument argument = op.getMatchingBlockArgument(input);
    argument.setType(rewriter.getF32Type());
    cast->replaceAllUsesWith(ValueRange{argument});
  });
  rewriter.eraseOp(cast);
}

namespace {
struct WidenFactors final
    : quant_float::impl::QuantFloatWidenFactorsPassBase<WidenFactors> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0)
        ops.push_back(op);
    });
    for (GenericOp op : ops)
      for (OpOperand *input : op.getDpsInputOperands())
        if (CastOp cast = findCast(op, input);
            cast && countUses(op, input) >= kFewestUses)
          widen(rewriter, op, input, cast);
  }
};
} // namespace
