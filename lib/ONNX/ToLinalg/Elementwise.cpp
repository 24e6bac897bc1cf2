//===- Elementwise.cpp - Elementwise ops ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/ElementTypes.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;
using namespace mlir::quant_float::onnx_nodes::kinds;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// Returns the elements of small tensors as scalars. Broadcasts tensors of one
/// element to `count` elements.
static std::optional<SmallVector<SmallVector<Value>>>
getBroadcastScalars(NodeContext &context, ArrayRef<Value> inputs,
                    int64_t count) {
  SmallVector<SmallVector<Value>> all;
  for (Value input : inputs) {
    std::optional<SmallVector<Value>> scalars = context.getScalars(input);
    if (!scalars)
      return std::nullopt;
    if (scalars->size() == 1)
      scalars->append(count - 1, scalars->front());
    all.push_back(std::move(*scalars));
  }
  return all;
}

/// Broadcasts the inputs together and computes a tensor of `elementType`.
/// `body` receives scalars of the inputs' element types. Inputs that consist of
/// known scalars give a tensor of scalars, so that shape arithmetic can
/// continue.
static NodeResults buildBroadcast(
    NodeContext &context, ArrayRef<Value> inputs, Type elementType,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<SmallVector<OpFoldResult>> inputSizes;
  for (Value input : inputs)
    inputSizes.push_back(context.getSizes(input));
  FailureOr<SmallVector<OpFoldResult>> sizes =
      broadcastSizes(context, inputSizes);
  if (failed(sizes))
    return failure();
  ImplicitLocOpBuilder &b = context.b;

  auto type = RankedTensorType::get(getShape(*sizes), elementType);
  if (type.getRank() <= 1 && type.hasStaticShape() &&
      type.getNumElements() > 0) {
    int64_t count = type.getNumElements();
    if (auto scalars = getBroadcastScalars(context, inputs, count)) {
      SmallVector<Value> results;
      for (int64_t i = 0; i < count; ++i)
        results.push_back(
            body(b, llvm::map_to_vector(*scalars, [&](const auto &values) {
                   return values[i];
                 })));
      return SmallVector<Value>{context.makeTensor(results, type)};
    }
  }

  SmallVector<AffineMap> maps;
  for (const SmallVector<OpFoldResult> &input : inputSizes)
    maps.push_back(getBroadcastMap(b.getContext(), input, *sizes));
  return SmallVector<Value>{
      buildParallel(b, *sizes, elementType, inputs, maps, body)};
}

//===----------------------------------------------------------------------===//
// Building blocks of element functions
//===----------------------------------------------------------------------===//

// All of these fold, so that shape arithmetic on constants yields constants.

namespace {
/// The context of the computation of one element.
struct ElementContext {
  ImplicitLocOpBuilder &b;
  NodeContext &node;
  /// The element type of the inputs, and their compute type.
  Type elementType;
  Type type;

  bool isFloat() const { return isa<FloatType>(type); }
  bool isUnsigned() const {
    return elementType.isUnsignedInteger() || elementType.isInteger(1);
  }
  /// Returns a constant of `type`.
  Value number(double value) const;
};

/// Computes one element. Operands and result have the compute type or i1.
using ElementFn = Value (*)(ElementContext &, ValueRange);
} // namespace

/// Uses the same op for all element types.
template <typename OpT> static Value only(ElementContext &e, ValueRange x) {
  return e.b.createOrFold<OpT>(x);
}

/// Uses one op for floats and another one for integers.
template <typename FloatOpT, typename IntegerOpT>
static Value either(ElementContext &e, ValueRange x) {
  return e.isFloat() ? e.b.createOrFold<FloatOpT>(x[0], x[1])
                     : e.b.createOrFold<IntegerOpT>(x[0], x[1]);
}

/// Folds the operands from left to right with `Fn`.
template <Value (*Fn)(ElementContext &, Value, Value)>
static Value reduceBy(ElementContext &e, ValueRange x) {
  Value result = x[0];
  for (Value next : x.drop_front())
    result = Fn(e, result, next);
  return result;
}

Value ElementContext::number(double value) const {
  return makeNumber(b, type, value);
}

//===----------------------------------------------------------------------===//
// Shorthand
//===----------------------------------------------------------------------===//

static Value add(ElementContext &e, Value a, Value b) {
  return either<arith::AddFOp, arith::AddIOp>(e, {a, b});
}
static Value sub(ElementContext &e, Value a, Value b) {
  return either<arith::SubFOp, arith::SubIOp>(e, {a, b});
}
static Value mul(ElementContext &e, Value a, Value b) {
  return either<arith::MulFOp, arith::MulIOp>(e, {a, b});
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

/// Compares two values; false if one is NaN. `predicate` is the one for signed
/// integers.
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

// NaNs propagate, as in NumPy.
static Value maximum(ElementContext &e, Value a, Value b) {
  if (e.isFloat())
    return e.b.createOrFold<arith::MaximumFOp>(a, b);
  return e.isUnsigned() ? e.b.createOrFold<arith::MaxUIOp>(a, b)
                        : e.b.createOrFold<arith::MaxSIOp>(a, b);
}

static Value minimum(ElementContext &e, Value a, Value b) {
  if (e.isFloat())
    return e.b.createOrFold<arith::MinimumFOp>(a, b);
  return e.isUnsigned() ? e.b.createOrFold<arith::MinUIOp>(a, b)
                        : e.b.createOrFold<arith::MinSIOp>(a, b);
}

/// Returns a divisor for which no target traps: replaces 0 by 1, and also -1 by
/// 1 if the quotient can overflow.
static Value makeSafeDivisor(ElementContext &e, Value isZero, Value isMinusOne,
                             Value divisor) {
  Value one = e.number(1);
  divisor = select(e, isZero, one, divisor);
  return isMinusOne ? select(e, isMinusOne, one, divisor) : divisor;
}

/// Integer division rounds toward zero. Cases that ONNX leaves undefined have
/// the same result on all targets: x / 0 is 0, and the minimum divided by -1 is
/// itself.
static Value divide(ElementContext &e, ValueRange x) {
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

/// Converts a remainder with the sign of the dividend (as in C) to one with the
/// sign of the divisor (as in Python). A zero remainder also gets the sign of
/// the divisor.
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

/// x % 0 is 0 for integers. Before opset 28, floats have no modulo with the
/// sign of the divisor; the importer imports such a node as one of opset 28.
static Value modulo(ElementContext &e, ValueRange x) {
  constexpr int64_t kFirstFloatModulo = 28;
  bool isLikeC = e.node.getFlag("fmod");
  if (e.isFloat() && !isLikeC && e.node.opset < kFirstFloatModulo)
    (void)e.node.unsupported("fmod must be 1 for floats");
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

static Value sum(ElementContext &e, ValueRange x) {
  return reduceBy<add>(e, x);
}

static Value mean(ElementContext &e, ValueRange x) {
  return div(e, sum(e, x), e.number(x.size()));
}

static Value negate(ElementContext &e, ValueRange x) {
  return e.isFloat() ? e.b.createOrFold<arith::NegFOp>(x[0])
                     : sub(e, e.number(0), x[0]);
}

static Value absolute(ElementContext &e, ValueRange x) {
  if (e.isFloat())
    return e.b.createOrFold<math::AbsFOp>(x[0]);
  return e.isUnsigned() ? x[0] : e.b.createOrFold<math::AbsIOp>(x[0]);
}

/// NaN stays NaN, and -0 gives 0.
static Value sign(ElementContext &e, ValueRange x) {
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

static Value reciprocal(ElementContext &e, ValueRange x) {
  return div(e, e.number(1), x[0]);
}

/// If the amount is negative or at least the width, all bits of the result are
/// those that are shifted in: zeros or copies of the sign.
static Value shiftBits(ElementContext &e, ValueRange x) {
  int64_t width = e.type.getIntOrFloatBitWidth();
  Value isInside = e.b.createOrFold<arith::CmpIOp>(CmpIPredicate::ult, x[1],
                                                   e.number(width));
  bool isLeft = e.node.getString("direction") == "LEFT";
  if (!isLeft && !e.isUnsigned())
    return e.b.createOrFold<arith::ShRSIOp>(
        x[0], select(e, isInside, x[1], e.number(width - 1)));
  Value zero = e.number(0);
  Value amount = select(e, isInside, x[1], zero);
  Value shifted = isLeft ? e.b.createOrFold<arith::ShLIOp>(x[0], amount)
                         : e.b.createOrFold<arith::ShRUIOp>(x[0], amount);
  return select(e, isInside, shifted, zero);
}

static Value complement(ElementContext &e, ValueRange x) {
  return e.b.createOrFold<arith::XOrIOp>(x[0], e.number(-1));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Returns b if x < 0, otherwise a.
static Value selectNegative(ElementContext &e, Value x, Value b, Value a) {
  return select(e, compare(e, CmpIPredicate::slt, x, e.number(0)), b, a);
}

static Value relu(ElementContext &e, ValueRange x) {
  return maximum(e, x[0], e.number(0));
}

static Value leakyRelu(ElementContext &e, ValueRange x) {
  Value alpha = e.number(e.node.getFloat("alpha"));
  return selectNegative(e, x[0], mul(e, alpha, x[0]), x[0]);
}

static Value pRelu(ElementContext &e, ValueRange x) {
  return selectNegative(e, x[0], mul(e, x[1], x[0]), x[0]);
}

static Value thresholdedRelu(ElementContext &e, ValueRange x) {
  Value alpha = e.number(e.node.getFloat("alpha"));
  return select(e, compare(e, CmpIPredicate::sgt, x[0], alpha), x[0],
                e.number(0));
}

/// Returns exp(x) - 1.
static Value expMinusOne(ElementContext &e, Value x) {
  return sub(e, exp(e, x), e.number(1));
}

static Value elu(ElementContext &e, ValueRange x) {
  Value alpha = e.number(e.node.getFloat("alpha"));
  return selectNegative(e, x[0], mul(e, alpha, expMinusOne(e, x[0])), x[0]);
}

static Value selu(ElementContext &e, ValueRange x) {
  Value alpha = e.number(e.node.getFloat("alpha"));
  Value gamma = e.number(e.node.getFloat("gamma"));
  Value negative = mul(e, alpha, expMinusOne(e, x[0]));
  return mul(e, gamma, selectNegative(e, x[0], negative, x[0]));
}

/// Computes max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). One of the terms
/// is 0 unless alpha is 0 or infinite, in which case a term may be NaN.
static Value celu(ElementContext &e, ValueRange x) {
  float alphaValue = e.node.getFloat("alpha");
  Value alpha = e.number(alphaValue);
  Value bent = mul(e, alpha, expMinusOne(e, div(e, x[0], alpha)));
  if (alphaValue != 0 && std::isfinite(alphaValue))
    return selectNegative(e, x[0], bent, x[0]);
  Value zero = e.number(0);
  return add(e, maximum(e, zero, x[0]), minimum(e, zero, bent));
}

static Value gelu(ElementContext &e, ValueRange x) {
  Value half = e.number(0.5), one = e.number(1);
  Value bent;
  if (e.node.getString("approximate") == "tanh") {
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

/// Computes 1 / (1 + e), or e / (1 + e) for negative x, with e = exp(-|x|),
/// which cannot overflow.
static Value sigmoid(ElementContext &e, ValueRange x) {
  Value one = e.number(1);
  Value small = exp(e, negate(e, absolute(e, x[0])));
  Value numerator = selectNegative(e, x[0], small, one);
  return div(e, numerator, add(e, one, small));
}

/// Returns max(0, min(1, alpha x + beta)).
static Value clampedLine(ElementContext &e, Value x, double alpha,
                         double beta) {
  Value line = add(e, mul(e, e.number(alpha), x), e.number(beta));
  return maximum(e, minimum(e, line, e.number(1)), e.number(0));
}

static Value hardSigmoid(ElementContext &e, ValueRange x) {
  return clampedLine(e, x[0], e.node.getFloat("alpha"),
                     e.node.getFloat("beta"));
}

static Value hardSwish(ElementContext &e, ValueRange x) {
  return mul(e, x[0], clampedLine(e, x[0], 1.0 / 6.0, 0.5));
}

/// Uses log(exp(x) + 1) = max(x, 0) + log(1 + exp(-|x|)), which cannot
/// overflow.
static Value softplus(ElementContext &e, ValueRange x) {
  Value small = exp(e, negate(e, absolute(e, x[0])));
  Value log = e.b.createOrFold<math::LogOp>(add(e, e.number(1), small));
  return add(e, maximum(e, x[0], e.number(0)), log);
}

static Value softsign(ElementContext &e, ValueRange x) {
  return div(e, x[0], add(e, e.number(1), absolute(e, x[0])));
}

/// Returns 0 within [-lambd, lambd], and otherwise moves x toward 0 by the
/// bias. Integers are converted to f64 for this, and back by a cast, which
/// defines the result for numbers that are out of range (C11).
static Value shrink(ElementContext &e, ValueRange x) {
  Value value = x[0];
  Type type = e.isFloat() ? e.type : Type(e.b.getF64Type());
  if (!e.isFloat())
    value = e.isUnsigned() ? e.b.createOrFold<arith::UIToFPOp>(type, value)
                           : e.b.createOrFold<arith::SIToFPOp>(type, value);
  auto number = [&](double x) { return makeNumber(e.b, type, x); };
  auto isLess = [&](Value a, Value b) {
    return e.b.createOrFold<arith::CmpFOp>(CmpFPredicate::OLT, a, b);
  };
  double lambd = e.node.getFloat("lambd");
  Value bias = number(e.node.getFloat("bias"));
  Value result =
      select(e, isLess(number(lambd), value),
             e.b.createOrFold<arith::SubFOp>(value, bias), number(0));
  result = select(e, isLess(value, number(-lambd)),
                  e.b.createOrFold<arith::AddFOp>(value, bias), result);
  if (e.isFloat())
    return result;
  return toCompute(e.b, e.b.createOrFold<CastOp>(result, e.elementType));
}

static Value mish(ElementContext &e, ValueRange x) {
  return mul(e, x[0], e.b.createOrFold<math::TanhOp>(softplus(e, x)));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Value equal(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::eq, x[0], x[1]);
}
static Value less(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::slt, x[0], x[1]);
}
static Value lessOrEqual(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::sle, x[0], x[1]);
}
static Value greater(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::sgt, x[0], x[1]);
}
static Value greaterOrEqual(ElementContext &e, ValueRange x) {
  return compare(e, CmpIPredicate::sge, x[0], x[1]);
}

static Value isNaN(ElementContext &e, ValueRange x) {
  return e.b.createOrFold<arith::CmpFOp>(CmpFPredicate::UNO, x[0], x[0]);
}

static Value isInf(ElementContext &e, ValueRange x) {
  double infinity = std::numeric_limits<double>::infinity();
  Value no = makeNumber(e.b, e.b.getI1Type(), 0);
  Value isAbove = compare(e, CmpIPredicate::eq, x[0], e.number(infinity));
  Value isBelow = compare(e, CmpIPredicate::eq, x[0], e.number(-infinity));
  return e.b.createOrFold<arith::OrIOp>(
      e.node.getFlag("detect_positive") ? isAbove : no,
      e.node.getFlag("detect_negative") ? isBelow : no);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

namespace {
/// The element type of the result in a row of OnnxNodes.def.
enum class OutputElement { First, Boolean };

struct ElementwiseRow {
  OutputElement element;
  ElementFn function;
};

/// The first opset with NumPy broadcasting.
constexpr int64_t kFirstNumpyOpset = 7;
} // namespace

static ElementwiseRow getRow(NodeKind kind) {
  static const DenseMap<NodeKind, ElementwiseRow> table = {
#define QUANT_FLOAT_ELEMENTWISE(OpType, Since, MinInputs, MaxInputs, Kinds,    \
                                Element, Attributes, Function)                 \
  {NodeKind::OpType, {OutputElement::Element, Function}},
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
  };
  return table.at(kind);
}

/// Before opset 7, the axes of input 1 correspond to those of input 0 from
/// `axis` on, or to the last ones without `axis`. Appends the axes of size 1
/// that NumPy broadcasting needs.
static LogicalResult alignSecond(NodeContext &context) {
  bool isPRelu = context.kind == NodeKind::PRelu;
  if (context.opset >= kFirstNumpyOpset || context.inputs.size() != 2 ||
      (!context.has("axis") && !isPRelu))
    return success();
  int64_t rank = context.type(0).getRank();
  int64_t secondRank = context.type(1).getRank();
  // PRelu: one slope for each channel.
  int64_t axis = context.getInt("axis", 1);
  if (isPRelu &&
      (secondRank != 1 || context.type(1).getDimSize(0) == 1 || rank < 2))
    return success();
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis > rank - secondRank)
    return context.unsupported("axis must be between 0 and " +
                               Twine(rank - secondRank) +
                               " for an input 1 of rank " + Twine(secondRank) +
                               ", but got " + Twine(axis));
  SmallVector<OpFoldResult> sizes = context.getSizes(context.inputs[1]);
  SmallVector<OpFoldResult> padded = sizes;
  padded.append(rank - axis - secondRank, context.b.getIndexAttr(1));
  context.inputs[1] = context.reshape(context.inputs[1], padded);
  return success();
}

NodeResults onnx_nodes::convertElementwise(NodeContext &context) {
  ElementwiseRow row = getRow(*context.kind);
  if (failed(context.requireSameType()) || failed(alignSecond(context)))
    return failure();
  Type elementType = context.elementType(0);
  Type resultType = row.element == OutputElement::Boolean
                        ? Type(context.b.getI1Type())
                        : elementType;
  return buildBroadcast(
      context, context.inputs, resultType,
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        // Float8 values are tested in f32, to which the conversion is exact.
        bool isFloat8 = isKind(elementType, kinds::Float8);
        ElementContext e{b, context, elementType,
                         isFloat8 ? Type(b.getF32Type())
                                  : getComputeType(elementType)};
        SmallVector<Value> operands = llvm::map_to_vector(args, [&](Value arg) {
          return isFloat8 ? toSingle(b, arg) : toCompute(b, arg);
        });
        return fromCompute(b, row.function(e, operands), resultType);
      });
}

//===----------------------------------------------------------------------===//
// Clip
//===----------------------------------------------------------------------===//

/// Computes min(max(x, low), high). The order matters: `high` takes precedence
/// if low > high. `getBound` returns low or high from the elements of all
/// inputs, or null if there is no such bound.
static NodeResults buildClip(
    NodeContext &context,
    llvm::function_ref<Value(ElementContext &, ValueRange, bool)> getBound) {
  if (failed(context.requireSameType()))
    return failure();
  Type elementType = context.elementType(0);
  SmallVector<Value> inputs;
  for (Value input : context.inputs)
    if (input)
      inputs.push_back(input);
  return buildBroadcast(context, inputs, elementType,
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          ElementContext e{b, context, elementType,
                                           getComputeType(elementType)};
                          Value x = toCompute(b, args[0]);
                          if (Value low = getBound(e, args, /*isHigh=*/false))
                            x = maximum(e, x, low);
                          if (Value high = getBound(e, args, /*isHigh=*/true))
                            x = minimum(e, x, high);
                          return fromCompute(b, x, elementType);
                        });
}

NodeResults onnx_nodes::convertClipV1(NodeContext &context) {
  return buildClip(
      context, [&](ElementContext &e, ValueRange, bool isHigh) -> Value {
        StringRef name = isHigh ? "max" : "min";
        return context.has(name) ? e.number(context.getFloat(name)) : Value();
      });
}

/// The default bounds are finite, so that infinities are clipped.
NodeResults onnx_nodes::convertFixedClip(NodeContext &context) {
  return buildClip(context, [&](ElementContext &e, ValueRange, bool isHigh) {
    return e.number(context.getFloat(isHigh ? "max" : "min"));
  });
}

NodeResults onnx_nodes::convertClip(NodeContext &context) {
  return buildClip(
      context, [&](ElementContext &e, ValueRange args, bool isHigh) -> Value {
        if (!context.input(isHigh ? 2 : 1))
          return Value();
        // The arguments are x and the bounds that are present.
        return toCompute(e.b, isHigh ? args.back() : args[1]);
      });
}

//===----------------------------------------------------------------------===//
// Pow
//===----------------------------------------------------------------------===//

/// Computes base^exponent in the integer type of the base, with wraparound, by
/// repeated squaring.
static Value powInteger(ImplicitLocOpBuilder &b, Value base, Value exponent,
                        bool isSigned) {
  Type type = base.getType(), exponentType = exponent.getType();
  Value one = makeNumber(b, type, 1), zero = makeNumber(b, type, 0);
  Value exponentZero = makeNumber(b, exponentType, 0);
  auto isOdd = [&](Value value) {
    Value bit =
        b.createOrFold<arith::AndIOp>(value, makeNumber(b, exponentType, 1));
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bit,
                                         exponentZero);
  };
  Value result = one, square = base;
  for (unsigned i = 0, n = exponentType.getIntOrFloatBitWidth(); i < n; ++i) {
    Value shifted = b.createOrFold<arith::ShRUIOp>(
        exponent, makeNumber(b, exponentType, i));
    Value product = b.createOrFold<arith::MulIOp>(result, square);
    result = b.createOrFold<arith::SelectOp>(isOdd(shifted), product, result);
    square = b.createOrFold<arith::MulIOp>(square, square);
  }
  if (!isSigned)
    return result;
  // A negative exponent gives 1 / base^n, rounded toward zero: 1 for a base of
  // 1, 1 or -1 for -1, and 0 for all others.
  Value minusOne = makeNumber(b, type, -1);
  auto equals = [&](Value value) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, base, value);
  };
  Value sign = b.createOrFold<arith::SelectOp>(isOdd(exponent), minusOne, one);
  Value inverse = b.createOrFold<arith::SelectOp>(
      equals(one), one,
      b.createOrFold<arith::SelectOp>(equals(minusOne), sign, zero));
  Value isNegative = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                   exponent, exponentZero);
  return b.createOrFold<arith::SelectOp>(isNegative, inverse, result);
}

/// Returns the value of a constant whose elements are all equal.
static std::optional<double> getSplat(Value tensor) {
  DenseElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble();
  if (elements.getElementType().isUnsignedInteger())
    return elements.getSplatValue<APInt>().roundToDouble(/*isSigned=*/false);
  return elements.getSplatValue<APInt>().roundToDouble(/*isSigned=*/true);
}

/// The result has the type of the base. Operands of different types are
/// converted to f64, as in NumPy, but two integer types use integer arithmetic.
NodeResults onnx_nodes::convertPow(NodeContext &context) {
  if (failed(context.requireKind(0, Float | Integer)) ||
      failed(context.requireKind(1, Float | Integer)) ||
      failed(alignSecond(context)))
    return failure();
  Type elementType = context.elementType(0);
  Type exponentType = context.elementType(1);
  Type type = getComputeType(elementType);
  bool isSquare = getSplat(context.inputs[1]) == 2.0;
  bool isInteger =
      isa<IntegerType>(elementType) && isa<IntegerType>(exponentType);
  return buildBroadcast(
      context, context.inputs, elementType,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value base = toCompute(b, args[0]), exponent = toCompute(b, args[1]);
        if (isSquare && !isInteger && isa<FloatType>(type))
          return fromCompute(b, b.createOrFold<arith::MulFOp>(base, base),
                             elementType);
        if (isInteger)
          return fromCompute(
              b,
              powInteger(b, base, exponent, !exponentType.isUnsignedInteger()),
              elementType);
        if (elementType == exponentType)
          return fromCompute(b, b.createOrFold<math::PowFOp>(base, exponent),
                             elementType);
        Value power = b.createOrFold<math::PowFOp>(
            b.createOrFold<CastOp>(args[0], b.getF64Type()),
            b.createOrFold<CastOp>(args[1], b.getF64Type()));
        return b.createOrFold<CastOp>(power, elementType);
      });
}

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

/// Selects elements in their storage type, without interpreting them.
NodeResults onnx_nodes::convertWhere(NodeContext &context) {
  if (failed(context.requireKind(0, Bool)) ||
      failed(context.requireSameType(1)))
    return failure();
  Type elementType = context.elementType(1);
  return buildBroadcast(context, context.inputs, elementType,
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          return buildSelect(b, args[0], args[1], args[2]);
                        });
}

//===----------------------------------------------------------------------===//
// BitCast
//===----------------------------------------------------------------------===//

/// Returns the width of an element for BitCast, or none if BitCast does not
/// support the type.
static std::optional<unsigned> countBits(Type elementType) {
  if (!elementType.isIntOrFloat())
    return std::nullopt;
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width == 6)
    return std::nullopt;
  return width == 1 ? 8 : width;
}

/// Returns the bits of an element as a signless integer of full bytes. The
/// unused upper bits of a narrower element are zero.
static Value toBits(ImplicitLocOpBuilder &b, Value value) {
  Type elementType = value.getType();
  value =
      b.createOrFold<StorageCastOp>(getStorageElementType(elementType), value);
  unsigned width = elementType.getIntOrFloatBitWidth();
  Type type = b.getIntegerType(std::max(width, 8u));
  value = b.createOrFold<arith::BitcastOp>(type, value);
  if (elementType.isSignlessInteger() && width < 8)
    value = b.createOrFold<arith::AndIOp>(
        value, makeNumber(b, type, (1 << width) - 1));
  return value;
}

/// Returns the element with these bits. A bool is true if any bit is set.
static Value fromBits(ImplicitLocOpBuilder &b, Value bits, Type elementType) {
  Type type = bits.getType();
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width == 1)
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bits,
                                         makeNumber(b, type, 0));
  if (elementType.isSignlessInteger() && width < 8) {
    Value unused = makeNumber(b, type, 8 - width);
    bits = b.createOrFold<arith::ShRSIOp>(
        b.createOrFold<arith::ShLIOp>(bits, unused), unused);
  }
  bits = b.createOrFold<arith::BitcastOp>(getStorageElementType(elementType),
                                          bits);
  return b.createOrFold<StorageCastOp>(elementType, bits);
}

NodeResults onnx_nodes::convertBitCast(NodeContext &context) {
  Type from = context.elementType(0), to = context.getType("to");
  std::optional<unsigned> width = countBits(from);
  if (!width || width != countBits(to))
    return context.unsupported("elements of type " + show(from) +
                               " cannot be bit-cast to " + show(to));
  return buildBroadcast(context, context.inputs, to,
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          return fromBits(b, toBits(b, args[0]), to);
                        });
}
