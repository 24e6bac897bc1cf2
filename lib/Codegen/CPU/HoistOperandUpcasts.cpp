//===- HoistOperandUpcasts.cpp - Hoist operand upcasts --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATHOISTOPERANDUPCASTSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-hoist-operand-upcasts"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The minimum number of uses of each element. With fewer, elements are
/// converted where they are read.
static constexpr int64_t kMinUses = 8;

/// Returns the cast of an 8- or 16-bit float to f32, if it is the only use of
/// the element and its result is only multiplied. Returns null otherwise.
static CastOp findCast(GenericOp op, OpOperand *input) {
  BlockArgument argument = op.getMatchingBlockArgument(input);
  auto type = dyn_cast<FloatType>(argument.getType());
  if (!type || (type.getWidth() != 8 && type.getWidth() != 16) ||
      !isa<RankedTensorType>(input->get().getType()) || !argument.hasOneUse())
    return {};
  auto cast = dyn_cast<CastOp>(*argument.user_begin());
  return cast && !cast.getRandom() && cast.hasOnnxRules() &&
                 cast.getType().isF32() && cast->hasOneUse() &&
                 isa<arith::MulFOp, math::FmaOp>(*cast->user_begin())
             ? cast
             : CastOp();
}

/// Returns a lower bound of the number of uses of each element, at most
/// kMinUses. If the input does not vary along the output's innermost loop, each
/// cast is a scalar op, which is slower than the vectorized casts of a separate
/// op; therefore a dynamic extent of that loop counts as many uses.
static int64_t countUses(GenericOp op, OpOperand *input) {
  AffineMap map = op.getMatchingIndexingMap(input);
  AffineMap output = op.getIndexingMapsArray().back();
  int64_t uses = 1;
  if (output.getNumResults())
    if (std::optional<unsigned> inner = getLoop(output.getResults().back());
        inner && !map.isFunctionOfDim(*inner) &&
        ShapedType::isDynamic(op.getStaticLoopRanges()[*inner]))
      return kMinUses;
  for (auto [loop, range, iterator] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel &&
        !map.isFunctionOfDim(loop) && !ShapedType::isDynamic(range))
      // Clamp, because the product of a model's sizes may overflow.
      uses = std::min(uses * std::min(range, kMinUses), kMinUses);
  return uses;
}

static void widen(RewriterBase &rewriter, GenericOp op, OpOperand *input,
                  CastOp cast) {
  Value operand = input->get();
  auto type = mlir::cast<RankedTensorType>(operand.getType());
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, operand),
      rewriter.getF32Type());
  SmallVector<AffineMap> maps(2,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto wide = GenericOp::create(
      rewriter, loc, empty.getType(), operand, empty, maps, iterators,
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
struct HoistOperandUpcasts final
    : quant_float::impl::QuantFloatHoistOperandUpcastsPassBase<
          HoistOperandUpcasts> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<GenericOp> ops =
        collectGenericOps(getOperation(), [](GenericOp op) {
          return op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0;
        });
    for (GenericOp op : ops)
      for (OpOperand *input : op.getDpsInputOperands())
        if (CastOp cast = findCast(op, input)) {
          bool isHoisted = countUses(op, input) >= kMinUses;
          LDBG() << (isHoisted ? "hoisting " : "too few uses of ") << cast;
          if (!isHoisted)
            continue;
          widen(rewriter, op, input, cast);
          ++numHoisted;
        }
  }
};
} // namespace
