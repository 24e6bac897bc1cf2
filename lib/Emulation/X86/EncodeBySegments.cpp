//===- EncodeBySegments.cpp - f16 and bf16 to narrow floats in bytes ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The staircase of EncodeByTables.cpp without large tables. Segments of two
// codes of a normal number each have their steps at a quarter and at three
// quarters, and a tie goes to the code in the middle or away from it:
//
//   code = 2 * segment + constant + (lower > 1/4) + (lower >= 3/4)
//
// Where codes are subnormal that is wrong in at most 16 segments, as many as
// pshufb looks up. Counted from the first step on, these are segments 0 to 15,
// and of the others' indices the top bit is set, for which it gives 0: so the
// tables hold what differs, and cost nothing elsewhere. Additions that saturate
// stop at the largest code, and all is computed in bytes, a register of them at
// once.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "Steps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::x86;
using arith::CmpIPredicate;

/// That a table has.
static constexpr unsigned kSegments = 16;

namespace {
using Table = std::array<uint8_t, kSegments>;

/// The segments of a staircase, and how the first ones differ from the others.
struct Segments {
  Segments(ArrayRef<unsigned> starts, unsigned lowerBits);

  /// The lower bits of a magnitude, as a byte: what does not fit is in its
  /// lowest bit, or'ed.
  unsigned getLower(unsigned magnitude) const {
    unsigned lower = magnitude & ((1u << lowerBits) - 1);
    unsigned rest = lower & ((1u << dropped) - 1);
    return lower >> dropped | (rest ? 1 : 0);
  }

  unsigned lowerBits, dropped;
  /// Magnitudes are counted from here.
  unsigned origin;
  /// The lower bits that a step is above.
  std::array<int, 2> limits;
  /// code - 2 * segment, of the segments that are alike.
  int offset;
  /// What is to be added to `offset` and `limits` in the first ones.
  Table offsets;
  std::array<Table, 2> limitChanges;
};
} // namespace

Segments::Segments(ArrayRef<unsigned> starts, unsigned lowerBits)
    : lowerBits(lowerBits), dropped(lowerBits > 8 ? lowerBits - 8 : 0) {
  origin = (starts.front() - 1) >> lowerBits << lowerBits;
  int quarter = 1 << (lowerBits - dropped - 2);
  limits = {quarter, 3 * quarter - 1};
  auto getNext = [&](unsigned segment) {
    return llvm::upper_bound(starts, origin + (segment << lowerBits));
  };
  auto getOffset = [&](unsigned segment) {
    return int(getNext(segment) - starts.begin()) - 2 * int(segment);
  };
  // The last step is one of normal numbers.
  offset = getOffset((starts.back() - origin) >> lowerBits);
  for (unsigned segment = 0; segment < kSegments; ++segment) {
    offsets[segment] = getOffset(segment) - offset;
    unsigned end = origin + ((segment + 1) << lowerBits);
    const unsigned *next = getNext(segment);
    for (unsigned step : {0, 1}) {
      // None: above all.
      int limit = dropped || lowerBits == 8 ? 255 : 127;
      if (next != starts.end() && *next < end)
        limit = getLower(*next++ - 1);
      limitChanges[step][segment] = std::clamp(limit - limits[step], -128, 127);
    }
    assert((next == starts.end() || *next >= end) && "two steps at most");
  }
}

namespace {
/// Works on registers of bytes, whose elements have the order in which packs
/// leave them.
class ByteEncoder {
public:
  ByteEncoder(Lanes &whole, Value bits, const Conversion &conversion)
      : builder(whole.getBuilder()), loc(whole.getLoc()), to(conversion.to),
        conversion(conversion),
        size(cast<VectorType>(bits.getType()).getNumElements()),
        halves{getHalf(whole, bits, 0), getHalf(whole, bits, 1)},
        words(whole.withShapeOf(halves[0])), bytes(whole.withShapeOf(bits)) {}

  Value encode();

private:
  Value getHalf(Lanes &lanes, Value bits, unsigned which) {
    return lanes.make<vector::ExtractStridedSliceOp>(bits, which * size / 2,
                                                     size / 2, 1);
  }
  Value call(StringRef name, Type type, ValueRange operands) {
    // pshuf.b is of SSSE3, the packs are of SSE2.
    StringRef isa = size == 64                 ? "avx512"
                    : size == 32               ? "avx2"
                    : name.starts_with("pack") ? "sse2"
                                               : "ssse3";
    StringRef suffix = size == 64 ? ".512" : size == 32 ? "" : ".128";
    return LLVM::CallIntrinsicOp::create(
               builder, loc, type,
               builder.getStringAttr("llvm.x86." + isa + "." + name + suffix),
               operands)
        .getResult(0);
  }
  /// The words that `compute` makes of two registers, as bytes.
  Value pack(StringRef name, ArrayRef<Value> values,
             function_ref<Value(Value)> compute) {
    return call(name, bytes.getType(builder.getI8Type()),
                {compute(values[0]), compute(values[1])});
  }
  Value lookUp(const Table &table, Value indices);
  Value countSteps(const Segments &segments, Value lower, Value indices,
                   Value sum);
  Value putSign(Value code, unsigned excess);
  Value inOrder(Value packed);

  OpBuilder &builder;
  Location loc;
  FloatFormat to;
  const Conversion &conversion;
  unsigned size;
  std::array<Value, 2> halves;
  Lanes words, bytes;
};
} // namespace

/// Zero where there is nothing to look up.
Value ByteEncoder::lookUp(const Table &table, Value indices) {
  SmallVector<char> repeated;
  for (unsigned i = 0; i < size; ++i)
    repeated.push_back(table[i % kSegments]);
  auto type = cast<VectorType>(indices.getType());
  Value constant = bytes.make<arith::ConstantOp>(
      DenseElementsAttr::getFromRawBuffer(type, repeated));
  return call("pshuf.b", type, {constant, indices});
}

/// `sum` and one for each step below `lower`.
Value ByteEncoder::countSteps(const Segments &segments, Value lower,
                              Value indices, Value sum) {
  // Signed comparisons are what there is.
  bool isFull = segments.lowerBits >= 8;
  if (isFull)
    lower = bytes.make<arith::XOrIOp>(lower, bytes.integer(lower, 0x80));
  for (auto [limit, changes] :
       llvm::zip_equal(segments.limits, segments.limitChanges)) {
    int shift = limit - (isFull ? 0x80 : 0);
    Value distance = bytes.make<LLVM::SSubSat>(
        lower.getType(), lower, bytes.integer(lower, uint64_t(shift)));
    Value change = llvm::all_equal(changes) && !changes[0]
                       ? bytes.integer(lower, 0)
                       : lookUp(changes, indices);
    Value isAbove = bytes.compare(CmpIPredicate::sgt, distance, change);
    sum = bytes.make<arith::SubIOp>(
        sum, bytes.convert<arith::ExtSIOp>(isAbove, builder.getI8Type()));
  }
  return sum;
}

/// C6, C8, of codes that are too high by `excess`.
Value ByteEncoder::putSign(Value code, unsigned excess) {
  Value sign = pack("packsswb", halves, [](Value bits) { return bits; });
  if (!to.isFNUZ && to.width == 8) {
    // One addition takes the excess away, or nearly, and puts the sign.
    code = bytes.make<arith::AddIOp>(code, bytes.bitOr(sign, 0x7F));
    return excess == 0x81 ? code : bytes.add(code, 0x81 - uint64_t(excess));
  }
  code = bytes.add(code, -uint64_t(excess));
  sign = bytes.bitAnd(to.width < 8 ? bytes.shrU(sign, 8 - to.width) : sign,
                      to.signMask());
  if (!to.isFNUZ)
    return bytes.make<arith::XOrIOp>(code, sign);
  Value isZero = bytes.compare(CmpIPredicate::eq, code, 0);
  return bytes.select(isZero, code, bytes.make<arith::OrIOp>(code, sign));
}

/// The halves were packed lane by lane.
Value ByteEncoder::inOrder(Value packed) {
  if (size == 16)
    return packed;
  int64_t groups = size / 8;
  SmallVector<int64_t> mask;
  for (int64_t half : {0, 1})
    for (int64_t i = 0; i < groups / 2; ++i)
      mask.push_back(2 * i + half);
  Value wide = bytes.make<vector::BitCastOp>(
      VectorType::get(groups, builder.getI64Type()), packed);
  return bytes.make<vector::BitCastOp>(
      cast<VectorType>(packed.getType()),
      bytes.make<vector::ShuffleOp>(wide, wide, mask));
}

Value ByteEncoder::encode() {
  auto from = cast<FloatType>(conversion.from);
  Steps steps(from, conversion.to, conversion.semantics);
  Segments segments(steps.starts,
                    FloatFormat(from).mantissaBits - to.mantissaBits + 1);
  unsigned dropped = segments.dropped;

  std::array<Value, 2> magnitudes, positions;
  for (unsigned i : {0, 1}) {
    magnitudes[i] = words.bitAnd(halves[i], 0x7FFF);
    positions[i] = words.make<LLVM::USubSat>(
        magnitudes[i].getType(), magnitudes[i],
        words.integer(magnitudes[i], segments.origin));
  }
  Value segment = pack("packuswb", positions, [&](Value position) {
    return words.shrU(position, segments.lowerBits);
  });
  Value lower = pack("packuswb", positions, [&](Value position) {
    if (!dropped)
      return words.bitAnd(position, (1u << segments.lowerBits) - 1);
    Value rest = words.bitAnd(position, (1u << dropped) - 1);
    if (dropped > 1)
      rest = words.make<arith::MinUIOp>(rest, words.integer(rest, 1));
    return words.make<arith::OrIOp>(
        words.bitAnd(words.shrU(position, dropped), 0xFF), rest);
  });

  // The code of overflow is the largest byte, where sums saturate.
  unsigned excess = 0xFF - steps.starts.size();
  Value indices = bytes.make<LLVM::UAddSat>(segment.getType(), segment,
                                            bytes.integer(segment, 0x70));
  Value sum = bytes.integer(segment, segments.offset + excess);
  if (!llvm::all_equal(segments.offsets) || segments.offsets[0])
    sum = bytes.make<arith::AddIOp>(lookUp(segments.offsets, indices), sum);
  sum = countSteps(segments, lower, indices, sum);
  Value twice = bytes.make<LLVM::UAddSat>(segment.getType(), segment, segment);
  Value code = bytes.make<LLVM::UAddSat>(segment.getType(), twice, sum);

  // C4, C5, C8. Infinity and NaN have got the code of overflow.
  unsigned overflowCode = steps.starts.size();
  bool infinityIsNaN = steps.infinityCode != overflowCode;
  unsigned change = steps.nanCode - overflowCode;
  if (change && (infinityIsNaN || conversion.nans != NaNs::None)) {
    Value isNaN = pack("packsswb", magnitudes, [&](Value magnitude) {
      Value isAbove = words.compare(CmpIPredicate::sgt, magnitude,
                                    steps.infinity - infinityIsNaN);
      return words.convert<arith::ExtSIOp>(isAbove, builder.getI16Type());
    });
    code = change == 1
               ? bytes.make<arith::SubIOp>(code, isNaN)
               : bytes.make<arith::AddIOp>(code, bytes.bitAnd(isNaN, change));
  }
  return inOrder(putSign(code, excess));
}

Value x86::encodeBySegments(Lanes &lanes, Value part,
                            const Conversion &conversion) {
  return ByteEncoder(lanes, lanes.withShapeOf(part).toBits(part), conversion)
      .encode();
}
