//===- LowerMath.cpp - Expand math functions ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "WideFunctions.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/Codegen/Math/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERMATHPASS
#include "quant-float/Codegen/Math/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// e^x = 2^k * e^r with r = x - k ln 2 and |r| <= ln 2 / 2. ln 2 is split into
/// two parts, the first of which is short enough for exact products with k. 2^k
/// is applied as two factors, so that only the second multiplication can
/// overflow or give a subnormal.
static Value expandExp(Arithmetic &a, Value x) {
  x = a.clamp(x, -104.0f, 89.0f);
  auto [k, rounded] = a.round(a.multiply(x, a.number(0x1.715476p+0f)));
  Value r = a.multiplyAdd(rounded, a.number(-0.693359375f), x);
  r = a.multiplyAdd(rounded, a.number(2.12194440e-4f), r);
  Value p =
      a.polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                       4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  p = a.add(a.multiplyAdd(a.multiply(r, r), p, r), a.number(1.0f));
  Value half = a.halve(k);
  Value rest = a.subtractIntegers(k, half);
  return a.multiply(a.multiply(p, a.powerOfTwo(half)), a.powerOfTwo(rest));
}

/// Uses an odd polynomial near zero, and 1 - 2 / (e^2|x| + 1) elsewhere.
static Value expandTanh(Arithmetic &a, Value x) {
  Value magnitude = a.magnitude(x);
  Value exp = expandExp(a, a.add(magnitude, magnitude));
  Value one = a.number(1.0f);
  Value large = a.subtract(one, a.divide(a.number(2.0f), a.add(exp, one)));
  Value square = a.multiply(x, x);
  Value p = a.polynomial(square, {-5.70498872745e-3f, 2.06390887954e-2f,
                                  -5.37397155531e-2f, 1.33314422036e-1f,
                                  -3.33332819422e-1f});
  Value small = a.add(a.multiply(a.multiply(p, square), x), x);
  // This also restores the sign of zeros, which the sum may lose.
  return a.copySign(
      a.select(a.isLess(magnitude, a.number(0.625f)), small, large), x);
}

/// log x = k ln 2 + log m with m near 1. The first two terms of the series of
/// log m are added separately from the polynomial of the others. ln 2 is split
/// into two parts.
static Value expandLog(Arithmetic &a, Value x) {
  Value zero = a.number(0.0f), one = a.number(1.0f);
  Value isTiny = a.isLess(x, a.number(0x1p-126f));
  Value normal = a.select(isTiny, a.multiply(x, a.number(0x1p23f)), x);
  auto [m, k] = a.split(normal, /*low=*/0x1.6a09e6p-1f);
  k = a.select(isTiny, a.subtract(k, a.number(23.0f)), k);
  Value f = a.subtract(m, one), square = a.multiply(f, f);
  Value p =
      a.polynomial(f, {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f,
                       -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f,
                       2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
  Value rest = a.multiply(a.multiply(p, f), square);
  rest = a.add(rest, a.multiply(k, a.number(-2.12194440e-4f)));
  rest = a.subtract(rest, a.multiply(square, a.number(0.5f)));
  Value result = a.add(a.add(f, rest), a.multiply(k, a.number(0.693359375f)));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  result = a.select(a.isEqual(x, zero), a.number(-kInfinity), result);
  result = a.select(a.isLess(x, zero), a.number(kNaN), result);
  // Positive infinity and NaN are returned unchanged.
  return a.select(a.isLess(x, a.number(kInfinity)), result, x);
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

namespace {
/// An angle as a number of quarter turns and a remainder of at most an eighth
/// of a turn.
struct ReducedAngle {
  Value quarters, remainder;
};
} // namespace

/// Reduces |x| (Payne and Hanek). Let |x| = m * 2^e with a 24-bit m. Then |x| *
/// 2 / pi modulo 4 is m times a window of 96 bits of 2 / pi, whose position
/// depends on e. The bits before the window contribute multiples of 4 only. The
/// two most significant bits of the product are the number of quarter turns.
static ReducedAngle reduceAngle(Arithmetic &a, Value x) {
  // The bits of 2 / pi after 32 zeros.
  static constexpr uint32_t kBits[] = {0,          0xA2F9836E, 0x4E441529,
                                       0xFC2757D1, 0xF534DDC0, 0xDB629599,
                                       0x3C439041, 0xFE5163AB};
  constexpr int64_t kLow = 0xFFFFFFFF;
  Value bits = a.toBits(a.magnitude(x));
  Value position = a.subtractIntegers(a.shiftRight(bits, a.integer(23)),
                                      a.integer(127 + 23 - 30));
  Arithmetic w = a.widen();
  Value significand = w.extendInteger(
      a.addIntegers(a.bitAnd(bits, 0x7FFFFF), a.integer(0x800000)));
  Value limbIndex = a.bitAnd(a.shiftRight(position, a.integer(5)), 7);
  Value shift = w.extendInteger(a.bitAnd(position, 31));
  Value limbs[4];
  for (unsigned i = 0; i < 4; ++i) {
    limbs[i] = w.integer(kBits[i]);
    for (unsigned first = 1; first < 5; ++first)
      limbs[i] = a.select(a.isSame(limbIndex, first),
                          w.integer(kBits[first + i]), limbs[i]);
  }
  Value window[3];
  for (unsigned i = 0; i < 3; ++i) {
    Value pair =
        w.addIntegers(w.shiftLeft(limbs[i], w.integer(32)), limbs[i + 1]);
    window[i] = w.shiftRight(w.shiftLeft(pair, shift), w.integer(32));
  }
  Value low = w.multiplyIntegers(significand, window[2]);
  Value middle = w.addIntegers(w.multiplyIntegers(significand, window[1]),
                               w.shiftRight(low, w.integer(32)));
  Value high = w.addIntegers(w.multiplyIntegers(significand, window[0]),
                             w.shiftRight(middle, w.integer(32)));
  Value product =
      w.addIntegers(w.shiftLeft(high, w.integer(32)), w.bitAnd(middle, kLow));
  // Round to the nearest quarter turn; the remainder has either sign.
  Value quarters = a.truncateInteger(w.shiftRight(
      w.addIntegers(product, w.integer(int64_t(1) << 61)), w.integer(62)));
  Value rest = w.toFloat(w.shiftLeft(product, w.integer(2)));
  rest = a.truncate(w.multiply(rest, w.number(0x1.921fb54442d18p-64)));

  Value isSmall = a.isLess(a.magnitude(x), a.number(0x1.921fb6p-1));
  rest = a.select(isSmall, a.magnitude(x), rest);
  quarters = a.select(isSmall, a.integer(0), quarters);
  // Infinities and NaN give x - x, which is NaN.
  Value isFinite = a.isLess(a.magnitude(x),
                            a.number(std::numeric_limits<float>::infinity()));
  return {quarters, a.select(isFinite, rest, a.subtract(x, x))};
}

/// Returns the sine of the angle plus `ahead` quarter turns. The angle is that
/// of |x|.
static Value expandSine(Arithmetic &a, ReducedAngle angle, int64_t ahead) {
  Value r = angle.remainder, square = a.multiply(r, r);
  Value p = a.polynomial(square,
                         {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  Value sine = a.add(a.multiply(a.multiply(p, square), r), r);
  p = a.polynomial(square, {2.443315711809948e-5, -1.388731625493765e-3,
                            4.166664568298827e-2});
  Value cosine =
      a.subtract(a.multiply(a.multiply(p, square), square),
                 a.subtract(a.multiply(square, a.number(0.5)), a.number(1)));
  Value quarters = a.addIntegers(angle.quarters, a.integer(ahead));
  Value result = a.select(a.isSame(a.bitAnd(quarters, 1), 0), sine, cosine);
  return a.select(a.isSame(a.bitAnd(quarters, 2), 0), result, a.negate(result));
}

/// Returns the value of an odd function at x, given its value at |x|.
static Value makeOdd(Arithmetic &a, Value x, Value result) {
  Value isNegative = a.isLess(a.copySign(a.number(1), x), a.number(0));
  return a.select(isNegative, a.negate(result), result);
}

static Value expandSin(Arithmetic &a, Value x) {
  return makeOdd(a, x, expandSine(a, reduceAngle(a, x), 0));
}

static Value expandCos(Arithmetic &a, Value x) {
  return expandSine(a, reduceAngle(a, x), 1);
}

static Value expandTan(Arithmetic &a, Value x) {
  ReducedAngle angle = reduceAngle(a, x);
  return makeOdd(a, x,
                 a.divide(expandSine(a, angle, 0), expandSine(a, angle, 1)));
}

/// Subtracts the nearest of 0, pi / 4 and pi / 2 from the angle, so that the
/// tangent of the remainder is small.
static Value expandAtan(Arithmetic &a, Value x) {
  Value t = a.magnitude(x), one = a.number(1);
  Value isLarge = a.isLess(a.number(2.414213562373095), t);
  Value isMiddle = a.isLess(a.number(0.4142135623730950), t);
  Value r = a.select(isMiddle, a.divide(a.subtract(t, one), a.add(t, one)), t);
  r = a.select(isLarge, a.divide(a.number(-1), t), r);
  Value start = a.select(isMiddle, a.number(0x1.921fb6p-1), a.number(0));
  start = a.select(isLarge, a.number(0x1.921fb6p+0), start);
  Value square = a.multiply(r, r);
  Value p = a.polynomial(square, {8.05374449538e-2, -1.38776856032e-1,
                                  1.99777106478e-1, -3.33329491539e-1});
  Value rest = a.add(a.multiply(a.multiply(p, square), r), r);
  return a.copySign(a.add(start, rest), x);
}

/// Expands asin for x in [0, 1/2]. `square` is x * x.
static Value expandSmallAsin(Arithmetic &a, Value x, Value square) {
  Value p =
      a.polynomial(square, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2,
                            7.4953002686e-2, 1.6666752422e-1});
  return a.add(a.multiply(a.multiply(p, square), x), x);
}

/// Returns whether |x| > 1/2, and asin |x|; or if |x| > 1/2 the arc sine of
/// sqrt((1 - |x|) / 2), which is half of pi / 2 - asin |x|.
static std::pair<Value, Value> expandAsinOfMagnitude(Arithmetic &a, Value x) {
  Value t = a.magnitude(x), half = a.number(0.5);
  Value isLarge = a.isLess(half, t);
  Value square = a.select(isLarge, a.multiply(a.subtract(a.number(1), t), half),
                          a.multiply(t, t));
  Value r = a.select(isLarge, a.squareRoot(square), t);
  return {isLarge, expandSmallAsin(a, r, square)};
}

static Value expandAsin(Arithmetic &a, Value x) {
  auto [isLarge, angle] = expandAsinOfMagnitude(a, x);
  Value rest = a.subtract(a.number(0x1.921fb6p+0), a.add(angle, angle));
  return a.copySign(a.select(isLarge, rest, angle), x);
}

static Value expandAcos(Arithmetic &a, Value x) {
  auto [isLarge, angle] = expandAsinOfMagnitude(a, x);
  Value isNegative = a.isLess(x, a.number(0)), twice = a.add(angle, angle);
  Value large =
      a.select(isNegative, a.subtract(a.number(0x1.921fb6p+1), twice), twice);
  Value signedAngle = a.select(isNegative, a.negate(angle), angle);
  Value small = a.subtract(a.number(0x1.921fb6p+0), signedAngle);
  return a.select(isLarge, large, small);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// Returns e^|x| / 2 and e^-|x| / 2. The first one is a product of e^(|x| / 2),
/// which does not overflow before the result does.
static std::pair<Value, Value> expandHalves(Arithmetic &a, Value x) {
  Value half = a.number(0.5);
  Value root = expandExp(a, a.multiply(a.magnitude(x), half));
  return {a.multiply(a.multiply(root, half), root),
          a.divide(half, a.multiply(root, root))};
}

static Value expandSinh(Arithmetic &a, Value x) {
  Value t = a.magnitude(x), square = a.multiply(t, t);
  Value p = a.polynomial(
      square, {2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1});
  Value small = a.add(a.multiply(a.multiply(p, square), t), t);
  auto [growing, falling] = expandHalves(a, x);
  Value large = a.subtract(growing, falling);
  return a.copySign(a.select(a.isLess(t, a.number(1)), small, large), x);
}

static Value expandCosh(Arithmetic &a, Value x) {
  auto [growing, falling] = expandHalves(a, x);
  return a.add(growing, falling);
}

constexpr double kLog2 = 0.6931471805599453;
/// Above this bound, x^2 + 1 and x^2 - 1 round to x^2 in f32.
constexpr double kLargeArgument = 5000;

static Value expandAsinh(Arithmetic &a, Value x) {
  Value t = a.magnitude(x), square = a.multiply(t, t), one = a.number(1);
  Value p = a.polynomial(square, {2.0122003309e-2, -4.2699340972e-2,
                                  7.4847586088e-2, -1.6666288134e-1});
  Value small = a.add(a.multiply(a.multiply(p, square), t), t);
  Value isLarge = a.isLess(a.number(kLargeArgument), t);
  Value sum = a.add(t, a.squareRoot(a.add(square, one)));
  Value log = expandLog(a, a.select(isLarge, t, sum));
  log = a.select(isLarge, a.add(log, a.number(kLog2)), log);
  return a.copySign(a.select(a.isLess(t, a.number(0.5)), small, log), x);
}

static Value expandAcosh(Arithmetic &a, Value x) {
  Value one = a.number(1), above = a.subtract(x, one);
  Value p =
      a.polynomial(above, {1.7596881071e-3, -7.5272886713e-3, 2.6454905019e-2,
                           -1.1784741703e-1, 1.4142135263});
  // The square root is NaN if x < 1.
  Value small = a.multiply(p, a.squareRoot(above));
  Value isLarge = a.isLess(a.number(kLargeArgument), x);
  Value root = a.squareRoot(a.multiply(above, a.add(x, one)));
  Value log = expandLog(a, a.select(isLarge, x, a.add(x, root)));
  log = a.select(isLarge, a.add(log, a.number(kLog2)), log);
  return a.select(a.isLess(above, a.number(0.5)), small, log);
}

static Value expandAtanh(Arithmetic &a, Value x) {
  Value t = a.magnitude(x), square = a.multiply(t, t), one = a.number(1);
  Value p = a.polynomial(square,
                         {1.81740078349e-1, 8.24370301058e-2, 1.46691431730e-1,
                          1.99782164500e-1, 3.33337300303e-1});
  Value small = a.add(a.multiply(a.multiply(p, square), t), t);
  Value quotient = a.divide(a.add(one, t), a.subtract(one, t));
  Value large = a.multiply(expandLog(a, quotient), a.number(0.5));
  return a.copySign(a.select(a.isLess(t, a.number(0.5)), small, large), x);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// Computes |x|^y = 2^(y log2 |x|) in f64, which is precise enough for a result
/// in f32. Special values are those of C's pow.
static Value expandPow(Arithmetic &a, Value x, Value y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Arithmetic w = a.widen();
  Value base = a.magnitude(x), power = w.extend(y);
  Value wide = w.extend(base);

  // Every finite f32 other than zero is a normal f64.
  auto [m, k] = w.split(wide, 0x1.6a09e667f3bcdp-1);
  Value s = w.divide(w.subtract(m, w.number(1)), w.add(m, w.number(1)));
  Value square = w.multiply(s, s);
  Value p = w.polynomial(square, {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                                  1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
  Value log =
      w.add(w.multiply(w.multiply(p, s), w.number(2.8853900817779268)), k);
  log = a.select(a.isEqual(base, a.number(0)), w.number(-kInfinity), log);
  log =
      a.select(a.isEqual(base, a.number(kInfinity)), w.number(kInfinity), log);

  Value product = w.multiply(power, log);
  Value bounded = w.clamp(product, -200, 200);
  bounded = a.select(w.isNaN(bounded), w.number(0), bounded);
  auto [exponent, rounded] = w.round(bounded);
  Value f = w.multiply(w.subtract(bounded, rounded), w.number(kLog2));
  Value e = w.polynomial(f, {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                             1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  Value result = a.truncate(w.multiply(e, w.powerOfTwo(exponent)));

  return finishPower(a, x, y, result);
}

/// The product of two f32 is exact in f64. The sum is rounded to odd: if it is
/// inexact, its last bit is set, so that the conversion to f32 rounds like the
/// exact sum (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
/// sums: proved algorithms using rounding to odd", 2008).
static Value expandFma(Arithmetic &a, Value x, Value y, Value z) {
  Arithmetic w = a.widen();
  Value product = w.multiply(w.extend(x), w.extend(y)), addend = w.extend(z);
  Value sum = w.add(product, addend);
  // The error of the addition (Knuth's TwoSum); NaN if the sum is not finite.
  Value addendOfSum = w.subtract(sum, product);
  Value error = w.add(w.subtract(product, w.subtract(sum, addendOfSum)),
                      w.subtract(addend, addendOfSum));
  Value isInexact = w.isLess(w.number(0), w.magnitude(error));
  // If the sum is even, the odd neighbour in the direction of the error: 1 more
  // if the signs are equal, 1 less otherwise.
  Value bits = w.toBits(sum);
  Value step = w.bitOr(
      w.shiftRightSigned(w.bitXor(bits, w.toBits(error)), w.integer(63)), 1);
  Value isEven = w.addIntegers(w.bitAnd(bits, 1), w.integer(-1));
  step = w.select(isInexact, w.both(step, isEven), w.integer(0));
  bits = w.addIntegers(bits, step);
  return a.truncate(w.fromBits(bits));
}

namespace {
using ExpandTwo = Value (*)(Arithmetic &, Value, Value);
} // namespace

/// Returns the expansion of a function of one argument, or null if there is
/// none.
static Expand getExpansion(Operation *op) {
  if (getElementTypeOrSelf(op->getResult(0)).isF64())
    return getWideExpansion(op);
  if (!getElementTypeOrSelf(op->getResult(0)).isF32())
    return nullptr;
  return llvm::TypeSwitch<Operation *, Expand>(op)
      .Case([](math::ExpOp) { return expandExp; })
      .Case([](math::LogOp) { return expandLog; })
      .Case([](math::TanhOp) { return expandTanh; })
      .Case([](math::SinOp) { return expandSin; })
      .Case([](math::CosOp) { return expandCos; })
      .Case([](math::TanOp) { return expandTan; })
      .Case([](math::AsinOp) { return expandAsin; })
      .Case([](math::AcosOp) { return expandAcos; })
      .Case([](math::AtanOp) { return expandAtan; })
      .Case([](math::SinhOp) { return expandSinh; })
      .Case([](math::CoshOp) { return expandCosh; })
      .Case([](math::AsinhOp) { return expandAsinh; })
      .Case([](math::AcoshOp) { return expandAcosh; })
      .Case([](math::AtanhOp) { return expandAtanh; })
      .Default([](Operation *) { return nullptr; });
}

/// Returns the expansion of a function of two arguments, or null if there is
/// none.
static ExpandTwo getExpansionOfTwo(Operation *op) {
  if (!isa<math::PowFOp>(op))
    return nullptr;
  Type type = getElementTypeOrSelf(op->getResult(0));
  return type.isF64() ? expandWidePow : type.isF32() ? expandPow : nullptr;
}

namespace {
struct LowerMath final
    : quant_float::impl::QuantFloatLowerMathPassBase<LowerMath> {
  using QuantFloatLowerMathPassBase::QuantFloatLowerMathPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto expandAll = [&](auto isExpanded, auto expand) {
      SmallVector<Operation *> ops;
      getOperation().walk([&](Operation *op) {
        if (op->getNumResults() == 1 && isExpanded(op))
          ops.push_back(op);
      });
      for (Operation *op : ops) {
        rewriter.setInsertionPoint(op);
        Arithmetic arithmetic(rewriter, op);
        rewriter.replaceOp(op, expand(arithmetic, op));
      }
    };
    expandAll(
        [](Operation *op) { return getExpansion(op) || getExpansionOfTwo(op); },
        [](Arithmetic &arithmetic, Operation *op) {
          Value x = op->getOperand(0);
          if (Expand expand = getExpansion(op))
            return expand(arithmetic, x);
          return getExpansionOfTwo(op)(arithmetic, x, op->getOperand(1));
        });
    // The expansions contain multiply-adds.
    if (!fma)
      expandAll(
          [](Operation *op) {
            return isa<math::FmaOp>(op) &&
                   getElementTypeOrSelf(op->getResult(0)).isF32();
          },
          [](Arithmetic &arithmetic, Operation *op) {
            return expandFma(arithmetic, op->getOperand(0), op->getOperand(1),
                             op->getOperand(2));
          });

    // Convert the remaining functions to calls of libm. Ops that are not listed
    // are lowered to instructions of the target later.
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<
        math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp,
        math::Atan2Op, math::AtanhOp, math::CbrtOp, math::CosOp, math::CoshOp,
        math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op, math::ExpM1Op,
        math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp, math::PowFOp,
        math::SinOp, math::SinhOp, math::TanOp, math::TanhOp>();
    if (!libm)
      return reportUnsupported(target);
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }

private:
  void reportUnsupported(const ConversionTarget &target) {
    getOperation().walk([&](Operation *op) {
      if (!target.isIllegal(op))
        return;
      op->emitOpError()
          << "has no lowering for this target: expected a function that "
             "expands to arithmetic, because libm is not available, but got "
          << op->getResult(0).getType();
      signalPassFailure();
    });
  }
};
} // namespace
