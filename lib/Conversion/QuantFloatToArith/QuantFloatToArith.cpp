//===- QuantFloatToArith.cpp - Scalars and vectors to arith ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Emulation/CastExpander.h"
#include "../../Emulation/ExpandQuantize.h"
#include "../../Emulation/RoundThroughFloats.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTOARITHPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// S2
static Value expandByRandomBits(Lanes &lanes, CastOp op, Value storage) {
  Value value =
      decodeFloat(lanes, storage, getElementTypeOrSelf(op.getInput())).value;
  return encodeStochastic(lanes, value, getRandomBits(lanes, op.getRandom()),
                          getElementTypeOrSelf(op.getType()),
                          op.getSemantics());
}

namespace {
/// Expands a cast between its storage types. Values enter and leave by storage
/// casts, which fold away between two casts and where linalg made them.
struct CastOpExpansion final : OpRewritePattern<CastOp> {
  CastOpExpansion(MLIRContext *context, const TargetCpu &cpu)
      : OpRewritePattern(context), cpu(cpu) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Value input = op.getInput();
    if (isa<TensorType>(input.getType()) || op.getMode() == CastMode::OpenVINO)
      return failure();
    Type from = getElementTypeOrSelf(input);
    Type to = getElementTypeOrSelf(op.getResult());
    if (!isNumber(from) || !isNumber(to))
      return rewriter.notifyMatchFailure(op, "strings have no lowering");
    Location loc = op.getLoc();
    Value storage = rewriter.createOrFold<StorageCastOp>(
        loc, getStorageType(input.getType()), input);
    Lanes lanes(rewriter, loc, input, cpu);
    Value result =
        op.getRandom() && from != to
            ? expandByRandomBits(lanes, op, storage)
            : expandCast(lanes, storage, from, to, op.getSemantics());
    if (!result)
      return failure();
    // Narrow floats of a byte are computed as codes.
    result = lanes.bitcast(result, getStorageElementType(to));
    rewriter.replaceOp(
        op, rewriter.createOrFold<StorageCastOp>(loc, op.getType(), result));
    return success();
  }

  TargetCpu cpu;
};

/// A storage cast at the border of what was converted. Unsigned types and the
/// dialect's own have no counterpart in arith: they stay an unrealized cast, as
/// in MLIR's own conversions between signless and other integers.
struct StorageCastOpExpansion final : OpRewritePattern<StorageCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StorageCastOp op,
                                PatternRewriter &rewriter) const override {
    if (op.use_empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    Value input = op.getInput();
    if (isa<TensorType>(input.getType()))
      return failure();
    if (auto inner = input.getDefiningOp<StorageCastOp>())
      if (inner.getInput().getType() == op.getType()) {
        rewriter.replaceOp(op, inner.getInput());
        return success();
      }
    Location loc = op.getLoc();
    static const TargetCpu none;
    Lanes lanes(rewriter, loc, input, none);
    Type from = getElementTypeOrSelf(input);
    Type to = getElementTypeOrSelf(op.getResult());
    unsigned fromWidth = getNumberWidth(from);
    unsigned toWidth = getNumberWidth(to);
    auto toSignless = [&](Value value, unsigned width) -> Value {
      Type type = lanes.getType(rewriter.getIntegerType(width));
      if (value.getType() == type)
        return value;
      if (isa<FloatType>(getElementTypeOrSelf(value)))
        return lanes.bitcast(value, rewriter.getIntegerType(width));
      return UnrealizedConversionCastOp::create(rewriter, loc, type, value)
          .getResult(0);
    };
    Value result = toSignless(input, fromWidth);
    bool isSigned = from.isSignlessInteger() && fromWidth != 1;
    result = lanes.resize(result, toWidth, isSigned);
    if (isa<FloatType>(to))
      result = lanes.bitcast(result, to);
    else if (result.getType() != op.getType())
      result = UnrealizedConversionCastOp::create(rewriter, loc, op.getType(),
                                                  result)
                   .getResult(0);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ConvertQuantFloatToArith final
    : quant_float::impl::ConvertQuantFloatToArithPassBase<
          ConvertQuantFloatToArith> {
  using ConvertQuantFloatToArithPassBase::ConvertQuantFloatToArithPassBase;

  void runOnOperation() override {
    // LLVM takes longer to look a CPU up than casts to be expanded.
    if (!isResolved && !cpu.empty()) {
      llvm::Expected<TargetCpu> known = TargetCpu::get(triple, cpu, features);
      if (!known) {
        getOperation()->emitError() << llvm::toString(known.takeError());
        return signalPassFailure();
      }
      target = *known;
      isResolved = true;
    }
    MLIRContext *context = &getContext();
    RewritePatternSet bodies(context), divisions(context), roundTrips(context),
        casts(context), storageCasts(context);
    populateQuantizeToElementsPatterns(bodies);
    populateFakeConvertToArithPatterns(bodies);
    populateOpenVinoCastToArithPatterns(bodies);
    populateDivisionByScalarPatterns(target, divisions);
    populateRoundThroughFloatsPatterns(target, roundTrips);
    populateQuantizeInPlacePatterns(target, roundTrips);
    populateQuantFloatToArithConversionPatterns(target, casts);
    populateQuantFloatToX86ConversionPatterns(target, casts);
    populateStorageCastToArithPatterns(storageCasts);
    populateX86NarrowingPatterns(target, storageCasts);
    walkAndApplyPatterns(getOperation(), std::move(bodies));
    walkAndApplyPatterns(getOperation(), std::move(divisions));
    if (target.hasFma)
      groupScales(getOperation());
    walkAndApplyPatterns(getOperation(), std::move(roundTrips));
    // Nobody looks at the codes of what has been rounded.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isa<CastOp, QuantizeElementsOp>(op) && op->use_empty())
            op->erase();
        });
    walkAndApplyPatterns(getOperation(), std::move(casts));
    walkAndApplyPatterns(getOperation(), std::move(storageCasts));
    // The unsigned borders that were left on both sides of nothing.
    getOperation()->walk([](StorageCastOp op) {
      if (op.use_empty())
        op.erase();
    });
  }

private:
  TargetCpu target;
  bool isResolved = false;
};
} // namespace

void quant_float::populateQuantFloatToArithConversionPatterns(
    const TargetCpu &cpu, RewritePatternSet &patterns) {
  patterns.add<CastOpExpansion>(patterns.getContext(), cpu);
  populateQuantizeElementsToArithPatterns(cpu, patterns);
}

void quant_float::populateStorageCastToArithPatterns(
    RewritePatternSet &patterns) {
  patterns.add<StorageCastOpExpansion>(patterns.getContext());
}
