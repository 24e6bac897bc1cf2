//===- FloatFormatTest.cpp - Properties of float formats ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/FloatFormat.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The properties of section T of docs/rules.md, as literals.
struct Expected {
  Type type;
  unsigned width, mantissaBits;
  int bias, minExponent, maxExponent;
  double maxValue;
  uint64_t maxEncoding;
  bool hasInfinity;
  uint64_t infinityEncoding;
  bool hasNaN;
  uint64_t nanEncoding;
  bool isFNUZ;
};

TEST(FloatFormatTest, factsOfEveryFormat) {
  MLIRContext context;
  context.loadDialect<QuantFloatDialect>();
  const Expected table[] = {
      {Float8E4M3FNType::get(&context), 8, 3, 7, -6, 8, 448, 0x7E, false, 0,
       true, 0x7F, false},
      {Float8E4M3FNUZType::get(&context), 8, 3, 8, -7, 7, 240, 0x7F, false, 0,
       true, 0x80, true},
      {Float8E5M2Type::get(&context), 8, 2, 15, -14, 15, 57344, 0x7B, true,
       0x7C, true, 0x7E, false},
      {Float8E5M2FNUZType::get(&context), 8, 2, 16, -15, 15, 57344, 0x7F, false,
       0, true, 0x80, true},
      {Float8E3M4Type::get(&context), 8, 4, 3, -2, 3, 15.5, 0x6F, true, 0x70,
       true, 0x78, false},
      {Float8E4M3Type::get(&context), 8, 3, 7, -6, 7, 240, 0x77, true, 0x78,
       true, 0x7C, false},
      {Float8E4M3B11FNUZType::get(&context), 8, 3, 11, -10, 4, 30, 0x7F, false,
       0, true, 0x80, true},
      {Float8UE5M3Type::get(&context), 8, 3, 15, -14, 16, 114688, 0xFE, false,
       0, true, 0xFF, false},
      {Float4E2M1FNType::get(&context), 4, 1, 1, 0, 2, 6, 0x7, false, 0, false,
       0, false},
      {Float6E2M3FNType::get(&context), 6, 3, 1, 0, 2, 7.5, 0x1F, false, 0,
       false, 0, false},
      {Float6E3M2FNType::get(&context), 6, 2, 3, -2, 4, 28, 0x1F, false, 0,
       false, 0, false},
      {Float16Type::get(&context), 16, 10, 15, -14, 15, 65504, 0x7BFF, true,
       0x7C00, true, 0x7E00, false},
      {Float32Type::get(&context), 32, 23, 127, -126, 127, 0x1.FFFFFEp127,
       0x7F7FFFFF, true, 0x7F800000, true, 0x7FC00000, false},
  };
  for (const Expected &expected : table) {
    FloatFormat format(expected.type);
    std::string name;
    llvm::raw_string_ostream(name) << expected.type;
    SCOPED_TRACE(name);
    EXPECT_EQ(format.width, expected.width);
    EXPECT_EQ(format.mantissaBits, expected.mantissaBits);
    EXPECT_EQ(format.bias, expected.bias);
    EXPECT_EQ(format.minExponent, expected.minExponent);
    EXPECT_EQ(format.maxExponent, expected.maxExponent);
    EXPECT_EQ(format.maxValue.convertToDouble(), expected.maxValue);
    EXPECT_EQ(format.maxEncoding, expected.maxEncoding);
    EXPECT_EQ(format.hasInfinity, expected.hasInfinity);
    EXPECT_EQ(format.infinityEncoding, expected.infinityEncoding);
    EXPECT_EQ(format.hasNaN, expected.hasNaN);
    EXPECT_EQ(format.nanEncoding, expected.nanEncoding);
    EXPECT_EQ(format.isFNUZ, expected.isFNUZ);
  }
}

// The values of all encodings agree with LLVM's semantics, for types that LLVM
// has.
TEST(FloatFormatTest, valuesAreLlvms) {
  MLIRContext context;
  const FloatType types[] = {
      Float64Type::get(&context),           Float32Type::get(&context),
      Float16Type::get(&context),           BFloat16Type::get(&context),
      Float8E4M3FNType::get(&context),      Float8E4M3FNUZType::get(&context),
      Float8E5M2Type::get(&context),        Float8E5M2FNUZType::get(&context),
      Float8E3M4Type::get(&context),        Float8E4M3Type::get(&context),
      Float8E4M3B11FNUZType::get(&context), Float8E8M0FNUType::get(&context),
      Float6E2M3FNType::get(&context),      Float6E3M2FNType::get(&context),
      Float4E2M1FNType::get(&context)};
  for (FloatType type : types) {
    FloatFormat format(type);
    unsigned width = type.getWidth();
    ASSERT_EQ(format.width, width);
    uint64_t end = uint64_t(1) << std::min(width, 16u);
    for (uint64_t i = 0; i < end; ++i) {
      // For wide types, test the encodings whose low bits are zero.
      uint64_t encoding = i << (width - std::min(width, 16u));
      llvm::APFloat expected(type.getFloatSemantics(), APInt(width, encoding));
      bool losesInfo;
      expected.convert(llvm::APFloat::IEEEdouble(),
                       llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      llvm::APFloat value = format.getValue(encoding);
      ASSERT_EQ(value.isNaN(), expected.isNaN());
      if (!value.isNaN())
        ASSERT_TRUE(value.bitwiseIsEqual(expected)) << width << " " << encoding;
      else if (format.isSigned && !format.isFNUZ)
        ASSERT_EQ(value.isNegative(), expected.isNegative());
    }
  }
}

TEST(FloatFormatTest, unsignedValues) {
  MLIRContext context;
  context.loadDialect<QuantFloatDialect>();
  FloatFormat format(Float8UE5M3Type::get(&context));
  EXPECT_EQ(format.signMask(), 0u);
  EXPECT_EQ(format.magnitudeMask(), 0xFFu);
  EXPECT_TRUE(format.getValue(0).isPosZero());
  EXPECT_EQ(format.getValue(1).convertToDouble(), 0x1p-17);
  EXPECT_EQ(format.getValue(0x78).convertToDouble(), 1.0);
  EXPECT_EQ(format.getValue(0xFE).convertToDouble(), 114688.0);
  EXPECT_TRUE(format.getValue(0xFF).isNaN());
  EXPECT_FALSE(format.getValue(0xFF).isNegative());
}

// The common properties are defined, although the format has no zero.
TEST(FloatFormatTest, scale) {
  MLIRContext context;
  FloatFormat format(Float8E8M0FNUType::get(&context));
  EXPECT_EQ(format.width, 8u);
  EXPECT_TRUE(format.hasNaN);
  EXPECT_FALSE(format.hasInfinity);
  EXPECT_FALSE(format.isFNUZ);
  EXPECT_EQ(format.maxEncoding, 0xFEu);
}

TEST(FloatFormatTest, narrowAndStandard) {
  MLIRContext context;
  context.loadDialect<QuantFloatDialect>();
  Type own = Float8UE5M3Type::get(&context);
  EXPECT_TRUE(isNarrowFloat(own) && isFloat8(own) && isNumber(own));
  EXPECT_EQ(getNumberWidth(own), 8u);
  EXPECT_FALSE(isFloat(Float128Type::get(&context)));
  EXPECT_FALSE(isFloat8(Float8E8M0FNUType::get(&context)));
  EXPECT_FALSE(isNumber(IndexType::get(&context)));
  EXPECT_TRUE(isNarrowFloat(Float8E8M0FNUType::get(&context)));
  EXPECT_TRUE(isNarrowFloat(Float4E2M1FNType::get(&context)));
  EXPECT_FALSE(isNarrowFloat(Float16Type::get(&context)));
  EXPECT_FALSE(isNarrowFloat(IntegerType::get(&context, 8)));
  EXPECT_TRUE(isStandardFloat(BFloat16Type::get(&context)));
  EXPECT_FALSE(isStandardFloat(Float8E5M2Type::get(&context)));
}
} // namespace
