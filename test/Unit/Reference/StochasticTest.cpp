//===- StochasticTest.cpp - Random bits and stochastic rounding -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/Stochastic.h"
#include "CastTest.h"

using namespace mlir;
using namespace mlir::quant_float::reference;

namespace {

class StochasticTest : public CastTest {};

using Words = std::array<uint32_t, 4>;

// From kat_vectors of Random123.
TEST_F(StochasticTest, S3_known_answers) {
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones}, {ones, ones, ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0xa4093822, 0x299f31d0},
                   {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_F(StochasticTest, S3_elements) {
  char out[6];
  MutableArrayRef<char> bytes(out);
  ASSERT_TRUE(succeeded(philoxBuffer(8, 0, 0, bytes)));
  // The upper bytes of the four words of a block, and of two words of the next.
  Words next = philox({0, 0}, {1, 0, 0, 0});
  const char expected[] = {char(0x66),          char(0xe1),
                           char(0xbc),          char(0x9b),
                           char(next[0] >> 24), char(next[1] >> 24)};
  EXPECT_EQ(StringRef(out, 6), StringRef(expected, 6));
  ASSERT_TRUE(succeeded(philoxBuffer(2, 0, 0, bytes)));
  EXPECT_EQ(StringRef(out, 2), StringRef("\x01\x03", 2));
  EXPECT_TRUE(failed(philoxBuffer(3, 0, 0, bytes)));
  EXPECT_TRUE(failed(philoxBuffer(64, 0, 0, bytes)));
  // Six bytes are one and a half elements.
  EXPECT_TRUE(failed(philoxBuffer(32, 0, 0, bytes)));
  // Buffers and single elements agree, also if the counter carries.
  uint16_t many[1001];
  uint64_t seed = 0xDEADBEEFCAFEF00D;
  for (uint64_t offset : {uint64_t(0), (uint64_t(1) << 32) - 7, -uint64_t(9)}) {
    ASSERT_TRUE(succeeded(philoxBuffer(
        16, seed, offset,
        MutableArrayRef(reinterpret_cast<char *>(many), sizeof many))));
    for (size_t i = 0; i < std::size(many); ++i)
      ASSERT_EQ(many[i], philoxElement(16, seed, offset, i)) << i;
  }
}

TEST_F(StochasticTest, S1_types) {
  Type f32 = parse("f32"), ui8 = parse("ui8"), f8 = parse("f8E4M3FN");
  EXPECT_TRUE(canCastByRandomBits(f32, ui8, f8));
  EXPECT_TRUE(canCastByRandomBits(parse("f16"), parse("ui2"), parse("bf16")));
  EXPECT_FALSE(canCastByRandomBits(parse("f64"), ui8, f8));
  EXPECT_FALSE(canCastByRandomBits(parse("i32"), ui8, f8));
  EXPECT_FALSE(canCastByRandomBits(f32, parse("i8"), f8));
  EXPECT_FALSE(canCastByRandomBits(f32, parse("ui32"), f8));
  EXPECT_FALSE(canCastByRandomBits(f32, ui8, parse("f8E8M0FNU")));
  EXPECT_FALSE(canCastByRandomBits(f32, ui8, parse("i8")));
}

// The value is at a quarter of the distance from 1 to 1.125, so a quarter of
// the random values rounds up.
TEST_F(StochasticTest, S2_buffer) {
  const float numbers[] = {1.03125f, 1.03125f, -1.03125f, 1.0f};
  char random[] = {char(191), char(192), char(192), char(255)}, out[4];
  ArrayRef<char> in(reinterpret_cast<const char *>(numbers), sizeof numbers);
  Type f32 = parse("f32"), ui8 = parse("ui8"), f8 = parse("f8E4M3FN");
  ASSERT_TRUE(succeeded(
      castBufferByRandomBits(f32, ui8, f8, in, random, out, CastOptions())));
  EXPECT_EQ(StringRef(out, 4), StringRef("\x38\x39\xB9\x38", 4));
  EXPECT_TRUE(failed(castBufferByRandomBits(
      f32, ui8, f8, in, ArrayRef(random).drop_back(), out, CastOptions())));
  EXPECT_TRUE(failed(castBufferByRandomBits(f32, parse("i8"), f8, in, random,
                                            out, CastOptions())));
}

} // namespace
