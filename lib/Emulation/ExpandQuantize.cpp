//===- ExpandQuantize.cpp - Division by a scale, and what follows ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where many elements share a scale, nothing is divided by it but 1 (D7). With
// r = 1 / s, correctly rounded, and
//
//   q = x * r        e = x - q * s  (fused: exact)        q' = q + e * r
//
// q' is x / s, correctly rounded (Markstein), while nothing over- or
// underflows. For that the scale is brought near 1 by a power of two, and x
// with it; and x is clamped to where every result is the end of the range. What
// then still is inexact is so small that all quantized types round it to zero,
// by random bits, too: 16 of them make steps of 2^-33, and it is below 2^-40.
//
// Most scales are positive and near 1 as they are: there a branch, which all
// elements of a scale take alike, saves the factor; in front of sequences of
// instructions the others divide.
//
// AVX2's machines divide beside multiplications, but not as quickly: half of a
// vector is divided and the other half multiplied, in about the same time.
//
// By a power of two nothing is divided at all: its reciprocal is exact.
//
//===----------------------------------------------------------------------===//

#include "ExpandQuantize.h"
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

/// Quotients of this magnitude and more are the end of every range: of 17-bit
/// sums of codes and zero points, and of the floats up to 8 bits.
static constexpr int kEndOfRanges = 20;

/// Inputs below this power of two, by scales from 2^-60 to 2^60, are zeros of
/// every type, by random bits, too; above it no remainder is a subnormal.
static constexpr int kTinyInput = -100;

/// Sums of quotients from here on and zero points are the end of every range of
/// up to 8 bits, and fit into words.
static constexpr int kEndOfBytes = 14;

/// In four registers of AVX2.
static constexpr int64_t kDividedElements = 32;

/// In a register of NEON, of which the instruction is.
static constexpr int64_t kRoundedElements = 4;

static FloatType getFloatType(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value));
}

static Value getMagnitude(Lanes &lanes, Value value) {
  Value bits = lanes.bitAnd(lanes.toBits(value),
                            ~uint64_t(0) >> 1 >> (64 - Lanes::getWidth(value)));
  return lanes.bitcast(bits, getFloatType(value));
}

/// The value of a carrier, with its sign.
static Value getSigned(Lanes &lanes, const Carrier &carrier) {
  if (!carrier.signBits)
    return carrier.value;
  Value sign = lanes.bitAnd(carrier.signBits, 0x80000000);
  Value bits = lanes.make<arith::OrIOp>(lanes.toBits(carrier.value), sign);
  return lanes.bitcast(bits, getFloatType(carrier.value));
}

/// The magnitude and the sign, as a branch gives them.
static SmallVector<Value, 2> getParts(const Carrier &carrier) {
  return {carrier.value, carrier.signBits};
}

/// 1 / scale, if that is a number known now and exact.
static std::optional<APFloat> getExactInverse(Value scale) {
  APFloat value(0.0), inverse(0.0);
  if (!matchPattern(scale, m_ConstantFloat(&value)) ||
      !value.getExactInverse(&inverse))
    return std::nullopt;
  return inverse;
}

namespace {
/// x / s = (x * factor) / scale; the latter is positive and near 1. Without a
/// factor, which is 1 then.
struct Divisor {
  Value factor, scale, reciprocal;
  /// Where quotients are capped, times the scale.
  Value limit = {};
};

/// Expands one quantize_elements.
class QuantizeExpander {
public:
  QuantizeExpander(Lanes &lanes, Lanes &uniform, const QuantizeOperands &op)
      : lanes(lanes), uniform(uniform), op(op),
        inverse(getExactInverse(op.scale)),
        byReciprocal(op.isUniform && !inverse && !op.precision.isF64() &&
                     lanes.getTarget().hasFma) {}

  Value quantizeToInteger(IntegerType to);
  /// The quotient, to be rounded to `to` once.
  Carrier getFloatQuotient(Type to, const CastSemantics &semantics);
  Carrier getFloatQuotientInPlace(Type to);
  SequenceQuotient getSequenceQuotient(Type to, const CastSemantics &semantics);

private:
  Divisor prepare();
  /// With a limit.
  Divisor prepare(const APFloat &end);
  Value getLimit(Value scale, const APFloat &end) {
    return uniform.make<arith::MulFOp>(uniform.number(getFloatType(scale), end),
                                       scale);
  }
  /// The input, of which what is next to zero need not be exact: for scales
  /// from 2^-60 to 2^60.
  Value getInput() {
    return lanes.getTarget().avoidsSubnormals && !op.precision.isF64()
               ? flushBelow(lanes, op.input, kTinyInput)
               : op.input;
  }
  Value scaleInput(const Divisor &divisor);
  /// q'
  Value divide(Value value, const Divisor &divisor);
  Value divideByHalves(Value value, const Divisor &divisor);
  Value divideCapped(Value value, const Divisor &divisor);
  Carrier divideMagnitude(const Divisor &divisor);
  template <typename... Args>
  using Build = function_ref<SmallVector<Value, 2>(Args...)>;
  SmallVector<Value, 2> branchOnScale(const APFloat &end,
                                      Build<const Divisor &> plain,
                                      Build<> other);
  /// By IEEE 754, of every scale.
  Value divideExactly() {
    return lanes.make<arith::DivFOp>(op.input, spread(op.scale));
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

  Lanes &lanes, &uniform;
  const QuantizeOperands &op;
  /// Given where the scale is known to be a power of two.
  std::optional<APFloat> inverse;
  bool byReciprocal;
  /// Whether a sequence of instructions rounds the quotient.
  bool isSequence = false;
};
} // namespace

/// What D4 says of scales that are no ordinary numbers comes out of the factor,
/// their reciprocal: by zero all x become infinite but for a zero, which
/// becomes NaN; by infinity all become zero but for an infinity, which becomes
/// NaN.
Divisor QuantizeExpander::prepare() {
  Lanes &l = uniform;
  FloatType f32 = getFloatType(op.scale);
  Value size = getMagnitude(l, op.scale), one = l.powerOfTwo(f32, 0);
  Value isSmall = l.compare(CmpFPredicate::OLT, size, l.powerOfTwo(f32, -60));
  Value isLarge = l.compare(CmpFPredicate::OGT, size, l.powerOfTwo(f32, 60));
  Value factor = l.select(isLarge, l.powerOfTwo(f32, -100), one);
  factor = l.select(isSmall, l.powerOfTwo(f32, 100), factor);
  // Zero, infinity and NaN stay what they are.
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

/// The same, where registers are few.
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
  Lanes parts = lanes.withShapeOf(first);
  QuantizeExpander expander(parts, uniform, op);
  Value divided =
      parts.make<arith::DivFOp>(first, expander.spread(divisor.scale));
  return lanes.make<vector::ShuffleOp>(
      divided, expander.divide(slice(half), divisor),
      llvm::to_vector(llvm::seq<int64_t>(2 * half)));
}

/// The input times the factor.
Value QuantizeExpander::scaleInput(const Divisor &divisor) {
  return divisor.factor
             ? lanes.make<arith::MulFOp>(op.input, spread(divisor.factor))
             : getInput();
}

/// The quotient of what has been scaled, but that of the limit where it is
/// more. A NaN stays one, or is not looked at: x86 compares floats where it
/// multiplies, and integers in other ports, too.
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

/// The magnitude of the quotient, capped, and its sign apart: q' has none where
/// it is zero.
Carrier QuantizeExpander::divideMagnitude(const Divisor &divisor) {
  Value scaled = scaleInput(divisor);
  Carrier carrier;
  carrier.value = divideCapped(getMagnitude(lanes, scaled), divisor);
  carrier.signBits = lanes.toBits(scaled);
  return carrier;
}

/// What `plain` makes of a divisor without a factor, or what `other` makes of
/// scales that cannot be one.
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
  // In front of the branch, where a loop may prepare them (PrepareAhead.cpp).
  Divisor divisor{
      {},
      op.scale,
      uniform.make<arith::DivFOp>(uniform.powerOfTwo(f32, 0), op.scale),
      getLimit(op.scale, end)};
  Lanes scalar = lanes.withShapeOf(isPlain);
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

/// D2. Rounding to f32 before changes nothing: that has more than twice as many
/// bits.
Value QuantizeExpander::roundToPrecision(Value value) {
  if (op.precision == getFloatType(value))
    return value;
  Value rounded = encodeStandardFloat(lanes, {value}, op.precision);
  return decodeFloat(lanes, rounded, op.precision).value;
}

/// input / scale in the precision, as f32 or f64; what is beyond 2^20 need not
/// be exact.
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
                  op.input, lanes.number(getFloatType(op.input), *inverse));
  } else {
    quotient = divideExactly();
  }
  return roundToPrecision(quotient);
}

/// Whether `value` becomes an integer by the instruction, of which there are
/// those of a register and of a scalar.
bool QuantizeExpander::roundsByInstruction(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return lanes.getTarget().roundsToIntegers && !op.random &&
         getFloatType(value).isF32() &&
         (!type || (type.getRank() == 1 && !type.isScalable() &&
                    type.getNumElements() % kRoundedElements == 0));
}

/// `value` between the two; a NaN becomes zero, or is left to rounding.
Value QuantizeExpander::clamp(Value value, Value low, Value high) {
  if (roundsByInstruction(value))
    return lanes.raise(lanes.cap(value, high), low);
  // What these make of a NaN is not looked at.
  auto flags = arith::FastMathFlags::nnan;
  Value clamped = lanes.make<arith::MinNumFOp>(value, high, flags);
  clamped = lanes.make<arith::MaxNumFOp>(clamped, low, flags);
  Value zero = lanes.number(getFloatType(value), APFloat(0.0));
  return lanes.select(lanes.compare(CmpFPredicate::ORD, value, value), clamped,
                      zero);
}

/// As storage; null where there is none. Callers may leave anything in the bits
/// of a byte above a narrow integer.
Value QuantizeExpander::getZeroPoint(IntegerType to) {
  return op.zeroPoint ? wrapInteger(uniform, op.zeroPoint, to) : Value();
}

Value QuantizeExpander::roundByInstruction(Value value) {
  OpBuilder &builder = lanes.getBuilder();
  auto round = [&](Value part) {
    Lanes own = lanes.withShapeOf(part);
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

/// The integer next to `value` in the low bits, the others are garbage.
Value QuantizeExpander::roundToNearest(Value value) {
  if (roundsByInstruction(value))
    return roundByInstruction(value);
  // The lowest bit of the sum counts ones: it is rounded, to nearest even, and
  // has the integer in its low bits.
  const llvm::fltSemantics &semantics = getFloatType(value).getFloatSemantics();
  unsigned mantissaBits = APFloat::semanticsPrecision(semantics) - 1;
  Value origin = lanes.number(getFloatType(value),
                              scalbn(APFloat(semantics, 3), mantissaBits - 1,
                                     APFloat::rmNearestTiesToEven));
  return lanes.toBits(lanes.make<arith::AddFOp>(value, origin));
}

/// D1
Value QuantizeExpander::quantizeToInteger(IntegerType to) {
  FloatType type = getFloatType(op.input);
  unsigned width = to.getWidth();
  bool isUnsigned = to.isUnsigned();
  int64_t lowest = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t highest = lowest + (int64_t(1) << width) - 1;
  auto getNumber = [&](int64_t number) {
    return uniform.number(type, APFloat(double(number)));
  };

  // The quotients that are the ends of the range, exactly.
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
    // Clamping before the division does as well, and keeps it in range: beyond
    // the rounded product of an end and the scale, the quotient is not below
    // half a step from that end.
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

/// D3
Carrier QuantizeExpander::getFloatQuotient(Type to,
                                           const CastSemantics &semantics) {
  // Of a negative quotient next to zero the sign stays, but -0 + 0 is +0: it
  // must not underflow.
  byReciprocal &= !op.zeroPoint;
  if (byReciprocal && op.precision.isF32()) {
    APFloat end = getOverflowValue(to, semantics);
    // The quotient of the rounded limit may be a little below the end, which is
    // no matter to the nearest number, but to random bits.
    if (op.random)
      end = scalbn(end, 1, APFloat::rmNearestTiesToEven);
    Carrier carrier = divideMagnitude(prepare(end));
    carrier.isCapped = true;
    return carrier;
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

/// The same, where most scales need no factor: a branch on x86, which saves one
/// of the few operations in front of rounding in place.
Carrier QuantizeExpander::getFloatQuotientInPlace(Type to) {
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
  Carrier carrier{parts[0]};
  carrier.signBits = parts[1];
  carrier.isCapped = true;
  return carrier;
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
    // What is rounded twice needs all quotients that differ.
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
          Carrier carrier{
              lanes.cap(getMagnitude(lanes, quotient), lanes.number(f32, end))};
          carrier.signBits = lanes.toBits(quotient);
          return getParts(carrier);
        });
    Carrier carrier{parts[0]};
    carrier.signBits = parts[1];
    carrier.value = roundToPrecision(carrier.value);
    carrier.isMagnitude = true;
    return {carrier};
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
  result.carrier.value = byReciprocal ? roundToPrecision(parts[0]) : parts[0];
  result.dividend = parts[1];
  Value zeroPoint = getZeroPoint(integer);
  if (zeroPoint && op.lane)
    zeroPoint = uniform.make<vector::ExtractOp>(zeroPoint, *op.lane);
  result.zeroPoint = zeroPoint;
  return result;
}

SequenceQuotient
quant_float::expandSequenceQuotient(Lanes &lanes, Lanes &uniform,
                                    const QuantizeOperands &operands, Type to,
                                    const CastSemantics &semantics) {
  QuantizeExpander expander(lanes, uniform, operands);
  return expander.getSequenceQuotient(to, semantics);
}

Value quant_float::expandQuantize(Lanes &lanes, Lanes &uniform,
                                  const QuantizeOperands &operands, Type to,
                                  bool saturate) {
  QuantizeExpander expander(lanes, uniform, operands);
  if (auto integer = dyn_cast<IntegerType>(to))
    return expander.quantizeToInteger(integer);
  CastSemantics semantics;
  semantics.saturate = saturate;
  Carrier quotient = expander.getFloatQuotient(to, semantics);
  if (operands.random)
    return encodeStochastic(lanes, getSigned(lanes, quotient), *operands.random,
                            to, semantics);
  return encodeNarrowFloat(lanes, quotient, to, semantics);
}

Value quant_float::expandQuotient(Lanes &lanes, Lanes &uniform,
                                  const QuantizeOperands &operands, Type to,
                                  const CastSemantics &semantics) {
  QuantizeExpander expander(lanes, uniform, operands);
  return getSigned(lanes, expander.getFloatQuotient(to, semantics));
}

Value quant_float::expandQuantizeInPlace(Lanes &lanes, Lanes &uniform,
                                         const QuantizeOperands &operands,
                                         FloatType to) {
  QuantizeExpander expander(lanes, uniform, operands);
  return roundInPlace(lanes, expander.getFloatQuotientInPlace(to), to);
}
