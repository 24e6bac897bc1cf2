//===- CastByRandomBits.cpp - Stochastic rounding -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "StorageUnits.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/Stochastic.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

static bool isSource(const Format &from) {
  return from.kind == FormatKind::IEEE && from.width <= 32;
}

static bool isDestination(const Format &to) {
  return to.kind == FormatKind::Narrow ||
         (to.kind == FormatKind::IEEE && to.width == 16);
}

bool reference::isRandomBits(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isUnsigned() && getFormat(type) &&
         integer.getWidth() <= 16;
}

bool reference::canCastByRandomBits(Type from, Type random, Type to) {
  std::optional<Format> source = getFormat(from), destination = getFormat(to);
  return source && destination && isSource(*source) &&
         isDestination(*destination) && isRandomBits(random);
}

/// Rounds |value| stochastically (S2). Returns the magnitude that would be its
/// encoding if there were no maximum: the lower neighbor, or the upper one if
/// the sum of the k-bit fraction and the random bits carries.
static APInt roundMagnitude(unsigned mantissaBits, int minNormalExponent,
                            const APFloat &value, const APInt &random) {
  unsigned k = random.getBitWidth();
  int exponent = std::max(ilogb(value), minNormalExponent);
  int unitExponent = exponent - int(mantissaBits);
  APFloat scaled =
      scalbn(abs(value), int(k) - unitExponent, APFloat::rmNearestTiesToEven);
  APSInt units(64, /*isUnsigned=*/true);
  bool isExact;
  scaled.convertToInteger(units, APFloat::rmTowardZero, &isExact);
  APInt significand = (units + random.zext(64)).lshr(k);
  uint64_t steps =
      uint64_t(unitExponent + int(mantissaBits) - minNormalExponent);
  return significand + APInt(64, steps << mantissaBits);
}

APInt reference::roundToNarrowByRandomBits(const Format &to,
                                           const APFloat &value,
                                           const APInt &random,
                                           const CastOptions &options) {
  if (value.isNaN() || value.isInfinity() || value.isZero())
    return roundToNarrow(to, value, options);
  APInt magnitude =
      roundMagnitude(to.mantissaBits, to.minNormalExponent, value, random);
  return finishNarrow(to, magnitude, value.isNegative(), options);
}

APInt reference::castElementByRandomBits(Type from, Type to, const APInt &bits,
                                         const APInt &random,
                                         const CastOptions &options) {
  if (options.projection)
    return project(*getFormat(from), *getFormat(to), bits, *options.projection,
                   &random);
  // A cast to the same type is the identity (V7).
  if (from == to)
    return bits;
  Format destination = *getFormat(to);
  APFloat value = decode(*getFormat(from), bits);
  if (destination.kind != FormatKind::IEEE)
    return roundToNarrowByRandomBits(destination, value, random, options);
  if (value.isNaN() || value.isInfinity() || value.isZero())
    return roundToIEEE(destination, value);
  // Overflow gives infinity (C2).
  const llvm::fltSemantics &semantics = *destination.semantics;
  APInt magnitude =
      roundMagnitude(APFloat::semanticsPrecision(semantics) - 1,
                     APFloat::semanticsMinExponent(semantics), value, random)
          .trunc(32);
  APInt infinity = APFloat::getInf(semantics).bitcastToAPInt().zext(32);
  APInt encoding =
      (magnitude.ugt(infinity) ? infinity : magnitude).trunc(destination.width);
  if (value.isNegative())
    encoding.setSignBit();
  return encoding;
}

LogicalResult reference::castBufferByRandomBits(Type from, Type random, Type to,
                                                ArrayRef<char> in,
                                                ArrayRef<char> bits,
                                                MutableArrayRef<char> out,
                                                const CastOptions &options) {
  bool isPossible =
      options.projection
          ? isProjectable(from) && isRandomBits(random) && isProjectable(to)
          : canCastByRandomBits(from, random, to);
  if (!isPossible)
    return failure();
  Format source = *getFormat(from), destination = *getFormat(to),
         integer = *getFormat(random);
  size_t count = in.size() / getSlotSize(source);
  if (count * getSlotSize(source) != in.size() ||
      count * getSlotSize(integer) != bits.size() ||
      count * getSlotSize(destination) != out.size())
    return failure();
  for (size_t i = 0; i < count; ++i)
    storeElement(destination, out, i,
                 castElementByRandomBits(from, to, loadElement(source, in, i),
                                         loadElement(integer, bits, i),
                                         options));
  return success();
}
