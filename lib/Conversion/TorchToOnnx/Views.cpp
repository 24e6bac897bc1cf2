//===- Views.cpp - Diagonals and windows of torch -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views whose elements are at constant indices of one axis, which gathers
// select.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// The maximum number of indices, which become a constant.
static constexpr int64_t kMaxIndices = int64_t(1) << 24;

/// Replaces an axis by the axes of the indices.
static Value gatherAt(OpImporter &op, Value value, int64_t axis,
                      ArrayRef<int64_t> indices, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape().take_front(axis));
  llvm::append_range(shape, sizes);
  llvm::append_range(shape, type.getShape().drop_front(axis + 1));
  Value constant = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get(sizes, op.b.getI64Type()), indices));
  return op.buildNode("Gather", {value, constant}, type.clone(shape),
                      op.intAttr("axis", axis));
}

NodeResults torch_ops::convertDiagonal(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  RankedTensorType type = op.getRanked(0);
  int64_t rank = type.getRank();
  FailureOr<int64_t> offset = getInt(op, 1, 0);
  FailureOr<int64_t> rows = isNone(op, 2) ? 0 : requireAxis(op, 2, rank);
  FailureOr<int64_t> columns = isNone(op, 3) ? 1 : requireAxis(op, 3, rank);
  if (failed(offset) || failed(rows) || failed(columns))
    return failure();
  if (rank < 2 || *rows == *columns || type.isDynamicDim(*rows) ||
      type.isDynamicDim(*columns))
    return failOperand(op, 0, "two axes of known sizes");
  int64_t height = type.getDimSize(*rows), width = type.getDimSize(*columns);
  if (height > kMaxIndices || width > kMaxIndices || *offset < -height ||
      *offset > width)
    return failOperand(op, 1, "an offset in the matrix");
  SmallVector<int64_t> indices;
  for (int64_t row : llvm::seq(height))
    if (row + *offset >= 0 && row + *offset < width)
      indices.push_back(row * width + row + *offset);
  // The axes of the matrix become the last one.
  SmallVector<int64_t> order, shape;
  for (int64_t axis : llvm::seq(rank))
    if (axis != *rows && axis != *columns) {
      order.push_back(axis);
      shape.push_back(type.getDimSize(axis));
    }
  order.append({*rows, *columns});
  shape.push_back(height * width);
  Value moved = op.reshapeTo(op.transpose(*value, order), type.clone(shape));
  return gatherAt(op, moved, rank - 2, indices, indices.size());
}

/// Windows along an axis, whose elements become the last axis.
NodeResults torch_ops::convertUnfold(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  RankedTensorType type = op.getRanked(0);
  int64_t rank = type.getRank();
  FailureOr<int64_t> axis = requireAxis(op, 1, rank);
  FailureOr<int64_t> size = requireIntOperand(op, 2);
  FailureOr<int64_t> step = requireIntOperand(op, 3);
  if (failed(axis) || failed(size) || failed(step))
    return failure();
  if (rank == 0 || type.isDynamicDim(*axis))
    return failOperand(op, 0, "a known size of axis " + Twine(*axis));
  int64_t length = type.getDimSize(*axis);
  if (*size < 0 || *size > length || *step < 1)
    return failOperand(op, 2, "a window in " + Twine(length) + " elements");
  int64_t count = (length - *size) / *step + 1;
  if (*size > 0 && count > kMaxIndices / *size)
    return op.unsupported("the result has too many elements");
  SmallVector<int64_t> indices;
  for (int64_t window : llvm::seq(count))
    for (int64_t element : llvm::seq(*size))
      indices.push_back(window * *step + element);
  Value windows = gatherAt(op, *value, *axis, indices, {count, *size});
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rank + 1));
  std::rotate(order.begin() + *axis + 1, order.begin() + *axis + 2,
              order.end());
  return op.transpose(windows, order);
}

/// Reads a tensor as if its elements were contiguous, in the order of its axes.
NodeResults torch_ops::convertAsStrided(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> sizes = requireIntList(op, 1);
  FailureOr<SmallVector<int64_t>> strides = requireIntList(op, 2);
  FailureOr<int64_t> offset = getInt(op, 3, 0);
  if (failed(value) || failed(sizes) || failed(strides) || failed(offset))
    return failure();
  std::optional<int64_t> count = countElements(op.getRanked(0).getShape());
  std::optional<int64_t> total = countElements(*sizes);
  if (!count || !op.getRanked(0).hasStaticShape())
    return failOperand(op, 0, "a tensor of static shape");
  if (!total || *total > kMaxIndices)
    return op.unsupported("the result has too many elements");
  bool isInside = sizes->size() == strides->size() && *offset >= 0 &&
                  llvm::all_of(*sizes, [](int64_t size) { return size >= 0; });
  int64_t last = *offset;
  for (auto [size, stride] : llvm::zip(*sizes, *strides)) {
    int64_t span;
    isInside &= stride >= 0 && !llvm::MulOverflow(size - 1, stride, span) &&
                (size < 2 || !llvm::AddOverflow(last, span, last));
    if (!isInside)
      break;
  }
  if (!isInside || (*total > 0 && last >= *count))
    return failOperand(op, 2, "sizes and strides in the tensor");
  SmallVector<int64_t> indices;
  for (int64_t position : llvm::seq(*total)) {
    int64_t index = *offset;
    for (auto [size, stride] :
         llvm::reverse(llvm::zip_equal(*sizes, *strides))) {
      index += position % size * stride;
      position /= size;
    }
    indices.push_back(index);
  }
  TorchMath math(op);
  return gatherAt(op, math.reshape(*value, *count), 0, indices, *sizes);
}

/// The indices of the elements of a triangle, one row for each axis.
NodeResults torch_ops::convertTriangleIndices(OpImporter &op) {
  FailureOr<int64_t> height = requireIntOperand(op, 0);
  FailureOr<int64_t> width = requireIntOperand(op, 1);
  FailureOr<int64_t> offset = getInt(op, 2, 0);
  if (failed(height) || failed(width) || failed(offset))
    return failure();
  if (*height < 0 || *width < 0 ||
      (*height > 0 && *width > kMaxIndices / *height))
    return op.unsupported("the result has too many elements");
  bool isUpper = op.op.getName() == "aten.triu_indices";
  SmallVector<int64_t> rows, columns;
  for (int64_t row : llvm::seq(*height))
    for (int64_t column : llvm::seq(*width))
      if (isUpper ? column - row >= *offset : column - row <= *offset) {
        rows.push_back(row);
        columns.push_back(column);
      }
  int64_t count = rows.size();
  llvm::append_range(rows, columns);
  Value indices = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({2, count}, op.b.getI64Type()), ArrayRef(rows)));
  return TorchMath(op).to(indices, op.resultElementType());
}
