//===- OracleTest.cpp - Consistency of the oracle -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Conversion.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace mlir::quant_float::certify;

static constexpr size_t kStretch = 256;

/// Returns the first encodings of ranges around every power of two and the
/// special values of floats, around powers of two of integers, and at random
/// positions.
static std::vector<uint64_t> listStretches(const Format &from) {
  std::vector<uint64_t> firsts;
  auto addAround = [&](uint64_t code) {
    for (int64_t step = -3; step <= 3; ++step)
      firsts.push_back((code / kStretch + step) * kStretch & from.getMask());
  };
  if (from.isFloat())
    for (uint64_t code = 0; code <= from.getMask();
         code += uint64_t(1) << (from.mantissaBits - 2))
      addAround(code);
  else
    for (unsigned bit = 0; bit < from.bits; ++bit) {
      addAround(uint64_t(1) << bit);
      addAround(-(uint64_t(1) << bit));
    }
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i)
    firsts.push_back(random() & from.getMask() & ~(kStretch - 1));
  return firsts;
}

/// castRange fills a range with one result if both ends have that result. All
/// encodings in between must have it too.
TEST(OracleTest, RangesAreSingleCasts) {
  size_t numConversions = 0, numFilled = 0;
  std::vector<uint8_t> slots;
  for (const Conversion &one : listCasts()) {
    const Format &from = *one.from, &to = *one.to;
    if (from.bits != 32)
      continue;
    ++numConversions;
    size_t size = to.getSlotSize();
    slots.resize(kStretch * size);
    for (uint64_t first : listStretches(from)) {
      castRange(from, to, first, kStretch, slots.data(), one.rules);
      numFilled += cast(from, to, first, one.rules) ==
                   cast(from, to, first + kStretch - 1, one.rules);
      for (size_t i = 0; i < kStretch; ++i) {
        uint64_t made = 0;
        memcpy(&made, slots.data() + i * size, size);
        ASSERT_EQ(made, cast(from, to, first + i, one.rules))
            << one.getName() << " of " << first + i;
      }
    }
  }
  EXPECT_EQ(numConversions, 132u);
  EXPECT_GT(numFilled, numConversions * 1000);
}

/// decode and encode are inverses.
TEST(OracleTest, CodesOfUpTo16BitsComeBack) {
  // With saturation, infinities become finite.
  CastRules rules;
  rules.saturate = false;
  size_t count;
  const Format *formats = getFormats(count);
  for (const Format *format = formats; format != formats + count; ++format) {
    if (format->bits > 16)
      continue;
    for (uint64_t code = 0; code <= format->getMask(); ++code) {
      Value value = decode(*format, code);
      uint64_t again = encode(*format, value, rules);
      // NaNs lose their payload.
      if (value.isNaN())
        EXPECT_TRUE(decode(*format, again).isNaN()) << format->name << code;
      else
        EXPECT_EQ(again, code) << format->name;
    }
  }
}

/// Ranges whose ends have the same scale of a block are filled with it. All
/// magnitudes in between must have it too.
TEST(OracleTest, RangesOfBlockScalesAreSingleScales) {
  size_t numConversions = 0, numFilled = 0;
  for (const Conversion &one : listBlocks()) {
    if (one.kind != Conversion::Kind::BlockScale || one.from->bits != 32 ||
        one.to->bits > 16 || one.hasZeroPoint)
      continue;
    ++numConversions;
    std::vector<uint64_t> firsts = listStretches(*one.from);
    for (size_t i = numConversions % 32; i < firsts.size(); i += 32) {
      uint64_t first = firsts[i];
      uint64_t scale = one.getExpected(first, {});
      if (scale != one.getExpected(first + kStretch - 1, {}))
        continue;
      ++numFilled;
      for (size_t j = 0; j < kStretch; ++j)
        ASSERT_EQ(one.getExpected(first + j, {}), scale)
            << one.getName() << " of " << first + j;
    }
  }
  EXPECT_EQ(numConversions, 80u);
  EXPECT_GT(numFilled, numConversions * 100);
}
