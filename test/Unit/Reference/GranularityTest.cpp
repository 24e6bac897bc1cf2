//===- GranularityTest.cpp - Elements that share a scale ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares sizes and indexing maps with indices that are computed one by one,
// for inputs of up to three dimensions with sizes from 0 to 5.
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/Granularity.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float::reference;

namespace {
using Sizes = SmallVector<int64_t>;
constexpr int64_t kDynamic = ShapedType::kDynamic;

SmallVector<Sizes> getShapes() {
  SmallVector<Sizes> shapes = {{}};
  for (size_t i = 0; i < shapes.size(); ++i)
    for (int64_t size : {0, 1, 2, 5})
      if (shapes[i].size() < 3) {
        shapes.push_back(shapes[i]);
        shapes.back().push_back(size);
      }
  return shapes;
}

int64_t count(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// Advances to the next index in row-major order.
void advance(Sizes &at, ArrayRef<int64_t> sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++at[d] < sizes[d])
      return;
    at[d] = 0;
  }
}

class GranularityTest : public testing::Test {
protected:
  /// `pick` returns the expected index into the parameter for an index of the
  /// input.
  void check(const Granularity &granularity, ArrayRef<int64_t> parameter,
             ArrayRef<int64_t> input,
             llvm::function_ref<Sizes(ArrayRef<int64_t>)> pick) {
    EXPECT_TRUE(granularity.fits(parameter, input));
    ParameterElements elements(granularity, parameter, input);
    AffineMap map = granularity.getMap(&context, parameter, input);
    Sizes open(input.size(), kDynamic);
    AffineMap openMap = granularity.getMap(&context, parameter, open);
    Sizes at(input.size(), 0);
    for (int64_t i = 0, e = count(input); i < e; ++i, advance(at, input)) {
      Sizes expected = pick(at);
      uint64_t number = 0;
      for (auto [index, size] : llvm::zip_equal(expected, parameter))
        number = number * size + index;
      EXPECT_EQ(elements[i], number);
      EXPECT_EQ(map.compose(at), expected);
      EXPECT_EQ(openMap.compose(at), expected);
    }
  }

  MLIRContext context;
};

TEST_F(GranularityTest, per_tensor) {
  for (const Sizes &input : getShapes()) {
    EXPECT_EQ(Granularity().getParameterSizes(input), Sizes());
    check({}, {}, input, [](ArrayRef<int64_t>) { return Sizes(); });
    check({}, {1}, input, [](ArrayRef<int64_t>) { return Sizes{0}; });
    EXPECT_FALSE(Granularity().fits({2}, input));
    EXPECT_FALSE(Granularity().fits({1, 1}, input));
  }
}

TEST_F(GranularityTest, per_axis) {
  for (const Sizes &input : getShapes())
    for (int64_t rank = input.size(), axis = -rank; axis < rank; ++axis) {
      Granularity granularity{axis, {}};
      int64_t front = axis < 0 ? axis + rank : axis;
      Sizes sizes = granularity.getParameterSizes(input);
      EXPECT_EQ(sizes, Sizes{input[front]});
      check(granularity, sizes, input,
            [&](ArrayRef<int64_t> at) { return Sizes{at[front]}; });
      EXPECT_FALSE(granularity.fits({input[front] + 1}, input));
      EXPECT_FALSE(granularity.fits({}, input));
    }
}

TEST_F(GranularityTest, blocked) {
  for (const Sizes &input : getShapes())
    for (int64_t rank = input.size(), axis = -rank; axis < rank; ++axis)
      for (int64_t blockSize :
           {int64_t(1), int64_t(2), int64_t(3), INT64_MAX}) {
        Granularity granularity{axis, blockSize};
        int64_t front = axis < 0 ? axis + rank : axis;
        Sizes expected = input;
        expected[front] = 0;
        for (int64_t i = 0; i < input[front]; ++i)
          expected[front] += i % blockSize == 0;
        Sizes sizes = granularity.getParameterSizes(input);
        EXPECT_EQ(sizes, expected);
        check(granularity, sizes, input, [&](ArrayRef<int64_t> at) {
          Sizes index(at);
          index[front] /= blockSize;
          return index;
        });
        ++sizes[front];
        EXPECT_FALSE(granularity.fits(sizes, input));
      }
}

TEST_F(GranularityTest, broadcast) {
  Granularity granularity = Granularity::getBroadcast();
  for (const Sizes &input : getShapes())
    for (const Sizes &sizes : getShapes()) {
      bool fits = sizes.size() <= input.size();
      size_t first = input.size() - sizes.size();
      for (size_t i = 0; fits && i < sizes.size(); ++i)
        fits = sizes[i] == 1 || sizes[i] == input[first + i];
      EXPECT_EQ(granularity.fits(sizes, input), fits);
      if (fits)
        check(granularity, sizes, input, [&](ArrayRef<int64_t> at) {
          Sizes index(at.drop_front(first));
          for (auto [position, size] : llvm::zip_equal(index, sizes))
            position = size == 1 ? 0 : position;
          return index;
        });
    }
}

TEST_F(GranularityTest, no_axis) {
  EXPECT_EQ((Granularity{2, {}}.getAxis(2)), std::nullopt);
  EXPECT_EQ((Granularity{-3, {}}.getAxis(2)), std::nullopt);
  EXPECT_EQ((Granularity{0, {}}.getAxis(0)), std::nullopt);
  EXPECT_EQ(Granularity().getAxis(2), std::nullopt);
}

TEST_F(GranularityTest, open_sizes) {
  EXPECT_TRUE(Granularity().fits({kDynamic}, {3}));
  EXPECT_EQ((Granularity{0, {}}.getParameterSizes({kDynamic, 3})),
            Sizes{kDynamic});
  EXPECT_EQ((Granularity{0, 2}.getParameterSizes({kDynamic, 3})),
            (Sizes{kDynamic, 3}));
  EXPECT_TRUE((Granularity{0, 2}.fits({kDynamic, 3}, {7, kDynamic})));
  EXPECT_TRUE(Granularity::getBroadcast().fits({kDynamic}, {3, 4}));
}

// vector<[1]xf32> does not have one element, and vector<[4]xf32> not four.
TEST_F(GranularityTest, scalable_sizes) {
  auto f32 = Float32Type::get(&context);
  Sizes one = getSizes(VectorType::get({1}, f32, {true}));
  Sizes four = getSizes(VectorType::get({4}, f32, {true}));
  EXPECT_FALSE(Granularity().fits(one, {4}));
  EXPECT_FALSE((Granularity{0, {}}.fits(four, {4})));
  EXPECT_FALSE((Granularity{0, {}}.fits({4}, four)));
  EXPECT_TRUE((Granularity{0, {}}.fits(four, four)));
  EXPECT_TRUE((Granularity{0, 4}.fits(one, four)));
  EXPECT_FALSE((Granularity{0, 4}.fits({1}, four)));
  EXPECT_FALSE(Granularity::getBroadcast().fits(one, four));
  EXPECT_TRUE(Granularity::getBroadcast().fits({1}, four));
  EXPECT_EQ((Granularity{0, 4}.getIndices(one, four).front().dim), 0u);
}
} // namespace
