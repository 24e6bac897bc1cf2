//===- ElementFunctions.cpp - What elementwise ops compute ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFunctions.h"
#include "Building.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

using arith::CmpFPredicate;
using arith::CmpIPredicate;

Value ElementContext::number(double value) const {
  return makeNumber(b, type, value);
}

//===----------------------------------------------------------------------===//
// Shorthand
//===----------------------------------------------------------------------===//

static Value add(ElementContext &e, Value a, Value b) {
  return functions::either<arith::AddFOp, arith::AddIOp>(e, {a, b});
}
static Value sub(ElementContext &e, Value a, Value b) {
  return functions::either<arith::SubFOp, arith::SubIOp>(e, {a, b});
}
static Value mul(ElementContext &e, Value a, Value b) {
  return functions::either<arith::MulFOp, arith::MulIOp>(e, {a, b});
}
static Value div(ElementContext &e, Value a, Value b) {
  return e.b.createOrFold<arith::DivFOp>(a, b);
}
static Value exp(ElementContext &e, Value x) {
  return e.b.createOrFold<math::ExpOp>(x);
}
static Value select(ElementContext &e, Value condition, Value a, Value b) {
  return e.b.createOrFold<arith::SelectOp>(condition, a, b);
}

/// A comparison, false for NaN; `predicate` is that of signed integers.
static Value compare(ElementContext &e, CmpIPredicate predicate, Value a,
                     Value b) {
  struct Row {
    CmpIPredicate isSigned, isUnsigned;
    CmpFPredicate isFloat;
  };
  static constexpr Row rows[] = {
      {CmpIPredicate::eq, CmpIPredicate::eq, CmpFPredicate::OEQ},
      {CmpIPredicate::slt, CmpIPredicate::ult, CmpFPredicate::OLT},
      {CmpIPredicate::sle, CmpIPredicate::ule, CmpFPredicate::OLE},
      {CmpIPredicate::sgt, CmpIPredicate::ugt, CmpFPredicate::OGT},
      {CmpIPredicate::sge, CmpIPredicate::uge, CmpFPredicate::OGE},
  };
  const Row &row = *llvm::find_if(
      rows, [&](const Row &row) { return row.isSigned == predicate; });
  if (e.isFloat())
    return e.b.createOrFold<arith::CmpFOp>(row.isFloat, a, b);
  return e.b.createOrFold<arith::CmpIOp>(
      e.isUnsigned() ? row.isUnsigned : row.isSigned, a, b);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value functions::maximum(ElementContext &e, Value a, Value b) {
  if (e.isFloat())
    return e.b.createOrFold<arith::MaximumFOp>(a, b);
  return e.isUnsigned() ? e.b.createOrFold<arith::MaxUIOp>(a, b)
                        : e.b.createOrFold<arith::MaxSIOp>(a, b);
}

Value functions::minimum(ElementContext &e, Value a, Value b) {
  if (e.isFloat())
    return e.b.createOrFold<arith::MinimumFOp>(a, b);
  return e.isUnsigned() ? e.b.createOrFold<arith::MinUIOp>(a, b)
                        : e.b.createOrFold<arith::MinSIOp>(a, b);
}

/// A divisor that no instruction traps on: 1 for 0 and, where the quotient
/// could overflow, for -1.
static Value makeSafeDivisor(ElementContext &e, Value isZero, Value isMinusOne,
                             Value divisor) {
  Value one = e.number(1);
  divisor = select(e, isZero, one, divisor);
  return isMinusOne ? select(e, isMinusOne, one, divisor) : divisor;
}

/// Integers: toward zero. What ONNX leaves open is the same everywhere: x / 0
/// is 0, the lowest number divided by -1 is itself.
Value functions::divide(ElementContext &e, ValueRange x) {
  if (e.isFloat())
    return div(e, x[0], x[1]);
  Value zero = e.number(0);
  Value isZero = compare(e, CmpIPredicate::eq, x[1], zero);
  if (e.isUnsigned()) {
    Value divisor = makeSafeDivisor(e, isZero, {}, x[1]);
    return select(e, isZero, zero,
                  e.b.createOrFold<arith::DivUIOp>(x[0], divisor));
  }
  Value isMinusOne = compare(e, CmpIPredicate::eq, x[1], e.number(-1));
  Value divisor = makeSafeDivisor(e, isZero, isMinusOne, x[1]);
  Value quotient = e.b.createOrFold<arith::DivSIOp>(x[0], divisor);
  quotient = select(e, isMinusOne, sub(e, zero, x[0]), quotient);
  return select(e, isZero, zero, quotient);
}

/// Moves a remainder that has the sign of the dividend (C's) to the sign of the
/// divisor (Python's); a remainder of 0 gets that of the divisor too.
static Value moveToDivisor(ElementContext &e, Value rest, Value divisor) {
  Value zero = e.number(0);
  auto isNegative = [&](Value x) {
    return compare(e, CmpIPredicate::slt, x, zero);
  };
  Value isOther =
      e.b.createOrFold<arith::XOrIOp>(isNegative(rest), isNegative(divisor));
  Value moved = select(e, isOther, add(e, rest, divisor), rest);
  Value signedZero =
      e.isFloat() ? e.b.createOrFold<math::CopySignOp>(zero, divisor) : zero;
  return select(e, compare(e, CmpIPredicate::eq, rest, zero), signedZero,
                moved);
}

/// x % 0 is 0 for integers.
Value functions::modulo(ElementContext &e, ValueRange x) {
  bool isLikeC = e.node.getFlag("fmod", false);
  Value zero = e.number(0), divisor = x[1], rest;
  if (e.isFloat()) {
    rest = e.b.createOrFold<arith::RemFOp>(x[0], divisor);
    return isLikeC ? rest : moveToDivisor(e, rest, divisor);
  }
  Value isZero = compare(e, CmpIPredicate::eq, divisor, zero);
  if (e.isUnsigned()) {
    divisor = makeSafeDivisor(e, isZero, {}, divisor);
    return e.b.createOrFold<arith::RemUIOp>(x[0], divisor);
  }
  Value isMinusOne = compare(e, CmpIPredicate::eq, divisor, e.number(-1));
  divisor = makeSafeDivisor(e, isZero, isMinusOne, divisor);
  rest = e.b.createOrFold<arith::RemSIOp>(x[0], divisor);
  return isLikeC ? rest : moveToDivisor(e, rest, divisor);
}

Value functions::sum(ElementContext &e, ValueRange x) {
  return reduceBy<add>(e, x);
}

Value functions::mean(ElementContext &e, ValueRange x) {
  return div(e, sum(e, x), e.number(x.size()));
}

Value functions::negate(ElementContext &e, ValueRange x) {
  return e.isFloat() ? e.b.createOrFold<arith::NegFOp>(x[0])
                     : sub(e, e.number(0), x[0]);
}

Value functions::absolute(ElementContext &e, ValueRange x) {
  if (e.isFloat())
    return e.b.createOrFold<math::AbsFOp>(x[0]);
  return e.isUnsigned() ? x[0] : e.b.createOrFold<math::AbsIOp>(x[0]);
}

/// NaN stays NaN; -0 gives 0.
Value functions::sign(ElementContext &e, ValueRange x) {
  Value zero = e.number(0);
  Value result =
      select(e, compare(e, CmpIPredicate::eq, x[0], zero), zero, x[0]);
  result = select(e, compare(e, CmpIPredicate::sgt, x[0], zero), e.number(1),
                  result);
  if (e.isUnsigned())
    return result;
  return select(e, compare(e, CmpIPredicate::slt, x[0], zero), e.number(-1),
                result);
}

Value functions::reciprocal(ElementContext &e, ValueRange x) {
  return div(e, e.number(1), x[0]);
}

/// A shift by a negative amount, or by the width or more, leaves what comes in
/// at the other side.
Value functions::shiftBits(ElementContext &e, ValueRange x) {
  int64_t width = e.type.getIntOrFloatBitWidth();
  Value isInside = e.b.createOrFold<arith::CmpIOp>(CmpIPredicate::ult, x[1],
                                                   e.number(width));
  if (e.node.getString("direction", "") == "RIGHT" && !e.isUnsigned())
    return e.b.createOrFold<arith::ShRSIOp>(
        x[0], select(e, isInside, x[1], e.number(width - 1)));
  Value zero = e.number(0);
  Value amount = select(e, isInside, x[1], zero);
  Value shifted = e.node.getString("direction", "") == "LEFT"
                      ? e.b.createOrFold<arith::ShLIOp>(x[0], amount)
                      : e.b.createOrFold<arith::ShRUIOp>(x[0], amount);
  return select(e, isInside, shifted, zero);
}

Value functions::complement(ElementContext &e, ValueRange x) {
  return e.b.createOrFold<arith::XOrIOp>(x[0], e.number(-1));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// b where x < 0, else a.
static Value selectNegative(ElementContext &e, Value x, Value b, Value a) {
  return select(e, compare(e, CmpIPredicate::slt, x, e.number(0)), b, a);
}

Value functions::relu(ElementContext &e, ValueRange x) {
  return maximum(e, x[0], e.number(0));
}

Value functions::leakyRelu(ElementContext &e, ValueRange x) {
  Value alpha = e.number(e.node.getFloat("alpha", 0.01f));
  return selectNegative(e, x[0], mul(e, alpha, x[0]), x[0]);
}

Value functions::pRelu(ElementContext &e, ValueRange x) {
  return selectNegative(e, x[0], mul(e, x[1], x[0]), x[0]);
}

Value functions::thresholdedRelu(ElementContext &e, ValueRange x) {
  Value alpha = e.number(e.node.getFloat("alpha", 1.0f));
  return select(e, compare(e, CmpIPredicate::sgt, x[0], alpha), x[0],
                e.number(0));
}

/// exp(x) - 1.
static Value expMinusOne(ElementContext &e, Value x) {
  return sub(e, exp(e, x), e.number(1));
}

Value functions::elu(ElementContext &e, ValueRange x) {
  Value alpha = e.number(e.node.getFloat("alpha", 1.0f));
  return selectNegative(e, x[0], mul(e, alpha, expMinusOne(e, x[0])), x[0]);
}

Value functions::selu(ElementContext &e, ValueRange x) {
  bool isFirst = e.node.opset < 6;
  Value alpha =
      e.number(e.node.getFloat("alpha", isFirst ? 1.6732f : 1.67326319f));
  Value gamma =
      e.number(e.node.getFloat("gamma", isFirst ? 1.0507f : 1.05070102f));
  Value negative = mul(e, alpha, expMinusOne(e, x[0]));
  return mul(e, gamma, selectNegative(e, x[0], negative, x[0]));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)), of which one term is 0, or
/// for an alpha of 0 or infinity perhaps NaN.
Value functions::celu(ElementContext &e, ValueRange x) {
  float given = e.node.getFloat("alpha", 1.0f);
  Value alpha = e.number(given);
  Value bent = mul(e, alpha, expMinusOne(e, div(e, x[0], alpha)));
  if (given != 0 && std::isfinite(given))
    return selectNegative(e, x[0], bent, x[0]);
  Value zero = e.number(0);
  return add(e, maximum(e, zero, x[0]), minimum(e, zero, bent));
}

Value functions::gelu(ElementContext &e, ValueRange x) {
  Value half = e.number(0.5), one = e.number(1);
  Value bent;
  if (e.node.getChoice("approximate", "none", {"none", "tanh"}) == "tanh") {
    // tanh(sqrt(2 / pi) (x + 0.044715 x^3))
    Value cube = mul(e, mul(e, x[0], x[0]), x[0]);
    Value inner = add(e, x[0], mul(e, e.number(0.044715), cube));
    bent = e.b.createOrFold<math::TanhOp>(
        mul(e, e.number(0.79788456080286541), inner));
  } else {
    bent = e.b.createOrFold<math::ErfOp>(
        mul(e, x[0], e.number(0.70710678118654752)));
  }
  return mul(e, mul(e, half, x[0]), add(e, one, bent));
}

/// With e = exp(-|x|), which cannot overflow: 1 / (1 + e), or e / (1 + e) for
/// negative x.
Value functions::sigmoid(ElementContext &e, ValueRange x) {
  Value one = e.number(1);
  Value small = exp(e, negate(e, absolute(e, x[0])));
  Value numerator = selectNegative(e, x[0], small, one);
  return div(e, numerator, add(e, one, small));
}

/// max(0, min(1, alpha x + beta)).
static Value clampedLine(ElementContext &e, Value x, double alpha,
                         double beta) {
  Value line = add(e, mul(e, e.number(alpha), x), e.number(beta));
  return functions::maximum(e, functions::minimum(e, line, e.number(1)),
                            e.number(0));
}

Value functions::hardSigmoid(ElementContext &e, ValueRange x) {
  return clampedLine(e, x[0], e.node.getFloat("alpha", 0.2f),
                     e.node.getFloat("beta", 0.5f));
}

Value functions::hardSwish(ElementContext &e, ValueRange x) {
  return mul(e, x[0], clampedLine(e, x[0], 1.0 / 6.0, 0.5));
}

/// log(exp(x) + 1) = max(x, 0) + log(1 + exp(-|x|)).
Value functions::softplus(ElementContext &e, ValueRange x) {
  Value small = exp(e, negate(e, absolute(e, x[0])));
  Value log = e.b.createOrFold<math::LogOp>(add(e, e.number(1), small));
  return add(e, maximum(e, x[0], e.number(0)), log);
}

Value functions::softsign(ElementContext &e, ValueRange x) {
  return div(e, x[0], add(e, e.number(1), absolute(e, x[0])));
}

Value functions::mish(ElementContext &e, ValueRange x) {
  return mul(e, x[0], e.b.createOrFold<math::TanhOp>(softplus(e, x)));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

Value functions::equal(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::eq, x[0], x[1]);
}
Value functions::less(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::slt, x[0], x[1]);
}
Value functions::lessOrEqual(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::sle, x[0], x[1]);
}
Value functions::greater(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::sgt, x[0], x[1]);
}
Value functions::greaterOrEqual(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::sge, x[0], x[1]);
}

Value functions::isNaN(ElementContext &e, ValueRange x) {
  return e.b.createOrFold<arith::CmpFOp>(CmpFPredicate::UNO, x[0], x[0]);
}

Value functions::isInf(ElementContext &e, ValueRange x) {
  double infinity = std::numeric_limits<double>::infinity();
  Value no = makeNumber(e.b, e.b.getI1Type(), 0);
  Value isAbove = compare(e, CmpIPredicate::eq, x[0], e.number(infinity));
  Value isBelow = compare(e, CmpIPredicate::eq, x[0], e.number(-infinity));
  return e.b.createOrFold<arith::OrIOp>(
      e.node.getFlag("detect_positive", true) ? isAbove : no,
      e.node.getFlag("detect_negative", true) ? isBelow : no);
}
