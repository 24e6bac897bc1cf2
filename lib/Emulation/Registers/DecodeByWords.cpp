//===- DecodeByWords.cpp - Narrow floats to wider ones, as words ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A normal number's code, as the upper byte of a word, is shifted to where f16
// or bf16 have their mantissas, and what the exponents' biases differ by is
// added:
//
//   word = ((code << 8) >> shift & mask) + difference        (the sign stays)
//
// With any other number for the difference that is right for the codes that are
// none: subnormals, infinity and NaN. They are the first and the last ones, so
// that counted from the last ones on, around the end, they are fewer than 15,
// and pshufb or TBL looks all differences up, the 15th for all others.
//
// Of f32 such words are the upper halves, for narrow floats have few bits. NEON
// widens f16, of which f8E5M2 are the upper halves, and so does AVX2, which
// looks up what NaNs differ by.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Sequences.h"
#include "Unpack.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::registers;
using arith::CmpIPredicate;

/// Of pshufb, in each lane, and of TBL.
static constexpr unsigned kEntries = 16;

namespace {
using Table = std::array<uint16_t, kEntries>;

/// What `from` is decoded with to the upper 16 bits of `to`.
struct WordDecoder {
  WordDecoder(const FloatFormat &from, FloatType to);

  unsigned getWord(unsigned code) const {
    APInt bits = decodeCode(from, to, code);
    return bits.extractBitsAsZExtValue(16, bits.getBitWidth() - 16);
  }
  /// What is done to every code.
  unsigned shiftWord(unsigned code) const {
    auto word = int16_t(code << (16 - from.width));
    return (word >> shift) & mask;
  }
  unsigned getMagnitude(unsigned code) const {
    return code & (from.signMask() - 1);
  }

  FloatFormat from;
  FloatType to;
  unsigned shift, mask;
  /// Magnitudes are counted from the one that is so far from the end.
  unsigned fromEnd;
  /// The index of all normal numbers.
  unsigned last;
  /// The code of a NaN where a zero of the same magnitude is another.
  std::optional<unsigned> negativeNaN;
  Table differences = {};
};
} // namespace

WordDecoder::WordDecoder(const FloatFormat &from, FloatType to)
    : from(from), to(to), fromEnd(from.signMask() - 1 - from.maxCode),
      last(kEntries - 1) {
  unsigned mantissaBits = to.isF16() ? 10 : 7;
  unsigned up = mantissaBits - from.mantissaBits;
  shift = 16 - from.width - up;
  mask = 0x8000 | (from.signMask() - 1) << up;
  auto getDifference = [&](unsigned code) {
    return getWord(code) - shiftWord(code);
  };
  if (from.isFNUZ) {
    negativeNaN = from.signMask();
    differences[last--] = getDifference(*negativeNaN);
  }
  for (unsigned index = 0; index <= last; ++index)
    differences[index] = getDifference(getMagnitude(index - fromEnd));
}

/// One byte of each entry.
static Value lookUpByte(Lanes &lanes, const Table &table, unsigned byte,
                        Value indices) {
  std::array<uint8_t, kEntries> bytes;
  for (auto [entry, word] : llvm::zip_equal(bytes, table))
    entry = word >> (8 * byte);
  if (llvm::all_equal(bytes))
    return lanes.integer(indices, bytes.front());
  return lookUp(lanes, bytes, indices);
}

/// Codes, in the top bits of their bytes, as words that are shifted right.
static std::array<Value, 2> shiftCodes(Lanes &lanes, Unpacker &unpacker,
                                       Value codes, unsigned shift) {
  std::array<Value, 2> words;
  // An extension of NEON that shifts.
  if (isNeon(lanes)) {
    for (auto [i, word] : llvm::enumerate(words)) {
      Value half = lanes.make<vector::ExtractStridedSliceOp>(
          codes, int64_t(8 * i), int64_t(8), int64_t(1));
      Lanes l = lanes.withShapeOf(half);
      word = l.shl(l.resize(half, 16, /*isSigned=*/true), 8 - shift);
    }
    return words;
  }
  words = unpacker.unpack(lanes.integer(codes, 0), codes, 1);
  for (Value &word : words) {
    word = unpacker.withElements(word, 2);
    if (shift)
      word = lanes.withShapeOf(word).shrS(word, shift);
  }
  return words;
}

/// Two registers of words.
static std::array<Value, 2> makeWords(Lanes &lanes, Unpacker &unpacker,
                                      const WordDecoder &decoder, Value codes) {
  const FloatFormat &from = decoder.from;
  unsigned magnitudes = from.signMask() - 1;
  // Few enough to look everything up.
  if (from.width <= 4) {
    Table words;
    for (unsigned code = 0; code < kEntries; ++code)
      words[code] = decoder.getWord(code & ((1u << from.width) - 1));
    codes = lanes.bitAnd(codes, kEntries - 1);
    return unpacker.unpack(lookUpByte(lanes, words, 0, codes),
                           lookUpByte(lanes, words, 1, codes), 1);
  }

  Value index = decoder.fromEnd ? lanes.add(codes, decoder.fromEnd) : codes;
  index = lanes.bitAnd(index, magnitudes);
  index = lanes.make<arith::MinUIOp>(index, lanes.integer(index, decoder.last));
  if (from.width < 8)
    codes = lanes.shl(codes, 8 - from.width);
  if (decoder.negativeNaN) {
    Value isNaN = lanes.compare(CmpIPredicate::eq, codes, 0x80);
    index = lanes.select(isNaN, kEntries - 1, index);
  }
  std::array<Value, 2> words =
      shiftCodes(lanes, unpacker, codes, decoder.shift);
  std::array<Value, 2> differences =
      unpacker.unpack(lookUpByte(lanes, decoder.differences, 0, index),
                      lookUpByte(lanes, decoder.differences, 1, index), 1);
  for (auto [word, difference] : llvm::zip_equal(words, differences)) {
    difference = unpacker.withElements(difference, 2);
    Lanes l = lanes.withShapeOf(word);
    if (decoder.mask != 0xFFFF)
      word = l.bitAnd(word, decoder.mask);
    word = l.make<arith::AddIOp>(word, difference);
  }
  return words;
}

/// A register of AVX2 with upper halves of f16 to f32. Instructions that widen
/// take 128 bits, so that nothing has to be dealt out before.
static Value widenHalves(Lanes &lanes, Value codes, const FloatFormat &from,
                         bool nanMatters) {
  if (nanMatters) {
    // Counted from the last code back NaNs have the first indices, and the
    // others' top bits are set.
    uint64_t last = from.signMask() - 1;
    std::array<uint8_t, kEntries> changes = {};
    for (uint64_t code = from.infinityCode + 1; code <= last; ++code)
      changes[last - code] = from.nanCode - code;
    Value index = lanes.bitAnd(
        lanes.make<arith::XOrIOp>(codes, lanes.integer(codes, 0xFF)), last);
    index = lanes.make<LLVM::UAddSat>(index.getType(), index,
                                      lanes.integer(index, 0x80 - kEntries));
    codes = lanes.make<arith::AddIOp>(codes, lookUp(lanes, changes, index));
  }
  OpBuilder &builder = lanes.getBuilder();
  Unpacker unpacker(lanes, codes);
  Value result = lanes.make<arith::ConstantOp>(
      builder.getZeroAttr(lanes.getType(builder.getF32Type())));
  constexpr int64_t count = 8;
  for (auto [i, words] :
       llvm::enumerate(unpacker.unpack(lanes.integer(codes, 0), codes, 1))) {
    Value bits = unpacker.withElements(words, 2);
    Value halves = lanes.withShapeOf(bits).bitcast(bits, builder.getF16Type());
    for (int64_t lane : {0, 1}) {
      Value part = lanes.make<vector::ExtractStridedSliceOp>(
          halves, lane * count, count, int64_t(1));
      part = lanes.withShapeOf(part).convert<arith::ExtFOp>(
          part, builder.getF32Type());
      result = lanes.make<vector::InsertStridedSliceOp>(
          part, result, (2 * lane + int64_t(i)) * count, int64_t(1));
    }
  }
  return result;
}

Value registers::decodeByWords(Lanes &whole, Value codes,
                               const Conversion &conversion) {
  Lanes lanes = whole.withShapeOf(codes);
  auto to = cast<FloatType>(conversion.to);
  FloatFormat from(conversion.from);
  if (isNeon(lanes) && !to.isBF16() && areHalves(conversion.from))
    return widenHalf(
        lanes, decodeHalves(lanes, codes, from, conversion.nanMatters), to);
  if (to.isF64())
    to = Float32Type::get(to.getContext());
  int64_t size = cast<VectorType>(codes.getType()).getNumElements();
  if (!isNeon(lanes) && size == 32 && to.isF32() &&
      areHalves(conversion.from) && lanes.getTarget().hasHalfConversions) {
    Value result = widenHalves(lanes, codes, from, conversion.nanMatters);
    return to == conversion.to
               ? result
               : lanes.convert<arith::ExtFOp>(result, conversion.to);
  }
  WordDecoder decoder(from, to);
  Unpacker unpacker(lanes, codes);
  codes = unpacker.deal(codes, to.getWidth() / 8);
  SmallVector<Value> results;
  for (Value words : makeWords(lanes, unpacker, decoder, codes)) {
    if (to.getWidth() == 16)
      results.push_back(words);
    else
      llvm::append_range(results,
                         unpacker.unpack(lanes.integer(codes, 0), words, 2));
  }
  Value result = unpacker.join(results, to);
  return to == conversion.to
             ? result
             : lanes.convert<arith::ExtFOp>(result, conversion.to);
}
