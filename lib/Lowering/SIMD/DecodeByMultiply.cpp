//===- DecodeByMultiply.cpp - Decode narrow floats by multiplication ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SSE2 has no table lookup, but it converts integers to floats. A number is
// computed as its significand, an integer, times a power of two, of which only
// exponent and sign bits are nonzero:
//
//   exponent = max(magnitude & exponent mask, 2^M)
//   significand = magnitude - exponent + 2^M
//
// The maximum gives subnormals the exponent of the smallest normal numbers.
// Both fit in bytes, and unpacking converts them to upper halves of f32 and to
// i32. No operand is a subnormal f32. An unlikely branch handles infinity and
// NaN.
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

// The exponent bias of f32.
static constexpr int kBias = 127;

namespace {
/// Decodes a register of encodings.
class MultiplyDecoder : ByteRegister {
public:
  MultiplyDecoder(VectorBuilder &lanes, Value encodings,
                  const Conversion &conversion)
      : ByteRegister(lanes, encodings), encodings(encodings),
        from(conversion.from), unpacker(lanes, encodings),
        zero(bytes.integer(encodings, 0)) {}

  /// Returns four registers of f32.
  SmallVector<Value, 4> decode();
  Value hasSpecials();
  /// Converts f32 to bf16, which represents all values exactly, and bf16 to
  /// f16, whose normal numbers must include all nonzero values.
  SmallVector<Value, 2> narrowToBFloat(ArrayRef<Value> floats);
  Value narrowToHalf(Value bfloats);

  Unpacker &getUnpacker() { return unpacker; }

private:
  Value encodings;
  FloatFormat from;
  Unpacker unpacker;
  Value zero;
};
} // namespace

SmallVector<Value, 4> MultiplyDecoder::decode() {
  uint64_t one = uint64_t(1) << from.mantissaBits;
  Value magnitude = bytes.bitAnd(encodings, from.magnitudeMask());
  Value exponent = bytes.make<arith::MaxUIOp>(
      bytes.bitAnd(magnitude, ~(one - 1)), bytes.integer(encodings, one));
  Value significand =
      bytes.add(bytes.make<arith::SubIOp>(magnitude, exponent), one);
  Value sign = bytes.bitAnd(
      from.width < 8 ? bytes.shl(encodings, 8 - from.width) : encodings, 0x80);
  // The exponent field and the sign of f32. The mask removes copies of the sign
  // between them.
  Value top = bytes.make<arith::OrIOp>(exponent, sign);
  uint64_t mask =
      0x8000 | (from.magnitudeMask() & ~(one - 1)) << 7 >> from.mantissaBits;
  uint64_t bias = uint64_t(kBias - from.bias - int(from.mantissaBits)) << 7;

  FloatType f32 = bytes.getBuilder().getF32Type();
  SmallVector<Value, 4> results;
  for (auto [upper, integers] :
       llvm::zip_equal(unpacker.unpack(zero, top, 1),
                       unpacker.unpack(significand, zero, 1))) {
    Value power = unpacker.withElements(upper, 2);
    VectorBuilder i16Vectors = bytes.withShapeOf(power);
    power =
        i16Vectors.bitAnd(i16Vectors.shrS(power, 1 + from.mantissaBits), mask);
    power = i16Vectors.add(power, bias);
    for (auto [wide, integer] :
         llvm::zip_equal(unpacker.unpack(zero, power, 2),
                         unpacker.unpack(integers, zero, 2))) {
      Value bits = unpacker.withElements(wide, 4);
      VectorBuilder lanes = bytes.withShapeOf(bits);
      Value number = lanes.convert<arith::SIToFPOp>(
          unpacker.withElements(integer, 4), f32);
      results.push_back(
          lanes.make<arith::MulFOp>(number, lanes.bitcast(bits, f32)));
    }
  }
  return results;
}

/// Returns whether any encoding is infinity or NaN; null if the format has
/// neither.
Value MultiplyDecoder::hasSpecials() {
  if (from.isFNUZ && !from.isBinary)
    return any(bytes.compare(CmpIPredicate::eq, encodings, from.nanEncoding));
  if (from.isFNUZ) {
    Value encoding = bytes.shl(encodings, 8 - from.width);
    Value isNaN = bytes.compare(CmpIPredicate::eq, encoding, 0x80);
    if (!from.hasInfinity)
      return any(isNaN);
    Value isInfinite = bytes.compare(
        CmpIPredicate::eq, bytes.bitAnd(encodings, from.magnitudeMask()),
        from.infinityEncoding);
    return any(bytes.make<arith::OrIOp>(isNaN, isInfinite));
  }
  if (from.maxEncoding == from.magnitudeMask())
    return {};
  Value magnitude = bytes.bitAnd(encodings, from.magnitudeMask());
  return any(bytes.compare(CmpIPredicate::sgt, magnitude, from.maxEncoding));
}

SmallVector<Value, 2> MultiplyDecoder::narrowToBFloat(ArrayRef<Value> floats) {
  SmallVector<Value, 2> i16Vectors;
  for (unsigned i : {0, 2}) {
    VectorBuilder lanes = bytes.withShapeOf(floats[i]);
    i16Vectors.push_back(
        packUpperToI16({lanes.toBits(floats[i]), lanes.toBits(floats[i + 1])}));
  }
  return i16Vectors;
}

Value MultiplyDecoder::narrowToHalf(Value bfloats) {
  VectorBuilder lanes = bytes.withShapeOf(bfloats);
  Value magnitude = lanes.bitAnd(bfloats, 0x7FFF);
  // Zero remains zero.
  Value moved = lanes.make<LLVM::USubSat>(
      magnitude.getType(), magnitude,
      lanes.integer(magnitude, uint64_t(kBias - 15) << 7));
  return lanes.make<arith::OrIOp>(lanes.shl(moved, 3),
                                  lanes.bitAnd(bfloats, 0x8000));
}

Value simd::decodeByMultiply(VectorBuilder &vectors, Value encodings,
                             const Conversion &conversion) {
  VectorBuilder lanes = vectors.withShapeOf(encodings);
  auto to = cast<FloatType>(conversion.to);
  if (to.isF16() && areHalves(conversion.from))
    return decodeHalves(lanes, encodings, FloatFormat(conversion.from),
                        conversion.nanMatters);
  MultiplyDecoder decoder(lanes, encodings, conversion);
  SmallVector<Value> parts(decoder.decode());
  Value result;
  if (to.getWidth() >= 32) {
    result =
        decoder.getUnpacker().join(parts, Float32Type::get(to.getContext()));
    if (to.isF64())
      result = lanes.convert<arith::ExtFOp>(result, to);
  } else {
    SmallVector<Value> i16Vectors(decoder.narrowToBFloat(parts));
    if (to.isF16())
      for (Value &i16Vector : i16Vectors)
        i16Vector = decoder.narrowToHalf(i16Vector);
    result = decoder.getUnpacker().join(i16Vectors, to);
  }
  Value isRare = decoder.hasSpecials();
  if (!isRare)
    return result;
  return replaceRarely(lanes, isRare, result, [&]() -> SmallVector<Value> {
    return {lanes.bitcast(
        expandCast(lanes, encodings, conversion.from, to, conversion.semantics),
        to)};
  })[0];
}
