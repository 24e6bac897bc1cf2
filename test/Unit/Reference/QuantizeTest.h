//===- QuantizeTest.h - Fixture of quantization tests -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expected values are derived from the rules by hand, and never computed.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_UNIT_REFERENCE_QUANTIZETEST_H
#define QUANT_FLOAT_TEST_UNIT_REFERENCE_QUANTIZETEST_H

#include "CastTest.h"
#include "quant-float/Reference/Quantize.h"
#include <cmath>
#include <limits>

namespace mlir::quant_float::reference {

/// The types of x and scale, and the precision P.
struct QuantizeTypes {
  StringRef x = "f32", scale = "f32", precision = "f32";
};

class QuantizeTest : public CastTest {
protected:
  /// Returns the bit pattern of a number in a type.
  uint64_t bits(double value, StringRef type) { return cast(value, type); }

  /// Returns the number of a bit pattern; all types are exact in f64.
  double number(uint64_t bits, StringRef type) { return value(type, bits); }

  uint64_t quantizeBits(uint64_t x, uint64_t scale, StringRef y,
                        std::optional<uint64_t> zeroPoint, QuantizeTypes types,
                        bool saturate = true) {
    auto element = [&](StringRef type, uint64_t value) {
      return llvm::APInt(parse(type).getIntOrFloatBitWidth(), value);
    };
    std::optional<llvm::APInt> origin;
    if (zeroPoint)
      origin = element(y, *zeroPoint);
    EXPECT_TRUE(canQuantize(parse(types.x), parse(types.scale), parse(y),
                            parse(types.precision)));
    llvm::APInt result =
        quantizeElement(parse(types.x), parse(types.scale), parse(y),
                        element(types.x, x), element(types.scale, scale),
                        origin, {saturate, parse(types.precision)});
    EXPECT_EQ(result.getBitWidth(), parse(y).getIntOrFloatBitWidth());
    return result.getZExtValue();
  }
  /// Returns the encoding of y.
  uint64_t quantizeToBits(double x, double scale, StringRef y,
                          std::optional<double> zeroPoint = std::nullopt,
                          QuantizeTypes types = {}, bool saturate = true) {
    std::optional<uint64_t> origin;
    if (zeroPoint)
      origin = bits(*zeroPoint, y);
    return quantizeBits(bits(x, types.x), bits(scale, types.scale), y, origin,
                        types, saturate);
  }
  /// Returns the number y.
  double quantize(double x, double scale, StringRef y,
                  std::optional<double> zeroPoint = std::nullopt,
                  QuantizeTypes types = {}) {
    return number(quantizeToBits(x, scale, y, zeroPoint, types), y);
  }

  uint64_t dequantizeBits(uint64_t x, uint64_t scale, StringRef xType,
                          std::optional<uint64_t> zeroPoint = std::nullopt,
                          StringRef scaleType = "f32", StringRef y = "f32") {
    auto element = [&](StringRef type, uint64_t value) {
      return llvm::APInt(parse(type).getIntOrFloatBitWidth(), value);
    };
    std::optional<llvm::APInt> origin;
    if (zeroPoint)
      origin = element(xType, *zeroPoint);
    EXPECT_TRUE(canDequantize(parse(xType), parse(scaleType), parse(y)));
    llvm::APInt result =
        dequantizeElement(parse(xType), parse(scaleType), parse(y),
                          element(xType, x), element(scaleType, scale), origin);
    EXPECT_EQ(result.getBitWidth(), parse(y).getIntOrFloatBitWidth());
    return result.getZExtValue();
  }
  double dequantize(double x, double scale, StringRef xType,
                    std::optional<double> zeroPoint = std::nullopt,
                    StringRef scaleType = "f32", StringRef y = "f32") {
    std::optional<uint64_t> origin;
    if (zeroPoint)
      origin = bits(*zeroPoint, xType);
    return number(dequantizeBits(bits(x, xType), bits(scale, scaleType), xType,
                                 origin, scaleType, y),
                  y);
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_TEST_UNIT_REFERENCE_QUANTIZETEST_H
