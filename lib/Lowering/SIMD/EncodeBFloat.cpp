//===- EncodeBFloat.cpp - Round f32 to bf16 as i16 ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The upper half of an f32 is its bf16. One is added if the lower half is
// greater than the midpoint, or equal to it and the upper half is odd.
// Therefore
//
//   upper + (saturate(lower - (upper is even)) >> 15)
//
// in i16, with twice as many elements in a register, rounds to nearest even.
// SSE2, which packs upper halves as quickly, adds to the i32 before. If there
// may be NaNs, an unlikely branch replaces their results.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Sequences.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::simd;

static constexpr int64_t kLaneElements = 4;
/// One less than half a unit of the last bit of the result.
static constexpr uint64_t kAlmostHalf = 0x7FFF;

namespace {
/// Converts four registers of f32 to two registers of i16.
class BFloatEncoder : ByteRegister {
public:
  BFloatEncoder(VectorBuilder &lanes, Value bits)
      : ByteRegister(lanes, bits), registers(split(bits)),
        count(cast<VectorType>(registers[0].getType()).getNumElements()),
        packsToI16(count == kLaneElements && !isNeon()) {}

  Value encode(const Conversion &conversion);

private:
  Value pick(ArrayRef<Value> pair, bool isUpper);
  Value round(ArrayRef<Value> pair);
  Value inOrder(Value i16Vectors);

  SmallVector<Value, 4> registers;
  /// The number of elements in a register.
  int64_t count;
  bool packsToI16;
};
} // namespace

/// Returns the upper or the lower halves of two registers. AVX-512 and NEON
/// preserve the order. With AVX2, a shift and a blend interleave the halves of
/// both registers. SSE2, which has no blend, packs the upper halves.
Value BFloatEncoder::pick(ArrayRef<Value> pair, bool isUpper) {
  if (packsToI16)
    return packUpperToI16(pair);
  VectorBuilder lanes = bytes.withShapeOf(pair[0]);
  if (count != 8)
    return pickHalves(lanes, pair, isUpper);
  std::array<Value, 2> sources = {pair[0], pair[1]};
  sources[isUpper ? 0 : 1] =
      isUpper ? lanes.shrU(pair[0], 16) : lanes.shl(pair[1], 16);
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < 2 * count; ++i)
    mask.push_back(i + i % 2 * 2 * count);
  auto type = VectorType::get(2 * count, lanes.getInt(16));
  return lanes.make<vector::ShuffleOp>(
      lanes.make<vector::BitCastOp>(type, sources[0]),
      lanes.make<vector::BitCastOp>(type, sources[1]), mask);
}

Value BFloatEncoder::inOrder(Value i16Vectors) {
  if (count != 8)
    return i16Vectors;
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < 2 * count; ++i)
    mask.push_back(i % count * 2 + i / count);
  return bytes.make<vector::ShuffleOp>(i16Vectors, i16Vectors, mask);
}

/// Rounds two registers to one register of i16.
Value BFloatEncoder::round(ArrayRef<Value> pair) {
  if (packsToI16) {
    SmallVector<Value, 2> sums;
    for (Value part : pair) {
      VectorBuilder lanes = bytes.withShapeOf(part);
      Value isOdd = lanes.bitAnd(lanes.shrU(part, 16), 1);
      sums.push_back(
          lanes.make<arith::AddIOp>(lanes.add(part, kAlmostHalf), isOdd));
    }
    return packUpperToI16(sums);
  }
  Value upper = pick(pair, true), lower = pick(pair, false);
  VectorBuilder lanes = bytes.withShapeOf(upper);
  Value isEven = lanes.make<arith::XOrIOp>(lanes.bitAnd(upper, 1),
                                           lanes.integer(upper, 1));
  Value carry =
      lanes.shrU(lanes.make<LLVM::USubSat>(lower.getType(), lower, isEven), 15);
  return lanes.make<arith::AddIOp>(upper, carry);
}

Value BFloatEncoder::encode(const Conversion &conversion) {
  FloatFormat to(conversion.to);
  SmallVector<Value, 2> i16Vectors;
  for (unsigned i : {0, 2})
    i16Vectors.push_back(round(ArrayRef(registers).slice(i, 2)));
  // Replaces the results of NaNs (C2).
  if (conversion.nans != NaNs::None)
    i16Vectors = replaceRarely(
        bytes, anyUnordered(registers), i16Vectors,
        [&]() -> SmallVector<Value> {
          SmallVector<Value> repaired;
          for (unsigned i : {0, 1}) {
            SmallVector<Value, 2> isNaN;
            for (Value part : ArrayRef(registers).slice(2 * i, 2)) {
              VectorBuilder lanes = bytes.withShapeOf(part);
              Value condition = lanes.isNaN(
                  lanes.bitcast(part, lanes.getBuilder().getF32Type()));
              isNaN.push_back(
                  lanes.convert<arith::ExtSIOp>(condition, lanes.getInt(32)));
            }
            VectorBuilder lanes = bytes.withShapeOf(i16Vectors[i]);
            Value upper = pick(ArrayRef(registers).slice(2 * i, 2), true);
            Value nan =
                lanes.bitOr(lanes.bitAnd(upper, to.signMask()), to.nanEncoding);
            Value condition =
                lanes.compare(arith::CmpIPredicate::ne, pick(isNaN, true), 0);
            repaired.push_back(lanes.select(condition, nan, i16Vectors[i]));
          }
          return repaired;
        });
  OpBuilder &builder = bytes.getBuilder();
  Value result = bytes.make<arith::ConstantOp>(
      builder.getZeroAttr(VectorType::get(4 * count, bytes.getInt(16))));
  for (auto [i, part] : llvm::enumerate(i16Vectors))
    result = bytes.make<vector::InsertStridedSliceOp>(
        inOrder(part), result, int64_t(2 * count * i), int64_t(1));
  return result;
}

Value simd::encodeBFloat(VectorBuilder &lanes, Value part,
                         const Conversion &conversion) {
  Value bits = lanes.withShapeOf(part).toBits(part);
  return BFloatEncoder(lanes, bits).encode(conversion);
}
