//===- MergeSort.cpp - Selection and sorting in loops ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting has no data-dependent branches. A selection skips blocks of a row
// that have no candidates. Bisection over the values of items prunes its
// buffer, so that it takes O(size * bits of an item) time at most.
//
//===----------------------------------------------------------------------===//

#include "MergeSort.h"
#include "RowVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// The number of keys or items in a vector.
static constexpr int64_t kVector = kRowVector;
/// The number of items that a sorting network sorts.
static constexpr int64_t kNetwork = 8;

//===----------------------------------------------------------------------===//
// Shorthands
//===----------------------------------------------------------------------===//

static Value makeIndexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value makeInteger(ImplicitLocOpBuilder &b, Type type,
                         const llvm::APInt &value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

/// Returns the upper bound of all items or keys.
static Value makeLargest(ImplicitLocOpBuilder &b, Type type) {
  return makeInteger(
      b, type, llvm::APInt::getSignedMaxValue(type.getIntOrFloatBitWidth()));
}

static Value add(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}
static Value sub(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::SubIOp>(lhs, rhs);
}
static Value min(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::MinSIOp>(lhs, rhs);
}
static Value max(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::MaxSIOp>(lhs, rhs);
}
static Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                     Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}
static Value select(ImplicitLocOpBuilder &b, Value condition, Value lhs,
                    Value rhs) {
  return b.createOrFold<arith::SelectOp>(condition, lhs, rhs);
}

/// Rounds `value` down to a multiple of a power of two.
static Value roundDown(ImplicitLocOpBuilder &b, Value value, int64_t multiple) {
  return b.createOrFold<arith::AndIOp>(value, makeIndexConstant(b, -multiple));
}
static Value roundUp(ImplicitLocOpBuilder &b, Value value, int64_t multiple) {
  return roundDown(b, add(b, value, makeIndexConstant(b, multiple - 1)),
                   multiple);
}

/// Builds a loop with a constant step.
static SmallVector<Value>
buildLoop(ImplicitLocOpBuilder &b, Value begin, Value end, int64_t step,
          ValueRange inits,
          llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value,
                                                ValueRange)>
              body) {
  auto loop = scf::ForOp::create(
      b, begin, end, makeIndexConstant(b, step), inits,
      [&](OpBuilder &builder, Location loc, Value index, ValueRange values) {
        ImplicitLocOpBuilder inner(loc, builder);
        scf::YieldOp::create(inner, body(inner, index, values));
      });
  return SmallVector<Value>(loop.getResults());
}

/// Builds a conditional as a loop of at most one step, so that bufferization
/// updates the buffers in place.
static SmallVector<Value> buildIf(
    ImplicitLocOpBuilder &b, Value condition, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, ValueRange)>
        body) {
  Value end = arith::IndexCastUIOp::create(b, b.getIndexType(), condition);
  return buildLoop(b, makeIndexConstant(b, 0), end, 1, inits,
                   [&](ImplicitLocOpBuilder &b, Value, ValueRange values) {
                     return body(b, values);
                   });
}

//===----------------------------------------------------------------------===//
// Keys and items
//===----------------------------------------------------------------------===//

Value onnx_nodes::buildSortKey(ImplicitLocOpBuilder &b, Value element,
                               bool isUnsigned, bool descending) {
  unsigned width = element.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(std::max(width, 32u));
  llvm::APInt signBit = llvm::APInt::getSignMask(type.getIntOrFloatBitWidth());
  Value key = element;
  if (isa<FloatType>(element.getType())) {
    Value zero = makeInteger(b, type, llvm::APInt(width, 0));
    Value largest = makeLargest(b, type);
    key = arith::BitcastOp::create(b, type, element);
    Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, element,
                                         makeNumber(b, element.getType(), 0));
    Value isNegative = compare(b, arith::CmpIPredicate::slt, key, zero);
    key = select(b, isNegative, arith::XOrIOp::create(b, key, largest), key);
    key = select(b, isZero, zero, key);
    Value isNaN =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, element, element);
    key = select(b, isNaN, largest, key);
  } else if (isUnsigned) {
    if (width < 32)
      key = arith::ExtUIOp::create(b, type, key);
    else
      key = arith::XOrIOp::create(b, key, makeInteger(b, type, signBit));
  } else if (width < 32) {
    key = arith::ExtSIOp::create(b, type, key);
  }
  if (!descending)
    return key;
  return arith::XOrIOp::create(
      b, key,
      makeInteger(b, type,
                  llvm::APInt::getAllOnes(type.getIntOrFloatBitWidth())));
}

Value onnx_nodes::makeSmallestItem(ImplicitLocOpBuilder &b, Type itemType) {
  return makeInteger(
      b, itemType,
      llvm::APInt::getSignedMinValue(itemType.getIntOrFloatBitWidth()));
}

int64_t onnx_nodes::getMaxItems(Type keyType) {
  // The largest item is the sentinel.
  constexpr int64_t kMaxLongItems = int64_t(1) << 57;
  return keyType.isInteger(32) ? llvm::maxUIntN(32) - 1 : kMaxLongItems;
}

Type onnx_nodes::getItemType(Type keyType) {
  return IntegerType::get(keyType.getContext(),
                          2 * keyType.getIntOrFloatBitWidth());
}

Value onnx_nodes::getFirstItem(ImplicitLocOpBuilder &b, Value key) {
  unsigned width = getElementTypeOrSelf(key).getIntOrFloatBitWidth();
  Type type = b.getIntegerType(2 * width);
  TypedAttr shift = b.getIntegerAttr(type, width);
  if (auto vector = dyn_cast<VectorType>(key.getType())) {
    type = vector.clone(type);
    shift =
        SplatElementsAttr::get(cast<ShapedType>(type), cast<Attribute>(shift));
  }
  return arith::ShLIOp::create(b, arith::ExtSIOp::create(b, type, key),
                               arith::ConstantOp::create(b, shift));
}

/// Converts an index to the position field of an item.
static Value toItemPosition(ImplicitLocOpBuilder &b, Value index, Type item) {
  return arith::IndexCastUIOp::create(b, item, index);
}

Value onnx_nodes::getItemPosition(ImplicitLocOpBuilder &b, Value item) {
  unsigned width = item.getType().getIntOrFloatBitWidth() / 2;
  Value position = arith::TruncIOp::create(b, b.getIntegerType(width), item);
  return arith::IndexCastUIOp::create(b, b.getIndexType(), position);
}

/// Returns the item of the key at position `index` of the row.
static Value readItem(ImplicitLocOpBuilder &b, const KeyRow &row, Value index) {
  SmallVector<Value> indices = row.indices;
  indices.push_back(index);
  Value key = tensor::ExtractOp::create(b, row.keys, indices);
  Value first = getFirstItem(b, key);
  return arith::OrIOp::create(b, first,
                              toItemPosition(b, index, first.getType()));
}

static Value readKeys(ImplicitLocOpBuilder &b, const KeyRow &row, Value index) {
  SmallVector<Value> indices = row.indices;
  indices.push_back(index);
  return readRowVector(b, row.keys, indices);
}

SortBuffer onnx_nodes::makeSortBuffer(ImplicitLocOpBuilder &b, Value count,
                                      Type itemType) {
  Value stride =
      add(b, roundUp(b, count, kVector), makeIndexConstant(b, kVector));
  OpFoldResult size = getAsOpFoldResult(add(b, stride, stride));
  return {makeBuffer(b, size, itemType), stride};
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Writes `sentinel` to the positions in [begin, end).
static Value buildSentinels(ImplicitLocOpBuilder &b, Value buffer, Value begin,
                            Value end, Value sentinel) {
  return buildLoop(
      b, begin, end, 1, buffer,
      [&](ImplicitLocOpBuilder &b, Value index,
          ValueRange values) -> SmallVector<Value> {
        return {tensor::InsertOp::create(b, sentinel, values[0], index)};
      })[0];
}

/// Sorts groups of kNetwork items by Batcher's odd-even merge sort.
static Value buildNetworks(ImplicitLocOpBuilder &b, Value buffer, Value end) {
  static constexpr uint8_t kPairs[][2] = {
      {0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
      {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
      {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
  auto body = [](ImplicitLocOpBuilder &b, Value begin,
                 ValueRange values) -> SmallVector<Value> {
    SmallVector<Value> positions, items;
    for (int64_t i = 0; i < kNetwork; ++i) {
      positions.push_back(add(b, begin, makeIndexConstant(b, i)));
      items.push_back(
          tensor::ExtractOp::create(b, values[0], positions.back()));
    }
    for (auto [i, j] : kPairs) {
      Value low = min(b, items[i], items[j]);
      items[j] = max(b, items[i], items[j]);
      items[i] = low;
    }
    Value result = values[0];
    for (auto [position, item] : llvm::zip(positions, items))
      result = tensor::InsertOp::create(b, item, result, position);
    return {result};
  };
  return buildLoop(b, makeIndexConstant(b, 0), end, kNetwork, buffer, body)[0];
}

namespace {
/// Merges runs of `width` items at offset `from` of a buffer to runs of twice
/// the length at offset `to`. Used inside a loop.
struct MergeStep {
  Value from, to, width;
  ItemOrder isBefore;

  Value isFirst(ImplicitLocOpBuilder &b, Value lhs, Value rhs) const {
    return isBefore ? isBefore(b, lhs, rhs)
                    : compare(b, arith::CmpIPredicate::slt, lhs, rhs);
  }
  Value read(ImplicitLocOpBuilder &b, Value buffer, Value index) const {
    return tensor::ExtractOp::create(b, buffer, add(b, from, index));
  }
  Value write(ImplicitLocOpBuilder &b, Value item, Value buffer,
              Value index) const {
    return tensor::InsertOp::create(b, item, buffer, add(b, to, index));
  }

  /// Merges the two runs at `begin`. It merges from both ends at once, so that
  /// no run is exhausted before the loop ends and two dependence chains
  /// overlap.
  Value mergePair(ImplicitLocOpBuilder &b, Value buffer, Value begin) const;
  /// Merges the run at `begin` with the rest of the items before `end`, which
  /// may be less than a run.
  Value mergeRest(ImplicitLocOpBuilder &b, Value buffer, Value begin,
                  Value end) const;
};
} // namespace

Value MergeStep::mergePair(ImplicitLocOpBuilder &b, Value buffer,
                           Value begin) const {
  Value one = makeIndexConstant(b, 1);
  Value middle = add(b, begin, width), end = add(b, middle, width);
  Value last = sub(b, end, one);
  Value inits[] = {buffer, begin, middle, sub(b, middle, one), last};
  auto step = [&](ImplicitLocOpBuilder &b, Value index,
                  ValueRange values) -> SmallVector<Value> {
    Value lhs = read(b, values[0], values[1]);
    Value rhs = read(b, values[0], values[2]);
    Value lastLhs = read(b, values[0], values[3]);
    Value lastRhs = read(b, values[0], values[4]);
    Value isLhs = isFirst(b, lhs, rhs), isRhs = isFirst(b, lastLhs, lastRhs);
    auto toIndex = [&](Value flag) -> Value {
      return arith::IndexCastUIOp::create(b, b.getIndexType(), flag);
    };
    Value takenLhs = toIndex(isLhs), takenRhs = toIndex(isRhs);
    Value result =
        write(b, select(b, isLhs, lhs, rhs), values[0], add(b, begin, index));
    result = write(b, select(b, isRhs, lastRhs, lastLhs), result,
                   sub(b, last, index));
    return {result, add(b, values[1], takenLhs),
            add(b, values[2], sub(b, one, takenLhs)),
            sub(b, values[3], sub(b, one, takenRhs)),
            sub(b, values[4], takenRhs)};
  };
  return buildLoop(b, makeIndexConstant(b, 0), width, 1, inits, step)[0];
}

Value MergeStep::mergeRest(ImplicitLocOpBuilder &b, Value buffer, Value begin,
                           Value end) const {
  Value one = makeIndexConstant(b, 1);
  Value middle = min(b, add(b, begin, width), end);
  Value inits[] = {buffer, begin, middle};
  auto step = [&](ImplicitLocOpBuilder &b, Value index,
                  ValueRange values) -> SmallVector<Value> {
    Value lhs = read(b, values[0], values[1]);
    Value rhs = read(b, values[0], values[2]);
    Value isLeft = compare(b, arith::CmpIPredicate::slt, values[1], middle);
    Value isOver = compare(b, arith::CmpIPredicate::sge, values[2], end);
    Value isLhs = arith::AndIOp::create(
        b, isLeft, arith::OrIOp::create(b, isOver, isFirst(b, lhs, rhs)));
    Value taken = arith::IndexCastUIOp::create(b, b.getIndexType(), isLhs);
    return {write(b, select(b, isLhs, lhs, rhs), values[0], index),
            add(b, values[1], taken), add(b, values[2], sub(b, one, taken))};
  };
  return buildLoop(b, begin, end, 1, inits, step)[0];
}

std::pair<Value, Value> onnx_nodes::buildMergeSort(ImplicitLocOpBuilder &b,
                                                   SortBuffer buffer,
                                                   Value count,
                                                   ItemOrder isBefore) {
  Value zero = makeIndexConstant(b, 0), one = makeIndexConstant(b, 1);
  Type type = cast<RankedTensorType>(buffer.tensor.getType()).getElementType();
  Value tensor = buffer.tensor, end = count, width = one;
  Value sentinel =
      makeInteger(b, type, llvm::APInt(type.getIntOrFloatBitWidth(), 0));
  if (!isBefore) {
    end = roundUp(b, count, kNetwork);
    width = makeIndexConstant(b, kNetwork);
    tensor = buildSentinels(b, tensor, count, end, makeLargest(b, type));
    tensor = buildNetworks(b, tensor, end);
  }
  // The merge reads one item after the last run and does not use it. Initialize
  // it.
  for (Value offset : {zero, buffer.stride})
    tensor = tensor::InsertOp::create(b, sentinel, tensor, add(b, offset, end));
  // Compute the number of runs, and the logarithm of the next power of two.
  Value i64Runs = arith::IndexCastOp::create(
      b, b.getI64Type(),
      max(b, arith::CeilDivUIOp::create(b, end, width), one));
  Value bits = arith::SubIOp::create(
      b, makeNumber(b, b.getI64Type(), 64),
      math::CountLeadingZerosOp::create(
          b,
          arith::SubIOp::create(b, i64Runs, makeNumber(b, b.getI64Type(), 1))));
  Value levels = arith::IndexCastOp::create(b, b.getIndexType(), bits);
  Value inits[] = {tensor, zero, width};
  auto level = [&](ImplicitLocOpBuilder &b, Value,
                   ValueRange values) -> SmallVector<Value> {
    MergeStep step{values[1], sub(b, buffer.stride, values[1]), values[2],
                   isBefore};
    Value twice = add(b, step.width, step.width);
    Value pairs = arith::DivUIOp::create(b, end, twice);
    Value merged =
        buildLoop(b, zero, pairs, 1, values[0],
                  [&](ImplicitLocOpBuilder &b, Value pair,
                      ValueRange values) -> SmallVector<Value> {
                    return {step.mergePair(
                        b, values[0], arith::MulIOp::create(b, pair, twice))};
                  })[0];
    merged =
        step.mergeRest(b, merged, arith::MulIOp::create(b, pairs, twice), end);
    return {merged, step.to, twice};
  };
  SmallVector<Value> sorted = buildLoop(b, zero, levels, 1, inits, level);
  return {sorted[0], sorted[1]};
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Counts the items that are at most `bound`. `end` is a multiple of the vector
/// size.
static Value buildCount(ImplicitLocOpBuilder &b, Value buffer, Value end,
                        Value bound) {
  auto type = VectorType::get(kVector, b.getI32Type());
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value counts = buildLoop(
      b, makeIndexConstant(b, 0), end, kVector, none,
      [&](ImplicitLocOpBuilder &b, Value index,
          ValueRange values) -> SmallVector<Value> {
        Value isIn = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                           readRowVector(b, buffer, index),
                                           broadcastToRow(b, bound));
        return {arith::AddIOp::create(b, values[0],
                                      arith::ExtUIOp::create(b, type, isIn))};
      })[0];
  // The sum may have more than 31 bits.
  counts = arith::ExtUIOp::create(b, type.clone(b.getI64Type()), counts);
  Value count =
      vector::ReductionOp::create(b, vector::CombiningKind::ADD, counts);
  return arith::IndexCastOp::create(b, b.getIndexType(), count);
}

/// Returns the smallest item. `end` is a multiple of the vector size.
static Value buildSmallest(ImplicitLocOpBuilder &b, Value buffer, Value end) {
  Type type = cast<RankedTensorType>(buffer.getType()).getElementType();
  Value items =
      buildLoop(b, makeIndexConstant(b, 0), end, kVector,
                broadcastToRow(b, makeLargest(b, type)),
                [&](ImplicitLocOpBuilder &b, Value index,
                    ValueRange values) -> SmallVector<Value> {
                  return {min(b, values[0], readRowVector(b, buffer, index))};
                })[0];
  return vector::ReductionOp::create(b, vector::CombiningKind::MINSI, items);
}

/// Keeps the first `k` items. There must be more, and all must be below
/// `bound`. Returns the buffer and a bound such that only the remaining items
/// are below it. Bisection finds the bound, because no two items are equal.
static std::pair<Value, Value> buildPrune(ImplicitLocOpBuilder &b, Value buffer,
                                          Value count, Value bound, Value k) {
  Value end = roundUp(b, count, kVector);
  Type type = bound.getType();
  buffer = buildSentinels(b, buffer, count, end, makeLargest(b, type));
  // Invariant: at most `k` items are less than or equal to the lower end of
  // the interval, and more than `k` to the upper end.
  Value inits[] = {buildSmallest(b, buffer, end), bound};
  SmallVector<Type> types = {type, type, type, b.getI1Type()};
  auto loop = scf::WhileOp::create(
      b, types, ValueRange(inits),
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        ImplicitLocOpBuilder b(loc, builder);
        Value half = arith::ShRUIOp::create(b, sub(b, values[1], values[0]),
                                            makeNumber(b, type, 1));
        Value middle = add(b, values[0], half);
        Value size = buildCount(b, buffer, end, middle);
        Value isMore = compare(b, arith::CmpIPredicate::sgt, size, k);
        Value isOther = compare(b, arith::CmpIPredicate::ne, size, k);
        scf::ConditionOp::create(
            b, isOther, ValueRange{values[0], values[1], middle, isMore});
      },
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        ImplicitLocOpBuilder b(loc, builder);
        scf::YieldOp::create(
            b, ValueRange{select(b, values[3], values[0], values[2]),
                          select(b, values[3], values[2], values[1])});
      });
  Value found = loop.getResult(2);
  Value zero = makeIndexConstant(b, 0);
  Value kepts[] = {buffer, zero};
  buffer = buildLoop(
      b, zero, count, 1, kepts,
      [&](ImplicitLocOpBuilder &b, Value index,
          ValueRange values) -> SmallVector<Value> {
        Value item = tensor::ExtractOp::create(b, values[0], index);
        Value isIn = compare(b, arith::CmpIPredicate::sle, item, found);
        return {tensor::InsertOp::create(b, item, values[0], values[1]),
                add(b, values[1],
                    arith::IndexCastUIOp::create(b, b.getIndexType(), isIn))};
      })[0];
  return {buffer, add(b, found, makeNumber(b, type, 1))};
}

Value onnx_nodes::getSelectionCapacity(ImplicitLocOpBuilder &b, Value k,
                                       Value size) {
  constexpr int64_t kMore = 64;
  Value capacity = max(b, add(b, k, k), add(b, k, makeIndexConstant(b, kMore)));
  return roundUp(b, min(b, capacity, size), kVector);
}

ChosenItems onnx_nodes::buildSelection(ImplicitLocOpBuilder &b,
                                       const KeyRow &row, SortBuffer buffer,
                                       Value capacity, Value bound, Value k) {
  Type keyType = cast<RankedTensorType>(row.keys.getType()).getElementType();
  unsigned width = keyType.getIntOrFloatBitWidth();
  Type type = getItemType(keyType);
  Value size = makeIndex(b, row.size), zero = makeIndexConstant(b, 0);
  if (!bound)
    bound = makeLargest(b, type);

  /// Appends the items in [begin, end) that are below the bound.
  auto append = [&](ImplicitLocOpBuilder &b, Value begin, Value end,
                    ValueRange values) {
    Value inits[] = {values[0], values[1]};
    SmallVector<Value> appended = buildLoop(
        b, begin, end, 1, inits,
        [&](ImplicitLocOpBuilder &b, Value index,
            ValueRange inner) -> SmallVector<Value> {
          Value item = readItem(b, row, index);
          Value isIn = compare(b, arith::CmpIPredicate::slt, item, values[2]);
          return {tensor::InsertOp::create(b, item, inner[0], inner[1]),
                  add(b, inner[1],
                      arith::IndexCastUIOp::create(b, b.getIndexType(), isIn))};
        });
    appended.push_back(values[2]);
    return appended;
  };
  /// Prunes the buffer if it has no space for another vector.
  auto makeRoom = [&](ImplicitLocOpBuilder &b, Value room, ValueRange values) {
    if (!k)
      return SmallVector<Value>(values);
    Value isFull = compare(b, arith::CmpIPredicate::sgt, values[1], room);
    return buildIf(
        b, isFull, values,
        [&](ImplicitLocOpBuilder &b, ValueRange values) -> SmallVector<Value> {
          auto [tensor, found] =
              buildPrune(b, values[0], values[1], values[2], k);
          return {tensor, k, found};
        });
  };
  // Prune only if there are more than `k` items. If this leaves less space
  // than a vector, the capacity covers the full row.
  Value room = sub(b, capacity, makeIndexConstant(b, kVector));
  if (k)
    room = max(b, room, k);
  Value fullSize = roundDown(b, size, kVector);
  Value inits[] = {buffer.tensor, zero, bound};
  SmallVector<Value> values = buildLoop(
      b, zero, fullSize, kVector, inits,
      [&](ImplicitLocOpBuilder &b, Value index, ValueRange values) {
        Value shifted = arith::ShRSIOp::create(
            b, values[2], makeInteger(b, type, llvm::APInt(2 * width, width)));
        Value keyBound = arith::TruncIOp::create(b, keyType, shifted);
        Value isIn = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                           readKeys(b, row, index),
                                           broadcastToRow(b, keyBound));
        Value isAny =
            vector::ReductionOp::create(b, vector::CombiningKind::OR, isIn);
        return buildIf(
            b, isAny, values, [&](ImplicitLocOpBuilder &b, ValueRange values) {
              SmallVector<Value> cleared = makeRoom(b, room, values);
              return append(b, index,
                            add(b, index, makeIndexConstant(b, kVector)),
                            cleared);
            });
      });
  // The remainder is shorter than a vector.
  values = makeRoom(b, room, values);
  values = append(b, fullSize, size, values);
  if (k) {
    Value many = add(b, k, makeIndexConstant(b, 2 * kVector));
    values = makeRoom(b, many, values);
  }
  return {values[0], values[1]};
}

Value onnx_nodes::buildNextItem(ImplicitLocOpBuilder &b, const KeyRow &row,
                                Value bound) {
  Type type = bound.getType();
  Value size = makeIndex(b, row.size), fullSize = roundDown(b, size, kVector);
  Value largest = makeLargest(b, type);
  Value largests = broadcastToRow(b, largest);
  auto vector = cast<VectorType>(largests.getType());
  SmallVector<llvm::APInt> numbers;
  for (int64_t i = 0; i < kVector; ++i)
    numbers.emplace_back(type.getIntOrFloatBitWidth(), i);
  Value lanes =
      arith::ConstantOp::create(b, DenseElementsAttr::get(vector, numbers));
  auto narrow = [&](ImplicitLocOpBuilder &b, Value items, Value bound,
                    Value smallest, Value largest) {
    Value isPastBound =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, items, bound);
    return min(b, smallest, select(b, isPastBound, items, largest));
  };
  Value found = buildLoop(
      b, makeIndexConstant(b, 0), fullSize, kVector, largests,
      [&](ImplicitLocOpBuilder &b, Value index,
          ValueRange values) -> SmallVector<Value> {
        Value first = getFirstItem(b, readKeys(b, row, index));
        Value positions =
            add(b, lanes, broadcastToRow(b, toItemPosition(b, index, type)));
        return {narrow(b, arith::OrIOp::create(b, first, positions),
                       broadcastToRow(b, bound), values[0], largests)};
      })[0];
  found = vector::ReductionOp::create(b, vector::CombiningKind::MINSI, found);
  return buildLoop(
      b, fullSize, size, 1, found,
      [&](ImplicitLocOpBuilder &b, Value index,
          ValueRange values) -> SmallVector<Value> {
        return {narrow(b, readItem(b, row, index), bound, values[0], largest)};
      })[0];
}
