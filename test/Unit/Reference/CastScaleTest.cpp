//===- CastScaleTest.cpp - Rules C9 and C10 -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastTest.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

namespace {

class CastScaleTest : public CastTest {
protected:
  static CastOptions with(ScaleRounding rounding, bool saturate = true) {
    return {28, saturate, rounding};
  }
  static constexpr ScaleRounding modes[] = {
      ScaleRounding::Up, ScaleRounding::Down, ScaleRounding::Nearest};
};

TEST_F(CastScaleTest, C9_round_modes) {
  struct Case {
    float value;
    uint64_t up, down, nearest;
  } cases[] = {{1.0f, 0x7F, 0x7F, 0x7F},
               {0x1.000002p0f, 0x80, 0x7F, 0x7F},
               {1.1f, 0x80, 0x7F, 0x7F},
               {1.25f, 0x80, 0x7F, 0x7F},
               {0x1.7ffffep0f, 0x80, 0x7F, 0x7F},
               {1.5f, 0x80, 0x7F, 0x80},
               {0x1.fffffep0f, 0x80, 0x7F, 0x80},
               {2.0f, 0x80, 0x80, 0x80},
               {0x1p-127f, 0x00, 0x00, 0x00},
               {0x1.4p-127f, 0x01, 0x00, 0x00},
               {0x1.8p-127f, 0x01, 0x00, 0x01},
               {0x1p-126f, 0x01, 0x01, 0x01},
               {0x1.000002p126f, 0xFE, 0xFD, 0xFD},
               {0x1p127f, 0xFE, 0xFE, 0xFE}};
  for (const Case &c : cases)
    for (bool saturate : {true, false}) {
      SCOPED_TRACE(c.value);
      EXPECT_EQ(cast(c.value, "f8E8M0FNU", with(modes[0], saturate)), c.up);
      EXPECT_EQ(cast(c.value, "f8E8M0FNU", with(modes[1], saturate)), c.down);
      EXPECT_EQ(cast(c.value, "f8E8M0FNU", with(modes[2], saturate)),
                c.nearest);
    }
  // f64 neighbors of the limits and of a midpoint, which f32 cannot represent.
  EXPECT_EQ(cast(0x1.0000000000001p-127, "f8E8M0FNU", saturating), 0x01u);
  EXPECT_EQ(cast(0x1.7ffffffffffffp3, "f8E8M0FNU", with(modes[2])), 0x82u);
  EXPECT_EQ(cast(0x1.8p3, "f8E8M0FNU", with(modes[2])), 0x83u);
}

TEST_F(CastScaleTest, C9_outside_the_range) {
  for (ScaleRounding mode : modes) {
    CastOptions saturate = with(mode), overflow = with(mode, false);
    for (float below : {0.0f, -0.0f, -1.0f, -1e38f, 0x1p-149f, 0x1p-128f}) {
      SCOPED_TRACE(below);
      EXPECT_EQ(cast(below, "f8E8M0FNU", saturate), 0x00u);
      EXPECT_EQ(cast(below, "f8E8M0FNU", overflow), 0xFFu);
    }
    EXPECT_EQ(cast(0x1.fffffffffffffp-128, "f8E8M0FNU", overflow), 0xFFu);
    EXPECT_EQ(cast("f32", "f8E8M0FNU", f32NegativeInf, saturate), 0x00u);
    EXPECT_EQ(cast("f32", "f8E8M0FNU", f32NegativeInf, overflow), 0xFFu);
    for (float above : {0x1.000002p127f, 0x1.4p127f, 0x1.8p127f, 3.4e38f}) {
      SCOPED_TRACE(above);
      EXPECT_EQ(cast(above, "f8E8M0FNU", saturate), 0xFEu);
      EXPECT_EQ(cast(above, "f8E8M0FNU", overflow), 0xFFu);
    }
    EXPECT_EQ(cast(1e300, "f8E8M0FNU", saturate), 0xFEu);
    EXPECT_EQ(cast("f32", "f8E8M0FNU", f32Inf, saturate), 0xFEu);
    EXPECT_EQ(cast("f32", "f8E8M0FNU", f32Inf, overflow), 0xFFu);
    for (uint64_t nan : {f32NaN, f32NegativeNaN, uint64_t(0x7F800001)}) {
      EXPECT_EQ(cast("f32", "f8E8M0FNU", nan, saturate), 0xFFu);
      EXPECT_EQ(cast("f32", "f8E8M0FNU", nan, overflow), 0xFFu);
    }
    EXPECT_EQ(cast("i1", "f8E8M0FNU", 0, saturate), 0x00u);
    EXPECT_EQ(cast("i1", "f8E8M0FNU", 0, overflow), 0xFFu);
    EXPECT_EQ(cast("i1", "f8E8M0FNU", 1, overflow), 0x7Fu);
    EXPECT_EQ(cast("i8", "f8E8M0FNU", 0xFF, saturate), 0x00u);
    EXPECT_EQ(cast("i8", "f8E8M0FNU", 0xFF, overflow), 0xFFu);
  }
  EXPECT_EQ(cast("ui64", "f8E8M0FNU", UINT64_MAX, with(modes[0])), 0xBFu);
  EXPECT_EQ(cast("ui64", "f8E8M0FNU", UINT64_MAX, with(modes[1])), 0xBEu);
  EXPECT_EQ(cast("ui64", "f8E8M0FNU", UINT64_MAX, with(modes[2])), 0xBFu);
  EXPECT_EQ(cast("i64", "f8E8M0FNU", (uint64_t(1) << 62) + 1, with(modes[0])),
            0xBEu);
}

TEST_F(CastScaleTest, C10_powers_of_two) {
  EXPECT_EQ(cast("f8E8M0FNU", "f32", 0x00), 0x00400000u);
  EXPECT_EQ(cast("f8E8M0FNU", "bf16", 0x00), 0x0040u);
  EXPECT_EQ(cast("f8E8M0FNU", "f64", 0x00), 0x3800000000000000u);
  EXPECT_EQ(cast("f8E8M0FNU", "f32", 0x7F), 0x3F800000u);
  EXPECT_EQ(cast("f8E8M0FNU", "f32", 0xFE), 0x7F000000u);
  EXPECT_EQ(cast("f8E8M0FNU", "f32", 0xFF), f32NaN);
  // f16 rounds: 2^-25 is a tie and becomes zero, 2^16 overflows.
  EXPECT_EQ(cast("f8E8M0FNU", "f16", 102), 0x0000u);
  EXPECT_EQ(cast("f8E8M0FNU", "f16", 103), 0x0001u);
  EXPECT_EQ(cast("f8E8M0FNU", "f16", 142), 0x7800u);
  EXPECT_EQ(cast("f8E8M0FNU", "f16", 143), 0x7C00u);
  EXPECT_EQ(cast("f8E8M0FNU", "f16", 0xFF), 0x7E00u);
  EXPECT_EQ(cast("f8E8M0FNU", "f8E4M3FN", 0xFE, overflowing), 0x7Fu);
  EXPECT_EQ(cast("f8E8M0FNU", "f8E4M3FN", 0xFE, saturating), 0x7Eu);
  EXPECT_EQ(cast("f8E8M0FNU", "f4E2M1FN", 0x80), 0x4u);
  EXPECT_EQ(cast("f8E8M0FNU", "i32", 0x7F), 1u);
  EXPECT_EQ(cast("f8E8M0FNU", "i32", 0x7E), 0u);
  EXPECT_EQ(cast("f8E8M0FNU", "i32", 0xFE), 0x7FFFFFFFu);
  EXPECT_EQ(cast("f8E8M0FNU", "i32", 0xFF), 0u);
}

TEST_F(CastScaleTest, C10_bool_is_always_true) {
  for (uint64_t encoding = 0; encoding < 256; ++encoding)
    EXPECT_EQ(cast("f8E8M0FNU", "i1", encoding), 1u);
}

} // namespace
