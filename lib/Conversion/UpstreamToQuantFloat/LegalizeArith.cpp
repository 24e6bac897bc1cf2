//===- LegalizeArith.cpp - Narrow floats of arith to quant_float ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuiltinFloats.h"
#include "ElementConversion.h"
#include "LegalityDiagnostics.h"
#include "QuantTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLEGALIZEARITHPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static bool isArithCast(Operation *op) {
  return isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::FPToSIOp, arith::FPToUIOp, arith::ScalingTruncFOp,
             arith::ScalingExtFOp>(op);
}

static bool isScaling(Operation *op) {
  return isa<arith::ScalingTruncFOp, arith::ScalingExtFOp>(op);
}

/// Returns the type in which a scaling op computes: the input type of
/// scaling_truncf and the result type of scaling_extf.
static Type getScalingType(Operation *op) {
  return getElementTypeOrSelf(isa<arith::ScalingTruncFOp>(op)
                                  ? op->getOperand(0).getType()
                                  : op->getResult(0).getType());
}

static std::optional<arith::RoundingMode> getRoundingMode(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<arith::RoundingMode>>(op)
      .Case<arith::TruncFOp, arith::ScalingTruncFOp>(
          [](auto op) { return op.getRoundingmode(); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether `type` is a signed integer type of ONNX.
static bool isSignedOfOnnx(Type type) {
  return !type.isInteger(1) && getOnnxDataType(type);
}

/// Whether a single cast implements the op, so that tensors need no
/// linalg.generic.
static bool isOneCast(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isScaling(op) || isa<Float8E8M0FNUType>(to))
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::SIToFPOp>([&](Operation *) { return isSignedOfOnnx(from); })
      .Case<arith::FPToSIOp>([&](Operation *) { return isSignedOfOnnx(to); })
      .Case<arith::UIToFPOp, arith::FPToUIOp>([](Operation *) { return false; })
      .Default([](Operation *) { return true; });
}

std::optional<std::string>
quant_float::getArithIllegalityReason(Operation *op) {
  auto isNarrow = [](Type type) {
    return isNarrowFloat(getElementTypeOrSelf(type));
  };
  if (!isArithCast(op) || !(llvm::any_of(op->getOperandTypes(), isNarrow) ||
                            isNarrow(op->getResult(0).getType())))
    return std::nullopt;

  std::string reason;
  llvm::raw_string_ostream os(reason);
  SmallVector<Type> types(op->getOperandTypes());
  types.push_back(op->getResult(0).getType());
  for (Type type : types) {
    Type element = getElementTypeOrSelf(type);
    if (isa<FloatType>(element) && !getDataType(element))
      os << "no cast supports " << element;
    else if (element.isInteger() && element.getIntOrFloatBitWidth() > 64)
      os << "integers must have at most 64 bits, but got " << element;
    if (!reason.empty())
      return reason;
  }

  if (isScaling(op)) {
    Type scale = getElementTypeOrSelf(op->getOperand(1).getType());
    if (!isStandardFloat(scale) && !isa<Float8E8M0FNUType>(scale))
      os << "the scale must have type f8E8M0FNU, f16, bf16, f32 or f64, but "
            "got "
         << scale;
    else if (Type type = getScalingType(op); !isStandardFloat(type))
      os << "the wide type must be f16, bf16, f32 or f64, but got " << type;
    if (!reason.empty())
      return reason;
  }
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  std::optional<arith::RoundingMode> mode = getRoundingMode(op);
  if (mode && *mode != arith::RoundingMode::to_nearest_even &&
      isNarrowFloat(result) && !isa<Float8E8M0FNUType>(result))
    os << "the rounding mode to " << result
       << " must be to_nearest_even, but got "
       << arith::stringifyRoundingMode(*mode);
  return reason;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Value createConstant(OpBuilder &builder, Location loc, Type type,
                            const APFloat &value) {
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

static Value selectNaN(OpBuilder &builder, Location loc, Value condition,
                       Value other) {
  auto type = cast<FloatType>(getElementTypeOrSelf(other));
  Value nan = createConstant(builder, loc, other.getType(),
                             APFloat::getNaN(type.getFloatSemantics()));
  return arith::SelectOp::create(builder, loc, condition, nan, other);
}

/// Returns the mode of C9 for a rounding mode of non-negative numbers. The
/// midpoint of 2^k and 2^(k + 1) rounds up to nearest even, because the
/// significand of 2^k is odd and, in the same units, that of 2^(k + 1) is even.
static RoundMode getScaleRounding(arith::RoundingMode mode) {
  switch (mode) {
  case arith::RoundingMode::upward:
    return RoundMode::Up;
  case arith::RoundingMode::downward:
  case arith::RoundingMode::toward_zero:
    return RoundMode::Down;
  case arith::RoundingMode::to_nearest_even:
  case arith::RoundingMode::to_nearest_away:
    break;
  }
  return RoundMode::Nearest;
}

/// Returns the smallest value of a type that rounds to more than 2^127.
static APFloat getScaleOverflow(FloatType type, RoundMode mode) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  constexpr int kMaxExponent = 127;
  APFloat value(semantics, mode == RoundMode::Nearest ? "1.5" : "1");
  value = scalbn(value, kMaxExponent, APFloat::rmNearestTiesToEven);
  if (mode == RoundMode::Up)
    value.next(/*nextDown=*/false);
  // Rounding toward zero only overflows for infinity.
  return mode == RoundMode::Down ? APFloat::getInf(semantics) : value;
}

/// Converts scalars and vectors to f8E8M0FNU:
///
/// %r = select %x < 0 | %x >= overflow, NaN, (cast %x)
static Value castToScale(OpBuilder &builder, Location loc, Value value,
                         RoundMode mode) {
  Type to = Float8E8M0FNUType::get(builder.getContext());
  auto modeAttr = RoundModeAttr::get(builder.getContext(), mode);
  // arith.cmpf is not lowered for narrow floats. f32 represents all of their
  // values.
  if (isNarrowFloat(getElementTypeOrSelf(value)))
    value = createOnnxCast(builder, loc, value, builder.getF32Type());
  Type type = value.getType();
  auto from = cast<FloatType>(getElementTypeOrSelf(type));
  Value result = createOnnxCast(builder, loc, value, to, modeAttr);
  auto compare = [&](arith::CmpFPredicate predicate, const APFloat &bound) {
    return arith::CmpFOp::create(builder, loc, predicate, value,
                                 createConstant(builder, loc, type, bound));
  };
  Value isNegative = compare(arith::CmpFPredicate::OLT,
                             APFloat::getZero(from.getFloatSemantics()));
  Value isTooLarge =
      compare(arith::CmpFPredicate::OGE, getScaleOverflow(from, mode));
  Value isNaN = arith::OrIOp::create(builder, loc, isNegative, isTooLarge);
  return selectNaN(builder, loc, isNaN, result);
}

Value quant_float::convertFloat(OpBuilder &builder, Location loc, Value value,
                                Type to,
                                std::optional<arith::RoundingMode> given) {
  Type from = getElementTypeOrSelf(value);
  if (from == to)
    return value;
  if (isa<Float8E8M0FNUType>(to))
    return castToScale(
        builder, loc, value,
        getScaleRounding(given.value_or(arith::RoundingMode::to_nearest_even)));
  if (isNarrowFloat(from) || isNarrowFloat(to))
    return createOnnxCast(builder, loc, value, to);
  // Conversions between wide floats remain arith ops.
  Type type = withElementType(value.getType(), to);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value,
                                 arith::FastMathFlagsAttr());
  auto mode = arith::RoundingModeAttr();
  if (given)
    mode = arith::RoundingModeAttr::get(builder.getContext(), *given);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(builder, loc, type, value, mode,
                                   arith::FastMathFlagsAttr());
  // Between f16 and bf16.
  return createOnnxCast(builder, loc, value, to);
}

/// Expands scaling_truncf and scaling_extf as their documentation specifies.
static Value expandScaling(OpBuilder &builder, Operation *op,
                           ValueRange operands) {
  Location loc = op->getLoc();
  Type type = getScalingType(op);
  Value scale = convertFloat(builder, loc, operands[1],
                             Float8E8M0FNUType::get(builder.getContext()));
  scale = convertFloat(builder, loc, scale, type);
  // The scale of a vector may be a scalar.
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  if (vector && !isa<VectorType>(scale.getType()))
    scale = vector::BroadcastOp::create(builder, loc,
                                        withElementType(vector, type), scale);
  if (isa<arith::ScalingTruncFOp>(op)) {
    Value quotient = arith::DivFOp::create(builder, loc, operands[0], scale);
    return convertFloat(builder, loc, quotient,
                        getElementTypeOrSelf(op->getResult(0).getType()),
                        getRoundingMode(op));
  }
  Value wide = convertFloat(builder, loc, operands[0], type);
  return arith::MulFOp::create(builder, loc, wide, scale);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Returns the smallest width, at most 64, of a signed integer type of ONNX
/// that represents integers of `width` bits. Unsigned integers need an
/// additional bit.
static unsigned getSignedWidth(unsigned width, bool isUnsigned) {
  for (unsigned known : {8u, 16u, 32u})
    if (width + isUnsigned <= known)
      return known;
  return 64;
}

static Value expandFromInteger(OpBuilder &builder, Operation *op, Value value) {
  Location loc = op->getLoc();
  bool isUnsigned = isa<arith::UIToFPOp>(op);
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  Type from = getElementTypeOrSelf(value);
  unsigned width = from.getIntOrFloatBitWidth();
  auto getType = [&](Type element) {
    return withElementType(value.getType(), element);
  };

  Value number = value;
  Type wide = builder.getIntegerType(getSignedWidth(width, isUnsigned));
  if (isUnsigned && width == 64)
    number = StorageCastOp::create(
        builder, loc, getType(builder.getIntegerType(64, /*isSigned=*/false)),
        value);
  else if (isUnsigned)
    number = arith::ExtUIOp::create(builder, loc, getType(wide), value);
  else if (!isSignedOfOnnx(from))
    number = arith::ExtSIOp::create(builder, loc, getType(wide), value);
  if (!isa<Float8E8M0FNUType>(to))
    return createOnnxCast(builder, loc, number, to);

  auto mode = RoundModeAttr::get(builder.getContext(), RoundMode::Nearest);
  Value result = createOnnxCast(builder, loc, number, to, mode);
  if (isUnsigned)
    return result;
  TypedAttr zero = builder.getIntegerAttr(from, 0);
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    zero = DenseElementsAttr::get(vector, Attribute(zero));
  Value isNegative =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value,
                            arith::ConstantOp::create(builder, loc, zero));
  return selectNaN(builder, loc, isNegative, result);
}

static Value expandToInteger(OpBuilder &builder, Operation *op, Value value) {
  Location loc = op->getLoc();
  bool isUnsigned = isa<arith::FPToUIOp>(op);
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = to.getIntOrFloatBitWidth();
  auto getType = [&](Type element) {
    return withElementType(value.getType(), element);
  };
  if (isUnsigned && width == 64) {
    Value number = createOnnxCast(
        builder, loc, value, builder.getIntegerType(64, /*isSigned=*/false));
    return StorageCastOp::create(builder, loc, getType(to), number);
  }
  if (!isUnsigned && isSignedOfOnnx(to))
    return createOnnxCast(builder, loc, value, to);
  Type wide = builder.getIntegerType(getSignedWidth(width, isUnsigned));
  Value number = createOnnxCast(builder, loc, value, wide);
  return arith::TruncIOp::create(builder, loc, getType(to), number);
}

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

/// Expands the op on scalars or vectors.
static Value expand(OpBuilder &builder, Operation *op, ValueRange operands) {
  if (isScaling(op))
    return expandScaling(builder, op, operands);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return expandFromInteger(builder, op, operands.front());
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return expandToInteger(builder, op, operands.front());
  return convertFloat(builder, op->getLoc(), operands.front(),
                      getElementTypeOrSelf(op->getResult(0).getType()),
                      getRoundingMode(op));
}

/// Expands the op on tensors to a linalg.generic whose body is its expansion on
/// elements.
static Value expandOnTensor(OpBuilder &builder, Operation *op,
                            RankedTensorType type) {
  Location loc = op->getLoc();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, op->getOperand(0)),
      type.getElementType(), type.getEncoding());
  // The scale may be a scalar.
  auto maps = llvm::map_to_vector(op->getOperandTypes(), [&](Type operand) {
    return isa<TensorType>(operand)
               ? builder.getMultiDimIdentityMap(type.getRank())
               : AffineMap::get(type.getRank(), 0, builder.getContext());
  });
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    Value result = expand(nested, op, arguments.drop_back());
    linalg::YieldOp::create(nested, loc, result);
  };
  auto generic = linalg::GenericOp::create(builder, loc, empty.getType(),
                                           op->getOperands(), empty, maps,
                                           iterators, body);
  return generic.getResult(0);
}

namespace {
struct LegalizeArithCast final : RewritePattern {
  LegalizeArithCast(StringRef name, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::optional<std::string> reason = getArithIllegalityReason(op);
    if (!reason)
      return rewriter.notifyMatchFailure(op, "no narrow float");
    if (!reason->empty())
      return rewriter.notifyMatchFailure(op, *reason);
    Type type = op->getResult(0).getType();
    if (!isa<TensorType>(type)) {
      rewriter.replaceOp(op, expand(rewriter, op, op->getOperands()));
      return success();
    }
    if (isOneCast(op)) {
      rewriter.replaceOp(op, createOnnxCast(rewriter, op->getLoc(),
                                            op->getOperand(0),
                                            getElementTypeOrSelf(type)));
      return success();
    }
    rewriter.replaceOp(
        op, expandOnTensor(rewriter, op, cast<RankedTensorType>(type)));
    return success();
  }
};
} // namespace

void quant_float::populateLegalizeArithPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  for (StringRef name :
       {arith::TruncFOp::getOperationName(), arith::ExtFOp::getOperationName(),
        arith::SIToFPOp::getOperationName(),
        arith::UIToFPOp::getOperationName(),
        arith::FPToSIOp::getOperationName(),
        arith::FPToUIOp::getOperationName(),
        arith::ScalingTruncFOp::getOperationName(),
        arith::ScalingExtFOp::getOperationName()})
    patterns.add<LegalizeArithCast>(name, context);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct LegalizeArith final
    : quant_float::impl::QuantFloatLegalizeArithPassBase<LegalizeArith> {
  using QuantFloatLegalizeArithPassBase::QuantFloatLegalizeArithPassBase;

  void runOnOperation() override {
    convertBuiltinFloats(getOperation());
    convertMxInt8(getOperation());
    legalizeUniformQuantization(
        getOperation(),
        [&](Operation *op, const Twine &reason) { reportQuant(op, reason); });

    RewritePatternSet patterns(&getContext());
    populateLegalizeArithPatterns(patterns);
    populateLegalizeQuantPatterns(patterns);
    populateLegalizeBlockScaledPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isQuantStorageCast(op) && op->use_empty())
            op->erase();
        });
    getOperation()->walk([&](Operation *op) {
      if (isCastToBlockScaledType(op)) {
        op->emitOpError("is not supported: tensors of !tosa.block_scaled have "
                        "no specified layout");
        return signalPassFailure();
      }
      std::optional<std::string> reason = getQuantIllegalityReason(op);
      if (reason && !reason->empty())
        reportQuant(op, *reason);
      if (reason)
        return;
      reason = getArithIllegalityReason(op);
      if (!reason)
        reason = getBlockScaledIllegalityReason(op);
      if (reason && !reason->empty())
        op->emitRemark("not legalized: ") << *reason;
    });
  }

private:
  void reportQuant(Operation *op, const Twine &reason) {
    if (!requireQuant) {
      op->emitRemark("not legalized: ") << reason;
      return;
    }
    op->emitError("no conversion of '")
        << printable(op->getName().getStringRef()) << "': " << reason;
    signalPassFailure();
  }
};
} // namespace
