//===- CastIntegerTest.cpp - Rules C11 to C13 -----------------------------===//
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

class CastIntegerTest : public CastTest {};

TEST_F(CastIntegerTest, C11_toward_zero) {
  for (StringRef to : {"i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4",
                       "ui8", "ui16", "ui32", "ui64"}) {
    SCOPED_TRACE(to.str());
    EXPECT_EQ(cast(0.99f, to), 0u);
    EXPECT_EQ(cast(-0.99f, to), 0u);
    EXPECT_EQ(cast(1.5f, to), 1u);
    EXPECT_EQ(cast(-0.0f, to), 0u);
  }
  EXPECT_EQ(cast(7.6f, "i4"), 7u);
  EXPECT_EQ(cast(2.5f, "ui2"), 2u);
  EXPECT_EQ(cast(-1.9f, "i32"), 0xFFFFFFFFu);
  EXPECT_EQ(cast("f8E4M3FN", "i8", 0x3C), 1u);  // 1.5
  EXPECT_EQ(cast("f4E2M1FN", "i4", 0xF), 0xAu); // -6
}

TEST_F(CastIntegerTest, C11_low_bits) {
  EXPECT_EQ(cast(200.0f, "i8"), 0xC8u); // -56
  EXPECT_EQ(cast(-1.0f, "ui8"), 0xFFu);
  EXPECT_EQ(cast(256.0f, "ui8"), 0u);
  EXPECT_EQ(cast(-9.0f, "i4"), 7u);
  EXPECT_EQ(cast(8.0f, "i4"), 8u); // -8
  EXPECT_EQ(cast(8.5f, "i4"), 8u);
  EXPECT_EQ(cast(16.0f, "ui4"), 0u);
  EXPECT_EQ(cast(-1.0f, "ui2"), 3u);
  EXPECT_EQ(cast(65536.0f * 3 + 5, "i16"), 5u);
}

/// Narrow destinations receive the low bits of the saturated i32.
TEST_F(CastIntegerTest, C11_saturates_to_i32) {
  for (StringRef to :
       {"i2", "i4", "i8", "i16", "ui2", "ui4", "ui8", "ui16", "i32"}) {
    SCOPED_TRACE(to.str());
    unsigned width = parse(to).getIntOrFloatBitWidth();
    uint64_t ones = llvm::maxUIntN(width);
    uint64_t max = width == 32 ? 0x7FFFFFFF : ones;
    uint64_t min = width == 32 ? 0x80000000 : 0;
    EXPECT_EQ(cast(3e9f, to), max);
    EXPECT_EQ(cast(1e300, to), max);
    EXPECT_EQ(cast(2147483647.9, to), max);
    EXPECT_EQ(cast("f32", to, f32Inf), max);
    EXPECT_EQ(cast(-3e9f, to), min);
    EXPECT_EQ(cast("f32", to, f32NegativeInf), min);
    EXPECT_EQ(cast("f32", to, f32NaN), 0u);
    EXPECT_EQ(cast("f32", to, f32NegativeNaN), 0u);
  }
}

TEST_F(CastIntegerTest, C11_saturates_to_i64) {
  EXPECT_EQ(cast(3e9f, "i64"), 3000000000u);
  EXPECT_EQ(cast(1e19f, "i64"), 0x7FFFFFFFFFFFFFFFu);
  EXPECT_EQ(cast(-1e19f, "i64"), 0x8000000000000000u);
  EXPECT_EQ(cast("f32", "i64", f32NaN), 0u);

  EXPECT_EQ(cast(3e9f, "ui32"), 3000000000u);
  EXPECT_EQ(cast(-1.0f, "ui32"), 0xFFFFFFFFu);
  EXPECT_EQ(cast(4294967296.0f, "ui32"), 0u);
  EXPECT_EQ(cast(4294967301.0, "ui32"), 5u);
  EXPECT_EQ(cast(1e19f, "ui32"), 0xFFFFFFFFu);
  EXPECT_EQ(cast(-1e19f, "ui32"), 0u);
  EXPECT_EQ(cast("f32", "ui32", f32NaN), 0u);

  EXPECT_EQ(cast(1e19, "ui64"), 10000000000000000000u);
  EXPECT_EQ(cast(1e20f, "ui64"), UINT64_MAX);
  EXPECT_EQ(cast("f32", "ui64", f32Inf), UINT64_MAX);
  EXPECT_EQ(cast(-1.0f, "ui64"), UINT64_MAX);
  EXPECT_EQ(cast(-0.5f, "ui64"), 0u);
  EXPECT_EQ(cast(-1e20f, "ui64"), 0x8000000000000000u);
  EXPECT_EQ(cast("f32", "ui64", f32NegativeInf), 0x8000000000000000u);
  EXPECT_EQ(cast("f64", "ui64", 0x7FF8000000000000), 0u);
}

TEST_F(CastIntegerTest, C12_integer_to_integer) {
  EXPECT_EQ(cast("i4", "ui8", 0x8), 0xF8u);
  EXPECT_EQ(cast("ui4", "i8", 0x8), 0x08u);
  EXPECT_EQ(cast("i8", "i64", 0x80), 0xFFFFFFFFFFFFFF80u);
  EXPECT_EQ(cast("ui8", "i64", 0x80), 0x80u);
  EXPECT_EQ(cast("i32", "ui64", 0xFFFFFFFF), UINT64_MAX);
  EXPECT_EQ(cast("i64", "i8", 0x1234567890ABCDEF), 0xEFu);
  EXPECT_EQ(cast("ui64", "i4", 0xFFFFFFFFFFFFFFF7), 0x7u);
  EXPECT_EQ(cast("i2", "ui4", 0x2), 0xEu);
  EXPECT_EQ(cast("ui2", "i4", 0x3), 0x3u);
  EXPECT_EQ(cast("i4", "ui2", 0x7), 0x3u);
}

TEST_F(CastIntegerTest, C12_integer_to_float) {
  EXPECT_EQ(cast("i8", "f32", 0x80), 0xC3000000u); // -128
  EXPECT_EQ(cast("ui8", "f32", 0x80), 0x43000000u);
  EXPECT_EQ(cast("i32", "f64", 0x80000000), 0xC1E0000000000000u);
  EXPECT_EQ(cast("i32", "f32", 16777217), 0x4B800000u);
  EXPECT_EQ(cast("i64", "f64", 9007199254740993), 0x4340000000000000u);
  EXPECT_EQ(cast("ui64", "f64", UINT64_MAX), 0x43F0000000000000u);
  EXPECT_EQ(cast("i64", "f64", 0x8000000000000000), 0xC3E0000000000000u);
  EXPECT_EQ(cast("i8", "f32", 0), 0u);
  EXPECT_EQ(cast("i4", "f8E4M3FN", 0x8), 0xD0u); // -8
  EXPECT_EQ(cast("i32", "f8E4M3FN", 465, saturating), 0x7Eu);
  EXPECT_EQ(cast("i32", "f8E4M3FN", 465, overflowing), 0x7Fu);
  EXPECT_EQ(cast("ui64", "f8E5M2", UINT64_MAX, overflowing), 0x7Cu);
  EXPECT_EQ(cast("i8", "f4E2M1FN", 5), 0x6u);
  EXPECT_EQ(cast("i8", "f4E2M1FN", 0x9C), 0xFu); // -100
  EXPECT_EQ(cast("i2", "f6E2M3FN", 0x3), 0x28u); // -1
  EXPECT_EQ(cast("ui8", "f8E8M0FNU", 5), 0x82u);
}

TEST_F(CastIntegerTest, C13_to_bool) {
  EXPECT_EQ(cast(0.0f, "i1"), 0u);
  EXPECT_EQ(cast(-0.0f, "i1"), 0u);
  EXPECT_EQ(cast("f8E4M3FN", "i1", 0x80), 0u);
  EXPECT_EQ(cast("f8E5M2", "i1", 0x80), 0u);
  EXPECT_EQ(cast("f8E4M3FNUZ", "i1", 0x80), 1u);
  EXPECT_EQ(cast("f8E5M2FNUZ", "i1", 0x80), 1u);
  EXPECT_EQ(cast("f4E2M1FN", "i1", 0x8), 0u);
  EXPECT_EQ(cast("f6E3M2FN", "i1", 0x20), 0u);
  EXPECT_EQ(cast("f32", "i1", f32NaN), 1u);
  EXPECT_EQ(cast("f32", "i1", 0x00000001), 1u);
  EXPECT_EQ(cast("f64", "i1", 0x8000000000000001), 1u);
  EXPECT_EQ(cast(0.5f, "i1"), 1u);
  EXPECT_EQ(cast("i64", "i1", uint64_t(1) << 32), 1u);
  EXPECT_EQ(cast("ui2", "i1", 2), 1u);
  EXPECT_EQ(cast("i8", "i1", 0), 0u);
}

TEST_F(CastIntegerTest, C13_from_bool) {
  EXPECT_EQ(cast("i1", "i2", 1), 1u);
  EXPECT_EQ(cast("i1", "i64", 1), 1u);
  EXPECT_EQ(cast("i1", "ui8", 0), 0u);
  EXPECT_EQ(cast("i1", "f32", 1), 0x3F800000u);
  EXPECT_EQ(cast("i1", "f8E4M3FN", 1), 0x38u);
  EXPECT_EQ(cast("i1", "f8E4M3FNUZ", 1), 0x40u);
  EXPECT_EQ(cast("i1", "f4E2M1FN", 1), 0x2u);
}

} // namespace
