//===- MergeSort.h - Selection and sorting in loops -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_MERGESORT_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_MERGESORT_H

#include "Building.h"

namespace mlir::quant_float::onnx_nodes {

/// Returns an integer key whose signed order is that of the elements of a
/// compute type. The key has 64 bits for 64-bit elements and 32 bits for all
/// others. NaN is larger than any number, and -0 equals 0. `descending`
/// reverses the order.
Value buildSortKey(ImplicitLocOpBuilder &b, Value element, bool isUnsigned,
                   bool descending);

/// Storage for two consecutive arrays of `stride` items, used inside a loop. An
/// item is a signed integer: the key in the upper half, and a position, which
/// distinguishes equal keys, in the lower half.
struct SortBuffer {
  Value tensor, stride;
};

/// Returns the maximum number of items in an array for keys of this type. The
/// positions fit, and the size of the buffer in bytes does not overflow.
int64_t getMaxItems(Type keyType);
/// Returns the type of an item with a key of this type.
Type getItemType(Type keyType);
/// Allocates storage for `count` items, with additional space so that vectors
/// can be read and sentinels written after the last item.
SortBuffer makeSortBuffer(ImplicitLocOpBuilder &b, Value count, Type itemType);

/// Whether an item precedes another one.
using ItemOrder =
    llvm::function_ref<Value(ImplicitLocOpBuilder &, Value, Value)>;

/// Sorts the first `count` items of the first array. Returns the buffer and the
/// index in it of the first sorted item. A null `isBefore` compares the items
/// as integers. Any other `isBefore` is also called with items of position 0,
/// which are read after the last item.
std::pair<Value, Value> buildMergeSort(ImplicitLocOpBuilder &b,
                                       SortBuffer buffer, Value count,
                                       ItemOrder isBefore = nullptr);

/// The keys along the last axis at these indices of the other axes.
struct KeyRow {
  Value keys;
  SmallVector<Value> indices;
  OpFoldResult size;
};

/// The selected items of a row.
struct ChosenItems {
  Value buffer, count;
};

/// Writes the items of a row that are below `bound` (all items if it is null)
/// to the start of a buffer. If `k` (at least 1) is not null, writes only
/// the first `k` items and a few more, in any order. `k` may exceed the
/// number of such items and the size of the row. `capacity` is the result of
/// getSelectionCapacity for `k` and the size.
ChosenItems buildSelection(ImplicitLocOpBuilder &b, const KeyRow &row,
                           SortBuffer buffer, Value capacity, Value bound,
                           Value k);

/// Returns the number of items that the buffer must hold for a selection of the
/// first `k` of `size` items.
Value getSelectionCapacity(ImplicitLocOpBuilder &b, Value k, Value size);

/// Returns the lower bound of all items.
Value makeSmallestItem(ImplicitLocOpBuilder &b, Type itemType);
/// Returns the smallest item of a row that is not below `bound`.
Value buildNextItem(ImplicitLocOpBuilder &b, const KeyRow &row, Value bound);

/// Returns the position in an item as an index.
Value getItemPosition(ImplicitLocOpBuilder &b, Value item);
/// Returns the lower bound of the items with this key, which is an i32 or i64
/// or a vector of these.
Value getFirstItem(ImplicitLocOpBuilder &b, Value key);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_MERGESORT_H
