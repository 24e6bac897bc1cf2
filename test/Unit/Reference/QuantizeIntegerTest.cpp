//===- QuantizeIntegerTest.cpp - Rules D1, D2 and D4 ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizeTest.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

namespace {

class QuantizeIntegerTest : public QuantizeTest {};

struct Range {
  StringRef type;
  double lowest, highest;
};
const Range ranges[] = {{"i8", -128, 127},      {"ui8", 0, 255},
                        {"i16", -32768, 32767}, {"ui16", 0, 65535},
                        {"i4", -8, 7},          {"ui4", 0, 15},
                        {"i2", -2, 1},          {"ui2", 0, 3}};

TEST_F(QuantizeIntegerTest, D1_ties_to_even) {
  struct Case {
    double x, y;
  } cases[] = {{0.5, 0},           {1.5, 2},           {2.5, 2},    {3.5, 4},
               {-0.5, 0},          {-1.5, -2},         {-2.5, -2},  {-3.5, -4},
               {1.49, 1},          {1.51, 2},          {-1.49, -1}, {-1.51, -2},
               {0x1.000002p-1, 1}, {0x1.fffffep-2, 0}, {126.5, 126}};
  for (const Case &c : cases) {
    SCOPED_TRACE(c.x);
    EXPECT_EQ(quantize(c.x, 1, "i8"), c.y);
    EXPECT_EQ(quantize(c.x / 8, 0.125, "i16"), c.y);
    EXPECT_EQ(quantize(c.x, -1, "i8"), -c.y);
  }
}

/// The quotient is rounded before the zero point is added, so an odd zero point
/// does not change how ties are rounded.
TEST_F(QuantizeIntegerTest, D1_zero_point_after_rounding) {
  EXPECT_EQ(quantize(0.5, 1, "ui8", 1), 1);
  EXPECT_EQ(quantize(1.5, 1, "ui8", 1), 3);
  EXPECT_EQ(quantize(2.5, 1, "i8", -1), 1);
  EXPECT_EQ(quantize(3, 2, "ui16", 32767), 32769);
  EXPECT_EQ(quantize(-3, 2, "i16", 1), -1);
}

TEST_F(QuantizeIntegerTest, D1_saturates) {
  for (const Range &range : ranges) {
    SCOPED_TRACE(range.type.str());
    for (double x : {1e5, 0x1p31, 0x1p32, 0x1p63, 0x1p64, 1e38, infinity}) {
      SCOPED_TRACE(x);
      EXPECT_EQ(quantize(x, 1, range.type), range.highest);
      EXPECT_EQ(quantize(-x, 1, range.type), range.lowest);
      // The zero point is added before saturation, but cannot compensate for an
      // overflow.
      EXPECT_EQ(quantize(x, 1, range.type, range.lowest), range.highest);
      EXPECT_EQ(quantize(-x, 1, range.type, range.highest), range.lowest);
    }
    EXPECT_EQ(quantize(range.highest, 1, range.type), range.highest);
    EXPECT_EQ(quantize(range.highest + 1, 1, range.type), range.highest);
    EXPECT_EQ(quantize(range.lowest, 1, range.type), range.lowest);
    EXPECT_EQ(quantize(range.lowest - 1, 1, range.type), range.lowest);
  }
}

TEST_F(QuantizeIntegerTest, D1_zero_point_at_the_ends) {
  for (const Range &range : ranges) {
    SCOPED_TRACE(range.type.str());
    for (double origin : {range.lowest, range.highest}) {
      EXPECT_EQ(quantize(0, 1, range.type, origin), origin);
      EXPECT_EQ(quantize(-0.0, 1, range.type, origin), origin);
    }
    // Quotients of twice the range do not overflow.
    double span = range.highest - range.lowest;
    EXPECT_EQ(quantize(span, 1, range.type, range.lowest), range.highest);
    EXPECT_EQ(quantize(-span, 1, range.type, range.highest), range.lowest);
    EXPECT_EQ(quantize(1, 1, range.type, range.highest), range.highest);
    EXPECT_EQ(quantize(-1, 1, range.type, range.lowest), range.lowest);
  }
}

TEST_F(QuantizeIntegerTest, D1_nan_gives_the_zero_point) {
  for (const Range &range : ranges) {
    SCOPED_TRACE(range.type.str());
    for (double sign : {1.0, -1.0}) {
      double x = std::copysign(nan, sign);
      EXPECT_EQ(quantize(x, 1, range.type), 0);
      EXPECT_EQ(quantize(x, 1, range.type, 1), 1);
      EXPECT_EQ(quantize(x, 1, range.type, range.highest), range.highest);
      EXPECT_EQ(quantize(1, x, range.type, range.lowest), range.lowest);
      EXPECT_EQ(quantize(sign * infinity, infinity, range.type, 1), 1);
    }
  }
}

/// The types of x and scale do not matter for small numbers.
TEST_F(QuantizeIntegerTest, D1_types) {
  for (StringRef x : {"f32", "f16", "bf16", "i32"})
    for (StringRef scale : {"f32", "f16", "bf16", "i32", "f8E8M0FNU"})
      for (StringRef precision : {"f32", "f16", "bf16", "f64"}) {
        SCOPED_TRACE((x + " / " + scale + " in " + precision).str());
        QuantizeTypes types{x, scale, precision};
        EXPECT_EQ(quantize(6, 4, "i8", 10, types), 12);
        EXPECT_EQ(quantize(-10, 4, "i4", 1, types), -1);
        EXPECT_EQ(quantize(12, 8, "ui2", 1, types), 3);
      }
}

/// The quotient is 131.5 in f16 and 131.456 in wider types. bf16 has no number
/// between 131 and 132.
TEST_F(QuantizeIntegerTest, D2_division_in_the_precision) {
  uint64_t x = 0x5394, scale = 0x3761; // 60.625, 0.461181640625
  EXPECT_EQ(quantizeBits(x, scale, "ui8", {}, {"f16", "f16", "f16"}), 132u);
  EXPECT_EQ(quantizeBits(x, scale, "ui8", {}, {"f16", "f16", "f32"}), 131u);
  EXPECT_EQ(quantizeBits(x, scale, "ui8", {}, {"f16", "f16", "f64"}), 131u);
  EXPECT_EQ(quantize(60.625, 0.4612, "ui8", {}, {"f32", "f32", "f16"}), 132);
  EXPECT_EQ(quantize(60.625, 0.4612, "ui8", {}, {"f32", "f32", "f32"}), 131);
  // bf16 rounds the scale to 0.4609375 and the quotient to 132.
  EXPECT_EQ(quantize(60.75, 0.4612, "ui8", {}, {"f32", "f32", "bf16"}), 132);
}

/// The operands are rounded to the precision before the division.
TEST_F(QuantizeIntegerTest, D2_operands_in_the_precision) {
  // bf16 rounds 257 to 256 and 3001 to 3008.
  EXPECT_EQ(quantize(257, 1, "i16", {}, {"f32", "f32", "bf16"}), 256);
  EXPECT_EQ(quantize(3001, 1, "i16", {}, {"f32", "f32", "bf16"}), 3008);
  EXPECT_EQ(quantize(2049, 1, "i16", {}, {"f32", "f32", "f16"}), 2048);
  // In f16, a large x is infinite and a small scale is zero.
  EXPECT_EQ(quantize(1e5, 1e4, "i8", {}, {"f32", "f32", "f16"}), 127);
  EXPECT_EQ(quantize(-1, 1e-9, "i16", {}, {"f32", "f32", "f16"}), -32768);
  EXPECT_EQ(quantize(1e-9, 1e-9, "i8", 5, {"f32", "f32", "f16"}), 5);
}

TEST_F(QuantizeIntegerTest, D2_int32_in_f64) {
  // The quotients differ from a tie by 2^-25, which only f64 represents.
  QuantizeTypes exact{"i32", "f32", "f64"}, single{"i32", "f32", "f32"};
  EXPECT_EQ(quantize(50331649, 0x1p25, "i8", {}, exact), 2); // above 1.5
  EXPECT_EQ(quantize(50331647, 0x1p25, "i8", {}, exact), 1); // below it
  EXPECT_EQ(quantize(50331649, 0x1p25, "i8", {}, single), 2);
  EXPECT_EQ(quantize(50331647, 0x1p25, "i8", {}, single), 2); // the tie
  EXPECT_EQ(quantize(83886079, 0x1p25, "i8", {}, exact), 2);  // below 2.5
  EXPECT_EQ(quantize(83886081, 0x1p25, "i8", {}, exact), 3);  // above it
  EXPECT_EQ(quantize(83886081, 0x1p25, "i8", {}, single), 2);
  // The minimum and the maximum, with an int32 scale.
  QuantizeTypes integers{"i32", "i32", "f64"};
  EXPECT_EQ(quantize(-2147483648.0, 65536, "i16", {}, integers), -32768);
  EXPECT_EQ(quantize(2147483647.0, 65536, "i16", {}, integers), 32767);
  EXPECT_EQ(quantize(7, 2, "i8", {}, integers), 4);
  EXPECT_EQ(quantize(7, -2, "i8", {}, integers), -4);
  EXPECT_EQ(quantize(1, 0, "i8", {}, integers), 127);
  EXPECT_EQ(quantize(0, 0, "i8", 3, integers), 3);
}

TEST_F(QuantizeIntegerTest, D2_scale_of_powers) {
  QuantizeTypes types{"f32", "f8E8M0FNU", "f32"};
  EXPECT_EQ(quantizeBits(bits(5, "f32"), 0x80, "i8", {}, types), 2u); // 2.5
  // 0x00 is the subnormal 2^-127, 0xFE is 2^127.
  EXPECT_EQ(quantize(0x1.8p-126, 0x1p-127, "i8", {}, types), 3);
  EXPECT_EQ(quantize(0x1.8p127, 0x1p127, "i8", {}, types), 2);
  // 0xFF is NaN.
  EXPECT_EQ(quantizeBits(bits(5, "f32"), 0xFF, "i8", 9, types), 9u);
  // In f16, 2^-127 is zero and 2^127 is infinite.
  types.precision = "f16";
  EXPECT_EQ(quantizeBits(bits(1, "f32"), 0x00, "i8", {}, types), 0x7Fu);
  EXPECT_EQ(quantizeBits(bits(1, "f32"), 0xFE, "i8", 4, types), 4u);
}

TEST_F(QuantizeIntegerTest, D4_scale_zero) {
  for (const Range &range : ranges) {
    SCOPED_TRACE(range.type.str());
    EXPECT_EQ(quantize(1, 0.0, range.type), range.highest);
    EXPECT_EQ(quantize(-1, 0.0, range.type), range.lowest);
    EXPECT_EQ(quantize(1, -0.0, range.type), range.lowest);
    EXPECT_EQ(quantize(-1, -0.0, range.type), range.highest);
    EXPECT_EQ(quantize(0, 0.0, range.type, 1), 1);
    EXPECT_EQ(quantize(0, -0.0, range.type, range.lowest), range.lowest);
    EXPECT_EQ(quantize(infinity, 0.0, range.type), range.highest);
    EXPECT_EQ(quantize(nan, 0.0, range.type, 1), 1);
  }
}

TEST_F(QuantizeIntegerTest, D4_scales_of_all_kinds) {
  EXPECT_EQ(quantize(10, -2, "i8", 3), -2);
  EXPECT_EQ(quantize(10, -2, "ui8", 3), 0);
  EXPECT_EQ(quantize(10, infinity, "i8", 3), 3);
  EXPECT_EQ(quantize(10, -infinity, "i8", 3), 3);
  EXPECT_EQ(quantize(1e38, 1e-38, "i8"), 127);   // The quotient overflows.
  EXPECT_EQ(quantize(1e-38, -1e38, "i8", 3), 3); // It underflows.
  // Subnormal operands.
  EXPECT_EQ(quantize(0x1.8p-148, 0x1p-149, "i8"), 3);
  EXPECT_EQ(quantize(0x1p-149, 0x1p-148, "i8", 1), 1); // A tie.
  EXPECT_EQ(quantize(0x1.8p-148, 0x1p-148, "i8"), 2);  // Another.
}

/// Ties that a multiplication with the rounded reciprocal would miss.
TEST_F(QuantizeIntegerTest, D7_division_is_no_multiplication) {
  EXPECT_EQ(quantize(45.5, 7, "i8"), 6);
  EXPECT_EQ(quantize(37.5, 15, "i8"), 2);
  EXPECT_EQ(quantize(143.5, 41, "i8"), 4);
  EXPECT_EQ(quantize(-728.5, 47, "i8"), -16);
}

} // namespace
