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
// and pshufb looks all differences up, the 15th for all others.
//
// Of f32 such words are the upper halves, for narrow floats have few bits.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "Unpack.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::x86;
using arith::CmpIPredicate;

/// Of pshufb, in each lane.
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

static Value lookUp(Lanes &lanes, const Table &table, unsigned byte,
                    Value indices) {
  int64_t size = cast<VectorType>(indices.getType()).getNumElements();
  SmallVector<uint8_t> bytes;
  for (int64_t i = 0; i < size; ++i)
    bytes.push_back(table[i % kEntries] >> (8 * byte));
  if (llvm::all_equal(bytes))
    return lanes.integer(indices, bytes.front());
  StringRef name = size == 64   ? "llvm.x86.avx512.pshuf.b.512"
                   : size == 32 ? "llvm.x86.avx2.pshuf.b"
                                : "llvm.x86.ssse3.pshuf.b.128";
  Value constant = Unpacker(lanes, indices).constant(bytes);
  OpBuilder &builder = lanes.getBuilder();
  return LLVM::CallIntrinsicOp::create(
             builder, lanes.getLoc(), indices.getType(),
             builder.getStringAttr(name), ValueRange{constant, indices})
      .getResult(0);
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
    return unpacker.unpack(lookUp(lanes, words, 0, codes),
                           lookUp(lanes, words, 1, codes), 1);
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
      unpacker.unpack(lanes.integer(codes, 0), codes, 1);
  std::array<Value, 2> differences =
      unpacker.unpack(lookUp(lanes, decoder.differences, 0, index),
                      lookUp(lanes, decoder.differences, 1, index), 1);
  for (auto [word, difference] : llvm::zip_equal(words, differences)) {
    difference = unpacker.withElements(difference, 2);
    word = unpacker.withElements(word, 2);
    Lanes l = lanes.withShapeOf(word);
    if (decoder.shift)
      word = l.shrS(word, decoder.shift);
    if (decoder.mask != 0xFFFF)
      word = l.bitAnd(word, decoder.mask);
    word = l.make<arith::AddIOp>(word, difference);
  }
  return words;
}

Value x86::decodeByWords(Lanes &whole, Value codes,
                         const Conversion &conversion) {
  Lanes lanes = whole.withShapeOf(codes);
  auto to = cast<FloatType>(conversion.to);
  if (to.isF64())
    to = Float32Type::get(to.getContext());
  WordDecoder decoder(FloatFormat(conversion.from), to);
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
