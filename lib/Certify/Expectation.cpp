//===- Expectation.cpp - The expected results of a call -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expectation.h"

#include <algorithm>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Conversion::Kind;

const std::vector<Value> &
Expectation::getQuotients(const Conversion &conversion, const Call &call) {
  std::tuple key(conversion.from, conversion.scale, conversion.precision);
  if (divided != key) {
    divided = key;
    quotients.clear();
  }
  std::vector<Value> &found = quotients[call.scale];
  for (size_t i = found.size(); i < call.count; ++i)
    found.push_back(getQuotient(*conversion.from, *conversion.scale,
                                *conversion.precision, call.getCode(i),
                                call.scale));
  return found;
}

void Expectation::fillQuantized(const Conversion &conversion, const Call &call,
                                Slots &slots) {
  const Format &to = *conversion.to, &scale = *conversion.scale;
  bool goesBack = conversion.kind == Kind::Qdq;
  const Format &stored = goesBack ? *conversion.destination : to;
  std::optional<uint64_t> zeroPoint;
  if (conversion.hasZeroPoint)
    zeroPoint = call.zeroPoint;
  // Dequantize each of the few encodings only once.
  std::vector<uint64_t> back;
  if (goesBack && stored.bits <= 8)
    for (uint64_t code = 0; code <= stored.getMask(); ++code)
      back.push_back(
          dequantize(stored, scale, to, code, call.scale, zeroPoint));
  const std::vector<Value> &all = getQuotients(conversion, call);
  for (size_t i = 0; i < call.count; ++i) {
    uint64_t code = quantize(all[i], stored, *conversion.precision, zeroPoint,
                             conversion.rules.saturate,
                             conversion.getRandomBits(call.random));
    if (!back.empty())
      code = back[code];
    else if (goesBack)
      code = dequantize(stored, scale, to, code, call.scale, zeroPoint);
    write(to, slots, i, code);
  }
}

/// A larger magnitude never has a smaller scale, so if both ends of a range of
/// consecutive encodings have the same scale, so has everything in between. A
/// scale of 0 that becomes 1 (B4) is no exception: no range of this size has
/// another scale that is 1.
static void fillBlockScales(const Conversion &conversion, const Call &call,
                            Slots &slots) {
  constexpr size_t kStretch = 256;
  const Format &to = *conversion.to;
  for (size_t i = 0; i < call.count;) {
    size_t end = std::min(i + kStretch, call.count);
    auto get = [&](size_t index) {
      return conversion.getExpected(call.getCode(index), {});
    };
    uint64_t first = get(i);
    bool isOne = first == get(end - 1);
    for (; i < end; ++i)
      write(to, slots, i, isOne ? first : get(i));
  }
}

static void fillBlockElements(const Conversion &conversion, const Call &call,
                              Slots &slots) {
  BlockQuantizer quantizer(conversion.blockRule, *conversion.from,
                           *conversion.scale, *conversion.to, call.scale,
                           conversion.getTensorLevel(call.zeroPoint));
  for (size_t i = 0; i < call.count; ++i)
    write(*conversion.to, slots, i,
          quantizer.quantize(call.getCode(i),
                             conversion.getRandomBits(call.random)));
}

void Expectation::fill(const Conversion &conversion, const Call &call,
                       Slots &slots) {
  const Format &to = *conversion.to;
  slots.resize(call.count * to.getSlotSize());
  // castRange does not extend the sign of small signed types into the storage
  // unit.
  if (conversion.kind == Kind::Cast && call.isRange &&
      (to.bits >= 8 || to.kind != Format::Kind::Signed)) {
    CastRules rules = conversion.rules;
    if (rules.projection)
      rules.projection->random = call.random;
    else
      rules.random = conversion.getRandomBits(call.random);
    return castRange(*conversion.from, to, call.first, call.count, slots.data(),
                     rules);
  }
  bool divides =
      conversion.kind == Kind::Quantize || conversion.kind == Kind::Qdq;
  if (divides && call.isRange)
    return fillQuantized(conversion, call, slots);
  if (conversion.kind == Kind::BlockElements)
    return fillBlockElements(conversion, call, slots);
  if (conversion.kind == Kind::BlockScale && call.isRange &&
      conversion.from->bits == 32 && to.bits <= 16)
    return fillBlockScales(conversion, call, slots);
  for (size_t i = 0; i < call.count; ++i)
    write(to, slots, i, conversion.getExpected(call.getCode(i), call));
}
