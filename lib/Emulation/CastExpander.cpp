//===- CastExpander.cpp - From source to destination ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastExpander.h"
#include "Subnormals.h"

#include "Storage.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

Carrier quant_float::convertToCarrier(Lanes &lanes, Value storage, Type from,
                                      Type to) {
  // The decoding of narrow floats drops unused bits by itself.
  auto fromInteger = dyn_cast<IntegerType>(from);
  Carrier carrier =
      fromInteger ? convertInteger(lanes, dropUnusedBits(lanes, storage, from),
                                   fromInteger, to)
                  : decodeFloat(lanes, storage, from);
  if (getNumberWidth(to) < 32 && getElementTypeOrSelf(carrier.value).isF64()) {
    // What would be a subnormal f32 is a zero of all types but two.
    const EmulationTarget &target = lanes.getTarget();
    bool isSlow = target.avoidsSubnormals || target.machine == Machine::None;
    if (isSlow && from.isF64() && !to.isBF16() && !isa<Float8E8M0FNUType>(to))
      carrier.value = flushBelow(lanes, carrier.value, -100);
    carrier.value = roundToOdd(lanes, carrier.value);
  }
  return carrier;
}

Value quant_float::expandCast(Lanes &lanes, Value storage, Type from, Type to,
                              const CastSemantics &semantics) {
  // V7
  if (from == to)
    return storage;
  if (!isNumber(from) || !isNumber(to))
    return {};

  if (to.isInteger(1))
    return testNonZero(
        lanes,
        isa<IntegerType>(from) ? dropUnusedBits(lanes, storage, from) : storage,
        from);
  if (auto toInteger = dyn_cast<IntegerType>(to)) {
    auto fromInteger = dyn_cast<IntegerType>(from);
    if (!fromInteger)
      return truncateToInteger(lanes, decodeFloat(lanes, storage, from),
                               toInteger);
    storage = dropUnusedBits(lanes, storage, from);
    bool isSigned = !fromInteger.isUnsigned() && !from.isInteger(1);
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
