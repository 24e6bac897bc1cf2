//===- DequantizeTest.cpp - Rules D5 and D6 -------------------------------===//
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

class DequantizeTest : public QuantizeTest {};

TEST_F(DequantizeTest, D5_difference_does_not_wrap) {
  EXPECT_EQ(dequantize(0, 1, "ui8", 255), -255);
  EXPECT_EQ(dequantize(255, 1, "ui8", 0), 255);
  EXPECT_EQ(dequantize(-128, 2, "i8", 127), -510);
  EXPECT_EQ(dequantize(65535, 1, "ui16", 0), 65535);
  EXPECT_EQ(dequantize(-32768, 1, "i16", 32767), -65535);
  EXPECT_EQ(dequantize(-8, 1, "i4", 7), -15);
  EXPECT_EQ(dequantize(0, 1, "ui4", 15), -15);
  EXPECT_EQ(dequantize(-2, 1, "i2", 1), -3);
  EXPECT_EQ(dequantize(0, 1, "ui2", 3), -3);
  EXPECT_EQ(dequantize(2147483647.0, 1, "i32", -2147483648.0), 4294967296.0);
}

/// 2^24 + 1 and 2^24 + 3 are ties of f32. A difference is only rounded once.
TEST_F(DequantizeTest, D5_int32_rounds_once) {
  EXPECT_EQ(dequantize(16777217, 1, "i32"), 16777216);
  EXPECT_EQ(dequantize(16777219, 1, "i32"), 16777220);
  EXPECT_EQ(dequantize(16777217, 1, "i32", -1), 16777218);
  EXPECT_EQ(dequantize(16777219, 1, "i32", 16777217), 2);
  EXPECT_EQ(dequantize(-16777219, 0.5, "i32", 1), -8388610);
}

TEST_F(DequantizeTest, D5_product_in_f32) {
  EXPECT_EQ(dequantizeBits(3, 0x3DCCCCCD, "i8"), 0x3E99999Au); // 0.1f
  // The f32 product is rounded once to f16. It differs from the product with
  // the f16 number next to 0.1.
  EXPECT_EQ(dequantizeBits(3, 0x3DCCCCCD, "i8", {}, "f32", "f16"), 0x34CDu);
  EXPECT_EQ(dequantizeBits(3, 0x2E66, "i8", {}, "f16", "f16"), 0x34CCu);
  EXPECT_EQ(dequantizeBits(3, 0x2E66, "i8", {}, "f16", "f32"), 0x3E999000u);
  // Overflow and underflow of the product.
  EXPECT_EQ(dequantize(127, 3e38, "i8"), infinity);
  EXPECT_EQ(dequantize(-127, 1e3, "i8", {}, "f32", "f16"), -infinity);
  EXPECT_EQ(dequantizeBits(1, 1, "i8"), 1u);
  // The product is half of the smallest bf16, or a tie of the smallest f16.
  EXPECT_EQ(dequantize(1, 0x1p-134, "i8", {}, "f32", "bf16"), 0);
  EXPECT_EQ(dequantize(3, 0x1p-26, "i8", {}, "f32", "f16"), 0x1p-24);
}

/// All combinations of types agree if nothing is rounded.
TEST_F(DequantizeTest, D5_types) {
  for (StringRef x : {"i8", "ui8", "i16", "ui16", "i32", "i4", "ui4", "i2",
                      "ui2", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",
                      "f4E2M1FN", "f6E2M3FN", "f6E3M2FN"})
    for (StringRef scale : {"f32", "f16", "bf16", "f8E8M0FNU"})
      for (StringRef y : {"f32", "f16", "bf16"}) {
        SCOPED_TRACE((x + " * " + scale + " to " + y).str());
        EXPECT_EQ(dequantize(1, 4, x, {}, scale, y), 4);
        EXPECT_EQ(dequantize(1, 4, x, 0.0, scale, y), 4);
      }
}

TEST_F(DequantizeTest, D5_signs_of_zeros) {
  auto isNegativeZero = [](double value) {
    return value == 0 && std::signbit(value);
  };
  EXPECT_FALSE(isNegativeZero(dequantize(0, 1, "i8")));
  EXPECT_TRUE(isNegativeZero(dequantize(0, -1, "i8")));
  EXPECT_FALSE(isNegativeZero(dequantize(5, 1, "i8", 5)));
  EXPECT_TRUE(isNegativeZero(dequantize(5, -0.0, "i8")));
  EXPECT_TRUE(isNegativeZero(dequantize(-0.0, 1, "f8E4M3FN")));
  EXPECT_TRUE(isNegativeZero(dequantize(-0.0, 1, "f4E2M1FN")));
  EXPECT_TRUE(isNegativeZero(dequantize(-0.0, 1, "f4E2M1FN", 0.0)));
  EXPECT_FALSE(isNegativeZero(dequantize(-0.0, 1, "f4E2M1FN", -0.0)));
}

TEST_F(DequantizeTest, D5_zero_points_of_floats) {
  // float4 and float6 zero points are subtracted, float8 ones are not.
  EXPECT_EQ(dequantize(6, 2, "f4E2M1FN", -6), 24);
  EXPECT_EQ(dequantize(0.125, 1, "f6E2M3FN", 7.5), -7.375);
  EXPECT_EQ(dequantize(28, 1, "f6E3M2FN", 0.0625), 27.9375);
  for (uint64_t origin = 0; origin < 256; ++origin)
    EXPECT_EQ(dequantizeBits(0x40, 0x3F800000, "f8E4M3FN", origin),
              0x40000000u);
}

TEST_F(DequantizeTest, D5_not_finite) {
  for (StringRef type : {"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"})
    EXPECT_TRUE(std::isnan(dequantize(nan, 1, type))) << type.str();
  EXPECT_EQ(number(dequantizeBits(0x7C, bits(2, "f32"), "f8E5M2"), "f32"),
            infinity);
  EXPECT_EQ(number(dequantizeBits(0xFC, bits(2, "f32"), "f8E5M2"), "f32"),
            -infinity);
  EXPECT_TRUE(std::isnan(
      number(dequantizeBits(0x7C, bits(0, "f32"), "f8E5M2"), "f32")));
  EXPECT_TRUE(std::isnan(dequantize(1, nan, "i8")));
  EXPECT_EQ(dequantize(2, infinity, "i8"), infinity);
  EXPECT_EQ(dequantize(-2, infinity, "i8"), -infinity);
  EXPECT_TRUE(std::isnan(dequantize(0, infinity, "i8")));
}

TEST_F(DequantizeTest, D5_scale_of_powers) {
  for (StringRef y : {"f32", "bf16"}) {
    SCOPED_TRACE(y.str());
    auto run = [&](uint64_t x, uint64_t scale) {
      return number(dequantizeBits(x, scale, "i8", {}, "f8E8M0FNU", y), y);
    };
    EXPECT_EQ(run(3, 0x00), 0x1.8p-126); // 2^-127 is a subnormal f32.
    EXPECT_EQ(run(1, 0x00), 0x1p-127);
    EXPECT_EQ(run(1, 0xFE), 0x1p127);
    EXPECT_EQ(run(2, 0xFE), infinity);
    EXPECT_TRUE(std::isnan(run(0, 0xFF)));
  }
}

/// qdq is the composition of quantize and dequantize with the same parameters.
TEST_F(DequantizeTest, D6_qdq) {
  auto qdq = [&](double x, double scale, StringRef type,
                 std::optional<double> origin = std::nullopt) {
    return dequantize(quantize(x, scale, type, origin), scale, type, origin);
  };
  EXPECT_EQ(qdq(5, 2, "i8"), 4);
  EXPECT_EQ(qdq(5, 2, "i8", 100), 4);
  EXPECT_EQ(qdq(100, 2, "i8", 100), 54); // 127 - 100 remains.
  EXPECT_EQ(qdq(nan, 2, "i8", 100), 0);
  EXPECT_EQ(qdq(1000, 2, "f8E4M3FN"), 896);
  EXPECT_EQ(qdq(3.3, 1, "f4E2M1FN"), 3);
}

/// 8-bit values are preserved by dequantize and quantize.
TEST_F(DequantizeTest, D6_codes_come_back) {
  for (StringRef type : {"i8", "ui8"})
    for (uint64_t encoding = 0; encoding < 256; ++encoding)
      for (uint64_t scale :
           {0x3DCCCCCDu, 0x3F7FFFFFu, 0x3F800001u, 0xBF9E0652u})
        for (uint64_t origin : {0, 1, 127, 128, 255}) {
          uint64_t y = dequantizeBits(encoding, scale, type, origin);
          EXPECT_EQ(quantizeBits(y, scale, type, origin, {}), encoding);
        }
}

/// The precision of an f16 scale suffices for 8 bits.
TEST_F(DequantizeTest, D6_f16_codes_come_back) {
  for (uint64_t mantissa = 0; mantissa < 1024; mantissa += 3)
    for (uint64_t encoding = 0; encoding < 256; ++encoding) {
      uint64_t scale = 0x3C00 | mantissa;
      uint64_t y = dequantizeBits(encoding, scale, "ui8", {}, "f16", "f16");
      EXPECT_EQ(quantizeBits(y, scale, "ui8", {}, {"f16", "f16", "f16"}),
                encoding);
    }
}

/// The precision of a bf16 scale does not: both roundings to 8 bits can have
/// the same direction.
TEST_F(DequantizeTest, D6_bf16_counterexamples) {
  auto roundTrip = [&](uint64_t encoding, uint64_t scale, StringRef type) {
    uint64_t y = dequantizeBits(encoding, scale, type, {}, "bf16", "bf16");
    return quantizeBits(y, scale, type, {}, {"bf16", "bf16", "bf16"});
  };
  EXPECT_EQ(roundTrip(255, 0x3F81, "ui8"), 254u); // 1.0078125
  EXPECT_EQ(roundTrip(253, 0x3F82, "ui8"), 252u); // 1.015625
  EXPECT_EQ(roundTrip(251, 0x3F83, "ui8"), 250u); // 1.0234375
  unsigned changed[2] = {0, 0};
  for (uint64_t mantissa = 0; mantissa < 128; ++mantissa)
    for (uint64_t encoding = 0; encoding < 256; ++encoding) {
      changed[0] += roundTrip(encoding, 0x3F80 | mantissa, "ui8") != encoding;
      changed[1] += roundTrip(encoding, 0x3F80 | mantissa, "i8") != encoding;
    }
  EXPECT_EQ(changed[0], 2338u); // Of 32768.
  EXPECT_EQ(changed[1], 927u);  // There are fewer magnitudes and two limits.
}

} // namespace
