//===- QuantizeBlocksTest.cpp - Tests of the fast quantization ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All rules with all types that they support have the bits of the Reference,
// with tabulated and with computed scales.
//
//===----------------------------------------------------------------------===//

#include "quant-float/Transforms/QuantizeBlocks.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::quant_float;
using reference::BlockScaleRule;

namespace {
constexpr int64_t kRows = 40, kColumns = 50;

class QuantizeBlocks : public testing::Test {
protected:
  QuantizeBlocks() { context.loadDialect<QuantFloatDialect>(); }

  Type parse(StringRef type) { return parseType(type, &context); }

  /// Returns finite numbers: in `center` those of weights, otherwise all
  /// exponents. Some are next to a power of two, and some blocks are zero.
  SmallVector<char> makeInput(Type x, bool center) {
    FloatFormat format(x);
    unsigned bytes = getNumberWidth(x) / 8;
    SmallVector<char> buffer(kRows * kColumns * bytes);
    for (int64_t i = 0; i < kRows * kColumns; ++i) {
      uint32_t magnitude = random() % format.infinityEncoding;
      if (center)
        magnitude = (format.infinityEncoding >> 1) -
                    random() % (format.infinityEncoding >> 4);
      unsigned kind = random() % 8;
      uint32_t mantissa = (1u << format.mantissaBits) - 1;
      if (kind == 0)
        magnitude &= ~mantissa;
      else if (kind == 1)
        magnitude |= mantissa;
      else if (kind == 2)
        magnitude = 0;
      if (i / kColumns >= 32)
        magnitude &= i / kColumns == 39 ? mantissa : 0;
      uint32_t bits = magnitude | (random() & 1 ? format.signMask() : 0);
      memcpy(&buffer[i * bytes], &bits, bytes);
    }
    return buffer;
  }

  void compare(BlockScaleRule rule, Type x, Type scale, Type element,
               ArrayRef<int64_t> block, bool center) {
    SmallVector<char> in = makeInput(x, center);
    SmallVector<int64_t> sizes = {kRows, kColumns};
    auto scaleSizes =
        reference::Granularity::getBlocks(block).getParameterSizes(sizes);
    int64_t numBlocks = scaleSizes[0] * scaleSizes[1];
    SmallVector<char> values(kRows * kColumns), expectedValues(values);
    SmallVector<char> scales(numBlocks *
                             llvm::divideCeil(getNumberWidth(scale), 8)),
        expectedScales(scales);
    TabulatedQuantizer quantizer(rule, x, scale, element);
    llvm::APFloat amax = quantizer.getAmax(in);
    EXPECT_TRUE(amax.bitwiseIsEqual(reference::getAmax(x, in)));
    reference::TensorLevel tensor;
    if (reference::isTwoLevel(rule))
      tensor.amax = amax;
    ASSERT_TRUE(succeeded(reference::blockQuantizeBuffer(
        rule, x, scale, element, sizes, block, in, tensor, std::nullopt,
        {expectedValues, expectedScales})));
    for (int64_t count : {int64_t(1), int64_t(1) << 20}) {
      quantizer.prepare(tensor, amax, count);
      quantizer.quantize({kRows, kColumns, in, values, scales}, block);
      EXPECT_EQ(scales, expectedScales);
      EXPECT_EQ(values, expectedValues);
    }
  }

  MLIRContext context;
  std::mt19937 random{43};
};
} // namespace

TEST_F(QuantizeBlocks, AllRules) {
  static constexpr BlockScaleRule rules[] = {
#define QUANT_FLOAT_BLOCK_SCALE_RULE(Rule, ...) BlockScaleRule::Rule,
#include "quant-float/Reference/BlockScaleRules.def"
  };
  constexpr int64_t kWholeDim = reference::Granularity::kWholeDim;
  const SmallVector<int64_t> blocks[] = {
      {1, 16}, {8, 1}, {1, 32}, {16, 16}, {kWholeDim, 1}, {1, kWholeDim}};
  unsigned next = 0;
  for (BlockScaleRule rule : rules)
    for (StringRef element :
         {"f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "i8", "i4"})
      for (StringRef scale : {"f8E8M0FNU", "f32", "f16", "bf16", "f8E4M3FN",
                              "!quant_float.f8UE5M3"}) {
        if (!reference::isSupported(rule, parse(element), parse(scale)))
          continue;
        for (StringRef x : {"f32", "f16", "bf16"}) {
          SCOPED_TRACE(llvm::formatv("rule {0}, {1} to {2}, scales of {3}",
                                     unsigned(rule), x, element, scale)
                           .str());
          ++next;
          compare(rule, parse(x), parse(scale), parse(element),
                  blocks[next % std::size(blocks)], next % 3 != 0);
        }
      }
}

TEST_F(QuantizeBlocks, NoElements) {
  Type x = parse("f32");
  TabulatedQuantizer quantizer(BlockScaleRule::Floor, x, parse("f8E8M0FNU"),
                               parse("f4E2M1FN"));
  EXPECT_TRUE(quantizer.getAmax({}).isZero());
  quantizer.prepare({}, llvm::APFloat(0.0f), 0);
  quantizer.quantize({0, 4, {}, {}, {}}, {1, 32});
}
