//===- QuantizeFloatTest.cpp - Rules D3 and D8 ----------------------------===//
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

class QuantizeFloatTest : public QuantizeTest {};

const StringRef float8[] = {"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"};
const StringRef float4And6[] = {"f4E2M1FN", "f6E2M3FN", "f6E3M2FN"};

TEST_F(QuantizeFloatTest, D3_quotient_then_cast) {
  EXPECT_EQ(quantize(3, 2, "f8E4M3FN"), 1.5);
  EXPECT_EQ(quantize(17, 1, "f8E4M3FN"), 16); // A tie.
  EXPECT_EQ(quantize(19, 1, "f8E4M3FN"), 20);
  EXPECT_EQ(quantize(-19, 0.5, "f8E5M2"), -40);
  EXPECT_EQ(quantize(0x1p-9, 2, "f8E4M3FN"), 0); // A subnormal tie.
  EXPECT_EQ(quantize(0x1.8p-9, 1, "f8E4M3FN"), 0x1p-8);
  EXPECT_EQ(quantizeToBits(-1, 1e30, "f8E4M3FN"), 0x80u);
  EXPECT_EQ(quantizeToBits(-1, 1e30, "f8E4M3FNUZ"), 0x00u);
  EXPECT_EQ(quantizeToBits(-0.0, 1, "f8E5M2"), 0x80u);
  EXPECT_EQ(quantizeToBits(0, -1, "f8E5M2"), 0x80u);
  EXPECT_EQ(quantizeToBits(0, -1, "f8E5M2FNUZ"), 0x00u);
}

/// The quotient is rounded to the precision, then to the destination.
TEST_F(QuantizeFloatTest, D3_quotient_in_the_precision) {
  // 1.0625 + 2^-20 is above a tie of f8E4M3FN, but f16 rounds it to the tie.
  double x = 0x1.10001p0;
  EXPECT_EQ(quantize(x, 1, "f8E4M3FN", {}, {"f32", "f32", "f32"}), 1.125);
  EXPECT_EQ(quantize(x, 1, "f8E4M3FN", {}, {"f32", "f32", "f16"}), 1);
  // The quotient is 1.0625 + 2^-24: f32 rounds it to the tie, f64 does not.
  EXPECT_EQ(quantize(17825793, 0x1p24, "f8E4M3FN", {}, {"i32", "f32", "f64"}),
            1.125);
  EXPECT_EQ(quantize(17825793, 0x1p24, "f8E4M3FN", {}, {"i32", "f32", "f32"}),
            1);
}

TEST_F(QuantizeFloatTest, D3_overflow) {
  struct Case {
    StringRef type;
    double fits, overflows;
    uint64_t largest, beyond, negativeBeyond;
  } cases[] = {{"f8E4M3FN", 464, 0x1.d00002p8, 0x7E, 0x7F, 0xFF},
               {"f8E4M3FNUZ", 0x1.effffep7, 248, 0x7F, 0x80, 0x80},
               {"f8E5M2", 0x1.dffffep15, 61440, 0x7B, 0x7C, 0xFC},
               {"f8E5M2FNUZ", 0x1.dffffep15, 61440, 0x7F, 0x80, 0x80}};
  for (const Case &c : cases) {
    SCOPED_TRACE(c.type.str());
    for (bool saturate : {true, false}) {
      EXPECT_EQ(quantizeToBits(c.fits, 1, c.type, {}, {}, saturate), c.largest);
      EXPECT_EQ(quantizeToBits(c.fits / 2, -0.5, c.type, {}, {}, saturate),
                c.largest | 0x80);
    }
    // Infinities overflow like other values, at every opset.
    for (double x : {c.overflows, 1e30, infinity}) {
      EXPECT_EQ(quantizeToBits(x, 1, c.type, {}, {}, true), c.largest);
      EXPECT_EQ(quantizeToBits(-x, 1, c.type, {}, {}, true), c.largest | 0x80);
      EXPECT_EQ(quantizeToBits(x, 1, c.type, {}, {}, false), c.beyond);
      EXPECT_EQ(quantizeToBits(-x, 1, c.type, {}, {}, false), c.negativeBeyond);
    }
  }
}

TEST_F(QuantizeFloatTest, D3_float8_has_no_zero_point) {
  for (StringRef type : float8)
    for (uint64_t origin = 0; origin < 256; ++origin)
      EXPECT_EQ(quantizeBits(bits(3, "f32"), bits(2, "f32"), type, origin, {}),
                bits(1.5, type));
}

TEST_F(QuantizeFloatTest, D3_float4_and_6_saturate) {
  for (StringRef type : float4And6) {
    SCOPED_TRACE(type.str());
    uint64_t sign = uint64_t(1) << (parse(type).getIntOrFloatBitWidth() - 1);
    for (bool saturate : {true, false})
      for (double x : {29.0, 1e30, infinity}) {
        EXPECT_EQ(quantizeToBits(x, 1, type, {}, {}, saturate), sign - 1);
        EXPECT_EQ(quantizeToBits(x, -1, type, {}, {}, saturate), 2 * sign - 1);
      }
  }
  EXPECT_EQ(quantize(2.5, 1, "f4E2M1FN"), 2);
  EXPECT_EQ(quantize(3.5, 1, "f4E2M1FN"), 4);
  EXPECT_EQ(quantize(5, 2, "f6E3M2FN"), 2.5);
  EXPECT_EQ(quantize(1.0625, 1, "f6E2M3FN"), 1);
}

/// -0 + 0 is +0, so a zero point of zero differs from no zero point.
TEST_F(QuantizeFloatTest, D3_negative_zero) {
  for (StringRef type : float4And6) {
    SCOPED_TRACE(type.str());
    uint64_t negativeZero = bits(-0.0, type);
    EXPECT_EQ(quantizeToBits(-0.0, 1, type), negativeZero);
    EXPECT_EQ(quantizeToBits(-0.0, 1, type, 0.0), 0u);
    EXPECT_EQ(quantizeToBits(-0.0, 1, type, -0.0), negativeZero);
    // The sum is not zero, but rounds to zero.
    EXPECT_EQ(quantizeToBits(-1e-3, 1, type, 0.0), negativeZero);
  }
}

/// The zero point is added in the precision, before the cast.
TEST_F(QuantizeFloatTest, D3_zero_point) {
  EXPECT_EQ(quantize(1.25, 1, "f4E2M1FN", 1), 2); // 2.25
  EXPECT_EQ(quantize(1.75, 1, "f4E2M1FN", 1), 3); // 2.75
  EXPECT_EQ(quantize(1.5, 1, "f4E2M1FN", 1), 2);  // 2.5, a tie
  EXPECT_EQ(quantize(-2, 1, "f6E2M3FN", 0.125), -1.875);
  EXPECT_EQ(quantize(100, 1, "f6E3M2FN", -28), 28);
  EXPECT_EQ(quantize(-infinity, 1, "f6E3M2FN", 28), -28);
  // f16 cannot represent 2.5 + 2^-12, so the sum is a tie.
  double x = 0x1.801p0; // 1.5 + 2^-12, rounded to 1.5 as well
  EXPECT_EQ(quantize(x, 1, "f4E2M1FN", 1, {"f32", "f32", "f32"}), 3);
  EXPECT_EQ(quantize(x, 1, "f4E2M1FN", 1, {"f32", "f32", "f16"}), 2);
}

TEST_F(QuantizeFloatTest, D4_scale_zero) {
  for (StringRef type : float8) {
    SCOPED_TRACE(type.str());
    EXPECT_EQ(quantizeToBits(1, 0, type), quantizeToBits(1e30, 1, type));
    EXPECT_EQ(quantizeToBits(1, -0.0, type), quantizeToBits(-1e30, 1, type));
    EXPECT_TRUE(std::isnan(quantize(0, 0, type)));
  }
  EXPECT_EQ(quantize(1, 0, "f4E2M1FN"), 6);
  EXPECT_EQ(quantize(-1, 0, "f4E2M1FN"), -6);
  EXPECT_EQ(quantize(3, -2, "f8E4M3FN"), -1.5);
}

/// The sign of a NaN that results from arithmetic is unspecified. Formats
/// without NaN give a zero of either sign.
TEST_F(QuantizeFloatTest, D8_nan) {
  for (bool saturate : {true, false})
    for (double sign : {1.0, -1.0}) {
      double bad = std::copysign(nan, sign);
      for (StringRef type : float8) {
        SCOPED_TRACE(type.str());
        for (uint64_t encoding :
             {quantizeToBits(bad, 1, type, {}, {}, saturate),
              quantizeToBits(1, bad, type, {}, {}, saturate),
              quantizeToBits(infinity, infinity, type, {}, {}, saturate)})
          EXPECT_TRUE(std::isnan(number(encoding, type)));
      }
      for (StringRef type : float4And6) {
        SCOPED_TRACE(type.str());
        EXPECT_EQ(quantize(bad, 1, type), 0);
        EXPECT_EQ(quantize(1, bad, type), 0);
        EXPECT_EQ(quantize(bad, 1, type, 1), 0);
      }
    }
}

} // namespace
