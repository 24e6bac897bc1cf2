//===- EncodeByTables.cpp - Encode f16 and bf16 by table lookup -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of 2^16 entries is too large. But the encodings are a step function
// of the magnitude, with few steps in a segment of magnitudes that have the
// same upper 7 bits. An instruction of AVX-512 VBMI looks up 64 bytes in a
// table of 128 bytes. It looks up the encoding at the start of the segment, and
// the positions of the steps:
//
//   encoding = first[upper] + (lower > step1[upper]) + (lower > step2[upper])
//
// for 64 elements at once, all in bytes. No format needs special cases:
// subnormals, ties, overflow, infinity and NaN of f16 are steps like all
// others.
//
// bf16 has more exponents. Its magnitudes are counted from the first segment
// with a step, so that 7 bits are sufficient up to the last step. Comparisons
// detect NaNs, which are far above it.
//
//===----------------------------------------------------------------------===//

#include "../SIMD/StepFunction.h"
#include "Instructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::simd;
using arith::CmpIPredicate;

/// The number of bytes of a register, which is also the number of results of
/// one lookup.
static constexpr unsigned kElements = 64;
static constexpr unsigned kSegments = 128;

namespace {
using Table = std::array<uint8_t, kSegments>;

/// A step function divided into segments.
struct Segments {
  /// `lowerBits` is the number of bits that distinguish magnitudes of a
  /// segment.
  Segments(ArrayRef<unsigned> starts, unsigned lowerBits);

  /// The encoding at the start of each segment.
  Table first;
  /// For each step, the largest lower bits before it, in the top bits of a
  /// byte; 255 in segments with fewer steps.
  SmallVector<Table> steps;
};
} // namespace

Segments::Segments(ArrayRef<unsigned> starts, unsigned lowerBits) {
  size_t encoding = 0;
  for (unsigned segment = 0; segment < kSegments; ++segment) {
    unsigned start = segment << lowerBits;
    for (; encoding < starts.size() && starts[encoding] <= start; ++encoding)
      ;
    first[segment] = encoding;
    for (size_t step = 0; encoding < starts.size() &&
                          starts[encoding] < start + (1u << lowerBits);
         ++step, ++encoding) {
      if (step == steps.size())
        steps.emplace_back().fill(0xFF);
      steps[step][segment] =
          ((starts[encoding] - start) << (8 - lowerBits)) - 1;
    }
  }
}

static Value makeTable(VectorBuilder &lanes, ArrayRef<uint8_t> bytes) {
  ArrayRef raw(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto type = VectorType::get(bytes.size(), lanes.getInt(8));
  return lanes.make<arith::ConstantOp>(
      DenseElementsAttr::getFromRawBuffer(type, raw));
}

/// Permutes the bytes of two registers.
static Value permute(VectorBuilder &lanes, Value low, Value indices,
                     Value high) {
  return LLVM::CallIntrinsicOp::create(lanes.getBuilder(), lanes.getLoc(),
                                       indices.getType(),
                                       lanes.getBuilder().getStringAttr(
                                           "llvm.x86.avx512.vpermi2var.qi.512"),
                                       ValueRange{low, indices, high})
      .getResult(0);
}

/// The top bits of `indices` are ignored.
static Value lookUp(VectorBuilder &lanes, const Table &table, Value indices) {
  ArrayRef<uint8_t> bytes(table);
  Value low = makeTable(lanes, bytes.take_front(kElements));
  Value high = makeTable(lanes, bytes.drop_front(kElements));
  return permute(lanes, low, indices, high);
}

/// Returns the upper bytes of i16.
static Value getUpperBytes(VectorBuilder &lanes, Value i16Vector) {
  Value bytes = lanes.make<vector::BitCastOp>(
      VectorType::get(2 * kElements, lanes.getInt(8)), i16Vector);
  SmallVector<int64_t> mask;
  for (unsigned i = 0; i < kElements; ++i)
    mask.push_back(2 * i + 1);
  return lanes.make<vector::ShuffleOp>(bytes, bytes, mask);
}

/// Returns the lower bytes of i16. LLVM would lower a shuffle to two
/// truncations and a concatenation.
static Value getLowerBytes(VectorBuilder &lanes, Value i16Vector) {
  SmallVector<uint8_t> indices;
  for (unsigned i = 0; i < kElements; ++i)
    indices.push_back(2 * i);
  auto getRegister = [&](int64_t offset) -> Value {
    return lanes.make<vector::BitCastOp>(
        VectorType::get(kElements, lanes.getInt(8)),
        lanes.make<vector::ExtractStridedSliceOp>(i16Vector, offset,
                                                  kElements / 2, 1));
  };
  return permute(lanes, getRegister(0), makeTable(lanes, indices),
                 getRegister(kElements / 2));
}

/// Returns the encoding of each magnitude. `lower` are its lower bits.
static Value lookUpEncoding(VectorBuilder &lanes, const Segments &segments,
                            Value upper, Value lower) {
  Value encoding = lookUp(lanes, segments.first, upper);
  for (const Table &table : segments.steps) {
    Value isAbove =
        lanes.compare(CmpIPredicate::ugt, lower, lookUp(lanes, table, upper));
    // LLVM converts a conditional ordinary addition to the subtraction of a
    // mask, which has to be created first.
    Value next = lanes.make<LLVM::UAddSat>(encoding.getType(), encoding,
                                           lanes.integer(encoding, 1));
    encoding = lanes.select(isAbove, next, encoding);
  }
  return encoding;
}

/// Returns the encodings of magnitudes of f16.
static Value encodeHalfMagnitudes(VectorBuilder &lanes, Value bits,
                                  Steps steps) {
  steps.starts.resize(steps.infinityEncoding, steps.infinity);
  steps.starts.resize(steps.nanEncoding, steps.infinity + 1);
  return lookUpEncoding(lanes, Segments(steps.starts, /*lowerBits=*/8),
                        getUpperBytes(lanes, bits), getLowerBytes(lanes, bits));
}

/// Returns the encodings of magnitudes of bf16.
static Value encodeBFloatMagnitudes(VectorBuilder &lanes, Value bits,
                                    Steps steps, NaNs nans) {
  unsigned first = steps.starts.front() - 1, lowerBits = 0;
  // The last segment contains the magnitudes beyond the last step.
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
  Value encoding = lookUpEncoding(lanes, Segments(steps.starts, lowerBits),
                                  getUpperBytes(lanes, position),
                                  getLowerBytes(lanes, position));
  unsigned highest = steps.infinityEncoding == steps.nanEncoding
                         ? steps.infinity - 1
                         : steps.infinity;
  if (nans == NaNs::None && highest == steps.infinity)
    return encoding;
  Value isNaN = lanes.compare(CmpIPredicate::ugt, magnitude, highest);
  return lanes.select(isNaN, steps.nanEncoding, encoding);
}

/// Sets the sign (C6, C8).
static Value putSign(VectorBuilder &lanes, Value encoding, Value upper,
                     const FloatFormat &to) {
  Value sign = lanes.bitAnd(
      to.width < 8 ? lanes.shrU(upper, 8 - to.width) : upper, to.signMask());
  if (!to.isFNUZ)
    return lanes.make<arith::XOrIOp>(encoding, sign);
  Value isZero = lanes.compare(CmpIPredicate::eq, encoding, 0);
  return lanes.select(isZero, encoding,
                      lanes.make<arith::OrIOp>(encoding, sign));
}

Value x86::encodeByTables(VectorBuilder &vectors, Value part,
                          const Conversion &conversion) {
  VectorBuilder lanes = vectors.withShapeOf(part);
  Steps steps(cast<FloatType>(conversion.from), conversion.to,
              conversion.semantics);
  Value bits = lanes.toBits(part);
  Value encoding = conversion.from.isF16()
                       ? encodeHalfMagnitudes(lanes, bits, std::move(steps))
                       : encodeBFloatMagnitudes(lanes, bits, std::move(steps),
                                                conversion.nans);
  return putSign(lanes, encoding, getUpperBytes(lanes, bits),
                 FloatFormat(conversion.to));
}
