//===- QuantizeBufferTest.cpp - Granularities, rule D9 --------------------===//
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

class QuantizeBufferTest : public QuantizeTest {
protected:
  /// Elements of one byte.
  using Bytes = std::vector<char>;

  static Bytes floats(ArrayRef<float> values) {
    Bytes bytes;
    for (float value : values)
      for (unsigned i = 0; i < 4; ++i)
        bytes.push_back(char(llvm::bit_cast<uint32_t>(value) >> (8 * i)));
    return bytes;
  }

  /// Quantizes f32 with f32 scales to i8. Returns nullopt on failure.
  std::optional<Bytes> run(ArrayRef<int64_t> sizes,
                           const Granularity &granularity, ArrayRef<float> x,
                           ArrayRef<float> scales,
                           std::optional<Bytes> origins = std::nullopt) {
    Bytes out(x.size());
    Type f32 = parse("f32");
    std::optional<ArrayRef<char>> zeroPoints;
    if (origins)
      zeroPoints = *origins;
    if (failed(quantizeBuffer(f32, f32, parse("i8"), sizes, granularity,
                              floats(x), floats(scales), zeroPoints, out,
                              {true, f32})))
      return std::nullopt;
    // Dequantize again. All numbers of these tests are exact.
    Bytes back(4 * x.size());
    EXPECT_TRUE(
        succeeded(dequantizeBuffer(parse("i8"), f32, f32, sizes, granularity,
                                   out, floats(scales), zeroPoints, back)));
    EXPECT_EQ(back, floats(x));
    return out;
  }
};

TEST_F(QuantizeBufferTest, per_tensor) {
  EXPECT_EQ(run({2, 3}, {}, {0, 2, 4, 6, 8, 10}, {2}),
            (Bytes{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run({2, 3}, {}, {0, 2, 4, 6, 8, 10}, {2}, Bytes{1}),
            (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run({}, {}, {6}, {2}), Bytes{3});
}

TEST_F(QuantizeBufferTest, per_axis) {
  SmallVector<float> x = {60, 60, 60, 60, 60, 60};
  EXPECT_EQ(run({2, 3}, {0, {}}, x, {1, 2}), (Bytes{60, 60, 60, 30, 30, 30}));
  EXPECT_EQ(run({2, 3}, {1, {}}, x, {1, 2, 3}),
            (Bytes{60, 30, 20, 60, 30, 20}));
  EXPECT_EQ(run({1, 3, 2}, {1, {}}, x, {1, 2, 3}, Bytes{0, 1, 2}),
            (Bytes{60, 60, 31, 31, 22, 22}));
  // Negative axes count from the end.
  EXPECT_EQ(run({2, 3}, {-2, {}}, x, {1, 2}), run({2, 3}, {0, {}}, x, {1, 2}));
  EXPECT_EQ(run({6}, {-1, {}}, x, {1, 2, 3, 4, 5, 6}),
            (Bytes{60, 30, 20, 15, 12, 10}));
}

TEST_F(QuantizeBufferTest, blocked) {
  SmallVector<float> x(10, 60);
  // The last block is partial.
  EXPECT_EQ(run({2, 5}, {1, 2}, x, {1, 2, 3, 4, 5, 6}),
            (Bytes{60, 60, 30, 30, 20, 15, 15, 12, 12, 10}));
  EXPECT_EQ(run({5, 2}, {0, 2}, x, {1, 2, 3, 4, 5, 6}, Bytes{0, 0, 0, 0, 0, 1}),
            (Bytes{60, 30, 60, 30, 20, 15, 20, 15, 12, 11}));
  EXPECT_EQ(run({1, 5, 2}, {-2, 4}, x, {1, 2, 3, 4}),
            (Bytes{60, 30, 60, 30, 60, 30, 60, 30, 20, 15}));
  // A single block, and blocks of one element.
  EXPECT_EQ(run({2, 5}, {1, 100}, x, {1, 2}),
            (Bytes{60, 60, 60, 60, 60, 30, 30, 30, 30, 30}));
  EXPECT_EQ(run({5}, {0, 1}, ArrayRef<float>(x).take_front(5), {1, 2, 3, 4, 5}),
            (Bytes{60, 30, 20, 15, 12}));
}

TEST_F(QuantizeBufferTest, zero_sized) {
  EXPECT_EQ(run({0}, {}, {}, {2}), Bytes{});
  EXPECT_EQ(run({0, 3}, {1, {}}, {}, {1, 2, 3}), Bytes{});
  EXPECT_EQ(run({3, 0}, {1, {}}, {}, {}), Bytes{});
  EXPECT_EQ(run({3, 0}, {1, 32}, {}, {}), Bytes{}); // ceil(0 / 32) = 0 blocks
  EXPECT_EQ(run({0, 3}, {1, 2}, {}, {}), Bytes{});
}

TEST_F(QuantizeBufferTest, failures) {
  SmallVector<float> x(6, 6);
  EXPECT_FALSE(run({2, 3}, {}, x, {}));
  EXPECT_FALSE(run({2, 3}, {}, x, {1, 2}));
  EXPECT_FALSE(run({0}, {}, {}, {}));
  EXPECT_FALSE(run({2, 4}, {}, x, {1}));
  EXPECT_FALSE(run({-2, -3}, {}, x, {1}));
  EXPECT_FALSE(run({2, 3}, {}, x, {1}, Bytes{1, 2}));
  EXPECT_FALSE(run({2, 3}, {0, {}}, x, {1}));
  EXPECT_FALSE(run({2, 3}, {2, {}}, x, {1, 2, 3}));
  EXPECT_FALSE(run({2, 3}, {-3, {}}, x, {1, 2, 3}));
  EXPECT_FALSE(run({}, {0, {}}, {6}, {1}));
  EXPECT_FALSE(run({2, 3}, {{}, 2}, x, {1}));
  EXPECT_FALSE(run({2, 3}, {1, 0}, x, {1, 2}));
  EXPECT_FALSE(run({2, 3}, {1, -2}, x, {1, 2}));
  EXPECT_FALSE(run({2, 3}, {1, 2}, x, {1, 2, 3}));
  EXPECT_FALSE(run({2, 3}, {1, 2}, x, {1, 2, 3, 4, 5}));
  int64_t huge = int64_t(1) << 62;
  EXPECT_FALSE(run({huge, huge, 4}, {1, 2}, {}, {}));
}

TEST_F(QuantizeBufferTest, failures_leave_the_output) {
  Type f32 = parse("f32"), f64 = parse("f64"), i8 = parse("i8");
  char out[] = {1, 2, 3, 4, 5, 6, 7, 8};
  char in[8] = {};
  auto quantize = [&](Type x, Type scale, Type y, Type precision) {
    auto bytes = [](Type type) -> size_t {
      return type ? (type.getIntOrFloatBitWidth() + 7) / 8 : 1;
    };
    return quantizeBuffer(x, scale, y, {}, {}, ArrayRef<char>(in, bytes(x)),
                          ArrayRef<char>(in, bytes(scale)), std::nullopt,
                          MutableArrayRef<char>(out, bytes(y)),
                          {true, precision});
  };
  EXPECT_TRUE(failed(quantize(f64, f32, i8, f32)));
  EXPECT_TRUE(failed(quantize(f32, f64, i8, f32)));
  EXPECT_TRUE(failed(quantize(f32, f32, parse("i32"), f32)));
  EXPECT_TRUE(failed(quantize(f32, f32, parse("f8E8M0FNU"), f32)));
  EXPECT_TRUE(failed(quantize(f32, f32, f32, f32)));
  EXPECT_TRUE(failed(quantize(f32, f32, i8, i8)));
  EXPECT_TRUE(failed(quantize(f32, f32, i8, Type())));
  EXPECT_TRUE(failed(dequantizeBuffer(
      i8, f32, f64, {}, {}, ArrayRef<char>(in, 1), ArrayRef<char>(in, 4),
      std::nullopt, MutableArrayRef<char>(out, 8))));
  EXPECT_TRUE(failed(dequantizeBuffer(
      i8, parse("i32"), f32, {}, {}, ArrayRef<char>(in, 1),
      ArrayRef<char>(in, 4), std::nullopt, MutableArrayRef<char>(out, 4))));
  EXPECT_EQ(StringRef(out, 8), StringRef("\1\2\3\4\5\6\7\10"));
}

/// Sub-byte types: unused bits of inputs are ignored, and outputs are
/// sign-extended.
TEST_F(QuantizeBufferTest, slots) {
  Type f32 = parse("f32");
  Bytes out(2), x = floats({-1, -7}), scale = floats({1});
  ASSERT_TRUE(succeeded(quantizeBuffer(f32, f32, parse("i4"), {2}, {}, x, scale,
                                       Bytes{char(0x71)}, out, {true, f32})));
  EXPECT_EQ(out, (Bytes{0, char(0xFA)})); // -1 + 1, -7 + 1
  ASSERT_TRUE(succeeded(quantizeBuffer(f32, f32, parse("f4E2M1FN"), {2}, {}, x,
                                       scale, std::nullopt, out, {true, f32})));
  EXPECT_EQ(out, (Bytes{0xA, 0xF})); // -1, -6
}

class DynamicQuantizeTest : public QuantizeBufferTest {
protected:
  struct Result {
    Bytes y;
    float scale;
    uint8_t zeroPoint;
  };
  Result run(ArrayRef<float> x) {
    Bytes y(x.size()), scale(4), zeroPoint(1);
    EXPECT_TRUE(
        succeeded(dynamicQuantizeLinear(floats(x), y, scale, zeroPoint)));
    float scaleValue;
    memcpy(&scaleValue, scale.data(), 4);
    return {y, scaleValue, uint8_t(zeroPoint[0])};
  }
};

TEST_F(DynamicQuantizeTest, D9_range) {
  // The example of ONNX's documentation.
  Result result = run({0, 2, -3, -2.5f, 1.34f, 0.5f});
  EXPECT_EQ(result.scale, 0x1.414142p-6f); // 5 / 255
  EXPECT_EQ(result.zeroPoint, 153);
  EXPECT_EQ(result.y,
            (Bytes{char(153), char(255), 0, 26, char(221), char(179)}));
  // The range includes zero.
  result = run({255, 51, 102});
  EXPECT_EQ(result.scale, 1);
  EXPECT_EQ(result.zeroPoint, 0);
  EXPECT_EQ(result.y, (Bytes{char(255), 51, 102}));
  result = run({-510, -100, -2});
  EXPECT_EQ(result.scale, 2);
  EXPECT_EQ(result.zeroPoint, 255);
  EXPECT_EQ(result.y, (Bytes{0, char(205), char(254)}));
}

TEST_F(DynamicQuantizeTest, D9_empty_range) {
  for (const std::vector<float> &x : {std::vector<float>{}, {0, -0.0f, 0}}) {
    Result result = run(x);
    EXPECT_EQ(result.scale, 1);
    EXPECT_EQ(result.zeroPoint, 0);
    EXPECT_EQ(result.y, Bytes(x.size()));
  }
}

TEST_F(DynamicQuantizeTest, D9_ends) {
  // hi - lo overflows. The range of one subnormal has a scale of zero.
  Result result = run({3e38f, -3e38f, 0});
  EXPECT_TRUE(std::isinf(result.scale));
  EXPECT_EQ(result.y, (Bytes{0, 0, 0}));
  result = run({0x1p-149f, 0});
  EXPECT_EQ(result.scale, 0);
  EXPECT_EQ(result.zeroPoint, 0);
  EXPECT_EQ(result.y, (Bytes{char(255), 0}));
  result = run({-0x1p-149f, 0});
  EXPECT_EQ(result.zeroPoint, 255);
  EXPECT_EQ(result.y, (Bytes{0, char(255)}));
  // The result is unspecified, but must not crash.
  run({float(nan), 1, float(infinity)});
}

TEST_F(DynamicQuantizeTest, D9_failures) {
  Bytes in(8), y(2), scale(4), zeroPoint(1), longer(5);
  EXPECT_TRUE(failed(dynamicQuantizeLinear(in, longer, scale, zeroPoint)));
  EXPECT_TRUE(failed(dynamicQuantizeLinear(in, y, longer, zeroPoint)));
  EXPECT_TRUE(failed(dynamicQuantizeLinear(in, y, scale, y)));
  EXPECT_TRUE(
      failed(dynamicQuantizeLinear(longer, zeroPoint, scale, zeroPoint)));
}

} // namespace
