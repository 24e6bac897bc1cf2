//===- EncodeByMultiply.cpp - Encode narrow floats by multiplication ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in EncodeFloat.cpp, one multiplication and one addition round a magnitude.
// They are fused only in functions that flush subnormals:
//
//   t = max(2^e, 2^minExponent)
//   r = t * 2^(23 - M) + magnitude
//
// e is the exponent of the magnitude, minExponent that of the smallest normal
// number of the result type, and M its number of mantissa bits.
//
// The lower half of r contains the significand s including its leading one. The
// upper half contains the exponent field E of r above 7 zeros. The encoding
// follows from both:
//
//   lower * 2^(7 - M) + upper = (s + E * 2^M) * 2^(7 - M)
//
// For f8E4M3FN, M is 3: the encoding is in bits 4 to 10 of the sum.
//
// On x86, pmaddwd computes this. With AVX-512 VBMI, it computes a multiple
// whose upper byte, after saturation to i16, is the encoding, so that a byte
// permute selects the encodings. NEON separates the halves by UZP1 and UZP2 and
// adds the upper half, shifted right, to the lower one. As in EncodeFloat.cpp,
// the factor includes a correction for the excess of E * 2^M. It also includes
// an offset that gives overflow the encoding 255, so that the packs saturate
// all values from there to infinity. Only NaNs have to be detected: on x86 by
// an unlikely branch, on NEON unconditionally, because that takes no more
// instructions.
//
// bf16 are the upper halves of f32. f16, shifted by three bits, are f32 that
// are too small by a factor of 2^112, as are all constants that they are
// compared with. Normal f16 do not give subnormal f32. Subnormal f16 round to
// zero and are replaced by the smallest normal one.
//
//===----------------------------------------------------------------------===//

#include "ByteRegister.h"
#include "Sequences.h"
#include "Unpack.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::simd;
using arith::CmpIPredicate;

// Properties of f32.
static constexpr int kBias = 127;
static constexpr unsigned kMantissaBits = 23;
static constexpr uint64_t kMagnitudeMask = 0x7FFFFFFF;
static constexpr uint64_t kExponentMask = 0x7F800000;

// Properties of f16.
static constexpr uint64_t kSmallestNormalHalf = 0x0400;
static constexpr unsigned kExponentsOfHalf = 127 - 15;

/// Returns the factor of t for sums that add `excess` to the encodings.
static APFloat getFactor(const FloatFormat &to, int minExponent, int excess) {
  unsigned dropped = kMantissaBits - to.mantissaBits;
  int smallest = minExponent + kBias + int(dropped);
  int correction = excess - (smallest << to.mantissaBits);
  // An odd correction would round ties to odd. One is added to the exponent
  // field instead.
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
/// Computes a register of encodings.
class MultiplyEncoder : ByteRegister {
public:
  MultiplyEncoder(VectorBuilder &lanes, Value bits,
                  const Conversion &conversion);

  Value encode();

private:
  SmallVector<Value, 4> getMagnitudes();
  Value round(Value magnitude);
  Value combine(ArrayRef<Value> sums);
  Value getSigns();
  SmallVector<Value, 4> findNaNs(ArrayRef<Value> sums);
  SmallVector<Value> putNaNs(Value encodings, Value tops, ArrayRef<Value> sums);

  const Conversion &conversion;
  FloatFormat to;
  FloatType from, f32;
  Unpacker unpacker;
  /// The bits of the elements, and integers with their signs.
  SmallVector<Value, 4> registers, signs;
  /// The one of the two that contains the NaNs.
  ArrayRef<Value> nans;
  /// SSE2 has a maximum of floats, but not of i32.
  bool hasIntegerMaximum;
  /// C3, C8: whether overflow gives the maximum.
  bool saturate;
  /// C4: whether infinity gives NaN.
  bool infinityIsNaN;
  unsigned overflowEncoding, excess;
  /// Whether byte permutes select the encodings and signs in the order of the
  /// elements.
  bool byPermutes;
  /// The smallest exponent of `to`, scaled as the magnitudes.
  int minExponent;
  APFloat factor;
};
} // namespace

MultiplyEncoder::MultiplyEncoder(VectorBuilder &lanes, Value bits,
                                 const Conversion &conversion)
    : ByteRegister(lanes, bits), conversion(conversion), to(conversion.to),
      from(cast<FloatType>(conversion.from)),
      f32(lanes.getBuilder().getF32Type()), unpacker(bytes, bits),
      registers(split(bits)),
      signs(conversion.signBits ? split(conversion.signBits) : registers),
      nans(conversion.isMagnitude && !isNeon() ? signs : registers),
      hasIntegerMaximum(isNeon() || lanes.getTarget().vectorBytes > 16),
      saturate(conversion.semantics.saturate || !to.hasNaN),
      infinityIsNaN(to.isFNUZ && saturate &&
                    conversion.semantics.infinityIsNaN),
      overflowEncoding(to.maxEncoding + !saturate),
      excess(0xFF - overflowEncoding),
      byPermutes(lanes.getTarget().has(ConversionFeature::Avx512Vbmi) &&
                 from.isF32() && to.width == 8 &&
                 cast<VectorType>(bits.getType()).getNumElements() == 64),
      minExponent(to.minExponent - int(from.isF16() ? kExponentsOfHalf : 0)),
      factor(getFactor(to, minExponent, excess)) {}

/// Returns the magnitudes as f32. Those of f16 are scaled by 2^-112.
SmallVector<Value, 4> MultiplyEncoder::getMagnitudes() {
  SmallVector<Value, 4> magnitudes;
  for (Value part : registers) {
    VectorBuilder lanes = bytes.withShapeOf(part);
    if (from.isF32()) {
      Value value = lanes.bitcast(part, f32);
      magnitudes.push_back(
          conversion.isMagnitude ? value : lanes.make<math::AbsFOp>(value));
      continue;
    }
    Value magnitude = lanes.bitAnd(part, kMagnitudeMask >> 16);
    if (from.isF16())
      magnitude = lanes.make<arith::MaxSIOp>(
          magnitude, lanes.integer(magnitude, kSmallestNormalHalf));
    for (Value i16Vectors :
         unpacker.unpack(lanes.integer(magnitude, 0), magnitude, 2)) {
      Value wide = unpacker.withElements(i16Vectors, 4);
      VectorBuilder lanes = bytes.withShapeOf(wide);
      if (from.isF16())
        wide = lanes.shrU(wide, 16 - (kMantissaBits - 10));
      magnitudes.push_back(lanes.bitcast(wide, f32));
    }
  }
  return magnitudes;
}

/// Returns i32 with the significand in the lower half and the exponent above
/// it.
Value MultiplyEncoder::round(Value magnitude) {
  VectorBuilder lanes = bytes.withShapeOf(magnitude);
  Value power = lanes.bitAnd(lanes.toBits(magnitude), kExponentMask);
  Value smallest = lanes.powerOfTwo(f32, minExponent);
  if (hasIntegerMaximum) {
    power = lanes.bitcast(
        lanes.make<arith::MaxSIOp>(power, lanes.toBits(smallest)), f32);
  } else {
    power = lanes.bitcast(power, f32);
    power =
        lanes.select(lanes.compare(arith::CmpFPredicate::OGT, power, smallest),
                     power, smallest);
  }
  return lanes.toBits(lanes.addScaledPower(power, factor, magnitude));
}

/// Returns the encodings plus `excess` of two registers as i16. The results may
/// exceed a byte. If `byPermutes`, they are in the upper bytes, saturated.
Value MultiplyEncoder::combine(ArrayRef<Value> sums) {
  unsigned shift = 7 - to.mantissaBits;
  if (isNeon()) {
    Value lower = pickHalves(bytes, sums, /*isUpper=*/false);
    Value upper = pickHalves(bytes, sums, /*isUpper=*/true);
    VectorBuilder lanes = bytes.withShapeOf(upper);
    return lanes.make<arith::AddIOp>(lower, lanes.shrU(upper, shift));
  }
  auto type = cast<VectorType>(sums[0].getType());
  auto halvesType =
      VectorType::get(2 * type.getNumElements(), bytes.getInt(16));
  unsigned toUpper = byPermutes ? 8 - shift : 0;
  SmallVector<int16_t> factors;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    factors.append({int16_t(1 << (shift + toUpper)), int16_t(1 << toUpper)});
  Value constant = bytes.make<arith::ConstantOp>(
      DenseElementsAttr::get(halvesType, ArrayRef<int16_t>(factors)));
  SmallVector<Value, 2> products;
  for (Value sum : sums)
    products.push_back(
        call("pmadd.wd", type,
             {bytes.make<vector::BitCastOp>(halvesType, sum), constant}));
  if (byPermutes)
    return packToUnsignedI16(products);
  Value i16Vectors = packToI16(products);
  return bytes.withShapeOf(i16Vectors).shrU(i16Vectors, shift);
}

/// Returns for each element whether it is NaN. On NEON, returns whether it is
/// not NaN. There, upper halves are sufficient: those of the sums, whose NaNs
/// are quiet, or those of the elements if infinity gives NaN.
SmallVector<Value, 4> MultiplyEncoder::findNaNs(ArrayRef<Value> sums) {
  SmallVector<Value, 4> conditions;
  bool bySums = isNeon() && !infinityIsNaN, byI16 = isNeon() || !from.isF32();
  uint64_t infinity = FloatFormat(from).infinityEncoding;
  if (byI16 && from.isF32())
    infinity >>= 16;
  ArrayRef<Value> parts = bySums ? sums : nans;
  for (unsigned i = 0, step = isNeon() ? 2 : 1; i < parts.size(); i += step) {
    Value part =
        isNeon() ? pickHalves(bytes, parts.slice(i, 2), true) : parts[i];
    VectorBuilder lanes = bytes.withShapeOf(part);
    if (!bySums)
      part = lanes.bitAnd(part, byI16 ? kMagnitudeMask >> 16 : kMagnitudeMask);
    conditions.push_back(
        lanes.compare(isNeon() ? CmpIPredicate::sle : CmpIPredicate::sgt, part,
                      infinity - infinityIsNaN));
  }
  return conditions;
}

/// Replaces the results of NaNs (C4, C5, C8), which are unspecified. Returns
/// the encodings and, if `tops` is not null, the packed signs.
SmallVector<Value> MultiplyEncoder::putNaNs(Value encodings, Value tops,
                                            ArrayRef<Value> sums) {
  uint64_t nanEncoding = (to.hasNaN ? to.nanEncoding : to.signMask()) + excess;
  SmallVector<Value, 4> conditions = findNaNs(sums);
  VectorBuilder lanes = bytes.withShapeOf(conditions[0]);
  auto getMask = [&]() -> Value {
    SmallVector<Value, 4> masks;
    for (Value condition : conditions)
      masks.push_back(lanes.convert<arith::ExtSIOp>(
          condition, lanes.getInt(conditions.size() == 4 ? 32 : 16)));
    Value packed = packMasks(masks);
    return byPermutes ? inOrder(packed, registers.size()) : packed;
  };
  // TBX preserves the encoding if the mask is not an index of the table.
  if (isNeon())
    return {lookUpOver(bytes, encodings, uint8_t(nanEncoding), getMask())};
  Value hasNaN;
  if (infinityIsNaN || !from.isF32()) {
    Value isAny = conditions[0];
    for (Value other : ArrayRef(conditions).drop_front())
      isAny = lanes.make<arith::OrIOp>(isAny, other);
    hasNaN = any(isAny);
  } else {
    hasNaN = anyUnordered(nans);
  }
  SmallVector<Value, 2> usual = {encodings};
  if (tops)
    usual.push_back(tops);
  return replaceRarely(bytes, hasNaN, usual, [&]() -> SmallVector<Value> {
    Value mask = getMask();
    Value others = bytes.make<arith::AndIOp>(
        encodings, bytes.make<arith::XOrIOp>(mask, bytes.integer(mask, 0xFF)));
    if (tops)
      return {addWhere(mask, others, excess),
              bytes.make<arith::XOrIOp>(tops, mask)};
    return {addWhere(mask, others, uint8_t(nanEncoding))};
  });
}

Value MultiplyEncoder::encode() {
  SmallVector<Value, 4> sums;
  for (Value magnitude : getMagnitudes())
    sums.push_back(round(magnitude));
  SmallVector<Value, 2> i16Vectors;
  for (unsigned i : {0, 2})
    i16Vectors.push_back(combine(ArrayRef(sums).slice(i, 2)));
  SmallVector<Value> values = {byPermutes ? pickUpperInOrder(i16Vectors)
                                          : narrow(i16Vectors, 0)};
  // The excess sets all bits above the magnitude.
  bool hasAllAbove = !isNeon() && to.width < 8 && !to.hasNaN;
  if (hasAllAbove)
    values.push_back(packSigns(signs));
  if (infinityIsNaN || conversion.nans != NaNs::None)
    values = putNaNs(values[0], hasAllAbove ? values[1] : Value(), sums);
  Value encodings = hasAllAbove ? putSign(values[0], values[1], to)
                                : putSign(values[0], excess, getSigns(), to);
  return byPermutes ? encodings : inOrder(encodings, registers.size());
}

/// Returns bytes whose top bits are the signs, in the order of the encodings.
Value MultiplyEncoder::getSigns() {
  if (!byPermutes)
    return packSigns(signs);
  return pickUpperInOrder({packToI16(ArrayRef(signs).take_front(2)),
                           packToI16(ArrayRef(signs).drop_front(2))});
}

Value simd::encodeByMultiply(VectorBuilder &lanes, Value part,
                             const Conversion &conversion) {
  Value bits = lanes.withShapeOf(part).toBits(part);
  return MultiplyEncoder(lanes, bits, conversion).encode();
}
