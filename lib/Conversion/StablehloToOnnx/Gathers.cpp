//===- Gathers.cpp - Gathers of StableHLO ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "Movement.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

/// Returns the integer of "name = 1" in the text of an attribute, or 0.
static int64_t readIntOfText(StringRef text, StringRef name) {
  int64_t value = 0;
  size_t found = text.find(name);
  if (found != StringRef::npos) {
    StringRef rest = text.drop_front(found + name.size()).ltrim();
    if (rest.consume_front("="))
      rest.ltrim().consumeInteger(10, value);
  }
  return value;
}

/// Clamps indices so that a slice of `size` elements is inside of an axis, as
/// StableHLO defines.
static Value clampIndices(OpImporter &op, Value indices, int64_t size,
                          int64_t axisSize) {
  Type i64 = op.b.getI64Type();
  auto makeScalar = [&](int64_t value) {
    return op.makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, i64), value));
  };
  indices = op.cast(indices, i64);
  indices = op.applyElementwise("Max", {makeScalar(0), indices});
  return op.applyElementwise("Min", {makeScalar(axisSize - size), indices});
}

NodeResults stablehlo_ops::convertGather(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<RankedTensorType> indicesType = op.requireRanked(1);
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  FailureOr<SmallVector<int64_t>> sliceSizes = op.requireInts("slice_sizes");
  std::optional<std::string> text =
      op.op.getText("dimension_numbers", "gather");
  if (failed(type) || failed(indicesType) || failed(resultType) ||
      failed(sliceSizes))
    return failure();
  auto read = [&](StringRef name) {
    return readIntsOfText(text ? *text : "", name);
  };
  auto offsets = read("offset_dims"), collapsed = read("collapsed_slice_dims");
  auto map = read("start_index_map"), batch = read("operand_batching_dims");
  if (!text || !offsets || !collapsed || !map || !batch)
    return op.unsupportedAttribute("dimension_numbers",
                                   "#stablehlo.gather<...>");
  int64_t rank = type->getRank();
  auto isOneAxis = [&] {
    if (map->size() != 1 || *collapsed != *map || !batch->empty() ||
        (*map)[0] < 0 || (*map)[0] >= rank ||
        static_cast<int64_t>(sliceSizes->size()) != rank)
      return false;
    for (int64_t axis : llvm::seq(rank))
      if ((*sliceSizes)[axis] !=
          (axis == (*map)[0] ? 1 : type->getDimSize(axis)))
        return false;
    return true;
  };
  if (!isOneAxis() || !type->hasStaticShape())
    return op.unsupported("expected whole slices at indices of one axis");
  auto indexType = dyn_cast<IntegerType>(indicesType->getElementType());
  if (!indexType || indexType.getWidth() == 1 || indexType.getWidth() > 64)
    return op.unsupported("operand 1 has the type " + showType(*indicesType));
  int64_t axis = (*map)[0], size = type->getDimSize(axis);

  // Drop the axis of the index vector, which has one element.
  int64_t vectorAxis = readIntOfText(*text, "index_vector_dim");
  SmallVector<int64_t> indexSizes(indicesType->getShape());
  if (vectorAxis < 0 || vectorAxis > indicesType->getRank() ||
      (vectorAxis < indicesType->getRank() && indexSizes[vectorAxis] != 1))
    return op.unsupported("index_vector_dim: expected an axis of one element");
  Value indices = clampIndices(op, op.inputs[1], 1, size);
  if (vectorAxis < indicesType->getRank()) {
    indexSizes.erase(indexSizes.begin() + vectorAxis);
    indices = op.reshapeTo(
        indices, RankedTensorType::get(indexSizes, op.b.getI64Type()));
  }
  SmallVector<int64_t> sizes(type->getShape().take_front(axis));
  llvm::append_range(sizes, indexSizes);
  llvm::append_range(sizes, type->getShape().drop_front(axis + 1));
  int64_t resultRank = sizes.size();
  if (resultType->getRank() != resultRank ||
      failed(op.requireAxes("offset_dims", *offsets, resultRank)) ||
      static_cast<int64_t>(offsets->size()) != rank - 1)
    return op.unsupported("offset_dims: expected " + Twine(rank - 1) +
                          " axes of a result of rank " + Twine(resultRank));
  Value result = op.buildNode("Gather", {op.inputs[0], indices},
                              type->clone(sizes), op.intAttr("axis", axis));
  // The axes of the operand go to `offset_dims`, those of the indices to the
  // others.
  SmallVector<int64_t> order(resultRank, -1);
  int64_t indexRank = indexSizes.size();
  for (auto [place, offset] : llvm::enumerate(*offsets))
    order[offset] =
        static_cast<int64_t>(place) < axis ? place : place + indexRank;
  int64_t next = axis;
  for (int64_t &from : order)
    if (from < 0)
      from = next++;
  return permute(op, result, order);
}

NodeResults stablehlo_ops::convertDynamicSlice(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<SmallVector<int64_t>> sizes = op.requireInts("slice_sizes");
  if (failed(type) || failed(sizes))
    return failure();
  int64_t rank = type->getRank();
  if (static_cast<int64_t>(sizes->size()) != rank ||
      static_cast<int64_t>(op.inputs.size()) != rank + 1 || rank == 0)
    return op.unsupported("expected a start and a size for each axis");
  SmallVector<Value> starts, ends;
  SmallVector<int64_t> steps(rank, 1);
  auto one = RankedTensorType::get(1, op.b.getI64Type());
  for (int64_t axis : llvm::seq(rank)) {
    int64_t size = (*sizes)[axis], axisSize = type->getDimSize(axis);
    Value start = op.inputs[axis + 1];
    auto startType = dyn_cast<RankedTensorType>(start.getType());
    if (!startType || startType.getRank() != 0 ||
        !isa<IntegerType>(startType.getElementType()) ||
        startType.getElementTypeBitWidth() == 1)
      return op.unsupported("operand " + Twine(axis + 1) + " has the type " +
                            showType(start.getType()));
    if (type->isDynamicDim(axis) || size < 0 || size > axisSize)
      return op.unsupported("slice_sizes: expected at most the sizes of " +
                            showType(*type));
    starts.push_back(
        op.reshapeTo(clampIndices(op, start, size, axisSize), one));
    ends.push_back(
        op.applyElementwise("Add", {starts.back(), op.makeInts(size)}));
  }
  return op.buildNode(
      "Slice",
      {op.inputs[0], op.concatenate(starts), op.concatenate(ends),
       op.makeInts(llvm::to_vector(llvm::seq(rank))), op.makeInts(steps)},
      op.resultType());
}
