//===- EncodeByProducts.cpp - f32 to narrow floats by pmaddwd -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in EncodeFloat.cpp, one fused multiply-add rounds a magnitude:
//
//   t = max(2^e, 2^minExponent)
//   r = t * 2^(23 - M) + magnitude
//
// The lower half of r has the significand with its leading one, s, the upper
// half r's exponent field E above 7 zeros, and the code is a sum of both:
//
//   lower * 2^(7 - M) + upper = (s + E * 2^M) * 2^(7 - M)
//
// which pmaddwd computes. What E * 2^M counts too much is part of the factor,
// as there, and so is what brings the code of overflow to 255: from there on
// packs saturate, up to infinity. Only NaNs have to be looked for; they have a
// branch.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Instructions.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::x86;

// Of f32.
static constexpr int kBias = 127;
static constexpr unsigned kMantissaBits = 23;
static constexpr uint64_t kMagnitudeMask = 0x7FFFFFFF;
static constexpr uint64_t kExponentMask = 0x7F800000;

/// The factor of t, for sums in which `excess` is added to codes.
static APFloat getFactor(const FloatFormat &to, int excess) {
  unsigned dropped = kMantissaBits - to.mantissaBits;
  int smallest = to.minExponent + kBias + int(dropped);
  int correction = excess - (smallest << to.mantissaBits);
  // An odd number would turn ties the other way: one code is added to the
  // exponent field.
  uint32_t upper = 0;
  if (correction & 1) {
    --correction;
    upper = 1u << (7 - to.mantissaBits);
  }
  uint32_t bits = uint32_t(kBias + dropped) << kMantissaBits | upper << 16 |
                  (correction & 0xFFFF);
  return APFloat(APFloat::IEEEsingle(), APInt(32, bits));
}

namespace {
/// Works on a register of codes.
class ProductEncoder : ByteRegister {
public:
  using ByteRegister::ByteRegister;

  Value encode(Value bits, const Conversion &conversion);

private:
  Value round(Lanes &lanes, Value bits, const FloatFormat &to,
              const APFloat &factor);
  Value putNaNs(ArrayRef<Value> registers, Value codes, unsigned nanCode,
                bool infinityIsNaN);
};
} // namespace

/// `nanCode` for NaNs, if there are any.
Value ProductEncoder::putNaNs(ArrayRef<Value> registers, Value codes,
                              unsigned nanCode, bool infinityIsNaN) {
  Lanes lanes = bytes.withShapeOf(registers[0]);
  SmallVector<Value, 4> isNaN;
  for (Value part : registers)
    isNaN.push_back(lanes.compare(arith::CmpIPredicate::sgt,
                                  lanes.bitAnd(part, kMagnitudeMask),
                                  kExponentMask - infinityIsNaN));
  Value hasNaN;
  if (infinityIsNaN) {
    Value isAny = isNaN[0];
    for (Value other : ArrayRef(isNaN).drop_front())
      isAny = lanes.make<arith::OrIOp>(isAny, other);
    hasNaN = any(isAny);
  } else {
    hasNaN = anyUnordered(registers);
  }
  return replaceRarely(bytes, hasNaN, codes, [&]() -> SmallVector<Value> {
    SmallVector<Value, 4> masks;
    for (Value condition : isNaN)
      masks.push_back(
          lanes.convert<arith::ExtSIOp>(condition, lanes.getInt(32)));
    Value mask = pack(masks, /*isUnsigned=*/false);
    Value others = bytes.make<arith::AndIOp>(
        codes, bytes.make<arith::XOrIOp>(mask, bytes.integer(mask, 0xFF)));
    return {addWhere(mask, others, nanCode)};
  })[0];
}

/// Of 32 bits each: (code + excess) * 2^(7 - M), or more than fits.
Value ProductEncoder::round(Lanes &lanes, Value bits, const FloatFormat &to,
                            const APFloat &factor) {
  FloatType f32 = lanes.getBuilder().getF32Type();
  Value smallest = lanes.powerOfTwo(f32, to.minExponent);
  Value power = lanes.make<arith::MaxSIOp>(lanes.bitAnd(bits, kExponentMask),
                                           lanes.toBits(smallest));
  Value magnitude = lanes.bitcast(lanes.bitAnd(bits, kMagnitudeMask), f32);
  Value sum = lanes.multiplyAdd(lanes.bitcast(power, f32),
                                lanes.number(f32, factor), magnitude);
  auto type = cast<VectorType>(bits.getType());
  auto halvesType =
      VectorType::get(2 * type.getNumElements(), lanes.getInt(16));
  SmallVector<int16_t> factors;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    factors.append({int16_t(1 << (7 - to.mantissaBits)), 1});
  Value halves = lanes.make<vector::BitCastOp>(halvesType, lanes.toBits(sum));
  Value constant = lanes.make<arith::ConstantOp>(
      DenseElementsAttr::get(halvesType, ArrayRef<int16_t>(factors)));
  return call("pmadd.wd", type, {halves, constant});
}

Value ProductEncoder::encode(Value bits, const Conversion &conversion) {
  FloatFormat to(conversion.to);
  // C3, C8
  bool saturate = conversion.semantics.saturate || !to.hasNaN;
  unsigned overflowCode = to.maxCode + !saturate, excess = 0xFF - overflowCode;
  APFloat factor = getFactor(to, excess);

  SmallVector<Value, 4> registers = split(bits), products;
  SmallVector<Value, 4> signs =
      conversion.signBits ? split(conversion.signBits) : registers;
  Lanes lanes = bytes.withShapeOf(registers[0]);
  for (Value part : registers)
    products.push_back(round(lanes, part, to, factor));
  SmallVector<Value, 2> words;
  for (unsigned i : {0, 2}) {
    Value pair = packWords(ArrayRef(products).slice(i, 2));
    words.push_back(bytes.withShapeOf(pair).shrU(pair, 7 - to.mantissaBits));
  }
  Value codes = pack(words, /*isUnsigned=*/true);

  // C4, C5, C8. A NaN gave anything.
  bool infinityIsNaN =
      to.isFNUZ && saturate && conversion.semantics.infinityIsNaN;
  uint64_t nanCode = to.hasNaN ? to.nanCode : to.signMask();
  if (conversion.failures)
    conversion.failures->push_back(anyUnordered(registers));
  else if (infinityIsNaN || conversion.nans != NaNs::None)
    codes = putNaNs(registers, codes, uint8_t(nanCode + excess), infinityIsNaN);
  return inOrder(putSign(codes, excess, signs, to), registers.size());
}

Value x86::encodeByProducts(Lanes &lanes, Value part,
                            const Conversion &conversion) {
  Value bits = lanes.withShapeOf(part).toBits(part);
  return ProductEncoder(lanes, bits).encode(bits, conversion);
}
