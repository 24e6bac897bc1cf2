//===- Unpack.cpp - Unpack encodings to wider elements --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unpack.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kLaneBytes = 16;

APInt simd::convertEncoding(const FloatFormat &from, FloatType to,
                            unsigned encoding) {
  APFloat value = from.getValue(encoding);
  bool losesInfo;
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.bitcastToAPInt();
}

bool simd::areHalves(Type type) {
  FloatFormat from(type), half(Float16Type::get(type.getContext()));
  return from.hasInfinity && from.bias == half.bias &&
         from.infinityEncoding << 8 == half.infinityEncoding;
}

Value simd::decodeHalves(VectorBuilder &lanes, Value encodings,
                         const FloatFormat &from, bool nanMatters) {
  if (nanMatters) {
    uint64_t mantissaMask = (1u << from.mantissaBits) - 1;
    Value isNaN = lanes.compare(arith::CmpIPredicate::ugt,
                                lanes.bitAnd(encodings, from.magnitudeMask()),
                                from.infinityEncoding);
    Value nan = lanes.bitOr(lanes.bitAnd(encodings, ~mantissaMask),
                            from.nanEncoding & mantissaMask);
    encodings = lanes.select(isNaN, nan, encodings);
  }
  return lanes.bitcast(lanes.shl(lanes.resize(encodings, 16), 8),
                       lanes.getBuilder().getF16Type());
}

simd::Unpacker::Unpacker(VectorBuilder &lanes, Value encodings)
    : lanes(lanes),
      size(cast<VectorType>(encodings.getType()).getNumElements()) {}

Value simd::Unpacker::constant(ArrayRef<uint8_t> bytes) {
  ArrayRef raw(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return lanes.make<arith::ConstantOp>(DenseElementsAttr::getFromRawBuffer(
      VectorType::get(bytes.size(), lanes.getInt(8)), raw));
}

Value simd::Unpacker::withElements(Value value, int64_t bytes) {
  return lanes.make<vector::BitCastOp>(
      VectorType::get(size / bytes, lanes.getInt(8 * bytes)), value);
}

Value simd::Unpacker::deal(Value encodings, int64_t resultBytes) {
  int64_t count = size / kLaneBytes;
  if (count == 1)
    return encodings;
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < count; ++lane)
    for (int64_t group = 0; group < resultBytes; ++group)
      mask.push_back(group * count + lane);
  Value groups = withElements(encodings, kLaneBytes / resultBytes);
  return withElements(lanes.make<vector::ShuffleOp>(groups, groups, mask), 1);
}

std::array<Value, 2> simd::Unpacker::unpack(Value low, Value high,
                                            int64_t bytes) {
  int64_t count = size / bytes, laneSize = kLaneBytes / bytes;
  low = withElements(low, bytes);
  high = withElements(high, bytes);
  auto getHalf = [&](int64_t first) -> Value {
    SmallVector<int64_t> mask;
    for (int64_t lane = first; lane < count; lane += laneSize)
      for (int64_t i = lane; i < lane + laneSize / 2; ++i)
        mask.append({i, count + i});
    return lanes.make<vector::ShuffleOp>(low, high, mask);
  };
  return {getHalf(0), getHalf(laneSize / 2)};
}

Value simd::Unpacker::join(ArrayRef<Value> registers, FloatType to) {
  OpBuilder &builder = lanes.getBuilder();
  int64_t bytes = to.getWidth() / 8, offset = 0;
  // LLVM keeps vectors of integers in registers, but not always those of bf16.
  Value result = lanes.make<arith::ConstantOp>(
      builder.getZeroAttr(VectorType::get(size, lanes.getInt(8 * bytes))));
  for (Value part : registers) {
    result = lanes.make<vector::InsertStridedSliceOp>(withElements(part, bytes),
                                                      result, offset, 1);
    offset += size / bytes;
  }
  return lanes.bitcast(result, to);
}
