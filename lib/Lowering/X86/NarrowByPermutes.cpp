//===- NarrowByPermutes.cpp - Truncations by byte permutes ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encoders compute in 32 bits and truncate at the end. One permute of AVX-512
// VBMI selects any bytes (or i16) of two registers. Values at a multiple of the
// result's width therefore need no shift. Bitwise ops and selects at the end of
// the computation can follow the truncation, on two or four times as many
// elements at once:
//
//   trunc(encoding ^ (bits >> 24 & 0x80))
//     ->  bytes(encoding, 0) ^ (bytes(bits, 3) & 0x80)
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The number of 32-bit elements in two registers.
static constexpr int64_t kElements = 32;

namespace {
/// Builds the low `width` bits of vectors of i32.
class Narrower {
public:
  Narrower(OpBuilder &builder, Location loc, VectorType type)
      : builder(builder), loc(loc), type(type),
        width(type.getElementTypeBitWidth()) {}

  /// Returns `value`, whose only user is being replaced, narrowed.
  Value narrow(Value value) {
    if (!value.hasOneUse())
      return pick(value, 0);
    if (auto op = value.getDefiningOp<arith::AndIOp>())
      return narrowBitwise(op);
    if (auto op = value.getDefiningOp<arith::OrIOp>())
      return narrowBitwise(op);
    if (auto op = value.getDefiningOp<arith::XOrIOp>())
      return narrowBitwise(op);
    if (auto op = value.getDefiningOp<arith::SelectOp>())
      if (isa<VectorType>(op.getCondition().getType()))
        return arith::SelectOp::create(builder, loc, op.getCondition(),
                                       narrowOperand(op.getTrueValue()),
                                       narrowOperand(op.getFalseValue()));
    if (auto op = value.getDefiningOp<arith::ShRUIOp>()) {
      APInt count;
      if (matchPattern(op.getRhs(), m_ConstantInt(&count)) && count.ult(32) &&
          count.urem(width) == 0)
        return pick(op.getLhs(), count.getZExtValue() / width);
    }
    return pick(value, 0);
  }

private:
  template <typename OpTy> Value narrowBitwise(OpTy op) {
    return OpTy::create(builder, loc, narrowOperand(op.getLhs()),
                        narrowOperand(op.getRhs()));
  }
  Value narrowOperand(Value value) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return arith::ConstantOp::create(
          builder, loc, DenseElementsAttr::get(type, number.trunc(width)));
    return narrow(value);
  }
  Value pick(Value value, unsigned part);

  OpBuilder &builder;
  Location loc;
  VectorType type;
  unsigned width;
};
} // namespace

/// Returns bits [part * width, (part + 1) * width) of each element.
Value Narrower::pick(Value value, unsigned part) {
  int64_t parts = 32 / width;
  auto partsType =
      VectorType::get(kElements / 2 * parts, builder.getIntegerType(width));
  auto getRegister = [&](int64_t offset) {
    Value slice = builder.createOrFold<vector::ExtractStridedSliceOp>(
        loc, value, offset, kElements / 2, 1);
    return vector::BitCastOp::create(builder, loc, partsType, slice);
  };
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < kElements; ++i)
    mask.push_back(i * parts + part);

  Value result =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  for (int64_t offset = 0; offset < type.getDimSize(0); offset += kElements) {
    Value picked =
        vector::ShuffleOp::create(builder, loc, getRegister(offset),
                                  getRegister(offset + kElements / 2), mask);
    result = vector::InsertStridedSliceOp::create(builder, loc, picked, result,
                                                  offset, 1);
  }
  return result;
}

namespace {
struct TruncIOpByPermutes final : OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.isScalable() ||
        type.getDimSize(0) % kElements != 0 ||
        !getElementTypeOrSelf(op.getIn()).isInteger(32))
      return rewriter.notifyMatchFailure(
          op, "not a whole number of pairs of registers");
    if (!type.getElementType().isInteger(8) &&
        !type.getElementType().isInteger(16))
      return rewriter.notifyMatchFailure(
          op, "no permute for elements of this width");
    rewriter.replaceOp(
        op, Narrower(rewriter, op.getLoc(), type).narrow(op.getIn()));
    return success();
  }
};
} // namespace

void x86::populateNarrowByPermutesPatterns(RewritePatternSet &patterns) {
  patterns.add<TruncIOpByPermutes>(patterns.getContext());
}
