//===- Sorting.cpp - Sorting and indices of extrema of StableHLO ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "RegionExpression.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

//===----------------------------------------------------------------------===//
// Comparators
//===----------------------------------------------------------------------===//

namespace {
/// The order of a key.
enum class KeyOrder {
  /// NaN is larger than any number, and -0 equals 0.
  Numeric,
  /// StableHLO's total order of floats: by sign and magnitude, so that -0 is
  /// smaller than 0, and NaNs are at both ends.
  Total,
};

/// A comparator that orders by the first operands, lexicographically.
struct Comparator {
  unsigned keys = 1;
  bool isDescending = false;
  KeyOrder order = KeyOrder::Numeric;
};
} // namespace

/// Returns an argument as JAX compares floats: with one NaN and one zero.
static std::string canonicalize(const std::string &name) {
  return "select(NE(" + name + "," + name + "),nan,select(EQ(" + name +
         ",0),0," + name + "))";
}

/// Returns the names of the arguments that hold the elements of operand `key`.
static std::pair<std::string, std::string> getArguments(unsigned key) {
  return {std::string(1, static_cast<char>('a' + 2 * key)),
          std::string(1, static_cast<char>('b' + 2 * key))};
}

/// Returns the comparator with this order of the keys from `key`.
static std::string describeOrder(unsigned key, unsigned keys,
                                 StringRef direction, ArrayRef<bool> areFloats,
                                 bool isCanonical) {
  auto [lhs, rhs] = getArguments(key);
  std::string suffix;
  if (isCanonical && areFloats[key]) {
    lhs = canonicalize(lhs);
    rhs = canonicalize(rhs);
    suffix = "T";
  }
  std::string operands = suffix + "(" + lhs + "," + rhs + ")";
  std::string text = direction.str() + operands;
  if (key + 1 == keys)
    return text;
  return "or(" + text + ",and(EQ" + operands + "," +
         describeOrder(key + 1, keys, direction, areFloats, isCanonical) + "))";
}

/// Recognizes the comparator of a sort.
static FailureOr<Comparator> matchComparator(OpImporter &op) {
  auto fail = [&] {
    return op.unsupported(
        "expected a region that compares the elements of the first operands, "
        "with 'stablehlo.compare' or as JAX writes it");
  };
  constexpr unsigned kMaxOperands = 13;
  if (op.op->getNumRegions() != 1 || op.inputs.size() > kMaxOperands)
    return fail();
  Region &region = op.op->getRegion(0);
  SmallVector<std::string> results = describeResults(region);
  if (results.size() != 1 || region.getNumArguments() != 2 * op.inputs.size())
    return fail();
  StringRef text = results.front();
  SmallVector<bool> areFloats;
  for (size_t index : llvm::seq(op.inputs.size()))
    areFloats.push_back(isa<FloatType>(op.elementType(index)));
  for (unsigned keys : llvm::seq<unsigned>(1, op.inputs.size() + 1))
    for (bool isDescending : {false, true})
      for (bool isCanonical : {false, true}) {
        StringRef direction = isDescending ? "GT" : "LT";
        if (text == describeOrder(0, keys, direction, areFloats, isCanonical))
          return Comparator{keys, isDescending, KeyOrder::Numeric};
      }
  if (text == "LTT(a,b)" || text == "GTT(a,b)")
    return Comparator{1, text.starts_with("G"),
                      areFloats[0] ? KeyOrder::Total : KeyOrder::Numeric};
  return fail();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Converts to a type that sorting nodes have, and that has the same order.
static Value toSortable(OpImporter &op, Value value) {
  Type type = getElementTypeOrSelf(value);
  if (isNarrowFloat(type) || isa<Float16Type, BFloat16Type>(type))
    return op.cast(value, op.b.getF32Type());
  auto integer = dyn_cast<IntegerType>(type);
  if (integer && integer.getWidth() == 1)
    return op.cast(value, op.b.getIntegerType(8, /*isSigned=*/false));
  if (integer && integer.getWidth() < 8)
    return op.cast(value, getArithmeticType(type));
  return value;
}

/// Returns integers that have the total order of floats.
static FailureOr<Value> toTotalOrder(OpImporter &op, Value value) {
  Type type = getElementTypeOrSelf(value);
  unsigned width = type.getIntOrFloatBitWidth();
  if (!isStandardFloat(type))
    return op.unsupported("the total order of elements of type " +
                          showType(type));
  auto word = op.b.getIntegerType(width);
  auto tensor = cast<TensorType>(value.getType());
  std::optional<int32_t> number = getOnnxDataType(word);
  Value bits = op.buildNode("BitCast", value, tensor.clone(word),
                            op.intAttr("to", *number));
  auto constant = [&](const APInt &mask) {
    return op.makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, word), mask));
  };
  // The magnitudes of negative numbers are in reverse order.
  Value isNegative =
      op.compareElementwise("Less", {bits, constant(APInt::getZero(width))});
  Value reversed = op.applyElementwise(
      "BitwiseXor", {bits, constant(APInt::getSignedMaxValue(width))});
  return op.applyElementwise("Where", {isNegative, reversed, bits});
}

/// Returns the values at positions along an axis.
static Value gatherAlong(OpImporter &op, Value value, Value indices,
                         int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  return op.buildNode(
      "GatherElements", {value, indices},
      type.clone(cast<RankedTensorType>(indices.getType()).getShape()),
      op.intAttr("axis", axis));
}

/// Sorts a key, and returns the values and their former positions. The sort is
/// stable.
static std::pair<Value, Value> sortKey(OpImporter &op, Value key, Value count,
                                       int64_t size, int64_t axis,
                                       bool isDescending) {
  auto type = cast<RankedTensorType>(key.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  ValueRange results = op.buildNodes(
      "TopK", {key, count},
      {type.clone(shape), RankedTensorType::get(shape, op.b.getI64Type())},
      {op.intAttr("axis", axis), op.intAttr("largest", isDescending),
       op.intAttr("sorted", 1)});
  return {results[0], results[1]};
}

NodeResults stablehlo_ops::convertSort(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  if (failed(type))
    return failure();
  int64_t rank = type->getRank();
  int64_t axis = op.op.getInt("dimension").value_or(-1);
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis >= rank)
    return op.unsupportedAttribute("dimension",
                                   "an axis of " + showType(*type));
  if (op.inputs.size() != op.op->getNumResults())
    return op.unsupported("expected a result for each operand");
  for (size_t index : llvm::seq(op.inputs.size())) {
    RankedTensorType given = op.getRanked(index);
    if (!given || given.getShape() != type->getShape() ||
        !isNumber(given.getElementType()) || op.resultType(index) != given)
      return op.unsupported("operand " + Twine(index) + " has the type " +
                            showType(op.inputs[index].getType()) +
                            "; expected operands and results of one shape");
  }
  FailureOr<Comparator> comparator = matchComparator(op);
  if (failed(comparator))
    return failure();
  int64_t size = type->getDimSize(axis);
  Value count = op.getSize(op.inputs[0], axis);
  // Sort by the last key first; the sorts by other keys keep the order of equal
  // elements.
  Value positions, values;
  for (unsigned key : llvm::reverse(llvm::seq(comparator->keys))) {
    Value elements = toSortable(op, op.inputs[key]);
    if (comparator->order == KeyOrder::Total) {
      FailureOr<Value> ordered = toTotalOrder(op, op.inputs[key]);
      if (failed(ordered))
        return failure();
      elements = *ordered;
    }
    if (positions)
      elements = gatherAlong(op, elements, positions, axis);
    auto [sorted, indices] =
        sortKey(op, elements, count, size, axis, comparator->isDescending);
    values = sorted;
    positions = positions ? gatherAlong(op, positions, indices, axis) : indices;
  }
  SmallVector<Value> results;
  for (auto [index, operand] : llvm::enumerate(op.inputs)) {
    // Sorted floats may lose the signs of zeros and the bits of NaNs.
    bool isSorted = index == 0 && isa<IntegerType>(op.elementType(0)) &&
                    values.getType() == operand.getType();
    results.push_back(isSorted ? values
                               : gatherAlong(op, operand, positions, axis));
  }
  return ValueRange(results);
}

NodeResults stablehlo_ops::convertTopK(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<int64_t> count = op.requireInt("k");
  if (failed(type) || failed(count))
    return failure();
  int64_t axis = type->getRank() - 1;
  if (axis < 0 || !isNumber(type->getElementType()))
    return op.unsupported("operand 0 has the type " + showType(*type));
  if (*count < 0 ||
      (!type->isDynamicDim(axis) && *count > type->getDimSize(axis)))
    return op.unsupportedAttribute("k", "an integer from 0 to the last size");
  Value key = toSortable(op, op.inputs[0]);
  auto [values, indices] = sortKey(op, key, op.makeInts(*count), *count, axis,
                                   /*isDescending=*/true);
  Value results[] = {gatherAlong(op, op.inputs[0], indices, axis),
                     op.cast(indices, op.b.getI32Type())};
  return ValueRange(results);
}

//===----------------------------------------------------------------------===//
// Indices of extrema
//===----------------------------------------------------------------------===//

/// Returns the axis along which a value counts from 0, or none.
static std::optional<int64_t> findIotaAxis(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().getStringRef() != "stablehlo.iota")
    return std::nullopt;
  return UnregisteredOp(op).getInt("iota_dimension");
}

/// Returns the constant scalar that a value is, or null.
static DenseElementsAttr readConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().getStringRef() != "stablehlo.constant")
    return {};
  auto dense = dyn_cast_or_null<DenseElementsAttr>(
      UnregisteredOp(op).getAttribute("value"));
  return dense && dense.isSplat() && dense.getType() == value.getType()
             ? dense
             : DenseElementsAttr();
}

/// Whether a constant is the lowest (or the highest) value of its type.
static bool isExtreme(Value value, bool isLowest) {
  DenseElementsAttr constant = readConstant(value);
  if (!constant)
    return false;
  if (auto type = dyn_cast<FloatType>(constant.getElementType())) {
    auto number = constant.getSplatValue<APFloat>();
    return APFloat::semanticsHasInf(type.getFloatSemantics())
               ? number.isInfinity() && number.isNegative() == isLowest
               : false;
  }
  auto type = dyn_cast<IntegerType>(constant.getElementType());
  if (!type)
    return false;
  auto number = constant.getSplatValue<APInt>();
  if (type.isUnsigned() || type.getWidth() == 1)
    return isLowest ? number.isMinValue() : number.isMaxValue();
  return isLowest ? number.isMinSignedValue() : number.isMaxSignedValue();
}

bool stablehlo_ops::isIndexedReduction(UnregisteredOp op) {
  return op->getName().getStringRef() == "stablehlo.reduce" &&
         op->getNumOperands() == 4 && op->getNumResults() == 2;
}

NodeResults stablehlo_ops::convertIndexedReduce(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<RankedTensorType> indexType = op.requireRanked(1);
  FailureOr<SmallVector<int64_t>> axes = op.requireInts("dimensions");
  FailureOr<RankedTensorType> resultType = op.requireRankedResult(1);
  if (failed(type) || failed(indexType) || failed(axes) || failed(resultType) ||
      failed(op.requireAxes("dimensions", *axes, type->getRank())))
    return failure();
  auto fail = [&] {
    return op.unsupported(
        "expected the reduction of a tensor and of its indices along the axis "
        "by a region that selects the maximum or minimum, as JAX writes it");
  };
  if (axes->size() != 1 || op.op->getNumRegions() != 1 ||
      findIotaAxis(op.inputs[1]) != axes->front() ||
      indexType->getShape() != type->getShape() ||
      !isa<IntegerType>(indexType->getElementType()))
    return fail();
  SmallVector<std::string> results = describeResults(op.op->getRegion(0));
  std::optional<bool> isMax;
  for (bool max : {true, false}) {
    std::string better =
        std::string("or(") + (max ? "GT" : "LT") + "(a,c),NE(a,a))";
    if (results.size() == 2 && results[0] == "select(" + better + ",a,c)" &&
        results[1] == "select(or(" + better + ",and(EQ(a,c),LT(b,d))),b,d)")
      isMax = max;
  }
  DenseElementsAttr first = readConstant(op.inputs[3]);
  if (!isMax || !isExtreme(op.inputs[2], *isMax) || !first ||
      !isa<IntegerType>(first.getElementType()) ||
      !first.getSplatValue<APInt>().isZero())
    return fail();
  int64_t axis = axes->front();
  if (type->getDimSize(axis) == 0)
    return op.unsupported("operand 0 has the type " + showType(*type));
  SmallVector<int64_t> shape(type->getShape());
  shape[axis] = 1;
  // Of equal elements, and of several NaNs, ONNX selects the first, too.
  Value indices =
      op.buildNode(*isMax ? "ArgMax" : "ArgMin", toSortable(op, op.inputs[0]),
                   RankedTensorType::get(shape, op.b.getI64Type()),
                   {op.intAttr("axis", axis), op.intAttr("keepdims", 1),
                    op.intAttr("select_last_index", 0)});
  Value values = gatherAlong(op, op.inputs[0], indices, axis);
  shape.erase(shape.begin() + axis);
  auto dropAxis = [&](Value value) {
    return op.buildNode("Squeeze", {value, op.makeInts(axis)},
                        cast<RankedTensorType>(value.getType()).clone(shape));
  };
  Value reduced[] = {dropAxis(values),
                     op.cast(dropAxis(indices), indexType->getElementType())};
  return ValueRange(reduced);
}
