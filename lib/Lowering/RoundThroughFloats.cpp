//===- RoundThroughFloats.cpp - Narrow float round trips ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast to a narrow float that is only cast back needs no encoding: the f32 is
// rounded in place. Adding and subtracting a number c with exponent e + 23 - M
// rounds an x with exponent e to M mantissa bits, to nearest even:
//
//   t = max(2^e, 2^minExponent)              (also rounds subnormals)
//   c = 1.5 * 2^(23 - M) * t                 (x + c has the exponent of c)
//   r = (x + c) - c
//
// A preceding rounding to f16, as in OpenVINO, is computed in the same way.
// Both roundings may use the exponent of x: a value that was rounded up to a
// power of two is not changed by the second one.
//
//===----------------------------------------------------------------------===//

#include "RoundThroughFloats.h"
#include "ConversionRow.h"
#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

// Properties of f32.
static constexpr unsigned kMantissaBits = 23;
static constexpr uint64_t kSignMask = 0x80000000;
static constexpr uint64_t kExponentMask = 0x7F800000;
static constexpr uint64_t kQuietNaN = 0x7FC00000;

static bool isElement(Value value, Type type) {
  return !isa<TensorType>(value.getType()) &&
         getElementTypeOrSelf(value) == type;
}

/// Matches `x <order> bound ? x : bound`. Returns x and sets `bound`, or
/// returns null.
static Value matchBound(Value value, CmpFPredicate order, APFloat &bound) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                        : arith::CmpFOp();
  if (!compare || compare.getPredicate() != order ||
      compare.getLhs() != select.getTrueValue() ||
      compare.getRhs() != select.getFalseValue() ||
      !matchPattern(compare.getRhs(), m_ConstantFloat(&bound)))
    return Value();
  return compare.getLhs();
}

/// Whether `value` is clamped such that it is not NaN and its magnitude is at
/// most `limit`.
static bool isCapped(Value value, const APFloat &limit) {
  APFloat high(0.0f), low(0.0f);
  Value raised = matchBound(value, CmpFPredicate::OLT, high);
  // The value is at most `high` and at least the lesser of `low` and `high`.
  return raised && matchBound(raised, CmpFPredicate::OGT, low) &&
         abs(high).convertToDouble() <= limit.convertToDouble() &&
         low.convertToDouble() >= -limit.convertToDouble();
}

Value quant_float::withCanonicalNaNs(VectorBuilder &lanes, Value result,
                                     Value source) {
  Type f32 = getElementTypeOrSelf(source);
  Value bits = lanes.toBits(source);
  Value quiet = lanes.bitOr(lanes.bitAnd(bits, kSignMask), kQuietNaN);
  return lanes.select(lanes.isNaN(source), lanes.bitcast(quiet, f32), result);
}

/// C3, C5 with saturation. A NaN is not clamped and remains.
static Value capToRange(VectorBuilder &lanes, Value value,
                        const FloatFormat &to) {
  FloatType f32 = Float32Type::get(value.getContext());
  Value high = lanes.number(f32, to.maxValue);
  Value low = lanes.number(f32, -to.maxValue);
  return lanes.raise(lanes.cap(value, high), low);
}

/// Rounds `value` to a format without a maximum. `power` is the power of two of
/// the value's exponent, or half of the value if that is a power of two. A zero
/// may lose its sign.
static Value roundToFormat(VectorBuilder &lanes, Value value, Value power,
                           const FloatFormat &to) {
  FloatType f32 = Float32Type::get(value.getContext());
  Value smallest = lanes.powerOfTwo(f32, to.minExponent);
  power = lanes.getLarger(power, smallest);
  APFloat factor = scalbn(APFloat(1.5f), kMantissaBits - to.mantissaBits,
                          APFloat::rmNearestTiesToEven);
  Value sum = lanes.addScaledPower(power, factor, value);
  return lanes.multiplyAdd(power, lanes.number(f32, -factor), sum);
}

bool quant_float::canRoundInPlace(Type type, bool saturate) {
  // These formats have NaN and a negative zero.
  return saturate && isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Whether no user of `value` depends on the sign of a zero.
static bool isSignOfZeroUnused(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<math::AbsFOp>(user))
      return true;
    if (isa<arith::AddFOp>(user))
      return matchPattern(user->getOperand(1), m_PosZeroFloat());
    return isa<arith::MulFOp>(user) && isSignOfZeroUnused(user->getResult(0));
  });
}

Value quant_float::roundInPlace(VectorBuilder &lanes,
                                const Intermediate &intermediate,
                                FloatType type, bool byHalf, bool keepsZeros) {
  FloatFormat to(type);
  Value value = intermediate.isCapped
                    ? intermediate.value
                    : capToRange(lanes, intermediate.value, to);
  FloatType f32 = Float32Type::get(type.getContext());
  Value bits = lanes.toBits(value);
  Value power = lanes.bitcast(lanes.bitAnd(bits, kExponentMask), f32);
  if (byHalf)
    value = roundToFormat(lanes, value, power,
                          FloatFormat(Float16Type::get(type.getContext())));
  value = roundToFormat(lanes, value, power, to);
  if (!keepsZeros)
    return value;
  Value sign = lanes.bitAnd(
      intermediate.signBits ? intermediate.signBits : bits, kSignMask);
  return lanes.bitcast(lanes.make<arith::OrIOp>(lanes.toBits(value), sign),
                       f32);
}

namespace {
/// Replaces a cast that is cast back, optionally through f16, by rounding in
/// place:
///
/// %q = cast %x : f32 to f8E4M3FN
/// %y = cast %q : f8E4M3FN to f32
struct CastOpRoundTrip final : OpRewritePattern<CastOp> {
  CastOpRoundTrip(MLIRContext *context, const LoweringTarget &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto narrow = op.getInput().getDefiningOp<CastOp>();
    Type type = getElementTypeOrSelf(op.getInput());
    FloatType f32 = rewriter.getF32Type();
    if (!narrow || narrow.getRandom() || !narrow.hasOnnxRules() ||
        !op.hasOnnxRules() || !isElement(op.getResult(), f32) ||
        !canRoundInPlace(type, narrow.getSemantics().saturate))
      return rewriter.notifyMatchFailure(
          op, "the values cannot be rounded in place");
    Value value = narrow.getInput();
    auto half = value.getDefiningOp<CastOp>();
    bool byHalf = half && !half.getRandom() && half.hasOnnxRules() &&
                  isElement(value, rewriter.getF16Type());
    if (byHalf)
      value = half.getInput();
    if (!isElement(value, f32))
      return rewriter.notifyMatchFailure(op, "the source type is not f32");
    ConversionPlan plan = planEncoding(
        op.getType(), type, narrow.getSemantics(), target, RowUse::Everything);
    if (plan.row)
      return rewriter.notifyMatchFailure(
          op, "the target's conversion instructions are faster");
    plan.isInPlace = true;
    emitPlanRemark(op, "round trip", plan, target);

    VectorBuilder lanes(rewriter, op.getLoc(), value, target);
    auto to = cast<FloatType>(type);
    Intermediate intermediate{value};
    intermediate.isCapped = isCapped(value, FloatFormat(to).maxValue);
    // If only the magnitude is used, clamping needs only the upper bound.
    SmallVector<Operation *> users(op->getUsers()), magnitudes;
    if (llvm::all_of(users, llvm::IsaPred<math::AbsFOp>))
      std::swap(users, magnitudes);
    if (!magnitudes.empty()) {
      intermediate.value =
          lanes.cap(lanes.make<math::AbsFOp>(value),
                    lanes.number(f32, FloatFormat(to).maxValue));
      intermediate.isCapped = true;
    }
    Value result = roundInPlace(lanes, intermediate, to, byHalf,
                                !isSignOfZeroUnused(op.getResult()));
    // Between arithmetic ops, the bits of a NaN are unspecified.
    for (Operation *magnitude : magnitudes)
      llvm::append_range(users, magnitude->getUsers());
    bool isBetween = isArithmetic(value.getDefiningOp()) &&
                     llvm::all_of(users, isArithmetic);
    if (!isCapped(value, FloatFormat(to).maxValue) && !isBetween)
      result = withCanonicalNaNs(
          lanes, result, magnitudes.empty() ? value : intermediate.value);
    for (Operation *magnitude : magnitudes)
      rewriter.replaceAllUsesWith(magnitude->getResult(0), result);
    rewriter.replaceOp(op, result);
    return success();
  }

  const LoweringTarget &target;
};
} // namespace

//===----------------------------------------------------------------------===//
// Division by a scalar
//===----------------------------------------------------------------------===//

/// Returns the scalar that is broadcast to the vector, or null.
static Value getScalar(Value value) {
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  return broadcast && !isa<VectorType>(broadcast.getSource().getType())
             ? broadcast.getSource()
             : Value();
}

/// Whether the magnitude of a scalar is in [2^-30, 2^30].
static Value isOrdinary(VectorBuilder &lanes, Value value) {
  constexpr uint64_t first = uint64_t(127 - 30) << kMantissaBits;
  constexpr uint64_t last = uint64_t(127 + 30) << kMantissaBits;
  Value magnitude = lanes.bitAnd(lanes.toBits(value), ~kSignMask);
  return lanes.compare(CmpIPredicate::ule, lanes.add(magnitude, -first),
                       last - first);
}

/// Sets the signs of magnitudes to the top bits of `signs`.
static Value withSigns(VectorBuilder &lanes, Value magnitude, Value signs) {
  Value bits = lanes.make<arith::OrIOp>(lanes.toBits(magnitude),
                                        lanes.bitAnd(signs, kSignMask));
  return lanes.bitcast(bits, getElementTypeOrSelf(magnitude));
}

/// Whether `value` is a float8 that is not infinity.
static bool isFiniteFloat8OrNaN(Value value) {
  Type type = getElementTypeOrSelf(value);
  auto cast = value.getDefiningOp<CastOp>();
  return isa<Float8E4M3FNType>(type) ||
         (isa<Float8E5M2Type>(type) && cast && cast.getSemantics().saturate);
}

namespace {
/// Replaces the division in
///
/// (cast %q : f8 to f32 + broadcast %t) / broadcast %s
///
/// with or without the sum, by q' of ExpandQuantize.cpp if there is no overflow
/// or underflow. A branch checks the magnitudes of the scalars once for all
/// elements; the dividend is a float8. The sign of a zero is that of q.
///
/// Without a sum and if the float8 is rounded in place, computes on magnitudes.
/// The sign is that of the value before rounding combined with that of the
/// scalar.
struct DivFOpByReciprocal final : OpRewritePattern<arith::DivFOp> {
  DivFOpByReciprocal(MLIRContext *context, const LoweringTarget &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    Value divisor = getScalar(op.getRhs()), term;
    Value number = op.getLhs();
    if (auto sum = number.getDefiningOp<arith::AddFOp>()) {
      number = sum.getLhs();
      term = getScalar(sum.getRhs());
      if (!term)
        return rewriter.notifyMatchFailure(op, "the addend is not uniform");
    }
    auto cast = number.getDefiningOp<CastOp>();
    FloatType f32 = rewriter.getF32Type();
    if (!divisor || !cast || !isElement(op.getResult(), f32) ||
        !isFiniteFloat8OrNaN(cast.getInput()))
      return rewriter.notifyMatchFailure(
          op, "not a division of float8 values by a scalar");

    Location loc = op.getLoc();
    static const LoweringTarget none;
    VectorBuilder scalar(rewriter, loc, divisor, none);
    VectorBuilder lanes(rewriter, loc, op.getLhs(), none);
    Value dividend = op.getLhs(), divisors = op.getRhs(), signs;
    Value source = term ? Value() : findRounded(cast);
    if (source) {
      // If the source is a product with the scalar, that is the sign of the
      // other operand.
      auto product = source.getDefiningOp<arith::MulFOp>();
      signs = product && product.getRhs() == divisors
                  ? lanes.toBits(product.getLhs())
                  : lanes.make<arith::XOrIOp>(lanes.toBits(source),
                                              lanes.toBits(divisors));
      dividend = lanes.make<math::AbsFOp>(dividend);
      divisor = scalar.make<math::AbsFOp>(divisor);
      divisors = lanes.spread(divisor);
    }
    Value isSafe = isOrdinary(scalar, divisor);
    if (term) {
      Value isZero = scalar.compare(CmpFPredicate::OEQ, term,
                                    scalar.number(f32, APFloat(0.0f)));
      isSafe = scalar.make<arith::AndIOp>(
          isSafe, scalar.make<arith::OrIOp>(isZero, isOrdinary(scalar, term)));
    }
    Value reciprocal =
        scalar.make<arith::DivFOp>(scalar.powerOfTwo(f32, 0), divisor);
    auto branch = scf::IfOp::create(rewriter, loc, op.getType(), isSafe,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    Value factor = lanes.spread(reciprocal);
    Value quotient = lanes.make<arith::MulFOp>(dividend, factor);
    Value rest = lanes.make<math::FmaOp>(lanes.make<arith::NegFOp>(quotient),
                                         divisors, dividend);
    Value exact = lanes.make<math::FmaOp>(rest, factor, quotient);
    if (!signs)
      exact = withSigns(lanes, exact, lanes.toBits(quotient));
    scf::YieldOp::create(rewriter, loc, exact);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    Value divided = lanes.make<arith::DivFOp>(dividend, divisors);
    scf::YieldOp::create(rewriter, loc, divided);
    rewriter.setInsertionPointAfter(branch);
    Value result = branch.getResult(0);
    rewriter.replaceOp(op, signs ? withSigns(lanes, result, signs) : result);
    return success();
  }

private:
  /// Returns the f32 that `cast` gets through a float8, if that round trip will
  /// be rounded in place, or null.
  Value findRounded(CastOp cast) const {
    auto narrow = cast.getInput().getDefiningOp<CastOp>();
    Type type = getElementTypeOrSelf(cast.getInput());
    if (!narrow || narrow.getRandom() || !cast->hasOneUse() ||
        !isElement(narrow.getInput(), Float32Type::get(cast.getContext())) ||
        !canRoundInPlace(type, narrow.getSemantics().saturate) ||
        planEncoding(cast.getType(), type, narrow.getSemantics(), target,
                     RowUse::Everything)
            .row)
      return {};
    return narrow.getInput();
  }

  const LoweringTarget &target;
};
} // namespace

void quant_float::populateDivisionByScalarPatterns(
    const LoweringTarget &target, RewritePatternSet &patterns) {
  patterns.add<DivFOpByReciprocal>(patterns.getContext(), target);
}

void quant_float::populateRoundThroughFloatsPatterns(
    const LoweringTarget &target, RewritePatternSet &patterns) {
  patterns.add<CastOpRoundTrip>(patterns.getContext(), target);
}
