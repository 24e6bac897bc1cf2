//===- EncodeByTables.cpp - f16 and bf16 to narrow floats by look-up ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 16 bits are too many for a table, but their codes are a staircase, and in a
// segment of it, of magnitudes that share their upper 7 bits, are few steps. So
// AVX-512 VBMI, which looks 64 bytes up in a table of 128 with one instruction,
// finds the code at the start of the segment and where its steps are:
//
//   code = first[upper] + (lower > step1[upper]) + (lower > step2[upper])
//
// of 64 elements at once, all in bytes. No format has a path of its own:
// subnormals, ties, overflow, infinity and NaN of f16 are steps like all
// others.
//
// bf16 has more exponents than that. Its magnitudes are counted from the first
// segment with a step on, so that 7 bits reach beyond the last; a NaN, far
// above, is found by comparing.
//
//===----------------------------------------------------------------------===//

#include "../Registers/Steps.h"
#include "Instructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::registers;
using arith::CmpIPredicate;

/// Of a register, and results of one look-up.
static constexpr unsigned kElements = 64;
static constexpr unsigned kSegments = 128;

namespace {
using Table = std::array<uint8_t, kSegments>;

/// A staircase cut into segments.
struct Segments {
  /// `lowerBits` tell the magnitudes of a segment apart.
  Segments(ArrayRef<unsigned> starts, unsigned lowerBits);

  /// The codes at the start of each.
  Table first;
  /// What the lower bits are above from a step on, in the top of a byte; where
  /// there are fewer steps the largest byte.
  SmallVector<Table> steps;
};
} // namespace

Segments::Segments(ArrayRef<unsigned> starts, unsigned lowerBits) {
  size_t code = 0;
  for (unsigned segment = 0; segment < kSegments; ++segment) {
    unsigned start = segment << lowerBits;
    for (; code < starts.size() && starts[code] <= start; ++code)
      ;
    first[segment] = code;
    for (size_t step = 0;
         code < starts.size() && starts[code] < start + (1u << lowerBits);
         ++step, ++code) {
      if (step == steps.size())
        steps.emplace_back().fill(0xFF);
      steps[step][segment] = ((starts[code] - start) << (8 - lowerBits)) - 1;
    }
  }
}

static Value makeTable(Lanes &lanes, ArrayRef<uint8_t> bytes) {
  ArrayRef raw(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto type = VectorType::get(bytes.size(), lanes.getInt(8));
  return lanes.make<arith::ConstantOp>(
      DenseElementsAttr::getFromRawBuffer(type, raw));
}

/// Bytes of two registers.
static Value permute(Lanes &lanes, Value low, Value indices, Value high) {
  return LLVM::CallIntrinsicOp::create(lanes.getBuilder(), lanes.getLoc(),
                                       indices.getType(),
                                       lanes.getBuilder().getStringAttr(
                                           "llvm.x86.avx512.vpermi2var.qi.512"),
                                       ValueRange{low, indices, high})
      .getResult(0);
}

/// Of `indices` the top bits do not count.
static Value lookUp(Lanes &lanes, const Table &table, Value indices) {
  ArrayRef<uint8_t> bytes(table);
  Value low = makeTable(lanes, bytes.take_front(kElements));
  Value high = makeTable(lanes, bytes.drop_front(kElements));
  return permute(lanes, low, indices, high);
}

/// The upper bytes of words.
static Value getUpperBytes(Lanes &lanes, Value words) {
  Value bytes = lanes.make<vector::BitCastOp>(
      VectorType::get(2 * kElements, lanes.getInt(8)), words);
  SmallVector<int64_t> mask;
  for (unsigned i = 0; i < kElements; ++i)
    mask.push_back(2 * i + 1);
  return lanes.make<vector::ShuffleOp>(bytes, bytes, mask);
}

/// The lower bytes of words. Their shuffle would be two truncations and what
/// puts these together.
static Value getLowerBytes(Lanes &lanes, Value words) {
  SmallVector<uint8_t> indices;
  for (unsigned i = 0; i < kElements; ++i)
    indices.push_back(2 * i);
  auto getRegister = [&](int64_t offset) -> Value {
    return lanes.make<vector::BitCastOp>(
        VectorType::get(kElements, lanes.getInt(8)),
        lanes.make<vector::ExtractStridedSliceOp>(words, offset, kElements / 2,
                                                  1));
  };
  return permute(lanes, getRegister(0), makeTable(lanes, indices),
                 getRegister(kElements / 2));
}

/// The code of each magnitude, whose lower bits are `lower`.
static Value climb(Lanes &lanes, const Segments &segments, Value upper,
                   Value lower) {
  Value code = lookUp(lanes, segments.first, upper);
  for (const Table &table : segments.steps) {
    Value isAbove =
        lanes.compare(CmpIPredicate::ugt, lower, lookUp(lanes, table, upper));
    // Ordinary additions under a condition become subtractions of masks that
    // have to be made first.
    Value next =
        lanes.make<LLVM::UAddSat>(code.getType(), code, lanes.integer(code, 1));
    code = lanes.select(isAbove, next, code);
  }
  return code;
}

/// The codes of the magnitudes of f16.
static Value encodeHalfMagnitudes(Lanes &lanes, Value bits, Steps steps) {
  steps.starts.resize(steps.infinityCode, steps.infinity);
  steps.starts.resize(steps.nanCode, steps.infinity + 1);
  return climb(lanes, Segments(steps.starts, /*lowerBits=*/8),
               getUpperBytes(lanes, bits), getLowerBytes(lanes, bits));
}

/// The codes of the magnitudes of bf16.
static Value encodeBFloatMagnitudes(Lanes &lanes, Value bits, Steps steps,
                                    NaNs nans) {
  unsigned first = steps.starts.front() - 1, lowerBits = 0;
  // The last segment is for what is beyond the last step.
  while ((steps.starts.back() - (first >> lowerBits << lowerBits)) >>
         lowerBits >= kSegments - 1)
    ++lowerBits;
  unsigned origin = first >> lowerBits << lowerBits;
  for (unsigned &start : steps.starts)
    start -= origin;

  Value magnitude = lanes.bitAnd(bits, 0x7FFF);
  Value position = lanes.make<LLVM::USubSat>(magnitude.getType(), magnitude,
                                             lanes.integer(magnitude, origin));
  position = lanes.make<arith::MinUIOp>(
      position, lanes.integer(position, (kSegments << lowerBits) - 1));
  position = lanes.shl(position, 8 - lowerBits);
  Value code =
      climb(lanes, Segments(steps.starts, lowerBits),
            getUpperBytes(lanes, position), getLowerBytes(lanes, position));
  unsigned highest =
      steps.infinityCode == steps.nanCode ? steps.infinity - 1 : steps.infinity;
  if (nans == NaNs::None && highest == steps.infinity)
    return code;
  Value isNaN = lanes.compare(CmpIPredicate::ugt, magnitude, highest);
  return lanes.select(isNaN, steps.nanCode, code);
}

/// C6, C8
static Value putSign(Lanes &lanes, Value code, Value upper,
                     const FloatFormat &to) {
  Value sign = lanes.bitAnd(
      to.width < 8 ? lanes.shrU(upper, 8 - to.width) : upper, to.signMask());
  if (!to.isFNUZ)
    return lanes.make<arith::XOrIOp>(code, sign);
  Value isZero = lanes.compare(CmpIPredicate::eq, code, 0);
  return lanes.select(isZero, code, lanes.make<arith::OrIOp>(code, sign));
}

Value x86::encodeByTables(Lanes &whole, Value part,
                          const Conversion &conversion) {
  Lanes lanes = whole.withShapeOf(part);
  Steps steps(cast<FloatType>(conversion.from), conversion.to,
              conversion.semantics);
  Value bits = lanes.toBits(part);
  Value code = conversion.from.isF16()
                   ? encodeHalfMagnitudes(lanes, bits, std::move(steps))
                   : encodeBFloatMagnitudes(lanes, bits, std::move(steps),
                                            conversion.nans);
  return putSign(lanes, code, getUpperBytes(lanes, bits),
                 FloatFormat(conversion.to));
}
