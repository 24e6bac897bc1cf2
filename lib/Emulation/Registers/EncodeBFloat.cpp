//===- EncodeBFloat.cpp - f32 to bf16 as words ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The upper word of an f32 is its bf16, one more where the lower word is above
// the middle, or in it and the upper one odd. So that in words, twice as many
// elements in a register,
//
//   upper + (saturate(lower - (upper is even)) >> 15)
//
// is rounded to nearest even. SSE2, which packs upper words as quickly, adds to
// elements before. Where there are NaNs, which may have become
// anything, a branch puts theirs.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Sequences.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::registers;

static constexpr int64_t kLaneElements = 4;
/// Of the lowest bit that stays, less the lowest one of all.
static constexpr uint64_t kAlmostHalf = 0x7FFF;

namespace {
/// Works on four registers of f32, which become two of words.
class BFloatEncoder : ByteRegister {
public:
  BFloatEncoder(Lanes &lanes, Value bits)
      : ByteRegister(lanes, bits), registers(split(bits)),
        count(cast<VectorType>(registers[0].getType()).getNumElements()),
        packsWords(count == kLaneElements && !isNeon()) {}

  Value encode(const Conversion &conversion);

private:
  Value pick(ArrayRef<Value> pair, bool isUpper);
  Value round(ArrayRef<Value> pair);
  Value inOrder(Value words);

  SmallVector<Value, 4> registers;
  /// Of the elements in one.
  int64_t count;
  bool packsWords;
};
} // namespace

/// The upper or the lower words of two registers: with AVX-512 and NEON in
/// order, and with AVX2 those of one register between those of the other, by a
/// shift and a blend. SSE2, which has no blend, packs the upper ones.
Value BFloatEncoder::pick(ArrayRef<Value> pair, bool isUpper) {
  if (packsWords)
    return packUpperWords(pair);
  Lanes lanes = bytes.withShapeOf(pair[0]);
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

Value BFloatEncoder::inOrder(Value words) {
  if (count != 8)
    return words;
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < 2 * count; ++i)
    mask.push_back(i % count * 2 + i / count);
  return bytes.make<vector::ShuffleOp>(words, words, mask);
}

/// Two registers as one of words.
Value BFloatEncoder::round(ArrayRef<Value> pair) {
  if (packsWords) {
    SmallVector<Value, 2> sums;
    for (Value part : pair) {
      Lanes lanes = bytes.withShapeOf(part);
      Value isOdd = lanes.bitAnd(lanes.shrU(part, 16), 1);
      sums.push_back(
          lanes.make<arith::AddIOp>(lanes.add(part, kAlmostHalf), isOdd));
    }
    return packUpperWords(sums);
  }
  Value upper = pick(pair, true), lower = pick(pair, false);
  Lanes lanes = bytes.withShapeOf(upper);
  Value isEven = lanes.make<arith::XOrIOp>(lanes.bitAnd(upper, 1),
                                           lanes.integer(upper, 1));
  Value carry =
      lanes.shrU(lanes.make<LLVM::USubSat>(lower.getType(), lower, isEven), 15);
  return lanes.make<arith::AddIOp>(upper, carry);
}

Value BFloatEncoder::encode(const Conversion &conversion) {
  FloatFormat to(conversion.to);
  SmallVector<Value, 2> words;
  for (unsigned i : {0, 2})
    words.push_back(round(ArrayRef(registers).slice(i, 2)));
  // C2
  if (conversion.nans != NaNs::None)
    words = replaceRarely(
        bytes, anyUnordered(registers), words, [&]() -> SmallVector<Value> {
          SmallVector<Value> repaired;
          for (unsigned i : {0, 1}) {
            SmallVector<Value, 2> isNaN;
            for (Value part : ArrayRef(registers).slice(2 * i, 2)) {
              Lanes lanes = bytes.withShapeOf(part);
              Value condition = lanes.isNaN(
                  lanes.bitcast(part, lanes.getBuilder().getF32Type()));
              isNaN.push_back(
                  lanes.convert<arith::ExtSIOp>(condition, lanes.getInt(32)));
            }
            Lanes lanes = bytes.withShapeOf(words[i]);
            Value upper = pick(ArrayRef(registers).slice(2 * i, 2), true);
            Value nan =
                lanes.bitOr(lanes.bitAnd(upper, to.signMask()), to.nanCode);
            Value condition =
                lanes.compare(arith::CmpIPredicate::ne, pick(isNaN, true), 0);
            repaired.push_back(lanes.select(condition, nan, words[i]));
          }
          return repaired;
        });
  OpBuilder &builder = bytes.getBuilder();
  Value result = bytes.make<arith::ConstantOp>(
      builder.getZeroAttr(VectorType::get(4 * count, bytes.getInt(16))));
  for (auto [i, part] : llvm::enumerate(words))
    result = bytes.make<vector::InsertStridedSliceOp>(
        inOrder(part), result, int64_t(2 * count * i), int64_t(1));
  return result;
}

Value registers::encodeBFloat(Lanes &lanes, Value part,
                              const Conversion &conversion) {
  Value bits = lanes.withShapeOf(part).toBits(part);
  return BFloatEncoder(lanes, bits).encode(conversion);
}
