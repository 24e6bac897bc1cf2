//===- EncodePiecewise.cpp - Encode f16 and bf16 by piecewise lookup ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the step function of StepFunction.h without the large tables of
// EncodeByTables.cpp. The magnitudes are divided into segments of two encodings
// of normal numbers each. Their steps are at one quarter and three quarters of
// a segment. Ties round to the even encoding, at the start or end of the
// segment:
//
//   encoding = 2 * segment + constant + (lower > 1/4) + (lower >= 3/4)
//
// This is incorrect for subnormal encodings, but these are in at most 16
// segments, as many as pshufb and TBL can look up. Counted from the first step,
// these are the segments 0 to 15. For all other segments, whose indices must
// have the top bit set for pshufb, the lookup gives 0. The tables therefore
// contain differences, which have no effect on the other segments. Saturating
// additions limit the result to the largest encoding. All computations are in
// bytes, on a full register at once.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Sequences.h"
#include "StepFunction.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::simd;
using arith::CmpIPredicate;

/// The number of entries of a table.
static constexpr unsigned kSegments = 16;

namespace {
using Table = std::array<uint8_t, kSegments>;

/// The segments of a step function, and the differences of the first ones.
struct Segments {
  Segments(ArrayRef<unsigned> starts, unsigned lowerBits);

  /// Returns the lower bits of a magnitude as a byte. The bits that do not fit
  /// are combined to the lowest bit by OR.
  unsigned getLower(unsigned magnitude) const {
    unsigned lower = magnitude & ((1u << lowerBits) - 1);
    unsigned rest = lower & ((1u << dropped) - 1);
    return lower >> dropped | (rest ? 1 : 0);
  }

  unsigned lowerBits, dropped;
  /// The magnitude from which segments are counted.
  unsigned origin;
  /// The maximum of the lower bits before each of the two steps.
  std::array<int, 2> limits;
  /// encoding - 2 * segment at the start of all segments but the first ones.
  int offset;
  /// For the first segments: values to add to `offset`, and replacements of
  /// `limits`.
  Table offsets;
  std::array<Table, 2> firstLimits;
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
  // The last step is between normal numbers.
  offset = getOffset((starts.back() - origin) >> lowerBits);
  for (unsigned segment = 0; segment < kSegments; ++segment) {
    offsets[segment] = getOffset(segment) - offset;
    unsigned end = origin + ((segment + 1) << lowerBits);
    const unsigned *next = getNext(segment);
    for (unsigned step : {0, 1}) {
      // No step: no lower bits exceed the limit.
      int limit = dropped || lowerBits == 8 ? 255 : 127;
      if (next != starts.end() && *next < end)
        limit = getLower(*next++ - 1);
      firstLimits[step][segment] = limit;
    }
    assert((next == starts.end() || *next >= end) && "two steps at most");
  }
}

namespace {
/// Computes a register of encodings.
class PiecewiseEncoder : ByteRegister {
public:
  using ByteRegister::ByteRegister;

  Value encode(Value bits, const Conversion &conversion);

private:
  Value countSteps(const Segments &segments, Value lower, Value indices,
                   Value sum);
};
} // namespace

/// Returns `sum` plus the number of steps below `lower`.
Value PiecewiseEncoder::countSteps(const Segments &segments, Value lower,
                                   Value indices, Value sum) {
  // x86 only has signed comparisons of bytes.
  bool isMoved = !isNeon() && segments.lowerBits >= 8;
  if (isMoved)
    lower = bytes.make<arith::XOrIOp>(lower, bytes.integer(lower, 0x80));
  for (auto [limit, firstLimits] :
       llvm::zip_equal(segments.limits, segments.firstLimits)) {
    Table changes;
    for (auto [change, first] : llvm::zip_equal(changes, firstLimits))
      change = isNeon() ? first - limit : std::clamp(first - limit, -128, 127);
    Value change = llvm::all_equal(changes) && !changes[0]
                       ? Value()
                       : lookUp(bytes, changes, indices);
    Value isAbove;
    if (isNeon()) {
      Value ownLimit = bytes.integer(lower, limit);
      if (change)
        ownLimit = bytes.make<arith::AddIOp>(change, ownLimit);
      isAbove = bytes.compare(CmpIPredicate::ugt, lower, ownLimit);
    } else {
      int shift = limit - (isMoved ? 0x80 : 0);
      Value distance = bytes.make<LLVM::SSubSat>(
          lower.getType(), lower, bytes.integer(lower, uint64_t(shift)));
      isAbove = bytes.compare(CmpIPredicate::sgt, distance,
                              change ? change : bytes.integer(lower, 0));
    }
    sum = bytes.make<arith::SubIOp>(
        sum, bytes.convert<arith::ExtSIOp>(isAbove, bytes.getInt(8)));
  }
  return sum;
}

Value PiecewiseEncoder::encode(Value bits, const Conversion &conversion) {
  FloatFormat to(conversion.to);
  auto from = cast<FloatType>(conversion.from);
  Steps steps(from, conversion.to, conversion.semantics);
  Segments segments(steps.starts,
                    FloatFormat(from).mantissaBits - to.mantissaBits + 1);

  SmallVector<Value, 4> i16Vectors = split(bits), magnitudes, positions;
  VectorBuilder lanes = bytes.withShapeOf(i16Vectors[0]);
  for (Value i16Vector : i16Vectors) {
    Value magnitude = lanes.bitAnd(i16Vector, 0x7FFF);
    magnitudes.push_back(magnitude);
    positions.push_back(
        lanes.make<LLVM::USubSat>(magnitude.getType(), magnitude,
                                  lanes.integer(magnitude, segments.origin)));
  }
  Value segment = narrow(positions, segments.lowerBits);
  Value lower;
  if (unsigned dropped = segments.dropped) {
    SmallVector<Value, 2> lowers;
    for (Value position : positions) {
      Value rest = lanes.bitAnd(position, (1u << dropped) - 1);
      if (dropped > 1)
        rest = lanes.make<arith::MinUIOp>(rest, lanes.integer(rest, 1));
      lowers.push_back(
          lanes.make<arith::OrIOp>(lanes.shrU(position, dropped), rest));
    }
    lower = getLowest(lowers, 8);
  } else {
    lower = getLowest(positions, segments.lowerBits);
  }

  // Overflow has the encoding 255 here, at which the sums saturate.
  unsigned overflowEncoding = steps.starts.size(),
           excess = 0xFF - overflowEncoding;
  Value indices = segment;
  // For segments from 16, the addition sets the top bit of the index.
  if (!isNeon())
    indices = bytes.make<LLVM::UAddSat>(segment.getType(), segment,
                                        bytes.integer(segment, 0x70));
  Value sum = bytes.integer(segment, segments.offset + excess);
  if (!llvm::all_equal(segments.offsets) || segments.offsets[0])
    sum = bytes.make<arith::AddIOp>(lookUp(bytes, segments.offsets, indices),
                                    sum);
  sum = countSteps(segments, lower, indices, sum);
  Value twice = bytes.make<LLVM::UAddSat>(segment.getType(), segment, segment);
  Value encoding = bytes.make<LLVM::UAddSat>(segment.getType(), twice, sum);

  // C4, C5, C8. Up to here, infinity and NaN have the encoding of overflow.
  bool infinityIsNaN = steps.infinityEncoding != overflowEncoding;
  unsigned change = steps.nanEncoding - overflowEncoding;
  if (change && (infinityIsNaN || conversion.nans != NaNs::None)) {
    SmallVector<Value, 4> isNaN;
    for (Value magnitude : magnitudes)
      isNaN.push_back(lanes.convert<arith::ExtSIOp>(
          lanes.compare(CmpIPredicate::sgt, magnitude,
                        steps.infinity - infinityIsNaN),
          lanes.getInt(16)));
    encoding = addWhere(packMasks(isNaN), encoding, change);
  }
  return inOrder(putSign(encoding, excess, packSigns(i16Vectors), to),
                 i16Vectors.size());
}

Value simd::encodePiecewise(VectorBuilder &lanes, Value part,
                            const Conversion &conversion) {
  Value bits = lanes.withShapeOf(part).toBits(part);
  return PiecewiseEncoder(lanes, bits).encode(bits, conversion);
}
