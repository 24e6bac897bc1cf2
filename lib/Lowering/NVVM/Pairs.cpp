//===- Pairs.cpp - Vectors as pairs of elements ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %x : vector<4xf32>  ->  (x0, x1)  (x2, x3)
//                             cvt        cvt
//                             i16        i16     ->  vector<4xi8>
//
// This avoids ops that upstream does not lower inside of GPU modules, such as
// slices.
//
//===----------------------------------------------------------------------===//

#include "Pairs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class Pairs {
public:
  Pairs(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Splits a vector into pairs of elements as integers. An odd last element is
  /// paired with zero.
  SmallVector<Value> split(Value vector);
  /// Joins the first `count` elements of pairs that are integers to a vector.
  Value join(ArrayRef<Value> pairs, Type element, int64_t count);

private:
  Value bitcast(Value value, int64_t count, Type element);
  /// Returns the first `count` elements of a vector.
  SmallVector<Value> extractElements(Value vector, int64_t count);
  Value fromElements(ArrayRef<Value> elements);

  OpBuilder &builder;
  Location loc;
};
} // namespace

Value Pairs::bitcast(Value value, int64_t count, Type element) {
  return vector::BitCastOp::create(builder, loc,
                                   VectorType::get(count, element), value);
}

SmallVector<Value> Pairs::extractElements(Value vector, int64_t count) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(vector::ExtractOp::create(builder, loc, vector, i));
  return elements;
}

Value Pairs::fromElements(ArrayRef<Value> elements) {
  auto type = VectorType::get(elements.size(), elements.front().getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

SmallVector<Value> Pairs::split(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t count = type.getNumElements();
  unsigned width = type.getElementTypeBitWidth();
  if (count % 2) {
    SmallVector<Value> elements = extractElements(vector, count);
    elements.push_back(arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType())));
    vector = fromElements(elements);
    ++count;
  }
  // Bytes are extracted as four from one register, because LLVM splits smaller
  // parts of vectors into single bytes.
  auto pairType = builder.getIntegerType(2 * width);
  bool byFours = width == 8 && count % 4 == 0;
  int64_t step = byFours ? 4 : 2;
  Value groups =
      bitcast(vector, count / step, builder.getIntegerType(step * width));
  SmallVector<Value> pairs;
  for (Value group : extractElements(groups, count / step)) {
    if (!byFours) {
      pairs.push_back(group);
      continue;
    }
    pairs.push_back(arith::TruncIOp::create(builder, loc, pairType, group));
    Value shift = arith::ConstantIntOp::create(builder, loc, 16, 32);
    Value high = arith::ShRUIOp::create(builder, loc, group, shift);
    pairs.push_back(arith::TruncIOp::create(builder, loc, pairType, high));
  }
  return pairs;
}

Value Pairs::join(ArrayRef<Value> pairs, Type element, int64_t count) {
  int64_t size = pairs.size();
  Value result = bitcast(fromElements(pairs), 2 * size, element);
  if (count == 2 * size)
    return result;
  return fromElements(extractElements(result, count));
}

Value quant_float::convertPairs(VectorBuilder &lanes, const ConversionRow &row,
                                Value value, const Conversion &conversion) {
  OpBuilder &builder = lanes.getBuilder();
  Location loc = lanes.getLoc();
  auto type = cast<VectorType>(value.getType());
  Type element = type.getElementType();
  bool isDecoding = element.isInteger(8);
  auto pairType = VectorType::get(2, element);
  Pairs pairs(builder, loc);
  SmallVector<Value> converted;
  for (Value pair : pairs.split(value)) {
    if (!isDecoding)
      pair = LLVM::BitcastOp::create(builder, loc, pairType, pair);
    Value result = row.build(lanes, pair, conversion);
    element = getElementTypeOrSelf(result);
    if (isDecoding)
      result =
          LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), result);
    converted.push_back(result);
  }
  return pairs.join(converted, isDecoding ? element : builder.getI8Type(),
                    type.getNumElements());
}
