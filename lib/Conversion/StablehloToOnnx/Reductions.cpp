//===- Reductions.cpp - Reductions of StableHLO ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "Movement.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

namespace {
/// A reduction, by the op of its region.
struct ReductionKind {
  StringLiteral name, node;
  /// The elementwise ONNX operator that combines two values.
  StringLiteral combiner;
  bool isArithmetic;
};
} // namespace

static constexpr ReductionKind kReductions[] = {
    {"add", "ReduceSum", "Add", true},
    {"multiply", "ReduceProd", "Mul", true},
    {"maximum", "ReduceMax", "Max", false},
    {"minimum", "ReduceMin", "Min", false},
};

FailureOr<StringRef> stablehlo_ops::matchReductionBody(OpImporter &op) {
  auto fail = [&] {
    return op.unsupported("expected a region with one op that combines both "
                          "arguments, such as 'stablehlo.add', and a "
                          "'stablehlo.return' of its result");
  };
  if (op.op->getNumRegions() != 1)
    return fail();
  Region &region = op.op->getRegion(0);
  if (!region.hasOneBlock())
    return fail();
  Block &block = region.front();
  if (block.getNumArguments() != 2 ||
      !llvm::hasNItems(block.begin(), block.end(), 2))
    return fail();
  Operation &body = block.front(), &end = block.back();
  bool isCombined = body.getNumOperands() == 2 && body.getNumResults() == 1 &&
                    ((body.getOperand(0) == block.getArgument(0) &&
                      body.getOperand(1) == block.getArgument(1)) ||
                     (body.getOperand(0) == block.getArgument(1) &&
                      body.getOperand(1) == block.getArgument(0)));
  if (!isCombined || end.getNumOperands() != 1 ||
      end.getName().getStringRef() != "stablehlo.return" ||
      end.getOperand(0) != body.getResult(0) ||
      body.getName().getDialectNamespace() != "stablehlo")
    return fail();
  for (Type type : body.getOperandTypes())
    if (getElementTypeOrSelf(type) != op.elementType(0))
      return op.unsupported("the region computes in the type " +
                            showType(type));
  return body.getName().stripDialect();
}

/// Returns the reduction of the op's region.
static FailureOr<const ReductionKind *> matchReduction(OpImporter &op) {
  FailureOr<StringRef> body = matchReductionBody(op);
  if (failed(body))
    return failure();
  StringRef name = *body;
  Type type = op.elementType(0);
  // Booleans: all, any, and their arithmetic.
  if (type.isInteger(1)) {
    bool isAll = name == "and" || name == "multiply" || name == "minimum";
    bool isAny = name == "or" || name == "add" || name == "maximum";
    name = isAll ? "minimum" : isAny ? "maximum" : name;
  }
  for (const ReductionKind &kind : kReductions) {
    if (kind.name != name)
      continue;
    if (kind.isArithmetic &&
        (isNarrowFloat(type) ||
         (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 8)))
      return op.unsupported("'stablehlo." + name + "' of elements of type " +
                            showType(type));
    return &kind;
  }
  return op.unsupported("the region contains 'stablehlo." + name + "'");
}

/// Whether a constant does not change the reduction: 0, 1, or the lowest or
/// highest value.
static bool isNeutral(Value initial, const ReductionKind &kind) {
  DenseElementsAttr elements;
  if (!matchPattern(initial, m_Constant(&elements)) || !elements.isSplat())
    return false;
  bool isMax = kind.name == "maximum";
  if (auto type = dyn_cast<FloatType>(elements.getElementType())) {
    auto value = elements.getSplatValue<APFloat>();
    if (kind.isArithmetic)
      return value.isExactlyValue(kind.name == "add" ? 0.0 : 1.0);
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    return value.bitwiseIsEqual(APFloat::semanticsHasInf(semantics)
                                    ? APFloat::getInf(semantics, isMax)
                                    : APFloat::getLargest(semantics, isMax));
  }
  auto type = dyn_cast<IntegerType>(elements.getElementType());
  if (!type)
    return false;
  auto value = elements.getSplatValue<APInt>();
  if (kind.isArithmetic)
    return value == uint64_t(kind.name == "multiply");
  bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
  return isMax ? isUnsigned ? value.isMinValue() : value.isMinSignedValue()
         : isUnsigned ? value.isMaxValue()
                      : value.isMaxSignedValue();
}

/// Combines the result with the initial value.
static Value combine(OpImporter &op, const ReductionKind &kind, Value result) {
  Value initial = op.inputs[1];
  if (isNeutral(initial, kind))
    return result;
  Type type = getElementTypeOrSelf(result);
  if (type.isInteger(1))
    return op.applyElementwise(kind.name == "maximum" ? "Or" : "And",
                               {result, initial});
  return op.applyElementwise(kind.combiner, {result, op.cast(initial, type)});
}

static LogicalResult checkInitial(OpImporter &op) {
  RankedTensorType type = op.getRanked(1);
  if (type && type.getRank() == 0 && type.getElementType() == op.elementType(0))
    return success();
  return op.unsupported("operand 1 has the type " +
                        showType(op.inputs[1].getType()) +
                        ", but must be an initial value of type " +
                        showType(RankedTensorType::get({}, op.elementType(0))));
}

NodeResults stablehlo_ops::convertReduce(OpImporter &op) {
  FailureOr<const ReductionKind *> kind = matchReduction(op);
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<SmallVector<int64_t>> axes = op.requireInts("dimensions");
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  if (failed(kind) || failed(type) || failed(axes) || failed(resultType) ||
      failed(op.requireAxes("dimensions", *axes, type->getRank())) ||
      failed(checkInitial(op)))
    return failure();
  Type elementType = type->getElementType();
  Value value = op.cast(op.inputs[0], getArithmeticType(elementType));
  Value result = value;
  if (!axes->empty())
    result = op.buildNode(
        (*kind)->node, {value, op.makeInts(*axes)},
        resultType->clone(getElementTypeOrSelf(value)),
        {op.intAttr("keepdims", 0), op.intAttr("noop_with_empty_axes", 1)});
  return op.cast(combine(op, **kind, result), elementType);
}

/// Returns cumulative sums or products.
static NodeResults accumulate(OpImporter &op, StringRef opType, int64_t axis,
                              bool isReverse) {
  RankedTensorType type = op.getRanked(0);
  Type elementType = type.getElementType();
  if (op.resultType() != type)
    return op.unsupported("the result has the type " +
                          showType(op.resultType()) + ", but must have " +
                          showType(type));
  // f16 and bf16 are accumulated in f32, and integers have their low bits.
  Type sum = elementType;
  if (isa<Float16Type, BFloat16Type>(elementType))
    sum = op.b.getF32Type();
  else if (isa<IntegerType>(elementType) &&
           elementType.getIntOrFloatBitWidth() < 32)
    sum = op.b.getI32Type();
  Value position = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, op.b.getI64Type()), axis));
  Value value = op.cast(op.inputs[0], sum);
  return op.cast(op.buildNode(opType, {value, position}, value.getType(),
                              op.intAttr("reverse", isReverse)),
                 elementType);
}

NodeResults stablehlo_ops::convertReduceWindow(OpImporter &op) {
  FailureOr<const ReductionKind *> kind = matchReduction(op);
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  FailureOr<SmallVector<int64_t>> window = op.requireInts("window_dimensions");
  if (failed(kind) || failed(type) || failed(resultType) || failed(window) ||
      failed(checkInitial(op)))
    return failure();
  int64_t rank = type->getRank();
  SmallVector<int64_t> lists[4];
  StringRef names[] = {"window_strides", "base_dilations", "window_dilations",
                       "padding"};
  for (auto [list, name] : llvm::zip_equal(lists, names)) {
    bool isPadding = name == "padding";
    if (op.op.getAttribute(name)) {
      FailureOr<SmallVector<int64_t>> given = op.requireInts(name);
      if (failed(given))
        return failure();
      list = *given;
    } else {
      list.assign(isPadding ? 2 * rank : rank, isPadding ? 0 : 1);
    }
    if (static_cast<int64_t>(list.size()) != (isPadding ? 2 * rank : rank))
      return op.unsupportedAttribute(name, Twine(isPadding ? 2 * rank : rank) +
                                               " integers");
    for (int64_t value : list)
      if (value < !isPadding || value > std::numeric_limits<int32_t>::max())
        return op.unsupportedAttribute(name, isPadding ? "integers from 0"
                                                       : "integers from 1");
  }
  auto &[strides, baseDilations, dilations, padding] = lists;
  if (static_cast<int64_t>(window->size()) != rank)
    return op.unsupportedAttribute("window_dimensions",
                                   Twine(rank) + " integers");
  if (llvm::any_of(baseDilations, [](int64_t value) { return value != 1; }))
    return op.unsupportedAttribute("base_dilations", "1 for all axes");

  // Move the axes with windows to the end, as spatial axes of one channel.
  SmallVector<int64_t> others, spatial;
  for (int64_t axis : llvm::seq(rank)) {
    if ((*window)[axis] < 1)
      return op.unsupportedAttribute("window_dimensions", "integers from 1");
    bool hasWindow = (*window)[axis] != 1 || strides[axis] != 1 ||
                     padding[2 * axis] != 0 || padding[2 * axis + 1] != 0;
    (hasWindow ? spatial : others).push_back(axis);
  }
  if (spatial.empty() || spatial.size() > 3)
    return op.unsupported("windows along " + Twine(spatial.size()) +
                          " axes; expected 1 to 3");
  Type elementType = type->getElementType();
  bool isSum = (*kind)->name == "add";
  bool isMax = (*kind)->name == "maximum";
  bool isMin = (*kind)->name == "minimum";
  // Windows of all preceding or all following elements.
  if ((*kind)->isArithmetic && spatial.size() == 1 &&
      isNeutral(op.inputs[1], **kind)) {
    int64_t axis = spatial.front(), size = type->getDimSize(axis);
    int64_t low = padding[2 * axis], high = padding[2 * axis + 1];
    if ((*window)[axis] == size && strides[axis] == 1 && dilations[axis] == 1 &&
        low + high == size - 1 && (low == 0 || high == 0))
      return accumulate(op, (*kind)->name == "add" ? "CumSum" : "CumProd", axis,
                        /*isReverse=*/low == 0);
  }
  if (!((isMax || isMin) && isNumber(elementType) &&
        !elementType.isInteger(1)) &&
      !(isSum && isStandardFloat(elementType)))
    return op.unsupported("windows of 'stablehlo." + (*kind)->name +
                          "' of elements of type " + showType(elementType));
  // Padding has the initial value, which a maximum may also be combined with.
  if (isSum && !isNeutral(op.inputs[1], **kind))
    return op.unsupported(
        "operand 1 must be the neutral element of 'stablehlo." + (*kind)->name +
        "'");
  if (!type->hasStaticShape() || !resultType->hasStaticShape())
    return op.unsupported("operand 0 has the type " + showType(*type) +
                          ", but must have a static shape");

  Type computed = getArithmeticType(elementType);
  SmallVector<int64_t> order(others), otherSizes, kernel, pads, ends, steps,
      gaps;
  llvm::append_range(order, spatial);
  SmallVector<int64_t> sizes = {1, 1}, resultSizes = {1, 1};
  for (int64_t axis : others)
    otherSizes.push_back(type->getDimSize(axis));
  std::optional<int64_t> batch = countElements(otherSizes);
  if (!batch)
    return op.unsupported("operand 0 has too many elements");
  sizes[0] = resultSizes[0] = *batch;
  for (int64_t axis : spatial) {
    sizes.push_back(type->getDimSize(axis));
    resultSizes.push_back(resultType->getDimSize(axis));
    kernel.push_back((*window)[axis]);
    steps.push_back(strides[axis]);
    gaps.push_back(dilations[axis]);
    pads.push_back(padding[2 * axis]);
    ends.push_back(padding[2 * axis + 1]);
  }
  llvm::append_range(pads, ends);
  Value value = op.transpose(op.cast(op.inputs[0], computed), order);
  value = op.reshapeTo(value, RankedTensorType::get(sizes, computed));
  SmallVector<NamedAttribute> attributes = {
      op.intsAttr("kernel_shape", kernel), op.intsAttr("strides", steps),
      op.intsAttr("dilations", gaps), op.intsAttr("pads", pads)};
  auto pooledType = RankedTensorType::get(resultSizes, computed);
  Value pooled;
  if (isMax || isMin) {
    // The minimum is that of the values in reverse order.
    StringRef reverse = isa<FloatType>(computed) ? "Neg" : "BitwiseNot";
    if (isMin)
      value = op.applyElementwise(reverse, value);
    pooled = op.buildNode("MaxPool", value, pooledType, attributes);
    if (isMin)
      pooled = op.applyElementwise(reverse, pooled);
  } else {
    // The sum of a window is its convolution with ones.
    SmallVector<int64_t> ones = {1, 1};
    llvm::append_range(ones, kernel);
    auto onesType = RankedTensorType::get(ones, computed);
    Value weights = op.makeConstant(
        DenseElementsAttr::get(onesType, op.b.getFloatAttr(computed, 1)));
    pooled = op.buildNode("Conv", {value, weights}, pooledType, attributes);
  }
  SmallVector<int64_t> split, back(rank);
  for (auto [to, from] : llvm::enumerate(order)) {
    split.push_back(resultType->getDimSize(from));
    back[from] = to;
  }
  pooled = op.reshapeTo(pooled, RankedTensorType::get(split, computed));
  pooled = combine(op, **kind, op.transpose(pooled, back));
  return op.cast(pooled, elementType);
}
