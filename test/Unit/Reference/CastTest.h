//===- CastTest.h - Fixture of Reference tests ------------------*- C++ -*-===//
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

#ifndef QUANT_FLOAT_TEST_UNIT_REFERENCE_CASTTEST_H
#define QUANT_FLOAT_TEST_UNIT_REFERENCE_CASTTEST_H

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "quant-float/Reference/Cast.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

namespace mlir::quant_float::reference {

class CastTest : public testing::Test {
protected:
  Type parse(StringRef type) { return parseType(type, &context); }

  /// Casts a bit pattern.
  uint64_t cast(StringRef from, StringRef to, uint64_t bits,
                const CastOptions &options = {}) {
    Type fromType = parse(from);
    llvm::APInt source(fromType.getIntOrFloatBitWidth(), bits);
    llvm::APInt result = castElement(fromType, parse(to), source, options);
    EXPECT_EQ(result.getBitWidth(), parse(to).getIntOrFloatBitWidth());
    return result.getZExtValue();
  }
  uint64_t cast(float value, StringRef to, const CastOptions &options = {}) {
    return cast("f32", to, llvm::bit_cast<uint32_t>(value), options);
  }
  uint64_t cast(double value, StringRef to, const CastOptions &options = {}) {
    return cast("f64", to, llvm::bit_cast<uint64_t>(value), options);
  }
  /// Returns the number that a bit pattern of any float type represents.
  double value(StringRef type, uint64_t bits) {
    return llvm::bit_cast<double>(cast(type, "f64", bits));
  }

  static constexpr uint64_t f32NaN = 0x7FC00000, f32NegativeNaN = 0xFFC00000;
  static constexpr uint64_t f32Inf = 0x7F800000, f32NegativeInf = 0xFF800000;

  MLIRContext context{MLIRContext::Threading::DISABLED};
  CastOptions saturating{28, true, ScaleRounding::Up};
  CastOptions overflowing{28, false, ScaleRounding::Up};
};

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_TEST_UNIT_REFERENCE_CASTTEST_H
