//===- Alternatives.cpp - The errors of alternative formats ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "mlir/AsmParser/AsmParser.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kSample = 1 << 16;

/// The candidate types in MLIR's syntax.
static constexpr StringLiteral kTypes[] = {
    "f8E4M3FN", "f8E5M2",   "f8E4M3FNUZ", "f8E5M2FNUZ", "f6E2M3FN",
    "f6E3M2FN", "f4E2M1FN", "i8",         "i4"};

namespace {
/// Defines which elements share a scale.
struct Grouping {
  std::string name;
  /// Maps the row and the position in the row to the index of the group.
  std::function<int64_t(int64_t, int64_t)> getGroup;
  int64_t numGroups;
  bool isPowerOfTwo = false;
};

/// A subset of the rows along the last dimension.
struct Sample {
  /// The indices of the rows, and the number of elements in each.
  std::vector<int64_t> rows;
  int64_t length;
  std::vector<float> numbers;
};
} // namespace

/// Selects evenly spaced rows. Replaces numbers that are not finite by 0.
static Sample takeSample(ArrayRef<int64_t> sizes, ArrayRef<double> numbers) {
  Sample sample;
  sample.length = sizes.empty() ? 1 : std::max<int64_t>(sizes.back(), 1);
  int64_t numRows = numbers.size() / sample.length;
  int64_t taken = std::clamp<int64_t>(kSample / sample.length, 1,
                                      std::max<int64_t>(numRows, 1));
  for (int64_t i = 0; i < std::min(taken, numRows); ++i) {
    int64_t row = i * numRows / taken;
    sample.rows.push_back(row);
    for (double number : numbers.slice(row * sample.length, sample.length))
      sample.numbers.push_back(std::isfinite(number) ? number : 0);
  }
  return sample;
}

static std::vector<Grouping> getGroupings(ArrayRef<int64_t> sizes,
                                          const Sample &sample) {
  std::vector<Grouping> groupings;
  groupings.push_back(
      {"tensor", [](int64_t, int64_t) { return 0; }, /*numGroups=*/1});
  int64_t rank = sizes.size(), length = sample.length;
  if (rank >= 2) {
    int64_t inner = 1;
    for (int64_t size : sizes.drop_front().drop_back())
      inner *= size;
    groupings.push_back({"axis 0",
                         [inner](int64_t row, int64_t) { return row / inner; },
                         sizes.front()});
    groupings.push_back({"axis " + std::to_string(rank - 1),
                         [](int64_t, int64_t column) { return column; },
                         length});
  }
  for (int64_t block : {16, 32, 64, 128}) {
    if (block > length)
      break;
    int64_t blocks = llvm::divideCeil(length, block);
    auto getBlock = [=](int64_t row, int64_t column) {
      return row * blocks + column / block;
    };
    int64_t rows = sample.rows.empty() ? 0 : sample.rows.back() + 1;
    std::string name = "blocks of " + std::to_string(block);
    groupings.push_back({name, getBlock, rows * blocks});
    if (block == 32)
      groupings.push_back({name + " (MX)", getBlock, rows * blocks, true});
  }
  return groupings;
}

/// Returns the largest magnitude divided by the largest value of the format.
/// For powers of two, returns the one that gives both the same exponent, as
/// OCP's MX specification does.
static float getScale(const Codes &codes, float largest, bool isPowerOfTwo) {
  if (largest == 0)
    return 1;
  if (isPowerOfTwo)
    return std::ldexp(1.0f, std::ilogb(largest) - codes.getGreatestExponent());
  float scale = largest / float(codes.getGreatest());
  return scale > 0 ? scale : 1;
}

std::vector<Alternative>
quant_float::findAlternatives(MLIRContext *context, ArrayRef<int64_t> sizes,
                              ArrayRef<double> numbers) {
  std::vector<Alternative> alternatives;
  if (numbers.empty())
    return alternatives;
  Sample sample = takeSample(sizes, numbers);
  std::vector<double> before(sample.numbers.begin(), sample.numbers.end());
  std::vector<Grouping> groupings = getGroupings(sizes, sample);
  auto forEach = [&](const Grouping &grouping, auto body) {
    size_t element = 0;
    for (int64_t row : sample.rows)
      for (int64_t column = 0; column < sample.length; ++column, ++element)
        body(element, grouping.getGroup(row, column));
  };
  for (StringRef spelled : kTypes) {
    Codes codes(parseType(spelled, context));
    for (const Grouping &grouping : groupings) {
      std::vector<float> scales(grouping.numGroups);
      forEach(grouping, [&](size_t element, int64_t group) {
        scales[group] =
            std::max(scales[group], std::fabs(sample.numbers[element]));
      });
      for (float &scale : scales)
        scale = getScale(codes, scale, grouping.isPowerOfTwo);
      std::vector<double> after(before.size());
      forEach(grouping, [&](size_t element, int64_t group) {
        float quotient = sample.numbers[element] / scales[group];
        after[element] = float(codes.round(quotient)) * scales[group];
      });
      alternatives.push_back(
          {spelled.str(), grouping.name, compareNumbers(before, after).sqnr});
    }
  }
  return alternatives;
}
