//===- CommutePadAndDequantize.cpp - Pad before dequantizing --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pads float8 values instead of dequantized ones:
//
//   %values = linalg.generic (%quantized, %scale) { cast, mulf }
//   %padded = tensor.pad %values { 0 }
//
// becomes
//
//   %padded = tensor.pad %quantized { 0 }
//   %values = linalg.generic (%padded, %scale) { cast, mulf }
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCOMMUTEPADANDDEQUANTIZEPASS
#include "quant-float/Codegen/GPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-commute-pad-and-dequantize"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Whether `value` is zero if `quantized` is zero, assuming that scales are
/// finite.
static bool keepsZero(Value value, Value quantized) {
  if (value == quantized)
    return true;
  if (auto cast = value.getDefiningOp<CastOp>())
    return keepsZero(cast.getInput(), quantized);
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    return keepsZero(extend.getIn(), quantized);
  auto multiply = value.getDefiningOp<arith::MulFOp>();
  return multiply && (keepsZero(multiply.getLhs(), quantized) ||
                      keepsZero(multiply.getRhs(), quantized));
}

/// Returns the float8 operand, or null if there is none or if another operand
/// varies along a padded axis.
static OpOperand *getQuantized(GenericOp decode, tensor::PadOp pad) {
  OpOperand *quantized = nullptr;
  for (OpOperand *input : decode.getDpsInputOperands()) {
    AffineMap map = decode.getMatchingIndexingMap(input);
    Type element = getElementTypeOrSelf(input->get());
    if (isa<Float8E4M3FNType, Float8E5M2Type>(element) && map.isIdentity() &&
        !quantized) {
      quantized = input;
      continue;
    }
    for (unsigned axis = 0; axis < decode.getNumLoops(); ++axis)
      if (pad.getPaddedDims().test(axis) && map.isFunctionOfDim(axis))
        return nullptr;
  }
  return quantized;
}

namespace {
struct PadQuantizedPattern final : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp pad,
                                PatternRewriter &rewriter) const override {
    auto decode = pad.getSource().getDefiningOp<GenericOp>();
    Value padding = pad.getConstantPaddingValue();
    if (!decode || decode->getNumResults() != 1 || !decode->hasOneUse() ||
        decode.getNumParallelLoops() != decode.getNumLoops() ||
        decode.hasIndexSemantics() || !padding ||
        !matchPattern(padding, m_PosZeroFloat()))
      return rewriter.notifyMatchFailure(
          pad, "not a pad with zeros of an elementwise op");
    OpOperand &result = decode.getDpsInitsMutable()[0];
    OpOperand *quantized = getQuantized(decode, pad);
    if (!quantized || !decode.getMatchingIndexingMap(&result).isIdentity() ||
        decode.payloadUsesValueFromOperand(&result) ||
        !keepsZero(decode.getBody()->getTerminator()->getOperand(0),
                   decode.getMatchingBlockArgument(quantized))) {
      LDBG() << "no dequantization that keeps zeros at " << decode.getLoc();
      return failure();
    }

    LDBG() << "padding before the dequantization at " << decode.getLoc();
    Location loc = pad.getLoc();
    Type element = getElementTypeOrSelf(quantized->get());
    Value zero = arith::ConstantOp::create(rewriter, loc, element,
                                           rewriter.getZeroAttr(element));
    auto type = cast<RankedTensorType>(pad.getResultType());
    Value padded = tensor::PadOp::create(rewriter, loc, type.clone(element),
                                         quantized->get(), pad.getMixedLowPad(),
                                         pad.getMixedHighPad(), zero);
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, padded),
        type.getElementType());
    IRMapping mapping;
    auto values = cast<GenericOp>(rewriter.clone(*decode, mapping));
    rewriter.modifyOpInPlace(values, [&] {
      values->setOperand(quantized->getOperandNumber(), padded);
      values->setOperand(result.getOperandNumber(), empty);
      values->getResult(0).setType(type);
    });
    rewriter.replaceOp(pad, values);
    return success();
  }
};

/// Counts the pads that the pattern moves. The driver also folds pads.
struct PatternCounter final : RewriterBase::Listener {
  explicit PatternCounter(Pass::Statistic &count) : count(count) {}
  void notifyPatternEnd(const Pattern &, LogicalResult status) override {
    if (succeeded(status))
      ++count;
  }
  Pass::Statistic &count;
};

struct CommutePadAndDequantize final
    : quant_float::impl::QuantFloatCommutePadAndDequantizePassBase<
          CommutePadAndDequantize> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateCommutePadAndDequantizePatterns(patterns);
    GreedyRewriteConfig config;
    PatternCounter counter(numCommuted);
    config.setListener(&counter);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace

void quant_float::populateCommutePadAndDequantizePatterns(
    RewritePatternSet &patterns) {
  patterns.add<PadQuantizedPattern>(patterns.getContext());
}
