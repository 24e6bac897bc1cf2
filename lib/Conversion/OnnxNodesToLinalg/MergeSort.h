//===- MergeSort.h - Selection and sorting in loops -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_MERGESORT_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_MERGESORT_H

#include "Building.h"

namespace mlir::quant_float::onnx_nodes {

/// An integer that orders like an element of a compute type, of 32 bits, or 64
/// for elements of 64: a NaN is larger than any number, -0 equals 0.
/// Descending, the order is reversed.
Value buildSortKey(ImplicitLocOpBuilder &b, Value element, bool isUnsigned,
                   bool descending);

/// In a loop: room for two arrays of `stride` items, one behind the other. An
/// item is a signed integer: a key, and below it a position that tells equal
/// keys apart.
struct SortBuffer {
  Value tensor, stride;
};

/// The longest array of items of `type`.
int64_t getMaxItems(Type keyType);
/// The type of an item with a key of this type.
Type getItemType(Type keyType);
/// Room for `count` items. More, so that vectors may be read and sentinels
/// written behind the last one.
SortBuffer makeSortBuffer(ImplicitLocOpBuilder &b, Value count, Type itemType);

/// Whether an item comes before another one.
using ItemOrder =
    llvm::function_ref<Value(ImplicitLocOpBuilder &, Value, Value)>;

/// Sorts the first `count` items of the first array. Returns the buffer and
/// where in it the sorted items begin. A null `isBefore` compares the items;
/// another one is also called with positions of 0 behind the last item.
std::pair<Value, Value> buildMergeSort(ImplicitLocOpBuilder &b,
                                       SortBuffer buffer, Value count,
                                       ItemOrder isBefore = nullptr);

/// The row of keys at some indices, along the last axis.
struct KeyRow {
  Value keys;
  SmallVector<Value> indices;
  OpFoldResult size;
};

/// The items of a row.
struct ChosenItems {
  Value buffer, count;
};

/// Writes the items of a row that are below `bound` (all if null) to the front
/// of a buffer; if `kept` (at least 1) is not null, only the first `kept` and a
/// few more, in any order. `kept` may exceed the number of such items and the
/// size of the row; `capacity` is what getSelectionCapacity returns for both.
ChosenItems buildSelection(ImplicitLocOpBuilder &b, const KeyRow &row,
                           SortBuffer buffer, Value capacity, Value bound,
                           Value kept);

/// The number of items that a selection of the first `kept` of `size` needs
/// room for.
Value getSelectionCapacity(ImplicitLocOpBuilder &b, Value kept, Value size);

/// No item is smaller.
Value makeSmallestItem(ImplicitLocOpBuilder &b, Type itemType);
/// The smallest item of a row that is not below `bound`.
Value buildNextItem(ImplicitLocOpBuilder &b, const KeyRow &row, Value bound);

/// The position in an item, as an index.
Value getItemPosition(ImplicitLocOpBuilder &b, Value item);
/// An item that is not larger than any with this key, as i32 or i64.
Value getFirstItem(ImplicitLocOpBuilder &b, Value key);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_MERGESORT_H
