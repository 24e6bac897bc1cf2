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

#include "ByteRegister.h"
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
/// Works on a register of codes.
class SegmentEncoder : ByteRegister {
public:
  using ByteRegister::ByteRegister;

  Value encode(Value bits, const Conversion &conversion);

private:
  /// The words that `compute` makes of two registers, as bytes.
  Value pack(ArrayRef<Value> words, bool isUnsigned,
             function_ref<Value(Lanes &, Value)> compute) {
    Lanes lanes = bytes.withShapeOf(words[0]);
    return ByteRegister::pack(
        {compute(lanes, words[0]), compute(lanes, words[1])}, isUnsigned);
  }
  Value lookUp(const Table &table, Value indices);
  Value countSteps(const Segments &segments, Value lower, Value indices,
                   Value sum);
};
} // namespace

/// Zero where there is nothing to look up.
Value SegmentEncoder::lookUp(const Table &table, Value indices) {
  auto type = cast<VectorType>(indices.getType());
  SmallVector<char> repeated;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    repeated.push_back(table[i % kSegments]);
  Value constant = bytes.make<arith::ConstantOp>(
      DenseElementsAttr::getFromRawBuffer(type, repeated));
  return call("pshuf.b", type, {constant, indices});
}

/// `sum` and one for each step below `lower`.
Value SegmentEncoder::countSteps(const Segments &segments, Value lower,
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
        sum, bytes.convert<arith::ExtSIOp>(isAbove, bytes.getInt(8)));
  }
  return sum;
}

Value SegmentEncoder::encode(Value bits, const Conversion &conversion) {
  FloatFormat to(conversion.to);
  auto from = cast<FloatType>(conversion.from);
  Steps steps(from, conversion.to, conversion.semantics);
  Segments segments(steps.starts,
                    FloatFormat(from).mantissaBits - to.mantissaBits + 1);

  SmallVector<Value, 4> words = split(bits), magnitudes, positions;
  Lanes lanes = bytes.withShapeOf(words[0]);
  for (Value word : words) {
    Value magnitude = lanes.bitAnd(word, 0x7FFF);
    magnitudes.push_back(magnitude);
    positions.push_back(
        lanes.make<LLVM::USubSat>(magnitude.getType(), magnitude,
                                  lanes.integer(magnitude, segments.origin)));
  }
  Value segment =
      pack(positions, /*isUnsigned=*/true, [&](Lanes &l, Value position) {
        return l.shrU(position, segments.lowerBits);
      });
  Value lower =
      pack(positions, /*isUnsigned=*/true, [&](Lanes &l, Value position) {
        unsigned dropped = segments.dropped;
        if (!dropped)
          return l.bitAnd(position, (1u << segments.lowerBits) - 1);
        Value rest = l.bitAnd(position, (1u << dropped) - 1);
        if (dropped > 1)
          rest = l.make<arith::MinUIOp>(rest, l.integer(rest, 1));
        return l.make<arith::OrIOp>(l.bitAnd(l.shrU(position, dropped), 0xFF),
                                    rest);
      });

  // The code of overflow is the largest byte, where sums saturate.
  unsigned overflowCode = steps.starts.size(), excess = 0xFF - overflowCode;
  Value indices = bytes.make<LLVM::UAddSat>(segment.getType(), segment,
                                            bytes.integer(segment, 0x70));
  Value sum = bytes.integer(segment, segments.offset + excess);
  if (!llvm::all_equal(segments.offsets) || segments.offsets[0])
    sum = bytes.make<arith::AddIOp>(lookUp(segments.offsets, indices), sum);
  sum = countSteps(segments, lower, indices, sum);
  Value twice = bytes.make<LLVM::UAddSat>(segment.getType(), segment, segment);
  Value code = bytes.make<LLVM::UAddSat>(segment.getType(), twice, sum);

  // C4, C5, C8. Infinity and NaN have got the code of overflow.
  bool infinityIsNaN = steps.infinityCode != overflowCode;
  unsigned change = steps.nanCode - overflowCode;
  if (change && (infinityIsNaN || conversion.nans != NaNs::None)) {
    Value isNaN =
        pack(magnitudes, /*isUnsigned=*/false, [&](Lanes &l, Value magnitude) {
          Value isAbove = l.compare(CmpIPredicate::sgt, magnitude,
                                    steps.infinity - infinityIsNaN);
          return l.convert<arith::ExtSIOp>(isAbove, l.getInt(16));
        });
    code = addWhere(isNaN, code, change);
  }
  return inOrder(putSign(code, excess, words, to), words.size());
}

Value x86::encodeBySegments(Lanes &lanes, Value part,
                            const Conversion &conversion) {
  Value bits = lanes.withShapeOf(part).toBits(part);
  return SegmentEncoder(lanes, bits).encode(bits, conversion);
}
