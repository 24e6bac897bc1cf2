//===- Conversion.cpp - Certified conversions -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Conversion.h"

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Conversion::Kind;

std::optional<RandomBits> Conversion::getRandomBits(uint64_t bits) const {
  if (!random)
    return std::nullopt;
  return RandomBits{random->bits, bits};
}

std::optional<TensorLevel>
Conversion::getTensorLevel(uint64_t zeroPoint) const {
  if (!hasZeroPoint)
    return std::nullopt;
  return TensorLevel{isTensorAmax, zeroPoint};
}

/// Returns the type that a quantization produces.
static const Format &getStored(const Conversion &conversion) {
  return conversion.kind == Kind::Qdq ? *conversion.destination
                                      : *conversion.to;
}

bool Conversion::hasSaturate() const {
  const Format &stored = getStored(*this);
  bool narrows =
      kind == Kind::Cast || kind == Kind::Quantize || kind == Kind::Qdq;
  return narrows && !rules.projection && from != &stored &&
         !stored.isInteger() && stored.kind != Format::Kind::Bool &&
         stored.kind != Format::Kind::String &&
         stored.overflow == Overflow::BySaturateAttribute;
}

bool Conversion::hasRoundMode() const {
  return kind == Kind::Cast && hasSaturate() && to->kind == Format::Kind::Scale;
}

const Format &Conversion::getZeroPointFormat() const {
  switch (kind) {
  case Kind::Quantize:
    return *to;
  case Kind::Qdq:
    return *destination;
  case Kind::BlockScale:
  case Kind::BlockElements:
  case Kind::BlockDequantize:
    return *findFormat("f32");
  case Kind::Philox:
    return *findFormat("i64");
  default:
    return *from;
  }
}

uint64_t Conversion::getExpected(uint64_t encoding,
                                 const Parameters &parameters) const {
  uint64_t scaleEncoding = parameters.scale;
  std::optional<uint64_t> zero;
  if (hasZeroPoint)
    zero = parameters.zeroPoint;
  std::optional<RandomBits> bits = getRandomBits(parameters.random);
  std::optional<DraftProjection> projection = rules.projection;
  if (projection)
    projection->random = parameters.random;
  switch (kind) {
  case Kind::Cast: {
    CastRules own = rules;
    own.projection = projection;
    if (!projection)
      own.random = bits;
    return cast(*from, *to, encoding, own);
  }
  case Kind::Quantize:
    return quantize(*from, *scale, *to, *precision, encoding, scaleEncoding,
                    zero, rules.saturate, bits);
  case Kind::Dequantize:
    return dequantize(*from, *scale, *to, encoding, scaleEncoding, zero);
  case Kind::Qdq:
    return quantizeAndBack(*from, *scale, *destination, *precision, encoding,
                           scaleEncoding, zero, rules.saturate, bits);
  case Kind::TensorScale:
    return getTensorScale(encoding);
  case Kind::BlockScale:
    return getBlockScale(blockRule, *from, *destination, *to, encoding,
                         getTensorLevel(parameters.zeroPoint));
  case Kind::BlockElements:
    return BlockQuantizer(blockRule, *from, *scale, *to, scaleEncoding,
                          getTensorLevel(parameters.zeroPoint))
        .quantize(encoding, bits);
  case Kind::BlockDequantize:
    return dequantizeBlock(*from, *scale, *to, encoding, scaleEncoding, zero,
                           isTensorFirst);
  case Kind::ConvertToBlock:
    return convertToBlock(*from, *scale, *to, encoding, scaleEncoding,
                          *projection);
  case Kind::ConvertFromBlock:
    return convertFromBlock(*from, *scale, *to, encoding, scaleEncoding,
                            *projection);
  case Kind::Philox:
    return philox(to->bits, scaleEncoding, parameters.zeroPoint, encoding);
  case Kind::FakeConvert:
    break;
  }
  return fakeConvert(*from, *destination, encoding, scaleEncoding, zero,
                     fakeConvertRules);
}

bool Conversion::agrees(uint64_t encoding, const Parameters &parameters,
                        uint64_t expected, uint64_t actual) const {
  if (expected == actual)
    return true;
  // The bits of a projection are defined.
  if (kind == Kind::Cast || rules.projection || !to->isFloat())
    return false;
  uint64_t scaleEncoding = parameters.scale, zeroPoint = parameters.zeroPoint;
  if (decode(*to, expected).isNaN())
    return decode(*to, actual).isNaN();
  if (kind == Kind::FakeConvert) {
    FakeConvertRules other = fakeConvertRules;
    other.negativeNaN = !other.negativeNaN;
    return actual ==
           fakeConvert(*from, *destination, encoding, scaleEncoding,
                       hasZeroPoint ? std::optional(zeroPoint) : std::nullopt,
                       other);
  }
  if (kind == Kind::BlockElements)
    return (expected ^ actual) == to->getSignBit() &&
           BlockQuantizer(blockRule, *from, *scale, *to, scaleEncoding,
                          getTensorLevel(zeroPoint))
               .mayHaveEitherSign(encoding, random != nullptr);
  // Only the quotient of a quantization can have been NaN here.
  bool maySignDiffer = getStored(*this).isFloat() && precision &&
                       getStored(*this).specials == Specials::None;
  if (!maySignDiffer || (expected ^ actual) != to->getSignBit() ||
      !decode(*to, expected).isZero())
    return false;
  const Format &f32 = *findFormat("f32");
  return decode(f32, quantize(*from, *scale, f32, *precision, encoding,
                              scaleEncoding, std::nullopt, true))
      .isNaN();
}
