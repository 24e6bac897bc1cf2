//===- DecodeByIntegers.cpp - Decode narrow floats as i16 -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes normal numbers by shifting the encoding, as the upper byte of an i16,
// to the position of the mantissa of f16 or bf16, and adding the difference of
// the exponents' biases:
//
//   bits = ((encoding << 8) >> shift & mask) + difference  (preserves the sign)
//
// Subnormals, infinity and NaN are decoded in the same way, but with other
// differences. Their encodings are the first and the last ones. Counted from
// the first of the last ones, with wraparound, there are fewer than 15, so that
// pshufb or TBL can look up all differences. The 15th entry applies to all
// other encodings.
//
// These i16 are the upper halves of f32, because narrow floats have few bits.
// For f8E5M2, whose encodings are the upper halves of f16, NEON and AVX2
// convert f16 to f32 instead. AVX2 looks up the changes that canonicalize NaNs.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Sequences.h"
#include "Unpack.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::simd;
using arith::CmpIPredicate;

/// The number of table entries of pshufb, in each 128-bit lane, and of TBL.
static constexpr unsigned kEntries = 16;

namespace {
using Table = std::array<uint16_t, kEntries>;

/// The constants for decoding `from` to the upper 16 bits of `to`.
struct IntegerDecoder {
  IntegerDecoder(const FloatFormat &from, FloatType to);

  unsigned getUpperBits(unsigned encoding) const {
    APInt bits = convertEncoding(from, to, encoding);
    return bits.extractBitsAsZExtValue(16, bits.getBitWidth() - 16);
  }
  /// Returns an encoding shifted and masked as for all encodings.
  unsigned shiftEncoding(unsigned encoding) const {
    auto bits = int16_t(encoding << (16 - from.width));
    return (bits >> shift) & mask;
  }
  unsigned getMagnitude(unsigned encoding) const {
    return encoding & (from.signMask() - 1);
  }

  FloatFormat from;
  FloatType to;
  unsigned shift, mask;
  /// The number of magnitudes above the maximum. An index is a magnitude plus
  /// this number, with wraparound.
  unsigned fromEnd;
  /// The index of all normal numbers.
  unsigned last;
  /// The encoding of a NaN that is a sign bit with the magnitude of zero.
  std::optional<unsigned> negativeNaN;
  Table differences = {};
};
} // namespace

IntegerDecoder::IntegerDecoder(const FloatFormat &from, FloatType to)
    : from(from), to(to), fromEnd(from.signMask() - 1 - from.maxEncoding),
      last(kEntries - 1) {
  unsigned mantissaBits = to.isF16() ? 10 : 7;
  unsigned up = mantissaBits - from.mantissaBits;
  shift = 16 - from.width - up;
  mask = 0x8000 | (from.signMask() - 1) << up;
  auto getDifference = [&](unsigned encoding) {
    return getUpperBits(encoding) - shiftEncoding(encoding);
  };
  if (from.isFNUZ) {
    negativeNaN = from.signMask();
    differences[last--] = getDifference(*negativeNaN);
  }
  for (unsigned index = 0; index <= last; ++index)
    differences[index] = getDifference(getMagnitude(index - fromEnd));
}

/// Looks up one byte of each entry.
static Value lookUpByte(VectorBuilder &lanes, const Table &table, unsigned byte,
                        Value indices) {
  std::array<uint8_t, kEntries> bytes;
  for (auto [byteEntry, entry] : llvm::zip_equal(bytes, table))
    byteEntry = entry >> (8 * byte);
  if (llvm::all_equal(bytes))
    return lanes.integer(indices, bytes.front());
  return lookUp(lanes, bytes, indices);
}

/// Converts encodings, in the top bits of their bytes, to i16 in the upper byte
/// and shifts them right.
static std::array<Value, 2> shiftEncodings(VectorBuilder &lanes,
                                           Unpacker &unpacker, Value encodings,
                                           unsigned shift) {
  std::array<Value, 2> i16Vectors;
  // One NEON instruction extends and shifts.
  if (isNeon(lanes)) {
    for (auto [i, i16Vector] : llvm::enumerate(i16Vectors)) {
      Value half = lanes.make<vector::ExtractStridedSliceOp>(
          encodings, int64_t(8 * i), int64_t(8), int64_t(1));
      VectorBuilder l = lanes.withShapeOf(half);
      i16Vector = l.shl(l.resize(half, 16, /*isSigned=*/true), 8 - shift);
    }
    return i16Vectors;
  }
  i16Vectors = unpacker.unpack(lanes.integer(encodings, 0), encodings, 1);
  for (Value &i16Vector : i16Vectors) {
    i16Vector = unpacker.withElements(i16Vector, 2);
    if (shift)
      i16Vector = lanes.withShapeOf(i16Vector).shrS(i16Vector, shift);
  }
  return i16Vectors;
}

/// Returns the upper 16 bits of the results in two registers of i16.
static std::array<Value, 2> makeI16Vectors(VectorBuilder &lanes,
                                           Unpacker &unpacker,
                                           const IntegerDecoder &decoder,
                                           Value encodings) {
  const FloatFormat &from = decoder.from;
  unsigned magnitudes = from.signMask() - 1;
  // Few enough encodings to look up the results.
  if (from.width <= 4) {
    Table entries;
    for (unsigned encoding = 0; encoding < kEntries; ++encoding)
      entries[encoding] =
          decoder.getUpperBits(encoding & ((1u << from.width) - 1));
    encodings = lanes.bitAnd(encodings, kEntries - 1);
    return unpacker.unpack(lookUpByte(lanes, entries, 0, encodings),
                           lookUpByte(lanes, entries, 1, encodings), 1);
  }

  Value index =
      decoder.fromEnd ? lanes.add(encodings, decoder.fromEnd) : encodings;
  index = lanes.bitAnd(index, magnitudes);
  index = lanes.make<arith::MinUIOp>(index, lanes.integer(index, decoder.last));
  if (from.width < 8)
    encodings = lanes.shl(encodings, 8 - from.width);
  if (decoder.negativeNaN) {
    Value isNaN = lanes.compare(CmpIPredicate::eq, encodings, 0x80);
    index = lanes.select(isNaN, kEntries - 1, index);
  }
  std::array<Value, 2> i16Vectors =
      shiftEncodings(lanes, unpacker, encodings, decoder.shift);
  std::array<Value, 2> differences =
      unpacker.unpack(lookUpByte(lanes, decoder.differences, 0, index),
                      lookUpByte(lanes, decoder.differences, 1, index), 1);
  for (auto [i16Vector, difference] :
       llvm::zip_equal(i16Vectors, differences)) {
    difference = unpacker.withElements(difference, 2);
    VectorBuilder l = lanes.withShapeOf(i16Vector);
    if (decoder.mask != 0xFFFF)
      i16Vector = l.bitAnd(i16Vector, decoder.mask);
    i16Vector = l.make<arith::AddIOp>(i16Vector, difference);
  }
  return i16Vectors;
}

/// Converts a register of AVX2 with upper halves of f16 to f32. The
/// instructions that widen floats read 128 bits, so the encodings need not be
/// distributed among lanes before.
static Value widenHalves(VectorBuilder &lanes, Value encodings,
                         const FloatFormat &from, bool nanMatters) {
  if (nanMatters) {
    // Counted backward from the last encoding, NaNs have the first indices. The
    // saturating addition sets the top bits of all other indices.
    uint64_t last = from.signMask() - 1;
    std::array<uint8_t, kEntries> changes = {};
    for (uint64_t encoding = from.infinityEncoding + 1; encoding <= last;
         ++encoding)
      changes[last - encoding] = from.nanEncoding - encoding;
    Value index = lanes.bitAnd(
        lanes.make<arith::XOrIOp>(encodings, lanes.integer(encodings, 0xFF)),
        last);
    index = lanes.make<LLVM::UAddSat>(index.getType(), index,
                                      lanes.integer(index, 0x80 - kEntries));
    encodings =
        lanes.make<arith::AddIOp>(encodings, lookUp(lanes, changes, index));
  }
  OpBuilder &builder = lanes.getBuilder();
  Unpacker unpacker(lanes, encodings);
  Value result = lanes.make<arith::ConstantOp>(
      builder.getZeroAttr(lanes.getType(builder.getF32Type())));
  constexpr int64_t count = 8;
  for (auto [i, i16Vector] : llvm::enumerate(
           unpacker.unpack(lanes.integer(encodings, 0), encodings, 1))) {
    Value bits = unpacker.withElements(i16Vector, 2);
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

Value simd::decodeByIntegers(VectorBuilder &vectors, Value encodings,
                             const Conversion &conversion) {
  VectorBuilder lanes = vectors.withShapeOf(encodings);
  auto to = cast<FloatType>(conversion.to);
  FloatFormat from(conversion.from);
  if (isNeon(lanes) && !to.isBF16() && areHalves(conversion.from))
    return widenHalf(
        lanes, decodeHalves(lanes, encodings, from, conversion.nanMatters), to);
  if (to.isF64())
    to = Float32Type::get(to.getContext());
  int64_t size = cast<VectorType>(encodings.getType()).getNumElements();
  if (!isNeon(lanes) && size == 32 && to.isF32() &&
      areHalves(conversion.from) && lanes.getTarget().hasHalfConversions) {
    Value result = widenHalves(lanes, encodings, from, conversion.nanMatters);
    return to == conversion.to
               ? result
               : lanes.convert<arith::ExtFOp>(result, conversion.to);
  }
  IntegerDecoder decoder(from, to);
  Unpacker unpacker(lanes, encodings);
  encodings = unpacker.deal(encodings, to.getWidth() / 8);
  SmallVector<Value> results;
  for (Value i16Vector : makeI16Vectors(lanes, unpacker, decoder, encodings)) {
    if (to.getWidth() == 16)
      results.push_back(i16Vector);
    else
      llvm::append_range(
          results, unpacker.unpack(lanes.integer(encodings, 0), i16Vector, 2));
  }
  Value result = unpacker.join(results, to);
  return to == conversion.to
             ? result
             : lanes.convert<arith::ExtFOp>(result, conversion.to);
}
