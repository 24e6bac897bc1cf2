//===- CastFloatTest.cpp - Rules C1 to C8, C10, V7 ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastTest.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

namespace {

class CastFloatTest : public CastTest {};

TEST_F(CastFloatTest, C1_one_rounding) {
  // Through f32, each of these would become a tie and round to even.
  EXPECT_EQ(cast(0x1.1000000001p0, "f8E4M3FN"), 0x39u);
  EXPECT_EQ(cast(0x1.4000000001p0, "f4E2M1FN"), 0x3u);
  EXPECT_EQ(cast(0x1.1000000001p0, "f6E2M3FN"), 0x9u);
  EXPECT_EQ(cast(0x1.00200000004p0, "f16"), 0x3C01u);
  EXPECT_EQ(cast(0x1.01000000001p0, "bf16"), 0x3F81u);
  EXPECT_EQ(cast(0x1.0000000001p0, "f8E8M0FNU"), 0x80u);
  // 2^40 + 2^32 + 1.
  EXPECT_EQ(cast("i64", "bf16", 0x10100000001), 0x5381u);
  EXPECT_EQ(cast("ui64", "bf16", 0x10100000001), 0x5381u);
  // 2^63 + 2^39 + 1: a tie of f32, and the lowest bit, which breaks it.
  EXPECT_EQ(cast("ui64", "f32", 0x8000008000000001), 0x5F000001u);
  EXPECT_EQ(cast("ui64", "f32", 0x8000008000000000), 0x5F000000u);
  // 2^30 + 2^22 + 1 is above a tie of bf16, and so is 2^31 + 2^23 + 1.
  EXPECT_EQ(cast("i32", "bf16", 0x40400001), 0x4E81u);
  EXPECT_EQ(cast("ui32", "bf16", 0x80800001), 0x4F01u);
}

TEST_F(CastFloatTest, C2_nearest_even) {
  EXPECT_EQ(cast(0x1.002p0f, "f16"), 0x3C00u);
  EXPECT_EQ(cast(0x1.006p0f, "f16"), 0x3C02u);
  EXPECT_EQ(cast(0x1.01p0f, "bf16"), 0x3F80u);
  EXPECT_EQ(cast(0x1.03p0f, "bf16"), 0x3F82u);
  EXPECT_EQ(cast(0x1.000001p0, "f32"), 0x3F800000u);
  EXPECT_EQ(cast(0x1.000003p0, "f32"), 0x3F800002u);
}

TEST_F(CastFloatTest, C2_overflow_and_infinity) {
  EXPECT_EQ(cast(65519.0f, "f16"), 0x7BFFu);
  EXPECT_EQ(cast(65520.0f, "f16"), 0x7C00u);
  EXPECT_EQ(cast(-65520.0f, "f16", overflowing), 0xFC00u);
  EXPECT_EQ(cast("f32", "bf16", 0x7F7F7FFF), 0x7F7Fu);
  EXPECT_EQ(cast("f32", "bf16", 0x7F7F8000), 0x7F80u);
  EXPECT_EQ(cast(1e300, "f32"), f32Inf);
  EXPECT_EQ(cast(-1e300, "bf16"), 0xFF80u);
  EXPECT_EQ(cast("f32", "f64", f32NegativeInf), 0xFFF0000000000000u);
  EXPECT_EQ(cast("i32", "f16", 65519), 0x7BFFu);
  EXPECT_EQ(cast("i32", "f16", 65520), 0x7C00u);
  EXPECT_EQ(cast("ui16", "f16", 65535), 0x7C00u);
}

TEST_F(CastFloatTest, C2_underflow) {
  EXPECT_EQ(cast(0x1p-24f, "f16"), 0x0001u);
  EXPECT_EQ(cast(0x1p-25f, "f16"), 0x0000u);
  EXPECT_EQ(cast(-0x1.8p-25f, "f16"), 0x8001u);
  EXPECT_EQ(cast(-0x1p-26f, "f16"), 0x8000u);
  EXPECT_EQ(cast(-0.0f, "bf16"), 0x8000u);
  EXPECT_EQ(cast(-0.0f, "f64"), 0x8000000000000000u);
  // f32 subnormals are not flushed.
  EXPECT_EQ(cast("f32", "f64", 0x00000001), 0x36A0000000000000u);
  EXPECT_EQ(cast("f32", "bf16", 0x00010000), 0x0001u);
  EXPECT_EQ(cast("f32", "bf16", 0x00008000), 0x0000u);
  EXPECT_EQ(cast("f32", "bf16", 0x00008001), 0x0001u);
}

TEST_F(CastFloatTest, C2_canonical_nan) {
  struct Case {
    StringRef from;
    uint64_t positive, negative;
  } sources[] = {{"f32", 0x7F800001, 0xFFABCDEF},
                 {"f64", 0x7FF0000000000001, 0xFFF8000000000123},
                 {"f16", 0x7C01, 0xFFFF},
                 {"bf16", 0x7F81, 0xFFC1},
                 {"f8E4M3FN", 0x7F, 0xFF},
                 {"f8E5M2", 0x7D, 0xFF}};
  Case results[] = {{"f32", 0x7FC00000, 0xFFC00000},
                    {"f64", 0x7FF8000000000000, 0xFFF8000000000000},
                    {"f16", 0x7E00, 0xFE00},
                    {"bf16", 0x7FC0, 0xFFC0}};
  for (const Case &source : sources)
    for (const Case &result : results) {
      if (source.from == result.from)
        continue;
      SCOPED_TRACE((source.from + " to " + result.from).str());
      EXPECT_EQ(cast(source.from, result.from, source.positive),
                result.positive);
      EXPECT_EQ(cast(source.from, result.from, source.negative),
                result.negative);
    }
}

/// Half of the smallest value is a tie, and the overflow threshold is the
/// midpoint between the maximum and the next value.
TEST_F(CastFloatTest, C3_rounding_and_limits) {
  struct Case {
    StringRef to;
    float minSubnormal, minNormal, max, firstOverflow;
    uint64_t minNormalEncoding, maxEncoding, overflowEncoding,
        negativeOverflowEncoding;
  } cases[] = {
      {"f8E4M3FN", 0x1p-9f, 0x1p-6f, 448, 0x1.d00002p8f, 0x08, 0x7E, 0x7F,
       0xFF},
      {"f8E4M3FNUZ", 0x1p-10f, 0x1p-7f, 240, 248, 0x08, 0x7F, 0x80, 0x80},
      {"f8E5M2", 0x1p-16f, 0x1p-14f, 57344, 61440, 0x04, 0x7B, 0x7C, 0xFC},
      {"f8E5M2FNUZ", 0x1p-17f, 0x1p-15f, 57344, 61440, 0x04, 0x7F, 0x80, 0x80}};
  for (const Case &c : cases) {
    SCOPED_TRACE(c.to.str());
    float below = std::nextafter(c.firstOverflow, 0.0f);
    for (const CastOptions &options : {saturating, overflowing}) {
      EXPECT_EQ(cast(c.minSubnormal, c.to, options), 0x01u);
      EXPECT_EQ(cast(c.minSubnormal / 2, c.to, options), 0x00u);
      EXPECT_EQ(cast(std::nextafter(c.minSubnormal / 2, 1.0f), c.to, options),
                0x01u);
      EXPECT_EQ(cast(c.minSubnormal * 1.5f, c.to, options), 0x02u);
      EXPECT_EQ(cast(c.minNormal, c.to, options), c.minNormalEncoding);
      // A subnormal that rounds up to the first normal number.
      EXPECT_EQ(cast(c.minNormal - c.minSubnormal / 2, c.to, options),
                c.minNormalEncoding);
      EXPECT_EQ(cast(-c.minNormal, c.to, options), c.minNormalEncoding | 0x80);
      EXPECT_EQ(cast(c.max, c.to, options), c.maxEncoding);
      EXPECT_EQ(cast(below, c.to, options), c.maxEncoding);
      EXPECT_EQ(cast(-below, c.to, options), c.maxEncoding | 0x80);
    }
    for (float value : {c.firstOverflow, c.firstOverflow * 2,
                        std::numeric_limits<float>::max()}) {
      EXPECT_EQ(cast(value, c.to, saturating), c.maxEncoding);
      EXPECT_EQ(cast(-value, c.to, saturating), c.maxEncoding | 0x80);
      EXPECT_EQ(cast(value, c.to, overflowing), c.overflowEncoding);
      EXPECT_EQ(cast(-value, c.to, overflowing), c.negativeOverflowEncoding);
    }
    EXPECT_EQ(cast(1e308, c.to, overflowing), c.overflowEncoding);
  }
}

TEST_F(CastFloatTest, C3_ties_to_even) {
  EXPECT_EQ(cast(464.0f, "f8E4M3FN", overflowing), 0x7Eu);
  EXPECT_EQ(cast(1.0625f, "f8E4M3FN"), 0x38u);
  EXPECT_EQ(cast(1.1875f, "f8E4M3FN"), 0x3Au);
  EXPECT_EQ(cast(1.9375f, "f8E4M3FN"), 0x40u);
  EXPECT_EQ(cast(1.125f, "f8E5M2"), 0x3Cu);
  EXPECT_EQ(cast(1.375f, "f8E5M2"), 0x3Eu);
  // Casts between float8 types follow the same rules.
  EXPECT_EQ(cast("f8E4M3FN", "f8E4M3FNUZ", 0x7E, saturating), 0x7Fu);
  EXPECT_EQ(cast("f8E4M3FN", "f8E4M3FNUZ", 0x7E, overflowing), 0x80u);
  EXPECT_EQ(cast("f8E4M3FNUZ", "f8E4M3FN", 0x01), 0x00u);
  EXPECT_EQ(cast("f8E4M3FNUZ", "f8E4M3FN", 0x03), 0x02u);
}

TEST_F(CastFloatTest, C4_infinity) {
  for (int64_t opset : {19, 20, 21, 23, 24, 25, 28}) {
    SCOPED_TRACE(opset);
    CastOptions options{opset, true, ScaleRounding::Up};
    EXPECT_EQ(cast("f32", "f8E4M3FN", f32Inf, options), 0x7Eu);
    EXPECT_EQ(cast("f32", "f8E5M2", f32NegativeInf, options), 0xFBu);
    uint64_t fnuz = opset < 24 ? 0x80 : 0x7F;
    uint64_t negativeFnuz = opset < 24 ? 0x80 : 0xFF;
    for (StringRef to : {"f8E4M3FNUZ", "f8E5M2FNUZ"}) {
      EXPECT_EQ(cast("f32", to, f32Inf, options), fnuz);
      EXPECT_EQ(cast("f32", to, f32NegativeInf, options), negativeFnuz);
      EXPECT_EQ(cast("f8E5M2", to, 0x7C, options), fnuz);
      // Finite overflow saturates in every version.
      EXPECT_EQ(cast(1e30f, to, options), 0x7Fu);
    }
    options.saturate = false;
    EXPECT_EQ(cast("f32", "f8E4M3FN", f32NegativeInf, options), 0xFFu);
    EXPECT_EQ(cast("f32", "f8E5M2", f32Inf, options), 0x7Cu);
    EXPECT_EQ(cast("f32", "f8E4M3FNUZ", f32Inf, options), 0x80u);
    EXPECT_EQ(cast("f32", "f8E5M2FNUZ", f32NegativeInf, options), 0x80u);
  }
}

TEST_F(CastFloatTest, C5_nan) {
  for (CastOptions options : {saturating, overflowing})
    for (int64_t opset : {19, 28}) {
      options.opset = opset;
      EXPECT_EQ(cast("f32", "f8E4M3FN", f32NaN, options), 0x7Fu);
      EXPECT_EQ(cast("f32", "f8E4M3FN", f32NegativeNaN, options), 0xFFu);
      EXPECT_EQ(cast("f32", "f8E5M2", 0x7F800001, options), 0x7Eu);
      EXPECT_EQ(cast("f32", "f8E5M2", f32NegativeNaN, options), 0xFEu);
      EXPECT_EQ(cast("f32", "f8E4M3FNUZ", f32NaN, options), 0x80u);
      EXPECT_EQ(cast("f32", "f8E5M2FNUZ", f32NegativeNaN, options), 0x80u);
      EXPECT_EQ(cast("f8E5M2", "f8E4M3FN", 0xFD, options), 0xFFu);
      // The NaN of the FNUZ formats has a sign bit, so it becomes negative.
      EXPECT_EQ(cast("f8E4M3FNUZ", "f8E4M3FN", 0x80, options), 0xFFu);
      EXPECT_EQ(cast("f8E5M2FNUZ", "f8E5M2", 0x80, options), 0xFEu);
      EXPECT_EQ(cast("f8E8M0FNU", "f8E5M2", 0xFF, options), 0x7Eu);
    }
}

TEST_F(CastFloatTest, C6_zero) {
  for (float zero : {-0.0f, -0x1p-30f}) {
    EXPECT_EQ(cast(zero, "f8E4M3FN"), 0x80u);
    EXPECT_EQ(cast(zero, "f8E5M2"), 0x80u);
    EXPECT_EQ(cast(zero, "f8E4M3FNUZ"), 0x00u);
    EXPECT_EQ(cast(zero, "f8E5M2FNUZ"), 0x00u);
  }
  EXPECT_EQ(cast(0.0f, "f8E4M3FN"), 0x00u);
  EXPECT_EQ(cast("f8E4M3FN", "f8E5M2FNUZ", 0x80), 0x00u);
  EXPECT_EQ(cast("f4E2M1FN", "f8E4M3FNUZ", 0x8), 0x00u);
  EXPECT_EQ(cast("f4E2M1FN", "f8E4M3FN", 0x8), 0x80u);
}

TEST_F(CastFloatTest, C7_widening_is_exact) {
  EXPECT_EQ(value("f8E4M3FN", 0x38), 1.0);
  EXPECT_EQ(value("f8E4M3FNUZ", 0x38), 0.5);
  EXPECT_EQ(value("f8E4M3FN", 0x01), 0x1p-9);
  EXPECT_EQ(value("f8E4M3FN", 0x07), 0x1.cp-7);
  EXPECT_EQ(value("f8E4M3FN", 0xFE), -448.0);
  EXPECT_EQ(value("f8E4M3FNUZ", 0x01), 0x1p-10);
  EXPECT_EQ(value("f8E4M3FNUZ", 0xFF), -240.0);
  EXPECT_EQ(value("f8E5M2", 0x03), 0x1.8p-15);
  EXPECT_EQ(value("f8E5M2", 0x7B), 57344.0);
  EXPECT_EQ(value("f8E5M2", 0xFC), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("f8E5M2FNUZ", 0x01), 0x1p-17);
  EXPECT_EQ(value("f8E5M2FNUZ", 0x7F), 57344.0);
  EXPECT_EQ(value("f6E2M3FN", 0x1F), 7.5);
  EXPECT_EQ(value("f6E2M3FN", 0x21), -0.125);
  EXPECT_EQ(value("f6E3M2FN", 0x1F), 28.0);
  EXPECT_EQ(value("f6E3M2FN", 0x01), 0.0625);
  double float4[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned encoding = 0; encoding < 8; ++encoding) {
    EXPECT_EQ(value("f4E2M1FN", encoding), float4[encoding]);
    EXPECT_EQ(value("f4E2M1FN", encoding | 8), -float4[encoding]);
  }
  EXPECT_EQ(cast("f8E5M2FNUZ", "f16", 0x01), 0x0080u);
  EXPECT_EQ(cast("f8E4M3FNUZ", "f32", 0x80), f32NegativeNaN);
  EXPECT_EQ(cast("f8E5M2FNUZ", "f16", 0x80), 0xFE00u);
  EXPECT_EQ(cast("f8E4M3FN", "bf16", 0x80), 0x8000u);
}

/// Every encoding survives a round trip through f64.
TEST_F(CastFloatTest, C7_round_trip) {
  for (StringRef type :
       {"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f6E2M3FN",
        "f6E3M2FN", "f4E2M1FN", "f8E8M0FNU", "f16", "bf16"}) {
    SCOPED_TRACE(type.str());
    uint64_t numEncodings = uint64_t(1) << parse(type).getIntOrFloatBitWidth();
    for (uint64_t encoding = 0; encoding < numEncodings; ++encoding)
      if (!std::isnan(value(type, encoding)))
        ASSERT_EQ(cast("f64", type, cast(type, "f64", encoding), overflowing),
                  encoding);
  }
}

TEST_F(CastFloatTest, C8_grid) {
  struct Case {
    float value;
    uint64_t encoding;
  } cases[] = {{.25f, 0x0},    {.2500001f, 0x1}, {.75f, 0x2}, {1.25f, 0x2},
               {1.75f, 0x4},   {2.5f, 0x4},      {3.5f, 0x6}, {5.0f, 0x6},
               {5.0001f, 0x7}, {6.0f, 0x7},      {7.0f, 0x7}, {1e38f, 0x7}};
  for (const Case &c : cases)
    for (const CastOptions &options : {saturating, overflowing}) {
      SCOPED_TRACE(c.value);
      EXPECT_EQ(cast(c.value, "f4E2M1FN", options), c.encoding);
      EXPECT_EQ(cast(-c.value, "f4E2M1FN", options), c.encoding | 8);
    }
  EXPECT_EQ(cast(0.0625f, "f6E2M3FN"), 0x00u);
  EXPECT_EQ(cast(0.1875f, "f6E2M3FN"), 0x02u);
  EXPECT_EQ(cast(0.9375f, "f6E2M3FN"), 0x08u);
  EXPECT_EQ(cast(-100.0f, "f6E2M3FN"), 0x3Fu);
  EXPECT_EQ(cast(0.09375f, "f6E3M2FN"), 0x02u);
  EXPECT_EQ(cast(26.0f, "f6E3M2FN"), 0x1Eu);
  EXPECT_EQ(cast(-29.0f, "f6E3M2FN"), 0x3Fu);
  EXPECT_EQ(cast("f6E3M2FN", "f6E2M3FN", 0x1F), 0x1Fu);
  EXPECT_EQ(cast("f6E2M3FN", "f6E3M2FN", 0x1F), 0x18u);
}

TEST_F(CastFloatTest, C8_zero_infinity_nan) {
  struct Case {
    StringRef to;
    uint64_t negativeZero, max;
  } cases[] = {{"f4E2M1FN", 0x8, 0x7},
               {"f6E2M3FN", 0x20, 0x1F},
               {"f6E3M2FN", 0x20, 0x1F}};
  for (const Case &c : cases)
    for (const CastOptions &options : {saturating, overflowing}) {
      SCOPED_TRACE(c.to.str());
      EXPECT_EQ(cast(-0.0f, c.to, options), c.negativeZero);
      EXPECT_EQ(cast(-1e-30f, c.to, options), c.negativeZero);
      EXPECT_EQ(cast("f32", c.to, f32Inf, options), c.max);
      EXPECT_EQ(cast("f32", c.to, f32NegativeInf, options),
                c.max | c.negativeZero);
      EXPECT_EQ(cast("f32", c.to, f32NaN, options), c.negativeZero);
      EXPECT_EQ(cast("f32", c.to, f32NegativeNaN, options), 0x0u);
      EXPECT_EQ(cast("f8E4M3FNUZ", c.to, 0x80, options), 0x0u);
      EXPECT_EQ(cast("f8E8M0FNU", c.to, 0xFF, options), c.negativeZero);
    }
}

TEST_F(CastFloatTest, V7_identity) {
  EXPECT_EQ(cast("f32", "f32", 0x7F800001), 0x7F800001u);
  EXPECT_EQ(cast("f64", "f64", 0xFFF0000000000001), 0xFFF0000000000001u);
  EXPECT_EQ(cast("bf16", "bf16", 0xFF81), 0xFF81u);
  EXPECT_EQ(cast("f8E5M2", "f8E5M2", 0x7C, saturating), 0x7Cu);
  EXPECT_EQ(cast("f8E5M2", "f8E5M2", 0xFD, saturating), 0xFDu);
  EXPECT_EQ(cast("f8E8M0FNU", "f8E8M0FNU", 0x00), 0x00u);
  EXPECT_EQ(cast("i1", "i1", 1), 1u);
}

} // namespace
