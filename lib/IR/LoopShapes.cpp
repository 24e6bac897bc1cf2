//===- LoopShapes.cpp - Shapes of loop results ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/LoopShapes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::quant_float;

Value quant_float::findLoopShapeSource(Value result) {
  auto loop = result.getDefiningOp<scf::ForOp>();
  if (!loop)
    return {};
  unsigned index = cast<OpResult>(result).getResultNumber();
  Value value = loop.getYieldedValues()[index];
  while (value != loop.getRegionIterArg(index)) {
    if (auto destination = value.getDefiningOp<DestinationStyleOpInterface>())
      value = destination.getTiedOpOperand(cast<OpResult>(value))->get();
    else if (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    else
      value = findLoopShapeSource(value);
    if (!value)
      return {};
  }
  return loop.getInitArgs()[index];
}

namespace {
/// dim (for iter_args(%a = %init) {...}) -> dim %init
struct DimOfLoop final : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    Value source = findLoopShapeSource(op.getSource());
    if (!source)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(source); });
    return success();
  }
};
} // namespace

void quant_float::populateLoopShapePatterns(RewritePatternSet &patterns) {
  patterns.add<DimOfLoop>(patterns.getContext());
}
