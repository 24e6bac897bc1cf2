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
                                *conversion.precision, call.getEncoding(i),
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
    for (uint64_t encoding = 0; encoding <= stored.getMask(); ++encoding)
      back.push_back(
          dequantize(stored, scale, to, encoding, call.scale, zeroPoint));
  const std::vector<Value> &all = getQuotients(conversion, call);
  for (size_t i = 0; i < call.count; ++i) {
    uint64_t encoding = quantize(all[i], stored, *conversion.precision,
                                 zeroPoint, conversion.rules.saturate,
                                 conversion.getRandomBits(call.random));
    if (!back.empty())
      encoding = back[encoding];
    else if (goesBack)
      encoding = dequantize(stored, scale, to, encoding, call.scale, zeroPoint);
    write(to, slots, i, encoding);
  }
}

/// Fills a call of consecutive encodings of floats whose results have few
/// values. Within one binade or among NaNs, encodings of one sign are ordered,
/// and conversions with the same parameters are monotonic. If both ends of a
/// range have the same result, so has everything in between. A scale of 0 that
/// becomes 1 (B4) is no exception: no other number of the binade has the scale
/// 1.
template <typename Get>
static void fillOrdered(const Conversion &conversion, const Call &call,
                        Slots &slots, Get get) {
  const Format &to = *conversion.to;
  size_t stretch =
      std::min<size_t>(4096, size_t(1) << conversion.from->mantissaBits);
  auto fill = [&](auto &fill, size_t begin, size_t last, uint64_t atBegin,
                  uint64_t atLast) -> void {
    if (atBegin == atLast || last - begin < 2) {
      for (size_t i = begin; i <= last; ++i)
        write(to, slots, i, i == last ? atLast : atBegin);
      return;
    }
    size_t middle = begin + (last - begin) / 2;
    fill(fill, begin, middle, atBegin, get(middle));
    fill(fill, middle + 1, last, get(middle + 1), atLast);
  };
  for (size_t i = 0; i < call.count; i += stretch) {
    size_t last = std::min(i + stretch, call.count) - 1;
    fill(fill, i, last, get(i), get(last));
  }
}

static void fillBlockElements(const Conversion &conversion, const Call &call,
                              Slots &slots) {
  BlockQuantizer quantizer(conversion.blockRule, *conversion.from,
                           *conversion.scale, *conversion.to, call.scale,
                           conversion.getTensorLevel(call.zeroPoint));
  auto get = [&](size_t i) {
    return quantizer.quantize(call.getEncoding(i),
                              conversion.getRandomBits(call.random));
  };
  // If all distances round to the same number, ggml's search for the nearest
  // element finds 0.
  bool isOrdered = conversion.blockRule != BlockRule::Ggml || conversion.random;
  if (isOrdered && call.isRange)
    return fillOrdered(conversion, call, slots, get);
  for (size_t i = 0; i < call.count; ++i)
    write(*conversion.to, slots, i, get(i));
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
  auto get = [&](size_t i) {
    return conversion.getExpected(call.getEncoding(i), call);
  };
  bool isOrdered =
      (conversion.kind == Kind::BlockScale && conversion.from->bits == 32 &&
       to.bits <= 16) ||
      (conversion.kind == Kind::ConvertToBlock && conversion.from->bits == 16);
  if (isOrdered && call.isRange)
    return fillOrdered(conversion, call, slots, get);
  for (size_t i = 0; i < call.count; ++i)
    write(to, slots, i, get(i));
}
