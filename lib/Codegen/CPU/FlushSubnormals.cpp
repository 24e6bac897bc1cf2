//===- FlushSubnormals.cpp - Flush subnormals where results are equal -----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intel CPUs need a microcode assist, which takes 60 to 200 times as long as
// the instruction, for a multiplication, division or FMA with a subnormal
// operand or result, unless subnormals are flushed to zero. Most conversions
// turn such numbers into zeros anyway, so that flushing changes no bit.
//
// The analysis proves this by following each float of a kernel from the inputs
// through two executions, one that flushes and one that does not. In both, a
// value has the same bits, or its magnitude is below a threshold and its sign
// is the same. Stored values must have the same bits.
//
// Numbers by which elements are multiplied or divided, such as scales, are
// parameters, which are checked at run time. If one is subnormal, or so large
// or small that its products could be, the kernel disables flushing.
//
//===----------------------------------------------------------------------===//

#include "../Common/BufferAccesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFLUSHSUBNORMALSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-flush-subnormals"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kKeepSubnormals = "__qf_keep_subnormals";

/// Parameters with magnitudes from 2^-30 to 2^30 are ordinary.
static constexpr int kMaxScaleExponent = 30;
/// In a sum that is rounded to nearest, a term has no effect if it is smaller
/// than the other one by this many binary orders of magnitude.
static constexpr int kSignificantBits = 25;
/// The quotient of a number below 2^kMaxTinyExponent and an ordinary scale is
/// zero in every type.
static constexpr int kMaxTinyExponent = -90;

namespace {
/// A buffer of parameters, and the assumptions of the analysis about its
/// elements.
struct Parameter {
  FloatType type;
  /// Whether all elements are nonzero; otherwise +0 is ordinary, too.
  bool isNonZero = false;
};

/// The known properties of a float. All exponents are base 2.
struct FloatRange {
  /// Lower than any threshold: the bits are the same in both executions.
  static constexpr int kExact = std::numeric_limits<int>::min() / 2;

  /// Values with magnitudes below 2^tiny may differ in the two executions.
  int tiny = kExact;
  /// Magnitudes that are not zero, infinite or NaN are from 2^low to 2^high.
  int low = -2000, high = 2000;
  /// All values are multiples of 2^grid.
  int grid = -2000;
  /// The bits are the same in both executions, but arithmetic may flush values
  /// below 2^tiny.
  bool isLoaded = false;
  bool isNonZero = false;
  /// The root of the parameter buffer, if the value is an element of one.
  Value parameter;

  bool isExact() const { return tiny == kExact; }
  bool isStorable() const { return isExact() || isLoaded; }
};

/// Follows the floats of one kernel.
class FlushAnalysis {
public:
  explicit FlushAnalysis(func::FuncOp kernel) : kernel(kernel) {}

  /// Whether flushing changes no result, provided that all parameters are
  /// ordinary.
  bool run();
  /// Whether any arithmetic may have subnormal operands. Otherwise flushing has
  /// no benefit.
  bool isProfitable() const { return meetsSubnormals; }
  const llvm::MapVector<Value, Parameter> &getParameters() const {
    return parameters;
  }

private:
  bool visit(Operation *op);
  bool visitGeneric(linalg::GenericOp op);
  std::optional<FloatRange> visitCast(CastOp op);
  std::optional<FloatRange> visitQuantize(QuantizeElementsOp op);
  std::optional<FloatRange> visitMultiply(FloatRange lhs, FloatRange rhs);
  std::optional<FloatRange> visitQuotient(FloatRange dividend,
                                          FloatRange divisor);
  std::optional<FloatRange> visitAdd(FloatRange lhs, FloatRange rhs,
                                     bool isDifference);
  bool isComparisonSafe(arith::CmpFOp op);

  /// Returns the known properties of a value of a float type.
  std::optional<FloatRange> get(Value value);
  bool set(Value value, std::optional<FloatRange> known);
  bool requireNonZero(FloatRange &known);
  void meet(const FloatRange &known) { meetsSubnormals |= !known.isExact(); }

  func::FuncOp kernel;
  llvm::DenseMap<Value, FloatRange> values;
  llvm::MapVector<Value, Parameter> parameters;
  bool meetsSubnormals = false;
};
} // namespace

/// Returns the type of a scalar or of the elements, if it is a float; null
/// otherwise.
static Type getFloat(Value value) {
  Type type = getElementTypeOrSelf(value);
  return isFloat(type) ? type : Type();
}

/// Whether any value of the kernel has the (element) type f16.
static bool hasHalves(func::FuncOp kernel) {
  auto isHalf = [](Value value) { return getElementTypeOrSelf(value).isF16(); };
  return kernel
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperands(), isHalf) ||
                       llvm::any_of(op->getResults(), isHalf)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the properties that every loaded value has.
static FloatRange getLoaded(Type type) {
  FloatFormat format(type);
  FloatRange known;
  known.low = known.grid = format.minExponent - int(format.mantissaBits);
  known.high = format.maxExponent + 1;
  // All values of f16 and narrower floats are normal in f32, except those of
  // f8E8M0FNU, which is decoded by integer arithmetic.
  if (format.minExponent < -100) {
    known.tiny = format.minExponent;
    known.isLoaded = true;
  }
  return known;
}

static FloatRange getParameter(Value root, Type type) {
  FloatFormat format(type);
  FloatRange known;
  known.low = std::max(-kMaxScaleExponent,
                       format.minExponent - int(format.mantissaBits));
  known.high = std::min(kMaxScaleExponent, format.maxExponent) + 1;
  known.grid = known.low - int(format.mantissaBits);
  known.parameter = root;
  return known;
}

static std::optional<FloatRange> getConstant(const APFloat &value) {
  FloatRange known;
  if (value.isNaN() || value.isInfinity())
    return known;
  if (value.isDenormal())
    return std::nullopt;
  if (value.isZero()) {
    known.low = known.high = known.grid = 0;
    return known;
  }
  known.low = ilogb(value);
  known.high = known.low + 1;
  known.grid =
      known.low - int(APFloat::semanticsPrecision(value.getSemantics()) - 1);
  known.isNonZero = true;
  return known;
}

std::optional<FloatRange> FlushAnalysis::get(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  APFloat constant(0.0);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return getConstant(constant);
  return std::nullopt;
}

bool FlushAnalysis::set(Value value, std::optional<FloatRange> known) {
  if (!known)
    return false;
  values.try_emplace(value, *known);
  return true;
}

/// Records that the parameter, if the value is one, is checked at run time.
bool FlushAnalysis::requireNonZero(FloatRange &known) {
  if (known.parameter) {
    parameters[known.parameter].isNonZero = true;
    known.isNonZero = true;
  }
  return known.isNonZero;
}

std::optional<FloatRange> FlushAnalysis::visitMultiply(FloatRange lhs,
                                                       FloatRange rhs) {
  if (!rhs.isExact())
    std::swap(lhs, rhs);
  if (!rhs.isExact() || !requireNonZero(rhs))
    return std::nullopt;
  meet(lhs);
  FloatRange result;
  result.low = lhs.low + rhs.low;
  result.high = lhs.high + rhs.high;
  result.grid = lhs.grid + rhs.grid;
  if (!lhs.isExact() || result.low < -126)
    result.tiny = std::max(lhs.tiny + rhs.high, -126) + 1;
  result.isNonZero = result.isExact() && lhs.isNonZero && rhs.isNonZero;
  return result;
}

std::optional<FloatRange> FlushAnalysis::visitQuotient(FloatRange dividend,
                                                       FloatRange divisor) {
  if (!divisor.isExact() || !requireNonZero(divisor))
    return std::nullopt;
  meet(dividend);
  FloatRange result;
  result.low = dividend.low - divisor.high;
  result.high = dividend.high - divisor.low + 1;
  result.grid = result.low - int(kSignificantBits);
  if (!dividend.isExact() || result.low < -126)
    result.tiny = std::max(dividend.tiny - divisor.low, -126) + 1;
  result.isNonZero = result.isExact() && dividend.isNonZero;
  return result;
}

std::optional<FloatRange>
FlushAnalysis::visitAdd(FloatRange lhs, FloatRange rhs, bool isDifference) {
  FloatRange result;
  result.high = std::max(lhs.high, rhs.high) + 1;
  result.low = result.grid = std::min(lhs.grid, rhs.grid);
  if (lhs.isExact() && rhs.isExact()) {
    // Sums are multiples of 2^grid, so they are not subnormal.
    if (result.grid < -126)
      return std::nullopt;
    return result;
  }
  if (!isDifference && !rhs.isExact())
    std::swap(lhs, rhs);
  if (!rhs.isExact() || rhs.low - kSignificantBits < lhs.tiny)
    return std::nullopt;
  // -0 - (+0) keeps the sign of the first operand; -0 + (+0) does not.
  bool mayBePlusZero = isDifference && rhs.parameter;
  if (!mayBePlusZero && !requireNonZero(rhs))
    return std::nullopt;
  meet(lhs);
  result.tiny = lhs.tiny;
  result.low = -2000;
  return result;
}

/// Returns the properties that both values have in common.
static FloatRange join(const FloatRange &lhs, const FloatRange &rhs) {
  FloatRange result;
  result.tiny = std::max(lhs.tiny, rhs.tiny);
  result.low = std::min(lhs.low, rhs.low);
  result.high = std::max(lhs.high, rhs.high);
  result.grid = std::min(lhs.grid, rhs.grid);
  result.isLoaded = lhs.isStorable() && rhs.isStorable() && !result.isExact();
  result.isNonZero = lhs.isNonZero && rhs.isNonZero;
  return result;
}

/// Whether the result is the same in both executions: the comparison is with a
/// value that is not tiny, or only tests for NaN.
bool FlushAnalysis::isComparisonSafe(arith::CmpFOp op) {
  if (op.getPredicate() == arith::CmpFPredicate::UNO ||
      op.getPredicate() == arith::CmpFPredicate::ORD)
    return true;
  std::optional<FloatRange> lhs = get(op.getLhs()), rhs = get(op.getRhs());
  if (!lhs || !rhs)
    return false;
  if (lhs->isExact() && rhs->isExact())
    return true;
  if (!rhs->isExact())
    std::swap(lhs, rhs);
  return rhs->isExact() && requireNonZero(*rhs) && rhs->low > lhs->tiny;
}

/// Whether a cast of IEEE P3109 between a narrow and a standard float gives the
/// same numbers as a cast to nearest, ties to even, and these numbers are
/// normal.
static bool isRoundedAsOnnx(CastOp op, Type from, Type to) {
  ProjectionAttr projection = op.getProjectionAttr();
  if (!projection ||
      projection.getRounding() != P3109Rounding::NearestTiesToEven ||
      isNarrowFloat(from) == isNarrowFloat(to))
    return false;
  FloatFormat narrow(isNarrowFloat(from) ? from : to);
  constexpr int kMinExponent = -100;
  return narrow.minExponent - int(narrow.mantissaBits) > kMinExponent;
}

std::optional<FloatRange> FlushAnalysis::visitCast(CastOp op) {
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getType());
  if (!op.hasOnnxRules() && !isRoundedAsOnnx(op, from, to))
    return std::nullopt;
  if (!isFloat(from)) {
    if (!isFloat(to) || !isa<IntegerType>(from))
      return std::nullopt;
    FloatRange known;
    known.low = known.grid = 0;
    known.high = from.getIntOrFloatBitWidth() + 1;
    if (FloatFormat(to).maxExponent < known.high)
      known.high = FloatFormat(to).maxExponent + 1;
    return known;
  }
  std::optional<FloatRange> input = get(op.getInput());
  if (!input)
    return std::nullopt;
  if (!isFloat(to)) {
    // Conversion to an integer truncates, so tiny values become 0. Conversion
    // to bool depends on the bits.
    if (!isa<IntegerType>(to) || (to.isInteger(1) && !input->isStorable()))
      return std::nullopt;
    return FloatRange();
  }
  FloatFormat format(to);
  bool isShort = from.isF32() || from.isF16() || from.isBF16();
  if (isa<Float8E8M0FNUType>(to)) {
    // The conversion from f32 is integer arithmetic, which does not flush.
    if (!isShort && !isNarrowFloat(from))
      return std::nullopt;
    return input->isStorable() ? std::optional(getLoaded(to)) : std::nullopt;
  }
  if (isNarrowFloat(to) || to.isF16()) {
    FloatRange result = getLoaded(to);
    if (!input->isExact() && input->tiny >= result.low - 1)
      return std::nullopt;
    meet(*input);
    // Rounding does not cross powers of two.
    result.low = std::max(result.low, input->low);
    result.high = std::min(result.high, input->high + 1);
    if (from.isF16() || isNarrowFloat(from))
      result.tiny = FloatRange::kExact;
    return result;
  }
  // These conversions are also integer arithmetic, as is the extension of bf16.
  bool keepsBits = isShort && (to.isBF16() || (to.isF32() && !from.isF32()));
  if (to.isF64() || keepsBits || isNarrowFloat(from) || from == to) {
    FloatRange result = *input;
    result.high = std::min(result.high + 1, format.maxExponent + 1);
    if (to.isBF16() && !result.isExact())
      ++result.tiny;
    if (to.isBF16())
      result.grid =
          std::max(result.grid, result.low - int(format.mantissaBits));
    if (isa<Float8E8M0FNUType>(from) && !to.isF32() && !to.isBF16())
      return std::nullopt;
    result.isLoaded &= from == to || keepsBits || isNarrowFloat(from);
    // The conversion flushes loaded subnormals.
    if (to.isF64() && from.isBF16() && !result.isExact())
      result.tiny = std::max(result.tiny, -126);
    return result;
  }
  if (from.isF64() && to.isF32()) {
    FloatRange result = *input;
    result.parameter = {};
    result.isLoaded = false;
    meet(*input);
    if (!result.isExact() || result.low < -126)
      result.tiny = std::max(result.tiny, -126) + 1;
    result.high = std::min(result.high + 1, format.maxExponent + 1);
    return result;
  }
  return std::nullopt;
}

std::optional<FloatRange> FlushAnalysis::visitQuantize(QuantizeElementsOp op) {
  std::optional<FloatRange> input = get(op.getInput()),
                            scale = get(op.getScale());
  if (!input || !scale || !scale->isExact() || !requireNonZero(*scale) ||
      scale->low < -kMaxScaleExponent || scale->high > kMaxScaleExponent + 1 ||
      (!input->isExact() && input->tiny >= kMaxTinyExponent))
    return std::nullopt;
  Type to = getElementTypeOrSelf(op.getType());
  // The addition of a zero point of 0 turns a quotient of -0 into +0.
  if (op.getZeroPoint() && !isa<IntegerType>(to))
    return std::nullopt;
  meet(*input);
  return isa<IntegerType>(to) ? FloatRange() : getLoaded(to);
}

bool FlushAnalysis::visit(Operation *op) {
  // Ops on integers, sizes, views and loops do not matter.
  auto isFloating = [](Value value) { return getFloat(value) != Type(); };
  if (op->getNumRegions()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return visitGeneric(generic);
    return isa<linalg::FillOp, linalg::CopyOp, linalg::TransposeOp>(op);
  }
  if (isa<memref::MemRefDialect>(op->getDialect())) {
    if (isa<memref::LoadOp>(op) && isFloating(op->getResult(0)))
      return set(op->getResult(0), getLoaded(getFloat(op->getResult(0))));
    if (isa<memref::StoreOp>(op) && isFloating(op->getOperand(0))) {
      std::optional<FloatRange> known = get(op->getOperand(0));
      return known && known->isStorable();
    }
    return true;
  }
  if (isa<func::CallOp>(op))
    return false;
  if (!llvm::any_of(op->getOperands(), isFloating) &&
      !llvm::any_of(op->getResults(), isFloating))
    return true;
  auto getOperand = [&](unsigned i) { return get(op->getOperand(i)); };
  auto binary = [&](auto visit) {
    std::optional<FloatRange> lhs = getOperand(0), rhs = getOperand(1);
    Type type = getFloat(op->getResult(0));
    return lhs && rhs && type.isF32() &&
           set(op->getResult(0), visit(*lhs, *rhs));
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<func::ReturnOp, arith::ConstantOp>([](auto) { return true; })
      .Case([&](linalg::YieldOp yield) {
        return llvm::all_of(yield.getOperands(), [&](Value value) {
          std::optional<FloatRange> known =
              isFloating(value) ? get(value) : std::optional(FloatRange());
          return known && known->isStorable();
        });
      })
      .Case([&](StorageCastOp cast) {
        if (!isFloating(cast.getResult())) {
          std::optional<FloatRange> known = get(cast.getInput());
          return known && known->isStorable();
        }
        if (isFloating(cast.getInput()))
          return set(cast.getResult(), get(cast.getInput()));
        auto found = values.find(cast.getInput());
        FloatRange known = getLoaded(getFloat(cast.getResult()));
        // The elements of a parameter buffer, stored as integers.
        if (found != values.end() && found->second.parameter) {
          auto type = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getType()));
          Value root = found->second.parameter;
          if (type && isStandardFloat(type)) {
            parameters[root].type = type;
            known = getParameter(root, type);
          }
        }
        return set(cast.getResult(), known);
      })
      .Case([&](CastOp cast) {
        std::optional<FloatRange> known = visitCast(cast);
        return known &&
               (!isFloating(cast.getResult()) || set(cast.getResult(), known));
      })
      .Case([&](QuantizeElementsOp quantize) {
        std::optional<FloatRange> known = visitQuantize(quantize);
        return known && (!isFloating(quantize.getResult()) ||
                         set(quantize.getResult(), known));
      })
      .Case<arith::MulFOp>([&](auto) {
        return binary([&](auto a, auto b) { return visitMultiply(a, b); });
      })
      .Case<arith::DivFOp>([&](auto) {
        return binary([&](auto a, auto b) { return visitQuotient(a, b); });
      })
      .Case<arith::AddFOp>([&](auto) {
        return binary([&](auto a, auto b) { return visitAdd(a, b, false); });
      })
      .Case<arith::SubFOp>([&](auto) {
        return binary([&](auto a, auto b) { return visitAdd(a, b, true); });
      })
      .Case([&](arith::NegFOp negation) {
        // The parameter must not be +0, because the result would be -0.
        std::optional<FloatRange> known = getOperand(0);
        if (known)
          requireNonZero(*known);
        return set(negation.getResult(), known);
      })
      .Case([&](math::AbsFOp absolute) {
        return set(absolute.getResult(), getOperand(0));
      })
      .Case([&](arith::SelectOp select) {
        std::optional<FloatRange> lhs = get(select.getTrueValue());
        std::optional<FloatRange> rhs = get(select.getFalseValue());
        return lhs && rhs && set(select.getResult(), join(*lhs, *rhs));
      })
      .Case([&](arith::CmpFOp compare) { return isComparisonSafe(compare); })
      .Case([&](arith::BitcastOp cast) {
        if (isFloating(cast.getResult()))
          return set(cast.getResult(), getLoaded(getFloat(cast.getResult())));
        std::optional<FloatRange> known = get(cast.getIn());
        return known && known->isStorable();
      })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto) {
        FloatRange known;
        known.low = known.grid = 0;
        known.high = 65;
        return set(op->getResult(0), known);
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto) {
        std::optional<FloatRange> known = getOperand(0);
        return known && known->tiny < 0;
      })
      .Default([](Operation *) { return false; });
}

bool FlushAnalysis::visitGeneric(linalg::GenericOp op) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument element = op.getMatchingBlockArgument(operand);
    AffineMap map = op.getMatchingIndexingMap(operand);
    Type type = getFloat(element);
    auto buffer = dyn_cast<MemRefType>(operand->get().getType());
    Value root = buffer ? getRoot(operand->get()) : Value();
    // The elements of buffers that several iterations share are parameters,
    // which are checked at run time.
    bool isShared =
        root && !map.isPermutation() && root.getDefiningOp() == nullptr;
    if (isShared) {
      auto rootType = dyn_cast<MemRefType>(root.getType());
      isShared = rootType && rootType.getLayout().isIdentity() &&
                 root.getParentBlock() == &kernel.getBody().front();
    }
    if (isShared && type && isStandardFloat(type)) {
      parameters[root].type = cast<FloatType>(type);
      values.try_emplace(element, getParameter(root, type));
    } else if (isShared && !type) {
      FloatRange known;
      known.parameter = root;
      values.try_emplace(element, known);
    } else if (type) {
      values.try_emplace(element, getLoaded(type));
    }
  }
  for (Operation &nested : *op.getBody())
    if (!visit(&nested))
      return false;
  return true;
}

bool FlushAnalysis::run() {
  if (!kernel.getBody().hasOneBlock())
    return false;
  for (Operation &op : kernel.getBody().front())
    if (!visit(&op)) {
      LDBG() << kernel.getName() << ": " << op.getName() << " at "
             << op.getLoc() << " may change a bit";
      return false;
    }
  parameters.remove_if([](auto &entry) { return !entry.second.type; });
  return true;
}

//===----------------------------------------------------------------------===//
// Run-time checks of parameters
//===----------------------------------------------------------------------===//

namespace {
/// Emits the check whether all elements of a buffer are ordinary.
class ParameterCheck {
public:
  ParameterCheck(ImplicitLocOpBuilder &b, Value buffer,
                 const Parameter &parameter);
  /// Returns an i1.
  Value build();

private:
  Value constant(Type type, uint64_t value);
  /// Returns integers that are from 0 to `last` for ordinary elements.
  Value getDistance(Value elements);
  Value load(Value buffer, Value position, Type type);

  ImplicitLocOpBuilder &b;
  Value buffer;
  const Parameter &parameter;
  unsigned width;
  IntegerType bits;
  uint64_t mask, first, last;
};
} // namespace

/// Returns the encoding of a power of two, clamped to the range of the type.
static uint64_t getBits(FloatType type, int exponent) {
  FloatFormat format(type);
  if (exponent > format.maxExponent)
    return format.maxEncoding;
  if (exponent < format.minExponent - int(format.mantissaBits))
    return 1;
  bool losesInfo;
  APFloat value = scalbn(APFloat(1.0), exponent, APFloat::rmNearestTiesToEven);
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

ParameterCheck::ParameterCheck(ImplicitLocOpBuilder &b, Value buffer,
                               const Parameter &parameter)
    : b(b), buffer(buffer), parameter(parameter),
      width(FloatFormat(parameter.type).width), bits(b.getIntegerType(width)),
      mask(FloatFormat(parameter.type).magnitudeMask()),
      first(getBits(parameter.type, -kMaxScaleExponent)),
      last(getBits(parameter.type, kMaxScaleExponent) - first) {}

Value ParameterCheck::constant(Type type, uint64_t value) {
  TypedAttr attribute = b.getIntegerAttr(bits, APInt(width, value));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, attribute);
}

Value ParameterCheck::getDistance(Value elements) {
  Type type = elements.getType();
  if (!getElementTypeOrSelf(type).isInteger()) {
    auto vector = dyn_cast<VectorType>(type);
    type = vector ? Type(vector.clone(bits)) : Type(bits);
    elements = arith::BitcastOp::create(b, type, elements);
  }
  Value magnitude = arith::AndIOp::create(b, elements, constant(type, mask));
  Value distance = arith::SubIOp::create(b, magnitude, constant(type, first));
  if (parameter.isNonZero)
    return distance;
  Value zero = constant(type, 0);
  Value isZero =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, elements, zero);
  return arith::SelectOp::create(b, isZero, zero, distance);
}

Value ParameterCheck::build() {
  auto isOrdinary = [&](Value largest) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ule, largest,
                                 constant(bits, last));
  };
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 0)
    return isOrdinary(
        getDistance(memref::LoadOp::create(b, buffer, ValueRange())));
  if (type.getRank() > 1)
    buffer = memref::CollapseShapeOp::create(
        b, buffer,
        SmallVector<ReassociationIndices>{
            llvm::to_vector(llvm::seq<int64_t>(type.getRank()))});
  // Check full vectors, then the remaining elements one by one.
  constexpr int64_t kVectorBits = 512;
  auto vector = VectorType::get(kVectorBits / width, type.getElementType());
  auto integers = vector.clone(bits);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value zero = index(0), size = memref::DimOp::create(b, buffer, zero);
  Value step = index(vector.getNumElements());
  Value end =
      arith::MulIOp::create(b, arith::DivUIOp::create(b, size, step), step);
  auto loop = [&](Value from, Value to, Value by, Value start,
                  function_ref<Value(Value)> load) {
    auto loop = scf::ForOp::create(b, from, to, by, start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value distance = getDistance(load(loop.getInductionVar()));
    Value largest =
        arith::MaxUIOp::create(b, loop.getRegionIterArg(0), distance);
    scf::YieldOp::create(b, largest);
    return loop.getResult(0);
  };
  Value largest = loop(zero, end, step, constant(integers, 0), [&](Value at) {
    return vector::LoadOp::create(b, vector, buffer, at).getResult();
  });
  largest =
      vector::ReductionOp::create(b, vector::CombiningKind::MAXUI, largest);
  largest = loop(end, size, index(1), largest, [&](Value at) {
    return memref::LoadOp::create(b, buffer, at).getResult();
  });
  return isOrdinary(largest);
}

namespace {
struct FlushSubnormals final
    : quant_float::impl::QuantFloatFlushSubnormalsPassBase<FlushSubnormals> {
  using QuantFloatFlushSubnormalsPassBase::QuantFloatFlushSubnormalsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kEntryPointAttrName))
        continue;
      FailureOr<EntryPointInfo> info = EntryPointInfo::get(kernel);
      if (failed(info) || info->hasStrings)
        continue;
      if (preserveF16Subnormals && hasHalves(kernel)) {
        LDBG() << kernel.getName() << " has values of f16";
        continue;
      }
      FlushAnalysis analysis(kernel);
      if (!analysis.run() || !analysis.isProfitable())
        continue;
      LDBG() << kernel.getName() << " flushes subnormals, after checks of "
             << analysis.getParameters().size() << " buffers";
      ++numFlushing;
      numChecked += analysis.getParameters().size();
      kernel->setAttr(kFlushesSubnormalsAttrName, UnitAttr::get(&getContext()));
      checkParameters(kernel, analysis);
    }
  }

private:
  void checkParameters(func::FuncOp kernel, const FlushAnalysis &analysis);
};
} // namespace

void FlushSubnormals::checkParameters(func::FuncOp kernel,
                                      const FlushAnalysis &analysis) {
  if (analysis.getParameters().empty())
    return;
  ImplicitLocOpBuilder b(kernel.getLoc(), &getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value areOrdinary;
  for (auto &[buffer, parameter] : analysis.getParameters()) {
    Value own = ParameterCheck(b, buffer, parameter).build();
    areOrdinary = areOrdinary
                      ? arith::AndIOp::create(b, areOrdinary, own).getResult()
                      : own;
  }
  Value isNotOrdinary = arith::XOrIOp::create(
      b, areOrdinary, arith::ConstantIntOp::create(b, 1, 1));
  auto branch = scf::IfOp::create(b, isNotOrdinary);
  auto keep = getOperation().lookupSymbol<func::FuncOp>(kKeepSubnormals);
  if (!keep) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(getOperation().getBody());
    keep = func::FuncOp::create(b, kKeepSubnormals, b.getFunctionType({}, {}));
    keep.setPrivate();
  }
  b.setInsertionPointToStart(branch.thenBlock());
  func::CallOp::create(b, keep, ValueRange());
}
