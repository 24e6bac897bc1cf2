//===- DecodeByProducts.cpp - Narrow floats to wider ones by products -----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SSE2 looks nothing up. What it has is a conversion of integers, so that a
// number is its significand, an integer, times a power of two, of which all
// bits but the exponent's and the sign's are zero:
//
//   exponent = max(magnitude & exponent mask, 2^M)     (subnormals have that
//   significand = magnitude - exponent + 2^M            of the first normals)
//
// Both are bytes, and become upper halves of f32 and integers on their way to
// 32 bits. No operand is a subnormal f32. For codes of infinity and NaN there
// is a branch.
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

// Of f32.
static constexpr int kBias = 127;

namespace {
/// Works on a register of codes.
class ProductDecoder : ByteRegister {
public:
  ProductDecoder(Lanes &lanes, Value codes, const Conversion &conversion)
      : ByteRegister(lanes, codes), codes(codes), from(conversion.from),
        unpacker(lanes, codes), zero(bytes.integer(codes, 0)) {}

  /// Four registers of f32.
  SmallVector<Value, 4> decode();
  Value hasSpecials();
  /// Of f32 those of bf16, exactly, and of f16, where all numbers but zero are
  /// normal ones of those.
  SmallVector<Value, 2> narrowToBFloat(ArrayRef<Value> floats);
  Value narrowToHalf(Value bfloats);

  Unpacker &getUnpacker() { return unpacker; }

private:
  Value codes;
  FloatFormat from;
  Unpacker unpacker;
  Value zero;
};
} // namespace

SmallVector<Value, 4> ProductDecoder::decode() {
  uint64_t one = uint64_t(1) << from.mantissaBits;
  Value magnitude = bytes.bitAnd(codes, from.magnitudeMask());
  Value exponent = bytes.make<arith::MaxUIOp>(
      bytes.bitAnd(magnitude, ~(one - 1)), bytes.integer(codes, one));
  Value significand =
      bytes.add(bytes.make<arith::SubIOp>(magnitude, exponent), one);
  Value sign = bytes.bitAnd(
      from.width < 8 ? bytes.shl(codes, 8 - from.width) : codes, 0x80);
  // The fields of f32, the sign's copies between them cut out.
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
    Lanes words = bytes.withShapeOf(power);
    power = words.bitAnd(words.shrS(power, 1 + from.mantissaBits), mask);
    power = words.add(power, bias);
    for (auto [wide, integer] :
         llvm::zip_equal(unpacker.unpack(zero, power, 2),
                         unpacker.unpack(integers, zero, 2))) {
      Value bits = unpacker.withElements(wide, 4);
      Lanes lanes = bytes.withShapeOf(bits);
      Value number = lanes.convert<arith::SIToFPOp>(
          unpacker.withElements(integer, 4), f32);
      results.push_back(
          lanes.make<arith::MulFOp>(number, lanes.bitcast(bits, f32)));
    }
  }
  return results;
}

/// Whether any code is none of a number; null if there are none such.
Value ProductDecoder::hasSpecials() {
  if (from.isFNUZ)
    return any(bytes.compare(CmpIPredicate::eq, codes, from.nanCode));
  if (from.maxCode == from.magnitudeMask())
    return {};
  Value magnitude = bytes.bitAnd(codes, from.magnitudeMask());
  return any(bytes.compare(CmpIPredicate::sgt, magnitude, from.maxCode));
}

SmallVector<Value, 2> ProductDecoder::narrowToBFloat(ArrayRef<Value> floats) {
  SmallVector<Value, 2> words;
  for (unsigned i : {0, 2}) {
    Lanes lanes = bytes.withShapeOf(floats[i]);
    words.push_back(
        packUpperWords({lanes.toBits(floats[i]), lanes.toBits(floats[i + 1])}));
  }
  return words;
}

Value ProductDecoder::narrowToHalf(Value bfloats) {
  Lanes lanes = bytes.withShapeOf(bfloats);
  Value magnitude = lanes.bitAnd(bfloats, 0x7FFF);
  // Zero stays zero.
  Value moved = lanes.make<LLVM::USubSat>(
      magnitude.getType(), magnitude,
      lanes.integer(magnitude, uint64_t(kBias - 15) << 7));
  return lanes.make<arith::OrIOp>(lanes.shl(moved, 3),
                                  lanes.bitAnd(bfloats, 0x8000));
}

Value registers::decodeByProducts(Lanes &whole, Value codes,
                                  const Conversion &conversion) {
  Lanes lanes = whole.withShapeOf(codes);
  auto to = cast<FloatType>(conversion.to);
  if (to.isF16() && areHalves(conversion.from))
    return decodeHalves(lanes, codes, FloatFormat(conversion.from),
                        conversion.nanMatters);
  ProductDecoder decoder(lanes, codes, conversion);
  SmallVector<Value> parts(decoder.decode());
  Value result;
  if (to.getWidth() >= 32) {
    result =
        decoder.getUnpacker().join(parts, Float32Type::get(to.getContext()));
    if (to.isF64())
      result = lanes.convert<arith::ExtFOp>(result, to);
  } else {
    SmallVector<Value> words(decoder.narrowToBFloat(parts));
    if (to.isF16())
      for (Value &word : words)
        word = decoder.narrowToHalf(word);
    result = decoder.getUnpacker().join(words, to);
  }
  Value isRare = decoder.hasSpecials();
  if (!isRare)
    return result;
  return replaceRarely(lanes, isRare, result, [&]() -> SmallVector<Value> {
    return {lanes.bitcast(
        expandCast(lanes, codes, conversion.from, to, conversion.semantics),
        to)};
  })[0];
}
