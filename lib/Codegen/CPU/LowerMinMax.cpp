//===- LowerMinMax.cpp - Minima and maxima on x86 -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arith.maximumf orders -0 before +0 and propagates NaN. `vmaxps` does neither:
// if both operands are zeros, or one is NaN, its result is the second operand.
// LLVM repairs the operands and the result of each op, which takes five
// instructions.
//
// Here, zeros are ordered by `vrangeps` (AVX-512DQ), or by the bitwise AND of
// the two results that `vmaxps` has for the two orders of the operands. Only
// NaN remains. In a chain of maxima, such as a window of a pooling, one
// comparison tests two elements, and the result is repaired once, at the end.
//
//===----------------------------------------------------------------------===//

#include "../Common/ApplyPatternsTo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERMINMAXPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The intrinsics on vectors of one type.
struct Intrinsics {
  bool isDouble;
  int64_t bits;
  const char *maximum, *minimum, *range;
};

/// Emits instructions on vectors, each of which has at most `registerBits`
/// bits.
class MinMaxBuilder {
public:
  MinMaxBuilder(ImplicitLocOpBuilder &builder, int64_t registerBits)
      : builder(builder), registerBits(registerBits) {}

  /// Whether vectors of this type consist of full registers.
  static bool canBuild(Type type, int64_t registerBits) {
    return find(type, registerBits) != nullptr;
  }
  /// Creates `vmaxps` or `vminps`.
  Value createMinMax(bool isMaximum, Value lhs, Value rhs) const;
  /// Creates `vrangeps`.
  Value createRange(bool isMaximum, Value lhs, Value rhs) const;

private:
  static const Intrinsics *find(Type type, int64_t registerBits);
  Value call(const char *intrinsic, ArrayRef<Value> operands) const {
    return LLVM::CallIntrinsicOp::create(builder, operands.front().getType(),
                                         builder.getStringAttr(intrinsic),
                                         operands)
        .getResult(0);
  }
  Value forEachRegister(
      Value lhs, Value rhs,
      llvm::function_ref<Value(const Intrinsics &, Value, Value)> body) const;

  ImplicitLocOpBuilder &builder;
  int64_t registerBits;
};
} // namespace

const Intrinsics *MinMaxBuilder::find(Type type, int64_t registerBits) {
  static constexpr Intrinsics kIntrinsics[] = {
      {false, 128, "llvm.x86.sse.max.ps", "llvm.x86.sse.min.ps",
       "llvm.x86.avx512.mask.range.ps.128"},
      {false, 256, "llvm.x86.avx.max.ps.256", "llvm.x86.avx.min.ps.256",
       "llvm.x86.avx512.mask.range.ps.256"},
      {false, 512, "llvm.x86.avx512.max.ps.512", "llvm.x86.avx512.min.ps.512",
       "llvm.x86.avx512.mask.range.ps.512"},
      {true, 128, "llvm.x86.sse2.max.pd", "llvm.x86.sse2.min.pd",
       "llvm.x86.avx512.mask.range.pd.128"},
      {true, 256, "llvm.x86.avx.max.pd.256", "llvm.x86.avx.min.pd.256",
       "llvm.x86.avx512.mask.range.pd.256"},
      {true, 512, "llvm.x86.avx512.max.pd.512", "llvm.x86.avx512.min.pd.512",
       "llvm.x86.avx512.mask.range.pd.512"},
  };
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      !(vector.getElementType().isF32() || vector.getElementType().isF64()))
    return nullptr;
  int64_t bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  if (bits % registerBits == 0)
    bits = registerBits;
  for (const Intrinsics &intrinsics : kIntrinsics)
    if (intrinsics.isDouble == vector.getElementType().isF64() &&
        intrinsics.bits == bits && bits <= registerBits)
      return &intrinsics;
  return nullptr;
}

Value MinMaxBuilder::forEachRegister(
    Value lhs, Value rhs,
    llvm::function_ref<Value(const Intrinsics &, Value, Value)> body) const {
  auto type = cast<VectorType>(lhs.getType());
  const Intrinsics &intrinsics = *find(type, registerBits);
  int64_t lanes = intrinsics.bits / type.getElementTypeBitWidth();
  if (lanes == type.getNumElements())
    return body(intrinsics, lhs, rhs);
  Value result = LLVM::PoisonOp::create(builder, type);
  for (int64_t lane = 0; lane < type.getNumElements(); lane += lanes) {
    auto getLanes = [&](Value value) -> Value {
      return vector::ExtractStridedSliceOp::create(builder, value, lane, lanes,
                                                   1);
    };
    Value lhsLanes = getLanes(lhs), rhsLanes = getLanes(rhs);
    result = vector::InsertStridedSliceOp::create(
        builder, body(intrinsics, lhsLanes, rhsLanes), result, lane, 1);
  }
  return result;
}

Value MinMaxBuilder::createMinMax(bool isMaximum, Value lhs, Value rhs) const {
  return forEachRegister(
      lhs, rhs, [&](const Intrinsics &intrinsics, Value lhs, Value rhs) {
        SmallVector<Value> operands = {lhs, rhs};
        // The rounding mode, _MM_FROUND_CUR_DIRECTION.
        if (intrinsics.bits == 512)
          operands.push_back(arith::ConstantIntOp::create(builder, 4, 32));
        return call(isMaximum ? intrinsics.maximum : intrinsics.minimum,
                    operands);
      });
}

Value MinMaxBuilder::createRange(bool isMaximum, Value lhs, Value rhs) const {
  return forEachRegister(
      lhs, rhs, [&](const Intrinsics &intrinsics, Value lhs, Value rhs) {
        auto type = cast<VectorType>(lhs.getType());
        auto getConstant = [&](int64_t value, unsigned bits) -> Value {
          return arith::ConstantIntOp::create(builder, value, bits);
        };
        // Bit 0 of the immediate selects the maximum. Bit 2 is set if the sign
        // is that of the result. All lanes of the mask are set.
        SmallVector<Value> operands = {
            lhs, rhs, getConstant(4 + isMaximum, 32),
            LLVM::PoisonOp::create(builder, type),
            getConstant(-1, std::max<int64_t>(type.getNumElements(), 8))};
        // _MM_FROUND_CUR_DIRECTION.
        if (intrinsics.bits == 512)
          operands.push_back(getConstant(4, 32));
        return call(intrinsics.range, operands);
      });
}

namespace {
/// Lowers max(x, +0) to an addition of +0, which turns -0 into +0, and
/// `vmaxps`, whose second operand is the result if it is NaN.
struct LowerRelu final : OpRewritePattern<arith::MaximumFOp> {
  LowerRelu(MLIRContext *context, int64_t registerBits)
      : OpRewritePattern(context, /*benefit=*/2), registerBits(registerBits) {}

  LogicalResult matchAndRewrite(arith::MaximumFOp op,
                                PatternRewriter &rewriter) const override {
    Value zero = op.getRhs();
    if (!MinMaxBuilder::canBuild(op.getType(), registerBits) ||
        !matchPattern(zero, m_PosZeroFloat()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = arith::AddFOp::create(builder, op.getLhs(), zero);
    rewriter.replaceOp(op, MinMaxBuilder(builder, registerBits)
                               .createMinMax(/*isMaximum=*/true, zero, x));
    return success();
  }

  int64_t registerBits;
};

/// Lowers a chain of minima or of maxima.
template <typename OpTy>
class LowerChain final : public OpRewritePattern<OpTy> {
public:
  LowerChain(MLIRContext *context, int64_t registerBits, bool hasRange)
      : OpRewritePattern<OpTy>(context), registerBits(registerBits),
        hasRange(hasRange) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override;

private:
  static constexpr bool kIsMaximum = std::is_same_v<OpTy, arith::MaximumFOp>;

  /// Whether the op is part of the chain that its only user belongs to.
  static bool isInner(OpTy op) {
    return op->hasOneUse() && isa<OpTy>(*op->user_begin()) &&
           op->user_begin()->getBlock() == op->getBlock();
  }
  Value build(ImplicitLocOpBuilder &builder, Value value, OpTy root,
              SmallVectorImpl<Value> &elements) const;

  int64_t registerBits;
  bool hasRange;
};
} // namespace

/// Lowers `value` if it is part of the chain of `root`; else adds it to
/// `elements`. The result is arbitrary if an element is NaN.
template <typename OpTy>
Value LowerChain<OpTy>::build(ImplicitLocOpBuilder &builder, Value value,
                              OpTy root,
                              SmallVectorImpl<Value> &elements) const {
  auto op = value.getDefiningOp<OpTy>();
  if (!op ||
      (op != root && (op->getBlock() != root->getBlock() || !isInner(op)))) {
    elements.push_back(value);
    return value;
  }
  Value lhs = build(builder, op.getLhs(), root, elements);
  Value rhs = build(builder, op.getRhs(), root, elements);
  MinMaxBuilder minMax(builder, registerBits);
  if (hasRange)
    return minMax.createRange(kIsMaximum, lhs, rhs);
  // The results differ if both operands are zeros.
  auto type = cast<VectorType>(value.getType());
  Type integers =
      type.clone(builder.getIntegerType(type.getElementTypeBitWidth()));
  auto getBits = [&](Value lhs, Value rhs) -> Value {
    return arith::BitcastOp::create(builder, integers,
                                    minMax.createMinMax(kIsMaximum, lhs, rhs));
  };
  Value first = getBits(lhs, rhs), second = getBits(rhs, lhs);
  Value bits = kIsMaximum
                   ? arith::AndIOp::create(builder, first, second).getResult()
                   : arith::OrIOp::create(builder, first, second).getResult();
  return arith::BitcastOp::create(builder, type, bits);
}

template <typename OpTy>
LogicalResult
LowerChain<OpTy>::matchAndRewrite(OpTy op, PatternRewriter &rewriter) const {
  if (!MinMaxBuilder::canBuild(op.getType(), registerBits) || isInner(op))
    return failure();
  // LLVM needs no repair if one operand is a constant other than zero and NaN.
  APFloat constant(0.0);
  if (matchPattern(op.getRhs(), m_ConstantFloat(&constant)) &&
      !constant.isZero() && !constant.isNaN())
    return failure();
  ImplicitLocOpBuilder builder(op->getLoc(), rewriter);
  SmallVector<Value> elements;
  Value result = build(builder, op, op, elements);
  llvm::erase_if(elements, [](Value element) {
    APFloat number(0.0);
    return matchPattern(element, m_ConstantFloat(&number)) && !number.isNaN();
  });
  Value areNumbers;
  for (size_t i = 0; i < elements.size(); i += 2) {
    Value other = elements[std::min(i + 1, elements.size() - 1)];
    Value areOrdered = arith::CmpFOp::create(builder, arith::CmpFPredicate::ORD,
                                             elements[i], other);
    areNumbers =
        areNumbers
            ? arith::AndIOp::create(builder, areNumbers, areOrdered).getResult()
            : areOrdered;
  }
  if (areNumbers) {
    auto type = cast<VectorType>(op.getType());
    auto element = cast<FloatType>(type.getElementType());
    Value nan = arith::ConstantOp::create(
        builder, DenseElementsAttr::get(
                     type, APFloat::getQNaN(element.getFloatSemantics())));
    result = arith::SelectOp::create(builder, areNumbers, result, nan);
  }
  rewriter.replaceOp(op, result);
  return success();
}

namespace {
struct LowerMinMax final
    : quant_float::impl::QuantFloatLowerMinMaxPassBase<LowerMinMax> {
  using QuantFloatLowerMinMaxPassBase::QuantFloatLowerMinMaxPassBase;

  void runOnOperation() override {
    if (vectorBytes != 16 && vectorBytes != 32 && vectorBytes != 64) {
      getOperation()->emitError()
          << "vector-bytes: expected 16, 32 or 64, but got "
          << vectorBytes.getValue();
      return signalPassFailure();
    }
    int64_t registerBits = 8 * vectorBytes;
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerRelu>(&getContext(), registerBits);
    patterns.add<LowerChain<arith::MaximumFOp>, LowerChain<arith::MinimumFOp>>(
        &getContext(), registerBits, range);
    applyPatternsTo(getOperation(), std::move(patterns), [](Operation *op) {
      return isa<arith::MaximumFOp, arith::MinimumFOp>(op);
    });
  }
};
} // namespace
