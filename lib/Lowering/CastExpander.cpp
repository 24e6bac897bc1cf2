//===- CastExpander.cpp - Expansion of casts ------------------------------===//
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

Intermediate quant_float::convertToIntermediate(VectorBuilder &lanes,
                                                Value storage, Type from,
                                                Type to) {
  // The decoding of narrow floats masks unused bits.
  auto fromInteger = dyn_cast<IntegerType>(from);
  Intermediate intermediate =
      fromInteger ? convertInteger(lanes, dropUnusedBits(lanes, storage, from),
                                   fromInteger, to)
                  : decodeFloat(lanes, storage, from);
  if (getNumberWidth(to) < 32 &&
      getElementTypeOrSelf(intermediate.value).isF64()) {
    // Values that are subnormal in f32 round to zero in all types but bf16 and
    // f8E8M0FNU.
    const LoweringTarget &target = lanes.getTarget();
    bool isSlow = target.avoidsSubnormals || target.machine == Machine::None;
    if (isSlow && from.isF64() && !to.isBF16() && !isa<Float8E8M0FNUType>(to))
      intermediate.value = flushBelow(lanes, intermediate.value, -100);
    intermediate.value = roundToOdd(lanes, intermediate.value);
  }
  return intermediate;
}

Value quant_float::expandCast(VectorBuilder &lanes, Value storage, Type from,
                              Type to, const CastSemantics &semantics) {
  // A cast to the same type is the identity (V7).
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

  Intermediate intermediate = convertToIntermediate(lanes, storage, from, to);
  if (isStandardFloat(to))
    return encodeStandardFloat(lanes, intermediate, cast<FloatType>(to));
  if (isa<Float8E8M0FNUType>(to))
    return encodeScale(lanes, intermediate, semantics);
  return encodeNarrowFloat(lanes, intermediate, to, semantics);
}
