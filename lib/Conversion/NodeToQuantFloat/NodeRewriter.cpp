//===- NodeRewriter.cpp - Node rewriting ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/NodeToQuantFloat/NodeRewriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The maximum number of elements to which a splat is expanded, to limit
/// memory.
static constexpr int64_t kMaxRepeated = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Type NodeRewriter::elementType(size_t index) const {
  return getElementTypeOrSelf(inputs[index]);
}

std::optional<int64_t> NodeRewriter::getRank(size_t index) const {
  if (auto type = dyn_cast<RankedTensorType>(inputs[index].getType()))
    return type.getRank();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>>
NodeRewriter::getConstantInts(size_t index) const {
  DenseIntElementsAttr elements;
  auto type = dyn_cast<IntegerType>(elementType(index));
  if (!type || !matchPattern(inputs[index], m_Constant(&elements)))
    return std::nullopt;
  // A splat of very many elements is not a list of sizes or axes.
  std::optional<int64_t> count = countElements(elements.getType().getShape());
  if (elements.isSplat() && (!count || *count > kMaxRepeated))
    return std::nullopt;
  return llvm::map_to_vector(
      elements.getValues<APInt>(), [&](const APInt &value) -> int64_t {
        return type.isUnsigned() ? value.getZExtValue() : value.getSExtValue();
      });
}

FailureOr<SmallVector<int64_t>>
NodeRewriter::requireConstantInts(size_t index) {
  std::optional<SmallVector<int64_t>> values = getConstantInts(index);
  if (!values)
    return unsupported("input " + Twine(index) + " must be a constant");
  return *values;
}

FailureOr<int64_t> NodeRewriter::requireConstantInt(size_t index) {
  std::optional<SmallVector<int64_t>> values = getConstantInts(index);
  if (!values || values->size() != 1)
    return unsupported("input " + Twine(index) +
                       " must be a constant of one element");
  return values->front();
}

FailureOr<int64_t> NodeRewriter::requireRank(size_t index) {
  if (std::optional<int64_t> rank = getRank(index))
    return *rank;
  return unsupported("input " + Twine(index) + " has the type " +
                     showType(inputs[index].getType()) +
                     ", whose rank is not known");
}

LogicalResult NodeRewriter::requireRange(StringRef what,
                                         ArrayRef<int64_t> values,
                                         int64_t min) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (int64_t value : values)
    if (value < min || value > kMax)
      return unsupported(what + " must be " + Twine(min) + " to " +
                         Twine(kMax) + ", but got " + Twine(value));
  return success();
}

LogicalResult NodeRewriter::requireSameType() {
  for (size_t i = 1; i < inputs.size(); ++i)
    if (elementType(i) != elementType(0))
      return unsupported(
          "inputs must have elements of the same type, but got " +
          showType(elementType(0)) + " and " + showType(elementType(i)));
  return success();
}

LogicalResult NodeRewriter::requireNumbers() {
  Type type = elementType(0);
  bool isInteger = isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= 8;
  if (isInteger || isStandardFloat(type))
    return success();
  return unsupported("elements of type " + showType(type));
}
