//===- DecomposeFakeConvert.cpp - fakeconvert to arith and casts ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplacementCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Lowering/ElementBodies.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATDECOMPOSEFAKECONVERTPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-decompose-fakeconvert"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the sizes of scale and shift, which are equal (K4). A size is static
/// if it is static in either type.
static SmallVector<int64_t> getParameterSizes(FakeConvertOp op) {
  SmallVector<int64_t> sizes(
      cast<RankedTensorType>(op.getScale().getType()).getShape());
  if (Value shift = op.getShift())
    for (auto [size, other] : llvm::zip_equal(
             sizes, cast<RankedTensorType>(shift.getType()).getShape()))
      if (ShapedType::isDynamic(size))
        size = other;
  return sizes;
}

namespace {
///   %y = fakeconvert %x, %s : tensor<?x?xf32>, tensor<?xf32> to ...
///   ->
///   %y = linalg.generic ins(%x, %s) outs(%empty)
///          maps (d0, d1) -> (d0, d1), (d1) {
///     ^bb0(%a: f32, %b: f32, %out: f32):
///       %0 = arith.mulf %a, %b
///       ...
///       linalg.yield %n
///   }
struct DecomposeFakeConvert final : OpRewritePattern<FakeConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FakeConvertOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type ||
        !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
      return rewriter.notifyMatchFailure(op, "not of ranked tensors");
    SmallVector<int64_t> parameterSizes = getParameterSizes(op);
    auto granularity = reference::Granularity::getBroadcast();
    // Like OpenVINO, the verifier does not check this for the shift.
    if (!granularity.fits(parameterSizes, type.getShape()) ||
        !granularity.fits(
            parameterSizes,
            cast<RankedTensorType>(op.getInput().getType()).getShape()))
      return rewriter.notifyMatchFailure(op, "the shift does not broadcast");
    LDBG() << "decomposing " << op;
    Location loc = op.getLoc();
    int64_t rank = type.getRank();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getInput());
    SmallVector<AffineMap> maps = {rewriter.getMultiDimIdentityMap(rank)};
    maps.append(
        op->getNumOperands() - 1,
        granularity.getMap(op.getContext(), parameterSizes, type.getShape()));
    // Static sizes of the parameters and of the result also apply to the input
    // (K6).
    for (auto [index, size] : llvm::enumerate(llvm::reverse(parameterSizes)))
      if (!ShapedType::isDynamic(size) && size != 1)
        sizes[rank - 1 - index] = rewriter.getIndexAttr(size);
    for (auto [size, known] : llvm::zip_equal(sizes, type.getShape()))
      if (!ShapedType::isDynamic(known))
        size = rewriter.getIndexAttr(known);
    maps.push_back(maps.front());
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), op->getOperands(), empty, maps,
        iterators, [&](OpBuilder &builder, Location loc, ValueRange args) {
          Value shift = op.getShift() ? args[2] : Value();
          linalg::YieldOp::create(
              builder, loc,
              buildElementBody(builder, loc, op, args[0], args[1], shift));
        });
    Value result = generic.getResult(0);
    if (result.getType() != type)
      result = tensor::CastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct DecomposeFakeConvertPass final
    : quant_float::impl::QuantFloatDecomposeFakeConvertPassBase<
          DecomposeFakeConvertPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateDecomposeFakeConvertPatterns(patterns);
    ReplacementCounter<FakeConvertOp> counter(numDecomposed);
    walkAndApplyPatterns(getOperation(), std::move(patterns), &counter);
  }
};
} // namespace

void quant_float::populateDecomposeFakeConvertPatterns(
    RewritePatternSet &patterns) {
  populateFakeConvertPatterns(patterns);
  patterns.add<DecomposeFakeConvert>(patterns.getContext());
}
