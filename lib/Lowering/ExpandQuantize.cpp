//===- ExpandQuantize.cpp - Division by a scale and rounding --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If many elements share a scale, the division is replaced by multiplications
// with its reciprocal (D7). With r = 1 / s, correctly rounded, and
//
//   q = x * r        e = x - q * s  (fused: exact)        q' = q + e * r
//
// q' is the correctly rounded quotient x / s (Markstein) unless there is
// overflow or underflow. To prevent these, scale and x are multiplied by a
// power of two that makes the scale close to 1, and x is clamped to values
// whose results are the ends of the range. The remaining inexact quotients are
// so small that they round to zero in all quantized types, even stochastically:
// 16 random bits have steps of 2^-33, and the quotients are below 2^-40.
//
// Most scales are positive and close to 1. A branch, which all elements of a
// scale take alike, avoids the multiplication by the power of two for these.
// Before multi-instruction sequences, the other side of the branch divides.
//
// CPUs with AVX2 execute divisions in parallel with multiplications, but more
// slowly. Half of a vector is divided and the other half multiplied, in about
// the same time.
//
// A division by a constant power of two is a multiplication by its exact
// reciprocal.
//
//===----------------------------------------------------------------------===//

#include "ExpandQuantize.h"
#include "ConversionRow.h"
#include "RoundThroughFloats.h"
#include "Subnormals.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;

/// Quotients of at least 2^20 are beyond every range: that of 17-bit sums of
/// quantized values and zero points, and that of the floats up to 8 bits.
static constexpr int kEndOfRanges = 20;

/// For scales from 2^-60 to 2^60, inputs below 2^-100 become zeros in every
/// type, even stochastically. For larger inputs, the remainder e is not
/// subnormal.
static constexpr int kTinyInput = -100;

/// For scales from 2^-30 to 2^30, quotients of inputs below 2^-90 are too small
/// to change a sum with a zero point that is not zero, and that of 2^-90 is not
/// subnormal.
static constexpr int kOrdinaryScale = 30, kTinyDividend = -90;

/// Magnitudes of at most 2^-150 are rounded to zero in f32.
static constexpr int kUnderflow = -150;

/// Quotients of at least 2^14 plus a zero point are beyond every range of up to
/// 8 bits, and fit into 16 bits.
static constexpr int kEndOfBytes = 14;

/// The number of f32 in four registers of AVX2.
static constexpr int64_t kDividedElements = 32;

/// The number of f32 in a register of NEON, on which the instruction operates.
static constexpr int64_t kRoundedElements = 4;

static FloatType getFloatType(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value));
}

static Value getMagnitude(VectorBuilder &lanes, Value value) {
  Value bits =
      lanes.bitAnd(lanes.toBits(value),
                   ~uint64_t(0) >> 1 >> (64 - VectorBuilder::getWidth(value)));
  return lanes.bitcast(bits, getFloatType(value));
}

/// Returns the value of an intermediate with its sign.
static Value getSigned(VectorBuilder &lanes, const Intermediate &intermediate) {
  if (!intermediate.signBits)
    return intermediate.value;
  Value sign = lanes.bitAnd(intermediate.signBits, 0x80000000);
  Value bits = lanes.make<arith::OrIOp>(lanes.toBits(intermediate.value), sign);
  return lanes.bitcast(bits, getFloatType(intermediate.value));
}

/// Returns magnitude and sign as the results of a branch.
static SmallVector<Value, 2> getParts(const Intermediate &intermediate) {
  return {intermediate.value, intermediate.signBits};
}

/// Returns 1 / scale if the scale is a constant and its reciprocal is exact.
static std::optional<APFloat> getExactInverse(Value scale) {
  APFloat value(0.0), inverse(0.0);
  if (!matchPattern(scale, m_ConstantFloat(&value)) ||
      !value.getExactInverse(&inverse))
    return std::nullopt;
  return inverse;
}

namespace {
/// x / s = (x * factor) / scale, where `scale` is positive and close to 1.
/// `factor` is null if it is 1.
struct Divisor {
  Value factor, scale, reciprocal;
  /// The upper bound of quotients, multiplied by the scale; null if there is
  /// none.
  Value limit = {};
};

/// Expands one quantize_elements.
class QuantizeExpander {
public:
  QuantizeExpander(VectorBuilder &lanes, VectorBuilder &uniform,
                   const QuantizeOperands &op)
      : lanes(lanes), uniform(uniform), op(op), dividend(op.input),
        inverse(getExactInverse(op.scale)),
        byReciprocal(op.isUniform && !inverse && !op.precision.isF64() &&
                     lanes.getTarget().hasFma) {}

  Value quantizeToInteger(IntegerType to);
  /// Returns the quotient, which the caller rounds to `to` once.
  Intermediate getFloatQuotient(Type to, const CastSemantics &semantics);
  Intermediate getFloatQuotientInPlace(Type to);
  SequenceQuotient getSequenceQuotient(Type to, const CastSemantics &semantics);

private:
  Divisor prepare();
  /// As above, with a limit.
  Divisor prepare(const APFloat &end);
  Value getLimit(Value scale, const APFloat &end) {
    return uniform.make<arith::MulFOp>(uniform.number(getFloatType(scale), end),
                                       scale);
  }
  /// Returns the input. For scales from 2^-60 to 2^60, values close to zero
  /// need not be exact.
  Value getInput() {
    return lanes.getTarget().avoidsSubnormals && !op.precision.isF64()
               ? flushBelow(lanes, op.input, kTinyInput)
               : op.input;
  }
  Value scaleInput(const Divisor &divisor);
  Value getLastUnderflow(Value scale);
  Value getDividendOfSum();
  /// Returns q' of the file comment.
  Value divide(Value value, const Divisor &divisor);
  Value divideByHalves(Value value, const Divisor &divisor);
  Value divideCapped(Value value, const Divisor &divisor);
  Intermediate divideMagnitude(const Divisor &divisor);
  template <typename... Args>
  using Build = function_ref<SmallVector<Value, 2>(Args...)>;
  SmallVector<Value, 2> branchOnScale(const APFloat &end,
                                      Build<const Divisor &> plain,
                                      Build<> other);
  /// Divides as specified by IEEE 754, for all scales.
  Value divideExactly() {
    return lanes.make<arith::DivFOp>(dividend, spread(op.scale));
  }
  Value getQuotient();
  Value roundToPrecision(Value value);
  Value clamp(Value value, Value low, Value high);
  bool roundsByInstruction(Value value);
  Value roundByInstruction(Value value);
  Value roundToNearest(Value value);
  Value getZeroPoint(IntegerType to);
  Value spread(Value value) {
    if (op.lane)
      value = lanes.make<vector::ExtractOp>(value, *op.lane);
    return lanes.spread(value);
  }

  VectorBuilder &lanes, &uniform;
  const QuantizeOperands &op;
  /// The value that divideExactly divides.
  Value dividend;
  /// Present if the scale is known to be a power of two.
  std::optional<APFloat> inverse;
  bool byReciprocal;
  /// Whether a multi-instruction sequence rounds the quotient.
  bool isSequence = false;
};
} // namespace

/// If the scale is zero, infinite or NaN, the factor is its reciprocal and the
/// divisor is 1, which implements D4: a scale of zero gives infinity, or NaN
/// for a zero; an infinite scale gives zero, or NaN for an infinity.
Divisor QuantizeExpander::prepare() {
  VectorBuilder &l = uniform;
  FloatType f32 = getFloatType(op.scale);
  Value size = getMagnitude(l, op.scale), one = l.powerOfTwo(f32, 0);
  Value isSmall = l.compare(CmpFPredicate::OLT, size, l.powerOfTwo(f32, -60));
  Value isLarge = l.compare(CmpFPredicate::OGT, size, l.powerOfTwo(f32, 60));
  Value factor = l.select(isLarge, l.powerOfTwo(f32, -100), one);
  factor = l.select(isSmall, l.powerOfTwo(f32, 100), factor);
  // Zero, infinity and NaN remain unchanged.
  Value scale = l.make<arith::MulFOp>(size, factor);
  Value reciprocal = l.make<arith::DivFOp>(one, scale);
  Value isSpecial = l.compare(arith::CmpIPredicate::uge,
                              l.add(l.toBits(scale), -1), 0x7F800000 - 1);
  factor = l.select(isSpecial, reciprocal, factor);
  scale = l.select(isSpecial, one, scale);
  reciprocal = l.select(isSpecial, one, reciprocal);
  Value sign = l.bitAnd(l.toBits(op.scale), 0x80000000);
  factor = l.bitcast(l.make<arith::OrIOp>(l.toBits(factor), sign), f32);
  return {factor, scale, reciprocal};
}

Divisor QuantizeExpander::prepare(const APFloat &end) {
  Divisor divisor = prepare();
  divisor.limit = getLimit(divisor.scale, end);
  return divisor;
}

Value QuantizeExpander::divide(Value value, const Divisor &divisor) {
  Value reciprocal = spread(divisor.reciprocal);
  Value estimate = lanes.make<arith::MulFOp>(value, reciprocal);
  Value rest = lanes.make<math::FmaOp>(lanes.make<arith::NegFOp>(estimate),
                                       spread(divisor.scale), value);
  return lanes.make<math::FmaOp>(rest, reciprocal, estimate);
}

/// As `divide`. For four registers of AVX2, divides one half by division
/// instructions, which execute in parallel with the multiplications of the
/// other half.
Value QuantizeExpander::divideByHalves(Value value, const Divisor &divisor) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!lanes.getTarget().has(ConversionFeature::Avx2) || !type ||
      type.getRank() != 1 || type.isScalable() ||
      type.getNumElements() != kDividedElements ||
      lanes.getTarget().vectorBytes != kDividedElements)
    return divide(value, divisor);
  int64_t half = kDividedElements / 2;
  auto slice = [&](int64_t offset) -> Value {
    return lanes.make<vector::ExtractStridedSliceOp>(value, offset, half, 1);
  };
  Value first = slice(0);
  VectorBuilder parts = lanes.withShapeOf(first);
  QuantizeExpander expander(parts, uniform, op);
  Value divided =
      parts.make<arith::DivFOp>(first, expander.spread(divisor.scale));
  return lanes.make<vector::ShuffleOp>(
      divided, expander.divide(slice(half), divisor),
      llvm::to_vector(llvm::seq<int64_t>(2 * half)));
}

/// Returns the input times the factor.
Value QuantizeExpander::scaleInput(const Divisor &divisor) {
  return divisor.factor
             ? lanes.make<arith::MulFOp>(op.input, spread(divisor.factor))
             : getInput();
}

/// Returns the quotient of a scaled value, or that of the limit if the value is
/// greater. A NaN remains NaN, or its result is ignored. Integer minima on x86
/// use execution ports that multiplications do not need.
Value QuantizeExpander::divideCapped(Value value, const Divisor &divisor) {
  Value limit = spread(divisor.limit), capped;
  if (isSequence && lanes.getTarget().machine == Machine::X86)
    capped = lanes.bitcast(
        lanes.make<arith::MinSIOp>(lanes.toBits(value), lanes.toBits(limit)),
        getFloatType(value));
  else
    capped = lanes.cap(value, limit);
  return isSequence && !divisor.factor ? divideByHalves(capped, divisor)
                                       : divide(capped, divisor);
}

/// Returns the capped magnitude of the quotient and its sign separately,
/// because q' has no sign if it is zero.
Intermediate QuantizeExpander::divideMagnitude(const Divisor &divisor) {
  Value scaled = scaleInput(divisor);
  Intermediate intermediate;
  intermediate.value = divideCapped(getMagnitude(lanes, scaled), divisor);
  intermediate.signBits = lanes.toBits(scaled);
  return intermediate;
}

/// Builds a branch on the scale: `plain` builds the values for scales that need
/// no factor, and `other` builds them for all other scales.
SmallVector<Value, 2>
QuantizeExpander::branchOnScale(const APFloat &end,
                                Build<const Divisor &> plain, Build<> other) {
  constexpr uint64_t first = uint64_t(127 - 60) << 23, last = (127 + 60) << 23;
  FloatType f32 = getFloatType(op.scale);
  Value isPlain = uniform.compare(arith::CmpIPredicate::ule,
                                  uniform.add(uniform.toBits(op.scale), -first),
                                  last - first);
  if (isa<VectorType>(isPlain.getType()))
    isPlain =
        uniform.make<vector::ReductionOp>(vector::CombiningKind::AND, isPlain);
  // Before the branch, so that a loop can pipeline it
  // (PipelineReciprocals.cpp).
  Divisor divisor{
      {},
      op.scale,
      uniform.make<arith::DivFOp>(uniform.powerOfTwo(f32, 0), op.scale),
      getLimit(op.scale, end)};
  VectorBuilder scalar = lanes.withShapeOf(isPlain);
  isPlain = scalar.make<LLVM::ExpectOp>(isPlain, scalar.integer(isPlain, true));
  auto branch = scf::IfOp::create(
      lanes.getBuilder(), lanes.getLoc(), isPlain,
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, plain(divisor));
      },
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, other());
      });
  return SmallVector<Value, 2>(branch.getResults());
}

/// Returns the encoding of the largest f32 whose quotient by the scale, from
/// 2^-30 to 2^30, is rounded to zero.
Value QuantizeExpander::getLastUnderflow(Value scale) {
  VectorBuilder &l = uniform;
  FloatType f32 = getFloatType(scale);
  // Up to 2^-125, an encoding is the number of steps of 2^-149.
  constexpr int kStep = -149, kLinear = 24;
  Value steps = l.convert<arith::FPToSIOp>(
      l.make<arith::MulFOp>(scale, l.powerOfTwo(f32, kUnderflow - kStep)),
      l.getInt(32));
  Value bits = l.toBits(scale);
  Value isSmall = l.compare(arith::CmpIPredicate::ult, bits,
                            l.toBits(l.powerOfTwo(f32, kLinear)));
  return l.select(isSmall, steps, l.add(bits, uint64_t(kUnderflow) << 23));
}

/// Returns the dividend of a quotient to which a zero point is added. The sum
/// depends on whether a quotient close to zero is zero, because -0 + +0 is +0.
/// An input close to zero is therefore replaced by a zero of the same sign only
/// if its quotient is rounded to zero, and otherwise by 2^-90 with its sign.
Value QuantizeExpander::getDividendOfSum() {
  const LoweringTarget &target = lanes.getTarget();
  // In other precisions, larger quotients are rounded to zero.
  if (!target.avoidsSubnormals || target.flushesSubnormals ||
      !op.precision.isF32())
    return op.input;
  constexpr auto ule = arith::CmpIPredicate::ule,
                 ult = arith::CmpIPredicate::ult;
  auto getBits = [](int exponent) { return uint64_t(127 + exponent) << 23; };
  FloatType f32 = getFloatType(op.input);
  Value input = lanes.toBits(op.input);
  Value magnitude = lanes.bitAnd(input, 0x7FFFFFFF);
  // Zeros are common and remain unchanged.
  Value distance = lanes.add(magnitude, -1);
  auto replace = [&]() -> SmallVector<Value> {
    VectorBuilder &l = uniform;
    Value size = getMagnitude(l, op.scale), bits = l.toBits(size);
    uint64_t first = getBits(-kOrdinaryScale), last = getBits(kOrdinaryScale);
    Value isOrdinary = l.compare(ule, l.add(bits, -first), last - first);
    Value limit =
        l.select(isOrdinary, getBits(kTinyDividend) - 1, l.integer(bits, 0));
    Value underflow =
        getLastUnderflow(l.select(isOrdinary, size, l.powerOfTwo(f32, 0)));
    Value sign = lanes.bitAnd(input, 0x80000000);
    Value isZero = lanes.compare(ule, magnitude, spread(underflow));
    Value tiny =
        lanes.select(isZero, sign, lanes.bitOr(sign, getBits(kTinyDividend)));
    Value isTiny = lanes.compare(ult, distance, spread(limit));
    return {lanes.bitcast(lanes.select(isTiny, tiny, input), f32)};
  };
  auto type = dyn_cast<VectorType>(input.getType());
  if (!type || type.getRank() != 1)
    return replace()[0];
  Value hasTiny = lanes.make<vector::ReductionOp>(
      vector::CombiningKind::OR,
      lanes.compare(ult, distance, getBits(kTinyDividend) - 1));
  return replaceRarely(lanes, hasTiny, op.input, replace)[0];
}

/// D2. The preceding rounding to f32 has no effect, because f32 has more than
/// twice as many bits.
Value QuantizeExpander::roundToPrecision(Value value) {
  if (op.precision == getFloatType(value))
    return value;
  Value rounded = encodeStandardFloat(lanes, {value}, op.precision);
  return decodeFloat(lanes, rounded, op.precision).value;
}

/// Returns input / scale in the precision, as f32 or f64. Quotients above 2^20
/// need not be exact.
Value QuantizeExpander::getQuotient() {
  Value quotient;
  if (byReciprocal) {
    APFloat end =
        scalbn(APFloat(1.0f), kEndOfRanges, APFloat::rmNearestTiesToEven);
    quotient = getSigned(lanes, divideMagnitude(prepare(end)));
  } else if (inverse) {
    quotient =
        inverse->isExactlyValue(1.0)
            ? op.input
            : lanes.make<arith::MulFOp>(
                  dividend, lanes.number(getFloatType(dividend), *inverse));
  } else {
    quotient = divideExactly();
  }
  return roundToPrecision(quotient);
}

/// Whether an instruction rounds `value` to integers. It exists for one
/// register and for a scalar.
bool QuantizeExpander::roundsByInstruction(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return lanes.getTarget().roundsToIntegers && !op.random &&
         getFloatType(value).isF32() &&
         (!type || (type.getRank() == 1 && !type.isScalable() &&
                    type.getNumElements() % kRoundedElements == 0));
}

/// Clamps `value` to [low, high]. A NaN becomes zero, or remains and is rounded
/// to zero.
Value QuantizeExpander::clamp(Value value, Value low, Value high) {
  if (roundsByInstruction(value))
    return lanes.raise(lanes.cap(value, high), low);
  // The results for NaN are ignored.
  auto flags = arith::FastMathFlags::nnan;
  Value clamped = lanes.make<arith::MinNumFOp>(value, high, flags);
  clamped = lanes.make<arith::MaxNumFOp>(clamped, low, flags);
  Value zero = lanes.number(getFloatType(value), APFloat(0.0));
  return lanes.select(lanes.compare(CmpFPredicate::ORD, value, value), clamped,
                      zero);
}

/// Returns the zero point in its storage type; null if there is none. The upper
/// bits of a byte with a narrower integer are unspecified.
Value QuantizeExpander::getZeroPoint(IntegerType to) {
  return op.zeroPoint ? wrapInteger(uniform, op.zeroPoint, to) : Value();
}

Value QuantizeExpander::roundByInstruction(Value value) {
  OpBuilder &builder = lanes.getBuilder();
  auto round = [&](Value part) {
    VectorBuilder own = lanes.withShapeOf(part);
    return LLVM::CallIntrinsicOp::create(
               builder, lanes.getLoc(), own.getType(own.getInt(32)),
               builder.getStringAttr("llvm.aarch64.neon.fcvtns"), part)
        .getResult(0);
  };
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return round(value);
  Value result = lanes.make<arith::ConstantOp>(
      builder.getZeroAttr(lanes.getType(lanes.getInt(32))));
  for (int64_t i = 0; i < type.getNumElements(); i += kRoundedElements) {
    Value part = builder.createOrFold<vector::ExtractStridedSliceOp>(
        lanes.getLoc(), value, i, kRoundedElements, 1);
    result =
        lanes.make<vector::InsertStridedSliceOp>(round(part), result, i, 1);
  }
  return result;
}

/// Returns the integer nearest to `value` in the low bits; the other bits are
/// unspecified.
Value QuantizeExpander::roundToNearest(Value value) {
  if (roundsByInstruction(value))
    return roundByInstruction(value);
  // The lowest mantissa bit of the sum has the weight one. The sum is therefore
  // rounded to an integer, to nearest even, which is in its low bits.
  const llvm::fltSemantics &semantics = getFloatType(value).getFloatSemantics();
  unsigned mantissaBits = APFloat::semanticsPrecision(semantics) - 1;
  Value origin = lanes.number(getFloatType(value),
                              scalbn(APFloat(semantics, 3), mantissaBits - 1,
                                     APFloat::rmNearestTiesToEven));
  return lanes.toBits(lanes.make<arith::AddFOp>(value, origin));
}

/// Rounds the quotient, adds the zero point and saturates (D1).
Value QuantizeExpander::quantizeToInteger(IntegerType to) {
  FloatType type = getFloatType(op.input);
  unsigned width = to.getWidth();
  bool isUnsigned = to.isUnsigned();
  int64_t lowest = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t highest = lowest + (int64_t(1) << width) - 1;
  auto getNumber = [&](int64_t number) {
    return uniform.number(type, APFloat(double(number)));
  };

  // The exact bounds of the quotient.
  Value low = getNumber(lowest), high = getNumber(highest);
  Value zeroPoint = getZeroPoint(to);
  if (zeroPoint) {
    Value number = uniform.convert<arith::SIToFPOp>(
        uniform.resize(zeroPoint, 32, !isUnsigned), type);
    low = uniform.make<arith::SubFOp>(low, number);
    high = uniform.make<arith::SubFOp>(high, number);
  }

  Value quotient;
  if (byReciprocal && op.precision.isF32() && !op.random) {
    // Clamping before the division has the same result and keeps the division
    // in range: the quotient of a bound times the scale, rounded, differs from
    // the bound by less than half a unit.
    Divisor divisor = prepare();
    low = uniform.make<arith::MulFOp>(low, divisor.scale);
    high = uniform.make<arith::MulFOp>(high, divisor.scale);
    Value scaled = lanes.make<arith::MulFOp>(op.input, spread(divisor.factor));
    quotient = divide(clamp(scaled, spread(low), spread(high)), divisor);
  } else {
    quotient = clamp(getQuotient(), spread(low), spread(high));
  }

  Value integer = op.random ? roundStochastic(lanes, quotient, *op.random)
                            : roundToNearest(quotient);
  Value result = lanes.resize(integer, std::max(width, 8u));
  return zeroPoint ? lanes.make<arith::AddIOp>(result, spread(zeroPoint))
                   : result;
}

/// Returns the quotient that is rounded to a float (D3), capped if possible.
Intermediate
QuantizeExpander::getFloatQuotient(Type to, const CastSemantics &semantics) {
  // A negative quotient close to zero gives a negative sum with the zero point
  // +0, but -0 + +0 is +0. The quotient must therefore not underflow.
  byReciprocal &= !op.zeroPoint;
  if (op.zeroPoint)
    dividend = getDividendOfSum();
  if (byReciprocal && op.precision.isF32()) {
    APFloat end = getOverflowValue(to, semantics);
    // The quotient of the rounded limit may be slightly less than the maximum.
    // This matters for stochastic rounding, but not for rounding to nearest.
    if (op.random)
      end = scalbn(end, 1, APFloat::rmNearestTiesToEven);
    Intermediate intermediate = divideMagnitude(prepare(end));
    intermediate.isCapped = true;
    return intermediate;
  }
  Value quotient = getQuotient();
  if (op.zeroPoint) {
    Value zeroPoint = spread(decodeFloat(uniform, op.zeroPoint, to).value);
    if (getFloatType(quotient).isF64())
      zeroPoint =
          lanes.convert<arith::ExtFOp>(zeroPoint, getFloatType(quotient));
    quotient = roundToPrecision(lanes.make<arith::AddFOp>(quotient, zeroPoint));
  }
  if (getFloatType(quotient).isF64())
    quotient = roundToOdd(lanes, quotient);
  return {quotient};
}

/// As getFloatQuotient, with a branch on x86 for scales that need no factor.
/// This saves a multiplication, which matters because rounding in place takes
/// only a few operations.
Intermediate QuantizeExpander::getFloatQuotientInPlace(Type to) {
  CastSemantics semantics;
  if (!byReciprocal || op.zeroPoint || op.random || !op.precision.isF32() ||
      lanes.getTarget().machine != Machine::X86 ||
      !isa<VectorType>(op.input.getType()) ||
      isa<VectorType>(op.scale.getType()))
    return getFloatQuotient(to, semantics);
  APFloat end = getOverflowValue(to, semantics);
  SmallVector<Value, 2> parts = branchOnScale(
      end,
      [&](const Divisor &divisor) {
        return getParts(divideMagnitude(divisor));
      },
      [&] { return getParts(divideMagnitude(prepare(end))); });
  Intermediate intermediate{parts[0]};
  intermediate.signBits = parts[1];
  intermediate.isCapped = true;
  return intermediate;
}

SequenceQuotient
QuantizeExpander::getSequenceQuotient(Type to, const CastSemantics &semantics) {
  isSequence = true;
  auto integer = dyn_cast<IntegerType>(to);
  if (!integer) {
    FloatType f32 = lanes.getBuilder().getF32Type();
    byReciprocal &= !op.zeroPoint;
    if (!byReciprocal)
      return {getFloatQuotient(to, semantics)};
    // If the quotient is also rounded to the precision, the cap must not affect
    // that rounding.
    bool isSingle = op.precision.isF32();
    APFloat end = isSingle ? getOverflowValue(to, semantics)
                           : scalbn(APFloat(1.0f), kEndOfRanges,
                                    APFloat::rmNearestTiesToEven);
    SmallVector<Value, 2> parts = branchOnScale(
        end,
        [&](const Divisor &divisor) {
          return getParts(divideMagnitude(divisor));
        },
        [&] {
          Value quotient = divideExactly();
          Intermediate intermediate{
              lanes.cap(getMagnitude(lanes, quotient), lanes.number(f32, end))};
          intermediate.signBits = lanes.toBits(quotient);
          return getParts(intermediate);
        });
    Intermediate intermediate{parts[0]};
    intermediate.signBits = parts[1];
    intermediate.value = roundToPrecision(intermediate.value);
    intermediate.isMagnitude = true;
    return {intermediate};
  }

  APFloat end =
      scalbn(APFloat(1.0f), kEndOfBytes, APFloat::rmNearestTiesToEven);
  SequenceQuotient result;
  auto capQuotient = [&](Value quotient) {
    Value limit = lanes.number(getFloatType(quotient), end);
    return SmallVector<Value, 2>{lanes.cap(quotient, limit), quotient};
  };
  SmallVector<Value, 2> parts =
      byReciprocal ? branchOnScale(
                         end,
                         [&](const Divisor &divisor) {
                           Value scaled = scaleInput(divisor);
                           return SmallVector<Value, 2>{
                               divideCapped(scaled, divisor), scaled};
                         },
                         [&] { return capQuotient(divideExactly()); })
                   : capQuotient(getQuotient());
  result.intermediate.value =
      byReciprocal ? roundToPrecision(parts[0]) : parts[0];
  result.dividend = parts[1];
  Value zeroPoint = getZeroPoint(integer);
  if (zeroPoint && op.lane)
    zeroPoint = uniform.make<vector::ExtractOp>(zeroPoint, *op.lane);
  result.zeroPoint = zeroPoint;
  return result;
}

SequenceQuotient quant_float::expandSequenceQuotient(
    VectorBuilder &lanes, VectorBuilder &uniform,
    const QuantizeOperands &operands, Type to, const CastSemantics &semantics) {
  QuantizeExpander expander(lanes, uniform, operands);
  return expander.getSequenceQuotient(to, semantics);
}

Value quant_float::expandQuantize(VectorBuilder &lanes, VectorBuilder &uniform,
                                  const QuantizeOperands &operands, Type to,
                                  bool saturate) {
  QuantizeExpander expander(lanes, uniform, operands);
  if (auto integer = dyn_cast<IntegerType>(to))
    return expander.quantizeToInteger(integer);
  CastSemantics semantics;
  semantics.saturate = saturate;
  Intermediate quotient = expander.getFloatQuotient(to, semantics);
  if (operands.random)
    return encodeStochastic(lanes, getSigned(lanes, quotient), *operands.random,
                            to, semantics);
  return encodeNarrowFloat(lanes, quotient, to, semantics);
}

Value quant_float::expandQuotient(VectorBuilder &lanes, VectorBuilder &uniform,
                                  const QuantizeOperands &operands, Type to,
                                  const CastSemantics &semantics) {
  QuantizeExpander expander(lanes, uniform, operands);
  return getSigned(lanes, expander.getFloatQuotient(to, semantics));
}

Value quant_float::expandQuantizeInPlace(VectorBuilder &lanes,
                                         VectorBuilder &uniform,
                                         const QuantizeOperands &operands,
                                         FloatType to) {
  QuantizeExpander expander(lanes, uniform, operands);
  return roundInPlace(lanes, expander.getFloatQuotientInPlace(to), to);
}
