//===- CastExpander.cpp - From source to destination ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastExpander.h"

#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

static bool isBool(Type type) { return type.isInteger(1); }

/// Callers may leave anything in the bits of a byte above a narrow integer; the
/// decoding of narrow floats drops them by itself.
static Value dropUnusedBits(Lanes &lanes, Value storage, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return storage;
  return isBool(type) ? lanes.bitAnd(storage, 1)
                      : wrapInteger(lanes, storage, integer);
}

Carrier quant_float::convertToCarrier(Lanes &lanes, Value storage, Type from,
                                      Type to) {
  storage = dropUnusedBits(lanes, storage, from);
  auto fromInteger = dyn_cast<IntegerType>(from);
  Carrier carrier = fromInteger
                        ? convertInteger(lanes, storage, fromInteger, to)
                        : decodeFloat(lanes, storage, from);
  if (getNumberWidth(to) < 32 && getElementTypeOrSelf(carrier.value).isF64())
    carrier.value = roundToOdd(lanes, carrier.value);
  return carrier;
}

Value quant_float::expandCast(Lanes &lanes, Value storage, Type from, Type to,
                              const CastSemantics &semantics) {
  // V7
  if (from == to)
    return storage;
  if (!isNumber(from) || !isNumber(to))
    return {};

  if (isBool(to))
    return testNonZero(lanes, dropUnusedBits(lanes, storage, from), from);
  if (auto toInteger = dyn_cast<IntegerType>(to)) {
    auto fromInteger = dyn_cast<IntegerType>(from);
    if (!fromInteger)
      return truncateToInteger(lanes, decodeFloat(lanes, storage, from),
                               toInteger);
    storage = dropUnusedBits(lanes, storage, from);
    bool isSigned = !fromInteger.isUnsigned() && !isBool(from);
    unsigned width = std::max(toInteger.getWidth(), 8u);
    return wrapInteger(lanes, lanes.resize(storage, width, isSigned),
                       toInteger);
  }

  Carrier carrier = convertToCarrier(lanes, storage, from, to);
  if (isStandardFloat(to))
    return encodeStandardFloat(lanes, carrier, cast<FloatType>(to));
  if (isa<Float8E8M0FNUType>(to))
    return encodeScale(lanes, carrier, semantics);
  return encodeNarrowFloat(lanes, carrier, to, semantics);
}
